use crate::filters::testing::{gray16, one_thread, picture, run, run_levels, samples};
use crate::filters::{Setup, Spec, chain};
use crate::video::{Format, FrameProps, Range, StreamInfo};

fn of(text: &str, width: usize, height: usize, sample: impl Fn(usize, usize) -> i32) -> Vec<i32> {
    let src = picture(gray16(), width, height, |_, x, y| sample(x, y));
    samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0)
}

/// One tile of 4096 and 20480 in equal parts, which begin bins 16 and 80. Below the first there is nothing. A bin counts at most 64
/// of 219 of all, so 91 of 219 are shared. Below the other are the first's 64, and 64 bins' share of what is shared:
/// 64/219 + 91/219·64/219 = 0.413670 of 56064, above black.
#[test]
fn curves_join_what_is_below() {
    let out = of("clahe=limit=64:tiles=1", 8, 4, |x, _| if x < 4 { 4096 } else { 20_480 });
    assert_eq!(out[..8], [4096, 4096, 4096, 4096, 27_288, 27_288, 27_288, 27_288]);
}

/// What is dark gets contrast, and order stays.
#[test]
fn a_dark_ramp_is_lifted() {
    let out = of("clahe=limit=4:tiles=1", 512, 8, |x, _| 4096 + 8 * x as i32);
    let row = &out[..512];
    assert!(row.is_sorted() && row[0] == 4096 && row[511] > 3 * (4096 + 511 * 8) / 2, "{}", row[511]);
}

#[test]
fn beyond_black_and_white_nothing_changes() {
    let outside = [0, 4095, 60_160, 65_535];
    let out = of("clahe=limit=8:tiles=2", 8, 8, |x, y| if y < 4 { outside[x % 4] } else { 9000 + 100 * x as i32 });
    assert_eq!(out[..4], outside);
}

/// White of full range is beyond the last bin at every depth: tiles of nothing but white stay white.
#[test]
fn white_stays_white_at_every_depth() {
    for depth in [8, 10, 12, 16] {
        let (format, white) = (Format::gray(depth).unwrap(), (1 << depth) - 1);
        let src = picture(format, 32, 16, |_, _, _| white);
        let mut input = StreamInfo::bare(format, 32, 16);
        input.color.range = Range::Full;
        let setup = Setup::of(input.clone(), format, input.clone(), format);
        let (filter, props) = (&chain("clahe=preset=strong").unwrap()[0], FrameProps::default());
        let (made, _) =
            run_levels(&**filter, &setup, &Spec::computed(input), &[vec![src.planes()]], &props, &one_thread());
        let out = samples(&made, 0);
        assert!(out.iter().all(|v| *v == white), "{depth} bits: {}", out[0]);
    }
}

/// Letterbox bars are black in tiles that hold more than them.
#[test]
fn letterbox_bars_and_flat_pictures_stay_flat() {
    let out = of("clahe=limit=3:tiles=4", 64, 64, |x, y| if y < 10 { 4096 } else { (5000 + 300 * x + 91 * y) as i32 });
    assert!(out[..640].iter().all(|v| *v == 4096));
    let flat = of("clahe=limit=3:tiles=4", 64, 48, |_, _| 33_333);
    assert!(flat.iter().all(|v| *v == flat[0]));
}

/// Tiles of unequal sizes, and more of them than samples.
#[test]
fn noise_has_the_same_bytes_at_every_level() {
    for (text, width, height) in [("tiles=3", 100, 40), ("tiles=32", 20, 9), ("limit=30:tiles=5:tiles_h=2", 131, 67)] {
        for depth in [8, 10, 16] {
            let format = Format::gray(depth).unwrap();
            let top = (1usize << depth) - 1;
            let src = picture(format, width, height, |_, x, y| ((x * 7919 + y * 104_729 + x * y * 31) % top) as i32);
            run(&*chain(&format!("clahe={text}")).unwrap()[0], &src, format);
        }
    }
}
