//! Planted air must show where it is planted: colours, order, words inside the page.

use super::ink::Ink;
use super::page::{Frame, Page, Painted, Side, fitted, paint, text_width, wrapped};
use super::skew_t::Diagram;
use super::*;
use crate::sounding::{Column, Environment, Level, Wind, environment};

/// A PNG read back.
pub(super) struct Picture {
    pub width: u32,
    pub height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    pub fn of(png: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgb);
        Self { width: info.width, height: info.height, rgb }
    }

    pub fn at(&self, x: f64, y: f64) -> [i32; 3] {
        let at = (y.round() as usize * self.width as usize + x.round() as usize) * 3;
        [0, 1, 2].map(|n| i32::from(self.rgb[at + n]))
    }

    /// Whether the pixel is of this colour, to a few steps of rounding.
    pub fn is(&self, x: f64, y: f64, Ink(r, g, b, _): Ink) -> bool {
        self.at(x, y).into_iter().zip([r, g, b]).all(|(held, wanted)| (held - i32::from(wanted)).abs() <= 6)
    }

    pub fn share_white(&self) -> f64 {
        let white = self.rgb.chunks(3).filter(|pixel| *pixel == [255, 255, 255]).count();
        white as f64 / f64::from(self.width * self.height)
    }
}

/// Every word inside the page, and none on another.
#[track_caller]
pub(super) fn words_stand_free(painted: &Painted, size: (u32, u32)) {
    let (width, height) = (f64::from(size.0), f64::from(size.1));
    for (at, (frame, words)) in painted.texts.iter().enumerate() {
        let inside = frame.left >= 0.0 && frame.top >= 0.0 && frame.right <= width && frame.bottom <= height;
        assert!(inside, "{words:?} leaves the page: {frame:?}");
        // A hair less: lines of text may touch.
        let core = Frame::new(frame.left + 1.0, frame.top + 2.5, frame.right - 1.0, frame.bottom - 2.5);
        for (other, theirs) in &painted.texts[at + 1..] {
            let other = Frame::new(other.left + 1.0, other.top + 2.5, other.right - 1.0, other.bottom - 2.5);
            assert!(!core.meets(&other), "{words:?} stands on {theirs:?}");
        }
    }
}

fn white_page(draw: impl FnOnce(&mut Page)) -> Picture {
    Picture::of(&paint((120, 80), draw).unwrap().png)
}

#[test]
fn holes_stay_white_and_nothing_leaves_the_window() {
    let square = |half: f64| {
        vec![
            (40.0 - half, 40.0 - half),
            (40.0 + half, 40.0 - half),
            (40.0 + half, 40.0 + half),
            (40.0 - half, 40.0 + half),
        ]
    };
    let page = white_page(|page| page.fill(&[square(30.0), square(10.0)], ink::TEMPERATURE));
    assert!(
        page.is(20.0, 40.0, ink::TEMPERATURE) && page.is(40.0, 40.0, ink::WHITE) && page.is(90.0, 40.0, ink::WHITE)
    );
    let window = Frame::new(10.0, 10.0, 50.0, 50.0);
    let page = white_page(|page| {
        page.within(window, |page| {
            page.line((-1e9, 30.0), (1e9, 30.0), 3.0, ink::BLACK);
            page.fill(&[vec![(-1e7, 40.0), (1e7, 40.0), (1e7, 45.0), (-1e7, 45.0)]], ink::DEW_POINT);
            page.line((f64::NAN, 0.0), (20.0, 20.0), 2.0, ink::BLACK);
        });
    });
    assert!(page.is(30.0, 30.0, ink::BLACK) && page.is(49.0, 42.0, ink::DEW_POINT));
    assert!(page.is(60.0, 30.0, ink::WHITE) && page.is(5.0, 42.0, ink::WHITE));
}

#[test]
fn words_are_cut_and_broken_to_a_width() {
    assert_eq!(fitted("short", 13.5, 100.0), "short");
    let cut = fitted("a name that is much too long for its place", 13.5, 100.0);
    assert!(cut.ends_with('…') && text_width(13.5, &cut) <= 100.0, "{cut}");
    let lines = wrapped("several words that do not stand in one line", 13.5, 100.0);
    assert!(lines.len() > 2 && lines.iter().all(|line| text_width(13.5, line) <= 100.0), "{lines:?}");
    // Words from outside may hold anything.
    let page = white_page(|page| page.text((5.0, 40.0), Side::Left, 13.5, ink::BLACK, "né\u{7}\n木☃"));
    assert!(page.share_white() < 1.0);
}

/// Warm moist air under a dry lid, westerlies that grow with height: inhibition below, energy above.
fn supercell_air() -> (Column, Environment) {
    let air = [
        (970.0, 350.0, 31.0, 22.0),
        (925.0, 770.0, 27.0, 20.5),
        (850.0, 1510.0, 21.5, 17.0),
        (800.0, 2040.0, 20.0, 6.0),
        (700.0, 3180.0, 10.5, -6.0),
        (600.0, 4420.0, 0.0, -14.0),
        (500.0, 5880.0, -11.5, -25.0),
        (400.0, 7590.0, -25.0, -40.0),
        (300.0, 9680.0, -42.0, -55.0),
        (200.0, 12400.0, -58.0, -70.0),
        (150.0, 14200.0, -60.0, -76.0),
        (100.0, 16700.0, -58.0, -80.0),
    ];
    let level =
        |(at, &(pressure_hpa, height_msl_m, temperature_c, dew_point_c)): (usize, &(f64, f64, f64, f64))| Level {
            pressure_hpa,
            height_msl_m,
            temperature_c,
            dew_point_c: Some(dew_point_c),
            wind: Some(Wind::from_direction(160.0 + 10.0 * at as f64, 6.0 + 3.0 * at as f64)),
        };
    let (column, dropped) = Column::new(air.iter().enumerate().map(level).collect()).unwrap();
    assert!(dropped.is_empty());
    let told = environment(&column);
    (column, told)
}

