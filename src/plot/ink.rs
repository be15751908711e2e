//! Every colour used, by what it stands for. Those of radar, outlooks and warnings are the ones that the NWS and SPC use.

use crate::outlook::Category;
use crate::threat::Level;

/// Red, green, blue, and how much of it is laid on (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink(pub u8, pub u8, pub u8, pub f64);

/// An opaque colour.
const fn solid(r: u8, g: u8, b: u8) -> Ink {
    Ink(r, g, b, 1.0)
}

/// The same colour, this much of it (0 to 1).
pub(super) fn faint(ink: Ink, alpha: f64) -> Ink {
    Ink(ink.0, ink.1, ink.2, alpha)
}

pub(super) const BLACK: Ink = solid(20, 20, 20);
pub(super) const WHITE: Ink = solid(255, 255, 255);
pub(super) const GREY: Ink = solid(110, 110, 110);
pub(super) const PALE: Ink = solid(218, 218, 218);
/// Text that says what cannot be seen.
pub(super) const ALARM: Ink = solid(185, 0, 0);

pub(super) const TEMPERATURE: Ink = solid(215, 20, 20);
pub(super) const DEW_POINT: Ink = solid(0, 140, 30);
pub(super) const PARCEL: Ink = solid(0, 0, 0);
/// Laid over white and over the background lines.
pub(super) const CAPE: Ink = Ink(255, 90, 90, 0.32);
pub(super) const CIN: Ink = Ink(70, 130, 255, 0.34);
pub(super) const FREEZING: Ink = solid(90, 120, 215);
pub(super) const DRY_ADIABAT: Ink = solid(236, 205, 170);
pub(super) const MOIST_ADIABAT: Ink = solid(180, 215, 230);
pub(super) const MIXING_RATIO: Ink = solid(150, 205, 150);
pub(super) const INFLOW: Ink = solid(0, 135, 160);
pub(super) const MARKS: Ink = solid(120, 60, 150);

/// Colours of a hodograph up to so many km.
pub(super) const HODOGRAPH: [(f64, Ink, &str); 5] = [
    (1.0, solid(205, 0, 160), "0-1 km"),
    (3.0, solid(225, 30, 30), "1-3 km"),
    (6.0, solid(0, 150, 50), "3-6 km"),
    (9.0, solid(215, 160, 0), "6-9 km"),
    (12.0, solid(0, 150, 215), "9-12 km"),
];
pub(super) const RIGHT_MOVER: Ink = solid(190, 0, 0);
pub(super) const LEFT_MOVER: Ink = solid(0, 70, 190);
pub(super) const MEAN_WIND: Ink = solid(120, 85, 40);

/// Figures that speak for severe storms, from notable to extreme.
pub(super) const NOTABLE: [Ink; 3] = [solid(176, 122, 0), solid(205, 70, 0), solid(190, 0, 60)];

pub(super) const RULE: Ink = solid(190, 190, 190);
pub(super) const GRATICULE: Ink = solid(200, 205, 210);
/// Between two states, and where land ends or another nation begins.
pub(super) const STATE_LINE: Ink = solid(128, 134, 143);
pub(super) const SHORE: Ink = solid(92, 100, 112);
pub(super) const BOX: Ink = solid(120, 130, 140);
pub(super) const UNSEEN: Ink = solid(176, 176, 180);

/// Of a level; `None` where a point was not judged yet.
pub(super) fn level(level: Option<Level>) -> Ink {
    match level {
        None => solid(150, 150, 150),
        Some(Level::None) => solid(255, 255, 255),
        Some(Level::Marginal) => solid(60, 170, 70),
        Some(Level::Elevated) => solid(250, 215, 0),
        Some(Level::Significant) => solid(245, 125, 0),
        Some(Level::Extreme) => solid(215, 0, 150),
    }
}

/// SPC's colour of a category.
pub(super) fn category(category: Category) -> Ink {
    match category {
        Category::Tstm => solid(193, 233, 193),
        Category::Mrgl => solid(102, 163, 102),
        Category::Slgt => solid(255, 224, 102),
        Category::Enh => solid(255, 163, 102),
        Category::Mdt => solid(224, 102, 102),
        Category::High => solid(238, 153, 238),
    }
}

/// Events with a colour of their own on the NWS map, the gravest first; the map draws the gravest on top.
pub(super) const EVENTS: [(&str, Ink); 9] = [
    ("Tornado Warning", solid(255, 0, 0)),
    ("Severe Thunderstorm Warning", solid(255, 165, 0)),
    ("Flash Flood Warning", solid(139, 0, 0)),
    ("Special Marine Warning", solid(220, 140, 60)),
    ("Flood Warning", solid(0, 200, 0)),
    ("Flood Advisory", solid(0, 200, 127)),
    ("Special Weather Statement", solid(205, 170, 110)),
    ("Tornado Watch", solid(225, 215, 0)),
    ("Severe Thunderstorm Watch", solid(219, 112, 147)),
];
/// Any other product.
pub(super) const OTHER_EVENT: Ink = solid(105, 105, 150);

/// Composite reflectivity from so many dBZ, the usual steps of five.
pub(super) const REFLECTIVITY: [(f64, Ink); 12] = [
    (20.0, solid(2, 253, 2)),
    (25.0, solid(1, 220, 1)),
    (30.0, solid(1, 165, 1)),
    (35.0, solid(0, 120, 0)),
    (40.0, solid(253, 248, 2)),
    (45.0, solid(229, 188, 0)),
    (50.0, solid(253, 149, 0)),
    (55.0, solid(253, 0, 0)),
    (60.0, solid(212, 0, 0)),
    (65.0, solid(160, 0, 0)),
    (70.0, solid(248, 0, 253)),
    (75.0, solid(152, 84, 198)),
];
/// Hail size from so many mm: a quarter, a half, one, one and a half, two inches.
pub(super) const HAIL: [(f64, Ink); 5] = [
    (6.35, solid(160, 210, 235)),
    (12.7, solid(95, 165, 220)),
    (25.4, solid(40, 105, 200)),
    (38.1, solid(25, 55, 160)),
    (50.8, solid(45, 15, 110)),
];
/// Azimuthal shear from so many thousandths a second; less is mostly noise.
pub(super) const ROTATION: [(f64, Ink); 4] =
    [(5.0, solid(205, 175, 225)), (8.0, solid(165, 105, 205)), (12.0, solid(125, 45, 170)), (16.0, solid(80, 0, 110))];
/// A flash of lightning, and the rim that shows it on any ground.
pub(super) const FLASH: Ink = solid(255, 235, 0);
pub(super) const FLASH_RIM: Ink = solid(90, 70, 0);
/// Storm reports.
pub(super) const TORNADO_REPORT: Ink = solid(215, 0, 0);
pub(super) const HAIL_REPORT: Ink = solid(0, 125, 20);
pub(super) const WIND_REPORT: Ink = solid(0, 60, 220);
/// How much of a category's colour is laid on.
pub(super) const CATEGORY_ALPHA: f64 = 0.34;
/// How much of a warning's colour is laid inside its polygon.
pub(super) const WARNING_ALPHA: f64 = 0.2;
