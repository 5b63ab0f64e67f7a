//! A decoder as a source of frames, with the packets of the streams that are copied past the chain.

use crate::error::{Error, Result};
use crate::filters::Reach;
use crate::io::libav::decode::choice::DecoderChoice;
use crate::io::libav::decode::finish::Finisher;
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::known::Known;
use crate::io::libav::demux::opening::Opening;
use crate::io::libav::demux::reader::{EntryPacket, HeaderContents, Reader};
use crate::io::libav::demux::sequence::Sequence;
use crate::io::libav::demux::streams::{Container, CopiedStream, Media};
use crate::io::libav::demux::trim::Trim;
use crate::io::libav::extra::added::Added;
use crate::io::libav::format::hdr;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel;
use crate::io::libav::mux::tags;
use crate::io::libav::recode::sound::request;
use crate::io::libav::seek::window::Window;
use crate::io::libav::tracks::{Tracks, numbered};
use crate::pipeline::Item;
use crate::video::{Format, HostAllocator, Range, Rational, StreamInfo};
use around::ContextFrames;
use ffmpeg::ffi;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use open::first_frame;
use options::UsedOptions;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

mod around;
mod beside;
mod follow;
mod frames;
mod open;
mod options;
mod skip;

pub use follow::{EntryFrame, FrameList};
pub use options::InputOptions;

/// A file, URL or pipe whose best video stream is decoded.
///
/// What lies before a window is read, but decoded only as far as the window needs: a frame of an undamaged source is the
/// same, its index too, as in a run of the whole.
///
/// Every frame libav shows is given once, in order, with libav's best guess of its time: what
/// `ffmpeg -copyts -vsync passthrough` shows. Frames are used where the decoder left them; what the chain cannot read
/// (packed RGB, alpha, palettes, 4:1:1) is converted while decoding. Damage is counted and skipped, unless it is fatal by request.
pub struct Input {
    path: OsString,
    reader: Reader,
    rate: Option<Rational>,
    finisher: Finisher,
    codec: &'static str,
    info: StreamInfo,
    container: Container,
    copied: Vec<CopiedStream>,
    added: Added,
    decoder: DecoderChoice,
    window: Window,
    trim: Trim,
    around: ContextFrames,
    phase: Phase,
    /// The last frame's time in microseconds from the container's start, for frames that state none.
    time: i64,
    /// The index of the next frame, and how many of those before it are inside the window.
    decoded: u64,
    kept: u64,
    /// What is added to the times of frames, in the stream's timebase.
    shift: i64,
    /// The first frame, decoded to learn what the stream is.
    first: Option<Video>,
    ready: VecDeque<Item>,
    /// Frames of the whole source, once it has ended, and what is wanted of it with it.
    length: Option<u64>,
    /// Frames behind those that are wanted were read.
    goes_on: bool,
    changes_said: bool,
    /// Its chapters say in which order to play its parts.
    is_ordered: bool,
    /// What the first frame says of its own brightness.
    dynamic: Vec<&'static str>,
    place: Option<EntryPacket>,
    /// It is known which frames the window has, and nobody needs what lies behind them.
    is_planned: bool,
    contents: Option<HeaderContents>,
}

/// What has not been given yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Frames, and packets between them.
    Frames,
    /// The window's frames are out, but packets of copied streams may still belong inside.
    Packets,
    /// The source has ended, but tracks that are added go on.
    Added,
    /// Packets, and no frames: those are followed, and left out.
    Following,
    /// Nothing.
    Over,
}

