//! What the figures of each MRMS product mean: its GRIB number, its unit, and which figures say "nothing here" and in
//! which sense. From NSSL's MRMS table v12.2, checked against recordings.

use super::Product;

/// How one product's figures are to be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Parameter category and number in discipline 209.
    pub parameter: (u8, u8),
    /// The product's name as NOAA's files carry it; for numbers not listed, `unlisted`.
    pub name: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// Figures that mean: no radar looks here. Unknown, never "quiet".
    pub no_coverage: &'static [f64],
    /// Figures that NSSL calls missing and that mean: looked, nothing there. A true zero.
    pub looked: &'static [f64],
    /// The least value that is a signal. Below it and above `floor`: looked, no echo worth the name.
    pub signal_min: f64,
    /// Figures at or below this that are not listed above are of unknown meaning, and read as not covered.
    pub floor: f64,
    /// Whether the product tells covered from not covered at all. Rotation writes 0 for both.
    pub states_coverage: bool,
}

/// What one cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// No radar looks here, or the figure has no known meaning.
    NoCoverage = 0,
    /// A bitmap says that there is no value: not covered either.
    Absent = 1,
    /// Looked, nothing there.
    Looked = 2,
    /// Looked, a figure below what counts as a signal (0 mm, -31 dBZ).
    NoEcho = 3,
    /// A value that counts.
    Signal = 4,
}

impl Kind {
    pub(super) fn from_u8(n: u8) -> Option<Self> {
        [Self::NoCoverage, Self::Absent, Self::Looked, Self::NoEcho, Self::Signal].get(usize::from(n)).copied()
    }

    /// Whether radar looked.
    pub fn is_covered(self) -> bool {
        matches!(self, Self::Looked | Self::NoEcho | Self::Signal)
    }
}

/// Smallest positive value: figures of the non-negative products come in steps of 0.001 or more.
const POSITIVE: f64 = 0.001;

const fn amount(category: u8, number: u8, name: &'static str, unit: &'static str) -> Profile {
    Profile {
        parameter: (category, number),
        name,
        unit,
        no_coverage: &[-3.0, -999.0],
        looked: &[-1.0],
        signal_min: POSITIVE,
        floor: -0.5,
        states_coverage: true,
    }
}

const fn track(category: u8, number: u8, name: &'static str) -> Profile {
    Profile { states_coverage: false, ..amount(category, number, name, "0.001 s-1") }
}

const fn echo(category: u8, number: u8, name: &'static str) -> Profile {
    Profile {
        looked: &[-99.0],
        no_coverage: &[-999.0],
        signal_min: -30.0,
        floor: -90.0,
        ..amount(category, number, name, "dBZ")
    }
}

const MESH_MAX_60MIN: Profile = amount(3, 30, "MESH_Max_60min", "mm");
const ROTATION_ML_60MIN: Profile = track(3, 15, "RotationTrackML60min");
const ROTATION_LL_60MIN: Profile = track(3, 3, "RotationTrack60min");
const VIL: Profile = amount(3, 41, "VIL", "kg m-2");
const COMPOSITE_REFLECTIVITY: Profile = echo(10, 0, "MergedReflectivityQCComposite");

/// Products that `debug decode` knows by name, the five that stormbell watches among them.
static TABLE: &[Profile] = &[
    MESH_MAX_60MIN,
    ROTATION_ML_60MIN,
    ROTATION_LL_60MIN,
    VIL,
    COMPOSITE_REFLECTIVITY,
    amount(3, 26, "SHI", "1"),
    amount(3, 27, "POSH", "%"),
    amount(3, 28, "MESH", "mm"),
    amount(3, 29, "MESH_Max_30min", "mm"),
    amount(3, 31, "MESH_Max_120min", "mm"),
    amount(3, 32, "MESH_Max_240min", "mm"),
    amount(3, 33, "MESH_Max_360min", "mm"),
    amount(3, 34, "MESH_Max_1440min", "mm"),
    track(3, 2, "RotationTrack30min"),
    track(3, 14, "RotationTrackML30min"),
    amount(3, 42, "VIL_Density", "g m-3"),
    amount(3, 43, "VII", "kg m-2"),
    amount(3, 44, "EchoTop_18", "km"),
    amount(3, 45, "EchoTop_30", "km"),
    amount(3, 46, "EchoTop_50", "km"),
    amount(3, 47, "EchoTop_60", "km"),
    amount(6, 0, "PrecipFlag", "flag"),
    amount(6, 1, "PrecipRate", "mm h-1"),
    amount(6, 2, "RadarOnly_QPE_01H", "mm"),
    amount(6, 30, "MultiSensor_QPE_01H_Pass1", "mm"),
    amount(6, 37, "MultiSensor_QPE_01H_Pass2", "mm"),
    Profile { looked: &[-99.0], no_coverage: &[-999.0], floor: -0.5, ..amount(9, 3, "MergedRhoHV", "1") },
];

impl Profile {
    /// The profile of a watched product.
    pub fn of(product: Product) -> Self {
        match product {
            Product::MeshMax60min => MESH_MAX_60MIN,
            Product::RotationTrackMl60min => ROTATION_ML_60MIN,
            Product::RotationTrackLl60min => ROTATION_LL_60MIN,
            Product::Vil => VIL,
            Product::CompositeReflectivity => COMPOSITE_REFLECTIVITY,
        }
    }

    /// The profile of a parameter of discipline 209. For a number that is not listed: the sentinels that MRMS uses
    /// anywhere, and every figure above them a signal from `0.001` up.
    pub fn of_parameter(category: u8, number: u8) -> Self {
        let listed = TABLE.iter().find(|profile| profile.parameter == (category, number));
        listed.copied().unwrap_or(Self {
            no_coverage: &[-3.0, -999.0, -9999.0, -99903.0],
            looked: &[-1.0, -99.0, -99900.0],
            ..amount(category, number, "unlisted", "")
        })
    }

    /// What a value says.
    pub fn kind_of(&self, value: f64) -> Kind {
        let is = |figures: &[f64]| figures.iter().any(|figure| (figure - value).abs() < 1e-4);
        if value.is_nan() {
            Kind::Absent
        } else if is(self.no_coverage) {
            Kind::NoCoverage
        } else if is(self.looked) {
            Kind::Looked
        } else if value >= self.signal_min {
            Kind::Signal
        } else if value > self.floor {
            Kind::NoEcho
        } else {
            Kind::NoCoverage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m07_the_kinds_of_nothing_differ_by_product() {
        let mesh = Profile::of(Product::MeshMax60min);
        assert_eq!([-3.0, -999.0].map(|v| mesh.kind_of(v)), [Kind::NoCoverage; 2]);
        assert_eq!(
            [-1.0, 0.0, 25.4, 9999.0].map(|v| mesh.kind_of(v)),
            [Kind::Looked, Kind::NoEcho, Kind::Signal, Kind::Signal]
        );
        let reflectivity = Profile::of(Product::CompositeReflectivity);
        assert_eq!(
            [-999.0, -99.0, -31.0, -15.5, -1.0, -3.0].map(|v| reflectivity.kind_of(v)),
            [Kind::NoCoverage, Kind::Looked, Kind::NoEcho, Kind::Signal, Kind::Signal, Kind::Signal]
        );
        assert!(!Profile::of(Product::RotationTrackMl60min).states_coverage);
        assert_eq!(Profile::of_parameter(2, 8).kind_of(-99_903.0), Kind::NoCoverage);
    }
}
