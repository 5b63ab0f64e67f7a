//! `--track`: titles, languages, rotation and flags of the output's tracks.

use super::language::Language;
use super::selector::{Label, TrackKind, TrackSelector};
use super::tags;
use crate::error::{Error, Result};
use crate::io::libav::demux::beside;
use crate::io::libav::demux::streams::{Container, CopiedStream, StreamTags};
use crate::io::libav::mux::capacity;
use ffmpeg_next::ffi::{self, AVPacketSideDataType as Kinds};
use std::str::FromStr;

/// Flags of tracks: libav's, and the words for them.
const FLAGS: [(&str, i32); 7] = [
    ("default", ffi::AV_DISPOSITION_DEFAULT),
    ("forced", ffi::AV_DISPOSITION_FORCED),
    ("commentary", ffi::AV_DISPOSITION_COMMENT),
    ("original", ffi::AV_DISPOSITION_ORIGINAL),
    ("dub", ffi::AV_DISPOSITION_DUB),
    ("hearing-impaired", ffi::AV_DISPOSITION_HEARING_IMPAIRED),
    ("visual-impaired", ffi::AV_DISPOSITION_VISUAL_IMPAIRED),
];

/// What containers hold of tracks, as libav writes them: titles, languages, and which flags. Others hold none of it.
const HELD: [(&str, &[&str]); 8] = [
    (
        "matroska",
        &["title", "language", "default", "forced", "commentary", "original", "hearing-impaired", "visual-impaired"],
    ),
    ("webm", &["title", "language", "default", "forced"]),
    ("mp4", &["title", "language", "default", "forced", "commentary", "dub", "hearing-impaired", "visual-impaired"]),
    ("mov", &["title", "language", "default"]),
    ("ipod", &["title", "language", "default"]),
    ("mpegts", &["language", "hearing-impaired", "visual-impaired"]),
    ("nut", &["title", "language", "default", "commentary", "original", "dub"]),
    ("ogg", &["title", "language"]),
];

/// What is changed of some tracks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackEdit {
    selector: TrackSelector,
    title: Option<String>,
    language: Option<Language>,
    /// How many degrees clockwise players turn it: quarter turns.
    rotation: Option<u16>,
    /// libav's flags, and whether they are set or cleared.
    flags: Vec<(i32, bool)>,
}

impl FromStr for TrackEdit {
    type Err = Error;

    /// Reads `SELECTOR:SETTING,SETTING`: `title=TEXT`, `language=CODE`, `rotation=DEGREES`, or a flag, with `=no` behind it to
    /// clear it. A comma in a title is written `\,`.
    fn from_str(text: &str) -> Result<TrackEdit> {
        let (selector, settings) = text
            .split_once(':')
            .ok_or_else(|| Error::bad_argument("it must be SELECTOR:SETTING, as in a1:language=jpn,default"))?;
        let selector = selector.parse()?;
        let mut edit = TrackEdit { selector, title: None, language: None, rotation: None, flags: Vec::new() };
        for setting in split(settings) {
            let (name, value) = setting.split_once('=').map_or((&*setting, None), |(name, value)| (name, Some(value)));
            let flag = FLAGS.iter().find(|(word, _)| *word == name).map(|(_, flag)| *flag);
            match (name, value, flag) {
                ("title", Some(value), _) => edit.title = Some(value.to_owned()),
                ("language", Some(value), _) => edit.language = Some(value.parse()?),
                ("rotation", Some("0" | "90" | "180" | "270"), _) => {
                    edit.rotation = value.and_then(|value| value.parse().ok())
                }
                (_, None | Some("yes"), Some(flag)) => edit.flags.push((flag, true)),
                (_, Some("no"), Some(flag)) => edit.flags.push((flag, false)),
                _ => {
                    let words: Vec<_> = FLAGS.iter().map(|(word, _)| *word).collect();
                    let words = words.join(", ");
                    return Err(Error::bad_argument(format!(
                        "'{setting}' is no setting of a track: write title=TEXT, language=CODE, rotation=0, 90, 180 or \
                         270, or a flag ({words}; =no clears it)"
                    )));
                }
            }
        }
        Ok(edit)
    }
}

/// The parts of `text` between commas, those behind a backslash apart.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(',' | '\\')) => parts.last_mut().expect("there is one").extend(characters.next()),
            (',', _) => parts.push(String::new()),
            _ => parts.last_mut().expect("there is one").push(character),
        }
    }
    parts
}

