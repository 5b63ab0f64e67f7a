//! Sums worked out by hand, places, and what must hold of any resampling.

use super::kernel::{ResamplingKernel, Shape};
use super::plan::Plan;
use super::sample_grid::SampleGrid;
use super::scale::ScaleParams;
use super::taps::{FINE, Line, Taps};
use super::{Resample, Resampled, Sampling};
use crate::error::Result;
use crate::filters::testing::{digest, gray16, one_thread, picture, run_levels, samples};
use crate::filters::{Filter, Setup, Spec, chain};
use crate::params::{Choice, Params, parse_chain};
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

/// What `text` makes of a picture of `input`, stored as `dst` has it: the reference's, and every fast kernel's, which are the
/// same.
fn made_as(text: &str, input: &StreamInfo, src: &Picture, dst: Option<Format>) -> Picture {
    let filter = chain(text).unwrap().remove(0);
    let spec = filter.spec(std::slice::from_ref(input)).unwrap_or_else(|error| panic!("{text}: {error}"));
    let dst = dst.unwrap_or(spec.output.format);
    let setup = Setup::of(input.clone(), src.format(), spec.output.clone(), dst);
    run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &FrameProps::default(), &one_thread()).0
}

fn made(text: &str, input: &StreamInfo, src: &Picture) -> Picture {
    made_as(text, input, src, None)
}

/// What `text` makes of one row, or one column, of grey in 16 bits.
fn row(text: &str, values: &[i32]) -> Vec<i32> {
    let src = picture(gray16(), values.len(), 1, |_, x, _| values[x]);
    let across = samples(&made(text, &stream("gray16", values.len(), 1), &src), 0);
    let (turned, src) = (text.replace("w=", "h="), picture(gray16(), 1, values.len(), |_, _, y| values[y]));
    assert_eq!(samples(&made(&turned, &stream("gray16", 1, values.len()), &src), 0), across, "{turned}");
    across
}

#[test]
fn sums_worked_out_by_hand() {
    // Places are −1/4, 1/4, 3/4, 5/4: ends repeat, and between them lie 1/4 and 3/4 of 1000.
    assert_eq!(row("scale=w=4:kernel=bilinear", &[0, 1000]), [0, 250, 750, 1000]);
    assert_eq!(row("scale=w=4:kernel=point", &[5, 9]), [5, 5, 9, 9]);
    assert_eq!(row("scale=w=2:kernel=area", &[100, 200, 300, 600]), [150, 450]);
    // 1.5 samples are covered by each: (100 + 200/2)/1.5 and (200/2 + 300)/1.5.
    assert_eq!(row("scale=w=2:kernel=area", &[100, 200, 300]), [133, 267]);
    // Halved, a triangle spans four samples, with 1/8, 3/8, 3/8, 1/8: the first is beside the picture for the first result.
    assert_eq!(row("scale=w=2:kernel=bilinear", &[0, 800, 1600, 800]), [500, 1100]);
    // Catmull-Rom at 3/4 between the middle two: −3, 29, 111, −9 of 128: (29·0 + 111·1280 − 9·1280)/128.
    assert_eq!(row("scale=w=8:kernel=catmull_rom", &[0, 0, 1280, 1280])[4], 1020);
    // Held between both, nothing goes beyond them.
    assert!(row("scale=w=8:kernel=lanczos", &[1000, 1000, 2000, 2000]).iter().any(|v| *v > 2000));
    let held = row("scale=w=8:kernel=lanczos:antiring=1", &[1000, 1000, 2000, 2000]);
    assert!(held.iter().all(|v| (1000..=2000).contains(v)), "{held:?}");
}

#[test]
fn windows_begin_between_samples() {
    // Half a sample in: 1/2, 3/2 of a ramp.
    let src = picture(gray16(), 4, 1, |_, x, _| 100 * x as i32);
    let shown = |text: &str| samples(&made(text, &stream("gray16", 4, 1), &src), 0);
    assert_eq!(shown("scale=w=2:kernel=bilinear:src_left=0.5:src_width=2"), [50, 150]);
    assert_eq!(shown("scale=w=2:h=1:src_left=1:src_width=2"), [100, 200]);
    assert_eq!(shown("shift=x=1"), [0, 0, 100, 200]);
    assert_eq!(shown("shift=x=-0.5:kernel=bilinear"), [50, 150, 250, 300]);
}

