//! Prompts: what a person may pick in a client, and the words that the agent then gets.
//!
//! Boundaries: ✓ names, arguments, words; pure. ✗ no weather of its own: the agent asks the tools.

use super::tools::{ToolError, place};
use crate::threat::DISCLAIMER;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// Longest words that a person may give to a prompt: a place or a name, not a document.
pub const WORDS_CHARS_MAX: usize = 200;

/// All prompts.
pub fn all() -> Vec<Prompt> {
    let argument = |name: &str, says: &str| PromptArgument::new(name).with_description(says).with_required(true);
    vec![
        Prompt::new(
            "storm_briefing",
            Some("A short severe-weather briefing for a point, with what cannot be seen said first."),
            Some(vec![
                argument("lat", "Latitude, decimal degrees north, for instance 40.52"),
                argument("lon", "Longitude, decimal degrees east; western longitudes are negative, for instance -92.90"),
            ]),
        )
        .with_title("Storm briefing"),
        Prompt::new(
            "set_up_watch",
            Some("Has a place watched for someone: finds the point, asks what is missing, registers it, tries the channels."),
            Some(vec![
                argument("place", "The place in words, for instance \"our farm near Unionville, Missouri\""),
                argument("who", "Whom it is for and how to reach them, for instance \"my parents, dad@example.org\""),
            ]),
        )
        .with_title("Set up a watch"),
    ]
}

/// A prompt by name; `None` when there is none of that name.
pub fn get(name: &str, given: Option<&JsonObject>) -> Option<Result<GetPromptResult, ToolError>> {
    match name {
        "storm_briefing" => Some(storm_briefing(given)),
        "set_up_watch" => Some(set_up_watch(given)),
        _ => None,
    }
}

fn storm_briefing(given: Option<&JsonObject>) -> Result<GetPromptResult, ToolError> {
    only(given, &["lat", "lon"])?;
    let at = place(number(given, "lat")?, number(given, "lon")?)?;
    let (lat, lon) = (at.lat(), at.lon());
    Ok(said(
        "Storm briefing",
        format!(
            "Give me a severe-weather briefing for the point {lat}, {lon}.\n\
             1. Call get_threat_brief with lat {lat} and lon {lon}. Begin with what `degraded` and `blind_spots` say cannot be \
             seen: while anything is missing, a low level is not an all-clear, and you say so.\n\
             2. Where a warning holds the point or is near, call get_active_warnings for what, where, until when and what the NWS \
             says to do. Where storms are active, get_mrms_severe and get_lightning; where they are expected, get_spc_outlook and \
             get_point_environment.\n\
             3. Answer in at most ten sentences for someone who is not a meteorologist: the level, why, when it comes, what to do. \
             Give times in the place's own time and in UTC, distances in miles and km. Quote figures with their age; invent \
             none.\n\
             4. End with: {DISCLAIMER}"
        ),
    ))
}

fn set_up_watch(given: Option<&JsonObject>) -> Result<GetPromptResult, ToolError> {
    only(given, &["place", "who"])?;
    let (place, who) = (words(given, "place")?, words(given, "who")?);
    Ok(said(
        "Set up a watch",
        format!(
            "Have this place watched: \"{place}\". It is for: \"{who}\".\n\
             1. Find its latitude and longitude and show them to me before you go on; if several places fit, ask which. Points are \
             in the continental US; western longitudes are negative.\n\
             2. Ask me what I have not said: from which level on to tell (elevated is usual), by email or to a browser, quiet hours \
             (\"22:00-07:00\"; significant and extreme break through), and until when.\n\
             3. Call list_watch_points: if it is watched already, offer update_watch_point instead of a second point. Else call \
             register_watch_point with a short name and a client_token of your own.\n\
             4. Tell me which addresses still wait for confirmation (nothing else goes there until then), and whether it is watched \
             only while this client runs. Then offer send_test_notice.\n\
             5. Subscribe to its resource if you can, and tell me how the place stands now with get_watch_point.\n\
             {DISCLAIMER}"
        ),
    ))
}

