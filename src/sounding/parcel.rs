//! A parcel of air lifted through a column: where it condenses, where it rises by itself, and the energy on the way.
//!
//! Boundaries: ✓ energies, levels and the trace of one parcel; which parcels are lifted. ✗ no winds, no indices.
//!
//! Definitions (SPC's operational ones, SHARP; MetPy's differ and are named where they do):
//! - Virtual temperature on both sides (Doswell and Rasmussen 1994, Wea. Forecasting 9, 625-629).
//! - CAPE is the sum of all positive layers above the condensation level, a layer between two levels counting whole (the figures
//!   that SPC publishes come out so; splitting it would add some 4 J/kg). MetPy integrates from the lowest crossing to the highest,
//!   negative areas included, so that its CAPE may be negative.
//! - Of several positive areas the largest names the level of free convection and the equilibrium level; MetPy takes the
//!   lowest crossing and the highest.
//! - CIN is the sum of all negative areas below that level, never netted against positive ones, not even inside a layer, and never
//!   positive; MetPy nets them. SPC's programs also count negative layers above it, below 500 hPa. A column without a positive area has CAPE 0 and no CIN: there is no level of free convection to be reached (AMS
//!   Glossary of Meteorology, "convective inhibition"). SPC's programs print 0 there.

use super::air::{Air, Node};
use super::thermo::{self, GRAVITY, ZERO_C_K};
use super::{Column, choose, mix};
use serde::Serialize;

/// Air that is lifted: where it starts, and how warm and moist it is there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parcel {
    /// Where it starts, hPa.
    pub pressure_hpa: f64,
    /// Its temperature there, °C.
    pub temperature_c: f64,
    /// Its dew point there, °C.
    pub dew_point_c: f64,
}

/// A pressure and its height over the ground.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mark {
    /// Pressure, hPa.
    pub pressure_hpa: f64,
    /// Height above the ground, m.
    pub height_agl_m: f64,
}

/// What became of a lifted parcel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ascent {
    /// The parcel.
    pub parcel: Parcel,
    /// Lifted condensation level.
    pub lcl: Mark,
    /// Level of free convection: the foot of the largest positive area above the condensation level.
    pub lfc: Option<Mark>,
    /// Equilibrium level: the top of that area; `None` where the column ends in it.
    pub el: Option<Mark>,
    /// Convective available potential energy, J/kg, at least 0.
    pub cape_jkg: f64,
    /// Convective inhibition, J/kg, at most 0; `None` without a level of free convection.
    pub cin_jkg: Option<f64>,
    /// The part of `cape_jkg` in the lowest 3 km over the ground, J/kg.
    pub cape_0_3km_jkg: f64,
    /// Its way up, from where it starts to the top of the column.
    pub trace: Vec<TracePoint>,
}

/// A parcel on its way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TracePoint {
    /// Pressure, hPa.
    pub pressure_hpa: f64,
    /// Height above the ground, m.
    pub height_agl_m: f64,
    /// Virtual temperature of the parcel, °C.
    pub virtual_temperature_c: f64,
    /// Virtual temperature of the air around it, °C.
    pub around_c: f64,
}

/// Less CAPE than this is rounding and counts as none, J/kg (SPC's programs also cut there).
const CAPE_MIN_JKG: f64 = 1.0;
/// Depth over which CAPE near the ground is told, m.
const LOW_M: f64 = 3000.0;

/// Lifts a parcel; `None` where it starts outside the column, condenses above its top, or the surface has no dew point.
pub fn lift(column: &Column, parcel: Parcel) -> Option<Ascent> {
    lift_in(&Air::new(column)?, parcel)
}

/// Lifts the mean air of the lowest 100 hPa; `None` as in [`lift`].
pub fn lift_mixed_layer(column: &Column) -> Option<Ascent> {
    let air = Air::new(column)?;
    lift_in(&air, choose::mixed(&air, choose::MIXED_HPA)?)
}

