//! get_active_warnings: NWS warnings around a point and the watches that hold it.

mod words;

use super::{WARNING_IDS, WarningsSight, ZONES_ID, zones_of};
use crate::geo::{Area, LatLon, compass, round_1dp};
use crate::mcp::envelope::{Envelope, Point, utc};
use crate::threat::picture::Picture;
use crate::warning::incidents::{Match, Phase, WarningSight};
use crate::warning::{StormMotion, Tags, Vtec};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Radius when none is asked for, km.
pub const RADIUS_KM_DEFAULT: f64 = 40.0;
/// Smallest and largest radius, km; what lies outside is clamped.
pub const RADIUS_KM: (f64, f64) = (5.0, 250.0);

/// The events shown as warnings.
pub const WARNING_EVENTS: [&str; 7] = [
    "Tornado Warning",
    "Severe Thunderstorm Warning",
    "Flash Flood Warning",
    "Extreme Wind Warning",
    "Special Marine Warning",
    "Snow Squall Warning",
    "Dust Storm Warning",
];
/// The events shown as watches, where they hold the point.
pub const WATCH_EVENTS: [&str; 4] = ["Tornado Watch", "Severe Thunderstorm Watch", "Flash Flood Watch", "Flood Watch"];

/// `data` of get_active_warnings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ActiveWarnings {
    /// The asked point.
    pub point: Point,
    /// The radius used, km: the asked one within 5 to 250.
    pub radius_km: f64,
    /// Whether any listed warning holds the point.
    pub point_inside_warning: bool,
    /// How many warnings are listed, by event name.
    pub counts: BTreeMap<String, usize>,
    /// Warnings that hold the point or lie within the radius: inside first, the gravest of them before all; then by distance.
    pub warnings: Vec<ActiveWarning>,
    /// Watches that hold the point.
    pub watches_at_point: Vec<ActiveWatch>,
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ActiveWarning {
    /// CAP id; changes with every message.
    pub id: String,
    /// Identity over all messages of the same incident.
    pub incident: String,
    /// Event name.
    pub event: String,
    /// CAP severity.
    pub severity: String,
    /// CAP certainty.
    pub certainty: String,
    /// Headline.
    pub headline: Option<String>,
    /// Names of the areas.
    pub area_desc: String,
    /// Issuing office.
    pub sender: String,
    /// `in_effect`, or `coming` before its onset.
    #[schemars(extend("enum" = ["in_effect", "coming"]))]
    pub phase: String,
    /// When the message takes effect, UTC.
    pub effective_utc: Option<String>,
    /// When the event begins, UTC.
    pub onset_utc: Option<String>,
    /// When this message ends (not the event), UTC.
    pub expires_utc: Option<String>,
    /// When the event ends, UTC.
    pub ends_utc: Option<String>,
    /// CAP message type: Alert or Update.
    pub message_type: String,
    /// P-VTEC strings as facts: office, phenomenon, number, action.
    pub vtec: Vec<String>,
    /// Whether it holds the point; the edge counts as inside.
    pub point_inside: bool,
    /// To the nearest point of the polygon, km; 0 inside; absent without a polygon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
    /// From the point to there, degrees; null inside.
    pub bearing_deg: Option<i64>,
    /// The same as a compass name; null inside.
    pub direction: Option<String>,
    /// Minutes until the storm comes nearest, where its stated motion brings it toward the point.
    pub arrival_min: Option<i64>,
    /// How near it then comes, km.
    pub passes_km: Option<f64>,
    /// Impact tags as sent.
    pub ibw_tags: IbwTags,
    /// Storm motion, if stated.
    pub storm_motion: Option<Motion>,
    /// GeoJSON coordinates of the polygon ([lon, lat] pairs), or null.
    #[schemars(schema_with = "coordinates_schema")]
    pub polygon_lonlat: Value,
    /// `zone` where it has no polygon and counts by the zones of the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Impact-based-warning tags; null when not sent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IbwTags {
    /// POSSIBLE, RADAR INDICATED or OBSERVED.
    pub tornado_detection: Option<String>,
    /// CONSIDERABLE or CATASTROPHIC.
    pub tornado_damage_threat: Option<String>,
    /// CONSIDERABLE or DESTRUCTIVE.
    pub thunderstorm_damage_threat: Option<String>,
    /// RADAR INDICATED or OBSERVED.
    pub flash_flood_detection: Option<String>,
    /// CONSIDERABLE or CATASTROPHIC.
    pub flash_flood_damage_threat: Option<String>,
    /// RADAR INDICATED or OBSERVED.
    pub hail_threat: Option<String>,
    /// RADAR INDICATED or OBSERVED.
    pub wind_threat: Option<String>,
    /// Largest hail, inches.
    pub max_hail_size_in: Option<f64>,
    /// Strongest gust, miles per hour.
    pub max_wind_gust_mph: Option<f64>,
}

