//! Filters that take frames apart into fields and put fields together.

pub mod separate;
#[cfg(test)]
mod tests;
pub mod weave;

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::{CudaDevice, DevicePlane, DevicePlanes};
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::filters::remap::CudaMover;
use crate::filters::remap::{CpuMover, Map, apply_plainly};
use crate::filters::{CpuJob, CpuKernel};
#[cfg(feature = "cuda")]
use crate::filters::{CudaJob, CudaKernel};
use crate::video::{FieldOrder, FrameProps, Planes, PlanesMut, Rational};

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
    /// What is said of frames whose fields come so.
    fn field_order(self) -> FieldOrder {
        match self {
            Order::Tff => FieldOrder::TopFirst,
            Order::Bff => FieldOrder::BottomFirst,
        }
    }
}

/// Rows of a picture: all, or those of a field from its first row on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    All,
    Field(usize),
}

impl Rows {
    /// The rows that there are of a component of `height` rows: a picture of one row has no bottom field.
    fn of(self, height: usize) -> Rows {
        match self {
            Rows::Field(first) if first >= height => Rows::Field(0),
            rows => rows,
        }
    }
}

/// Rows that move from one frame to another.
struct Pass {
    /// Which frame they are of.
    offset: isize,
    from: Rows,
    to: Rows,
}

/// What a filter moves to make a frame of these properties at this place of its cycle.
trait Passes: Clone + Send + 'static {
    fn passes(&self, props: &FrameProps, phase: usize) -> Vec<Pass>;
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

impl<P: Passes> CpuKernel for Reference<P> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, phase, src, mut dst, .. } = job;
        for Pass { offset, from, to } in self.0.passes(props, phase) {
            let src = rows_of(src.at(0, offset), from);
            apply_plainly(&[Map::ROWS; 3], &src, &mut rows_of_mut(&mut dst, to));
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

struct Fast<P> {
    passes: P,
    mover: CpuMover,
}

impl<P: Passes> Fast<P> {
    fn new(passes: P, level: CpuLevel) -> Result<Fast<P>> {
        Ok(Fast { passes, mover: CpuMover::new([Map::ROWS; 3], level)? })
    }
}

impl<P: Passes> CpuKernel for Fast<P> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, phase, src, mut dst, exec, .. } = job;
        for Pass { offset, from, to } in self.passes.passes(props, phase) {
            let src = rows_of(src.at(0, offset), from);
            self.mover.apply(&src, &mut rows_of_mut(&mut dst, to), exec);
        }
    }

    fn path(&self) -> &'static str {
        self.mover.level().name()
    }
}

fn rows_of<'a>(planes: &Planes<'a>, rows: Rows) -> Planes<'a> {
    let views: Vec<_> = planes
        .iter()
        .map(|plane| match rows.of(plane.height()) {
            Rows::All => *plane,
            Rows::Field(first) => plane.every_second(first),
        })
        .collect();
    Planes::new(&views)
}

fn rows_of_mut<'a>(planes: &'a mut PlanesMut<'_>, rows: Rows) -> PlanesMut<'a> {
    PlanesMut::new(planes.each_mut().map(|plane| match rows {
        Rows::All => plane,
        Rows::Field(first) => plane.every_second(first),
    }))
}

#[cfg(feature = "cuda")]
struct Cuda<P> {
    passes: P,
    mover: CudaMover,
}

#[cfg(feature = "cuda")]
impl<P: Passes> Cuda<P> {
    fn new(passes: P, device: &CudaDevice) -> Result<Cuda<P>> {
        Ok(Cuda { passes, mover: CudaMover::new([Map::ROWS; 3], device)? })
    }
}

#[cfg(feature = "cuda")]
impl<P: Passes> CudaKernel for Cuda<P> {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        for Pass { offset, from, to } in self.passes.passes(job.props, job.phase) {
            let src = device_rows(job.src.at(0, offset), |height| from.of(height));
            self.mover.apply(&src, &device_rows(job.dst, |_| to), job.stream)?;
        }
        Ok(())
    }
}

#[cfg(feature = "cuda")]
fn device_rows(planes: &DevicePlanes, rows: impl Fn(usize) -> Rows) -> DevicePlanes {
    let views: Vec<_> = planes
        .iter()
        .map(|plane| match rows(plane.height) {
            Rows::All => *plane,
            Rows::Field(first) => DevicePlane {
                address: plane.address + (first * plane.pitch) as u64,
                pitch: 2 * plane.pitch,
                height: plane.height.saturating_sub(first).div_ceil(2),
                ..*plane
            },
        })
        .collect();
    DevicePlanes::new(&views)
}
