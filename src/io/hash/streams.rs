//! The streams that pass the chain by: what every packet of theirs is, in a hash file and for a comparison.

use crate::compare::diagnosis::Entry;
use crate::error::{Error, Result};
use crate::io::hash::digest::{Hash, Hasher, hex, unhex};
use crate::io::hash::lines::header;
use crate::io::hash::record::rational;
use crate::pipeline::Packet;
use crate::video::Rational;

/// Packets that follow the first of an entry by less than this part of a second are of the same entry: there are
/// codecs with more than a thousand packets a second.
const ENTRIES_A_SECOND: i128 = 64;

/// A stream beside the frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodedStream {
    /// Its number in its source.
    pub index: usize,
    /// What it holds: audio, subtitle, attachment, video or data.
    pub media: String,
    /// Its codec, by libav's name.
    pub codec: String,
    /// The unit of its times.
    pub timebase: Rational,
    /// Its packets, in order.
    pub packets: Vec<Entry>,
}

/// A packet to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct CodedPacket<'p> {
    /// The number of its stream in the source.
    pub stream: usize,
    /// When it is shown or heard.
    pub pts: Option<i64>,
    /// For how long; 0 is unknown.
    pub duration: i64,
    /// What it holds.
    pub bytes: &'p [u8],
}

/// Takes packets in, and keeps what they are.
#[derive(Clone, Debug)]
pub struct Streams {
    hash: Hash,
    read: fn(&Packet) -> Option<CodedPacket<'_>>,
    /// The streams before any packet.
    start: Vec<CodedStream>,
    all: Vec<CodedStream>,
    /// Of each stream the entry that its next packet may belong to.
    open: Vec<Option<Open>>,
}

#[derive(Clone, Debug)]
struct Open {
    entry: Entry,
    hasher: Hasher,
}

impl Open {
    fn end(self) -> Entry {
        Entry { hashes: self.hasher.finish().into(), ..self.entry }
    }
}

impl Streams {
    /// For packets of the streams `all`, which `read` looks at.
    pub fn new(hash: Hash, all: Vec<CodedStream>, read: fn(&Packet) -> Option<CodedPacket<'_>>) -> Streams {
        let open = all.iter().map(|_| None).collect();
        Streams { hash, read, start: all.clone(), all, open }
    }

    /// Takes a packet in; those of other streams are ignored.
    pub fn take(&mut self, packet: &Packet) {
        if let Some(coded) = (self.read)(packet) {
            self.add(coded);
        }
    }

    fn add(&mut self, coded: CodedPacket<'_>) {
        let Some(place) = self.all.iter().position(|stream| stream.index == coded.stream) else { return };
        let (stream, open) = (&mut self.all[place], &mut self.open[place]);
        let bytes = payload(&stream.codec, coded.bytes);
        if !open.as_ref().is_some_and(|open| belongs(&open.entry, coded.pts, stream.timebase)) {
            let index = stream.packets.len() as u64 + u64::from(open.is_some());
            let entry = Entry { index, pts: coded.pts, duration: 0, key: true, bytes: 0, hashes: [].into() };
            let before = open.replace(Open { entry, hasher: Hasher::new(self.hash) });
            stream.packets.extend(before.map(Open::end));
        }
        if let Some(Open { entry, hasher }) = open {
            hasher.update(bytes);
            entry.bytes += bytes.len() as u64;
            entry.duration = entry.duration.saturating_add(coded.duration);
        }
    }

    /// Forgets all packets so far.
    pub fn restart(&mut self) {
        self.all.clone_from(&self.start);
        self.open.fill_with(|| None);
    }

    /// The streams with the packets so far.
    pub fn finish(&mut self) -> &[CodedStream] {
        for (stream, open) in self.all.iter_mut().zip(&mut self.open) {
            stream.packets.extend(open.take().map(Open::end));
        }
        &self.all
    }
}

