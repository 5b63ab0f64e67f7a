//! The kernel of cuda/expr.cu, which interprets the steps of the code.

use super::code::{Code, Step, Value};
use super::plan::{ComponentPlan, Plan, StreamValues};
use super::tuning::cuda::{ROWS, SAMPLES, THREADS};
use super::words::Given;
use crate::device::cuda::{CudaDevice, DeviceBuffer, Function, LaunchConfig};
use crate::error::Result;
use crate::filters::cuda::{PlaneArgs, launch};
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::strips::Cut;
use crate::filters::{CudaJob, CudaKernel};

device_struct! {
    /// What is done to one component.
    struct ComponentArgs = "ExprComponent" {
        source: [PlaneArgs; 3],
        dst: PlaneArgs,
        /// Two words each: the number of the value with its register and two operands, a byte each; what else belongs to it.
        program: u64 = "const uint2*",
        /// Of the program; 0: the plane is copied.
        steps: u32,
        /// Values of 16 bits in a code.
        unit: f32,
        across: u32,
        blocks: u32,
    }
}

device_struct! {
    /// Arguments of the kernel.
    struct Args = "ExprArgs" {
        component: [ComponentArgs; 3],
        frame: f32,
        unused: u32,
    }
}

generated! {
    "expr.cuh" after ["../common/plane.cuh"]: ComponentArgs, Args;
}

/// The number of the first function: those before it are of values without operands, as in cuda/expr.cu.
const FUNCTIONS: u32 = 5;

/// Bytes of a step.
const STEP: usize = 8;

/// A step in two words.
fn words(step: &Step, stream: &StreamValues) -> [u32; 2] {
    let number = |value: f32| (0, [0; 2], value.to_bits());
    let (what, [a, b], more) = match step.value {
        Value::Number(value) => number(value),
        Value::Source(source) => (1, [0; 2], source as u32),
        Value::Given(Given::Column) => (2, [0; 2], 0),
        Value::Given(Given::Row) => (3, [0; 2], 0),
        Value::Given(Given::Frame) => (4, [0; 2], 0),
        Value::Given(given) => number(stream.number(given).unwrap_or(0.0)),
        Value::Apply(op, [a, b, c]) => (FUNCTIONS + op as u32, [a as u32, b as u32], c as u32),
    };
    [what | (step.to as u32) << 8 | a << 16 | b << 24, more]
}

fn code(component: &ComponentPlan) -> &Code {
    component.expression.code()
}

/// Bytes of device memory that the kernel holds.
pub fn memory(plan: &Plan) -> usize {
    plan.components.iter().flatten().map(|component| code(component).steps.len() * STEP).sum()
}

/// A kernel built for one stream.
pub struct Kernel {
    plan: Plan,
    function: Function,
    programs: [Option<DeviceBuffer>; 3],
    /// Bytes of shared memory of a block.
    shared: usize,
}

impl Kernel {
    /// The kernel of `plan`.
    ///
    /// # Errors
    /// When it cannot be loaded or there is no memory for the programs.
    pub fn new(plan: Plan, device: &CudaDevice) -> Result<Kernel> {
        let mut programs: [Option<DeviceBuffer>; 3] = Default::default();
        for (program, component) in programs.iter_mut().zip(&plan.components) {
            let Some(component) = component else { continue };
            let words = code(component).steps.iter().flat_map(|step| words(step, &component.stream));
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            *program = Some(DeviceBuffer::from_bytes(device, &bytes, "an expression")?);
        }
        let registers = plan.components.iter().flatten().map(|component| code(component).registers).max().unwrap_or(0);
        let shared = registers * THREADS * SAMPLES * size_of::<f32>();
        Ok(Kernel { function: device.function("expr", "expr")?, plan, programs, shared })
    }

    fn component(&self, index: usize, job: &CudaJob<'_>) -> Result<ComponentArgs> {
        let dst = &job.dst[index];
        let mut source = [PlaneArgs::NONE; 3];
        for (to, input) in source.iter_mut().zip(self.plan.inputs) {
            *to = PlaneArgs::new(&job.src.at(input.unwrap_or(0), 0)[index])?;
        }
        let cut = Cut::new(dst.width.div_ceil(THREADS * SAMPLES), ROWS, dst);
        let component = self.plan.components[index].as_ref();
        Ok(ComponentArgs {
            source,
            dst: PlaneArgs::new(dst)?,
            program: self.programs[index].as_ref().map_or(0, DeviceBuffer::address),
            steps: component.map_or(0, |component| code(component).steps.len() as u32),
            unit: component.map_or(1.0, |component| component.stream.unit),
            across: cut.across,
            blocks: cut.blocks,
        })
    }
}

/// A component that a picture does not have.
const NONE: ComponentArgs = ComponentArgs {
    source: [PlaneArgs::NONE; 3],
    dst: PlaneArgs::NONE,
    program: 0,
    steps: 0,
    unit: 1.0,
    across: 1,
    blocks: 0,
};

impl CudaKernel for Kernel {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        let mut args = Args { component: [NONE; 3], frame: job.props.frame_index as f32, unused: 0 };
        for index in 0..self.plan.components.len() {
            args.component[index] = self.component(index, job)?;
        }
        let blocks = args.component.iter().map(|component| component.blocks).sum();
        if blocks == 0 {
            return Ok(());
        }
        let shape = LaunchConfig { grid: [blocks, 1, 1], block: [THREADS as u32, 1, 1], shared: self.shared as u32 };
        // SAFETY: `Args` is the kernel's parameter; the planes have the sizes they state and outlive the work by the caller,
        // the programs live as long as this kernel, and the shared memory holds every register that they name.
        unsafe { launch(&self.function, shape, &args, job.stream) }
    }
}
