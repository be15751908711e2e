//! SPC's outlook layers: one GeoJSON file a day and layer, with VALID, EXPIRE, ISSUE, DN and LABEL on every feature.
//!
//! Boundaries: ✓ labels old and new, placeholders of empty layers, geometry of any kind; one bad feature never hides the
//! others. ✗ no judgement on whether layers belong together or are in force (see `sources::spc_outlooks`, `outlook`).

mod label;
mod mesoscale;

pub use crate::decode::geojson::GeoJsonError;
pub use mesoscale::{discussions, watches};

use crate::decode::geojson::{self, shown, time, word};
use crate::decode::geometry;
use crate::geo::Area;
use crate::observation::Fault;
use crate::outlook::{CategoryArea, HazardAreas};
use jiff::Timestamp;
use label::Label;
use serde_json::Value;

/// Features of one layer: a busy day has nine contours.
const FEATURES_MAX: usize = 500;
/// Faults kept of one layer.
const FAULTS_MAX: usize = 50;
/// Outlooks lie within this box, degrees: `[west, south]` and `[east, north]`, with room for water and neighbours.
const BOX_LONLAT: ([f64; 2], [f64; 2]) = ([-140.0, 10.0], [-50.0, 65.0]);

/// What a layer is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerKind {
    /// Categories.
    Categorical,
    /// Probabilities or intensities of one hazard.
    Hazard,
}

/// One layer, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutlookLayer {
    /// VALID of its features; `None` where none tells it: then nothing tells which issue it is.
    pub valid_utc: Option<Timestamp>,
    /// EXPIRE.
    pub expire_utc: Option<Timestamp>,
    /// ISSUE.
    pub issue_utc: Option<Timestamp>,
    /// FORECASTER.
    pub forecaster: Option<String>,
    /// Features, placeholders included.
    pub features: usize,
    /// Areas of categories, for a categorical layer.
    pub categories: Vec<CategoryArea>,
    /// Areas of a hazard, for the others; `unread` counts for either.
    pub areas: HazardAreas,
    /// What was wrong.
    pub faults: Vec<Fault>,
}

/// Reads a layer as `kind`.
///
/// # Errors
/// Where the file is no such layer at all.
pub fn layer(bytes: &[u8], kind: LayerKind) -> Result<OutlookLayer, GeoJsonError> {
    read(&features(bytes)?, kind)
}

/// Reads a layer as what its labels say it is.
///
/// # Errors
/// Where the file is no outlook layer.
pub fn any_layer(bytes: &[u8]) -> Result<(LayerKind, OutlookLayer), GeoJsonError> {
    let features = features(bytes)?;
    let is_category = |feature: &Value| {
        let label = feature.get("properties").and_then(|properties| word(properties, "LABEL"));
        label.is_some_and(|label| label::category(&label).is_some())
    };
    let kind = if features.iter().any(is_category) { LayerKind::Categorical } else { LayerKind::Hazard };
    Ok((kind, read(&features, kind)?))
}

fn features(bytes: &[u8]) -> Result<Vec<Value>, GeoJsonError> {
    let features = geojson::features(bytes, FEATURES_MAX)?;
    let is_ours = |feature: &Value| {
        feature.get("properties").is_some_and(|properties| {
            properties.get("LABEL").is_some() || properties.get("VALID").is_some() || properties.get("DN").is_some()
        })
    };
    if !features.is_empty() && !features.iter().any(is_ours) {
        let what = geojson::features_are(&features);
        return Err(GeoJsonError::OtherFeatures { what, wanted: "areas of an SPC outlook" });
    }
    Ok(features)
}

fn read(features: &[Value], kind: LayerKind) -> Result<OutlookLayer, GeoJsonError> {
    let mut layer = OutlookLayer { features: features.len(), ..OutlookLayer::default() };
    for (number, feature) in features.iter().enumerate() {
        let place = format!("feature {number}");
        let Some(properties) = feature.get("properties").filter(|properties| properties.is_object()) else {
            layer.unread("it has no properties".to_owned(), place);
            continue;
        };
        layer.take_times(properties, &place)?;
        layer.take_feature(properties, feature.get("geometry"), kind, place);
    }
    layer.faults.truncate(FAULTS_MAX);
    Ok(layer)
}

