use super::*;
use serde::de::DeserializeOwned;
use std::ffi::OsString;

fn read(text: &str) -> Result<Config, ConfigError> {
    Config::from_text("stormbell.toml", text, &[])
}

fn refused(text: &str) -> String {
    read(text).expect_err(text).to_string()
}

fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Radar {
    period_s: u64,
    bucket: String,
    factor: f64,
    endpoint_url: Option<String>,
}

impl Default for Radar {
    fn default() -> Self {
        Self { period_s: 60, bucket: "noaa-mrms-pds".into(), factor: 1.0, endpoint_url: None }
    }
}

#[test]
fn the_shipped_file_says_exactly_the_defaults() {
    let shipped = Config::from_text("config/default.toml", DEFAULT_TOML, &[]).expect("default.toml");
    assert_eq!(Config { sources: BTreeMap::new(), ..shipped }, Config::default());
}

/// Hands a struct's field names to a test.
struct Fields<'a>(&'a mut Vec<&'static str>);

impl<'de> serde::Deserializer<'de> for Fields<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("not a struct"))
    }

    fn deserialize_struct<V: serde::de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.extend(fields);
        Err(serde::de::Error::custom("seen"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields_of<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut fields = Vec::new();
    let _ = T::deserialize(Fields(&mut fields));
    fields
}

#[test]
fn every_key_stands_in_the_shipped_file_with_a_comment_of_its_own() {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut section, mut commented) = (String::new(), false);
    for (number, line) in DEFAULT_TOML.lines().enumerate() {
        let key = line.trim_start_matches('#').split_once(" = ").map(|(key, _)| key);
        let key = key.filter(|key| key.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit()));
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
            commented = false;
        } else if let Some(key) = key {
            assert!(commented, "default.toml:{}: {section}.{key} carries no comment", number + 1);
            seen.entry(section.clone()).or_default().push(key.to_owned());
            commented = false;
        } else {
            commented = line.starts_with("# ");
        }
    }
    let known = [
        ("service", fields_of::<ServiceConfig>()),
        ("owner", fields_of::<OwnerConfig>()),
        ("channels.email", fields_of::<EmailConfig>()),
        ("channels.web_push", fields_of::<WebPushConfig>()),
        ("mcp", fields_of::<McpConfig>()),
        ("web", fields_of::<WebConfig>()),
        ("limits", fields_of::<LimitsConfig>()),
    ];
    for (section, mut fields) in known {
        // The one key that must not stand in a file.
        fields.retain(|field| *field != "password");
        assert!(!fields.is_empty(), "{section}");
        let mut written = seen.remove(section).unwrap_or_default();
        fields.sort_unstable();
        written.sort_unstable();
        assert_eq!(written, fields, "[{section}]");
    }
    assert!(seen.keys().all(|section| section.starts_with("sources.")), "{seen:?}");
}

#[test]
fn the_example_is_accepted_without_a_warning() {
    let example = include_str!("../../config/example.toml");
    let config = Config::from_text("config/example.toml", example, &[]).expect("example.toml");
    assert_eq!(config.warnings(), Vec::<String>::new());
    assert_eq!(config.channels.email.effective_port(), 587);
    assert!(config.is_proven_email("Anna@Example.org") && !config.is_proven_email("eve@example.org"));
    assert!(config.user_agent().ends_with("(anna@example.org)"), "{}", config.user_agent());
}

#[test]
fn a_wrong_key_is_named_with_file_line_and_the_nearest_known_one() {
    let cases = [
        (
            "[service]\n\nhold_minute = 5",
            "stormbell.toml:3: unknown key service.hold_minute (did you mean hold_minutes?)",
        ),
        ("[channels.emial]\nhost = 'x'", "stormbell.toml:1: unknown key channels.emial (did you mean email?)"),
        ("# note\n[sevice]\n", "stormbell.toml:2: unknown key sevice (did you mean service?)"),
        ("[web]\npublic_uri = 'x'", "stormbell.toml:2: unknown key web.public_uri (did you mean public_url?)"),
        ("[sources.mrsm]\n", "stormbell.toml:1: unknown key sources.mrsm (did you mean mrms?)"),
        ("[channels.email]\nidle = 5\n", "stormbell.toml:2: unknown key channels.email.idle"),
    ];
    for (text, said) in cases {
        assert_eq!(refused(text), said);
    }
}

