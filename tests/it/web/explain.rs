//! Why it stood there, and why something was told or not: the page says what the tool says.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN};
use crate::fake_desk::{OWN_ADDRESS, door};
use crate::fake_past::past;
use crate::web::{local, served};
use serde_json::{Value, json};
use stormbell::notice::Fate;
use stormbell::threat::Level;

/// What a page says, as a reader reads it.
fn read(page: &str) -> String {
    let plain =
        |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    plain(page)
}

#[tokio::test]
async fn the_page_says_what_the_tool_says_and_what_it_rests_on() {
    let served = local().await;
    let id = served.point("local", "Home").await;
    served.desk.remember(&id, past(&id));
    for at in ["2026-06-10T21:15:00Z", "2026-06-10T21:31:00Z", "2026-06-10T21:14:30Z"] {
        let args = json!({"id": id, "at_utc": at}).as_object().cloned();
        let told = door(&served.desk).call("explain_watch_point", args).await.unwrap().structured_content.unwrap();
        let said = told["interpretation"].as_str().unwrap();
        let (status, page) = served.get(&format!("/points/{id}/explain?at={at}"), "").await;
        assert!(status == 200 && read(&page).contains(&format!(">{said}</p>")), "{said}: {page}");
        let api = served.ask("GET", &format!("/api/points/{id}/explain?at_utc={at}"), "", &[], None).await;
        assert_eq!(api.json::<Value>().await.unwrap()["interpretation"], said);
    }
    let (_, page) = served.get(&format!("/points/{id}/explain?at=2026-06-10T21:15"), "").await;
    for part in [
        "<h1>Why, at Wednesday 10 June 2026, 21:15Z</h1>",
        "data-level=\"extreme\"",
        "Inside a tornado warning: observed, considerable",
        "A tornado warning holds the place: significant.",
        "<code>urn:oid:1</code>",
        "What was told of it",
        OWN_ADDRESS,
        "Wanted then: from elevated.",
        // The form for another time, of the place's own clock, with this time in it.
        "type=\"datetime-local\" required value=\"2026-06-10T21:15\"",
        "1 hour before",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("1 hour after"), "that is not past yet: {page}");
}

#[tokio::test]
async fn why_nothing_was_told_is_said_too() {
    let served = local().await;
    let id = served.point("local", "Home").await;
    let mut quiet = past(&id);
    quiet.ledger.clear();
    let entry = &mut quiet.journal[0];
    entry.change.to = Level::Marginal;
    entry.sequel.as_mut().unwrap().fate = Fate::Unasked;
    served.desk.remember(&id, quiet);
    let (_, page) = served.get(&format!("/points/{id}/explain?at=2026-06-10T21:20"), "").await;
    assert!(page.contains("Why it was not told"), "{page}");
    assert!(page.contains("Not told: it was below elevated, from which on notices were wanted."), "{page}");
    // The point's own page leads there from every instant of its journal, to the nanosecond, and by a form.
    let (_, page) = served.get(&format!("/points/{id}"), "").await;
    assert!(page.contains(&format!("href=\"/points/{id}/explain?at=2026-06-10T21:15:12Z\"")), "{page}");
    assert!(page.contains(&format!("action=\"/points/{id}/explain\"")), "{page}");
    // It shows the level over time as a plot, its reasons and its journal.
    for part in ["id=\"course\"", "<svg class=\"narrow\"", "id=\"why\"", "id=\"past\"", "What was known then"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn a_time_that_is_none_or_not_past_is_refused_beside_the_form() {
    let served = local().await;
    let id = served.point("local", "Home").await;
    for (at, words, kept) in [
        ("yesterday", "is not a time", ""),
        (
            "2026-06-10T21:33",
            "2026-06-10T21:33:00Z is not past yet; it is 2026-06-10T21:32:00Z now",
            "2026-06-10T21:33",
        ),
        ("%22%3E%3Cscript%3E", "is not a time", ""),
    ] {
        let (status, page) = served.get(&format!("/points/{id}/explain?at={at}"), "").await;
        assert_eq!(status, 422, "{at}");
        assert!(page.contains("role=\"alert\"") && page.contains(words), "{at}: {page}");
        // What is no time is said, and not put into a field that takes times alone.
        assert!(page.contains(&format!("required value=\"{kept}\"")), "{at}: {page}");
        assert!(page.contains("aria-invalid=\"true\"") && !page.contains("<script>"), "{at}: {page}");
    }
}

#[tokio::test]
async fn another_owner_is_told_nothing_of_the_past() {
    let served = served().await;
    let id = served.point("alice", "Secret hideout").await;
    served.desk.remember(&id, past(&id));
    assert!(served.get(&format!("/points/{id}/explain"), ALICE_TOKEN).await.1.contains("Secret hideout"));
    let (status, page) = served.get(&format!("/points/{id}/explain"), BOB_TOKEN).await;
    assert_eq!((status, &page), (404, &served.get("/points/none/explain", BOB_TOKEN).await.1));
}
