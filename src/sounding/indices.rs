//! Composite indices of the severe-storms field: plain formulas, one paper each.
//!
//! Boundaries: ✓ pure functions of ready figures. ✗ no column. Inputs are in the units of the papers (m/s, not knots); CIN is at
//! most 0 J/kg.

/// Supercell composite parameter.
///
/// Thompson, Mead and Edwards (2007, Wea. Forecasting 22, 102-115), with the inhibition term of Gropp and Davenport (2018, Wea.
/// Forecasting 33, 1241-1262) that SPC took over: CIN beyond -40 J/kg divides. Shear counts from 10 m/s, in full from 20.
/// Negative where the helicity is: that favours left movers.
pub fn supercell_composite(mucape_jkg: f64, mucin_jkg: f64, esrh_m2s2: f64, ebwd_ms: f64) -> f64 {
    let shear = if ebwd_ms < 10.0 { 0.0 } else { (ebwd_ms / 20.0).min(1.0) };
    let inhibition = if mucin_jkg > -40.0 { 1.0 } else { -40.0 / mucin_jkg };
    mucape_jkg / 1000.0 * (esrh_m2s2 / 50.0) * shear * inhibition
}

/// Significant tornado parameter of the effective layer, with CIN; at least 0.
///
/// Thompson, Smith, Grams, Dean and Broyles (2012, Wea. Forecasting 27, 1136-1154). The caller gives 0 where the inflow layer is
/// elevated or absent.
pub fn significant_tornado_effective(
    mlcape_jkg: f64,
    mlcin_jkg: f64,
    ml_lcl_m_agl: f64,
    esrh_m2s2: f64,
    ebwd_ms: f64,
) -> f64 {
    let inhibition = ((200.0 + mlcin_jkg) / 150.0).clamp(0.0, 1.0);
    let low_base = ((2000.0 - ml_lcl_m_agl) / 1000.0).clamp(0.0, 1.0);
    (mlcape_jkg / 1500.0 * low_base * (esrh_m2s2 / 150.0) * tornado_shear(ebwd_ms) * inhibition).max(0.0)
}

/// Significant tornado parameter of fixed layers: surface parcel, helicity of the lowest km, shear of the lowest 6 km. No CIN;
/// negative where the helicity is.
///
/// Thompson, Edwards, Hart, Elmore and Markowski (2003, Wea. Forecasting 18, 1243-1261), with the shear limits of 2012 as SPC has it.
pub fn significant_tornado_fixed(sbcape_jkg: f64, sb_lcl_m_agl: f64, srh_0_1km_m2s2: f64, shear_0_6km_ms: f64) -> f64 {
    let low_base = ((2000.0 - sb_lcl_m_agl) / 1000.0).clamp(0.0, 1.0);
    sbcape_jkg / 1500.0 * low_base * (srh_0_1km_m2s2 / 150.0) * tornado_shear(shear_0_6km_ms)
}

/// The shear term of both: none below 12.5 m/s, 1.5 from 30.
fn tornado_shear(shear_ms: f64) -> f64 {
    if shear_ms < 12.5 { 0.0 } else { (shear_ms / 20.0).min(1.5) }
}

/// What the significant hail parameter is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HailInputs {
    /// CAPE of the most unstable parcel, J/kg.
    pub mucape_jkg: f64,
    /// Its mixing ratio, g/kg.
    pub mu_mixing_ratio_gkg: f64,
    /// Lapse rate 700-500 hPa, K/km.
    pub lapse_rate_700_500hpa_kkm: f64,
    /// Temperature at 500 hPa, °C.
    pub temperature_500hpa_c: f64,
    /// Wind difference 0-6 km, m/s.
    pub shear_0_6km_ms: f64,
    /// Height of the freezing level above sea level, m.
    pub freezing_level_msl_m: f64,
}

