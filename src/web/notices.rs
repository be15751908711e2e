//! Where notices go: push in this browser and others, email addresses and the codes that prove them.

use super::Site;
use super::fields::Fields;
use super::frame::{Frame, Shelf};
use super::refusal::Refusal;
use super::visitor::Visitor;
use super::words::utc_words;
use crate::notice::{Address, AddressProof, Browser, ChannelKind};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    done: String,
}

fn done(word: &str) -> Option<&'static str> {
    match word {
        "proven" => Some("The address is confirmed. Notices go there from now on."),
        "forgotten" => Some("That browser gets no push any more."),
        _ => None,
    }
}

/// The page.
pub(super) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Markup, Refusal> {
    page(&site, &visitor, done(&asked.done), None).await
}

/// Proves an address by its code.
pub(super) async fn code(State(site): State<Site>, visitor: Visitor, fields: Fields) -> Result<Response, Refusal> {
    let address = Address { kind: ChannelKind::Email, to: fields.get("address").to_owned() };
    // As people copy it: with blanks and dashes.
    let code: String = fields.get("code").chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    if site.accounts.prove_by_code(&visitor.owner, &address, &code).await? {
        return Ok(Redirect::to("/notices?done=proven").into_response());
    }
    let page = page(&site, &visitor, None, Some(&address.to)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// Takes a browser off the list.
pub(super) async fn forget(State(site): State<Site>, visitor: Visitor, fields: Fields) -> Result<Redirect, Refusal> {
    let browsers = site.accounts.browsers(&visitor.owner).await?;
    let browser = browsers.into_iter().find(|browser| browser.id == fields.get("browser")).ok_or(Refusal::NotFound)?;
    site.accounts.remove_browser(&visitor.owner, &browser.endpoint).await?;
    Ok(Redirect::to("/notices?done=forgotten"))
}

async fn page(
    site: &Site,
    visitor: &Visitor,
    done: Option<&'static str>,
    wrong_code_of: Option<&str>,
) -> Result<Markup, Refusal> {
    let browsers = site.accounts.browsers(&visitor.owner).await?;
    let mut addresses = site.accounts.addresses(&visitor.owner).await?;
    addresses.retain(|proof| proof.address.kind == ChannelKind::Email);
    let main = html! {
        h1 { "Where notices go" }
        div.columns {
            (push(site, &browsers))
            (emails(&addresses, wrong_code_of))
        }
    };
    Ok(Frame::new("Notices", Shelf::Notices).of(visitor).done(done).page(main))
}

fn push(site: &Site, browsers: &[Browser]) -> Markup {
    let key = site.accounts.vapid_public_key();
    html! {
        section aria-labelledby="push-title" {
            h2 #push-title { "Push to browsers" }
            @match &key {
                None => p { "Web push is not set up here: run " code { "stormbell init" } ", then set " code { "[channels.web_push] enabled" } " and start stormbell anew." }
                Some(key) => {
                    // The script says what holds for this browser, and shows the button that fits.
                    div #push .card data-key=(key) data-browsers=(browsers.iter().map(|b| b.id.as_str()).collect::<Vec<_>>().join(" ")) {
                        h3 { "This browser" }
                        p #push-state aria-live="polite" { "Looking whether this browser takes push…" }
                        button #push-on .main type="button" hidden { "Turn push on" }
                        button #push-off type="button" hidden { "Turn push off" }
                        noscript { p { "Push needs scripts." } }
                    }
                }
            }
            h3 { "Your browsers" }
            div #browsers data-live {
                @if browsers.is_empty() { p { "None yet." } }
                ul.cards {
                    @for browser in browsers {
                        li.card {
                            p { strong { (browser.label) } }
                            p.note { "since " (utc_words(browser.created_utc)) }
                            @if browser.refusals >= 5 {
                                p.blind { "Its push service refuses: notices go to your other channels. Turn push off and on again in that browser." }
                            }
                            form method="post" action="/notices/forget" {
                                button type="submit" name="browser" value=(browser.id) { "Remove" span.unseen { " " (browser.label) } }
                            }
                        }
                    }
                }
            }
            p.note { "A place is told by push only where its settings say so: tick “my browsers” there." }
        }
    }
}

fn emails(addresses: &[AddressProof], wrong_code_of: Option<&str>) -> Markup {
    html! {
        section aria-labelledby="email-title" {
            h2 #email-title { "Email" }
            @if let Some(address) = wrong_code_of {
                p.wrong role="alert" { "That is not the code of " (address) ", or it is too old. Look for the newest mail, or ask for another." }
            }
            @if addresses.is_empty() { p { "None yet. Name an address with a place; it gets a question first." } }
            ul.cards {
                @for (number, proof) in addresses.iter().enumerate() { li.card { (email(number, proof)) } }
            }
        }
    }
}

fn email(number: usize, proof: &AddressProof) -> Markup {
    let field = format!("code-{number}");
    html! {
        p { strong { (proof.address.to) } }
        @match (proof.unsubscribed_utc, proof.proven_utc) {
            (Some(at), _) => p.blind { "Unsubscribed at " (utc_words(at)) ". Save a place with this address to ask anew." }
            (None, Some(at)) => p.note { "Confirmed at " (utc_words(at)) }
            (None, None) if proof.is_own => p.note { "Named in the configuration of this stormbell: it needs no confirmation." }
            (None, None) => {
                p.blind { "Not confirmed yet: nothing is sent there." }
                form.code method="post" action="/notices/code" {
                    input type="hidden" name="address" value=(proof.address.to);
                    label for=(field) { "Code from the mail" span.unseen { " to " (proof.address.to) } }
                    input id=(field) name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required maxlength="20";
                    button type="submit" { "Confirm" }
                }
            }
        }
    }
}
