//! Answers about one watch point, named by its id or by a name that only one has.

use super::{each, owned};
use crate::app::AppError;
use crate::cli::fail::Failure;
use crate::cli::records;
use crate::desk::explain::explained;
use crate::desk::{Desk, DeskError, LOCAL_OWNER, PointUpdate, WatchedPoint};
use crate::mcp::tools::watch::explained::envelope;
use crate::notice::{Address, ChannelKind};
use crate::threat::Level;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The word that takes a value away.
const AWAY: &str = "none";

/// What is to be different, as typed: checked where the clock is that it is meant for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typed {
    /// A new name.
    pub name: Option<String>,
    /// A new level.
    pub min_level: Option<Level>,
    /// Quiet hours, or `none`.
    pub quiet_hours: Option<String>,
    /// An instant or a stretch of time, or `none`.
    pub until: Option<String>,
    /// Likewise.
    pub snooze: Option<String>,
    /// Where notices go; `None` leaves it.
    pub addresses: Option<Vec<Address>>,
    /// Whether no email address is left; what else stands stays. With `addresses` it says nothing more.
    #[serde(default)]
    pub no_email: bool,
}

/// The id of the point that is meant. Several may have one name: then the id is needed.
async fn id_of(desk: &dyn Desk, which: &str) -> Result<String, Failure> {
    let watched = desk.watched(LOCAL_OWNER).await.map_err(AppError::from)?;
    let of = |has: &dyn Fn(&WatchedPoint) -> bool| -> Vec<String> {
        watched.iter().filter(|watched| has(watched)).map(|watched| watched.point.id.clone()).collect()
    };
    let by_id = of(&|watched| watched.point.id == which);
    let by_name = of(&|watched| watched.point.name == which);
    let by_any_case = of(&|watched| watched.point.name.to_lowercase() == which.to_lowercase());
    let found = [by_id, by_name, by_any_case].into_iter().find(|ids| !ids.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [] => Err(AppError::NotFound { what: "watch point", id: which.to_owned() }.into()),
        [id] => Ok(id.clone()),
        several => {
            let message = format!("{} watch points are called {which:?}: {}", several.len(), several.join(", "));
            Err(Failure::usage(message, "give the id"))
        }
    }
}

pub(super) async fn update(desk: &dyn Desk, which: &str, typed: &Typed) -> Result<Value, Failure> {
    let id = id_of(desk, which).await?;
    let mut update = checked(typed, desk.now())?;
    if typed.no_email && update.addresses.is_none() {
        let watched = desk.watched(LOCAL_OWNER).await.map_err(AppError::from)?;
        let point = watched.into_iter().map(|watched| watched.point).find(|point| point.id == id);
        update.addresses = point.map(|point| without_email(point.addresses));
    }
    let changed = desk.update(LOCAL_OWNER, &id, update).await.map_err(by_option)?;
    Ok(json!({"point": records::watched(owned(changed, &id)?)}))
}

fn checked(typed: &Typed, now: Timestamp) -> Result<PointUpdate, Failure> {
    let quiet = |text: &String| match text.trim() {
        AWAY => Ok(None),
        text => text.parse().map(Some).map_err(|error| Failure::usage(format!("--quiet-hours: {error}"), "")),
    };
    let time = |option: &str, text: &String| match text.trim() {
        AWAY => Ok(None),
        text => instant(text, now).map(Some).map_err(|why| Failure::usage(format!("{option}: {why}"), "")),
    };
    Ok(PointUpdate {
        name: typed.name.clone(),
        min_level: typed.min_level,
        addresses: typed.addresses.clone(),
        quiet_hours: typed.quiet_hours.as_ref().map(quiet).transpose()?,
        until_utc: typed.until.as_ref().map(|text| time("--until", text)).transpose()?,
        snooze_until_utc: typed.snooze.as_ref().map(|text| time("--snooze", text)).transpose()?,
    })
}

/// Where notices still go without email.
fn without_email(addresses: Vec<Address>) -> Vec<Address> {
    addresses.into_iter().filter(|address| address.kind != ChannelKind::Email).collect()
}

/// A refusal by the option that was typed instead of the field that it became. It is wrong usage.
pub(super) fn by_option(error: DeskError) -> Failure {
    let DeskError::Invalid { field, why } = &error else { return AppError::from(error).into() };
    let option = match *field {
        "channels" | "addresses" => "--email",
        "snooze_until_utc" => "--snooze",
        "until_utc" => "--until",
        "quiet_hours" => "--quiet-hours",
        "min_level" => "--min-level",
        field => field,
    };
    Failure::usage(format!("{option}: {why}"), "")
}

/// An instant, or a stretch of time from now.
fn instant(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let stretch = days(text).or_else(|| text.parse::<SignedDuration>().ok()).filter(|stretch| stretch.is_positive());
    stretch.and_then(|stretch| now.checked_add(stretch).ok()).ok_or_else(|| {
        format!("{text:?} is neither a time in RFC 3339 (2026-06-10T21:32:00Z) nor a stretch of time (3h, 90m, 2d)")
    })
}

/// Whole days, which a duration of clock time has no word for.
fn days(text: &str) -> Option<SignedDuration> {
    let days: i64 = text.strip_suffix('d')?.trim().parse().ok()?;
    days.checked_mul(24).map(SignedDuration::from_hours)
}

