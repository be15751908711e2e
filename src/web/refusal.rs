//! What a visitor sees instead of what they asked for.

use super::frame::{Frame, Shelf};
use crate::desk::DeskError;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;

/// Why a page is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No such page, or not this owner's: the two read alike.
    NotFound,
    /// The form does not say what is wanted; what it should.
    Unread(&'static str),
    /// The desk refused or failed.
    Desk(DeskError),
}

impl From<DeskError> for Refusal {
    fn from(error: DeskError) -> Self {
        Self::Desk(error)
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Unread(_) => StatusCode::BAD_REQUEST,
            Self::Desk(error) => status_of(error),
        }
    }
}

/// The HTTP status of a desk's refusal.
pub(super) fn status_of(error: &DeskError) -> StatusCode {
    match error {
        DeskError::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        DeskError::Limit { .. } => StatusCode::CONFLICT,
        DeskError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// What the desk says, for a person.
pub(super) fn words_of(error: &DeskError) -> String {
    match error {
        DeskError::Invalid { field, why } => format!("{}: {why}", field.replace('_', " ")),
        DeskError::Limit { what, limit } => format!("There is room for {limit} {what}; remove one first."),
        DeskError::Store(why) => {
            tracing::error!(%why, "the page cannot be answered");
            "stormbell cannot read or write its store at present. What is watched may not be shown here; see its log."
                .to_owned()
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (title, words) = match &self {
            Self::NotFound => {
                ("There is no such page", "It may have been removed, or the address is mistyped.".to_owned())
            }
            Self::Unread(why) => ("That did not work", (*why).to_owned()),
            Self::Desk(error) => ("That did not work", words_of(error)),
        };
        let main = html! {
            h1 { (title) }
            p { (words) }
            p { a href="/" { "To the map and the list" } }
        };
        (self.status(), Frame::new(title, Shelf::None).page(main)).into_response()
    }
}

/// An address that leads nowhere.
pub(super) async fn no_page() -> Refusal {
    Refusal::NotFound
}

/// A refusal before anybody is known: a line of text.
pub(super) fn plain(status: StatusCode, why: &'static str) -> Response {
    (status, format!("{why}\n")).into_response()
}
