//! The command line: parse, carry out, print, exit code. `stormbell --help` shows the tree.
//!
//! Boundaries: ✓ words in, words out. ✗ no judgement: `app` runs the service, `desk` and `Records` answer.
//! Invariant: only `cli::print` writes to stdout; everything else that is said goes to stderr.

use crate::app::{self, Absent, AppError, ReplayOptions, Setup, World};
use crate::cli::answers::{Answering, Ask};
use crate::cli::args::{
    ArchiveCommand, Cli, Command, DebugCommand, Global, OwnerCommand, ReplayArgs, WatchCommand, Which,
};
use crate::cli::fail::Failure;
use crate::clock::Clock;
use clap::Parser;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

pub mod answers;
pub mod args;
pub mod debug;
pub mod debug_sounding;
pub mod decode;
pub mod decode_glm;
pub mod decode_level2;
pub mod decode_lsr;
pub mod decode_mrms;
pub mod decode_nws;
pub mod decode_rap;
pub mod decode_spc;
pub mod demo;
pub mod explain;
pub mod fail;
pub mod geocode;
pub mod init;
pub mod local;
pub mod map;
pub mod nws;
pub mod paper;
pub mod parse;
pub mod print;
pub mod records;
pub mod replay;
pub mod show;
pub mod sounding;
pub mod table;
pub mod verify;

/// Parses, carries out and reports. `start_logging` is called once with the default log level for the command.
pub fn run(argv: impl IntoIterator<Item = OsString>, start_logging: impl FnOnce(&str)) -> ExitCode {
    let argv: Vec<OsString> = argv.into_iter().collect();
    let cli = match Cli::try_parse_from(&argv) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &argv),
    };
    start_logging(match cli.command {
        Command::Serve(_) => "info",
        // Its story tells of the failing feed itself.
        Command::Demo => "error",
        _ => "warn",
    });
    let json = cli.global.json;
    match carry_out(cli) {
        Ok(code) => printed(code),
        Err(failure) => failure.report(json),
    }
}

/// A command whose answer did not get out has failed, whatever it did.
fn printed(code: ExitCode) -> ExitCode {
    let Some(why) = print::failure() else { return code };
    fail::complain(&format!("error: stdout takes no more: {why}"));
    ExitCode::FAILURE
}

