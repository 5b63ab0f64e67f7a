//! A chain on a GPU, and the fallback to the CPU.

use super::CpuSetup;
use crate::cli::args::RunsOn;
use crate::device::DeviceChoice;
use crate::device::cuda::{CudaDevice, PinnedAllocator, mebibytes};
use crate::error::Result;
use crate::io::libav::Input;
use crate::pipeline::{Chain, ChainPlan, CudaChain, Item};
use crate::video::PicturePool;
use crossbeam_channel::{Receiver, Sender};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A chain on a GPU, and what is needed where it turns out to be unable.
pub struct OnCuda {
    chain: CudaChain,
    device: Arc<CudaDevice>,
    choice: DeviceChoice,
    cpu: CpuSetup,
    slots: usize,
    prepared: bool,
    /// There was no page-locked memory for pictures: the CPU takes over.
    gave_up: Cell<bool>,
}

impl OnCuda {
    /// The chain of `plan` on `device`; `None` is the CPU.
    pub fn new(
        plan: &ChainPlan,
        input: &mut Input,
        on: &RunsOn,
        device: &Arc<CudaDevice>,
        cpu: CpuSetup,
    ) -> Result<Option<OnCuda>> {
        let (choice, slots) = (on.device, usize::from(on.slots));
        let Some(chain) = choice.or_cpu(CudaChain::new(plan, device, slots))? else { return Ok(None) };
        let (device, gave_up) = (Arc::clone(device), Cell::new(false));
        let mut on = OnCuda { chain, device, choice, cpu, slots, prepared: false, gave_up };
        if plan.resident || plan.stays {
            // There is no fallback once frames arrive: the kernels must load now.
            return Ok(if on.prepare(plan)?.is_none() { Some(on) } else { None });
        }
        input.decode_into(Arc::new(PinnedAllocator::new(&on.device)));
        Ok(Some(on))
    }

    /// Pictures that the GPU writes to, or, where there is no memory for them, the CPU.
    pub fn pictures(&self, plan: &ChainPlan, waiting: usize) -> Result<PicturePool> {
        let pool = self.chain.pictures(plan, waiting);
        if plan.resident || plan.stays {
            return pool;
        }
        if let Some(pool) = self.choice.or_cpu(pool)? {
            return Ok(pool);
        }
        self.gave_up.set(true);
        PicturePool::new(waiting, plan.output.format, plan.output.width, plan.output.height)
    }

    /// Loads the kernels, and logs what the run holds; or gives the CPU to run on instead.
    pub fn prepare(&mut self, plan: &ChainPlan) -> Result<Option<CpuSetup>> {
        if self.gave_up.get() {
            return Ok(Some(self.cpu));
        }
        if self.prepared {
            return Ok(None);
        }
        let prepared = self.chain.prepare(plan).and_then(|()| self.device.memory());
        let Some(memory) = self.choice.or_cpu(prepared)? else { return Ok(Some(self.cpu)) };
        self.prepared = true;
        if !plan.stages.is_empty() {
            let (slots, mebibytes) = (self.slots, mebibytes(memory.used));
            log::info!("filtering on {}: {slots} slots, {mebibytes} MiB of GPU memory", self.device.info());
        }
        Ok(None)
    }

    pub fn chain(&self) -> &dyn Chain {
        &self.chain
    }

    pub fn drive(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        out: &Sender<Item>,
    ) -> Result<()> {
        self.chain.drive(plan, inputs, pool, out)
    }
}

impl fmt::Display for OnCuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GPU: {}", self.device.info())
    }
}
