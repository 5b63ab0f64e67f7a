//! Zones around every filter.

use super::parts::{FrameNumber, Parts, Time};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::testing::{picture, samples};
use crate::filters::{ALL, Filter, Setup, Wiring, chain};
use crate::params::{Arg, Call, Spelling, parse_chain, print_chain};
use crate::video::{FieldOrder, FrameProps, Picture, Rational, StreamInfo};

fn filter(text: &str) -> Box<dyn Filter> {
    chain(text).unwrap_or_else(|e| panic!("{text}: {e}")).remove(0)
}

fn refused(text: &str) -> String {
    chain(text).expect_err(text).message().to_owned()
}

#[test]
fn parts_hold_what_they_say() {
    let frames: Parts<FrameNumber> = Parts::parse("frames", "3+10-12+40-").unwrap();
    let held: Vec<u64> = (0..50).filter(|n| frames.have(*n)).collect();
    assert_eq!(held, [vec![3, 10, 11, 12], (40..50).collect()].concat());
    // At 30000/1001 frames a second, frame 300 is shown at 10.01 s, and frame 299 at 9.9766… s.
    let times: Parts<Time> = Parts::parse("times", "10.01-20").unwrap();
    let ntsc = Rational::new(1001, 30000);
    assert_eq!([299, 300, 599, 600].map(|pts| times.have(pts, ntsc)), [false, true, true, false]);
    // 20 s are 599.4 frames; a part's end belongs to none.
    let times: Parts<Time> = Parts::parse("times", "1-2+4-").unwrap();
    assert_eq!(
        [24, 25, 49, 50, 99, 100].map(|pts| times.have(pts, Rational::new(1, 25))),
        [false, true, true, false, false, true]
    );
}

#[test]
fn parts_are_printed_as_they_are_read() {
    for text in ["7", "100-200+400-", "0-"] {
        assert_eq!(Parts::<FrameNumber>::parse("frames", text).unwrap().to_string(), text);
    }
    for (text, printed) in
        [("10-20+60-", "10-20+60-"), ("0.040-1.50", "0.04-1.5"), ("0.000000001-7200.0", "0.000000001-7200")]
    {
        assert_eq!(Parts::<Time>::parse("times", text).unwrap().to_string(), printed);
    }
}

#[test]
fn what_is_no_zone_is_refused() {
    for text in ["''", "a", "5-4", "-3", "1..2", "1+", "+1", "1.5", "18446744073709551616"] {
        let message = refused(&format!("deband=frames={text}"));
        assert!(message.starts_with("deband: option 'frames' cannot be '"), "{text}: {message}");
        assert!(message.contains("it takes frames as 7, 100-200 or 400-"), "{text}: {message}");
    }
    for text in ["''", "5", "5-5", "2-1", "1.-2", ".5-1", "0.0000000001-1", "1e1-2", "99999999999-"] {
        let message = refused(&format!("deband=times={text}"));
        assert!(message.contains("it takes seconds as 10-20.5 or 60-"), "{text}: {message}");
    }
    assert_eq!(refused("deband=frames=1:frames=2"), "deband: option 'frames' is given twice");
    assert_eq!(refused("box=frames=1:3"), "box: '3' follows named options and needs its option's name");
    assert_eq!(refused("box=frame=1:radius=x").split(':').next(), Some("box has no option 'frame'"));
}

#[test]
fn filters_that_give_another_stream_are_refused() {
    let input =
        StreamInfo { field_order: FieldOrder::TopFirst, ..StreamInfo::bare("yuv420p".parse().unwrap(), 64, 64) };
    for (text, other) in [
        ("crop=w=32:frames=1", "size"),
        ("rotate=frames=1", "description"),
        ("depth=10:frames=1", "depth"),
        ("range=full:times=1-", "range"),
        ("separate_fields=frames=1", "number of frames"),
        ("weave=times=1-2", "number of frames"),
    ] {
        let message = filter(text).spec(std::slice::from_ref(&input)).expect_err(text).message().to_owned();
        let words = format!("give the stream that they get, and this gives another {other}: leave them out");
        assert!(message.contains(&words), "{text}: {message}");
    }
    // `select` has an option of this name.
    assert_eq!(filter("select=cycle=3:frames=1").call().to_string(), "select=cycle=3:frames=1");
    assert!(filter("select=cycle=3:times=1-").spec(std::slice::from_ref(&input)).is_err());
}

