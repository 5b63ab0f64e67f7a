//! The kernels of cuda/localtone.cu and what it includes.

use super::adapt::FirstTable;
use super::curves::{ENTRIES, Exposures};
use super::plan::{GuidedFilter, MOST_LEVELS, MethodPlan, Plan, Pyramid};
use super::tuning::cuda::{BLOCK, FIRST_ROWS, LAST_SAMPLES};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::remap::{CudaMover, Map};
use crate::filters::survey::CudaSmoother;
use crate::filters::{CudaJob, CudaKernel};
use std::collections::HashMap;
use std::mem::replace;

/// What every table and plane begins at a multiple of, in bytes.
const ALIGN: usize = 256;
/// Pictures that `scenery` and `mixed` make pyramids of.
const REMAPPED: usize = 10;
const EXPOSED: usize = 5;
/// Words that a value has in the table of the remapped ones.
const REMAPPED_WORDS: usize = 16;
/// Threads of the block that makes the last levels.
const LAST_THREADS: usize = 1024;

device_struct! {
    /// A guided filter. Its planes have the size of its means.
    #[derive(Default)]
    struct GuidedArgs = "Guided" {
        means: u64 = "int*",
        /// Of rows of windows.
        sums: u64 = "u64*",
        squares: u64 = "u64*",
        /// Slopes and offsets; these added up across; and their means.
        lines: [u64; 2] = "int*",
        across: [u64; 2] = "int*",
        smooth: [u64; 2] = "int*",
        edge: u64,
        /// Means in a window.
        count: u64,
        width: u32,
        height: u32,
        reach: u32,
        /// Samples of a mean, to each side.
        mean: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Localtone" {
        src: [PlaneArgs; 3],
        dst: [PlaneArgs; 3],
        light: u64 = "u16*",
        /// What the pointwise curve makes of light, for `scenery`.
        base: u64 = "u16*",
        /// Levels of all pictures, and those that are collapsed.
        pyramid: u64 = "i16*",
        results: u64 = "i16*",
        /// Tables.
        curve: u64 = "u16*",
        last: u64 = "const u16*",
        gain: u64 = "const u16*",
        skin_cb: u64 = "const u16*",
        skin_cr: u64 = "const u16*",
        remap: u64 = "const i16*",
        exposures: u64 = "Exposures*",
        /// What these two are made of behind an exposure, its gains, and the brightness that they go by.
        base_curve: u64 = "const u16*",
        base_exposures: u64 = "const Exposures*",
        exposing: u64 = "const u32*",
        brightness: u64 = "const u32*",
        guided: [GuidedArgs; 2],
        /// Skin in blocks, and its means.
        skin: [u64; 2] = "int*",
        skin_width: u32,
        skin_height: u32,
        /// Of levels; those above the first begin at an offset in each picture.
        widths: [u32; MOST_LEVELS + 1],
        heights: [u32; MOST_LEVELS + 1],
        offsets: [u32; MOST_LEVELS + 1],
        amounts: [i32; MOST_LEVELS],
        /// Samples from a picture to the next.
        stride: u32,
        /// The last level, and the one at hand.
        depth: u32,
        level: u32,
        black: i32,
        span: i32,
        scale: i32,
        strength: i32,
        /// Of R, G and B.
        luma: [i32; 3],
        warm: [i32; 3],
        chroma: [i32; 2],
        /// Of `people`: middle and fine, elsewhere and on skin.
        gains: [i32; 4],
        follow: i32,
        saturation: i32,
        vibrance: i32,
        warmth: i32,
        kept: i32,
        spared: i32,
        halved_w: u32,
        halved_h: u32,
        is_rgb: u32,
        has_chroma: u32,
    }
}

generated! {
    "localtone.cuh" after ["../common/plane.cuh"]: GuidedArgs, Args;
}

/// What lies in device memory, one behind the other.
#[derive(Default)]
struct Memory {
    /// Tables, as bytes.
    tables: Vec<u8>,
    /// Bytes of planes.
    planes: usize,
}

impl Memory {
    /// Takes a table, and gives its address where tables begin at `start`.
    fn table<const N: usize>(&mut self, start: u64, words: impl IntoIterator<Item = [u8; N]>) -> u64 {
        let at = self.tables.len();
        self.tables.extend(words.into_iter().flatten());
        self.tables.resize(self.tables.len().next_multiple_of(ALIGN), 0);
        start + at as u64
    }

    /// The same of a table of 16-bit words.
    fn words(&mut self, start: u64, words: &[u16]) -> u64 {
        self.table(start, words.iter().map(|word| word.to_le_bytes()))
    }

    /// Makes room for `count` samples of a plane, and gives its address where planes begin at `start`.
    fn plane<T>(&mut self, start: u64, count: usize) -> u64 {
        let at = self.planes;
        self.planes = (at + count * size_of::<T>()).next_multiple_of(ALIGN);
        start + at as u64
    }
}

