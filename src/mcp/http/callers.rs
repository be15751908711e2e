//! Who calls: the owner of the bearer token, or who runs the program where only they can call.

use crate::clock::Clock;
use crate::desk::LOCAL_OWNER;
use crate::desk::accounts::Accounts;
use crate::desk::tries::Tries;
use axum::Json;
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// How callers are told apart.
#[derive(Clone)]
pub struct Callers {
    accounts: Option<Arc<dyn Accounts>>,
    local_without_token: bool,
    wrong: Arc<Mutex<Tries>>,
}

impl Callers {
    /// Whoever calls is the local owner: where nobody else can call and there are no tokens.
    pub fn local_only() -> Self {
        Self { accounts: None, local_without_token: true, wrong: Arc::default() }
    }

    /// A token says who calls. Without one: the local owner, where `local_without_token`, else nobody.
    pub fn with_tokens(accounts: Arc<dyn Accounts>, local_without_token: bool) -> Self {
        Self { accounts: Some(accounts), local_without_token, wrong: Arc::default() }
    }

    /// See `Accounts::revoked`.
    pub(super) fn revoked(&self) -> Option<broadcast::Receiver<String>> {
        self.accounts.as_ref().map(|accounts| accounts.revoked())
    }

    /// The owner in whose name a request is made, or why it is refused.
    pub(super) async fn owner(&self, headers: &HeaderMap) -> Result<String, Response> {
        let Some(accounts) = &self.accounts else { return Ok(LOCAL_OWNER.to_owned()) };
        let Some(given) = headers.get(AUTHORIZATION) else {
            return if self.local_without_token { Ok(LOCAL_OWNER.to_owned()) } else { Err(unauthorized(false)) };
        };
        let Some(token) = bearer(given) else { return Err(self.refuse_wrong()) };
        match accounts.owner_of_token(token).await {
            Ok(Some(owner)) => Ok(owner.id),
            Ok(None) => Err(self.refuse_wrong()),
            Err(error) => {
                tracing::error!(%error, "a token could not be looked up");
                Err((StatusCode::INTERNAL_SERVER_ERROR, "the token could not be looked up").into_response())
            }
        }
    }

    /// A right token is never refused for the wrong ones of others: all of them may come through one proxy.
    fn refuse_wrong(&self) -> Response {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        match wrong.note(Clock::live().now()) {
            None => {
                tracing::info!("a wrong token was refused");
                unauthorized(true)
            }
            Some(wait_s) => {
                let body = body("too_many_tries", "too many wrong tokens", "wait, and look at the token again");
                let wait = HeaderValue::from(wait_s);
                (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, wait)], body).into_response()
            }
        }
    }
}

/// The token of `Authorization: Bearer TOKEN` (RFC 6750); the scheme in any case.
pub fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn unauthorized(is_wrong: bool) -> Response {
    let hint =
        "send `Authorization: Bearer TOKEN`; whoever runs the service makes tokens with `stormbell owner add NAME`";
    let (challenge, message) = match is_wrong {
        true => ("Bearer realm=\"stormbell\", error=\"invalid_token\"", "this token opens nothing here"),
        false => ("Bearer realm=\"stormbell\"", "a token is needed here"),
    };
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)], body("unauthorized", message, hint)).into_response()
}

fn body(kind: &str, message: &str, hint: &str) -> Json<serde_json::Value> {
    Json(json!({"error": {"kind": kind, "message": message, "hint": hint}}))
}
