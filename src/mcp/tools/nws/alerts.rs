//! nws_search_alerts, nws_get_alert_counts, nws_list_alert_types.

use super::Asked;
use super::args::{ALERTS_PAGE_MAX, AlertArgs};
use super::paging::Turn;
use super::reading::{bad_cursor, invalid};
use super::reply::{PageFacts, Told};
use super::words::{or_dash, when};
use crate::desk::enquiries::{AlertAnswer, Code, Refusal, reason};
use crate::mcp::envelope::utc;
use crate::nws_facts::alerts::{AlertRow, FilterError, Filters};
use crate::nws_facts::page::BadCursor;
use crate::nws_facts::region::predominant_zone;
use crate::warning::incidents::Phase;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A page of alerts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertList {
    /// The alerts of this page, in the order of the API.
    pub alerts: Vec<Alert>,
    /// The filters that were applied, in words.
    pub applied_filters: String,
    /// Last change of the collection that was looked at, UTC; null where it does not tell.
    pub collection_updated: Option<String>,
    /// Alerts that match and are over, or replaced by another message: they are left out.
    pub over_left_out: usize,
    /// The page; totalCount counts distinct alerts that match.
    #[serde(flatten)]
    pub page: PageFacts,
}

/// One alert.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// CAP identifier.
    pub id: String,
    /// Event, for instance Tornado Warning.
    pub event: String,
    /// in_effect, upcoming or over: by its words and the clock.
    pub phase: String,
    /// Headline.
    pub headline: Option<String>,
    /// Text.
    pub description: Option<String>,
    /// What to do.
    pub instruction: Option<String>,
    /// CAP severity.
    pub severity: String,
    /// CAP urgency.
    pub urgency: String,
    /// CAP certainty.
    pub certainty: String,
    /// Names of the areas.
    pub area_desc: String,
    /// When the hazard begins.
    pub onset: Option<String>,
    /// When the hazard ends; null is open-ended.
    pub ends: Option<String>,
    /// Until when the message is valid: not the end of the hazard.
    pub expires: Option<String>,
    /// When the message was sent.
    pub sent: Option<String>,
    /// From when on the message is in effect.
    pub effective: Option<String>,
    /// CAP status.
    pub status: String,
    /// Alert, Update or Cancel.
    pub message_type: String,
    /// The office.
    pub sender_name: String,
    /// Zones and counties.
    pub affected_zones: Vec<AffectedZone>,
    /// Earlier messages that it replaces.
    pub references: Vec<EarlierMessage>,
}

/// A zone of an alert.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffectedZone {
    /// Code, for instance OKZ025.
    pub code: String,
    /// forecast, county or fire.
    #[serde(rename = "type")]
    pub kind: String,
}

/// An earlier message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EarlierMessage {
    /// CAP identifier.
    pub identifier: String,
    /// When it was sent.
    pub sent: Option<String>,
}

/// One page of a search.
pub(super) async fn search(args: AlertArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let turn = Turn::<Filters>::of(args.cursor.as_deref(), args.limit, ALERTS_PAGE_MAX)?;
    let query = match &turn.query {
        Some(carried) => {
            carried.check().map_err(|error| bad_cursor(&BadCursor(format!("its filters cannot be used: {error}"))))?
        }
        None => filters(args).check().map_err(|error| refused_filter(&error))?,
    };
    let answer = asked.nws.alerts(&query, asked.seen).await?;
    let now = asked.nws.now();
    let mut notes = Vec::new();
    if answer.found.rows.is_empty() {
        let trust = if answer.degraded.is_empty() { "" } else { " That is not an all-clear: see degraded." };
        notes.push(format!("No active alert matches ({}).{trust}", query.in_words()));
    }
    notes.extend(answer.notes.iter().cloned());
    let (shown, page) = turn.page(&answer.found.rows, query.filters(), notes);
    let facts = AlertList {
        alerts: shown.iter().map(|row| alert(row, now)).collect(),
        applied_filters: query.in_words(),
        collection_updated: answer.updated_utc.map(utc),
        over_left_out: answer.found.over,
        page,
    };
    let text = markdown(&facts, &answer);
    let words = in_words(&facts);
    Told::new(facts, text, words, answer.degraded)
}

