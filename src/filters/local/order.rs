//! The middle one of several values, by minima and maxima alone.

use super::Lanes;

/// The middle one of three.
#[inline(always)]
pub fn middle_of_three<V: Lanes>(a: V, b: V, c: V) -> V {
    a.min(b).max(a.max(b).min(c))
}

/// The middle one of the `2·ROOM − 3` values that `at` gives.
///
/// Of `ROOM` of them neither the smallest nor the largest is the middle one of all: they make room for the next.
#[inline(always)]
pub fn middle_of<V: Lanes, const ROOM: usize>(at: impl Fn(usize) -> V) -> V {
    let mut kept: [V; ROOM] = std::array::from_fn(&at);
    for (next, count) in (ROOM..).zip((3..=ROOM).rev()) {
        put_ends_outside(&mut kept[..count]);
        if count > 3 {
            kept[0] = at(next);
        }
    }
    kept[1]
}

/// Brings the smallest to the beginning and the largest to the end.
#[inline(always)]
fn put_ends_outside<V: Lanes>(values: &mut [V]) {
    let (count, last) = (values.len(), values.len() - 1);
    let mut order = |a: usize, b: usize| (values[a], values[b]) = (values[a].min(values[b]), values[a].max(values[b]));
    (0..count / 2).for_each(|i| order(i, last - i));
    (1..count.div_ceil(2)).for_each(|i| order(0, i));
    (count / 2..last).for_each(|i| order(i, last));
}
