use super::*;
use crate::filters::colour::lut::looks::Look;
use crate::filters::testing::digest;

const BOTH: [NodeInterp; 2] = [NodeInterp::Tetrahedral, NodeInterp::Trilinear];

/// Colours all over, greys and corners among them.
fn colours() -> impl Iterator<Item = [u16; 3]> {
    let mixed = |i: u32| [40_503, 30_011, 52_009].map(|by: u32| (i.wrapping_mul(by) >> (i % 3)) as u16);
    let greys = (0..=u16::MAX).map(|code| [code; 3]);
    let corners = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|part| part * u16::MAX));
    (0..200_000).map(mixed).chain(greys).chain(corners)
}

#[test]
fn the_identity_is_exact() {
    for (edge, between) in [2, 3, 16, 17, 33, 64, 65, 129].into_iter().flat_map(|e| BOTH.map(|between| (e, between))) {
        let cube = Cube::new(&Lut::of(edge, |colour| colour), [false; 2], between);
        assert!(cube.is_identity());
        assert!(colours().step_by(61).all(|codes| cube.apply(codes) == codes), "{edge} {between:?}");
    }
    assert!(!Cube::new(&Look::Warm.lut(), [false; 2], NodeInterp::Trilinear).is_identity());
}

/// What the values of a table give in 64 bits, on the scale of codes.
fn exact(lut: &Lut, between: NodeInterp, codes: [u16; 3]) -> [f64; 3] {
    let cube = lut.cube.as_ref().unwrap();
    let bent = |i: usize, value: f64| lut.curves.as_ref().map_or(value, |curves| curves.at(i, value));
    let along: [f64; 3] =
        std::array::from_fn(|i| cube.domain.place(i, bent(i, f64::from(codes[i]) / 65535.0)) * (cube.edge - 1) as f64);
    let at = along.map(|along| (along as usize).min(cube.edge - 2));
    let part: [f64; 3] = std::array::from_fn(|i| along[i] - at[i] as f64);
    let node = |step: [usize; 3]| {
        let [r, g, b] = std::array::from_fn(|i| at[i] + step[i]);
        cube.values[(b * cube.edge + g) * cube.edge + r].map(|value| f64::from(value).clamp(0.0, 1.0) * 65535.0)
    };
    let mut sum = [0.0; 3];
    let mut add = |step: [usize; 3], weight: f64| (0..3).for_each(|i| sum[i] += weight * node(step)[i]);
    match between {
        NodeInterp::Trilinear => {
            for corner in 0..8 {
                let step = [corner & 1, corner >> 1 & 1, corner >> 2];
                add(step, (0..3).map(|i| if step[i] == 1 { part[i] } else { 1.0 - part[i] }).product());
            }
        }
        NodeInterp::Tetrahedral => {
            let mut order = [0, 1, 2];
            order.sort_by(|a, b| part[*b].total_cmp(&part[*a]));
            let (mut step, mut left) = ([0; 3], 1.0);
            for axis in order {
                add(step, left - part[axis]);
                (step[axis], left) = (1, part[axis]);
            }
            add(step, left);
        }
    }
    sum
}

#[test]
fn colours_are_within_one_code_of_the_exact_ones() {
    let scaled = Lut {
        cube: Look::Warm
            .lut()
            .cube
            .map(|cube| crate::filters::colour::lut::ColourCube { domain: LutDomain::of([-0.3, 2.7]), ..cube }),
        ..Lut::default()
    };
    for (lut, between) in [Look::Warm.lut(), Look::Faded.lut(), scaled].iter().flat_map(|lut| BOTH.map(|b| (lut, b))) {
        let cube = Cube::new(lut, [false; 2], between);
        let off = |codes: [u16; 3]| {
            let (made, exact) = (cube.apply(codes), exact(lut, between, codes));
            (0..3).map(|i| (f64::from(made[i]) - exact[i]).abs()).fold(0.0, f64::max)
        };
        let worst = colours().step_by(59).map(off).fold(0.0, f64::max);
        assert!(worst <= 1.0, "{worst} {between:?}");
    }
}

#[test]
fn curves_alone_are_within_half_a_code() {
    // Values 0, 0.25 and 1. 49152 is 1.500023 steps of 32767.5: 0.25 + 0.75·0.500023 is 40960.5 and a little.
    let curves = Curves { domain: LutDomain::UNIT, values: vec![[0.0; 3], [0.25; 3], [1.0; 3]] };
    let cube = Cube::new(&Lut { curves: Some(curves), ..Lut::default() }, [false; 2], NodeInterp::Tetrahedral);
    assert_eq!(cube.apply([16384, 49152, 65535]), [8192, 40961, 65535]);
}

/// The table of limited range that changes nothing there changes nothing of R'G'B' either.
#[test]
fn limited_range_begins_at_64() {
    let cube = Cube::new(&Lut::of(33, |colour| colour), [true; 2], NodeInterp::Tetrahedral);
    let off = |codes: [u16; 3]| (0..3).map(|i| cube.apply(codes)[i].abs_diff(codes[i])).max().unwrap();
    // The nodes that black and white lie behind and before are cut off there.
    assert!(colours().filter(|c| c.iter().all(|code| (2600..63_000).contains(code))).all(|codes| off(codes) <= 1));
    assert_eq!(
        Cube::new(&Lut::of(2, |_| [-0.5, 0.5, 1.5]), [false; 2], NodeInterp::Trilinear).clipped(),
        0,
        "they are cut before"
    );
}

#[test]
fn tables_are_the_same_everywhere() {
    let of = |look: Look| {
        let cube = Cube::new(&look.lut(), [false; 2], NodeInterp::Tetrahedral);
        digest(cube.nodes().iter().copied().chain(cube.places().into_iter().flatten().map(|place| u64::from(*place))))
    };
    assert_eq!(
        [Look::None, Look::Warm, Look::Faded].map(of),
        [14300144785067404077, 14073039761936422451, 8427448726371379475]
    );
}
