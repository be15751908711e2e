//! The skew-T log-p diagram: isotherms at 45 degrees over the logarithm of pressure.

use super::barb::barb;
use super::ink::{self, Ink};
use super::page::{Frame, Page, Side, Spot};
use crate::sounding::parcel::{Ascent, Mark, TracePoint};
use crate::sounding::{Column, Environment, Level, thermo};

/// Pressures at the foot and the top of the diagram, hPa.
const PRESSURE_HPA: (f64, f64) = (1050.0, 100.0);
/// Temperatures at its lower corners, °C.
const TEMPERATURE_C: (f64, f64) = (-40.0, 50.0);
/// Isobars drawn and named, hPa.
const ISOBARS_HPA: [u32; 10] = [1000, 900, 800, 700, 600, 500, 400, 300, 200, 100];
/// Mixing ratios drawn, g/kg, up to this pressure, hPa.
const MIXING_RATIOS_GKG: ([u32; 8], f64) = ([1, 2, 4, 7, 10, 14, 20, 28], 600.0);
/// Heights marked, km over the ground.
const HEIGHTS_KM: [u32; 6] = [1, 3, 6, 9, 12, 15];
/// Least distance between wind barbs, pixels.
const BARB_EVERY: f64 = 19.0;

/// From pressure and temperature to the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Diagram {
    pub frame: Frame,
}

impl Diagram {
    pub fn y(&self, pressure_hpa: f64) -> f64 {
        let (foot, top) = PRESSURE_HPA;
        self.frame.top + (pressure_hpa / top).ln() / (foot / top).ln() * self.frame.height()
    }

    pub fn spot(&self, pressure_hpa: f64, temperature_c: f64) -> Spot {
        let y = self.y(pressure_hpa);
        let (cold, warm) = TEMPERATURE_C;
        let x = self.frame.left + (temperature_c - cold) / (warm - cold) * self.frame.width();
        (x + self.frame.bottom - y, y)
    }

    /// Pressures from the foot to `top_hpa` in even steps of the logarithm.
    fn pressures(top_hpa: f64) -> impl Iterator<Item = f64> {
        let (foot, steps) = (PRESSURE_HPA.0, 40);
        (0..=steps).map(move |step| foot * (top_hpa / foot).powf(f64::from(step) / f64::from(steps)))
    }
}

/// Draws the diagram of a column with one lifted parcel, and the barbs at `barbs_x`.
pub(super) fn skew_t(
    page: &mut Page,
    frame: Frame,
    barbs_x: f64,
    column: &Column,
    environment: &Environment,
    ascent: Option<&Ascent>,
) {
    let diagram = Diagram { frame };
    page.within(frame, |page| {
        background(page, &diagram);
        if let Some(ascent) = ascent {
            shade(page, &diagram, ascent);
        }
        traces(page, &diagram, column, ascent);
    });
    axes(page, &diagram);
    page.within(frame, |page| {
        heights(page, &diagram, column, environment);
        if let Some(ascent) = ascent {
            marks(page, &diagram, ascent);
        }
        ground(page, &diagram, column);
    });
    barbs(page, &diagram, barbs_x, column);
}

fn background(page: &mut Page, diagram: &Diagram) {
    let line = |of: &dyn Fn(f64) -> f64, top_hpa: f64| -> Vec<Spot> {
        Diagram::pressures(top_hpa).map(|hpa| diagram.spot(hpa, of(hpa))).collect()
    };
    for theta_c in (-30..=240).step_by(10) {
        let of = |hpa| thermo::dry_temperature_c(hpa, f64::from(theta_c));
        page.path(&line(&of, PRESSURE_HPA.1), 1.0, ink::DRY_ADIABAT);
    }
    for adiabat_c in (-12..=36).step_by(4) {
        // Above 200 hPa next to no water is left and the lines run into the dry ones.
        let of = |hpa| thermo::moist_temperature_c(thermo::exner(hpa), f64::from(adiabat_c), f64::from(adiabat_c));
        page.path(&line(&of, 200.0), 1.0, ink::MOIST_ADIABAT);
    }
    for ratio_gkg in MIXING_RATIOS_GKG.0 {
        let of = |hpa| thermo::dew_point_of_mixing_ratio_c(hpa, f64::from(ratio_gkg));
        page.dashes(&line(&of, MIXING_RATIOS_GKG.1), (3.0, 4.0), 1.2, ink::MIXING_RATIO);
    }
    for celsius in (-120..=50).step_by(10) {
        let spots = line(&|_| f64::from(celsius), PRESSURE_HPA.1);
        match celsius {
            // The freezing level and the cold end of hail growth.
            0 | -20 => page.dashes(&spots, (8.0, 4.0), 1.3, ink::FREEZING),
            _ => page.path(&spots, 1.0, ink::PALE),
        }
    }
    for hpa in ISOBARS_HPA {
        let y = diagram.y(f64::from(hpa)).round();
        page.line((diagram.frame.left, y), (diagram.frame.right, y), 1.0, ink::RULE);
    }
    for ratio_gkg in MIXING_RATIOS_GKG.0 {
        let top_hpa = MIXING_RATIOS_GKG.1;
        let (x, y) = diagram.spot(top_hpa, thermo::dew_point_of_mixing_ratio_c(top_hpa, f64::from(ratio_gkg)));
        page.text_on_map((x, y - 8.0), Side::Centre, 11.0, ink::DEW_POINT, &ratio_gkg.to_string());
    }
}

