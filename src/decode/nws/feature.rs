//! One feature of an alerts collection to a `Warning`.

use super::text::{first, inches, is_template, mph, time, word, words};
use crate::decode::geometry;
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::warning::{CapStatus, StormMotion, Tags, Vtec, Warning, ugc};
use jiff::Timestamp;
use serde_json::Value;

/// Ids kept of one product: the longest chain recorded is below a hundred.
const REFERENCES_MAX: usize = 1_000;
/// Cells of one line of storms: products list fewer than ten.
const CELLS_MAX: usize = 64;
/// Storms do not move faster, knots; a larger figure is a slip.
const SPEED_KT_MAX: f64 = 200.0;

/// The id of a feature: `properties.id`, else the end of its URL.
pub(in crate::decode) fn id(feature: &Value) -> Option<String> {
    let properties = feature.get("properties");
    let url = || properties.and_then(|p| word(p.get("@id"))).or_else(|| word(feature.get("id")));
    properties.and_then(|p| word(p.get("id"))).or_else(url).map(|id| id.rsplit('/').next().unwrap_or(&id).to_owned())
}

/// Words of CAP that keep a product from people.
const NOT_ACTUAL: [&str; 4] = ["Exercise", "System", "Test", "Draft"];

/// Faults of one feature, all under its id.
struct Faults {
    id: String,
    /// Whether something cannot be read that decides whether, where or how long the product counts.
    blind: bool,
    list: Vec<Fault>,
}

impl Faults {
    fn note(&mut self, key: &str, what: String) {
        self.list.push(Fault { what: format!("{key}: {what}"), place: self.id.clone(), kept_rest: true });
    }

    /// Notes what may hide the product from somebody.
    fn blind(&mut self, key: &str, what: String) {
        self.blind = true;
        self.note(key, what);
    }

    fn time(&mut self, properties: &Value, key: &str) -> Option<Timestamp> {
        time(properties.get(key)).unwrap_or_else(|why| {
            self.note(key, why);
            None
        })
    }
}

/// Reads one feature; `Err` says why it has to be skipped. Beside its faults: whether all that decides whether and where it
/// counts could be read. What is known not to be meant for people hides nothing, however broken it is.
pub(super) fn warning(feature: &Value, updated_utc: Option<Timestamp>) -> Result<(Warning, Vec<Fault>, bool), String> {
    let properties = feature.get("properties").filter(|p| p.is_object()).ok_or("it has no properties")?;
    let id = id(feature).ok_or("it has no id")?;
    let event = properties.get("event").filter(|event| event.is_string());
    let event = word(event).ok_or("it names no event")?;
    let mut faults = Faults { id: id.clone(), blind: false, list: Vec::new() };
    let empty = Value::Null;
    let parameters = properties.get("parameters").unwrap_or(&empty);
    let (effective_utc, onset_utc) = (faults.time(properties, "effective"), faults.time(properties, "onset"));
    let vtec = vtec(parameters, &mut faults);
    let begins = vtec.iter().find_map(|v| v.begins_utc);
    let sent_utc = sent(properties, [effective_utc, onset_utc, begins, updated_utc], &mut faults)?;
    let ends_utc = faults.time(properties, "ends").or_else(|| {
        let ending = words(parameters.get("eventEndingTime")).into_iter().next().map(Value::String);
        time(ending.as_ref()).unwrap_or_else(|why| {
            faults.note("eventEndingTime", why);
            None
        })
    });
    let given = properties.get("ends").is_some_and(|ends| !ends.is_null() && ends != "");
    // The end of the message would stand in for the end of the event, and that is earlier.
    faults.blind |= given && ends_utc.is_none() && !vtec.iter().any(|v| v.ends_utc.is_some());
    let expires_utc = faults.time(properties, "expires");
    let ugc = ugc_codes(properties, &mut faults);
    let area = area(feature, &ugc, &mut faults);
    let text = |key| word(properties.get(key)).unwrap_or_default();
    let (status, known) = status(properties, &mut faults);
    let warning = Warning {
        id,
        event,
        status,
        message_type: text("messageType"),
        severity: text("severity"),
        certainty: text("certainty"),
        urgency: text("urgency"),
        response: text("response"),
        headline: word(properties.get("headline")),
        area_desc: text("areaDesc"),
        sender: word(properties.get("senderName")).unwrap_or_else(|| text("sender")),
        description: text("description"),
        instruction: word(properties.get("instruction")),
        sent_utc,
        effective_utc,
        onset_utc,
        expires_utc,
        ends_utc,
        references: references(properties, parameters),
        motion: motion(parameters, sent_utc, &mut faults),
        tags: tags(parameters),
        vtec,
        ugc,
        area,
    };
    let whole = !faults.blind || known && status == CapStatus::NotActual;
    Ok((warning, faults.list, whole))
}

