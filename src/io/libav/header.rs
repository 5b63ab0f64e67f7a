//! What a container's header says: its streams, their tags, chapters, and the container's own options.

use crate::error::{Error, Kind, Result};
use crate::io::libav::choose::EncoderChoice;
use crate::io::libav::encode::Encoder;
use crate::io::libav::failure;
use crate::io::libav::logging;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::passage::{Form, Passage};
use crate::io::libav::rhythm::rescale;
use crate::io::libav::settings::Settings;
use crate::io::libav::setup::rational;
use crate::io::libav::streams::{Chapter, Container};
use crate::video::{Rational, StreamInfo};
use ffmpeg_next::ffi::{
    self, AVChapter, AVCodecID, AVDictionary, AVFormatContext, AVMediaType, AVOutputFormat,
    AVPacketSideDataType as Kinds, AVPixelFormat, AVStream,
};
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};

/// Containers of the QuickTime family, which write what they know at their end.
const QUICKTIME: [&str; 8] = ["mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v", "ismv"];

/// Codecs that readers find in a transport stream. libav's muxer takes every other one too, as bytes without a name.
const IN_TRANSPORT_STREAMS: [AVCodecID; 27] = [
    AVCodecID::AV_CODEC_ID_MPEG1VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_MPEG4,
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_HEVC,
    AVCodecID::AV_CODEC_ID_CAVS,
    AVCodecID::AV_CODEC_ID_AVS2,
    AVCodecID::AV_CODEC_ID_AVS3,
    AVCodecID::AV_CODEC_ID_DIRAC,
    AVCodecID::AV_CODEC_ID_VC1,
    AVCodecID::AV_CODEC_ID_JPEG2000,
    AVCodecID::AV_CODEC_ID_MP1,
    AVCodecID::AV_CODEC_ID_MP2,
    AVCodecID::AV_CODEC_ID_MP3,
    AVCodecID::AV_CODEC_ID_AAC,
    AVCodecID::AV_CODEC_ID_AAC_LATM,
    AVCodecID::AV_CODEC_ID_AC3,
    AVCodecID::AV_CODEC_ID_EAC3,
    AVCodecID::AV_CODEC_ID_DTS,
    AVCodecID::AV_CODEC_ID_TRUEHD,
    AVCodecID::AV_CODEC_ID_OPUS,
    AVCodecID::AV_CODEC_ID_S302M,
    AVCodecID::AV_CODEC_ID_DVB_SUBTITLE,
    AVCodecID::AV_CODEC_ID_DVB_TELETEXT,
    AVCodecID::AV_CODEC_ID_HDMV_PGS_SUBTITLE,
    AVCodecID::AV_CODEC_ID_SMPTE_KLV,
    AVCodecID::AV_CODEC_ID_TIMED_ID3,
];

/// Metadata of the source's container that is not about its content.
const CONTAINER_TAGS: [&str; 4] = ["encoder", "major_brand", "minor_version", "compatible_brands"];

/// Metadata of a video stream that is not true of the new one.
const CODING_TAGS: [&str; 3] = ["encoder", "BPS", "DURATION"];

/// How the names of what mkvmerge counts begin.
const COUNTED_TAGS: [&str; 2] = ["NUMBER_OF_", "_STATISTICS_"];

/// Side data of a stream that describes its pictures or sound, however coded.
const DESCRIBES: [Kinds; 9] = [
    Kinds::AV_PKT_DATA_REPLAYGAIN,
    Kinds::AV_PKT_DATA_DISPLAYMATRIX,
    Kinds::AV_PKT_DATA_STEREO3D,
    Kinds::AV_PKT_DATA_AUDIO_SERVICE_TYPE,
    Kinds::AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
    Kinds::AV_PKT_DATA_SPHERICAL,
    Kinds::AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
    Kinds::AV_PKT_DATA_ICC_PROFILE,
    Kinds::AV_PKT_DATA_S12M_TIMECODE,
];

/// Side data of a copied stream that describes its coding, which stays.
const DESCRIBES_CODING: [Kinds; 4] = [
    Kinds::AV_PKT_DATA_FALLBACK_TRACK,
    Kinds::AV_PKT_DATA_CPB_PROPERTIES,
    Kinds::AV_PKT_DATA_DOVI_CONF,
    Kinds::AV_PKT_DATA_MPEGTS_STREAM_ID,
];

