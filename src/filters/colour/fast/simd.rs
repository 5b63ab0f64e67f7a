//! Vectors of 32-bit floats that look up tables: portable, AVX2 and AVX-512. Compilers make scalar loads of look-ups, so they
//! are written out.

/// Lanes of the widest vector.
pub(super) const MOST_LANES: usize = 16;

/// Floats, and integers of as many lanes.
///
/// Values of a type are made only where the processor is known to have its instructions, which is what makes the operations on
/// them safe: [`Vector::splat`], [`Vector::ints`] and [`Vector::load`] are where values begin.
pub(super) trait Vector: Copy {
    type Ints: Copy;
    const LANES: usize;

    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn splat(value: f32) -> Self;
    /// # Safety
    /// As [`Vector::splat`].
    unsafe fn ints(value: i32) -> Self::Ints;
    /// The samples of `from`, as many as there are lanes.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    ///
    /// # Panics
    /// When there are others.
    unsafe fn load(from: &[u16]) -> Self::Ints;
    /// Values from 0 to 65535, to as many samples.
    ///
    /// # Panics
    /// When there are others.
    fn store(ints: Self::Ints, to: &mut [u16]);

    fn int_add(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn int_sub(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn int_mul(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn int_min(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn int_max(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn int_and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Of 32 bits without a sign.
    fn word_min(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// As [`Vector::word_min`].
    fn word_max(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// With the sign's copies from above.
    fn shift_right<const BITS: i32>(a: Self::Ints) -> Self::Ints;
    /// With zeros from above.
    fn word_shift_right<const BITS: i32>(a: Self::Ints) -> Self::Ints;
    fn shift_left<const BITS: i32>(a: Self::Ints) -> Self::Ints;

    fn float(ints: Self::Ints) -> Self;
    /// Towards zero.
    fn truncated(self) -> Self::Ints;
    /// The largest whole number that is not above.
    fn floored(self) -> Self::Ints;
    fn bits(self) -> Self::Ints;
    /// Entries of `table`, and those behind them: they lie side by side, so that one load brings both.
    ///
    /// # Safety
    /// Every index, and the one behind it, is inside.
    unsafe fn look_up(table: &[f32], at: Self::Ints) -> [Self; 2];
    /// Entries of `table`.
    ///
    /// # Safety
    /// Every index is inside.
    unsafe fn words(table: &[u32], at: Self::Ints) -> Self::Ints;
    /// Entries of `table`: their lower halves, and their upper halves.
    ///
    /// # Safety
    /// As [`Vector::words`].
    unsafe fn halves(table: &[u64], at: Self::Ints) -> [Self::Ints; 2];

    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    /// Whether `self < limit` in any lane.
    fn any_less(self, limit: Self) -> bool;
    /// `then` where `self < limit`, `otherwise` elsewhere.
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self;
}

/// Lanes of the portable vector.
const PLAIN: usize = 8;

/// Plain loops.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; PLAIN]);

macro_rules! lanewise {
    (ints { $($int:ident = $by_int:expr;)* } floats { $($float:ident = $by_float:expr;)* }) => {
        $(
            #[inline(always)]
            fn $int(a: [i32; PLAIN], b: [i32; PLAIN]) -> [i32; PLAIN] {
                std::array::from_fn(|i| $by_int(a[i], b[i]))
            }
        )*
        $(
            #[inline(always)]
            fn $float(self, b: Self) -> Self {
                Portable(std::array::from_fn(|i| $by_float(self.0[i], b.0[i])))
            }
        )*
    };
}

impl Vector for Portable {
    type Ints = [i32; PLAIN];
    const LANES: usize = PLAIN;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Portable([value; PLAIN])
    }

    #[inline(always)]
    unsafe fn ints(value: i32) -> [i32; PLAIN] {
        [value; PLAIN]
    }

    #[inline(always)]
    unsafe fn load(from: &[u16]) -> [i32; PLAIN] {
        assert_eq!(from.len(), PLAIN);
        std::array::from_fn(|i| from[i].into())
    }

    #[inline(always)]
    fn store(ints: [i32; PLAIN], to: &mut [u16]) {
        assert_eq!(to.len(), PLAIN);
        to.iter_mut().zip(ints).for_each(|(to, value)| *to = value as u16);
    }

    lanewise! {
        ints {
        int_add = |a: i32, b| a.wrapping_add(b);
        int_sub = |a: i32, b| a.wrapping_sub(b);
        int_mul = |a: i32, b| a.wrapping_mul(b);
        int_min = |a: i32, b| a.min(b);
        int_max = |a: i32, b| a.max(b);
        int_and = |a: i32, b| a & b;
        word_min = |a: i32, b: i32| a.cast_unsigned().min(b.cast_unsigned()).cast_signed();
        word_max = |a: i32, b: i32| a.cast_unsigned().max(b.cast_unsigned()).cast_signed();
        }
        floats {
        sub = |a: f32, b| a - b;
        mul = |a: f32, b| a * b;
        div = |a: f32, b| a / b;
        min = |a: f32, b| a.min(b);
        max = |a: f32, b| a.max(b);
        }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: [i32; PLAIN]) -> [i32; PLAIN] {
        a.map(|a| a >> BITS)
    }

    #[inline(always)]
    fn word_shift_right<const BITS: i32>(a: [i32; PLAIN]) -> [i32; PLAIN] {
        a.map(|a| (a.cast_unsigned() >> BITS).cast_signed())
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(a: [i32; PLAIN]) -> [i32; PLAIN] {
        a.map(|a| a << BITS)
    }

    #[inline(always)]
    fn float(ints: [i32; PLAIN]) -> Self {
        Portable(ints.map(|value| value as f32))
    }

    #[inline(always)]
    fn truncated(self) -> [i32; PLAIN] {
        self.0.map(|value| value as i32)
    }

    #[inline(always)]
    fn floored(self) -> [i32; PLAIN] {
        self.0.map(|value| value.floor() as i32)
    }

    #[inline(always)]
    fn bits(self) -> [i32; PLAIN] {
        self.0.map(|value| value.to_bits().cast_signed())
    }

    #[inline(always)]
    unsafe fn look_up(table: &[f32], at: [i32; PLAIN]) -> [Self; 2] {
        [0, 1].map(|behind| Portable(at.map(|at| table[at as usize + behind])))
    }

    #[inline(always)]
    unsafe fn words(table: &[u32], at: [i32; PLAIN]) -> [i32; PLAIN] {
        at.map(|at| table[at as usize].cast_signed())
    }

    #[inline(always)]
    unsafe fn halves(table: &[u64], at: [i32; PLAIN]) -> [[i32; PLAIN]; 2] {
        let entries = at.map(|at| table[at as usize]);
        [entries.map(|entry| entry as i32), entries.map(|entry| (entry >> 32) as i32)]
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Portable(std::array::from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }

    #[inline(always)]
    fn any_less(self, limit: Self) -> bool {
        (0..PLAIN).any(|i| self.0[i] < limit.0[i])
    }

    #[inline(always)]
    fn if_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        Portable(std::array::from_fn(|i| if self.0[i] < limit.0[i] { then.0[i] } else { otherwise.0[i] }))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86;
