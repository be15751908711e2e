//! One radial of either generation, as far as it is looked at: where it points, and its reflectivity.

use super::instant;
use crate::radar::signed_elevation_deg;
use jiff::Timestamp;
use nexrad_decode::messages::{digital_radar_data, digital_radar_data_legacy};

/// Codes below this are no values: 0 is below threshold, 1 is folded.
const FIRST_VALUE: u16 = 2;
/// Reflectivity of the old generation: half a dB a step, -32 dBZ at code 2.
const OLD_SCALE: f64 = 2.0;
/// See `OLD_SCALE`.
const OLD_OFFSET: f64 = 66.0;
/// Metres in a kilometre.
const M_PER_KM: f64 = 1000.0;

/// One radial.
pub(super) struct Radial<'a> {
    /// 0 and 5 begin an elevation, 2 ends one, 3 begins and 4 ends a volume.
    pub status: u16,
    /// Number of the cut within the volume.
    pub cut: u16,
    pub azimuth_deg: f64,
    pub elevation_deg: f64,
    /// Width between radials, degrees.
    pub spacing_deg: f64,
    pub taken_utc: Option<Timestamp>,
    pub moments: Vec<&'static str>,
    pub reflectivity: Option<Gates<'a>>,
}

/// The reflectivity of one radial, still as codes.
pub(super) struct Gates<'a> {
    codes: &'a [u8],
    two_bytes: bool,
    first_km: f64,
    step_km: f64,
    scale: f64,
    offset: f64,
}

impl<'a> Radial<'a> {
    /// Message 31.
    pub(super) fn of_today(message: &'a digital_radar_data::Message<'_>) -> Self {
        let header = message.header();
        let named = [
            ("CFP", message.clutter_filter_power_data_block()),
            ("PHI", message.differential_phase_data_block()),
            ("REF", message.reflectivity_data_block()),
            ("RHO", message.correlation_coefficient_data_block()),
            ("SW", message.spectrum_width_data_block()),
            ("VEL", message.velocity_data_block()),
            ("ZDR", message.differential_reflectivity_data_block()),
        ];
        // A block without gates is as good as none (field report R10).
        let filled = named.iter().filter_map(|(name, block)| {
            let block = block.as_ref()?;
            (block.inner().header().data_moment_gate_count() > 0).then_some((*name, block.inner()))
        });
        let filled: Vec<_> = filled.collect();
        let reflectivity = filled.iter().find(|(name, _)| *name == "REF").and_then(|(_, block)| Gates::of_block(block));
        Self {
            status: u16::from(header.radial_status_raw()),
            cut: u16::from(header.elevation_number()),
            azimuth_deg: f64::from(header.azimuth_angle_degrees()),
            elevation_deg: signed_elevation_deg(f64::from(header.elevation_angle_degrees())),
            spacing_deg: if header.azimuth_resolution_spacing_raw() == 1 { 0.5 } else { 1.0 },
            taken_utc: instant(u32::from(header.date_raw()), header.time_raw()),
            moments: filled.into_iter().map(|(name, _)| name).collect(),
            reflectivity,
        }
    }

    /// Message 1, until 2008.
    pub(super) fn of_old(message: &'a digital_radar_data_legacy::Message<'_>) -> Self {
        let reflectivity = message.reflectivity_gates();
        let named = [("REF", reflectivity), ("SW", message.spectrum_width_gates()), ("VEL", message.velocity_gates())];
        let millis = message.date_time().map(|at| at.timestamp_millis());
        Self {
            status: message.radial_status_raw(),
            cut: u16::from(message.elevation_number()),
            azimuth_deg: f64::from(message.azimuth_angle_degrees()),
            elevation_deg: signed_elevation_deg(f64::from(message.elevation_angle_degrees())),
            spacing_deg: 1.0,
            taken_utc: millis.and_then(|millis| Timestamp::from_millisecond(millis).ok()),
            moments: named.into_iter().filter(|(_, gates)| gates.is_some()).map(|(name, _)| name).collect(),
            reflectivity: reflectivity.map(|codes| Gates {
                codes,
                two_bytes: false,
                first_km: f64::from(message.surveillance_first_gate_range_meters()) / M_PER_KM,
                step_km: f64::from(message.surveillance_gate_interval_meters()) / M_PER_KM,
                scale: OLD_SCALE,
                offset: OLD_OFFSET,
            }),
        }
    }
}

impl<'a> Gates<'a> {
    fn of_block(block: &'a digital_radar_data::GenericDataBlock<'_>) -> Option<Self> {
        let header = block.header();
        let two_bytes = match header.data_word_size_raw() {
            8 => false,
            16 => true,
            _ => return None,
        };
        let (scale, offset) = (f64::from(header.scale()), f64::from(header.offset()));
        (scale.is_finite() && scale != 0.0 && offset.is_finite()).then(|| Self {
            codes: block.encoded_values(),
            two_bytes,
            first_km: f64::from(header.data_moment_range_raw()) / M_PER_KM,
            step_km: f64::from(header.data_moment_range_sample_interval_raw()) / M_PER_KM,
            scale,
            offset,
        })
    }

    /// Gates that hold a value, nearest first: range in km and dBZ. Those below `dbz_min` are passed over.
    pub(super) fn at_least(&self, dbz_min: f64) -> impl DoubleEndedIterator<Item = (f64, f64)> + '_ {
        let width = if self.two_bytes { 2 } else { 1 };
        let code_of = move |word: &[u8]| match word {
            [high, low] => u16::from_be_bytes([*high, *low]),
            [code] => u16::from(*code),
            _ => 0,
        };
        self.codes.chunks_exact(width).enumerate().filter_map(move |(gate, word)| {
            let code = code_of(word);
            if code < FIRST_VALUE {
                return None;
            }
            let dbz = (f64::from(code) - self.offset) / self.scale;
            (dbz >= dbz_min).then_some((self.first_km + gate as f64 * self.step_km, dbz))
        })
    }
}
