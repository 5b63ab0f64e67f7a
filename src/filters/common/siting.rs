//! Where chroma samples sit between luma samples, by ITU-T H.273.

use crate::video::{ChromaLocation, Format, StreamInfo};

crate::choices! {
    /// Where the first chroma sample sits, by ITU-T H.273.
    pub enum Siting {
        /// At the left column, between the rows.
        Left = "left",
        /// In the middle of its luma samples.
        Center = "center",
        /// At the first luma sample.
        TopLeft = "topleft",
        /// At the upper row, between the columns.
        Top = "top",
        /// At the left column and the lower row.
        BottomLeft = "bottomleft",
        /// At the lower row, between the columns.
        Bottom = "bottom",
    }
    spelled by is_name_of;
}

fn is_name_of(word: &str, text: &str) -> bool {
    let plain = text.replace(['_', '-'], "");
    plain == word || (word == "center" && plain == "centre")
}

impl Siting {
    const BY_CODE: [Siting; 6] =
        [Siting::Left, Siting::Center, Siting::TopLeft, Siting::Top, Siting::BottomLeft, Siting::Bottom];

    /// What `stream` says, or what holds where it says nothing.
    pub fn of(stream: &StreamInfo) -> Siting {
        let stated = stream.color.chroma_location.0.and_then(|code| Self::BY_CODE.get(usize::from(code)));
        stated.copied().unwrap_or_else(|| Siting::usual(stream, stream.format))
    }

    /// The usual one of `format` in the colours of `stream`: H.265 has wide colours top left.
    pub fn usual(stream: &StreamInfo, format: Format) -> Siting {
        let wide = stream.color.primaries == 9 || stream.color.is_hdr();
        if wide && format.subsampling_h() > 0 { Siting::TopLeft } else { Siting::Left }
    }

    /// Its code point.
    pub fn location(self) -> ChromaLocation {
        ChromaLocation((0..).zip(Self::BY_CODE).find(|(_, known)| *known == self).map(|(code, _)| code))
    }

    /// How far right of the first luma sample, in halves of one.
    pub fn right(self) -> i64 {
        i64::from(matches!(self, Siting::Center | Siting::Top | Siting::Bottom))
    }

    /// How far below it.
    pub fn down(self) -> i64 {
        match self {
            Siting::TopLeft | Siting::Top => 0,
            Siting::Left | Siting::Center => 1,
            Siting::BottomLeft | Siting::Bottom => 2,
        }
    }
}
