//! The picture: the newest evidence from all sources, nationwide. A fold over reports; pure.

use crate::lightning::LightningWindow;
use crate::mosaic::{Mosaic, Product};
use crate::nws_facts::alerts::AlertCollection;
use crate::observation::{Fault, NWS_WARNINGS, Observation, PlaceZones, Report, SourceName};
use crate::outlook::{Discussions, Outlooks, Watches};
use crate::profile::ModelProfile;
use crate::storm_report::StormReports;
use crate::threat::later;
use crate::warning::incidents::Incidents;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How far evidence may be ahead of the poll that brought it: clocks drift.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// Places whose profiles are held: 5,000 places of four hours each take some 50 MB. Beyond it the place whose profiles are
/// the oldest is forgotten: one that nobody asks about any more.
const PROFILE_PLACES_MAX: usize = 5_000;
/// Forecast hours held of one place; RAP makes 52.
const PROFILE_HOURS_MAX: usize = 64;

/// Profiles of one place by forecast hour, of each hour the newest cycle's.
pub type PlaceProfiles = BTreeMap<u16, Arc<ModelProfile>>;

/// The newest evidence of everything. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// NWS incidents and how fresh they are.
    pub warnings: Arc<Incidents>,
    /// The alerts of the newest good poll as the API lists them, and when that was: what a search looks at. No level rests
    /// on them.
    pub alerts: Option<(Arc<AlertCollection>, Timestamp)>,
    /// The newest mosaic of each product, however old.
    pub mosaics: BTreeMap<Product, Arc<Mosaic>>,
    /// Zones by four-decimal place key.
    pub zones: Arc<BTreeMap<String, Arc<PlaceZones>>>,
    /// Convective outlooks; which of them speaks is theirs to say (`Outlooks::speaking`).
    pub outlooks: Arc<Outlooks>,
    /// Mesoscale discussions, as the newest poll that could read them saw them.
    pub discussions: Option<Arc<Discussions>>,
    /// Convective watches by their outlines, likewise.
    pub watches: Option<Arc<Watches>>,
    /// Storm reports of the nation, likewise.
    pub reports: Option<Arc<StormReports>>,
    /// The last poll that read all of them.
    pub reports_whole_utc: Option<Timestamp>,
    /// Model profiles by four-decimal place key, then by forecast hour.
    pub profiles: Arc<BTreeMap<String, PlaceProfiles>>,
    /// The lightning of the last 30 minutes.
    pub lightning: Arc<LightningWindow>,
    /// When each source was heard, and what it had to say of itself.
    pub heard: BTreeMap<SourceName, Heard>,
    /// Sources that the configuration switches off: what they would tell is not missed.
    pub off: Arc<BTreeSet<SourceName>>,
    /// The newest event that an earlier life of the process had heard reported: a feed that lists nothing as new as this any
    /// more was emptied.
    pub reported_before_utc: Option<Timestamp>,
    /// When the warnings feed was first asked in vain by a process that has not heard it yet: this one, or where it was started
    /// again and again, the first of those that heard nothing.
    pub unheard_since_utc: Option<Timestamp>,
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
    /// Whether a source is switched off.
    pub fn is_off(&self, source: &SourceName) -> bool {
        self.off.contains(source)
    }

    /// The newest event that was ever heard reported, in this life or an earlier one.
    pub fn newest_reported_utc(&self) -> Option<Timestamp> {
        let held = self.reports.as_ref().and_then(|held| Some(held.reports.first()?.event_utc));
        held.max(self.reported_before_utc)
    }

    /// Takes a report in. Older evidence never replaces newer.
    pub fn take(&mut self, report: &Report) {
        let heard = self.heard.entry(report.source.clone()).or_insert(Heard {
            last_poll_utc: report.polled_utc,
            last_good_utc: None,
            faults: Vec::new(),
        });
        if report.good {
            heard.last_good_utc = heard.last_good_utc.max(Some(report.polled_utc));
        }
        if heard.last_poll_utc <= report.polled_utc {
            heard.last_poll_utc = report.polled_utc;
            heard.faults.clone_from(&report.faults);
        }
        for observation in &report.observations {
            match observation {
                Observation::Warnings(snapshot) => {
                    Arc::make_mut(&mut self.warnings).take(snapshot, report.polled_utc);
                }
                Observation::Alerts(collection) => {
                    let newer = self.alerts.as_ref().is_none_or(|(_, polled_utc)| *polled_utc <= report.polled_utc);
                    if report.good && newer {
                        self.alerts = Some((Arc::clone(collection), report.polled_utc));
                    }
                }
                // From the future it would keep every true one out, and never grow old.
                Observation::Mosaic(mosaic) if mosaic.valid_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::Mosaic(mosaic) => {
                    let held = self.mosaics.entry(mosaic.product).or_insert_with(|| Arc::clone(mosaic));
                    // The key decides between two of one time, so that it does not matter which comes first.
                    if (held.valid_utc, &held.key) <= (mosaic.valid_utc, &mosaic.key) {
                        *held = Arc::clone(mosaic);
                    }
                }
                // A cycle from the future would keep every true one out.
                Observation::Profile(profile) if profile.cycle_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::Profile(profile) => take_profile(Arc::make_mut(&mut self.profiles), profile),
                Observation::Zones(zones) => {
                    let held = Arc::make_mut(&mut self.zones)
                        .entry(zones.place.key_4dp())
                        .or_insert_with(|| Arc::clone(zones));
                    if held.learned_utc <= zones.learned_utc {
                        *held = Arc::clone(zones);
                    }
                }
                Observation::Outlooks(news) => {
                    Arc::make_mut(&mut self.outlooks).take(news, report.polled_utc);
                }
                Observation::Discussions(news) => {
                    newer(&mut self.discussions, news, |held| held.read_utc, report.polled_utc);
                }
                Observation::Watches(news) => newer(&mut self.watches, news, |held| held.read_utc, report.polled_utc),
                // From the future it would keep every true one out.
                Observation::StormReports(news) if news.read_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::StormReports(news) => self.take_reports(news),
                Observation::Granule(granule) if granule.start_utc > later(report.polled_utc, AHEAD_MAX) => {}
                Observation::Granule(granule) => Arc::make_mut(&mut self.lightning).take(granule),
            }
        }
        if report.source == NWS_WARNINGS {
            let since = self.unheard_since_utc.unwrap_or(report.polled_utc);
            self.unheard_since_utc = self.warnings.last_good_utc.is_none().then_some(since);
        }
    }
}

