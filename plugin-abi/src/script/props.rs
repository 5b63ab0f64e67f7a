//! Frame properties: what a filter reads of them, and what it sets.

#[cfg(test)]
mod tests;

use super::args::ScriptArgs;
use crate::record;
use vramp::video::{ChromaLocation, ColorInfo, FieldOrder, FrameProps, Range, Rational, Record, StreamInfo, Value};

/// H.273's "not stated" of matrix, transfer and primaries.
const UNSPECIFIED: u8 = 2;

const MATRIX: &str = "_Matrix";
const TRANSFER: &str = "_Transfer";
const PRIMARIES: &str = "_Primaries";
const CHROMA: &str = "_ChromaLocation";
const FIELDS: &str = "_FieldBased";
const SAR: [&str; 2] = ["_SARNum", "_SARDen"];
const DURATION: [&str; 2] = ["_DurationNum", "_DurationDen"];

/// Properties to write.
pub trait SetProps {
    /// Sets a property.
    fn set(&mut self, key: &str, value: i64);
    /// Sets a property to a number.
    fn set_float(&mut self, key: &str, value: f64);
    /// Sets a property to a list of integers.
    fn set_ints(&mut self, key: &str, values: &[i64]);
}

/// The property that says the sample range. VapourSynth has changed its name and turned it round in API 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeProperty {
    /// `_ColorRange`: 0 is full.
    ColorRange,
    /// `_Range`: 1 is full, as in H.273.
    Range,
}

impl RangeProperty {
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

    fn read(self, props: &impl ScriptArgs) -> Range {
        match props.int(self.name()) {
            Some(value) if value == self.full() => Range::Full,
            Some(value) if value == 1 - self.full() => Range::Limited,
            _ => Range::Unspecified,
        }
    }
}

/// The colour description of a frame with these properties.
pub fn color(props: &impl ScriptArgs, range: RangeProperty) -> ColorInfo {
    let code = |key| props.int(key).and_then(|value| u8::try_from(value).ok());
    ColorInfo {
        range: range.read(props),
        matrix: code(MATRIX).unwrap_or(UNSPECIFIED),
        transfer: code(TRANSFER).unwrap_or(UNSPECIFIED),
        primaries: code(PRIMARIES).unwrap_or(UNSPECIFIED),
        chroma_location: ChromaLocation(code(CHROMA)),
    }
}

/// Everything that a filter may ask about frame `n` with these properties.
pub fn read(n: u64, props: &impl ScriptArgs, range: RangeProperty) -> FrameProps {
    let field_order = match props.int(FIELDS) {
        Some(1) => FieldOrder::BottomFirst,
        Some(2) => FieldOrder::TopFirst,
        _ => FieldOrder::Progressive,
    };
    let part = |key| props.int(key).and_then(|value| i32::try_from(value).ok());
    let sar = match (part(SAR[0]), part(SAR[1])) {
        (Some(num), Some(den)) => Rational::new(num, den),
        _ => Rational::new(0, 1),
    };
    let records = records(props);
    FrameProps { frame_index: n, field_order, color: color(props, range), sar, records, ..FrameProps::default() }
}

/// What of a stream's description a clip's frames state, and not the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTraits {
    color: ColorInfo,
    sar: Rational,
    field_order: FieldOrder,
}

impl FrameTraits {
    /// What a clip states before its first frame.
    pub fn nothing(info: &StreamInfo) -> FrameTraits {
        FrameTraits { color: info.color, sar: info.sar, field_order: info.field_order }
    }

    /// What a frame says.
    pub fn of(props: &FrameProps) -> FrameTraits {
        let sar = if props.sar.value().is_some() { props.sar } else { Rational::new(1, 1) };
        FrameTraits { color: props.color, sar, field_order: props.field_order }
    }

    /// The stream of such frames.
    pub fn stream(&self, info: &StreamInfo) -> StreamInfo {
        let FrameTraits { color, sar, field_order } = *self;
        StreamInfo { color, sar, field_order, ..info.clone() }
    }
}

/// What the properties of records begin with.
const RECORD: &str = "vramp_";