#[test]
fn a_wrong_type_or_range_is_named_with_file_line_and_what_is_accepted() {
    let cases = [
        (
            "[service]\nhold_minutes = \"ten\"",
            "stormbell.toml:2: service.hold_minutes: invalid type: string \"ten\", expected u32",
        ),
        (
            "[service]\nhold_minutes = -1",
            "stormbell.toml:2: service.hold_minutes: invalid value: integer `-1`, expected u32",
        ),
        ("[service]\nhold_minutes = 181", "stormbell.toml:2: service.hold_minutes: 0 to 180"),
        ("[mcp]\nport = 70000", "stormbell.toml:2: mcp.port: invalid value: integer `70000`, expected u16"),
        ("[mcp]\nbind = \"here\"", "stormbell.toml:2: mcp.bind: invalid IP address syntax"),
        ("[limits]\npoints_total = 0", "stormbell.toml:2: limits.points_total: 1 to 1000000"),
        (
            "[channels.email]\nsecurity = \"ssl\"",
            "stormbell.toml:2: channels.email.security: \"ssl\" is not one of starttls, tls, none",
        ),
        (
            "[owner]\nemails = [\n 'a@example.org',\n 5]",
            "stormbell.toml:4: owner.emails: invalid type: integer `5`, expected a string",
        ),
        ("[sources]\nmrms = 5", "stormbell.toml:2: sources.mrms: a section is due here"),
        ("service = 5", "stormbell.toml:1: service: invalid type: integer `5`, expected struct ServiceConfig"),
    ];
    for (text, said) in cases {
        assert_eq!(refused(text), said);
    }
    assert!(refused("[service\n").starts_with("stormbell.toml:1: "), "{}", refused("[service\n"));
    assert!(refused("[service]\ncontact = 'a'\ncontact = 'b'").starts_with("stormbell.toml:3: "));
    assert!(refused("[owner]\nemails = ['nobody']").contains("owner.emails: \"nobody\" is not an email address"));
    assert!(refused("[service]\ncontact = \"a\\r\\nHost: b\"").contains("service.contact: "));
}

#[test]
fn variables_take_the_type_of_their_key_and_come_before_the_file() {
    let variables = variables(&[
        ("STORMBELL__SERVICE__HOLD_MINUTES", "0"),
        ("STORMBELL__CHANNELS__EMAIL__ENABLED", "true"),
        ("STORMBELL__CHANNELS__EMAIL__HOST", "smtp.example.org"),
        ("STORMBELL__CHANNELS__EMAIL__FROM", "bell@example.org"),
        ("STORMBELL__CHANNELS__EMAIL__USERNAME", "bell"),
        ("STORMBELL__CHANNELS__EMAIL__PASSWORD", "12345"),
        ("STORMBELL__CHANNELS__EMAIL__REPLY_TO", ""),
        ("STORMBELL__OWNER__EMAILS", "a@example.org, b@example.org"),
        ("STORMBELL__MCP__ALLOWED_HOSTS", "[\"x\", \"y\"]"),
        ("STORMBELL__SOURCES__MRMS__PERIOD_S", "5"),
        ("STORMBELL__SOURCES__MRMS__FACTOR", "2"),
        ("STORMBELL_DATA", "elsewhere"),
        ("PATH", "/bin"),
    ]);
    let text = "[service]\nhold_minutes = 30\ncontact = 'anna'\n[channels.email]\nreply_to = 'x@example.org'";
    let config = Config::from_text("stormbell.toml", text, &variables).expect("variables");
    assert_eq!((config.service.hold_minutes, config.service.contact.as_str()), (0, "anna"));
    assert_eq!(config.owner.emails, ["a@example.org", "b@example.org"]);
    assert_eq!(config.mcp.allowed_hosts, ["x", "y"]);
    assert_eq!(config.channels.email.reply_to, None);
    assert_eq!(config.channels.email.read_password().expect("password").expect("password").expose(), "12345");
    assert!(!format!("{config:?}").contains("\"12345\""), "a secret does not print itself");
    let radar: Radar = config.source("mrms").expect("mrms");
    assert_eq!(radar, Radar { period_s: 5, factor: 2.0, ..Radar::default() });
}

#[test]
fn a_wrong_variable_is_named() {
    let cases = [
        (
            "STORMBELL__SERVICE__HOLD_MINUTES",
            "ten",
            "STORMBELL__SERVICE__HOLD_MINUTES: service.hold_minutes: \"ten\" is not a whole number",
        ),
        ("STORMBELL__SERVICE__HOLD_MINUTES", "999", "STORMBELL__SERVICE__HOLD_MINUTES: service.hold_minutes: 0 to 180"),
        (
            "STORMBELL__CHANNELS__EMAIL__ENABLED",
            "yes",
            "STORMBELL__CHANNELS__EMAIL__ENABLED: channels.email.enabled: \"yes\" is neither true nor false",
        ),
        ("STORMBELL__MCP__PROT", "1", "STORMBELL__MCP__PROT: unknown key mcp.prot (did you mean port?)"),
        (
            "STORMBELL__MCP____PORT",
            "1",
            "STORMBELL__MCP____PORT: mcp..port: write STORMBELL__SECTION__KEY, with two underscores between the parts",
        ),
        ("STORMBELL__MCP__PORT__X", "1", "STORMBELL__MCP__PORT__X: mcp.port.x: port is a value, not a section"),
    ];
    for (name, value, said) in cases {
        let error = Config::from_text("f.toml", "[mcp]\nport = 1", &variables(&[(name, value)])).expect_err(name);
        assert_eq!(error.to_string(), said);
    }
}

