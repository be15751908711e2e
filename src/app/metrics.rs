//! What an operator's Prometheus scrapes: how notices fare, in its text format (version 0.0.4); `web::metrics` serves it. No
//! names, no places, no addresses, no secrets.

use crate::notice::latency::{self, StageLatency};
use crate::store::{LedgerOutcome, Store, StoreError};
use jiff::Timestamp;
use std::fmt::{Display, Write};

/// Rows of the ledger that the latency is reckoned from, the newest: a busy day, read in some milliseconds.
const LATENCY_ROWS: usize = 1_000;

/// The metrics of a store at `now`.
///
/// # Errors
/// When the store cannot be read.
pub fn text(store: &Store, now: Timestamp) -> Result<String, StoreError> {
    let (health, pending, held) = (store.health(), store.pending()?, store.held()?);
    let oldest = pending.iter().map(|row| row.delivery.decided_utc.duration_until(now).as_secs_f64()).reduce(f64::max);
    let mut page = Page::default();
    page.gauge("stormbell_watch_points", "Places that are watched.", health.watch_points);
    page.gauge("stormbell_notices_pending", "Deliveries that still have to be made.", health.pending);
    page.gauge("stormbell_notices_held", "Notices that wait for a digest.", held.len());
    page.gauge(
        "stormbell_notices_pending_oldest_seconds",
        "Age of the oldest of those to be made.",
        oldest.unwrap_or(0.0),
    );
    page.head("stormbell_notices_settled", "Deliveries by outcome, those only recorded for places without a channel told; as far back as the ledger is kept.", "gauge");
    page.line("stormbell_notices_settled", &[("outcome", "told")], health.told);
    page.line("stormbell_notices_settled", &[("outcome", "dead")], health.dead);
    page.latency(&stages(store)?);
    page.head("stormbell_source_failures", "Failed polls in a row, by source.", "gauge");
    for (source, status) in store.source_statuses()?.iter() {
        page.line("stormbell_source_failures", &[("source", source)], status.consecutive_failures);
    }
    page.gauge("stormbell_store_bytes", "Bytes of the store on disk.", health.bytes_on_disk);
    page.gauge("stormbell_store_broken", "1 where the store has closed itself.", u8::from(health.broken));
    Ok(page.0)
}

fn stages(store: &Store) -> Result<Vec<StageLatency>, StoreError> {
    let rows = store.newest_settled(LATENCY_ROWS)?;
    let told = rows.iter().filter(|row| matches!(row.outcome, LedgerOutcome::Told(_)));
    Ok(latency::latency(told.map(|row| (&row.delivery, row.settled_utc))))
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.line(name, &[], value);
    }

    fn latency(&mut self, stages: &[StageLatency]) {
        let name = "stormbell_notice_latency_seconds";
        self.head(name, "How long the newest notices took, by stage of their way.", "summary");
        for figures in stages {
            let stage = figures.stage.as_str();
            let quantiles =
                [("0.5", figures.p50_s), ("0.9", figures.p90_s), ("0.99", figures.p99_s), ("1", figures.max_s)];
            for (quantile, seconds) in quantiles {
                if let Some(seconds) = seconds {
                    self.line(name, &[("stage", stage), ("quantile", quantile)], seconds);
                }
            }
            self.line(&format!("{name}_sum"), &[("stage", stage)], figures.sum_s);
            self.line(&format!("{name}_count"), &[("stage", stage)], figures.count);
        }
    }
}

/// A label's value: backslash, quote and line end are escaped.
fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::compose::Rendered;
    use crate::notice::fallback::{Aftermath, GivenUp};
    use crate::notice::push::Short;
    use crate::notice::tests::scene::{at, email, point};
    use crate::notice::{Delivery, deliver};
    use crate::store::Decision;

    fn commit(store: &Store, id: &str, minute: i64) {
        let (subject, text, html) = ("home is in danger".into(), String::new(), String::new());
        let draft = deliver::draft(Rendered { subject, text, html, short: Short::default() }, at(minute));
        let delivery = Delivery {
            id: id.into(),
            address: email("x@y"),
            owner: "o".into(),
            watch_points: vec!["a".into()],
            evidence_utc: Some(at(minute - 3)),
            seen_utc: Some(at(minute - 1)),
            ..draft
        };
        store.commit(&Decision { deliveries: vec![delivery], ..Decision::default() }).unwrap();
    }

    #[test]
    fn notices_are_counted_and_timed_and_nobody_is_named() {
        let store = Store::in_memory().unwrap();
        store.put_watch_point(&point("a")).unwrap();
        for n in 0..3 {
            commit(&store, &format!("d{n}"), n);
        }
        store.settle("d0", LedgerOutcome::Told("250".into()), at(4)).unwrap();
        store.give_up("d1", (GivenUp::Refused, "550 x@y"), at(4), &Aftermath::default()).unwrap();
        let text = text(&store, at(10)).unwrap();
        let says = |line: &str| assert!(text.lines().any(|said| said == line), "{line} is not in\n{text}");
        says("stormbell_watch_points 1");
        says("stormbell_notices_pending 1");
        says("stormbell_notices_pending_oldest_seconds 480");
        says("stormbell_notices_settled{outcome=\"told\"} 1");
        says("stormbell_notices_settled{outcome=\"dead\"} 1");
        says("stormbell_notice_latency_seconds{stage=\"issued_to_seen\",quantile=\"0.5\"} 120");
        says("stormbell_notice_latency_seconds{stage=\"decided_to_handed_over\",quantile=\"0.99\"} 240");
        says("stormbell_notice_latency_seconds_count{stage=\"decided_to_handed_over\"} 1");
        says("stormbell_notice_latency_seconds_sum{stage=\"issued_to_handed_over\"} 420");
        for secret in ["x@y", "place a", "home", "37.74"] {
            assert!(!text.contains(secret), "{secret} is in\n{text}");
        }
    }

    /// The format's own rule: each line is a comment or a name, perhaps labels, and a number.
    #[test]
    fn every_line_is_one_of_the_format() {
        for line in text(&Store::in_memory().unwrap(), at(0)).unwrap().lines() {
            if line.starts_with("# HELP stormbell_") || line.starts_with("# TYPE stormbell_") {
                continue;
            }
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("stormbell_") && value.parse::<f64>().is_ok(), "{line}");
        }
        assert_eq!(escape("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
