//! `/points/{lat},{lon}`: which zones hold a place.

use super::text::word;
use super::{NwsError, document, name_of};
use crate::geo::LatLon;
use crate::observation::{Fault, PlaceZones};
use crate::warning::ugc;
use jiff::Timestamp;
use serde_json::Value;

/// Reads the zones of `place` out of a `/points` answer. A kind of zone that is missing is a fault; a missing county is
/// taken from the SAME code of the place's weather radio where there is one.
///
/// # Errors
/// `NwsError` where the answer is unusable or names no zone at all (open sea).
pub fn points(bytes: &[u8], place: LatLon, learned_utc: Timestamp) -> Result<(PlaceZones, Vec<Fault>), NwsError> {
    const WANTED: &str = "an answer of /points with zones";
    let document = document(bytes)?;
    let properties = document.get("properties").filter(|p| p.is_object());
    let properties = properties.ok_or_else(|| NwsError::Other { what: name_of(&document), wanted: WANTED })?;
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(Fault { what, place: place.key_4dp(), kept_rest: true });
    let mut codes = Vec::new();
    for key in ["county", "forecastZone", "fireWeatherZone"] {
        match word(properties.get(key)) {
            Some(url) => match ugc::of_url(&url) {
                Some(code) => codes.push(code),
                None => fault(format!("{key}: {:?} is no zone", url.chars().take(80).collect::<String>())),
            },
            None if key == "county" => match radio_county(properties) {
                Some(code) => {
                    fault(format!("county is missing: {code} is taken from the SAME code of the weather radio"));
                    codes.push(code);
                }
                None => fault("county is missing".into()),
            },
            None => fault(format!("{key} is missing")),
        }
    }
    if codes.is_empty() {
        return Err(NwsError::Other { what: format!("{} without zones", name_of(&document)), wanted: WANTED });
    }
    codes.sort_unstable();
    codes.dedup();
    let time_zone = word(properties.get("timeZone"));
    if time_zone.is_none() {
        fault("timeZone is missing".into());
    }
    Ok((PlaceZones { place, ugc: codes, time_zone, learned_utc }, faults))
}

/// The county that the SAME code of a place's weather radio names.
pub(in crate::decode) fn radio_county(properties: &Value) -> Option<String> {
    ugc::of_same(&word(properties.get("nwr")?.get("sameCode"))?).filter(|code| !ugc::is_state_wide(code))
}
