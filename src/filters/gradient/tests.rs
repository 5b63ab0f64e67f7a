//! `gradient` against a transcription of its pseudo-code, against values worked out by hand, and what it promises.

use super::plan::{Offset, Pass};
use super::reference::{Samples, filter};
use super::{Gradient, GradientParams, Plan};
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::filters::testing::{self, gray16, picture, samples};
use crate::filters::{Filter, Setup, create};
use crate::params::{Params, parse_chain};
use crate::video::{FieldOrder, Format, FrameProps, Picture, StreamInfo};

fn params(args: &str) -> GradientParams {
    GradientParams::from_call(&parse_chain(&format!("gradient{args}")).unwrap()[0]).unwrap()
}

fn run(args: &str, src: &Picture, dst: Format) -> Picture {
    testing::run(&Gradient::new(params(args)).unwrap(), src, dst)
}

/// The source of `vectors.py`.
fn source(width: usize, height: usize, bits: u32, seed: u64) -> Vec<i32> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    let (sx, sy, base, edge) = (draw() % 23, draw() % 19, draw() % 60000, draw() % (width + height) as i64);
    let mut samples = Vec::new();
    for (y, x) in (0..height as i64).flat_map(|y| (0..width as i64).map(move |x| (y, x))) {
        let mut value = base + x * sx + y * sy + if x + y > edge { 3000 } else { 0 };
        match draw() % 97 {
            0 => value += 300,
            1 if seed.is_multiple_of(3) => value = if draw() % 2 == 1 { 65535 } else { 0 },
            _ => {}
        }
        samples.push((value.clamp(0, 65535) >> (16 - bits) << (16 - bits)) as i32);
    }
    samples
}

/// FNV-1a of samples of 16 bits.
fn hash(samples: &[i32]) -> u64 {
    let bytes = samples.iter().flat_map(|sample| (*sample as u16).to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// One line of `vectors.txt`.
struct Line<'t> {
    width: usize,
    height: usize,
    args: String,
    source: Vec<i32>,
    hash: &'t str,
}

fn lines() -> impl Iterator<Item = Line<'static>> {
    include_str!("vectors.txt").lines().map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        let &[width, height, range, bits, preset, seed, hash] = words.as_slice() else { panic!("{line}") };
        let number = |word: &str| word.parse::<usize>().unwrap();
        let (width, height) = (number(width), number(height));
        let preset = if preset == "default" { String::new() } else { format!(":preset={preset}") };
        let source = source(width, height, bits.parse().unwrap(), seed.parse().unwrap());
        Line { width, height, args: format!("=range={range}:bits={bits}{preset}"), source, hash }
    })
}

#[test]
fn it_is_what_the_transcription_gives() {
    assert!(lines().count() > 100);
    for Line { width, height, args, source, hash: expected } in lines() {
        let src = picture(gray16(), width, height, |_, x, y| source[y * width + x]);
        // This runs every fast kernel too.
        let out = samples(&run(&args, &src, gray16()), 0);
        assert_eq!(format!("{:016x}", hash(&out)), expected, "{width}x{height} {args}");
    }
}

#[test]
fn a_contour_becomes_a_ramp() {
    // A ramp of a step every 40 samples, rounded to 8 bits: 0.29 of a step from the truth, root of the mean square.
    let truth = |x: usize| 20.0 + x as f64 / 40.0;
    let format = Format::gray(8).unwrap();
    let src = picture(format, 480, 128, |_, x, _| truth(x).round() as i32);
    let error = |value: &dyn Fn(usize, usize) -> f64| {
        let all = (0..128).flat_map(|y| (0..480).map(move |x| (x, y)));
        let sum: f64 = all.map(|(x, y)| (value(x, y) - truth(x)).powi(2)).sum();
        (sum / (480.0 * 128.0)).sqrt()
    };
    let out = samples(&run("=range=32", &src, gray16()), 0);
    let (before, after) = (error(&|x, _| truth(x).round()), error(&|x, y| f64::from(out[y * 480 + x]) / 256.0));
    assert!(before > 0.28 && after < 0.05, "{before} became {after}");
}

