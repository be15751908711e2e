//! Heat and moisture of air, by the formulas that SPC's sounding programs use.
//!
//! Boundaries: ✓ pure functions of pressure (hPa), temperature and dew point (°C). ✗ no column, no parcel.
//!
//! Where a newer formula would be better by a hair (Bolton 1980, Davies-Jones 2008, Romps 2017; what MetPy uses), the operational
//! one is kept on purpose: SCP, STP and SHIP were fitted to figures that were reckoned with these, and SPC publishes with these.

/// 0 °C in kelvins.
pub const ZERO_C_K: f64 = 273.15;
/// Gas constant over heat capacity of dry air, as SPC's programs have it.
const KAPPA: f64 = 0.285_714_26;
/// Molar mass of water over that of dry air.
const EPSILON: f64 = 0.621_97;
/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// Polynomial in `x`, lowest coefficient first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Ratio of temperature (K) to potential temperature (K) at a pressure.
pub fn exner(pressure_hpa: f64) -> f64 {
    (pressure_hpa / 1000.0).powf(KAPPA)
}

/// Potential temperature, °C (dry adiabat to 1000 hPa; Poisson's equation).
pub fn potential_temperature_c(pressure_hpa: f64, temperature_c: f64) -> f64 {
    (temperature_c + ZERO_C_K) / exner(pressure_hpa) - ZERO_C_K
}

/// Temperature of dry air of a potential temperature, °C.
pub fn dry_temperature_c(pressure_hpa: f64, potential_temperature_c: f64) -> f64 {
    (potential_temperature_c + ZERO_C_K) * exner(pressure_hpa) - ZERO_C_K
}

/// Vapour pressure of saturated air over water, hPa. Wobus's polynomial, -50 to 100 °C (Gerald and Wheatley 1984 list it;
/// MetPy's is Ambaum 2020: within 0.1 % between -20 and 40 °C).
pub fn vapour_pressure_hpa(temperature_c: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        0.999_996_83,
        -0.908_269_51e-2,
        0.787_361_69e-4,
        -0.611_179_58e-6,
        0.438_841_87e-8,
        -0.298_838_85e-10,
        0.218_744_25e-12,
        -0.178_923_21e-14,
        0.111_120_18e-16,
        -0.309_945_71e-19,
    ];
    6.107_8 / polynomial(temperature_c, &COEFFICIENTS).powi(8)
}

/// Mixing ratio of air with this dew point, g/kg, with Wexler's correction for real air as SPC's programs have it.
pub fn mixing_ratio_gkg(pressure_hpa: f64, dew_point_c: f64) -> f64 {
    // The correction was fitted for weather; run on into the stratosphere it would call its dry air moist.
    let x = 0.02 * (dew_point_c - 12.5 + 7500.0 / pressure_hpa.max(100.0));
    let real_air = 1.0 + 0.000_004_5 * pressure_hpa + 0.001_4 * x * x;
    // Air so thin that water would boil: no such air is in a weather column, but a division by zero must not be either.
    let vapour_hpa = (real_air * vapour_pressure_hpa(dew_point_c)).min(0.5 * pressure_hpa);
    1000.0 * EPSILON * vapour_hpa / (pressure_hpa - vapour_hpa)
}

/// Dew point of air with this mixing ratio, °C (Stipanuk 1973, "Algorithms for generating a skew-T, log p diagram", ASL TR 515).
pub fn dew_point_of_mixing_ratio_c(pressure_hpa: f64, mixing_ratio_gkg: f64) -> f64 {
    let x = (mixing_ratio_gkg * pressure_hpa / (622.0 + mixing_ratio_gkg)).log10();
    let bend = 10.0_f64.powf(0.0915 * x) - 1.2035;
    10.0_f64.powf(0.049_864_645_5 * x + 2.408_296_5) - 7.074_75 + 38.911_4 * bend * bend - ZERO_C_K
}

/// Virtual temperature, °C: the temperature of dry air as light as this moist air.
pub fn virtual_temperature_c(pressure_hpa: f64, temperature_c: f64, dew_point_c: f64) -> f64 {
    let mixing_ratio = 0.001 * mixing_ratio_gkg(pressure_hpa, dew_point_c);
    (temperature_c + ZERO_C_K) * (1.0 + mixing_ratio / EPSILON) / (1.0 + mixing_ratio) - ZERO_C_K
}

