//! Samples of a host's images: bytes, shorts, halves and floats.

/// The largest half.
const LARGEST_HALF: f32 = 65_504.0;

/// A sample.
pub trait Sample: Copy {
    /// Its number: 0 is black, 1 is white. What is no finite number is black, and infinity 1.
    fn number(self) -> f32;

    /// The sample of a number: the nearest.
    fn of(number: f32) -> Self;
}

impl Sample for u8 {
    fn number(self) -> f32 {
        f32::from(self) / 255.0
    }

    fn of(number: f32) -> u8 {
        // The conversion keeps to the range of its type.
        (number * 255.0 + 0.5) as u8
    }
}

impl Sample for u16 {
    fn number(self) -> f32 {
        f32::from(self) / 65535.0
    }

    fn of(number: f32) -> u16 {
        (number * 65535.0 + 0.5) as u16
    }
}

impl Sample for f32 {
    fn number(self) -> f32 {
        match self {
            number if number.is_finite() => number,
            f32::INFINITY => 1.0,
            _ => 0.0,
        }
    }

    fn of(number: f32) -> f32 {
        number
    }
}

/// An IEEE 754 half: a sign, 5 bits of exponent, 10 of fraction.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Half(u16);

impl Sample for Half {
    fn number(self) -> f32 {
        let sign = if self.0 & 0x8000 == 0 { 1.0 } else { -1.0 };
        let (exponent, fraction) = (self.0 >> 10 & 0x1f, self.0 & 0x3ff);
        let number = match (exponent, fraction) {
            // Steps of 2⁻²⁴.
            (0, _) => f32::from(fraction) / 16_777_216.0,
            (0x1f, 0) => f32::INFINITY,
            (0x1f, _) => f32::NAN,
            _ => f32::from_bits(u32::from(exponent + 112) << 23 | u32::from(fraction) << 13),
        };
        (sign * number).number()
    }

    fn of(number: f32) -> Half {
        let number = number.clamp(-LARGEST_HALF, LARGEST_HALF);
        let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
        let size = number.abs();
        // 2⁻¹⁴: below it halves have the step of the smallest, and a sum with this float rounds to it.
        if size < f32::from_bits(0x3880_0000) {
            return Half(sign | ((size + 0.5).to_bits() - 0.5f32.to_bits()) as u16);
        }
        // Half to even: what the cut bits and the last kept one say.
        let bits = size.to_bits();
        let rounded = bits + 0xfff + (bits >> 13 & 1);
        Half(sign | ((rounded >> 13) - (112 << 10)) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_go_there_and_back() {
        assert!((0..=u8::MAX).all(|sample| u8::of(sample.number()) == sample));
        assert!((0..=u16::MAX).all(|sample| u16::of(sample.number()) == sample));
        let finite = |bits: &u16| bits >> 10 & 0x1f != 0x1f;
        // Zero has two signs, of which the sum with a difference keeps both.
        assert!((0..=u16::MAX).filter(finite).all(|bits| Half::of(Half(bits).number()) == Half(bits)));
    }

    #[test]
    fn halves_are_ieees() {
        for (bits, number) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (1, 5.960_464_5e-8), (0x7bff, 65504.0)]
        {
            assert_eq!(Half(bits).number(), number);
        }
        // Between two halves the even one is taken: 1 + 2⁻¹¹ and 1 + 3·2⁻¹¹, and 1.5 times the smallest.
        for (number, bits) in
            [(1.000_488_3, 0x3c00), (1.001_464_8, 0x3c02), (8.940_697e-8, 2), (1e9, 0x7bff), (-1e9, 0xfbff)]
        {
            assert_eq!(Half::of(number), Half(bits), "{number}");
        }
    }

    #[test]
    fn what_is_no_number_is_black() {
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(Sample::number), [0.0, 1.0, 0.0]);
        assert_eq!([0x7e00, 0x7c00, 0xfc00].map(|bits| Half(bits).number()), [0.0, 1.0, 0.0]);
        assert_eq!([-0.1, 1.5, f32::NAN].map(u8::of), [0, 255, 0]);
    }
}
