//! Watch-point tools: register, remove, list, read; `change` changes them, `explained` says why.
//!
//! Boundaries: ✓ arguments and the form of answers. ✗ the desk keeps the points and checks limits and addresses.

use super::severe::brief::{BlindSpotFact, HazardRank, degraded_ids, level_in_words};
use super::severe::counted;
use super::{ToolError, place};
use crate::desk::names::checked_name;
use crate::desk::{ADDRESSES_MAX, CLIENT_TOKEN_CHARS_MAX, NAME_CHARS_MAX, NewWatchPoint, Registered, WatchedPoint};
use crate::geo::round_1dp;
use crate::mcp::door::{Door, Lifetime};
use crate::mcp::envelope::{Envelope, clock_time, utc};
use crate::mcp::tools::answers::ALL_SOURCES;
use crate::notice::{Address, ChannelKind, QuietHours, WatchPoint};
use crate::threat::{Assessment, Level, Reason, Support};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;

pub mod change;
pub mod explained;
mod shapes;

pub use shapes::*;

/// Smallest and largest page of a list; what lies outside is clamped.
pub const PAGE: (i64, i64) = (1, 200);
/// Page when none is asked for.
pub const PAGE_DEFAULT: i64 = 50;

/// register_watch_point.
pub async fn register(door: &Door, args: RegisterArgs) -> Result<Envelope<RegisteredPoint>, ToolError> {
    let now = door.desk.now();
    let wanted = checked(door, args, now)?;
    let Registered { point, created, added, waiting } = door.desk.register(wanted).await?;
    let only_while_client_runs = door.lifetime == Lifetime::WithClient;
    let data = RegisteredPoint { registration: registration(&point), created, only_while_client_runs };
    let (name, min_level) = (&point.name, point.min_level);
    let stands = match (created, added.is_empty()) {
        (true, _) => format!("{name} is watched from now on"),
        (false, true) => format!("{name} was registered already and stays as it was"),
        (false, false) => {
            format!("{name} was registered already and stays as it was, but for added channels ({})", in_a_row(&added))
        }
    };
    let mut text = format!("{stands}: changes at or above {min_level} are told");
    text.push_str(match (point.addresses.is_empty(), waiting.is_empty()) {
        (true, true) => " to subscribers of its resource only; no channel is set.",
        (true, false) => " to subscribers of its resource only, for now.",
        (false, _) => ".",
    });
    for waiting in &waiting {
        text.push_str(&format!(" {waiting}"));
    }
    if only_while_client_runs {
        text.push_str(" It is watched only while this client runs.");
    }
    Ok(Envelope::new(data, text, Vec::new()))
}

fn checked(door: &Door, args: RegisterArgs, now: Timestamp) -> Result<NewWatchPoint, ToolError> {
    let bad = |field: &str, why: String| ToolError::Argument { field: field.into(), why };
    let name = checked_name(&args.name, NAME_CHARS_MAX).map_err(|why| bad("name", why))?;
    let at = place(args.lat, args.lon)?;
    let min_level: Level = args.min_level.parse()?;
    let addresses = addresses(args.channels)?;
    let quiet_hours = args.quiet_hours.map(|text| quiet_hours(&text)).transpose()?;
    let until_utc = args.until_utc.map(|text| future("until_utc", &text, now)).transpose()?;
    if let Some(token) = &args.client_token
        && !(1..=CLIENT_TOKEN_CHARS_MAX).contains(&token.chars().count())
    {
        return Err(bad("client_token", format!("must be 1 to {CLIENT_TOKEN_CHARS_MAX} characters")));
    }
    let client_token = args.client_token;
    Ok(NewWatchPoint {
        owner: door.owner.clone(),
        name,
        at,
        min_level,
        addresses,
        until_utc,
        client_token,
        quiet_hours,
    })
}

