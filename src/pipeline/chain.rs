//! A planned chain on the CPU.

use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::filters::CpuKernel;
use crate::pipeline::assembler::{Assembler, Job, Next, describe};
use crate::pipeline::cpu::CpuPart;
use crate::pipeline::feeder::{Feeder, InputFrame, missing, pass_all};
use crate::pipeline::stats::ChainUsage;
use crate::pipeline::{Chain, ChainPlan, Frame, Item, Part, Stage};
use crate::video::{FrameProps, Picture, PicturePool, Planes, PlanesMut};
use crossbeam_channel::{Receiver, Sender};
use std::sync::Arc;

/// The samples of a frame on the host.
#[derive(Clone)]
enum HostSamples {
    /// One of those that a caller gave.
    Given(usize),
    Picture(Arc<Picture>),
}

impl HostSamples {
    fn planes<'a>(&'a self, given: &'a [InputFrame<'_>]) -> Planes<'a> {
        match self {
            HostSamples::Given(frame) => given[*frame].planes,
            HostSamples::Picture(picture) => picture.planes(),
        }
    }
}

/// A chain built for the CPU.
pub struct CpuChain {
    exec: Arc<CpuExec>,
    parts: Vec<CpuPart>,
    /// Results of parts that are not the last.
    made: Vec<PicturePool>,
    /// For single frames.
    assembler: Assembler<HostSamples>,
}

impl CpuChain {
    /// Builds the fast kernels of `plan`. Chains may share an `exec`.
    ///
    /// # Errors
    /// When a kernel cannot be built or memory runs out.
    pub fn new(plan: &ChainPlan, exec: impl Into<Arc<CpuExec>>) -> Result<CpuChain> {
        let exec = exec.into();
        let level = exec.level();
        Self::build(plan, exec, |stage| stage.filter.cpu(&stage.setup, level))
    }

    /// Builds the plain scalar kernels of `plan`.
    ///
    /// # Errors
    /// As [`CpuChain::new`].
    pub fn reference(plan: &ChainPlan) -> Result<CpuChain> {
        let exec = Arc::new(CpuExec::new(1, CpuLevel::Portable)?);
        Self::build(plan, exec, |stage| stage.filter.reference(&stage.setup))
    }

    fn build(
        plan: &ChainPlan,
        exec: Arc<CpuExec>,
        make: impl Fn(&Stage) -> Result<Box<dyn CpuKernel>>,
    ) -> Result<CpuChain> {
        let pool = |part: &Part| {
            let (format, width, height) = part.result(plan);
            PicturePool::new(0, format, width, height)
        };
        Ok(CpuChain {
            exec,
            parts: plan.parts.iter().map(|part| CpuPart::new(plan, part, &make)).collect::<Result<_>>()?,
            made: plan.earlier_parts().iter().map(pool).collect::<Result<_>>()?,
            assembler: Assembler::new(plan),
        })
    }

    /// True when there is nothing to run: pictures pass as they are.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What the kernels run on.
    pub fn exec(&self) -> &CpuExec {
        &self.exec
    }

    /// Filters `src` into `dst`, for a chain that reads no other frame.
    ///
    /// # Panics
    /// When the chain is empty or reads other frames, or the views are not what the plan says.
    pub fn run(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>) {
        let [part] = &mut self.parts[..] else { panic!("a chain of one part runs frame by frame") };
        part.run(&mut props.clone(), 0, [[*src].into_iter()].into_iter(), dst, &self.exec);
    }

    /// Filters frame `index` of the result into `dst`. `frames` are those that [`ChainPlan::reach`] asks for, as far as the
    /// streams have them, of the chain's own input and of those beside it, in order.
    ///
    /// # Errors
    /// When memory runs out, or a frame is missing.
    pub(super) fn run_frames(
        &mut self,
        plan: &ChainPlan,
        index: u64,
        frames: &[InputFrame<'_>],
        dst: &mut PlanesMut<'_>,
    ) -> Result<FrameProps> {
        self.assembler.begin_one(index);
        for (i, frame) in frames.iter().enumerate() {
            self.assembler.push(frame.input, frame.props.clone(), HostSamples::Given(i));
        }
        loop {
            let Next::Make(mut job) = self.assembler.next() else { return Err(missing(index)) };
            if job.is_last {
                self.make(plan, &mut job, frames, dst);
                return Ok(self.assembler.release(job));
            }
            let picture = self.make_between(plan, &mut job, frames)?;
            self.assembler.push_result(job, picture);
        }
    }

    /// Does `job`, and makes its properties those of the result.
    fn make(
        &mut self,
        plan: &ChainPlan,
        job: &mut Job<HostSamples>,
        given: &[InputFrame<'_>],
        dst: &mut PlanesMut<'_>,
    ) {
        let inputs = job.inputs.iter().map(|frames| frames.iter().map(|samples| samples.planes(given)));
        self.parts[job.part].run(&mut job.props, job.phase, inputs, dst, &self.exec);
        describe(plan, job.part, &mut job.props);
    }

    /// Does `job`, which is not one of the last part.
    fn make_between(
        &mut self,
        plan: &ChainPlan,
        job: &mut Job<HostSamples>,
        given: &[InputFrame<'_>],
    ) -> Result<HostSamples> {
        let mut picture = self.made[job.part].take()?;
        self.make(plan, job, given, &mut picture.planes_mut());
        Ok(HostSamples::Picture(Arc::new(picture)))
    }

    /// Bytes of the pictures between kernels.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(CpuPart::bytes).sum()
    }
}

impl Chain for CpuChain {
    fn drive(
        &mut self,
        plan: &ChainPlan,
        inputs: &[Receiver<Item>],
        pool: &PicturePool,
        out: &Sender<Item>,
    ) -> Result<()> {
        if self.is_empty() {
            pass_all(&inputs[0], out);
            return Ok(());
        }
        let mut feeder = Feeder::new(plan, inputs, out);
        while let Some(mut job) = feeder.next(|_, frame| match frame {
            Item::Frame(Frame { props, picture }) => Ok((props, HostSamples::Picture(Arc::new(picture)))),
            _ => Err(Error::internal("a frame in GPU memory came to the CPU")),
        })? {
            if job.is_last {
                let mut picture = pool.take()?;
                self.make(plan, &mut job, &[], &mut picture.planes_mut());
                let props = feeder.assembler.release(job);
                feeder.emit(Item::Frame(Frame { props, picture }));
            } else {
                let picture = self.make_between(plan, &mut job, &[])?;
                feeder.assembler.push_result(job, picture);
            }
        }
        Ok(())
    }

    fn work(&self) -> ChainUsage {
        let filters: Vec<_> = self.parts.iter().flat_map(CpuPart::times).collect();
        ChainUsage {
            chain: filters.iter().map(|time| time.busy).sum(),
            filters,
            host_bytes: self.bytes(),
            ..ChainUsage::default()
        }
    }
}
