//! get_point_environment and get_environment_trend: what the air over a point would do to storms, now and over the hours ahead.

use crate::geo::{LatLon, round_1dp};
use crate::mcp::envelope::{Envelope, Point, rounded, utc_minute};
use crate::profile::ModelProfile;
use crate::sounding::regime::{self, Step};
use crate::sounding::{Environment, Wind};
use crate::threat::evidence::{Sight, profile_for};
use crate::threat::picture::Picture;
use crate::threat::rules::ENVIRONMENT_ID;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Listed as degraded while the series is missing or incomplete.
pub const TREND_ID: &str = "rap-trend";
/// The hours of the series (severe.md section 2.4).
const TREND_HOURS: [u16; 4] = [0, 1, 3, 6];
/// Knots in a metre per second.
const KT_PER_MS: f64 = 3600.0 / 1852.0;

/// `data` of get_point_environment. All but `point` is null when no profile covers the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointEnvironment {
    /// The asked point.
    pub point: Point,
    /// Which model, and whether an analysis or a forecast.
    pub model: Option<String>,
    /// When the model's run began, UTC.
    pub cycle_utc: Option<String>,
    /// What the profile is valid for, UTC.
    pub valid_utc: Option<String>,
    /// The grid point that the profile is of.
    pub grid_point: Option<GridPoint>,
    /// Energy and heights.
    pub thermodynamics: Option<Thermodynamics>,
    /// Winds.
    pub kinematics: Option<Kinematics>,
    /// Composite parameters.
    pub composites: Option<Composites>,
    /// The model's own figures, for comparison.
    pub model_reported: Option<ModelFigures>,
}

/// A grid point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GridPoint {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// From the asked point, km.
    pub distance_km: f64,
}

/// Energies in J/kg and heights above the ground in m, whole numbers. CIN is 0 or below, and null for a parcel without a level
/// of free convection: such air does not rise by itself, which is not the same as rising unhindered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Thermodynamics {
    /// CAPE of the surface parcel.
    pub sbcape_jkg: Option<i64>,
    /// CIN of the surface parcel.
    pub sbcin_jkg: Option<i64>,
    /// CAPE of the mixed-layer (100 hPa) parcel.
    pub mlcape_jkg: Option<i64>,
    /// CIN of the mixed-layer parcel.
    pub mlcin_jkg: Option<i64>,
    /// CAPE of the most unstable parcel.
    pub mucape_jkg: Option<i64>,
    /// CIN of the most unstable parcel.
    pub mucin_jkg: Option<i64>,
    /// Condensation level of the surface parcel.
    pub lcl_m_agl: Option<i64>,
    /// Condensation level of the mixed-layer parcel.
    pub ml_lcl_m_agl: Option<i64>,
    /// Level of free convection of the mixed-layer parcel.
    pub ml_lfc_m_agl: Option<i64>,
    /// Equilibrium level of the mixed-layer parcel.
    pub ml_el_m_agl: Option<i64>,
    /// CAPE of the mixed-layer parcel below 3 km.
    pub mlcape_0_3km_jkg: Option<i64>,
    /// Downdraft CAPE.
    pub dcape_jkg: Option<i64>,
    /// Freezing level.
    pub freezing_level_m_agl: Option<i64>,
    /// Lapse rate of the lowest 3 km, K/km.
    pub lapse_rate_0_3km_kkm: Option<f64>,
    /// Lapse rate from 700 to 500 hPa, K/km.
    pub lapse_rate_700_500hpa_kkm: Option<f64>,
    /// Precipitable water, mm.
    pub precipitable_water_mm: Option<f64>,
    /// Whether mixed-layer air is capped (MLCIN of -50 J/kg or less).
    pub capped: bool,
}

