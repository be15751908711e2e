//! One cycle and hour for some grid points: cut out by NOMADS' filter where they are few, else out of the whole file.

use super::Groups;
use crate::decode::rap::{self, GridPoint, RapError};
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::outside::{Get, Got, Outside, OutsideError, compute};
use crate::profile::ModelProfile;
use crate::sources::PollError;
use bytes::Bytes;
use futures_util::future::join_all;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::Arc;
use std::time::Duration;

/// A cut-out has 50 to 85 kB; without names of fields the filter would send all 18 MB.
const CUT_OUT_BYTES_MAX: usize = 4 << 20;
/// The filter cuts out within seconds; while NOMADS is busy, within half a minute.
const CUT_OUT_TIMEOUT: Duration = Duration::from_secs(45);
/// The box around a grid point, degrees to each side: at least one row and column more than the point itself.
const BOX_DEG: f64 = 0.6;
/// Grid points asked one after the other before all at once, if the first ones are troubled: so a silent upstream costs few
/// requests, and one place's trouble is no other's.
const PROBES_MAX: usize = 2;

const VARIABLES: [&str; 12] =
    ["TMP", "DPT", "RH", "HGT", "UGRD", "VGRD", "PRES", "CAPE", "CIN", "HLCY", "USTM", "VSTM"];
const LEVELS: [&str; 8] = [
    "surface",
    "2_m_above_ground",
    "10_m_above_ground",
    "90-0_mb_above_ground",
    "255-0_mb_above_ground",
    "1000-0_m_above_ground",
    "3000-0_m_above_ground",
    "0-6000_m_above_ground",
];
/// RAP's isobars, hPa: from, to, step.
const ISOBARS_HPA: (u16, u16, usize) = (100, 1000, 25);

/// Where RAP is had from.
pub(super) struct Upstream {
    pub outside: Arc<dyn Outside>,
    pub filter_url: String,
    pub files_url: String,
    pub filter_points_max: usize,
}

/// What one cycle and hour yielded.
#[derive(Default)]
pub(super) struct Outcome {
    /// The upstream answered what makes sense, be it that the file is not there yet.
    pub answered: bool,
    /// The upstream itself is in trouble: asking for another cycle would fare no better.
    pub down: bool,
    /// The first trouble.
    pub error: Option<PollError>,
    pub faults: Vec<Fault>,
    /// By grid point: its profile, or why the file has none for it and will not have one.
    pub profiles: Vec<(GridPoint, Result<ModelProfile, Fault>)>,
}

impl Outcome {
    /// Takes the trouble of one request in. A file that is not there is none.
    pub fn trouble(&mut self, error: OutsideError, place: &str) {
        if is_absent(&error) {
            self.answered = true;
            return;
        }
        self.down |= !matches!(error, OutsideError::WebPage { .. } | OutsideError::TooLarge { .. });
        self.faults.push(Fault { what: error.to_string(), place: place.to_owned(), kept_rest: true });
        self.error.get_or_insert(PollError::Outside(error));
    }

    /// Takes an answer in that must not be used.
    pub fn refuse(&mut self, what: String, place: &str) {
        let fault = Fault { what, place: place.to_owned(), kept_rest: true };
        self.error.get_or_insert(PollError::Refused(fault.clone()));
        self.faults.push(fault);
    }

    /// Takes the bytes of a file in, whole messages, for the places that stand for their grid points.
    pub fn read(&mut self, bytes: &[u8], asked: &[(GridPoint, LatLon)], cycle: Timestamp, hour: u16) {
        let key = file_key(cycle, hour);
        if !bytes.starts_with(b"GRIB") || !bytes.ends_with(b"7777") {
            let what = match bytes.starts_with(b"GRIB") {
                true => "GRIB without its closing 7777: cut short".to_owned(),
                false => format!("not GRIB but {}", crate::decode::sniff(bytes)),
            };
            return self.refuse(what, &key);
        }
        let places: Vec<LatLon> = asked.iter().map(|(_, place)| *place).collect();
        let read = match compute(|| rap::profiles(bytes, &key, &places)) {
            Ok(read) => read,
            Err(error) => return self.refuse(error.to_string(), &key),
        };
        if (read.cycle_utc, read.forecast_hour) != (cycle, hour) {
            let what = format!("holds cycle {} f{:02}, which was not asked for", read.cycle_utc, read.forecast_hour);
            return self.refuse(what, &key);
        }
        self.answered = true;
        self.faults.extend(read.faults);
        for ((point, _), (_, profile)) in asked.iter().zip(read.each) {
            match profile {
                Ok(profile) => self.profiles.push((*point, Ok(profile))),
                Err(error @ RapError::NotCovered { .. }) => {
                    let fault = Fault { what: error.to_string(), place: key.clone(), kept_rest: true };
                    self.profiles.push((*point, Err(fault)));
                }
                Err(error) => self.refuse(error.to_string(), &key),
            }
        }
    }

    pub fn add(&mut self, other: Self) {
        self.answered |= other.answered;
        self.down |= other.down;
        self.error = self.error.take().or(other.error);
        self.faults.extend(other.faults);
        self.profiles.extend(other.profiles);
    }
}

