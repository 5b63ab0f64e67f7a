//! A decoder as a source of frames, with the packets of the streams that are copied past the chain.

#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::filters::Reach;
use crate::io::libav::decode::choice::DecoderChoice;
use crate::io::libav::decode::damage::Damage;
use crate::io::libav::decode::decoder::Decoder;
use crate::io::libav::decode::finish::Finisher;
use crate::io::libav::demux::chapters;
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::editions;
use crate::io::libav::demux::known::Known;
use crate::io::libav::demux::opening::Opening;
use crate::io::libav::demux::reader::{EntryPacket, HeaderContents, Reader};
use crate::io::libav::demux::sequence::Sequence;
use crate::io::libav::demux::streams::{self, Container, CopiedStream, CopyChoice, Media};
use crate::io::libav::demux::trim::{INTERLEAVING, Trim};
use crate::io::libav::extra::added::{Added, Addition, FilmClock};
use crate::io::libav::format::hdr::{self, Hdr10};
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel;
use crate::io::libav::mux::tags;
use crate::io::libav::pictures::feed::PictureFeed;
use crate::io::libav::pictures::list::{Missing, PictureList};
use crate::io::libav::recode::sound::request;
use crate::io::libav::script::ScriptOptions;
use crate::io::libav::script::feed::ScriptFeed;
use crate::io::libav::seek::window::{Side, Window};
use crate::io::libav::tracks::{Tracks, numbered};
use crate::pipeline::{Cancel, Item, Source};
use crate::video::{Format, Grading, HostAllocator, Range, Rational, StreamInfo};
use around::ContextFrames;
use ffmpeg::ffi;
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

mod around;
mod beside;
mod follow;
mod skip;

pub use follow::{EntryFrame, FrameList};

/// How an input is opened.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// The frames that are kept.
    pub window: Window,
    /// Stop with an error at the first damage, rather than go on with what decodes. Then everything before the window
    /// is decoded too.
    pub strict: bool,
    /// Which decoder.
    pub decoder: DecoderChoice,
    /// The device that filters, where NVDEC may leave frames. Without one, frames are decoded in software.
    #[cfg(feature = "cuda")]
    pub device: Option<Arc<CudaDevice>>,
    /// Threads of a software decoder; 0 is as many as there are cores.
    pub threads: usize,
    /// Stops a wait for the source.
    pub cancel: Cancel,
    /// Which other streams are copied.
    pub copy: CopyChoice,
    /// Files whose tracks are added to those.
    pub add: Vec<Addition>,
    /// The frame rate of pictures and of bare streams, which state none; 25 by default.
    pub rate: Option<Rational>,
    /// A source with times of its own keeps them; else it refuses a rate.
    pub rate_if_taken: bool,
    /// A source has no use for `missing` or `script`, and that is all right: [`Input::check_used`] asks whether another has.
    /// Else it refuses them.
    pub lenient: bool,
    /// What is done about numbers that a sequence of pictures leaves out.
    pub missing: Missing,
    /// Have frames of another format, size or range than the first become like it; else a change is an error.
    pub fit_changes: bool,
    /// What of a script is read.
    pub script: ScriptOptions,
    /// Where decoding begins for the window's first frame, if that is known: what lies before it is not read.
    pub place: Option<EntryPacket>,
    /// How little of the source has to be read to open it, if that is known.
    pub opening: Option<Opening>,
    /// What the packets of the window must be: else its end is an error.
    pub contents: Option<HeaderContents>,
    /// Packets are followed from the first on, for [`Input::list_frames`] and [`Input::leave_frames_out`].
    pub follow: bool,
}

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
    changes_said: bool,
    /// Its chapters say in which order to play its parts.
    is_ordered: bool,
    /// What the first frame says of its own brightness.
    dynamic: Vec<&'static str>,
    place: Option<EntryPacket>,
    contents: Option<HeaderContents>,
}

/// The codec whose pictures hold light without a limit, which 16 bits would cut off at white.
const FLOATS: &str = "exr";

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

/// Options that not every source has a use for: those that this one has.
struct UsedOptions {
    rate: bool,
    missing: bool,
    script: bool,
}

impl UsedOptions {
    /// Refuses the others, where they are asked for.
    fn check(&self, options: &InputOptions) -> Result<()> {
        if options.rate.is_some() && !options.rate_if_taken && !self.rate {
            let what = "its frames have times of their own: --fps is for pictures and for bare streams";
            return Err(Error::bad_argument(what));
        }
        if options.lenient { Ok(()) } else { self.check_kind(options, "it is no") }
    }

