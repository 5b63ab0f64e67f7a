//! A plan cut where frames of other times are read.
//!
//! Inside a part every kernel works on the same frame, so its pictures exist once. A kernel that reads frames around its
//! own, or gives another number of them, begins a part: what it reads are results of other parts, which are kept as long as
//! somebody reads them.

use crate::filters::{Cycle, Reach};
use crate::pipeline::{ChainPlan, Operand, Stage};
use crate::video::{Format, StreamInfo};

/// What a part reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// An input of the chain.
    Input(usize),
    /// The result of an earlier part.
    Part(usize),
}

/// One stream that a part reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartInput {
    /// Where its frames come from.
    pub feed: Feed,
    /// Frames around the one at hand.
    pub reach: Reach,
    /// Its frames are not counted as those of the part are: the one that is shown at the same time is read.
    pub by_time: bool,
}

/// Kernels that work on the same frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its stages, by their place in the plan, in order. The last makes its result.
    pub stages: Vec<usize>,
    /// What it reads. Frames of the result belong to frames of the first.
    pub inputs: Vec<PartInput>,
    /// How many frames it makes.
    pub cycle: Cycle,
}

impl Part {
    /// The stream that it gives.
    pub fn info<'p>(&self, plan: &'p ChainPlan) -> &'p StreamInfo {
        self.stages.last().map_or(&plan.output, |last| &plan.stages[*last].spec.output)
    }

    /// Format and size of the pictures that it gives.
    pub fn result(&self, plan: &ChainPlan) -> (Format, usize, usize) {
        let info = self.info(plan);
        let format = self.stages.last().map_or(info.format, |last| plan.stages[*last].setup.dst);
        (format, info.width, info.height)
    }

    /// The frames of the chain's own input that a frame of this part is made of.
    pub fn total_reach(&self, parts: &[Part]) -> Reach {
        let add = |a: Reach, b: Reach| Reach { before: a.before + b.before, after: a.after + b.after };
        // Frames of a cycle are counted as frames of its input: too many rather than too few.
        let of = |input: &PartInput| match input.feed {
            Feed::Input(0) => input.reach,
            Feed::Input(_) => Reach::NONE,
            Feed::Part(part) => {
                let cycle = &parts[part].cycle;
                let scaled = |frames: u32| {
                    (u64::from(frames) * cycle.input()).div_ceil(cycle.output()) as u32
                        + if frames > 0 { cycle.input() as u32 - 1 } else { 0 }
                };
                let reach = Reach { before: scaled(input.reach.before), after: scaled(input.reach.after) };
                add(reach, parts[part].total_reach(parts))
            }
        };
        self.inputs.iter().map(of).fold(Reach::NONE, Reach::cover)
    }
}

/// Cuts `stages` into parts.
pub(super) fn cut(stages: &[Stage]) -> Vec<Part> {
    let roots = roots(stages);
    let lineages = lineages(stages);
    let ends: Vec<usize> = (0..stages.len()).filter(|stage| roots[*stage] == *stage).collect();
    let part_of = |stage: usize| ends.binary_search(&stage).expect("a result that is read elsewhere ends a part");
    let part = |end: &usize| {
        let members: Vec<usize> = (0..=*end).filter(|stage| roots[*stage] == *end).collect();
        let lineage = |operand: Operand| match operand {
            Operand::Input(input) => Lineage::Input(input),
            Operand::Stage(stage) => lineages[stage],
        };
        // Frames of the part are those of what its last stage reads first.
        let own = lineage(stages[*end].operands[0]);
        let mut inputs: Vec<PartInput> = Vec::new();
        for stage in members.iter().map(|stage| &stages[*stage]) {
            for (operand, reach) in stage.operands.iter().zip(&stage.spec.reads) {
                let feed = match *operand {
                    Operand::Input(input) => Feed::Input(input),
                    Operand::Stage(stage) if roots[stage] == *end => continue,
                    Operand::Stage(stage) => Feed::Part(part_of(stage)),
                };
                let by_time = lineage(*operand) != own;
                match inputs.iter_mut().find(|input| input.feed == feed) {
                    Some(input) => input.reach = input.reach.cover(*reach),
                    None => inputs.push(PartInput { feed, reach: *reach, by_time }),
                }
            }
        }
        inputs.sort_by_key(|input| input.by_time);
        Part { stages: members, inputs, cycle: stages[*end].spec.cycle.clone() }
    };
    ends.iter().map(part).collect()
}

/// Streams whose frames are counted alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lineage {
    Input(usize),
    /// The result of the cycle of a stage.
    Cycle(usize),
}

fn lineages(stages: &[Stage]) -> Vec<Lineage> {
    let mut lineages = Vec::new();
    for (i, stage) in stages.iter().enumerate() {
        lineages.push(match stage.operands[0] {
            _ if !stage.spec.cycle.is_one() => Lineage::Cycle(i),
            Operand::Input(input) => Lineage::Input(input),
            Operand::Stage(before) => lineages[before],
        });
    }
    lineages
}

/// For each stage the last one of its part: its own place where it ends one.
fn roots(stages: &[Stage]) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..stages.len()).collect();
    for stage in (0..stages.len()).rev() {
        let readers = || (stage + 1..stages.len()).filter(|at| stages[*at].operands.contains(&Operand::Stage(stage)));
        let cyclic = |at: usize| !stages[at].spec.cycle.is_one();
        let around = |at: usize| stages[at].spec.reads.iter().any(|reach| *reach != Reach::NONE);
        let ends = cyclic(stage) || readers().any(|at| cyclic(at) || around(at));
        let mut of_readers = readers().map(|at| roots[at]);
        if let Some(first) = of_readers.next()
            && !ends
            && of_readers.all(|root| root == first)
        {
            roots[stage] = first;
        }
    }
    roots
}
