//! What may not be written, where, and how large a room may be.

use super::{File, floors};

/// No room is larger, whatever its reason.
const LINES_NEVER: usize = 600;
/// Above this a room needs a reason.
const LINES_WITHOUT_REASON: usize = 400;
/// Rooms between the two figures, with the reason for each.
const LARGE_ROOMS: &[(&str, &str)] =
    &[("tests/it/mcp_door.rs", "one test a promise of the protocol, over one client that all share")];

/// Rooms that are too large, and reasons that are no longer needed.
pub fn large_rooms(files: &[File]) -> Vec<String> {
    too_large(files, LARGE_ROOMS)
}

fn too_large(files: &[File], reasons: &[(&str, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        let reason = reasons.iter().find(|(path, _)| *path == file.path);
        if lines > LINES_NEVER {
            complaints.push(format!("{}: {lines} lines; {LINES_NEVER} is the end", file.path));
        } else if lines > LINES_WITHOUT_REASON && reason.is_none() {
            complaints.push(format!("{}: {lines} lines without a reason in LARGE_ROOMS", file.path));
        } else if lines <= LINES_WITHOUT_REASON && reason.is_some() {
            complaints.push(format!("{}: {lines} lines; take it off LARGE_ROOMS", file.path));
        }
    }
    let gone = |path: &str| !files.iter().any(|file| file.path == path);
    complaints.extend(reasons.iter().filter(|(path, _)| gone(path)).map(|(path, _)| format!("{path}: no such room")));
    complaints
}

/// One banned word: where it is allowed, and why it is banned elsewhere.
struct Ban {
    word: &'static str,
    allowed: fn(&File) -> bool,
    why: &'static str,
}

const BANS: &[Ban] = &[
    Ban { word: "println!", allowed: is_print, why: "stdout belongs to answers: use cli::print" },
    Ban { word: "print!", allowed: is_print, why: "stdout belongs to answers: use cli::print" },
    Ban { word: "stdout()", allowed: is_print, why: "stdout belongs to answers: use cli::print" },
    Ban { word: "dbg!", allowed: never, why: "a leftover" },
    Ban { word: "Timestamp::now", allowed: is_clock, why: "only clock.rs reads clocks" },
    Ban { word: "Zoned::now", allowed: is_clock, why: "only clock.rs reads clocks" },
    Ban { word: "Instant::now", allowed: is_clock, why: "only clock.rs reads clocks" },
    Ban { word: "SystemTime", allowed: is_clock, why: "only clock.rs reads clocks" },
    Ban { word: "tokio::time", allowed: is_clock, why: "only clock.rs reads clocks and waits" },
    Ban { word: "thread::sleep", allowed: is_clock, why: "only clock.rs waits" },
    Ban { word: "sleep(", allowed: may_wait, why: "plugs, the store and the pure floors never wait" },
    Ban { word: "ractor", allowed: knows_actors, why: "actors begin on floor 4" },
    Ban { word: "tokio", allowed: does_io, why: "floors 0 and 1 are pure" },
    Ban { word: "reqwest", allowed: does_io, why: "floors 0 and 1 are pure" },
    Ban { word: "std::fs", allowed: does_io, why: "floors 0 and 1 are pure" },
    Ban { word: "std::net", allowed: does_io, why: "floors 0 and 1 are pure" },
    Ban { word: "std::env", allowed: does_io, why: "floors 0 and 1 are pure" },
    Ban { word: ".unwrap()", allowed: never, why: "outside tests an error is a value" },
    Ban { word: ".expect(", allowed: never, why: "outside tests an error is a value" },
    Ban { word: "panic!", allowed: never, why: "outside tests an error is a value" },
    Ban { word: "unreachable!", allowed: never, why: "outside tests an error is a value" },
    Ban { word: "todo!", allowed: never, why: "nothing is left behind" },
    Ban { word: "unimplemented!", allowed: never, why: "nothing is left behind" },
    Ban { word: "include!", allowed: never, why: "code is not pasted in" },
];

fn never(_: &File) -> bool {
    false
}

fn is_print(file: &File) -> bool {
    file.path == "src/cli/print.rs"
}

fn is_clock(file: &File) -> bool {
    file.path == "src/clock.rs"
}

/// `outside` waits where a recorded day says that the upstream is slow.
fn may_wait(file: &File) -> bool {
    is_clock(file) || floor_of(file) >= 4 || file.modules()[0] == "outside"
}

fn knows_actors(file: &File) -> bool {
    floor_of(file) >= 4
}

fn does_io(file: &File) -> bool {
    floor_of(file) >= 2
}

fn floor_of(file: &File) -> u8 {
    floors::floor(file.modules()[0]).unwrap_or(0)
}

/// Banned words in code that is built into the program.
pub fn banned_words(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (number, line) in file.code.lines().enumerate() {
            for ban in BANS.iter().filter(|ban| holds_word(line, ban.word) && !(ban.allowed)(file)) {
                complaints.push(format!("{}:{}: {} ({})", file.path, number + 1, ban.word, ban.why));
            }
        }
    }
    complaints
}

/// Whether `word` stands in the line by itself: not as the end or the beginning of a longer word.
fn holds_word(line: &str, word: &str) -> bool {
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let longer_before = word.starts_with(plain) && part_of_word(line[..at].chars().next_back());
        let longer_after = word.ends_with(plain) && part_of_word(line[at + word.len()..].chars().next());
        !longer_before && !longer_after
    })
}

