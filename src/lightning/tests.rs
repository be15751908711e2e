use super::*;
use std::sync::Arc;

fn at(text: &str) -> Timestamp {
    format!("2031-05-09T{text}Z").parse().unwrap()
}

fn place(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

/// Larkfield, an invented town in Kansas.
fn larkfield() -> LatLon {
    place(38.0, -97.5)
}

fn granule(satellite: Satellite, start: &str, seconds: i64, flashes: Vec<Flash>) -> Arc<Granule> {
    let start_utc = at(start);
    Arc::new(Granule {
        satellite,
        platform: "G19".to_owned(),
        key: format!("{}-{start}", satellite.name()),
        start_utc,
        end_utc: start_utc + SignedDuration::from_secs(seconds),
        flashes,
        left_out: 0,
    })
}

fn window(granules: &[Arc<Granule>]) -> LightningWindow {
    let mut window = LightningWindow::default();
    granules.iter().for_each(|granule| window.take(granule));
    window
}

/// Granules of 20 s without flashes over `minutes` from 21:00:00.
fn quiet(satellite: Satellite, minutes: i64) -> Vec<Arc<Granule>> {
    (0..minutes * 3)
        .map(|i| granule(satellite, &format!("21:{:02}:{:02}", i / 3, i % 3 * 20), 20, Vec::new()))
        .collect()
}

#[test]
fn an_empty_granule_is_a_true_nothing_and_covers_its_time() {
    let sight = window(&quiet(Satellite::East, 15)).seen_from(larkfield(), 40.0, 15, at("21:15:00"));
    assert_eq!((sight.flash_count, sight.granules, sight.blind.clone()), (0, 45, None));
    assert_eq!(sight.covered_s, 900.0);
    assert_eq!(sight.flashes_per_min(), Some(0.0));
    assert!(sight.is_whole());
}

#[test]
fn distance_goes_to_the_nearest_lit_pixel_not_to_the_centroid() {
    let far = larkfield().travel(90.0, 50.0);
    let overhead = larkfield().travel(90.0, 3.0);
    let flash = Flash::new(1_500_000, far, QUALITY_MANY_EVENTS, &[far, overhead, overhead]);
    assert_eq!(flash.lit().count(), 2);
    let sight = window(&[granule(Satellite::East, "21:00:00", 20, vec![flash])]).seen_from(
        larkfield(),
        40.0,
        15,
        at("21:01:00"),
    );
    let nearest = sight.nearest.unwrap();
    assert!((nearest.distance_km - 3.0).abs() < 0.1, "{nearest:?}");
    assert!((nearest.centroid_distance_km - 50.0).abs() < 0.1);
    assert_eq!(nearest.first_event_utc, "2031-05-09T21:00:01.5Z".parse().unwrap());
    assert_eq!(sight.flash_count, 1);
}

#[test]
fn the_rate_is_over_the_time_really_covered() {
    let strike = |us| Flash::new(us, larkfield(), QUALITY_GOOD, &[]);
    let granules = [
        granule(Satellite::East, "21:00:00", 20, vec![strike(-1_000_000), strike(0)]),
        granule(Satellite::East, "21:00:20", 11, vec![strike(1)]),
        granule(Satellite::East, "21:02:00", 20, vec![strike(1)]),
    ];
    let sight = window(&granules).seen_from(larkfield(), 40.0, 3, at("21:02:30"));
    assert_eq!(sight.covered_s, 51.0);
    // The first stretch is before anything was heard.
    assert_eq!(sight.gaps, [(at("20:59:30"), at("21:00:00")), (at("21:00:31"), at("21:02:00"))]);
    assert!((sight.flashes_per_min().unwrap() - 4.0 * 60.0 / 51.0).abs() < 1e-9);
    assert!(!sight.is_whole());
}

#[test]
fn flashes_older_than_the_window_do_not_count() {
    let strike = |us| Flash::new(us, larkfield(), QUALITY_GOOD, &[]);
    let held = window(&[granule(Satellite::East, "21:00:00", 20, vec![strike(1_000_000), strike(15_000_000)])]);
    let sight = held.seen_from(larkfield(), 40.0, 1, at("21:01:10"));
    assert_eq!(sight.flash_count, 1);
    assert_eq!(sight.most_recent.unwrap().first_event_utc, at("21:00:15"));
}

#[test]
fn the_other_satellite_serves_when_the_first_is_silent_for_five_minutes_and_never_both() {
    let strike = || vec![Flash::new(0, larkfield(), QUALITY_GOOD, &[])];
    let east = granule(Satellite::East, "21:00:00", 20, strike());
    let west = granule(Satellite::West, "21:03:00", 20, strike());
    let both = window(&[east.clone(), west.clone()]);
    let sight = both.seen_from(larkfield(), 40.0, 15, at("21:05:19"));
    assert_eq!((sight.satellite, sight.flash_count, sight.blind), (Satellite::East, 1, None));
    let sight = both.seen_from(larkfield(), 40.0, 15, at("21:05:20"));
    assert_eq!((sight.satellite, sight.flash_count, sight.blind), (Satellite::West, 1, None));
    let sight = both.seen_from(larkfield(), 40.0, 15, at("21:08:20"));
    // What was seen stays seen, but quiet is no longer known.
    assert_eq!((sight.satellite, sight.flash_count), (Satellite::West, 1));
    assert_eq!(sight.blind, Some(LightningBlind::Silent { since_utc: Some(at("21:03:20")) }));
}

#[test]
fn nothing_heard_and_nothing_in_view_are_blind_not_quiet() {
    let none = LightningWindow::default().seen_from(larkfield(), 40.0, 15, at("21:00:00"));
    assert_eq!(none.blind, Some(LightningBlind::Silent { since_utc: None }));
    assert_eq!(none.flashes_per_min(), None);
    let north = place(60.0, -97.5);
    let held = window(&quiet(Satellite::East, 15));
    assert_eq!(held.seen_from(north, 40.0, 15, at("21:15:00")).blind, Some(LightningBlind::OutOfView));
}

#[test]
fn the_continental_us_is_seen_by_its_first_satellite() {
    for (lat, lon) in [(24.5, -81.8), (25.8, -80.2), (47.0, -67.0), (49.0, -95.2), (49.0, -104.0), (35.5, -97.5)] {
        assert_eq!(Satellite::first_for(place(lat, lon)), Satellite::East);
        assert!(Satellite::East.sees(place(lat, lon)), "{lat} {lon}");
    }
    for (lat, lon) in [(48.4, -124.7), (32.7, -117.2), (31.8, -106.4), (49.0, -105.0), (41.0, -124.2)] {
        assert_eq!(Satellite::first_for(place(lat, lon)), Satellite::West);
        assert!(Satellite::West.sees(place(lat, lon)), "{lat} {lon}");
    }
    assert!(!Satellite::West.sees(place(45.0, -68.0)) && !Satellite::East.sees(place(48.4, -124.7)));
    assert!(!Satellite::East.sees(place(0.0, 105.0)));
}

#[test]
fn the_window_is_bounded_and_hearing_twice_is_harmless() {
    let mut held = window(&quiet(Satellite::East, 59));
    assert!(held.granules(Satellite::East).count() <= 93);
    let before = held.clone();
    let newest = held.granules(Satellite::East).last().unwrap().clone();
    held.take(&newest);
    assert_eq!(held, before);
    let many: Vec<_> =
        (0..2_000).map(|i| granule(Satellite::West, &format!("21:00:00.{i:04}"), 20, Vec::new())).collect();
    assert_eq!(window(&many).granules(Satellite::West).count(), 200);
}

#[test]
fn pixels_across_the_antimeridian_stay_near() {
    let flash = Flash::new(0, place(40.0, 179.9), QUALITY_LONG, &[place(40.0, -179.9)]);
    let lit: Vec<LatLon> = flash.lit().collect();
    assert!((lit[0].lon() + 179.9).abs() < 1e-3, "{lit:?}");
}

/// What a look at every flash finds: the index may pass over nothing that it would.
fn by_brute_force(
    window: &LightningWindow,
    at: LatLon,
    radius_km: f64,
    minutes: i64,
    now: Timestamp,
) -> (usize, Option<f64>) {
    let since = now - SignedDuration::from_mins(minutes);
    let granules = window.granules(window.serving(at, now).0).filter(|granule| granule.end_utc > since);
    let flashes = granules.flat_map(|granule| granule.flashes.iter().map(move |flash| (granule, flash)));
    let within: Vec<f64> = flashes
        .filter(|(granule, flash)| flash.first_event_utc(granule) >= since)
        .filter_map(|(_, flash)| {
            flash.centroid().into_iter().chain(flash.lit()).map(|lit| at.distance_km(lit)).reduce(f64::min)
        })
        .filter(|distance_km| *distance_km <= radius_km)
        .collect();
    (within.len(), within.iter().copied().reduce(f64::min))
}

#[test]
fn squares_find_what_a_look_at_every_flash_finds() {
    let mut state = 7_u64;
    let mut between = |low: f64, high: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((state >> 11) as f64 / (1_u64 << 53) as f64)
    };
    // Around the antimeridian, a pole, the corner of four squares, and a plain of Kansas.
    for (lat, lon) in [(40.0, 180.0), (-40.0, -180.0), (89.2, 10.0), (-89.9, -120.0), (38.0, -97.0), (0.0, 0.0)] {
        let mut near = |spread: f64| {
            let lon: f64 = lon + between(-spread, spread);
            place((lat + between(-spread, spread)).clamp(-90.0, 90.0), (lon + 540.0).rem_euclid(360.0) - 180.0)
        };
        let mut held = LightningWindow::default();
        for start in ["21:00:20", "21:00:00", "21:00:40", "21:20:00", "21:31:00"] {
            let flashes = (0..60).map(|us| {
                let centroid = near(4.0);
                let lit: Vec<LatLon> =
                    (0..us % 5).map(|step| centroid.travel(f64::from(step) * 70.0, f64::from(us))).collect();
                Flash::new(us * 300_000, centroid, QUALITY_GOOD, &lit)
            });
            let flashes: Vec<Flash> = flashes.collect();
            for satellite in Satellite::ALL {
                held.take(&granule(satellite, start, 20, flashes.clone()));
            }
        }
        for radius_km in [0.0, 5.0, 40.0, 300.0] {
            for minutes in [10, 15, 30] {
                let spot = near(5.0);
                let now = at("21:31:20");
                let sight = held.seen_from(spot, radius_km, minutes, now);
                let found = (sight.flash_count, sight.nearest.as_ref().map(|flash| flash.distance_km));
                assert_eq!(
                    found,
                    by_brute_force(&held, spot, radius_km, minutes, now),
                    "{spot:?} {radius_km} km {minutes} min"
                );
                let (satellite, _, nearest) = held.nearest_from(spot, radius_km, minutes, now);
                assert_eq!((satellite, nearest), (sight.satellite, sight.nearest));
            }
        }
    }
}

