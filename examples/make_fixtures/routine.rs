//! Routine facts of the invented town of Larkfield, Kansas, and of places where api.weather.gov answers otherwise: a recorded
//! day of one upstream, with every kind of answer and trouble that the tools `nws_...` know of.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// When everything begins to be answered.
pub const FROM: &str = "2031-05-09T21:00:00Z";
/// Rows of the station's history.
pub const ROWS: i64 = 101;
/// Stations around Larkfield.
pub const STATIONS: i64 = 60;
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
    points(&mut day);
    forecasts(&mut day);
    stations(&mut day);
    odd_stations(&mut day);
    for page in PAGES {
        history(&mut day, page);
    }
    odd_histories(&mut day);
    alerts(&mut day);
    alert_lists(
        &mut day,
        &json!({"total": 63, "land": 61, "marine": 2, "regions": {"GM": 1, "AL": 1},
        "areas": {"KS": 5, "TX": 56, "AL": 2}, "zones": {"KSZ197": 3, "TXZ001": 56}}),
    );
    products(&mut day);
    missing_products(&mut day);
    zone(&mut day);
    odd_zones(&mut day);
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
    forecasts(&mut day);
    stations(&mut day);
    history(&mut day, PAGES[0]);
    alert_lists(&mut day, &json!({"total": 2, "land": 2, "marine": 0, "areas": {"KS": 2}, "regions": {}}));
    products(&mut day);
    zone(&mut day);
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

fn point(kind: &str, grid: bool, zone: &str, more: Value) -> Value {
    let url = |tail: &str| if grid { json!(api(&format!("/gridpoints/XKS/40,60{tail}"))) } else { Value::Null };
    let mut properties = json!({
        "@type": "wx:Point", "cwa": "XKS", "type": kind, "gridId": "XKS", "gridX": 40, "gridY": 60,
        "forecast": url("/forecast"), "forecastHourly": url("/forecast/hourly"), "observationStations": url("/stations"),
        "relativeLocation": {"type": "Feature", "properties": {"city": "Larkfield", "state": "KS",
            "distance": {"unitCode": "wmoUnit:m", "value": 900.5}}},
        "forecastZone": api(&format!("/zones/forecast/{zone}")), "county": api("/zones/county/KSC297"),
        "fireWeatherZone": api("/zones/fire/KSZ997"), "timeZone": "America/Chicago", "radarStation": "KICT",
    });
    for (key, value) in more.as_object().expect("an object") {
        properties[key] = value.clone();
    }
    json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [-98.21, 37.74]}, "properties": properties})
}

