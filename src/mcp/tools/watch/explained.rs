//! explain_watch_point: why a point stood at its level at an instant, and what was told of it.
//!
//! Boundaries: ✓ the form of the answer. ✗ `desk::explain` finds it, `words` says it.

use super::{ReasonFact, reason_fact};
use crate::desk::explain::{Again, End, Explanation, Outcome, Sending, Step, Stood, Telling, explained, through};
use crate::mcp::door::Door;
use crate::mcp::envelope::{Envelope, utc};
use crate::mcp::tools::ToolError;
use crate::mcp::tools::severe::brief::{BlindSpotFact, degraded_ids};
use crate::notice::{ChannelKind, Held};
use crate::threat::{RULES_VERSION, Support, rules};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod words;

/// Arguments of explain_watch_point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainArgs {
    /// Id of the watch point, also of one that was removed.
    pub id: String,
    /// The instant asked about, ISO 8601, for instance "2026-06-10T21:31:00Z"; without seconds the whole minute. Left out: now.
    pub at_utc: Option<String>,
}

/// `data` of explain_watch_point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedPoint {
    /// Id of the watch point.
    pub id: String,
    /// Its name; null once it is removed.
    pub name: Option<String>,
    /// The instant asked about, UTC.
    pub at_utc: String,
    /// The level that stood then: none, marginal, elevated, significant or extreme; null where that is not known.
    pub level: Option<String>,
    /// How that is known: journal (a change before it), next_change (what the next change left), registration (none ever since),
    /// not_watched (registered later), ended (not watched any more) or nothing.
    pub known_by: String,
    /// When the level was reached, UTC; null where that is not known.
    pub since_utc: Option<String>,
    /// When it was left, UTC; null while it stands or where that is not known.
    pub until_utc: Option<String>,
    /// When its watch ended, UTC; null while it is watched or where that is not on record.
    pub watch_ended_utc: Option<String>,
    /// The change that made it; null where nothing is journalled before.
    pub made_by: Option<ChangeFact>,
    /// Other changes within an hour of the instant, oldest first.
    pub other_changes: Vec<ChangeFact>,
    /// Notices within an hour of the instant that belong to none of these changes: lost and returned sight, digests, tests.
    pub other_notices: Vec<NoticeFact>,
    /// What could not be seen at that instant; null where that was not noted.
    pub blind_spots: Option<Vec<BlindSpotFact>>,
    /// What is held for a digest still.
    pub held_notices: Vec<HeldNoticeFact>,
    /// Rows of the store that could not be read and may belong here.
    pub unreadable_rows: usize,
    /// Version of the rules in this program.
    pub rules_version: String,
}

/// One level change, as journalled.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangeFact {
    /// Number of the entry in the journal.
    pub number: u64,
    /// When, UTC.
    pub at_utc: String,
    /// The level before.
    pub from: String,
    /// The level after.
    pub to: String,
    /// raised, lowered or sight_lost.
    pub cause: String,
    /// What it rested on at that instant, held reasons included, highest level first.
    pub reasons: Vec<WhyFact>,
    /// What ended with it, as last seen.
    pub ended: Vec<WhyFact>,
    /// What could not be seen at that instant.
    pub blind_spots: Vec<BlindSpotFact>,
    /// How the level stood when the next change came, or at the last judgement; null where that is not journalled.
    pub at_the_end: Option<StandFact>,
    /// Version of the rules that judged.
    pub rules_version: String,
    /// Whether the journalled evidence, judged again by this program, gives the same to the byte: same, differs, or not_kept.
    pub judged_again: String,
    /// How long a lower level had to last then, minutes; null where that was not kept.
    pub hold_minutes: Option<i64>,
    /// Whether the process had just started, so that nothing was lowered yet.
    pub settling: bool,
    /// What came of telling it.
    pub telling: TellingFact,
}

/// How a level stood at an instant.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StandFact {
    /// The instant, UTC.
    pub at_utc: String,
    /// What it rested on, held reasons included.
    pub reasons: Vec<WhyFact>,
    /// What could not be seen.
    pub blind_spots: Vec<BlindSpotFact>,
}

/// One reason with its rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyFact {
    /// The reason; its age is that at the change.
    #[serde(flatten)]
    pub reason: ReasonFact,
    /// What the rule says; null for a rule of another version.
    pub says: Option<String>,
    /// Age of the evidence at the instant asked about, seconds; negative where it is of later.
    pub age_then_s: i64,
    /// Why it stood although nothing supported it; null while supported.
    pub why_held: Option<String>,
    /// When the evidence last supported it, UTC.
    pub last_supported_utc: String,
}

