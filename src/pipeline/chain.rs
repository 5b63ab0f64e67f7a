//! A planned chain on the CPU: kernels and the pictures between them, all made up front.

use crate::device::cpu::{CpuExec, CpuLevel};
#[cfg(feature = "cuda")]
use crate::error::Error;
use crate::error::Result;
use crate::filters::CpuKernel;
use crate::pipeline::between::Between;
use crate::pipeline::stats::{FilterTime, Work};
use crate::pipeline::{Chain, Item, Plan, Stage};
use crate::video::{FrameProps, PicturePool, Planes, PlanesMut};
use crossbeam_channel::{Receiver, Sender};
use std::sync::Arc;
use std::time::Instant;

/// A chain built for the CPU.
pub struct CpuChain {
    exec: Arc<CpuExec>,
    kernels: Vec<Box<dyn CpuKernel>>,
    between: Between,
    times: Vec<FilterTime>,
}

impl CpuChain {
    /// Builds the fast kernels of `plan`. Chains may share an `exec`.
    ///
    /// # Errors
    /// When a kernel cannot be built or memory runs out.
    pub fn new(plan: &Plan, exec: impl Into<Arc<CpuExec>>) -> Result<CpuChain> {
        let exec = exec.into();
        let level = exec.level();
        Self::build(plan, exec, |stage| stage.filter.cpu(&stage.setup, level))
    }

    /// Builds the plain scalar kernels of `plan`.
    ///
    /// # Errors
    /// As [`CpuChain::new`].
    pub fn reference(plan: &Plan) -> Result<CpuChain> {
        let exec = Arc::new(CpuExec::new(1, CpuLevel::Portable)?);
        Self::build(plan, exec, |stage| stage.filter.reference(&stage.setup))
    }

    fn build(plan: &Plan, exec: Arc<CpuExec>, make: impl Fn(&Stage) -> Result<Box<dyn CpuKernel>>) -> Result<CpuChain> {
        let kernels = plan.stages.iter().map(make).collect::<Result<Vec<_>>>()?;
        let times = plan.stages.iter().map(|stage| FilterTime::new(stage.filter.descriptor().name)).collect();
        Ok(CpuChain { exec, kernels, between: Between::new(plan)?, times })
    }

    /// True when there is nothing to run: pictures pass as they are.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// What the kernels run on.
    pub fn exec(&self) -> &CpuExec {
        &self.exec
    }

    /// Filters `src` into `dst`.
    ///
    /// # Panics
    /// When the chain is empty, or the views are not what the plan says.
    pub fn run(&mut self, props: &FrameProps, src: &Planes<'_>, dst: &mut PlanesMut<'_>) {
        assert!(!self.is_empty(), "an empty chain runs nothing");
        for (i, (kernel, time)) in self.kernels.iter_mut().zip(&mut self.times).enumerate() {
            let start = Instant::now();
            let (from, mut to) = self.between.views(i, src, dst);
            kernel.run(props, &from, &mut to, &self.exec);
            time.add(start.elapsed());
        }
    }

    /// Bytes of the pictures between kernels.
    pub fn bytes(&self) -> usize {
        self.between.bytes()
    }
}

impl Chain for CpuChain {
    fn drive(&mut self, _: &Plan, input: &Receiver<Item>, pool: &PicturePool, out: &Sender<Item>) -> Result<()> {
        for mut item in input {
            #[cfg(feature = "cuda")]
            if let Item::DeviceFrame(_) = item {
                return Err(Error::internal("a frame in GPU memory came to the CPU"));
            }
            if let Item::Frame(frame) = &mut item
                && !self.is_empty()
            {
                let mut picture = pool.take()?;
                self.run(&frame.props, &frame.picture.planes(), &mut picture.planes_mut());
                frame.picture = picture;
            }
            if out.send(item).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn work(&self) -> Work {
        Work {
            chain: self.times.iter().map(|time| time.busy).sum(),
            filters: self.times.clone(),
            host_bytes: self.bytes(),
            ..Work::default()
        }
    }
}
