//! What a client does with a point that is watched: changes, acknowledges, tries, asks why.

use super::*;
use crate::fake_desk::at;
use crate::fake_past::past;
use stormbell::desk::PointHistory;
use stormbell::store::SightRow;

#[tokio::test]
async fn a_point_is_changed_acknowledged_and_tried() {
    let mut met = meet().await;
    let id = met.register("Home").await;
    assert_eq!(met.told().await, "list");
    met.client.subscribe(SubscribeRequestParams::new(format!("watch://points/{id}"))).await.unwrap();
    let with = |key: &str, value: Value| json!({"id": id, key: value});
    let changed = met.answer("update_watch_point", with("min_level", json!("significant"))).await;
    assert_eq!((&changed["data"]["min_level"], &changed["data"]["quiet_hours"]), (&json!("significant"), &Value::Null));
    assert_eq!(met.told().await, format!("watch://points/{id}"));
    let changed = met.answer("update_watch_point", with("quiet_hours", json!("22:00-07:00"))).await;
    assert_eq!(changed["data"]["min_level"], "significant", "what is left out stays");
    assert!(changed["interpretation"].as_str().unwrap().contains("break through"), "{changed}");
    let until = "2026-06-11T03:00:00Z";
    let changed = met.answer("update_watch_point", with("snooze_until_utc", json!(until))).await;
    assert_eq!(
        (&changed["data"]["snooze_until_utc"], &changed["data"]["quiet_hours"]),
        (&json!(until), &json!("22:00-07:00"))
    );
    for field in ["quiet_hours", "snooze_until_utc", "until_utc"] {
        let changed = met.answer("update_watch_point", with(field, json!("none"))).await;
        assert_eq!(changed["data"][field], Value::Null, "{field} is taken away");
    }
    for (args, part) in [
        (with("min_level", json!("severe")), "none, marginal, elevated, significant or extreme"),
        (with("quiet_hours", json!("late")), "quiet_hours: "),
        (with("snooze_until_utc", json!(NOW)), "snooze_until_utc: 2026-06-10T21:32:00Z is not in the future"),
        (with("until_utc", json!("never")), "until_utc: \"never\" is not an ISO 8601 instant"),
        (with("lat", json!(41.0)), "unknown field `lat`"),
        (json!({"id": "nope", "min_level": "none"}), "no watch point \"nope\""),
    ] {
        let said = met.refusal("update_watch_point", args).await;
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = |answer: &Value| answer["interpretation"].as_str().unwrap().to_owned();
    let nothing = met.answer("acknowledge_watch_point", json!({"id": id})).await;
    assert_eq!(nothing["data"]["acknowledged_level"], Value::Null);
    assert!(said(&nothing).contains("nothing to acknowledge"));
    met.desk.strike(&id);
    let noted = met.answer("acknowledge_watch_point", json!({"id": id})).await;
    assert_eq!(noted["data"]["acknowledged_level"], "extreme");
    assert!(said(&noted).contains("a new maximum is"), "{noted}");
    let test = met.answer("send_test_notice", json!({"id": id})).await;
    assert_eq!(test["data"]["sent_to"], json!([]));
    assert!(said(&test).contains("no proven address"));
    let channels = json!([{"kind": "email", "address": OWN_ADDRESS}]);
    met.answer("update_watch_point", with("channels", channels.clone())).await;
    let test = met.answer("send_test_notice", json!({"id": id})).await;
    assert_eq!(test["data"]["sent_to"], channels);
    for tool in ["acknowledge_watch_point", "send_test_notice", "explain_watch_point"] {
        assert!(met.refusal(tool, json!({"id": "nope"})).await.contains("no watch point"), "{tool}");
        assert!(met.refusal(tool, json!({"id": id, "why": true})).await.contains("unknown field `why`"), "{tool}");
    }
}

/// Who holds another door reads, changes and is told of nothing here.
#[tokio::test]
async fn another_owner_finds_nothing_of_a_point() {
    let met = meet().await;
    let id = met.register("Home").await;
    met.desk.remember(&id, past(&id));
    let mut bob = door(&met.desk);
    bob.owner = "bob".into();
    let listed = bob.call("list_watch_points", None).await.unwrap().structured_content.unwrap();
    assert_eq!(listed["data"]["total"], 0);
    for tool in
        ["get_watch_point", "explain_watch_point", "update_watch_point", "acknowledge_watch_point", "send_test_notice"]
    {
        let answer = bob.call(tool, json!({"id": id}).as_object().cloned()).await.unwrap();
        assert_eq!(answer.is_error, Some(true), "{tool}");
        assert!(text(&answer).contains("no watch point"), "{tool}: {answer:?}");
    }
    let removed = bob.call("unregister_watch_point", json!({"id": id}).as_object().cloned()).await.unwrap();
    assert_eq!(removed.structured_content.unwrap()["data"]["removed"], false);
    assert_eq!(met.desk.count(), 1);
    let subscriptions =
        stormbell::mcp::resources::Subscriptions::of(["watch://points".to_owned(), format!("watch://points/{id}")]);
    for event in [DeskEvent::ListChanged("local".into()), DeskEvent::PointChanged(id.clone())] {
        let told = stormbell::mcp::resources::announcements(&bob, &subscriptions, Some(event)).await;
        assert_eq!(told, []);
    }
}

#[tokio::test]
async fn why_it_stood_there_and_what_was_told_is_explained() {
    let met = meet().await;
    let id = met.register("Home").await;
    met.desk.remember(&id, past(&id));
    let then = met.answer("explain_watch_point", json!({"id": id, "at_utc": "2026-06-10T16:15-05:00"})).await;
    let data = &then["data"];
    // The fake registers at 21:32: what was journalled before counts all the same.
    assert_eq!((&data["known_by"], &data["level"]), (&json!("journal"), &json!("extreme")), "{then}");
    let made_by = &data["made_by"];
    assert_eq!((&made_by["number"], &made_by["judged_again"]), (&json!(7), &json!("not_kept")));
    let why = &made_by["reasons"][0];
    assert_eq!((&why["rule"], &why["evidence_id"]), (&json!("tornado_warning_inside"), &json!("urn:oid:1")));
    assert_eq!(why["says"], "A tornado warning holds the place: significant.");
    assert_eq!(why["age_then_s"], 119, "to the end of the minute asked about");
    assert_eq!(made_by["blind_spots"][0]["source"], "mrms-vil");
    assert_eq!(then["degraded"], json!(["mrms-vil"]));
    let telling = &made_by["telling"];
    assert_eq!((&telling["outcome"], &telling["min_level"]), (&json!("told"), &json!("elevated")));
    let notice = &telling["notices"][0];
    assert_eq!((&notice["address"], &notice["settled_utc"]), (&json!(OWN_ADDRESS), &json!("2026-06-10T21:15:14Z")));
    assert_eq!((&notice["outcome"], &notice["said"]), (&json!("told"), &json!("250 2.0.0 queued")));
    let said = then["interpretation"].as_str().unwrap();
    for part in [
        "stood at extreme",
        "reached at 21:15Z",
        "tornado_warning_inside",
        "urn:oid:1",
        OWN_ADDRESS,
        "21:15:14Z",
        "Rules version 1",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let before = met.answer("explain_watch_point", json!({"id": id, "at_utc": "2026-06-10T21:14:30Z"})).await;
    assert_eq!((&before["data"]["known_by"], &before["data"]["level"]), (&json!("not_watched"), &Value::Null));
    assert_eq!(before["data"]["other_changes"][0]["number"], 7);
    for (at, part) in [
        ("2026-06-10T21:33:00Z", "at_utc: 2026-06-10T21:33:00Z is not past yet"),
        ("at nine", "at_utc: \"at nine\" is not an ISO 8601 instant"),
    ] {
        let said = met.refusal("explain_watch_point", json!({"id": id, "at_utc": at})).await;
        assert!(said.contains(part), "{part}: {said}");
    }
    let school = met.register("School").await;
    let quiet = met.answer("explain_watch_point", json!({"id": school})).await;
    assert_eq!((&quiet["data"]["known_by"], &quiet["data"]["level"]), (&json!("registration"), &json!("none")));
    assert!(quiet["interpretation"].as_str().unwrap().contains("nothing raised it"), "{quiet}");
}

/// Of its kind: a point that had ended at 21:26 "stood at extreme" hours later, though nothing judged it any more.
#[tokio::test]
async fn of_a_point_that_is_not_watched_any_more_nothing_is_said_beyond_its_end() {
    let met = meet().await;
    let id = met.register("Home").await;
    let ended = |spots: Value| SightRow {
        number: 2,
        watch_point: id.clone(),
        at_utc: at("2026-06-10T21:26:00Z"),
        blind_spots: serde_json::from_value(spots).unwrap(),
    };
    let spot = json!([{"source": "watch", "since_utc": null, "why": "not watched", "could_raise_to": "extreme"}]);
    let noted = PointHistory { sights: vec![ended(spot)], ..past(&id) };
    met.answer("unregister_watch_point", json!({"id": id})).await;
    for (history, watch_ended, then, after) in [
        (
            noted,
            json!("2026-06-10T21:26:00Z"),
            "It was watched until 21:26Z.",
            "it was watched until 21:26Z, and nothing",
        ),
        // An earlier version kept no end.
        (past(&id), Value::Null, "until when it was is not on record", "the last on record of it is of 21:15Z"),
    ] {
        met.desk.remember(&id, history);
        let told = met.answer("explain_watch_point", json!({"id": id, "at_utc": "2026-06-10T21:15:00Z"})).await;
        let said = told["interpretation"].as_str().unwrap();
        assert_eq!((&told["data"]["level"], &told["data"]["watch_ended_utc"]), (&json!("extreme"), &watch_ended));
        assert!(said.contains("stood at extreme") && said.contains(then), "{said}");
        let told = met.answer("explain_watch_point", json!({"id": id, "at_utc": "2026-06-10T21:31:00Z"})).await;
        let said = told["interpretation"].as_str().unwrap();
        let data = &told["data"];
        assert_eq!(
            (&data["known_by"], &data["level"], &data["blind_spots"]),
            (&json!("ended"), &Value::Null, &Value::Null)
        );
        assert!(said.contains(after) && said.contains("its last level was extreme, reached at 21:15Z"), "{said}");
        assert!(!said.contains("stood at extreme"), "{said}");
    }
}
