//! Planted warnings, categories and cells must show where they are planted; what cannot be seen must be written.

use super::*;
use crate::geo::Area;
use crate::lightning::{Flash, Granule, Satellite};
use crate::mosaic::{Grid, Mosaic, Product};
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, Observation, Report, SPC_OUTLOOKS, SourceName};
use crate::outlook::{Category, CategoryArea, OutlookSet, Outlooks};
use crate::plot::tests::{Picture as Pixels, words_stand_free};
use crate::storm_report::{self, StormReport, StormReports};
use crate::threat::Level;
use crate::warning::{Warning, WarningSnapshot};
use jiff::SignedDuration;
use std::sync::Arc;

fn utc(text: &str) -> Timestamp {
    format!("2026-06-10T{text}:00Z").parse().unwrap()
}

fn square(lat: f64, lon: f64, half: f64) -> Area {
    let ring = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    Area::from(vec![vec![ring.map(|[x, y]| [lon + x * half, lat + y * half]).to_vec()]])
}

fn report(source: &SourceName, at: &str, observation: Observation) -> Report {
    let observations = vec![observation];
    Report { source: source.clone(), polled_utc: utc(at), good: true, observations, faults: Vec::new() }
}

/// A tornado warning around 36 N 97 W, a slight risk around 38 N 97 W, hail at 36 N 99 W; radar sees nothing east of 95 W.
fn picture() -> Picture {
    let mut warning = Warning::bare("Tornado Warning", utc("21:00"));
    warning.id = "urn:made-up".to_owned();
    warning.area = Some(square(36.0, -97.0, 0.3));
    warning.onset_utc = Some(utc("21:00"));
    warning.expires_utc = Some(utc("22:30"));
    warning.ends_utc = Some(utc("22:30"));
    let snapshot = WarningSnapshot { updated_utc: Some(utc("21:30")), warnings: vec![Arc::new(warning)], unread: 0 };
    let grid = Grid {
        ni: 1000,
        nj: 600,
        lat_north_ndeg: 40_000_000_000,
        lon_west_ndeg: -102_000_000_000,
        d_lat_ndeg: 10_000_000,
        d_lon_ndeg: 10_000_000,
    };
    let hail = |row: u32, column: u32| match (row, column) {
        (397..=403, 297..=303) => 55.0,
        (_, 700..) => -3.0,
        _ => -1.0,
    };
    let mosaic = Mosaic::from_values(Product::MeshMax60min, utc("21:28"), "made/up", grid, hail).unwrap();
    let set = OutlookSet {
        day: 1,
        valid_utc: utc("20:00"),
        expire_utc: utc("23:59"),
        issue_utc: Some(utc("19:59")),
        forecaster: None,
        categorical: Some(vec![CategoryArea { category: Category::Slgt, area: square(38.0, -97.0, 0.5) }]),
        categorical_unread: 0,
        hazards: Vec::new(),
        url: String::new(),
        read_utc: utc("21:30"),
    };
    let mut outlooks = Outlooks::default();
    outlooks.put(Arc::new(set), utc("21:30"));
    outlooks.days.get_mut(&1).unwrap().confirmed_utc = Some(utc("21:30"));

    let mut picture = Picture::default();
    picture.take(&report(&NWS_WARNINGS, "21:30", Observation::Warnings(Arc::new(snapshot))));
    picture.take(&report(&MRMS, "21:30", Observation::Mosaic(Arc::new(mosaic))));
    picture.take(&report(&SPC_OUTLOOKS, "21:30", Observation::Outlooks(Arc::new(outlooks))));
    picture
}

fn granule(satellite: Satellite, start: &str, flashes: &[(f64, f64)]) -> Observation {
    let flash = |&(lat, lon): &(f64, f64)| Flash::new(1_000_000, LatLon::new(lat, lon).unwrap(), 0, &[]);
    Observation::Granule(Arc::new(Granule {
        satellite,
        platform: "G00".to_owned(),
        key: start.to_owned(),
        start_utc: utc(start),
        end_utc: utc(start) + SignedDuration::from_mins(1),
        flashes: flashes.iter().map(flash).collect(),
        left_out: 0,
    }))
}

fn storm_report(category: storm_report::Category, event: &str, lat: f64, lon: f64) -> StormReport {
    StormReport {
        category,
        type_text: String::new(),
        magnitude: None,
        qualifier: None,
        event_utc: utc(event),
        issued_utc: None,
        heard_utc: utc(event),
        at: LatLon::new(lat, lon).unwrap(),
        city: String::new(),
        county: String::new(),
        state: String::new(),
        source: String::new(),
        remarks: String::new(),
        wfo: String::new(),
        product_id: None,
    }
}