fn filters(args: AlertArgs) -> Filters {
    Filters {
        area: args.area,
        point: args.point,
        zone: args.zone,
        region_type: args.region_type,
        region: args.region,
        event: args.event,
        severity: args.severity,
        urgency: args.urgency,
        certainty: args.certainty,
        status: Some(args.status),
    }
}

fn refused_filter(error: &FilterError) -> Refusal {
    let (reason, hint) = match error {
        FilterError::MutuallyExclusive { .. } => {
            (reason::MUTUALLY_EXCLUSIVE_FILTERS, "Give at most one of area, point, zone, region_type and region.")
        }
        FilterError::Area(_) => (
            reason::INVALID_AREA_CODE,
            "Give the two letters of a state, territory or marine area, for instance OK or GM.",
        ),
        FilterError::Point(_) => {
            (reason::INVALID_POINT, "Give \"latitude,longitude\" in decimal degrees, for instance \"35.34,-97.49\".")
        }
        FilterError::Zone(_) => (
            reason::INVALID_ZONE,
            "Give the code of a zone or county, for instance OKZ025; nws_get_forecast tells those of a point.",
        ),
        FilterError::Word { .. } | FilterError::TooMuch { .. } => {
            return invalid(format!("{error}."), "Give the words of the schema.".to_owned());
        }
    };
    Refusal::new(Code::ValidationError, reason, format!("{error}."), hint)
}

fn alert(row: &AlertRow, now: Timestamp) -> Alert {
    let warning = &row.warning;
    let phase = match row.phase(now) {
        Some(Phase::InEffect) => "in_effect",
        Some(Phase::Coming) => "upcoming",
        None => "over",
    };
    let zone = |zone: &crate::nws_facts::alerts::AlertZone| AffectedZone {
        code: zone.code.clone(),
        kind: zone.kind.as_str().to_owned(),
    };
    let earlier = |reference: &crate::nws_facts::alerts::AlertReference| EarlierMessage {
        identifier: reference.identifier.clone(),
        sent: reference.sent.clone(),
    };
    Alert {
        id: warning.id.clone(),
        event: warning.event.clone(),
        phase: phase.to_owned(),
        headline: warning.headline.clone(),
        description: Some(warning.description.clone()).filter(|text| !text.is_empty()),
        instruction: warning.instruction.clone(),
        severity: warning.severity.clone(),
        urgency: warning.urgency.clone(),
        certainty: warning.certainty.clone(),
        area_desc: warning.area_desc.clone(),
        onset: row.times.onset.clone(),
        ends: row.times.ends.clone(),
        expires: row.times.expires.clone(),
        sent: row.times.sent.clone(),
        effective: row.times.effective.clone(),
        status: row.status.clone(),
        message_type: warning.message_type.clone(),
        sender_name: warning.sender.clone(),
        affected_zones: row.zones.iter().map(zone).collect(),
        references: row.references.iter().map(earlier).collect(),
    }
}

fn markdown(facts: &AlertList, answer: &AlertAnswer) -> String {
    let mut lines = vec![format!("# Active alerts: {}", facts.applied_filters)];
    for alert in &facts.alerts {
        // The place's own zone, else that of the first state named: an offset does not tell summer time from a zone further
        // east.
        let named = || alert.affected_zones.first().and_then(|zone| predominant_zone(&zone.code));
        let zone = answer.zone.clone().or_else(named);
        lines.push(String::new());
        lines.extend(one(alert, zone.as_ref()));
    }
    lines.push(String::new());
    lines.push(format!("appliedFilters: {}", facts.applied_filters));
    lines.push(format!("collectionUpdated: {}", or_dash(facts.collection_updated.as_deref())));
    lines.push(format!("overLeftOut: {}", facts.over_left_out));
    lines.extend(facts.page.lines());
    lines.join("\n")
}

