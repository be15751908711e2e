use super::*;

fn sweep(elevation_deg: f64, dbz: f64, range_km: f64) -> Sweep {
    let gate = Gate { dbz, range_km, azimuth_deg: 10.0, elevation_deg };
    Sweep {
        elevation_deg,
        radials: 360,
        azimuths_covered_deg: 360,
        moments: vec!["REF".to_owned()],
        max_reflectivity: Some(gate),
        highest_echo: (dbz >= ECHO_TOP_DBZ && range_km <= ECHO_TOP_RANGE_KM_MAX).then_some(gate),
    }
}

fn volume(sweeps: Vec<Sweep>) -> RadarVolume {
    RadarVolume {
        station: Some("KTLX".to_owned()),
        format: "AR2V0006".to_owned(),
        scan_start_utc: Timestamp::UNIX_EPOCH,
        scan_end_utc: Timestamp::UNIX_EPOCH,
        vcp: Some(212),
        sweeps,
        completeness: Completeness::Complete,
    }
}

#[test]
fn the_highest_tilt_is_by_angle_not_by_order() {
    // SAILS: the lowest cut comes again after the highest.
    let volume = volume(vec![sweep(0.5, 60.0, 100.0), sweep(6.4, 20.0, 30.0), sweep(0.5, 61.0, 90.0)]);
    let top = volume.echo_top().unwrap();
    assert_eq!(top.gate.elevation_deg, 6.4);
    assert!(
        (top.km_above_radar - (30.0 * 6.4f64.to_radians().sin() + 900.0 / (2.0 * 4.0 / 3.0 * 6371.0))).abs() < 1e-9
    );
    assert_eq!(volume.max_reflectivity().unwrap().dbz, 61.0);
}

#[test]
fn an_angle_below_the_horizon_is_the_lowest_tilt_r05() {
    let low = signed_elevation_deg(359.7803);
    assert!((low + 0.2197).abs() < 1e-9);
    let volume = volume(vec![sweep(low, 50.0, 80.0), sweep(0.5, 30.0, 80.0)]);
    assert_eq!(volume.echo_top().unwrap().gate.elevation_deg, 0.5);
}

#[test]
fn no_echo_has_no_top() {
    assert_eq!(volume(vec![sweep(0.5, 17.5, 10.0), sweep(1.0, 60.0, 200.0)]).echo_top(), None);
}

#[test]
fn the_table_holds_every_site_once_and_the_nearest_come_first() {
    let ids: Vec<String> = sites().map(|site| site.id).collect();
    assert_eq!(ids.len(), 161);
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    let near = nearest_sites(LatLon::new(35.47, -97.52).unwrap(), 3);
    let names: Vec<&str> = near.iter().map(|(site, _)| site.id.as_str()).collect();
    assert_eq!(names, ["KTLX", "KVNX", "KFDR"]);
    assert!((near[0].1 - 26.7).abs() < 0.05);
}
