//! From a path and a few words to a container, an encoder, and the formats the two take.

use crate::error::{Error, Result};
use crate::io::libav::encode::{setup, upload};
use crate::io::libav::format::pack::Packing;
use crate::io::libav::format::pixfmt::{NativeFormat, native};
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel;
use crate::io::libav::mux::capacity;
use crate::io::libav::options::OutputOptions;
use crate::params::did_you_mean;
use crate::video::Format;
use ffmpeg_next::ffi::{self, AVCodecID, AVMediaType, AVPixelFormat};
use ffmpeg_next::format::Pixel;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::fmt;
use std::ptr;

/// Encoders taken when nothing is asked for, by container; the first that this libav has.
///
/// Chains end in more than 8 bits where they can, so each keeps 10: HEVC Main 10 plays on everything that plays HEVC,
/// while 10-bit H.264 plays on little. Containers of intermediate files get a lossless codec.
const DEFAULTS: [(&[&str], &[&str]); 4] = [
    (&["mp4", "mov", "matroska", "mpegts", "ipod", "3gp"], &["libx265", "libx264", "mpeg4"]),
    (&["webm"], &["libsvtav1", "libvpx-vp9", "libaom-av1"]),
    (&["avi", "nut"], &["ffv1"]),
    (&["yuv4mpegpipe"], &["wrapped_avframe"]),
];

/// Which encoder a codec's name means, where libav's own order would take another.
const PREFERRED: [(&str, &str); 4] =
    [("h264", "libx264"), ("hevc", "libx265"), ("h265", "libx265"), ("av1", "libsvtav1")];

/// How libav ends the names of encoders that are hardware's, and what that is.
const DEVICES: [(&str, &str); 8] = [
    ("nvenc", "NVIDIA's NVENC"),
    ("vaapi", "a VAAPI device"),
    ("qsv", "Intel's Quick Sync"),
    ("amf", "AMD's AMF"),
    ("vulkan", "a Vulkan device"),
    ("videotoolbox", "Apple's VideoToolbox"),
    ("mf", "Windows' Media Foundation"),
    ("d3d12va", "a Direct3D 12 device"),
];

/// The container and the encoder of an output, and the formats they take.
#[derive(Clone)]
pub struct EncoderChoice {
    pub(in crate::io::libav) container: &'static ffi::AVOutputFormat,
    pub(in crate::io::libav) codec: &'static ffi::AVCodec,
    accepted: Vec<Format>,
}

impl fmt::Debug for EncoderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncoderChoice({} in {})", self.encoder(), self.container())
    }
}

impl EncoderChoice {
    fn new(container: &'static ffi::AVOutputFormat, codec: &'static ffi::AVCodec) -> Result<EncoderChoice> {
        let takes = pixel_formats(codec);
        let mut accepted: Vec<Format> = Vec::new();
        for pixel in &takes {
            if let Some(format) = readable_as(*pixel)
                && !accepted.contains(&format)
                && (!is_raw(codec) || capacity::takes_raw(container, codec.id, (*pixel).into()))
            {
                accepted.push(format);
            }
        }
        if accepted.is_empty() {
            let names: Vec<&str> = takes.iter().filter_map(|pixel| Some(pixel.descriptor()?.name())).collect();
            return Err(Error::unsupported(format!(
                "{} takes {}, and vramp makes YUV, RGB and grey: choose another encoder",
                name(codec.name),
                names.join(", ")
            )));
        }
        Ok(EncoderChoice { container, codec, accepted })
    }