/// Condensation level of a parcel: pressure in hPa and temperature in °C (Stipanuk 1973). Never below where it starts.
///
/// SPC's operational definition; MetPy's is the closed form of Romps (2017), some metres away.
pub fn condensation_level(pressure_hpa: f64, temperature_c: f64, dew_point_c: f64) -> (f64, f64) {
    let spread = (temperature_c - dew_point_c).max(0.0);
    let fall = spread
        * (1.2185 + 0.001_278 * temperature_c + spread * (-0.002_19 + 1.173e-5 * spread - 0.000_005_2 * temperature_c));
    let lcl_c = temperature_c - fall.max(0.0);
    let theta_k = potential_temperature_c(pressure_hpa, temperature_c) + ZERO_C_K;
    let lcl_hpa = 1000.0 * ((lcl_c + ZERO_C_K) / theta_k).powf(1.0 / KAPPA);
    (lcl_hpa.min(pressure_hpa), lcl_c)
}

/// Wobus's function, K: how far the wet-bulb potential temperature of a saturated parcel lies from its dry potential temperature.
///
/// Wobus's fit to the Smithsonian tables, in Doswell, Schaefer, McCann, Schlatter and Wobus (1982, NOAA TM NWS NSSFC-5).
fn wobus_k(temperature_c: f64) -> f64 {
    const COLD: [f64; 6] = [1.0, -8.841_660_5e-3, 1.471_414_3e-4, -9.671_989e-7, -3.260_721_7e-8, -3.859_807_3e-10];
    const WARM: [f64; 8] = [
        1.0,
        3.618_298_9e-3,
        -1.360_327_3e-5,
        4.961_892_2e-7,
        -6.105_936_5e-9,
        3.940_155_1e-11,
        -1.258_812_9e-13,
        1.668_828e-16,
    ];
    let x = temperature_c - 20.0;
    if x <= 0.0 { 15.13 / polynomial(x, &COLD).powi(4) } else { 29.93 / polynomial(x, &WARM).powi(4) + 0.96 * x - 14.8 }
}

/// Wet-bulb potential temperature of saturated air, °C: it names the moist adiabat that the air is on.
pub fn moist_adiabat_c(pressure_hpa: f64, temperature_c: f64) -> f64 {
    moist_adiabat_of_theta(potential_temperature_c(pressure_hpa, temperature_c), temperature_c)
}

fn moist_adiabat_of_theta(potential_temperature_c: f64, temperature_c: f64) -> f64 {
    potential_temperature_c - wobus_k(potential_temperature_c) + wobus_k(temperature_c)
}

/// Wet-bulb potential temperature of any air, °C: that of its condensation level. Ranks parcels as equivalent potential
/// temperature does.
pub fn wet_bulb_potential_temperature_c(pressure_hpa: f64, temperature_c: f64, dew_point_c: f64) -> f64 {
    let (_, lcl_c) = condensation_level(pressure_hpa, temperature_c, dew_point_c);
    moist_adiabat_of_theta(potential_temperature_c(pressure_hpa, temperature_c), lcl_c)
}

/// How near the temperature on a moist adiabat is found, K: far below what a thermometer tells.
const MOIST_TOLERANCE_K: f64 = 0.001;
/// Steps after which the search gives up with what it has: it takes three to five.
const MOIST_STEPS_MAX: usize = 30;

/// Temperature of saturated air on a moist adiabat, °C, at the pressure with this [`exner`] ratio; `guess_c` is where to begin.
///
/// Wobus's function, as SPC does. SPC's search stops at 0.1 K and begins anew in every layer, so its adiabat drifts a little with
/// the number of levels; this one does not.
pub fn moist_temperature_c(exner: f64, moist_adiabat_c: f64, guess_c: f64) -> f64 {
    let miss = |temperature_c: f64| {
        let theta_c = (temperature_c + ZERO_C_K) / exner - ZERO_C_K;
        moist_adiabat_of_theta(theta_c, temperature_c) - moist_adiabat_c
    };
    let (mut from_c, mut from_miss) = (guess_c, miss(guess_c));
    let mut to_c = guess_c - from_miss * 0.5;
    for _ in 0..MOIST_STEPS_MAX {
        let to_miss = miss(to_c);
        let slope = (to_miss - from_miss) / (to_c - from_c);
        let step = to_miss / slope;
        if !step.is_finite() {
            return to_c;
        }
        (from_c, from_miss) = (to_c, to_miss);
        to_c -= step;
        if step.abs() < MOIST_TOLERANCE_K {
            return to_c;
        }
    }
    to_c
}