/// Everything that a header is written from.
#[derive(Clone, Copy)]
pub(super) struct Contents<'a> {
    pub(super) choice: &'a EncoderChoice,
    pub(super) options: &'a OutputOptions,
    pub(super) info: &'a StreamInfo,
    pub(super) encoder: &'a Encoder,
    pub(super) container: &'a Container,
    /// The streams that are passed on.
    pub(super) passages: &'a [Passage],
    /// What is taken from every time, in the video's timebase.
    pub(super) offset: i64,
    /// Whether the output can be read back and rewritten at its end.
    pub(super) seekable: bool,
    /// Whether times before 0 are left as they are, though the container says that it holds none.
    pub(super) negative_times: bool,
}

/// Whether a container is of the QuickTime family.
pub(super) fn is_quicktime(container: &str) -> bool {
    QUICKTIME.contains(&container)
}

/// Whether a container is Matroska, or its subset for the web.
pub(super) fn is_matroska(container: &str) -> bool {
    matches!(container, "matroska" | "webm")
}

/// Whether a container has no times: its frames follow each other.
pub(super) fn is_untimed(container: &AVOutputFormat) -> bool {
    name(container) == "yuv4mpegpipe" || container.flags & ffi::AVFMT_NOTIMESTAMPS != 0
}

/// Whether a container holds one video stream and nothing else.
pub(super) fn is_video_alone(container: &AVOutputFormat) -> bool {
    container.audio_codec == AVCodecID::AV_CODEC_ID_NONE
}

/// Whether a reader finds the codec in the container again, as far as is known before a header is written.
pub(super) fn holds_codec(container: &'static AVOutputFormat, codec: AVCodecID) -> bool {
    if name(container) == "mpegts" {
        return IN_TRANSPORT_STREAMS.contains(&codec);
    }
    // SAFETY: the container and its tables are static. Less than 0 is "not known". Matroska holds whatever has a tag
    // in older containers, though it does not say so.
    unsafe {
        let mut tag = 0;
        ffi::avformat_query_codec(container, codec, ffi::FF_COMPLIANCE_NORMAL) != 0
            || name(container) == "matroska" && ffi::av_codec_get_tag2(container.codec_tag, codec, &mut tag) != 0
    }
}

/// An `AVFormatContext` of ours, for writing.
pub(super) struct Context {
    context: NonNull<AVFormatContext>,
    /// Whether it writes to memory that nobody reads.
    scratch: bool,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is ours and not used again; its file is open, scratch memory, or null.
        unsafe {
            let context = self.context.as_ptr();
            if self.scratch {
                self.discard_scratch();
            } else {
                ffi::avio_closep(&mut (*context).pb);
            }
            ffi::avformat_free_context(context);
        }
    }
}

