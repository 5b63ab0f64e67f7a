//! What travels with a frame, and what describes a stream.

use crate::video::{ColorInfo, Format, Grading, Record};
use std::fmt;
use std::sync::Arc;

/// A rational number: timebases, frame rates and sample aspect ratios. A zero denominator means "unknown".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    /// Numerator.
    pub num: i32,
    /// Denominator.
    pub den: i32,
}

impl Rational {
    /// `num / den`.
    pub const fn new(num: i32, den: i32) -> Self {
        Self { num, den }
    }

    /// The value, or `None` when it is unknown (either part zero).
    pub fn value(self) -> Option<f64> {
        (self.num != 0 && self.den != 0).then(|| f64::from(self.num) / f64::from(self.den))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.num, self.den)
    }
}

/// Whether a frame is progressive, or which of its fields comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum FieldOrder {
    /// One picture.
    #[default]
    Progressive,
    /// Two fields, the top one first.
    TopFirst,
    /// Two fields, the bottom one first.
    BottomFirst,
}

impl FieldOrder {
    /// True when the frame holds two fields.
    pub fn is_interlaced(self) -> bool {
        self != FieldOrder::Progressive
    }
}

/// A block of metadata that vramp carries from decoder to encoder without reading it (HDR, captions, time code).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideData {
    /// The kind, as the source numbers it.
    pub kind: i32,
    /// The bytes, as the source laid them down.
    pub bytes: Arc<[u8]>,
}

impl SideData {
    /// libav's kinds that describe places in the picture, which no longer hold where samples have moved: pan-scan, stereo
    /// halves, active format, motion vectors, projections, regions of interest, blocks of the coding, bounding boxes.
    pub const OF_PLACES: [i32; 8] = [0, 2, 7, 8, 13, 18, 19, 22];

    /// libav's kinds that state how bright the picture is meant to be, which no longer hold where it is graded anew: mastering
    /// display, light levels, HDR10+, Dolby Vision (its packets, and what they say), HDR Vivid, the room it is seen in.
    pub const OF_GRADING: [i32; 7] = [11, 14, 17, 23, 24, 25, 26];

    /// libav's kind of closed captions, which are shown once.
    pub const CAPTIONS: i32 = 1;
}

/// Everything about one frame but its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameProps {
    /// The frame's absolute place in the source, from 0, whatever part of the source is run.
    pub frame_index: u64,
    /// Presentation time in the stream's timebase, if the source states one.
    pub pts: Option<i64>,
    /// Duration in the stream's timebase; 0 is unknown.
    pub duration: i64,
    /// True for a frame that the source coded by itself.
    pub key: bool,
    /// Progressive or interlaced.
    pub field_order: FieldOrder,
    /// Extra fields to show (libav's `repeat_pict`).
    pub repeat: i32,
    /// Colour description.
    pub color: ColorInfo,
    /// Sample aspect ratio.
    pub sar: Rational,
    /// The brightest that its dynamic metadata (HDR10+) state, in cd/m².
    pub brightest: Option<f32>,
    /// Metadata carried through.
    pub side_data: Vec<SideData>,
    /// It lies outside the part of the source that is run, and is read for its neighbours alone.
    pub context: bool,
    /// What the filters so far have measured of it.
    pub records: Vec<Record>,
}

impl FrameProps {
    /// Presentation time in seconds, in a stream whose times are counted in `timebase`.
    pub fn seconds(&self, timebase: Rational) -> Option<f64> {
        self.pts.zip(timebase.value()).map(|(pts, unit)| pts as f64 * unit)
    }
}

impl Default for FrameProps {
    fn default() -> Self {
        Self {
            frame_index: 0,
            pts: None,
            duration: 0,
            key: false,
            field_order: FieldOrder::Progressive,
            repeat: 0,
            color: ColorInfo::default(),
            sar: Rational::new(0, 1),
            brightest: None,
            side_data: Vec::new(),
            context: false,
            records: Vec::new(),
        }
    }
}

/// What every frame of a stream shares.
///
/// Inside a chain, `format.bit_depth()` is the nominal depth (it fixes black and white in v16), while the samples
/// between filters are always stored as v16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// Sample format.
    pub format: Format,
    /// Luma width in samples.
    pub width: usize,
    /// Luma height in rows.
    pub height: usize,
    /// The unit of `pts` and `duration`, in seconds.
    pub timebase: Rational,
    /// Nominal frame rate, if the source states one.
    pub frame_rate: Rational,
    /// Frames in the stream, if the container states it.
    pub frame_count: Option<u64>,
    /// Colour description.
    pub color: ColorInfo,
    /// Sample aspect ratio.
    pub sar: Rational,
    /// Field order as the container or the first frame states it.
    pub field_order: FieldOrder,
    /// How bright it is, as far as that is stated.
    pub grading: Grading,
}

impl StreamInfo {
    /// True when the samples are computed with as full range.
    pub fn is_full_range(&self) -> bool {
        self.color.range.is_full_in(self.format)
    }

    /// A description for tests, benches and bare callers: 25 fps, square samples, nothing stated about colour.
    pub fn bare(format: Format, width: usize, height: usize) -> Self {
        Self {
            format,
            width,
            height,
            timebase: Rational::new(1, 25),
            frame_rate: Rational::new(25, 1),
            frame_count: None,
            color: ColorInfo::default(),
            sar: Rational::new(1, 1),
            field_order: FieldOrder::Progressive,
            grading: Grading::default(),
        }
    }
}
