//! Pictures of R, G, B, A in a caller's memory on the device, to a chain's planes and back.

use crate::device::cuda::{CudaDevice, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::{Error, Result};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{PlaneArgs, launch};

/// Threads of a block in x and y: as cuda/rgba.cu.
const BLOCK: [usize; 2] = [32, 8];
/// Samples of a pixel.
const SAMPLES: usize = 4;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RgbaDepth {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Short,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Float,
}

impl RgbaDepth {
    /// Bytes of a sample.
    pub fn bytes(self) -> usize {
        match self {
            RgbaDepth::Byte => 1,
            RgbaDepth::Short | RgbaDepth::Half => 2,
            RgbaDepth::Float => 4,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            RgbaDepth::Byte => "u8",
            RgbaDepth::Short => "u16",
            RgbaDepth::Half => "f16",
            RgbaDepth::Float => "f32",
        }
    }
}

/// A picture on a device, whose rows lie in either order.
#[derive(Clone, Copy, Debug)]
pub struct RgbaImage {
    /// The device's address of the first pixel of the top row.
    pub address: u64,
    /// Bytes from a row to the one below it; negative where rows go from the bottom up.
    pub pitch: i64,
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl RgbaImage {
    /// The lowest address of its memory, and its bytes up to the end of the last row.
    fn span(&self, depth: RgbaDepth) -> (u64, u64) {
        let rows = self.pitch.unsigned_abs().saturating_mul(self.height as u64 - 1);
        let start = if self.pitch < 0 { self.address.saturating_sub(rows) } else { self.address };
        (start, rows.saturating_add((self.width * SAMPLES * depth.bytes()) as u64))
    }

    /// Refuses memory that the driver knows cannot hold the picture, which is called `what`.
    ///
    /// # Errors
    /// As [`CudaDevice::check_memory`].
    pub fn check(&self, device: &CudaDevice, depth: RgbaDepth, what: &str) -> Result<()> {
        let (start, bytes) = self.span(depth);
        device.check_memory(start, bytes, what)
    }

    fn args(&self, depth: RgbaDepth) -> ImageArgs {
        let pixel = (SAMPLES * depth.bytes()) as u64;
        let is_aligned = self.address.is_multiple_of(pixel) && self.pitch.unsigned_abs().is_multiple_of(pixel);
        ImageArgs { data: self.address, pitch: self.pitch, aligned: is_aligned.into(), unused: 0 }
    }
}

/// How 16-bit values stand for numbers: (value - zero) / gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberScale {
    /// 16-bit steps from 0 to 1.
    pub gain: f32,
    /// The 16-bit value of 0.
    pub zero: f32,
}

/// What becomes of samples before the chain and after it.
#[derive(Clone, Copy, Debug)]
pub struct RgbaConversion {
    /// How pictures are stored.
    pub depth: RgbaDepth,
    /// The chain has the samples themselves, and what follows means nothing.
    pub codes: bool,
    /// The chain has Y, Cb, Cr of BT.709.
    pub ycbcr: bool,
    /// Filters see colours through the curve of sRGB.
    pub linear: bool,
    /// Results are their sources plus the difference that filters made.
    pub carries: bool,
    /// Colours are multiplied by alpha.
    pub premultiplied: bool,
    /// Of the pictures that the chain gets.
    pub source: [NumberScale; 3],
    /// Of those that it makes.
    pub result: [NumberScale; 3],
}

/// A part of the target, and where it lies in the source.
#[derive(Clone, Copy, Debug)]
pub struct RgbaWindow {
    /// The part, as an image of its own.
    pub image: RgbaImage,
    /// Its first column and its top row in the source. What the source has no pixels for becomes 0.
    pub left: i32,
    /// See `left`.
    pub top: i32,
}

device_struct! {
    /// An image as the kernels see it.
    struct ImageArgs = "RgbaImage" {
        /// The first pixel of the top row.
        data: u64 = "u8*",
        /// Bytes from a row to the one below it.
        pitch: i64,
        /// Whether every pixel lies at a multiple of its size.
        aligned: u32,
        unused: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Rgba" {
        source: ImageArgs,
        /// The part of the target.
        target: ImageArgs,
        /// The picture that the chain gets.
        before: [PlaneArgs; 3],
        /// The one that it made.
        after: [PlaneArgs; 3],
        gain: [f32; 3],
        zero: [f32; 3],
        made_gain: [f32; 3],
        made_zero: [f32; 3],
        /// Of the target.
        width: u32,
        height: u32,
        /// Where the target lies in the source.
        left: i32,
        top: i32,
        codes: u32,
        ycbcr: u32,
        linear: u32,
        carries: u32,
        premultiplied: u32,
        unused: u32,
    }
}

generated! {
    "rgba.cuh" after ["../common/plane.cuh"]: ImageArgs, Args;
}

/// The kernels of a depth.
pub struct RgbaKernels {
    depth: RgbaDepth,
    enter: Function,
    leave: Function,
}

impl RgbaKernels {
    /// # Errors
    /// When they cannot be loaded.
    pub fn new(depth: RgbaDepth, device: &CudaDevice) -> Result<RgbaKernels> {
        let function = |way| device.function("rgba", &format!("rgba_{way}_{}", depth.suffix()));
        Ok(RgbaKernels { depth, enter: function("in")?, leave: function("out")? })
    }

    /// The depth that they are for.
    pub fn depth(&self) -> RgbaDepth {
        self.depth
    }

    /// Puts the conversion of `image` to the chain's picture `to` into `stream`.
    ///
    /// # Errors
    /// When a plane is too large, or the launch is refused.
    ///
    /// # Safety
    /// Both must be memory of the device until the work is done, the image of this depth; nobody else may write to it, or use
    /// `to`, meanwhile.
    pub unsafe fn enter(
        &self,
        conversion: &RgbaConversion,
        image: &RgbaImage,
        to: &DevicePlanes,
        stream: &Stream,
    ) -> Result<()> {
        let args = Args { before: planes(to)?, ..args(conversion, image) };
        // SAFETY: `Args` is the kernel's parameter; by the caller the image and the planes have the sizes that they state.
        unsafe { launch(&self.enter, shape(image.width, image.height), &args, stream) }
    }

    /// Puts the conversion of the chain's result `after` into `stream`; `before` is what the chain got of `image`.
    ///
    /// # Errors
    /// As [`RgbaKernels::enter`].
    ///
    /// # Safety
    /// As there, and the window lies where nobody else reads or writes.
    pub unsafe fn leave(
        &self,
        conversion: &RgbaConversion,
        image: &RgbaImage,
        [before, after]: [&DevicePlanes; 2],
        window: &RgbaWindow,
        stream: &Stream,
    ) -> Result<()> {
        let RgbaWindow { image: target, left, top } = *window;
        if target.width == 0 || target.height == 0 {
            return Ok(());
        }
        let args = Args {
            before: planes(before)?,
            after: planes(after)?,
            target: target.args(self.depth),
            width: target.width as u32,
            height: target.height as u32,
            left,
            top,
            ..args(conversion, image)
        };
        // SAFETY: as above.
        unsafe { launch(&self.leave, shape(target.width, target.height), &args, stream) }
    }
}

fn shape(width: usize, height: usize) -> LaunchConfig {
    let [across, down] = BLOCK;
    let grid = [width.div_ceil(across) as u32, height.div_ceil(down) as u32, 1];
    LaunchConfig { grid, block: [across as u32, down as u32, 1], shared: 0 }
}

fn planes(planes: &DevicePlanes) -> Result<[PlaneArgs; 3]> {
    let [first, second, third] = &planes[..] else {
        return Err(Error::internal("a chain of RGBA without three planes"));
    };
    Ok([PlaneArgs::new(first)?, PlaneArgs::new(second)?, PlaneArgs::new(third)?])
}

/// What does not depend on the chain's pictures.
fn args(conversion: &RgbaConversion, image: &RgbaImage) -> Args {
    let RgbaConversion { depth, codes, ycbcr, linear, carries, premultiplied, source, result } = *conversion;
    let source_args = image.args(depth);
    Args {
        source: source_args,
        target: source_args,
        before: [PlaneArgs::NONE; 3],
        after: [PlaneArgs::NONE; 3],
        gain: source.map(|scale| scale.gain),
        zero: source.map(|scale| scale.zero),
        // A difference has the steps of the pictures that it is one of.
        made_gain: result.map(|scale| scale.gain),
        made_zero: result.map(|scale| scale.zero),
        width: 0,
        height: 0,
        left: 0,
        top: 0,
        codes: codes.into(),
        ycbcr: ycbcr.into(),
        linear: linear.into(),
        carries: carries.into(),
        premultiplied: premultiplied.into(),
        unused: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_in_either_order_of_rows() {
        let image = |address, pitch| RgbaImage { address, pitch, width: 5, height: 3 };
        assert_eq!(image(1000, 64).span(RgbaDepth::Byte), (1000, 148));
        assert_eq!(image(1128, -64).span(RgbaDepth::Byte), (1000, 148));
        assert_eq!(image(100, -64).span(RgbaDepth::Float), (0, 208));
    }

    #[test]
    fn only_whole_pixels_are_read_at_once() {
        let is_aligned = |address, pitch, depth| RgbaImage { address, pitch, width: 1, height: 1 }.args(depth).aligned;
        assert_eq!(is_aligned(64, -32, RgbaDepth::Float), 1);
        assert_eq!(is_aligned(68, 32, RgbaDepth::Float), 0);
        assert_eq!(is_aligned(64, 36, RgbaDepth::Float), 0);
        assert_eq!(is_aligned(68, 36, RgbaDepth::Byte), 1);
    }
}
