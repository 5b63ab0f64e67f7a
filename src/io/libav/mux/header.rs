//! What a container's header says: its streams, their tags, chapters, and the container's own options.

use crate::error::{Kind, Result};
use crate::io::libav::demux::streams::{Chapter, Container};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::Encoder;
use crate::io::libav::encode::setup::rational;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::context::{Context, out_of_memory};
use crate::io::libav::mux::failure;
use crate::io::libav::mux::stream_copy::{Form, StreamCopy};
use crate::io::libav::mux::tags;
use crate::io::libav::options::OutputOptions;
use crate::video::{Rational, StreamInfo};
use ffmpeg_next::ffi::{self, AVChapter, AVCodecID, AVMediaType};
use std::ffi::{c_int, c_void};

/// Containers whose muxers draw random identifiers, or write the date, unless they are asked for exact bytes.
const RANDOM_IDENTIFIERS: [&str; 8] = ["matroska", "webm", "ogg", "ogv", "oga", "mxf", "mxf_d10", "mxf_opatom"];

/// Everything that a header is written from.
#[derive(Clone, Copy)]
pub(in crate::io::libav) struct HeaderContents<'a> {
    pub(in crate::io::libav) choice: &'a EncoderChoice,
    pub(in crate::io::libav) options: &'a OutputOptions,
    pub(in crate::io::libav) info: &'a StreamInfo,
    pub(in crate::io::libav) encoder: &'a Encoder,
    pub(in crate::io::libav) container: &'a Container,
    /// The streams that are copied.
    pub(in crate::io::libav) copies: &'a [StreamCopy],
    /// What is taken from every time, in the video's timebase.
    pub(in crate::io::libav) offset: i64,
    /// Whether the output can be read back and rewritten at its end.
    pub(in crate::io::libav) seekable: bool,
    /// Whether times before 0 are left as they are, though the container says that it holds none.
    pub(in crate::io::libav) negative_times: bool,
}

impl<'a> HeaderContents<'a> {
    /// What a file that can be read back would hold, before a stream beside the video is admitted.
    pub(in crate::io::libav) fn rehearsed(
        choice: &'a EncoderChoice,
        options: &'a OutputOptions,
        info: &'a StreamInfo,
        encoder: &'a Encoder,
        container: &'a Container,
    ) -> HeaderContents<'a> {
        let copies = &[];
        HeaderContents {
            choice,
            options,
            info,
            encoder,
            container,
            copies,
            offset: 0,
            seekable: true,
            negative_times: false,
        }
    }
}

/// A context that holds `contents` and has no file yet.
///
/// # Errors
/// When the container does not take an option, or memory runs out.
pub(in crate::io::libav) fn build(contents: &HeaderContents<'_>) -> Result<Context> {
    let context = Context::new(contents.choice.container)?;
    configure(&context, contents)?;
    add_video(&context, contents)?;
    for copy in contents.copies {
        add_copy(&context, copy)?;
    }
    for chapter in &contents.container.chapters {
        add_chapter(&context, chapter, rescale(contents.offset, contents.info.timebase, chapter.timebase))?;
    }
    // SAFETY: the context is ours.
    unsafe { tags::set_tags(&mut (*context.as_ptr()).metadata, tags::of_film(&contents.container.metadata)) };
    Ok(context)
}

fn configure(context: &Context, contents: &HeaderContents<'_>) -> Result<()> {
    let HeaderContents { choice, options, .. } = contents;
    let settings = context.settings(choice.container());
    if capacity::is_quicktime(choice.container()) {
        // The index goes first, so that playing can start before everything is loaded. A pipe cannot be gone
        // back in: there the file comes in fragments, each with its own index.
        let flags = if contents.seekable { "+faststart" } else { "+frag_keyframe+delay_moov+default_base_moof" };
        settings.set("movflags", flags)?;
        // Edit lists state when a track starts, in this unit.
        if settings.has("movie_timescale") {
            settings.set("movie_timescale", &movie_timescale(contents).to_string())?;
        }
    }
    if RANDOM_IDENTIFIERS.contains(&choice.container()) {
        // The same run gives the same bytes.
        settings.set("fflags", "+bitexact")?;
    }
    // FLAC in MP4 has a specification since 2017, which libav calls experimental before FFmpeg 6.
    let is_flac = |copy: &StreamCopy| copy.codec() == AVCodecID::AV_CODEC_ID_FLAC;
    if choice.container() == "mp4" && contents.copies.iter().any(is_flac) {
        settings.set("strict", "experimental")?;
    }
    if contents.negative_times {
        settings.set("avoid_negative_ts", "disabled")?;
    }
    for (key, value) in options.options.iter().filter(|(key, _)| settings.has(key)) {
        settings.set(key, value)?;
    }
    Ok(())
}

