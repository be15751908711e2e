//! Judges that are broken on purpose: an invariant that cannot fail says nothing.

use super::faults::{Faults, faults};
use super::life::{Checked, Life};
use super::world::{Truth, truth};
use super::{HISTORIES, SEED, drawing, told_twice, troubled};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use stormbell::threat::Level;

/// What can be wrong with a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// It takes so many answers for ten minutes.
    CountsAnswers,
    /// It takes reports in and judges at the end of the minute.
    JudgesByTheClockAlone,
    /// What it cannot see is not there.
    TakesSilenceForSafety,
}

/// What is said of the first of the histories that every run tries in which something is found.
fn found(check: impl Fn(&Truth, &Faults) -> Checked) -> String {
    let drawn = |number| (truth(), faults()).new_tree(&mut drawing(number)).unwrap().current();
    let first = (SEED..SEED + HISTORIES).find_map(|number| {
        let (truth, faults) = drawn(number);
        check(&truth, &faults).err()
    });
    first.expect("nothing was found").to_string()
}

fn broken(defect: Defect) -> Life {
    Life::new(Level::Marginal).with(defect)
}

#[test]
fn a_judge_to_whom_a_repeated_answer_is_another_one_is_found_out() {
    let said = found(|truth, _| told_twice(truth, broken(Defect::CountsAnswers)));
    assert!(said.contains("once and twice"), "{said}");
}

#[test]
fn a_judge_that_raises_later_than_the_poll_that_brought_it_is_found_out() {
    let said = found(|truth, _| troubled(truth, &Faults::none(), broken(Defect::JudgesByTheClockAlone)));
    assert!(said.contains(" brought "), "{said}");
}

#[test]
fn a_judge_that_takes_silence_for_safety_is_found_out() {
    let said = found(|truth, faults| troubled(truth, faults, broken(Defect::TakesSilenceForSafety)));
    assert!(said.contains("though the truth was"), "{said}");
}
