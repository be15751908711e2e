//! Every field of a file: all messages, and of each message all fields (sections 4 to 7 repeated, as RAP packs U and V).
//!
//! Headers are read at once, values on demand and one field at a time: a file of 700 fields costs the memory of one.

use super::geometry::Geometry;
use super::product::{Parameter, Product};
use super::{GribError, Packing, Section, frame, read_packing, read_time, sections, unpack};
use crate::observation::Fault;
use grib::def::grib2 as def;
use jiff::{SignedDuration, Timestamp};

/// Points of the largest field taken: the largest recorded model field, a global one of 13 km, has 4.7 million; 12 million
/// values take 48 MB.
const POINTS_MAX: u32 = 12_000_000;
/// Fields of one file; a whole HRRR file of native levels has 1,100.
const FIELDS_MAX: usize = 10_000;
/// Faults told of one file; the rest are alike.
const FAULTS_MAX: usize = 50;

/// One field: what it is of, where its points are, and how to have its values.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    /// Where its message begins in the file, bytes.
    pub message_at: usize,
    /// Its number within the message, from 1: two for a U and V pair.
    pub number_in_message: usize,
    /// Discipline, code table 0.0.
    pub discipline: u8,
    /// Parameter and level.
    pub product: Product,
    /// Reference time: the model's cycle.
    pub reference_utc: Timestamp,
    /// What it is valid for; `None` where the forecast's unit has no length.
    pub valid_utc: Option<Timestamp>,
    /// Points of the grid.
    pub points: u32,
    /// Grid definition template.
    pub grid_template: u16,
    /// Where they are, or why that is not known.
    pub geometry: Result<Geometry, GribError>,
    /// How values are packed.
    pub packing: Packing,
    /// Section 3: equal bytes are equal grids.
    pub grid_section: &'a [u8],
    representation: &'a [u8],
    bitmap: &'a [u8],
    data: &'a [u8],
}

impl Field<'_> {
    /// Discipline, category and number.
    pub fn parameter(&self) -> Parameter {
        Parameter(self.discipline, self.product.category, self.product.number)
    }

    /// Values in stored order, one a point, NaN where there is none.
    ///
    /// # Errors
    /// `GribError::Data` or `Unsupported`, naming what is wrong.
    pub fn values(&self) -> Result<Vec<f32>, GribError> {
        unpack::values(&unpack::Packed {
            points: self.points as usize,
            packing: &self.packing,
            representation: self.representation,
            bitmap: self.bitmap,
            data: self.data,
        })
    }
}

/// All fields that can be read, and what was wrong with the rest.
///
/// # Errors
/// The first error, where no field at all can be read.
pub fn fields(bytes: &[u8]) -> Result<(Vec<Field<'_>>, Vec<Fault>), GribError> {
    let mut reading = Reading { found: Vec::new(), faults: Vec::new(), first_error: None, untold: 0 };
    let mut at = 0;
    while let Some(begin) = next_magic(bytes, at) {
        if begin > at {
            reading.note(format!("{} bytes that are no GRIB", begin - at), format!("byte {at}"));
        }
        at = reading.message(bytes, begin);
        if reading.found.len() >= FIELDS_MAX {
            reading.note(format!("more than {FIELDS_MAX} fields: the rest is left unread"), format!("byte {at}"));
            break;
        }
    }
    if reading.found.is_empty() {
        let nothing = || GribError::NotGrib { found: crate::decode::sniff(bytes) };
        return Err(reading.first_error.unwrap_or_else(nothing));
    }
    if reading.untold > 0 {
        let what = format!("{} further faults", reading.untold);
        reading.faults.push(Fault { what, place: "the whole file".to_owned(), kept_rest: true });
    }
    Ok((reading.found, reading.faults))
}

/// Where the next message may begin.
fn next_magic(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(4).position(|window| window == b"GRIB").map(|at| from + at)
}

struct Reading<'a> {
    found: Vec<Field<'a>>,
    faults: Vec<Fault>,
    first_error: Option<GribError>,
    untold: usize,
}

