//! Vectors of codes in a table of colours: the arithmetic of [`Cube`] once more.

use super::pixels::each;
use super::simd::Vector;
use crate::filters::colour::cube::{Cube, NodeInterp};

/// The highest code.
const TOP: i32 = 65535;

/// The colours of R'G'B' codes.
///
/// # Safety
/// The processor has the instructions of `V`; codes are 0 to 65535.
#[inline(always)]
pub(super) unsafe fn look_up<V: Vector>(cube: &Cube, codes: [V::Ints; 3]) -> [V::Ints; 3] {
    let edge = cube.edge();
    assert!((2..=256).contains(&edge) && cube.nodes().len() == edge * edge * edge);
    // SAFETY: by the caller.
    unsafe {
        let [red, green, blue] = match cube.places() {
            Some(places) => listed::<V>(places, codes),
            None => each!(codes, code => in_proportion::<V>(edge as i32 - 1, code)),
        };
        let (green_step, blue_step) = (edge as i32, (edge * edge) as i32);
        let row = V::int_add(V::int_mul(blue.node, V::ints(green_step)), green.node);
        let first = V::int_add(V::int_mul(row, V::ints(green_step)), red.node);
        let axes = [(red.part, 1), (green.part, green_step), (blue.part, blue_step)];
        match cube.between() {
            NodeInterp::Tetrahedral => tetrahedral::<V>(cube, first, axes),
            NodeInterp::Trilinear => trilinear::<V>(cube, first, axes),
        }
    }
}

/// Nodes, and how far behind them, in 65535ths.
#[derive(Clone, Copy)]
struct EdgePositions<I> {
    node: I,
    part: I,
}

/// Places as a cube lists them.
///
/// # Safety
/// As [`look_up`].
#[inline(always)]
unsafe fn listed<V: Vector>(places: &[u32], codes: [V::Ints; 3]) -> [EdgePositions<V::Ints>; 3] {
    assert_eq!(places.len(), 3 << 16);
    let [red, green, blue] = codes;
    // SAFETY: by the caller: there is an entry for each code of each component.
    unsafe {
        let offset = [(red, 0), (green, 1 << 16), (blue, 2 << 16)];
        each!(offset, code => {
            let entry = V::words(places, V::int_add(code.0, V::ints(code.1)));
            EdgePositions { node: V::word_shift_right::<16>(entry), part: V::int_and(entry, V::ints(TOP)) }
        })
    }
}

/// Places of codes on an edge of `steps`.
///
/// # Safety
/// As [`look_up`].
#[inline(always)]
unsafe fn in_proportion<V: Vector>(steps: i32, code: V::Ints) -> EdgePositions<V::Ints> {
    // SAFETY: by the caller.
    unsafe {
        let along = V::int_mul(code, V::ints(steps));
        let node = V::int_min(over_top::<V>(along), V::ints(steps - 1));
        EdgePositions { node, part: V::int_sub(along, V::int_mul(node, V::ints(TOP))) }
    }
}

/// `sum / 65535` of 32 bits without a sign, up to 65535² + 32767. With n = 65535·q + r, n + 1 + ⌊n / 65536⌋ is 65536·q and less
/// than 65536 more.
///
/// # Safety
/// As [`look_up`].
#[inline(always)]
unsafe fn over_top<V: Vector>(sum: V::Ints) -> V::Ints {
    // SAFETY: by the caller.
    unsafe {
        let high = V::word_shift_right::<16>(sum);
        V::word_shift_right::<16>(V::int_add(V::int_add(sum, V::ints(1)), high))
    }
}

/// Red, green and blue of nodes.
///
/// # Safety
/// As [`look_up`]; `at` are nodes of the cube.
#[inline(always)]
unsafe fn nodes<V: Vector>(cube: &Cube, at: V::Ints) -> [V::Ints; 3] {
    // SAFETY: by the caller.
    unsafe {
        let [low, blue] = V::halves(cube.nodes(), at);
        [V::int_and(low, V::ints(TOP)), V::word_shift_right::<16>(low), blue]
    }
}

