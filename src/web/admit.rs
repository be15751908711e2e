//! Who gets as far as a page: hosts that are ours, changes from our own pages only, everything bounded; and the headers that
//! every answer carries.

use super::{Site, SiteOptions, refusal};
use crate::clock::Clock;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::LengthLimitError;
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Largest request body, bytes: a form is a few hundred, a push subscription one thousand.
pub const BODY_BYTES_MAX: usize = 64 << 10;
/// Within this a request's body must be there: of this size over the slowest line.
const BODY_WITHIN: Duration = Duration::from_secs(10);
/// What a visitor who finds everything taken is asked to wait.
const RETRY_AFTER_S: &str = "5";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// What every answer carries.
///
/// The referrer goes to our own pages alone: with `no-referrer` a browser would send `Origin: null` with every form, and those
/// that do not tell `Sec-Fetch-Site` (any over plain http in a local network) could not be told from a stranger's. Pages with
/// a secret in their address say `no-referrer` by themselves.
pub const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (PERMISSIONS_POLICY, HeaderValue::from_static("camera=(), microphone=(), geolocation=()")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Lets a request through, or refuses it.
pub(super) async fn admit(State(site): State<Site>, request: Request, next: Next) -> Response {
    let admitted = match refused(&site.options, &request) {
        Some(why) => Err(refusal::plain(StatusCode::FORBIDDEN, why)),
        None => whole(request).await,
    };
    let mut response = match (admitted, Arc::clone(&site.answers).try_acquire_owned()) {
        (Err(refusal), _) => refusal,
        (Ok(_), Err(_)) => busy(),
        // Held until the answer's head is there; streams are bounded by themselves.
        (Ok(request), Ok(permit)) => {
            let response = next.run(request).await;
            drop(permit);
            response
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(value);
    }
    response
}

/// The request with its body: who sends one slowly takes no place among the answers meanwhile.
async fn whole(request: Request) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    // A visitor's line is of today, whatever day is lived through.
    match Clock::live().timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MAX)).await {
        Some(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Some(Err(error)) if error.source().is_some_and(|source| source.is::<LengthLimitError>()) => {
            Err(refusal::plain(StatusCode::PAYLOAD_TOO_LARGE, "at most 64 KiB are taken"))
        }
        Some(Err(_)) => Err(refusal::plain(StatusCode::BAD_REQUEST, "the request broke off")),
        None => Err(refusal::plain(StatusCode::REQUEST_TIMEOUT, "the request was not sent in time")),
    }
}

pub(super) fn busy() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, RETRY_AFTER_S)], "too many visitors at once; try again shortly")
        .into_response()
}

/// Why a request is not even looked at.
fn refused(options: &SiteOptions, request: &Request) -> Option<&'static str> {
    let headers = request.headers();
    let Some(host) = host(request) else { return Some("the request names no host") };
    if !is_ours(options, &host) {
        return Some(
            "this host name is not one that stormbell answers to; add it to mcp.allowed_hosts, or set web.public_url",
        );
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // These carry a secret of their own, and a mail provider's one-click request comes from anywhere (RFC 8058).
    let has_secret = request.uri().path().starts_with("/unsubscribe/") || request.uri().path().starts_with("/confirm/");
    if changes && !has_secret && !is_same_origin(options, headers, &host) {
        return Some("changes are taken from stormbell's own pages only; open the page anew and try again");
    }
    None
}

/// The host that a client asks for: of HTTP/2 in the address, else in its header.
fn host(request: &Request) -> Option<Authority> {
    if let Some(authority) = request.uri().authority() {
        return Some(authority.clone());
    }
    let header = request.headers().get(HOST)?;
    Authority::try_from(header.as_bytes()).ok()
}

