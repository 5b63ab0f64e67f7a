//! The kernels of cuda/colour.cu, cuda/colour_usual.cu, cuda/colour_walk.cu and cuda/lut3d.cu.

mod gains;
mod walk;

use super::cube::{Cube, NodeInterp};
use super::gamut::Gamut;
use super::light::{GainBasis, LightSteps};
use super::recipe::{Recipe, RgbStep};
use super::siting::Site;
use super::table::Octaves;
use super::tonemap::peaks::{PeakSource, Peaks};
use super::tuning::cuda::{COLUMNS, ROWS, THREADS, USUAL_ROWS, USUAL_THREADS};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::survey::CudaSmoother;
use crate::filters::{CudaJob, CudaKernel};
use gains::Gains;
use walk::Walk;

/// Bytes of shared memory for the R'G'B' of a tile of so many rows.
const fn made(rows: usize) -> usize {
    3 * (rows + 2) * (COLUMNS / 2 + 1) * 4
}

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
        /// A table of colours, and where codes lie in it.
        nodes: u64 = "const uint2*",
        places: u64 = "const u32*",
        /// From `linear` on, those that kernels keep in shared memory.
        entries: u32,
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
        /// Nodes along an edge of the table of colours.
        edge: u32,
        /// A `GainBasis`.
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

device_struct! {
    /// What the kernel gets that mixes the gain for a frame's peak and mean.
    struct PeakArgs = "Peak" {
        /// Gains for all peaks and the means of each, one behind the other, and that of the frame.
        tables: u64 = "const float*",
        gain: u64 = "float*",
        /// Where the peak's code is and the mean's behind it, or null: the peak's is `code`, and no mean is known.
        level: u64 = "const u32*",
        code: u32,
        /// The first table's, and from one to the next.
        first: u32,
        step: u32,
        entries: u32,
        /// Tables of each peak, and from one mean to the next.
        means: u32,
        mean_step: u32,
    }
}

generated! {
    "colour.cuh" after ["../common/plane.cuh"]: Args, PeakArgs;
}

/// The tables of a recipe, one behind the other, as they lie on the device.
#[derive(Default)]
struct Tables {
    bytes: Vec<u8>,
}

impl Tables {
    /// Takes entries, and gives where they begin, in bytes from the first table on.
    fn add<'a>(&mut self, entries: impl IntoIterator<Item = &'a f32>) -> u64 {
        self.add_bytes(entries.into_iter().flat_map(|entry| entry.to_le_bytes()))
    }

    fn add_bytes(&mut self, bytes: impl Iterator<Item = u8>) -> u64 {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        start as u64
    }
}

/// Bytes of device memory that the kernel of `recipe` holds.
pub fn memory(recipe: &Recipe) -> usize {
    let tables = match &recipe.work {
        RgbStep::Keep => 0,
        RgbStep::Light(_) => tables(recipe).bytes.len(),
        RgbStep::Cube(cube) => size_of_val(cube.nodes()) + cube.places().map_or(0, size_of_val),
    };
    let smoother = |peaks: &Peaks| match peaks.source {
        PeakSource::Measured(_) => CudaSmoother::MEMORY,
        PeakSource::Stated(_) => 0,
    };
    tables + recipe.peaks.as_ref().map_or(0, |peaks| peaks.gains.bytes() + smoother(peaks))
}

/// A kernel built for one stream.
pub struct Kernel {
    general: Tiled,
    /// What is faster for the planes that they take, the fastest last.
    usual: Option<Tiled>,
    walk: Option<Walk>,
    args: Args,
    gains: Option<Gains>,
    /// The tables that `args` points into.
    _tables: Option<DeviceBuffer>,
}

impl Kernel {
    /// The kernel of `recipe`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or memory does not suffice.
    pub fn new(recipe: &Recipe, device: &CudaDevice) -> Result<Kernel> {
        let bytes = tables(recipe).bytes;
        let buffer =
            (!bytes.is_empty()).then(|| DeviceBuffer::from_bytes(device, &bytes, "colour's tables")).transpose()?;
        let address = buffer.as_ref().map_or(0, DeviceBuffer::address);
        let args = args(recipe, &mut Tables::default(), address);
        let in_shared = args.entries as usize * size_of::<f32>();
        let load = |module, name, shared| Tiled::new(device, module, name, shared, (THREADS, ROWS));
        let is_usual = is_usual(&args);
        let (general, usual) = match &recipe.work {
            RgbStep::Cube(cube) => (load("lut3d", name_of(cube.between()), 0)?, None),
            // A device with less shared memory has tables in its cache.
            RgbStep::Keep | RgbStep::Light(_) => match load("colour", "colour_shared", in_shared)? {
                Some(shared) if is_usual => (Some(shared), usual(device, in_shared)?),
                Some(shared) => (Some(shared), None),
                None => (load("colour", "colour_cached", 0)?, None),
            },
        };
        let general = general.expect("the R'G'B' of a tile fits every device's shared memory");
        let gains = recipe.peaks.as_ref().map(|peaks| Gains::new(peaks, args.gain, device)).transpose()?;
        let walk = if is_usual { Walk::new(&args, device)? } else { None };
        Ok(Kernel { general, usual, walk, args, gains, _tables: buffer })
    }
}

/// A kernel whose blocks make tiles.
struct Tiled {
    function: Function,
    shared: usize,
    threads: u32,
    /// Rows of a tile.
    rows: usize,
    /// Blocks that the device runs at once.
    blocks: u32,
}