/// Places, and how each answers. Their coordinates are names.
fn points(day: &mut Day) {
    let land = point("land", true, "KSZ197", json!({}));
    day.answer("/points/37.74,-98.21", &[], "points/land.json", &land);
    let marine = json!({"county": null, "fireWeatherZone": null, "relativeLocation": null});
    day.answer("/points/28.5,-94.5", &[], "points/marine.json", &point("marine", false, "GMZ335", marine));
    let guam = json!({"cwa": "GUM", "gridId": "GUM", "county": null, "timeZone": "Pacific/Guam"});
    day.answer("/points/18.12,145.77", &[], "points/no_grid.json", &point("land", false, "MPZ004", guam));
    let some = point("land", true, "KSZ197", json!({"forecastHourly": null}));
    day.answer("/points/40,-100", &[], "points/partial.json", &some);
    let elsewhere =
        point("land", true, "KSZ197", json!({"forecast": "https://example.org/gridpoints/XKS/40,60/forecast"}));
    day.answer("/points/39.6,-98", &[], "points/elsewhere.json", &elsewhere);
    // Over water near the coast: the county is known by the weather radio alone.
    let coast = json!({"county": null, "fireWeatherZone": null, "nwr": {"transmitter": "KIH21", "sameCode": "028047"},
        "observationStations": api("/gridpoints/XKS/1,1/stations")});
    day.answer("/points/30.3,-88.9", &[], "points/coast.json", &point("land", true, "GMZ532", coast));
    let none = json!({"type": "FeatureCollection", "features": [], "observationStations": []});
    day.answer("/gridpoints/XKS/1,1/stations", &[], "stations/none.json", &none);
    let water = point("marine", true, "GMZ335", json!({"forecast": api("/gridpoints/XKS/2,2/forecast")}));
    day.answer("/points/29.2,-94", &[], "points/water_with_grid.json", &water);
    let unsupported = problem("MarineForecastNotSupported", 404, "Forecasts for marine areas are not yet supported");
    day.refuse("/gridpoints/XKS/2,2/forecast", &[], 404, "problems/marine.json", &unsupported);
    let nowhere = problem("InvalidPoint", 404, "Unable to provide data for requested point 51.5,-0.1");
    day.refuse("/points/51.5,-0.1", &[], 404, "problems/nowhere.json", &nowhere);
    day.fault(0, "/points/25,-70", "status:500");
    // Failing twice, then well: the tries come at 0, 2 and 6 seconds.
    day.fault(0, "/points/38,-98", "status:500");
    day.fault(1, "/points/38,-98", "html");
    let headers = json!({"content-type": "application/geo+json"});
    day.line(5, "/points/38,-98", &[], json!({"file": "points/land.json", "status": 200, "headers": headers}));
    let limited = json!({"status": 429, "headers": {"retry-after": "5", "content-type": "text/html"}});
    day.line(0, "/points/39,-98", &[], limited);
    day.fault(0, "/points/39.1,-98", "html");
    let bytes = day.files.iter().find(|(name, _)| name == "points/land.json").map_or(0, |(_, bytes)| bytes.len());
    day.line(0, "/points/39.3,-98", &[], json!({"file": "points/land.json", "fault": format!("slow:{}", bytes / 11)}));
    day.fault(0, "/points/39.4,-98", "garbage");
    day.fault(0, "/points/39.5,-98", "status:501");
    let errors = json!({"title": "Bad Request", "detail": "Bad Request", "status": 400, "type": api("/problems/BadRequest"),
        "parameterErrors": [{"parameter": "path.point", "message": "does not match the pattern"},
            {"parameter": "path.point", "message": "does not match the pattern"}, {"message": "must be a point"}]});
    day.refuse("/points/39.7,-98", &[], 400, "problems/bad_request.json", &errors);
    day.fault(0, "/points/39.8,-98", "status:403");
}

fn forecasts(day: &mut Day) {
    let names = ["This Afternoon", "Tonight", "Saturday", "Saturday Night", "Sunday", "Sunday Night", "Monday"];
    let names = names.into_iter().chain(["Monday Night", "Tuesday", "Tuesday Night", "Wednesday", "Wednesday Night"]);
    let names: Vec<&str> = names.chain(["Thursday", "Thursday Night"]).collect();
    let half_day = |(number, name): (usize, &&str)| {
        let from = minutes(12 * 60 * number as i64 - 60);
        json!({"number": number + 1, "name": name, "startTime": local(from), "endTime": local(from + SignedDuration::from_hours(12)),
            "isDaytime": number % 2 == 0, "temperature": 84 - 3 * number as i64, "temperatureUnit": "F", "temperatureTrend": null,
            "probabilityOfPrecipitation": {"unitCode": "wmoUnit:percent", "value": if number == 1 { Value::Null } else { json!(10 * number) }},
            "windSpeed": "10 to 20 mph", "windDirection": "S", "icon": "INVALID_ICON_URL",
            "shortForecast": "Severe Thunderstorms", "detailedForecast": format!("Invented words for {name}.")})
    };
    let forecast = |generator: &str, periods: Vec<Value>| {
        json!({"type": "Feature", "geometry": null, "properties": {"units": "us", "forecastGenerator": generator,
            "generatedAt": utc(minutes(-30)), "updateTime": utc(minutes(-45)), "validTimes": format!("{}/P7DT12H", utc(minutes(-60))),
            "elevation": {"unitCode": "wmoUnit:m", "value": 399.9}, "periods": periods}})
    };
    let periods = names.iter().enumerate().map(half_day).collect();
    let body = forecast("BaselineForecastGenerator", periods);
    day.answer("/gridpoints/XKS/40,60/forecast", &[], "forecast/daily.json", &body);
    let hour = |number: i64| {
        let from = minutes(60 * number);
        json!({"number": number + 1, "name": "", "startTime": local(from), "endTime": local(from + SignedDuration::from_hours(1)),
            "isDaytime": true, "temperature": 80 - number % 24, "temperatureUnit": "F",
            "probabilityOfPrecipitation": {"unitCode": "wmoUnit:percent", "value": number % 100},
            // Thirds, which a figure that is not rounded betrays.
            "dewpoint": {"unitCode": "wmoUnit:degC", "value": 18.0 - number as f64 / 3.0},
            "relativeHumidity": {"unitCode": "wmoUnit:percent", "value": 35 + number % 50},
            "windSpeed": "12 mph", "windDirection": "SSW", "icon": null, "shortForecast": "Partly Sunny", "detailedForecast": ""})
    };
    let body = forecast("HourlyForecastGenerator", (0..156).map(hour).collect());
    day.answer("/gridpoints/XKS/40,60/forecast/hourly", &[], "forecast/hourly.json", &body);
}