fn storm_reports(reports: Vec<StormReport>) -> Observation {
    Observation::StormReports(Arc::new(StormReports {
        reports,
        from_utc: utc("09:30"),
        to_utc: utc("21:30"),
        read_utc: utc("21:30"),
        unread: 0,
        is_cut: false,
        url: String::new(),
    }))
}

fn point(name: &str, lat: f64, lon: f64, level: Level, is_blind: bool) -> MapPoint {
    MapPoint { name: name.to_owned(), at: LatLon::new(lat, lon).unwrap(), level: Some(level), is_blind }
}

fn around() -> Extent {
    Extent::Around { place: LatLon::new(36.5, -97.0).unwrap(), radius_km: 300.0 }
}

fn draw_at(picture: &Picture, points: &[MapPoint], extent: Extent, at: &str) -> (Painted, Pixels) {
    let painted = painted(&MapPlot { picture, points, extent, now: utc(at) }).unwrap();
    let pixels = Pixels::of(&painted.png);
    assert_eq!((pixels.width, pixels.height), MAP_SIZE);
    words_stand_free(&painted, MAP_SIZE);
    (painted, pixels)
}

/// Whether these words stand on the page, broken into lines or not.
fn says(painted: &Painted, words: &str) -> bool {
    let all: Vec<_> = painted.texts.iter().map(|(_, text)| text.as_str()).collect();
    all.join(" ").contains(words)
}

#[test]
fn what_is_planted_shows_where_it_is() {
    let picture = picture();
    let points = [point("lark", 37.0, -99.5, Level::Significant, false)];
    let (painted, pixels) = draw_at(&picture, &points, around(), "21:31");
    let projection = around().projection();
    let spot = |lat, lon| projection.spot(lat, lon);
    let is = |(x, y): (f64, f64), ink| pixels.is(x, y, ink);

    let red = layers::event_ink("Tornado Warning");
    assert!(is(spot(36.15, -97.3), red), "the outline, {:?}", pixels.at(spot(36.15, -97.3).0, spot(36.15, -97.3).1));
    let tint = |ink: ink::Ink, alpha: f64| {
        let mix = |c: u8| (255.0 + (f64::from(c) - 255.0) * alpha).round() as u8;
        ink::Ink(mix(ink.0), mix(ink.1), mix(ink.2), 1.0)
    };
    assert!(is(spot(36.13, -97.11), tint(red, ink::WARNING_ALPHA)), "inside of it");
    assert!(is(spot(38.23, -96.88), tint(ink::category(Category::Slgt), ink::CATEGORY_ALPHA)), "the slight risk");
    assert!(is(spot(36.025, -98.975), ink::HAIL[4].1), "hail of two inches");
    assert!(is(spot(35.3, -98.3), ink::WHITE), "looked at and quiet");
    assert!(is(spot(37.0, -99.5), ink::level(Some(Level::Significant))), "the watch point");
    assert!(says(&painted, "lark: significant") && says(&painted, "1 Tornado Warning") && says(&painted, "SLGT"));
    assert!(says(&painted, "valid 2026-06-10T21:28:00Z") && says(&painted, "as of 2026-06-10T21:31:00Z"));

    // East of 95 W no radar looks: hatched, not white.
    let (x, y) = spot(35.3, -94.6);
    let hatched = (0..radar::HATCH_EVERY).filter(|n| !pixels.is(x + f64::from(*n), y, ink::WHITE)).count();
    assert!(hatched > 0 && says(&painted, "no radar seen here"));
    assert_eq!(
        painted.png,
        map(&MapPlot { picture: &picture, points: &points, extent: around(), now: utc("21:31") }).unwrap()
    );
}

/// The border of Oklahoma and Kansas is the parallel of 37 N; the shore of Texas runs at 29.3 N, 94.8 W.
#[test]
fn states_are_drawn_where_they_are() {
    let darkest = |pixels: &Pixels, (x, y): (f64, f64)| {
        let around = (-3..=3).flat_map(|dx| (-3..=3).map(move |dy| (x + f64::from(dx), y + f64::from(dy))));
        around.map(|(x, y)| pixels.at(x, y).into_iter().max().unwrap_or(0)).min().unwrap()
    };
    // Where radar looks, so that nothing is hatched.
    let (painted, pixels) = draw_at(&picture(), &[], around(), "21:31");
    let spot = |lat, lon| around().projection().spot(lat, lon);
    for lon in [-99.7, -98.31, -97.62, -95.3] {
        let (on, beside) = (darkest(&pixels, spot(36.999, lon)), darkest(&pixels, spot(37.2, lon)));
        assert!(on < 165 && beside > 190, "{lon}: {on} {beside}");
    }
    assert!(says(&painted, "US Census Bureau"));
    let (_, pixels) = draw_at(&Picture::default(), &[], Extent::Conus, "21:31");
    let galveston = Extent::Conus.projection().spot(29.3, -94.8);
    assert!(darkest(&pixels, galveston) < 150, "{}", darkest(&pixels, galveston));
}

