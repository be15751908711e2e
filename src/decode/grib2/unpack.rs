//! From sections 5, 6 and 7 to values in stored order, NaN where there is none.
//!
//! Simple, complex, spatially differenced, JPEG 2000 and CCSDS packing are unpacked by the `grib` crate; PNG by `png_rows`
//! (see `grib2`). The crate allocates by the figures that a message states (one group of a complex packing may claim four
//! billion values), so these are held against the data and the grid before it is called.

use super::png_rows::PngRows;
use super::{GribError, Packing, jpeg2000};
use grib::TryFromSlice;
use grib::def::grib2 as def;
use grib::def::grib2::template::param_set::ComplexPacking;

const TEMPLATE_PNG: u16 = 41;
/// Where section 5 says what the values were before packing (code table 5.1), and that they were whole numbers.
const ORIGINAL_TYPE_AT: usize = 20;
const ORIGINAL_INTEGER: u8 = 1;
/// Bits of a group's length, and of one value.
const BITS_MAX: u8 = 32;

/// One field as packed.
pub(super) struct Packed<'a> {
    /// Points of the grid.
    pub points: usize,
    pub packing: &'a Packing,
    /// Section 5.
    pub representation: &'a [u8],
    /// Section 6, with a bitmap of its own or none.
    pub bitmap: &'a [u8],
    /// Section 7.
    pub data: &'a [u8],
}

impl Packed<'_> {
    fn wrong(&self, why: impl Into<String>) -> GribError {
        GribError::Data { template: self.packing.template, why: why.into() }
    }

    fn payload(&self) -> &[u8] {
        self.data.get(5..).unwrap_or_default()
    }

    /// The value of a code: (R + code 2^E) / 10^D.
    fn value(&self, code: u32) -> f32 {
        let scale = self.packing.scale;
        let scaled = scale.reference + f64::from(code) * 2f64.powi(i32::from(scale.binary));
        (scaled * 10f64.powi(-i32::from(scale.decimal))) as f32
    }

    /// Bits of the bitmap; `None` where every point has a value.
    fn bits(&self) -> Result<Option<&[u8]>, GribError> {
        match self.bitmap.get(5) {
            Some(255) => Ok(None),
            Some(0) => {
                let bytes = self.bitmap.get(6..).unwrap_or_default();
                if bytes.len() < self.points.div_ceil(8) {
                    return Err(self.wrong(format!("bitmap of {} bytes for {} points", bytes.len(), self.points)));
                }
                Ok(Some(bytes))
            }
            other => Err(GribError::Unsupported {
                what: format!("bitmap indicator {other:?}"),
                why: "a bitmap of its own (0), the one before (254) or none (255) is".to_owned(),
            }),
        }
    }
}

/// Values of any packing that is taken.
pub(super) fn values(packed: &Packed<'_>) -> Result<Vec<f32>, GribError> {
    match (packed.packing.template, packed.packing.bits) {
        // One value for all: no data at all.
        (0 | 40 | TEMPLATE_PNG | 42, 0) => spread(packed, vec![packed.value(0); packed.packing.points as usize]),
        (TEMPLATE_PNG, _) => by_png(packed),
        _ => by_crate(packed),
    }
}

/// Puts the values that are there where the bitmap says.
fn spread(packed: &Packed<'_>, present: Vec<f32>) -> Result<Vec<f32>, GribError> {
    let Some(bits) = packed.bits()? else {
        if present.len() != packed.points {
            let why = format!("{} values for {} points, and no bitmap", present.len(), packed.points);
            return Err(packed.wrong(why));
        }
        return Ok(present);
    };
    let marked = |n: usize| bits.get(n / 8).is_some_and(|byte| byte >> (7 - n % 8) & 1 == 1);
    if (0..packed.points).filter(|&n| marked(n)).count() != present.len() {
        return Err(packed.wrong("the bitmap marks another number of points than there are values"));
    }
    let mut present = present.into_iter();
    let value = |n| if marked(n) { present.next().unwrap_or(f32::NAN) } else { f32::NAN };
    Ok((0..packed.points).map(value).collect())
}

/// Values by the `grib` crate. Not for PNG.
pub(super) fn by_crate(packed: &Packed<'_>) -> Result<Vec<f32>, GribError> {
    check(packed)?;
    let points = packed.points;
    let mut representation = packed.representation.to_vec();
    // The crate takes only fields that were floating-point numbers; those that were whole ones are packed alike.
    if let Some(kind) = representation.get_mut(ORIGINAL_TYPE_AT).filter(|kind| **kind == ORIGINAL_INTEGER) {
        *kind = 0;
    }
    let work = || {
        let decoder =
            grib::Grib2SubmessageDecoder::new(points, representation, packed.bitmap.to_vec(), packed.data.to_vec())
                .map_err(|error| error.to_string())?;
        let unpacked = decoder.dispatch().map_err(|error| error.to_string())?;
        let mut values = Vec::with_capacity(points);
        values.extend(unpacked.take(points.saturating_add(1)));
        Ok::<Vec<f32>, String>(values)
    };
    // The crate adds references and differences of complex packing without looking whether they overflow, and its JPEG 2000
    // decoder indexes by what a garbled stream says: in both a panic is an answer.
    let values = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .map_err(|_| packed.wrong("the decoder broke on it"))?
        .map_err(|why| packed.wrong(why.split_whitespace().collect::<Vec<_>>().join(" ")))?;
    if values.len() != points {
        return Err(packed.wrong(format!("unpacks to {} values for {points} points", values.len())));
    }
    Ok(values)
}

