//! vramp's own layout: a hash a plane, everything that describes a frame, and an end that marks a whole file.
//! docs/HASHES.md describes it.

use crate::compare::diagnosis::Entry;
use crate::error::{Error, Result};
use crate::io::hash::digest::{Hash, Hasher, hex, unhex};
use crate::io::hash::lines::{Lines, header};
use crate::io::hash::record::{
    HashFile, HashFormat, StatedTags, color, color_tags, presentation, presentation_tags, rational, size,
};
use crate::io::hash::streams::CodedStream;
use crate::video::{Format, Presentation, StreamInfo};

/// The first line of such a file.
pub const FIRST_LINE: &str = "#vramp frame hashes";

/// The version of the layout.
const VERSION: u32 = 1;

/// The prefix of the name of an option that the file was made with.
const ASKED: &str = "asked ";

/// Writes a hash file.
#[derive(Clone, Debug)]
pub struct Writer {
    hash: Hash,
    asked: Vec<(String, String)>,
    info: StreamInfo,
    presentation: Option<Presentation>,
    /// The lines of the streams beside the frames.
    streams: Vec<String>,
    text: Hasher,
    samples: Hasher,
    frames: u64,
}

impl Writer {
    /// Of frames of `info`, made with the options `asked`.
    pub fn new(hash: Hash, asked: &[(String, String)], info: &StreamInfo) -> Writer {
        let (text, samples) = (Hasher::new(hash), Hasher::new(hash));
        let (asked, info) = (asked.to_vec(), info.clone());
        Writer { hash, asked, info, presentation: None, streams: Vec::new(), text, samples, frames: 0 }
    }

    /// Adds to the head how frames are shown.
    pub fn show(&mut self, presentation: Presentation) {
        self.presentation = Some(presentation);
    }

    /// Adds to the head the `streams` beside the frames, whose packets are all there.
    pub fn tell(&mut self, streams: &[CodedStream]) {
        self.streams = CodedStream::lines(streams);
    }

    pub fn head(&mut self) -> String {
        let StreamInfo { format, width, height, timebase, sar, .. } = self.info;
        let mut lines = vec![
            FIRST_LINE.to_owned(),
            format!("#version: {VERSION}"),
            format!("#software: vramp {}", env!("CARGO_PKG_VERSION")),
            format!("#hash: {}", self.hash.name()),
        ];
        lines.extend(self.asked.iter().map(|(key, value)| format!("#{ASKED}{key}: {value}")));
        lines.extend([
            format!("#format: {format}"),
            format!("#size: {width}x{height}"),
            format!("#timebase: {timebase}"),
            format!("#sar: {sar}"),
        ]);
        let shown = self.presentation.iter().flat_map(presentation_tags);
        let tags = color_tags(&self.info.color).into_iter().chain(shown);
        lines.extend(tags.map(|(name, value)| format!("#{name}: {value}")));
        lines.append(&mut self.streams);
        let planes: String = (0..format.planes()).map(|plane| format!(", plane {plane}")).collect();
        lines.push(format!("#index, pts, duration, key, bytes{planes}"));
        self.count(lines.join("\n") + "\n")
    }

    /// One line a frame: index, pts (`-` for none), duration, whether it is a key frame, size in bytes, and a hash a
    /// plane.
    pub fn line(&mut self, entry: &Entry) -> String {
        self.frames += 1;
        self.samples.update(&entry.hashes);
        let pts = entry.pts.map_or_else(|| "-".to_owned(), |pts| pts.to_string());
        let Entry { index, duration, key, bytes, hashes, .. } = entry;
        let hashes: String = hashes.chunks(self.hash.size()).map(|hash| format!(", {}", hex(hash))).collect();
        self.count(format!("{index}, {pts}, {duration}, {}, {bytes}{hashes}\n", u8::from(*key)))
    }

    /// The last lines: how many frames there were, the hash of all their hashes, and the hash of the file so far.
    pub fn end(&mut self) -> String {
        let samples = hex(&self.samples.clone().finish());
        let text = self.count(format!("#frames: {}\n#samples: {samples}\n", self.frames));
        text + &format!("#end: {}\n", hex(&self.text.clone().finish()))
    }

    fn count(&mut self, text: String) -> String {
        self.text.update(text.as_bytes());
        text
    }
}

