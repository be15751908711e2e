//! What is below the level that was asked for, and stands.

use super::*;

/// Who is told of extreme alone hears that it is below that: what stands is in the subject, at three in the morning.
#[test]
fn below_the_level_that_was_asked_for_is_no_all_clear_while_something_stands() {
    let change = change(
        "2026-06-10T22:10:00Z",
        Level::Extreme,
        Level::Significant,
        vec![rotation(None)],
        vec![tornado_warning()],
        Vec::new(),
    );
    let point = WatchPoint { min_level: Level::Extreme, ..unionville() };
    let mut event = event(NoticeReason::AllClear, "2026-06-10T22:10:00Z", Told::of_change(&point, &change));
    event.ending = Some(Ending::Cancelled);
    let rendered = compose(&event);
    is_sound(&rendered);
    reads_as("below_still_significant", &rendered);
    assert_eq!(rendered.subject, "Below your level at unionville: higher threat cancelled, still SIGNIFICANT");
    let everywhere = [&rendered.subject, &rendered.text, &rendered.html, &rendered.short.title, &rendered.short.body];
    for words in everywhere {
        let words = words.to_lowercase();
        assert!(!words.contains("all clear") && !words.contains("threat ended"), "{words}");
    }
    assert!(rendered.short.body.contains("significant stands") && rendered.short.body.contains("rotation"));
}
