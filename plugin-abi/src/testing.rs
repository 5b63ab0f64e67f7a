//! A filter of every shape, for the tests of what hosts do with them.

use std::sync::Arc;
use vramp::device::cpu::CpuLevel;
use vramp::error::Result;
use vramp::filters::{CpuJob, CpuKernel, Cycle, Descriptor, Filter, Footprint, Reach, Setup, Spec, Wiring};
use vramp::params::{Call, Schema};
use vramp::video::{FieldOrder, FrameProps, Picture, StreamInfo, Value};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "mixed",
    aliases: &[],
    summary: "The mean of what it reads",
    definition: "",
    schema: &Schema { params: &[], presets: &[], elsewhere: &[] },
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[],
    create: |_| Ok(Box::new(Mixed::default())),
};

/// The mean of the samples at a place in every frame that it reads, plus the place in the cycle.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// Frames of its own input.
    pub reach: Reach,
    /// The other inputs, of which it reads the frame alone.
    pub with: Vec<String>,
    /// How many frames it makes.
    pub cycle: Cycle,
    /// Rows and columns that the result has more; they repeat the last.
    pub grows: usize,
    /// Whether it records the sum of its first component.
    pub measures: bool,
    /// Whether its results are progressive, whatever its input is.
    pub progressive: bool,
}

impl Default for Mixed {
    fn default() -> Mixed {
        let (with, cycle) = (Vec::new(), Cycle::one());
        Mixed { reach: Reach::NONE, with, cycle, grows: 0, measures: false, progressive: false }
    }
}

impl Mixed {
    /// The frames so far around its own.
    pub fn around(before: u32, after: u32) -> Mixed {
        Mixed { reach: Reach { before, after }, ..Mixed::default() }
    }

    /// A filter for a chain.
    pub fn boxed(self) -> Box<dyn Filter> {
        Box::new(self)
    }

    fn reaches(&self) -> Vec<Reach> {
        std::iter::once(self.reach).chain(self.with.iter().map(|_| Reach::NONE)).collect()
    }
}

impl Filter for Mixed {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn call(&self) -> Call {
        Call { name: DESCRIPTOR.name.to_owned(), args: Vec::new() }
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let StreamInfo { width, height, .. } = inputs[0];
        let grown = StreamInfo { width: width + self.grows, height: height + self.grows, ..inputs[0].clone() };
        let spec = Spec::computed(grown);
        Ok(Spec { reads: self.reaches(), cycle: self.cycle.clone(), measures: self.measures, ..spec })
    }

    fn wiring(&self) -> Wiring {
        Wiring::Reads(self.with.clone())
    }

    fn describe(&self, _: &Setup, props: &mut FrameProps) {
        if self.progressive {
            props.field_order = FieldOrder::Progressive;
        }
    }

    fn reference(&self, _: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Kernel(self.clone())))
    }

    fn cpu(&self, setup: &Setup, _: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        self.reference(setup)
    }
}

struct Kernel(Mixed);

impl CpuKernel for Kernel {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { phase, src, mut dst, record, .. } = job;
        let offsets = |reach: Reach| -(reach.before as isize)..=reach.after as isize;
        let read = |(input, reach): (usize, Reach)| offsets(reach).map(move |offset| src.at(input, offset));
        let frames: Vec<_> = self.0.reaches().into_iter().enumerate().flat_map(read).collect();
        let mut total = 0;
        for component in 0..dst.len() {
            let to = dst.get_mut(component);
            let (width, height) = (to.width(), to.height());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let sample = |frame: &&vramp::video::Planes<'_>| {
                    let view = frame[component];
                    u64::from(view.v16(x.min(view.width() - 1), y.min(view.height() - 1)))
                };
                let mean = frames.iter().map(sample).sum::<u64>() / frames.len() as u64 + 256 * phase as u64;
                total += if component == 0 { mean as i64 } else { 0 };
                to.set_v16(x, y, mean.min(0xffff) as u16);
            }
        }
        if self.0.measures {
            record.push("sum", Value::Int(total));
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// Pictures of `info` whose samples follow from `seed` and their number.
pub fn clip(info: &StreamInfo, seed: u64, count: u64) -> Vec<Arc<Picture>> {
    let picture = |n: u64| {
        let mut picture = Picture::alloc(info.format, info.width, info.height).unwrap();
        let mut state = seed * 1000 + n;
        for component in 0..info.format.components() {
            let mut views = picture.planes_mut();
            let view = views.get_mut(component);
            let (width, height) = (view.width(), view.height());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                view.set(x, y, (state >> 57) as i32);
            }
        }
        Arc::new(picture)
    };
    (0..count).map(picture).collect()
}

/// Every stored sample of a picture.
pub fn samples(picture: &Picture) -> Vec<i32> {
    let planes = picture.planes();
    let of = |view: &vramp::video::PlaneRef<'_>| {
        let view = *view;
        (0..view.height()).flat_map(move |y| (0..view.width()).map(move |x| view.get(x, y))).collect::<Vec<_>>()
    };
    planes.iter().flat_map(of).collect()
}
