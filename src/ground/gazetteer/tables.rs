//! The tables of the gazetteer, unpacked: a few megabytes, once and only where a place is asked for by name.
//!
//! Boundaries: ✓ rows and their columns. ✗ no search (see `names`). The form of the file: `scripts/make_gazetteer.py`.

use super::names::Names;
use crate::geo::LatLon;
use crate::ground::packed::Packed;
use crate::ground::states::state_code;
use flate2::read::ZlibDecoder;
use std::io::Read;
use std::sync::LazyLock;

static BYTES: &[u8] = include_bytes!("../../../assets/gazetteer.bin");
const UNITS_PER_DEGREE: f64 = 10_000.0;

/// The file is part of the program and its test reads it whole: where a build is broken no place is known.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| unpacked(BYTES).unwrap_or_default());

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    /// Ten-thousandths of a degree.
    lat: i32,
    lon: i32,
    /// Place in the list of states.
    pub state: u8,
    /// 0: not known; else its number in the state, from 1.
    county: u16,
}

/// A populated place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub spot: Spot,
    /// People; 0 where it was not counted.
    pub people: u32,
}

/// A ZIP code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Zip {
    pub spot: Spot,
    pub code: u32,
    /// Place in the list of post offices.
    pub office: u16,
}

/// Texts in one piece.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Texts {
    /// Of lines, each with its line feed.
    fn of_lines(lines: &str, count: usize) -> Option<Self> {
        let mut texts = Self { all: String::with_capacity(lines.len()), ends: Vec::with_capacity(count) };
        for line in lines.lines() {
            texts.all.push_str(line);
            texts.ends.push(u32::try_from(texts.all.len()).ok()?);
        }
        (texts.ends.len() == count).then_some(texts)
    }

    /// One of them; empty where there is none.
    pub fn get(&self, at: usize) -> &str {
        let begin = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = begin.zip(self.ends.get(at).copied()).map(|(begin, end)| begin as usize..end as usize);
        range.and_then(|range| self.all.get(range)).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.get(at))
    }
}

/// One state of the file.
#[derive(Debug)]
struct State {
    code: &'static str,
    counties: Vec<Box<str>>,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Tables {
    states: Vec<State>,
    pub place_names: Texts,
    pub places: Vec<Place>,
    pub office_names: Texts,
    /// Sorted by code.
    pub zips: Vec<Zip>,
    /// Places in the list of ZIP codes, sorted by post office.
    by_office: Vec<u32>,
    pub names: Names,
}

impl Tables {
    /// Two letters.
    pub fn state(&self, spot: Spot) -> Option<&'static str> {
        self.states.get(usize::from(spot.state)).map(|state| state.code)
    }

    /// The county that holds it.
    pub fn county(&self, spot: Spot) -> Option<&str> {
        let state = self.states.get(usize::from(spot.state))?;
        state.counties.get(usize::from(spot.county).checked_sub(1)?).map(AsRef::as_ref)
    }

    /// The ZIP codes of a post office's name, in all states.
    pub fn zips_of(&self, office: usize) -> impl Iterator<Item = &Zip> {
        let zip = |at: &u32| self.zips.get(*at as usize);
        let begin = self.by_office.partition_point(|at| zip(at).is_some_and(|zip| usize::from(zip.office) < office));
        let rest = self.by_office.get(begin..).unwrap_or_default();
        rest.iter().filter_map(zip).take_while(move |zip| usize::from(zip.office) == office)
    }
}

#[cfg(test)]
impl Tables {
    /// On the heap.
    pub fn bytes(&self) -> usize {
        let texts = |texts: &Texts| texts.all.capacity() + texts.ends.capacity() * 4;
        let counties = self.states.iter().flat_map(|state| &state.counties);
        let counties: usize = counties.map(|county| county.len() + size_of::<Box<str>>()).sum();
        let rows = self.places.capacity() * size_of::<Place>() + self.zips.capacity() * size_of::<Zip>();
        counties
            + rows
            + texts(&self.place_names)
            + texts(&self.office_names)
            + self.by_office.capacity() * 4
            + self.names.bytes()
    }
}

/// The position of a row.
pub(super) fn position(spot: Spot) -> Option<LatLon> {
    LatLon::new(f64::from(spot.lat) / UNITS_PER_DEGREE, f64::from(spot.lon) / UNITS_PER_DEGREE).ok()
}

