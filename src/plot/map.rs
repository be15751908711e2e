//! The map: what is seen of a nation or around a place at one instant, and what is not.
//!
//! Boundaries: ✓ layers over each other, legend, words. ✗ what may speak is `threat`'s to say: the map takes its limits and words.
//! Shores and borders are those of the states alone: abroad the graticule and the box of the continental US stand for them.

mod layers;
mod legend;
mod marks;
mod points;
mod radar;
pub mod sheet;
mod sight;

pub use points::MapPoint;
pub use sight::{Seen, Unseen, seen};

use super::page::{Frame, Page, Painted, Side, fitted, paint};
use super::projection::Projection;
use super::sounding::degrees;
use super::{PlotError, ink};
use crate::geo::{CONUS_LAT_DEG, CONUS_LON_DEG, LatLon};
use crate::ground::outlines::Bounds;
use crate::threat::DISCLAIMER;
use crate::threat::picture::Picture;
use jiff::Timestamp;

/// Width and height of the picture, pixels.
pub const MAP_SIZE: (u32, u32) = (1400, 950);

const FRAME: Frame = Frame::new(14.0, 84.0, 1092.0, 914.0);
/// The corners of the frame lie so much farther from its middle than its nearer sides do, and a little more.
const CORNERS: f64 = 1.7;
const LEGEND: Frame = Frame::new(1108.0, 84.0, 1386.0, 914.0);

/// What the map shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// The continental US.
    Conus,
    /// A circle, in the middle of the frame.
    Around {
        /// Its middle.
        place: LatLon,
        /// Its radius.
        radius_km: f64,
    },
}

impl Extent {
    fn projection(self) -> Projection {
        match self {
            Self::Conus => Projection::of_box(FRAME, CONUS_LAT_DEG, CONUS_LON_DEG),
            Self::Around { place, radius_km } => Projection::around(FRAME, place, radius_km),
        }
    }

    /// A box around all that the frame shows.
    fn bounds(self) -> Bounds {
        match self {
            Self::Conus => Bounds::of_conus(),
            Self::Around { place, radius_km } => Bounds::around(place, radius_km * CORNERS),
        }
    }

    fn title(self) -> String {
        match self {
            Self::Conus => "Severe weather seen over the continental US".to_owned(),
            Self::Around { place, radius_km } => {
                format!("Severe weather seen within {radius_km:.0} km of {}", degrees(place.lat(), place.lon()))
            }
        }
    }
}

/// What a map is made from.
#[derive(Debug, Clone)]
pub struct MapPlot<'a> {
    /// All evidence.
    pub picture: &'a Picture,
    /// Watch points with their levels.
    pub points: &'a [MapPoint],
    /// What to show.
    pub extent: Extent,
    /// The instant of the map.
    pub now: Timestamp,
}

/// Draws the map as PNG.
///
/// # Errors
/// Only defects of the build: see [`PlotError`].
pub fn map(plot: &MapPlot) -> Result<Vec<u8>, PlotError> {
    painted(plot).map(|painted| painted.png)
}

fn painted(plot: &MapPlot) -> Result<Painted, PlotError> {
    paint(MAP_SIZE, |page| draw(page, plot))
}

fn draw(page: &mut Page, plot: &MapPlot) {
    let seen = seen(plot.picture, plot.extent, plot.now);
    let projection = plot.extent.projection();
    let marks = marks::Marks::new(&projection, &seen);
    heading(page, plot, &seen);
    page.within(FRAME, |page| {
        layers::outlook(page, &projection, &seen);
        layers::graticule(page, &projection);
        layers::states(page, &projection, plot.extent);
        radar::hatch_unseen(page, &projection, &seen);
        radar::echoes(page, &projection, &seen);
        layers::warnings(page, &projection, &seen);
        marks.draw(page);
        if let Extent::Around { place, .. } = plot.extent {
            marks::asked(page, projection.spot(place.lat(), place.lon()));
        }
        points::points(page, &projection, plot.points);
        layers::scale(page, &projection);
    });
    page.outline(&FRAME.corners(), 1.4, ink::BLACK);
    let inside =
        plot.points.iter().filter(|point| FRAME.holds(projection.spot(point.at.lat(), point.at.lon()))).count();
    legend::legend(page, LEGEND, &seen, &marks, plot.points, plot.points.len() - inside);
    page.text((FRAME.left, 931.0), Side::Left, 12.0, ink::GREY, DISCLAIMER);
    let origin = "state lines: US Census Bureau, 2017, 1:10,000,000; none are drawn abroad";
    page.text((LEGEND.right, 931.0), Side::Right, 12.0, ink::GREY, origin);
}

fn heading(page: &mut Page, plot: &MapPlot, seen: &Seen) {
    let width = page.whole().width() - 28.0;
    page.text((14.0, 22.0), Side::Left, 23.0, ink::BLACK, &fitted(&plot.extent.title(), 23.0, width));
    let heard = plot.picture.warnings.last_good_utc.map_or_else(|| "never".to_owned(), |at| format!("{at:.0}"));
    let source = format!("as of {:.0}   NWS warnings as heard {heard}   all else: times in the legend", plot.now);
    page.text((14.0, 46.0), Side::Left, 14.0, ink::GREY, &fitted(&source, 14.0, width));
    if !seen.unseen.is_empty() {
        let what: Vec<&str> = seen.unseen.iter().map(|unseen| unseen.what.as_str()).collect();
        let words = format!("NOT SEEN: {}", what.join(", "));
        page.text((14.0, 68.0), Side::Left, 15.5, ink::ALARM, &fitted(&words, 15.5, width));
    }
}

#[cfg(test)]
mod tests;
