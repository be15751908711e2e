//! GRIB edition 2: one message taken apart into checked parts, and its figures brought, row by row from the north, to
//! whoever builds something of them.
//!
//! The frame (lengths, order of sections, the closing 7777) is walked here, because an error has to say which byte is wrong; the
//! sections' contents are read by the `grib` crate's definitions, and so are all packings but PNG. The PNG packing (template
//! 5.41) is read row by row with the `png` crate (see `grib2::png_rows`): the `grib` crate unpacks the whole image at once and
//! gives wrong values without a word where the stated bit count is not the image's.
//!
//! Mosaics are read by `read` and `build` (regular grids, one field, streamed); model files by `fields` (every message and
//! submessage, any packing that is taken, positions on regular and Lambert grids).
//!
//! Boundaries: ✓ headers, packings, positions. ✗ what a field means for a place, no I/O, no clock.

use crate::mosaic::{Grid, Scale};
use grib::TryFromSlice;
use grib::def::grib2 as def;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

mod error;
mod fields;
mod geometry;
mod jpeg2000;
mod lambert;
mod png_rows;
mod product;
mod rows;
mod unpack;

pub use error::GribError;
pub use fields::{Field, fields};
pub use geometry::{Geometry, Point};
pub use lambert::Lambert;
pub use product::{Levels, Parameter, Product, Surface};
pub use rows::build;

/// How a file stores its cells: GRIB flag table 3.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanMode(u8);

impl ScanMode {
    /// Columns run from east to west.
    pub fn westward(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Rows run from south to north.
    pub fn northward(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Cells of one column follow each other.
    pub fn by_columns(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// Every other row runs the other way.
    pub fn to_and_fro(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// From the north-west, row by row: what MRMS uses.
    pub fn is_plain(self) -> bool {
        self.0 & 0xF0 == 0
    }
}

/// Template 5.x in so far as it says how codes become values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packing {
    /// Data representation template.
    pub template: u16,
    /// Cells with a value.
    pub points: u32,
    /// R, E and D.
    pub scale: Scale,
    /// Bits a value; 0 = every cell reads R / 10^D.
    pub bits: u8,
}

/// One message with one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<'a> {
    /// Discipline; 209 is MRMS.
    pub discipline: u8,
    /// Parameter category.
    pub category: u8,
    /// Parameter number.
    pub number: u8,
    /// The GRIB's own time.
    pub reference_utc: Timestamp,
    /// The grid, north-west first whatever the file's order.
    pub grid: Grid,
    /// The file's order.
    pub scan: ScanMode,
    /// How values are packed.
    pub packing: Packing,
    /// Whole message length, bytes.
    pub length: usize,
    /// Sections 5, 6 and 7, headers included.
    packing_section: &'a [u8],
    bitmap_section: &'a [u8],
    data_section: &'a [u8],
}

/// Length of section 0, and of the header of all others.
const INDICATOR_BYTES: usize = 16;
const HEADER_BYTES: usize = 5;
/// More sections than this in one message is a garbled length leading in circles; NCEP's fullest messages have a few dozen.
const SECTIONS_MAX: usize = 1000;

/// Reads the first message and its first field.
///
/// # Errors
/// `GribError`, naming the section and byte.
pub fn read(bytes: &[u8]) -> Result<Message<'_>, GribError> {
    let (discipline, message) = frame(bytes)?;
    let sections = sections(message)?;
    let find = |number: u8| {
        let found = sections.iter().find(|section| section.number == number);
        found.copied().ok_or(GribError::Missing { section: number })
    };
    let (one, three, four, five) = (find(1)?, find(3)?, find(4)?, find(5)?);
    let identification: def::Section1 = one.parse()?;
    let grid_section: def::Section3 = three.parse()?;
    let representation: def::Section5 = five.parse()?;
    // Category and number stand first in every product template up to 4.15, which reach beyond what the crate defines.
    let (Some(&category), Some(&number)) = (four.bytes.get(9), four.bytes.get(10)) else {
        return Err(four.wrong("too short for a parameter"));
    };
    let (grid, scan) = read_grid(&three, &grid_section.payload)?;
    let packing = read_packing(&representation.payload)?;
    let cells = u64::from(grid.ni) * u64::from(grid.nj);
    if u64::from(grid_section.payload.num_points) != cells {
        return Err(three
            .wrong(format!("states {} points for {} x {} cells", grid_section.payload.num_points, grid.ni, grid.nj)));
    }
    if u64::from(packing.points) > cells {
        return Err(five.wrong(format!("states {} values for {cells} cells", packing.points)));
    }
    Ok(Message {
        discipline,
        category,
        number,
        reference_utc: read_time(&one, &identification.payload.ref_time)?,
        grid,
        scan,
        packing,
        length: message.len(),
        packing_section: five.bytes,
        bitmap_section: find(6)?.bytes,
        data_section: find(7)?.bytes,
    })
}

/// Checks section 0 and the end; gives the discipline and the whole message.
fn frame(bytes: &[u8]) -> Result<(u8, &[u8]), GribError> {
    if !bytes.starts_with(b"GRIB") {
        return Err(GribError::NotGrib { found: super::sniff(bytes) });
    }
    let present = bytes.len() as u64;
    let cut = |stated| GribError::CutShort { stated, present };
    let (Some(&discipline), Some(&edition), Some(&length)) =
        (bytes.get(6), bytes.get(7), bytes.get(8..).and_then(<[u8]>::first_chunk::<8>))
    else {
        return Err(cut(INDICATOR_BYTES as u64));
    };
    if edition != 2 {
        return Err(GribError::Edition { edition });
    }
    let stated = u64::from_be_bytes(length);
    let message = usize::try_from(stated).ok().and_then(|length| bytes.get(..length)).ok_or_else(|| cut(stated))?;
    let end = message.len().saturating_sub(4);
    if message.len() < INDICATOR_BYTES + 4 || !message.ends_with(b"7777") {
        return Err(GribError::NoEnd { at: end });
    }
    Ok((discipline, message))
}

/// A section where it stands.
#[derive(Clone, Copy)]
struct Section<'a> {
    number: u8,
    at: usize,
    bytes: &'a [u8],
}