    /// The container's name, as libav has it ("matroska").
    pub fn container(&self) -> &'static str {
        name(self.container.name)
    }

    /// Whether every frame becomes a file, which [`PictureOutput`](crate::io::libav::PictureOutput) writes.
    pub fn is_pictures(&self) -> bool {
        holds_pictures(self.container)
    }

    /// The encoder's name, as libav has it ("libx265").
    pub fn encoder(&self) -> &'static str {
        name(self.codec.name)
    }

    /// The formats the encoder takes, as far as vramp makes them.
    pub fn accepted(&self) -> &[Format] {
        &self.accepted
    }

    /// The codec, by libav's name.
    pub fn codec(&self) -> &'static str {
        // SAFETY: libav answers for any number; names are static.
        unsafe { CStr::from_ptr(ffi::avcodec_get_name(self.codec.id)) }.to_str().unwrap_or("?")
    }

    /// Whether the codec loses nothing, so that RGB has no reason to become something else.
    pub fn is_lossless(&self) -> bool {
        !setup::is_lossy(self)
    }

    /// The formats that the encoder reads in GPU memory; none for an encoder that reads host memory only.
    #[cfg(feature = "cuda")]
    pub fn accepted_on_device(&self) -> Vec<Format> {
        let mut formats = if hwaccel::reads_surfaces(self.codec) { self.accepted.clone() } else { Vec::new() };
        formats.retain(|format| hwaccel::FORMATS.contains(&format.to_string().as_str()));
        formats
    }

    /// Whether the encoder is a piece of hardware's.
    pub(in crate::io::libav) fn is_hardware(&self) -> bool {
        // libav knows of some only that they may be.
        let hardware = ffi::AV_CODEC_CAP_HARDWARE | ffi::AV_CODEC_CAP_HYBRID;
        self.codec.capabilities & hardware as i32 != 0
    }

    /// The other encoders that suit the container and take `format`, best first.
    pub(in crate::io::libav) fn others(&self, format: Format) -> impl Iterator<Item = EncoderChoice> {
        let (container, own) = (self.container, self.codec);
        let suits = move |codec: &&ffi::AVCodec| !ptr::eq(*codec, own) && holds(container, codec);
        let choices = defaults(container).filter(suits).filter_map(|codec| EncoderChoice::new(container, codec).ok());
        choices.filter(move |choice| choice.accepted.contains(&format))
    }

    /// libav's pixel format for `format`. Some codecs know full range only by pixel formats of its own, and some RGB only
    /// packed.
    pub(in crate::io::libav) fn pixel_format(&self, format: Format, full_range: bool) -> Result<AVPixelFormat> {
        let same: Vec<(Pixel, NativeFormat)> = pixel_formats(self.codec)
            .into_iter()
            .filter_map(|pixel| Some((pixel, native(pixel)?)))
            .filter(|(_, native)| native.format == format)
            .collect();
        let plain = same.iter().find(|(_, native)| !native.full_range);
        match plain.or(same.first().filter(|_| full_range)) {
            Some((pixel, _)) => Ok((*pixel).into()),
            None if same.is_empty() => self
                .packed(format)
                .map(Into::into)
                .ok_or_else(|| Error::unsupported(format!("{} does not take {format}", self.encoder()))),
            None => Err(Error::unsupported(format!(
                "{} takes {format} in full range only: add --range full",
                self.encoder()
            ))),
        }
    }

    /// The pixel format in which the encoder takes the samples of `format` packed: one without alpha, if it can be.
    fn packed(&self, format: Format) -> Option<Pixel> {
        let packings = pixel_formats(self.codec).into_iter().filter_map(|pixel| Some((pixel, Packing::of(pixel)?)));
        let same = packings.filter(|(_, packing)| packing.format == format);
        same.min_by_key(|(_, packing)| packing.has_alpha).map(|(pixel, _)| pixel)
    }
}

/// The format of ours whose samples `pixel` holds, as they lie or packed.
fn readable_as(pixel: Pixel) -> Option<Format> {
    native(pixel).map(|native| native.format).or_else(|| Some(Packing::of(pixel)?.format))
}

