//! A vector of lanes, of any width.
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

/// What a lane holds, and an unsigned sample in memory. Bytes hold values below 256 alone.
pub trait LaneValue: Copy + Default + Ord + Into<u16> {
    /// What holds the low bits of `value`.
    fn of(value: u16) -> Self;
}

impl LaneValue for u16 {
    #[inline(always)]
    fn of(value: u16) -> u16 {
        value
    }
}

impl LaneValue for u8 {
    #[inline(always)]
    fn of(value: u16) -> u8 {
        value as u8
    }
}

/// `N` lanes.
#[derive(Clone, Copy)]
pub struct Pack<L, const N: usize>(pub [L; N]);

#[allow(clippy::needless_range_loop)]
impl<L: LaneValue, const N: usize> Lanes for Pack<L, N> {
    #[inline(always)]
    fn from_fn(value: impl Fn(usize) -> u16) -> Self {
        let mut lanes = [L::default(); N];
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = L::of(value(i));
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> u16 {
        self.0[lane].into()
    }

    #[inline(always)]
    fn join(a: Self, b: Self, c: Self, value: impl Fn(u16, u16, u16) -> u16) -> Self {
        let mut lanes = [L::default(); N];
        for i in 0..N {
            lanes[i] = L::of(value(a.0[i].into(), b.0[i].into(), c.0[i].into()));
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let mut lanes = [L::default(); N];
        for i in 0..N {
            lanes[i] = self.0[i].min(other.0[i]);
        }
        Pack(lanes)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let mut lanes = [L::default(); N];
        for i in 0..N {
            lanes[i] = self.0[i].max(other.0[i]);
        }
        Pack(lanes)
    }
}

/// `value`, of which the compiler does not know what it is. It then knows nothing of how far two vectors lie apart, either: where it
/// does, it puts vectors together from lanes of those that overlap, one by one.
#[inline(always)]
pub fn unknown(value: isize) -> isize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut value = value;
        // SAFETY: there is no instruction.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags)) };
        value
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    value
}