impl Tiled {
    /// A kernel that has `tables` bytes of tables in shared memory, where a block has room for them; its threads, and a tile's rows.
    fn new(
        device: &CudaDevice,
        module: &'static str,
        name: &str,
        tables: usize,
        (threads, rows): (u32, usize),
    ) -> Result<Option<Tiled>> {
        let (function, shared) = (device.function(module, name)?, made(rows) + tables);
        if tables > 0 && function.allow_shared(shared as u32).is_err() {
            return Ok(None);
        }
        let at_once = function.resident_blocks(threads, shared)?.max(1);
        let blocks = at_once * device.info().multiprocessors as u32;
        Ok(Some(Tiled { function, shared, threads, rows, blocks }))
    }

    /// Its launch for the planes of `args`, which get its tiles.
    fn shape(&self, args: &mut Args) -> LaunchConfig {
        let (width, height) = args.src[0].size();
        args.across = width.div_ceil(COLUMNS) as u32;
        args.tiles = args.across * height.div_ceil(self.rows) as u32;
        let grid = [args.tiles.min(self.blocks), 1, 1];
        LaunchConfig { grid, block: [self.threads, 1, 1], shared: self.shared as u32 }
    }
}

/// Whether it is PQ of 4:2:0 to SDR, with the default curve's measure and gamut.
fn is_usual(args: &Args) -> bool {
    let sites = [args.read_across, args.read_down, args.made_across, args.made_down];
    let is_light =
        args.system == 0 && args.strength == 0.0 && args.measure == 1 && args.has_matrix == 1 && args.gamut == 2;
    args.linear != 0 && args.takes_rgb + args.gives_rgb == 0 && sites == [1, 1, 1, 2] && is_light
}

/// The kernel of what is usual, where a block has room for `tables` bytes of tables.
fn usual(device: &CudaDevice, tables: usize) -> Result<Option<Tiled>> {
    Tiled::new(device, "colour_usual", "colour_usual", tables, (USUAL_THREADS, USUAL_ROWS))
}

/// Whether the planes of `args` are those of what is usual: words, and luma in planes of its own.
fn are_usual(args: &Args) -> bool {
    let mut planes = args.src.iter().chain(&args.dst);
    planes.all(PlaneArgs::is_of_words) && args.src[0].is_planar() && args.dst[0].is_planar()
}

/// The kernel that looks up colours.
fn name_of(between: NodeInterp) -> &'static str {
    match between {
        NodeInterp::Tetrahedral => "lut3d_tetrahedral",
        NodeInterp::Trilinear => "lut3d_trilinear",
    }
}

fn tables(recipe: &Recipe) -> Tables {
    let mut tables = Tables::default();
    args(recipe, &mut tables, 0);
    tables
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
        nodes: 0,
        places: 0,
        entries: 0,
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
        edge: 0,
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
    match &recipe.work {
        RgbStep::Keep => bare,
        RgbStep::Light(light) => with_light(bare, light, tables, memory),
        RgbStep::Cube(cube) => with_cube(bare, cube, tables, memory),
    }
}

fn with_cube(mut args: Args, cube: &Cube, tables: &mut Tables, memory: u64) -> Args {
    args.edge = cube.edge() as u32;
    args.nodes = memory + tables.add_bytes(cube.nodes().iter().flat_map(|node| node.to_le_bytes()));
    if let Some(places) = cube.places() {
        args.places = memory + tables.add_bytes(places.iter().flat_map(|place| place.to_le_bytes()));
    }
    args
}

fn with_light(mut args: Args, light: &LightSteps, tables: &mut Tables, memory: u64) -> Args {
    args.linear = memory + tables.add(light.linear.entries());
    args.luminance = light.luminance;
    let of_octaves = |table: &Octaves, tables: &mut Tables| (memory + tables.add(table.entries()), table.first());
    (args.code, args.code_first) = of_octaves(&light.code, tables);
    if let Some((measure, gain)) = &light.gain {
        (args.gain, args.gain_first) = of_octaves(gain, tables);
        args.measure = match measure {
            GainBasis::Max => 1,
            GainBasis::Luma => 2,
            GainBasis::Each => 3,
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
    args.entries = (tables.bytes.len() / size_of::<f32>()) as u32;
    if let Some(system) = &light.system {
        (args.system, args.system_first) = of_octaves(system, tables);
    }
    args
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        self.gains.as_ref().map_or(Ok(()), |gains| gains.enqueue(job))?;
        let (src, dst) = (job.src.here(), job.dst);
        let mut args = self.args;
        for (plane, view) in args.src.iter_mut().zip(src.iter()).chain(args.dst.iter_mut().zip(dst.iter())) {
            *plane = PlaneArgs::new(view)?;
        }
        let are_usual = are_usual(&args);
        let walking = self.walk.as_ref().filter(|_| are_usual);
        let (function, shape) = match walking.and_then(|walk| Some((walk, walk.function(&args)?))) {
            Some((walk, function)) => (function, walk.shape(&mut args)),
            None => {
                let tiled = self.usual.as_ref().filter(|_| are_usual).unwrap_or(&self.general);
                (&tiled.function, tiled.shape(&mut args))
            }
        };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and the tables the entries, and all of
        // it outlives the work by the caller.
        unsafe { launch(function, shape, &args, job.stream) }
    }
}
