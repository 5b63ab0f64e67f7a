//! Rows of pixels as vectors: the arithmetic of the recipe once more.

use super::cube::look_up;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{MOST_LANES, Portable, Vector};
use crate::device::cpu::CpuLevel;
use crate::filters::colour::gamut::{DARK, Gamut, PACE, PIECES, Soft, THRESHOLD};
use crate::filters::colour::light::{Desaturation, GainBasis, LightSteps};
use crate::filters::colour::recipe::{Recipe, RgbStep};
use crate::filters::colour::table::{Codes, LOW_BITS, Octaves};
use crate::filters::colour::ycbcr::{BITS, Decode, TOP};
use crate::filters::requant::NEUTRAL;

/// What `$value` is for each of three, written out: a closure would be compiled for processors without the instructions.
macro_rules! each {
    ($three:expr, $one:ident => $value:expr) => {{
        let [first, second, third] = $three;
        [
            {
                let $one = first;
                $value
            },
            {
                let $one = second;
                $value
            },
            {
                let $one = third;
                $value
            },
        ]
    }};
}
pub(super) use each;

/// Three rows of samples, a multiple of [`MOST_LANES`] long.
pub(super) type Rows = [Vec<u16>; 3];

/// Turns rows of components, at every place of luma, into rows of R'G'B' as the recipe makes it.
///
/// # Safety
/// The processor has `level`.
pub(super) unsafe fn make(level: CpuLevel, recipe: &Recipe, from: &Rows, to: &mut Rows) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2(recipe: &Recipe, from: &Rows, to: &mut Rows) {
            // SAFETY: the processor has the instructions that this function is compiled for.
            unsafe { row::<Avx2>(recipe, from, to) }
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512(recipe: &Recipe, from: &Rows, to: &mut Rows) {
            // SAFETY: as above.
            unsafe { row::<Avx512>(recipe, from, to) }
        }
        match level {
            CpuLevel::Portable => {}
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => return unsafe { avx2(recipe, from, to) },
            // SAFETY: as above.
            CpuLevel::Avx512 => return unsafe { avx512(recipe, from, to) },
        }
    }
    let _ = level;
    // SAFETY: it needs no instructions that not every processor has.
    unsafe { row::<Portable>(recipe, from, to) }
}

/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn row<V: Vector>(recipe: &Recipe, from: &Rows, to: &mut Rows) {
    let [first, second, third] = from;
    let [red, green, blue] = to;
    let count = first.len();
    assert!(count.is_multiple_of(MOST_LANES) && [second, third].iter().all(|row| row.len() == count));
    assert!([&red, &green, &blue].iter().all(|row| row.len() == count));
    for at in (0..count).step_by(V::LANES) {
        let lanes = at..at + V::LANES;
        // SAFETY: by the caller; codes of R'G'B' are 0 to 65535.
        let made = unsafe {
            let parts = each!([first, second, third], row => V::load(&row[lanes.clone()]));
            let codes = decode::<V>(&recipe.decode, recipe.takes_rgb, parts);
            match &recipe.work {
                RgbStep::Keep => codes,
                RgbStep::Light(light) => apply::<V>(light, codes),
                RgbStep::Cube(cube) => look_up::<V>(cube, codes),
            }
        };
        for (row, ints) in [&mut *red, &mut *green, &mut *blue].into_iter().zip(made) {
            V::store(ints, &mut row[lanes.clone()]);
        }
    }
}

