//! The map as a page draws it by itself: vector paths on one sheet of the continental US, and a clear picture of radar,
//! lightning and reports that lies over a window of it.
//!
//! Everything shares one projection, so that a part of the sheet is looked at by its window alone. The sheet's unit is about
//! 0.6 km; it runs to the right and down.

use super::layers::{event_ink, event_rank, on_page};
use super::{Seen, marks, radar};
use crate::geo::{Area, CONUS_LAT_DEG, CONUS_LON_DEG, LatLon};
use crate::ground::outlines::{Bounds, borders_within, outlines_within};
use crate::outlook::Category;
use crate::plot::PlotError;
use crate::plot::ink::{self, Ink};
use crate::plot::page::{Frame, Spot, paint_clear};
use crate::plot::projection::Projection;
use crate::warning::Warning;
use crate::warning::incidents::Phase;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// Width and height of the sheet: the whole box in which places can be watched.
pub const SIZE: (f64, f64) = (10_000.0, 5_600.0);
/// Width of every window over its height.
pub const ASPECT: f64 = 1.6;
/// The narrowest window, units: some 150 km, where a cell of radar is seven pixels wide.
pub const WINDOW_MIN: f64 = 240.0;
/// Width and height of the picture that lies over a window, pixels.
pub const OVERLAY_SIZE: (u32, u32) = (1_200, 750);
/// Products drawn at most, the gravest first: the widest outbreaks had some 200 with a polygon; beyond that a page of
/// paths would stall a phone.
pub const WARNINGS_MAX: usize = 500;
/// Points of a path closer than this to the one before are left out, units: a third of a kilometre.
const DETAIL: f64 = 0.5;
/// Outermost land of the lower 48 states to the west, east, south and north: what the window of the nation holds.
const LANDS_END: [(f64, f64); 4] = [(48.2, -124.73), (44.82, -66.95), (24.55, -81.8), (49.38, -95.15)];
/// Room around it, as a share of its width.
const MARGIN: f64 = 0.03;

static PROJECTION: LazyLock<Projection> =
    LazyLock::new(|| Projection::of_box(Frame::new(0.0, 0.0, SIZE.0, SIZE.1), CONUS_LAT_DEG, CONUS_LON_DEG));

/// A part of the sheet, of the common aspect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width; the height is this over `ASPECT`.
    pub width: f64,
}

impl Window {
    /// The nation.
    pub fn nation() -> Self {
        Self::around(LANDS_END.iter().filter_map(|(lat, lon)| LatLon::new(*lat, *lon).ok()), 0.0).unwrap_or(Self {
            x: 0.0,
            y: 0.0,
            width: SIZE.0,
        })
    }

    /// Holds all the places with a margin and is at least so wide; `None` without places.
    pub fn around(places: impl Iterator<Item = LatLon>, width_km_min: f64) -> Option<Self> {
        let spots: Vec<Spot> = places.map(spot).collect();
        let extent = |of: fn(&Spot) -> f64| {
            let of_all = spots.iter().map(of);
            (of_all.clone().fold(f64::INFINITY, f64::min), of_all.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (extent(|spot| spot.0), extent(|spot| spot.1));
        if spots.is_empty() {
            return None;
        }
        let tight = (right - left).max((bottom - top) * ASPECT) * (1.0 + 2.0 * MARGIN);
        let width = tight.max(width_km_min * units_per_km());
        Some(Self { x: (left + right - width) / 2.0, y: (top + bottom - width / ASPECT) / 2.0, width }.held())
    }

    /// The nearest window that shows something: numbers, not too narrow, not off the sheet.
    pub fn held(self) -> Self {
        let number = |value: f64| if value.is_finite() { value } else { 0.0 };
        let width = number(self.width).clamp(WINDOW_MIN, SIZE.0);
        let height = width / ASPECT;
        // A window may hang over the sheet's edge by half of itself, so that a place at the edge can be in the middle.
        Self {
            x: number(self.x).clamp(-width / 2.0, SIZE.0 - width / 2.0),
            y: number(self.y).clamp(-height / 2.0, SIZE.1 - height / 2.0),
            width,
        }
    }

    /// Height, units.
    pub fn height(self) -> f64 {
        self.width / ASPECT
    }
}

/// Units of the sheet a kilometre.
pub fn units_per_km() -> f64 {
    PROJECTION.px_per_km
}

/// Where a place is on the sheet.
pub fn spot(at: LatLon) -> (f64, f64) {
    PROJECTION.spot(at.lat(), at.lon())
}

/// The place at a spot of the sheet.
pub fn place(spot: (f64, f64)) -> Option<LatLon> {
    PROJECTION.place(spot)
}

/// What a script needs to do the same: cone constant, its scale (km), its meridian (degrees), the sheet's middle on it (km),
/// units a kilometre.
pub fn constants() -> [f64; 6] {
    PROJECTION.constants()
}

/// Width of the nation that the detail of its borders is made for, pixels: half a kilometre, which shows in the narrowest windows.
const BORDERS_WIDTH_PX: u32 = 5_000;

/// The lower 48 states as one path, to be filled.
pub fn land() -> String {
    let mut path = String::new();
    for ring in outlines_within(Bounds::of_conus(), BORDERS_WIDTH_PX).iter().flat_map(|state| &state.rings_lonlat) {
        push_line(&mut path, &on_sheet(ring));
        path.push('Z');
    }
    path
}

/// Their borders and shores as one path, each once, to be stroked.
pub fn borders() -> String {
    let mut path = String::new();
    for border in borders_within(Bounds::of_conus(), BORDERS_WIDTH_PX) {
        push_line(&mut path, &on_sheet(&border.line_lonlat));
    }
    path
}

/// Two letters and a spot well within each state: the middle of its largest ring.
pub fn state_names() -> Vec<(&'static str, (f64, f64))> {
    let middle = |rings: &[Vec<[f64; 2]>]| {
        let on_sheet = rings.iter().map(|ring| middle_of(&on_sheet(ring)));
        on_sheet.flatten().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, spot)| spot)
    };
    let states = outlines_within(Bounds::of_conus(), BORDERS_WIDTH_PX);
    states.iter().filter_map(|state| Some((state.code, middle(&state.rings_lonlat)?))).collect()
}

