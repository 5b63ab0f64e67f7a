//! The GPU of a run.

use crate::cli::args::RunsOn;
use crate::device::DeviceChoice;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::io::libav::nvdec_engines;
use crate::io::libav::{DecoderChoice, EncoderChoice, InputOptions, OutputOptions};
use crate::params::Call;
use crate::video::Format;
#[cfg(feature = "cuda")]
use std::sync::Arc;

#[cfg(feature = "cuda")]
type Device = Arc<CudaDevice>;
#[cfg(not(feature = "cuda"))]
type Device = std::convert::Infallible;

/// The GPU that filters in a run, if any. It is opened before the input, whose decoder may leave frames there.
#[derive(Clone, Default)]
pub struct RunGpu(pub(super) Option<Device>);

impl RunGpu {
    /// Opens what `on` and `decoder` ask for. Chains without filters are no reason to wake a GPU, unless it is asked for by
    /// name.
    ///
    /// # Errors
    /// When a device that was asked for by name cannot be used.
    pub fn open(on: &RunsOn, decoder: DecoderChoice, calls: &[Call]) -> Result<RunGpu> {
        if on.device == DeviceChoice::Cpu && on.gpu_memory.is_some() {
            log::warn!("--gpu-memory ignored: --device cpu uses none");
        }
        let device = match on.device {
            // NVDEC by name is a GPU by name.
            DeviceChoice::Auto if decoder == DecoderChoice::Nvdec => DeviceChoice::Cuda(0).open()?,
            DeviceChoice::Auto if calls.is_empty() => None,
            choice => choice.open()?,
        };
        #[cfg(feature = "cuda")]
        if let (Some(device), Some(mebibytes)) = (&device, on.gpu_memory) {
            device.set_budget(mebibytes << 20);
        }
        Ok(RunGpu(device))
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// It.
    #[cfg(feature = "cuda")]
    pub fn device(&self) -> Option<&Device> {
        self.0.as_ref()
    }

    /// How many videos its decoders take at a time without waiting for each other; at least one, where there is a GPU.
    pub fn decoders(&self) -> usize {
        #[cfg(feature = "cuda")]
        return self.0.as_ref().map_or(0, |device| nvdec_engines(device).unwrap_or(1));
        #[cfg(not(feature = "cuda"))]
        0
    }

    /// Lets the decoder leave frames there.
    pub fn let_decode(&self, options: &mut InputOptions) {
        #[cfg(feature = "cuda")]
        options.device.clone_from(&self.0);
        #[cfg(not(feature = "cuda"))]
        let _ = options;
    }

    /// The formats that the encoder reads there; `None` for one that reads host memory.
    pub fn accepted(&self, encoder: &EncoderChoice) -> Option<Vec<Format>> {
        #[cfg(feature = "cuda")]
        return self.0.as_ref().map(|_| encoder.accepted_on_device()).filter(|formats| !formats.is_empty());
        #[cfg(not(feature = "cuda"))]
        {
            let _ = encoder;
            None
        }
    }

    /// Has the encoder read there.
    pub fn let_encode(&self, options: &mut OutputOptions) {
        #[cfg(feature = "cuda")]
        options.device.clone_from(&self.0);
        #[cfg(not(feature = "cuda"))]
        let _ = options;
    }
}