/// The addresses of channels as they were typed.
fn addresses(channels: Vec<ChannelArg>) -> Result<Vec<Address>, ToolError> {
    let bad = |field: String, why: String| ToolError::Argument { field, why };
    if channels.len() > ADDRESSES_MAX {
        return Err(bad("channels".into(), format!("at most {ADDRESSES_MAX}, not {}", channels.len())));
    }
    let read = |(index, channel): (usize, ChannelArg)| {
        let field = format!("channels[{index}].address");
        let to = channel.address.trim().to_owned();
        match (channel.kind, to.is_empty()) {
            (ChannelArgKind::Email, true) => Err(bad(field, "an email channel needs its address".into())),
            (ChannelArgKind::Email, false) => Ok(Address { kind: ChannelKind::Email, to }),
            (ChannelArgKind::WebPush, true) => Ok(Address { kind: ChannelKind::WebPush, to }),
            (ChannelArgKind::WebPush, false) => {
                Err(bad(field, "web_push takes no address: it goes to the browsers that have push switched on".into()))
            }
        }
    };
    channels.into_iter().enumerate().map(read).collect()
}

fn quiet_hours(text: &str) -> Result<QuietHours, ToolError> {
    text.parse().map_err(|error: crate::notice::quiet::NotQuietHours| ToolError::Argument {
        field: "quiet_hours".into(),
        why: error.to_string(),
    })
}

/// An instant as it was typed.
fn instant(field: &str, text: &str) -> Result<Timestamp, ToolError> {
    text.trim().parse().map_err(|_| {
        let why = match is_late(text) {
            true => format!("{text:?} is out of range: the last instant is {:.0}", Timestamp::MAX),
            false => {
                format!("{text:?} is not an ISO 8601 instant with a zone; write for instance \"2026-06-11T03:00:00Z\"")
            }
        };
        ToolError::Argument { field: field.into(), why }
    })
}

/// Whether it is written as an instant and lies behind the last one that can be told: the calendar ends within that year.
fn is_late(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("9999-12-3") && text.replacen("9999", "2400", 1).parse::<Timestamp>().is_ok()
}

fn future(field: &str, text: &str, now: Timestamp) -> Result<Timestamp, ToolError> {
    let at = instant(field, text)?;
    if at <= now {
        let why = format!("{} is not in the future; it is {} now", utc(at), utc(now));
        return Err(ToolError::Argument { field: field.into(), why });
    }
    Ok(at)
}

