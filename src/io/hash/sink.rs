//! The sinks that hash: one writes a hash file, one keeps its entries.

use crate::compare::diagnosis::Entry;
use crate::error::{Error, Result};
use crate::io::TempFile;
use crate::io::hash::digest::Hash;
use crate::io::hash::hash_pool::HashPool;
use crate::io::hash::record::HashFormat;
use crate::io::hash::streams::{CodedStream, Streams};
use crate::io::hash::{ffmpeg, layout};
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::{Presentation, StreamInfo};
use std::ffi::OsStr;
use std::io::Write;

/// A sink that can begin again.
pub trait Restart: Sink {
    /// Forgets all frames so far, as if there were none. Before [`Sink::finish`] only.
    fn restart(&mut self);
}

/// What a film is besides its frames, for a sink that writes it.
#[derive(Clone, Debug)]
pub struct HashHead {
    /// How frames are shown.
    pub presentation: Presentation,
    /// The streams whose packets pass the chain by; `None`: the file does not mention them.
    pub streams: Option<Streams>,
}

/// Writes a hash file.
///
/// In ffmpeg's layout the columns pts, size and hash are those of
/// `ffmpeg -i IN -copyts -vsync passthrough -enc_time_base -1 -map 0:v:0 -f framemd5`.
#[derive(Debug)]
pub struct HashSink {
    pool: HashPool,
    text: FormatWriter,
    /// The streams that the head of the file describes.
    streams: Option<Streams>,
    /// The frames, where nothing is written before the end: so that the sink can begin again, and as the packets of
    /// streams precede them in the file.
    held: Option<Vec<Entry>>,
    file: TempFile,
    /// What messages call it.
    name: String,
    bytes: u64,
    /// The time of the last frame that had one, and how many had none that comes later.
    last: Option<i64>,
    untimely: u64,
}

#[derive(Clone, Debug)]
enum FormatWriter {
    Vramp(Box<layout::Writer>),
    Ffmpeg(ffmpeg::Writer, ffmpeg::MuxerTimes),
}

impl HashSink {
    /// Opens `path` (`-` is standard output), unless `cancel` stops a wait for its reader, for a hash file in ffmpeg's layout
    /// of a stream of `info`.
    ///
    /// # Errors
    /// When the file cannot be created, or the layout has not this hash.
    pub fn create(
        path: &(impl AsRef<OsStr> + ?Sized),
        hash: Hash,
        overwrite: bool,
        info: &StreamInfo,
        cancel: &Cancel,
    ) -> Result<HashSink> {
        let text = FormatWriter::Ffmpeg(ffmpeg::Writer::new(hash, info)?, ffmpeg::MuxerTimes::new(info));
        Self::open(path.as_ref(), HashPool::new(hash, HashFormat::Ffmpeg)?, text, overwrite, cancel)
    }

    /// The same in vramp's own layout, which says which options it was `asked` for.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create_own(
        path: &(impl AsRef<OsStr> + ?Sized),
        hash: Hash,
        asked: &[(String, String)],
        overwrite: bool,
        info: &StreamInfo,
        cancel: &Cancel,
    ) -> Result<HashSink> {
        let text = FormatWriter::Vramp(Box::new(layout::Writer::new(hash, asked, info)));
        Self::open(path.as_ref(), HashPool::new(hash, HashFormat::Vramp)?, text, overwrite, cancel)
    }

    fn open(path: &OsStr, pool: HashPool, text: FormatWriter, overwrite: bool, cancel: &Cancel) -> Result<HashSink> {
        let file = TempFile::create(path, overwrite, cancel)?;
        let name = if path == "-" { "standard output".to_owned() } else { path.display().to_string() };
        Ok(HashSink { pool, text, streams: None, held: None, file, name, bytes: 0, last: None, untimely: 0 })
    }

    /// The same, which writes nothing before the end: it can begin again.
    pub fn holding(self) -> HashSink {
        HashSink { held: Some(Vec::new()), ..self }
    }

    /// The same, with what is `beside` the frames, where its layout can hold it.
    pub fn with_head(mut self, beside: HashHead) -> HashSink {
        let FormatWriter::Vramp(writer) = &mut self.text else { return self };
        writer.show(beside.presentation);
        self.streams = beside.streams;
        if self.streams.is_some() { self.holding() } else { self }
    }

    /// Writes what comes before the frames.
    fn begin(&mut self) -> Result<()> {
        if self.bytes > 0 {
            return Ok(());
        }
        let head = match &mut self.text {
            FormatWriter::Vramp(writer) => {
                if let Some(streams) = &mut self.streams {
                    writer.tell(streams.finish());
                }
                writer.head()
            }
            FormatWriter::Ffmpeg(writer, _) => writer.head(),
        };
        self.write(&head)
    }

    /// Takes a frame that was hashed before, with the same hash and layout.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn entry(&mut self, entry: Entry) -> Result<()> {
        self.take(entry)
    }

    fn take(&mut self, entry: Entry) -> Result<()> {
        match &mut self.held {
            Some(held) => {
                held.push(entry);
                Ok(())
            }
            None => self.line(entry),
        }
    }

    fn line(&mut self, mut entry: Entry) -> Result<()> {
        self.begin()?;
        // None is before every time.
        self.untimely += u64::from(entry.pts <= self.last || entry.pts.is_none());
        self.last = self.last.max(entry.pts);
        let line = match &mut self.text {
            FormatWriter::Vramp(writer) => writer.line(&entry),
            FormatWriter::Ffmpeg(writer, times) => {
                times.set(&mut entry);
                writer.line(&entry)
            }
        };
        self.write(&line)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|e| Error::io(&self.name, &e))?;
        self.bytes += text.len() as u64;
        Ok(())
    }
}

