//! The web page: an owner's map and list, a point's page, where notices go, and the pages that links in mail lead to.
//!
//! ```text
//! browser -> admit (host, origin, bounds) -> visitor (whose cookie) -> page or API -> Desk, Accounts
//! DeskEvent -> live (server-sent events) -> the page reads itself anew and says what changed
//! ```
//!
//! Boundaries: ✓ HTML, forms, the JSON under `/api`, the scripts and styles that go with them. ✗ no judgement, no actors, no
//! store: everything comes through `desk::Desk` and `desk::accounts::Accounts`.
//!
//! Invariants: a page that does not hear its server says so and never reads as quiet: it is not live until it has heard, and
//! every word of a level turns to the past when it stops hearing. Every text is escaped as it is written (`maud`). Nothing is
//! asked of another host. Nothing changes by a GET.

mod admit;
pub mod api;
mod assets;
mod fields;
mod form;
mod frame;
mod home;
mod links;
mod list;
mod live;
mod map;
mod metrics;
mod notices;
mod point;
mod refusal;
mod routes;
mod sign;
mod visitor;
mod words;

pub use admit::{BODY_BYTES_MAX, HEADERS};
pub use live::{BEAT_EVERY, STREAMS_OF_OWNER_MAX};
pub use metrics::METRICS_TYPE;
pub use routes::Route;

use crate::desk::Desk;
use crate::desk::accounts::Accounts;
use crate::desk::tries::Tries;
use crate::mcp::{Door, Judge};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use jiff::Timestamp;
use routes::Routes;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_http::timeout::TimeoutLayer;

/// Most answers under way at once, open streams included: a household's devices many times over.
pub const ANSWERS_MAX: usize = 512;
/// Within this a request's body must be there and its answer begin: everything is answered from memory. A stream may last.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// Pictures drawn at once: each keeps a processor busy for a tenth of a second.
const DRAWN_AT_ONCE: usize = 2;

/// Who may come in, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteOptions {
    /// Host names by which the site may be reached besides the loopback ones, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// Where the site is reached from outside: `https://bell.example.org`, without a slash at its end.
    pub public_url: Option<String>,
    /// Whether a visitor without a token is the local owner: on a loopback address that nothing leads to from outside.
    pub is_local: bool,
    /// Name of the owner whose token reads `/metrics`, besides the local owner.
    pub metrics_owner: Option<String>,
    /// When the recorded day ends that is lived through; `None`: the feeds are live.
    pub recorded_to_utc: Option<Timestamp>,
}

/// What all pages share. Cheap to clone.
#[derive(Clone)]
pub struct Site {
    desk: Arc<dyn Desk>,
    accounts: Arc<dyn Accounts>,
    judge: Judge,
    options: Arc<SiteOptions>,
    answers: Arc<Semaphore>,
    drawings: Arc<Semaphore>,
    streams: live::Streams,
    wrong: Arc<Mutex<Tries>>,
    closing: CancellationToken,
}

impl Site {
    /// A site over a desk. `closing` ends its open streams.
    pub fn new(
        desk: Arc<dyn Desk>,
        accounts: Arc<dyn Accounts>,
        judge: Judge,
        options: SiteOptions,
        closing: CancellationToken,
    ) -> Self {
        Self {
            desk,
            accounts,
            judge,
            options: Arc::new(options),
            answers: Arc::new(Semaphore::new(ANSWERS_MAX)),
            drawings: Arc::new(Semaphore::new(DRAWN_AT_ONCE)),
            streams: live::Streams::default(),
            wrong: Arc::default(),
            closing,
        }
    }

    /// The door by which an owner asks the MCP tools, whose answers the API gives.
    fn door(&self, owner: &str) -> Door {
        let mut door = Door::new(Arc::clone(&self.desk), Arc::clone(&self.judge));
        door.owner = owner.to_owned();
        door
    }
}

/// All that can be asked of the site, as its router has it.
pub fn routes() -> Vec<Route> {
    all().listed()
}

/// The site as a router.
pub fn router(site: Site) -> Router {
    all()
        .router()
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, ANSWER_WITHIN))
        .layer(from_fn_with_state(site.clone(), admit::admit))
        .with_state(site)
}

fn all() -> Routes {
    Routes::default()
        .get("/", home::show)
        .post("/points", home::add)
        .get("/points/{id}", point::show)
        .post("/points/{id}", point::acts::change)
        .get("/points/{id}/explain", point::explain::show)
        .post("/points/{id}/acknowledge", point::acts::acknowledge)
        .post("/points/{id}/snooze", point::acts::snooze)
        .post("/points/{id}/test", point::acts::test)
        .post("/points/{id}/remove", point::acts::remove)
        .get("/map/layers", map::layers)
        .get("/map/overlay.png", map::overlay)
        .get("/map/states.svg", map::states)
        .get("/notices", notices::show)
        .post("/notices/code", notices::code)
        .post("/notices/forget", notices::forget)
        .get("/login", sign::login)
        .post("/login", sign::typed)
        .post("/logout", sign::logout)
        .get("/confirm/{token}", links::confirm)
        .post("/confirm/{token}", links::confirmed)
        .get("/unsubscribe/{token}", links::unsubscribe)
        .post("/unsubscribe/{token}", links::unsubscribed)
        .get("/events", live::events)
        .get("/metrics", metrics::show)
        .get("/sw.js", assets::service_worker)
        .get("/manifest.webmanifest", assets::manifest)
        .get("/favicon.ico", assets::icon)
        .get("/assets/{name}", assets::asset)
        .below("/api", api::routes())
        .otherwise(refusal::no_page)
}
