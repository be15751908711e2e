//! What an owner does with a point: change, acknowledge, snooze, test, remove. Each leads back to the page.

use super::{page, point_of};
use crate::desk::{DeskError, PointUpdate};
use crate::threat::later;
use crate::web::Site;
use crate::web::fields::Fields;
use crate::web::form::{Draft, morning};
use crate::web::home::of_desk;
use crate::web::refusal::Refusal;
use crate::web::visitor::Visitor;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::SignedDuration;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands for itself in an address; ids are made of such letters, but they come from the address bar.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

fn back(id: &str, word: &str) -> Redirect {
    let id = utf8_percent_encode(id, ESCAPED);
    Redirect::to(&format!("/points/{id}?done={word}"))
}

/// Changes the terms.
pub async fn change(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, Refusal> {
    let draft = Draft::read(&fields);
    let one = point_of(&site, &visitor, &id).await?;
    let wrong = match draft.update(&one.point) {
        Err(wrong) => wrong,
        Ok(update) => match site.desk.update(&visitor.owner, &id, update).await {
            Ok(None) => return Err(Refusal::NotFound),
            Ok(Some(changed)) => {
                let word = if changed.point.waiting.is_empty() { "changed" } else { "waiting" };
                return Ok(back(&id, word).into_response());
            }
            Err(error @ DeskError::Store(_)) => return Err(error.into()),
            Err(error) => of_desk(&error),
        },
    };
    let page = page(&site, &visitor, &id, &super::Asked::default(), Some((&draft, &wrong))).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// Notes that the owner knows of the level.
pub async fn acknowledge(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Redirect, Refusal> {
    site.desk.acknowledge(&visitor.owner, &id).await?.ok_or(Refusal::NotFound)?;
    Ok(back(&id, "acknowledged"))
}

/// Holds notices for an hour or until morning, or ends that.
pub async fn snooze(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Redirect, Refusal> {
    let one = point_of(&site, &visitor, &id).await?;
    let now = site.desk.now();
    let until = match fields.get("for") {
        "end" => None,
        "morning" => Some(morning(&one.point, now)),
        "hour" => Some(later(now, SignedDuration::from_hours(1))),
        _ => return Err(Refusal::Unread("Say how long it is to be snoozed: for an hour, or until morning.")),
    };
    let update = PointUpdate { snooze_until_utc: Some(until), ..PointUpdate::default() };
    site.desk.update(&visitor.owner, &id, update).await?.ok_or(Refusal::NotFound)?;
    Ok(back(&id, if until.is_some() { "snoozed" } else { "awake" }))
}

/// Sends a test through every channel.
pub async fn test(State(site): State<Site>, visitor: Visitor, Path(id): Path<String>) -> Result<Redirect, Refusal> {
    let told = site.desk.send_test(&visitor.owner, &id).await?.ok_or(Refusal::NotFound)?;
    Ok(back(&id, if told.is_empty() { "nobody" } else { "tested" }))
}

/// Ends the watch.
pub async fn remove(State(site): State<Site>, visitor: Visitor, Path(id): Path<String>) -> Result<Redirect, Refusal> {
    if !site.desk.unregister(&visitor.owner, &id).await? {
        return Err(Refusal::NotFound);
    }
    Ok(Redirect::to("/?done=removed"))
}