/// A launch: its kernel, the level that it works on, blocks across, down, and how many times, and threads of a block.
#[derive(Clone, Copy, Debug)]
struct Turn {
    kernel: &'static str,
    level: usize,
    blocks: (usize, usize),
    times: usize,
    block: (usize, usize),
}

impl Turn {
    /// A thread for each of so many places.
    fn new(kernel: &'static str, size: (usize, usize)) -> Turn {
        Turn::tiles(kernel, size, BLOCK)
    }

    /// A block for each tile of so many places.
    fn tiles(kernel: &'static str, size: (usize, usize), tile: (usize, usize)) -> Turn {
        let blocks = (size.0.div_ceil(tile.0), size.1.div_ceil(tile.1));
        Turn { kernel, level: 0, blocks, times: 1, block: BLOCK }
    }

    /// A thread for each two by two of so many samples.
    fn quads(kernel: &'static str, size: (usize, usize)) -> Turn {
        Turn::new(kernel, (size.0.div_ceil(2), size.1.div_ceil(2)))
    }

    /// One block.
    fn alone(kernel: &'static str) -> Turn {
        Turn { kernel, level: 0, blocks: (1, 1), times: 1, block: (LAST_THREADS, 1) }
    }

    fn at(self, level: usize) -> Turn {
        Turn { level, ..self }
    }

    fn times(self, times: usize) -> Turn {
        Turn { times, ..self }
    }
}

/// What a frame's work is: launches in order, with the arguments of all.
struct FrameLaunches {
    args: Args,
    turns: Vec<Turn>,
    memory: Memory,
}

impl FrameLaunches {
    /// The work of `plan` for tables and planes at these addresses, and the brightness of a frame at that.
    fn new(plan: &Plan, tables: u64, planes: u64, brightness: u64) -> FrameLaunches {
        let mut memory = Memory::default();
        let mut args = bare(plan);
        let size = (plan.width, plan.height);
        let samples = plan.width * plan.height;
        args.light = memory.plane::<u16>(planes, samples);
        args.last = memory.words(tables, &plan.last);
        args.skin_cb = memory.words(tables, &plan.colour.skin_cb);
        args.skin_cr = memory.words(tables, &plan.colour.skin_cr);
        let mut turns = Vec::new();
        match &plan.method {
            MethodPlan::Scenery(scenery) => {
                args.curve = memory.words(tables, &scenery.curve);
                args.gain = memory.words(tables, &scenery.pyramid.gain);
                args.remap = memory.table(tables, by_value(&scenery.remap));
                args.base = memory.plane::<u16>(planes, samples);
                set_levels(&mut args, &scenery.pyramid, REMAPPED, &mut memory, planes);
                turns.extend(SCENERY.turns(&scenery.pyramid));
            }
            MethodPlan::Mixed(mixed) => {
                args.gain = memory.words(tables, &mixed.pyramid.gain);
                let entries = mixed.exposures.iter().flat_map(|entry| {
                    let [dark, bright] = entry.weights;
                    let [low, middle, high] = entry.values;
                    [dark, bright, low, middle, high, entry.base, 0, 0].map(i16::to_le_bytes)
                });
                args.exposures = memory.table(tables, entries);
                set_levels(&mut args, &mixed.pyramid, EXPOSED, &mut memory, planes);
                turns.extend(MIXED.turns(&mixed.pyramid));
            }
            MethodPlan::People(people) => {
                args.curve = memory.words(tables, &people.curve);
                args.gain = memory.words(tables, &people.fade);
                let [elsewhere, skin] = people.gains;
                args.gains = [elsewhere[0], elsewhere[1], skin[0], skin[1]];
                let filters = [&people.wide, &people.fine];
                args.guided = filters.map(|guided| GuidedArgs::new(guided, size, &mut memory, planes));
                let has_skin = args.has_chroma == 1 || args.is_rgb == 1;
                if has_skin {
                    let blocks = (plan.width.div_ceil(4), plan.height.div_ceil(4));
                    (args.skin_width, args.skin_height) = (blocks.0 as u32, blocks.1 as u32);
                    args.skin = [0, 1].map(|_| memory.plane::<i32>(planes, blocks.0 * blocks.1));
                }
                // The fine filter's planes are the larger ones. Skin is made behind both.
                let means = people.fine.size(size.0, size.1);
                let skin = usize::from(has_skin);
                turns.extend(
                    ["localtone_means", "localtone_sums"].map(|kernel| Turn::new(kernel, means).times(2 + skin)),
                );
                let kernels = ["localtone_lines", "localtone_across", "localtone_blur"];
                turns.extend(kernels.map(|kernel| Turn::new(kernel, means).times(2)));
                turns.push(Turn::quads("localtone_people", size));
            }
        }
        if let Some(adapt) = &plan.adapt {
            args.exposing = memory.table(tables, adapt.gains.iter().map(|gain| gain.to_le_bytes()));
            args.brightness = brightness;
            match adapt.base {
                FirstTable::Curve(_) => {
                    args.base_curve = replace(&mut args.curve, memory.plane::<u16>(planes, ENTRIES))
                }
                FirstTable::Exposures(_) => {
                    let made = memory.plane::<Exposures>(planes, ENTRIES);
                    args.base_exposures = replace(&mut args.exposures, made);
                }
            }
            turns.insert(0, Turn::new("localtone_expose", (ENTRIES / BLOCK.1, BLOCK.1)));
        }
        FrameLaunches { args, turns, memory }
    }
}

