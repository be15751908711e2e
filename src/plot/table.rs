//! The index table of a sounding: parcels, layers, storm motion, composites.

use super::hodograph::told;
use super::ink::{self, Ink};
use super::page::{Page, Side, wrapped};
use crate::sounding::{Environment, regime};

/// Text size and distance between lines, pixels.
const SIZE: f64 = 14.0;
const LINE: f64 = 19.0;
/// Millimetres in an inch.
const MM_PER_IN: f64 = 25.4;
/// Right edges of the columns of figures, pixels from the left of the table.
const COLUMNS: [f64; 6] = [112.0, 190.0, 268.0, 346.0, 424.0, 505.0];
/// Left edges of the pairs of name and figure.
const PAIRS: [f64; 3] = [0.0, 178.0, 350.0];
/// How wide a pair's figure may reach, pixels from its left edge.
const PAIR_WIDTH: f64 = 155.0;

/// Figures from which an index is shown as notable, strong and extreme. For the eye alone: the levels' rules are `threat`'s.
/// CAPE and shear: the usual steps of forecast discussions; SCP, STP, SHIP: 1 is where significant severe weather begins to be
/// likelier than not (Thompson et al. 2003, 2012; Johnson and Sugden 2014).
const CAPE_STEPS: [f64; 3] = [1000.0, 2500.0, 4000.0];
const SHEAR_STEPS: [f64; 3] = [30.0, 40.0, 60.0];
const HELICITY_STEPS: [f64; 3] = [100.0, 250.0, 400.0];
const SCP_STEPS: [f64; 3] = [1.0, 4.0, 10.0];
const STP_STEPS: [f64; 3] = [0.5, 1.0, 4.0];

fn strength(value: Option<f64>, steps: [f64; 3]) -> Ink {
    let mut graver = steps.iter().zip(ink::NOTABLE).rev();
    graver.find(|(step, _)| value.is_some_and(|value| value >= **step)).map_or(ink::BLACK, |(_, ink)| ink)
}

/// A figure with so many decimals; a dash where there is none. No "-0".
fn figure(value: Option<f64>, decimals: usize) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let told = format!("{value:.decimals$}");
    if told.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        told.trim_start_matches('-').to_owned()
    } else {
        told
    }
}

/// Where the next line goes.
struct Pen<'p> {
    page: &'p mut Page,
    left: f64,
    right: f64,
    y: f64,
}

impl Pen<'_> {
    fn row(&mut self, name: &str, figures: &[(String, Ink)]) {
        self.page.text((self.left, self.y), Side::Left, SIZE, ink::GREY, name);
        for ((words, ink), column) in figures.iter().zip(COLUMNS) {
            self.page.text((self.left + column, self.y), Side::Right, SIZE, *ink, words);
        }
        self.y += LINE;
    }

    fn heads(&mut self, name: &str, heads: &[&str]) {
        let heads: Vec<_> = heads.iter().map(|head| ((*head).to_owned(), ink::GREY)).collect();
        self.row(name, &heads);
        let y = self.y - LINE / 2.0 + 1.0;
        self.page.line((self.left, y), (self.right, y), 1.0, ink::RULE);
        self.y += 3.0;
    }

    fn pairs(&mut self, pairs: &[(&str, String, Ink)]) {
        for ((name, words, ink), left) in pairs.iter().zip(PAIRS) {
            let left = self.left + left;
            self.page.text((left, self.y), Side::Left, SIZE, ink::GREY, name);
            self.page.text((left + PAIR_WIDTH, self.y), Side::Right, SIZE, *ink, words);
        }
        self.y += LINE;
    }

    fn gap(&mut self) {
        self.y += 8.0;
    }
}

/// Writes the table from `top` down, between `left` and `right`; nothing below `bottom`.
pub(super) fn table(page: &mut Page, (left, right): (f64, f64), (top, bottom): (f64, f64), told_by: &Environment) {
    let mut pen = Pen { page, left, right, y: top };
    parcels(&mut pen, told_by);
    pen.gap();
    winds(&mut pen, told_by);
    pen.gap();
    others(&mut pen, told_by);
    pen.gap();
    let sentences = regime::read(told_by).map(|reading| reading.sentences).unwrap_or_default();
    for sentence in sentences {
        let lines = wrapped(&sentence, 13.0, right - left);
        if pen.y + 17.0 * lines.len() as f64 > bottom {
            break;
        }
        for line in lines {
            pen.page.text((left, pen.y), Side::Left, 13.0, ink::BLACK, &line);
            pen.y += 17.0;
        }
        pen.y += 4.0;
    }
}