#[test]
fn a_source_reads_its_own_block_and_refuses_what_it_does_not_know() {
    assert_eq!(Config::default().source::<Radar>("mrms").expect("defaults"), Radar::default());
    let config = read("[service]\n[sources.mrms]\nperiod_s = 30\nendpoint_url = 'http://127.0.0.1:9'").expect("config");
    let radar: Radar = config.source("mrms").expect("mrms");
    assert_eq!((radar.period_s, radar.endpoint_url.as_deref()), (30, Some("http://127.0.0.1:9")));
    assert_eq!(
        config.invalid_source_key("mrms", "period_s", "10 to 600").to_string(),
        "stormbell.toml:3: sources.mrms.period_s: 10 to 600"
    );
    let config = read("[sources.mrms]\nbucket = 'b'\nperid_s = 30").expect("kept as a tree");
    assert_eq!(
        config.source::<Radar>("mrms").expect_err("perid_s").to_string(),
        "stormbell.toml:3: unknown key sources.mrms.perid_s (did you mean period_s?)"
    );
}

#[test]
fn the_password_never_stands_in_the_file() {
    let said = refused("[channels.email]\npassword = 'hunter2'");
    assert!(said.starts_with("stormbell.toml:2: channels.email.password: never in this file"), "{said}");
    assert!(!said.contains("hunter2"));
}

/// Field report E04: both or neither of tls and starttls gave "wrong version number" and "538 Must issue STARTTLS".
#[test]
fn a_wrong_pair_of_port_and_security_is_named_at_start() {
    let email = |rest: &str| {
        read(&format!(
            "[owner]\nemails = ['a@example.org']\n[service]\ncontact = 'c'\n[channels.email]\nenabled = true\nfrom = 'Bell <bell@example.org>'\n{rest}"
        ))
    };
    let cases = [
        (
            "host = 'h.example'\nport = 465\nsecurity = 'starttls'",
            "stormbell.toml:10: channels.email.security: port 465 speaks TLS from the first byte: use \"tls\", or port 587 with \"starttls\"",
        ),
        (
            "host = 'h.example'\nsecurity = 'none'",
            "stormbell.toml:9: channels.email.security: \"none\" is for this machine only, and h.example is not: use \"starttls\" or \"tls\"",
        ),
        (
            "host = '192.0.2.1'\nsecurity = 'none'\nport = 25",
            "stormbell.toml:9: channels.email.security: \"none\" is for this machine only, and 192.0.2.1 is not: use \"starttls\" or \"tls\"",
        ),
        ("security = 'tls'", "stormbell.toml:5: channels.email.host: needed where email is enabled"),
        (
            "host = 'smtp://h.example:25'",
            "stormbell.toml:8: channels.email.host: \"smtp://h.example:25\" is not a host name: without scheme, port or user",
        ),
        (
            "host = 'h.example'\nusername = 'u'",
            "stormbell.toml:9: channels.email.username: needs a password: password_file, or STORMBELL__CHANNELS__EMAIL__PASSWORD",
        ),
        (
            "host = 'h.example'\npassword_file = 'p'",
            "stormbell.toml:5: channels.email.username: a password is given, but no username",
        ),
        ("host = 'h.example'\ntimeout_s = 1", "stormbell.toml:9: channels.email.timeout_s: 5 to 600"),
    ];
    for (rest, said) in cases {
        assert_eq!(email(rest).expect_err(rest).to_string(), said);
    }
    let from = refused("[channels.email]\nfrom = 'Bell bell@example'");
    assert!(from.starts_with("stormbell.toml:2: channels.email.from: "), "{from}");

    let warned = [
        (
            "host = 'h.example'\nport = 587\nsecurity = 'tls'",
            "port 587 usually wants security = \"starttls\", not \"tls\"",
        ),
        (
            "host = 'h.example'\nport = 25\nsecurity = 'tls'",
            "port 25 usually wants security = \"starttls\", not \"tls\"",
        ),
        (
            "host = '127.0.0.1'\nport = 465\nsecurity = 'none'",
            "port 465 usually wants security = \"tls\", not \"none\"",
        ),
    ];
    for (rest, said) in warned {
        let warnings = email(rest).expect(rest).warnings();
        assert!(warnings.iter().any(|warning| warning.contains(said)), "{warnings:?}");
    }
    let good = [
        ("host = 'h.example'", 587),
        ("host = 'h.example'\nsecurity = 'tls'", 465),
        ("host = 'h.example'\nport = 2525", 2525),
        ("host = 'localhost'\nsecurity = 'none'", 25),
        ("host = '::1'\nsecurity = 'none'\nport = 1025", 1025),
    ];
    for (rest, port) in good {
        let config = email(rest).expect(rest);
        assert_eq!(config.channels.email.effective_port(), port, "{rest}");
        assert_eq!(config.warnings(), Vec::<String>::new(), "{rest}");
    }
}

