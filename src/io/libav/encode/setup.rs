//! How an encoder is set up before it is opened.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::grain::{self, Grain};
use crate::io::libav::encode::settings::Settings;
use crate::io::libav::encode::slices;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::format::color::ColorFields;
use crate::io::libav::format::hdr::{self, Hdr10};
use crate::io::libav::logging::{self, Heard};
use crate::io::libav::mux::failure;
use crate::io::libav::options::OutputOptions;
use crate::video::{FieldOrder, Rational, SideData, StreamInfo};
use ffmpeg_next::error::ENOMEM;
use ffmpeg_next::ffi::{self, AVCodecContext, AVCodecID, AVFieldOrder, AVPixelFormat, AVRational};
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

/// Those among them whose quality `--crf` asks for, on their scale of quantisers.
const SCALED: [AVCodecID; 4] = [
    AVCodecID::AV_CODEC_ID_MJPEG,
    AVCodecID::AV_CODEC_ID_MPEG1VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
];
const QUALITY_SCALE: std::ops::RangeInclusive<f64> = 1.0..=31.0;

/// Where the quantisers of a codec end, by its standard. Encoders whose options have no end take more in silence.
const LAST_QUANTISER: [(AVCodecID, f64); 2] =
    [(AVCodecID::AV_CODEC_ID_H264, 51.0), (AVCodecID::AV_CODEC_ID_HEVC, 51.0)];

/// Options that are on the scale of quantisers.
const QUANTISERS: [&str; 2] = ["crf", "qp"];

/// Options that set the quality, so that the default is not wanted.
const QUALITY_OPTIONS: [&str; 6] = ["b", "global_quality", "flags", "qmin", "qmax", "maxrate"];

/// Codecs that code the two fields of a frame as fields.
pub(in crate::io::libav) const CODES_FIELDS: [AVCodecID; 6] = [
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
    AVCodecID::AV_CODEC_ID_PRORES,
    AVCodecID::AV_CODEC_ID_DNXHD,
    AVCodecID::AV_CODEC_ID_DVVIDEO,
];

/// Encoders that have a frame last so many units as this field of the context says, one by default, and spend their bits
/// accordingly: in two passes a hundredth of the rate that was asked for.
const COUNTS_TICKS: [&str; 3] = ["libvpx", "libvpx-vp9", "libaom-av1"];

/// How libav's wrappers begin a line about a parameter that the encoder behind them does not take.
const WRONG_PARAMETER: [&str; 3] = ["Unknown option", "Invalid value", "Error parsing option"];

/// Options that take names which the encoder lists where it does not know one, and the headings of those lists.
const NAMED: [(&str, &str); 2] = [("preset", "Possible presets:"), ("tune", "Possible tunes:")];

/// What an encoder is opened for.
#[derive(Clone, Copy)]
pub(in crate::io::libav) struct EncoderJob<'a> {
    pub(in crate::io::libav) choice: &'a EncoderChoice,
    pub(in crate::io::libav) options: &'a OutputOptions,
    pub(in crate::io::libav) info: &'a StreamInfo,
    /// Stream-level side data of the video.
    pub(in crate::io::libav) side_data: &'a [SideData],
}