/// Significant hail parameter (SHIP), of hail of 2 in and more.
///
/// Johnson and Sugden (2014, Electronic J. Severe Storms Meteor. 9 (5), 1-42) describe SPC's index. Its published values come out
/// with mixing ratio held to 11-13.6 g/kg, shear to 7-27 m/s, 500-hPa temperature to at most -5.5 °C and the freezing level
/// above sea level.
pub fn significant_hail(inputs: &HailInputs) -> f64 {
    let cold = -inputs.temperature_500hpa_c.min(-5.5);
    let mut ship = inputs.mucape_jkg
        * inputs.mu_mixing_ratio_gkg.clamp(11.0, 13.6)
        * inputs.lapse_rate_700_500hpa_kkm
        * cold
        * inputs.shear_0_6km_ms.clamp(7.0, 27.0)
        / 42_000_000.0;
    ship *= (inputs.mucape_jkg / 1300.0).min(1.0);
    ship *= (inputs.lapse_rate_700_500hpa_kkm / 5.8).min(1.0);
    ship *= (inputs.freezing_level_msl_m / 2400.0).min(1.0);
    ship.max(0.0)
}

/// Energy-helicity index.
///
/// Hart and Korotky (1991, "The SHARP workstation", NWS Eastern Region); Davies (1993) for its use with tornadoes.
pub fn energy_helicity(cape_jkg: f64, srh_m2s2: f64) -> f64 {
    cape_jkg * srh_m2s2 / 160_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supercell_composite_and_its_limits() {
        assert_eq!(supercell_composite(2000.0, -10.0, 200.0, 25.0), 8.0);
        assert_eq!(supercell_composite(2000.0, -80.0, 200.0, 25.0), 4.0);
        assert_eq!(supercell_composite(2000.0, 0.0, 200.0, 15.0), 6.0);
        assert_eq!(supercell_composite(2000.0, 0.0, 200.0, 9.9), 0.0);
        assert_eq!(supercell_composite(1000.0, 0.0, -50.0, 20.0), -1.0);
    }

    #[test]
    fn tornado_parameters_and_their_limits() {
        assert_eq!(significant_tornado_effective(1500.0, 0.0, 900.0, 150.0, 20.0), 1.0);
        assert_eq!(significant_tornado_effective(1500.0, -125.0, 1500.0, 150.0, 40.0), 0.375);
        assert_eq!(significant_tornado_effective(1500.0, -200.0, 900.0, 150.0, 20.0), 0.0);
        assert_eq!(significant_tornado_effective(1500.0, 0.0, 900.0, -150.0, 20.0), 0.0);
        assert_eq!(significant_tornado_effective(1500.0, 0.0, 900.0, 150.0, 12.4), 0.0);
        assert_eq!(significant_tornado_fixed(3000.0, 1500.0, 300.0, 35.0), 3.0);
        assert_eq!(significant_tornado_fixed(1500.0, 500.0, -150.0, 20.0), -1.0);
        assert_eq!(significant_tornado_fixed(3000.0, 2000.0, 300.0, 35.0), 0.0);
        assert_eq!(energy_helicity(2000.0, 160.0), 2.0);
    }

    #[test]
    fn hail_parameter_and_its_limits() {
        let inputs = HailInputs {
            mucape_jkg: 3000.0,
            mu_mixing_ratio_gkg: 12.0,
            lapse_rate_700_500hpa_kkm: 7.0,
            temperature_500hpa_c: -10.0,
            shear_0_6km_ms: 20.0,
            freezing_level_msl_m: 3500.0,
        };
        assert!((significant_hail(&inputs) - 1.2).abs() < 1e-9);
        let shallow = HailInputs { freezing_level_msl_m: 1200.0, ..inputs };
        assert!((significant_hail(&shallow) - 0.6).abs() < 1e-9);
        let weak = HailInputs { mucape_jkg: 650.0, ..inputs };
        assert!((significant_hail(&weak) - 0.13).abs() < 1e-9);
        assert_eq!(significant_hail(&HailInputs { mucape_jkg: 0.0, ..inputs }), 0.0);
    }
}
