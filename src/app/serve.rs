//! Services that run until they are stopped: HTTP MCP, MCP on stdio, a recorded day over loopback.

use crate::actors::shared::{Event, Terms};
use crate::app::running::Service;
use crate::app::tables::Tables;
use crate::app::{AppError, Setup, World, data_dir, judge, load_config, open_store, world};
use crate::channels;
use crate::cli::answers::{self, Answering, Ask};
use crate::cli::fail::Failure;
use crate::cli::fail::complain;
use crate::cli::local;
use crate::cli::print;
use crate::clock::Clock;
use crate::config::Config;
use crate::desk::Desk;
use crate::desk::accounts::Accounts;
use crate::geo::LatLon;
use crate::mcp::tools::answers::ALL_SOURCES;
use crate::mcp::tools::severe::threat_brief;
use crate::mcp::{self, Door, Lifetime, http};
use crate::outside::Outside;
use crate::outside::live::LiveOutside;
use crate::store::Store;
use crate::web::{self, Site, SiteOptions};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

/// How long a stopping process waits for blocking work, a read of stdin among it.
const LEAVE_WITHIN: Duration = Duration::from_secs(2);

/// Pipeline and HTTP MCP; see `app::serve`.
pub(super) fn http(setup: &Setup, port: Option<u16>, world: &World) -> Result<(), AppError> {
    run(async {
        let ready = Ready::to_start(setup, world)?;
        let options = options(&ready.config, port);
        let failed = |error: http::HttpError| AppError::Running(error.to_string());
        let stop = CancellationToken::new();
        let has_owners = ready.store.has_owners()?;
        // Before any feed is asked and any place judged: a service that nobody can reach does neither.
        let listener = http::listen(&options, has_owners).await.map_err(failed)?;
        let address = listener.local_addr().map_err(|error| AppError::Running(error.to_string()))?;
        let running = ready.start().await?;
        let accounts = running.service.accounts();
        accounts.listens_at(address);
        let door = Door::new(Arc::clone(&running.service) as Arc<dyn Desk>, running.judge());
        // Behind a reverse proxy everybody comes from loopback: where there is a public address a token is always needed.
        let public = running.config.web.public_url().is_some();
        let local = address.ip().is_loopback() && !public;
        let callers = http::Callers::with_tokens(Arc::clone(&accounts) as Arc<dyn Accounts>, local);
        let router = http::router(door, callers, &options, stop.clone()).map_err(failed)?;
        let site = site(&running, accounts, local, &options, stop.clone());
        let router = router.merge(web::router(site));
        if public && !has_owners {
            tracing::warn!(
                "web.public_url asks every caller for a token, and nobody has one: stormbell owner add NAME"
            );
        }
        complain(&format!("stormbell: MCP at http://{address}{}", http::PATH));
        complain(&format!("stormbell: page at {}/", page_url(&running.config, address)));
        let ended = stop.clone();
        tokio::spawn(async move {
            stop_asked().await;
            ended.cancel();
        });
        let served = tokio::select! {
            served = http::serve(listener, router, stop) => served.map_err(failed),
            why = running.service.shared().failure() => Err(AppError::Running(why)),
        };
        running.service.stop().await;
        served
    })
}

/// Where the door stands and whom it believes.
fn options(config: &Config, port: Option<u16>) -> http::HttpOptions {
    let Config { mcp, web, .. } = config;
    let mut options = http::HttpOptions {
        bind: SocketAddr::new(mcp.bind, port.unwrap_or(mcp.port)),
        allowed_hosts: mcp.allowed_hosts.clone(),
        allowed_origins: mcp.allowed_origins.clone(),
        ..http::HttpOptions::default()
    };
    options.allowed_hosts.extend(web.public_host());
    options.allowed_origins.extend(web.public_origin());
    if !mcp.bind.is_loopback() && !mcp.bind.is_unspecified() {
        options.allowed_hosts.push(mcp.bind.to_string());
    }
    options
}

