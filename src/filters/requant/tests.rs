//! Both filters against vectors worked out by hand, the exact ratios, and the properties of dithers.

use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::Kind;
use crate::filters::depth::{Depth, DepthParams};
use crate::filters::range::{RangeFilter, RangeParams, To};
use crate::filters::requant::pattern::{TILE, Tile, threshold};
use crate::filters::requant::scaling::MulShift;
use crate::filters::requant::{BLACK, Dither, LIMITED_CHROMA, LIMITED_LUMA, NEUTRAL, Scaling, white};
use crate::filters::{Filter, Setup};
use crate::video::{Format, FrameProps, Picture, Range, StreamInfo};

fn range(to: To) -> RangeFilter {
    RangeFilter::new(RangeParams { to: Some(to) })
}

/// A stream whose pictures are v16 with nominally `bits` bits.
fn stream(format: Format, bits: u8, range: Range, width: usize, height: usize) -> StreamInfo {
    let mut info = StreamInfo::bare(format.to_planar(bits).unwrap(), width, height);
    info.color.range = range;
    info
}

/// What `filter` makes of `src`, by the reference (`None`) or the fast kernel at a level.
fn run(filter: &dyn Filter, input: &StreamInfo, src: &Picture, dst: Format, level: Option<CpuLevel>) -> Picture {
    run_frame(filter, input, src, dst, level, 0)
}

fn run_frame(
    filter: &dyn Filter,
    input: &StreamInfo,
    src: &Picture,
    dst: Format,
    level: Option<CpuLevel>,
    frame_index: u64,
) -> Picture {
    let setup = Setup::of(input.clone(), src.format(), filter.spec(std::slice::from_ref(input)).unwrap().output, dst);
    let mut kernel = match level {
        None => filter.reference(&setup).unwrap(),
        Some(level) => filter.cpu(&setup, level).unwrap(),
    };
    let exec = CpuExec::new(1, level.unwrap_or(CpuLevel::Portable)).unwrap();
    let mut out = Picture::alloc(dst, input.width, input.height).unwrap();
    let props = FrameProps { frame_index, ..FrameProps::default() };
    kernel.run_alone(&props, &src.planes(), &mut out.planes_mut(), &exec);
    out
}

fn is_identity(filter: &dyn Filter, input: &StreamInfo) -> bool {
    filter.spec(std::slice::from_ref(input)).unwrap().is_identity(input)
}

/// The reference and every fast kernel.
fn kernels() -> impl Iterator<Item = Option<CpuLevel>> {
    std::iter::once(None).chain(CpuLevel::available().map(Some))
}

/// A picture whose every sample is what `value` says for (component, x, y), in v16.
fn picture(format: Format, width: usize, height: usize, value: impl Fn(usize, usize, usize) -> u16) -> Picture {
    let mut picture = Picture::alloc(format, width, height).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        for y in 0..plane.height() {
            for x in 0..plane.width() {
                plane.set_v16(x, y, value(component, x, y));
            }
        }
    }
    picture
}

/// Every v16 value of a component, row by row.
fn values(picture: &Picture, component: usize) -> Vec<u16> {
    let plane = picture.planes()[component];
    (0..plane.height()).flat_map(|y| (0..plane.width()).map(move |x| plane.v16(x, y))).collect()
}

fn gray16() -> Format {
    Format::gray(16).unwrap()
}

/// A row of v16 greys through `filter`, the same from every kernel.
fn row(filter: &dyn Filter, bits: u8, range: Range, row: &[u16]) -> Vec<u16> {
    let input = stream(gray16(), bits, range, row.len(), 1);
    let src = picture(gray16(), row.len(), 1, |_, x, _| row[x]);
    let expected = values(&run(filter, &input, &src, gray16(), None), 0);
    for level in CpuLevel::available() {
        assert_eq!(values(&run(filter, &input, &src, gray16(), Some(level)), 0), expected, "{level}");
    }
    expected
}

const DEPTHS: std::ops::RangeInclusive<u8> = 8..=16;

#[test]
fn limited_range_shifts() {
    // One 8-bit step is 256: 127 is just below the half, 128 is the half; 65408 would round to 256 steps and stays
    // at 255.
    let to8 = Depth::to(8, Dither::None);
    assert_eq!(
        row(&to8, 16, Range::Limited, &[0, 127, 128, 255, 383, 384, 65407, 65408, 65535]),
        [0, 0, 256, 256, 256, 512, 0xff00, 0xff00, 0xff00]
    );
    // Limited white of 8 bits, 235, is 940 at 10 bits: the same 60160 in v16. What 8 bits hold, 10 bits hold.
    assert_eq!(
        row(&Depth::to(10, Dither::None), 8, Range::Unspecified, &[235 << 8, 1 << 8, 255 << 8]),
        [60160, 256, 65280]
    );
}

