//! The fast kernel: bands of rows, each added to the sums of whichever thread has it.

use super::Survey;
use super::brightness::Brightness;
use super::layout::{BINS, CELLS, HISTOGRAM, LEVEL, write};
use super::tuning::cpu::{BAND, TABLES};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::dispatch::{Work, at_level};
use crate::simd::rows::widen;
use crate::video::Planes;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Levels that are counted apart.
pub const LEVELS: usize = 1024;
/// How far these lie below those of 16 bits, and bins of light below light.
pub const LEVEL_SHIFT: u32 = 6;
pub const BIN_SHIFT: u32 = 8;
/// Levels that are black, below 1 %: means leave them out.
pub const BLACK_LEVELS: usize = 10;

/// What is counted of rows.
#[derive(Clone)]
pub struct Sums {
    levels: Vec<u32>,
    bins: Vec<u32>,
    /// Light in each cell.
    cells: Vec<u64>,
    rows: [Vec<u16>; 3],
    light: Vec<u16>,
    level: Vec<u16>,
}

impl Sums {
    /// Of nothing.
    pub fn new(survey: &Survey) -> Sums {
        let lanes = || vec![0; survey.layout.width];
        Sums {
            levels: vec![0; TABLES * LEVELS],
            bins: vec![0; BINS],
            cells: vec![0; survey.layout.cells()],
            rows: [lanes(), lanes(), lanes()],
            light: lanes(),
            level: lanes(),
        }
    }

    /// Adds rows of `src`.
    #[inline(always)]
    pub fn add(&mut self, survey: &Survey, src: &Planes<'_>, rows: Range<usize>) {
        for y in rows {
            self.read(&survey.brightness, src, y);
            let Sums { levels, bins, cells, light, level, .. } = self;
            let first = survey.layout.row_of(y) * survey.layout.columns;
            let mut left = 0;
            for (cell, right) in cells[first..].iter_mut().zip(survey.layout.lefts().skip(1)) {
                *cell += light[left..right].iter().map(|light| u64::from(*light)).sum::<u64>();
                left = right;
            }
            for (light, level) in light.chunks(TABLES).zip(level.chunks(TABLES)) {
                for (table, (light, level)) in light.iter().zip(level).enumerate() {
                    bins[usize::from(light >> BIN_SHIFT)] += 1;
                    levels[table * LEVELS + usize::from(level >> LEVEL_SHIFT)] += 1;
                }
            }
        }
    }

    /// Light and levels of row `y`.
    #[inline(always)]
    fn read(&mut self, brightness: &Brightness, src: &Planes<'_>, y: usize) {
        let Sums { rows, light, level, .. } = self;
        let Brightness { scale, codes } = brightness;
        let width = light.len();
        for (lanes, plane) in rows.iter_mut().zip(src.iter()).take(scale.components()) {
            widen(plane, 0, y, lanes);
        }
        match &scale.rgb {
            None => light.iter_mut().zip(&rows[0]).for_each(|(to, v)| *to = scale.light(*v) as u16),
            Some(_) => (0..width).for_each(|x| light[x] = scale.light_at(&*rows, x) as u16),
        }
        match codes {
            None => level.iter_mut().zip(&*light).for_each(|(to, light)| *to = Brightness::level_of_light(*light)),
            Some(codes) if codes.is_rgb => {
                let [r, g, b] = rows;
                (0..width).for_each(|x| level[x] = codes.code(r[x].max(g[x]).max(b[x]), 0));
            }
            Some(codes) => {
                let [luma, cb, cr] = rows;
                let across = src[1].width();
                for (lanes, plane) in [(&mut *cb, &src[1]), (&mut *cr, &src[2])] {
                    widen(plane, 0, y >> codes.halved.1, &mut lanes[..across]);
                }
                let pace = 1 << codes.halved.0;
                let chroma = cb.iter().zip(&*cr).take(across);
                for ((to, luma), (cb, cr)) in level.chunks_mut(pace).zip(luma.chunks(pace)).zip(chroma) {
                    let most = codes.of_chroma(*cb, *cr);
                    to.iter_mut().zip(luma).for_each(|(to, luma)| *to = codes.code(*luma, most));
                }
            }
        }
    }

    /// Adds what others have of other rows, and leaves nothing there.
    fn join(&mut self, other: &mut Sums) {
        let both = [(&mut self.levels, &mut other.levels), (&mut self.bins, &mut other.bins)];
        for (mine, other) in both {
            mine.iter_mut().zip(other).for_each(|(mine, other)| *mine += std::mem::take(other));
        }
        self.cells.iter_mut().zip(&mut other.cells).for_each(|(mine, other)| *mine += std::mem::take(other));
    }

    /// Writes the survey's words down, and leaves nothing.
    pub fn finish(&mut self, survey: &Survey, words: &mut [u32]) {
        let layout = &survey.layout;
        let count = |level: usize| (0..TABLES).map(|table| u64::from(self.levels[table * LEVELS + level])).sum();
        words[LEVEL] = survey.level((0..LEVELS).map(count));
        words[HISTOGRAM..CELLS].copy_from_slice(&self.bins);
        let rows = self.cells.chunks(layout.columns).zip(words[CELLS..].chunks_mut(layout.columns));
        for (row, (cells, words)) in rows.enumerate() {
            let widths = layout.lefts().skip(1).zip(layout.lefts()).map(|(right, left)| right - left);
            for ((word, sum), width) in words.iter_mut().zip(cells).zip(widths) {
                let count = (width * layout.rows_of(row)) as u64;
                *word = ((sum + count / 2) / count) as u32;
            }
        }
        self.levels.fill(0);
        self.bins.fill(0);
        self.cells.fill(0);
    }
}

/// The kernel.
pub struct Fast {
    survey: Survey,
    level: CpuLevel,
    spare: Mutex<Vec<Sums>>,
    /// What is written down.
    words: Vec<u32>,
}

impl Fast {
    /// The kernel of `survey` at `level`.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub fn new(survey: Survey, level: CpuLevel) -> Result<Fast> {
        level.require()?;
        let words = vec![0; survey.layout.words()];
        Ok(Fast { spare: Mutex::new(vec![Sums::new(&survey)]), survey, level, words })
    }
}

/// A band of rows.
struct Rows<'a> {
    sums: &'a mut Sums,
    survey: &'a Survey,
    src: &'a Planes<'a>,
    rows: Range<usize>,
}

impl Work for Rows<'_> {
    #[inline(always)]
    fn run(self) {
        self.sums.add(self.survey, self.src, self.rows);
    }
}

impl CpuKernel for Fast {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let (src, height) = (job.src.here(), self.survey.layout.height);
        let lock = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        job.exec.each(height.div_ceil(BAND), |band| {
            let rows = band * BAND..((band + 1) * BAND).min(height);
            let mine = lock().pop();
            let mut sums = mine.unwrap_or_else(|| Sums::new(&self.survey));
            // SAFETY: `new` has asked for the level.
            unsafe { at_level(self.level, Rows { sums: &mut sums, survey: &self.survey, src, rows }) };
            lock().push(sums);
        });
        let mut spare = lock();
        if let Some((first, others)) = spare.split_first_mut() {
            others.iter_mut().for_each(|other| first.join(other));
            first.finish(&self.survey, &mut self.words);
            write(&self.words, job.dst.get_mut(0));
        }
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}
