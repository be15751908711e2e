//! What get_active_warnings says in words.

use super::{ActiveWarning, ActiveWarnings, Feed};
use crate::geo::compass;
use crate::mcp::envelope::clock_time;
use crate::mcp::tools::severe::counted;
use crate::warning::incidents::{Match, Phase, WarningSight};
use jiff::Timestamp;

/// Warnings that hold the point and are told one by one, beside the first: more were never seen at one place.
const FURTHER_TOLD: usize = 6;

pub(super) fn interpret(data: &ActiveWarnings, listed: &[&WarningSight], feed: Feed) -> String {
    let mut sentences = Vec::new();
    if feed.sight.is_blind() {
        let since = feed.sight.in_words(feed.now);
        sentences.push(format!("Warnings are {since}: the NWS feed cannot be seen, so this is not an all-clear."));
    } else if !feed.zones_known {
        let missing = "watches and warnings without a polygon may be missing";
        sentences.push(format!("The public zones of this point are not known yet: {missing}."));
    }
    if data.warnings.is_empty() && !feed.sight.is_blind() {
        sentences.push(format!("No active warning within {} km of the point.", data.radius_km));
    }
    let inside: Vec<&WarningSight> = listed.iter().copied().filter(|sight| sight.matched != Match::Outside).collect();
    if let Some((gravest, further)) = inside.split_first() {
        sentences.push(inside_in_words(gravest, feed));
        sentences.extend(further_in_words(further, feed.now));
    }
    sentences.extend(outside_in_words(data));
    if !data.watches_at_point.is_empty() {
        let names: Vec<&str> = data.watches_at_point.iter().map(|watch| watch.event.as_str()).collect();
        sentences.push(format!("Watches at the point: {}.", names.join(", ")));
    }
    sentences.join(" ")
}

fn inside_in_words(sight: &WarningSight, feed: Feed) -> String {
    let start = if feed.sight.is_blind() { "When last heard, the" } else { "The" };
    let verb = match sight.phase {
        Phase::InEffect => "is inside",
        Phase::Coming => "will be inside",
    };
    format!("{start} point {verb} {}{}.", with_article(&sight.warning.event), details(sight, feed.now))
}

/// The other warnings that hold the point: each is named, the last of very many by their number.
fn further_in_words(further: &[&WarningSight], now: Timestamp) -> Option<String> {
    let named = further.iter().take(FURTHER_TOLD).map(|sight| {
        let begins = if sight.phase == Phase::Coming { ", not begun yet" } else { "" };
        format!("{}{begins}{}", with_article(&sight.warning.event), details(sight, now))
    });
    let more = further.len().saturating_sub(FURTHER_TOLD);
    let told: Vec<String> = named.chain((more > 0).then(|| format!("and {more} more"))).collect();
    (!told.is_empty()).then(|| format!("Also at the point: {}.", told.join("; ")))
}

/// `a Tornado Warning`, `an Extreme Wind Warning`.
pub(super) fn with_article(event: &str) -> String {
    let article = if event.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    format!("{article} {event}")
}

fn outside_in_words(data: &ActiveWarnings) -> Option<String> {
    let outside: Vec<&ActiveWarning> = data.warnings.iter().filter(|warning| !warning.point_inside).collect();
    let nearest = outside.first()?;
    let place = match (nearest.distance_km, nearest.direction.as_deref()) {
        (Some(km), Some(direction)) => format!(", {km} km {direction}"),
        (Some(km), None) => format!(", {km} km away"),
        (None, _) => String::new(),
    };
    let toward = nearest
        .arrival_min
        .map_or_else(String::new, |minutes| format!(", moving toward the point, nearest in about {minutes} min"));
    let item = if outside.len() < data.warnings.len() { "other warning" } else { "warning" };
    let number = counted(outside.len(), item);
    Some(format!(
        "{number} within {} km; the nearest is {}{place}{toward}.",
        data.radius_km,
        with_article(&nearest.event)
    ))
}

/// The tags, the end and the motion of a warning that holds the point.
fn details(sight: &WarningSight, now: Timestamp) -> String {
    let tags = &sight.warning.tags;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(tags.tornado_detection.as_ref().map(|tag| format!("tornado {}", tag.to_lowercase())));
    let damage = [&tags.tornado_damage_threat, &tags.thunderstorm_damage_threat, &tags.flash_flood_damage_threat];
    parts.extend(damage.into_iter().flatten().map(|tag| format!("damage threat {}", tag.to_lowercase())));
    parts.extend(tags.max_hail_size_in.map(|inches| format!("hail to {inches} in")));
    parts.extend(tags.max_wind_gust_mph.map(|mph| format!("gusts to {mph} mph")));
    parts.extend(sight.until_utc.map(|until| format!("until {}", clock_time(until, now))));
    parts.extend(sight.warning.motion.as_ref().map(|stated| {
        let toward = compass((stated.from_deg + 180.0).rem_euclid(360.0));
        format!("moving {toward} at {} kt", stated.speed_kt.round())
    }));
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}
