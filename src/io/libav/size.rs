//! How large an output becomes, and which bit rate of its video makes it a given size.

use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::streams::{self, CopiedStream, Media};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::mux::capacity;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::pictures::list::PictureList;
use crate::io::libav::recode::sound::expected::{ExpectedSound, expected};
use crate::io::libav::script::is_script;
use crate::io::libav::seek::window::ticks_to_microseconds;
use crate::io::libav::subtitles::SubtitleChoice;
use crate::io::libav::tracks::numbered;
use crate::io::libav::{Input, InputOptions};
use crate::video::{Rational, StreamInfo};
use ffmpeg_next::Packet;
use std::ffi::OsStr;

/// What containers write besides packets: in all, for each packet, in bytes of a thousand, and for each second. Measured on
/// what libav's muxers make of films with sound. MPEG-TS pads every packet to 188 bytes, and repeats its tables.
const OVERHEAD: [(&str, [u64; 4]); 8] = [
    ("mp4", [2000, 10, 0, 0]),
    ("mov", [2000, 10, 0, 0]),
    ("ipod", [2000, 10, 0, 0]),
    ("matroska", [1000, 8, 0, 0]),
    ("webm", [1000, 8, 0, 0]),
    ("mpegts", [1000, 135, 22, 4136]),
    ("avi", [8000, 30, 0, 0]),
    ("nut", [1000, 12, 0, 0]),
];
const OTHER_OVERHEAD: [u64; 4] = [1000, 12, 0, 0];

/// Pixels for a bit of video, at the very least: at their coarsest quantisers encoders spend some five times as much on a film.
const PIXELS_A_BIT: u64 = 1000;

/// What a film is, as far as its size is concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmSize {
    /// Its length in seconds.
    pub seconds: f64,
    /// Frames.
    pub frames: u64,
    /// Pixels of a frame.
    pub pixels: u64,
    /// Packets of the other streams.
    pub packets: u64,
    /// Bytes of these packets.
    pub packet_bytes: u64,
    /// Bytes among them that are a guess: sound that will be coded without a loss.
    pub guessed: u64,
    /// Bytes of attached files.
    pub attached: u64,
}

impl FilmSize {
    /// Counts a packet of another stream.
    pub(in crate::io::libav) fn packet(&mut self, bytes: usize) {
        self.packets += 1;
        self.packet_bytes += bytes as u64;
    }

    /// Bits a second of video that make the whole `size` bytes in `container`.
    ///
    /// # Errors
    /// When the film's length is not known, or the size leaves too little for a picture, with the least that does.
    pub fn video_rate(&self, size: u64, container: &str) -> Result<u64> {
        if self.seconds <= 0.0 {
            return Err(Error::unsupported("--target-size: the input does not say how long it is: use --bitrate"));
        }
        let known = OVERHEAD.iter().find(|(name, _)| *name == container);
        let [whole, each, share, second] = known.map_or(OTHER_OVERHEAD, |(_, overhead)| *overhead);
        let tables = whole + each * (self.frames + self.packets) + (second as f64 * self.seconds) as u64;
        let others = tables + self.packet_bytes + self.attached;
        let with_share = |bytes: u64| bytes + bytes / 1000 * share;
        let least_video = self.pixels * self.frames / PIXELS_A_BIT / 8;
        let certain = others - self.guessed;
        let least = with_share(certain + least_video);
        if size < least {
            let sound = readable(self.packet_bytes - self.guessed + self.attached);
            return Err(Error::bad_argument(format!(
                "--target-size {} cannot be met: the other streams are {sound} and the least for all is {}",
                readable(size),
                readable(least)
            )));
        }
        // A guess takes half of what is left, at most.
        let left = size.saturating_sub(with_share(others)).max((size - with_share(certain)) / 2);
        let video = left as f64 / (1.0 + share as f64 / 1000.0);
        Ok((video * 8.0 / self.seconds) as u64)
    }
}