/// Shear in kt, helicity in m2/s2, heights above the ground in m; whole numbers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Kinematics {
    /// Wind difference between 10 m and 1 km.
    pub bulk_shear_0_1km_kt: Option<i64>,
    /// Wind difference between 10 m and 6 km.
    pub bulk_shear_0_6km_kt: Option<i64>,
    /// Storm-relative helicity 0 to 1 km, right mover.
    pub srh_0_1km_m2s2: Option<i64>,
    /// Storm-relative helicity 0 to 3 km, right mover.
    pub srh_0_3km_m2s2: Option<i64>,
    /// Base of the effective inflow layer; null when there is none.
    pub effective_inflow_base_m_agl: Option<i64>,
    /// Top of the effective inflow layer.
    pub effective_inflow_top_m_agl: Option<i64>,
    /// Storm-relative helicity of the effective inflow layer.
    pub effective_srh_m2s2: Option<i64>,
    /// Wind difference from the inflow base to half the storm's depth.
    pub effective_bulk_shear_kt: Option<i64>,
    /// Motion of a right-moving supercell, SPC's operational form of Bunkers et al.
    pub bunkers_right_mover: Option<Motion>,
    /// Motion of a left-moving supercell, the same form.
    pub bunkers_left_mover: Option<Motion>,
    /// Motion of a right-moving supercell, exactly as in Bunkers et al. (2000).
    pub bunkers_2000_right_mover: Option<Motion>,
    /// Angle between storm-relative inflow and the shear of the lowest 500 m, degrees; 90 favours rotation most.
    pub critical_angle_deg: Option<i64>,
}

/// A motion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Motion {
    /// The direction it comes from, degrees, true north.
    pub from_deg: i64,
    /// Knots.
    pub speed_kt: i64,
}

/// Composite parameters, one decimal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Composites {
    /// Supercell composite parameter.
    pub scp: Option<f64>,
    /// Significant tornado parameter, effective layer with CIN; null if it cannot be formed.
    pub stp_effective: Option<f64>,
    /// Significant tornado parameter, fixed layers.
    pub stp_fixed_layer: Option<f64>,
    /// Significant hail parameter.
    pub ship: Option<f64>,
    /// Energy-helicity index, 0 to 1 km.
    pub ehi_0_1km: Option<f64>,
}

/// The model's own figures, one decimal; storm motion turned to true north.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelFigures {
    /// Surface CAPE, J/kg.
    pub sfc_cape_jkg: Option<f64>,
    /// Surface CIN, J/kg.
    pub sfc_cin_jkg: Option<f64>,
    /// CAPE of the lowest 90 hPa, J/kg.
    pub ml_cape_90mb_jkg: Option<f64>,
    /// CIN of the lowest 90 hPa, J/kg.
    pub ml_cin_90mb_jkg: Option<f64>,
    /// Helicity 0 to 1 km, m2/s2.
    pub srh_0_1km_m2s2: Option<f64>,
    /// Helicity 0 to 3 km, m2/s2.
    pub srh_0_3km_m2s2: Option<f64>,
    /// Storm motion toward the east, m/s.
    pub storm_motion_u_ms: Option<f64>,
    /// Storm motion toward the north, m/s.
    pub storm_motion_v_ms: Option<f64>,
}

/// `data` of get_environment_trend.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EnvironmentTrend {
    /// The asked point.
    pub point: Point,
    /// Which model.
    pub model: Option<String>,
    /// When the model's run began, UTC.
    pub cycle_utc: Option<String>,
    /// Hours of the series.
    pub forecast_hours: Vec<u16>,
    /// The steps, earliest first.
    pub series: Vec<TrendStep>,
}

/// One step of the series.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrendStep {
    /// Hours after the run began.
    pub forecast_hour: u16,
    /// When it is valid, UTC.
    pub valid_utc: String,
    /// CAPE of the mixed-layer parcel, J/kg.
    pub mlcape_jkg: Option<i64>,
    /// CIN of the mixed-layer parcel, J/kg.
    pub mlcin_jkg: Option<i64>,
    /// Wind difference between 10 m and 6 km, kt.
    pub bulk_shear_0_6km_kt: Option<i64>,
    /// Storm-relative helicity 0 to 1 km, m2/s2.
    pub srh_0_1km_m2s2: Option<i64>,
    /// Supercell composite parameter.
    pub scp: Option<f64>,
    /// Significant tornado parameter: effective, else fixed layers.
    pub stp: Option<f64>,
}

/// To a whole number, halves to even.
fn whole(value: Option<f64>) -> Option<i64> {
    value.filter(|value| value.is_finite()).map(|value| value.round_ties_even() as i64)
}

/// To one decimal, halves to even.
fn tenth(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite()).map(|value| (value * 10.0).round_ties_even() / 10.0)
}

