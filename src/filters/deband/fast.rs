//! The fast kernel: strips of columns whose surroundings fit the first-level cache, row by row.
//!
//! Reading samples at random places is what deband costs, and everything here serves those reads. A strip with its
//! surroundings is first copied to scratch, in one layout for every storage, where components that share their offsets
//! (Cb and Cr, or all of YC48) lie side by side, so that one read fetches a whole pixel.

use super::angle::Angles;
use super::fetch::{expand, fetch, interleave};
use super::plan::{Plan, nearest_row, references};
use super::rows::{SIGN, load, store};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{Portable, Vector, WIDTH};
use super::soft::{Differences, Soft, between};
use super::table::{Draw, Table};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::deband::tuning::cpu::{BAND, STRIP_LANES as LANES, strip};
use crate::filters::{CpuJob, CpuKernel, Setup};
use crate::simd::rows::{copy, prefetch};
use crate::video::{Planes, PlanesMut};
use std::array::from_fn;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The kernel.
pub(super) struct Fast {
    plan: Plan,
    table: Arc<Table>,
    groups: Vec<Group>,
    /// A group's index and some of its rows: what a thread takes at a time.
    bands: Vec<(usize, Range<usize>)>,
    level: CpuLevel,
    scratch: Mutex<Vec<Scratch>>,
    /// With `sample` 7.
    angles: Option<Angles>,
}

/// Components that share their size and offsets.
struct Group {
    components: Range<usize>,
    width: usize,
    height: usize,
    range: usize,
    /// How far references may lie, by column.
    reach: Vec<u8>,
    /// True when no sample can change.
    keeps: bool,
    /// False when no sample can become its average.
    debands: bool,
    constants: Constants,
    /// With `sample` 6 and 7, the shares of each lane's component.
    soft: Vec<Soft>,
    /// Samples between the rows of the scratch copy.
    stride: usize,
    kernel: BandKernel,
}

/// What is the same for every pixel: a vector of each, the components of a group taking turns.
struct Constants {
    threshold: [u16; WIDTH],
    farthest: [u16; WIDTH],
    middle: [u16; WIDTH],
    low: [u16; WIDTH],
    high: [u16; WIDTH],
    noise: [u16; WIDTH],
    /// Steps of noise, `2 · noise + 1`: the high byte ...
    steps_high: [u16; WIDTH],
    /// ... and the low byte.
    steps_low: [u16; WIDTH],
}

/// What a thread works in.
struct Scratch {
    /// The strip and its surroundings.
    copy: Vec<u16>,
    /// With `sample` 7, their angles.
    angles: Vec<u16>,
    row: Box<StripRow>,
}

/// One row of a strip.
#[repr(C, align(64))]
struct StripRow {
    /// Where the references lie: samples from the pixel itself, in the order of [`super::simd::place`].
    offsets: [[i32; LANES]; 4],
    references: [[u16; LANES]; 4],
    own: [u16; LANES],
    result: [u16; LANES],
    /// Angles at the references, and the pixel's own.
    around: [[u16; LANES]; 4],
    angle: [u16; LANES],
}

/// One band of one frame.
struct Band<'a> {
    plan: &'a Plan,
    group: &'a Group,
    table: &'a Table,
    base: usize,
    by_field: bool,
    src: &'a Planes<'a>,
    angles: Option<Planes<'a>>,
    rows: Range<usize>,
}

type BandKernel = unsafe fn(&Band<'_>, &mut PlanesMut<'_>, &mut Scratch);

