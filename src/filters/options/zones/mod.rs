//! Zones: a filter limited to parts of the film, by `frames=100-200+400-` and `times=10-20+60-` of every filter that gives the
//! stream that it gets.

use crate::device::cpu::CpuLevel;
#[cfg(feature = "cuda")]
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::filters::options::says_for_inner;
use crate::filters::remap::{self, Geometry};
use crate::filters::{CpuJob, CpuKernel, Descriptor, Filter, Setup, Spec, Wiring};
#[cfg(feature = "cuda")]
use crate::filters::{CudaJob, CudaKernel};
use crate::params::{Arg, Call, unnamed};
use crate::video::{FrameProps, Rational, StreamInfo};
use parts::{FrameNumber, Parts, Time};
#[cfg(feature = "cuda")]
use std::sync::Arc;

mod parts;
#[cfg(test)]
mod tests;

const FRAMES: &str = "frames";
const TIMES: &str = "times";

/// Makes `filter` as `call` asks for it, limited to the zones that it names.
///
/// # Errors
/// For wrong arguments.
pub(crate) fn create(filter: &'static Descriptor, call: &Call) -> Result<Box<dyn Filter>> {
    // A filter's own option of such a name is none of zones.
    let names_zones = |arg: &Arg| {
        let key = arg.key.as_deref().unwrap_or("");
        [FRAMES, TIMES].contains(&key) && filter.schema.find(key).is_none()
    };
    let (zones, own): (Vec<Arg>, Vec<Arg>) = call.args.iter().cloned().partition(names_zones);
    if zones.is_empty() {
        return (filter.create)(call);
    }
    if let Some(arg) = call.args.iter().skip_while(|arg| !names_zones(arg)).find(|arg| arg.key.is_none()) {
        return Err(unnamed(&call.name, &arg.value));
    }
    let given = |option: &str| {
        let mut given = zones.iter().filter(|arg| arg.key.as_deref() == Some(option));
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(Error::bad_argument(format!("{}: option '{option}' is given twice", call.name))),
            (arg, _) => Ok(arg.map(|arg| arg.value.as_str())),
        }
    };
    let zones = Zones {
        frames: given(FRAMES)?.map(|text| Parts::parse(FRAMES, text)).transpose().map_err(|e| e.context(&call.name))?,
        times: given(TIMES)?.map(|text| Parts::parse(TIMES, text)).transpose().map_err(|e| e.context(&call.name))?,
    };
    let inner = (filter.create)(&Call { name: call.name.clone(), args: own })?;
    match inner.wiring() {
        Wiring::Reads(_) => Ok(Box::new(Zoned { inner, zones })),
        Wiring::Keep(_) | Wiring::Use(_) => Err(Error::bad_argument(format!(
            "{} computes no frames: {FRAMES}= and {TIMES}= have no meaning for it",
            filter.name
        ))),
    }
}

/// Parts of the film.
#[derive(Clone, Debug)]
struct Zones {
    frames: Option<Parts<FrameNumber>>,
    times: Option<Parts<Time>>,
}

impl Zones {
    /// Whether they have the frame of these properties, whose times count in `timebase`. A frame without a time is in no
    /// part by time.
    fn have(&self, props: &FrameProps, timebase: Rational) -> bool {
        let by_time = |times: &Parts<Time>| props.pts.is_some_and(|pts| times.have(pts, timebase));
        self.frames.as_ref().is_some_and(|frames| frames.have(props.frame_index))
            || self.times.as_ref().is_some_and(by_time)
    }
}

/// A filter that works on parts of the film.
#[derive(Debug)]
struct Zoned {
    inner: Box<dyn Filter>,
    zones: Zones,
}

impl Zoned {
    fn when(&self, setup: &Setup) -> When {
        When { zones: self.zones.clone(), timebase: setup.input.timebase }
    }
}

/// Which frames a filter works on.
struct When {
    zones: Zones,
    timebase: Rational,
}

