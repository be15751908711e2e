//! States and waters as the alerts API names them: their two letters, the region that a water belongs to, and the time zone
//! that most of it keeps.

use jiff::tz::TimeZone;

/// Land or water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionType {
    /// States and territories.
    Land,
    /// Waters.
    Marine,
}

impl RegionType {
    /// Both, as callers write them.
    pub const NAMES: [&'static str; 2] = ["Land", "Marine"];

    /// As the API takes it.
    pub fn as_query(self) -> &'static str {
        match self {
            Self::Land => "land",
            Self::Marine => "marine",
        }
    }
}

/// Marine regions: `AL` is Alaska's waters here, not Alabama.
pub const REGIONS: [&str; 6] = ["AL", "AT", "GL", "GM", "PA", "PI"];

/// One state, territory or water: code, region of a water, predominant time zone.
struct Place(&'static str, Option<&'static str>, &'static str);

const EASTERN: &str = "America/New_York";
const CENTRAL: &str = "America/Chicago";
const MOUNTAIN: &str = "America/Denver";
const PACIFIC: &str = "America/Los_Angeles";
const ALASKA: &str = "America/Anchorage";
const HAWAII: &str = "Pacific/Honolulu";
const MICHIGAN: &str = "America/Detroit";
const GUAM: &str = "Pacific/Guam";
const SAMOA: &str = "Pacific/Pago_Pago";

#[rustfmt::skip]
const PLACES: [Place; 74] = [
    Place("AL", None, CENTRAL), Place("AK", None, ALASKA), Place("AZ", None, "America/Phoenix"), Place("AR", None, CENTRAL),
    Place("CA", None, PACIFIC), Place("CO", None, MOUNTAIN), Place("CT", None, EASTERN), Place("DE", None, EASTERN),
    Place("DC", None, EASTERN), Place("FL", None, EASTERN), Place("GA", None, EASTERN), Place("HI", None, HAWAII),
    Place("ID", None, "America/Boise"), Place("IL", None, CENTRAL), Place("IN", None, "America/Indiana/Indianapolis"),
    Place("IA", None, CENTRAL), Place("KS", None, CENTRAL), Place("KY", None, EASTERN), Place("LA", None, CENTRAL),
    Place("ME", None, EASTERN), Place("MD", None, EASTERN), Place("MA", None, EASTERN), Place("MI", None, MICHIGAN),
    Place("MN", None, CENTRAL), Place("MS", None, CENTRAL), Place("MO", None, CENTRAL), Place("MT", None, MOUNTAIN),
    Place("NE", None, CENTRAL), Place("NV", None, PACIFIC), Place("NH", None, EASTERN), Place("NJ", None, EASTERN),
    Place("NM", None, MOUNTAIN), Place("NY", None, EASTERN), Place("NC", None, EASTERN), Place("ND", None, CENTRAL),
    Place("OH", None, EASTERN), Place("OK", None, CENTRAL), Place("OR", None, PACIFIC), Place("PA", None, EASTERN),
    Place("RI", None, EASTERN), Place("SC", None, EASTERN), Place("SD", None, CENTRAL), Place("TN", None, CENTRAL),
    Place("TX", None, CENTRAL), Place("UT", None, MOUNTAIN), Place("VT", None, EASTERN), Place("VA", None, EASTERN),
    Place("WA", None, PACIFIC), Place("WV", None, EASTERN), Place("WI", None, CENTRAL), Place("WY", None, MOUNTAIN),
    Place("AS", None, SAMOA), Place("FM", None, "Pacific/Pohnpei"), Place("GU", None, GUAM), Place("MH", None, "Pacific/Majuro"),
    Place("MP", None, GUAM), Place("PR", None, "America/Puerto_Rico"), Place("PW", None, "Pacific/Palau"),
    Place("VI", None, "America/St_Thomas"),
    Place("AM", Some("AT"), EASTERN), Place("AN", Some("AT"), EASTERN), Place("GM", Some("GM"), CENTRAL),
    Place("LC", Some("GL"), MICHIGAN), Place("LE", Some("GL"), EASTERN), Place("LH", Some("GL"), MICHIGAN),
    Place("LM", Some("GL"), CENTRAL), Place("LO", Some("GL"), EASTERN), Place("LS", Some("GL"), MICHIGAN),
    Place("PH", Some("PI"), HAWAII), Place("PK", Some("AL"), ALASKA), Place("PM", Some("PI"), GUAM),
    Place("PS", Some("PI"), SAMOA), Place("PZ", Some("PA"), PACIFIC), Place("SL", Some("GL"), EASTERN),
];

fn place(code: &str) -> Option<&'static Place> {
    let letters = code.get(..2)?;
    PLACES.iter().find(|place| place.0 == letters)
}

/// Whether these two letters name a state, territory or water.
pub fn is_area(code: &str) -> bool {
    code.len() == 2 && place(code).is_some()
}

/// Whether a zone code begins with the letters of a state, territory or water.
pub fn is_zone_of_an_area(code: &str) -> bool {
    place(code).is_some()
}

/// Land or water, for a zone code of either.
pub fn region_type(zone: &str) -> Option<RegionType> {
    place(zone).map(|place| if place.1.is_some() { RegionType::Marine } else { RegionType::Land })
}

/// The marine region of a zone code of a water.
pub fn region(zone: &str) -> Option<&'static str> {
    place(zone)?.1
}

/// The time zone that most of the state or water of a zone code keeps.
pub fn predominant_zone(zone: &str) -> Option<TimeZone> {
    TimeZone::get(place(zone)?.2).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_area_has_a_time_zone_that_is_known_and_none_is_there_twice() {
        for Place(code, region, _) in PLACES {
            assert!(predominant_zone(code).is_some(), "{code}");
            assert_eq!(PLACES.iter().filter(|place| place.0 == code).count(), 1, "{code}");
            assert!(region.is_none_or(|region| REGIONS.contains(&region)), "{code}");
        }
        // 50 states, DC, eight territories, fifteen waters.
        assert_eq!(PLACES.iter().filter(|place| place.1.is_none()).count(), 59);
        assert_eq!(PLACES.iter().filter(|place| place.1.is_some()).count(), 15);
    }

    #[test]
    fn al_is_alabama_as_an_area_and_alaskas_waters_as_a_region() {
        assert_eq!((region_type("ALC001"), region("ALC001")), (Some(RegionType::Land), None));
        assert_eq!((region_type("PKZ011"), region("PKZ011")), (Some(RegionType::Marine), Some("AL")));
        assert!(is_area("KS") && is_area("GM") && !is_area("XX") && !is_area("K") && !is_area("KSZ083"));
        assert!(is_zone_of_an_area("KSZ083") && !is_zone_of_an_area("XXZ001") && !is_zone_of_an_area("é1"));
    }
}