/// The status, and whether its word is known. People are told of `Actual` only.
fn status(properties: &Value, faults: &mut Faults) -> (CapStatus, bool) {
    let status = word(properties.get("status")).unwrap_or_default();
    let is = |known: &str| status.eq_ignore_ascii_case(known);
    if is("Actual") {
        (CapStatus::Actual, true)
    } else if NOT_ACTUAL.into_iter().any(is) {
        (CapStatus::NotActual, true)
    } else {
        faults.blind("status", format!("{:?} is no status", status.chars().take(40).collect::<String>()));
        (CapStatus::NotActual, false)
    }
}

/// `sent`, or the next best time: a warning that cannot say when it was sent is still a warning.
fn sent(properties: &Value, others: [Option<Timestamp>; 4], faults: &mut Faults) -> Result<Timestamp, String> {
    let why = match time(properties.get("sent")) {
        Ok(Some(sent)) => return Ok(sent),
        Ok(None) => "missing".to_owned(),
        Err(why) => why,
    };
    if word(properties.get("sent")).is_some_and(|sent| is_template(&sent)) {
        return Err(format!("sent: {why}"));
    }
    let other =
        others.into_iter().flatten().next().ok_or_else(|| format!("sent: {why}, and no other time is readable"))?;
    faults.note("sent", format!("{why}; {other} is used instead"));
    Ok(other)
}

/// All P-VTEC strings; those that cannot be read are told.
fn vtec(parameters: &Value, faults: &mut Faults) -> Vec<Vtec> {
    let mut read: Vec<Vtec> = Vec::new();
    let mut missed = false;
    for text in words(parameters.get("VTEC")) {
        for token in text.split_whitespace() {
            match token.parse::<Vtec>() {
                Ok(vtec) => read.push(vtec),
                Err(why) => {
                    missed = true;
                    faults.note("VTEC", why.to_string());
                }
            }
        }
    }
    // Without any the product stands by itself; of several, the one that counts may be the one that cannot be read.
    faults.blind |= missed && !read.is_empty() && !read.iter().any(Vtec::counts);
    read
}

/// Ids that this message replaces or ends, oldest first: `references`, and the `sender,id,sent` triples of
/// `expiredReferences`, which come as one string split by white space.
fn references(properties: &Value, parameters: &Value) -> Vec<String> {
    let listed = properties.get("references").and_then(Value::as_array).into_iter().flatten();
    let mut found: Vec<(Option<Timestamp>, String)> = listed
        .filter_map(|reference| {
            let id = word(reference.get("identifier")).or_else(|| word(reference.get("@id")))?;
            let id = id.rsplit('/').next().unwrap_or(&id).to_owned();
            Some((time(reference.get("sent")).ok().flatten(), id))
        })
        .collect();
    for text in words(parameters.get("expiredReferences")) {
        found.extend(text.split_whitespace().filter_map(|triple| {
            let mut parts = triple.split(',');
            let (_, id, sent) = (parts.next()?, parts.next()?, parts.next());
            let sent = sent.map(|s| Value::String(s.to_owned()));
            (!id.is_empty()).then(|| (time(sent.as_ref()).ok().flatten(), id.to_owned()))
        }));
    }
    // Stable: where times are missing the order as sent stays.
    found.sort_by_key(|(sent, _)| sent.unwrap_or(Timestamp::MAX));
    let mut ids = Vec::new();
    for (_, id) in found.into_iter().take(REFERENCES_MAX) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// `geocode.UGC`, else the ends of `affectedZones`, else the counties of `geocode.SAME`.
fn ugc_codes(properties: &Value, faults: &mut Faults) -> Vec<String> {
    let geocode = properties.get("geocode");
    let listed = |key: &str| geocode.and_then(|g| g.get(key));
    type Reader = fn(&str) -> Option<String>;
    let sources = [
        ("geocode.UGC", listed("UGC"), ugc::code as Reader),
        ("affectedZones", properties.get("affectedZones"), ugc::of_url),
        ("geocode.SAME", listed("SAME"), ugc::of_same),
    ];
    for (key, value, read) in sources {
        if has_wordless(value) {
            faults.blind(key, "an entry is no word".into());
        }
        let texts = words(value);
        let mut codes = Vec::with_capacity(texts.len());
        for text in &texts {
            match read(text) {
                Some(code) => codes.push(code),
                None => faults.blind(key, format!("{:?} is no zone", text.chars().take(60).collect::<String>())),
            }
        }
        if !codes.is_empty() {
            codes.sort_unstable();
            codes.dedup();
            return codes;
        }
    }
    Vec::new()
}

/// Whether a list holds what is no word, or something else stands where a list was due.
fn has_wordless(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::String(_)) => false,
        Some(Value::Array(items)) => items.iter().any(|item| !item.is_string()),
        Some(_) => true,
    }
}

