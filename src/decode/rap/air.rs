//! What the fields of one file say at one grid point, gathered and made into a column.

use super::{Aloft, Low, MODEL, Own, Part, RapError};
use crate::decode::grib2::{Geometry, Point};
use crate::geo::LatLon;
use crate::profile::{ModelProfile, ModelReported};
use crate::sounding::{Column, Level, Wind, environment};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// 0 °C in kelvin.
const ZERO_C_K: f64 = 273.15;
/// Relative humidities taken, %: the model's dry end is noise, and above 100 its own interpolation.
const HUMIDITY_PCT: (f64, f64) = (0.5, 100.0);
/// An isobar this little above the surface, hPa, is the surface again: the 2 m values stand.
const SURFACE_GAP_HPA: f64 = 1.0;
/// Isobars of one file; RAP has 37, the finest models 60.
const ISOBARS_MAX: usize = 200;

/// Times and origin of a file.
pub(super) struct Times<'a> {
    pub cycle_utc: Timestamp,
    pub valid_utc: Timestamp,
    pub forecast_hour: u16,
    pub key: &'a str,
}

/// The figures of one point.
#[derive(Default)]
pub(super) struct Air {
    /// By pressure in Pa.
    isobars: BTreeMap<u32, Isobar>,
    pressure_pa: Option<f64>,
    height_m: Option<f64>,
    temperature_2m_k: Option<f64>,
    dew_point_2m_k: Option<f64>,
    humidity_2m_pct: Option<f64>,
    wind_10m: Pair,
    reported: ModelReported,
    motion: Pair,
}

#[derive(Default)]
struct Isobar {
    temperature_k: Option<f64>,
    humidity_pct: Option<f64>,
    dew_point_k: Option<f64>,
    height_m: Option<f64>,
    wind: Pair,
}

/// Two components, m/s, as stored.
#[derive(Default, Clone, Copy)]
struct Pair {
    u: Option<f64>,
    v: Option<f64>,
}

impl Pair {
    fn turned(self, geometry: &Geometry, at: LatLon) -> Option<Wind> {
        let (u_ms, v_ms) = geometry.earth_wind(at, self.u?, self.v?);
        Some(Wind { u_ms, v_ms })
    }
}

impl Air {
    pub fn put(&mut self, part: Part, value: f64) {
        let value = Some(value);
        match part {
            Part::Isobar(pressure_pa, aloft) => {
                let pa = pressure_pa.round();
                if !(1.0..=120_000.0).contains(&pa) || self.isobars.len() >= ISOBARS_MAX {
                    return;
                }
                let isobar = self.isobars.entry(pa as u32).or_default();
                match aloft {
                    Aloft::Temperature => isobar.temperature_k = value,
                    Aloft::Humidity => isobar.humidity_pct = value,
                    Aloft::DewPoint => isobar.dew_point_k = value,
                    Aloft::Height => isobar.height_m = value,
                    Aloft::U => isobar.wind.u = value,
                    Aloft::V => isobar.wind.v = value,
                }
            }
            Part::Surface(low) => match low {
                Low::Pressure => self.pressure_pa = value,
                Low::Height => self.height_m = value,
                Low::Temperature2m => self.temperature_2m_k = value,
                Low::DewPoint2m => self.dew_point_2m_k = value,
                Low::Humidity2m => self.humidity_2m_pct = value,
                Low::U10m => self.wind_10m.u = value,
                Low::V10m => self.wind_10m.v = value,
            },
            Part::Reported(own) => match own {
                Own::SfcCape => self.reported.sfc_cape_jkg = value,
                Own::SfcCin => self.reported.sfc_cin_jkg = value,
                Own::MlCape => self.reported.ml_cape_90mb_jkg = value,
                Own::MlCin => self.reported.ml_cin_90mb_jkg = value,
                Own::MuCape => self.reported.mu_cape_255mb_jkg = value,
                Own::MuCin => self.reported.mu_cin_255mb_jkg = value,
                Own::Srh1km => self.reported.srh_0_1km_m2s2 = value,
                Own::Srh3km => self.reported.srh_0_3km_m2s2 = value,
                Own::MotionU => self.motion.u = value,
                Own::MotionV => self.motion.v = value,
            },
        }
    }

