//! What each kind of evidence could mean while it cannot be seen, and that the short cut for quiet places never says otherwise.

use super::*;
use crate::outlook::Category as Risk;
use crate::threat::assess::{judge_evidence, judge_watched};
use crate::threat::change::{Terms, change};
use crate::threat::rules::storms_active;
use crate::threat::tests::scene::{self, Chance, blind, now, outlook, plain, quiet, report};
use crate::threat::{ChangeCause, Episode, Reason, Support, later};
use jiff::SignedDuration;

/// Everything of this source that can be out of sight, put out of sight.
fn without(mut evidence: Evidence, hidden: Hidden, sight: &Sight) -> Evidence {
    match hidden {
        Hidden::Warnings => evidence.warnings_sight = sight.clone(),
        Hidden::Zones => evidence.zones_sight = sight.clone(),
        Hidden::Radar(product) => {
            for radar in evidence.radar.iter_mut().filter(|radar| radar.product == product) {
                radar.sight = sight.clone();
            }
        }
        Hidden::Outlook => evidence.outlook.sight = sight.clone(),
        Hidden::OutlookLayer(gap) => evidence.outlook.gaps = vec![gap],
        Hidden::Environment => evidence.environment.sight = sight.clone(),
        Hidden::Reports => evidence.reports.sight = sight.clone(),
        Hidden::Lightning => evidence.lightning.sight = sight.clone(),
    }
    evidence
}

fn all() -> Vec<Hidden> {
    let some =
        [Hidden::Warnings, Hidden::Zones, Hidden::Outlook, Hidden::Environment, Hidden::Reports, Hidden::Lightning];
    some.into_iter().chain(Product::ALL.map(Hidden::Radar)).collect()
}

/// What the blind spot says that it could mean.
fn could_be(evidence: &Evidence, hidden: Hidden) -> Level {
    let spots = judge_evidence(&without(evidence.clone(), hidden, &blind()), now()).blind_spots;
    assert_eq!(spots.len(), 1, "{spots:?}");
    assert_eq!(spots[0].source, hidden.source_id());
    spots[0].could_raise_to
}

fn risk(category: Risk) -> Evidence {
    quiet().with_outlook(outlook(Some(category), None))
}

/// levels.md: "what `assess` would give with that source at its worst and all else as it is".
#[test]
fn what_each_could_mean_alone_and_beside_what_is_seen() {
    use Level::{Elevated, Extreme, Marginal, None, Significant};
    let calm = quiet();
    let warned = quiet().with_warning(plain("Tornado Warning", 0.0));
    let slight = risk(Risk::Slgt);
    let moderate = risk(Risk::Mdt);
    let stormy = quiet().with_echo(55.0);
    let [mesh, mid, low, vil, echo] = Product::ALL.map(Hidden::Radar);
    // Columns: nothing there; a tornado warning inside; a slight risk; a moderate risk; an echo of 55 dBZ.
    for (hidden, expected) in [
        // A tornado observed.
        (Hidden::Warnings, [Extreme; 5]),
        // The same, told for a county.
        (Hidden::Zones, [Extreme; 5]),
        (mesh, [Significant; 5]),
        (mid, [Significant; 5]),
        // A rotation track makes a tornado warning extreme.
        (low, [Significant, Extreme, Significant, Significant, Significant]),
        // It only scores.
        (vil, [None, Significant, Marginal, Elevated, None]),
        // 60 dBZ; as an active storm it makes a moderate risk significant.
        (echo, [Elevated, Significant, Elevated, Significant, Elevated]),
        (Hidden::Outlook, [Significant; 5]),
        // Parameters of tornadoes are significant only while storms are active, which a warning says too.
        (Hidden::Environment, [Elevated, Significant, Elevated, Elevated, Significant]),
        // A tornado seen: significant, and a tornado warning is extreme by it.
        (Hidden::Reports, [Significant, Extreme, Significant, Significant, Significant]),
        // A flash overhead is elevated, and makes a moderate risk significant.
        (Hidden::Lightning, [Elevated, Significant, Elevated, Significant, Elevated]),
    ] {
        let got = [&calm, &warned, &slight, &moderate, &stormy].map(|evidence| could_be(evidence, hidden));
        assert_eq!(got, expected, "{hidden:?}");
    }
}