/// Sets what the user asks for on top of what vramp wants.
///
/// # Errors
/// When the encoder has no such option, or does not take the value.
pub(in crate::io::libav) fn configure(settings: Settings<'_>, job: EncoderJob<'_>) -> Result<()> {
    let EncoderJob { choice, options, .. } = job;
    let encoder = choice.encoder();
    let given = |key: &str| options.options.iter().rev().find(|(k, _)| k == key).map(|(_, value)| value.as_str());

    if let Some(count) = slices::suiting(encoder, options, job.info) {
        settings.set("slices", &count)?;
    }
    let own = own_parameters(job)?;
    if let Some(hdr::HdrOptions { option, parameters }) = &own {
        settings.set(option, &hdr::merge(parameters, given(option).unwrap_or("")))?;
    }
    if let Some(amount) = options.film_grain
        && let Grain::Option(key) = grain::place(encoder)?
    {
        settings.set(key, &amount.to_string())?;
    }
    if let Some(bitrate) = &options.bitrate {
        if !is_lossy(choice) {
            return Err(Error::bad_argument(format!("{encoder} is lossless and takes no bit rate")));
        }
        settings.set("b", bitrate)?;
    }
    let scaled = options.crf.filter(|_| SCALED.contains(&choice.codec.id) && !settings.has("crf"));
    if let Some(crf) = scaled {
        set_scaled(settings, encoder, crf)?;
    }
    let knobs = [
        ("crf", options.crf.filter(|_| scaled.is_none()).map(|crf| crf.to_string())),
        ("qp", options.qp.map(|qp| qp.to_string())),
        ("preset", options.preset.clone()),
        ("tune", options.tune.clone()),
    ];
    for (key, value) in knobs.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
        check_quantiser(settings, choice, key, value)?;
        settings.set(key, value)?;
    }
    let merged = own.map(|own| own.option);
    for (key, value) in options.options.iter().filter(|(key, _)| merged != Some(key.as_str()) && settings.has(key)) {
        check_quantiser(settings, choice, key, value)?;
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

/// Asks for one quantiser throughout: `crf`, on the scale of encoders that have no option of that name.
fn set_scaled(settings: Settings<'_>, encoder: &str, crf: f64) -> Result<()> {
    if !QUALITY_SCALE.contains(&crf) {
        return Err(Error::bad_argument(format!("{encoder} does not take crf={crf}: its scale goes from 1 to 31")));
    }
    let quantiser = crf.round().to_string();
    ["qmin", "qmax"].into_iter().try_for_each(|end| settings.set(end, &quantiser))
}

/// Refuses a quantiser beyond the end of the codec's scale, where the encoder's option itself has no end: libav refuses
/// what is beyond that.
fn check_quantiser(settings: Settings<'_>, choice: &EncoderChoice, key: &str, value: &str) -> Result<()> {
    let end = LAST_QUANTISER.iter().find(|(codec, _)| *codec == choice.codec.id).map(|(_, end)| *end);
    let Some(end) = end.filter(|_| QUANTISERS.contains(&key) && settings.is_endless(key)) else { return Ok(()) };
    match value.parse::<f64>() {
        Ok(number) if number > end => {
            let encoder = choice.encoder();
            Err(Error::bad_argument(format!("{encoder} does not take {key}={value}: its scale ends at {end}")))
        }
        _ => Ok(()),
    }
}

/// The option that holds an encoder's own parameters, and those vramp sets: HDR, its pass, film grain, and silence from an
/// encoder that would write to standard error by itself.
fn own_parameters(job: EncoderJob<'_>) -> Result<Option<hdr::HdrOptions>> {
    let EncoderJob { choice, options, info, side_data } = job;
    let encoder = choice.encoder();
    let grain = options.film_grain.map(|amount| Ok((grain::place(encoder)?, amount))).transpose()?;
    let Some(mut words) = hdr::words(encoder, &Hdr10::of(side_data)) else { return Ok(None) };
    if encoder == "libx265" {
        words.parameters.extend(hdr::suited_to_x265(info));
    }
    if encoder == "libx265" && log::max_level() < log::Level::Trace {
        words.parameters.push(("log-level", "none".to_owned()));
    }
    if let Some(pass) = &options.pass {
        words.parameters.extend(pass.parameters()?);
    }
    if let Some((Grain::Parameter(key), amount)) = grain {
        words.parameters.push((key, amount.to_string()));
    }
    Ok(Some(words))
}

/// Whether the codec loses anything.
pub(in crate::io::libav) fn is_lossy(choice: &EncoderChoice) -> bool {
    // SAFETY: looks an id up in a static table.
    let descriptor = unsafe { ffi::avcodec_descriptor_get(choice.codec.id).as_ref() };
    descriptor.is_none_or(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_LOSSY != 0)
}

/// A rational as libav has it.
pub(in crate::io::libav) fn rational(value: Rational) -> AVRational {
    AVRational { num: value.num, den: value.den }
}

/// An `AVCodecContext` of ours.
pub(in crate::io::libav) struct EncoderContext(NonNull<AVCodecContext>);

impl Drop for EncoderContext {
    fn drop(&mut self) {
        let mut context = self.0.as_ptr();
        // SAFETY: the context is ours and is not used again.
        unsafe { ffi::avcodec_free_context(&mut context) }
    }
}

impl EncoderContext {
    /// A context with the encoder's defaults.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::io::libav) fn new(choice: &EncoderChoice) -> Result<EncoderContext> {
        // SAFETY: the codec is static; gives a context with its defaults, or null.
        NonNull::new(unsafe { ffi::avcodec_alloc_context3(choice.codec) })
            .map(EncoderContext)
            .ok_or_else(|| Error::new(Kind::OutOfMemory, "no memory for an encoder"))
    }

    pub(in crate::io::libav) fn as_ptr(&self) -> *mut AVCodecContext {
        self.0.as_ptr()
    }

    /// The encoder's options.
    pub(in crate::io::libav) fn settings(&self, owner: &'static str) -> Settings<'_> {
        // SAFETY: the context lives as long as the borrow.
        unsafe { Settings::of(self.0.as_ptr().cast(), owner) }
    }

    /// Describes the stream to the encoder.
    ///
    /// # Errors
    /// When a number is too large for libav.
    pub(in crate::io::libav) fn describe(
        &self,
        job: EncoderJob<'_>,
        pixel_format: AVPixelFormat,
        unit: Rational,
    ) -> Result<()> {
        let EncoderJob { choice, options, info, .. } = job;
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
            if COUNTS_TICKS.contains(&choice.encoder()) && info.frame_rate.value().is_some() {
                let ticks = rescale(1, Rational::new(info.frame_rate.den, info.frame_rate.num), unit);
                (*context).ticks_per_frame = i32::try_from(ticks.max(1)).unwrap_or(1);
            }
            if choice.container.flags & ffi::AVFMT_GLOBALHEADER != 0 {
                (*context).flags |= ffi::AV_CODEC_FLAG_GLOBAL_HEADER as i32;
            }
        }
        Ok(())
    }

    /// Opens the encoder. Gives what libav warns of.
    ///
    /// # Errors
    /// When the encoder refuses, with the reason it logs.
    pub(in crate::io::libav) fn open(&self, choice: &EncoderChoice, info: &StreamInfo) -> Result<Heard> {
        // A refusal frees the options.
        let named = NAMED.map(|(key, heading)| (key, heading, self.settings(choice.encoder()).text(key)));
        let (code, heard) = logging::listen(|| {
            // SAFETY: the context was made for this codec; null is no further options.
            unsafe { ffi::avcodec_open2(self.0.as_ptr(), choice.codec, ptr::null_mut()) }
        });
        if code >= 0 {
            return Ok(heard);
        }
        let unknown = named.into_iter().find_map(|(key, heading, given)| {
            let (given, known) = (given?, heard.listed(heading));
            has_unknown(&given, &known).then(|| format!("has no {key} '{given}': it has {}", known.join(", ")))
        });
        Err(match unknown {
            Some(unknown) => Error::bad_argument(format!("{} {unknown}", choice.encoder())),
            None => {
                let what = format!("{} ({}x{} {})", choice.encoder(), info.width, info.height, info.format);
                refusal(&what, code, &heard)
            }
        })
    }
}