fn motion(wind: Option<Wind>) -> Option<Motion> {
    let wind = wind?;
    Some(Motion { from_deg: whole(Some(wind.from_deg()))?, speed_kt: whole(Some(wind.speed_ms() * KT_PER_MS))? })
}

impl From<&Environment> for Thermodynamics {
    fn from(air: &Environment) -> Self {
        Self {
            sbcape_jkg: whole(air.sbcape_jkg),
            sbcin_jkg: whole(air.sbcin_jkg),
            mlcape_jkg: whole(air.mlcape_jkg),
            mlcin_jkg: whole(air.mlcin_jkg),
            mucape_jkg: whole(air.mucape_jkg),
            mucin_jkg: whole(air.mucin_jkg),
            lcl_m_agl: whole(air.sb_lcl_m_agl),
            ml_lcl_m_agl: whole(air.ml_lcl_m_agl),
            ml_lfc_m_agl: whole(air.ml_lfc_m_agl),
            ml_el_m_agl: whole(air.ml_el_m_agl),
            mlcape_0_3km_jkg: whole(air.mlcape_0_3km_jkg),
            dcape_jkg: whole(air.dcape_jkg),
            freezing_level_m_agl: whole(air.freezing_level_m_agl),
            lapse_rate_0_3km_kkm: tenth(air.lapse_rate_0_3km_kkm),
            lapse_rate_700_500hpa_kkm: tenth(air.lapse_rate_700_500hpa_kkm),
            precipitable_water_mm: tenth(air.precipitable_water_mm),
            capped: air.mlcin_jkg.is_some_and(|cin| cin <= regime::CAPPED_JKG),
        }
    }
}

impl From<&Environment> for Kinematics {
    fn from(air: &Environment) -> Self {
        Self {
            bulk_shear_0_1km_kt: whole(air.bulk_shear_0_1km_kt),
            bulk_shear_0_6km_kt: whole(air.bulk_shear_0_6km_kt),
            srh_0_1km_m2s2: whole(air.srh_0_1km_m2s2),
            srh_0_3km_m2s2: whole(air.srh_0_3km_m2s2),
            effective_inflow_base_m_agl: whole(air.effective_inflow_base_m_agl),
            effective_inflow_top_m_agl: whole(air.effective_inflow_top_m_agl),
            effective_srh_m2s2: whole(air.effective_srh_m2s2),
            effective_bulk_shear_kt: whole(air.effective_bulk_shear_kt),
            bunkers_right_mover: motion(air.bunkers_right),
            bunkers_left_mover: motion(air.bunkers_left),
            bunkers_2000_right_mover: motion(air.bunkers_2000_right),
            critical_angle_deg: whole(air.critical_angle_deg),
        }
    }
}

impl From<&Environment> for Composites {
    fn from(air: &Environment) -> Self {
        Self {
            scp: tenth(air.scp),
            stp_effective: tenth(air.stp_effective),
            stp_fixed_layer: tenth(air.stp_fixed_layer),
            ship: tenth(air.ship),
            ehi_0_1km: tenth(air.ehi_0_1km),
        }
    }
}

impl From<&ModelProfile> for ModelFigures {
    fn from(profile: &ModelProfile) -> Self {
        let own = &profile.model_reported;
        Self {
            sfc_cape_jkg: tenth(own.sfc_cape_jkg),
            sfc_cin_jkg: tenth(own.sfc_cin_jkg),
            ml_cape_90mb_jkg: tenth(own.ml_cape_90mb_jkg),
            ml_cin_90mb_jkg: tenth(own.ml_cin_90mb_jkg),
            srh_0_1km_m2s2: tenth(own.srh_0_1km_m2s2),
            srh_0_3km_m2s2: tenth(own.srh_0_3km_m2s2),
            storm_motion_u_ms: tenth(own.storm_motion.map(|wind| wind.u_ms)),
            storm_motion_v_ms: tenth(own.storm_motion.map(|wind| wind.v_ms)),
        }
    }
}

