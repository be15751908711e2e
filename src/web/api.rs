//! The same as JSON under `/api`: points in the shapes of the MCP tools, and the browsers that push goes to.
//!
//! A script that is no browser sends `Authorization: Bearer TOKEN`; the page sends its cookie.

use super::Site;
use super::refusal::{status_of, words_of};
use super::routes::Routes;
use super::visitor::Caller;
use crate::desk::accounts::NewBrowser;
use crate::desk::{DeskError, PointUpdate};
use crate::mcp::tools::watch::explained::{self, ExplainArgs};
use crate::mcp::tools::watch::{self, IdArgs, ListArgs, RegisterArgs};
use crate::mcp::tools::{ToolError, arguments};
use crate::notice::Browser;
use axum::Json;
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The routes below `/api`.
pub(super) fn routes() -> Routes {
    Routes::default()
        .get("/points", list)
        .post("/points", register)
        .get("/points/{id}", one)
        .patch("/points/{id}", update)
        .delete("/points/{id}", unregister)
        .get("/points/{id}/explain", explain)
        .post("/points/{id}/acknowledge", acknowledge)
        .post("/points/{id}/test", test)
        .get("/push", push)
        .get("/browsers", browsers)
        .post("/browsers", subscribe)
        .delete("/browsers", unsubscribe)
        .otherwise(nothing)
}

fn said(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, Json(json!({"error": {"kind": kind, "message": message}}))).into_response()
}

/// Nobody we know.
pub(super) fn unknown_caller() -> Response {
    said(StatusCode::UNAUTHORIZED, "unknown_caller", "log in, or send Authorization: Bearer with an owner's token")
}

/// One wrong token too many.
pub(super) fn wait(wait_s: u64) -> Response {
    let refused =
        said(StatusCode::TOO_MANY_REQUESTS, "too_many_tries", "too many wrong tokens; wait, and look at it again");
    ([(RETRY_AFTER, HeaderValue::from(wait_s))], refused).into_response()
}

/// A refusal of the desk.
pub(super) fn refused(error: &DeskError) -> Response {
    let kind = match error {
        DeskError::Invalid { .. } => "invalid",
        DeskError::Limit { .. } => "limit",
        DeskError::Store(_) => "store",
    };
    said(status_of(error), kind, &words_of(error))
}

/// An address that leads nowhere.
pub(super) async fn nothing() -> Response {
    said(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
}

fn no_point() -> Response {
    said(StatusCode::NOT_FOUND, "not_found", "there is no such watch point")
}

/// An answer of a tool, as the tool gives it.
fn told<T: Serialize>(status: StatusCode, answer: Result<T, ToolError>) -> Response {
    match answer {
        Ok(answer) => (status, Json(answer)).into_response(),
        Err(ToolError::Desk(error)) => refused(&error),
        Err(ToolError::NoSuchPoint(_)) => no_point(),
        Err(error) => said(StatusCode::UNPROCESSABLE_ENTITY, "invalid", &error.to_string()),
    }
}

async fn list(State(site): State<Site>, Caller(visitor): Caller, Query(args): Query<ListArgs>) -> Response {
    match watch::list(&site.door(&visitor.owner), args).await {
        Err(error @ ToolError::Argument { .. }) => said(StatusCode::BAD_REQUEST, "invalid", &error.to_string()),
        answer => told(StatusCode::OK, answer),
    }
}

/// A body that is to be a JSON object. serde would take an array for a structure too, field by field.
#[derive(Debug)]
struct Object<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Object<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let Json(given) = Json::<Value>::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        if !given.is_object() {
            return Err(said(StatusCode::BAD_REQUEST, "invalid", "the body must be a JSON object"));
        }
        let wrong = |error: serde_json::Error| said(StatusCode::UNPROCESSABLE_ENTITY, "invalid", &error.to_string());
        T::deserialize(given).map(Self).map_err(wrong)
    }
}

async fn register(State(site): State<Site>, Caller(visitor): Caller, Object(given): Object<JsonObject>) -> Response {
    let args: RegisterArgs = match arguments(Some(given)) {
        Ok(args) => args,
        Err(error) => return told::<Value>(StatusCode::OK, Err(error)),
    };
    let answer = watch::register(&site.door(&visitor.owner), args).await;
    let status = answer
        .as_ref()
        .map_or(StatusCode::OK, |answer| if answer.data.created { StatusCode::CREATED } else { StatusCode::OK });
    told(status, answer)
}

async fn one(State(site): State<Site>, Caller(visitor): Caller, Path(id): Path<String>) -> Response {
    told(StatusCode::OK, watch::get(&site.door(&visitor.owner), &id).await)
}

async fn unregister(State(site): State<Site>, Caller(visitor): Caller, Path(id): Path<String>) -> Response {
    told(StatusCode::OK, watch::unregister(&site.door(&visitor.owner), IdArgs { id }).await)
}

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct When {
    at_utc: Option<String>,
}

async fn explain(
    State(site): State<Site>,
    Caller(visitor): Caller,
    Path(id): Path<String>,
    Query(When { at_utc }): Query<When>,
) -> Response {
    told(StatusCode::OK, explained::explain(&site.door(&visitor.owner), ExplainArgs { id, at_utc }).await)
}

