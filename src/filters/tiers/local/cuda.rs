//! The launch of kernels that are made of cuda/common/local.cuh.

#[cfg(test)]
use super::NoConsts;
use super::plan::{self, Plan};
use super::{ComponentSource, Local, MOST_SOURCES};
use crate::device::cuda::{CudaDevice, DeviceBuffer, DevicePlane, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, PlaneArgs};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::tuning::cuda::{DOWN, PAIRS, ROWS, TWO_ROWS, WIDE};
use crate::filters::strips::{Cut, Strips, THREADS};
use crate::filters::{CudaJob, CudaKernel};
use crate::video::SampleType;

device_struct! {
    /// A plane that is read.
    pub(super) struct From = "LocalSource" {
        plane: PlaneArgs,
        /// Where its first sample lies.
        left: i32,
        top: i32,
        /// Base-two logarithms of its columns and rows that are one.
        shrink_w: u32,
        shrink_h: u32,
    }
}

device_struct! {
    /// What is done to one component.
    pub(super) struct ComponentArgs = "LocalComponent" {
        /// The component of the frame at hand.
        src: PlaneArgs,
        dst: PlaneArgs,
        /// What the function looks up.
        table: u64 = "const u16*",
        /// 0: the plane is copied.
        computes: u32,
        /// Blocks side by side, rows of a block, and blocks in all.
        across: u32,
        rows: u32,
        blocks: u32,
        /// The part where all sources have samples.
        left: i32,
        right: i32,
        top: i32,
        bottom: i32,
        source: [From; MOST_SOURCES],
    }
}

device_struct! {
    /// Arguments of the kernels, whatever their function is.
    pub(super) struct Args = "LocalArgs" {
        component: [ComponentArgs; 3],
    }
}

generated! {
    "local.cuh" after ["../common/plane.cuh"]: From, ComponentArgs, Args, NoConsts;
}

impl From {
    const NONE: From = From { plane: PlaneArgs::NONE, left: 0, top: 0, shrink_w: 0, shrink_h: 0 };

    fn new(plane: &DevicePlane, source: &ComponentSource) -> Result<From> {
        Ok(From {
            plane: PlaneArgs::new(plane)?,
            left: source.origin.0 as i32,
            top: source.origin.1 as i32,
            shrink_w: source.shrink.0.into(),
            shrink_h: source.shrink.1.into(),
        })
    }
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        table: 0,
        computes: 0,
        across: 1,
        rows: 1,
        blocks: 0,
        left: 0,
        right: 0,
        top: 0,
        bottom: 0,
        source: [From::NONE; MOST_SOURCES],
    };
}

/// A kernel built for one stream.
pub(super) struct Kernel<T: Local> {
    plan: Plan<T>,
    function: Function,
    /// Where something around a place is read.
    strips: Option<Strips>,
    tables: [Option<DeviceBuffer>; 3],
    /// Of the components; zeros for those that are copied.
    consts: [T::Consts; 3],
}

impl<T: Local> Kernel<T> {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for its tables.
    pub(super) fn new(plan: Plan<T>, device: &CudaDevice) -> Result<Kernel<T>> {
        let input = &plan.setup.input;
        let size = |component| input.format.component_size(component, input.width, input.height);
        let sizes: Vec<_> = (0..input.format.components()).map(size).collect();
        let suffix = if plan.setup.src.sample() == SampleType::U8 { "u8" } else { "u16" };
        let pairs = plan.pairs().filter(|module| device.runs(module));
        let (name, strips) = match plan.radius {
            0 => (plan.kernel(), None),
            _ => {
                let rows = match (pairs, T::PAIRS) {
                    (Some(_), _) => PAIRS,
                    (None, Some(_)) => TWO_ROWS,
                    (None, None) => ROWS,
                };
                let strips = Strips::choose(&THREADS[..1], 1, rows, &sizes, device.info().multiprocessors);
                (format!("{}_{suffix}", plan.kernel()), Some(strips))
            }
        };
        let mut tables: [Option<DeviceBuffer>; 3] = Default::default();
        let mut consts = [T::Consts::default(); 3];
        for (index, component) in plan.components.iter().enumerate() {
            let Some(component) = component else { continue };
            consts[index] = component.consts;
            if !component.table.is_empty() {
                let bytes: Vec<u8> = component.table.iter().flat_map(|value| value.to_le_bytes()).collect();
                tables[index] = Some(DeviceBuffer::from_bytes(device, &bytes, "a table of values")?);
            }
        }
        Ok(Kernel { function: device.function(pairs.unwrap_or(T::MODULE), &name)?, plan, strips, tables, consts })
    }

    /// What is done to component `index`.
    fn component(
        &self,
        index: usize,
        job: &CudaJob<'_>,
        part: Option<&plan::ComponentPlan<T::Consts>>,
    ) -> Result<ComponentArgs> {
        let (src, dst) = (&job.src.here()[index], &job.dst[index]);
        let cut = match &self.strips {
            Some(strips) => strips.cut(src, dst),
            None => Cut::new(src.width.div_ceil(WIDE * CHUNK), DOWN, dst),
        };
        let mut source = [From::NONE; MOST_SOURCES];
        source[0] = From::new(src, &ComponentSource::of(0, index))?;
        for (to, of) in source.iter_mut().zip(part.iter().flat_map(|part| &part.sources)) {
            *to = From::new(&job.src.at(of.input, of.offset)[of.component], of)?;
        }
        let area = part.map(|part| &part.area);
        let ends = |range: Option<&std::ops::Range<usize>>| {
            range.map_or((0, 0), |range| (range.start as i32, range.end as i32))
        };
        let ((left, right), (top, bottom)) = (ends(area.map(|area| &area.columns)), ends(area.map(|area| &area.rows)));
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            table: self.tables[index].as_ref().map_or(0, DeviceBuffer::address),
            computes: part.is_some().into(),
            across: cut.across,
            rows: cut.rows,
            blocks: cut.blocks,
            left,
            right,
            top,
            bottom,
            source,
        })
    }
}

impl<T: Local> CudaKernel for Kernel<T> {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let applies = self.plan.applies(job.props);
        let mut args = Args { component: [ComponentArgs::NONE; 3] };
        for (index, part) in self.plan.components.iter().enumerate() {
            args.component[index] = self.component(index, job, part.as_ref().filter(|_| applies))?;
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let threads = self.strips.as_ref().map_or(WIDE * DOWN, |strips| strips.threads);
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [threads as u32, 1, 1], shared: 0 };
        let params = [(&raw const args).cast(), (&raw const self.consts).cast()];
        // SAFETY: the kernel's parameters are `Args` and three times the function's constants; the planes have the sizes
        // they state and outlive the work by the caller, and the tables live as long as this kernel.
        unsafe { self.function.launch(shape, &params, job.stream) }
    }
}
