//! Filters that take frames apart into fields and put fields together.

pub mod separate;
#[cfg(test)]
mod tests;
pub mod weave;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::{CudaDevice, DevicePlanes};
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::remap::CudaMover;
use crate::filters::remap::{CpuMover, Map, apply_plainly, forget_places};
use crate::filters::{CpuJob, CpuKernel, Descriptor, Filter, Setup, Spec};
#[cfg(feature = "cuda")]
use crate::filters::{CudaJob, CudaKernel};
use crate::params::{Call, Params};
use crate::video::{FieldOrder, FrameProps, Planes, PlanesMut, Rational, StreamInfo};
use std::fmt::Debug;
#[cfg(feature = "cuda")]
use std::sync::Arc;

crate::choices! {
    /// Which field comes first in time.
    pub enum Order {
        /// The top one.
        Tff = "tff",
        /// The bottom one.
        Bff = "bff",
    }
}

impl Order {
    /// How frames with fields in this order are described.
    fn field_order(self) -> FieldOrder {
        match self {
            Order::Tff => FieldOrder::TopFirst,
            Order::Bff => FieldOrder::BottomFirst,
        }
    }
}

/// Rows of a picture: all, or those of a field from its first row on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldRows {
    All,
    Field(usize),
}

impl FieldRows {
    /// The rows that there are of a component of `height` rows: a picture of one row has no bottom field.
    fn of(self, height: usize) -> FieldRows {
        match self {
            FieldRows::Field(first) if first >= height => FieldRows::Field(0),
            rows => rows,
        }
    }
}

/// Rows that move from one frame to another.
struct RowCopy {
    /// Which frame they are of.
    offset: isize,
    from: FieldRows,
    to: FieldRows,
}

/// The parameters of a filter that moves fields.
trait Fields: Params + Debug + Clone + Send + Sync + 'static {
    /// What the filter is.
    const DESCRIPTOR: &'static Descriptor;

    /// What it makes of a stream.
    fn spec(&self, input: &StreamInfo) -> Spec;

    /// Rewrites the properties of a frame whose places were forgotten.
    fn describe(&self, props: &mut FrameProps);

    /// What moves to make a frame of these properties at this place of the cycle.
    fn passes(&self, props: &FrameProps, phase: usize) -> impl Iterator<Item = RowCopy>;
}

/// A filter that moves fields.
#[derive(Debug)]
struct Fielded<P>(P);

/// The filter that `call` asks for.
fn create<P: Fields>(call: &Call) -> Result<Box<dyn Filter>> {
    Ok(Box::new(Fielded(P::from_call(call)?)))
}

impl<P: Fields> Filter for Fielded<P> {
    fn descriptor(&self) -> &'static Descriptor {
        P::DESCRIPTOR
    }

    fn call(&self) -> Call {
        self.0.to_call(P::DESCRIPTOR.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(self.0.spec(&inputs[0]))
    }

    fn describe(&self, _: &Setup, props: &mut FrameProps) {
        forget_places(props);
        self.0.describe(props);
    }

    fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Reference(self.0.clone())))
    }

    fn cpu(&self, _: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Fast { params: self.0.clone(), mover: CpuMover::new([Map::ROWS; 3], level)? }))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, _: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        Ok(Box::new(Cuda { params: self.0.clone(), mover: CudaMover::new([Map::ROWS; 3], device)? }))
    }
}

/// The sample aspect ratio of a picture whose rows are `higher` / `lower` times as high.
fn with_rows(sar: Rational, higher: i32, lower: i32) -> Rational {
    let Rational { num, den } = sar;
    if sar.value().is_none() {
        return sar;
    }
    let (num, den) = match (num % lower, den % higher) {
        (0, 0) => (Some(num / lower), Some(den / higher)),
        (0, _) => (Some(num / lower * higher), Some(den)),
        (_, 0) => (Some(num), Some(den / higher * lower)),
        _ => (num.checked_mul(higher), den.checked_mul(lower)),
    };
    num.zip(den).map_or(sar, |(num, den)| Rational::new(num, den))
}

struct Reference<P>(P);

impl<P: Fields> CpuKernel for Reference<P> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, phase, src, mut dst, .. } = job;
        for RowCopy { offset, from, to } in self.0.passes(props, phase) {
            let src = rows_of(src.at(0, offset), from);
            apply_plainly(&[Map::ROWS; 3], &src, &mut rows_of_mut(&mut dst, to));
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

struct Fast<P> {
    params: P,
    mover: CpuMover,
}

impl<P: Fields> CpuKernel for Fast<P> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, phase, src, mut dst, exec, .. } = job;
        for RowCopy { offset, from, to } in self.params.passes(props, phase) {
            let src = rows_of(src.at(0, offset), from);
            self.mover.apply(&src, &mut rows_of_mut(&mut dst, to), exec);
        }
    }

    fn path(&self) -> &'static str {
        self.mover.level().name()
    }
}

fn rows_of<'a>(planes: &Planes<'a>, rows: FieldRows) -> Planes<'a> {
    planes.map(|plane| match rows.of(plane.height()) {
        FieldRows::All => *plane,
        FieldRows::Field(first) => plane.every_second(first),
    })
}

fn rows_of_mut<'a>(planes: &'a mut PlanesMut<'_>, rows: FieldRows) -> PlanesMut<'a> {
    PlanesMut::new(planes.each_mut().map(|plane| match rows {
        FieldRows::All => plane,
        FieldRows::Field(first) => plane.every_second(first),
    }))
}

#[cfg(feature = "cuda")]
struct Cuda<P> {
    params: P,
    mover: CudaMover,
}

#[cfg(feature = "cuda")]
impl<P: Fields> CudaKernel for Cuda<P> {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        for RowCopy { offset, from, to } in self.params.passes(job.props, job.phase) {
            let src = device_rows(job.src.at(0, offset), |height| from.of(height));
            self.mover.apply(&src, &device_rows(job.dst, |_| to), job.stream)?;
        }
        Ok(())
    }
}

#[cfg(feature = "cuda")]
fn device_rows(planes: &DevicePlanes, rows: impl Fn(usize) -> FieldRows) -> DevicePlanes {
    let mut planes = *planes;
    for plane in planes.iter_mut() {
        if let FieldRows::Field(first) = rows(plane.height) {
            plane.address += (first * plane.pitch) as u64;
            plane.pitch *= 2;
            plane.height = plane.height.saturating_sub(first).div_ceil(2);
        }
    }
    planes
}
