//! How many decoders a card has: libav does not ask.

use super::nvcuvid::NAME;
use crate::device::cuda::{CudaDevice, KeptContext};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{c_int, c_uchar, c_uint, c_ushort};

/// `CUVIDDECODECAPS` of the Video Codec SDK 11 and later. Earlier drivers leave the number of engines at 0.
#[repr(C)]
#[derive(Default)]
struct Caps {
    codec: c_uint,
    chroma: c_uint,
    bits_over_8: c_uint,
    reserved: [c_uint; 3],
    is_supported: c_uchar,
    engines: c_uchar,
    formats: c_ushort,
    largest: [c_uint; 3],
    smallest: [c_ushort; 2],
    histogram: [c_uchar; 2],
    histogram_bins: c_ushort,
    reserved_too: [c_uint; 10],
}

/// `cudaVideoCodec_H264` and `cudaVideoChromaFormat_420`: what every card decodes.
const H264: c_uint = 4;
const YUV420: c_uint = 1;

type GetCaps = unsafe extern "C" fn(*mut Caps) -> c_int;

/// How many engines of `device` decode H.264; `None` where its driver does not say.
pub fn nvdec_engines(device: &CudaDevice) -> Option<usize> {
    let _kept = KeptContext::new();
    device.enter().ok()?;
    // SAFETY: the driver's library, which every decoder on the card opens anyway.
    let library = unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL) }.ok()?;
    let mut caps = Caps { codec: H264, chroma: YUV420, ..Caps::default() };
    // SAFETY: the function has this type since CUDA 8, fills a structure of this layout in, and asks the current context.
    let code = unsafe { library.get::<GetCaps>(b"cuvidGetDecoderCaps").ok()?(&mut caps) };
    (code == 0 && caps.engines > 0).then_some(caps.engines.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_drivers() {
        // Of a C compiler, for the structure in nvcuvid.h.
        assert_eq!((size_of::<Caps>(), std::mem::offset_of!(Caps, engines)), (88, 25));
        assert_eq!((std::mem::offset_of!(Caps, largest), std::mem::offset_of!(Caps, reserved_too)), (28, 48));
    }
}
