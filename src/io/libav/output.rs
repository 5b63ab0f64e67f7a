//! The end of a run: frames are encoded, packets of other streams are copied or coded anew, and a whole file takes its name.

use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::streams::{Container, CopiedPacket, CopiedStream, Media};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::{Encoder, Received};
use crate::io::libav::encode::fallback;
use crate::io::libav::encode::settings;
use crate::io::libav::encode::setup::{EncoderContext, EncoderJob};
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::init;
use crate::io::libav::mux::context::Context;
use crate::io::libav::mux::header::{self, HeaderContents};
use crate::io::libav::mux::muxer::Muxer;
use crate::io::libav::mux::start::Start;
use crate::io::libav::mux::stream_copy::{self, StreamCopy};
use crate::io::libav::mux::warnings;
use crate::io::libav::options::{OutputOptions, Timestamps};
use crate::io::libav::parts::read_back;
use crate::io::libav::recode::{Recode, Treatments};
use crate::io::{Outlet, TempFile};
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::{Frame, Packet, Sink};
use crate::video::{FrameProps, Rational, StreamInfo};
use std::ffi::OsStr;

/// So many packets of the video wait for the first of the sound: more than lie between them in any sane file.
const MOST_WAITING: usize = 64;

/// And so many for sound that is being encoded: more than its filters and encoders hold back.
const MOST_ENCODING: usize = 512;

/// A file being encoded. It has its final name only after [`Sink::finish`]; dropped before, it leaves nothing.
pub struct Output {
    path: String,
    choice: EncoderChoice,
    options: OutputOptions,
    info: StreamInfo,
    container: Container,
    encoder: Encoder,
    copies: Vec<StreamCopy>,
    treatments: Treatments,
    /// Packets from before the header, which waits for the first of the video and of all sound, with the source's index of their
    /// stream.
    waiting: Vec<(usize, ffmpeg_next::Packet)>,
    encoded: Vec<ffmpeg_next::Packet>,
    muxer: Option<Muxer>,
    times: FrameTimes,
    losses: warnings::OfFrames,
    bytes: u64,
    /// The times of a film whose video was encoded in parts; the encoder gets no frame then.
    joined: Option<Vec<i64>>,
    // Last, so that libav closes the file before it is removed.
    file: TempFile,
}

impl Output {
    /// Opens an output of `info`'s frames at `path` (`-` is standard output), with `choice` from
    /// [`choose_encoder`](super::choose_encoder). `container` and `copied` are what else goes in: what the chosen
    /// container cannot hold is reported here, one warning each, and left out.
    ///
    /// # Errors
    /// When the file exists and may not be replaced, is the input, or cannot be written; when an option is unknown;
    /// when the encoder or the container refuses; when the colours would be wrong.
    pub fn create(
        path: &(impl AsRef<OsStr> + ?Sized),
        choice: EncoderChoice,
        options: &OutputOptions,
        info: &StreamInfo,
        container: &Container,
        copied: &[CopiedStream],
    ) -> Result<Output> {
        let path = path.as_ref();
        check(path, &choice, options, container)?;
        let file = TempFile::create(path, options.overwrite, &options.cancel)?;
        let side_data = &container.video.side_data;
        let (choice, encoder) = fallback::open(EncoderJob { choice: &choice, options, info, side_data })?;
        let mut output = Output {
            path: if path == "-" { "standard output".to_owned() } else { path.display().to_string() },
            choice,
            options: options.clone(),
            info: info.clone(),
            container: container.clone(),
            encoder,
            copies: Vec::new(),
            treatments: Treatments::default(),
            waiting: Vec::new(),
            encoded: Vec::new(),
            muxer: None,
            times: FrameTimes::new(info),
            losses: warnings::OfFrames::default(),
            bytes: 0,
            joined: None,
            file,
        };
        header::rehearse(&output.contents(Start::default()))?;
        let treatments = Treatments::choose(output.contents(Start::default()), copied)?;
        output.copies = stream_copy::admit(output.contents(Start::default()), copied, &treatments);
        output.treatments = treatments;
        warnings::report(output.contents(Start::default()));
        Ok(output)
    }

    /// The encoder: another than the chosen, where that one did not take such pictures.
    pub fn choice(&self) -> &EncoderChoice {
        &self.choice
    }

    /// The source's streams that are decoded here ([`Input::decode_beside`](super::Input::decode_beside)).
    pub fn decoded_streams(&self) -> Vec<usize> {
        self.treatments.needed_whole().collect()
    }

