//! Watch-point tools: register, remove, list, read.
//!
//! Boundaries: ✓ arguments and the form of answers. ✗ the desk keeps the points and checks limits and addresses.

use super::severe::brief::{BlindSpotFact, HazardRank, degraded_ids, level_in_words};
use super::severe::counted;
use super::{ToolError, place};
use crate::desk::{DeskError, NewWatchPoint, Registered, WatchedPoint};
use crate::geo::round_1dp;
use crate::mcp::door::{Door, Lifetime};
use crate::mcp::envelope::{Envelope, Point, clock_time, utc};
use crate::notice::{Address, ChannelKind, WatchPoint};
use crate::observation::{MRMS, NWS_WARNINGS, NWS_ZONES, SourceName};
use crate::threat::{Assessment, Level, Reason, Support};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a place depends on at present.
pub const ALL_SOURCES: [SourceName; 3] = [NWS_WARNINGS, NWS_ZONES, MRMS];

/// Longest name of a watch point, characters: it stands in subject lines.
pub const NAME_CHARS_MAX: usize = 80;
/// Longest client token, characters: room for a UUID or a hash.
pub const CLIENT_TOKEN_CHARS_MAX: usize = 128;
/// Most channels of one watch point: a household, not a mailing list.
pub const CHANNELS_MAX: usize = 10;
/// Smallest and largest page of a list; what lies outside is clamped.
pub const PAGE: (i64, i64) = (1, 200);
/// Page when none is asked for.
pub const PAGE_DEFAULT: i64 = 50;

/// Arguments of register_watch_point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterArgs {
    /// A name for the point, 1 to 80 characters, for instance "Home".
    pub name: String,
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Nothing below this level is told.
    #[serde(default = "min_level_default")]
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// Where notices go, at most 10; none means that changes are recorded and announced to subscribers only. Only
    /// addresses from the owner's own configuration are accepted.
    #[serde(default)]
    pub channels: Vec<ChannelArg>,
    /// When the watch ends by itself, ISO 8601, in the future, for instance "2026-06-11T03:00:00Z". Left out: never.
    pub until_utc: Option<String>,
    /// Any text of 1 to 128 characters that stays the same when the call is repeated: the point is then made only once.
    pub client_token: Option<String>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelArg {
    /// Kind of channel.
    pub kind: ChannelArgKind,
    /// Email address.
    pub address: String,
}

/// Kinds of channel that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelArgKind {
    /// Email.
    Email,
}

/// The id of a watch point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdArgs {
    /// Id of the watch point, as register_watch_point and list_watch_points give it.
    pub id: String,
}

/// Arguments of list_watch_points.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListArgs {
    /// `next_cursor` of the page before; left out for the first page.
    pub cursor: Option<String>,
    /// Points on a page, 1 to 200; a figure outside is clamped and the clamped one shown.
    #[serde(default = "page_default")]
    pub limit: i64,
}

fn min_level_default() -> String {
    Level::Elevated.as_str().into()
}

fn page_default() -> i64 {
    PAGE_DEFAULT
}

/// `data` of register_watch_point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RegisteredPoint {
    /// The registration.
    #[serde(flatten)]
    pub registration: Registration,
    /// Whether this call made it; false when it stood already.
    pub created: bool,
    /// Addresses that still have to be confirmed before anything is sent to them.
    pub waiting_for_confirmation: Vec<String>,
    /// True where the point is watched only as long as this client runs.
    pub only_while_client_runs: bool,
}

/// A registration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Registration {
    /// Stable id.
    pub id: String,
    /// Resource with the present assessment; subscribe to be told of changes.
    pub resource: String,
    /// Name.
    pub name: String,
    /// Where.
    pub point: Point,
    /// Nothing below this level is told.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// Where notices go.
    pub channels: Vec<ChannelFact>,
    /// When it was registered, UTC.
    pub created_utc: String,
    /// When the watch ends by itself, UTC; null for never.
    pub until_utc: Option<String>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChannelFact {
    /// email or web_push.
    pub kind: String,
    /// Address.
    pub address: String,
}

/// `data` of unregister_watch_point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unregistered {
    /// The id.
    pub id: String,
    /// Whether there was such a point.
    pub removed: bool,
}

/// `data` of list_watch_points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointList {
    /// Points of this page, sorted by id.
    pub watch_points: Vec<WatchPointLine>,
    /// Number of points on all pages.
    pub total: usize,
    /// The page size used.
    pub limit: i64,
    /// For the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One point of the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointLine {
    /// Stable id.
    pub id: String,
    /// Resource with the present assessment.
    pub resource: String,
    /// Name.
    pub name: String,
    /// Where.
    pub point: Point,
    /// Nothing below this level is told.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// The level that stands: none, marginal, elevated, significant or extreme; null before the first assessment.
    pub level: Option<String>,
    /// Since when, UTC.
    pub since_utc: Option<String>,
    /// What cannot be seen.
    pub blind_spots: Vec<BlindSpotFact>,
}

