//! `gauss` against sums worked out by hand, and what any blur must keep.

use super::weights::WEIGHT_BITS;
use super::{DESCRIPTOR, Gauss, GaussParams};
use crate::filters::create;
use crate::filters::gauss::weights::weights;
use crate::filters::planes::PlaneSet;
use crate::filters::testing::{self, gray16, samples};
use crate::params::{ParamKind, Params, parse_chain};
use crate::video::{Format, Picture, StreamInfo};

/// A picture of `format` with `value(x, y)` as stored samples of every component.
fn picture(format: Format, width: usize, height: usize, value: impl Fn(usize, usize) -> i32) -> Picture {
    testing::picture(format, width, height, |_, x, y| value(x, y))
}

fn run(params: GaussParams, src: &Picture) -> Picture {
    testing::run(&Gauss { params }, src, src.format())
}

fn sigma(sigma: f64) -> GaussParams {
    GaussParams { sigma, ..GaussParams::default() }
}

#[test]
fn a_point_spreads_as_worked_out_by_hand() {
    // sigma 1, radius 1 weighs 8981, 14806, 8981 of 32768. Columns first: 32768 becomes 8981 and 14806, kept doubled:
    // 17962, 29612. Then rows: 17962·8981/65536 = 2461.49 → 2461; 17962·14806/65536 = 4058.00 → 4058;
    // 29612·8981/65536 = 4058.00 → 4058; 29612·14806/65536 = 6690.01 → 6690.
    let src = picture(gray16(), 5, 5, |x, y| if (x, y) == (2, 2) { 32768 } else { 0 });
    let out = samples(&run(GaussParams { radius: Some(1), ..sigma(1.0) }, &src), 0);
    assert_eq!(out[5..10], [0, 2461, 4058, 2461, 0]);
    assert_eq!(out[10..15], [0, 4058, 6690, 4058, 0]);
    assert_eq!(out[15..20], out[5..10]);
    assert_eq!((&out[..5], &out[20..]), (&[0; 5][..], &[0; 5][..]));
}

#[test]
fn borders_repeat() {
    // One row; 3 at its left end is replicated beyond it: (14806 + 8981)/32768·3 = 2.18 → 2; 8981/32768·3 = 0.82.
    let src = picture(gray16(), 3, 1, |x, _| if x == 0 { 3 } else { 0 });
    assert_eq!(samples(&run(GaussParams { radius: Some(1), ..sigma(1.0) }, &src), 0), [2, 1, 0]);
}

#[test]
fn flat_stays_flat() {
    for (sigma_of, value) in [(0.5, 65535), (1.0, 65535), (64.0, 65535), (64.0, 1), (20.0, 32767)] {
        let src = picture(gray16(), 9, 7, |_, _| value);
        assert_eq!(samples(&run(sigma(sigma_of), &src), 0), vec![value; 63], "sigma {sigma_of}");
    }
    let src = picture(Format::YC48, 5, 3, |_, _| -32768);
    assert_eq!(samples(&run(sigma(3.0), &src), 2), vec![-32768; 15]);
}

#[test]
fn the_centre_stays_where_it_is() {
    for sigma_of in [0.5, 1.0, 3.0, 7.5] {
        let src = picture(gray16(), 101, 1, |x, _| if x == 50 { 60000 } else { 0 });
        let out = samples(&run(sigma(sigma_of), &src), 0);
        let moment: i64 = out.iter().zip(-50..).map(|(value, x)| i64::from(*value) * x).sum();
        assert_eq!(moment, 0, "sigma {sigma_of}");
    }
}

/// The stated accuracy, against real sums of the stated weights.
#[test]
fn results_are_within_three_quarters_of_a_code_value() {
    let (width, height) = (31, 27);
    let value = |x: usize, y: usize| ((x * 7919 + y * 104_729 + x * y * 31) % 65536) as i32;
    let src = picture(gray16(), width, height, value);
    for sigma_of in [0.7, 2.0, 12.0] {
        let radius = (3.0f64 * sigma_of).ceil() as usize;
        let weights = weights(sigma_of, radius);
        let weight = |i: i64| {
            weights.get(i.unsigned_abs() as usize).map_or(0.0, |w| f64::from(*w) / f64::from(1 << WEIGHT_BITS))
        };
        let out = samples(&run(sigma(sigma_of), &src), 0);
        let (reach, clamp) = (radius as i64, |at: i64, size: usize| at.clamp(0, size as i64 - 1) as usize);
        for (x, y) in (0..height as i64).flat_map(|y| (0..width as i64).map(move |x| (x, y))) {
            let column = |u: i64| -> f64 {
                let at = |v: i64| f64::from(value(clamp(x + u, width), clamp(y + v, height)));
                (-reach..=reach).map(|v| weight(v) * at(v)).sum()
            };
            let real: f64 = (-reach..=reach).map(|u| weight(u) * column(u)).sum();
            let got = f64::from(out[y as usize * width + x as usize]);
            assert!((got - real).abs() <= 0.75, "sigma {sigma_of} at ({x}, {y}): {got} for {real}");
        }
    }
}

#[test]
fn only_the_named_planes_are_blurred() {
    let src = picture(Format::yuv(1, 1, 8).unwrap(), 8, 8, |x, y| ((x * 37 + y * 101) % 256) as i32);
    let out = run(GaussParams { planes: PlaneSet::Uv, ..sigma(1.0) }, &src);
    let changed = [0, 1, 2].map(|component| samples(&out, component) != samples(&src, component));
    assert_eq!(changed, [false, true, true]);
}

#[test]
fn wrong_sigmas_are_refused_in_one_line() {
    let filter = |text: &str| create(&parse_chain(text).unwrap()[0]);
    for text in
        ["gauss=sigma=0", "gauss=-1", "gauss=sigma=NaN", "gblur=sigma=inf", "gauss=sigma=65", "gauss=radius=10000"]
    {
        let message = filter(text).unwrap_err().message().to_owned();
        assert!(!message.contains('\n') && message.contains("takes"), "{message}");
    }
    let grey = StreamInfo::bare(Format::gray(8).unwrap(), 4, 4);
    assert!(filter("gauss=sigma=3:planes=uv").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
    assert!(!filter("gauss").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
}

/// The kernels have room for as many weights as the largest radius has.
#[test]
fn every_sigma_has_its_radius() {
    let range = |name| GaussParams::SCHEMA.find(name).unwrap().kind;
    let (ParamKind::Float { max: sigma, .. }, ParamKind::Int { max: radius, .. }) = (range("sigma"), range("radius"))
    else {
        panic!("{} has other parameters", DESCRIPTOR.name);
    };
    assert_eq!((3.0 * sigma).ceil() as i64, radius);
}
