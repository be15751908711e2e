use super::*;
use std::sync::Arc;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn place(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

/// A square around 40 N 95 W, `half` degrees to each side; counterclockwise, or reversed.
fn ring(half: f64, reversed: bool) -> Vec<[f64; 2]> {
    let mut ring: Vec<[f64; 2]> = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]
        .map(|[x, y]| [-95.0 + x * half, 40.0 + y * half])
        .into();
    if reversed {
        ring.reverse();
    }
    ring
}

fn square(half: f64) -> Area {
    Area::from(vec![vec![ring(half, false)]])
}

fn tornado(probability: HazardAreas, intensity: Layer<HazardAreas>) -> HazardOutlook {
    HazardOutlook { hazard: Hazard::Tornado, probability: Layer::Known(probability), intensity }
}

fn set(day: u8, valid: &str, expire: &str, issue: &str) -> OutlookSet {
    let nested = [(Category::Tstm, 5.0), (Category::Mrgl, 3.0), (Category::Slgt, 1.0)];
    OutlookSet {
        day,
        valid_utc: at(valid),
        expire_utc: at(expire),
        issue_utc: Some(at(issue)),
        forecaster: None,
        categorical: (day <= CATEGORICAL_DAY_MAX)
            .then(|| nested.map(|(category, half)| CategoryArea { category, area: square(half) }).into()),
        categorical_unread: 0,
        hazards: Vec::new(),
        url: "https://spc.invalid/day".into(),
        read_utc: at(issue),
    }
}

fn today() -> OutlookSet {
    set(1, "2026-06-10T20:00:00Z", "2026-06-11T12:00:00Z", "2026-06-10T19:59:00Z")
}

#[test]
fn the_highest_nested_category_counts_and_its_edge_too() {
    let category = |lat, lon| today().at(place(lat, lon)).categorical;
    assert_eq!(category(40.5, -95.0), Some(Category::Slgt));
    assert_eq!(category(41.0, -95.0), Some(Category::Slgt), "the edge is inside");
    assert_eq!(category(41.001, -95.0), Some(Category::Mrgl));
    assert_eq!(category(44.0, -95.0), Some(Category::Tstm));
    assert_eq!(category(46.0, -95.0), None);
}

#[test]
fn holes_reversed_rings_and_several_polygons() {
    let mut outlook = today();
    let with_hole = vec![ring(3.0, true), ring(1.0, true)];
    let apart: Vec<[f64; 2]> = ring(0.5, false).into_iter().map(|[lon, lat]| [lon - 20.0, lat]).collect();
    let area = Area::from(vec![with_hole, vec![apart]]);
    outlook.categorical = Some(vec![CategoryArea { category: Category::Enh, area }]);
    let category = |lat, lon| outlook.at(place(lat, lon)).categorical;
    assert_eq!(category(42.0, -95.0), Some(Category::Enh));
    assert_eq!(category(40.0, -95.0), None, "in the hole");
    assert_eq!(category(40.0, -115.0), Some(Category::Enh), "the second polygon");
}

/// Field report S13: polygons cut to disjoint rings give the same answer as nested ones.
#[test]
fn cut_polygons_give_the_same_category_as_nested_ones() {
    let mut cut = today();
    let rings = |outer, inner: f64| Area::from(vec![vec![ring(outer, false), ring(inner, true)]]);
    cut.categorical = Some(vec![
        CategoryArea { category: Category::Tstm, area: rings(5.0, 3.0) },
        CategoryArea { category: Category::Mrgl, area: rings(3.0, 1.0) },
        CategoryArea { category: Category::Slgt, area: square(1.0) },
    ]);
    for lat in [40.2, 41.0, 41.5, 43.0, 44.0, 46.0] {
        let here = place(lat, -95.0);
        assert_eq!(cut.at(here).categorical, today().at(here).categorical, "{lat}");
    }
}