    /// Refuses those for kinds of sources, with a line that begins with `who`.
    fn check_kind(&self, options: &InputOptions, who: &str) -> Result<()> {
        let refused = if options.missing != Missing::default() && !self.missing {
            Some("numbered sequence of pictures: leave --missing out")
        } else if options.script != ScriptOptions::default() && !self.script {
            Some("VapourSynth script: leave --vpy-output and --vpy-arg out")
        } else {
            None
        };
        refused.map_or(Ok(()), |what| Err(Error::bad_argument(format!("{who} {what}"))))
    }
}

impl Input {
    /// Opens `path` (`-` is standard input) and decodes its first frame, so that what [`Input::info`] says is true.
    ///
    /// # Errors
    /// When the source cannot be read, is no video, or holds no frame that decodes; when the window is empty.
    pub fn open(path: &(impl AsRef<OsStr> + ?Sized), options: InputOptions) -> Result<Input> {
        let path = path.as_ref();
        options.window.validate()?;
        let list = PictureList::find(path, options.missing)?;
        let first = list.as_ref().and_then(|list| list.files().first()).map_or(path, |first| first.as_os_str());
        let script = ScriptFeed::open(path, &options.script)?;
        let demuxer = match &script {
            Some(script) => script.describe().map_err(|e| e.context(path.display()))?,
            None => match &options.opening {
                Some(opening) => opening.open(first, options.rate, &options.cancel)?,
                None => demuxer::open_at(first, options.rate, &options.cancel)?,
            },
        };
        let takes_rate = script.is_none() && demuxer::takes_rate(&demuxer);
        let takes = UsedOptions { rate: takes_rate, missing: list.is_some(), script: script.is_some() };
        takes.check(&options).map_err(|e| e.context(demuxer::name(path)))?;
        Self::start(path, demuxer, (list, script), options).map_err(|e| e.context(demuxer::name(path)))
    }

