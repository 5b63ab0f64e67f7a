//! A part's kernels on the CPU, and the pictures between them.

use super::parts::Part;
use super::route::{Holder, KernelRoute, Location, MOST_COMPONENTS, MOST_INPUTS, Route, StepInput};
use crate::device::cpu::CpuExec;
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel, Frames, InputWindow, Reach};
use crate::pipeline::stats::FilterTime;
use crate::pipeline::{ChainPlan, Stage};
use crate::video::{FrameProps, Picture, PlaneMut, PlaneRef, Planes, PlanesMut, Record, emptied};
use std::array;
use std::time::Instant;

/// A part of a plan, built for the CPU.
pub(super) struct CpuPart {
    kernels: Vec<Kernel>,
    route: Route,
    /// Each is there but while a kernel writes it.
    buffers: Vec<Option<Picture>>,
    /// Frames around the one at hand that are given of each input.
    reaches: Vec<Reach>,
    /// Of each input, where its frames stand while a frame is made; empty between frames.
    planes: Vec<Vec<Planes<'static>>>,
}

struct Kernel {
    work: Box<dyn CpuKernel>,
    reaches: Vec<Reach>,
    filter: &'static str,
    measures: bool,
    time: FilterTime,
}

impl CpuPart {
    /// The kernels of `part`, as `make` makes them, and the pictures between them.
    ///
    /// # Errors
    /// When a kernel cannot be built or memory runs out.
    pub fn new(plan: &ChainPlan, part: &Part, make: impl Fn(&Stage) -> Result<Box<dyn CpuKernel>>) -> Result<CpuPart> {
        let route = Route::of(plan, part)?;
        let kernel = |stage: &usize| {
            let stage = &plan.stages[*stage];
            let (filter, spec) = (stage.filter.descriptor().name, &stage.spec);
            let (reaches, measures) = (spec.reads.clone(), spec.measures);
            Ok(Kernel { work: make(stage)?, reaches, filter, measures, time: FilterTime::new(filter) })
        };
        Ok(CpuPart {
            kernels: part.stages.iter().map(kernel).collect::<Result<_>>()?,
            buffers: route
                .buffers
                .iter()
                .map(|buffer| Picture::alloc(buffer.format, buffer.size.0, buffer.size.1).map(Some))
                .collect::<Result<_>>()?,
            route,
            reaches: part.inputs.iter().map(|input| input.reach).collect(),
            planes: vec![Vec::new(); part.inputs.len()],
        })
    }

    /// Makes the frame of `props` of the frames in reach of each of the part's inputs, and adds what is measured to `props`.
    pub fn run<'p>(
        &mut self,
        props: &mut FrameProps,
        phase: usize,
        inputs: impl Iterator<Item: Iterator<Item = Planes<'p>>>,
        dst: &mut PlanesMut<'_>,
        exec: &CpuExec,
    ) {
        let CpuPart { kernels, route, buffers, reaches, planes } = self;
        let mut given: Vec<Vec<Planes<'_>>> = std::mem::take(planes).into_iter().map(emptied).collect();
        given.iter_mut().zip(inputs).for_each(|(given, frames)| given.extend(frames));
        for (kernel, step) in kernels.iter_mut().zip(&route.steps) {
            let start = Instant::now();
            let mut written = take_written(buffers, step);
            let frames = Read { inputs: &given, reaches, buffers };
            let single: [_; MOST_INPUTS] = array::from_fn(|i| frames.components(step.from.get(i)?));
            let windows: [_; MOST_INPUTS] = array::from_fn(|i| match (step.from.get(i), &single[i]) {
                (Some(_), Some(planes)) => InputWindow::of(planes),
                (Some(source), None) => frames.window(source, kernel.reaches[i]),
                (None, _) => InputWindow::NONE,
            });
            let mut made = written.iter_mut().flatten().flat_map(|picture| picture.planes_mut().into_views());
            let mut result = dst.each_mut();
            let views = step.to.iter().map(|to| match to {
                Ok(Location { holder: Holder::Result, .. }) => result.next().expect("the result has every component"),
                Ok(_) => made.next().expect("every buffer is there"),
                Err(stays) => PlaneMut::nowhere(&frames.view(*stays)),
            });
            let dst = PlanesMut::new(views);
            let mut record = Record { filter: kernel.filter, values: Vec::new() };
            let src = Frames::new(&windows[..step.from.len()]);
            kernel.work.run(CpuJob { props, phase, src, dst, record: &mut record, exec });
            if kernel.measures {
                props.records.push(record);
            }
            drop(made);
            put_back(buffers, step, written);
            kernel.time.add(start.elapsed());
        }
        *planes = given.into_iter().map(emptied).collect();
    }

    /// What each filter took.
    pub fn times(&self) -> impl Iterator<Item = FilterTime> {
        self.kernels.iter().map(|kernel| kernel.time)
    }

    /// Bytes of the pictures between kernels.
    pub fn bytes(&self) -> usize {
        self.route.bytes(Picture::bytes).unwrap_or(0)
    }
}

/// Takes the buffers that `step` writes from those that it may read, each at its first component.
fn take_written(buffers: &mut [Option<Picture>], step: &KernelRoute) -> [Option<Picture>; MOST_COMPONENTS] {
    array::from_fn(|component| match step.to.get(component) {
        Some(Ok(Location { holder: Holder::Buffer(buffer), .. })) => buffers[*buffer].take(),
        _ => None,
    })
}

fn put_back(buffers: &mut [Option<Picture>], step: &KernelRoute, written: [Option<Picture>; MOST_COMPONENTS]) {
    for (to, picture) in step.to.iter().zip(written) {
        if let (Ok(Location { holder: Holder::Buffer(buffer), .. }), Some(picture)) = (to, picture) {
            buffers[*buffer] = Some(picture);
        }
    }
}

/// What a kernel may read: the frames of the part's inputs, and the buffers that it does not write.
struct Read<'a, 'p> {
    inputs: &'a [Vec<Planes<'p>>],
    reaches: &'a [Reach],
    buffers: &'a [Option<Picture>],
}

impl<'a, 'p: 'a> Read<'a, 'p> {
    /// The frames of `reach` of an input of the part.
    fn window(&self, source: &StepInput, reach: Reach) -> InputWindow<'a, Planes<'a>> {
        let StepInput::Window { input, .. } = source else { unreachable!("components are one frame") };
        let first = (self.reaches[*input].before - reach.before) as usize;
        InputWindow::new(&self.inputs[*input][first..][..reach.frames()], reach)
    }

    fn view(&self, place: Location) -> PlaneRef<'a> {
        match place.holder {
            Holder::Input(input) => self.inputs[input][self.reaches[input].before as usize][place.component],
            Holder::Buffer(buffer) => {
                let picture = self.buffers[buffer].as_ref().expect("a buffer is not read and written at once");
                picture.planes()[place.component]
            }
            Holder::Result => unreachable!("nobody reads the result"),
        }
    }

    /// The frame at hand, where it is put together of components.
    fn components(&self, source: &StepInput) -> Option<Planes<'a>> {
        let StepInput::Components(places) = source else { return None };
        let view = |i: usize| self.view(places[i.min(places.len() - 1)]);
        Some(Planes::new(&[view(0), view(1), view(2)][..places.len()]))
    }
}
