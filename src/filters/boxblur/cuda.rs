//! The kernels of cuda/box.cu, cuda/box_sums.cu and cuda/box_tensor.cu.

mod args;

use args::{Args, ComponentArgs, TensorArgs};

use super::plan::Plan;
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePicture, DevicePlane, Function, LaunchConfig, Stream};
use crate::error::{Error, Result};
use crate::filters::boxblur::tuning::cuda::{
    ACROSS_STEP, ACROSS_THREADS, DOWN_ROWS, HIGH, HIGH_ROWS, NEAR_ROWS, ROWS_AT_ONCE as ROWS, TOTAL_BANDS,
    TOTAL_CHUNKS, TOTAL_ROWS, WIDE_ROWS,
};
use crate::filters::cuda::{CHUNK, launch};
use crate::filters::strips::{Cut, STRIDE, Strips, THREADS};
use crate::filters::tensor::{self, Matrices, Steps};
use crate::filters::tune;
use crate::filters::{CudaJob, CudaKernel, Setup};
use crate::video::{Format, SampleType};
use std::fmt;

/// The largest radius by column that has a kernel of its own.
const NEAR: usize = 3;

/// Bytes of shared memory of a block of `box_across`.
const ACROSS_SHARED: usize = 2 * ACROSS_STEP * (CHUNK + 2 * size_of::<u32>());

/// What makes a pass over samples of one type.
struct PassKernels {
    launches: Launches,
    /// Of each component.
    kept: [Intermediate; 3],
}

/// The kernels of a pass, and how they cut planes.
enum Launches {
    /// Blocks that walk down strips of columns: first of all those that make totals, where windows are high.
    Strips { rows: Function, totals: Option<Function>, strips: Strips },
    /// Row sums, made in strips, and sums of those, made in columns.
    RowSums { across: Function, strips: Strips, down: Function, columns: Strips },
    /// Warps on tensor cores.
    Tensor { function: Function, matrices: Matrices },
}

/// Which launches are used, and how they cut planes.
#[derive(Clone, Copy)]
enum Strategy {
    Strips {
        totals: bool,
        strips: Strips,
    },
    /// The second launch's.
    RowSums(Strips),
    Tensor(Steps),
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Strips { strips, .. } => strips.fmt(f),
            Strategy::RowSums(columns) => write!(f, "row-sums-{columns}"),
            Strategy::Tensor(steps) => steps.fmt(f),
        }
    }
}

/// What one kernel writes of a component for the next one: the sums of windows' columns, row by row, and totals of sixteen rows
/// of these; or sums of all the rows above a place.
#[derive(Default)]
struct Intermediate {
    row_sums: Option<DeviceBuffer>,
    totals: Option<DeviceBuffer>,
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    /// The first pass, which reads the source's samples, and those that follow, if any do.
    first: PassKernels,
    later: Option<PassKernels>,
    /// What passes write that are not the last, in turns.
    between: Vec<DevicePicture>,
}

/// The sizes of the components of a picture.
fn sizes(setup: &Setup) -> Vec<(usize, usize)> {
    let format = setup.input.format;
    (0..format.components())
        .map(|component| format.component_size(component, setup.input.width, setup.input.height))
        .collect()
}

impl Kernel {
    /// Bytes of device memory that the kernel of `plan` holds: weights, sums and what lies between passes.
    pub(super) fn memory(plan: &Plan, setup: &Setup, device: &CudaDevice) -> usize {
        let (width, height, v16) = (setup.input.width, setup.input.height, setup.input.format.to_v16());
        let later = if plan.passes > 1 { PassKernels::memory(plan, v16, setup, device) } else { 0 };
        let picture = DevicePicture::bytes(v16, width, height).unwrap_or(usize::MAX);
        let between = picture.saturating_mul((plan.passes - 1).min(2));
        PassKernels::memory(plan, setup.src, setup, device).saturating_add(later).saturating_add(between)
    }

    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When the kernel cannot be loaded or there is no memory for what is kept.
    pub(super) fn new(plan: Plan, setup: &Setup, device: &CudaDevice) -> Result<Kernel> {
        let (width, height, v16) = (setup.input.width, setup.input.height, setup.input.format.to_v16());
        let picture = |_| DevicePicture::alloc(device, v16, width, height);
        let later = (plan.passes > 1).then(|| PassKernels::load(&plan, v16, setup, device));
        Ok(Kernel {
            first: PassKernels::load(&plan, setup.src, setup, device)?,
            later: later.transpose()?,
            between: (1..plan.passes).take(2).map(picture).collect::<Result<_>>()?,
            plan,
        })
    }
}

