//! The fast measure against the definition written down plainly, and against values worked out by hand.

use super::*;
use crate::device::cpu::CpuLevel;
use crate::video::{Format, Picture};
use proptest::prelude::*;

fn measure(bit_depth: u8, threads: usize, level: CpuLevel) -> FrameMeasure {
    FrameMeasure::new(CpuExec::new(threads, level).unwrap(), bit_depth)
}

/// A picture whose sample at (component, x, y) is `value`, cut to the depth.
fn picture(format: &str, width: usize, height: usize, value: impl Fn(usize, usize, usize) -> u32) -> Picture {
    let format = format.parse::<Format>().unwrap();
    let mut picture = Picture::alloc(format, width, height).unwrap();
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        let up = 16 - format.bit_depth() - plane.layout().shift;
        let (width, height) = (plane.width(), plane.height());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let code = value(component, x, y) & ((1 << format.bit_depth()) - 1);
            plane.set(x, y, (code << up) as i32);
        }
    }
    picture
}

/// The definition: Σ(a−b)², SSIM as the mean over windows, and the first largest difference.
fn plainly(a: &PlaneRef<'_>, b: &PlaneRef<'_>, bit_depth: u8) -> PlaneDifference {
    let (width, height, drop) = (a.width(), a.height(), 16 - bit_depth);
    let at = |plane: &PlaneRef<'_>, x, y| f64::from(plane.v16(x, y) >> drop);
    let (mut squared, mut largest) = (0.0, None::<Largest>);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (a, b) = (at(a, x, y), at(b, x, y));
        squared += (a - b) * (a - b);
        if (a - b).abs() > f64::from(largest.map_or(0, Largest::value)) {
            largest = Some(Largest { x, y, a: a as u16, b: b as u16 });
        }
    }
    let peak = f64::from((1u32 << bit_depth) - 1);
    let (w, h) = (width.min(8), height.min(8));
    let n = (w * h) as f64;
    let (mut ssim, mut windows) = (0.0, 0.0);
    for (x0, y0) in (0..=height - h).step_by(4).flat_map(|y| (0..=width - w).step_by(4).map(move |x| (x, y))) {
        let window = |plane| -> Vec<f64> {
            (y0..y0 + h).flat_map(|y| (x0..x0 + w).map(move |x| (x, y))).map(|(x, y)| at(plane, x, y)).collect()
        };
        let (a, b) = (window(a), window(b));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
        let (mean_a, mean_b) = (mean(&a), mean(&b));
        let co = |p: &[f64], mp: f64, q: &[f64], mq: f64| {
            p.iter().zip(q).map(|(p, q)| (p - mp) * (q - mq)).sum::<f64>() / (n - 1.0).max(1.0)
        };
        let (var_a, var_b) = (co(&a, mean_a, &a, mean_a), co(&b, mean_b, &b, mean_b));
        // ffmpeg scales C1 by n where n² is right for sums, and rounds both; the definition here follows it.
        let c1 = ((0.01 * peak).powi(2) * n).round() / (n * n);
        let c2 = ((0.03 * peak).powi(2) * n * (n - 1.0).max(1.0)).round() / (n * (n - 1.0).max(1.0));
        ssim += (2.0 * mean_a * mean_b + c1) * (2.0 * co(&a, mean_a, &b, mean_b) + c2)
            / ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
        windows += 1.0;
    }
    PlaneDifference { samples: (width * height) as u64, squared: squared as u64, ssim: ssim / windows, largest }
}

