//! Where the configuration is, or would be; and how a first one is put there.

use super::{CONFIG_VARIABLE, ConfigError, FILE_HERE, PROGRAM_FOLDER, Surroundings};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Which file holds the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It was named, and must be there to be read.
    Named(PathBuf),
    /// It is there.
    There(PathBuf),
    /// There is none: this is where one is looked for from any working directory.
    Nowhere(PathBuf),
}

impl Found {
    /// The file, there or not.
    pub fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::There(path) | Self::Nowhere(path) => path,
        }
    }
}

/// Looks for the configuration in the order that `Config::load` says.
pub fn find(named: Option<&Path>, around: &Surroundings) -> Found {
    let by_variable = || {
        let found = around.variables.iter().find(|(name, _)| name == CONFIG_VARIABLE)?;
        (!found.1.is_empty()).then(|| PathBuf::from(&found.1))
    };
    if let Some(path) = named.map(Path::to_path_buf).or_else(by_variable) {
        return Found::Named(path);
    }
    let here = around.working_dir.join(FILE_HERE);
    let platform = around.config_dir.as_ref().map(|dir| dir.join(PROGRAM_FOLDER).join(FILE_HERE));
    match std::iter::once(&here).chain(&platform).find(|path| path.exists()) {
        Some(path) => Found::There(path.clone()),
        None => Found::Nowhere(platform.unwrap_or(here)),
    }
}

/// Puts a first configuration in place, whole, with the folders above it; false where something stands there already.
///
/// # Errors
/// `Unreadable`, with what the system said.
pub fn write_first(path: &Path, text: &str) -> Result<bool, ConfigError> {
    let failed = |error: &std::io::Error| ConfigError::Unreadable {
        path: path.display().to_string(),
        why: format!("cannot be written: {error}"),
    };
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let mut builder = tempfile::Builder::new();
    // As readable as any file that this person makes: the umask is taken off.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut beside = builder.prefix(".stormbell-").tempfile_in(folder).map_err(|error| failed(&error))?;
    let written = beside.write_all(text.as_bytes()).and_then(|()| beside.as_file().sync_all());
    written.map_err(|error| failed(&error))?;
    match beside.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(&error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, HOUSEHOLD_TOML};

    /// What `init` writes changes nothing by itself, and each of its lines works when the # is taken away.
    #[test]
    fn the_households_file_is_the_defaults_until_it_is_filled_in() {
        let as_it_is = Config::from_text("household.toml", HOUSEHOLD_TOML, &[]).expect("household.toml");
        assert_eq!(as_it_is, Config::default());
        let filled_in: Vec<&str> = HOUSEHOLD_TOML
            .lines()
            .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
            .collect();
        let filled_in = filled_in.join("\n").replace("your.domain", "weather.net");
        let config = Config::from_text("household.toml", &filled_in, &[]).expect(&filled_in);
        assert!(config.channels.email.enabled && config.channels.web_push.enabled && config.service.data_dir.is_some());
        assert_eq!(config.warnings(), Vec::<String>::new());
    }

    #[test]
    fn a_first_file_is_written_once_with_the_folders_above_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b/stormbell.toml");
        assert_eq!(write_first(&path, "one"), Ok(true));
        assert_eq!(write_first(&path, "two"), Ok(false));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left lying about");
        let below_a_file = path.join("stormbell.toml");
        assert!(write_first(&below_a_file, "x").unwrap_err().to_string().contains("cannot be written"));
    }

    #[test]
    fn a_first_file_goes_where_it_is_found_from_anywhere() {
        let place = tempfile::tempdir().unwrap();
        let around = Surroundings {
            working_dir: place.path().join("here"),
            config_dir: Some(place.path().join("platform")),
            ..Surroundings::default()
        };
        let platform = place.path().join("platform/stormbell/stormbell.toml");
        assert_eq!(find(None, &around), Found::Nowhere(platform.clone()));
        write_first(&platform, "").unwrap();
        assert_eq!(find(None, &around), Found::There(platform));
        let here = place.path().join("here/stormbell.toml");
        write_first(&here, "").unwrap();
        assert_eq!(find(None, &around), Found::There(here));
        let homeless = Surroundings { working_dir: "w".into(), ..Surroundings::default() };
        assert_eq!(find(None, &homeless), Found::Nowhere("w/stormbell.toml".into()));
    }
}