/// Field reports S01 and S05: of two groups the higher counts; the old hatching is told apart; unknown labels are kept and
/// are never a probability.
#[test]
fn intensities_are_ordered_and_unknown_labels_are_kept() {
    let mut outlook = today();
    let own = HazardAreas {
        probabilities: vec![(2, square(3.0)), (10, square(1.0))],
        intensities: vec![(Intensity::Cig1, square(1.0)), (Intensity::Sign, square(1.0))],
        unlabelled: vec![("CIG9".into(), square(1.0))],
        ..HazardAreas::default()
    };
    let other = HazardAreas { intensities: vec![(Intensity::Cig3, square(1.0))], ..HazardAreas::default() };
    outlook.hazards = vec![tornado(own, Layer::Known(other))];
    let here = outlook.at(place(40.0, -95.0));
    let tornado = here.hazard(Hazard::Tornado).unwrap();
    assert_eq!((tornado.probability_pct, tornado.conditional_intensity), (Some(10), Some(Intensity::Cig3)));
    assert!(tornado.significant && tornado.is_known);
    assert_eq!(here.unlabelled, ["CIG9"]);
    let there = outlook.at(place(42.0, -95.0));
    assert_eq!(there.probability_pct(Hazard::Tornado), Some(2));
    assert_eq!(there.hazard(Hazard::Tornado).unwrap().conditional_intensity, None);
    assert_eq!(there.probability_pct(Hazard::Hail), None);
}

#[test]
fn a_layer_that_is_not_known_is_a_gap_and_not_a_zero() {
    let stale = Layer::Stale { valid_utc: at("2026-03-03T13:00:00Z") };
    let missing = || Layer::Missing("answered 404".into());
    let outlook = |probability, intensity| OutlookSet {
        hazards: vec![HazardOutlook { hazard: Hazard::Hail, probability, intensity }],
        ..today()
    };
    let ids = |outlook: &OutlookSet| outlook.gaps().into_iter().map(Gap::id).collect::<Vec<_>>();
    let empty = || Layer::Known(HazardAreas::default());
    assert_eq!(ids(&outlook(empty(), empty())), Vec::<String>::new());
    assert_eq!(ids(&outlook(missing(), empty())), ["spc-hail"]);
    assert_eq!(ids(&outlook(stale.clone(), empty())), ["spc-hail-stale"]);
    assert_eq!(ids(&outlook(empty(), missing())), ["spc-hail-cig"]);
    assert_eq!(ids(&outlook(empty(), stale)), ["spc-hail-cig"]);
    let holds_groups = HazardAreas { intensities: vec![(Intensity::Cig1, square(1.0))], ..HazardAreas::default() };
    assert_eq!(ids(&outlook(Layer::Known(holds_groups), missing())), Vec::<String>::new(), "the own layer tells it");
    let at_point = outlook(missing(), missing()).at(place(40.0, -95.0));
    assert!(!at_point.hazards[0].is_known && at_point.hazards[0].probability_pct.is_none());
    let unread = OutlookSet { categorical_unread: 1, ..today() };
    assert_eq!(ids(&unread), ["spc-categorical"]);
}

fn held(sets: impl IntoIterator<Item = OutlookSet>, confirmed: &str) -> Outlooks {
    let mut outlooks = Outlooks::default();
    for set in sets {
        let day = set.day;
        outlooks.put(Arc::new(set), at(confirmed));
        outlooks.days.get_mut(&day).unwrap().confirmed_utc = Some(at(confirmed));
    }
    outlooks
}