fn station(number: i64) -> Value {
    let id = match number {
        0 => "KXKS".to_owned(),
        1 => "KXKT".to_owned(),
        2 => "KXKU".to_owned(),
        number => format!("XK{number:03}"),
    };
    // A spiral around Larkfield: a kilometre or so further out each time.
    let (north, east) = ((number as f64).sin() * 0.01, (number as f64).cos() * 0.01);
    let out = 1.0 + number as f64;
    let lat = ((37.74 + north * out) * 1e4).round() / 1e4;
    let lon = ((-98.21 + east * out) * 1e4).round() / 1e4;
    json!({"id": api(&format!("/stations/{id}")), "type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]},
        "properties": {"@type": "wx:ObservationStation", "stationIdentifier": id, "name": format!("Invented Station {number}"),
            "elevation": {"unitCode": "wmoUnit:m", "value": 399.6 + number as f64}, "timeZone": "America/Chicago",
            "forecast": api("/zones/forecast/KSZ197"), "county": api("/zones/county/KSC297"), "fireWeatherZone": api("/zones/fire/KSZ997")}})
}

fn stations(day: &mut Day) {
    // The nearest comes last.
    let list: Vec<Value> = (0..STATIONS).rev().map(station).collect();
    let body = json!({"type": "FeatureCollection", "features": list, "observationStations": [],
        "pagination": {"next": api("/stations?cursor=invented")}});
    day.answer("/gridpoints/XKS/40,60/stations", &[], "stations/sixty.json", &body);
    for number in 0..3 {
        let station = station(number);
        let id = station["properties"]["stationIdentifier"].as_str().expect("an id").to_owned();
        day.answer(&format!("/stations/{id}"), &[], &format!("stations/{id}.json"), &station);
    }
    day.answer("/stations/KXKS/observations/latest", &[], "observations/latest.json", &row(0));
}

fn odd_stations(day: &mut Day) {
    // A station that is silent, one that measured little and long ago, one that does not exist and yet has observations.
    let none = problem("NotFound", 404, "Not Found");
    day.refuse("/stations/KXKT/observations/latest", &[], 404, "problems/not_found.json", &none);
    let mut old = row(60);
    for key in ["dewpoint", "barometricPressure", "visibility", "relativeHumidity", "windSpeed"] {
        old["properties"][key] = json!({"unitCode": "wmoUnit:m", "value": null});
    }
    day.answer("/stations/KXKU/observations/latest", &[], "observations/old.json", &old);
    day.refuse("/stations/XNONE", &[], 404, "problems/not_found.json", &none);
    day.answer("/stations/XNONE/observations/latest", &[], "observations/latest.json", &row(0));
    let unstated = json!({"type": "Feature", "properties": {"timestamp": null, "temperature": {"value": 20}}});
    day.answer("/stations/XTIME", &[], "stations/KXKS.json", &station(0));
    day.answer("/stations/XTIME/observations/latest", &[], "observations/no_time.json", &unstated);
    // Its own page fails; what it measures comes.
    day.fault(0, "/stations/XPAGE", "status:503");
    day.answer("/stations/XPAGE/observations/latest", &[], "observations/latest.json", &row(0));
}

/// Every five minutes, newest first.
fn row(number: i64) -> Value {
    let at = minutes(-5 - 5 * number);
    let figure =
        |unit: &str, value: f64| json!({"unitCode": format!("wmoUnit:{unit}"), "value": value, "qualityControl": "V"});
    json!({"id": api(&format!("/stations/KXKS/observations/{}", utc(at))), "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-98.2, 37.74]},
        "properties": {"@type": "wx:ObservationStation", "station": api("/stations/KXKS"), "stationId": "KXKS",
            "timestamp": utc(at), "rawMessage": "", "textDescription": if number == 1 { "" } else { "Mostly Cloudy" },
            "temperature": figure("degC", 26.7 - number as f64 / 10.0), "dewpoint": figure("degC", 18.3),
            "windDirection": figure("degree_(angle)", 190.0), "windSpeed": figure("km_h-1", 18.504),
            "windGust": if number == 0 { figure("km_h-1", 40.7) } else { json!({"unitCode": "wmoUnit:km_h-1", "value": null}) },
            "barometricPressure": figure("Pa", 100_440.0 - number as f64), "visibility": figure("m", 16_090.0),
            "relativeHumidity": figure("percent", 60.297_979), "heatIndex": {"unitCode": "wmoUnit:degC", "value": null},
            "windChill": {"unitCode": "wmoUnit:degC", "value": null},
            "cloudLayers": [{"base": {"unitCode": "wmoUnit:m", "value": 1_370}, "amount": "BKN"}]}})
}

