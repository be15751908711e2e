//! Logging in by a link or a typed token, and out again.

use super::Site;
use super::fields::Fields;
use super::frame::{Frame, Shelf};
use super::refusal::Refusal;
use super::visitor::{Visitor, set_cookie};
use axum::extract::{Query, State};
use axum::http::header::{REFERRER_POLICY, RETRY_AFTER, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use serde::Deserialize;

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    token: String,
}

/// A link: the token becomes a cookie and leaves the address at once.
pub(super) async fn login(State(site): State<Site>, Query(asked): Query<Asked>) -> Result<Response, Refusal> {
    if asked.token.is_empty() {
        return Ok(page(StatusCode::OK, None));
    }
    enter(&site, &asked.token).await
}

/// The same, typed.
pub(super) async fn typed(State(site): State<Site>, fields: Fields) -> Result<Response, Refusal> {
    enter(&site, fields.get("token")).await
}

async fn enter(site: &Site, token: &str) -> Result<Response, Refusal> {
    Ok(match Visitor::by_token(token.trim(), site).await? {
        Some(_) => {
            let headers = [(SET_COOKIE, set_cookie(token.trim(), site)), (REFERRER_POLICY, "no-referrer".to_owned())];
            (headers, Redirect::to("/")).into_response()
        }
        None => match site.note_wrong() {
            None => page(StatusCode::UNAUTHORIZED, Some("That token is not known here, or it has been revoked.")),
            Some(wait_s) => wait(wait_s),
        },
    })
}

/// Takes the cookie away.
pub(super) async fn logout(State(site): State<Site>) -> Response {
    ([(SET_COOKIE, set_cookie("", &site))], Redirect::to("/login")).into_response()
}

/// What somebody without a good cookie sees instead of a page.
pub(super) fn asked() -> Response {
    page(StatusCode::UNAUTHORIZED, None)
}

/// What stands in place of an answer to one wrong token too many.
pub(super) fn wait(wait_s: u64) -> Response {
    let why = format!("Too many wrong tokens came in. Wait {wait_s} seconds, and look at the token again.");
    let refused = page(StatusCode::TOO_MANY_REQUESTS, Some(&why));
    ([(RETRY_AFTER, HeaderValue::from(wait_s))], refused).into_response()
}

fn page(status: StatusCode, wrong: Option<&str>) -> Response {
    let main = html! {
        div.alone {
            h1 { "Sign in" }
            @if let Some(why) = wrong { p.wrong role="alert" { (why) } }
            p { "Your places are shown to you alone. Open the link that you were given, or type its token." }
            form method="post" action="/login" {
                div.field {
                    label for="token" { "Token" }
                    input #token name="token" type="password" required maxlength="256" autocomplete="current-password";
                }
                button.main type="submit" { "Sign in" }
            }
            p.note {
                "No link yet? Whoever runs this stormbell makes one with " code { "stormbell owner add NAME" }
                " and shows it once."
            }
        }
    };
    let page = Frame::new("Sign in", Shelf::None).page(main);
    (status, [(REFERRER_POLICY, "no-referrer")], page).into_response()
}
