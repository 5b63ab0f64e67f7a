//! Frame properties: what a filter reads of them, and what it sets.

#[cfg(test)]
mod tests;

use super::args::Values;
use super::ffi;
use std::ffi::c_int;
use vramp::video::{ChromaLocation, ColorInfo, FieldOrder, FrameProps, Range, Rational, StreamInfo};

/// H.273's "not stated" of matrix, transfer and primaries.
const UNSPECIFIED: u8 = 2;

const MATRIX: &str = "_Matrix";
const TRANSFER: &str = "_Transfer";
const PRIMARIES: &str = "_Primaries";

/// The property that says the sample range. It has changed its name and turned round in API 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeProperty {
    /// `_ColorRange`: 0 is full.
    ColorRange,
    /// `_Range`: 1 is full, as in H.273.
    Range,
}

impl RangeProperty {
    /// The one of this version of the API.
    pub fn of(api_version: c_int) -> RangeProperty {
        if api_version < ffi::version(4, 2) { RangeProperty::ColorRange } else { RangeProperty::Range }
    }

    fn name(self) -> &'static str {
        match self {
            RangeProperty::ColorRange => "_ColorRange",
            RangeProperty::Range => "_Range",
        }
    }

    /// Which value is full range; the other is limited.
    fn full(self) -> i64 {
        match self {
            RangeProperty::ColorRange => 0,
            RangeProperty::Range => 1,
        }
    }

    fn read(self, props: &impl Values) -> Range {
        match props.int(self.name()) {
            Some(value) if value == self.full() => Range::Full,
            Some(value) if value == 1 - self.full() => Range::Limited,
            _ => Range::Unspecified,
        }
    }
}

/// The colour description of a frame with these properties.
pub fn color(props: &impl Values, range: RangeProperty) -> ColorInfo {
    let code = |key| props.int(key).and_then(|value| u8::try_from(value).ok());
    ColorInfo {
        range: range.read(props),
        matrix: code(MATRIX).unwrap_or(UNSPECIFIED),
        transfer: code(TRANSFER).unwrap_or(UNSPECIFIED),
        primaries: code(PRIMARIES).unwrap_or(UNSPECIFIED),
        chroma_location: ChromaLocation(code("_ChromaLocation")),
    }
}

/// Everything that a filter may ask about frame `n` with these properties.
pub fn read(n: u64, props: &impl Values, range: RangeProperty) -> FrameProps {
    let field_order = match props.int("_FieldBased") {
        Some(1) => FieldOrder::BottomFirst,
        Some(2) => FieldOrder::TopFirst,
        _ => FieldOrder::Progressive,
    };
    let part = |key| props.int(key).and_then(|value| i32::try_from(value).ok());
    let sar = match (part("_SARNum"), part("_SARDen")) {
        (Some(num), Some(den)) => Rational::new(num, den),
        _ => Rational::new(0, 1),
    };
    FrameProps { frame_index: n, field_order, color: color(props, range), sar, ..FrameProps::default() }
}

/// The properties that tell a frame of `output` from one of `input`. The others stay as they are.
pub fn changes(input: &StreamInfo, output: &StreamInfo, range: RangeProperty) -> Vec<(&'static str, i64)> {
    let (from, to) = (input.color, output.color);
    let full = if to.range.is_full() { range.full() } else { 1 - range.full() };
    let all = [
        (range.name(), from.range != to.range, full),
        (MATRIX, from.matrix != to.matrix, to.matrix.into()),
        (TRANSFER, from.transfer != to.transfer, to.transfer.into()),
        (PRIMARIES, from.primaries != to.primaries, to.primaries.into()),
    ];
    all.into_iter().filter_map(|(name, differs, value)| differs.then_some((name, value))).collect()
}