fn add_video(context: &Context, contents: &HeaderContents<'_>) -> Result<()> {
    let HeaderContents { choice, info, encoder, container, .. } = contents;
    let stream = context.stream()?;
    // SAFETY: the stream is the context's, which is ours; the encoder is open.
    unsafe {
        let parameters = (*stream).codecpar;
        let code = ffi::avcodec_parameters_from_context(parameters, encoder.context());
        if code < 0 {
            return Err(failure::error(choice.encoder(), code, Kind::Internal));
        }
        if capacity::is_quicktime(choice.container()) && (*parameters).codec_id == AVCodecID::AV_CODEC_ID_HEVC {
            // Apple's players open only this tag; its rule, parameter sets in the header alone, is kept.
            (*parameters).codec_tag = u32::from_le_bytes(*b"hvc1");
        }
        (*stream).time_base = rational(encoder.unit());
        (*stream).avg_frame_rate = rational(info.frame_rate);
        (*stream).sample_aspect_ratio = (*parameters).sample_aspect_ratio;
        (*stream).disposition = container.video.disposition;
        for index in 0..usize::try_from((*encoder.context()).nb_coded_side_data).unwrap_or(0) {
            let data = &*(*encoder.context()).coded_side_data.add(index);
            tags::attach(stream, data.type_, std::slice::from_raw_parts(data.data, data.size))?;
        }
        tags::describe(stream, &container.video.side_data, false)?;
        tags::set_tags(&mut (*stream).metadata, tags::of_recoded(&container.video.metadata));
    }
    Ok(())
}

fn add_copy(context: &Context, copy: &StreamCopy) -> Result<()> {
    let stream = context.stream()?;
    // SAFETY: the stream is the context's, which is ours; the parameters are the source's copy.
    unsafe {
        let parameters = (*stream).codecpar;
        let code = ffi::avcodec_parameters_copy(parameters, copy.parameters.as_ptr());
        if code < 0 {
            return Err(failure::error("a copied stream", code, Kind::Internal));
        }
        (*parameters).codec_tag = kept_tag(context, (*parameters).codec_id, (*parameters).codec_tag);
        if let Form::File(bytes) = &copy.form {
            (*parameters).codec_type = AVMediaType::AVMEDIA_TYPE_ATTACHMENT;
            tags::set_extradata(parameters, bytes)?;
        }
        if let Some(samples) = copy.priming {
            (*parameters).initial_padding = samples;
        }
        if matches!((*parameters).codec_id, AVCodecID::AV_CODEC_ID_MP3 | AVCodecID::AV_CODEC_ID_AC3) {
            // AVI's readers state a length that these packets do not have, and its writer would count by it.
            (*parameters).block_align = 0;
        }
        (*stream).time_base = rational(unit(copy.timebase, (*parameters).codec_id));
        (*stream).avg_frame_rate = rational(copy.frame_rate);
        (*stream).sample_aspect_ratio = (*parameters).sample_aspect_ratio;
        (*stream).disposition = copy.tags.disposition;
        tags::describe(stream, &copy.tags.side_data, !copy.is_recoded)?;
        if copy.is_recoded {
            tags::set_tags(&mut (*stream).metadata, tags::of_recoded(&copy.tags.metadata));
        } else {
            tags::set_tags(&mut (*stream).metadata, tags::of_stream(&copy.tags.metadata));
        }
    }
    Ok(())
}

/// The unit of the packets' times in the container: `timebase`, but for text in MP4 a multiple of it near a microsecond.
///
/// libav's muxer holds the end of a text against the times of video packets without regard to their units (movenc.c,
/// `mov_write_packet`), and writes an empty text of no length where two follow one another. In a fine unit that does not happen.
fn unit(timebase: Rational, codec: AVCodecID) -> Rational {
    const FINE: i32 = 1_000_000;
    match codec {
        AVCodecID::AV_CODEC_ID_MOV_TEXT if (1..FINE).contains(&timebase.den) => {
            Rational::new(timebase.num, FINE / timebase.den * timebase.den)
        }
        _ => timebase,
    }
}

/// The tag a copied codec keeps: the source's where this container means the same by it or knows none, else 0,
/// which lets the container choose.
fn kept_tag(context: &Context, codec: AVCodecID, tag: u32) -> u32 {
    // SAFETY: the container's tables are static.
    unsafe {
        let tags = (*(*context.as_ptr()).oformat).codec_tag;
        let mut other = 0;
        let keep = tags.is_null()
            || ffi::av_codec_get_id(tags, tag) == codec
            || ffi::av_codec_get_tag2(tags, codec, &mut other) == 0;
        if keep { tag } else { 0 }
    }
}

fn add_chapter(context: &Context, chapter: &Chapter, offset: i64) -> Result<()> {
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
        tags::set_tags(&mut (*made).metadata, &chapter.metadata);
        let context = context.as_ptr();
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

/// Tries the header of `contents` without a file. Gives its length.
///
/// # Errors
/// When the container refuses the contents, with the reason it logs.
pub(in crate::io::libav) fn rehearse(contents: &HeaderContents<'_>) -> Result<usize> {
    let mut context = build(contents)?;
    context.open_scratch()?;
    context.write_header(contents.choice.container())?;
    Ok(context.discard_scratch())
}

/// A unit in which the times of all tracks are whole: edit lists would round them otherwise.
fn movie_timescale(contents: &HeaderContents<'_>) -> i32 {
    // A track's unit is at most this long; libav halves a longer one until it fits.
    const LONGEST: i64 = 10_000;
    let mut scale = i64::from(contents.encoder.unit().den.max(1));
    while scale < LONGEST {
        scale *= 2;
    }
    for copy in contents.copies {
        let den = i64::from(copy.timebase.den.max(1));
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
