//! Level II volumes with planted echoes, written after the interface control documents 2620002 (messages) and 2620010
//! (Archive II): a header, then bzipped records of messages 2, 5 and 31.

use bzip2::Compression;
use bzip2::read::BzEncoder;
use jiff::Timestamp;
use std::io::Read;

/// Bytes of a frame of the older messages.
const FRAME_BYTES: usize = 2432;
/// Gates of a radial, of 250 m, the first 2.125 km out.
pub const GATES: u16 = 400;
/// Radials of one record.
const RECORD_RADIALS: usize = 120;

/// One echo: cut from 0, radial from 0, gate from 0, dBZ in halves.
pub type Echo = (usize, u16, u16, f64);

/// What is planted.
pub struct VolumeSpec {
    /// Four letters.
    pub station: &'static str,
    /// When it begins.
    pub start_utc: Timestamp,
    /// Pattern that message 5 names; 0 leaves the message out.
    pub vcp: u16,
    /// Cuts that message 5 promises.
    pub cuts_promised: u16,
    /// Elevation of each cut, as written: below the horizon as just under 360 degrees.
    pub cuts_deg: Vec<f32>,
    /// Radials of each cut, a degree apart.
    pub radials: u16,
    /// Whether the last radial ends the volume.
    pub ends: bool,
    /// Flags of message 2: 2 may end early, 4 may not.
    pub scan_flags: u16,
    /// The echoes.
    pub echoes: Vec<Echo>,
    /// A block of an unknown moment in every radial, and one without gates.
    pub odd_blocks: bool,
}

impl VolumeSpec {
    /// Three whole cuts of pattern 212 that ends as planned.
    pub fn new(station: &'static str, start_utc: Timestamp) -> Self {
        Self {
            station,
            start_utc,
            vcp: 212,
            cuts_promised: 3,
            cuts_deg: vec![0.5, 1.5, 6.4],
            radials: 360,
            ends: true,
            scan_flags: 2,
            echoes: Vec::new(),
            odd_blocks: false,
        }
    }
}

/// The whole file.
pub fn encode(spec: &VolumeSpec) -> Vec<u8> {
    let mut file = header(spec);
    for record in records(spec) {
        file.extend(wrapped(&record));
    }
    file
}

/// The first 24 bytes.
pub fn header(spec: &VolumeSpec) -> Vec<u8> {
    let (days, ms) = date(spec.start_utc);
    let mut bytes = b"AR2V0006.001".to_vec();
    bytes.extend(u32::from(days).to_be_bytes());
    bytes.extend(ms.to_be_bytes());
    bytes.extend(spec.station.as_bytes());
    bytes
}

/// Records as they are before bzip2.
pub fn records(spec: &VolumeSpec) -> Vec<Vec<u8>> {
    let mut first = message_2(spec);
    if spec.vcp != 0 {
        first.extend(message_5(spec));
    }
    let mut records = vec![first];
    let last = (spec.cuts_deg.len().saturating_sub(1), spec.radials.saturating_sub(1));
    let mut radials = Vec::new();
    for cut in 0..spec.cuts_deg.len() {
        for radial in 0..spec.radials {
            let status = match (cut, radial) {
                (0, 0) => 3,
                (_, 0) => 0,
                here if here == last && spec.ends => 4,
                (_, radial) if radial == last.1 => 2,
                _ => 1,
            };
            radials.push(message_31(spec, cut, radial, status));
        }
    }
    records.extend(radials.chunks(RECORD_RADIALS).map(<[Vec<u8>]>::concat));
    records
}

/// One record bzipped, its length before it.
pub fn wrapped(record: &[u8]) -> Vec<u8> {
    let mut zipped = Vec::new();
    BzEncoder::new(record, Compression::best()).read_to_end(&mut zipped).expect("bytes in memory can be zipped");
    let length = u32::try_from(zipped.len()).expect("a record is small");
    [length.to_be_bytes().as_slice(), &zipped].concat()
}

fn date(at: Timestamp) -> (u16, u32) {
    let days = u16::try_from(at.as_second().div_euclid(86_400) + 1).expect("before 2149");
    let ms = at.as_millisecond().rem_euclid(86_400_000);
    (days, u32::try_from(ms).expect("less than a day"))
}

fn message_header(spec: &VolumeSpec, kind: u8, bytes: usize) -> Vec<u8> {
    let (days, ms) = date(spec.start_utc);
    let halfwords = u16::try_from((bytes + 16) / 2).expect("a message is small");
    let mut header = vec![0; 12];
    header.extend(halfwords.to_be_bytes());
    header.extend([8, kind, 0, 1]);
    header.extend(days.to_be_bytes());
    header.extend(ms.to_be_bytes());
    header.extend([0, 1, 0, 1]);
    header
}