/// A line of so many samples with nothing subsampled.
fn line(from: usize, to: usize) -> Line {
    let places = SampleGrid { spacing: 1, offset: 0 };
    let window = (0, from as i64 * FINE);
    Line { from, to, luma: to, window, source: places, result: places, fields: false }
}

#[test]
fn weights_sum_to_one_and_are_those_of_the_definition() {
    for shape in Shape::ALL {
        let kernel = ResamplingKernel { shape: *shape, b: 1.0 / 3.0, c: 1.0 / 3.0, taps: 4 };
        for (from, to) in [(7, 20), (20, 7), (300, 4), (100, 99), (1, 9), (9, 1), (640, 1280)] {
            let taps = line(from, to).taps(&kernel, true).unwrap();
            let ratio = from as f64 / to as f64;
            for at in 0..to {
                let sum: f64 = taps.weights_of(at).iter().map(|weight| f64::from(*weight)).sum();
                assert!((sum - 1.0).abs() < 1e-7, "{shape:?} {from} to {to} at {at}: {sum}");
                assert!(taps.first[at] + taps.count <= from, "{shape:?} {from} to {to} at {at}");
            }
            // Away from the borders: each weight is the kernel's at its distance, over their sum.
            let (at, stretch) = (to / 2, ratio.max(1.0));
            let place = (at as f64 + 0.5) * ratio - 0.5;
            if kernel.radius() == 0.0 || kernel.radius() * stretch > from as f64 / 2.0 - 1.0 {
                continue;
            }
            let raw = |i: usize| kernel.at((i as f64 - place) / stretch);
            let sum: f64 = (0..from).map(raw).sum();
            for (k, weight) in taps.weights_of(at).iter().enumerate() {
                let expected = raw(taps.first[at] + k) / sum;
                assert!(
                    (f64::from(*weight) - expected).abs() < 1e-6,
                    "{shape:?} {from} to {to}: {weight}, not {expected}"
                );
            }
        }
    }
}

/// The stated accuracy, against real sums of the stated weights.
#[test]
fn results_are_within_half_a_code_value_and_little_more() {
    let (width, height) = (61, 47);
    let value = |x: usize, y: usize| ((x * 7919 + y * 104_729 + x * y * 31) % 65_536) as i32;
    let src = picture(gray16(), width, height, |_, x, y| value(x, y));
    let input = stream("gray16", width, height);
    for text in [
        "scale=w=122:h=94:kernel=lanczos",
        "scale=w=30:h=23:kernel=lanczos",
        "scale=w=90:h=31",
        "scale=w=40:h=80:kernel=spline64",
    ] {
        let params = ScaleParams::from_chain(text);
        let sampling = params.sampling(&input).unwrap();
        let (plan, out) = (Plan::new(&sampling, &input), made(text, &input, &src));
        let component = &plan.components[0];
        let (across, down) = (component.across.as_ref().unwrap(), component.down.as_ref().unwrap());
        let got = samples(&out, 0);
        for (x, y) in (0..out.height()).flat_map(|y| (0..out.width()).map(move |x| (x, y))) {
            let weights = |taps: &super::taps::Taps, at: usize| -> Vec<(usize, f64)> {
                taps.weights_of(at).iter().enumerate().map(|(k, w)| (taps.first[at] + k, f64::from(*w))).collect()
            };
            let sum = |y: usize| -> f64 { weights(across, x).iter().map(|(x, w)| w * f64::from(value(*x, y))).sum() };
            let real: f64 = weights(down, y).iter().map(|(y, w)| w * sum(*y)).sum();
            let got = f64::from(got[y * out.width() + x]);
            assert!((got - real.clamp(0.0, 65_535.0)).abs() <= 0.53, "{text} at ({x}, {y}): {got} for {real}");
        }
    }
}

impl ScaleParams {
    fn from_chain(text: &str) -> ScaleParams {
        use crate::params::{Params, parse_chain};
        ScaleParams::from_call(&parse_chain(text).unwrap()[0]).unwrap()
    }
}