#[test]
fn the_file_is_looked_for_in_order_and_a_named_one_must_be_there() {
    let dir = tempfile::tempdir().expect("tempdir");
    let write = |name: &str, contact: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
        std::fs::write(&path, format!("[service]\ncontact = '{contact}'")).expect("write");
        path
    };
    let mut around = Surroundings {
        variables: Vec::new(),
        working_dir: dir.path().join("here"),
        config_dir: Some(dir.path().join("platform")),
    };
    let contact =
        |named: Option<&Path>, around: &Surroundings| Config::load_in(named, around).map(|c| c.service.contact);
    assert_eq!(contact(None, &around).as_deref(), Ok(""));
    write("platform/stormbell/stormbell.toml", "platform");
    assert_eq!(contact(None, &around).as_deref(), Ok("platform"));
    write("here/stormbell.toml", "here");
    assert_eq!(contact(None, &around).as_deref(), Ok("here"));
    let by_variable = write("variable.toml", "variable");
    around.variables = vec![(CONFIG_VARIABLE.into(), by_variable.into())];
    assert_eq!(contact(None, &around).as_deref(), Ok("variable"));
    let named = write("named.toml", "named");
    assert_eq!(contact(Some(&named), &around).as_deref(), Ok("named"));
    let missing = dir.path().join("missing.toml");
    let said = contact(Some(&missing), &around).expect_err("missing").to_string();
    assert!(said.contains("missing.toml: "), "{said}");
    std::fs::write(&missing, [0xff, 0xfe]).expect("write");
    assert!(contact(Some(&missing), &around).is_err(), "not UTF-8");
}

#[test]
fn the_public_url_is_a_host_that_is_reached_safely() {
    let read_url = |url: &str| read(&format!("[web]\npublic_url = '{url}'"));
    let good = [
        ("https://bell.example.org", "https://bell.example.org", "bell.example.org"),
        ("HTTPS://Bell.Example.org:443/", "https://bell.example.org", "bell.example.org"),
        ("https://bell.example.org:8443", "https://bell.example.org:8443", "bell.example.org"),
        ("http://127.0.0.1:8741", "http://127.0.0.1:8741", "127.0.0.1"),
        ("http://[::1]:8741/", "http://[::1]:8741", "[::1]"),
        ("http://localhost:8741", "http://localhost:8741", "localhost"),
    ];
    for (url, said, host) in good {
        let web = read_url(url).expect(url).web;
        assert_eq!((web.public_url().as_deref(), web.public_host().as_deref()), (Some(said), Some(host)), "{url}");
    }
    assert_eq!(read_url("").expect("empty").web.public_url(), None);
    let bad = [
        ("http://bell.example.org", "would carry tokens in the clear"),
        ("http://192.168.1.4", "would carry tokens in the clear"),
        ("https://bell.example.org/bell", "more than a host and a port"),
        ("https://bell.example.org/?a=b", "more than a host and a port"),
        ("https://bell.example.org/#a", "more than a host and a port"),
        ("https://anna:x@bell.example.org", "more than a host and a port"),
        ("https://0.0.0.0", "no address that anybody can reach"),
        ("bell.example.org", "not a URL"),
        ("ftp://bell.example.org", "not a scheme"),
        ("javascript:alert(1)", "names no host"),
    ];
    for (url, said) in bad {
        let refused = read_url(url).expect_err(url).to_string();
        assert!(refused.starts_with("stormbell.toml:2: web.public_url: ") && refused.contains(said), "{refused}");
    }
    let open = read("[service]\ncontact = 'c'\n[mcp]\nbind = '0.0.0.0'").expect("owners make it safe").warnings();
    assert!(open.iter().any(|warning| warning.contains("without encryption")), "{open:?}");
}

#[test]
fn an_upstreams_address_that_is_none_is_refused_with_its_line() {
    let with = |url: &str| read(&format!("[sources.nws_warnings]\nperiod_s = 30\nbase_url = '{url}'"));
    for bad in ["", "api.weather.gov", "ftp://x.example", "https://", "https://u:p@x.example", "https://x.example?a=b"]
    {
        let said = with(bad).expect_err(bad).to_string();
        assert!(said.contains(":3: sources.nws_warnings.base_url") && said.contains("is due here"), "{said}");
    }
    for good in ["http://127.0.0.1:8742/api.weather.gov", "https://x.example/"] {
        with(good).expect(good);
    }
}
