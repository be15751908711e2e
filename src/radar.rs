//! Single radars: where they stand, and what one volume of one of them shows.
//!
//! Boundaries: ✓ the site table, one volume in figures, echo tops. ✗ no level II format (see `decode::level2`), no I/O.

use crate::geo::{EARTH_RADIUS_KM, LatLon};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

mod sites;
#[cfg(test)]
mod tests;

/// Kilometres in a foot.
const KM_PER_FT: f64 = 0.000_304_8;
/// Thousands of feet in a kilometre.
pub const KFT_PER_KM: f64 = 3.280_84;
/// The reflectivity that an echo top is reckoned at, dBZ.
pub const ECHO_TOP_DBZ: f64 = 18.0;
/// Echoes farther out do not count for an echo top: the beam is over 2 km wide there.
pub const ECHO_TOP_RANGE_KM_MAX: f64 = 150.0;
/// Sweeps whose angles differ by less than this are of one tilt.
const ONE_TILT_DEG: f64 = 0.1;
/// How much larger than the earth a sphere is on which beams run straight (standard refraction; Doviak and Zrnic 1993,
/// Doppler Radar and Weather Observations, 2nd ed., eq. 2.28).
const EFFECTIVE_RADIUS: f64 = 4.0 / 3.0;

/// One row of the table: id, name, state, degrees north, degrees east, elevation in feet.
type SiteRow = (&'static str, &'static str, &'static str, f64, f64, i32);

/// One WSR-88D.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarSite {
    /// Four letters, for instance `KTLX`.
    pub id: String,
    /// Name of the town or base, in title case.
    pub name: String,
    /// Two-letter state; empty abroad.
    pub state: String,
    /// Where it stands.
    pub at: LatLon,
    /// Height of the station above sea level, feet, as the table gives it.
    pub elevation_ft: i32,
}

impl RadarSite {
    fn of_row(row: &SiteRow) -> Option<Self> {
        let &(id, name, state, lat, lon, elevation_ft) = row;
        let at = LatLon::new(lat, lon).ok()?;
        Some(Self { id: id.to_owned(), name: name.to_owned(), state: state.to_owned(), at, elevation_ft })
    }

    /// Height above sea level, km.
    pub fn elevation_km(&self) -> f64 {
        f64::from(self.elevation_ft) * KM_PER_FT
    }
}

/// Every WSR-88D, by id. Terminal radars (TDWR) are left out: their range is short and they have their own bucket names.
pub fn sites() -> impl Iterator<Item = RadarSite> {
    sites::SITES.iter().filter_map(RadarSite::of_row)
}

/// The site with this id.
pub fn site(id: &str) -> Option<RadarSite> {
    sites::SITES.iter().find(|row| row.0 == id).and_then(RadarSite::of_row)
}

/// The `count` sites nearest to `place`, nearest first, with distance in km.
pub fn nearest_sites(place: LatLon, count: usize) -> Vec<(RadarSite, f64)> {
    let mut all: Vec<(RadarSite, f64)> = sites()
        .map(|site| {
            let distance_km = place.distance_km(site.at);
            (site, distance_km)
        })
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all.truncate(count);
    all
}

/// One gate of reflectivity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// Reflectivity, dBZ.
    pub dbz: f64,
    /// From the radar to the gate's centre along the beam, km.
    pub range_km: f64,
    /// Azimuth of the radial, degrees clockwise from north.
    pub azimuth_deg: f64,
    /// Elevation of the radial, degrees above the horizon; slightly negative at mountain radars.
    pub elevation_deg: f64,
}

/// One rotation of the antenna at one elevation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Mean elevation of its radials, degrees.
    pub elevation_deg: f64,
    /// Radials read.
    pub radials: u32,
    /// Directions looked at, of 360: a partial sweep has fewer, and the rest is unknown.
    pub azimuths_covered_deg: u16,
    /// Three-letter names of the moments that its radials hold, sorted.
    pub moments: Vec<String>,
    /// Its largest reflectivity; on ties the first. `None` where no gate holds an echo.
    pub max_reflectivity: Option<Gate>,
    /// Its highest gate of at least `ECHO_TOP_DBZ` within `ECHO_TOP_RANGE_KM_MAX`.
    pub highest_echo: Option<Gate>,
}

