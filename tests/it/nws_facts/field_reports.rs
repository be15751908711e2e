//! What went wrong for people who searched alerts elsewhere: one test a report (rows N of the field reports; those that are a
//! matter of one collection alone are beside the search, in `nws_facts::alerts`).

use super::alerts::{SEARCH, archive, events, take, watching};
use super::{Tools, fixtures};
use serde_json::{Value, json};
use std::time::Duration;
use stormbell::observation::{NWS_WARNINGS, Report};
use stormbell::sources::nws_warnings;
use stormbell::threat::picture::Picture;

/// Field report N25: a fire weather zone is one of the zones of a point, also where the API's own search does not say so.
#[tokio::test(start_paused = true)]
async fn n25_the_fire_weather_zone_of_a_point_counts() {
    let tools = Tools::new();
    let upstream = tools.good(SEARCH, json!({"point": "37.74,-98.21"})).await;
    assert_eq!(events(&upstream), ["Tornado Warning", "Wind Advisory", "Red Flag Warning"]);
    let asked = tools.asked();
    let point = "/alerts/active?status=actual&point=37.74,-98.21";
    assert_eq!(asked, ["/points/37.74,-98.21", point, "/alerts/active?status=actual&zone=KSZ997"]);
    let tools = watching().await;
    let mut memory = tools.good(SEARCH, json!({"point": "37.74,-98.21"})).await;
    assert_eq!(tools.asked(), ["/points/37.74,-98.21"], "only the zones had to be learned");
    memory["alerts"].as_array_mut().unwrap().sort_by_key(|alert| alert["id"].as_str().unwrap().to_owned());
    let mut expected = upstream["alerts"].clone();
    expected.as_array_mut().unwrap().sort_by_key(|alert| alert["id"].as_str().unwrap().to_owned());
    assert_eq!(memory["alerts"], expected);
    // A point in the same zones and outside the tornado's polygon.
    assert_eq!(memory["degraded"], json!([]));
}

/// Field report N28: a place over water gets the alerts of the county that its weather radio names, and is told so.
#[tokio::test(start_paused = true)]
async fn n28_over_water_the_county_of_the_weather_radio_counts() {
    let tools = Tools::new();
    let told = tools.good(SEARCH, json!({"point": "30.3,-88.9"})).await;
    assert_eq!(events(&told), ["Coastal Flood Warning"]);
    assert!(told["notice"].as_str().unwrap().contains("MSC047"), "{told}");
}

/// Field report N16: a list of the nation that is emptied, with status 200 and a fresh time, is no all-clear.
#[tokio::test(start_paused = true)]
async fn n16_an_emptied_list_is_no_all_clear() {
    let day = tempfile::tempdir().unwrap();
    let line = |second: u32, features: &Value| {
        let at = format!("2031-05-09T21:0{}:{:02}Z", second / 60, second % 60);
        let (path, file) = ("/alerts/active", format!("{second}.json"));
        let body = json!({"type": "FeatureCollection", "updated": at, "features": features});
        std::fs::write(day.path().join(&file), body.to_string()).unwrap();
        let headers = json!({"content-type": "application/geo+json"});
        json!({"at": at, "http": {"host": "api.weather.gov", "path": path}, "status": 200, "headers": headers, "file": file})
            .to_string()
    };
    let mut nation: Value =
        serde_json::from_slice(&std::fs::read(fixtures().join("alerts/nation.json")).unwrap()).unwrap();
    // Each in a zone of its own: enough incidents that losing them at once is doubted.
    for (number, feature) in nation["features"].as_array_mut().unwrap().iter_mut().enumerate() {
        feature["properties"]["geocode"]["UGC"] = json!([format!("TXZ{number:03}")]);
    }
    let lines = [line(0, &nation["features"]), line(30, &json!([]))];
    std::fs::write(day.path().join("timeline.jsonl"), lines.join("\n")).unwrap();
    let about = "name = \"emptied\"\nfrom = \"2031-05-09T21:00:00Z\"\nto = \"2031-05-09T22:00:00Z\"\nsources = []\n";
    std::fs::write(day.path().join("archive.toml"), about).unwrap();

    let mut tools = Tools::over(day.path(), super::FROM, "");
    let mut source = nws_warnings::open(nws_warnings::Config::default(), archive(day.path(), &tools));
    let mut picture = Picture::default();
    take(&mut picture, &mut source, &tools).await;
    tools.picture = Some(picture.clone());
    assert_eq!(tools.good(SEARCH, json!({})).await["degraded"], json!([]));
    tools.clock.sleep(Duration::from_secs(31)).await;
    take(&mut picture, &mut source, &tools).await;
    tools.picture = Some(picture);
    for arguments in [json!({}), json!({"area": "KS"}), json!({"event": ["tornado"]})] {
        let told = tools.good(SEARCH, arguments).await;
        assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!(["nws-active-alerts"])));
        let notice = told["notice"].as_str().unwrap();
        assert!(notice.contains("not an all-clear") && notice.contains("may still be in force"), "{notice}");
    }
    assert!(tools.asked().is_empty(), "memory answered");
    // Without a memory of what stood before, an empty list of the nation is told as what it is.
    tools.picture = None;
    let told = tools.good(SEARCH, json!({"event": ["tornado"]})).await;
    assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!(["nws-active-alerts"])));
    assert!(told["notice"].as_str().unwrap().contains("whole nation is empty"), "{told}");
}

