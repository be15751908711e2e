//! The invented products of the invented office KXKS, in the shape in which api.weather.gov serves them.

use crate::storm::{self, at};
use jiff::Timestamp;
use serde_json::{Value, json};

/// County and forecast zone of each town; numbers that Kansas does not use.
pub const LARK_ZONES: [&str; 2] = ["KSC297", "KSZ197"];
pub const FERN_ZONES: [&str; 2] = ["KSC299", "KSZ199"];

const OFFICE: &str = "KXKS";
const SENDER: &str = "NWS Larkfield KS (invented)";

/// One product.
pub struct Product {
    pub number: u32,
    pub event: &'static str,
    pub phenomenon: &'static str,
    pub significance: char,
    pub etn: u16,
    pub action: &'static str,
    pub sent_min: f64,
    pub begins_min: f64,
    pub ends_min: f64,
    pub polygon: Option<Vec<[f64; 2]>>,
    pub replaces: &'static [u32],
    pub tags: Vec<(&'static str, &'static str)>,
    pub text: &'static str,
}

impl Product {
    fn id(number: u32) -> String {
        // 2.999 is the arc of object identifiers that is set aside for examples.
        format!("urn:oid:2.999.2031.5.9.{number:03}.1")
    }

    /// Invented, in the manner of a call to action: hard-wrapped, a paragraph each.
    fn instruction(&self) -> Option<&'static str> {
        match (self.phenomenon, self.significance, self.action) {
            (_, _, "CAN") => None,
            ("TO", 'W', _) => Some(
                "An invented tornado is near Larkfield. Go to the lowest floor, to an\ninner room without windows, now.\n\n\
                 Cover your head.",
            ),
            ("SV", 'W', _) => Some("Invented hail is coming. Stay indoors, away from windows."),
            _ => None,
        }
    }

    fn vtec(&self) -> String {
        let begins = if self.action == "NEW" { stamp(at(self.begins_min)) } else { "000000T0000Z".to_owned() };
        format!(
            "/O.{}.{OFFICE}.{}.{}.{:04}.{begins}-{}/",
            self.action,
            self.phenomenon,
            self.significance,
            self.etn,
            stamp(at(self.ends_min))
        )
    }

    /// The feature.
    pub fn feature(&self) -> Value {
        let cancelled = self.action == "CAN";
        let id = Self::id(self.number);
        let api = |kind: &str, id: &str| format!("https://api.weather.gov/{kind}/{id}");
        let replaced: Vec<String> = self.replaces.iter().map(|number| Self::id(*number)).collect();
        let references: Vec<Value> =
            if cancelled { Vec::new() } else { replaced.iter().map(|id| reference(id)).collect() };
        let mut parameters = serde_json::Map::new();
        parameters.insert("VTEC".to_owned(), json!([self.vtec()]));
        parameters.insert("eventEndingTime".to_owned(), json!([local(at(self.ends_min))]));
        for (key, value) in &self.tags {
            parameters.insert((*key).to_owned(), json!([value]));
        }
        if cancelled {
            // Recorded cancellations come as an Alert that is past, and name what they end in one string.
            let triple = |id: &String| format!("w-nws.invented@example.org,{id},{}", local(at(self.sent_min)));
            let triples: Vec<String> = replaced.iter().map(triple).collect();
            parameters.insert("expiredReferences".to_owned(), json!([triples.join(" ")]));
        } else if self.polygon.is_some() {
            parameters.insert("eventMotionDescription".to_owned(), json!([motion(self.sent_min)]));
        }
        let expires = if cancelled { self.sent_min + 15.0 } else { self.ends_min };
        let geometry = self.polygon.as_ref().map(|ring| json!({"type": "Polygon", "coordinates": [ring]}));
        let message_type = if self.action == "CON" { "Update" } else { "Alert" };
        let headline = if cancelled {
            format!("The {} has been cancelled.", self.event)
        } else {
            format!("{} until {}", self.event, local(at(self.ends_min)))
        };
        json!({
            "id": api("alerts", &id), "type": "Feature", "geometry": geometry,
            "properties": {
                "@id": api("alerts", &id), "@type": "wx:Alert", "id": id,
                "areaDesc": "Lark, KS",
                "geocode": {"SAME": ["020297"], "UGC": [LARK_ZONES[0]]},
                "affectedZones": [api("zones/county", LARK_ZONES[0])],
                "references": references,
                "sent": local(at(self.sent_min)), "effective": local(at(self.sent_min)),
                "onset": local(at(self.begins_min)), "expires": local(at(expires)), "ends": local(at(self.ends_min)),
                "status": "Actual", "messageType": message_type, "category": "Met",
                "severity": if cancelled { "Minor" } else { "Severe" },
                "certainty": "Observed",
                "urgency": if cancelled { "Past" } else { "Immediate" },
                "event": self.event, "sender": "w-nws.invented@example.org", "senderName": SENDER,
                "headline": headline, "description": self.text, "instruction": self.instruction(),
                "response": if cancelled { "AllClear" } else { "Shelter" },
                "parameters": parameters, "language": "en-US",
            }
        })
    }
}

