//! What may be asked of alerts: filters as callers write them, made regular and checked.

use super::AlertRow;
use crate::geo::LatLon;
use crate::nws_facts::grid_point::cut_4dp;
use crate::nws_facts::ids::ApiId;
use crate::nws_facts::region::{self, RegionType};
use crate::warning::ugc;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// CAP severities.
pub const SEVERITIES: [&str; 5] = ["Extreme", "Severe", "Moderate", "Minor", "Unknown"];
/// CAP urgencies.
pub const URGENCIES: [&str; 4] = ["Immediate", "Expected", "Future", "Past"];
/// CAP certainties.
pub const CERTAINTIES: [&str; 5] = ["Observed", "Likely", "Possible", "Unlikely", "Unknown"];
/// CAP statuses.
pub const STATUSES: [&str; 5] = ["Actual", "Exercise", "System", "Test", "Draft"];
/// Filter words of one kind: more event names than there are events.
const WORDS_MAX: usize = 200;
/// Longest event name asked for.
const WORD_CHARS_MAX: usize = 200;
/// All event names together: a cursor carries them, and all names that there are have 3,000 characters.
const EVENTS_CHARS_MAX: usize = 5_000;
/// So much of what was given is told back.
const SHOWN_CHARS_MAX: usize = 60;

/// Filters as given, and as a cursor carries them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filters {
    /// State, territory or water, two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// `lat,lon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// Code of a zone or county.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Land or Marine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_type: Option<String>,
    /// Marine regions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region: Vec<String>,
    /// Parts of event names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<String>,
    /// Severities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub severity: Vec<String>,
    /// Urgencies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub urgency: Vec<String>,
    /// Certainties.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub certainty: Vec<String>,
    /// Status; Actual where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// Where a query looks.
#[derive(Debug, Clone, PartialEq)]
pub enum Where {
    /// Everywhere.
    Nation,
    /// A state, territory or water.
    Area(String),
    /// One place.
    Point(LatLon),
    /// One zone or county.
    Zone(ApiId),
    /// All land or all waters.
    RegionType(RegionType),
    /// Marine regions.
    Regions(Vec<&'static str>),
}

/// Filters, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertQuery {
    /// Where.
    pub place: Where,
    /// Parts of event names, any of which must be in an alert's, in lower case.
    pub event: Vec<String>,
    /// Severities, any.
    pub severity: Vec<&'static str>,
    /// Urgencies, any.
    pub urgency: Vec<&'static str>,
    /// Certainties, any.
    pub certainty: Vec<&'static str>,
    /// The status.
    pub status: &'static str,
}

/// Why filters cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FilterError {
    /// More than one says where.
    #[error("{} exclude one another", .given.join(" and "))]
    MutuallyExclusive {
        /// Which were given.
        given: Vec<&'static str>,
    },
    /// No such area.
    #[error("area {0:?} is no state, territory or marine area of two letters")]
    Area(String),
    /// No such point.
    #[error("point {0:?} is no \"lat,lon\" in decimal degrees, latitude -90 to 90, longitude -180 to 180")]
    Point(String),
    /// No such zone.
    #[error("zone {0:?} is no code of a zone or county such as KSZ083 or KSC173")]
    Zone(String),
    /// A word that a filter does not have.
    #[error("{field} {given:?} is none of {}", .accepted.join(", "))]
    Word {
        /// The filter.
        field: &'static str,
        /// As given.
        given: String,
        /// What it takes.
        accepted: &'static [&'static str],
    },
    /// Too many or too long words.
    #[error(
        "{field} takes at most {WORDS_MAX} texts of {WORD_CHARS_MAX} characters, {EVENTS_CHARS_MAX} characters in all"
    )]
    TooMuch {
        /// The filter.
        field: &'static str,
    },
}

