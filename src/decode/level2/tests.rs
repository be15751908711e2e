use super::*;
use crate::decode::planted_volume::{self as planted, VolumeSpec};

fn spec() -> VolumeSpec {
    VolumeSpec::new("KICT", "2031-05-09T21:25:00Z".parse().unwrap())
}

fn read(bytes: &[u8]) -> RadarVolume {
    let (volume, faults) = volume("KICT20310509_212500_V06", bytes).unwrap();
    assert_eq!(faults, []);
    volume
}

#[test]
fn planted_echoes_are_found_where_they_are() {
    let volume =
        read(&planted::encode(&VolumeSpec { echoes: vec![(0, 250, 192, 61.5), (2, 249, 112, 24.5)], ..spec() }));
    assert_eq!((volume.station.as_deref(), volume.format.as_str(), volume.vcp), (Some("KICT"), "AR2V0006", Some(212)));
    assert_eq!(volume.scan_start_utc, "2031-05-09T21:25:00Z".parse().unwrap());
    assert_eq!(volume.completeness, Completeness::Complete);
    assert_eq!(volume.sweeps.len(), 3);
    assert!(volume.sweeps.iter().all(|sweep| sweep.radials == 360 && sweep.azimuths_covered_deg == 360));
    let max = volume.max_reflectivity().unwrap();
    assert_eq!((max.dbz, max.range_km, max.azimuth_deg), (61.5, 2.125 + 192.0 * 0.25, 250.5));
    let top = volume.echo_top().unwrap();
    assert_eq!((top.gate.dbz, top.gate.range_km), (24.5, 30.125));
    assert!((top.km_above_radar - 3.411).abs() < 0.01, "{top:?}");
}

#[test]
fn unknown_and_empty_moments_are_passed_over_r04_r10() {
    let volume = read(&planted::encode(&VolumeSpec { echoes: vec![(0, 0, 0, 30.0)], odd_blocks: true, ..spec() }));
    assert_eq!(volume.sweeps[0].moments, ["REF"]);
    assert_eq!(volume.max_reflectivity().unwrap().dbz, 30.0);
}

#[test]
fn an_elevation_of_359_78_is_below_the_horizon_r05() {
    let low = VolumeSpec {
        cuts_deg: vec![359.7803, 0.5],
        cuts_promised: 2,
        echoes: vec![(0, 5, 100, 40.0), (1, 5, 100, 30.0)],
        ..spec()
    };
    let volume = read(&planted::encode(&low));
    assert!((volume.sweeps[0].elevation_deg + 0.2197).abs() < 1e-4);
    assert_eq!(volume.echo_top().unwrap().gate.dbz, 30.0);
}

#[test]
fn the_pattern_is_message_5s_and_not_the_number_of_cuts_r07() {
    let early = VolumeSpec { cuts_promised: 17, ..spec() };
    let volume = read(&planted::encode(&early));
    assert_eq!((volume.vcp, volume.completeness), (Some(212), Completeness::EndedEarly { cuts: 3, of: 17 }));
    let forbidden = VolumeSpec { scan_flags: 4, ..early };
    assert!(matches!(read(&planted::encode(&forbidden)).completeness, Completeness::Incomplete { .. }));
    let endless = VolumeSpec { ends: false, ..spec() };
    assert!(matches!(read(&planted::encode(&endless)).completeness, Completeness::Incomplete { .. }));
    let unnamed = VolumeSpec { vcp: 0, ..spec() };
    assert_eq!(read(&planted::encode(&unnamed)).vcp, None);
}

#[test]
fn a_sweep_that_looks_at_a_part_is_not_taken_for_whole_r08_r11() {
    let volume = read(&planted::encode(&VolumeSpec { radials: 150, ..spec() }));
    assert!(matches!(&volume.completeness, Completeness::Incomplete { why } if why.contains("of 360 degrees")));
    assert!((150..=152).contains(&volume.sweeps[0].azimuths_covered_deg));
}

#[test]
fn one_bad_record_hides_no_other() {
    let mut bytes = planted::header(&spec());
    for (number, record) in
        planted::records(&VolumeSpec { echoes: vec![(2, 300, 9, 50.0)], ..spec() }).iter().enumerate()
    {
        let mut wrapped = planted::wrapped(record);
        if number == 2 {
            wrapped[40..60].fill(0xA5);
        }
        bytes.extend(wrapped);
    }
    let (volume, faults) = volume("x", &bytes).unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(volume.max_reflectivity().unwrap().dbz, 50.0);
    assert!(matches!(volume.completeness, Completeness::Incomplete { .. }));
}

/// Message 2 with a wrong size and a broken segment number: the next frame is looked for, and message 5 is still found.
#[test]
fn after_a_bad_frame_the_next_one_is_read_r14() {
    let mut records = planted::records(&spec());
    records[0][12..14].copy_from_slice(&12_646u16.to_be_bytes());
    records[0][24..28].copy_from_slice(&[0, 3, 0, 2]);
    let mut bytes = planted::header(&spec());
    bytes.extend(records.iter().flat_map(|record| planted::wrapped(record)));
    let (volume, faults) = volume("x", &bytes).unwrap();
    assert_eq!((volume.vcp, volume.completeness), (Some(212), Completeness::Complete));
    assert!(faults.len() == 1 && faults[0].what.contains("not radials"), "{faults:?}");
}

#[test]
fn wrappings_are_undone_or_named_r13() {
    let bytes = planted::encode(&spec());
    let mut zipper = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut zipped = vec![0; zipper.gzip_compress_bound(bytes.len())];
    let length = zipper.gzip_compress(&bytes, &mut zipped).unwrap();
    assert_eq!(read(&zipped[..length]), read(&bytes));
    let wrapped = planted::wrapped(&bytes);
    assert_eq!(read(&wrapped[4..]), read(&bytes));
    let refused = |bytes: &[u8]| volume("x", bytes).unwrap_err().to_string();
    assert!(refused(&[0x1F, 0x9D, 0x90, 1, 2, 3]).contains("unsupported: Unix compress"));
    assert!(refused(b"<html>").contains("a web page"));
    assert!(refused(&bytes[24..]).contains("without the volume header"));
    assert!(refused(&bytes[..24]).contains("no radial"));
    assert!(refused(&zipped[..length / 2]).contains("gzip"));
}

/// A few bytes that promise much: refused without the memory.
#[test]
fn bombs_are_refused_within_the_caps() {
    let zeros = vec![0; 20 << 20];
    let mut bytes = planted::header(&spec());
    bytes.extend(planted::wrapped(&zeros));
    let error = volume("x", &bytes).unwrap_err().to_string();
    assert!(error.contains("more than the 16777216 bytes"), "{error}");
    let mut promise = vec![0x1F, 0x8B, 8, 0];
    promise.extend([0xFF; 12]);
    assert!(volume("x", &promise).unwrap_err().to_string().contains("promise more"));
}
