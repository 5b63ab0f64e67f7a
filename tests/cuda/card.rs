//! What the card's video decoder does, by the driver's own word.

use crate::clips::Recipe;
use libloading::os::unix::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;
use vramp::device::cuda::CudaDevice;
use vramp::video::Format;

/// `CUVIDDECODECAPS` of nvcuvid.h: the question first, the answer behind it.
#[repr(C)]
#[derive(Default)]
struct Capabilities {
    codec: c_int,
    chroma: c_int,
    bits_above_8: c_uint,
    reserved: [c_uint; 3],
    is_supported: u8,
    decoders: u8,
    output_formats: u16,
    most_width: c_uint,
    most_height: c_uint,
    most_macroblocks: c_uint,
    least_width: u16,
    least_height: u16,
    histogram: [u16; 2],
    reserved_too: [c_uint; 10],
}

/// The driver's number of a codec, `cudaVideoCodec`, by the encoder that a clip is made with.
fn codec(encoder: &str) -> c_int {
    match encoder {
        "mpeg2video" => 1,
        "libx264" => 4,
        "libx265" => 8,
        "libvpx" => 9,
        "libvpx-vp9" => 10,
        "libsvtav1" => 11,
        other => panic!("which codec does {other} write?"),
    }
}

/// Whether the card decodes a clip; else why it does not.
pub fn decodes(device: &Arc<CudaDevice>, recipe: &Recipe) -> Result<(), String> {
    let format: Format = recipe.format.parse().unwrap();
    let chroma = match (format.subsampling_w(), format.subsampling_h()) {
        (1, 1) => 1,
        (1, 0) => 2,
        _ => 3,
    };
    let mut capabilities = Capabilities {
        codec: codec(recipe.encoder),
        chroma,
        bits_above_8: c_uint::from(format.bit_depth() - 8),
        ..Capabilities::default()
    };
    ask(device, &mut capabilities)?;
    let (width, height) = recipe.size;
    let fits = |size: usize, least: u16, most: c_uint| (usize::from(least)..=most as usize).contains(&size);
    match capabilities.is_supported != 0 {
        false => Err(format!("this card does not decode {} from {}", recipe.format, recipe.encoder)),
        true if !fits(width, capabilities.least_width, capabilities.most_width)
            || !fits(height, capabilities.least_height, capabilities.most_height) =>
        {
            Err(format!("this card does not decode {width}x{height} from {}", recipe.encoder))
        }
        true => Ok(()),
    }
}

fn ask(device: &Arc<CudaDevice>, capabilities: &mut Capabilities) -> Result<(), String> {
    type SetCurrent = unsafe extern "C" fn(*mut c_void) -> c_int;
    type GetDecoderCaps = unsafe extern "C" fn(*mut Capabilities) -> c_int;
    // SAFETY: the driver's libraries; the functions have these types since CUDA 8. The context is the device's, and alive.
    unsafe {
        let driver = Library::new("libcuda.so.1").map_err(|e| e.to_string())?;
        let decoder = Library::new("libnvcuvid.so.1").map_err(|e| e.to_string())?;
        let set_current = driver.get::<SetCurrent>(b"cuCtxSetCurrent").map_err(|e| e.to_string())?;
        let get_caps = decoder.get::<GetDecoderCaps>(b"cuvidGetDecoderCaps").map_err(|e| e.to_string())?;
        assert_eq!(set_current(device.as_raw()), 0);
        match get_caps(capabilities) {
            0 => Ok(()),
            code => Err(format!("the driver does not say what the card decodes: error {code}")),
        }
    }
}
