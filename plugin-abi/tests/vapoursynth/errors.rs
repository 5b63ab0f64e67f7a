//! What is refused, and in which words.

use crate::clips::format_id;
use crate::host::Script;
use vramp::filters::{ALL, Descriptor, Wiring, create};
use vramp::params::{Arg, Call};
use vramp::pipeline::{SideInput, Target, plan_with};
use vramp::video::{Rational, StreamInfo};

/// 4:2:0 of 8 bits.
fn yuv() -> String {
    format!("format=i:{} width=i:64 height=i:48 length=i:3", format_id("yuv420p".parse().unwrap(), false))
}

/// The one line that the host prints when `call` is made on a blank clip.
#[track_caller]
fn refusal(clip: &str, function: &str, args: &[&str]) -> String {
    let mut script = Script::new();
    script.blank(clip);
    let words: Vec<_> = ["call", "vramp", function].into_iter().chain(args.iter().copied()).collect();
    let lines = script.line(&words).run();
    assert_eq!(lines.len(), 1, "{function} {args:?}: {lines:?}");
    lines[0].clone()
}

#[test]
fn wrong_arguments_are_named_with_what_is_right() {
    for (function, args, message) in [
        ("Deband", &["range=i:300"][..], "Deband: range must be a whole number from 0 to 127 (samples), not 300"),
        ("Deband", &["range=i:-1"], "Deband: range must be a whole number from 0 to 127 (samples), not -1"),
        ("Deband", &["field=s:onn"], "Deband: field must be one of auto, off, on, not 'onn'; did you mean 'on'?"),
        (
            "Deband",
            &["preset=s:anme"],
            "Deband: preset must be one of gentle, anime, strong, nograin, not 'anme'; did you mean 'anime'?",
        ),
        ("Deband", &["device=s:gpu"], "Deband: device 'gpu' is not known: use auto, cpu, cuda or cuda:N"),
        ("Deband", &["depth=i:17"], "Deband: depth must be a whole number from 8 to 16 (bits), not 17"),
        ("Depth", &["bits=i:7"], "Depth: bits must be a whole number from 8 to 16 (bits), not 7"),
        ("Depth", &["dither=s:fs"], "Depth: dither=fs needs a depth to dither to: add bits=10, or another"),
        ("Gauss", &["sigma=f:nan"], "Gauss: sigma must be a number from 0.1 to 64 (samples), not NaN"),
        ("Gauss", &["planes=i:0,3"], "Gauss: planes has 3, but yuv420p has planes 0 to 2"),
        ("Gauss", &["planes=i:1,1"], "Gauss: planes has 1 twice"),
        ("Chain", &["chain=s:debend"], "Chain: no filter is called 'debend'; did you mean 'deband'?"),
        ("Chain", &["chain=s:deband=range=16:"], "Chain: chain, column 17: expected a value, found the end"),
        ("Chain", &["chain=s:deband(range 300)"], "Chain: deband: option 'range' cannot be '300'"),
        ("Chain", &[], "Chain: argument chain is required"),
        ("Deband", &["rnge=i:3"], "Deband: no argument(s) named rnge"),
    ] {
        let line = refusal(&yuv(), function, args);
        assert!(line.starts_with(&format!("error {message}")), "{line}\n      {message}");
    }
}

#[test]
fn clips_that_are_not_filtered() {
    for (clip, message) in [
        ("varsize=i:1", "Deband: clips whose format or size varies are not filtered"),
        ("varformat=i:1", "Deband: clips whose format or size varies are not filtered"),
        ("format=i:805831168", "Deband: YUV411P8 is not filtered: only 4:0:0, 4:2:0, 4:2:2 and 4:4:4 are filtered"),
        ("format=i:270532608", "Deband: Gray32 is not filtered: convert it to 16 bits first"),
        ("format=i:286261248", "Deband: GrayH is not filtered: convert it to 32-bit float or to 16-bit integers first"),
    ] {
        let line = refusal(&format!("{clip} width=i:64 height=i:48 length=i:3"), "Deband", &[]);
        assert!(line.starts_with(&format!("error {message}")), "{line}\n      {message}");
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_when_the_filter_is_made() {
    let line = refusal(&yuv(), "Deband", &["device=s:cuda:99"]);
    assert!(line.starts_with("error Deband: ") && line.ends_with("; use --device cpu"), "{line}");
}

/// What goes wrong with a frame before the filter is reported as it was.
#[test]
fn a_frame_that_fails_before_is_not_ours() {
    let mut script = Script::new();
    script.line(&["raw", "1", "0", "8", "0", "0", "64", "48", "3", "/dev/null"]).call("Deband", "");
    assert_eq!(script.line(&["props", "1"]).run(), ["error raw: the file is too short"]);
}

/// What a filter must be given, since clips of no stated colours are not what it is for.
fn needed(filter: &Descriptor) -> Option<(&'static str, &'static str)> {
    (filter.name == "tonemap").then_some(("source", "pq"))
}

/// What a filter with its defaults makes of the blank clip, as the host prints it; `None` for one that needs a chain around it.
fn made(filter: &Descriptor) -> Option<String> {
    let args = needed(filter).map(|(key, value)| Arg { key: Some(key.to_owned()), value: value.to_owned() });
    let made = create(&Call { name: filter.name.to_owned(), args: args.into_iter().collect() }).unwrap();
    let Wiring::Reads(names) = made.wiring() else { return None };
    let info = StreamInfo {
        frame_count: Some(3),
        frame_rate: Rational::new(24, 1),
        ..StreamInfo::bare("yuv420p".parse().unwrap(), 64, 48)
    };
    let sides: Vec<_> = names.into_iter().map(|name| SideInput { name, info: info.clone() }).collect();
    let output = plan_with(vec![made], &info, &sides, Target::default()).unwrap().output;
    let count = output.frame_count.unwrap();
    Some(format!(" {}x{} {count} {}", output.width, output.height, output.frame_rate))
}

#[test]
fn every_filter_is_a_function_that_runs_with_its_defaults() {
    let mut script = Script::new();
    script.line(&["functions", "vramp"]);
    let functions = script.run();
    let filters: Vec<_> = ALL.iter().filter_map(|filter| Some((filter, made(filter)?))).collect();
    assert_eq!(functions.len(), filters.len() + 1, "{functions:?}");
    for (filter, made) in filters {
        let words = filter.name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
        let function: String = words.collect();
        let mut script = Script::new();
        script.line(&["signature", "vramp", &function]);
        let signature = script.run().remove(0);
        let clips = signature.split(';').skip(1).filter_map(|argument| argument.strip_suffix(":vnode:all:opt"));
        let needed = needed(filter).map(|(key, value)| format!("{key}=s:{value}"));
        let clips: Vec<_> = clips.map(|name| format!("{name}=c:clip")).chain(needed).collect();
        let mut script = Script::new();
        script.blank(&yuv());
        script.call(&function, &clips.join(" ")).line(&["info"]).line(&["time", "1"]);
        let lines = script.run();
        assert!(lines.len() == 2 && lines[0].ends_with(&made), "{function}: {lines:?}, not{made}");
    }
    let mut script = Script::new();
    script.blank(&yuv());
    let lines = script.call("Chain", "chain=s:").line(&["info"]).line(&["time", "3"]).run();
    assert!(lines.len() == 2 && lines[0] == "info YUV420P8 64x48 3 24/1", "{lines:?}");
}
