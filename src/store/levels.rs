//! The state of each watch point. What stands is written by `commit` alone; who has heard of its episode also where a delivery
//! is given up, and where an address is taken off.

use super::Store;
use super::error::StoreError;
use super::trees::In;
use super::wire::{Listed, Wire, decode, key_text};
use crate::threat::{BlindSpot, Episode, Level, PointState, Support};
use jiff::Timestamp;
use serde::Deserialize;

impl Wire for PointState {
    const TREE: &'static str = "levels";
    const FORMAT: u8 = 3;

    /// Format 1 did not know which sources an episode had lost sight of, nor where its newest notice went; format 2 did not know
    /// who had been told, but of whom first.
    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        match format {
            1 => {}
            2 => return postcard::from_bytes::<StateOf2>(body).map(Self::from).map_err(|error| error.to_string()),
            _ => return Err(format!("it has format {format}, this build reads formats 1 to {}", Self::FORMAT)),
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
                told: threads.clone(),
                thread_roots: threads,
                // Without the address, each is looked for as if it were everybody's.
                last_deliveries: last_deliveries.into_iter().map(|id| (String::new(), id)).collect(),
                last_decided_utc,
            }
        });
        Ok(Self { level, since_utc, supports, no_more_than_since_utc, blind_since_utc, episode, blind_spots })
    }
}

/// The fields of format 2, in their order.
type StateOf2 =
    (Level, Timestamp, Vec<Support>, [Option<Timestamp>; 5], Option<Timestamp>, Option<EpisodeOf2>, Vec<BlindSpot>);

/// See `Episode`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct EpisodeOf2 {
    id: String,
    began_utc: Timestamp,
    below_since_utc: Option<Timestamp>,
    sequence: u32,
    told_max: Level,
    told_blind: bool,
    awaiting_sight: bool,
    out_of_sight: Vec<String>,
    thread_roots: Vec<(String, String)>,
    last_deliveries: Vec<(String, String)>,
    last_decided_utc: Option<Timestamp>,
}

impl From<StateOf2> for PointState {
    fn from(old: StateOf2) -> Self {
        let (level, since_utc, supports, no_more_than_since_utc, blind_since_utc, episode, blind_spots) = old;
        let episode = episode.map(|old| Episode {
            id: old.id,
            began_utc: old.began_utc,
            below_since_utc: old.below_since_utc,
            sequence: old.sequence,
            told_max: old.told_max,
            told_blind: old.told_blind,
            awaiting_sight: old.awaiting_sight,
            out_of_sight: old.out_of_sight,
            told: old.thread_roots.clone(),
            thread_roots: old.thread_roots,
            last_deliveries: old.last_deliveries,
            last_decided_utc: old.last_decided_utc,
        });
        Self { level, since_utc, supports, no_more_than_since_utc, blind_since_utc, episode, blind_spots }
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
            told: vec![("email:a".into(), "root".into())],
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

    #[test]
    fn states_of_the_second_format_are_read() {
        let at = Timestamp::from_second(1_900_000_000).unwrap();
        let told = || vec![("email:a".to_owned(), "root".to_owned())];
        let episode = EpisodeOf2 {
            id: "ep".into(),
            began_utc: at,
            below_since_utc: Some(at),
            sequence: 3,
            told_max: Level::Extreme,
            told_blind: true,
            awaiting_sight: false,
            out_of_sight: vec!["nws-warnings".into()],
            thread_roots: told(),
            last_deliveries: vec![("email:a".into(), "d".into())],
            last_decided_utc: Some(at),
        };
        let row: StateOf2 = (Level::Elevated, at, Vec::new(), [None; 5], None, Some(episode), Vec::new());
        let read = decode::<PointState>(b"a", &postcard::to_extend(&row, vec![2]).unwrap()).unwrap();
        let episode = read.episode.unwrap();
        assert_eq!((episode.told, episode.thread_roots), (told(), told()));
        assert_eq!((episode.sequence, episode.last_deliveries.len(), read.level), (3, 1, Level::Elevated));
    }
}
