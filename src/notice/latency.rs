//! How long notices take, stage by stage: issued, seen, decided, handed over. Pure.

use crate::notice::{ChannelKind, Delivery, NoticeReason};
use jiff::Timestamp;
use serde::Serialize;

/// One stretch of the way of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// From what the evidence says of its own time to the end of the poll that brought it.
    IssuedToSeen,
    /// From there to the decision.
    SeenToDecided,
    /// From there until the other side took it.
    DecidedToHandedOver,
    /// All of it.
    IssuedToHandedOver,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Self; 4] =
        [Self::IssuedToSeen, Self::SeenToDecided, Self::DecidedToHandedOver, Self::IssuedToHandedOver];

    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IssuedToSeen => "issued_to_seen",
            Self::SeenToDecided => "seen_to_decided",
            Self::DecidedToHandedOver => "decided_to_handed_over",
            Self::IssuedToHandedOver => "issued_to_handed_over",
        }
    }

    /// How long one delivery took for this stage, seconds; `None` where that says nothing. Only a rise is brought by its
    /// evidence, and only one that was seen to come.
    fn of(self, delivery: &Delivery, handed_over: Timestamp) -> Option<f64> {
        let rise = delivery.reason == NoticeReason::Raised && delivery.stands_in_for.is_none();
        let seen = delivery.seen_utc.filter(|_| rise);
        let issued = delivery.evidence_utc.filter(|_| seen.is_some());
        let (from, to) = match self {
            Self::IssuedToSeen => (issued?, seen?),
            Self::SeenToDecided => (seen?, delivery.decided_utc),
            Self::DecidedToHandedOver => (delivery.decided_utc, handed_over),
            Self::IssuedToHandedOver => (issued?, handed_over),
        };
        Some(from.duration_until(to).as_secs_f64().max(0.0))
    }
}

/// The figures of one stage, seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageLatency {
    /// Which.
    pub stage: Stage,
    /// Deliveries that tell of it.
    pub count: usize,
    /// Half of them took no longer.
    pub p50_s: Option<f64>,
    /// Nine in ten.
    pub p90_s: Option<f64>,
    /// 99 in a hundred.
    pub p99_s: Option<f64>,
    /// The longest.
    pub max_s: Option<f64>,
    /// All together.
    pub sum_s: f64,
}

/// The latency of what was told: deliveries with the time when each was handed over. What is only recorded does not count.
pub fn latency<'a>(told: impl Iterator<Item = (&'a Delivery, Timestamp)> + Clone) -> Vec<StageLatency> {
    let told = told.filter(|(delivery, _)| delivery.address.kind != ChannelKind::None);
    let stages = Stage::ALL.into_iter().map(|stage| {
        let mut seconds: Vec<f64> = told.clone().filter_map(|(delivery, at)| stage.of(delivery, at)).collect();
        seconds.sort_by(f64::total_cmp);
        StageLatency {
            stage,
            count: seconds.len(),
            p50_s: rank(&seconds, 50),
            p90_s: rank(&seconds, 90),
            p99_s: rank(&seconds, 99),
            max_s: seconds.last().copied(),
            // A sum of nothing is -0 in Rust.
            sum_s: seconds.iter().fold(0.0, |sum, s| sum + s),
        }
    });
    stages.collect()
}

/// The percentile by nearest rank: the smallest value that `percent` of all do not exceed.
fn rank(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests;