/// Light red where the parcel is warmer than the air around above its condensation level, light blue where it is colder
/// below the level of free convection: what the two energies count.
fn shade(page: &mut Page, diagram: &Diagram, ascent: &Ascent) {
    let Some(lfc) = ascent.lfc else { return };
    let (mut cape, mut cin) = (Vec::new(), Vec::new());
    for pair in ascent.trace.windows(2) {
        for (lower, upper) in one_sign(pair[0], pair[1]) {
            let warmer = lower.virtual_temperature_c + upper.virtual_temperature_c > lower.around_c + upper.around_c;
            let middle_hpa = (lower.pressure_hpa * upper.pressure_hpa).sqrt();
            let rings = match warmer {
                true if middle_hpa < ascent.lcl.pressure_hpa => &mut cape,
                false if middle_hpa > lfc.pressure_hpa => &mut cin,
                _ => continue,
            };
            rings.push(vec![
                diagram.spot(lower.pressure_hpa, lower.virtual_temperature_c),
                diagram.spot(upper.pressure_hpa, upper.virtual_temperature_c),
                diagram.spot(upper.pressure_hpa, upper.around_c),
                diagram.spot(lower.pressure_hpa, lower.around_c),
            ]);
        }
    }
    // All layers at once: one by one they would show their seams.
    page.fill(&cape, ink::CAPE);
    page.fill(&cin, ink::CIN);
}

/// A layer cut where the parcel's virtual temperature crosses that of the air.
fn one_sign(lower: TracePoint, upper: TracePoint) -> Vec<(TracePoint, TracePoint)> {
    let excess = |point: &TracePoint| point.virtual_temperature_c - point.around_c;
    let (below, above) = (excess(&lower), excess(&upper));
    if below * above >= 0.0 {
        return vec![(lower, upper)];
    }
    let part = below / (below - above);
    let mix = |from: f64, to: f64| from + (to - from) * part;
    let cross_c = mix(lower.virtual_temperature_c, upper.virtual_temperature_c);
    let cross = TracePoint {
        pressure_hpa: mix(lower.pressure_hpa.ln(), upper.pressure_hpa.ln()).exp(),
        height_agl_m: mix(lower.height_agl_m, upper.height_agl_m),
        virtual_temperature_c: cross_c,
        around_c: cross_c,
    };
    vec![(lower, cross), (cross, upper)]
}

fn traces(page: &mut Page, diagram: &Diagram, column: &Column, ascent: Option<&Ascent>) {
    let spots = |of: &dyn Fn(&Level) -> Option<f64>| -> Vec<Spot> {
        column.levels().iter().filter_map(|level| Some(diagram.spot(level.pressure_hpa, of(level)?))).collect()
    };
    let virtual_c = |level: &Level| {
        Some(thermo::virtual_temperature_c(level.pressure_hpa, level.temperature_c, level.dew_point_c?))
    };
    page.dashes(&spots(&virtual_c), (5.0, 4.0), 1.2, ink::TEMPERATURE);
    page.path(&spots(&|level| level.dew_point_c), 2.6, ink::DEW_POINT);
    page.path(&spots(&|level| Some(level.temperature_c)), 2.6, ink::TEMPERATURE);
    if let Some(ascent) = ascent {
        let trace: Vec<Spot> =
            ascent.trace.iter().map(|point| diagram.spot(point.pressure_hpa, point.virtual_temperature_c)).collect();
        page.dashes(&trace, (9.0, 5.0), 2.0, ink::PARCEL);
    }
}

fn axes(page: &mut Page, diagram: &Diagram) {
    let frame = diagram.frame;
    page.outline(&frame.corners(), 1.4, ink::BLACK);
    for hpa in ISOBARS_HPA {
        let y = diagram.y(f64::from(hpa)).round();
        page.text((frame.left - 6.0, y), Side::Right, 13.0, ink::BLACK, &hpa.to_string());
    }
    for celsius in (-40..=50).step_by(10) {
        let (x, y) = diagram.spot(PRESSURE_HPA.0, f64::from(celsius));
        page.text((x, y + 13.0), Side::Centre, 13.0, ink::BLACK, &celsius.to_string());
    }
    page.text((frame.left - 6.0, frame.bottom - 1.0), Side::Right, 12.0, ink::GREY, "hPa");
    page.text((frame.right + 22.0, frame.bottom + 13.0), Side::Centre, 12.0, ink::GREY, "°C");
}

