//! The filters as users meet them, and tone mapping against arithmetic of 64 bits.

use super::primaries::Primaries;
use super::ycbcr::Encode;
use super::{Grade, Graded, light::LightSteps, tonemap::TonemapParams};
use crate::filters::curve::{PQ_PEAK, Transfer, system_gamma};
use crate::filters::testing::{digest, one_thread, picture, run_levels, samples};
use crate::filters::{Setup, SideStorage, Spec, chain};
use crate::params::{Params, parse_chain};
use crate::video::{ColorInfo, Format, FrameProps, Grading, Mastering, Picture, Range, StreamInfo};
use std::sync::Arc;

const PQ: u8 = 16;
const HLG: u8 = 18;

/// A stream of these pictures' size, tagged BT.2020 with this transfer.
fn hdr(format: &str, transfer: u8, (width, height): (usize, usize)) -> StreamInfo {
    let mut info = StreamInfo::bare(format.parse::<Format>().unwrap(), width, height);
    info.color = ColorInfo { range: Range::Limited, matrix: 9, transfer, primaries: 9, ..info.color };
    info
}

/// What the filter of `text` makes of a picture of the stream `input`, on every level.
fn run(text: &str, input: &StreamInfo, src: &Picture) -> (StreamInfo, Picture) {
    let filter = chain(text).unwrap().remove(0);
    let spec: Spec = filter.spec(std::slice::from_ref(input)).unwrap();
    let setup = Setup::of(input.clone(), src.format(), spec.output.clone(), spec.output.format);
    let (out, _) = run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &FrameProps::default(), &one_thread());
    (spec.output, out)
}

fn refusal(text: &str, input: &StreamInfo) -> String {
    chain(text).unwrap().remove(0).spec(std::slice::from_ref(input)).unwrap_err().message().to_owned()
}

fn params(text: &str) -> TonemapParams {
    TonemapParams::from_call(&parse_chain(text).unwrap()[0]).unwrap()
}

/// A grey of ten bits, limited range, of a luminance in PQ.
fn grey(nits: f64) -> i32 {
    (64.0 + 876.0 * Transfer::Pq.code(nits / PQ_PEAK)).round() as i32
}

#[test]
fn greys_become_what_the_curve_says() {
    let level = |text: &str, nits: f64| {
        let info = hdr("yuv420p10", PQ, (4, 4));
        let src = picture(info.format, 4, 4, |c, _, _| if c == 0 { grey(nits) } else { 512 });
        let (output, out) = run(text, &info, &src);
        assert_eq!((output.color.matrix, output.color.transfer, output.color.primaries), (1, 1, 1));
        assert!((1..3).all(|c| samples(&out, c).iter().all(|v| *v == 512)), "greys have no colour");
        samples(&out, 0)[5]
    };
    // White at 203 cd/m² and nothing above it: 203 becomes 940, 0 becomes 64.
    assert_eq!(level("tonemap=clip", 203.0), 940);
    assert_eq!([level("tonemap", 0.0), level("tonemap", 1000.0), level("tonemap", 4000.0)], [64, 940, 940]);
    // A quarter of white in light is 0.5612 of the code by a power of 2.4: 64 + 491.6 = 556.
    assert!((level("tonemap=clip", 50.75) - 556).abs() <= 1);
    // Below the knee bt2390 changes nothing: 20 cd/m² are 0.0985 of white, a code of 0.3807: 398.
    assert!((level("tonemap", 20.0) - 398).abs() <= 1);
    // Old habits are brighter: 20 of 100 are 0.5114: 512.
    assert!((level("tonemap=clip:target=100", 20.0) - 512).abs() <= 1);
}

#[test]
fn hlg_white_is_sdr_white() {
    // BT.2408: HLG's 75 % is 203 cd/m² on a display of 1000.
    let info = hdr("yuv444p10", HLG, (2, 2));
    let src = picture(info.format, 2, 2, |c, _, _| if c == 0 { 64 + 657 } else { 512 });
    let (_, out) = run("tonemap=clip", &info, &src);
    assert!((samples(&out, 0)[0] - 940).abs() <= 1, "{}", samples(&out, 0)[0]);
}

