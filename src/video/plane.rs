//! Views of one component of a picture, whatever memory it lies in.

use crate::video::SampleType;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// How the samples of a component are stored and how they map to v16.
///
/// v16 is the chain's scale: `v16 = stored << shift` for unsigned samples. YC48 keeps its own signed scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SampleLayout {
    /// Machine type.
    pub sample: SampleType,
    /// Samples from one to its right neighbour: 1 planar, 2 in an nv12 chroma plane, 3 in YC48.
    pub step: u8,
    /// Left shift from the stored value to v16: `16 − bit_depth`, or 0 where the stored bits are at the top (p010).
    pub shift: u8,
    /// Significant bits, which the narrowing store rounds to.
    pub bit_depth: u8,
}

impl SampleLayout {
    /// v16 itself: contiguous 16-bit samples.
    pub const V16: SampleLayout = SampleLayout { sample: SampleType::U16, step: 1, shift: 0, bit_depth: 16 };

    /// Whether a row is bytes, one behind the other.
    pub fn is_bytes(self) -> bool {
        self.sample == SampleType::U8 && self.step == 1
    }

    /// The v16 value of a stored sample.
    #[inline]
    pub fn widen(self, stored: u16) -> u16 {
        stored << self.shift
    }

    /// The stored sample of a v16 value: rounded half up to `bit_depth` bits, kept at or below the largest code.
    #[inline]
    pub fn narrow(self, v16: u16) -> u16 {
        let drop = 16 - u32::from(self.bit_depth);
        let max = (1u32 << self.bit_depth) - 1;
        let rounded = (u32::from(v16) + ((1 << drop) >> 1)) >> drop;
        (rounded.min(max) << (drop - u32::from(self.shift))) as u16
    }
}

/// A read view of one component.
#[derive(Clone, Copy, Debug)]
pub struct PlaneRef<'a> {
    data: *const u8,
    pitch: usize,
    width: usize,
    height: usize,
    layout: SampleLayout,
    _memory: PhantomData<&'a [u8]>,
}

/// A write view of one component. Views of different components, and bands of one view, never share a sample.
#[derive(Debug)]
pub struct PlaneMut<'a> {
    data: *mut u8,
    pitch: usize,
    width: usize,
    height: usize,
    layout: SampleLayout,
    _memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: a PlaneRef is a shared borrow of plain bytes.
unsafe impl Send for PlaneRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for PlaneRef<'_> {}
// SAFETY: a PlaneMut is an exclusive borrow of plain bytes.
unsafe impl Send for PlaneMut<'_> {}
// SAFETY: a shared `&PlaneMut` only reads.
unsafe impl Sync for PlaneMut<'_> {}

/// Bytes a component covers, from its first sample to its last.
fn span(pitch: usize, width: usize, height: usize, layout: SampleLayout) -> usize {
    if width == 0 || height == 0 {
        return 0;
    }
    (height - 1) * pitch + ((width - 1) * usize::from(layout.step) + 1) * layout.sample.bytes()
}

fn check(data: *const u8, pitch: usize, layout: SampleLayout) {
    let align = layout.sample.bytes();
    assert!(data.addr().is_multiple_of(align) && pitch.is_multiple_of(align), "plane is not aligned to its samples");
}

macro_rules! shared_view {
    ($view:ident) => {
        impl<'a> $view<'a> {
            /// Samples in a row.
            pub fn width(&self) -> usize {
                self.width
            }

            /// Rows.
            pub fn height(&self) -> usize {
                self.height
            }

            /// Bytes from one row to the next.
            pub fn pitch(&self) -> usize {
                self.pitch
            }

            /// Samples from one row to the next.
            pub fn stride(&self) -> usize {
                self.pitch / self.layout.sample.bytes()
            }

            /// How samples are stored.
            pub fn layout(&self) -> SampleLayout {
                self.layout
            }

            fn offset(&self, x: usize, y: usize) -> usize {
                assert!(
                    x < self.width && y < self.height,
                    "sample ({x}, {y}) is outside {}x{}",
                    self.width,
                    self.height
                );
                y * self.pitch + x * usize::from(self.layout.step) * self.layout.sample.bytes()
            }

            /// The stored sample at `(x, y)`, sign-extended for YC48.
            pub fn get(&self, x: usize, y: usize) -> i32 {
                let at = self.offset(x, y);
                // SAFETY: `offset` checked the coordinates, and the constructor the memory and its alignment.
                unsafe {
                    let p = self.data.add(at);
                    match self.layout.sample {
                        SampleType::U8 => i32::from(*p),
                        SampleType::U16 => i32::from(*p.cast::<u16>()),
                        SampleType::I16 => i32::from(*p.cast::<i16>()),
                    }
                }
            }

            /// The v16 value at `(x, y)`. For YC48 use [`Self::get`].
            pub fn v16(&self, x: usize, y: usize) -> u16 {
                debug_assert_ne!(self.layout.sample, SampleType::I16);
                self.layout.widen(self.get(x, y) as u16)
            }

            fn row_start<T>(&self, y: usize, sample: SampleType) -> *const T {
                assert!(
                    self.layout.step == 1 && self.layout.sample == sample,
                    "row of another type: {:?}",
                    self.layout
                );
                assert!(y < self.height, "row {y} is outside 0..{}", self.height);
                // SAFETY: `y` is below the height, so the row's first byte is inside the memory.
                unsafe { self.data.add(y * self.pitch).cast() }
            }

            /// Row `y` of a contiguous 8-bit component.
            pub fn row_u8(&self, y: usize) -> &[u8] {
                // SAFETY: `row_start` checked the row and its type; it holds `width` samples.
                unsafe { slice::from_raw_parts(self.row_start(y, SampleType::U8), self.width) }
            }

            /// Row `y` of a contiguous 16-bit component.
            pub fn row_u16(&self, y: usize) -> &[u16] {
                // SAFETY: as in `row_u8`.
                unsafe { slice::from_raw_parts(self.row_start(y, SampleType::U16), self.width) }
            }
        }
    };
}

