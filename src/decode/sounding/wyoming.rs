//! Pages of the University of Wyoming (weather.uwyo.edu): a heading, a `<PRE>` with a table whose columns are each seven characters
//! wide, blank where missing, and a second `<PRE>` with the station and the published indices.
//!
//! Columns are found by the names in the table's head (PRES HGHT TEMP DWPT ... DRCT, and SKNT in kt or SPED in m/s). A page may hold
//! several soundings; one that says that there are no data is an error, not an empty sounding.

use super::rows::MS_PER_KT;
use super::{Faults, Found, ROWS_MAX, Row, SOUNDINGS_MAX, stamp, utc};
use crate::geo::LatLon;
use jiff::Timestamp;

/// Width of a column, characters.
const WIDTH: usize = 7;
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Whether a text looks like such a page.
pub(super) fn looks_so(text: &str) -> bool {
    let table = text.contains("PRES") && text.contains("HGHT") && text.contains("DWPT");
    table || (text.contains("uwyo.edu") || text.contains("University of Wyoming"))
}

pub(super) fn read(text: &str, faults: &mut Faults) -> Vec<Found> {
    // From one table's head to the next; the heading lies before it, the station's figures after it.
    let heads: Vec<usize> = text
        .match_indices("PRES")
        .map(|(at, _)| at)
        .filter(|at| text[*at..].lines().next().is_some_and(is_head))
        .collect();
    if heads.is_empty() {
        faults.add("the page", "no table of levels (does the page say that there are no data?)");
    }
    if heads.len() > SOUNDINGS_MAX {
        faults.add("the page", format!("more than {SOUNDINGS_MAX} soundings"));
    }
    let mut all = Vec::new();
    let mut before = 0;
    for (index, head) in heads.iter().enumerate().take(SOUNDINGS_MAX) {
        let end = heads.get(index + 1).copied().unwrap_or(text.len());
        // Columns are counted from the start of the line.
        let line = text[..*head].rfind('\n').map_or(0, |at| at + 1);
        let (Some(heading), Some(body)) = (text.get(before..line), text.get(line..end)) else { continue };
        let at = format!("sounding {}", index + 1);
        match sounding(heading, body, &at, faults) {
            Ok(found) => all.push(found),
            Err(why) => faults.add(at, why),
        }
        before = line;
    }
    all
}

fn is_head(line: &str) -> bool {
    ["PRES", "HGHT", "TEMP", "DWPT", "DRCT"].iter().all(|name| line.contains(name))
}

fn sounding(heading: &str, body: &str, at: &str, faults: &mut Faults) -> Result<Found, String> {
    let mut lines = body.lines();
    let head = lines.next().unwrap_or_default();
    // A name ends where its column ends; the head may begin with a tag.
    let column = |name: &str| head.find(name).map(|at| at + name.len());
    let needed = |name: &str| column(name).ok_or_else(|| format!("no column {name}"));
    let (speed, ms_per_unit) = match (column("SKNT"), column("SPED")) {
        (Some(end), _) => (end, MS_PER_KT),
        (None, Some(end)) => (end, 1.0),
        (None, None) => return Err("no column SKNT or SPED".to_owned()),
    };
    let rest = [needed("HGHT")?, needed("TEMP")?, needed("DWPT")?, needed("DRCT")?, speed];
    let pressure = needed("PRES")?;
    // With `<PRE>` on the head's own line its names stand further right than the figures under them.
    let shift = pressure.saturating_sub(WIDTH);

    let mut rows = Vec::new();
    let mut unread = 0;
    for line in lines.by_ref() {
        let lower = line.trim_start();
        if lower.starts_with('<') {
            break;
        }
        if rows.len() >= ROWS_MAX || !lower.starts_with(|c: char| c.is_ascii_digit()) {
            // Rules, units, blank lines.
            continue;
        }
        let figure = |end: usize| figure(line, end.saturating_sub(shift));
        match Row::new(figure(pressure), rest.map(figure), ms_per_unit) {
            Some(row) => rows.push(row),
            None => unread += 1,
        }
    }
    if unread > 0 {
        faults.add(at, format!("{unread} rows without a pressure"));
    }
    let figures: Vec<&str> = lines.collect();
    let told = |label: &str| {
        let line = figures.iter().find(|line| line.contains(label))?;
        Some(line.rsplit(':').next()?.trim())
    };
    let degrees = |label: &str| told(label).and_then(|value| value.parse::<f64>().ok());
    let place = degrees("Station latitude").zip(degrees("Station longitude"));
    let observed = figures.iter().find_map(|line| stamp(line.split("Observation time:").nth(1)?.trim()));
    let title = title(heading);
    Ok(Found {
        at: at.to_owned(),
        station: told("Station identifier").map(str::to_owned).or_else(|| station_in(&title)),
        place: place.and_then(|(lat, lon)| LatLon::new(lat, lon).ok()),
        valid_utc: observed.or_else(|| time_in(&title)),
        forecast_hour: None,
        rows,
    })
}

/// The figure that ends where its column ends.
fn figure(line: &str, end: usize) -> f64 {
    let text = line.get(end.saturating_sub(WIDTH)..end.min(line.len()));
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// The last heading before a table without its tags: `72558 OAX Omaha Observations at 19Z 16 Jun 2014`.
fn title(heading: &str) -> String {
    let lines: Vec<&str> = heading.lines().collect();
    let line = lines.iter().rev().find(|line| line.contains("Observations")).copied().unwrap_or_default();
    let mut inside = false;
    let plain = line.chars().filter(|c| {
        let tag = inside || *c == '<';
        inside = (*c == '<' || inside) && *c != '>';
        !tag
    });
    plain.collect()
}

/// The station's number and letters: what stands before "Observations", or after "Station".
fn station_in(title: &str) -> Option<String> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let station = match words.iter().position(|word| *word == "Station") {
        Some(at) => words.get(at + 1).copied(),
        None => words.get(1).or(words.first()).copied(),
    };
    station.filter(|word| *word != "Observations").map(str::to_owned)
}

/// The time in `... 19Z 16 Jun 2014`.
fn time_in(title: &str) -> Option<Timestamp> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let at = words.iter().position(|word| {
        word.strip_suffix('Z').is_some_and(|hour| !hour.is_empty() && hour.bytes().all(|byte| byte.is_ascii_digit()))
    })?;
    let hour: i8 = words.get(at)?.strip_suffix('Z')?.get(..2)?.parse().ok()?;
    let day: i8 = words.get(at + 1)?.parse().ok()?;
    let month = words.get(at + 2)?.get(..3)?.to_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year: i16 = words.get(at + 3)?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    utc(year, i8::try_from(month + 1).ok()?, day, hour, 0)
}
