//! Watch points as resources, and who wants to be told of which.
//!
//! Boundaries: ✓ URIs, reading, from a desk event to the notifications of one session. ✗ how a notification travels (see
//! `session`).

use super::door::Door;
use super::tools::ToolError;
use super::tools::nws::{self, ALERT_TYPES_URI};
use super::tools::watch::{self, ListArgs, PAGE};
use crate::desk::DeskEvent;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The list of all watch points.
pub const POINTS_URI: &str = "watch://points";
/// One watch point.
pub const POINT_URI_TEMPLATE: &str = "watch://points/{id}";
/// Most resources that one session subscribes to: well above the points one owner may have.
pub const SUBSCRIPTIONS_MAX: usize = 1_000;
const MIME_JSON: &str = "application/json";

/// The resource of a watch point.
pub fn point_uri(id: &str) -> String {
    format!("{POINTS_URI}/{id}")
}

/// What a URI names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named<'a> {
    /// The list.
    Points,
    /// One watch point, by id.
    Point(&'a str),
}

impl<'a> Named<'a> {
    /// `None` for a URI that is not ours.
    pub fn by(uri: &'a str) -> Option<Self> {
        let rest = uri.strip_prefix(POINTS_URI)?;
        match rest.strip_prefix('/') {
            None if rest.is_empty() => Some(Self::Points),
            Some(id) if !id.is_empty() && !id.contains('/') => Some(Self::Point(id)),
            Some(_) | None => None,
        }
    }
}

/// The template of watch point resources.
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(POINT_URI_TEMPLATE, "watch_point")
        .with_title("Watch point")
        .with_description("Present assessment of one watch point as JSON, the same as get_watch_point. Subscribe to be told when its level changes.")
        .with_mime_type(MIME_JSON)
}

/// One page of resources: the list itself on the first page, then the owner's points. The cursor is that of
/// list_watch_points.
pub async fn page(door: &Door, cursor: Option<&str>) -> Result<(Vec<Resource>, Option<String>), ToolError> {
    let (points, _, next_cursor) = watch::page_of(door, cursor, PAGE.1 as usize).await?;
    let list = Resource::new(POINTS_URI, "watch_points")
        .with_title("Watch points")
        .with_description("All watch points with their levels as JSON. Subscribe to be told when any of them changes.")
        .with_mime_type(MIME_JSON);
    let alert_types = Resource::new(ALERT_TYPES_URI, "alert_types")
        .with_title("Types of alerts")
        .with_description("The names of all types of NWS alerts as JSON, the same as nws_list_alert_types.")
        .with_mime_type(MIME_JSON);
    let mut resources = if cursor.is_none() { vec![list, alert_types] } else { Vec::new() };
    resources.extend(points.iter().map(|watched| {
        Resource::new(point_uri(&watched.point.id), watched.point.name.clone())
            .with_title(format!("Watch point {}", watched.point.name))
            .with_description("Present assessment as JSON. Subscribe to be told when its level changes.")
            .with_mime_type(MIME_JSON)
    }));
    Ok((resources, next_cursor))
}

/// Reads a resource; `None` when there is none of that name.
pub async fn read(door: &Door, uri: &str) -> Result<Option<ResourceContents>, ToolError> {
    let text = match Named::by(uri) {
        None if uri == ALERT_TYPES_URI => pretty(&nws::alert_types(door).await?),
        None => return Ok(None),
        // One document with all points: a resource has no pages.
        Some(Named::Points) => {
            let mut list = watch::list(door, ListArgs { cursor: None, limit: PAGE.1 }).await?;
            while let Some(cursor) = list.data.next_cursor.take() {
                let page = watch::list(door, ListArgs { cursor: Some(cursor), limit: PAGE.1 }).await?;
                list.data.watch_points.extend(page.data.watch_points);
                list.data.next_cursor = page.data.next_cursor;
            }
            pretty(&list)
        }
        Some(Named::Point(id)) => match watch::get(door, id).await {
            Ok(envelope) => pretty(&envelope),
            Err(ToolError::NoSuchPoint(_)) => return Ok(None),
            Err(error) => return Err(error),
        },
    };
    Ok(Some(ResourceContents::text(text, uri).with_mime_type(MIME_JSON)))
}