pub(super) async fn acknowledge(desk: &dyn Desk, which: &str) -> Result<Value, Failure> {
    let id = id_of(desk, which).await?;
    let known = desk.acknowledge(LOCAL_OWNER, &id).await.map_err(AppError::from)?;
    Ok(json!({"point": records::watched(owned(known, &id)?)}))
}

pub(super) async fn send_test(desk: &dyn Desk, which: &str) -> Result<Value, Failure> {
    let id = id_of(desk, which).await?;
    let sent = desk.send_test(LOCAL_OWNER, &id).await.map_err(AppError::from)?;
    let to = |address: Address| json!({"kind": address.kind.as_str(), "to": address.to});
    Ok(json!({"test": {"id": id, "sent_to": each(owned(sent, &id)?, to)}}))
}

pub(super) async fn remove(desk: &dyn Desk, which: &str) -> Result<Value, Failure> {
    let id = id_of(desk, which).await?;
    let removed = desk.unregister(LOCAL_OWNER, &id).await.map_err(AppError::from)?;
    owned(removed.then_some(()), &id)?;
    Ok(json!({"removed": id}))
}

/// The journal outlives a point: what is no name of a point may be the id of a removed one.
pub(super) async fn explain(desk: &dyn Desk, which: &str, at: Option<Timestamp>) -> Result<Value, Failure> {
    let id = match id_of(desk, which).await {
        Err(failure) if failure.kind == "not_found" => which.to_owned(),
        found => found?,
    };
    let now = desk.now();
    let at = at.unwrap_or(now);
    if at > now {
        return Err(Failure::usage(format!("--at: {at} is not past yet; it is {now:.0} now"), ""));
    }
    let explained = explained(desk, LOCAL_OWNER, &id, at).await.map_err(AppError::from)?;
    serde_json::to_value(envelope(&owned(explained, &id)?))
        .map_err(|error| Failure::new("failed", error.to_string(), ""))
}

/// Whether `--email none` was typed: no address is left.
///
/// # Errors
/// Beside an address it says two things at once.
pub fn no_email(emails: &[String]) -> Result<bool, Failure> {
    let away = emails.iter().filter(|to| is_away(to)).count();
    if away > 0 && away < emails.len() {
        return Err(Failure::usage("--email: none stands alone: it takes all addresses away", ""));
    }
    Ok(away > 0)
}

fn is_away(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case(AWAY)
}

/// Channels as options on the command line name them; `None` where none was given. `none` names no address.
pub fn channels(emails: &[String], web_push: bool, nowhere: bool) -> Option<Vec<Address>> {
    let emails = emails.iter().filter(|to| !is_away(to));
    let emails = emails.map(|to| Address { kind: ChannelKind::Email, to: to.trim().to_owned() });
    let push = web_push.then(|| Address { kind: ChannelKind::WebPush, to: String::new() });
    let named: Vec<Address> = emails.chain(push).collect();
    (nowhere || !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-06-10T21:32:00Z".parse().unwrap()
    }

    #[test]
    fn times_are_instants_or_stretches_from_now() {
        let at = |text: &str| instant(text, now()).map(|at| at.to_string());
        assert_eq!(at("2026-06-11T03:00:00Z").unwrap(), "2026-06-11T03:00:00Z");
        assert_eq!(at("3h").unwrap(), "2026-06-11T00:32:00Z");
        assert_eq!(at("90m").unwrap(), "2026-06-10T23:02:00Z");
        assert_eq!(at("2d").unwrap(), "2026-06-12T21:32:00Z");
        for bad in ["", "tomorrow", "-3h", "0h", "2026-06-11", "99999999999999d"] {
            assert!(at(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn none_takes_away_and_nothing_leaves() {
        let typed = Typed { quiet_hours: Some("none".into()), snooze: Some("none".into()), ..Typed::default() };
        let update = checked(&typed, now()).unwrap();
        assert_eq!((update.quiet_hours, update.snooze_until_utc, update.until_utc), (Some(None), Some(None), None));
        let bad = Typed { quiet_hours: Some("late".into()), ..Typed::default() };
        assert!(checked(&bad, now()).unwrap_err().message.contains("22:00-07:00"));
        assert_eq!(channels(&[], false, false), None);
        assert_eq!(channels(&[], false, true), Some(vec![]));
        assert_eq!(channels(&[" me@example.org ".into()], true, false).unwrap().len(), 2);
    }

    #[test]
    fn no_email_stands_alone_and_leaves_the_push() {
        let typed = |words: &[&str]| no_email(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!((typed(&[]), typed(&["None"]), typed(&["a@b.org"])), (Ok(false), Ok(true), Ok(false)));
        assert_eq!(typed(&["a@b.org", "none"]).unwrap_err().exit, 2);
        assert_eq!(channels(&["none".into()], false, false), None);
        let push = Address { kind: ChannelKind::WebPush, to: String::new() };
        let email = Address { kind: ChannelKind::Email, to: "a@b.org".into() };
        assert_eq!(without_email(vec![email, push.clone()]), [push]);
    }

    #[test]
    fn a_refusal_names_the_option_and_is_wrong_usage() {
        let refused = by_option(DeskError::Invalid { field: "snooze_until_utc", why: "at most 7 days".into() });
        assert_eq!((refused.exit, refused.message.as_str()), (2, "--snooze: at most 7 days"));
        assert_eq!(by_option(DeskError::Invalid { field: "name", why: "x".into() }).message, "name: x");
    }
}
