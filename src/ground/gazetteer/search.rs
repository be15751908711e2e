//! From a query that was read to rows, and from rows to ranked candidates.

use super::fold::key;
use super::names::Row;
use super::query::Reading;
use super::tables::{Tables, Zip, position};
use super::{Candidate, Found, Kind, Match, is_in_conus};
use crate::geo::LatLon;
use crate::ground::time_zone;
use std::collections::BTreeSet;

/// A post office this near to a place of its name serves that place, km.
const SAME_PLACE_KM: f64 = 25.0;
/// Rows that are spelt almost like a query and are looked at more closely: the nation has dozens of some.
const CLOSE_ROWS_MAX: usize = 400;

/// A row that matches. Its order is that of answers: by match, then the most people, then by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    matched: Match,
    edits: usize,
    people: std::cmp::Reverse<u32>,
    what: What,
}

/// Which row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Place(u32),
    /// A ZIP code, for itself or for its post office.
    Zip(u32, Kind),
}

/// A ZIP code.
pub(super) fn zip(tables: &Tables, code: u32, state: Option<&'static str>, limit: usize) -> Found {
    let at = tables.zips.partition_point(|zip| zip.code < code);
    let hit = |at: usize, matched| {
        let what = What::Zip(u32::try_from(at).ok()?, Kind::Zip);
        Some(Hit { matched, edits: 0, people: std::cmp::Reverse(0), what })
    };
    let exact = tables.zips.get(at).filter(|zip| zip.code == code);
    match exact {
        Some(zip) if state.is_none_or(|state| tables.state(zip.spot) == Some(state)) => {
            let one = hit(at, Match::Exact).and_then(|hit| candidate(tables, hit));
            one.map_or(Found::None { close: Vec::new() }, Found::One)
        }
        // The state says otherwise: one of the two is mistyped.
        Some(_) => Found::None { close: candidates(tables, hit(at, Match::Elsewhere).into_iter().collect(), limit) },
        None => {
            // Neighbouring numbers of the same office that sorts the mail.
            let near = at.saturating_sub(2)..at.saturating_add(2);
            let same_office = |at: &usize| tables.zips.get(*at).is_some_and(|zip| zip.code / 100 == code / 100);
            let hits = near.filter(same_office).filter_map(|at| hit(at, Match::Close)).collect();
            Found::None { close: candidates(tables, hits, limit) }
        }
    }
}

/// A name. Where `is_state` it is the name of a state as well, and never leads to one place alone.
pub(super) fn named(tables: &Tables, readings: &[Reading], is_state: bool, limit: usize) -> Found {
    let mut hits: Vec<Hit> = readings.iter().flat_map(|reading| hits(tables, reading, is_state)).collect();
    hits.sort_unstable();
    hits.dedup_by_key(|hit| hit.what);
    match (hits.as_slice(), is_state) {
        ([], _) => Found::None { close: close(tables, readings, limit) },
        ([one], false) => candidate(tables, *one).map_or(Found::None { close: Vec::new() }, Found::One),
        _ => {
            let total = hits.len();
            Found::Several { candidates: candidates(tables, hits, limit.max(1)), total }
        }
    }
}

/// The rows that a reading means.
fn hits(tables: &Tables, reading: &Reading, is_state: bool) -> Vec<Hit> {
    let rows = |key: &str| tables.names.exactly(key).collect::<Vec<_>>();
    let by_name = rows(&reading.key);
    let mut hits: Vec<Hit> = by_name
        .iter()
        .filter_map(|row| match row {
            Row::Place(at) => place(tables, *at, reading, Match::Exact),
            Row::PlaceInShort(_) | Row::Office(_) => None,
        })
        .collect();
    if hits.is_empty() || is_state {
        let in_short = by_name.iter().filter_map(|row| match row {
            Row::PlaceInShort(at) => Some(*at),
            Row::Place(_) | Row::Office(_) => None,
        });
        let of_short = reading.short.iter().flat_map(|short| rows(short)).filter_map(|row| match row {
            Row::Place(at) => Some(at),
            Row::PlaceInShort(_) | Row::Office(_) => None,
        });
        hits.extend(in_short.chain(of_short).filter_map(|at| place(tables, at, reading, Match::WithoutKind)));
    }
    let places: Vec<LatLon> = hits.iter().filter_map(|hit| at(tables, hit.what)).collect();
    for row in by_name {
        if let Row::Office(office) = row {
            hits.extend(offices(tables, office, reading, &places, Match::Exact));
        }
    }
    hits
}

fn place(tables: &Tables, at: u32, reading: &Reading, matched: Match) -> Option<Hit> {
    let row = tables.places.get(at as usize)?;
    let is_there = is_within(reading, tables.state(row.spot), tables.county(row.spot));
    is_there.then_some(Hit { matched, edits: 0, people: std::cmp::Reverse(row.people), what: What::Place(at) })
}

