//! The hodograph: winds as points from a common origin, coloured by height, with storm motions.

use super::ink::{self, Ink};
use super::page::{Frame, Page, Side, Spot};
use super::skew_t::by_height;
use crate::sounding::environment::KT_PER_MS;
use crate::sounding::winds::{Hodograph, HodographPoint};
use crate::sounding::{Column, Environment, Wind};

/// Drawn up to here, m over the ground.
const TOP_M: f64 = 12_000.0;
/// Heights that get a dot and a number, km.
const DOTS_KM: [u32; 5] = [1, 3, 6, 9, 12];
/// The smallest side of the window, kt: calm days are not blown up to storms.
const SIDE_KT_MIN: f64 = 60.0;
/// Air left around the curve, kt.
const ROOM_KT: f64 = 10.0;

/// From winds to the page.
struct Plane {
    frame: Frame,
    centre_kt: (f64, f64),
    px_per_kt: f64,
}

impl Plane {
    /// A window that holds the origin and all of these, m/s.
    fn around(frame: Frame, winds: &[Wind]) -> Self {
        let (mut low, mut high) = ((0.0_f64, 0.0_f64), (0.0_f64, 0.0_f64));
        for wind in winds {
            let (u, v) = (wind.u_ms * KT_PER_MS, wind.v_ms * KT_PER_MS);
            (low, high) = ((low.0.min(u), low.1.min(v)), (high.0.max(u), high.1.max(v)));
        }
        let side_kt = (high.0 - low.0).max(high.1 - low.1) + 2.0 * ROOM_KT;
        let px_per_kt = frame.width().min(frame.height()) / side_kt.max(SIDE_KT_MIN);
        Self { frame, centre_kt: ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0), px_per_kt }
    }

    fn spot(&self, wind: Wind) -> Spot {
        self.spot_kt(wind.u_ms * KT_PER_MS, wind.v_ms * KT_PER_MS)
    }

    fn spot_kt(&self, u_kt: f64, v_kt: f64) -> Spot {
        let middle = self.frame.middle();
        (middle.0 + (u_kt - self.centre_kt.0) * self.px_per_kt, middle.1 - (v_kt - self.centre_kt.1) * self.px_per_kt)
    }
}

/// Draws the hodograph of a column into a frame.
pub(super) fn hodograph(page: &mut Page, frame: Frame, column: &Column, environment: &Environment) {
    let Some(hodograph) = Hodograph::new(column) else {
        page.outline(&frame.corners(), 1.4, ink::BLACK);
        page.text(frame.middle(), Side::Centre, 14.0, ink::ALARM, "no wind at the ground: no hodograph");
        return;
    };
    let curve = up_to_top(&hodograph);
    let motions = [environment.bunkers_right, environment.bunkers_left];
    let winds: Vec<Wind> = curve.iter().map(|point| point.wind).chain(motions.into_iter().flatten()).collect();
    let plane = Plane::around(frame, &winds);
    page.within(frame, |page| {
        rings(page, &plane, &winds);
        for pair in curve.windows(2) {
            let ink = by_height((pair[0].height_agl_m + pair[1].height_agl_m) / 2.0);
            page.line(plane.spot(pair[0].wind), plane.spot(pair[1].wind), 3.0, ink);
        }
        for km in DOTS_KM {
            let Some(point) = hodograph.at_height(f64::from(km) * 1000.0) else { continue };
            let spot = plane.spot(point.wind);
            page.disc(spot, 4.0, ink::WHITE);
            page.circle(spot, 4.0, 1.6, by_height(point.height_agl_m));
            page.text_on_map((spot.0 + 8.0, spot.1 - 8.0), Side::Left, 12.0, ink::BLACK, &km.to_string());
        }
        storm_motions(page, &plane, environment);
    });
    page.outline(&frame.corners(), 1.4, ink::BLACK);
    key(page, frame);
}

/// The points up to [`TOP_M`], with those at which the colour changes.
fn up_to_top(hodograph: &Hodograph) -> Vec<HodographPoint> {
    let changes = ink::HODOGRAPH.iter().filter_map(|(km, ..)| hodograph.at_height(km * 1000.0));
    let mut points: Vec<HodographPoint> = hodograph.points().iter().copied().chain(changes).collect();
    points.retain(|point| point.height_agl_m <= TOP_M);
    points.sort_by(|a, b| a.height_agl_m.total_cmp(&b.height_agl_m));
    points
}