impl Fast {
    /// The kernel of `plan` at `level`, or at the highest level below it that this processor has.
    ///
    /// # Errors
    /// When there is no memory for the random table or for angles.
    pub(super) fn new(plan: Plan, setup: &Setup, level: CpuLevel) -> Result<Fast> {
        let level = level.min(CpuLevel::detect());
        let table = Table::shared(plan.width, plan.height, plan.seed, plan.rand_each_frame)?;
        // Where groups start, and the end of the last.
        let bounds: &[usize] = match plan.components.len() {
            1 => &[0, 1],
            _ if plan.yc48 => &[0, 3],
            _ => &[0, 1, 3],
        };
        let groups: Vec<Group> = bounds.windows(2).map(|w| Group::new(&plan, w[0]..w[1], level)).collect();
        let mut bands: Vec<(usize, Range<usize>)> = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let rows = group.band();
            let starts = (0..group.height).step_by(rows);
            bands.extend(starts.map(|start| (index, start..(start + rows).min(group.height))));
        }
        // Luma and chroma rows of one number draw from the same bytes, so they are taken together.
        bands.sort_by_key(|(_, rows)| rows.start);
        let angles = (plan.sample == 7).then(|| Angles::new(setup)).transpose()?;
        let mut fast = Fast { plan, table, groups, bands, level, scratch: Mutex::default(), angles };
        fast.reserve(std::thread::available_parallelism().map_or(1, usize::from));
        Ok(fast)
    }

    /// Makes scratch for `threads`. Only an executor with more threads than processors allocates here, once.
    fn reserve(&mut self, threads: usize) {
        let samples = self.groups.iter().map(Group::copy_samples).max().unwrap_or(0);
        let scratch = self.scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
        while scratch.len() < threads {
            scratch.push(Scratch::new(samples, if self.angles.is_some() { samples } else { 0 }));
        }
    }

    fn scratch(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, exec, .. } = job;
        let (src, dst) = (src.here(), &mut dst);
        self.reserve(exec.threads());
        for (c, component) in self.plan.components.iter().enumerate() {
            let size = (component.width, component.height);
            assert_eq!((src[c].width(), src[c].height()), size, "source component {c} has another size");
            assert_eq!((dst.get(c).width(), dst.get(c).height()), size, "target component {c} has another size");
        }
        let by_field = self.plan.by_field(props);
        if let Some(angles) = &mut self.angles {
            angles.look_at(src, by_field, exec);
        }
        let this = &*self;
        let dst: &PlanesMut<'_> = dst;
        let base = this.table.base(props.frame_index, this.plan.rand_each_frame);
        exec.each(this.bands.len(), |i| {
            let (group, rows) = &this.bands[i];
            let group = &this.groups[*group];
            // SAFETY: each band has other rows or other components, and `dst` is borrowed exclusively by this call.
            let views = group.components.clone().map(|c| unsafe { dst.get(c).band(rows.clone()) });
            let mut views = PlanesMut::new(views);
            if group.keeps {
                for (i, component) in group.components.clone().enumerate() {
                    copy(&src[component], rows.clone(), views.get_mut(i));
                }
                return;
            }
            let angles = this.angles.as_ref().map(Angles::planes);
            let (plan, table) = (&this.plan, &*this.table);
            let band = Band { plan, group, table, base, by_field, src, angles, rows: rows.clone() };
            let mut scratch = this.scratch().pop().expect("there is one for each thread");
            // SAFETY: the processor has the level the kernel was chosen for, and the sizes were checked above.
            unsafe { (group.kernel)(&band, &mut views, &mut scratch) };
            this.scratch().push(scratch);
        });
    }

    fn path(&self) -> &'static str {
        match self.level {
            CpuLevel::Portable => "portable",
            CpuLevel::Avx2 => "avx2",
            CpuLevel::Avx512 => "avx512",
        }
    }
}

impl Scratch {
    fn new(samples: usize, angles: usize) -> Scratch {
        let row = StripRow {
            offsets: [[0; LANES]; 4],
            references: [[0; LANES]; 4],
            own: [0; LANES],
            result: [0; LANES],
            around: [[0; LANES]; 4],
            angle: [0; LANES],
        };
        Scratch { copy: vec![0; samples], angles: vec![0; angles], row: Box::new(row) }
    }
}

