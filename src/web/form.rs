//! The form for a watch point, new or changed: its fields, what was typed into them, what is wrong with it.

use super::fields::Fields;
use super::words::Face;
use crate::desk::names::checked_name;
use crate::desk::{NAME_CHARS_MAX, NewWatchPoint, PointUpdate};
use crate::geo::LatLon;
use crate::ground::gazetteer::{self, PlaceError};
use crate::ground::time_zone;
use crate::notice::compose::words::zone;
use crate::notice::{Address, AddressProof, ChannelKind, QuietHours, WatchPoint};
use crate::threat::Level;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Levels that can be asked for, with what they mean.
const LEVELS: [(Level, &str); 4] = [
    (Level::Marginal, "marginal: isolated or distant"),
    (Level::Elevated, "elevated: worth attention"),
    (Level::Significant, "significant: dangerous"),
    (Level::Extreme, "extreme: life-threatening now"),
];

/// What was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Draft {
    pub name: String,
    pub place: String,
    pub min_level: String,
    pub quiet_from: String,
    pub quiet_to: String,
    pub until: String,
    pub push: bool,
    pub emails: BTreeSet<String>,
    pub new_email: String,
}

/// What is wrong with a draft.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wrong {
    /// Which field, by its id in the form.
    pub field: &'static str,
    /// What to do.
    pub why: String,
    /// Places that the words may mean.
    pub choices: Vec<(String, LatLon)>,
}

impl Wrong {
    pub fn new(field: &'static str, why: impl Into<String>) -> Self {
        Self { field, why: why.into(), choices: Vec::new() }
    }
}

/// The terms that a draft asks for, but for its place.
#[derive(Debug, Clone, PartialEq)]
struct Terms {
    name: String,
    min_level: Level,
    addresses: Vec<Address>,
    quiet_hours: Option<QuietHours>,
}

impl Draft {
    /// An empty form: push where a browser of the owner's takes it, and every address that is proven.
    pub fn fresh(addresses: &[AddressProof], has_push: bool) -> Self {
        let proven = addresses.iter().filter(|proof| proof.is_proven());
        Self {
            min_level: Level::Elevated.as_str().to_owned(),
            push: has_push,
            emails: proven.filter_map(email).collect(),
            ..Self::default()
        }
    }

    /// A point as it stands.
    pub fn of(point: &WatchPoint) -> Self {
        let all = point.addresses.iter().chain(&point.waiting);
        let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        let zone = zone(point.time_zone.as_deref()).unwrap_or(TimeZone::UTC);
        Self {
            name: point.name.clone(),
            place: String::new(),
            min_level: point.min_level.as_str().to_owned(),
            quiet_from: point.quiet_hours.map(|hours| clock(hours.from_min)).unwrap_or_default(),
            quiet_to: point.quiet_hours.map(|hours| clock(hours.to_min)).unwrap_or_default(),
            until: point
                .until_utc
                .map(|at| ZonedDateTime::new(at, zone).strftime("%Y-%m-%dT%H:%M").to_string())
                .unwrap_or_default(),
            push: all.clone().any(|address| address.kind == ChannelKind::WebPush),
            emails: all
                .filter(|address| address.kind == ChannelKind::Email)
                .map(|address| address.to.clone())
                .collect(),
            new_email: String::new(),
        }
    }

    /// What was posted.
    pub fn read(fields: &Fields) -> Self {
        let chosen = fields.get("chosen");
        Self {
            name: fields.get("name").to_owned(),
            place: if chosen.is_empty() { fields.get("place") } else { chosen }.to_owned(),
            min_level: fields.get("min_level").to_owned(),
            quiet_from: fields.get("quiet_from").to_owned(),
            quiet_to: fields.get("quiet_to").to_owned(),
            until: fields.get("until").to_owned(),
            push: fields.has("push"),
            emails: fields.all("email").map(str::to_owned).collect(),
            new_email: fields.get("new_email").to_owned(),
        }
    }

    /// A new point of `owner`.
    pub fn new_point(&self, owner: &str) -> Result<NewWatchPoint, Wrong> {
        let terms = self.terms()?;
        let at = located(&self.place)?;
        let until_utc = self.until(time_zone(at))?;
        let Terms { name, min_level, addresses, quiet_hours } = terms;
        let owner = owner.to_owned();
        Ok(NewWatchPoint { owner, name, at, min_level, addresses, until_utc, client_token: None, quiet_hours })
    }

