//! A day with each source out in turn: what goes out then, listed for a person to read and to judge, in `fixtures/outages/`.
//!
//! `STORMBELL_BLESS=1` writes the lists anew. Whatever they say, three things are checked: nothing that the undisturbed day
//! tells as raised is missing, where the outage does not keep it from being heard; no level falls below that of the
//! undisturbed day; no all-clear is told while something could mean as much as what was told.

mod cases;

use crate::faulted_day::{self, FaultedDay};
use crate::shared;
use cases::{BUNDLED, RECORDED};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use stormbell::app::{self, ReplayEvent, ReplayOptions, Setup};
use stormbell::cli::parse::{self, Speed};
use stormbell::threat::{ChangeCause, Level, LevelChange};

/// One source out for a while.
struct Outage {
    source: &'static str,
    from: &'static str,
    to: &'static str,
    /// What a reader should find, reckoned by hand from levels.md.
    why: &'static str,
}

/// A day, its watch points and its outages.
struct Day {
    name: &'static str,
    folder: PathBuf,
    watches: [&'static str; 2],
    outages: &'static [Outage],
}

const HEADER: &str = "\
What goes out on a recorded day while one of its sources is out. Written by tests/it/outages.rs, renewed by STORMBELL_BLESS=1.

First the day as it was. Then a section for each outage: which source, from when to when (Z), what should follow from levels.md,
and what went out. Every answer of that source fails in this time (503; listings of buckets too); what it had to say comes when
it is back. A line is a move of a level with its cause, or a notice without one; `told` is what went to people. Below a move
stands what the new level rests on, with why it is held where it is. Lines that the undisturbed day does not have at that
time begin with `+`; what it had and this one has not is listed with `-` at the end of the section.
";

/// What a line of the timeline is about, as far as an outage is concerned.
fn source_of(line: &Value) -> Option<&'static str> {
    if let Some(bucket) = line["s3"]["bucket"].as_str() {
        return match bucket {
            "noaa-mrms-pds" => Some("mrms"),
            "noaa-goes19" | "noaa-goes18" => Some("goes_glm"),
            _ => None,
        };
    }
    let path = line["http"]["path"].as_str()?;
    match line["http"]["host"].as_str()? {
        "api.weather.gov" if path.starts_with("/points/") => Some("nws_zones"),
        "api.weather.gov" => Some("nws_warnings"),
        "www.spc.noaa.gov" => Some("spc_outlooks"),
        "nomads.ncep.noaa.gov" => Some("rap_profiles"),
        "mesonet.agron.iastate.edu" if path == "/geojson/lsr.geojson" => Some("iem_reports"),
        "mesonet.agron.iastate.edu" if path.contains("spc") => Some("spc_mesoscale"),
        _ => None,
    }
}

