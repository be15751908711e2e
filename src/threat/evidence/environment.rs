//! The air over one place, as the newest model profile has it.

use super::{Sight, blind};
use crate::observation::RAP_PROFILES;
use crate::profile::ModelProfile;
use crate::sounding::Environment;
use crate::threat::later;
use crate::threat::picture::{Picture, PlaceProfiles};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How long a profile may speak after its valid time.
pub const PROFILE_USABLE_FOR: SignedDuration = SignedDuration::from_hours(3);

/// The air over one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentEvidence {
    /// Whether a profile covers the place and is fresh.
    pub sight: Sight,
    /// What it tells.
    pub seen: Option<Arc<EnvironmentSeen>>,
}

/// What one profile tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentSeen {
    /// The figures.
    pub environment: Environment,
    /// Which model.
    pub model: String,
    /// When its run began.
    pub cycle_utc: Timestamp,
    /// What the profile is valid for.
    pub valid_utc: Timestamp,
    /// From the place to the grid point, km.
    pub distance_km: f64,
    /// The file.
    pub key: String,
}

/// The profile that was read last, and what it told.
pub(super) type Remembered = Option<(Arc<ModelProfile>, Arc<EnvironmentSeen>)>;

pub(super) fn see(picture: &Picture, place_key: &str, now: Timestamp, memory: &mut Remembered) -> EnvironmentEvidence {
    let profile = match profile_for(picture, place_key, now) {
        Ok(profile) => profile,
        Err(sight) => return EnvironmentEvidence { sight, seen: None },
    };
    if !memory.as_ref().is_some_and(|(read, _)| Arc::ptr_eq(read, profile)) {
        let seen = EnvironmentSeen {
            environment: profile.environment,
            model: profile.model.clone(),
            cycle_utc: profile.cycle_utc,
            valid_utc: profile.valid_utc,
            distance_km: profile.distance_km,
            key: profile.key.clone(),
        };
        *memory = Some((Arc::clone(profile), Arc::new(seen)));
    }
    EnvironmentEvidence { sight: Sight::Clear, seen: memory.as_ref().map(|(_, seen)| Arc::clone(seen)) }
}

/// The profile that may speak for the place with this four-decimal key, or why there is none.
///
/// # Errors
/// `Blind` or `Off`.
pub fn profile_for<'a>(picture: &'a Picture, place_key: &str, now: Timestamp) -> Result<&'a Arc<ModelProfile>, Sight> {
    if picture.is_off(&RAP_PROFILES) {
        return Err(Sight::Off);
    }
    let profile = picture.profiles.get(place_key).and_then(|hours| newest(hours, now));
    let profile = profile.ok_or_else(|| Sight::never("no model profile that covers this place has been heard yet"))?;
    let end = later(profile.valid_utc, PROFILE_USABLE_FOR);
    if now >= end {
        return Err(blind(end, &format!("the newest model profile is of {:.0}", profile.valid_utc)));
    }
    Ok(profile)
}

/// The profile valid last among those whose time has come; of one time the newest run's.
fn newest(hours: &PlaceProfiles, now: Timestamp) -> Option<&Arc<ModelProfile>> {
    let come = hours.values().filter(|profile| profile.valid_utc <= now);
    come.max_by_key(|profile| (profile.valid_utc, profile.cycle_utc))
}
