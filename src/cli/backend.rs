//! What a run's chain runs on: `--device` and `--gpu-memory`.

#[cfg(feature = "cuda")]
mod cuda;
mod gpu;

pub use gpu::RunGpu;

use crate::cli::args::RunsOn;
use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::io::libav::Input;
use crate::pipeline::{Chain, ChainPlan, ChainUsage, CpuChain, Frame, Item, Source};
use crate::video::PicturePool;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::fmt;
use std::thread;

/// The chain of a run, built for the device that the arguments ask for.
pub enum Backend {
    /// Runs on the CPU.
    Cpu(CpuChain),
    /// Runs on a GPU. Where the choice is `auto`, it becomes the other when the GPU proves unable.
    #[cfg(feature = "cuda")]
    Cuda(cuda::OnCuda),
}

/// What the CPU may use.
#[derive(Clone, Copy)]
pub struct CpuSetup {
    threads: usize,
    level: CpuLevel,
}

impl CpuSetup {
    fn of(on: &RunsOn) -> CpuSetup {
        CpuSetup { threads: on.threads, level: on.cpu_level.unwrap_or_else(CpuLevel::detect) }
    }

    fn chain(self, plan: &ChainPlan) -> Result<CpuChain> {
        CpuChain::new(plan, CpuExec::new(self.threads, self.level)?)
    }
}

impl Backend {
    /// Builds the chain of `plan` for `gpu`, or for the CPU where there is none or `auto` falls back to it. On a GPU, `input`
    /// decodes into memory that the GPU reaches. `None`: `auto` must do without, but the plan has frames on the GPU.
    ///
    /// # Errors
    /// When a device that was asked for by name cannot be used, with what is needed and what there is.
    pub fn new(plan: &ChainPlan, input: &mut Input, on: &RunsOn, gpu: &RunGpu) -> Result<Option<Backend>> {
        let cpu = CpuSetup::of(on);
        if let Some(backend) = Backend::on_gpu(plan, input, on, gpu, cpu)? {
            return Ok(Some(backend));
        }
        if plan.resident || plan.stays { Ok(None) } else { cpu.chain(plan).map(|chain| Some(Backend::Cpu(chain))) }
    }

    #[cfg(feature = "cuda")]
    fn on_gpu(
        plan: &ChainPlan,
        input: &mut Input,
        on: &RunsOn,
        gpu: &RunGpu,
        cpu: CpuSetup,
    ) -> Result<Option<Backend>> {
        let Some(device) = &gpu.0 else { return Ok(None) };
        Ok(cuda::OnCuda::new(plan, input, on, device, cpu)?.map(Backend::Cuda))
    }

    #[cfg(not(feature = "cuda"))]
    fn on_gpu(_: &ChainPlan, _: &mut Input, _: &RunsOn, gpu: &RunGpu, _: CpuSetup) -> Result<Option<Backend>> {
        Ok(gpu.0.map(|device| match device {}))
    }

    fn chain(&self) -> &dyn Chain {
        match self {
            Backend::Cpu(chain) => chain,
            #[cfg(feature = "cuda")]
            Backend::Cuda(on) => on.chain(),
        }
    }

    /// Loads what the chain needs on its device. [`Chain::drive`] does it when it has not been done, while the first
    /// frames decode: a driver may have to compile the kernels first.
    ///
    /// # Errors
    /// When that fails, and `auto` does not stand for the CPU.
    pub fn prepare(&mut self, plan: &ChainPlan) -> Result<()> {
        let instead: Option<CpuSetup> = match self {
            Backend::Cpu(_) => None,
            #[cfg(feature = "cuda")]
            Backend::Cuda(on) => on.prepare(plan)?,
        };
        if let Some(cpu) = instead {
            *self = Backend::Cpu(cpu.chain(plan)?);
        }
        Ok(())
    }

    /// Filters `frames`, and those of `sides` beside them, into pictures of `pool`, and returns when all are done.
    ///
    /// # Errors
    /// As [`Chain::drive`], and those of `sides`.
    pub fn filter(
        &mut self,
        plan: &ChainPlan,
        frames: Vec<Frame>,
        sides: &mut [&mut dyn Source],
        pool: &PicturePool,
    ) -> Result<Vec<Frame>> {
        let ((feed, input), (out, results)) = (unbounded(), unbounded());
        for frame in frames {
            feed.send(Item::Frame(frame)).map_err(|_| Error::internal("nobody takes frames"))?;
        }
        drop(feed);
        thread::scope(|scope| {
            let mut inputs = vec![input];
            let decoding: Vec<_> = sides
                .iter_mut()
                .map(|side| {
                    let (feed, input) = bounded(1);
                    inputs.push(input);
                    scope.spawn(move || feed_all(&mut **side, &feed))
                })
                .collect();
            let driven = self.drive(plan, &inputs, pool, &out);
            // Whoever still decodes finds nobody who takes it.
            drop(inputs);
            let decoded = decoding.into_iter().map(|side| side.join().unwrap_or_else(|_| Err(panicked())));
            decoded.collect::<Result<()>>().and(driven)
        })?;
        let frame = |item| match item {
            Item::Frame(frame) => Some(frame),
            _ => None,
        };
        Ok(results.try_iter().filter_map(frame).collect())
    }
}

fn panicked() -> Error {
    Error::internal("a thread that decodes panicked")
}

/// Sends what `source` yields, as long as somebody takes it.
fn feed_all(source: &mut dyn Source, feed: &Sender<Item>) -> Result<()> {
    while let Some(item) = source.next()? {
        if feed.send(item).is_err() {
            break;
        }
    }
    Ok(())
}

impl Chain for Backend {
    fn pictures(&self, plan: &ChainPlan, waiting: usize) -> Result<PicturePool> {
        match self {
            Backend::Cpu(chain) => chain.pictures(plan, waiting),
            #[cfg(feature = "cuda")]
            Backend::Cuda(on) => on.pictures(plan, waiting),
        }
    }

    fn drive(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        out: &Sender<Item>,
    ) -> Result<()> {
        self.prepare(plan)?;
        match self {
            Backend::Cpu(chain) => chain.drive(plan, inputs, pool, out),
            #[cfg(feature = "cuda")]
            Backend::Cuda(on) => on.drive(plan, inputs, pool, out),
        }
    }

    fn work(&self) -> ChainUsage {
        self.chain().work()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Cpu(chain) => {
                let exec = chain.exec();
                write!(f, "CPU: {} level, {} filter threads", exec.level(), exec.threads())
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(on) => on.fmt(f),
        }
    }
}
