//! The fast kernel: a band's rows pass through rings that hold what is read of each source, widened and with their borders
//! repeated, so that a vector of results is made from whole vectors of samples. Bytes of which the function gives one of those
//! that it reads, by their order, stay bytes.

use super::plan::{Area, ComponentPlan, Plan};
use super::{Around, ComponentSource, Local, MOST_RADIUS, MOST_SOURCES, Near};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::local::tuning::cpu::{BAND, MOST_BYTES, MOST_LANES};
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::lanes::{LaneValue, Pack};
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
            let stay_bytes = this.plan.only_orders && planes.iter().all(|plane| are_bytes(plane, &band));
            let work = Band::<T> { part, planes, own, rows, radius: this.plan.radius, stay_bytes };
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
    stay_bytes: bool,
}

/// Whether both planes are rows of bytes that stand for the same.
fn are_bytes(src: &PlaneRef<'_>, dst: &PlaneMut<'_>) -> bool {
    let layout = src.layout();
    layout == dst.layout() && layout.is_bytes()
}

/// `bands` compiled for `level`, with vectors as wide as its registers.
///
/// # Safety
/// The processor has `level`.
unsafe fn run_band<T: Local>(level: CpuLevel, work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<T: Local>(work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
            bands::<T, 16, 32>(work, dst, scratch);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<T: Local>(work: &Band<'_, T>, dst: &mut PlaneMut<'_>, scratch: &mut Scratch) {
            bands::<T, MOST_LANES, MOST_BYTES>(work, dst, scratch);
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
    bands::<T, 8, 16>(work, dst, scratch);
}

/// The band by vectors of so many words, or bytes.
#[inline(always)]
fn bands<T: Local, const WORDS: usize, const BYTES: usize>(
    work: &Band<'_, T>,
    dst: &mut PlaneMut<'_>,
    scratch: &mut Scratch,
) {
    let Scratch { words, bytes, pair } = scratch;
    if T::ORDERS && work.stay_bytes {
        band::<T, u8, BYTES>(work, dst, bytes, pair);
    } else {
        band::<T, u16, WORDS>(work, dst, words, pair);
    }
}

#[inline(always)]
fn band<T: Local, S: Sample, const N: usize>(
    work: &Band<'_, T>,
    dst: &mut PlaneMut<'_>,
    ring: &mut Ring<S>,
    pair: &mut [Vec<u16>; 2],
) {
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
            (0..part.sources.len()).for_each(|source| ring.fill(work, source, read, pair));
            read += 1;
        }
        ring.make_row::<T, N>(work, y, last);
        S::store(dst, columns.start, row, &ring.lanes[..columns.len()]);
    }
}

/// What a thread works in.
struct Scratch {
    words: Ring<u16>,
    bytes: Ring<u8>,
    /// Samples of a row that is shrunk, and of the one below.
    pair: [Vec<u16>; 2],
}

impl Scratch {
    fn new<T: Local>(plan: &Plan<T>) -> Scratch {
        let shrinks = plan.components.iter().flatten().flat_map(|part| &part.sources).any(|s| s.shrink != (0, 0));
        let widest = plan.setup.inputs().iter().map(|input| input.width).max().filter(|_| shrinks).unwrap_or(0);
        let width = plan.setup.input.width;
        Scratch {
            words: Ring::new(plan, width),
            bytes: Ring::new(plan, if T::ORDERS { width } else { 0 }),
            pair: [vec![0; widest], vec![0; widest]],
        }
    }
}