#[test]
fn by_hand() {
    // Two rows of two: differences 0, 3, -4 and 0. Σ² = 25, the largest is 4 at (0, 1).
    let a = picture("gray8", 2, 2, |_, x, y| [[10, 20], [30, 40]][y][x]);
    let b = picture("gray8", 2, 2, |_, x, y| [[10, 23], [26, 40]][y][x]);
    let plane = measure(8, 1, CpuLevel::Portable).frame(&a.planes(), &b.planes()).planes[0];
    assert_eq!((plane.samples, plane.squared, plane.mse()), (4, 25, 6.25));
    assert_eq!(plane.largest, Some(Largest { x: 0, y: 1, a: 30, b: 26 }));
    // n = 4: Σa = 100, Σb = 99, Σab = 100+460+780+1600 = 2940, Σa² = 3000, Σb² = 100+529+676+1600 = 2905.
    // C1 = 0.0001·65025·4 = 26.01 → 26; C2 = 0.0009·65025·4·3 = 702.27 → 702.
    let (variances, covariance) = (4.0 * 5905.0 - 10_000.0 - 9801.0, 4.0 * 2940.0 - 9900.0);
    let expected = (2.0 * 9900.0 + 26.0) / (19801.0 + 26.0) * ((2.0 * covariance + 702.0) / (variances + 702.0));
    assert!((plane.ssim - expected).abs() < 1e-15, "{} {expected}", plane.ssim);
}

#[test]
fn equal_pictures_have_no_difference() {
    for format in ["gray8", "yuv420p", "nv12", "yuv444p10", "p010", "yuv422p16"] {
        let a = picture(format, 37, 23, |c, x, y| (x * 977 + y * 3331 + c * 101) as u32);
        let depth = a.format().bit_depth();
        let difference = measure(depth, 2, CpuLevel::detect()).frame(&a.planes(), &a.planes());
        assert!(difference.is_none() && difference.ssim() == 1.0 && difference.largest() == 0, "{format}");
    }
}

#[test]
fn extremes_do_not_overflow() {
    for (format, depth) in [("gray8", 8), ("gray12", 12), ("gray13", 13), ("gray16", 16)] {
        let top = (1u32 << depth) - 1;
        for (width, height) in [(7, 7), (64, 64), (300, 9)] {
            let (black, white) =
                (picture(format, width, height, |_, _, _| 0), picture(format, width, height, |_, _, _| top));
            let (a, b) = (&black.planes(), &white.planes());
            let plane = measure(depth, 1, CpuLevel::detect()).frame(a, b).planes[0];
            assert_eq!(plane.squared, u64::from(top) * u64::from(top) * plane.samples, "{format}");
            assert_eq!(measure(depth, 1, CpuLevel::detect()).frame(b, b).ssim(), 1.0);
        }
    }
}

/// What layouts a depth has.
fn formats() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("gray8", "gray8"),
        ("yuv420p", "nv12"),
        ("p010", "yuv420p10"),
        ("yuv422p12", "yuv422p12"),
        ("yuv444p14", "yuv444p14"),
        ("p016", "yuv420p16"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn fast_is_the_definition(
        (one, other) in formats(),
        width in prop_oneof![1usize..20, 500usize..530],
        height in prop_oneof![1usize..20, 60usize..75],
        noise in prop_oneof![Just(0u32), Just(3), Just(0xffff)],
        seed in any::<u32>(),
    ) {
        let hash = |c: usize, x: usize, y: usize, salt: u32| {
            let mixed = seed.wrapping_add((c * 77 + x * 65_537 + y * 1_000_003) as u32).wrapping_add(salt);
            mixed.wrapping_mul(2_654_435_761).rotate_left(15).wrapping_mul(2_246_822_519) >> 16
        };
        let a = picture(one, width, height, |c, x, y| hash(c, x, y, 0));
        let b = picture(other, width, height, |c, x, y| hash(c, x, y, 0) ^ (hash(c, x, y, 9) & noise));
        let depth = a.format().bit_depth();
        let fast = measure(depth, 1, CpuLevel::Portable).frame(&a.planes(), &b.planes());
        for (plane, (a, b)) in fast.planes.iter().zip(a.planes().iter().zip(b.planes().iter())) {
            let plain = plainly(a, b, depth);
            prop_assert_eq!((plane.samples, plane.squared, plane.largest), (plain.samples, plain.squared, plain.largest));
            prop_assert!((plane.ssim - plain.ssim).abs() < 1e-9, "{} {}", plane.ssim, plain.ssim);
        }
        for level in CpuLevel::available() {
            for threads in [1, 3] {
                prop_assert_eq!(&measure(depth, threads, level).frame(&a.planes(), &b.planes()), &fast);
            }
        }
    }
}
