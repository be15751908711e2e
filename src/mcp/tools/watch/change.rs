//! What changes a watch point that stands, or rings its bell: update, acknowledge, send a test.
//!
//! Boundaries: ✓ arguments and the form of answers. ✗ the desk checks and carries out.

use super::shapes::{ChannelArg, ChannelFact, IdArgs, Registration};
use super::{addresses, channel_fact, future, quiet_hours, registration};
use crate::desk::{PointUpdate, WatchedPoint};
use crate::mcp::door::Door;
use crate::mcp::envelope::{Envelope, clock_time, utc};
use crate::mcp::tools::ToolError;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The word that takes a value away; a null counts as left out.
const AWAY: &str = "none";

/// Arguments of update_watch_point. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateArgs {
    /// Id of the watch point, as register_watch_point and list_watch_points give it.
    pub id: String,
    /// A new name, 1 to 80 characters.
    pub name: Option<String>,
    /// Nothing below this level is told from now on. Lowered to or below the level that stands, that level is told at once.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: Option<String>,
    /// Where notices go from now on, instead of where they went; [] for nowhere.
    pub channels: Option<Vec<ChannelArg>>,
    /// When people there sleep, in the place's own time, for instance "22:00-07:00"; "none" takes them away.
    pub quiet_hours: Option<String>,
    /// When the watch ends by itself, ISO 8601, in the future; "none" for never.
    pub until_utc: Option<String>,
    /// Until when notices are held, ISO 8601, in the future and at most 7 days ahead, for instance "2026-06-11T03:00:00Z";
    /// significant and extreme break through; "none" ends it.
    pub snooze_until_utc: Option<String>,
}

/// `data` of update_watch_point and acknowledge_watch_point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangedPoint {
    /// The registration as it stands now.
    #[serde(flatten)]
    pub registration: Registration,
    /// The level that stands: none, marginal, elevated, significant or extreme; null before the first assessment.
    pub level: Option<String>,
    /// Since when, UTC.
    pub since_utc: Option<String>,
}

/// `data` of send_test_notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestSent {
    /// Id of the watch point.
    pub id: String,
    /// Where the test goes; empty where the point has no proven address.
    pub sent_to: Vec<ChannelFact>,
}

/// update_watch_point.
pub async fn update(door: &Door, args: UpdateArgs) -> Result<Envelope<ChangedPoint>, ToolError> {
    let now = door.desk.now();
    let id = args.id.clone();
    let wanted = checked(args, now)?;
    let nothing = wanted == PointUpdate::default();
    let changed = door.desk.update(&door.owner, &id, wanted).await?;
    let changed = changed.ok_or(ToolError::NoSuchPoint(id))?;
    let text = if nothing { "Nothing was asked to change. ".to_owned() } else { String::new() };
    Ok(envelope(&changed, text + &stands(&changed, now)))
}

fn checked(args: UpdateArgs, now: Timestamp) -> Result<PointUpdate, ToolError> {
    let away = |text: &str| text.trim().eq_ignore_ascii_case(AWAY);
    let unless_away = |field: &'static str, text: String| match away(&text) {
        true => Ok(None),
        false => future(field, &text, now).map(Some),
    };
    Ok(PointUpdate {
        name: args.name,
        min_level: args.min_level.map(|level| level.parse()).transpose()?,
        addresses: args.channels.map(addresses).transpose()?,
        quiet_hours: args
            .quiet_hours
            .map(|text| if away(&text) { Ok(None) } else { quiet_hours(&text).map(Some) })
            .transpose()?,
        until_utc: args.until_utc.map(|text| unless_away("until_utc", text)).transpose()?,
        snooze_until_utc: args.snooze_until_utc.map(|text| unless_away("snooze_until_utc", text)).transpose()?,
    })
}

/// What is told of the point from now on.
fn stands(changed: &WatchedPoint, now: Timestamp) -> String {
    let point = &changed.point;
    let mut text = format!("{} tells changes at or above {}", point.name, point.min_level);
    if let Some(hours) = point.quiet_hours {
        let zone = point.time_zone.as_deref().unwrap_or("the place's own time");
        text.push_str(&format!(", holds them in quiet hours {hours} ({zone})"));
    }
    if let Some(until) = point.snooze_until_utc.filter(|until| *until > now) {
        text.push_str(&format!(", holds them until {} (snoozed)", clock_time(until, now)));
    }
    if point.quiet_hours.is_some() || point.snooze_until_utc.is_some_and(|until| until > now) {
        text.push_str("; significant and extreme break through");
    }
    if let Some(until) = point.until_utc {
        text.push_str(&format!("; the watch ends at {}", clock_time(until, now)));
    }
    text.push('.');
    if !point.waiting.is_empty() {
        text.push_str(&super::waiting_in_words(&point.waiting));
    }
    text
}

/// acknowledge_watch_point.
pub async fn acknowledge(door: &Door, args: IdArgs) -> Result<Envelope<ChangedPoint>, ToolError> {
    let changed = door.desk.acknowledge(&door.owner, &args.id).await?;
    let changed = changed.ok_or(ToolError::NoSuchPoint(args.id))?;
    let text = match &changed.point.acknowledged {
        Some(acknowledged) => format!(
            "Noted: nothing up to {} is told again of this episode of {}; a new maximum is, and its end.",
            acknowledged.level, changed.point.name
        ),
        None => format!("There is nothing to acknowledge: no episode of {} is under way.", changed.point.name),
    };
    Ok(envelope(&changed, text))
}

fn envelope(changed: &WatchedPoint, text: String) -> Envelope<ChangedPoint> {
    let state = changed.state.as_ref();
    let data = ChangedPoint {
        registration: registration(&changed.point),
        level: state.map(|state| state.level.as_str().into()),
        since_utc: state.map(|state| utc(state.since_utc)),
    };
    Envelope::new(data, text, Vec::new())
}

/// send_test_notice.
pub async fn send_test(door: &Door, args: IdArgs) -> Result<Envelope<TestSent>, ToolError> {
    let sent = door.desk.send_test(&door.owner, &args.id).await?;
    let sent = sent.ok_or_else(|| ToolError::NoSuchPoint(args.id.clone()))?;
    let sent_to: Vec<ChannelFact> = sent.iter().map(channel_fact).collect();
    let text = match sent_to.len() {
        0 => "Nothing was sent: the point has no proven address. update_watch_point gives it channels.".to_owned(),
        _ => {
            let to: Vec<String> = sent_to.iter().map(ChannelFact::in_words).collect();
            format!(
                "A labelled test is on its way to {}. It changes nothing; explain_watch_point tells whether it was handed over.",
                to.join(", ")
            )
        }
    };
    Ok(Envelope::new(TestSent { id: args.id, sent_to }, text, Vec::new()))
}
