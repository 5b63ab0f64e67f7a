//! Results side by side that are made of nearly the same samples: two of them are weighed in one go.

use crate::filters::resample::taps::Taps;

/// The weights of two results.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Samples from the first one's first to the second one's.
    pub later: usize,
    /// Of each.
    pub weights: [Vec<f32>; 2],
}

impl Pair {
    /// Of two results and their first samples, if more than half of the samples are those of both.
    pub fn new(one: (usize, &[f32]), next: (usize, &[f32])) -> Option<Pair> {
        let (count, later) = (one.1.len(), next.0.checked_sub(one.0)?);
        (2 * later < count).then(|| Pair { later, weights: [one.1.to_vec(), next.1.to_vec()] })
    }

    /// The pair that each result of `taps` is the first of. One whose next two are made of the very same samples is in none, so
    /// that those are a pair.
    pub fn all(taps: &Taps) -> Vec<Option<Pair>> {
        let of = |at: usize| {
            let first = taps.first.get(at..at + 2)?;
            let is_next_alike = first[0] < first[1] && taps.first.get(at + 2) == Some(&first[1]);
            let result = |at: usize| (taps.first[at], taps.weights_of(at));
            if taps.stride > 1 || is_next_alike { None } else { Pair::new(result(at), result(at + 1)) }
        };
        (0..taps.first.len()).map(of).collect()
    }
}