/// What can be changed: absent stays, null takes away.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Change {
    name: Option<String>,
    min_level: Option<String>,
    #[serde(deserialize_with = "given")]
    quiet_hours: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    until_utc: Option<Option<jiff::Timestamp>>,
    #[serde(deserialize_with = "given")]
    snooze_until_utc: Option<Option<jiff::Timestamp>>,
}

/// Tells null from absent.
fn given<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(value).map(Some)
}

impl Change {
    fn update(self) -> Result<PointUpdate, DeskError> {
        let invalid = |field: &'static str, why: String| DeskError::Invalid { field, why };
        let min_level = self.min_level.map(|word| word.parse()).transpose();
        let quiet_hours = self.quiet_hours.map(|hours| hours.map(|words| words.parse()).transpose()).transpose();
        Ok(PointUpdate {
            name: self.name,
            min_level: min_level
                .map_err(|error: crate::threat::UnknownLevel| invalid("min_level", error.to_string()))?,
            addresses: None,
            quiet_hours: quiet_hours
                .map_err(|error: crate::notice::quiet::NotQuietHours| invalid("quiet_hours", error.to_string()))?,
            until_utc: self.until_utc,
            snooze_until_utc: self.snooze_until_utc,
        })
    }
}

async fn update(
    State(site): State<Site>,
    Caller(visitor): Caller,
    Path(id): Path<String>,
    Object(change): Object<Change>,
) -> Response {
    let update = match change.update() {
        Ok(update) => update,
        Err(error) => return refused(&error),
    };
    match site.desk.update(&visitor.owner, &id, update).await {
        Ok(Some(_)) => told(StatusCode::OK, watch::get(&site.door(&visitor.owner), &id).await),
        Ok(None) => no_point(),
        Err(error) => refused(&error),
    }
}

async fn acknowledge(State(site): State<Site>, Caller(visitor): Caller, Path(id): Path<String>) -> Response {
    match site.desk.acknowledge(&visitor.owner, &id).await {
        Ok(Some(_)) => told(StatusCode::OK, watch::get(&site.door(&visitor.owner), &id).await),
        Ok(None) => no_point(),
        Err(error) => refused(&error),
    }
}

async fn test(State(site): State<Site>, Caller(visitor): Caller, Path(id): Path<String>) -> Response {
    match site.desk.send_test(&visitor.owner, &id).await {
        Ok(Some(addresses)) => {
            let to: Vec<Value> =
                addresses.iter().map(|address| json!({"kind": address.kind.as_str(), "to": address.to})).collect();
            Json(json!({"id": id, "sent_to": to})).into_response()
        }
        Ok(None) => no_point(),
        Err(error) => refused(&error),
    }
}

/// The key that browsers subscribe with.
async fn push(State(site): State<Site>, Caller(_): Caller) -> Response {
    Json(json!({"vapid_public_key": site.accounts.vapid_public_key()})).into_response()
}

/// A browser without its secrets.
fn shown(browser: &Browser) -> Value {
    json!({"id": browser.id, "label": browser.label, "created_utc": browser.created_utc, "refusals": browser.refusals})
}

async fn browsers(State(site): State<Site>, Caller(visitor): Caller) -> Response {
    match site.accounts.browsers(&visitor.owner).await {
        Ok(browsers) => Json(json!({"browsers": browsers.iter().map(shown).collect::<Vec<_>>()})).into_response(),
        Err(error) => refused(&error),
    }
}

/// A subscription as `PushSubscription.toJSON()` gives it, with a name for the owner's list.
#[derive(Debug, Clone, Deserialize)]
struct Subscription {
    endpoint: String,
    keys: Keys,
    #[serde(default)]
    label: String,
    /// The endpoint that this one stands in for (`pushsubscriptionchange`).
    replaces: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Keys {
    p256dh: String,
    auth: String,
}

async fn subscribe(State(site): State<Site>, Caller(visitor): Caller, Object(given): Object<Subscription>) -> Response {
    let Subscription { endpoint, keys: Keys { p256dh, auth }, label, replaces } = given;
    let gone = replaces.filter(|gone| *gone != endpoint);
    let known = site.accounts.browsers(&visitor.owner).await.unwrap_or_default();
    let before = gone.as_ref().and_then(|gone| known.iter().find(|browser| browser.endpoint == *gone));
    let label = match before {
        Some(before) if label.is_empty() => before.label.clone(),
        _ => label,
    };
    let browser = NewBrowser { endpoint, p256dh, auth, label };
    let added = match site.accounts.add_browser(&visitor.owner, browser).await {
        Ok(added) => added,
        Err(error) => return refused(&error),
    };
    // After the new one stands, so that there is one at every moment.
    if let Some(gone) = gone
        && let Err(error) = site.accounts.remove_browser(&visitor.owner, &gone).await
    {
        tracing::warn!(%error, "a browser's former subscription stays; its push service will say that it is gone");
    }
    (StatusCode::CREATED, Json(shown(&added))).into_response()
}

#[derive(Debug, Clone, Deserialize)]
struct Endpoint {
    endpoint: String,
}

async fn unsubscribe(State(site): State<Site>, Caller(visitor): Caller, Json(given): Json<Endpoint>) -> Response {
    match site.accounts.remove_browser(&visitor.owner, &given.endpoint).await {
        Ok(removed) => Json(json!({"removed": removed})).into_response(),
        Err(error) => refused(&error),
    }
}
