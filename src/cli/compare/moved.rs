//! A hint for videos that show the same frames, but not at the times or places at which they are compared.

use crate::cli::compare::args::{Align, TimeOffset};
use crate::cli::compare::pairs::FrameLabel;
use crate::compare::{Shifts, Side};
use crate::video::Picture;
use std::fmt;

/// Where the videos look alike.
#[derive(Debug, PartialEq)]
pub struct Hint {
    /// A frame of A, and the one of B that looks like it.
    pub frames: [FrameLabel; 2],
    /// The options that pair them, and what follows, as a shell takes them.
    pub options: String,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.frames;
        write!(
            f,
            "frame {} of A and those after it look like B's from frame {} on: try {}",
            a.index, b.index, self.options
        )
    }
}

/// The first frames of both videos.
#[derive(Default)]
pub struct MovedFrames {
    shifts: Shifts,
    frames: [Vec<FrameLabel>; 2],
}

impl MovedFrames {
    /// Takes in a pair.
    pub fn pair(&mut self, a: (FrameLabel, &Picture), b: (FrameLabel, &Picture)) {
        if let (Some(a), Some(b)) = (self.add(Side::A, a), self.add(Side::B, b)) {
            self.shifts.pair(a, b);
        }
    }

    /// Takes in a frame of `side`, and gives its place among those that are looked at.
    pub fn add(&mut self, side: Side, (shown, picture): (FrameLabel, &Picture)) -> Option<usize> {
        let place = self.shifts.add(side, &picture.planes()[0])?;
        self.frames[side as usize].push(shown);
        Some(place)
    }

    /// What would pair frames that look alike, where those paired by `align` do not.
    pub fn hint(&self, align: Align) -> Option<Hint> {
        let later = self.shifts.found()?;
        let [ahead, behind] = [later.max(0), (-later).max(0)].map(|places| places as usize);
        let alike = || self.frames[0][ahead..].iter().zip(&self.frames[1][behind..]);
        let (a, b) = alike().next()?;
        let between: Option<Vec<f64>> = alike().map(|(a, b)| Some(a.time? - b.time?)).collect();
        let by_order = format!("--offset '{}'", TimeOffset::Frames(later));
        let options = match (align, between.and_then(|between| constant(&between, frame_length(&self.frames[0])?))) {
            (Align::Index, _) => by_order,
            (Align::Pts, Some(seconds)) => format!("--offset {}", TimeOffset::Seconds(seconds)),
            (Align::Pts, None) => format!("--align index {by_order}"),
        };
        Some(Hint { frames: [*a, *b], options })
    }
}

/// How long a frame lasts, on average.
fn frame_length(frames: &[FrameLabel]) -> Option<f64> {
    let (first, last) = (frames.first()?.time?, frames.last()?.time?);
    (frames.len() > 1).then(|| (last - first) / (frames.len() - 1) as f64)
}

/// What `values` are, if they are no further than a quarter of a frame, which lasts `length`, to either side of it.
fn constant(values: &[f64], length: f64) -> Option<f64> {
    let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(least, most), v| (least.min(*v), most.max(*v)));
    (most - least <= length / 2.0).then_some(f64::midpoint(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_drift_have_no_constant_between() {
        assert_eq!(constant(&[1.4, 1.4, 1.4], 0.04), Some(1.4));
        assert_eq!(constant(&[0.0, 0.01, 0.02], 0.04), Some(0.01));
        assert_eq!(constant(&[0.0, 0.01, 0.03], 0.04), None);
    }

    #[test]
    fn options_are_what_the_command_takes() {
        for (text, offset) in [
            ("-0.04", TimeOffset::Seconds(-0.04)),
            ("#-3", TimeOffset::Frames(-3)),
            ("36000", TimeOffset::Seconds(36e3)),
        ] {
            assert_eq!((offset.to_string().as_str(), text.parse()), (text, Ok(offset)));
        }
        assert_eq!(TimeOffset::Seconds(1.0 / 3.0).to_string(), "0.333333");
    }
}
