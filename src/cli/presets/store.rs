//! Where presets are: those that ship, and those in the user's folder.

use crate::error::{Error, Result};
use crate::params::did_you_mean;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The presets that ship.
pub const SHIPPED: [(&str, &str); 4] = [
    ("anime-x265-10bit", include_str!("anime-x265-10bit.toml")),
    ("archive-ffv1", include_str!("archive-ffv1.toml")),
    ("film-av1-grain", include_str!("film-av1-grain.toml")),
    ("preview", include_str!("preview.toml")),
];

/// How the names of presets' files end.
const ENDING: &str = "toml";

/// Presets that encoders have by these names: x264's, x265's and those of encoders on GPUs. Numbers are encoders' too.
#[rustfmt::skip]
const ENCODERS_OWN: [&str; 29] = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    "default", "hp", "hq", "bd", "ll", "llhq", "llhp", "lossless", "losslesshp", "p1", "p2", "p3", "p4", "p5", "p6",
    "p7", "speed", "balanced", "quality",
];

/// A preset that there is.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPreset {
    /// Its name, or its path as it was given.
    pub name: String,
    /// Its file; `None` for one that ships.
    pub file: Option<PathBuf>,
}

impl StoredPreset {
    /// The preset as messages name it.
    pub fn label(&self) -> String {
        match &self.file {
            Some(file) => format!("preset {}", file.display()),
            None => format!("preset {}", self.name),
        }
    }

    /// What it says.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn text(&self) -> Result<String> {
        let shipped = || SHIPPED.iter().find(|(name, _)| *name == self.name).map_or("", |(_, text)| text);
        let Some(file) = &self.file else { return Ok(shipped().to_owned()) };
        fs::read_to_string(file).map_err(|error| Error::io("its file", &error))
    }
}

/// Whether encoders have a preset of this name themselves.
pub fn is_encoders_own(name: &str) -> bool {
    ENCODERS_OWN.contains(&name) || name.parse::<i32>().is_ok()
}

/// The preset of options that `word` names; `None` for a word of the encoder's.
///
/// # Errors
/// When `word` is close to the name of one, when the user's folder cannot be read, and for a preset of the user's whose name is
/// the encoder's.
pub fn find(word: &str) -> Result<Option<StoredPreset>> {
    let found = |file: &Path| StoredPreset { name: word.to_owned(), file: Some(file.to_owned()) };
    if is_file(Path::new(word)) {
        return Ok(Some(found(Path::new(word))));
    }
    if is_encoders_own(word) {
        let file = folder().map(|folder| folder.join(word).with_extension(ENDING));
        return file.filter(|file| file.exists()).map_or(Ok(None), |file| Err(clash(&found(&file))));
    }
    let mut all = all()?;
    let hint = did_you_mean(word, all.keys().map(String::as_str));
    match all.remove(word) {
        None if !hint.is_empty() => {
            Err(Error::bad_argument(format!("there is no preset '{word}'{hint} (vramp presets lists them)")))
        }
        found => Ok(found),
    }
}

fn is_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// The error of a preset that can only be reached by its path.
pub fn clash(found: &StoredPreset) -> Error {
    let (name, label) = (&found.name, found.label());
    Error::bad_argument(format!("{label}: '{name}' is a preset of encoders: give this one another name"))
}

/// Every preset by its name. The user's stand before those that ship.
///
/// # Errors
/// When the user's folder cannot be read.
pub fn all() -> Result<BTreeMap<String, StoredPreset>> {
    let shipped = SHIPPED.map(|(name, _)| StoredPreset { name: name.to_owned(), file: None });
    let mut all: BTreeMap<_, _> = shipped.into_iter().map(|found| (found.name.clone(), found)).collect();
    let Some(folder) = folder() else { return Ok(all) };
    let failed = |error| Error::io(folder.display(), &error);
    let entries = match fs::read_dir(&folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(all),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let file = entry.map_err(failed)?.path();
        let name = file.file_stem().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|_| is_file(&file)).map(str::to_owned) {
            all.insert(name.clone(), StoredPreset { name, file: Some(file) });
        }
    }
    Ok(all)
}

/// The folder of the user's presets, by the XDG base directory specification.
pub fn folder() -> Option<PathBuf> {
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| env::home_dir().map(|home| home.join(".config")))?;
    Some(config.join(env!("CARGO_PKG_NAME")).join("presets"))
}
