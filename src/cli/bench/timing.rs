//! Medians over memory that no cache holds.

use crate::device::cpu::CpuExec;
use crate::error::Result;
use crate::video::{Format, FrameProps, Picture};
use rand_core::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Pictures are taken in turn from this much memory, which is larger than the caches of today's processors.
const RING_BYTES: usize = 256 << 20;

/// So many pictures are enough in any case: small ones would take longer to fill than to measure.
pub const RING_PICTURES: usize = 1024;

/// How long and how often to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    /// At least this many runs.
    pub runs: usize,
    /// At least this long.
    pub time: Duration,
}

impl Effort {
    /// For a number to quote.
    pub const FULL: Effort = Effort { runs: 12, time: Duration::from_millis(300) };
    /// For a look.
    pub const QUICK: Effort = Effort { runs: 5, time: Duration::from_millis(60) };

    /// That of a run that is to be quick, or not.
    pub fn new(quick: bool) -> Effort {
        if quick { Effort::QUICK } else { Effort::FULL }
    }

    /// The median time of `job`, in milliseconds; it is called with the number of the run.
    pub fn median(self, mut job: impl FnMut(usize)) -> f64 {
        self.medians(1, |_, run| job(run))[0]
    }

    /// The median times of `jobs` jobs, in milliseconds. `job` is called with the number of one and of its run.
    pub fn medians(self, jobs: usize, mut job: impl FnMut(usize, usize)) -> Vec<f64> {
        let timed = |which, run| {
            let start = Instant::now();
            job(which, run);
            Ok::<_, Infallible>(start.elapsed())
        };
        let Ok(medians) = self.medians_of(jobs, timed);
        medians
    }

    /// The same of the times that `job` returns. The jobs take turns, so that a machine whose speed wanders leaves the
    /// ratios between them alone.
    pub fn medians_of<E>(
        self,
        jobs: usize,
        mut job: impl FnMut(usize, usize) -> Result<Duration, E>,
    ) -> Result<Vec<f64>, E> {
        // The first runs pay for page faults and for waking threads.
        (0..2 * jobs).try_for_each(|i| job(i % jobs, i / jobs).map(drop))?;
        let mut times = vec![Vec::new(); jobs];
        let begin = Instant::now();
        let all = u32::try_from(jobs).map_or(self.time, |jobs| self.time * jobs);
        for run in 0.. {
            if run >= self.runs && begin.elapsed() >= all {
                break;
            }
            for (which, times) in times.iter_mut().enumerate() {
                times.push(job(which, run)?);
            }
        }
        let median = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e3
        };
        Ok(times.into_iter().map(median).collect())
    }
}

/// The processor time of this process, all threads together.
pub struct CpuClock {
    start: Option<f64>,
}

impl CpuClock {
    /// Starts to count.
    pub fn start() -> CpuClock {
        CpuClock { start: processor_seconds() }
    }

    /// Seconds since the start, where the system reports them.
    pub fn elapsed(&self) -> Option<f64> {
        Some(processor_seconds()? - self.start?)
    }
}

/// User and system time from Linux's /proc, in whose text the unit is always 1/100 s.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name, in parentheses, may hold blanks; utime and stime are the 12th and 13th words after it.
    let mut words = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || words.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Source and result pictures to take in turn.
pub struct PictureRing {
    pairs: Vec<(Picture, Picture)>,
    bytes: usize,
}

impl PictureRing {
    /// Pictures of `src` with slow ramps and a little noise, and room for results of `dst`.
    pub fn new(src: Format, dst: Format, width: usize, height: usize) -> Result<PictureRing> {
        let size = |format| Picture::bytes(format, width, height).unwrap_or(usize::MAX / 4);
        let bytes = size(src) + size(dst);
        let model = ramps(src, width, height)?;
        let pair = |_| {
            let mut picture = Picture::alloc(src, width, height)?;
            copy(&model, &mut picture);
            Ok((picture, Picture::alloc(dst, width, height)?))
        };
        let pairs = (0..ring_pictures(bytes)).map(pair).collect::<Result<_>>()?;
        Ok(PictureRing { pairs, bytes })
    }

    /// Makes room for results of this size.
    pub fn give(&mut self, width: usize, height: usize) -> Result<()> {
        for (_, result) in
            self.pairs.iter_mut().filter(|(_, result)| (result.width(), result.height()) != (width, height))
        {
            *result = Picture::alloc(result.format(), width, height)?;
        }
        Ok(())
    }

    /// A source, and room for its result; another for the next `run`, until all had their turn.
    pub fn pair(&mut self, run: usize) -> (&Picture, &mut Picture) {
        let count = self.pairs.len();
        let (src, dst) = &mut self.pairs[run % count];
        (src, dst)
    }

