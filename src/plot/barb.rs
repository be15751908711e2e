//! Wind barbs: half a barb for 5 kt, one for 10, a flag for 50, on the side of lower pressure of the northern hemisphere.

use super::ink::Ink;
use super::page::{Page, Spot};
use crate::sounding::Wind;
use crate::sounding::environment::KT_PER_MS;

/// Length of the staff, pixels.
const STAFF: f64 = 30.0;
/// Between barbs, pixels.
const STEP: f64 = 4.6;
/// Length of a barb, pixels.
const BARB: f64 = 12.0;
/// Flags drawn at most: 8 are 400 kt, beyond the fastest wind that a column takes (200 m/s).
const FLAGS_MAX: u32 = 8;

/// Draws the barb of a wind with its foot at a spot.
pub(super) fn barb(page: &mut Page, foot: Spot, wind: Wind, ink: Ink) {
    let knots = wind.speed_ms() * KT_PER_MS;
    let fives = (knots / 5.0).round().clamp(0.0, f64::from(FLAGS_MAX) * 10.0) as u32;
    if fives == 0 {
        page.circle(foot, 4.0, 1.2, ink);
        return;
    }
    // The staff points to where the wind comes from.
    let (sin, cos) = wind.from_deg().to_radians().sin_cos();
    let along = |at: f64| (foot.0 + sin * at, foot.1 - cos * at);
    // Barbs stand to the right of the staff seen from its foot, leaning outwards.
    let out = |at: f64, length: f64| {
        let base = along(at);
        (base.0 + (cos * 0.94 + sin * 0.34) * length, base.1 + (sin * 0.94 - cos * 0.34) * length)
    };
    page.line(foot, along(STAFF), 1.2, ink);
    let mut at = STAFF;
    let (flags, barbs, half) = (fives / 10, fives % 10 / 2, fives % 2 == 1);
    for _ in 0..flags {
        let flag = vec![along(at), out(at - STEP * 0.6, BARB), along(at - STEP * 1.3)];
        page.fill(std::slice::from_ref(&flag), ink);
        page.outline(&flag, 0.8, ink);
        at -= STEP * 1.7;
    }
    for _ in 0..barbs {
        page.line(along(at), out(at, BARB), 1.2, ink);
        at -= STEP;
    }
    if half {
        // A half barb alone stands off the end, so that it is not taken for a whole one.
        let at = if fives == 1 { at - STEP } else { at };
        page.line(along(at), out(at, BARB * 0.5), 1.2, ink);
    }
}
