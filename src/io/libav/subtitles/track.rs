//! One stream of subtitles, read whole, and the fonts that belong to it.

use super::decoder::SubtitleKind;
use super::libass::Font;
use crate::error::{Error, Result};
use crate::io::libav::demux::demuxer::{self, Demuxer};
use crate::io::libav::demux::reader::discard;
use crate::io::libav::extra::language::Language;
use crate::io::libav::mux::stream_copy::codec_name;
use crate::pipeline::Cancel;
use crate::video::Rational;
use ffmpeg::codec::Parameters;
use ffmpeg::format::stream::{Disposition, Stream};
use ffmpeg::media::Type;
use ffmpeg::{Packet, error::EAGAIN};
use ffmpeg_next as ffmpeg;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Which of a file's subtitles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichSubtitles {
    /// Those marked as the default, or else the first.
    Preferred,
    /// The Nth, counted from 1.
    Number(usize),
    /// The first in this language.
    Language(Language),
}

impl fmt::Display for WhichSubtitles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhichSubtitles::Preferred => f.write_str("subtitles"),
            WhichSubtitles::Number(number) => write!(f, "subtitles number {number}"),
            WhichSubtitles::Language(language) => write!(f, "subtitles in '{language}'"),
        }
    }
}

/// A stream of subtitles.
pub(super) struct Track {
    pub(super) index: usize,
    pub(super) kind: SubtitleKind,
    pub(super) parameters: Parameters,
    pub(super) timebase: Rational,
    pub(super) packets: Vec<Packet>,
    /// What the film's start is in its times, in microseconds.
    pub(super) origin: i64,
    pub(super) fonts: Vec<Font>,
}

impl Track {
    /// Reads `which` of `path`, a file.
    ///
    /// # Errors
    /// When it cannot be read twice, or has no such subtitles, or libav does not know them.
    pub(super) fn read(path: &OsStr, which: &WhichSubtitles, cancel: &Cancel) -> Result<Track> {
        let mut demuxer = open(path, cancel)?;
        let name = demuxer::name(path);
        let track = {
            let stream = choose(&demuxer, which).map_err(|e| e.context(&name))?;
            let parameters = stream.parameters().clone();
            let Some(kind) = SubtitleKind::of(&parameters) else {
                let codec = codec_name(&parameters);
                return Err(Error::unsupported(format!("{name}: subtitles of codec {codec} cannot be drawn")));
            };
            let (index, timebase) = (stream.index(), stream.time_base().into());
            Track {
                index,
                kind,
                parameters,
                timebase,
                packets: Vec::new(),
                origin: origin(&demuxer),
                fonts: fonts(&demuxer),
            }
        };
        let packets = packets(&mut demuxer, track.index).map_err(|e| match cancel.is_requested() {
            true => Error::new(crate::error::Kind::Cancelled, "stopped"),
            false => crate::io::libav::error(&name, e),
        })?;
        Ok(Track { packets, ..track })
    }
}

/// The fonts inside `path`, a film.
///
/// # Errors
/// When it cannot be read.
pub(super) fn fonts_of(path: &OsStr, cancel: &Cancel) -> Result<Vec<Font>> {
    Ok(fonts(&open(path, cancel)?))
}

/// Opens what can be read beside the film itself.
fn open(path: &OsStr, cancel: &Cancel) -> Result<Demuxer> {
    let is_pipe = path == "-" || std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if is_pipe {
        let name = demuxer::name(path);
        let what = format!("--burn-subtitles: {name} cannot be read twice: name a file, --burn-subtitles=FILE");
        return Err(Error::bad_argument(what));
    }
    demuxer::open(path, cancel)
}

fn choose<'a>(demuxer: &'a Demuxer, which: &WhichSubtitles) -> Result<Stream<'a>> {
    let all = || demuxer.streams().filter(|stream| stream.parameters().medium() == Type::Subtitle);
    let found = match which {
        WhichSubtitles::Preferred => {
            all().find(|stream| stream.disposition().contains(Disposition::DEFAULT)).or_else(|| all().next())
        }
        WhichSubtitles::Number(number) => number.checked_sub(1).and_then(|index| all().nth(index)),
        WhichSubtitles::Language(wanted) => all().find(|stream| wanted.is(&language(stream))),
    };
    found.ok_or_else(|| {
        let there: Vec<String> = all().enumerate().map(|(index, stream)| describe(index + 1, &stream)).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        Error::bad_argument(format!("there are no {which}: it has {there}"))
    })
}

fn language(stream: &Stream) -> String {
    stream.metadata().get("language").unwrap_or_default().to_owned()
}

/// "2 (subrip, eng)".
fn describe(number: usize, stream: &Stream) -> String {
    let codec = codec_name(&stream.parameters().clone());
    match language(stream) {
        none if none.is_empty() => format!("{number} ({codec})"),
        language => format!("{number} ({codec}, {language})"),
    }
}

/// Where times of the film count from: the container's start. A file of subtitles alone counts from 0, whatever its
/// first line says.
fn origin(demuxer: &Demuxer) -> i64 {
    let is_film = demuxer.streams().any(|stream| matches!(stream.parameters().medium(), Type::Video | Type::Audio));
    if is_film { demuxer::start_time(demuxer) } else { 0 }
}

/// The fonts attached to a container.
fn fonts(demuxer: &Demuxer) -> Vec<Font> {
    let attached = demuxer.streams().filter(|stream| stream.parameters().medium() == Type::Attachment);
    let font = |stream: Stream| {
        let (metadata, parameters) = (stream.metadata(), stream.parameters().clone());
        let name = metadata.get("filename").unwrap_or("font").to_owned();
        let mime = metadata.get("mimetype").unwrap_or_default().to_ascii_lowercase();
        let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
        let is_font = mime.contains("font")
            || mime.contains("opentype")
            || ["ttf", "otf", "ttc", "otc"].contains(&suffix.as_str());
        // SAFETY: the parameters are alive, and libav keeps as many bytes as it says.
        let data = unsafe {
            let parameters = &*parameters.as_ptr();
            match parameters.extradata_size {
                1.. => std::slice::from_raw_parts(parameters.extradata, parameters.extradata_size as usize).to_vec(),
                _ => Vec::new(),
            }
        };
        (is_font && !data.is_empty()).then_some(Font { name, data })
    };
    attached.filter_map(font).collect()
}

/// Every packet of stream `index`, in order. What breaks off early is what there is: the run itself says so.
fn packets(demuxer: &mut Demuxer, index: usize) -> Result<Vec<Packet>, ffmpeg::Error> {
    discard(demuxer, |other| other != index);
    let mut packets = Vec::new();
    loop {
        let mut packet = Packet::empty();
        match packet.read(demuxer) {
            Ok(()) if packet.stream() == index => packets.push(packet),
            Ok(()) | Err(ffmpeg::Error::Other { errno: EAGAIN }) => {}
            Err(error @ ffmpeg::Error::Exit) => return Err(error),
            Err(_) => return Ok(packets),
        }
    }
}

/// The name of a file that subtitles come from, or of the film.
pub(super) fn path_of<'a>(file: Option<&'a OsString>, film: &'a OsStr) -> &'a OsStr {
    file.map_or(film, OsString::as_os_str)
}
