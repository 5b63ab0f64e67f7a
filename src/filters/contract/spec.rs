//! What a filter does to streams: which frames it reads, and what they become.

use crate::video::StreamInfo;

/// Frames of one input that a filter reads around the one it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Reach {
    /// Frames before it.
    pub before: u32,
    /// Frames after it.
    pub after: u32,
}

impl Reach {
    /// The frame itself and no other.
    pub const NONE: Reach = Reach { before: 0, after: 0 };

    /// Frames that it spans, the one in the middle included.
    pub fn frames(self) -> usize {
        self.before as usize + 1 + self.after as usize
    }

    /// The smallest reach that covers this one and `other`.
    pub fn cover(self, other: Reach) -> Reach {
        Reach { before: self.before.max(other.before), after: self.after.max(other.after) }
    }
}

/// Where a component of the result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The filter computes it.
    Computed,
    /// It is a component of an input, unchanged. A chain may then leave it where it is stored: the kernel finds a target
    /// of no rows, and writes nothing.
    Same {
        /// The input, from 0.
        input: usize,
        /// Its component.
        component: usize,
    },
}

/// How frames out follow from frames in: a pattern that repeats, counted from the first frame of the stream, so that
/// each frame of the result is known without the frames before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    input: u32,
    owners: Vec<u32>,
}

impl Cycle {
    /// One frame out for each frame in.
    pub fn one() -> Cycle {
        Cycle { input: 1, owners: vec![0] }
    }

    /// Every `input` frames give one frame for each of `owners`, which names the frame of the cycle that it belongs to:
    /// `(1, [0, 0])` doubles the rate, `(2, [0])` halves it, `(5, [0, 1, 2, 4])` drops one of five.
    ///
    /// # Panics
    /// When `owners` is empty, not in rising order, or names a frame outside the cycle.
    pub fn new(input: u32, owners: Vec<u32>) -> Cycle {
        assert!(owners.is_sorted() && owners.last().is_some_and(|last| *last < input), "{owners:?} of {input}");
        Cycle { input, owners }
    }

    /// True for one frame out for each frame in.
    pub fn is_one(&self) -> bool {
        self.input == 1 && self.owners == [0]
    }

    /// Frames in of one cycle.
    pub fn input(&self) -> u64 {
        self.input.into()
    }

    /// Frames out of one cycle.
    pub fn output(&self) -> u64 {
        self.owners.len() as u64
    }

    /// The input frame that output frame `n` belongs to. Reaches count from it.
    pub fn owner(&self, n: u64) -> u64 {
        n / self.output() * self.input() + u64::from(self.owners[self.phase(n)])
    }

    /// The place of output frame `n` in its cycle.
    pub fn phase(&self, n: u64) -> usize {
        (n % self.output()) as usize
    }

    /// The first output frame that belongs to input frame `m` or a later one. For the length of a stream it is the length
    /// of the result.
    pub fn first_of(&self, m: u64) -> u64 {
        let within = self.owners.partition_point(|owner| u64::from(*owner) < m % self.input());
        m / self.input() * self.output() + within as u64
    }

    /// The most output frames that belong to one input frame.
    pub fn most_alike(&self) -> u64 {
        self.owners.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(1) as u64
    }
}

/// What a filter with its parameters set does to streams. It is asked once, when the chain is planned, and is the only
/// place that refuses a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The stream that it gives. Size, format, colour, sample aspect ratio and field order may differ from the input's.
    /// Timebase and frame rate are the input's: the runner works out what `cycle` makes of them.
    pub output: StreamInfo,
    /// What it reads of each input; the first is the chain's own.
    pub reads: Vec<Reach>,
    /// How many frames it makes.
    pub cycle: Cycle,
    /// Where each component of the result comes from.
    pub origins: Vec<Origin>,
    /// The depth it rounds its input to, when it does nothing else: the stage before can do that while it stores.
    pub rounds_to: Option<u8>,
    /// It measures: frames get a record from it.
    pub measures: bool,
}

impl Spec {
    /// A filter of one input that computes every sample of `output` from the frame itself.
    pub fn computed(output: StreamInfo) -> Spec {
        let origins = vec![Origin::Computed; output.format.components()];
        Spec { output, reads: vec![Reach::NONE], cycle: Cycle::one(), origins, rounds_to: None, measures: false }
    }

    /// The same with components that are the first input's where `copies` says so.
    pub fn copying(output: StreamInfo, copies: impl Fn(usize) -> bool) -> Spec {
        let mut spec = Spec::computed(output);
        for (component, origin) in spec.origins.iter_mut().enumerate() {
            if copies(component) {
                *origin = Origin::Same { input: 0, component };
            }
        }
        spec
    }

    /// The same with another reach of the first input.
    #[must_use]
    pub fn reading(mut self, reach: Reach) -> Spec {
        self.reads[0] = reach;
        self
    }

    /// True when `component` of the result is the same of the first input.
    pub fn copies(&self, component: usize) -> bool {
        self.origins[component] == Origin::Same { input: 0, component }
    }

    /// True when no sample and no number of frames changes, so that a chain may leave the filter out.
    pub fn is_identity(&self, input: &StreamInfo) -> bool {
        let shape = |info: &StreamInfo| {
            let format = info.format;
            (info.width, info.height, format.model(), format.subsampling_w(), format.subsampling_h())
        };
        let copies_all = (0..self.origins.len()).all(|component| self.copies(component));
        copies_all && self.cycle.is_one() && !self.measures && shape(&self.output) == shape(input)
    }
}

/// Pictures that a filter reads besides the chain's own, and what becomes of the chain's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// It reads the chain's picture and those with these names, in this order: inputs of the command, or earlier points of
    /// the chain that `keep` named.
    Reads(Vec<String>),
    /// It names the chain's picture.
    Keep(String),
    /// The chain goes on from the picture of this name.
    Use(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_a_cycle_belong_to_frames_of_the_input() {
        let owners = |cycle: &Cycle| (0..8).map(|n| cycle.owner(n)).collect::<Vec<_>>();
        assert_eq!(owners(&Cycle::one()), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(owners(&Cycle::new(1, vec![0, 0])), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(owners(&Cycle::new(2, vec![0])), [0, 2, 4, 6, 8, 10, 12, 14]);
        assert_eq!(owners(&Cycle::new(5, vec![0, 1, 2, 4])), [0, 1, 2, 4, 5, 6, 7, 9]);
    }

    #[test]
    fn the_first_frame_that_belongs_to_a_frame_or_a_later_one_is_found() {
        for cycle in [Cycle::one(), Cycle::new(1, vec![0, 0]), Cycle::new(2, vec![0]), Cycle::new(5, vec![1, 1, 4])] {
            for m in 0..20 {
                let want = (0..).find(|n| cycle.owner(*n) >= m).unwrap();
                assert_eq!(cycle.first_of(m), want, "{cycle:?}, frame {m}");
            }
        }
    }
}
