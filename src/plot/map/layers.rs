//! Outlook, states, graticule, warnings, scale.

use super::{Extent, Seen};
use crate::geo::{Area, CONUS_LAT_DEG, CONUS_LON_DEG};
use crate::ground::outlines::borders_within;
use crate::plot::ink::{self, Ink};
use crate::plot::page::{Page, Side, Spot, closed};
use crate::plot::projection::Projection;
use crate::warning::incidents::Phase;

/// Sides of areas are straight in degrees and bent on the map: they are cut into pieces this long, degrees.
const PIECE_DEG: f64 = 0.5;
/// Pieces of one side at most: a broken polygon of world size costs no more than a state.
const PIECES_MAX: f64 = 200.0;

/// The colour of an event.
pub(super) fn event_ink(event: &str) -> Ink {
    ink::EVENTS.iter().find(|(name, _)| *name == event).map_or(ink::OTHER_EVENT, |(_, ink)| *ink)
}

/// How grave an event is: smaller is graver.
pub(super) fn event_rank(event: &str) -> usize {
    ink::EVENTS.iter().position(|(name, _)| *name == event).unwrap_or(ink::EVENTS.len())
}

/// Today's categories, the lowest first.
pub(super) fn outlook(page: &mut Page, projection: &Projection, seen: &Seen) {
    let Some(set) = &seen.outlook else { return };
    let mut areas: Vec<_> = set.categorical.iter().flatten().collect();
    areas.sort_by_key(|held| held.category);
    for held in areas {
        let ink = ink::category(held.category);
        for rings in on_page(projection, &held.area) {
            // Categories are nested: what lies below is taken off first, so that colours do not mix.
            page.fill(&rings, ink::WHITE);
            page.fill(&rings, ink::faint(ink, ink::CATEGORY_ALPHA));
            for ring in &rings {
                page.outline(ring, 1.6, ink);
            }
        }
    }
}

/// Products with a polygon: the gravest on top, those that have not begun dashed.
pub(super) fn warnings(page: &mut Page, projection: &Projection, seen: &Seen) {
    let mut drawn: Vec<_> = seen.warnings.iter().collect();
    // The key of equals is their id, so that the same picture is drawn alike.
    drawn.sort_by_key(|(warning, _)| (std::cmp::Reverse(event_rank(&warning.event)), warning.id.clone()));
    for (warning, phase) in drawn {
        let Some(area) = &warning.area else { continue };
        let ink = event_ink(&warning.event);
        for rings in on_page(projection, area) {
            page.fill(&rings, ink::faint(ink, ink::WARNING_ALPHA));
            for ring in &rings {
                match phase {
                    Phase::InEffect => {
                        page.outline(ring, 4.0, ink::WHITE);
                        page.outline(ring, 2.4, ink);
                    }
                    Phase::Coming => page.dashes(&closed(ring), (8.0, 6.0), 2.4, ink),
                }
            }
        }
    }
}

/// Shores and borders of the states, a shore the stronger.
pub(super) fn states(page: &mut Page, projection: &Projection, extent: Extent) {
    for border in borders_within(extent.bounds(), projection.frame.width() as u32) {
        let (width, ink) = if border.is_between_states { (1.3, ink::STATE_LINE) } else { (1.7, ink::SHORE) };
        page.path(&line_on_page(projection, &border.line_lonlat), width, ink);
    }
}

/// The rings of each polygon of an area, on the page.
pub(super) fn on_page(projection: &Projection, area: &Area) -> Vec<Vec<Vec<Spot>>> {
    let ring_on_page = |ring: &Vec<[f64; 2]>| -> Vec<Spot> {
        let corners: Vec<[f64; 2]> = ring.iter().copied().filter(|c| c.iter().all(|v| v.is_finite())).collect();
        let mut spots = line_on_page(projection, &corners.iter().chain(corners.first()).copied().collect::<Vec<_>>());
        spots.pop();
        spots
    };
    let polygons = area.rings_lonlat().iter();
    polygons.map(|rings| rings.iter().map(ring_on_page).filter(|ring| ring.len() > 2).collect()).collect()
}