/// Bytes as `--target-size` takes them, rounded up.
fn readable(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{}k", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{:.2}M", bytes.div_ceil(10_000) as f64 / 100.0),
        _ => format!("{:.2}G", bytes.div_ceil(10_000_000) as f64 / 100.0),
    }
}

/// Bytes of the attached files among `streams`.
pub(in crate::io::libav) fn attached<'a>(streams: impl Iterator<Item = &'a CopiedStream>) -> u64 {
    let files = streams.filter(|stream| stream.media == Media::Attachment);
    // SAFETY: the parameters are alive.
    files.map(|stream| unsafe { (*stream.parameters.as_ptr()).extradata_size.max(0) as u64 }).sum()
}

/// What of `copied` is written besides the video, as far as is known before a header is.
struct Besides {
    /// Streams whose packets are copied.
    kept: Vec<usize>,
    /// Bytes of attached files.
    attached: u64,
    /// Bits a second of sound that is coded anew, and of sound whose rate is a guess.
    coded: u64,
    guessed: u64,
}

impl Besides {
    fn of(choice: &EncoderChoice, options: &OutputOptions, copied: &[CopiedStream]) -> Besides {
        let mut besides = Besides { kept: Vec::new(), attached: attached(copied.iter()), coded: 0, guessed: 0 };
        for (number, stream) in numbered(Media::Audio, copied) {
            match expected(choice, &options.sound, stream, number) {
                ExpectedSound::Nothing => {}
                ExpectedSound::Copied => besides.kept.push(stream.index),
                ExpectedSound::Coded(rate) => besides.coded += rate,
                ExpectedSound::Guessed(rate) => besides.guessed += rate,
            }
        }
        let subtitles = numbered(Media::Subtitle, copied);
        let subtitles =
            subtitles.filter(|(number, stream)| options.subtitles.choice(stream, *number) != SubtitleChoice::None);
        let others = copied.iter().filter(|stream| matches!(stream.media, Media::Video | Media::Data));
        let held = |stream: &&CopiedStream| capacity::holds_codec(choice.container, stream.parameters.id().into());
        let others = subtitles.map(|(_, stream)| stream).chain(others).filter(held);
        besides.kept.extend(others.map(|stream| stream.index));
        besides
    }

    /// Adds the sound that is coded to `film`, once its length is known.
    fn finish(&self, film: &mut FilmSize) {
        let bytes = |rate: u64| (rate as f64 / 8.0 * film.seconds) as u64;
        film.guessed = bytes(self.guessed);
        film.packet_bytes += bytes(self.coded) + bytes(self.guessed);
        if self.coded + self.guessed > 0 {
            film.packets += (SOUND_PACKETS * film.seconds) as u64;
        }
    }
}

/// Packets a second that sound is coded in, about.
const SOUND_PACKETS: f64 = 50.0;

