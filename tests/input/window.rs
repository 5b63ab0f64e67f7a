//! Parts of a source.

use crate::media::*;
use vramp::error::Kind;
use vramp::io::libav::{CopiedPacket, Input, InputOptions, Window};

fn window(start: Option<&str>, end: Option<&str>, frames: Option<u64>) -> Window {
    let position = |text: &str| text.parse().unwrap();
    Window { start: start.map(position), end: end.map(position), frames }
}

#[test]
fn a_window_is_a_part_of_the_whole_run() {
    let scratch = Scratch::new("window");
    // Begins at 5 s: window times count from there.
    let path = scratch.make("late.ts", &moving(2.0), &format!("{X264} -output_ts_offset 5"));
    let (whole, _) = our_frames(&path, frames_only(), 1).unwrap();
    assert_eq!(whole.len(), 50);
    for (window, range) in [
        (window(Some("#7"), Some("#20"), None), 7..20),
        (window(Some("0.4"), Some("1.2"), None), 10..30),
        (window(Some("0.41"), None, Some(3)), 11..14),
        (window(None, Some("12f"), None), 0..12),
        (window(None, None, Some(1)), 0..1),
        (window(Some("#49"), None, Some(100)), 49..50),
        (window(None, Some("1000"), None), 0..50),
    ] {
        let options = InputOptions { window, ..frames_only() };
        let (part, damage) = our_frames(&path, options.clone(), 4).unwrap();
        assert_eq!((part, damage), (whole[range.clone()].to_vec(), None), "{window:?}");
        let frames = read(&path, options).unwrap().frames;
        let indices: Vec<usize> = frames.iter().map(|frame| frame.props.frame_index as usize).collect();
        assert_eq!(indices, range.collect::<Vec<_>>(), "{window:?}");
    }
    for (start, end) in [("#50", None), ("3", None), ("0.401", Some("0.402")), ("2", Some("1"))] {
        let options = InputOptions { window: window(Some(start), end, None), ..frames_only() };
        let error = read(&path, options).err().unwrap();
        assert_eq!(error.kind(), Kind::BadArgument, "{start} {end:?}: {error}");
    }
}

#[test]
fn a_window_cuts_copied_streams_to_its_frames() {
    let whole = read(BUNNY, InputOptions::default()).unwrap();
    let input = Input::open(BUNNY, InputOptions::default()).unwrap();
    let video = input.info().timebase.value().unwrap();
    let streams = input.copied_streams();
    let timebase = |stream: usize| streams.iter().find(|s| s.index == stream).unwrap().timebase.value().unwrap();
    let time = |packet: &CopiedPacket| packet.packet.pts().unwrap() as f64 * timebase(packet.stream);
    for window in [window(Some("#30"), Some("#60"), None), window(Some("1.2"), None, Some(30))] {
        let part = read(BUNNY, InputOptions { window, ..InputOptions::default() }).unwrap();
        let (first, last) =
            (part.frames[0].props.frame_index as usize, part.frames.last().unwrap().props.frame_index as usize);
        assert_eq!(last - first, 29);
        let at = |index: usize| whole.frames[index].props.pts.unwrap() as f64 * video;
        let (from, until) = (at(first) - 1e-6, at(last + 1) - 1e-6);
        let expected: Vec<_> = whole.packets.iter().filter(|p| (from..until).contains(&time(p))).map(time).collect();
        assert!(expected.len() > 20);
        assert_eq!(part.packets.iter().map(time).collect::<Vec<_>>(), expected, "{window:?}");
    }
}