#[test]
fn full_range_keeps_white_white() {
    // 8 to 16 bits multiplies codes by 257: 1 → 257, 128 → 32896, 255 → 65535.
    assert_eq!(
        row(&Depth::to(16, Dither::None), 8, Range::Full, &[0, 1 << 8, 128 << 8, 255 << 8]),
        [0, 257, 32896, 65535]
    );
    // 8 to 10 bits: 1·1023/255 = 4.01 → 4; 128·1023/255 = 513.505… → 514; 255 → 1023. One step is 64.
    assert_eq!(
        row(&Depth::to(10, Dither::None), 8, Range::Full, &[1 << 8, 128 << 8, 255 << 8]),
        [4 << 6, 514 << 6, 1023 << 6]
    );
    // 10 to 8 bits: 2·255/1023 = 0.4985 → 0; 514·255/1023 = 128.12 → 128; 1023 → 255; v16 above white stays there.
    assert_eq!(
        row(&Depth::to(8, Dither::None), 10, Range::Full, &[2 << 6, 514 << 6, 1023 << 6, 65535]),
        [0, 128 << 8, 255 << 8, 255 << 8]
    );
}

#[test]
fn full_range_chroma_scales_about_neutral() {
    // 8 to 10 bits: (0 − 128)·1023/255 + 512 = −1.5 → 0; 128 → 512; (255 − 128)·1023/255 + 512 = 1021.49 → 1021.
    let format = Format::yuv(0, 0, 16).unwrap();
    let input = stream(format, 8, Range::Full, 3, 1);
    let src = picture(format, 3, 1, |_, x, _| [0, 128 << 8, 255 << 8][x]);
    for level in kernels() {
        let out = run(&Depth::to(10, Dither::None), &input, &src, format, level);
        assert_eq!(values(&out, 1), [0, 512 << 6, 1021 << 6]);
        assert_eq!(values(&out, 2), values(&out, 1));
    }
}

#[test]
fn every_ratio_is_exact_for_every_value() {
    // In code values of the new depth, with white = 2^b − 1 and the v16 of the old white as denominator:
    // luma is v·white/old, chroma (v − 32768)·white/old + 2^(b − 1); floor(2n + d, 2d) rounds n/d half up.
    let format = Format::yuv(0, 0, 16).unwrap();
    let src = picture(format, 256, 256, |_, x, y| (y * 256 + x) as u16);
    let half_up = |n: i64, d: i64| (2 * n + d).div_euclid(2 * d);
    for from in DEPTHS {
        for to in DEPTHS {
            let white = (1i64 << to) - 1;
            let old = ((1i64 << from) - 1) << (16 - from);
            let expected = |component: usize, v: i64| {
                let code = match component {
                    0 => half_up(v * white, old),
                    _ => half_up((v - 32768) * white, old) + (1 << (to - 1)),
                };
                (code.clamp(0, white) << (16 - to)) as u16
            };
            let expected: Vec<Vec<u16>> =
                (0..2).map(|component| (0..65536).map(|v| expected(component, v)).collect()).collect();
            let input = stream(format, from, Range::Full, 256, 256);
            let out = run(&Depth::to(to, Dither::None), &input, &src, format, Some(CpuLevel::detect()));
            for (component, expected) in expected.iter().enumerate() {
                assert!(values(&out, component) == *expected, "{from} to {to} bits, component {component}");
            }
        }
    }
}

#[test]
fn the_multiplier_gives_the_exact_floor() {
    let check = |scaling: Scaling, guard: u32| {
        let fast = MulShift::new(scaling, guard);
        for v in 0..=u16::MAX {
            assert_eq!(fast.apply(v), scaling.exact(v, guard), "{v} by {scaling:?}");
        }
    };
    for from in DEPTHS {
        for to in DEPTHS {
            let luma = Scaling { from: 0, to: 0, num: white(to), den: white(from), top: white(to) };
            check(luma, 6);
            check(Scaling { from: NEUTRAL, to: NEUTRAL, ..luma }, 6);
        }
        let (white, top) = (white(from), 0xffff);
        check(Scaling { from: BLACK, to: 0, num: white, den: LIMITED_LUMA, top: white }, 1);
        check(Scaling { from: NEUTRAL, to: NEUTRAL, num: white, den: LIMITED_CHROMA, top: white }, 1);
        check(Scaling { from: 0, to: BLACK, num: LIMITED_LUMA, den: white, top }, 1);
        check(Scaling { from: NEUTRAL, to: NEUTRAL, num: LIMITED_CHROMA, den: white, top }, 1);
    }
}

