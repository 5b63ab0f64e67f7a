//! `bilateral` against means worked out by hand, and what it must keep.

use super::plan::Plan;
use super::{Bilateral, BilateralParams, Guide};
use crate::filters::create;
use crate::filters::planes::PlaneSet;
use crate::filters::testing::{self, gray16, picture, samples};
use crate::params::{Params, parse_chain};
use crate::video::{Format, Picture, StreamInfo};

fn run(params: &BilateralParams, src: &Picture) -> Picture {
    testing::run(&Bilateral { params: params.clone() }, src, src.format())
}

/// A grey row through `params`.
fn row(params: &BilateralParams, row: &[i32]) -> Vec<i32> {
    samples(&run(params, &picture(gray16(), row.len(), 1, |_, x, _| row[x])), 0)
}

fn params(sigma_s: f64, sigma_r: f64) -> BilateralParams {
    BilateralParams { sigma_s, sigma_r, ..BilateralParams::default() }
}

#[test]
fn means_worked_out_by_hand() {
    // sigma_s 1, and sigma_r 4, which is 1024 of 16 bits. The middle: each side weighs e^(−1/2) for its distance and
    // e^(−1/2) for its difference, 0.367879 in all, so it changes by −1024·0.735759/1.735759 = −434.06. The left: itself
    // again beyond the border, 0.606531, and the middle, 0.367879: 1024·0.367879/1.974410 = 190.80.
    let one = BilateralParams { radius: Some(1), ..params(1.0, 4.0) };
    assert_eq!(row(&one, &[1000, 2024, 1000]), [1191, 1590, 1191]);
    // A single row repeats up and down, which changes no mean; two rows, one sample each: the other row weighs
    // 0.367879 of 1 + 0.606531 + 0.367879, since one's own row repeats beyond the border.
    let src = picture(gray16(), 1, 2, |_, _, y| [1000, 2024][y]);
    assert_eq!(samples(&run(&one, &src), 0), [1191, 1833]);
}

#[test]
fn yc48_has_a_sigma_of_its_own_scale() {
    // sigma_r 4 is 64 of YC48: as above, with 64 for 1024: −64·0.423883 = −27.13, 64·0.186324 = 11.92.
    let one = BilateralParams { radius: Some(1), ..params(1.0, 4.0) };
    let src = picture(Format::YC48, 3, 1, |c, x, _| [-32, 32, -32][x] - 100 * c as i32);
    let out = run(&one, &src);
    for component in 0..3 {
        let expected = [-20, 5, -20].map(|value| value - 100 * component);
        assert_eq!(samples(&out, component as usize), expected);
    }
}

#[test]
fn edges_stay() {
    let step = |_, x, _| if x < 10 { 10_000 } else { 50_000 };
    let src = picture(gray16(), 20, 9, step);
    assert_eq!(samples(&run(&BilateralParams::default(), &src), 0), samples(&src, 0));
    // Ends of the scale, and a point.
    let src = picture(gray16(), 9, 9, |_, x, y| if (x, y) == (4, 4) { 65535 } else { 0 });
    assert_eq!(samples(&run(&params(10.0, 8.0), &src), 0), samples(&src, 0));
}

#[test]
fn flat_stays_flat() {
    for (sigma_s, sigma_r, value) in [(0.1, 0.1, 65535), (3.0, 4.0, 1), (10.0, 512.0, 65535), (512.0, 512.0, 32767)] {
        let src = picture(gray16(), 9, 7, |_, _, _| value);
        assert_eq!(samples(&run(&params(sigma_s, sigma_r), &src), 0), vec![value; 63]);
    }
    let src = picture(Format::YC48, 5, 3, |_, _, _| -32768);
    assert_eq!(samples(&run(&params(3.0, 512.0), &src), 2), vec![-32768; 15]);
}

#[test]
fn the_centre_stays_where_it_is() {
    for sigma_s in [0.5, 1.0, 3.0, 9.0] {
        let src = picture(gray16(), 101, 1, |_, x, _| if x == 50 { 60000 } else { 0 });
        let out = samples(&run(&params(sigma_s, 512.0), &src), 0);
        assert!(out[49] > 0);
        let moment: i64 = out.iter().zip(-50..).map(|(value, x)| i64::from(*value) * x).sum();
        assert_eq!(moment, 0, "sigma {sigma_s}");
    }
}

/// The exact mean of a grey window.
fn exact(params: &BilateralParams, value: &dyn Fn(i64, i64) -> f64, radius: i64, x: i64, y: i64) -> f64 {
    let (range, middle) = (params.sigma_r * 256.0, value(x, y));
    let (mut sum, mut total) = (0.0, 0.0);
    for (u, v) in (-radius..=radius).flat_map(|v| (-radius..=radius).map(move |u| (u, v))) {
        let (distance, difference) = (((u * u + v * v) as f64).sqrt() / params.sigma_s, value(x + u, y + v) - middle);
        let weight = (-(distance.powi(2) + (difference / range).powi(2)) / 2.0).exp();
        sum += weight * difference;
        total += weight;
    }
    middle + sum / total
}