#[test]
fn a_layer_of_the_outlook_could_mean_what_it_tells_and_no_more() {
    use Level::{Elevated, Marginal, None, Significant};
    let calm = quiet();
    let slight = risk(Risk::Slgt);
    let stormy = risk(Risk::Slgt).with_echo(55.0);
    for (gap, id, expected) in [
        (Gap::Categorical, "spc-categorical", [Significant, Significant, Significant]),
        (Gap::Missing(Hazard::Tornado), "spc-tornado", [Elevated, Elevated, Significant]),
        (Gap::Stale(Hazard::Tornado), "spc-tornado-stale", [Elevated, Elevated, Significant]),
        // No rule looks at how likely hail or wind is, or at conditional intensities: they only score.
        (Gap::Missing(Hazard::Hail), "spc-hail", [None, Marginal, Elevated]),
        (Gap::Missing(Hazard::Wind), "spc-wind", [None, Marginal, Elevated]),
        (Gap::Intensity(Hazard::Tornado), "spc-tornado-cig", [None, Marginal, Elevated]),
    ] {
        let hidden = Hidden::OutlookLayer(gap);
        let got = [&calm, &slight, &stormy].map(|evidence| could_be(evidence, hidden));
        assert_eq!((hidden.source_id().as_str(), got), (id, expected), "{gap:?}");
    }
}

#[test]
fn what_is_switched_off_is_no_blind_spot() {
    for hidden in all() {
        let evidence = without(quiet(), hidden, &Sight::Off);
        assert_eq!(judge_evidence(&evidence, now()).blind_spots, [], "{hidden:?}");
        // And it does not hide the others.
        let both = without(without(quiet(), hidden, &Sight::Off), Hidden::Warnings, &blind());
        assert_eq!(judge_evidence(&both, now()).blind_spots.len(), 1, "{hidden:?}");
    }
}

/// Breaker's TP: the service is started again without the source that a level rests on.
#[test]
fn what_is_switched_off_while_a_level_rests_on_it_is_never_taken_for_over() {
    let at = |minute: i64| later(now(), SignedDuration::from_mins(minute));
    let terms = Terms { hold: SignedDuration::from_mins(10), settling: false, watched_since_utc: at(-60) };
    for (source, hidden) in [
        (WARNINGS_ID.to_owned(), Hidden::Warnings),
        (Product::MeshMax60min.source_id(), Hidden::Radar(Product::MeshMax60min)),
        ("spc-tornado".to_owned(), Hidden::Outlook),
        (REPORTS_ID.to_owned(), Hidden::Reports),
    ] {
        let support = crate::notice::tests::scene::support(Level::Extreme, "it");
        let reason = Reason { source: source.clone(), ..support.reason.clone() };
        let stands = Support { reason, last_supported_utc: now(), ..support };
        let mut state = PointState { level: Level::Extreme, supports: vec![stands], ..PointState::quiet(now()) };
        let evidence = without(quiet(), hidden, &Sight::Off);
        let mut moved = Vec::new();
        for minute in 0..200 {
            let assessment = judge_watched(&evidence, Some(&state), at(minute));
            let (next, change) = change("wp", Some(&state), &assessment, at(minute), terms);
            assert_eq!(minute <= 180, next.blind_spots.iter().any(|spot| spot.source == source), "{source} {minute}");
            moved.extend(change.map(|change| (minute, change.to, change.cause)));
            state = next;
        }
        assert_eq!(moved, [(180, Level::None, ChangeCause::SightLost)], "{source}");
        // Who was told that it is out of sight is not told that it is seen.
        let told = crate::notice::tests::scene::episode("ep");
        state.episode = Some(Episode { awaiting_sight: true, out_of_sight: vec![source.clone()], ..told });
        assert_eq!(judge_watched(&evidence, Some(&state), at(300)).blind_spots[0].source, source);
    }
}

