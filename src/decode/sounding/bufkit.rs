//! BUFKIT: a model's forecast soundings at one place. Each begins with `STID = ... TIME = YYMMDD/HHMM`, tells indices by `KEY =
//! value`, names its columns (`PRES TMPC ... HGHT`) and goes on with their figures, broken over lines anyhow. Surface series follow.
//!
//! Pressure in hPa, temperatures in °C, direction in degrees, speed in kt, height in m above sea level; -9999 is missing. The lowest
//! model level stands for the ground: the form has no other.

use super::rows::MS_PER_KT;
use super::{Faults, Found, ROWS_MAX, Row, SOUNDINGS_MAX, stamp};
use crate::geo::LatLon;

/// The columns needed, in the order of [`Row::new`].
const NEEDED: [&str; 6] = ["PRES", "HGHT", "TMPC", "DWPC", "DRCT", "SKNT"];

pub(super) fn read(text: &str, faults: &mut Faults) -> Vec<Found> {
    // What lies before the first one names the parameters, which each table names again.
    let blocks = text.split("STID =").skip(1);
    let mut all = Vec::new();
    for (index, block) in blocks.enumerate() {
        if all.len() == SOUNDINGS_MAX {
            faults.add("the file", format!("more than {SOUNDINGS_MAX} soundings"));
            break;
        }
        let at = format!("sounding {}", index + 1);
        match sounding(block, &at) {
            Ok(found) => all.push(found),
            Err(why) => faults.add(at, why),
        }
    }
    all
}

fn sounding(block: &str, at: &str) -> Result<Found, String> {
    // The table of the surface series has a head of its own.
    let block = block.split("STN YYMMDD/HHMM").next().unwrap_or(block);
    let words: Vec<&str> = block.split_whitespace().collect();
    // `split` took "STID =" off.
    let station = words.first().filter(|_| words.get(1) != Some(&"=")).map(|word| (*word).to_owned());
    let value = |key: &str| {
        let at = words.windows(2).position(|pair| pair == [key, "="])?;
        // Without a value the next key follows: `STID = STNM = 725460`.
        let word = words.get(at + 2)?;
        (words.get(at + 3) != Some(&"=")).then_some(*word)
    };
    let number = |key: &str| value(key).and_then(|word| word.parse::<f64>().ok());
    let place = number("SLAT").zip(number("SLON")).and_then(|(lat, lon)| LatLon::new(lat, lon).ok());

    let head = words.iter().position(|word| *word == "PRES").ok_or("no table of levels")?;
    let is_name = |word: &&&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let names: Vec<&str> = words.iter().skip(head).take_while(is_name).copied().collect();
    let mut places = [0; NEEDED.len()];
    for (place, needed) in places.iter_mut().zip(NEEDED) {
        *place = names.iter().position(|name| *name == needed).ok_or_else(|| format!("no column {needed}"))?;
    }
    let mut rows = Vec::new();
    let mut broken = 0;
    let figures = words.get(head + names.len()..).unwrap_or_default();
    for row in figures.chunks_exact(names.len()).take(ROWS_MAX) {
        let figure = |index: usize| row.get(index).and_then(|word| word.parse::<f64>().ok()).unwrap_or(f64::NAN);
        let [pressure_hpa, rest @ ..] = places.map(figure);
        match Row::new(pressure_hpa, rest, MS_PER_KT) {
            Some(row) => rows.push(row),
            None => broken += 1,
        }
    }
    if broken > 0 && rows.is_empty() {
        return Err(format!("none of {broken} rows can be read"));
    }
    Ok(Found {
        at: at.to_owned(),
        station: station.or_else(|| value("STNM").map(str::to_owned)),
        place,
        valid_utc: value("TIME").and_then(stamp),
        forecast_hour: value("STIM").and_then(|word| word.parse().ok()),
        rows,
    })
}
