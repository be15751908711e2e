//! get_mrms_severe: what the national radar mosaics show around a point.

use super::usable_mosaic;
use crate::geo::LatLon;
use crate::mcp::envelope::{Envelope, Location, Point, clock_time, rounded, utc_minute};
use crate::mosaic::{Cell, Coverage, Mosaic, Product};
use crate::threat::picture::Picture;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Radius when none is asked for, km.
pub const RADIUS_KM_DEFAULT: f64 = 40.0;
/// Smallest and largest radius, km; what lies outside is clamped.
pub const RADIUS_KM: (f64, f64) = (5.0, 200.0);
/// Millimetres in an inch.
const MM_PER_IN: f64 = 25.4;
/// Rotation mosaics hold thousandths of a per-second shear.
const SHEAR_S1_PER_UNIT: f64 = 0.001;

/// `data` of get_mrms_severe. A product that is missing or too old has no block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MrmsSevere {
    /// The asked point.
    pub point: Point,
    /// The radius used, km: the asked one within 5 to 200.
    pub radius_km: f64,
    /// Hail: maximum expected size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hail_mesh: Option<HailMesh>,
    /// Rotation 3 to 6 km above ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_midlevel: Option<Rotation>,
    /// Rotation 0 to 2 km above ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_lowlevel: Option<Rotation>,
    /// Vertically integrated liquid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vil: Option<Vil>,
    /// Composite reflectivity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composite_reflectivity: Option<Reflectivity>,
}

/// Maximum expected size of hail.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HailMesh {
    /// Largest value, mm; null when no cell holds a signal.
    pub max_mesh_mm: Option<f64>,
    /// The same in inches.
    pub max_mesh_in: Option<f64>,
    /// When and where.
    #[serde(flatten)]
    pub scan: Scan,
}

/// Azimuthal shear.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rotation {
    /// Largest value, per second; null when no cell holds a signal.
    pub max_azimuthal_shear_s1: Option<f64>,
    /// The layer above ground.
    pub layer: String,
    /// When and where.
    #[serde(flatten)]
    pub scan: Scan,
}

/// Vertically integrated liquid.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Vil {
    /// Largest value, kg per square metre; null when no cell holds a signal.
    pub max_vil_kg_m2: Option<f64>,
    /// When and where.
    #[serde(flatten)]
    pub scan: Scan,
}

/// Composite reflectivity.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reflectivity {
    /// Largest value, dBZ; null when no cell holds a signal.
    pub max_dbz: Option<f64>,
    /// When and where.
    #[serde(flatten)]
    pub scan: Scan,
}

/// What all products have in common.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scan {
    /// The time the values are valid for, UTC, to the minute.
    pub valid_utc: String,
    /// Age of the values, seconds.
    pub age_s: i64,
    /// `last 60 minutes` or `latest scan`.
    pub window: String,
    /// Where the largest value is; null when there is none.
    pub max_location: Option<Location>,
    /// How many cells within the radius hold a signal.
    pub cells_in_radius: usize,
    /// Whether radar looked at the whole circle; null where nothing says so.
    pub covered: Option<bool>,
    /// Object key of the mosaic.
    pub evidence_id: String,
}

/// Radar maxima within `radius_km` (clamped) of `place`, as of `now`.
pub fn mrms_severe(picture: &Picture, place: LatLon, radius_km: f64, now: Timestamp) -> Envelope<MrmsSevere> {
    let radius_km = radius_km.clamp(RADIUS_KM.0, RADIUS_KM.1);
    let look = Look { picture, place, radius_km, now };
    let mut degraded = Vec::new();
    let mut seen = |product| {
        let seen = look.at(product);
        // Where radar did not look at the whole circle, quiet is not known to be quiet: the same rule as the blind spots'.
        if seen.as_ref().is_none_or(|(_, scan)| scan.covered != Some(true)) {
            degraded.push(format!("mrms-{}", product.id()));
        }
        seen.map(|(cell, scan)| (cell.map(|cell| cell.value), scan))
    };
    let data = MrmsSevere {
        point: place.into(),
        radius_km,
        hail_mesh: seen(Product::MeshMax60min).map(|(value, scan)| HailMesh {
            max_mesh_mm: value.map(|mm| rounded(mm, 1)),
            max_mesh_in: value.map(|mm| rounded(mm / MM_PER_IN, 2)),
            scan,
        }),
        rotation_midlevel: seen(Product::RotationTrackMl60min).map(|found| rotation(found, "3-6 km AGL")),
        rotation_lowlevel: seen(Product::RotationTrackLl60min).map(|found| rotation(found, "0-2 km AGL")),
        vil: seen(Product::Vil).map(|(value, scan)| Vil { max_vil_kg_m2: value.map(|kg| rounded(kg, 1)), scan }),
        composite_reflectivity: seen(Product::CompositeReflectivity)
            .map(|(value, scan)| Reflectivity { max_dbz: value.map(|dbz| rounded(dbz, 1)), scan }),
    };
    let interpretation = interpret(&data, &look);
    Envelope::new(data, interpretation, degraded)
}

