//! What a field is of: parameter and level, from section 4, by the names that NCEP's inventories use.

use super::{GribError, Section};

/// Code of a missing surface, scale factor or value.
const MISSING: u8 = 255;
/// Product templates up to 4.15 share the octets read here; beyond, other things stand in between.
const TEMPLATE_ALIKE_MAX: u16 = 15;

/// A parameter: discipline, category and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameter(pub u8, pub u8, pub u8);

/// One fixed surface: code table 4.5 and its value in the table's unit (Pa, m, ...).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Code table 4.5.
    pub kind: u8,
    /// Its value, where it has one.
    pub value: Option<f64>,
}

/// At which level, or between which two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// The surface, or the first of two.
    pub first: Surface,
    /// The second of a layer.
    pub second: Option<Surface>,
}

/// Section 4 in so far as it is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    /// Product definition template.
    pub template: u16,
    /// Parameter category.
    pub category: u8,
    /// Parameter number.
    pub number: u8,
    /// Minutes from the reference time to the forecast's (of a period: to its beginning). `None` where the unit has no length.
    pub forecast_min: Option<i64>,
    /// Where. `None` for templates that say it elsewhere.
    pub levels: Option<Levels>,
}

impl Product {
    pub(super) fn read(section: &Section<'_>) -> Result<Self, GribError> {
        let byte = |at: usize| section.bytes.get(at).copied();
        let word = |at: usize| section.bytes.get(at..)?.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes));
        let head = || Some((u16::from_be_bytes([byte(7)?, byte(8)?]), byte(9)?, byte(10)?));
        let (template, category, number) = head().ok_or_else(|| section.wrong("too short for a parameter"))?;
        let mut product = Self { template, category, number, forecast_min: None, levels: None };
        if template > TEMPLATE_ALIKE_MAX {
            return Ok(product);
        }
        let surface = |at: usize| {
            let kind = byte(at)?;
            let value = match (byte(at + 1)?, word(at + 2)?) {
                (MISSING, _) | (_, u32::MAX) => None,
                (factor, scaled) => Some(scaled_value(factor, scaled)),
            };
            Some(Surface { kind, value })
        };
        let rest = || Some((byte(17)?, word(18)?, surface(22)?, surface(28)?));
        let (unit, time, first, second) = rest().ok_or_else(|| section.wrong("too short for its template"))?;
        product.forecast_min = minutes(unit, time);
        product.levels = Some(Levels { first, second: (second.kind != MISSING).then_some(second) });
        Ok(product)
    }

    /// The same name as in NCEP's inventories, else discipline, category and number.
    pub fn name(&self, discipline: u8) -> String {
        let parameter = Parameter(discipline, self.category, self.number);
        match NAMES.iter().find(|(known, _, _)| *known == parameter) {
            Some((_, name, _)) => (*name).to_owned(),
            None => format!("{discipline}/{}/{}", self.category, self.number),
        }
    }

    /// The unit of its values, where the parameter is known.
    pub fn unit(&self, discipline: u8) -> Option<&'static str> {
        let parameter = Parameter(discipline, self.category, self.number);
        NAMES.iter().find(|(known, _, _)| *known == parameter).map(|(_, _, unit)| *unit)
    }
}

/// Factor and value are signed by their highest bit: a scaled value of 250 with a factor of 2 is 2.5.
fn scaled_value(factor: u8, scaled: u32) -> f64 {
    let power = i32::from(factor & 0x7F);
    let magnitude = f64::from(scaled & 0x7FFF_FFFF) * if scaled & 0x8000_0000 == 0 { 1.0 } else { -1.0 };
    if factor & 0x80 == 0 { magnitude / 10f64.powi(power) } else { magnitude * 10f64.powi(power) }
}

/// Code table 4.4. Months and years have no length.
fn minutes(unit: u8, time: u32) -> Option<i64> {
    let time = i64::from(time & 0x7FFF_FFFF) * if time & 0x8000_0000 == 0 { 1 } else { -1 };
    match unit {
        0 => Some(time),
        1 => time.checked_mul(60),
        2 => time.checked_mul(24 * 60),
        10 => time.checked_mul(3 * 60),
        11 => time.checked_mul(6 * 60),
        12 => time.checked_mul(12 * 60),
        13 => Some(time / 60),
        _ => None,
    }
}

