//! The severe-weather tools, called: what is asked of the desk for each, and which pure function answers.
//!
//! Boundaries: ✓ arguments to questions, questions to answers. ✗ no facts of its own (see `severe`).

use super::args::{
    BriefArgs, HistoricalArgs, LightningArgs, MrmsArgs, OutlookArgs, Picture as Drawn, PointArgs, ReportsArgs,
    WarningsArgs,
};
use super::{ToolError, arguments, place, severe};
use crate::geo::LatLon;
use crate::ground::time_zone;
use crate::mcp::door::{Door, result};
use crate::mcp::judgement::Judgement;
use crate::observation::{
    GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, NWS_ZONES, RAP_PROFILES, SPC_MESOSCALE, SPC_OUTLOOKS, SourceName,
};
use crate::outside::compute;
use crate::plot::{self, Extent, MapPlot, MapPoint};
use crate::storm_report::EventWindow;
use crate::threat::evidence::profile_for;
use crate::threat::picture::Picture;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

/// What the map of a brief shows around the point, km.
const MAP_RADIUS_KM: f64 = 100.0;

/// What a judgement looks at.
pub const ALL_SOURCES: [SourceName; 8] =
    [NWS_WARNINGS, NWS_ZONES, MRMS, SPC_OUTLOOKS, SPC_MESOSCALE, IEM_REPORTS, GOES_GLM, RAP_PROFILES];

/// Calls a severe-weather tool; `None` when there is none of that name.
pub async fn severe(door: &Door, name: &str, given: Option<JsonObject>) -> Option<Result<CallToolResult, ToolError>> {
    Some(match name {
        "get_active_warnings" => active_warnings(door, given).await,
        "get_spc_outlook" => spc_outlook(door, given).await,
        "get_point_environment" => point_environment(door, given).await,
        "get_environment_trend" => environment_trend(door, given).await,
        "get_mrms_severe" => mrms_severe(door, given).await,
        "get_lightning" => lightning(door, given).await,
        "get_storm_reports" => storm_reports(door, given).await,
        "get_historical_storm_reports" => historical_storm_reports(door, given).await,
        "get_threat_brief" => threat_brief(door, given).await,
        "get_radar_snapshot" => radar_snapshot(door, given).await,
        _ => return None,
    })
}

async fn active_warnings(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: WarningsArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[NWS_WARNINGS, NWS_ZONES]).await;
    Ok(result(severe::active_warnings(&picture, at, args.radius_km, door.desk.now())))
}

async fn spc_outlook(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: OutlookArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let day = u8::try_from(args.day).ok().filter(|day| (1..=8).contains(day));
    let day = day.ok_or_else(|| ToolError::Argument {
        field: "day".into(),
        why: format!("{} is none: 1 (today), 2 or 3, or 4 to 8 for probabilities alone", args.day),
    })?;
    let picture = door.desk.picture_for(at, &[SPC_OUTLOOKS, SPC_MESOSCALE]).await;
    Ok(result(severe::spc_outlook(&picture, at, day, door.desk.now())))
}

async fn point_environment(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: PointArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[RAP_PROFILES]).await;
    Ok(result(severe::point_environment(&picture, at, door.desk.now())))
}

async fn environment_trend(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: PointArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[RAP_PROFILES]).await;
    Ok(result(severe::environment_trend(&picture, at, door.desk.now())))
}

async fn mrms_severe(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: MrmsArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[MRMS]).await;
    Ok(result(severe::mrms_severe(&picture, at, args.radius_km, door.desk.now())))
}

async fn lightning(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: LightningArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[GOES_GLM]).await;
    Ok(result(severe::lightning(&picture, at, args.radius_km, args.minutes, door.desk.now())))
}

