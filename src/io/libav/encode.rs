//! An open libav encoder: frames in, packets out.

use crate::error::{Error, Kind, Result};
use crate::io::libav::choose::EncoderChoice;
use crate::io::libav::color::ColorFields;
use crate::io::libav::hdr::{self, Hdr10};
use crate::io::libav::lend::LentFrame;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::rhythm::{Clock, Rhythm};
use crate::io::libav::settings::Settings;
use crate::io::libav::{failure, logging};
use crate::pipeline::Frame;
use crate::video::{FieldOrder, Range, Rational, SideData, StreamInfo};
use ffmpeg_next::error::{EAGAIN, ENOMEM};
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
pub(super) const CODES_FIELDS: [AVCodecID; 6] = [
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
    AVCodecID::AV_CODEC_ID_PRORES,
    AVCodecID::AV_CODEC_ID_DNXHD,
    AVCodecID::AV_CODEC_ID_DVVIDEO,
];

/// Containers that hold one frame rate and no times.
const CONSTANT_RATE: [&str; 7] = ["avi", "dv", "mxf", "mxf_d10", "mxf_opatom", "gxf", "swf"];

/// How libav's wrappers begin a line about a parameter that the encoder behind them does not take.
const WRONG_PARAMETER: [&str; 3] = ["Unknown option", "Invalid value", "Error parsing option"];

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
    /// Whether the user knows that the output holds no times.
    times_lost: bool,
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
        let rhythm = rhythm(job.choice);
        match Self::open_in(job, rhythm) {
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
        configure(context.settings(choice.encoder()), job)?;
        context.open(choice, info)?;
        Ok(Encoder {
            context,
            name: choice.encoder(),
            pixel_format,
            clock,
            info: info.clone(),
            durations: HashMap::new(),
            times_lost: false,
        })
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
        let (tick, exact) = self.clock.tick(pts);
        if !exact {
            self.off_beat(index, pts)?;
        }
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
        let (code, heard) = logging::listen(|| unsafe { ffi::avcodec_send_frame(self.context.0.as_ptr(), frame) });
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
        let (code, heard) = logging::listen(|| unsafe { ffi::avcodec_receive_packet(context, packet.as_mut_ptr()) });
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
            Some(_) => super::rhythm::rescale(1, Rational::new(rate.den, rate.num), self.info.timebase),
            None => 0,
        }
    }

    /// A frame lies where this encoder or container cannot put it.
    fn off_beat(&mut self, index: u64, pts: i64) -> Result<()> {
        let seconds = self.info.timebase.value().map_or(0.0, |unit| pts as f64 * unit);
        let rate = self.info.frame_rate;
        if self.clock.rhythm() != Rhythm::Untimed {
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

/// How strictly the container and the encoder together keep time.
fn rhythm(choice: &EncoderChoice) -> Rhythm {
    let container = choice.container();
    if CONSTANT_RATE.contains(&container) {
        Rhythm::Constant
    } else if container == "yuv4mpegpipe" || choice.container.flags & ffi::AVFMT_NOTIMESTAMPS != 0 {
        Rhythm::Untimed
    } else if choice.codec.id == AVCodecID::AV_CODEC_ID_THEORA {
        // Its packets are numbered, not timed.
        Rhythm::Constant
    } else {
        Rhythm::Free
    }
}

/// Sets what the user asks for on top of what vramp wants.
fn configure(settings: Settings<'_>, job: Job<'_>) -> Result<()> {
    let Job { choice, options, side_data, .. } = job;
    let encoder = choice.encoder();
    let given = |key: &str| options.options.iter().rev().find(|(k, _)| k == key).map(|(_, value)| value.as_str());

    let own = own_parameters(encoder, &Hdr10::of(side_data));
    if let Some((option, parameters)) = &own {
        settings.set(option, &hdr::merge(parameters, given(option).unwrap_or("")))?;
    }
    if let Some(bitrate) = &options.bitrate {
        if !is_lossy(choice) {
            return Err(Error::bad_argument(format!("{encoder} is lossless and takes no bit rate")));
        }
        settings.set("b", bitrate)?;
    }
    let knobs = [
        ("crf", options.crf.map(|crf| crf.to_string())),
        ("qp", options.qp.map(|qp| qp.to_string())),
        ("preset", options.preset.clone()),
        ("tune", options.tune.clone()),
    ];
    for (key, value) in knobs.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
        settings.set(key, value)?;
    }
    let merged = own.map(|(option, _)| option);
    for (key, value) in options.options.iter().filter(|(key, _)| merged != Some(key.as_str()) && settings.has(key)) {
        settings.set(key, value)?;
    }
    let quality = DEFAULT_QUALITY.iter().find(|(codec, _)| *codec == choice.codec.id);
    if let Some((_, quality)) = quality
        && options.bitrate.is_none()
        && QUALITY_OPTIONS.iter().all(|key| given(key).is_none())
    {
        settings.set("flags", "+qscale")?;
        settings.set("global_quality", &(quality * ffi::FF_QP2LAMBDA).to_string())?;
    }
    Ok(())
}

/// The option that holds an encoder's own parameters, and those vramp sets: HDR10 metadata, and silence from an
/// encoder that would write to standard error by itself.
fn own_parameters(encoder: &str, hdr: &Hdr10) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let mut words = hdr::words(encoder, hdr)?;
    if encoder == "libx265" && log::max_level() < log::Level::Debug {
        words.parameters.push(("log-level", "none".to_owned()));
    }
    Some((words.option, words.parameters))
}

