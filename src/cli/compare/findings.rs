//! What a comparison finds, as its reports need it.

use crate::cli::alpha;
use crate::cli::compare::args::{Align, CompareArgs};
use crate::cli::compare::banding::BandingTotals;
use crate::cli::compare::beside::OtherDifference;
use crate::cli::compare::moved::Hint;
use crate::cli::compare::pairs::FrameLabel;
use crate::cli::compare::video::Video;
use crate::compare::{Fault, FrameDifference, Side, Tolerance, Totals};
use crate::video::{Format, StreamInfo};
use std::ops::RangeInclusive;

/// What is compared, and how.
pub struct Subject {
    /// The videos' names.
    pub names: [String; 2],
    /// Their streams as they are compared.
    pub infos: [StreamInfo; 2],
    /// The words for their filters, empty without any.
    pub chains: [String; 2],
    /// Which of them has alpha, which is not compared.
    pub alpha_ignored: [bool; 2],
    /// What pairs frames.
    pub align: Align,
    /// What must hold.
    pub tolerance: Option<Tolerance>,
    /// Whether their banding is measured.
    pub banding: bool,
}

impl Subject {
    /// Describes the comparison of `videos`.
    pub fn new(args: &CompareArgs, videos: &[Video; 2]) -> Subject {
        Subject {
            names: [0, 1].map(|i| videos[i].name.clone()),
            infos: [0, 1].map(|i| videos[i].info().clone()),
            chains: [&args.chain_a, &args.chain_b].map(|chains| chains.join(",")),
            alpha_ignored: [0, 1].map(|i| videos[i].alpha_ignored),
            align: args.align,
            tolerance: args.tolerance,
            banding: args.banding,
        }
    }

    /// What every verdict ends in where alpha was ignored.
    pub fn remark(&self) -> &'static str {
        alpha::remark(self.alpha_ignored.contains(&true))
    }

    /// Bits of the samples that are compared.
    pub fn bit_depth(&self) -> u8 {
        self.format().bit_depth()
    }

    /// The names of the planes.
    pub fn planes(&self) -> &'static [&'static str] {
        self.format().component_names()
    }

    fn format(&self) -> Format {
        self.infos[0].format
    }
}

/// Two frames that belong together, measured.
pub struct MeasuredPair {
    /// The frame of A.
    pub a: FrameLabel,
    /// The frame of B.
    pub b: FrameLabel,
    /// B's time less A's, in seconds.
    pub apart: Option<f64>,
    /// How far apart their samples are.
    pub difference: FrameDifference,
    /// What breaks the tolerance.
    pub fault: Option<Fault>,
    /// The banding of both, where it is asked for.
    pub banding: Option<[f64; 2]>,
}

/// Numbers of frames, as ranges.
#[derive(Default)]
pub struct Runs(pub Vec<RangeInclusive<u64>>);

impl Runs {
    /// Adds a frame after all others.
    fn add(&mut self, frame: u64) {
        match self.0.last_mut() {
            Some(last) if last.end() + 1 == frame => *last = *last.start()..=frame,
            _ => self.0.push(frame..=frame),
        }
    }

    /// How many frames there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|run| run.end() - run.start() + 1).sum()
    }
}

/// What was found.
pub struct Findings {
    /// The metrics of all pairs.
    pub totals: Totals,
    /// Frames of A that B lacks, and frames of B that A lacks.
    pub alone: [Runs; 2],
    /// The banding of each video.
    pub banding: [BandingTotals; 2],
    /// The first pair that differs.
    pub first: Option<(FrameLabel, FrameDifference)>,
    /// Pairs beyond the tolerance.
    pub faults: u64,
    /// The first of them.
    pub first_fault: Option<(FrameLabel, Fault)>,
    /// The furthest that the times of a pair are apart, in seconds.
    pub apart: f64,
    /// How much later the first pair's frame of B is shown, in seconds, by what the files say.
    pub lead: Option<f64>,
    /// What differs besides the frames.
    pub asides: Vec<OtherDifference>,
    /// What would pair frames that look alike.
    pub hint: Option<Hint>,
}

impl Findings {
    /// Nothing yet, of frames of `planes` planes.
    pub fn new(planes: usize) -> Findings {
        Findings {
            totals: Totals::new(planes),
            alone: Default::default(),
            banding: Default::default(),
            first: None,
            faults: 0,
            first_fault: None,
            apart: 0.0,
            lead: None,
            asides: Vec::new(),
            hint: None,
        }
    }

    /// Adds a pair.
    pub fn pair(&mut self, pair: &MeasuredPair) {
        if self.totals.pairs == 0 {
            self.lead = pair.b.time.zip(pair.a.time).map(|(b, a)| b - a);
        }
        self.totals.add(pair.a.index, &pair.difference);
        for (video, index) in self.banding.iter_mut().zip(pair.banding.into_iter().flatten()) {
            video.add(pair.a.index, index);
        }
        if self.first.is_none() && !pair.difference.is_none() {
            self.first = Some((pair.a, pair.difference.clone()));
        }
        self.faults += u64::from(pair.fault.is_some());
        self.first_fault = self.first_fault.or(pair.fault.map(|fault| (pair.a, fault)));
        self.apart = self.apart.max(pair.apart.map_or(0.0, f64::abs));
    }

    /// Adds a frame of `side` that the other lacks.
    pub fn alone(&mut self, side: Side, frame: u64) {
        self.alone[side as usize].add(frame);
    }

    /// Frames that one side lacks.
    pub fn missing(&self) -> u64 {
        self.alone.iter().map(Runs::count).sum()
    }

    /// Whether all is within a tolerance.
    pub fn passes(&self) -> bool {
        let asides = self.asides.iter().any(|aside| aside.is_beyond);
        self.faults == 0 && self.missing() == 0 && self.totals.pairs > 0 && !asides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_a_row_are_one_run() {
        let mut runs = Runs::default();
        [0, 1, 2, 5, 7, 8].into_iter().for_each(|frame| runs.add(frame));
        assert_eq!((runs.count(), runs.0), (6, vec![0..=2, 5..=5, 7..=8]));
    }
}