/// `data` of get_watch_point, and of the resource watch://points/{id}.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointFacts {
    /// The registration.
    #[serde(flatten)]
    pub registration: Registration,
    /// The level that stands; as the evidence reads now, before the first assessment of the watch.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub level: String,
    /// Since when it stands, UTC; null before the first assessment of the watch.
    pub since_utc: Option<String>,
    /// The instant that the evidence below is read at, UTC.
    pub assessed_utc: String,
    /// The level that the visible evidence supports now.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub evidence_level: String,
    /// Every reason, highest level first.
    pub reasons: Vec<ReasonFact>,
    /// What the level rests on although nothing supports it now.
    pub held: Vec<HeldFact>,
    /// What cannot be seen.
    pub blind_spots: Vec<BlindSpotFact>,
    /// Hazards, highest score first.
    pub hazards_ranked: Vec<HazardRank>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReasonFact {
    /// Id of the rule.
    pub rule: String,
    /// The level that it supports by itself.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub level: String,
    /// For a person.
    pub text: String,
    /// Which evidence.
    pub source: String,
    /// CAP id or object key.
    pub evidence_id: String,
    /// When the evidence is of, UTC.
    pub observed_utc: String,
    /// Its age at `assessed_utc`, seconds.
    pub age_s: i64,
    /// From the point, km.
    pub distance_km: Option<f64>,
    /// Compass name from the point.
    pub direction: Option<String>,
    /// When it ends by the clock, UTC.
    pub until_utc: Option<String>,
    /// Whether it began before the watch did.
    pub already_in_effect: bool,
}

/// A reason that is held.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HeldFact {
    /// The reason as last seen.
    #[serde(flatten)]
    pub reason: ReasonFact,
    /// Why it is held.
    pub why_held: String,
    /// When the evidence last supported it, UTC.
    pub last_supported_utc: String,
}

/// register_watch_point.
pub async fn register(door: &Door, args: RegisterArgs) -> Result<Envelope<RegisteredPoint>, ToolError> {
    let now = door.desk.now();
    let wanted = checked(door, args, now)?;
    let Registered { point, created } = door.desk.register(wanted).await?;
    let only_while_client_runs = door.lifetime == Lifetime::WithClient;
    let data = RegisteredPoint {
        registration: registration(&point),
        created,
        waiting_for_confirmation: Vec::new(),
        only_while_client_runs,
    };
    let mut text = if created {
        format!("{} is watched from now on; changes at or above {} are told", point.name, point.min_level)
    } else {
        format!(
            "{} was registered already and stays as it was: changes at or above {} are told",
            point.name, point.min_level
        )
    };
    text.push_str(match point.addresses.len() {
        0 => " to subscribers of its resource only; no channel is set.",
        _ => ".",
    });
    if only_while_client_runs {
        text.push_str(" It is watched only while this client runs.");
    }
    Ok(Envelope::new(data, text, Vec::new()))
}

fn checked(door: &Door, args: RegisterArgs, now: Timestamp) -> Result<NewWatchPoint, ToolError> {
    let bad = |field: &str, why: String| ToolError::Argument { field: field.into(), why };
    let name = args.name.trim().to_owned();
    let chars = name.chars().count();
    if chars == 0 || chars > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(bad("name", format!("must be 1 to {NAME_CHARS_MAX} printable characters, on one line")));
    }
    let at = place(args.lat, args.lon)?;
    let min_level: Level = args.min_level.parse()?;
    if args.channels.len() > CHANNELS_MAX {
        return Err(bad("channels", format!("at most {CHANNELS_MAX}, not {}", args.channels.len())));
    }
    let addresses = args
        .channels
        .into_iter()
        .map(|channel| Address {
            kind: match channel.kind {
                ChannelArgKind::Email => ChannelKind::Email,
            },
            to: channel.address.trim().to_owned(),
        })
        .collect();
    let until_utc = args.until_utc.map(|text| until(&text, now)).transpose()?;
    if let Some(token) = &args.client_token
        && !(1..=CLIENT_TOKEN_CHARS_MAX).contains(&token.chars().count())
    {
        return Err(bad("client_token", format!("must be 1 to {CLIENT_TOKEN_CHARS_MAX} characters")));
    }
    let client_token = args.client_token;
    Ok(NewWatchPoint { owner: door.owner.clone(), name, at, min_level, addresses, until_utc, client_token })
}

fn until(text: &str, now: Timestamp) -> Result<Timestamp, ToolError> {
    let bad = |why: String| ToolError::Argument { field: "until_utc".into(), why };
    let until: Timestamp = text.trim().parse().map_err(|_| {
        bad(format!("{text:?} is not an ISO 8601 instant with a zone; write for instance \"2026-06-11T03:00:00Z\""))
    })?;
    if until <= now {
        return Err(bad(format!("{} is not in the future; it is {} now", utc(until), utc(now))));
    }
    Ok(until)
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

/// One page of the owner's points after `cursor`, the number of all, and the cursor of the next page. The cursor is the
/// last id of a page: it stays good when points come and go.
pub async fn page_of(
    door: &Door,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<WatchedPoint>, usize, Option<String>), DeskError> {
    let watched = door.desk.watched(&door.owner).await?;
    let total = watched.len();
    let mut rest = watched.into_iter().filter(|watched| cursor.is_none_or(|cursor| watched.point.id.as_str() > cursor));
    let page: Vec<WatchedPoint> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let next_cursor = page.last().filter(|_| more).map(|last| last.point.id.clone());
    Ok((page, total, next_cursor))
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
        channels: point
            .addresses
            .iter()
            .map(|address| ChannelFact { kind: address.kind.as_str().into(), address: address.to.clone() })
            .collect(),
        created_utc: utc(point.created_utc),
        until_utc: point.until_utc.map(utc),
    }
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
