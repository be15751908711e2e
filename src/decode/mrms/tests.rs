//! The M rows of the field reports: what went wrong for people who read such files, each with the right value. M07 (kinds of
//! nothing) is in `mosaic::tests`, M14 (irregular times) in `sources::mrms::tests`; M16 is about Lambert grids, which no
//! radar mosaic uses: they get a typed error here.

use super::*;
use crate::decode::planted::{self, MrmsSpec};
use crate::mosaic::{BuildError, Kind};

fn at() -> Timestamp {
    "2026-05-20T21:30:00Z".parse().unwrap()
}

/// A grid small enough to write its values down, all of them signals of a product without sentinels.
fn small(ni: u32, nj: u32, bits: u8, values: &[f64]) -> MrmsSpec {
    let mut spec = MrmsSpec { ni, nj, num_bits: bits, ..MrmsSpec::rotation_ml_60min(at()) };
    let cells = (0..nj).flat_map(|j| (0..ni).map(move |i| (i, j)));
    spec.cells = cells.zip(values).map(|((i, j), &value)| (i, j, value)).collect();
    spec
}

fn values(spec: &MrmsSpec) -> Vec<Option<f64>> {
    let cells = field("x", &planted::encode_mrms(spec)).unwrap().cells;
    let all = (0..spec.nj).flat_map(|row| (0..spec.ni).map(move |column| (row, column)));
    all.map(|(row, column)| cells.reading(row, column).unwrap().value).collect()
}

fn error(bytes: &[u8]) -> String {
    field("x", bytes).unwrap_err().to_string()
}

#[test]
fn m01_png_packing_decodes() {
    assert_eq!(values(&small(2, 2, 8, &[1.0, 2.0, 3.0, 4.0])), [1.0, 2.0, 3.0, 4.0].map(Some));
    let mut wide = small(2, 2, 24, &[1.0, 70_000.0, 3.0, 16_000_000.0]);
    assert_eq!(values(&wide), [1.0, 70_000.0, 3.0, 16_000_000.0].map(Some));
    wide.num_bits = 32;
    assert_eq!(values(&wide), [1.0, 70_000.0, 3.0, 16_000_000.0].map(Some));
}

