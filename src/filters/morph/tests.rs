use crate::filters::chain;
use crate::filters::testing::{gray16, picture, run, samples};

fn of(text: &str, (width, height): (usize, usize), value: impl Fn(usize, usize) -> i32) -> Vec<i32> {
    let src = picture(gray16(), width, height, |_, x, y| value(x, y));
    samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0)
}

const ROW: [i32; 7] = [5, 3, 8, 6, 7, 2, 9];

fn row(text: &str) -> Vec<i32> {
    of(text, (7, 1), |x, _| ROW[x])
}

/// The smallest of two neighbours and each; the ends have one neighbour.
#[test]
fn the_smallest_and_the_largest_of_three() {
    assert_eq!(row("erode"), [3, 3, 3, 6, 2, 2, 2]);
    assert_eq!(row("dilate"), [5, 8, 8, 8, 7, 9, 9]);
    assert_eq!(row("erode=radius=0:rw=1"), [3, 3, 3, 6, 2, 2, 2]);
    for text in ["minmax", "minmax=radius=0:rw=1"] {
        let out = row(text);
        let differences: Vec<i32> = out.iter().map(|value| value - out[0] + 2).collect();
        assert_eq!(differences, [2, 5, 5, 2, 5, 7, 7]);
    }
}

/// Of 3 3 3 6 2 2 2 the largest of three: 3 3 6 6 6 2 2. Of 5 8 8 8 7 9 9 the smallest: 5 5 8 7 7 7 9.
#[test]
fn opening_takes_away_what_is_bright_and_small() {
    assert_eq!(row("open"), [3, 3, 6, 6, 6, 2, 2]);
    assert_eq!(row("close"), [5, 5, 8, 7, 7, 7, 9]);
}

/// 256 lanes are a code of 8 bits.
#[test]
fn a_threshold_limits_the_change() {
    let limited = |text: &str| of(text, (3, 1), |x, _| [5000, 1000, 4900][x]);
    assert_eq!(limited("erode=threshold=1"), [4744, 1000, 4644]);
    assert_eq!(limited("dilate=threshold=2:rw=1:rh=5"), [5000, 1512, 4900]);
    assert_eq!(limited("erode=threshold=0"), [5000, 1000, 4900]);
}

/// One bright sample in the dark: its square, cut at the borders.
#[test]
fn windows_are_as_wide_and_high_as_they_say() {
    for (rw, rh) in [(1, 1), (2, 2), (3, 0), (0, 4), (5, 2), (128, 7), (40, 128)] {
        let out = of(&format!("dilate=rw={rw}:rh={rh}"), (530, 24), |x, y| if (x, y) == (515, 12) { 9000 } else { 10 });
        for (i, value) in out.iter().enumerate() {
            let (x, y) = (i % 530, i / 530);
            let is_near = x.abs_diff(515) <= rw && y.abs_diff(12) <= rh;
            assert_eq!(*value, if is_near { 9000 } else { 10 }, "{rw} {rh}: {x}, {y}");
        }
    }
}

/// Two steps across bands and tiles, where what lies beside the plane comes from its border.
#[test]
fn every_radius_is_what_the_definition_says() {
    let noise = |x: usize, y: usize| ((x * 7919 + y * 104_729 + x * y * 31) % 65536) as i32;
    for text in
        ["open=rw=3:rh=2", "close=2", "open=1", "close=rw=0:rh=9", "open=9:threshold=7", "minmax=rw=4:rh=3", "erode=7"]
    {
        of(text, (530, 75), noise);
        of(text, (5, 3), noise);
    }
}

#[test]
fn ffmpegs_names_and_options_are_known() {
    let error = |text: &str| chain(text).unwrap_err().message().to_owned();
    assert_eq!(chain("erosion").unwrap()[0].call().to_string(), "erode");
    assert_eq!(chain("dilation").unwrap()[0].call().to_string(), "dilate");
    assert!(error("erosion=coordinates=255").contains("leave it out"));
    assert!(error("dilation=threshold0=3").contains("'threshold'"));
    assert!(error("erode=129").contains("from 0 to 128"));
}
