use crate::filters::chain;
use crate::filters::testing::{gray16, picture, run, samples};
use crate::video::Format;

fn of(text: &str, width: usize, height: usize, sample: impl Fn(usize, usize) -> i32) -> Vec<i32> {
    let src = picture(gray16(), width, height, |_, x, y| sample(x, y));
    samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0)
}

/// Rows repeat, so 3×3 of 0, 900, 0 has three times 900: sum 2700, mean 300, spread 3·900² − 300·(5400 − 2700) = 1,620,000 over 9:
/// a variance of 180,000. The other two windows hold the border twice: as many 900, and the same line. eps 2.75 codes is
/// 180,224 (2.75·65536): the slope 65536·180000/360224 = 32747.6, the offset (65536 − 32748)·300/65536 = 150.1. Then 900 becomes
/// 449.7 + 150, and 0 the offset.
#[test]
fn lines_worked_out_by_hand() {
    assert_eq!(of("guided=radius=1:eps=2.75", 3, 1, |x, _| [0, 900, 0][x]), [150, 600, 150]);
}

#[test]
fn flat_areas_stay_as_they_are() {
    for (value, radius) in [(0, 1), (1, 8), (32_768, 3), (54_321, 64), (65_535, 9)] {
        assert!(of(&format!("guided={radius}"), 9, 5, |_, _| value).iter().all(|v| *v == value), "{value}");
    }
}

/// A step of 100 codes beside an eps of 12: a variance of 2500 keeps 99.5 percent of it. Noise of one code goes.
#[test]
fn edges_stay_and_texture_goes() {
    let noise = |x: usize, y: usize| ((x * 7919 + y * 104_729) % 512) as i32;
    let src = |x: usize, y: usize| 15_000 + 25_600 * i32::from(x >= 32) + noise(x, y);
    let out = of("guided=radius=4:eps=12", 64, 16, src);
    let step = out[8 * 64 + 32] - out[8 * 64 + 31];
    assert!((step - 25_600).abs() < 600, "{step}");
    let row = &out[8 * 64..][8..20];
    let (least, most) = (row.iter().min().unwrap(), row.iter().max().unwrap());
    assert!(most - least < 100, "{least} to {most}");
}

/// Windows beyond all sides, and tiles beside one another.
#[test]
fn noise_has_the_same_bytes_at_every_level() {
    for (radius, width, height) in [(1, 600, 5), (2, 515, 70), (7, 40, 6), (19, 25, 9), (64, 7, 3)] {
        for depth in [8, 16] {
            let format = Format::gray(depth).unwrap();
            let top = (1usize << depth) - 1;
            let src = picture(format, width, height, |_, x, y| ((x * 7919 + y * 104_729 + x * y * 31) % top) as i32);
            run(&*chain(&format!("guided={radius}:200")).unwrap()[0], &src, format);
        }
    }
}

#[test]
fn the_scale_of_ffmpeg_is_pointed_out() {
    let warning = |text: &str| chain(text).unwrap()[0].warning();
    assert!(warning("guided=radius=3:eps=0.01").is_some_and(|text| text.contains("eps=650 here")));
    assert!(warning("guided").is_none() && warning("guided=radius=0:eps=0.01").is_none());
}