/// Whether a volume came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Completeness {
    /// The radar said that the volume ends.
    Complete,
    /// The radar said that the volume ends, with fewer cuts than the pattern has: it stops where nothing is aloft (AVSET).
    EndedEarly {
        /// Cuts read.
        cuts: u32,
        /// Cuts of the pattern.
        of: u32,
    },
    /// The end is missing: what it shows is a part.
    Incomplete {
        /// What is missing, for a person.
        why: String,
    },
}

/// One volume: the figures that tools tell, not the gates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarVolume {
    /// Four letters, where the file says; files of 1991 do not.
    pub station: Option<String>,
    /// The file's own mark, for instance `AR2V0006`.
    pub format: String,
    /// When the volume began: the first radial's time, else the header's.
    pub scan_start_utc: Timestamp,
    /// When the last radial was taken.
    pub scan_end_utc: Timestamp,
    /// Volume coverage pattern, as the radar says; never guessed from the number of sweeps.
    pub vcp: Option<u16>,
    /// The sweeps in the order taken; low ones may come again in between (SAILS).
    pub sweeps: Vec<Sweep>,
    /// Whether the volume came to its end.
    pub completeness: Completeness,
}

/// How high the echoes reach, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EchoTop {
    /// Height of the beam's centre above the radar, km.
    pub km_above_radar: f64,
    /// The gate.
    pub gate: Gate,
}

impl RadarVolume {
    /// The largest reflectivity anywhere in the volume; on ties the first.
    pub fn max_reflectivity(&self) -> Option<Gate> {
        let peaks = self.sweeps.iter().filter_map(|sweep| sweep.max_reflectivity);
        peaks.reduce(|best, gate| if gate.dbz > best.dbz { gate } else { best })
    }

    /// The highest echo on the highest tilt that has one. Tilts are ordered by angle, not by when they were taken.
    pub fn echo_top(&self) -> Option<EchoTop> {
        let with_echo = || self.sweeps.iter().filter_map(|sweep| Some((sweep.elevation_deg, sweep.highest_echo?)));
        let highest_deg = with_echo().map(|(elevation_deg, _)| elevation_deg).max_by(f64::total_cmp)?;
        with_echo()
            .filter(|(elevation_deg, _)| highest_deg - elevation_deg < ONE_TILT_DEG)
            .map(|(_, gate)| EchoTop { km_above_radar: beam_height_km(gate.range_km, gate.elevation_deg), gate })
            .max_by(|a, b| a.km_above_radar.total_cmp(&b.km_above_radar))
    }
}

/// Height of the beam's centre above the radar, km, after `range_km` at `elevation_deg`: r sin e + r^2 / (2 k a), the
/// usual shortening of the 4/3-earth formula (Doviak and Zrnic 1993, eq. 2.28b).
pub fn beam_height_km(range_km: f64, elevation_deg: f64) -> f64 {
    range_km * elevation_deg.to_radians().sin() + range_km * range_km / (2.0 * EFFECTIVE_RADIUS * EARTH_RADIUS_KM)
}

/// A signed elevation: files write angles below the horizon as just under 360 degrees.
pub fn signed_elevation_deg(elevation_deg: f64) -> f64 {
    if elevation_deg > 180.0 { elevation_deg - 360.0 } else { elevation_deg }
}

/// The newest usable volume near a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarSnapshot {
    /// Which radar.
    pub site: RadarSite,
    /// From the place to the radar, km.
    pub distance_km: f64,
    /// From the place to the radar, degrees clockwise from north.
    pub bearing_deg: f64,
    /// Object key of the volume.
    pub key: String,
    /// What it shows.
    pub volume: RadarVolume,
}

impl RadarSnapshot {
    /// What the pattern is for; `unknown` where the volume does not say which it is.
    pub fn vcp_meaning(&self) -> &'static str {
        self.volume.vcp.map_or("unknown", vcp_meaning)
    }

    /// How many sweeps were read.
    pub fn sweep_count(&self) -> usize {
        self.volume.sweeps.len()
    }
}

/// What a volume coverage pattern is for (NWS Radar Operations Center, patterns in use and retired).
pub fn vcp_meaning(vcp: u16) -> &'static str {
    match vcp {
        12 | 212 => "severe-weather precipitation",
        112 => "precipitation with extended velocity",
        215 => "general precipitation",
        11 | 21 | 121 | 211 | 221 => "precipitation (legacy pattern)",
        31 | 32 | 35 => "clear air",
        80 | 90 => "terminal radar pattern",
        _ => "unrecognised pattern",
    }
}

/// Whether a pattern is one for clear air.
pub fn is_clear_air(vcp: u16) -> bool {
    matches!(vcp, 31 | 32 | 35)
}
