//! Rules over the outlook for today: categories, tornado probabilities, scores.

use super::*;
use crate::outlook::{Category as Risk, Hazard, Intensity};
use crate::threat::hazards;
use crate::threat::tests::scene::outlook;

/// The level of a category, quiet and with storms active.
fn by_category(category: Risk) -> [Level; 2] {
    let risk = || quiet().with_outlook(outlook(Some(category), None));
    [raised(&risk()), raised(&risk().with_echo(50.0))]
}

#[test]
fn categories_quiet_and_active() {
    use Level::{Elevated, Marginal, None, Significant};
    for (category, expected) in [
        (Risk::Tstm, [None, None]),
        (Risk::Mrgl, [Marginal, Marginal]),
        (Risk::Slgt, [Marginal, Elevated]),
        (Risk::Enh, [Elevated, Elevated]),
        (Risk::Mdt, [Elevated, Significant]),
        (Risk::High, [Significant, Significant]),
    ] {
        assert_eq!(by_category(category), expected, "{category:?}");
    }
    assert_eq!(raised(&quiet().with_outlook(outlook(Option::None, Option::None)).with_echo(50.0)), None);
}

/// The worst of a moderate risk shows itself with the first flash.
#[test]
fn a_flash_makes_a_moderate_risk_significant() {
    let risk = || quiet().with_outlook(outlook(Some(Risk::Mdt), None));
    assert_eq!(
        [raised(&risk().with_flash(40.0)), raised(&risk().with_flash(40.1))],
        [Level::Significant, Level::Elevated]
    );
    // Once raised it stays until the flash is over 44 km away.
    let keeps = |km| spoken(&risk().with_flash(km), Mode::Clear);
    assert!(keeps(44.4).contains(&("spc_moderate_active".to_owned(), Level::Significant)));
    assert!(!keeps(44.5).contains(&("spc_moderate_active".to_owned(), Level::Significant)));
}

#[test]
fn tornado_probabilities_quiet_and_active() {
    let pct = |pct, mode, active: bool| {
        let seen = quiet().with_outlook(outlook(None, Some(pct)));
        level(&judge(&if active { seen.with_echo(55.0) } else { seen }, now(), mode))
    };
    use Level::{Elevated, None as Nothing, Significant};
    for (given, quiet_level, active_level) in [
        (5, Nothing, Nothing),
        (9, Nothing, Nothing),
        (10, Elevated, Elevated),
        (14, Elevated, Elevated),
        (15, Elevated, Significant),
        (60, Elevated, Significant),
    ] {
        assert_eq!(
            [pct(given, Mode::Raise, false), pct(given, Mode::Raise, true)],
            [quiet_level, active_level],
            "{given} %"
        );
    }
    assert_eq!([pct(9, Mode::Clear, false), pct(8, Mode::Clear, false)], [Elevated, Nothing]);
    assert_eq!([pct(14, Mode::Clear, true), pct(13, Mode::Clear, true)], [Significant, Elevated]);
}

#[test]
fn probabilities_and_intensities_score_and_other_hazards_raise_nothing() {
    let mut seen = outlook(None, Some(5));
    for at in &mut seen.at.hazards {
        match at.hazard {
            Hazard::Tornado => at.conditional_intensity = Some(Intensity::Cig1),
            Hazard::Hail => (at.probability_pct, at.significant) = (Some(60), true),
            Hazard::Wind => at.probability_pct = Some(45),
            Hazard::TotalSevere => {}
        }
    }
    let found = judge(&quiet().with_outlook(seen).with_echo(55.0), now(), Mode::Raise);
    assert_eq!(level(&found), Level::None);
    let scores: Vec<(String, i64)> = hazards::rank(&found).into_iter().map(|h| (h.hazard, h.score)).collect();
    let expected = [("hail", 70), ("damaging_wind", 45), ("tornado", 20), ("flash_flood", 0)];
    assert_eq!(scores, expected.map(|(hazard, score)| (hazard.to_owned(), score)));
}

#[test]
fn the_reason_says_until_when_and_from_what() {
    let found = judge(&quiet().with_outlook(outlook(Some(Risk::Enh), Some(10))), now(), Mode::Raise);
    let category = &found[0].reason;
    assert_eq!((category.rule.as_str(), category.source.as_str()), ("spc_enhanced", "spc-categorical"));
    assert_eq!(category.until_utc, Some("2026-06-11T12:00:00Z".parse().unwrap()));
    assert!(category.text.contains("tornado 10 %"), "{}", category.text);
    assert_eq!((found[1].reason.rule.as_str(), found[1].reason.source.as_str()), ("spc_tornado_10pct", "spc-tornado"));
}