#[test]
fn flat_stays_flat() {
    for (shape, value) in Shape::WORDS.iter().zip([0, 1, 4096, 30_001, 65_535].into_iter().cycle()) {
        let src = picture(gray16(), 23, 17, |_, _, _| value);
        for text in [
            format!("scale=w=61:h=5:kernel={shape}"),
            format!("scale=w=9:h=50:kernel={shape}:linear=on:antiring=0.3"),
            format!("shift=x=0.3:y=-2.7:kernel={shape}"),
        ] {
            let out = samples(&made(&text, &stream("gray16", 23, 17), &src), 0);
            assert!(out.iter().all(|v| *v == value), "{text}: {value}");
        }
    }
    let src = picture(Format::YC48, 9, 7, |_, _, _| -32_768);
    assert!(samples(&made("scale=w=20:h=20", &stream("yc48", 9, 7), &src), 2).iter().all(|v| *v == -32_768));
}

/// Chroma of a grey ramp is a ramp on the same places: made at any size and any siting, it stays on luma's.
#[test]
fn a_ramp_keeps_its_phase_under_every_siting() {
    const PLACES: [(&str, f64, f64); 6] = [
        ("left", 0.0, 0.5),
        ("center", 0.5, 0.5),
        ("topleft", 0.0, 0.0),
        ("top", 0.5, 0.0),
        ("bottomleft", 0.0, 1.0),
        ("bottom", 0.5, 1.0),
    ];
    let input = stream("yuv420p16", 64, 48);
    // Luma's value at (x, y), which chroma has where it sits.
    let ramp = |x: f64, y: f64| (8000.0 + 400.0 * x + 300.0 * y).round() as i32;
    for (name_in, right_in, down_in) in PLACES {
        let src = picture(input.format, 64, 48, |component, x, y| match component {
            0 => ramp(x as f64, y as f64),
            _ => ramp(2.0 * x as f64 + right_in, 2.0 * y as f64 + down_in),
        });
        for (name_out, right_out, down_out) in PLACES {
            for (w, h) in [(128, 96), (32, 24), (96, 72), (40, 96)] {
                let text = format!("scale=w={w}:h={h}:kernel=bicubic:chroma_in={name_in}:chroma_out={name_out}");
                let out = made(&text, &input, &src);
                let (rx, ry) = (64.0 / w as f64, 48.0 / h as f64);
                let (luma, cb, cr) = (samples(&out, 0), samples(&out, 1), samples(&out, 2));
                let shown = |x: f64, y: f64| ramp((x + 0.5) * rx - 0.5, (y + 0.5) * ry - 0.5);
                // A kernel that is widened leaves a ramp a few hundredths of a sample beside its place; a wrong siting, a
                // quarter of one, which is 75 or more.
                let near = |a: i32, b: i32| (a - b).abs() <= if rx.max(ry) > 1.0 { 24 } else { 1 };
                // Away from the borders, which repeat.
                for (x, y) in (h / 8..h * 3 / 8).flat_map(|y| (w / 8..w * 3 / 8).map(move |x| (x, y))) {
                    let expected = shown(2.0 * x as f64 + right_out, 2.0 * y as f64 + down_out);
                    for chroma in [&cb, &cr] {
                        assert!(near(chroma[y * w / 2 + x], expected), "{text}, chroma at ({x}, {y})");
                    }
                }
                for (x, y) in (h / 4..h * 3 / 4).flat_map(|y| (w / 4..w * 3 / 4).map(move |x| (x, y))) {
                    assert!(near(luma[y * w + x], shown(x as f64, y as f64)), "{text}, luma at ({x}, {y})");
                }
            }
        }
        // And at every place of luma.
        let out = samples(&made(&format!("format=yuv444:kernel=bicubic:chroma_in={name_in}"), &input, &src), 1);
        for (x, y) in (8..40).flat_map(|y| (8..56).map(move |x| (x, y))) {
            assert!((out[y * 64 + x] - ramp(x as f64, y as f64)).abs() <= 1, "{name_in} at ({x}, {y})");
        }
    }
}

