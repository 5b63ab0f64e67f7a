//! The layout of ffmpeg's `framemd5` and `framehash`: a hash a frame, and the streams' times.

use crate::compare::diagnosis::Entry;
use crate::error::{Error, Result};
use crate::io::hash::digest::{Hash, hex, unhex};
use crate::io::hash::lines::{Lines, header};
use crate::io::hash::record::{HashFile, HashFormat, StatedTags, rational, size};
use crate::video::{Rational, StreamInfo};

/// The first line of such a file.
pub const FIRST_LINE: &str = "#format: frame checksums";

/// The newest version of the layout.
const VERSION: u32 = 2;

/// What its muxers write for a time that is not known, where they do not make one up.
const NO_TIME: i64 = i64::MIN;

/// Writes a hash file.
#[derive(Clone, Debug)]
pub struct Writer {
    hash: &'static str,
    info: StreamInfo,
}

impl Writer {
    /// Of frames of `info`.
    ///
    /// # Errors
    /// When the layout has not this hash.
    pub fn new(hash: Hash, info: &StreamInfo) -> Result<Writer> {
        let name = hash.ffmpeg_name().ok_or_else(|| {
            Error::bad_argument(format!("ffmpeg's layout has no {}: take md5 or sha256", hash.name()))
        })?;
        Ok(Writer { hash: name, info: info.clone() })
    }

    pub fn head(&self) -> String {
        let StreamInfo { timebase, width, height, sar, .. } = self.info;
        format!(
            "{FIRST_LINE}\n#version: {VERSION}\n#hash: {}\n#software: vramp {}\n#tb 0: {timebase}\n\
             #media_type 0: video\n#codec_id 0: rawvideo\n#dimensions 0: {width}x{height}\n#sar 0: {sar}\n\
             #stream#, dts,        pts, duration,     size, hash\n",
            self.hash,
            env!("CARGO_PKG_VERSION"),
        )
    }

    /// One line a frame: stream, dts, pts, duration, size in bytes, hash. Times are those of [`MuxerTimes`].
    pub fn line(&self, entry: &Entry) -> String {
        let Entry { pts, duration, bytes, hashes, .. } = entry;
        let pts = pts.unwrap_or(NO_TIME);
        format!("0, {pts:>10}, {pts:>10}, {duration:>8}, {bytes:>8}, {}\n", hex(hashes))
    }
}

/// Times as ffmpeg's muxers have them.
#[derive(Clone, Debug)]
pub struct MuxerTimes {
    /// The last frame's time.
    last: Option<i64>,
    /// The duration of a frame that states none: one frame at the nominal rate.
    nominal_duration: i64,
}

impl MuxerTimes {
    pub fn new(info: &StreamInfo) -> MuxerTimes {
        let seconds = info.frame_rate.value().map(|rate| 1.0 / rate).zip(info.timebase.value());
        MuxerTimes { last: None, nominal_duration: seconds.map_or(0, |(frame, unit)| (frame / unit).round() as i64) }
    }

    /// Gives `entry` a time: one without is one unit after the one before, and time never runs back.
    pub fn set(&mut self, entry: &mut Entry) {
        let after_last = self.last.map_or(0, |last| last.saturating_add(1));
        let pts = entry.pts.unwrap_or(after_last).max(self.last.unwrap_or(i64::MIN));
        self.last = Some(pts);
        entry.pts = Some(pts);
        if entry.duration <= 0 {
            entry.duration = self.nominal_duration;
        }
    }
}

/// Reads what follows the first line. Of several streams, the first with frames of video is taken.
///
/// # Errors
/// When it is cut off inside a line, of a later version, of another hash function, or has no frames of video.
pub fn read(lines: &mut Lines) -> Result<HashFile> {
    let mut head = Head::default();
    let mut frames = Vec::new();
    let mut stream = None;
    while let Some(line) = lines.next()? {
        if let Some((key, value)) = header(&line) {
            head.take(key, value)?;
            continue;
        }
        let (number, hash) = match stream {
            Some(known) => known,
            None => *stream.insert((head.video()?, head.hash()?)),
        };
        let wrong = || lines.wrong("it is no frame's line");
        if let Some(entry) = entry(&line, number, hash.size(), frames.len() as u64).ok_or_else(wrong)? {
            frames.push(entry);
        }
    }
    let (number, hash) = match stream {
        Some(known) => known,
        None => (head.video()?, head.hash()?),
    };
    let Some(first) = frames.first() else { return Err(Error::corrupt("it has no frame of a video")) };
    let stated = StatedTags {
        timebase: head.of("tb", number, rational)?,
        size: head.of("dimensions", number, size)?,
        sar: head.of("sar", number, rational).unwrap_or(Rational::new(0, 1)),
        format: None,
        color: None,
        presentation: None,
        bytes: Some(first.bytes),
    };
    let software = head.find("software").unwrap_or_default().to_owned();
    let cut = lines.is_cut();
    Ok(HashFile { layout: HashFormat::Ffmpeg, hash, software, asked: Vec::new(), stated, cut, streams: None, frames })
}