impl Input {
    /// The stream that it gives.
    pub fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// What the container says.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Leaves out what the stream says of its grading. Gives what that is, and what frames say.
    pub fn forget_grading(&mut self) -> Vec<&'static str> {
        let mut left_out = hdr::forget(&mut self.container.video.side_data);
        left_out.extend(&self.dynamic);
        left_out
    }

    /// The streams whose packets it gives between the frames.
    pub fn copied_streams(&self) -> &[CopiedStream] {
        &self.copied
    }

    /// Where the container's times begin, in microseconds.
    pub fn start_time(&self) -> i64 {
        self.reader.origin()
    }

    /// The video codec's name.
    pub fn codec_name(&self) -> &str {
        self.codec
    }

    /// What shows that there is alpha, which is dropped: the source's pixel format, or WebM's `alpha_mode`, where it is a
    /// stream within the packets that decoders ignore.
    pub fn dropped_alpha(&self) -> Option<&'static str> {
        match self.has_alpha_beside() {
            _ if self.has_alpha_in_frames() => Some(self.finisher.source_format()),
            true => Some(tags::ALPHA_MODE),
            false => None,
        }
    }

    /// Whether the frames have alpha, which is another input of the same file with [`InputOptions::alpha`].
    pub fn has_alpha_in_frames(&self) -> bool {
        self.finisher.drops_alpha()
    }

    /// Says nothing of alpha that is left out here: another input of the same file gives it.
    pub fn gives_alpha_elsewhere(&mut self) {
        self.finisher.forget_notice();
    }

    /// Whether packets hold alpha beside the pictures, as WebM's do.
    fn has_alpha_beside(&self) -> bool {
        let says = |(key, value): &(String, String)| key.eq_ignore_ascii_case(tags::ALPHA_MODE) && value == "1";
        !self.finisher.knows_alpha() && self.container.video.metadata.iter().any(says)
    }

    /// Logs once what of the source is not given as it is.
    fn say_changes(&mut self) {
        let name = demuxer::name(&self.path);
        self.finisher.say_conversion(&name);
        if std::mem::replace(&mut self.changes_said, true) {
            return;
        }
        if self.has_alpha_beside() {
            log::warn!("{name}: its alpha, which lies beside the pictures, is left out");
        }
        if self.is_ordered {
            log::warn!(
                "{name}: its chapters play parts of it, or of other files, in another order (ordered chapters): frames come as they \
                 lie in this file, and its chapters may not fit"
            );
        }
    }

    /// Whether its frames have no times but those that a rate gives them.
    pub fn takes_rate(&self) -> bool {
        !matches!(self.reader.sequence(), Some(Sequence::Script(_))) && demuxer::takes_rate(self.reader.demuxer())
    }

    /// Refuses what `options` asks of kinds of sources of which there is none among `inputs`.
    ///
    /// # Errors
    /// As it says.
    pub fn check_used<'a>(inputs: impl IntoIterator<Item = &'a Input>, options: &InputOptions) -> Result<()> {
        let mut takes = UsedOptions { rate: true, missing: false, script: false };
        for input in inputs {
            takes.missing |= matches!(input.reader.sequence(), Some(Sequence::Pictures(_)));
            takes.script |= matches!(input.reader.sequence(), Some(Sequence::Script(_)));
        }
        takes.check_kind(options, "no input is a")
    }

    /// The name it was opened by.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// The length of the whole source in seconds, where the container states one.
    pub fn duration(&self) -> Option<f64> {
        if let Some(sequence) = self.reader.sequence() {
            return sequence
                .time(sequence.count())
                .zip(self.info.timebase.value())
                .map(|(end, unit)| end as f64 * unit);
        }
        let duration = self.reader.demuxer().duration();
        (duration > 0).then(|| duration as f64 / f64::from(ffi::AV_TIME_BASE))
    }

    /// Frames that the decoder gave so far, whether they are inside the window or only lead there.
    pub fn frames_decoded(&self) -> u64 {
        self.reader.frames_decoded()
    }

    /// Frames of the whole source, once it has been read to its end, where that is the end of what is wanted of it.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// How the source is opened another time by reading less, if it can be.
    pub fn opening(&self) -> Option<Opening> {
        let is_file = self.reader.sequence().is_none();
        is_file.then(|| Opening::of(&self.path, self.rate, self.reader.cancel())).flatten()
    }

    /// Bytes that were read of the source's file so far.
    pub fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    /// How frames in GPU memory are stored: NVDEC decodes, and they are given as
    /// [`Item::DeviceFrame`](crate::pipeline::Item). `None` when they are in host memory. A few only may be held at a time.
    pub fn surfaces(&self) -> Option<Format> {
        self.finisher.surfaces()
    }

    /// Whether frames of `reach` can be kept around the window: NVDEC has room for a few.
    pub fn can_surround(&self, reach: Reach) -> bool {
        #[cfg(feature = "cuda")]
        if self.surfaces().is_some() && self.window.start.is_some() {
            return reach.before as usize <= hwaccel::LEAD;
        }
        let _ = reach;
        true
    }

    /// Decodes in software after all, from the start, because of `reason`: the chain does not run on the device, say.
    ///
    /// # Errors
    /// When NVDEC was asked for by name, the software decoder does not start, or a frame was taken already.
    pub fn decode_in_software(&mut self, reason: &str) -> Result<()> {
        if self.surfaces().is_none() {
            return Ok(());
        }
        self.decoder.without_nvdec(demuxer::name(&self.path), reason)?;
        self.first = None;
        self.reader.restart_in_software()?;
        let first = first_frame(&mut self.reader, self.codec).map_err(|e| e.context(demuxer::name(&self.path)))?;
        self.finisher = Finisher::new(&first, self.finisher.sar(), self.finisher.fits_changes())?;
        self.first = Some(first);
        Ok(())
    }

    /// Has swscale convert every frame, decoded in software, to `format`.
    ///
    /// # Errors
    /// When libav cannot convert it, or a frame was taken already.
    pub fn convert_to(&mut self, format: Format) -> Result<()> {
        if self.decoded > 0 {
            return Err(Error::internal("a conversion was asked for after the first frame"));
        }
        self.decode_in_software("its frames must be converted in host memory")?;
        self.finisher.convert_to(format).map_err(|e| e.context(demuxer::name(&self.path)))?;
        self.info.format = self.finisher.format();
        self.info.color = self.finisher.first().color;
        Ok(())
    }

    /// Has RGB become YCbCr by `matrix` (ITU-T H.273) in a later conversion, whatever it states.
    pub fn use_matrix(&mut self, matrix: u8) {
        self.finisher.use_matrix(matrix);
    }

    /// The format that frames are converted from, by libav's name; `None` when they are not.
    pub fn converted_from(&self) -> Option<&'static str> {
        self.finisher.is_converting().then(|| self.finisher.source_format())
    }

    /// Gives the copied streams `indices` as a decoder needs them: for a part of the source with what goes
    /// before it, and with [what of them is kept](super::CopiedPacket::kept). To be called before the first frame is taken.
    pub fn decode_beside(&mut self, indices: &[usize]) {
        for index in indices {
            self.stream_mut(*index).into_iter().for_each(|stream| stream.decoded = true);
        }
    }

    /// Has the copied streams `indices` begin before a part of the source, as far as their decoders need it, for an output that
    /// has what is before its start skipped. To be called before the first frame is taken.
    pub fn begin_early(&mut self, indices: &[usize]) {
        for index in indices {
            self.stream_mut(*index).into_iter().for_each(|stream| stream.skipped = true);
        }
    }

    /// What is known of a stream, the source's or an added one.
    fn stream_mut(&mut self, index: usize) -> Option<&mut Known> {
        let (reader, added) = (&mut self.reader, &mut self.added);
        reader.stream_mut(index).or_else(|| added.stream_mut(index))
    }

    /// Has `tracks` of the sound come `delay` microseconds later, or earlier: what is before the start of the film then is
    /// left out. To be called before the first frame is taken.
    ///
    /// # Errors
    /// When there is no such track.
    pub fn delay_sound(&mut self, tracks: &Tracks, delay: i64) -> Result<()> {
        request::check(tracks, &self.copied)?;
        let chosen = numbered(Media::Audio, &self.copied).filter(|(number, stream)| tracks.have(stream, *number));
        let indices: Vec<usize> = chosen.map(|(_, stream)| stream.index).collect();
        for index in indices {
            self.stream_mut(index).into_iter().for_each(|stream| stream.delay = delay);
        }
        Ok(())
    }

    /// Has the decoder put the frames that follow into `allocator`'s memory, where they are given as they are: from
    /// page-locked memory a device copies fastest. The few that it has begun stay where they are.
    pub fn decode_into(&mut self, allocator: Arc<dyn HostAllocator>) {
        self.reader.memory().use_allocator(allocator);
    }

    /// One line: container, codec, size, format, rate, range and colour (primaries, transfer, matrix).
    pub fn describe(&self) -> String {
        let (info, color) = (&self.info, &self.info.color);
        let rate = info.frame_rate.value().map(|rate| (rate * 1000.0).round() / 1000.0);
        let rate = rate.map_or_else(|| "rate not stated".to_owned(), |rate| format!("{rate} fps"));
        let range = match color.range {
            Range::Full => "full range",
            Range::Limited => "limited range",
            Range::Unspecified => "range not stated",
        };
        let (container, codec, format) = (&self.container.format, self.codec, self.finisher.source_format());
        let code_points = format!("{}/{}/{}", color.primaries, color.transfer, color.matrix);
        format!("{container}, {codec}, {}x{}, {format}, {rate}, {range}, colour {code_points}", info.width, info.height)
    }
}