/// Whether the codec loses anything.
pub(super) fn is_lossy(choice: &EncoderChoice) -> bool {
    // SAFETY: looks an id up in a static table.
    let descriptor = unsafe { ffi::avcodec_descriptor_get(choice.codec.id).as_ref() };
    descriptor.is_none_or(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_LOSSY != 0)
}

/// A rational as libav has it.
pub(super) fn rational(value: Rational) -> AVRational {
    AVRational { num: value.num, den: value.den }
}

/// An `AVCodecContext` of ours.
pub(super) struct Context(NonNull<AVCodecContext>);

impl Drop for Context {
    fn drop(&mut self) {
        let mut context = self.0.as_ptr();
        // SAFETY: the context is ours and is not used again.
        unsafe { ffi::avcodec_free_context(&mut context) }
    }
}

impl Context {
    /// A context with the encoder's defaults.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn new(choice: &EncoderChoice) -> Result<Context> {
        // SAFETY: the codec is static; gives a context with its defaults, or null.
        NonNull::new(unsafe { ffi::avcodec_alloc_context3(choice.codec) })
            .map(Context)
            .ok_or_else(|| Error::new(Kind::OutOfMemory, "no memory for an encoder"))
    }

    /// The encoder's options.
    pub(super) fn settings(&self, owner: &'static str) -> Settings<'_> {
        // SAFETY: the context lives as long as the borrow.
        unsafe { Settings::of(self.0.as_ptr().cast(), owner) }
    }

    /// Tells the encoder about the stream.
    fn describe(&self, job: Job<'_>, pixel_format: AVPixelFormat, unit: Rational) -> Result<()> {
        let Job { choice, options, info, .. } = job;
        let number = |value: usize, what: &str| {
            i32::try_from(value).map_err(|_| Error::unsupported(format!("{what} {value} is more than libav takes")))
        };
        let (width, height) = (number(info.width, "width")?, number(info.height, "height")?);
        // SAFETY: the context is ours and not open yet.
        unsafe {
            let context = self.0.as_ptr();
            (*context).width = width;
            (*context).height = height;
            (*context).pix_fmt = pixel_format;
            (*context).time_base = rational(unit);
            (*context).framerate = rational(info.frame_rate);
            (*context).sample_aspect_ratio = rational(info.sar);
            (*context).thread_count = number(options.threads, "the number of threads")?;
            ColorFields {
                range: addr_of_mut!((*context).color_range),
                matrix: addr_of_mut!((*context).colorspace),
                transfer: addr_of_mut!((*context).color_trc),
                primaries: addr_of_mut!((*context).color_primaries),
                location: addr_of_mut!((*context).chroma_sample_location),
            }
            .write(&info.color);
            (*context).field_order = match info.field_order {
                FieldOrder::Progressive => AVFieldOrder::AV_FIELD_PROGRESSIVE,
                FieldOrder::TopFirst => AVFieldOrder::AV_FIELD_TT,
                FieldOrder::BottomFirst => AVFieldOrder::AV_FIELD_BB,
            };
            if info.field_order.is_interlaced() && CODES_FIELDS.contains(&choice.codec.id) {
                (*context).flags |= (ffi::AV_CODEC_FLAG_INTERLACED_DCT | ffi::AV_CODEC_FLAG_INTERLACED_ME) as i32;
            }
            if choice.container.flags & ffi::AVFMT_GLOBALHEADER != 0 {
                (*context).flags |= ffi::AV_CODEC_FLAG_GLOBAL_HEADER as i32;
            }
        }
        Ok(())
    }

    fn open(&self, choice: &EncoderChoice, info: &StreamInfo) -> Result<()> {
        let (code, heard) = logging::listen(|| {
            // SAFETY: the context was made for this codec; null is no further options.
            unsafe { ffi::avcodec_open2(self.0.as_ptr(), choice.codec, ptr::null_mut()) }
        });
        let what = format!("{} ({}x{} {})", choice.encoder(), info.width, info.height, info.format);
        if code < 0 {
            return Err(refusal(&what, code, &heard));
        }
        // An encoder's own parameter that it does not know is only a warning to libav.
        match heard.iter().find(|line| WRONG_PARAMETER.iter().any(|start| line.starts_with(start))) {
            Some(line) => Err(Error::bad_argument(format!("{}: {line}", choice.encoder()))),
            None => Ok(()),
        }
    }
}

/// The error of an encoder that gave `code` after logging `heard`. Other system errors than memory are about drivers.
fn refusal(what: &str, code: i32, heard: &[String]) -> Error {
    let kind = if code == -ENOMEM { Kind::OutOfMemory } else { Kind::Unsupported };
    let reason = heard.last().cloned().unwrap_or_else(|| failure::text(code));
    Error::new(kind, format!("{what}: {}", reason.trim_end_matches('.')))
}
