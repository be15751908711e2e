//! What is true of these places is known from elsewhere: maps, the post's own tables, the Census Bureau.

use super::*;
use std::time::Instant;

#[track_caller]
fn one(query: &str) -> Candidate {
    match find(query, 5) {
        Found::One(one) => one,
        other => panic!("{query}: {other:?}"),
    }
}

#[track_caller]
fn several(query: &str) -> Vec<Candidate> {
    match find(query, 50) {
        Found::Several { candidates, total } if candidates.len() == total.min(50) => candidates,
        other => panic!("{query}: {other:?}"),
    }
}

#[track_caller]
fn none(query: &str) -> Vec<Candidate> {
    match find(query, 5) {
        Found::None { close } => close,
        other => panic!("{query}: {other:?}"),
    }
}

fn labels(candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(Candidate::label).collect()
}

fn is_near(candidate: &Candidate, lat: f64, lon: f64, km: f64) -> bool {
    candidate.at.distance_km(LatLon::new(lat, lon).unwrap()) < km
}

#[test]
fn a_city_with_its_state_is_one_place_however_it_is_written() {
    let norman = one("Norman, OK");
    assert_eq!((norman.label().as_str(), norman.county.as_deref()), ("Norman, OK", Some("Cleveland County")));
    assert!(is_near(&norman, 35.2226, -97.4395, 3.0) && norman.in_conus);
    assert_eq!((norman.kind, norman.matched, norman.time_zone), (Kind::City, Match::Exact, Some("America/Chicago")));
    assert!((100_000..160_000).contains(&norman.population.unwrap()));
    for query in
        ["norman ok", "NORMAN, OKLAHOMA", "Norman, Okla.", "Norman, Cleveland County, OK", "Norman, Cleveland, OK"]
    {
        assert_eq!(one(query), norman, "{query}");
    }
    for (query, label, lat, lon) in [
        ("St. Louis, MO", "St. Louis, MO", 38.63, -90.20),
        ("saint louis missouri", "St. Louis, MO", 38.63, -90.20),
        ("Ft Worth TX", "Fort Worth, TX", 32.75, -97.33),
        ("Canon City, CO", "Cañon City, CO", 38.44, -105.24),
        ("coeur d alene, id", "Coeur d'Alene, ID", 47.68, -116.78),
        ("Washington DC", "Washington, DC", 38.90, -77.04),
        ("washington, d.c.", "Washington, DC", 38.90, -77.04),
        ("Kansas City, KS", "Kansas City, KS", 39.11, -94.63),
        ("Winston Salem NC", "Winston-Salem, NC", 36.10, -80.24),
        ("Van Horn, TX", "Van Horn, TX", 31.04, -104.83),
    ] {
        let found = one(query);
        assert_eq!(found.label(), label, "{query}");
        assert!(is_near(&found, lat, lon, 8.0), "{query}: {found:?}");
    }
}

#[test]
fn a_word_for_the_kind_of_place_may_be_left_out_or_put_in() {
    let new_york = one("New York, NY");
    assert_eq!((new_york.label().as_str(), new_york.matched), ("New York City, NY", Match::WithoutKind));
    assert_eq!(one("City of Norman, OK").label(), "Norman, OK");
    assert_eq!(one("Salt Lake, UT").label(), "Salt Lake City, UT");
}

/// The most people first, and never one of them alone.
#[test]
fn a_name_without_a_state_stays_open() {
    let springfield = several("Springfield");
    assert!(springfield.len() > 15);
    assert_eq!(springfield[0].label(), "Springfield, MO");
    assert!(springfield.is_sorted_by_key(|one| (one.matched, std::cmp::Reverse(one.population))));
    let paradise = labels(&several("paradise"));
    assert!(["CA", "NV", "TX"].iter().all(|state| paradise.contains(&format!("Paradise, {state}"))), "{paradise:?}");
    let error = resolve("Springfield").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("Springfield, Greene County, MO") && text.contains("more"), "{text}");
    // What the error lists is what may be typed.
    assert!(is_near(&resolve("Springfield, Greene County, MO").unwrap(), 37.21, -93.29, 8.0));
}

/// The most populous place of that name is in another state than the state's name says.
#[test]
fn the_name_of_a_state_never_leads_to_one_place() {
    for state in ["Oklahoma", "new york", "Kansas", "Delaware", "Washington"] {
        assert!(matches!(find(state, 5), Found::Several { .. } | Found::None { .. }), "{state}: {:?}", find(state, 5));
    }
    assert!(labels(&several("Oklahoma")).contains(&"Oklahoma City, OK".to_owned()));
    assert_eq!(one("Nevada, MO").label(), "Nevada, MO");
    assert_eq!(one("California MD").label(), "California, MD");
}

