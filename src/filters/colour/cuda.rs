//! The kernels of cuda/colour.cu.

use super::gamut::Gamut;
use super::light::{Light, Measure};
use super::recipe::Recipe;
use super::siting::Site;
use super::table::Octaves;
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel};

/// Threads of a block.
const THREADS: u32 = 512;
/// Columns and rows of luma that a block makes at a time.
const TILE: (usize, usize) = (64, 32);
/// Bytes of shared memory for the tile's R'G'B'.
const MADE: usize = 3 * (TILE.1 + 2) * (TILE.0 / 2 + 1) * 4;

device_struct! {
    /// What the kernels get.
    struct Args = "Colour" {
        src: [PlaneArgs; 3],
        dst: [PlaneArgs; 3],
        /// Tables, null where there are none.
        linear: u64 = "const float*",
        system: u64 = "const float*",
        gain: u64 = "const float*",
        code: u64 = "const float*",
        soft: u64 = "const float*",
        linear_entries: u32,
        gain_entries: u32,
        code_entries: u32,
        /// The least light of tables.
        system_first: f32,
        gain_first: f32,
        code_first: f32,
        luminance: [f32; 3],
        /// Of desaturation, and where white is.
        strength: f32,
        white: f32,
        matrix: [[f32; 3]; 3],
        /// Weights of luminance behind the matrix.
        target: [f32; 3],
        /// Of components that are decoded.
        black: i32,
        light: i32,
        decode: [[i32; 2]; 3],
        /// Of those that are made.
        made_black: i32,
        span: i32,
        luma: [i32; 3],
        chroma: [[i32; 3]; 2],
        takes_rgb: u32,
        gives_rgb: u32,
        has_light: u32,
        /// A `Measure`.
        measure: u32,
        has_matrix: u32,
        /// A `Gamut`.
        gamut: u32,
        /// `Site`s.
        read_across: u32,
        read_down: u32,
        made_across: u32,
        made_down: u32,
        /// Tiles side by side, and all of them.
        across: u32,
        tiles: u32,
    }
}

generated! {
    "colour.cuh" after ["../common/plane.cuh"]: Args;
}

/// The tables of a recipe, one behind the other.
#[derive(Default)]
struct Tables {
    entries: Vec<f32>,
}

impl Tables {
    /// Takes entries, and gives where they begin, in bytes from the first table on.
    fn add<'a>(&mut self, entries: impl IntoIterator<Item = &'a f32>) -> u64 {
        let start = self.entries.len() * size_of::<f32>();
        self.entries.extend(entries);
        start as u64
    }
}

/// Bytes of device memory that the kernel of `recipe` holds.
pub fn memory(recipe: &Recipe) -> usize {
    let mut tables = Tables::default();
    args(recipe, &mut tables, 0);
    bytes(&tables).len()
}

/// A kernel built for one stream.
pub struct Kernel {
    function: Function,
    args: Args,
    shared: usize,
    /// Blocks that the device runs at once.
    blocks: u32,
    /// The tables that `args` points into.
    _tables: DeviceBuffer,
}

impl Kernel {
    /// The kernel of `recipe`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or memory does not suffice.
    pub fn new(recipe: &Recipe, device: &CudaDevice) -> Result<Kernel> {
        let mut tables = Tables::default();
        args(recipe, &mut tables, 0);
        let buffer = DeviceBuffer::from_bytes(device, &bytes(&tables), "colour's tables")?;
        let args = args(recipe, &mut Tables::default(), buffer.address());
        let in_shared = (args.linear_entries + args.gain_entries + args.code_entries) as usize * size_of::<f32>();
        let of_tables = device.function("colour", "colour_shared")?;
        let (function, shared) = match of_tables.allow_shared((MADE + in_shared) as u32) {
            Ok(()) => (of_tables, MADE + in_shared),
            // A device with less of it has tables in its cache.
            Err(_) => (device.function("colour", "colour_cached")?, MADE),
        };
        let at_once = function.resident_blocks(THREADS, shared)?.max(1);
        let blocks = at_once * device.info().multiprocessors as u32;
        Ok(Kernel { function, args, shared, blocks, _tables: buffer })
    }
}

