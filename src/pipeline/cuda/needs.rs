//! The memory that a plan needs on a device, before any of it is made.

use super::batch::wanted;
use super::between::Between;
use crate::device::cuda::{CudaDevice, DevicePicture};
use crate::error::{Error, Kind, Result};
use crate::pipeline::ChainPlan;
use crate::pipeline::parts::{Feed, Part, held};
use crate::video::{Format, StreamInfo};
use std::sync::Arc;

type Shape = (Format, usize, usize);

/// The pictures on a device that a plan needs.
pub struct Needs {
    pub inputs: Vec<InputNeed>,
    /// For each part but the last.
    pub made: Vec<(usize, Shape)>,
    pub slots: usize,
    pub staying: Option<(usize, Shape)>,
    /// Frames that the last part may make at a time.
    pub batch: usize,
}

/// Pictures of an input.
pub struct InputNeed {
    pub shape: Shape,
    pub count: usize,
    /// Nobody holds its frames for longer than one job.
    pub in_place: bool,
}

impl Needs {
    /// What `plan` needs with `slots` slots on `device`: for as many frames at a time as there is memory for.
    ///
    /// # Errors
    /// When there is not enough for one.
    pub fn fitting(plan: &ChainPlan, device: &Arc<CudaDevice>, slots: usize) -> Result<Needs> {
        let mut batch = wanted(plan).min(slots);
        loop {
            let needs = Needs::of(plan, slots, batch);
            match needs.require(plan, device) {
                Err(_) if batch > 1 => batch /= 2,
                required => return required.map(|()| needs),
            }
        }
    }

    fn of(plan: &ChainPlan, slots: usize, batch: usize) -> Needs {
        // One batch is made while the next one gathers.
        let slots = if batch > 1 { slots.max(2 * batch) } else { slots };
        let slots = if plan.stages.is_empty() { 0 } else { slots };
        // Beside those in flight: frames of a batch follow one another.
        let held = |feed: Feed| held(&plan.parts, feed) + batch - 1;
        let input = |input: usize| {
            let StreamInfo { width, height, .. } = *plan.stream(input);
            let held = held(Feed::Input(input));
            // A run that begins inside the film has all frames before its first one at a time.
            let held = if input == 0 { held.max(plan.reach().before as usize + 1) } else { held };
            // One arrives while every slot is in flight, and its marks are read when its frame has landed.
            let count = if slots == 0 { 0 } else { slots + held };
            InputNeed { shape: (plan.storage(input), width, height), count, in_place: held == 1 }
        };
        let last = plan.parts.len().saturating_sub(1);
        let made = plan.parts[..last].iter().enumerate().map(|(i, part)| (held(Feed::Part(i)) + 1, part.result(plan)));
        let StreamInfo { format, width, height, .. } = plan.output;
        // Those that stay: in flight, waiting for the encoder, and held by each.
        let staying = plan.stays.then_some((2 * slots + 2, (format, width, height)));
        Needs { inputs: (0..=plan.sides.len()).map(input).collect(), made: made.collect(), slots, staying, batch }
    }

    /// Refuses a plan that the device has no memory for.
    fn require(&self, plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<()> {
        let StreamInfo { format, width, height, .. } = plan.output;
        let in_place = |(i, input): &(usize, &InputNeed)| *i == 0 && plan.resident && input.in_place;
        let inputs = self.inputs.iter().enumerate().filter(|input| !in_place(input));
        let inputs = inputs.map(|(_, input)| (input.count, input.shape));
        let outputs = self.staying.unwrap_or((self.slots, (format, width, height)));
        let pictures = inputs.chain(self.made.iter().copied()).chain([outputs]);
        let bytes = |(count, (format, width, height)): (usize, Shape)| {
            DevicePicture::bytes(format, width, height)?.checked_mul(count)
        };
        let frames = pictures.map(bytes).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?));
        let kept = plan.parts.iter().enumerate().map(|(i, part)| {
            let batch = if i + 1 == plan.parts.len() { self.batch } else { 1 };
            kept_beside_frames(plan, part, device, batch)
        });
        let kept = kept.collect::<Result<Vec<_>>>()?.into_iter().try_fold(0usize, usize::checked_add);
        let total = frames.and_then(|frames| frames.checked_add(kept?));
        let total = total.ok_or_else(|| Error::new(Kind::OutOfMemory, "the frames are too large to be addressed"))?;
        let slots = self.slots;
        device.require(total, &format!("{slots} slots for {}x{} frames", plan.input.width, plan.input.height))
    }
}

/// Bytes of device memory that `part` holds for `batch` frames at a time: pictures between its filters, and what its kernels keep.
///
/// # Errors
/// When they cannot be counted.
pub fn kept_beside_frames(plan: &ChainPlan, part: &Part, device: &Arc<CudaDevice>, batch: usize) -> Result<usize> {
    let of = |stage: &usize| {
        let stage = &plan.stages[*stage];
        let bytes = stage.filter.cuda_memory(&stage.setup.for_batches(batch), device);
        bytes.map_err(|e| e.context(stage.filter.descriptor().name))
    };
    let between = Between::bytes(plan, part)?.saturating_mul(batch);
    part.stages.iter().try_fold(between, |sum, stage| Ok(sum.saturating_add(of(stage)?)))
}