/// Chooses the container (by `options.container`, else by the extension of `path`) and the encoder (by
/// `options.codec`, else what suits the container).
///
/// # Errors
/// When a name is unknown, the container cannot hold the codec, or the encoder takes no format that vramp makes.
pub fn choose_encoder(path: &(impl AsRef<OsStr> + ?Sized), options: &OutputOptions) -> Result<EncoderChoice> {
    crate::io::libav::init();
    let container = container(path.as_ref(), options.container.as_deref())?;
    let pictures = if holds_pictures(container) { Some(picture_encoder(container, path.as_ref())?) } else { None };
    let codec = match (&options.codec, pictures) {
        (Some(wanted), _) => encoder(wanted)?,
        (None, Some(usual)) => usual,
        (None, None) => default_encoder(container)?,
    };
    if let Some(usual) = pictures.filter(|usual| usual.id != codec.id) {
        let (path, usual, codec) = (path.as_ref().display(), name(usual.name), name(codec.name));
        return Err(Error::unsupported(format!("{path} is called as {usual}'s pictures are, and not as {codec}'s")));
    }
    // Frames as they are have two names in libav, and y4m takes one.
    let codec = match (is_raw(codec), by_id(container.video_codec)) {
        (true, Some(own)) if is_raw(own) => own,
        _ => codec,
    };
    if pictures.is_none() && !holds(container, codec) {
        let hint = match default_encoder(container) {
            Ok(usual) => format!("; use {}, or another container", name(usual.name)),
            Err(_) => String::new(),
        };
        return Err(Error::unsupported(format!(
            "{} cannot hold the video of {}{hint}",
            name(container.name),
            name(codec.name)
        )));
    }
    EncoderChoice::new(container, codec)
}

/// The names of every video encoder of this libav.
pub fn video_encoders() -> Vec<&'static str> {
    let mut state = ptr::null_mut();
    let mut names = Vec::new();
    // SAFETY: libav's registry is static; the state is its own cursor.
    while let Some(codec) = unsafe { ffi::av_codec_iterate(&mut state).as_ref() } {
        // SAFETY: the codec is from the registry.
        if codec.type_ == AVMediaType::AVMEDIA_TYPE_VIDEO && unsafe { ffi::av_codec_is_encoder(codec) } != 0 {
            names.push(name(codec.name));
        }
    }
    names
}

fn containers() -> Vec<&'static ffi::AVOutputFormat> {
    let mut state = ptr::null_mut();
    // SAFETY: libav's registry is static; the state is its own cursor.
    std::iter::from_fn(|| unsafe { ffi::av_muxer_iterate(&mut state).as_ref() }).collect()
}

fn container(path: &OsStr, wanted: Option<&str>) -> Result<&'static ffi::AVOutputFormat> {
    let found = match wanted {
        Some(wanted) => {
            guess(Some(wanted), None)?.or(guess(None, Some(format!("x.{wanted}").as_ref()))?).ok_or_else(|| {
                let known = containers();
                let names = known.iter().flat_map(|c| name(c.name).split(','));
                let hint = did_you_mean(wanted, names.chain(["mkv", "ts", "y4m"]));
                Error::bad_argument(format!("container '{wanted}' is not known{hint}"))
            })?
        }
        None if path == "-" => {
            return Err(Error::bad_argument("standard output has no extension: name the container with -f"));
        }
        None => guess(None, Some(path))?.ok_or_else(|| {
            Error::bad_argument(format!(
                "{}: the extension names no container: name it with -f (mp4, mkv, webm, y4m, ...)",
                path.display()
            ))
        })?,
    };
    // Containers of sound take pictures as covers.
    let is_sound = found.audio_codec != AVCodecID::AV_CODEC_ID_NONE && found.video_codec == AVCodecID::AV_CODEC_ID_PNG;
    if found.video_codec == AVCodecID::AV_CODEC_ID_NONE || is_sound {
        return Err(Error::unsupported(format!("{} holds no video: choose another container", name(found.name))));
    }
    if holds_pictures(found) && path == "-" {
        return Err(Error::bad_argument("pictures go to files: for standard output give -f image2pipe"));
    }
    if found.flags & ffi::AVFMT_NOFILE != 0 && !holds_pictures(found) {
        return Err(Error::unsupported(format!(
            "{} names its files itself, and vramp writes one whole file: choose another container",
            name(found.name)
        )));
    }
    Ok(found)
}

