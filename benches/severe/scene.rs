//! The recordings as one busy picture: everything that the program can hear, fresh, at one instant.

use super::{recorded, shared};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use stormbell::decode::spc::LayerKind;
use stormbell::decode::{glm, lsr, mrms, nws, rap, spc};
use stormbell::geo::{CONUS_LAT_DEG, CONUS_LON_DEG, LatLon};
use stormbell::lightning::{Granule, Satellite};
use stormbell::mosaic::{Mosaic, Product};
use stormbell::observation::{
    GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, Observation, PlaceZones, Report, SPC_OUTLOOKS, SourceName,
};
use stormbell::outlook::{Hazard, HazardOutlook, Layer, OutlookSet, Outlooks};
use stormbell::profile::ModelProfile;
use stormbell::storm_report::{StormReport, StormReports};
use stormbell::threat::picture::Picture;

/// Granules of half an hour of one satellite.
const GRANULES: i64 = 90;
/// Flashes of one granule: a busy evening.
const FLASHES: usize = 400;
/// Storm reports of an outbreak's day.
const REPORTS: usize = 1_500;

/// Made-up numbers, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// A picture, its instant, and what comes next.
pub struct Scene {
    pub now: Timestamp,
    pub picture: Picture,
    /// The granules that both satellites publish next.
    pub next_granules: Report,
    /// The next poll of storm reports: one more than before.
    pub next_reports: Report,
    profile: Arc<ModelProfile>,
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

fn report(source: SourceName, polled_utc: Timestamp, observations: Vec<Observation>) -> Report {
    Report { source, polled_utc, good: true, observations, faults: Vec::new() }
}

impl Scene {
    pub fn build() -> Self {
        let alerts = nws::collection(&recorded("nws-alerts/active_aq20260715_open.reconstructed.json")).unwrap();
        let (snapshot, _) = alerts.into_faults();
        let now = snapshot.updated_utc.expect("the collection tells its time") + seconds(30);
        println!("  {} warnings; as of {now}", snapshot.warnings.len());
        let mut picture = Picture::default();
        picture.take(&report(NWS_WARNINGS, now, vec![Observation::Warnings(Arc::new(snapshot))]));
        picture.take(&report(MRMS, now, mosaics(now - seconds(120))));
        picture.take(&report(SPC_OUTLOOKS, now, vec![Observation::Outlooks(Arc::new(outlooks(now)))]));
        let reports = storm_reports(now, REPORTS);
        let more = storm_reports(now, REPORTS + 1);
        picture.take(&report(IEM_REPORTS, now, vec![Observation::StormReports(Arc::new(reports))]));
        let flashes = granules();
        for number in (1..=GRANULES).rev() {
            picture.take(&report(GOES_GLM, now, next(&flashes, now, number)));
        }
        let held: usize = picture.lightning.granules(Satellite::East).map(|granule| granule.flashes.len()).sum();
        let pixels: usize = flashes.iter().flat_map(|granule| &granule.flashes).map(|flash| flash.lit().count()).sum();
        let own: usize = flashes.iter().map(|granule| granule.flashes.len()).sum();
        println!(
            "  {} granules a satellite with {held} flashes of {:.0} pixels; {REPORTS} storm reports",
            picture.lightning.granules(Satellite::East).count(),
            pixels as f64 / own as f64
        );
        Self {
            now,
            next_granules: report(GOES_GLM, now, next(&flashes, now, 0)),
            next_reports: report(IEM_REPORTS, now, vec![Observation::StormReports(Arc::new(more))]),
            profile: Arc::new(profile(now)),
            picture,
        }
    }

    /// What is known of these places: zones, and a profile of the air.
    pub fn get_to_know(&mut self, places: &[LatLon]) {
        let zones = |&place: &LatLon| {
            let ugc = vec!["KSC001".to_owned(), "KSZ001".to_owned()];
            let zones = PlaceZones { place, ugc, time_zone: None, learned_utc: self.now };
            (place.key_4dp(), Arc::new(zones))
        };
        self.picture.zones = Arc::new(places.iter().map(zones).collect());
        let hours: BTreeMap<_, _> = [(self.profile.forecast_hour, Arc::clone(&self.profile))].into();
        self.picture.profiles = Arc::new(places.iter().map(|place| (place.key_4dp(), hours.clone())).collect());
    }

    /// Places within 30 km of a flash.
    pub fn places_near_flashes(&self, count: usize) -> Vec<LatLon> {
        let mut random = Random(3);
        let granules: Vec<&Arc<Granule>> = self.picture.lightning.granules(Satellite::East).collect();
        let over_land = |at: &LatLon| {
            (CONUS_LAT_DEG.0..CONUS_LAT_DEG.1).contains(&at.lat())
                && (CONUS_LON_DEG.0..CONUS_LON_DEG.1).contains(&at.lon())
        };
        let flashes: Vec<LatLon> =
            granules.iter().flat_map(|granule| &granule.flashes).filter_map(|flash| flash.centroid()).collect();
        let flashes: Vec<LatLon> = flashes.into_iter().filter(over_land).collect();
        println!("  {} flashes over the continental US", flashes.len());
        (0..count)
            .map(|_| {
                let flash = flashes[random.between(0.0, flashes.len() as f64) as usize];
                flash.travel(random.between(0.0, 360.0), random.between(0.0, 30.0))
            })
            .collect()
    }
}

pub fn places_over_conus(seed: u64, count: usize) -> Vec<LatLon> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let lat = random.between(CONUS_LAT_DEG.0, CONUS_LAT_DEG.1);
            LatLon::new(lat, random.between(CONUS_LON_DEG.0, CONUS_LON_DEG.1)).unwrap()
        })
        .collect()
}