/// The same in 64 bits, from codes of R'G'B' to codes, with `gamut=desat`.
fn truth(params: &TonemapParams, transfer: u8, codes: [u16; 3]) -> [f64; 3] {
    let from = Primaries::BT2020;
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let kind = if transfer == HLG { Transfer::Hlg } else { Transfer::Pq };
    let mut rgb = codes.map(|code| kind.light(f64::from(code) / 65535.0));
    if transfer == HLG {
        let gain =
            params.hlg_peak / PQ_PEAK * libm::pow(dot(from.luminance(), rgb), system_gamma(params.hlg_peak) - 1.0);
        rgb = rgb.map(|c| if c > 0.0 { c * gain } else { 0.0 });
    }
    let tone = params.tone(&hdr("yuv444p16", transfer, (1, 1)));
    let most = rgb.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        let gain = tone.map(most * PQ_PEAK) / most;
        rgb = rgb.map(|c| c * gain);
    }
    let rgb = from.to(Primaries::BT709).map(|row| dot(row, rgb));
    let y = dot(Primaries::BT709.luminance(), rgb).clamp(0.0, 1.0);
    let (least, most) = rgb.iter().fold((f64::MAX, f64::MIN), |(least, most), c| (least.min(*c), most.max(*c)));
    let low = if least < 0.0 { y / (y - least) } else { 1.0 };
    let high = if most > 1.0 { (1.0 - y) / (most - y) } else { 1.0 };
    rgb.map(|c| 65535.0 * Transfer::BT1886.code((y + low.min(high) * (c - y)).clamp(0.0, 1.0)))
}

/// The bounds that the definition states. Below a code of 540, light that is wrong by 2e-6 of white is many codes.
#[test]
fn codes_are_near_the_truth() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 48) as u16
    };
    for (text, transfer) in
        [("tonemap=gamut=desat", PQ), ("tonemap=hable:gamut=desat", PQ), ("tonemap=gamut=desat", HLG)]
    {
        let (params, source) = (params(text), hdr("yuv444p16", transfer, (1, 1)));
        let light: LightSteps = params.light(&source, &params.output(&source).unwrap()).unwrap();
        let (mut errors, mut worst, mut dark) = (Vec::new(), 0f64, 0f64);
        for _ in 0..60_000 {
            let codes = [random(), random(), random()].map(|code| (u32::from(code) * 3 / 4) as u16);
            let (made, truth) = (light.apply(codes), truth(&params, transfer, codes));
            for (made, truth) in made.into_iter().zip(truth) {
                let error = (f64::from(made) - truth).abs();
                errors.push(error);
                if truth > 540.0 {
                    worst = worst.max(error);
                } else {
                    let of = |code: f64| Transfer::BT1886.light(code / 65535.0);
                    dark = dark.max((of(f64::from(made)) - of(truth)).abs());
                }
            }
        }
        errors.sort_by(f64::total_cmp);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let most = errors[errors.len() * 999 / 1000];
        println!("{text} {transfer}: mean {mean:.3}, 99.9 % {most:.2}, worst {worst:.1}, dark {dark:.2e}");
        assert!(mean <= 0.6 && most <= 1.5 && worst <= 95.0 && dark <= 2e-6, "{text} {transfer}");
    }
}

#[test]
fn tables_are_the_same_on_every_platform() {
    let of = |(text, transfer): (&str, u8)| {
        let (params, source) = (params(text), hdr("yuv444p16", transfer, (1, 1)));
        let light = params.light(&source, &params.output(&source).unwrap()).unwrap();
        let gain = &light.gain.as_ref().unwrap().1;
        let system = light.system.iter().flat_map(|table| table.entries());
        let matrix = light.matrix.iter().flatten().flatten();
        let all = light.linear.entries().iter().chain(system).chain(gain.entries()).chain(light.code.entries());
        all.chain(matrix).chain(&light.luminance).map(|value| u64::from(value.to_bits())).collect::<Vec<_>>()
    };
    let curves =
        <super::tonemap::tone::ToneCurve as crate::params::Choice>::WORDS.iter().map(|word| format!("tonemap={word}"));
    let texts: Vec<String> = curves.chain(["tonemap=out_transfer=srgb:out=p3".to_owned()]).collect();
    let all = texts.iter().flat_map(|text| [(text.as_str(), PQ), (text.as_str(), HLG)]);
    assert_eq!(digest(all.flat_map(of)), 0x93a8_e721_3e40_4529);
}

