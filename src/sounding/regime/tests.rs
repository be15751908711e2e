//! The words for columns and forecasts, on both sides of their thresholds.

use super::*;

fn plain() -> Environment {
    Environment {
        mlcape_jkg: Some(1500.0),
        mucape_jkg: Some(1800.0),
        mlcin_jkg: Some(-10.0),
        sb_lcl_m_agl: Some(1000.0),
        bulk_shear_0_6km_kt: Some(30.0),
        srh_0_1km_m2s2: Some(100.0),
        effective_inflow_base_m_agl: Some(0.0),
        scp: Some(1.0),
        stp_effective: Some(0.5),
        ..Environment::default()
    }
}

#[test]
fn the_regimes_and_their_thresholds() {
    let of = |mlcape: f64, shear: f64| {
        let environment = Environment { mlcape_jkg: Some(mlcape), bulk_shear_0_6km_kt: Some(shear), ..plain() };
        read(&environment).unwrap().regime
    };
    assert_eq!(of(2000.0, 24.4), Regime::Pulse);
    assert_eq!(of(2000.0, 25.0), Regime::Mixed);
    assert_eq!(of(999.4, 40.0), Regime::LowCapeHighShear);
    assert_eq!(of(999.4, 39.4), Regime::Mixed);
    assert_eq!(of(999.5, 35.0), Regime::Supercell);
    assert_eq!(of(1500.0, 34.4), Regime::Mixed);
    let stable =
        Environment { mlcape_jkg: Some(99.0), mucape_jkg: Some(99.4), bulk_shear_0_6km_kt: Some(40.0), ..plain() };
    let reading = read(&stable).unwrap();
    assert_eq!((reading.regime, reading.sentences.len()), (Regime::Stable, 2));
    assert_eq!(read(&Environment { mlcape_jkg: None, ..plain() }), None);
}

/// The Moore profile of 2026-06-10: unstable and sheared, but under a cap of -230 J/kg, which the reference text never says.
#[test]
fn a_capped_column_is_said_so() {
    let told = |mlcin: Option<f64>| {
        let reading = read(&Environment { mlcin_jkg: mlcin, bulk_shear_0_6km_kt: Some(36.0), ..plain() }).unwrap();
        (reading.capped, reading.sentences.join(" "))
    };
    let (capped, text) = told(Some(-231.0));
    assert!(
        capped && text.starts_with("If storms form: ") && text.contains("Strongly capped (MLCIN -231 J/kg)"),
        "{text}"
    );
    let (capped, text) = told(Some(-50.0));
    assert!(capped && text.contains("Capped (MLCIN -50 J/kg)"), "{text}");
    let (capped, text) = told(Some(-49.0));
    assert!(!capped && !text.contains("apped"), "{text}");
    assert!(!told(None).0);
}

#[test]
fn low_levels_inflow_and_composites_are_told() {
    let text = |environment: Environment| read(&environment).unwrap().sentences.join(" ");
    let rotating = Environment { srh_0_1km_m2s2: Some(150.0), stp_effective: Some(0.96), ..plain() };
    let told = text(rotating);
    assert!(told.contains("Low-level rotation") && told.contains("support severe storms (SCP 1.0, STP 1.0)"), "{told}");
    let elevated = Environment { inflow_elevated: true, effective_inflow_base_m_agl: Some(850.0), ..rotating };
    let told = text(elevated);
    assert!(told.contains("from 850 m above the ground") && !told.contains("Low-level rotation"), "{told}");
    let high = Environment { sb_lcl_m_agl: Some(1801.0), effective_inflow_base_m_agl: None, ..plain() };
    let told = text(high);
    assert!(told.contains("Cloud bases are high (1801 m)") && told.contains("No layer of air"), "{told}");
    let unknown = Environment { bulk_shear_0_6km_kt: None, scp: None, stp_effective: None, ..plain() };
    assert!(text(unknown).contains("shear unknown") && text(unknown).contains("modest (SCP unknown, STP unknown)"));
}

fn forecast(figures: &[(&str, f64, f64)]) -> Vec<Step> {
    let step = |(at, mlcape, stp): &(&str, f64, f64)| Step {
        valid_utc: at.parse().unwrap(),
        environment: Environment { mlcape_jkg: Some(*mlcape), stp_effective: Some(*stp), ..plain() },
    };
    figures.iter().map(step).collect()
}

