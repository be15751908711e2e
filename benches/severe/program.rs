//! The program itself, as a process: from its start to an answer over MCP, and `debug decode` over every recorded file.

use super::{Peer, at, ms, shared, times, verdict};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use stormbell::clock::{Clock, Stopwatch};

/// Targets of a brief over MCP from a recorded day.
const COLD_S: f64 = 1.0;
const COLD_MB: f64 = 250.0;
/// Aims of `debug decode` on any file.
const FILE_S: f64 = 2.0;
const FILE_MB: f64 = 300.0;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The most memory that a process has held so far, MB; `None` where the system does not tell.
fn peak_mb(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()? / 1024.0)
}

fn mb(peak: Option<f64>) -> String {
    peak.map_or_else(|| "not told by this system".to_owned(), |mb| format!("{mb:.0} MB"))
}

/// A client that says just enough.
struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    fn start(day: &Path, nowhere: &Path) -> Self {
        let mut child = program()
            .args(["mcp", "--archive"])
            .arg(day)
            .current_dir(nowhere)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, to, from, asked: 0 };
        let info = json!({"name": "bench", "version": "0"});
        client.ask("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}));
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the program ended");
            let heard: Value = serde_json::from_str(&line).unwrap();
            if heard["id"] == id {
                return heard["result"].clone();
            }
        }
    }

    fn brief(&mut self) -> Value {
        let arguments = json!({"lat": 40.52, "lon": -92.90});
        let result = self.ask("tools/call", &json!({"name": "get_threat_brief", "arguments": arguments}));
        assert!(result["structuredContent"]["data"]["threat_level"].is_string(), "{result}");
        result["structuredContent"].clone()
    }
}

/// One process, two questions.
struct Asked {
    initialised: Duration,
    cold: Duration,
    warm: Duration,
    cold_mb: Option<f64>,
    warm_mb: Option<f64>,
    answer: Value,
}

fn ask(day: &Path, nowhere: &Path) -> Asked {
    let watch = Stopwatch::start();
    let mut client = Client::start(day, nowhere);
    let initialised = watch.elapsed();
    let answer = client.brief();
    let cold = watch.elapsed();
    let pid = client.child.id();
    let cold_mb = peak_mb(pid);
    let watch = Stopwatch::start();
    client.brief();
    let warm = watch.elapsed();
    let warm_mb = peak_mb(pid);
    let Client { mut child, to, from, .. } = client;
    drop((to, from));
    child.kill().ok();
    child.wait().unwrap();
    Asked { initialised, cold, warm, cold_mb, warm_mb, answer }
}

/// The recorded day, begun at another time.
fn day_from(day: &Path, from: &str, into: &Path) {
    std::fs::create_dir_all(into).unwrap();
    for entry in std::fs::read_dir(day).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            let folder = into.join(&name);
            std::fs::create_dir_all(&folder).unwrap();
            for file in std::fs::read_dir(&path).unwrap().flatten() {
                std::fs::write(folder.join(file.file_name()), std::fs::read(file.path()).unwrap()).unwrap();
            }
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            let begins =
                |line: &str| if line.starts_with("from = ") { format!("from = \"{from}\"") } else { line.to_owned() };
            let is_head = name == "archive.toml";
            let text = if is_head { text.lines().map(begins).collect::<Vec<_>>().join("\n") } else { text };
            std::fs::write(into.join(&name), text).unwrap();
        }
    }
}

