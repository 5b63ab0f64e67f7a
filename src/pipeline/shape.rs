//! What a plan makes of the numbers of frames, and a plan for each of its parts, for callers that keep frames themselves.

use crate::filters::Reach;
use crate::pipeline::parts::{Feed, Part, PartInput};
use crate::pipeline::{ChainPlan, Operand, SideInput, Stage};
use crate::video::StreamInfo;

impl ChainPlan {
    /// The input that frames of the result belong to frames of, and the parts that these come through from there on, in order.
    fn lineage(&self) -> (usize, Vec<&Part>) {
        let mut parts = Vec::new();
        let mut part = self.parts.last();
        let mut input = 0;
        while let Some(own) = part {
            parts.push(own);
            part = match own.inputs[0].feed {
                Feed::Part(before) => Some(&self.parts[before]),
                Feed::Input(first) => {
                    input = first;
                    None
                }
            };
        }
        parts.reverse();
        (input, parts)
    }

    /// Frames of the result for `count` frames of the input that they belong to, which is the chain's own unless the chain
    /// goes on from another.
    pub fn frames(&self, count: u64) -> u64 {
        self.lineage().1.iter().fold(count, |count, part| part.cycle.first_of(count))
    }

    /// The first frame of the chain's own input, from `index` on, that frames of the result belong to: chains that drop or join
    /// frames have none of some. Where the chain goes on from another input, `index` itself.
    pub fn first_owner(&self, index: u64) -> u64 {
        match self.lineage() {
            (0, parts) => parts.iter().rev().fold(self.frames(index), |n, part| part.cycle.owner(n)),
            _ => index,
        }
    }

    /// The filter that lacks frames at the end of a film of `count` frames, for the last of those that it joins: another stands in.
    pub fn unfinished(&self, mut count: u64) -> Option<&'static str> {
        let (0, parts) = self.lineage() else { return None };
        for Part { stages, inputs, cycle } in parts {
            if cycle.input() > 1 && inputs[0].reach.after > 0 && !count.is_multiple_of(cycle.input()) {
                return stages.last().map(|last| self.stages[*last].filter.descriptor().name);
            }
            count = cycle.first_of(count);
        }
        None
    }

    /// How many frames of the result as many frames of its input give, in lowest terms: (2, 1) is twice as many.
    pub fn rate(&self) -> (u64, u64) {
        let product = |(num, den): (u64, u64), part: &&Part| (num * part.cycle.output(), den * part.cycle.input());
        let (num, den) = self.lineage().1.iter().fold((1, 1), product);
        let common = super::plan::gcd(num, den);
        (num / common, den / common)
    }

    /// True when frame n of the result belongs to frame n of the chain's own input.
    pub fn keeps_frames(&self) -> bool {
        let (input, parts) = self.lineage();
        input == 0 && parts.iter().all(|part| part.cycle.is_one())
    }

    /// True when frame n of the result is made of frame n of the chain's own input, and of no other.
    pub fn is_frame_by_frame(&self) -> bool {
        let mut read = self.parts.iter().flat_map(|part| &part.inputs);
        self.keeps_frames() && self.sides.is_empty() && read.all(|input| input.reach == Reach::NONE)
    }

    /// A plan for each part, in order. Its inputs are those of the part; results of parts before it come as these store
    /// them. A plan without parts is its only one.
    pub fn split(mut self) -> Vec<ChainPlan> {
        if self.parts.len() < 2 {
            return vec![self];
        }
        let mut stages: Vec<Option<Stage>> = std::mem::take(&mut self.stages).into_iter().map(Some).collect();
        // Before the stages are taken, since each part asks those before it.
        let results: Vec<StreamInfo> = self.parts.iter().map(|part| stored(part, &stages)).collect();
        let ends: Vec<usize> = self.parts.iter().filter_map(|part| part.stages.last().copied()).collect();
        let plan = |(at, part): (usize, &Part)| {
            let stream = |input: &PartInput| match input.feed {
                Feed::Input(input) => self.stream(input).clone(),
                Feed::Part(before) => results[before].clone(),
            };
            let feed = |operand: Operand| match operand {
                Operand::Input(input) => Feed::Input(input),
                Operand::Stage(stage) => Feed::Part(ends.binary_search(&stage).unwrap_or(at)),
            };
            let place = |operand: &Operand| match part.inputs.iter().position(|input| input.feed == feed(*operand)) {
                Some(input) => Operand::Input(input),
                None => match operand {
                    Operand::Stage(stage) => Operand::Stage(part.stages.partition_point(|own| own < stage)),
                    Operand::Input(input) => Operand::Input(*input),
                },
            };
            let own = |stage: &usize| {
                let mut stage = stages[*stage].take()?;
                stage.operands = stage.operands.iter().map(place).collect();
                Some(stage)
            };
            let own: Vec<Stage> = part.stages.iter().filter_map(own).collect();
            let inputs = part.inputs.iter().enumerate();
            let inputs = inputs.map(|(i, input)| PartInput { feed: Feed::Input(i), ..*input }).collect();
            let whole = Part { stages: (0..own.len()).collect(), inputs, cycle: part.cycle.clone() };
            let side = |input: &PartInput| SideInput { name: String::new(), info: stream(input) };
            ChainPlan {
                input: stream(&part.inputs[0]),
                sides: part.inputs[1..].iter().map(side).collect(),
                output: results[at].clone(),
                stages: own,
                parts: vec![whole],
                skipped: Vec::new(),
                fitted: Vec::new(),
                resident: false,
                stays: false,
            }
        };
        self.parts.iter().enumerate().map(plan).collect()
    }
}

/// The stream that `part` gives, in the format that its pictures have.
fn stored(part: &Part, stages: &[Option<Stage>]) -> StreamInfo {
    let last = part.stages.last().and_then(|last| stages[*last].as_ref());
    let last = last.expect("a part has stages, which are there until they are taken");
    StreamInfo { format: last.setup.dst, ..last.spec.output.clone() }
}