/// Axes are put in order together with their steps: a part in the upper 16 bits, a step, less 1, in the lower. Of axes with the
/// same part any may come first, since what lies between them weighs nothing.
///
/// # Safety
/// As [`look_up`]; `first` are nodes that have others a step of each axis further.
#[inline(always)]
unsafe fn tetrahedral<V: Vector>(cube: &Cube, first: V::Ints, axes: [(V::Ints, i32); 3]) -> [V::Ints; 3] {
    // SAFETY: by the caller.
    unsafe {
        let all = axes[0].1 + axes[1].1 + axes[2].1;
        let [red, green, blue] = each!(axes, axis => V::int_add(V::shift_left::<16>(axis.0), V::ints(axis.1 - 1)));
        let most = V::word_max(V::word_max(red, green), blue);
        let least = V::word_min(V::word_min(red, green), blue);
        let middle = V::int_sub(V::int_sub(V::int_add(V::int_add(red, green), blue), most), least);
        let [high, mid, low] = each!([most, middle, least], key => V::word_shift_right::<16>(key));
        let far = V::int_add(V::int_and(most, V::ints(TOP)), V::ints(1));
        let near = V::int_add(V::int_and(least, V::ints(TOP)), V::ints(1));
        let last = V::int_add(first, V::ints(all));
        let a = nodes::<V>(cube, first);
        let b = nodes::<V>(cube, V::int_add(first, far));
        let c = nodes::<V>(cube, V::int_sub(last, near));
        let d = nodes::<V>(cube, last);
        let weights = [V::int_sub(V::ints(TOP), high), V::int_sub(high, mid), V::int_sub(mid, low)];
        each!([0, 1, 2], i => {
            let from = V::int_add(V::int_mul(a[i], weights[0]), V::int_mul(b[i], weights[1]));
            let to = V::int_add(V::int_mul(c[i], weights[2]), V::int_mul(d[i], low));
            over_top::<V>(V::int_add(V::int_add(from, to), V::ints(TOP / 2)))
        })
    }
}

/// # Safety
/// As [`tetrahedral`].
#[inline(always)]
unsafe fn trilinear<V: Vector>(cube: &Cube, first: V::Ints, axes: [(V::Ints, i32); 3]) -> [V::Ints; 3] {
    // SAFETY: by the caller.
    unsafe {
        let [(near_red, red, r), (near_green, green, g), (near_blue, blue, b)] =
            each!(axes, axis => from_nearest::<V>(axis.0, axis.1));
        let nearest = V::int_add(V::int_add(V::int_add(first, near_red), near_green), near_blue);
        let origin = nodes::<V>(cube, nearest);
        let above = V::int_add(nearest, b);
        let near = between(
            edge::<V>(cube, nearest, r, origin, red),
            edge::<V>(cube, V::int_add(nearest, g), r, origin, red),
            green,
        );
        let far = between(
            edge::<V>(cube, above, r, origin, red),
            edge::<V>(cube, V::int_add(above, g), r, origin, red),
            green,
        );
        let [one, half] = [V::splat(1.0), V::splat(0.5)];
        let made = between(near, far, blue);
        each!([0, 1, 2], i => V::int_add(origin[i], made[i].mul_add(one, half).floored()))
    }
}

/// The nearer end of a step, counted from the node before; how far behind it, as a part of the step; and the step from there.
///
/// # Safety
/// As [`look_up`].
#[inline(always)]
unsafe fn from_nearest<V: Vector>(part: V::Ints, step: i32) -> (V::Ints, V, V::Ints) {
    // SAFETY: by the caller.
    unsafe {
        // 1 behind the middle.
        let past = V::word_shift_right::<15>(part);
        let back = V::int_sub(V::ints(TOP), V::int_add(part, part));
        let part = V::int_add(part, V::int_mul(past, back));
        let moved = V::int_mul(past, V::ints(step));
        let from_there = V::int_sub(V::ints(step), V::int_add(moved, moved));
        (moved, V::float(part).mul(V::splat(1.0 / 65535.0)), from_there)
    }
}

/// How far the colours lie from `origin` that are `part` of `step` from the nodes at `from`.
///
/// # Safety
/// As [`tetrahedral`].
#[inline(always)]
unsafe fn edge<V: Vector>(cube: &Cube, from: V::Ints, step: V::Ints, origin: [V::Ints; 3], part: V) -> [V; 3] {
    // SAFETY: by the caller.
    unsafe {
        let (a, b) = (nodes::<V>(cube, from), nodes::<V>(cube, V::int_add(from, step)));
        let a = each!([0, 1, 2], i => V::float(V::int_sub(a[i], origin[i])));
        let b = each!([0, 1, 2], i => V::float(V::int_sub(b[i], origin[i])));
        between(a, b, part)
    }
}

#[inline(always)]
fn between<V: Vector>(from: [V; 3], to: [V; 3], part: V) -> [V; 3] {
    each!([0, 1, 2], i => part.mul_add(to[i].sub(from[i]), from[i]))
}
