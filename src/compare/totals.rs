//! Totals of all pairs of frames.

use crate::compare::difference::{FrameDifference, PlaneDifference};

/// The worst value so far, and the frame that first had it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme<T> {
    /// The value.
    pub value: T,
    /// The frame, as the first stream counts it.
    pub frame: u64,
}

impl<T: Copy + PartialOrd> Extreme<T> {
    fn keep(worst: &mut Option<Extreme<T>>, value: T, frame: u64, is_worse: impl Fn(&T, &T) -> bool) {
        if worst.as_ref().is_none_or(|worst| is_worse(&value, &worst.value)) {
            *worst = Some(Extreme { value, frame });
        }
    }
}

/// Totals of one plane, or of whole frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneTotals {
    mse: f64,
    ssim: f64,
    /// The highest mean squared error of a frame.
    pub worst_mse: Option<Extreme<f64>>,
    /// The lowest similarity of a frame.
    pub worst_ssim: Option<Extreme<f64>>,
    /// The largest difference of a sample.
    pub largest: Option<Extreme<u16>>,
}

impl PlaneTotals {
    fn add(&mut self, frame: u64, mse: f64, ssim: f64, largest: u16) {
        self.mse += mse;
        self.ssim += ssim;
        Extreme::keep(&mut self.worst_mse, mse, frame, |new, old| new > old);
        Extreme::keep(&mut self.worst_ssim, ssim, frame, |new, old| new < old);
        Extreme::keep(&mut self.largest, largest, frame, |new, old| new > old);
    }
}

/// Totals of all pairs of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Pairs.
    pub pairs: u64,
    /// Those with any difference.
    pub different: u64,
    /// Whole frames.
    pub frame: PlaneTotals,
    /// Each plane.
    pub planes: Vec<PlaneTotals>,
}

impl Totals {
    /// Of no pair, of frames of `planes` planes.
    pub fn new(planes: usize) -> Totals {
        let planes = vec![PlaneTotals::default(); planes];
        Totals { pairs: 0, different: 0, frame: PlaneTotals::default(), planes }
    }

    /// Adds the next pair, whose first is frame number `frame`.
    pub fn add(&mut self, frame: u64, difference: &FrameDifference) {
        self.pairs += 1;
        self.different += u64::from(!difference.is_none());
        self.frame.add(frame, difference.mse(), difference.ssim(), difference.largest());
        for (total, plane) in self.planes.iter_mut().zip(&difference.planes) {
            let PlaneDifference { ssim, largest, .. } = *plane;
            total.add(frame, plane.mse(), ssim, largest.map_or(0, |largest| largest.value()));
        }
    }

    /// The mean over the pairs of a plane's (or the frame's) mean squared error.
    pub fn mean_mse(&self, of: &PlaneTotals) -> f64 {
        of.mse / self.pairs as f64
    }

    /// The mean over the pairs of its similarity.
    pub fn mean_ssim(&self, of: &PlaneTotals) -> f64 {
        of.ssim / self.pairs as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Largest;

    #[test]
    fn means_and_worst_ones() {
        let plane = |squared, ssim, b| PlaneDifference {
            samples: 2,
            squared,
            ssim,
            largest: (b > 0).then_some(Largest { x: 0, y: 0, a: 0, b }),
        };
        let mut totals = Totals::new(2);
        let pairs = [
            vec![plane(0, 1.0, 0), plane(0, 1.0, 0)],
            vec![plane(16, 0.5, 4), plane(0, 1.0, 0)],
            vec![plane(16, 0.25, 3), plane(2, 0.5, 1)],
            vec![plane(0, 1.0, 0), plane(0, 1.0, 0)],
        ];
        for (planes, frame) in pairs.into_iter().zip(10..) {
            totals.add(frame, &FrameDifference { planes });
        }
        assert_eq!((totals.pairs, totals.different), (4, 2));
        let luma = &totals.planes[0];
        assert_eq!((totals.mean_mse(luma), totals.mean_ssim(luma)), (4.0, 0.6875));
        assert_eq!(luma.worst_mse, Some(Extreme { value: 8.0, frame: 11 }), "the first of equals");
        assert_eq!(luma.worst_ssim, Some(Extreme { value: 0.25, frame: 12 }));
        assert_eq!(luma.largest, Some(Extreme { value: 4, frame: 11 }));
        assert_eq!((totals.mean_mse(&totals.frame), totals.mean_ssim(&totals.frame)), (2.125, 0.78125));
    }
}
