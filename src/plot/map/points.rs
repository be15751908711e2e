//! Watch points: a dot in the colour of its level, and its name where there is room.

use crate::geo::LatLon;
use crate::plot::ink;
use crate::plot::page::{Frame, Page, Side, Spot, fitted, text_frame};
use crate::plot::projection::Projection;
use crate::threat::Level;

/// Text size of names.
const SIZE: f64 = 13.5;
/// Longest label, pixels.
const LABEL_WIDTH: f64 = 260.0;
/// Radius of a dot, pixels: around a place, and on a map of the nation, where it would hide whole warnings.
const DOT: (f64, f64) = (6.5, 4.5);
/// Scale below which dots are small, pixels a km.
const SMALL_BELOW: f64 = 0.5;

/// A place with its level.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPoint {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub at: LatLon,
    /// Its level; `None` where it was not judged yet.
    pub level: Option<Level>,
    /// Whether something that cannot be seen could raise the level.
    pub is_blind: bool,
}

impl MapPoint {
    /// Its level in words; one that may be higher never reads as quiet.
    pub fn level_words(&self) -> String {
        match (self.level, self.is_blind) {
            (None, _) => "not judged yet".to_owned(),
            (Some(level), false) => level.to_string(),
            (Some(Level::None), true) => "nothing seen, but blind".to_owned(),
            (Some(level), true) => format!("at least {level}"),
        }
    }
}

/// Draws the points, the highest levels last and on top, but with the first choice of room for their names.
pub(super) fn points(page: &mut Page, projection: &Projection, points: &[MapPoint]) {
    let radius = if projection.px_per_km < SMALL_BELOW { DOT.1 } else { DOT.0 };
    let mut inside: Vec<(Spot, &MapPoint)> =
        points.iter().map(|point| (projection.spot(point.at.lat(), point.at.lon()), point)).collect();
    inside.retain(|(spot, _)| projection.frame.holds(*spot));
    inside.sort_by(|(_, a), (_, b)| a.level.cmp(&b.level).then_with(|| b.name.cmp(&a.name)));
    let dot = |(x, y): Spot| Frame::new(x - radius, y - radius, x + radius, y + radius);
    let dots: Vec<Frame> = inside.iter().map(|(spot, _)| dot(*spot)).collect();
    for (spot, point) in &inside {
        page.disc(*spot, radius + 1.0, ink::WHITE);
        page.disc(*spot, radius, ink::level(point.level));
        page.circle(*spot, radius, 1.6, ink::BLACK);
        if point.is_blind {
            page.text(*spot, Side::Centre, 2.0 * radius, ink::BLACK, "?");
        }
    }
    let mut taken = dots;
    for (spot, point) in inside.iter().rev() {
        let words = fitted(&format!("{}: {}", point.name, point.level_words()), SIZE, LABEL_WIDTH);
        let (right, left) = ((spot.0 + radius + 5.0, spot.1), (spot.0 - radius - 5.0, spot.1));
        let (above, below) = ((spot.0, spot.1 - 16.0), (spot.0, spot.1 + 17.0));
        let choices = [(right, Side::Left), (left, Side::Right), (above, Side::Centre), (below, Side::Centre)];
        let free = choices.into_iter().find(|(at, side)| {
            let frame = text_frame(*at, *side, SIZE, &words);
            let inside =
                projection.frame.holds((frame.left, frame.top)) && projection.frame.holds((frame.right, frame.bottom));
            inside && !taken.iter().any(|other| other.meets(&frame))
        });
        // Without room the dot alone stands: the legend counts the points.
        if let Some((at, side)) = free {
            page.text_on_map(at, side, SIZE, ink::BLACK, &words);
            taken.push(text_frame(at, side, SIZE, &words));
        }
    }
}
