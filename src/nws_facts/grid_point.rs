//! What `/points` says of a place: its office, its zones, and where its forecasts are.

use crate::geo::LatLon;

/// What `/points` says of a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GridPoint {
    /// `land` or `marine`, as sent.
    pub kind: Option<String>,
    /// The nearest town: not the name of what was asked for.
    pub city: Option<String>,
    /// Its state.
    pub state: Option<String>,
    /// The office that forecasts for it, three letters (`cwa`, else `gridId`).
    pub office: Option<String>,
    /// IANA time zone name.
    pub time_zone: Option<String>,
    /// Code of the public forecast zone, `WAZ315`.
    pub forecast_zone: Option<String>,
    /// Code of the county, `WAC033`; where missing, that of the place's weather radio.
    pub county: Option<String>,
    /// Whether the county is only known by the place's weather radio: a place over water.
    pub county_by_radio: bool,
    /// Code of the fire weather zone.
    pub fire_zone: Option<String>,
    /// Where the forecast in half days is; followed as given.
    pub forecast_url: Option<String>,
    /// Where the hourly forecast is.
    pub hourly_url: Option<String>,
    /// Where the stations around are listed.
    pub stations_url: Option<String>,
}

/// What forecasts a place has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// All that are usual.
    Whole,
    /// None: the place is over water, where there are only zone forecasts.
    Marine,
    /// None, on land (the Northern Marianas, some islands).
    None,
    /// Some and not others: such an answer is broken.
    Part,
}

impl GridPoint {
    /// What forecasts it has. No URL at all is an answer, not a fault.
    pub fn grid(&self) -> Grid {
        let urls = [&self.forecast_url, &self.hourly_url, &self.stations_url];
        let given = urls.iter().filter(|url| url.is_some()).count();
        let marine = self.kind.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("marine"));
        match given {
            3 => Grid::Whole,
            _ if marine => Grid::Marine,
            0 => Grid::None,
            _ => Grid::Part,
        }
    }

    /// Codes of its county, forecast zone and fire weather zone, as far as known, each once.
    pub fn ugc(&self) -> Vec<String> {
        let mut codes: Vec<String> =
            [&self.county, &self.forecast_zone, &self.fire_zone].into_iter().flatten().cloned().collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

/// A place as `/points` takes it: both figures cut off (not rounded) after four decimals, without needless zeros. More
/// decimals or zeros make the API redirect.
pub fn cut_4dp(at: LatLon) -> String {
    format!("{},{}", cut(at.lat()), cut(at.lon()))
}

fn cut(value: f64) -> f64 {
    let scaled = value * 1e4;
    // 29.9999 times 10,000 is a hair below 299,999 in binary: what is that near to a whole number was meant to be it.
    let nearest = scaled.round();
    let whole = if (scaled - nearest).abs() < 1e-6 { nearest } else { scaled.trunc() };
    whole / 1e4 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_cut_off_towards_zero_and_not_rounded() {
        let cut = |lat, lon| cut_4dp(LatLon::new(lat, lon).unwrap());
        assert_eq!(cut(47.603_29, -122.330_09), "47.6032,-122.33");
        assert_eq!(cut(29.9999, -0.000_04), "29.9999,0");
        assert_eq!(cut(-14.278_99, -170.700_19), "-14.2789,-170.7001");
        assert_eq!(cut(35.0, -97.0), "35,-97");
        // Every figure of four decimals stays what it is.
        for n in (0..900_000_i32).step_by(7) {
            let lat = f64::from(n) / 1e4;
            assert_eq!(cut(lat, 0.0), format!("{lat},0"));
        }
    }

    #[test]
    fn no_url_is_an_answer_and_some_are_none() {
        let url = || Some("https://api.weather.gov/x".to_owned());
        let whole = GridPoint { forecast_url: url(), hourly_url: url(), stations_url: url(), ..GridPoint::default() };
        assert_eq!(whole.grid(), Grid::Whole);
        let kind = |kind: &str| GridPoint { kind: Some(kind.to_owned()), ..GridPoint::default() };
        assert_eq!((kind("marine").grid(), kind("land").grid()), (Grid::Marine, Grid::None));
        assert_eq!(GridPoint { forecast_url: url(), ..kind("land") }.grid(), Grid::Part);
        assert_eq!(GridPoint::default().grid(), Grid::None);
    }
}
