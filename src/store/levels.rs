//! The state of each watch point. What stands is written by `commit` alone; who has heard of its episode also where a delivery
//! is given up, and where an address is taken off.

use super::Store;
use super::error::StoreError;
use super::trees::In;
use super::wire::{Listed, Wire, decode, key_text};
use crate::threat::{BlindSpot, Episode, Level, PointState, Support};
use jiff::Timestamp;

impl Wire for PointState {
    const TREE: &'static str = "levels";
    const FORMAT: u8 = 2;

    /// Format 1 did not know which sources an episode had lost sight of, nor where its newest notice went.
    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        if format != 1 {
            return Err(format!("it has format {format}, this build reads formats 1 and {}", Self::FORMAT));
        }
        let (row, _) = postcard::take_from_bytes::<StateOf1>(body).map_err(|error| error.to_string())?;
        let (level, since_utc, supports, no_more_than_since_utc, blind_since_utc, episode, blind_spots) = row;
        let episode = episode.map(|row| {
            let (id, began_utc, below_since_utc, sequence, told_max, told_blind, awaiting_sight, threads) = row.0;
            let (last_deliveries, last_decided_utc) = row.1;
            Episode {
                id,
                began_utc,
                below_since_utc,
                sequence,
                told_max,
                told_blind,
                awaiting_sight,
                out_of_sight: Vec::new(),
                thread_roots: threads,
                // Without the address, each is looked for as if it were everybody's.
                last_deliveries: last_deliveries.into_iter().map(|id| (String::new(), id)).collect(),
                last_decided_utc,
            }
        });
        Ok(Self { level, since_utc, supports, no_more_than_since_utc, blind_since_utc, episode, blind_spots })
    }
}

/// The fields of format 1, in their order.
type StateOf1 =
    (Level, Timestamp, Vec<Support>, [Option<Timestamp>; 5], Option<Timestamp>, Option<EpisodeOf1>, Vec<BlindSpot>);

/// Likewise, in two parts.
type EpisodeOf1 = (
    (String, Timestamp, Option<Timestamp>, u32, Level, bool, bool, Vec<(String, String)>),
    (Vec<String>, Option<Timestamp>),
);

impl Store {
    /// All states by watch point id, sorted.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn states(&self) -> Result<Listed<(String, PointState)>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Levels) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes).map(|state| (key_text(&key), state)));
            }
            Ok(listed)
        })
    }

    /// The state of one watch point; `None` before its first assessment.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn state(&self, id: &str) -> Result<Option<PointState>, StoreError> {
        self.run(|trees| trees.get(In::Levels, id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::encode;
    use super::*;

    #[test]
    fn states_of_the_first_format_are_read() {
        let at = Timestamp::from_second(1_900_000_000).unwrap();
        let episode = Episode {
            id: "ep".into(),
            began_utc: at,
            below_since_utc: None,
            sequence: 3,
            told_max: Level::Extreme,
            told_blind: true,
            awaiting_sight: true,
            out_of_sight: Vec::new(),
            thread_roots: vec![("email:a".into(), "root".into())],
            last_deliveries: vec![(String::new(), "d".into())],
            last_decided_utc: Some(at),
        };
        let state = PointState { level: Level::Elevated, episode: Some(episode), ..PointState::quiet(at) };
        let row: StateOf1 = (
            state.level,
            at,
            Vec::new(),
            [None; 5],
            None,
            state.episode.clone().map(|e| {
                let first =
                    (e.id, e.began_utc, None, e.sequence, e.told_max, e.told_blind, e.awaiting_sight, e.thread_roots);
                (first, (e.last_deliveries.into_iter().map(|(_, id)| id).collect(), e.last_decided_utc))
            }),
            Vec::new(),
        );
        let old = postcard::to_extend(&row, vec![1]).unwrap();
        assert_eq!(decode::<PointState>(b"a", &old).unwrap(), state);
        assert_eq!(decode::<PointState>(b"a", &encode(b"a", &state).unwrap()).unwrap(), state);
    }
}