impl Picture {
    /// Whichever of two snapshots comes first, what one of them had heard stays.
    fn take_reports(&mut self, news: &Arc<StormReports>) {
        if news.unread == 0 && !news.is_cut {
            self.reports_whole_utc = self.reports_whole_utc.max(Some(news.read_utc));
        }
        self.reports = Some(match &self.reports {
            None => Arc::clone(news),
            Some(held) if held.read_utc <= news.read_utc => Arc::new(news.with_earlier(held)),
            Some(held) => Arc::new(held.with_earlier(news)),
        });
    }
}

/// Takes a snapshot in place of an older one. One read later than the poll that brought it is not believed.
fn newer<T>(held: &mut Option<Arc<T>>, news: &Arc<T>, read_utc: fn(&T) -> Timestamp, polled_utc: Timestamp) {
    let read = read_utc(news);
    let is_newer = held.as_ref().is_none_or(|held| read_utc(held) <= read);
    if is_newer && read <= later(polled_utc, AHEAD_MAX) {
        *held = Some(Arc::clone(news));
    }
}

fn take_profile(places: &mut BTreeMap<String, PlaceProfiles>, profile: &Arc<ModelProfile>) {
    let key = profile.asked_place.key_4dp();
    if places.len() >= PROFILE_PLACES_MAX && !places.contains_key(&key) {
        let newest_of = |hours: &PlaceProfiles| hours.values().map(|profile| profile.cycle_utc).max();
        let oldest = places.iter().min_by_key(|(_, hours)| newest_of(hours)).map(|(key, _)| key.clone());
        oldest.and_then(|key| places.remove(&key));
    }
    let hours = places.entry(key).or_default();
    match hours.get(&profile.forecast_hour) {
        Some(held) if !profile.replaces(held) => {}
        None if hours.len() >= PROFILE_HOURS_MAX => {}
        _ => {
            hours.insert(profile.forecast_hour, Arc::clone(profile));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::LatLon;
    use crate::observation::RAP_PROFILES;
    use crate::profile::ModelReported;
    use crate::sounding::{Column, Level};

    fn profile(lat: f64, cycle_hour: i64, forecast_hour: u16) -> Arc<ModelProfile> {
        let level = |hpa: f64, m: f64| Level {
            pressure_hpa: hpa,
            height_msl_m: m,
            temperature_c: 10.0,
            dew_point_c: None,
            wind: None,
        };
        let levels = [(950.0, 500.0), (900.0, 1000.0), (700.0, 3000.0), (500.0, 5600.0)];
        let (column, _) = Column::new(levels.map(|(hpa, m)| level(hpa, m)).to_vec()).unwrap();
        let place = LatLon::new(lat, -97.0).unwrap();
        let cycle_utc = Timestamp::from_second(1_900_000_000 + cycle_hour * 3600).unwrap();
        Arc::new(ModelProfile {
            model: "RAP".to_owned(),
            cycle_utc,
            valid_utc: cycle_utc + SignedDuration::from_hours(forecast_hour.into()),
            forecast_hour,
            grid_point: place,
            asked_place: place,
            distance_km: 0.0,
            terrain_msl_m: 500.0,
            environment: crate::sounding::environment(&column),
            column,
            model_reported: ModelReported::default(),
            key: format!("{cycle_hour}"),
        })
    }

    fn take(picture: &mut Picture, profiles: Vec<Arc<ModelProfile>>) {
        picture.take(&Report {
            source: RAP_PROFILES,
            polled_utc: Timestamp::from_second(1_900_000_000 + 100 * 3600).unwrap(),
            good: true,
            observations: profiles.into_iter().map(Observation::Profile).collect(),
            faults: Vec::new(),
        });
    }

    #[test]
    fn of_each_place_and_hour_the_newest_cycle_stays() {
        let mut picture = Picture::default();
        take(&mut picture, vec![profile(35.0, 20, 0), profile(35.0, 20, 3), profile(36.0, 19, 0)]);
        // Older, newer for one hour, and one from a cycle that has not begun.
        take(&mut picture, vec![profile(35.0, 19, 0), profile(35.0, 21, 3), profile(36.0, 101, 0)]);
        let keys = |lat: f64| {
            let hours = &picture.profiles[&LatLon::new(lat, -97.0).unwrap().key_4dp()];
            hours.iter().map(|(hour, profile)| (*hour, profile.key.clone())).collect::<Vec<_>>()
        };
        assert_eq!(keys(35.0), [(0, "20".to_owned()), (3, "21".to_owned())]);
        assert_eq!(keys(36.0), [(0, "19".to_owned())]);
    }

    #[test]
    fn profiles_are_bounded_and_the_oldest_place_goes_first() {
        let mut picture = Picture::default();
        let lat = |n: usize| 25.0 + n as f64 * 0.001;
        take(&mut picture, (0..PROFILE_PLACES_MAX).map(|n| profile(lat(n), if n == 7 { 1 } else { 2 }, 0)).collect());
        take(&mut picture, vec![profile(49.0, 3, 0)]);
        assert_eq!(picture.profiles.len(), PROFILE_PLACES_MAX);
        assert!(!picture.profiles.contains_key(&LatLon::new(lat(7), -97.0).unwrap().key_4dp()));
        assert!(picture.profiles.contains_key(&LatLon::new(49.0, -97.0).unwrap().key_4dp()));
    }
}
