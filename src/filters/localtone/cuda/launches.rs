//! The launches of a frame, and what lies in device memory for them.

use super::args::{Args, GuidedArgs, bare};
use super::table::{ENTRY, LOOKED_UP, Table};
use crate::filters::localtone::curves::ENTRIES;
use crate::filters::localtone::plan::{GuidedFilter, MethodPlan, Mixed, People, Plan, Pyramid, Scenery};
use crate::filters::localtone::tuning::cuda::{BLOCK, DOWN_TWICE_SAMPLES, FIRST_ROWS, LAST_SAMPLES, TWICE_SAMPLES};

/// What every table and plane begins at a multiple of, in bytes.
const ALIGN: usize = 256;
/// Shared memory that every device gives a block.
const SHARED: usize = 48 * 1024;
/// Columns of a tile of the first halving, and threads of its blocks.
const FIRST_COLUMNS: usize = 60;
const FIRST_THREADS: usize = 320;
/// Threads of the block that makes the last levels.
const LAST_THREADS: usize = 1024;
/// Samples of a tile of two halvings, to each side; and lines of a tile of windows.
const DOWN_TILE: usize = 14;
const TILE: usize = 32;
/// The farthest that windows reach around a tile: squares of a row of means fit 32 bits.
const MOST_TILE_REACH: usize = 31;

/// What lies in device memory, one behind the other.
#[derive(Default)]
pub struct Memory {
    /// Tables, as bytes.
    pub tables: Vec<u8>,
    /// Bytes of planes.
    pub planes: usize,
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

/// A launch: its kernel, the level that it works on, blocks across, down, and how many times, and threads of a block and the bytes
/// that they share.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub kernel: &'static str,
    pub level: usize,
    pub blocks: (usize, usize),
    pub times: usize,
    pub block: (usize, usize),
    pub shared: usize,
}

impl Turn {
    /// A thread for each of so many places.
    fn new(kernel: &'static str, size: (usize, usize)) -> Turn {
        Turn::tiles(kernel, size, BLOCK)
    }

    /// A block for each tile of so many places.
    fn tiles(kernel: &'static str, size: (usize, usize), tile: (usize, usize)) -> Turn {
        let blocks = (size.0.div_ceil(tile.0), size.1.div_ceil(tile.1));
        Turn { kernel, level: 0, blocks, times: 1, block: BLOCK, shared: 0 }
    }

    /// A thread for each two by two of so many samples.
    fn quads(kernel: &'static str, size: (usize, usize)) -> Turn {
        Turn::new(kernel, (size.0.div_ceil(2), size.1.div_ceil(2)))
    }

    /// Blocks of so many threads.
    fn of(self, threads: usize) -> Turn {
        Turn { block: (threads, 1), ..self }
    }

    fn sharing(self, shared: usize) -> Turn {
        Turn { shared, ..self }
    }

    fn at(self, level: usize) -> Turn {
        Turn { level, ..self }
    }

    fn times(self, times: usize) -> Turn {
        Turn { times, ..self }
    }
}

/// What a frame's work is: launches in order, with the arguments of all.
pub struct FrameLaunches {
    pub args: Args,
    pub turns: Vec<Turn>,
    pub memory: Memory,
}

impl FrameLaunches {
    /// The work of `plan` for tables and planes at these addresses, and the brightness of a frame at that.
    pub fn new(plan: &Plan, tables: u64, planes: u64, brightness: u64) -> FrameLaunches {
        let mut memory = Memory::default();
        let mut args = bare(plan);
        if plan.has_last {
            args.last = memory.words(tables, &plan.last[..]);
        }
        args.skin_cb = memory.words(tables, &plan.colour.skin_cb);
        args.skin_cr = memory.words(tables, &plan.colour.skin_cr);
        let mut turns = Vec::new();
        match &plan.method {
            MethodPlan::Scenery(Scenery { pyramid, .. }) => {
                set_levels(&mut args, pyramid, SCENERY.pictures, &mut memory, (tables, planes));
                turns.extend(SCENERY.turns(pyramid, &args));
            }
            MethodPlan::Mixed(Mixed { pyramid, .. }) => {
                set_levels(&mut args, pyramid, MIXED.pictures, &mut memory, (tables, planes));
                turns.extend(MIXED.turns(pyramid, &args));
            }
            MethodPlan::People(people) => {
                args.gain = memory.words(tables, &people.fade[..]);
                let [elsewhere, skin] = people.gains;
                args.gains = [elsewhere[0], elsewhere[1], skin[0], skin[1]];
                turns.extend(people_turns(plan, people, &mut args, &mut memory, planes));
            }
        }
        set_tables(plan, &mut args, &mut memory, (tables, planes));
        if let Some(adapt) = &plan.adapt {
            args.exposing = memory.table(tables, adapt.gains.iter().map(|gain| gain.to_le_bytes()));
            args.brightness = brightness;
            turns
                .insert(0, Turn::new("localtone_expose", (ENTRIES / BLOCK.1, BLOCK.1)).times(Table::new(plan).parts()));
        }
        FrameLaunches { args, turns, memory }
    }
}

