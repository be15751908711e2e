//! The first page: the map, the list, and the form to add a place.

use super::fields::Fields;
use super::form::{self, Draft, Offer, Wrong};
use super::frame::{Frame, Shelf};
use super::refusal::{Refusal, words_of};
use super::visitor::Visitor;
use super::{Site, list, map};
use crate::desk::{Asked, DeskError, Waiting};
use crate::notice::{AddressProof, ChannelKind};
use crate::plot::sheet::Window;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

/// The narrowest first view of the map around an owner's places, km: an hour of a fast storm to every side.
const VIEW_KM_MIN: f64 = 320.0;

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Where {
    page: usize,
    done: String,
}

/// What has just been done, by the word that the address carries.
pub(super) fn done(word: &str) -> Option<&'static str> {
    match word {
        "added" => Some("It is watched from now on."),
        "stood" => Some("That place was watched already; nothing was changed."),
        "joined" => Some("That place was watched already. The address was added; nothing else was changed."),
        "asked" => Some("That place was watched already. The address gets nothing but a question first: see Notices."),
        "unasked" => Some(
            "That place was watched already. The address could not be asked: too many questions went out today. Save the place again tomorrow.",
        ),
        "limit" => Some(
            "It is watched from now on. The new address could not be asked: too many questions went out today. Save the place again tomorrow.",
        ),
        "waiting" => Some("It is watched from now on. The new address gets nothing but a question first: see Notices."),
        "removed" => Some("It is not watched any more. What waited to be told of it is dropped; its journal is kept."),
        _ => None,
    }
}

/// The page.
pub(super) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Query(asked): Query<Where>,
) -> Result<Markup, Refusal> {
    let ground = Ground::of(&site, &visitor).await?;
    let draft = Draft::fresh(&ground.addresses, ground.browsers > 0);
    page(&site, &visitor, &asked, &ground, &draft, None).await
}

/// Adds a point, or shows the form again with what is wrong.
pub(super) async fn add(State(site): State<Site>, visitor: Visitor, fields: Fields) -> Result<Response, Refusal> {
    let draft = Draft::read(&fields);
    let wrong = match draft.new_point(&visitor.owner) {
        Err(wrong) => wrong,
        Ok(wanted) => match site.desk.register(wanted).await {
            Ok(registered) => {
                let is_out = |waiting: &Waiting| waiting.asked == Asked::LimitReached;
                let is_one_out = registered.waiting.iter().any(is_out);
                let is_asked = |waiting: &Waiting| waiting.asked != Asked::NoBrowser;
                let is_one_asked = registered.waiting.iter().any(is_asked);
                let word = match registered.created {
                    false if is_one_out => "unasked",
                    false if is_one_asked => "asked",
                    false if !registered.added.is_empty() => "joined",
                    false => "stood",
                    true if is_one_out => "limit",
                    true if is_one_asked => "waiting",
                    true => "added",
                };
                return Ok(Redirect::to(&format!("/?done={word}")).into_response());
            }
            Err(error @ DeskError::Store(_)) => return Err(error.into()),
            Err(error) => of_desk(&error),
        },
    };
    let ground = Ground::of(&site, &visitor).await?;
    let page = page(&site, &visitor, &Where::default(), &ground, &draft, Some(&wrong)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// A refusal of the desk beside the field that it is about.
pub(super) fn of_desk(error: &DeskError) -> Wrong {
    let field = match error {
        DeskError::Invalid { field: "name", .. } => "name",
        DeskError::Invalid { field: "until_utc", .. } => "until",
        DeskError::Invalid { field: "channels" | "addresses", .. } => "new_email",
        _ => "form",
    };
    // The desk speaks of fields and UTC; the form has the clock of the place.
    let words = match field {
        "until" => "That time is past already, by the clock of the place.".to_owned(),
        _ => words_of(error),
    };
    Wrong::new(field, words)
}

/// What forms need to know of an owner.
pub(super) struct Ground {
    pub addresses: Vec<AddressProof>,
    pub browsers: usize,
    pub has_push: bool,
}

impl Ground {
    pub async fn of(site: &Site, visitor: &Visitor) -> Result<Self, DeskError> {
        let mut addresses = site.accounts.addresses(&visitor.owner).await?;
        addresses.retain(|proof| proof.address.kind == ChannelKind::Email);
        let browsers = site.accounts.browsers(&visitor.owner).await?.len();
        Ok(Self { addresses, browsers, has_push: site.accounts.vapid_public_key().is_some() })
    }

    pub fn offer(&self) -> Offer<'_> {
        Offer { addresses: &self.addresses, browsers: self.browsers, has_push: self.has_push }
    }
}

async fn page(
    site: &Site,
    visitor: &Visitor,
    asked: &Where,
    ground: &Ground,
    draft: &Draft,
    wrong: Option<&Wrong>,
) -> Result<Markup, Refusal> {
    let mut watched = site.desk.watched(&visitor.owner).await?;
    let now = site.desk.now();
    list::sort(&mut watched);
    let window = Window::around(watched.iter().map(|one| one.point.at), VIEW_KM_MIN).unwrap_or_else(Window::nation);
    let main = html! {
        h1.unseen { "Map and watched places" }
        div.home {
            (list::list(&watched, asked.page, now))
            (map::map(&watched, window, true))
            section #add .add aria-labelledby="add-title" {
                h2 #add-title { "Add a place" }
                form method="post" action="/points" {
                    (form::fields(draft, ground.offer(), wrong, true))
                    button.main type="submit" { "Watch this place" }
                }
            }
        }
    };
    Ok(Frame::new("Map and places", Shelf::Points)
        .of(visitor)
        .live(now, site.options.recorded_to_utc)
        .done(done(&asked.done))
        .page(main))
}
