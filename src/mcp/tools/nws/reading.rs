//! Reading arguments: strict about what is not known, tolerant of how it is written. What is blank is not set.

use crate::desk::enquiries::{Code, Refusal, reason};
use crate::nws_facts::page::{BadCursor, read_cursor};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// So much of what was given is told back.
const TOLD_CHARS_MAX: usize = 300;

/// Arguments in the form of the schema of their tool. Keys are matched in whatever case and with or without underscores, words of
/// fixed lists in whatever case; nulls, blank texts and empty lists count as left out; a single text stands for a list of one.
///
/// # Errors
/// `invalid_arguments` says which argument and what is accepted.
pub fn regular(given: Option<JsonObject>, schema: &JsonObject) -> Result<JsonObject, Refusal> {
    let known = schema.get("properties").and_then(Value::as_object);
    let names = names(schema);
    let mut read = JsonObject::new();
    for (key, value) in given.unwrap_or_default() {
        let Some(name) = names.iter().copied().find(|name| *name == key).or_else(|| by_fold(&names, &key)) else {
            return Err(unknown(&key, &names));
        };
        let property = known.and_then(|known| known.get(name)).unwrap_or(&Value::Null);
        let Some(value) = as_property(value, property) else { continue };
        if read.insert(name.to_owned(), value).is_some() {
            return Err(invalid(format!("{name} is given twice."), accepted(&names)));
        }
    }
    Ok(read)
}

/// Reads regular arguments.
///
/// # Errors
/// `invalid_arguments` says which argument and what is accepted.
pub fn read<T: DeserializeOwned>(regular: JsonObject, schema: &JsonObject) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(&Value::Object(regular)).map_err(|error| {
        let field = error.path().to_string();
        let why: String = error.inner().to_string().chars().take(TOLD_CHARS_MAX).collect();
        let message = if field == "." { format!("Arguments: {why}.") } else { format!("{field}: {why}.") };
        let refusal = invalid(message, accepted(&names(schema)));
        if field == "." { refusal } else { refusal.with("field", json!(field)) }
    })
}

fn names(schema: &JsonObject) -> Vec<&str> {
    let known = schema.get("properties").and_then(Value::as_object);
    known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect()
}

/// A refusal of arguments.
pub fn invalid(message: String, hint: String) -> Refusal {
    Refusal::new(Code::InvalidParams, reason::INVALID_ARGUMENTS, message, hint)
}

/// A cursor that cannot be used, as a refusal.
pub fn bad_cursor(error: &BadCursor) -> Refusal {
    let hint = "Pass nextCursor exactly as this tool gave it, or leave cursor out for the first page.";
    Refusal::new(Code::InvalidParams, reason::INVALID_CURSOR, format!("{error}."), hint)
}

/// What a cursor carries, where one is given.
///
/// # Errors
/// `invalid_cursor` for what this tool did not make.
pub fn token<T: DeserializeOwned>(cursor: Option<&str>) -> Result<Option<T>, Refusal> {
    cursor.map(read_cursor).transpose().map_err(|error| bad_cursor(&error))
}

fn folded(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn by_fold<'a>(names: &[&'a str], key: &str) -> Option<&'a str> {
    names.iter().copied().find(|name| folded(name) == folded(key))
}

fn accepted(names: &[&str]) -> String {
    match names {
        [] => "This tool takes no arguments.".to_owned(),
        names => format!("Accepted arguments: {}.", names.join(", ")),
    }
}

fn unknown(key: &str, names: &[&str]) -> Refusal {
    let shown: String = key.chars().take(60).collect();
    let near = names.iter().map(|name| (strsim::jaro_winkler(&folded(name), &folded(key)), name));
    let near = near.filter(|(likeness, _)| *likeness > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
    let meant = near.map(|(_, name)| format!(" Did you mean {name}?")).unwrap_or_default();
    invalid(format!("There is no argument {shown:?}."), format!("{}{meant}", accepted(names)))
        .with("field", json!(shown))
}

/// A value as its property has it; `None` where nothing is set.
fn as_property(value: Value, property: &Value) -> Option<Value> {
    let is_list = property.get("type").and_then(Value::as_str) == Some("array");
    match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) if is_list => as_property(Value::Array(vec![Value::String(text)]), property),
        Value::String(text) => Some(Value::String(as_listed(text, property))),
        Value::Array(items) if is_list => {
            let items = items.into_iter().filter_map(|item| match item {
                Value::Null => None,
                Value::String(text) if text.trim().is_empty() => None,
                Value::String(text) => {
                    Some(Value::String(as_listed(text, property.get("items").unwrap_or(&Value::Null))))
                }
                other => Some(other),
            });
            let items: Vec<Value> = items.collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        other => Some(other),
    }
}

/// A word of a fixed list in the case of the list.
fn as_listed(text: String, property: &Value) -> String {
    let words = property.get("enum").and_then(Value::as_array);
    let listed = words.into_iter().flatten().filter_map(Value::as_str);
    let listed = listed.into_iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
    listed.map_or(text, str::to_owned)
}
