//! A column in words: what kind of storms it would carry, and how that changes over the hours ahead.
//!
//! Boundaries: ✓ plain sentences from figures, the figures in them. ✗ no level and no rule (see `threat`); no clock: `now` is given.
//!
//! The kinds and thresholds are those that clients of such tools know (MLCAPE, deep shear, low-level helicity, cloud base), with two
//! things that they leave out: inhibition enters, and every step of a forecast is looked at.

use super::environment::Environment;
use jiff::Timestamp;

/// CIN from which a column is called capped, J/kg: where the tornado parameter begins to count it (Thompson et al. 2012).
pub const CAPPED_JKG: f64 = -50.0;
/// CIN from which it is called strongly capped, J/kg: where that parameter is zero.
pub const STRONGLY_CAPPED_JKG: f64 = -200.0;
/// Less CAPE than this carries no storm worth the name, J/kg.
const STABLE_JKG: f64 = 100.0;

/// What kind of storms a column would carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regime {
    /// Next to no CAPE for any parcel.
    Stable,
    /// Much CAPE, little shear.
    Pulse,
    /// Little CAPE, much shear.
    LowCapeHighShear,
    /// CAPE and shear for supercells.
    Supercell,
    /// Anything between.
    Mixed,
}

/// A column in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What kind of storms.
    pub regime: Regime,
    /// Whether inhibition of [`CAPPED_JKG`] or more holds mixed-layer air down.
    pub capped: bool,
    /// Sentences, the most telling first.
    pub sentences: Vec<String>,
}

/// Reads a column; `None` where its CAPE is unknown, since then nothing can be said.
pub fn read(environment: &Environment) -> Option<Reading> {
    let mlcape = rounded(environment.mlcape_jkg)?;
    let mucape = rounded(environment.mucape_jkg)?;
    let shear = rounded(environment.bulk_shear_0_6km_kt);
    let mlcin = rounded(environment.mlcin_jkg);
    if mucape < STABLE_JKG && mlcape < STABLE_JKG {
        return Some(Reading { regime: Regime::Stable, capped: false, sentences: stable(mucape, shear) });
    }
    let at_least = |kt: f64| shear.is_some_and(|shear| shear >= kt);
    let (regime, kind) = if mlcape >= 2000.0 && shear.is_some_and(|shear| shear < 25.0) {
        (
            Regime::Pulse,
            "strong instability with little wind shear favours pulse storms: brief, with gusts and hail at their collapse",
        )
    } else if mlcape < 1000.0 && at_least(40.0) {
        (
            Regime::LowCapeHighShear,
            "little instability with strong wind shear: storms may be shallow, fast and hard to see coming, with damaging wind and brief tornadoes",
        )
    } else if mlcape >= 1000.0 && at_least(35.0) {
        (
            Regime::Supercell,
            "instability and deep shear suffice for supercells with large hail, damaging wind and tornadoes",
        )
    } else {
        (Regime::Mixed, "a mixed or marginal setting for organised storms")
    };
    let capped = mlcin.is_some_and(|mlcin| mlcin <= CAPPED_JKG);
    let shear_words = shear.map_or_else(|| "0-6 km shear unknown".to_owned(), |kt| format!("0-6 km shear {kt:.0} kt"));
    let condition = if capped { "If storms form: " } else { "" };
    let mut sentences = vec![sentence(condition, &format!("{kind} (MLCAPE {mlcape:.0} J/kg, {shear_words})"))];
    sentences.extend(inhibition(environment, mlcape, mlcin));
    sentences.extend(low_levels(environment, mlcape));
    sentences.push(composites(environment));
    Some(Reading { regime, capped, sentences })
}

/// To a whole number, halves to even, as the figures themselves are told: a threshold is compared with what can be read.
fn rounded(value: Option<f64>) -> Option<f64> {
    value.map(f64::round_ties_even)
}

fn sentence(before: &str, words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| if before.is_empty() { first.to_ascii_uppercase() } else { first });
    let rest: String = first.into_iter().chain(letters).collect();
    format!("{before}{rest}.")
}

fn stable(mucape: f64, shear: Option<f64>) -> Vec<String> {
    let mut sentences =
        vec![format!("Stable: no parcel has more than {mucape:.0} J/kg of CAPE, so thunderstorms are unlikely.")];
    if let Some(shear) = shear.filter(|shear| *shear >= 40.0) {
        sentences.push(format!(
            "Deep shear is strong ({shear:.0} kt): were instability to arrive, storms would organise quickly."
        ));
    }
    sentences
}

