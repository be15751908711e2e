//! Which parcels are lifted: the surface one, the mixed layer's, the most unstable one.
//!
//! Boundaries: ✓ where a parcel starts and with what. ✗ no lifting.

use super::air::{Air, Node};
use super::parcel::Parcel;
use super::thermo;

/// Depth of the mixed layer, hPa (SPC's operational choice; Craven, Jewell and Brooks 2002, Wea. Forecasting 17, 885-890).
pub const MIXED_HPA: f64 = 100.0;
/// Depth of the mixed layer of the RAP's own "90-0 mb" CAPE, hPa: for comparison with the model's figures.
pub const MIXED_RAP_HPA: f64 = 90.0;
/// Depth in which the most unstable parcel is looked for, hPa.
pub const UNSTABLE_HPA: f64 = 300.0;

/// The air at the ground.
pub(super) fn surface(air: &Air) -> Option<Parcel> {
    parcel_of(air.surface())
}

fn parcel_of(node: &Node) -> Option<Parcel> {
    let Node { pressure_hpa, temperature_c, dew_point_c, .. } = *node;
    Some(Parcel { pressure_hpa, temperature_c, dew_point_c: dew_point_c? })
}

/// The lowest `depth_hpa` mixed, lifted from the ground.
///
/// SPC's operational mean, in which every level counts alike and the two ends half, and moisture is that of the mean dew point at
/// the mean pressure. MetPy weights with pressure and takes the mean mixing ratio: in files of 25-hPa steps that comes out 40 m
/// lower in its condensation level and 60 J/kg higher than what SPC publishes.
pub(super) fn mixed(air: &Air, depth_hpa: f64) -> Option<Parcel> {
    let surface_hpa = air.surface().pressure_hpa;
    let top = air.at(surface_hpa - depth_hpa)?;
    let below = air.nodes.iter().take_while(|node| node.pressure_hpa > top.pressure_hpa);
    let layer: Vec<Node> = below.copied().chain(std::iter::once(top)).collect();
    let (mut theta_c, mut dew_point_c, mut pressure_hpa) = (0.0, 0.0, 0.0);
    let ends = [0, layer.len() - 1];
    for (index, node) in layer.iter().enumerate() {
        let weight = if ends.contains(&index) { 0.5 } else { 1.0 } / ends[1] as f64;
        theta_c += weight * thermo::potential_temperature_c(node.pressure_hpa, node.temperature_c);
        dew_point_c += weight * node.dew_point_c?;
        pressure_hpa += weight * node.pressure_hpa;
    }
    let ratio_gkg = thermo::mixing_ratio_gkg(pressure_hpa, dew_point_c);
    Some(Parcel {
        pressure_hpa: surface_hpa,
        temperature_c: thermo::dry_temperature_c(surface_hpa, theta_c),
        dew_point_c: thermo::dew_point_of_mixing_ratio_c(surface_hpa, ratio_gkg),
    })
}

/// The parcel of the highest equivalent potential temperature in the lowest [`UNSTABLE_HPA`].
pub(super) fn most_unstable(air: &Air) -> Option<Parcel> {
    let highest_hpa = air.surface().pressure_hpa - UNSTABLE_HPA;
    let low = air.nodes.iter().take_while(|node| node.pressure_hpa >= highest_hpa).filter_map(parcel_of);
    let ranked =
        low.map(|p| (thermo::wet_bulb_potential_temperature_c(p.pressure_hpa, p.temperature_c, p.dew_point_c), p));
    // The lowest of equals.
    ranked.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, parcel)| parcel)
}