fn guess(short: Option<&str>, path: Option<&OsStr>) -> Result<Option<&'static ffi::AVOutputFormat>> {
    let (short, path) = (short.map(|name| c_string(name.as_ref())).transpose()?, path.map(c_string).transpose()?);
    let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
    // SAFETY: both texts are null or end with a zero; a container is static.
    Ok(unsafe { ffi::av_guess_format(pointer(&short), pointer(&path), ptr::null()).as_ref() })
}

fn encoder(wanted: &str) -> Result<&'static ffi::AVCodec> {
    let preferred = PREFERRED.iter().find(|(codec, _)| *codec == wanted).map(|(_, encoder)| *encoder);
    let found = preferred
        .and_then(by_name)
        .or_else(|| by_name(wanted))
        .or_else(|| by_codec(wanted))
        .or_else(|| by_name(&format!("lib{wanted}")));
    match found {
        Some(codec) if codec.type_ == AVMediaType::AVMEDIA_TYPE_VIDEO => Ok(codec),
        Some(_) => Err(Error::bad_argument(format!("{wanted} is not a video encoder"))),
        None => Err(unknown(wanted)),
    }
}

/// The refusal of an encoder that this libav does not have.
fn unknown(wanted: &str) -> Error {
    if wanted == "copy" {
        return Error::bad_argument(
            "what is filtered cannot be copied: name an encoder, ffv1 for one that loses nothing",
        );
    }
    if let Some((device, software)) = hardware(wanted) {
        let version = ffmpeg_next::codec::version();
        let (major, minor) = (version >> 16, version >> 8 & 0xff);
        return Error::unsupported(format!(
            "libavcodec {major}.{minor} is built without {wanted}, which encodes on {device}: {software} encodes without it"
        ));
    }
    let hint = did_you_mean(wanted, video_encoders().into_iter().chain(PREFERRED.map(|(codec, _)| codec)));
    Error::bad_argument(format!("encoder '{wanted}' is not known to this libav{hint}"))
}

/// What `wanted`, the name of an encoder that libav has elsewhere, encodes on, and the encoder of the same codec that needs no
/// such thing.
fn hardware(wanted: &str) -> Option<(&'static str, &'static str)> {
    let (codec, device) = wanted.rsplit_once('_')?;
    let device = DEVICES.iter().find(|(suffix, _)| *suffix == device)?.1;
    let software = PREFERRED.iter().find(|(name, _)| *name == codec)?.1;
    Some((device, software))
}

fn by_name(wanted: &str) -> Option<&'static ffi::AVCodec> {
    let wanted = CString::new(wanted).ok()?;
    // SAFETY: the name ends with a zero; a codec is static.
    unsafe { ffi::avcodec_find_encoder_by_name(wanted.as_ptr()).as_ref() }
}

fn by_id(codec: AVCodecID) -> Option<&'static ffi::AVCodec> {
    // SAFETY: looks an id up in a static table.
    unsafe { ffi::avcodec_find_encoder(codec).as_ref() }
}

fn by_codec(wanted: &str) -> Option<&'static ffi::AVCodec> {
    let wanted = CString::new(wanted).ok()?;
    // SAFETY: the name ends with a zero; descriptors are static.
    by_id(unsafe { ffi::avcodec_descriptor_get_by_name(wanted.as_ptr()).as_ref()?.id })
}