#[test]
fn the_peak_is_the_best_that_is_stated() {
    let mut info = hdr("yuv420p10", PQ, (2, 2));
    let peak = |info: &StreamInfo, text: &str| params(text).tone(info).source.1;
    let note = |info: &StreamInfo, text: &str| {
        let filter = chain(text).unwrap().remove(0);
        filter.note(&Setup::of(info.clone(), info.format, info.clone(), info.format))
    };
    assert_eq!(peak(&info, "tonemap"), 1000.0);
    assert!(note(&info, "tonemap").unwrap().contains("peak is taken as 1000 cd/m²"));
    assert_eq!(note(&info, "tonemap=source_peak=600"), None);
    let mastering = Mastering { points: [(0, 0); 4], luminance: (40_000_000, 50) };
    info.grading = Grading { mastering: Some(mastering), light: None };
    assert_eq!((peak(&info, "tonemap"), note(&info, "tonemap")), (4000.0, None));
    let mut light = |most| {
        info.grading.light = Some(crate::video::ContentLight { most, average: 100 });
        peak(&info, "tonemap")
    };
    // 0 is "unknown", 20,000 is beyond PQ; 1200 is a film darker than its display.
    assert_eq!([light(1200), light(0), light(20_000)], [1200.0, 4000.0, 4000.0]);
    let dim = Mastering { luminance: (2_000_000, 50), ..mastering };
    info.grading = Grading { mastering: Some(dim), light: Some(crate::video::ContentLight { most: 4000, average: 1 }) };
    assert_eq!(peak(&info, "tonemap"), 200.0);
    assert_eq!(peak(&hdr("yuv420p10", HLG, (2, 2)), "tonemap=hlg_peak=600"), 600.0);
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let mut info = hdr("yuv420p10", 1, (2, 2));
    let words = refusal("tonemap", &info);
    assert!(words.contains("its transfer is bt709 (1)") && words.contains("add source=pq"), "{words}");
    assert!(chain("tonemap=source=pq").unwrap()[0].spec(std::slice::from_ref(&info)).is_ok(), "it is forced");
    info.color.matrix = 2;
    assert!(refusal("matrix=to=bt709", &info).contains("add from=bt709"));
    info.color.matrix = 14;
    assert!(refusal("matrix=to=bt709", &info).contains("ictcp (14)"));
    let info = hdr("yuv420p10", PQ, (2, 2));
    assert!(refusal("matrix=to=bt709:primaries=bt709", &info).contains("use tonemap"));
    assert!(refusal("transfer=to=srgb", &info).contains("use tonemap"));
}

#[test]
fn rgb_and_back_is_within_one_code() {
    for (matrix, format) in [("bt709", "gbrp10"), ("bt601", "gbrp"), ("bt2020", "gbrp12")] {
        let info = StreamInfo::bare(format.parse().unwrap(), 16, 16);
        let top = (1 << info.format.bit_depth()) - 1;
        let src = picture(info.format, 16, 16, |c, x, y| [x * 16 + 3, y * 15, (x + y) * 8][c] as i32 * top / 255);
        let (ycbcr, there) = run(&format!("matrix=to={matrix}"), &info, &src);
        assert_eq!((ycbcr.color.range, ycbcr.format.subsampling_w()), (Range::Limited, 0));
        let (rgb, back) = run("matrix=to=rgb", &ycbcr, &there);
        assert_eq!((rgb.format, rgb.color.matrix), (info.format, 0));
        for c in 0..3 {
            let pairs = samples(&src, c).into_iter().zip(samples(&back, c));
            // Limited range has 219 codes for 255, and chroma of other matrices 224: one code there is two here at most.
            assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 2), "{matrix} {c}");
        }
    }
}