impl Group {
    fn new(plan: &Plan, components: Range<usize>, level: CpuLevel) -> Group {
        let all = &plan.components[components.clone()];
        let (width, height, range) = (all[0].width, all[0].height, all[0].range);
        let lanes = all.len().next_power_of_two();
        let near = |x: usize| if plan.extend { range } else { range.min(x).min(width - 1 - x) };
        let mut reach: Vec<u8> = (0..width).map(|x| near(x) as u8).collect();
        reach.resize(width.next_multiple_of(WIDTH), 0);
        let sign = if plan.yc48 { i32::from(SIGN) } else { 0 };
        let mut soft = Vec::new();
        if plan.is_soft() {
            soft.extend(all.iter().map(|component| Soft::new(plan, component)));
            soft.resize_with(lanes, Soft::default);
        }
        let lane = |i: usize| all.get(i % lanes);
        let constants = Constants {
            threshold: from_fn(|i| lane(i).map_or(0, |c| c.threshold as u16)),
            farthest: from_fn(|i| lane(i).map_or(0, |c| c.farthest as u16)),
            middle: from_fn(|i| lane(i).map_or(0, |c| c.middle as u16)),
            low: from_fn(|i| lane(i).map_or(0, |c| (c.low + sign) as u16)),
            high: from_fn(|i| lane(i).map_or(0, |c| (c.high + sign) as u16)),
            noise: from_fn(|i| lane(i).map_or(0, |c| c.dither as u16)),
            steps_high: from_fn(|i| lane(i).map_or(0, |c| ((2 * c.dither + 1) >> 8) as u16)),
            steps_low: from_fn(|i| lane(i).map_or(0, |c| ((2 * c.dither + 1) & 255) as u16)),
        };
        // An odd number of cache lines, so that rows do not compete for the same places in the cache.
        let cache_lines = ((strip(lanes) + 2 * range) * all.len()).div_ceil(32) | 1;
        Group {
            width,
            height,
            range,
            reach,
            keeps: components.clone().all(|component| plan.keeps(component)),
            debands: all.iter().any(|c| c.threshold > 0),
            constants,
            soft,
            stride: 32 * cache_lines,
            kernel: kernel(level, components.len(), plan.sample),
            components,
        }
    }

    /// Rows of a band: more where the range is long, since that many more are copied above and below.
    fn band(&self) -> usize {
        BAND.max(2 * self.range)
    }

    /// Rows that references may lie above or below: rounding down to even, in a field, adds one to an odd range.
    fn halo(&self) -> usize {
        self.range.next_multiple_of(2)
    }

    /// Samples of the scratch copy; a pixel of YC48 is read with one sample too many.
    fn copy_samples(&self) -> usize {
        (self.band() + 2 * self.halo()) * self.stride + 1
    }
}

/// The kernel for `components` that lie side by side: N lanes a pixel in vectors, P samples in scratch.
fn kernel(level: CpuLevel, components: usize, sample: i64) -> BandKernel {
    match components {
        1 => of_sample::<1, 1>(level, sample),
        2 => of_sample::<2, 2>(level, sample),
        _ => of_sample::<4, 3>(level, sample),
    }
}

fn of_sample<const N: usize, const P: usize>(level: CpuLevel, sample: i64) -> BandKernel {
    match sample {
        0 => at_level::<N, P, 0>(level),
        1 => at_level::<N, P, 1>(level),
        2 => at_level::<N, P, 2>(level),
        3 => at_level::<N, P, 3>(level),
        4 => at_level::<N, P, 4>(level),
        5 => at_level::<N, P, 5>(level),
        6 => at_level::<N, P, 6>(level),
        _ => at_level::<N, P, 7>(level),
    }
}

