//! Fields worked out by hand.

use crate::filters::testing::{one_thread, picture, run_levels, samples};
use crate::filters::{Setup, chain};
use crate::video::{FieldOrder, Format, FrameProps, Picture, Rational, SideData, StreamInfo};

/// What `text` makes of `frames`: the reference's result, which every level's is.
fn made(text: &str, frames: &[&Picture], props: &FrameProps) -> Picture {
    let filter = chain(text).unwrap().remove(0);
    let input = StreamInfo::bare(frames[0].format(), frames[0].width(), frames[0].height());
    let spec = filter.spec(std::slice::from_ref(&input)).unwrap();
    let setup = Setup::of(input.clone(), input.format, spec.output.clone(), input.format);
    let planes = frames.iter().map(|frame| frame.planes()).collect();
    run_levels(&*filter, &setup, &spec, &[planes], props, &one_thread()).0
}

fn props(frame_index: u64, field_order: FieldOrder) -> FrameProps {
    FrameProps { frame_index, field_order, ..FrameProps::default() }
}

/// A picture of one column whose rows are `first`, `first + 1`, …
fn rows(format: &str, height: usize, first: usize) -> Picture {
    picture(format.parse::<Format>().unwrap(), 1, height, |c, _, y| (first + y + 100 * c) as i32)
}

#[test]
fn fields_are_every_second_row() {
    use FieldOrder::{BottomFirst, Progressive, TopFirst};
    let frame = rows("gray8", 4, 0);
    for (text, index, order, expected) in [
        ("separate_fields", 0, TopFirst, [0, 2]),
        ("separate_fields", 1, TopFirst, [1, 3]),
        ("separate_fields", 8, BottomFirst, [1, 3]),
        ("separate_fields", 9, BottomFirst, [0, 2]),
        ("separate_fields", 0, Progressive, [0, 2]),
        ("separate_fields=bff", 0, TopFirst, [1, 3]),
        ("separate_fields=tff", 1, BottomFirst, [1, 3]),
    ] {
        assert_eq!(samples(&made(text, &[&frame], &props(index, order)), 0), expected, "{text} {index} {order:?}");
    }
}

/// Three rows have two of the top field and one of the bottom field; one row has no bottom field.
#[test]
fn a_short_field_shows_its_last_row_again() {
    let field = |height, index| {
        samples(&made("separate_fields", &[&rows("gray16", height, 5)], &props(index, FieldOrder::TopFirst)), 0)
    };
    assert_eq!([field(3, 0), field(3, 1)], [[5, 7], [6, 6]]);
    assert_eq!([field(1, 0), field(1, 1)], [[5], [5]]);
}

#[test]
fn woven_fields_are_the_frame() {
    for format in ["gray8", "yuv420p", "nv12", "p010", "yuv422p10", "gbrp"] {
        // Six rows of 4:2:0 have three of chroma, so that its fields differ in length.
        for height in [4, 6] {
            let frame = rows(format, height, 64);
            for (order, field_order) in [("tff", FieldOrder::TopFirst), ("bff", FieldOrder::BottomFirst)] {
                let [first, second] =
                    [0, 1].map(|index| made("separate_fields", &[&frame], &props(index, field_order)));
                let woven = made(&format!("weave={order}"), &[&first, &second], &props(0, FieldOrder::Progressive));
                for component in 0..frame.planes().len() {
                    assert_eq!(samples(&woven, component), samples(&frame, component), "{format} {height} {order}");
                }
            }
        }
    }
}

#[test]
fn streams_and_frames_say_what_they_are() {
    let data = |kind| SideData { kind, bytes: vec![1].into() };
    let input = StreamInfo {
        sar: Rational::new(16, 11),
        field_order: FieldOrder::BottomFirst,
        ..StreamInfo::bare("yuv420p".parse().unwrap(), 720, 576)
    };
    let describe = |text: &str, frame_index| {
        let filter = chain(text).unwrap().remove(0);
        let output = filter.spec(std::slice::from_ref(&input)).unwrap().output;
        let setup = Setup::of(input.clone(), input.format, output.clone(), input.format);
        let side_data = vec![data(0), data(SideData::CAPTIONS), data(11)];
        let mut props = FrameProps { frame_index, side_data, repeat: 1, ..props(0, FieldOrder::BottomFirst) };
        filter.describe(&setup, &mut props);
        assert_eq!((props.field_order, props.repeat), (output.field_order, 0));
        let kinds: Vec<i32> = props.side_data.iter().map(|data| data.kind).collect();
        (output.height, output.sar.to_string(), output.field_order, kinds)
    };
    assert_eq!(describe("separate_fields", 6), (288, "8/11".to_owned(), FieldOrder::Progressive, vec![1, 11]));
    assert_eq!(describe("separate_fields", 7).3, [11]);
    assert_eq!(describe("weave=bff", 3), (1152, "32/11".to_owned(), FieldOrder::BottomFirst, vec![1, 11]));
    assert_eq!(super::with_rows(Rational::new(1, 1), 1, 2), Rational::new(1, 2));
    assert_eq!(super::with_rows(Rational::new(1, 2), 2, 1), Rational::new(1, 1));
    assert_eq!(super::with_rows(Rational::new(0, 1), 2, 1), Rational::new(0, 1));
}