/// After its limits evidence is not drawn as if it were of now, and the picture says so; warnings stand by their own clock.
#[test]
fn blind_evidence_is_written_and_never_quiet() {
    let picture = picture();
    let points = [point("lark", 37.0, -99.5, Level::None, true)];
    let (painted, pixels) = draw_at(&picture, &points, around(), "22:10");
    let projection = around().projection();
    let (x, y) = projection.spot(36.025, -98.975);
    assert!(pixels.at(x, y)[0] > 150 && says(&painted, "the newest mosaic is of 2026-06-10T21:28:00Z"));
    for words in [
        "NOT SEEN: new warnings",
        "no good answer from the",
        "nothing seen, but blind",
        "1 Tornado Warning",
        "there may be others",
    ] {
        assert!(says(&painted, words), "{words}: {:?}", painted.texts);
    }
    let (x, y) = projection.spot(35.3, -98.3);
    let hatched = (0..radar::HATCH_EVERY).filter(|n| !pixels.is(x + f64::from(*n), y, ink::WHITE)).count();
    assert!(hatched > 0, "where radar looked long ago it looks no more");
    // Of nothing at all there is still a map, full of what it lacks.
    let (painted, _) = draw_at(&Picture::default(), &[], Extent::Conus, "22:10");
    for words in
        ["the warnings feed has not been heard yet", "SPC outlook: no outlook for today", "NWS warnings as heard never"]
    {
        assert!(says(&painted, words), "{words}: {:?}", painted.texts);
    }
}

#[test]
fn names_make_room_for_each_other() {
    let picture = Picture::default();
    let crowd: Vec<MapPoint> = (0..40)
        .map(|n| {
            let (lat, lon) = (36.0 + f64::from(n % 7) * 0.03, -97.0 + f64::from(n / 7) * 0.04);
            point(
                &format!("place {n} with a name that goes on and on for a while"),
                lat,
                lon,
                Level::ALL[n as usize % 5],
                false,
            )
        })
        .collect();
    let (painted, _) = draw_at(&picture, &crowd, Extent::Conus, "21:31");
    assert!(says(&painted, "Watch points: 40") && says(&painted, ": extreme") || says(&painted, "…"));
    let edge =
        [point("edge", 49.9, -66.6, Level::Marginal, false), point("corner", 24.1, -125.4, Level::Extreme, false)];
    let (painted, _) = draw_at(&picture, &edge, Extent::Conus, "21:31");
    assert!(says(&painted, "edge: marginal") && says(&painted, "corner: extreme"));
}

#[test]
fn a_warning_that_has_not_begun_is_dashed() {
    let mut warning = Warning::bare("Tornado Warning", utc("21:00"));
    warning.area = Some(square(36.0, -97.0, 1.0));
    warning.onset_utc = Some(utc("22:00"));
    warning.ends_utc = Some(utc("23:00"));
    let snapshot = WarningSnapshot { updated_utc: Some(utc("21:30")), warnings: vec![Arc::new(warning)], unread: 0 };
    let mut picture = Picture::default();
    picture.take(&report(&NWS_WARNINGS, "21:30", Observation::Warnings(Arc::new(snapshot))));
    let now = utc("21:30") + SignedDuration::from_secs(30);
    let extent = around();
    let pixels = Pixels::of(&map(&MapPlot { picture: &picture, points: &[], extent, now }).unwrap());
    let red = layers::event_ink("Tornado Warning");
    let along = (-80..=80).map(|n| extent.projection().spot(36.0 + f64::from(n) / 100.0, -98.0));
    let reds = along.filter(|(x, y)| (-1..=1).any(|dx| pixels.is(x + f64::from(dx), *y, red))).count();
    assert!((40..150).contains(&reds), "{reds} of 161");
}

