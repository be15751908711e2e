//! Who gets in, by what, and what is refused to all others.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN};
use crate::web::{local, served};
use serde_json::{Value, json};
use stormbell::desk::tries::WRONG_TOKENS_MAX;
use stormbell::mcp::http::HEAD_WITHIN;
use stormbell::web::{ANSWERS_MAX, BODY_BYTES_MAX, HEADERS};

#[tokio::test]
async fn without_a_token_there_is_a_login_and_nothing_else() {
    let served = served().await;
    let id = served.point("alice", "Secret hideout").await;
    for path in ["/", "/notices", &format!("/points/{id}"), "/map/layers", "/map/overlay.png?x=0&y=0&w=900"] {
        for token in ["", "wrong", BOB_TOKEN] {
            let (status, body) = served.get(path, token).await;
            assert!(!body.contains("Secret hideout"), "{path} {token}: {body}");
            match (token, path.starts_with("/points")) {
                (BOB_TOKEN, true) => assert_eq!(status, 404, "{path}"),
                (BOB_TOKEN, false) => assert_eq!(status, 200, "{path}: {body}"),
                _ => assert!(status == 401 && body.contains("stormbell owner add"), "{path}: {status}"),
            }
        }
    }
    for (method, path) in [
        ("GET", "/events"),
        ("GET", "/api/points"),
        ("POST", "/api/points"),
        ("GET", "/api/browsers"),
        ("GET", "/api/push"),
        ("DELETE", &format!("/api/points/{id}")),
    ] {
        let headers = [("content-type", "application/json")];
        let refused = served.ask(method, path, "wrong", &headers, Some("{}".into())).await;
        assert_eq!(refused.status(), 401, "{method} {path}");
        assert_eq!(refused.json::<Value>().await.unwrap()["error"]["kind"], "unknown_caller");
    }
}

#[tokio::test]
async fn a_link_becomes_a_cookie_and_leaves_the_address() {
    let served = served().await;
    let entered = served.ask("GET", &format!("/login?token={ALICE_TOKEN}"), "", &[], None).await;
    assert_eq!((entered.status().as_u16(), &entered.headers()["location"]), (303, &"/".parse().unwrap()));
    assert_eq!(entered.headers()["referrer-policy"], "no-referrer");
    let cookie = entered.headers()["set-cookie"].to_str().unwrap();
    for part in
        [&*format!("__Host-stormbell={ALICE_TOKEN}"), "HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age="]
    {
        assert!(cookie.contains(part), "{cookie}");
    }
    let (status, body) = served.get("/login?token=wrong", "").await;
    assert!(status == 401 && body.contains("not known here"), "{body}");
    let left = served.ask("POST", "/logout", ALICE_TOKEN, &[], None).await;
    assert!(left.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));

    // Over plain http on loopback there is no Secure, which a browser would refuse there.
    let local = local().await;
    let entered = local.ask("GET", &format!("/login?token={ALICE_TOKEN}"), "", &[], None).await;
    let cookie = entered.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with(&format!("stormbell={ALICE_TOKEN}")) && !cookie.contains("Secure"), "{cookie}");
    assert_eq!(local.get("/", "").await.0, 200, "loopback without a token is the local owner");
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_keep_strangers_out() {
    let served = local().await;
    for path in
        ["/", "/login", "/nowhere", "/sw.js", "/assets/style.css", "/api/points", "/confirm/x", "/map/states.svg"]
    {
        let response = served.ask("GET", path, "", &[], None).await;
        for (name, _) in HEADERS {
            assert!(response.headers().contains_key(&name), "{path}: no {name}");
        }
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
    }
    // What the policy would forbid is not there to begin with.
    let (_, page) = served.get("/", "").await;
    assert!(!page.contains(" style=") && !page.contains("<script>") && !page.contains(" onclick"), "{page}");
    assert!(!page.contains("//") || page.matches("//").count() == page.matches("http://www.w3.org").count(), "{page}");
}

#[tokio::test]
async fn strange_hosts_and_changes_from_elsewhere_are_refused() {
    let served = local().await;
    let id = served.point("local", "Home").await;
    for host in ["evil.example", "0.0.0.0"] {
        assert_eq!(served.ask("GET", "/", "", &[("host", host)], None).await.status(), 403, "{host}");
    }
    let remove = format!("/points/{id}/remove");
    for headers in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site"), ("origin", "http://localhost:1")],
    ] {
        assert_eq!(served.ask("POST", &remove, "", headers, None).await.status(), 403, "{headers:?}");
        assert_eq!(served.ask("DELETE", &format!("/api/points/{id}"), "", headers, None).await.status(), 403);
    }
    assert_eq!(served.desk.count(), 1);
    // A GET of what changes is no change.
    for act in ["remove", "acknowledge", "snooze", "test"] {
        assert_eq!(served.get(&format!("/points/{id}/{act}"), "").await.0, 405, "{act}");
    }
    let long = "x".repeat(BODY_BYTES_MAX + 1);
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let refused = served.ask("POST", "/points", "", &headers, Some(long)).await;
    assert!(refused.status().is_client_error(), "{}", refused.status());
}

