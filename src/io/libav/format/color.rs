//! The colour description in libav's structures.

use crate::video::{ColorInfo, Range};
use ffmpeg_next::ffi::{AVChromaLocation, AVColorPrimaries, AVColorRange, AVColorSpace, AVColorTransferCharacteristic};

/// The fields of a libav structure that describe colour.
pub(in crate::io::libav) struct ColorFields {
    pub(in crate::io::libav) range: *mut AVColorRange,
    pub(in crate::io::libav) matrix: *mut AVColorSpace,
    pub(in crate::io::libav) transfer: *mut AVColorTransferCharacteristic,
    pub(in crate::io::libav) primaries: *mut AVColorPrimaries,
    pub(in crate::io::libav) location: *mut AVChromaLocation,
}

impl ColorFields {
    /// Writes `color`. libav numbers as H.273 does, except that its chroma locations keep 0 for "not stated".
    ///
    /// # Safety
    /// Every field points into a live libav structure.
    pub(in crate::io::libav) unsafe fn write(&self, color: &ColorInfo) {
        let range = match color.range {
            Range::Unspecified => AVColorRange::AVCOL_RANGE_UNSPECIFIED,
            Range::Limited => AVColorRange::AVCOL_RANGE_MPEG,
            Range::Full => AVColorRange::AVCOL_RANGE_JPEG,
        };
        let location = color.chroma_location.0.map_or(0, |location| u32::from(location) + 1);
        // SAFETY: the fields are live by contract. They are C's integers, written as such: a code point that these
        // bindings have no name for must not become a value of their enumerations.
        unsafe {
            self.range.write(range);
            self.matrix.cast::<u32>().write(color.matrix.into());
            self.transfer.cast::<u32>().write(color.transfer.into());
            self.primaries.cast::<u32>().write(color.primaries.into());
            self.location.cast::<u32>().write(location);
        }
    }
}
