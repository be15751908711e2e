//! Histories by chance: weather, outages, delays, repeats, reorderings and restarts, through the program's own pure path. An
//! outage, delay, repeat or reordering never lowers a level and never makes an all-clear; a raise is never later than the poll
//! that brought it; the same evidence in any order ends in the same picture; what was told is what is true, and nothing is told
//! twice.
//!
//! Every history is drawn from a number of its own, which a failure prints: `STORMBELL_HISTORY=n` draws that one again.
//! `STORMBELL_HISTORIES=1000` looks at that many of each kind, others each time.

mod defects;
mod faults;
mod life;
mod world;

use faults::{Faults, faults};
use life::{Checked, Life, check_falls, reports};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::hash::{BuildHasher, RandomState};
use stormbell::geo::LatLon;
use stormbell::observation::{NWS_WARNINGS, Report};
use stormbell::threat::Level;
use stormbell::threat::evidence::{Evidence, Memory};
use stormbell::threat::picture::Picture;
use world::{Truth, at, truth};

/// Histories of each kind in an ordinary run.
const HISTORIES: u64 = 16;

/// The first of the histories that every run tries.
const SEED: u64 = 0x5EED;

/// The numbers of the histories of this run: the same at every run, so that what fails fails again; others where many are
/// asked for.
fn numbers() -> impl Iterator<Item = u64> {
    let asked = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number of histories"));
    let (first, how_many) = match (asked("STORMBELL_HISTORY"), asked("STORMBELL_HISTORIES")) {
        (Some(one), _) => (one, 1),
        (None, Some(many)) => (RandomState::new().hash_one(many) >> 1, many),
        (None, None) => (SEED, HISTORIES),
    };
    first..first + how_many
}

/// Draws what is numbered so.
fn drawing(number: u64) -> TestRunner {
    let rng_seed = RngSeed::Fixed(number);
    let config =
        ProptestConfig { cases: 1, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(ProptestConfig { rng_seed, ..config })
}

fn each_history<S: Strategy>(histories: S, check: impl Fn(S::Value) -> Checked) {
    for number in numbers() {
        if let Err(error) = drawing(number).run(&histories, &check) {
            panic!("STORMBELL_HISTORY={number} draws it again: {error}");
        }
    }
}

fn min_level() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Marginal, Level::Elevated, Level::Significant])
}

#[test]
fn no_trouble_lowers_a_level_or_makes_an_all_clear() {
    each_history((truth(), faults(), min_level()), |(truth, faults, min)| troubled(&truth, &faults, Life::new(min)));
}

#[test]
fn answers_that_come_twice_change_nothing() {
    each_history((truth(), min_level()), |(truth, min)| told_twice(&truth, Life::new(min)));
}

#[test]
fn the_same_evidence_in_any_order_ends_in_the_same_picture() {
    each_history((truth(), faults(), 5..90_i64, any::<u64>()), |(truth, faults, minutes, seed)| {
        reordered(&truth, &faults, minutes, seed)
    });
}

/// A life beside one without trouble.
fn troubled(truth: &Truth, faults: &Faults, life: Life) -> Checked {
    let (mut undisturbed, mut faulted) = (life.unborn(), life);
    undisturbed.live(truth, &Faults::none())?;
    faulted.live(truth, faults)?;
    check_falls(&undisturbed, &undisturbed)?;
    check_falls(&faulted, &undisturbed)
}

/// A life that hears every answer twice beside one that hears it once.
fn told_twice(truth: &Truth, life: Life) -> Checked {
    let (mut once, mut twice) = (life.unborn(), life);
    once.live(truth, &Faults::none())?;
    twice.live(truth, &Faults::twice())?;
    prop_assert_eq!(once.told, twice.told, "what was told of answers that came once and twice");
    prop_assert_eq!(once.levels, twice.levels, "levels by answers that came once and twice");
    Ok(())
}

fn reordered(truth: &Truth, faults: &Faults, minutes: i64, seed: u64) -> Checked {
    let in_order = reports(truth, faults, minutes);
    let shuffled = in_any_order(&in_order, seed);
    let (first, second) = (heard(&in_order), heard(&shuffled));
    prop_assert_eq!(&first.heard, &second.heard);
    prop_assert_eq!(&first.mosaics, &second.mosaics);
    prop_assert_eq!(&first.outlooks, &second.outlooks);
    prop_assert_eq!(&first.reports, &second.reports);
    prop_assert_eq!(&first.profiles, &second.profiles);
    prop_assert_eq!(&first.lightning, &second.lightning);
    prop_assert_eq!(&first.zones, &second.zones);
    for (north, east) in [(0.0, 0.0), (0.3, 0.2), (7.0, -12.0)] {
        let place = LatLon::new(world::place().lat() + north, world::place().lon() + east).unwrap();
        for now in [minutes, minutes + 14, minutes + 200] {
            let look = |picture| Evidence::gather(picture, place, at(now), &mut Memory::default());
            prop_assert_eq!(look(&first), look(&second));
        }
    }
    Ok(())
}

fn heard(reports: &[Report]) -> Picture {
    let mut picture = Picture::default();
    reports.iter().for_each(|report| picture.take(report));
    picture
}

/// The same reports in another order, some of them twice. Collections of warnings keep theirs: an older one that comes after a
/// newer one is a stale copy by the rules; such copies are put in besides.
fn in_any_order(reports: &[Report], seed: u64) -> Vec<Report> {
    let mut state = seed | 1;
    let mut chance = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below.max(1)
    };
    let (warnings, mut others): (Vec<Report>, Vec<Report>) =
        reports.iter().cloned().partition(|report| report.source == NWS_WARNINGS);
    for n in (1..others.len()).rev() {
        others.swap(n, chance(n + 1));
    }
    let mut shuffled = Vec::new();
    let mut others = others.into_iter().peekable();
    let mut heard_warnings: Vec<Report> = Vec::new();
    for warning in warnings {
        while others.peek().is_some() && chance(8) != 0 {
            shuffled.extend(others.next());
        }
        shuffled.push(warning.clone());
        heard_warnings.push(warning);
        if chance(3) == 0 {
            shuffled.push(heard_warnings[chance(heard_warnings.len())].clone());
        }
    }
    shuffled.extend(others);
    let again: Vec<Report> = (0..shuffled.len() / 4).map(|_| shuffled[chance(shuffled.len())].clone()).collect();
    shuffled.extend(again.into_iter().filter(|report| report.source != NWS_WARNINGS));
    shuffled
}
