//! Points, and the forecasts of Larkfield.

use super::{Day, api, local, minutes, problem, utc};
use jiff::SignedDuration;
use serde_json::{Value, json};

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
pub(super) fn points(day: &mut Day) {
    let land = point("land", true, "KSZ197", json!({}));
    day.answer("/points/37.74,-98.21", &[], "points/land.json", &land);
    // The nearest station of this one is silent.
    day.answer("/points/37.7568,-98.1992", &[], "points/land.json", &land);
    let marine = json!({"county": null, "fireWeatherZone": null, "relativeLocation": null});
    day.answer("/points/28.5,-94.5", &[], "points/marine.json", &point("marine", false, "GMZ335", marine));
    let guam = json!({"cwa": "GUM", "gridId": "GUM", "county": null, "timeZone": "Pacific/Guam"});
    day.answer("/points/18.12,145.77", &[], "points/no_grid.json", &point("land", false, "MPZ004", guam));
    let some = point("land", true, "KSZ197", json!({"forecastHourly": null}));
    day.answer("/points/40,-100", &[], "points/partial.json", &some);
    let no_stations = point("land", true, "KSZ197", json!({"observationStations": null}));
    day.answer("/points/40.1,-100", &[], "points/no_stations.json", &no_stations);
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

pub(super) fn forecasts(day: &mut Day) {
    let names = ["This Afternoon", "Tonight", "Saturday", "Saturday Night", "Sunday", "Sunday Night", "Monday"];
    let names = names.into_iter().chain(["Monday Night", "Tuesday", "Tuesday Night", "Wednesday", "Wednesday Night"]);
    let names: Vec<&str> = names.chain(["Thursday", "Thursday Night"]).collect();
    let half_day = |(number, name): (usize, &&str)| {
        let from = minutes(12 * 60 * number as i64 - 60);
        json!({"number": number + 1, "name": name, "startTime": local(from), "endTime": local(from + SignedDuration::from_hours(12)),
            "isDaytime": number % 2 == 0, "temperature": 84 - 3 * number as i64, "temperatureUnit": "F", "temperatureTrend": null,
            "probabilityOfPrecipitation": {"unitCode": "wmoUnit:percent", "value": if number == 1 { Value::Null } else { json!((10 * number).min(90)) }},
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