    fn start(
        path: &OsStr,
        demuxer: demuxer::Demuxer,
        (list, script): (Option<PictureList>, Option<ScriptFeed>),
        options: InputOptions,
    ) -> Result<Input> {
        let error = demuxer::error_at_end(&demuxer);
        let is_ordered = editions::is_ordered(&demuxer);
        let video = streams::best_video(&demuxer)?;
        let index = video.index();
        let codec = video.parameters().id().name();
        let mut container = Container::of(&demuxer, &video);
        let mut copied = CopiedStream::choose(&demuxer, index, options.copy);
        let means = DecoderChoice::means(demuxer::name(path), &options, video.parameters().id())?;
        let decoder = Decoder::open(&video, means, options.threads, Damage::new(options.strict))?;
        let mut stated = streams::Stated::of(&demuxer, &video);

        let mut reader = Reader::new(demuxer, index, decoder, &copied, options.cancel.clone());
        reader.expect_fault(error);
        let jumps = options.window.start.is_some() && !options.strict;
        if let Some(list) = list {
            let rate = options.rate.unwrap_or(stated.frame_rate);
            let pictures = PictureFeed::new(list, index, rate, stated.timebase, jumps);
            container.format = format!("{} pictures", pictures.count());
            stated.frames = Some(pictures.count() as u64);
            reader.read_sequence(Sequence::Pictures(pictures));
        }
        if let Some(mut script) = script {
            container.format = "VapourSynth script".to_owned();
            stated.frames = Some(script.count() as u64);
            script.will_jump(jumps);
            reader.read_sequence(Sequence::Script(script));
        }
        skip::prepare(&mut reader, path, &options);
        if options.follow || options.contents.is_some() {
            reader.note_contents();
        }
        let first = first_frame(&mut reader, codec)?;
        if let Some(Sequence::Script(script)) = reader.sequence() {
            stated.frame_rate = script.rate();
        }
        let film =
            FilmClock { start: demuxer::film_start(reader.demuxer()), origin: reader.origin(), strict: options.strict };
        let count = reader.demuxer().streams().len();
        let added = Added::open(&options.add, &mut copied, count, &film, &options.cancel)?;
        if let Some(reason) = reader.declined() {
            options.decoder.without_nvdec(demuxer::name(path), reason)?;
        }
        if codec == FLOATS {
            return Err(Error::unsupported(
                "holds floats, and filters read integers: make 16-bit png or tiff of it first",
            ));
        }
        // A sequence was to be of one kind.
        let fit_changes = options.fit_changes && !options.strict && reader.sequence().is_none();
        let finisher = Finisher::new(&first, stated.sar, fit_changes)?;
        let (width, height) = finisher.size();
        let props = finisher.first();
        chapters::cut(&mut container.chapters, &options.window, reader.origin(), stated.frame_rate);
        let dynamic = hdr::dynamic(&props.side_data);
        // Transport streams and many others leave HDR metadata to the frames.
        hdr::promote(&mut container.video.side_data, &props.side_data);
        let (mastering, light) = Hdr10::of(&container.video.side_data).coded();
        let info = StreamInfo {
            format: finisher.format(),
            width,
            height,
            timebase: stated.timebase,
            frame_rate: stated.frame_rate,
            frame_count: stated.frames.and_then(|total| options.window.count(total)),
            color: props.color,
            sar: props.sar,
            field_order: props.field_order,
            grading: Grading { mastering, light },
        };
        let origin = reader.origin();
        Ok(Input {
            path: path.to_owned(),
            rate: options.rate,
            reader,
            finisher,
            codec,
            info,
            container,
            copied,
            added,
            decoder: options.decoder,
            window: options.window,
            trim: Trim::new(options.window.is_whole(), origin),
            around: ContextFrames::default(),
            phase: Phase::Frames,
            time: 0,
            decoded: 0,
            kept: 0,
            shift: 0,
            first: Some(first),
            ready: VecDeque::new(),
            changes_said: false,
            is_ordered,
            dynamic,
            place: options.place,
            contents: options.contents,
        })
    }

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
            _ if self.finisher.drops_alpha() => Some(self.finisher.source_format()),
            true => Some(tags::ALPHA_MODE),
            false => None,
        }
    }

    /// Whether packets hold alpha beside the pictures, as WebM's do.
    fn has_alpha_beside(&self) -> bool {
        let says = |(key, value): &(String, String)| key.eq_ignore_ascii_case(tags::ALPHA_MODE) && value == "1";
        self.container.video.metadata.iter().any(says)
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

    /// Decodes one frame and makes ready what it gives.
    fn next_frame(&mut self) -> Result<()> {
        let frame = match self.first.take() {
            Some(first) => {
                self.reader.settle();
                match self.place.take() {
                    Some(place) => self.go_to(&place)?,
                    None => self.skip(first)?,
                }
            }
            None => self.reader.frame()?,
        };
        self.hand_on();
        let Some(frame) = frame else {
            self.trim.finish(&mut self.ready);
            self.warn_of_early_end();
            return self.end(if self.added.is_empty() { Phase::Over } else { Phase::Added });
        };
        let index = self.decoded;
        self.decoded += 1;
        self.time = self.reader.frame_time(&frame).unwrap_or(self.time);
        let side = self.around.side(self.window.side(index, self.time, self.kept));
        self.add_until(self.time)?;
        self.trim.frame(self.time, side, &mut self.ready);
        match side {
            Side::Before => {
                self.around.before(frame, index);
                Ok(())
            }
            Side::Inside => self.keep(frame, index),
            Side::After => self.follow(frame, index),
        }
    }

    /// Hands on the packets of copied streams that were met.
    fn hand_on(&mut self) {
        while let Some((span, packet)) = self.reader.met() {
            self.trim.packet(span, packet, &mut self.ready);
        }
    }

    fn keep(&mut self, frame: Video, index: u64) -> Result<()> {
        self.kept += 1;
        self.around.inside(frame, index);
        // Without copied streams, or frames that are read after the last, nobody needs to know where the next one begins.
        if self.copied.is_empty() && self.around.ends_at_once() && self.window.frames == Some(self.kept) {
            self.phase = Phase::Over;
        }
        Ok(())
    }

    /// Hands `frame`, which comes after the window, on where it is read for those inside.
    fn follow(&mut self, frame: Video, index: u64) -> Result<()> {
        self.add_until(self.time.saturating_add(INTERLEAVING))?;
        if self.kept == 0 || !self.around.after(frame, index) {
            return self.end(if self.copied.is_empty() { Phase::Over } else { Phase::Packets });
        }
        Ok(())
    }

    /// The next frame to give.
    fn finished(&mut self) -> Result<Option<Item>> {
        let Some(around::Numbered { frame, index, context }) = self.around.next() else { return Ok(None) };
        let mut item = self.finisher.frame(frame, index).map_err(|e| self.of_picture(e, index))?;
        let props = match &mut item {
            Item::Frame(frame) => &mut frame.props,
            #[cfg(feature = "cuda")]
            Item::DeviceFrame(frame) => &mut frame.props,
            Item::Packet(_) => return Ok(Some(item)),
        };
        props.context = context;
        props.pts = props.pts.map(|pts| pts.saturating_add(self.shift));
        Ok(Some(item))
    }

    /// Says that the source has fewer frames than were asked for.
    fn warn_of_early_end(&self) {
        let fewer = self.window.frames.filter(|asked| (1..*asked).contains(&self.kept));
        if let Some(asked) = fewer {
            log::warn!("the source ends after {} of the {asked} frames that --frames asks for", self.kept);
        }
    }

    /// `error`, with the file of picture `index` where there is one.
    fn of_picture(&self, error: Error, index: u64) -> Error {
        match self.reader.sequence().and_then(|sequence| sequence.file(index)) {
            Some(file) => error.context(file.display()),
            None => error,
        }
    }

    /// Refuses a window whose packets are others than was said.
    fn check_contents(&mut self) -> Result<()> {
        let Some(HeaderContents { span, hash }) = self.contents.take() else { return Ok(()) };
        match self.reader.contents().is_some_and(|packets| packets.of(span) == hash) {
            true => Ok(()),
            false => Err(Error::corrupt("its pictures are others than those the plan was made of")),
        }
    }

    /// Leaves the frames behind.
    fn end(&mut self, phase: Phase) -> Result<()> {
        self.phase = phase;
        if self.kept > 0 {
            return Ok(());
        }
        let (frames, end) = (self.decoded, self.time as f64 / 1e6);
        Err(Error::bad_argument(format!(
            "no frame lies where --start, --end or --preview ask: looked at {frames} frames up to {end:.3} s"
        )))
    }

    /// Reads one packet past the window's last frame.
    fn next_packet(&mut self) -> Result<()> {
        let Some(packet) = self.reader.packet()? else {
            self.phase = Phase::Over;
            return Ok(());
        };
        let is_copied = self.reader.is_copied(&packet);
        let (span, packet) = self.reader.shown(packet);
        if self.trim.is_past(span) {
            self.phase = Phase::Over;
        } else if is_copied {
            self.trim.packet(span, packet, &mut self.ready);
        }
        Ok(())
    }
}

