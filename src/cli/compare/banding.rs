//! `--banding`: how much banding is seen in each video.

use crate::filters::banding;
use crate::params::Call;
use crate::pipeline::Frame;
use crate::video::Value;

/// The filter that measures it, with its defaults, at the end of each chain.
pub fn call() -> Call {
    Call { name: banding::DESCRIPTOR.name.to_owned(), args: Vec::new() }
}

/// The index of a frame whose chain ends in that filter.
pub fn index(frame: &Frame) -> Option<f64> {
    let record = frame.props.records.iter().rfind(|record| record.filter == banding::DESCRIPTOR.name)?;
    match record.get(banding::INDEX) {
        Some(Value::Float(index)) => Some(*index),
        _ => None,
    }
}

/// Totals of the indices of all frames of one video.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandingTotals {
    sum: f64,
    frames: u64,
    /// The highest, and the frame of A that first had it or whose partner did.
    pub highest: Option<(f64, u64)>,
}

impl BandingTotals {
    /// Adds the index of the next pair's frame.
    pub fn add(&mut self, frame: u64, index: f64) {
        self.sum += index;
        self.frames += 1;
        if self.highest.is_none_or(|(highest, _)| index > highest) {
            self.highest = Some((index, frame));
        }
    }

    /// The mean over all frames; 0 of none.
    pub fn mean(&self) -> f64 {
        self.sum / self.frames.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_and_the_first_of_the_highest() {
        let mut banding = BandingTotals::default();
        assert_eq!((banding.mean(), banding.highest), (0.0, None));
        [(3, 0.5), (4, 2.0), (5, 2.0)].into_iter().for_each(|(frame, index)| banding.add(frame, index));
        assert_eq!((banding.mean(), banding.highest), (1.5, Some((2.0, 4))));
    }
}