/// Area and centre of gravity of a ring; `None` for one without an area.
fn middle_of(ring: &[Spot]) -> Option<(f64, Spot)> {
    let (mut area, mut x, mut y) = (0.0, 0.0, 0.0);
    for pair in ring.windows(2) {
        let [from, to] = pair else { continue };
        let cross = from.0 * to.1 - to.0 * from.1;
        area += cross / 2.0;
        x += (from.0 + to.0) * cross;
        y += (from.1 + to.1) * cross;
    }
    (area.abs() > 1.0).then(|| (area.abs(), (x / (6.0 * area), y / (6.0 * area))))
}

fn on_sheet(line_lonlat: &[[f64; 2]]) -> Vec<Spot> {
    line_lonlat.iter().map(|[lon, lat]| PROJECTION.spot(*lat, *lon)).collect()
}

/// An area with a colour, a path and words.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// SVG path data; the even-odd rule fills it.
    pub path: String,
    /// `#rrggbb`.
    pub colour: String,
    /// What it is.
    pub name: String,
}

/// A product with its outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlined {
    /// Where, and its colour.
    pub shape: Shape,
    /// The product.
    pub warning: Arc<Warning>,
    /// Coming or in effect.
    pub phase: Phase,
}

/// Today's categories, the lowest first: each lies over the one before.
pub fn outlook(seen: &Seen) -> Vec<Shape> {
    let mut areas: Vec<_> = seen.outlook.iter().flat_map(|set| set.categorical.iter().flatten()).collect();
    areas.sort_by_key(|held| held.category);
    areas.into_iter().map(|held| shape(&held.area, category_ink(held.category), held.category.description())).collect()
}

/// The colour of a category.
pub fn category_colour(category: Category) -> String {
    hex(category_ink(category))
}

fn category_ink(category: Category) -> Ink {
    ink::category(category)
}

/// The colour of a product by its event.
pub fn event_colour(event: &str) -> String {
    hex(event_ink(event))
}

/// Products with a polygon, the gravest last and so on top; and how many are left out because there are too many.
pub fn warnings(seen: &Seen) -> (Vec<Outlined>, usize) {
    let mut drawn: Vec<_> = seen.warnings.iter().collect();
    // The key of equals is their id, so that the same picture is drawn alike.
    drawn.sort_by_key(|(warning, _)| (event_rank(&warning.event), warning.id.clone()));
    let left_out = drawn.len().saturating_sub(WARNINGS_MAX);
    drawn.truncate(WARNINGS_MAX);
    let outlined = drawn.into_iter().rev().filter_map(|(warning, phase)| {
        let shape = shape(warning.area.as_ref()?, event_ink(&warning.event), &warning.event);
        Some(Outlined { shape, warning: Arc::clone(warning), phase: *phase })
    });
    (outlined.collect(), left_out)
}

/// Steps of a scale of colours: from which value on, and the colour.
pub type Steps = Vec<(f64, String)>;

/// What is drawn of radar: name, unit, steps, and whether a mosaic that may speak is there.
pub fn radar_scales(seen: &Seen) -> Vec<(&'static str, &'static str, Steps, bool)> {
    let scales = radar::LAYERS.iter().map(|layer| {
        let steps = layer.steps.iter().map(|(from, ink)| (*from, hex(*ink))).collect();
        let is_seen = layer.products.iter().any(|product| seen.mosaic(*product).is_some());
        (layer.name, layer.unit, steps, is_seen)
    });
    scales.collect()
}