impl<'a> Reading<'a> {
    fn note(&mut self, what: String, place: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault { what, place, kept_rest: true });
        } else {
            self.untold += 1;
        }
    }

    fn refuse(&mut self, error: GribError, message_at: usize) {
        self.note(error.to_string(), format!("message at byte {message_at}"));
        self.first_error.get_or_insert(error);
    }

    /// Takes the message at `begin` in; returns where to go on.
    fn message(&mut self, bytes: &'a [u8], begin: usize) -> usize {
        let rest = bytes.get(begin..).unwrap_or_default();
        let (discipline, message) = match frame(rest) {
            Ok(framed) => framed,
            Err(error) => {
                self.refuse(error, begin);
                // Its length cannot be believed: the next magic word may begin a good one.
                return begin + 4;
            }
        };
        match sections(message) {
            Ok(found) => self.walk(&found, discipline, begin),
            Err(error) => self.refuse(error, begin),
        }
        begin + message.len()
    }

    fn walk(&mut self, sections: &[Section<'a>], discipline: u8, message_at: usize) {
        // What stands until it is said anew: a repetition may begin at section 2, 3 or 4.
        let mut standing: [Option<Section<'a>>; 8] = [None; 8];
        let mut bitmap_before: Option<Section<'a>> = None;
        let mut number = 0;
        for section in sections {
            let slot = usize::from(section.number);
            if let Some(standing) = standing.get_mut(slot) {
                *standing = Some(*section);
            }
            match section.number {
                3 => standing[4..].fill(None),
                4 => standing[5..].fill(None),
                6 => match section.bytes.get(5) {
                    Some(254) => standing[6] = bitmap_before,
                    Some(0) => bitmap_before = Some(*section),
                    _ => {}
                },
                7 => {
                    number += 1;
                    match field(&standing, discipline, message_at, number) {
                        Ok(field) => self.found.push(field),
                        Err(error) => self.refuse(error, message_at),
                    }
                    standing[5..].fill(None);
                }
                _ => {}
            }
            if self.found.len() >= FIELDS_MAX {
                return;
            }
        }
        if number == 0 {
            self.refuse(GribError::Missing { section: 7 }, message_at);
        }
    }
}

fn field<'a>(
    standing: &[Option<Section<'a>>; 8],
    discipline: u8,
    message_at: usize,
    number_in_message: usize,
) -> Result<Field<'a>, GribError> {
    let find = |number: u8| {
        let found = standing.get(usize::from(number)).copied().flatten();
        found.ok_or(GribError::Missing { section: number })
    };
    let (one, three, four, five) = (find(1)?, find(3)?, find(4)?, find(5)?);
    let (bitmap, data) = (find(6)?, find(7)?);
    let identification: def::Section1 = one.parse()?;
    let reference_utc = read_time(&one, &identification.payload.ref_time)?;
    let head = |at: usize| three.bytes.get(at..).and_then(<[u8]>::first_chunk::<4>).map(|b| u32::from_be_bytes(*b));
    let template = three.bytes.get(12..).and_then(<[u8]>::first_chunk::<2>).map(|b| u16::from_be_bytes(*b));
    let (Some(points), Some(grid_template)) = (head(6), template) else {
        return Err(three.wrong("too short for a grid"));
    };
    if points > POINTS_MAX || points == 0 {
        return Err(three.wrong(format!("states {points} points; 1 to {POINTS_MAX} are taken")));
    }
    // A grid that is not known keeps its values: they are read in stored order.
    let geometry = Geometry::read(&three, grid_template).and_then(|geometry| {
        let cells = geometry.points();
        if cells == u64::from(points) {
            Ok(geometry)
        } else {
            Err(three.wrong(format!("states {points} points for {cells} of its rows and columns")))
        }
    });
    let representation: def::Section5 = five.parse()?;
    let packing = read_packing(&representation.payload)?;
    if packing.points > points {
        return Err(five.wrong(format!("states {} values for {points} points", packing.points)));
    }
    let product = Product::read(&four)?;
    let ahead = product.forecast_min.and_then(|minutes| minutes.checked_mul(60)).map(SignedDuration::from_secs);
    Ok(Field {
        message_at,
        number_in_message,
        discipline,
        product,
        reference_utc,
        valid_utc: ahead.and_then(|ahead| reference_utc.checked_add(ahead).ok()),
        points,
        grid_template,
        geometry,
        packing,
        grid_section: three.bytes,
        representation: five.bytes,
        bitmap: bitmap.bytes,
        data: data.bytes,
    })
}
