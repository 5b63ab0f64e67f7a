//! The plugin's frames are the command's, for every filter in every format.

use crate::clips::{Clip, format_id};
use crate::host::{Folder, Script};
use std::fs;
use vramp::error::Result;
use vramp::filters::planes::PlaneSet;
use vramp::filters::{ALL, Descriptor};
use vramp::params::{Argument, Choice, ParamKind, parse_chain};
use vramp::pipeline::{Target, plan};
use vramp::video::{Format, StreamInfo};

/// The depths that libav has formats for.
const DEPTHS: [u8; 6] = [8, 9, 10, 12, 14, 16];

/// The chain of a filter's case.
fn chain_of(filter: &Descriptor, case: &str) -> String {
    if case.is_empty() { filter.name.to_owned() } else { format!("{}={case}", filter.name) }
}

/// The function of a filter and the arguments of a case, as host.c has them.
fn typed(filter: &'static Descriptor, case: &str, format: Format) -> (String, String) {
    // As the filter itself writes it: other spellings of a word are the chain's alone.
    let call = vramp::filters::create(&parse_chain(&chain_of(filter, case)).unwrap()[0]).unwrap().call();
    let argument = |Argument { param, text, .. }: Argument<'_>| {
        let value = match param.kind {
            ParamKind::Choice(PlaneSet::WORDS) => {
                let set = PlaneSet::ALL[PlaneSet::WORDS.iter().position(|word| *word == text).unwrap()];
                let has: Vec<_> =
                    (0..format.components()).filter(|i| set.has(format, *i)).map(|i| i.to_string()).collect();
                format!("i:{}", has.join(","))
            }
            // Left out it would be the default.
            ParamKind::Int { .. } if text == "auto" => "i:-1".to_owned(),
            ParamKind::Bool => format!("i:{}", i32::from(matches!(text, "on" | "1" | "true" | "yes"))),
            ParamKind::Int { .. } => format!("i:{text}"),
            ParamKind::Float { .. } => format!("f:{text}"),
            // The host's words have no spaces.
            ParamKind::Choice(_) | ParamKind::Text(_) | ParamKind::Name => format!("s:{}", text.replace(' ', "~")),
        };
        format!("{}={value}", param.name)
    };
    let args: Vec<_> = filter.schema.resolve(&call).unwrap().into_iter().map(argument).collect();
    let function: String = filter.name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    (function, args.join(" "))
}

/// What the host makes of `clip` in each of `count` scripts; `each` adds the calls.
fn by_host(folder: &Folder, clip: &Clip, count: usize, each: impl Fn(&mut Script, usize)) -> Vec<Vec<u8>> {
    frames_by_host(folder, clip, &vec![clip.frames; count], each)
}

/// The same with a number of frames for each script.
fn frames_by_host(folder: &Folder, clip: &Clip, frames: &[usize], each: impl Fn(&mut Script, usize)) -> Vec<Vec<u8>> {
    let path = |i: usize| folder.path(&format!("{i}.out"));
    let mut script = Script::new();
    clip.open(&mut script);
    for (i, frames) in frames.iter().enumerate() {
        each(script.line(&["restore"]), i);
        let order: Vec<_> = (0..*frames).map(|n| n.to_string()).collect();
        script.line(&["frames", &path(i), &order.join(",")]);
    }
    assert_eq!(script.run(), [""; 0], "{}", clip.format);
    (0..frames.len()).map(|i| fs::read(path(i)).unwrap()).collect()
}

