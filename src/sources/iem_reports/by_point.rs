//! Reports around one place over any window of time, asked for when somebody wants to know.

use super::{Config, fetch, read};
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::outside::Outside;
use crate::sources::PollError;
use crate::storm_report::{EventWindow, StormReports};
use jiff::Timestamp;
use std::sync::Arc;

/// Where reports around a place are.
const PATH: &str = "/api/1/nws/lsrs_by_point.geojson";
/// The service takes less than 1000 miles.
const RADIUS_MILES_MAX: f64 = 999.0;
/// Kilometres in a mile.
const KM_PER_MILE: f64 = 1.609_344;

/// The archive of reports. Cheap to clone.
#[derive(Clone)]
pub struct ReportArchive {
    outside: Arc<dyn Outside>,
    base_url: String,
}

/// Opens the archive. Nothing is asked of the upstream yet.
pub fn open_archive(config: &Config, outside: Arc<dyn Outside>) -> ReportArchive {
    ReportArchive { outside, base_url: config.base_url.trim_end_matches('/').to_owned() }
}

impl ReportArchive {
    /// Reports within `radius_km` of `place` whose event lies in `window`, each event once; and what was wrong with the rest.
    /// Those a little beyond the radius may be among them: `StormReports::within` measures.
    ///
    /// # Errors
    /// As a poll: the upstream gave no usable answer.
    pub async fn by_point(
        &self,
        place: LatLon,
        radius_km: f64,
        window: EventWindow,
        now: Timestamp,
    ) -> Result<(StormReports, Vec<Fault>), PollError> {
        // Rounded up to the tenth that the service reads, so that the edge is inside.
        let miles = ((radius_km / KM_PER_MILE * 10.0).ceil() / 10.0).clamp(0.1, RADIUS_MILES_MAX);
        // Both ends always: without one the service leaves the filter out and sends the whole archive.
        let query = [
            ("lon", format!("{:.4}", place.lon())),
            ("lat", format!("{:.4}", place.lat())),
            ("radius_miles", format!("{miles:.1}")),
            ("begints", second(window.from_utc)),
            ("endts", second(window.to_utc)),
        ];
        let query = query.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let body = fetch(self.outside.as_ref(), &self.base_url, PATH, query).await?;
        read(&body, window, &format!("{}{PATH}", self.base_url), now)
    }
}

/// An instant as the service reads it; the end is exclusive.
fn second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
