//! An area made of polygons with holes: containment (the edge counts as inside), great-circle distance, width.
//!
//! Boundaries: ✓ takes rings as they come: repeated vertices, rings without area, rings across the antimeridian.
//! ✗ never panics, and never reads a broken ring as the whole world.

use super::{EARTH_RADIUS_KM, LatLon};
use geo::{BoundingRect, Intersects, LineString, MultiPolygon, Point, Polygon, Rect, Translate};
use serde::{Deserialize, Serialize};

/// A place this close to a side, degrees, lies on it (about a tenth of a millimetre: what rounding of the sixth decimal and
/// later can do to a point that was meant to be on the side).
const ON_EDGE_DEG: f64 = 1e-9;
/// A ring that encloses less than this, square degrees (about a hectare), holds nobody.
const RING_DEG2_MIN: f64 = 1e-6;
/// Sides are straight in degrees, as GeoJSON has it and as `contains` takes them. They are cut into arcs this short,
/// degrees: at 45 N an arc of 0.1 degree strays less than 3 m from its side, the whole side of a large polygon kilometres.
const ARC_DEG_MAX: f64 = 0.1;
/// At most this many arcs a side, so that a broken polygon of world size costs no more than a county.
const ARCS_PER_SIDE_MAX: f64 = 100.0;

/// One or more polygons, possibly with holes, in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Vec<Vec<[f64; 2]>>>", into = "Vec<Vec<Vec<[f64; 2]>>>")]
pub struct Area {
    /// As received: polygons of rings of `[lon, lat]` pairs, degrees; the first ring of a polygon is its outside.
    rings_lonlat: Vec<Vec<Vec<[f64; 2]>>>,
    /// The same, each polygon in one piece: longitudes may go beyond ±180 where it crosses the antimeridian.
    shape: MultiPolygon<f64>,
    bounds: Option<Rect<f64>>,
    /// The sides cut into short arcs.
    arcs: Vec<(Vector, Vector)>,
}

/// The nearest point of an area as seen from a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// 0 when the place is inside or on the edge.
    pub distance_km: f64,
    /// Bearing from the place to that point, degrees; `None` when the place is inside.
    pub bearing_deg: Option<f64>,
}

impl From<Vec<Vec<Vec<[f64; 2]>>>> for Area {
    fn from(rings_lonlat: Vec<Vec<Vec<[f64; 2]>>>) -> Self {
        let shape = MultiPolygon::new(rings_lonlat.iter().filter_map(|rings| in_one_piece(rings)).collect());
        let bounds = shape.bounding_rect();
        let arcs = sides(&shape).flat_map(|(a, b)| arcs_of(a, b)).collect();
        Self { rings_lonlat, shape, bounds, arcs }
    }
}

impl From<Area> for Vec<Vec<Vec<[f64; 2]>>> {
    fn from(area: Area) -> Self {
        area.rings_lonlat
    }
}

impl Area {
    /// As received: polygons of rings of `[lon, lat]` pairs.
    pub fn rings_lonlat(&self) -> &[Vec<Vec<[f64; 2]>>] {
        &self.rings_lonlat
    }

    /// South-west and north-east corners as `([lon, lat], [lon, lat])`; `None` for an area without points. Where the area
    /// crosses the antimeridian one longitude lies beyond ±180.
    pub fn bounds_lonlat(&self) -> Option<([f64; 2], [f64; 2])> {
        self.bounds.map(|b| ([b.min().x, b.min().y], [b.max().x, b.max().y]))
    }

    /// Whether anybody can be inside: false for points, lines, and rings with repeated vertices that enclose nothing.
    pub fn has_extent(&self) -> bool {
        use geo::Area as _;
        self.shape.0.iter().any(|polygon| polygon.unsigned_area() >= RING_DEG2_MIN)
    }

    /// Whether the two boxes around the areas have a point in common.
    pub fn bounds_meet(&self, other: &Self) -> bool {
        let (Some(ours), Some(theirs)) = (self.bounds, other.bounds) else { return false };
        [-360.0, 0.0, 360.0].into_iter().any(|turn| ours.intersects(&theirs.translate(turn, 0.0)))
    }

    /// Whether the place is inside or on the edge.
    pub fn contains(&self, place: LatLon) -> bool {
        let Some(bounds) = self.bounds else { return false };
        [0.0, -360.0, 360.0].into_iter().any(|turn| {
            let point = Point::new(place.lon() + turn, place.lat());
            let near = point.x() >= bounds.min().x - ON_EDGE_DEG
                && point.x() <= bounds.max().x + ON_EDGE_DEG
                && point.y() >= bounds.min().y - ON_EDGE_DEG
                && point.y() <= bounds.max().y + ON_EDGE_DEG;
            near && (self.shape.intersects(&point) || sides(&self.shape).any(|(a, b)| on_side(point, a, b)))
        })
    }