/// A file that is not there yet, or no more.
pub(super) fn is_absent(error: &OutsideError) -> bool {
    matches!(error, OutsideError::Status { status: 404, .. } | OutsideError::Absent { .. })
}

impl Upstream {
    /// Profiles of one cycle and hour for the points of `groups`, by the cheaper way.
    pub async fn fetch(&self, cycle: Timestamp, hour: u16, groups: &Groups) -> Outcome {
        let asked: Vec<(GridPoint, LatLon)> =
            groups.iter().filter_map(|(point, places)| Some((*point, *places.first()?))).collect();
        if asked.len() <= self.filter_points_max {
            return self.by_filter(cycle, hour, &asked).await;
        }
        let mut outcome = self.by_ranges(cycle, hour, &asked).await;
        // Where whole files cannot be had, some of the places are better than none.
        if !outcome.answered && self.filter_points_max > 0 {
            let some = asked.get(..self.filter_points_max).unwrap_or(&asked);
            outcome.add(self.by_filter(cycle, hour, some).await);
        }
        outcome
    }

    async fn by_filter(&self, cycle: Timestamp, hour: u16, asked: &[(GridPoint, LatLon)]) -> Outcome {
        let mut outcome = Outcome::default();
        let mut left = asked.iter();
        let key = file_key(cycle, hour);
        for (point, place) in left.by_ref().take(PROBES_MAX) {
            match self.cut_out(cycle, hour, *point, *place).await {
                Err(error) if is_absent(&error) => {
                    outcome.answered = true;
                    return outcome;
                }
                Err(error) => outcome.trouble(error, &key),
                Ok(bytes) => outcome.read(&bytes, &[(*point, *place)], cycle, hour),
            }
            if outcome.answered {
                break;
            }
        }
        if !outcome.answered {
            return outcome;
        }
        let rest: Vec<&(GridPoint, LatLon)> = left.collect();
        let answers = join_all(rest.iter().map(|(point, place)| self.cut_out(cycle, hour, *point, *place))).await;
        for ((point, place), answer) in rest.into_iter().zip(answers) {
            match answer {
                Ok(bytes) => outcome.read(&bytes, &[(*point, *place)], cycle, hour),
                Err(error) => outcome.trouble(error, &key),
            }
        }
        outcome
    }

    /// The box around a grid point. The upstream learns the point, not the place.
    async fn cut_out(
        &self,
        cycle: Timestamp,
        hour: u16,
        point: GridPoint,
        place: LatLon,
    ) -> Result<Bytes, OutsideError> {
        let middle = point.place().unwrap_or(place);
        let request = Get {
            base_url: self.filter_url.clone(),
            path: "/cgi-bin/filter_rap.pl".to_owned(),
            query: query(cycle, hour, middle),
            accept: "application/octet-stream",
            body_bytes_max: CUT_OUT_BYTES_MAX,
            timeout: CUT_OUT_TIMEOUT,
            held: None,
        };
        match self.outside.get(&request).await? {
            Got::Fresh { body, .. } => Ok(body),
            Got::NotModified => {
                let why = "the answer is that nothing changed, but nothing is held".to_owned();
                Err(OutsideError::Broken { url: self.filter_url.clone(), why })
            }
        }
    }
}

pub(super) fn query(cycle: Timestamp, hour: u16, middle: LatLon) -> Vec<(String, String)> {
    let (day, file) = names(cycle, hour);
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let mut query = vec![
        pair("dir", format!("/{day}")),
        pair("file", file),
        pair("subregion", String::new()),
        pair("leftlon", format!("{:.2}", middle.lon() - BOX_DEG)),
        pair("rightlon", format!("{:.2}", middle.lon() + BOX_DEG)),
        pair("toplat", format!("{:.2}", middle.lat() + BOX_DEG)),
        pair("bottomlat", format!("{:.2}", middle.lat() - BOX_DEG)),
    ];
    let on = |name: String| (name, "on".to_owned());
    query.extend(VARIABLES.iter().map(|variable| on(format!("var_{variable}"))));
    query.extend(LEVELS.iter().map(|level| on(format!("lev_{level}"))));
    let (from, to, step) = ISOBARS_HPA;
    query.extend((from..=to).step_by(step).map(|hpa| on(format!("lev_{hpa}_mb"))));
    query
}

/// Folder and name of a file.
fn names(cycle: Timestamp, hour: u16) -> (String, String) {
    let at = TimeZone::UTC.to_datetime(cycle);
    let day = format!("rap.{:04}{:02}{:02}", at.year(), at.month(), at.day());
    (day, format!("rap.t{:02}z.awp130pgrbf{hour:02}.grib2", at.hour()))
}

/// A file as the upstreams name it: `rap.20260610/rap.t20z.awp130pgrbf00.grib2`.
pub(super) fn file_key(cycle: Timestamp, hour: u16) -> String {
    let (day, file) = names(cycle, hour);
    format!("{day}/{file}")
}
