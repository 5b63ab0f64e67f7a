//! Puts the frames together that each job of a plan's parts reads.
//!
//! Frames arrive in order, one input at a time, and jobs leave in the order of the result. A frame is held as long as a future
//! job may read it. What samples are is the executor's business: here they are only moved.

use crate::filters::{Change, Cycle, Reach};
use crate::pipeline::parts::{Feed, Part, PartInput};
use crate::pipeline::{ChainPlan, Stage};
use crate::video::{FrameProps, Rational, SideData};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// What to do next.
pub(super) enum Next<S> {
    /// Bring the next frame of this input, or say that it has ended.
    Need(usize),
    /// Make this frame.
    Make(Job<S>),
    /// Every frame is made.
    Done,
}

/// A frame for a part to make.
pub(super) struct Job<S> {
    /// The part.
    pub part: usize,
    /// Its place in the part's cycle.
    pub phase: usize,
    /// Properties of the frame that it is made of, which [`describe`] turns into those of the result.
    pub props: FrameProps,
    /// The frames in reach, for each of the part's inputs.
    pub inputs: Vec<Vec<S>>,
    /// The frame of the chain's own input that it belongs to, where it comes from that.
    pub source: Option<u64>,
    /// It is a frame of the chain's result.
    pub is_last: bool,
}

/// Frames of one stream that somebody may still read.
struct HeldFrames<S> {
    frames: VecDeque<(FrameProps, S)>,
    ended: bool,
    timebase: Rational,
}

impl<S> HeldFrames<S> {
    fn new(timebase: Rational) -> HeldFrames<S> {
        HeldFrames { frames: VecDeque::new(), ended: false, timebase }
    }

    fn last(&self) -> Option<u64> {
        self.frames.back().map(|(props, _)| props.frame_index)
    }

    /// Whether frame `index` has arrived, or none that follows can be nearer.
    fn reaches(&self, index: u64) -> bool {
        self.ended || self.last().is_some_and(|last| last >= index)
    }

    /// The frame nearest to `index`.
    fn nearest(&self, index: u64) -> Option<&(FrameProps, S)> {
        let after = self.frames.partition_point(|(props, _)| props.frame_index <= index);
        self.frames.get(after.saturating_sub(1))
    }

    /// Whether a frame has arrived that is shown later than `time`, or none will.
    fn reaches_time(&self, time: Moment) -> bool {
        self.ended || self.frames.back().is_some_and(|(props, _)| self.time(props) > time)
    }

    /// The index of the frame that is shown at `time`.
    fn shown_at(&self, time: Moment) -> Option<u64> {
        let after = self.frames.partition_point(|(props, _)| self.time(props) <= time);
        self.frames.get(after.saturating_sub(1)).map(|(props, _)| props.frame_index)
    }

    fn time(&self, props: &FrameProps) -> Moment {
        Moment::of(props, self.timebase)
    }
}

/// A time that compares exactly with times of other timebases.
#[derive(Clone, Copy, Debug)]
struct Moment {
    num: i128,
    den: i128,
}

impl Moment {
    /// When a frame is shown. Frames without times are counted.
    fn of(props: &FrameProps, timebase: Rational) -> Moment {
        match props.pts {
            Some(pts) => {
                Moment { num: i128::from(pts) * i128::from(timebase.num), den: i128::from(timebase.den.max(1)) }
            }
            None => Moment { num: i128::from(props.frame_index), den: 1 },
        }
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Moment) -> bool {
        self.num * other.den == other.num * self.den
    }
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Moment) -> Option<std::cmp::Ordering> {
        (self.num * other.den).partial_cmp(&(other.num * self.den))
    }
}

/// A part at work.
struct Worker<S> {
    inputs: Vec<PartInput>,
    cycle: Cycle,
    /// The frame that it makes next, once that is known.
    next: Option<u64>,
    /// It has made one.
    started: bool,
    /// For each input the first frame that it may still read.
    low: Vec<u64>,
    /// For each input the frame in the middle of those that are read next.
    centres: Vec<u64>,
    /// Where jobs that are done held their frames.
    spare: Vec<Vec<Vec<S>>>,
}

/// The frames of a run that are in a plan's parts.
pub(super) struct Assembler<S> {
    inputs: Vec<HeldFrames<S>>,
    results: Vec<HeldFrames<S>>,
    workers: Vec<Worker<S>>,
    /// The first and the last frame of the chain's own input that are not there for others alone.
    kept: Option<(u64, u64)>,
}