    /// The source's streams of which readers skip what is before the start: copied sound in a container that says so
    /// ([`Input::begin_early`](super::Input::begin_early)).
    pub fn skipped_streams(&self) -> Vec<usize> {
        let begins_at_zero = self.options.timestamps == Timestamps::Zero;
        let seekable = matches!(self.file.outlet(), Outlet::File(_));
        let skipped =
            self.copies.iter().filter(|copy| begins_at_zero && seekable && copy.is_skipped(self.choice.container()));
        skipped.map(|copy| copy.index).collect()
    }

    /// The encoder, which is open.
    pub(in crate::io::libav) fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The unit of the frames' times.
    pub(in crate::io::libav) fn timebase(&self) -> Rational {
        self.info.timebase
    }

    /// From now on the video's packets come from elsewhere, by [`Output::take_encoded`]; their frames are shown at `times`.
    pub(in crate::io::libav) fn join(&mut self, times: Vec<i64>) {
        self.times.first = times.first().copied();
        self.joined = Some(times);
    }

    /// Writes a packet of the video, its times in the source's timebase, or keeps it until there is a header.
    pub(in crate::io::libav) fn take_encoded(&mut self, packet: ffmpeg_next::Packet) -> Result<()> {
        match &mut self.muxer {
            Some(muxer) => muxer.video(packet)?,
            None => self.encoded.push(packet),
        }
        self.begin_when_known()
    }

    fn contents(&self, start: Start) -> HeaderContents<'_> {
        HeaderContents {
            choice: &self.choice,
            options: &self.options,
            info: &self.info,
            encoder: &self.encoder,
            container: &self.container,
            copies: &self.copies,
            offset: start.offset,
            seekable: matches!(self.file.outlet(), Outlet::File(_)),
            negative_times: start.negative_times,
        }
    }

    /// Writes the packets the encoder has ready.
    fn drain(&mut self) -> Result<()> {
        while let Received::Packet(packet) = self.encoder.receive()? {
            if self.options.cancel.is_requested() {
                return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
            }
            match &mut self.muxer {
                Some(muxer) => muxer.video(packet)?,
                None => self.encoded.push(packet),
            }
        }
        self.begin_when_known()
    }

    /// Writes the header once there are packets enough to know what is in it.
    fn begin_when_known(&mut self) -> Result<()> {
        if self.muxer.is_none() && self.knows_start() {
            self.begin()?;
        }
        self.bytes = self.muxer.as_ref().map_or(0, Muxer::bytes);
        Ok(())
    }

    /// Writes packets of streams that are not the video, or keeps them until there is a header.
    fn pass(&mut self, packets: Vec<(usize, ffmpeg_next::Packet)>) -> Result<()> {
        let Some(muxer) = &mut self.muxer else {
            self.waiting.extend(packets);
            return Ok(());
        };
        for (stream, packet) in packets {
            muxer.copied(stream, packet)?;
        }
        self.bytes = muxer.bytes();
        Ok(())
    }

    /// Whether there are packets enough to know how the output starts.
    fn knows_start(&self) -> bool {
        let sound = || self.copies.iter().filter(|copy| copy.media == Media::Audio);
        let met = |copy: &StreamCopy| self.waiting.iter().any(|(stream, _)| *stream == copy.index);
        let is_pending = |copy: &StreamCopy| self.treatments.recoder(copy.index).is_some_and(Recode::is_pending);
        let most = if sound().any(is_pending) { MOST_ENCODING } else { MOST_WAITING };
        let waited = self.encoded.len() > most;
        !self.encoded.is_empty() && (waited || sound().all(met))
    }

    /// Writes the header and what waited for it.
    fn begin(&mut self) -> Result<()> {
        let encoded = std::mem::take(&mut self.encoded);
        let Some(first) = encoded.first() else { return Ok(()) };
        let offset = match self.options.timestamps {
            Timestamps::Keep => 0,
            Timestamps::Zero => self.times.first.unwrap_or(0),
        };
        let waiting = std::mem::take(&mut self.waiting);
        let unit = self.info.timebase;
        stream_copy::complete(&mut self.copies, &waiting, self.choice.container(), |to| rescale(offset, unit, to));

        let start = Start::of(&self.contents(Start { offset, ..Start::default() }), first, &waiting);
        let mut muxer = Muxer::begin(&self.contents(start), &self.file, &self.path)?;
        for (stream, packet) in waiting {
            muxer.copied(stream, packet)?;
        }
        for packet in encoded {
            muxer.video(packet)?;
        }
        self.muxer = Some(muxer);
        Ok(())
    }
}

