//! The frames of an input, and the packets between them, in order.

use super::around::ContextFrames;
use super::{Input, Phase, around};
use crate::error::{Error, Kind, Result};
use crate::filters::Reach;
use crate::io::libav::decode::damage::numbered;
use crate::io::libav::demux::demuxer;
use crate::io::libav::demux::reader::HeaderContents;
use crate::io::libav::demux::trim::INTERLEAVING;
#[cfg(feature = "cuda")]
use crate::io::libav::hwaccel;
use crate::io::libav::seek::window::Side;
use crate::pipeline::{Item, Source};
use crate::video::StreamInfo;
use ffmpeg_next::frame::Video;

impl Input {
    /// Decodes one frame and makes ready what it gives.
    fn next_frame(&mut self) -> Result<()> {
        let frame = match self.first.take() {
            Some(first) => {
                self.reader.settle();
                match self.place.take() {
                    Some(place) => self.go_to(&place)?,
                    None => {
                        first.pts().into_iter().for_each(|pts| self.end_behind(0, pts));
                        self.skip(first)?
                    }
                }
            }
            None => self.reader.frame()?,
        };
        self.hand_on();
        let Some(frame) = frame else {
            if self.reader.ended_early() {
                self.check_contents()?;
                return Err(Error::corrupt("it decodes to fewer frames than its packets say"));
            }
            self.length = (!self.goes_on).then_some(self.decoded);
            self.trim.finish(&mut self.ready);
            self.warn_of_early_end();
            return self.end(if self.added.is_empty() { Phase::Over } else { Phase::Added });
        };
        let index = self.decoded;
        self.decoded += 1;
        self.time = self.reader.frame_time(&frame).unwrap_or(self.time);
        let side = self.around.side(self.window.side(index, self.time, self.kept));
        self.add_until(self.time)?;
        self.trim.frame(self.time, side, &mut self.ready);
        match side {
            Side::Before => {
                self.around.before(frame, index);
                Ok(())
            }
            Side::Inside => self.keep(frame, index),
            Side::After => {
                self.goes_on = true;
                self.follow(frame, index)
            }
        }
    }

    /// Hands on the packets of copied streams that were met.
    pub(super) fn hand_on(&mut self) {
        while let Some((span, packet)) = self.reader.met() {
            self.trim.packet(span, packet, &mut self.ready);
        }
    }

    fn keep(&mut self, frame: Video, index: u64) -> Result<()> {
        self.kept += 1;
        self.around.inside(frame, index);
        // Without copied streams, or frames that are read after the last, nobody needs to know where the next one begins.
        if self.copied.is_empty() && self.around.ends_at_once() && self.window.frames == Some(self.kept) {
            return self.end(Phase::Over);
        }
        Ok(())
    }

    /// Hands `frame`, which comes after the window, on where it is read for those inside.
    fn follow(&mut self, frame: Video, index: u64) -> Result<()> {
        self.add_until(self.time.saturating_add(INTERLEAVING))?;
        if self.kept == 0 || !self.around.after(frame, index) {
            return self.end(if self.copied.is_empty() { Phase::Over } else { Phase::Packets });
        }
        Ok(())
    }

    /// The next frame to give.
    fn finished(&mut self) -> Result<Option<Item>> {
        let Some(around::Numbered { frame, index, context }) = self.around.next() else { return Ok(None) };
        let mut item = self.finisher.frame(frame, index).map_err(|e| self.of_picture(e, index))?;
        let props = match &mut item {
            Item::Frame(frame) => &mut frame.props,
            #[cfg(feature = "cuda")]
            Item::DeviceFrame(frame) => &mut frame.props,
            Item::Packet(_) => return Ok(Some(item)),
        };
        props.context = context;
        props.pts = props.pts.map(|pts| pts.saturating_add(self.shift));
        Ok(Some(item))
    }

    /// Says that the source has fewer frames than were asked for.
    fn warn_of_early_end(&self) {
        let fewer = self.window.frames.filter(|asked| (1..*asked).contains(&self.kept));
        if let Some(asked) = fewer {
            log::warn!("the source ends after {} of the {asked} frames that --frames asks for", self.kept);
        }
    }

    /// `error`, with the file of picture `index` where there is one.
    fn of_picture(&self, error: Error, index: u64) -> Error {
        match self.reader.sequence().and_then(|sequence| sequence.file(index)) {
            Some(file) => error.context(file.display()),
            None => error,
        }
    }

    /// Refuses a window whose packets are others than was said.
    fn check_contents(&mut self) -> Result<()> {
        let Some(HeaderContents { span, hash }) = self.contents.take() else { return Ok(()) };
        match self.reader.contents().is_some_and(|packets| packets.of(span) == hash) {
            true => Ok(()),
            false => Err(Error::corrupt("its pictures are others than those the plan was made of")),
        }
    }

    /// Leaves the frames behind.
    fn end(&mut self, phase: Phase) -> Result<()> {
        self.phase = phase;
        if self.kept > 0 {
            return self.reader.check_given();
        }
        let (frames, end) = (self.decoded, self.time as f64 / 1e6);
        Err(Error::bad_argument(format!(
            "no frame lies where --start, --end or --preview ask: looked at {frames} frames up to {end:.3} s"
        )))
    }

    /// Reads one packet past the window's last frame.
    fn next_packet(&mut self) -> Result<()> {
        let Some(packet) = self.reader.packet()? else {
            self.phase = Phase::Over;
            return Ok(());
        };
        let is_copied = self.reader.is_copied(&packet);
        let (span, packet) = self.reader.shown(packet);
        if self.trim.is_past(span) {
            self.phase = Phase::Over;
        } else if is_copied {
            self.trim.packet(span, packet, &mut self.ready);
        }
        Ok(())
    }
}

impl Source for Input {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        self.say_changes();
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if let Some(item) = self.finished().map_err(|e| e.context(demuxer::name(&self.path)))? {
                return Ok(Some(item));
            }
            match self.phase {
                Phase::Frames => self.next_frame(),
                Phase::Packets => self.next_packet(),
                Phase::Added => self.next_added(),
                Phase::Following => self.pass_frame(),
                Phase::Over => {
                    return self.check_contents().map(|()| None).map_err(|e| e.context(demuxer::name(&self.path)));
                }
            }
            .map_err(|e| e.context(demuxer::name(&self.path)))?;
        }
    }

    fn surround(&mut self, reach: Reach) -> Result<()> {
        if !self.can_surround(reach) {
            let before = reach.before;
            let lines =
                format!("the chain reads {before} frames before each, more than NVDEC keeps: add --decoder software");
            return Err(Error::unsupported(lines).context(demuxer::name(&self.path)));
        }
        self.around = ContextFrames::new(reach);
        if let Some(index) = self.reader.index() {
            index.lead_by(reach.before);
        }
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn most_waiting(&self) -> usize {
        if self.surfaces().is_some() { hwaccel::WAITING } else { usize::MAX }
    }

    fn damage(&self) -> Option<Error> {
        let own = self.reader.damage().map(|lost| {
            let name = demuxer::name(&self.path);
            let kept = numbered(self.kept, "frame came out", "frames came out");
            Error::new(Kind::Incomplete, format!("{name}: {lost}; {kept}"))
        });
        own.or_else(|| self.added.damage())
    }
}