impl<S: Clone> Assembler<S> {
    /// For `plan`, which has parts.
    pub fn new(plan: &ChainPlan) -> Assembler<S> {
        let worker = |part: &Part| Worker {
            inputs: part.inputs.clone(),
            cycle: part.cycle.clone(),
            next: None,
            started: false,
            low: vec![0; part.inputs.len()],
            centres: vec![0; part.inputs.len()],
            spare: Vec::new(),
        };
        let result = |part: &Part| HeldFrames::new(part.info(plan).timebase);
        Assembler {
            inputs: (0..=plan.sides.len()).map(|input| HeldFrames::new(plan.stream(input).timebase)).collect(),
            results: plan.parts.iter().map(result).collect(),
            workers: plan.parts.iter().map(worker).collect(),
            kept: None,
        }
    }

    /// Begins anew, to make frame `n` of the result of what is pushed before [`Assembler::next`] is called, and no other.
    pub fn begin_one(&mut self, n: u64) {
        for track in self.inputs.iter_mut().chain(&mut self.results) {
            track.frames.clear();
            track.ended = false;
        }
        self.inputs.iter_mut().for_each(|track| track.ended = true);
        for worker in &mut self.workers {
            (worker.next, worker.started) = (None, false);
            worker.low.fill(0);
        }
        if let Some(last) = self.workers.last_mut() {
            last.next = Some(n);
        }
        self.kept = None;
    }

    /// Takes the next frame of `input`.
    pub fn push(&mut self, input: usize, props: FrameProps, samples: S) {
        if input == 0 && !props.context {
            let first = self.kept.map_or(props.frame_index, |(first, _)| first);
            self.kept = Some((first, props.frame_index));
        }
        self.inputs[input].frames.push_back((props, samples));
    }

    /// Notes that `input` has no more frames.
    pub fn end(&mut self, input: usize) {
        self.inputs[input].ended = true;
    }

    /// Takes what `job`, not one of the last part, has made. Its properties are those of the result.
    pub fn push_result(&mut self, job: Job<S>, samples: S) {
        let (part, props) = (job.part, self.release(job));
        self.results[part].frames.push_back((props, samples));
        self.let_go();
    }

    /// Releases the frames of a job that is done. Gives its properties, which are those of the result.
    pub fn release(&mut self, job: Job<S>) -> FrameProps {
        let Job { part, props, mut inputs, .. } = job;
        inputs.iter_mut().for_each(Vec::clear);
        self.workers[part].spare.push(inputs);
        props
    }

    /// What to do next.
    pub fn next(&mut self) -> Next<S> {
        let last = self.workers.len() - 1;
        loop {
            match self.work(last, 0) {
                Some(next) => return next,
                None => continue,
            }
        }
    }

    fn track(&self, feed: Feed) -> &HeldFrames<S> {
        match feed {
            Feed::Input(input) => &self.inputs[input],
            Feed::Part(part) => &self.results[part],
        }
    }

    /// The first frame that there can be of `feed`; `Err`: the input that must come first.
    fn first(&self, feed: Feed) -> Result<Option<u64>, usize> {
        match feed {
            Feed::Input(input) => match (self.inputs[input].frames.front(), self.inputs[input].ended) {
                (Some((props, _)), _) => Ok(Some(props.frame_index)),
                (None, true) => Ok(None),
                (None, false) => Err(input),
            },
            Feed::Part(part) => {
                let worker = &self.workers[part];
                Ok(self.first(worker.inputs[0].feed)?.map(|first| worker.cycle.first_of(first)))
            }
        }
    }

    /// The frame of the chain's own input that frame `n` of `part` belongs to; `None` where it comes from another.
    fn source_of(&self, part: usize, n: u64) -> Option<u64> {
        let worker = &self.workers[part];
        match worker.inputs[0].feed {
            Feed::Input(0) => Some(worker.cycle.owner(n)),
            Feed::Input(_) => None,
            Feed::Part(before) => self.source_of(before, worker.cycle.owner(n)),
        }
    }