#[test]
fn other_primaries_keep_what_both_have() {
    // White and a grey stay; BT.709's red is inside BT.2020, and back it is what it was.
    let info = StreamInfo::bare(Format::rgb(16).unwrap(), 3, 1);
    let src = picture(info.format, 3, 1, |c, x, _| [[65535; 3], [20_000; 3], [60_000, 9000, 5000]][x][c]);
    let (wide, there) = run("matrix=primaries=bt2020:primaries_from=bt709", &info, &src);
    assert_eq!(wide.color.primaries, 9);
    let (_, back) = run("matrix=primaries=bt709", &wide, &there);
    for c in 0..3 {
        assert!(samples(&there, c)[..2].iter().zip(&samples(&src, c)[..2]).all(|(a, b)| (a - b).abs() <= 2));
        assert!(samples(&back, c).iter().zip(samples(&src, c)).all(|(a, b)| (a - b).abs() <= 6), "{c}");
    }
    assert!(samples(&there, 0)[2] < 60_000 && samples(&there, 1)[2] > 9000);
}

#[test]
fn transfers_worked_out_by_hand() {
    // 0.5 by BT.1886 is 0.18946 of light: in sRGB 1.055·0.18946^(1/2.4) − 0.055 = 0.4725.
    let info = StreamInfo::bare(Format::rgb(16).unwrap(), 1, 1);
    let src = picture(info.format, 1, 1, |_, _, _| 32768);
    let (output, out) = run("transfer=to=srgb", &info, &src);
    assert_eq!(output.color.transfer, 13);
    assert!((f64::from(samples(&out, 0)[0]) / 65535.0 - 0.4725).abs() < 1e-4);
    // BT.601's and BT.709's are shown alike: nothing changes.
    let mut alike = info.clone();
    alike.color.transfer = 6;
    let filter = chain("transfer=to=bt709").unwrap().remove(0);
    assert!(filter.spec(std::slice::from_ref(&alike)).unwrap().is_identity(&alike));
}

/// Chroma at the top left, where HDR has it, becomes chroma at the left: a ramp keeps its place in the picture.
#[test]
fn chroma_moves_with_its_location() {
    let mut info = hdr("yuv420p16", 1, (8, 16));
    (info.color.matrix, info.color.primaries, info.color.chroma_location.0) = (1, 1, Some(2));
    let src = picture(info.format, 8, 16, |c, _, y| if c == 0 { 30_000 } else { 32_768 + 400 * y as i32 });
    let (_, out) = run("matrix=to=bt601", &info, &src);
    let rises = samples(&out, 1).chunks(4).map(|row| row[0]).collect::<Vec<_>>();
    // At the same place there, its steps are as even as they were.
    assert!(rises[1..7].windows(2).all(|pair| (pair[1] - pair[0] - (rises[3] - rises[2])).abs() <= 2), "{rises:?}");
    assert_eq!(Encode::new(&info).y([65535; 3]), 60160);
}

/// What `text`, which measures peaks, makes of a film that is this picture alone, on every level.
fn alone(text: &str, info: &StreamInfo, src: &Picture) -> Picture {
    let filter = chain(text).unwrap().remove(0);
    let spec = filter.spec(std::slice::from_ref(info)).unwrap();
    let survey = filter.survey(info).unwrap();
    let of_survey = survey.spec(std::slice::from_ref(info)).unwrap();
    let setup = Setup::of(info.clone(), info.format, of_survey.output.clone(), of_survey.output.format);
    let inputs = [vec![src.planes()]];
    let props = FrameProps::default();
    let (words, _) = run_levels(&*survey, &setup, &of_survey, &inputs, &props, &one_thread());
    let mut setup = Setup::of(info.clone(), info.format, spec.output.clone(), info.format);
    setup.sides = vec![SideStorage { src: words.format(), info: of_survey.output }];
    let inputs = [vec![src.planes()], vec![words.planes()]];
    run_levels(&*filter, &setup, &spec, &inputs, &props, &one_thread()).0
}