shared_view!(PlaneRef);
shared_view!(PlaneMut);

impl<'a> PlaneRef<'a> {
    /// A view into `data`, whose first sample is at byte 0.
    ///
    /// # Panics
    /// When `data` is too short for the shape or not aligned to the sample type.
    pub fn new(data: &'a [u8], pitch: usize, width: usize, height: usize, layout: SampleLayout) -> Self {
        assert!(data.len() >= span(pitch, width, height, layout), "plane memory is too short");
        // SAFETY: the slice covers the span and lives for 'a.
        unsafe { Self::from_raw(data.as_ptr(), pitch, width, height, layout) }
    }

    /// A view of raw memory.
    ///
    /// # Safety
    /// `data` must be readable for the whole shape, and not written, for `'a`.
    pub unsafe fn from_raw(data: *const u8, pitch: usize, width: usize, height: usize, layout: SampleLayout) -> Self {
        check(data, pitch, layout);
        Self { data, pitch, width, height, layout, _memory: PhantomData }
    }

    /// Every second row, from row `first` on.
    pub fn every_second(&self, first: usize) -> PlaneRef<'a> {
        let height = self.height.saturating_sub(first).div_ceil(2);
        PlaneRef { data: self.data.wrapping_add(first * self.pitch), pitch: 2 * self.pitch, height, ..*self }
    }

    /// The same samples in another layout, whose samples are as large and as far apart.
    pub(crate) fn with_layout(&self, layout: SampleLayout) -> PlaneRef<'a> {
        assert_eq!((layout.sample, layout.step), (self.layout.sample, self.layout.step));
        PlaneRef { layout, ..*self }
    }

    /// The address of the first sample, for code that gathers.
    pub fn as_ptr(&self) -> *const u8 {
        self.data
    }
}

impl<'a> PlaneMut<'a> {
    /// A view into `data`, whose first sample is at byte 0.
    ///
    /// # Panics
    /// When `data` is too short for the shape or not aligned to the sample type.
    pub fn new(data: &'a mut [u8], pitch: usize, width: usize, height: usize, layout: SampleLayout) -> Self {
        assert!(data.len() >= span(pitch, width, height, layout), "plane memory is too short");
        // SAFETY: the slice covers the span and is borrowed exclusively for 'a.
        unsafe { Self::from_raw(data.as_mut_ptr(), pitch, width, height, layout) }
    }

    /// A view of raw memory.
    ///
    /// # Safety
    /// `data` must be writable for the whole shape for `'a`, and no other view may reach the same samples.
    pub unsafe fn from_raw(data: *mut u8, pitch: usize, width: usize, height: usize, layout: SampleLayout) -> Self {
        check(data, pitch, layout);
        Self { data, pitch, width, height, layout, _memory: PhantomData }
    }

    /// A view of no rows, otherwise like `like`: for a component that nobody is to write.
    pub fn nowhere(like: &PlaneRef<'_>) -> Self {
        let data = std::ptr::NonNull::<u64>::dangling().as_ptr().cast();
        Self { data, pitch: 0, width: like.width, height: 0, layout: like.layout, _memory: PhantomData }
    }