fn rotation((value, scan): (Option<f64>, Scan), layer: &str) -> Rotation {
    let max_azimuthal_shear_s1 = value.map(|units| rounded(units * SHEAR_S1_PER_UNIT, 4));
    Rotation { max_azimuthal_shear_s1, layer: layer.into(), scan }
}

/// One look at the mosaics from one place.
struct Look<'a> {
    picture: &'a Picture,
    place: LatLon,
    radius_km: f64,
    now: Timestamp,
}

impl Look<'_> {
    fn at(&self, product: Product) -> Option<(Option<Cell>, Scan)> {
        let mosaic = usable_mosaic(self.picture, product, self.now)?;
        let cell = mosaic.max_within(self.place, self.radius_km);
        let scan = Scan {
            valid_utc: utc_minute(mosaic.valid_utc),
            age_s: self.now.duration_since(mosaic.valid_utc).as_secs(),
            window: window_of(product).into(),
            max_location: cell.map(|cell| Location::new(cell.distance_km, cell.bearing_deg)),
            cells_in_radius: mosaic.count_within(self.place, self.radius_km),
            covered: match self.coverage(mosaic) {
                Coverage::Covered => Some(true),
                Coverage::Partial | Coverage::Uncovered => Some(false),
                Coverage::Unstated => None,
            },
            evidence_id: mosaic.key.clone(),
        };
        Some((cell, scan))
    }

    /// Rotation says nothing of coverage: it is covered where hail or reflectivity says that radar looked (levels.md).
    fn coverage(&self, mosaic: &Mosaic) -> Coverage {
        let own = mosaic.coverage(self.place, self.radius_km);
        if own != Coverage::Unstated { own } else { self.looked() }
    }

    /// The best that any usable mosaic says of the circle.
    fn looked(&self) -> Coverage {
        let said: Vec<Coverage> = Product::ALL
            .into_iter()
            .filter_map(|product| usable_mosaic(self.picture, product, self.now))
            .map(|mosaic| mosaic.coverage(self.place, self.radius_km))
            .collect();
        let best = [Coverage::Covered, Coverage::Partial, Coverage::Uncovered].into_iter();
        best.into_iter().find(|coverage| said.contains(coverage)).unwrap_or(Coverage::Unstated)
    }
}

fn window_of(product: Product) -> &'static str {
    match product {
        Product::MeshMax60min | Product::RotationTrackMl60min | Product::RotationTrackLl60min => "last 60 minutes",
        Product::Vil | Product::CompositeReflectivity => "latest scan",
    }
}