/// A line through corners that are numbers, on the page, with its sides bent as they run on the earth's map.
fn line_on_page(projection: &Projection, corners: &[[f64; 2]]) -> Vec<Spot> {
    let mut spots = Vec::with_capacity(corners.len());
    for pair in corners.windows(2) {
        let [from, to] = pair else { continue };
        let pieces = ((to[0] - from[0]).hypot(to[1] - from[1]) / PIECE_DEG).ceil().clamp(1.0, PIECES_MAX);
        for piece in 0..pieces as u32 {
            let part = f64::from(piece) / pieces;
            let spot = projection.spot(from[1] + (to[1] - from[1]) * part, from[0] + (to[0] - from[0]) * part);
            spots.push(spot);
        }
    }
    spots.extend(corners.last().map(|last| projection.spot(last[1], last[0])));
    spots
}

/// Parallels and meridians with their names, and the box of the continental US.
pub(super) fn graticule(page: &mut Page, projection: &Projection) {
    let frame = projection.frame;
    // A step of which some five fit into the frame.
    let height_deg = frame.height() / projection.px_per_km / 111.2;
    let step = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1].into_iter().find(|step| height_deg / step >= 4.0).unwrap_or(0.1);
    let decimals = usize::from(step < 1.0);
    // Whole steps around the box that stormbell covers, with room for circles at its edge.
    let steps = |(low, high): (f64, f64)| {
        let (first, last) = ((low / step).floor() as i32, (high / step).ceil() as i32);
        (first..=last).map(move |n| f64::from(n) * step)
    };
    let (lats, lons) = ((10.0, 64.0), (-146.0, -46.0));
    let line = |fixed: f64, along: (f64, f64), is_lat: bool| -> Vec<Spot> {
        let pieces = 160;
        let at = |n: i32| along.0 + (along.1 - along.0) * f64::from(n) / f64::from(pieces);
        let spot = |v: f64| if is_lat { projection.spot(fixed, v) } else { projection.spot(v, fixed) };
        (0..=pieces).map(|n| spot(at(n))).collect()
    };
    for lat in steps(lats) {
        let spots = line(lat, lons, true);
        page.path(&spots, 1.0, ink::GRATICULE);
        // Named where it enters at the left edge.
        if let Some(y) =
            crossing(&spots, frame.left, |spot| spot).filter(|y| (frame.top + 12.0..frame.bottom - 50.0).contains(y))
        {
            page.text_on_map((frame.left + 5.0, y), Side::Left, 12.0, ink::GREY, &format!("{lat:.decimals$}°N"));
        }
    }
    for lon in steps(lons) {
        let spots = line(lon, lats, false);
        page.path(&spots, 1.0, ink::GRATICULE);
        let x = crossing(&spots, frame.top, |(x, y)| (y, x));
        if let Some(x) = x.filter(|x| (frame.left + 30.0..frame.right - 30.0).contains(x)) {
            page.text_on_map((x, frame.top + 11.0), Side::Centre, 12.0, ink::GREY, &format!("{:.decimals$}°W", -lon));
        }
    }
    let ((south, north), (west, east)) = (CONUS_LAT_DEG, CONUS_LON_DEG);
    for spots in [
        line(south, (west, east), true),
        line(north, (west, east), true),
        line(west, (south, north), false),
        line(east, (south, north), false),
    ] {
        page.path(&spots, 1.6, ink::BOX);
    }
}

/// Where a path crosses an edge of the frame: `turned` gives the coordinate across the edge first.
fn crossing(spots: &[Spot], edge: f64, turned: impl Fn(Spot) -> Spot) -> Option<f64> {
    spots.windows(2).find_map(|pair| {
        let (a, b) = (turned(pair[0]), turned(pair[1]));
        ((a.0 <= edge) != (b.0 <= edge)).then(|| a.1 + (edge - a.0) / (b.0 - a.0) * (b.1 - a.1))
    })
}

/// A bar of a round number of kilometres.
pub(super) fn scale(page: &mut Page, projection: &Projection) {
    let frame = projection.frame;
    let round = [500.0, 200.0, 100.0, 50.0, 20.0, 10.0, 5.0, 2.0];
    let km = round.into_iter().find(|km| km * projection.px_per_km <= 180.0).unwrap_or(2.0);
    let (x, y, width) = (frame.left + 16.0, frame.bottom - 14.0, km * projection.px_per_km);
    page.line((x, y), (x + width, y), 5.0, ink::WHITE);
    page.line((x, y), (x + width, y), 2.0, ink::BLACK);
    for end in [x, x + width] {
        page.line((end, y - 5.0), (end, y + 5.0), 2.0, ink::BLACK);
    }
    page.text_on_map((x + 4.0, y - 12.0), Side::Left, 12.0, ink::BLACK, &format!("{km:.0} km"));
}
