use super::*;
use crate::cli::parse;
use crate::threat::Level;
use clap::CommandFactory;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(line.split(' '))
}

#[test]
fn the_tree_is_consistent_and_every_leaf_has_examples() {
    fn leaves(command: &clap::Command, path: &str) {
        let name = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            command.get_subcommands().filter(|c| c.get_name() != "help").for_each(|c| leaves(c, &name));
        } else {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(text.contains("stormbell"), "{name} has no example");
        }
    }
    let command = Cli::command();
    command.clone().debug_assert();
    leaves(&command, "");
}

#[test]
fn negative_longitudes_are_plain_arguments() {
    let Command::Brief(brief) = parse("stormbell brief 35.22 -97.44 --json").unwrap().command else { panic!() };
    assert_eq!((brief.point.lat, brief.point.lon), (Some(35.22), Some(-97.44)));
    let Command::Watch(WatchCommand::Add(add)) = parse("stormbell watch add home 35.22 -97.44").unwrap().command else {
        panic!()
    };
    assert_eq!((add.point.lon, add.min_level), (Some(-97.44), Level::Elevated));
    let Command::Debug(DebugCommand::Decode(decode)) =
        parse("stormbell debug decode mrms f --at 13.4,144.7 --radius-km 900").unwrap().command
    else {
        panic!()
    };
    assert_eq!(decode.at.unwrap().lon(), 144.7);
    assert!(decode.radius_km.clamped && decode.radius_km.km == 500.0);
    assert!(parse("stormbell debug decode mrms f --at -13.4,-144.7").is_ok());
}

#[test]
fn a_place_stands_for_two_figures() {
    let Command::Watch(WatchCommand::Add(add)) =
        Cli::try_parse_from(["stormbell", "watch", "add", "home", "--place", "Norman, OK"]).unwrap().command
    else {
        panic!()
    };
    assert!((add.point.needed().unwrap().lat() - 35.22).abs() < 0.02);
    let place = |place: &str| {
        let Command::Brief(brief) = Cli::try_parse_from(["stormbell", "brief", "--place", place]).unwrap().command
        else {
            panic!()
        };
        brief.point.needed().unwrap_err()
    };
    let several = place("Springfield");
    assert!(several.exit == 2 && several.message.contains("Greene County, MO") && several.hint.contains("geocode"));
    assert!(place("-97.4,35.2").message.contains("swapped"));
    assert!(parse("stormbell brief 35.2 -97.4 --place 73019").is_err() && parse("stormbell brief 35.2").is_err());
    let Command::Brief(brief) = parse("stormbell brief").unwrap().command else { panic!() };
    assert!(brief.point.needed().unwrap_err().message.contains("--place"));
    let Command::Geocode(geocode) = parse("stormbell geocode Norman, OK --limit 2").unwrap().command else { panic!() };
    assert_eq!((geocode.query.join(" ").as_str(), geocode.limit), ("Norman, OK", 2));
    assert!(parse("stormbell geocode 35.2 -97.4").is_ok() && parse("stormbell geocode").is_err());
}

/// Every argument that takes figures of a place has a way for its name: an own option, or the same one.
#[test]
fn wherever_a_point_is_taken_a_place_is() {
    fn look(command: &clap::Command, taking: &mut usize) {
        let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
        for argument in command.get_arguments() {
            let values = argument.get_value_names().unwrap_or_default().join(" ");
            if values == "LAT" || values.contains("LAT,LON") {
                *taking += 1;
                assert!(values.contains("PLACE") || has("place"), "{} {values}", command.get_name());
            }
        }
        command.get_subcommands().for_each(|command| look(command, taking));
    }
    let mut taking = 0;
    look(&Cli::command(), &mut taking);
    assert!(taking >= 12, "{taking}");
}

#[test]
fn places_with_a_name_are_figures_or_words() {
    for (text, name) in [
        ("home,35.22,-97.44", "home"),
        ("home=Norman, OK", "home"),
        ("Office, east,35.22,-97.44", "Office, east"),
        ("zip=73019", "zip"),
        ("a=35.22,-97.44", "a"),
    ] {
        let place = parse::named_place(text).unwrap();
        assert!(place.name == name && (place.at.lat() - 35.22).abs() < 0.05, "{text}: {place:?}");
    }
    assert!(parse::named_place("home=Springfield").unwrap_err().contains("Greene County, MO"));
    assert!(parse::named_place("home=Anchorage, AK").unwrap_err().contains("outside the continental US"));
    for bad in ["home", "home,35.22", "=Norman, OK", "home=", "home,x,-97.44", "home,91,-97.44"] {
        assert!(parse::named_place(bad).is_err(), "{bad}");
    }
    assert!((parse::spot("Anchorage, AK").unwrap().lat() - 61.2).abs() < 0.1);
    assert!(parse::spot("13.4,144.7").is_ok() && parse::spot("13.4").is_err() && parse::spot("Springfield").is_err());
}

#[test]
fn globals_stand_before_or_after_the_subcommand() {
    for line in [
        "stormbell --data-dir d --config c.toml --json debug levels",
        "stormbell debug levels --data-dir d --config c.toml --json",
        "stormbell debug --data-dir d levels --json --config c.toml",
    ] {
        let cli = parse(line).unwrap();
        assert_eq!(cli.global.data_dir.as_deref(), Some(std::path::Path::new("d")), "{line}");
        assert!(cli.global.json && cli.global.config.is_some());
    }
}

#[test]
fn wrong_usage_is_told_with_the_accepted_form() {
    let text = |line| parse(line).unwrap_err().to_string();
    assert!(text("stormbell watch add a 35 -97 --min-level big").contains("marginal"));
    assert!(text("stormbell replay d --watch moore,35.34,97.49").contains("did you mean lon -97.49"));
    assert!(text("stormbell replay d --speed fast").contains("max"));
    assert!(text("stormbell replay d --until tomorrow").contains("RFC 3339"));
    assert!(text("stormbell serve --speed 5").contains("--archive"));
    assert_eq!(parse("stormbell sing").unwrap_err().exit_code(), 2);
}
