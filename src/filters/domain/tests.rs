//! `domain` against steps worked out by hand, and what it must keep.

use crate::filters::testing::{gray16, picture, run_inputs, samples};
use crate::video::{Format, Picture};

fn run(text: &str, src: Picture) -> Picture {
    run_inputs(text, &[&[src]])
}

/// A row of grey samples through `text`.
fn row(text: &str, row: &[i32]) -> Vec<i32> {
    samples(&run(text, picture(gray16(), row.len(), 1, |_, x, _| row[x])), 0)
}

#[test]
fn a_pass_goes_forth_and_back() {
    // One pass, sigma_s = 1 and sigma_r = 255: neighbours that differ by d codes weigh exp(−√2·(1 + d/255)).
    // 100 codes apart: exp(−1.4142·1.39216) = 0.13963. Forth: 25600; 25600·0.13963 = 3574.5 above 0. Back: the middle is
    // 0 + ... of what is behind it, which is 0 + 3574.5·exp(−1.4142) = 869.1: 3574.5 + 0.24312·(869.1 − 3574.5) = 2916.8.
    // The first: 25600 + 0.13963·(2916.8 − 25600) = 22432.7.
    assert_eq!(row("domain=sigma_s=1:sigma_r=255:passes=1", &[25600, 0, 0]), [22433, 2917, 869]);
    // A column is the same.
    let column = picture(gray16(), 1, 3, |_, _, y| [25600, 0, 0][y]);
    assert_eq!(samples(&run("domain=sigma_s=1:sigma_r=255:passes=1", column), 0), [22433, 2917, 869]);
}

#[test]
fn flat_stays_flat() {
    for text in ["domain", "domain=sigma_s=1000:sigma_r=255:passes=5", "domain=sigma_s=1:sigma_r=0.5:passes=1"] {
        for value in [0, 1, 4097, 30_001, 65535] {
            let out = samples(&run(text, picture(gray16(), 23, 37, |_, _, _| value)), 0);
            assert_eq!(out, vec![value; 23 * 37], "{text} {value}");
        }
    }
}

#[test]
fn noise_goes_and_edges_stay() {
    // Two areas with noise of a code on either side, 100 codes apart.
    let value =
        |x: usize, y: usize| if x < 40 { 16384 } else { 41984 } + ((x * 7919 + y * 10_473) % 3) as i32 * 256 - 256;
    let out = samples(&run("domain=sigma_s=30:sigma_r=10", picture(gray16(), 80, 60, |_, x, y| value(x, y))), 0);
    let spread = |columns: std::ops::Range<usize>| {
        let all = || columns.clone().flat_map(|x| (5..55).map(move |y| (x, y))).map(|(x, y)| out[y * 80 + x]);
        (all().min().unwrap(), all().max().unwrap())
    };
    for (columns, middle) in [(5..35, 16384), (45..75, 41984)] {
        let (low, high) = spread(columns);
        assert!(high - low < 60 && low > middle - 128 && high < middle + 128, "{low} to {high} about {middle}");
    }
    let (left, right) = (spread(39..40).1, spread(40..41).0);
    assert!(right - left > 25_000, "the edge is {} high", right - left);
}

#[test]
fn luma_steers_chroma() {
    // Chroma has no edge of its own to speak of, and luma has one: what is smoothed by luma keeps to its side.
    let format = Format::yuv(1, 1, 8).unwrap();
    let src = |chroma: [i32; 2]| {
        picture(format, 64, 32, move |component, x, _| match component {
            0 => {
                if x < 32 {
                    40
                } else {
                    200
                }
            }
            _ => chroma[usize::from(x >= 16)],
        })
    };
    let own = samples(&run("domain=sigma_s=20:sigma_r=20:planes=uv", src([120, 136])), 1);
    let luma = samples(&run("domain=sigma_s=20:sigma_r=20:planes=uv:guide=luma", src([120, 136])), 1);
    assert!(own[15] > 122 && own[16] < 135, "{:?}", &own[..32]);
    assert!(luma[..16].iter().all(|v| *v == 120) && luma[16..32].iter().all(|v| *v == 136), "{:?}", &luma[..32]);
    // The mean of the luma that a sample covers: an edge in the middle of one makes steps on both of its sides.
    let shifted = picture(format, 64, 32, |c, x, _| match c {
        0 => {
            if x < 33 {
                40
            } else {
                200
            }
        }
        _ => {
            if x < 17 {
                120
            } else {
                136
            }
        }
    });
    let luma = samples(&run("domain=sigma_s=20:sigma_r=20:planes=uv:guide=luma", shifted), 1);
    assert!(luma[15] == 120 && luma[17] == 136, "{:?}", &luma[..32]);
    // Without chroma it changes nothing.
    let grey = || picture(gray16(), 30, 20, |_, x, y| ((x * 7919 + y * 104_729) % 65536) as i32);
    assert_eq!(samples(&run("domain=guide=luma", grey()), 0), samples(&run("domain", grey()), 0));
}

#[test]
fn yc48_is_smoothed_as_far_as_the_same_picture_of_8_bits() {
    // A code of 8 bits is 16 there.
    let value = |x: usize, y: usize| ((x * 37 + y * 11 + x * y) % 200) as i32;
    let wide = samples(&run("domain=10:5", picture(Format::YC48, 33, 21, |_, x, y| 16 * value(x, y))), 0);
    let grey = samples(&run("domain=10:5", picture(gray16(), 33, 21, |_, x, y| 256 * value(x, y))), 0);
    // Differences of one code are one step of its table, and sixteen of the other.
    assert!(wide.iter().zip(&grey).all(|(a, b)| (16 * a - b).abs() <= 16), "{wide:?}");
}
