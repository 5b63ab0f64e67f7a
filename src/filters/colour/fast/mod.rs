//! The fast kernel: bands of rows. A row's chroma is read between its samples, the row becomes R'G'B' in vectors, and its part
//! of the result's chroma is added to sums.

mod cube;
mod pixels;
mod simd;

use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::colour::recipe::Recipe;
use crate::filters::colour::siting::Site;
use crate::filters::colour::tuning::cpu::BAND;
use crate::filters::colour::ycbcr::{BITS, Encode, TOP};
use crate::filters::requant::NEUTRAL;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::by_level;
use crate::simd::rows::{narrow, widen};
use crate::video::{PlaneMut, Planes};
use pixels::Rows;
use simd::MOST_LANES;
use std::ops::Range;

/// The kernel.
pub struct Fast {
    recipe: Recipe,
    level: CpuLevel,
    scratch: Stock<Scratch>,
}

impl Fast {
    /// The kernel of `recipe` at `level`, for pictures `width` wide.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(recipe: Recipe, width: usize, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        Ok(Fast { recipe, level, scratch: Stock::new(Scratch::new(width)) })
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, job: CpuJob<'_>) {
        self.recipe.follow(&job);
        let (src, dst) = (job.src.here(), job.dst);
        let (this, width, height) = (&*self, src[0].width(), src[0].height());
        job.exec.each(height.div_ceil(BAND), |band| {
            let rows = band * BAND..((band + 1) * BAND).min(height);
            let pace = this.recipe.made_at[1].pace();
            let of_chroma = rows.start / pace..rows.end.div_ceil(pace);
            let of = |component: usize| if component == 0 || this.recipe.gives_rgb { &rows } else { &of_chroma };
            // SAFETY: each band has other rows of each component, since bands begin at pairs of rows; `dst` is borrowed by
            // this call alone.
            let mut parts = [0, 1, 2].map(|component| unsafe { dst.get(component).band(of(component).clone()) });
            this.scratch.with(
                || Scratch::new(width),
                |scratch| {
                    let mut band = Band { recipe: &this.recipe, level: this.level, src, scratch, rows: rows.clone() };
                    band.make(&mut parts);
                },
            );
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// What a thread works in.
struct Scratch {
    /// A row of chroma, and the weighed sum of two.
    lanes: Vec<u16>,
    sums: Vec<u32>,
    /// A row's components at every place of luma, and what becomes of it.
    parts: Rows,
    made: Rows,
    /// Of a row of the result's chroma and of the next one: sums in sixteenths.
    chroma: [[Vec<u32>; 3]; 2],
    /// A row of the result.
    out: Vec<u16>,
}

impl Scratch {
    fn new(width: usize) -> Scratch {
        let lanes = || vec![0; width.next_multiple_of(MOST_LANES)];
        let three = || [lanes(), lanes(), lanes()];
        let sums = || vec![0; width];
        let chroma = || [sums(), sums(), sums()];
        Scratch {
            lanes: lanes(),
            sums: sums(),
            parts: three(),
            made: three(),
            chroma: [chroma(), chroma()],
            out: lanes(),
        }
    }
}

/// A band of rows to make.
struct Band<'a> {
    recipe: &'a Recipe,
    level: CpuLevel,
    src: &'a Planes<'a>,
    scratch: &'a mut Scratch,
    /// Of luma.
    rows: Range<usize>,
}

impl Band<'_> {
    fn make(&mut self, to: &mut [PlaneMut<'_>; 3]) {
        let last = self.src[0].height() - 1;
        let down = self.recipe.made_at[1];
        let has_chroma = !self.recipe.gives_rgb;
        let (pace, covers) = (down.pace(), down.covers());
        // Rows around the band that its chroma is made from too.
        let above = usize::from(has_chroma && covers[0] > 0 && self.rows.start > 0);
        let below = usize::from(has_chroma && covers[3] > 0 && self.rows.end <= last);
        let pairs = self.rows.start / pace..self.rows.end.div_ceil(pace);
        for y in self.rows.start - above..self.rows.end + below {
            self.read(y);
            let Scratch { parts, made, .. } = &mut *self.scratch;
            // SAFETY: `Fast::new` has asked for the level.
            unsafe { pixels::make(self.level, self.recipe, parts, made) };
            if self.rows.contains(&y) {
                self.write(y - self.rows.start, to);
            }
            if !has_chroma {
                continue;
            }
            for pair in (y / pace).saturating_sub(1)..=(y / pace + 1).min(pairs.end - 1) {
                let reads = |k: usize| (pair * pace + k).saturating_sub(1).min(last);
                let weight = (0..4).filter(|k| reads(*k) == y).map(|k| covers[k]).sum();
                if weight == 0 || !pairs.contains(&pair) {
                    continue;
                }
                self.gather(pair % 2, weight);
                if (0..4).filter(|k| covers[*k] > 0).map(reads).max() == Some(y) {
                    self.write_chroma(pair % 2, pair - pairs.start, to);
                }
            }
        }
    }

    /// Reads row `y`, chroma at every place of luma.
    fn read(&mut self, y: usize) {
        let Scratch { lanes, sums, parts, .. } = &mut *self.scratch;
        let width = self.src[0].width();
        let [across, down] = self.recipe.read_at;
        for (c, part) in parts.iter_mut().enumerate() {
            let plane = &self.src[c];
            if c == 0 || (across, down) == (Site::Each, Site::Each) {
                widen(plane, 0, y, &mut part[..width]);
                continue;
            }
            let chroma = plane.width();
            sums[..chroma].fill(0);
            for (row, weight) in down.between(y, plane.height() - 1) {
                if weight > 0 {
                    widen(plane, 0, row, &mut lanes[..chroma]);
                    // SAFETY: `Fast::new` has asked for the level.
                    unsafe { add_row(self.level, &lanes[..chroma], weight, &mut sums[..chroma]) };
                }
            }
            // SAFETY: as above.
            unsafe { spread_row(self.level, across, &sums[..chroma], &mut part[..width]) };
        }
    }

    /// Writes row `row` of the band, of luma or of R, G and B.
    fn write(&mut self, row: usize, to: &mut [PlaneMut<'_>; 3]) {
        let Scratch { made, out, .. } = &mut *self.scratch;
        let (encode, width) = (&self.recipe.encode, self.src[0].width());
        if self.recipe.gives_rgb {
            for (plane, codes) in to.iter_mut().zip(made) {
                // SAFETY: `Fast::new` has asked for the level.
                unsafe { level_row(self.level, encode, &codes[..width], &mut out[..width]) };
                narrow(plane, 0, row, &out[..width]);
            }
            return;
        }
        let rgb = [&made[0][..width], &made[1][..width], &made[2][..width]];
        // SAFETY: as above.
        unsafe { luma_row(self.level, encode, rgb, &mut out[..width]) };
        narrow(&mut to[0], 0, row, &out[..width]);
    }

    /// Adds the row at hand, of this weight, to the sums `into`.
    fn gather(&mut self, into: usize, weight: u32) {
        let Scratch { made, chroma, .. } = &mut *self.scratch;
        let (width, across) = (self.src[0].width(), self.recipe.made_at[0]);
        for (codes, sums) in made.iter().zip(&mut chroma[into]) {
            // SAFETY: `Fast::new` has asked for the level.
            unsafe { gather_row(self.level, across, weight, &codes[..width], sums) };
        }
    }

    /// Writes row `row` of the band's chroma of the sums `from`, and clears them.
    fn write_chroma(&mut self, from: usize, row: usize, to: &mut [PlaneMut<'_>; 3]) {
        let Scratch { chroma, out, .. } = &mut *self.scratch;
        let width = to[1].width();
        let [red, green, blue] = &mut chroma[from];
        let sums = [&red[..width], &green[..width], &blue[..width]];
        for (plane, weights) in to[1..].iter_mut().zip(self.recipe.encode.chroma) {
            // SAFETY: `Fast::new` has asked for the level.
            unsafe { chroma_row(self.level, weights, sums, &mut out[..width]) };
            narrow(plane, 0, row, &out[..width]);
        }
        [red, green, blue].into_iter().for_each(|sums| sums.fill(0));
    }
}

by_level!(add_row = add(lanes: &[u16], weight: u32, sums: &mut [u32]));
by_level!(spread_row = spread(site: Site, sums: &[u32], to: &mut [u16]));
by_level!(level_row = level(encode: &Encode, codes: &[u16], to: &mut [u16]));
by_level!(luma_row = luma(encode: &Encode, rgb: [&[u16]; 3], to: &mut [u16]));
by_level!(gather_row = gather(site: Site, weight: u32, codes: &[u16], sums: &mut [u32]));
by_level!(chroma_row = chroma(weights: [i32; 3], sums: [&[u32]; 3], to: &mut [u16]));

#[inline(always)]
fn add(lanes: &[u16], weight: u32, sums: &mut [u32]) {
    sums.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += weight * u32::from(*lane));
}

/// Chroma in quarters, at every place of luma.
#[inline(always)]
fn spread(site: Site, sums: &[u32], to: &mut [u16]) {
    let last = sums.len() - 1;
    let at = |x: usize| {
        let [(a, weight_a), (b, weight_b)] = site.between(x, last);
        ((sums[a] * weight_a + sums[b] * weight_b + 8) >> 4) as u16
    };
    if site == Site::Each {
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = ((4 * sum + 8) >> 4) as u16);
        return;
    }
    // The weights of both places of a pair, with its sample and those beside it.
    let [even, odd] = match site {
        Site::First => [[0, 4, 0], [0, 2, 2]],
        Site::Second => [[2, 2, 0], [0, 4, 0]],
        Site::Each | Site::Between => [[1, 3, 0], [0, 3, 1]],
    };
    let first = 2.min(to.len());
    for (pair, near) in to[first..].chunks_exact_mut(2).zip(sums.windows(3)) {
        let weighed = |weights: [u32; 3]| near[0] * weights[0] + near[1] * weights[1] + near[2] * weights[2];
        pair[0] = ((weighed(even) + 8) >> 4) as u16;
        pair[1] = ((weighed(odd) + 8) >> 4) as u16;
    }
    let inner = if sums.len() >= 3 { 2..(2 * sums.len() - 2).min(to.len() / 2 * 2) } else { 0..0 };
    (0..inner.start).chain(inner.end..to.len()).for_each(|x| to[x] = at(x));
}

/// `code · span / 65535`, rounded. With n = 65535·q + r, n + 1 + ⌊n / 65536⌋ is 65536·q and less than 65536 more.
#[inline(always)]
fn scaled(code: u32, span: u32) -> u32 {
    let product = code * span + 32767;
    (product + 1 + (product >> 16)) >> 16
}

#[inline(always)]
fn level(encode: &Encode, codes: &[u16], to: &mut [u16]) {
    let (black, span) = (encode.black as u32, encode.span as u32);
    to.iter_mut().zip(codes).for_each(|(to, code)| *to = (black + scaled((*code).into(), span)) as u16);
}

#[inline(always)]
fn luma(encode: &Encode, [red, green, blue]: [&[u16]; 3], to: &mut [u16]) {
    let (black, span) = (encode.black as u32, encode.span as u32);
    let weights = encode.luma.map(i32::cast_unsigned);
    for (((to, red), green), blue) in to.iter_mut().zip(red).zip(green).zip(blue) {
        let sum = u32::from(*red) * weights[0] + u32::from(*green) * weights[1] + u32::from(*blue) * weights[2];
        *to = (black + scaled((sum + (1 << (BITS - 1))) >> BITS, span)) as u16;
    }
}

/// Adds a row to sums of chroma, in sixteenths.
#[inline(always)]
fn gather(site: Site, weight: u32, codes: &[u16], sums: &mut [u32]) {
    let [before, own, after, _] = site.covers();
    if site == Site::Each {
        sums.iter_mut().zip(codes).for_each(|(sum, code)| *sum += 4 * weight * u32::from(*code));
        return;
    }
    let last = codes.len() - 1;
    let at = |x: usize| u32::from(codes[x.min(last)]);
    // Across, chroma is on the first of two places or between them.
    sums[0] += weight * (before * at(0) + own * at(0) + after * at(1));
    for (sum, near) in sums[1..].iter_mut().zip(codes[1..].windows(3).step_by(2)) {
        *sum += weight * (before * u32::from(near[0]) + own * u32::from(near[1]) + after * u32::from(near[2]));
    }
    if last > 0 && last.is_multiple_of(2) {
        sums[last / 2] += weight * (before * at(last - 1) + (own + after) * at(last));
    }
}

/// Cb or Cr of sums in sixteenths.
#[inline(always)]
fn chroma(weights: [i32; 3], [red, green, blue]: [&[u32]; 3], to: &mut [u16]) {
    let mean = |sum: &u32| ((sum + 8) >> 4) as i32;
    for (((to, red), green), blue) in to.iter_mut().zip(red).zip(green).zip(blue) {
        let sum = mean(red) * weights[0] + mean(green) * weights[1] + mean(blue) * weights[2];
        *to = (NEUTRAL + ((sum + (1 << (BITS - 1))) >> BITS)).clamp(0, TOP) as u16;
    }
}
