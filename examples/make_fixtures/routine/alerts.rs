//! Alerts of the invented nation, their types and counts.

use super::{Day, api, local, minutes, utc};
use serde_json::{Value, json};

fn alert(number: i64, event: &str, zones: &[&str], more: Value) -> Value {
    let id = format!("urn:oid:2.999.2031.5.9.{number:03}.1");
    let kind = |zone: &str| match zone {
        "KSZ997" => "fire",
        zone if zone.as_bytes().get(2) == Some(&b'C') => "county",
        _ => "forecast",
    };
    let urls: Vec<String> = zones.iter().map(|zone| api(&format!("/zones/{}/{zone}", kind(zone)))).collect();
    let mut properties = json!({
        "@id": api(&format!("/alerts/{id}")), "@type": "wx:Alert", "id": id, "areaDesc": format!("Invented area {number}"),
        "geocode": {"UGC": zones, "SAME": []}, "affectedZones": urls, "references": [], "sent": local(minutes(-60)),
        "effective": local(minutes(-60)), "onset": local(minutes(-30)), "expires": local(minutes(60)), "ends": local(minutes(360)),
        "status": "Actual", "messageType": "Alert", "category": "Met", "severity": "Moderate", "certainty": "Likely",
        "urgency": "Expected", "event": event, "sender": "w-nws.invented@example.org", "senderName": "NWS Larkfield KS",
        "headline": format!("{event} issued"), "description": format!("Invented description {number}."), "instruction": null,
        "response": "Prepare", "parameters": {}});
    for (key, value) in more.as_object().expect("an object") {
        properties[key] = value.clone();
    }
    json!({"id": api(&format!("/alerts/{id}")), "type": "Feature", "geometry": null, "properties": properties})
}

pub(super) fn alerts(day: &mut Day) {
    let path = "/alerts/active";
    let list = |features: Vec<Value>| {
        json!({"type": "FeatureCollection", "features": features,
        "title": "Invented alerts", "updated": utc(minutes(-1))})
    };
    let tornado = json!({"severity": "Extreme", "urgency": "Immediate", "certainty": "Observed",
        "references": [{"@id": api("/alerts/invented"), "identifier": "urn:oid:2.999.2031.5.9.900.1", "sent": local(minutes(-90))}],
        "messageType": "Update", "instruction": "TAKE COVER NOW!"});
    let ring = json!([[[-98.4, 37.6], [-98.0, 37.6], [-98.0, 37.9], [-98.4, 37.9], [-98.4, 37.6]]]);
    let mut warned = alert(1, "Tornado Warning", &["KSC297"], tornado);
    warned["geometry"] = json!({"type": "Polygon", "coordinates": ring});
    let silent = json!({"description": null, "headline": null, "ends": null, "instruction": null, "onset": null});
    let red_flag = alert(2, "Red Flag Warning", &["KSZ997"], silent);
    let coming = json!({"onset": local(minutes(600)), "expires": local(minutes(120)), "ends": local(minutes(900))});
    let wind = alert(3, "Wind Advisory", &["KSZ197", "KSZ198"], coming);
    let past = json!({"urgency": "Past", "certainty": "Observed", "severity": "Minor", "response": "AllClear",
        "headline": "The Flood Advisory has been cancelled.", "expires": local(minutes(15)),
        "parameters": {"VTEC": ["/O.CAN.KXKS.FA.Y.0009.000000T0000Z-310510T0300Z/"]}});
    let gale = alert(5, "Gale Warning", &["GMZ335"], json!({"severity": "Severe"}));
    let mut nation = vec![
        warned.clone(),
        warned.clone(),
        red_flag.clone(),
        wind.clone(),
        alert(4, "Flood Advisory", &["KSZ197"], past),
        gale.clone(),
    ];
    nation.push(alert(6, "Tornado Warning", &["KSC297"], json!({"status": "Test", "severity": "Extreme"})));
    // Enough for three pages of 25.
    nation.extend((10..66).map(|number| alert(number, "Heat Advisory", &["TXZ001"], json!({}))));
    day.answer(path, &[], "alerts/nation.json", &list(nation));
    day.answer(
        path,
        &[("area", "KS")],
        "alerts/kansas.json",
        &list(vec![warned.clone(), red_flag.clone(), wind.clone()]),
    );
    day.answer(path, &[("region_type", "marine")], "alerts/marine.json", &list(vec![gale.clone()]));
    day.answer(path, &[("region", "GM,AT")], "alerts/marine.json", &list(vec![gale]));
    // The API's own search by point does not know the fire weather zone (field report N25).
    day.answer(path, &[("point", "37.74,-98.21")], "alerts/point.json", &list(vec![warned, wind.clone()]));
    day.answer(path, &[("zone", "KSZ997")], "alerts/fire_zone.json", &list(vec![red_flag]));
    day.answer(path, &[("zone", "KSZ197")], "alerts/zone.json", &list(vec![wind]));
    let coastal = alert(7, "Coastal Flood Warning", &["MSC047"], json!({}));
    day.answer(path, &[("point", "30.3,-88.9")], "alerts/none.json", &list(Vec::new()));
    day.answer(path, &[("zone", "MSC047")], "alerts/coast.json", &list(vec![coastal]));
    day.answer(path, &[("area", "WY")], "alerts/none.json", &list(Vec::new()));
    let test = alert(8, "Test", &["KSZ197"], json!({"status": "Test"}));
    day.answer(path, &[("status", "test")], "alerts/tests.json", &list(vec![test]));
    let stale = json!({"type": "FeatureCollection", "features": [], "updated": utc(minutes(-90))});
    day.answer(path, &[("severity", "Minor")], "alerts/stale.json", &stale);
    // Emptied, with a fresh time (field report N16); and one that does not tell its time.
    day.answer(
        path,
        &[("severity", "Unknown")],
        "alerts/untimed.json",
        &json!({"type": "FeatureCollection", "features": []}),
    );
    day.line(0, path, &[("point", "25,-70")], json!({"fault": "status:500"}));
    let zone = json!({"title": "Bad Request", "detail": "Bad Request", "status": 400,
        "parameterErrors": [{"parameter": "query.zone", "message": "KSZ000 is not a valid zone"}]});
    day.refuse(path, &[("zone", "KSZ000")], 400, "problems/zone.json", &zone);
}

pub(super) fn alert_lists(day: &mut Day, counts: &Value) {
    let types = json!({"eventTypes": ["Tornado Warning", "911 Telephone Outage", "Wind Advisory", "Air Quality Alert", "Tornado Watch"]});
    day.answer("/alerts/types", &[], "alerts/types.json", &types);
    day.answer("/alerts/active/count", &[], "alerts/count.json", counts);
}
