//! `/metrics` on the running program: that it parses, that its counts move, who reads it.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN};
use crate::isolation::party::{Serving, stormbell};
use crate::web::serving;
use reqwest::Client;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stormbell::web::{METRICS_TYPE, SiteOptions};

/// The samples of Prometheus's text format by name and labels; panics where a line is none of the format's.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    let mut of = String::new();
    for line in text.lines() {
        if let Some(told) = line.strip_prefix("# ") {
            let mut words = told.splitn(3, ' ');
            let (kind, name, _) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            assert!(kind == "HELP" || kind == "TYPE", "{line}");
            of = name.to_owned();
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with(&of), "{line} stands below {of}");
        assert!(samples.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{line} comes twice");
    }
    samples
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_counts_of_a_running_service_move() {
    let serving = Serving::configured("[web]\nmetrics_owner = \"prometheus\"\n", &[]).await;
    let url = serving.url().replace("/mcp", "/metrics");
    let read = async || {
        let answer = Client::new().get(&url).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], METRICS_TYPE);
        answer.text().await.unwrap()
    };
    let before = samples(&read().await);
    assert_eq!((before["stormbell_watch_points"], before["stormbell_store_broken"]), (0.0, 0.0), "{before:?}");
    let added = stormbell(serving.dir(), &["watch", "add", "Aunt Em", "37.74", "-98.21", "--json"]);
    let id = serde_json::from_str::<Value>(&added).unwrap()["point"]["id"].as_str().unwrap().to_owned();
    let text = read().await;
    assert_eq!(samples(&text)["stormbell_watch_points"], 1.0, "{text}");
    assert!(!text.contains("Aunt Em") && !text.contains(&id) && !text.contains("37.7"), "{text}");

    // Who says by name that they are somebody has to be the one who is named for it.
    for (name, expected) in [("prometheus", 200), ("anna", 404)] {
        let owner: Value = serde_json::from_str(&stormbell(serving.dir(), &["owner", "add", name, "--json"])).unwrap();
        let answer = Client::new().get(&url).bearer_auth(owner["token"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(answer.status(), expected, "{name}");
    }
    assert_eq!(Client::new().get(&url).bearer_auth("wrong").send().await.unwrap().status(), 401);
}

#[tokio::test]
async fn behind_a_public_address_nobody_reads_them_without_that_owners_token() {
    let options = SiteOptions {
        public_url: Some("https://bell.example.org".into()),
        metrics_owner: Some("alice <b>".into()),
        ..SiteOptions::default()
    };
    let served = serving(options).await;
    served.desk.measure("stormbell_watch_points 0\n");
    let ask = async |token: &str| served.json("GET", "/metrics", token, &Value::Null).await.0;
    assert_eq!(served.get("/metrics", "").await.0, 401);
    assert_eq!((ask(ALICE_TOKEN).await, ask(BOB_TOKEN).await, ask("wrong").await), (200, 404, 401));
    let nothing = served.json("GET", "/api/nothing", BOB_TOKEN, &Value::Null).await.1;
    assert_eq!(served.json("GET", "/metrics", BOB_TOKEN, &Value::Null).await.1, nothing, "as if it were not there");
    assert_eq!(nothing["error"]["kind"], json!("not_found"));
}
