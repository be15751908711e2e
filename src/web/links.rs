//! What links in mails lead to: confirming an address, and ending its notices. A GET shows a button and changes nothing, since
//! mail scanners follow links; the secret in the address is the permission, no cookie is asked for.

use super::Site;
use super::frame::{Frame, Shelf};
use super::refusal::Refusal;
use crate::desk::accounts::LinkedAddress;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::REFERRER_POLICY;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

/// Longest link token looked at, characters.
const TOKEN_CHARS_MAX: usize = 512;

fn token(given: &str) -> &str {
    if given.len() > TOKEN_CHARS_MAX { "" } else { given }
}

/// Asks whether the address is to be confirmed.
pub(super) async fn confirm(State(site): State<Site>, Path(given): Path<String>) -> Result<Response, Refusal> {
    let linked = site.accounts.confirmation(token(&given)).await?;
    Ok(asked(linked, &CONFIRM))
}

/// Confirms it.
pub(super) async fn confirmed(State(site): State<Site>, Path(given): Path<String>) -> Result<Response, Refusal> {
    let linked = site.accounts.prove_by_link(token(&given)).await?;
    Ok(done(linked, &CONFIRM))
}

/// Asks whether notices to the address are to end.
pub(super) async fn unsubscribe(State(site): State<Site>, Path(given): Path<String>) -> Result<Response, Refusal> {
    let linked = site.accounts.unsubscription(token(&given)).await?;
    Ok(asked(linked, &UNSUBSCRIBE))
}

/// Ends them. The body says nothing that is needed: a form's is empty, a mail provider's is `List-Unsubscribe=One-Click`
/// (RFC 8058).
pub(super) async fn unsubscribed(State(site): State<Site>, Path(given): Path<String>) -> Result<Response, Refusal> {
    let linked = site.accounts.unsubscribe(token(&given)).await?;
    Ok(done(linked, &UNSUBSCRIBE))
}

/// The words of one kind of link.
struct Words {
    title: &'static str,
    question: &'static str,
    button: &'static str,
    done: &'static str,
    after: &'static str,
    gone: &'static str,
}

const CONFIRM: Words = Words {
    title: "Confirm an address",
    question: "Somebody asked stormbell to send severe-weather notices to this address. Nothing is sent before you confirm it.",
    button: "Yes, send notices here",
    done: "Confirmed. Notices go to this address from now on.",
    after: "Every one of them carries a link that ends them.",
    gone: "This link is used, too old or incomplete. The newest mail has one that works; or register the place again for another.",
};

const UNSUBSCRIBE: Words = Words {
    title: "End notices",
    question: "Shall stormbell send no more notices to this address?",
    button: "Yes, end them",
    done: "Ended. Nothing more is sent to this address, and what was waiting is dropped.",
    after: "Keep a weather radio and your phone's emergency alerts on.",
    gone: "This link is not one of ours, or incomplete. Copy it whole from the mail.",
};

fn asked(linked: Option<LinkedAddress>, words: &Words) -> Response {
    let Some(linked) = linked else { return gone(words) };
    let main = html! {
        h1 { (words.title) }
        p.address { strong { (linked.address.to) } }
        p { (words.question) }
        // To this very address: the token stays in it.
        form method="post" { button.main type="submit" { (words.button) } }
    };
    page(StatusCode::OK, words.title, main)
}

fn done(linked: Option<LinkedAddress>, words: &Words) -> Response {
    let Some(linked) = linked else { return gone(words) };
    let main = html! {
        h1 { (words.title) }
        p.address { strong { (linked.address.to) } }
        p.done role="status" { (words.done) }
        p { (words.after) }
    };
    page(StatusCode::OK, words.title, main)
}

fn gone(words: &Words) -> Response {
    page(StatusCode::NOT_FOUND, words.title, html! { h1 { (words.title) } p { (words.gone) } })
}

fn page(status: StatusCode, title: &'static str, main: Markup) -> Response {
    let page = Frame::new(title, Shelf::None).page(html! { div.alone { (main) } });
    (status, [(REFERRER_POLICY, "no-referrer")], page).into_response()
}
