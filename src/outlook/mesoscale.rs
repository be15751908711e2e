//! Mesoscale discussions and convective watches: what SPC says between outlooks and warnings.

use crate::geo::{Area, LatLon};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The discussions in effect, as one poll saw them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Discussions {
    /// Every discussion that could be read, by number.
    pub discussions: Vec<Discussion>,
    /// How many could not be read.
    pub unread: u32,
    /// The poll.
    pub read_utc: Timestamp,
}

/// One mesoscale discussion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Discussion {
    /// Its number in its year.
    pub number: u32,
    /// The year of its number.
    pub year: i16,
    /// From when.
    pub issue_utc: Timestamp,
    /// Until when, exclusive.
    pub expire_utc: Timestamp,
    /// How likely a watch is, percent, where told.
    pub watch_probability_pct: Option<u8>,
    /// What it is about, for instance `Severe potential...Watch likely`.
    pub concerning: Option<String>,
    /// IEM's id of the text.
    pub product_id: Option<String>,
    /// Where.
    pub area: Area,
}

/// The watches in effect, as one poll saw them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Watches {
    /// Every watch that could be read, by number.
    pub watches: Vec<ConvectiveWatch>,
    /// How many could not be read.
    pub unread: u32,
    /// The poll.
    pub read_utc: Timestamp,
}

/// What a convective watch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WatchKind {
    /// Severe thunderstorms.
    SevereThunderstorm,
    /// Tornadoes.
    Tornado,
}

impl WatchKind {
    /// As NWS names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SevereThunderstorm => "Severe Thunderstorm Watch",
            Self::Tornado => "Tornado Watch",
        }
    }
}

/// One watch by its outline. What is really in effect is the list of counties, which NWS keeps (see `warning`): the outline
/// adds what the NWS product lacks, the maxima and whether the situation is particularly dangerous.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvectiveWatch {
    /// Its number in its year.
    pub number: u32,
    /// What for.
    pub kind: WatchKind,
    /// Whether it is a "particularly dangerous situation"; `None` where not told.
    pub is_pds: Option<bool>,
    /// From when.
    pub issue_utc: Timestamp,
    /// Until when, exclusive.
    pub expire_utc: Timestamp,
    /// Largest hail expected, inches.
    pub max_hail_in: Option<f64>,
    /// Strongest gust expected, knots.
    pub max_wind_gust_kt: Option<f64>,
    /// SPC's page of it.
    pub url: Option<String>,
    /// The parallelogram around it.
    pub area: Area,
}

impl Discussions {
    /// Those in effect at `now` that hold `place`.
    pub fn at(&self, place: LatLon, now: Timestamp) -> impl Iterator<Item = &Discussion> {
        self.discussions
            .iter()
            .filter(move |held| held.issue_utc <= now && now < held.expire_utc && held.area.contains(place))
    }
}

impl Watches {
    /// Those in effect at `now` whose outline holds `place`.
    pub fn at(&self, place: LatLon, now: Timestamp) -> impl Iterator<Item = &ConvectiveWatch> {
        self.watches
            .iter()
            .filter(move |held| held.issue_utc <= now && now < held.expire_utc && held.area.contains(place))
    }
}