/// The polygon. One that encloses nothing would hold nobody: then the zones count, if there are any.
fn area(feature: &Value, ugc: &[String], faults: &mut Faults) -> Option<crate::geo::Area> {
    match geometry::area(feature.get("geometry")) {
        Ok(Some(area)) if !area.has_extent() => {
            let instead = if ugc.is_empty() { "it holds nobody" } else { "its zones count instead" };
            faults.note("geometry", format!("the polygon encloses no area: {instead}"));
            faults.blind |= ugc.is_empty();
            ugc.is_empty().then_some(area)
        }
        Ok(None) if ugc.is_empty() => {
            faults.blind("geometry", "neither polygon nor zones: nobody can tell where it is".into());
            None
        }
        Ok(area) => area,
        Err(why) => {
            faults.blind("geometry", why);
            None
        }
    }
}

fn tags(parameters: &Value) -> Tags {
    let tag = |key| first(parameters.get(key));
    Tags {
        tornado_detection: tag("tornadoDetection"),
        tornado_damage_threat: tag("tornadoDamageThreat"),
        thunderstorm_damage_threat: tag("thunderstormDamageThreat"),
        flash_flood_detection: tag("flashFloodDetection"),
        flash_flood_damage_threat: tag("flashFloodDamageThreat"),
        hail_threat: tag("hailThreat"),
        wind_threat: tag("windThreat"),
        // Before 2021 the keys were hailSize and windGust.
        max_hail_size_in: tag("maxHailSize").or_else(|| tag("hailSize")).and_then(|t| inches(&t)),
        max_wind_gust_mph: tag("maxWindGust").or_else(|| tag("windGust")).and_then(|t| mph(&t)),
    }
}

fn motion(parameters: &Value, sent_utc: Timestamp, faults: &mut Faults) -> Option<StormMotion> {
    let text = first(parameters.get("eventMotionDescription"))?;
    match read_motion(&text, sent_utc) {
        Ok(motion) => motion,
        Err(why) => {
            let shown: String = text.chars().take(120).collect();
            faults.note("eventMotionDescription", format!("{shown:?}: {why}"));
            None
        }
    }
}

/// `2026-06-10T21:28:00-00:00...storm...240DEG...41KT...40.15,-94.16 39.96,-94.24`. A time that cannot be read is that of
/// the message; `Ok(None)` where everything is missing.
fn read_motion(text: &str, sent_utc: Timestamp) -> Result<Option<StormMotion>, &'static str> {
    let parts: Vec<&str> = text.split("...").map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let figure = |unit: &str| {
        let part = parts.iter().find_map(|part| part.to_ascii_uppercase().strip_suffix(unit).map(str::to_owned))?;
        part.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
    };
    let from_deg = figure("DEG").filter(|deg| *deg <= 360.0).ok_or("no direction")?;
    let speed_kt = figure("KT").filter(|kt| *kt <= SPEED_KT_MAX).ok_or("no speed")?;
    let cells: Vec<LatLon> = parts
        .iter()
        .flat_map(|part| part.split_whitespace())
        .filter_map(|pair| {
            let (lat, lon) = pair.split_once(',')?;
            LatLon::new(lat.parse().ok()?, lon.parse().ok()?).ok()
        })
        .take(CELLS_MAX)
        .collect();
    if cells.is_empty() {
        return Err("no position");
    }
    let stamp = parts.first().map(|part| Value::String((*part).to_owned()));
    let at_utc = time(stamp.as_ref()).ok().flatten().unwrap_or(sent_utc);
    Ok(Some(StormMotion { at_utc, from_deg, speed_kt, cells }))
}