/// What holds the air down, or that it need not be surface air that rises.
fn inhibition(environment: &Environment, mlcape: f64, mlcin: Option<f64>) -> Vec<String> {
    let mut sentences = Vec::new();
    match mlcin {
        Some(mlcin) if mlcin <= STRONGLY_CAPPED_JKG => sentences.push(format!(
            "Strongly capped (MLCIN {mlcin:.0} J/kg): storms from surface air are unlikely unless the cap is broken by strong lift."
        )),
        Some(mlcin) if mlcin <= CAPPED_JKG => sentences
            .push(format!("Capped (MLCIN {mlcin:.0} J/kg): storms need heating or lift to break through before this energy counts.")),
        None if mlcape < STABLE_JKG => sentences.push("Mixed-layer air does not rise by itself at all.".to_owned()),
        _ => {}
    }
    match environment.effective_inflow_base_m_agl {
        Some(base_m) if environment.inflow_elevated => sentences.push(format!(
            "Storms would feed on air from {base_m:.0} m above the ground: hail and gusts more than tornadoes."
        )),
        None => {
            sentences.push("No layer of air is both unstable and free enough to feed storms at present.".to_owned())
        }
        Some(_) => {}
    }
    sentences
}

fn low_levels(environment: &Environment, mlcape: f64) -> Option<String> {
    let lcl_m = rounded(environment.sb_lcl_m_agl)?;
    let srh = rounded(environment.srh_0_1km_m2s2);
    match srh {
        Some(srh) if srh >= 150.0 && lcl_m < 1200.0 && !environment.inflow_elevated => Some(format!(
            "Low-level rotation is favoured: 0-1 km helicity {srh:.0} m2/s2 under cloud bases of {lcl_m:.0} m."
        )),
        _ if lcl_m > 1800.0 && mlcape >= 1000.0 => {
            Some(format!("Cloud bases are high ({lcl_m:.0} m): hail and downbursts rather than tornadoes."))
        }
        _ => None,
    }
}

fn composites(environment: &Environment) -> String {
    let tenth = |value: Option<f64>| value.map(|value| (value * 10.0).round_ties_even() / 10.0);
    let scp = tenth(environment.scp);
    let stp = tenth(environment.stp_effective.or(environment.stp_fixed_layer));
    let told = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.1}"));
    let figures = format!("SCP {}, STP {}", told(scp), told(stp));
    if scp.is_some_and(|scp| scp >= 4.0) || stp.is_some_and(|stp| stp >= 1.0) {
        format!("The composites support severe storms ({figures}).")
    } else {
        format!("The composites are modest ({figures}).")
    }
}

/// One step of a forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// When it is valid.
    pub valid_utc: Timestamp,
    /// The column then.
    pub environment: Environment,
}

/// How a forecast changes from now on; hours are reckoned from `now`, not from the cycle. Steps may come in any order.
///
/// The step that stands for the present is the newest one not after `now`, else the first of all. Unknown figures are left out,
/// never taken for 0.
pub fn trend(steps: &[Step], now: Timestamp) -> String {
    let mut steps: Vec<&Step> = steps.iter().collect();
    steps.sort_by_key(|step| step.valid_utc);
    let first_ahead = steps.partition_point(|step| step.valid_utc <= now);
    let present = first_ahead.saturating_sub(1);
    let Some((start, ahead)) = steps.get(present..).and_then(<[_]>::split_first) else {
        return "No forecast step is at hand: how the setting changes is unknown.".to_owned();
    };
    if ahead.is_empty() {
        return "Only a single time is at hand: how the setting changes is unknown.".to_owned();
    }
    let series = |figure: fn(&Environment) -> Option<f64>| Series::of(start, ahead, figure, now);
    let mut lines = Vec::new();
    let tornado = series(|e| e.stp_effective.or(e.stp_fixed_layer)).and_then(|stp| tornado_line(&stp));
    let no_tornado = tornado.is_none();
    lines.extend(tornado);
    let cape = series(|e| e.mlcape_jkg);
    if let Some(cape) = &cape {
        lines.push(cape_line(cape, series(|e| e.bulk_shear_0_6km_kt).as_ref()));
    }
    lines.extend(series(|e| e.mlcin_jkg.filter(|_| e.mlcape_jkg >= Some(STABLE_JKG))).and_then(|cin| cap_line(&cin)));
    if no_tornado && cape.as_ref().is_some_and(|cape| cape.peak.1 < STABLE_JKG && cape.start < STABLE_JKG) {
        lines.push("It stays stable throughout.".to_owned());
    }
    if lines.is_empty() {
        return "The forecast's figures are missing: how the setting changes is unknown.".to_owned();
    }
    lines.join(" ")
}

