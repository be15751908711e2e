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
mod notices;
mod point;
mod refusal;
mod sign;
mod visitor;
mod words;

pub use admit::{BODY_BYTES_MAX, HEADERS};
pub use live::{BEAT_EVERY, STREAMS_OF_OWNER_MAX};

use crate::desk::Desk;
use crate::desk::accounts::Accounts;
use crate::mcp::{Door, Judge};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Most answers under way at once, open streams included: a household's devices many times over.
pub const ANSWERS_MAX: usize = 512;
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

/// The routes of the site.
pub fn router(site: Site) -> Router {
    Router::new()
        .route("/", get(home::show))
        .route("/points", post(home::add))
        .route("/points/{id}", get(point::show).post(point::acts::change))
        .route("/points/{id}/acknowledge", post(point::acts::acknowledge))
        .route("/points/{id}/snooze", post(point::acts::snooze))
        .route("/points/{id}/test", post(point::acts::test))
        .route("/points/{id}/remove", post(point::acts::remove))
        .route("/map/layers", get(map::layers))
        .route("/map/overlay.png", get(map::overlay))
        .route("/map/states.svg", get(map::states))
        .route("/notices", get(notices::show))
        .route("/notices/code", post(notices::code))
        .route("/notices/forget", post(notices::forget))
        .route("/login", get(sign::login).post(sign::typed))
        .route("/logout", post(sign::logout))
        .route("/confirm/{token}", get(links::confirm).post(links::confirmed))
        .route("/unsubscribe/{token}", get(links::unsubscribe).post(links::unsubscribed))
        .route("/events", get(live::events))
        .route("/sw.js", get(assets::service_worker))
        .route("/manifest.webmanifest", get(assets::manifest))
        .route("/favicon.ico", get(assets::icon))
        .route("/assets/{name}", get(assets::asset))
        .nest("/api", api::routes())
        .fallback(refusal::no_page)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(site.clone(), admit::admit))
        .with_state(site)
}
