//! The same as JSON.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN};
use crate::web::served;
use serde_json::{Value, json};
use stormbell::desk::Desk;
use stormbell::threat::Level;

#[tokio::test]
async fn the_api_speaks_the_shapes_of_the_tools() {
    let served = served().await;
    let new = json!({"name": "Home", "lat": 40.52, "lon": -92.90, "client_token": "c1"});
    let (status, made) = served.json("POST", "/api/points", ALICE_TOKEN, &new).await;
    assert_eq!((status, &made["data"]["created"]), (201, &json!(true)), "{made}");
    assert_eq!(served.json("POST", "/api/points", ALICE_TOKEN, &new).await.0, 200);
    let id = made["data"]["id"].as_str().unwrap();
    let path = format!("/api/points/{id}");
    let (_, list) = served.json("GET", "/api/points?limit=5", ALICE_TOKEN, &Value::Null).await;
    assert_eq!((&list["data"]["total"], &list["data"]["watch_points"][0]["id"]), (&json!(1), &json!(id)));
    assert!(list["disclaimer"].as_str().unwrap().starts_with("Informational only."));

    let change =
        json!({"min_level": "extreme", "quiet_hours": "22:00-07:00", "snooze_until_utc": "2026-06-10T23:00:00Z"});
    let (status, changed) = served.json("PATCH", &path, ALICE_TOKEN, &change).await;
    assert_eq!((status, &changed["data"]["min_level"]), (200, &json!("extreme")), "{changed}");
    served.json("PATCH", &path, ALICE_TOKEN, &json!({"quiet_hours": null, "snooze_until_utc": null})).await;
    let point = served.desk.watched("alice").await.unwrap().remove(0).point;
    assert_eq!((point.quiet_hours, point.snooze_until_utc, point.min_level), (None, None, Level::Extreme));

    for (change, word) in [(json!({"min_level": "loud"}), "loud"), (json!({"quiet_hours": "late"}), "late")] {
        let (status, refused) = served.json("PATCH", &path, ALICE_TOKEN, &change).await;
        assert!(status == 422 && refused["error"]["message"].as_str().unwrap().contains(word), "{refused}");
    }
    // The scheme of RFC 9110 in any case.
    for (scheme, status) in [("Bearer", 200), ("bearer", 200), ("BEARER", 200), ("Basic", 401)] {
        let headers = [("authorization", &*format!("{scheme} {ALICE_TOKEN}"))];
        assert_eq!(served.ask("GET", "/api/points", "", &headers, None).await.status(), status, "{scheme}");
    }
    let before = served.desk.watched("alice").await.unwrap().remove(0).point;
    for (method, at, body) in [
        ("PATCH", path.as_str(), json!([])),
        ("PATCH", path.as_str(), json!(["Barn"])),
        ("PATCH", path.as_str(), json!("Barn")),
        ("POST", "/api/points", json!(["Barn", 40.52, -92.90])),
        ("GET", "/api/points?cursor=zzz", Value::Null),
        ("GET", "/api/points?cursor=cG9pbnRz", Value::Null),
    ] {
        let (status, refused) = served.json(method, at, ALICE_TOKEN, &body).await;
        assert_eq!((status, &refused["error"]["kind"]), (400, &json!("invalid")), "{method} {at} {body}: {refused}");
    }
    assert_eq!(served.desk.watched("alice").await.unwrap()[0].point, before, "nothing came of them");

    for (method, body) in [("GET", Value::Null), ("PATCH", json!({"name": "x"})), ("DELETE", Value::Null)] {
        let (status, answer) = served.json(method, &path, BOB_TOKEN, &body).await;
        let removed = answer["data"]["removed"] == json!(false);
        assert!(status == 404 || removed, "{method}: {status} {answer}");
    }
    assert_eq!(served.desk.watched("alice").await.unwrap()[0].point.name, "Home");
    assert_eq!(served.json("DELETE", &path, ALICE_TOKEN, &Value::Null).await.1["data"]["removed"], true);
    assert_eq!(served.json("GET", "/api/nothing", ALICE_TOKEN, &Value::Null).await.1["error"]["kind"], "not_found");
}
