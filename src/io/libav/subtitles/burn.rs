//! Frames with subtitles drawn into them, for another sink.

use super::blend::Overlay;
use super::canvas::Canvas;
use super::colour::Colours;
use super::decoder::SubtitleKind;
use super::libass::DrawSize;
use super::pictures::{Pictures, Placement};
use super::text::{self, TextTrack};
use super::track::{self, Track, WhichSubtitles};
use crate::error::{Error, Result};
use crate::io::libav::Input;
use crate::io::libav::seek::window::ticks_to_microseconds;
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::{Picture, PicturePool, Rational, StreamInfo};
use std::ffi::{OsStr, OsString};

/// What is drawn into the frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Burn {
    /// The file that has the subtitles, where that is not the film.
    pub file: Option<OsString>,
    /// Which of its subtitles.
    pub which: WhichSubtitles,
    /// Of pictures, only those that are marked as forced.
    pub forced_only: bool,
    /// Refuse text of which a line cannot be read, rather than leave that out.
    pub strict: bool,
}

/// Subtitles that were read, to be drawn.
pub struct BurntSubtitles {
    track: Track,
    forced_only: bool,
    strict: bool,
    is_of_film: bool,
}

impl Burn {
    /// Reads the subtitles; `film` is the input's path.
    ///
    /// # Errors
    /// When the file cannot be read (twice, where it is the film), or has no such subtitles.
    pub fn read(&self, film: &OsStr, cancel: &Cancel) -> Result<BurntSubtitles> {
        let mut track = Track::read(track::path_of(self.file.as_ref(), film), &self.which, cancel)?;
        if self.file.is_some() && track.kind == SubtitleKind::Text && film != "-" {
            // A script beside a film uses the fonts inside the film. A pipe has been read by then.
            track.fonts.extend(track::fonts_of(film, cancel).unwrap_or_default());
        }
        if track.packets.is_empty() {
            log::warn!("--burn-subtitles: the subtitles have no line");
        }
        let Burn { forced_only, strict, .. } = *self;
        Ok(BurntSubtitles { track, forced_only, strict, is_of_film: self.file.is_none() })
    }
}

impl BurntSubtitles {
    /// The index of their stream in the film, if they are the film's.
    pub fn stream(&self) -> Option<usize> {
        self.is_of_film.then_some(self.track.index)
    }
}

/// Where drawings come from.
enum Drawing {
    Text(TextTrack),
    Pictures(Pictures),
}

/// Draws subtitles into frames of host memory, which go on to another sink.
pub struct BurnSink {
    sink: Box<dyn Sink>,
    source: Drawing,
    canvas: Canvas,
    overlay: Overlay,
    /// For frames that lie in a library's memory, which is not ours to draw in.
    copies: PicturePool,
    clock: SubtitleClock,
}

impl BurnSink {
    /// Before `sink`, which gets the frames of `output`; `input` is what they are made of.
    ///
    /// # Errors
    /// When libass is missing, a subtitle cannot be read, the output's colours have no luma, or memory runs out.
    pub fn new(subtitles: BurntSubtitles, input: &Input, output: &StreamInfo, sink: Box<dyn Sink>) -> Result<BurnSink> {
        let BurntSubtitles { mut track, forced_only, strict, .. } = subtitles;
        let film = input.info();
        let (width, height) = (output.width, output.height);
        let colours = Colours::new(&output.color);
        let overlay = Overlay::new(output.format, &output.color, height, text::luma(&track))?;
        let origin = track.origin - input.start_time();
        let source = match track.kind {
            SubtitleKind::Text => {
                let fonts = std::mem::take(&mut track.fonts);
                // A script is drawn for the film's own pixels; plain text, for the eye.
                let aspect = if text::is_script(&track) {
                    square(film.sar) / square(output.sar)
                } else {
                    1.0 / square(output.sar)
                };
                let frame = DrawSize { size: (width, height), source: (film.width, film.height), aspect };
                Drawing::Text(TextTrack::new(&track, &fonts, frame, colours, strict)?)
            }
            SubtitleKind::Pictures => {
                let aspect = |info: &StreamInfo| info.width as f64 * square(info.sar) / info.height as f64;
                let place = Placement { output: (width, height), aspect: aspect(output), film_aspect: aspect(film) };
                Drawing::Pictures(Pictures::new(&mut track, place, colours, forced_only)?)
            }
        };
        Ok(BurnSink {
            sink,
            source,
            canvas: Canvas::new(width, height),
            overlay,
            copies: PicturePool::new(0, output.format, width, height)?,
            clock: SubtitleClock { timebase: output.timebase, shift: origin, next: 0 },
        })
    }

    /// `picture` in memory of ours.
    fn writable(&self, picture: Picture) -> Result<Picture> {
        if picture.block().is_some() {
            return Ok(picture);
        }
        let mut copy = self.copies.take()?;
        copy.planes_mut().copy_from(&picture.planes(), picture.format());
        Ok(copy)
    }
}

/// The shape of a pixel; square where nothing says.
fn square(sar: Rational) -> f64 {
    sar.value().filter(|shape| *shape > 0.0).unwrap_or(1.0)
}

impl Sink for BurnSink {
    fn frame(&mut self, mut frame: Frame) -> Result<()> {
        let time = self.clock.time(&frame);
        let changed = match &mut self.source {
            Drawing::Text(text) => text.draw(time, &mut self.canvas),
            Drawing::Pictures(pictures) => pictures.draw(time, &mut self.canvas),
        };
        if changed {
            self.overlay.set(&self.canvas);
        }
        if !self.overlay.is_empty() {
            frame.picture = self.writable(frame.picture)?;
            self.overlay.draw(&mut frame.picture);
        }
        self.sink.frame(frame)
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.sink.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn bytes(&self) -> u64 {
        self.sink.bytes()
    }

    fn damage(&self) -> Option<Error> {
        self.sink.damage()
    }
}

/// The time of each frame in the subtitles' own times.
struct SubtitleClock {
    timebase: Rational,
    /// What is added to the film's times, in microseconds.
    shift: i64,
    /// When a frame is shown that states nothing: after the one before it.
    next: i64,
}

impl SubtitleClock {
    fn time(&mut self, frame: &Frame) -> i64 {
        let pts = frame.props.pts.unwrap_or(self.next);
        self.next = pts + frame.props.duration.max(1);
        ticks_to_microseconds(pts, self.timebase).saturating_add(self.shift)
    }
}
