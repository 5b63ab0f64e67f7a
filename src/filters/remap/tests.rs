//! Moves worked out by hand, and what else they change.

use super::{CpuMover, apply_plainly};
use crate::error::Result;
use crate::filters::testing::{one_thread, picture, run_levels, samples};
use crate::filters::{Spec, chain};
use crate::video::{ChromaLocation, FieldOrder, Format, FrameProps, Picture, Range, Rational, SideData, StreamInfo};

fn stream(format: &str, width: usize, height: usize) -> StreamInfo {
    StreamInfo::bare(format.parse().unwrap(), width, height)
}

/// What `text` makes of the stream.
fn spec(text: &str, input: &StreamInfo) -> Result<Spec> {
    chain(text).unwrap()[0].spec(std::slice::from_ref(input))
}

fn refused(text: &str, input: &StreamInfo) -> String {
    spec(text, input).expect_err(text).message().to_owned()
}

/// What `text` makes of a picture whose luma sample (x, y) is 10·y + x, and chroma 100 more and 200 more; the reference's and
/// every fast kernel's, which are the same.
fn moved(text: &str, input: &StreamInfo) -> Picture {
    let src = picture(input.format, input.width, input.height, |c, x, y| (100 * c + 10 * y + x) as i32);
    let spec = spec(text, input).unwrap();
    let setup = crate::filters::Setup::of(input.clone(), input.format, spec.output.clone(), spec.output.format);
    let (filter, inputs) = (chain(text).unwrap().remove(0), [vec![src.planes()]]);
    run_levels(&*filter, &setup, &spec, &inputs, &FrameProps::default(), &one_thread()).0
}

/// Luma of a 3×2 picture: 0 1 2 over 10 11 12.
#[test]
fn every_filter_moves_samples_as_its_definition_says() {
    for (text, width, expected) in [
        ("hflip", 3, vec![2, 1, 0, 12, 11, 10]),
        ("vflip", 3, vec![10, 11, 12, 0, 1, 2]),
        ("rotate=90", 2, vec![10, 0, 11, 1, 12, 2]),
        ("rotate=180", 3, vec![12, 11, 10, 2, 1, 0]),
        ("rotate=270", 2, vec![2, 12, 1, 11, 0, 10]),
        ("transpose=0", 2, vec![0, 10, 1, 11, 2, 12]),
        ("transpose=1", 2, vec![10, 0, 11, 1, 12, 2]),
        ("transpose=2", 2, vec![2, 12, 1, 11, 0, 10]),
        ("transpose=3", 2, vec![12, 2, 11, 1, 10, 0]),
        ("crop=2:1:1:1", 2, vec![11, 12]),
        ("crop=1:2", 1, vec![1, 11]),
        ("pad=5:3:1:1:7+8+9", 5, vec![7, 7, 7, 7, 7, 7, 0, 1, 2, 7, 7, 10, 11, 12, 7]),
    ] {
        for format in ["gray8", "yuv444p", "gbrp"] {
            let result = moved(text, &stream(format, 3, 2));
            assert_eq!((result.width(), samples(&result, 0)), (width, expected.clone()), "{text} {format}");
        }
    }
}

/// Chroma of a 4×4 4:2:0 picture: 100 101 over 110 111.
#[test]
fn chroma_moves_with_its_luma() {
    for (text, expected) in [
        ("hflip", vec![101, 100, 111, 110]),
        ("rotate", vec![110, 100, 111, 101]),
        ("crop=2:2:2:2", vec![111]),
        ("crop=x=2:round=on:y=1", vec![101, 111]),
        ("pad=6:4:2:0:1+2+3", vec![2, 100, 101, 2, 110, 111]),
        ("pad=6:4:color=black", vec![100, 101, 128, 110, 111, 128]),
    ] {
        for format in ["yuv420p", "nv12"] {
            assert_eq!(samples(&moved(text, &stream(format, 4, 4)), 1), expected, "{text} {format}");
        }
    }
}

