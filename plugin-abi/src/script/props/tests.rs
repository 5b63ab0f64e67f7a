use super::*;
use std::collections::HashMap;

/// Integer properties.
struct Props(HashMap<&'static str, i64>);

impl Props {
    fn new<const N: usize>(props: [(&'static str, i64); N]) -> Props {
        Props(HashMap::from(props))
    }
}

impl ScriptArgs for Props {
    fn ints(&self, key: &str) -> Option<Vec<i64>> {
        self.0.get(key).map(|value| vec![*value])
    }

    fn float(&self, _: &str) -> Option<f64> {
        None
    }

    fn data(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn keys(&self) -> Vec<String> {
        self.0.keys().map(|key| (*key).to_owned()).collect()
    }
}

#[test]
fn the_ranges_name_says_which_value_is_full() {
    let (old, new) = (RangeProperty::ColorRange, RangeProperty::Range);
    for (property, name, full) in [(old, "_ColorRange", 0), (new, "_Range", 1)] {
        for (value, range) in [(full, Range::Full), (1 - full, Range::Limited), (7, Range::Unspecified)] {
            assert_eq!(color(&Props::new([(name, value)]), property).range, range, "{name} {value}");
        }
        assert_eq!(color(&Props::new([]), property).range, Range::Unspecified);
    }
    assert_eq!(color(&Props::new([("_Range", 1)]), old).range, Range::Unspecified);
}

#[test]
fn frames_describe_themselves() {
    let range = RangeProperty::Range;
    let bare = read(7, &Props::new([]), range);
    assert_eq!(bare, FrameProps { frame_index: 7, ..FrameProps::default() });
    let props = [("_FieldBased", 2), ("_SARNum", 4), ("_SARDen", 3), ("_Matrix", 9), ("_ChromaLocation", 2)];
    let full = read(0, &Props::new(props), range);
    assert_eq!((full.field_order, full.sar), (FieldOrder::TopFirst, Rational::new(4, 3)));
    assert_eq!((full.color.matrix, full.color.transfer), (9, 2));
    assert_eq!(full.color.chroma_location, ChromaLocation(Some(2)));
    let wild = [("_FieldBased", 9), ("_SARNum", i64::MAX), ("_SARDen", 3), ("_Matrix", -1), ("_Transfer", 256)];
    assert_eq!(read(0, &Props::new(wild), range), FrameProps::default());
    assert_eq!(read(0, &Props::new([("_FieldBased", 1)]), range).field_order, FieldOrder::BottomFirst);
}

#[test]
fn only_what_changed_is_set() {
    let input = StreamInfo::bare("yuv420p".parse().unwrap(), 8, 8);
    let mut output = input.clone();
    assert_eq!(changes(&input, &output, RangeProperty::Range), []);
    output.color.range = Range::Full;
    assert_eq!(changes(&input, &output, RangeProperty::Range), [("_Range", 1)]);
    assert_eq!(changes(&input, &output, RangeProperty::ColorRange), [("_ColorRange", 0)]);
    output.color = ColorInfo { range: Range::Limited, matrix: 1, ..output.color };
    assert_eq!(changes(&input, &output, RangeProperty::Range), [("_Range", 0), ("_Matrix", 1)]);
}