/// A vertical ramp stays one in interlaced frames, luma and chroma.
#[test]
fn fields_are_scaled_where_they_lie() {
    let input = StreamInfo { field_order: FieldOrder::TopFirst, ..stream("yuv420p16", 8, 96) };
    let ramp = |y: f64| (8000.0 + 300.0 * y).round() as i32;
    // Rows 2m of chroma lie half a luma row below row 4m, those between two and a half.
    let chroma = |y: usize| 4.0 * (y / 2) as f64 + if y.is_multiple_of(2) { 0.5 } else { 2.5 };
    let src = picture(input.format, 8, 96, |c, _, y| ramp(if c == 0 { y as f64 } else { chroma(y) }));
    for h in [48, 64, 192] {
        let out = made(&format!("scale=w=8:h={h}:kernel=bicubic"), &input, &src);
        let shown = |y: f64| ramp((y + 0.5) * 96.0 / h as f64 - 0.5);
        for y in h / 4..h * 3 / 4 {
            assert!((samples(&out, 0)[y * 8] - shown(y as f64)).abs() <= 24, "{h}: row {y}");
        }
        for y in h / 8..h * 3 / 8 {
            assert!((samples(&out, 1)[y * 4] - shown(chroma(y))).abs() <= 24, "{h}: chroma row {y}");
        }
    }
    // What is there in one field alone stays in it.
    let src = picture(input.format, 8, 96, |_, _, y| if y % 2 == 0 { 20_000 } else { 40_000 });
    let out = samples(&made("scale=w=8:h=64", &input, &src), 0);
    assert!(out.iter().enumerate().all(|(i, v)| *v == if i / 8 % 2 == 0 { 20_000 } else { 40_000 }));
}

#[test]
fn an_edge_stays_where_it_is() {
    let src = picture(gray16(), 64, 1, |_, x, _| if x < 32 { 10_000 } else { 50_000 });
    for kernel in Shape::WORDS {
        let out = samples(&made(&format!("scale=w=128:h=1:kernel={kernel}"), &stream("gray16", 64, 1), &src), 0);
        let mirrored: Vec<i32> = out.iter().rev().map(|v| 60_000 - v).collect();
        assert!(out.iter().zip(&mirrored).all(|(a, b)| (a - b).abs() <= 1), "{kernel}");
    }
}

#[test]
fn sides_follow_from_each_other() {
    let size = |text: &str, input: &StreamInfo| {
        let output = spec(text, input).unwrap_or_else(|error| panic!("{text}: {error}")).output;
        (output.width, output.height)
    };
    let hd = stream("yuv420p", 1920, 1080);
    for (text, expected) in [
        ("scale=1280:-2", (1280, 720)),
        ("scale=-2:480", (854, 480)),
        ("scale=-1:480", (853, 480)),
        ("scale=w=-2", (1920, 1080)),
        ("scale=w=-1:h=-2", (1920, 1080)),
        ("scale=0:540", (1920, 540)),
        ("scale=factor=2", (3840, 2160)),
        ("scale=factor=0.3", (576, 324)),
        ("scale=factor=1.1", (2112, 1188)),
        ("scale=w=1280:h=-2:src_left=240:src_width=1440", (1280, 960)),
    ] {
        if text == "scale=-1:480" {
            let grey = stream("gray8", 1920, 1080);
            assert_eq!(size(text, &grey), expected, "{text}");
        } else {
            assert_eq!(size(text, &hd), expected, "{text}");
        }
    }
    // Odd sources may keep a side.
    assert_eq!(size("scale=h=10", &stream("yuv420p", 17, 5)), (17, 10));
}