fn reference(id: &str) -> Value {
    json!({"@id": format!("https://api.weather.gov/alerts/{id}"), "identifier": id, "sender": "w-nws.invented@example.org"})
}

fn motion(minute: f64) -> String {
    let (lat, lon) = storm::core(minute);
    let time = at(minute).strftime("%Y-%m-%dT%H:%M:%S");
    format!("{time}-00:00...storm...{:03.0}DEG...{:.0}KT...{lat:.2},{lon:.2}", storm::FROM_DEG, storm::SPEED_KT)
}

/// `yymmddThhnnZ`, as in VTEC.
fn stamp(at: Timestamp) -> String {
    at.strftime("%y%m%dT%H%MZ").to_string()
}

/// With the offset of central daylight time, as an office in Kansas writes it.
fn local(at: Timestamp) -> String {
    let central = jiff::tz::TimeZone::fixed(jiff::tz::offset(-5));
    central.to_datetime(at).strftime("%Y-%m-%dT%H:%M:%S-05:00").to_string()
}

/// Every product of the day.
pub fn all() -> Vec<Product> {
    let tornado = |number, action, sent_min, replaces, tags, text| Product {
        number,
        event: "Tornado Warning",
        phenomenon: "TO",
        significance: 'W',
        etn: 7,
        action,
        sent_min,
        begins_min: 15.0,
        ends_min: 60.0,
        polygon: Some(storm::box_along(13.0, 50.0, 8.0)),
        replaces,
        tags,
        text,
    };
    let observed =
        || vec![("tornadoDetection", "OBSERVED"), ("tornadoDamageThreat", "CONSIDERABLE"), ("maxHailSize", "1.50")];
    vec![
        Product {
            number: 1,
            event: "Severe Thunderstorm Watch",
            phenomenon: "SV",
            significance: 'A',
            etn: 123,
            action: "NEW",
            sent_min: -20.0,
            begins_min: -20.0,
            ends_min: 90.0,
            polygon: None,
            replaces: &[],
            tags: Vec::new(),
            text: "An invented watch for an invented county.",
        },
        Product {
            number: 2,
            event: "Severe Thunderstorm Warning",
            phenomenon: "SV",
            significance: 'W',
            etn: 101,
            action: "NEW",
            sent_min: 5.0,
            begins_min: 5.0,
            ends_min: 50.0,
            polygon: Some(storm::box_along(0.0, 50.0, 18.0)),
            replaces: &[],
            tags: vec![
                ("hailThreat", "RADAR INDICATED"),
                ("maxHailSize", "1.50"),
                ("windThreat", "RADAR INDICATED"),
                ("maxWindGust", "60 MPH"),
            ],
            text: "At 405 PM CDT, a severe thunderstorm was located 26 miles southwest of\nLarkfield, moving northeast at 60 mph.",
        },
        tornado(
            3,
            "NEW",
            15.0,
            &[],
            vec![("tornadoDetection", "RADAR INDICATED"), ("maxHailSize", "1.50")],
            "At 415 PM CDT, a severe thunderstorm capable of producing a tornado was\nlocated 16 miles southwest of Larkfield, moving northeast at 60 mph.",
        ),
        tornado(
            4,
            "CON",
            22.0,
            &[3],
            observed(),
            "At 422 PM CDT, a confirmed tornado was located 10 miles southwest of\nLarkfield, moving northeast at 60 mph. TAKE COVER NOW!",
        ),
        tornado(
            5,
            "CON",
            30.0,
            &[3, 4],
            observed(),
            "At 430 PM CDT, a confirmed tornado was located 2 miles southwest of\nLarkfield, moving northeast at 60 mph. TAKE COVER NOW!",
        ),
        tornado(
            6,
            "CAN",
            48.0,
            &[3, 4, 5],
            Vec::new(),
            "The storm which prompted the warning has weakened below severe limits.\nTherefore, the warning has been cancelled.",
        ),
    ]
}

/// The national collection: these products, last changed at that minute.
pub fn collection(products: &[&Product], updated_min: f64) -> Value {
    let features: Vec<Value> = products.iter().map(|product| product.feature()).collect();
    json!({
        "@context": ["https://geojson.org/geojson-ld/geojson-context.jsonld"],
        "type": "FeatureCollection", "features": features,
        "title": "Current watches, warnings, and advisories (invented)",
        "updated": at(updated_min).to_string(),
    })
}

/// The answer of `/points` with what zones need.
pub fn points(place: (f64, f64), zones: [&str; 2]) -> Value {
    let zone = |kind: &str, id: &str| format!("https://api.weather.gov/zones/{kind}/{id}");
    json!({
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [place.1, place.0]},
        "properties": {
            "county": zone("county", zones[0]), "forecastZone": zone("forecast", zones[1]),
            "fireWeatherZone": zone("fire", zones[1]), "timeZone": "America/Chicago", "cwa": "XKS", "gridId": "XKS",
        }
    })
}