impl Strategy {
    /// The launches for pictures stored as `src`: those that were measured best, unless tuning found others.
    fn of(plan: &Plan, src: Format, setup: &Setup, device: &CudaDevice) -> Strategy {
        let (is_near, is_byte) = ((1..=NEAR).contains(&plan.radius_w), src.sample() == SampleType::U8);
        let (sizes, multiprocessors) = (sizes(setup), device.info().multiprocessors);
        let totals = plan.window().1 >= HIGH;
        let (threads, rows) = match (is_near, totals) {
            (true, _) => (&THREADS[..1], NEAR_ROWS),
            (false, true) => (&THREADS[..], HIGH_ROWS),
            (false, false) => (&THREADS[..], WIDE_ROWS),
        };
        let strips = Strips::ways(threads, halo(plan), rows, &sizes, multiprocessors).into_iter();
        let mut ways: Vec<_> = strips.map(|strips| Strategy::Strips { totals, strips }).collect();
        if is_byte && !is_near && row_sums_fit(plan) {
            let columns = Strips::ways(&THREADS[..1], 0, DOWN_ROWS, &sizes, multiprocessors);
            let place = if row_sums_suit(plan, device, &sizes) { 0 } else { ways.len() };
            ways.splice(place..place, columns.into_iter().map(Strategy::RowSums));
        }
        if plan.radius_w.max(plan.radius_h) <= tensor::RADIUS && tensor::serves(device, "box_tensor", src) {
            let place = if is_near { ways.len() } else { 0 };
            ways.splice(place..place, Steps::ways(device, &sizes).into_iter().map(Strategy::Tensor));
        }
        let radii = format!("r{}x{}", tune::coarse(plan.radius_w), tune::coarse(plan.radius_h));
        device.choose("box", &["box", "box_sums", "box_tensor"], tune::case(setup, src, &radii), &ways)
    }

    /// Bytes of row sums and of totals that are kept of a component of this size.
    fn kept(self, (width, height): (usize, usize)) -> (usize, usize) {
        let columns = width.next_multiple_of(CHUNK);
        let row_sums = columns * height * size_of::<u16>();
        let totals = |rows| columns * height.div_ceil(rows) * size_of::<u32>();
        match self {
            Strategy::Strips { totals: true, .. } => (0, totals(height.div_ceil(TOTAL_BANDS))),
            Strategy::RowSums(_) => (row_sums, totals(TOTAL_ROWS)),
            Strategy::Strips { totals: false, .. } | Strategy::Tensor(_) => (0, 0),
        }
    }
}

impl PassKernels {
    /// Bytes of device memory that a pass holds.
    fn memory(plan: &Plan, src: Format, setup: &Setup, device: &CudaDevice) -> usize {
        let strategy = Strategy::of(plan, src, setup, device);
        let kept = |(index, size): (usize, &(usize, usize))| {
            let (row_sums, totals) = strategy.kept(*size);
            if plan.blurs(index) { row_sums + totals } else { 0 }
        };
        let weights = if let Strategy::Tensor(_) = strategy { Matrices::memory(plan.radius_h, 1) } else { 0 };
        weights + sizes(setup).iter().enumerate().map(kept).sum::<usize>()
    }

    /// The kernels for pictures stored as `src`.
    fn load(plan: &Plan, src: Format, setup: &Setup, device: &CudaDevice) -> Result<PassKernels> {
        let sizes = sizes(setup);
        let strategy = Strategy::of(plan, src, setup, device);
        let launches = match strategy {
            Strategy::Tensor(steps) => {
                let down = |distance| u8::from(distance <= plan.radius_h);
                let across = |distance| u8::from(distance <= plan.radius_w);
                Launches::Tensor {
                    function: tensor::kernel(device, "box_tensor", plan.radius_h, src)?,
                    matrices: Matrices::new(device, plan.radius_h, [&down], [&across], steps)?,
                }
            }
            Strategy::RowSums(columns) => Launches::RowSums {
                across: device.function("box_sums", "box_across")?,
                // Cut by totals, so that it does not matter how it would share rows out.
                strips: Strips::choose(&ACROSS_THREADS, halo(plan), DOWN_ROWS, &sizes, device.info().multiprocessors),
                down: device.function("box_sums", "box_down")?,
                columns,
            },
            Strategy::Strips { totals, strips } => {
                let suffix = if src.sample() == SampleType::U8 { "u8" } else { "u16" };
                let rows = match plan.radius_w {
                    radius @ 1..=NEAR => format!("box_w{radius}"),
                    _ if plan.mean().is_narrow() => "box".to_owned(),
                    _ => "box_wide".to_owned(),
                };
                let totals = totals.then(|| device.function("box", &format!("box_totals_{suffix}")));
                Launches::Strips {
                    rows: device.function("box", &format!("{rows}_{suffix}"))?,
                    totals: totals.transpose()?,
                    strips,
                }
            }
        };
        let mut kept: [Intermediate; 3] = Default::default();
        for (index, size) in sizes.iter().enumerate().filter(|(index, _)| plan.blurs(*index)) {
            kept[index] = Intermediate::new(device, strategy.kept(*size))?;
        }
        Ok(PassKernels { launches, kept })
    }

