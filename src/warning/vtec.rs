//! Reading and writing of P-VTEC strings (NWS Directive 10-1703), and what their actions mean.

use super::Vtec;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Why a text is not a P-VTEC string.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is no P-VTEC string: {why}")]
pub struct VtecError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl FromStr for Vtec {
    type Err = VtecError;

    fn from_str(text: &str) -> Result<Self, VtecError> {
        let wrong = |why| VtecError { text: text.chars().take(80).collect(), why };
        let inner = text.trim().strip_prefix('/').and_then(|t| t.strip_suffix('/'));
        let inner = inner.ok_or_else(|| wrong("it does not stand between slashes"))?;
        let mut parts = inner.split('.');
        let mut next = |length: usize, why| {
            let part = parts.next().filter(|p| p.len() == length && p.bytes().all(|b| b.is_ascii_alphanumeric()));
            part.ok_or_else(|| wrong(why))
        };
        let class = next(1, "the product class is one letter")?;
        let action = next(3, "the action has three letters")?;
        let office = next(4, "the office has four letters")?;
        let phenomenon = next(2, "the phenomenon has two letters")?;
        let significance = next(1, "the significance is one letter")?;
        let etn = next(4, "the tracking number has four digits")?;
        let etn = etn.parse().map_err(|_| wrong("the tracking number has four digits"))?;
        let (begins, ends) = parts.next().and_then(|t| t.split_once('-')).ok_or_else(|| wrong("two times are due"))?;
        if parts.next().is_some() {
            return Err(wrong("there is more than seven parts"));
        }
        let time = |text| instant(text).ok_or_else(|| wrong("a time reads yymmddThhnnZ"));
        Ok(Self {
            class: class.chars().next().unwrap_or('?').to_ascii_uppercase(),
            action: action.to_ascii_uppercase(),
            office: office.to_ascii_uppercase(),
            phenomenon: phenomenon.to_ascii_uppercase(),
            significance: significance.chars().next().unwrap_or('?').to_ascii_uppercase(),
            etn,
            begins_utc: time(begins)?,
            ends_utc: time(ends)?,
        })
    }
}

/// `yymmddThhnnZ`; `Some(None)` for the open 000000T0000Z, `None` for what is no time.
fn instant(text: &str) -> Option<Option<Timestamp>> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let number = |t: &str, from: usize| t.get(from..from + 2)?.parse::<i8>().ok();
    if date.len() != 6 || time.len() != 4 || !date.bytes().chain(time.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    if date == "000000" {
        return Some(None);
    }
    let year = 2000 + i16::from(number(date, 0)?);
    let (month, day) = (number(date, 2)?, number(date, 4)?);
    let civil = DateTime::new(year, month, day, number(time, 0)?, number(time, 2)?, 0, 0).ok()?;
    Offset::UTC.to_timestamp(civil).ok().map(Some)
}

impl fmt::Display for Vtec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, action, office, phenomenon, significance, etn, .. } = self;
        write!(f, "/{class}.{action}.{office}.{phenomenon}.{significance}.{etn:04}.")?;
        for (time, after) in [(self.begins_utc, "-"), (self.ends_utc, "/")] {
            match time {
                Some(time) => write!(f, "{}{after}", time.strftime("%y%m%dT%H%MZ"))?,
                None => write!(f, "000000T0000Z{after}")?,
            }
        }
        Ok(())
    }
}

/// How an event left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndAction {
    /// CAN: called off.
    Cancelled,
    /// EXP: ran out, said so.
    Expired,
    /// UPG: something stronger took its place.
    Upgraded,
}

impl Vtec {
    /// Whether people are told about events of this class: operational ones and those under experimental VTEC in
    /// operational products. Test and experimental products never.
    pub fn counts(&self) -> bool {
        matches!(self.class, 'O' | 'X')
    }

    /// How the event ends for the UGCs of the message; `None` where the action lets it go on.
    pub fn end_action(&self) -> Option<EndAction> {
        match self.action.as_str() {
            "CAN" => Some(EndAction::Cancelled),
            "EXP" => Some(EndAction::Expired),
            "UPG" => Some(EndAction::Upgraded),
            _ => None,
        }
    }

    /// Office, phenomenon, significance and tracking number: the identity within a year.
    pub fn event_id(&self) -> String {
        format!("{}.{}.{}.{:04}", self.office, self.phenomenon, self.significance, self.etn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_offices_send_and_writes_it_back() {
        for text in [
            "/O.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z/",
            "/O.CON.KEAX.TO.W.0065.000000T0000Z-260610T2200Z/",
            "/X.NEW.KPUB.FL.W.0030.240430T1900Z-000000T0000Z/",
            "/T.CAN.PHFO.SU.W.0010.251215T1600Z-251216T1600Z/",
        ] {
            assert_eq!(text.parse::<Vtec>().unwrap().to_string(), text);
        }
        let vtec: Vtec = "/O.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z/".parse().unwrap();
        assert_eq!(vtec.begins_utc, Some("2026-06-10T21:28:00Z".parse().unwrap()));
        assert_eq!((vtec.etn, vtec.event_id().as_str()), (334, "KEAX.SV.W.0334"));
        assert!(vtec.counts() && vtec.end_action().is_none());
    }

    #[test]
    fn says_what_is_wrong_with_the_rest() {
        for text in [
            "",
            "/",
            "//",
            "O.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z",
            "/O.NEW.KEAX.SV.W.334.260610T2128Z-260610T2230Z/",
            "/O.NEW.KEAX.SV.W.0334.261310T2128Z-260610T2230Z/",
            "/O.NEW.KEAX.SV.W.0334.260610T2128Z/",
            "/O.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z.x/",
            "/O.NEW.KÉAX.SV.W.0334.260610T2128Z-260610T2230Z/",
            "/00000.N.ER.000000T0000Z.000000T0000Z.000000T0000Z.OO/",
        ] {
            assert!(text.parse::<Vtec>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,60}", cut in 0usize..60) {
            let _ = text.parse::<Vtec>();
            let whole = "/O.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z/";
            let _ = whole.get(cut.min(whole.len())..).map(str::parse::<Vtec>);
        }
    }
}
