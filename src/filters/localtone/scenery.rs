//! Fast kernels of `scenery` and of `mixed`: pyramids are filled from fine to coarse, and collapsed from coarse to fine.

use super::curves::ENTRIES;
use super::grid::{Cpu, Grid, RowWork, Scratch};
use super::plan::{Mixed, Plan, Pyramid, Scenery};
use super::pyramid::{LevelTarget, amplify_part, fill, levels, up_part};
use super::tuning::cpu::PART;

/// The pyramids of `scenery`.
pub struct SceneryKernel {
    /// The pointwise result, and its halves.
    base: Grid<i16>,
    guides: Vec<Grid<i16>>,
    remapped: Vec<Vec<Grid<i16>>>,
    /// The collapsed levels.
    made: Vec<Grid<i16>>,
    curve: Vec<i16>,
}

impl SceneryKernel {
    pub fn new(scenery: &Scenery) -> SceneryKernel {
        let pyramid = &scenery.pyramid;
        let mut kernel = SceneryKernel {
            base: Grid::new(pyramid.sizes[0]),
            guides: levels(pyramid),
            remapped: (0..9).map(|_| levels(pyramid)).collect(),
            made: levels(pyramid),
            curve: Vec::new(),
        };
        kernel.take_tables(scenery);
        kernel
    }

    /// Takes the tables of `scenery` as they are now.
    pub fn take_tables(&mut self, scenery: &Scenery) {
        self.curve.clear();
        self.curve.extend(scenery.curve.iter().map(|v| *v as i16));
    }

    /// Makes `made` of `light`.
    pub fn run(&mut self, cpu: Cpu<'_>, plan: &Plan, numbers: &Scenery, light: &Grid<u16>, made: &mut Grid<u16>) {
        let SceneryKernel { base, guides, remapped, made: results, curve } = self;
        let width = base.width;
        base.make(cpu, |y, to| {
            let lights = &light.samples[y * width..];
            to.iter_mut().zip(lights).for_each(|(to, v)| *to = curve[usize::from(*v)]);
        });
        fill(cpu, light, curve, guides);
        for (j, levels) in remapped.iter_mut().enumerate() {
            fill(cpu, base, &numbers.remap[j * ENTRIES..][..ENTRIES], levels);
        }
        let depth = numbers.pyramid.depth();
        results[depth - 1].samples.copy_from_slice(&guides[depth - 1].samples);
        for level in (0..depth).rev() {
            let (finer, coarser) = results.split_at_mut(level);
            let above = &coarser[0];
            let guide = if level == 0 { &*base } else { &guides[level - 1] };
            let rows = |y: usize, target: LevelTarget<'_>| {
                let remap = &numbers.remap;
                cpu.work(SceneryRows { level, pyramid: &numbers.pyramid, remap, remapped, guide, above, y, target });
            };
            match finer.last_mut() {
                Some(to) => to.make(cpu, |y, to| rows(y, LevelTarget::Level(to))),
                None => made.make(cpu, |y, made| rows(y, LevelTarget::Light { plan, light, base: curve, made })),
            }
        }
    }
}

/// Rows of a level.
struct SceneryRows<'a> {
    level: usize,
    pyramid: &'a Pyramid,
    remap: &'a [i16],
    remapped: &'a [Vec<Grid<i16>>],
    guide: &'a Grid<i16>,
    above: &'a Grid<i16>,
    y: usize,
    target: LevelTarget<'a>,
}

impl RowWork for SceneryRows<'_> {
    #[inline(always)]
    fn run(mut self, _: &mut Scratch) {
        let width = self.guide.width;
        let (mut up, mut sum, mut sums) = ([0; PART], [0; PART], [0; PART / 2 + 2]);
        for i in 0..self.target.rows(width) {
            let y = self.y + i;
            for x in (0..width).step_by(PART) {
                let count = PART.min(width - x);
                let guide = &self.guide.row(y)[x..][..count];
                let (up, sum) = (&mut up[..count], &mut sum[..count]);
                sum.fill(1024);
                let (least, most) = guide.iter().fold((i16::MAX, 0), |(least, most), g| (least.min(*g), most.max(*g)));
                for j in usize::from(least as u16 >> 11)..=usize::from(most as u16 >> 11) + 1 {
                    let levels = &self.remapped[j];
                    up_part(&levels[self.level], x, y, &mut sums, up);
                    let middle = 2048 * j as i32;
                    // The two pictures about a sample share it: a hat of each, two steps wide.
                    let mut add = |k: usize, own: i16| {
                        let share = (2048 - (i32::from(guide[k]) - middle).abs()).max(0);
                        sum[k] += (i32::from(own) - up[k]) * share;
                    };
                    if self.level == 0 {
                        let table = &self.remap[j * ENTRIES..][..ENTRIES];
                        (0..count).for_each(|k| add(k, table[guide[k] as usize]));
                    } else {
                        let own = &levels[self.level - 1].row(y)[x..][..count];
                        (0..count).for_each(|k| add(k, own[k]));
                    }
                }
                sum.iter_mut().for_each(|sum| *sum = (*sum >> 11).clamp(-32_767, 32_767));
                up_part(self.above, x, y, &mut sums, up);
                amplify_part(self.pyramid, self.level, sum, up);
                self.target.put(width, (x, i), y, up);
            }
        }
    }
}