#[test]
fn a_border_has_the_streams_own_codes() {
    let border = |text: &str, format: &str, range| {
        let mut input = stream(format, 1, 1);
        input.color.range = range;
        let result = moved(&format!("pad=2:1:{text}"), &input);
        (0..result.planes().len()).map(|component| samples(&result, component)[1]).collect::<Vec<_>>()
    };
    // Limited range shifts; 255 of full range is 1023, and 240 is 128 + 112 → 512 + 112·1023/255 = 961.3.
    assert_eq!(border("color=16+128+240", "yuv444p10", Range::Limited), [64, 512, 960]);
    assert_eq!(border("color=255+128+240", "yuv444p10", Range::Full), [1023, 512, 961]);
    assert_eq!(border("color=black", "yuv444p12", Range::Limited), [256, 2048, 2048]);
    assert_eq!(border("color=black", "gbrp", Range::Unspecified), [0, 0, 0]);
    assert_eq!(border("color=235+16+240", "yc48", Range::Limited), [4096, -2048, 2048]);
    assert_eq!(border("color=9+8+7", "gray8", Range::Limited), [9]);
}

#[test]
fn what_cannot_be_done_is_refused_with_what_can() {
    let hd = stream("yuv420p", 1920, 1080);
    let interlaced = StreamInfo { field_order: FieldOrder::TopFirst, ..stream("yuv420p", 720, 486) };
    for (text, input, words) in [
        (
            "crop=x=3",
            &hd,
            "x=3 would split samples of chroma in yuv420p pictures of 1920x1080: use x=2 or x=4, or add round=on",
        ),
        ("crop=y=1", &hd, "use y=0 or y=2"),
        ("crop=y=2", &interlaced, "use y=0 or y=4"),
        (
            "crop=100:100:1900:0",
            &hd,
            "w=100 from 1900 on reaches beyond yuv420p pictures of 1920x1080: w goes up to 20 there",
        ),
        ("crop=w=2000", &hd, "w goes up to 1920 there"),
        ("crop=x=1920", &hd, "x=1920 lies beyond yuv420p pictures of 1920x1080: x goes up to 1918"),
        ("pad=1900:1080", &hd, "the picture's 1920 from 0 on do not fit in w=1900: use w=1920 or more"),
        ("pad=1929:1080:x=10", &hd, "use w=1930 or more"),
        ("pad=2000:1080:x=11", &hd, "x=11 would split samples of chroma in yuv420p: use x=10 or x=12, or add round=on"),
        ("transpose", &stream("yuv422p", 4, 4), "yuv422p would become 4:4:0"),
        ("rotate=270", &stream("yuv422p10", 4, 4), "would become 4:4:0"),
        ("vflip", &interlaced, "crop them to 484 or pad them to 488 first"),
    ] {
        assert!(refused(text, input).contains(words), "{text}: {}", refused(text, input));
    }
    for (text, input) in [
        ("crop=x=3", &stream("yuv444p", 1920, 1080)),
        ("crop=y=1", &stream("yuv422p", 1920, 1080)),
        ("crop=x=3:round=on", &hd),
        ("rotate=180", &stream("yuv422p", 4, 4)),
        ("vflip", &StreamInfo { field_order: FieldOrder::TopFirst, ..stream("yuv420p", 720, 576) }),
    ] {
        assert!(spec(text, input).is_ok(), "{text}");
    }
    for (text, words) in [
        ("rotate=45", "option 'angle' cannot be '45'"),
        ("transpose=4", "option 'dir' cannot be '4': it takes one of cclock_flip, clock"),
        ("pad=color=1+2", "option 'color' cannot be '1+2': it takes black, or three codes"),
        ("pad=color=1+2+256", "option 'color' cannot be '1+2+256'"),
    ] {
        assert!(chain(text).unwrap_err().message().contains(words), "{text}");
    }
}

#[test]
fn sizes_and_aspects_follow() {
    let input = StreamInfo { sar: Rational::new(16, 11), ..stream("yuv420p", 720, 576) };
    let shape = |text: &str| {
        let output = spec(text, &input).unwrap().output;
        (output.width, output.height, output.sar.to_string())
    };
    assert_eq!(shape("transpose"), (576, 720, "11/16".to_owned()));
    assert_eq!(shape("rotate=180"), (720, 576, "16/11".to_owned()));
    assert_eq!(shape("crop=700:500"), (700, 500, "16/11".to_owned()));
    assert_eq!(shape("pad=h=600:y=auto"), (720, 600, "16/11".to_owned()));
    let unknown = StreamInfo { sar: Rational::new(0, 1), ..input.clone() };
    assert_eq!(spec("transpose", &unknown).unwrap().output.sar, Rational::new(0, 1));
}