/// Places the levels of `pictures` pictures.
fn set_levels(args: &mut Args, pyramid: &Pyramid, pictures: usize, memory: &mut Memory, planes: u64) {
    let mut offset = 0;
    for (level, (width, height)) in pyramid.sizes.iter().enumerate() {
        (args.widths[level], args.heights[level]) = (*width as u32, *height as u32);
        if level > 0 {
            args.offsets[level] = offset as u32;
            offset += width * height;
        }
    }
    args.amounts[..pyramid.depth()].copy_from_slice(&pyramid.amounts);
    (args.stride, args.depth) = (offset as u32, pyramid.depth() as u32);
    args.pyramid = memory.plane::<i16>(planes, pictures * offset);
    args.results = memory.plane::<i16>(planes, offset);
}

/// Of each value what the nine remapped pictures have, side by side, and room behind it.
fn by_value(remap: &[i16]) -> impl Iterator<Item = [u8; 2 * REMAPPED_WORDS]> + '_ {
    (0..ENTRIES).map(move |value| {
        let words = remap.chunks_exact(ENTRIES).map(|picture| picture[value]).chain(std::iter::repeat(0));
        let mut entry = [0; 2 * REMAPPED_WORDS];
        entry.chunks_exact_mut(2).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        entry
    })
}

/// The kernels of a method that makes pyramids of so many pictures.
struct Kernels {
    pictures: usize,
    /// Whether the last level is made of the others'.
    has_top: bool,
    /// Light and the first halving; the last levels; those between; and the first, which is the result.
    first: &'static str,
    last: &'static str,
    middle: &'static str,
    result: &'static str,
}

const SCENERY: Kernels = Kernels {
    pictures: REMAPPED,
    has_top: false,
    first: "localtone_first_scenery",
    last: "localtone_last_scenery",
    middle: "localtone_scenery",
    result: "localtone_result_scenery",
};

const MIXED: Kernels = Kernels {
    pictures: EXPOSED,
    has_top: true,
    first: "localtone_first_mixed",
    last: "localtone_last_mixed",
    middle: "localtone_mixed",
    result: "localtone_result_mixed",
};

impl Kernels {
    /// Up to the level that one block takes over from, and back from there.
    fn turns(&self, pyramid: &Pyramid) -> Vec<Turn> {
        let sizes = &pyramid.sizes;
        let alone = (1..pyramid.depth()).find(|level| sizes[*level].0 * sizes[*level].1 <= LAST_SAMPLES);
        let alone = alone.unwrap_or(pyramid.depth());
        // A thread makes two samples, one below the other.
        let half = |level: usize| (sizes[level + 1].0, sizes[level + 1].1.div_ceil(2));
        let down = |level: usize| Turn::new("localtone_down", half(level)).at(level).times(self.pictures);
        let mut turns = vec![Turn::tiles(self.first, sizes[1], (BLOCK.0, FIRST_ROWS))];
        turns.extend((1..alone).map(down));
        if self.has_top || alone < pyramid.depth() {
            turns.push(Turn::alone(self.last).at(alone));
        }
        turns.extend((1..alone).rev().map(|level| Turn::quads(self.middle, sizes[level]).at(level)));
        turns.push(Turn::quads(self.result, sizes[0]));
        turns
    }
}

impl GuidedArgs {
    fn new(numbers: &GuidedFilter, (width, height): (usize, usize), memory: &mut Memory, planes: u64) -> GuidedArgs {
        let (width, height) = numbers.size(width, height);
        let samples = width * height;
        let mut two = || [0, 1].map(|_| memory.plane::<i32>(planes, samples));
        let (lines, across, smooth) = (two(), two(), two());
        GuidedArgs {
            means: memory.plane::<i32>(planes, samples),
            sums: memory.plane::<u64>(planes, samples),
            squares: memory.plane::<u64>(planes, samples),
            lines,
            across,
            smooth,
            edge: numbers.edge,
            count: numbers.count() as u64,
            width: width as u32,
            height: height as u32,
            reach: numbers.reach as u32,
            mean: numbers.mean as u32,
        }
    }
}

