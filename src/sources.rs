//! Sources of observations: one file per outside thing, registered in one list.
//!
//! A source owns its config block, its named limits and the reading of one upstream. It never retries, sleeps, logs and
//! continues, or knows an actor: `actors::source` polls it, backs off and publishes.

pub mod goes_glm;
pub mod iem_reports;
pub mod mrms;
pub mod nexrad;
pub mod nws_facts;
pub mod nws_warnings;
pub mod nws_zones;
pub mod rap_profiles;
pub mod spc_mesoscale;
pub mod spc_outlooks;

use crate::config::{Config, ConfigError};
use crate::geo::LatLon;
use crate::observation::{
    Fault, GOES_GLM, IEM_REPORTS, MRMS, NEXRAD, NWS_WARNINGS, NWS_ZONES, Observation, RAP_PROFILES, SPC_MESOSCALE,
    SPC_OUTLOOKS, SourceName,
};
use crate::outside::{Outside, OutsideError};
use async_trait::async_trait;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// What is wanted of sources at present.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// Every watched place and every place asked about in the last minutes, without repeats.
    pub places: Arc<Vec<AskedPlace>>,
}

/// One place that somebody needs evidence for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedPlace {
    /// Where.
    pub at: LatLon,
    /// Whether its zones are known already.
    pub zones_known: bool,
}

/// What a poll yielded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Poll {
    /// The facts.
    pub observations: Vec<Observation>,
    /// What was wrong with the rest.
    pub faults: Vec<Fault>,
    /// Whether this poll proves the source alive and fresh.
    pub good: bool,
    /// How far the source has read, for operators; nothing depends on it.
    pub cursor: Option<String>,
}

/// Why a poll yielded nothing.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PollError {
    /// The upstream gave no usable answer.
    #[error(transparent)]
    Outside(#[from] OutsideError),
    /// The answer was there but must not be used: garbled, stale, the wrong thing.
    #[error("{}: {}", .0.place, .0.what)]
    Refused(Fault),
}

/// The longest wait for an upstream that asks for nothing else: a feed that comes back is heard within a minute.
pub const LEFT_ALONE_FOR: Duration = Duration::from_secs(60);

/// One upstream.
#[async_trait]
pub trait Source: Send {
    /// Name, as in `[sources.<name>]`.
    fn name(&self) -> SourceName;
    /// How often it is asked while somebody needs it.
    fn period(&self) -> Duration;
    /// Limit on one poll.
    fn timeout(&self) -> Duration;
    /// The longest wait between polls while the upstream answers that it has too much to do (429 or 503) and does not say for
    /// how long: what its operators ask for.
    fn leaves_alone_for(&self) -> Duration {
        LEFT_ALONE_FOR
    }
    /// Whether it has something to look for that should not wait for its period, for instance a place not seen before.
    fn is_wanted_now(&self, _ask: &Ask) -> bool {
        false
    }
    /// Reads what is new. Called again and again; state between polls (validators, newest key) is the source's own.
    async fn poll(&mut self, ask: &Ask, now: Timestamp) -> Result<Poll, PollError>;
}

/// A figure of a config block with what is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranged {
    /// The key.
    pub key: &'static str,
    /// What is set.
    pub value: u64,
    /// The least and the most that is accepted.
    pub accepted: (u64, u64),
}

/// A source's config block.
pub trait Block: DeserializeOwned + Default + Clone + Send + Sync + 'static {
    /// Its figures. One out of range is refused when the program starts, with its line, rather than bent in silence.
    fn figures(&self) -> Vec<Ranged>;
}

/// Makes a source anew: at start, and again after its actor died.
pub type OpenSource = Arc<dyn Fn() -> Box<dyn Source> + Send + Sync>;

/// A source that is switched on and whose block was read.
#[derive(Clone)]
pub struct Configured {
    /// Opens it.
    pub open: OpenSource,
    /// How often it is asked while somebody needs it.
    pub period: Duration,
}