fn parcels(pen: &mut Pen, e: &Environment) {
    pen.heads("parcel", &["CAPE", "CIN", "LCL m", "LFC m", "EL m", "0-3 CAPE"]);
    let rows = [
        ("SFC", [e.sbcape_jkg, e.sbcin_jkg, e.sb_lcl_m_agl, e.sb_lfc_m_agl, e.sb_el_m_agl, e.sbcape_0_3km_jkg]),
        ("ML", [e.mlcape_jkg, e.mlcin_jkg, e.ml_lcl_m_agl, e.ml_lfc_m_agl, e.ml_el_m_agl, e.mlcape_0_3km_jkg]),
        ("MU", [e.mucape_jkg, e.mucin_jkg, e.mu_lcl_m_agl, e.mu_lfc_m_agl, e.mu_el_m_agl, None]),
    ];
    for (name, figures) in rows {
        let ink = |at: usize, value| if at == 0 { strength(value, CAPE_STEPS) } else { ink::BLACK };
        let cells: Vec<_> =
            figures.iter().enumerate().map(|(at, value)| (figure(*value, 0), ink(at, *value))).collect();
        // The most unstable parcel's low CAPE is not reckoned: no dash, which would say that it cannot be.
        pen.row(name, if name == "MU" { &cells[..5] } else { &cells });
    }
}

fn winds(pen: &mut Pen, e: &Environment) {
    pen.heads("layer", &["0-1 km", "0-3 km", "0-6 km", "eff."]);
    let shear = [e.bulk_shear_0_1km_kt, e.bulk_shear_0_3km_kt, e.bulk_shear_0_6km_kt, e.effective_bulk_shear_kt];
    let deep = |at: usize, value| if at >= 2 { strength(value, SHEAR_STEPS) } else { ink::BLACK };
    let cells: Vec<_> = shear.iter().enumerate().map(|(at, v)| (figure(*v, 0), deep(at, *v))).collect();
    pen.row("shear kt", &cells);
    let told = |value: Option<f64>| (figure(value, 0), strength(value, HELICITY_STEPS));
    let not_reckoned = (String::new(), ink::BLACK);
    let helicity = [told(e.srh_0_1km_m2s2), told(e.srh_0_3km_m2s2), not_reckoned, told(e.effective_srh_m2s2)];
    pen.row("SRH m²/s²", &helicity);
}

fn others(pen: &mut Pen, e: &Environment) {
    let plain = |value: Option<f64>, decimals| figure(value, decimals);
    let motion = |wind: Option<_>| wind.map_or_else(|| "–".to_owned(), |wind| format!("{} kt", told(wind)));
    pen.pairs(&[
        ("SCP", plain(e.scp, 1), strength(e.scp, SCP_STEPS)),
        ("STP eff.", plain(e.stp_effective, 1), strength(e.stp_effective, STP_STEPS)),
        ("RM", motion(e.bunkers_right), ink::RIGHT_MOVER),
    ]);
    pen.pairs(&[
        ("SHIP", plain(e.ship, 1), strength(e.ship, STP_STEPS)),
        ("STP fixed", plain(e.stp_fixed_layer, 1), strength(e.stp_fixed_layer, STP_STEPS)),
        ("LM", motion(e.bunkers_left), ink::LEFT_MOVER),
    ]);
    pen.pairs(&[
        ("EHI 0-1", plain(e.ehi_0_1km, 1), ink::BLACK),
        ("EHI 0-3", plain(e.ehi_0_3km, 1), ink::BLACK),
        ("crit. angle", plain(e.critical_angle_deg, 0) + "°", ink::BLACK),
    ]);
    pen.gap();
    pen.pairs(&[
        ("LR 0-3", plain(e.lapse_rate_0_3km_kkm, 1), ink::BLACK),
        ("LR 3-6", plain(e.lapse_rate_3_6km_kkm, 1), ink::BLACK),
        ("LR 700-500", plain(e.lapse_rate_700_500hpa_kkm, 1), ink::BLACK),
    ]);
    pen.pairs(&[
        ("DCAPE", plain(e.dcape_jkg, 0), ink::BLACK),
        ("PW in", plain(e.precipitable_water_mm.map(|mm| mm / MM_PER_IN), 2), ink::BLACK),
        ("0 °C m AGL", plain(e.freezing_level_m_agl, 0), ink::BLACK),
    ]);
}
