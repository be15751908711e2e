//! The form of SPC and SHARPpy: a title, then rows of pressure (hPa), height (m), temperature and dew point (°C), wind direction
//! (degrees) and speed (kt) between `%RAW%` and `%END%`, with commas; -9999 is missing.

use super::rows::MS_PER_KT;
use super::{Faults, Found, ROWS_MAX, Row, SOUNDINGS_MAX, stamp};
use crate::geo::LatLon;

pub(super) fn read(text: &str, faults: &mut Faults) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    let (mut title, mut want_title, mut in_rows) = (None, false, false);
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())) {
        match line {
            "%TITLE%" => (title, want_title, in_rows) = (None, true, false),
            "%RAW%" if all.len() < SOUNDINGS_MAX => {
                all.push(titled(title.take().unwrap_or_default(), number));
                (want_title, in_rows) = (false, true);
            }
            "%RAW%" | "%END%" => in_rows = false,
            "" => {}
            line if want_title => (title, want_title) = (Some(line), false),
            line if in_rows => {
                let Some(found) = all.last_mut().filter(|found| found.rows.len() < ROWS_MAX) else { continue };
                match row(line) {
                    Some(row) => found.rows.push(row),
                    None => faults.add(format!("line {number}"), format!("no row of six figures: {:?}", start(line))),
                }
            }
            _ => {}
        }
    }
    if in_rows {
        faults.add("the end", "%END% is missing: the file may be cut off");
    }
    all
}

fn start(line: &str) -> String {
    line.chars().take(60).collect()
}

/// `OAX 140616/1900` or `HRRRpt 260626/0000 36.68,-95.66`.
fn titled(title: &str, number: usize) -> Found {
    let mut words = title.split_whitespace();
    let station = words.next().map(str::to_owned);
    let valid_utc = words.next().and_then(|word| stamp(word.get(..11).unwrap_or(word)));
    let place = words.next().and_then(|word| {
        let (lat, lon) = word.split_once(',')?;
        LatLon::new(lat.parse().ok()?, lon.parse().ok()?).ok()
    });
    Found { at: format!("line {number}"), station, place, valid_utc, ..Found::default() }
}

fn row(line: &str) -> Option<Row> {
    let mut figures = line.split(',').map(|word| word.trim().parse::<f64>());
    let mut next = || figures.next()?.ok();
    let (pressure_hpa, rest) = (next()?, [next()?, next()?, next()?, next()?, next()?]);
    Row::new(pressure_hpa, rest, MS_PER_KT)
}