fn plot<'a>(column: &'a Column, environment: &'a Environment) -> SoundingPlot<'a> {
    let (title, source) = ("Made-up air".to_owned(), "valid never".to_owned());
    SoundingPlot { title, source, alarms: vec!["TOO OLD".to_owned()], column, environment }
}

#[test]
fn a_sounding_shows_its_planted_air() {
    let (column, told) = supercell_air();
    let painted = sounding::painted(&plot(&column, &told)).unwrap();
    assert_eq!(painted.png, sounding(&plot(&column, &told)).unwrap(), "the same air, the same bytes");
    words_stand_free(&painted, SOUNDING_SIZE);

    let picture = Picture::of(&painted.png);
    assert_eq!((picture.width, picture.height), SOUNDING_SIZE);
    assert!((0.3..0.95).contains(&picture.share_white()), "{}", picture.share_white());
    let diagram = Diagram { frame: sounding::DIAGRAM };
    for (hpa, temperature_c, dew_point_c) in [(850.0, 21.5, 17.0), (500.0, -11.5, -25.0), (300.0, -42.0, -55.0)] {
        let (warm, dry) = (diagram.spot(hpa, temperature_c), diagram.spot(hpa, dew_point_c));
        assert!(dry.0 < warm.0, "the dew point stands left of the temperature");
        assert!(picture.is(warm.0, warm.1, ink::TEMPERATURE), "{hpa}: {:?}", picture.at(warm.0, warm.1));
        assert!(picture.is(dry.0, dry.1, ink::DEW_POINT), "{hpa}: {:?}", picture.at(dry.0, dry.1));
    }
    // Between the air and the parcel, away from lines of the background: light red above, light blue below.
    let ascent = crate::sounding::parcel::lift_mixed_layer(&column).unwrap();
    assert!(ascent.cape_jkg > 1000.0 && ascent.cin_jkg.unwrap() < -20.0, "{ascent:?}");
    let tinted = |hpa: f64, is_tint: &dyn Fn([i32; 3]) -> bool| {
        let point = ascent.trace.iter().find(|point| point.pressure_hpa <= hpa).unwrap();
        let (parcel, air) = (point.virtual_temperature_c, point.around_c);
        let at = |part: f64| diagram.spot(point.pressure_hpa, air + (parcel - air) * part);
        (2..=8).any(|part| {
            let (x, y) = at(f64::from(part) / 10.0);
            (-3..=3).any(|dy| is_tint(picture.at(x, y + f64::from(dy))))
        })
    };
    assert!(tinted(400.0, &|[r, g, b]| r > 240 && g < 215 && b < 215 && g > 150));
    assert!(tinted(800.0, &|[r, g, b]| b > 240 && r < 215 && g < 230 && r > 150));
    let says = |words: &str| painted.texts.iter().any(|(_, text)| text.contains(words));
    assert!(says("Made-up air") && says("TOO OLD") && says("LFC") && says("SCP"));
    assert!(says(&format!("{:.0}", told.mlcape_jkg.unwrap())));
}

/// A column without winds and moisture is drawn as far as it goes, and says what it lacks.
#[test]
fn what_a_column_lacks_is_said() {
    let level = |at: u32| Level {
        pressure_hpa: 1000.0 - 100.0 * f64::from(at),
        height_msl_m: 100.0 + 1000.0 * f64::from(at),
        temperature_c: 20.0 - 7.0 * f64::from(at),
        dew_point_c: None,
        wind: None,
    };
    let (column, _) = Column::new((0..6).map(level).collect()).unwrap();
    let told = environment(&column);
    let painted = sounding::painted(&plot(&column, &told)).unwrap();
    words_stand_free(&painted, SOUNDING_SIZE);
    let says = |words: &str| painted.texts.iter().any(|(_, text)| text.contains(words));
    assert!(says("no parcel can be lifted") && says("no wind at the ground"));
}

/// A profile past its limit is drawn, and says since when levels are judged without it.
#[test]
fn an_old_profile_says_so() {
    let (column, told) = supercell_air();
    let at = |text: &str| format!("2026-06-10T{text}:00Z").parse::<jiff::Timestamp>().unwrap();
    let place = crate::geo::LatLon::new(35.34, -97.49).unwrap();
    let made_up = crate::profile::ModelProfile {
        model: "RAP 13 km".to_owned(),
        cycle_utc: at("19:00"),
        valid_utc: at("20:00"),
        forecast_hour: 1,
        grid_point: place,
        asked_place: place,
        distance_km: 0.0,
        terrain_msl_m: 350.0,
        column,
        environment: told,
        model_reported: Default::default(),
        key: "made/up".to_owned(),
    };
    let fresh = sounding::of_profile(&made_up, at("22:59"));
    assert!(fresh.alarms.is_empty() && fresh.title == "RAP 13 km over 35.34°N 97.49°W", "{fresh:?}");
    assert!(fresh.source.contains("valid 2026-06-10T20:00:00Z") && fresh.source.contains("1 h forecast"));
    let old = sounding::of_profile(&made_up, at("23:00"));
    assert!(old.alarms[0].contains("since 2026-06-10T23:00:00Z"), "{:?}", old.alarms);
    assert_ne!(profile(&made_up, at("22:59")).unwrap(), profile(&made_up, at("23:00")).unwrap());
}
