//! Negotiation: from streams, a chain and a wanted output to the kernels that run and the storage between them.

use crate::error::{Error, Result};
use crate::filters::depth::{Depth, Dither};
use crate::filters::{Change, Filter, Reach, Setup, Spec};
use crate::pipeline::parts::{Feed, Part, cut};
use crate::video::{Format, StreamInfo};

mod draft;
#[cfg(test)]
mod folded_tests;
#[cfg(test)]
mod tests;

pub use draft::Draft;

/// What the sink wants of the last picture.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Storage format; `None` keeps the components at the depth the chain ends with, planar.
    pub format: Option<Format>,
    /// How a lower depth is reached; `None` rounds.
    pub dither: Dither,
    /// Whether point filters that follow one another become one kernel. The bytes are the same: tests and benches compare.
    pub folds: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self { format: None, dither: Dither::None, folds: true }
    }
}

/// Where a kernel's picture comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// An input of the chain; 0 is its own.
    Input(usize),
    /// An earlier stage.
    Stage(usize),
}

/// One kernel of a plan.
#[derive(Debug)]
pub struct Stage {
    /// The filter.
    pub filter: Box<dyn Filter>,
    /// What its kernel is built for.
    pub setup: Setup,
    /// What it does to its streams.
    pub spec: Spec,
    /// Where each of its inputs comes from.
    pub operands: Vec<Operand>,
}

/// A stream beside the chain's own, under the name that the chain calls it by.
#[derive(Clone, Debug)]
pub struct SideInput {
    /// The name.
    pub name: String,
    /// The stream.
    pub info: StreamInfo,
}

/// A chain that fits its streams and a target.
#[derive(Debug)]
pub struct ChainPlan {
    /// The stream the chain gets.
    pub input: StreamInfo,
    /// Those it gets beside it: inputs 1 and up.
    pub sides: Vec<SideInput>,
    /// The stream it gives; `format` is the storage the sink gets.
    pub output: StreamInfo,
    /// The kernels in order. None: pictures pass untouched.
    pub stages: Vec<Stage>,
    /// The stages, cut where frames of other times are read. The last gives the result.
    pub parts: Vec<Part>,
    /// Calls left out because they would change no sample.
    pub skipped: Vec<String>,
    /// Names of inputs that are made like the chain's pictures, and the calls that do.
    pub fitted: Vec<(String, String)>,
    /// The source's frames are in GPU memory, where the first kernel reads them.
    pub resident: bool,
    /// The results stay in GPU memory, where an encoder reads them, or nothing does.
    pub stays: bool,
}

impl ChainPlan {
    /// The same plan for a source whose frames are in GPU memory, stored as `storage`. The stream stays what it is, and
    /// so does every result: only kernels that read the source read from another layout. An empty chain gets a kernel
    /// that copies.
    ///
    /// # Errors
    /// When `storage` does not hold the components of the source.
    pub fn resident(mut self, storage: Format) -> Result<ChainPlan> {
        let nominal = self.input.format;
        if !storage.holds(nominal) {
            return Err(Error::internal(format!("{nominal} cannot be stored as {storage}")));
        }
        self.fill();
        for stage in &mut self.stages {
            for (i, operand) in stage.operands.iter().enumerate() {
                if *operand == Operand::Input(0) {
                    *stage.setup.storage_mut(i) = storage;
                }
            }
        }
        self.resident = true;
        Ok(self)
    }

    /// The parts but the last, whose results later ones read.
    pub(super) fn earlier_parts(&self) -> &[Part] {
        &self.parts[..self.parts.len().saturating_sub(1)]
    }

    /// The same plan, whose results stay in GPU memory. An empty chain gets a kernel that copies.
    pub fn staying(mut self) -> ChainPlan {
        self.fill();
        self.stays = true;
        self
    }