/// Storm motion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Motion {
    /// When the storm was at `storm_cells`, UTC.
    pub at_utc: String,
    /// Where it comes from, degrees.
    pub from_deg: i64,
    /// Where it heads, degrees.
    pub toward_deg: i64,
    /// The same as a compass name.
    pub toward_compass: String,
    /// Speed, knots.
    pub speed_kt: i64,
    /// One position is a cell, two or more are a line.
    pub storm_cells: Vec<Point>,
}

/// A watch that holds the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ActiveWatch {
    /// Event name.
    pub event: String,
    /// `in_effect`, or `coming` before its onset.
    #[schemars(extend("enum" = ["in_effect", "coming"]))]
    pub phase: String,
    /// When the watch ends (not its message), UTC.
    pub expires_utc: Option<String>,
    /// Headline.
    pub headline: Option<String>,
    /// P-VTEC strings as facts.
    pub vtec: Vec<String>,
}

fn coordinates_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["array", "null"], "description": "GeoJSON coordinates ([lon, lat] pairs), or null."})
}

/// Warnings within `radius_km` (clamped) of `place` and watches at it, as of `now`.
pub fn active_warnings(picture: &Picture, place: LatLon, radius_km: f64, now: Timestamp) -> Envelope<ActiveWarnings> {
    let radius_km = radius_km.clamp(RADIUS_KM.0, RADIUS_KM.1);
    let zones = zones_of(picture, place);
    let sights = picture.warnings.around(place, zones, radius_km, now);
    let feed = WarningsSight::of(picture, now);
    answer(place, radius_km, &sights, Feed { sight: feed, zones_known: zones.is_some(), now })
}

/// How much of what should be seen is seen.
#[derive(Debug, Clone, Copy)]
struct Feed {
    sight: WarningsSight,
    zones_known: bool,
    now: Timestamp,
}

fn answer(place: LatLon, radius_km: f64, sights: &[WarningSight], feed: Feed) -> Envelope<ActiveWarnings> {
    let listed = listed(sights);
    let warnings: Vec<ActiveWarning> = listed.iter().copied().map(active_warning).collect();
    let watches_at_point: Vec<ActiveWatch> = sights
        .iter()
        .filter(|sight| sight.matched != Match::Outside && WATCH_EVENTS.contains(&sight.warning.event.as_str()))
        .map(active_watch)
        .collect();
    let mut counts = BTreeMap::new();
    for warning in &warnings {
        *counts.entry(warning.event.clone()).or_insert(0) += 1;
    }
    let mut degraded: Vec<String> = Vec::new();
    if feed.sight.is_blind() {
        degraded.extend(WARNING_IDS.map(String::from));
    } else if !feed.zones_known {
        degraded.push(ZONES_ID.into());
    }
    let data = ActiveWarnings {
        point: place.into(),
        radius_km,
        point_inside_warning: warnings.iter().any(|warning| warning.point_inside),
        counts,
        warnings,
        watches_at_point,
    };
    let interpretation = words::interpret(&data, &listed, feed);
    Envelope::new(data, interpretation, degraded)
}

fn is_warning(sight: &WarningSight) -> bool {
    WARNING_EVENTS.contains(&sight.warning.event.as_str())
}

/// The warnings as they are told: those that hold the point with the gravest first, then the others as they come.
fn listed(sights: &[WarningSight]) -> Vec<&WarningSight> {
    let (mut inside, outside): (Vec<&WarningSight>, Vec<&WarningSight>) =
        sights.iter().filter(|sight| is_warning(sight)).partition(|sight| sight.matched != Match::Outside);
    inside.sort_by_key(|sight| lightness(sight));
    inside.extend(outside);
    inside
}