#[test]
fn no_sample_moves_farther_than_its_cell() {
    for (args, bits, bound) in [
        ("", 8, 192),
        ("=slack=0", 8, 128),
        ("=preset=codec", 8, 256),
        ("", 10, 48),
        ("=bits=8", 10, 192),
        ("", 16, 48),
    ] {
        let format = Format::gray(bits).unwrap();
        let value = |x: usize, y: usize| 4000 + 13 * x + 29 * y + (x * x * 31 + y * y * 17) % 331;
        let src = picture(format, 120, 90, |_, x, y| (value(x, y) >> (16 - bits)) as i32);
        let out = samples(&run(args, &src, gray16()), 0);
        let moved = samples(&src, 0).iter().zip(&out).map(|(src, out)| ((src << (16 - bits)) - out).abs()).max();
        assert!(moved.unwrap() <= bound && moved > Some(0), "{args} of {bits} bits: {moved:?}");
    }
}

#[test]
fn pairs_are_closer_near_borders() {
    // Ramps of 10 a column and 7 a row: each pair that counts has the sample as its mean, up to the corners.
    let src = picture(gray16(), 70, 30, |_, x, y| 2000 + 10 * x as i32 + 7 * y as i32);
    assert_eq!(samples(&run("=range=64", &src, gray16()), 0), samples(&src, 0));
    // One row has pairs of its columns alone, all three of them alike, no farther away than the nearer end. Column 2 sees 0 and 8
    // whether they should lie 1 or 40 away, which is 8 · 3 · R(3) >> 15 = 3; column 3 sees 0 and 8, −8 · 3 · R(3) >> 15 = −3.
    let row = Samples::new(5, 1, |x, _| if x < 3 { 0 } else { 8 });
    for args in ["=range=1", "=range=40"] {
        let plan = Plan::new(&params(args), &StreamInfo::bare(gray16(), 5, 1));
        let delta = |x: isize| row.delta((x, 0), &plan.components[0].passes[0].offsets, 100, 100);
        assert_eq!([0, 1, 2, 3, 4].map(delta), [0, 0, 3, -3, 0], "{args}");
    }
}

#[test]
fn pairs_are_the_same_upside_down() {
    // Words of kernels on CUDA have a sample that is read upside down.
    let sorted = |offsets: &[Offset], down: isize| {
        let to_the_right = |&(x, y): &Offset| if (x, y * down) < (0, 0) { (-x, -y * down) } else { (x, y * down) };
        let mut pairs: Vec<_> = offsets.iter().map(to_the_right).collect();
        pairs.sort_unstable();
        pairs
    };
    for range in 1..=255 {
        let plan = Plan::new(&params(&format!("=range={range}")), &StreamInfo::bare(gray16(), 8, 8));
        let passes = plan.components[0].passes;
        for offsets in passes.iter().map(|pass| &pass.offsets[..]).chain([&plan.evidence.offsets[..]]) {
            assert_eq!(sorted(offsets, 1), sorted(offsets, -1), "range {range}");
        }
    }
}

#[test]
fn a_lone_dot_and_an_edge_stay() {
    let format = Format::gray(8).unwrap();
    let flat_with = |inside: i32| picture(format, 64, 48, move |_, x, y| if (x, y) == (30, 20) { inside } else { 100 });
    // Evidence at the dot is 12·384·R(6) >> 15 = 3 steps less half a step: far more than 255. It is alone in 7×7 samples, and
    // 60 + 0 up to 255 leave (900 − 255)·39 = 25155 of 32767; but no pair counts, so the dot stays.
    let dot = flat_with(103);
    assert_eq!(samples(&run("", &dot, format), 0), samples(&dot, 0));
    let edge = picture(format, 64, 48, |_, x, _| if x < 31 { 100 } else { 140 });
    assert_eq!(samples(&run("", &edge, gray16()), 0), samples(&edge, 0).iter().map(|v| v << 8).collect::<Vec<_>>());
}