#[test]
fn m02_narrow_pixels_are_unpacked_row_by_row_with_padding() {
    assert_eq!(values(&small(3, 2, 4, &[1.0, 15.0, 3.0, 4.0, 5.0, 6.0])), [1.0, 15.0, 3.0, 4.0, 5.0, 6.0].map(Some));
    assert_eq!(values(&small(3, 2, 2, &[1.0, 2.0, 3.0, 3.0, 2.0, 1.0])), [1.0, 2.0, 3.0, 3.0, 2.0, 1.0].map(Some));
    let ones = small(3, 2, 1, &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(values(&ones), [Some(1.0), None, Some(1.0), None, None, Some(1.0)]);
}

#[test]
fn a_bit_count_that_is_not_the_images_gives_right_values_or_an_error_never_wrong_ones() {
    let ten = MrmsSpec { png_bits: Some(16), ..small(2, 2, 10, &[1.0, 1000.0, 512.0, 3.0]) };
    assert_eq!(values(&ten), [1.0, 1000.0, 512.0, 3.0].map(Some));
    let too_wide = MrmsSpec { png_bits: Some(16), ..small(2, 2, 8, &[1.0, 300.0, 5.0, 3.0]) };
    let text = error(&planted::encode_mrms(&too_wide));
    assert!(text.contains("code 300") && text.contains("8 bits"), "{text}");
    let too_narrow = MrmsSpec { png_bits: Some(8), ..small(2, 2, 16, &[1.0, 2.0, 5.0, 3.0]) };
    let text = error(&planted::encode_mrms(&too_narrow));
    assert!(text.contains("16 bits a value, the PNG has 8"), "{text}");
}

#[test]
fn m04_a_bitmap_over_a_constant_field() {
    let mut spec = MrmsSpec { ni: 4, nj: 1, reference_value: 7.0, ..small(4, 1, 0, &[]) };
    spec.absent = Some(vec![(1, 0), (3, 0)]);
    assert_eq!(values(&spec), [Some(7.0), None, Some(7.0), None]);
    let cells = field("x", &planted::encode_mrms(&spec)).unwrap().cells;
    assert_eq!(cells.reading(0, 1).unwrap().kind, Kind::Absent);
    assert!(!Kind::Absent.is_covered());
    // The same with codes, in an image that holds the present cells only.
    let mut spec = small(4, 2, 8, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    spec.absent = Some(vec![(0, 0), (2, 1), (3, 1)]);
    assert_eq!(values(&spec), [None, Some(2.0), Some(3.0), Some(4.0), Some(5.0), Some(6.0), None, None]);
}

#[test]
fn m05_9999_is_a_value() {
    assert_eq!(values(&small(2, 1, 16, &[9999.0, 1.0])), [Some(9999.0), Some(1.0)]);
}

#[test]
fn m08_longitudes_of_either_turn_are_one_meridian() {
    let mut spec = MrmsSpec { lon_west_deg: -100.5, lat_north_deg: 40.5, ni: 101, nj: 101, ..MrmsSpec::vil(at()) };
    let (i, j) = spec.cell_of(40.0, -100.0).unwrap();
    spec.cells.push((i, j, 33.0));
    let field = field("x", &planted::encode_mrms(&spec)).unwrap();
    // Stored as 259.5 east.
    assert_eq!(field.cells.grid().lon_west_ndeg, 259_500_000_000);
    let place = crate::geo::LatLon::new(40.0, -100.0).unwrap();
    let found = field.cells.max_within(place, 0.5).unwrap();
    assert_eq!((found.value, found.at), (33.0, place));
}

#[test]
fn m10_missing_increments_are_reckoned_from_the_corners() {
    let spec = MrmsSpec { increments_missing: true, ..small(3, 2, 8, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) };
    let grid = *field("x", &planted::encode_mrms(&spec)).unwrap().cells.grid();
    assert_eq!((grid.d_lat_ndeg, grid.d_lon_ndeg, grid.lat_north_ndeg), (5_000_000, 5_000_000, 42_000_000_000));
}

#[test]
fn m11_every_scanning_order_gives_every_place_its_value() {
    let figures: Vec<f64> = (1..=12).map(f64::from).collect();
    for scan_mode in (0..16).map(|bits| bits << 4) {
        for simple_packing in [false, true] {
            let spec = MrmsSpec { scan_mode, simple_packing, ..small(4, 3, 8, &figures) };
            let read = values(&spec);
            assert_eq!(read, figures.iter().copied().map(Some).collect::<Vec<_>>(), "{scan_mode:#x}");
            let cells = field("x", &planted::encode_mrms(&spec)).unwrap().cells;
            assert_eq!((cells.grid().lat_deg(0), cells.grid().lon_deg(0)), (42.0, -95.0), "{scan_mode:#x}");
        }
    }
    // More rows than a band of tiles, from the south.
    let mut tall = MrmsSpec { ni: 70, nj: 75, scan_mode: 0x40, ..MrmsSpec::vil(at()) };
    tall.cells = vec![(0, 0, 10.0), (69, 74, 20.0), (33, 40, 30.0)];
    let turned = MrmsSpec { scan_mode: 0, ..tall.clone() };
    assert_eq!(values(&tall), values(&turned));
}

#[test]
fn other_packings_are_read_too() {
    let mut spec = MrmsSpec { ni: 40, nj: 35, num_bits: 13, simple_packing: true, ..MrmsSpec::mesh_max_60min(at()) };
    spec.cells = vec![(3, 2, 25.4), (39, 34, 0.0), (0, 34, -3.0)];
    let cells = field("x", &planted::encode_mrms(&spec)).unwrap().cells;
    assert_eq!(cells.max(), Some((25.4, 2, 3)));
    let counts = cells.counts();
    assert_eq!((counts.signal, counts.no_echo, counts.no_coverage, counts.missing), (1, 1, 1, 40 * 35 - 3));
}

#[test]
fn m13_files_that_are_not_whole_are_refused_whole() {
    let mut spec = MrmsSpec::mesh_max_60min(at());
    spec.cells.push((200, 100, 44.5));
    let gz = planted::encode_mrms(&spec);
    assert!(error(&gz[..gz.len() * 6 / 10]).contains("gzip"));
    let bare = planted::encode_grib2(&spec);
    let text = error(&bare[..bare.len() - 10]);
    assert!(text.contains("cut short") && text.contains(&bare.len().to_string()), "{text}");
    let mut unended = bare.clone();
    let end = unended.len() - 4;
    unended[end..].copy_from_slice(b"0000");
    assert!(error(&unended).contains("no closing 7777"));
    let mut longer = bare.clone();
    longer[15] = longer[15].wrapping_add(1);
    assert!(error(&longer).contains("cut short"), "{}", error(&longer));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    assert!(error(b"<!DOCTYPE html><html>503</html>").contains("a web page"));
    assert!(error(b"").contains("nothing"));
    let bare = planted::encode_grib2(&MrmsSpec::mesh_max_60min(at()));
    let with = |at: usize, byte: u8| {
        let mut bytes = bare.clone();
        bytes[at] = byte;
        error(&bytes)
    };
    assert!(with(7, 1).contains("edition 1"));
    assert!(with(16 + 14, 13).contains("section 1 at byte 16"), "{}", with(16 + 14, 13)); // month 13
    assert!(with(37 + 13, 30).contains("grid template 3.30") || with(37 + 13, 30).contains("section 3"));
    assert!(with(37 + 33, 9).contains("section 3 at byte 37"), "{}", with(37 + 33, 9)); // Ni
    let meteorological = with(6, 0);
    assert!(meteorological.contains("0/3/30") && meteorological.contains("discipline 209"), "{meteorological}");
    // Two messages in one file: the first counts, and it is said.
    let twice = [bare.clone(), bare.clone()].concat();
    assert!(field("x", &twice).unwrap().faults[0].what.contains("follow the first message"));
}

#[test]
fn an_image_of_another_size_than_the_grid_is_refused() {
    let image_of = |ni, nj| planted::encode_grib2(&small(ni, nj, 8, &[1.0; 12]));
    let (a, b) = (image_of(4, 3), image_of(3, 4));
    // Section 3 ends at the same byte in both: the head of one, the image of the other.
    let mut mixed = [&a[..109], &b[109..]].concat();
    let length = mixed.len() as u64;
    mixed[8..16].copy_from_slice(&length.to_be_bytes());
    let text = error(&mixed);
    assert!(text.contains("PNG of 3 x 4 for a grid of 4 x 3"), "{text}");
}

#[test]
fn a_gzip_bomb_is_refused_by_size() {
    let bomb = planted::gzip(&vec![0; GRIB_BYTES_MAX + 1]);
    assert_eq!(field("x", &bomb).unwrap_err(), MrmsError::TooLarge { limit_bytes: GRIB_BYTES_MAX });
}

#[test]
fn the_name_of_a_file_tells_its_time() {
    let time = |name: &str| name_time(name).map(|time| time.to_string());
    let key = "CONUS/VIL_00.50/20260610/MRMS_VIL_00.50_20260610-213007.grib2.gz";
    assert_eq!(time(key).as_deref(), Some("2026-06-10T21:30:07Z"));
    for name in ["mrms_mesh_sample.grib2.gz", "MRMS_VIL_00.50_20261310-213007.grib2.gz", "_-", "x_2026061é-213007.gz"]
    {
        assert_eq!(time(name), None, "{name}");
    }
}

#[test]
fn rows_out_of_turn_are_refused() {
    let grid = *field("x", &planted::encode_mrms(&MrmsSpec::vil(at()))).unwrap().cells.grid();
    let scale = crate::mosaic::Scale { reference: 0.0, binary: 0, decimal: 0 };
    let mut builder = crate::mosaic::Builder::new(grid, scale, 8, &Profile::of(Product::Vil)).unwrap();
    assert!(matches!(builder.row_bytes::<1>(1, &[0; 400], &[]), Err(BuildError::Row { row: 1, .. })));
    assert!(matches!(builder.row_bytes::<1>(0, &[0; 399], &[]), Err(BuildError::Row { row: 0, .. })));
    builder.row_bytes::<1>(0, &[0; 400], &[]).unwrap();
    assert!(matches!(builder.finish(), Err(BuildError::Row { why: "never came", .. })));
}

#[test]
fn extreme_figures_in_the_grid_section_are_refused_or_sound() {
    let whole = gunzip(&planted::encode_mrms(&small(2, 2, 8, &[1.0, 2.0, 3.0, 4.0]))).unwrap();
    let at = 16 + 21;
    assert_eq!(whole[at + 4], 3, "section 3 follows the first two");
    // Ni, Nj, basic angle, its parts, La1, Lo1, La2, Lo2, Di, Dj; then the order of cells.
    let fields = [30, 34, 38, 42, 46, 50, 55, 59, 63, 67].map(|offset| at + offset);
    let extremes = [0_u32, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, u32::MAX];
    let mut refused = 0;
    for scan in [0x00, 0x40, 0x80] {
        for unit in [None, Some((u32::MAX - 1, 1)), Some((1, u32::MAX - 1))] {
            for (n, &first) in fields.iter().enumerate() {
                for &second in &fields[n..] {
                    for (one, two) in extremes.iter().flat_map(|&one| extremes.iter().map(move |&two| (one, two))) {
                        let mut grib = whole.clone();
                        let mut put = |place: usize, figure: u32| {
                            grib[place..place + 4].copy_from_slice(&figure.to_be_bytes());
                        };
                        if let Some((angle, parts)) = unit {
                            put(fields[2], angle);
                            put(fields[3], parts);
                        }
                        put(first, one);
                        put(second, two);
                        grib[at + 71] = scan;
                        match grib2::read(&grib) {
                            Ok(message) => assert!(message.grid.is_sound()),
                            Err(_) => refused += 1,
                        }
                    }
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}