/// For how long a reader may keep what it read, milliseconds; `None` where it may change any moment.
pub fn ttl_ms(uri: &str) -> Option<u64> {
    (uri == ALERT_TYPES_URI).then_some(nws::ALERT_TYPES_TTL_MS)
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}

/// Whether the owner has what a URI names.
pub async fn exists(door: &Door, uri: &str) -> Result<bool, ToolError> {
    Ok(match Named::by(uri) {
        None => false,
        Some(Named::Points) => true,
        Some(Named::Point(id)) => owns(door, id).await?,
    })
}

async fn owns(door: &Door, id: &str) -> Result<bool, ToolError> {
    Ok(door.desk.watched(&door.owner).await?.iter().any(|watched| watched.point.id == id))
}

/// What one session wants to be told of. Clones share one set.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions(Arc<Mutex<BTreeSet<String>>>);

impl Subscriptions {
    /// A fixed set, for the `listen` form.
    pub fn of(uris: impl IntoIterator<Item = String>) -> Self {
        Self(Arc::new(Mutex::new(uris.into_iter().collect())))
    }

    /// Adds one; false when the limit is reached.
    pub fn add(&self, uri: String) -> bool {
        let mut uris = self.lock();
        let fits = uris.contains(&uri) || uris.len() < SUBSCRIPTIONS_MAX;
        if fits {
            uris.insert(uri);
        }
        fits
    }

    /// Removes one; no error when it was not there.
    pub fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        // A set of strings is whole whatever happened to a holder.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wants(&self, uri: &str) -> bool {
        self.lock().contains(uri)
    }

    fn all(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }
}

/// One notification to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// `notifications/resources/updated`.
    Updated(String),
    /// `notifications/resources/list_changed`.
    ListChanged,
}

/// What a session with these subscriptions is told of an event; `None` stands for "some events were missed": everything
/// may have changed then. Events of other owners' points say nothing.
pub async fn announcements(door: &Door, subscriptions: &Subscriptions, event: Option<DeskEvent>) -> Vec<Announcement> {
    match event {
        None => {
            let updated = subscriptions.all().into_iter().map(Announcement::Updated);
            std::iter::once(Announcement::ListChanged).chain(updated).collect()
        }
        Some(DeskEvent::ListChanged(owner)) if owner != door.owner => Vec::new(),
        Some(DeskEvent::ListChanged(_)) => {
            let list = subscriptions.wants(POINTS_URI).then(|| Announcement::Updated(POINTS_URI.into()));
            std::iter::once(Announcement::ListChanged).chain(list).collect()
        }
        Some(DeskEvent::PointChanged(id)) => {
            let wanted: Vec<String> =
                [point_uri(&id), POINTS_URI.into()].into_iter().filter(|uri| subscriptions.wants(uri)).collect();
            if wanted.is_empty() || !matches!(owns(door, &id).await, Ok(true)) {
                return Vec::new();
            }
            wanted.into_iter().map(Announcement::Updated).collect()
        }
    }
}

/// Waits for the next event: `Some(None)` when some were missed, `None` when the desk is gone.
pub async fn next_event(events: &mut tokio::sync::broadcast::Receiver<DeskEvent>) -> Option<Option<DeskEvent>> {
    use tokio::sync::broadcast::error::RecvError;
    match events.recv().await {
        Ok(event) => Some(Some(event)),
        Err(RecvError::Lagged(missed)) => {
            tracing::debug!(missed, "a session lagged behind the desk's events: everything is announced again");
            Some(None)
        }
        Err(RecvError::Closed) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_the_list_or_one_point_and_nothing_else() {
        assert_eq!(Named::by("watch://points"), Some(Named::Points));
        assert_eq!(Named::by(&point_uri("wp-1")), Some(Named::Point("wp-1")));
        for other in ["watch://points/", "watch://pointsx", "watch://points/a/b", "file:///etc/passwd", ""] {
            assert_eq!(Named::by(other), None, "{other}");
        }
    }

    #[test]
    fn subscriptions_are_limited_and_forgotten() {
        let subscriptions = Subscriptions::default();
        for number in 0..SUBSCRIPTIONS_MAX {
            assert!(subscriptions.add(number.to_string()));
        }
        assert!(!subscriptions.add("one more".into()) && subscriptions.add("7".into()));
        subscriptions.remove("7");
        assert!(!subscriptions.wants("7") && subscriptions.add("one more".into()));
    }
}
