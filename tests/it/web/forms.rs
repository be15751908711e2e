//! What a person does by forms alone, and what a page never leaves unsaid.

use crate::fake_accounts::email;
use crate::fake_desk::{OWN_ADDRESS, at};
use crate::web::local;
use stormbell::desk::Desk;
use stormbell::threat::Level;

#[tokio::test]
async fn a_place_is_added_changed_and_removed_by_forms_alone() {
    let served = local().await;
    let add = format!(
        "name=Home&place=40.52%2C+-92.90&min_level=significant&email={OWN_ADDRESS}&quiet_from=22%3A00&quiet_to=07%3A00&new_email="
    );
    let (status, to, _) = served.post("/points", "", &add).await;
    assert_eq!((status, &*to), (303, "/?done=added"));
    assert_eq!(served.post("/points", "", &add).await.1, "/?done=stood", "the same place again changes nothing");
    let point = served.desk.watched("local").await.unwrap().remove(0).point;
    assert_eq!((point.min_level, point.addresses.clone()), (Level::Significant, vec![email(OWN_ADDRESS)]));
    assert_eq!(point.quiet_hours.unwrap().to_string(), "22:00-07:00");

    let (_, page) = served.get(&to, "").await;
    assert!(page.contains("It is watched from now on.") && page.contains("not judged yet"), "{page}");
    let id = point.id;
    let change = "name=Cabin&min_level=elevated&quiet_from=&quiet_to=&until=2026-06-12T18%3A30";
    let (status, to, _) = served.post(&format!("/points/{id}"), "", change).await;
    assert_eq!((status, &*to), (303, &*format!("/points/{id}?done=changed")));
    let point = served.desk.watched("local").await.unwrap().remove(0).point;
    assert_eq!(
        (&*point.name, point.min_level, point.addresses.len(), point.quiet_hours),
        ("Cabin", Level::Elevated, 0, None)
    );
    assert_eq!(point.until_utc, Some(at("2026-06-12T18:30:00Z")), "no zone is known: UTC");

    for (how, until) in
        [("hour", Some(at("2026-06-10T22:32:00Z"))), ("morning", Some(at("2026-06-11T07:00:00Z"))), ("end", None)]
    {
        let (status, _, _) = served.post(&format!("/points/{id}/snooze"), "", &format!("for={how}")).await;
        assert_eq!(status, 303);
        assert_eq!(served.desk.watched("local").await.unwrap()[0].point.snooze_until_utc, until, "{how}");
    }
    for form in ["", "for=", "for=ever", "hour=1", "snooze=hour"] {
        let (status, _, _) = served.post(&format!("/points/{id}/snooze"), "", form).await;
        let point = served.desk.watched("local").await.unwrap().remove(0).point;
        assert_eq!((status, point.snooze_until_utc), (400, None), "{form}: nobody said for how long");
    }
    let (status, to, _) = served.post(&format!("/points/{id}/remove"), "", "").await;
    assert_eq!((status, &*to, served.desk.count()), (303, "/?done=removed", 0));
    assert_eq!(served.post(&format!("/points/{id}/remove"), "", "").await.0, 404);
}

