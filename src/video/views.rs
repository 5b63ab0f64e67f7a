//! Views of a whole picture's components, from the memory planes they lie in.

use crate::video::{Format, PlaneMut, PlaneRef, Planes, PlanesMut, SampleLayout};
use std::ptr::NonNull;

/// First byte and pitch of each memory plane of a picture. There are as many as its format has; what stands behind them
/// means nothing.
pub type MemoryPlanes = [(NonNull<u8>, usize); 3];

/// A component: its first sample, its pitch, its width and height, and how its samples are stored.
type ComponentView = (NonNull<u8>, usize, usize, usize, SampleLayout);

/// Where component `component` of a picture of this format and size lies, whose memory planes (first byte and pitch) are
/// `planes`.
///
/// # Safety
/// The memory plane must hold the component.
unsafe fn component(
    format: Format,
    (width, height): (usize, usize),
    planes: &[(NonNull<u8>, usize)],
    component: usize,
) -> ComponentView {
    let (plane, offset, layout) = format.component_layout(component);
    let (width, height) = format.component_size(component, width, height);
    let (start, pitch) = planes[plane];
    // SAFETY: the caller vouches for the plane, which begins with a sample of each component in it.
    (unsafe { start.add(offset * layout.sample.bytes()) }, pitch, width, height, layout)
}

impl<'a> Planes<'a> {
    /// Read views of a picture of this format and size, whose memory planes (first byte and pitch) are `planes`.
    ///
    /// # Safety
    /// Every plane must be readable for the whole picture, and not written, for `'a`.
    ///
    /// # Panics
    /// When there are fewer planes than the format has, or one is not aligned to its samples.
    pub unsafe fn at(format: Format, width: usize, height: usize, planes: &[(NonNull<u8>, usize)]) -> Planes<'a> {
        let view = |index: usize| {
            // SAFETY: the caller vouches for the planes.
            let (start, pitch, w, h, layout) =
                unsafe { component(format, (width, height), planes, index.min(format.components() - 1)) };
            // SAFETY: as above.
            unsafe { PlaneRef::from_raw(start.as_ptr(), pitch, w, h, layout) }
        };
        Planes::new(&[view(0), view(1), view(2)][..format.components()])
    }

    /// The memory planes of these views of a picture of `format`; `None` when they are not of such a picture, or when
    /// components that share a plane there do not lie together.
    pub fn memory(&self, format: Format) -> Option<MemoryPlanes> {
        let mut memory = [None; 3];
        if self.len() != format.components() {
            return None;
        }
        for (index, view) in self.iter().enumerate() {
            let (plane, offset, layout) = format.component_layout(index);
            let start = view.as_ptr().wrapping_sub(offset * layout.sample.bytes());
            let place = (NonNull::new(start.cast_mut())?, view.pitch());
            if *memory[plane].get_or_insert(place) != place || view.layout() != layout {
                return None;
            }
        }
        Some(memory.map(|place| place.unwrap_or((NonNull::dangling(), 0))))
    }
}

impl<'a> PlanesMut<'a> {
    /// Write views of a picture of this format and size, whose memory planes (first byte and pitch) are `planes`.
    ///
    /// # Safety
    /// Every plane must be writable for the whole picture for `'a`, and nothing else may reach the same samples.
    ///
    /// # Panics
    /// As [`Planes::at`].
    pub unsafe fn at(format: Format, width: usize, height: usize, planes: &[(NonNull<u8>, usize)]) -> PlanesMut<'a> {
        PlanesMut::new((0..format.components()).map(|index| {
            // SAFETY: the caller vouches for the planes.
            let (start, pitch, w, h, layout) = unsafe { component(format, (width, height), planes, index) };
            // SAFETY: as above; components never share a sample.
            unsafe { PlaneMut::from_raw(start.as_ptr(), pitch, w, h, layout) }
        }))
    }

    /// Copies the samples of `src`. Both are views of pictures of `format`.
    ///
    /// # Panics
    /// When they are not, or differ in size.
    pub fn copy_from(&mut self, src: &Planes<'_>, format: Format) {
        let own = self.as_ref();
        let are_alike = |(a, b): (&PlaneRef<'_>, &PlaneRef<'_>)| (a.width(), a.height()) == (b.width(), b.height());
        let alike = src.len() == own.len() && src.iter().zip(own.iter()).all(are_alike);
        assert!(alike, "a copy between pictures of different sizes");
        let from = src.memory(format).expect("the source is a picture of this format");
        let to = self.as_ref().memory(format).expect("the target is a picture of this format");
        let (width, height) = (src[0].width(), src[0].height());
        for (plane, ((from, from_pitch), (to, to_pitch))) in from.into_iter().zip(to).enumerate().take(format.planes())
        {
            let (bytes, rows) = format.plane_size(plane, width, height);
            for y in 0..rows {
                // SAFETY: the views cover these rows of both planes; `self` is borrowed exclusively, so they are apart.
                unsafe {
                    from.add(y * from_pitch).copy_to_nonoverlapping(to.add(y * to_pitch), bytes);
                }
            }
        }
    }

    /// Read views of the same samples.
    pub fn as_ref(&self) -> Planes<'_> {
        let view = |index: usize| self.get(index.min(self.len() - 1)).as_ref();
        Planes::new(&[view(0), view(1), view(2)][..self.len()])
    }
}