fn in_a_row(addresses: &[Address]) -> String {
    let word = |address: &Address| match address.kind {
        ChannelKind::WebPush => "web push".to_owned(),
        ChannelKind::Email | ChannelKind::None => address.to.clone(),
    };
    addresses.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn waiting_in_words(waiting: &[Address]) -> String {
    let to = in_a_row(waiting);
    format!(" Nothing goes to {to} until the confirmation that was sent there is answered.")
}

/// unregister_watch_point.
pub async fn unregister(door: &Door, args: IdArgs) -> Result<Envelope<Unregistered>, ToolError> {
    let removed = door.desk.unregister(&door.owner, &args.id).await?;
    let text = if removed {
        "The point is no longer watched; notices that waited for it are dropped.".into()
    } else {
        "There was no such watch point; nothing changed.".into()
    };
    Ok(Envelope::new(Unregistered { id: args.id, removed }, text, Vec::new()))
}

/// list_watch_points.
pub async fn list(door: &Door, args: ListArgs) -> Result<Envelope<WatchPointList>, ToolError> {
    let now = door.desk.now();
    let limit = args.limit.clamp(PAGE.0, PAGE.1);
    let (page, total, next_cursor) = page_of(door, args.cursor.as_deref(), limit as usize).await?;
    let watch_points: Vec<WatchPointLine> = page.iter().map(line).collect();
    let degraded =
        watch_points.iter().flat_map(|line| &line.blind_spots).flat_map(|spot| degraded_ids(&spot.source)).collect();
    let text = list_in_words(&page, total, now);
    Ok(Envelope::new(WatchPointList { watch_points, total, limit, next_cursor }, text, degraded))
}

/// One page of the owner's points after `cursor`, the number of all, and the cursor of the next page. The cursor holds the
/// last id of a page: it stays good when points come and go.
///
/// # Errors
/// When the store fails, or the cursor is none that this gave.
pub async fn page_of(
    door: &Door,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<WatchedPoint>, usize, Option<String>), ToolError> {
    let after = cursor.filter(|cursor| !cursor.trim().is_empty()).map(after).transpose()?;
    let watched = door.desk.watched(&door.owner).await?;
    let total = watched.len();
    let mut rest = watched.into_iter().filter(|watched| after.as_ref().is_none_or(|after| watched.point.id > *after));
    let page: Vec<WatchedPoint> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let next_cursor = page.last().filter(|_| more).map(|last| cursor_after(&last.point.id));
    Ok((page, total, next_cursor))
}

/// Marks a cursor as one of this list.
const AFTER: &str = "points after ";

fn cursor_after(id: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{AFTER}{id}"))
}

fn after(cursor: &str) -> Result<String, ToolError> {
    let read = BASE64_URL_SAFE_NO_PAD.decode(cursor.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    read.and_then(|text| text.strip_prefix(AFTER).map(str::to_owned)).ok_or_else(|| ToolError::Argument {
        field: "cursor".into(),
        why: "this is no next_cursor of this list; leave it out for the first page".into(),
    })
}

fn list_in_words(page: &[WatchedPoint], total: usize, now: Timestamp) -> String {
    let mut raised: Vec<(Level, String)> = page
        .iter()
        .filter_map(|watched| {
            let state = watched.state.as_ref().filter(|state| state.level > Level::None)?;
            let since = clock_time(state.since_utc, now);
            Some((state.level, format!("{}: {} since {since}", watched.point.name, state.level)))
        })
        .collect();
    raised.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
    let mut text = format!("{} in all.", counted(total, "watch point"));
    if !raised.is_empty() {
        let words: Vec<String> = raised.into_iter().map(|(_, words)| words).collect();
        text.push_str(&format!(" On this page above none: {}.", words.join("; ")));
    }
    let blind = page.iter().filter(|watched| watched.state.as_ref().is_none_or(|s| !s.blind_spots.is_empty())).count();
    if blind > 0 {
        text.push_str(&format!(" For {} some evidence cannot be seen: no all-clear.", counted(blind, "point")));
    }
    text
}

/// get_watch_point, and the resource of a point.
pub async fn get(door: &Door, id: &str) -> Result<Envelope<WatchPointFacts>, ToolError> {
    let watched = door.desk.watched(&door.owner).await?;
    let watched = watched
        .into_iter()
        .find(|watched| watched.point.id == id)
        .ok_or_else(|| ToolError::NoSuchPoint(id.to_owned()))?;
    let at = watched.point.at;
    let picture = door.desk.picture_for(at, &ALL_SOURCES).await;
    let now = door.desk.now();
    let assessment = (door.judge)(&picture, at, now).assessment;
    Ok(facts(&watched, &assessment, now))
}

/// A watch point with its stored state and the present assessment.
pub fn facts(watched: &WatchedPoint, assessment: &Assessment, now: Timestamp) -> Envelope<WatchPointFacts> {
    let state = watched.state.as_ref();
    let level = state.map_or(assessment.level, |state| state.level);
    let supports = state.map_or(&[][..], |state| &state.supports);
    let held: Vec<HeldFact> = supports.iter().filter_map(held_fact).collect();
    let mut sentences = Vec::new();
    sentences.extend(supports.iter().find(|support| support.sight_lost).map(|support| {
        format!(
            "Unknown: sight was lost of what held the level before ({}); nothing says that it is over.",
            support.reason.text
        )
    }));
    sentences.push(level_in_words(level, &assessment.blind_spots, now));
    if let Some(state) = state {
        sentences.push(format!("It stands since {}.", clock_time(state.since_utc, now)));
    }
    if level > assessment.level {
        let why = held.first().map_or_else(String::new, |held| format!(" ({})", held.why_held));
        sentences.push(format!("The evidence seen now supports {} only; the level is held{why}.", assessment.level));
    }
    sentences.extend(assessment.reasons.first().map(|reason| reason.text.clone()));
    let degraded = assessment.blind_spots.iter().flat_map(|spot| degraded_ids(&spot.source)).collect();
    let data = WatchPointFacts {
        registration: registration(&watched.point),
        level: level.as_str().into(),
        since_utc: state.map(|state| utc(state.since_utc)),
        assessed_utc: utc(now),
        evidence_level: assessment.level.as_str().into(),
        reasons: assessment.reasons.iter().map(reason_fact).collect(),
        held,
        blind_spots: assessment.blind_spots.iter().map(BlindSpotFact::from).collect(),
        hazards_ranked: assessment.hazards.iter().map(HazardRank::from).collect(),
    };
    Envelope::new(data, sentences.join(" "), degraded)
}

fn registration(point: &WatchPoint) -> Registration {
    Registration {
        id: point.id.clone(),
        resource: crate::mcp::resources::point_uri(&point.id),
        name: point.name.clone(),
        point: point.at.into(),
        min_level: point.min_level.as_str().into(),
        channels: point.addresses.iter().map(channel_fact).collect(),
        created_utc: utc(point.created_utc),
        until_utc: point.until_utc.map(utc),
        waiting_for_confirmation: point.waiting.iter().map(|address| address.to.clone()).collect(),
        quiet_hours: point.quiet_hours.map(|hours| hours.to_string()),
        time_zone: point.time_zone.clone(),
        snooze_until_utc: point.snooze_until_utc.map(utc),
        acknowledged_level: point.acknowledged.as_ref().map(|acknowledged| acknowledged.level.as_str().into()),
    }
}

fn channel_fact(address: &Address) -> ChannelFact {
    ChannelFact { kind: address.kind.as_str().into(), address: address.to.clone() }
}

fn line(watched: &WatchedPoint) -> WatchPointLine {
    let state = watched.state.as_ref();
    let Registration { id, resource, name, point, min_level, .. } = registration(&watched.point);
    WatchPointLine {
        id,
        resource,
        name,
        point,
        min_level,
        level: state.map(|state| state.level.as_str().into()),
        since_utc: state.map(|state| utc(state.since_utc)),
        blind_spots: state.map_or_else(Vec::new, |state| state.blind_spots.iter().map(BlindSpotFact::from).collect()),
    }
}

fn reason_fact(reason: &Reason) -> ReasonFact {
    ReasonFact {
        rule: reason.rule.clone(),
        level: reason.level.as_str().into(),
        text: reason.text.clone(),
        source: reason.source.clone(),
        evidence_id: reason.evidence_id.clone(),
        observed_utc: utc(reason.observed_utc),
        age_s: reason.age_s,
        distance_km: reason.distance_km.map(round_1dp),
        direction: reason.direction.clone(),
        until_utc: reason.until_utc.map(utc),
        already_in_effect: reason.already_in_effect,
    }
}

/// A reason that was let go unseen holds nothing any more.
fn held_fact(support: &Support) -> Option<HeldFact> {
    let support = Some(support).filter(|support| !support.sight_lost)?;
    Some(HeldFact {
        why_held: support.held.clone()?,
        reason: reason_fact(&support.reason),
        last_supported_utc: utc(support.last_supported_utc),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_behind_the_last_is_out_of_range_and_not_wrong_in_form() {
        let why = |text: &str| instant("until_utc", text).unwrap_err().to_string();
        assert!(why("9999-12-31T23:59:59Z").contains("is out of range: the last instant is 9999-12-30T22:00:00Z"));
        assert!(why("9999-12-31").contains("is not an ISO 8601 instant"));
        assert!(instant("until_utc", "9999-12-30T00:00:00Z").is_ok());
    }
}
