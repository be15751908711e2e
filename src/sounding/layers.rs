//! Figures of whole layers: lapse rates, moisture, freezing level, the energy of downdrafts.
//!
//! Boundaries: ✓ what needs no lifted parcel. ✗ no winds.

use super::air::{Air, Node};
use super::thermo::{self, GRAVITY, ZERO_C_K};

/// How quickly virtual temperature falls with height between two levels, K/km. SPC's programs take the virtual temperature; from
/// the plain temperature the figure is up to 0.3 K/km smaller where moisture falls off quickly.
pub(super) fn lapse_rate_kkm(foot: &Node, top: &Node) -> f64 {
    1000.0 * (foot.virtual_c - top.virtual_c) / (top.height_agl_m - foot.height_agl_m)
}

/// Water in the whole column if all of it fell, mm: mixing ratio over pressure, as far up as there are dew points
/// (American Meteorological Society, Glossary of Meteorology, "precipitable water").
pub(super) fn precipitable_water_mm(air: &Air) -> f64 {
    let kg_m2 = air.nodes.windows(2).filter_map(|pair| {
        let specific = |node: &Node| {
            let ratio = 0.001 * thermo::mixing_ratio_gkg(node.pressure_hpa, node.dew_point_c?);
            Some(ratio / (1.0 + ratio))
        };
        let mean = 0.5 * (specific(&pair[0])? + specific(&pair[1])?);
        Some(mean * 100.0 * (pair[0].pressure_hpa - pair[1].pressure_hpa) / GRAVITY)
    });
    kg_m2.sum()
}

/// Lowest height at which temperature falls through 0 °C, m over the ground; 0 where the ground is at or below freezing.
pub(super) fn freezing_level_m_agl(air: &Air) -> Option<f64> {
    if air.surface().temperature_c <= 0.0 {
        return Some(0.0);
    }
    let pair = air.nodes.windows(2).find(|pair| pair[1].temperature_c <= 0.0)?;
    let part = pair[0].temperature_c / (pair[0].temperature_c - pair[1].temperature_c);
    Some(super::mix(pair[0].height_agl_m, pair[1].height_agl_m, part))
}

/// Depth in which the source of a downdraft is looked for, and depth of the layer it is the mean of, hPa.
const DOWNDRAFT_HPA: (f64, f64) = (400.0, 100.0);

/// Downdraft CAPE, J/kg: what air gains that sinks saturated from the middle of the 100-hPa layer of least equivalent potential
/// temperature in the lowest 400 hPa. Plain temperature, not virtual, as SPC's programs have it; parts in which the sinking air
/// is the warmer count against it.
///
/// Gilmore and Wicker (1998, Mon. Wea. Rev. 126, 943-958) on what it can and cannot tell.
pub(super) fn dcape_jkg(air: &Air) -> Option<f64> {
    let theta_e = |node: &Node| {
        Some(thermo::equivalent_potential_temperature_c(node.pressure_hpa, node.temperature_c, node.dew_point_c?))
    };
    let (search_hpa, depth_hpa) = DOWNDRAFT_HPA;
    let surface_hpa = air.surface().pressure_hpa;
    let (highest_hpa, needed_hpa) = (surface_hpa - search_hpa, surface_hpa - search_hpa - depth_hpa);
    // (pressure, equivalent potential temperature) of every level that a layer may hold, and one beyond.
    let inside = air.above(needed_hpa) + 1;
    let known: Vec<(f64, f64)> =
        air.nodes.iter().take(inside).filter_map(|node| Some((node.pressure_hpa, theta_e(node)?))).collect();
    let feet = known.iter().filter(|(pressure_hpa, _)| *pressure_hpa >= highest_hpa);
    let means = feet
        .filter_map(|(foot_hpa, _)| Some((foot_hpa - 0.5 * depth_hpa, mean(&known, *foot_hpa, foot_hpa - depth_hpa)?)));
    let (source_hpa, _) = means.min_by(|a, b| a.1.total_cmp(&b.1))?;

    let source = air.at(source_hpa)?;
    let adiabat_c = thermo::wet_bulb_potential_temperature_c(source_hpa, source.temperature_c, source.dew_point_c?);
    let below = air.nodes.iter().zip(&air.exner).filter(|(node, _)| node.pressure_hpa > source_hpa).rev();
    let way = std::iter::once((&source, thermo::exner(source_hpa))).chain(below.map(|(node, exner)| (node, *exner)));
    let (mut energy_jkg, mut last): (f64, Option<(f64, f64, f64)>) = (0.0, None);
    for (node, exner) in way {
        let guess_c = last.map_or(node.temperature_c, |(_, _, sinking_c)| sinking_c);
        let sinking_c = thermo::moist_temperature_c(exner, adiabat_c, guess_c);
        let deficit = (node.temperature_c - sinking_c) / (node.temperature_c + ZERO_C_K);
        if let Some((height_agl_m, last_deficit, _)) = last {
            energy_jkg += GRAVITY * 0.5 * (deficit + last_deficit) * (height_agl_m - node.height_agl_m);
        }
        last = Some((node.height_agl_m, deficit, sinking_c));
    }
    Some(energy_jkg.max(0.0))
}

/// Mean over a layer of something known at levels (pressure falling) and straight in between; `None` where it is not known to the top.
fn mean(known: &[(f64, f64)], foot_hpa: f64, top_hpa: f64) -> Option<f64> {
    let mut sum = 0.0;
    for pair in known.windows(2) {
        let [(lower_hpa, lower), (upper_hpa, upper)] = pair else { continue };
        if *lower_hpa > foot_hpa || *lower_hpa <= top_hpa {
            continue;
        }
        let end_hpa = upper_hpa.max(top_hpa);
        let end = super::mix(*lower, *upper, (lower_hpa - end_hpa) / (lower_hpa - upper_hpa));
        sum += 0.5 * (lower + end) * (lower_hpa - end_hpa);
    }
    (known.last()?.0 <= top_hpa).then(|| sum / (foot_hpa - top_hpa))
}