fn unpacked(bytes: &[u8]) -> Option<Tables> {
    let mut plain = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut plain).ok()?;
    let packed = &mut Packed(&plain);
    packed.bytes(4).filter(|magic| *magic == b"SBG1")?;
    let states = (0..packed.count()?).map(|_| state(packed)).collect::<Option<Vec<_>>>()?;

    let count = packed.count()?;
    let place_names = Texts::of_lines(packed.text()?, count)?;
    let mut state_of = Vec::new();
    for at in 0..u8::try_from(states.len()).ok()? {
        let rows = packed.count().filter(|rows| *rows <= count.saturating_sub(state_of.len()))?;
        state_of.extend(std::iter::repeat_n(at, rows));
    }
    let spots = spots(packed, state_of)?;
    let people = column(packed, count)?.into_iter();
    let places = spots.into_iter().zip(people).map(|(spot, people)| Place { spot, people }).collect();

    let count = packed.count()?;
    let office_names = Texts::of_lines(packed.text()?, count)?;
    let count = packed.count()?;
    let codes = sums(column::<u32>(packed, count)?)?;
    let state_of = column(packed, count)?;
    let spots = self::spots(packed, state_of)?;
    let offices = column(packed, count)?;
    let rows = spots.into_iter().zip(codes).zip(offices);
    let zips: Vec<Zip> = rows.map(|((spot, code), office)| Zip { spot, code, office }).collect();

    let mut by_office: Vec<u32> = (0..u32::try_from(zips.len()).ok()?).collect();
    by_office.sort_by_key(|at| zips.get(*at as usize).map(|zip| (zip.office, zip.code)));
    let names = Names::new(&place_names, &office_names);
    Some(Tables { states, place_names, places, office_names, zips, by_office, names })
}

fn state(packed: &mut Packed) -> Option<State> {
    let code = state_code(std::str::from_utf8(packed.bytes(2)?).ok()?)?;
    let counties = (0..packed.count()?).map(|_| packed.text().map(Box::from)).collect::<Option<_>>()?;
    Some(State { code, counties })
}

/// Columns of county, latitude and longitude, one row a state.
fn spots(packed: &mut Packed, state_of: Vec<u8>) -> Option<Vec<Spot>> {
    let count = state_of.len();
    let counties: Vec<u16> = column(packed, count)?;
    let (lats, lons) = (steps(packed, count)?, steps(packed, count)?);
    let rows = state_of.into_iter().zip(counties).zip(lats.into_iter().zip(lons));
    Some(rows.map(|((state, county), (lat, lon))| Spot { lat, lon, state, county }).collect())
}

fn column<T: TryFrom<u64>>(packed: &mut Packed, count: usize) -> Option<Vec<T>> {
    (0..count).map(|_| T::try_from(packed.unsigned()?).ok()).collect()
}

fn sums(steps: Vec<u32>) -> Option<Vec<u32>> {
    let mut sum = 0_u32;
    let step = |step| {
        sum = sum.checked_add(step)?;
        Some(sum)
    };
    steps.into_iter().map(step).collect()
}

fn steps(packed: &mut Packed, count: usize) -> Option<Vec<i32>> {
    let mut sum = 0_i32;
    let step = |_| {
        sum = sum.checked_add(i32::try_from(packed.signed()?).ok()?)?;
        Some(sum)
    };
    (0..count).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole_and_a_damaged_one_not_at_all() {
        let tables = unpacked(BYTES).unwrap();
        assert!(tables.places.len() > 20_000 && tables.zips.len() > 40_000 && tables.states.len() == 56);
        assert_eq!(tables.place_names.iter().count(), tables.places.len());
        assert!(tables.zips.is_sorted_by(|a, b| a.code < b.code));
        assert!(tables.place_names.iter().chain(tables.office_names.iter()).all(|name| !name.is_empty()));
        let everywhere = tables.places.iter().map(|place| place.spot).chain(tables.zips.iter().map(|zip| zip.spot));
        for spot in everywhere {
            assert!(position(spot).is_some() && tables.state(spot).is_some());
        }
        assert_eq!(tables.place_names.get(usize::MAX), "");
        for cut in [0, 1, 100, BYTES.len() / 2, BYTES.len() - 1] {
            assert!(unpacked(&BYTES[..cut]).is_none(), "{cut}");
        }
    }

    /// Every post office's ZIP codes are found again by its name.
    #[test]
    fn zip_codes_go_by_their_post_offices() {
        let tables = &*TABLES;
        let found: usize = (0..tables.office_names.iter().count()).map(|office| tables.zips_of(office).count()).sum();
        assert_eq!(found, tables.zips.len());
    }
}
