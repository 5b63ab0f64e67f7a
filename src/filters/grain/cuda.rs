//! The kernel of cuda/grain.cu.

use super::plan::{Curve, Plan};
use super::template::{COLUMNS, ROWS, Template, templates};
use super::tuning::cuda::{DOWN, WIDE};
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{CHUNK, PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::{CudaJob, CudaKernel};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "GrainComponent" {
        src: PlaneArgs,
        dst: PlaneArgs,
        /// The template; none where the plane is copied.
        grain: u64 = "const i16*",
        /// The standard deviation of grain of full strength.
        amount: i32,
        /// Smallest and largest result.
        low: i32,
        high: i32,
        /// Whether luma says how strong grain is, and not the component itself.
        follows_luma: u32,
        /// Blocks side by side, and in all.
        across: u32,
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernel.
    struct Args = "Grain" {
        component: [ComponentArgs; 3],
        luma: PlaneArgs,
        /// What chooses the places of the frame's grain.
        key: u64,
        curve: Curve,
        /// Base-two logarithms of the luma columns and rows that a chroma sample covers.
        subsampling_w: u32,
        subsampling_h: u32,
        unused: u32,
    }
}

generated! {
    "grain.cuh" after ["../common/plane.cuh"]: Curve, ComponentArgs, Args;
}

impl ComponentArgs {
    /// A component that a picture does not have.
    const NONE: ComponentArgs = ComponentArgs {
        src: PlaneArgs::NONE,
        dst: PlaneArgs::NONE,
        grain: 0,
        amount: 0,
        low: 0,
        high: 0,
        follows_luma: 0,
        across: 1,
        blocks: 0,
    };
}

/// A kernel built for one stream.
pub(super) struct Kernel {
    plan: Plan,
    function: Function,
    templates: Vec<Option<DeviceBuffer>>,
}

/// Bytes of device memory that the kernel holds.
pub(super) fn memory(plan: &Plan) -> usize {
    (0..plan.components.len()).filter(|index| plan.works_on(*index)).count() * COLUMNS * ROWS * size_of::<i16>()
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded, or there is no memory for templates.
    pub(super) fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        let upload = |template: Option<Template>| {
            let bytes = |template: Template| -> Vec<u8> {
                template.grain().iter().flat_map(|value| value.to_le_bytes()).collect()
            };
            template.map(|template| DeviceBuffer::from_bytes(device, &bytes(template), "grain")).transpose()
        };
        Ok(Kernel {
            function: device.function("grain", "grain")?,
            templates: templates(&plan).into_iter().map(upload).collect::<Result<_>>()?,
            plan,
        })
    }

    /// What is done to component `index`.
    fn component(&self, job: &CudaJob<'_>, index: usize) -> Result<ComponentArgs> {
        let (src, dst, plan) = (&job.src.here()[index], &job.dst[index], &self.plan.components[index]);
        let cut = Cut::new(src.width.div_ceil(WIDE * CHUNK), DOWN, dst);
        Ok(ComponentArgs {
            src: PlaneArgs::new(src)?,
            dst: PlaneArgs::new(dst)?,
            grain: self.templates[index].as_ref().map_or(0, DeviceBuffer::address),
            amount: plan.amount,
            low: plan.low,
            high: plan.high,
            follows_luma: plan.follows_luma.into(),
            across: cut.across,
            blocks: cut.blocks,
        })
    }
}

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut component = [ComponentArgs::NONE; 3];
        for (index, args) in component.iter_mut().enumerate().take(self.plan.components.len()) {
            *args = self.component(job, index)?;
        }
        let blocks = component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let args = Args {
            component,
            luma: PlaneArgs::new(&job.src.here()[0])?,
            key: self.plan.key(job.props.frame_index),
            curve: self.plan.curve,
            subsampling_w: self.plan.subsampling.0 as u32,
            subsampling_h: self.plan.subsampling.1 as u32,
            unused: 0,
        };
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [(WIDE * DOWN) as u32, 1, 1], shared: 0 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the
        // caller; templates have every place that a block may have, and live as long as this kernel.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
