//! Where each component of a frame lies between a part's kernels.
//!
//! A kernel that copies components leaves them where they are, and the next one reads them there. What is written between
//! kernels lies in buffers that are used again as soon as nobody reads them. The last kernel writes every component, since
//! the result is one picture.

use crate::error::{Error, Kind, Result};
use crate::filters::{Origin, Reach};
use crate::pipeline::parts::{Feed, Part};
use crate::pipeline::{ChainPlan, Operand};
use crate::video::Format;

/// Inputs that a kernel may have, and components of a picture: what is made for one kernel and one frame needs no allocation.
pub(super) const MOST_INPUTS: usize = 4;
pub(super) const MOST_COMPONENTS: usize = 3;

/// A picture that holds a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The frame at hand of an input of the part.
    Input(usize),
    /// A buffer between kernels.
    Buffer(usize),
    /// The result.
    Result,
}

/// Where a component lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub holder: Holder,
    /// Which of the holder's components it is.
    pub component: usize,
}

/// What a kernel reads of one of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepInput {
    /// An input of the part, with frames around the one at hand.
    Window { input: usize, reach: Reach },
    /// Components of the frame at hand.
    Components(Vec<Location>),
}

/// What one kernel reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KernelRoute {
    /// One for each input of the kernel.
    pub from: Vec<StepInput>,
    /// By component. `Err`: the component stays where it is, there.
    pub to: Vec<std::result::Result<Location, Location>>,
}

/// A picture between kernels: one component, or all three of YC48.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    pub format: Format,
    pub size: (usize, usize),
}

/// The buffers of a part.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// One step a kernel.
    pub steps: Vec<KernelRoute>,
    pub buffers: Vec<Buffer>,
}

impl Route {
    /// The buffers of `part` of `plan`.
    ///
    /// # Errors
    /// None that a plan's formats could cause.
    pub fn of(plan: &ChainPlan, part: &Part) -> Result<Route> {
        let mut steps: Vec<KernelRoute> = Vec::new();
        let mut buffers = Buffers::default();
        let last_reads = last_reads(plan, part);
        // Where the components of each stage's result lie.
        let mut results: Vec<Vec<Location>> = Vec::new();
        for (at, stage) in part.stages.iter().map(|stage| &plan.stages[*stage]).enumerate() {
            let from: Vec<StepInput> = stage
                .operands
                .iter()
                .zip(&stage.spec.reads)
                .map(|(operand, reach)| {
                    let feed = match *operand {
                        Operand::Input(input) => Feed::Input(input),
                        Operand::Stage(stage) => match part.stages.binary_search(&stage) {
                            Ok(local) => return StepInput::Components(results[local].clone()),
                            Err(_) => {
                                Feed::Part(plan.parts.iter().position(|p| p.stages.last() == Some(&stage)).unwrap_or(0))
                            }
                        },
                    };
                    let input = part.inputs.iter().position(|input| input.feed == feed).unwrap_or(0);
                    StepInput::Window { input, reach: *reach }
                })
                .collect();
            let dst = stage.setup.dst;
            let is_last = at + 1 == part.stages.len();
            let stays = |component: usize| match stage.spec.origins[component] {
                Origin::Same { input, component: same }
                    if !is_last && stage.setup.storage(input) == dst && !dst.is_yc48() =>
                {
                    Some(match &from[input] {
                        StepInput::Window { input, .. } => Location { holder: Holder::Input(*input), component: same },
                        StepInput::Components(places) => places[same],
                    })
                }
                _ => None,
            };
            let mut to = Vec::new();
            for component in 0..dst.components() {
                to.push(match stays(component) {
                    Some(place) => Err(place),
                    None if is_last => Ok(Location { holder: Holder::Result, component }),
                    // All components of YC48 lie together.
                    None if dst.is_yc48() && component > 0 => {
                        let first: std::result::Result<Location, Location> = to[0];
                        first.map(|place| Location { component, ..place })
                    }
                    None => Ok(Location {
                        holder: Holder::Buffer(buffers.take(dst, component, &stage.setup.output)?),
                        component: 0,
                    }),
                });
            }
            let places: Vec<Location> = to.iter().map(|place| place.unwrap_or_else(|stays| stays)).collect();
            results.push(places);
            steps.push(KernelRoute { from, to });
            buffers.free(|buffer| {
                let holds = |local: &usize| results[*local].iter().any(|place| place.holder == Holder::Buffer(buffer));
                !(0..results.len()).any(|local| last_reads[local] > at && holds(&local))
            });
        }
        Ok(Route { steps, buffers: buffers.all })
    }

    /// The last kernel that reads input `input` of the part.
    #[cfg(feature = "cuda")]
    pub fn reads_until(&self, input: usize) -> usize {
        let at = |place: &Location| place.holder == Holder::Input(input);
        let reads = |source: &StepInput| match source {
            StepInput::Window { input: read, .. } => *read == input,
            StepInput::Components(places) => places.iter().any(at),
        };
        self.steps.iter().rposition(|step| step.from.iter().any(reads)).unwrap_or(0)
    }

