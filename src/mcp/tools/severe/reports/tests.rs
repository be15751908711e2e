use super::*;
use crate::storm_report::once_each;
use std::sync::Arc;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2031-05-09T21:40:00Z")
}

fn place() -> LatLon {
    LatLon::new(38.5, -98.2).unwrap()
}

/// A report `north_deg` north of the place.
fn report(category: Category, event: &str, north_deg: f64, magnitude: Option<Magnitude>) -> StormReport {
    StormReport {
        type_text: category.id().to_ascii_uppercase(),
        category,
        magnitude,
        qualifier: None,
        event_utc: at(event),
        issued_utc: Some(at("2031-05-09T21:35:00Z")),
        heard_utc: now(),
        at: LatLon::new(38.5 + north_deg, -98.2).unwrap(),
        city: "2 N Larkfield".into(),
        county: "Larkfield".into(),
        state: "KS".into(),
        source: "Trained Spotter".into(),
        remarks: String::new(),
        wfo: "ZZZ".into(),
        product_id: Some("203105092135-KZZZ-NWUS53-LSRZZZ".into()),
    }
}

fn all(reports: Vec<StormReport>, window: EventWindow) -> StormReports {
    StormReports {
        reports: once_each(reports),
        from_utc: window.from_utc,
        to_utc: window.to_utc,
        read_utc: now(),
        unread: 0,
        is_cut: false,
        url: String::new(),
    }
}

fn figure(value: f64, unit: Unit) -> Option<Magnitude> {
    Some(Magnitude::Value { value, unit })
}

fn busy() -> Vec<StormReport> {
    vec![
        report(Category::Tornado, "2031-05-09T21:20:00Z", 0.1, None),
        report(Category::Hail, "2031-05-09T21:05:00Z", 0.2, figure(1.75, Unit::Inches)),
        report(Category::MarineThunderstormWind, "2031-05-09T20:50:00Z", 0.3, figure(52.0, Unit::Knots)),
        report(Category::NonThunderstormWindGust, "2031-05-09T20:40:00Z", 0.3, figure(70.0, Unit::Mph)),
        report(Category::HeavyRain, "2031-05-09T20:30:00Z", 0.3, Some(Magnitude::Trace { unit: Unit::Inches })),
        report(Category::Hail, "2031-05-09T12:00:00Z", 0.1, figure(4.0, Unit::Inches)),
        report(Category::Tornado, "2031-05-09T21:10:00Z", 2.0, None),
    ]
}

