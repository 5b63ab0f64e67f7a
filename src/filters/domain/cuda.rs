//! The kernels of cuda/domain.cu and cuda/domain_async.cu, and the choice between them.

mod shape;
mod strips;
mod tiles;

use self::strips::Strips;
use self::tiles::Tiles;
use super::plan::Plan;
use super::tuning::MOST_FRAMES;
use crate::device::cuda::{CudaDevice, DeviceBuffer};
use crate::error::Result;
use crate::filters::cuda::PlaneArgs;
use crate::filters::device_struct::device_struct;
use crate::filters::tune;
use crate::filters::{CudaJob, CudaKernel, Setup};
use std::fmt;

device_struct! {
    /// A frame.
    struct FrameArgs = "Frame" {
        src: [PlaneArgs; 3],
        dst: [PlaneArgs; 3],
    }
}

impl FrameArgs {
    /// A frame that a batch does not have.
    const NONE: FrameArgs = FrameArgs { src: [PlaneArgs::NONE; 3], dst: [PlaneArgs::NONE; 3] };

    fn new(job: &CudaJob<'_>) -> Result<FrameArgs> {
        let mut args = FrameArgs::NONE;
        for (index, (src, dst)) in job.src.here().iter().zip(job.dst.iter()).enumerate() {
            (args.src[index], args.dst[index]) = (PlaneArgs::new(src)?, PlaneArgs::new(dst)?);
        }
        Ok(args)
    }
}

/// The frames of a launch.
fn frames(jobs: &[CudaJob<'_>]) -> Result<[FrameArgs; MOST_FRAMES]> {
    let mut frames = [FrameArgs::NONE; MOST_FRAMES];
    for (args, job) in frames.iter_mut().zip(jobs) {
        *args = FrameArgs::new(job)?;
    }
    Ok(frames)
}

/// The weights of all passes.
fn device_tables(plan: &Plan, device: &CudaDevice) -> Result<DeviceBuffer> {
    let tables: Vec<u8> = plan.tables.iter().flatten().flat_map(|weight| weight.to_ne_bytes()).collect();
    DeviceBuffer::from_bytes(device, &tables, "weights")
}

/// A launch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Reads the source, and copies what is not filtered.
    Open,
    /// Forth and back along rows.
    Across,
    /// Forth and back along columns.
    Down,
}

/// How lines are gone along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Candidate {
    /// By a warp that others bring tiles.
    Tiles,
    /// By warps that copy ahead what they need, in strips of columns.
    Strips,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Candidate::Tiles => "tiles",
            Candidate::Strips => "strips",
        })
    }
}

impl Candidate {
    /// The way for `plan`: strips where they serve and were measured to be faster, unless tuning found another.
    fn of(plan: &Plan, setup: &Setup, device: &CudaDevice) -> Candidate {
        let mut ways = vec![Candidate::Tiles];
        if let Some(is_faster) = strips::serves(plan, setup, device) {
            ways.insert(if is_faster { 0 } else { 1 }, Candidate::Strips);
        }
        let case = tune::case(setup, setup.src, &format!("b{}", setup.batch.min(MOST_FRAMES)));
        device.choose("domain", &["domain", "domain_async"], case, &ways)
    }
}

/// How a kernel works.
enum Strategy {
    Tiles(Tiles),
    Strips(Strips),
}

/// A kernel built for one stream.
pub(super) struct Kernel(Strategy);

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        match Candidate::of(plan, setup, device) {
            Candidate::Tiles => Tiles::memory(plan, setup),
            Candidate::Strips => Strips::memory(plan, setup, device),
        }
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        Ok(Kernel(match Candidate::of(&plan, setup, device) {
            Candidate::Tiles => Strategy::Tiles(Tiles::new(plan, setup, device)?),
            Candidate::Strips => Strategy::Strips(Strips::new(plan, setup, device)?),
        }))
    }

    /// Frames of a launch, at most.
    fn frames(&self) -> usize {
        match &self.0 {
            Strategy::Tiles(tiles) => tiles.frames(),
            Strategy::Strips(strips) => strips.frames(),
        }
    }

    /// Puts the work for `jobs`, no more than a launch takes, into their stream.
    fn put(&self, jobs: &[CudaJob<'_>]) -> Result<()> {
        match &self.0 {
            Strategy::Tiles(tiles) => tiles.put(jobs),
            Strategy::Strips(strips) => strips.put(jobs),
        }
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        self.put(std::slice::from_ref(job))
    }

    fn enqueue_batch(&mut self, jobs: &[CudaJob<'_>]) -> Result<()> {
        // Launches of nearly as many frames each: what many lines are is faster than what few are.
        let launches = jobs.len().div_ceil(self.frames()).max(1);
        jobs.chunks(jobs.len().div_ceil(launches).max(1)).try_for_each(|jobs| self.put(jobs))
    }
}
