//! The kernels of cuda/bilateral_pairs.cu, which work a weight out once for both of the samples that it is between: how planes
//! are cut in strips for them.

use super::WeightTable;
use crate::device::cuda::{CudaDevice, DevicePlane, DevicePlanes, Function, LaunchConfig, Stream};
use crate::error::Result;
use crate::filters::bilateral::MOST;
use crate::filters::bilateral::tuning::cuda::{PAIRS_FROM, PAIRS_LEAST_USE};
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use std::ops::RangeInclusive;

/// The module of the kernels, which early devices do not run.
pub const MODULE: &str = "bilateral_pairs";

/// As cuda/bilateral_pairs.cu has them: samples of a lane and columns of a strip, passing rows whose sums meet at a time, words
/// before those, and barriers of loaded rows and of sums that meet.
const SAMPLES: usize = 6;
const COLUMNS: usize = 32 * SAMPLES;
const MEETINGS: usize = 2;
const LEAD: usize = 16;
const LOADS: usize = 32;
const SUMS: usize = 4;

/// Rows that windows may reach up and down: a ring of the rows of lower ones is too short for warps that are steps apart, and
/// a block of the warps of higher ones has too many threads.
const ROWS: RangeInclusive<usize> = MEETINGS + 1..=9;

/// Bands that a plane is cut in at the most.
const MOST_BANDS: usize = 64;

device_struct! {
    /// What is done to one component.
    struct StripArgs = "StripComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// Columns of a band: those of the plane, and the radius on both sides.
        padded: u32,
        /// Strips of the component.
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "BilateralPairs" {
        component: [StripArgs; 3],
        weights: WeightTable,
        /// Columns of a window that are weighed first, an odd number, and turns of a lane's samples thereafter.
        first: u32,
        turns: u32,
        /// Words of a row of samples in shared memory.
        pitch: u32,
        /// Rows of a band, and those that the upper group of a block has: each group has as many as the radius.
        rows: u32,
        upper: u32,
        unused: u32,
    }
}

generated! {
    "bilateral_pairs.cuh" after ["bilateral.cuh"]: StripArgs, Args;
}

impl StripArgs {
    /// A component that another launch makes.
    const NONE: StripArgs = StripArgs { src: PlaneArgs::NONE, dst: PlaneArgs::NONE, padded: 1, blocks: 0 };

    fn new(src: &DevicePlane, dst: &DevicePlane, window: Window, rows: usize) -> Result<StripArgs> {
        Ok(StripArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            padded: window.padded(dst.width) as u32,
            blocks: window.strips((dst.width, dst.height), rows) as u32,
        })
    }
}

/// How far windows reach: what the shape of a block depends on.
#[derive(Clone, Copy, Debug)]
struct Window {
    radius_w: usize,
    radius_h: usize,
}

impl Window {
    /// Threads of a block: a warp for each row that windows reach up and their own, in two groups.
    fn threads(self) -> usize {
        2 * 32 * (self.radius_h + 1)
    }

    /// Columns weighed first, and turns of a lane's samples thereafter.
    fn turns(self) -> (usize, usize) {
        let columns = 2 * self.radius_w + 1;
        (columns % SAMPLES, columns / SAMPLES)
    }

    /// Words of a row of samples.
    fn pitch(self) -> usize {
        COLUMNS + SAMPLES * (self.turns().1 + 1)
    }

    /// Bytes of shared memory of a block: levels, columns, for each group the sums of its warps, a ring of rows and the sums
    /// that meet, the sums that the lower group hands over, and barriers.
    fn shared(self) -> usize {
        let levels = ((2 * MOST + 1) / SAMPLES + 1) * SAMPLES.next_multiple_of(4);
        let columns = 2 * 32 * (SAMPLES + 2);
        let held = 2 * (self.radius_h + 1) * COLUMNS;
        let ring = (self.radius_h + MEETINGS) * self.pitch() + LEAD;
        let met = 2 * MEETINGS * self.radius_h * COLUMNS;
        let handed = self.radius_h * (self.radius_h + 1) * COLUMNS;
        let barriers = 2 * (1 + 2 * (LOADS + 2 * SUMS));
        (levels + columns + 2 * (held + ring + met).next_multiple_of(4) + handed + barriers) * size_of::<u32>()
    }

    /// Columns of a strip whose windows are whole.
    fn whole(self) -> usize {
        COLUMNS - 2 * self.radius_w
    }

    /// Columns of a band of a plane of this width: bands lie side by side, with the radius on both sides of each.
    fn padded(self, width: usize) -> usize {
        width + 2 * self.radius_w
    }

    /// Strips of a plane whose bands have so many rows.
    fn strips(self, (width, height): (usize, usize), rows: usize) -> usize {
        ((height.div_ceil(rows) - 1) * self.padded(width) + width).div_ceil(self.whole())
    }

    /// How long planes of `sizes` take whose bands have so many rows, in rows of a strip, where a device runs so many strips
    /// at once. With the rows around it a band takes about as long as with `radius_h` rows more.
    fn time(self, sizes: &[(usize, usize)], rows: usize, at_once: usize) -> usize {
        let strips: usize = sizes.iter().map(|size| self.strips(*size, rows)).sum();
        strips.div_ceil(at_once) * (rows + self.radius_h)
    }

    /// Rows of a band with which planes of `sizes` take the least.
    fn rows(self, sizes: &[(usize, usize)], at_once: usize) -> usize {
        let height = sizes.iter().map(|size| size.1).max().unwrap_or(1);
        let rows = (1..=MOST_BANDS).map(|bands| height.div_ceil(bands).max(2 * self.radius_h));
        rows.min_by_key(|rows| self.time(sizes, *rows, at_once)).unwrap_or(height)
    }

