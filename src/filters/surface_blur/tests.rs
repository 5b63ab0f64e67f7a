use crate::filters::chain;
use crate::filters::testing::{gray16, picture, run, samples};
use crate::video::Format;

/// A threshold of 0.1 codes is 25.6 of 16 bits, so 26, and 65 the weight of a sample that does not differ. Rows repeat, so one
/// of three counts. At 0: its own and its repetition weigh 65, the 10 weighs 55: 550/185 = 2.97. At 10: −10 weighs 55 beside its
/// own 65, 100 is too far: −550/120 = −4.58, rounded −5. 100 has nothing near it.
#[test]
fn means_worked_out_by_hand() {
    let src = picture(gray16(), 3, 1, |_, x, _| [0, 10, 100][x]);
    let of = |text: &str| samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0);
    assert_eq!(of("surface_blur=radius=1:threshold=0.1"), [3, 5, 100]);
}

/// 10 codes are 2560; 2.5 thresholds of 4 codes the same, which weighs nothing, and of 4.1 codes a little.
#[test]
fn edges_of_more_than_the_reach_stay() {
    let src = picture(gray16(), 40, 5, |_, x, _| 20_000 + 2560 * i32::from(x >= 20));
    let of = |text: &str| samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0);
    assert_eq!(of("surface_blur=radius=6:threshold=4"), samples(&src, 0));
    assert_ne!(of("surface_blur=radius=6:threshold=4.1"), samples(&src, 0));
}

#[test]
fn flat_areas_stay_as_they_are() {
    for (value, radius) in [(0, 1), (54_321, 9), (65_535, 64)] {
        let src = picture(gray16(), 20, 9, |_, _, _| value);
        let out = samples(&run(&*chain(&format!("surface_blur={radius}:200")).unwrap()[0], &src, gray16()), 0);
        assert!(out.iter().all(|v| *v == value), "{value}");
    }
}

/// Every number of samples that is added at a time, of windows that reach beyond the picture, and rows of more than one part.
#[test]
fn noise_has_the_same_bytes_at_every_level() {
    for (radius, width, height) in [(1, 600, 5), (2, 70, 9), (3, 40, 6), (5, 530, 4), (12, 50, 20), (64, 23, 7)] {
        for depth in [8, 16] {
            let format = Format::gray(depth).unwrap();
            let top = (1usize << depth) - 1;
            let src = picture(format, width, height, |_, x, y| ((x * 7919 + y * 104_729 + x * y * 31) % top) as i32);
            run(&*chain(&format!("surface_blur={radius}:40")).unwrap()[0], &src, format);
        }
    }
}
