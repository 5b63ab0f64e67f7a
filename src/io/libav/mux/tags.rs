//! Metadata and side data of streams: which of it stays true, and how libav gets it.

use crate::error::Result;
use crate::io::libav::mux::context::out_of_memory;
use crate::video::SideData;
use ffmpeg_next::ffi::{self, AVDictionary, AVPacketSideDataType as Kinds, AVStream};
use std::ffi::{CString, c_int};
use std::ptr;

type Tag = (String, String);

/// Metadata of the source's container that is not about its content.
const CONTAINER_TAGS: [&str; 4] = ["encoder", "major_brand", "minor_version", "compatible_brands"];

/// WebM's word for alpha within the packets, beside the pictures.
pub(in crate::io::libav) const ALPHA_MODE: &str = "alpha_mode";

/// Metadata of a stream that is not true of the one that is made of it.
const CODING_TAGS: [&str; 4] = ["encoder", "BPS", "DURATION", ALPHA_MODE];

/// QuickTime's word for who made a track's data.
const VENDOR: &str = "vendor_id";

/// How the names of what mkvmerge counts begin.
const COUNTED_TAGS: [&str; 3] = ["BPS-", "NUMBER_OF_", "_STATISTICS_"];

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

/// What describes the film, rather than its old container.
pub(in crate::io::libav) fn of_film(tags: &[Tag]) -> impl Iterator<Item = &Tag> {
    tags.iter().filter(|(key, _)| !CONTAINER_TAGS.contains(&key.as_str()))
}

/// What describes a stream that is encoded again, the video or another, rather than its old coding.
pub(in crate::io::libav) fn of_recoded(tags: &[Tag]) -> impl Iterator<Item = &Tag> {
    let about_coding = |key: &str| {
        CODING_TAGS.iter().any(|tag| key.eq_ignore_ascii_case(tag))
            || COUNTED_TAGS.iter().any(|start| key.starts_with(start))
    };
    of_stream(tags).filter(move |(key, _)| !about_coding(key))
}

/// What describes a copied stream, rather than its old container.
pub(in crate::io::libav) fn of_stream(tags: &[Tag]) -> impl Iterator<Item = &Tag> {
    tags.iter().filter(|(key, _)| !key.eq_ignore_ascii_case(VENDOR))
}

/// Adds to a stream the side data that describes what it shows or sounds like and, for one that keeps its coding, that.
///
/// # Errors
/// When memory runs out.
///
/// # Safety
/// The stream is alive and ours.
pub(in crate::io::libav) unsafe fn describe(
    stream: *mut AVStream,
    side_data: &[SideData],
    keeps_coding: bool,
) -> Result<()> {
    let coding = if keeps_coding { &DESCRIBES_CODING[..] } else { &[] };
    for data in side_data {
        if let Some(kind) = DESCRIBES.iter().chain(coding).find(|kind| **kind as i32 == data.kind) {
            // SAFETY: by the caller.
            unsafe { attach(stream, *kind, &data.bytes)? };
        }
    }
    Ok(())
}

/// Adds side data to a stream.
///
/// # Errors
/// When memory runs out.
///
/// # Safety
/// The stream is alive and ours.
pub(in crate::io::libav) unsafe fn attach(stream: *mut AVStream, kind: Kinds, bytes: &[u8]) -> Result<()> {
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
/// # Errors
/// When memory runs out.
///
/// # Safety
/// The parameters are alive and ours.
pub(in crate::io::libav) unsafe fn set_extradata(parameters: *mut ffi::AVCodecParameters, bytes: &[u8]) -> Result<()> {
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
pub(in crate::io::libav) unsafe fn set_tags<'a>(
    dictionary: *mut *mut AVDictionary,
    tags: impl IntoIterator<Item = &'a Tag>,
) {
    for (key, value) in tags {
        if let (Ok(key), Ok(value)) = (CString::new(key.as_str()), CString::new(value.as_str())) {
            // SAFETY: both texts end with a zero; libav copies them.
            unsafe { ffi::av_dict_set(dictionary, key.as_ptr(), value.as_ptr(), 0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_true_of_the_output_stays_behind() {
        let tag = |key: &str| (key.to_owned(), "x".to_owned());
        let keys =
            ["title", "encoder", "major_brand", "vendor_id", "BPS-eng", "DURATION", "_STATISTICS_TAGS", "language"];
        let tags = keys.map(tag);
        let kept = |tags: Vec<&Tag>| tags.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>().join(" ");
        let film = "title vendor_id BPS-eng DURATION _STATISTICS_TAGS language";
        assert_eq!(kept(of_film(&tags).collect()), film);
        assert_eq!(kept(of_recoded(&tags).collect()), "title major_brand language");
        let copied = "title encoder major_brand BPS-eng DURATION _STATISTICS_TAGS language";
        assert_eq!(kept(of_stream(&tags).collect()), copied);
    }
}
