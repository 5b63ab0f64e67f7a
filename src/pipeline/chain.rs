//! A planned chain on the CPU.

use crate::device::cpu::{CpuExec, CpuLevel};
use crate::error::{Error, Result};
use crate::filters::CpuKernel;
use crate::pipeline::assembler::{Assembler, Job, Next, describe};
use crate::pipeline::cpu::CpuPart;
use crate::pipeline::feeder::{Feeder, InputFrame, missing, pass_all};
use crate::pipeline::stats::ChainUsage;
use crate::pipeline::{Chain, ChainPlan, Frame, Item, Stage};
use crate::video::{FrameProps, Picture, PicturePool, Planes, PlanesMut};
use crossbeam_channel::{Receiver, Sender};
use std::sync::Arc;

/// The samples of a frame on the host.
#[derive(Clone)]
enum HostSamples<'a> {
    /// A caller's.
    Planes(Planes<'a>),
    Picture(Arc<Picture>),
}

impl HostSamples<'_> {
    fn planes(&self) -> Planes<'_> {
        match self {
            HostSamples::Planes(planes) => *planes,
            HostSamples::Picture(picture) => picture.planes(),
        }
    }
}

/// A chain built for the CPU.
pub struct CpuChain {
    exec: Arc<CpuExec>,
    parts: Vec<CpuPart>,
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
        let parts = plan.parts.iter().map(|part| CpuPart::new(plan, part, &make)).collect::<Result<_>>()?;
        Ok(CpuChain { exec, parts })
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
        part.run(&mut props.clone(), 0, &[vec![*src]], dst, &self.exec);
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
        let between = self.results(plan)?;
        let mut assembler = Assembler::for_one(
            plan,
            index,
            frames.iter().map(|frame| (frame.input, frame.props.clone(), HostSamples::Planes(frame.planes))),
        );
        loop {
            let Next::Make(job) = assembler.next() else { return Err(missing(index)) };
            if job.is_last {
                return Ok(self.make(plan, &job, dst));
            }
            let mut picture = between[job.part].take()?;
            let props = self.make(plan, &job, &mut picture.planes_mut());
            assembler.push_result(job.part, props, HostSamples::Picture(Arc::new(picture)));
        }
    }

    /// Does `job`. Gives the properties of the frame that it made.
    fn make(&mut self, plan: &ChainPlan, job: &Job<HostSamples<'_>>, dst: &mut PlanesMut<'_>) -> FrameProps {
        let mut props = job.props.clone();
        let inputs: Vec<Vec<Planes<'_>>> =
            job.inputs.iter().map(|frames| frames.iter().map(HostSamples::planes).collect()).collect();
        self.parts[job.part].run(&mut props, job.phase, &inputs, dst, &self.exec);
        describe(plan, job.part, &mut props);
        props
    }

    /// Where results of parts lie that are not the last.
    fn results(&self, plan: &ChainPlan) -> Result<Vec<PicturePool>> {
        let before_last = plan.parts.len().saturating_sub(1);
        plan.parts[..before_last]
            .iter()
            .map(|part| {
                let (format, width, height) = part.result(plan);
                PicturePool::new(0, format, width, height)
            })
            .collect()
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
        let between = self.results(plan)?;
        let mut feeder = Feeder::new(plan, inputs, out);
        while let Some(job) = feeder.next(|_, frame| match frame {
            Item::Frame(Frame { props, picture }) => Ok((props, HostSamples::Picture(Arc::new(picture)))),
            _ => Err(Error::internal("a frame in GPU memory came to the CPU")),
        })? {
            let mut picture = if job.is_last { pool.take()? } else { between[job.part].take()? };
            let props = self.make(plan, &job, &mut picture.planes_mut());
            if job.is_last {
                drop(job);
                feeder.emit(Item::Frame(Frame { props, picture }));
            } else {
                feeder.assembler.push_result(job.part, props, HostSamples::Picture(Arc::new(picture)));
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
