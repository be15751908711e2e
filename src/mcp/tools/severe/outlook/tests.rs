use super::*;
use crate::geo::Area;
use crate::outlook::{
    CategoryArea, DayOutlooks, Discussions, HazardAreas, HazardOutlook, Layer, Outlooks, WatchKind, Watches,
};
use std::sync::Arc;

fn now() -> Timestamp {
    "2031-05-09T20:40:00Z".parse().unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn place() -> LatLon {
    LatLon::new(38.5, -98.0).unwrap()
}

fn around() -> Area {
    Area::from(vec![vec![vec![[-99.0, 37.5], [-97.0, 37.5], [-97.0, 39.5], [-99.0, 39.5], [-99.0, 37.5]]]])
}

fn hazard(hazard: Hazard, pct: u8, group: Option<Intensity>) -> HazardOutlook {
    let areas = HazardAreas {
        probabilities: vec![(pct, around())],
        intensities: group.into_iter().map(|group| (group, around())).collect(),
        ..HazardAreas::default()
    };
    HazardOutlook { hazard, probability: Layer::Known(areas), intensity: Layer::Known(HazardAreas::default()) }
}

fn set(category: Category) -> OutlookSet {
    OutlookSet {
        day: 1,
        valid_utc: at("2031-05-09T20:00:00Z"),
        expire_utc: at("2031-05-10T12:00:00Z"),
        issue_utc: Some(at("2031-05-09T19:58:00Z")),
        forecaster: Some("Nobody".into()),
        categorical: Some(vec![CategoryArea { category, area: around() }]),
        categorical_unread: 0,
        hazards: vec![
            hazard(Hazard::Tornado, 10, Some(Intensity::Cig1)),
            hazard(Hazard::Wind, 30, None),
            hazard(Hazard::Hail, 15, Some(Intensity::Sign)),
        ],
        url: String::new(),
        read_utc: at("2031-05-09T20:05:00Z"),
    }
}

fn picture(set: OutlookSet) -> Picture {
    let day = set.day;
    let held =
        DayOutlooks { sets: vec![Arc::new(set)], confirmed_utc: Some(at("2031-05-09T20:35:00Z")), trouble: None };
    Picture {
        outlooks: Arc::new(Outlooks { days: [(day, held)].into() }),
        discussions: Some(Arc::new(Discussions { read_utc: at("2031-05-09T20:39:00Z"), ..Discussions::default() })),
        watches: Some(Arc::new(Watches { read_utc: at("2031-05-09T20:39:00Z"), ..Watches::default() })),
        ..Picture::default()
    }
}

#[test]
fn an_outlook_with_its_numbers_and_both_forms_of_times() {
    let envelope = spc_outlook(&picture(set(Category::Enh)), place(), 1, now());
    let data = &envelope.data;
    assert_eq!(data.valid_utc.as_deref(), Some("203105092000"));
    assert_eq!(data.valid_iso.as_deref(), Some("2031-05-09T20:00:00Z"));
    assert_eq!(data.expire_iso.as_deref(), Some("2031-05-10T12:00:00Z"));
    assert_eq!(data.issue_utc.as_deref(), Some("203105091958"));
    let category = data.categorical.as_ref().unwrap();
    assert_eq!((category.dn, category.label.as_str()), (5, "ENH"));
    let tornado = data.probabilities.tornado.as_ref().unwrap();
    assert_eq!((tornado.probability_pct, tornado.conditional_intensity.as_deref()), (Some(10), Some("CIG1")));
    assert!(data.probabilities.hail.as_ref().unwrap().significant && data.probabilities.total_severe.is_none());
    assert_eq!(envelope.degraded, Vec::<String>::new());
    let said = &envelope.interpretation;
    for part in [
        "Enhanced risk",
        "until 2031-05-10 12:00Z",
        "tornado 10 % (conditional intensity CIG1)",
        "damaging wind 30 %",
        "Organised",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let value = serde_json::to_value(data).unwrap();
    assert!(value["probabilities"].get("total_severe").is_none());
}

#[test]
fn no_outlook_is_unknown_and_never_no_risk() {
    let mut blind = picture(set(Category::Enh));
    Arc::make_mut(&mut blind.outlooks).days.get_mut(&1).unwrap().trouble = Some("answered 404".into());
    // Six hours after the last good poll.
    let late = at("2031-05-10T02:35:00Z");
    let envelope = spc_outlook(&blind, place(), 1, late);
    assert!(envelope.data.categorical.is_none() && envelope.data.valid_utc.is_none());
    for id in ["spc-categorical", "spc-tornado-unverified", "spc-wind-unverified", "spc-hail-unverified"] {
        assert!(envelope.degraded.iter().any(|held| held == id), "{:?}", envelope.degraded);
    }
    let said = &envelope.interpretation;
    assert!(
        said.contains("unknown since 2031-05-09 20:35Z (answered 404)")
            && said.contains("not mean that there is no risk"),
        "{said}"
    );
    let never = spc_outlook(&Picture::default(), place(), 3, now());
    assert_eq!(never.degraded, ["spc-categorical", "spc-total_severe-unverified"]);
}

#[test]
fn outside_of_all_areas_and_missing_layers() {
    let far = LatLon::new(30.0, -90.0).unwrap();
    let mut outlook = set(Category::Mdt);
    outlook.hazards[1].probability = Layer::Missing("answered 404".into());
    outlook.hazards[2].probability = Layer::Stale { valid_utc: at("2031-03-03T13:00:00Z") };
    let envelope = spc_outlook(&picture(outlook), far, 1, now());
    assert_eq!(envelope.degraded, ["spc-hail-stale", "spc-wind"]);
    let said = &envelope.interpretation;
    assert!(said.starts_with("Not known at present: the probability of damaging wind, large hail."), "{said}");
    assert!(said.contains("outside of any outlook area"), "{said}");
    assert!(!envelope.data.probabilities.wind.as_ref().unwrap().known);
}

#[test]
fn the_closing_line_goes_by_the_class() {
    let said = |category| {
        let mut outlook = set(category);
        outlook.hazards = vec![hazard(Hazard::Tornado, 2, None)];
        spc_outlook(&picture(outlook), place(), 1, now()).interpretation
    };
    assert!(said(Category::High).contains("rare, high-end day"));
    assert!(said(Category::Slgt).contains("Isolated to scattered"));
    assert!(said(Category::Tstm).contains("severe ones are not"));
}

#[test]
fn watches_and_discussions_stand_beside_and_hide_nothing() {
    let mut told = picture(set(Category::Enh));
    let watch = ConvectiveWatch {
        number: 214,
        kind: WatchKind::Tornado,
        is_pds: Some(true),
        issue_utc: at("2031-05-09T20:30:00Z"),
        expire_utc: at("2031-05-10T03:00:00Z"),
        max_hail_in: Some(3.5),
        max_wind_gust_kt: Some(70.0),
        url: None,
        area: around(),
    };
    told.watches = Some(Arc::new(Watches { watches: vec![watch], unread: 0, read_utc: at("2031-05-09T20:39:00Z") }));
    told.discussions = None;
    let envelope = spc_outlook(&told, place(), 1, now());
    assert_eq!(envelope.degraded, [DISCUSSIONS_ID]);
    assert!(envelope.data.mesoscale_discussions.is_none());
    let watch = &envelope.data.watch_outlines.as_ref().unwrap()[0];
    assert_eq!((watch.number, watch.is_pds, watch.max_hail_in), (214, Some(true), Some(3.5)));
    let said = &envelope.interpretation;
    assert!(said.contains("Tornado Watch 214 (particularly dangerous situation)"), "{said}");
    // Another day's answer does without them.
    let second = spc_outlook(&told, place(), 2, now());
    assert!(second.data.watch_outlines.is_none() && !second.degraded.contains(&DISCUSSIONS_ID.to_owned()));
}

#[test]
fn a_later_day_says_what_its_empty_layer_says() {
    let mut outlook = set(Category::Enh);
    (outlook.day, outlook.categorical) = (5, None);
    (outlook.valid_utc, outlook.expire_utc) = (at("2031-05-13T12:00:00Z"), at("2031-05-14T12:00:00Z"));
    let areas = |nothing| HazardAreas { nothing: Some(nothing), ..HazardAreas::default() };
    let mut said = |nothing| {
        outlook.hazards = vec![HazardOutlook {
            hazard: Hazard::TotalSevere,
            probability: Layer::Known(areas(nothing)),
            intensity: Layer::NotIssued,
        }];
        let envelope = spc_outlook(&picture(outlook.clone()), place(), 5, now());
        assert!(envelope.degraded.is_empty(), "{:?}", envelope.degraded);
        envelope.interpretation
    };
    assert!(said(Nothing::PredictabilityTooLow).contains("not the same as no risk"));
    assert!(said(Nothing::PotentialTooLow).contains("too low to outline"));
}
