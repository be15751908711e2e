//! nws_get_office_discussion, nws_get_zone_forecast, nws_list_alert_types, nws_get_alert_counts.

use super::Tools;
use serde_json::json;
use stormbell::desk::enquiries::Code;

const DISCUSSION: &str = "nws_get_office_discussion";
const ZONE: &str = "nws_get_zone_forecast";

#[tokio::test(start_paused = true)]
async fn the_newest_discussion_is_found_by_its_time() {
    let tools = Tools::new();
    let told = tools.call(DISCUSSION, json!({"office": " xks ", "Product-Type": "afd"})).await.unwrap();
    let value = &told.value;
    assert_eq!(
        (&value["issuanceTime"], &value["issuingOffice"]),
        (&json!("2031-05-09T20:00:00+00:00"), &json!("KXKS"))
    );
    assert_eq!((&value["productCode"], &value["productName"]), (&json!("AFD"), &json!("Area Forecast Discussion")));
    assert_eq!(value["wmoCollectiveId"], "FXUS63");
    let text = value["productText"].as_str().unwrap();
    assert!(text.contains(".SHORT TERM...\nInvented storms") && told.text.contains(text.trim()));
    assert_eq!(tools.asked(), ["/products/types/AFD/locations/XKS", "/products/00000000-2999-4000-8000-000000000002"]);
}

/// Lesson 11: an empty list is no answer to whether there is such an office.
#[tokio::test(start_paused = true)]
async fn no_text_and_no_office_are_told_apart() {
    let tools = Tools::new();
    let none = tools.refused(DISCUSSION, json!({"office": "XKS", "product_type": "HWO"})).await;
    assert_eq!(
        (none.code, none.reason, &none.facts["officeExists"]),
        (Code::NotFound, Some("no_products"), &json!(true))
    );
    assert!(none.hint.contains("AFD"), "{none:?}");
    let nobody = tools.refused(DISCUSSION, json!({"office": "ZZZ"})).await;
    assert_eq!((nobody.reason, &nobody.facts["officeExists"]), (Some("no_products"), &json!(false)));
    tools.asked();
    // A look that fails is its own trouble, and is made once.
    let failing = tools.refused(DISCUSSION, json!({"office": "YYY"})).await;
    assert_eq!((failing.code, failing.reason), (Code::ServiceUnavailable, None));
    assert_eq!(tools.asked(), ["/products/types/AFD/locations/YYY", "/offices/YYY"]);
    assert_eq!(tools.reason(DISCUSSION, json!({"office": " "})).await, "invalid_arguments");
    assert_eq!(tools.reason(DISCUSSION, json!({"office": "XKS", "product_type": "XYZ"})).await, "invalid_arguments");
}

#[tokio::test(start_paused = true)]
async fn zones_have_forecasts_in_words() {
    let tools = Tools::new();
    let told = tools.good(ZONE, json!({"zoneId": "ksz197"})).await;
    assert_eq!((&told["zoneId"], &told["periodCount"]), (&json!("KSZ197"), &json!(3)));
    assert_eq!(told["updated"], "2031-05-09T15:20:00-05:00");
    let period = json!({"number": 1, "name": "Tonight", "detailedForecast": "Invented words for Tonight."});
    assert_eq!(told["periods"][0], period);
    assert!(tools.text(ZONE, json!({"zone_id": "KSZ197"})).await.contains("Fri May 9 3:20 PM CDT (20:20Z)"));
}

#[tokio::test(start_paused = true)]
async fn zones_without_a_forecast_are_told_apart() {
    let tools = Tools::new();
    assert_eq!(tools.reason(ZONE, json!({"zone_id": "KSZ801"})).await, "zone_not_found");
    assert_eq!(tools.reason(ZONE, json!({"zone_id": "GMZ335"})).await, "marine_forecast_unsupported");
    assert_eq!(
        tools.reason(ZONE, json!({"zone_id": "KSZ803"})).await,
        "zone_not_found",
        "there is no such zone either"
    );
    tools.asked();
    assert_eq!(tools.reason(ZONE, json!({"zone_id": "KSC297"})).await, "zone_not_found", "a county");
    assert!(tools.asked().is_empty());
    // 404 and an exhausted 500: the zone exists, and the agent gets a point inside it.
    for (zone, tries) in [("KSZ802", 1), ("KSZ804", 3)] {
        let refusal = tools.refused(ZONE, json!({"zone_id": zone})).await;
        assert_eq!((refusal.code, refusal.reason), (Code::NotFound, Some("zone_forecast_unavailable")), "{zone}");
        let point = &refusal.facts["interiorPoint"];
        let (lat, lon) = (point["latitude"].as_f64().unwrap(), point["longitude"].as_f64().unwrap());
        // The horseshoe is open to the north between 98.8 and 98.2 west.
        let inside = (37.0..38.0).contains(&lat)
            && (-99.0..-98.0).contains(&lon)
            && (lat < 37.2 || !(-98.8..-98.2).contains(&lon));
        assert!(inside, "{lat},{lon}");
        assert!(refusal.hint.contains("nws_get_forecast") && refusal.hint.contains(&lat.to_string()), "{refusal:?}");
        let asked = tools.asked();
        assert_eq!(asked.len(), tries + 1, "{asked:?}");
    }
    let failing = tools.refused(ZONE, json!({"zone_id": "KSZ805"})).await;
    assert_eq!((failing.code, failing.reason), (Code::ServiceUnavailable, None), "nothing can be told of it");
}

#[tokio::test(start_paused = true)]
async fn types_are_sorted_and_counts_are_counts() {
    let tools = Tools::new();
    let told = tools.good("nws_list_alert_types", json!({})).await;
    let sorted = ["911 Telephone Outage", "Air Quality Alert", "Tornado Warning", "Tornado Watch", "Wind Advisory"];
    assert_eq!((&told["count"], &told["eventTypes"]), (&json!(5), &json!(sorted)));
    let told = tools.good("nws_get_alert_counts", json!({})).await;
    assert_eq!((&told["totalAlerts"], &told["landAlerts"], &told["marineAlerts"]), (&json!(63), &json!(61), &json!(2)));
    assert_eq!((&told["areas"]["AL"], &told["regions"]["AL"]), (&json!(2), &json!(1)));
    assert!(told.get("zones").is_none());
    assert_eq!(tools.asked(), ["/alerts/types", "/alerts/active/count"], "the counts take no parameters");
    assert_eq!(tools.reason("nws_get_alert_counts", json!({"area": "KS"})).await, "invalid_arguments");
}