    /// What is to be different about a point.
    pub fn update(&self, point: &WatchPoint) -> Result<PointUpdate, Wrong> {
        let Terms { name, min_level, addresses, quiet_hours } = self.terms()?;
        Ok(PointUpdate {
            name: Some(name),
            min_level: Some(min_level),
            addresses: Some(addresses),
            quiet_hours: Some(quiet_hours),
            until_utc: Some(self.until(point.time_zone.as_deref())?),
            snooze_until_utc: None,
        })
    }

    fn terms(&self) -> Result<Terms, Wrong> {
        if let Err(why) = checked_name(&self.name, NAME_CHARS_MAX) {
            return Err(Wrong::new("name", format!("Give it a name of 1 to {NAME_CHARS_MAX} characters: it {why}.")));
        }
        let min_level: Level = self.min_level.parse().map_err(|_| Wrong::new("min_level", "Choose a level."))?;
        let quiet_hours = match (self.quiet_from.as_str(), self.quiet_to.as_str()) {
            ("", "") => None,
            (from, to) => Some(format!("{from}-{to}").parse().map_err(|_| {
                Wrong::new("quiet_from", "Give quiet hours a beginning and another end, or leave both empty.")
            })?),
        };
        let email = |to: &str| Address { kind: ChannelKind::Email, to: to.to_owned() };
        let mut addresses: Vec<Address> = self.emails.iter().map(|to| email(to)).collect();
        if !self.new_email.is_empty() {
            if !self.new_email.contains('@') || self.new_email.contains(char::is_whitespace) {
                return Err(Wrong::new("new_email", "That is not an email address."));
            }
            addresses.push(email(&self.new_email));
        }
        if self.push {
            addresses.push(Address { kind: ChannelKind::WebPush, to: String::new() });
        }
        Ok(Terms { name: self.name.clone(), min_level, addresses, quiet_hours })
    }

    fn until(&self, zone_name: Option<&str>) -> Result<Option<Timestamp>, Wrong> {
        if self.until.is_empty() {
            return Ok(None);
        }
        let wrong = |_| Wrong::new("until", "Give the day and the time at which watching ends, or leave it empty.");
        let local: DateTime = self.until.parse().map_err(wrong)?;
        let zoned = local.to_zoned_datetime(zone(zone_name).unwrap_or(TimeZone::UTC)).map_err(wrong)?;
        Ok(Some(zoned.timestamp()))
    }
}

fn email(proof: &AddressProof) -> Option<String> {
    (proof.address.kind == ChannelKind::Email).then(|| proof.address.to.clone())
}

/// The place that words or coordinates mean.
pub(super) fn located(words: &str) -> Result<LatLon, Wrong> {
    let error = match gazetteer::resolve(words) {
        Ok(candidate) => return Ok(candidate.at),
        Err(error) => error,
    };
    let (why, candidates) = match error {
        PlaceError::NoQuery => ("Type a place or coordinates, or click on the map.".to_owned(), Vec::new()),
        PlaceError::Unknown { query, close } if close.is_empty() => {
            (format!("No place {query:?} is known. Give its state too, a ZIP code, or click on the map."), close)
        }
        PlaceError::Unknown { query, close } => (format!("No place {query:?} is known. Is one of these meant?"), close),
        PlaceError::Ambiguous { query, candidates, .. } => {
            (format!("{query:?} may be one of several. Which? Or give its state or ZIP code."), candidates)
        }
        other @ (PlaceError::OutsideConus { .. } | PlaceError::Geo(_)) => (other.to_string(), Vec::new()),
    };
    let choices = candidates.into_iter().filter(|candidate| candidate.in_conus);
    let choices = choices.map(|candidate| (candidate.query(), candidate.at)).collect();
    Err(Wrong { field: "place", why, choices })
}

/// What the form needs to know of its owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer<'a> {
    /// The owner's addresses.
    pub addresses: &'a [AddressProof],
    /// Browsers that take push.
    pub browsers: usize,
    /// Whether web push is set up here at all.
    pub has_push: bool,
}

