//! Frame properties: carried, read, and set where a filter changes what they say.

use crate::clips::format_id;
use crate::host::{Folder, Script};
use std::fs;

/// White grey of 8 bits with these properties.
fn white(props: &[&str]) -> Script {
    let mut script = Script::new();
    let gray = format_id("gray8".parse().unwrap(), false);
    script.blank(&format!("format=i:{gray} width=i:8 height=i:8 length=i:2 color=f:255"));
    let words: Vec<_> = ["call", "std", "SetFrameProps"].into_iter().chain(props.iter().copied()).collect();
    script.line(&words);
    script
}

/// The properties of the first frame, but those that a blank clip has anyway.
fn props(script: &mut Script) -> Vec<String> {
    let lines = script.line(&["props", "0"]).run();
    lines.into_iter().filter(|line| !line.starts_with("prop _Duration")).collect()
}

/// The first two bytes of the first frame.
fn sample(script: &mut Script) -> u16 {
    let folder = Folder::new();
    let path = folder.path("frame");
    assert_eq!(script.line(&["frames", &path, "0"]).run(), [""; 0]);
    u16::from_ne_bytes(fs::read(path).unwrap()[..2].try_into().unwrap())
}

#[test]
fn what_a_filter_does_not_change_is_carried() {
    let given = ["_Matrix=i:1", "_PictType=s:I", "answer=i:42", "ratio=f:0.5"];
    let expected = ["prop _Matrix 1", "prop _PictType I", "prop answer 42", "prop ratio 0.5"];
    assert_eq!(props(white(&given).call("Deband", "")), expected);
    assert_eq!(props(white(&given).call("Depth", "bits=i:10")), expected);
    // A chain with nothing to do.
    assert_eq!(props(white(&given).call("Chain", "chain=s:")), expected);
}

#[test]
fn range_sets_its_property() {
    assert_eq!(props(white(&["a=i:1"]).call("Range", "to=s:full")), ["prop _Range 1", "prop a 1"]);
    assert_eq!(props(white(&["_Range=i:1"]).call("Range", "to=s:limited")), ["prop _Range 0"]);
    assert_eq!(props(white(&["_Range=i:1"]).call("Range", "to=s:full")), ["prop _Range 1"]);
    assert_eq!(props(white(&["_Range=i:1"]).call("Range", "")), ["prop _Range 1"]);
}

/// White stays white in full range, while limited range shifts.
#[test]
fn the_range_of_a_frame_is_read() {
    for (prop, full) in [("a=i:1", false), ("_Range=i:0", false), ("_Range=i:1", true), ("_ColorRange=i:0", true)] {
        let sample = sample(white(&[prop]).call("Depth", "bits=i:10"));
        assert_eq!(sample, if full { 1023 } else { 1020 }, "{prop}");
    }
}

/// `field=auto` of deband follows the frame.
#[test]
fn the_fields_of_a_frame_are_read() {
    let folder = Folder::new();
    let debanded = |props: &str, args: &str| {
        let path = folder.path("frame");
        let mut script = Script::new();
        // A gradient with sharp steps from row to row.
        let picture: Vec<u8> = (0..64 * 48).map(|i| 100 + (i / 64 % 2 * 2) as u8 + (i % 64 / 16) as u8).collect();
        fs::write(folder.path("raw"), picture).unwrap();
        script.line(&["raw", "1", "0", "8", "0", "0", "64", "48", "1", &folder.path("raw")]);
        script.line(&["call", "std", "SetFrameProps", props]).call("Deband", &format!("dither=i:0 {args}"));
        assert_eq!(script.line(&["frames", &path, "0"]).run(), [""; 0]);
        fs::read(path).unwrap()
    };
    let (off, on) = (debanded("_FieldBased=i:0", "field=s:off"), debanded("_FieldBased=i:0", "field=s:on"));
    assert_ne!(off, on);
    for (props, expected) in
        [("_FieldBased=i:0", &off), ("a=i:1", &off), ("_FieldBased=i:1", &on), ("_FieldBased=i:2", &on)]
    {
        assert!(debanded(props, "") == *expected, "{props}");
    }
}

#[test]
fn the_result_is_described() {
    let float = format!("format=i:{}", format_id("gray16".parse().unwrap(), true));
    for (is_float, function, args, name) in [
        (false, "Deband", "", "Gray8"),
        (false, "Deband", "depth=i:12", "Gray12"),
        (false, "Depth", "bits=i:16", "Gray16"),
        (true, "Deband", "", "GrayS"),
        (true, "Depth", "", "GrayS"),
        (true, "Range", "to=s:full", "GrayS"),
        (true, "Deband", "depth=i:10", "Gray10"),
        (true, "Depth", "bits=i:16", "Gray16"),
        (true, "Chain", "chain=s:depth=15", "Gray15"),
    ] {
        let mut script = white(&["a=i:1"]);
        if is_float {
            script.line(&["call", "resize", "Point", &float]);
        }
        let lines = script.call(function, args).line(&["info"]).run();
        assert_eq!(lines, [format!("info {name} 8x8 2 24/1")], "{function} {args}");
    }
}