/// A peak in the middle is not missed, and hours are reckoned from now: the cycle began two hours ago.
#[test]
fn a_peak_in_the_middle_is_told_from_now() {
    let steps = forecast(&[
        ("2031-05-09T18:00:00Z", 1000.0, 0.4),
        ("2031-05-09T19:00:00Z", 1400.0, 0.8),
        ("2031-05-09T21:00:00Z", 2600.0, 3.2),
        ("2031-06-09T00:00:00Z", 1100.0, 0.5),
    ]);
    let now = "2031-05-09T20:00:00Z".parse().unwrap();
    let told = trend(&steps[..3], now);
    assert!(told.contains("rises from 0.8 to 3.2 in 1 h (21:00Z)."), "{told}");
    assert!(told.contains("MLCAPE rises from 1400 to 2600 J/kg in 1 h (21:00Z)."), "{told}");
    let told = trend(&steps, now);
    assert!(told.contains("3.2 in 1 h (21:00Z), then falls to 0.5"), "{told}");
    assert!(told.contains("2600 J/kg in 1 h (21:00Z), then falls to 1100"), "{told}");
}

#[test]
fn falling_holding_steady_and_stable() {
    let at = ["2031-05-09T18:00:00Z", "2031-05-09T19:00:00Z", "2031-05-09T21:00:00Z", "2031-05-10T00:00:00Z"];
    let now = "2031-05-09T18:20:00Z".parse().unwrap();
    let told = |stp: [f64; 4], cape: [f64; 4]| {
        let figures: Vec<(&str, f64, f64)> = (0..4).map(|i| (at[i], cape[i], stp[i])).collect();
        trend(&forecast(&figures), now)
    };
    let text = told([3.0, 2.0, 1.0, 0.4], [2000.0, 1800.0, 1500.0, 1400.0]);
    assert!(text.contains("falls from 3.0 to 0.4 in 6 h (00:00Z)") && text.contains("Stabilising"), "{text}");
    let text = told([2.0, 2.2, 0.9, 2.1], [2000.0; 4]);
    assert!(text.contains("holds near 2.1, with a dip to 0.9 in 3 h (21:00Z)") && text.contains("steady"), "{text}");
    let text = told([0.0; 4], [40.0, 30.0, 90.0, 20.0]);
    assert!(text.contains("stays stable") && !text.contains("tornado"), "{text}");
    let text = told([0.0; 4], [1000.0, 1100.0, 1200.0, 1000.0]);
    assert!(!text.contains("tornado") && !text.contains("stays stable"), "{text}");
    assert!(trend(&forecast(&[(at[0], 1000.0, 0.0)]), now).contains("single time"));
    assert!(trend(&[], now).contains("No forecast"));
    // Past its end a forecast says nothing of what comes.
    assert!(
        trend(&forecast(&[(at[0], 0.0, 0.0), (at[1], 0.0, 0.0)]), "2031-05-09T20:00:00Z".parse().unwrap())
            .contains("single time")
    );
}

#[test]
fn a_cap_that_gives_way_and_shear_that_grows_are_told() {
    let mut steps = forecast(&[("2031-05-09T18:00:00Z", 1000.0, 0.0), ("2031-05-09T21:00:00Z", 1600.0, 0.0)]);
    steps[0].environment.mlcin_jkg = Some(-140.0);
    steps[1].environment.mlcin_jkg = Some(-20.0);
    steps[1].environment.bulk_shear_0_6km_kt = Some(37.0);
    let now = "2031-05-09T18:10:00Z".parse().unwrap();
    let told = trend(&steps, now);
    assert!(told.contains("The cap gives way: MLCIN from -140 to -20 J/kg in 3 h (21:00Z)."), "{told}");
    assert!(told.contains("while deep shear gains 7 kt"), "{told}");
    steps.reverse();
    assert_eq!(trend(&steps, now), told, "the order given does not matter");
    steps[0].environment.mlcape_jkg = None;
    assert!(!trend(&steps, now).contains("MLCAPE"), "unknown is not 0");
}