    /// Great-circle distance and bearing to the nearest point; `None` for an area without points.
    ///
    /// The nearest point is nearest in kilometres on the sphere, not in degrees.
    pub fn nearest(&self, place: LatLon) -> Option<Nearest> {
        if self.contains(place) {
            return Some(Nearest { distance_km: 0.0, bearing_deg: None });
        }
        let here = Vector::of(place.lon(), place.lat());
        let there = self
            .arcs
            .iter()
            .map(|&(a, b)| here.nearest_on_arc(a, b))
            .max_by(|p, q| here.dot(*p).total_cmp(&here.dot(*q)))?
            .place()?;
        Some(Nearest { distance_km: place.distance_km(there), bearing_deg: Some(place.bearing_deg(there)) })
    }

    /// Extent of the area at right angles to a track that runs in direction `track_deg`, km; 0 for an area without points.
    pub fn width_across_km(&self, track_deg: f64) -> f64 {
        let Some(bounds) = self.bounds else { return 0.0 };
        let centre = bounds.center();
        let km_per_deg = EARTH_RADIUS_KM.to_radians();
        let (sin, cos) = track_deg.to_radians().sin_cos();
        let across = |x: f64, y: f64| {
            let east_km = (x - centre.x) * km_per_deg * y.to_radians().cos();
            let north_km = (y - centre.y) * km_per_deg;
            east_km * cos - north_km * sin
        };
        let (low, high) = sides(&self.shape).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, _)| {
            let km = across(a[0], a[1]);
            (low.min(km), high.max(km))
        });
        (high - low).max(0.0)
    }
}

/// Every side of every ring, outer and inner, as two `[lon, lat]` corners. A ring of one point is a side of no length.
fn sides(shape: &MultiPolygon<f64>) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
    shape
        .0
        .iter()
        .flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()))
        .flat_map(LineString::lines)
        .map(|line| ([line.start.x, line.start.y], [line.end.x, line.end.y]))
}

/// The side from `a` to `b`, straight in degrees, as short great-circle arcs.
fn arcs_of(a: [f64; 2], b: [f64; 2]) -> impl Iterator<Item = (Vector, Vector)> {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let pieces = (dx.hypot(dy) / ARC_DEG_MAX).ceil().clamp(1.0, ARCS_PER_SIDE_MAX);
    let at = move |piece: f64| Vector::of(a[0] + dx * piece / pieces, a[1] + dy * piece / pieces);
    (0..pieces as u32).map(move |piece| (at(f64::from(piece)), at(f64::from(piece) + 1.0)))
}

/// One polygon with its rings closed, repeated vertices dropped and no jump of half a turn or more between vertices.
fn in_one_piece(rings: &[Vec<[f64; 2]>]) -> Option<Polygon<f64>> {
    let mut first_lon = None;
    let mut lines = rings.iter().map(|ring| {
        let mut last_lon = first_lon;
        let mut corners: Vec<(f64, f64)> = Vec::with_capacity(ring.len() + 1);
        for &[lon, lat] in ring.iter().filter(|corner| corner.iter().all(|v| v.is_finite())) {
            let lon = last_lon.map_or(lon, |last: f64| lon - 360.0 * ((lon - last) / 360.0).round());
            last_lon = Some(lon);
            first_lon.get_or_insert(lon);
            if corners.last() != Some(&(lon, lat)) {
                corners.push((lon, lat));
            }
        }
        if let (1, Some(&only)) = (corners.len(), corners.first()) {
            corners.push(only);
        }
        LineString::from(corners)
    });
    let outside = lines.next().filter(|line| !line.0.is_empty())?;
    Some(Polygon::new(outside, lines.filter(|line| line.0.len() > 2).collect()))
}

/// Whether the point lies on the straight side from `a` to `b`, in degrees.
fn on_side(point: Point<f64>, a: [f64; 2], b: [f64; 2]) -> bool {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dy * dy;
    let share = if length2 > 0.0 { ((point.x() - a[0]) * dx + (point.y() - a[1]) * dy) / length2 } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (a[0] + share * dx - point.x()).hypot(a[1] + share * dy - point.y()) <= ON_EDGE_DEG
}

/// A point of the unit sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Vector([f64; 3]);

impl Vector {
    fn of(lon_deg: f64, lat_deg: f64) -> Self {
        let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (lat_deg.to_radians().sin_cos(), lon_deg.to_radians().sin_cos());
        Self([cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
    }

    fn dot(self, other: Self) -> f64 {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// The point of the arc from `a` to `b` that is nearest to this one.
    fn nearest_on_arc(self, a: Self, b: Self) -> Self {
        let ends = if self.dot(a) >= self.dot(b) { a } else { b };
        let normal = a.cross(b);
        let size2 = normal.dot(normal);
        if size2 < 1e-24 {
            // Corners closer than a micrometre: the arc is a point.
            return ends;
        }
        let height = self.dot(normal) / size2;
        let ([x, y, z], [nx, ny, nz]) = (self.0, normal.0);
        let foot = Self([x - height * nx, y - height * ny, z - height * nz]);
        let size = foot.dot(foot).sqrt();
        let between = a.cross(foot).dot(normal) >= 0.0 && foot.cross(b).dot(normal) >= 0.0;
        if between && size > 1e-12 { Self(foot.0.map(|v| v / size)) } else { ends }
    }

    fn place(self) -> Option<LatLon> {
        let [x, y, z] = self.0;
        LatLon::new(z.atan2(x.hypot(y)).to_degrees(), y.atan2(x).to_degrees()).ok()
    }
}

#[cfg(test)]
mod tests;