/// One line of the list: reads the source's config block and says how to open it.
type Listed = fn(&Config, &Arc<dyn Outside>) -> Result<Configured, ConfigError>;

/// The list. A new source is a new file and a line here.
const ALL: &[(SourceName, Listed)] = &[
    (IEM_REPORTS, |config, outside| opener(&IEM_REPORTS, config, outside, iem_reports::open)),
    (GOES_GLM, |config, outside| opener(&GOES_GLM, config, outside, goes_glm::open)),
    (MRMS, |config, outside| opener(&MRMS, config, outside, mrms::open)),
    (NWS_WARNINGS, |config, outside| opener(&NWS_WARNINGS, config, outside, nws_warnings::open)),
    (NWS_ZONES, |config, outside| opener(&NWS_ZONES, config, outside, nws_zones::open)),
    (SPC_MESOSCALE, |config, outside| opener(&SPC_MESOSCALE, config, outside, spc_mesoscale::open)),
    (SPC_OUTLOOKS, |config, outside| opener(&SPC_OUTLOOKS, config, outside, spc_outlooks::open)),
    (RAP_PROFILES, |config, outside| opener(&RAP_PROFILES, config, outside, rap_profiles::open)),
];

/// Every source that is switched on, configured. The blocks of the others are checked as well.
///
/// # Errors
/// When a config block names an unknown key or a value out of range.
pub fn open_all(config: &Config, outside: &Arc<dyn Outside>) -> Result<BTreeMap<SourceName, Configured>, ConfigError> {
    let mut opened = BTreeMap::new();
    for (name, listed) in ALL {
        let source = listed(config, outside)?;
        if config.is_source_enabled(name.as_str())? {
            opened.insert(name.clone(), source);
        }
    }
    Ok(opened)
}

/// The names of all sources, switched on or off.
pub fn names() -> impl Iterator<Item = &'static SourceName> {
    ALL.iter().map(|(name, _)| name)
}

/// What is asked only when somebody asks: it publishes nothing. A new one is a new file and a field here.
pub struct OnDemand {
    /// Single radars.
    pub nexrad: nexrad::Nexrad,
    /// Storm reports of past times.
    pub reports: iem_reports::ReportArchive,
    /// Forecasts, observations, alerts and texts of the NWS.
    pub nws: nws_facts::NwsFacts,
}

impl OnDemand {
    /// Every one, configured.
    ///
    /// # Errors
    /// When a config block names an unknown key or a value out of range.
    pub fn open(config: &Config, outside: &Arc<dyn Outside>) -> Result<Self, ConfigError> {
        let enabled = config.is_source_enabled(NEXRAD.as_str())?;
        let nexrad = nexrad::open(config.source(NEXRAD.as_str())?, Arc::clone(outside)).switched(enabled);
        let reports = iem_reports::open_archive(&config.source(IEM_REPORTS.as_str())?, Arc::clone(outside));
        let nws = nws_facts::configured(config, Arc::clone(outside))?;
        Ok(Self { nexrad, reports, nws })
    }
}

fn opener<C, S>(
    name: &SourceName,
    config: &Config,
    outside: &Arc<dyn Outside>,
    open: fn(C, Arc<dyn Outside>) -> S,
) -> Result<Configured, ConfigError>
where
    C: Block,
    S: Source + 'static,
{
    let block: C = config.source(name.as_str())?;
    for Ranged { key, value, accepted: (least, most) } in block.figures() {
        if !(least..=most).contains(&value) {
            return Err(config.invalid_source_key(
                name.as_str(),
                key,
                format!("{value} is out of range: {least} to {most}"),
            ));
        }
    }
    let outside = Arc::clone(outside);
    let period = open(block.clone(), Arc::clone(&outside)).period();
    Ok(Configured { open: Arc::new(move || Box::new(open(block.clone(), Arc::clone(&outside)))), period })
}
