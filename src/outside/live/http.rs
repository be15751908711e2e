//! One HTTP GET against a live upstream.

use super::{Clients, LiveSettings, authority};
use crate::outside::answer::{self, Head};
use crate::outside::{Answered, ByteRange, Get, Got, OutsideError, REFUSAL_BYTES_MAX};
use bytes::{Bytes, BytesMut};
use reqwest::header;
use reqwest::{Response, Url};
use std::time::Duration;

/// Redirects followed in one exchange: api.weather.gov sends one, from coordinates with needless zeros to those without.
const REDIRECTS_MAX: usize = 5;
/// An idle connection is closed before the upstreams' front ends close it under a request.
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(50);

/// A client that goes no further than the host it was sent to.
pub(super) fn client(settings: &LiveSettings) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .user_agent(&settings.user_agent)
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE_CONNECTION_MAX)
        .redirect(reqwest::redirect::Policy::custom(|attempt| match attempt.previous() {
            [] => attempt.follow(),
            [first, ..] if authority(first) != authority(attempt.url()) || first.scheme() != attempt.url().scheme() => {
                attempt.error("redirected to another host")
            }
            previous if previous.len() > REDIRECTS_MAX => attempt.error("redirected too often"),
            _ => attempt.follow(),
        }))
        .build()
}

/// An error with its causes: the outermost alone says only "error sending request".
pub(in crate::outside) fn whole_story(error: &dyn std::error::Error) -> String {
    let mut story = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        story.push_str(": ");
        story.push_str(&error.to_string());
        cause = error.source();
    }
    story
}

impl Clients {
    /// One GET, whose limits on time run from the moment it has a place.
    pub(super) async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        let url = answer::url_of(request)?;
        let _permit = self.limits.admit(&authority(&url)).await;
        let result = self.clock.timeout(request.timeout, self.exchange(request, url.clone())).await;
        result.unwrap_or_else(|| Err(OutsideError::Timeout { url: url.into(), limit_s: request.timeout.as_secs() }))
    }

    async fn exchange(&self, request: &Get, url: Url) -> Result<Got, OutsideError> {
        let mut asked = self.http.get(url.clone()).header(header::ACCEPT, request.accept);
        if let Some(held) = &request.held {
            if let Some(etag) = &held.etag {
                asked = asked.header(header::IF_NONE_MATCH, etag);
            }
            if let Some(date) = &held.last_modified {
                asked = asked.header(header::IF_MODIFIED_SINCE, date);
            }
        }
        let url = url.as_str();
        let failed = |error: reqwest::Error| broken(url, request.timeout, &error.without_url());
        let mut response = asked.send().await.map_err(failed)?;
        let head = head_of(&response);
        let result = match head.status {
            304 => answer::not_modified(url, request.held.as_ref()),
            _ => match head.refusal(url, self.clock.now()) {
                Some(refusal) => Err(refusal),
                None => match body_of(&mut response, url, request).await {
                    Ok(body) => head.body(url, body, request.accept).map(|body| head.fresh(body)),
                    Err(error) => Err(error),
                },
            },
        };
        if let Err(error) = &result {
            complain(error, &response);
        }
        result
    }

    /// One GET whose refusals are read as well.
    pub(super) async fn ask(&self, request: &Get) -> Result<Answered, OutsideError> {
        let url = answer::url_of(request)?;
        let _permit = self.limits.admit(&authority(&url)).await;
        let result = self.clock.timeout(request.timeout, self.answered(request, url.clone())).await;
        result.unwrap_or_else(|| Err(OutsideError::Timeout { url: url.into(), limit_s: request.timeout.as_secs() }))
    }

    async fn answered(&self, request: &Get, url: Url) -> Result<Answered, OutsideError> {
        let asked = self.http.get(url.clone()).header(header::ACCEPT, request.accept);
        let url = url.as_str();
        let mut response = asked.send().await.map_err(|error| broken(url, request.timeout, &error.without_url()))?;
        let head = head_of(&response);
        let Some(refusal) = head.refusal(url, self.clock.now()) else {
            let body = match body_of(&mut response, url, request).await {
                Ok(body) => head.body(url, body, request.accept),
                Err(error) => Err(error),
            };
            return body.map(Answered::Good).inspect_err(|error| complain(error, &response));
        };
        complain(&refusal, &response);
        // A refusal stands by its status, whatever became of its words.
        let words = Get { body_bytes_max: REFUSAL_BYTES_MAX, ..request.clone() };
        let body = body_of(&mut response, url, &words).await.unwrap_or_default();
        Ok(Answered::Refused { status: head.status, body, retry_after: refusal.retry_after() })
    }
}

/// Says that an answer was no good, with what support at NWS asks for.
fn complain(error: &OutsideError, response: &Response) {
    let id = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (correlation_id, request_id) = (id("x-correlation-id"), id("x-request-id"));
    tracing::debug!(%error, correlation_id, request_id, "upstream gave no good answer");
}

impl Clients {
    /// Part of a body, with the same limits as a whole one.
    pub(super) async fn get_range(&self, request: &Get, range: ByteRange) -> Result<Bytes, OutsideError> {
        let url = answer::url_of(request)?;
        let _permit = self.limits.admit(&authority(&url)).await;
        let result = self.clock.timeout(request.timeout, self.part(request, range, url.clone())).await;
        result.unwrap_or_else(|| Err(OutsideError::Timeout { url: url.into(), limit_s: request.timeout.as_secs() }))
    }

    async fn part(&self, request: &Get, range: ByteRange, url: Url) -> Result<Bytes, OutsideError> {
        let asked = self.http.get(url.clone()).header(header::ACCEPT, request.accept);
        // A coding would be of the whole body.
        let asked =
            asked.header(header::RANGE, answer::range_header(range)).header(header::ACCEPT_ENCODING, "identity");
        let url = url.as_str();
        let mut response = asked.send().await.map_err(|error| broken(url, request.timeout, &error.without_url()))?;
        if let Some(trouble) = head_of(&response).no_part(url, range, self.clock.now()) {
            tracing::debug!(error = %trouble, "upstream gave no part of a body");
            return Err(trouble);
        }
        let body = body_of(&mut response, url, request).await?;
        Head::part(url, body, range)
    }
}

fn head_of(response: &Response) -> Head {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    Head::read(response.status().as_u16(), header)
}

/// The decoded body, given up as soon as it is too large.
async fn body_of(response: &mut Response, url: &str, request: &Get) -> Result<Bytes, OutsideError> {
    let limit_bytes = request.body_bytes_max;
    let too_large = || OutsideError::TooLarge { url: url.to_owned(), limit_bytes };
    // Told only where the body is not compressed.
    if response.content_length().is_some_and(|length| length > limit_bytes as u64) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    let failed = |error: reqwest::Error| broken(url, request.timeout, &error.without_url());
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len().saturating_add(chunk.len()) > limit_bytes {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn broken(url: &str, limit: Duration, error: &reqwest::Error) -> OutsideError {
    if error.is_timeout() && !error.is_connect() {
        return OutsideError::Timeout { url: url.to_owned(), limit_s: limit.as_secs() };
    }
    OutsideError::Broken { url: url.to_owned(), why: whole_story(error) }
}
