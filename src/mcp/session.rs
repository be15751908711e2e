//! One client: the protocol's requests, mapped to tools and resources, and the client's subscriptions.
//!
//! Boundaries: ✓ protocol state of one session. ✗ no transport, no judgement. Both forms of subscription are served: the
//! old `resources/subscribe` with one announcing task a session, and `subscriptions/listen` (2026-07-28) with one stream
//! a request.

use super::door::Door;
use super::prompts;
use super::resources::{self, Announcement, Subscriptions};
use super::tools::nws::ALERT_TYPES_URI;
use super::tools::{TOOLS, ToolError};
use crate::desk::DeskEvent;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{RoleServer, ServerHandler};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::{CancellationToken, DropGuard};

const INSTRUCTIONS: &str = "stormbell tells how much severe-weather threat there is to places in the continental US, and \
     watches them. Start with get_threat_brief(place) or (lat, lon); get_active_warnings and get_mrms_severe give detail. Every \
     tool with a point takes `place` (\"Norman, OK\", a ZIP code) instead; geocode_place shows what a name may mean. Latitudes \
     are degrees north, longitudes degrees east: western longitudes are negative. Times are UTC. Every answer has \
     `degraded`, the sources it had to do without: while it is not empty, an empty list or a low level is not an \
     all-clear; say so. The routine tools nws_... tell forecasts, observations, alerts of all kinds and what offices write, \
     anywhere in the United States: nws_get_forecast names the office (for nws_get_office_discussion) and the forecast zone \
     (for nws_get_zone_forecast) of a point, alerts name their zones in affectedZones. To be told of changes, register_watch_point and subscribe to watch://points/{id}. Informational \
     only: always point people to official NWS warnings.";

/// One client.
#[derive(Debug)]
pub struct Session {
    door: Door,
    subscriptions: Subscriptions,
    announcing: AtomicBool,
    /// Ends the announcing task with the session.
    ended: CancellationToken,
    _ends: DropGuard,
}

impl Session {
    /// A new client at this door.
    pub fn new(door: Door) -> Self {
        let ended = CancellationToken::new();
        let ends = ended.clone().drop_guard();
        Self { door, subscriptions: Subscriptions::default(), announcing: AtomicBool::new(false), ended, _ends: ends }
    }

    /// Starts the announcing task of this session, once.
    fn announce(&self, peer: Peer<RoleServer>) {
        if self.announcing.swap(true, Ordering::SeqCst) {
            return;
        }
        // Before the task runs, so that nothing between now and then is missed.
        let events = self.door.desk.events();
        let (door, subscriptions, ended) = (self.door.clone(), self.subscriptions.clone(), self.ended.clone());
        let announcing = async move { announce(&door, &subscriptions, events, Outlet::Peer(peer)).await };
        tokio::spawn(ended.run_until_cancelled_owned(announcing));
    }
}

/// Where announcements go.
enum Outlet<'a> {
    Peer(Peer<RoleServer>),
    Stream(&'a SubscriptionSink),
}

impl Outlet<'_> {
    /// False when the client is gone.
    async fn send(&self, announcement: Announcement) -> bool {
        match (self, announcement) {
            (Self::Peer(peer), Announcement::Updated(uri)) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
            }
            (Self::Peer(peer), Announcement::ListChanged) => peer.notify_resource_list_changed().await.is_ok(),
            (Self::Stream(sink), Announcement::Updated(uri)) => sink.notify_resource_updated(uri).await.is_ok(),
            (Self::Stream(sink), Announcement::ListChanged) => {
                sink.accepted().resources_list_changed != Some(true)
                    || sink.notify_resource_list_changed().await.is_ok()
            }
        }
    }
}

async fn announce(door: &Door, subscriptions: &Subscriptions, mut events: Receiver<DeskEvent>, outlet: Outlet<'_>) {
    while let Some(event) = resources::next_event(&mut events).await {
        for announcement in resources::announcements(door, subscriptions, event).await {
            if !outlet.send(announcement).await {
                return;
            }
        }
    }
}

fn failed(error: &ToolError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn not_found(uri: &str) -> ErrorData {
    let (points, point) = (resources::POINTS_URI, resources::POINT_URI_TEMPLATE);
    ErrorData::resource_not_found(
        format!("there is no resource {uri:?}; use {points}, {point} or {ALERT_TYPES_URI}"),
        None,
    )
}

/// What the methods take that have parameters.
const PARAMS: [(&str, &str); 5] = [
    ("tools/call", "{\"name\": the name of a tool, \"arguments\": an object}"),
    ("prompts/get", "{\"name\": the name of a prompt, \"arguments\": an object of texts}"),
    ("resources/read", "{\"uri\": the address of a resource}"),
    ("resources/subscribe", "{\"uri\": the address of a resource}"),
    ("resources/unsubscribe", "{\"uri\": the address of a resource}"),
];

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("stormbell", env!("CARGO_PKG_VERSION")).with_title("stormbell"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = self.door.call(&request.name, request.arguments).await;
        result.map(Into::into).ok_or_else(|| {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
            ErrorData::invalid_params(format!("unknown tool {:?}; there are {}", request.name, names.join(", ")), None)
        })
    }

    /// What rmcp cannot read it takes for a method that it does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match PARAMS.iter().find(|(method, _)| *method == request.method) {
            Some((method, params)) => ErrorData::invalid_params(format!("{method} takes {params}"), None),
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = prompts::get(&request.name, request.arguments.as_ref()).ok_or_else(|| {
            let names: Vec<String> = prompts::all().into_iter().map(|prompt| prompt.name).collect();
            let message = format!("unknown prompt {:?}; there are {}", request.name, names.join(" and "));
            ErrorData::invalid_params(message, None)
        })?;
        got.map(Into::into).map_err(|error| ErrorData::invalid_params(error.to_string(), None))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (page, next_cursor) = resources::page(&self.door, cursor.as_deref()).await.map_err(|e| failed(&e))?;
        let mut result = ListResourcesResult::with_all_items(page);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = resources::read(&self.door, &request.uri).await.map_err(|error| failed(&error))?;
        let contents = contents.ok_or_else(|| not_found(&request.uri))?;
        let result = ReadResourceResult::new(vec![contents]);
        Ok(match resources::ttl_ms(&request.uri) {
            Some(ttl_ms) => result.with_ttl_ms(ttl_ms),
            None => result,
        }
        .into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !resources::exists(&self.door, &request.uri).await.map_err(|error| failed(&error))? {
            return Err(not_found(&request.uri));
        }
        if !self.subscriptions.add(request.uri) {
            let limit = resources::SUBSCRIPTIONS_MAX;
            return Err(ErrorData::invalid_params(format!("subscriptions of one session: at most {limit}"), None));
        }
        self.announce(context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::builder();
        if requested.resources_list_changed == Some(true) {
            accepted = accepted.resources_list_changed();
        }
        let uris = requested.resource_subscriptions.iter().flatten();
        let ours: Vec<&String> =
            uris.filter(|uri| resources::Named::by(uri).is_some()).take(resources::SUBSCRIPTIONS_MAX).collect();
        if !ours.is_empty() {
            accepted = accepted.resource_subscriptions(ours);
        }
        Some(accepted.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let events = self.door.desk.events();
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let subscriptions = Subscriptions::of(uris);
        tokio::select! {
            () = context.cancelled() => {}
            () = announce(&self.door, &subscriptions, events, Outlet::Stream(context.sink())) => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // Clients are told of list changes without asking for them.
        self.announce(context.peer);
    }
}