#[test]
fn range_maps_black_white_and_neutral() {
    // 8 bits: 16 → 0, 235 → 255, below black and above white clip. 126 is (126 − 16)·65280/56064 = 128.08… steps,
    // 32789.04 in v16.
    let full = range(To::Full);
    assert_eq!(row(&full, 8, Range::Limited, &[0, 16 << 8, 126 << 8, 235 << 8, 0xffff]), [0, 0, 32789, 0xff00, 0xff00]);
    // And back: 0 → 16, 255 → 235; 128 is 4096 + 32768·56064/65280 = 32237.9.
    let limited = range(To::Limited);
    assert_eq!(row(&limited, 8, Range::Full, &[0, 128 << 8, 255 << 8]), [16 << 8, 32238, 235 << 8]);
    // Chroma 16 and 240 are 112 codes from neutral: 112·255/224 = 127.5 codes in full range, 32640 in v16.
    // 128 + 127.5 is above the highest code and clips to it.
    let format = Format::yuv(0, 0, 16).unwrap();
    let src = picture(format, 4, 1, |_, x, _| [0, 16 << 8, 128 << 8, 240 << 8][x]);
    for level in kernels() {
        let out = run(&full, &stream(format, 8, Range::Unspecified, 4, 1), &src, format, level);
        assert_eq!(values(&out, 2), [0, 32768 - 32640, 32768, 0xff00]);
    }
}

#[test]
fn range_there_and_back_keeps_every_code() {
    let format = Format::yuv(0, 0, 16).unwrap();
    for bits in DEPTHS {
        // Every code within limited range, as many as fit the picture; both limits are among them.
        let step = 1usize << (16 - bits);
        let code = |span: i32, i: usize| (BLACK as usize + (i * step).min(span as usize)) as u16;
        let span = |component| if component == 0 { LIMITED_LUMA } else { LIMITED_CHROMA };
        let src = picture(format, 256, 256, |component, x, y| code(span(component), y * 256 + x));
        let limited = stream(format, bits, Range::Limited, 256, 256);
        let full = range(To::Full).spec(std::slice::from_ref(&limited)).unwrap().output;
        assert_eq!(full.color.range, Range::Full);
        let there = run(&range(To::Full), &limited, &src, format, Some(CpuLevel::Portable));
        let back = run(&range(To::Limited), &full, &there, format, Some(CpuLevel::Portable));
        for component in 0..3 {
            let pairs = values(&src, component).into_iter().zip(values(&back, component));
            for (before, after) in pairs {
                assert_eq!(
                    (u32::from(after) + step as u32 / 2) / step as u32 * step as u32,
                    u32::from(before),
                    "{bits} bits"
                );
            }
        }
    }
}

const DITHERS: [Dither; 4] = [Dither::None, Dither::Ordered, Dither::Blue, Dither::Fs];

#[test]
fn what_the_depth_holds_is_never_changed() {
    for bits in DEPTHS {
        let src = picture(gray16(), 67, 41, |_, x, y| (((x * 2749 + y * 9973) as u16) >> (16 - bits)) << (16 - bits));
        let input = stream(gray16(), 16, Range::Limited, 67, 41);
        for dither in DITHERS {
            for level in kernels() {
                let out = run(&Depth::to(bits, dither), &input, &src, gray16(), level);
                assert_eq!(values(&out, 0), values(&src, 0), "{bits} bits, {dither:?}");
            }
        }
    }
}

/// Sum of `depth(bits, dither)`'s result less the exact value, over a flat 64×64 picture, in v16 units times `den`.
fn bias(bits: u8, dither: Dither, from: u8, range: Range, v: u16) -> (i64, i64) {
    let (num, den) = if range.is_full() { (white(bits), white(from)) } else { (1, 1) };
    let input = stream(gray16(), from, range, TILE, TILE);
    let src = picture(gray16(), TILE, TILE, |_, _, _| v);
    let out = run(&Depth::to(bits, dither), &input, &src, gray16(), Some(CpuLevel::detect()));
    let sum: i64 = values(&out, 0).into_iter().map(i64::from).sum();
    let exact = i64::from(v) * i64::from(num) * (TILE * TILE) as i64;
    (sum * i64::from(den) - exact, i64::from(den))
}

