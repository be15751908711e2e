//! Figures and instants of these answers, read one by one.

use crate::decode::nws::text;
use crate::nws_facts::Moment;
use crate::nws_facts::units::{Quantity, Unit};
use crate::observation::Fault;
use serde_json::Value;

/// Faults of one part of an answer.
pub(super) struct Notes {
    place: String,
    list: Vec<Fault>,
}

impl Notes {
    pub(super) fn of(place: impl Into<String>) -> Self {
        Self { place: place.into(), list: Vec::new() }
    }

    pub(super) fn note(&mut self, key: &str, what: impl Into<String>) {
        let what = format!("{key}: {}", what.into());
        self.list.push(Fault { what, place: self.place.clone(), kept_rest: true });
    }

    pub(super) fn into_faults(self) -> Vec<Fault> {
        self.list
    }

    /// An instant, with its words.
    pub(super) fn moment(&mut self, properties: &Value, key: &str) -> Option<Moment> {
        let value = properties.get(key);
        match text::time(value) {
            Ok(at) => Some(Moment { text: text::word(value)?, at: at? }),
            Err(why) => {
                self.note(key, why);
                None
            }
        }
    }

    /// A figure: `{value, unitCode}`, a bare number, or either as a string; bare ones are in the API's usual unit. One that
    /// the quality control of the network has rejected is none.
    pub(super) fn quantity(&mut self, properties: &Value, key: &str, usual: Unit) -> Option<Quantity> {
        let value = properties.get(key).filter(|value| !value.is_null())?;
        let Value::Object(quantity) = value else {
            return self.figure(key, Some(value)).map(|value| Quantity { value, unit: usual });
        };
        let value = self.figure(key, quantity.get("value"))?;
        let verdict = quantity.get("qualityControl").and_then(Value::as_str).unwrap_or_default();
        if matches!(verdict.rsplit(':').next(), Some("X" | "B")) {
            self.note(key, format!("{value} was rejected by quality control"));
            return None;
        }
        let unit = match text::word(quantity.get("unitCode")) {
            None => Some(usual),
            Some(code) => Unit::by_code(&code).or_else(|| {
                self.note(key, format!("unit {:?} is not known", code.chars().take(40).collect::<String>()));
                None
            }),
        };
        unit.map(|unit| Quantity { value, unit })
    }

    fn figure(&mut self, key: &str, value: Option<&Value>) -> Option<f64> {
        let value = value.filter(|value| !value.is_null())?;
        let read = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(words) if words.trim().is_empty() => return None,
            Value::String(words) => words.trim().parse().ok(),
            _ => None,
        };
        let read = read.filter(|figure: &f64| figure.is_finite());
        if read.is_none() {
            self.note(key, format!("{} is no figure", value.to_string().chars().take(40).collect::<String>()));
        }
        read
    }
}

/// A whole number, also as a string.
pub(super) fn count(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_i64(),
        Value::String(words) => words.trim().parse().ok(),
        _ => None,
    }
}

/// The code at the end of a zone's URL, or the code itself.
pub(super) fn last_segment(value: Option<&Value>) -> Option<String> {
    let text = text::word(value)?;
    let code = text.trim_end_matches('/').rsplit('/').next().unwrap_or(&text);
    (!code.is_empty()).then(|| code.to_owned())
}
