//! Where notices go: links of mails, codes, browsers.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN, CODE, CONFIRM_TOKEN, UNSUBSCRIBE_TOKEN};
use crate::web::served;
use serde_json::{Value, json};

#[tokio::test]
async fn links_of_mails_show_a_button_and_do_nothing_before_it_is_pressed() {
    let served = served().await;
    served.accounts.with_address("alice", "<em@example.org>", false);
    let proof = || served.accounts.addresses.lock().unwrap()[0].clone();
    let (status, body) = served.get(&format!("/confirm/{CONFIRM_TOKEN}"), "").await;
    assert!(
        status == 200 && body.contains("&lt;em@example.org&gt;") && body.contains("<form method=\"post\">"),
        "{body}"
    );
    let (status, body) = served.get(&format!("/unsubscribe/{UNSUBSCRIBE_TOKEN}"), "").await;
    assert!(status == 200 && body.contains("End notices"), "{body}");
    assert!(proof().proven_utc.is_none() && proof().unsubscribed_utc.is_none(), "a scanner followed the links");

    let (status, _, body) = served.post(&format!("/confirm/{CONFIRM_TOKEN}"), "", "").await;
    assert!(status == 200 && body.contains("Confirmed.") && proof().proven_utc.is_some(), "{body}");
    // RFC 8058: from a mail provider, without cookie, with a body of its own, from its own origin.
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://mail.example")];
    let one_click = Some("List-Unsubscribe=One-Click".to_owned());
    let ended = served.ask("POST", &format!("/unsubscribe/{UNSUBSCRIBE_TOKEN}"), "", &headers, one_click).await;
    assert_eq!((ended.status().as_u16(), ended.headers()["referrer-policy"].as_bytes()), (200, &b"no-referrer"[..]));
    assert!(proof().unsubscribed_utc.is_some());

    for path in ["/confirm/", "/unsubscribe/"] {
        let other = format!("{path}{}", "z".repeat(5_000));
        assert_eq!(served.get(&other, "").await.0, 404);
        assert_eq!(served.post(&other, "", "").await.0, 404);
    }
}

#[tokio::test]
async fn an_address_is_proven_by_its_code() {
    let served = served().await;
    served.accounts.with_address("alice", "em@example.org", false);
    let (_, page) = served.get("/notices", ALICE_TOKEN).await;
    assert!(page.contains("Not confirmed yet") && page.contains("name=\"code\""), "{page}");
    assert!(!served.get("/notices", BOB_TOKEN).await.1.contains("em@example.org"));
    let (status, _, page) = served.post("/notices/code", ALICE_TOKEN, "address=em%40example.org&code=000000").await;
    assert!(status == 422 && page.contains("That is not the code of em@example.org"), "{page}");
    let typed = format!("address=em%40example.org&code={}+{}", &CODE[..3], &CODE[3..]);
    assert_eq!(served.post("/notices/code", ALICE_TOKEN, &typed).await.1, "/notices?done=proven");
    assert!(served.get("/notices", ALICE_TOKEN).await.1.contains("Confirmed at"));
}

#[tokio::test]
async fn browsers_come_and_go_and_only_their_owner_sees_them() {
    let served = served().await;
    let subscription = json!({"endpoint": "https://push.example/secret-1", "expirationTime": null,
        "keys": {"p256dh": "B", "auth": "A"}, "label": "Firefox on <Linux>"});
    let (status, added) = served.json("POST", "/api/browsers", ALICE_TOKEN, &subscription).await;
    assert_eq!((status, &added["label"]), (201, &json!("Firefox on <Linux>")));
    assert!(!added.to_string().contains("secret-1"), "the endpoint is a secret: {added}");
    let (_, page) = served.get("/notices", ALICE_TOKEN).await;
    assert!(page.contains("Firefox on &lt;Linux&gt;") && !page.contains("secret-1"), "{page}");
    assert!(!served.get("/notices", BOB_TOKEN).await.1.contains("Firefox"));
    assert_eq!(served.json("GET", "/api/browsers", BOB_TOKEN, &Value::Null).await.1, json!({"browsers": []}));

    // The push service renewed it: the name stays, the old one goes.
    let renewed = json!({"endpoint": "https://push.example/secret-2", "keys": {"p256dh": "B", "auth": "A"},
        "label": "", "replaces": "https://push.example/secret-1"});
    assert_eq!(served.json("POST", "/api/browsers", ALICE_TOKEN, &renewed).await.1["label"], "Firefox on <Linux>");
    let held = served.accounts.browsers.lock().unwrap().clone();
    assert_eq!(held.iter().map(|browser| &*browser.endpoint).collect::<Vec<_>>(), ["https://push.example/secret-2"]);

    let gone = json!({"endpoint": "https://push.example/secret-2"});
    assert_eq!(served.json("DELETE", "/api/browsers", BOB_TOKEN, &gone).await.1, json!({"removed": false}));
    let form = format!("browser={}", held[0].id);
    assert_eq!(served.post("/notices/forget", BOB_TOKEN, &form).await.0, 404);
    assert_eq!(served.post("/notices/forget", ALICE_TOKEN, &form).await.1, "/notices?done=forgotten");
    assert!(served.accounts.browsers.lock().unwrap().is_empty());
    let plain = json!({"endpoint": "http://push.example/x", "keys": {"p256dh": "B", "auth": "A"}});
    let (status, refused) = served.json("POST", "/api/browsers", ALICE_TOKEN, &plain).await;
    assert_eq!((status, &refused["error"]["kind"]), (422, &json!("invalid")));
}