    /// Bytes of all buffers, each of which takes what `bytes` says.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(&self, bytes: impl Fn(Format, usize, usize) -> Option<usize>) -> Result<usize> {
        let of = |buffer: &Buffer| bytes(buffer.format, buffer.size.0, buffer.size.1);
        let total = self.buffers.iter().map(of).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?));
        total.ok_or_else(|| Error::new(Kind::OutOfMemory, "the frames are too large to be addressed"))
    }
}

/// For each stage of `part` the last one, counted from 0 in the part, that reads its result, in person or as a component
/// that was left where it is.
fn last_reads(plan: &ChainPlan, part: &Part) -> Vec<usize> {
    let mut last: Vec<usize> = (0..part.stages.len()).collect();
    for reader in (0..part.stages.len()).rev() {
        for operand in &plan.stages[part.stages[reader]].operands {
            if let Operand::Stage(stage) = operand
                && let Ok(local) = part.stages.binary_search(stage)
            {
                last[local] = last[local].max(reader);
            }
        }
    }
    last
}

/// Buffers, and which of them are in use.
#[derive(Default)]
struct Buffers {
    all: Vec<Buffer>,
    used: Vec<bool>,
}

impl Buffers {
    /// One for component `component` of pictures of `info` that are stored as `format`.
    fn take(&mut self, format: Format, component: usize, info: &crate::video::StreamInfo) -> Result<usize> {
        let size = format.component_size(component, info.width, info.height);
        let format = if format.is_yc48() { format } else { Format::gray(format.bit_depth())? };
        let wanted = Buffer { format, size };
        let free = (0..self.all.len()).find(|buffer| !self.used[*buffer] && self.all[*buffer] == wanted);
        let buffer = free.unwrap_or_else(|| {
            self.all.push(wanted);
            self.used.push(true);
            self.all.len() - 1
        });
        self.used[buffer] = true;
        Ok(buffer)
    }

    /// Releases those that `is_done` with.
    fn free(&mut self, is_done: impl Fn(usize) -> bool) {
        for (buffer, used) in self.used.iter_mut().enumerate() {
            *used &= !is_done(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    fn route(text: &str, format: &str) -> Route {
        let input = StreamInfo::bare(format.parse().unwrap(), 8, 8);
        let plan = plan(chain(text).unwrap(), &input, Target::default()).unwrap();
        Route::of(&plan, plan.parts.last().unwrap()).unwrap()
    }

    /// Buffers of the size of luma, and of chroma in 4:2:0.
    fn counts(text: &str, format: &str) -> [usize; 2] {
        let of = |size| route(text, format).buffers.iter().filter(|buffer| buffer.size == size).count();
        [of((8, 8)), of((4, 4))]
    }

    #[test]
    fn buffers_are_as_few_as_can_be() {
        assert_eq!(counts("deband", "yuv420p"), [0, 0]);
        assert_eq!(counts("deband,box", "yuv420p"), [1, 2]);
        assert_eq!(counts("deband,box,gauss,box,deband", "yuv444p"), [6, 0]);
        assert_eq!(counts("deband,box,gauss", "yc48"), [2, 0]);
        // Chroma is widened once and then waits for the last kernel.
        assert_eq!(counts("deband,box=planes=y,gauss=planes=y,deband", "yuv420p"), [2, 2]);
        // It is stored as it is between kernels already.
        assert_eq!(counts("box=planes=y,gauss=planes=y,deband", "yuv420p16"), [2, 0]);
        assert_eq!(counts("box=planes=y,gauss=planes=uv,deband", "yuv420p16"), [1, 2]);
    }

    #[test]
    fn what_is_not_written_is_read_where_it_was() {
        let route = route("box=planes=y,gauss=planes=uv,box", "yuv420p16");
        let [first, second, third] = &route.steps[..] else { panic!("{route:?}") };
        let source = |component| Location { holder: Holder::Input(0), component };
        let buffer = |buffer| Location { holder: Holder::Buffer(buffer), component: 0 };
        assert_eq!(first.from, [StepInput::Window { input: 0, reach: Reach::NONE }]);
        assert_eq!(first.to, [Ok(buffer(0)), Err(source(1)), Err(source(2))]);
        assert_eq!(second.from, [StepInput::Components(vec![buffer(0), source(1), source(2)])]);
        assert_eq!(second.to, [Err(buffer(0)), Ok(buffer(1)), Ok(buffer(2))]);
        assert_eq!(third.from, [StepInput::Components(vec![buffer(0), buffer(1), buffer(2)])]);
        assert!((0..3).all(|component| third.to[component] == Ok(Location { holder: Holder::Result, component })));
        #[cfg(feature = "cuda")]
        assert_eq!(route.reads_until(0), 1);
    }
}
