//! Division of integers, which processors have no vectors for, by that of floats.

/// `a / b` rounded down, for `a` of 0 on and `b` of 1 on, where it is below 2^22. Beyond that it is a number near it.
#[inline(always)]
// `clamp` would let through what is no number.
#[allow(clippy::manual_clamp)]
pub fn quotient(a: i32, b: i32) -> i32 {
    // SAFETY: the number is between 0 and the largest float below 2^31.
    let near = unsafe { (a as f32 / b as f32).max(0.0).min(MOST).to_int_unchecked::<i32>() };
    // Three roundings of a 2^24th each leave it less than one away.
    let rest = a.wrapping_sub(near.wrapping_mul(b));
    near + i32::from(rest >= b) - i32::from(rest < 0)
}

/// The largest float below 2^31.
const MOST: f32 = 2_147_483_520.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_whole_numbers() {
        let some = (0..i32::MAX - 40_000_000).step_by(38_873_671).chain([0, 1, 2, i32::MAX - 1, i32::MAX]);
        let divisors = (1..70_000).step_by(37).chain([1, 2, 3, 16_384, 16_777_217, i32::MAX]);
        for (a, b) in some.flat_map(|a| divisors.clone().map(move |b| (a, b))).filter(|(a, b)| a / b < 1 << 22) {
            assert_eq!(quotient(a, b), a / b, "{a} / {b}");
        }
        // About multiples, where the next whole number is near.
        for (n, b) in (1..4_000_000).step_by(4007).flat_map(|n| (1..536).map(move |b| (n, b))) {
            for a in [n * b - 1, n * b, n * b + 1] {
                assert_eq!(quotient(a, b), a / b, "{a} / {b}");
            }
        }
        // Whatever it is, there is one.
        assert!(quotient(i32::MAX, 1) > 2_147_000_000);
    }
}
