//! Local storm reports of the nation, passed on by the Iowa Environmental Mesonet (`/geojson/lsr.geojson`), and the archive of
//! reports around one place (`/api/1/nws/lsrs_by_point.geojson`) for questions.
//!
//! Offices file reports minutes to hours after the event; the service has them one to two minutes later. Corrections come as
//! new rows. Each poll reads a whole window of event times again, so late rows and corrections inside it are seen and nothing
//! depends on a cursor. It cannot tell that nothing happened: an empty answer means that nobody has reported yet.

mod by_point;

pub use by_point::{ReportArchive, open_archive};

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::lsr::{self, ReportRows};
use crate::observation::{Fault, IEM_REPORTS, Observation, SourceName};
use crate::outside::{Get, Got, Outside, compute};
use crate::storm_report::{EventWindow, StormReports, once_each};
use async_trait::async_trait;
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// A day of the nation has half a megabyte, the service's limit of 10,000 rows five.
const BODY_BYTES_MAX: usize = 16 << 20;
/// Usual answers take a second or two.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(25);
/// One poll: one request and its decoding.
const POLL_TIMEOUT: Duration = Duration::from_secs(30);
/// The service asks for at least a minute between polls of one address.
const PERIOD_S: (u64, u64) = (60, 900);
/// Event times read again each poll: what may still raise a level is two hours old at most.
const WINDOW_HOURS: (i64, i64) = (2, 48);
/// The service sends no more rows than this, and does not say so.
const ROWS_SENT_MAX: usize = 10_000;
/// How far the window reaches ahead: offices' clocks differ.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);
/// The service asks to be left alone for up to this long while it has too much to do. Reports speak for 15 minutes after the
/// last good poll.
pub(super) const LEFT_ALONE_FOR: Duration = Duration::from_secs(600);
/// Where the nation's reports are.
const PATH: &str = "/geojson/lsr.geojson";

/// `[sources.iem_reports]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port, without a path.
    pub base_url: String,
    /// Seconds between polls.
    pub period_s: u64,
    /// Hours of event times read again each poll.
    pub window_hours: i64,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![
            Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S },
            Ranged {
                key: "window_hours",
                value: u64::try_from(self.window_hours).unwrap_or(0),
                accepted: (WINDOW_HOURS.0.unsigned_abs(), WINDOW_HOURS.1.unsigned_abs()),
            },
        ]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self { base_url: "https://mesonet.agron.iastate.edu".to_owned(), period_s: 60, window_hours: 3 }
    }
}

/// The source.
pub struct IemReports {
    outside: Arc<dyn Outside>,
    base_url: String,
    period: Duration,
    window: SignedDuration,
    held: Option<Arc<StormReports>>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> IemReports {
    IemReports {
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        period: Duration::from_secs(config.period_s),
        window: SignedDuration::from_hours(config.window_hours.clamp(WINDOW_HOURS.0, WINDOW_HOURS.1)),
        held: None,
    }
}

#[async_trait]
impl Source for IemReports {
    fn name(&self) -> SourceName {
        IEM_REPORTS
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    fn leaves_alone_for(&self) -> Duration {
        LEFT_ALONE_FOR
    }

    async fn poll(&mut self, _ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let window = EventWindow::back_from(now, self.window, AHEAD);
        // Both ends are given: with `hours` the service answers from a cache that mixes up other people's subsets.
        let query = vec![("sts".to_owned(), minute(window.from_utc)), ("ets".to_owned(), minute(window.to_utc))];
        let body = fetch(self.outside.as_ref(), &self.base_url, PATH, query).await?;
        let url = format!("{}{PATH}", self.base_url);
        let (mut reports, faults) = read(&body, window, &url, now)?;
        if let Some(held) = &self.held {
            // What is published is whole by itself: a restarted synthesis gets the newest report alone.
            reports = reports.with_earlier(held);
        }
        let reports = Arc::new(reports);
        self.held = Some(Arc::clone(&reports));
        let cursor = reports.reports.first().map_or_else(
            || "no report in the window".to_owned(),
            |newest| format!("{} reports, the newest of {}", reports.reports.len(), newest.event_utc),
        );
        Ok(Poll { observations: vec![Observation::StormReports(reports)], faults, good: true, cursor: Some(cursor) })
    }
}

/// One GET; both services want no validators, bodies are compared by what they say.
async fn fetch(
    outside: &dyn Outside,
    base_url: &str,
    path: &str,
    query: Vec<(String, String)>,
) -> Result<Bytes, PollError> {
    let request = Get {
        base_url: base_url.to_owned(),
        path: path.to_owned(),
        query,
        accept: "application/geo+json",
        body_bytes_max: BODY_BYTES_MAX,
        timeout: REQUEST_TIMEOUT,
        held: None,
    };
    match outside.get(&request).await? {
        Got::Fresh { body, .. } => Ok(body),
        Got::NotModified => {
            let what = "the answer is that nothing changed, but nothing is held".to_owned();
            Err(PollError::Refused(Fault { what, place: format!("{base_url}{path}"), kept_rest: false }))
        }
    }
}

/// The reports of a window, each event once. Rows outside of it (a recorded day answers more than was asked) are left out:
/// of those the answer is not complete.
fn read(body: &[u8], window: EventWindow, url: &str, now: Timestamp) -> Result<(StormReports, Vec<Fault>), PollError> {
    let refused = |what: String| PollError::Refused(Fault { what, place: url.to_owned(), kept_rest: false });
    let rows: ReportRows = compute(|| lsr::reports(body, now)).map_err(|why| refused(why.to_string()))?;
    let mut faults = rows.faults;
    let is_cut = rows.rows >= ROWS_SENT_MAX;
    if is_cut {
        let what = format!("{} rows: the service's limit, there may be more", rows.rows);
        faults.insert(0, Fault { what, place: url.to_owned(), kept_rest: true });
    }
    let inside = rows.reports.into_iter().filter(|report| window.holds(report.event_utc));
    let reports = StormReports {
        reports: once_each(inside),
        from_utc: window.from_utc,
        to_utc: window.to_utc,
        read_utc: now,
        unread: rows.unread,
        is_cut,
        url: url.to_owned(),
    };
    Ok((reports, faults))
}

/// An instant to the minute, as the national service reads it.
fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%MZ").to_string()
}
