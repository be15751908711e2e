//! One file of each source, against the library beneath or a plain parse.

use super::{Peer, at, done, ms, recorded, times};
use std::time::Duration;
use stormbell::decode::spc::LayerKind;
use stormbell::decode::{glm, rap, spc};
use stormbell::geo::LatLon;
use stormbell::sounding::environment;

/// Medians of several works taken in turns, so that a busy neighbour hits all alike.
fn in_turns(rounds: usize, works: &mut [&mut dyn FnMut()]) -> Vec<Duration> {
    let mut all: Vec<Vec<Duration>> = works.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (work, held) in works.iter_mut().zip(&mut all) {
            held.extend(times(1, |_| work()));
        }
    }
    all.iter_mut().for_each(|held| held.sort());
    all.iter().map(|held| at(held, 0.5)).collect()
}

fn line(what: &str, time: Duration, bound: Duration) {
    println!("  {what:<58} {:>9.3} ms  {:>6.2} x bound", ms(time), ms(time) / ms(bound));
}

fn against_peer(what: &str, peer_ms: f64, ours: Duration) {
    println!(
        "  {:<58} {peer_ms:>9.1} ms  ours is {:.0} times as fast",
        format!("the peer: {what}"),
        peer_ms / ms(ours)
    );
}

fn grib_crate(bytes: &[u8]) -> usize {
    let grib2 = grib::from_bytes(bytes).unwrap();
    let decoded = |(_, message)| grib::Grib2SubmessageDecoder::from(message).unwrap().dispatch().unwrap().count();
    grib2.iter().map(decoded).sum()
}

/// The RAP subset over Moore: fields to a column of air, and what it tells.
pub fn rap(peer: &Peer) {
    let bytes = recorded("model/rap_subset_moore.grib2");
    let moore = LatLon::new(35.34, -97.49).unwrap();
    let profile = || rap::profiles(&bytes, "moore", &[moore]).unwrap().each.remove(0).1.unwrap();
    let held = profile();
    println!("\nRAP subset over Moore: {} bytes, {} levels", bytes.len(), held.column.levels().len());
    let medians = in_turns(
        25,
        &mut [&mut || done(bytes.clone()), &mut || done(grib_crate(&bytes)), &mut || done(profile()), &mut || {
            done(environment(&held.column))
        }],
    );
    let [copy, bound, ours, air] = medians[..] else { return };
    line("copying the file", copy, bound);
    line("bound: the grib crate alone, every value of every field", bound, bound);
    line("ours: file to column of air and its environment", ours, bound);
    line("of that the environment", air, bound);
    against_peer("decode and environment, warm", peer.warm_ms("rap_decode_plus_environment"), ours);
    against_peer("environment alone, warm", peer.warm_ms("rap_environment"), air);
}

/// One granule of lightning.
pub fn glm(peer: &Peer) {
    const COLUMNS: [&str; 10] = [
        "flash_lat",
        "flash_lon",
        "flash_quality_flag",
        "flash_id",
        "flash_time_offset_of_first_event",
        "group_id",
        "group_parent_flash_id",
        "event_lat",
        "event_lon",
        "event_parent_group_id",
    ];
    let name = "goes_glm_lcfa_sample.nc";
    let bytes = recorded(&format!("glm/{name}"));
    let reader = || {
        let file = netcdf_reader::NcFile::from_bytes(&bytes).unwrap();
        COLUMNS.map(|column| file.read_variable_as_f64(column).unwrap().len()).iter().sum::<usize>()
    };
    let (granule, _) = glm::granule(name, &bytes).unwrap();
    println!("\nGLM granule: {} bytes, {} flashes, {} entries read", bytes.len(), granule.flashes.len(), reader());
    let medians = in_turns(25, &mut [&mut || done(reader()), &mut || done(glm::granule(name, &bytes).unwrap())]);
    let [bound, ours] = medians[..] else { return };
    line("bound: netcdf-reader alone, the same variables", bound, bound);
    line("ours: flashes with the pixels that they lit", ours, bound);
    against_peer("one granule, warm", peer.warm_ms("glm_granule_sample"), ours);
}

/// Two outlook layers, and what they say of a place.
pub fn spc(peer: &Peer) {
    let categorical = recorded("spc/spc_day1_cat.geojson");
    let tornado = recorded("spc/spc_day1_torn.geojson");
    let place = LatLon::new(40.52, -92.90).unwrap();
    let read = |bytes: &[u8], kind| spc::layer(bytes, kind).unwrap();
    let (areas, chances) = (read(&categorical, LayerKind::Categorical), read(&tornado, LayerKind::Hazard));
    let category = |layer: &spc::OutlookLayer| {
        layer.categories.iter().filter(|held| held.area.contains(place)).map(|held| held.category).max()
    };
    let chance = |layer: &spc::OutlookLayer| {
        layer.areas.probabilities.iter().filter(|(_, area)| area.contains(place)).map(|(percent, _)| *percent).max()
    };
    println!(
        "\nSPC day 1: {} and {} bytes; at 40.52 -92.90 {:?}, tornado {:?} %",
        categorical.len(),
        tornado.len(),
        category(&areas).map(|category| category.label()),
        chance(&chances)
    );
    let parse = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
    let medians = in_turns(
        200,
        &mut [
            &mut || done((parse(&categorical), parse(&tornado))),
            &mut || done(category(&read(&categorical, LayerKind::Categorical))),
            &mut || done(chance(&read(&tornado, LayerKind::Hazard))),
            &mut || done((category(&areas), chance(&chances))),
        ],
    );
    let [bound, first, second, lookup] = medians[..] else { return };
    line("bound: both layers parsed as JSON", bound, bound);
    line("ours: both layers read and looked up", first + second, bound);
    line("of that the categorical layer", first, bound);
    line("lookup alone, both layers", lookup, bound);
    against_peer("categorical layer and lookup, warm", peer.warm_ms("spc_day1_cat_parse_and_lookup"), first);
}