    /// The pass over all components, or over those alone that are blurred.
    fn enqueue(&self, plan: &Plan, src: &[DevicePlane], dst: &[DevicePlane], all: bool, stream: &Stream) -> Result<()> {
        // The arguments of a launch, for all components or only for those that are blurred.
        let args_for = |halo: usize, all: bool, cut: &dyn Fn(&DevicePlane, &DevicePlane) -> Cut| {
            let mut component = [ComponentArgs::NONE; 3];
            for (index, (src, dst)) in src.iter().zip(dst).enumerate() {
                let blurs = plan.blurs(index);
                if blurs || all {
                    component[index] = ComponentArgs::new(plan, src, dst, blurs, &self.kept[index], cut(src, dst))?;
                }
            }
            Ok::<_, Error>(Args::new(plan, component, halo))
        };
        match &self.launches {
            Launches::Strips { rows, totals, strips } => {
                let args = args_for(strips.halo, all, &|src, dst| strips.cut(src, dst))?;
                if let Some(totals) = totals {
                    let most = src.iter().map(|plane| plane.width.div_ceil(CHUNK)).max().unwrap_or(0);
                    let grid = [most.div_ceil(TOTAL_CHUNKS) as u32, src.len() as u32, 1];
                    let shape = LaunchConfig { grid, block: [(TOTAL_CHUNKS * TOTAL_BANDS) as u32, 1, 1], shared: 0 };
                    // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by
                    // the caller, and the totals were made for planes of these sizes and live as long as this kernel.
                    unsafe { launch(totals, shape, &args, stream) }?;
                }
                let sum = if plan.mean().is_narrow() { size_of::<u32>() } else { size_of::<u64>() };
                let shape = args.shape(strips.threads, ROWS * STRIDE * strips.threads * sum);
                // SAFETY: as above; the strips cover the planes, and their sums fit the shared memory.
                unsafe { launch(rows, shape, &args, stream) }
            }
            Launches::RowSums { across, strips, down, columns } => {
                let args = args_for(strips.halo, all, &|src, dst| strips.cut_by(TOTAL_ROWS, src, dst))?;
                let shape = args.shape(strips.threads, ACROSS_SHARED * strips.threads);
                // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
                // caller; row sums and totals were made for planes of these sizes and live as long as this kernel; blocks
                // have the rows of a total, and what threads share fits the shared memory.
                unsafe { launch(across, shape, &args, stream) }?;
                let args = args_for(columns.halo, false, &|src, dst| columns.cut(src, dst))?;
                // SAFETY: as before; the row sums and totals of every component in it were written by the launch
                // before it in this stream.
                unsafe { launch(down, args.shape(columns.threads, 0), &args, stream) }
            }
            Launches::Tensor { function, matrices } => {
                let args = args_for(0, all, &|src, dst| matrices.cut(src, dst))?;
                let shape = args.shape(tensor::THREADS, 0);
                // SAFETY: `TensorArgs` is the kernel's parameter; the planes have the sizes they state and outlive the work
                // by the caller, and the matrices live as long as this kernel.
                unsafe { launch(function, shape, &TensorArgs { args, walk: matrices.walk() }, stream) }
            }
        }
    }
}

impl Intermediate {
    /// Memory of so many bytes; of none, none.
    fn new(device: &CudaDevice, (row_sums, totals): (usize, usize)) -> Result<Intermediate> {
        let buffer = |bytes: usize, what| (bytes > 0).then(|| DeviceBuffer::new(device, bytes, what)).transpose();
        Ok(Intermediate { row_sums: buffer(row_sums, "row sums")?, totals: buffer(totals, "totals of rows")? })
    }
}

/// True when there can be row sums: windows of more than one row, whose row sums sixteen bits hold.
fn row_sums_fit(plan: &Plan) -> bool {
    let fit = plan.window().0 * usize::from(u8::MAX) <= usize::from(u16::MAX) && plan.mean().is_narrow();
    fit && plan.radius_h > 0 && !plan.is_identity()
}

/// True when row sums are faster: half of the device's cache holds all of a picture's, beside its samples; from memory they would
/// come slower than samples do.
fn row_sums_suit(plan: &Plan, device: &CudaDevice, sizes: &[(usize, usize)]) -> bool {
    let blurred = sizes.iter().enumerate().filter(|(index, _)| plan.blurs(*index));
    let bytes: usize = blurred.map(|(_, (width, height))| width * height * size_of::<u16>()).sum();
    2 * bytes <= device.l2_cache()
}

/// Chunks beside a strip that windows reach into.
fn halo(plan: &Plan) -> usize {
    (plan.radius_w + 1).div_ceil(CHUNK)
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        let mut from = *src.here();
        for pass in 1..=self.plan.passes {
            let (is_first, is_last) = (pass == 1, pass == self.plan.passes);
            let kernels = match &self.later {
                Some(later) if !is_first => later,
                _ => &self.first,
            };
            // The first pass is the one that reads what the source stores, so it copies what none blurs.
            let mut to = *dst;
            for (index, plane) in to.iter_mut().enumerate() {
                if !is_last && self.plan.blurs(index) {
                    *plane = self.between[(pass - 1) % 2].planes()[index];
                }
            }
            kernels.enqueue(&self.plan, &from, &to, is_first, stream)?;
            from = to;
        }
        Ok(())
    }
}