impl Section<'_> {
    fn wrong(&self, why: impl Into<String>) -> GribError {
        GribError::Section { section: self.number, at: self.at, why: why.into() }
    }

    fn parse<T: TryFromSlice>(&self) -> Result<T, GribError> {
        T::try_from_slice(self.bytes, &mut 0).map_err(|why| self.wrong(why))
    }
}

fn sections(message: &[u8]) -> Result<Vec<Section<'_>>, GribError> {
    let end = message.len().saturating_sub(4);
    let mut found = Vec::new();
    let mut at = INDICATOR_BYTES;
    while at < end {
        let header = message.get(at..end).unwrap_or_default();
        let (Some(length), Some(&number)) = (header.first_chunk::<4>(), header.get(4)) else {
            return Err(GribError::Section { section: 0, at, why: "too short for a section".to_owned() });
        };
        let length = u32::from_be_bytes(*length) as usize;
        let whole = header.get(..length).filter(|_| length >= HEADER_BYTES);
        let Some(bytes) = whole else {
            let why = format!("states {length} bytes, {} are left", header.len());
            return Err(GribError::Section { section: number, at, why });
        };
        found.push(Section { number, at, bytes });
        if found.len() > SECTIONS_MAX {
            return Err(GribError::Section { section: number, at, why: format!("over {SECTIONS_MAX} sections") });
        }
        at += length;
    }
    Ok(found)
}

fn read_time(section: &Section<'_>, time: &def::template::param_set::DateTime) -> Result<Timestamp, GribError> {
    let wrong = || section.wrong(format!("{time:?} is not a time"));
    let small = |n: u8| i8::try_from(n).ok();
    let figures = || {
        Some((
            i16::try_from(time.year).ok()?,
            small(time.month)?,
            small(time.day)?,
            small(time.hour)?,
            small(time.minute)?,
            small(time.second)?,
        ))
    };
    let (year, month, day, hour, minute, second) = figures().ok_or_else(wrong)?;
    let civil = DateTime::new(year, month, day, hour, minute, second, 0).map_err(|_| wrong())?;
    TimeZone::UTC.to_timestamp(civil).map_err(|_| wrong())
}

/// Angles beyond this are garbage, whatever their unit; millionths of a degree in 32 bits reach 4295 degrees.
const ANGLE_MAX_NDEG: f64 = 1e13;

