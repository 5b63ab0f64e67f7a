//! `box` against means worked out by hand, and what any blur must keep.

use super::{BoxBlur, BoxParams};
use crate::filters::create;
use crate::filters::planes::PlaneSet;
use crate::filters::testing::{self, gray16, picture, samples};
use crate::params::parse_chain;
use crate::video::{Format, Picture, StreamInfo};

fn run(params: BoxParams, src: &Picture, dst: Format) -> Picture {
    testing::run(&BoxBlur { params }, src, dst)
}

fn radius(radius: i64) -> BoxParams {
    BoxParams { radius, ..BoxParams::default() }
}

/// A row through `params`.
fn row(params: BoxParams, row: &[i32]) -> Vec<i32> {
    let src = picture(gray16(), row.len(), 1, |_, x, _| row[x]);
    samples(&run(params, &src, gray16()), 0)
}

#[test]
fn means_are_rounded_and_borders_repeat() {
    // A single row repeats up and down, so three rows weigh as one. (0+0+1)/3 = 0.33 → 0; (0+1+1)/3 = 0.67 → 1;
    // (1+1+60000)/3 = 20000.67 → 20001; (1+60000+60000)/3 = 40000.33 → 40000.
    assert_eq!(row(radius(1), &[0, 1, 1, 60000]), [0, 1, 20001, 40000]);
    // Two rows, three columns: left to right, the windows of row 0 hold 6·0 + 2·0 + 1·9 ... in ninths.
    // Columns of row 0's windows weigh rows 2:1, of row 1's 1:2. Column sums: 0, 0, 2·9+0=18; then 0, 0, 9.
    // Row 0: (0+0+0)/9 = 0; (0+0+18)/9 = 2; (0+18+18)/9 = 4. Row 1: 0; 1; 2.
    let src = picture(gray16(), 3, 2, |_, x, y| if (x, y) == (2, 0) { 9 } else { 0 });
    assert_eq!(samples(&run(radius(1), &src, gray16()), 0), [0, 2, 4, 0, 1, 2]);
}

#[test]
fn radii_and_passes_are_the_given_ones() {
    let impulse = |_, x, y| if (x, y) == (3, 2) { 900 } else { 0 };
    let src = picture(gray16(), 7, 5, impulse);
    // Three columns, one row: 300 on the impulse's row only.
    let wide = BoxParams { radius_w: Some(1), radius_h: Some(0), ..radius(9) };
    let expected = |x: usize, y: usize| if y == 2 && (2..=4).contains(&x) { 300 } else { 0 };
    let all = |value: &dyn Fn(usize, usize) -> i32| -> Vec<i32> { (0..35).map(|i| value(i % 7, i / 7)).collect() };
    assert_eq!(samples(&run(wide.clone(), &src, gray16()), 0), all(&expected));
    // A second pass makes a tent: 100, 200, 300, 200, 100.
    let tent = |x: usize, y: usize| if y == 2 && (1..=5).contains(&x) { [100, 200, 300, 200, 100][x - 1] } else { 0 };
    assert_eq!(samples(&run(BoxParams { passes: 2, ..wide }, &src, gray16()), 0), all(&tent));
    // One column, five rows: the whole picture's height.
    let high = BoxParams { radius_w: Some(0), radius_h: Some(2), ..radius(9) };
    assert_eq!(samples(&run(high, &src, gray16()), 0), all(&|x, _| if x == 3 { 180 } else { 0 }));
}

#[test]
fn every_pass_rounds() {
    // (0+0+1)/3 → 0 and (0+1+0)/3 → 0: nothing is left for a second pass; 2/3 rounds up to 1, and then 3/3 = 1.
    let twice = BoxParams { passes: 2, ..radius(1) };
    assert_eq!(row(twice.clone(), &[0, 0, 1, 0, 0]), [0; 5]);
    assert_eq!(row(twice, &[0, 0, 2, 0, 0]), [0, 1, 1, 1, 0]);
}

#[test]
fn signed_samples_round_to_the_nearest() {
    // (−1−1+0)/3 = −0.67 → −1; (−1+0+0)/3 = −0.33 → 0; (−32768−32768−32767)/3 = −32767.67 → −32768.
    let rows: [[i32; 3]; 3] = [[-1, -1, 0], [-1, 0, 0], [-32768, -32768, -32767]];
    for (values, middle) in rows.into_iter().zip([-1, 0, -32768]) {
        let src = picture(Format::YC48, 3, 1, |_, x, _| values[x]);
        let out = run(radius(1), &src, Format::YC48);
        (0..3).for_each(|component| assert_eq!(samples(&out, component)[1], middle));
    }
}

#[test]
fn narrowing_rounds_once() {
    // (0 + 0 + 1)·256/3 = 85.33 → 85 of v16, 0 of 8 bits; (0 + 1 + 1)·256/3 → 171, 1 of 8 bits.
    let format = Format::gray(8).unwrap();
    let src = picture(format, 4, 1, |_, x, _| [0, 0, 1, 1][x]);
    assert_eq!(samples(&run(radius(1), &src, gray16()), 0), [0, 85, 171, 256]);
    assert_eq!(samples(&run(radius(1), &src, format), 0), [0, 0, 1, 1]);
}