/// A copy of the day in which the source answers nothing but errors for a while, and has caught up when it is back.
fn out(day: &Path, outage: &Outage) -> FaultedDay {
    let instant = |line: &Value| line["at"].as_str().unwrap().parse::<Timestamp>().unwrap();
    let (from, to): (Timestamp, Timestamp) = (outage.from.parse().unwrap(), outage.to.parse().unwrap());
    let text = std::fs::read_to_string(day.join("timeline.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_ours = |line: &&Value| source_of(line) == Some(outage.source);
    let mut faulted: Vec<Value> = Vec::new();
    // The answers as they stood when it went out, by request; then what came meanwhile, all when it is back.
    let mut stood: BTreeMap<String, Value> = BTreeMap::new();
    let mut requests: BTreeSet<String> = BTreeSet::new();
    let mut buckets: BTreeSet<String> = BTreeSet::new();
    for line in lines.iter().filter(is_ours) {
        if let Some(bucket) = line["s3"]["bucket"].as_str() {
            buckets.insert(bucket.to_owned());
        } else if instant(line) < to {
            requests.insert(line["http"].to_string());
            if instant(line) < from {
                stood.insert(line["http"].to_string(), line.clone());
            }
        }
    }
    assert!(!requests.is_empty() || !buckets.is_empty(), "the day has nothing of {}", outage.source);
    for line in &lines {
        if !(is_ours(&line) && (from..to).contains(&instant(line))) {
            faulted.push(line.clone());
        }
    }
    for request in requests {
        let http: Value = serde_json::from_str(&request).unwrap();
        faulted.push(json!({"at": outage.from, "http": http, "fault": "status:503"}));
        faulted.extend(stood.remove(&request).map(|line| at(line, outage.to)));
    }
    for bucket in buckets {
        let s3 = json!({"bucket": bucket});
        faulted.push(json!({"at": outage.from, "s3": s3, "list_fault": "status:503"}));
        faulted.push(json!({"at": outage.to, "s3": s3}));
    }
    let late = lines.iter().filter(is_ours).filter(|line| (from..to).contains(&instant(line)));
    faulted.extend(late.map(|line| at(line.clone(), outage.to)));
    let copy = faulted_day::lay(day, &[]);
    let text: String = faulted.iter().map(|line| format!("{line}\n")).collect();
    copy.file("timeline.jsonl", text.as_bytes());
    copy
}

fn at(mut line: Value, instant: &str) -> Value {
    line["at"] = json!(instant);
    line
}

/// What happened to one watch point at one instant.
struct Happened {
    at: Timestamp,
    watch: String,
    change: Option<LevelChange>,
    told: Vec<&'static str>,
}

impl Happened {
    /// One line without its time.
    fn what(&self) -> String {
        let told = if self.told.is_empty() { String::new() } else { format!("   told: {}", self.told.join(", ")) };
        match &self.change {
            Some(change) => {
                let cause = match change.cause {
                    ChangeCause::Raised => "",
                    ChangeCause::Lowered => " (ended)",
                    ChangeCause::SightLost => " (sight lost)",
                };
                format!("{}: {} -> {}{cause}{told}", self.watch, change.from, change.to)
            }
            None => format!("{}:{told}", self.watch),
        }
    }

    /// What the level rests on now.
    fn rests_on(&self) -> Vec<String> {
        let Some(change) = &self.change else { return Vec::new() };
        let supports = change.supports.iter().filter(|support| support.reason.level == change.to);
        let line = |text: &str, held: &Option<String>| match held {
            Some(why) => format!("{text} [held: {why}]"),
            None => text.to_owned(),
        };
        supports
            .map(|support| line(&format!("{} ({})", support.reason.rule, support.reason.subject), &support.held))
            .collect()
    }
}

fn lived_through(day: &Path, watches: &[&str]) -> Vec<Happened> {
    let options = ReplayOptions {
        archive: day.to_owned(),
        watches: watches.iter().map(|text| parse::named_place(text).unwrap()).collect(),
        speed: Speed::Max,
        from: None,
        until: None,
        setup: Setup::default(),
    };
    let events: Arc<Mutex<Vec<Happened>>> = Arc::default();
    let seen = Arc::clone(&events);
    let tell = move |event: ReplayEvent| {
        let mut seen = seen.lock().unwrap();
        match event {
            ReplayEvent::LevelChange { watch, change } => {
                seen.push(Happened { at: change.at_utc, watch, change: Some(*change), told: Vec::new() });
            }
            ReplayEvent::Notice { watches, delivery } => {
                for watch in watches {
                    let reason = delivery.reason.as_str();
                    let same = seen.iter_mut().find(|held| held.at == delivery.decided_utc && held.watch == watch);
                    match same {
                        Some(held) => held.told.push(reason),
                        None => {
                            seen.push(Happened { at: delivery.decided_utc, watch, change: None, told: vec![reason] })
                        }
                    }
                }
            }
            ReplayEvent::Assessment { .. } => {}
        }
        ControlFlow::Continue(())
    };
    app::replay(&options, Arc::new(tell)).unwrap();
    std::mem::take(&mut events.lock().unwrap())
}

/// The level that stands at an instant.
fn level_at(day: &[Happened], watch: &str, now: Timestamp) -> Level {
    let moves = day.iter().filter(|held| held.watch == watch && held.at <= now);
    moves.filter_map(|held| held.change.as_ref()).next_back().map_or(Level::None, |change| change.to)
}

fn clock(at: Timestamp) -> String {
    at.strftime("%H:%M:%S").to_string()
}

fn list(text: &mut String, day: &[Happened], undisturbed: Option<&[Happened]>) {
    let key = |held: &Happened| (held.at, held.what());
    let known: BTreeSet<_> = undisturbed.into_iter().flatten().map(key).collect();
    for held in day {
        let new = undisturbed.is_some() && !known.contains(&key(held));
        let _ = writeln!(text, "{} {}  {}", if new { '+' } else { ' ' }, clock(held.at), held.what());
        for line in held.rests_on() {
            let _ = writeln!(text, "                {line}");
        }
    }
    let ours: BTreeSet<_> = day.iter().map(key).collect();
    for (at, what) in known.difference(&ours) {
        let _ = writeln!(text, "- {}  {what}", clock(*at));
    }
}

/// What must be true of any outage, whatever the list says.
fn check(outage: &Outage, day: &[Happened], undisturbed: &[Happened]) {
    // A source that is back is asked again within a minute, one that wants to be left alone within ten (`sources::Source`).
    let asked_again = SignedDuration::from_mins(if outage.source == "iem_reports" { 10 } else { 1 });
    let heard_by = outage.to.parse::<Timestamp>().unwrap() + asked_again;
    for held in day {
        let told = format!("{} out: {} {}", outage.source, clock(held.at), held.what());
        let Some(change) = &held.change else { continue };
        if change.to < change.from {
            assert!(change.to >= level_at(undisturbed, &held.watch, held.at), "lower than the undisturbed day: {told}");
        }
        if held.told.contains(&"all_clear") {
            let could = change.assessment.blind_spots.iter().find(|spot| spot.could_raise_to >= change.from);
            assert!(could.is_none(), "an all-clear in the dark: {told}, {could:?}");
        }
    }
    for raised in undisturbed.iter().filter(|held| held.told.contains(&"raised")) {
        let level = raised.change.as_ref().unwrap().to;
        // Heard late because of the outage, or as ever: a level that the source itself raised stands once it is back.
        let by = raised.at.max(heard_by);
        let heard = level_at(day, &raised.watch, raised.at) >= level;
        let risen = day.iter().filter_map(|held| Some((held, held.change.as_ref()?)));
        let later =
            risen.into_iter().any(|(held, change)| held.watch == raised.watch && held.at <= by && change.to >= level);
        let stands = level_at(undisturbed, &raised.watch, by) < level;
        assert!(heard || later || stands, "{} out: {} {} is missing", outage.source, clock(raised.at), raised.what());
    }
}

fn compare(day: &Day) {
    let undisturbed = lived_through(&day.folder, &day.watches);
    let mut text = format!("{HEADER}\n## {}: nothing out\n", day.name);
    list(&mut text, &undisturbed, None);
    for outage in day.outages {
        let faulted = lived_through(out(&day.folder, outage).path(), &day.watches);
        let (from, to) = (&outage.from[11..16], &outage.to[11..16]);
        let _ = writeln!(text, "\n## {} is out from {from} to {to}", outage.source);
        for line in outage.why.lines() {
            let _ = writeln!(text, "# {}", line.trim());
        }
        list(&mut text, &faulted, Some(&undisturbed));
        check(outage, &faulted, &undisturbed);
    }
    let snapshot = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/outages/{}.txt", day.name));
    if std::env::var_os("STORMBELL_BLESS").is_some() {
        std::fs::create_dir_all(snapshot.parent().unwrap()).unwrap();
        std::fs::write(&snapshot, &text).unwrap();
    }
    let held = std::fs::read_to_string(&snapshot).unwrap_or_default();
    let differs = text.lines().zip(held.lines()).position(|(now, then)| now != then);
    assert!(
        text == held,
        "{} differs from line {:?} on; STORMBELL_BLESS=1 renews it:\n{text}",
        snapshot.display(),
        differs.map(|n| n + 1)
    );
}

#[test]
fn the_bundled_day_with_each_source_out_in_turn() {
    compare(&Day {
        name: "2031-05-09",
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09"),
        watches: ["larkfield,37.74,-98.21", "fernhill,37.35,-97.30"],
        outages: BUNDLED,
    });
}

#[test]
fn the_recorded_day_with_each_source_out_in_turn() {
    let Some(folder) = shared::path("data/days/2026-06-10") else { return };
    compare(&Day {
        name: "2026-06-10",
        folder,
        watches: ["unionville,40.52,-92.90", "moore,35.34,-97.49"],
        outages: RECORDED,
    });
}
