//! A process that lives through a history by the program's own pure path, from report to notice, and what must be true of it at
//! every step.

use super::defects::Defect;
use super::faults::{Faults, Line, is_asked};
use super::world::{self, MINUTES, SOURCES, Truth, at};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use stormbell::notice::decide::decide;
use stormbell::notice::{NoticeReason, WatchPoint};
use stormbell::observation::Report;
use stormbell::threat::assess::judge_evidence;
use stormbell::threat::change::{HELD_FOR_MAX, HOLD_DEFAULT, Terms, change};
use stormbell::threat::evidence::{Evidence, Memory};
use stormbell::threat::picture::Picture;
use stormbell::threat::{ChangeCause, Level, LevelChange, PointState, start};

/// What went out.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub minute: i64,
    pub reason: NoticeReason,
    pub level: Level,
}

/// One process, or several after each other over the same store.
pub struct Life {
    picture: Picture,
    memory: Memory,
    began_utc: Timestamp,
    /// All that the store keeps.
    state: Option<PointState>,
    point: WatchPoint,
    lines: Vec<Line>,
    pub told: Vec<Told>,
    pub moves: Vec<(i64, LevelChange)>,
    /// What the evidence supported by itself at the last look.
    supported_now: Level,
    /// By minute: the same at its end.
    pub supported: Vec<Level>,
    /// By minute: the level that stood at its end.
    pub levels: Vec<Level>,
    /// What is wrong with the judge, planted to see that it is found.
    defect: Option<Defect>,
    /// Reports taken in so far.
    taken: i64,
}

/// As many answers as come in ten minutes.
const ANSWERS_IN_HOLD: i64 = 54;

/// Whether all that must be true is.
pub type Checked = Result<(), TestCaseError>;

impl Life {
    pub fn new(min_level: Level) -> Self {
        let point = WatchPoint {
            id: "wp".into(),
            owner: "local".into(),
            name: "home".into(),
            at: world::place(),
            min_level,
            addresses: Vec::new(),
            time_zone: None,
            created_utc: at(0),
            until_utc: None,
            client_token: None,
            waiting: Vec::new(),
            quiet_hours: None,
            snooze_until_utc: None,
            acknowledged: None,
        };
        Self {
            picture: Picture::default(),
            memory: Memory::default(),
            began_utc: at(0),
            state: None,
            point,
            lines: SOURCES.map(Line::new).into_iter().collect(),
            told: Vec::new(),
            moves: Vec::new(),
            supported_now: Level::None,
            supported: Vec::new(),
            levels: Vec::new(),
            defect: None,
            taken: 0,
        }
    }

    /// One whose judge has a defect.
    pub fn with(self, defect: Defect) -> Self {
        Self { defect: Some(defect), ..self }
    }

    /// One of the same kind that has not lived yet.
    pub fn unborn(&self) -> Self {
        Self { defect: self.defect, ..Self::new(self.point.min_level) }
    }

    /// Lives through the whole history.
    pub fn live(&mut self, truth: &Truth, faults: &Faults) -> Checked {
        for minute in 0..MINUTES {
            let is_down = faults.restarts.iter().any(|(from, lasts)| (*from..from + lasts).contains(&minute));
            if faults.restarts.iter().any(|(from, lasts)| from + lasts == minute) && !is_down {
                self.start_again(minute);
            }
            if !is_down {
                self.minute(truth, faults, minute)?;
            }
            self.supported.push(self.supported_now);
            self.levels.push(self.state.as_ref().map_or(Level::None, |state| state.level));
        }
        Ok(())
    }

    fn minute(&mut self, truth: &Truth, faults: &Faults, minute: i64) -> Checked {
        let asked: Vec<usize> = (0..SOURCES.len()).filter(|&n| is_asked(&SOURCES[n], minute)).collect();
        let first = self.began_utc == at(minute);
        for number in (0..SOURCES.len()).filter(|n| first || asked.contains(n)) {
            let heard = self.lines[number].poll(truth, faults, minute);
            let mut judged = false;
            for report in &heard.reports {
                self.picture.take(report);
                self.taken += 1;
                judged = self.defect != Some(Defect::JudgesByTheClockAlone) && self.judge(minute)?;
            }
            // One that judges late says of itself that it has judged.
            judged |= self.defect == Some(Defect::JudgesByTheClockAlone) && !heard.reports.is_empty() && !first;
            let level = self.state.as_ref().map_or(Level::None, |state| state.level);
            prop_assert!(
                !judged || level >= heard.supports,
                "minute {minute}: {} brought {}, the level reads {level}",
                SOURCES[number],
                heard.supports
            );
        }
        // By the clock alone.
        self.judge(minute)?;
        Ok(())
    }