/// The filters that take the clip, with `most` of their cases that work on planes and sizes it has, need no other clip, and
/// give what the command can write.
fn cases(clip: &Clip, most: usize) -> Vec<(&'static Descriptor, &'static str)> {
    // VapourSynth has no sizes that chroma does not divide.
    let divides = |made: &StreamInfo| {
        made.width.is_multiple_of(1 << made.format.subsampling_w())
            && made.height.is_multiple_of(1 << made.format.subsampling_h())
    };
    let fits = |filter: &Descriptor, case: &&str| {
        let made = result(&chain_of(filter, case), clip);
        made.is_ok_and(|made| DEPTHS.contains(&made.format.bit_depth()) && divides(&made))
    };
    let of = |filter: &&'static Descriptor| {
        let filter = *filter;
        filter.cases.iter().filter(move |case| fits(filter, case)).take(most).map(move |case| (filter, *case))
    };
    ALL.iter().flat_map(of).collect()
}

/// The stream that a chain makes of the clip.
fn result(chain: &str, clip: &Clip) -> Result<StreamInfo> {
    let info =
        StreamInfo { frame_count: Some(clip.frames as u64), ..StreamInfo::bare(clip.format, clip.size.0, clip.size.1) };
    Ok(plan(vramp::filters::chain(chain)?, &info, Target::default())?.output)
}

/// The number of frames of each case.
fn counts(clip: &Clip, cases: &[(&'static Descriptor, &'static str)]) -> Vec<usize> {
    let count =
        |(filter, case): &(&Descriptor, &str)| result(&chain_of(filter, case), clip).unwrap().frame_count.unwrap();
    cases.iter().map(|case| count(case) as usize).collect()
}

/// What the command makes of the clip by `chain`.
fn by_command(clip: &Clip, chain: &str) -> Vec<u8> {
    let made = result(chain, clip).unwrap();
    clip.sized_by_command(&["--chain", chain], made.format, (made.width, made.height))
}

/// Every filter in every format of a family that VapourSynth and libav have in common.
fn every_filter(family: &str, size: (usize, usize)) {
    for depth in DEPTHS {
        let name = if depth == 8 && family != "gray" { family.to_owned() } else { format!("{family}{depth}") };
        let folder = Folder::new();
        let clip = Clip::new(&folder, &name, size, 2);
        let cases = cases(&clip, 1);
        let frames = frames_by_host(&folder, &clip, &counts(&clip, &cases), |script, i| {
            let (function, args) = typed(cases[i].0, cases[i].1, clip.format);
            script.call(&function, &args);
        });
        for ((filter, case), frames) in cases.iter().zip(frames) {
            let chain = chain_of(filter, case);
            let expected = by_command(&clip, &chain);
            assert!(!expected.is_empty() && frames == expected, "{name}: {chain}");
        }
    }
}

#[test]
fn every_filter_in_gray() {
    every_filter("gray", (37, 21));
}

#[test]
fn every_filter_in_yuv420() {
    every_filter("yuv420p", (70, 38));
}

#[test]
fn every_filter_in_yuv422() {
    every_filter("yuv422p", (70, 37));
}

#[test]
fn every_filter_in_yuv444() {
    every_filter("yuv444p", (37, 21));
}

#[test]
fn every_filter_in_rgb() {
    every_filter("gbrp", (37, 21));
}

#[test]
fn every_case_of_every_filter() {
    for (name, size) in [("yuv420p", (70, 38)), ("yuv422p10", (70, 37)), ("gbrp12", (37, 21))] {
        let folder = Folder::new();
        let clip = Clip::new(&folder, name, size, 3);
        let cases = cases(&clip, usize::MAX);
        let twice: Vec<_> = counts(&clip, &cases).into_iter().flat_map(|count| [count; 2]).collect();
        let frames = frames_by_host(&folder, &clip, &twice, |script, i| {
            let (filter, case) = cases[i / 2];
            let (function, args) = typed(filter, case, clip.format);
            if i % 2 == 0 {
                script.chain(&chain_of(filter, case));
            } else {
                script.call(&function, &args);
            }
        });
        for ((filter, case), frames) in cases.iter().zip(frames.chunks(2)) {
            let chain = chain_of(filter, case);
            let expected = by_command(&clip, &chain);
            assert!(frames[0] == expected, "{name}: {chain} by Chain");
            assert!(frames[1] == expected, "{name}: {chain} by its function");
        }
    }
}

