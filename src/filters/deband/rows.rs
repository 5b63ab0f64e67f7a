//! Rows between a picture's storage and the fast kernel's 16-bit lanes.
//!
//! A lane is unsigned: v16, or YC48 with its sign bit flipped, which keeps order, differences and averages. The
//! components of a group lie side by side there: `P` of them make a pixel.

use super::fetch::contract;
use crate::video::{PlaneMut, PlaneRef, PlanesMut, SampleLayout, SampleType};
use std::array::from_fn;
use std::slice;

/// Turns YC48 into lanes and back.
pub(super) const SIGN: u16 = 0x8000;

/// Reads pixels of the group `src` from (`x`, `y`) on into all of `out`.
///
/// # Safety
/// They must be inside each of the group's `P` components, which must have one layout.
#[inline(always)]
pub(super) unsafe fn load<const P: usize>(src: &[PlaneRef<'_>], x: usize, y: usize, out: &mut [u16]) {
    // SAFETY: as the caller promises; the type is the samples' own.
    unsafe {
        match src[0].layout().sample {
            SampleType::U8 => load_as::<u8, P>(src, x, y, out),
            SampleType::U16 => load_as::<u16, P>(src, x, y, out),
            SampleType::I16 => load_as::<i16, P>(src, x, y, out),
        }
    }
}

/// Writes the first `P` lanes of each of `pixels` to the group `dst`, from (`x`, `y`) on.
///
/// # Safety
/// As [`load`].
#[inline(always)]
pub(super) unsafe fn store<const N: usize, const P: usize>(
    pixels: &[[u16; N]],
    dst: &mut PlanesMut<'_>,
    x: usize,
    y: usize,
) {
    // SAFETY: as the caller promises; the type is the samples' own.
    unsafe {
        match dst.get(0).layout().sample {
            SampleType::U8 => store_as::<u8, N, P>(pixels, dst, x, y),
            SampleType::U16 => store_as::<u16, N, P>(pixels, dst, x, y),
            SampleType::I16 => store_as::<i16, N, P>(pixels, dst, x, y),
        }
    }
}

/// A stored sample.
trait Stored: Copy {
    fn widen(self, layout: SampleLayout) -> u16;
    fn narrow(lane: u16, layout: SampleLayout) -> Self;
}

impl Stored for u8 {
    #[inline(always)]
    fn widen(self, layout: SampleLayout) -> u16 {
        layout.widen(u16::from(self))
    }

    #[inline(always)]
    fn narrow(lane: u16, layout: SampleLayout) -> u8 {
        u16::narrow(lane, layout) as u8
    }
}

impl Stored for u16 {
    #[inline(always)]
    fn widen(self, layout: SampleLayout) -> u16 {
        layout.widen(self)
    }

    /// As [`SampleLayout::narrow`], but in 16 bits: what saturates while it is rounded becomes the largest code.
    #[inline(always)]
    fn narrow(lane: u16, layout: SampleLayout) -> u16 {
        let drop = 16 - layout.bit_depth;
        let half = ((1u32 << drop) >> 1) as u16;
        (lane.saturating_add(half) >> drop) << (drop - layout.shift)
    }
}

impl Stored for i16 {
    #[inline(always)]
    fn widen(self, _: SampleLayout) -> u16 {
        self as u16 ^ SIGN
    }

    #[inline(always)]
    fn narrow(lane: u16, _: SampleLayout) -> i16 {
        (lane ^ SIGN) as i16
    }
}

/// # Safety
/// As [`load`], and the samples must be of type `S`.
#[inline(always)]
unsafe fn load_as<S: Stored, const P: usize>(src: &[PlaneRef<'_>], x: usize, y: usize, out: &mut [u16]) {
    let layout = src[0].layout();
    let step = usize::from(layout.step);
    // SAFETY: the caller keeps (x, y) inside the components.
    let at: [*const S; P] = from_fn(|c| unsafe { sample_at(&src[c], x, y) });
    if interleaved(at, step) {
        // SAFETY: the caller keeps the pixels inside the components, which are neighbours.
        let samples = unsafe { slice::from_raw_parts(at[0], out.len()) };
        for (lane, sample) in out.iter_mut().zip(samples) {
            *lane = sample.widen(layout);
        }
    } else if step == 1 {
        // SAFETY: the caller keeps the pixels inside the components.
        let rows = at.map(|start| unsafe { slice::from_raw_parts(start, out.len() / P) });
        for (x, pixel) in out.as_chunks_mut::<P>().0.iter_mut().enumerate() {
            *pixel = from_fn(|c| rows[c][x].widen(layout));
        }
    } else {
        for (x, pixel) in out.as_chunks_mut::<P>().0.iter_mut().enumerate() {
            // SAFETY: the caller keeps the pixels inside the components.
            *pixel = from_fn(|c| unsafe { at[c].add(x * step).read() }.widen(layout));
        }
    }
}

/// # Safety
/// As [`store`], and the samples must be of type `S`.
#[inline(always)]
unsafe fn store_as<S: Stored, const N: usize, const P: usize>(
    pixels: &[[u16; N]],
    dst: &mut PlanesMut<'_>,
    x: usize,
    y: usize,
) {
    let layout = dst.get(0).layout();
    let step = usize::from(layout.step);
    // SAFETY: the caller keeps (x, y) inside the components.
    let at: [*mut S; P] = from_fn(|c| unsafe { sample_at_mut(dst.get_mut(c), x, y) });
    if !interleaved(at.map(<*mut S>::cast_const), step) {
        for (c, start) in at.into_iter().enumerate() {
            for (x, pixel) in pixels.iter().enumerate() {
                // SAFETY: the caller keeps the pixels inside the components.
                unsafe { start.add(x * step).write(S::narrow(pixel[c], layout)) }
            }
        }
    } else if N == P {
        // SAFETY: the caller keeps the pixels inside the components, which are neighbours and borrowed exclusively.
        let samples = unsafe { slice::from_raw_parts_mut(at[0], P * pixels.len()) };
        for (sample, lane) in samples.iter_mut().zip(pixels.as_flattened()) {
            *sample = S::narrow(*lane, layout);
        }
    } else {
        // SAFETY: as above; only YC48 has more lanes than samples, and its samples are of 16 bits.
        unsafe { contract::<N, P>(pixels, SIGN, at[0].cast()) }
    }
}

/// True when the samples at `at`, `step` from one pixel to the next, are neighbours and all there is of a pixel.
#[inline(always)]
fn interleaved<S, const P: usize>(at: [*const S; P], step: usize) -> bool {
    step == P && (1..P).all(|c| at[c] == at[0].wrapping_add(c))
}

/// # Safety
/// (`x`, `y`) must be inside `plane`, whose samples must be of type `S`.
#[inline(always)]
unsafe fn sample_at<S>(plane: &PlaneRef<'_>, x: usize, y: usize) -> *const S {
    // SAFETY: the sample is inside the plane's memory.
    unsafe { plane.as_ptr().add(y * plane.pitch()).cast::<S>().add(x * usize::from(plane.layout().step)) }
}

/// # Safety
/// As [`sample_at`].
#[inline(always)]
unsafe fn sample_at_mut<S>(plane: &mut PlaneMut<'_>, x: usize, y: usize) -> *mut S {
    let (pitch, step) = (plane.pitch(), usize::from(plane.layout().step));
    // SAFETY: the sample is inside the plane's memory.
    unsafe { plane.as_mut_ptr().add(y * pitch).cast::<S>().add(x * step) }
}
