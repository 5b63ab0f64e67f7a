//! Opening an input, up to its first frame.

use super::around::ContextFrames;
use super::options::{InputOptions, UsedOptions};
use super::{Input, Phase, skip};
use crate::error::{Error, Result};
use crate::io::libav::decode::choice::DecoderChoice;
use crate::io::libav::decode::damage::Damage;
use crate::io::libav::decode::decoder::Decoder;
use crate::io::libav::decode::finish::Finisher;
use crate::io::libav::demux::chapters;
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::editions;
use crate::io::libav::demux::reader::Reader;
use crate::io::libav::demux::sequence::Sequence;
use crate::io::libav::demux::streams::{self, Container, CopiedStream};
use crate::io::libav::demux::trim::Trim;
use crate::io::libav::extra::added::{Added, FilmClock};
use crate::io::libav::format::hdr::{self, Hdr10};
use crate::io::libav::pictures::feed::PictureFeed;
use crate::io::libav::pictures::list::PictureList;
use crate::io::libav::script::feed::ScriptFeed;
use crate::video::{Grading, StreamInfo};
use ffmpeg_next::frame::Video;
use std::collections::VecDeque;
use std::ffi::OsStr;

/// The codec whose pictures hold light without a limit, which 16 bits would cut off at white.
const FLOATS: &str = "exr";

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
        let is_planned = options.planned && copied.is_empty() && options.add.is_empty();
        if is_planned && options.window.start.is_none() {
            reader.follow_wanted();
        }
        // Where decoding begins elsewhere, the first frame only says what the stream is.
        let lone = if options.place.is_some() { reader.lone_first_frame()? } else { None };
        let first = lone.map_or_else(|| first_frame(&mut reader, codec), Ok)?;
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
        let finisher = match options.alpha {
            true => Finisher::of_alpha(&first, stated.sar)?,
            false => Finisher::new(&first, stated.sar, fit_changes)?,
        };
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
            length: None,
            goes_on: false,
            changes_said: false,
            is_ordered,
            dynamic,
            place: options.place,
            is_planned,
            contents: options.contents,
        })
    }
}

/// The first frame of a video of `codec`.
pub fn first_frame(reader: &mut Reader, codec: &str) -> Result<Video> {
    reader.frame()?.ok_or_else(|| {
        let hint = demuxer::hint(reader.demuxer()).map(str::to_owned);
        let cause: String = reader.damage().into_iter().chain(hint).map(|reason| format!(": {reason}")).collect();
        Error::corrupt(format!("no frame of its video ({codec}) decodes{cause}"))
    })
}