/// What filters before have measured, as [`set_records`] left it.
fn records(props: &impl ScriptArgs) -> Vec<Record> {
    let mut found: Vec<((&'static str, usize), Record)> = Vec::new();
    for key in props.keys() {
        let Some((filter, number, name)) = key.strip_prefix(RECORD).and_then(parted) else { continue };
        let Some(value) = value(props, &key) else { continue };
        let place = match found.iter().position(|(known, _)| *known == (filter, number)) {
            Some(place) => place,
            None => {
                found.push(((filter, number), Record { filter, values: Vec::new() }));
                found.len() - 1
            }
        };
        found[place].1.push(name, value);
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, record)| record).collect()
}

/// The filter, its number among its like, and the value's name.
fn parted(key: &str) -> Option<(&'static str, usize, &str)> {
    let of = |filter: &&'static vramp::filters::Descriptor| {
        let rest = key.strip_prefix(filter.name)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        Some((filter.name, number, rest[digits..].strip_prefix('_')?))
    };
    // The longest name that fits: another may begin like it.
    vramp::filters::ALL.iter().filter_map(of).max_by_key(|(name, ..)| name.len())
}

fn value(props: &impl ScriptArgs, key: &str) -> Option<Value> {
    match props.ints(key) {
        Some(list) if list.len() == 1 => Some(Value::Int(list[0])),
        Some(list) => Some(Value::List(list.into_iter().map(|value| value as u64).collect())),
        None => props.float(key).map(Value::Float),
    }
}

/// Leaves `records` in the properties of a frame, as `vramp_FILTER_NAME`.
pub fn set_records(frame: &mut impl SetProps, records: &[Record]) {
    for (i, Record { values, .. }) in records.iter().enumerate() {
        let filter = record::name(records, i);
        for (name, value) in values {
            let key = format!("{RECORD}{filter}_{name}");
            match value {
                Value::Int(value) => frame.set(&key, *value),
                Value::Float(value) => frame.set_float(&key, *value),
                Value::List(list) => frame.set_ints(&key, &list.iter().map(|value| *value as i64).collect::<Vec<_>>()),
            }
        }
    }
}

/// The properties in which a frame differs from the one that it was made of, but for its colours.
pub fn differences(before: &FrameProps, after: &FrameProps) -> Vec<(&'static str, i64)> {
    let fields = match after.field_order {
        FieldOrder::Progressive => 0,
        FieldOrder::BottomFirst => 1,
        FieldOrder::TopFirst => 2,
    };
    let (sar, other_sar) = (after.sar, before.sar != after.sar);
    let all = [
        (FIELDS, before.field_order != after.field_order, fields),
        (SAR[0], other_sar, sar.num.into()),
        (SAR[1], other_sar, sar.den.into()),
    ];
    all.into_iter().filter_map(|(name, differs, value)| differs.then_some((name, value))).collect()
}

/// How long a frame is shown, in seconds, if it says so.
pub fn duration(props: &impl ScriptArgs) -> Option<(i64, i64)> {
    let (num, den) = (props.int(DURATION[0])?, props.int(DURATION[1])?);
    (num > 0 && den > 0).then_some((num, den))
}

/// Sets how long a frame is shown.
pub fn set_duration(frame: &mut impl SetProps, (num, den): (i64, i64)) {
    frame.set(DURATION[0], num);
    frame.set(DURATION[1], den);
}

/// The colour properties in which a frame of `output` differs from one of `input`. The others stay as they are.
pub fn changes(input: &StreamInfo, output: &StreamInfo, range: RangeProperty) -> Vec<(&'static str, i64)> {
    let (from, to) = (input.color, output.color);
    let ChromaLocation(chroma) = to.chroma_location;
    let full = if to.range.is_full() { range.full() } else { 1 - range.full() };
    let all = [
        (range.name(), from.range != to.range, full),
        (MATRIX, from.matrix != to.matrix, to.matrix.into()),
        (TRANSFER, from.transfer != to.transfer, to.transfer.into()),
        (PRIMARIES, from.primaries != to.primaries, to.primaries.into()),
        (CHROMA, from.chroma_location != to.chroma_location && chroma.is_some(), chroma.unwrap_or(0).into()),
    ];
    all.into_iter().filter_map(|(name, differs, value)| differs.then_some((name, value))).collect()
}
