//! The kernels of cuda/colour_walk.cu, for what is usual in planes of even sizes.

use super::Args;
use crate::device::cuda::{CudaDevice, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::colour::tonemap::{CODE_OCTAVES, GAIN_OCTAVES};
use crate::filters::colour::tuning::cuda::WALK_THREADS;

/// Columns of chroma that a warp makes: its first thread makes what the next one's are made of.
const COLUMNS: usize = 31;

/// Bytes of shared memory: 4096 entries of linear light, 256 in each octave of gains and codes, 513 of each of three distances.
const TABLES: u32 = 8 * (4096 + 256 * (GAIN_OCTAVES + CODE_OCTAVES) + 3 + 3 * 513);

/// The kernels, whose warps walk down strips of the picture.
pub struct Walk {
    /// Of samples in the low 10 bits of words.
    ten: Function,
    /// Of words.
    words: Function,
    /// Blocks that the device runs at once.
    blocks: usize,
}

impl Walk {
    /// The kernels, where a block has room for their tables and these are those that they know.
    ///
    /// # Errors
    /// When they cannot be loaded.
    pub fn new(args: &Args, device: &CudaDevice) -> Result<Option<Walk>> {
        let first = |octaves: u32| f32::from_bits((127 - octaves) << 23);
        if (args.gain_first, args.code_first) != (first(GAIN_OCTAVES), first(CODE_OCTAVES)) {
            return Ok(None);
        }
        if device.block_shared() < TABLES as usize {
            return Ok(None);
        }
        let load = |name| device.function("colour_walk", name);
        let (ten, words) = (load("colour_walk_ten")?, load("colour_walk_words")?);
        [&ten, &words].into_iter().try_for_each(|function| function.allow_shared(TABLES))?;
        let at_once = words.resident_blocks(WALK_THREADS, TABLES as usize)?.max(1) as usize;
        Ok(Some(Walk { ten, words, blocks: at_once * device.info().multiprocessors }))
    }

    /// The kernel that takes the planes of `args`, which are of words: luma has to lie in pairs.
    pub fn function(&self, args: &Args) -> Option<&Function> {
        let (src, dst) = (&args.src, &args.dst);
        let (width, height) = src[0].size();
        let in_pairs = width % 2 == 0 && height % 2 == 0 && [src[0], dst[0]].iter().all(|luma| luma.fits_vectors(4));
        let of_ten = src.iter().all(|plane| plane.shift() == 6);
        in_pairs.then_some(if of_ten { &self.ten } else { &self.words })
    }

    /// Its launch for the planes of `args`, which get its tiles.
    pub fn shape(&self, args: &mut Args) -> LaunchConfig {
        let ((width, height), warps) = (args.src[1].size(), WALK_THREADS as usize / 32);
        let (across, tiles) = tiles(width, height, self.blocks * warps);
        (args.across, args.tiles) = (across as u32, tiles as u32);
        let grid = [tiles.div_ceil(warps).min(self.blocks) as u32, 1, 1];
        LaunchConfig { grid, block: [WALK_THREADS, 1, 1], shared: TABLES }
    }
}

/// Tiles side by side, and all of them: about one for each of `warps`. Those below one another have as many rows of chroma as makes none
/// of them empty.
fn tiles(width: usize, height: usize, warps: usize) -> (usize, usize) {
    let across = width.div_ceil(COLUMNS);
    let rows = height.div_ceil((warps / across).clamp(1, height));
    (across, across * height.div_ceil(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel divides the rows among the tiles again.
    #[test]
    fn no_tile_is_empty() {
        assert_eq!(tiles(1920, 1080, 4224), (62, 62 * 68));
        assert_eq!(tiles(960, 540, 4224), (31, 31 * 135));
        for (width, height, warps) in (1..700).map(|i| (1 + i * 7 % 90, i, 1 + i * 131 % 4224)) {
            let (across, tiles) = tiles(width, height, warps);
            let down = tiles / across;
            assert!(tiles % across == 0 && tiles <= warps.max(across));
            assert!((down - 1) * height.div_ceil(down) < height, "{width}x{height} for {warps}");
        }
    }
}