/// A parcel's buoyancy at a height.
#[derive(Debug, Clone, Copy)]
struct Point {
    mark: Mark,
    /// Excess of virtual temperature over that of the air around, as a part of the latter in kelvins.
    buoyancy: f64,
}

pub(super) fn lift_in(air: &Air, parcel: Parcel) -> Option<Ascent> {
    let (lcl_hpa, lcl_c) = thermo::condensation_level(parcel.pressure_hpa, parcel.temperature_c, parcel.dew_point_c);
    let lcl_air = air.at(lcl_hpa)?;
    let lcl = mark(&lcl_air);
    let mut tally = Tally::default();
    let mut trace = Vec::with_capacity(air.nodes.len() + 2);
    let mut go = |node: &Node, virtual_c: f64, saturated: bool| {
        let buoyancy = (virtual_c - node.virtual_c) / (node.virtual_c + ZERO_C_K);
        tally.step(Point { mark: mark(node), buoyancy }, saturated);
        trace.push(TracePoint {
            pressure_hpa: node.pressure_hpa,
            height_agl_m: node.height_agl_m,
            virtual_temperature_c: virtual_c,
            around_c: node.virtual_c,
        });
    };

    // Unsaturated: potential temperature and mixing ratio stay.
    let theta_c = thermo::potential_temperature_c(parcel.pressure_hpa, parcel.temperature_c);
    let ratio_gkg = thermo::mixing_ratio_gkg(parcel.pressure_hpa, parcel.dew_point_c);
    if parcel.pressure_hpa > lcl_hpa {
        let start = air.at(parcel.pressure_hpa)?;
        let start_c = thermo::virtual_temperature_c(parcel.pressure_hpa, parcel.temperature_c, parcel.dew_point_c);
        go(&start, start_c, false);
    }
    let first_above_lcl = air.above(lcl_hpa);
    for index in air.above(parcel.pressure_hpa)..first_above_lcl {
        let node = &air.nodes[index];
        if node.pressure_hpa <= lcl_hpa {
            continue;
        }
        let dew_point_c = thermo::dew_point_of_mixing_ratio_c(node.pressure_hpa, ratio_gkg);
        let temperature_c = (theta_c + ZERO_C_K) * air.exner[index] - ZERO_C_K;
        go(node, thermo::virtual_temperature_c(node.pressure_hpa, temperature_c, dew_point_c), false);
    }

    // Saturated: along one moist adiabat, all that condenses falling out.
    let adiabat_c = thermo::moist_adiabat_c(lcl_hpa, lcl_c);
    go(&lcl_air, thermo::virtual_temperature_c(lcl_hpa, lcl_c, lcl_c), true);
    let (mut below_c, mut below) = (lcl_c, lcl_air);
    for (node, exner) in air.nodes.iter().zip(&air.exner).skip(first_above_lcl) {
        // A first guess 6 K/km cooler than below.
        let guess_c = below_c - 0.006 * (node.height_agl_m - below.height_agl_m);
        let temperature_c = thermo::moist_temperature_c(*exner, adiabat_c, guess_c);
        go(node, thermo::virtual_temperature_c(node.pressure_hpa, temperature_c, temperature_c), true);
        (below_c, below) = (temperature_c, *node);
    }
    Some(tally.ascent(parcel, lcl, trace))
}

fn mark(node: &Node) -> Mark {
    Mark { pressure_hpa: node.pressure_hpa, height_agl_m: node.height_agl_m }
}

/// A layer above the condensation level through which a parcel rises by itself.
#[derive(Debug, Clone, Copy)]
struct Positive {
    foot: Mark,
    top: Option<Mark>,
    energy_jkg: f64,
    /// Negative area below its foot, J/kg.
    below_jkg: f64,
}

/// Energies added up on the way.
#[derive(Debug, Default)]
struct Tally {
    last: Option<Point>,
    last_saturated: bool,
    negative_jkg: f64,
    cape_jkg: f64,
    low_jkg: f64,
    areas: Vec<Positive>,
    /// Whether the last of `areas` goes on.
    open: bool,
}