#[test]
fn flat_stays_flat_at_the_ends_of_the_scale() {
    for value in [0, 255] {
        let src = picture(Format::gray(8).unwrap(), 40, 30, |_, _, _| value);
        assert_eq!(samples(&run("", &src, gray16()), 0), vec![value << 8; 1200]);
    }
}

#[test]
fn limited_range_is_kept_where_that_is_asked_for() {
    let format = Format::yuv(0, 0, 8).unwrap();
    let src = picture(format, 40, 30, |_, x, _| if x < 20 { 10 } else { 250 });
    let out = run("=keep_tv_range=on:planes=yu", &src, format);
    let ends = |component| (samples(&out, component)[0], samples(&out, component)[39]);
    assert_eq!([ends(0), ends(1), ends(2)], [(16, 235), (16, 240), (10, 250)]);
}

#[test]
fn the_range_follows_the_frame_and_the_plane() {
    let steps = |args: &str, format: &str, height: usize| {
        let info = StreamInfo::bare(format.parse().unwrap(), 64, height);
        let plan = Plan::new(&params(args), &info);
        let farthest = |pass: Pass| pass.offsets.iter().map(|(x, y)| x.abs().max(*y)).max().unwrap();
        plan.components.iter().map(|component| component.passes.map(farthest)).collect::<Vec<_>>()
    };
    for (height, range) in [(1, 48), (720, 48), (1080, 64), (1440, 85), (2160, 128), (4320, 255), (20000, 255)] {
        assert_eq!(steps("", "gray8", height)[0][0], range, "{height} rows");
    }
    assert_eq!(steps("", "yuv420p", 1080), [[64, 32, 16, 8], [32, 16, 8, 4], [32, 16, 8, 4]]);
    assert_eq!(steps("=range=5", "yuv422p", 1080), [[5, 2, 1, 1], [3, 1, 1, 1], [3, 1, 1, 1]]);
    for format in ["yuv444p", "gbrp"] {
        assert_eq!(steps("", format, 1080), [[64, 32, 16, 8]; 3]);
    }
}

#[test]
fn a_step_is_the_sources() {
    let limit = |args: &str, bits: u8| {
        let plan = Plan::new(&params(args), &StreamInfo::bare(Format::gray(bits).unwrap(), 8, 8));
        (plan.components[0].passes[0].limit, plan.evidence.scale)
    };
    assert_eq!([8, 9, 10, 12, 16].map(|bits| limit("", bits)), [(128, 1), (64, 2), (32, 4), (32, 4), (32, 4)]);
    assert_eq!([limit("=bits=8", 10), limit("=bits=12", 8)], [(128, 1), (8, 16)]);
}

#[test]
fn fields_are_pictures_of_half_the_height() {
    let format = gray16();
    let of_row = |y: usize| if y.is_multiple_of(2) { 11 * y as i32 } else { 9000 };
    let value = |x: usize, y: usize| ((3000 + 7 * x as i32 + of_row(y)) >> 8) << 8;
    let src = picture(format, 70, 141, |_, x, y| value(x, y));
    let out = samples(&run("=field=on:bits=8:range=20", &src, format), 0);
    for field in 0..2 {
        let rows = (141_usize - field).div_ceil(2);
        let alone = picture(format, 70, rows, |_, x, y| value(x, 2 * y + field));
        let alone = samples(&run("=bits=8:range=20", &alone, format), 0);
        let of_frame: Vec<i32> = (0..rows).flat_map(|y| &out[(2 * y + field) * 70..][..70]).copied().collect();
        assert!(of_frame == alone, "field {field}");
    }
}