    /// The address of the first sample.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.data
    }

    /// Stores `value` (already in the stored scale) at `(x, y)`.
    pub fn set(&mut self, x: usize, y: usize, value: i32) {
        let at = self.offset(x, y);
        // SAFETY: `offset` checked the coordinates, and the constructor the memory and its alignment.
        unsafe {
            let p = self.data.add(at);
            match self.layout.sample {
                SampleType::U8 => *p = value as u8,
                SampleType::U16 => *p.cast::<u16>() = value as u16,
                SampleType::I16 => *p.cast::<i16>() = value as i16,
            }
        }
    }

    /// Stores a v16 value at `(x, y)`, rounded to the component's depth. For YC48 use [`Self::set`].
    pub fn set_v16(&mut self, x: usize, y: usize, v16: u16) {
        debug_assert_ne!(self.layout.sample, SampleType::I16);
        self.set(x, y, i32::from(self.layout.narrow(v16)));
    }

    /// Row `y` of a contiguous 8-bit component, to write.
    pub fn row_u8_mut(&mut self, y: usize) -> &mut [u8] {
        // SAFETY: `row_start` checked the row and its type; `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.row_start::<u8>(y, SampleType::U8).cast_mut(), self.width) }
    }

    /// Row `y` of a contiguous 16-bit component, to write.
    pub fn row_u16_mut(&mut self, y: usize) -> &mut [u16] {
        // SAFETY: as in `row_u8_mut`.
        unsafe { slice::from_raw_parts_mut(self.row_start::<u16>(y, SampleType::U16).cast_mut(), self.width) }
    }

    /// A view of row `y` alone.
    pub fn one_row(&mut self, y: usize) -> PlaneMut<'_> {
        // SAFETY: `self` is borrowed exclusively as long as the view lives.
        unsafe { self.band(y..y + 1) }
    }

    /// A read view of the same samples.
    pub fn as_ref(&self) -> PlaneRef<'_> {
        // SAFETY: the memory is valid for writes, so for reads; the borrow of `self` keeps writers away.
        unsafe { PlaneRef::from_raw(self.data, self.pitch, self.width, self.height, self.layout) }
    }

    /// Every second row, from row `first` on.
    pub fn every_second(self, first: usize) -> PlaneMut<'a> {
        let height = self.height.saturating_sub(first).div_ceil(2);
        PlaneMut { data: self.data.wrapping_add(first * self.pitch), pitch: 2 * self.pitch, height, ..self }
    }

    /// The same samples in another layout, whose samples are as large and as far apart.
    pub(crate) fn with_layout(&mut self, layout: SampleLayout) -> PlaneMut<'_> {
        assert_eq!((layout.sample, layout.step), (self.layout.sample, self.layout.step));
        PlaneMut { layout, ..*self }
    }

    /// The same view for a shorter time.
    pub fn reborrow(&mut self) -> PlaneMut<'_> {
        PlaneMut { ..*self }
    }

    /// A view of `rows`, while other threads hold views of other rows.
    ///
    /// # Safety
    /// Bands that are alive at the same time must not overlap, and nothing else may write through `self` meanwhile.
    pub unsafe fn band(&self, rows: Range<usize>) -> PlaneMut<'_> {
        assert!(rows.start <= rows.end && rows.end <= self.height, "band {rows:?} is outside 0..{}", self.height);
        // SAFETY: the caller keeps bands apart; the rows are inside the plane. An empty band at the very end is
        // never dereferenced, and `wrapping_add` keeps forming its address defined.
        PlaneMut { data: self.data.wrapping_add(rows.start * self.pitch), height: rows.len(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_rounds_half_up_and_saturates() {
        let eight = SampleLayout { sample: SampleType::U8, step: 1, shift: 8, bit_depth: 8 };
        // 127 is just under half a step of 256, 128 is the half, 65535 would round to 256.
        assert_eq!([127, 128, 65407, 65408, 65535].map(|v| eight.narrow(v)), [0, 1, 255, 255, 255]);
        let p010 = SampleLayout { sample: SampleType::U16, step: 2, shift: 0, bit_depth: 10 };
        // 10 significant bits at the top: 31 rounds to 0, 32 to one step of 64.
        assert_eq!([31, 32, 65535].map(|v| p010.narrow(v)), [0, 64, 1023 << 6]);
        for v in 0..=255 {
            assert_eq!(eight.narrow(eight.widen(v)), v);
        }
    }

    #[test]
    #[should_panic(expected = "too short")]
    fn a_short_slice_is_refused() {
        PlaneRef::new(&[0; 15], 8, 8, 2, SampleLayout { sample: SampleType::U8, step: 1, shift: 8, bit_depth: 8 });
    }

    #[test]
    #[should_panic(expected = "outside")]
    fn reading_outside_is_refused() {
        let bytes = [0; 16];
        PlaneRef::new(&bytes, 8, 8, 2, SampleLayout { sample: SampleType::U8, step: 1, shift: 8, bit_depth: 8 })
            .get(8, 0);
    }
}
