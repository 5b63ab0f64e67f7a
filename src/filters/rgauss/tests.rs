//! `rgauss` against sums worked out by hand, and what any blur must keep.

use super::{Rgauss, RgaussParams};
use crate::filters::create;
use crate::filters::planes::PlaneSet;
use crate::filters::testing::{self, gray16, picture, samples};
use crate::params::parse_chain;
use crate::video::{Format, Picture};

fn run(params: RgaussParams, src: &Picture, dst: Format) -> Picture {
    testing::run(&Rgauss { params }, src, dst)
}

fn sigma(sigma: f64) -> RgaussParams {
    RgaussParams { sigma, ..RgaussParams::default() }
}

#[test]
fn passes_are_boxes() {
    // sigma 2 in 6 passes is six times the mean of three. On a row of one column nothing changes down; across, 16 bits with four
    // more: 729·16 = 11664, then thirds of that, which all are whole: after six passes the weights of (1 + x + x²)^6, which
    // are 1, 6, 21, 50, 90, 126, 141, 126, …, of 729.
    let params = RgaussParams { passes: 6, ..sigma(2.0) };
    let src = picture(gray16(), 15, 1, |_, x, _| if x == 7 { 729 } else { 0 });
    let row = samples(&run(params, &src, gray16()), 0);
    assert_eq!(row, [0, 1, 6, 21, 50, 90, 126, 141, 126, 90, 50, 21, 6, 1, 0]);
}

#[test]
fn columns_and_rows_are_blurred_alike() {
    let src = picture(gray16(), 41, 41, |_, x, y| if (x, y) == (20, 20) { 60000 } else { 0 });
    let out = samples(&run(sigma(4.0), &src, gray16()), 0);
    for (x, y) in (0..41).flat_map(|y| (0..41).map(move |x| (x, y))) {
        // Each pass rounds a sixteenth of a value: once down and once across.
        assert!((out[y * 41 + x] - out[x * 41 + y]).abs() <= 1, "({x}, {y})");
        assert_eq!(out[y * 41 + x], out[(40 - y) * 41 + 40 - x], "({x}, {y}) from the other side");
    }
    let sum: i32 = out.iter().sum();
    assert!((sum - 60000).abs() < 300, "{sum}");
}

#[test]
fn flat_stays_flat() {
    for (params, value) in [
        (sigma(2.0), 65535),
        (sigma(512.0), 65535),
        (RgaussParams { passes: 3, ..sigma(512.0) }, 1),
        (sigma(31.7), 32767),
    ] {
        let src = picture(gray16(), 19, 33, |_, _, _| value);
        assert_eq!(samples(&run(params, &src, gray16()), 0), vec![value; 19 * 33]);
    }
}

#[test]
fn sums_do_not_overflow() {
    // The widest window over the largest samples, with an edge in its middle, is what an exact mean gives: a ramp, symmetric.
    let src = picture(gray16(), 4000, 1, |_, x, _| if x < 2000 { 65535 } else { 0 });
    let row = samples(&run(RgaussParams { passes: 3, ..sigma(512.0) }, &src, gray16()), 0);
    assert!(row.is_sorted_by(|a, b| a >= b) && row[0] == 65535 && row[3999] == 0);
    assert!((0..2000).all(|x| (row[x] + row[3999 - x] - 65535).abs() <= 1));
}

#[test]
fn signed_samples_are_blurred_as_others_are() {
    let value = |x: usize, y: usize| ((x * 7919 + y * 104_729 + x * y * 31) % 65536) as i32;
    let signed = picture(Format::YC48, 23, 19, |_, x, y| value(x, y) - 32768);
    let plain = picture(gray16(), 23, 19, |_, x, y| value(x, y));
    let got = samples(&run(sigma(3.0), &signed, Format::YC48), 1);
    let wanted = samples(&run(sigma(3.0), &plain, gray16()), 0);
    assert!(got.iter().zip(&wanted).all(|(got, wanted)| got + 32768 == *wanted));
}

#[test]
fn only_the_named_planes_are_blurred() {
    let format = Format::yuv(1, 1, 8).unwrap();
    let src = picture(format, 40, 36, |c, x, y| ((x * 37 + y * 101 + c * 50) % 256) as i32);
    let out = run(RgaussParams { planes: PlaneSet::Yv, ..sigma(5.0) }, &src, format);
    assert_eq!([0, 1, 2].map(|c| samples(&out, c) != samples(&src, c)), [true, false, true]);
}

#[test]
fn small_sigmas_are_sent_to_gauss() {
    let refusal = |text: &str| create(&parse_chain(text).unwrap()[0]).unwrap_err().message().to_owned();
    for text in ["rgauss=1.5", "rgauss=sigma=1.5", "rgauss=planes=y:s=1.5"] {
        assert!(refusal(text).ends_with("gauss=sigma=1.5 takes it"), "{}", refusal(text));
    }
    for text in ["rgauss=513", "rgauss=0.01", "rgauss=-1", "rgauss=nan", "rgauss=10:passes=2"] {
        assert!(!refusal(text).contains("gauss=sigma"), "{}", refusal(text));
    }
    assert!(refusal("rgauss=radius=3").contains("'sigma'"));
}