/// Holds what the message states against what is there.
fn check(packed: &Packed<'_>) -> Result<(), GribError> {
    packed.bits()?;
    let section = def::Section5::try_from_slice(packed.representation, &mut 0).map_err(|why| packed.wrong(why))?;
    let (payload, values) = (packed.payload(), u64::from(packed.packing.points));
    let bits = packed.packing.bits;
    use def::DataRepresentationTemplate as Template;
    match &section.payload.template {
        Template::_5_0(_) => {
            let needed = values.saturating_mul(u64::from(bits)).div_ceil(8);
            if needed > payload.len() as u64 {
                return Err(packed.wrong(format!("{values} values of {bits} bits in {} bytes", payload.len())));
            }
            Ok(())
        }
        Template::_5_2(template) => groups(packed, &template.complex, 0),
        Template::_5_3(template) => {
            let (order, octets) = (template.spatial_diff_order, template.num_extra_desc_octets);
            if !matches!(order, 1 | 2) || !matches!(octets, 1..=4) {
                return Err(packed.wrong(format!("spatial differences of order {order} in {octets} octets")));
            }
            groups(packed, &template.complex, (usize::from(order) + 1) * usize::from(octets))
        }
        Template::_5_40(_) if bits > 0 => jpeg2000::check(payload, values).map_err(|why| packed.wrong(why)),
        _ => Ok(()),
    }
}

/// That the groups of a complex packing hold exactly the stated values. `before` bytes of other figures come first.
fn groups(packed: &Packed<'_>, complex: &ComplexPacking, before: usize) -> Result<(), GribError> {
    let count = u64::from(complex.num_groups);
    let values = u64::from(packed.packing.points);
    if complex.num_group_len_bits > BITS_MAX || complex.num_group_width_bits > BITS_MAX || count > values {
        return Err(packed.wrong(format!("{count} groups for {values} values")));
    }
    let octets = |bits: u8| count.saturating_mul(u64::from(bits)).div_ceil(8);
    let begin = before as u64 + octets(packed.packing.bits) + octets(complex.num_group_width_bits);
    let end = begin.saturating_add(octets(complex.num_group_len_bits));
    let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    let Some(lengths) = range.and_then(|(begin, end)| packed.payload().get(begin..end)) else {
        return Err(packed.wrong(format!("{count} groups in {} bytes", packed.payload().len())));
    };
    let mut scaled = Bits { bytes: lengths, at: 0 };
    let mut total = u64::from(complex.group_len_last);
    for _ in 1..count {
        let code = u64::from(scaled.next(complex.num_group_len_bits));
        total += u64::from(complex.group_len_ref) + code * u64::from(complex.group_len_inc);
        if total > values {
            break;
        }
    }
    if total != values {
        return Err(packed.wrong(format!("groups of {total} values or more where {values} are stated")));
    }
    Ok(())
}

/// Figures of some bits each, one after the other.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next figure of `width` bits, 0 to 32; beyond the end as if zeros followed.
    fn next(&mut self, width: u8) -> u32 {
        let width = usize::from(width);
        let (first, shift) = (self.at / 8, self.at % 8);
        let mut window = 0u64;
        for n in 0..5 {
            window = window << 8 | u64::from(self.bytes.get(first + n).copied().unwrap_or(0));
        }
        self.at += width;
        // 40 bits are there; the wanted ones begin after `shift`.
        let mask = (1u64 << width) - 1;
        u32::try_from(window >> (40 - shift - width) & mask).unwrap_or(u32::MAX)
    }
}

