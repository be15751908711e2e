//! What a search of the nation's alerts costs when it is answered from memory, against reading the same collection's JSON.

use super::{at, ms, recorded, times, verdict};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::decode::nws_api;
use stormbell::desk::enquiries::Enquiries;
use stormbell::mcp::tools::nws::{Asked, answer};
use stormbell::observation::{NWS_WARNINGS, Observation, Report};
use stormbell::outside::Outside;
use stormbell::outside::live::{LiveOutside, LiveSettings};
use stormbell::sources::OnDemand;
use stormbell::threat::picture::Picture;

const RUNS: usize = 500;
/// Target for a national search, both forms of the answer included.
const SEARCH_MS: f64 = 20.0;
/// The largest recording of the nation, and as many copies of it as make a day of outbreaks.
const RECORDING: &str = "nws-alerts/active_aq20260715_open.reconstructed.json";
const OUTBREAK_COPIES: usize = 10;

pub fn searches() {
    println!("\nAlerts of the nation");
    let bytes = recorded(RECORDING);
    measure("the largest recording", &bytes);
    measure("ten times as many", &copies(&bytes));
}

/// The same collection several times over, under ids of their own.
fn copies(bytes: &[u8]) -> Vec<u8> {
    let mut document: Value = serde_json::from_slice(bytes).unwrap();
    let features = document["features"].as_array().unwrap().clone();
    let mut all = Vec::new();
    for copy in 0..OUTBREAK_COPIES {
        all.extend(features.iter().map(|feature| {
            let mut feature = feature.clone();
            let id = format!("{}.{copy}", feature["properties"]["id"].as_str().unwrap());
            feature["properties"]["id"] = json!(id);
            feature
        }));
    }
    document["features"] = json!(all);
    document.to_string().into_bytes()
}

fn measure(what: &str, bytes: &[u8]) {
    let parsed = times(20, |_| serde_json::from_slice::<Value>(bytes).unwrap());
    let decoded = times(20, |_| nws_api::national(bytes).unwrap());
    let (warnings, rows) = nws_api::national(bytes).unwrap();
    let now = rows.updated_utc.unwrap();
    let (alerts, mut picture) = (rows.rows.len(), Picture::default());
    let observations = vec![Observation::Warnings(Arc::new(warnings.snapshot)), Observation::Alerts(Arc::new(rows))];
    picture.take(&Report { source: NWS_WARNINGS, polled_utc: now, good: true, observations, faults: Vec::new() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outside: Arc<dyn Outside> =
        Arc::new(LiveOutside::new(&LiveSettings::with_contact("bench@example.org")).unwrap());
    let on_demand = Arc::new(OnDemand::open(&Config::default(), &outside).unwrap());
    let _guard = runtime.enter();
    // A clock that as good as stands: what is in memory stays fresh.
    let nws = Enquiries::new(on_demand, Clock::starting_at(now, 1e-6));
    let search = |filters: Value| {
        let asked = Asked { nws: &nws, seen: Some(&picture) };
        runtime.block_on(answer("nws_search_alerts", filters.as_object().cloned(), &asked)).unwrap()
    };
    println!(
        "  {what}: {alerts} alerts, {:.2} MB; JSON parsed in {:.2} ms, read as warnings and rows in {:.2} ms (once a poll)",
        bytes.len() as f64 / 1e6,
        ms(at(&parsed, 0.5)),
        ms(at(&decoded, 0.5))
    );
    for (name, filters) in [
        ("nationwide", json!({})),
        ("by severity and event", json!({"severity": ["Severe", "Extreme"], "event": ["flood", "heat"]})),
        ("one state", json!({"area": "CA"})),
        ("nothing found", json!({"event": ["no such event"]})),
    ] {
        let all: Vec<Duration> = times(RUNS, |_| search(filters.clone()));
        let (median, p99) = (ms(at(&all, 0.5)), ms(at(&all, 0.99)));
        let ratio = median / ms(at(&parsed, 0.5));
        println!(
            "    {name}: median {median:.3} ms, p99 {p99:.3} ms, {ratio:.2} of parsing the JSON: {}",
            verdict(p99 <= SEARCH_MS)
        );
    }
    let told = search(json!({}));
    assert_eq!(told.value["shown"], 25, "{}", told.value["notice"]);
}
