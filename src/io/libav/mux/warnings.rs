//! What a container cannot hold of the filtered stream and of the film: logged once, before the run.

use crate::error::{Error, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::setup;
use crate::io::libav::format::hdr::{self, Hdr10};
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::header::{self, HeaderContents};
use crate::video::{ColorInfo, SideData};
use ffmpeg_next::ffi::{AVCodecID, AVFrameSideDataType as InFrame, AVPacketSideDataType as Kinds};

/// Containers that hold chapters, of those that write them at their end.
const CHAPTERS_AT_THE_END: [&str; 3] = ["mp4", "mov", "ipod"];

/// Metadata that changes from frame to frame, what it is called, and the encoders that write it.
const FRAME_BY_FRAME: [(InFrame, &str, &[&str]); 2] = [
    (InFrame::AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "HDR10+ metadata", &["libvpx-vp9"]),
    (InFrame::AV_FRAME_DATA_DOVI_METADATA, "Dolby Vision metadata", &[]),
];

/// Codecs whose streams describe colour.
const COLOUR_IN_STREAM: [AVCodecID; 7] = [
    AVCodecID::AV_CODEC_ID_H264,
    AVCodecID::AV_CODEC_ID_HEVC,
    AVCodecID::AV_CODEC_ID_AV1,
    AVCodecID::AV_CODEC_ID_VP9,
    AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
    AVCodecID::AV_CODEC_ID_PRORES,
    AVCodecID::AV_CODEC_ID_DNXHD,
];

/// Bytes of libav's Dolby Vision configuration record: two of its version, profile, level, three flags, and what the base
/// layer is compatible with (0: nothing).
const DOVI_RECORD: usize = 8;

/// Profiles of Dolby Vision that have a base layer with colours of its own.
const OWN_COLOURS: [u8; 2] = [5, 10];

/// H.273's code point for a characteristic that is not stated.
const UNSPECIFIED: u8 = 2;

/// Side data of the video that players act on, and what it is called.
const SHOWN: [(Kinds, &str); 3] = [
    (Kinds::AV_PKT_DATA_DISPLAYMATRIX, "the rotation"),
    (Kinds::AV_PKT_DATA_MASTERING_DISPLAY_METADATA, "the mastering display"),
    (Kinds::AV_PKT_DATA_CONTENT_LIGHT_LEVEL, "the content light level"),
];

/// Reports what the output of `contents` loses.
pub(in crate::io::libav) fn report(contents: HeaderContents<'_>) {
    let (container, encoder) = (contents.choice.container(), contents.choice.encoder());
    let chapters = contents.container.chapters.len();
    if chapters > 0 && !holds_chapters(contents) {
        log::warn!("{container} cannot hold chapters: {chapters} are left out");
    }
    if states_colour(&contents.info.color) && !holds_colour(contents.choice) {
        log::warn!("{encoder} in {container} cannot hold the colour description: players will guess it");
    }
    let (known, in_stream) = (&contents.container.video.side_data, hdr::words(encoder, &Hdr10::default()).is_some());
    for (kind, what) in SHOWN {
        let there = known.iter().any(|data| data.kind == kind as i32);
        let coded = in_stream && kind != Kinds::AV_PKT_DATA_DISPLAYMATRIX;
        if there && !coded && !holds_side_data(contents, kind) {
            log::warn!("{container} cannot hold {what} of the video: it is left out");
        }
    }
    if known.iter().any(|data| data.kind == Kinds::AV_PKT_DATA_DOVI_CONF as i32) {
        log::warn!("the source is Dolby Vision, whose layers do not fit the new pictures: the output is not");
    }
    if contents.info.field_order.is_interlaced() && !codes_fields(contents.choice) {
        log::warn!("{encoder} does not code fields: the two of an interlaced frame are coded as one picture");
    }
}

/// Refuses Dolby Vision whose base layer is not a picture by itself: its colours are IPTPQc2, which nothing but the
/// dynamic metadata turns into others.
///
/// # Errors
/// When the configuration record among `side_data` states such a layer, with what to do.
pub(in crate::io::libav) fn refuse_wrong_colours(side_data: &[SideData]) -> Result<()> {
    let record = side_data.iter().find(|data| data.kind == Kinds::AV_PKT_DATA_DOVI_CONF as i32);
    let Some(&[_, _, profile, .., compatible]) = record.and_then(|data| data.bytes.first_chunk::<DOVI_RECORD>()) else {
        return Ok(());
    };
    if compatible != 0 || !OWN_COLOURS.contains(&profile) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the source is Dolby Vision of profile {profile}, whose colours are wrong without its metadata, which is \
         not applied: add --ignore-dolby-vision to encode it all the same"
    )))
}

/// What frames have that the output cannot hold; logged once each.
#[derive(Default)]
pub(in crate::io::libav) struct OfFrames {
    said: Vec<InFrame>,
}

impl OfFrames {
    /// Reports what `side_data` has that `encoder` does not write.
    pub(in crate::io::libav) fn report(&mut self, side_data: &[SideData], encoder: &str) {
        for (kind, what, writers) in FRAME_BY_FRAME {
            let there = side_data.iter().any(|data| data.kind == kind as i32);
            if there && !writers.contains(&encoder) && !self.said.contains(&kind) {
                log::warn!("{encoder} does not write {what}: it is left out");
                self.said.push(kind);
            }
        }
    }
}

/// Codes the fields of interlaced frames, or every sample as it is.
fn codes_fields(choice: &EncoderChoice) -> bool {
    setup::CODES_FIELDS.contains(&choice.codec.id) || !setup::is_lossy(choice)
}

fn states_colour(color: &ColorInfo) -> bool {
    [color.matrix, color.transfer, color.primaries].iter().any(|code| *code != UNSPECIFIED)
}

fn holds_colour(choice: &EncoderChoice) -> bool {
    let container = choice.container();
    capacity::is_quicktime(container) || capacity::is_matroska(container) || COLOUR_IN_STREAM.contains(&choice.codec.id)
}

fn holds_chapters(contents: HeaderContents<'_>) -> bool {
    if capacity::is_quicktime(contents.choice.container()) {
        return CHAPTERS_AT_THE_END.contains(&contents.choice.container());
    }
    let mut bare = contents.container.clone();
    bare.chapters.clear();
    differs(contents, HeaderContents { container: &bare, ..contents })
}

fn holds_side_data(contents: HeaderContents<'_>, kind: Kinds) -> bool {
    let mut bare = contents.container.clone();
    bare.video.side_data.retain(|data| data.kind != kind as i32);
    capacity::is_quicktime(contents.choice.container())
        || differs(contents, HeaderContents { container: &bare, ..contents })
}

/// Whether a header has room for what one of the two says and the other does not.
fn differs(full: HeaderContents<'_>, bare: HeaderContents<'_>) -> bool {
    let length = |contents| header::rehearse(&contents).ok();
    length(full) != length(bare)
}
