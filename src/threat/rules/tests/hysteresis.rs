//! Whatever raises a level keeps it when every figure eases by less than a tenth: the same rule about the same subject at the
//! same level, whatever else is nearly there. Over evidence by chance, from a fixed seed.

use super::*;
use crate::outlook::Category as Risk;
use crate::sounding::Environment;
use crate::storm_report::Category;
use crate::threat::tests::scene::{Chance, outlook, product, report, tags};
use crate::warning::IncidentKey;
use crate::warning::incidents::{Approach, WarningSight};

/// A little less than the tenth by which clear thresholds are easier.
const EASED: f64 = 0.91;

/// The same scene twice: as it is, and with every figure eased. Reports do not move: those at hand are well within or well
/// beyond their circle.
fn scene(chance: &mut Chance) -> [Evidence; 2] {
    let mut scenes = [quiet(), quiet()];
    let mut put = |put: &dyn Fn(Evidence, f64) -> Evidence| {
        let [first, eased] = scenes.clone();
        scenes = [put(first, 1.0), put(eased, EASED)];
    };
    if chance.one_in(2) {
        let event = chance.pick(&["Tornado Warning", "Severe Thunderstorm Warning", "Special Marine Warning"]);
        let km = chance.pick(&[0.0, 5.0, 14.0, 16.0, 30.0, 39.0, 41.0, 60.0]);
        let (arrives, minutes) = (chance.one_in(2), chance.within(5.0, 75.0));
        let observed = chance.one_in(3);
        put(&|evidence, eased| {
            let approach = Approach { minutes: minutes / eased, passes_km: 1.0, toward: true };
            let tags = tags(|tags| tags.tornado_detection = observed.then(|| "OBSERVED".to_owned()));
            let sight = product(event, km / eased, tags, arrives.then_some(approach));
            evidence.with_warning(WarningSight { key: IncidentKey(event.into()), ..sight })
        });
    }
    for (radar, least, most) in [
        (Product::MeshMax60min, 20.0, 60.0),
        (Product::RotationTrackMl60min, 6.0, 14.0),
        (Product::RotationTrackLl60min, 4.0, 12.0),
        (Product::CompositeReflectivity, 40.0, 65.0),
    ] {
        let cells: Vec<(f64, f64)> =
            (0..chance.below(4)).map(|_| (chance.within(least, most), chance.within(0.0, 40.0))).collect();
        put(&|evidence, eased| {
            let cells: Vec<(f64, f64)> = cells.iter().map(|(value, km)| (value * eased, km / eased)).collect();
            evidence.with_radar(radar, &cells)
        });
    }
    if chance.one_in(2) {
        let category = chance.pick(&[None, Some(Risk::Tstm), Some(Risk::Slgt), Some(Risk::Mdt)]);
        let pct = chance.pick(&[None, Some(5), Some(10), Some(15)]);
        put(&|evidence, _| evidence.with_outlook(outlook(category, pct)));
    }
    if chance.one_in(2) {
        let (stp, scp) = (chance.within(0.5, 4.0), chance.within(2.0, 6.0));
        let (cape, shear) = (chance.within(1500.0, 3000.0), chance.within(30.0, 60.0));
        put(&|evidence, eased| {
            evidence.with_air(Environment {
                stp_effective: Some(stp * eased),
                scp: Some(scp * eased),
                mucape_jkg: Some(cape * eased),
                bulk_shear_0_6km_kt: Some(shear * eased),
                ..Environment::default()
            })
        });
    }
    for _ in 0..chance.below(4) {
        let category =
            chance.pick(&[Category::Tornado, Category::Hail, Category::ThunderstormWindGust, Category::Dust]);
        let (km, ago) = (chance.pick(&[10.0, 70.0, 95.0]), chance.pick(&[10, 70, 100, 150]));
        put(&|evidence, _| evidence.with_report(report(category.clone(), km, ago)));
    }
    if chance.one_in(3) {
        let km = chance.within(0.0, 45.0);
        put(&|evidence, eased| evidence.with_flash(km / eased));
    }
    scenes
}

#[test]
fn whatever_raises_keeps_until_a_tenth_below() {
    let mut chance = Chance::new(20_260_610);
    let mut reasons = 0;
    for round in 0..5_000 {
        let [evidence, eased] = scene(&mut chance);
        let keeps = judge(&eased, now(), Mode::Clear);
        for raises in judge(&evidence, now(), Mode::Raise) {
            let raises = raises.reason;
            let same = |kept: &Reason| {
                (&kept.rule, &kept.subject, kept.level) == (&raises.rule, &raises.subject, raises.level)
            };
            assert!(keeps.iter().any(|kept| same(&kept.reason)), "round {round}: {raises:?}\nof {keeps:#?}");
            reasons += 1;
        }
    }
    assert!(reasons > 5_000, "{reasons} reasons were looked at");
}
