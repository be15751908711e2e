//! The first steps on a machine: configuration, data directory and keys where they are missing. Nothing is overwritten.

use crate::app::{AppError, Setup, data_dir, load_config};
use crate::config::{self, Config, HOUSEHOLD_TOML, Surroundings};
use crate::store::secrets::{LINK_FILE, VAPID_FILE};
use crate::store::{OpenedSecrets, Secrets};
use std::path::{Path, PathBuf};

/// The line of the household's file that names the data directory.
const DATA_DIR_LINE: &str = "#data_dir = \"/var/lib/stormbell\"";

/// Something that has to be there, and whether it had to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub path: PathBuf,
    /// Made just now.
    pub made: bool,
}

/// What `init` found and made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The configuration.
    pub config: Place,
    /// The data directory.
    pub data_dir: Place,
    /// The key by which push services know this installation.
    pub vapid_key: Place,
    /// The key of the links in mails.
    pub link_key: Place,
    /// The public half of the first, as browsers want it.
    pub vapid_public: String,
    /// What is left to be done, a line each.
    pub next: Vec<String>,
}

/// Makes what is missing; see `app::init`.
pub(super) fn init(setup: &Setup) -> Result<Ready, AppError> {
    let found = config::find(setup.config.as_deref(), &Surroundings::of_this_process());
    let path = found.path().to_path_buf();
    let named = setup.data_dir.as_deref().map(std::path::absolute).transpose();
    let named = named.map_err(|error| AppError::Usage { why: format!("--data-dir: {error}") })?;
    let made = config::write_first(&path, &household(named.as_deref()))?;
    let read = load_config(&Setup { config: Some(path.clone()), ..setup.clone() })?;
    let dir = data_dir(&Setup { config: Some(path.clone()), ..setup.clone() })?;
    let had_dir = dir.is_dir();
    let OpenedSecrets { secrets, made: keys } = Secrets::open(&dir)?;
    let key = |name: &str| Place { path: dir.join(name), made: keys.contains(&dir.join(name)) };
    Ok(Ready {
        next: next(&read, &path),
        config: Place { path, made },
        vapid_key: key(VAPID_FILE),
        link_key: key(LINK_FILE),
        data_dir: Place { path: dir, made: !had_dir },
        vapid_public: secrets.vapid_public(),
    })
}

/// The household's file; a data directory that was named once is kept in it.
fn household(data_dir: Option<&Path>) -> String {
    match data_dir.and_then(Path::to_str) {
        Some(dir) => {
            let dir = toml::Value::from(dir);
            HOUSEHOLD_TOML.replace(DATA_DIR_LINE, &format!("data_dir = {dir}"))
        }
        None => HOUSEHOLD_TOML.to_owned(),
    }
}

/// What a household still has to do, by what its configuration says.
fn next(config: &Config, path: &Path) -> Vec<String> {
    let mut next = Vec::new();
    if config.service.contact.is_empty() {
        next.push(format!("put your own address into {}: [service] contact", path.display()));
    }
    if !config.channels.email.enabled && !config.channels.web_push.enabled {
        next.push(
            "choose how you are told, in the same file: [channels.email], [channels.web_push], or both".to_owned(),
        );
    }
    next.push("stormbell watch add home LAT LON".to_owned());
    next.push("stormbell serve".to_owned());
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_that_is_named_stands_in_the_new_file_however_it_is_spelt() {
        for dir in ["/var/lib/a b", "/tmp/quo\"te", "/tmp/back\\slash"] {
            let text = household(Some(Path::new(dir)));
            let config = Config::from_text("stormbell.toml", &text, &[]).unwrap();
            assert_eq!(config.service.data_dir, Some(PathBuf::from(dir)));
        }
        assert_eq!(household(None), HOUSEHOLD_TOML);
        assert_eq!(HOUSEHOLD_TOML.matches(DATA_DIR_LINE).count(), 1);
    }
}