/// The stated accuracy, against real sums with real Gaussians.
#[test]
fn results_are_within_three_quarters_of_a_code_value() {
    type Value = fn(i64, i64) -> i64;
    let noise: Value = |x, y| (x * 7919 + y * 104_729 + x * y * 31) % 65536;
    let ramp: Value = |x, y| 20_000 + x * 300 + y * 150 + (x * 7919 + y * 104_729) % 512;
    let ends: Value = |x, y| if (x * 7919 + y * 104_729 + x * y * 31) % 3 == 0 { 65535 } else { 0 };
    // Points whose surroundings, each of almost no weight, weigh as much as they do.
    let points: Value = |x, y| if x % 9 == 4 && y % 9 == 4 { 32_000 } else { 38_000 + x % 3 * 100 };
    let (width, height) = (19, 15);
    let settings = [
        (3.0, 4.0, 9),
        (10.0, 1.0, 30),
        (512.0, 4.0, 30),
        (512.0, 6.0, 30),
        (10.0, 4.1, 30),
        (4.0, 60.0, 12),
        (512.0, 512.0, 30),
    ];
    for (sigma_s, sigma_r, radius) in settings {
        for value in [noise, ramp, ends, points] {
            let params = params(sigma_s, sigma_r);
            let inside = |x: i64, y: i64| value(x.clamp(0, width - 1), y.clamp(0, height - 1)) as f64;
            let src = picture(gray16(), width as usize, height as usize, |_, x, y| value(x as i64, y as i64) as i32);
            let out = samples(&run(&params, &src), 0);
            for (x, y) in (0..height).step_by(3).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let real = exact(&params, &inside, radius, x, y);
                let off = (f64::from(out[(y * width + x) as usize]) - real).abs();
                assert!(off <= 0.75, "sigmas {sigma_s}, {sigma_r} at ({x}, {y}): {off} from {real}");
            }
        }
    }
}

/// The same where weights are off the most: as many samples on both sides of the middle, too heavy on one and too light on
/// the other.
#[test]
fn errors_on_both_sides_stay_within_three_quarters_of_a_code_value() {
    const SIZE: i64 = 61;
    for (sigma_r, up, down) in [(4.0, 3536, 3620), (4.0, 3531, 3611), (4.0, 3544, 3624), (6.0, 5304, 5430)] {
        let value = |x: i64, y: i64| match ((x, y) == (SIZE / 2, SIZE / 2), (x + y) % 2 == 1) {
            (true, _) => 30_000,
            (false, true) => 30_000 + up,
            (false, false) => 30_000 - down,
        };
        let params = params(512.0, sigma_r);
        let inside = |x: i64, y: i64| value(x.clamp(0, SIZE - 1), y.clamp(0, SIZE - 1)).into();
        let src = picture(gray16(), SIZE as usize, SIZE as usize, |_, x, y| value(x as i64, y as i64));
        let real = exact(&params, &inside, 30, SIZE / 2, SIZE / 2);
        let off = f64::from(samples(&run(&params, &src), 0)[(SIZE / 2 * (SIZE + 1)) as usize]) - real;
        assert!(off.abs() <= 0.75, "{sigma_r}, {up}, {down}: {off} from {real}");
    }
}

#[test]
fn luma_steers_chroma() {
    let format = Format::yuv(1, 1, 16).unwrap();
    let guided = BilateralParams { guide: Guide::Luma, planes: PlaneSet::Uv, ..params(4.0, 4.0) };
    let own = BilateralParams { guide: Guide::Own, ..guided.clone() };
    let step = |x: usize, at: usize| if x < at { 10_000 } else { 40_000 };
    let edge = |out: &Picture| samples(out, 1)[7..9].to_vec();

    // Luma has chroma's edge: it stays, whatever sigma_r_c would let through.
    let src = picture(format, 32, 8, |c, x, _| if c == 0 { step(x, 16) } else { step(x, 8) });
    assert_eq!(edge(&run(&guided, &src)), [10_000, 40_000]);
    // Luma is flat: chroma is blurred as by a Gaussian, though its own differences are large.
    let src = picture(format, 32, 8, |c, x, _| if c == 0 { 500 } else { step(x, 8) });
    let blurred = edge(&run(&guided, &src));
    assert!(blurred[0] > 15_000 && blurred[0] + blurred[1] == 50_000, "{blurred:?}");
    assert_eq!(edge(&run(&own, &src)), [10_000, 40_000]);
    assert_eq!(samples(&run(&guided, &src), 0), samples(&src, 0));
}

