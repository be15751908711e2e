//! Searching alerts: in memory where the polls of the national collection cover the question and are fresh, upstream
//! otherwise.

use super::{Code, Enquiries, Refusal, once, patiently, reason};
use crate::geo::LatLon;
use crate::nws_facts::alerts::{AlertCollection, AlertQuery, Found, Where};
use crate::nws_facts::grid_point::{GridPoint, cut_4dp};
use crate::nws_facts::zone_named;
use crate::sources::nws_facts::AskError;
use crate::threat::picture::Picture;
use crate::warning::freshness;
use crate::warning::incidents::Doubt;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// A collection polled longer ago does not answer: four polls of the usual period are missing then.
pub const FRESH_FOR: SignedDuration = SignedDuration::from_secs(120);
/// What an answer lacks while the zones of a point are not known.
const ZONES_ID: &str = "nws-point-alerts";
/// What an answer lacks when it comes from an old copy.
const ALERTS_ID: &str = "nws-active-alerts";

/// What a search found, and how well it could look.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertAnswer {
    /// The alerts.
    pub found: Found,
    /// The last change of the collection that was looked at, where it tells.
    pub updated_utc: Option<Timestamp>,
    /// Whether it was in memory.
    pub from_memory: bool,
    /// The time zone of the query's point.
    pub zone: Option<TimeZone>,
    /// What a reader has to know about the answer.
    pub notes: Vec<String>,
    /// What the answer had to do without.
    pub degraded: Vec<String>,
}

impl AlertAnswer {
    fn lacks(&mut self, id: &str, note: String) {
        self.notes.push(note);
        self.degraded.push(id.to_owned());
    }
}

/// In a nation of this size something is in force at every hour.
const NOTHING_LISTED: &str =
    "The list of the whole nation is empty, which an emptied copy of it is and a true one hardly ever.";

fn emptied(doubt: &Doubt) -> String {
    format!(
        "Since {} the list lacks most of the {} incidents that stood in it, without a word: what is gone may still be in force.",
        doubt.since_utc.strftime("%H:%MZ"),
        doubt.stood
    )
}

/// The collection that is looked at.
struct Source<'a> {
    collection: &'a AlertCollection,
    from_memory: bool,
}

impl Enquiries {
    /// Active alerts that a query finds. `picture` is what the polls have seen, where there are polls.
    ///
    /// # Errors
    /// `invalid_area_code`, `invalid_point` or `invalid_zone` where the API rejects them; the upstream's trouble.
    pub async fn alerts(&self, query: &AlertQuery, picture: Option<&Picture>) -> Result<AlertAnswer, Refusal> {
        let held = picture.and_then(|picture| picture.alerts.as_ref());
        let fresh = held.filter(|(_, polled_utc)| {
            let age = self.clock.now().duration_since(*polled_utc);
            query.is_of_actual() && age <= FRESH_FOR
        });
        let place = match query.place {
            Where::Point(at) => Some((at, once(|| self.facts().grid_point(at, self.clock.now())).await)),
            _ => None,
        };
        if let Some((collection, _)) = fresh {
            let source = Source { collection, from_memory: true };
            let here = match &place {
                None => Some(None),
                Some((at, Ok(point))) => Some(Some((*at, point))),
                // Without its zones a place sees polygons alone: the API knows them.
                Some((_, Err(_))) => None,
            };
            if let Some(here) = here {
                let mut answer = answer(query, source, here, self.clock.now());
                if let Some(doubt) = picture.and_then(|picture| picture.warnings.doubt()) {
                    answer.lacks(ALERTS_ID, emptied(doubt));
                } else if collection.rows.is_empty() {
                    answer.lacks(ALERTS_ID, NOTHING_LISTED.to_owned());
                }
                return Ok(answer);
            }
        }
        let listed = patiently(self.clock, || self.facts().alerts(query)).await;
        let mut collection = listed.map_err(|error| refusal(query, &error))?;
        let mut missing = None;
        if let Some((at, point)) = &place
            // Where there is no point on land or water that the NWS forecasts for, there are no zones either.
            && !matches!(point, Err(AskError::NotFound { .. }))
        {
            // The API's own search by point knows county and forecast zone of a place, not its fire weather zone, and no
            // county at all of one over water.
            match self.beyond_the_point(query, point).await {
                Ok(more) => {
                    let zones = point.as_ref().map(|point| point.ugc()).unwrap_or_default();
                    let here = more.search(query, Some(&zones), self.clock.now());
                    collection = collection.with(AlertCollection { rows: here.rows, ..more });
                }
                Err(error) => {
                    tracing::debug!(%error, "the zones of a point could not be asked for alerts");
                    missing = Some(format!(
                        "Alerts that name only the fire weather zone of {} could not be looked up.",
                        cut_4dp(*at)
                    ));
                }
            }
        }
        let now = self.clock.now();
        let source = Source { collection: &collection, from_memory: false };
        let point = place.as_ref().and_then(|(at, point)| Some((*at, point.as_ref().ok()?)));
        let mut answer = answer(query, source, point, now);
        if let Some(note) = missing {
            answer.lacks(ZONES_ID, note);
        }
        if query.asks_for_all() && collection.rows.is_empty() && collection.unread == 0 {
            answer.lacks(ALERTS_ID, NOTHING_LISTED.to_owned());
        }
        if query.place == Where::Nation {
            let accepted = held.and_then(|(held, _)| held.updated_utc);
            match collection.updated_utc.map(|updated| freshness(updated, accepted, now)) {
                Some(Ok(())) => {}
                Some(Err(stale)) => {
                    let note = format!("The API sent an old copy: {stale}. Newer alerts may be missing.");
                    answer.lacks(ALERTS_ID, note);
                }
                None => answer.lacks(ALERTS_ID, "The API does not tell how old this list is.".to_owned()),
            }
        }
        Ok(answer)
    }

