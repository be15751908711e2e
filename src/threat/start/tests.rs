//! Both sides of both waits.

use super::*;
use crate::observation::{MRMS, Observation, Report};
use crate::threat::tests::scene::{minutes, now};
use crate::warning::WarningSnapshot;
use std::sync::Arc;

const SOURCES: [SourceName; 2] = [MRMS, NWS_WARNINGS];

fn after(seconds: i64) -> Timestamp {
    later(now(), SignedDuration::from_secs(seconds))
}

fn poll(picture: &mut Picture, source: SourceName, second: i64, good: bool) {
    let snapshot = WarningSnapshot { updated_utc: Some(after(second)), ..WarningSnapshot::default() };
    let warnings = (good && source == NWS_WARNINGS).then(|| Observation::Warnings(Arc::new(snapshot)));
    let observations = warnings.into_iter().collect();
    picture.take(&Report { source, polled_utc: after(second), good, observations, faults: Vec::new() });
}

#[test]
fn nothing_is_judged_until_every_source_was_polled_or_five_seconds_have_passed() {
    let mut picture = Picture::default();
    let opening = |picture: &Picture, second| is_opening(picture, SOURCES.iter(), now(), after(second));
    assert!(opening(&picture, 0) && opening(&picture, 4) && !opening(&picture, 5));
    poll(&mut picture, MRMS, 0, true);
    assert!(opening(&picture, 1));
    // A failed poll is an answer too.
    poll(&mut picture, NWS_WARNINGS, 1, false);
    assert!(!opening(&picture, 1));
}

#[test]
fn nothing_is_lowered_until_every_source_was_heard_or_two_minutes_have_passed() {
    let mut picture = Picture::default();
    let settling = |picture: &Picture, second| is_settling(picture, SOURCES.iter(), now(), after(second));
    assert!(settling(&picture, 119) && !settling(&picture, 120));
    poll(&mut picture, NWS_WARNINGS, 0, true);
    poll(&mut picture, NWS_WARNINGS, 30, true);
    poll(&mut picture, MRMS, 31, false);
    assert!(settling(&picture, 60), "a poll that failed tells nothing");
    poll(&mut picture, MRMS, 60, true);
    assert!(!settling(&picture, 60));
}

#[test]
fn one_poll_of_the_warnings_does_not_tell_what_is_gone() {
    let mut picture = Picture::default();
    poll(&mut picture, MRMS, 0, true);
    poll(&mut picture, NWS_WARNINGS, 0, true);
    poll(&mut picture, NWS_WARNINGS, 15, true);
    assert!(is_settling(&picture, SOURCES.iter(), now(), after(16)));
    poll(&mut picture, NWS_WARNINGS, 30, true);
    assert!(!is_settling(&picture, SOURCES.iter(), now(), after(30)));
    // Where nobody asks for warnings, nobody waits for them.
    assert!(!is_settling(&picture, [MRMS].iter(), minutes(-1), after(0)));
}

#[test]
fn what_one_life_keeps_the_next_one_knows() {
    let mut picture = Picture::default();
    assert!(to_remember(&picture).iter().all(|(_, kept)| kept.as_deref().unwrap_or_default().is_empty()));
    poll(&mut picture, NWS_WARNINGS, 0, true);
    picture.reported_before_utc = Some(minutes(-5));
    let kept = to_remember(&picture);
    let mut next = Picture::default();
    for (name, text) in &kept {
        remember(&mut next, name, text.as_ref().unwrap(), now());
        remember(&mut next, name, "garbage", now());
    }
    remember(&mut next, "mrms", "2031-05-09T21:00:00Z", now());
    assert_eq!(next.warnings.updated_utc, Some(now()));
    assert_eq!(next.reported_before_utc, Some(minutes(-5)));
    poll(&mut next, NWS_WARNINGS, 30, true);
    assert_eq!(to_remember(&next)[1].1.as_deref(), Some("0"));
}