impl Context {
    /// An empty context.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn new(container: &'static AVOutputFormat) -> Result<Context> {
        let mut context = ptr::null_mut();
        // SAFETY: the container is static and decides alone; gives a context or null.
        unsafe { ffi::avformat_alloc_output_context2(&mut context, container, ptr::null(), ptr::null()) };
        let context = NonNull::new(context).ok_or_else(out_of_memory)?;
        // Samples of more than 8 bits are y4m's common extension.
        if name(container) == "yuv4mpegpipe" {
            // SAFETY: the context is ours.
            unsafe { (*context.as_ptr()).strict_std_compliance = ffi::FF_COMPLIANCE_UNOFFICIAL };
        }
        Ok(Context { context, scratch: false })
    }

    /// A context that holds `contents` and has no file yet.
    ///
    /// # Errors
    /// When the container does not take an option, or memory runs out.
    pub(super) fn build(contents: &Contents<'_>) -> Result<Context> {
        let context = Context::new(contents.choice.container)?;
        context.configure(contents)?;
        context.add_video(contents)?;
        for passage in contents.passages {
            context.add_passage(passage)?;
        }
        for chapter in &contents.container.chapters {
            context.add_chapter(chapter, rescale(contents.offset, contents.info.timebase, chapter.timebase))?;
        }
        let about = contents.container.metadata.iter().filter(|(key, _)| !CONTAINER_TAGS.contains(&key.as_str()));
        // SAFETY: the context is ours.
        unsafe { set_tags(&mut (*context.as_ptr()).metadata, about) };
        Ok(context)
    }

    pub(super) fn as_ptr(&self) -> *mut AVFormatContext {
        self.context.as_ptr()
    }

    /// The container's options.
    pub(super) fn settings(&self, owner: &'static str) -> Settings<'_> {
        // SAFETY: the context lives as long as the borrow.
        unsafe { Settings::of(self.as_ptr().cast(), owner) }
    }

    fn configure(&self, contents: &Contents<'_>) -> Result<()> {
        let Contents { choice, options, .. } = contents;
        let settings = self.settings(choice.container());
        if is_quicktime(choice.container()) {
            // The index goes first, so that playing can start before everything is loaded. A pipe cannot be gone
            // back in: there the file comes in fragments, each with its own index.
            let flags = if contents.seekable { "+faststart" } else { "+frag_keyframe+delay_moov+default_base_moof" };
            settings.set("movflags", flags)?;
            // Edit lists tell when a track starts, in this unit.
            if settings.has("movie_timescale") {
                settings.set("movie_timescale", &movie_timescale(contents).to_string())?;
            }
        }
        if contents.negative_times {
            settings.set("avoid_negative_ts", "disabled")?;
        }
        for (key, value) in options.options.iter().filter(|(key, _)| settings.has(key)) {
            settings.set(key, value)?;
        }
        Ok(())
    }

    fn add_video(&self, contents: &Contents<'_>) -> Result<()> {
        let Contents { choice, info, encoder, container, .. } = contents;
        let stream = self.stream()?;
        // SAFETY: the stream is the context's, which is ours; the encoder is open.
        unsafe {
            let parameters = (*stream).codecpar;
            let code = ffi::avcodec_parameters_from_context(parameters, encoder.context());
            if code < 0 {
                return Err(failure::error(choice.encoder(), code, Kind::Internal));
            }
            if is_quicktime(choice.container()) && (*parameters).codec_id == AVCodecID::AV_CODEC_ID_HEVC {
                // Apple's players open only this tag; its rule, parameter sets in the header alone, is kept.
                (*parameters).codec_tag = u32::from_le_bytes(*b"hvc1");
            }
            (*stream).time_base = rational(encoder.unit());
            (*stream).avg_frame_rate = rational(info.frame_rate);
            (*stream).sample_aspect_ratio = (*parameters).sample_aspect_ratio;
            (*stream).disposition = container.video.disposition;
            for index in 0..usize::try_from((*encoder.context()).nb_coded_side_data).unwrap_or(0) {
                let data = &*(*encoder.context()).coded_side_data.add(index);
                attach(stream, data.type_, std::slice::from_raw_parts(data.data, data.size))?;
            }
            for data in &container.video.side_data {
                if let Some(kind) = DESCRIBES.into_iter().find(|kind| *kind as i32 == data.kind) {
                    attach(stream, kind, &data.bytes)?;
                }
            }
            let about = |key: &str| {
                !is_vendor(key)
                    && !CODING_TAGS.iter().any(|tag| key.eq_ignore_ascii_case(tag))
                    && !key.starts_with("BPS-")
                    && !COUNTED_TAGS.iter().any(|start| key.starts_with(start))
            };
            set_tags(&mut (*stream).metadata, container.video.metadata.iter().filter(|(key, _)| about(key)));
        }
        Ok(())
    }

    fn add_passage(&self, passage: &Passage) -> Result<()> {
        let stream = self.stream()?;
        // SAFETY: the stream is the context's, which is ours; the parameters are the source's copy.
        unsafe {
            let parameters = (*stream).codecpar;
            let code = ffi::avcodec_parameters_copy(parameters, passage.parameters.as_ptr());
            if code < 0 {
                return Err(failure::error("a copied stream", code, Kind::Internal));
            }
            (*parameters).codec_tag = self.tag((*parameters).codec_id, (*parameters).codec_tag);
            if let Form::File(bytes) = &passage.form {
                (*parameters).codec_type = AVMediaType::AVMEDIA_TYPE_ATTACHMENT;
                set_extradata(parameters, bytes)?;
            }
            if let Some(samples) = passage.priming {
                (*parameters).initial_padding = samples;
            }
            (*stream).time_base = rational(passage.timebase);
            (*stream).avg_frame_rate = rational(passage.frame_rate);
            (*stream).sample_aspect_ratio = (*parameters).sample_aspect_ratio;
            (*stream).disposition = passage.tags.disposition;
            for data in &passage.tags.side_data {
                let mut kinds = DESCRIBES.into_iter().chain(DESCRIBES_CODING);
                if let Some(kind) = kinds.find(|kind| *kind as i32 == data.kind) {
                    attach(stream, kind, &data.bytes)?;
                }
            }
            set_tags(&mut (*stream).metadata, passage.tags.metadata.iter().filter(|(key, _)| !is_vendor(key)));
        }
        Ok(())
    }

    /// The tag a copied codec keeps: the source's where this container means the same by it or knows none, else 0,
    /// which lets the container choose.
    fn tag(&self, codec: AVCodecID, tag: u32) -> u32 {
        // SAFETY: the container's tables are static.
        unsafe {
            let tags = (*(*self.as_ptr()).oformat).codec_tag;
            let mut other = 0;
            let keep = tags.is_null()
                || ffi::av_codec_get_id(tags, tag) == codec
                || ffi::av_codec_get_tag2(tags, codec, &mut other) == 0;
            if keep { tag } else { 0 }
        }
    }

    fn add_chapter(&self, chapter: &Chapter, offset: i64) -> Result<()> {
        let (mut start, end) = (chapter.start - offset, chapter.end - offset);
        if offset != 0 && end <= 0 {
            return Ok(());
        }
        if offset != 0 {
            start = start.max(0);
        }
        // SAFETY: the context is ours and frees the chapter, which is made of zeros and then filled.
        unsafe {
            let made = ffi::av_mallocz(size_of::<AVChapter>()).cast::<AVChapter>();
            if made.is_null() {
                return Err(out_of_memory());
            }
            ((*made).id, (*made).start, (*made).end) = (chapter.id, start, end);
            (*made).time_base = rational(chapter.timebase);
            set_tags(&mut (*made).metadata, &chapter.metadata);
            let context = self.as_ptr();
            let list = (&raw mut (*context).chapters).cast::<c_void>();
            let mut count = (*context).nb_chapters as c_int;
            if ffi::av_dynarray_add_nofree(list, &mut count, made.cast()) < 0 {
                ffi::av_dict_free(&mut (*made).metadata);
                ffi::av_free(made.cast());
                return Err(out_of_memory());
            }
            (*context).nb_chapters = count as u32;
        }
        Ok(())
    }

    fn stream(&self) -> Result<*mut AVStream> {
        // SAFETY: the context is ours; gives a stream it owns, or null.
        let stream = unsafe { ffi::avformat_new_stream(self.as_ptr(), ptr::null()) };
        if stream.is_null() { Err(out_of_memory()) } else { Ok(stream) }
    }

    /// Opens `path`, or standard output when there is none. `what` is what messages call it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(&mut self, path: Option<&Path>, what: &str) -> Result<()> {
        // The protocol is said, or a colon in the name would be taken for one.
        let url = match path {
            Some(path) => [b"file:", path.as_os_str().as_encoded_bytes()].concat(),
            None => b"pipe:1".to_vec(),
        };
        let url = CString::new(url).map_err(|_| Error::bad_argument(format!("{what} has a zero byte in it")))?;
        // SAFETY: the context is ours and has no file yet; it keeps a copy of the name, to read the file at its end.
        let code = unsafe {
            let context = self.as_ptr();
            (*context).url = ffi::av_strdup(url.as_ptr());
            let (flags, none) = (ffi::AVIO_FLAG_WRITE, ptr::null_mut());
            ffi::avio_open2(&mut (*context).pb, url.as_ptr(), flags, ptr::null(), none)
        };
        if code < 0 { Err(failure::error(what, code, Kind::Io)) } else { Ok(()) }
    }

    /// Gives it memory to write to instead of a file.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn open_scratch(&mut self) -> Result<()> {
        // SAFETY: the context is ours and has no file yet.
        let code = unsafe { ffi::avio_open_dyn_buf(&mut (*self.as_ptr()).pb) };
        self.scratch = code >= 0;
        if code < 0 { Err(out_of_memory()) } else { Ok(()) }
    }

    /// Frees the memory and gives the bytes that were written to it.
    fn discard_scratch(&mut self) -> usize {
        self.scratch = false;
        let mut bytes = ptr::null_mut();
        // SAFETY: the file is the memory that `open_scratch` made; closing hands it over, and the context forgets it.
        unsafe {
            let context = self.as_ptr();
            let length = ffi::avio_close_dyn_buf((*context).pb, &mut bytes);
            (*context).pb = ptr::null_mut();
            ffi::av_free(bytes.cast());
            usize::try_from(length).unwrap_or(0)
        }
    }

    /// Writes the header. `what` is what messages call the output.
    ///
    /// # Errors
    /// When the container refuses its contents, with the reason it logs, or the file cannot be written.
    pub(super) fn write_header(&mut self, what: &str) -> Result<()> {
        // SAFETY: the context is complete and has a file; null is no further options.
        let write = || unsafe { ffi::avformat_write_header(self.as_ptr(), ptr::null_mut()) };
        let (code, heard) = logging::listen(write);
        if code < 0 { Err(failure::refusal(what, code, &heard)) } else { Ok(()) }
    }
}

