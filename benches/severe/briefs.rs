//! What a question costs, and what a new report costs with many watch points, with everything in memory.

use super::scene::{Scene, places_over_conus};
use super::{Peer, at, done, ms, times, verdict};
use jiff::SignedDuration;
use std::time::Duration;
use stormbell::app::judge;
use stormbell::clock::Stopwatch;
use stormbell::geo::LatLon;
use stormbell::lightning::Satellite;
use stormbell::mcp::tools::severe;
use stormbell::observation::Report;
use stormbell::threat::assess::judge_evidence;
use stormbell::threat::evidence::{Evidence, LIGHTNING_MINUTES, Memory};
use stormbell::threat::picture::Picture;
use stormbell::threat::rules::{LIGHTNING_SEEN_KM, REPORTS_SEEN_KM};

const COLD_PLACES: usize = 10_000;
const EVERY_FLASH_PLACES: usize = 300;
const WATCH_POINTS: usize = 100_000;
/// Target for a brief about a place never asked before.
const BRIEF_MS: f64 = 2.0;

pub fn all(peer: &Peer) {
    println!("\nA picture of everything, in memory");
    let mut scene = Scene::build();
    let conus = places_over_conus(1, COLD_PLACES);
    let near = scene.places_near_flashes(COLD_PLACES);
    let known: Vec<LatLon> = conus.iter().chain(&near).copied().collect();
    scene.get_to_know(&known);
    for (what, places) in [("over CONUS", &conus), ("within 30 km of a flash", &near)] {
        briefs(&scene, what, places, peer);
    }
    let points = places_over_conus(2, WATCH_POINTS);
    scene.get_to_know(&points);
    // Every point has been judged before: what it saw of everything but the news it remembers.
    let mut memories: Vec<Memory> = points.iter().map(|_| Memory::default()).collect();
    let first = judged(&scene, &scene.picture, &points, &mut memories);
    println!("  {WATCH_POINTS} watch points judged for the first time: {:.3} s", first.as_secs_f64());
    let again = (0..3).map(|_| judged(&scene, &scene.picture, &points, &mut memories)).min().unwrap();
    println!("  again without news: {:.3} s", again.as_secs_f64());
    for (what, news) in
        [("granule of each satellite", &scene.next_granules), ("poll of storm reports", &scene.next_reports)]
    {
        after(&scene, what, news, &points, &mut memories, again);
    }
}

fn brief(scene: &Scene, place: LatLon) -> String {
    let judgement = judge(&scene.picture, place, scene.now);
    serde_json::to_string(&severe::threat_brief(&scene.picture, place, &judgement, scene.now)).unwrap()
}

/// The nearest light by a look at every flash of the window whose centroid is in reach by its latitude.
fn every_flash(scene: &Scene, place: LatLon) -> Option<f64> {
    let since = scene.now - SignedDuration::from_mins(LIGHTNING_MINUTES);
    let granules =
        scene.picture.lightning.granules(Satellite::first_for(place)).filter(|granule| granule.end_utc > since);
    let flashes = granules.flat_map(|granule| &granule.flashes);
    let in_reach = flashes.filter(|flash| flash.centroid().is_some_and(|at| (at.lat() - place.lat()).abs() < 1.0));
    in_reach.flat_map(|flash| flash.lit().map(|at| place.distance_km(at))).reduce(f64::min)
}

/// The times of `work` for each place, sorted: of three rounds over all places the quickest, since what a neighbour on the
/// same processor takes is not ours. The places in between keep a round from profiting of the one before.
fn quickest_of_rounds(places: &[LatLon], work: impl Fn(LatLon)) -> Vec<Duration> {
    let round = || places.iter().map(|&place| times(1, |_| work(place))[0]).collect::<Vec<_>>();
    let rounds = [round(), round(), round()];
    let mut all: Vec<Duration> =
        (0..places.len()).map(|n| rounds.iter().map(|round| round[n]).min().unwrap()).collect();
    all.sort();
    all
}

fn briefs(scene: &Scene, what: &str, places: &[LatLon], peer: &Peer) {
    let answer = brief(scene, places[0]);
    // Everything is there: a blind spot here would mean that something costly is left out.
    assert!(answer.contains(r#""blind_spots":[]"#) || answer.contains("radar covers only"), "{answer}");
    let all = quickest_of_rounds(places, |place| done(brief(scene, place)));
    let p99 = ms(at(&all, 0.99));
    println!(
        "  brief for a place never asked before, {what}: median {:.3} ms, p99 {p99:.3} ms, most {:.3} ms",
        ms(at(&all, 0.5)),
        ms(at(&all, 1.0))
    );
    println!("    target: p99 <= {BRIEF_MS} ms: {}", verdict(p99 <= BRIEF_MS));
    let warm = peer.warm_ms("threat_brief_offline");
    println!("    the peer, warm: {warm:.0} ms, {:.0} times the median", warm / ms(at(&all, 0.5)));
    let (picture, now) = (&scene.picture, scene.now);
    let parts: [(&str, &dyn Fn(LatLon)); 5] = [
        ("lightning of 15 min within 40 km", &|place| {
            done(picture.lightning.seen_from(place, LIGHTNING_SEEN_KM, LIGHTNING_MINUTES, now));
        }),
        ("storm reports", &|place| {
            let reports = picture.reports.as_ref().unwrap();
            let all = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
            done(reports.within(place, REPORTS_SEEN_KM, all.0, all.1).len());
        }),
        ("warnings within 100 km", &|place| {
            done(picture.warnings.around(place, None, 100.0, now));
        }),
        ("outlook", &|place| {
            done(picture.outlooks.speaking(1, now).map(|set| set.at(place)));
        }),
        ("all evidence", &|place| {
            done(Evidence::gather(picture, place, now, &mut Memory::default()));
        }),
    ];
    let every = quickest_of_rounds(&places[..EVERY_FLASH_PLACES], |place| done(every_flash(scene, place)));
    println!("    bound: a look at every flash of 15 min: median {:.4} ms", ms(at(&every, 0.5)));
    for (part, work) in parts {
        let all = quickest_of_rounds(places, work);
        println!("    of that {part}: median {:.4} ms, p99 {:.4} ms", ms(at(&all, 0.5)), ms(at(&all, 0.99)));
    }
}

/// One judgement of every point, as synthesis does after every report.
fn judged(scene: &Scene, picture: &Picture, points: &[LatLon], memories: &mut [Memory]) -> Duration {
    let watch = Stopwatch::start();
    for (memory, &place) in memories.iter_mut().zip(points) {
        std::hint::black_box(judge_evidence(&Evidence::gather(picture, place, scene.now, memory), scene.now));
    }
    watch.elapsed()
}

fn after(scene: &Scene, what: &str, news: &Report, points: &[LatLon], memories: &mut [Memory], without: Duration) {
    let all: Vec<(Duration, Duration)> = (0..3)
        .map(|_| {
            // The picture goes on being read by doors: taking news in copies what is shared.
            let mut picture = scene.picture.clone();
            let watch = Stopwatch::start();
            picture.take(news);
            let taken = watch.elapsed();
            let judged = judged(scene, &picture, points, memories);
            // Back to what was known before, so that the news is news again.
            std::hint::black_box(self::judged(scene, &scene.picture, points, memories));
            (judged, taken)
        })
        .collect();
    let (judged, taken) = all.into_iter().min().unwrap();
    println!(
        "  after a new {what}: taken in {:.3} ms, {} points judged in {:.3} s, {:.2} x without news",
        ms(taken),
        points.len(),
        judged.as_secs_f64(),
        judged.as_secs_f64() / without.as_secs_f64()
    );
}
