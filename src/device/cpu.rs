//! The CPU backend: vector levels chosen at run time, and threads that share a frame in bands of rows.

use crate::error::{Error, Kind, Result};
use crate::video::{PlaneMut, PlanesMut};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far the vector instructions of this processor may be used. Every level gives the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CpuLevel {
    /// What the compiler's baseline target has.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl CpuLevel {
    /// Every level, lowest first.
    pub const ALL: [CpuLevel; 3] = [CpuLevel::Portable, CpuLevel::Avx2, CpuLevel::Avx512];

    /// The name, as `--cpu-level` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            CpuLevel::Portable => "portable",
            CpuLevel::Avx2 => "avx2",
            CpuLevel::Avx512 => "avx512",
        }
    }

    /// The highest level this processor has.
    pub fn detect() -> CpuLevel {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                return CpuLevel::Avx512;
            }
            if avx2 {
                return CpuLevel::Avx2;
            }
        }
        CpuLevel::Portable
    }

    /// Refuses a level that this processor lacks.
    ///
    /// # Errors
    /// When it is higher than [`CpuLevel::detect`].
    pub fn require(self) -> Result<()> {
        match self <= Self::detect() {
            true => Ok(()),
            false => Err(Error::unsupported(format!("this processor has no {self}: choose a lower CPU level"))),
        }
    }

    /// The levels this processor has, lowest first.
    pub fn available() -> impl Iterator<Item = CpuLevel> {
        let highest = Self::detect();
        Self::ALL.into_iter().filter(move |level| *level <= highest)
    }
}

impl fmt::Display for CpuLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CpuLevel {
    type Err = Error;

    fn from_str(name: &str) -> Result<CpuLevel> {
        Self::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            Error::bad_argument(format!("CPU level '{name}' is not known: use portable, avx2 or avx512"))
        })
    }
}

/// Runs a filter's work on the CPU: a level and a set of threads.
pub struct CpuExec {
    level: CpuLevel,
    /// The threads beside the caller's own. The caller works as well: it need not be woken.
    helpers: Option<rayon::ThreadPool>,
}

impl CpuExec {
    /// An executor with `threads` threads (0: one for each processor) at `level`.
    ///
    /// # Errors
    /// When this processor lacks `level`, or the threads cannot be started.
    pub fn new(threads: usize, level: CpuLevel) -> Result<CpuExec> {
        let highest = CpuLevel::detect();
        if level > highest {
            return Err(Error::unsupported(format!("this processor has no {level}: its highest level is {highest}")));
        }
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let helpers = (threads > 1)
            .then(|| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads - 1)
                    .thread_name(|i| format!("vramp-cpu-{i}"))
                    .build()
            })
            .transpose()
            .map_err(|e| Error::new(Kind::OutOfMemory, format!("cannot start {threads} filter threads: {e}")))?;
        Ok(CpuExec { level, helpers })
    }

    /// The vector level to use.
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// Threads that share a frame.
    pub fn threads(&self) -> usize {
        1 + self.helpers.as_ref().map_or(0, |helpers| helpers.current_num_threads())
    }

    /// Calls `job(i)` for every `i` below `count`, in any order, on all threads.
    pub fn each(&self, count: usize, job: impl Fn(usize) + Sync + Send) {
        let Some(helpers) = self.helpers.as_ref().filter(|_| count > 1) else { return (0..count).for_each(job) };
        let next = AtomicUsize::new(0);
        let work = || {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count);
            std::iter::from_fn(take).for_each(&job);
        };
        helpers.in_place_scope(|scope| {
            (1..self.threads().min(count)).for_each(|_| scope.spawn(|_| work()));
            work();
        });
    }

    /// Cuts every component of `dst` into bands of `rows` rows and calls `job(component, rows, band)` for each,
    /// in any order, on all threads.
    pub fn bands(
        &self,
        dst: &mut PlanesMut<'_>,
        rows: usize,
        job: impl Fn(usize, Range<usize>, PlaneMut<'_>) + Sync + Send,
    ) {
        assert!(rows > 0);
        let dst: &PlanesMut<'_> = dst;
        let bands_of = |component: usize| dst.get(component).height().div_ceil(rows);
        let count = (0..dst.len()).map(bands_of).sum();
        self.each(count, |i| {
            let (component, band) = place(i, (0..dst.len()).map(bands_of));
            let plane = dst.get(component);
            let range = band * rows..((band + 1) * rows).min(plane.height());
            // SAFETY: each index names other rows of a component, and `dst` is borrowed exclusively by this call.
            job(component, range.clone(), unsafe { plane.band(range) });
        });
    }
}

