//! Writes small MRMS-like GRIB2 files with planted truth: template 3.0 grid, template 5.41 (PNG) packing, gzip around it.
//!
//! Written from the WMO tables, independently of the reader in `decode::grib2`, so that the one can test the other. Depends
//! on `png`, `libdeflater` and `jiff` only: tests include this file by path.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Discipline of MRMS products (a local one, from 192 up).
pub const DISCIPLINE_MRMS: u8 = 209;

/// Cells `from` to `to` (inclusive, column and row, row 0 in the north) that hold one value.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// North-west cell, column and row.
    pub from: (u32, u32),
    /// South-east cell, column and row, inclusive.
    pub to: (u32, u32),
    /// The value there, in the product's unit.
    pub value: f64,
}

/// What one file holds. Rows are always given from north to south; `scan_mode` says how they are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct MrmsSpec {
    /// Parameter category of discipline 209.
    pub category: u8,
    /// Parameter number.
    pub number: u8,
    /// The GRIB's own reference time.
    pub reference_utc: Timestamp,
    /// Columns.
    pub ni: u32,
    /// Rows.
    pub nj: u32,
    /// Centre of the north-west cell, degrees north.
    pub lat_north_deg: f64,
    /// Centre of the north-west cell, degrees east; negative ones are stored as 0..360.
    pub lon_west_deg: f64,
    /// Spacing both ways, degrees.
    pub d_deg: f64,
    /// R of the packing: value = (R + code * 2^E) / 10^D.
    pub reference_value: f32,
    /// E.
    pub binary_scale: i16,
    /// D.
    pub decimal_scale: i16,
    /// Bits per value as section 5 states it. 0 stores no image at all: every cell reads R / 10^D.
    pub num_bits: u8,
    /// Bits per pixel of the PNG (1, 2, 4, 8, 16, 24, 32); `None` = `num_bits`.
    pub png_bits: Option<u8>,
    /// The value of every cell that nothing else names.
    pub fill: f64,
    /// Areas, later ones over earlier ones.
    pub patches: Vec<Patch>,
    /// Single cells (column, row, value), over the patches.
    pub cells: Vec<(u32, u32, f64)>,
    /// GRIB flag table 3.4: 0x80 columns run west, 0x40 rows run north, 0x20 column by column, 0x10 every other row back.
    pub scan_mode: u8,
    /// Writes Di and Dj as missing (all ones), to be reckoned from the corners.
    pub increments_missing: bool,
    /// Cells without a value (column, row), by a bitmap; `None` = no bitmap.
    pub absent: Option<Vec<(u32, u32)>>,
    /// Packs the codes as plain bits (template 5.0) instead of a PNG.
    pub simple_packing: bool,
}

impl MrmsSpec {
    /// MESH, 60-minute maximum, mm: -3 not covered, -1 looked and nothing there, steps of 0.1.
    pub fn mesh_max_60min(reference_utc: Timestamp) -> Self {
        Self { category: 3, number: 30, reference_value: -30.0, decimal_scale: 1, ..Self::base(reference_utc) }
    }

    /// Mid-level rotation track over 60 minutes, 0.001 /s, whole numbers; 0 = nothing.
    pub fn rotation_ml_60min(reference_utc: Timestamp) -> Self {
        Self { category: 3, number: 15, num_bits: 8, fill: 0.0, d_deg: 0.005, ..Self::base(reference_utc) }
    }

    /// Low-level rotation track over 60 minutes, 0.001 /s.
    pub fn rotation_ll_60min(reference_utc: Timestamp) -> Self {
        Self { number: 3, ..Self::rotation_ml_60min(reference_utc) }
    }

    /// Vertically integrated liquid, kg/m2.
    pub fn vil(reference_utc: Timestamp) -> Self {
        Self { number: 41, ..Self::mesh_max_60min(reference_utc) }
    }

    /// Composite reflectivity, dBZ: -999 not covered, -99 no echo, steps of 0.5 (packed in tenths).
    pub fn composite_reflectivity(reference_utc: Timestamp) -> Self {
        Self {
            category: 10,
            number: 0,
            reference_value: -9990.0,
            decimal_scale: 1,
            fill: -99.0,
            ..Self::base(reference_utc)
        }
    }

