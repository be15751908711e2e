//! Radials to sweeps: where one ends and the next begins, and the peaks of each.

use super::radial::Radial;
use crate::radar::{ECHO_TOP_DBZ, ECHO_TOP_RANGE_KM_MAX, Gate, Sweep, beam_height_km};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Sweeps of one volume: patterns have at most 32 cuts (ICD 2620002); a volume with more is garbled.
const SWEEPS_MAX: usize = 64;
/// Radials of one sweep: 720 at half a degree, a few more where rotations overlap.
const RADIALS_MAX: u32 = 2_000;
/// Degrees of 360 that a whole sweep looks at: a radial or two are lost now and then.
const ALL_AROUND_DEG: usize = 350;
/// Statuses that begin a sweep: an elevation, a volume, the last elevation.
const BEGINS: [u16; 3] = [0, 3, 5];
/// Status of a volume's last radial.
const ENDS_VOLUME: u16 = 4;

/// The sweeps so far.
#[derive(Default)]
pub(super) struct Sweeps {
    done: Vec<Gathered>,
    last_status: Option<u16>,
    first_utc: Option<Timestamp>,
    last_utc: Option<Timestamp>,
}

struct Gathered {
    cut: u16,
    radials: u32,
    elevation_sum_deg: f64,
    sectors: [bool; 360],
    moments: BTreeSet<&'static str>,
    max: Option<Gate>,
    highest: Option<(f64, Gate)>,
}

impl Sweeps {
    /// Adds a radial.
    pub(super) fn take(&mut self, radial: &Radial<'_>) {
        if !radial.azimuth_deg.is_finite() || !radial.elevation_deg.is_finite() {
            return;
        }
        let held = self.done.last();
        let follows = held.is_some_and(|sweep| sweep.cut == radial.cut && sweep.radials < RADIALS_MAX);
        // The status of a repeated begin would cut one sweep in two: only the first radial of a sweep begins it.
        if !follows || BEGINS.contains(&radial.status) {
            if self.done.len() >= SWEEPS_MAX {
                return;
            }
            self.done.push(Gathered::new(radial.cut));
        }
        self.last_status = Some(radial.status);
        if let Some(at) = radial.taken_utc {
            self.first_utc = Some(self.first_utc.map_or(at, |first| first.min(at)));
            self.last_utc = Some(self.last_utc.map_or(at, |last| last.max(at)));
        }
        if let Some(sweep) = self.done.last_mut() {
            sweep.take(radial);
        }
    }

    /// How many.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.done.len()).unwrap_or(u32::MAX)
    }

    /// Whether the last radial says that the volume ends with it.
    pub(super) fn has_ended(&self) -> bool {
        self.last_status == Some(ENDS_VOLUME)
    }

    /// The first sweep that does not look all around: its number from 1, and the degrees it looks at (field report R11).
    pub(super) fn first_gap(&self) -> Option<(usize, usize)> {
        let mut numbered = self.done.iter().zip(1..).map(|(sweep, number)| (number, sweep.looked_at()));
        numbered.find(|(_, degrees)| *degrees < ALL_AROUND_DEG)
    }

    /// When the first and the last radial were taken.
    pub(super) fn times(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.first_utc?, self.last_utc?))
    }

    /// The sweeps.
    pub(super) fn finish(self) -> Vec<Sweep> {
        self.done.into_iter().map(Gathered::finish).collect()
    }
}

impl Gathered {
    fn new(cut: u16) -> Self {
        Self {
            cut,
            radials: 0,
            elevation_sum_deg: 0.0,
            sectors: [false; 360],
            moments: BTreeSet::new(),
            max: None,
            highest: None,
        }
    }

    fn take(&mut self, radial: &Radial<'_>) {
        self.radials += 1;
        self.elevation_sum_deg += radial.elevation_deg;
        self.moments.extend(radial.moments.iter().copied());
        // A radial looks at half its spacing to either side.
        for aside_deg in [-0.5, 0.0, 0.5] {
            let azimuth_deg = (radial.azimuth_deg + aside_deg * radial.spacing_deg).rem_euclid(360.0);
            // Below 360 by construction.
            if let Some(sector) = self.sectors.get_mut(azimuth_deg as usize) {
                *sector = true;
            }
        }
        let Some(gates) = &radial.reflectivity else { return };
        let gate = |(range_km, dbz): (f64, f64)| Gate {
            dbz,
            range_km,
            azimuth_deg: radial.azimuth_deg,
            elevation_deg: radial.elevation_deg,
        };
        let most = self.max.map_or(f64::NEG_INFINITY, |gate| gate.dbz);
        // Of equal ones the first stays.
        let peak = gates.at_least(most).reduce(|best, found| if found.1 > best.1 { found } else { best });
        if let Some(peak) = peak.filter(|peak| peak.1 > most) {
            self.max = Some(gate(peak));
        }
        let far = gates.at_least(ECHO_TOP_DBZ).rev().find(|(range_km, _)| *range_km <= ECHO_TOP_RANGE_KM_MAX);
        if let Some(far) = far {
            let height_km = beam_height_km(far.0, radial.elevation_deg);
            if self.highest.is_none_or(|(held_km, _)| height_km > held_km) {
                self.highest = Some((height_km, gate(far)));
            }
        }
    }

    fn looked_at(&self) -> usize {
        self.sectors.iter().filter(|looked| **looked).count()
    }

    fn finish(self) -> Sweep {
        let covered = self.looked_at();
        Sweep {
            elevation_deg: self.elevation_sum_deg / f64::from(self.radials.max(1)),
            radials: self.radials,
            azimuths_covered_deg: u16::try_from(covered).unwrap_or(360),
            moments: self.moments.into_iter().map(str::to_owned).collect(),
            max_reflectivity: self.max,
            highest_echo: self.highest.map(|(_, gate)| gate),
        }
    }
}
