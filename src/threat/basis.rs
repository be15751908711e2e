//! What a level change rests on, journalled with it: judged again, it gives the same answer to the byte.

use crate::threat::assess::judge_watched;
use crate::threat::change::{Terms, change};
use crate::threat::evidence::Evidence;
use crate::threat::{Assessment, LevelChange, PointState};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The slice of evidence around one place, the state that stood, and the terms of the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// What was seen from the place.
    pub evidence: Evidence,
    /// What stood before; `None` at the first assessment.
    pub before: Option<PointState>,
    /// Configuration and circumstances of the change.
    pub terms: Terms,
}

/// A level change with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The change.
    pub change: LevelChange,
    /// What it rests on.
    pub basis: Option<Basis>,
}

impl Basis {
    /// The basis of a change. Product texts stay out: no rule reads them, the evidence ids lead to them, and a hundred of
    /// them would make a row too large to be written.
    pub fn of(mut evidence: Evidence, before: Option<PointState>, terms: Terms) -> Self {
        for sight in &mut evidence.warnings {
            let warning = Arc::make_mut(&mut sight.warning);
            warning.description = String::new();
            warning.instruction = None;
        }
        Self { evidence, before, terms }
    }

    /// The judgement made again from this evidence alone.
    pub fn judge_again(&self, watch_point: &str, at: Timestamp) -> (Assessment, Option<LevelChange>) {
        let assessment = judge_watched(&self.evidence, self.before.as_ref(), at);
        let (state, moved) = change(watch_point, self.before.as_ref(), &assessment, at, self.terms);
        (Assessment { blind_spots: state.blind_spots, ..assessment }, moved)
    }
}