/// Two recorded fields as the five products.
fn mosaics(valid_utc: Timestamp) -> Vec<Observation> {
    let read = |name: &str| mrms::field(name, &recorded(&format!("mrms/{name}"))).unwrap().cells;
    let hail = read("mrms_mesh_sample.grib2.gz");
    let rotation = read("mrms_rotationtrackml60min_sample.grib2.gz");
    let mosaic = |product| {
        let cells = match product {
            Product::RotationTrackMl60min | Product::RotationTrackLl60min => rotation.clone(),
            Product::MeshMax60min | Product::Vil | Product::CompositeReflectivity => hail.clone(),
        };
        Observation::Mosaic(Arc::new(Mosaic { product, valid_utc, key: product.id().to_owned(), cells }))
    };
    Product::ALL.map(mosaic).to_vec()
}

fn outlooks(now: Timestamp) -> Outlooks {
    let layer = |name: &str, kind| spc::layer(&recorded(&format!("spc/{name}")), kind).unwrap();
    let chances = |hazard| HazardOutlook {
        hazard,
        probability: Layer::Known(layer("spc_day1_torn.geojson", LayerKind::Hazard).areas),
        intensity: Layer::Known(layer("spc_day1_cigtorn.geojson", LayerKind::Hazard).areas),
    };
    let set = OutlookSet {
        day: 1,
        valid_utc: now - seconds(7_200),
        expire_utc: now + seconds(36_000),
        issue_utc: Some(now - seconds(7_200)),
        forecaster: None,
        categorical: Some(layer("spc_day1_cat.geojson", LayerKind::Categorical).categories),
        categorical_unread: 0,
        hazards: Hazard::of_day(1).iter().copied().map(chances).collect(),
        url: "https://www.spc.noaa.gov/".to_owned(),
        read_utc: now,
    };
    let mut outlooks = Outlooks::default();
    outlooks.put(Arc::new(set), now);
    outlooks.days.entry(1).or_default().confirmed_utc = Some(now);
    outlooks
}

/// The recorded reports, again and again with their places strewn, over the last hours.
fn storm_reports(now: Timestamp, count: usize) -> StormReports {
    let read = lsr::reports(&recorded("lsr/iem_lsr_sample.geojson"), now).unwrap().reports;
    let mut random = Random(4);
    let strewn = (0..count).map(|number| {
        let told = &read[number % read.len()];
        let at = told.at.travel(random.between(0.0, 360.0), random.between(0.0, 600.0));
        let event_utc = now - seconds(60 + number as i64 * 10);
        StormReport { at, event_utc, issued_utc: Some(event_utc + seconds(300)), ..told.clone() }
    });
    StormReports {
        reports: strewn.collect(),
        from_utc: now - seconds(86_400),
        to_utc: now,
        read_utc: now,
        unread: 0,
        is_cut: false,
        url: "https://mesonet.agron.iastate.edu/".to_owned(),
    }
}

/// Every recorded granule with enough flashes, cut to the same number.
fn granules() -> Vec<Granule> {
    let mut names: Vec<String> = std::fs::read_dir(shared("data/recorded/glm"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".nc"))
        .collect();
    names.sort();
    let read = names.iter().filter_map(|name| glm::granule(name, &recorded(&format!("glm/{name}"))).ok());
    let mut granules: Vec<Granule> =
        read.map(|(granule, _)| granule).filter(|g| g.flashes.len() >= FLASHES / 2).collect();
    granules.iter_mut().for_each(|granule| granule.flashes.truncate(FLASHES));
    assert!(!granules.is_empty());
    granules
}

/// The granules of both satellites that began `number` granules ago.
fn next(recorded: &[Granule], now: Timestamp, number: i64) -> Vec<Observation> {
    let end_utc = now - seconds(20 * number + 1);
    let source = &recorded[number as usize % recorded.len()];
    let granule = |satellite: Satellite| {
        Observation::Granule(Arc::new(Granule {
            satellite,
            key: format!("{} {number}", satellite.name()),
            start_utc: end_utc - seconds(20),
            end_utc,
            ..source.clone()
        }))
    };
    Satellite::ALL.map(granule).to_vec()
}

/// The air over Moore as of this hour.
fn profile(now: Timestamp) -> ModelProfile {
    let moore = LatLon::new(35.34, -97.49).unwrap();
    let read = rap::profiles(&recorded("model/rap_subset_moore.grib2"), "moore", &[moore]).unwrap();
    let profile = read.each.into_iter().next().unwrap().1.unwrap();
    let valid_utc = now - seconds(1_800);
    ModelProfile { valid_utc, cycle_utc: valid_utc - seconds(3_600 * i64::from(profile.forecast_hour)), ..profile }
}
