//! The recorded day of 2026-06-10 as the sources of outlooks, mesoscale products and storm reports read it.

use crate::shared;
use std::sync::Arc;
use stormbell::clock::Clock;
use stormbell::geo::LatLon;
use stormbell::mcp::tools::severe::outlook::spc_outlook;
use stormbell::mcp::tools::severe::reports::{PastDay, held_reports, historical_storm_reports, storm_reports};
use stormbell::observation::Report;
use stormbell::outlook::{Category, Hazard, Intensity};
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::sources::{Ask, Source, iem_reports, spc_mesoscale, spc_outlooks};
use stormbell::threat::picture::Picture;

/// The way out at a virtual instant of that day.
fn outside(instant: &str) -> Option<Arc<dyn Outside>> {
    let archive = Arc::new(Archive::load(&shared::path("data/days/2026-06-10")?).unwrap());
    Some(Arc::new(ArchiveOutside::new(archive, Clock::starting_at(instant.parse().unwrap(), 1.0))))
}

async fn taken(picture: &mut Picture, source: &mut dyn Source, instant: &str) -> Report {
    let polled_utc = instant.parse().unwrap();
    let poll = source.poll(&Ask::default(), polled_utc).await.unwrap();
    let (good, observations, faults) = (poll.good, poll.observations, poll.faults);
    let report = Report { source: source.name(), polled_utc, good, observations, faults };
    picture.take(&report);
    report
}

const NOW: &str = "2026-06-10T21:15:00Z";

#[tokio::test(start_paused = true)]
async fn the_category_speaks_though_most_layers_are_missing() {
    let Some(outside) = outside(NOW) else { return };
    let mut source = spc_outlooks::open(spc_outlooks::Config::default(), outside);
    let mut picture = Picture::default();
    let report = taken(&mut picture, &mut source, NOW).await;
    assert!(report.good && report.faults.iter().any(|fault| fault.what.contains("404")), "{:?}", report.faults);
    let now = NOW.parse().unwrap();
    let unionville = LatLon::new(40.52, -92.90).unwrap();
    let set = picture.outlooks.speaking(1, now).unwrap();
    let here = set.at(unionville);
    assert_eq!(here.categorical, Some(Category::Enh));
    let tornado = here.hazard(Hazard::Tornado).unwrap();
    assert_eq!((tornado.probability_pct, tornado.conditional_intensity), (Some(10), Some(Intensity::Cig1)));
    let ids: Vec<String> = set.gaps().into_iter().map(|gap| gap.id()).collect();
    assert_eq!(ids, ["spc-wind", "spc-hail"]);
    let envelope = spc_outlook(&picture, unionville, 1, now);
    assert_eq!(envelope.data.valid_utc.as_deref(), Some("202606102000"));
    assert_eq!(envelope.data.categorical.unwrap().label, "ENH");
    let third = picture.outlooks.speaking(3, now).unwrap().at(LatLon::new(40.71, -74.0).unwrap());
    assert_eq!((third.categorical, third.hazard(Hazard::TotalSevere).unwrap().is_known), (Some(Category::Slgt), true));
    assert!(picture.outlooks.speaking(2, now).is_some() && picture.outlooks.speaking(4, now).is_none());
    println!("a report of all outlooks takes {} bytes", postcard::to_stdvec(&report).unwrap().len());
    let started = std::time::Instant::now();
    for step in 0..1_000 {
        let place = LatLon::new(30.0 + f64::from(step % 100) * 0.15, -105.0 + f64::from(step / 100) * 2.0).unwrap();
        assert_eq!(set.at(place).day, 1);
    }
    println!("one look-up in day 1 takes {:?} (unoptimised)", started.elapsed() / 1_000);
}

/// What a poll brought late does not replace what a later one saw, and what claims to be of the future is refused.
#[tokio::test(start_paused = true)]
async fn older_snapshots_replace_nothing() {
    let Some(outside) = outside(NOW) else { return };
    let mut picture = Picture::default();
    let mut source = iem_reports::open(iem_reports::Config::default(), outside);
    let first = taken(&mut picture, &mut source, NOW).await;
    taken(&mut picture, &mut source, "2026-06-10T21:16:00Z").await;
    let newest = picture.reports.clone().unwrap();
    picture.take(&first);
    assert_eq!(picture.reports.as_ref(), Some(&newest));
    let mut ahead = taken(&mut picture.clone(), &mut source, "2026-06-10T23:16:00Z").await;
    ahead.polled_utc = NOW.parse().unwrap();
    picture.take(&ahead);
    assert_eq!(picture.reports.as_ref(), Some(&newest));
}

#[tokio::test(start_paused = true)]
async fn the_reports_of_the_day_speak_and_the_absent_service_is_an_error() {
    let Some(outside) = outside(NOW) else { return };
    let now = NOW.parse().unwrap();
    let mut picture = Picture::default();
    let mut source = iem_reports::open(iem_reports::Config::default(), Arc::clone(&outside));
    let report = taken(&mut picture, &mut source, NOW).await;
    assert!(report.good && report.faults.is_empty());
    let unionville = LatLon::new(40.52, -92.90).unwrap();
    let envelope = storm_reports(held_reports(&picture, 2, now), unionville, 80.0, 2, now);
    assert_eq!(envelope.data.counts.unwrap().tornado, 3);
    assert!(envelope.degraded.is_empty() && envelope.interpretation.contains("dangerous"), "{envelope:?}");
    println!("a report of storm reports takes {} bytes", postcard::to_stdvec(&report).unwrap().len());
    let archive = iem_reports::open_archive(&iem_reports::Config::default(), Arc::clone(&outside));
    let dubuque = LatLon::new(42.5, -90.66).unwrap();
    let zone = jiff::tz::TimeZone::get("America/Chicago").unwrap();
    let day = PastDay::parse("2026-06-10", zone, now).unwrap();
    let (found, _) = archive.by_point(dubuque, 80.0, day.window, now).await.unwrap();
    let envelope = historical_storm_reports(Some(&found), dubuque, 80.0, &day, now);
    assert_eq!(envelope.data.counts.unwrap().wind, 29);
    let mut absent = spc_mesoscale::open(spc_mesoscale::Config::default(), outside);
    assert!(absent.poll(&Ask::default(), now).await.is_err(), "not recorded: never \"none in effect\"");
}