#[test]
fn patterns_do_not_shift_the_mean() {
    let levels = (256..=60000).step_by(997);
    for v in levels {
        for bits in 8..16 {
            // 4096 ranks share up to 256 v16 values evenly: the mean of a tile is exact.
            assert_eq!(bias(bits, Dither::Blue, 16, Range::Limited, v).0, 0, "{v} to {bits} bits");
            // 64 ranks are off by at most half a rank, 1/128 of a step; at 10 bits and more they share evenly too.
            let (error, _) = bias(bits, Dither::Ordered, 16, Range::Limited, v);
            let bound = if bits >= 10 { 0 } else { (TILE * TILE) as i64 * (1 << (16 - bits)) / 128 };
            assert!(error.abs() <= bound, "{v} to {bits} bits: {error}");
        }
        // A ratio's fraction falls anywhere: half a rank again, and the floor to 2^−6 of v16.
        for (dither, ranks) in [(Dither::Blue, 4096), (Dither::Ordered, 64)] {
            let (error, den) = bias(8, dither, 10, Range::Full, v);
            let bound = (TILE * TILE) as i64 * den * 256 / (2 * ranks) + (TILE * TILE) as i64 * den / 64;
            assert!(error.abs() <= bound, "{v} full range: {error} over {bound}");
        }
    }
}

#[test]
fn triangular_noise_has_its_mean_and_spread_everywhere() {
    // Of 13 bits below a step, half a step added: from 1 to 16383, in the mean a step. The spread of the sum of two even
    // distributions of a step each is 1/12 + 1/12 of its square.
    let all: Vec<f64> =
        (0..TILE * TILE).map(|i| f64::from(threshold(Dither::Tpdf, i % TILE, i / TILE, 13)) / 8192.0).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let spread = all.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / all.len() as f64;
    assert!((mean - 1.0).abs() < 1e-9 && (spread - 1.0 / 6.0).abs() < 0.01, "{mean} {spread}");
    // A third of what is 1/8 and less from the ends: each end has (1/8)²/2 of the distribution.
    let ends = all.iter().filter(|t| (**t - 1.0).abs() > 0.875).count() as f64 / all.len() as f64;
    assert!((ends - 1.0 / 64.0).abs() < 0.004, "{ends}");

    // The error of any value that is kept off the ends has no mean, and the same spread.
    for bits in [8, 10] {
        let step = 1 << (16 - bits);
        for part in 0..8 {
            let v = 30 * step + part * step / 8;
            // Within an eightieth of a step, and what cutting thresholds down to v16 takes off.
            let (error, _) = bias(bits, Dither::Tpdf, 16, Range::Limited, v);
            let bound = (TILE * TILE) as i64 * (i64::from(step) / 80 + 1);
            assert!(error.abs() <= bound, "{v} to {bits} bits: {error} over {bound}");
        }
    }
}

#[test]
fn triangular_noise_stays_within_the_codes() {
    for (bits, from) in [(8, 16), (10, 8), (10, 16), (9, 10)] {
        for range in [Range::Limited, Range::Full] {
            let values: Vec<u16> = (0..600).map(|i| if i % 2 == 0 { 0 } else { 65535 }).collect();
            let filter = Depth::to(bits, Dither::Tpdf);
            let out = row(&filter, from, range, &values);
            let top = white(bits) as u16;
            assert!(out.iter().step_by(2).all(|v| *v <= 2 << (16 - bits)), "{bits} bits");
            assert!(out.iter().skip(1).step_by(2).all(|v| (top - (2 << (16 - bits))..=top).contains(v)), "{bits} bits");
        }
    }
}

#[test]
fn error_diffusion_conserves_the_mean() {
    // No residue is further than half a step from "no error". What is lost: at most (7 + 1)/16 of it at the right end
    // of a row, 3/16 at the left, and (3 + 5 + 1)/16 below the last row; and half a unit of rounding a sample.
    for bits in [8, 10, 13, 15] {
        let half_step = (1i64 << (16 - bits)) / 2;
        let side = TILE as i64;
        let bound = half_step * side * (8 + 3 + 9) / 16 + side * side / 128 + 1;
        for v in (256..=60000).step_by(997) {
            let (error, _) = bias(bits, Dither::Fs, 16, Range::Limited, v);
            assert!(error.abs() <= bound, "{v} to {bits} bits: {error} over {bound}");
        }
    }
}

