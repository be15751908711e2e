//! When a storm that moves as its warning says comes nearest to a place (levels.md, correction 4).

use super::incidents::Approach;
use super::{StormMotion, Warning};
use crate::geo::{KMH_PER_KT, LatLon};
use jiff::Timestamp;

/// However narrow a polygon is, a storm that passes within this comes toward the place.
const TOWARD_KM_MIN: f64 = 5.0;
/// Motion is carried on for at most this long either way: products are renewed every quarter of an hour, and beyond this
/// their time stamp is a slip.
const CARRIED_MIN_MAX: f64 = 180.0;

/// The approach to `place` of the storm that `warning` describes, seen from `now`. `None` without storm motion.
///
/// Two or more positions are a line that moves as a whole, one is a cell. They are first moved from their own time stamp to
/// `now`; the arrival is that of the nearest approach after that.
pub fn approach(warning: &Warning, place: LatLon, now: Timestamp) -> Option<Approach> {
    let motion = warning.motion.as_ref()?;
    let cells = cells_seen_from(place, motion, now);
    let sides = cells.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    let lone = cells.first().map(|cell| (*cell, *cell));
    let (passes_km, hours) = lone.into_iter().chain(sides).map(|(a, b)| nearest_pass(a, b)).min_by(|p, q| {
        // Line parts that share a corner agree on the distance only to rounding: then the sooner one is meant.
        if (p.0 - q.0).abs() < 1e-6 { p.1.total_cmp(&q.1) } else { p.0.total_cmp(&q.0) }
    })?;
    let width_km = warning.area.as_ref().map_or(0.0, |area| area.width_across_km(motion.from_deg + 180.0));
    let toward = passes_km <= (width_km / 2.0).max(TOWARD_KM_MIN);
    Some(Approach { minutes: hours * 60.0, passes_km, toward })
}

/// A cell in the plane around the place, km east and north, and its velocity, km/h.
#[derive(Debug, Clone, Copy)]
struct Cell {
    at: [f64; 2],
    velocity: [f64; 2],
}

/// The cells at `now`, in the plane that keeps distance and bearing from the place.
fn cells_seen_from(place: LatLon, motion: &StormMotion, now: Timestamp) -> Vec<Cell> {
    let toward_deg = motion.from_deg + 180.0;
    let speed_kmh = motion.speed_kt * KMH_PER_KT;
    let age_min = now.duration_since(motion.at_utc).as_secs_f64() / 60.0;
    let moved_km = speed_kmh * age_min.clamp(-CARRIED_MIN_MAX, CARRIED_MIN_MAX) / 60.0;
    let plane = |there: LatLon| {
        let (sin, cos) = place.bearing_deg(there).to_radians().sin_cos();
        let km = place.distance_km(there);
        [km * sin, km * cos]
    };
    let cell = |start: &LatLon| {
        // Both ends of the track on the sphere, so that the plane's straight line is the track near the place.
        let reach_km = moved_km.max(0.0) + place.distance_km(*start).max(1.0);
        let (at, then) = (plane(start.travel(toward_deg, moved_km)), plane(start.travel(toward_deg, reach_km)));
        let share = speed_kmh / (reach_km - moved_km);
        Cell { at, velocity: [(then[0] - at[0]) * share, (then[1] - at[1]) * share] }
    };
    motion.cells.iter().map(cell).collect()
}

/// Least distance to the origin, km, of a part of a line that moves on from now, and when, hours from now.
fn nearest_pass(a: Cell, b: Cell) -> (f64, f64) {
    let velocity = [(a.velocity[0] + b.velocity[0]) / 2.0, (a.velocity[1] + b.velocity[1]) / 2.0];
    let side = [b.at[0] - a.at[0], b.at[1] - a.at[1]];
    if let Some(hours) = crosses_after(a.at, side, velocity) {
        return (0.0, hours);
    }
    let speed2 = dot(velocity, velocity);
    let corner = |at: [f64; 2]| {
        let hours = if speed2 > 0.0 { (-dot(at, velocity) / speed2).max(0.0) } else { 0.0 };
        ((at[0] + velocity[0] * hours).hypot(at[1] + velocity[1] * hours), hours)
    };
    let length2 = dot(side, side);
    let share = if length2 > 0.0 { (-dot(a.at, side) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let now = ((a.at[0] + share * side[0]).hypot(a.at[1] + share * side[1]), 0.0);
    [now, corner(a.at), corner(b.at)].into_iter().min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or(now)
}

/// When the side that starts at `at` runs over the origin, hours from now; `None` when it does not.
fn crosses_after(at: [f64; 2], side: [f64; 2], velocity: [f64; 2]) -> Option<f64> {
    let cross = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    let turn = cross(side, velocity);
    if turn.abs() < 1e-12 {
        return None;
    }
    // at + share * side + hours * velocity = 0
    let share = -cross(at, velocity) / turn;
    let hours = cross(at, side) / turn;
    ((0.0..=1.0).contains(&share) && hours >= 0.0).then_some(hours)
}

fn dot(p: [f64; 2], q: [f64; 2]) -> f64 {
    p[0] * q[0] + p[1] * q[1]
}

#[cfg(test)]
mod tests;