impl Sink for Output {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.losses.report(&frame.props.side_data, self.choice.encoder());
        let pts = self.times.next(&frame.props);
        self.encoder.send(frame, pts)?;
        self.drain()
    }

    #[cfg(feature = "cuda")]
    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        self.losses.report(&frame.props.side_data, self.choice.encoder());
        let pts = self.times.next(&frame.props);
        self.encoder.send_surface(frame, pts)?;
        self.drain()
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        let Ok(packet) = packet.0.downcast::<CopiedPacket>() else {
            return Err(Error::internal("a packet that is not libav's came to a libav output"));
        };
        let mut ready = self.treatments.packet(*packet)?;
        let container = self.choice.container();
        ready.retain(|(stream, packet)| {
            let copy = self.copies.iter_mut().find(|copy| copy.index == *stream);
            !copy.is_some_and(|copy| copy.is_hidden(packet, container))
        });
        self.pass(ready)
    }

    fn finish(&mut self) -> Result<()> {
        let rest = self.treatments.finish()?;
        self.pass(rest)?;
        if self.joined.is_none() {
            self.encoder.end()?;
            self.drain()?;
        }
        if self.muxer.is_none() {
            self.begin()?;
        }
        let Some(muxer) = self.muxer.take() else {
            return Err(Error::bad_argument(format!("{}: there is no frame to write", self.path)));
        };
        self.bytes = muxer.finish()?;
        if let (Some(times), Outlet::File(path)) = (&self.joined, self.file.outlet()) {
            read_back::check(path, times, self.info.timebase, &self.options.cancel)?;
        }
        self.file.commit()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn damage(&self) -> Option<Error> {
        self.treatments.damage()
    }
}

/// Refuses what can be seen to be wrong before anything is made.
///
/// # Errors
/// When an option is unknown, the output is the input, or the colours would be wrong.
pub(super) fn check(
    path: &OsStr,
    choice: &EncoderChoice,
    options: &OutputOptions,
    container: &Container,
) -> Result<()> {
    init();
    check_options(choice, options)?;
    if let Some(input) = &options.input {
        crate::io::refuse_input(path, input)?;
    }
    if !options.ignore_dolby_vision {
        warnings::refuse_wrong_colours(&container.video.side_data)?;
    }
    Ok(())
}

/// The frames' times: those the source states, or the ones that must be meant.
pub(in crate::io::libav) struct FrameTimes {
    first: Option<i64>,
    last: Option<i64>,
    /// How long a frame lasts that does not say.
    nominal: i64,
    last_duration: i64,
    reported: bool,
}

impl FrameTimes {
    /// The times of the frames of a stream.
    pub(in crate::io::libav) fn new(info: &StreamInfo) -> FrameTimes {
        let rate = info.frame_rate;
        let nominal = match rate.value() {
            Some(_) => rescale(1, Rational::new(rate.den, rate.num), info.timebase).max(1),
            None => 1,
        };
        FrameTimes { first: None, last: None, nominal, last_duration: 0, reported: false }
    }

    /// When the next frame is shown: after the last one, whatever a damaged source says.
    pub(in crate::io::libav) fn next(&mut self, props: &FrameProps) -> i64 {
        let expected = self.end();
        let mut pts = props.pts.unwrap_or(expected);
        if let Some(last) = self.last
            && pts <= last
        {
            if !std::mem::replace(&mut self.reported, true) {
                log::warn!("frame {} is not shown after the one before it: its time is moved", props.frame_index);
            }
            pts = last + 1;
        }
        self.first.get_or_insert(pts);
        self.last = Some(pts);
        self.last_duration = props.duration;
        pts
    }

    /// When the last frame ends.
    fn end(&self) -> i64 {
        let step = if self.last_duration > 0 { self.last_duration } else { self.nominal };
        self.last.map_or(0, |last| last + step)
    }

    /// From the first frame to the end of the last.
    pub(super) fn length(&self) -> i64 {
        self.end() - self.first.unwrap_or(0)
    }
}

/// Every option the user names must be the encoder's or the container's.
pub(super) fn check_options(choice: &EncoderChoice, options: &OutputOptions) -> Result<()> {
    let encoder = EncoderContext::new(choice)?;
    let container = Context::new(choice.container)?;
    let places = [encoder.settings(choice.encoder()), container.settings(choice.container())];
    options.options.iter().try_for_each(|(key, _)| settings::check(&places, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::Format;

    #[test]
    fn times_go_forward() {
        let info = StreamInfo { timebase: Rational::new(1, 1000), ..StreamInfo::bare(Format::gray(8).unwrap(), 1, 1) };
        let mut times = FrameTimes::new(&info);
        let frames = [(None, 0), (Some(40), 0), (None, 50), (None, 0), (Some(100), 0), (Some(500), 0)];
        let shown = frames.map(|(pts, duration)| times.next(&FrameProps { pts, duration, ..FrameProps::default() }));
        assert_eq!(shown, [0, 40, 80, 130, 131, 500]);
        assert_eq!((times.first, times.length()), (Some(0), 540));
    }
}
