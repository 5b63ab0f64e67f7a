//! The kernels of cuda/survey.cu.

use super::Survey;
use super::layout::{BINS, SurveyLayout};
use super::shot::Smoothing;
use super::sums::LEVELS;
use super::tuning::cuda::THREADS;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePicture, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::{CudaJob, CudaKernel};
use crate::video::Format;

/// Bytes of what is counted of a frame.
pub const COUNTS: usize = 4 * (LEVELS + BINS);

/// Surveys that are read at a time, at most.
const MOST: usize = 97;

device_struct! {
    /// Arguments of the kernels that make a survey.
    struct Args = "Survey" {
        src: [PlaneArgs; 3],
        dst: PlaneArgs,
        /// Of levels, and of bins of light behind them.
        counts: u64 = "u32*",
        rank: u64,
        columns: u32,
        rows: u32,
        /// Of light: black, what is multiplied with, and the weights of R, G and B.
        black: i32,
        factor: i32,
        luma: [i32; 3],
        is_rgb: u32,
        /// Of codes.
        by_code: u32,
        code_black: i32,
        code_gain: i32,
        chroma: [[i32; 2]; 3],
        halved_w: u32,
        halved_h: u32,
        has_mean: u32,
    }
}

device_struct! {
    /// Arguments of the kernel that smooths levels.
    struct SmoothArgs = "Smooth" {
        /// Of frames one after the other.
        surveys: [u64; MOST] = "const u16*",
        /// Where the level is written, and the mean behind it.
        level: u64 = "u32*",
        samples: u64,
        cells: u32,
        frames: u32,
        radius: u32,
        /// The largest levels within the radius, not those of the frames themselves.
        crest: u32,
    }
}

generated! {
    "survey.cuh" after ["../common/plane.cuh"]: Args, SmoothArgs;
}

/// A kernel built for one stream.
pub struct Kernel {
    measure: Function,
    finish: Function,
    args: Args,
    /// As a picture of one row, which is cleared.
    counts: DevicePicture,
}

impl Kernel {
    /// The kernel that makes `survey`.
    ///
    /// # Errors
    /// When the kernels cannot be loaded or memory does not suffice.
    pub(super) fn new(survey: &Survey, device: &CudaDevice) -> Result<Kernel> {
        let counts = DevicePicture::alloc(device, Format::gray(8)?, COUNTS, 1)?;
        Ok(Kernel {
            measure: device.function("survey", "survey_measure")?,
            finish: device.function("survey", "survey_finish")?,
            args: args(survey, counts.plane(0).0),
            counts,
        })
    }
}

/// What kernels get, but of planes.
fn args(survey: &Survey, counts: u64) -> Args {
    let Survey { layout, brightness, .. } = survey;
    let (rgb, codes) = (&brightness.scale.rgb, &brightness.codes);
    Args {
        src: [PlaneArgs::NONE; 3],
        dst: PlaneArgs::NONE,
        counts,
        rank: survey.rank(),
        columns: layout.columns as u32,
        rows: layout.rows as u32,
        black: brightness.scale.black,
        factor: brightness.scale.factor,
        luma: rgb.map_or([0; 3], |rgb| rgb.luma),
        is_rgb: rgb.is_some().into(),
        by_code: codes.is_some().into(),
        code_black: codes.map_or(0, |codes| codes.decode.black),
        code_gain: codes.map_or(0, |codes| codes.decode.gain),
        chroma: codes.map_or([[0; 2]; 3], |codes| codes.decode.chroma),
        halved_w: codes.map_or(0, |codes| codes.halved.0.into()),
        halved_h: codes.map_or(0, |codes| codes.halved.1.into()),
        has_mean: survey.has_mean.into(),
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = self.args;
        for (plane, view) in args.src.iter_mut().zip(job.src.here().iter()) {
            *plane = PlaneArgs::new(view)?;
        }
        args.dst = PlaneArgs::new(&job.dst[0])?;
        self.counts.clear(job.stream)?;
        let grids = [(&self.measure, args.columns * args.rows, THREADS), (&self.finish, 1, LEVELS as u32)];
        for (function, blocks, threads) in grids {
            let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], shared: 0 };
            // SAFETY: `Args` is the kernels' parameter; the planes have the sizes they state, the result those of the layout,
            // and the counts as many words; all outlive the work by the caller and as long as this kernel lives.
            unsafe { launch(function, shape, &args, job.stream) }?;
        }
        Ok(())
    }
}

/// Smooths levels, frame after frame.
pub struct Smoother {
    function: Function,
    layout: SurveyLayout,
    smoothing: Smoothing,
    level: DeviceBuffer,
}

impl Smoother {
    /// Bytes of device memory that one holds.
    pub const MEMORY: usize = 8;

    /// For surveys of `layout`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or memory does not suffice.
    pub fn new(layout: SurveyLayout, smoothing: Smoothing, device: &CudaDevice) -> Result<Smoother> {
        assert!(smoothing.reach().frames() <= MOST, "{smoothing:?} has no room");
        let level = DeviceBuffer::new(device, Self::MEMORY, "a level")?;
        Ok(Smoother { function: device.function("survey", "survey_smooth")?, layout, smoothing, level })
    }

    /// Where the level is, and the mean behind it, for kernels that come after [`Smoother::enqueue`].
    pub fn address(&self) -> u64 {
        self.level.address()
    }

    /// Works out level and mean of the frame of `job`, whose last input are surveys.
    ///
    /// # Errors
    /// When the launch is refused.
    pub fn enqueue(&self, job: &CudaJob<'_>) -> Result<()> {
        let reach = self.smoothing.reach();
        let mut surveys = [0; MOST];
        for (offset, survey) in (-(reach.before as isize)..).zip(&mut surveys[..reach.frames()]) {
            *survey = job.src.at(job.src.inputs() - 1, offset)[0].address;
        }
        let args = SmoothArgs {
            surveys,
            level: self.level.address(),
            samples: self.layout.samples(),
            cells: self.layout.cells() as u32,
            frames: reach.frames() as u32,
            radius: self.smoothing.radius() as u32,
            crest: matches!(self.smoothing, Smoothing::Crest(_)).into(),
        };
        let shape = LaunchConfig { grid: [1, 1, 1], block: [LEVELS as u32, 1, 1], shared: 0 };
        // SAFETY: `SmoothArgs` is the kernel's parameter; as many surveys of the layout as it states are there, and they and the
        // level outlive the work by the caller and as long as this smoother lives.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