fn one(alert: &Alert, zone: Option<&TimeZone>) -> Vec<String> {
    let phase = match alert.phase.as_str() {
        "in_effect" => "in effect",
        "upcoming" => "upcoming: issued, the hazard has not begun",
        _ => "over",
    };
    let mut lines = vec![
        format!("## {} ({phase})", alert.event),
        format!("{} · {} · {} · {}", alert.severity, alert.urgency, alert.certainty, alert.sender_name),
    ];
    lines.extend(alert.headline.clone());
    lines.push(format!("Areas: {}", alert.area_desc));
    let hazard_ends = match &alert.ends {
        Some(ends) => when(Some(ends), zone),
        None => "open-ended".to_owned(),
    };
    lines.push(format!("Hazard onset: {} · Hazard ends: {hazard_ends}", when(alert.onset.as_deref(), zone)));
    lines.push(format!("Message valid until: {}", when(alert.expires.as_deref(), zone)));
    lines.push(format!(
        "Sent: {} · effective: {} · status {} · {}",
        when(alert.sent.as_deref(), zone),
        when(alert.effective.as_deref(), zone),
        alert.status,
        alert.message_type
    ));
    let zones = alert.affected_zones.iter().map(|zone| format!("{} ({})", zone.code, zone.kind)).collect::<Vec<_>>();
    lines.push(format!("Zones: {}", if zones.is_empty() { "none named".to_owned() } else { zones.join(", ") }));
    let earlier =
        alert.references.iter().map(|one| format!("{} sent {}", one.identifier, or_dash(one.sent.as_deref())));
    let earlier: Vec<String> = earlier.collect();
    if !earlier.is_empty() {
        lines.push(format!("Replaces: {}", earlier.join("; ")));
    }
    lines.push(format!("id: {}", alert.id));
    lines.extend(alert.description.clone());
    lines.extend(alert.instruction.as_ref().map(|what| format!("What to do: {what}")));
    lines
}

fn in_words(facts: &AlertList) -> String {
    let total = facts.page.total_count;
    if total == 0 {
        return facts.page.served.notice.clone().unwrap_or_default();
    }
    let mut events: Vec<&str> = facts.alerts.iter().map(|alert| alert.event.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    format!("{total} active alert(s) match ({}). On this page: {}.", facts.applied_filters, events.join(", "))
}

/// Numbers of alerts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertCountFacts {
    /// All active alerts, whatever their status.
    pub total_alerts: Option<i64>,
    /// On land.
    pub land_alerts: Option<i64>,
    /// On water.
    pub marine_alerts: Option<i64>,
    /// By state or water; those without an alert are left out, and an alert may count in several.
    pub areas: BTreeMap<String, i64>,
    /// By marine region, likewise; AL is Alaska's waters here.
    pub regions: BTreeMap<String, i64>,
}

/// The numbers of active alerts.
pub(super) async fn counts(asked: &Asked<'_>) -> Result<Told, Refusal> {
    let counts = asked.nws.alert_counts().await?;
    let facts = AlertCountFacts {
        total_alerts: counts.total,
        land_alerts: counts.land,
        marine_alerts: counts.marine,
        areas: counts.areas,
        regions: counts.regions,
    };
    let number = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let (total, land, marine) = (number(facts.total_alerts), number(facts.land_alerts), number(facts.marine_alerts));
    let list = |counts: &BTreeMap<String, i64>| {
        let all: Vec<String> = counts.iter().map(|(code, count)| format!("{code} {count}")).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    let text = format!(
        "# Active alerts in numbers\nTotal {total} · land {land} · marine {marine}\nAreas: {}\nMarine regions: {}\nAll statuses \
         are counted, tests too; an alert for two areas counts in both.",
        list(&facts.areas),
        list(&facts.regions)
    );
    let words = format!("{total} alerts are active, {land} on land and {marine} on water; tests are counted too.");
    Told::new(facts, text, words, Vec::new())
}

/// The types of alerts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertTypeFacts {
    /// How many.
    pub count: usize,
    /// Their names, sorted.
    pub event_types: Vec<String>,
}

/// The types of alerts.
pub(super) async fn types(asked: &Asked<'_>) -> Result<Told, Refusal> {
    let event_types = asked.nws.alert_types().await?;
    let facts = AlertTypeFacts { count: event_types.len(), event_types };
    let names: Vec<String> = facts.event_types.iter().map(|name| format!("- {name}")).collect();
    let text = format!("# Types of alerts ({})\n{}", facts.count, names.join("\n"));
    let words = format!("The National Weather Service issues {} types of alerts.", facts.count);
    Told::new(facts, text, words, Vec::new())
}
