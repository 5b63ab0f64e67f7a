//! Means worked out by hand.

use super::NlmeansParams;
use super::plan::{Offset, Plan};
use super::weights::Weights;
use crate::filters::testing::{digest, gray16, picture, run_inputs, run_window, samples};
use crate::filters::{Setup, chain};
use crate::video::StreamInfo;

#[test]
fn offsets_lie_opposite_each_other() {
    let info = StreamInfo::bare(gray16(), 4, 4);
    let setup = Setup::of(info.clone(), gray16(), info, gray16());
    let params = NlmeansParams { d: 1, a: 1, ..NlmeansParams::default() };
    let offsets: Vec<Offset> = Plan::new(&params, &setup).offsets().collect();
    let place = |i: usize| (offsets[i].frame, offsets[i].x, offsets[i].y);
    assert_eq!(offsets.len(), 26);
    assert_eq!([0, 1, 2, 3].map(place), [(0, 1, 0), (0, -1, 0), (0, -1, 1), (0, 1, -1)]);
    assert_eq!([8, 9].map(place), [(1, -1, -1), (-1, 1, 1)]);
    let default = Plan::new(&NlmeansParams::default(), &setup).offsets().count();
    assert_eq!(default, 2 * 37);
}

/// One sample compared: with h = 2, a difference of 2 codes is x = 1, and of 4 codes x = 4.
#[test]
fn weights_fall_with_differences() {
    let of = |wmode, codes: u32| {
        let params = NlmeansParams { h: 2.0, s: 0, wmode, ..NlmeansParams::default() };
        Weights::new(&params).of((16 * codes) * (16 * codes))
    };
    assert_eq!([0, 2, 4].map(|codes| of(0, codes)), [1.0, libm::exp(-1.0) as f32, libm::exp(-4.0) as f32]);
    assert_eq!((of(0, 6), of(0, 255)), (0.0, 0.0));
    assert_eq!([0, 1, 2].map(|codes| of(1, codes)), [1.0, 0.75, 0.0]);
    assert_eq!([0, 1].map(|codes| of(2, codes)), [1.0, 0.5625]);
    assert_eq!(of(3, 1), libm::pow(0.75, 8.0) as f32);
}

/// Flat frames: each of the 9 samples before has x = 4/4, those after are alike. All of the frame's own are, too.
#[test]
fn frames_are_averaged_by_their_difference() {
    // (9·e^-1·512) / (17 + 9·e^-1 + 1) = 79.5 with one at 512 above.
    let weight = 9.0 * libm::exp(-1.0);
    let expected = 10_000.0 + 512.0 * weight / (18.0 + weight);
    let made = run_window("nlmeans=h=2:d=1:a=1:s=1", &[10_512, 10_000, 10_000]);
    assert_eq!(made, libm::round(expected) as i32);
    // Another scene has no weight.
    assert_eq!(run_window("nlmeans=h=2:d=1:a=1:s=1", &[50_000, 10_000, 0]), 10_000);
}

/// An edge is kept: samples across it have other surroundings.
#[test]
fn edges_stay() {
    let src = [picture(gray16(), 12, 6, |_, x, _| if x < 6 { 10_000 } else { 30_000 })];
    let out = run_inputs("nlmeans=h=4:d=0", &[&src]);
    assert_eq!(samples(&out, 0), samples(&src[0], 0));
}

/// Tiles and bands meet where they meet: a picture of several, at every level.
#[test]
fn tiles_fit_together() {
    let src = [picture(gray16(), 523, 70, |_, x, y| 20_000 + ((x * 7919 + y * 104_729) % 700) as i32)];
    let out = run_inputs("nlmeans=h=3:d=0:a=1:s=2", &[&src]);
    let spread = |values: Vec<i32>| values.iter().max().unwrap() - values.iter().min().unwrap();
    assert!(spread(samples(&out, 0)) < spread(samples(&src[0], 0)));
}

#[test]
fn options_of_others_are_explained() {
    let message = chain("nlmeans=h=2:channels=y").unwrap_err().message().to_owned();
    assert!(message.contains("planes="), "{message}");
}

#[test]
fn weights_are_the_same_on_every_platform() {
    let table = |wmode| {
        let weights = Weights::new(&NlmeansParams { wmode, ..NlmeansParams::default() });
        digest(weights.table.iter().map(|weight| weight.to_bits().into()))
    };
    let of = |step: u32| {
        let weights = Weights::new(&NlmeansParams { h: f64::from(step) / 10.0, ..NlmeansParams::default() });
        [weights.factor.into(), weights.shift.into()]
    };
    assert_eq!(
        ([0, 1, 2, 3].map(table), digest((0..=640).flat_map(of))),
        ([652749129549562129, 5513955067409813305, 8064772817713629877, 3584295803507618883], 17096828760816866166)
    );
}