/// What came of telling a change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TellingFact {
    /// told (a notice was decided), held (for a digest), told_in_digest, or not_told.
    pub outcome: String,
    /// For a person: why, to whom, when.
    pub text: String,
    /// Nothing below this level was told then; null where an earlier version wrote the entry.
    pub min_level: Option<String>,
    /// Quiet hours then, in the place's own time.
    pub quiet_hours: Option<String>,
    /// Snoozed then until, UTC.
    pub snooze_until_utc: Option<String>,
    /// The notices, one an address.
    pub notices: Vec<NoticeFact>,
}

/// One notice to one address.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoticeFact {
    /// Delivery id.
    pub id: String,
    /// raised, lowered, all_clear, went_blind, sees_again, test, digest.
    pub reason: String,
    /// The level told.
    pub level: String,
    /// Subject line.
    pub subject: String,
    /// email, web_push, or none where it is only recorded.
    pub channel: String,
    /// Address; null for none.
    pub address: Option<String>,
    /// When it was decided, UTC.
    pub decided_utc: String,
    /// told, recorded, pending or dead_letter.
    pub outcome: String,
    /// When it was handed over or given up, UTC.
    pub settled_utc: Option<String>,
    /// Receipt, or why it failed.
    pub said: Option<String>,
    /// When the next try comes at the earliest, UTC.
    pub not_before_utc: Option<String>,
    /// Tries so far.
    pub tries: u32,
    /// Other watch points of the same message.
    pub together_with: Vec<String>,
    /// The delivery that failed for good and that this one stands in for.
    pub stands_in_for: Option<String>,
}

/// One held notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeldNoticeFact {
    /// Why it would have been sent.
    pub reason: String,
    /// The level it would have told.
    pub level: String,
    /// What it would have said.
    pub subject: String,
    /// When it was decided, UTC.
    pub decided_utc: String,
    /// When the digest is due, UTC.
    pub due_utc: String,
}

/// explain_watch_point.
pub async fn explain(door: &Door, args: ExplainArgs) -> Result<Envelope<ExplainedPoint>, ToolError> {
    Ok(envelope(&asked(door, args).await?))
}

/// What the arguments ask for, not yet in words.
pub async fn asked(door: &Door, args: ExplainArgs) -> Result<Explanation, ToolError> {
    let now = door.desk.now();
    let at = args.at_utc.map_or(Ok(now), |text| super::instant("at_utc", &text))?;
    if at > now {
        let why = format!("{} is not past yet; it is {} now", utc(at), utc(now));
        return Err(ToolError::Argument { field: "at_utc".into(), why });
    }
    let found = explained(&*door.desk, &door.owner, &args.id, at).await?;
    found.ok_or(ToolError::NoSuchPoint(args.id))
}

/// An explanation as every door shows it.
pub fn envelope(explanation: &Explanation) -> Envelope<ExplainedPoint> {
    let text = words::in_words(explanation);
    let at = explanation.at_utc;
    let (known_by, since, until) = match explanation.stood {
        Stood::Journalled { since_utc, until_utc, .. } => ("journal", Some(since_utc), until_utc),
        Stood::LeftBy { until_utc, .. } => ("next_change", None, Some(until_utc)),
        Stood::Quiet { since_utc } => ("registration", Some(since_utc), None),
        Stood::NotWatched { .. } => ("not_watched", None, None),
        Stood::Ended { .. } => ("ended", None, None),
        Stood::Unknown => ("nothing", None, None),
    };
    let ended = explanation.end.and_then(|end| match end {
        End::At(at) => Some(at),
        End::AfterRecord(_) => None,
    });
    let made_by = explanation.made_by.as_ref();
    let at_the_change = made_by.map_or(&[][..], |step| &step.change.assessment.blind_spots);
    let unseen = explanation.unseen.as_deref().unwrap_or(at_the_change);
    let degraded = unseen.iter().flat_map(|spot| degraded_ids(&spot.source)).collect();
    let data = ExplainedPoint {
        id: explanation.watch_point.clone(),
        name: explanation.name.clone(),
        at_utc: utc(at),
        level: explanation.stood.level().map(|level| level.as_str().into()),
        known_by: known_by.into(),
        since_utc: since.map(utc),
        until_utc: until.map(utc),
        watch_ended_utc: ended.map(utc),
        made_by: made_by.map(|step| change_fact(step, at)),
        other_changes: explanation.around.iter().map(|step| change_fact(step, at)).collect(),
        other_notices: explanation.other_notices.iter().map(notice_fact).collect(),
        blind_spots: explanation.unseen.as_ref().map(|spots| spots.iter().map(BlindSpotFact::from).collect()),
        held_notices: explanation.held.iter().map(held_notice_fact).collect(),
        unreadable_rows: explanation.unreadable,
        rules_version: RULES_VERSION.into(),
    };
    Envelope::new(data, text, degraded)
}

