//! Marks smaller than words: flashes of lightning and storm reports.

use super::Seen;
use crate::plot::ink::{self, Ink};
use crate::plot::page::{Page, Spot};
use crate::plot::projection::Projection;
use crate::storm_report::Group;

/// Half the width of a flash's cross, pixels: around a place, and on a map of the nation, where there are thousands.
const ARM: (f64, f64) = (4.0, 2.5);
/// Radius of a report's disc and text size of its letter, pixels: around a place and of the nation. Characters of these sizes
/// are an odd number of pixels wide, so that they stand in the middle.
const DISC: ((f64, f64), (f64, f64)) = ((7.0, 13.0), (5.5, 10.0));
/// Scale below which marks are small, pixels a km.
const SMALL_BELOW: f64 = 0.5;

/// What reports are drawn: letter, colour (those of SPC's pages of reports), words. The gravest first, and drawn on top.
pub(super) const REPORTS: [(Group, char, Ink, &str); 3] = [
    (Group::Tornado, 'T', ink::TORNADO_REPORT, "tornado"),
    (Group::Hail, 'H', ink::HAIL_REPORT, "hail"),
    (Group::Wind, 'W', ink::WIND_REPORT, "thunderstorm wind"),
];

/// Inner and outer end of the hair lines around the place that was asked about, pixels: outside of a watch point's dot.
const HAIRS: (f64, f64) = (9.0, 20.0);

/// Marks the place that was asked about.
pub(super) fn asked(page: &mut Page, (x, y): Spot) {
    for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let end = |length: f64| (x + dx * length, y + dy * length);
        page.line(end(HAIRS.0), end(HAIRS.1), 3.4, ink::WHITE);
        page.line(end(HAIRS.0), end(HAIRS.1), 1.6, ink::BLACK);
    }
}

/// The marks that lie on the map.
pub(super) struct Marks {
    is_small: bool,
    flashes: Vec<Spot>,
    reports: Vec<(Spot, Group)>,
}

impl Marks {
    pub fn new(projection: &Projection, seen: &Seen) -> Self {
        let spot = |at: crate::geo::LatLon| {
            let spot = projection.spot(at.lat(), at.lon());
            projection.frame.holds(spot).then_some(spot)
        };
        let reports = seen.reports.iter();
        Self {
            is_small: projection.px_per_km < SMALL_BELOW,
            flashes: seen.flashes.iter().filter_map(|at| spot(*at)).collect(),
            reports: reports.filter_map(|report| Some((spot(report.at)?, report.category.group()))).collect(),
        }
    }

    /// Flashes on the map.
    pub fn flashes(&self) -> usize {
        self.flashes.len()
    }

    /// Reports of a kind on the map.
    pub fn reports(&self, group: Group) -> usize {
        self.reports.iter().filter(|(_, other)| *other == group).count()
    }

    pub fn draw(&self, page: &mut Page) {
        crosses(page, &self.flashes, if self.is_small { ARM.1 } else { ARM.0 });
        for (group, letter, ink, _) in REPORTS.into_iter().rev() {
            for (at, _) in self.reports.iter().filter(|(_, other)| *other == group) {
                lettered(page, *at, letter, ink, self.is_small);
            }
        }
    }
}

/// Yellow crosses on a dark rim, all rims first: in a swarm every flash still shows.
fn crosses(page: &mut Page, spots: &[Spot], arm: f64) {
    let arms = |(x, y): &Spot| [[(x - arm, *y), (x + arm, *y)], [(*x, y - arm), (*x, y + arm)]];
    let arms: Vec<[Spot; 2]> = spots.iter().flat_map(arms).collect();
    page.paths(&arms, arm * 0.4 + 1.6, ink::FLASH_RIM);
    page.paths(&arms, arm * 0.4, ink::FLASH);
}

/// One cross, as the legend shows it.
pub(super) fn cross(page: &mut Page, at: Spot) {
    crosses(page, &[at], ARM.0);
}

/// A report: a letter on a disc.
pub(super) fn lettered(page: &mut Page, at: Spot, letter: char, ink: Ink, is_small: bool) {
    let (radius, size) = if is_small { DISC.1 } else { DISC.0 };
    let at = (at.0.round(), at.1.round());
    page.disc(at, radius + 1.0, ink::WHITE);
    page.disc(at, radius, ink);
    page.letter(at, size, ink::WHITE, letter);
}