/// The fields of a draft. A new point has a place; one that stands keeps its own.
pub(super) fn fields(draft: &Draft, offer: Offer<'_>, wrong: Option<&Wrong>, is_new: bool) -> Markup {
    let invalid = |field: &str| wrong.is_some_and(|wrong| wrong.field == field).then_some("true");
    let said = |field: &str| wrong.is_some_and(|wrong| wrong.field == field).then_some("wrong");
    html! {
        @if let Some(wrong) = wrong {
            div #wrong .wrong role="alert" tabindex="-1" {
                p { (wrong.why) }
                @if !wrong.choices.is_empty() {
                    ul.choices {
                        @for (name, at) in &wrong.choices {
                            li { button type="submit" name="chosen" value=(format!("{:.4}, {:.4}", at.lat(), at.lon())) { (name) } }
                        }
                    }
                }
            }
        }
        @if is_new {
            div.field {
                label for="place" { "Place" }
                input #place name="place" type="text" required maxlength="120" autocomplete="off" value=(draft.place)
                    aria-invalid=[invalid("place")] aria-describedby=(said("place").unwrap_or("place-hint"));
                p #place-hint .hint { "A town (Norman, OK), a ZIP code, or coordinates (35.22, -97.44). Or click on the map." }
            }
        }
        div.field {
            label for="name" { "Name" }
            input #name name="name" type="text" required maxlength=(NAME_CHARS_MAX) autocomplete="off" value=(draft.name)
                aria-invalid=[invalid("name")] aria-describedby=[said("name")];
        }
        div.field {
            label for="min_level" { "Tell me from" }
            select #min_level name="min_level" aria-invalid=[invalid("min_level")] {
                @for (level, words) in LEVELS {
                    option value=(level) selected[draft.min_level == level.as_str()] { (words) }
                }
            }
        }
        fieldset {
            legend { "Tell it to" }
            @if offer.has_push {
                label.tick {
                    input type="checkbox" name="push" value="yes" checked[draft.push];
                    span {
                        "my browsers (push"
                        @if offer.browsers == 0 { "; none yet: turn it on under Notices" } @else { "; " (offer.browsers) " now" }
                        ")"
                    }
                }
            }
            @for proof in offer.addresses.iter().filter(|proof| proof.address.kind == ChannelKind::Email) {
                label.tick {
                    input type="checkbox" name="email" value=(proof.address.to)
                        checked[draft.emails.contains(&proof.address.to)];
                    span { (proof.address.to) @if !proof.is_proven() { " (not confirmed yet)" } }
                }
            }
            div.field {
                label for="new_email" { "Another email address" }
                input #new_email name="new_email" type="email" maxlength="254" autocomplete="email" value=(draft.new_email)
                    aria-invalid=[invalid("new_email")] aria-describedby="new_email-hint";
                p #new_email-hint .hint { "It gets nothing but a question first: whether it is yours." }
            }
        }
        details open[!draft.quiet_from.is_empty() || !draft.until.is_empty() || invalid("quiet_from").or(invalid("until")).is_some()] {
            summary { "Quiet hours, and an end" }
            div.pair {
                div.field {
                    label for="quiet_from" { "Quiet from" }
                    input #quiet_from name="quiet_from" type="time" value=(draft.quiet_from)
                        aria-invalid=[invalid("quiet_from")] aria-describedby="quiet-hint";
                }
                div.field {
                    label for="quiet_to" { "to" }
                    input #quiet_to name="quiet_to" type="time" value=(draft.quiet_to) aria-describedby="quiet-hint";
                }
            }
            p #quiet-hint .hint {
                "In the place's own time. Significant, extreme and every new highest level are told all the same; the rest "
                "is told afterwards, with what is over already."
            }
            div.field {
                label for="until" { "Watch until" }
                input #until name="until" type="datetime-local" value=(draft.until) aria-invalid=[invalid("until")]
                    aria-describedby="until-hint";
                p #until-hint .hint { "In the place's own time. Left empty, it is watched until it is removed." }
            }
        }
    }
}

/// Until when a snooze until morning lasts: the end of the quiet hours, else seven o'clock of the place.
pub(super) fn morning(point: &WatchPoint, now: Timestamp) -> Timestamp {
    const SEVEN: i8 = 7;
    let zone = Face::of(point, now).zone();
    if let Some(end) = point.quiet_hours.and_then(|hours| hours.end_after(now, Some(&zone))) {
        return end;
    }
    let local = ZonedDateTime::new(now, zone.clone());
    let day = if local.hour() < SEVEN { Some(local.date()) } else { local.date().tomorrow().ok() };
    let seven = day.and_then(|day| day.at(SEVEN, 0, 0, 0).to_zoned_datetime(zone).ok());
    seven.map_or(now, |seven| seven.timestamp())
}

#[cfg(test)]
mod tests;