    /// The profile: the 2 m and 10 m values at the surface pressure, and above it the isobars.
    pub fn profile(
        self,
        geometry: &Geometry,
        point: Point,
        place: LatLon,
        times: &Times<'_>,
    ) -> Result<ModelProfile, RapError> {
        let need = |value: Option<f64>, what: &'static str| value.ok_or(RapError::Missing { what });
        let pressure_hpa = need(self.pressure_pa, "PRES surface")? / 100.0;
        let terrain_msl_m = need(self.height_m, "HGT surface")?;
        let temperature_k = need(self.temperature_2m_k, "TMP 2 m above ground")?;
        let by_humidity = || Some(dew_point_k(temperature_k, self.humidity_2m_pct?));
        let dew_point_2m_k = need(self.dew_point_2m_k.or_else(by_humidity), "DPT 2 m above ground")?;
        let at = point.at;
        let mut levels = vec![Level {
            pressure_hpa,
            height_msl_m: terrain_msl_m,
            temperature_c: temperature_k - ZERO_C_K,
            dew_point_c: Some(dew_point_2m_k - ZERO_C_K),
            wind: self.wind_10m.turned(geometry, at),
        }];
        levels.extend(self.isobars.iter().rev().filter_map(|(pa, isobar)| {
            let hpa = f64::from(*pa) / 100.0;
            let (temperature_k, height_msl_m) = (isobar.temperature_k?, isobar.height_m?);
            if hpa >= pressure_hpa - SURFACE_GAP_HPA {
                return None;
            }
            let dew_point = isobar.dew_point_k.or_else(|| Some(dew_point_k(temperature_k, isobar.humidity_pct?)));
            Some(Level {
                pressure_hpa: hpa,
                height_msl_m,
                temperature_c: temperature_k - ZERO_C_K,
                dew_point_c: dew_point.map(|kelvin| kelvin - ZERO_C_K),
                wind: isobar.wind.turned(geometry, at),
            })
        }));
        let (column, _) = Column::new(levels).map_err(|error| RapError::Column { why: error.to_string() })?;
        let model_reported = ModelReported { storm_motion: self.motion.turned(geometry, at), ..self.reported };
        Ok(ModelProfile {
            model: MODEL.to_owned(),
            cycle_utc: times.cycle_utc,
            valid_utc: times.valid_utc,
            forecast_hour: times.forecast_hour,
            grid_point: at,
            asked_place: place,
            distance_km: point.distance_km,
            terrain_msl_m,
            environment: environment(&column),
            column,
            model_reported,
            key: times.key.to_owned(),
        })
    }
}

/// Dew point over water from temperature and relative humidity, all in K and %.
///
/// The vapour pressure at saturation by Ambaum, M. H. P., 2020: Accurate, simple equation for saturated vapour pressure over
/// water and ice. Q. J. R. Meteorol. Soc., 146, 4252-4258; back to a temperature by Bolton, D., 1980: The computation of
/// equivalent potential temperature. Mon. Wea. Rev., 108, 1046-1053 (equation 11, inverted). Never above the temperature.
fn dew_point_k(temperature_k: f64, humidity_pct: f64) -> f64 {
    let humidity = humidity_pct.clamp(HUMIDITY_PCT.0, HUMIDITY_PCT.1) / 100.0;
    let x = (humidity * saturation_hpa(temperature_k) / 6.112).ln();
    (243.5 * x / (17.67 - x) + ZERO_C_K).min(temperature_k)
}

/// Saturation vapour pressure over water, hPa: Ambaum (2020), equation 13, with the constants of severe.md section 4.1.
fn saturation_hpa(temperature_k: f64) -> f64 {
    /// Triple point, K.
    const T0_K: f64 = 273.16;
    /// Heat of vaporisation there, J/kg.
    const LATENT0: f64 = 2.50084e6;
    /// Gas constant of vapour, J/kg/K.
    const RV: f64 = 461.523;
    /// Heat capacity of liquid water less that of vapour at constant pressure, J/kg/K.
    const DELTA_CP: f64 = 4219.4 - 1.33 * RV / 0.33;
    let latent = LATENT0 - DELTA_CP * (temperature_k - T0_K);
    6.112 * (T0_K / temperature_k).powf(DELTA_CP / RV) * ((LATENT0 / T0_K - latent / temperature_k) / RV).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturation_is_the_textbooks() {
        // World Meteorological Organization, 2021: Guide No. 8, annex 4.B, over water.
        for (celsius, hpa) in [(0.0, 6.11), (20.0, 23.39), (30.0, 42.45), (-20.0, 1.25), (-40.0, 0.189)] {
            let reckoned = saturation_hpa(celsius + ZERO_C_K);
            assert!((reckoned / hpa - 1.0).abs() < 0.01, "{celsius} C: {reckoned} for {hpa}");
        }
    }

    #[test]
    fn the_dew_point_is_the_temperature_in_saturated_air_and_never_above() {
        for kelvin in [210.0, 250.0, 273.15, 290.0, 305.0] {
            assert!(dew_point_k(kelvin, 100.0) <= kelvin && dew_point_k(kelvin, 100.0) > kelvin - 0.5, "{kelvin}");
            assert!(dew_point_k(kelvin, 130.0) <= kelvin && dew_point_k(kelvin, -5.0) < kelvin - 20.0);
        }
    }
}
