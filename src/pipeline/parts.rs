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
        self.reach_of(Reach::NONE, parts)
    }

    /// Those that the frames `around` one of its result are made of.
    fn reach_of(&self, around: Reach, parts: &[Part]) -> Reach {
        // In frames of what it reads, of which a cycle may give fewer or more: too many rather than too few.
        let read = |frames: u32| {
            let (input, output) = (self.cycle.input(), self.cycle.output());
            let all = (u64::from(frames) * input).div_ceil(output) + if frames > 0 { input - 1 } else { 0 };
            u32::try_from(all).unwrap_or(u32::MAX)
        };
        let around = Reach { before: read(around.before), after: read(around.after) };
        let of = |input: &PartInput| {
            let reach = Reach {
                before: around.before.saturating_add(input.reach.before),
                after: around.after.saturating_add(input.reach.after),
            };
            match input.feed {
                Feed::Input(0) => reach,
                Feed::Input(_) => Reach::NONE,
                Feed::Part(part) => parts[part].reach_of(reach, parts),
            }
        };
        self.inputs.iter().map(of).fold(Reach::NONE, Reach::cover)
    }
}

/// Frames of `feed` that are held at a time where `parts` work on as few as they can: from the first that somebody may still read
/// to the last that somebody has asked for.
#[cfg(feature = "cuda")]
pub(super) fn held(parts: &[Part], feed: Feed) -> usize {
    // How many frames each part is ahead of the last one, whose frames it makes ready.
    let mut ahead = vec![0u32; parts.len()];
    for reader in (0..parts.len()).rev() {
        for input in &parts[reader].inputs {
            if let Feed::Part(before) = input.feed {
                ahead[before] = ahead[before].max(ahead[reader] + input.reach.after);
            }
        }
    }
    let readers = || {
        let of = |(part, ahead): (&Part, &u32)| {
            let input = part.inputs.iter().find(|input| input.feed == feed)?;
            Some((i64::from(*ahead), input.reach, part.cycle.input() as i64))
        };
        parts.iter().zip(&ahead).filter_map(of)
    };
    let last = readers().map(|(ahead, reach, cycle)| ahead + i64::from(reach.after) + cycle - 1).max().unwrap_or(0);
    let first = readers().map(|(ahead, reach, _)| ahead - i64::from(reach.before)).min().unwrap_or(0);
    (last - first + 1) as usize
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

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::pipeline::{Target, plan};

    /// Frames of the input and of each part that are held at a time.
    fn held_by(text: &str) -> Vec<usize> {
        let info = StreamInfo::bare("yuv420p".parse().unwrap(), 16, 16);
        let plan = plan(chain(text).unwrap(), &info, Target::default()).unwrap();
        let feeds = (0..plan.parts.len() - 1).map(Feed::Part);
        std::iter::once(Feed::Input(0)).chain(feeds).map(|feed| held(&plan.parts, feed)).collect()
    }

    #[test]
    fn frames_are_held_for_as_long_as_somebody_reads_them() {
        assert_eq!(held_by("box"), [1]);
        assert_eq!(held_by("tmedian=radius=2,box"), [5]);
        // The second reads two frames on, for which the first reads three.
        assert_eq!(held_by("tmedian=radius=1,tmedian=radius=2"), [3, 5]);
        // Frame n is mixed with what is made of frames up to n + 3: it waits.
        assert_eq!(held_by("keep=a,tmedian=radius=1,tmedian=radius=2,merge=with=a"), [4, 5]);
        assert_eq!(held_by("weave"), [2 + 1]);
        // Pictures wait for surveys of four frames on, of which nine are kept.
        assert_eq!(held_by("localtone=adapt=1:window=4"), [5, 9]);
    }
}
