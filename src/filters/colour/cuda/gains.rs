//! Where the source's peak changes: the kernel that mixes each frame's gain.

use super::PeakArgs;
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::CudaJob;
use crate::filters::colour::table::Octaves;
use crate::filters::colour::tonemap::peaks::{MEAN_STEP, PeakSource, Peaks, STEP};
use crate::filters::colour::tuning::cuda::THREADS;
use crate::filters::cuda::launch;
use crate::filters::survey::CudaSmoother;

/// What makes the gain of each frame.
pub struct Gains {
    function: Function,
    args: PeakArgs,
    /// `Err`: metadata state peaks, and else this code counts.
    smoother: std::result::Result<CudaSmoother, u16>,
    _tables: DeviceBuffer,
}

impl Gains {
    /// Of `peaks`, into the table at `gain`.
    ///
    /// # Errors
    /// When there is no memory for the tables, or the kernel cannot be loaded.
    pub fn new(peaks: &Peaks, gain: u64, device: &CudaDevice) -> Result<Gains> {
        let gains = &peaks.gains;
        let mut bytes = vec![0; gains.bytes()];
        let entries = gains.all().flat_map(Octaves::entries);
        bytes.as_chunks_mut().0.iter_mut().zip(entries).for_each(|(word, entry)| *word = entry.to_le_bytes());
        let tables = DeviceBuffer::from_bytes(device, &bytes, "tonemap's gains")?;
        let smoother = match &peaks.source {
            PeakSource::Measured(smoother) => Ok(smoother.on(device)?),
            PeakSource::Stated(usual) => Err(*usual),
        };
        let args = PeakArgs {
            tables: tables.address(),
            gain,
            level: smoother.as_ref().map_or(0, CudaSmoother::address),
            code: 0,
            first: gains.first,
            step: STEP,
            entries: gains.at(0).entries().len() as u32,
            means: gains.means,
            mean_step: MEAN_STEP,
        };
        Ok(Gains { function: device.function("colour", "colour_gain")?, args, smoother, _tables: tables })
    }

    /// Makes the gain for the frame of `job`.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn enqueue(&self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = self.args;
        match &self.smoother {
            Ok(smoother) => smoother.enqueue(job)?,
            Err(usual) => args.code = Peaks::code_of(job.props.brightest, *usual).into(),
        }
        let shape = LaunchConfig { grid: [args.entries.div_ceil(THREADS), 1, 1], block: [THREADS, 1, 1], shared: 0 };
        // SAFETY: `PeakArgs` is the kernel's parameter; there are tables of `entries` for every code from `first` on and every mean,
        // and they, the gain and the level outlive the work as long as the kernel lives.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
