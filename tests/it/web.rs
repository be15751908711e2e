//! The web page from outside, with a plain HTTP client: who gets in, what they see, what they change, what is refused.

use crate::fake_accounts::FakeAccounts;
use crate::fake_desk::{FakeDesk, at, judge};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use stormbell::desk::accounts::Accounts;
use stormbell::desk::{Desk, NewWatchPoint};
use stormbell::geo::LatLon;
use stormbell::mcp::http::serve;
use stormbell::threat::Level;
use stormbell::web::{Site, SiteOptions, router};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

mod api;
mod doors;
mod explain;
mod forms;
mod metrics;
mod notices;
mod streams;

const NOW: &str = "2026-06-10T21:32:00Z";

struct Served {
    addr: SocketAddr,
    desk: Arc<FakeDesk>,
    accounts: Arc<FakeAccounts>,
    stop: CancellationToken,
    done: tokio::task::JoinHandle<()>,
    client: Client,
}

/// Owners with tokens, behind a public address.
async fn served() -> Served {
    serving(SiteOptions { public_url: Some("https://bell.example.org".into()), ..SiteOptions::default() }).await
}

async fn local() -> Served {
    serving(SiteOptions { is_local: true, ..SiteOptions::default() }).await
}

async fn serving(options: SiteOptions) -> Served {
    let (desk, accounts) = (FakeDesk::new(at(NOW)), FakeAccounts::new());
    let stop = CancellationToken::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let desk_door = Arc::clone(&desk) as Arc<dyn Desk>;
    let site = Site::new(desk_door, Arc::clone(&accounts) as Arc<dyn Accounts>, judge(), options, stop.clone());
    let routes = router(site);
    let ended = stop.clone();
    let done = tokio::spawn(async move { serve(listener, routes, ended).await.unwrap() });
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    Served { addr, desk, accounts, stop, done, client }
}

impl Served {
    async fn ask(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, format!("http://{}{path}", self.addr));
        if !token.is_empty() {
            request = request.header("cookie", format!("other=1; __Host-stormbell={token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.unwrap()
    }

    async fn get(&self, path: &str, token: &str) -> (u16, String) {
        let response = self.ask("GET", path, token, &[], None).await;
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// As our own page posts a form.
    async fn post(&self, path: &str, token: &str, form: &str) -> (u16, String, String) {
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
        let response = self.ask("POST", path, token, &headers, Some(form.to_owned())).await;
        let status = response.status().as_u16();
        let to = response.headers().get("location").map_or_else(String::new, |to| to.to_str().unwrap().to_owned());
        (status, to, response.text().await.unwrap())
    }

    async fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let headers = [("content-type", "application/json"), ("authorization", &*format!("Bearer {token}"))];
        let body = (!body.is_null()).then(|| body.to_string());
        let response = self.ask(method, path, "", &headers, body).await;
        (response.status().as_u16(), response.json().await.unwrap_or_default())
    }

    async fn point(&self, owner: &str, name: &str) -> String {
        let wanted = NewWatchPoint {
            owner: owner.to_owned(),
            name: name.to_owned(),
            at: LatLon::new(40.52, -92.90).unwrap(),
            min_level: Level::Elevated,
            addresses: Vec::new(),
            until_utc: None,
            client_token: None,
            quiet_hours: None,
        };
        self.desk.register(wanted).await.unwrap().point.id
    }
}