#[test]
fn error_diffusion_by_hand() {
    // Half an 8-bit step everywhere, in units of 2^−14 of a step: samples 8192, no error 8192.
    // Row 0, thresholds (7·left + 1·8192 + 5·8192 + 3·8192 + 8) >> 4:
    //   x 0: left 8192  → t  8192, sum 16384 → 1, residue 0
    //   x 1: left 0     → t  4608, sum 12800 → 0, residue 12800
    //   x 2: left 12800 → t 10208, sum 18400 → 1, residue 2016
    // Row 1, below the residues 8192 | 0 12800 2016 | 8192:
    //   x 0: (7·8192 + 8192 + 5·0 + 3·12800 + 8) >> 4 = 6496, sum 14688 → 0
    //   x 1: (7·14688 + 0 + 5·12800 + 3·2016 + 8) >> 4 = 10804, sum 18996 → 1, residue 2612
    //   x 2: (7·2612 + 12800 + 5·2016 + 3·8192 + 8) >> 4 = 4109, sum 12301 → 0
    let input = stream(gray16(), 16, Range::Limited, 3, 2);
    let src = picture(gray16(), 3, 2, |_, _, _| 128);
    for level in kernels() {
        let out = run(&Depth::to(8, Dither::Fs), &input, &src, Format::gray(8).unwrap(), level);
        assert_eq!([0, 1].map(|y| out.planes()[0].row_u8(y).to_vec()), [[1, 0, 1], [0, 1, 0]]);
    }
}

#[test]
fn the_ordered_pattern_is_bayers() {
    // The first two rows of the 8×8 matrix as published.
    let ranks = |y| [0, 1, 2, 3, 4, 5, 6, 7].map(|x| (threshold(Dither::Ordered, x, y, 7) - 1) / 2);
    assert_eq!(ranks(0), [0, 32, 8, 40, 2, 34, 10, 42]);
    assert_eq!(ranks(1), [48, 16, 56, 24, 50, 18, 58, 26]);
}

#[test]
fn the_blue_noise_table_is_an_even_permutation() {
    let at = |i: usize| threshold(Dither::Blue, i % TILE, i / TILE, 13) / 2;
    let mut ranks: Vec<u16> = (0..TILE * TILE).map(at).collect();
    // The first 64 places of a 64×64 torus would be 8 apart on a grid; at random, some pair would touch.
    let first: Vec<usize> = (0..TILE * TILE).filter(|i| ranks[*i] < 64).collect();
    let apart = |a: usize, b: usize| {
        let axis = |a: usize, b: usize| a.abs_diff(b).min(TILE - a.abs_diff(b));
        axis(a % TILE, b % TILE).pow(2) + axis(a / TILE, b / TILE).pow(2)
    };
    let nearest = first.iter().flat_map(|a| first.iter().filter(move |b| a != *b).map(move |b| apart(*a, *b))).min();
    assert!(nearest >= Some(5 * 5), "{nearest:?}");
    ranks.sort_unstable();
    assert!(ranks.into_iter().eq(0..4096));
}

#[test]
fn a_tile_repeats_from_any_column() {
    let tile = Tile::new(Dither::Blue, 8, 0);
    for (x, y) in [(0, 0), (63, 1), (64, 63), (100, 64)] {
        let expected: Vec<u16> = (x..x + TILE).map(|x| threshold(Dither::Blue, x, y, 8)).collect();
        assert_eq!(tile.row(x, y)[..], expected);
    }
}

#[test]
fn patterns_differ_between_planes_and_move_only_when_asked() {
    let format = Format::yuv(0, 0, 16).unwrap();
    let input = stream(format, 16, Range::Limited, 64, 64);
    let src = picture(format, 64, 64, |_, _, _| 1000);
    for dither in [Dither::Ordered, Dither::Blue, Dither::Tpdf] {
        for animate in [false, true] {
            let filter = Depth::new(DepthParams { bits: Some(8), dither, animate }).unwrap();
            let frame = |i| run_frame(&filter, &input, &src, format, Some(CpuLevel::Portable), i);
            let (five, again, six) = (frame(5), frame(5), frame(6));
            assert_eq!(values(&five, 0), values(&again, 0));
            assert_eq!(values(&five, 0) != values(&six, 0), animate, "{dither:?}");
            assert_ne!(values(&five, 0), values(&five, 1));
            assert_ne!(values(&five, 1), values(&five, 2));
        }
    }
}