/// Tries the header of `contents` without a file. Gives its length.
///
/// # Errors
/// When the container refuses the contents, with the reason it logs.
pub(super) fn rehearse(contents: &Contents<'_>) -> Result<usize> {
    let mut context = Context::build(contents)?;
    context.open_scratch()?;
    context.write_header(contents.choice.container())?;
    Ok(context.discard_scratch())
}

/// Whether the container takes raw frames of a pixel format.
pub(super) fn takes_raw(container: &'static AVOutputFormat, codec: AVCodecID, pixel: AVPixelFormat) -> bool {
    let attempt = || -> Result<()> {
        let mut context = Context::new(container)?;
        let stream = context.stream()?;
        // SAFETY: the stream and its parameters are the context's, which is ours.
        unsafe {
            let parameters = (*stream).codecpar;
            (*parameters).codec_type = AVMediaType::AVMEDIA_TYPE_VIDEO;
            (*parameters).codec_id = codec;
            (*parameters).codec_tag = ffi::avcodec_pix_fmt_to_codec_tag(pixel);
            (*parameters).format = pixel as c_int;
            ((*parameters).width, (*parameters).height) = (16, 16);
            (*stream).time_base = rational(Rational::new(1, 25));
        }
        context.open_scratch()?;
        context.write_header(name(container))
    };
    attempt().is_ok()
}

