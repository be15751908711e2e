//! `/metrics`: figures of the whole service for the one who runs it, in Prometheus's text format. They count every owner's
//! notices together, so other owners do not read them: to those it reads as if it were not there.

use super::visitor::Caller;
use super::{Site, api};
use crate::desk::LOCAL_OWNER;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// `Content-Type` of the text format, version 0.0.4.
pub const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The figures.
pub(super) async fn show(State(site): State<Site>, Caller(visitor): Caller) -> Response {
    let is_scraper = visitor.name.is_some() && visitor.name == site.options.metrics_owner;
    if visitor.owner != LOCAL_OWNER && !is_scraper {
        return api::nothing().await;
    }
    match site.desk.metrics().await {
        Ok(Some(text)) => ([(CONTENT_TYPE, METRICS_TYPE)], text).into_response(),
        Ok(None) => api::nothing().await,
        Err(error) => api::refused(&error),
    }
}