/// What of `path`, opened with `input`, goes to the output of `choice` and `options`. Reads its packets without decoding any; of
/// sequences and scripts, what they say.
///
/// # Errors
/// When the source cannot be read, or the run was stopped.
pub fn survey(path: &OsStr, input: &InputOptions, choice: &EncoderChoice, options: &OutputOptions) -> Result<FilmSize> {
    if is_script(path) || PictureList::find(path, input.missing)?.is_some() {
        return Input::open(path, input.clone()).map(|input| of_sequence(input.info()));
    }
    let (window, cancel) = (&input.window, &input.cancel);
    let mut demuxer = demuxer::open_at(path, input.rate, cancel)?;
    let video = streams::best_video(&demuxer).map_err(|e| e.context(demuxer::name(path)))?;
    let (index, rate) = (video.index(), streams::Stated::of(&demuxer, &video).frame_rate);
    // SAFETY: the stream's parameters are alive.
    let size = unsafe { ((*video.parameters().as_ptr()).width, (*video.parameters().as_ptr()).height) };
    let units: Vec<Rational> = demuxer.streams().map(|stream| stream.time_base().into()).collect();
    let besides = Besides::of(choice, options, &CopiedStream::choose(&demuxer, index, input.copy));
    let origin = demuxer::start_time(&demuxer);
    let (from, until) = window.span(rate);
    let inside = |time: i64| from.is_none_or(|from| time >= from) && until.is_none_or(|until| time < until);

    let mut film = FilmSize {
        pixels: size.0.max(0) as u64 * size.1.max(0) as u64,
        attached: besides.attached,
        ..FilmSize::default()
    };
    let (mut first, mut end) = (i64::MAX, i64::MIN);
    let mut packet = Packet::empty();
    while packet.read(&mut demuxer).is_ok() {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
        }
        let Some(unit) = units.get(packet.stream()).copied() else { continue };
        let since_start = |ticks: i64| ticks_to_microseconds(ticks, unit).saturating_sub(origin);
        let time = packet.pts().or(packet.dts()).map(since_start);
        if !time.is_none_or(inside) {
            continue;
        }
        if packet.stream() != index {
            if besides.kept.contains(&packet.stream()) {
                film.packet(packet.size());
            }
            continue;
        }
        film.frames += 1;
        if let Some(time) = time {
            (first, end) = (first.min(time), end.max(time + ticks_to_microseconds(packet.duration(), unit)));
        }
    }
    // Streams without times have a rate.
    let counted = rate.value().map(|rate| film.frames as f64 / rate);
    film.seconds = if first < end { (end - first) as f64 / 1e6 } else { counted.unwrap_or(0.0) };
    besides.finish(&mut film);
    Ok(film)
}

/// What a sequence of the stream `info` is: frames alone.
fn of_sequence(info: &StreamInfo) -> FilmSize {
    let frames = info.frame_count.unwrap_or(0);
    let seconds = info.frame_rate.value().map_or(0.0, |rate| frames as f64 / rate);
    FilmSize { seconds, frames, pixels: (info.width * info.height) as u64, ..FilmSize::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film() -> FilmSize {
        let whole = FilmSize { seconds: 100.0, frames: 2500, pixels: 1_000_000, ..FilmSize::default() };
        FilmSize { packets: 4000, packet_bytes: 1_600_000, ..whole }
    }

    #[test]
    fn the_video_gets_what_is_left() {
        // 10 000 000 - 1 600 000 - 2000 - 10 × 6500 = 8 333 000 bytes, in 100 s.
        assert_eq!(film().video_rate(10_000_000, "mp4").unwrap(), 666_640);
        // A share of 22 in 1000: 1000 + 135 × 6500 + 100 × 4136 + 1 600 000 = 2 892 100, and with its share 2 955 724.
        // 7 044 276 / 1.022 are 6 892 638 bytes.
        assert_eq!(film().video_rate(10_000_000, "mpegts").unwrap(), 551_411);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_least() {
        // 1 667 000 and 2500 × 1 000 000 / 8000 = 312 500.
        let refusal = film().video_rate(1_979_499, "mp4").unwrap_err();
        assert!(refusal.message().contains("the least for all is 1.98M"), "{refusal}");
        assert!(film().video_rate(1_979_500, "mp4").is_ok());
        // A guess is no reason to refuse: of 1 000 000 - 2000 - 10 × 6500, half remains.
        let guessed = FilmSize { guessed: 1_600_000, ..film() };
        assert_eq!(guessed.video_rate(1_000_000, "mp4").unwrap(), 37_320);
        assert!(guessed.video_rate(379_000, "mp4").is_err());
        assert!(FilmSize { seconds: 0.0, ..film() }.video_rate(10_000_000, "mp4").is_err());
    }

    #[test]
    fn sizes_are_rounded_up() {
        let sizes = [1, 999_001, 1_000_001, 123_456_789, 1_500_000_001];
        assert_eq!(sizes.map(readable), ["1k", "1000k", "1.01M", "123.46M", "1.51G"]);
    }
}
