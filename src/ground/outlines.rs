//! The outlines of the lower 48 states and the District of Columbia, for maps and for naming the state of a place.
//!
//! Census Bureau, cartographic boundaries of 2017 at 1:10,000,000 (public domain): true to some 300 m, shores included.
//! Boundaries: ✓ lines, rings, which state. ✗ no projection, no colours. Borders are shared: simplified for a small map, two
//! neighbours still fit.

use super::packed::Packed;
use crate::geo::{CONUS_LAT_DEG, CONUS_LON_DEG, EARTH_RADIUS_KM, LatLon};
use geo::{BoundingRect, Contains, Intersects, LineString, MultiPolygon, Point, Polygon, Rect, Simplify};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static BYTES: &[u8] = include_bytes!("../../assets/outlines.bin");
const UNITS_PER_DEGREE: f64 = 10_000.0;
/// What is this near to a state is of it although its outline does not hold it, km: shores and islands are simplified.
const SHORE_KM: f64 = 5.0;
/// What simplifying may move a line by, pixels.
const DETAIL_PX: f64 = 0.5;

/// One state.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Two letters, for instance `OK`; `DC` for the District of Columbia.
    pub code: String,
    /// Its name, for instance `Oklahoma`.
    pub name: String,
    /// Polygons in degrees, longitude first.
    shape: MultiPolygon<f64>,
    bounds: Option<Rect<f64>>,
}

impl Outline {
    /// Whether the place is within the outline.
    pub fn contains(&self, at: LatLon) -> bool {
        self.is_near(at, 0.0) && self.shape.contains(&Point::new(at.lon(), at.lat()))
    }

    /// Every ring, holes included, closed: corners as `[lon, lat]`, degrees. Filled by the even-odd rule they are the state.
    pub fn rings_lonlat(&self) -> Vec<Vec<[f64; 2]>> {
        let rings =
            self.shape.iter().flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()));
        rings.map(corners).collect()
    }

    fn is_near(&self, at: LatLon, km: f64) -> bool {
        let around = Bounds::around(at, km);
        self.bounds.is_some_and(|bounds| bounds.intersects(&around.0))
    }

    /// Distance to the nearest side, km; on a plane that touches at the place, which is enough for a few kilometres.
    fn shore_km(&self, at: LatLon) -> f64 {
        let km_per_deg = EARTH_RADIUS_KM.to_radians();
        let east = km_per_deg * at.lat().to_radians().cos();
        let on_plane = |[lon, lat]: [f64; 2]| ((lon - at.lon()) * east, (lat - at.lat()) * km_per_deg);
        let mut nearest = f64::INFINITY;
        for ring in self.rings_lonlat() {
            for pair in ring.windows(2) {
                let [from, to] = pair else { continue };
                nearest = nearest.min(from_origin(on_plane(*from), on_plane(*to)));
            }
        }
        nearest
    }
}

/// Distance from 0, 0 to the straight line between two spots.
fn from_origin((ax, ay): (f64, f64), (bx, by): (f64, f64)) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length2 = dx * dx + dy * dy;
    let share = if length2 > 0.0 { (-(ax * dx + ay * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (ax + share * dx).hypot(ay + share * dy)
}

/// A box of degrees. It does not cross the antimeridian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds(Rect<f64>);

impl Bounds {
    /// From two corners, in any order.
    pub fn between(one: LatLon, other: LatLon) -> Self {
        Self(Rect::new((one.lon(), one.lat()), (other.lon(), other.lat())))
    }

    /// The box that stormbell covers.
    pub fn of_conus() -> Self {
        Self(Rect::new((CONUS_LON_DEG.0, CONUS_LAT_DEG.0), (CONUS_LON_DEG.1, CONUS_LAT_DEG.1)))
    }

    /// The box around a circle.
    pub fn around(at: LatLon, radius_km: f64) -> Self {
        let lat_deg = radius_km / EARTH_RADIUS_KM.to_radians();
        // Near a pole every longitude is near.
        let shrunk = ((at.lat().abs() + lat_deg).min(89.0)).to_radians().cos();
        let lon_deg = lat_deg / shrunk;
        Self(Rect::new((at.lon() - lon_deg, at.lat() - lat_deg), (at.lon() + lon_deg, at.lat() + lat_deg)))
    }

    /// Degrees that lie under half a pixel where the box is drawn so many pixels wide.
    fn detail_deg(self, width_px: u32) -> f64 {
        self.0.width() / f64::from(width_px.max(1)) * DETAIL_PX
    }
}

/// A state as it is drawn on a map of some width.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnState {
    /// Two letters.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Closed rings, holes included, to be filled by the even-odd rule: corners as `[lon, lat]`, degrees.
    pub rings_lonlat: Vec<Vec<[f64; 2]>>,
}

/// A piece of a border or shore as it is drawn on a map of some width.
#[derive(Debug, Clone, PartialEq)]
pub struct Border {
    /// Corners as `[lon, lat]`, degrees.
    pub line_lonlat: Vec<[f64; 2]>,
    /// Whether states lie on both sides: a shore and a national border have one on one side alone.
    pub is_between_states: bool,
}

/// Every state, by its code.
pub fn outlines() -> &'static [Outline] {
    &ATLAS.outlines
}

/// The code of the state of a place, for instance `OK`: of the one that holds it, else of the nearest within 5 km.
pub fn state_of(at: LatLon) -> Option<&'static str> {
    let all = outlines();
    if let Some(holding) = all.iter().find(|outline| outline.contains(at)) {
        return Some(&holding.code);
    }
    let near = all.iter().filter(|outline| outline.is_near(at, SHORE_KM));
    let nearest = near.map(|outline| (outline.shore_km(at), outline)).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(km, _)| *km <= SHORE_KM).map(|(_, outline)| outline.code.as_str())
}

