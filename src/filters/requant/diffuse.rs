//! Error diffusion, with the serial part kept to a few instructions a sample.
//!
//! A sample waits for its left neighbour's residue, five operations long. A few rows run side by side to hide that
//! wait, each one part and one column behind the row above it, so that the residues it needs from there (up to one
//! column to the right) are ready. All else is done for a row or a part at once.

use crate::device::cpu::CpuLevel;
use crate::filters::requant::Requant;
use crate::filters::requant::scaling::{MulShift, Scaling};
use crate::filters::requant::tuning::cpu::{DIFFUSION_CHUNK as CHUNK, DIFFUSION_PART as PART, DIFFUSION_ROWS as ROWS};
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::sync::Mutex;

/// How far a row is behind the one above it.
const LAG: usize = PART + 1;

/// Columns kept beyond both ends of a row, since the rows of a group start and end at different times.
const PAD: usize = ROWS * LAG;

/// Sums of a row, column x at `x + PAD`: before its turn `16·sample + 8`, after it the sample plus the threshold,
/// whose low bits are the residue.
type RowSums = Vec<u32>;

/// The fast kernel of error diffusion.
pub struct Diffuse {
    level: CpuLevel,
    components: [Mapping; 3],
    /// For each component, the row above and the rows that run side by side.
    sums: Vec<Mutex<[RowSums; ROWS + 1]>>,
}

/// How a component's values map.
struct Mapping {
    /// `None` when values only lose their low bits.
    scaling: Option<MulShift>,
    top: u16,
    guard: u32,
    drop: u32,
}

impl Diffuse {
    /// A kernel at `level`, which the processor has.
    pub fn new(requant: Requant, setup: &Setup, level: CpuLevel) -> Diffuse {
        let Requant { guard, drop, .. } = requant;
        let component = |scaling: Scaling| {
            let multiplier = (!scaling.is_identity()).then(|| MulShift::new(scaling, guard));
            Mapping { scaling: multiplier, top: scaling.top as u16, guard, drop }
        };
        let format = setup.input.format;
        let sums = |component| {
            let (width, _) = format.component_size(component, setup.input.width, setup.input.height);
            Mutex::new(std::array::from_fn(|_| vec![0; width + 2 * PAD]))
        };
        let sums = (0..format.components()).map(sums).collect();
        Diffuse { level, components: requant.scalings.map(component), sums }
    }
}