fn said(title: &str, text: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(title)
}

fn bad(field: &str, why: String) -> ToolError {
    ToolError::Argument { field: field.into(), why }
}

fn only(given: Option<&JsonObject>, known: &[&str]) -> Result<(), ToolError> {
    let unknown = given.into_iter().flat_map(JsonObject::keys).find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        Err(ToolError::Arguments(format!("unknown argument `{key}`, expected {}", known.join(" and "))))
    })
}

/// Arguments of prompts are text by the protocol; a number is taken too.
fn number(given: Option<&JsonObject>, field: &str) -> Result<f64, ToolError> {
    let number = match given.and_then(|given| given.get(field)) {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(Value::Number(number)) => number.as_f64(),
        Some(_) => None,
        None => return Err(bad(field, "is missing".to_owned())),
    };
    number.ok_or_else(|| bad(field, "must be decimal degrees, for instance 40.52 or -92.90".to_owned()))
}

/// One line of words, without quotation marks that would end the quotation they stand in.
fn words(given: Option<&JsonObject>, field: &str) -> Result<String, ToolError> {
    let text = given.and_then(|given| given.get(field)).and_then(Value::as_str).map(str::trim);
    let text = text.filter(|text| !text.is_empty()).ok_or_else(|| bad(field, "is missing".to_owned()))?;
    if text.chars().count() > WORDS_CHARS_MAX {
        return Err(bad(field, format!("at most {WORDS_CHARS_MAX} characters")));
    }
    Ok(text.replace(char::is_control, " ").replace('"', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(name: &str, given: Value) -> Result<String, String> {
        let got = get(name, given.as_object()).unwrap().map_err(|error| error.to_string())?;
        Ok(got.messages[0].content.as_text().unwrap().text.clone())
    }

    #[test]
    fn a_briefing_is_for_the_checked_point_and_names_tools_that_exist() {
        let said = text("storm_briefing", json!({"lat": "40.52", "lon": "-92.9"})).unwrap();
        assert!(said.contains("40.52, -92.9") && said.contains("not an all-clear") && said.ends_with(DISCLAIMER));
        assert!(text("storm_briefing", json!({"lat": 40.52, "lon": -92.9})).is_ok());
        for (given, part) in [
            (json!({"lat": "40.52"}), "lon: is missing"),
            (json!({"lat": "north", "lon": "-92.9"}), "lat: must be decimal degrees"),
            (json!({"lat": "40.52", "lon": "92.9"}), "did you mean lon -92.9"),
            (json!({"lat": "40.52", "lon": "-92.9", "day": "1"}), "unknown argument `day`"),
        ] {
            let said = text("storm_briefing", given).unwrap_err();
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn words_stay_within_their_quotation() {
        let said = text("set_up_watch", json!({"place": "a \"farm\"\nnear town", "who": "dad"})).unwrap();
        assert!(said.contains("\"a 'farm' near town\""), "{said}");
        assert!(text("set_up_watch", json!({"place": " ", "who": "dad"})).unwrap_err().contains("place: is missing"));
        let long = text("set_up_watch", json!({"place": "x".repeat(201), "who": "dad"})).unwrap_err();
        assert!(long.contains("at most 200"), "{long}");
    }

    #[test]
    fn every_tool_that_a_prompt_names_exists() {
        let tools: Vec<&str> = super::super::tools::TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
        let given = [json!({"lat": 40.5, "lon": -92.9}), json!({"place": "x", "who": "y"})];
        for (prompt, given) in all().iter().zip(given) {
            let said = text(&prompt.name, given).unwrap();
            let words = said.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
            let named =
                words.filter(|word| word.ends_with("_point") || word.ends_with("_points") || word.starts_with("get_"));
            for word in named {
                assert!(tools.contains(&word), "{} names {word}", prompt.name);
            }
        }
        assert!(get("no_such", None).is_none());
    }
}