/// Evidence by chance, most of it little: what is left over of quiet places is what the short cut is for.
fn by_chance(chance: &mut Chance) -> Evidence {
    let mut evidence = quiet();
    if chance.one_in(4) {
        let events =
            ["Tornado Warning", "Severe Thunderstorm Warning", "Flash Flood Warning", "Heat Advisory", "Tornado Watch"];
        let event = chance.pick(&events);
        let mut sight = plain(event, chance.pick(&[0.0, 20.0, 42.0, 60.0]));
        if chance.one_in(3) {
            sight.phase = Phase::Coming;
        }
        evidence = evidence.with_warning(sight);
    }
    for product in Product::ALL {
        if chance.one_in(5) {
            let most = match product {
                Product::MeshMax60min => 60.0,
                Product::RotationTrackMl60min | Product::RotationTrackLl60min => 14.0,
                Product::Vil | Product::CompositeReflectivity => 65.0,
            };
            let cell = (chance.within(0.0, most), chance.within(0.0, 40.0));
            evidence = evidence.with_radar(product, &[cell]);
        }
    }
    if chance.one_in(3) {
        let category = chance.pick(&[None, Some(Risk::Tstm), Some(Risk::Mrgl), Some(Risk::Slgt), Some(Risk::Mdt)]);
        evidence = evidence.with_outlook(outlook(category, chance.pick(&[None, Some(2), Some(9), Some(15)])));
    }
    if chance.one_in(3) {
        let air = Environment {
            stp_effective: chance.pick(&[None, Some(0.0), Some(0.95), Some(2.0)]),
            stp_fixed_layer: chance.pick(&[None, Some(3.5)]),
            scp: chance.pick(&[None, Some(0.0), Some(3.8), Some(12.0)]),
            mucape_jkg: chance.pick(&[None, Some(1900.0), Some(4000.0)]),
            bulk_shear_0_6km_kt: chance.pick(&[None, Some(20.0), Some(55.0)]),
            ..Environment::default()
        };
        evidence = evidence.with_air(air);
    }
    if chance.one_in(3) {
        let all = [Category::Tornado, Category::Waterspout, Category::Hail, Category::Dust, Category::FlashFlood];
        let mut seen = report(chance.pick(&all), chance.within(0.0, 95.0), chance.pick(&[5, 70, 100, 200]));
        if chance.one_in(3) {
            seen.told_utc = scene::minutes(0);
        }
        evidence = evidence.with_report(seen);
    }
    if chance.one_in(4) {
        evidence = evidence.with_flash(chance.within(0.0, 60.0));
    }
    evidence
}

#[test]
fn the_short_cut_for_quiet_places_never_says_otherwise() {
    let mut chance = Chance::new(1_987_654_321);
    let mut quiet_ones = 0;
    for round in 0..3_000 {
        let mut evidence = by_chance(&mut chance);
        for hidden in all() {
            if chance.one_in(2) {
                evidence = without(evidence, hidden, &blind());
            }
        }
        if evidence.outlook.seen.is_some() && chance.one_in(2) {
            evidence.outlook.gaps = vec![Gap::Missing(Hazard::Tornado), Gap::Intensity(Hazard::Hail)];
        }
        let assessment = judge_evidence(&evidence, now());
        // The full reckoning, short cuts apart.
        assert_eq!(assessment.blind_spots, find(&evidence, false, now()), "round {round}: {evidence:#?}");
        let raised = judge(&evidence, now(), Mode::Raise);
        assert_eq!(assessment.level, level(&raised), "round {round}");
        let reasons = raised.iter().filter(|finding| finding.reason.level > Level::None).count();
        assert_eq!(assessment.reasons.len(), reasons, "round {round}");
        let keeps = judge(&evidence, now(), Mode::Clear);
        quiet_ones += usize::from(keeps.is_empty() && !storms_active(&evidence, now(), Mode::Clear));
    }
    assert!((300..2_700).contains(&quiet_ones), "{quiet_ones} of 3000 took the short cut");
}
