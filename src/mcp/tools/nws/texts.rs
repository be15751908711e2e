//! nws_get_office_discussion, nws_get_zone_forecast.

use super::Asked;
use super::args::{DiscussionArgs, ZoneForecastArgs};
use super::reply::Told;
use super::words::{or_dash, when};
use crate::desk::enquiries::Refusal;
use crate::nws_facts::Moment;
use crate::nws_facts::region::predominant_zone;
use schemars::JsonSchema;
use serde::Serialize;

/// A text of an office.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscussionFacts {
    /// When it was issued, as sent.
    pub issuance_time: Option<String>,
    /// The office, four letters.
    pub issuing_office: Option<String>,
    /// AFD, HWO, ZFP or SPS.
    pub product_code: Option<String>,
    /// Its name.
    pub product_name: Option<String>,
    /// The text as sent.
    pub product_text: String,
    /// WMO heading.
    pub wmo_collective_id: Option<String>,
}

/// A forecast in words.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneForecastFacts {
    /// The zone.
    pub zone_id: String,
    /// When it was issued, as sent.
    pub updated: Option<String>,
    /// In order.
    pub periods: Vec<ZonePeriodFacts>,
    /// How many.
    pub period_count: usize,
}

/// One period.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZonePeriodFacts {
    /// Its number.
    pub number: Option<i64>,
    /// Its name.
    pub name: Option<String>,
    /// In words.
    pub detailed_forecast: Option<String>,
}

fn sent(moment: Option<&Moment>) -> Option<String> {
    moment.map(|moment| moment.text.clone())
}

/// The newest text of an office.
pub(super) async fn discussion(args: DiscussionArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let product = asked.nws.product(&args.office, args.product_type.into()).await?;
    let facts = DiscussionFacts {
        issuance_time: sent(product.issued.as_ref()),
        issuing_office: product.issuing_office,
        product_code: product.code,
        product_name: product.name,
        product_text: product.text,
        wmo_collective_id: product.wmo_collective_id,
    };
    let (name, office) = (or_dash(facts.product_name.as_deref()), or_dash(facts.issuing_office.as_deref()));
    let issued = when(facts.issuance_time.as_deref(), None);
    let text = format!(
        "# {name} of {office}\nIssued {issued} · product {} · WMO heading {}\n\n{}",
        or_dash(facts.product_code.as_deref()),
        or_dash(facts.wmo_collective_id.as_deref()),
        facts.product_text.trim()
    );
    let words = format!("{name} of {office}, issued {issued}.");
    Told::new(facts, text, words, Vec::new())
}

/// The forecast in words for a zone.
pub(super) async fn zone_forecast(args: ZoneForecastArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (zone_id, forecast) = asked.nws.zone_forecast(&args.zone_id).await?;
    let zone = predominant_zone(&zone_id);
    let periods: Vec<ZonePeriodFacts> = forecast
        .periods
        .into_iter()
        .map(|period| ZonePeriodFacts {
            number: period.number,
            name: period.name,
            detailed_forecast: period.detailed_forecast,
        })
        .collect();
    let facts =
        ZoneForecastFacts { zone_id, updated: sent(forecast.updated.as_ref()), period_count: periods.len(), periods };
    let mut lines = vec![
        format!("# Forecast for zone {}", facts.zone_id),
        format!("Updated {} · periodCount: {}", when(facts.updated.as_deref(), zone.as_ref()), facts.period_count),
    ];
    for period in &facts.periods {
        lines.push(String::new());
        let number = period.number.map(|number| format!("{number}. ")).unwrap_or_default();
        lines.push(format!("## {number}{}", or_dash(period.name.as_deref())));
        lines.push(or_dash(period.detailed_forecast.as_deref()).to_owned());
    }
    let first = facts.periods.first();
    let words = match first {
        Some(first) => format!(
            "{} in {}: {}",
            or_dash(first.name.as_deref()),
            facts.zone_id,
            or_dash(first.detailed_forecast.as_deref())
        ),
        None => format!("The forecast for {} has no periods at present.", facts.zone_id),
    };
    Told::new(facts, lines.join("\n"), words, Vec::new())
}
