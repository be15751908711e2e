//! Rules over lightning: the nearest flash, near or in the area.

use super::*;

#[test]
fn near_within_16_km_and_in_the_area_within_40() {
    use Level::{Elevated, Marginal, None};
    for (km, raises, keeps) in [
        (0.0, Elevated, Elevated),
        (16.0, Elevated, Elevated),
        (16.1, Marginal, Elevated),
        (17.7, Marginal, Elevated),
        (17.8, Marginal, Marginal),
        (40.0, Marginal, Marginal),
        (40.1, None, Marginal),
        (44.4, None, Marginal),
        (44.5, None, None),
    ] {
        let evidence = quiet().with_flash(km);
        assert_eq!((raised(&evidence), kept(&evidence)), (raises, keeps), "{km} km");
    }
}

#[test]
fn the_reason_tells_the_nearest_point_and_who_saw_it() {
    let reason = judge(&quiet().with_flash(12.34), now(), Mode::Raise).remove(0).reason;
    assert_eq!((reason.rule.as_str(), reason.source.as_str()), ("lightning_near", "goes-glm"));
    assert_eq!((reason.distance_km, reason.direction.as_deref(), reason.age_s), (Some(12.3), Some("E"), 60));
    assert!(reason.text.contains("12.3 km E") && reason.text.contains("GOES"), "{}", reason.text);
}