/// Whether a packet of this time belongs to the entry of those before it.
fn belongs(entry: &Entry, pts: Option<i64>, unit: Rational) -> bool {
    let Some((first, pts)) = entry.pts.zip(pts) else { return false };
    let later = (i128::from(pts) - i128::from(first)) * i128::from(unit.num) * ENTRIES_A_SECOND;
    (0..i128::from(unit.den)).contains(&later)
}

/// What a packet holds, without what a container put in front of it: MPEG-TS has a header before each packet of AAC.
fn payload<'p>(codec: &str, bytes: &'p [u8]) -> &'p [u8] {
    let &[0xff, sync, _, a, b, c, ..] = bytes else { return bytes };
    let length = usize::from(a & 3) << 11 | usize::from(b) << 3 | usize::from(c) >> 5;
    let is_adts = codec == "aac" && sync & 0xf6 == 0xf0 && length == bytes.len();
    let header = if sync & 1 == 1 { 7 } else { 9 };
    bytes.get(header..).filter(|_| is_adts).unwrap_or(bytes)
}

impl CodedStream {
    /// The one entry of a stream without packets, a file.
    pub fn file(hash: Hash, bytes: &[u8]) -> Entry {
        let mut hasher = Hasher::new(hash);
        hasher.update(bytes);
        let (bytes, hashes) = (bytes.len() as u64, hasher.finish().into());
        Entry { index: 0, pts: None, duration: 0, key: true, bytes, hashes }
    }

    /// The lines of `streams` in a hash file.
    pub(super) fn lines(streams: &[CodedStream]) -> Vec<String> {
        let mut lines = vec![format!("#streams: {}", streams.len())];
        for CodedStream { index, media, codec, timebase, packets } in streams {
            lines.push(format!("#stream {index}: {media} {codec}, {timebase}"));
            lines.extend(packets.iter().map(|packet| {
                let Entry { pts, duration, bytes, hashes, .. } = packet;
                let pts = pts.map_or_else(|| "-".to_owned(), |pts| pts.to_string());
                format!("#packet {index}: {pts}, {duration}, {bytes}, {}", hex(hashes))
            }));
        }
        lines
    }

    /// The streams that `lines` describe; `None` where the file has none.
    ///
    /// # Errors
    /// When a line of a stream or a packet is none.
    pub(super) fn read(lines: &[String], hash: Hash) -> Result<Option<Vec<CodedStream>>> {
        let mut streams_so_far: Option<(usize, Vec<CodedStream>)> = None;
        for (line, (key, value)) in lines.iter().filter_map(|line| Some((line, header(line)?))) {
            let wrong = || Error::corrupt(format!("'{line}' is no line of a stream"));
            match (key.split_once(' '), &mut streams_so_far) {
                _ if key == "streams" => streams_so_far = Some((value.parse().map_err(|_| wrong())?, Vec::new())),
                (Some(("stream", index)), Some((_, streams))) => {
                    streams.push(CodedStream::parse(index, value).ok_or_else(wrong)?);
                }
                (Some(("packet", index)), Some((_, streams))) => {
                    let stream = streams.last_mut().filter(|stream| stream.index.to_string() == index);
                    let stream = stream.ok_or_else(wrong)?;
                    let packet = packet(stream.packets.len() as u64, value, hash.size()).ok_or_else(wrong)?;
                    stream.packets.push(packet);
                }
                _ => {}
            }
        }
        match streams_so_far {
            Some((count, streams)) if count != streams.len() => {
                Err(Error::corrupt(format!("it has {} of {count} streams", streams.len())))
            }
            streams_so_far => Ok(streams_so_far.map(|(_, streams)| streams)),
        }
    }

    fn parse(index: &str, value: &str) -> Option<CodedStream> {
        let (kind, unit) = value.split_once(", ")?;
        let (media, codec) = kind.split_once(' ')?;
        let (index, timebase) = (index.parse().ok()?, rational(unit)?);
        Some(CodedStream { index, media: media.to_owned(), codec: codec.to_owned(), timebase, packets: Vec::new() })
    }
}

