//! An open libav encoder: frames in, packets out.

use crate::error::{Error, Kind, Result};
use crate::io::libav::choose::EncoderChoice;
use crate::io::libav::clock::{Clock, Rhythm};
use crate::io::libav::color::ColorFields;
use crate::io::libav::hdr::{self, Hdr10};
use crate::io::libav::lend::LentFrame;
use crate::io::libav::messages;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::settings::Settings;
use crate::pipeline::Frame;
use crate::video::{FieldOrder, Range, Rational, SideData, StreamInfo};
use ffmpeg_next::error::EAGAIN;
use ffmpeg_next::ffi::{self, AVCodecContext, AVCodecID, AVFieldOrder, AVPixelFormat, AVRational};
use ffmpeg_next::packet::Mut;
use std::collections::HashMap;
use std::ptr::{self, NonNull, addr_of_mut};

/// Constant quality for codecs whose default is a bit rate no one wants, on their own scale. Theora's goes up to 10.
const DEFAULT_QUALITY: [(AVCodecID, i32); 8] = [
    (AVCodecID::AV_CODEC_ID_MPEG1VIDEO, 3),
    (AVCodecID::AV_CODEC_ID_MPEG2VIDEO, 3),
    (AVCodecID::AV_CODEC_ID_MPEG4, 3),
    (AVCodecID::AV_CODEC_ID_MJPEG, 3),
    (AVCodecID::AV_CODEC_ID_FLV1, 3),
    (AVCodecID::AV_CODEC_ID_WMV2, 3),
    (AVCodecID::AV_CODEC_ID_SNOW, 3),
    (AVCodecID::AV_CODEC_ID_THEORA, 7),
];

/// Options that set the quality, so that the default is not wanted.
const QUALITY_OPTIONS: [&str; 6] = ["b", "global_quality", "flags", "qmin", "qmax", "maxrate"];

/// Codecs that code the two fields of a frame as fields.
const CODES_FIELDS: [AVCodecID; 6] = [
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
    AVCodecID::AV_CODEC_ID_PRORES,
    AVCodecID::AV_CODEC_ID_DNXHD,
    AVCodecID::AV_CODEC_ID_DVVIDEO,
];

/// What an encoder is opened for.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) choice: &'a EncoderChoice,
    pub(super) options: &'a OutputOptions,
    pub(super) info: &'a StreamInfo,
    /// Stream-level side data of the video.
    pub(super) side_data: &'a [SideData],
}

/// An open encoder.
pub(super) struct Encoder {
    context: Context,
    name: &'static str,
    pixel_format: AVPixelFormat,
    clock: Clock,
    info: StreamInfo,
    /// Durations of the frames inside, by tick: encoders do not hand them on.
    durations: HashMap<i64, i64>,
}

/// What an encoder gives.
pub(super) enum Received {
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
    /// When an option is wrong or the encoder refuses, with the reason it logs.
    pub(super) fn open(job: Job<'_>) -> Result<Encoder> {
        let flags = job.choice.container.flags;
        let rhythm = match () {
            () if flags & ffi::AVFMT_NOTIMESTAMPS != 0 => Rhythm::Untimed,
            () if flags & ffi::AVFMT_VARIABLE_FPS == 0 => Rhythm::Constant,
            () => Rhythm::Free,
        };
        let first = Self::open_in(job, rhythm);
        match first {
            Err(refusal) if rhythm == Rhythm::Free && refusal.kind() == Kind::Unsupported => {
                Self::open_in(job, Rhythm::Constant).map_err(|_| refusal)
            }
            result => result,
        }
    }

    fn open_in(job: Job<'_>, rhythm: Rhythm) -> Result<Encoder> {
        let Job { choice, info, .. } = job;
        let clock = Clock::new(rhythm, info.timebase, info.frame_rate);
        let pixel_format = choice.pixel_format(info.format, info.color.range == Range::Full)?;
        let context = Context::new(choice)?;
        context.describe(job, pixel_format, clock.unit())?;
        // SAFETY: the context lives until the end of this function and longer.
        let settings = unsafe { Settings::of(context.0.as_ptr().cast(), choice.encoder()) };
        configure(settings, job)?;
        context.open(choice, info)?;
        let name = choice.encoder();
        Ok(Encoder { context, name, pixel_format, clock, info: info.clone(), durations: HashMap::new() })
    }

    /// The encoder's context, for what a muxer reads from it.
    pub(super) fn context(&self) -> *const AVCodecContext {
        self.context.0.as_ptr()
    }

    /// The unit of time of a container that has to keep this encoder's rhythm.
    pub(super) fn unit(&self) -> Rational {
        self.clock.unit()
    }

    /// Sends a frame shown at `pts` in the source's timebase.
    ///
    /// # Errors
    /// When its time does not fit the encoder's rhythm, or the encoder fails.
    pub(super) fn send(&mut self, frame: Frame, pts: i64) -> Result<()> {
        let (index, duration) = (frame.props.frame_index, frame.props.duration);
        let tick = self.clock.tick(pts).ok_or_else(|| self.off_beat(index, pts))?;
        if duration > 0 {
            self.durations.insert(tick, duration);
        }
        let lent = LentFrame::new(frame, &self.info, self.pixel_format, tick)?;
        self.give(Some(&lent)).map_err(|e| e.context(format!("frame {index}")))
    }

    /// Tells the encoder that no frame follows.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(super) fn end(&mut self) -> Result<()> {
        self.give(None)
    }

    fn give(&mut self, frame: Option<&LentFrame>) -> Result<()> {
        let frame = frame.map_or(ptr::null(), LentFrame::as_ptr);
        // SAFETY: the context is open; the frame is null or alive, and the encoder takes references of its own.
        let (code, heard) = messages::listen(|| unsafe { ffi::avcodec_send_frame(self.context.0.as_ptr(), frame) });
        if code < 0 { Err(refusal(self.name, code, &heard)) } else { Ok(()) }
    }

    /// The next packet.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(super) fn receive(&mut self) -> Result<Received> {
        let mut packet = ffmpeg_next::Packet::empty();
        let context = self.context.0.as_ptr();
        // SAFETY: the context is open and the packet is ours.
        let (code, heard) = messages::listen(|| unsafe { ffi::avcodec_receive_packet(context, packet.as_mut_ptr()) });
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
            Some(_) => super::clock::rescale(1, Rational::new(rate.den, rate.num), self.info.timebase),
            None => 0,
        }
    }

    fn off_beat(&self, index: u64, pts: i64) -> Error {
        let seconds = self.info.timebase.value().map_or(0.0, |unit| pts as f64 * unit);
        Error::unsupported(format!(
            "frame {index} at {seconds:.3} s is not on the beat of {} frames a second, the only rhythm that {} in this \
             container keeps: use mkv or mp4, or another encoder",
            self.info.frame_rate, self.name
        ))
    }
}