/// Whether one of the names that are `given` together, as x264's tunings are, is none of those that are `known`, if any are.
fn has_unknown(given: &str, known: &[&str]) -> bool {
    // x264 and x265 number their presets as well.
    let is_unknown = |name: &str| !name.is_empty() && !known.contains(&name) && name.parse::<u32>().is_err();
    !known.is_empty() && given.split([',', '.', '/', '-', '+', ' ']).any(is_unknown)
}

/// Refuses what libav only warns of when an encoder is opened: a parameter of the encoder's own that it does not take.
///
/// # Errors
/// When there is one among `warnings`.
pub(in crate::io::libav) fn check_parameters(encoder: &str, warnings: &[String]) -> Result<()> {
    match warnings.iter().find(|line| WRONG_PARAMETER.iter().any(|start| line.starts_with(start))) {
        Some(line) => Err(Error::bad_argument(format!("{encoder}: {}", line.trim_end_matches('.')))),
        None => Ok(()),
    }
}

/// The error of an encoder that gave `code` after logging `heard`. Other system errors than memory are about drivers.
pub(in crate::io::libav) fn refusal(what: &str, code: i32, heard: &Heard) -> Error {
    let kind = if code == -ENOMEM { Kind::OutOfMemory } else { Kind::Unsupported };
    let reason = heard.reason().map_or_else(|| failure::text(code), str::to_owned);
    Error::new(kind, format!("{what}: {reason}"))
}
