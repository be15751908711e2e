//! When to pay attention: the first of the four kinds of evidence that says so.

use super::*;
use crate::threat::tests::scene::{minutes, outlook, plain, product};
use crate::warning::Tags;

/// Window and end for an outlook of this category alone.
fn by_category(category: Option<Category>, unseen: bool) -> (&'static str, Option<Timestamp>) {
    let window = attention_window(&[], None, Some(&outlook(category, None)), unseen);
    (window.window, window.until_utc)
}

#[test]
fn from_a_slight_risk_on_attention_is_called_for_until_the_outlook_expires() {
    let expires: Timestamp = "2026-06-11T12:00:00Z".parse().unwrap();
    for category in [Category::Slgt, Category::Enh, Category::Mdt, Category::High] {
        assert_eq!(by_category(Some(category), false), ("through the outlook period", Some(expires)), "{category:?}");
        assert_eq!(by_category(Some(category), true), ("through the outlook period", Some(expires)), "{category:?}");
    }
    for category in [None, Some(Category::Tstm), Some(Category::Mrgl)] {
        assert_eq!(by_category(category, false), ("none", None), "{category:?}");
    }
    // A probability alone is none of the window's business, as in severe.md.
    let torn = attention_window(&[], None, Some(&outlook(None, Some(10))), false);
    assert_eq!(torn.window, "none");
    let reasoning = attention_window(&[], None, Some(&outlook(Some(Category::Enh), None)), false).reasoning;
    assert!(reasoning.contains(Category::Enh.description()), "{reasoning}");
}

#[test]
fn a_warning_comes_before_an_echo_and_an_echo_before_an_outlook() {
    let risk = outlook(Some(Category::Mdt), None);
    let until = |event: &str, minute| WarningSight { until_utc: Some(minutes(minute)), ..plain(event, 20.0) };
    let two = [until("Severe Thunderstorm Warning", 20), until("Tornado Warning", 45)];
    let window = attention_window(&two, Some(60.0), Some(&risk), true);
    assert_eq!((window.window, window.until_utc), ("now", Some(minutes(45))));
    let window = |warnings: &[WarningSight], dbz| attention_window(warnings, dbz, Some(&risk), false).window;
    assert_eq!(window(&[], Some(50.0)), "next 1-2 hours");
    assert_eq!(window(&[], Some(49.9)), "through the outlook period");
    // Neither a watch nor what has not begun is a warning in effect.
    let coming = WarningSight { phase: Phase::Coming, ..product("Tornado Warning", 0.0, Tags::default(), None) };
    assert_eq!(window(&[plain("Tornado Watch", 0.0), coming], None), "through the outlook period");
}

#[test]
fn out_of_sight_is_said_as_unknown_where_nothing_calls_for_attention() {
    let window = attention_window(&[], None, None, true);
    assert_eq!((window.window, window.until_utc), ("none", None));
    assert!(window.reasoning.starts_with("unknown"), "{}", window.reasoning);
    let window = attention_window(&[], None, Some(&outlook(Some(Category::Mrgl), None)), true);
    assert!(window.reasoning.starts_with("unknown"), "{}", window.reasoning);
    assert!(!attention_window(&[], None, None, false).reasoning.contains("unknown"));
}
