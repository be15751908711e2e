//! What every session shares: the desk, the judgement, the owner, and the call of a tool by name.
//!
//! Boundaries: ✓ from a tool's name and arguments to its result. ✗ no protocol state (see `session`), no transport.

use super::envelope::Envelope;
use super::judgement::Judge;
use super::tools::args::place;
use super::tools::watch::{self, IdArgs, change, explained};
use super::tools::{self, TOOLS, ToolError, answers, arguments, geocode, nws};
use crate::desk::{Desk, LOCAL_OWNER};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;

/// How long the service behind a door runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// By itself: points are watched when no client is there.
    Service,
    /// Only as long as the client that started it.
    WithClient,
}

/// What every session shares. Cheap to clone.
#[derive(Clone)]
pub struct Door {
    /// The service.
    pub desk: Arc<dyn Desk>,
    /// The judgement.
    pub judge: Judge,
    /// In whose name watch points are kept.
    pub owner: String,
    /// How long the service runs.
    pub lifetime: Lifetime,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").field("owner", &self.owner).field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

impl Door {
    /// A door for the local owner to a service that runs by itself.
    pub fn new(desk: Arc<dyn Desk>, judge: Judge) -> Self {
        Self { desk, judge, owner: LOCAL_OWNER.into(), lifetime: Lifetime::Service }
    }

    /// The same for another owner.
    pub fn of_owner(self, owner: &str) -> Self {
        Self { owner: owner.to_owned(), ..self }
    }

    /// The same for a service that ends with its client (`stormbell mcp` alone on stdio).
    pub fn with_lifetime(self, lifetime: Lifetime) -> Self {
        Self { lifetime, ..self }
    }

    /// Calls a tool; `None` when there is none of that name.
    pub async fn call(&self, name: &str, given: Option<JsonObject>) -> Option<CallToolResult> {
        let tool = TOOLS.iter().find(|tool| tool.name == name)?;
        // They read places and refuse in a form of their own.
        if nws::is_one(name) {
            return Some(nws::call(self, name, given).await);
        }
        let outcome = match place::located(tool, given) {
            Ok((given, asked)) => self.outcome(name, given).await?.map(|result| place::told(result, asked.as_ref())),
            Err(error) => Err(error),
        };
        Some(outcome.unwrap_or_else(|error| {
            CallToolResult::error(vec![ContentBlock::text(tools::bounded(&error.to_string()))])
        }))
    }

    async fn outcome(&self, name: &str, given: Option<JsonObject>) -> Option<Result<CallToolResult, ToolError>> {
        Some(match name {
            "geocode_place" => arguments(given).and_then(|args| geocode::geocode(&args)).map(result),
            "register_watch_point" => answered(given, |args| watch::register(self, args)).await,
            "unregister_watch_point" => answered(given, |args| watch::unregister(self, args)).await,
            "list_watch_points" => answered(given, |args| watch::list(self, args)).await,
            "get_watch_point" => answered(given, async |IdArgs { id }| watch::get(self, &id).await).await,
            "update_watch_point" => answered(given, |args| change::update(self, args)).await,
            "acknowledge_watch_point" => answered(given, |args| change::acknowledge(self, args)).await,
            "send_test_notice" => answered(given, |args| change::send_test(self, args)).await,
            "explain_watch_point" => answered(given, |args| explained::explain(self, args)).await,
            severe => return answers::severe(self, severe, given).await,
        })
    }
}

/// The answer of a tool to arguments as they came.
async fn answered<Args, Data, Answer>(
    given: Option<JsonObject>,
    tool: impl FnOnce(Args) -> Answer,
) -> Result<CallToolResult, ToolError>
where
    Args: DeserializeOwned,
    Data: Serialize,
    Answer: Future<Output = Result<Envelope<Data>, ToolError>>,
{
    Ok(result(tool(arguments(given)?).await?))
}

/// An envelope as a tool result: readable text and the same object as structured content.
pub(super) fn result<T: Serialize>(envelope: Envelope<T>) -> CallToolResult {
    match serde_json::to_value(&envelope) {
        Ok(value) => {
            // From the envelope, not from the value, so that the keys stand in their reading order.
            let text = serde_json::to_string_pretty(&envelope).unwrap_or_else(|_| value.to_string());
            let mut result = CallToolResult::structured(value);
            result.content = vec![ContentBlock::text(text)];
            result
        }
        // Cannot happen for these types (string keys, finite numbers become null otherwise); said rather than hidden.
        Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("the answer cannot be written: {error}"))]),
    }
}
