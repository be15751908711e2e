use super::*;
use crate::storm_report::once_each;

const NATIONAL: &[u8] = include_bytes!("../../../fixtures/iem_reports/national.geojson");

fn now() -> Timestamp {
    "2031-05-09T21:40:00Z".parse().unwrap()
}

/// One row of the by-point service with these properties (without braces).
fn row(properties: &str) -> Result<StormReport, String> {
    let text = format!(
        r#"{{"type":"FeatureCollection","features":[{{"type":"Feature","properties":{{"valid":"2031-05-09T21:00:00Z",
        "typetext":"X",{properties}}},"geometry":{{"type":"Point","coordinates":[-98.2,38.6]}}}}]}}"#
    );
    let mut read = reports(text.as_bytes(), now()).map_err(|error| error.to_string())?;
    read.reports.pop().ok_or_else(|| read.faults[0].what.clone())
}

fn figure(properties: &str) -> Option<Magnitude> {
    row(properties).unwrap().magnitude
}

fn inches(value: f64) -> Option<Magnitude> {
    Some(Magnitude::Value { value, unit: Unit::Inches })
}

#[test]
fn rows_of_the_national_service() {
    let read = reports(NATIONAL, now()).unwrap();
    assert_eq!((read.rows, read.reports.len(), read.unread, read.faults.len()), (7, 6, 1, 1));
    assert!(read.faults[0].what.contains("not a time"), "{:?}", read.faults);
    let tornado = &read.reports[0];
    assert_eq!((&tornado.category, tornado.magnitude.as_ref()), (&Category::Tornado, None));
    assert_eq!(tornado.issued_utc, "2031-05-09T21:24:00Z".parse().ok());
    assert_eq!((tornado.state.as_str(), tornado.wfo.as_str(), tornado.remarks.as_str()), ("KS", "ZZZ", ""));
    assert_eq!(tornado.qualifier, Some(Qualifier::Estimated));
    let gust = &read.reports[3];
    assert!((gust.gust_mph().unwrap() - 59.84).abs() < 0.01, "52 knots");
    let kept = once_each(read.reports);
    assert_eq!(kept.len(), 5);
    assert_eq!(kept.iter().find_map(StormReport::hail_in), Some(1.75), "the corrected size stands");
}

/// Field reports L01, L02 and L07: NAN, IN and a trace.
#[test]
fn magnitudes_of_both_services() {
    assert_eq!(figure(r#""type":"H","magnitude":1.0,"unit":"Inch""#), inches(1.0));
    assert_eq!(figure(r#""type":"H","magf":1.25,"magnitude":"1.25","unit":"INCH""#), inches(1.25));
    assert_eq!(figure(r#""type":"H","magf":null,"magnitude":"1.00 IN","unit":null"#), inches(1.0));
    assert_eq!(figure(r#""type":"H","magnitude":"1.75","unit":"IN""#), inches(1.75));
    for nothing in
        [r#""magf":NaN"#, r#""magnitude":"NAN","unit":"INCH""#, r#""magnitude":"","unit":null"#, r#""magf":0.0"#]
    {
        assert_eq!(figure(&format!(r#""type":"H",{nothing}"#)), None, "{nothing}");
    }
    let trace = Some(Magnitude::Trace { unit: Unit::Inches });
    assert_eq!(figure(r#""type":"R","magf":null,"magnitude":"T","unit":"INCH""#), trace);
    assert_eq!(figure(r#""type":"S","magf":null,"magnitude":"","unit":"T INCH""#), trace);
    let cold = Some(Magnitude::Value { value: -25.0, unit: Unit::Other("f".into()) });
    assert_eq!(figure(r#""type":"5","typetext":"EXTREME COLD","magf":-25,"unit":"F""#), cold);
}

/// Field report L04: after 2023 marine wind comes as a gust of a thunderstorm in a marine zone.
#[test]
fn marine_wind_is_known_by_its_zone() {
    let by_ugc = row(r#""type":"G","magnitude":40,"unit":"KTS","ugc":"GMZ335""#).unwrap();
    assert_eq!(by_ugc.category, Category::MarineThunderstormWind);
    assert!((by_ugc.gust_mph().unwrap() - 46.0).abs() < 0.1);
    let by_county = row(r#""type":"G","magf":40,"unit":"MPH","county":"ANZ531""#).unwrap();
    assert_eq!(by_county.category, Category::MarineThunderstormWind);
    let on_land = row(r#""type":"G","magf":60,"unit":"MPH","county":"Larkfield","ugc":"KSC001""#).unwrap();
    assert_eq!(on_land.category, Category::ThunderstormWindGust);
}

#[test]
fn what_is_missing_from_a_row_is_told() {
    let refused = |properties: &str| row(properties).unwrap_err();
    assert!(refused(r#""valid":"soon","type":"H""#).contains("soon"));
    assert!(refused(r#""type":"","typetext":"""#).contains("what was seen"));
    let nowhere = br#"{"type":"FeatureCollection","features":[{"properties":{"valid":"2031-05-09T21:00:00Z",
        "typetext":"HAIL","type":"H","lat":99,"lon":-98}}]}"#;
    assert_eq!(reports(nowhere, now()).unwrap().unread, 1);
    let late = row(r#""type":"H","product_id":"odd""#).unwrap();
    assert_eq!((late.issued_utc, late.told_utc()), (None, now()));
}

#[test]
fn other_files_are_named() {
    let error = |bytes: &[u8]| reports(bytes, now()).unwrap_err().to_string();
    assert!(
        error(include_bytes!("../../../fixtures/spc_outlooks/day1_cat.geojson")).contains("storm reports were due")
    );
    assert!(error(b"NWUS53 KEAX 102054\r\nLSREAX\r\n").contains("an NWS text bulletin (LSREAX)"));
    assert_eq!(reports(br#"{"type":"FeatureCollection","features":[]}"#, now()).unwrap().rows, 0);
}

#[test]
fn damaged_copies_end_in_values_or_errors() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    for cut in 0..20 {
        let _ = reports(&NATIONAL[..NATIONAL.len() * cut / 20], now());
    }
    for _ in 0..200 {
        let mut bytes = NATIONAL.to_vec();
        for _ in 0..3 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let place = (seed % bytes.len() as u64) as usize;
            bytes[place] ^= (seed >> 32) as u8 | 1;
        }
        if let Ok(read) = reports(&bytes, now()) {
            assert!(!serde_json::to_string(&read.reports).unwrap().contains("NaN"));
        }
    }
}
