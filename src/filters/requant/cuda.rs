//! The kernels of cuda/requant.cu.

use super::pattern::{TILE, origin, threshold};
use super::scaling::MulShift;
use super::{Dither, Requant, check};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlanes, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::requant::tuning::cuda::{BLOCK, DIFFUSION_BAND as BAND, THREADS};
use crate::filters::{CudaJob, CudaKernel, Setup};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "Component" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// 64 rows of 64 thresholds, column 0 at a multiple of 8 before the plane's.
        pattern: u64 = "const u16*",
        /// Error diffusion: of the last row of every band of rows.
        residues: u64 = "u16*",
        /// The scaling's offset and slope, in 2^-32.
        offset: i64,
        slope: i32,
        /// Largest scaled value.
        top: i32,
        /// Where in the pattern the plane's first sample lies.
        column: u32,
        row: u32,
    }
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        pattern: 0,
        residues: 0,
        offset: 0,
        slope: 0,
        top: 0,
        column: 0,
        row: 0,
    };
}

device_struct! {
    /// Arguments of the kernels.
    struct Args = "Requant" {
        component: [ComponentArgs; 3],
        /// Bits at the low end of v16 that the new depth lacks.
        drop: u32,
        /// Bits computed below those of v16.
        guard: u32,
        /// Blocks of luma or grey; those that follow belong to chroma.
        first_blocks: u32,
        /// Blocks in a row of luma, of chroma.
        across: [u32; 2],
        /// Error diffusion: bands of 32 rows of each component.
        bands: [u32; 3],
        /// Counts frames: residues are marked with its parity.
        epoch: u32,
        /// The tickets that this frame's blocks draw begin here.
        first_ticket: u32,
        tickets: u64 = "u32*",
        /// What thresholds have added, so that none is negative.
        bias: u32,
        unused: u32,
    }
}