/// The frame of a line `stream, dts, pts, duration, size, hash`, and of version 2 perhaps hashes of side data behind.
/// `None`: it is no such line. `Some(None)`: it is another stream's.
fn entry(line: &str, stream: usize, hash_size: usize, index: u64) -> Option<Option<Entry>> {
    let mut columns = line.split(',').map(str::trim);
    let mut number = || columns.next()?.parse::<i64>().ok();
    let (from, _dts, pts, duration, bytes) = (number()?, number()?, number()?, number()?, number()?);
    let hashes = unhex(columns.next()?).filter(|hash| hash.len() == hash_size)?;
    let entry = Entry {
        index,
        pts: (pts != NO_TIME).then_some(pts),
        duration,
        key: false,
        bytes: u64::try_from(bytes).ok()?,
        hashes: hashes.into(),
    };
    Some((usize::try_from(from).ok()? == stream).then_some(entry))
}

/// The lines before the frames.
#[derive(Default)]
struct Head(Vec<(String, String)>);

impl Head {
    fn take(&mut self, key: &str, value: &str) -> Result<()> {
        if key == "version" && value.parse().is_ok_and(|version: u32| version > VERSION) {
            return Err(Error::unsupported(format!("it is of version {value}: this vramp reads up to {VERSION}")));
        }
        self.0.push((key.to_owned(), value.to_owned()));
        Ok(())
    }

    fn find(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// A header of a stream: `#key stream: value`.
    fn of<T>(&self, key: &str, stream: usize, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        let key = format!("{key} {stream}");
        self.find(&key).and_then(read).ok_or_else(|| Error::corrupt(format!("it has no good line '#{key}'")))
    }

    /// The first stream of decoded video.
    fn video(&self) -> Result<usize> {
        let stream = |(key, value): &(String, String)| {
            (value == "video").then(|| key.strip_prefix("media_type ")?.parse::<usize>().ok()).flatten()
        };
        let codec = |stream: &usize| self.find(&format!("codec_id {stream}")).unwrap_or_default();
        let is_decoded = |stream: &usize| matches!(codec(stream), "rawvideo" | "wrapped_avframe");
        let streams: Vec<_> = self.0.iter().filter_map(stream).collect();
        streams.iter().copied().find(is_decoded).ok_or_else(|| match streams.first() {
            None => Error::corrupt("it names no stream of video"),
            Some(coded) => Error::unsupported(format!(
                "it has hashes of packets ({}), not of frames: leave out ffmpeg's -c copy",
                codec(coded)
            )),
        })
    }

    fn hash(&self) -> Result<Hash> {
        let name = self.find("hash").unwrap_or_default();
        Hash::ALL.into_iter().find(|hash| hash.ffmpeg_name() == Some(name)).ok_or_else(|| {
            Error::unsupported(format!("it hashes with '{name}': give ffmpeg -hash md5 or -hash sha256"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<HashFile> {
        let text: &'static str = text.to_owned().leak();
        let mut lines = Lines::new(text.as_bytes());
        assert_eq!(lines.next().unwrap().as_deref(), Some(FIRST_LINE));
        read(&mut lines)
    }

    fn head(version: u32, more: &str) -> String {
        format!("{FIRST_LINE}\n#version: {version}\n#hash: MD5\n{more}#stream#, dts, pts, duration, size, hash\n")
    }

    const VIDEO: &str = "#tb 1: 1/25\n#media_type 1: video\n#codec_id 1: rawvideo\n#dimensions 1: 4x2\n#sar 1: 0/1\n";
    const SOUND: &str = "#tb 0: 1/48000\n#media_type 0: audio\n#codec_id 0: pcm_s16le\n";
    const HASH: &str = "70903e79b7575e3f4e7ffa15c2608ac7";

    #[test]
    fn of_several_streams_the_video_is_read() {
        for (version, more) in [(1, ""), (2, ", S=1,       10, 00000000000000000000000000000000")] {
            let lines = format!("0, 0, 0, 1024, 9, {HASH}\n1, 0, 7, 1, 12, {HASH}{more}\n0, 9, 9, 1024, 9, {HASH}\n");
            let file = read_text(&(head(version, &format!("{SOUND}{VIDEO}")) + &lines)).unwrap();
            assert_eq!((file.hash, file.stated.timebase, file.stated.size), (Hash::Md5, Rational::new(1, 25), (4, 2)));
            assert_eq!((file.frames.len(), file.frames[0].pts, file.stated.bytes), (1, Some(7), Some(12)));
            assert_eq!(hex(&file.frames[0].hashes), HASH);
            assert!(!file.cut && read_text((head(version, VIDEO) + &lines).trim_end()).unwrap().cut);
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let line = format!("1, 0, 0, 1, 12, {HASH}\n");
        let coded = VIDEO.replace("rawvideo", "h264");
        for (text, words) in [
            (head(2, VIDEO) + &line[..line.len() - 5], "cut off"),
            (head(2, VIDEO) + &line + "1, 1, 1", "line 11, the last, is cut off"),
            (head(2, VIDEO) + &line + "1, 1, 1\n" + &line, "line 11: it is no frame's line"),
            (head(3, VIDEO) + &line, "version 3"),
            (head(2, VIDEO).replace("MD5", "CRC32") + &line, "'CRC32'"),
            (head(2, &coded) + &line, "packets (h264)"),
            (head(2, SOUND) + &line, "no stream of video"),
            (head(2, VIDEO), "no frame"),
            (head(2, &VIDEO.replace("4x2", "4")) + &line, "#dimensions 1"),
        ] {
            let error = read_text(&text).unwrap_err();
            assert!(error.message().contains(words), "{words}: {error}");
        }
    }
}
