//! Everything that a column tells about storms, as one flat record.
//!
//! Boundaries: ✓ puts the pieces of `sounding` together: which parcel, which layer, which storm motion goes into which index.
//! ✗ no judgement and no words (see `regime`, `threat`).

use super::air::Air;
use super::parcel::{Ascent, Parcel, lift_in};
use super::winds::{Hodograph, StormMotion};
use super::{Column, Wind, choose, indices, layers, thermo};
use serde::{Deserialize, Serialize};

/// Knots in a metre per second.
pub const KT_PER_MS: f64 = 3600.0 / 1852.0;
/// A column must reach up to here, hPa, to be told the energy of deep convection: below it ends the freezing level of warm days,
/// and a CAPE cut off there would read as none.
const TOP_NEEDED_HPA: f64 = 500.0;
/// What a parcel must have to feed a storm: at least this CAPE and not more than this CIN, J/kg.
///
/// Thompson, Mead and Edwards (2007, Wea. Forecasting 22, 102-115).
const INFLOW: (f64, f64) = (100.0, -250.0);
/// Levels that are tried for the inflow layer at most; finer columns are thinned for this search alone (50 m steps at most).
const INFLOW_LEVELS_MAX: usize = 150;

/// What a column tells about storms. `None` where a figure cannot be formed (no winds, no dew points, too low a top).
///
/// Heights are over the ground. CIN is at most 0 and `None` where there is no level of free convection.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// CAPE of the surface parcel, J/kg.
    pub sbcape_jkg: Option<f64>,
    /// CIN of the surface parcel, J/kg.
    pub sbcin_jkg: Option<f64>,
    /// Condensation level of the surface parcel, m.
    pub sb_lcl_m_agl: Option<f64>,
    /// Level of free convection of the surface parcel, m.
    pub sb_lfc_m_agl: Option<f64>,
    /// Equilibrium level of the surface parcel, m.
    pub sb_el_m_agl: Option<f64>,
    /// CAPE of the surface parcel below 3 km, J/kg.
    pub sbcape_0_3km_jkg: Option<f64>,
    /// CAPE of the mixed-layer (100 hPa) parcel, J/kg.
    pub mlcape_jkg: Option<f64>,
    /// CIN of the mixed-layer parcel, J/kg.
    pub mlcin_jkg: Option<f64>,
    /// Condensation level of the mixed-layer parcel, m.
    pub ml_lcl_m_agl: Option<f64>,
    /// Level of free convection of the mixed-layer parcel, m.
    pub ml_lfc_m_agl: Option<f64>,
    /// Equilibrium level of the mixed-layer parcel, m.
    pub ml_el_m_agl: Option<f64>,
    /// CAPE of the mixed-layer parcel below 3 km, J/kg.
    pub mlcape_0_3km_jkg: Option<f64>,
    /// CAPE of a 90-hPa mixed layer, J/kg: for comparison with the RAP's own "90-0 mb" figure.
    pub ml90cape_jkg: Option<f64>,
    /// CIN of a 90-hPa mixed layer, J/kg.
    pub ml90cin_jkg: Option<f64>,
    /// CAPE of the most unstable parcel, J/kg.
    pub mucape_jkg: Option<f64>,
    /// CIN of the most unstable parcel, J/kg.
    pub mucin_jkg: Option<f64>,
    /// Where the most unstable parcel starts, m.
    pub mu_start_m_agl: Option<f64>,
    /// Condensation level of the most unstable parcel, m.
    pub mu_lcl_m_agl: Option<f64>,
    /// Level of free convection of the most unstable parcel, m.
    pub mu_lfc_m_agl: Option<f64>,
    /// Equilibrium level of the most unstable parcel, m.
    pub mu_el_m_agl: Option<f64>,
    /// Downdraft CAPE, J/kg.
    pub dcape_jkg: Option<f64>,
    /// Lapse rate of virtual temperature, 0-3 km, K/km.
    pub lapse_rate_0_3km_kkm: Option<f64>,
    /// Lapse rate of virtual temperature, 3-6 km, K/km.
    pub lapse_rate_3_6km_kkm: Option<f64>,
    /// Lapse rate of virtual temperature, 700-500 hPa, K/km.
    pub lapse_rate_700_500hpa_kkm: Option<f64>,
    /// Temperature at 500 hPa, °C.
    pub temperature_500hpa_c: Option<f64>,
    /// Precipitable water of the column, mm.
    pub precipitable_water_mm: Option<f64>,
    /// Freezing level, m; 0 where it freezes at the ground.
    pub freezing_level_m_agl: Option<f64>,
    /// Wind difference 0-1 km, kt.
    pub bulk_shear_0_1km_kt: Option<f64>,
    /// Wind difference 0-3 km, kt.
    pub bulk_shear_0_3km_kt: Option<f64>,
    /// Wind difference 0-6 km, kt.
    pub bulk_shear_0_6km_kt: Option<f64>,
    /// Wind difference from the inflow base to half the height of the most unstable parcel's equilibrium level, kt.
    pub effective_bulk_shear_kt: Option<f64>,
    /// Lowest level whose air feeds a storm, m.
    pub effective_inflow_base_m_agl: Option<f64>,
    /// Highest level of the unbroken run above it, m.
    pub effective_inflow_top_m_agl: Option<f64>,
    /// The inflow layer does not touch the ground: storms feed on air aloft, and parameters of tornadoes from surface air read 0.
    pub inflow_elevated: bool,
    /// Motion of a right-moving supercell, SPC's operational definition.
    pub bunkers_right: Option<Wind>,
    /// Motion of a left-moving supercell, SPC's operational definition.
    pub bunkers_left: Option<Wind>,
    /// Motion of a right-moving supercell, exactly as in Bunkers et al. (2000).
    pub bunkers_2000_right: Option<Wind>,
    /// Motion of a left-moving supercell, exactly as in Bunkers et al. (2000).
    pub bunkers_2000_left: Option<Wind>,
    /// Helicity 0-1 km relative to `bunkers_right`, m²/s².
    pub srh_0_1km_m2s2: Option<f64>,
    /// Helicity 0-3 km relative to `bunkers_right`, m²/s².
    pub srh_0_3km_m2s2: Option<f64>,
    /// Helicity of the inflow layer relative to `bunkers_right`, m²/s²; 0 for a layer of a single level.
    pub effective_srh_m2s2: Option<f64>,
    /// Helicity 0-1 km relative to `bunkers_2000_right`, m²/s².
    pub srh_0_1km_bunkers_2000_m2s2: Option<f64>,
    /// Helicity 0-3 km relative to `bunkers_2000_right`, m²/s².
    pub srh_0_3km_bunkers_2000_m2s2: Option<f64>,
    /// Angle between storm-relative inflow and shear of the lowest 500 m, degrees.
    pub critical_angle_deg: Option<f64>,
    /// Supercell composite parameter; 0 without an inflow layer.
    pub scp: Option<f64>,
    /// Significant tornado parameter of the effective layer with CIN; 0 without an inflow layer at the ground.
    pub stp_effective: Option<f64>,
    /// Significant tornado parameter of fixed layers; 0 without an inflow layer at the ground.
    pub stp_fixed_layer: Option<f64>,
    /// Significant hail parameter.
    pub ship: Option<f64>,
    /// Energy-helicity index 0-1 km of the mixed-layer parcel.
    pub ehi_0_1km: Option<f64>,
    /// Energy-helicity index 0-3 km of the mixed-layer parcel.
    pub ehi_0_3km: Option<f64>,
}