/// The post offices of a name, one a state, without those that serve one of `places`.
fn offices(tables: &Tables, office: u32, reading: &Reading, places: &[LatLon], matched: Match) -> Vec<Hit> {
    let zips: Vec<&Zip> = tables.zips_of(office as usize).collect();
    let states: BTreeSet<u8> = zips.iter().map(|zip| zip.spot.state).collect();
    let mut hits = Vec::new();
    for state in states {
        let own: Vec<&Zip> = zips.iter().copied().filter(|zip| zip.spot.state == state).collect();
        let within = |zip: &&Zip| is_within(reading, tables.state(zip.spot), tables.county(zip.spot));
        let serves = |zip: &&Zip| {
            position(zip.spot).is_some_and(|at| places.iter().any(|place| place.distance_km(at) <= SAME_PLACE_KM))
        };
        if !own.iter().any(within) || own.iter().any(serves) {
            continue;
        }
        // The one in the middle stands for all.
        let spots: Vec<(LatLon, &Zip)> = own.iter().filter_map(|zip| Some((position(zip.spot)?, *zip))).collect();
        let spread = |at: LatLon| spots.iter().map(|(other, _)| at.distance_km(*other)).sum::<f64>();
        let middle = spots.iter().min_by(|a, b| spread(a.0).total_cmp(&spread(b.0)));
        let row = middle.and_then(|(_, zip)| tables.zips.binary_search_by_key(&zip.code, |zip| zip.code).ok());
        if let Some(row) = row.and_then(|row| u32::try_from(row).ok()) {
            let what = What::Zip(row, Kind::PostOffice);
            hits.push(Hit { matched, edits: 0, people: std::cmp::Reverse(0), what });
        }
    }
    hits
}

/// Whether a row is in the state and the county that were asked for.
fn is_within(reading: &Reading, state: Option<&str>, county: Option<&str>) -> bool {
    reading.state.is_none_or(|wanted| state == Some(wanted))
        && reading.county.as_ref().is_none_or(|wanted| county.is_some_and(|county| is_county(county, wanted)))
}

/// With or without the word County.
fn is_county(county: &str, wanted: &str) -> bool {
    let whole = key(county);
    let kinds = ["county", "parish", "boro", "municipio", "censusarea", "municipality", "city"];
    whole == wanted || kinds.iter().any(|kind| whole.strip_suffix(kind) == Some(wanted))
}

/// What comes near where nothing matches: the same name elsewhere, then almost the same spelling.
fn close(tables: &Tables, readings: &[Reading], limit: usize) -> Vec<Candidate> {
    let mut near = Vec::new();
    for reading in readings {
        let anywhere = Reading { state: None, county: None, ..reading.clone() };
        let elsewhere = hits(tables, &anywhere, false).into_iter();
        near.extend(elsewhere.map(|hit| Hit { matched: Match::Elsewhere, ..hit }));
    }
    for reading in readings {
        let mut rows: Vec<_> = tables.names.nearly(&reading.key).collect();
        rows.sort_unstable();
        for (edits, row) in rows.into_iter().take(CLOSE_ROWS_MAX) {
            let found = match row {
                Row::Place(at) | Row::PlaceInShort(at) => {
                    place(tables, at, reading, Match::Close).into_iter().collect()
                }
                Row::Office(office) => offices(tables, office, reading, &[], Match::Close),
            };
            near.extend(found.into_iter().map(|hit| Hit { edits, ..hit }));
        }
    }
    // A large city that is one letter off, or of that name in the next state, is meant more often than a hamlet.
    near.sort_unstable_by_key(|hit| (hit.edits > 1, hit.people, hit.what));
    let near = without_repeats(tables, near);
    candidates(tables, near, limit)
}

/// A place and its post office are one.
fn without_repeats(tables: &Tables, hits: Vec<Hit>) -> Vec<Hit> {
    let mut seen = BTreeSet::new();
    let name = |what| match what {
        What::Place(at) => tables.place_names.get(at as usize),
        What::Zip(at, _) => tables.zips.get(at as usize).map_or("", |zip| tables.office_names.get(zip.office.into())),
    };
    let mut kept = hits;
    kept.retain(|hit| {
        let state = spot(tables, hit.what).and_then(|spot| tables.state(spot));
        let is_place = matches!(hit.what, What::Place(_));
        seen.insert((key(name(hit.what)), state)) || is_place
    });
    kept
}

fn candidates(tables: &Tables, hits: Vec<Hit>, limit: usize) -> Vec<Candidate> {
    hits.into_iter().take(limit).filter_map(|hit| candidate(tables, hit)).collect()
}

fn spot(tables: &Tables, what: What) -> Option<super::tables::Spot> {
    match what {
        What::Place(at) => tables.places.get(at as usize).map(|place| place.spot),
        What::Zip(at, _) => tables.zips.get(at as usize).map(|zip| zip.spot),
    }
}

fn at(tables: &Tables, what: What) -> Option<LatLon> {
    spot(tables, what).and_then(position)
}

fn candidate(tables: &Tables, hit: Hit) -> Option<Candidate> {
    let spot = spot(tables, hit.what)?;
    let at = position(spot)?;
    let state = tables.state(spot);
    let (name, zip, kind) = match hit.what {
        What::Place(at) => (tables.place_names.get(at as usize), None, Kind::City),
        What::Zip(at, kind) => {
            let zip = tables.zips.get(at as usize)?;
            (tables.office_names.get(zip.office.into()), Some(format!("{:05}", zip.code)), kind)
        }
    };
    Some(Candidate {
        name: name.to_owned(),
        state,
        county: tables.county(spot).map(str::to_owned),
        zip,
        at,
        population: Some(hit.people.0).filter(|people| *people > 0),
        time_zone: time_zone(at),
        kind,
        matched: hit.matched,
        in_conus: is_in_conus(state, at),
    })
}
