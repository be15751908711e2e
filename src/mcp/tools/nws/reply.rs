//! How a routine answer looks: the facts, flat as callers know them, with stormbell's own keys beside them.

use crate::desk::enquiries::Refusal;
use crate::ground::gazetteer::Candidate;
use crate::mcp::envelope::{SCHEMA_VERSION, output_schema};
use crate::mcp::tools::args::place::AskedPlace;
use crate::nws_facts::page::Limit;
use crate::threat::DISCLAIMER;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// What an answer had to do without when the API gave none.
const API_ID: &str = "nws-api";

/// Facts and stormbell's own keys.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Reply<T> {
    /// The facts.
    #[serde(flatten)]
    pub facts: T,
    /// Version of these keys and fields.
    pub schema_version: String,
    /// The facts in a sentence or two.
    pub interpretation: String,
    /// Ids of the sources that this answer had to do without, sorted; empty when all were heard.
    pub degraded: Vec<String>,
    /// Fixed sentence.
    pub disclaimer: String,
    /// The place that was asked about, where the arguments named one by `place`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AskedPlace")]
    pub place: Option<AskedPlace>,
}

/// What a page tells of the list that it is of.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFacts {
    /// Rows of the whole list.
    pub total_count: usize,
    /// Rows of this page.
    pub shown: usize,
    /// How it was served.
    #[serde(flatten)]
    pub served: Served,
}

/// How a page was served: what is left out where there is nothing to tell.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Served {
    /// What to pass as cursor for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
    /// What was asked for, where it was more than is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub requested_limit: Option<u32>,
    /// What is served of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub effective_limit: Option<u32>,
    /// What a reader has to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub notice: Option<String>,
}

impl PageFacts {
    /// As lines at the end of a text.
    pub fn lines(&self) -> Vec<String> {
        let counts = format!("totalCount: {} · shown: {}", self.total_count, self.shown);
        [vec![counts], self.served.lines()].concat()
    }
}

impl Served {
    /// A page; its limit is told where it is not the one asked for.
    pub fn new(next_cursor: Option<String>, limit: Limit, notes: &[String]) -> Self {
        let effective_limit = limit.requested.map(|_| limit.effective);
        Self { next_cursor, requested_limit: limit.requested, effective_limit, notice: notice(notes) }
    }

    /// As lines at the end of a text.
    pub fn lines(&self) -> Vec<String> {
        let limits = self.requested_limit.zip(self.effective_limit);
        let limits = limits.map(|(asked, served)| format!("requestedLimit: {asked} · effectiveLimit: {served}"));
        let notice = self.notice.as_ref().map(|notice| format!("notice: {notice}"));
        let cursor = self.next_cursor.as_ref().map(|cursor| format!("nextCursor: {cursor}"));
        [limits, notice, cursor].into_iter().flatten().collect()
    }
}

/// Notes as one notice; `None` where there is nothing to know.
pub fn notice(notes: &[String]) -> Option<String> {
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// An answer in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Structured.
    pub value: Value,
    /// As Markdown.
    pub text: String,
}

impl Told {
    /// Both forms of one set of facts. `text` is made of these facts and of nothing else.
    ///
    /// # Errors
    /// Where the facts cannot be written, which these types exclude.
    pub fn new<T: Serialize>(
        facts: T,
        text: String,
        interpretation: String,
        mut degraded: Vec<String>,
    ) -> Result<Self, Refusal> {
        degraded.sort();
        degraded.dedup();
        let mut text = text;
        if !degraded.is_empty() {
            text.push_str(&format!("\ndegraded: {}", degraded.join(", ")));
        }
        text.push_str(&format!("\n\n{DISCLAIMER}"));
        let (schema_version, disclaimer) = (SCHEMA_VERSION.to_owned(), DISCLAIMER.to_owned());
        let reply = Reply { facts, schema_version, interpretation, degraded, disclaimer, place: None };
        match serde_json::to_value(&reply) {
            Ok(value) => Ok(Self { value, text }),
            Err(error) => Err(Refusal::plain(
                crate::desk::enquiries::Code::Unknown,
                format!("The answer cannot be written: {error}."),
                "This is a fault of stormbell.",
            )),
        }
    }

    /// The same answer with the place that it is about.
    pub fn about(mut self, place: &Candidate) -> Self {
        let asked = AskedPlace::from(place);
        if let (Some(answer), Ok(value)) = (self.value.as_object_mut(), serde_json::to_value(&asked)) {
            answer.insert("place".to_owned(), value);
            self.text.push_str(&format!("\nplace: {place}. {}", asked.attribution));
        }
        self
    }

    /// As the result of a tool.
    pub fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::structured(self.value);
        result.content = vec![ContentBlock::text(self.text)];
        result
    }
}

/// A refusal as the result of a tool.
pub fn refused(refusal: &Refusal) -> CallToolResult {
    let mut data = refusal.facts.clone();
    if let Some(reason) = refusal.reason {
        data.insert("reason".to_owned(), json!(reason));
    }
    data.insert("recovery".to_owned(), json!({"hint": refusal.hint}));
    let degraded: Vec<&str> = refusal.is_of_upstream().then_some(API_ID).into_iter().collect();
    let value = json!({
        "error": {"code": refusal.code.number(), "message": refusal.message, "data": data},
        "schema_version": SCHEMA_VERSION,
        "interpretation": refusal.message,
        "degraded": degraded,
        "disclaimer": DISCLAIMER,
    });
    let reason = refusal.reason.map(|reason| format!("\n(reason {reason})")).unwrap_or_default();
    let text = format!("Error {}: {}\nRecovery: {}{reason}", refusal.code.number(), refusal.message, refusal.hint);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// The schema of an answer, which is either the facts or a refusal.
pub fn schema<T: JsonSchema>() -> JsonObject {
    let mut schema = output_schema::<Reply<T>>();
    let required = schema.remove("required").unwrap_or_else(|| json!([]));
    let error = json!({
        "type": "object",
        "description": "Present in place of the facts when there is no answer.",
        "properties": {
            "code": {"type": "integer", "description": "Kind of the error, in the manner of JSON-RPC."},
            "message": {"type": "string", "description": "What is wrong."},
            "data": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string", "description": "A word that does not change, to branch on."},
                    "recovery": {
                        "type": "object",
                        "properties": {"hint": {"type": "string", "description": "What to do about it."}},
                        "required": ["hint"],
                    },
                },
                "required": ["recovery"],
            },
        },
        "required": ["code", "message", "data"],
    });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("error".to_owned(), error);
    }
    let own = json!(["error", "schema_version", "interpretation", "degraded", "disclaimer"]);
    schema.insert("anyOf".to_owned(), json!([alternative(&required), alternative(&own)]));
    schema
}

/// These keys must be there. They are named as properties too: strict validators do not look for them one level up.
fn alternative(required: &Value) -> Value {
    let names = required.as_array().into_iter().flatten().filter_map(Value::as_str);
    let properties: JsonObject = names.map(|name| (name.to_owned(), json!({}))).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