    /// Alerts for the zones of a point that the API's search by point does not look at.
    async fn beyond_the_point(
        &self,
        query: &AlertQuery,
        point: &Result<Arc<GridPoint>, AskError>,
    ) -> Result<AlertCollection, AskError> {
        let point = point.as_ref().map_err(Clone::clone)?;
        let fire = point.fire_zone.iter().filter(|fire| point.forecast_zone.as_ref() != Some(*fire));
        let zones: Vec<String> = fire.chain(point.county.iter().filter(|_| point.county_by_radio)).cloned().collect();
        if zones.is_empty() {
            return Ok(AlertCollection::default());
        }
        once(|| self.facts().alerts_of_zones(query, &zones)).await
    }
}

/// The answer out of one collection. What came from upstream has been narrowed to the place already.
fn answer(
    query: &AlertQuery,
    source: Source<'_>,
    point: Option<(LatLon, &Arc<GridPoint>)>,
    now: Timestamp,
) -> AlertAnswer {
    let zones = point.map(|(_, point)| point.ugc());
    let found = if source.from_memory {
        source.collection.search(query, zones.as_deref(), now)
    } else {
        source.collection.search(&query.anywhere(), None, now)
    };
    let mut notes = Vec::new();
    let mut degraded = Vec::new();
    if source.collection.unread > 0 {
        notes.push(format!("{} alert(s) of the collection could not be read.", source.collection.unread));
        degraded.push(ALERTS_ID.to_owned());
    }
    if let Some((at, point)) = point
        && let (true, Some(county)) = (point.county_by_radio, &point.county)
    {
        notes.push(format!(
            "{} lies over water: alerts for the county {county}, which its weather radio names, are counted in.",
            cut_4dp(at)
        ));
    }
    AlertAnswer {
        found,
        updated_utc: source.collection.updated_utc,
        from_memory: source.from_memory,
        zone: point.and_then(|(_, point)| zone_named(point.time_zone.as_deref())),
        notes,
        degraded,
    }
}

fn refusal(query: &AlertQuery, error: &AskError) -> Refusal {
    let plain = Refusal::of(error);
    match (error, &query.place) {
        (AskError::Rejected { .. }, Where::Area(_)) => {
            Refusal { reason: Some(reason::INVALID_AREA_CODE), code: Code::ValidationError, ..plain }
        }
        (AskError::Rejected { .. }, Where::Point(_)) => {
            Refusal { reason: Some(reason::INVALID_POINT), code: Code::ValidationError, ..plain }
        }
        (AskError::Rejected { .. }, Where::Zone(_)) => {
            Refusal { reason: Some(reason::INVALID_ZONE), code: Code::ValidationError, ..plain }
        }
        (AskError::Unavailable { status: Some(500..), .. }, Where::Point(at)) => plain.saying(
            format!("The API fails for the point {}.", cut_4dp(*at)),
            "Points on the open ocean fail always: search by zone or region there. For a point on land it is an outage: try \
             again in some minutes, or search by area.",
        ),
        _ => plain,
    }
}