/// Inside its zone a filter does what it does, outside it changes nothing, on every vector level; and its text makes it again
/// in either spelling.
#[test]
fn every_filter_that_gives_what_it_gets_can_be_limited() {
    let format = "yuv420p".parse().unwrap();
    let input = StreamInfo::bare(format, 40, 24);
    let src = picture(format, 40, 24, |c, x, y| ((37 * x + 91 * y + 13 * c + x * y) % 256) as i32);
    let mut limited = 0;
    for descriptor in ALL {
        let mut calls = descriptor.cases.iter().flat_map(|case| parse_chain(&descriptor.text(case)).unwrap());
        let with_zone = |zone: &str, mut call: Call| {
            let (key, value) = zone.split_once('=').unwrap();
            call.args.push(Arg { key: Some(key.to_owned()), value: value.to_owned() });
            call
        };
        let fits = |call: &Call| {
            let plain = crate::filters::create(call).unwrap();
            let inputs = match plain.wiring() {
                Wiring::Reads(names) => vec![input.clone(); 1 + names.len()],
                Wiring::Keep(_) | Wiring::Use(_) => return false,
            };
            let alone = |spec: &crate::filters::Spec| spec.reads == [crate::filters::Reach::NONE] && !spec.measures;
            let same = |spec: &crate::filters::Spec| spec.output == input && spec.cycle.is_one();
            plain.spec(&inputs).is_ok_and(|spec| alone(&spec) && same(&spec))
        };
        let Some(call) = calls.find(fits) else { continue };
        limited += 1;
        let plain = crate::filters::create(&call).unwrap();
        // Frame 25 of 25 frames a second is shown at one second.
        for zone in ["frames=25", "times=1-1.04"] {
            let zoned_call = with_zone(zone, call.clone());
            let zoned = crate::filters::create(&zoned_call).unwrap();
            for spelling in [Spelling::FFmpeg, Spelling::Plain] {
                let text = print_chain(&[zoned.call()], spelling);
                assert_eq!(filter(&text).call(), zoned.call(), "{text}");
                assert!(text.contains(&zone[zone.find('=').unwrap() + 1..]), "{text}");
            }
            zoned.spec(std::slice::from_ref(&input)).unwrap();
            let setup = Setup::of(input.clone(), format, input.clone(), format);
            let exec = CpuExec::new(1, CpuLevel::Portable).unwrap();
            let made = |kernel: crate::error::Result<Box<dyn crate::filters::CpuKernel>>, index: u64| {
                let mut dst = Picture::alloc(format, 40, 24).unwrap();
                let props = FrameProps { frame_index: index, pts: Some(index as i64), ..FrameProps::default() };
                kernel.unwrap().run_alone(&props, &src.planes(), &mut dst.planes_mut(), &exec);
                (0..3).map(|component| samples(&dst, component)).collect::<Vec<_>>()
            };
            let untouched: Vec<_> = (0..3).map(|component| samples(&src, component)).collect();
            assert_eq!(made(zoned.reference(&setup), 25), made(plain.reference(&setup), 25), "{zoned_call}");
            for level in CpuLevel::available() {
                assert_eq!(made(zoned.cpu(&setup, level), 25), made(plain.cpu(&setup, level), 25), "{zoned_call}");
                for outside in [24, 26, 0] {
                    assert_eq!(made(zoned.cpu(&setup, level), outside), untouched, "{zoned_call} {outside}");
                }
            }
            assert_eq!(made(zoned.reference(&setup), 26), untouched, "{zoned_call}");
        }
    }
    assert!(limited > 6, "{limited} filters");
}