fn at_level<const N: usize, const P: usize, const SAMPLE: usize>(level: CpuLevel) -> BandKernel {
    match level {
        #[cfg(target_arch = "x86_64")]
        CpuLevel::Avx512 => avx512::<N, P, SAMPLE>,
        #[cfg(target_arch = "x86_64")]
        CpuLevel::Avx2 => avx2::<N, P, SAMPLE>,
        _ => run_band::<Portable, N, P, SAMPLE>,
    }
}

/// # Safety
/// As [`run_band`], on a processor with AVX-512 F, BW, DQ and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn avx512<const N: usize, const P: usize, const SAMPLE: usize>(
    band: &Band<'_>,
    dst: &mut PlanesMut<'_>,
    scratch: &mut Scratch,
) {
    // SAFETY: as the caller promises.
    unsafe { run_band::<Avx512, N, P, SAMPLE>(band, dst, scratch) }
}

/// # Safety
/// As [`run_band`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const N: usize, const P: usize, const SAMPLE: usize>(
    band: &Band<'_>,
    dst: &mut PlanesMut<'_>,
    scratch: &mut Scratch,
) {
    // SAFETY: as the caller promises.
    unsafe { run_band::<Avx2, N, P, SAMPLE>(band, dst, scratch) }
}

/// Filters `band` of the source into `dst`, which has its rows only.
///
/// # Safety
/// The processor must have the instructions of `V`, and the planes the sizes that the band's group states.
#[inline(always)]
unsafe fn run_band<V: Vector, const N: usize, const P: usize, const SAMPLE: usize>(
    band: &Band<'_>,
    dst: &mut PlanesMut<'_>,
    scratch: &mut Scratch,
) {
    let group = band.group;
    let row = &mut *scratch.row;
    let strip = strip(N);
    for left in (0..group.width).step_by(strip) {
        let len = strip.min(group.width - left);
        let vectors = len.div_ceil(WIDTH);
        // SAFETY: the strip is inside the group's components.
        unsafe { copy_strip::<P>(band, band.src, left, len, &mut scratch.copy) };
        if let (7, Some(angles)) = (SAMPLE, &band.angles) {
            // SAFETY: angles have the components' sizes.
            unsafe { copy_strip::<P>(band, angles, left, len, &mut scratch.angles) };
        }
        for (i, y) in band.rows.clone().enumerate() {
            let ahead = if left + strip < group.width { (left + strip, i) } else { (0, i + group.band()) };
            touch(band, dst, ahead, strip);
            let at = (i + group.halo()) * group.stride + group.range * P;
            let centre = &scratch.copy[at..];
            // SAFETY: the processor has the instructions of `V`. Offsets reach no farther than the group's range by
            // column and its halo by row, which is what the copy has around the strip; beyond its last column they
            // are zero.
            unsafe {
                if group.debands {
                    if band.by_field {
                        place_references::<V, P, SAMPLE, true>(band, left, y, vectors, &mut row.offsets);
                    } else {
                        place_references::<V, P, SAMPLE, false>(band, left, y, vectors, &mut row.offsets);
                    }
                    let offsets = &row.offsets[..references(SAMPLE)];
                    fetch_references::<N, P>(centre, offsets, vectors, &mut row.references);
                    if SAMPLE == 7 {
                        let centre = &scratch.angles[at..];
                        fetch_references::<N, P>(centre, offsets, vectors, &mut row.around);
                        expand::<N, P>(centre.as_ptr(), row.angle[..vectors * WIDTH * N].as_chunks_mut::<N>().0);
                    }
                }
                let own = if N == P {
                    &centre[..vectors * WIDTH * N]
                } else {
                    expand::<N, P>(centre.as_ptr(), row.own[..vectors * WIDTH * N].as_chunks_mut::<N>().0);
                    &row.own[..vectors * WIDTH * N]
                };
                let (references, angles) = (&row.references, (&row.angle, &row.around));
                if band.plan.blur_first {
                    blend::<V, N, SAMPLE, true>(band, left, y, own, references, angles, &mut row.result);
                } else {
                    blend::<V, N, SAMPLE, false>(band, left, y, own, references, angles, &mut row.result);
                }
                store::<N, P>(&row.result.as_chunks::<N>().0[..len], dst, left, i);
            }
        }
    }
}

