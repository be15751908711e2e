use super::query::STATUSES;
use super::*;
use crate::geo::Area;

const NOW: &str = "2026-07-15T20:00:00Z";

fn utc(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// An alert that has been standing for an hour and ends in four.
fn alert(id: &str, event: &str, zones: &[&str]) -> AlertRow {
    let mut warning = Warning::bare(event, utc("2026-07-15T19:00:00Z"));
    warning.id = id.to_owned();
    warning.severity = "Severe".to_owned();
    warning.urgency = "Expected".to_owned();
    warning.certainty = "Likely".to_owned();
    warning.ends_utc = Some(utc("2026-07-16T00:00:00Z"));
    warning.ugc = zones.iter().map(|zone| (*zone).to_owned()).collect();
    AlertRow {
        warning: Arc::new(warning),
        status: "Actual".to_owned(),
        zones: Vec::new(),
        references: Vec::new(),
        times: AlertTimes::default(),
    }
}

fn with(mut row: AlertRow, change: impl FnOnce(&mut Warning)) -> AlertRow {
    change(Arc::make_mut(&mut row.warning));
    row
}

fn of(rows: Vec<AlertRow>) -> AlertCollection {
    AlertCollection { updated_utc: Some(utc(NOW)), rows: rows.into_iter().map(Arc::new).collect(), unread: 0 }
}

fn query(filters: &Filters) -> AlertQuery {
    filters.check().unwrap()
}

fn ids(collection: &AlertCollection, filters: &Filters, zones: Option<&[&str]>, now: &str) -> Vec<String> {
    let zones: Option<Vec<String>> = zones.map(|zones| zones.iter().map(|zone| (*zone).to_owned()).collect());
    let found = collection.search(&query(filters), zones.as_deref(), utc(now));
    found.rows.iter().map(|row| row.warning.id.clone()).collect()
}

fn all(collection: &AlertCollection, now: &str) -> Vec<String> {
    ids(collection, &Filters::default(), None, now)
}

fn point(at: &str) -> Filters {
    Filters { point: Some(at.to_owned()), ..Filters::default() }
}

fn square(lat: f64, lon: f64, half: f64) -> Area {
    let (s, n, w, e) = (lat - half, lat + half, lon - half, lon + half);
    Area::from(vec![vec![vec![[w, s], [e, s], [e, n], [w, n], [w, s]]]])
}

#[test]
fn filters_are_made_regular_before_they_go_upstream() {
    let filters = Filters {
        area: Some(" ok ".to_owned()),
        severity: vec!["severe".to_owned(), "EXTREME".to_owned(), "Severe".to_owned(), " ".to_owned()],
        event: vec!["Tornado".to_owned()],
        ..Filters::default()
    };
    let query = query(&filters);
    let pairs = query.upstream();
    let told: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(told, ["status=actual", "area=OK", "severity=Severe,Extreme"]);
    assert_eq!(query.in_words(), "area=OK, severity=Severe,Extreme, event~tornado");
    assert_eq!(Filters::default().check().unwrap().in_words(), "national (no filters)");
    let test = Filters { status: Some("test".to_owned()), ..Filters::default() }.check().unwrap();
    assert_eq!(test.in_words(), "national, status=test");
}

#[test]
fn blank_filters_are_not_set() {
    let blank = || Some("  ".to_owned());
    let filters = Filters {
        area: blank(),
        point: blank(),
        zone: blank(),
        region_type: blank(),
        region: vec![String::new()],
        event: vec![" ".to_owned()],
        status: blank(),
        ..Filters::default()
    };
    assert_eq!(filters.check(), Filters::default().check());
}

/// What a cursor carries is the query itself, and fits into a cursor whatever was asked.
#[test]
fn a_query_comes_back_from_its_filters() {
    let word = |text: &str| vec![text.to_owned()];
    for filters in [
        Filters::default(),
        Filters { area: Some(" ok ".to_owned()), event: word("İstanbul \u{1} \"quoted\""), ..Filters::default() },
        Filters { point: Some("47.60329, -122.0000001".to_owned()), severity: word("severe"), ..Filters::default() },
        Filters { point: Some("0,-0.0000001".to_owned()), ..Filters::default() },
        Filters { zone: Some("ksc173".to_owned()), urgency: word("PAST"), ..Filters::default() },
        Filters { region_type: Some("marine".to_owned()), status: Some("test".to_owned()), ..Filters::default() },
        Filters { region: vec!["gm".to_owned(), "AL".to_owned()], certainty: word("likely"), ..Filters::default() },
        Filters { event: vec!["\u{1}".repeat(25); 200], ..Filters::default() },
        Filters { event: vec![format!("x{}", "\u{1}".repeat(23)); 200], ..Filters::default() },
    ] {
        let query = query(&filters);
        let carried = query.filters();
        assert_eq!(carried.check().as_ref(), Ok(&query), "{filters:?}");
        let token = crate::nws_facts::page::cursor(&carried).unwrap();
        assert_eq!(crate::nws_facts::page::read_cursor::<Filters>(&token), Ok(carried));
    }
    let much = Filters { event: vec!["x".repeat(199); 26], ..Filters::default() }.check();
    assert!(matches!(much, Err(FilterError::TooMuch { .. })));
}

#[test]
fn what_is_no_place_is_refused_with_its_own_reason() {
    let area = |text: &str| Filters { area: Some(text.to_owned()), ..Filters::default() }.check();
    assert!(matches!(area("XX"), Err(FilterError::Area(_))) && matches!(area("OKC"), Err(FilterError::Area(_))));
    let zone = |text: &str| Filters { zone: Some(text.to_owned()), ..Filters::default() }.check();
    assert!(matches!(zone("XXZ001"), Err(FilterError::Zone(_))) && matches!(zone("../x"), Err(FilterError::Zone(_))));
    assert!(zone(" okz025 ").is_ok_and(|query| matches!(query.place, Where::Zone(id) if id.as_str() == "OKZ025")));
    // An empty longitude read as 0 puts a place of Washington State into the Atlantic.
    for bad in [
        "47.6,",
        ",-122.3",
        "47.6",
        "47.6,-122.3,0",
        "47.6;-122.3",
        "4e1,-97",
        "+47.6,-97",
        "47.6,-1222",
        "91,0",
        "47.,-97",
        "NaN,0",
    ] {
        assert!(matches!(point(bad).check(), Err(FilterError::Point(_))), "{bad}");
    }
    for good in ["47.6,-122.3", " 47.6 , -122.3 ", "47,-122", "-14.27,-170.7"] {
        assert!(point(good).check().is_ok(), "{good}");
    }
    let two = Filters { area: Some("OK".to_owned()), region: vec!["GM".to_owned()], ..Filters::default() }.check();
    assert_eq!(two, Err(FilterError::MutuallyExclusive { given: vec!["area", "region"] }));
    let word = Filters { severity: vec!["Awful".to_owned()], ..Filters::default() }.check().unwrap_err();
    assert!(word.to_string().contains("none of Extreme, Severe"), "{word}");
}

#[test]
fn events_match_by_parts_of_their_names_any_of_them() {
    let rows = of(vec![
        alert("a", "Tornado Warning", &[]),
        alert("b", "Severe Thunderstorm Watch", &[]),
        alert("c", "Tornado Watch", &[]),
    ]);
    let event =
        |parts: &[&str]| Filters { event: parts.iter().map(|p| (*p).to_owned()).collect(), ..Filters::default() };
    assert_eq!(ids(&rows, &event(&["TORNADO"]), None, NOW), ["a", "c"]);
    assert_eq!(ids(&rows, &event(&["tornado warning", "watch"]), None, NOW), ["a", "b", "c"]);
    assert!(ids(&rows, &event(&["hurricane"]), None, NOW).is_empty());
}

#[test]
fn areas_zones_and_regions_are_told_by_the_zones_of_an_alert() {
    let rows = of(vec![
        alert("land", "Flood Warning", &["OKC001", "KSC001"]),
        alert("gulf", "Gale Warning", &["GMZ335"]),
        alert("alaska", "Storm Warning", &["PKZ011"]),
        alert("alabama", "Wind Advisory", &["ALZ001"]),
    ]);
    let area = |code: &str| Filters { area: Some(code.to_owned()), ..Filters::default() };
    assert_eq!(ids(&rows, &area("ks"), None, NOW), ["land"]);
    assert_eq!(ids(&rows, &area("AL"), None, NOW), ["alabama"]);
    let region = |code: &str| Filters { region: vec![code.to_owned()], ..Filters::default() };
    assert_eq!(ids(&rows, &region("al"), None, NOW), ["alaska"]);
    let kind = |kind: &str| Filters { region_type: Some(kind.to_owned()), ..Filters::default() };
    assert_eq!(ids(&rows, &kind("marine"), None, NOW), ["gulf", "alaska"]);
    assert_eq!(ids(&rows, &kind("Land"), None, NOW), ["land", "alabama"]);
    let zone = Filters { zone: Some("KSC001".to_owned()), ..Filters::default() };
    assert_eq!(ids(&rows, &zone, None, NOW), ["land"]);
}

#[test]
fn n01_n05_an_update_takes_the_place_of_what_it_references() {
    let first = alert("a", "Frost Advisory", &["MIZ001"]);
    let update = with(alert("b", "Frost Advisory", &["MIZ001"]), |warning| {
        warning.message_type = "Update".to_owned();
        warning.references = vec!["a".to_owned()];
        warning.sent_utc = utc("2026-07-15T19:30:00Z");
    });
    assert_eq!(all(&of(vec![first.clone(), update.clone()]), NOW), ["b"]);
    assert_eq!(all(&of(vec![update, first.clone()]), NOW), ["b"]);
    // An update for a part of its zones leaves the rest to stand.
    let wide = alert("a", "Frost Advisory", &["MIZ001", "MIZ002"]);
    let part = with(alert("b", "Frost Advisory", &["MIZ001"]), |warning| warning.references = vec!["a".to_owned()]);
    assert_eq!(all(&of(vec![wide, part]), NOW), ["a", "b"]);
    // What is only a test replaces nothing.
    let mut drill =
        with(alert("t", "Frost Advisory", &["MIZ001"]), |warning| warning.references = vec!["a".to_owned()]);
    drill.status = "Test".to_owned();
    assert_eq!(all(&of(vec![first, drill]), NOW), ["a"]);
}

#[test]
fn n02_n31_what_was_called_off_is_not_listed_and_its_polygon_neither() {
    let vtec = |action: &str| format!("/O.{action}.KEWX.FF.W.0007.260715T1900Z-260716T0000Z/").parse().unwrap();
    let warned = with(alert("a", "Flash Flood Warning", &["TXC029"]), |warning| {
        warning.vtec = vec![vtec("NEW")];
        warning.area = Some(square(29.4, -98.5, 0.2));
    });
    // No polygon, no references, only the same event number.
    let called_off = with(alert("b", "Flash Flood Warning", &["TXC029"]), |warning| {
        warning.vtec = vec![vtec("CAN")];
        warning.sent_utc = utc("2026-07-15T19:40:00Z");
        warning.urgency = "Past".to_owned();
        warning.response = "AllClear".to_owned();
    });
    let rows = of(vec![warned.clone(), called_off.clone()]);
    assert!(all(&rows, NOW).is_empty());
    assert!(ids(&rows, &point("29.4,-98.5"), Some(&["TXC029"]), NOW).is_empty());
    assert_eq!(rows.search(&query(&Filters::default()), None, utc(NOW)).over, 2);
    // Who asks for the past gets it.
    let past = Filters { urgency: vec!["Past".to_owned()], ..Filters::default() };
    assert_eq!(ids(&rows, &past, None, NOW), ["b"]);
    // Called off by the list of old ids, one string of triples: the decoder makes references of it.
    let by_ids = with(called_off, |warning| {
        warning.vtec = Vec::new();
        warning.references = vec!["x".to_owned(), "a".to_owned()];
    });
    assert!(all(&of(vec![warned.clone(), by_ids]), NOW).is_empty());
    // Called off for another county: it stands.
    let elsewhere = with(alert("c", "Flash Flood Warning", &["TXC091"]), |warning| {
        warning.vtec = vec![vtec("CAN")];
        warning.urgency = "Past".to_owned();
    });
    assert_eq!(all(&of(vec![warned, elsewhere]), NOW), ["a"]);
}

#[test]
fn n04_n23_the_same_words_for_another_area_are_another_alert() {
    let warned = |id: &str, zone: &str| {
        with(alert(id, "Severe Thunderstorm Warning", &[zone]), |warning| {
            warning.description = "The same words.".to_owned();
        })
    };
    assert_eq!(all(&of(vec![warned("a", "OKC001"), warned("b", "OKC003")]), NOW), ["a", "b"]);
}

#[test]
fn n32_one_tracking_number_over_two_grounds_is_two_alerts() {
    let vtec = || vec!["/O.NEW.KXXX.SV.W.0001.260715T1900Z-260716T0000Z/".parse().unwrap()];
    let warned =
        |id: &str, zone: &str| with(alert(id, "Severe Thunderstorm Warning", &[zone]), |warning| warning.vtec = vtec());
    let rows = vec![warned("a", "MOC171"), warned("b", "MOC001")];
    assert_eq!(all(&of(rows.clone()), NOW), ["a", "b"]);
    // What ends the second leaves the first.
    let called_off = with(alert("c", "Severe Thunderstorm Warning", &["MOC001"]), |warning| {
        warning.vtec = vec!["/O.CAN.KXXX.SV.W.0001.000000T0000Z-260716T0000Z/".parse().unwrap()];
        warning.sent_utc = utc("2026-07-15T19:40:00Z");
    });
    assert_eq!(all(&of([rows, vec![called_off]].concat()), NOW), ["a"]);
}

#[test]
fn n43_of_reissues_without_references_the_newest_is_listed() {
    let issued = |id: &str, minute: i64| {
        with(alert(id, "Special Weather Statement", &["MAZ015", "MAZ016"]), |warning| {
            warning.sender = "NWS Boston MA".to_owned();
            warning.sent_utc = utc(NOW) - jiff::SignedDuration::from_mins(minute);
        })
    };
    let reissues = vec![issued("x1", 50), issued("x3", 30), issued("x2", 40)];
    assert_eq!(all(&of(reissues.clone()), NOW), ["x3"]);
    assert_eq!(of(reissues.clone()).search(&query(&Filters::default()), None, utc(NOW)).over, 2);
    // Other words (another day's), another ground, another office, a drill, one of the same minute, and products that are
    // tracked: nothing is lost.
    for other in [
        with(issued("y", 10), |warning| warning.description = "For tomorrow.".to_owned()),
        with(issued("y", 10), |warning| warning.area = Some(square(42.3, -71.1, 0.1))),
        with(issued("y", 10), |warning| warning.ugc = vec!["MAZ015".to_owned()]),
        with(issued("y", 10), |warning| warning.sender = "NWS Albany NY".to_owned()),
        with(issued("y", 10), |warning| warning.event = "Severe Thunderstorm Warning".to_owned()),
        AlertRow { status: "Exercise".to_owned(), ..issued("y", 10) },
        issued("y", 30),
        with(issued("y", 10), |warning| {
            warning.vtec = vec!["/O.NEW.KBOX.SV.W.0001.260715T1900Z-260716T0000Z/".parse().unwrap()];
        }),
    ] {
        let rows = of([reissues.clone(), vec![other.clone()]].concat());
        assert!(all(&rows, NOW).contains(&"x3".to_owned()), "{other:?}");
    }
}

#[test]
fn n13_an_alert_that_is_called_a_test_by_its_name_is_told_with_its_status() {
    let drill = AlertRow { status: "Test".to_owned(), ..alert("a", "Tsunami Warning", &["AKZ101"]) };
    assert!(all(&of(vec![drill.clone()]), NOW).is_empty());
    let tests = Filters { status: Some("Test".to_owned()), ..Filters::default() };
    assert_eq!(ids(&of(vec![drill]), &tests, None, NOW), ["a"]);
}

#[test]
fn n07_n11_the_end_of_the_hazard_counts_and_not_that_of_the_message() {
    let heat = with(alert("a", "Excessive Heat Warning", &["AZZ001"]), |warning| {
        warning.expires_utc = Some(utc("2026-07-15T12:45:00Z"));
        warning.sent_utc = utc("2026-07-15T05:00:00Z");
        warning.ends_utc = Some(utc("2026-07-16T03:00:00Z"));
    });
    let rows = of(vec![heat]);
    assert_eq!(all(&rows, NOW), ["a"], "past its message's end");
    assert_eq!(all(&rows, "2026-07-16T02:59:59Z"), ["a"]);
    assert!(all(&rows, "2026-07-16T03:00:00Z").is_empty(), "the end itself is out");
    assert!(all(&rows, "2026-07-16T03:01:00Z").is_empty(), "also where the API still lists it");
}

#[test]
fn n08_n10_what_is_coming_is_listed_as_coming() {
    let flood = with(alert("a", "Lakeshore Flood Advisory", &["MIZ001"]), |warning| {
        warning.sent_utc = utc("2026-07-15T07:46:00Z");
        warning.effective_utc = Some(utc("2026-07-15T07:46:00Z"));
        warning.onset_utc = Some(utc("2026-07-16T16:00:00Z"));
        // The message is over before the hazard begins, and nothing says when that ends.
        warning.expires_utc = Some(utc("2026-07-15T18:00:00Z"));
        warning.ends_utc = None;
    });
    let rows = of(vec![flood]);
    assert_eq!(all(&rows, NOW), ["a"]);
    let phase = |at| rows.rows[0].phase(utc(at));
    assert_eq!((phase(NOW), phase("2026-07-16T16:00:00Z")), (Some(Phase::Coming), Some(Phase::InEffect)));
}

#[test]
fn n14_only_what_is_actual_is_found_unless_another_status_is_asked_for() {
    let rows: Vec<AlertRow> =
        STATUSES.iter().map(|status| AlertRow { status: (*status).to_owned(), ..alert(status, "Test", &[]) }).collect();
    let rows = of(rows);
    assert_eq!(all(&rows, NOW), ["Actual"]);
    let drills = Filters { status: Some("exercise".to_owned()), ..Filters::default() };
    assert_eq!(ids(&rows, &drills, None, NOW), ["Exercise"]);
    assert!(!query(&drills).is_of_actual());
}

#[test]
fn n25_n26_a_point_is_met_by_any_of_its_zones_where_there_is_no_polygon() {
    let rows = of(vec![
        alert("fire", "Red Flag Warning", &["COZ238"]),
        alert("watch", "Tornado Watch", &["COC069"]),
        alert("elsewhere", "Tornado Watch", &["COC123"]),
    ]);
    let zones: &[&str] = &["COC069", "COZ038", "COZ238"];
    assert_eq!(ids(&rows, &point("40.4009,-105.0044"), Some(zones), NOW), ["fire", "watch"]);
    assert!(ids(&rows, &point("40.4009,-105.0044"), None, NOW).is_empty());
}

#[test]
fn n29_n40_a_polygon_counts_before_zones_and_one_alert_is_one_hit() {
    let storm = |area: Area| {
        with(alert("a", "Tornado Warning", &["OKC027", "OKC109", "OKZ025"]), |warning| warning.area = Some(area))
    };
    let zones: Option<&[&str]> = Some(&["OKC027", "OKC109", "OKZ025"]);
    let here = point("35.2,-97.4");
    assert_eq!(ids(&of(vec![storm(square(35.2, -97.4, 0.1))]), &here, zones, NOW), ["a"]);
    assert!(ids(&of(vec![storm(square(36.2, -97.4, 0.1))]), &here, zones, NOW).is_empty(), "the polygon is elsewhere");
}

#[test]
fn n46_an_end_that_cannot_be_meant_is_no_end() {
    let odd = with(alert("a", "Civil Emergency Message", &["KSC001"]), |warning| {
        warning.ends_utc = None;
        warning.expires_utc = None;
    });
    assert_eq!(all(&of(vec![odd]), NOW), ["a"]);
}

#[test]
fn n47_n49_products_without_vtec_and_for_a_whole_state_are_found() {
    let rows = of(vec![alert("a", "Special Weather Statement", &["MAC000"])]);
    assert_eq!(all(&rows, NOW), ["a"]);
    assert_eq!(ids(&rows, &point("42.3,-71.1"), Some(&["MAC025", "MAZ015"]), NOW), ["a"]);
    let zone = Filters { zone: Some("MAC025".to_owned()), ..Filters::default() };
    assert_eq!(ids(&rows, &zone, None, NOW), ["a"]);
}

#[test]
fn another_answer_adds_only_what_is_new() {
    let both = of(vec![alert("a", "X", &[])]).with(of(vec![alert("a", "X", &[]), alert("b", "X", &[])]));
    assert_eq!(all(&both, NOW), ["a", "b"]);
}
