use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn report(city: &str, product_id: &str) -> StormReport {
    StormReport {
        category: Category::Hail,
        type_text: "HAIL".into(),
        magnitude: Some(Magnitude::Value { value: 1.75, unit: Unit::Inches }),
        qualifier: Some(Qualifier::Estimated),
        event_utc: at("2031-05-09T21:10:00Z"),
        issued_utc: Some(at("2031-05-09T21:20:00Z")),
        heard_utc: at("2031-05-09T21:21:00Z"),
        at: LatLon::new(38.5, -98.2).unwrap(),
        city: city.into(),
        county: "Larkfield".into(),
        state: "KS".into(),
        source: "Trained Spotter".into(),
        remarks: String::new(),
        wfo: "ZZZ".into(),
        product_id: Some(product_id.into()),
    }
}

fn snapshot(reports: Vec<StormReport>) -> StormReports {
    StormReports {
        reports: once_each(reports),
        from_utc: at("2031-05-09T18:30:00Z"),
        to_utc: at("2031-05-09T21:40:00Z"),
        read_utc: at("2031-05-09T21:30:00Z"),
        unread: 0,
        is_cut: false,
        url: "https://iem.invalid".into(),
    }
}

#[test]
fn of_repeated_and_corrected_reports_the_newest_product_stands() {
    let first = report("2 N Larkfield", "203105092120-KZZZ-NWUS53-LSRZZZ");
    let mut corrected = report("2 n larkfield", "203105092120-KZZZ-NWUS53-LSRZZZ-CCA");
    corrected.magnitude = Some(Magnitude::Value { value: 2.0, unit: Unit::Inches });
    let elsewhere = report("3 S Larkfield", "203105092110-KZZZ-NWUS53-LSRZZZ");
    for order in [[&first, &corrected, &elsewhere], [&corrected, &elsewhere, &first]] {
        let kept = once_each(order.into_iter().cloned());
        assert_eq!(kept.len(), 2);
        assert!(kept.contains(&corrected) && kept.contains(&elsewhere) && !kept.contains(&first));
    }
    let mut summary = report("2 N Larkfield", "203105100400-KZZZ-NWUS53-LSRZZZ");
    summary.issued_utc = Some(at("2031-05-10T04:00:00Z"));
    assert_eq!(once_each([summary.clone(), corrected]), [summary]);
}

/// A feed that answers with nothing, or with a part, takes nothing back that was heard: silence is not safety.
#[test]
fn an_emptied_answer_takes_nothing_back_and_what_left_the_window_goes() {
    let first = report("2 N Larkfield", "203105092120-KZZZ-NWUS53-LSRZZZ");
    let earlier = snapshot(vec![first.clone(), report("3 S Larkfield", "203105092110-KZZZ-NWUS53-LSRZZZ")]);
    let emptied = StormReports { read_utc: at("2031-05-09T21:31:00Z"), ..snapshot(Vec::new()) };
    assert_eq!(emptied.with_earlier(&earlier).reports, earlier.reports);
    // A correction under the same key stands in the earlier one's place.
    let mut corrected = report("2 N Larkfield", "203105092140-KZZZ-NWUS53-LSRZZZ");
    corrected.issued_utc = Some(at("2031-05-09T21:40:00Z"));
    let part = snapshot(vec![corrected.clone()]).with_earlier(&earlier).reports;
    let products: Vec<_> = part.iter().filter_map(|report| report.product_id.clone()).collect();
    assert_eq!((part.len(), products.contains(&corrected.product_id.unwrap())), (2, true));
    let later = StormReports { from_utc: at("2031-05-09T21:11:00Z"), ..snapshot(Vec::new()) };
    assert!(later.with_earlier(&earlier).reports.is_empty());
}