/// Everything that a column tells about storms: half a millisecond for a model's column of 40 levels.
pub fn environment(column: &Column) -> Environment {
    let mut told = Environment::default();
    let hodograph = Hodograph::new(column);
    let deep = Air::new(column).filter(|air| air.top().pressure_hpa <= TOP_NEEDED_HPA);
    let parcels = deep.as_ref().map(Parcels::of);
    if let (Some(air), Some(parcels)) = (&deep, &parcels) {
        parcels.tell(&mut told);
        tell_layers(air, &mut told);
    }
    if let Some(hodograph) = &hodograph {
        tell_winds(hodograph, parcels.as_ref(), &mut told);
    }
    if let (Some(parcels), Some(_)) = (&parcels, &hodograph) {
        tell_indices(column, parcels, &mut told);
    }
    told
}

/// The parcels of a column, lifted, and the layer that feeds a storm.
struct Parcels {
    surface: Option<Ascent>,
    mixed: Option<Ascent>,
    mixed_rap: Option<Ascent>,
    most_unstable: Option<Ascent>,
    /// Base and top, m over the ground.
    inflow: Option<(f64, f64)>,
}

impl Parcels {
    fn of(air: &Air) -> Self {
        let lift = |parcel: Option<Parcel>| lift_in(air, parcel?);
        let most_unstable = lift(choose::most_unstable(air));
        Self {
            surface: lift(choose::surface(air)),
            mixed: lift(choose::mixed(air, choose::MIXED_HPA)),
            mixed_rap: lift(choose::mixed(air, choose::MIXED_RAP_HPA)),
            inflow: most_unstable.as_ref().filter(|ascent| feeds(ascent)).and_then(|_| inflow_layer(air)),
            most_unstable,
        }
    }