/// R'G'B' of components, in 32 bits: what passes them upwards is above every code.
///
/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn decode<V: Vector>(decode: &Decode, is_rgb: bool, parts: [V::Ints; 3]) -> [V::Ints; 3] {
    // SAFETY: by the caller.
    unsafe {
        let (black, gain) = (V::ints(decode.black), V::ints(decode.gain));
        let half = V::ints(1 << (BITS - 1));
        if is_rgb {
            return each!(parts, part => code::<V>(V::int_add(V::int_mul(V::int_sub(part, black), gain), half)));
        }
        let [y, cb, cr] = parts;
        let y = V::int_add(V::int_mul(V::int_sub(y, black), gain), half);
        // What is left for chroma to add.
        let room = V::int_sub(V::ints(i32::MAX), V::int_max(y, V::ints(0)));
        let (cb, cr) = (V::int_sub(cb, V::ints(NEUTRAL)), V::int_sub(cr, V::ints(NEUTRAL)));
        each!(decode.chroma, weights => {
            let sum = V::int_add(V::int_mul(cb, V::ints(weights[0])), V::int_mul(cr, V::ints(weights[1])));
            code::<V>(V::int_add(V::int_min(sum, room), y))
        })
    }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn code<V: Vector>(sum: V::Ints) -> V::Ints {
    // SAFETY: by the caller.
    unsafe { V::int_min(V::int_max(V::shift_right::<{ BITS as i32 }>(sum), V::ints(0)), V::ints(TOP)) }
}

/// What light makes of codes.
///
/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn apply<V: Vector>(light: &LightSteps, codes: [V::Ints; 3]) -> [V::Ints; 3] {
    // SAFETY: by the caller.
    unsafe {
        let mut rgb = each!(codes, code => linear::<V>(&light.linear, code));
        if let Some(system) = &light.system {
            let gain = octaves(system, weighed(light.luminance, rgb));
            rgb = each!(rgb, c => c.mul(gain));
        }
        if let Some(Desaturation { strength, white }) = light.desaturation {
            let (y, white) = (weighed(light.luminance, rgb), V::splat(white));
            let over = y.sub(white).max(V::splat(0.0)).div(y.max(white)).mul(V::splat(strength));
            rgb = each!(rgb, c => over.mul_add(y.sub(c), c));
        }
        if let Some((measure, gain)) = &light.gain {
            let [r, g, b] = rgb;
            let gains = match measure {
                GainBasis::Max => [octaves(gain, r.max(g).max(b)); 3],
                GainBasis::Luma => [octaves(gain, weighed(light.luminance, rgb)); 3],
                GainBasis::Each => each!(rgb, c => octaves(gain, c)),
            };
            rgb = [r.mul(gains[0]), g.mul(gains[1]), b.mul(gains[2])];
        }
        if let Some(matrix) = &light.matrix {
            rgb = inside(&light.gamut, each!(*matrix, row => weighed(row, rgb)));
        }
        each!(rgb, c => encoded(&light.code, c))
    }
}

/// # Safety
/// As [`decode`]; codes are 0 to 65535.
#[inline(always)]
unsafe fn linear<V: Vector>(table: &Codes, code: V::Ints) -> V {
    let entries = table.entries();
    assert!(entries.len() > 4096);
    // SAFETY: by the caller: a sixteenth of a code, and one more, is inside the table.
    unsafe {
        let at = V::shift_right::<4>(code);
        let part = V::float(V::int_and(code, V::ints(15))).mul(V::splat(1.0 / 16.0));
        let [from, to] = V::look_up(entries, at);
        part.mul_add(to.sub(from), from)
    }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn octaves<V: Vector>(table: &Octaves, light: V) -> V {
    let (entries, first) = (table.entries(), table.first());
    // SAFETY: by the caller; light is brought between the first and 1, whose entry has one behind it.
    unsafe {
        let bits = V::int_sub(light.max(V::splat(first)).min(V::splat(1.0)).bits(), V::ints(first.to_bits() as i32));
        let at = V::shift_right::<{ LOW_BITS as i32 }>(bits);
        let part = V::float(V::int_and(bits, V::ints((1 << LOW_BITS) - 1))).mul(V::splat(1.0 / 32768.0));
        let [from, to] = V::look_up(entries, at);
        part.mul_add(to.sub(from), from)
    }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn encoded<V: Vector>(table: &Octaves, light: V) -> V::Ints {
    // SAFETY: by the caller.
    unsafe {
        let zero = V::splat(0.0);
        let light = light.max(zero).min(V::splat(1.0));
        let code = octaves(table, light).mul_add(V::splat(65535.0), V::splat(0.5));
        light.if_less(V::splat(table.first()), zero, code).truncated()
    }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn weighed<V: Vector>(weights: [f32; 3], [r, g, b]: [V; 3]) -> V {
    // SAFETY: by the caller.
    unsafe { b.mul_add(V::splat(weights[2]), g.mul_add(V::splat(weights[1]), r.mul(V::splat(weights[0])))) }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn inside<V: Vector>(gamut: &Gamut, rgb: [V; 3]) -> [V; 3] {
    let [r, g, b] = rgb;
    let (least, most) = (r.min(g).min(b), r.max(g).max(b));
    // SAFETY: by the caller.
    unsafe {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        match gamut {
            Gamut::Clip => rgb,
            Gamut::Desat(weights) => {
                let y = weighed(*weights, rgb).max(zero).min(one);
                let low = least.if_less(zero, y.div(y.sub(least)), one);
                let high = one.if_less(most, one.sub(y).div(most.sub(y)), one);
                let share = low.min(high);
                each!(rgb, c => share.mul_add(c.sub(y), y))
            }
            Gamut::Soft(soft) => {
                let part = one.div(most.max(V::splat(DARK)));
                each!([0, 1, 2], i => compressed(soft, i, rgb[i], most, part))
            }
        }
    }
}

/// # Safety
/// As [`decode`].
#[inline(always)]
unsafe fn compressed<V: Vector>(soft: &Soft, i: usize, c: V, most: V, part: V) -> V {
    let table = &soft.distances[i][..];
    assert!(table.len() > PIECES + 1);
    // SAFETY: by the caller; places are brought between the first entry and the last but one.
    unsafe {
        let (zero, threshold) = (V::splat(0.0), V::splat(THRESHOLD));
        let distance = most.sub(c).mul(part);
        // Few colours are as far from grey.
        if !threshold.any_less(distance) {
            return c;
        }
        let place = distance.sub(threshold).mul(V::splat(PACE)).min(V::splat(PIECES as f32)).max(zero);
        let at = place.truncated();
        let [from, to] = V::look_up(table, at);
        let shrunk = place.sub(V::float(at)).mul_add(to.sub(from), from);
        threshold.if_less(distance, zero.sub(most).mul_add(shrunk, most), c)
    }
}