fn interpret(data: &MrmsSevere, look: &Look<'_>) -> String {
    let mut sentences = missing_in_words(look);
    let known = Product::ALL.len() - missing(look).len();
    if known == 0 {
        return sentences.join(" ");
    }
    sentences.extend(data.composite_reflectivity.as_ref().map(|block| {
        let within = look.radius_km;
        match block.max_dbz {
            None if block.scan.covered == Some(false) => format!("No echo where radar looked within {within} km."),
            None => format!("Quiet: no echo within {within} km."),
            Some(dbz) if dbz < 35.0 => format!("Quiet: at most {dbz} dBZ within {within} km."),
            Some(dbz) if dbz < 50.0 => format!("Showers or storms: up to {dbz} dBZ{}.", place_of(&block.scan)),
            Some(dbz) if dbz < 60.0 => format!("Strong storms: up to {dbz} dBZ{}.", place_of(&block.scan)),
            Some(dbz) => format!("Strong, hail-capable storms: up to {dbz} dBZ{}.", place_of(&block.scan)),
        }
    }));
    sentences.extend(data.hail_mesh.as_ref().and_then(|block| {
        let inches = block.max_mesh_in?;
        let size = if inches >= 2.0 {
            "Significant hail"
        } else if inches >= 1.0 {
            "Severe hail"
        } else {
            "Sub-severe hail"
        };
        Some(format!("{size} estimated in the last 60 minutes: up to {inches} in{}.", place_of(&block.scan)))
    }));
    sentences.extend(rotation_in_words(data));
    sentences.extend(data.vil.as_ref().and_then(|block| {
        let kg = block.max_vil_kg_m2.filter(|&kg| kg >= 35.0)?;
        Some(format!("Heavy water loading aloft: {kg} kg/m2{}.", place_of(&block.scan)))
    }));
    sentences.join(" ")
}

fn rotation_in_words(data: &MrmsSevere) -> Option<String> {
    let low = data.rotation_lowlevel.as_ref().and_then(|block| Some((block.max_azimuthal_shear_s1?, &block.scan)));
    let mid = data.rotation_midlevel.as_ref().and_then(|block| Some((block.max_azimuthal_shear_s1?, &block.scan)));
    let (layer, (shear, scan)) = match (low, mid) {
        (Some(low), Some(mid)) if low.0 >= mid.0 => ("low-level", low),
        (_, Some(mid)) => ("mid-level", mid),
        (Some(low), None) => ("low-level", low),
        (None, None) => return None,
    };
    let strength = if shear >= 0.012 {
        "Intense"
    } else if shear >= 0.008 {
        "Strong (mesocyclone-class)"
    } else if shear >= 0.004 {
        "Notable"
    } else {
        return None;
    };
    Some(format!("{strength} {layer} rotation in the last 60 minutes: {shear} /s{}.", place_of(scan)))
}

fn place_of(scan: &Scan) -> String {
    scan.max_location
        .as_ref()
        .map_or_else(String::new, |location| format!(" {} km {}", location.distance_km, location.direction))
}

fn missing(look: &Look<'_>) -> Vec<Product> {
    Product::ALL.into_iter().filter(|&product| usable_mosaic(look.picture, product, look.now).is_none()).collect()
}

fn missing_in_words(look: &Look<'_>) -> Vec<String> {
    let missing = missing(look);
    let mut sentences = Vec::new();
    let names: Vec<&str> = missing.iter().map(|product| name_of(*product)).collect();
    if missing.len() == Product::ALL.len() {
        let newest = Product::ALL
            .into_iter()
            .filter_map(|product| look.picture.mosaics.get(&product))
            .map(|mosaic| mosaic.valid_utc)
            .max();
        let since = newest.map_or_else(
            || "none has been heard yet".into(),
            |at| format!("the newest is of {}", clock_time(at, look.now)),
        );
        sentences.push(format!("Radar is unknown: no usable mosaic ({since}). This does not mean quiet weather."));
    } else if !missing.is_empty() {
        sentences.push(format!("Not known at present: {}.", names.join(", ")));
    }
    sentences.extend(match look.looked() {
        Coverage::Uncovered => Some("Radar does not cover this circle: blind, not quiet.".to_owned()),
        Coverage::Partial => Some("Radar covers only a part of this circle.".to_owned()),
        Coverage::Covered | Coverage::Unstated => None,
    });
    sentences
}

fn name_of(product: Product) -> &'static str {
    match product {
        Product::MeshMax60min => "hail size",
        Product::RotationTrackMl60min => "mid-level rotation",
        Product::RotationTrackLl60min => "low-level rotation",
        Product::Vil => "vertically integrated liquid",
        Product::CompositeReflectivity => "reflectivity",
    }
}

#[cfg(test)]
mod tests;