impl Sink for HashSink {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        let entry = self.pool.push(frame)?;
        entry.map_or(Ok(()), |entry| self.take(entry))
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.streams.iter_mut().for_each(|streams| streams.take(&packet));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        while let Some(entry) = self.pool.pop()? {
            self.take(entry)?;
        }
        self.begin()?;
        for entry in self.held.take().unwrap_or_default() {
            self.line(entry)?;
        }
        if let FormatWriter::Vramp(writer) = &mut self.text {
            let end = writer.end();
            self.write(&end)?;
        }
        if self.untimely > 0 {
            let name = &self.name;
            log::warn!("{name}: {} frames have no time, or none after the frame before them", self.untimely);
        }
        self.file.commit()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Restart for HashSink {
    fn restart(&mut self) {
        self.pool.restart();
        self.streams.iter_mut().for_each(Streams::restart);
        self.held = Some(Vec::new());
    }
}

/// Keeps what [`HashSink`] would write of every frame.
#[derive(Debug)]
pub struct RecordSink {
    pool: HashPool,
    times: Option<ffmpeg::MuxerTimes>,
    /// The times before the first frame.
    start: Option<ffmpeg::MuxerTimes>,
    streams: Option<Streams>,
    frames: Vec<Entry>,
}

impl RecordSink {
    /// For a stream of `info`.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new(layout: HashFormat, hash: Hash, info: &StreamInfo) -> Result<RecordSink> {
        let times = (layout == HashFormat::Ffmpeg).then(|| ffmpeg::MuxerTimes::new(info));
        let (pool, start) = (HashPool::new(hash, layout)?, times.clone());
        Ok(RecordSink { pool, start, times, streams: None, frames: Vec::new() })
    }

    /// The same, which keeps the packets of `streams`, too.
    pub fn keeping(self, streams: Option<Streams>) -> RecordSink {
        RecordSink { streams, ..self }
    }

    /// The streams with their packets so far; all of them once the sink is finished.
    pub fn streams(&mut self) -> Option<&[CodedStream]> {
        self.streams.as_mut().map(Streams::finish)
    }

    /// The frames so far; all of them once the sink is finished.
    pub fn frames(&self) -> &[Entry] {
        &self.frames
    }

    /// The same, handed over.
    pub fn into_frames(self) -> Vec<Entry> {
        self.frames
    }

    fn keep(&mut self, mut entry: Entry) {
        if let Some(times) = &mut self.times {
            times.set(&mut entry);
        }
        self.frames.push(entry);
    }
}

