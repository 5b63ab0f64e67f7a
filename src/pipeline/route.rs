//! Where each component of a frame lies on its way through a plan's kernels.
//!
//! A kernel that works on some components leaves the others where they are, and the next one reads them there. Those that
//! are written change between two planes, which is enough for any length of chain; what never is written before the last
//! kernel takes no plane at all. The last kernel writes every component, since the result is one picture.

use crate::error::{Error, Kind, Result};
use crate::pipeline::Plan;
use crate::video::Format;

/// Where a component lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the source's picture.
    Source,
    /// In one of its planes between kernels.
    Between(usize),
    /// In the result's picture.
    Result,
}

/// What one kernel reads and writes, by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub from: [Place; 3],
    /// `None`: the component stays where it is.
    pub to: [Option<Place>; 3],
}

/// The way through a plan.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// One step a kernel.
    pub steps: Vec<Step>,
    /// What pictures between kernels are: planes that lie in memory together.
    pub groups: Vec<Group>,
}

/// Components that lie in memory together: one, or all three of YC48.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The first of them.
    pub first: usize,
    /// Pictures that they need between kernels.
    pub count: usize,
    /// What these are stored as.
    pub format: Format,
    /// Their size.
    pub size: (usize, usize),
}

impl Route {
    /// The way through `plan`.
    ///
    /// # Errors
    /// None that a plan's formats could cause.
    pub fn of(plan: &Plan) -> Result<Route> {
        let components = plan.input.format.components();
        let ways: Vec<_> = (0..components).map(|component| way(plan, component)).collect();
        let step = |i: usize| {
            let at = |component: usize| ways[component.min(components - 1)][i];
            Step { from: [0, 1, 2].map(|c| at(c).0), to: [0, 1, 2].map(|c| at(c).1) }
        };
        let format = plan.stages.get(1).map_or(plan.input.format, |stage| stage.setup.src);
        let (width, height) = (plan.input.width, plan.input.height);
        let group = |first: usize, format: Format, size| {
            let highest = |at: &Option<Place>| if let Some(Place::Between(n)) = at { n + 1 } else { 0 };
            let count = ways[first].iter().map(|(_, to)| highest(to)).max().unwrap_or(0);
            Group { first, count, format, size }
        };
        let groups = if format.is_yc48() {
            vec![group(0, format, (width, height))]
        } else {
            let gray = Format::gray(format.bit_depth())?;
            (0..components).map(|c| group(c, gray, format.component_size(c, width, height))).collect()
        };
        Ok(Route { steps: (0..plan.stages.len()).map(step).collect(), groups })
    }

    /// The last kernel that reads the source.
    #[cfg(feature = "cuda")]
    pub fn reads_source_until(&self) -> usize {
        let reads = |step: &Step| step.from.contains(&Place::Source);
        self.steps.iter().rposition(reads).unwrap_or(0)
    }

    /// Bytes of all pictures between kernels, each of which takes what `bytes` says.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn bytes(&self, bytes: impl Fn(Format, usize, usize) -> Option<usize>) -> Result<usize> {
        let of = |group: &Group| bytes(group.format, group.size.0, group.size.1)?.checked_mul(group.count);
        let total = self.groups.iter().map(of).try_fold(0usize, |sum, bytes| sum.checked_add(bytes?));
        total.ok_or_else(|| Error::new(Kind::OutOfMemory, "the frames are too large to be addressed"))
    }
}

/// Where `component` lies before and after each kernel.
fn way(plan: &Plan, component: usize) -> Vec<(Place, Option<Place>)> {
    let last = plan.stages.len().saturating_sub(1);
    let mut at = Place::Source;
    let step = |(i, stage): (usize, &super::Stage)| {
        let alike = stage.setup.src == stage.setup.dst && !stage.setup.src.is_yc48();
        let to = match at {
            _ if i == last => Some(Place::Result),
            _ if alike && stage.filter.passes(component, &stage.setup.input) => None,
            Place::Between(0) => Some(Place::Between(1)),
            _ => Some(Place::Between(0)),
        };
        let from = at;
        at = to.unwrap_or(from);
        (from, to)
    };
    plan.stages.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    fn route(text: &str, format: &str) -> Route {
        let input = StreamInfo::bare(format.parse().unwrap(), 8, 8);
        Route::of(&plan(chain(text).unwrap(), &input, Target::default()).unwrap()).unwrap()
    }

    fn counts(text: &str, format: &str) -> Vec<usize> {
        route(text, format).groups.iter().map(|group| group.count).collect()
    }

    #[test]
    fn planes_are_as_few_as_can_be() {
        assert_eq!(counts("deband", "yuv420p"), [0, 0, 0]);
        assert_eq!(counts("deband,box", "yuv420p"), [1, 1, 1]);
        assert_eq!(counts("deband,box,gauss,box,deband", "yuv444p"), [2, 2, 2]);
        assert_eq!(counts("deband,box,gauss", "yc48"), [2]);
        // Chroma is widened once and then waits for the last kernel.
        assert_eq!(counts("deband,box=planes=y,gauss=planes=y,deband", "yuv420p"), [2, 1, 1]);
        // It is stored as it is between kernels already.
        assert_eq!(counts("box=planes=y,gauss=planes=y,deband", "yuv420p16"), [2, 0, 0]);
        assert_eq!(counts("box=planes=y,gauss=planes=uv,deband", "yuv420p16"), [1, 1, 1]);
    }

    #[test]
    fn what_is_not_written_is_read_where_it_was() {
        let route = route("box=planes=y,gauss=planes=uv,box", "yuv420p16");
        let [first, second, third] = route.steps[..] else { panic!("{route:?}") };
        let (y, source) = (Place::Between(0), Place::Source);
        assert_eq!((first.from, first.to), ([source; 3], [Some(y), None, None]));
        assert_eq!((second.from, second.to), ([y, source, source], [None, Some(y), Some(y)]));
        assert_eq!((third.from, third.to), ([y; 3], [Some(Place::Result); 3]));
        #[cfg(feature = "cuda")]
        assert_eq!(route.reads_source_until(), 1);
    }
}