/// Makes `edits` of the filtered video and of the copied streams of an output in `container`. Tracks are counted as they lie in
/// the output: the video, then the source's streams and those that are added. A track that becomes the default of its kind
/// is the only one, unless `edits` name others. What the container cannot hold is reported, in one line.
///
/// # Errors
/// When an edit selects no track.
pub fn edit_tracks(
    edits: &[TrackEdit],
    film: &mut Container,
    copied: &mut [CopiedStream],
    container: &str,
) -> Result<()> {
    let video = film.video.metadata.iter().find(|(key, _)| key.eq_ignore_ascii_case("language"));
    let video = (TrackKind::Video, video.map(|(_, value)| value.as_str()));
    let others = copied.iter().map(|stream| (TrackKind::of(stream), stream.language()));
    let labels = Label::of_all(std::iter::once(video).chain(others));
    let mut tracks: Vec<&mut StreamTags> =
        std::iter::once(&mut film.video).chain(copied.iter_mut().map(|s| &mut s.tags)).collect();
    let (mut defaults, mut lost) = (vec![false; tracks.len()], Vec::new());
    for edit in edits {
        let chosen: Vec<usize> = (0..labels.len()).filter(|track| edit.selector.selects(&labels[*track])).collect();
        if chosen.is_empty() {
            let (selector, list) = (&edit.selector, Label::list(&labels));
            return Err(Error::bad_argument(format!("--track: the output has no track {selector}, only {list}")));
        }
        if edit.rotation.is_some() && chosen.iter().any(|track| labels[*track].kind != TrackKind::Video) {
            let selector = &edit.selector;
            return Err(Error::bad_argument(format!(
                "--track: rotation is of video, and {selector} selects other tracks"
            )));
        }
        for track in chosen {
            edit.apply(tracks[track], container);
            let default = edit.flags.iter().rev().find(|(flag, _)| *flag == ffi::AV_DISPOSITION_DEFAULT);
            defaults[track] = default.map_or(defaults[track], |(_, set)| *set);
        }
        lost.extend(edit.words().filter(|word| !holds(container, word)));
    }
    for track in 0..tracks.len() {
        let replaced = (0..tracks.len()).any(|other| defaults[other] && labels[other].kind == labels[track].kind);
        if replaced && !defaults[track] {
            tracks[track].disposition &= !ffi::AV_DISPOSITION_DEFAULT;
        }
    }
    lost.sort_unstable();
    lost.dedup();
    if !lost.is_empty() {
        log::warn!("{container} cannot hold what --track asks for: {} left out", lost.join(", "));
    }
    Ok(())
}

impl TrackEdit {
    /// Whether it says how players turn a video.
    pub fn turns(&self) -> bool {
        self.rotation.is_some()
    }

    fn apply(&self, track: &mut StreamTags, container: &str) {
        if let Some(title) = &self.title {
            // Players of MP4 show the handler's name; with both, some show the title twice.
            let (key, other) = match capacity::is_quicktime(container) {
                true => ("handler_name", "title"),
                false => ("title", "handler_name"),
            };
            tags::set(&mut track.metadata, key, title);
            tags::set(&mut track.metadata, other, "");
        }
        if let Some(language) = &self.language {
            tags::set(&mut track.metadata, "language", language.code(capacity::is_matroska(container)));
        }
        if let Some(degrees) = self.rotation {
            track.side_data.retain(|data| data.kind != Kinds::AV_PKT_DATA_DISPLAYMATRIX as i32);
            track.side_data.extend((degrees > 0).then(|| beside::display_matrix(degrees)));
        }
        for (flag, set) in &self.flags {
            if *set { track.disposition |= flag } else { track.disposition &= !flag }
        }
    }

    /// The words for what it sets.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let set = |flag: i32| self.flags.contains(&(flag, true));
        let flags = FLAGS.iter().filter(move |(_, flag)| set(*flag)).map(|(word, _)| *word);
        let title = self.title.as_ref().map(|_| "title");
        let language = self.language.as_ref().map(|_| "language");
        title.into_iter().chain(language).chain(flags)
    }
}

fn holds(container: &str, word: &str) -> bool {
    HELD.iter().any(|(name, words)| *name == container && words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let edit: TrackEdit = r"s-eng:title=Signs\, songs: A\\B,language=ger,forced,default=no".parse().unwrap();
        assert_eq!(edit.title.as_deref(), Some(r"Signs, songs: A\B"));
        assert_eq!(edit.language, Some("de".parse().unwrap()));
        assert_eq!(edit.flags, [(ffi::AV_DISPOSITION_FORCED, true), (ffi::AV_DISPOSITION_DEFAULT, false)]);
        assert_eq!("v1:rotation=270".parse::<TrackEdit>().unwrap().rotation, Some(270));
        for wrong in ["v1:rotation=45", "v1:rotation=450", "v1:rotation"] {
            assert!(wrong.parse::<TrackEdit>().is_err(), "{wrong}");
        }
        for wrong in ["a1", "a1:", "a1:loud", "a1:default=maybe", "a1:title", "z:default", "a1:language=klingonish"] {
            assert!(wrong.parse::<TrackEdit>().is_err(), "{wrong}");
        }
    }
}