fn framed(spec: &VolumeSpec, kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = message_header(spec, kind, body.len());
    message.extend(body);
    message.resize(FRAME_BYTES, 0);
    message
}

fn message_2(spec: &VolumeSpec) -> Vec<u8> {
    let mut body = vec![0; 120];
    body[26..28].copy_from_slice(&spec.scan_flags.to_be_bytes());
    framed(spec, 2, &body)
}

fn message_5(spec: &VolumeSpec) -> Vec<u8> {
    let bytes = 22 + 46 * usize::from(spec.cuts_promised);
    let mut body = vec![0; bytes];
    body[0..2].copy_from_slice(&u16::try_from(bytes / 2).expect("small").to_be_bytes());
    body[2..4].copy_from_slice(&2u16.to_be_bytes());
    body[4..6].copy_from_slice(&spec.vcp.to_be_bytes());
    body[6..8].copy_from_slice(&spec.cuts_promised.to_be_bytes());
    framed(spec, 5, &body)
}

fn message_31(spec: &VolumeSpec, cut: usize, radial: u16, status: u8) -> Vec<u8> {
    let mut blocks = vec![volume_block(spec), moment_block(b"REF", GATES, &reflectivity(spec, cut, radial))];
    if spec.odd_blocks {
        blocks.insert(1, moment_block(b"XYZ", 8, &[9; 8]));
        blocks.push(moment_block(b"VEL", 0, &[]));
    }
    let at = spec.start_utc
        + jiff::SignedDuration::from_millis(i64::from(radial) * 40 + i64::try_from(cut).unwrap_or(0) * 15_000);
    let (days, ms) = date(at);
    let mut body = spec.station.as_bytes().to_vec();
    body.extend(ms.to_be_bytes());
    body.extend(days.to_be_bytes());
    body.extend((radial + 1).to_be_bytes());
    body.extend((f32::from(radial) + 0.5).to_be_bytes());
    let head_bytes = 32 + 4 * blocks.len();
    let bytes = head_bytes + blocks.iter().map(Vec::len).sum::<usize>();
    body.extend([0, 0]);
    body.extend(u16::try_from(bytes).expect("a radial is small").to_be_bytes());
    body.extend([2, status, u8::try_from(cut + 1).expect("few cuts"), 1]);
    body.extend(spec.cuts_deg[cut].to_be_bytes());
    body.extend([0, 0]);
    body.extend(u16::try_from(blocks.len()).expect("few blocks").to_be_bytes());
    let mut pointer = head_bytes;
    for block in &blocks {
        body.extend(u32::try_from(pointer).expect("small").to_be_bytes());
        pointer += block.len();
    }
    body.extend(blocks.concat());
    let mut message = message_header(spec, 31, body.len());
    message.extend(body);
    message
}

fn volume_block(spec: &VolumeSpec) -> Vec<u8> {
    let mut block = b"RVOL".to_vec();
    block.extend(44u16.to_be_bytes());
    block.resize(44, 0);
    block[40..42].copy_from_slice(&spec.vcp.to_be_bytes());
    block
}

fn moment_block(name: &[u8; 3], gates: u16, codes: &[u8]) -> Vec<u8> {
    let mut block = vec![b'D'];
    block.extend(name);
    block.extend([0; 4]);
    for figure in [gates, 2_125, 250, 50, 16] {
        block.extend(figure.to_be_bytes());
    }
    block.extend([0, 8]);
    block.extend(2f32.to_be_bytes());
    block.extend(66f32.to_be_bytes());
    block.extend(codes);
    block
}

/// Codes of one radial: 0 where nothing is, else twice the dBZ plus 66.
fn reflectivity(spec: &VolumeSpec, cut: usize, radial: u16) -> Vec<u8> {
    let mut codes = vec![0; usize::from(GATES)];
    for &(_, _, gate, dbz) in spec.echoes.iter().filter(|echo| (echo.0, echo.1) == (cut, radial)) {
        codes[usize::from(gate)] = (dbz * 2.0 + 66.0) as u8;
    }
    codes
}

/// The volume of `fixtures/nexrad`: its key's file name and its bytes.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut spec = VolumeSpec::new("KICT", "2031-05-09T21:25:00Z".parse().expect("a constant"));
    // The largest echo 50 km out on the lowest cut, the highest 30 km out on the third.
    spec.echoes = vec![(0, 250, 192, 61.5), (0, 251, 192, 40.0), (1, 250, 150, 55.0), (2, 249, 112, 24.5)];
    vec![("KICT20310509_212500_V06".to_owned(), encode(&spec))]
}