#[tokio::test]
async fn a_form_that_is_refused_keeps_what_was_typed_and_says_where() {
    let served = local().await;
    for (form, field, words) in [
        ("name=Home&place=&min_level=elevated", "place", "click on the map"),
        ("name=Home&place=Zzyqqx%2C+OK&min_level=elevated", "place", "Zzyqqx"),
        ("name=Home&place=40.52%2C+92.90&min_level=elevated", "place", "did you mean lon -92.9"),
        ("name=&place=40.52%2C-92.90&min_level=elevated", "name", "name of 1 to"),
        ("name=%E2%80%8B&place=40.52%2C-92.90&min_level=elevated", "name", "some can be seen"),
        ("name=%E2%80%AEx&place=40.52%2C-92.90&min_level=elevated", "name", "would turn the text around it"),
        ("name=Home&place=40.52%2C-92.90&min_level=loud", "min_level", "Choose a level"),
        (
            "name=Home&place=40.52%2C-92.90&min_level=elevated&quiet_from=22%3A00",
            "quiet_from",
            "beginning and another end",
        ),
        ("name=Home&place=40.52%2C-92.90&min_level=elevated&new_email=nobody", "new_email", "not an email address"),
    ] {
        let (status, _, body) = served.post("/points", "", form).await;
        assert_eq!(status, 422, "{form}");
        assert!(body.contains(words) && body.contains("role=\"alert\""), "{form}: {body}");
        let input = body.split(&format!("id=\"{field}\"")).nth(1).unwrap().split('>').next().unwrap();
        assert!(input.contains("aria-invalid=\"true\""), "{form}: {input}");
        assert_eq!(served.desk.count(), 0);
    }
    // A wrong address stands in its field as it was typed, with what else was.
    let wrong =
        "name=Aunt+Em&place=40.52%2C-92.90&min_level=extreme&new_email=em+at+home&quiet_from=22%3A00&quiet_to=07%3A00";
    let (_, _, body) = served.post("/points", "", wrong).await;
    for typed in
        ["value=\"Aunt Em\"", "value=\"40.52,-92.90\"", "value=\"em at home\"", "value=\"22:00\"", "value=\"07:00\""]
    {
        assert!(body.contains(typed), "{typed}: {body}");
    }
    assert_eq!(served.desk.count(), 0);
    let (_, _, body) = served.post("/points", "", "name=Aunt+Em&place=Springfield&min_level=extreme").await;
    assert!(body.contains("value=\"Aunt Em\"") && body.contains("value=\"Springfield\""), "{body}");
    // One of several: chosen by a button, whose coordinates go before the words.
    assert!(body.matches("name=\"chosen\"").count() > 1 && body.contains("Springfield, Greene County, MO"), "{body}");
    let chosen = "name=Aunt+Em&place=Springfield&min_level=extreme&chosen=37.2090%2C+-93.2923";
    assert_eq!(served.post("/points", "", chosen).await.1, "/?done=added");
    let at = served.desk.watched("local").await.unwrap()[0].point.at;
    assert_eq!((at.lat(), at.lon()), (37.209, -93.2923));
    assert!(body.contains("<option value=\"extreme\" selected>"), "{body}");
}

#[tokio::test]
async fn what_cannot_be_seen_is_never_quiet() {
    let served = local().await;
    let (_, page) = served.get("/", "").await;
    assert!(page.contains("Not live yet.") && page.contains("An empty map is not a quiet one"), "{page}");
    let id = served.point("local", "Home").await;
    let (_, page) = served.get("/", "").await;
    assert!(page.contains("not judged yet") && !page.contains("Nothing above none"), "{page}");
    // The feed is not heard any more.
    served.desk.set_picture(stormbell::threat::picture::Picture::default());
    let (_, page) = served.get(&format!("/points/{id}"), "").await;
    assert!(
        page.contains("as far as can be seen") && page.contains("At its worst the level would read extreme"),
        "{page}"
    );
    let (_, layers) = served.get("/map/layers", "").await;
    assert!(layers.contains("Not seen: ") && layers.contains("new warnings"), "{layers}");
    assert!(layers.contains("warnings not seen") && !layers.contains("no warning with an outline"), "{layers}");
}

/// An address that nobody has proven is no mistake: it gets its question, and everything says that nothing goes there yet.
#[tokio::test]
async fn an_address_that_is_not_proven_is_taken_and_waits() {
    let served = local().await;
    let add = "name=Home&place=40.52%2C-92.90&min_level=elevated&new_email=em%40example.org";
    let (status, to, _) = served.post("/points", "", add).await;
    assert_eq!((status, &*to), (303, "/?done=waiting"));
    let point = served.desk.watched("local").await.unwrap().remove(0).point;
    assert_eq!((point.addresses.len(), point.waiting.clone()), (0, vec![email("em@example.org")]));
    let (_, page) = served.get(&to, "").await;
    assert!(page.contains("The new address gets nothing but a question first"), "{page}");
    assert!(page.contains("Told to nobody yet: its address waits for confirmation."), "{page}");
    // Its own page lists it as chosen and as not confirmed, so that saving the form again does not take it away.
    served.accounts.with_address("local", "em@example.org", false);
    let (_, page) = served.get(&format!("/points/{}", point.id), "").await;
    let box_of =
        page.split("value=\"em@example.org\"").nth(1).expect("it is offered").split("</label>").next().unwrap();
    assert!(box_of.contains("checked") && box_of.contains("(not confirmed yet)"), "{box_of}");
}