#[tokio::test]
async fn what_comes_from_outside_is_escaped() {
    let served = served().await;
    let name = "<script>alert(1)</script>\"'&";
    let id = served.point("alice", name).await;
    served.accounts.with_address("alice", "\"<img src=x onerror=alert(1)>\"@example.org", false);
    served.desk.strike(&id);
    for path in ["/", &format!("/points/{id}"), "/notices", "/map/layers", "/?done=<script>", "/?page=99999999999"] {
        let (status, body) = served.get(path, ALICE_TOKEN).await;
        assert!(status == 200, "{path}: {status}");
        assert!(!body.contains("<script>alert") && !body.contains("<img"), "{path}: {body}");
        // The owner's name holds a tag as well.
        assert!(!body.contains("alice <b>"), "{path}");
    }
    let bad = "name=%3Cb%3Ex&place=%22%3E%3Cscript%3E&min_level=elevated&new_email=%3Ci%3E";
    let (status, _, body) = served.post("/points", ALICE_TOKEN, bad).await;
    assert!(
        status == 422 && !body.contains("<script>\"") && !body.contains("\"><script>") && !body.contains("<i>"),
        "{body}"
    );
}

#[tokio::test]
async fn scripts_and_styles_are_asked_for_again_and_not_sent_twice() {
    let served = local().await;
    for name in ["style.css", "page.js", "live.js", "map.js", "push.js", "icon.svg", "icon-192.png"] {
        let path = format!("/assets/{name}");
        let first = served.ask("GET", &path, "", &[], None).await;
        assert_eq!(first.status(), 200, "{name}");
        let tag = first.headers()["etag"].to_str().unwrap().to_owned();
        assert!(!first.bytes().await.unwrap().is_empty());
        assert_eq!(served.ask("GET", &path, "", &[("if-none-match", &tag)], None).await.status(), 304, "{name}");
    }
    assert_eq!(served.get("/assets/../Cargo.toml", "").await.0, 404);
    assert_eq!(served.get("/assets/%2e%2e%2fweb.rs", "").await.0, 404);
    let manifest: Value = served.ask("GET", "/manifest.webmanifest", "", &[], None).await.json().await.unwrap();
    assert_eq!((&manifest["display"], &manifest["start_url"]), (&json!("standalone"), &json!("/")));
}

/// Guessing is given up on before it fills a log; who has the right token is never kept out by those who guess, since all of them
/// may come through one proxy.
#[tokio::test]
async fn wrong_tokens_are_answered_so_often_and_right_ones_always() {
    for way in ["a login by link", "a login by form", "a bearer", "a cookie"] {
        let served = served().await;
        let guess = async || match way {
            "a login by link" => served.ask("GET", "/login?token=wrong", "", &[], None).await,
            "a login by form" => {
                let headers = [("content-type", "application/x-www-form-urlencoded")];
                served.ask("POST", "/login", "", &headers, Some("token=wrong".into())).await
            }
            "a bearer" => served.ask("GET", "/api/points", "", &[("authorization", "Bearer wrong")], None).await,
            _ => served.ask("GET", "/", "wrong", &[], None).await,
        };
        for number in 0..WRONG_TOKENS_MAX {
            assert_eq!(guess().await.status(), 401, "{way} {number}");
        }
        let refused = guess().await;
        assert_eq!(refused.status(), 429, "{way}");
        let wait_s: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait_s), "{way}: {wait_s}");
        assert!(refused.text().await.unwrap().to_lowercase().contains("too many wrong tokens"), "{way}");

        let entered = served.ask("GET", &format!("/login?token={ALICE_TOKEN}"), "", &[], None).await;
        assert_eq!(entered.status(), 303, "{way}");
        assert_eq!(served.get("/", ALICE_TOKEN).await.0, 200, "{way}");
        assert_eq!(served.json("GET", "/api/points", BOB_TOKEN, &Value::Null).await.0, 200, "{way}");
        // Nobody in particular still finds the way in.
        assert_eq!(served.get("/login", "").await.0, 200, "{way}");
        assert_eq!(served.get("/", "").await.0, 401, "{way}");
    }
    // Where nobody needs a token, an old cookie is no guess.
    let local = local().await;
    for _ in 0..2 * WRONG_TOKENS_MAX {
        let response = local.ask("GET", "/notices", "", &[("cookie", "stormbell=old")], None).await;
        assert_eq!(response.status(), 200);
    }
}

/// What a connection gets that sends this and then nothing more; `None` where it is left waiting.
async fn answered(said: &str) -> Option<String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let served = local().await;
    let mut stream = tokio::net::TcpStream::connect(served.addr).await.unwrap();
    stream.write_all(said.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    // Many times what the door waits; the clock of this test runs ahead while nothing happens.
    let read = tokio::time::timeout(10 * HEAD_WITHIN, stream.read(&mut answer)).await.ok()?.unwrap();
    Some(String::from_utf8_lossy(&answer[..read]).into_owned())
}

#[tokio::test(start_paused = true)]
async fn who_says_half_of_it_is_not_waited_for_without_end() {
    assert_eq!(answered("GET / HTTP/1.1\r\nHost: 127").await.as_deref(), Some(""), "half a head: hung up on");
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000";
    let half = format!("POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n{form}\r\n\r\ntoken=");
    let answer = answered(&half).await.expect("half a body: an answer");
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

/// Who sends a form slowly, or many who do, keep nobody out.
#[tokio::test]
async fn bodies_that_do_not_come_take_no_place_among_the_answers() {
    use tokio::io::AsyncWriteExt;
    let served = local().await;
    let half = "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                Content-Length: 1000\r\n\r\ntoken=";
    let mut stalled = Vec::new();
    for _ in 0..ANSWERS_MAX + 1 {
        let mut stream = tokio::net::TcpStream::connect(served.addr).await.unwrap();
        stream.write_all(half.as_bytes()).await.unwrap();
        stalled.push(stream);
    }
    assert_eq!(served.get("/login", "").await.0, 200);
}