#[test]
fn the_shape_of_the_picture_stays() {
    let sar = |text: &str, input: &StreamInfo| spec(text, input).unwrap().output.sar.to_string();
    let pal = StreamInfo { sar: Rational::new(16, 11), ..stream("yuv420p", 720, 576) };
    assert_eq!(sar("scale=1024:576", &pal), "45/44");
    assert_eq!(sar("scale=360:288", &pal), "16/11");
    assert_eq!(sar("scale=360:-2", &pal), "16/11");
    assert_eq!(sar("scale=factor=1.7", &pal), "16/11");
    assert_eq!(sar("scale=360:576", &StreamInfo { sar: Rational::new(0, 1), ..pal.clone() }), "0/1");
    assert_eq!(sar("shift=x=1", &pal), "16/11");
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let hd = stream("yuv420p", 1920, 1080);
    let interlaced = StreamInfo { field_order: FieldOrder::TopFirst, ..hd.clone() };
    for (text, input, words) in [
        ("scale=1281:720", &hd, "w=1281 does not fit yuv420p, whose sides are multiples of 2: use w=1280 or w=1282"),
        ("scale=1280:1", &hd, "h=1 does not fit yuv420p, whose sides are multiples of 2: use h=2"),
        ("scale=-1:480", &hd, "w=853 does not fit yuv420p, whose sides are multiples of 2: use w=852 or w=854"),
        (
            "scale=1280:722",
            &interlaced,
            "h=722 does not fit interlaced yuv420p, whose sides are multiples of 4: use h=720 or h=724",
        ),
        ("scale=w=65536:h=-2", &stream("yuv420p", 100, 1080), "h=707788 is too large: sides go up to 65536"),
        ("scale=w=1280:factor=2", &hd, "factor= gives both sides: leave out w= and h="),
        ("scale=src_left=1920", &hd, "src_left and src_width reach beyond the source, which has 1920"),
        ("scale=src_top=1000:src_height=100", &hd, "src_top and src_height reach beyond the source, which has 1080"),
        ("scale=w=2:h=2:linear=on", &stream("yc48", 4, 4), "leave out linear=on"),
        ("format=rgb", &hd, "yuv420p becomes gbrp by a matrix"),
        ("format=yuv420", &stream("gbrp", 8, 8), "gbrp becomes yuv420p by a matrix"),
        ("format=gray", &stream("gbrp10", 8, 8), "gbrp10 becomes gray10 by a matrix"),
    ] {
        let message = refused(text, input);
        assert!(message.starts_with(words) || message.ends_with(words) || message.contains(words), "{text}: {message}");
    }
    for text in
        ["scale=65537:2", "scale=-3:2", "scale=factor=0", "scale=kernel=sharp", "format=yuv411", "format=yuv420p10"]
    {
        let message = chain(text).unwrap_err().message().to_owned();
        assert!(message.contains("it takes") && !message.contains('\n'), "{text}: {message}");
    }
}

