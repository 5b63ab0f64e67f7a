//! What is done to one row at a time, a vector of columns at a time.

use super::plan::{Evidence, Pass};
use super::ring::{PARTS, Pairs, STEP, SamplePairs};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{Portable, Vector};

/// The rows of a vector type, each a function of its own compiled with the type's instructions: in one with all the rest,
/// compilers run out of registers.
pub(super) trait RowKernels: Vector {
    /// The evidence of texture in a row.
    ///
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn evidence_row(evidence: &Evidence, source: &[i16], pairs: &Pairs<'_, 6>, out: &mut [i16]);

    /// A row of one pass.
    ///
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn pass_row(pass: &Pass, source: &[i16], plane: &[i16], pairs: &Pairs<'_, 3>, out: &mut [i16]);

    /// A row of the last pass and what it is blended to, in v16.
    ///
    /// # Safety
    /// The processor must have the type's instructions.
    unsafe fn last_row(
        pass: &Pass,
        source: &[i16],
        plane: &[i16],
        pairs: &Pairs<'_, 3>,
        blend: &Blend<'_>,
        out: &mut [u16],
    );
}

macro_rules! rows {
    ($type:ty $(, $features:literal)?) => {
        impl RowKernels for $type {
            $(#[target_feature(enable = $features)])?
            unsafe fn evidence_row(evidence: &Evidence, source: &[i16], pairs: &Pairs<'_, 6>, out: &mut [i16]) {
                // SAFETY: by the caller.
                unsafe { evidence_row::<Self>(evidence, source, pairs, out) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn pass_row(pass: &Pass, source: &[i16], plane: &[i16], pairs: &Pairs<'_, 3>, out: &mut [i16]) {
                // SAFETY: by the caller.
                unsafe { pass_row::<Self>(pass, source, plane, pairs, out) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn last_row(
                pass: &Pass,
                source: &[i16],
                plane: &[i16],
                pairs: &Pairs<'_, 3>,
                blend: &Blend<'_>,
                out: &mut [u16],
            ) {
                // SAFETY: by the caller.
                unsafe { last_row::<Self>(pass, source, plane, pairs, blend, out) }
            }
        }
    };
}

rows!(Portable);
#[cfg(target_arch = "x86_64")]
rows!(Avx2, "avx2");
#[cfg(target_arch = "x86_64")]
rows!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl");

/// Loads `V::WIDTH` lanes from `x` on.
///
/// # Safety
/// The processor must have the instructions of `V`, and `x + V::WIDTH <= lanes.len()`.
#[inline(always)]
unsafe fn load<V: Vector>(lanes: &[i16], x: usize) -> V {
    debug_assert!(x + V::WIDTH <= lanes.len());
    // SAFETY: by the caller.
    unsafe { V::load(lanes.as_ptr().add(x)) }
}

/// Where pairs count.
#[derive(Clone, Copy)]
struct Limits<V> {
    near: V,
    bump: V,
}

/// Adds three pairs to `tally`. Written out, since compilers would leave loops over them as loops.
///
/// # Safety
/// As [`load`], of every row of `pairs`.
#[inline(always)]
unsafe fn add_three<V: Vector, const BUMPS: bool>(
    tally: (V, V),
    centre: V,
    pairs: [[&[i16]; 2]; 3],
    x: usize,
    limits: Limits<V>,
) -> (V, V) {
    let [[a, b], [c, d], [e, f]] = pairs;
    // SAFETY: by the caller.
    let (a, b, c, d, e, f) = unsafe {
        (load::<V>(a, x), load::<V>(b, x), load::<V>(c, x), load::<V>(d, x), load::<V>(e, x), load::<V>(f, x))
    };
    let (a, b) = (a.sub_saturating(centre), b.sub_saturating(centre));
    let (c, d) = (c.sub_saturating(centre), d.sub_saturating(centre));
    let (e, f) = (e.sub_saturating(centre), f.sub_saturating(centre));
    let tally = V::tally::<BUMPS>(tally, (a, b), limits.near, limits.bump);
    let tally = V::tally::<BUMPS>(tally, (c, d), limits.near, limits.bump);
    V::tally::<BUMPS>(tally, (e, f), limits.near, limits.bump)
}

/// Asserts that all rows are as long, and made of whole steps.
#[inline(always)]
fn check<const N: usize>(len: usize, rows: &[&[i16]], pairs: &SamplePairs<'_, N>) {
    assert!(len.is_multiple_of(STEP) && rows.iter().chain(pairs.as_flattened()).all(|row| row.len() == len));
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn evidence_row<V: Vector>(evidence: &Evidence, source: &[i16], pairs: &Pairs<'_, 6>, out: &mut [i16]) {
    // SAFETY: by the caller, and parts are as long as is checked.
    unsafe {
        let (zero, most) = (V::splat(0), V::splat(255));
        let (floor, scale) = (V::splat(evidence.floor as i16), V::splat(evidence.scale as i16));
        let near = V::splat(evidence.near as i16);
        let limits = Limits { near, bump: near };
        for part in 0..PARTS {
            let (columns, pairs) = pairs.part(part);
            let (source, out) = (&source[columns.clone()], &mut out[columns.clone()]);
            check(out.len(), &[source], &pairs);
            let [a, b, c, d, e, f] = pairs;
            for x in (0..out.len()).step_by(V::WIDTH) {
                let centre = load::<V>(source, x);
                let tally = add_three::<V, false>((zero, zero), centre, [a, b, c], x, limits);
                let away = V::share(add_three::<V, false>(tally, centre, [d, e, f], x, limits)).abs();
                away.excess_unsigned(floor).mul(scale).min_unsigned(most).store(out.as_mut_ptr().add(x));
            }
        }
    }
}

/// A pass, ready for vectors.
struct Smooth<V> {
    limits: Limits<V>,
    low: V,
    high: V,
}

impl<V: Vector> Smooth<V> {
    /// # Safety
    /// The processor must have the instructions of `V`.
    #[inline(always)]
    unsafe fn new(pass: &Pass) -> Self {
        // SAFETY: by the caller.
        unsafe {
            let limits = Limits { near: V::splat(pass.near as i16), bump: V::splat(pass.bump as i16) };
            Smooth { limits, low: V::splat(-(pass.limit as i16)), high: V::splat(pass.limit as i16) }
        }
    }

    /// Samples at `x`: the source's, and the pass's when it is moved by `level` too.
    ///
    /// # Safety
    /// As [`load`], of all rows.
    #[inline(always)]
    unsafe fn at(&self, [source, plane]: [&[i16]; 2], pairs: &SamplePairs<'_, 3>, x: usize, level: V) -> (V, V) {
        // SAFETY: by the caller.
        unsafe {
            let (own, centre, zero) = (load::<V>(source, x), load::<V>(plane, x), V::splat(0));
            let delta = V::share(add_three::<V, true>((zero, zero), centre, *pairs, x, self.limits));
            let moved = centre.sub(own).add(delta).add(level);
            (own, own.add_saturating(moved.min(self.high).max(self.low)))
        }
    }
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn pass_row<V: Vector>(pass: &Pass, source: &[i16], plane: &[i16], pairs: &Pairs<'_, 3>, out: &mut [i16]) {
    // SAFETY: by the caller, and parts are as long as is checked.
    unsafe {
        let (smooth, level) = (Smooth::<V>::new(pass), V::splat(0));
        for part in 0..PARTS {
            let (columns, pairs) = pairs.part(part);
            let (rows, out) = ([&source[columns.clone()], &plane[columns.clone()]], &mut out[columns.clone()]);
            check(out.len(), &rows, &pairs);
            for x in (0..out.len()).step_by(V::WIDTH) {
                smooth.at(rows, &pairs, x, level).1.store(out.as_mut_ptr().add(x));
            }
        }
    }
}

/// What the last pass is blended by.
pub(super) struct Blend<'a> {
    pub evidence: &'a Evidence,
    /// Sums of columns of evidence, from three columns before the row on.
    pub columns: &'a [i16],
    /// Of its samples.
    pub level: &'a [i16],
    pub low: u16,
    pub high: u16,
}

/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn last_row<V: Vector>(
    pass: &Pass,
    source: &[i16],
    plane: &[i16],
    pairs: &Pairs<'_, 3>,
    blend: &Blend<'_>,
    out: &mut [u16],
) {
    let Evidence { end, gain, .. } = *blend.evidence;
    // SAFETY: by the caller, and parts are as long as is checked.
    unsafe {
        let sign = V::splat(i16::MIN);
        let (low, high) = (V::splat(blend.low as i16).add(sign), V::splat(blend.high as i16).add(sign));
        // The weight is whole from `most` on; a little more of it still is no overflow.
        let (end, gain, most) = (V::splat(end as i16), V::splat(gain as i16), V::splat((32767 / gain + 1) as i16));
        let whole = V::splat(32767);
        let smooth = Smooth::<V>::new(pass);
        for part in 0..PARTS {
            let (columns, pairs) = pairs.part(part);
            let (rows, out) = ([&source[columns.clone()], &plane[columns.clone()]], &mut out[columns.clone()]);
            let (level, sums) = (&blend.level[columns.clone()], &blend.columns[columns.start..columns.end + 6]);
            check(out.len(), &rows, &pairs);
            for x in (0..out.len()).step_by(V::WIDTH) {
                let (own, smoothed) = smooth.at(rows, &pairs, x, load::<V>(level, x));
                let mut sum = load::<V>(sums, x);
                for i in 1..7 {
                    sum = sum.add(load::<V>(sums, x + i));
                }
                let weight = end.excess_unsigned(sum).min_unsigned(most).mul(gain).min_unsigned(whole);
                let value = own.add(smoothed.sub(own).mul_rounded(weight));
                value.max(low).min(high).add(sign).store(out.as_mut_ptr().add(x).cast());
            }
        }
    }
}