    fn tell(&self, told: &mut Environment) {
        if let Some(ascent) = &self.surface {
            told.sbcape_jkg = Some(ascent.cape_jkg);
            told.sbcin_jkg = ascent.cin_jkg;
            told.sb_lcl_m_agl = Some(ascent.lcl.height_agl_m);
            told.sb_lfc_m_agl = ascent.lfc.map(|mark| mark.height_agl_m);
            told.sb_el_m_agl = ascent.el.map(|mark| mark.height_agl_m);
            told.sbcape_0_3km_jkg = Some(ascent.cape_0_3km_jkg);
        }
        if let Some(ascent) = &self.mixed {
            told.mlcape_jkg = Some(ascent.cape_jkg);
            told.mlcin_jkg = ascent.cin_jkg;
            told.ml_lcl_m_agl = Some(ascent.lcl.height_agl_m);
            told.ml_lfc_m_agl = ascent.lfc.map(|mark| mark.height_agl_m);
            told.ml_el_m_agl = ascent.el.map(|mark| mark.height_agl_m);
            told.mlcape_0_3km_jkg = Some(ascent.cape_0_3km_jkg);
        }
        if let Some(ascent) = &self.mixed_rap {
            told.ml90cape_jkg = Some(ascent.cape_jkg);
            told.ml90cin_jkg = ascent.cin_jkg;
        }
        if let Some(ascent) = &self.most_unstable {
            told.mucape_jkg = Some(ascent.cape_jkg);
            told.mucin_jkg = ascent.cin_jkg;
            told.mu_start_m_agl = ascent.trace.first().map(|point| point.height_agl_m);
            told.mu_lcl_m_agl = Some(ascent.lcl.height_agl_m);
            told.mu_lfc_m_agl = ascent.lfc.map(|mark| mark.height_agl_m);
            told.mu_el_m_agl = ascent.el.map(|mark| mark.height_agl_m);
        }
        if let Some((base_m, top_m)) = self.inflow {
            told.effective_inflow_base_m_agl = Some(base_m);
            told.effective_inflow_top_m_agl = Some(top_m);
            told.inflow_elevated = base_m > 0.0;
        }
    }
}

/// Whether a parcel can feed a storm.
fn feeds(ascent: &Ascent) -> bool {
    ascent.cape_jkg >= INFLOW.0 && ascent.cin_jkg.is_some_and(|cin_jkg| cin_jkg >= INFLOW.1)
}