/// A unit in which the times of all tracks are whole: edit lists would round them otherwise.
fn movie_timescale(contents: &Contents<'_>) -> i32 {
    // A track's unit is at most this long; libav halves a longer one until it fits.
    const LONGEST: i64 = 10_000;
    let mut scale = i64::from(contents.encoder.unit().den.max(1));
    while scale < LONGEST {
        scale *= 2;
    }
    for passage in contents.passages {
        let den = i64::from(passage.timebase.den.max(1));
        let common = scale / gcd(scale, den) * den;
        if common <= i64::from(i32::MAX) {
            scale = common;
        }
    }
    i32::try_from(scale).unwrap_or(i32::MAX)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn name(container: &AVOutputFormat) -> &'static str {
    // SAFETY: a container's name is static.
    unsafe { CStr::from_ptr(container.name) }.to_str().unwrap_or("?")
}

/// Adds side data to a stream.
///
/// # Safety
/// The stream is alive and ours.
unsafe fn attach(stream: *mut AVStream, kind: Kinds, bytes: &[u8]) -> Result<()> {
    // SAFETY: libav gives null or a block with room for the bytes.
    unsafe {
        let block = ffi::av_stream_new_side_data(stream, kind, bytes.len());
        if block.is_null() {
            return Err(out_of_memory());
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), block, bytes.len());
    }
    Ok(())
}

/// Replaces a stream's extradata.
///
/// # Safety
/// The parameters are alive and ours.
unsafe fn set_extradata(parameters: *mut ffi::AVCodecParameters, bytes: &[u8]) -> Result<()> {
    // SAFETY: the old block is libav's; the new one has room for the bytes and the padding of zeros that readers need.
    unsafe {
        ffi::av_freep((&raw mut (*parameters).extradata).cast());
        let block = ffi::av_mallocz(bytes.len() + ffi::AV_INPUT_BUFFER_PADDING_SIZE as usize);
        if block.is_null() {
            return Err(out_of_memory());
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len());
        (*parameters).extradata = block.cast();
        (*parameters).extradata_size = bytes.len() as c_int;
    }
    Ok(())
}

/// Adds metadata. What has a zero byte in it is no text and stays away.
///
/// # Safety
/// The dictionary is null or libav's.
unsafe fn set_tags<'a>(dictionary: *mut *mut AVDictionary, tags: impl IntoIterator<Item = &'a (String, String)>) {
    for (key, value) in tags {
        if let (Ok(key), Ok(value)) = (CString::new(key.as_str()), CString::new(value.as_str())) {
            // SAFETY: both texts end with a zero; libav copies them.
            unsafe { ffi::av_dict_set(dictionary, key.as_ptr(), value.as_ptr(), 0) };
        }
    }
}

/// QuickTime's word for who made a track's data.
fn is_vendor(key: &str) -> bool {
    key.eq_ignore_ascii_case("vendor_id")
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for a container's header")
}