#[test]
fn only_the_named_planes_are_blurred() {
    let format = Format::yuv(1, 1, 8).unwrap();
    let src = picture(format, 8, 8, |c, x, y| ((x * 37 + y * 101 + c * 50) % 256) as i32);
    for (planes, blurred) in
        [(PlaneSet::Y, [true, false, false]), (PlaneSet::U, [false, true, false]), (PlaneSet::Yv, [true, false, true])]
    {
        let out = run(BoxParams { planes, ..radius(1) }, &src, format);
        for (component, blurred) in blurred.into_iter().enumerate() {
            assert_eq!(samples(&out, component) != samples(&src, component), blurred, "{planes:?} {component}");
        }
    }
}

#[test]
fn stored_bits_of_other_planes_stay() {
    // p010's low bits mean nothing, and stay where the plane is copied.
    let format = Format::semi_planar(10).unwrap();
    let src = picture(format, 4, 4, |_, x, y| (x * 9000 + y * 77 + 3) as i32);
    let out = run(BoxParams { planes: PlaneSet::Y, ..radius(1) }, &src, format);
    assert_eq!((samples(&out, 1), samples(&out, 2)), (samples(&src, 1), samples(&src, 2)));
}

#[test]
fn flat_stays_flat() {
    for (radius, value) in [(1, 65535), (100, 65535), (512, 65535), (512, 1), (3, 32767)] {
        let src = picture(gray16(), 9, 7, |_, _, _| value);
        let out = run(BoxParams { radius, passes: 3, ..BoxParams::default() }, &src, gray16());
        assert_eq!(samples(&out, 0), vec![value; 63], "radius {radius}");
    }
}

#[test]
fn a_window_larger_than_the_picture_weighs_borders() {
    // Radius 512 on 2 columns: at column 0, 513 of 1025 columns are the left one: 513·0 + 512·1025 over 1025 = 512.
    assert_eq!(row(radius(512), &[0, 1025]), [512, 513]);
    assert_eq!(row(BoxParams { passes: 8, ..radius(512) }, &[7]), [7]);
}

#[test]
fn the_centre_stays_where_it_is() {
    for radius_w in [1, 2, 7, 20] {
        let src = picture(gray16(), 101, 1, |_, x, _| if x == 50 { 60000 } else { 0 });
        let params = BoxParams { radius_w: Some(radius_w), radius_h: Some(0), passes: 2, ..BoxParams::default() };
        let out = samples(&run(params, &src, gray16()), 0);
        let moment: i64 = out.iter().zip(-50..).map(|(value, x)| i64::from(*value) * x).sum();
        assert_eq!(moment, 0, "radius {radius_w}");
    }
}

#[test]
fn means_are_within_half_a_code_value_of_the_real_ones() {
    let (width, height, rw, rh) = (23, 19, 6, 140);
    let value = |x: usize, y: usize| ((x * 7919 + y * 104_729 + x * y * 31) % 65536) as i32;
    let src = picture(gray16(), width, height, |_, x, y| value(x, y));
    let params = BoxParams { radius_w: Some(rw), radius_h: Some(rh), ..BoxParams::default() };
    let out = samples(&run(params, &src, gray16()), 0);
    for (x, y) in (0..height as i64).flat_map(|y| (0..width as i64).map(move |x| (x, y))) {
        let clamp = |at: i64, size: usize| at.clamp(0, size as i64 - 1) as usize;
        let window = (y - rh..=y + rh).flat_map(|v| (x - rw..=x + rw).map(move |u| (u, v)));
        let sum: f64 = window.map(|(u, v)| f64::from(value(clamp(u, width), clamp(v, height)))).sum();
        let real = sum / ((2 * rw + 1) * (2 * rh + 1)) as f64;
        let got = f64::from(out[y as usize * width + x as usize]);
        assert!((got - real).abs() <= 0.5, "({x}, {y}): {got} for {real}");
    }
}

#[test]
fn absent_planes_leave_nothing_to_do() {
    let grey = StreamInfo::bare(Format::gray(8).unwrap(), 4, 4);
    let filter = |text: &str| create(&parse_chain(text).unwrap()[0]);
    assert!(filter("box=planes=uv").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
    assert!(!filter("box=planes=yv").unwrap().spec(std::slice::from_ref(&grey)).unwrap().is_identity(&grey));
    assert!(
        filter("boxblur=radius=9:radius_w=0:radius_h=0")
            .unwrap()
            .spec(std::slice::from_ref(&grey))
            .unwrap()
            .is_identity(&grey)
    );
    for text in ["mean=radius=10000", "box=radius_w=513", "box=passes=0", "box=planes=xyz", "box=radius=-1"] {
        let message = filter(text).unwrap_err().message().to_owned();
        assert!(!message.contains('\n') && message.contains("takes"), "{message}");
    }
}
