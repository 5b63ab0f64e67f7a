//! Parts of rows, from any storage to lanes of 16 bits and back, written so that the compiler vectorises them.
//!
//! A lane is v16, or a YC48 sample with its sign bit flipped, which keeps order, differences and means.

use super::lanes::LaneValue;
use crate::video::{PlaneMut, PlaneRef, SampleLayout, SampleType};
use std::ops::Range;

/// Turns YC48 into lanes and back.
pub const SIGN: u16 = 0x8000;

/// The lanes of row `y` from column `x` on, as many as `out` holds.
#[inline(always)]
pub fn widen(src: &PlaneRef<'_>, x: usize, y: usize, out: &mut [u16]) {
    assert!(y < src.height() && x + out.len() <= src.width(), "part of row {y} is outside the plane");
    let SampleLayout { sample, step, shift, .. } = src.layout();
    // SAFETY: the row is inside the plane by the assertion.
    let start = unsafe { src.as_ptr().add(y * src.pitch() + x * usize::from(step) * sample.bytes()) };
    // SAFETY: samples `x..x + out.len()` of the row are inside the plane, which is aligned to its samples.
    unsafe {
        match (sample, step) {
            (SampleType::U8, 1) => load::<u8, 1>(start, shift, out),
            (SampleType::U8, _) => load::<u8, 2>(start, shift, out),
            (SampleType::U16, 1) => load::<u16, 1>(start.cast(), shift, out),
            (SampleType::U16, _) => load::<u16, 2>(start.cast(), shift, out),
            (SampleType::I16, _) => load_signed(start.cast(), step, out),
        }
    }
}

/// Stores lanes in row `y` from column `x` on, rounded as [`SampleLayout::narrow`] rounds.
#[inline(always)]
pub fn narrow(dst: &mut PlaneMut<'_>, x: usize, y: usize, values: &[u16]) {
    assert!(y < dst.height() && x + values.len() <= dst.width(), "part of row {y} is outside the plane");
    let (SampleLayout { sample, step, .. }, pitch) = (dst.layout(), dst.pitch());
    let layout = dst.layout();
    // SAFETY: the row is inside the plane by the assertion.
    let start = unsafe { dst.as_mut_ptr().add(y * pitch + x * usize::from(step) * sample.bytes()) };
    // SAFETY: as in `widen`; only this plane's samples are written, never those between them.
    unsafe {
        match (sample, step) {
            (SampleType::U8, 1) => store::<u8, 1>(start, layout, values),
            (SampleType::U8, _) => store::<u8, 2>(start, layout, values),
            (SampleType::U16, 1) => store::<u16, 1>(start.cast(), layout, values),
            (SampleType::U16, _) => store::<u16, 2>(start.cast(), layout, values),
            (SampleType::I16, _) => store_signed(start.cast(), step, values),
        }
    }
}

/// Asks the cache for `len` bytes at `from`, which may be anywhere.
#[inline(always)]
pub fn prefetch(from: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..len).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and no address makes it fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(line).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, len);
}

/// Samples of a row that [`fill`] and [`copy`] take through lanes at a time.
const PART: usize = 256;

/// Stores one lane in `columns` of row `y`.
#[inline(always)]
pub fn fill(dst: &mut PlaneMut<'_>, columns: Range<usize>, y: usize, lane: u16) {
    let lanes = [lane; PART];
    for x in columns.clone().step_by(PART) {
        narrow(dst, x, y, &lanes[..PART.min(columns.end - x)]);
    }
}

/// Copies `rows` of `src` to all of `dst`: as they are stored where both store alike, else widened and narrowed.
pub fn copy(src: &PlaneRef<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>) {
    let alike = src.layout() == dst.layout();
    let SampleLayout { sample, step, .. } = src.layout();
    for (row, y) in rows.enumerate() {
        match (alike, sample, step) {
            (true, SampleType::U8, 1) => dst.row_u8_mut(row).copy_from_slice(src.row_u8(y)),
            (true, SampleType::U16, 1) => dst.row_u16_mut(row).copy_from_slice(src.row_u16(y)),
            (true, ..) => (0..src.width()).for_each(|x| dst.set(x, row, src.get(x, y))),
            (false, ..) => copy_lanes(src, y, dst, row),
        }
    }
}

fn copy_lanes(src: &PlaneRef<'_>, y: usize, dst: &mut PlaneMut<'_>, row: usize) {
    let mut part = [0; PART];
    for x in (0..src.width()).step_by(PART) {
        let part = &mut part[..PART.min(src.width() - x)];
        widen(src, x, y, part);
        narrow(dst, x, row, part);
    }
}

/// Widens every `STEP`th sample.
///
/// # Safety
/// `src` is readable for as many samples as `out` holds, `STEP` apart.
#[inline(always)]
unsafe fn load<T: LaneValue, const STEP: usize>(src: *const T, shift: u8, out: &mut [u16]) {
    for (i, out) in out.iter_mut().enumerate() {
        // SAFETY: by the caller.
        let stored: u16 = unsafe { *src.add(STEP * i) }.into();
        *out = stored << shift;
    }
}

/// Narrows to every `STEP`th sample.
///
/// # Safety
/// `dst` is writable for as many samples as there are values, `STEP` apart.
#[inline(always)]
unsafe fn store<T: LaneValue, const STEP: usize>(dst: *mut T, layout: SampleLayout, values: &[u16]) {
    let drop = 16 - layout.bit_depth;
    let up = drop - layout.shift;
    let half = (1u16 << drop) >> 1;
    for (i, value) in values.iter().enumerate() {
        // Saturating at 65535 keeps the rounded value at the largest code.
        let rounded = value.saturating_add(half) >> drop << up;
        // SAFETY: by the caller.
        unsafe { *dst.add(STEP * i) = T::of(rounded) };
    }
}

/// Reads YC48.
///
/// # Safety
/// `src` is readable for as many samples as `out` holds, `step` apart.
#[inline(always)]
unsafe fn load_signed(src: *const u16, step: u8, out: &mut [u16]) {
    for (i, out) in out.iter_mut().enumerate() {
        // SAFETY: by the caller.
        *out = unsafe { *src.add(usize::from(step) * i) } ^ SIGN;
    }
}

/// Writes YC48.
///
/// # Safety
/// `dst` is writable for as many samples as there are values, `step` apart.
#[inline(always)]
unsafe fn store_signed(dst: *mut u16, step: u8, values: &[u16]) {
    for (i, value) in values.iter().enumerate() {
        // SAFETY: by the caller.
        unsafe { *dst.add(usize::from(step) * i) = value ^ SIGN };
    }
}