/// Where a warning that holds the point stands among the others that do: the least is the gravest. What is in effect comes
/// before what has not begun, an emergency before all other, then the kind of event, then the damage that is threatened.
fn lightness(sight: &WarningSight) -> (bool, bool, usize, bool) {
    const GRAVEST_FIRST: [&str; 4] =
        ["Tornado Warning", "Extreme Wind Warning", "Severe Thunderstorm Warning", "Flash Flood Warning"];
    let tags = &sight.warning.tags;
    let threats = [&tags.tornado_damage_threat, &tags.flash_flood_damage_threat, &tags.thunderstorm_damage_threat];
    let is_emergency = threats.iter().any(|tag| tag.as_deref() == Some("CATASTROPHIC"));
    let is_tagged = threats.iter().any(|tag| tag.is_some());
    let event = GRAVEST_FIRST.iter().position(|event| *event == sight.warning.event).unwrap_or(GRAVEST_FIRST.len());
    (sight.phase == Phase::Coming, !is_emergency, event, !is_tagged)
}

fn active_warning(sight: &WarningSight) -> ActiveWarning {
    let warning = &sight.warning;
    let inside = sight.matched != Match::Outside;
    let toward = sight.approach.filter(|approach| approach.toward && !inside);
    let bearing_deg = sight.bearing_deg.filter(|_| !inside);
    ActiveWarning {
        id: warning.id.clone(),
        incident: sight.key.0.clone(),
        event: warning.event.clone(),
        severity: warning.severity.clone(),
        certainty: warning.certainty.clone(),
        headline: warning.headline.clone(),
        area_desc: warning.area_desc.clone(),
        sender: warning.sender.clone(),
        phase: phase_word(sight.phase).into(),
        effective_utc: warning.effective_utc.map(utc),
        onset_utc: warning.onset_utc.map(utc),
        expires_utc: warning.expires_utc.map(utc),
        ends_utc: warning.ends_utc.map(utc),
        message_type: warning.message_type.clone(),
        vtec: warning.vtec.iter().map(vtec_words).collect(),
        point_inside: inside,
        distance_km: sight.distance_km.map(round_1dp),
        bearing_deg: bearing_deg.map(|bearing| bearing.round() as i64),
        direction: bearing_deg.map(|bearing| compass(bearing).into()),
        arrival_min: toward.map(|approach| approach.minutes.round() as i64),
        passes_km: toward.map(|approach| round_1dp(approach.passes_km)),
        ibw_tags: ibw_tags(&warning.tags),
        storm_motion: warning.motion.as_ref().map(motion),
        polygon_lonlat: warning.area.as_ref().map_or(Value::Null, coordinates),
        scope: (sight.matched == Match::Zone).then(|| "zone".into()),
    }
}

fn active_watch(sight: &WarningSight) -> ActiveWatch {
    ActiveWatch {
        event: sight.warning.event.clone(),
        phase: phase_word(sight.phase).into(),
        expires_utc: sight.until_utc.map(utc),
        headline: sight.warning.headline.clone(),
        vtec: sight.warning.vtec.iter().map(vtec_words).collect(),
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Coming => "coming",
        Phase::InEffect => "in_effect",
    }
}

fn vtec_words(vtec: &Vtec) -> String {
    format!("{}.{}.{}.{}.{}.{:04}", vtec.class, vtec.action, vtec.office, vtec.phenomenon, vtec.significance, vtec.etn)
}

fn ibw_tags(tags: &Tags) -> IbwTags {
    IbwTags {
        tornado_detection: tags.tornado_detection.clone(),
        tornado_damage_threat: tags.tornado_damage_threat.clone(),
        thunderstorm_damage_threat: tags.thunderstorm_damage_threat.clone(),
        flash_flood_detection: tags.flash_flood_detection.clone(),
        flash_flood_damage_threat: tags.flash_flood_damage_threat.clone(),
        hail_threat: tags.hail_threat.clone(),
        wind_threat: tags.wind_threat.clone(),
        max_hail_size_in: tags.max_hail_size_in,
        max_wind_gust_mph: tags.max_wind_gust_mph,
    }
}

fn motion(motion: &StormMotion) -> Motion {
    let toward_deg = (motion.from_deg + 180.0).rem_euclid(360.0);
    Motion {
        at_utc: utc(motion.at_utc),
        from_deg: motion.from_deg.round() as i64,
        toward_deg: toward_deg.round() as i64 % 360,
        toward_compass: compass(toward_deg).into(),
        speed_kt: motion.speed_kt.round() as i64,
        storm_cells: motion.cells.iter().map(|&cell| cell.into()).collect(),
    }
}

/// One polygon as GeoJSON `Polygon` coordinates, several as `MultiPolygon` ones.
fn coordinates(area: &Area) -> Value {
    match area.rings_lonlat() {
        [] => Value::Null,
        [polygon] => json!(polygon),
        polygons => json!(polygons),
    }
}

#[cfg(test)]
mod tests;