/// Base and top of the lowest unbroken run of levels whose air can feed a storm, m over the ground (Thompson, Mead and Edwards 2007).
fn inflow_layer(air: &Air) -> Option<(f64, f64)> {
    let step = air.nodes.len().div_ceil(INFLOW_LEVELS_MAX).max(1);
    let thinned = air.thinned(step);
    let mut layer: Option<(f64, f64)> = None;
    for node in &thinned.nodes {
        let parcel = node.dew_point_c.map(|dew_point_c| Parcel {
            pressure_hpa: node.pressure_hpa,
            temperature_c: node.temperature_c,
            dew_point_c,
        });
        let can = parcel.and_then(|parcel| lift_in(&thinned, parcel)).is_some_and(|ascent| feeds(&ascent));
        match (&mut layer, can) {
            (None, true) => layer = Some((node.height_agl_m, node.height_agl_m)),
            (Some((_, top_m)), true) => *top_m = node.height_agl_m,
            (Some(_), false) => break,
            (None, false) => {}
        }
    }
    layer
}

fn tell_layers(air: &Air, told: &mut Environment) {
    let (low, middle, high) = (air.surface(), air.at_height(3000.0), air.at_height(6000.0));
    told.lapse_rate_0_3km_kkm = middle.map(|middle| layers::lapse_rate_kkm(low, &middle));
    told.lapse_rate_3_6km_kkm = middle.zip(high).map(|(middle, high)| layers::lapse_rate_kkm(&middle, &high));
    told.lapse_rate_700_500hpa_kkm =
        air.at(700.0).zip(air.at(500.0)).map(|(foot, top)| layers::lapse_rate_kkm(&foot, &top));
    told.temperature_500hpa_c = air.at(500.0).map(|node| node.temperature_c);
    told.precipitable_water_mm = Some(layers::precipitable_water_mm(air));
    told.freezing_level_m_agl = layers::freezing_level_m_agl(air);
    told.dcape_jkg = layers::dcape_jkg(air);
}

fn tell_winds(hodograph: &Hodograph, parcels: Option<&Parcels>, told: &mut Environment) {
    let shear_kt = |top_m: f64| hodograph.shear(0.0, top_m).map(|shear| shear.speed_ms() * KT_PER_MS);
    told.bulk_shear_0_1km_kt = shear_kt(1000.0);
    told.bulk_shear_0_3km_kt = shear_kt(3000.0);
    told.bulk_shear_0_6km_kt = shear_kt(6000.0);
    let inflow = parcels.and_then(|parcels| parcels.inflow);
    let el_m = parcels.and_then(|parcels| parcels.most_unstable.as_ref()?.el).map(|mark| mark.height_agl_m);

    if let Some(StormMotion { right, left, .. }) = motion(hodograph, inflow, el_m) {
        told.bunkers_right = Some(right);
        told.bunkers_left = Some(left);
        told.srh_0_1km_m2s2 = hodograph.helicity_m2s2(0.0, 1000.0, right);
        told.srh_0_3km_m2s2 = hodograph.helicity_m2s2(0.0, 3000.0, right);
        told.effective_srh_m2s2 = inflow.and_then(|(base_m, top_m)| hodograph.helicity_m2s2(base_m, top_m, right));
        told.critical_angle_deg = hodograph.critical_angle_deg(right);
    }
    if let Some(StormMotion { right, left, .. }) = hodograph.motion_bunkers_2000() {
        told.bunkers_2000_right = Some(right);
        told.bunkers_2000_left = Some(left);
        told.srh_0_1km_bunkers_2000_m2s2 = hodograph.helicity_m2s2(0.0, 1000.0, right);
        told.srh_0_3km_bunkers_2000_m2s2 = hodograph.helicity_m2s2(0.0, 3000.0, right);
    }
    if let (Some((base_m, _)), Some(el_m)) = (inflow, el_m) {
        let half_m = base_m + 0.5 * (el_m - base_m);
        told.effective_bulk_shear_kt = hodograph.shear(base_m, half_m).map(|shear| shear.speed_ms() * KT_PER_MS);
    }
}

