//! An open libav encoder: frames in, packets out.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::memory_need;
use crate::io::libav::encode::setup::{self, EncoderContext, EncoderJob, refusal};
use crate::io::libav::encode::timebase::{EncoderClock, Timing, rescale};
use crate::io::libav::encode::upload::Uploads;
use crate::io::libav::format::wrap::BorrowedFrame;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel::EncoderSurfaces;
use crate::io::libav::logging;
use crate::io::libav::mux::capacity;
use crate::io::libav::passes::{EncodePass, StatisticsText};
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::Frame;
use crate::video::{FrameProps, Picture, Range, Rational, StreamInfo};
use ffmpeg_next::error::EAGAIN;
use ffmpeg_next::ffi::{self, AVCodecContext, AVCodecID, AVFrame, AVPixelFormat};
use ffmpeg_next::packet::Mut;
use std::collections::HashMap;
use std::ptr;

/// Containers that hold one frame rate and no times.
const CONSTANT_RATE: [&str; 7] = ["avi", "dv", "mxf", "mxf_d10", "mxf_opatom", "gxf", "swf"];

/// Words in the refusal of an encoder that keeps a frame rate.
const TIME_WORDS: [&str; 5] = ["timebase", "time base", "framerate", "frame rate", "fps"];

/// An open encoder.
pub(in crate::io::libav) struct Encoder {
    context: EncoderContext,
    name: &'static str,
    pixel_format: AVPixelFormat,
    /// Frames are in GPU memory.
    #[cfg(feature = "cuda")]
    surfaces: Option<EncoderSurfaces>,
    /// Frames of the host are copied to the encoder's device.
    uploads: Option<Uploads>,
    clock: EncoderClock,
    info: StreamInfo,
    /// Durations of the frames inside, by tick: encoders drop them.
    durations: HashMap<i64, i64>,
    /// Whether the user knows that the output holds no times.
    times_lost: bool,
    /// Which pass of two this is, and what the first learnt: behind the context, which points at it.
    pass: Option<EncodePass>,
    _learnt: Option<StatisticsText>,
    /// Whether it got a frame, and whether it got the end.
    fed: bool,
    ended: bool,
}

impl Drop for Encoder {
    /// SVT-AV1 closes only after a frame and an end: without the one it waits for ever, without the other it complains.
    fn drop(&mut self) {
        if self.name != "libsvtav1" || self.ended {
            return;
        }
        if !self.fed
            && let Ok(picture) = Picture::alloc(self.info.format, self.info.width, self.info.height)
        {
            let _ = self.send(Frame { props: FrameProps::default(), picture }, 0);
        }
        let _ = self.end();
    }
}

/// What an encoder gives.
pub(in crate::io::libav) enum Received {
    /// A packet, its times in the source's timebase.
    Packet(ffmpeg_next::Packet),
    /// Nothing until it gets more.
    Hungry,
    /// Nothing any more.
    End,
}

impl Encoder {
    /// Opens the encoder that `job` chose. An encoder that refuses the source's timebase gets one tick a frame.
    ///
    /// # Errors
    /// When an option is wrong or the encoder refuses, with the reason it logs; when there is no memory for it.
    pub(in crate::io::libav) fn open(job: EncoderJob<'_>) -> Result<Encoder> {
        memory_need::check(job)?;
        let timing = timing(job.choice);
        match Self::open_in(job, timing) {
            Err(refusal) if timing == Timing::Free && is_about_time(&refusal) => {
                Self::open_in(job, Timing::Constant).map_err(|_| refusal)
            }
            result => result,
        }
    }