    /// The median times of `jobs` jobs that take turns over the ring, in milliseconds. `job` is called with the number
    /// of one.
    pub fn medians(
        &mut self,
        effort: Effort,
        jobs: usize,
        mut job: impl FnMut(usize, &FrameProps, &Picture, &mut Picture),
    ) -> Vec<f64> {
        let count = self.pairs.len();
        effort.medians(jobs, |which, run| {
            // No job finds what the one before it left in the caches.
            let (src, dst) = &mut self.pairs[(run * jobs + which) % count];
            job(which, &FrameProps { frame_index: run as u64, ..FrameProps::default() }, src, dst);
        })
    }

    /// The median time, in milliseconds, of a plain copy on `exec`'s threads that reads and writes as many bytes in all
    /// as a filter reads of its source and writes of its result.
    pub fn copy_floor(&self, effort: Effort, exec: &CpuExec) -> f64 {
        let half = self.bytes / 2;
        let count = self.pairs.len();
        // Not zero: memory that was never written would be paged in while it is measured.
        let from = vec![1u8; half * count];
        let mut to = vec![1u8; half * count];
        effort.median(|run| {
            let at = run % count * half;
            let part = half.div_ceil(exec.threads());
            let parts: Vec<_> =
                to[at..at + half].chunks_mut(part).zip(from[at..].chunks(part)).map(Mutex::new).collect();
            exec.each(parts.len(), |i| {
                let (to, from) = &mut *parts[i].lock().unwrap_or_else(PoisonError::into_inner);
                to.copy_from_slice(&from[..to.len()]);
            });
        })
    }
}

fn ring_pictures(bytes: usize) -> usize {
    (RING_BYTES / bytes).clamp(4, RING_PICTURES)
}

/// Slow dark ramps with noise of a few steps: what a debander works on, and no filter finds constant.
pub fn ramps(format: Format, width: usize, height: usize) -> Result<Picture> {
    let mut rng = XorShiftRng::seed_from_u64(1);
    let mut picture = Picture::alloc(format, width, height)?;
    let mut planes = picture.planes_mut();
    for component in 0..planes.len() {
        let plane = planes.get_mut(component);
        for y in 0..plane.height() {
            for x in 0..plane.width() {
                let v16 = 0x2000 + (x * 8 + y * 4) as u32 % 0x2000 + rng.next_u32() % 0x300;
                if format.is_yc48() { plane.set(x, y, (v16 >> 4) as i32) } else { plane.set_v16(x, y, v16 as u16) }
            }
        }
    }
    Ok(picture)
}

/// Copies the samples of `from` to `to`, a picture of the same shape.
pub fn copy(from: &Picture, to: &mut Picture) {
    let format = from.format();
    for plane in 0..format.planes() {
        for y in 0..format.plane_size(plane, from.width(), from.height()).1 {
            to.row_bytes_mut(plane, y).copy_from_slice(from.row_bytes(plane, y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_of_the_runs_after_the_warm_up() {
        let mut runs = Vec::new();
        Effort { runs: 3, time: Duration::ZERO }.median(|run| runs.push(run));
        assert_eq!(runs, [0, 1, 0, 1, 2]);
    }

    #[test]
    fn jobs_take_turns_and_each_has_its_own_median() {
        let mut order = Vec::new();
        let medians = Effort { runs: 2, time: Duration::ZERO }.medians(2, |which, run| {
            order.push((which, run));
            std::thread::sleep(Duration::from_millis(5 * which as u64));
        });
        assert_eq!(order, [[(0, 0), (1, 0), (0, 1), (1, 1)]; 2].concat());
        assert!(medians[1] >= 5.0 && medians[0] < medians[1], "{medians:?}");
    }

    #[test]
    fn a_ring_hands_out_every_picture_and_counts_frames() {
        let mut ring = PictureRing::new("gray8".parse().unwrap(), "gray16".parse().unwrap(), 4096, 4096).unwrap();
        let count = ring.pairs.len();
        let mut seen = Vec::new();
        ring.medians(Effort { runs: count, time: Duration::ZERO }, 1, |_, props, src, dst| {
            assert_eq!((src.format().bit_depth(), dst.format().bit_depth()), (8, 16));
            seen.push((props.frame_index, src.plane(0).0));
        });
        seen.drain(..2);
        seen.sort_unstable_by_key(|(_, address)| *address);
        seen.dedup_by_key(|(_, address)| *address);
        assert_eq!(seen.len(), count);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processor_clock_runs() {
        let clock = CpuClock::start();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(300) {
            std::hint::spin_loop();
        }
        assert!(clock.elapsed().unwrap() > 0.0);
    }
}