#[test]
fn a_frames_flag_says_whether_it_has_fields() {
    let input = StreamInfo::bare(gray16(), 70, 140);
    let src = picture(gray16(), 70, 140, |_, x, y| (3000 + 7 * x as i32 + y as i32 % 2 * 150) >> 8 << 8);
    let of = |args: &str, field_order: FieldOrder| {
        let setup = Setup::of(input.clone(), gray16(), input.clone(), gray16());
        let exec = CpuExec::new(1, CpuLevel::detect()).unwrap();
        let mut out = Picture::alloc(gray16(), 70, 140).unwrap();
        let props = FrameProps { field_order, ..FrameProps::default() };
        let filter = Gradient::new(params(args)).unwrap();
        let mut kernel = filter.cpu(&setup, exec.level()).unwrap();
        kernel.run_alone(&props, &src.planes(), &mut out.planes_mut(), &exec);
        samples(&out, 0)
    };
    let frame = of("=bits=8:field=off", FieldOrder::TopFirst);
    let fields = of("=bits=8:field=on", FieldOrder::Progressive);
    assert!(frame != fields);
    assert!(of("=bits=8", FieldOrder::Progressive) == frame && of("=bits=8", FieldOrder::BottomFirst) == fields);
}

#[test]
fn large_planes_are_the_same_in_bands() {
    // As high as several bands of several threads, and fields of it; held to the definition on whole planes.
    let (width, height) = (75, 700);
    let source = source(width, height, 8, 5);
    let src = picture(gray16(), width, height, |_, x, y| source[y * width + x]);
    let input = StreamInfo::bare(gray16(), width, height);
    let setup = Setup::of(input.clone(), gray16(), input.clone(), gray16());
    for args in ["=bits=8:range=32", "=bits=8:range=9:field=on", "=bits=8:range=70", "=bits=8:range=255"] {
        let params = params(args);
        let plan = Plan::new(&params, &input);
        let fields = plan.fields(&FrameProps::default());
        let mut expected = vec![0; width * height];
        for field in 0..fields {
            let rows = height / fields;
            let at = |x: usize, y: usize| source[(y * fields + field) * width + x];
            let of_field = filter(&Samples::new(width, rows, at), &plan.components[0], &plan.evidence);
            for (y, row) in of_field.chunks(width).enumerate() {
                expected[(y * fields + field) * width..][..width].copy_from_slice(row);
            }
        }
        for (threads, level) in
            [1, 2, 3, 5].into_iter().flat_map(|n| CpuLevel::available().map(move |level| (n, level)))
        {
            let exec = CpuExec::new(threads, level).unwrap();
            let mut out = Picture::alloc(gray16(), width, height).unwrap();
            let mut kernel = Gradient::new(params.clone()).unwrap().cpu(&setup, level).unwrap();
            kernel.run_alone(&FrameProps::default(), &src.planes(), &mut out.planes_mut(), &exec);
            let first = samples(&out, 0).iter().zip(&expected).position(|(got, expected)| got != expected);
            assert_eq!(first.map(|at| (at % width, at / width)), None, "{args}, {level}, {threads} threads");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (text, words) in [
        ("gradient=s0=900", "s0=900 must be less than s1=900"),
        ("gradient=s1=60", "must be less than s1=60"),
        ("gradient=range=0", "takes auto, or a whole number from 1 to 255"),
        ("gradient=bits=13", "from 8 to 12"),
        ("gradient=preset=strong", "it has film, anime, dark, codec, gentle"),
    ] {
        let message = create(&parse_chain(text).unwrap()[0]).unwrap_err().message().to_owned();
        assert!(message.contains(words) && !message.contains('\n'), "{text}: {message}");
    }
    let grey = StreamInfo::bare(Format::gray(8).unwrap(), 8, 8);
    let spec = |args: &str| Gradient::new(params(args)).unwrap().spec(std::slice::from_ref(&grey)).unwrap();
    let identity = |args: &str| spec(args).is_identity(&grey);
    assert!(identity("=cell=0:slack=0") && identity("=planes=uv"));
    assert!(!identity("=cell=0:slack=0:keep_tv_range=on") && !identity("=cell=0"));
}
