//! Which frames of two streams belong together, decided while they are read, with one frame of look-ahead.

use std::collections::VecDeque;

/// One of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// How frames are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Those whose times are no further apart than half of the shorter frame.
    Time,
    /// The nth with the nth.
    Order,
}

/// When a frame is shown, in ticks that both streams share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its time.
    pub at: i128,
    /// How long it is shown, where that is stated.
    pub length: Option<i128>,
}

/// Turns the times of two streams into ticks of one length, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Ticks a second.
    rate: i64,
    /// Ticks in a unit of each stream's time.
    scale: [i64; 2],
    /// Added to every time of the second stream.
    offset: i128,
}

impl Clocks {
    /// For streams whose times are counted in `a` and `b` (numerator and denominator of a second), the second shown
    /// `offset` seconds later than it says. `None` when a unit is no positive number.
    pub fn new(a: (i32, i32), b: (i32, i32), offset: f64) -> Option<Clocks> {
        let [(num_a, den_a), (num_b, den_b)] = [a, b].map(|(num, den)| (i64::from(num), i64::from(den)));
        if [num_a, den_a, num_b, den_b].into_iter().any(|part| part <= 0) {
            return None;
        }
        let rate = den_a / greatest_common_divisor(den_a, den_b) * den_b;
        let scale = [num_a.checked_mul(rate / den_a)?, num_b.checked_mul(rate / den_b)?];
        Some(Clocks { rate, scale, offset: (offset * rate as f64).round() as i128 })
    }

    /// The stamp of a frame of `side` at `pts` that lasts `duration` (0 and less: not stated), in its stream's units.
    pub fn stamp(&self, side: Side, pts: i64, duration: i64) -> Stamp {
        let (scale, offset) = match side {
            Side::A => (self.scale[0], 0),
            Side::B => (self.scale[1], self.offset),
        };
        let length = (duration > 0).then(|| i128::from(duration) * i128::from(scale));
        Stamp { at: i128::from(pts) * i128::from(scale) + offset, length }
    }

    /// Ticks in seconds.
    pub fn seconds(&self, ticks: i128) -> f64 {
        ticks as f64 / self.rate as f64
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The next step of an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// These belong together.
    Pair((Stamp, T), (Stamp, T)),
    /// This frame of the stream is in no pair.
    Alone(Side, T),
    /// First the next frame of this stream is needed, or word that there is none.
    Need(Side),
    /// Every frame was in a step.
    End,
}

/// A stream's frames that are in no step yet.
struct Waiting<T> {
    frames: VecDeque<(Stamp, T)>,
    /// When the newest frame is shown, and how long after the one before.
    newest: Option<i128>,
    gap: Option<i128>,
    ended: bool,
}

impl<T> Waiting<T> {
    fn new() -> Self {
        Waiting { frames: VecDeque::new(), newest: None, gap: None, ended: false }
    }

    fn needs(&self, foresight: usize) -> bool {
        !self.ended && self.frames.len() <= foresight
    }

    /// When the first is shown, and for how long: until the next, or as stated where that is shorter.
    fn first(&self) -> Option<(i128, i128)> {
        let (stamp, _) = self.frames.front()?;
        let until_next = self.frames.get(1).map(|(next, _)| next.at - stamp.at).filter(|gap| *gap > 0);
        // The last of a stream that states no durations is shown as long as the one before.
        let length = until_next.into_iter().chain(stamp.length).min().or(self.gap).unwrap_or(0);
        Some((stamp.at, length))
    }
}

/// Pairs the frames of two streams. At most two of each wait.
pub struct Aligner<T> {
    rule: Rule,
    /// The stream whose first frames are in no pair, and how many are left of them.
    ahead: (Side, u64),
    a: Waiting<T>,
    b: Waiting<T>,
}

impl<T> Aligner<T> {
    /// Pairs by `rule`.
    pub fn new(rule: Rule) -> Aligner<T> {
        Aligner { rule, ahead: (Side::A, 0), a: Waiting::new(), b: Waiting::new() }
    }

    /// Pairs by order, the frames of the second stream `later` places later.
    pub fn shifted(later: i64) -> Aligner<T> {
        let ahead = (if later < 0 { Side::B } else { Side::A }, later.unsigned_abs());
        Aligner { ahead, ..Aligner::new(Rule::Order) }
    }

    /// The next frame of `side`.
    pub fn push(&mut self, side: Side, stamp: Stamp, frame: T) {
        let side = self.of(side);
        side.gap = side.newest.map(|newest| stamp.at - newest).filter(|gap| *gap > 0);
        side.newest = Some(stamp.at);
        side.frames.push_back((stamp, frame));
    }

    /// `side` has no more frames.
    pub fn end(&mut self, side: Side) {
        self.of(side).ended = true;
    }

    fn of(&mut self, side: Side) -> &mut Waiting<T> {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }

    /// The next step. Every frame is in one step that is not [`Step::Need`], and each stream's are in order.
    pub fn step(&mut self) -> Step<T> {
        let foresight = match self.rule {
            Rule::Time => 1,
            Rule::Order => 0,
        };
        if self.a.needs(foresight) {
            return Step::Need(Side::A);
        }
        if self.b.needs(foresight) {
            return Step::Need(Side::B);
        }
        let alone = match (self.a.first(), self.b.first()) {
            (Some(_), Some(_)) if self.ahead.1 > 0 => {
                self.ahead.1 -= 1;
                Some(self.ahead.0)
            }
            (Some(a), Some(b)) => self.rule.alone(a, b),
            (Some(_), None) => Some(Side::A),
            (None, _) => Some(Side::B),
        };
        let step = match alone {
            Some(side) => self.of(side).frames.pop_front().map(|(_, frame)| Step::Alone(side, frame)),
            None => self.a.frames.pop_front().zip(self.b.frames.pop_front()).map(|(a, b)| Step::Pair(a, b)),
        };
        step.unwrap_or(Step::End)
    }
}

impl Rule {
    /// Which of two frames, each given as its time and length, is in no pair; `None` when the two are one.
    fn alone(self, (a, length_a): (i128, i128), (b, length_b): (i128, i128)) -> Option<Side> {
        match self {
            Rule::Order => None,
            Rule::Time if 2 * (a - b).abs() <= length_a.min(length_b) => None,
            Rule::Time if a < b => Some(Side::A),
            Rule::Time => Some(Side::B),
        }
    }
}

#[cfg(test)]
mod tests;
