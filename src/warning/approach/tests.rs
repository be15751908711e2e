use super::*;
use crate::geo::Area;
use crate::warning::Tags;

fn at(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

fn utc(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A storm seen at 21:31Z, 40 kt, with a polygon 20 km wide (north to south) around it.
fn storm(from_deg: f64, cells: &[LatLon]) -> Warning {
    let (lat, lon) = (cells[0].lat(), cells[0].lon());
    let ring = vec![[lon - 0.3, lat - 0.09], [lon + 0.3, lat - 0.09], [lon + 0.3, lat + 0.09], [lon - 0.3, lat + 0.09]];
    Warning {
        area: Some(Area::from(vec![vec![ring]])),
        motion: Some(StormMotion {
            at_utc: utc("2026-06-10T21:31:00Z"),
            from_deg,
            speed_kt: 40.0,
            cells: cells.to_vec(),
        }),
        tags: Tags::default(),
        ..crate::warning::incidents::tests::product("a", "2026-06-10T21:31:00Z")
    }
}

/// Minutes and kilometres by stepping second by second along great circles.
fn walked(warning: &Warning, place: LatLon, now: Timestamp) -> (f64, f64) {
    let motion = warning.motion.as_ref().unwrap();
    let mut best = (0.0, f64::INFINITY);
    for second in 0..3 * 3600 {
        let hours = (now.duration_since(motion.at_utc).as_secs_f64() + f64::from(second)) / 3600.0;
        let moved: Vec<LatLon> = motion
            .cells
            .iter()
            .map(|c| c.travel(motion.from_deg + 180.0, motion.speed_kt * KMH_PER_KT * hours))
            .collect();
        let mut points = moved.clone();
        for pair in moved.windows(2) {
            let (bearing, km) = (pair[0].bearing_deg(pair[1]), pair[0].distance_km(pair[1]));
            points.extend((1..60).map(|step| pair[0].travel(bearing, km * f64::from(step) / 60.0)));
        }
        let km = points.iter().map(|p| place.distance_km(*p)).fold(f64::INFINITY, f64::min);
        if km < best.1 - 1e-9 {
            best = (f64::from(second) / 60.0, km);
        }
    }
    best
}

#[test]
fn a_cell_is_advanced_to_now_and_arrives_at_its_nearest_approach() {
    let warning = storm(270.0, &[at(40.5, -94.0)]);
    // 40 kt = 74.08 km/h = 1.2347 km a minute; the place is 60 km east, 5 km north of the track.
    let place = at(40.5, -94.0).travel(90.0, 60.0).travel(0.0, 4.0);
    for (now, right) in [("2026-06-10T21:31:00Z", 48.6), ("2026-06-10T21:41:00Z", 38.6), ("2026-06-10T22:30:00Z", 0.0)]
    {
        let got = approach(&warning, place, utc(now)).unwrap();
        assert!((got.minutes - right).abs() < 0.2, "{now}: {got:?}");
    }
    let got = approach(&warning, place, utc("2026-06-10T21:31:00Z")).unwrap();
    assert!((got.passes_km - 4.0).abs() < 0.2 && got.toward, "{got:?}");
}

#[test]
fn it_comes_toward_a_place_within_half_the_polygons_width_and_at_least_5_km() {
    let now = utc("2026-06-10T21:31:00Z");
    let warning = storm(270.0, &[at(40.5, -94.0)]);
    let aside = |km: f64| at(40.5, -94.0).travel(90.0, 40.0).travel(0.0, km);
    assert!(approach(&warning, aside(9.0), now).unwrap().toward, "half of 20 km");
    assert!(!approach(&warning, aside(12.0), now).unwrap().toward);
    let narrow = Warning { area: None, ..warning };
    assert!(approach(&narrow, aside(4.8), now).unwrap().toward);
    assert!(!approach(&narrow, aside(6.0), now).unwrap().toward);
    let behind = at(40.5, -94.0).travel(270.0, 30.0);
    let got = approach(&narrow, behind, now).unwrap();
    assert!(!got.toward && got.minutes == 0.0 && (got.passes_km - 30.0).abs() < 0.1, "{got:?}");
}

#[test]
fn a_line_runs_over_what_lies_between_its_ends() {
    let now = utc("2026-06-10T21:40:00Z");
    let line = [at(40.9, -94.0), at(40.5, -94.1), at(40.1, -94.0)];
    let warning = storm(270.0, &line);
    for place in [at(40.7, -93.3), at(40.45, -93.0), at(40.2, -93.5), at(41.2, -93.0), at(39.7, -92.0), at(40.5, -95.0)]
    {
        let got = approach(&warning, place, now).unwrap();
        let (minutes, km) = walked(&warning, place, now);
        assert!((got.passes_km - km).abs() < 0.7, "{place:?}: {got:?} {km}");
        assert!((got.minutes - minutes).abs() < 0.7, "{place:?}: {got:?} {minutes}");
    }
    assert!(approach(&warning, at(40.7, -93.3), now).unwrap().passes_km < 1e-9, "between two cells: it runs over");
}

#[test]
fn a_storm_that_stands_still_or_has_no_motion() {
    let now = utc("2026-06-10T21:40:00Z");
    let mut warning = storm(0.0, &[at(40.5, -94.0)]);
    if let Some(motion) = &mut warning.motion {
        motion.speed_kt = 0.0;
    }
    let got = approach(&warning, at(40.6, -94.0), now).unwrap();
    assert!(got.minutes == 0.0 && (got.passes_km - 11.1).abs() < 0.1, "{got:?}");
    warning.motion = None;
    assert_eq!(approach(&warning, at(40.6, -94.0), now), None);
}