/// The encoders that suit the container, best first.
fn defaults(container: &'static ffi::AVOutputFormat) -> impl Iterator<Item = &'static ffi::AVCodec> {
    let ours = DEFAULTS.iter().find(|(containers, _)| containers.contains(&name(container.name)));
    ours.into_iter().flat_map(|(_, encoders)| encoders.iter()).filter_map(|encoder| by_name(encoder))
}

fn default_encoder(container: &'static ffi::AVOutputFormat) -> Result<&'static ffi::AVCodec> {
    let ours = defaults(container).find(|codec| holds(container, codec));
    ours.or_else(|| by_id(container.video_codec)).ok_or_else(|| {
        Error::unsupported(format!("{} has no video encoder in this libav: name one with -c", name(container.name)))
    })
}

/// Whether the "container" is a file for each frame.
fn holds_pictures(container: &ffi::AVOutputFormat) -> bool {
    name(container.name) == "image2"
}

/// Whether the "container" is pictures one behind the other.
fn holds_a_pipe_of_pictures(container: &ffi::AVOutputFormat) -> bool {
    name(container.name) == "image2pipe"
}

/// The encoder of pictures that are called as `path` is.
fn picture_encoder(container: &'static ffi::AVOutputFormat, path: &OsStr) -> Result<&'static ffi::AVCodec> {
    let text = c_string(path)?;
    // SAFETY: the container is static, and the text ends with a zero; null is no name and no type.
    let id = unsafe {
        let video = AVMediaType::AVMEDIA_TYPE_VIDEO;
        ffi::av_guess_codec(container, ptr::null(), text.as_ptr(), ptr::null(), video)
    };
    // The first of WebP's encoders makes one animation of all frames.
    let still = if id == AVCodecID::AV_CODEC_ID_WEBP { by_name("libwebp") } else { None };
    still.or_else(|| by_id(id)).ok_or_else(|| {
        Error::unsupported(format!("{}: this libav has no encoder for such pictures: png, tiff?", path.display()))
    })
}

/// Whether the container can hold the encoder's codec, as far as is known before a header is written.
fn holds(container: &'static ffi::AVOutputFormat, codec: &ffi::AVCodec) -> bool {
    if holds_a_pipe_of_pictures(container) {
        return capacity::holds_codec(container, codec.id);
    }
    // A bare stream of one codec takes anything libav gives it, and is then read back as that codec.
    if capacity::is_untimed(container) && capacity::is_video_alone(container) && !is_raw(codec) {
        return container.video_codec == codec.id;
    }
    capacity::holds_codec(container, codec.id)
}

/// Whether the "encoder" only copies samples, so that the container decides about formats.
fn is_raw(codec: &ffi::AVCodec) -> bool {
    matches!(codec.id, AVCodecID::AV_CODEC_ID_RAWVIDEO | AVCodecID::AV_CODEC_ID_WRAPPED_AVFRAME)
}

/// The encoder's pixel formats.
fn pixel_formats(codec: &ffi::AVCodec) -> Vec<Pixel> {
    let mut formats = Vec::new();
    if codec.pix_fmts.is_null() {
        return every_pixel_format();
    }
    if let Some(uploaded) = upload::formats(codec) {
        return uploaded;
    }
    let mut next = codec.pix_fmts;
    // SAFETY: the list ends with AV_PIX_FMT_NONE, and nothing is read behind it.
    unsafe {
        while *next != AVPixelFormat::AV_PIX_FMT_NONE {
            formats.push(Pixel::from(*next));
            next = next.add(1);
        }
    }
    formats
}

fn every_pixel_format() -> Vec<Pixel> {
    let mut formats = Vec::new();
    // SAFETY: libav's own iteration over a static table: null starts it, null ends it.
    unsafe {
        let mut next = ffi::av_pix_fmt_desc_next(ptr::null());
        while !next.is_null() {
            formats.push(Pixel::from(ffi::av_pix_fmt_desc_get_id(next)));
            next = ffi::av_pix_fmt_desc_next(next);
        }
    }
    formats
}

fn c_string(text: &OsStr) -> Result<CString> {
    CString::new(text.as_encoded_bytes()).map_err(|_| {
        Error::bad_argument(format!("'{}' has a zero byte in it", text.display().to_string().escape_debug()))
    })
}

/// A libav name: ASCII, static.
fn name(text: *const c_char) -> &'static str {
    // SAFETY: names in libav's static tables end with a zero and live as long as the process.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("?")
}