pub fn over_stdio(peer: &Peer) {
    println!("\nThe program: get_threat_brief over MCP stdio from the recorded day, at 40.52 -92.90");
    let start = times(9, |_| program().arg("--version").status().unwrap());
    println!("  bound: `--version` as a process {:.1} ms", ms(at(&start, 0.5)));
    let nowhere = tempfile::tempdir().unwrap();
    let day = shared("data/days/2026-06-10");
    let storm = nowhere.path().join("storm");
    day_from(&day, "2026-06-10T21:47:00Z", &storm);
    for (what, day) in [("at the day's begin, 21:15Z", &day), ("in the storm, 21:47Z", &storm)] {
        let mut all: Vec<Asked> = (0..7).map(|_| ask(day, nowhere.path())).collect();
        all.sort_by_key(|asked| asked.cold);
        let middle = &all[all.len() / 2];
        let worst_s = all.last().unwrap().cold.as_secs_f64();
        let most_mb = all.iter().filter_map(|asked| asked.warm_mb).reduce(f64::max);
        println!("  {what}: level {}", middle.answer["data"]["threat_level"]);
        println!(
            "    cold, from the start of the process: median {:.0} ms (initialized after {:.0} ms), worst {:.0} ms, {:.1} x bound",
            ms(middle.cold),
            ms(middle.initialised),
            worst_s * 1e3,
            ms(middle.cold) / ms(at(&start, 0.5))
        );
        println!("    asked again {:.2} ms", ms(middle.warm));
        println!("    peak memory {} after the first answer, at most {}", mb(middle.cold_mb), mb(most_mb));
        println!("    target: worst <= {COLD_S} s: {}", verdict(worst_s <= COLD_S));
        println!("    target: at most {COLD_MB} MB: {}", most_mb.map_or("not told", |most| verdict(most <= COLD_MB)));
        println!(
            "    the peer: cold {:.0} s, warm {:.0} s, {:.0} MB: {:.0} times as long cold",
            peer.figure("threat_brief_offline", "first_s"),
            peer.figure("threat_brief_offline", "warm_median_s"),
            peer.figure("threat_brief_offline", "peak_rss_mb"),
            peer.figure("threat_brief_offline", "first_s") / middle.cold.as_secs_f64()
        );
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

/// What became of one file.
struct Decoded {
    what: String,
    time: Duration,
    peak: Option<f64>,
    exit: Option<i32>,
}

fn decode(arguments: &[&str], file: &Path) -> Decoded {
    let watch = Stopwatch::start();
    let mut child = program().arg("debug").args(arguments).arg(file).arg("--json").spawn().unwrap();
    let mut peak = None;
    // The figure only grows: what is missed is what the last half millisecond added.
    let status = loop {
        peak = peak_mb(child.id()).or(peak);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => Clock::block_for(Duration::from_micros(500)),
        }
    };
    let what =
        format!("{} {}", arguments.join(" "), file.strip_prefix(shared("data/recorded")).unwrap_or(file).display());
    Decoded { what, time: watch.elapsed(), peak, exit: status.code() }
}

/// `debug decode` over everything; the folder tells the decoder, and odd files are given to all of them.
pub fn every_file() {
    const SOURCES: [&str; 7] = ["nws", "mrms", "spc", "rap", "lsr", "glm", "level2"];
    println!("\nThe program: debug decode as a process, every recorded file");
    let mut all: Vec<Decoded> = Vec::new();
    for (folder, source) in [
        ("spc", "spc"),
        ("model", "rap"),
        ("lsr", "lsr"),
        ("nexrad", "level2"),
        ("glm", "glm"),
        ("soundings", "sounding"),
        ("mrms", "mrms"),
        ("nws-alerts", "nws"),
        ("odd", ""),
    ] {
        let mut files = Vec::new();
        files_below(&shared("data/recorded").join(folder), &mut files);
        files.sort();
        for file in &files {
            match source {
                "" => all.extend(SOURCES.map(|source| decode(&["decode", source], file))),
                "sounding" => all.push(decode(&["sounding"], file)),
                source => all.push(decode(&["decode", source], file)),
            }
        }
    }
    let ended = |code: i32| all.iter().filter(|decoded| decoded.exit == Some(code)).count();
    println!("  {} runs: {} read, {} refused", all.len(), ended(0), ended(1));
    for decoded in all.iter().filter(|decoded| !matches!(decoded.exit, Some(0 | 1))) {
        println!("  OTHERWISE: {} exit {:?}", decoded.what, decoded.exit);
    }
    all.sort_by_key(|decoded| std::cmp::Reverse(decoded.time));
    for decoded in all.iter().take(3) {
        println!("  slowest: {:.3} s, {}: {}", decoded.time.as_secs_f64(), mb(decoded.peak), decoded.what);
    }
    println!("  aim: {FILE_S} s: {}", verdict(all.iter().all(|decoded| decoded.time.as_secs_f64() <= FILE_S)));
    all.sort_by(|a, b| b.peak.unwrap_or(0.0).total_cmp(&a.peak.unwrap_or(0.0)));
    for decoded in all.iter().take(3) {
        println!("  largest: {}, {:.3} s: {}", mb(decoded.peak), decoded.time.as_secs_f64(), decoded.what);
    }
    println!("  aim: {FILE_MB} MB: {}", verdict(all.iter().all(|decoded| decoded.peak.is_none_or(|mb| mb <= FILE_MB))));
}