/// The pages in which the history is turned, as the API cuts them: newest first, end exclusive, one row more than is shown.
fn history(day: &mut Day, page: i64) {
    let limit = (page + 1).to_string();
    for from in (0..ROWS).step_by(page as usize) {
        let name = format!("observations/{page}_from_{from}.json");
        let end = stamp(from - 1);
        let query = [("limit", limit.as_str()), ("end", end.as_str())];
        let rows = rows(from..(from + page + 1).min(ROWS));
        day.answer(OBSERVATIONS, if from == 0 { &query[..1] } else { &query }, &name, &rows);
    }
}

const OBSERVATIONS: &str = "/stations/KXKS/observations";

fn rows(rows: std::ops::Range<i64>) -> Value {
    json!({"type": "FeatureCollection", "features": rows.map(row).collect::<Vec<_>>(),
        "pagination": {"next": api("/stations/KXKS/observations?cursor=invented")}})
}

/// The time of a row as it stands in a query.
fn stamp(number: i64) -> String {
    minutes(-5 - 5 * number).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn odd_histories(day: &mut Day) {
    // A window that holds ten rows and is asked for ten: nothing is left.
    let start = stamp(9);
    day.answer(OBSERVATIONS, &[("limit", "11"), ("start", &start)], "observations/ten.json", &rows(0..10));
    // In no order, with a row twice and one beyond the window: an API that takes the end for inclusive.
    let end = stamp(4);
    let mut odd: Vec<Value> = [7, 5, 6, 5, 4].map(row).to_vec();
    odd.push(json!({"type": "Feature", "properties": {"timestamp": null}}));
    let odd = json!({"type": "FeatureCollection", "features": odd});
    day.answer(OBSERVATIONS, &[("limit", "6"), ("end", &end)], "observations/odd.json", &odd);
    let none = json!({"type": "FeatureCollection", "features": []});
    day.answer("/stations/KXKT/observations", &[], "observations/none.json", &none);
}

fn alert(number: i64, event: &str, zones: &[&str], more: Value) -> Value {
    let id = format!("urn:oid:2.999.2031.5.9.{number:03}.1");
    let kind = |zone: &str| match zone {
        "KSZ997" => "fire",
        zone if zone.as_bytes().get(2) == Some(&b'C') => "county",
        _ => "forecast",
    };
    let urls: Vec<String> = zones.iter().map(|zone| api(&format!("/zones/{}/{zone}", kind(zone)))).collect();
    let mut properties = json!({
        "@id": api(&format!("/alerts/{id}")), "@type": "wx:Alert", "id": id, "areaDesc": format!("Invented area {number}"),
        "geocode": {"UGC": zones, "SAME": []}, "affectedZones": urls, "references": [], "sent": local(minutes(-60)),
        "effective": local(minutes(-60)), "onset": local(minutes(-30)), "expires": local(minutes(60)), "ends": local(minutes(360)),
        "status": "Actual", "messageType": "Alert", "category": "Met", "severity": "Moderate", "certainty": "Likely",
        "urgency": "Expected", "event": event, "sender": "w-nws.invented@example.org", "senderName": "NWS Larkfield KS",
        "headline": format!("{event} issued"), "description": format!("Invented description {number}."), "instruction": null,
        "response": "Prepare", "parameters": {}});
    for (key, value) in more.as_object().expect("an object") {
        properties[key] = value.clone();
    }
    json!({"id": api(&format!("/alerts/{id}")), "type": "Feature", "geometry": null, "properties": properties})
}

fn alerts(day: &mut Day) {
    let path = "/alerts/active";
    let list = |features: Vec<Value>| {
        json!({"type": "FeatureCollection", "features": features,
        "title": "Invented alerts", "updated": utc(minutes(-1))})
    };
    let tornado = json!({"severity": "Extreme", "urgency": "Immediate", "certainty": "Observed",
        "references": [{"@id": api("/alerts/invented"), "identifier": "urn:oid:2.999.2031.5.9.900.1", "sent": local(minutes(-90))}],
        "messageType": "Update", "instruction": "TAKE COVER NOW!"});
    let ring = json!([[[-98.4, 37.6], [-98.0, 37.6], [-98.0, 37.9], [-98.4, 37.9], [-98.4, 37.6]]]);
    let mut warned = alert(1, "Tornado Warning", &["KSC297"], tornado);
    warned["geometry"] = json!({"type": "Polygon", "coordinates": ring});
    let silent = json!({"description": null, "headline": null, "ends": null, "instruction": null, "onset": null});
    let red_flag = alert(2, "Red Flag Warning", &["KSZ997"], silent);
    let coming = json!({"onset": local(minutes(600)), "expires": local(minutes(120)), "ends": local(minutes(900))});
    let wind = alert(3, "Wind Advisory", &["KSZ197", "KSZ198"], coming);
    let past = json!({"urgency": "Past", "certainty": "Observed", "severity": "Minor", "response": "AllClear",
        "headline": "The Flood Advisory has been cancelled.", "expires": local(minutes(15)),
        "parameters": {"VTEC": ["/O.CAN.KXKS.FA.Y.0009.000000T0000Z-310510T0300Z/"]}});
    let gale = alert(5, "Gale Warning", &["GMZ335"], json!({"severity": "Severe"}));
    let mut nation = vec![
        warned.clone(),
        warned.clone(),
        red_flag.clone(),
        wind.clone(),
        alert(4, "Flood Advisory", &["KSZ197"], past),
        gale.clone(),
    ];
    nation.push(alert(6, "Tornado Warning", &["KSC297"], json!({"status": "Test", "severity": "Extreme"})));
    // Enough for three pages of 25.
    nation.extend((10..66).map(|number| alert(number, "Heat Advisory", &["TXZ001"], json!({}))));
    day.answer(path, &[], "alerts/nation.json", &list(nation));
    day.answer(
        path,
        &[("area", "KS")],
        "alerts/kansas.json",
        &list(vec![warned.clone(), red_flag.clone(), wind.clone()]),
    );
    day.answer(path, &[("region_type", "marine")], "alerts/marine.json", &list(vec![gale.clone()]));
    day.answer(path, &[("region", "GM,AT")], "alerts/marine.json", &list(vec![gale]));
    // The API's own search by point does not know the fire weather zone (field report N25).
    day.answer(path, &[("point", "37.74,-98.21")], "alerts/point.json", &list(vec![warned, wind.clone()]));
    day.answer(path, &[("zone", "KSZ997")], "alerts/fire_zone.json", &list(vec![red_flag]));
    day.answer(path, &[("zone", "KSZ197")], "alerts/zone.json", &list(vec![wind]));
    let coastal = alert(7, "Coastal Flood Warning", &["MSC047"], json!({}));
    day.answer(path, &[("point", "30.3,-88.9")], "alerts/none.json", &list(Vec::new()));
    day.answer(path, &[("zone", "MSC047")], "alerts/coast.json", &list(vec![coastal]));
    day.answer(path, &[("area", "WY")], "alerts/none.json", &list(Vec::new()));
    let test = alert(8, "Test", &["KSZ197"], json!({"status": "Test"}));
    day.answer(path, &[("status", "test")], "alerts/tests.json", &list(vec![test]));
    let stale = json!({"type": "FeatureCollection", "features": [], "updated": utc(minutes(-90))});
    day.answer(path, &[("severity", "Minor")], "alerts/stale.json", &stale);
    day.line(0, path, &[("point", "25,-70")], json!({"fault": "status:500"}));
    let zone = json!({"title": "Bad Request", "detail": "Bad Request", "status": 400,
        "parameterErrors": [{"parameter": "query.zone", "message": "KSZ000 is not a valid zone"}]});
    day.refuse(path, &[("zone", "KSZ000")], 400, "problems/zone.json", &zone);
}

fn alert_lists(day: &mut Day, counts: &Value) {
    let types = json!({"eventTypes": ["Tornado Warning", "911 Telephone Outage", "Wind Advisory", "Air Quality Alert", "Tornado Watch"]});
    day.answer("/alerts/types", &[], "alerts/types.json", &types);
    day.answer("/alerts/active/count", &[], "alerts/count.json", counts);
}

fn products(day: &mut Day) {
    let line = |id: &str, hour: i64| {
        json!({"@id": api(&format!("/products/{id}")), "id": id, "wmoCollectiveId": "FXUS63",
        "issuingOffice": "KXKS", "issuanceTime": utc(minutes(-60 * hour)), "productCode": "AFD", "productName": "Area Forecast Discussion"})
    };
    let (old, new) = ("00000000-2999-4000-8000-000000000001", "00000000-2999-4000-8000-000000000002");
    let list = json!({"@context": {}, "@graph": [line(old, 9), line(new, 1), line(old, 20)]});
    day.answer("/products/types/AFD/locations/XKS", &[], "products/list.json", &list);
    let mut text = line(new, 1);
    text["productText"] = json!(
        "\n000\nFXUS63 KXKS 092000\nAFDXKS\n\nArea Forecast Discussion\nInvented National Weather Service \
        Larkfield KS\n300 PM CDT Fri May 9 2031\n\n.SHORT TERM...\nInvented storms this afternoon.\n\n&&\n\n$$\n"
    );
    day.answer(&format!("/products/{new}"), &[], "products/discussion.json", &text);
}

fn missing_products(day: &mut Day) {
    let none = json!({"@context": {}, "@graph": []});
    let office = json!({"@type": "GovernmentOrganization", "id": "XKS", "name": "Larkfield, KS"});
    day.answer("/products/types/HWO/locations/XKS", &[], "products/none.json", &none);
    day.answer("/offices/XKS", &[], "products/office.json", &office);
    day.answer("/products/types/AFD/locations/ZZZ", &[], "products/none.json", &none);
    day.refuse("/offices/ZZZ", &[], 404, "problems/not_found.json", &problem("NotFound", 404, "Not Found"));
    day.answer("/products/types/AFD/locations/YYY", &[], "products/none.json", &none);
    day.fault(0, "/offices/YYY", "status:503");
}

fn zone(day: &mut Day) {
    let period = |number: i64, name: &str| json!({"number": number, "name": name, "detailedForecast": format!("Invented words for {name}.")});
    let forecast = json!({"type": "Feature", "geometry": null, "properties": {"zone": api("/zones/forecast/KSZ197"),
        "updated": local(minutes(-40)), "periods": [period(1, "Tonight"), period(2, "Saturday"), period(3, "Saturday Night")]}});
    day.answer("/zones/forecast/KSZ197/forecast", &[], "zones/forecast.json", &forecast);
}

fn odd_zones(day: &mut Day) {
    let not_found = problem("NotFound", 404, "Not Found");
    for (zone, kind, detail) in [
        ("KSZ801", "InvalidZone", "Zone KSZ801 is not a valid zone"),
        ("GMZ335", "MarineForecastNotSupported", "Forecasts for marine areas are not yet supported"),
        ("KSZ802", "NotFound", "Not Found"),
        ("KSZ803", "NotFound", "Not Found"),
    ] {
        let name = format!("problems/zone_{}.json", zone.to_lowercase());
        day.refuse(&format!("/zones/forecast/{zone}/forecast"), &[], 404, &name, &problem(kind, 404, detail));
    }
    for zone in ["KSZ804", "KSZ805"] {
        day.fault(0, &format!("/zones/forecast/{zone}/forecast"), "status:500");
    }
    // A horseshoe and an islet: the middle of neither box is inside.
    let horseshoe = json!([[
        [-99.0, 37.0],
        [-98.0, 37.0],
        [-98.0, 38.0],
        [-98.2, 38.0],
        [-98.2, 37.2],
        [-98.8, 37.2],
        [-98.8, 38.0],
        [-99.0, 38.0],
        [-99.0, 37.0]
    ]]);
    let islet = json!([[[-97.0, 37.0], [-96.9, 37.0], [-96.9, 37.1], [-97.0, 37.0]]]);
    let zone = json!({"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [islet, horseshoe]},
        "properties": {"@type": "wx:Zone", "id": "KSZ802", "type": "public", "name": "Horseshoe", "state": "KS"}});
    for id in ["KSZ802", "KSZ804"] {
        day.answer(&format!("/zones/forecast/{id}"), &[], "zones/horseshoe.json", &zone);
    }
    day.refuse("/zones/forecast/KSZ803", &[], 404, "problems/not_found.json", &not_found);
    day.fault(0, "/zones/forecast/KSZ805", "status:503");
}
