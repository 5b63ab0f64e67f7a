//! Tracks, tags and chapters of the output that are not the input's.

use crate::io::libav::{Addition, TrackEdit};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::{OsStr, OsString};

/// What the output has besides the input's streams, and how they are described.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tracks, tags and chapters")]
pub struct TrackArgs {
    /// Copy further tracks from FILE: sound, subtitles, fonts, a cover picture; repeat for more
    ///
    /// Without TRACKS these are the sound, the subtitles and the attachments of FILE; a font or a picture is itself attached. TRACKS
    /// names others, with commas between: a (sound), s (subtitles), t (attachments), c (covers), v (video) or d (data), with a number
    /// counted from 1 (a2) or a language (s-eng) behind it, or a language alone (jpn). FILE begins when the input does, each at
    /// the start that its container states, and is cut as the input is. What is longer than the input is kept to its end.
    #[arg(long, value_name = "FILE[:TRACKS]", value_parser = addition())]
    pub add: Vec<Addition>,
    /// Title, language, rotation and flags of tracks of the output, as in a1:title=Japanese,language=ja,default; repeat for more
    ///
    /// Tracks are named as for --add, and counted in the output: the video is v1, and the input's tracks come before added ones.
    /// Settings have commas between: title=TEXT (a comma in it is written \,), language=CODE (ISO 639: de, deu, ger), rotation=DEGREES
    /// (how far players turn a video clockwise: 0, 90, 180 or 270; filters see it as it is stored), and the flags default, forced, commentary, original, dub, hearing-impaired and visual-impaired, with =no after them to clear them. A track that
    /// becomes the default clears that flag on the others of its kind. What the container cannot hold is reported.
    #[arg(long, value_name = "TRACKS:SETTINGS")]
    pub track: Vec<TrackEdit>,
    /// Take the tags of the film from FILE (media, or a text as ffmpeg's ffmetadata) instead of the input; none for no tags
    #[arg(long, value_name = "FILE|none")]
    pub metadata: Option<OsString>,
    /// Give the film a tag, as in title=Spring; without a value it is removed; repeat for more
    #[arg(long, value_name = "KEY=VALUE", value_parser = super::parse::parse_pair)]
    pub tag: Vec<(String, String)>,
    /// Take the chapters from FILE instead of the input; none for no chapters
    ///
    /// FILE is media, a text as ffmpeg's ffmetadata, Matroska's XML (mkvextract), or lines CHAPTER01=HH:MM:SS.mmm and CHAPTER01NAME=Title.
    /// Times count from the start of the input, and are cut as it is.
    #[arg(long, value_name = "FILE|none")]
    pub chapters: Option<OsString>,
}

impl TrackArgs {
    /// The options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("--add", !self.add.is_empty()),
            ("--track", !self.track.is_empty()),
            ("--metadata", self.metadata.is_some()),
            ("--tag", !self.tag.is_empty()),
            ("--chapters", self.chapters.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name)
    }

    /// The files that are read.
    pub fn files(&self) -> impl Iterator<Item = &OsStr> {
        let texts = [&self.metadata, &self.chapters].into_iter().flatten().map(OsString::as_os_str);
        let texts = texts.filter(|name| *name != NONE);
        self.add.iter().map(|addition| addition.path.as_os_str()).chain(texts)
    }
}

/// The word for no file.
pub const NONE: &str = "none";

fn addition() -> impl TypedValueParser<Value = Addition> {
    OsStringValueParser::new().try_map(|text| Addition::parse(&text))
}