/// A name that a page elsewhere could have pointed at us is refused (DNS rebinding).
fn is_ours(options: &SiteOptions, host: &Authority) -> bool {
    let bare = host.host().trim_matches(['[', ']']);
    let is_loopback = bare.parse::<IpAddr>().map_or(bare.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback());
    let allowed = options.allowed_hosts.iter();
    is_loopback
        || allowed.map(String::as_str).any(|allowed| names(allowed, host))
        || options.public_url.as_deref().and_then(authority_of).is_some_and(|public| names(public, host))
}

/// Whether a configured name, with or without a port, is this host.
fn names(allowed: &str, host: &Authority) -> bool {
    let bare = host.host().trim_matches(['[', ']']);
    allowed.eq_ignore_ascii_case(host.as_str()) || allowed.trim_matches(['[', ']']).eq_ignore_ascii_case(bare)
}

/// `host:port` of an address.
fn authority_of(url: &str) -> Option<&str> {
    url.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(rest))
}

/// Whether a change comes from one of our own pages, or from no browser at all. A browser names the origin of every change.
fn is_same_origin(options: &SiteOptions, headers: &HeaderMap, host: &Authority) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return site.as_bytes() == b"same-origin";
    }
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let Some(origin) = origin.to_str().ok() else { return false };
    // Behind a proxy the host may be its own name for us; the public address is named by the browser.
    authority_of(origin).is_some_and(|from| from.eq_ignore_ascii_case(host.as_str()))
        || options.public_url.as_deref().is_some_and(|public| public.eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn asked(options: &SiteOptions, method: &str, path: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refused(options, &request.body(Body::empty()).unwrap()).is_none()
    }

    fn options() -> SiteOptions {
        SiteOptions {
            allowed_hosts: vec!["pi.lan".into(), "odd.lan:99".into()],
            public_url: Some("https://bell.example.org".into()),
            ..SiteOptions::default()
        }
    }

    #[test]
    fn hosts_are_ours_or_refused() {
        let may = |host: &str| asked(&options(), "GET", "/", &[("host", host)]);
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8741", "[::1]:8741", "127.9.9.9"] {
            assert!(may(host), "{host}");
        }
        for host in ["pi.lan", "pi.lan:8741", "odd.lan:99", "bell.example.org", "bell.example.org:443"] {
            assert!(may(host), "{host}");
        }
        for host in [
            "evil.example",
            "0.0.0.0",
            "0.0.0.0:8741",
            "localhost.evil.example",
            "odd.lan:98",
            "[::]",
            "bell.example.org.evil",
        ] {
            assert!(!may(host), "{host}");
        }
        assert!(!asked(&options(), "GET", "/", &[]), "no host at all");
    }

    #[test]
    fn changes_come_from_our_own_pages() {
        let may = |headers: &[(&str, &str)]| {
            asked(&options(), "POST", "/points", &[&[("host", "127.0.0.1:8741")], headers].concat())
        };
        assert!(may(&[]), "no browser");
        assert!(may(&[("origin", "http://127.0.0.1:8741")]));
        assert!(may(&[("sec-fetch-site", "same-origin"), ("origin", "null")]), "the browser says so by itself");
        assert!(may(&[("origin", "https://bell.example.org")]), "through a proxy");
        for origin in ["null", "http://127.0.0.1:8742", "http://localhost:8741", "https://evil.example", "garbage", ""]
        {
            assert!(!may(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(!may(&[("sec-fetch-site", site), ("origin", "http://127.0.0.1:8741")]), "{site}");
        }
        assert!(asked(&options(), "GET", "/", &[("host", "localhost"), ("origin", "https://evil.example")]));
    }

    #[test]
    fn one_click_comes_from_anywhere_but_to_our_host() {
        let far = [("host", "bell.example.org"), ("origin", "https://mail.example")];
        assert!(asked(&options(), "POST", "/unsubscribe/abc", &far));
        assert!(!asked(&options(), "POST", "/unsubscribe/abc", &[("host", "evil.example")]));
        assert!(!asked(&options(), "POST", "/logout", &far));
    }
}