fn rings(page: &mut Page, plane: &Plane, winds: &[Wind]) {
    let origin = plane.spot_kt(0.0, 0.0);
    for kt in (10..=200).step_by(10) {
        let strong = kt % 20 == 0;
        page.circle(origin, f64::from(kt) * plane.px_per_kt, 1.0, if strong { ink::RULE } else { ink::PALE });
    }
    let frame = plane.frame;
    page.line((frame.left, origin.1), (frame.right, origin.1), 1.0, ink::RULE);
    page.line((origin.0, frame.top), (origin.0, frame.bottom), 1.0, ink::RULE);
    for (kt, spot) in ring_labels(plane, winds) {
        page.text_on_map(spot, Side::Centre, 11.0, ink::GREY, &kt.to_string());
    }
}

/// Speeds of every second ring, along that of eight directions in which the most stand free of the curve.
fn ring_labels(plane: &Plane, winds: &[Wind]) -> Vec<(i32, Spot)> {
    let frame = plane.frame;
    let inner = Frame::new(frame.left + 14.0, frame.top + 10.0, frame.right - 14.0, frame.bottom - 10.0);
    let taken: Vec<Spot> = winds.iter().map(|wind| plane.spot(*wind)).collect();
    let free =
        |spot: Spot| taken.iter().all(|other| (other.0 - spot.0).abs() > 60.0 || (other.1 - spot.1).abs() > 20.0);
    let along = |direction: i32| -> Vec<(i32, Spot)> {
        let (sin, cos) = f64::from(direction * 45).to_radians().sin_cos();
        let spots = (20..=200).step_by(20).map(|kt| (kt, plane.spot_kt(f64::from(kt) * sin, f64::from(kt) * cos)));
        spots.filter(|(_, spot)| inner.holds(*spot) && free(*spot)).collect()
    };
    (0..8).map(along).max_by_key(Vec::len).unwrap_or_default()
}

fn storm_motions(page: &mut Page, plane: &Plane, environment: &Environment) {
    let (right, left) = (environment.bunkers_right, environment.bunkers_left);
    // Right and left movers are mirror images at the mean wind.
    let mean = right
        .zip(left)
        .map(|(right, left)| Wind { u_ms: (right.u_ms + left.u_ms) / 2.0, v_ms: (right.v_ms + left.v_ms) / 2.0 });
    let mut cross = |wind: Option<Wind>, ink: Ink, name: &str| {
        let Some(wind) = wind else { return };
        let (x, y) = plane.spot(wind);
        page.circle((x, y), 5.5, 1.6, ink);
        page.line((x - 5.5, y), (x + 5.5, y), 1.2, ink);
        page.line((x, y - 5.5), (x, y + 5.5), 1.2, ink);
        page.text_on_map((x + 9.0, y + 8.0), Side::Left, 12.0, ink, &format!("{name} {}", told(wind)));
    };
    cross(mean, ink::MEAN_WIND, "MW");
    cross(left, ink::LEFT_MOVER, "LM");
    cross(right, ink::RIGHT_MOVER, "RM");
}

/// A wind as forecasters say it: from where, degrees, and how fast, kt.
pub(super) fn told(wind: Wind) -> String {
    format!("{:03.0}/{:.0}", wind.from_deg().round().rem_euclid(360.0), wind.speed_ms() * KT_PER_MS)
}

fn key(page: &mut Page, frame: Frame) {
    let mut x = frame.left + 2.0;
    for (_, ink, words) in ink::HODOGRAPH {
        page.line((x, frame.bottom + 13.0), (x + 16.0, frame.bottom + 13.0), 3.0, ink);
        page.text((x + 21.0, frame.bottom + 13.0), Side::Left, 12.0, ink::BLACK, words);
        x += 86.0;
    }
    page.text((frame.right, frame.bottom + 13.0), Side::Right, 12.0, ink::GREY, "rings 10 kt");
}