/// Whitehall in Pennsylvania is a borough of Pittsburgh, and a township by Allentown that GeoNames does not list but the post does.
#[test]
fn two_places_of_a_name_in_one_state_stay_two() {
    let whitehall = several("Whitehall, PA");
    let in_county = |county: &str| whitehall.iter().find(|one| one.county.as_deref() == Some(county)).unwrap();
    assert!(is_near(in_county("Allegheny County"), 40.36, -79.99, 5.0), "{whitehall:?}");
    assert!(is_near(in_county("Lehigh County"), 40.66, -75.50, 5.0), "{whitehall:?}");
    assert_eq!((in_county("Lehigh County").kind, whitehall.len()), (Kind::PostOffice, 2));
    for place in &whitehall {
        assert_eq!(one(&place.query()).at, place.at, "{}", place.query());
    }
    // A place and its own post office are one.
    assert_eq!(one("Moore, OK").kind, Kind::City);
}

#[test]
fn small_places_are_known_by_their_post_office() {
    // 37 people live in Amorita.
    let amorita = one("Amorita, OK");
    assert_eq!((amorita.kind, amorita.zip.as_deref()), (Kind::PostOffice, Some("73719")));
    assert!(is_near(&amorita, 36.92, -98.29, 8.0), "{amorita:?}");
    assert_eq!(amorita.county.as_deref(), Some("Alfalfa County"));
}

#[test]
fn zip_codes_lead_to_one_place() {
    for query in ["73019", "73019-1234", "Norman, OK 73019", "norman ok 73019-1234"] {
        let found = one(query);
        assert_eq!((found.label().as_str(), found.kind), ("73019 (Norman, OK)", Kind::Zip), "{query}");
        assert!(is_near(&found, 35.2086, -97.4445, 3.0));
    }
    let known = [
        ("02134", "Allston, MA", 42.355, -71.13),
        ("60606", "Chicago, IL", 41.882, -87.637),
        ("90210", "Beverly Hills, CA", 34.09, -118.41),
        ("33040", "Key West, FL", 24.56, -81.78),
        ("59801", "Missoula, MT", 46.86, -114.0),
    ];
    for (zip, name, lat, lon) in known {
        let found = one(zip);
        assert_eq!(found.label(), format!("{zip} ({name})"));
        assert!(is_near(&found, lat, lon, 12.0), "{found:?}");
    }
    let anchorage = one("99501");
    assert!(!anchorage.in_conus && anchorage.time_zone == Some("America/Anchorage"));
    assert!(none("00000").is_empty());
    assert!(none("73020, TX").iter().all(|one| one.state == Some("OK")), "the state says otherwise");
    assert!(resolve("Dallas, TX 73019").unwrap_err().to_string().contains("73019 (Norman, OK; 35.2086,-97.4445)"));
}

#[test]
fn coordinates_are_taken_as_they_are() {
    let found = one("35.2226, -97.4395");
    assert_eq!((found.kind, found.state, found.time_zone), (Kind::Coordinates, Some("OK"), Some("America/Chicago")));
    assert_eq!(found.label(), "35.2226,-97.4395");
    assert!(!one("51.5,-0.1").in_conus);
    let why = |query: &str| resolve(query).unwrap_err().to_string();
    assert!(why("35.2226,97.4395").contains("did you mean lon -97.4395"));
    assert!(why("-97.4395,35.2226").contains("swapped"));
    assert!(why("51.5,-0.1").contains("outside the continental US"));
    assert!(matches!(find("95,200", 5), Found::NoPosition(_)));
}

#[test]
fn alaska_hawaii_and_the_territories_are_known_and_not_watched() {
    for (query, zone) in [
        ("Honolulu, HI", "Pacific/Honolulu"),
        ("Juneau, Alaska", "America/Juneau"),
        ("San Juan, Puerto Rico", "America/Puerto_Rico"),
        ("Ponce, PR", "America/Puerto_Rico"),
    ] {
        let found = match find(query, 5) {
            Found::One(one) => one,
            Found::Several { candidates, .. } => candidates[0].clone(),
            other => panic!("{query}: {other:?}"),
        };
        assert!(!found.in_conus && found.time_zone == Some(zone), "{found:?}");
    }
    assert!(matches!(resolve("Honolulu, HI"), Err(PlaceError::OutsideConus { .. })));
}