#[test]
fn chroma_is_compared_by_the_mean_of_its_luma() {
    // 4:2:0, luma 3x1, chroma 2x1: the first covers columns 0 and 1 (and their row twice, as there is no other), mean
    // (0 + 2047)/2 = 1023.5 → 1024 of 16 bits; the second column 2 twice: 2048. So they differ by 1024, one sigma.
    // Alone in its window, with radius 1 and sigma_s_c 1: 0.606531 for its own repetition, 0.367879 for the other, as in
    // `means_worked_out_by_hand`: 10000·0.186324 = 1863.2.
    let src = picture(
        Format::yuv(1, 1, 16).unwrap(),
        3,
        1,
        |c, x, _| if c == 0 { [0, 2047, 2048][x] } else { [0, 10_000][x] },
    );
    let guided = BilateralParams {
        guide: Guide::Luma,
        radius_c: Some(1),
        sigma_s_c: Some(1.0),
        planes: PlaneSet::U,
        ..BilateralParams::default()
    };
    assert_eq!(samples(&run(&guided, &src), 1), [1863, 8137]);
}

#[test]
fn chroma_follows_luma_by_subsampling() {
    let radii = |text: &str, format: &str| {
        let params = BilateralParams::from_call(&parse_chain(text).unwrap()[0]).unwrap();
        let plan = Plan::new(&params, &StreamInfo::bare(format.parse().unwrap(), 8, 8));
        (plan.weights(0).radii(), plan.weights(1).radii())
    };
    for (args, format, luma, chroma) in [
        ("bilateral", "yuv444p", (9, 9), (9, 9)),
        ("bilateral", "yuv420p", (9, 9), (5, 5)),
        ("bilateral", "yuv422p", (9, 9), (5, 9)),
        ("bilateral=radius=3", "yuv422p", (3, 3), (2, 3)),
        ("bilateral=radius=0", "yuv420p", (0, 0), (0, 0)),
        ("bilateral=radius=1", "yuv420p", (1, 1), (1, 1)),
        ("bilateral=sigma_s_c=3:radius=4", "yuv420p", (4, 4), (2, 2)),
        ("bilateral=sigma_s_c=2", "yuv422p", (9, 9), (6, 6)),
        ("bilateral=sigma_s=0.1", "yuv420p", (1, 1), (1, 1)),
        ("bilateral=sigma_s=100:radius_c=7", "yuv420p", (30, 30), (7, 7)),
    ] {
        assert_eq!(radii(args, format), (luma, chroma), "{args} {format}");
    }
    let plan = |format: Format| Plan::new(&params(3.0, 4.0), &StreamInfo::bare(format, 8, 8));
    let (half, full) = (plan(Format::yuv(1, 0, 8).unwrap()), plan(Format::yuv(0, 0, 8).unwrap()));
    // One column of halved chroma is two of luma's.
    assert_eq!(half.weights(1).across[1], full.weights(1).across[2]);
    assert_eq!(half.weights(1).down[1], full.weights(1).down[1]);
}

#[test]
fn windows_larger_than_the_picture_weigh_borders() {
    let wide = BilateralParams { radius: Some(30), ..params(512.0, 512.0) };
    assert_eq!(row(&wide, &[7]), [7]);
    // 31 of 61 columns are the left one, nearly alike in weight: 30/61 of the other's 61.
    assert_eq!(row(&wide, &[0, 61]), [30, 31]);
}

#[test]
fn only_the_named_planes_are_filtered() {
    let src = picture(Format::yuv(1, 1, 8).unwrap(), 8, 8, |c, x, y| (x * 3 + y * 5 + c) as i32);
    let out = run(&BilateralParams { planes: PlaneSet::Uv, ..params(3.0, 20.0) }, &src);
    let changed = [0, 1, 2].map(|component| samples(&out, component) != samples(&src, component));
    assert_eq!(changed, [false, true, true]);
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let filter = |text: &str| create(&parse_chain(text).unwrap()[0]);
    for text in [
        "bilateral=sigma_s=0",
        "bilateral=-1",
        "bilateral=3:0",
        "bilateral=sigma_r=NaN",
        "bilateral=sigma_s=inf",
        "bilateral=sigma_r_c=-4",
        "bilateral=sigma_s_c=1e9",
        "bilateral=radius=31",
        "bilateral=radius_c=-1",
        "bilateral=ref=chroma",
        "bilateral=planes=xyz",
    ] {
        let message = filter(text).unwrap_err().message().to_owned();
        assert!(!message.contains('\n') && message.contains("takes"), "{message}");
    }
    let grey = StreamInfo::bare(Format::gray(8).unwrap(), 4, 4);
    assert!(filter("bilateral=planes=uv").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
    assert!(
        filter("bilateral=radius=0:radius_c=3").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey)
    );
    assert!(!filter("bilateral").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
}
