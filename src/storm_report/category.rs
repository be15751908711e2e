//! The kinds of report, from IEM's one-letter codes or the office's words.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Category {
    /// A tornado.
    Tornado,
    /// A funnel cloud.
    FunnelCloud,
    /// A waterspout.
    Waterspout,
    /// Hail; the magnitude is its size, inches.
    Hail,
    /// A gust of a thunderstorm, over land.
    ThunderstormWindGust,
    /// Damage by wind of a thunderstorm.
    ThunderstormWindDamage,
    /// A gust without a thunderstorm.
    NonThunderstormWindGust,
    /// Lasting wind without a thunderstorm.
    HighSustainedWind,
    /// Damage by wind without a thunderstorm.
    NonThunderstormWindDamage,
    /// Wind of a thunderstorm over water.
    MarineThunderstormWind,
    /// A flash flood.
    FlashFlood,
    /// A flood.
    Flood,
    /// Heavy rain; the magnitude is its depth, inches.
    HeavyRain,
    /// Blowing dust or a dust storm.
    Dust,
    /// Anything else: the office's words in lower case with underscores.
    Other(String),
}

/// How reports are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Group {
    /// Tornadoes and waterspouts.
    Tornado,
    /// Hail.
    Hail,
    /// Wind of thunderstorms. Other wind is not severe weather.
    Wind,
    /// Floods and heavy rain.
    Flood,
    /// All else.
    Other,
}

/// The first letters of the zones that lie on water.
const MARINE_ZONES: [&str; 15] =
    ["AM", "AN", "GM", "LC", "LE", "LH", "LM", "LO", "LS", "PH", "PK", "PM", "PS", "PZ", "SL"];

impl Category {
    /// From IEM's code and the office's words, upper or lower case. Where they differ the code counts; words alone will do.
    /// `zone` is the county or zone, if told: wind of a thunderstorm over water is marine wind whatever it is called.
    pub fn of(code: &str, words: &str, zone: &str) -> Self {
        let words = words.trim().to_ascii_uppercase();
        let land = Self::from_code(code.trim()).or_else(|| Self::from_words(&words));
        match land {
            Some(Self::ThunderstormWindGust | Self::ThunderstormWindDamage) if is_marine(zone) => {
                Self::MarineThunderstormWind
            }
            Some(known) => known,
            None if words.is_empty() => Self::Other(format!("type_{}", code.trim().to_ascii_lowercase())),
            None => Self::Other(words.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")),
        }
    }

    fn from_code(code: &str) -> Option<Self> {
        Some(match code {
            "T" => Self::Tornado,
            "C" => Self::FunnelCloud,
            "W" => Self::Waterspout,
            "H" => Self::Hail,
            "G" => Self::ThunderstormWindGust,
            "D" => Self::ThunderstormWindDamage,
            "N" => Self::NonThunderstormWindGust,
            "A" => Self::HighSustainedWind,
            "O" => Self::NonThunderstormWindDamage,
            "M" => Self::MarineThunderstormWind,
            "F" => Self::FlashFlood,
            "E" => Self::Flood,
            "R" => Self::HeavyRain,
            "2" => Self::Dust,
            _ => return None,
        })
    }

    fn from_words(words: &str) -> Option<Self> {
        Some(match words {
            "TORNADO" => Self::Tornado,
            "FUNNEL CLOUD" => Self::FunnelCloud,
            "WATER SPOUT" | "WATERSPOUT" => Self::Waterspout,
            "HAIL" | "MARINE HAIL" => Self::Hail,
            "TSTM WND GST" => Self::ThunderstormWindGust,
            "TSTM WND DMG" => Self::ThunderstormWindDamage,
            "NON-TSTM WND GST" => Self::NonThunderstormWindGust,
            "HIGH SUST WINDS" => Self::HighSustainedWind,
            "NON-TSTM WND DMG" => Self::NonThunderstormWindDamage,
            "MARINE TSTM WIND" => Self::MarineThunderstormWind,
            "FLASH FLOOD" => Self::FlashFlood,
            "FLOOD" => Self::Flood,
            "HEAVY RAIN" | "RAIN" => Self::HeavyRain,
            "DUST STORM" | "BLOWING DUST" => Self::Dust,
            _ => return None,
        })
    }

    /// As answers name it: `thunderstorm_wind_gust`.
    pub fn id(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Tornado => "tornado",
            Self::FunnelCloud => "funnel_cloud",
            Self::Waterspout => "waterspout",
            Self::Hail => "hail",
            Self::ThunderstormWindGust => "thunderstorm_wind_gust",
            Self::ThunderstormWindDamage => "thunderstorm_wind_damage",
            Self::NonThunderstormWindGust => "non_thunderstorm_wind_gust",
            Self::HighSustainedWind => "high_sustained_wind",
            Self::NonThunderstormWindDamage => "non_thunderstorm_wind_damage",
            Self::MarineThunderstormWind => "marine_thunderstorm_wind",
            Self::FlashFlood => "flash_flood",
            Self::Flood => "flood",
            Self::HeavyRain => "heavy_rain",
            Self::Dust => "dust",
            Self::Other(name) => name,
        })
    }

    /// How it is counted.
    pub fn group(&self) -> Group {
        match self {
            Self::Tornado | Self::Waterspout => Group::Tornado,
            Self::Hail => Group::Hail,
            Self::ThunderstormWindGust | Self::ThunderstormWindDamage | Self::MarineThunderstormWind => Group::Wind,
            Self::FlashFlood | Self::Flood | Self::HeavyRain => Group::Flood,
            Self::FunnelCloud
            | Self::NonThunderstormWindGust
            | Self::HighSustainedWind
            | Self::NonThunderstormWindDamage
            | Self::Dust
            | Self::Other(_) => Group::Other,
        }
    }

    /// Wind without a thunderstorm, which is counted as `Other`.
    pub fn is_other_wind(&self) -> bool {
        matches!(self, Self::NonThunderstormWindGust | Self::HighSustainedWind | Self::NonThunderstormWindDamage)
    }

    /// Whether a magnitude is a speed, a size or a depth, which zero is not.
    pub fn wants_positive(&self) -> bool {
        !matches!(self, Self::Other(_) | Self::Tornado | Self::Waterspout | Self::FunnelCloud | Self::Dust)
    }
}

/// Whether a zone such as `GMZ335` lies on water.
fn is_marine(zone: &str) -> bool {
    let zone = zone.trim();
    let letters = zone.get(..2).map(str::to_ascii_uppercase);
    zone.len() == 6
        && zone.get(2..3).is_some_and(|z| z.eq_ignore_ascii_case("z"))
        && letters.is_some_and(|letters| MARINE_ZONES.contains(&letters.as_str()))
}
