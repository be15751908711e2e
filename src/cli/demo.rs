//! `demo`: replays the bundled day and says in words what happens. The day is embedded in the program, so that an
//! installed binary shows it as well; it needs no network.

use crate::app::{self, ReplayEvent, ReplayOptions, ReplaySummary, Setup};
use crate::cli::fail::Failure;
use crate::cli::parse::{self, NamedPlace, Speed};
use crate::cli::print::{self, Reader};
use crate::cli::replay;
use crate::notice::NoticeReason;
use crate::threat::{DISCLAIMER, Level};
use anstyle::{AnsiColor, Style};
use include_dir::{Dir, include_dir};
use jiff::Timestamp;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every recorded day that is bundled: one.
static DAYS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/days");
/// The bundled day, invented from the first byte to the last (see fixtures/README.md).
pub const DAY: &str = "2031-05-09";
/// The town that the storm crosses, and one that it leaves alone.
const WATCHES: [&str; 2] = ["larkfield,37.74,-98.21", "fernhill,37.35,-97.30"];

/// Replays the bundled day; with `json` prints what `replay --json` would.
///
/// # Errors
/// When the day cannot be laid out in a temporary directory.
pub fn run(setup: &Setup, json: bool) -> Result<(), Failure> {
    let place = tempfile::tempdir().map_err(|error| unpacked("a temporary directory", &error))?;
    let archive = unpack(place.path())?;
    // The demo never touches a store that somebody uses.
    let setup = Setup { config: setup.config.clone(), data_dir: None };
    let options = ReplayOptions { archive, watches: watches()?, speed: Speed::Max, from: None, until: None, setup };
    if json {
        return replay::run(&options, true);
    }
    for line in INTRODUCTION {
        print::line(line);
    }
    let shown = AtomicUsize::new(0);
    let tell = move |event: ReplayEvent| {
        let due = SCENES.iter().filter(|(at, _)| at.parse::<Timestamp>().is_ok_and(|at| at <= at_of(&event))).count();
        let new = shown.swap(due, Ordering::Relaxed)..due;
        for (at, scene) in SCENES.get(new).unwrap_or_default() {
            print::line(&format!("\n{at}  {scene}"));
        }
        match print::line(&told(&event)) {
            Reader::Listening => ControlFlow::Continue(()),
            Reader::Gone => ControlFlow::Break(()),
        }
    };
    let summary = app::replay(&options, Arc::new(tell))?;
    print::line(&closing(&summary));
    Ok(())
}

const INTRODUCTION: [&str; 10] = [
    "stormbell demo: an invented evening in Kansas, from the feeds to the bell.",
    "",
    "Two places are watched. Larkfield lies in the path of a storm, Fernhill 90 km away does not. What follows is the",
    "real pipeline over recorded answers of every upstream (warnings, outlooks, radar, the model's air, storm reports,",
    "lightning), on a virtual clock: three hours in seconds. Watch for the severe thunderstorm warning, the tornado",
    "warning, its update to an observed tornado, the warnings feed failing for eight minutes while the warning is in",
    "force (nothing may be lowered then), the cancellation, and how radar's 60-minute look-back and then the report of",
    "the tornado keep the level up until they have passed as well.",
    "In real use every notice goes out by email or MCP; here notices are recorded only.",
    "",
];

/// What happens in the day that no level change tells, in order of time.
const SCENES: [(&str, &str); 9] = [
    (
        "2031-05-09T21:19:00Z",
        "(the warnings feed answers with a web page, once: refused, asked again, nothing changes)",
    ),
    (
        "2031-05-09T21:25:10Z",
        "(the warnings feed fails with 503 until 21:33: the warning goes on by the clock, nothing is lowered)",
    ),
    ("2031-05-09T21:32:00Z", "(the storm is over Larkfield)"),
    (
        "2031-05-09T21:38:30Z",
        "(the tornado of 21:28 is reported, nine minutes late: it explains and cannot raise higher)",
    ),
    ("2031-05-09T21:48:10Z", "(the tornado warning is cancelled: ten minutes must pass before that is believed)"),
    ("2031-05-09T22:30:00Z", "(the watch ends; radar of the last hour still shows the rotation that passed the town)"),
    ("2031-05-09T22:38:30Z", "(the first radar hour without rotation or hail)"),
    ("2031-05-09T23:03:00Z", "(the hail report is 90 minutes old: no storm counts as active any more)"),
    ("2031-05-09T23:28:00Z", "(the tornado report is two hours old; what remains is the outlook's Slight risk)"),
];