/// Reads what follows the first line.
///
/// # Errors
/// When it is cut off, was changed, or is of a later version.
pub fn read(lines: &mut Lines) -> Result<HashFile> {
    let head = Head::read(lines)?;
    let (hash, stated) = (head.hash()?, head.stated()?);
    let planes = stated.format.map_or(0, Format::planes);

    let (mut text, mut samples) = (Hasher::new(hash), Hasher::new(hash));
    let mut count = |line: &str| [line, "\n"].iter().for_each(|part| text.update(part.as_bytes()));
    head.0.iter().for_each(|line| count(line));
    let mut frames = Vec::new();
    let mut last = Vec::new();
    while let Some(line) = lines.next()? {
        if let Some(end) = line.strip_prefix("#end: ") {
            let expected = [format!("#frames: {}", frames.len()), format!("#samples: {}", hex(&samples.finish()))];
            let whole = end == hex(&text.finish()) && last == expected && lines.next()?.is_none();
            return if whole { head.file(hash, stated, frames) } else { Err(changed()) };
        }
        count(&line);
        if line.starts_with('#') {
            last.push(line);
        } else {
            let entry = entry(&line, planes, hash.size());
            let entry = entry.ok_or_else(|| lines.wrong("it is no frame's line"))?;
            samples.update(&entry.hashes);
            frames.push(entry);
        }
    }
    Err(Error::corrupt(format!("it is cut off after {} frames: make it again", frames.len())))
}

fn changed() -> Error {
    Error::corrupt("it was changed after it was written (its last line says so): make it again")
}

/// The frame of a line as [`Writer::line`] writes it.
fn entry(line: &str, planes: usize, hash_size: usize) -> Option<Entry> {
    let mut columns = line.split(", ");
    let mut column = || columns.next();
    let index = column()?.parse().ok()?;
    let pts = match column()? {
        "-" => None,
        pts => Some(pts.parse().ok()?),
    };
    let duration = column()?.parse().ok()?;
    let key = match column()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let bytes = column()?.parse().ok()?;
    let hashes = columns.map(|hash| unhex(hash).filter(|hash| hash.len() == hash_size)).collect::<Option<Vec<_>>>()?;
    (hashes.len() == planes).then(|| Entry { index, pts, duration, key, bytes, hashes: hashes.concat().into() })
}

/// The lines before the frames.
struct Head(Vec<String>);

impl Head {
    fn read(lines: &mut Lines) -> Result<Head> {
        let mut head = Head(vec![FIRST_LINE.to_owned()]);
        while let Some(line) = lines.next()? {
            match header(&line) {
                None => return Err(lines.wrong("a frame comes before the line '#index, ...'")),
                // What a later version says further on may mean anything.
                Some(("version", version)) if version.parse().is_ok_and(|version: u32| version > VERSION) => {
                    let message = format!("it is of version {version}: this vramp reads up to {VERSION}");
                    return Err(Error::unsupported(message));
                }
                Some(_) => head.0.push(line),
            }
            if head.0.last().is_some_and(|line| line.starts_with("#index,")) {
                return Ok(head);
            }
        }
        Err(Error::corrupt("it is cut off before its first frame: make it again"))
    }