/// Tables as they lie on the device: there is always one.
fn bytes(tables: &Tables) -> Vec<u8> {
    tables.entries.iter().chain(&[0.0]).flat_map(|entry| entry.to_le_bytes()).collect()
}

/// What kernels get, but of planes. Tables are added to `tables`, which begin at `memory`.
fn args(recipe: &Recipe, tables: &mut Tables, memory: u64) -> Args {
    let Recipe { decode, encode, read_at, made_at, .. } = recipe;
    let site = |site: Site| match site {
        Site::Each => 0,
        Site::First => 1,
        Site::Between => 2,
        Site::Second => 3,
    };
    let bare = Args {
        src: [PlaneArgs::NONE; 3],
        dst: [PlaneArgs::NONE; 3],
        linear: 0,
        system: 0,
        gain: 0,
        code: 0,
        soft: 0,
        linear_entries: 0,
        gain_entries: 0,
        code_entries: 0,
        system_first: 1.0,
        gain_first: 1.0,
        code_first: 1.0,
        luminance: [0.0; 3],
        strength: 0.0,
        white: 1.0,
        matrix: [[0.0; 3]; 3],
        target: [0.0; 3],
        black: decode.black,
        light: decode.gain,
        decode: decode.chroma,
        made_black: encode.black,
        span: encode.span,
        luma: encode.luma,
        chroma: encode.chroma,
        takes_rgb: recipe.takes_rgb.into(),
        gives_rgb: recipe.gives_rgb.into(),
        has_light: recipe.light.is_some().into(),
        measure: 0,
        has_matrix: 0,
        gamut: 0,
        read_across: site(read_at[0]),
        read_down: site(read_at[1]),
        made_across: site(made_at[0]),
        made_down: site(made_at[1]),
        across: 0,
        tiles: 0,
    };
    recipe.light.as_ref().map_or(bare, |light| with_light(bare, light, tables, memory))
}

fn with_light(mut args: Args, light: &Light, tables: &mut Tables, memory: u64) -> Args {
    args.linear = memory + tables.add(light.linear.entries());
    args.linear_entries = light.linear.entries().len() as u32;
    args.luminance = light.luminance;
    let mut of_octaves = |table: &Octaves| (memory + tables.add(table.entries()), table.first());
    (args.code, args.code_first) = of_octaves(&light.code);
    args.code_entries = light.code.entries().len() as u32;
    if let Some(system) = &light.system {
        (args.system, args.system_first) = of_octaves(system);
    }
    if let Some((measure, gain)) = &light.gain {
        (args.gain, args.gain_first) = of_octaves(gain);
        args.gain_entries = gain.entries().len() as u32;
        args.measure = match measure {
            Measure::Max => 1,
            Measure::Luma => 2,
            Measure::Each => 3,
        };
    }
    if let Some(desaturation) = light.desaturation {
        (args.strength, args.white) = (desaturation.strength, desaturation.white);
    }
    if let Some(matrix) = light.matrix {
        (args.matrix, args.has_matrix) = (matrix, 1);
    }
    match &light.gamut {
        Gamut::Clip => {}
        Gamut::Desat(weights) => (args.target, args.gamut) = (*weights, 1),
        Gamut::Soft(soft) => {
            args.soft = memory + tables.add(soft.distances.iter().flatten());
            args.gamut = 2;
        }
    }
    args
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let mut args = self.args;
        for (plane, view) in args.src.iter_mut().zip(src.iter()).chain(args.dst.iter_mut().zip(dst.iter())) {
            *plane = PlaneArgs::new(view)?;
        }
        let (width, height) = args.src[0].size();
        args.across = width.div_ceil(TILE.0) as u32;
        args.tiles = args.across * height.div_ceil(TILE.1) as u32;
        let grid = args.tiles.min(self.blocks);
        let shape = LaunchConfig { grid: [grid, 1, 1], block: [THREADS, 1, 1], shared: self.shared as u32 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and the tables the entries, and all of
        // it outlives the work by the caller.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
