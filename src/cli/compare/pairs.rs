//! The frames of both videos, paired as they are read.

use crate::cli::compare::args::TimeOffset;
use crate::cli::compare::video::{Video, VideoEvent};
use crate::compare::{Aligner, Clocks, Rule, Side, Stamp, Step};
use crate::error::{Error, Result};
use crate::pipeline::Frame;
use crate::video::{FrameProps, Rational};
use crossbeam_channel::Receiver;

/// A frame as reports name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLabel {
    /// Its number in its video.
    pub index: u64,
    /// Its time in the stream's units.
    pub pts: Option<i64>,
    /// The same in seconds.
    pub time: Option<f64>,
}

impl FrameLabel {
    /// Describes a frame of a stream whose times are counted in `timebase`.
    pub fn new(props: &FrameProps, timebase: Rational) -> FrameLabel {
        FrameLabel { index: props.frame_index, pts: props.pts, time: props.seconds(timebase) }
    }
}

/// The frames of both videos, paired.
pub struct Pairs {
    aligner: Aligner<Frame>,
    rule: Rule,
    clocks: Option<Clocks>,
    names: [String; 2],
    events: [Receiver<VideoEvent>; 2],
    /// What was lost of each video.
    damage: Vec<Error>,
}

impl Pairs {
    /// Pairs by `rule` what `videos` send to `events`; B is shown later by `offset`.
    ///
    /// # Errors
    /// When times are to be compared that have no unit.
    pub fn new(
        rule: Rule,
        offset: Option<TimeOffset>,
        videos: &[Video; 2],
        events: [Receiver<VideoEvent>; 2],
    ) -> Result<Pairs> {
        let (seconds, aligner) = match offset {
            Some(TimeOffset::Seconds(seconds)) => (seconds, Aligner::new(rule)),
            Some(TimeOffset::Frames(frames)) => (0.0, Aligner::shifted(frames)),
            None => (0.0, Aligner::new(rule)),
        };
        let unit = |video: &Video| (video.info().timebase.num, video.info().timebase.den);
        let clocks = Clocks::new(unit(&videos[0]), unit(&videos[1]), seconds);
        if rule == Rule::Time && clocks.is_none() {
            return Err(Error::unsupported("the videos' times have no common unit (--align index pairs by order)"));
        }
        let names = [0, 1].map(|i| videos[i].name.clone());
        Ok(Pairs { aligner, rule, clocks, names, events, damage: Vec::new() })
    }

    /// The next step, which is never [`Step::Need`].
    ///
    /// # Errors
    /// When a video fails, or a frame that must have a time has none.
    pub fn next(&mut self) -> Result<Step<Frame>> {
        loop {
            match self.aligner.step() {
                Step::Need(side) => self.take(side)?,
                step => return Ok(step),
            }
        }
    }

    fn take(&mut self, side: Side) -> Result<()> {
        match self.events[side as usize].recv() {
            Ok(VideoEvent::Frame(frame)) => {
                let stamp = self.stamp(side, &frame.props)?;
                self.aligner.push(side, stamp, frame);
            }
            Ok(VideoEvent::End(ended)) => {
                self.damage.extend(ended?);
                self.aligner.end(side);
            }
            Err(_) => return Err(Error::internal("a video's thread ended without a word")),
        }
        Ok(())
    }

    fn stamp(&self, side: Side, props: &FrameProps) -> Result<Stamp> {
        let stamp = |pts| self.clocks.map(|clocks| clocks.stamp(side, pts, props.duration));
        match (props.pts.and_then(stamp), self.rule) {
            (Some(stamp), _) => Ok(stamp),
            (None, Rule::Order) => Ok(Stamp { at: 0, length: None }),
            (None, Rule::Time) => Err(Error::unsupported(format!(
                "{}: frame {} states no time: --align index pairs frames by their order",
                self.names[side as usize], props.frame_index
            ))),
        }
    }

    /// How far apart the times of a pair are, in seconds, B's less A's.
    pub fn apart(&self, a: Stamp, b: Stamp) -> Option<f64> {
        self.clocks.map(|clocks| clocks.seconds(b.at - a.at))
    }

    /// After the end: what the videos lost.
    pub fn into_damage(self) -> Vec<Error> {
        self.damage
    }
}