fn change_fact(step: &Step, at: Timestamp) -> ChangeFact {
    let change = &step.change;
    let all = |supports: &[Support]| supports.iter().map(|support| why_fact(support, at)).collect();
    ChangeFact {
        number: step.number,
        at_utc: utc(change.at_utc),
        from: change.from.as_str().into(),
        to: change.to.as_str().into(),
        cause: change.cause.as_str().into(),
        reasons: all(&change.supports),
        ended: all(&change.ended),
        blind_spots: change.assessment.blind_spots.iter().map(BlindSpotFact::from).collect(),
        at_the_end: step.at_the_end.as_ref().map(|stand| StandFact {
            at_utc: utc(stand.at_utc),
            reasons: all(&stand.supports),
            blind_spots: stand.blind_spots.iter().map(BlindSpotFact::from).collect(),
        }),
        rules_version: step.rules_version.clone(),
        judged_again: match step.again {
            Again::Same => "same",
            Again::Differs(_) => "differs",
            Again::NotKept => "not_kept",
        }
        .into(),
        hold_minutes: step.hold.map(|hold| hold.as_mins()),
        settling: step.settling,
        telling: telling_fact(step),
    }
}

fn why_fact(support: &Support, at: Timestamp) -> WhyFact {
    WhyFact {
        reason: reason_fact(&support.reason),
        says: rules::says(&support.reason.rule).map(str::to_owned),
        age_then_s: support.reason.observed_utc.duration_until(through(at)).as_secs(),
        why_held: support.held.clone(),
        last_supported_utc: utc(support.last_supported_utc),
    }
}

fn telling_fact(step: &Step) -> TellingFact {
    let (outcome, rows): (&str, &[Sending]) = match &step.telling {
        Telling::Decided(rows) => ("told", rows),
        Telling::Held(_) => ("held", &[]),
        Telling::WasHeld(_, rows) => ("told_in_digest", rows),
        Telling::Not(_) => ("not_told", &[]),
    };
    let sequel = step.sequel.as_ref();
    TellingFact {
        outcome: outcome.into(),
        text: words::telling(step),
        min_level: sequel.map(|sequel| sequel.min_level.as_str().into()),
        quiet_hours: sequel.and_then(|sequel| sequel.quiet_hours).map(|hours| hours.to_string()),
        snooze_until_utc: sequel.and_then(|sequel| sequel.snooze_until_utc).map(utc),
        notices: rows.iter().map(notice_fact).collect(),
    }
}

fn notice_fact(row: &Sending) -> NoticeFact {
    let (outcome, settled, said, not_before) = match &row.outcome {
        Outcome::Told(at, receipt) => ("told", Some(*at), Some(receipt.clone()), None),
        Outcome::Recorded => ("recorded", None, None, None),
        Outcome::Dead(at, why) => ("dead_letter", Some(*at), Some(why.clone()), None),
        Outcome::Pending(said, not_before) => ("pending", None, said.clone(), *not_before),
    };
    NoticeFact {
        id: row.id.clone(),
        reason: row.reason.as_str().into(),
        level: row.level.as_str().into(),
        subject: row.subject.clone(),
        channel: row.address.kind.as_str().into(),
        address: (row.address.kind != ChannelKind::None).then(|| row.address.to.clone()),
        decided_utc: utc(row.decided_utc),
        outcome: outcome.into(),
        settled_utc: settled.map(utc),
        said,
        not_before_utc: not_before.map(utc),
        tries: row.tries,
        together_with: row.together_with.clone(),
        stands_in_for: row.stands_in_for.clone(),
    }
}

fn held_notice_fact(held: &Held) -> HeldNoticeFact {
    HeldNoticeFact {
        reason: held.reason.as_str().into(),
        level: held.level.as_str().into(),
        subject: held.subject.clone(),
        decided_utc: utc(held.decided_utc),
        due_utc: utc(held.due_utc),
    }
}
