//! What stations measured.

use super::read::Notes;
use super::{Read, features, properties};
use crate::decode::nws::text::word;
use crate::decode::nws::{NwsError, document};
use crate::nws_facts::conditions::{CloudLayer, Conditions, Measures};
use crate::nws_facts::units::{Quantity, Unit, whole};
use crate::observation::Fault;
use serde_json::Value;

/// Layers of clouds kept of one observation: a METAR has at most six.
const LAYERS_MAX: usize = 12;

/// Reads one observation.
///
/// # Errors
/// `NwsError` where the answer is none.
pub fn latest(bytes: &[u8]) -> Result<Read<Conditions>, NwsError> {
    let document = document(bytes)?;
    let mut notes = Notes::of("observation");
    let facts = conditions(properties(&document, "an observation")?, &mut notes);
    Ok(Read { facts, faults: notes.into_faults() })
}

/// Reads the observations of one station, as many as are listed: a full list says that there may be more. Of those that do not
/// tell their time it is told; they have no place in a history.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn observations(bytes: &[u8]) -> Result<Read<Vec<Conditions>>, NwsError> {
    let document = document(bytes)?;
    let (mut list, mut faults) = (Vec::new(), Vec::new());
    for (number, feature) in features(&document, "a list of observations")?.iter().enumerate() {
        let mut notes = Notes::of(format!("observation {}", number + 1));
        let read = conditions(feature.get("properties").unwrap_or(&Value::Null), &mut notes);
        faults.extend(notes.into_faults());
        if read.observed.is_none() {
            faults.push(Fault {
                what: "it does not tell its time: left out".to_owned(),
                place: format!("observation {}", number + 1),
                kept_rest: true,
            });
        }
        list.push(read);
    }
    Ok(Read { facts: list, faults })
}

fn conditions(properties: &Value, notes: &mut Notes) -> Conditions {
    let mut measure = |key: &str, usual: Unit| notes.quantity(properties, key, usual);
    let measures = Measures {
        temperature: measure("temperature", Unit::Celsius),
        dewpoint: measure("dewpoint", Unit::Celsius),
        wind_speed: measure("windSpeed", Unit::Kmh),
        wind_direction: measure("windDirection", Unit::Degree),
        wind_gust: measure("windGust", Unit::Kmh),
        barometric_pressure: measure("barometricPressure", Unit::Pascal),
        visibility: measure("visibility", Unit::Metre),
        relative_humidity: measure("relativeHumidity", Unit::Percent),
        heat_index: measure("heatIndex", Unit::Celsius),
        wind_chill: measure("windChill", Unit::Celsius),
    };
    let layers = properties.get("cloudLayers").and_then(Value::as_array).into_iter().flatten().take(LAYERS_MAX);
    let layers = layers.filter_map(|layer| {
        let base = notes.quantity(layer, "base", Unit::Metre).and_then(Quantity::metres);
        Some(CloudLayer { amount: word(layer.get("amount"))?, base_m: base.map(whole) })
    });
    let layers: Vec<CloudLayer> = layers.collect();
    Conditions::of(notes.moment(properties, "timestamp"), word(properties.get("textDescription")), measures, layers)
}
