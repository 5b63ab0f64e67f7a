//! Places and samples worked out by hand.

use super::Interpolation;
use super::matrix::Matrix;
use super::source_map::SourceMap;
use super::weights::Weights;
use crate::filters::siting::Siting;
use crate::filters::testing::{digest, gray16, picture, run, run_inputs, samples};
use crate::filters::{Setup, chain};
use crate::video::{Rational, StreamInfo};

/// What `text` makes of rows of numbers.
fn of(text: &str, width: usize, values: &[i32]) -> Vec<i32> {
    let src = picture(gray16(), width, values.len() / width, |_, x, y| values[width * y + x]);
    samples(&run(&*chain(text).unwrap()[0], &src, gray16()), 0)
}

const NINE: [i32; 9] = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000];

/// Of limited range, black is 4096.
#[test]
fn whole_samples_move() {
    assert_eq!(of("affine=x=1", 3, &NINE), [4096, 1000, 2000, 4096, 4000, 5000, 4096, 7000, 8000]);
    assert_eq!(of("affine=y=-1:fill=replicate", 3, &NINE), [4000, 5000, 6000, 7000, 8000, 9000, 7000, 8000, 9000]);
    assert_eq!(of("affine=90", 3, &NINE), [7000, 4000, 1000, 8000, 5000, 2000, 9000, 6000, 3000]);
    assert_eq!(of("affine=-180", 3, &NINE), [9000, 8000, 7000, 6000, 5000, 4000, 3000, 2000, 1000]);
    assert_eq!(of("affine=matrix='-1 0 0 0 1 0'", 3, &NINE), [3000, 2000, 1000, 6000, 5000, 4000, 9000, 8000, 7000]);
}

/// A row moves by its distance from the middle one.
#[test]
fn shears_move_rows_and_columns() {
    assert_eq!(of("affine=shear_x=1", 3, &NINE), [2000, 3000, 4096, 4000, 5000, 6000, 4096, 7000, 8000]);
    assert_eq!(of("affine=shear_y=1", 3, &NINE), [4000, 2000, 4096, 7000, 5000, 3000, 4096, 8000, 6000]);
}

/// Half of a sample: the mean of two, or (-1, 9, 9, -1)/16 of four.
#[test]
fn samples_between_samples_are_weighed() {
    let row = [1000, 2000, 4000, 3000];
    assert_eq!(of("affine=x=-0.5:kernel=bilinear:fill=replicate", 4, &row), [1500, 3000, 3500, 3000]);
    // (9·6000 − 4000) / 16 = 3125; (9·3000 − 1000 − 4000) / 16 = 1375; (9·7000 − 2000 − 3000) / 16 = 3625
    assert_eq!(of("affine=x=-0.5:fill=replicate", 4, &row)[..3], [1375, 3125, 3625]);
    // Black beside the picture takes part.
    assert_eq!(of("affine=x=-0.5:kernel=bilinear", 4, &row)[3], 3548);
}

/// Of twice the size, about the middle of four: places −0.25 + …: 0.75, 1.25, 1.75, 2.25.
#[test]
fn scales_are_about_the_middle() {
    assert_eq!(of("affine=scale=2:kernel=bilinear", 4, &[1000, 2000, 3000, 4000]), [1750, 2250, 2750, 3250]);
}

#[test]
fn weights_sum_to_one() {
    for kernel in [Interpolation::Bilinear, Interpolation::Bicubic] {
        let Weights(weights) = Weights::new(kernel);
        assert!(weights.iter().all(|four| four.iter().map(|weight| i32::from(*weight)).sum::<i32>() == 1 << 14));
        assert_eq!(weights[0], [0, 1 << 14, 0, 0]);
    }
    assert_eq!(Weights::new(Interpolation::Bicubic).0[128], [-1024, 9216, 9216, -1024]);
}

