//! GOES lightning granules: netCDF-4 files `OR_GLM-L2-LCFA_...nc` to flashes with the pixels that they lit.
//!
//! What differs between the years is read from the file, never assumed: the unit of the time offsets (milliseconds until
//! 2018, seconds since), whether packed integers are unsigned, scale and offset, the unit of areas. Granules from before
//! October 2018 carry times that are not corrected for the light's way to the satellite: up to 0.13 s late (field report
//! G04); that is left as it is.
//!
//! Boundaries: ✓ bytes to a granule, and what was wrong. ✗ no I/O, no clock, no choice of satellite.

#[cfg(feature = "netcdf-c")]
mod c_library;
mod column;
mod contents;
mod pure;
#[cfg(test)]
mod tests;

pub use contents::{Contents, contents};

use crate::geo::LatLon;
use crate::lightning::{Flash, Granule, QUALITY_OUT_OF_ORDER, Satellite};
use crate::observation::Fault;
use column::Column;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use thiserror::Error;

/// A granule larger than this is none: the busiest recorded take 0.7 MB.
pub const GRANULE_BYTES_MAX: usize = 16 << 20;
/// Entries of one list: the product's own definition allows 630 000 events in a file (`valid_range` of `event_count`).
pub const ENTRIES_MAX: usize = 630_000;
/// A granule covers about 20 s; one that says much more is garbled.
const COVERS_MAX: SignedDuration = SignedDuration::from_secs(120);
/// Offsets run from 2 s before the granule's start to its end.
const OFFSET_MAX: SignedDuration = SignedDuration::from_secs(300);
/// The begin by the name and the begin by the file may differ by this much.
const TIMES_APART_MAX: SignedDuration = SignedDuration::from_secs(1);

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GlmError {
    /// Larger than any granule.
    #[error("{bytes} bytes: more than the {limit_bytes} that a granule can have")]
    TooLarge {
        /// Of the file.
        bytes: usize,
        /// The cap.
        limit_bytes: usize,
    },
    /// Not netCDF-4.
    #[error("not a netCDF-4 file but {found}")]
    NotNetcdf {
        /// What it looks like.
        found: String,
    },
    /// Cut short or garbled.
    #[error("netCDF: {why}")]
    Broken {
        /// What the reader said.
        why: String,
    },
    /// A netCDF file of another kind: a part of every granule is missing.
    #[error("not a GLM granule: no {what}")]
    NotGlm {
        /// The missing attribute or variable.
        what: String,
    },
    /// An attribute or a list that makes no sense.
    #[error("{what}: {why}")]
    Unusable {
        /// The attribute or variable.
        what: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A netCDF file as far as granules need it.
trait Container {
    /// A global text attribute.
    fn text(&self, attribute: &str) -> Option<String>;
    /// A list of numbers with its attributes; `NotGlm` where there is none.
    fn column(&self, variable: &str) -> Result<Column, GlmError>;
}

/// Reads a granule. `name` is its key or file name; faults are of parts that could not be read.
///
/// # Errors
/// `GlmError`, naming what is wrong.
pub fn granule(name: &str, bytes: &[u8]) -> Result<(Granule, Vec<Fault>), GlmError> {
    pure::with_file(bytes, &|file| read(name, file))
}

/// The same by the C library. It parses in this process: a damaged file may take the process down.
///
/// # Errors
/// `GlmError`, naming what is wrong.
#[cfg(feature = "netcdf-c")]
pub fn granule_by_c_library(name: &str, bytes: &[u8]) -> Result<(Granule, Vec<Fault>), GlmError> {
    c_library::with_file(bytes, &|file| read(name, file))
}

fn read(name: &str, file: &dyn Container) -> Result<(Granule, Vec<Fault>), GlmError> {
    let head = Head::read(file)?;
    let mut faults = Vec::new();
    let mut fault = |what: String, place: &str| {
        faults.push(Fault { what, place: format!("{name} {place}"), kept_rest: true });
    };
    if let Some(named) = name_start(name)
        && named.duration_since(head.start_utc).abs() > TIMES_APART_MAX
    {
        fault(format!("the name says that it begins at {named}, the file {}: the file counts", head.start_utc), "");
    }
    let rows = Rows::read(file, &head)?;
    let lit = lit_pixels(file).unwrap_or_else(|error| {
        fault(format!("lit pixels are not known, flashes are reckoned by their centroids: {error}"), "");
        HashMap::new()
    });
    let mut flashes = Vec::with_capacity(rows.lat.len());
    let mut left_out = 0;
    let mut unusable = 0;
    for index in 0..rows.lat.len() {
        let Some((centroid, first_event_us, quality)) = rows.flash(index) else {
            left_out += 1;
            unusable += 1;
            continue;
        };
        if quality == QUALITY_OUT_OF_ORDER {
            left_out += 1;
            continue;
        }
        let pixels = rows.id(index).and_then(|id| lit.get(&id)).map_or(&[][..], Vec::as_slice);
        flashes.push(Flash::new(first_event_us, centroid, quality, pixels));
    }
    if unusable > 0 {
        fault(format!("{unusable} flashes without a usable position or time"), "flash_lat");
    }
    let granule = Granule {
        satellite: head.satellite,
        platform: head.platform,
        key: name.to_owned(),
        start_utc: head.start_utc,
        end_utc: head.end_utc,
        flashes,
        left_out,
    };
    Ok((granule, faults))
}

/// What a file says of itself.
struct Head {
    satellite: Satellite,
    platform: String,
    start_utc: Timestamp,
    end_utc: Timestamp,
}

impl Head {
    fn read(file: &dyn Container) -> Result<Self, GlmError> {
        let text =
            |name: &str| file.text(name).ok_or_else(|| GlmError::NotGlm { what: format!("global attribute {name}") });
        let time = |name: &str| {
            let stated = text(name)?;
            stated
                .parse::<Timestamp>()
                .map_err(|error| GlmError::Unusable { what: name.to_owned(), why: format!("{stated:?}: {error}") })
        };
        let slot = text("orbital_slot")?;
        let satellite = Satellite::ALL.into_iter().find(|satellite| satellite.name() == slot);
        let satellite = satellite.ok_or_else(|| GlmError::Unusable {
            what: "orbital_slot".to_owned(),
            why: format!("{slot:?} is neither GOES-East nor GOES-West"),
        })?;
        let (start_utc, end_utc) = (time("time_coverage_start")?, time("time_coverage_end")?);
        let covers = end_utc.duration_since(start_utc);
        if covers.is_negative() || covers > COVERS_MAX {
            let why = format!("{end_utc} does not fit the begin {start_utc}");
            return Err(GlmError::Unusable { what: "time_coverage_end".to_owned(), why });
        }
        Ok(Self { satellite, platform: text("platform_ID")?, start_utc, end_utc })
    }
}

/// The lists of flashes, unpacked.
struct Rows {
    lat: Vec<Option<f64>>,
    lon: Vec<Option<f64>>,
    /// Microseconds after the granule's start.
    first_event_us: Vec<Option<f64>>,
    quality: Vec<Option<f64>>,
    id: Vec<Option<f64>>,
}

impl Rows {
    fn read(file: &dyn Container, head: &Head) -> Result<Self, GlmError> {
        let lat = file.column("flash_lat")?.unpacked();
        let same_length = |name: &str| {
            let column = file.column(name)?;
            if column.len() == lat.len() {
                return Ok(column);
            }
            let why = format!("{} entries for {} flashes", column.len(), lat.len());
            Err(GlmError::Unusable { what: name.to_owned(), why })
        };
        let lon = same_length("flash_lon")?.unpacked();
        let quality = same_length("flash_quality_flag")?.unpacked();
        let id = same_length("flash_id")?.unpacked();
        let offsets = same_length("flash_time_offset_of_first_event")?;
        let (unit_us, epoch) = time_unit(offsets.units.as_deref())?;
        let shift_us = epoch.duration_since(head.start_utc);
        if shift_us.abs() > OFFSET_MAX {
            let why = format!("counts from {epoch}, the granule begins at {}", head.start_utc);
            return Err(GlmError::Unusable { what: "flash_time_offset_of_first_event".to_owned(), why });
        }
        let shift_us = shift_us.as_secs_f64() * 1e6;
        let first_event_us = offsets.unpacked().into_iter().map(|at| Some(at? * unit_us + shift_us)).collect();
        Ok(Self { lat, lon, first_event_us, quality, id })
    }

    /// Centroid, microseconds after the granule's start, and quality; a missing quality counts as good.
    fn flash(&self, index: usize) -> Option<(LatLon, i32, u8)> {
        let centroid = position(*self.lat.get(index)?, *self.lon.get(index)?)?;
        let us = (*self.first_event_us.get(index)?)?.round();
        let quality = self.quality.get(index).copied().flatten().unwrap_or(0.0);
        let whole_quality = (0.0..=255.0).contains(&quality).then_some(quality as u8);
        // In range by the comparison: no cut.
        (us.abs() <= OFFSET_MAX.as_secs_f64() * 1e6).then_some((centroid, us as i32, whole_quality.unwrap_or(u8::MAX)))
    }

    fn id(&self, index: usize) -> Option<u32> {
        whole(self.id.get(index).copied().flatten()?)
    }
}

/// The unit of time offsets in microseconds, and what they count from: `seconds since 2026-06-13 19:03:40.000`.
fn time_unit(units: Option<&str>) -> Result<(f64, Timestamp), GlmError> {
    let unusable = |why: String| GlmError::Unusable { what: "flash_time_offset_of_first_event".to_owned(), why };
    let units = units.ok_or_else(|| unusable("no units".to_owned()))?;
    let (unit, since) = units.split_once(" since ").ok_or_else(|| unusable(format!("unit {units:?}")))?;
    let unit_us = match unit.trim() {
        "seconds" | "second" | "s" => 1e6,
        "milliseconds" | "millisecond" | "ms" => 1e3,
        other => return Err(unusable(format!("unit {other:?} is neither seconds nor milliseconds"))),
    };
    let civil: DateTime =
        since.trim().trim_end_matches('Z').parse().map_err(|error| unusable(format!("{since:?}: {error}")))?;
    let epoch = TimeZone::UTC.to_timestamp(civil).map_err(|error| unusable(format!("{since:?}: {error}")))?;
    Ok((unit_us, epoch))
}

/// The pixels lit by each flash, by its id: events belong to groups, groups to flashes.
fn lit_pixels(file: &dyn Container) -> Result<HashMap<u32, Vec<LatLon>>, GlmError> {
    let numbers = |name: &str| Ok::<_, GlmError>(file.column(name)?.unpacked());
    let groups = numbers("group_id")?.into_iter().zip(numbers("group_parent_flash_id")?);
    let flash_of: HashMap<u32, u32> =
        groups.filter_map(|(group, flash)| Some((whole(group?)?, whole(flash?)?))).collect();
    let (lat, lon) = (numbers("event_lat")?, numbers("event_lon")?);
    let parents = numbers("event_parent_group_id")?;
    if lat.len() != lon.len() || lat.len() != parents.len() {
        let why = format!("{} latitudes, {} longitudes, {} groups", lat.len(), lon.len(), parents.len());
        return Err(GlmError::Unusable { what: "events".to_owned(), why });
    }
    let mut lit: HashMap<u32, Vec<LatLon>> = HashMap::new();
    for ((lat, lon), group) in lat.into_iter().zip(lon).zip(parents) {
        let flash = group.and_then(whole).and_then(|group| flash_of.get(&group));
        if let (Some(&flash), Some(at)) = (flash, position(lat, lon)) {
            lit.entry(flash).or_default().push(at);
        }
    }
    Ok(lit)
}

/// A position; GOES-West counts its longitudes on beyond 180 W.
fn position(lat: Option<f64>, lon: Option<f64>) -> Option<LatLon> {
    let lon = lon.filter(|lon| lon.abs() <= 360.0)?;
    LatLon::new(lat?, (lon + 540.0).rem_euclid(360.0) - 180.0).ok()
}

fn whole(number: f64) -> Option<u32> {
    // Ids are whole and within 32 bits: no cut.
    (number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0).then_some(number as u32)
}

/// The begin that a name states: `..._s20261641903400_...` is the 164th day of 2026, 19:03:40.0. Whatever stands before it
/// (`OR_`, `IT_`, a folder) does not matter (field report G07).
pub fn name_start(name: &str) -> Option<Timestamp> {
    let file = name.rsplit('/').next()?;
    let digits = file.split('_').find_map(|part| part.strip_prefix('s').filter(|rest| rest.len() == 14))?;
    let number = |from: usize, to: usize| digits.get(from..to)?.parse::<i16>().ok();
    let (hour, minute, second) = (number(7, 9)?, number(9, 11)?, number(11, 13)?);
    let tenths = number(13, 14)?;
    let day_of_year = number(4, 7)?;
    if day_of_year < 1 {
        return None;
    }
    let first = jiff::civil::Date::new(number(0, 4)?, 1, 1).ok()?;
    let date = first.checked_add(jiff::Span::new().days(day_of_year - 1)).ok()?;
    if date.year() != first.year() {
        return None;
    }
    let time = jiff::civil::Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        i32::from(tenths) * 100_000_000,
    );
    TimeZone::UTC.to_timestamp(date.to_datetime(time.ok()?)).ok()
}