/// Samples as the function takes them.
trait Sample: LaneValue {
    /// Those of row `y` from column `x` on.
    fn load(plane: &PlaneRef<'_>, x: usize, y: usize, lanes: &mut [Self]);

    /// Stores results there.
    fn store(dst: &mut PlaneMut<'_>, x: usize, y: usize, lanes: &[Self]);
}

impl Sample for u16 {
    #[inline(always)]
    fn load(plane: &PlaneRef<'_>, x: usize, y: usize, lanes: &mut [u16]) {
        widen(plane, x, y, lanes);
    }

    #[inline(always)]
    fn store(dst: &mut PlaneMut<'_>, x: usize, y: usize, lanes: &[u16]) {
        narrow(dst, x, y, lanes);
    }
}

/// Of planes that [`are_bytes`].
impl Sample for u8 {
    #[inline(always)]
    fn load(plane: &PlaneRef<'_>, x: usize, y: usize, lanes: &mut [u8]) {
        lanes.copy_from_slice(&plane.row_u8(y)[x..][..lanes.len()]);
    }

    #[inline(always)]
    fn store(dst: &mut PlaneMut<'_>, x: usize, y: usize, lanes: &[u8]) {
        dst.row_u8_mut(y)[x..][..lanes.len()].copy_from_slice(lanes);
    }
}

/// Rows of samples.
struct Ring<S> {
    /// The lanes of the rows that are read of each source; row y lies at `y % (2·radius + 1)`.
    rows: Vec<S>,
    /// From one row there to the next.
    stride: usize,
    /// The result.
    lanes: Vec<S>,
}

impl<S: Sample> Ring<S> {
    fn new<T: Local>(plan: &Plan<T>, width: usize) -> Ring<S> {
        // A vector at the end of a row may be half outside.
        let whole = width.next_multiple_of(MOST_BYTES);
        let stride = whole + 2 * plan.radius;
        let rows = vec![S::default(); plan.most_sources() * (2 * plan.radius + 1) * stride];
        Ring { rows, stride, lanes: vec![S::default(); whole] }
    }

    /// Reads what is wanted of row `y` of a source, and repeats its ends beyond the border.
    #[inline(always)]
    fn fill<T: Local>(&mut self, work: &Band<'_, T>, source: usize, y: usize, pair: &mut [Vec<u16>; 2]) {
        let (radius, columns) = (work.radius, &work.part.area.columns);
        let (plane, ComponentSource { origin, shrink, .. }) = (&work.planes[source], work.part.sources[source]);
        let row = &mut self.rows[(source * (2 * radius + 1) + y % (2 * radius + 1)) * self.stride..];
        let lanes = &mut row[radius..][..columns.len()];
        let (x, y) = (columns.start.wrapping_add_signed(-origin.0), y.wrapping_add_signed(-origin.1));
        if shrink == (0, 0) {
            S::load(plane, x, y, lanes);
        } else {
            shrink_row(plane, shrink, (x, y), pair, lanes);
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
            *row = self.rows[(i / height * height + y % height) * self.stride..][..self.stride].as_ptr();
        }
        let width = part.area.columns.len();
        let table = &part.table[..];
        // The function is called in one place, where the compiler then puts it: elsewhere it would lack the level.
        for (i, lanes) in self.lanes[..width.next_multiple_of(N)].as_chunks_mut::<N>().0.iter_mut().enumerate() {
            let around = Vectors::<S, N> { rows: &rows, sources, radius, x: i * N, table };
            *lanes = T::lanes::<Pack<S, N>>(&part.consts, &around).0;
        }
    }
}

/// Means of four samples of `plane`, from what is column `x` of row `y` when it is shrunk on.
fn shrink_row<S: Sample>(
    plane: &PlaneRef<'_>,
    shrink: (u8, u8),
    (x, y): (usize, usize),
    pair: &mut [Vec<u16>; 2],
    out: &mut [S],
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
        *out = S::of(((sum + 2) / 4) as u16);
    }
}

/// The samples around `N` places side by side.
struct Vectors<'a, S, const N: usize> {
    /// The rows of each source, the highest first: each has `radius` samples before the first place of a row, and behind the
    /// last as many and a vector's rest.
    rows: &'a [*const S; MOST_ROWS],
    sources: usize,
    radius: usize,
    /// The first place.
    x: usize,
    table: &'a [u16],
}

impl<S, const N: usize> Vectors<'_, S, N> {
    /// Where the sample at the first place is, moved by as much.
    #[inline(always)]
    fn address(&self, source: usize, dx: isize, dy: isize) -> *const S {
        let is_near = |distance: isize| distance.unsigned_abs() <= self.radius;
        assert!(source < self.sources && is_near(dx) && is_near(dy), "a sample that the filter does not read");
        let row = self.rows[source * (2 * self.radius + 1) + self.radius.wrapping_add_signed(dy)];
        // SAFETY: by the assertion, the column is one of the row's.
        unsafe { row.add((self.x + self.radius).wrapping_add_signed(dx)) }
    }
}

impl<S: Sample, const N: usize> Near<Pack<S, N>> for Vectors<'_, S, N> {
    #[inline(always)]
    fn at(&self, source: usize, dx: isize, dy: isize) -> Pack<S, N> {
        // SAFETY: rows have all columns of a vector that begins inside.
        Pack(unsafe { self.address(source, dx, dy).cast::<[S; N]>().read_unaligned() })
    }

    #[inline(always)]
    fn look_up(&self, value: u16) -> u16 {
        self.table[usize::from(value)]
    }
}

impl<S: Sample, const N: usize> Around<Pack<S, N>> for Vectors<'_, S, N> {
    #[inline(always)]
    fn lane(&self, lane: usize) -> impl Near<u16> {
        debug_assert!(lane < N);
        LaneView { vectors: self, lane: lane % N }
    }
}

/// The samples around one of them.
struct LaneView<'a, S, const N: usize> {
    vectors: &'a Vectors<'a, S, N>,
    lane: usize,
}

impl<S: Sample, const N: usize> Near<u16> for LaneView<'_, S, N> {
    #[inline(always)]
    fn at(&self, source: usize, dx: isize, dy: isize) -> u16 {
        // SAFETY: as for a vector, of which the lane is one.
        unsafe { *self.vectors.address(source, dx, dy).add(self.lane) }.into()
    }

    #[inline(always)]
    fn look_up(&self, value: u16) -> u16 {
        self.vectors.table[usize::from(value)]
    }
}
