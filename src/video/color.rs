//! The colour description that travels with a stream: ITU-T H.273 code points.

use crate::video::{Format, Model};

/// Whether code values use the whole scale or the studio part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Range {
    /// Not stated by the source. Computed with as [`Range::Limited`], RGB as [`Range::Full`], but never written as a tag.
    #[default]
    Unspecified,
    /// Studio range: luma 16..235 and chroma 16..240 at 8 bits.
    Limited,
    /// The whole scale: 0..255 at 8 bits.
    Full,
}

impl Range {
    /// True when full range is stated.
    pub fn is_full(self) -> bool {
        self == Range::Full
    }

    /// True when samples of `format` are computed with as full range: RGB unless limited range is stated, all else
    /// where full range is.
    pub fn is_full_in(self, format: Format) -> bool {
        self.is_full() || (self == Range::Unspecified && format.model() == Model::Rgb)
    }
}

/// Where chroma samples sit relative to luma, as H.273 `chroma_loc` (0 is left) plus "not stated".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ChromaLocation(pub Option<u8>);

/// The colour description of a stream or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColorInfo {
    /// Sample range.
    pub range: Range,
    /// `MatrixCoefficients` code point; 2 is unspecified.
    pub matrix: u8,
    /// `TransferCharacteristics` code point; 2 is unspecified.
    pub transfer: u8,
    /// `ColourPrimaries` code point; 2 is unspecified.
    pub primaries: u8,
    /// Chroma sample position.
    pub chroma_location: ChromaLocation,
}

impl Default for ColorInfo {
    fn default() -> Self {
        Self { range: Range::Unspecified, matrix: 2, transfer: 2, primaries: 2, chroma_location: ChromaLocation(None) }
    }
}