/// Places what samples are looked up in: a table, or room for one that is made of it behind each frame's exposure.
fn set_tables(plan: &Plan, args: &mut Args, memory: &mut Memory, (tables, planes): (u64, u64)) {
    let is_made = plan.adapt.is_some();
    let table = Table::new(plan);
    match &plan.method {
        MethodPlan::People(people) => {
            let curve = memory.words(tables, &people.curve[..]);
            if is_made {
                args.base_curve = curve;
                [args.curve, args.slopes] = [0, 1].map(|_| memory.plane::<u16>(planes, ENTRIES));
            } else {
                let slopes =
                    people.curve.iter().zip(0..).map(|(base, wide)| People::slope((*base).into(), wide) as u16);
                (args.curve, args.slopes) = (curve, memory.table(tables, slopes.map(u16::to_le_bytes)));
            }
        }
        _ if is_made => {
            args.drop = table.drop;
            args.base_entries = memory.table(tables, table.by_light());
            args.entries = memory.plane::<[u8; ENTRY]>(planes, table.values() * table.parts());
        }
        _ => {
            args.drop = table.drop;
            args.entries = memory.table(tables, table.by_value());
        }
    }
}

/// Places the levels of `pictures` pictures.
fn set_levels(args: &mut Args, pyramid: &Pyramid, pictures: usize, memory: &mut Memory, (tables, planes): (u64, u64)) {
    let mut offset = 0;
    for (level, (width, height)) in pyramid.sizes.iter().enumerate() {
        (args.widths[level], args.heights[level]) = (*width as u32, *height as u32);
        if level > 0 {
            args.offsets[level] = offset as u32;
            // Rows are of two words at least.
            offset += width.next_multiple_of(2).max(4) * height;
        }
    }
    args.amounts[..pyramid.depth()].copy_from_slice(&pyramid.amounts);
    (args.stride, args.depth) = (offset as u32, pyramid.depth() as u32);
    args.pyramid = memory.plane::<i16>(planes, pictures * offset);
    args.results = memory.plane::<i16>(planes, offset);
    args.gain = memory.words(tables, &pyramid.gain[..]);
}

/// Places the planes of `people`, and launches what makes them.
fn people_turns(plan: &Plan, people: &People, args: &mut Args, memory: &mut Memory, planes: u64) -> Vec<Turn> {
    let size = (plan.width, plan.height);
    let filters = [&people.wide, &people.fine];
    let reach = people.wide.reach.max(people.fine.reach);
    let is_far = reach > MOST_TILE_REACH;
    args.guided = filters.map(|guided| GuidedArgs::new(guided, size, is_far, memory, planes));
    let (wide, fine) = (people.wide.size(size.0, size.1), people.fine.size(size.0, size.1));
    let has_skin = args.has_chroma == 1 || args.is_rgb == 1;
    if has_skin {
        let blocks = (plan.width.div_ceil(4), plan.height.div_ceil(4));
        (args.skin_width, args.skin_height) = (blocks.0 as u32, blocks.1 as u32);
        args.skin = [0, 1].map(|_| memory.plane::<u16>(planes, blocks.0 * blocks.1));
    }
    let mut turns = vec![Turn::new("localtone_means", wide)];
    // The fine filter's planes are the larger ones. Skin is made behind both.
    let tiles = |kernel, size| Turn::tiles(kernel, size, (TILE, TILE));
    if is_far {
        let kernels = ["localtone_far_sums", "localtone_far_lines", "localtone_far_across", "localtone_far_smooth"];
        turns.extend(kernels.map(|kernel| Turn::new(kernel, fine).times(2)));
        if has_skin {
            turns.push(Turn::new("localtone_skin", wide));
        }
    } else {
        let side = TILE + 2 * reach;
        let shared = side * (side.max(2 * TILE) | 1) * size_of::<u32>();
        turns.push(tiles("localtone_lines", fine).times(2 + usize::from(has_skin)).sharing(shared));
        turns.push(tiles("localtone_smooth", fine).times(2).sharing(shared));
    }
    turns.push(Turn::quads("localtone_people", size));
    turns
}

