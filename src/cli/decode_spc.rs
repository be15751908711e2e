//! `stormbell debug decode spc FILE`: what a file of the Storm Prediction Center says (an outlook layer, mesoscale discussions
//! or convective watches), as one JSON document (design/cli.md).

use crate::decode::spc::{self, LayerKind, OutlookLayer};
use crate::geo::{Area, LatLon};
use crate::observation::Fault;
use crate::outlook::{Discussions, Hazard, HazardOutlook, Intensity, Layer, Nothing, OutlookSet, Watches};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>) -> Value {
    let error = match spc::any_layer(bytes) {
        Ok((kind, layer)) => return layer_document(file_name, kind, &layer, at),
        Err(error) => error,
    };
    // `read_utc` is of no interest here.
    if let Ok((found, faults)) = spc::discussions(bytes, Timestamp::UNIX_EPOCH) {
        return discussions_document(file_name, &found, &faults, at);
    }
    if let Ok((found, faults)) = spc::watches(bytes, Timestamp::UNIX_EPOCH) {
        return watches_document(file_name, &found, &faults, at);
    }
    let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
    json!({"source": "spc", "file": file_name, "ok": false, "faults": [fault]})
}

fn layer_document(file_name: &str, kind: LayerKind, layer: &OutlookLayer, at: Option<LatLon>) -> Value {
    let categories = layer.categories.iter();
    let mut areas: Vec<Value> =
        categories.map(|held| area(held.category.label(), Some(held.category.dn()), "category", &held.area)).collect();
    let probabilities = layer.areas.probabilities.iter();
    areas.extend(
        probabilities
            .map(|(pct, held)| area(&format!("{:.2}", f64::from(*pct) / 100.0), Some(*pct), "probability", held)),
    );
    let intensities = layer.areas.intensities.iter();
    areas.extend(intensities.map(|(intensity, held)| area(intensity.label(), None, "intensity", held)));
    let unlabelled = layer.areas.unlabelled.iter();
    areas.extend(unlabelled.map(|(label, held)| area(label, None, "not understood", held)));
    let mut document = json!({
        "source": "spc",
        "file": file_name,
        "ok": true,
        "layer": match kind {
            LayerKind::Categorical => "categorical",
            LayerKind::Hazard => "hazard",
        },
        "valid_utc": time(layer.valid_utc),
        "expire_utc": time(layer.expire_utc),
        "issue_utc": time(layer.issue_utc),
        "forecaster": layer.forecaster,
        "features": layer.features,
        "unread": layer.areas.unread,
        "nothing": layer.areas.nothing.map(|nothing| match nothing {
            Nothing::BelowLowest => "below the lowest contour",
            Nothing::PotentialTooLow => "potential too low",
            Nothing::PredictabilityTooLow => "predictability too low",
        }),
        "areas": areas,
        "faults": faults(&layer.faults),
    });
    if let (Some(place), Some(object)) = (at, document.as_object_mut()) {
        object.insert("at".to_owned(), layer_at(layer, place));
    }
    document
}

/// What the layer alone says of a place, by the same query as outlooks.
fn layer_at(layer: &OutlookLayer, place: LatLon) -> Value {
    let set = OutlookSet {
        day: 1,
        valid_utc: layer.valid_utc.unwrap_or_default(),
        expire_utc: layer.expire_utc.unwrap_or_default(),
        issue_utc: layer.issue_utc,
        forecaster: None,
        categorical: Some(layer.categories.clone()),
        categorical_unread: 0,
        hazards: vec![HazardOutlook {
            hazard: Hazard::TotalSevere,
            probability: Layer::Known(layer.areas.clone()),
            intensity: Layer::NotIssued,
        }],
        url: String::new(),
        read_utc: Timestamp::UNIX_EPOCH,
    };
    let here = set.at(place);
    let hazard = here.hazard(Hazard::TotalSevere);
    json!({
        "lat": place.lat(),
        "lon": place.lon(),
        "dn": here.categorical.map(|category| category.dn()),
        "label": here.categorical.map(|category| category.label()),
        "probability_pct": hazard.and_then(|at| at.probability_pct),
        "conditional_intensity": hazard.and_then(|at| at.conditional_intensity).map(Intensity::label),
        "significant": hazard.is_some_and(|at| at.significant),
        "labels_not_understood": here.unlabelled,
    })
}

fn discussions_document(file_name: &str, found: &Discussions, wrong: &[Fault], at: Option<LatLon>) -> Value {
    let rows: Vec<Value> = found
        .discussions
        .iter()
        .map(|held| {
            json!({
                "number": held.number,
                "year": held.year,
                "issue_utc": held.issue_utc.to_string(),
                "expire_utc": held.expire_utc.to_string(),
                "watch_probability_pct": held.watch_probability_pct,
                "concerning": held.concerning,
                "product_id": held.product_id,
                "at_place": at.map(|place| held.area.contains(place)),
            })
        })
        .collect();
    json!({
        "source": "spc", "file": file_name, "ok": true, "layer": "mesoscale discussions", "unread": found.unread,
        "discussions": rows, "faults": faults(wrong),
    })
}

fn watches_document(file_name: &str, found: &Watches, wrong: &[Fault], at: Option<LatLon>) -> Value {
    let rows: Vec<Value> = found
        .watches
        .iter()
        .map(|held| {
            json!({
                "number": held.number,
                "event": held.kind.name(),
                "is_pds": held.is_pds,
                "issue_utc": held.issue_utc.to_string(),
                "expire_utc": held.expire_utc.to_string(),
                "max_hail_in": held.max_hail_in,
                "max_wind_gust_kt": held.max_wind_gust_kt,
                "at_place": at.map(|place| held.area.contains(place)),
            })
        })
        .collect();
    json!({
        "source": "spc", "file": file_name, "ok": true, "layer": "convective watches", "unread": found.unread,
        "watches": rows, "faults": faults(wrong),
    })
}

fn area(label: &str, dn: Option<u8>, kind: &str, held: &Area) -> Value {
    let bounds = held.bounds_lonlat().map(|([west, south], [east, north])| [west, south, east, north]);
    let polygons = held.rings_lonlat().len();
    json!({"label": label, "dn": dn, "kind": kind, "polygons": polygons, "bounds_lonlat": bounds})
}

fn time(at: Option<Timestamp>) -> Value {
    json!(at.map(|at| at.to_string()))
}

fn faults(faults: &[Fault]) -> Vec<Value> {
    faults.iter().map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect()
}