    fn base(reference_utc: Timestamp) -> Self {
        Self {
            category: 3,
            number: 30,
            reference_utc,
            ni: 400,
            nj: 300,
            lat_north_deg: 42.0,
            lon_west_deg: -95.0,
            d_deg: 0.01,
            reference_value: 0.0,
            binary_scale: 0,
            decimal_scale: 0,
            num_bits: 16,
            png_bits: None,
            fill: -1.0,
            patches: Vec::new(),
            cells: Vec::new(),
            scan_mode: 0,
            increments_missing: false,
            absent: None,
            simple_packing: false,
        }
    }

    /// The column and row whose centre is nearest to a position; `None` outside the grid.
    pub fn cell_of(&self, lat_deg: f64, lon_deg: f64) -> Option<(u32, u32)> {
        let i = ((lon_deg - self.lon_west_deg) / self.d_deg).round();
        let j = ((self.lat_north_deg - lat_deg) / self.d_deg).round();
        let inside = i >= 0.0 && j >= 0.0 && i < f64::from(self.ni) && j < f64::from(self.nj);
        inside.then_some((i as u32, j as u32))
    }

    /// The centre of a cell, degrees north and east.
    pub fn centre_of(&self, column: u32, row: u32) -> (f64, f64) {
        (self.lat_north_deg - f64::from(row) * self.d_deg, self.lon_west_deg + f64::from(column) * self.d_deg)
    }

    /// What a cell holds in the end.
    pub fn value_of(&self, column: u32, row: u32) -> f64 {
        if let Some(cell) = self.cells.iter().rev().find(|cell| cell.0 == column && cell.1 == row) {
            return cell.2;
        }
        let within = |patch: &&Patch| {
            (patch.from.0..=patch.to.0).contains(&column) && (patch.from.1..=patch.to.1).contains(&row)
        };
        self.patches.iter().rev().find(within).map_or(self.fill, |patch| patch.value)
    }

    fn code_of(&self, value: f64) -> u32 {
        let scaled = value * 10f64.powi(i32::from(self.decimal_scale)) - f64::from(self.reference_value);
        (scaled / 2f64.powi(i32::from(self.binary_scale))).round() as u32
    }

    /// The codes of one row, west to east.
    fn row_codes(&self, row: u32) -> Vec<u32> {
        let mut codes = vec![self.code_of(self.fill); self.ni as usize];
        for patch in self.patches.iter().filter(|patch| (patch.from.1..=patch.to.1).contains(&row)) {
            let code = self.code_of(patch.value);
            codes[patch.from.0 as usize..=patch.to.0.min(self.ni - 1) as usize].fill(code);
        }
        for cell in self.cells.iter().filter(|cell| cell.1 == row) {
            codes[cell.0 as usize] = self.code_of(cell.2);
        }
        codes
    }
}

/// The file as MRMS serves it: GRIB2 inside gzip.
pub fn encode_mrms(spec: &MrmsSpec) -> Vec<u8> {
    gzip(&encode_grib2(spec))
}

/// Any bytes, gzipped.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let level = libdeflater::CompressionLvl::new(9).unwrap_or_default();
    let mut compressor = libdeflater::Compressor::new(level);
    let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let written = compressor.gzip_compress(bytes, &mut out).expect("the bound is large enough");
    out.truncate(written);
    out
}

/// The bare GRIB2 message.
pub fn encode_grib2(spec: &MrmsSpec) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(section(1, &identification(spec)));
    body.extend(section(3, &grid(spec)));
    body.extend(section(4, &product(spec)));
    body.extend(section(5, &packing(spec)));
    body.extend(section(6, &bitmap(spec)));
    let image = match (spec.num_bits, spec.simple_packing) {
        (0, _) => Vec::new(),
        (bits, true) => plain_bits(&stored_codes(spec), bits),
        (_, false) => image(spec),
    };
    body.extend(section(7, &image));
    body.extend(b"7777");
    let mut message = b"GRIB\0\0".to_vec();
    message.extend([DISCIPLINE_MRMS, 2]);
    message.extend((body.len() as u64 + 16).to_be_bytes());
    message.extend(body);
    message
}

fn section(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32 + 5).to_be_bytes().to_vec();
    out.push(number);
    out.extend(payload);
    out
}