/// What `peak=…` makes of a picture of greys whose peak is measured, or stated by the frame, beside what `source_peak` makes of it.
#[test]
fn a_peak_that_is_known_is_as_good_as_one_that_is_stated() {
    let nits = 1600.0;
    let info = hdr("yuv444p10", PQ, (64, 4));
    let src = picture(info.format, 64, 4, |c, x, _| if c == 0 { grey(nits * (x as f64 + 1.0) / 64.0) } else { 512 });
    let stated = run(&format!("tonemap=source_peak={nits}"), &info, &src).1;
    let measured = alone("tonemap=peak=dynamic:window=0:percentile=100", &info, &src);
    let of_frame = {
        let filter = chain("tonemap=peak=hdr10plus").unwrap().remove(0);
        let spec = filter.spec(std::slice::from_ref(&info)).unwrap();
        let setup = Setup::of(info.clone(), info.format, spec.output.clone(), info.format);
        let props = FrameProps { brightest: Some(nits as f32), ..FrameProps::default() };
        run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &props, &one_thread()).0
    };
    // A count of 1024 is 64 codes of 16 bits: the measured peak is at most that much higher, and highlights darker by a code.
    for (made, bound) in [(measured, 2), (of_frame, 1)] {
        let pairs = samples(&made, 0).into_iter().zip(samples(&stated, 0));
        let worst = pairs.map(|(a, b)| (a - b).abs()).max().unwrap();
        assert!(worst <= bound, "{worst} of ten bits");
    }
}

/// Greys of 30 cd/m², with a highlight, among darker and brighter ones: curves with a knee are those of the scene's mean in 64 bits.
#[test]
fn knees_follow_the_mean_of_the_scene() {
    let info = hdr("yuv444p10", PQ, (16, 16));
    let nits_of = |grey: i32| PQ_PEAK * Transfer::Pq.light(f64::from(grey - 64) / 876.0);
    let of = |curve: &str, around: f64| {
        let luma = |x: usize, y: usize| match (x, y) {
            (_, 2..) => grey(around),
            (0, _) => grey(1000.0),
            _ => grey(30.0),
        };
        let src = picture(info.format, 16, 16, |c, x, y| if c == 0 { luma(x, y) } else { 512 });
        let text = format!("tonemap={curve}:peak=dynamic:window=0:percentile=100");
        let made = samples(&alone(&text, &info, &src), 0)[5];
        let codes = (0..16).flat_map(|y| (0..16).map(move |x| luma(x, y))).map(|luma| f64::from(luma - 64) / 876.0);
        let mean = PQ_PEAK * Transfer::Pq.light(codes.sum::<f64>() / 256.0);
        let light = params(&text).tone_of(nits_of(grey(1000.0)), Some(mean)).map(nits_of(grey(30.0)));
        let truth = 64.0 + 876.0 * Transfer::BT1886.code(light);
        (made, (f64::from(made) - truth).abs())
    };
    for curve in ["spline", "st2094_10"] {
        let made = [0.5, 5.0, 20.0, 100.0].map(|around| of(curve, around));
        // A step of the peak's counts and the distance between tables are worth a code or two of ten bits.
        assert!(made.iter().all(|(_, error)| *error <= 2.0), "{curve} {made:?}");
        let (least, most) = (made.iter().min_by_key(|at| at.0).unwrap(), made.iter().max_by_key(|at| at.0).unwrap());
        assert!(most.0 - least.0 >= 8, "{curve} {made:?}");
    }
    assert_eq!(of("bt2390", 0.5).0, of("bt2390", 100.0).0, "it has no knee that moves");
}

/// Letterbox bars, noisy as they are, have no part in the mean.
#[test]
fn bars_do_not_move_the_mean() {
    let of = |text: &str, (bar, black): (usize, i32)| {
        let info = hdr("yuv444p10", PQ, (16, 16 + 2 * bar));
        let is_bar = |y: usize| y < bar || y >= 16 + bar;
        let luma = |x: usize, y: usize| if is_bar(y) { black + (x % 3) as i32 } else { 100 + 40 * x as i32 };
        let src = picture(info.format, 16, info.height, |c, x, y| if c == 0 { luma(x, y) } else { 512 });
        let made = alone(&format!("tonemap={text}:peak=dynamic:window=0:percentile=100"), &info, &src);
        samples(&made, 0)[16 * bar..][..256].to_vec()
    };
    for text in ["spline", "st2094_10:on=luma"] {
        let bare = of(text, (0, 0));
        // 72 is 0.9 % above black, and 74 more than one.
        assert_eq!(of(text, (6, 70)), bare, "{text}");
        assert_ne!(of(text, (6, 74)), bare, "{text}");
    }
}

