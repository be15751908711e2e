//! What the invented office writes, and forecasts in words for zones.

use super::{Day, api, local, minutes, problem, utc};
use serde_json::json;

pub(super) fn products(day: &mut Day) {
    let line = |id: &str, hour: i64| {
        json!({"@id": api(&format!("/products/{id}")), "id": id, "wmoCollectiveId": "FXUS63",
        "issuingOffice": "KXKS", "issuanceTime": utc(minutes(-60 * hour)), "productCode": "AFD", "productName": "Area Forecast Discussion"})
    };
    let (old, new) = ("00000000-2999-4000-8000-000000000001", "00000000-2999-4000-8000-000000000002");
    let list = json!({"@context": {}, "@graph": [line(old, 9), line(new, 1), line(old, 20)]});
    day.answer("/products/types/AFD/locations/XKS", &[], "products/list.json", &list);
    let mut text = line(new, 1);
    text["productText"] = json!(
        "\n000\nFXUS63 KXKS 092000\nAFDXKS\n\nArea Forecast Discussion\nInvented National Weather Service \
        Larkfield KS\n300 PM CDT Fri May 9 2031\n\n.SHORT TERM...\nInvented storms this afternoon.\n\n&&\n\n$$\n"
    );
    day.answer(&format!("/products/{new}"), &[], "products/discussion.json", &text);
}

pub(super) fn missing_products(day: &mut Day) {
    let none = json!({"@context": {}, "@graph": []});
    let office = json!({"@type": "GovernmentOrganization", "id": "XKS", "name": "Larkfield, KS"});
    day.answer("/products/types/HWO/locations/XKS", &[], "products/none.json", &none);
    day.answer("/offices/XKS", &[], "products/office.json", &office);
    day.answer("/products/types/AFD/locations/ZZZ", &[], "products/none.json", &none);
    day.refuse("/offices/ZZZ", &[], 404, "problems/not_found.json", &problem("NotFound", 404, "Not Found"));
    day.answer("/products/types/AFD/locations/YYY", &[], "products/none.json", &none);
    day.fault(0, "/offices/YYY", "status:503");
}

pub(super) fn zone(day: &mut Day) {
    let period = |number: i64, name: &str| json!({"number": number, "name": name, "detailedForecast": format!("Invented words for {name}.")});
    let forecast = json!({"type": "Feature", "geometry": null, "properties": {"zone": api("/zones/forecast/KSZ197"),
        "updated": local(minutes(-40)), "periods": [period(1, "Tonight"), period(2, "Saturday"), period(3, "Saturday Night")]}});
    day.answer("/zones/forecast/KSZ197/forecast", &[], "zones/forecast.json", &forecast);
}

pub(super) fn odd_zones(day: &mut Day) {
    let not_found = problem("NotFound", 404, "Not Found");
    for (zone, kind, detail) in [
        ("KSZ801", "InvalidZone", "Zone KSZ801 is not a valid zone"),
        ("GMZ335", "MarineForecastNotSupported", "Forecasts for marine areas are not yet supported"),
        ("KSZ802", "NotFound", "Not Found"),
        ("KSZ803", "NotFound", "Not Found"),
    ] {
        let name = format!("problems/zone_{}.json", zone.to_lowercase());
        day.refuse(&format!("/zones/forecast/{zone}/forecast"), &[], 404, &name, &problem(kind, 404, detail));
    }
    for zone in ["KSZ804", "KSZ805"] {
        day.fault(0, &format!("/zones/forecast/{zone}/forecast"), "status:500");
    }
    // A horseshoe and an islet: the middle of neither box is inside.
    let horseshoe = json!([[
        [-99.0, 37.0],
        [-98.0, 37.0],
        [-98.0, 38.0],
        [-98.2, 38.0],
        [-98.2, 37.2],
        [-98.8, 37.2],
        [-98.8, 38.0],
        [-99.0, 38.0],
        [-99.0, 37.0]
    ]]);
    let islet = json!([[[-97.0, 37.0], [-96.9, 37.0], [-96.9, 37.1], [-97.0, 37.0]]]);
    let zone = json!({"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [islet, horseshoe]},
        "properties": {"@type": "wx:Zone", "id": "KSZ802", "type": "public", "name": "Horseshoe", "state": "KS"}});
    for id in ["KSZ802", "KSZ804"] {
        day.answer(&format!("/zones/forecast/{id}"), &[], "zones/horseshoe.json", &zone);
    }
    day.refuse("/zones/forecast/KSZ803", &[], 404, "problems/not_found.json", &not_found);
    day.fault(0, "/zones/forecast/KSZ805", "status:503");
}