/// The 06Z issue is VALID only from 12Z: until then the old one speaks, then the new one, never none and never both.
#[test]
fn the_old_set_speaks_until_its_own_end_when_the_new_one_is_not_valid_yet() {
    let old = set(1, "2026-06-10T01:00:00Z", "2026-06-10T12:00:00Z", "2026-06-10T00:51:00Z");
    let new = set(1, "2026-06-10T12:00:00Z", "2026-06-11T12:00:00Z", "2026-06-10T05:58:00Z");
    let outlooks = held([old.clone(), new.clone()], "2026-06-10T11:55:00Z");
    let issue = |now: &str| outlooks.speaking(1, at(now)).map(|set| set.issue_utc.unwrap());
    assert_eq!(issue("2026-06-10T11:59:59Z"), old.issue_utc);
    assert_eq!(issue("2026-06-10T12:00:00Z"), new.issue_utc);
    let alone = held([new], "2026-06-10T11:55:00Z");
    assert!(alone.speaking(1, at("2026-06-10T11:59:00Z")).is_none(), "no outlook is known, which is not no risk");
}

#[test]
fn nothing_speaks_six_hours_after_the_last_good_poll_nor_after_its_end() {
    let outlooks = held([today()], "2026-06-10T21:00:00Z");
    let speaks = |outlooks: &Outlooks, now: &str| outlooks.speaking(1, at(now)).is_some();
    assert!(speaks(&outlooks, "2026-06-11T02:59:59Z"));
    assert!(!speaks(&outlooks, "2026-06-11T03:00:00Z"));
    let confirmed = held([today()], "2026-06-11T11:55:00Z");
    assert!(speaks(&confirmed, "2026-06-11T11:59:59Z") && !speaks(&confirmed, "2026-06-11T12:00:00Z"));
    assert!(!speaks(&held([today()], "2026-06-10T19:59:00Z"), "2026-06-10T19:59:30Z"), "not valid yet");
}

#[test]
fn a_later_day_speaks_while_it_lies_ahead_and_the_newest_issue_counts() {
    let early = set(2, "2026-06-11T12:00:00Z", "2026-06-12T12:00:00Z", "2026-06-10T06:00:00Z");
    let late = set(2, "2026-06-11T12:00:00Z", "2026-06-12T12:00:00Z", "2026-06-10T17:50:00Z");
    let outlooks = held([late.clone(), early], "2026-06-11T11:00:00Z");
    assert_eq!(outlooks.speaking(2, at("2026-06-11T11:59:00Z")).unwrap().issue_utc, late.issue_utc);
    assert!(
        outlooks.speaking(2, at("2026-06-11T12:00:00Z")).is_none(),
        "its day has begun: it should have been replaced"
    );
}

#[test]
fn a_picture_keeps_what_may_still_speak_and_older_polls_replace_nothing() {
    let old = set(1, "2026-06-10T01:00:00Z", "2026-06-10T12:00:00Z", "2026-06-10T00:51:00Z");
    let new = set(1, "2026-06-10T12:00:00Z", "2026-06-11T12:00:00Z", "2026-06-10T05:58:00Z");
    let mut picture = held([old], "2026-06-10T05:55:00Z");
    // A source that was started anew knows the new set alone.
    picture.take(&held([new.clone()], "2026-06-10T06:05:00Z"), at("2026-06-10T06:05:00Z"));
    assert_eq!(picture.days[&1].sets.len(), 2);
    let mut wrong = new.clone();
    wrong.categorical = None;
    picture.take(&held([wrong], "2026-06-10T06:00:00Z"), at("2026-06-10T06:06:00Z"));
    assert_eq!(*picture.days[&1].sets[1], new);
    assert_eq!(picture.confirmed_utc(1), Some(at("2026-06-10T06:05:00Z")));
    // Of the future it would keep every true one out.
    picture.take(&held([new], "2026-06-12T06:05:00Z"), at("2026-06-10T06:10:00Z"));
    assert_eq!(picture.confirmed_utc(1), Some(at("2026-06-10T06:10:00Z")));
}

#[test]
fn what_a_poll_brings_survives_its_compact_form() {
    let outlooks = held([today()], "2026-06-10T21:00:00Z");
    let bytes = postcard::to_stdvec(&outlooks).unwrap();
    assert_eq!(postcard::from_bytes::<Outlooks>(&bytes).unwrap(), outlooks);
}
