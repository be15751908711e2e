//! An independent client, the `mcp` package from PyPI, uses the doors as an agent would.
//!
//! Skipped where Python or the package cannot be had; `STORMBELL_FOREIGN=required` makes that a failure.

use crate::fake_desk::{FakeDesk, at, door};
use crate::foreign_smtp::python;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use stormbell::mcp::http::{Callers, HttpOptions, listen, router, serve};
use stormbell::mcp::stdio::serve_stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

const NOW: &str = "2026-06-10T21:32:00Z";
/// Long enough for a client to subscribe before the storm, also on a loaded machine.
const STORM_AFTER: Duration = Duration::from_secs(6);

fn foreign(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign").join(file)
}

pub async fn client(python: &Path, args: &[&str]) -> serde_json::Value {
    let run =
        Command::new(python).arg(foreign("mcp_client.py")).args(args).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = tokio::time::timeout(Duration::from_secs(180), run).await.expect("the client ends").unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the client says: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn expect_both_protocols(done: &serde_json::Value) {
    let visits = done["visits"].as_array().unwrap();
    assert_eq!(visits.len(), 2, "{done}");
    assert!(visits[0]["protocol"].as_str().unwrap() < "2026-07-28", "{done}");
    assert_eq!(visits[1]["protocol"], "2026-07-28", "{done}");
    visits.iter().for_each(expect_told);
}

fn expect_told(visit: &serde_json::Value) {
    assert_eq!(visit["level"], "extreme", "{visit}");
    assert!(visit["changes"].as_u64().unwrap() > 0, "it read the level without being told: {visit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http_it_is_told_of_the_storm() {
    let Some(python) = python() else { return };
    let desk = FakeDesk::with_storm(at(NOW), Some(STORM_AFTER));
    let options = HttpOptions { bind: "127.0.0.1:0".parse().unwrap(), ..HttpOptions::default() };
    let stop = CancellationToken::new();
    let listener = listen(&options, false).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(serve(
        listener,
        router(door(&desk), Callers::local_only(), &options, stop.clone()).unwrap(),
        stop.clone(),
    ));
    expect_both_protocols(&client(python, &["--wait-level", "extreme", "--url", &url]).await);
    stop.cancel();
}

/// The client starts a command and speaks with it on stdio; here the command only joins its stdio to this process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_stdio_it_is_told_of_the_storm() {
    let Some(python) = python() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let stop = CancellationToken::new();
    let ended = stop.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let desk = FakeDesk::with_storm(at(NOW), Some(STORM_AFTER));
            let (reader, writer) = stream.into_split();
            tokio::spawn(serve_stdio(door(&desk), reader, writer, ended.clone()));
        }
    });
    let joined = foreign("socket_stdio.py");
    let command = [python.to_str().unwrap(), joined.to_str().unwrap(), &port];
    let done = client(python, &[&["--wait-level", "extreme", "--stdio"], &command[..]].concat()).await;
    expect_both_protocols(&done);
    assert!(done["lines"].as_u64().unwrap() >= 6, "{done}");
    stop.cancel();
}

/// The program itself on the bundled day: an invented tornado reaches Larkfield 22 minutes after its start.
const PROGRAM: &str = env!("CARGO_BIN_EXE_stormbell");
const LARKFIELD: [&str; 6] = ["--lat", "37.74", "--lon", "-98.21", "--wait-level", "extreme"];
/// Quick enough for a test, slow enough that the client is there before the storm.
const SPEED: &str = "60";

fn bundled_day() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_on_stdio_tells_it_of_the_recorded_storm() {
    let Some(python) = python() else { return };
    let day = bundled_day();
    let command = ["--stdio", PROGRAM, "mcp", "--archive", day.to_str().unwrap(), "--speed", SPEED];
    expect_both_protocols(&client(python, &[&LARKFIELD[..], &command[..]].concat()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_over_http_tells_it_of_the_recorded_storm() {
    let Some(python) = python() else { return };
    // One run of the day for each protocol: the second visit would come after the storm otherwise.
    for mode in ["legacy", "2026-07-28"] {
        let mut program = Command::new(PROGRAM)
            .args(["serve", "--port", "0", "--speed", SPEED, "--archive"])
            .arg(bundled_day())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
        let url = loop {
            let line = lines.next_line().await.unwrap().expect("the address before the end");
            if let Some((_, url)) = line.split_once("MCP at ") {
                break url.to_owned();
            }
        };
        // Read on, so that the program never waits for a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let done = client(python, &[&LARKFIELD[..], &["--modes", mode, "--url", &url]].concat()).await;
        expect_told(&done["visits"][0]);
        program.kill().await.unwrap();
    }
}