/// From the nation's reports where they reach back far enough, else from the archive, else from what there is.
async fn storm_reports(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: ReportsArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &[IEM_REPORTS]).await;
    let now = door.desk.now();
    let answer = |reports| result(severe::storm_reports(reports, at, args.radius_km, args.hours, now));
    if let Some(held) = severe::reports::held_reports(&picture, args.hours, now) {
        return Ok(answer(Some(held)));
    }
    let window = severe::reports::recent(args.hours, now);
    let found = archive(door, at, args.radius_km, severe::reports::RADIUS_KM, window).await;
    Ok(answer(found.as_ref().or(picture.reports.as_deref())))
}

async fn historical_storm_reports(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: HistoricalArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let zone = if args.local_day { zone_of(at)? } else { TimeZone::UTC };
    let now = door.desk.now();
    let day = severe::reports::PastDay::parse(&args.date, zone, now)
        .map_err(|why| ToolError::Argument { field: "date".into(), why })?;
    let found = archive(door, at, args.radius_km, severe::reports::HISTORICAL_RADIUS_KM, day.window).await;
    Ok(result(severe::historical_storm_reports(found.as_ref(), at, args.radius_km, &day, now)))
}

async fn archive(
    door: &Door,
    at: LatLon,
    radius_km: f64,
    limits: (f64, f64),
    window: EventWindow,
) -> Option<crate::storm_report::StormReports> {
    match door.desk.past_reports(at, radius_km.clamp(limits.0, limits.1), window).await {
        Ok((reports, _)) => Some(reports),
        Err(error) => {
            tracing::warn!(%error, "the archive of storm reports gave no answer");
            None
        }
    }
}

/// The rules of a place's clock.
fn zone_of(at: LatLon) -> Result<TimeZone, ToolError> {
    let zone = time_zone(at).and_then(|name| TimeZone::get(name).ok());
    zone.ok_or_else(|| ToolError::Argument {
        field: "local_day".into(),
        why: "no time zone is known of this point; leave it out for the UTC day".into(),
    })
}

async fn threat_brief(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: BriefArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let picture = door.desk.picture_for(at, &ALL_SOURCES).await;
    let now = door.desk.now();
    let judgement = (door.judge)(&picture, at, now);
    let mut told = result(severe::threat_brief(&picture, at, &judgement, now));
    let drawn = compute(|| match args.picture {
        Drawn::None => None,
        Drawn::Map => Some(map(&picture, at, &judgement, now)),
        Drawn::Sounding => Some(match profile_for(&picture, &at.key_4dp(), now) {
            Ok(profile) => plot::profile(profile, now).map_err(|error| error.to_string()),
            Err(_) => Err("no model profile covers this point at present".to_owned()),
        }),
    });
    told.content.extend(drawn.map(|drawn| match drawn {
        Ok(png) => ContentBlock::image(BASE64_STANDARD.encode(png), "image/png"),
        Err(why) => ContentBlock::text(format!("There is no picture: {why}.")),
    }));
    Ok(told)
}

/// The map around a point, with the point on it.
fn map(picture: &Picture, at: LatLon, judgement: &Judgement, now: Timestamp) -> Result<Vec<u8>, String> {
    let assessment = &judgement.assessment;
    let point = MapPoint {
        name: "here".to_owned(),
        at,
        level: Some(assessment.level),
        is_blind: assessment.blind_spots.iter().any(|spot| spot.could_raise_to > assessment.level),
    };
    let extent = Extent::Around { place: at, radius_km: MAP_RADIUS_KM };
    plot::map(&MapPlot { picture, points: &[point], extent, now }).map_err(|error| error.to_string())
}

async fn radar_snapshot(door: &Door, given: Option<JsonObject>) -> Result<CallToolResult, ToolError> {
    let args: PointArgs = arguments(given)?;
    let at = place(args.lat, args.lon)?;
    let found = door.desk.radar(at).await;
    let now = door.desk.now();
    Ok(result(match &found {
        Ok(found) => severe::radar_snapshot(Some(&found.snapshot), &found.faults, at, now),
        Err(none) => severe::radar_snapshot(None, &none.faults, at, now),
    }))
}