/// Heights over the ground at the left edge, and the layer that feeds a storm.
fn heights(page: &mut Page, diagram: &Diagram, column: &Column, environment: &Environment) {
    let left = diagram.frame.left;
    let ground_m = column.surface().height_msl_m;
    let y_at = |agl_m: f64| Some(diagram.y(column.pressure_hpa_at(ground_m + agl_m)?));
    for km in HEIGHTS_KM {
        let Some(y) = y_at(f64::from(km) * 1000.0).filter(|y| *y > diagram.frame.top + 10.0) else { continue };
        page.line((left, y), (left + 10.0, y), 1.4, ink::MARKS);
        page.text_on_map((left + 14.0, y), Side::Left, 12.0, ink::MARKS, &format!("{km} km"));
    }
    let inflow = environment.effective_inflow_base_m_agl.zip(environment.effective_inflow_top_m_agl);
    if let Some((base_m, top_m)) = inflow
        && let (Some(base_y), Some(top_y)) = (y_at(base_m), y_at(top_m))
    {
        let x = left + 196.0;
        page.line((x, base_y), (x, top_y), 2.0, ink::INFLOW);
        for y in [base_y, top_y] {
            page.line((x - 6.0, y), (x + 6.0, y), 2.0, ink::INFLOW);
        }
        let words = format!("inflow {base_m:.0}-{top_m:.0} m");
        page.text_on_map((x - 6.0, top_y - 11.0), Side::Left, 12.0, ink::INFLOW, &words);
    }
}

/// Condensation level, free convection and equilibrium of the parcel, at the right edge.
fn marks(page: &mut Page, diagram: &Diagram, ascent: &Ascent) {
    let named = [("LCL", Some(ascent.lcl)), ("LFC", ascent.lfc), ("EL", ascent.el)];
    let mut free_below = f64::INFINITY;
    for (name, mark) in named {
        let Some(Mark { pressure_hpa, height_agl_m }) = mark else { continue };
        let y = diagram.y(pressure_hpa);
        let right = diagram.frame.right;
        page.line((right - 24.0, y), (right - 2.0, y), 2.0, ink::MARKS);
        // The next one is higher: its words move up where they would touch.
        let words_y = y.min(free_below - 14.0);
        page.text_on_map(
            (right - 28.0, words_y),
            Side::Right,
            12.0,
            ink::MARKS,
            &format!("{name} {height_agl_m:.0} m"),
        );
        free_below = words_y;
    }
}

/// The ground, and its temperature and dew point as people there read them.
fn ground(page: &mut Page, diagram: &Diagram, column: &Column) {
    let surface = column.surface();
    let y = diagram.y(surface.pressure_hpa);
    page.line((diagram.frame.left, y), (diagram.frame.right, y), 1.0, ink::GREY);
    let fahrenheit = |celsius: f64| celsius * 1.8 + 32.0;
    let (x, _) = diagram.spot(surface.pressure_hpa, surface.temperature_c);
    let words = format!("{:.0}°F", fahrenheit(surface.temperature_c));
    page.text_on_map((x + 4.0, y + 10.0), Side::Left, 12.0, ink::TEMPERATURE, &words);
    if let Some(dew_point_c) = surface.dew_point_c {
        let (dew_x, _) = diagram.spot(surface.pressure_hpa, dew_point_c);
        let words = format!("{:.0}°F", fahrenheit(dew_point_c));
        // In saturated air the two would stand on each other.
        page.text_on_map((dew_x.min(x) - 4.0, y + 10.0), Side::Right, 12.0, ink::DEW_POINT, &words);
    }
    let words = format!("ground {:.0} m, {:.0} hPa", surface.height_msl_m, surface.pressure_hpa);
    page.text_on_map((diagram.frame.left + 8.0, y - 9.0), Side::Left, 12.0, ink::GREY, &words);
}

fn barbs(page: &mut Page, diagram: &Diagram, x: f64, column: &Column) {
    page.line((x, diagram.frame.top), (x, diagram.frame.bottom), 1.0, ink::PALE);
    let mut last_y = f64::INFINITY;
    for level in column.levels() {
        let Some(wind) = level.wind else { continue };
        let y = diagram.y(level.pressure_hpa);
        if y < diagram.frame.top - 0.5 || last_y - y < BARB_EVERY {
            continue;
        }
        last_y = y;
        barb(page, (x, y), wind, by_height(column.agl_m(level.height_msl_m)));
    }
    page.text((x, diagram.frame.bottom + 13.0), Side::Centre, 12.0, ink::GREY, "kt");
}

/// The colour of the hodograph at a height, black above.
pub(super) fn by_height(agl_m: f64) -> Ink {
    ink::HODOGRAPH.iter().find(|(km, ..)| agl_m <= km * 1000.0).map_or(ink::BLACK, |(_, ink, _)| *ink)
}