    /// A plan of kernels that follow one another as they are given, for tests.
    pub fn linear(input: StreamInfo, output: StreamInfo, kernels: Vec<(Box<dyn Filter>, Setup)>) -> ChainPlan {
        let from = |i: usize| if i == 0 { Operand::Input(0) } else { Operand::Stage(i - 1) };
        let stage = |(i, (filter, setup)): (usize, (Box<dyn Filter>, Setup))| {
            let spec = Spec::computed(setup.output.clone());
            Stage { filter, setup, spec, operands: vec![from(i)] }
        };
        let stages: Vec<_> = kernels.into_iter().enumerate().map(stage).collect();
        let parts = cut(&stages);
        let (sides, skipped, fitted) = (Vec::new(), Vec::new(), Vec::new());
        ChainPlan { input, sides, output, stages, parts, skipped, fitted, resident: false, stays: false }
    }

    /// Whether a filter that runs may make `change`.
    pub fn changes(&self, change: Change) -> bool {
        self.stages.iter().any(|stage| stage.filter.descriptor().changes.contains(&change))
    }

    /// How pictures of input `index` are stored.
    pub fn storage(&self, index: usize) -> Format {
        let reads = |stage: &Stage| stage.operands.iter().position(|operand| *operand == Operand::Input(index));
        let read = self.stages.iter().find_map(|stage| Some(stage.setup.storage(reads(stage)?)));
        read.unwrap_or(self.stream(index).format)
    }

    /// Input `index`.
    pub fn stream(&self, index: usize) -> &StreamInfo {
        if index == 0 { &self.input } else { &self.sides[index - 1].info }
    }

    /// The frames of input `input` that frame `n` of the result is made of, as far as the stream has them: the first and
    /// the last. Frames of other inputs than the chain's own are counted as its frames are.
    pub fn needs(&self, input: usize, n: u64) -> (u64, u64) {
        fn of(plan: &ChainPlan, part: usize, input: usize, (first, last): (u64, u64)) -> Option<(u64, u64)> {
            let Part { inputs, cycle, .. } = &plan.parts[part];
            let (first, last) = (cycle.owner(first), cycle.owner(last));
            let read = inputs.iter().filter_map(|read| {
                let from = first.saturating_sub(read.reach.before.into());
                let to = last.saturating_add(read.reach.after.into());
                match read.feed {
                    Feed::Input(known) => (known == input).then_some((from, to)),
                    Feed::Part(before) => of(plan, before, input, (from, to)),
                }
            });
            read.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        }
        self.parts.len().checked_sub(1).and_then(|last| of(self, last, input, (n, n))).unwrap_or((n, n))
    }

    /// Frames of the chain's own input that a frame of the result is made of, around the one that it belongs to.
    pub fn reach(&self) -> Reach {
        self.parts.last().map_or(Reach::NONE, |last| last.total_reach(&self.parts))
    }

    /// Puts a kernel that copies into an empty chain.
    fn fill(&mut self) {
        if self.stages.is_empty() {
            let copy = Box::new(Depth::to(self.input.format.bit_depth(), Dither::None));
            let setup = Setup::of(self.input.clone(), self.input.format, self.output.clone(), self.output.format);
            let spec = Spec::computed(self.output.clone());
            self.stages.push(Stage { filter: copy, setup, spec, operands: vec![Operand::Input(0)] });
            self.parts = cut(&self.stages);
        }
    }
}

/// Plans `filters` for `input`, ending in `target`.
///
/// # Errors
/// As [`plan_with`].
pub fn plan(filters: Vec<Box<dyn Filter>>, input: &StreamInfo, target: Target) -> Result<ChainPlan> {
    plan_with(filters, input, &[], target)
}

/// Plans `filters` for `input` and the streams beside it, ending in `target`.
///
/// Between filters samples are v16 (YC48 stays YC48). The first kernel widens and the last narrows, so no stage is
/// added for storage alone, but one: a `depth` where rounding a shift is not the right narrowing (full range, dither,
/// an empty chain).
///
/// # Errors
/// When a filter does not take its streams, a name stands for nothing or for nothing that is read, or the target's
/// components are not the chain's.
pub fn plan_with(
    filters: Vec<Box<dyn Filter>>,
    input: &StreamInfo,
    sides: &[SideInput],
    target: Target,
) -> Result<ChainPlan> {
    Draft::of(filters, input, sides)?.plan(target)
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