impl OutlookLayer {
    fn unread(&mut self, what: String, place: String) {
        self.areas.unread = self.areas.unread.saturating_add(1);
        self.faults.push(Fault { what: format!("skipped: {what}"), place, kept_rest: true });
    }

    fn note(&mut self, what: String, place: &str) {
        self.faults.push(Fault { what, place: place.to_owned(), kept_rest: true });
    }

    /// VALID, EXPIRE and ISSUE, the ISO form first: files of 2020 have the twelve digits alone.
    fn take_times(&mut self, properties: &Value, place: &str) -> Result<(), GeoJsonError> {
        let told = |iso, digits| time(properties, iso).or_else(|| time(properties, digits));
        match (self.valid_utc, told("VALID_ISO", "VALID")) {
            (Some(one), Some(other)) if one != other => return Err(GeoJsonError::MixedIssues { one, other }),
            (None, Some(valid)) => self.valid_utc = Some(valid),
            (_, None) => self.note("it does not tell a readable VALID".to_owned(), place),
            (Some(_), Some(_)) => {}
        }
        self.expire_utc = self.expire_utc.or_else(|| told("EXPIRE_ISO", "EXPIRE"));
        self.issue_utc = self.issue_utc.or_else(|| told("ISSUE_ISO", "ISSUE"));
        self.forecaster = self.forecaster.take().or_else(|| word(properties, "FORECASTER"));
        Ok(())
    }

    fn take_feature(&mut self, properties: &Value, geometry: Option<&Value>, kind: LayerKind, place: String) {
        let label = word(properties, "LABEL").unwrap_or_default();
        let dn = geojson::whole(properties, "DN");
        // Only with DN above 0 a label means something: "Less Than 2% All Areas" is the placeholder of an empty layer.
        if dn == Some(0) || (dn.is_none() && is_empty(geometry)) {
            self.areas.nothing = Some(label::nothing(&label)).max(self.areas.nothing);
            return;
        }
        let area = match area(geometry) {
            Ok(area) => area,
            Err(why) => return self.unread(format!("{:?}: {why}", shown(&label)), place),
        };
        match kind {
            LayerKind::Categorical => match label::category(&label).or_else(|| dn.and_then(label::category_of_dn)) {
                Some(category) => {
                    if label::category(&label).is_none() {
                        self.note(format!("label {:?} is not known; read by its DN", shown(&label)), &place);
                    } else if dn.is_some_and(|dn| dn != u16::from(category.dn())) {
                        self.note(format!("DN {} does not fit its label {label}", dn.unwrap_or_default()), &place);
                    }
                    self.categories.push(CategoryArea { category, area });
                }
                None => {
                    self.areas.unlabelled.push((shown(&label), area));
                    self.unread(format!("category {:?} is not known", shown(&label)), place);
                }
            },
            LayerKind::Hazard => match label::hazard(&label) {
                Label::Probability(pct) => self.areas.probabilities.push((pct, area)),
                Label::Intensity(intensity) => self.areas.intensities.push((intensity, area)),
                Label::Unknown => {
                    self.note(format!("label {:?} is not known; its area is kept", shown(&label)), &place);
                    self.areas.unlabelled.push((shown(&label), area));
                }
            },
        }
    }
}

/// Whether a geometry holds nothing: null, or a collection without members.
fn is_empty(geometry: Option<&Value>) -> bool {
    geometry.is_none_or(|geometry| {
        geometry.is_null() || geometry.get("geometries").and_then(Value::as_array).is_some_and(Vec::is_empty)
    })
}

/// The area of a feature that says it has one.
fn area(geometry: Option<&Value>) -> Result<Area, String> {
    if is_empty(geometry) {
        return Err("it has no area".to_owned());
    }
    let area = geometry::area(geometry)?.ok_or("it has no area")?;
    let Some(([west, south], [east, north])) = area.bounds_lonlat().filter(|_| area.has_extent()) else {
        return Err("its area encloses nothing".to_owned());
    };
    let (least, most) = BOX_LONLAT;
    if west < least[0] || south < least[1] || east > most[0] || north > most[1] {
        return Err(format!("its area reaches from {south} N {west} E to {north} N {east} E, beyond any outlook"));
    }
    Ok(area)
}

#[cfg(test)]
mod tests;