/// Clap's own words on stderr (help and version on stdout); with `--json` also the error object.
fn usage(error: &clap::Error, argv: &[OsString]) -> ExitCode {
    let written = error.print();
    if !error.use_stderr() {
        print::noted(written);
        return printed(ExitCode::SUCCESS);
    }
    if argv.iter().any(|word| word == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        print::document(&Failure::usage(message, "see `stormbell --help`").to_json());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn carry_out(cli: Cli) -> Result<ExitCode, Failure> {
    let setup = Setup { config: cli.global.config.clone(), data_dir: cli.global.data_dir.clone() };
    match cli.command {
        Command::Init => init::run(&setup, cli.global.json)?,
        Command::Serve(args) => app::serve(&setup, args.port, &world(args.world))?,
        Command::Mcp(args) => mcp(&setup, &world(args.world))?,
        Command::Brief(args) => {
            let at = args.point.needed()?;
            let recorded = args.archive.zip(args.at);
            // Where a service runs over this data directory its evidence answers, with the clock that it lives by.
            let ask = Ask::Brief { lat: at.lat(), lon: at.lon() };
            let running = if recorded.is_none() { local::ask(&app::data_dir(&setup)?, None, &ask).ok() } else { None };
            let envelope = match running {
                Some(envelope) => envelope,
                None => app::brief(&setup, at, recorded)?,
            };
            if cli.global.json {
                print::document(&envelope);
            } else {
                show::brief(&envelope);
            }
        }
        Command::Sounding(args) => sounding::run(&setup, &args, cli.global.json)?,
        Command::Map(args) => map::run(&setup, &args, cli.global.json)?,
        Command::Nws(args) => nws::run(&setup, args, cli.global.json)?,
        Command::Geocode(args) => return geocode::run(&args, cli.global.json),
        Command::Watch(command) => watch(&setup, &cli.global, command)?,
        Command::Owner(command) => owner(&setup, &cli.global, command)?,
        Command::Explain(args) => {
            let answer = ask_store(&setup, &Ask::Explain { which: args.which, at: args.at })?;
            if cli.global.json {
                print::document(&answer);
            } else {
                explain::show(&answer);
            }
        }
        Command::Replay(args) => replay::run(&replay_options(setup, args), cli.global.json)?,
        Command::Verify(args) => verify::run(&setup, args, cli.global.json)?,
        Command::Demo => demo::run(&setup, cli.global.json)?,
        Command::Archive(ArchiveCommand::Serve { dir, port, speed }) => app::archive_serve(&dir, port, speed)?,
        Command::Debug(command) => return debug(&setup, &cli.global, command),
    }
    Ok(ExitCode::SUCCESS)
}

fn world(args: args::World) -> World {
    match args.archive {
        Some(archive) => World::Recorded { archive, speed: args.speed.unwrap_or(1.0) },
        None => World::Live,
    }
}

fn replay_options(setup: Setup, args: ReplayArgs) -> ReplayOptions {
    let ReplayArgs { archive, watch, speed, until, from } = args;
    ReplayOptions { archive, watches: watch, speed, from, until, setup }
}

/// A pipeline of its own, or a bridge to the process that owns the data directory.
fn mcp(setup: &Setup, world: &World) -> Result<(), Failure> {
    match app::mcp(setup, world) {
        Err(AppError::InUse { .. }) if *world == World::Live => local::bridge(&app::data_dir(setup)?),
        other => Ok(other?),
    }
}

fn watch(setup: &Setup, global: &Global, command: WatchCommand) -> Result<(), Failure> {
    let ask = match command {
        WatchCommand::Add(args) => {
            let at = args.point.needed()?;
            let name = parse::place_name(&args.name).map_err(|why| Failure::usage(why, ""))?;
            answers::no_email(&args.email)?;
            Ask::WatchAdd {
                name,
                lat: at.lat(),
                lon: at.lon(),
                min_level: args.min_level,
                emails: args.email,
                web_push: args.web_push,
                quiet_hours: args.quiet_hours,
                until_utc: args.until,
            }
        }
        WatchCommand::List => Ask::WatchList,
        WatchCommand::Confirm { email, code } => Ask::WatchConfirm { email, code },
        WatchCommand::Update(args) => {
            let typed = answers::Typed {
                name: args.name,
                min_level: args.min_level,
                quiet_hours: args.quiet_hours,
                until: args.until,
                snooze: args.snooze,
                addresses: answers::channels(&args.email, args.web_push, args.no_channels),
                no_email: answers::no_email(&args.email)?,
            };
            if typed == answers::Typed::default() {
                let hint = "for instance --min-level, --quiet-hours, --snooze, --until, --email or --name";
                return Err(Failure::usage("nothing was given to change", hint));
            }
            Ask::WatchUpdate { which: args.point.which, typed }
        }
        WatchCommand::Ack(Which { which }) => Ask::WatchAck { which },
        WatchCommand::Test(Which { which }) => Ask::WatchTest { which },
        WatchCommand::Remove(Which { which }) => Ask::WatchRemove { which },
    };
    let answer = ask_store(setup, &ask)?;
    if global.json {
        print::document(&answer);
    } else {
        show::watch(&ask, &answer);
    }
    Ok(())
}

fn owner(setup: &Setup, global: &Global, command: OwnerCommand) -> Result<(), Failure> {
    let ask = match command {
        OwnerCommand::Add { name } => Ask::OwnerAdd { name },
        OwnerCommand::List => Ask::OwnerList,
        OwnerCommand::Renew { id } => Ask::OwnerRenew { id },
        OwnerCommand::Revoke { id } => Ask::OwnerRevoke { id },
    };
    let answer = ask_store(setup, &ask)?;
    if global.json {
        print::document(&answer);
    } else {
        show::owner(&ask, &answer);
    }
    Ok(())
}

fn debug(setup: &Setup, global: &Global, command: DebugCommand) -> Result<ExitCode, Failure> {
    match command {
        DebugCommand::Decode(args) => return decode::run(&args, global.json),
        DebugCommand::Sounding { file } => return debug_sounding::run(&file, global.json),
        DebugCommand::Repair { yes } => {
            let said = app::repair(setup, yes)?;
            if global.json {
                print::document(&json!({"repair": said, "done": yes}));
            } else {
                print::line(&said);
            }
        }
        other => {
            if let Some((table, limit)) = other.table() {
                let answer = ask_store(setup, &Ask::table(table, limit))?;
                if global.json {
                    print::document(&answer);
                } else {
                    debug::show(table, &answer);
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How long a command waits for another that has the store and answers nobody: such a one is done in a moment.
const TURN_WAIT: Duration = Duration::from_secs(3);
/// Between two looks whether it is done.
const TURN_STEP: Duration = Duration::from_millis(50);

/// Answers from the store, or through the process that owns it.
pub(crate) fn ask_store(setup: &Setup, ask: &Ask) -> Result<Value, Failure> {
    let makes = matches!(ask, Ask::WatchAdd { .. } | Ask::OwnerAdd { .. });
    let absent = if makes { Absent::Make } else { Absent::Refuse };
    let mut waited = Duration::ZERO;
    let answer = loop {
        match app::open(setup, absent) {
            Ok(opened) => {
                let app::Opened { desk, operator, records } = &opened;
                let by = Answering { desk: &**desk, operator: &**operator, records: &**records };
                break local::block_on(answers::answer(by, ask))?;
            }
            Err(AppError::InUse { pid }) => match local::ask(&app::data_dir(setup)?, pid, ask) {
                Ok(answer) => break answer,
                Err(unanswered) if unanswered.nobody_listens && waited < TURN_WAIT => {
                    Clock::block_for(TURN_STEP);
                    waited += TURN_STEP;
                }
                Err(unanswered) => return Err(unanswered.failure),
            },
            Err(other) => return Err(other.into()),
        }
    };
    answers::refused(&answer).map_or(Ok(answer), Err)
}