    fn find(&self, key: &str) -> Option<&str> {
        self.0.iter().filter_map(|line| header(line)).find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    fn read_as<T>(&self, key: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        self.find(key).and_then(read).ok_or_else(|| Error::corrupt(format!("it has no good line '#{key}'")))
    }

    fn hash(&self) -> Result<Hash> {
        self.read_as("version", |version| (version.parse() == Ok(VERSION)).then_some(()))?;
        self.read_as("hash", |name| Hash::ALL.into_iter().find(|hash| hash.name() == name))
    }

    fn stated(&self) -> Result<StatedTags> {
        Ok(StatedTags {
            timebase: self.read_as("timebase", rational)?,
            size: self.read_as("size", size)?,
            sar: self.read_as("sar", rational)?,
            format: Some(self.read_as("format", |name| name.parse().ok())?),
            color: Some(color(|name| self.find(name)).ok_or_else(|| Error::corrupt("it has no good lines of colour"))?),
            presentation: presentation(|name| self.find(name))
                .map_err(|name| Error::corrupt(format!("it has no good line '#{name}'")))?,
            bytes: None,
        })
    }

    fn file(&self, hash: Hash, stated: StatedTags, frames: Vec<Entry>) -> Result<HashFile> {
        let asked = |line: &String| {
            let (key, value) = header(line)?;
            Some((key.strip_prefix(ASKED)?.to_owned(), value.to_owned()))
        };
        let software = self.find("software").unwrap_or_default().to_owned();
        let asked = self.0.iter().filter_map(asked).collect();
        let streams = CodedStream::read(&self.0, hash)?;
        Ok(HashFile { layout: HashFormat::Vramp, hash, software, asked, stated, cut: false, streams, frames })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn asked() -> Vec<(String, String)> {
        vec![("chain".to_owned(), "deband(range 16)".to_owned()), ("start".to_owned(), "#3".to_owned())]
    }

    fn frames(hash: Hash) -> Vec<Entry> {
        let entry = |index: u64| Entry {
            index,
            pts: (index != 4).then_some(-512 + index as i64),
            duration: 512,
            key: index == 3,
            bytes: 12,
            hashes: vec![index as u8; 2 * hash.size()].into(),
        };
        (3..6).map(entry).collect()
    }

    fn info() -> StreamInfo {
        StreamInfo::bare("nv12".parse().unwrap(), 4, 2)
    }

    fn written(hash: Hash) -> String {
        let mut writer = Writer::new(hash, &asked(), &info());
        let head = writer.head();
        let lines: String = frames(hash).iter().map(|entry| writer.line(entry)).collect();
        head + &lines + &writer.end()
    }

    fn read_text(text: &str) -> Result<HashFile> {
        let text: &'static str = text.to_owned().leak();
        let mut lines = Lines::new(text.as_bytes());
        lines.next().unwrap();
        read(&mut lines)
    }

    #[test]
    fn what_is_written_is_read_back() {
        for hash in Hash::ALL {
            let text = written(hash);
            for text in [text.clone(), text.replace('\n', "\r\n")] {
                let file = read_text(&text).unwrap();
                assert_eq!((file.hash, file.asked.clone(), file.frames.clone()), (hash, asked(), frames(hash)));
                assert_eq!(file.stated, StatedTags { bytes: None, ..StatedTags::of(&info()) });
                assert_eq!(file.asked("start"), Some("#3"));
                assert!(file.software.starts_with("vramp "));
            }
        }
    }

    #[test]
    fn the_text_is_what_the_documentation_says() {
        let text = written(Hash::Md5);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..4],
            [
                "#vramp frame hashes",
                "#version: 1",
                concat!("#software: vramp ", env!("CARGO_PKG_VERSION")),
                "#hash: md5"
            ]
        );
        assert_eq!(
            lines[4..17],
            [
                "#asked chain: deband(range 16)",
                "#asked start: #3",
                "#format: nv12",
                "#size: 4x2",
                "#timebase: 1/25",
                "#sar: 1/1",
                "#range: unspecified",
                "#matrix: 2",
                "#transfer: 2",
                "#primaries: 2",
                "#chroma_location: unspecified",
                "#index, pts, duration, key, bytes, plane 0, plane 1",
                "3, -509, 512, 1, 12, 03030303030303030303030303030303, 03030303030303030303030303030303",
            ]
        );
        assert!(lines[17].starts_with("4, -, 512, 0, 12, 04"));
        assert_eq!(lines[19], "#frames: 3");
        assert_eq!((lines.len(), &lines[20][..9], &lines[21][..6]), (22, "#samples:", "#end: "));
    }

    #[test]
    fn every_cut_and_every_change_is_detected() {
        let text = written(Hash::Xxh3);
        for end in FIRST_LINE.len()..text.len() - 1 {
            // Which line stops short decides the words.
            assert_eq!(read_text(&text[..end]).unwrap_err().kind(), Kind::CorruptInput, "{end}");
        }
        let lines: Vec<_> = text.lines().collect();
        for gone in 1..lines.len() {
            let rest: String = (0..lines.len()).filter(|i| *i != gone).map(|i| format!("{}\n", lines[i])).collect();
            assert_eq!(read_text(&rest).unwrap_err().kind(), Kind::CorruptInput, "{}", lines[gone]);
        }
        for (from, to) in [("-509", "-510"), ("1/25", "1/24"), ("range 16", "range 15"), ("0505", "0506")] {
            let error = read_text(&text.replacen(from, to, 1)).unwrap_err();
            assert!(error.message().contains("was changed"), "{from}: {error}");
        }
        assert!(read_text(&(text + "6, 1\n")).is_err());
    }

    #[test]
    fn another_version_is_not_guessed_at() {
        let error = read_text("#vramp frame hashes\n#version: 2\n\u{1}\n").unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.message().contains("version 2"), "{error}");
    }
}
