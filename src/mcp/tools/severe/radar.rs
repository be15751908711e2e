//! get_radar_snapshot: what the newest volume of the nearest radar shows.

use crate::geo::{LatLon, compass, round_1dp};
use crate::mcp::envelope::{Envelope, Point, clock_time, rounded, utc};
use crate::observation::Fault;
use crate::radar::{Completeness, ECHO_TOP_DBZ, Gate, KFT_PER_KM, RadarSnapshot, is_clear_air};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// The id in `degraded`.
pub const SOURCE_ID: &str = "nexrad-level2";
/// How echo tops are reckoned.
const METHOD: &str =
    "highest gate of at least 18 dBZ within 150 km on the highest tilt that has one; beam centre on a 4/3 earth";

/// `data` of get_radar_snapshot. Where no radar has a usable volume, only `point` and `not_used` are there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Radar {
    /// The asked point; left out when a volume was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    /// The volume's figures.
    #[serde(flatten)]
    pub snapshot: Option<Snapshot>,
    /// Nearer radars and parts of the volume that could not be used, and why.
    pub not_used: Vec<NotUsed>,
}

/// One volume.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Snapshot {
    /// The radar.
    pub site: Site,
    /// Where the figures come from.
    pub volume: Volume,
    /// Volume coverage pattern; null when the volume does not say.
    pub vcp: Option<u16>,
    /// What the pattern is for.
    pub vcp_meaning: String,
    /// Sweeps read; low ones may be taken more than once.
    pub sweep_count: usize,
    /// The largest reflectivity anywhere in the volume; null when there is no echo.
    pub max_reflectivity: Option<MaxReflectivity>,
    /// How high the echoes reach, roughly; null when there is none within 150 km.
    pub echo_top_estimate: Option<EchoTop>,
}

/// The radar.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Site {
    /// Four letters.
    pub id: String,
    /// Name of the town or base.
    pub name: String,
    /// Two-letter state.
    pub state: String,
    /// From the point to the radar, km.
    pub distance_km: f64,
    /// From the point to the radar, degrees clockwise from north.
    pub bearing_deg: i64,
    /// The same as a 16-point compass name.
    pub direction: String,
}

/// One volume's identity and age.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Volume {
    /// Object key.
    pub s3_key: String,
    /// When it began, UTC.
    pub scan_start_utc: String,
    /// When its last radial was taken, UTC.
    pub scan_end_utc: String,
    /// Seconds since it began.
    pub age_s: i64,
    /// Whether it came to its end.
    pub complete: bool,
    /// What is missing, or that it ended early because nothing is aloft; null when it is whole.
    pub completeness: Option<String>,
}

/// One gate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MaxReflectivity {
    /// Reflectivity, dBZ.
    pub dbz: f64,
    /// From the radar, km.
    pub range_km: f64,
    /// From the radar, degrees clockwise from north.
    pub azimuth_deg: f64,
    /// Degrees above the horizon.
    pub elevation_deg: f64,
}

/// Height of echoes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EchoTop {
    /// Above the radar, km.
    pub km_above_radar: f64,
    /// The same in thousands of feet.
    pub kft_above_radar: f64,
    /// Above sea level, km, by the station's height.
    pub km_msl_approx: f64,
    /// Degrees above the horizon.
    pub elevation_deg: f64,
    /// From the radar, km.
    pub range_km: f64,
    /// From the radar, degrees clockwise from north.
    pub azimuth_deg: f64,
    /// Reflectivity that counts as echo, dBZ.
    pub threshold_dbz: f64,
    /// How it was reckoned.
    pub method: String,
}

/// Something that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NotUsed {
    /// Radar or object.
    pub what: String,
    /// Why.
    pub why: String,
}

impl From<&Fault> for NotUsed {
    fn from(fault: &Fault) -> Self {
        Self { what: fault.place.clone(), why: fault.what.clone() }
    }
}