impl Filters {
    /// Checks and regularises. What is blank is not set.
    ///
    /// # Errors
    /// `FilterError` for the first filter that cannot be used.
    pub fn check(&self) -> Result<AlertQuery, FilterError> {
        let set =
            |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let (area, point, zone) = (set(&self.area), set(&self.point), set(&self.zone));
        let region_type = set(&self.region_type);
        let regions = words("region", &self.region, &region::REGIONS)?;
        let given: Vec<&'static str> = [
            ("area", area.is_some()),
            ("point", point.is_some()),
            ("zone", zone.is_some()),
            ("region_type", region_type.is_some()),
            ("region", !regions.is_empty()),
        ]
        .into_iter()
        .filter_map(|(name, is_set)| is_set.then_some(name))
        .collect();
        if given.len() > 1 {
            return Err(FilterError::MutuallyExclusive { given });
        }
        let place = if let Some(area) = area {
            let code = area.to_ascii_uppercase();
            if !region::is_area(&code) {
                return Err(FilterError::Area(shown(&area)));
            }
            Where::Area(code)
        } else if let Some(point) = point {
            Where::Point(point_of(&point).ok_or_else(|| FilterError::Point(shown(&point)))?)
        } else if let Some(zone) = zone {
            let id = ApiId::new(&zone).filter(|id| region::is_zone_of_an_area(id.as_str()));
            Where::Zone(id.ok_or_else(|| FilterError::Zone(shown(&zone)))?)
        } else if let Some(name) = region_type {
            match word("region_type", &name, &RegionType::NAMES)? {
                "Land" => Where::RegionType(RegionType::Land),
                _ => Where::RegionType(RegionType::Marine),
            }
        } else if regions.is_empty() {
            Where::Nation
        } else {
            Where::Regions(regions)
        };
        let event: Vec<String> = said(&self.event).map(str::to_lowercase).collect();
        let lengths: Vec<usize> = event.iter().map(|text| text.chars().count()).collect();
        let too_long = lengths.iter().any(|chars| *chars > WORD_CHARS_MAX);
        if event.len() > WORDS_MAX || too_long || lengths.iter().sum::<usize>() > EVENTS_CHARS_MAX {
            return Err(FilterError::TooMuch { field: "event" });
        }
        Ok(AlertQuery {
            place,
            event,
            severity: words("severity", &self.severity, &SEVERITIES)?,
            urgency: words("urgency", &self.urgency, &URGENCIES)?,
            certainty: words("certainty", &self.certainty, &CERTAINTIES)?,
            status: word("status", set(&self.status).as_deref().unwrap_or("Actual"), &STATUSES)?,
        })
    }
}

fn said(texts: &[String]) -> impl Iterator<Item = &str> {
    texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn words(
    field: &'static str,
    given: &[String],
    accepted: &'static [&'static str],
) -> Result<Vec<&'static str>, FilterError> {
    let mut read: Vec<&'static str> = said(given).map(|text| word(field, text, accepted)).collect::<Result<_, _>>()?;
    let mut seen = Vec::new();
    read.retain(|word| {
        !seen.contains(word) && {
            seen.push(*word);
            true
        }
    });
    Ok(read)
}