/// A list that does not tell its time proves nothing (N37).
#[tokio::test(start_paused = true)]
async fn n37_a_list_without_its_time_is_told() {
    let told = Tools::new().good(SEARCH, json!({"severity": ["Unknown"]})).await;
    assert_eq!((&told["collectionUpdated"], &told["degraded"]), (&Value::Null, &json!(["nws-active-alerts"])));
    assert!(told["notice"].as_str().unwrap().contains("how old"), "{told}");
}

/// Field report N14.
#[tokio::test(start_paused = true)]
async fn n14_tests_are_found_by_who_asks_for_tests() {
    let tools = watching().await;
    assert!(events(&tools.good(SEARCH, json!({"severity": ["Extreme"]})).await) == ["Tornado Warning"]);
    assert!(tools.asked().is_empty());
    let told = tools.good(SEARCH, json!({"status": "test"})).await;
    assert_eq!((events(&told), &told["appliedFilters"]), (vec!["Test"], &json!("national, status=test")));
    assert_eq!(tools.asked(), ["/alerts/active?status=test"], "memory holds only what is actual");
}

/// Field report N02: what was called off is not active; who asks for the past gets it.
#[tokio::test(start_paused = true)]
async fn n02_what_is_over_is_left_out_and_counted() {
    let tools = watching().await;
    let told = tools.good(SEARCH, json!({"zone": "KSZ197"})).await;
    assert_eq!((events(&told), &told["overLeftOut"]), (vec!["Wind Advisory"], &json!(1)));
    let past = tools.good(SEARCH, json!({"urgency": ["Past"]})).await;
    assert_eq!((events(&past), &past["alerts"][0]["phase"]), (vec!["Flood Advisory"], &json!("over")));
    // N11: by the clock, also where the API would list it on.
    tools.clock.sleep(Duration::from_secs(60)).await;
    assert_eq!(tools.good(SEARCH, json!({"event": ["heat"]})).await["totalCount"], 56);
}

/// Field report N35: a memory that is not renewed does not answer.
#[tokio::test(start_paused = true)]
async fn n35_memory_answers_while_it_is_fresh_and_no_longer() {
    let tools = watching().await;
    tools.clock.sleep(Duration::from_secs(119)).await;
    tools.good(SEARCH, json!({})).await;
    assert!(tools.asked().is_empty());
    tools.clock.sleep(Duration::from_secs(2)).await;
    tools.good(SEARCH, json!({})).await;
    assert_eq!(tools.asked(), ["/alerts/active?status=actual"]);
    // What was not a good poll never answers.
    let mut picture = Picture::default();
    let seen = watching().await.picture.unwrap();
    let collection = seen.alerts.unwrap().0;
    picture.take(&Report {
        source: NWS_WARNINGS,
        polled_utc: tools.clock.now(),
        good: false,
        observations: vec![stormbell::observation::Observation::Alerts(collection)],
        faults: Vec::new(),
    });
    assert!(picture.alerts.is_none());
}

/// Field reports N17 and N37: an old copy with status 200 is told, and its silence is no all-clear.
#[tokio::test(start_paused = true)]
async fn n17_n37_an_old_copy_is_told() {
    let tools = Tools::new();
    let told = tools.good(SEARCH, json!({"severity": ["Minor"]})).await;
    assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!(["nws-active-alerts"])));
    let notice = told["notice"].as_str().unwrap();
    assert!(
        notice.contains("old copy") && notice.contains("91 min behind") || notice.contains("90 min behind"),
        "{notice}"
    );
    // Without any trouble nothing found is nothing in force.
    let told = tools.good(SEARCH, json!({"area": "WY"})).await;
    assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!([])));
    assert!(told["notice"].as_str().unwrap().contains("No active alert matches (area=WY)"), "{told}");
}

/// Field report N44: the zone of the place where a point was asked for, else that of the state first named.
#[tokio::test(start_paused = true)]
async fn n44_times_are_those_of_the_place() {
    let tools = watching().await;
    let text = tools.text(SEARCH, json!({"region": ["GM"]})).await;
    assert!(text.contains("Hazard onset: Fri May 9 3:30 PM CDT (20:30Z)"), "{text}");
}
