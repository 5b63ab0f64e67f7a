//! The GPUs of a run in parts, open as long as it lasts: between two parts nothing is closed that the next needs.

use crate::cli::args::{GpuList, Run, RunsOn};
use crate::cli::backend::RunGpu;
use crate::cli::setup;
use crate::device::DeviceChoice;
use crate::error::{Error, Result};
use std::thread;

/// Processors that a part keeps busy on the CPU: as many as encoders have threads.
const PROCESSORS_A_PART: usize = 4;

/// The GPUs of a run; none where it filters on the CPU.
pub struct Gpus {
    open: Vec<(DeviceChoice, RunGpu)>,
    otherwise: DeviceChoice,
}

impl Gpus {
    /// Opens those of `list` for `run`, or without a list the one that `run` asks for.
    ///
    /// # Errors
    /// When one that was asked for by name cannot be used.
    pub fn open(run: &Run, list: Option<&GpuList>) -> Result<Gpus> {
        let choices = match list {
            Some(_) if run.on.device == DeviceChoice::Cpu => {
                return Err(Error::bad_argument("--gpus and --device cpu: leave one of them out"));
            }
            Some(GpuList::All) => (0..present()?).map(DeviceChoice::Cuda).collect(),
            Some(GpuList::Some(numbers)) => numbers.iter().copied().map(DeviceChoice::Cuda).collect(),
            None => vec![run.on.device],
        };
        let calls = setup::calls(run)?;
        let mut open = Vec::new();
        for device in choices {
            let gpu = RunGpu::open(&RunsOn { device, ..run.on.clone() }, run.decoder, &calls)?;
            if gpu.is_some() {
                open.push((device, gpu));
            }
        }
        Ok(Gpus { open, otherwise: run.on.device })
    }

    /// Whether nothing runs on a GPU.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The device of the part in `slot`.
    pub fn of(&self, slot: usize) -> DeviceChoice {
        let turn = slot.checked_rem(self.open.len()).and_then(|turn| self.open.get(turn));
        turn.map_or(self.otherwise, |(device, _)| *device)
    }

    /// Those that are open.
    pub fn each(&self) -> impl Iterator<Item = &RunGpu> {
        self.open.iter().map(|(_, gpu)| gpu)
    }

    /// How many parts go at a time where nobody says: as many as keep the processors busy where they `encode`, or filter, and
    /// elsewhere as many as the GPUs have decoders.
    pub fn jobs(&self, encode: bool) -> usize {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let by_processors = (processors / PROCESSORS_A_PART).max(1);
        match self.each().map(RunGpu::decoders).sum() {
            0 => by_processors,
            decoders if encode => decoders.min(by_processors).max(self.open.len()),
            decoders => decoders,
        }
    }
}

#[cfg(feature = "cuda")]
fn present() -> Result<usize> {
    crate::device::cuda::count()
}

#[cfg(not(feature = "cuda"))]
fn present() -> Result<usize> {
    Err(Error::unsupported("this build has no CUDA: leave --gpus out"))
}
