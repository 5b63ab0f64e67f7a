//! Filters that measure: integers of a frame, whose order does not matter, so that every thread adds up what it meets.
//!
//! Such a filter states its [`Sums`]; the kernels that walk the picture and leave it as it is are here.

use crate::device::cpu::{CpuLevel, place};
use crate::error::Result;
use crate::filters::remap::{Map, apply_plainly};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::{SIGN, copy, widen};
use crate::video::{PlaneRef, Record, SampleType};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What is measured of the components of a frame.
pub trait Sums: Clone + Send + 'static {
    /// Adds row `y` of `component`, in lanes: v16, or YC48 plus 32768.
    fn row(&mut self, component: usize, y: usize, lanes: &[u16]);

    /// Adds what others have of other rows, and leaves nothing there.
    fn join(&mut self, other: &mut Self);

    /// Writes the values down, and leaves nothing.
    fn finish(&mut self, record: &mut Record);
}

/// Rows that a thread takes at a time.
const BAND: usize = 32;

/// The fast kernel: bands of rows, each added to the sums of whichever thread has it.
pub struct Measuring<S> {
    level: CpuLevel,
    /// Sums of nothing.
    empty: S,
    /// As many as there were threads, with a row's lanes each.
    spare: Mutex<Vec<(S, Vec<u16>)>>,
}

impl<S: Sums> Measuring<S> {
    /// A kernel that begins with `empty`.
    ///
    /// # Errors
    /// When this processor lacks `level`.
    pub fn new(empty: S, level: CpuLevel) -> Result<Measuring<S>> {
        level.require()?;
        Ok(Measuring { level, empty, spare: Mutex::default() })
    }
}

impl<S: Sums + Sync> CpuKernel for Measuring<S> {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let Measuring { level, empty, spare } = self;
        let src = job.src.here();
        let bands = |component: usize| src[component].height().div_ceil(BAND);
        job.exec.each((0..src.len()).map(bands).sum(), |band| {
            let (component, band) = place(band, (0..src.len()).map(bands));
            let plane = &src[component];
            let rows = band * BAND..((band + 1) * BAND).min(plane.height());
            let mine = lock(spare).pop();
            let (mut sums, mut lanes) = mine.unwrap_or_else(|| (empty.clone(), Vec::new()));
            lanes.resize(plane.width(), 0);
            // SAFETY: `new` has asked for the level.
            unsafe { add(*level, &mut sums, component, plane, rows, &mut lanes) };
            lock(spare).push((sums, lanes));
        });
        job.exec.bands(&mut job.dst, BAND, |component, rows, mut band| copy(&src[component], rows, &mut band));
        let mut spare = lock(spare);
        if let Some(((first, _), others)) = spare.split_first_mut() {
            others.iter_mut().for_each(|(other, _)| first.join(other));
            first.finish(job.record);
        }
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds `rows` of a plane to `sums`, compiled for `level`.
///
/// # Safety
/// The processor has `level`.
unsafe fn add<S: Sums>(
    level: CpuLevel,
    sums: &mut S,
    component: usize,
    plane: &PlaneRef<'_>,
    rows: Range<usize>,
    lanes: &mut [u16],
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<S: Sums>(sums: &mut S, component: usize, plane: &PlaneRef<'_>, rows: Range<usize>, lanes: &mut [u16]) {
            add_rows(sums, component, plane, rows, lanes);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<S: Sums>(
            sums: &mut S,
            component: usize,
            plane: &PlaneRef<'_>,
            rows: Range<usize>,
            lanes: &mut [u16],
        ) {
            add_rows(sums, component, plane, rows, lanes);
        }
        match level {
            CpuLevel::Portable => add_rows(sums, component, plane, rows, lanes),
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => unsafe { avx2(sums, component, plane, rows, lanes) },
            // SAFETY: as above.
            CpuLevel::Avx512 => unsafe { avx512(sums, component, plane, rows, lanes) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = level;
        add_rows(sums, component, plane, rows, lanes);
    }
}

#[inline(always)]
fn add_rows<S: Sums>(sums: &mut S, component: usize, plane: &PlaneRef<'_>, rows: Range<usize>, lanes: &mut [u16]) {
    for y in rows {
        widen(plane, 0, y, lanes);
        sums.row(component, y, lanes);
    }
}

/// The plain kernel: one sample after the other, in one sum.
pub struct Plain<S>(pub S);

impl<S: Sums> CpuKernel for Plain<S> {
    fn run(&mut self, mut job: CpuJob<'_>) {
        let src = job.src.here();
        for (component, plane) in src.iter().enumerate() {
            for y in 0..plane.height() {
                let lane = |x: usize| match plane.layout().sample {
                    SampleType::I16 => plane.get(x, y) as u16 ^ SIGN,
                    _ => plane.v16(x, y),
                };
                let lanes: Vec<u16> = (0..plane.width()).map(lane).collect();
                self.0.row(component, y, &lanes);
            }
        }
        apply_plainly(&[Map::ROWS; 3], src, &mut job.dst);
        self.0.finish(job.record);
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
