//! Styles, scripts and icons, built into the program.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::LazyLock;

/// The bell as it stands in pages.
pub(super) const BELL: &str = include_str!("assets/bell.svg");

/// Name, media type, bytes.
const ASSETS: [(&str, &str, &[u8]); 9] = [
    ("style.css", "text/css; charset=utf-8", include_bytes!("assets/style.css")),
    ("page.js", "text/javascript; charset=utf-8", include_bytes!("assets/page.js")),
    ("live.js", "text/javascript; charset=utf-8", include_bytes!("assets/live.js")),
    ("map.js", "text/javascript; charset=utf-8", include_bytes!("assets/map.js")),
    ("push.js", "text/javascript; charset=utf-8", include_bytes!("assets/push.js")),
    ("icon.svg", "image/svg+xml", include_bytes!("assets/icon.svg")),
    ("icon-192.png", "image/png", include_bytes!("assets/icon-192.png")),
    ("icon-512.png", "image/png", include_bytes!("assets/icon-512.png")),
    ("badge.png", "image/png", include_bytes!("assets/badge.png")),
];
const SERVICE_WORKER: &[u8] = include_bytes!("assets/sw.js");

/// Changes with any of them: scripts name each other, so they are renewed together.
static EDITION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    ASSETS.iter().for_each(|(_, _, bytes)| hash.update(bytes));
    hash.finalize().iter().take(6).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
});

/// The address of an asset.
pub(super) fn at(name: &str) -> String {
    format!("/assets/{name}")
}

fn given(headers: &HeaderMap, media: &'static str, bytes: &'static [u8]) -> Response {
    let tag = format!("\"{}\"", *EDITION);
    // Asked each time, and answered without a body while it is the same: after an update no page runs old scripts.
    let cache = [(CACHE_CONTROL, "no-cache".to_owned()), (ETAG, tag.clone())];
    let is_same = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    if is_same {
        return (StatusCode::NOT_MODIFIED, cache).into_response();
    }
    (cache, [(CONTENT_TYPE, media)], bytes).into_response()
}

/// One of the assets.
pub(super) async fn asset(headers: HeaderMap, Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|(known, _, _)| *known == name) {
        Some((_, media, bytes)) => given(&headers, media, bytes),
        None => super::refusal::plain(StatusCode::NOT_FOUND, "there is no such file"),
    }
}

/// The service worker; at the root, so that it may speak for the whole site.
pub(super) async fn service_worker() -> Response {
    let headers = [(CACHE_CONTROL, "no-cache"), (CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (headers, SERVICE_WORKER).into_response()
}

/// What a browser asks for by itself.
pub(super) async fn icon(headers: HeaderMap) -> Response {
    asset(headers, Path("icon-192.png".to_owned())).await
}

/// What makes the page an app on a home screen, which some phones want before they take push.
pub(super) async fn manifest() -> Response {
    let icon = |size: u32| json!({"src": at(&format!("icon-{size}.png")), "sizes": format!("{size}x{size}"), "type": "image/png", "purpose": "any"});
    let manifest = json!({
        "name": "stormbell",
        "short_name": "stormbell",
        "description": "Severe-weather levels of the places you watch",
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#10161c",
        "theme_color": "#10161c",
        "icons": [icon(192), icon(512)],
    });
    ([(CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}