#[test]
fn reports_of_the_last_hours_with_counts_and_what_stands_out() {
    let reports = all(busy(), recent(6, now()));
    let envelope = storm_reports(Some(&reports), place(), 80.0, 6, now());
    let data = &envelope.data;
    let counts = data.counts.unwrap();
    assert_eq!((counts.tornado, counts.hail, counts.wind, counts.flood, counts.other), (1, 1, 1, 1, 1));
    assert_eq!(counts.non_thunderstorm_wind, 1, "severe.md 3.6, defect: it is not counted as wind");
    assert_eq!(data.reports.len(), 5);
    let tornado = &data.reports[0];
    assert_eq!((tornado.category.as_str(), tornado.time_utc.as_str()), ("tornado", "2031-05-09T21:20:00Z"));
    assert_eq!((tornado.magnitude, tornado.magnitude_units.as_deref()), (None, None));
    assert_eq!((tornado.location.distance_km, tornado.location.direction.as_str()), (11.1, "N"));
    let gust = &data.reports[2];
    assert_eq!((gust.magnitude, gust.magnitude_units.as_deref()), (Some(59.8), Some("mph")));
    assert!(envelope.degraded.is_empty());
    let said = &envelope.interpretation;
    for part in [
        "5 storm reports within 80 km in the last 6 hours",
        "Latest tornado: 11.1 km N at 21:20Z",
        "Largest hail: 1.75 in",
        "60 mph",
        "dangerous",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn no_answer_is_unknown_and_an_empty_one_is_none() {
    let envelope = storm_reports(None, place(), 80.0, 6, now());
    assert_eq!((envelope.degraded, envelope.data.counts), (vec![REPORTS_ID.to_owned()], None));
    assert!(envelope.interpretation.contains("unknown"), "{}", envelope.interpretation);
    let none = all(Vec::new(), recent(6, now()));
    let envelope = storm_reports(Some(&none), place(), 80.0, 6, now());
    assert!(envelope.degraded.is_empty() && envelope.interpretation.contains("No storm report within 80 km"));
    let mut cut = none;
    cut.is_cut = true;
    assert_eq!(storm_reports(Some(&cut), place(), 80.0, 6, now()).degraded, [REPORTS_ID]);
}

#[test]
fn radius_and_hours_are_clamped_and_shown() {
    let shown = |radius, hours| {
        let data = storm_reports(None, place(), radius, hours, now()).data;
        (data.radius_km, data.hours)
    };
    assert_eq!([shown(0.0, 0), shown(1e9, 100)], [(5.0, Some(1)), (500.0, Some(48))]);
}

#[test]
fn what_is_held_answers_only_for_what_it_covers() {
    let mut picture = Picture::default();
    assert!(held_reports(&picture, 1, now()).is_none());
    let window = EventWindow::back_from(now(), SignedDuration::from_hours(3), AHEAD);
    picture.reports = Some(Arc::new(all(busy(), window)));
    assert!(held_reports(&picture, 3, now()).is_some());
    assert!(held_reports(&picture, 6, now()).is_none(), "it reaches back three hours");
    assert!(held_reports(&picture, 1, at("2031-05-09T21:55:00Z")).is_none(), "15 minutes old");
    let partial = storm_reports(picture.reports.as_deref(), place(), 80.0, 6, now());
    assert_eq!(partial.degraded, [REPORTS_ID]);
    assert!(partial.interpretation.starts_with("Not all reports could be had"), "{}", partial.interpretation);
}

#[test]
fn a_past_day_is_strict_about_its_date() {
    let parse = |text: &str| PastDay::parse(text, TimeZone::UTC, now()).map(|day| day.date.to_string());
    assert_eq!(parse("2031-05-09").as_deref(), Ok("2031-05-09"));
    for bad in ["2031-5-9", "20310509", "2031-02-30", "today", "2031-05-09 ", "+031-05-09", ""] {
        assert!(parse(bad).unwrap_err().contains("YYYY-MM-DD"), "{bad}");
    }
    assert!(parse("2031-05-10").unwrap_err().contains("future"));
    assert!(parse("2004-12-31").unwrap_err().contains("2005"));
    // The local day has not begun while the UTC one has.
    let zone = TimeZone::get("America/Chicago").unwrap();
    let late = at("2031-05-10T02:00:00Z");
    assert!(PastDay::parse("2031-05-10", zone, late).unwrap_err().contains("future"));
    assert!(PastDay::parse("2031-05-10", TimeZone::UTC, late).is_ok());
}

#[test]
fn the_local_day_holds_the_evening_that_the_utc_day_splits() {
    let zone = TimeZone::get("America/Chicago").unwrap();
    let evening = vec![report(Category::Hail, "2031-05-10T01:30:00Z", 0.1, figure(2.0, Unit::Inches))];
    let count = |zone: TimeZone| {
        let day = PastDay::parse("2031-05-09", zone, at("2031-05-12T00:00:00Z")).unwrap();
        let reports = all(evening.clone(), day.window);
        let envelope = historical_storm_reports(Some(&reports), place(), 80.0, &day, at("2031-05-12T00:00:00Z"));
        assert!(envelope.degraded.is_empty() && envelope.interpretation.ends_with("Reports are preliminary."));
        (envelope.data.counts.unwrap().hail, envelope.data.time_zone.unwrap())
    };
    assert_eq!(count(zone), (1, "America/Chicago".into()));
    assert_eq!(count(TimeZone::UTC), (0, "UTC".into()));
    let day = PastDay::parse("2006-04-02", TimeZone::UTC, now()).unwrap();
    let envelope = historical_storm_reports(None, place(), 900.0, &day, now());
    assert_eq!((envelope.data.radius_km, envelope.degraded), (200.0, vec![HISTORICAL_ID.to_owned()]));
    assert!(envelope.interpretation.contains("sparse before 2008"));
}
