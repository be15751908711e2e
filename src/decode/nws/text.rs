//! Words, numbers and times as api.weather.gov writes them.

use jiff::Timestamp;
use serde_json::Value;

/// Miles per hour in a knot: marine products give gusts in knots.
const MPH_PER_KT: f64 = 1.150_779;
/// Times before this are a machine's zero, not a forecaster's: the API began in 2015.
const TIME_MIN: Timestamp = Timestamp::constant(631_152_000, 0);
/// And nothing is announced for after 2200.
const TIME_MAX: Timestamp = Timestamp::constant(7_258_118_400, 0);

/// A string that says something.
pub(in crate::decode) fn word(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.trim(),
        Value::Number(number) => return Some(number.to_string()),
        _ => return None,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// All strings of a list, or of a bare string where a list was due.
pub(super) fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(|item| word(Some(item))).collect(),
        other => word(other).into_iter().collect(),
    }
}

/// The first of a list of strings.
pub(super) fn first(value: Option<&Value>) -> Option<String> {
    words(value).into_iter().next()
}

/// A time. Missing, null and empty are unknown; what is there but is no time is told.
pub(in crate::decode) fn time(value: Option<&Value>) -> Result<Option<Timestamp>, String> {
    let text = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(other) => return Err(format!("{other} is no time, read as unknown")),
    };
    let shown: String = text.chars().take(60).collect();
    if is_template(text) {
        return Err(format!("{shown:?} is a template, not a time, read as unknown"));
    }
    match text.parse::<Timestamp>() {
        Ok(time) if (TIME_MIN..=TIME_MAX).contains(&time) => Ok(Some(time)),
        Ok(_) => Err(format!("{shown:?} cannot be meant, read as unknown")),
        Err(_) => Err(format!("{shown:?} is no time, read as unknown")),
    }
}

/// `date:now -312 seconds`, `date:today 14:00`: test data with times to be filled in.
pub(super) fn is_template(text: &str) -> bool {
    text.trim_start().starts_with("date:")
}

/// The first decimal number of a text: `Up to .75`, `60 MPH`, `1.75"`.
pub(super) fn number(text: &str) -> Option<f64> {
    let from = text.char_indices().find(|&(at, c)| {
        let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
        c.is_ascii_digit() || c == '.' && next.is_some_and(|n| n.is_ascii_digit())
    })?;
    let rest = text.get(from.0..)?;
    let mut dots = 0;
    let end = rest
        .find(|c: char| {
            dots += usize::from(c == '.');
            !(c.is_ascii_digit() || c == '.' && dots == 1)
        })
        .unwrap_or(rest.len());
    rest.get(..end)?.trim_end_matches('.').parse().ok().filter(|n: &f64| n.is_finite())
}

/// A size in inches; 0 is untagged.
pub(super) fn inches(text: &str) -> Option<f64> {
    number(text).filter(|&n| n > 0.0)
}

/// A gust in mph, also from knots; 0 is untagged.
pub(super) fn mph(text: &str) -> Option<f64> {
    let upper = text.to_ascii_uppercase();
    let knots = upper.contains("KT") || upper.contains("KNOT");
    number(text).filter(|&n| n > 0.0).map(|n| if knots { n * MPH_PER_KT } else { n })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn n34_numbers_come_from_words() {
        let pairs = [
            ("0.00", None),
            ("Up to .75", Some(0.75)),
            ("1.75", Some(1.75)),
            ("1.75\"", Some(1.75)),
            ("2.", Some(2.0)),
            ("", None),
            ("none", None),
            (".", None),
            ("Up to 1.00 in.", Some(1.0)),
        ];
        for (text, right) in pairs {
            assert_eq!(inches(text), right, "{text}");
        }
        assert_eq!((mph("60 MPH"), mph("0 MPH"), mph("Up to 50 MPH")), (Some(60.0), None, Some(50.0)));
        assert!((mph("34 knots").unwrap() - 39.1).abs() < 0.05);
    }

    #[test]
    fn n46_times_that_cannot_be_meant_are_unknown() {
        assert_eq!(time(None), Ok(None));
        assert_eq!(time(Some(&json!(null))), Ok(None));
        assert_eq!(time(Some(&json!(""))), Ok(None));
        for bad in [
            json!("1970-01-01T00:00:00Z"),
            json!("soon"),
            json!(0),
            json!("2026-02-30T00:00:00Z"),
            json!("9998-01-01T00:00:00Z"),
        ] {
            assert!(time(Some(&bad)).is_err(), "{bad}");
        }
        let template = time(Some(&json!("date:now -312 seconds"))).unwrap_err();
        assert!(template.contains("template"), "{template}");
        let local = time(Some(&json!("2026-06-10T16:31:00-05:00"))).unwrap();
        assert_eq!(local, Some("2026-06-10T21:31:00Z".parse().unwrap()));
        assert_eq!(
            time(Some(&json!("2026-06-10T21:28:00-00:00"))).unwrap(),
            Some("2026-06-10T21:28:00Z".parse().unwrap())
        );
    }
}