/// Reads what lies at each of `offsets` from the pixels of a strip's row, which begin at `centre`.
///
/// # Safety
/// The offsets must lie inside what `centre` is of.
#[inline(always)]
unsafe fn fetch_references<const N: usize, const P: usize>(
    centre: &[u16],
    offsets: &[[i32; LANES]],
    vectors: usize,
    out: &mut [[u16; LANES]; 4],
) {
    for (offsets, out) in offsets.iter().zip(out) {
        for v in 0..vectors {
            let offsets = &offsets.as_chunks::<WIDTH>().0[v];
            let out = &mut out.as_chunks_mut::<N>().0.as_chunks_mut::<WIDTH>().0[v];
            // SAFETY: by the caller.
            unsafe { fetch::<N, P>(centre.as_ptr().add(v * WIDTH * P), offsets, out) };
        }
    }
}

/// Copies of `src` the strip of `len` columns from `left` on, and what its references may reach, to `copy`:
/// the pixel (x, y) goes to column x − left + range of row y − band.rows.start + halo.
///
/// # Safety
/// The strip must be inside the group's components of `src`.
#[inline(always)]
unsafe fn copy_strip<const P: usize>(band: &Band<'_>, src: &Planes<'_>, left: usize, len: usize, copy: &mut [u16]) {
    let (group, range, halo) = (band.group, band.group.range, band.group.halo());
    let columns = left.saturating_sub(range)..(left + len + range).min(group.width);
    let rows = band.rows.start as isize - halo as isize..(band.rows.end + halo) as isize;
    for (row, y) in rows.enumerate() {
        let inside = nearest_row(y, group.height, band.by_field);
        if !band.plan.extend && inside as isize != y {
            continue;
        }
        let at = row * group.stride;
        let own = at + (columns.start + range - left) * P..at + (columns.end + range - left) * P;
        // SAFETY: the columns and rows were cut to the components.
        unsafe { load::<P>(&src[group.components.clone()], columns.start, inside, &mut copy[own.clone()]) };
        if band.plan.extend {
            repeat_ends::<P>(&mut copy[at..at + (len + 2 * range) * P], own.start - at..own.end - at);
        }
    }
}

/// Fills a row outside `inside` with its first and its last pixel.
#[inline(always)]
fn repeat_ends<const P: usize>(row: &mut [u16], inside: Range<usize>) {
    let row = row.as_chunks_mut::<P>().0;
    let (start, end) = (inside.start / P, inside.end / P);
    let (first, last) = (row[start], row[end - 1]);
    row[..start].fill(first);
    row[end..].fill(last);
}

/// Asks the cache for the random bytes and the target of `len` columns from `left` on, in row `i` of the band.
///
/// A strip is too narrow for the processor to see what comes next; asking one strip ahead saved a third of the time.
#[inline(always)]
fn touch(band: &Band<'_>, dst: &mut PlanesMut<'_>, (left, i): (usize, usize), len: usize) {
    let y = band.rows.start + i;
    for draw in [Draw::RefA, Draw::RefB].into_iter().chain(band.group.components.clone().map(Draw::Dither)) {
        prefetch(band.table.address(draw, band.base, left, y), len);
    }
    for c in 0..dst.len() {
        let plane = dst.get_mut(c);
        let pixel = plane.layout().sample.bytes() * usize::from(plane.layout().step);
        let at = i * plane.pitch() + left * pixel;
        prefetch(plane.as_mut_ptr().wrapping_add(at), len * pixel);
    }
}