/// The air over `place` as of `now`.
pub fn point_environment(picture: &Picture, place: LatLon, now: Timestamp) -> Envelope<PointEnvironment> {
    let profile = match profile_for(picture, &place.key_4dp(), now) {
        Ok(profile) => profile,
        Err(sight) => {
            let data = PointEnvironment {
                point: place.into(),
                model: None,
                cycle_utc: None,
                valid_utc: None,
                grid_point: None,
                thermodynamics: None,
                kinematics: None,
                composites: None,
                model_reported: None,
            };
            let words = format!("The environment is unknown: {}. This is not a sign of stable air.", unseen(sight));
            return Envelope::new(data, words, vec![ENVIRONMENT_ID.to_owned()]);
        }
    };
    let air = &profile.environment;
    let kind =
        if profile.forecast_hour == 0 { "analysis".to_owned() } else { format!("f{:02}", profile.forecast_hour) };
    let data = PointEnvironment {
        point: place.into(),
        model: Some(format!("{} {kind}", profile.model)),
        cycle_utc: Some(utc_minute(profile.cycle_utc)),
        valid_utc: Some(utc_minute(profile.valid_utc)),
        grid_point: Some(GridPoint {
            lat: rounded(profile.grid_point.lat(), 3),
            lon: rounded(profile.grid_point.lon(), 3),
            distance_km: round_1dp(profile.distance_km),
        }),
        thermodynamics: Some(air.into()),
        kinematics: Some(air.into()),
        composites: Some(air.into()),
        model_reported: Some(profile.as_ref().into()),
    };
    let told = regime::read(air).map(|reading| reading.sentences.join(" "));
    let told = told.unwrap_or_else(|| "The profile is too short to tell its energy.".to_owned());
    let age_min = profile.valid_utc.duration_until(now).as_mins();
    let words =
        format!("{told} From the {} {kind} valid {}, {age_min} min ago.", profile.model, utc_minute(profile.valid_utc));
    Envelope::new(data, words, Vec::new())
}

fn unseen(sight: Sight) -> String {
    match sight {
        Sight::Blind { why, .. } => why,
        Sight::Off => "the source rap_profiles is switched off".to_owned(),
        Sight::Clear => "nothing is known".to_owned(),
    }
}

/// How the air over `place` changes over one run of the model.
pub fn environment_trend(picture: &Picture, place: LatLon, now: Timestamp) -> Envelope<EnvironmentTrend> {
    let series = one_run(picture, place);
    let steps: Vec<Step> = series.iter().map(|p| Step { valid_utc: p.valid_utc, environment: p.environment }).collect();
    let usable = profile_for(picture, &place.key_4dp(), now).is_ok();
    let data = EnvironmentTrend {
        point: place.into(),
        model: series.first().map(|profile| profile.model.clone()),
        cycle_utc: series.first().map(|profile| utc_minute(profile.cycle_utc)),
        forecast_hours: series.iter().map(|profile| profile.forecast_hour).collect(),
        series: series.iter().map(|profile| step(profile)).collect(),
    };
    let whole = series.len() == TREND_HOURS.len() && usable;
    let degraded = if whole { Vec::new() } else { vec![TREND_ID.to_owned()] };
    Envelope::new(data, regime::trend(&steps, now), degraded)
}

fn step(profile: &ModelProfile) -> TrendStep {
    let air = &profile.environment;
    TrendStep {
        forecast_hour: profile.forecast_hour,
        valid_utc: utc_minute(profile.valid_utc),
        mlcape_jkg: whole(air.mlcape_jkg),
        mlcin_jkg: whole(air.mlcin_jkg),
        bulk_shear_0_6km_kt: whole(air.bulk_shear_0_6km_kt),
        srh_0_1km_m2s2: whole(air.srh_0_1km_m2s2),
        scp: tenth(air.scp),
        stp: tenth(air.stp_effective.or(air.stp_fixed_layer)),
    }
}

/// The steps of the run that has most of the wanted hours, the newest run of equals.
fn one_run(picture: &Picture, place: LatLon) -> Vec<&Arc<ModelProfile>> {
    let Some(hours) = picture.profiles.get(&place.key_4dp()) else { return Vec::new() };
    let wanted: Vec<&Arc<ModelProfile>> = TREND_HOURS.iter().filter_map(|hour| hours.get(hour)).collect();
    let of = |cycle: Timestamp| wanted.iter().copied().filter(move |profile| profile.cycle_utc == cycle);
    let cycle = wanted.iter().map(|profile| profile.cycle_utc).max_by_key(|&cycle| (of(cycle).count(), cycle));
    cycle.map(|cycle| of(cycle).collect()).unwrap_or_default()
}
