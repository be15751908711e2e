//! A column with what every parcel needs of it, reckoned once.
//!
//! Boundaries: ✓ virtual temperature, equivalent potential temperature and height over the ground of each level, and between
//! levels. ✗ no parcel is lifted here.

use super::thermo;
use super::{Column, mix};

/// One level of [`Air`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    /// Pressure, hPa.
    pub pressure_hpa: f64,
    /// Its natural logarithm.
    pub ln_p: f64,
    /// Height above the ground, m.
    pub height_agl_m: f64,
    /// Temperature, °C.
    pub temperature_c: f64,
    /// Dew point, °C; above the highest one measured it is missing and the air counts as dry.
    pub dew_point_c: Option<f64>,
    /// Virtual temperature, °C.
    pub virtual_c: f64,
}

/// A column ready for parcels: the surface has a dew point.
#[derive(Debug, Clone)]
pub(super) struct Air {
    /// Levels, surface first.
    pub nodes: Vec<Node>,
    /// [`thermo::exner`] of each level.
    pub exner: Vec<f64>,
}

impl Air {
    /// The column's air; `None` where the surface has no dew point, since then no parcel is known to the end.
    pub fn new(column: &Column) -> Option<Self> {
        column.surface().dew_point_c?;
        let node = |level: &super::Level| {
            let dew_point_c = level.dew_point_c.or_else(|| column.dew_point_c_at(level.pressure_hpa));
            let virtual_c = dew_point_c.map_or(level.temperature_c, |dew_point_c| {
                thermo::virtual_temperature_c(level.pressure_hpa, level.temperature_c, dew_point_c)
            });
            Node {
                pressure_hpa: level.pressure_hpa,
                ln_p: level.pressure_hpa.ln(),
                height_agl_m: column.agl_m(level.height_msl_m),
                temperature_c: level.temperature_c,
                dew_point_c,
                virtual_c,
            }
        };
        let nodes: Vec<Node> = column.levels().iter().map(node).collect();
        let exner = nodes.iter().map(|node| thermo::exner(node.pressure_hpa)).collect();
        Some(Self { nodes, exner })
    }

    /// The ground.
    pub fn surface(&self) -> &Node {
        &self.nodes[0]
    }

    /// The highest level.
    pub fn top(&self) -> &Node {
        &self.nodes[self.nodes.len() - 1]
    }

    /// The air at a pressure, everything straight in ln p; `None` outside the column.
    pub fn at(&self, pressure_hpa: f64) -> Option<Node> {
        if pressure_hpa.is_nan() {
            return None;
        }
        let above = self.nodes.partition_point(|node| node.pressure_hpa > pressure_hpa);
        let upper = self.nodes.get(above)?;
        if upper.pressure_hpa == pressure_hpa {
            return Some(*upper);
        }
        let lower = self.nodes.get(above.checked_sub(1)?)?;
        let ln_p = pressure_hpa.ln();
        let part = (lower.ln_p - ln_p) / (lower.ln_p - upper.ln_p);
        let dew_point_c = lower.dew_point_c.zip(upper.dew_point_c).map(|(from, to)| mix(from, to, part));
        Some(Node {
            pressure_hpa,
            ln_p,
            height_agl_m: mix(lower.height_agl_m, upper.height_agl_m, part),
            temperature_c: mix(lower.temperature_c, upper.temperature_c, part),
            dew_point_c,
            virtual_c: mix(lower.virtual_c, upper.virtual_c, part),
        })
    }

    /// The air at a height over the ground; `None` outside the column.
    pub fn at_height(&self, height_agl_m: f64) -> Option<Node> {
        let above = self.nodes.partition_point(|node| node.height_agl_m < height_agl_m);
        let upper = self.nodes.get(above)?;
        if above == 0 {
            return (upper.height_agl_m == height_agl_m).then_some(*upper);
        }
        let lower = self.nodes.get(above - 1)?;
        let part = (height_agl_m - lower.height_agl_m) / (upper.height_agl_m - lower.height_agl_m);
        self.at(mix(lower.ln_p, upper.ln_p, part).exp())
    }

    /// Every `step`-th level, the surface and the top among them.
    pub fn thinned(&self, step: usize) -> Self {
        let last = self.nodes.len() - 1;
        let keep = |index: &usize| index.is_multiple_of(step) || *index == last;
        Self {
            nodes: (0..=last).filter(keep).map(|index| self.nodes[index]).collect(),
            exner: (0..=last).filter(keep).map(|index| self.exner[index]).collect(),
        }
    }

    /// Index of the first level above a pressure.
    pub fn above(&self, pressure_hpa: f64) -> usize {
        self.nodes.partition_point(|node| node.pressure_hpa >= pressure_hpa)
    }
}
