//! The field's own types for what the invented weather holds.

use super::{KINDS, Kind, TrueEcho, at, place};
use std::sync::Arc;
use stormbell::geo::{Area, LatLon};
use stormbell::mosaic::{Grid, Mosaic, Product};
use stormbell::observation::Observation;
use stormbell::outlook::{Category as Risk, CategoryArea, Hazard, HazardAreas, HazardOutlook, Layer, OutlookSet};
use stormbell::profile::{ModelProfile, ModelReported};
use stormbell::sounding::{Column, Environment, Level as Air};
use stormbell::warning::Warning;

pub fn product(number: usize, kind: usize, action: &str, issued: i64, (sent, end): (i64, i64)) -> Warning {
    let Kind { event, vtec, tornado, damage, km, .. } = KINDS[kind];
    let mut warning = Warning::bare(event, at(issued));
    warning.id = format!("{number}-{action}");
    // The office numbers its events; those of the rest of the nation are another's.
    let office = if number < 100 { "KXXX" } else { "KYYY" };
    let time = |minute: i64| at(minute).strftime("%y%m%dT%H%MZ").to_string();
    let code = format!("/O.{action}.{office}.{vtec}.{:04}.{}-{}/", number + 1, time(sent), time(end));
    warning.vtec = vec![code.parse().unwrap()];
    (warning.onset_utc, warning.ends_utc, warning.expires_utc) = (Some(at(sent)), Some(at(end)), Some(at(end)));
    warning.tags.tornado_detection = tornado.map(str::to_owned);
    warning.tags.thunderstorm_damage_threat = damage.map(str::to_owned);
    match action {
        "CON" => (warning.message_type, warning.references) = ("Update".into(), vec![format!("{number}-NEW")]),
        "CAN" => (warning.urgency, warning.response) = ("Past".into(), "AllClear".into()),
        _ => {}
    }
    if number >= 100 {
        warning.area = Some(square(LatLon::new(45.0, -90.0 - number as f64 / 10.0).unwrap()));
    } else if let Some(km) = km {
        // The squares reach 9 km to each side.
        warning.area = Some(square(if km == 0.0 { place() } else { place().travel(270.0, km + 8.8) }));
    } else {
        warning.ugc = vec!["KSC001".into()];
    }
    warning
}

fn square(centre: LatLon) -> Area {
    let ring = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1]];
    Area::from(vec![vec![ring.map(|[x, y]| [centre.lon() + x, centre.lat() + y]).to_vec()]])
}

pub fn mosaic(product: Product, valid: i64, echoes: &[&TrueEcho], threshold: f64) -> Mosaic {
    let (lat_north_ndeg, lon_west_ndeg) = (38_600_000_000, -98_700_000_000);
    let grid = Grid { ni: 15, nj: 13, lat_north_ndeg, lon_west_ndeg, d_lat_ndeg: 100_000_000, d_lon_ndeg: 100_000_000 };
    let cells: Vec<_> = echoes
        .iter()
        .filter_map(|echo| Some((grid.cell_of(place().travel(20.0, echo.km))?, echo.share * threshold)))
        .collect();
    let nothing = if product == Product::CompositeReflectivity { -99.0 } else { 0.0 };
    let value = |row, column| {
        let here = cells.iter().filter(|(cell, _)| *cell == (row, column)).map(|(_, value)| *value);
        here.fold(nothing, f64::max)
    };
    Mosaic::from_values(product, at(valid), &format!("{} {valid}", product.id()), grid, value).unwrap()
}

/// The same mosaics as if no radar looked anywhere.
pub fn uncovered(observations: &[Observation]) -> Vec<Observation> {
    let blind = |mosaic: &Arc<Mosaic>| {
        let grid = *mosaic.cells.grid();
        let unknown = match mosaic.product {
            Product::CompositeReflectivity => -999.0,
            Product::RotationTrackMl60min | Product::RotationTrackLl60min => 0.0,
            Product::MeshMax60min | Product::Vil => -3.0,
        };
        Mosaic::from_values(mosaic.product, mosaic.valid_utc, &mosaic.key, grid, |_, _| unknown).unwrap()
    };
    let each = observations.iter().map(|observation| match observation {
        Observation::Mosaic(mosaic) => Observation::Mosaic(Arc::new(blind(mosaic))),
        other => other.clone(),
    });
    each.collect()
}

pub fn outlook(risk: Option<Risk>, valid: i64, expire: i64) -> OutlookSet {
    let ring = vec![[-110.0, 30.0], [-80.0, 30.0], [-80.0, 48.0], [-110.0, 48.0], [-110.0, 30.0]];
    let area = |category| CategoryArea { category, area: Area::from(vec![vec![ring.clone()]]) };
    let hazards = Hazard::of_day(1).iter().map(|&hazard| HazardOutlook {
        hazard,
        probability: Layer::Known(HazardAreas::default()),
        intensity: Layer::Known(HazardAreas::default()),
    });
    OutlookSet {
        day: 1,
        valid_utc: at(valid),
        expire_utc: at(expire),
        issue_utc: Some(at(valid - 60)),
        forecaster: None,
        categorical: Some(risk.map(area).into_iter().collect()),
        categorical_unread: 0,
        hazards: hazards.collect(),
        url: format!("day1 of {valid}"),
        read_utc: at(valid - 60),
    }
}

pub fn profile(valid: i64, stp: f64) -> ModelProfile {
    let level = |(pressure_hpa, height_msl_m)| Air {
        pressure_hpa,
        height_msl_m,
        temperature_c: 10.0,
        dew_point_c: None,
        wind: None,
    };
    let levels = [(950.0, 500.0), (900.0, 1000.0), (700.0, 3000.0), (500.0, 5600.0)];
    let (column, _) = Column::new(levels.map(level).to_vec()).unwrap();
    ModelProfile {
        model: "RAP 13 km".into(),
        cycle_utc: at(valid),
        valid_utc: at(valid),
        forecast_hour: 0,
        grid_point: place(),
        asked_place: place(),
        distance_km: 0.0,
        terrain_msl_m: 500.0,
        environment: Environment { stp_effective: Some(stp), ..Environment::default() },
        column,
        model_reported: ModelReported::default(),
        key: format!("rap {valid}"),
    }
}