impl Sink for RecordSink {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        if let Some(entry) = self.pool.push(frame)? {
            self.keep(entry);
        }
        Ok(())
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.streams.iter_mut().for_each(|streams| streams.take(&packet));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        while let Some(entry) = self.pool.pop()? {
            self.keep(entry);
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl Restart for RecordSink {
    fn restart(&mut self) {
        self.pool.restart();
        self.times = self.start.clone();
        self.streams.iter_mut().for_each(Streams::restart);
        self.frames.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::hash::record::HashFile;
    use crate::video::{FrameProps, Picture, Rational};

    /// A 3×2 nv12 picture: luma 1..6, chroma pairs (7, 8) and (9, 10).
    fn picture() -> Picture {
        let mut picture = Picture::alloc("nv12".parse().unwrap(), 3, 2).unwrap();
        picture.row_bytes_mut(0, 0).copy_from_slice(&[1, 2, 3]);
        picture.row_bytes_mut(0, 1).copy_from_slice(&[4, 5, 6]);
        picture.row_bytes_mut(1, 0).copy_from_slice(&[7, 8, 9, 10]);
        picture
    }

    fn info() -> StreamInfo {
        StreamInfo { timebase: Rational::new(1, 12800), ..StreamInfo::bare(picture().format(), 3, 2) }
    }

    fn feed(sink: &mut dyn Sink, frames: impl Iterator<Item = (u64, Option<i64>)>) {
        for (frame_index, pts) in frames {
            let props = FrameProps { frame_index, pts, ..FrameProps::default() };
            sink.frame(Frame { props, picture: picture() }).unwrap();
        }
        sink.finish().unwrap();
    }

    /// What [`HashSink`] writes of `frames` after `before`, and that read back.
    fn written(
        layout: HashFormat,
        before: impl Fn(&mut dyn Restart),
        frames: impl Iterator<Item = (u64, Option<i64>)>,
    ) -> (String, HashFile) {
        let path = std::env::temp_dir().join(format!("vramp-hash-{}-{layout:?}", std::process::id()));
        let (info, cancel) = (info(), Cancel::default());
        let sink = match layout {
            HashFormat::Vramp => HashSink::create_own(&path, Hash::Md5, &[], true, &info, &cancel),
            HashFormat::Ffmpeg => HashSink::create(&path, Hash::Md5, true, &info, &cancel),
        };
        let mut sink = sink.unwrap().holding();
        before(&mut sink);
        feed(&mut sink, frames);
        let (text, file) = (std::fs::read_to_string(&path).unwrap(), HashFile::read(path.as_os_str()).unwrap());
        std::fs::remove_file(path).unwrap();
        assert_eq!(sink.bytes(), text.len() as u64);
        (text, file)
    }

    #[test]
    fn columns_are_laid_out_as_ffmpeg_does() {
        let (text, _) = written(
            HashFormat::Ffmpeg,
            |_| {},
            [Some(512), None, Some(7)].into_iter().enumerate().map(|(i, pts)| (i as u64, pts)),
        );
        let expected = [
            "#format: frame checksums",
            "#version: 2",
            "#hash: MD5",
            concat!("#software: vramp ", env!("CARGO_PKG_VERSION")),
            "#tb 0: 1/12800",
            "#media_type 0: video",
            "#codec_id 0: rawvideo",
            "#dimensions 0: 3x2",
            "#sar 0: 1/1",
            "#stream#, dts,        pts, duration,     size, hash",
            "0,        512,        512,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
            "0,        513,        513,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
            "0,        513,        513,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_sink_that_begins_again_says_the_same() {
        let frames = || (0..40).map(|i| (i, (i % 7 != 3).then_some(i as i64 * 512)));
        let broken_off = |sink: &mut dyn Restart| {
            for frame_index in 90..95 {
                let props = FrameProps { frame_index, pts: Some(7), ..FrameProps::default() };
                sink.frame(Frame { props, picture: picture() }).unwrap();
            }
            sink.restart();
        };
        for layout in [HashFormat::Vramp, HashFormat::Ffmpeg] {
            let (text, _) = written(layout, |_| {}, frames());
            assert_eq!(written(layout, broken_off, frames()).0, text, "{layout:?}");
            let mut kept = RecordSink::new(layout, Hash::Md5, &info()).unwrap();
            broken_off(&mut kept);
            feed(&mut kept, frames());
            let mut plain = RecordSink::new(layout, Hash::Md5, &info()).unwrap();
            feed(&mut plain, frames());
            assert_eq!(kept.frames(), plain.frames(), "{layout:?}");
        }
    }

    #[test]
    fn both_sinks_say_the_same_of_every_frame_in_order() {
        let frames = || (0..100).map(|i| (i, (i % 7 != 3).then_some(i as i64 * 512)));
        for layout in [HashFormat::Vramp, HashFormat::Ffmpeg] {
            let mut kept = RecordSink::new(layout, Hash::Md5, &info()).unwrap();
            feed(&mut kept, frames());
            let (_, file) = written(layout, |_| {}, frames());
            let times =
                |entries: &[Entry]| entries.iter().map(|e| (e.index, e.pts, e.hashes.clone())).collect::<Vec<_>>();
            assert_eq!(times(kept.frames()), times(&file.frames), "{layout:?}");
            assert_eq!(file.frames.len(), 100);
        }
    }
}