impl CpuKernel for Diffuse {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        let Diffuse { level, components, sums } = &*self;
        // Every row needs the one above: a component is one band.
        let rows = dst.get(0).height();
        exec.bands(dst, rows, |i, _, mut dst| {
            let mut sums = sums[i].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            // SAFETY: the caller of `new` vouches that the processor has the level.
            unsafe { run_plane(*level, &components[i], &mut sums, &src[i], &mut dst) };
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

by_level!(run_plane = plane(
    component: &Mapping,
    sums: &mut [RowSums; ROWS + 1],
    src: &PlaneRef<'_>,
    dst: &mut PlaneMut<'_>,
));

#[inline(always)]
fn plane(component: &Mapping, sums: &mut [RowSums; ROWS + 1], src: &PlaneRef<'_>, dst: &mut PlaneMut<'_>) {
    sums[0].fill(component.no_error());
    let mut y = 0;
    while y + ROWS <= src.height() {
        group::<ROWS>(component, sums, src, dst, y);
        y += ROWS;
    }
    while y < src.height() {
        group::<1>(component, sums, src, dst, y);
        y += 1;
    }
}

/// Diffuses `N` rows from row `y` on, below the row `sums[0]`; the last of them becomes `sums[0]`.
#[inline(always)]
fn group<const N: usize>(
    component: &Mapping,
    sums: &mut [RowSums; ROWS + 1],
    src: &PlaneRef<'_>,
    dst: &mut PlaneMut<'_>,
    y: usize,
) {
    for n in 0..N {
        component.load(src, y + n, &mut sums[n + 1]);
    }
    let mut parts = [[0; PART]; N];
    let mut left = [component.no_error(); N];
    let width = src.width();
    // The last row is (N − 1)·LAG columns behind the first.
    for turn in 0..(width + (N - 1) * LAG).div_ceil(PART) {
        let start = |n: usize| PAD + turn * PART - n * LAG;
        for n in 0..N {
            component.add_above(&sums[n], &sums[n + 1], start(n), &mut parts[n]);
        }
        component.add_left(&mut parts, &mut left);
        for n in 0..N {
            sums[n + 1][start(n)..][..PART].copy_from_slice(&parts[n]);
            sums[n + 1][PAD + width] = component.no_error();
        }
    }
    for n in 0..N {
        component.store(dst, y + n, &sums[n + 1]);
    }
    sums.swap(0, N);
}

impl Mapping {
    /// Bits below a code value.
    #[inline(always)]
    fn fraction_bits(&self) -> u32 {
        self.drop + self.guard
    }

    /// The bits of a residue.
    #[inline(always)]
    fn mask(&self) -> u32 {
        (1 << self.fraction_bits()) - 1
    }

    /// The residue that stands for no error: half a step, which rounds.
    #[inline(always)]
    fn no_error(&self) -> u32 {
        (1 << self.fraction_bits()) / 2
    }

    /// Fills `sums` with row `y`, and "no error" left of it.
    #[inline(always)]
    fn load(&self, src: &PlaneRef<'_>, y: usize, sums: &mut [u32]) {
        sums[..PAD].fill(self.no_error());
        let row = &mut sums[PAD..][..src.width()];
        let mut values = [0; CHUNK];
        for (i, sums) in row.chunks_mut(CHUNK).enumerate() {
            let values = &mut values[..sums.len()];
            widen(src, i * CHUNK, y, values);
            let (guard, top) = (self.guard, self.top);
            let sums = sums.iter_mut().zip(values);
            match self.scaling {
                Some(scaling) => sums.for_each(|(sum, v)| *sum = 16 * scaling.apply(*v) as u32 + 8),
                None => sums.for_each(|(sum, v)| *sum = (u32::from((*v).min(top)) << (guard + 4)) + 8),
            }
        }
    }

    /// A part's sums with the residues of the row above. Left of the row they give "no error"; right of it no one
    /// looks.
    #[inline(always)]
    fn add_above(&self, above: &[u32], sums: &[u32], start: usize, part: &mut [u32; PART]) {
        let mask = self.mask();
        let above = |right: usize| &above[start - 1 + right..][..PART];
        let neighbours = above(0).iter().zip(above(1)).zip(above(2));
        for ((part, sum), ((left, middle), right)) in part.iter_mut().zip(&sums[start..]).zip(neighbours) {
            *part = sum + (left & mask) + 5 * (middle & mask) + 3 * (right & mask);
        }
        let outside = PAD.saturating_sub(start).min(PART);
        part[..outside].fill(9 * self.no_error() + 8);
    }

    /// Completes the sums of `N` independent parts, from left to right.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // The parts advance together.
    fn add_left<const N: usize>(&self, parts: &mut [[u32; PART]; N], left: &mut [u32; N]) {
        let mask = self.mask();
        for i in 0..PART {
            for n in 0..N {
                let sum = (parts[n][i] + 7 * left[n]) >> 4;
                parts[n][i] = sum;
                left[n] = sum & mask;
            }
        }
    }

    /// Stores the code values of `sums` in row `y`.
    #[inline(always)]
    fn store(&self, dst: &mut PlaneMut<'_>, y: usize, sums: &[u32]) {
        let (cut, drop) = (self.fraction_bits(), self.drop);
        let mut values = [0; CHUNK];
        for (i, sums) in sums[PAD..][..dst.width()].chunks(CHUNK).enumerate() {
            let values = &mut values[..sums.len()];
            values.iter_mut().zip(sums).for_each(|(v, sum)| *v = (sum >> cut << drop) as u16);
            narrow(dst, i * CHUNK, y, values);
        }
    }
}