generated! {
    "requant.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// Where thresholds come from.
enum Thresholds {
    /// Eight tiles of thresholds, each one column further left, so that any column of one lies at a multiple of eight.
    Pattern(DeviceBuffer),
    Diffusion(Diffusion),
}

/// What error diffusion keeps from frame to frame.
struct Diffusion {
    /// The residues of the last row of every band of every component, marked with the parity of the frame's number.
    residues: DeviceBuffer,
    /// How many blocks there were so far, modulo 2^32: a block's number decides its band.
    tickets: DeviceBuffer,
    drawn: u32,
    /// The number of the next frame; the first is odd, since fresh memory is marked even.
    epoch: u32,
}

/// A kernel built for one stream.
pub struct Kernel {
    requant: Requant,
    function: Function,
    source: Thresholds,
}

impl Kernel {
    /// Bytes of device memory that the kernel for `requant` holds.
    pub fn memory(requant: &Requant, setup: &Setup) -> usize {
        match requant.dither {
            Dither::Fs => Diffusion::residues(setup) + size_of::<u32>(),
            _ => CHUNK * TILE * TILE * size_of::<u16>(),
        }
    }

    /// The kernel for `requant`.
    ///
    /// # Errors
    /// When the formats have no v16 scale, the kernel cannot be loaded or memory runs out.
    pub fn new(requant: Requant, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        check(setup)?;
        let (name, source) = match requant.dither {
            Dither::Fs => ("requant_diffuse", Thresholds::Diffusion(Diffusion::new(setup, device)?)),
            _ if requant.bias() != 0 => ("requant_biased", Thresholds::Pattern(tiles(&requant, device)?)),
            _ => ("requant_pattern", Thresholds::Pattern(tiles(&requant, device)?)),
        };
        Ok(Kernel { requant, function: device.function("requant", name)?, source })
    }

    /// Component `index` without its thresholds.
    fn component(&self, index: usize, src: &DevicePlanes, dst: &DevicePlanes) -> Result<ComponentArgs> {
        let scaling = self.requant.scalings[index];
        let (slope, offset) = match scaling.is_identity() {
            true => (0, 0),
            false => MulShift::new(scaling, self.requant.guard).terms(),
        };
        Ok(ComponentArgs {
            src: PlaneArgs::new(&src[index])?,
            dst: PlaneArgs::new(&dst[index])?,
            pattern: 0,
            residues: 0,
            offset,
            slope,
            top: scaling.top << self.requant.guard,
            column: 0,
            row: 0,
        })
    }
}

/// The tiles of [`Thresholds::Pattern`].
fn tiles(requant: &Requant, device: &CudaDevice) -> Result<DeviceBuffer> {
    let threshold = |left, i| threshold(requant.dither, left + i % TILE, i / TILE, requant.fraction_bits());
    let tile = |left| (0..TILE * TILE).flat_map(move |i| threshold(left, i).to_le_bytes());
    let bytes: Vec<u8> = (0..CHUNK).flat_map(tile).collect();
    DeviceBuffer::from_bytes(device, &bytes, "dither patterns")
}

impl Diffusion {
    /// Bytes of the residues.
    fn residues(setup: &Setup) -> usize {
        let format = setup.input.format;
        let residues = |component| {
            let (width, height) = format.component_size(component, setup.input.width, setup.input.height);
            height.div_ceil(BAND) * width * size_of::<u16>()
        };
        (0..format.components()).map(residues).sum()
    }

    fn new(setup: &Setup, device: &CudaDevice) -> Result<Diffusion> {
        Ok(Diffusion {
            residues: DeviceBuffer::new(device, Self::residues(setup), "residues of error diffusion")?,
            tickets: DeviceBuffer::new(device, size_of::<u32>(), "tickets of error diffusion")?,
            drawn: 0,
            epoch: 1,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { props, src, dst, stream, .. } = *job;
        let src = src.here();
        let count = src.len();
        let mut args = Args {
            component: [ComponentArgs::NONE; 3],
            drop: self.requant.drop,
            guard: self.requant.guard,
            first_blocks: 0,
            across: [1; 2],
            bands: [0; 3],
            epoch: 0,
            first_ticket: 0,
            tickets: 0,
            bias: self.requant.bias() as u32,
            unused: 0,
        };
        for index in 0..count {
            args.component[index] = self.component(index, src, dst)?;
        }
        let blocks = match &mut self.source {
            Thresholds::Pattern(tiles) => {
                for (index, component) in args.component[..count].iter_mut().enumerate() {
                    let (x, y) = origin(&self.requant, index, props.frame_index);
                    component.pattern = tiles.address() + (x % CHUNK * TILE * TILE * size_of::<u16>()) as u64;
                    (component.column, component.row) = ((x - x % CHUNK) as u32, y as u32);
                }
                let across = |index: usize| src[index].width.div_ceil(BLOCK.0) as u32;
                let blocks = |index: usize| across(index) * src[index].height.div_ceil(BLOCK.1) as u32;
                args.first_blocks = blocks(0);
                args.across = [across(0), across(count - 1)];
                // A block of chroma does both components.
                blocks(0) + if count > 1 { blocks(1) } else { 0 }
            }
            Thresholds::Diffusion(diffusion) => {
                let mut residues = diffusion.residues.address();
                for (index, component) in args.component[..count].iter_mut().enumerate() {
                    let bands = src[index].height.div_ceil(BAND);
                    component.residues = residues;
                    residues += (bands * src[index].width * size_of::<u16>()) as u64;
                    args.bands[index] = bands as u32;
                }
                let blocks = args.bands.iter().sum();
                (args.epoch, args.first_ticket) = (diffusion.epoch, diffusion.drawn);
                args.tickets = diffusion.tickets.address();
                diffusion.epoch = diffusion.epoch.wrapping_add(1);
                diffusion.drawn = diffusion.drawn.wrapping_add(blocks);
                blocks
            }
        };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
        // caller, and the tables live as long as this kernel.
        unsafe { launch(&self.function, shape, &args, stream) }
    }

    fn repeats(&self) -> bool {
        matches!(self.source, Thresholds::Pattern(_))
    }
}