#[test]
fn names_of_other_programs_are_understood() {
    let call = |text: &str| chain(text).map(|made| made[0].call().to_string());
    for (text, own) in [
        ("zscale=1280:720:filter=lanczos", "scale=w=1280:h=720:kernel=lanczos"),
        ("zscale=w=1280:h=720:filter=spline36:chromal=left", "scale=w=1280:h=720:chroma_out=left"),
        ("scale=1280:720:flags=bicubic", "scale=w=1280:h=720:kernel=bicubic"),
        ("scale_cuda=1280:-2:interp_algo=nearest", "scale=w=1280:h=-2:kernel=point"),
        ("resize=width=640:height=480:algo=lanczos3", "scale=w=640:h=480:kernel=lanczos"),
        ("format=pix_fmts=yuv444p", "format=to=yuv444"),
        ("format=grey", "format=to=gray"),
        ("format=422", "format"),
    ] {
        match text {
            "format=422" => assert!(call(text).is_err(), "a number is no format"),
            _ => assert_eq!(call(text).as_deref(), Ok(own), "{text}"),
        }
    }
    for (text, words) in [
        ("zscale=s=1280x720", "write w=1280:h=720"),
        ("zscale=w=8:param_a=0.3", "'b' and 'c'"),
        ("scale=w=8:force_original_aspect_ratio=decrease", "w=-2 or h=-2"),
        ("scale_cuda=w=8:format=yuv420p", "'format'"),
        ("zscale=w=8:dither=error_diffusion", "'depth'"),
        ("zscale=w=8:range=full", "'range'"),
    ] {
        let message = call(text).unwrap_err().message().to_owned();
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn formats_change_chroma_alone() {
    let input = stream("yuv420p", 16, 8);
    let src = picture(input.format, 16, 8, |c, x, y| (40 * c + 5 * x + 3 * y) as i32);
    for (text, format) in [("format=yuv444", "yuv444p"), ("format=yuv422", "yuv422p"), ("format=gray", "gray8")] {
        let out = made(text, &input, &src);
        assert_eq!((out.format().to_string().as_str(), samples(&out, 0)), (format, samples(&src, 0)));
    }
    let grey = picture("gray10".parse().unwrap(), 5, 3, |_, x, y| (100 * x + y) as i32);
    let input = stream("gray10", 5, 3);
    let out = made("format=yuv420", &input, &grey);
    assert_eq!((samples(&out, 0), samples(&out, 1)), (samples(&grey, 0), vec![512; 6]));
    let out = made("format=rgb", &input, &grey);
    assert!((0..3).all(|component| samples(&out, component) == samples(&grey, 0)));
    let color = spec("format=rgb", &input).unwrap().output.color;
    assert_eq!((color.range, color.matrix), (Range::Limited, 0));
    assert!(spec("format=yuv420p", &stream("yuv420p10", 8, 8)).unwrap().is_identity(&stream("yuv420p10", 8, 8)));
    assert!(spec("format=yuv420", &stream("nv12", 8, 8)).unwrap().is_identity(&stream("nv12", 8, 8)));
}

#[test]
fn where_chroma_sits_is_said() {
    let location = |text: &str, input: &StreamInfo| spec(text, input).unwrap().output.color.chroma_location.0;
    let with = |format: &str, code| {
        let mut input = stream(format, 16, 16);
        input.color.chroma_location = ChromaLocation(code);
        input
    };
    assert_eq!(location("scale=8:8", &with("yuv420p", None)), None);
    assert_eq!(location("scale=8:8", &with("yuv420p", Some(2))), Some(2));
    assert_eq!(location("scale=8:8:chroma_out=center", &with("yuv420p", Some(2))), Some(1));
    assert_eq!(location("scale=8:8:chroma_in=bottom", &with("yuv420p", None)), Some(5));
    assert_eq!(location("format=yuv444", &with("yuv420p", Some(2))), None);
    assert_eq!(location("format=yuv420", &with("yuv444p", None)), Some(0));
    assert_eq!(location("format=yuv420:chroma_out=topleft", &with("yuv422p", Some(0))), Some(2));
    let mut wide = with("yuv444p", None);
    wide.color.transfer = 16;
    assert_eq!(location("format=yuv420", &wide), Some(2), "as H.265 has it");
    // What the stream says, and what it is taken for where it says nothing.
    let sitings = |input: &StreamInfo| {
        let Sampling { siting_in, siting_out, .. } = ScaleParams::default().sampling(input).unwrap();
        (siting_in.location().0, siting_out.location().0)
    };
    assert_eq!(sitings(&with("yuv420p", Some(1))), (Some(1), Some(1)));
    assert_eq!(sitings(&with("yuv420p", None)), (Some(0), Some(0)));
    let mut wide = with("yuv420p10", None);
    wide.color.primaries = 9;
    assert_eq!(sitings(&wide), (Some(2), Some(2)));
}

#[test]
fn what_tells_of_places_goes_where_they_change() {
    let input = stream("yuv420p", 16, 16);
    let kept = |text: &str| {
        let (filter, spec) = (chain(text).unwrap().remove(0), spec(text, &input).unwrap());
        let setup = Setup::of(input.clone(), input.format, spec.output.clone(), spec.output.format);
        let data = [SideData::OF_PLACES[0], SideData::CAPTIONS].map(|kind| SideData { kind, bytes: [0].into() });
        let mut props = FrameProps { side_data: data.to_vec(), ..FrameProps::default() };
        filter.describe(&setup, &mut props);
        props.side_data.len()
    };
    assert_eq!(
        (kept("scale=8:8"), kept("shift=x=2"), kept("format=yuv444"), kept("scale=chroma_out=top")),
        (1, 1, 2, 2)
    );
}

/// Light is what is kept when black and white are mixed: 1/2 of it is the code 0.5^(1/2.4) of white.
#[test]
fn linear_light_keeps_the_light() {
    let src = picture(gray16(), 64, 64, |_, x, y| if (x + y) % 2 == 0 { 4096 } else { 60_160 });
    let mean = |text: &str| samples(&made(text, &stream("gray16", 64, 64), &src), 0)[16 * 32 + 16];
    assert_eq!(mean("scale=32:32:kernel=area"), 32_128);
    let light = 4096.0 + 56_064.0 * 0.5f64.powf(1.0 / 2.4);
    assert!((f64::from(mean("scale=32:32:kernel=area:linear=on")) - light).abs() <= 1.0);
}

/// The scaler is a filter like any other: of a frame, without a film.
#[test]
fn a_single_frame_can_be_scaled() {
    let input = stream("yuv420p", 32, 16);
    let filter = Resampled(ScaleParams { w: 64, h: 32, ..ScaleParams::default() });
    let output = filter.spec(std::slice::from_ref(&input)).unwrap().output;
    assert_eq!((output.width, output.height, filter.call().to_string().as_str()), (64, 32, "scale=w=64:h=32"));
}

/// Both directions of luma and chroma, by every kernel, enlarged, reduced and moved.
#[test]
fn weights_are_the_same_on_every_platform() {
    let of = |text: String| {
        let input = stream("yuv420p", 96, 54);
        let params = ScaleParams::from_call(&parse_chain(&text).unwrap()[0]).unwrap();
        let plan = Plan::new(&params.sampling(&input).unwrap(), &input);
        let taps = plan.components.into_iter().flat_map(|component| [component.across, component.down]).flatten();
        let words = |taps: Taps| {
            let first = taps.first.into_iter().map(|first| first as u64);
            first.chain(taps.weights.into_iter().map(|weight| weight.to_bits().into())).collect::<Vec<_>>()
        };
        taps.flat_map(words).collect::<Vec<u64>>()
    };
    let sizes = ["factor=2", "factor=0.5", "w=64:h=36", "w=110:h=70", "w=96:h=54:src_left=0.3:src_top=0.7"];
    let of_all = |kernel: &&str| digest(sizes.iter().flat_map(|size| of(format!("scale={size}:kernel={kernel}"))));
    let digests: Vec<u64> = Shape::WORDS.iter().map(of_all).collect();
    assert_eq!(
        digests,
        [
            16811813566348422994,
            6419113969216867159,
            16698120613580328634,
            6796627865146065857,
            16698120613580328634,
            368125786253786565,
            4686088179509912261,
            10839843736671419905,
            1255267715235614713,
            4939027394902088441,
            2635506088341451599,
            8612871354102375274
        ]
    );
}

/// Sizes of small ratios, and one of none, wide enough for weights that repeat: what is weighed in pairs, and what vectors take out of
/// others, is what the reference makes, at every level.
#[test]
fn small_ratios_are_the_references() {
    let input = stream("gray8", 480, 24);
    let src = picture(input.format, 480, 24, |_, x, y| ((x * x + 31 * y * x + 7 * y) % 256) as i32);
    for kernel in ["bilinear", "lanczos", "lanczos:taps=8"] {
        for (w, h) in [(960, 48), (720, 36), (240, 12), (160, 8), (120, 6), (320, 16), (421, 20)] {
            made(&format!("scale=w={w}:h={h}:kernel={kernel}"), &input, &src);
        }
    }
}

/// Weights that repeat, of one kind to four, from and to every way to store samples, and where more than sums is made of them: rows
/// or columns first, light, results held between those beside them, and sizes that fill no whole vectors.
#[test]
fn all_ways_to_store_are_the_references() {
    let sizes = [
        "w=984:h=20",
        "w=246:h=36",
        "w=246:h=12",
        "w=164:h=30",
        "w=328:h=16",
        "w=738:h=36",
        "w=492:h=48",
        "w=1968:h=24",
    ];
    for from in ["yuv420p", "nv12", "yuv420p10", "yuv444p16", "p010"] {
        let input = stream(from, 492, 24);
        let most = (1 << input.format.bit_depth()) - 1;
        let src =
            picture(input.format, 492, 24, |c, x, y| ((x * x * 57 + 31 * y * x + 7 * y + 911 * c) % (most + 1)) as i32);
        for to in ["yuv420p", "nv12", "yuv420p10", "yuv444p16", "p010", "yuv420p12"] {
            let to: Format = to.parse().unwrap();
            if to.subsampling_w() != input.format.subsampling_w() {
                continue;
            }
            for (size, rest) in
                sizes.iter().flat_map(|size| ["", ":antiring=0.5", ":linear=on"].map(|rest| (size, rest)))
            {
                made_as(&format!("scale={size}:kernel=lanczos{rest}"), &input, &src, Some(to));
            }
        }
    }
}

/// A long window downwards leaves room for few columns at a time, so that a picture has a part of a few samples at its end, behind
/// all that repeats.
#[test]
fn a_part_behind_what_repeats_is_the_references() {
    for width in 93..100 {
        let input = stream("gray8", width, 4000);
        let src = picture(input.format, width, 4000, |_, x, y| ((x * x + 31 * y * x + 7 * y) % 256) as i32);
        made(&format!("scale=w={}:h=40:kernel=lanczos", 2 * width), &input, &src);
    }
}