/// The web page of a running service. `is_local`: whoever reaches it without a token is the owner of the data directory.
fn site(
    running: &Running,
    accounts: Arc<dyn Accounts>,
    is_local: bool,
    options: &http::HttpOptions,
    closing: CancellationToken,
) -> Site {
    let public_url = running.config.web.public_url();
    let metrics_owner = running.config.web.metrics_owner.clone();
    let recorded_to_utc = running.recorded_to_utc;
    let allowed_hosts = options.allowed_hosts.clone();
    let options = SiteOptions { allowed_hosts, public_url, is_local, metrics_owner, recorded_to_utc };
    let desk = Arc::clone(&running.service) as Arc<dyn Desk>;
    Site::new(desk, accounts, running.judge(), options, closing)
}

/// What a person types to reach the page.
fn page_url(config: &Config, address: SocketAddr) -> String {
    config.web.public_url().unwrap_or_else(|| format!("http://{address}"))
}

/// Pipeline and MCP on stdio; see `app::mcp`.
pub(super) fn stdio(setup: &Setup, world: &World) -> Result<(), AppError> {
    run(async {
        let running = Ready::to_start(setup, world)?.start().await?;
        let desk = Arc::clone(&running.service) as Arc<dyn Desk>;
        let door = Door::new(desk, running.judge()).with_lifetime(Lifetime::WithClient);
        let stop = CancellationToken::new();
        let ended = stop.clone();
        tokio::spawn(async move {
            stop_asked().await;
            ended.cancel();
        });
        let served = tokio::select! {
            served = mcp::stdio::serve_stdio(door, tokio::io::stdin(), print::pipe(), stop) => {
                served.map_err(|error| AppError::Running(error.to_string()))
            }
            why = running.service.shared().failure() => Err(AppError::Running(why)),
        };
        running.service.stop().await;
        served
    })
}

/// A recorded day over loopback; see `app::archive_serve`.
pub(super) fn archive(dir: &Path, port: u16, speed: f64) -> Result<(), AppError> {
    let archive = world::archive(dir)?;
    run(async move {
        let clock = Clock::starting_at(archive.from_utc, speed);
        let (address, serving) = crate::outside::serve::serve(archive, clock, port)
            .await
            .map_err(|error| AppError::Running(format!("port {port}: {error}")))?;
        complain(&format!(
            "stormbell: recorded day at http://{address}: base_url http://{address}/<host>, endpoint_url http://{address}/s3"
        ));
        tokio::select! {
            served = serving => served.map_err(|error| AppError::Running(error.to_string())),
            () = stop_asked() => Ok(()),
        }
    })
}

/// A running service and what its doors need.
struct Running {
    config: Arc<Config>,
    service: Arc<Service>,
    /// When the recorded day ends that is lived through.
    recorded_to_utc: Option<Timestamp>,
    /// Answered until this is dropped; absent for a store in memory.
    _socket: Option<local::Listening>,
}

impl Running {
    fn judge(&self) -> mcp::Judge {
        Arc::new(judge)
    }
}

/// All that a service is started from.
struct Ready {
    config: Arc<Config>,
    store: Store,
    clock: Clock,
    terms: Terms,
    recorded_to_utc: Option<Timestamp>,
}

impl Ready {
    fn to_start(setup: &Setup, world: &World) -> Result<Self, AppError> {
        let config = Arc::new(load_config(setup)?);
        // A recorded day does not touch the store of the live service unless a directory is named for it.
        let store = match (world, &setup.data_dir) {
            (World::Recorded { .. }, None) => Store::in_memory()?,
            (World::Recorded { .. }, Some(dir)) => open_store(dir)?,
            (World::Live, _) => open_store(&data_dir(setup)?)?,
        };
        let (clock, outside, recorded_to_utc): (Clock, Arc<dyn Outside>, _) = match world {
            World::Live => (Clock::live(), Arc::new(LiveOutside::new(&world::live_settings(&config))?), None),
            World::Recorded { archive, speed } => {
                let archive = world::archive(archive)?;
                let to_utc = archive.to_utc;
                let clock = Clock::starting_at(world::begin(&archive, &store, None)?, *speed);
                (clock, world::recorded(archive, clock), Some(to_utc))
            }
        };
        let phase = match world {
            World::Live => world::phase(&store),
            World::Recorded { .. } => Duration::ZERO,
        };
        let mut terms = world::terms(&config, &outside, clock, phase, channels::open_all(&config, &store, clock)?)?;
        terms.keeps_high_water = recorded_to_utc.is_some();
        Ok(Self { config, store, clock, terms, recorded_to_utc })
    }

