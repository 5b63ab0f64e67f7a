//! The exact ratio between two nominal scales, and the same without a division.

use crate::video::Format;
use std::array::from_fn;

/// v16 of black in limited range at every depth: `16 << (d − 8) << (16 − d)`.
pub const BLACK: i32 = 16 << 8;
/// v16 of neutral chroma.
pub const NEUTRAL: i32 = 128 << 8;
/// v16 from black to white in limited range.
pub const LIMITED_LUMA: i32 = 219 << 8;
/// v16 from the lowest to the highest chroma in limited range.
pub const LIMITED_CHROMA: i32 = 224 << 8;

/// v16 of the highest code value of `bit_depth` bits, which is full range's white and the width of its chroma.
pub fn white(bit_depth: u8) -> i32 {
    0x10000 - (1 << (16 - bit_depth))
}

/// Smallest and largest result of a component, of all values or of limited range alone: in v16, or in YC48's own values, which put
/// limited range at 0..4096 (luma) and ±2048 (chroma).
pub fn bounds(yc48: bool, keep_tv_range: bool, is_chroma: bool) -> (i32, i32) {
    match (yc48, keep_tv_range, is_chroma) {
        (false, false, _) => (0, i32::from(u16::MAX)),
        (false, true, false) => (BLACK, BLACK + LIMITED_LUMA),
        (false, true, true) => (BLACK, BLACK + LIMITED_CHROMA),
        (true, false, _) => (i32::from(i16::MIN), i32::from(i16::MAX)),
        (true, true, false) => (0, 4096),
        (true, true, true) => (-2048, 2048),
    }
}

/// The map `y = (v − from)·num/den + to` from v16 to v16, kept within `0..=top`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// The value that becomes `to`.
    pub from: i32,
    /// What `from` becomes.
    pub to: i32,
    /// The ratio's numerator.
    pub num: i32,
    /// The ratio's denominator.
    pub den: i32,
    /// The largest result, a value that the new depth holds.
    pub top: i32,
}

impl Scaling {
    /// Every value stays, up to `top`.
    pub fn identity(top: i32) -> Scaling {
        Scaling { from: 0, to: 0, num: 1, den: 1, top }
    }

    /// For each component of `format`, `chroma` or the map of all others.
    pub fn of_components(format: Format, others: Scaling, chroma: Scaling) -> [Scaling; 3] {
        from_fn(|component| if format.is_chroma(component) { chroma } else { others })
    }

    /// True when no value up to `top` changes.
    pub fn is_identity(self) -> bool {
        self.num == self.den && self.from == self.to
    }

    /// `floor(2^guard·y)`, kept within `0..=top`, by the definition.
    pub fn exact(self, v: u16, guard: u32) -> i32 {
        let num =
            (i64::from(v) - i64::from(self.from)) * i64::from(self.num) + i64::from(self.to) * i64::from(self.den);
        let floor = (num << guard).div_euclid(i64::from(self.den));
        floor.clamp(0, i64::from(self.top) << guard) as i32
    }
}

/// What [`Scaling::exact`] computes, with a multiplication and a shift.
///
/// `2^guard·y = 2^guard·v + e·v + o`, where `e` and `o` are multiples of `1/den` and `|e|` is below one half. They are
/// rounded to 32 fractional bits, so for `v` below 2^16 the sum `e·v + o` is wrong by at most 2^−17; adding 2^−17
/// makes it wrong by 0 to 2^−16, which is less than `1/den` and so cannot carry it to the next whole number.
///
/// Both are kept in parts of 16 bits, so that products have 32, which vectors multiply at once where 64 are slow: the
/// floor of a sum's upper parts and the floor of its lowest is the floor of all.
#[derive(Clone, Copy, Debug)]
pub struct MulShift {
    /// `e` by its upper and lower 16 bits.
    slope: (i32, u32),
    /// `o` by its whole part, and the upper and lower 16 bits of its fraction.
    offset: (i32, i32, u32),
    guard: u32,
    top: i32,
}

impl MulShift {
    /// The multiplier for `scaling`.
    ///
    /// # Panics
    /// When the ratio is further from one than `guard` leaves room for: 2^−7 for 6, one quarter for 1.
    pub fn new(scaling: Scaling, guard: u32) -> MulShift {
        let [from, to, num, den] = [scaling.from, scaling.to, scaling.num, scaling.den].map(i128::from);
        let rounded = |n: i128| ((n << (33 + guard)) + den).div_euclid(2 * den);
        let slope: i32 = rounded(num - den).try_into().expect("the ratio is near one");
        // Samples times the upper part, and what is added to that, stay in 32 bits.
        assert!(slope.unsigned_abs() < (1 << 31) - (1 << 18), "the ratio is near one");
        let offset = (rounded(to * den - from * num) + (1 << 15)) as i64;
        MulShift {
            slope: (slope >> 16, (slope & 0xffff) as u32),
            offset: ((offset >> 32) as i32, (offset >> 16 & 0xffff) as i32, (offset & 0xffff) as u32),
            guard,
            top: scaling.top << guard,
        }
    }

    /// `e` and `o` in units of 2^−32.
    #[cfg(feature = "cuda")]
    pub fn terms(self) -> (i32, i64) {
        let (whole, high, low) = self.offset;
        let fraction = i64::from(high) << 16 | i64::from(low);
        (self.slope.0 << 16 | self.slope.1 as i32, (i64::from(whole) << 32) + fraction)
    }

    /// `floor(2^guard·y)`, kept within `0..=top`.
    #[inline(always)]
    pub fn apply(self, v: u16) -> i32 {
        let low = (u32::from(v) * self.slope.1 + self.offset.2) >> 16;
        let high = (i32::from(v) * self.slope.0 + self.offset.1 + low as i32) >> 16;
        ((i32::from(v) << self.guard) + high + self.offset.0).clamp(0, self.top)
    }
}