#[test]
fn fast_kernels_equal_the_reference() {
    let names = ["gray8", "gray10", "yuv420p", "yuv422p12", "yuv444p16", "nv12", "p010", "p016"];
    let formats = names.map(|name| name.parse::<Format>().unwrap());
    let mut random: u32 = 7;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    for (width, height) in [(1, 1), (2, 1), (3, 5), (64, 4), (65, 3), (131, 9), (1025, 2)] {
        for src_format in formats {
            let noise: Vec<u32> = (0..width * height * 3).map(|_| next()).collect();
            let src = picture(src_format, width, height, |c, x, y| match noise[(c * height + y) * width + x] {
                n if n % 8 == 0 => 0,
                n if n % 8 == 1 => 0xffff,
                n => n as u16,
            });
            for (dither, range_in) in
                DITHERS.iter().chain(&[Dither::Tpdf]).flat_map(|d| [(*d, Range::Limited), (*d, Range::Full)])
            {
                let mut input = StreamInfo::bare(src_format, width, height);
                input.color.range = range_in;
                let bits = 8 + (next() % 9) as u8;
                let filters: [Box<dyn Filter>; 3] =
                    [Box::new(Depth::to(bits, dither)), Box::new(range(To::Full)), Box::new(range(To::Limited))];
                let planar = |bits: u32| src_format.to_planar(bits as u8).unwrap();
                let dst = [src_format.to_v16(), planar(8), planar(8 + next() % 9), src_format][(next() % 4) as usize];
                for filter in &filters {
                    let expected = run(filter.as_ref(), &input, &src, dst, None);
                    for level in CpuLevel::available() {
                        let got = run(filter.as_ref(), &input, &src, dst, Some(level));
                        for component in 0..src_format.components() {
                            assert_eq!(
                                values(&got, component),
                                values(&expected, component),
                                "{filter:?} {src_format} to {dst} {width}x{height} {range_in:?} {level}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn streams_are_described_after_the_change() {
    let output = |format: &str, bits| {
        let input = StreamInfo::bare(format.parse().unwrap(), 4, 4);
        Depth::to(bits, Dither::None).spec(std::slice::from_ref(&input)).map(|spec| spec.output.format.to_string())
    };
    assert_eq!(output("yuv420p", 10).unwrap(), "yuv420p10");
    assert_eq!(output("nv12", 10).unwrap(), "p010");
    assert_eq!(output("nv12", 14).unwrap(), "yuv420p14");
    assert_eq!(output("gray16", 9).unwrap(), "gray9");
    assert_eq!(output("yc48", 10).unwrap_err().kind(), Kind::Unsupported);
}

#[test]
fn identities_say_so() {
    let limited = |bits| StreamInfo::bare(Format::gray(bits).unwrap(), 4, 4);
    let full = |bits| stream(gray16(), bits, Range::Full, 4, 4);
    assert!(is_identity(&Depth::new(DepthParams::default()).unwrap(), &limited(10)));
    // The samples between filters have 16 bits whatever their nominal depth: cutting them is no identity.
    assert!(!is_identity(&Depth::to(10, Dither::None), &limited(10)));
    assert!(is_identity(&Depth::to(16, Dither::Fs), &limited(10)));
    assert!(is_identity(&Depth::to(16, Dither::Fs), &full(16)));
    assert!(!is_identity(&Depth::to(16, Dither::None), &full(10)));
    assert!(is_identity(&RangeFilter::new(RangeParams::default()), &full(10)));
    assert!(is_identity(&range(To::Limited), &limited(8)));
    assert!(is_identity(&range(To::Full), &full(8)));
    assert!(!is_identity(&range(To::Limited), &full(8)));
    // What it says of the stream holds in both cases.
    assert_eq!(range(To::Limited).spec(&[limited(8)]).unwrap().output.color.range, Range::Limited);
}

#[test]
fn a_dither_needs_a_depth() {
    let error = Depth::new(DepthParams { dither: Dither::Blue, ..DepthParams::default() }).unwrap_err();
    assert_eq!(error.kind(), Kind::BadArgument);
    assert_eq!(error.message(), "depth: dither=blue needs a depth to dither to: add bits=10, or another");
}