    /// Works towards the next frame of `part`, which need not make any before `wanted`. `None`: ask again.
    fn work(&mut self, part: usize, wanted: u64) -> Option<Next<S>> {
        let is_last = part + 1 == self.workers.len();
        let n = match self.workers[part].next {
            Some(next) => next,
            None => {
                let first = match self.first(Feed::Part(part)) {
                    Ok(Some(first)) => first,
                    Ok(None) => return Some(self.over(part)),
                    Err(input) => return Some(Next::Need(input)),
                };
                let next = first.max(wanted);
                self.make_next(part, next);
                next
            }
        };
        if is_last && let Some(source) = self.source_of(part, n) {
            match self.kept {
                // What comes before is read for others alone.
                None if !self.inputs[0].ended => return Some(Next::Need(0)),
                None => return Some(Next::Done),
                Some((first, _)) if source < first => {
                    self.make_next(part, n + 1);
                    return None;
                }
                Some((_, last)) if source > last => {
                    let closed = self.inputs[0].ended || self.inputs[0].last().is_some_and(|last| last >= source);
                    return Some(if closed { Next::Done } else { Next::Need(0) });
                }
                Some(_) => {}
            }
        }
        if is_last && !self.workers[part].started {
            self.announce(part, n);
            self.let_go();
        }
        let main = self.workers[part].cycle.owner(n);
        // The time of a frame of a cycle ends where the next frame that others belong to begins.
        let next_owner = {
            let cycle = &self.workers[part].cycle;
            if cycle.is_one() { main } else { (n + 1..).map(|n| cycle.owner(n)).find(|owner| *owner > main)? }
        };
        for at in 0..self.workers[part].inputs.len() {
            let PartInput { feed, reach, by_time } = self.workers[part].inputs[at];
            let centre = if by_time {
                let own = self.workers[part].inputs[0].feed;
                let props = &self.track(own).nearest(main)?.0;
                let time = self.track(own).time(props);
                if !self.track(feed).reaches_time(time) {
                    return self.fetch(feed, 0);
                }
                match self.track(feed).shown_at(time) {
                    Some(shown) => shown,
                    None => return Some(self.over(part)),
                }
            } else {
                main
            };
            let least = centre.saturating_sub(reach.before.into());
            let most = if at == 0 {
                (centre + u64::from(reach.after)).max(next_owner)
            } else {
                centre + u64::from(reach.after)
            };
            if !self.track(feed).reaches(most) {
                return self.fetch(feed, least);
            }
            if at == 0 && self.track(feed).last().is_none_or(|last| last < centre) {
                return Some(self.over(part));
            }
            self.workers[part].centres[at] = centre;
        }
        Some(Next::Make(self.make(part, n, next_owner)?))
    }

    /// Works towards a frame of `feed`.
    fn fetch(&mut self, feed: Feed, wanted: u64) -> Option<Next<S>> {
        match feed {
            Feed::Input(input) => Some(Next::Need(input)),
            Feed::Part(part) => match self.work(part, wanted)? {
                // A stream that ends here goes on being read by others.
                Next::Done => None,
                next => Some(next),
            },
        }
    }

    /// Notes that `part` makes no more frames.
    fn over(&mut self, part: usize) -> Next<S> {
        self.results[part].ended = true;
        Next::Done
    }

    /// Frame `n` of `part`, whose inputs are at their centres.
    fn make(&mut self, part: usize, n: u64, next_owner: u64) -> Option<Job<S>> {
        let mut inputs = self.workers[part].spare.pop().unwrap_or_default();
        let worker = &self.workers[part];
        inputs.resize_with(worker.inputs.len(), Vec::new);
        for ((frames, input), centre) in inputs.iter_mut().zip(&worker.inputs).zip(&worker.centres) {
            for offset in offsets(input.reach) {
                let (_, samples) = self.track(input.feed).nearest(centre.saturating_add_signed(offset))?;
                frames.push(samples.clone());
            }
        }
        let own = self.track(worker.inputs[0].feed);
        let mut props = own.nearest(worker.centres[0])?.0.clone();
        if !worker.cycle.is_one() {
            retime(&mut props, &worker.cycle, n, (next_owner, &own.nearest(next_owner)?.0));
        }
        props.frame_index = n;
        let phase = worker.cycle.phase(n);
        let worker = &mut self.workers[part];
        for (at, input) in worker.inputs.iter().enumerate().filter(|(_, input)| input.by_time) {
            worker.low[at] = worker.centres[at].saturating_sub(input.reach.before.into());
        }
        worker.started = true;
        // Callers may number frames up to the very end.
        self.make_next(part, n.saturating_add(1));
        let source = self.source_of(part, n);
        Some(Job { part, phase, props, inputs, source, is_last: part + 1 == self.workers.len() })
    }

