use super::*;
use async_trait::async_trait;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

struct Echo;

#[async_trait]
impl Door for Echo {
    async fn answer(&self, ask: Ask) -> Value {
        json!({"asked": ask})
    }
    async fn mcp(&self, mut stream: BufReader<UnixStream>) {
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).await.unwrap();
        heard.reverse();
        stream.write_all(&heard).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_bytes_pass_and_nonsense_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    // A stale socket of a killed process is replaced.
    drop(std::os::unix::net::UnixListener::bind(dir.path().join(SOCKET_NAME)).unwrap());
    let listening = listen(dir.path(), Arc::new(Echo)).unwrap();
    let path = socket_path(dir.path()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let owned = dir.path().to_owned();
    let answer = tokio::task::spawn_blocking(move || ask(&owned, Some(1), &Ask::Journal { limit: 2 }));
    assert_eq!(answer.await.unwrap().unwrap(), json!({"asked": {"ask": "journal", "limit": 2}}));

    assert_eq!(client::tests::spliced(&path, b"abc\n").await.unwrap(), b"\ncba");

    for nonsense in [&b"{\"ask\":\"everything\"}\n"[..], b"", b"{", &vec![b'x'; ASK_BYTES_MAX + 1]] {
        // Who sends more than a question may have is cut off, with or without hearing why.
        if let Ok(answer) = client::tests::raw(&path, nonsense).await
            && !answer.is_empty()
        {
            assert_eq!(document_of(&answer).unwrap()["error"]["kind"], "usage");
        }
    }
    drop(listening);
    assert!(!path.exists());
}

#[test]
fn a_silent_owner_and_a_long_path_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let failure = ask(dir.path(), Some(41), &Ask::Levels).unwrap_err();
    assert!(failure.nobody_listens && failure.failure.kind == "in_use");
    assert!(failure.failure.message.contains("process 41"));
    let deep = dir.path().join("d".repeat(120));
    assert_eq!(ask(&deep, None, &Ask::Levels).unwrap_err().failure.kind, "socket_path");
}

#[tokio::test]
async fn a_file_in_the_way_is_never_removed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(SOCKET_NAME), "mine").unwrap();
    assert_eq!(listen(dir.path(), Arc::new(Echo)).unwrap_err().kind, "socket");
    assert_eq!(std::fs::read_to_string(dir.path().join(SOCKET_NAME)).unwrap(), "mine");
}