/// Left is 0, centre 1, top left 2, top 3, bottom left 4, bottom 5.
#[test]
fn chroma_sits_where_it_is_stated() {
    let location = |text: &str, (width, height), location| {
        let mut input = stream("yuv420p", width, height);
        input.color.chroma_location = ChromaLocation(location);
        spec(text, &input).unwrap().output.color.chroma_location.0
    };
    let even = (4, 4);
    for (text, from, to) in [
        ("transpose", 0, Some(3)),
        ("transpose", 3, Some(0)),
        ("transpose", 1, Some(1)),
        ("transpose", 2, Some(2)),
        ("transpose", 4, None),
        ("rotate=90", 0, Some(3)),
        ("rotate=90", 3, None),
        ("rotate=270", 0, Some(5)),
        ("hflip", 0, None),
        ("hflip", 1, Some(1)),
        ("vflip", 0, Some(0)),
        ("vflip", 2, Some(4)),
        ("vflip", 5, Some(3)),
        ("crop=2:2:2:2", 0, Some(0)),
        ("pad=8:8:2:2", 2, Some(2)),
    ] {
        assert_eq!(location(text, even, Some(from)), to, "{text} of {from}");
        assert_eq!(location(text, even, None), None);
    }
    // Five columns have chroma over columns 0, 2 and 4, and so has their mirror.
    assert_eq!(location("hflip", (5, 4), Some(0)), Some(0));
    let mut input = stream("yuv422p", 4, 4);
    input.color.chroma_location = ChromaLocation(Some(0));
    assert_eq!(spec("vflip", &input).unwrap().output.color.chroma_location.0, Some(0));
}

#[test]
fn frames_say_what_is_still_true() {
    let data = |kind| SideData { kind, bytes: vec![1].into() };
    let described = |text: &str, height, field_order| {
        let input = StreamInfo { field_order, ..stream("yuv420p", 720, height) };
        let filter = chain(text).unwrap().remove(0);
        let output = filter.spec(std::slice::from_ref(&input)).unwrap().output;
        let setup = crate::filters::Setup::of(input.clone(), input.format, output.clone(), output.format);
        let side_data = vec![data(0), data(1), data(7), data(11), data(18)];
        let mut props = FrameProps { field_order, side_data, ..FrameProps::default() };
        filter.describe(&setup, &mut props);
        assert_eq!(output.field_order, props.field_order, "{text}");
        (props.field_order, props.side_data.iter().map(|data| data.kind).collect::<Vec<_>>())
    };
    use FieldOrder::{BottomFirst, Progressive, TopFirst};
    let kept = vec![1, 11];
    assert_eq!(described("vflip", 576, TopFirst), (BottomFirst, kept.clone()));
    assert_eq!(described("vflip", 5, TopFirst), (TopFirst, kept.clone()));
    assert_eq!(described("vflip", 576, Progressive), (Progressive, kept.clone()));
    assert_eq!(described("hflip", 576, BottomFirst), (BottomFirst, kept.clone()));
    assert_eq!(described("rotate", 576, TopFirst), (Progressive, kept.clone()));
    assert_eq!(described("crop=y=4", 576, TopFirst), (TopFirst, kept));
    assert_eq!(described("crop", 576, TopFirst), (TopFirst, vec![0, 1, 7, 11, 18]), "nothing changes");
    let input = StreamInfo { field_order: TopFirst, ..stream("yuv422p", 720, 576) };
    assert_eq!(spec("crop=y=1", &input).unwrap().output.field_order, BottomFirst);
}

/// Stored alike, samples are moved as they are, even those that no decoder writes.
#[test]
fn what_is_stored_alike_is_moved_as_it_is_stored() {
    use crate::device::cpu::CpuLevel;
    let p010: Format = "p010".parse().unwrap();
    let input = StreamInfo::bare(p010, 8, 8);
    let src = picture(p010, 8, 8, |c, x, y| (4096 * c + 64 * y + 7 * x) as i32);
    let exec = one_thread();
    for geometry in [
        super::Geometry::of(&input, super::Axis::Mirrored, super::Axis::From(-2)),
        super::Geometry::swapped(&input, super::Axis::Mirrored, super::Axis::From(0)),
    ] {
        let maps = geometry.maps(&input);
        let [mut plain, mut fast] = [(); 2].map(|()| Picture::alloc(p010, 8, 8).unwrap());
        apply_plainly(&maps, &src.planes(), &mut plain.planes_mut());
        CpuMover::new(maps, CpuLevel::Portable).unwrap().apply(&src.planes(), &mut fast.planes_mut(), &exec);
        for component in 0..3 {
            assert_eq!(samples(&plain, component), samples(&fast, component));
        }
        assert!(samples(&plain, 1).iter().any(|sample| sample % 64 != 0));
    }
}