/// Words too vague for the name of a room.
const VAGUE: [&str; 8] = ["manager", "handler", "helper", "util", "utils", "service", "engine", "common"];

/// File and module names that say nothing.
pub fn banned_names(files: &[File]) -> Vec<String> {
    let vague =
        |name: &str| name.split('_').any(|part| VAGUE.contains(&part.trim_end_matches('s')) || VAGUE.contains(&part));
    let mut complaints = Vec::new();
    for file in files {
        complaints.extend(
            file.modules().into_iter().filter(|m| vague(m)).map(|m| format!("{}: {m} is a vague name", file.path)),
        );
        let inline = file.code.split("mod ").skip(1).map(|rest| rest.split([' ', ';', '{']).next().unwrap_or(""));
        complaints.extend(inline.filter(|m| vague(m)).map(|m| format!("{}: mod {m} is a vague name", file.path)));
    }
    complaints
}

/// Files that do not begin by saying what they are.
pub fn undescribed(files: &[File]) -> Vec<String> {
    let described = |file: &&File| file.text.starts_with("//!") || file.path.ends_with("/tests.rs");
    files.iter().filter(|file| !described(file)).map(|file| format!("{}: does not begin with //!", file.path)).collect()
}

/// Folders that exist on one machine only. In two parts, so that this file does not hold them.
const MACHINE_FOLDERS: [(&str, &str); 5] =
    [("/wo", "rk/"), ("/ho", "me/"), ("/ro", "ot/"), ("/Us", "ers/"), ("C:", "\\\\")];

/// Absolute paths of one machine, in any kind of file.
pub fn machine_paths(files: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in files {
        for folder in MACHINE_FOLDERS.map(|(a, b)| format!("{a}{b}")) {
            // `~/x`, `$HOME/x` and `a/work/b` are not absolute.
            let absolute = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~}/*".contains(c));
            if text.match_indices(&folder).any(|(at, _)| absolute(at)) {
                complaints.push(format!("{path}: holds {folder}"));
            }
        }
        let shared = |line: &str| line.contains("include_") && line.contains(concat!("../", "shared"));
        if text.lines().any(shared) {
            complaints.push(format!("{path}: builds in a file from outside the repository"));
        }
    }
    complaints
}

#[test]
fn words_are_found_by_place_and_whole() {
    let found = |path: &str, text: &str| banned_words(&[File::new(path, text)]).len();
    assert_eq!(found("src/mcp.rs", "fn f() { println!(); }"), 1);
    assert_eq!(found("src/cli/print.rs", "fn f() { println!(); io::stdout().lock(); }"), 0);
    assert_eq!(found("src/app.rs", "fn f() { eprintln!(); }"), 0);
    assert_eq!(found("src/threat.rs", "fn f() { let t = Timestamp::now(); }"), 1);
    assert_eq!(found("src/clock.rs", "fn f() { Timestamp::now(); tokio::time::sleep(d).await }"), 0);
    assert_eq!(found("src/sources/mrms.rs", "use ractor::Actor; fn f() { clock.sleep(d) }"), 2);
    assert_eq!(found("src/actors/source.rs", "use ractor::Actor; fn f() { clock.sleep(d) }"), 0);
    assert_eq!(found("src/decode/nws.rs", "fn f(x: Option<u8>) { x.unwrap(); std::fs::read(p); }"), 2);
    assert_eq!(found("src/decode/nws.rs", "fn f(x: Option<u8>) { x.unwrap_or(0); } // x.unwrap()"), 0);
    assert_eq!(found("src/decode/nws/tests.rs", "fn f(x: Option<u8>) { x.unwrap(); }"), 0);
    assert_eq!(found("src/geo.rs", "#[expect(dead_code)] fn f() {}"), 0);
}

#[test]
fn rooms_need_a_reason_above_400_and_never_pass_600() {
    let room = |lines: usize| vec![File::new("src/a.rs", &"x\n".repeat(lines))];
    assert_eq!(too_large(&room(400), &[]).len(), 0);
    assert_eq!(too_large(&room(401), &[]).len(), 1);
    assert_eq!(too_large(&room(401), &[("src/a.rs", "one table")]).len(), 0);
    assert_eq!(too_large(&room(601), &[("src/a.rs", "one table")]).len(), 1);
    assert_eq!(too_large(&room(10), &[("src/a.rs", "one table"), ("src/b.rs", "gone")]).len(), 2);
}

#[test]
fn names_heads_and_machine_paths() {
    let file = |path: &str, text: &str| vec![File::new(path, text)];
    assert_eq!(banned_names(&file("src/feed_manager.rs", "")).len(), 1);
    assert_eq!(banned_names(&file("src/geo.rs", "mod helpers { }")).len(), 1);
    assert_eq!(banned_names(&file("src/geo.rs", "pub mod area;")).len(), 0);
    assert_eq!(undescribed(&file("src/geo.rs", "// geo\n")).len(), 1);
    assert_eq!(undescribed(&file("src/geo.rs", "//! Geo.\n")).len(), 0);
    let text = |text: &str| vec![("a.md".to_owned(), text.to_owned())];
    assert_eq!(machine_paths(&text(concat!("see /wo", "rk/x"))).len(), 1);
    assert_eq!(machine_paths(&text(concat!("see \"/ho", "me/me\""))).len(), 1);
    assert_eq!(machine_paths(&text("see target/work/x and ~/.config")).len(), 0);
    assert_eq!(machine_paths(&text(concat!("include_bytes!(../", "shared/x)"))).len(), 1);
}