fn by_png(packed: &Packed<'_>) -> Result<Vec<f32>, GribError> {
    let mut image = PngRows::open(packed.payload(), packed.packing)?;
    let pixels = u64::from(image.width) * u64::from(image.height);
    let stated = u64::from(packed.packing.points);
    if pixels < stated {
        return Err(packed.wrong(format!("PNG has {pixels} pixels for {stated} values")));
    }
    let mut present = Vec::with_capacity(packed.packing.points as usize);
    for _ in 0..image.height {
        image.next()?;
        let left = (packed.packing.points as usize).saturating_sub(present.len());
        present.extend(image.codes().take(left).map(|code| packed.value(code)));
    }
    image.finish()?;
    spread(packed, present)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mosaic::Scale;

    #[test]
    fn figures_of_any_width_are_read_across_bytes() {
        let mut bits = Bits { bytes: &[0b1010_0110, 0b0101_1111, 0xFF, 0xFF, 0xFF, 0x80], at: 0 };
        assert_eq!([bits.next(3), bits.next(7), bits.next(0), bits.next(2)], [0b101, 0b001_1001, 0, 0b01]);
        assert_eq!((bits.next(32), bits.next(8)), (0xFFFF_FFF8, 0), "zeros follow the end");
    }

    fn section(number: u8, content: &[u8]) -> Vec<u8> {
        let length = (content.len() as u32 + 5).to_be_bytes();
        [length.as_slice(), &[number], content].concat()
    }

    /// Unpacks `points` values of a template whose own octets follow R = 100, E = 0, D = 1 and the bits.
    fn unpack(points: u32, template: u16, bits: u8, own: &[u8], data: &[u8]) -> Result<Vec<f32>, String> {
        let simple = [&100f32.to_be_bytes()[..], &[0, 0, 0, 1, bits]].concat();
        let content = [&points.to_be_bytes()[..], &template.to_be_bytes(), &simple, own].concat();
        let packing = Packing { template, points, scale: Scale { reference: 100.0, binary: 0, decimal: 1 }, bits };
        let (representation, bitmap, data) = (section(5, &content), section(6, &[255]), section(7, data));
        let (representation, bitmap, data) = (&representation, &bitmap, &data);
        values(&Packed { points: points as usize, packing: &packing, representation, bitmap, data })
            .map_err(|error| error.to_string())
    }

    /// No recording is packed so. By hand after CCSDS 121.0-B: two blocks of eight samples, each behind the identifier of
    /// three ones that says "as they are"; no preprocessing, most significant bit first.
    #[test]
    fn ccsds_unpacks() {
        let samples: Vec<u8> = (0..16).map(|n| n * 15).collect();
        let mut bits = String::new();
        for block in samples.chunks(8) {
            bits += "111";
            bits.extend(block.iter().map(|sample| format!("{sample:08b}")));
        }
        let byte = |bits: &[u8]| u8::from_str_radix(&format!("{:0<8}", String::from_utf8_lossy(bits)), 2).unwrap();
        let data: Vec<u8> = bits.as_bytes().chunks(8).map(byte).collect();
        let read = unpack(16, 42, 8, &[0, 0b0100, 8, 0, 2], &data).unwrap();
        let expected: Vec<f32> = samples.iter().map(|sample| ((100.0 + f64::from(*sample)) / 10.0) as f32).collect();
        assert_eq!(read, expected);
        assert!(unpack(16, 42, 8, &[0, 0b0100, 8, 0, 2], &data[..9]).is_err());
    }

    /// One group may claim four billion values, for which the crate would take 32 GB.
    #[test]
    fn groups_that_claim_more_than_there_is_are_refused_before_anything_is_allocated() {
        let complex = |groups: u32, reference: u32, last: u32| {
            [
                &[0, 1, 0][..],
                &[0; 8],
                &groups.to_be_bytes(),
                &[0, 0],
                &reference.to_be_bytes(),
                &[1],
                &last.to_be_bytes(),
                &[0],
            ]
            .concat()
        };
        assert_eq!(unpack(4, 2, 0, &complex(1, 0, 4), &[]), Ok(vec![10.0; 4]));
        for (groups, reference, last) in [(1, 0, u32::MAX), (3, u32::MAX, 1), (2, 1, 2), (u32::MAX, 1, 1), (0, 0, 0)] {
            let error = unpack(4, 2, 0, &complex(groups, reference, last), &[]).unwrap_err();
            assert!(error.contains("groups"), "{groups} {reference} {last}: {error}");
        }
        let spatial = [complex(1, 0, 4), vec![255, 1]].concat();
        assert!(unpack(4, 3, 0, &spatial, &[0; 9]).unwrap_err().contains("order 255"));
    }

    #[test]
    fn a_field_of_one_value_has_no_data_and_whole_numbers_are_numbers() {
        for template in [0, 40, 41, 42] {
            let own: &[u8] = match template {
                40 => &[0, 0, 255],
                42 => &[0, 0, 8, 0, 2],
                _ => &[0],
            };
            assert_eq!(unpack(5, template, 0, own, &[]), Ok(vec![10.0; 5]), "5.{template}");
        }
        assert_eq!(unpack(2, 0, 8, &[1], &[5, 6]), Ok(vec![10.5, 10.6]));
        assert!(unpack(3, 0, 8, &[0], &[5, 6]).unwrap_err().contains("3 values of 8 bits in 2 bytes"));
    }
}