/// Of 4:2:0 with chroma at the left and between rows, as many luma samples are half as many of chroma, and a turn about the
/// middle of luma is one about another place of chroma.
#[test]
fn chroma_stays_with_luma() {
    let info = StreamInfo::bare("yuv420p".parse().unwrap(), 8, 8);
    let turned = Matrix::of(180.0, 1.0, [0.0; 2], [0.0; 2]).inverse().unwrap();
    let places = SourceMap::new(&turned, &info, 1, Siting::Left);
    // Luma 0 shows 7: chroma 0, which sits there, shows 3.5. Rows lie between: chroma row 0 shows row 3.
    let [x, y] = places.at(0, 0);
    assert_eq!((x.whole, x.phase, y.whole, y.phase), (3, 128, 3, 0));
    let centre = SourceMap::new(&turned, &info, 1, Siting::Center).at(0, 0);
    assert_eq!((centre[0].whole, centre[0].phase), (3, 0));
    let moved = Matrix::of(0.0, 1.0, [0.0; 2], [1.0, 2.0]).inverse().unwrap();
    let [x, y] = SourceMap::new(&moved, &info, 2, Siting::Left).at(1, 1);
    assert_eq!((x.whole, x.phase, y.whole, y.phase), (0, 128, 0, 0));
}

/// Samples twice as wide as high: a quarter turn shows a column's samples along half as many of a row.
#[test]
fn angles_are_those_that_are_seen() {
    let src = picture(gray16(), 5, 5, |_, x, y| (1000 * (5 * y + x)) as i32);
    let filter = chain("affine=90:fill=replicate").unwrap().remove(0);
    let input = StreamInfo { sar: Rational::new(2, 1), ..StreamInfo::bare(gray16(), 5, 5) };
    let setup = Setup::of(input.clone(), gray16(), input.clone(), gray16());
    let spec = filter.spec(&[input]).unwrap();
    let props = crate::video::FrameProps::default();
    let exec = crate::filters::testing::one_thread();
    let (out, _) = crate::filters::testing::run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &props, &exec);
    // The middle stays. One sample to its right is seen as two rows: the source's, two rows up. One row down is half a sample.
    let made = samples(&out, 0);
    assert_eq!((made[12], made[13], made[17]), (12000, 2000, 12500));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |text: &str| chain(text).unwrap_err().message().to_owned();
    let line = "affine: the picture would be shown as a line or a point: shear_x times shear_y is near 1, or a·e − b·d of \
                matrix= near 0";
    assert_eq!(refused("affine=matrix='1 1 0 1 1 0'"), line);
    assert_eq!(refused("affine=matrix='0 0 0 0 0 0'"), line);
    assert_eq!(refused("affine=shear_x=1:shear_y=1"), line);
    assert_eq!(
        refused("affine=angle=3:matrix='1 0 0 0 1 0'"),
        "affine: give matrix=, or angle, scale, shear_x, shear_y, x and y: not both"
    );
    assert!(refused("affine=matrix='1 0 0'").contains("it takes auto, or six numbers"));
    assert!(refused("affine=matrix='1 0 0 0 1 nan'").contains("six numbers"));
    assert!(refused("affine=w=20").contains("pad before"));
    let call = chain("affine=matrix='1,0.5,0/0,1,2'").unwrap()[0].call().to_string();
    assert_eq!(call, "affine=matrix='1 0.5 0 0 1 2'");
}

/// Where the picture goes is beyond the frame: black alone is left, whatever the numbers are.
#[test]
fn far_away_is_black() {
    let src = [picture(gray16(), 3, 3, |_, _, _| 9)];
    for text in ["affine=x=65536:y=-65536", "affine=matrix='0.001 0 60000 0 0.001 -60000'"] {
        assert_eq!(samples(&run_inputs(text, &[&src]), 0), [4096; 9], "{text}");
    }
}

/// Weights, and turns by every degree.
#[test]
fn tables_are_the_same_on_every_platform() {
    let weights = |kernel| digest(Weights::new(kernel).0.into_iter().flatten().map(|weight| u64::from(weight as u16)));
    let turn = |degrees: u32| Matrix::of(degrees.into(), 1.5, [0.1, 0.0], [0.0, 0.0]).0.map(f64::to_bits);
    let turns = digest((0..360).flat_map(turn));
    assert_eq!(
        ([Interpolation::Bilinear, Interpolation::Bicubic].map(weights), turns),
        ([17263394896172644325, 6588842061220574821], 10636772372676452454)
    );
}
