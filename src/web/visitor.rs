//! Whose page it is: the cookie's token, a bearer token for the API, or the local owner.

use super::sign;
use super::{Site, api};
use crate::clock::Clock;
use crate::desk::{DeskError, LOCAL_OWNER};
use crate::mcp::http::bearer;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use cookie::{Cookie, SameSite};
use std::sync::PoisonError;

/// How long a browser keeps its cookie, days: the longest that browsers allow. Revoking the token ends it at once.
const COOKIE_DAYS: i64 = 400;
/// Longest token looked at, characters.
const TOKEN_CHARS_MAX: usize = 256;

/// Somebody whose page may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Visitor {
    /// Owner id.
    pub owner: String,
    /// As the operator named them; `None` for the local owner.
    pub name: Option<String>,
}

/// The same for the API, which answers in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Caller(pub Visitor);

/// Who a request comes from.
enum Known {
    /// Somebody.
    As(Visitor),
    /// It names nobody.
    Nobody,
    /// It names a token that opens nothing.
    WrongToken,
}

impl Visitor {
    async fn of(headers: &HeaderMap, site: &Site, with_bearer: bool) -> Result<Known, DeskError> {
        let bearer = || headers.get(AUTHORIZATION).and_then(bearer);
        let token = match bearer().filter(|_| with_bearer) {
            Some(token) => Some(token.to_owned()),
            None => cookie_of(headers, site),
        };
        let otherwise = if token.is_some() { Known::WrongToken } else { Known::Nobody };
        let known = match token {
            Some(token) => Self::by_token(&token, site).await?,
            None => None,
        };
        // Whoever may come without a token may come with one that is no longer good; who says so by name may not.
        let is_local = site.options.is_local && !headers.contains_key(AUTHORIZATION);
        let known = known.or_else(|| is_local.then(|| Self { owner: LOCAL_OWNER.to_owned(), name: None }));
        Ok(known.map_or(otherwise, Known::As))
    }

    /// The owner of a token.
    pub async fn by_token(token: &str, site: &Site) -> Result<Option<Self>, DeskError> {
        if token.is_empty() || token.chars().count() > TOKEN_CHARS_MAX {
            return Ok(None);
        }
        let owner = site.accounts.owner_of_token(token).await?;
        Ok(owner.map(|owner| Self { owner: owner.id, name: Some(owner.name) }))
    }
}

/// Over https the cookie is bound to this host and to https by its name.
fn cookie_name(site: &Site) -> &'static str {
    if is_https(site) { "__Host-stormbell" } else { "stormbell" }
}

fn is_https(site: &Site) -> bool {
    site.options.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
}

fn cookie_of(headers: &HeaderMap, site: &Site) -> Option<String> {
    let name = cookie_name(site);
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).filter_map(Result::ok);
    cookies
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
        .filter(|value| !value.is_empty())
}

/// The header that hands a browser its cookie; an empty token takes it away.
pub(super) fn set_cookie(token: &str, site: &Site) -> String {
    let days = if token.is_empty() { 0 } else { COOKIE_DAYS };
    // Lax, not Strict: a link in a mail must lead to the page, not to a login. Changes are checked by their origin.
    let mut cookie = Cookie::build((cookie_name(site), token)).path("/").http_only(true).same_site(SameSite::Lax);
    if is_https(site) {
        cookie = cookie.secure(true);
    }
    cookie.max_age(cookie::time::Duration::days(days)).build().to_string()
}

impl FromRequestParts<Site> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Response> {
        match Self::of(&parts.headers, site, false).await {
            Ok(Known::As(visitor)) => Ok(visitor),
            Ok(Known::Nobody) => Err(sign::asked()),
            Ok(Known::WrongToken) => Err(match site.note_wrong() {
                None => sign::asked(),
                Some(wait_s) => sign::wait(wait_s),
            }),
            Err(error) => Err(super::refusal::Refusal::from(error).into_response()),
        }
    }
}

impl FromRequestParts<Site> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Response> {
        match Visitor::of(&parts.headers, site, true).await {
            Ok(Known::As(visitor)) => Ok(Self(visitor)),
            Ok(Known::Nobody) => Err(api::unknown_caller()),
            Ok(Known::WrongToken) => Err(match site.note_wrong() {
                None => api::unknown_caller(),
                Some(wait_s) => api::wait(wait_s),
            }),
            Err(error) => Err(api::refused(&error)),
        }
    }
}

impl Site {
    /// Counts a wrong token; `Some` when there were too many of late: seconds to wait. A right one is never refused for the
    /// wrong ones of others: all of them may come through one proxy.
    pub(super) fn note_wrong(&self) -> Option<u64> {
        let wait_s = self.wrong.lock().unwrap_or_else(PoisonError::into_inner).note(Clock::live().now());
        if wait_s.is_none() {
            tracing::info!("a token that is not known, or revoked, was refused by the page");
        }
        wait_s
    }
}