#[test]
fn both_spellings_and_the_argument_depth() {
    let folder = Folder::new();
    let clip = Clip::new(&folder, "yuv420p", (70, 38), 2);
    let ten: Format = "yuv420p10".parse().unwrap();
    let frames = by_host(&folder, &clip, 4, |script, i| {
        match i {
            0 => script.chain("deband=range=20:sample=2,gauss=sigma=1,depth=10"),
            1 => script.chain("deband(range 20, sample 2) > gauss(sigma 1) > depth(10)"),
            2 => script.line(&[
                "call",
                "vramp",
                "Chain",
                "chain=s:deband(range 20, sample 2) > gauss(sigma 1)",
                "depth=i:10",
            ]),
            _ => script.call("Deband", "range=i:20 sample=i:2 depth=i:16").call("Gauss", "sigma=f:1 depth=i:10"),
        };
    });
    let expected = clip.by_command(&["--chain", "deband=range=20:sample=2,gauss=sigma=1", "--depth", "10"], ten);
    assert!(frames.iter().all(|bytes| *bytes == expected));
}

/// Float clips are filtered in 16 bits: VapourSynth's own conversion takes them there and back.
#[test]
fn float_is_sixteen_bits() {
    for (name, range) in [("gray16", 0), ("yuv420p16", 0), ("yuv444p16", 1), ("gbrp16", 1), ("gbrp16", 0)] {
        let folder = Folder::new();
        let clip = Clip::new(&folder, name, (70, 38), 2);
        let range = format!("_Range=i:{range}");
        let to_float = format!("format=i:{}", format_id(clip.format, true));
        let frames = by_host(&folder, &clip, 6, |script, i| {
            script.line(&["call", "std", "SetFrameProps", &range]);
            if i > 0 {
                script.line(&["call", "resize", "Point", &to_float]);
            }
            match i {
                0 => script.call("Deband", "sample=i:2"),
                1 => script.call("Depth", "bits=i:16"),
                2 => script.call("Deband", "sample=i:2 depth=i:16"),
                3 => script.call("Deband", "sample=i:2"),
                4 => script.call("Deband", "sample=i:2").call("Depth", "bits=i:16"),
                _ => script.call("Chain", "chain=s:range"),
            };
        });
        let [filtered, unfiltered, direct, float, back, untouched] = <[Vec<u8>; 6]>::try_from(frames).unwrap();
        assert!(unfiltered == clip.bytes(), "{name} {range}: VapourSynth's floats come back as they were");
        assert!(filtered != unfiltered && direct == filtered && back == filtered, "{name} {range}");
        assert_eq!((float.len(), untouched.len()), (2 * filtered.len(), 2 * filtered.len()));
        check_floats(&float, &filtered, &clip, range.ends_with('1'));
    }
}

/// Compares floats with the 16-bit samples that they stand for, by the definition in double precision.
fn check_floats(float: &[u8], samples: &[u8], clip: &Clip, full: bool) {
    let frame = samples.len() / clip.frames;
    let luma = 2 * clip.size.0 * clip.size.1;
    for (i, (float, sample)) in float.chunks(4).zip(samples.chunks(2)).enumerate() {
        let is_chroma = clip.format.is_chroma(usize::from(2 * i % frame >= luma));
        let (gain, zero) = match (full, is_chroma) {
            (true, false) => (65535.0, 0.0),
            (true, true) => (65535.0, 32768.0),
            (false, false) => (56064.0, 4096.0),
            (false, true) => (57344.0, 32768.0),
        };
        let float = f64::from(f32::from_ne_bytes(float.try_into().unwrap()));
        let expected = (f64::from(u16::from_ne_bytes(sample.try_into().unwrap())) - zero) / gain;
        assert!((float - expected).abs() < 1e-6, "{}: sample {i} is {float}, not {expected}", clip.format);
    }
}
