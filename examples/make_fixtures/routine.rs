//! Routine facts of the invented town of Larkfield, Kansas, and of places where api.weather.gov answers otherwise: a recorded
//! day of one upstream, with every kind of answer and trouble that the tools `nws_...` know of.

mod alerts;
mod places;
mod stations;
mod texts;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// When everything begins to be answered.
pub const FROM: &str = "2031-05-09T21:00:00Z";
/// Pages in which tests turn the history.
const PAGES: [i64; 2] = [24, 100];

struct Day {
    files: Vec<(String, Vec<u8>)>,
    timeline: Vec<Value>,
    /// Where its files lie.
    folder: &'static str,
    /// From when on it answers, seconds from the beginning.
    begins_s: i64,
}

fn from() -> Timestamp {
    FROM.parse().expect("a time")
}

fn api(path: &str) -> String {
    format!("https://api.weather.gov{path}")
}

/// As offices of Kansas write it in May.
fn local(at: Timestamp) -> String {
    let there = at.checked_sub(SignedDuration::from_hours(5)).expect("in range");
    there.strftime("%Y-%m-%dT%H:%M:%S-05:00").to_string()
}

fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

fn minutes(count: i64) -> Timestamp {
    from() + SignedDuration::from_mins(count)
}

impl Day {
    fn file(&mut self, name: &str, body: &Value) -> String {
        let name = format!("{}{name}", self.folder);
        let name = name.as_str();
        if self.files.iter().all(|(known, _)| known != name) {
            self.files.push((name.to_owned(), format!("{body}\n").into_bytes()));
        }
        name.to_owned()
    }

    fn line(&mut self, second: i64, path: &str, query: &[(&str, &str)], rest: Value) {
        let at = from() + SignedDuration::from_secs(self.begins_s + second);
        let query: serde_json::Map<String, Value> = query.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect();
        let mut line = json!({"at": at, "http": {"host": "api.weather.gov", "path": path}});
        if !query.is_empty() {
            line["http"]["query"] = Value::Object(query);
        }
        for (key, value) in rest.as_object().expect("an object") {
            line[key] = value.clone();
        }
        self.timeline.push(line);
    }

    fn answer(&mut self, path: &str, query: &[(&str, &str)], name: &str, body: &Value) {
        let file = self.file(name, body);
        let headers = json!({"content-type": "application/geo+json"});
        self.line(0, path, query, json!({"file": file, "status": 200, "headers": headers}));
    }

    fn refuse(&mut self, path: &str, query: &[(&str, &str)], status: u16, name: &str, body: &Value) {
        let file = self.file(name, body);
        let headers = json!({"content-type": "application/problem+json"});
        self.line(0, path, query, json!({"file": file, "status": status, "headers": headers}));
    }

    fn fault(&mut self, second: i64, path: &str, fault: &str) {
        self.line(second, path, &[], json!({"fault": fault}));
    }
}

fn problem(kind: &str, status: u16, detail: &str) -> Value {
    json!({"correlationId": "invented", "title": "Not available", "type": api(&format!("/problems/{kind}")),
        "status": status, "detail": detail, "instance": api("/requests/invented")})
}

/// Every file of the folder.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut day = Day { files: Vec::new(), timeline: Vec::new(), folder: "", begins_s: 0 };
    places::points(&mut day);
    places::forecasts(&mut day);
    stations::stations(&mut day);
    stations::odd_stations(&mut day);
    for page in PAGES {
        stations::history(&mut day, page);
    }
    stations::odd_histories(&mut day);
    alerts::alerts(&mut day);
    alerts::alert_lists(
        &mut day,
        &json!({"total": 63, "land": 61, "marine": 2, "regions": {"GM": 1, "AL": 1},
        "areas": {"KS": 5, "TX": 56, "AL": 2}, "zones": {"KSZ197": 3, "TXZ001": 56}}),
    );
    texts::products(&mut day);
    texts::missing_products(&mut day);
    texts::zone(&mut day);
    texts::odd_zones(&mut day);
    let lines: Vec<String> = day.timeline.iter().map(|line| format!("{line}\n")).collect();
    day.files.push(("timeline.jsonl".to_owned(), lines.concat().into_bytes()));
    let about = format!(
        "name = \"routine facts\"\nfrom = \"{FROM}\"\nto = \"2031-05-09T23:00:00Z\"\nlicence = \"as the program\"\n\
         note = \"Invented answers of api.weather.gov; made by examples/make_fixtures/routine.rs\"\nsources = []\n"
    );
    day.files.push(("archive.toml".to_owned(), about.into_bytes()));
    day.files
}

/// What the bundled day answers of it: only what is well.
pub fn of_larkfield(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) {
    let mut day = Day { files: Vec::new(), timeline: Vec::new(), folder: "routine/", begins_s: -3600 };
    places::forecasts(&mut day);
    stations::stations(&mut day);
    stations::history(&mut day, PAGES[0]);
    alerts::alert_lists(&mut day, &json!({"total": 2, "land": 2, "marine": 0, "areas": {"KS": 2}, "regions": {}}));
    texts::products(&mut day);
    texts::zone(&mut day);
    files.append(&mut day.files);
    timeline.append(&mut day.timeline);
}

/// Where a point of Larkfield finds its forecasts.
pub fn addresses() -> [(&'static str, String); 3] {
    let url = |tail: &str| api(&format!("/gridpoints/XKS/40,60{tail}"));
    [
        ("forecast", url("/forecast")),
        ("forecastHourly", url("/forecast/hourly")),
        ("observationStations", url("/stations")),
    ]
}