impl Levels {
    /// As NCEP's inventories write it: `500 mb`, `2 m above ground`, `90-0 mb above ground`.
    pub fn name(&self) -> String {
        let number = |value: Option<f64>, unit: f64| value.map_or_else(|| "?".to_owned(), |v| format!("{}", v / unit));
        let (unit, words) = match self.first.kind {
            1 => return "surface".to_owned(),
            100 => (100.0, "mb"),
            101 => return "mean sea level".to_owned(),
            102 => (1.0, "m above mean sea level"),
            103 => (1.0, "m above ground"),
            104 => (1.0, "sigma level"),
            105 => (1.0, "hybrid level"),
            106 => (1.0, "m below ground"),
            108 => (100.0, "mb above ground"),
            other => return format!("surface kind {other} value {}", number(self.first.value, 1.0)),
        };
        match self.second {
            Some(second) if second.kind == self.first.kind => {
                format!("{}-{} {words}", number(self.first.value, unit), number(second.value, unit))
            }
            _ => format!("{} {words}", number(self.first.value, unit)),
        }
    }

    /// Whether it is the one surface of this kind and value.
    pub fn is_at(&self, kind: u8, value: Option<f64>) -> bool {
        let layer = self.second.is_some_and(|second| second.kind == self.first.kind && kind != 1);
        self.first.kind == kind && (value.is_none() || self.first.value == value) && !layer
    }

    /// Whether it is the layer between these two, in either order.
    pub fn is_between(&self, kind: u8, a: f64, b: f64) -> bool {
        let Some(second) = self.second.filter(|second| second.kind == kind && self.first.kind == kind) else {
            return false;
        };
        let ends = (self.first.value, second.value);
        ends == (Some(a), Some(b)) || ends == (Some(b), Some(a))
    }
}

/// Parameters by their inventory names: those of thermodynamic profiles and of the usual model files.
const NAMES: &[(Parameter, &str, &str)] = &[
    (Parameter(0, 0, 0), "TMP", "K"),
    (Parameter(0, 0, 4), "TMAX", "K"),
    (Parameter(0, 0, 5), "TMIN", "K"),
    (Parameter(0, 0, 6), "DPT", "K"),
    (Parameter(0, 1, 0), "SPFH", "kg/kg"),
    (Parameter(0, 1, 1), "RH", "%"),
    (Parameter(0, 1, 7), "PRATE", "kg/m2/s"),
    (Parameter(0, 1, 8), "APCP", "kg/m2"),
    (Parameter(0, 2, 0), "WDIR", "degrees"),
    (Parameter(0, 2, 1), "WIND", "m/s"),
    (Parameter(0, 2, 2), "UGRD", "m/s"),
    (Parameter(0, 2, 3), "VGRD", "m/s"),
    (Parameter(0, 2, 8), "VVEL", "Pa/s"),
    (Parameter(0, 2, 22), "GUST", "m/s"),
    (Parameter(0, 2, 194), "USTM", "m/s"),
    (Parameter(0, 2, 195), "VSTM", "m/s"),
    (Parameter(0, 3, 0), "PRES", "Pa"),
    (Parameter(0, 3, 1), "PRMSL", "Pa"),
    (Parameter(0, 3, 5), "HGT", "gpm"),
    (Parameter(0, 3, 18), "HPBL", "m"),
    (Parameter(0, 4, 7), "DSWRF", "W/m2"),
    (Parameter(0, 7, 6), "CAPE", "J/kg"),
    (Parameter(0, 7, 7), "CIN", "J/kg"),
    (Parameter(0, 7, 8), "HLCY", "m2/s2"),
    (Parameter(0, 16, 196), "REFC", "dBZ"),
    (Parameter(2, 0, 2), "TSOIL", "K"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_signed_by_their_highest_bit() {
        assert_eq!(scaled_value(0, 50_000), 50_000.0);
        assert_eq!(scaled_value(2, 250), 2.5);
        assert_eq!(scaled_value(0x82, 5), 500.0);
        assert_eq!(scaled_value(0, 0x8000_0010), -16.0);
        assert_eq!((minutes(1, 3), minutes(0, 15), minutes(3, 1)), (Some(180), Some(15), None));
    }

    #[test]
    fn levels_read_as_in_an_inventory() {
        let at = |kind, value| Surface { kind, value: Some(value) };
        let layer = Levels { first: at(108, 9000.0), second: Some(at(108, 0.0)) };
        assert_eq!(layer.name(), "90-0 mb above ground");
        assert!(layer.is_between(108, 0.0, 9000.0) && !layer.is_at(108, Some(9000.0)));
        let isobar = Levels { first: at(100, 50_000.0), second: None };
        assert_eq!(isobar.name(), "500 mb");
        assert!(isobar.is_at(100, None) && isobar.is_at(100, Some(50_000.0)) && !isobar.is_at(100, Some(100.0)));
        let ground = Levels { first: Surface { kind: 1, value: None }, second: None };
        assert!(ground.name() == "surface" && ground.is_at(1, None));
    }
}
