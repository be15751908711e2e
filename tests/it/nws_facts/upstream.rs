//! Trouble of the upstream: what is asked again, what is not, and how it is told.

use super::{Tools, at, fixtures, larkfield};
use serde_json::json;
use std::sync::Arc;
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::desk::enquiries::{Code, Enquiries};
use stormbell::mcp::tools::nws::{Asked, answer};
use stormbell::outside::Outside;
use stormbell::outside::archive::Archive;
use stormbell::outside::serve::serve;
use stormbell::sources::OnDemand;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const FORECAST: &str = "nws_get_forecast";

/// Seconds at which one path was asked.
fn seconds(tools: &Tools) -> Vec<f64> {
    tools.timed().into_iter().filter(|(_, path)| path.starts_with("/points/")).map(|(second, _)| second).collect()
}

/// Field report N38.
#[tokio::test(start_paused = true)]
async fn n38_what_fails_twice_is_answered_at_the_third_try() {
    let tools = Tools::new();
    // 500, then a web page with status 200, then the data.
    assert_eq!(tools.good(FORECAST, at(38.0, -98.0)).await["shown"], 14);
    assert_eq!(seconds(&tools), [0.0, 2.0, 6.0]);
}

/// Field report N37, lesson 14.
#[tokio::test(start_paused = true)]
async fn three_tries_are_the_end() {
    // The point, the code, and when it is asked: a slow one takes ten seconds each time.
    for (lat, lon, code, tries) in [
        (25.0, -70.0, Code::ServiceUnavailable, [0.0, 2.0, 6.0]),
        (39.0, -98.0, Code::RateLimited, [0.0, 2.0, 6.0]),
        (39.1, -98.0, Code::ServiceUnavailable, [0.0, 2.0, 6.0]),
        (39.3, -98.0, Code::Timeout, [0.0, 12.0, 26.0]),
    ] {
        let tools = Tools::new();
        let refusal = tools.refused(FORECAST, at(lat, lon)).await;
        assert_eq!((refusal.code, refusal.reason), (code, None), "{lat}: {refusal:?}");
        assert_eq!(seconds(&tools), tries, "{lat}");
        assert!(refusal.is_of_upstream());
    }
}

#[tokio::test(start_paused = true)]
async fn what_stays_is_not_asked_again() {
    for (lat, code, part) in [
        (39.4, Code::SerializationError, "cannot be read"),
        (39.5, Code::ServiceUnavailable, "501"),
        (39.7, Code::ValidationError, "does not match the pattern; must be a point"),
        (39.8, Code::ServiceUnavailable, "403"),
    ] {
        let tools = Tools::new();
        let refusal = tools.refused(FORECAST, at(lat, -98.0)).await;
        assert_eq!(refusal.code, code, "{refusal:?}");
        assert!(refusal.message.contains(part), "{refusal:?}");
        assert_eq!(tools.asked().len(), 1, "{lat}");
    }
    let contact = Tools::new().refused(FORECAST, at(39.8, -98.0)).await;
    assert!(contact.hint.contains("service.contact"), "{contact:?}");
}

/// A point that always fails is either on the open sea or out of order: both readings are told.
#[tokio::test(start_paused = true)]
async fn a_point_that_fails_is_named_with_both_readings() {
    let tools = Tools::new();
    let searched = tools.refused("nws_search_alerts", json!({"point": "25,-70"})).await;
    let forecast = tools.refused(FORECAST, at(25.0, -70.0)).await;
    for refusal in [searched, forecast] {
        assert_eq!(refusal.code, Code::ServiceUnavailable);
        assert!(refusal.message.contains("25,-70"), "{refusal:?}");
        assert!(refusal.hint.contains("open ocean") && refusal.hint.contains("outage"), "{refusal:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn switched_off_nothing_is_asked() {
    let tools = Tools::over(&fixtures(), super::FROM, "[sources.nws_facts]\nenabled = false\n");
    let refusal = tools.refused(FORECAST, larkfield(json!({}))).await;
    assert_eq!(refusal.code, Code::ServiceUnavailable);
    assert!(refusal.hint.contains("sources.nws_facts"), "{refusal:?}");
    assert!(tools.asked().is_empty());
}

/// What goes over the wire: without its user agent the API answers 403, without its `Accept` it serves old data.
#[tokio::test]
async fn every_request_says_who_asks_and_what_is_wanted() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heard = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut bytes, mut part) = (Vec::new(), [0; 4_096]);
        while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            let read = stream.read(&mut part).await.unwrap();
            assert!(read > 0, "the request is cut off");
            bytes.extend_from_slice(&part[..read]);
        }
        let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(bytes).unwrap()
    });
    let outside: Arc<dyn Outside> = Arc::new(crate::upstreams::live());
    let config =
        Config::from_text("test", &format!("[sources.nws_facts]\nbase_url = \"http://{address}\"\n"), &[]).unwrap();
    let clock = Clock::starting_at(super::FROM.parse().unwrap(), 1.0);
    let nws = Enquiries::new(Arc::new(OnDemand::open(&config, &outside).unwrap()), clock);
    let arguments = at(47.603_29, -122.330_09).as_object().cloned();
    let refusal = answer(FORECAST, arguments, &Asked { nws: &nws, seen: None }).await.unwrap_err();
    assert_eq!(refusal.reason, Some("out_of_scope"));
    let request = heard.await.unwrap().to_lowercase();
    assert!(request.starts_with("get /points/47.6032,-122.33 http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\naccept: application/geo+json\r\n"), "{request}");
    assert!(request.contains("\r\nuser-agent: stormbell/") && request.contains("test@example.org"), "{request}");
}

/// The same day over a real socket, with the live client: addresses of the API itself are asked of the mirror, and words of a
/// refusal arrive.
#[tokio::test]
async fn over_loopback_the_live_client_reads_answers_and_refusals() {
    let clock = Clock::starting_at(super::FROM.parse().unwrap(), 1.0);
    let archive = Arc::new(Archive::load(&fixtures()).unwrap());
    let (address, serving) = serve(archive, clock, 0).await.unwrap();
    tokio::spawn(serving);
    let outside: Arc<dyn Outside> = Arc::new(crate::upstreams::live());
    let config = format!("[sources.nws_facts]\nbase_url = \"http://{address}/api.weather.gov\"\n");
    let config = Config::from_text("test", &config, &[]).unwrap();
    let on_demand = Arc::new(OnDemand::open(&config, &outside).unwrap());
    let nws = Enquiries::new(on_demand, clock);
    let asked = Asked { nws: &nws, seen: None };
    let call = |tool: &'static str, arguments: serde_json::Value| {
        let (arguments, asked) = (arguments.as_object().cloned(), &asked);
        async move { answer(tool, arguments, asked).await }
    };
    let told = call(FORECAST, larkfield(json!({"hourly": true}))).await.unwrap();
    assert_eq!(told.value["totalCount"], 156);
    let told = call("nws_find_stations", larkfield(json!({}))).await.unwrap();
    assert_eq!(told.value["totalCount"], 60);
    let refusal = call("nws_get_zone_forecast", json!({"zone_id": "GMZ335"})).await.unwrap_err();
    assert_eq!(refusal.reason, Some("marine_forecast_unsupported"));
    let refusal = call("nws_search_alerts", json!({"zone": "KSZ000"})).await.unwrap_err();
    assert!(refusal.message.contains("KSZ000 is not a valid zone"), "{refusal:?}");
    let refusal = call(FORECAST, at(39.7, -98.0)).await.unwrap_err();
    assert!(refusal.message.contains("does not match the pattern; must be a point"), "{refusal:?}");
}