impl Source for Input {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        self.say_changes();
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if let Some(item) = self.finished().map_err(|e| e.context(demuxer::name(&self.path)))? {
                return Ok(Some(item));
            }
            match self.phase {
                Phase::Frames => self.next_frame(),
                Phase::Packets => self.next_packet(),
                Phase::Added => self.next_added(),
                Phase::Following => self.pass_frame(),
                Phase::Over => {
                    return self.check_contents().map(|()| None).map_err(|e| e.context(demuxer::name(&self.path)));
                }
            }
            .map_err(|e| e.context(demuxer::name(&self.path)))?;
        }
    }

    fn surround(&mut self, reach: Reach) -> Result<()> {
        if !self.can_surround(reach) {
            let before = reach.before;
            let lines =
                format!("the chain reads {before} frames before each, more than NVDEC keeps: add --decoder software");
            return Err(Error::unsupported(lines).context(demuxer::name(&self.path)));
        }
        self.around = ContextFrames::new(reach);
        if let Some(index) = self.reader.index() {
            index.lead_by(reach.before);
        }
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn most_waiting(&self) -> usize {
        if self.surfaces().is_some() { hwaccel::WAITING } else { usize::MAX }
    }

    fn damage(&self) -> Option<Error> {
        let own = self.reader.damage().map(|e| e.context(demuxer::name(&self.path)));
        own.or_else(|| self.added.damage())
    }
}

/// The first frame of a video of `codec`.
fn first_frame(reader: &mut Reader, codec: &str) -> Result<Video> {
    reader.frame()?.ok_or_else(|| {
        let known = reader.damage().map(|report| report.to_string());
        let hint = demuxer::hint(reader.demuxer()).map(str::to_owned);
        let cause: String = known.into_iter().chain(hint).map(|reason| format!(": {reason}")).collect();
        Error::corrupt(format!("no frame of its video ({codec}) decodes{cause}"))
    })
}