fn read_grid(section: &Section<'_>, payload: &def::Section3Payload) -> Result<(Grid, ScanMode), GribError> {
    let def::GridDefinitionTemplate::_3_0(template) = &payload.template else {
        return Err(GribError::Unsupported {
            what: format!("grid template 3.{}", payload.template_num),
            why: "only regular latitude/longitude grids (3.0) are".to_owned(),
        });
    };
    if payload.num_point_list_octets != 0 {
        let why = "rows of differing length are not".to_owned();
        return Err(GribError::Unsupported { what: "a thinned grid".to_owned(), why });
    }
    let lat_lon = &template.lat_lon;
    let grid = &lat_lon.grid;
    let scan = ScanMode(lat_lon.scanning_mode.0);
    let unit = unit_ndeg(grid.initial_production_domain_basic_angle, grid.basic_angle_subdivisions);
    let ndeg = |figure: i64| {
        let angle = (figure as f64 * unit).round();
        let taken = (-ANGLE_MAX_NDEG..=ANGLE_MAX_NDEG).contains(&angle);
        if taken { Ok(angle as i64) } else { Err(section.wrong(format!("an angle of {} degrees", angle / 1e9))) }
    };
    let (la1, la2) = (ndeg(i64::from(grid.first_point_lat))?, ndeg(i64::from(grid.last_point_lat))?);
    let (lo1, lo2) = (ndeg(i64::from(grid.first_point_lon))?, ndeg(i64::from(grid.last_point_lon))?);
    let turn = 360_000_000_000;
    let width = if scan.westward() { lo1 - lo2 } else { lo2 - lo1 }.rem_euclid(turn);
    let height = if scan.northward() { la2 - la1 } else { la1 - la2 };
    let wrong = |which: &str, stated: i64, span: i64| {
        section.wrong(format!(
            "{which} of {} degrees does not lead from the first corner to the last, {} degrees away",
            stated as f64 / 1e9,
            span as f64 / 1e9
        ))
    };
    let increment = |stated: u32, span: i64, n: u32, which: &str| {
        let steps = i64::from(n.max(2)) - 1;
        let by_ends = (span as f64 / steps as f64).round() as i64;
        // Di and Dj may be missing (all ones) or 0: then the corners tell.
        if stated == u32::MAX || stated == 0 {
            return if by_ends > 0 {
                Ok(by_ends)
            } else if n == 1 {
                Ok(1)
            } else {
                Err(wrong(which, 0, span))
            };
        }
        let stated = ndeg(i64::from(stated))?;
        // The last corner may be rounded, by up to a few millionths of a degree; half a cell is another grid.
        let led = stated.saturating_mul(i64::from(n.saturating_sub(1)));
        let off = led.saturating_sub(span).saturating_abs();
        if n > 1 && off > stated / 2 { Err(wrong(which, stated, span)) } else { Ok(stated) }
    };
    let grid = Grid {
        ni: grid.ni,
        nj: grid.nj,
        lat_north_ndeg: la1.max(la2),
        lon_west_ndeg: if scan.westward() { lo2 } else { lo1 },
        d_lat_ndeg: increment(lat_lon.j_direction_inc, height, grid.nj, "Dj")?,
        d_lon_ndeg: increment(lat_lon.i_direction_inc, width, grid.ni, "Di")?,
    };
    if !grid.is_sound() {
        return Err(
            section.wrong(format!("{} x {} cells from these corners are not a grid on earth", grid.ni, grid.nj))
        );
    }
    Ok((grid, scan))
}

/// The unit of angles in 1e-9 degrees: a millionth of a degree unless section 3 says otherwise (0 and all ones do not).
fn unit_ndeg(basic_angle: u32, subdivisions: u32) -> f64 {
    match (basic_angle, subdivisions) {
        (0 | u32::MAX, _) | (_, 0 | u32::MAX) => 1000.0,
        (angle, parts) => f64::from(angle) / f64::from(parts) * 1e9,
    }
}

fn read_packing(payload: &def::Section5Payload) -> Result<Packing, GribError> {
    use def::DataRepresentationTemplate as Template;
    let simple = match &payload.template {
        Template::_5_0(template) => &template.simple,
        Template::_5_2(template) => &template.simple,
        Template::_5_3(template) => &template.simple,
        Template::_5_40(template) => &template.simple,
        Template::_5_41(template) => &template.simple,
        Template::_5_42(template) => &template.simple,
        _ => {
            let what = format!("data template 5.{}", payload.template_num);
            return Err(GribError::Unsupported { what, why: "5.0, 5.2, 5.3, 5.40, 5.41 and 5.42 are".to_owned() });
        }
    };
    let scale = Scale { reference: f64::from(simple.ref_val), binary: simple.exp, decimal: simple.dec };
    // Exponents beyond these are garbage, and would make every value infinite or nought.
    let sane = simple.ref_val.is_finite() && simple.exp.unsigned_abs() <= 127 && simple.dec.unsigned_abs() <= 40;
    if !sane || simple.num_bits > 32 {
        return Err(GribError::Data {
            template: payload.template_num,
            why: format!(
                "R {}, E {}, D {}, {} bits do not make values",
                simple.ref_val, simple.exp, simple.dec, simple.num_bits
            ),
        });
    }
    let bits = simple.num_bits;
    Ok(Packing { template: payload.template_num, points: payload.num_encoded_points, scale, bits })
}
