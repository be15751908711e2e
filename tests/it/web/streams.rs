//! Server-sent events.

use crate::fake_accounts::{ALICE_TOKEN, BOB_TOKEN};
use crate::web::{NOW, served};
use reqwest::Response;
use serde_json::{Value, json};
use std::time::Duration;
use stormbell::desk::DeskEvent;
use stormbell::web::STREAMS_OF_OWNER_MAX;

/// Reads events off a stream.
struct Stream(Response, String);

impl Stream {
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.1.split_once("\n\n") {
                let of =
                    |key: &str| event.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().to_owned();
                let event = (of("event: "), serde_json::from_str(&of("data: ")).unwrap());
                self.1 = rest.to_owned();
                return Some(event);
            }
            let chunk =
                tokio::time::timeout(Duration::from_secs(30), self.0.chunk()).await.expect("an event").ok()??;
            self.1.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_stream_tells_its_owner_what_moved_and_nobody_else() {
    let served = served().await;
    let (mine, other) = (served.point("alice", "Home").await, served.point("bob", "Barn").await);
    let mut stream = Stream(served.ask("GET", "/events", ALICE_TOKEN, &[], None).await, String::new());
    assert_eq!(stream.0.headers()["content-type"], "text/event-stream");
    let (name, data) = stream.next().await.unwrap();
    assert_eq!((&*name, &data["now_utc"]), ("hello", &json!(NOW)));
    served.desk.strike(&other);
    served.desk.say(DeskEvent::ListChanged("bob".into()));
    served.desk.strike(&mine);
    let (name, data) = stream.next().await.unwrap();
    assert_eq!((&*name, &data["id"]), ("point", &json!(mine)), "what befell bob is nothing to alice");
    let new = served.point("alice", "Cabin").await;
    assert_eq!(stream.next().await.unwrap().0, "list");
    served.desk.strike(&new);
    assert_eq!(stream.next().await.unwrap().1["id"], json!(new));
    // More than the desk keeps for a slow listener: the page reads everything anew.
    for _ in 0..20 {
        served.desk.say(DeskEvent::PointChanged("someone's".into()));
    }
    assert_eq!(stream.next().await.unwrap().0, "hello");
    // A revoked token ends it, and only its own.
    served.accounts.revoked.send("bob".into()).unwrap();
    served.desk.strike(&mine);
    assert_eq!(stream.next().await.unwrap().0, "point");
    served.accounts.revoked.send("alice".into()).unwrap();
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn streams_are_bounded_and_end_with_the_server() {
    let served = served().await;
    let mut open = Vec::new();
    for _ in 0..STREAMS_OF_OWNER_MAX {
        open.push(served.ask("GET", "/events", ALICE_TOKEN, &[], None).await);
    }
    let refused = served.ask("GET", "/events", ALICE_TOKEN, &[], None).await;
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].as_bytes()), (503, &b"5"[..]));
    assert_eq!(served.ask("GET", "/events", BOB_TOKEN, &[], None).await.status(), 200);
    served.stop.cancel();
    tokio::time::timeout(Duration::from_secs(30), served.done).await.expect("open streams do not hold it up").unwrap();
}