/// Works out where the references of a strip's row lie.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn place_references<V: Vector, const P: usize, const SAMPLE: usize, const BY_FIELD: bool>(
    band: &Band<'_>,
    left: usize,
    y: usize,
    vectors: usize,
    out: &mut [[i32; LANES]; 4],
) {
    let group = band.group;
    let (above, below) = (y, group.height - 1 - y);
    let room = if SAMPLE == 0 { above } else { above.min(below) };
    // SAFETY: the caller has the instructions.
    let splat = |value: usize| unsafe { V::splat(value as u16) };
    let extend = band.plan.extend;
    let near = splat(if extend { group.range } else { group.range.min(above).min(below) });
    let (one, even) = (splat(1), splat(!1));
    // In a field the first even offset that stays inside is the limit: one that was rounded below it is two less, so
    // taking the larger adds two. Rows that continue the field leave it where it is.
    let limit = if extend { 254 } else { room.min(254) & !1 };
    let highest = splat(limit.wrapping_neg());
    let vertical = |v: V| if BY_FIELD { v.and(even).max_signed(highest) } else { v };

    let bytes = |draw| &band.table.row(draw, band.base, left, y).as_chunks::<WIDTH>().0[..vectors];
    let (a, b) = (bytes(Draw::RefA), bytes(Draw::RefB));
    let reach = &group.reach[left..].as_chunks::<WIDTH>().0[..vectors];
    let [p, m, q, r] = out.each_mut().map(|offsets| &mut offsets.as_chunks_mut::<WIDTH>().0[..vectors]);
    let (row, column) = (group.stride as i16, P as i16);
    for v in 0..vectors {
        // SAFETY: the caller has the instructions.
        let widen = |bytes: &[u8; WIDTH]| unsafe { V::widen(bytes) };
        let n = widen(&reach[v]).min(near);
        let steps = n.add(n).or(one);
        let spread = |bytes: &[u8; WIDTH]| widen(bytes).mul(steps).shift_right_8().sub(n);
        let (a, b) = (spread(&a[v]), spread(&b[v]));
        match SAMPLE {
            0..=2 => vertical(a).weigh(b, (row, column), &mut p[v], &mut m[v]),
            3 => b.weigh(b, (0, column), &mut p[v], &mut m[v]),
            _ => {
                vertical(a).weigh(b, (row, 0), &mut p[v], &mut m[v]);
                b.weigh(b, (0, column), &mut q[v], &mut r[v]);
            }
        }
        if SAMPLE == 2 {
            vertical(b).weigh(a, (-row, column), &mut q[v], &mut r[v]);
        }
    }
}

