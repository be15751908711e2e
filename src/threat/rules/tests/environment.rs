//! Rules over the air: each parameter, quiet and with storms active, and the cap.

use super::*;
use crate::outlook::Category as Risk;
use crate::sounding::Environment;
use crate::threat::tests::scene::{outlook, plain};

fn stp(effective: Option<f64>, fixed: Option<f64>) -> Environment {
    Environment { stp_effective: effective, stp_fixed_layer: fixed, ..Environment::default() }
}

fn organised(mucape_jkg: f64, shear_kt: f64) -> Environment {
    Environment { mucape_jkg: Some(mucape_jkg), bulk_shear_0_6km_kt: Some(shear_kt), ..Environment::default() }
}

/// The level that it raises quiet and with storms active, and the level that it keeps likewise.
fn levels(air: Environment) -> [Level; 4] {
    let seen = quiet().with_air(air);
    let active = seen.clone().with_echo(50.0);
    [raised(&seen), raised(&active), kept(&seen), kept(&active)]
}

#[test]
fn the_significant_tornado_parameter() {
    use Level::{Elevated, Marginal, None, Significant};
    for (value, expected) in [
        (0.89, [None, None, None, None]),
        (0.9, [None, None, Marginal, Elevated]),
        (0.99, [None, None, Marginal, Elevated]),
        (1.0, [Marginal, Elevated, Marginal, Elevated]),
        (2.69, [Marginal, Elevated, Marginal, Elevated]),
        (2.7, [Marginal, Elevated, Elevated, Significant]),
        (2.99, [Marginal, Elevated, Elevated, Significant]),
        (3.0, [Elevated, Significant, Elevated, Significant]),
    ] {
        assert_eq!(levels(stp(Some(value), Option::None)), expected, "{value}");
        assert_eq!(levels(stp(Option::None, Some(value))), expected, "{value} of fixed layers");
    }
    assert_eq!(levels(stp(Some(0.0), Some(9.0))), [None; 4], "that of the effective layer is believed");
    assert_eq!(levels(stp(Some(f64::NAN), Option::None)), [None; 4]);
}

#[test]
fn the_supercell_parameter_speaks_only_while_storms_are_active() {
    use Level::{Elevated, None};
    let scp = |scp| levels(Environment { scp: Some(scp), ..Environment::default() });
    assert_eq!(scp(3.59), [None; 4]);
    assert_eq!(scp(3.6), [None, None, None, Elevated]);
    assert_eq!(scp(4.0), [None, Elevated, None, Elevated]);
}

#[test]
fn cape_and_shear_together() {
    use Level::{Elevated, Marginal, None};
    for (cape, shear, expected) in [
        (2000.0, 40.0, [Marginal, Elevated, Marginal, Elevated]),
        (1999.0, 40.0, [None, None, Marginal, Elevated]),
        (2000.0, 39.9, [None, None, Marginal, Elevated]),
        (1800.0, 36.0, [None, None, Marginal, Elevated]),
        (1799.0, 60.0, [None; 4]),
        (6000.0, 35.9, [None; 4]),
    ] {
        assert_eq!(levels(organised(cape, shear)), expected, "{cape} J/kg, {shear} kt");
    }
}

#[test]
fn cape_and_shear_are_silent_where_something_significant_came_before() {
    let speaks = |evidence: &Evidence| spoken(evidence, Mode::Raise).iter().any(|(rule, _)| rule == "cape_and_shear");
    let air = || quiet().with_air(organised(2500.0, 45.0));
    assert!(speaks(&air()));
    assert!(speaks(&air().with_outlook(outlook(Some(Risk::Enh), None))), "elevated does not silence it");
    assert!(!speaks(&air().with_outlook(outlook(Some(Risk::High), None))));
    assert!(!speaks(&air().with_warning(plain("Tornado Warning", 0.0))));
    let both = Environment { stp_effective: Some(3.0), ..organised(2500.0, 45.0) };
    assert!(speaks(&quiet().with_air(both)), "elevated while quiet");
    assert!(!speaks(&quiet().with_air(both).with_echo(50.0)), "significant while active");
    // Radar, reports and lightning come after it in the table.
    assert!(speaks(&air().with_radar(Product::MeshMax60min, &[(60.0, 5.0)])));
}

/// levels.md, correction 8.
#[test]
fn a_capped_column_is_said_so() {
    let text = |mlcin_jkg| {
        let air = Environment { mlcin_jkg, ..stp(Some(2.0), None) };
        judge(&quiet().with_air(air), now(), Mode::Raise).remove(0).reason.text
    };
    assert!(text(Some(-50.0)).contains("capped (MLCIN -50 J/kg)"), "{}", text(Some(-50.0)));
    for open in [Some(-49.0), Some(0.0), None] {
        assert!(!text(open).contains("capped"), "{}", text(open));
    }
}

#[test]
fn air_that_is_not_known_says_nothing() {
    assert_eq!(levels(Environment::default()), [Level::None; 4]);
    assert_eq!(levels(Environment { mucape_jkg: Some(4000.0), ..Environment::default() }), [Level::None; 4]);
}
