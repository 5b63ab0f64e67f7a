//! One frame at a time through a CUDA device. Contexts that work at the same time overlap.

use super::measured::PendingRecord;
use super::needs::kept_beside_frames;
use super::part::{CudaParts, PartTarget};
use super::pool::DevicePool;
use super::resident::DeviceSamples;
use super::rgba::{RgbaConversion, RgbaDepth, RgbaImage, RgbaKernels, RgbaWindow};
use super::staging::{StagedPicture, foreign};
use crate::device::cuda::{CudaDevice, DevicePicture, DevicePlanes, Event, Stream};
use crate::error::Result;
use crate::pipeline::assembler::{Assembler, Next};
use crate::pipeline::feeder::{InputFrame, missing};
use crate::pipeline::{ChainPlan, Part};
use crate::video::{FrameProps, PlanesMut, StreamInfo};
use std::sync::Arc;

/// Kernels, the pictures between them, and where frames of the host go to and come from.
pub struct ExecutionContext {
    /// First, so that nothing is freed before it has been waited for.
    own: Waited,
    device: Arc<CudaDevice>,
    parts: CudaParts,
    assembler: Assembler<DeviceSamples>,
    /// Where frames of the host go to: as many as were needed at a time so far, for each input.
    there: Vec<Vec<StagedPicture>>,
    /// Where results for the host come from; made with the first of them.
    back: Option<StagedPicture>,
    /// What converts pictures of RGBA on the device; made for the first of them.
    rgba: Option<RgbaKernels>,
}

/// The context's own stream, and the end of the last frame's work, in whatever stream that was. Both are waited for when it is
/// dropped.
struct Waited {
    stream: Stream,
    done: Event,
}

impl Drop for Waited {
    fn drop(&mut self) {
        if let Err(error) = self.stream.synchronize().and_then(|()| self.done.synchronize()) {
            log::debug!("{error}");
        }
    }
}

/// A frame on the device as a host has it: its number among the chain's input, and its picture.
pub struct RgbaFrame {
    /// Its properties; `frame_index` says which it is.
    pub props: FrameProps,
    /// Where its pixels are.
    pub image: RgbaImage,
}