    /// Makes parts whose first frames are read for frame `n` of `part` begin with the earliest of these: who asks first need not
    /// ask for it.
    fn announce(&mut self, part: usize, n: u64) {
        for at in 0..self.workers[part].inputs.len() {
            let Worker { inputs, cycle, .. } = &self.workers[part];
            let PartInput { feed, reach, by_time } = inputs[at];
            let wanted = if by_time { 0 } else { cycle.owner(n).saturating_sub(reach.before.into()) };
            let (Feed::Part(read), Ok(Some(first))) = (feed, self.first(feed)) else { continue };
            if self.workers[read].started {
                continue;
            }
            let next = first.max(wanted);
            let next = self.workers[read].next.map_or(next, |known| known.min(next));
            self.set_next(read, next);
            self.announce(read, next);
        }
    }

    /// Notes that `part` makes frame `n` next, and drops what it reads no more.
    fn make_next(&mut self, part: usize, n: u64) {
        self.set_next(part, n);
        self.let_go();
    }

    fn set_next(&mut self, part: usize, n: u64) {
        let worker = &mut self.workers[part];
        worker.next = Some(n);
        let main = worker.cycle.owner(n);
        for (low, input) in worker.low.iter_mut().zip(&worker.inputs).filter(|(_, input)| !input.by_time) {
            *low = main.saturating_sub(input.reach.before.into());
        }
    }

    /// Drops frames that no later job reads.
    fn let_go(&mut self) {
        let feeds = (0..self.inputs.len()).map(Feed::Input).chain((0..self.results.len()).map(Feed::Part));
        for feed in feeds {
            let reads = |worker: &Worker<S>| {
                let low = worker.inputs.iter().zip(&worker.low).find(|(input, _)| input.feed == feed)?;
                Some(*low.1)
            };
            let Some(low) = self.workers.iter().filter_map(reads).min() else { continue };
            let track = match feed {
                Feed::Input(input) => &mut self.inputs[input],
                Feed::Part(part) => &mut self.results[part],
            };
            while track.frames.front().is_some_and(|(props, _)| props.frame_index < low) {
                track.frames.pop_front();
            }
        }
    }
}

/// The distances of the frames in reach, in order.
fn offsets(reach: Reach) -> impl Iterator<Item = i64> {
    -i64::from(reach.before)..=i64::from(reach.after)
}

/// Gives `props`, those of the frame that frame `n` of `cycle` belongs to, the time of frame `n`: frames that belong to the
/// same one share its time equally, up to that of the next frame that others belong to. `next` is its index, and the nearest
/// frame that there is.
fn retime(props: &mut FrameProps, cycle: &Cycle, n: u64, (index, next): (u64, &FrameProps)) {
    let alike = cycle.most_alike() as i64;
    let owner = cycle.owner(n);
    let place = (0..n).rev().take_while(|n| cycle.owner(*n) == owner).count() as i64;
    let count = place + (n..).take_while(|n| cycle.owner(*n) == owner).count() as i64;
    let span = match (props.pts, next.pts) {
        (Some(from), Some(to)) if next.frame_index == index && to > from => to - from,
        // The stream ends before: what is left of it.
        (Some(from), Some(to)) => to + next.duration - from,
        _ => props.duration,
    };
    let at = |place: i64| span * alike * place / count;
    props.pts = props.pts.map(|pts| pts * alike + at(place));
    props.duration = at(place + 1) - at(place);
}

/// Turns the properties of the frame that a part's frame is made of into those of the result.
pub(super) fn describe(plan: &ChainPlan, part: usize, props: &mut FrameProps) {
    for stage in plan.parts[part].stages.iter().map(|stage| &plan.stages[*stage]) {
        describe_stage(stage, props);
    }
}

fn describe_stage(stage: &Stage, props: &mut FrameProps) {
    let (before, after) = (&stage.setup.input, &stage.spec.output);
    let (from, to) = (before.color, after.color);
    if from.range != to.range {
        props.color.range = to.range;
    }
    if from.matrix != to.matrix {
        props.color.matrix = to.matrix;
    }
    if from.transfer != to.transfer {
        props.color.transfer = to.transfer;
    }
    if from.primaries != to.primaries {
        props.color.primaries = to.primaries;
    }
    if from.chroma_location != to.chroma_location {
        props.color.chroma_location = to.chroma_location;
    }
    if before.sar != after.sar {
        props.sar = after.sar;
    }
    if stage.filter.descriptor().changes.contains(&Change::Grading) {
        props.brightest = None;
        props.side_data.retain(|data| !SideData::OF_GRADING.contains(&data.kind));
    }
    stage.filter.describe(&stage.setup, props);
}