fn word(field: &'static str, given: &str, accepted: &'static [&'static str]) -> Result<&'static str, FilterError> {
    let known = accepted.iter().copied().find(|known| known.eq_ignore_ascii_case(given));
    known.ok_or_else(|| FilterError::Word { field, given: shown(given), accepted })
}

fn shown(given: &str) -> String {
    given.chars().take(SHOWN_CHARS_MAX).collect()
}

/// `lat,lon`, two decimal numbers and nothing else: `47.6,` is no point with longitude 0.
fn point_of(text: &str) -> Option<LatLon> {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (lat, lon) = dense.split_once(',')?;
    LatLon::new(decimal(lat)?, decimal(lon)?).ok()
}

fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (all_digits(whole) && all_digits(fraction) && whole.len() <= 3).then(|| text.parse().ok())?
}

impl AlertQuery {
    /// What goes to `/alerts/active`. Event names stay here: matching there is exact, ours is by parts of names.
    pub fn upstream(&self) -> Vec<(String, String)> {
        let mut pairs = vec![("status".to_owned(), self.status.to_ascii_lowercase())];
        let place = match &self.place {
            Where::Nation => None,
            Where::Area(code) => Some(("area", code.clone())),
            Where::Point(at) => Some(("point", cut_4dp(*at))),
            Where::Zone(id) => Some(("zone", id.as_str().to_owned())),
            Where::RegionType(kind) => Some(("region_type", kind.as_query().to_owned())),
            Where::Regions(regions) => Some(("region", regions.join(","))),
        };
        pairs.extend(place.map(|(key, value)| (key.to_owned(), value)));
        for (key, words) in [("severity", &self.severity), ("urgency", &self.urgency), ("certainty", &self.certainty)] {
            if !words.is_empty() {
                pairs.push((key.to_owned(), words.join(",")));
            }
        }
        pairs
    }

    /// The same as filters, made regular: what a cursor carries. Checked again they are this query.
    pub fn filters(&self) -> Filters {
        let owned = |words: &[&'static str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut filters = Filters {
            event: self.event.clone(),
            severity: owned(&self.severity),
            urgency: owned(&self.urgency),
            certainty: owned(&self.certainty),
            status: Some(self.status.to_owned()),
            ..Filters::default()
        };
        match &self.place {
            Where::Nation => {}
            Where::Area(code) => filters.area = Some(code.clone()),
            Where::Point(at) => filters.point = Some(format!("{},{}", at.lat(), at.lon())),
            Where::Zone(id) => filters.zone = Some(id.as_str().to_owned()),
            Where::RegionType(kind) => filters.region_type = Some(kind.as_query().to_owned()),
            Where::Regions(regions) => filters.region = owned(regions),
        }
        filters
    }

    /// Whether it asks the API for everything that is in force in the nation; event names are matched here.
    pub fn asks_for_all(&self) -> bool {
        self.place == Where::Nation
            && self.is_of_actual()
            && self.severity.is_empty()
            && self.urgency.is_empty()
            && self.certainty.is_empty()
    }

    /// Whether the collection of all actual alerts holds everything that this query can find.
    pub fn is_of_actual(&self) -> bool {
        self.status == "Actual"
    }

    /// Whether what is over is wanted.
    pub fn asks_for_the_past(&self) -> bool {
        self.urgency.contains(&"Past")
    }

    /// The query in words: `national (no filters)`, `area=OK, severity=Extreme,Severe`.
    pub fn in_words(&self) -> String {
        let mut told: Vec<String> = self
            .upstream()
            .into_iter()
            .filter(|(key, _)| key != "status" || !self.is_of_actual())
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if !self.event.is_empty() {
            told.push(format!("event~{}", self.event.join(",")));
        }
        match (&self.place, told.is_empty()) {
            (_, true) => "national (no filters)".to_owned(),
            (Where::Nation, false) => format!("national, {}", told.join(", ")),
            (_, false) => told.join(", "),
        }
    }

    /// Whether an alert fits, its place included.
    pub(super) fn matches(&self, row: &AlertRow, place_zones: Option<&[String]>) -> bool {
        self.fits(row) && self.is_there(row, place_zones)
    }

    fn fits(&self, row: &AlertRow) -> bool {
        let any =
            |words: &[&str], said: &str| words.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(said));
        let warning = &row.warning;
        row.status.eq_ignore_ascii_case(self.status)
            && any(&self.severity, &warning.severity)
            && any(&self.urgency, &warning.urgency)
            && any(&self.certainty, &warning.certainty)
            && (self.event.is_empty() || {
                let name = warning.event.to_lowercase();
                self.event.iter().any(|part| name.contains(part.as_str()))
            })
    }

    fn is_there(&self, row: &AlertRow, place_zones: Option<&[String]>) -> bool {
        match &self.place {
            Where::Nation => true,
            Where::Area(area) => row.codes().any(|code| code.starts_with(area.as_str())),
            Where::Zone(id) => row.codes().any(|code| ugc::covers(code, id.as_str())),
            Where::RegionType(kind) => row.codes().any(|code| region::region_type(code) == Some(*kind)),
            Where::Regions(regions) => {
                row.codes().any(|code| region::region(code).is_some_and(|region| regions.contains(&region)))
            }
            // With a polygon the zones do not count; a polygon that encloses nothing is none.
            Where::Point(at) => match &row.warning.area {
                Some(area) => area.contains(*at),
                None => {
                    place_zones.is_some_and(|zones| row.codes().any(|code| zones.iter().any(|z| ugc::covers(code, z))))
                }
            },
        }
    }

    /// The same query without its place, for answers that the API has already narrowed to it.
    pub fn anywhere(&self) -> Self {
        Self { place: Where::Nation, ..self.clone() }
    }
}