/// A figure over the steps that know it.
#[derive(Debug, Clone)]
struct Series {
    start: f64,
    /// (when, in words; value) of every later step.
    ahead: Vec<(String, f64)>,
    peak: (String, f64),
    dip: (String, f64),
    last: (String, f64),
}

impl Series {
    /// `None` where the start or all that follows is unknown.
    fn of(start: &Step, ahead: &[&Step], figure: fn(&Environment) -> Option<f64>, now: Timestamp) -> Option<Self> {
        let known = ahead.iter().filter_map(|step| Some((when(step.valid_utc, now), figure(&step.environment)?)));
        let ahead: Vec<(String, f64)> = known.collect();
        // The earliest of equals.
        let peak = ahead.iter().reduce(|best, next| if next.1 > best.1 { next } else { best })?.clone();
        let dip = ahead.iter().reduce(|best, next| if next.1 < best.1 { next } else { best })?.clone();
        Some(Self { start: figure(&start.environment)?, peak, dip, last: ahead.last()?.clone(), ahead })
    }
}

/// `in 3 h (21:00Z)`.
fn when(valid_utc: Timestamp, now: Timestamp) -> String {
    let minutes = valid_utc.duration_since(now).as_secs() / 60;
    let clock = jiff::tz::TimeZone::UTC.to_datetime(valid_utc).strftime("%H:%MZ").to_string();
    if minutes < 45 { format!("within the hour ({clock})") } else { format!("in {} h ({clock})", (minutes + 30) / 60) }
}

fn tornado_line(stp: &Series) -> Option<String> {
    let Series { start, peak: (at_peak, peak), dip: (at_dip, dip), last: (at_last, last), .. } = stp;
    if peak - start >= 1.0 && *peak >= 1.0 {
        let after = if peak - last >= 1.0 { format!(", then falls to {last:.1} {at_last}") } else { String::new() };
        return Some(format!("The tornado parameter rises from {start:.1} to {peak:.1} {at_peak}{after}."));
    }
    if start - last >= 1.0 && *start >= 1.0 {
        return Some(format!("The tornado parameter falls from {start:.1} to {last:.1} {at_last}."));
    }
    if start.max(*peak) < 1.0 {
        return None;
    }
    let dips = if start - dip >= 1.0 { format!(", with a dip to {dip:.1} {at_dip}") } else { String::new() };
    Some(format!("The tornado parameter holds near {:.1}{dips}.", start.max(*last)))
}

fn cape_line(cape: &Series, shear: Option<&Series>) -> String {
    let Series { start, peak: (at_peak, peak), last: (at_last, last), .. } = cape;
    if peak - start >= 500.0 {
        let at_that_time = shear.and_then(|shear| shear.ahead.iter().find(|(when, _)| when == at_peak));
        let gain = shear.zip(at_that_time).map(|(shear, (_, kt))| kt - shear.start).filter(|gain| *gain >= 5.0);
        let gain = gain.map(|gain| format!(" while deep shear gains {gain:.0} kt")).unwrap_or_default();
        let after = if peak - last >= 500.0 { format!(", then falls to {last:.0} {at_last}") } else { String::new() };
        return format!("Destabilising: MLCAPE rises from {start:.0} to {peak:.0} J/kg {at_peak}{gain}{after}.");
    }
    if start - last >= 500.0 {
        return format!("Stabilising: MLCAPE falls from {start:.0} to {last:.0} J/kg {at_last}.");
    }
    format!("Instability is steady: MLCAPE {start:.0} now, {last:.0} J/kg {at_last}.")
}

/// A cap that goes or comes.
fn cap_line(cin: &Series) -> Option<String> {
    let start = cin.start;
    if start <= CAPPED_JKG {
        let (when, value) = cin.ahead.iter().find(|(_, value)| *value > CAPPED_JKG)?;
        return Some(format!("The cap gives way: MLCIN from {start:.0} to {value:.0} J/kg {when}."));
    }
    let (when, value) = cin.ahead.iter().find(|(_, value)| *value <= CAPPED_JKG)?;
    Some(format!("A cap builds: MLCIN from {start:.0} to {value:.0} J/kg {when}."))
}

#[cfg(test)]
mod tests;