/// The kernels of a method that makes pyramids of so many pictures.
struct Kernels {
    pictures: usize,
    /// Whether the last level is made of the others'.
    has_top: bool,
    /// The last levels; those between, one at a time or two; and the first, which is the result.
    last: &'static str,
    middle: &'static str,
    twice: &'static str,
    result: &'static str,
}

const SCENERY: Kernels = Kernels {
    pictures: 10,
    has_top: false,
    last: "localtone_last_scenery",
    middle: "localtone_scenery",
    twice: "localtone_twice_scenery",
    result: "localtone_result_scenery",
};

const MIXED: Kernels = Kernels {
    pictures: 5,
    has_top: true,
    last: "localtone_last_mixed",
    middle: "localtone_mixed",
    twice: "localtone_twice_mixed",
    result: "localtone_result_mixed",
};

impl Kernels {
    /// Up to the level that one block takes over from, and back from there.
    fn turns(&self, pyramid: &Pyramid, args: &Args) -> Vec<Turn> {
        let sizes = &pyramid.sizes;
        let depth = pyramid.depth();
        let shared =
            |level: usize| (self.pictures + 1) * (args.stride - args.offsets[level]) as usize * size_of::<i16>();
        let fits = |level: &usize| sizes[*level].0 * sizes[*level].1 <= LAST_SAMPLES && shared(*level) <= SHARED;
        let alone = (1..depth).find(fits).unwrap_or(depth);
        let mut turns = vec![Turn::tiles("localtone_first", sizes[1], (FIRST_COLUMNS, FIRST_ROWS)).of(FIRST_THREADS)];
        turns[0].times = self.pictures / LOOKED_UP;
        let mut level = 1;
        let is_small = |level: usize, samples: usize| sizes[level].0 * sizes[level].1 <= samples;
        while level < alone {
            let (kernel, tile, halvings) = if level + 1 < alone && is_small(level, DOWN_TWICE_SAMPLES) {
                ("localtone_down_twice", (DOWN_TILE, DOWN_TILE), 2)
            } else {
                // A thread makes two by two samples.
                ("localtone_down", (2 * BLOCK.0, 2 * BLOCK.1), 1)
            };
            turns.push(Turn::tiles(kernel, sizes[level + halvings], tile).at(level).times(self.pictures));
            level += halvings;
        }
        if alone < depth {
            turns.push(Turn::tiles(self.last, (1, 1), (1, 1)).of(LAST_THREADS).at(alone).sharing(shared(alone)));
        } else if self.has_top {
            turns.push(Turn::new("localtone_top", sizes[depth]));
        }
        while level > 1 {
            let twice = level > 2 && is_small(level - 2, TWICE_SAMPLES);
            let (kernel, levels) = if twice { (self.twice, 2) } else { (self.middle, 1) };
            level -= levels;
            turns.push(Turn::quads(kernel, sizes[level]).at(level));
        }
        turns.push(Turn::quads(self.result, sizes[0]));
        turns
    }
}

impl GuidedArgs {
    fn new(
        numbers: &GuidedFilter,
        (width, height): (usize, usize),
        is_far: bool,
        memory: &mut Memory,
        planes: u64,
    ) -> GuidedArgs {
        let (width, height) = numbers.size(width, height);
        let samples = width * height;
        let count = numbers.count() as u32;
        GuidedArgs {
            means: memory.plane::<u16>(planes, samples),
            lines: memory.plane::<u32>(planes, samples),
            smooth: memory.plane::<u32>(planes, samples),
            sums: [0, 1].map(|_| if is_far { memory.plane::<u64>(planes, samples) } else { 0 }),
            edge: numbers.edge,
            count,
            inverse: ((1 << 32) / u64::from(count)) as u32,
            width: width as u32,
            height: height as u32,
            reach: numbers.reach as u32,
            mean: numbers.mean as u32,
        }
    }
}