    /// Of the rows of a band, those of the upper group: it takes the sums of rows below from the lower one, which works them
    /// out beside its own.
    fn upper(self, rows: usize) -> usize {
        (rows + self.radius_h / 2).div_ceil(2).min(rows - self.radius_h)
    }
}

/// True where the kernels serve windows of these radii.
pub fn serves((radius_w, radius_h): (usize, usize), device: &CudaDevice) -> bool {
    let window = Window { radius_w, radius_h };
    ROWS.contains(&radius_h) && device.runs(MODULE) && window.shared() <= device.block_shared()
}

/// True where they are faster for planes of `sizes` than kernels that work every weight out twice: windows are large enough,
/// and planes so that most of a strip's time goes by with rows of its own.
pub fn are_faster((radius_w, radius_h): (usize, usize), sizes: &[(usize, usize)], device: &CudaDevice) -> bool {
    let (window, at_once) = (Window { radius_w, radius_h }, device.info().multiprocessors);
    let time = window.time(sizes, window.rows(sizes, at_once), at_once);
    let samples: usize = sizes.iter().map(|size| size.0 * size.1).sum();
    radius_w.min(radius_h) >= PAIRS_FROM && 100 * samples >= PAIRS_LEAST_USE * time * at_once * window.whole()
}

/// A kernel and its shape for windows of one kind.
pub struct Pairs {
    function: Function,
    window: Window,
    /// Strips that the device runs at once: a block has most registers of a multiprocessor.
    at_once: usize,
}

impl Pairs {
    /// The kernel called `name`.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub fn new(name: &str, (radius_w, radius_h): (usize, usize), device: &CudaDevice) -> Result<Pairs> {
        let window = Window { radius_w, radius_h };
        let function = device.function(MODULE, name)?;
        function.allow_shared(window.shared() as u32)?;
        Ok(Pairs { function, window, at_once: device.info().multiprocessors })
    }

    /// Filters `components`.
    pub fn enqueue(
        &self,
        weights: WeightTable,
        components: &[usize],
        src: &DevicePlanes,
        dst: &DevicePlanes,
        stream: &Stream,
    ) -> Result<()> {
        let Pairs { function, window, at_once } = self;
        let sizes: Vec<_> = components.iter().map(|index| (dst[*index].width, dst[*index].height)).collect();
        let rows = window.rows(&sizes, *at_once);
        let mut component = [StripArgs::NONE; 3];
        for index in components.iter().copied() {
            component[index] = StripArgs::new(&src[index], &dst[index], *window, rows)?;
        }
        let (first, turns) = window.turns();
        let args = Args {
            component,
            weights,
            first: first as u32,
            turns: turns as u32,
            pitch: window.pitch() as u32,
            rows: rows as u32,
            upper: window.upper(rows) as u32,
            unused: 0,
        };
        let shape = LaunchConfig {
            grid: [component.iter().map(|c| c.blocks).sum(), 1, 1],
            block: [window.threads() as u32, 1, 1],
            shared: window.shared() as u32,
        };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller;
        // strips cover them, and the shared memory holds what a block of these radii puts there.
        unsafe { launch(function, shape, &args, stream) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shared memory that a block may have where it is the most, and multiprocessors of some devices.
    const SHARED: usize = 227 << 10;
    const AT_ONCE: [usize; 4] = [1, 82, 108, 132];

    fn windows() -> impl Iterator<Item = Window> {
        (0..=MOST).flat_map(|radius_w| ROWS.map(move |radius_h| Window { radius_w, radius_h }))
    }

    #[test]
    fn blocks_have_room() {
        for window in windows() {
            assert!(window.threads() <= 640 && window.shared() <= SHARED && window.whole() > 0, "{window:?}");
            assert!(window.turns().0 % 2 == 1 && window.pitch() % 2 == 0, "{window:?}");
        }
    }

    #[test]
    fn strips_cover_planes() {
        let sizes = [(1920, 1080), (7680, 4320), (149, 131), (17, 5), (1, 1), (3, 600), (1000, 3)];
        for (window, at_once) in windows().flat_map(|window| AT_ONCE.map(|at_once| (window, at_once))) {
            for (width, height) in sizes {
                let rows = window.rows(&[(width, height)], at_once);
                let (upper, bands) = (window.upper(rows), height.div_ceil(rows));
                assert!(upper >= window.radius_h && rows - upper >= window.radius_h, "{window:?} {rows} {upper}");
                let columns = (bands - 1) * window.padded(width) + width;
                let strips = window.strips((width, height), rows);
                assert!(strips * window.whole() >= columns && (strips - 1) * window.whole() < columns);
            }
        }
    }

    #[test]
    fn bands_are_as_high_as_serves_all_multiprocessors() {
        let window = Window { radius_w: 9, radius_h: 9 };
        let cut = |size| (window.rows(&[size], 132), window.strips(size, window.rows(&[size], 132)));
        assert_eq!(cut((1920, 1080)), (99, 123));
        assert_eq!(cut((1280, 720)), (43, 127));
        // In three turns: with bands for one, some multiprocessors would have no strip.
        assert_eq!(cut((3840, 2160)), (128, 377));
        let planes = [(1920, 1080); 3];
        let time = window.time(&planes, window.rows(&planes, 132), 132);
        assert!(time <= 3 * window.time(&planes[..1], 99, 132), "{time}");
    }
}