impl When {
    fn has(&self, props: &FrameProps) -> bool {
        self.zones.have(props, self.timebase)
    }
}

impl Filter for Zoned {
    says_for_inner!();

    fn call(&self) -> Call {
        let mut call = self.inner.call();
        let texts = [
            (FRAMES, self.zones.frames.as_ref().map(ToString::to_string)),
            (TIMES, self.zones.times.as_ref().map(ToString::to_string)),
        ];
        let arg = |(key, text): (&str, Option<String>)| Some(Arg { key: Some(key.to_owned()), value: text? });
        call.args.extend(texts.into_iter().filter_map(arg));
        call
    }

    fn mixes(&self) -> bool {
        self.inner.mixes()
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        let spec = self.inner.spec(inputs)?;
        if let Some(difference) = difference(&spec, &inputs[0]) {
            return Err(Error::bad_argument(format!(
                "{FRAMES}= and {TIMES}= limit filters that give the stream that they get, and this gives another \
                 {difference}: leave them out"
            )));
        }
        if spec.measures {
            return Err(Error::bad_argument(format!(
                "{FRAMES}= and {TIMES}= limit filters that change samples, and this measures every frame: leave them out"
            )));
        }
        // Outside its zones it does not round.
        Ok(Spec { rounds_to: None, ..spec })
    }

    fn describe(&self, setup: &Setup, props: &mut FrameProps) {
        if self.when(setup).has(props) {
            self.inner.describe(setup, props);
        }
    }

    fn reference(&self, setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        let (filter, copy) = (self.inner.reference(setup)?, remap::reference(whole(setup)));
        Ok(Box::new(ZonedCpu { filter, copy, when: self.when(setup) }))
    }

    fn cpu(&self, setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        let (filter, copy) = (self.inner.cpu(setup, level)?, remap::cpu(whole(setup), level)?);
        Ok(Box::new(ZonedCpu { filter, copy, when: self.when(setup) }))
    }

    #[cfg(feature = "cuda")]
    fn cuda(&self, setup: &Setup, device: &Arc<CudaDevice>) -> Result<Box<dyn CudaKernel>> {
        let (filter, copy) = (self.inner.cuda(setup, device)?, remap::cuda(whole(setup), device)?);
        Ok(Box::new(ZonedCuda { filter, copy, when: self.when(setup) }))
    }
}

/// What is other about the stream that a filter gives, if anything is.
pub(crate) fn difference(spec: &Spec, input: &StreamInfo) -> Option<&'static str> {
    let StreamInfo { width, height, format, color, .. } = &spec.output;
    Some(match () {
        () if !spec.cycle.is_one() => "number of frames",
        () if spec.output == *input => return None,
        () if (*width, *height) != (input.width, input.height) => "size",
        () if format.bit_depth() != input.format.bit_depth() => "depth",
        () if *format != input.format => "format",
        () if color.range != input.color.range => "range",
        () => "description",
    })
}

/// Every sample where it is.
fn whole(setup: &Setup) -> [remap::Map; 3] {
    Geometry::whole(&setup.input).maps(&setup.input)
}

struct ZonedCpu {
    filter: Box<dyn CpuKernel>,
    copy: Box<dyn CpuKernel>,
    when: When,
}

impl CpuKernel for ZonedCpu {
    fn run(&mut self, job: CpuJob<'_>) {
        match self.when.has(job.props) {
            true => self.filter.run(job),
            false => self.copy.run(job),
        }
    }

    fn path(&self) -> &'static str {
        self.filter.path()
    }
}

#[cfg(feature = "cuda")]
struct ZonedCuda {
    filter: Box<dyn CudaKernel>,
    copy: Box<dyn CudaKernel>,
    when: When,
}

#[cfg(feature = "cuda")]
impl CudaKernel for ZonedCuda {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> Result<()> {
        match self.when.has(job.props) {
            true => self.filter.enqueue(job),
            false => self.copy.enqueue(job),
        }
    }

    fn repeats(&self) -> bool {
        self.filter.repeats()
    }
}
