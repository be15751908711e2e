//! `stormbell map`: what is seen now, or was at an instant of a recorded day, as a picture.
//!
//! Boundaries: ✓ which watch points, which place, where the picture goes. ✗ no drawing (see `plot`), no judgement of its own.

use crate::app::{self, Setup};
use crate::cli::answers::Ask;
use crate::cli::args::{MapArgs, named};
use crate::cli::fail::Failure;
use crate::cli::parse::NamedPlace;
use crate::cli::{fail, paper};
use crate::geo::LatLon;
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, SPC_OUTLOOKS};
use crate::plot::{self, Extent, MAP_SIZE, MapPlot, MapPoint};
use crate::threat::assess::assess;
use crate::threat::picture::Picture;
use crate::threat::{BlindSpot, Level};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Most places of `--watch`: each may have to be waited for.
const WATCHES_MAX: usize = 20;

/// Draws and writes the map.
///
/// # Errors
/// A recorded day or a store that cannot be used, or a picture that cannot be written.
pub fn run(setup: &Setup, args: &MapArgs, json: bool) -> Result<(), Failure> {
    paper::check(&args.png)?;
    if args.watch.len() > WATCHES_MAX {
        return Err(Failure::usage(format!("--watch: at most {WATCHES_MAX} places"), "watch add keeps more of them"));
    }
    // A recorded day has nothing to do with the points of the live service, unless a store is named.
    let from_store = args.archive.is_none() || setup.data_dir.is_some();
    let mut points = if from_store { stored(setup)? } else { Vec::new() };
    if args.radius_km.clamped {
        fail::complain(&format!("note: --radius-km is held to {} km", args.radius_km.km));
    }
    let around = args.place.as_deref().map(named).transpose()?.or(args.around);
    let extent = match around {
        Some(place) => Extent::Around { place, radius_km: args.radius_km.km },
        None => Extent::Conus,
    };
    // Judging a place needs all evidence, the map itself five kinds.
    let shown = [NWS_WARNINGS, MRMS, SPC_OUTLOOKS, IEM_REPORTS, GOES_GLM];
    let wanted = args.watch.is_empty().then_some(&shown[..]);
    let mut places: Vec<LatLon> = args.watch.iter().map(|watch| watch.at).collect();
    if places.is_empty() {
        places = extent.lookouts().into_iter().map(|(place, _)| place).collect();
    }
    let (picture, now) = app::look(setup, &places, wanted, args.archive.clone().zip(args.at))?;
    // The recorded day's clock has gone on while sources were asked; the map is of the instant asked for.
    let now = args.at.unwrap_or(now);
    points.extend(args.watch.iter().map(|watch| judged(&picture, watch, now)));

    let png = plot::map(&MapPlot { picture: &picture, points: &points, extent, now })?;
    paper::write(&args.png, &png)?;
    paper::tell(&args.png, &png, MAP_SIZE, facts(&picture, &points, extent, now), json);
    Ok(())
}

fn judged(picture: &Picture, watch: &NamedPlace, now: Timestamp) -> MapPoint {
    let assessment = assess(picture, watch.at, now);
    let could_be_higher = |spot: &BlindSpot| spot.could_raise_to > assessment.level;
    MapPoint {
        name: watch.name.clone(),
        at: watch.at,
        level: Some(assessment.level),
        is_blind: assessment.blind_spots.iter().any(could_be_higher),
    }
}

/// The watch points of the store with the levels that stand there; none where there is no store yet.
fn stored(setup: &Setup) -> Result<Vec<MapPoint>, Failure> {
    let answer = match super::ask_store(setup, &Ask::WatchList) {
        Err(failure) if failure.kind == "no_store" => return Ok(Vec::new()),
        other => other?,
    };
    let rows = answer["points"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(rows.iter().filter_map(point).collect())
}

/// A row of `watch list`.
fn point(row: &Value) -> Option<MapPoint> {
    let level_of = |value: &Value| value.as_str()?.parse::<Level>().ok();
    let level = level_of(&row["level"]);
    let spots = row["blind_spots"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(MapPoint {
        name: row["name"].as_str()?.to_owned(),
        at: LatLon::new(row["lat"].as_f64()?, row["lon"].as_f64()?).ok()?,
        level,
        is_blind: spots.iter().any(|spot| level_of(&spot["could_raise_to"]) > level),
    })
}

fn facts(picture: &Picture, points: &[MapPoint], extent: Extent, now: Timestamp) -> Value {
    let seen = plot::seen(picture, extent, now);
    json!({
        "valid_utc": format!("{now:.0}"),
        "warnings": seen.warnings.len(),
        "products_without_polygon": seen.without_polygon,
        "flashes_until_utc": seen.flashes_until_utc.map(|until| format!("{until:.0}")),
        "storm_reports": seen.reports.len(),
        "outlook_valid_utc": seen.outlook.as_ref().map(|set| set.valid_utc),
        "mosaics": seen.mosaics.iter().map(|m| json!({"product": m.product.id(), "valid_utc": m.valid_utc})).collect::<Vec<_>>(),
        "watch_points": points.iter().map(|p| json!({"name": p.name, "level": p.level, "told": p.level_words()})).collect::<Vec<_>>(),
        "not_seen": seen.unseen.iter().map(|u| json!({"what": u.what, "why": u.why})).collect::<Vec<_>>(),
    })
}
