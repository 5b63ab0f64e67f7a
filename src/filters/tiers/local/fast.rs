//! The fast kernel: a band's rows pass through rings that hold what is read of each source, widened and with their borders
//! repeated, so that a vector of results is made from whole vectors of samples.

use super::plan::{Area, ComponentPlan, Plan};
use super::{Around, ComponentSource, Local, MOST_RADIUS, MOST_SOURCES, Near};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::local::tuning::cpu::{BAND, MOST_LANES};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::lanes::Pack;
use crate::simd::rows::{copy, narrow, widen};
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Rows of sources that a row of results is made from, at most.
const MOST_ROWS: usize = MOST_SOURCES * (2 * MOST_RADIUS + 1);

/// The kernel.
pub(super) struct Fast<T: Local> {
    plan: Plan<T>,
    level: CpuLevel,
    scratch: Stock<Scratch>,
}

impl<T: Local> Fast<T> {
    /// The kernel of `plan` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan<T>, level: CpuLevel) -> Result<Fast<T>> {
        level.require()?;
        Ok(Fast { scratch: Stock::new(Scratch::new(&plan)), plan, level })
    }
}

impl<T: Local> CpuKernel for Fast<T> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (this, applies) = (&*self, self.plan.applies(props));
        exec.bands(&mut dst, BAND, |index, rows, mut band| {
            let own = src.here()[index];
            let Some(part) = this.plan.components[index].as_ref().filter(|_| applies) else {
                return copy(&own, rows, &mut band);
            };
            let plane = |source: &ComponentSource| src.at(source.input, source.offset)[source.component];
            let planes = std::array::from_fn(|i| part.sources.get(i).map_or(own, plane));
            let work = Band::<T> { part, planes, own, rows, radius: this.plan.radius };
            // SAFETY: `new` checked that the processor has the level.
            let filter = |scratch: &mut Scratch| unsafe { run_band(this.level, &work, &mut band, scratch) };
            this.scratch.with(|| Scratch::new(&this.plan), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// A band of rows to filter.
struct Band<'a, T: Local> {
    part: &'a ComponentPlan<T::Consts>,
    /// Of the sources.
    planes: [PlaneRef<'a>; MOST_SOURCES],
    /// The component itself.
    own: PlaneRef<'a>,
    rows: Range<usize>,
    radius: usize,
}

/// `band` compiled for `level`, with vectors as wide as its registers.
///
/// # Safety
/// The processor has `level`.
unsafe fn run_band<T: Local>(level: CpuLevel, work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<T: Local>(work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
            band::<T, 16>(work, dst, scratch);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<T: Local>(work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
            band::<T, MOST_LANES>(work, dst, scratch);
        }
        match level {
            CpuLevel::Portable => {}
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => return unsafe { avx2(work, dst, scratch) },
            // SAFETY: as above.
            CpuLevel::Avx512 => return unsafe { avx512(work, dst, scratch) },
        }
    }
    let _ = level;
    band::<T, 8>(work, dst, scratch);
}

#[inline(always)]
fn band<T: Local, const N: usize>(work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    let Band { part, own, radius, .. } = work;
    let Area { columns, rows: inside } = &part.area;
    let last = own.height() - 1;
    let mut read = work.rows.start.max(inside.start).saturating_sub(*radius);
    for (row, y) in work.rows.clone().enumerate() {
        if columns.len() < own.width() || !inside.contains(&y) {
            copy(own, y..y + 1, &mut dst.one_row(row));
        }
        if columns.is_empty() || !inside.contains(&y) {
            continue;
        }
        while read <= (y + radius).min(last) {
            (0..part.sources.len()).for_each(|source| scratch.fill(work, source, read));
            read += 1;
        }
        scratch.make_row::<T, N>(work, y, last);
        narrow(dst, columns.start, row, &scratch.lanes[..columns.len()]);
    }
}

/// What a thread works in.
struct Scratch {
    /// The lanes of the rows that are read of each source; row y lies at `y % (2·radius + 1)`.
    ring: Vec<u16>,
    /// From one row there to the next.
    stride: usize,
    /// The result.
    lanes: Vec<u16>,
    /// Samples of a row that is shrunk, and of the one below.
    pair: [Vec<u16>; 2],
}

impl Scratch {
    fn new<T: Local>(plan: &Plan<T>) -> Scratch {
        // A vector at the end of a row may be half outside.
        let whole = plan.setup.input.width.next_multiple_of(MOST_LANES);
        let stride = whole + 2 * plan.radius;
        let shrinks = plan.components.iter().flatten().flat_map(|part| &part.sources).any(|s| s.shrink != (0, 0));
        let widest = plan.setup.inputs().iter().map(|input| input.width).max().filter(|_| shrinks).unwrap_or(0);
        Scratch {
            ring: vec![0; plan.most_sources() * (2 * plan.radius + 1) * stride],
            stride,
            lanes: vec![0; whole],
            pair: [vec![0; widest], vec![0; widest]],
        }
    }

    /// Reads what is wanted of row `y` of a source, and repeats its ends beyond the border.
    #[inline(always)]
    fn fill<T: Local>(&mut self, work: &Band<'_, T>, source: usize, y: usize) {
        let (radius, columns) = (work.radius, &work.part.area.columns);
        let (plane, ComponentSource { origin, shrink, .. }) = (&work.planes[source], work.part.sources[source]);
        let row = &mut self.ring[(source * (2 * radius + 1) + y % (2 * radius + 1)) * self.stride..];
        let lanes = &mut row[radius..][..columns.len()];
        let (x, y) = (columns.start.wrapping_add_signed(-origin.0), y.wrapping_add_signed(-origin.1));
        if shrink == (0, 0) {
            widen(plane, x, y, lanes);
        } else {
            shrink_row(plane, shrink, (x, y), &mut self.pair, lanes);
        }
        let (first, last) = (row[radius], row[radius + columns.len() - 1]);
        row[..radius].fill(first);
        row[radius + columns.len()..][..radius].fill(last);
    }

    /// The results of row `y`.
    #[inline(always)]
    fn make_row<T: Local, const N: usize>(&mut self, work: &Band<'_, T>, y: usize, last: usize) {
        let (part, radius) = (work.part, work.radius);
        let (height, sources) = (2 * radius + 1, part.sources.len());
        let mut rows = [std::ptr::null(); MOST_ROWS];
        for (i, row) in rows.iter_mut().enumerate().take(sources * height) {
            let y = (y + i % height).saturating_sub(radius).min(last);
            *row = self.ring[(i / height * height + y % height) * self.stride..][..self.stride].as_ptr();
        }
        let width = part.area.columns.len();
        let table = &part.table[..];
        // The function is called in one place, where the compiler then puts it: elsewhere it would lack the level.
        for (i, lanes) in self.lanes[..width.next_multiple_of(N)].as_chunks_mut::<N>().0.iter_mut().enumerate() {
            let around = Vectors::<N> { rows: &rows, sources, radius, x: i * N, table };
            *lanes = T::lanes::<Pack<N>>(&part.consts, &around).0;
        }
    }
}

/// Means of four samples of `plane`, from what is column `x` of row `y` when it is shrunk on.
fn shrink_row(
    plane: &PlaneRef<'_>,
    shrink: (u8, u8),
    (x, y): (usize, usize),
    pair: &mut [Vec<u16>; 2],
    out: &mut [u16],
) {
    let (width, last) = (plane.width(), plane.height() - 1);
    let y = y << shrink.1;
    let [above, below] = pair;
    widen(plane, 0, y, &mut above[..width]);
    widen(plane, 0, (y + usize::from(shrink.1 > 0)).min(last), &mut below[..width]);
    for (i, out) in out.iter_mut().enumerate() {
        let x = (x + i) << shrink.0;
        let right = (x + usize::from(shrink.0 > 0)).min(width - 1);
        let sum = [above[x], above[right], below[x], below[right]].map(u32::from).iter().sum::<u32>();
        *out = ((sum + 2) / 4) as u16;
    }
}

/// The samples around `N` places side by side.
struct Vectors<'a, const N: usize> {
    /// The rows of each source, the highest first: each has `radius` samples before the first place of a row, and behind the
    /// last as many and a vector's rest.
    rows: &'a [*const u16; MOST_ROWS],
    sources: usize,
    radius: usize,
    /// The first place.
    x: usize,
    table: &'a [u16],
}

impl<const N: usize> Vectors<'_, N> {
    /// Where the sample at the first place is, moved by as much.
    #[inline(always)]
    fn address(&self, source: usize, dx: isize, dy: isize) -> *const u16 {
        let is_near = |distance: isize| distance.unsigned_abs() <= self.radius;
        assert!(source < self.sources && is_near(dx) && is_near(dy), "a sample that the filter does not read");
        let row = self.rows[source * (2 * self.radius + 1) + self.radius.wrapping_add_signed(dy)];
        // SAFETY: by the assertion, the column is one of the row's.
        unsafe { row.add((self.x + self.radius).wrapping_add_signed(dx)) }
    }
}

impl<const N: usize> Near<Pack<N>> for Vectors<'_, N> {
    #[inline(always)]
    fn at(&self, source: usize, dx: isize, dy: isize) -> Pack<N> {
        // SAFETY: rows have all columns of a vector that begins inside.
        Pack(unsafe { self.address(source, dx, dy).cast::<[u16; N]>().read_unaligned() })
    }

    #[inline(always)]
    fn look_up(&self, value: u16) -> u16 {
        self.table[usize::from(value)]
    }
}

impl<const N: usize> Around<Pack<N>> for Vectors<'_, N> {
    #[inline(always)]
    fn lane(&self, lane: usize) -> impl Near<u16> {
        debug_assert!(lane < N);
        LaneView { vectors: self, lane: lane % N }
    }
}

/// The samples around one of them.
struct LaneView<'a, const N: usize> {
    vectors: &'a Vectors<'a, N>,
    lane: usize,
}

impl<const N: usize> Near<u16> for LaneView<'_, N> {
    #[inline(always)]
    fn at(&self, source: usize, dx: isize, dy: isize) -> u16 {
        // SAFETY: as for a vector, of which the lane is one.
        unsafe { *self.vectors.address(source, dx, dy).add(self.lane) }
    }

    #[inline(always)]
    fn look_up(&self, value: u16) -> u16 {
        self.vectors.table[usize::from(value)]
    }
}