/// A wrong spelling never leads anywhere by itself.
#[test]
fn close_spellings_are_offered_and_not_taken() {
    let close = none("Oklahma City, OK");
    assert_eq!((close[0].label().as_str(), close[0].matched), ("Oklahoma City, OK", Match::Close));
    assert_eq!(none("Albuqerque NM")[0].label(), "Albuquerque, NM");
    assert_eq!(none("Pittsburg, PA")[0].label(), "Pittsburgh, PA");
    let elsewhere = none("Tulsa, TX");
    assert_eq!((elsewhere[0].label().as_str(), elsewhere[0].matched), ("Tulsa, OK", Match::Elsewhere));
    let text = resolve("Oklahma City, OK").unwrap_err().to_string();
    assert!(text.contains("is one of these meant?") && text.contains("Oklahoma City"), "{text}");
    // Abroad, and a state that there is not: the name alone is offered.
    for query in ["Paris, France", "Paris, ZZ"] {
        assert!(none(query).iter().all(|one| one.name == "Paris" && one.matched == Match::Elsewhere), "{query}");
    }
    for nothing in ["qqqqqqq", "", "  ", "🌪", &"x".repeat(5_000)] {
        assert!(none(nothing).is_empty(), "{nothing}");
    }
    assert_eq!(resolve(" ").unwrap_err(), PlaceError::NoQuery);
}

#[test]
fn no_more_than_asked_for() {
    for limit in [1, 3] {
        match find("Springfield", limit) {
            Found::Several { candidates, total } => assert!(candidates.len() == limit && total > 15),
            other => panic!("{other:?}"),
        }
    }
}

/// Whatever is listed can be asked for by what it is listed as; only neighbours of one name in one county stay open, and by their
/// coordinates even those can be told apart.
#[test]
fn every_place_is_found_by_its_own_words() {
    let tables = &*TABLES;
    let (mut open, mut total) = (0, 0);
    for at in (0..tables.places.len()).step_by(7) {
        let (name, spot) = (tables.place_names.get(at), tables.places[at].spot);
        let state = tables.state(spot).unwrap();
        let county = tables.county(spot).map(|county| format!("{county}, ")).unwrap_or_default();
        let query = format!("{name}, {county}{state}");
        let here = tables::position(spot).unwrap();
        total += 1;
        match find(&query, 50) {
            Found::One(one) => assert_eq!(one.at, here, "{query}"),
            Found::Several { candidates, .. } => {
                assert!(candidates.iter().any(|one| one.at == here), "{query}: {candidates:?}");
                open += 1;
            }
            other => panic!("{query}: {other:?}"),
        }
    }
    println!("{total} places asked for by name, county and state: {open} stay open");
    assert!(open * 50 < total, "{open} of {total}");
}

/// Two sources that do not know of each other: what the borders say of a place's clock and of its state, and where its county lies.
#[test]
fn the_ground_agrees_with_itself() {
    let tables = &*TABLES;
    let (mut other_state, mut total) = (Vec::new(), 0);
    for at in (0..tables.places.len()).step_by(5) {
        let spot = tables.places[at].spot;
        let (state, here) = (tables.state(spot).unwrap(), tables::position(spot).unwrap());
        if is_in_conus(Some(state), here) {
            total += 1;
            let outline = state_of(here);
            if outline != Some(state) {
                other_state.push(format!("{}, {state}: {outline:?}", tables.place_names.get(at)));
            }
        }
    }
    println!("{} of {total} places lie in another outline than their state's: {other_state:?}", other_state.len());
    assert!(other_state.len() * 200 < total);
}

/// Printed, not asserted: machines differ.
#[test]
fn figures() {
    let begun = Instant::now();
    load();
    println!(
        "tables unpacked in {:?} (0 where another test did it), {} kB on the heap",
        begun.elapsed(),
        TABLES.bytes() / 1000
    );
    for query in ["Norman, OK", "Springfield", "73019", "35.2,-97.4", "Oklahma City, OK", "Sprngfeld"] {
        let begun = Instant::now();
        let rounds = 20;
        for _ in 0..rounds {
            std::hint::black_box(find(std::hint::black_box(query), 5));
        }
        println!("{query:?}: {:?}", begun.elapsed() / rounds);
    }
}
