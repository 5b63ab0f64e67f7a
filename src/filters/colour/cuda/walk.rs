//! The kernel of cuda/colour_walk.cu, for what is usual in planes of 10 bits.

use super::Args;
use crate::device::cuda::{CudaDevice, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::colour::tonemap::{CODE_OCTAVES, GAIN_OCTAVES};
use crate::filters::colour::tuning::cuda::WALK_THREADS;

/// Columns of chroma that a warp makes: its first thread makes what the next one's are made of.
const COLUMNS: usize = 31;

/// Bytes of shared memory: 4096 entries of linear light, 256 in each octave of gains and codes, 513 of each of three distances.
const TABLES: u32 = 8 * (4096 + 256 * (GAIN_OCTAVES + CODE_OCTAVES) + 3 + 3 * 513);

/// The kernel, whose warps walk down strips of the picture.
pub struct Walk {
    pub function: Function,
    /// Blocks that the device runs at once.
    blocks: usize,
}

impl Walk {
    /// The kernel, where a block has room for its tables and these are those that it knows.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub fn new(args: &Args, device: &CudaDevice) -> Result<Option<Walk>> {
        let first = |octaves: u32| f32::from_bits((127 - octaves) << 23);
        if (args.gain_first, args.code_first) != (first(GAIN_OCTAVES), first(CODE_OCTAVES)) {
            return Ok(None);
        }
        let function = device.function("colour_walk", "colour_walk")?;
        if function.allow_shared(TABLES).is_err() {
            return Ok(None);
        }
        let at_once = function.resident_blocks(WALK_THREADS, TABLES as usize)?.max(1) as usize;
        Ok(Some(Walk { function, blocks: at_once * device.info().multiprocessors }))
    }

    /// Whether it takes the planes of `args`: of 10 bits to whatever, all in the low bits of words, and luma in pairs.
    pub fn takes(&self, args: &Args) -> bool {
        let (src, dst) = (&args.src, &args.dst);
        let (width, height) = src[0].size();
        let in_pairs = width % 2 == 0 && height % 2 == 0 && [src[0], dst[0]].iter().all(|luma| luma.fits_vectors(4));
        src.iter().all(|plane| plane.bits_of_words() == Some(10))
            && dst.iter().all(|plane| plane.bits_of_words().is_some())
            && in_pairs
    }

    /// Its launch for the planes of `args`, which get its tiles: about one for each warp.
    pub fn shape(&self, args: &mut Args) -> LaunchConfig {
        let (width, height) = args.src[1].size();
        let (across, warps) = (width.div_ceil(COLUMNS), WALK_THREADS as usize / 32);
        let rows = height.div_ceil((self.blocks * warps / across).clamp(1, height));
        let tiles = across * height.div_ceil(rows);
        (args.across, args.tiles) = (across as u32, tiles as u32);
        let grid = [tiles.div_ceil(warps).min(self.blocks) as u32, 1, 1];
        LaunchConfig { grid, block: [WALK_THREADS, 1, 1], shared: TABLES }
    }
}