#[test]
fn a_later_edition_takes_the_earlier_ones_flashes_along_and_order_does_not_matter() {
    let flash = |km: f64| Flash::new(0, larkfield().travel(0.0, km), QUALITY_GOOD, &[]);
    let first = granule(Satellite::East, "21:00:00", 20, vec![flash(3.0), flash(120.0)]);
    let other = granule(Satellite::East, "21:00:20", 20, vec![flash(5.0)]);
    let later = Arc::new(Granule { key: "z".to_owned(), flashes: vec![flash(9.0)], ..(*first).clone() });
    let held = window(&[first.clone(), other.clone(), later.clone()]);
    assert_eq!(held, window(&[later.clone(), first, other.clone()]));
    assert_eq!(held, window(&[other, later]));
    let sight = held.seen_from(larkfield(), 40.0, 15, at("21:01:00"));
    assert_eq!(sight.flash_count, 2);
    assert!((sight.nearest.unwrap().distance_km - 5.0).abs() < 0.01);
}

/// Fifteen minutes before 21:30, less the granules from one second of the hour to another.
fn without(satellite: Satellite, missing: std::ops::Range<i64>, flash_at: Option<i64>) -> Vec<Arc<Granule>> {
    let starts = (0..90).map(|i| 20 * i).filter(|second| !missing.contains(second));
    let flashes = |second| match flash_at {
        Some(at) if at == second => vec![Flash::new(0, larkfield(), QUALITY_GOOD, &[])],
        _ => Vec::new(),
    };
    starts.map(|s| granule(satellite, &format!("21:{:02}:{:02}", s / 60, s % 60), 20, flashes(s))).collect()
}