    /// The process ended; what the store holds, and nothing else, is still there.
    fn start_again(&mut self, minute: i64) {
        let kept = start::to_remember(&self.picture);
        self.picture = Picture::default();
        for (name, text) in kept {
            text.iter().for_each(|text| start::remember(&mut self.picture, name, text, at(minute)));
        }
        self.memory = Memory::default();
        self.began_utc = at(minute);
        self.lines = SOURCES.map(Line::new).into_iter().collect();
        self.state = self.state.take().map(|state| {
            let stored = postcard::to_stdvec(&state).unwrap();
            postcard::from_bytes(&stored).unwrap()
        });
    }

    /// What synthesis does after every report; whether it judged.
    fn judge(&mut self, minute: i64) -> Result<bool, TestCaseError> {
        let now = at(minute);
        if start::is_opening(&self.picture, SOURCES.iter(), self.began_utc, now) {
            return Ok(false);
        }
        let evidence = Evidence::gather(&self.picture, self.point.at, now, &mut self.memory);
        let mut assessment = judge_evidence(&evidence, now);
        if self.defect == Some(Defect::TakesSilenceForSafety) {
            assessment.blind_spots.clear();
        }
        self.supported_now = assessment.level;
        let settling = start::is_settling(&self.picture, SOURCES.iter(), self.began_utc, now);
        let watched_since_utc = self.point.created_utc.max(self.began_utc);
        let hold = match self.defect {
            Some(Defect::CountsAnswers) => {
                SignedDuration::from_secs((minute + 1) * ANSWERS_IN_HOLD * 60 / self.taken.max(1))
            }
            _ => HOLD_DEFAULT,
        };
        let terms = Terms { hold, settling, watched_since_utc };
        let before = self.state.take();
        let (mut state, moved) = change("wp", before.as_ref(), &assessment, now, terms);
        let reason = decide(&self.point, &mut state, moved.as_ref(), now, || format!("ep{minute}"));
        let level_before = before.as_ref().map_or(Level::None, |before| before.level);

        prop_assert!(state.level >= assessment.level, "minute {minute}: the evidence is above the level");
        prop_assert_eq!(moved.is_some(), state.level != level_before, "a move is a change, and a change is a move");
        if state.level > level_before {
            prop_assert_eq!(state.level, assessment.level, "raised above the evidence");
        }
        if let Some(moved) = &moved {
            self.check_move(moved, settling)?;
            self.moves.push((minute, moved.clone()));
        }
        if let Some(reason) = reason {
            self.check_notice(reason, &state, moved.as_ref(), minute)?;
            self.told.push(Told { minute, reason, level: state.level });
        }
        self.check_told(&state, minute)?;
        self.state = Some(state);
        Ok(true)
    }

    /// A fall is seen, or it is said that sight was lost.
    fn check_move(&self, moved: &LevelChange, settling: bool) -> Checked {
        if moved.to > moved.from {
            return Ok(());
        }
        prop_assert!(!settling, "lowered before every source was heard");
        for support in &moved.ended {
            let spots = &moved.assessment.blind_spots;
            let hides = |source: &str, could: Level| source == support.reason.source || could >= support.reason.level;
            let hidden = spots.iter().find(|spot| hides(&spot.source, spot.could_raise_to));
            if support.sight_lost {
                let unseen = support.last_supported_utc.duration_until(moved.at_utc);
                prop_assert!(unseen >= HELD_FOR_MAX, "let go after {unseen:#}");
                prop_assert_eq!(moved.cause, ChangeCause::SightLost);
            } else {
                prop_assert!(hidden.is_none(), "{:?} ended in the dark: {hidden:?}", support.reason.rule);
            }
        }
        if moved.cause == ChangeCause::Lowered {
            let unseen = |spot: &&stormbell::threat::BlindSpot| spot.could_raise_to >= moved.from;
            prop_assert!(
                moved.assessment.blind_spots.iter().find(unseen).is_none(),
                "lowered though something could mean as much"
            );
        }
        Ok(())
    }

