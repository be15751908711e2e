//! All that a granule holds, for `debug decode` and for comparing with other decoders: energies, areas and counts that no
//! rule needs.

use super::{Column, Container, GlmError, pure, read};
use crate::lightning::Granule;
use crate::observation::Fault;
use std::collections::BTreeMap;

/// Square metres in a square kilometre.
const M2_PER_KM2: f64 = 1e6;

/// A granule with what else its file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// The granule.
    pub granule: Granule,
    /// Groups in the file.
    pub groups: usize,
    /// Events in the file.
    pub events: usize,
    /// Unit of the flashes' time offsets, as written.
    pub time_units: Option<String>,
    /// Flashes by quality figure, those left out too.
    pub quality_counts: BTreeMap<i64, usize>,
    /// Radiant energy of each flash in the file's order, J; `None` where it is missing.
    pub energy_j: Vec<Option<f64>>,
    /// Area of each flash, km2; the file's unit is read, not assumed (field report G02).
    pub area_km2: Vec<Option<f64>>,
    /// What was wrong and did not stand in the way.
    pub faults: Vec<Fault>,
}

/// Reads everything.
///
/// # Errors
/// `GlmError`, as `granule`.
pub fn contents(name: &str, bytes: &[u8]) -> Result<Contents, GlmError> {
    pure::with_file(bytes, &|file| all(name, file))
}

fn all(name: &str, file: &dyn Container) -> Result<Contents, GlmError> {
    let (granule, mut faults) = read(name, file)?;
    let mut optional = |variable: &str| {
        file.column(variable).unwrap_or_else(|error| {
            faults.push(Fault { what: error.to_string(), place: format!("{name} {variable}"), kept_rest: true });
            Column::default()
        })
    };
    let mut quality_counts = BTreeMap::new();
    for quality in optional("flash_quality_flag").unpacked().into_iter().flatten() {
        // A figure of at most 16 bits: no cut.
        *quality_counts.entry(quality as i64).or_insert(0) += 1;
    }
    let area = optional("flash_area");
    let per_km2 = match area.units.as_deref() {
        Some("m2") => Some(M2_PER_KM2),
        Some("km2") => Some(1.0),
        Some(_) | None => None,
    };
    let area_km2 = area.unpacked().into_iter().map(|area| Some(area? / per_km2?)).collect();
    let groups = optional("group_id").len();
    let events = optional("event_parent_group_id").len();
    let energy_j = optional("flash_energy").unpacked();
    let time_units = optional("flash_time_offset_of_first_event").units;
    Ok(Contents { granule, groups, events, time_units, quality_counts, energy_j, area_km2, faults })
}