/// The states that a box touches, with the detail that shows where the box is drawn `width_px` pixels wide. States are whole: what lies
/// outside of the box is for the map to cut off.
pub fn outlines_within(bounds: Bounds, width_px: u32) -> Vec<DrawnState> {
    let atlas = &*ATLAS;
    let detail_deg = bounds.detail_deg(width_px);
    let is_near = |(outline, _): &(&Outline, _)| outline.bounds.is_some_and(|own| own.intersects(&bounds.0));
    let states = atlas.outlines.iter().zip(&atlas.rings).filter(is_near);
    // A border that two states share is simplified once.
    let mut simple: BTreeMap<usize, LineString<f64>> = BTreeMap::new();
    let drawn = states.map(|(outline, rings)| {
        let rings = rings.iter().map(|ring| {
            let arcs = ring.iter().filter_map(|(arc, is_forward)| {
                let line = atlas.arcs.get(*arc)?;
                let line = simple.entry(*arc).or_insert_with(|| line.simplify(detail_deg));
                Some((line.clone(), *is_forward))
            });
            corners(&joined(arcs))
        });
        // Three corners and the first once more: what is less was too small to see.
        let rings_lonlat = rings.filter(|ring| ring.len() > 3).collect();
        DrawnState { code: &outline.code, name: &outline.name, rings_lonlat }
    });
    drawn.collect()
}

/// Borders and shores that a box touches, each once, with the detail that shows where the box is drawn `width_px` pixels wide.
pub fn borders_within(bounds: Bounds, width_px: u32) -> Vec<Border> {
    let atlas = &*ATLAS;
    let near = atlas.arcs.iter().zip(&atlas.sides).filter(|(line, _)| {
        let own = line.bounding_rect();
        own.is_some_and(|own| own.intersects(&bounds.0))
    });
    near.map(|(line, sides)| Border {
        line_lonlat: corners(&line.simplify(bounds.detail_deg(width_px))),
        is_between_states: *sides > 1,
    })
    .collect()
}

fn corners(line: &LineString<f64>) -> Vec<[f64; 2]> {
    line.coords().map(|corner| [corner.x, corner.y]).collect()
}

/// Arcs one after the other; each begins where the one before it ended.
fn joined(arcs: impl Iterator<Item = (LineString<f64>, bool)>) -> LineString<f64> {
    let mut ring = Vec::new();
    for (mut arc, is_forward) in arcs {
        if !is_forward {
            arc.0.reverse();
        }
        ring.pop();
        ring.append(&mut arc.0);
    }
    LineString::new(ring)
}

/// A ring as the numbers of its arcs, and whether each runs forward.
type Ring = Vec<(usize, bool)>;

/// All that the file holds.
#[derive(Debug, Default)]
struct Atlas {
    arcs: Vec<LineString<f64>>,
    /// Of each arc, how many rings it is part of.
    sides: Vec<u8>,
    outlines: Vec<Outline>,
    /// Of each outline, its rings.
    rings: Vec<Vec<Ring>>,
}

/// The file is part of the program and its test reads it whole: where a build is broken there are no outlines.
static ATLAS: LazyLock<Atlas> = LazyLock::new(|| atlas(Packed(BYTES)).unwrap_or_default());

/// See `scripts/make_outlines.py` for the form.
fn atlas(mut packed: Packed) -> Option<Atlas> {
    packed.bytes(4).filter(|magic| *magic == b"SBO1")?;
    let arcs = (0..packed.count()?).map(|_| arc(&mut packed)).collect::<Option<Vec<_>>>()?;
    let mut sides = vec![0_u8; arcs.len()];
    let (mut outlines, mut rings) = (Vec::new(), Vec::new());
    for _ in 0..packed.count()? {
        let code = std::str::from_utf8(packed.bytes(2)?).ok()?.to_owned();
        let name = packed.text()?.to_owned();
        let (mut polygons, mut own_rings) = (Vec::new(), Vec::new());
        for _ in 0..packed.count()? {
            let own = (0..packed.count()?).map(|_| ring(&mut packed)).collect::<Option<Vec<_>>>()?;
            own.iter().flatten().try_for_each(|(arc, _)| sides.get_mut(*arc).map(|sides| *sides += 1))?;
            let line =
                |ring: &Ring| joined(ring.iter().filter_map(|(n, forward)| Some((arcs.get(*n)?.clone(), *forward))));
            let mut lines = own.iter().map(line);
            polygons.push(Polygon::new(lines.next()?, lines.collect()));
            own_rings.extend(own);
        }
        let shape = MultiPolygon::new(polygons);
        let bounds = shape.bounding_rect();
        outlines.push(Outline { code, name, shape, bounds });
        rings.push(own_rings);
    }
    Some(Atlas { arcs, sides, outlines, rings })
}

fn arc(packed: &mut Packed) -> Option<LineString<f64>> {
    let (mut lon, mut lat) = (0_i64, 0_i64);
    let corners = (0..packed.count()?).map(|_| {
        lon = lon.checked_add(packed.signed()?)?;
        lat = lat.checked_add(packed.signed()?)?;
        Some((lon as f64 / UNITS_PER_DEGREE, lat as f64 / UNITS_PER_DEGREE))
    });
    corners.collect::<Option<Vec<_>>>().map(LineString::from)
}

fn ring(packed: &mut Packed) -> Option<Ring> {
    let arcs = (0..packed.count()?).map(|_| {
        let number = packed.signed()?;
        let is_forward = number >= 0;
        usize::try_from(if is_forward { number } else { !number }).ok().map(|number| (number, is_forward))
    });
    arcs.collect()
}

#[cfg(test)]
mod tests;