impl ExecutionContext {
    /// A context for `plan` on `device`.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn new(plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<ExecutionContext> {
        let pool = |part: &Part| DevicePool::new(device, 0, part.result(plan));
        let mut parts = CudaParts::new(plan.earlier_parts().iter().map(pool).collect::<Result<_>>()?);
        parts.prepare(plan, device, 1)?;
        Ok(ExecutionContext {
            own: Waited { stream: Stream::new(device)?, done: Event::new(device)? },
            device: Arc::clone(device),
            parts,
            assembler: Assembler::new(plan),
            there: (0..=plan.sides.len()).map(|_| Vec::new()).collect(),
            back: None,
            rgba: None,
        })
    }

    /// Bytes of the device that a context for `plan` holds, without what frames of the host need.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(plan: &ChainPlan, device: &Arc<CudaDevice>) -> Result<usize> {
        let mut bytes = 0usize;
        for (i, part) in plan.parts.iter().enumerate() {
            let (format, width, height) = part.result(plan);
            let made = if i + 1 < plan.parts.len() { DevicePicture::bytes(format, width, height) } else { Some(0) };
            let kept = kept_beside_frames(plan, part, device, 1)?;
            bytes = bytes.saturating_add(kept).saturating_add(made.unwrap_or(usize::MAX));
        }
        Ok(bytes)
    }

    /// Makes what a frame of the host needs.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn prepare(&mut self, plan: &ChainPlan) -> Result<()> {
        self.staged(plan, 0, 0)?;
        if self.back.is_none() {
            let StreamInfo { format, width, height, .. } = plan.output;
            self.back = Some(StagedPicture::new(&self.device, (format, width, height))?);
        }
        Ok(())
    }

    /// Place number `number` for frames of input `input`.
    fn staged(&mut self, plan: &ChainPlan, input: usize, number: usize) -> Result<&mut StagedPicture> {
        let StreamInfo { format, width, height, .. } = *plan.stream(input);
        while self.there[input].len() <= number {
            self.there[input].push(StagedPicture::new(&self.device, (format, width, height))?);
        }
        Ok(&mut self.there[input][number])
    }

    /// Makes frame `index` of the result of `frames`, all in host memory, and waits for it. After an error, too, the device
    /// uses none of them any more.
    ///
    /// # Errors
    /// When a frame is missing, the device fails or memory runs out.
    pub fn process(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: &[InputFrame<'_>],
        dst: &mut PlanesMut<'_>,
    ) -> Result<FrameProps> {
        let done = self.prepare(plan).and_then(|()| self.there_and_back(plan, index, frames, dst));
        if done.is_err() {
            // A device that failed uses nothing either.
            let _ = self.own.stream.synchronize();
        }
        done
    }

    fn there_and_back(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: &[InputFrame<'_>],
        dst: &mut PlanesMut<'_>,
    ) -> Result<FrameProps> {
        // The frame before may be in a caller's stream still.
        self.own.stream.wait_for(&self.own.done)?;
        self.assembler.begin_one(index);
        for (i, frame) in frames.iter().enumerate() {
            let number = frames[..i].iter().filter(|before| before.input == frame.input).count();
            let device = Arc::clone(&self.device);
            self.staged(plan, frame.input, number)?;
            let staged = &mut self.there[frame.input][number];
            // SAFETY: the frames are borrowed until the stream has been waited for, here or in `process`, and so was what
            // used the picture before.
            unsafe { staged.upload(&device, &frame.planes, &self.own.stream, || Ok(())) }?;
            self.assembler.push(frame.input, frame.props.clone(), DeviceSamples::Given(staged.picture.planes()));
        }
        let mut back = self.back.take().ok_or_else(foreign)?;
        let done = self.make(plan, index, &back.picture.planes(), None);
        // SAFETY: `dst` is borrowed until the stream has been waited for, here or in `process`.
        let there = done.and_then(|made| Ok((made, unsafe { back.download(&self.device, dst, &self.own.stream) }?)));
        let ((mut props, measured), straight) = match there {
            Ok(there) => there,
            Err(error) => {
                let _ = self.own.stream.synchronize();
                self.back = Some(back);
                return Err(error);
            }
        };
        self.own.done.record(&self.own.stream)?;
        self.own.done.synchronize()?;
        if !straight {
            let format = back.picture.format();
            dst.copy_from(&back.staging(&self.device)?.planes(), format);
        }
        self.back = Some(back);
        props.records.extend(measured.iter().map(|measured| measured.collect()));
        Ok(props)
    }

    /// Puts the work for frame `index` of the result, from `frames` to `dst`, all on the device, into the caller's stream. What is
    /// measured is lost.
    ///
    /// # Errors
    /// When a frame is missing, or the device refuses it.
    ///
    /// # Safety
    /// The planes must be memory of the device until the work is done; nobody else may write to those of `frames`, or use `dst`,
    /// meanwhile.
    pub unsafe fn process_device(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: impl IntoIterator<Item = (usize, FrameProps, DevicePlanes)>,
        dst: &DevicePlanes,
        order: &Stream,
    ) -> Result<FrameProps> {
        // Kernels keep memory of their own from frame to frame: this one comes after the last, in whatever stream that was.
        order.wait_for(&self.own.done)?;
        self.assembler.begin_one(index);
        for (input, props, planes) in frames {
            self.assembler.push(input, props, DeviceSamples::Given(planes));
        }
        let made = self.make(plan, index, dst, Some(order));
        self.own.done.record(order)?;
        made.map(|(props, _)| props)
    }

    /// Makes what `count` of a caller's pictures of RGBA need, and gives it: memory is not made once work may wait for the caller.
    ///
    /// # Errors
    /// When memory runs out, or the kernels cannot be loaded.
    pub fn prepare_rgba(&mut self, plan: &ChainPlan, count: usize, depth: RgbaDepth) -> Result<()> {
        self.prepare(plan)?;
        (0..count).try_for_each(|number| self.staged(plan, 0, number).map(drop))?;
        if self.rgba.as_ref().is_none_or(|kernels| kernels.depth() != depth) {
            self.rgba = Some(RgbaKernels::new(depth, &self.device)?);
        }
        Ok(())
    }

    /// The same of a caller's pictures of RGBA, which [`ExecutionContext::prepare_rgba`] was called for: frame `index` of the result
    /// of `frames`, which are those that it is made of; the result goes to `window`. Alpha, and what is carried, are those of the frame
    /// of the same number, or else of the first.
    ///
    /// # Errors
    /// When a frame is missing, or the device refuses it.
    ///
    /// # Safety
    /// As [`ExecutionContext::process_device`], of the images.
    pub unsafe fn process_rgba(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: &[RgbaFrame],
        conversion: &RgbaConversion,
        window: &RgbaWindow,
        order: &Stream,
    ) -> Result<FrameProps> {
        let kernels = self.rgba.take().ok_or_else(foreign)?;
        order.wait_for(&self.own.done)?;
        // SAFETY: the caller's promise; the chain's pictures are this context's, whose work is in order.
        let made = unsafe { self.through(plan, index, frames, &kernels, conversion, window, order) };
        self.own.done.record(order)?;
        self.rgba = Some(kernels);
        made
    }

    /// # Safety
    /// As [`ExecutionContext::process_rgba`].
    #[expect(clippy::too_many_arguments, reason = "those of process_rgba, and what that made ready")]
    unsafe fn through(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: &[RgbaFrame],
        kernels: &RgbaKernels,
        conversion: &RgbaConversion,
        window: &RgbaWindow,
        order: &Stream,
    ) -> Result<FrameProps> {
        self.assembler.begin_one(index);
        for (frame, place) in frames.iter().zip(&self.there[0]) {
            let planes = place.picture.planes();
            // SAFETY: the caller's promise.
            unsafe { kernels.enter(conversion, &frame.image, &planes, order) }?;
            self.assembler.push(0, frame.props.clone(), DeviceSamples::Given(planes));
        }
        let own = frames.iter().position(|frame| frame.props.frame_index == index).unwrap_or(0);
        let (source, before) = frames.get(own).zip(self.there[0].get(own)).ok_or_else(|| missing(index))?;
        let before = before.picture.planes();
        let (props, after) = match (&self.back, plan.stages.is_empty()) {
            (_, true) => (source.props.clone(), before),
            (Some(back), _) => {
                let after = back.picture.planes();
                (self.make(plan, index, &after, Some(order))?.0, after)
            }
            (None, _) => return Err(foreign()),
        };
        // SAFETY: as above.
        unsafe { kernels.leave(conversion, &source.image, [&before, &after], window, order) }?;
        Ok(props)
    }

    /// Puts the work for frame `index` of the result, which the assembler makes of what it was given, into `order`, or into the
    /// context's own stream. Gives what is measured as well.
    fn make(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        dst: &DevicePlanes,
        order: Option<&Stream>,
    ) -> Result<(FrameProps, Vec<Arc<PendingRecord>>)> {
        let ExecutionContext { own, parts, assembler, .. } = self;
        let stream = order.unwrap_or(&own.stream);
        loop {
            let Next::Make(job) = assembler.next() else { return Err(missing(index)) };
            if !job.is_last {
                parts.enqueue_between(plan, job, assembler, stream, None)?;
                continue;
            }
            let (mut jobs, mut targets) = ([job], [PartTarget { dst: *dst, measured: Vec::new(), marks: None }]);
            parts.enqueue(plan, &mut jobs, &mut targets, stream)?;
            let ([job], [PartTarget { measured, .. }]) = (jobs, targets);
            return Ok((assembler.release(job), measured));
        }
    }
}