/// The pyramids of `mixed`: two of weights, three of exposures.
pub struct MixedKernel {
    tables: [Vec<i16>; 5],
    pyramids: [Vec<Grid<i16>>; 5],
    made: Vec<Grid<i16>>,
    base: Vec<i16>,
}

impl MixedKernel {
    pub fn new(mixed: &Mixed) -> MixedKernel {
        let mut kernel = MixedKernel {
            tables: std::array::from_fn(|_| Vec::new()),
            pyramids: std::array::from_fn(|_| levels(&mixed.pyramid)),
            made: levels(&mixed.pyramid),
            base: Vec::new(),
        };
        kernel.take_tables(mixed);
        kernel
    }

    /// Takes the tables of `mixed` as they are now.
    pub fn take_tables(&mut self, mixed: &Mixed) {
        for (k, table) in self.tables.iter_mut().chain([&mut self.base]).enumerate() {
            table.clear();
            table.extend(mixed.exposures.iter().map(|e| match k {
                0 | 1 => e.weights[k],
                2..5 => e.values[k - 2],
                _ => e.base,
            }));
        }
    }

    /// Makes `made` of `light`.
    pub fn run(&mut self, cpu: Cpu<'_>, plan: &Plan, numbers: &Mixed, light: &Grid<u16>, made: &mut Grid<u16>) {
        let MixedKernel { tables, pyramids, made: results, base } = self;
        for (table, levels) in tables.iter().zip(&mut *pyramids) {
            fill(cpu, light, table, levels);
        }
        let depth = numbers.pyramid.depth();
        let last = pyramids.each_ref().map(|levels| &levels[depth - 1].samples[..]);
        for (i, to) in results[depth - 1].samples.iter_mut().enumerate() {
            let [dark, bright, values @ ..] = last.map(|samples| i32::from(samples[i]));
            *to = fused(dark, bright, values) as i16;
        }
        for level in (0..depth).rev() {
            let (finer, coarser) = results.split_at_mut(level);
            let above = &coarser[0];
            let rows = |y: usize, target: LevelTarget<'_>| {
                let pyramid = &numbers.pyramid;
                cpu.work(MixedRows { level, pyramid, tables, pyramids, light, above, y, target });
            };
            match finer.last_mut() {
                Some(to) => to.make(cpu, |y, to| rows(y, LevelTarget::Level(to))),
                None => made.make(cpu, |y, made| rows(y, LevelTarget::Light { plan, light, base, made })),
            }
        }
    }
}

/// Values of three exposures, weighed.
#[inline(always)]
fn fused(dark: i32, bright: i32, values: [i32; 3]) -> i32 {
    (dark * values[0] + (16_384 - dark - bright) * values[1] + bright * values[2] + 8192) >> 14
}

/// Rows of a level.
struct MixedRows<'a> {
    level: usize,
    pyramid: &'a Pyramid,
    tables: &'a [Vec<i16>; 5],
    pyramids: &'a [Vec<Grid<i16>>; 5],
    light: &'a Grid<u16>,
    above: &'a Grid<i16>,
    y: usize,
    target: LevelTarget<'a>,
}

impl RowWork for MixedRows<'_> {
    #[inline(always)]
    fn run(mut self, _: &mut Scratch) {
        let width = self.pyramid.sizes[self.level].0;
        let (mut up, mut own, mut sums) = ([[0; PART]; 4], [[0; PART]; 5], [0; PART / 2 + 2]);
        let mut fused_part = [0; PART];
        for i in 0..self.target.rows(width) {
            let y = self.y + i;
            for x in (0..width).step_by(PART) {
                let count = PART.min(width - x);
                for (k, own) in own.iter_mut().enumerate() {
                    if self.level == 0 {
                        let light = &self.light.row(y)[x..];
                        own.iter_mut().zip(light).for_each(|(own, v)| *own = self.tables[k][usize::from(*v)]);
                    } else {
                        own[..count].copy_from_slice(&self.pyramids[k][self.level - 1].row(y)[x..][..count]);
                    }
                }
                let halves = [2, 3, 4].map(|k| &self.pyramids[k][self.level]);
                for (up, half) in up.iter_mut().zip(halves.into_iter().chain([self.above])) {
                    up_part(half, x, y, &mut sums, &mut up[..count]);
                }
                let fused_part = &mut fused_part[..count];
                let [dark, bright, values @ ..] = own.each_ref().map(|own| &own[..count]);
                let [first, second, third, made] = &mut up;
                let (first, second, third, made) =
                    (&first[..count], &second[..count], &third[..count], &mut made[..count]);
                for k in 0..count {
                    let value = |e: usize| i32::from(values[e][k]);
                    let fine = [value(0) - first[k], value(1) - second[k], value(2) - third[k]];
                    fused_part[k] = fused(dark[k].into(), bright[k].into(), fine);
                }
                amplify_part(self.pyramid, self.level, fused_part, made);
                self.target.put(width, (x, i), y, made);
            }
        }
    }
}
