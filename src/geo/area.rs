//! An area made of polygons with holes: containment (the edge counts as inside), distance and width.

use super::LatLon;
use geo::{BoundingRect, Closest, HaversineClosestPoint, Intersects, MultiPolygon, Point, Polygon, Rect};
use serde::{Deserialize, Serialize};

/// One or more polygons, possibly with holes, in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Vec<Vec<[f64; 2]>>>", into = "Vec<Vec<Vec<[f64; 2]>>>")]
pub struct Area {
    /// As received: polygons of rings of `[lon, lat]` pairs, degrees; the first ring of a polygon is its outside.
    rings_lonlat: Vec<Vec<Vec<[f64; 2]>>>,
    shape: MultiPolygon<f64>,
    bounds: Option<Rect<f64>>,
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
        let shape = MultiPolygon::new(
            rings_lonlat
                .iter()
                .filter_map(|polygon| {
                    let mut rings = polygon.iter().map(|ring| ring.iter().map(|c| (c[0], c[1])).collect());
                    let outside = rings.next()?;
                    Some(Polygon::new(outside, rings.collect()))
                })
                .collect(),
        );
        let bounds = shape.bounding_rect();
        Self { rings_lonlat, shape, bounds }
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

    /// South-west and north-east corners as `([lon, lat], [lon, lat])`; `None` for an area without points.
    pub fn bounds_lonlat(&self) -> Option<([f64; 2], [f64; 2])> {
        self.bounds.map(|b| ([b.min().x, b.min().y], [b.max().x, b.max().y]))
    }

    /// Whether the place is inside or on the edge.
    pub fn contains(&self, place: LatLon) -> bool {
        let point = Point::new(place.lon(), place.lat());
        self.bounds.is_some_and(|b| b.intersects(&point)) && self.shape.intersects(&point)
    }

    /// Great-circle distance and bearing to the nearest point; `None` for an area without points.
    pub fn nearest(&self, place: LatLon) -> Option<Nearest> {
        if self.contains(place) {
            return Some(Nearest { distance_km: 0.0, bearing_deg: None });
        }
        let point = Point::new(place.lon(), place.lat());
        let closest = match self.shape.haversine_closest_point(&point) {
            Closest::SinglePoint(p) | Closest::Intersection(p) => p,
            Closest::Indeterminate => return None,
        };
        let there = LatLon::new(closest.y(), closest.x()).ok()?;
        let distance_km = place.distance_km(there);
        Some(Nearest { distance_km, bearing_deg: Some(place.bearing_deg(there)) })
    }
}