fn identification(spec: &MrmsSpec) -> Vec<u8> {
    let at = TimeZone::UTC.to_datetime(spec.reference_utc);
    let mut out = vec![0, 161, 0, 0, 255, 1, 3];
    out.extend((at.year() as u16).to_be_bytes());
    out.extend([at.month() as u8, at.day() as u8, at.hour() as u8, at.minute() as u8, at.second() as u8, 0, 7]);
    out
}

fn microdegrees(degrees: f64) -> u32 {
    let scaled = (degrees * 1e6).round() as i64;
    // Negative latitudes carry a sign bit, not two's complement.
    if scaled < 0 { 0x8000_0000 | scaled.unsigned_abs() as u32 } else { scaled as u32 }
}

fn grid(spec: &MrmsSpec) -> Vec<u8> {
    let east = |degrees: f64| if degrees < 0.0 { degrees + 360.0 } else { degrees };
    let north = spec.lat_north_deg;
    let south = north - f64::from(spec.nj - 1) * spec.d_deg;
    let west = east(spec.lon_west_deg);
    let last_east = east(spec.lon_west_deg + f64::from(spec.ni - 1) * spec.d_deg);
    let (la1, la2) = if spec.scan_mode & 0x40 == 0 { (north, south) } else { (south, north) };
    let (lo1, lo2) = if spec.scan_mode & 0x80 == 0 { (west, last_east) } else { (last_east, west) };
    let step = if spec.increments_missing { u32::MAX } else { microdegrees(spec.d_deg) };
    let mut out = vec![0];
    out.extend((spec.ni * spec.nj).to_be_bytes());
    out.extend([0, 0, 0, 0]); // no list of row lengths; template 3.0
    out.extend([2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]); // IAG-GRS80 earth
    out.extend(spec.ni.to_be_bytes());
    out.extend(spec.nj.to_be_bytes());
    let (basic, subdivisions) = if spec.increments_missing { (0, u32::MAX) } else { (1, 1_000_000) };
    out.extend(u32::to_be_bytes(basic));
    out.extend(u32::to_be_bytes(subdivisions));
    out.extend(microdegrees(la1).to_be_bytes());
    out.extend(microdegrees(lo1).to_be_bytes());
    out.push(if spec.increments_missing { 0 } else { 48 });
    out.extend(microdegrees(la2).to_be_bytes());
    out.extend(microdegrees(lo2).to_be_bytes());
    out.extend(step.to_be_bytes());
    out.extend(step.to_be_bytes());
    out.push(spec.scan_mode);
    out
}

fn product(spec: &MrmsSpec) -> Vec<u8> {
    let mut out = vec![0, 0, 0, 0, spec.category, spec.number, 8, 0, 97, 0, 0, 0, 0];
    out.extend([0, 0, 0, 0, 102, 0, 0, 0, 1, 244, 255, 1, 0, 0, 0, 0]);
    out
}

fn signed16(value: i16) -> [u8; 2] {
    let magnitude = value.unsigned_abs();
    (if value < 0 { 0x8000 | magnitude } else { magnitude }).to_be_bytes()
}

fn packing(spec: &MrmsSpec) -> Vec<u8> {
    let mut out = (present(spec) as u32).to_be_bytes().to_vec();
    out.extend(if spec.simple_packing { 0u16 } else { 41 }.to_be_bytes());
    out.extend(spec.reference_value.to_be_bytes());
    out.extend(signed16(spec.binary_scale));
    out.extend(signed16(spec.decimal_scale));
    out.extend([spec.num_bits, 0]);
    out
}

fn present(spec: &MrmsSpec) -> usize {
    (spec.ni * spec.nj) as usize - spec.absent.as_ref().map_or(0, Vec::len)
}

fn bitmap(spec: &MrmsSpec) -> Vec<u8> {
    let Some(absent) = &spec.absent else { return vec![255] };
    let order = stored_order(spec);
    let mut bits = vec![0u8; order.len().div_ceil(8)];
    for (n, cell) in order.iter().enumerate() {
        if !absent.contains(cell) {
            bits[n / 8] |= 0x80 >> (n % 8);
        }
    }
    let mut out = vec![0];
    out.extend(bits);
    out
}