#[test]
fn five_missing_minutes_are_blindness_and_less_is_not() {
    let blind = |granules: &[Arc<Granule>], now| window(granules).nearest_from(larkfield(), 40.0, 15, at(now)).1;
    let patchy = |missing_s| Some(LightningBlind::Patchy { since_utc: Some(at("21:18:00")), missing_s });
    assert_eq!(blind(&without(Satellite::East, 1080..1360, None), "21:30:00"), None);
    let five = without(Satellite::East, 1080..1380, None);
    assert_eq!(blind(&five, "21:30:00"), patchy(300));
    // Long enough ago it is no longer missed: of the gap from 21:18:00 on 299 s lie within the window.
    assert_eq!(blind(&five, "21:33:01"), None);
    // Two short gaps are one long one, whatever lies between.
    let mut two = without(Satellite::East, 1080..1240, None);
    two.retain(|granule| !(at("21:24:00")..at("21:26:20")).contains(&granule.start_utc));
    assert_eq!(blind(&two, "21:30:00"), patchy(300));
    // A window that begins before anything was heard.
    let late = without(Satellite::East, 0..1200, None);
    assert_eq!(blind(&late, "21:30:00"), Some(LightningBlind::Patchy { since_utc: None, missing_s: 300 }));
    assert_eq!(blind(&late, "21:30:01"), None);
}

#[test]
fn the_satellite_that_saw_more_stands_in_for_one_with_gaps() {
    let east = without(Satellite::East, 1000..1400, None);
    let west = without(Satellite::West, 0..60, Some(1200));
    let both: Vec<_> = east.iter().chain(&west).cloned().collect();
    let (satellite, blind, nearest) = window(&both).nearest_from(larkfield(), 40.0, 15, at("21:30:00"));
    assert_eq!((satellite, blind), (Satellite::West, None));
    assert_eq!(nearest.map(|flash| flash.first_event_utc), Some(at("21:20:00")));
    // Once the gap is out of the window the first serves again; in it the other one must speak itself.
    assert_eq!(window(&both).nearest_from(larkfield(), 40.0, 5, at("21:30:00")).0, Satellite::East);
    let silent: Vec<_> =
        both.iter().filter(|g| g.satellite == Satellite::East || g.start_utc < at("21:24:00")).cloned().collect();
    let (satellite, blind, _) = window(&silent).nearest_from(larkfield(), 40.0, 15, at("21:30:00"));
    assert_eq!(satellite, Satellite::East);
    assert!(matches!(blind, Some(LightningBlind::Patchy { .. })), "{blind:?}");
}
