//! Template 5.40: what a JPEG 2000 stream promises, looked at before it is handed to a decoder.
//!
//! The decoder allocates and loops by the figures of the stream's own headers. A field of GRIB is one grey image with as many
//! pixels as values; everything else (more components, thousands of tiles, layers or precincts) is refused by its name here,
//! so that no stream costs more than a field of its size may. Markers: ISO/IEC 15444-1, annex A.

/// Tiles of one image. NCEP, CMC and ECMWF write one.
const TILES_MAX: u64 = 64;
/// Quality layers; GRIB writers use one.
const LAYERS_MAX: u16 = 16;
/// Smallest precinct, as a power of two: 32 x 32. Smaller ones are a list longer than the image.
const PRECINCT_MIN: u8 = 5;
/// Widest samples that are whole numbers in the decoder's 32-bit floats.
const SAMPLE_BITS_MAX: u8 = 24;
/// Tile-parts of one stream.
const TILE_PARTS_MAX: usize = 1024;

const SOC: u16 = 0xFF4F;
const SIZ: u16 = 0xFF51;
const COD: u16 = 0xFF52;
const COC: u16 = 0xFF53;
const SOT: u16 = 0xFF90;
const SOD: u16 = 0xFF93;
const EOC: u16 = 0xFFD9;

/// Checks that `stream` is one grey image of `values` pixels with sane structure.
pub(super) fn check(stream: &[u8], values: u64) -> Result<(), String> {
    let mut at = Reader { bytes: stream, at: 0 };
    if at.u16() != Some(SOC) {
        return Err("JPEG 2000: no stream begins here".to_owned());
    }
    let (mut sized, mut coded) = (false, false);
    loop {
        let marker = at.u16().ok_or("JPEG 2000: the main header ends early")?;
        if marker == SOT {
            break;
        }
        let segment = at.segment().ok_or("JPEG 2000: the main header ends early")?;
        match marker {
            SIZ => {
                size(segment, values)?;
                sized = true;
            }
            COD => {
                coding(segment)?;
                coded = true;
            }
            COC => return Err("JPEG 2000: coding styles by component, of which there is one".to_owned()),
            _ => {}
        }
    }
    if !(sized && coded) {
        return Err("JPEG 2000: the main header lacks size or coding style".to_owned());
    }
    tile_parts(at, stream.len())
}

fn size(segment: &[u8], values: u64) -> Result<(), String> {
    let mut at = Reader { bytes: segment, at: 2 };
    let mut figures = [0u64; 8];
    let short = || "JPEG 2000: the size is cut short".to_owned();
    for figure in &mut figures {
        *figure = at.u32().map(u64::from).ok_or_else(short)?;
    }
    let [x1, y1, x0, y0, tile_x, tile_y, tile_x0, tile_y0] = figures;
    let (components, depth, dx, dy) = match segment.get(34..) {
        Some([a, b, depth, dx, dy, ..]) => (u16::from_be_bytes([*a, *b]), *depth, *dx, *dy),
        _ => return Err(short()),
    };
    let (width, height) = (x1.saturating_sub(x0), y1.saturating_sub(y0));
    if width.checked_mul(height) != Some(values) {
        return Err(format!("JPEG 2000: an image of {width} x {height} for {values} values"));
    }
    if components != 1 || (dx, dy) != (1, 1) {
        return Err(format!(
            "JPEG 2000: {components} components every {dx} x {dy} pixels, where one grey image was due"
        ));
    }
    if depth & 0x80 != 0 || (depth & 0x7F) + 1 > SAMPLE_BITS_MAX {
        return Err(format!(
            "JPEG 2000: samples of kind {depth:#x}; unsigned ones up to {SAMPLE_BITS_MAX} bits are taken"
        ));
    }
    let tiles = |end: u64, start: u64, step: u64| end.saturating_sub(start).checked_div(step).map(|n| n + 1);
    let count = tiles(x1, tile_x0, tile_x).zip(tiles(y1, tile_y0, tile_y)).and_then(|(x, y)| x.checked_mul(y));
    match count {
        // One too many where the division leaves no rest; the limit has room.
        Some(count) if count <= TILES_MAX => Ok(()),
        _ => Err(format!("JPEG 2000: more than {TILES_MAX} tiles")),
    }
}

fn coding(segment: &[u8]) -> Result<(), String> {
    let [style, _, layers_1, layers_2, _, levels, _, _, _, _, precincts @ ..] = segment else {
        return Err("JPEG 2000: the coding style is cut short".to_owned());
    };
    let layers = u16::from_be_bytes([*layers_1, *layers_2]);
    if layers > LAYERS_MAX || *levels > 32 {
        return Err(format!("JPEG 2000: {layers} layers, {levels} levels"));
    }
    let small = |size: &u8| size & 0x0F < PRECINCT_MIN || size >> 4 < PRECINCT_MIN;
    if style & 1 != 0 && precincts.iter().any(small) {
        return Err("JPEG 2000: precincts smaller than 32 x 32".to_owned());
    }
    Ok(())
}

/// Walks the tile-parts, whose headers could state another coding style.
fn tile_parts(mut at: Reader<'_>, length: usize) -> Result<(), String> {
    // Every tile-part begins with its marker, read already for the first.
    for _ in 0..TILE_PARTS_MAX {
        let begin = at.at.saturating_sub(2);
        let segment = at.segment().ok_or("JPEG 2000: a tile-part ends early")?;
        let part_length = match segment {
            [_, _, a, b, c, d, ..] => u32::from_be_bytes([*a, *b, *c, *d]) as usize,
            _ => return Err("JPEG 2000: a tile-part's header is cut short".to_owned()),
        };
        loop {
            match at.u16() {
                Some(SOD) => break,
                Some(COD | COC) => return Err("JPEG 2000: a tile with a coding style of its own".to_owned()),
                Some(_) => {
                    at.segment().ok_or("JPEG 2000: a tile-part's header ends early")?;
                }
                None => return Err("JPEG 2000: a tile-part's header ends early".to_owned()),
            }
        }
        // A length of 0 runs to the end.
        let next = if part_length == 0 { length } else { begin.saturating_add(part_length) };
        if next <= at.at.saturating_sub(2) || next > length {
            return Err(format!("JPEG 2000: a tile-part of {part_length} bytes at byte {begin} of {length}"));
        }
        at.at = next;
        match at.u16() {
            Some(SOT) => {}
            // The end, or an end that is missing: the decoder makes do with what is there.
            Some(EOC) | None => return Ok(()),
            Some(other) => return Err(format!("JPEG 2000: marker {other:#06x} between tile-parts")),
        }
    }
    Err(format!("JPEG 2000: more than {TILE_PARTS_MAX} tile-parts"))
}

/// Big-endian figures one after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn u16(&mut self) -> Option<u16> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<2>()?;
        self.at += 2;
        Some(u16::from_be_bytes(*bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<4>()?;
        self.at += 4;
        Some(u32::from_be_bytes(*bytes))
    }

    /// The segment that begins with its own length, without the length.
    fn segment(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.u16()?).checked_sub(2)?;
        let bytes = self.bytes.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(bytes)
    }
}
