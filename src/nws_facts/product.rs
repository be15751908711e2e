//! What offices write, zone forecasts, and counts of alerts.

use super::Moment;
use super::ids::ProductId;
use crate::geo::{Area, LatLon};
use geo::{Area as _, InteriorPoint, LineString, Polygon};
use std::collections::BTreeMap;

/// One line of a list of products.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductLine {
    /// Where to find its text.
    pub id: ProductId,
    /// When it was issued.
    pub issued: Option<Moment>,
}

/// The newest of a list: by its time, not by its place in the list; the first where no line tells its time.
pub fn newest(lines: &[ProductLine]) -> Option<&ProductLine> {
    // The last of equal ones wins `max_by_key`: from behind, that is the first of the list.
    lines.iter().rev().max_by_key(|line| line.issued.as_ref().map(|issued| issued.at))
}

/// One text product.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Product {
    /// When it was issued.
    pub issued: Option<Moment>,
    /// `KICT`.
    pub issuing_office: Option<String>,
    /// `AFD`.
    pub code: Option<String>,
    /// `Area Forecast Discussion`.
    pub name: Option<String>,
    /// Its text as sent.
    pub text: String,
    /// WMO heading, `FXUS63`.
    pub wmo_collective_id: Option<String>,
}

/// A forecast in words for a zone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ZoneForecast {
    /// When it was issued.
    pub updated: Option<Moment>,
    /// In order.
    pub periods: Vec<ZonePeriod>,
}

/// One period of a zone forecast.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ZonePeriod {
    /// Its number, from 1.
    pub number: Option<i64>,
    /// `Tonight`.
    pub name: Option<String>,
    /// In words.
    pub detailed_forecast: Option<String>,
}

/// How many alerts are active, whatever their status.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlertCounts {
    /// All.
    pub total: Option<i64>,
    /// On land.
    pub land: Option<i64>,
    /// On water.
    pub marine: Option<i64>,
    /// By state or water; those without an alert are left out.
    pub areas: BTreeMap<String, i64>,
    /// By marine region, the same.
    pub regions: BTreeMap<String, i64>,
}

/// A point well inside an area: of its largest part, the middle of the widest run on a line of equal latitude, to four
/// decimals. `None` for an area without extent.
pub fn interior_point(area: &Area) -> Option<LatLon> {
    let line = |ring: &Vec<[f64; 2]>| LineString::from(ring.iter().map(|[lon, lat]| (*lon, *lat)).collect::<Vec<_>>());
    let parts = area.rings_lonlat().iter().filter_map(|rings| {
        let (outside, holes) = rings.split_first()?;
        Some(Polygon::new(line(outside), holes.iter().map(line).collect()))
    });
    let largest = parts.max_by(|a, b| a.unsigned_area().total_cmp(&b.unsigned_area()))?;
    let point = largest.interior_point().filter(|_| area.has_extent())?;
    let four = |value: f64| (value * 1e4).round() / 1e4;
    LatLon::new(four(point.y()), four(point.x())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_product_is_told_by_its_time() {
        let line = |id: &str, at: Option<&str>| ProductLine {
            id: ProductId::new(id).unwrap(),
            issued: at.map(|at| Moment { text: at.to_owned(), at: at.parse().unwrap() }),
        };
        let list = [
            line("old", Some("2031-05-09T12:00:00Z")),
            line("new", Some("2031-05-09T20:00:00Z")),
            line("untold", None),
        ];
        assert_eq!(newest(&list).unwrap().id.as_str(), "new");
        assert_eq!(newest(&[line("a", None), line("b", None)]).unwrap().id.as_str(), "a");
        assert_eq!(newest(&[]), None);
    }

    /// A horseshoe: its centroid lies outside of it.
    #[test]
    fn an_interior_point_is_inside_the_largest_part() {
        let horseshoe =
            vec![[0., 0.], [10., 0.], [10., 10.], [8., 10.], [8., 2.], [2., 2.], [2., 10.], [0., 10.], [0., 0.]];
        let islet = vec![[20., 0.], [21., 0.], [21., 1.], [20., 0.]];
        let area = Area::from(vec![vec![islet], vec![horseshoe]]);
        let inside = interior_point(&area).unwrap();
        assert!(area.contains(inside) && inside.lon() < 11.0, "{inside:?}");
        assert_eq!(interior_point(&Area::from(vec![vec![vec![[0., 0.], [1., 1.], [0., 0.]]]])), None);
        assert_eq!(interior_point(&Area::from(Vec::new())), None);
    }
}