    fn check_notice(
        &self,
        reason: NoticeReason,
        state: &PointState,
        moved: Option<&LevelChange>,
        minute: i64,
    ) -> Checked {
        let last = self.told.last();
        let (min, level) = (self.point.min_level, state.level);
        let context = || {
            format!("minute {minute}: {reason:?} at {level} after {last:?}, moved {:?}", moved.map(|m| (m.from, m.to)))
        };
        match reason {
            NoticeReason::Raised => prop_assert!(moved.is_some_and(|m| m.to > m.from) && level >= min, "{}", context()),
            NoticeReason::Lowered => {
                prop_assert!(
                    moved.is_some_and(|m| m.to < m.from && m.cause != ChangeCause::SightLost),
                    "{}",
                    context()
                );
                prop_assert!(level >= min && last.is_some_and(|last| last.level > level), "{}", context());
            }
            NoticeReason::AllClear => {
                prop_assert!(moved.is_some_and(|m| m.to < m.from && m.cause == ChangeCause::Lowered), "{}", context());
                prop_assert!(level < min && last.is_some_and(|last| last.level >= min), "never told: {}", context());
                let warnings_blind = state.blind_spots.iter().any(|spot| spot.source == "nws-warnings");
                prop_assert!(!warnings_blind, "an all-clear in the dark: {}", context());
            }
            NoticeReason::WentBlind => {
                prop_assert!(last.is_some_and(|last| last.level >= min), "{}", context());
                prop_assert!(!state.blind_spots.is_empty(), "{}", context());
            }
            NoticeReason::SeesAgain => {
                // What rose meanwhile brought no sight back.
                let before = self.told.iter().rev().find(|told| told.reason != NoticeReason::Raised);
                prop_assert!(before.is_some_and(|told| told.reason == NoticeReason::WentBlind), "{}", context());
            }
            NoticeReason::Test | NoticeReason::Digest | NoticeReason::Confirmation => {
                prop_assert!(false, "nobody asked")
            }
        }
        Ok(())
    }

    /// What was told last is what is true now.
    fn check_told(&self, state: &PointState, minute: i64) -> Checked {
        let last = self.told.last();
        if state.level >= self.point.min_level {
            let told = last.map(|last| last.level);
            prop_assert_eq!(told, Some(state.level), "minute {}: told {:?}", minute, last);
        } else if let Some(last) = last {
            let over = [NoticeReason::AllClear, NoticeReason::WentBlind, NoticeReason::SeesAgain];
            prop_assert!(over.contains(&last.reason), "minute {minute}: below, but told {last:?}");
        }
        Ok(())
    }
}

/// Every report of a history, as one process hears them.
pub fn reports(truth: &Truth, faults: &Faults, minutes: i64) -> Vec<Report> {
    let mut lines = SOURCES.map(Line::new);
    let mut all = Vec::new();
    for minute in 0..minutes {
        for line in lines.iter_mut().filter(|line| minute == 0 || is_asked(&line.source, minute)) {
            all.extend(line.poll(truth, faults, minute).reports);
        }
    }
    all
}

/// The longest that the rules take evidence to be older than it may be seen, minutes: a copy of the warnings that is a quarter
/// of an hour behind and has been silent for five minutes since; reports, from a cache that is ten minutes behind, a quarter
/// of an hour after the last poll.
pub const SEEN_WITHIN: i64 = 30;

/// No level fell that the truth supported all the time.
pub fn check_falls(faulted: &Life, undisturbed: &Life) -> Checked {
    for (minute, moved) in &faulted.moves {
        if moved.to > moved.from || moved.cause == ChangeCause::SightLost {
            continue;
        }
        let since = usize::try_from((minute - SEEN_WITHIN).max(0)).unwrap_or(0);
        let until = usize::try_from(*minute).unwrap_or(0);
        let truth = &undisturbed.supported[since..=until];
        prop_assert!(
            truth.iter().any(|level| *level < moved.from),
            "minute {minute}: {} -> {} though the truth was {truth:?} in the last {SEEN_WITHIN} min",
            moved.from,
            moved.to
        );
    }
    Ok(())
}