/// Equivalent potential temperature, °C: the potential temperature after all moisture has condensed, at 100 hPa.
pub fn equivalent_potential_temperature_c(pressure_hpa: f64, temperature_c: f64, dew_point_c: f64) -> f64 {
    let adiabat_c = wet_bulb_potential_temperature_c(pressure_hpa, temperature_c, dew_point_c);
    let ratio = exner(100.0);
    // Nearly dry up there: the dry adiabat's temperature is close to it.
    let guess_c = (adiabat_c + 60.0 + ZERO_C_K) * ratio - ZERO_C_K;
    (moist_temperature_c(ratio, adiabat_c, guess_c) + ZERO_C_K) / ratio - ZERO_C_K
}

/// Wet-bulb temperature, °C: lifted dry to its condensation level and brought back moist (Normand's rule).
pub fn wet_bulb_c(pressure_hpa: f64, temperature_c: f64, dew_point_c: f64) -> f64 {
    let adiabat_c = wet_bulb_potential_temperature_c(pressure_hpa, temperature_c, dew_point_c);
    moist_temperature_c(exner(pressure_hpa), adiabat_c, 0.5 * (temperature_c + dew_point_c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the Smithsonian Meteorological Tables (6th edition): saturation vapour pressure over water.
    #[test]
    fn vapour_pressure_is_that_of_the_tables() {
        for (temperature_c, hpa) in [(-30.0, 0.5088), (-10.0, 2.8627), (0.0, 6.1078), (20.0, 23.373), (35.0, 56.236)] {
            assert!((vapour_pressure_hpa(temperature_c) / hpa - 1.0).abs() < 0.001, "{temperature_c}");
        }
    }

    #[test]
    fn a_mixing_ratio_gives_its_dew_point_back() {
        for (pressure_hpa, dew_point_c) in [(1000.0, 24.0), (900.0, 10.0), (700.0, -15.0)] {
            let ratio = mixing_ratio_gkg(pressure_hpa, dew_point_c);
            assert!((dew_point_of_mixing_ratio_c(pressure_hpa, ratio) - dew_point_c).abs() < 0.15, "{pressure_hpa}");
        }
        assert!((mixing_ratio_gkg(1000.0, 20.0) - 14.9).abs() < 0.1);
        // Dry air near the top of a model stays dry (others got negative ratios there, MetPy#3790).
        assert!((0.0..0.2).contains(&mixing_ratio_gkg(1.0, -90.0)));
        assert!((0.0..700.0).contains(&mixing_ratio_gkg(0.1, 10.0)));
    }

    /// A parcel of 30 °C over 20 °C at 1000 hPa condenses near 17.6 °C and 865 hPa (Bolton 1980, equation 15: 17.65 °C).
    #[test]
    fn the_condensation_level_is_where_the_field_has_it() {
        let (hpa, celsius) = condensation_level(1000.0, 30.0, 20.0);
        assert!((celsius - 17.65).abs() < 0.1 && (hpa - 865.0).abs() < 3.0, "{hpa} {celsius}");
        assert_eq!(condensation_level(900.0, 10.0, 10.0), (900.0, 10.0));
        assert_eq!(condensation_level(900.0, 10.0, 10.4), (900.0, 10.0));
    }

    /// The moist adiabat of 20 °C at 1000 hPa against the pseudo-adiabat integrated with Bolton's (1980) vapour pressure, to half a kelvin.
    #[test]
    fn a_moist_adiabat_keeps_its_name() {
        let adiabat_c = moist_adiabat_c(1000.0, 20.0);
        assert!((adiabat_c - 20.0).abs() < 0.01);
        for (pressure_hpa, expected_c) in [(850.0, 13.88), (700.0, 6.17), (500.0, -8.73), (300.0, -36.7)] {
            let found_c = moist_temperature_c(exner(pressure_hpa), adiabat_c, 0.0);
            assert!((moist_adiabat_c(pressure_hpa, found_c) - adiabat_c).abs() < 0.01);
            assert!((found_c - expected_c).abs() < 0.5, "{pressure_hpa}: {found_c}");
        }
    }

    #[test]
    fn virtual_and_wet_bulb_temperatures_lie_where_they_must() {
        assert!((virtual_temperature_c(1000.0, 30.0, 20.0) - 32.74).abs() < 0.05);
        let wet_c = wet_bulb_c(1000.0, 30.0, 20.0);
        assert!((wet_c - 22.95).abs() < 0.2, "{wet_c}");
        // Bolton (1980), equation 43: 347.6 K for this parcel; Wobus's adiabats come out 2 K above.
        let equivalent_k = equivalent_potential_temperature_c(1000.0, 30.0, 20.0) + ZERO_C_K;
        assert!((equivalent_k - 347.6).abs() < 3.0, "{equivalent_k}");
    }
}
