//! Edges worked out by hand.

use crate::filters::chain;
use crate::filters::testing::{picture, run, samples};
use crate::video::{Format, Picture};

/// What `text` makes of a picture of equal rows.
fn across(text: &str, format: &str, values: &[i32]) -> Vec<i32> {
    let src: Picture = picture(format.parse().unwrap(), values.len(), 3, |_, x, _| values[x]);
    samples(&run(&*chain(text).unwrap()[0], &src, src.format()), 0)[values.len()..2 * values.len()].to_vec()
}

/// Eight samples of `a`, then eight of `b`.
fn step(a: i32, b: i32) -> Vec<i32> {
    [[a; 8], [b; 8]].concat()
}

/// qp 36: alpha 50, beta 11 and tc0 4 at strength 3. δ of 100 | 108 is (32 + -8 + 4) >> 3 = 3 in codes of 8 bits, and 3.0 with
/// fractions; within 4 + 2. p1: (100 + 104 − 200) >> 1 = 2.
#[test]
fn a_step_is_smoothed() {
    let smooth = across("deblock=qp=36", "gray8", &step(100, 108));
    assert_eq!(smooth, [100, 100, 100, 100, 100, 100, 102, 103, 105, 106, 108, 108, 108, 108, 108, 108]);
    // 2.97 of 10 bits' 402 is (4·32 − 32) / 8 = 12 codes; p1 moves by 8.
    let ten = across("deblock=qp=36", "gray10", &step(400, 432));
    assert_eq!(ten[5..11], [400, 408, 412, 420, 424, 432]);
}

/// The step of 40 is above alpha at qp 34 (40), and below at 36; there tc is 4 + 2 and tc0 is 4.
#[test]
fn large_steps_are_the_pictures_own() {
    assert_eq!(across("deblock=qp=34", "gray8", &step(60, 100)), step(60, 100));
    assert_eq!(across("deblock=qp=36", "gray8", &step(60, 100))[5..11], [60, 64, 66, 94, 96, 100]);
    assert_eq!(across("deblock=qp=34:alpha_offset=2", "gray8", &step(60, 100))[5..11], [60, 64, 66, 94, 96, 100]);
}

/// With |p1 − p0| = 10 and beta 10 at qp 35 nothing changes; beta is 11 at 36.
#[test]
fn texture_stays() {
    let mut values = step(100, 108);
    values[7] = 110;
    assert_eq!(across("deblock=qp=34", "gray8", &values), values);
    assert_ne!(across("deblock=qp=36", "gray8", &values), values);
}

#[test]
fn edges_are_those_of_the_grid() {
    let twelve: Vec<i32> = (0..24).map(|x| 100 + 4 * (x / 4)).collect();
    let changed = |text: &str| {
        let made = across(text, "gray8", &twelve);
        (0..24).filter(|x| made[*x] != twelve[*x]).collect::<Vec<usize>>()
    };
    assert_eq!(changed("deblock=qp=40:block=8"), [6, 7, 8, 9, 14, 15, 16, 17]);
    assert_eq!(changed("deblock=qp=40:block=12"), [10, 11, 12, 13]);
    assert_eq!(changed("deblock=qp=40:block=16"), [14, 15, 16, 17]);
}

/// Level edges are filtered as upright ones are.
#[test]
fn both_directions_are_filtered() {
    let format = Format::gray(8).unwrap();
    let src = picture(format, 5, 16, |_, _, y| step(100, 108)[y]);
    let out = samples(&run(&*chain("deblock=qp=36").unwrap()[0], &src, format), 0);
    let column: Vec<i32> = (0..16).map(|y| out[5 * y + 2]).collect();
    assert_eq!(column, across("deblock=qp=36", "gray8", &step(100, 108)));
}

/// Chroma of 4:2:0 keeps p1 and q1, and tc is tc0 + 1 = 5; δ is 3. Of 4:4:4 it is filtered as luma is.
#[test]
fn chroma_has_a_filter_of_its_own() {
    let chroma = |format: &str, width: usize| {
        let src = picture(format.parse().unwrap(), width, 4, |_, x, _| if x < 8 { 100 } else { 108 });
        samples(&run(&*chain("deblock=qp=36").unwrap()[0], &src, src.format()), 1)[5..11].to_vec()
    };
    assert_eq!(chroma("yuv420p", 32), [100, 100, 103, 105, 108, 108]);
    assert_eq!(chroma("yuv444p", 16), [100, 102, 103, 105, 106, 108]);
}
