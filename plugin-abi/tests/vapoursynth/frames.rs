//! Frames in any order, from many threads, and their numbers.

use crate::clips::Clip;
use crate::host::{Folder, Script};
use std::fs;
use vramp::video::Format;

/// What a result depends on is the frame's number, not when and by whom it is asked for.
#[test]
fn any_order_from_any_thread() {
    const COUNT: usize = 48;
    let folder = Folder::new();
    let clip = Clip::new(&folder, "yuv420p10", (70, 38), COUNT);
    let chain = "deband=rand_each_frame=on:sample=2,gauss=sigma=1.5,depth=8:dither=fs";
    let expected = clip.by_command(&["--chain", chain], "yuv420p".parse::<Format>().unwrap());
    let frame = expected.len() / COUNT;
    let straight: Vec<_> = (0..COUNT).collect();
    // 29 and 48 have no common divisor, so every frame is met once; the second round meets each twice.
    let shuffled: Vec<_> = (0..2 * COUNT).map(|i| i * 29 % COUNT).collect();
    for (threads, order) in [("1", &straight), ("8", &straight), ("8", &shuffled), ("3", &shuffled)] {
        let path = folder.path("frames");
        let mut script = Script::new();
        script.line(&["threads", threads]);
        clip.open(&mut script);
        let list: Vec<_> = order.iter().map(|n| n.to_string()).collect();
        script.chain(chain).line(&["call", "std", "SetVideoCache", "mode=i:0"]);
        assert_eq!(script.line(&["frames", &path, &list.join(",")]).run(), [""; 0]);
        let wanted: Vec<u8> = order.iter().flat_map(|n| &expected[n * frame..(n + 1) * frame]).copied().collect();
        assert!(fs::read(&path).unwrap() == wanted, "{threads} threads");
    }
}

/// The number that counts is the one in the clip that the filter gets: what was cut off before is not counted.
#[test]
fn the_frames_number_is_the_clips() {
    let folder = Folder::new();
    let frame = |cut_before: bool, cut_after: bool, n: &str| {
        let path = folder.path("frame");
        let mut script = Script::new();
        script.blank("format=i:268959744 width=i:64 height=i:36 length=i:20 color=f:90");
        let cut = ["call", "std", "Trim", "first=i:5"];
        if cut_before {
            script.line(&cut);
        }
        script.call("Deband", "rand_each_frame=i:1 dither=i:31");
        if cut_after {
            script.line(&cut);
        }
        assert_eq!(script.line(&["frames", &path, n]).run(), [""; 0]);
        fs::read(path).unwrap()
    };
    let (first, sixth) = (frame(false, false, "0"), frame(false, false, "5"));
    assert!(!first.is_empty() && first != sixth);
    assert!(frame(true, false, "0") == first, "cut, then filtered");
    assert!(frame(false, true, "0") == sixth, "filtered, then cut");
}

#[test]
fn many_filters_of_different_sizes_at_once() {
    let mut script = Script::new();
    script.line(&["threads", "8"]);
    for (width, height) in [(64, 48), (16, 16), (640, 360), (2, 2)] {
        script.blank(&format!("format=i:805830913 width=i:{width} height=i:{height} length=i:30"));
        for _ in 0..4 {
            script.call("Deband", "").call("Box", "radius=i:3");
        }
        script.line(&["time", "30"]);
    }
    let lines = script.run();
    assert_eq!(lines.iter().filter(|line| line.starts_with("speed ")).count(), 4, "{lines:?}");
    assert_eq!(lines.len(), 4, "{lines:?}");
}
