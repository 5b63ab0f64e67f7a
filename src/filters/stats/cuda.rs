//! The kernels of cuda/stats.cu.

use super::Statistic;
use super::sums::{BINS, PlaneSums, StatsSums};
use crate::device::cuda::{CudaDevice, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::measure::Sums;
use crate::filters::remap::{CudaMover, Map};
use crate::filters::stats::tuning::cuda::{THREADS, TILE};
use crate::filters::{CudaJob, CudaKernel, Measure};
use crate::video::Record;
use std::sync::Arc;

device_struct! {
    /// What is measured of one component.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        /// Of the same storage; without rows where the picture is not copied here.
        dst: PlaneArgs,
        basic: u64 = "Basic*",
        histogram: u64 = "u32*",
        rows: u64 = "u32*",
        columns: u64 = "u32*",
        /// Blocks side by side.
        across: u32,
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Stats" {
        component: [ComponentArgs; 3],
    }
}

generated! {
    "stats.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// A component that is not measured.
const NONE: ComponentArgs = ComponentArgs {
    src: PlaneArgs::NONE,
    dst: PlaneArgs::NONE,
    basic: 0,
    histogram: 0,
    rows: 0,
    columns: 0,
    across: 1,
    blocks: 0,
};

/// Where the sums of a plane lie in the record's memory, in bytes: the sum, the sum of squares, 65535 less the minimum and the
/// maximum; then the lists.
#[derive(Clone, Copy)]
struct SumOffsets {
    basic: usize,
    histogram: usize,
    rows: usize,
    columns: usize,
    end: usize,
}

impl SumOffsets {
    /// From byte `start` on, for what `sums` measures.
    fn of(sums: &PlaneSums, start: usize) -> SumOffsets {
        let histogram = start + 24;
        let rows = histogram + if sums.histogram.is_empty() { 0 } else { 4 * BINS };
        let columns = rows + 4 * sums.rows.len();
        SumOffsets {
            basic: start,
            histogram,
            rows,
            columns,
            end: (columns + 4 * sums.columns.len()).next_multiple_of(8),
        }
    }

    /// Puts what lies in `bytes` into `sums`.
    fn read(self, bytes: &[u8], sums: &mut PlaneSums) {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        (sums.sum, sums.squares) = (long(self.basic), long(self.basic + 8));
        (sums.min, sums.max) = (u16::MAX - word(self.basic + 16) as u16, word(self.basic + 20) as u16);
        let lists = [
            // It has one table here.
            (&mut sums.histogram, self.histogram, BINS),
            (&mut sums.rows, self.rows, usize::MAX),
            (&mut sums.columns, self.columns, usize::MAX),
        ];
        for (list, at, most) in lists {
            list.iter_mut().take(most).enumerate().for_each(|(i, value)| *value = word(at + 4 * i));
        }
    }
}

/// A kernel built for one stream.
pub struct Kernel {
    function: Function,
    copies: CudaMover,
    sums: StatsSums,
    places: Vec<Option<SumOffsets>>,
    bytes: usize,
}

impl Kernel {
    /// The kernel that measures `sums`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded.
    pub fn new(sums: StatsSums, what: Statistic, device: &CudaDevice) -> Result<Kernel> {
        let name = match what {
            Statistic::Basic => "stats_basic",
            Statistic::Hist => "stats_hist",
            Statistic::Rows => "stats_rows",
            Statistic::Columns => "stats_columns",
            Statistic::All => "stats_all",
        };
        let mut bytes = 0;
        let place = |sums: &Option<PlaneSums>| {
            let place = SumOffsets::of(sums.as_ref()?, bytes);
            bytes = place.end;
            Some(place)
        };
        let places = sums.0.iter().map(place).collect();
        let copies = CudaMover::new([Map::ROWS; 3], device)?;
        Ok(Kernel { function: device.function("stats", name)?, copies, sums, places, bytes })
    }
}

/// What is measured of `src`, into the record's memory at `record`.
fn component(src: &DevicePlane, place: SumOffsets, record: u64) -> Result<ComponentArgs> {
    let across = src.width.div_ceil(TILE.0) as u32;
    let at = |byte: usize| record + byte as u64;
    Ok(ComponentArgs {
        src: PlaneArgs::new(src)?,
        dst: PlaneArgs::NONE,
        basic: at(place.basic),
        histogram: at(place.histogram),
        rows: at(place.rows),
        columns: at(place.columns),
        across,
        blocks: across * src.height.div_ceil(TILE.1) as u32,
    })
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let src = job.src.here();
        let mut args = Args { component: [NONE; 3] };
        let mut to_copy = *job.dst;
        for (index, place) in self.places.iter().enumerate() {
            let Some(place) = place else { continue };
            args.component[index] = component(&src[index], *place, job.record)?;
            // Who reads a plane passes it on, where it is stored as it was.
            let dst = &mut to_copy[index];
            if dst.layout == src[index].layout && dst.layout.step == 1 && dst.height > 0 {
                args.component[index].dst = PlaneArgs::new(dst)?;
                dst.height = 0;
            }
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks > 0 {
            let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: 0 };
            // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state, the record's memory has the
            // bytes that `measure` asks for, and both outlive the work by the caller.
            unsafe { launch(&self.function, shape, &args, job.stream) }?;
        }
        self.copies.apply(src, &to_copy, job.stream)
    }

    fn measure(&self) -> Option<Measure> {
        let (sums, places) = (self.sums.clone(), self.places.clone());
        let collect = move |bytes: &[u8], record: &mut Record| {
            let mut sums = sums.clone();
            for (sums, place) in sums.0.iter_mut().zip(&places) {
                if let (Some(sums), Some(place)) = (sums, place) {
                    place.read(bytes, sums);
                }
            }
            sums.finish(record);
        };
        Some(Measure { bytes: self.bytes, collect: Arc::new(collect) })
    }
}
