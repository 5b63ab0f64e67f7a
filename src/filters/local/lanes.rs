//! Samples side by side, and those around them.

/// A vector of values.
pub trait Lanes: Copy {
    /// The value of each lane.
    fn from_fn(value: impl Fn(usize) -> u16) -> Self;

    /// The value of one lane.
    fn get(self, lane: usize) -> u16;

    /// The smaller of two values in each lane.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::from_fn(|lane| self.get(lane).min(other.get(lane)))
    }

    /// The larger.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::from_fn(|lane| self.get(lane).max(other.get(lane)))
    }
}

/// `N` lanes.
#[derive(Clone, Copy)]
pub(super) struct Pack<const N: usize>(pub [u16; N]);

impl<const N: usize> Lanes for Pack<N> {
    #[inline(always)]
    fn from_fn(value: impl Fn(usize) -> u16) -> Self {
        let mut lanes = [0; N];
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = value(i);
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn get(self, lane: usize) -> u16 {
        self.0[lane]
    }
}

/// The samples near a place.
pub trait Near<V> {
    /// The sample of source `source`, `dx` columns to the right and `dy` rows below. Beyond the border the nearest stands
    /// in.
    ///
    /// # Panics
    /// When the filter did not say that it reads so far.
    fn at(&self, source: usize, dx: isize, dy: isize) -> V;

    /// What the filter's table has for a value.
    fn look_up(&self, value: u16) -> u16;
}

/// The samples near places side by side.
pub trait Around<V>: Near<V> {
    /// Those near one of them.
    fn lane(&self, lane: usize) -> impl Near<u16>;
}
