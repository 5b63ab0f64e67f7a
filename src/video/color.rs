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

impl ColorInfo {
    /// Whether the transfer is one of HDR: PQ or HLG.
    pub fn is_hdr(self) -> bool {
        matches!(self.transfer, 16 | 18)
    }
}

/// FFmpeg's names of the code points of ITU-T H.273, by tag; others have none.
const MATRICES: [(u8, &str); 15] = [
    (0, "gbr"),
    (1, "bt709"),
    (2, "unspecified"),
    (4, "fcc"),
    (5, "bt470bg"),
    (6, "smpte170m"),
    (7, "smpte240m"),
    (8, "ycgco"),
    (9, "bt2020nc"),
    (10, "bt2020c"),
    (11, "smpte2085"),
    (12, "chroma-derived-nc"),
    (13, "chroma-derived-c"),
    (14, "ictcp"),
    (15, "ipt-c2"),
];
const TRANSFERS: [(u8, &str); 17] = [
    (1, "bt709"),
    (2, "unspecified"),
    (4, "bt470m"),
    (5, "bt470bg"),
    (6, "smpte170m"),
    (7, "smpte240m"),
    (8, "linear"),
    (9, "log100"),
    (10, "log316"),
    (11, "iec61966-2-4"),
    (12, "bt1361e"),
    (13, "iec61966-2-1"),
    (14, "bt2020-10"),
    (15, "bt2020-12"),
    (16, "smpte2084"),
    (17, "smpte428"),
    (18, "arib-std-b67"),
];
const PRIMARIES: [(u8, &str); 12] = [
    (1, "bt709"),
    (2, "unspecified"),
    (4, "bt470m"),
    (5, "bt470bg"),
    (6, "smpte170m"),
    (7, "smpte240m"),
    (8, "film"),
    (9, "bt2020"),
    (10, "smpte428"),
    (11, "smpte431"),
    (12, "smpte432"),
    (22, "ebu3213"),
];
const LOCATIONS: [(u8, &str); 6] =
    [(0, "left"), (1, "center"), (2, "topleft"), (3, "top"), (4, "bottomleft"), (5, "bottom")];

/// FFmpeg's name of a code point of `tag`: "matrix", "transfer", "primaries" or "chroma_location".
pub fn code_point_name(tag: &str, point: u8) -> Option<&'static str> {
    let names: &[(u8, &str)] = match tag {
        "matrix" => &MATRICES,
        "transfer" => &TRANSFERS,
        "primaries" => &PRIMARIES,
        "chroma_location" => &LOCATIONS,
        _ => &[],
    };
    names.iter().find(|(known, _)| *known == point).map(|(_, name)| *name)
}

impl Default for ColorInfo {
    fn default() -> Self {
        Self { range: Range::Unspecified, matrix: 2, transfer: 2, primaries: 2, chroma_location: ChromaLocation(None) }
    }
}
