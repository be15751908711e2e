//! Rules over storm reports (levels.md correction 6): they speak by the time of the event.

use super::{Finding, Mode, REPORTS_KM};
use crate::geo::{compass, round_1dp};
use crate::storm_report::{Category, Group};
use crate::threat::evidence::{Evidence, ReportSeen};
use crate::threat::hazards::HazardKind::{self, DamagingWind, FlashFlood, Hail, Tornado};
use crate::threat::{Level, Reason};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Source id of storm reports.
pub const REPORTS_ID: &str = "iem-lsr";
/// A tornado report is significant for this long, minutes.
const TORNADO_FRESH_MIN: i64 = 60;
/// A tornado report is elevated, and other reports count, for this long, minutes.
pub(in crate::threat) const COUNTED_MIN: i64 = 120;
/// A waterspout counts as a tornado within this, km.
const WATERSPOUT_KM: f64 = 15.0;
/// So many reports of hail and thunderstorm wind are a rule.
const MANY: usize = 3;
/// Reports told one by one in a reason.
const TOLD_MAX: usize = 3;

/// Reports that may raise a level: passed on in time, not older than `minutes`, within `radius_km`. Of waterspouts only those
/// that count as tornadoes.
pub(super) fn speaking(evidence: &Evidence, minutes: i64, radius_km: f64, now: Timestamp) -> Vec<&ReportSeen> {
    let counts = |report: &&ReportSeen| {
        let near = if report.category == Category::Waterspout { WATERSPOUT_KM } else { radius_km };
        report.distance_km <= near && report.speaks_for(minutes, now)
    };
    evidence.reports.near.iter().filter(counts).collect()
}

/// Whether a tornado was reported around the place within the last hour: it makes a tornado warning extreme.
pub(super) fn tornado_reported(evidence: &Evidence, now: Timestamp, mode: Mode) -> bool {
    speaking(evidence, TORNADO_FRESH_MIN, mode.limit(REPORTS_KM), now)
        .iter()
        .any(|report| report.category.group() == Group::Tornado)
}

pub(super) fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let all = speaking(evidence, COUNTED_MIN, mode.limit(REPORTS_KM), now);
    let of = |group: Group| -> Vec<&ReportSeen> {
        all.iter().copied().filter(|report| report.category.group() == group).collect()
    };
    let (tornadoes, hail, wind, flood) = (of(Group::Tornado), of(Group::Hail), of(Group::Wind), of(Group::Flood));
    let mut findings = Vec::new();
    if let Some(newest) = tornadoes.first() {
        let fresh = newest.speaks_for(TORNADO_FRESH_MIN, now);
        let (rule, level) =
            if fresh { ("tornado_report", Level::Significant) } else { ("tornado_report_older", Level::Elevated) };
        let subject = format!("tornado-report {}", newest.id);
        findings.push(finding(rule, level, subject, &tornadoes, (Tornado, 35.0), now));
    }
    for (rule, reports, score) in [
        ("hail_reports", &hail, (Hail, 15.0)),
        ("wind_reports", &wind, (DamagingWind, 12.0)),
        ("flood_reports", &flood, (FlashFlood, 10.0)),
    ] {
        if !reports.is_empty() {
            findings.push(finding(rule, Level::None, rule.replace('_', "-"), reports, score, now));
        }
    }
    if hail.len() + wind.len() >= MANY {
        let both: Vec<&ReportSeen> =
            all.iter().copied().filter(|r| matches!(r.category.group(), Group::Hail | Group::Wind)).collect();
        let level = Level::Elevated;
        findings.push(finding("many_severe_reports", level, "severe-reports".to_owned(), &both, (Hail, 0.0), now));
    }
    findings
}

/// One finding about reports, of which there is at least one; the newest comes first.
fn finding(
    rule: &str,
    level: Level,
    subject: String,
    reports: &[&ReportSeen],
    score: (HazardKind, f64),
    now: Timestamp,
) -> Finding {
    let newest_utc = reports.first().map_or(now, |report| report.event_utc);
    let nearest = reports.iter().min_by(|a, b| a.distance_km.total_cmp(&b.distance_km));
    Finding {
        reason: Reason {
            rule: rule.to_owned(),
            subject,
            level,
            text: text(reports).replace(char::is_control, " "),
            source: REPORTS_ID.to_owned(),
            evidence_id: reports.first().map(|report| report.id.clone()).unwrap_or_default(),
            observed_utc: newest_utc,
            age_s: newest_utc.duration_until(now).as_secs(),
            distance_km: nearest.map(|report| round_1dp(report.distance_km)),
            direction: nearest.map(|report| compass(report.bearing_deg).to_owned()),
            until_utc: None,
            already_in_effect: false,
        },
        scores: vec![score],
    }
}

/// `3 storm reports: tornado 20:54Z 65.1 km NE (2 SW Green City MO); ...`
fn text(reports: &[&ReportSeen]) -> String {
    let told: Vec<String> = reports
        .iter()
        .take(TOLD_MAX)
        .map(|report| {
            let time = TimeZone::UTC.to_datetime(report.event_utc).strftime("%H:%MZ");
            let (what, km) = (report.category.id().replace('_', " "), report.distance_km);
            let place = if report.where_text.is_empty() { String::new() } else { format!(" ({})", report.where_text) };
            format!("{what} {time} {km:.1} km {}{place}", compass(report.bearing_deg))
        })
        .collect();
    let number = reports.len();
    let reports_word = if number == 1 { "storm report" } else { "storm reports" };
    let more = if number > TOLD_MAX { format!("; and {} more", number - TOLD_MAX) } else { String::new() };
    format!("{number} {reports_word} nearby: {}{more}", told.join("; "))
}
