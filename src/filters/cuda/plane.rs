//! What the CUDA kernels of all filters share: a plane as they see it, and structs that both sides lay out alike.

use crate::device::cuda::{DevicePlane, Function, LaunchConfig, Stream};
use crate::error::{Error, Result};
use crate::filters::device_struct::{device_struct, generated};
use crate::video::SampleType;

/// Samples side by side that a thread reads or writes at a time: `CHUNK` of cuda/common/chunk.cuh.
pub(crate) const CHUNK: usize = 8;

device_struct! {
    /// A component in device memory.
    #[derive(Debug)]
    pub(crate) struct PlaneArgs = "Plane" {
        /// The first sample.
        data: u64 = "u8*",
        /// Bytes from one row to the next.
        pitch: u32,
        /// Samples in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// A `Sample`.
        sample: u8,
        /// Samples from one to its right neighbour: 1 planar, 2 in an nv12 chroma plane, 3 in YC48.
        step: u8,
        /// Left shift from the stored value to v16.
        shift: u8,
        /// Significant bits, which a narrowing store rounds to.
        bit_depth: u8,
    }
}

generated! {
    "plane.cuh" after []: PlaneArgs;
}

impl PlaneArgs {
    /// `plane` as kernels see it.
    ///
    /// # Errors
    /// When the plane spans 2^32 bytes or more, which kernels do not count.
    pub(crate) fn new(plane: &DevicePlane) -> Result<PlaneArgs> {
        let spans = plane.pitch.checked_mul(plane.height).and_then(|bytes| u32::try_from(bytes).ok());
        if spans.is_none() {
            let (width, height) = (plane.width, plane.height);
            return Err(Error::unsupported(format!("a plane of {width}x{height} is too large for CUDA kernels")));
        }
        let layout = plane.layout;
        Ok(PlaneArgs {
            data: plane.address,
            pitch: plane.pitch as u32,
            width: plane.width as u32,
            height: plane.height as u32,
            sample: match layout.sample {
                SampleType::U8 => 0,
                SampleType::U16 => 1,
                SampleType::I16 => 2,
            },
            step: layout.step,
            shift: layout.shift,
            bit_depth: layout.bit_depth,
        })
    }

    /// Its width and height.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// Whether samples are words of v16's kind.
    pub(crate) fn is_of_words(&self) -> bool {
        self.sample == 1
    }

    /// Whether samples lie side by side.
    pub(crate) fn is_planar(&self) -> bool {
        self.step == 1
    }

    /// The left shift from stored samples to v16.
    pub(crate) fn shift(&self) -> u8 {
        self.shift
    }

    /// Whether every row may be read and written in vectors of `bytes`.
    pub(crate) fn fits_vectors(&self, bytes: u64) -> bool {
        (self.data | u64::from(self.pitch)).is_multiple_of(bytes)
    }

    /// A plane of no samples, for components that a picture does not have.
    pub(crate) const NONE: PlaneArgs =
        PlaneArgs { data: 0, pitch: 0, width: 0, height: 0, sample: 0, step: 1, shift: 0, bit_depth: 8 };
}

/// Puts `function`, whose only parameter is an `A`, into `stream`.
///
/// # Errors
/// When the launch is refused.
///
/// # Safety
/// As [`Function::launch`].
pub(crate) unsafe fn launch<A: Copy>(
    function: &Function,
    shape: LaunchConfig,
    args: &A,
    stream: &Stream,
) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe { function.launch(shape, &[(&raw const *args).cast()], stream) }
}
