//! A part's kernels on a device, and the work for one frame.

use super::Between;
use super::measured::{Measurer, PendingRecord};
use crate::device::cuda::{CudaDevice, DevicePlanes, Stream};
use crate::error::Result;
use crate::filters::{CudaJob, CudaKernel};
use crate::pipeline::ChainPlan;
use crate::pipeline::parts::Part;
use crate::video::FrameProps;
use std::sync::Arc;

/// A part of a plan, built for a device.
pub struct CudaPart {
    kernels: Vec<Kernel>,
    pub between: Between,
    /// The planes of the frames in reach, for each input: kept so that nothing is allocated for a frame.
    planes: Vec<Vec<DevicePlanes>>,
}

/// A filter's kernel.
struct Kernel {
    filter: &'static str,
    work: Box<dyn CudaKernel>,
    measurer: Option<Measurer>,
}

impl CudaPart {
    /// The kernels of `part` of `plan`, and the buffers between them.
    ///
    /// # Errors
    /// When a filter does not run on CUDA, the driver cannot compile it, or memory runs out.
    pub fn new(plan: &ChainPlan, part: &Part, device: &Arc<CudaDevice>) -> Result<CudaPart> {
        let kernel = |stage: &usize| {
            let stage = &plan.stages[*stage];
            let filter = stage.filter.descriptor().name;
            let work = stage.filter.cuda(&stage.setup, device).map_err(|e| e.context(filter))?;
            let measurer = work.measure().map(|measure| Measurer::new(filter, measure, device)).transpose()?;
            Ok(Kernel { filter, work, measurer })
        };
        Ok(CudaPart {
            kernels: part.stages.iter().map(kernel).collect::<Result<_>>()?,
            between: Between::new(plan, part, device)?,
            planes: vec![Vec::new(); part.inputs.len()],
        })
    }

    /// Sets the frames in reach of input `input` for the next [`CudaPart::enqueue`].
    ///
    /// # Errors
    /// The first of `frames`.
    pub fn set_input(&mut self, input: usize, frames: impl Iterator<Item = Result<DevicePlanes>>) -> Result<()> {
        let planes = &mut self.planes[input];
        planes.clear();
        for frame in frames {
            planes.push(frame?);
        }
        Ok(())
    }

    /// Puts the work for the frame of `props` into `stream`. `after` is called when the first kernels, as many as it is
    /// given, are there. Gives what is measured, still in flight.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn enqueue(
        &mut self,
        props: &FrameProps,
        phase: usize,
        dst: &DevicePlanes,
        stream: &Stream,
        mut after: impl FnMut(&Between, usize) -> Result<()>,
    ) -> Result<Vec<PendingRecord>> {
        let CudaPart { kernels, between, planes } = self;
        let mut measured = Vec::new();
        for (i, Kernel { filter, work, measurer }) in kernels.iter_mut().enumerate() {
            let record = measurer.as_ref().map_or(Ok(0), |measurer| measurer.clear(stream))?;
            let done = between.with_planes(i, planes, dst, |src, dst| {
                work.enqueue(&CudaJob { props, phase, src, dst, record, stream })
            });
            done.map_err(|e| e.context(*filter).context(format_args!("frame {}", props.frame_index)))?;
            if let Some(measurer) = measurer {
                measured.push(measurer.fetch(stream)?);
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
