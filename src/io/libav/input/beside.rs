//! An input beside others: tracks that are added to it, and the clock that it shares with another.

use super::{Input, Phase};
use crate::error::Result;
use crate::io::libav::Chapter;
use crate::io::libav::demux::{chapters, demuxer};
use crate::io::libav::encode::timebase::rescale;
use crate::video::Rational;

const MICROSECOND: Rational = Rational::new(1, 1_000_000);

impl Input {
    /// Where the film's time 0 lies on the container's clock, in microseconds.
    fn film_start(&self) -> i64 {
        demuxer::film_start(self.reader.demuxer())
    }

    /// Has frames be shown as long after the start of `other` as they are after their own, on its clock: for inputs whose
    /// frames are matched by time.
    pub fn align_to(&mut self, other: &Input) {
        let (unit, theirs) = (self.info.timebase, other.info.timebase);
        // Starts are times of packets, which microseconds round.
        let start = rescale(self.film_start(), MICROSECOND, unit);
        let target = rescale(other.film_start(), MICROSECOND, theirs);
        self.shift = floor(target, theirs, unit).saturating_sub(start);
    }

    /// Replaces the chapters by `list`, whose times count from the film's start, and cuts them to the window.
    pub fn replace_chapters(&mut self, mut list: Vec<Chapter>) {
        for chapter in &mut list {
            let start = rescale(self.film_start(), MICROSECOND, chapter.timebase);
            chapter.start = chapter.start.saturating_add(start);
            chapter.end = chapter.end.saturating_add(start);
        }
        chapters::cut(&mut list, &self.window, self.reader.origin(), self.info.frame_rate);
        self.container.chapters = list;
    }

    /// Hands on what is added and shown until `time`.
    pub(super) fn add_until(&mut self, time: i64) -> Result<()> {
        while let Some((span, packet)) = self.added.next(time)? {
            // Whatever part of the film is skipped, nothing of it waits here.
            if !self.trim.is_before(span, self.time) {
                self.trim.packet(span, packet, &mut self.ready);
            }
        }
        Ok(())
    }

    /// Hands on what of an added track lies behind the end of the source, up to the window's end.
    pub(super) fn next_added(&mut self) -> Result<()> {
        let (_, until) = self.window.span(self.info.frame_rate);
        match self.added.next(until.map_or(i64::MAX, |until| until - 1))? {
            Some((span, packet)) => {
                self.trim.packet(span, packet, &mut self.ready);
                self.trim.finish(&mut self.ready);
            }
            None => self.phase = Phase::Over,
        }
        Ok(())
    }
}

/// `ticks` of `from` as ticks of `to`, rounded down: a frame that is shown at a time has begun by then.
fn floor(ticks: i64, from: Rational, to: Rational) -> i64 {
    let ticks = i128::from(ticks) * i128::from(from.num) * i128::from(to.den);
    let unit = i128::from(from.den.max(1)) * i128::from(to.num.max(1));
    i64::try_from(ticks.div_euclid(unit)).unwrap_or(0)
}