/// Arguments without tables, planes and what the method has.
fn bare(plan: &Plan) -> Args {
    let Plan { colour, scale, halved, .. } = plan;
    let rgb = &scale.rgb;
    let mut args = Args {
        src: [PlaneArgs::NONE; 3],
        dst: [PlaneArgs::NONE; 3],
        light: 0,
        base: 0,
        pyramid: 0,
        results: 0,
        curve: 0,
        last: 0,
        gain: 0,
        skin_cb: 0,
        skin_cr: 0,
        remap: 0,
        exposures: 0,
        base_curve: 0,
        base_exposures: 0,
        exposing: 0,
        brightness: 0,
        guided: [GuidedArgs::default(); 2],
        skin: [0; 2],
        skin_width: 0,
        skin_height: 0,
        widths: [0; MOST_LEVELS + 1],
        heights: [0; MOST_LEVELS + 1],
        offsets: [0; MOST_LEVELS + 1],
        amounts: [0; MOST_LEVELS],
        stride: 0,
        depth: 0,
        level: 0,
        black: scale.black,
        span: scale.span,
        scale: scale.factor,
        strength: plan.strength,
        luma: rgb.map_or([0; 3], |rgb| rgb.luma),
        warm: rgb.map_or([0; 3], |rgb| rgb.warm),
        chroma: rgb.map_or([0; 2], |rgb| rgb.chroma),
        gains: [0; 4],
        follow: colour.follow,
        saturation: colour.saturation,
        vibrance: colour.vibrance,
        warmth: colour.warmth,
        kept: colour.kept,
        spared: colour.skin,
        halved_w: halved.0,
        halved_h: halved.1,
        is_rgb: rgb.is_some().into(),
        has_chroma: plan.has_chroma.into(),
    };
    (args.widths[0], args.heights[0]) = (plan.width as u32, plan.height as u32);
    args
}

/// A kernel built for one stream.
pub(super) struct Kernel(State);

/// What it does.
enum State {
    /// Nothing changes.
    Copies(CudaMover),
    Filters {
        work: Box<FrameLaunches>,
        functions: HashMap<&'static str, Function>,
        smoother: Option<CudaSmoother>,
        _memory: [DeviceBuffer; 2],
    },
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub(super) fn memory(plan: &Plan) -> usize {
        let memory = FrameLaunches::new(plan, 0, 0, 0).memory;
        let smoother = plan.adapt.as_ref().map_or(0, |_| CudaSmoother::MEMORY);
        if plan.copies { 0 } else { memory.tables.len() + memory.planes + smoother }
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or memory does not suffice.
    pub(super) fn new(plan: &Plan, device: &CudaDevice) -> Result<Kernel> {
        if plan.copies {
            return Ok(Kernel(State::Copies(CudaMover::new([Map::ROWS; 3], device)?)));
        }
        let smoother = plan.adapt.as_ref().map(|adapt| adapt.smoother.on(device)).transpose()?;
        let Memory { tables, planes } = FrameLaunches::new(plan, 0, 0, 0).memory;
        let tables = DeviceBuffer::from_bytes(device, &tables, "localtone's tables")?;
        let planes = DeviceBuffer::new(device, planes, "localtone's planes")?;
        let brightness = smoother.as_ref().map_or(0, CudaSmoother::address);
        let work = FrameLaunches::new(plan, tables.address(), planes.address(), brightness);
        let mut functions = HashMap::new();
        for turn in &work.turns {
            functions.insert(turn.kernel, device.function("localtone", turn.kernel)?);
        }
        Ok(Kernel(State::Filters { work: Box::new(work), functions, smoother, _memory: [tables, planes] }))
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let (work, functions) = match &self.0 {
            State::Copies(copies) => return copies.apply(src, dst, job.stream),
            State::Filters { work, functions, smoother, .. } => {
                smoother.as_ref().map_or(Ok(()), |smoother| smoother.enqueue(job))?;
                (work, functions)
            }
        };
        let mut args = work.args;
        for (plane, view) in args.src.iter_mut().zip(src.iter()).chain(args.dst.iter_mut().zip(dst.iter())) {
            *plane = PlaneArgs::new(view)?;
        }
        for turn in &work.turns {
            args.level = turn.level as u32;
            let grid = [turn.blocks.0, turn.blocks.1, turn.times].map(|count| count as u32);
            let block = [turn.block.0 as u32, turn.block.1 as u32, 1];
            let shape = LaunchConfig { grid, block, shared: 0 };
            // SAFETY: `Args` is the kernels' parameter; planes and tables have the sizes that it states, and all of it outlives
            // the work, by the caller and as long as this kernel lives.
            unsafe { launch(&functions[turn.kernel], shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
