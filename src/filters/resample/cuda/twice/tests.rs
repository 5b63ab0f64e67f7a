//! Places of weights, and steps.

use super::*;
use crate::filters::resample::kernel::{ResamplingKernel, Shape as Kind};
use crate::filters::resample::sample_grid::SampleGrid;
use crate::filters::resample::taps::{FINE, Line};

fn taps(from: usize, to: usize, shape: Kind) -> Taps {
    let grid = SampleGrid { offset: 0, spacing: 1 };
    let line = Line { from, to, luma: to, window: (0, from as i64 * FINE), source: grid, result: grid, fields: false };
    line.taps(&ResamplingKernel { shape, b: 0.0, c: 0.5, taps: 3 }, false).unwrap()
}

#[test]
fn every_weight_has_its_place_borders_too() {
    for shape in SHAPES {
        let (from, to) = if shape.up { (20, 40) } else { (40, 20) };
        let kind = if shape.taps % 3 > 0 { Kind::Bicubic } else { Kind::Lanczos };
        let taps = taps(from, to, kind);
        let (first, placed) = shape.place(&taps).unwrap();
        for at in 0..to {
            let begin = i64::from(first) + shape.begin(at);
            let mut there = vec![0.0; from];
            for (k, weight) in placed[at * shape.taps..][..shape.taps].iter().enumerate().filter(|(_, w)| **w != 0.0) {
                there[(begin + k as i64) as usize] = *weight;
            }
            let mut wanted = vec![0.0; from];
            wanted[taps.first[at]..][..taps.count].copy_from_slice(taps.weights_of(at));
            assert_eq!(there, wanted, "{} at {at}", shape.name());
        }
    }
}

#[test]
fn other_ratios_have_no_place() {
    assert!(SHAPES.iter().all(|shape| shape.place(&taps(20, 30, Kind::Bicubic)).is_none()));
    assert!(SHAPES.iter().all(|shape| shape.place(&taps(60, 20, Kind::Bicubic)).is_none()));
}

#[test]
fn a_step_has_the_weights_of_the_results_that_it_is_part_of() {
    let weights =
        |taps: usize| -> Vec<f32> { (0..4).flat_map(|y| (0..taps).map(move |k| (1 + 10 * y + k) as f32)).collect() };
    // Up, a step begins the second result of a pair and the first of the next: step 1 has rows 1 and 2, and row 0 from before.
    let up = SHAPES[0].by_steps(&weights(4));
    assert_eq!(up[..8], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(up[8..16], [11.0, 0.0, 0.0, 0.0, 21.0, 2.0, 0.0, 0.0]);
    // Down, a step takes two rows: in step 1 the first two weights of row 1, and the next two of row 0.
    let down = SHAPES[2].by_steps(&weights(8));
    assert_eq!(down[8..16], [11.0, 12.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
}