/// The packet of "pts, duration, bytes, hash".
fn packet(index: u64, value: &str, hash_size: usize) -> Option<Entry> {
    let mut columns = value.split(", ");
    let mut column = || columns.next();
    let pts = match column()? {
        "-" => None,
        pts => Some(pts.parse().ok()?),
    };
    let (duration, bytes) = (column()?.parse().ok()?, column()?.parse().ok()?);
    let hash = unhex(column()?).filter(|hash| hash.len() == hash_size)?;
    column().is_none().then(|| Entry { index, pts, duration, key: true, bytes, hashes: hash.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(index: usize, codec: &str, unit: i32) -> CodedStream {
        let timebase = Rational::new(1, unit);
        CodedStream { index, media: "audio".to_owned(), codec: codec.to_owned(), timebase, packets: Vec::new() }
    }

    fn taken(all: Vec<CodedStream>, packets: &[(usize, Option<i64>, &[u8])]) -> Vec<CodedStream> {
        let mut streams = Streams::new(Hash::Md5, all, |_| None);
        for (stream, pts, bytes) in packets {
            streams.add(CodedPacket { stream: *stream, pts: *pts, duration: 10, bytes });
        }
        streams.finish().to_vec()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut all = taken(
            vec![stream(1, "aac", 48000), stream(4, "opus", 1000)],
            &[(1, Some(-1024), b"a"), (4, None, b"b"), (1, Some(0), b"c"), (9, Some(0), b"nobody's")],
        );
        assert_eq!((all[0].packets.len(), all[1].packets.len()), (2, 1));
        all.push(CodedStream { packets: vec![CodedStream::file(Hash::Md5, b"font")], ..stream(5, "ttf", 90000) });
        let lines = CodedStream::lines(&all);
        assert_eq!(lines[..2], ["#streams: 3", "#stream 1: audio aac, 1/48000"]);
        // printf a | md5sum
        assert_eq!(lines[2], "#packet 1: -1024, 10, 1, 0cc175b9c0f1b6a831c399e269772661");
        assert_eq!(CodedStream::read(&lines, Hash::Md5).unwrap(), Some(all));
        assert_eq!(CodedStream::read(&["#size: 4x2".to_owned()], Hash::Md5).unwrap(), None);
    }

    #[test]
    fn bad_lines_are_reported() {
        for lines in [
            &["#streams: 1"][..],
            &["#streams: 1", "#packet 1: 0, 1, 1, 0cc175b9c0f1b6a831c399e269772661"],
            &["#streams: 1", "#stream 1: audio, 1/1"],
            &["#streams: 1", "#stream 1: audio aac, 1/1", "#packet 1: 0, 1, 1, 0cc1"],
            &["#streams: 1", "#stream 1: audio aac, 1/1", "#packet 2: 0, 1, 1, 0cc175b9c0f1b6a831c399e269772661"],
        ] {
            let lines: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
            assert!(CodedStream::read(&lines, Hash::Md5).is_err(), "{lines:?}");
        }
    }

    #[test]
    fn many_small_packets_are_one_entry() {
        // 40 in a unit of 1/1200 s: 19 of them begin within 1/64 s.
        let packets: Vec<(usize, Option<i64>, &[u8])> = (0..40).map(|i| (1, Some(i), &b"x"[..])).collect();
        let entries = &taken(vec![stream(1, "truehd", 1200)], &packets)[0].packets;
        let kept: Vec<_> = entries.iter().map(|entry| (entry.index, entry.pts, entry.bytes, entry.duration)).collect();
        assert_eq!(kept, [(0, Some(0), 19, 190), (1, Some(19), 19, 190), (2, Some(38), 2, 20)]);
    }

    #[test]
    fn what_a_container_puts_before_aac_is_no_sound() {
        let raw = [0x21, 0x10, 5];
        let framed = [&[0xff, 0xf1, 0x50, 0x80, 10 >> 3, (10 << 5 & 0xff) as u8 | 0x1f, 0xfc][..], &raw].concat();
        assert_eq!((payload("aac", &framed), payload("aac", &raw)), (&raw[..], &raw[..]));
        assert_eq!(payload("mp3", &framed), framed);
        assert_eq!(payload("aac", &framed[..9]), &framed[..9], "another length");
    }
}
