//! A second process on a data directory in use: `stormbell mcp` bridges the independent client to the first process, and the
//! other commands are answered by it (the doors of the program themselves: `mcp_foreign`).

use crate::foreign_smtp::python;
use crate::mcp_foreign::client;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stormbell");
/// At 60 virtual seconds a second the tornado warning of 21:15 comes a quarter of a minute after the start: time for the
/// client to call every tool first.
const SPEED: &str = "60";
const STORM: [&str; 6] = ["--lat", "37.74", "--lon", "-98.21", "--wait-level", "significant"];

fn day() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09").display().to_string()
}

/// A service over the bundled day on a free port; it and its address.
async fn serve(data_dir: &Path) -> (Child, String) {
    let mut child = Command::new(PROGRAM)
        .args(["serve", "--port", "0", "--archive", &day(), "--speed", SPEED, "--data-dir"])
        .arg(data_dir)
        .env("STORMBELL_LOG", "error")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap().expect("it says its address before it ends");
        if let Some((_, url)) = line.split_once("MCP at ") {
            let url = url.trim().to_owned();
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return (child, url);
        }
    }
}

fn is_told_of_the_storm(done: &serde_json::Value) {
    let visits = done["visits"].as_array().unwrap();
    assert!(!visits.is_empty() && visits.iter().all(|visit| visit["level"] == "significant"), "{done}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_on_the_same_data_directory_is_a_bridge_to_the_first() {
    let Some(python) = python() else { return };
    let data = tempfile::tempdir().unwrap();
    let (_service, _) = serve(data.path()).await;
    let dir = data.path().display().to_string();
    let add = ["--data-dir", &dir, "watch", "add", "larkfield", "37.74", "-98.21", "--json"];
    let added = Command::new(PROGRAM).args(add).output().await.unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let bridge = ["--modes", "legacy", "--stdio", PROGRAM, "--data-dir", &dir, "mcp"];
    is_told_of_the_storm(&client(python, &[&STORM[..], &bridge[..]].concat()).await);
    // Read commands go through the running process too.
    let listed = Command::new(PROGRAM).args(["--data-dir", &dir, "debug", "levels", "--json"]).output().await.unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["levels"][0]["name"], "larkfield", "{listed}");
    assert_eq!(listed["levels"][0]["level"], "significant", "{listed}");
}
