//! Functions of real numbers in stated operations, so that their bits are the same everywhere: `cuda/expr.cu` has them once
//! more.
//!
//! They are worked out in f64 by + − × ÷ in the order that is written, from the series that define them, and rounded to f32
//! once: that is the nearest f32 but for one in some millions.

// ln 2 and π/2 as sums: the first part times a whole number below 2^20 is exact.
const LN2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// 1/n!
const INVERSE_FACTORIALS: [f64; 18] = {
    let (mut inverse, mut factorial, mut n) = ([1.0; 18], 1.0, 1);
    while n < 18 {
        factorial *= n as f64;
        inverse[n] = 1.0 / factorial;
        n += 1;
    }
    inverse
};

/// Beyond it sines have no value.
const FARTHEST: f64 = 1e6;

/// e to the power of `x`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    wide_exp(x.into()) as f32
}

/// The natural logarithm; that of 0 is −∞, and what is below has none.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    wide_log(x.into()) as f32
}

/// `x` to the power of `y`. Anything to the power of 0 is 1; below 0, `x` has powers of whole numbers alone.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let power = wide_exp(f64::from(y) * wide_log(x.abs().into())) as f32;
    let from_even = y - 2.0 * (y * 0.5).floor();
    match () {
        () if y == 0.0 => 1.0,
        () if x < 0.0 && from_even == 1.0 => -power,
        () if x < 0.0 && from_even != 0.0 => f32::NAN,
        () => power,
    }
}

/// The sine of an angle in radians, up to a million of them.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    sine(x.into(), 0.0)
}

/// The cosine, likewise.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    sine(x.into(), 1.0)
}

#[inline(always)]
fn wide_exp(x: f64) -> f64 {
    // Beyond these f32 has 0 and ∞ alone.
    let x = if x < -110.0 { -110.0 } else { x };
    let x = if x > 90.0 { 90.0 } else { x };
    let k = (x * std::f64::consts::LOG2_E + 0.5).floor();
    let r = x - k * LN2[0] - k * LN2[1];
    let mut sum = INVERSE_FACTORIALS[13];
    for n in (0..13).rev() {
        sum = sum * r + INVERSE_FACTORIALS[n];
    }
    sum * f64::from_bits(((k as i32 + 1023) as u64) << 52)
}

#[inline(always)]
fn wide_log(x: f64) -> f64 {
    let bits = x.to_bits();
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    let exponent = (bits >> 52) as i32 - 1023;
    let is_high = mantissa > std::f64::consts::SQRT_2;
    let m = if is_high { mantissa * 0.5 } else { mantissa };
    let e = f64::from(exponent + i32::from(is_high));
    // ln m = 2·artanh s
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut sum = 1.0 / 21.0;
    for n in (0..10).rev() {
        sum = sum * z + 1.0 / f64::from(2 * n + 1);
    }
    let log = e * LN2[0] + (2.0 * s * sum + e * LN2[1]);
    match () {
        () if x > 0.0 && x < f64::INFINITY => log,
        () if x == 0.0 => f64::NEG_INFINITY,
        () if x > 0.0 => x,
        () => f64::NAN,
    }
}

/// The sine of `x` and as many quarter turns.
#[inline(always)]
fn sine(x: f64, quarters: f64) -> f32 {
    let k = (x * std::f64::consts::FRAC_2_PI + 0.5).floor();
    let r = x - k * HALF_PI[0] - k * HALF_PI[1];
    let z = r * r;
    let (mut sine, mut cosine) = (INVERSE_FACTORIALS[17], INVERSE_FACTORIALS[16]);
    for n in (0..8).rev() {
        sine = INVERSE_FACTORIALS[2 * n + 1] - z * sine;
        cosine = INVERSE_FACTORIALS[2 * n] - z * cosine;
    }
    let turn = k + quarters;
    let quarter = turn - 4.0 * (turn * 0.25).floor();
    let is_odd = quarter == 1.0 || quarter == 3.0;
    let value = if is_odd { cosine } else { r * sine };
    let value = if quarter >= 2.0 { -value } else { value };
    if x.abs() <= FARTHEST { value as f32 } else { f32::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f32 over the range, powers of about 1.07 apart.
    fn numbers() -> impl Iterator<Item = f32> {
        let magnitudes = (0..2000).map(|i| libm::pow(1.07, f64::from(i - 1000)) as f32);
        magnitudes.flat_map(|x| [x, -x]).chain([0.0, 1.0, 2.0, 255.0, 1023.0])
    }

    /// `value` is the wanted one, or the f32 next to it.
    fn is_near(value: f32, wanted: f64) -> bool {
        let wanted = wanted as f32;
        value == wanted || (value.is_nan() && wanted.is_nan()) || value.to_bits().abs_diff(wanted.to_bits()) <= 1
    }

    #[test]
    fn they_are_what_they_are_called() {
        for x in numbers() {
            let wide = f64::from(x);
            assert!(is_near(exp(x), libm::exp(wide)), "exp {x}: {}", exp(x));
            assert!(is_near(log(x), libm::log(wide)), "log {x}: {}", log(x));
            for y in [-2.5, -2.0, -1.0, 0.0, 0.45, 1.0, 2.0, 3.0] {
                let wanted = libm::pow(wide, f64::from(y));
                assert!(is_near(pow(x, y), wanted), "{x} to the power of {y}: {} for {wanted}", pow(x, y));
            }
            if wide.abs() <= FARTHEST {
                let error = |value: f32, wanted: f64| (f64::from(value) - wanted).abs();
                assert!(error(sin(x), libm::sin(wide)) < 6e-8, "sin {x}: {}", sin(x));
                assert!(error(cos(x), libm::cos(wide)) < 6e-8, "cos {x}: {}", cos(x));
            }
        }
    }

    #[test]
    fn round_numbers_are_exact() {
        assert_eq!((pow(2.0, 2.0), pow(-3.0, 3.0), pow(4.0, 0.5), pow(0.0, 0.0)), (4.0, -27.0, 2.0, 1.0));
        assert_eq!((exp(0.0), log(1.0), sin(0.0), cos(0.0)), (1.0, 0.0, 0.0, 1.0));
        assert_eq!((log(0.0), pow(0.0, -1.0), exp(1000.0)), (f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY));
        assert!([log(-1.0), pow(-2.0, 0.5), sin(2e6), exp(f32::NAN)].into_iter().all(f32::is_nan));
    }
}