#[test]
fn reports_around_a_place_come_newest_first_and_then_nearest() {
    let mut late = report("late", "a");
    late.event_utc = at("2031-05-09T21:25:00Z");
    let mut near = report("near", "b");
    near.at = LatLon::new(38.52, -98.2).unwrap();
    let far = report("far", "c");
    let mut beyond = report("beyond", "d");
    beyond.at = LatLon::new(40.0, -98.2).unwrap();
    let all = snapshot(vec![far, late, near, beyond]);
    let place = LatLon::new(38.6, -98.2).unwrap();
    let cities = |radius_km, since: &str, until: &str| -> Vec<String> {
        all.within(place, radius_km, at(since), at(until)).iter().map(|near| near.report.city.clone()).collect()
    };
    assert_eq!(cities(80.0, "2031-05-09T20:00:00Z", "2031-05-09T22:00:00Z"), ["late", "near", "far"]);
    assert_eq!(cities(80.0, "2031-05-09T21:10:00Z", "2031-05-09T21:10:00Z"), ["near", "far"]);
    assert_eq!(cities(10.0, "2031-05-09T20:00:00Z", "2031-05-09T22:00:00Z"), ["near"]);
    let near = all.within(place, 80.0, at("2031-05-09T20:00:00Z"), at("2031-05-09T22:00:00Z"))[1];
    assert!((near.distance_km - 8.9).abs() < 0.1 && (near.bearing_deg - 180.0).abs() < 0.1);
}

#[test]
fn the_time_of_first_hearing_stays_and_counts_where_the_product_tells_none() {
    let mut untold = report("x", "y");
    untold.issued_utc = None;
    untold.product_id = None;
    let earlier = snapshot(vec![untold.clone()]);
    untold.heard_utc = at("2031-05-09T22:30:00Z");
    let now = snapshot(vec![untold]).with_earlier(&earlier);
    assert_eq!(now.reports[0].told_utc(), at("2031-05-09T21:21:00Z"));
    assert_eq!(report("x", "y").told_utc(), at("2031-05-09T21:20:00Z"));
}

/// A product repeated in a summary of the evening carries the summary's time.
#[test]
fn what_was_told_in_time_stays_so_when_it_is_repeated_later() {
    let earlier = snapshot(vec![report("x", "203105092120-KZZZ-NWUS53-LSRZZZ")]);
    let mut summed_up = report("x", "203105092330-KZZZ-NWUS53-LSRZZZ");
    summed_up.issued_utc = Some(at("2031-05-09T23:30:00Z"));
    summed_up.heard_utc = at("2031-05-09T23:31:00Z");
    let now = snapshot(vec![summed_up]);
    assert_eq!(now.reports[0].told_utc(), at("2031-05-09T23:30:00Z"), "all that is known of it");
    assert_eq!(now.with_earlier(&earlier).reports[0].told_utc(), at("2031-05-09T21:21:00Z"));
}

/// Field reports L04 and L05: codes or words in any case, renamed types, marine wind by its zone.
#[test]
fn kinds_by_code_or_words_and_zone() {
    let of = |code, words, zone| Category::of(code, words, zone).id().into_owned();
    assert_eq!(of("G", "Tstm Wnd Gst", "KSC001"), "thunderstorm_wind_gust");
    assert_eq!(of("", "Tstm Wnd Dmg", ""), "thunderstorm_wind_damage");
    assert_eq!(of("G", "TSTM WND GST", "GMZ335"), "marine_thunderstorm_wind");
    assert_eq!(of("M", "Marine Tstm Wind", "ANZ531"), "marine_thunderstorm_wind");
    assert_eq!(of("G", "TSTM WND GST", "KSZ001"), "thunderstorm_wind_gust", "a zone on land");
    assert_eq!(of("S", "Heavy Snow", ""), "heavy_snow");
    assert_eq!(of("?", "", ""), "type_?");
    assert_eq!(of("2", "BLOWING DUST", ""), "dust");
    assert_eq!(Category::of("W", "WATER SPOUT", "GMZ335").group(), Group::Tornado);
    assert_eq!(Category::of("N", "NON-TSTM WND GST", "").group(), Group::Other, "not severe wind");
}

#[test]
fn speeds_in_knots_become_miles_an_hour() {
    let mut gust = report("x", "y");
    gust.category = Category::MarineThunderstormWind;
    gust.magnitude = Some(Magnitude::Value { value: 40.0, unit: Unit::Knots });
    assert!((gust.gust_mph().unwrap() - 46.0).abs() < 0.05);
    assert_eq!(gust.hail_in(), None);
    assert_eq!(report("x", "y").hail_in(), Some(1.75));
    gust.magnitude = Some(Magnitude::Trace { unit: Unit::Inches });
    assert_eq!(gust.gust_mph(), None);
}