fn at_of(event: &ReplayEvent) -> Timestamp {
    match event {
        ReplayEvent::LevelChange { change, .. } => change.at_utc,
        ReplayEvent::Notice { delivery, .. } => delivery.decided_utc,
        ReplayEvent::Assessment { assessment, .. } => assessment.at_utc,
    }
}

fn closing(summary: &ReplaySummary) -> String {
    format!(
        "\n{}\nThe same day with real doors: stormbell serve --archive fixtures/days/{DAY} --speed 60\n{DISCLAIMER}",
        replay::summary_text(summary)
    )
}

/// One event with what it means.
fn told(event: &ReplayEvent) -> String {
    let text = replay::event_text(event);
    match event {
        ReplayEvent::LevelChange { change, .. } => {
            let style = style_of(change.to);
            let (head, rest) = text.split_once('\n').map_or((text.as_str(), ""), |(head, rest)| (head, rest));
            let means = if change.to > change.from {
                "evidence rose: a level goes up at once"
            } else {
                "the evidence ended and stayed away for ten minutes: only then does a level go down"
            };
            format!("\n{style}{head}{style:#}\n    ({means})\n{rest}").trim_end().to_owned()
        }
        ReplayEvent::Notice { delivery, .. } => {
            let means = match delivery.reason {
                NoticeReason::Raised => "the bell rings",
                NoticeReason::Lowered => "told that it has eased, not that it is over",
                NoticeReason::AllClear if delivery.level > Level::None => {
                    "told that it is below the level that was asked for, not that it is over"
                }
                NoticeReason::AllClear => "told that it is over, and why",
                NoticeReason::WentBlind => "told that nothing can be seen any more; silence is not safety",
                NoticeReason::SeesAgain => "told that sight is back",
                NoticeReason::Test => "a test",
                NoticeReason::Digest => "what was held",
                NoticeReason::Confirmation => "a confirmation",
            };
            format!("{text}\n    ({means})")
        }
        ReplayEvent::Assessment { .. } => format!("\n{text}"),
    }
}

fn style_of(level: Level) -> Style {
    let colour = match level {
        Level::None => AnsiColor::Green,
        Level::Marginal => AnsiColor::Cyan,
        Level::Elevated => AnsiColor::Yellow,
        Level::Significant => AnsiColor::Magenta,
        Level::Extreme => AnsiColor::Red,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// The places that the demo watches.
fn watches() -> Result<Vec<NamedPlace>, Failure> {
    let parsed: Result<_, String> = WATCHES.into_iter().map(parse::named_place).collect();
    parsed.map_err(|why| Failure::new("failed", why, ""))
}

/// Lays the bundled day out under `place` and gives its folder.
fn unpack(place: &Path) -> Result<PathBuf, Failure> {
    DAYS.extract(place).map_err(|error| unpacked("the bundled day", &error))?;
    Ok(place.join(DAY))
}

fn unpacked(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(
        "failed",
        format!("{what} cannot be laid out: {error}"),
        "set TMPDIR to a directory that can be written",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::replay::tests::a_change;

    #[test]
    fn the_day_is_in_the_program_and_the_places_are_good() {
        let place = tempfile::tempdir().unwrap();
        let day = unpack(place.path()).unwrap();
        assert!(day.join("archive.toml").is_file() && day.join("timeline.jsonl").is_file());
        assert_eq!(watches().unwrap().len(), 2);
    }

    #[test]
    fn changes_are_explained() {
        assert!(told(&a_change(Level::None, Level::Extreme)).contains("goes up at once"));
        assert!(told(&a_change(Level::Extreme, Level::Elevated)).contains("ten minutes"));
    }
}