/// Averages the references of a strip's row, takes the averages that differ little, and adds noise.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
unsafe fn blend<V: Vector, const N: usize, const SAMPLE: usize, const BLUR_FIRST: bool>(
    band: &Band<'_>,
    left: usize,
    y: usize,
    own: &[u16],
    references: &[[u16; LANES]; 4],
    angles: (&[u16; LANES], &[[u16; LANES]; 4]),
    out: &mut [u16; LANES],
) {
    let group = band.group;
    // SAFETY: the caller has the instructions.
    let load = |lanes: &[u16; WIDTH]| unsafe { V::load(lanes) };
    let c = &group.constants;
    let (threshold, low, high) = (load(&c.threshold), load(&c.low), load(&c.high));
    let (noise, steps_high, steps_low) = (load(&c.noise), load(&c.steps_high), load(&c.steps_low));
    let (sign, one) = (load(&[SIGN; WIDTH]), load(&[1; WIDTH]));

    let last = group.components.end - 1;
    let bytes: [&[u8]; N] = from_fn(|lane| {
        let component = (group.components.start + lane).min(last);
        band.table.row(Draw::Dither(component), band.base, left, y)
    });
    let own = own.as_chunks::<WIDTH>().0;
    let [p, m, q, r] = references.each_ref().map(|line| &line.as_chunks::<WIDTH>().0[..own.len()]);
    let out = &mut out.as_chunks_mut::<WIDTH>().0[..own.len()];
    for v in 0..own.len() {
        let own = load(&own[v]);
        let farther = |a: V, b: V| own.abs_diff(a).max(own.abs_diff(b));
        let take = |value: V, farthest: V| {
            let difference = if BLUR_FIRST { own.abs_diff(value) } else { farthest };
            difference.if_less(threshold, value, own)
        };
        let p = load(&p[v]);
        let debanded = match SAMPLE {
            0 => take(p, own.abs_diff(p)),
            1 | 3 => {
                let m = load(&m[v]);
                take(p.average(m), farther(p, m))
            }
            _ => {
                let (m, q, r) = (load(&m[v]), load(&q[v]), load(&r[v]));
                let (s, t) = (p.average(m), q.average(r));
                // Averaging averages rounds up twice. That shows where the second rounding did (s + t is odd) and the
                // first did as well (one of the pairs was odd).
                let twice = p.xor(m).or(q.xor(r)).and(s.xor(t)).and(one);
                let value = s.average(t).sub(twice);
                let farthest = farther(p, m).max(farther(q, r));
                match SAMPLE {
                    2 => take(value, farthest),
                    4 => take(s, farther(p, m)).average(take(t, farther(q, r))),
                    6 | 7 if !group.debands => own,
                    6 | 7 => {
                        let differences = [own.abs_diff(value), farthest, own.abs_diff(s), own.abs_diff(t)];
                        let steady = if SAMPLE == 7 { steady(band, angles, v) } else { [false; WIDTH] };
                        soften::<V, N>(group, own, value, differences, &steady)
                    }
                    _ => {
                        let value = own.abs_diff(value).if_less(threshold, value, own);
                        let value = farthest.if_less(load(&c.farthest), value, own);
                        farther(s, t).if_less(load(&c.middle), value, own)
                    }
                }
            }
        };
        // SAFETY: the caller has the instructions.
        let byte = unsafe { V::widen(&interleave(bytes, v)) };
        // (steps · byte) >> 8 in 16 bits: the high byte's share is whole.
        let noise = byte.mul(steps_high).add(byte.mul(steps_low).shift_right_8()).sub(noise);
        let noisy = debanded.xor(sign).add_signed_saturating(noise).xor(sign);
        noisy.max(low).min(high).store(&mut out[v]);
    }
}

/// Whether the angles at the references of vector `v` differ little from the sample's own.
#[inline(always)]
fn steady(band: &Band<'_>, (own, around): (&[u16; LANES], &[[u16; LANES]; 4]), v: usize) -> [bool; WIDTH] {
    let own = &own.as_chunks::<WIDTH>().0[v];
    let around = around.each_ref().map(|angles| &angles.as_chunks::<WIDTH>().0[v]);
    from_fn(|i| {
        let farthest = around.iter().map(|angles| angles[i].abs_diff(own[i])).max();
        farthest.is_none_or(|farthest| u32::from(farthest) <= band.plan.max_angle)
    })
}

/// What of the distance from `own` to `value` the lanes go, which differ so from the average, the farthest reference, and the
/// middle of each pair.
#[inline(always)]
fn soften<V: Vector, const N: usize>(
    group: &Group,
    own: V,
    value: V,
    differences: [V; 4],
    steady: &[bool; WIDTH],
) -> V {
    let lanes = |vector: V| {
        let mut lanes = [0; WIDTH];
        vector.store(&mut lanes);
        lanes
    };
    let [average, farthest, first, second] = differences.map(lanes);
    let (own, value) = (lanes(own), lanes(value));
    let result = from_fn(|i| {
        let differences = Differences {
            average: average[i],
            farthest: farthest[i],
            middles: [first[i], second[i]],
            is_steady: steady[i],
        };
        let share = group.soft[i % N].share(differences);
        between(own[i].into(), value[i].into(), share) as u16
    });
    // SAFETY: there is a vector, so the processor has its instructions.
    unsafe { V::load(&result) }
}
