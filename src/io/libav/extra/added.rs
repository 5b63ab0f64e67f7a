//! `--add`: tracks of other files, between the source's own packets.

use super::file::{AddedFile, Timed};
use super::font;
use super::selector::{TrackKind, TrackSelector};
use crate::error::{Error, Result};
use crate::io::libav::demux::known::Known;
use crate::io::libav::demux::streams::CopiedStream;
use crate::pipeline::Cancel;
use ffmpeg_next::ffi;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A file whose tracks are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The file.
    pub path: OsString,
    /// Its tracks; none named: sound, subtitles and attachments, and of a picture itself.
    pub selection: Vec<TrackSelector>,
}

impl Addition {
    /// Reads `FILE` or `FILE:SELECTOR,SELECTOR`. What exists under the whole name is that file.
    ///
    /// # Errors
    /// When there is no file's name, or it is standard input.
    pub fn parse(text: &OsStr) -> Result<Addition> {
        let whole = Addition { path: text.to_owned(), selection: Vec::new() };
        let named = text.to_str().filter(|_| !Path::new(text).exists()).and_then(|text| {
            let (path, words) = text.rsplit_once(':')?;
            let selection = words.split(',').map(str::parse).collect::<Result<_>>().ok()?;
            Some(Addition { path: path.into(), selection })
        });
        let addition = named.unwrap_or(whole);
        match addition.path.to_str() {
            Some("" | "-") => Err(Error::bad_argument("tracks are added from a file: write --add FILE or FILE:a1,s")),
            _ => Ok(addition),
        }
    }
}

/// What added tracks are fitted to.
pub(in crate::io::libav) struct FilmClock {
    /// Where the film's time 0 lies on the source's clock, in microseconds.
    pub(in crate::io::libav) start: i64,
    /// From where the times of packets are counted, in microseconds.
    pub(in crate::io::libav) origin: i64,
    /// Whether damage is fatal.
    pub(in crate::io::libav) strict: bool,
}

/// The files whose tracks are added. Each is read only as far as the source.
#[derive(Default)]
pub(in crate::io::libav) struct Added {
    files: Vec<AddedFile>,
}

impl Added {
    /// Opens what `additions` name, for a film with the streams `own`, and appends their tracks, numbered from `first` on.
    ///
    /// # Errors
    /// When a file cannot be read, or has no such tracks.
    pub(in crate::io::libav) fn open(
        additions: &[Addition],
        own: &mut Vec<CopiedStream>,
        mut first: usize,
        film: &FilmClock,
        cancel: &Cancel,
    ) -> Result<Added> {
        let mut files = Vec::new();
        for addition in additions {
            let opened = || -> Result<_> {
                if let Some(font) = font::open(&addition.path, first)? {
                    return Ok((None, vec![font]));
                }
                let (file, streams) = AddedFile::open(addition, first, film, cancel)?;
                Ok((Some(file), streams))
            };
            let (file, mut streams) = opened().map_err(|error| error.context("--add"))?;
            first += file.as_ref().map_or(1, AddedFile::len);
            step_back(own, &mut streams);
            own.append(&mut streams);
            files.extend(file);
        }
        Ok(Added { files })
    }

    /// Whether there are none.
    pub(in crate::io::libav) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The stream of that number among those of the run, if it is one of theirs.
    pub(in crate::io::libav) fn stream_mut(&mut self, number: usize) -> Option<&mut Known> {
        self.files.iter_mut().find_map(|file| file.stream_mut(number))
    }

    /// The next packet of those that are shown until `time` in microseconds, the earliest first.
    ///
    /// # Errors
    /// When the run was stopped, or damage is fatal by request.
    pub(in crate::io::libav) fn next(&mut self, time: i64) -> Result<Option<Timed>> {
        let mut first: Option<(i64, usize)> = None;
        for (place, file) in self.files.iter_mut().enumerate() {
            if let Some(due) = file.due()?.filter(|due| *due <= time) {
                first = Some(first.map_or((due, place), |first| first.min((due, place))));
            }
        }
        Ok(first.and_then(|(_, place)| self.files[place].take()))
    }

    /// What was lost of them.
    pub(in crate::io::libav) fn damage(&self) -> Option<Error> {
        self.files.iter().find_map(AddedFile::fault).cloned()
    }
}

/// Has added tracks not be the default where the film has one of their kind.
fn step_back(own: &[CopiedStream], added: &mut [CopiedStream]) {
    for stream in added {
        if own.iter().any(|other| TrackKind::of(other) == TrackKind::of(stream)) {
            stream.tags.disposition &= !ffi::AV_DISPOSITION_DEFAULT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_stands_behind_the_last_colon() {
        let parsed = |text: &str| {
            let addition = Addition::parse(text.as_ref()).unwrap();
            (addition.path.into_string().unwrap(), addition.selection.len())
        };
        for (text, path, selectors) in [
            ("dub.mkv", "dub.mkv", 0),
            ("dub.mkv:a1", "dub.mkv", 1),
            ("dub.mkv:a1,s-eng,t", "dub.mkv", 3),
            ("dub.mkv:jpn", "dub.mkv", 1),
            ("10:30.flac", "10:30.flac", 0),
            ("http://host/a.mka", "http://host/a.mka", 0),
            ("http://host/a.mka:a", "http://host/a.mka", 1),
        ] {
            assert_eq!(parsed(text), (path.to_owned(), selectors), "{text}");
        }
        for wrong in ["", "-", "-:a1", ":s"] {
            assert!(Addition::parse(wrong.as_ref()).is_err(), "{wrong}");
        }
    }
}