impl Tally {
    /// The next point; `saturated` when the parcel is at or above its condensation level there.
    fn step(&mut self, point: Point, saturated: bool) {
        // The layer below the condensation level ends at it: only what lies above counts as positive.
        let rises = saturated && self.last_saturated;
        if let Some(last) = self.last {
            self.layer(last, point, rises);
        }
        self.last_saturated = saturated;
        self.last = Some(point);
    }

    /// A layer through which buoyancy changes steadily with height; its areas are split where it changes sign.
    fn layer(&mut self, from: Point, to: Point, rises: bool) {
        let whole_jkg = energy_jkg(from, to);
        if rises && whole_jkg > 0.0 {
            self.cape_jkg += whole_jkg;
            self.low_jkg += low_part(from, to, whole_jkg);
        }
        if from.buoyancy * to.buoyancy < 0.0 {
            let part = from.buoyancy / (from.buoyancy - to.buoyancy);
            let zero = Point { mark: between(from.mark, to.mark, part), buoyancy: 0.0 };
            self.one_sign(from, zero, rises);
            self.one_sign(zero, to, rises);
        } else {
            self.one_sign(from, to, rises);
        }
    }

    fn one_sign(&mut self, from: Point, to: Point, rises: bool) {
        let energy_jkg = energy_jkg(from, to);
        if energy_jkg <= 0.0 {
            self.negative_jkg += energy_jkg;
            self.close(from.mark);
        } else if rises {
            if !self.open {
                self.areas.push(Positive { foot: from.mark, top: None, energy_jkg: 0.0, below_jkg: self.negative_jkg });
                self.open = true;
            }
            if let Some(area) = self.areas.last_mut() {
                area.energy_jkg += energy_jkg;
            }
        }
    }

    fn close(&mut self, top: Mark) {
        if let (true, Some(area)) = (self.open, self.areas.last_mut()) {
            area.top = Some(top);
        }
        self.open = false;
    }

    fn ascent(self, parcel: Parcel, lcl: Mark, trace: Vec<TracePoint>) -> Ascent {
        let rises = self.cape_jkg >= CAPE_MIN_JKG;
        let largest = self.areas.iter().filter(|_| rises).max_by(|a, b| a.energy_jkg.total_cmp(&b.energy_jkg));
        Ascent {
            parcel,
            lcl,
            lfc: largest.map(|area| area.foot),
            el: largest.and_then(|area| area.top),
            cape_jkg: if rises { self.cape_jkg } else { 0.0 },
            cin_jkg: largest.map(|area| area.below_jkg),
            cape_0_3km_jkg: if rises { self.low_jkg } else { 0.0 },
            trace,
        }
    }
}

/// Energy of a layer through which buoyancy changes steadily with height.
fn energy_jkg(from: Point, to: Point) -> f64 {
    GRAVITY * 0.5 * (from.buoyancy + to.buoyancy) * (to.mark.height_agl_m - from.mark.height_agl_m)
}

fn between(from: Mark, to: Mark, part: f64) -> Mark {
    Mark {
        pressure_hpa: mix(from.pressure_hpa.ln(), to.pressure_hpa.ln(), part).exp(),
        height_agl_m: mix(from.height_agl_m, to.height_agl_m, part),
    }
}

/// The part of a layer's energy that lies below [`LOW_M`].
fn low_part(from: Point, to: Point, energy_jkg: f64) -> f64 {
    let (foot_m, top_m) = (from.mark.height_agl_m, to.mark.height_agl_m);
    if top_m <= LOW_M {
        return energy_jkg;
    }
    if foot_m >= LOW_M {
        return 0.0;
    }
    let at_low = mix(from.buoyancy, to.buoyancy, (LOW_M - foot_m) / (top_m - foot_m));
    (GRAVITY * 0.5 * (from.buoyancy + at_low) * (LOW_M - foot_m)).max(0.0)
}
