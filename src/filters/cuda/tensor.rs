//! What kernels on tensor cores share: weights as the fragments of matrices, and how much of a plane a warp takes. The
//! other side is cuda/common/tensor.cuh.

use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function};
use crate::error::Result;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::video::{Format, SampleType};
use std::fmt;

/// The largest radius whose windows two patches of columns and three sixteens of rows hold.
pub(crate) const RADIUS: usize = 16;

/// Rows of a band, columns of a patch, tiles of a patch, and lanes of a warp.
const BAND: usize = 16;
const PATCH: usize = 32;
const TILES: usize = 4;
const LANES: usize = 32;

/// Threads of a block, each warp of which takes a band.
const WARPS: usize = 4;
pub(crate) const THREADS: usize = WARPS * LANES;

/// Blocks that a multiprocessor runs at once, for which the kernels are compiled.
const BLOCKS: usize = 4;

device_struct! {
    /// How warps walk.
    #[derive(Debug)]
    pub(crate) struct WarpWalk = "Walk" {
        /// Of the weights, words of 32 lanes.
        fragments: u64 = "const u32*",
        /// Patches that a warp is to finish.
        steps: u32,
        unused: u32,
    }
}

generated! {
    "tensor.cuh" after ["../common/plane.cuh"]: WarpWalk;
}

/// How far warps walk.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    /// Patches that a warp is to finish.
    count: usize,
    /// Blocks there are at most, over those that the device runs at once.
    waves: f32,
}

impl Steps {
    /// For planes of `sizes`: first one wave, in which every warp is there from the start, and its first patch, which gives nothing,
    /// is one of many; then what tuning may find to be faster.
    pub fn ways(device: &CudaDevice, sizes: &[(usize, usize)]) -> Vec<Steps> {
        let of = |waves: f32| {
            let most = ((device.info().multiprocessors * BLOCKS) as f32 * waves) as usize;
            let blocks = |steps| sizes.iter().map(|size| blocks(*size, steps)).sum::<usize>();
            let count = (1..).find(|steps| blocks(*steps) <= most || across_in(sizes, *steps) == 1);
            Steps { count: count.expect("one strip ends the search"), waves }
        };
        let mut ways = vec![of(1.0)];
        for more in [0.5, 2.0, 4.0].map(of) {
            if ways.iter().all(|way| way.count != more.count) {
                ways.push(more);
            }
        }
        ways
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor-{}-waves", self.waves)
    }
}

/// The matrices of a window's weights on a device, and the walks over planes.
pub(crate) struct Matrices {
    fragments: DeviceBuffer,
    steps: Steps,
}

impl Matrices {
    /// Bytes of the matrices for windows that reach `radius_h` rows up and down, of so many bytes a weight.
    pub fn memory(radius_h: usize, bytes: usize) -> usize {
        let (down, across) = (groups(radius_h) * 2 * LANES, 2 * TILES * 2 * LANES);
        bytes * (down + across) * size_of::<u32>()
    }

    /// The matrices for windows that reach `radius_h` rows up and down. `weights` are bytes of weights by distance, lower
    /// bytes first: from `down` the columns' sums are made, from `across` the rows'.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new<const BYTES: usize>(
        device: &CudaDevice,
        radius_h: usize,
        down: [&dyn Fn(usize) -> u8; BYTES],
        across: [&dyn Fn(usize) -> u8; BYTES],
        steps: Steps,
    ) -> Result<Matrices> {
        let mut words = Vec::new();
        down.iter().for_each(|weight| push_down(&mut words, radius_h, weight));
        across.iter().for_each(|weight| push_across(&mut words, weight));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Matrices { fragments: DeviceBuffer::from_bytes(device, &bytes, "weights")?, steps })
    }

    /// Arguments of the kernels.
    pub fn walk(&self) -> WarpWalk {
        WarpWalk { fragments: self.fragments.address(), steps: self.steps.count as u32, unused: 0 }
    }

    /// The blocks that make `dst` of `src`.
    pub fn cut(&self, src: &DevicePlane, dst: &DevicePlane) -> Cut {
        Cut::new(strips(src.width, self.steps.count), BAND * WARPS, dst)
    }
}

/// The kernel of `module` for windows that reach `radius_h` rows up and down, of pictures stored as `src`.
///
/// # Errors
/// When it cannot be loaded.
pub(crate) fn kernel(device: &CudaDevice, module: &'static str, radius_h: usize, src: Format) -> Result<Function> {
    let sample = if src.sample() == SampleType::U8 { "u8" } else { "u16" };
    device.function(module, &format!("{module}{}_{sample}", groups(radius_h)))
}

/// True when the kernels of `module` take pictures stored as `src`: not YC48, whose samples lie in threes and have signs.
pub(crate) fn serves(device: &CudaDevice, module: &str, src: Format) -> bool {
    device.runs(module) && !src.is_yc48()
}

/// Sixteens of rows around a band that windows of a radius reach.
fn groups(radius_h: usize) -> usize {
    if radius_h <= BAND / 2 { 2 } else { 3 }
}

fn strips(width: usize, steps: usize) -> usize {
    width.div_ceil(PATCH * steps)
}

fn across_in(sizes: &[(usize, usize)], steps: usize) -> usize {
    sizes.iter().map(|size| strips(size.0, steps)).max().unwrap_or(1)
}

fn blocks((width, height): (usize, usize), steps: usize) -> usize {
    strips(width, steps) * height.div_ceil(BAND * WARPS)
}

/// Fragments of the matrix whose row `m` has the weights for the result in row `m` of a band, and whose columns are rows of
/// samples, from the first that a window reaches on.
fn push_down(words: &mut Vec<u32>, radius: usize, weight: &dyn Fn(usize) -> u8) {
    for (group, half) in (0..groups(radius)).flat_map(|group| [(group, 0), (group, 1)]) {
        words.extend((0..LANES).map(|lane| {
            let (result, first) = (lane / 4 + 8 * half + radius, BAND * group + lane % 4 * 4);
            u32::from_le_bytes(std::array::from_fn(|i| weight((first + i).abs_diff(result))))
        }));
    }
}

/// Fragments of the matrices whose rows are columns of two patches, in the order in which lanes hold them, and whose
/// columns are those of the results: every fourth for a tile.
fn push_across(words: &mut Vec<u32>, weight: &dyn Fn(usize) -> u8) {
    for (patch, tile) in (0..2).flat_map(|patch| (0..TILES).map(move |tile| (patch, tile))) {
        for half in 0..2 {
            words.extend((0..LANES).map(|lane| {
                let result = PATCH / 2 + lane / 4 * TILES + tile;
                let first = PATCH * patch + lane % 4 * 8 + 4 * half;
                u32::from_le_bytes(std::array::from_fn(|i| weight((first + i).abs_diff(result))))
            }));
        }
    }
}