/// The answer from a volume, or from the lack of one (`None`), with what was wrong on the way.
pub fn radar_snapshot(
    found: Option<&RadarSnapshot>,
    faults: &[Fault],
    place: LatLon,
    now: Timestamp,
) -> Envelope<Radar> {
    let not_used: Vec<NotUsed> = faults.iter().map(NotUsed::from).collect();
    let Some(found) = found else {
        let why: Vec<String> = not_used.iter().map(|part| format!("{}: {}", part.what, part.why)).collect();
        let interpretation =
            format!("No radar volume near this point can be used: radar is unknown, not quiet. {}.", why.join("; "));
        let data = Radar { point: Some(place.into()), snapshot: None, not_used };
        return Envelope::new(data, interpretation, vec![SOURCE_ID.to_owned()]);
    };
    let snapshot = snapshot(found, now);
    let complete = snapshot.volume.complete;
    let interpretation = interpret(found, &snapshot, now);
    let degraded = if complete { Vec::new() } else { vec![SOURCE_ID.to_owned()] };
    Envelope::new(Radar { point: None, snapshot: Some(snapshot), not_used }, interpretation, degraded)
}

fn snapshot(found: &RadarSnapshot, now: Timestamp) -> Snapshot {
    let RadarSnapshot { site, volume, .. } = found;
    let (complete, completeness) = match &volume.completeness {
        Completeness::Complete => (true, None),
        Completeness::EndedEarly { cuts, of } => {
            (true, Some(format!("ended early after {cuts} of {of} cuts: nothing aloft above them")))
        }
        Completeness::Incomplete { why } => (false, Some(why.clone())),
    };
    Snapshot {
        site: Site {
            id: site.id.clone(),
            name: site.name.clone(),
            state: site.state.clone(),
            distance_km: round_1dp(found.distance_km),
            bearing_deg: found.bearing_deg.round() as i64,
            direction: compass(found.bearing_deg).to_owned(),
        },
        volume: Volume {
            s3_key: found.key.clone(),
            scan_start_utc: utc(volume.scan_start_utc),
            scan_end_utc: utc(volume.scan_end_utc),
            age_s: now.duration_since(volume.scan_start_utc).as_secs(),
            complete,
            completeness,
        },
        vcp: volume.vcp,
        vcp_meaning: found.vcp_meaning().to_owned(),
        sweep_count: found.sweep_count(),
        max_reflectivity: volume.max_reflectivity().map(max_reflectivity),
        echo_top_estimate: volume.echo_top().map(|top| EchoTop {
            km_above_radar: rounded(top.km_above_radar, 1),
            kft_above_radar: rounded(top.km_above_radar * KFT_PER_KM, 1),
            km_msl_approx: rounded(top.km_above_radar + site.elevation_km(), 1),
            elevation_deg: rounded(top.gate.elevation_deg, 1),
            range_km: rounded(top.gate.range_km, 1),
            azimuth_deg: rounded(top.gate.azimuth_deg, 1),
            threshold_dbz: ECHO_TOP_DBZ,
            method: METHOD.to_owned(),
        }),
    }
}

fn max_reflectivity(gate: Gate) -> MaxReflectivity {
    MaxReflectivity {
        dbz: rounded(gate.dbz, 1),
        range_km: rounded(gate.range_km, 1),
        azimuth_deg: rounded(gate.azimuth_deg, 1),
        elevation_deg: rounded(gate.elevation_deg, 1),
    }
}

fn interpret(found: &RadarSnapshot, shown: &Snapshot, now: Timestamp) -> String {
    let mut sentences = Vec::new();
    if let (false, Some(why)) = (shown.volume.complete, &shown.volume.completeness) {
        sentences.push(format!("This volume is a part: {why}; there may be more than it shows."));
    }
    let site = &shown.site;
    sentences.push(format!(
        "Radar {} ({}, {}), {} km {}, volume begun {}, {}.",
        site.id,
        site.name,
        site.state,
        site.distance_km,
        site.direction,
        clock_time(found.volume.scan_start_utc, now),
        shown.vcp.map_or_else(|| "pattern unknown".to_owned(), |vcp| format!("pattern {vcp}, {}", shown.vcp_meaning))
    ));
    sentences.push(match &shown.max_reflectivity {
        Some(gate) => format!(
            "Largest reflectivity {} dBZ, {} km from the radar toward {}.",
            gate.dbz,
            gate.range_km,
            compass(gate.azimuth_deg)
        ),
        None => "No echo in the volume.".to_owned(),
    });
    sentences.extend(shown.echo_top_estimate.as_ref().map(|top| {
        format!("Echoes of 18 dBZ reach about {} km ({} kft) above the radar.", top.km_above_radar, top.kft_above_radar)
    }));
    if shown.vcp.is_some_and(is_clear_air) {
        sentences.push(
            "The radar is in clear-air mode: little or no precipitation is expected by its operators.".to_owned(),
        );
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests;