impl CpuExec {
    /// Cuts all of `data`, which are equally long, into chunks of `size` and calls `job(i, chunks)` for each place, in any order, on
    /// all threads.
    pub fn chunks<T: Send, const N: usize>(
        &self,
        data: [&mut [T]; N],
        size: usize,
        job: impl Fn(usize, [&mut [T]; N]) + Sync + Send,
    ) {
        let len = data.first().map_or(0, |first| first.len());
        assert!(data.iter().all(|data| data.len() == len), "what is cut together is equally long");
        let data = data.map(SharedSlice::new);
        self.each(len.div_ceil(size), |i| {
            let range = i * size..len.min((i + 1) * size);
            // SAFETY: each index names another chunk.
            job(i, data.each_ref().map(|data| unsafe { data.part(range.clone()) }));
        });
    }
}

/// A slice that threads write at the same time, each at places of its own.
pub(crate) struct SharedSlice<'a, T> {
    start: *mut T,
    len: usize,
    _slice: PhantomData<&'a mut [T]>,
}

// SAFETY: a thread gets at the values by `part` alone, whose callers keep the parts apart: each value is one thread's.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// To write `slice`.
    pub fn new(slice: &'a mut [T]) -> SharedSlice<'a, T> {
        SharedSlice { start: slice.as_mut_ptr(), len: slice.len(), _slice: PhantomData }
    }

    /// The values of `range`.
    ///
    /// # Safety
    /// No other part that reaches into the same range is in use at the same time.
    pub unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "part {range:?} is outside 0..{}", self.len);
        // SAFETY: the range lies inside the slice, which is borrowed for 'a, and the caller keeps parts apart.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// Of lists with so many entries each, the one that entry `index` of them all is in, and its place there.
///
/// # Panics
/// When there are not so many.
pub(crate) fn place(mut index: usize, counts: impl IntoIterator<Item = usize>) -> (usize, usize) {
    for (list, count) in counts.into_iter().enumerate() {
        if index < count {
            return (list, index);
        }
        index -= count;
    }
    panic!("there are {index} entries fewer")
}

impl fmt::Debug for CpuExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuExec({}, {} threads)", self.level, self.threads())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{Format, Picture};

    #[test]
    fn chunks_are_met_once() {
        for threads in [1, 3] {
            let exec = CpuExec::new(threads, CpuLevel::Portable).unwrap();
            let mut data = [vec![0; 23], vec![100; 23]];
            let slices = data.each_mut().map(Vec::as_mut_slice);
            exec.chunks(slices, 4, |i, chunks| chunks.into_iter().flatten().for_each(|value| *value += i));
            assert_eq!(data, [0, 100].map(|from| (0..23).map(|i| from + i / 4).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn bands_cover_every_row_once() {
        for threads in [1, 3] {
            let exec = CpuExec::new(threads, CpuLevel::Portable).unwrap();
            let mut picture = Picture::alloc(Format::yuv(1, 1, 8).unwrap(), 5, 23).unwrap();
            exec.bands(&mut picture.planes_mut(), 4, |component, rows, mut band| {
                assert_eq!(band.height(), rows.len());
                for y in 0..band.height() {
                    for value in band.row_u8_mut(y) {
                        *value += 1 + component as u8;
                    }
                }
            });
            for component in 0..3 {
                for y in 0..picture.planes()[component].height() {
                    assert!(picture.planes()[component].row_u8(y).iter().all(|v| *v == 1 + component as u8));
                }
            }
        }
    }
}