/// SPC's operational choice of storm motion: from the inflow layer where there is one, else from the lowest 6 km.
fn motion(hodograph: &Hodograph, inflow: Option<(f64, f64)>, el_m: Option<f64>) -> Option<StormMotion> {
    let from_inflow = inflow.zip(el_m).and_then(|((base_m, _), el_m)| hodograph.motion_inflow_layer(base_m, el_m));
    from_inflow.or_else(|| hodograph.motion_fixed_layer())
}

fn tell_indices(column: &Column, parcels: &Parcels, told: &mut Environment) {
    let shear_0_6km_ms = told.bulk_shear_0_6km_kt.map(|kt| kt / KT_PER_MS);
    let inflow = told.effective_srh_m2s2.zip(told.effective_bulk_shear_kt.map(|kt| kt / KT_PER_MS));
    let at_ground = parcels.inflow.is_some_and(|(base_m, _)| base_m <= 0.0);

    // Without an inflow layer nothing feeds a storm: 0, not unknown, as SPC's programs have it.
    told.scp = match (inflow, told.mucape_jkg, parcels.inflow) {
        (_, Some(_), None) => Some(0.0),
        (Some((esrh_m2s2, ebwd_ms)), Some(mucape_jkg), _) => {
            Some(indices::supercell_composite(mucape_jkg, told.mucin_jkg.unwrap_or(0.0), esrh_m2s2, ebwd_ms))
        }
        _ => None,
    };
    told.stp_effective = match (inflow, &parcels.mixed) {
        (_, Some(_)) if !at_ground => Some(0.0),
        (Some((esrh_m2s2, ebwd_ms)), Some(ascent)) => Some(indices::significant_tornado_effective(
            ascent.cape_jkg,
            ascent.cin_jkg.unwrap_or(0.0),
            ascent.lcl.height_agl_m,
            esrh_m2s2,
            ebwd_ms,
        )),
        _ => None,
    };
    told.stp_fixed_layer = match (&parcels.surface, told.srh_0_1km_m2s2, shear_0_6km_ms) {
        (Some(_), ..) if !at_ground => Some(0.0),
        (Some(ascent), Some(srh_m2s2), Some(shear_ms)) => {
            Some(indices::significant_tornado_fixed(ascent.cape_jkg, ascent.lcl.height_agl_m, srh_m2s2, shear_ms))
        }
        _ => None,
    };
    told.ship = hail_inputs(column, parcels, told, shear_0_6km_ms).map(|inputs| indices::significant_hail(&inputs));
    told.ehi_0_1km = told.mlcape_jkg.zip(told.srh_0_1km_m2s2).map(|(cape, srh)| indices::energy_helicity(cape, srh));
    told.ehi_0_3km = told.mlcape_jkg.zip(told.srh_0_3km_m2s2).map(|(cape, srh)| indices::energy_helicity(cape, srh));
}

fn hail_inputs(
    column: &Column,
    parcels: &Parcels,
    told: &Environment,
    shear_0_6km_ms: Option<f64>,
) -> Option<indices::HailInputs> {
    let most_unstable = parcels.most_unstable.as_ref()?;
    Some(indices::HailInputs {
        mucape_jkg: most_unstable.cape_jkg,
        mu_mixing_ratio_gkg: thermo::mixing_ratio_gkg(
            most_unstable.parcel.pressure_hpa,
            most_unstable.parcel.dew_point_c,
        ),
        lapse_rate_700_500hpa_kkm: told.lapse_rate_700_500hpa_kkm?,
        temperature_500hpa_c: told.temperature_500hpa_c?,
        shear_0_6km_ms: shear_0_6km_ms?,
        freezing_level_msl_m: told.freezing_level_m_agl? + column.surface().height_msl_m,
    })
}

#[cfg(test)]
mod tests;