/// All cells (column, row from the north) in the order in which `scan_mode` stores them.
fn stored_order(spec: &MrmsSpec) -> Vec<(u32, u32)> {
    let (outer, inner) = if spec.scan_mode & 0x20 == 0 { (spec.nj, spec.ni) } else { (spec.ni, spec.nj) };
    let mut order = Vec::with_capacity((spec.ni * spec.nj) as usize);
    for a in 0..outer {
        for b in 0..inner {
            let b = if spec.scan_mode & 0x10 != 0 && a % 2 == 1 { inner - 1 - b } else { b };
            let (i, j) = if spec.scan_mode & 0x20 == 0 { (b, a) } else { (a, b) };
            let i = if spec.scan_mode & 0x80 == 0 { i } else { spec.ni - 1 - i };
            let j = if spec.scan_mode & 0x40 == 0 { j } else { spec.nj - 1 - j };
            order.push((i, j));
        }
    }
    order
}

/// The codes of all cells that have a value, in stored order.
fn stored_codes(spec: &MrmsSpec) -> Vec<u32> {
    let rows: Vec<_> = (0..spec.nj).map(|row| spec.row_codes(row)).collect();
    let absent = spec.absent.as_deref().unwrap_or_default();
    let kept = stored_order(spec).into_iter().filter(|cell| !absent.contains(cell));
    kept.map(|(i, j)| rows[j as usize][i as usize]).collect()
}

/// Codes one after the other, highest bit first, without regard to bytes.
fn plain_bits(codes: &[u32], bits: u8) -> Vec<u8> {
    let mut out = vec![0u8; (codes.len() * usize::from(bits)).div_ceil(8)];
    let places = codes.iter().flat_map(|code| (0..bits).rev().map(move |bit| code >> bit & 1));
    for (n, bit) in places.enumerate() {
        out[n / 8] |= (bit as u8) << (7 - n % 8);
    }
    out
}

/// The stored codes as PNG rows: as wide as the grid where all cells are present, one single row where a bitmap thins them.
fn image(spec: &MrmsSpec) -> Vec<u8> {
    let bits = spec.png_bits.unwrap_or(spec.num_bits);
    let (color, depth) = match bits {
        1 => (png::ColorType::Grayscale, png::BitDepth::One),
        2 => (png::ColorType::Grayscale, png::BitDepth::Two),
        4 => (png::ColorType::Grayscale, png::BitDepth::Four),
        8 => (png::ColorType::Grayscale, png::BitDepth::Eight),
        16 => (png::ColorType::Grayscale, png::BitDepth::Sixteen),
        24 => (png::ColorType::Rgb, png::BitDepth::Eight),
        32 => (png::ColorType::Rgba, png::BitDepth::Eight),
        other => panic!("PNG has no pixels of {other} bits"),
    };
    let (width, height) = match spec.absent {
        None if spec.scan_mode & 0x20 == 0 => (spec.ni, spec.nj),
        None => (spec.nj, spec.ni),
        Some(_) => (present(spec) as u32, 1),
    };
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().expect("a Vec takes everything");
    let mut stream = writer.stream_writer().expect("a Vec takes everything");
    let mut put = |codes: &[u32]| {
        std::io::Write::write_all(&mut stream, &pack(codes, bits)).expect("a Vec takes everything");
    };
    if spec.scan_mode == 0 && spec.absent.is_none() {
        // A national grid must not be held as whole numbers.
        (0..spec.nj).for_each(|row| put(&spec.row_codes(row)));
    } else {
        stored_codes(spec).chunks(width as usize).for_each(put);
    }
    stream.finish().expect("a Vec takes everything");
    writer.finish().expect("a Vec takes everything");
    out
}

/// One PNG row: big-endian samples, or bits from the left with padding at the row's end.
fn pack(codes: &[u32], bits: u8) -> Vec<u8> {
    if bits >= 8 {
        let bytes = usize::from(bits / 8);
        return codes.iter().flat_map(|code| code.to_be_bytes()[4 - bytes..].to_vec()).collect();
    }
    let per_byte = 8 / usize::from(bits);
    let mut out = vec![0u8; codes.len().div_ceil(per_byte)];
    for (n, code) in codes.iter().enumerate() {
        let shift = 8 - usize::from(bits) * (n % per_byte + 1);
        out[n / per_byte] |= ((code & ((1 << bits) - 1)) << shift) as u8;
    }
    out
}