    fn open_in(job: EncoderJob<'_>, timing: Timing) -> Result<Encoder> {
        let EncoderJob { choice, info, .. } = job;
        let name = choice.encoder();
        let clock = EncoderClock::new(timing, info.timebase, info.frame_rate);
        let pixel_format = choice.pixel_format(info.format, info.color.range == Range::Full)?;
        let context = EncoderContext::new(choice)?;
        context.describe(job, pixel_format, clock.unit())?;
        #[cfg(feature = "cuda")]
        let surfaces = surfaces(job, pixel_format, &context)?;
        #[cfg(feature = "cuda")]
        let is_host = surfaces.is_none();
        #[cfg(not(feature = "cuda"))]
        let is_host = true;
        let uploads = if is_host { Uploads::open(choice, info, pixel_format)? } else { None };
        if let Some(uploads) = &uploads {
            // SAFETY: the context is ours and not open yet.
            unsafe { uploads.serve(context.as_ptr()) }?;
        }
        setup::configure(context.settings(name), job)?;
        let learnt = match &job.options.pass {
            // SAFETY: the context is ours, not open yet, and goes before the text that the encoder keeps.
            Some(pass) => unsafe { pass.enter(name, context.settings(name), context.as_ptr()) }?,
            None => None,
        };
        let heard = context.open(choice, info)?;
        let encoder = Encoder {
            context,
            name,
            pixel_format,
            #[cfg(feature = "cuda")]
            surfaces,
            uploads,
            clock,
            info: info.clone(),
            durations: HashMap::new(),
            times_lost: false,
            pass: job.options.pass.clone(),
            _learnt: learnt,
            fed: false,
            ended: false,
        };
        setup::check_parameters(name, heard.warnings())?;
        Ok(encoder)
    }

    /// The encoder's context, for what a muxer reads from it.
    pub(in crate::io::libav) fn context(&self) -> *const AVCodecContext {
        self.context.as_ptr()
    }

    /// The unit of time of a container that has to keep this encoder's timing.
    pub(in crate::io::libav) fn unit(&self) -> Rational {
        self.clock.unit()
    }

    /// Has a clock that keeps a frame rate count from `origin` in the source's timebase, before the first frame.
    pub(in crate::io::libav) fn count_from(&mut self, origin: i64) {
        self.clock.count_from(origin);
    }

    /// Sends a frame shown at `pts` in the source's timebase.
    ///
    /// # Errors
    /// When its time does not fit the encoder's timing, or the encoder fails.
    pub(in crate::io::libav) fn send(&mut self, frame: Frame, pts: i64) -> Result<()> {
        #[cfg(feature = "cuda")]
        if self.surfaces.is_some() {
            return Err(Error::internal("an encoder that reads GPU memory was given a frame of the host"));
        }
        let tick = self.tick(&frame.props, pts)?;
        let index = frame.props.frame_index;
        let borrowed = BorrowedFrame::new(frame, &self.info, self.pixel_format, tick)?;
        self.give_frame(index, &borrowed)
    }

    /// Sends a frame in GPU memory, as [`Encoder::send`] does one of the host.
    ///
    /// # Errors
    /// As [`Encoder::send`].
    #[cfg(feature = "cuda")]
    pub(in crate::io::libav) fn send_surface(&mut self, frame: DeviceFrame, pts: i64) -> Result<()> {
        let tick = self.tick(&frame.props, pts)?;
        let index = frame.props.frame_index;
        let host = || Error::internal("an encoder that reads host memory was given a frame in GPU memory");
        let surfaces = self.surfaces.as_ref().ok_or_else(host)?;
        let borrowed = BorrowedFrame::of_surface(frame, &self.info, surfaces, tick)?;
        self.give_frame(index, &borrowed)
    }

    /// The encoder's time of a frame shown at `pts`.
    fn tick(&mut self, props: &FrameProps, pts: i64) -> Result<i64> {
        let (index, duration) = (props.frame_index, props.duration);
        let (tick, exact) = self.clock.tick(pts);
        if !exact {
            self.off_beat(index, pts)?;
        }
        if duration > 0 {
            self.durations.insert(tick, duration);
        }
        Ok(tick)
    }

    fn give_frame(&mut self, index: u64, borrowed: &BorrowedFrame) -> Result<()> {
        self.fed = true;
        let given = match &self.uploads {
            Some(uploads) => uploads.copy(borrowed).and_then(|copy| {
                // SAFETY: the copy lives until the encoder has its reference.
                self.give(unsafe { copy.as_ptr() })
            }),
            None => self.give(borrowed.as_ptr()),
        };
        given.map_err(|e| e.context(format!("frame {index}")))
    }

