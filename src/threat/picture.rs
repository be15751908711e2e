//! The picture: the newest evidence from all sources, nationwide. A fold over reports; pure.

use crate::lightning::LightningWindow;
use crate::mosaic::{Mosaic, Product};
use crate::observation::{Fault, Observation, PlaceZones, Report, SourceName};
use crate::threat::later;
use crate::warning::incidents::Incidents;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far evidence may be ahead of the poll that brought it: clocks drift.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// The newest evidence of everything. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// NWS incidents and how fresh they are.
    pub warnings: Arc<Incidents>,
    /// The newest mosaic of each product, however old.
    pub mosaics: BTreeMap<Product, Arc<Mosaic>>,
    /// Zones by four-decimal place key.
    pub zones: Arc<BTreeMap<String, Arc<PlaceZones>>>,
    /// The lightning of the last 30 minutes.
    pub lightning: Arc<LightningWindow>,
    /// When each source was heard, and what it had to say of itself.
    pub heard: BTreeMap<SourceName, Heard>,
}

/// When a source was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The last report, good or not.
    pub last_poll_utc: Timestamp,
    /// The last good poll.
    pub last_good_utc: Option<Timestamp>,
    /// Faults of the last report.
    pub faults: Vec<Fault>,
}

impl Picture {
    /// Takes a report in. Older evidence never replaces newer.
    pub fn take(&mut self, report: &Report) {
        let heard = self.heard.entry(report.source.clone()).or_insert(Heard {
            last_poll_utc: report.polled_utc,
            last_good_utc: None,
            faults: Vec::new(),
        });
        heard.last_poll_utc = heard.last_poll_utc.max(report.polled_utc);
        if report.good {
            heard.last_good_utc = heard.last_good_utc.max(Some(report.polled_utc));
        }
        heard.faults.clone_from(&report.faults);
        for observation in &report.observations {
            match observation {
                Observation::Warnings(snapshot) => {
                    Arc::make_mut(&mut self.warnings).take(snapshot, report.polled_utc);
                }
                // From the future it would keep every true one out, and never grow old.
                Observation::Mosaic(mosaic) if mosaic.valid_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::Mosaic(mosaic) => {
                    let held = self.mosaics.entry(mosaic.product).or_insert_with(|| Arc::clone(mosaic));
                    if held.valid_utc <= mosaic.valid_utc {
                        *held = Arc::clone(mosaic);
                    }
                }
                Observation::Zones(zones) => {
                    Arc::make_mut(&mut self.zones).insert(zones.place.key_4dp(), Arc::clone(zones));
                }
                Observation::Granule(granule) if granule.start_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::Granule(granule) => Arc::make_mut(&mut self.lightning).take(granule),
            }
        }
    }
}