/// What lies over a window: hatching where no radar looks, radar, lightning, storm reports; PNG with a clear ground.
///
/// # Errors
/// Only defects of the build: see [`PlotError`].
pub fn overlay(seen: &Seen, window: Window) -> Result<Vec<u8>, PlotError> {
    let window = window.held();
    let frame = Frame::new(0.0, 0.0, f64::from(OVERLAY_SIZE.0) - 1.0, f64::from(OVERLAY_SIZE.1) - 1.0);
    let middle = (window.x + window.width / 2.0, window.y + window.height() / 2.0);
    let projection = PROJECTION.zoomed(frame, middle, f64::from(OVERLAY_SIZE.0) / window.width);
    let marks = marks::Marks::new(&projection, seen);
    paint_clear(OVERLAY_SIZE, |page| {
        radar::hatch_unseen(page, &projection, seen);
        radar::echoes(page, &projection, seen);
        marks.draw(page);
    })
}

fn shape(area: &Area, ink: Ink, name: &str) -> Shape {
    let mut path = String::new();
    for ring in on_page(&PROJECTION, area).iter().flatten() {
        push_line(&mut path, ring);
        path.push('Z');
    }
    Shape { path, colour: hex(ink), name: name.to_owned() }
}

/// Moves to the first spot and draws on to the others; what is no number or too near to the spot before is left out.
fn push_line(path: &mut String, spots: &[Spot]) {
    let mut last: Option<Spot> = None;
    for (x, y) in spots.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
        if last.is_some_and(|(lx, ly)| (x - lx).hypot(y - ly) < DETAIL) {
            continue;
        }
        let verb = if last.is_some() { 'L' } else { 'M' };
        // To a tenth of a unit, 60 m; writing to a string cannot fail.
        let _ = write!(path, "{verb}{x:.1} {y:.1}");
        last = Some((*x, *y));
    }
}

fn hex(Ink(r, g, b, _): Ink) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_of_the_nation_holds_it_and_little_else() {
        let window = Window::nation();
        for (lat, lon) in LANDS_END {
            let (x, y) = spot(LatLon::new(lat, lon).unwrap());
            assert!((window.x..window.x + window.width).contains(&x), "{lat} {lon}");
            assert!((window.y..window.y + window.height()).contains(&y), "{lat} {lon}");
        }
        // Some 4,600 km from Cape Flattery to Quoddy Head.
        assert!((4_500.0..5_200.0).contains(&(window.width / units_per_km())), "{window:?}");
    }

    #[test]
    fn a_window_around_places_has_them_in_its_middle_and_is_not_too_narrow() {
        let home = LatLon::new(35.22, -97.44).unwrap();
        let window = Window::around([home].into_iter(), 400.0).unwrap();
        let (x, y) = spot(home);
        assert!(
            (window.x + window.width / 2.0 - x).abs() < 1e-6 && (window.y + window.height() / 2.0 - y).abs() < 1e-6
        );
        assert!((window.width / units_per_km() - 400.0).abs() < 1e-6);
        assert_eq!(Window::around(std::iter::empty(), 400.0), None);
    }

    #[test]
    fn windows_of_nonsense_are_held() {
        for value in [f64::NAN, f64::INFINITY, -1e300, 1e300, 0.0] {
            let held = Window { x: value, y: value, width: value }.held();
            assert!((WINDOW_MIN..=SIZE.0).contains(&held.width), "{held:?}");
            assert!(held.x.abs() <= SIZE.0 && held.y.abs() <= SIZE.0, "{held:?}");
        }
    }

    #[test]
    fn there_and_back_from_the_sheet() {
        let home = LatLon::new(44.0, -71.5).unwrap();
        assert!(place(spot(home)).unwrap().distance_km(home) < 0.001);
    }

    #[test]
    fn lines_are_thinned_and_free_of_nonsense() {
        let mut path = String::new();
        push_line(&mut path, &[(1.0, 2.0), (1.1, 2.0), (f64::NAN, 3.0), (50.0, 2.04), (50.0, 60.0)]);
        assert_eq!(path, "M1.0 2.0L50.0 2.0L50.0 60.0");
    }

    #[test]
    fn states_have_land_and_borders() {
        let (land, borders) = (land(), borders());
        assert!(land.matches('Z').count() >= 49, "48 states and the District of Columbia");
        let kansas = state_names().into_iter().find(|(code, _)| *code == "KS").unwrap().1;
        assert!(place(kansas).unwrap().distance_km(LatLon::new(38.5, -98.38).unwrap()) < 10.0, "{kansas:?}");
        assert!(borders.len() > 10_000 && borders.len() + land.len() < 1_000_000, "{} {}", borders.len(), land.len());
    }
}
