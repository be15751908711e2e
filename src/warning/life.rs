//! The life of one product by its own words: whether it counts, from when to when it speaks, what it ends.

use super::incidents::Phase;
use super::vtec::EndAction;
use super::{CapStatus, Vtec, Warning};
use jiff::{SignedDuration, Timestamp};

/// The successor of a product in effect until further notice may arrive after it expired; so long it is not called ended.
const SUCCESSOR_GRACE: SignedDuration = SignedDuration::from_mins(10);
/// A product that gives no usable end lasts at most this long after it was sent (or begins): offices renew all that goes on
/// at least daily, and the end of a known one comes by cancellation or withdrawal long before.
const UNKNOWN_END: SignedDuration = SignedDuration::from_hours(24);

impl Warning {
    /// Whether people are told about it at all: status Actual, and not of VTEC class T (test) or E (experimental) alone.
    pub fn counts(&self) -> bool {
        let answer = ["Ack", "Error"].iter().any(|kind| self.message_type.eq_ignore_ascii_case(kind));
        self.status == CapStatus::Actual && !answer && (self.vtec.is_empty() || self.vtec.iter().any(Vtec::counts))
    }

    /// Whether the whole message only says that something is over.
    pub fn is_past(&self) -> bool {
        self.message_type.eq_ignore_ascii_case("Cancel")
            || self.urgency.eq_ignore_ascii_case("Past")
            || self.response.eq_ignore_ascii_case("AllClear")
    }

    /// The VTEC event that goes on by this message: the first whose action does not end it.
    pub fn standing_vtec(&self) -> Option<&Vtec> {
        self.vtec.iter().filter(|vtec| vtec.counts()).find(|vtec| vtec.end_action().is_none())
    }

    /// Whether the message itself is a warning that stands, by its own words.
    pub fn stands(&self) -> bool {
        self.counts() && !self.is_past() && (self.vtec.is_empty() || self.standing_vtec().is_some())
    }

    /// The VTEC events that end by this message, for its UGCs, whatever `messageType` says.
    pub fn endings(&self) -> impl Iterator<Item = (&Vtec, EndAction)> {
        let past = self.is_past().then_some(EndAction::Cancelled);
        let counting = self.vtec.iter().filter(|vtec| self.status == CapStatus::Actual && vtec.counts());
        counting.filter_map(move |vtec| Some((vtec, vtec.end_action().or(past)?)))
    }

    /// From when it speaks: `onset`, else `effective`, else `sent`. An event of which VTEC says that it is under way (it begins at
    /// 000000T0000Z) speaks from when that was sent, whatever its onset.
    pub fn begins_utc(&self) -> Timestamp {
        let begins = self.onset_utc.or(self.effective_utc).unwrap_or(self.sent_utc);
        let is_under_way = self.standing_vtec().is_some_and(|vtec| vtec.begins_utc.is_none());
        if is_under_way { begins.min(self.sent_utc) } else { begins }
    }

    /// Until when it speaks, by the clock; always after `begins_utc`.
    ///
    /// `ends` (else the event's ending time, else that of its VTEC), else `expires`, which is only the end of the message:
    /// for an event until further notice with 10 minutes of grace. An end that is not after the beginning is no end.
    pub fn until_utc(&self) -> Timestamp {
        let begins = self.begins_utc();
        let vtec = self.standing_vtec();
        let open = vtec.is_some_and(|vtec| vtec.ends_utc.is_none());
        let message_end = if open { self.expires_utc.map(|at| at + SUCCESSOR_GRACE) } else { self.expires_utc };
        [self.ends_utc, vtec.and_then(|vtec| vtec.ends_utc), message_end]
            .into_iter()
            .flatten()
            .find(|end| *end > begins)
            .unwrap_or_else(|| begins.max(self.sent_utc) + UNKNOWN_END)
    }

    /// Coming, in effect, or `None`: over. Half-open, by the clock alone.
    pub fn phase(&self, now: Timestamp) -> Option<Phase> {
        if now >= self.until_utc() {
            None
        } else if now >= self.begins_utc() {
            Some(Phase::InEffect)
        } else {
            Some(Phase::Coming)
        }
    }
}
