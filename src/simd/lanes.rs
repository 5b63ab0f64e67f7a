//! A vector of 16-bit lanes, of any width.
//!
//! Loops over lanes are plain: a closure that is not inlined would be compiled without the level's instructions.

/// A vector of values.
pub trait Lanes: Copy {
    /// The value of each lane.
    fn from_fn(value: impl Fn(usize) -> u16) -> Self;

    /// The value of one lane.
    fn lane(self, lane: usize) -> u16;

    /// What `value` makes of three values in each lane.
    fn join(a: Self, b: Self, c: Self, value: impl Fn(u16, u16, u16) -> u16) -> Self;

    /// The smaller of two values in each lane.
    fn min(self, other: Self) -> Self;

    /// The larger.
    fn max(self, other: Self) -> Self;
}

/// `N` lanes.
#[derive(Clone, Copy)]
pub struct Pack<const N: usize>(pub [u16; N]);

#[allow(clippy::needless_range_loop)]
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
    fn lane(self, lane: usize) -> u16 {
        self.0[lane]
    }

    #[inline(always)]
    fn join(a: Self, b: Self, c: Self, value: impl Fn(u16, u16, u16) -> u16) -> Self {
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = value(a.0[i], b.0[i], c.0[i]);
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = self.0[i].min(other.0[i]);
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = self.0[i].max(other.0[i]);
        }
        Pack(lanes)
    }
}