#[test]
fn peaks_of_frames_have_their_limits() {
    let info = hdr("yuv420p10", PQ, (4, 4));
    assert!(refusal("tonemap=gamut=perceptual:peak=dynamic", &info).contains("use peak=static"));
    assert!(chain("tonemap=peak=dynamic:source_peak=1000").unwrap()[0].warning().unwrap().contains("source_peak="));
    assert!(chain("tonemap=peak=hdr10plus:source_peak=1000").unwrap()[0].warning().is_none());
    let reads = |text: &str| chain(text).unwrap()[0].spec(std::slice::from_ref(&info)).unwrap().reads;
    assert_eq!(reads("tonemap").len(), 1);
    assert_eq!(reads("tonemap=peak=dynamic")[1], crate::filters::Reach { before: 32, after: 32 });
    // What lies at the ends of the scale has its tables.
    let peaks = params("tonemap=peak=dynamic").peaks(&info).unwrap();
    // 203 cd/m² are 0.5806 of the code, 38049 of 16 bits: 74 times 512.
    assert_eq!((peaks.gains.first, peaks.gains.tables.len()), (74 * 512, 128 - 74 + 1));
    assert_eq!(params("tonemap=spline:peak=hdr10plus").peaks(&info).unwrap().gains.tables.len(), 128 - 74 + 1);
    // No knee lies above 0.8 of the range: behind 26 times 2048 of 65536 nothing changes.
    let peaks = params("tonemap=spline:peak=dynamic").peaks(&info).unwrap();
    assert_eq!((peaks.gains.means, peaks.gains.tables.len()), (27, 27 * (128 - 74 + 1)));
    let hlg = hdr("yuv420p10", HLG, (4, 4));
    let peaks = params("tonemap=peak=dynamic:hlg_peak=100:target=1000").peaks(&hlg).unwrap();
    assert_eq!((peaks.gains.first, peaks.gains.tables.len()), (127 * 512, 2));
}

/// Tables follow from the curve and from what codes mean, not from how peaks are measured or what is done to colours.
#[test]
fn kernels_with_the_same_gains_share_their_tables() {
    let gains = |options: &str, transfer: u8| {
        let input = hdr("yuv420p10", transfer, (4, 4));
        let filter = Graded(params(&format!("tonemap={options}")));
        let setup = Setup::of(input.clone(), input.format, filter.streams(&input).unwrap().1, input.format);
        filter.recipe(&setup).unwrap().unwrap().peaks.unwrap().gains
    };
    let of_pq = gains("spline:peak=dynamic:target=150", PQ);
    for options in ["window=5:percentile=90:on=luma", "gamut=clip:out=p3:desat=0.5", "source_min=0:hlg_peak=2000"] {
        let others = gains(&format!("spline:peak=dynamic:target=150:{options}"), PQ);
        assert!(Arc::ptr_eq(&of_pq, &others), "{options}");
    }
    let of_hlg = gains("spline:peak=dynamic:target=150", HLG);
    for (options, transfer) in [
        ("spline:peak=hdr10plus:target=150", PQ),
        ("st2094_10:peak=dynamic:target=150", PQ),
        ("spline:peak=dynamic:target=151", PQ),
        ("spline:peak=dynamic:target=150:target_min=1", PQ),
        ("spline:peak=dynamic:target=150:source_min=1", PQ),
        ("spline:peak=dynamic:target=150:param=0.4", PQ),
        ("spline:peak=dynamic:target=150:hlg_peak=2000", HLG),
    ] {
        let others = gains(options, transfer);
        assert!(!Arc::ptr_eq(&of_pq, &others) && !Arc::ptr_eq(&of_hlg, &others), "{options}");
    }
    assert!(!Arc::ptr_eq(&of_pq, &of_hlg));
}
