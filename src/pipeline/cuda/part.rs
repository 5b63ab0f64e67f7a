//! A part's kernels on a device, and the work for one frame.

use super::between::{Between, PartFrame};
use super::measured::{Measurer, PendingRecord};
use crate::device::cuda::{CudaDevice, DevicePlanes, Stream};
use crate::error::Result;
use crate::filters::CudaKernel;
use crate::pipeline::ChainPlan;
use crate::pipeline::parts::Part;
use crate::video::FrameProps;
use std::sync::Arc;

/// A part of a plan, built for a device.
pub struct CudaPart {
    kernels: Vec<Kernel>,
    pub between: Between,
    /// For each frame that is made at a time, the planes of those in reach, for each input: kept so that nothing is allocated
    /// for a frame.
    planes: Vec<Vec<Vec<DevicePlanes>>>,
}

/// A filter's kernel.
struct Kernel {
    filter: &'static str,
    work: Box<dyn CudaKernel>,
    measurer: Option<Measurer>,
}

/// A frame for a part to make.
pub struct PartTarget<'a> {
    pub props: &'a FrameProps,
    pub phase: usize,
    pub dst: DevicePlanes,
}

impl CudaPart {
    /// The kernels of `part` of `plan`, and the buffers between them, for `batch` frames at a time.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn new(plan: &ChainPlan, part: &Part, device: &Arc<CudaDevice>, batch: usize) -> Result<CudaPart> {
        let kernel = |stage: &usize| {
            let stage = &plan.stages[*stage];
            let filter = stage.filter.descriptor().name;
            let work = stage.filter.cuda(&stage.setup.for_batches(batch), device).map_err(|e| e.context(filter))?;
            let measurer = work.measure().map(|measure| Measurer::new(filter, measure, device)).transpose()?;
            Ok(Kernel { filter, work, measurer })
        };
        Ok(CudaPart {
            kernels: part.stages.iter().map(kernel).collect::<Result<_>>()?,
            between: Between::new(plan, part, device, batch)?,
            planes: vec![vec![Vec::new(); part.inputs.len()]; batch],
        })
    }

    /// Sets the frames in reach of input `input`, for the frame that is number `place` of the next [`CudaPart::enqueue`].
    ///
    /// # Errors
    /// The first of `frames`.
    pub fn set_input(
        &mut self,
        place: usize,
        input: usize,
        frames: impl Iterator<Item = Result<DevicePlanes>>,
    ) -> Result<()> {
        let planes = &mut self.planes[place][input];
        planes.clear();
        for frame in frames {
            planes.push(frame?);
        }
        Ok(())
    }

    /// Puts the work for `targets` into `stream`. `after` is called when the first kernels, as many as it is given, are there for
    /// all of them. Gives what is measured of each, still in flight.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn enqueue(
        &mut self,
        targets: &[PartTarget<'_>],
        stream: &Stream,
        mut after: impl FnMut(&Between, usize) -> Result<()>,
    ) -> Result<Vec<Vec<PendingRecord>>> {
        let CudaPart { kernels, between, planes } = self;
        let each = targets.iter().zip(&*planes);
        let frame =
            each.map(|(PartTarget { props, phase, dst }, inputs)| PartFrame { props, phase: *phase, inputs, dst });
        let frames: Vec<PartFrame<'_>> = frame.collect();
        let mut measured: Vec<_> = targets.iter().map(|_| Vec::new()).collect();
        for (i, Kernel { filter, work, measurer }) in kernels.iter_mut().enumerate() {
            let mut put = |first: usize, frames: &[PartFrame<'_>], record| {
                let done = between.enqueue(i, &mut **work, first, frames, record, stream);
                done.map_err(|e| e.context(*filter).context(format_args!("frame {}", frames[0].props.frame_index)))
            };
            match measurer {
                None => put(0, &frames, 0)?,
                Some(measurer) => {
                    for (place, measured) in measured.iter_mut().enumerate() {
                        put(place, &frames[place..=place], measurer.clear(stream)?)?;
                        measured.push(measurer.fetch(stream)?);
                    }
                }
            }
            after(between, i + 1)?;
        }
        Ok(measured)
    }

    /// Number of kernels.
    pub fn len(&self) -> usize {
        self.kernels.len()
    }
}