/// Flashes of 15 minutes from the satellite that serves the place, reports of two hours; older ones, other kinds and the other
/// satellite's view of the same flash are not drawn, and a silent source never reads as quiet.
#[test]
fn flashes_and_reports_are_drawn_or_missed() {
    use storm_report::Category::{Flood, Hail, Tornado};
    let mut picture = Picture::default();
    let east = |at: &str, flashes: &[(f64, f64)]| report(&GOES_GLM, "21:30", granule(Satellite::East, at, flashes));
    for minute in 10..30 {
        let flashes: &[(f64, f64)] = match minute {
            10 => &[(37.5, -98.0)],
            20 => &[(36.0, -98.0)],
            _ => &[],
        };
        picture.take(&east(&format!("21:{minute}"), flashes));
    }
    picture.take(&report(&GOES_GLM, "21:30", granule(Satellite::West, "21:29", &[(36.0, -96.0)])));
    let told = vec![
        storm_report(Tornado, "20:00", 36.0, -97.0),
        storm_report(Hail, "21:00", 37.0, -97.0),
        storm_report(Hail, "19:20", 37.0, -96.0),
        storm_report(Flood, "21:00", 37.0, -95.5),
    ];
    picture.take(&report(&IEM_REPORTS, "21:30", storm_reports(told)));

    let (painted, pixels) = draw_at(&picture, &[], around(), "21:31");
    let shows = |lat, lon, ink: ink::Ink| {
        let (x, y) = around().projection().spot(lat, lon);
        (-6..=6).any(|dx| (-6..=6).any(|dy| pixels.is(x + f64::from(dx), y + f64::from(dy), ink)))
    };
    assert!(shows(36.0, -98.0, ink::FLASH), "ten minutes old");
    assert!(
        !shows(37.5, -98.0, ink::FLASH) && !shows(36.0, -96.0, ink::FLASH),
        "21 minutes old; of the other satellite"
    );
    assert!(shows(36.0, -97.0, ink::TORNADO_REPORT) && shows(37.0, -97.0, ink::HAIL_REPORT));
    assert!(!shows(37.0, -96.0, ink::HAIL_REPORT), "two hours and eleven minutes old");
    for words in ["flash (1)", "until 2026-06-10T21:30:00Z", "tornado (1)", "hail (1)"] {
        assert!(says(&painted, words), "{words}: {:?}", painted.texts);
    }
    assert!(!says(&painted, "wind (") && !says(&painted, "lightning: ") && !says(&painted, "storm reports: "));

    // Half an hour later nobody was heard again: the reports of the last two hours stand, the flashes are too old.
    let (painted, _) = draw_at(&picture, &[], around(), "21:59");
    for words in [
        "lightning: the newest lightning",
        "storm reports: no good answer",
        "NOT SEEN: there may be others",
        "flash (0)",
        "hail (1)",
    ] {
        assert!(says(&painted, words), "{words}: {:?}", painted.texts);
    }
    // The nation needs both satellites.
    let mut picture = Picture::default();
    for minute in 14..30 {
        picture.take(&report(&GOES_GLM, "21:30", granule(Satellite::East, &format!("21:{minute}"), &[])));
    }
    let (painted, _) = draw_at(&picture, &[], Extent::Conus, "21:31");
    assert!(says(&painted, "lightning in the west: no lightning granule"), "{:?}", painted.texts);
    assert!(!says(&painted, "lightning in the east"));
}

/// Corners of the earth come from outside; the page takes them.
#[test]
fn a_broken_polygon_costs_no_more_than_a_picture() {
    let mut picture = Picture::default();
    let warnings = ["21:00", "22:00"].map(|onset| {
        let mut warning = Warning::bare("Tornado Warning", utc("21:00"));
        warning.id = onset.to_owned();
        let corner = |n: u32| [f64::from(n * 77 % 360) - 180.0, f64::from(n * 53 % 181) - 90.0];
        warning.area = Some(Area::from(vec![vec![(0..400).map(corner).collect()]]));
        warning.onset_utc = Some(utc(onset));
        warning.ends_utc = Some(utc("23:00"));
        Arc::new(warning)
    });
    let snapshot = WarningSnapshot { updated_utc: Some(utc("21:30")), warnings: warnings.to_vec(), unread: 0 };
    picture.take(&report(&NWS_WARNINGS, "21:30", Observation::Warnings(Arc::new(snapshot))));
    let near = Extent::Around { place: LatLon::new(36.5, -97.0).unwrap(), radius_km: 20.0 };
    for extent in [Extent::Conus, near] {
        let (painted, _) = draw_at(&picture, &[], extent, "21:31");
        assert!(says(&painted, "1 Tornado Warning (coming)"));
    }
}
