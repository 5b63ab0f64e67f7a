//! A part's kernels on the CPU, and the pictures between them.

use super::parts::Part;
use super::route::{Holder, Location, Route, StepInput};
use crate::device::cpu::CpuExec;
use crate::error::Result;
use crate::filters::{CpuJob, CpuKernel, Frames, InputWindow, Reach};
use crate::pipeline::stats::FilterTime;
use crate::pipeline::{ChainPlan, Stage};
use crate::video::{FrameProps, Picture, PlaneMut, PlaneRef, Planes, PlanesMut, Record};
use std::time::Instant;

/// A part of a plan, built for the CPU.
pub(super) struct CpuPart {
    kernels: Vec<Kernel>,
    route: Route,
    buffers: Vec<Picture>,
    /// Frames around the one at hand that are given of each input.
    reaches: Vec<Reach>,
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
                .map(|buffer| Picture::alloc(buffer.format, buffer.size.0, buffer.size.1))
                .collect::<Result<_>>()?,
            route,
            reaches: part.inputs.iter().map(|input| input.reach).collect(),
        })
    }

    /// Makes the frame of `props` of `inputs`, which holds the frames in reach of each of the part's inputs, and adds what
    /// is measured to `props`.
    pub fn run(
        &mut self,
        props: &mut FrameProps,
        phase: usize,
        inputs: &[Vec<Planes<'_>>],
        dst: &mut PlanesMut<'_>,
        exec: &CpuExec,
    ) {
        let CpuPart { kernels, route, buffers, reaches } = self;
        for (kernel, step) in kernels.iter_mut().zip(&route.steps) {
            let start = Instant::now();
            let inputs = Inputs { inputs, reaches };
            let (read, written) = split(buffers, &step.to);
            let single: Vec<Option<Planes<'_>>> =
                step.from.iter().map(|source| inputs.components(source, &read)).collect();
            let windows =
                step.from.iter().zip(&kernel.reaches).zip(&single).map(|((source, reach), single)| match single {
                    Some(planes) => InputWindow::of(planes),
                    None => inputs.window(source, *reach),
                });
            let windows: Vec<InputWindow<'_, Planes<'_>>> = windows.collect();
            let mut written = written.into_iter();
            let mut result = dst.each_mut();
            let views = step.to.iter().map(|to| match to {
                Ok(Location { holder: Holder::Result, .. }) => result.next().expect("the result has every component"),
                Ok(_) => written.next().expect("every buffer is there"),
                Err(stays) => PlaneMut::nowhere(&inputs.view(*stays, &read)),
            });
            let dst = PlanesMut::new(views);
            let mut record = Record { filter: kernel.filter, values: Vec::new() };
            let src = Frames::new(&windows);
            kernel.work.run(CpuJob { props, phase, src, dst, record: &mut record, exec });
            if kernel.measures {
                props.records.push(record);
            }
            kernel.time.add(start.elapsed());
        }
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

/// The buffers that a step reads, and the components that it writes, in order.
fn split<'a>(
    buffers: &'a mut [Picture],
    to: &[std::result::Result<Location, Location>],
) -> (Vec<Option<Planes<'a>>>, Vec<PlaneMut<'a>>) {
    let mut read = Vec::new();
    let mut written: Vec<(usize, PlaneMut<'a>)> = Vec::new();
    for (n, picture) in buffers.iter_mut().enumerate() {
        let first = to.iter().position(|to| matches!(to, Ok(place) if place.holder == Holder::Buffer(n)));
        match first {
            Some(first) => {
                let views = picture.planes_mut().into_views().enumerate();
                written.extend(views.map(|(i, view)| (first + i, view)));
                read.push(None);
            }
            None => {
                let picture: &'a Picture = picture;
                read.push(Some(picture.planes()));
            }
        }
    }
    written.sort_by_key(|(component, _)| *component);
    (read, written.into_iter().map(|(_, view)| view).collect())
}

/// The frames of a part's inputs.
struct Inputs<'a, 'p> {
    inputs: &'a [Vec<Planes<'p>>],
    reaches: &'a [Reach],
}

impl<'a, 'p: 'a> Inputs<'a, 'p> {
    /// The frames of `reach` of an input of the part.
    fn window(&self, source: &StepInput, reach: Reach) -> InputWindow<'a, Planes<'a>> {
        let StepInput::Window { input, .. } = source else { unreachable!("components are one frame") };
        let first = (self.reaches[*input].before - reach.before) as usize;
        InputWindow::new(&self.inputs[*input][first..][..reach.frames()], reach)
    }

    fn view(&self, place: Location, buffers: &[Option<Planes<'a>>]) -> PlaneRef<'a> {
        match place.holder {
            Holder::Input(input) => self.inputs[input][self.reaches[input].before as usize][place.component],
            Holder::Buffer(buffer) => {
                buffers[buffer].expect("a buffer is not read and written at once")[place.component]
            }
            Holder::Result => unreachable!("nobody reads the result"),
        }
    }

    /// The frame at hand, where it is put together of components.
    fn components(&self, source: &StepInput, buffers: &[Option<Planes<'a>>]) -> Option<Planes<'a>> {
        let StepInput::Components(places) = source else { return None };
        let views: Vec<_> = places.iter().map(|place| self.view(*place, buffers)).collect();
        Some(Planes::new(&views))
    }
}
