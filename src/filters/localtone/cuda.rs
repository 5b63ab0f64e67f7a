//! The kernels of cuda/localtone.cu and what it includes.

mod args;
mod launches;
mod table;

use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::remap::{CudaMover, Map};
use crate::filters::survey::CudaSmoother;
use crate::filters::{CudaJob, CudaKernel};
use launches::{FrameLaunches, Memory};
use std::collections::HashMap;

/// A kernel built for one stream.
pub(super) struct Kernel(State);

/// What it does.
enum State {
    /// Nothing changes.
    Copies(CudaMover),
    Filters {
        work: Box<FrameLaunches>,
        functions: HashMap<&'static str, Function>,
        smoother: Option<CudaSmoother>,
        _memory: [DeviceBuffer; 2],
    },
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds.
    pub(super) fn memory(plan: &Plan) -> usize {
        let memory = FrameLaunches::new(plan, 0, 0, 0).memory;
        let smoother = plan.adapt.as_ref().map_or(0, |_| CudaSmoother::MEMORY);
        if plan.copies { 0 } else { memory.tables.len() + memory.planes + smoother }
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or memory does not suffice.
    pub(super) fn new(plan: &Plan, device: &CudaDevice) -> Result<Kernel> {
        if plan.copies {
            return Ok(Kernel(State::Copies(CudaMover::new([Map::ROWS; 3], device)?)));
        }
        let smoother = plan.adapt.as_ref().map(|adapt| adapt.smoother.on(device)).transpose()?;
        let Memory { tables, planes } = FrameLaunches::new(plan, 0, 0, 0).memory;
        let tables = DeviceBuffer::from_bytes(device, &tables, "localtone's tables")?;
        let planes = DeviceBuffer::new(device, planes, "localtone's planes")?;
        let brightness = smoother.as_ref().map_or(0, CudaSmoother::address);
        let work = FrameLaunches::new(plan, tables.address(), planes.address(), brightness);
        let mut functions = HashMap::new();
        for turn in &work.turns {
            functions.insert(turn.kernel, device.function("localtone", turn.kernel)?);
        }
        Ok(Kernel(State::Filters { work: Box::new(work), functions, smoother, _memory: [tables, planes] }))
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let (src, dst) = (job.src.here(), job.dst);
        let (work, functions) = match &self.0 {
            State::Copies(copies) => return copies.apply(src, dst, job.stream),
            State::Filters { work, functions, smoother, .. } => {
                smoother.as_ref().map_or(Ok(()), |smoother| smoother.enqueue(job))?;
                (work, functions)
            }
        };
        let mut args = work.args;
        for (plane, view) in args.src.iter_mut().zip(src.iter()).chain(args.dst.iter_mut().zip(dst.iter())) {
            *plane = PlaneArgs::new(view)?;
        }
        args.words = args.vectors_fit();
        for turn in &work.turns {
            args.level = turn.level as u32;
            let grid = [turn.blocks.0, turn.blocks.1, turn.times].map(|count| count as u32);
            let block = [turn.block.0 as u32, turn.block.1 as u32, 1];
            let shape = LaunchConfig { grid, block, shared: turn.shared as u32 };
            // SAFETY: `Args` is the kernels' parameter; planes and tables have the sizes that it states, and all of it outlives
            // the work, by the caller and as long as this kernel lives.
            unsafe { launch(&functions[turn.kernel], shape, &args, job.stream) }?;
        }
        Ok(())
    }
}