    async fn start(self) -> Result<Running, AppError> {
        let Self { config, store, clock, terms, recorded_to_utc } = self;
        if let Some(to_utc) = recorded_to_utc {
            tokio::spawn(say_when_over(clock, to_utc));
        }
        let dir = store.dir().map(Path::to_path_buf);
        let records = Arc::new(Tables(store.clone()));
        let service = Service::start(Arc::clone(&config), clock, store, terms, Arc::new(log)).await?;
        let service = Arc::new(service);
        let socket = match dir {
            Some(dir) => {
                let door = SocketDoor { service: Arc::clone(&service), records };
                Some(local::listen(&dir, Arc::new(door)).map_err(|failure| AppError::Running(failure.to_string()))?)
            }
            None => None,
        };
        Ok(Running { config, service, recorded_to_utc, _socket: socket })
    }
}

/// A recorded day that is over answers as feeds that have fallen silent do.
async fn say_when_over(clock: Clock, to_utc: Timestamp) {
    clock.sleep(Duration::try_from(clock.now().duration_until(to_utc)).unwrap_or(Duration::ZERO)).await;
    complain(&format!("stormbell: the recorded day is over ({to_utc}); from here on nothing new comes from its feeds"));
}

/// What happens, for operators.
fn log(event: Event) {
    match event {
        Event::LevelChanged(point, change) => {
            tracing::info!(watch_point = %point.id, name = %point.name, from = %change.from, to = %change.to, "level");
        }
        Event::Told(delivery, _) => {
            let (reason, channel) = (delivery.reason.as_str(), delivery.address.kind.as_str());
            tracing::info!(delivery = %delivery.id, reason, channel, "told");
        }
        Event::Polled(report) => tracing::debug!(source = %report.source, good = report.good, "polled"),
        Event::PointChanged(_) | Event::ListChanged(_) => {}
    }
}

/// The local socket answers from the running service.
struct SocketDoor {
    service: Arc<Service>,
    records: Arc<Tables>,
}

#[async_trait]
impl local::Door for SocketDoor {
    async fn answer(&self, ask: Ask) -> Value {
        let Ask::Brief { lat, lon } = ask else {
            let operator = self.service.accounts();
            let by = Answering { desk: &*self.service, operator: &*operator, records: &*self.records };
            return answers::answer(by, &ask).await;
        };
        let at = match LatLon::in_conus(lat, lon) {
            Ok(at) => at,
            Err(error) => return Failure::usage(error.to_string(), "").to_json(),
        };
        let picture = self.service.picture_for(at, &ALL_SOURCES).await;
        let now = self.service.now();
        let envelope = threat_brief(&picture, at, &judge(&picture, at, now), now);
        serde_json::to_value(envelope).unwrap_or_else(|error| Failure::new("failed", error.to_string(), "").to_json())
    }

    async fn mcp(&self, stream: BufReader<UnixStream>) {
        let (reader, writer) = tokio::io::split(stream);
        let door = Door::new(Arc::clone(&self.service) as Arc<dyn Desk>, Arc::new(judge));
        if let Err(error) = mcp::stdio::serve_stdio(door, reader, writer, CancellationToken::new()).await {
            tracing::warn!(%error, "a bridged MCP client");
        }
    }
}

/// Ctrl-C, or the signal of a service's stop.
async fn stop_asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::warn!(%error, "SIGTERM is not listened to");
            return std::future::pending().await;
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

fn run(work: impl Future<Output = Result<(), AppError>>) -> Result<(), AppError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::Running(format!("no runtime: {error}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_timeout(LEAVE_WITHIN);
    ended
}