    /// Signals the encoder that no frame follows.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(in crate::io::libav) fn end(&mut self) -> Result<()> {
        self.ended = true;
        self.give(ptr::null())
    }

    fn give(&self, frame: *const AVFrame) -> Result<()> {
        // SAFETY: the context is open; the frame is null or alive, and the encoder takes references of its own.
        let (code, heard) = logging::listen(|| unsafe { ffi::avcodec_send_frame(self.context.as_ptr(), frame) });
        if code < 0 { Err(refusal(self.name, code, &heard)) } else { Ok(()) }
    }

    /// The next packet.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(in crate::io::libav) fn receive(&mut self) -> Result<Received> {
        let mut packet = ffmpeg_next::Packet::empty();
        let context = self.context.as_ptr();
        // SAFETY: the context is open and the packet is ours.
        let (code, heard) = logging::listen(|| unsafe { ffi::avcodec_receive_packet(context, packet.as_mut_ptr()) });
        if let (0.. | ffi::AVERROR_EOF, Some(pass)) = (code, &self.pass) {
            // SAFETY: the context is open.
            unsafe { pass.gather(context) };
        }
        match code {
            0.. => {
                self.stamp(&mut packet);
                Ok(Received::Packet(packet))
            }
            ffi::AVERROR_EOF => Ok(Received::End),
            _ if code == -EAGAIN => Ok(Received::Hungry),
            _ => Err(refusal(self.name, code, &heard)),
        }
    }

    /// Turns a packet's ticks into the source's times, and gives it its frame's duration.
    fn stamp(&mut self, packet: &mut ffmpeg_next::Packet) {
        let duration = packet.pts().and_then(|tick| self.durations.remove(&tick));
        packet.set_duration(duration.unwrap_or_else(|| self.nominal_duration()));
        let time = |tick: i64| self.clock.time(tick);
        packet.set_pts(packet.pts().map(time));
        packet.set_dts(packet.dts().map(time));
    }

    fn nominal_duration(&self) -> i64 {
        let rate = self.info.frame_rate;
        match rate.value() {
            Some(_) => rescale(1, Rational::new(rate.den, rate.num), self.info.timebase),
            None => 0,
        }
    }

    /// A frame lies where this encoder or container cannot put it.
    fn off_beat(&mut self, index: u64, pts: i64) -> Result<()> {
        let seconds = self.info.timebase.value().map_or(0.0, |unit| pts as f64 * unit);
        let rate = self.info.frame_rate;
        if self.clock.timing() != Timing::Untimed {
            return Err(Error::unsupported(format!(
                "frame {index} at {seconds:.3} s is off the beat of {rate} frames a second, and {} in this container \
                 keeps no other times: use mkv or mp4, or another encoder",
                self.name
            )));
        }
        if !std::mem::replace(&mut self.times_lost, true) {
            log::warn!("the output holds no times: its frames follow each other at {rate} frames a second");
        }
        Ok(())
    }
}

/// Has the encoder read GPU memory, if the frames are there.
#[cfg(feature = "cuda")]
fn surfaces(job: EncoderJob<'_>, storage: AVPixelFormat, context: &EncoderContext) -> Result<Option<EncoderSurfaces>> {
    let Some(device) = &job.options.device else { return Ok(None) };
    let EncoderJob { choice, info, .. } = job;
    if !choice.accepted_on_device().contains(&info.format) {
        return Err(Error::unsupported(format!("{} does not read {} in GPU memory", choice.encoder(), info.format)));
    }
    let surfaces = EncoderSurfaces::new(device, info, storage)?;
    // SAFETY: the context is ours and not open yet.
    unsafe { surfaces.serve(context.as_ptr()) }?;
    Ok(Some(surfaces))
}

/// Whether an encoder refused because of its unit of time.
fn is_about_time(refusal: &Error) -> bool {
    let reason = refusal.message().to_lowercase();
    refusal.kind() == Kind::Unsupported && TIME_WORDS.iter().any(|word| reason.contains(word))
}

/// How strictly the container and the encoder together keep time.
fn timing(choice: &EncoderChoice) -> Timing {
    if CONSTANT_RATE.contains(&choice.container()) {
        Timing::Constant
    } else if capacity::is_untimed(choice.container) {
        Timing::Untimed
    } else if choice.codec.id == AVCodecID::AV_CODEC_ID_THEORA {
        // Its packets are numbered, not timed.
        Timing::Constant
    } else {
        Timing::Free
    }
}
