//! Subtitles that are pictures: PGS, VobSub, DVB.

use super::canvas::{Canvas, premultiply};
use super::colour::Colours;
use super::decoder::{Decoder, Paletted, Subtitle};
use super::scale::Bitmap;
use super::track::Track;
use crate::error::Result;
use ffmpeg_next::Packet;

/// From this height on, the pixels of what pictures lie in are square; below, they are shaped as the film's.
const SQUARE: usize = 720;

/// What has been met, decoded as far as time went: a film's pictures take much memory, its packets little.
pub(super) struct Pictures {
    decoder: Decoder,
    packets: std::vec::IntoIter<Packet>,
    next: Option<Subtitle>,
    now: Option<Subtitle>,
    place: Placement,
    colours: Colours,
    forced_only: bool,
    damaged: bool,
}

/// Where pictures go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// The output's size.
    pub(super) output: (usize, usize),
    /// The output's display aspect, and that of the film that pictures were made for.
    pub(super) aspect: f64,
    pub(super) film_aspect: f64,
}

impl Pictures {
    /// # Errors
    /// When libav has no decoder.
    pub(super) fn new(track: &mut Track, place: Placement, colours: Colours, forced_only: bool) -> Result<Pictures> {
        let decoder = Decoder::open(&track.parameters, track.timebase)?;
        let packets = std::mem::take(&mut track.packets).into_iter();
        Ok(Pictures { decoder, packets, next: None, now: None, place, colours, forced_only, damaged: false })
    }

    /// Draws what is shown at `time`, in microseconds of the track's own times. False when nothing changed.
    pub(super) fn draw(&mut self, time: i64, canvas: &mut Canvas) -> bool {
        let mut changed = false;
        while self.next_start().is_some_and(|start| start <= time) {
            self.now = self.next.take();
            changed = true;
        }
        let is_over =
            |shown: &Subtitle| shown.start().zip(shown.duration()).is_some_and(|(start, ms)| start + ms * 1000 <= time);
        if self.now.as_ref().is_some_and(is_over) {
            self.now = None;
            changed = true;
        }
        if changed {
            canvas.clear();
            if let Some(shown) = &self.now {
                let size = self.decoder.size();
                let pictures = shown.pictures().filter(|picture| picture.forced || !self.forced_only);
                pictures.for_each(|picture| self.place.draw(&picture, size, &mut self.colours, canvas));
            }
        }
        changed
    }

    /// When the next begins that shows something, or nothing again.
    fn next_start(&mut self) -> Option<i64> {
        while self.next.is_none() {
            match self.decoder.decode(&self.packets.next()?) {
                Ok(shown) => self.next = shown.filter(|shown| shown.start().is_some()),
                Err(error) if !std::mem::replace(&mut self.damaged, true) => {
                    log::warn!("--burn-subtitles: a picture is damaged and is not drawn ({error})");
                }
                Err(_) => {}
            }
        }
        self.next.as_ref()?.start()
    }
}

impl Placement {
    /// Draws `picture`, which lies in a frame of `size`, where it belongs in the output.
    ///
    /// A frame of the output's shape covers it. One of another shape (the film was cropped) is scaled as its width is, and
    /// a picture that would lie outside moves inside.
    fn draw(&self, picture: &Paletted<'_>, size: Option<(usize, usize)>, colours: &mut Colours, canvas: &mut Canvas) {
        let (width, height) = self.output;
        let (frame_width, frame_height) = size.unwrap_or(self.output);
        let frame_aspect =
            if frame_height >= SQUARE { frame_width as f64 / frame_height as f64 } else { self.film_aspect };
        let same_shape = (frame_aspect / self.aspect - 1.0).abs() < 0.02;
        // Rows of the output that the frame would have.
        let rows =
            if same_shape { height } else { (height as f64 * self.aspect / frame_aspect).round().max(1.0) as usize };
        let above = (height as i64 - rows as i64) / 2;

        let across = Scaled::new(picture.x, picture.width, frame_width, width);
        let down = Scaled::new(picture.y, picture.height, frame_height, rows);
        let x = inside(across.start as i64, across.length, width);
        let y = inside(down.start as i64 + above, down.length, height);

        let bitmap = bitmap(picture, colours).scaled(across.length, down.length);
        for (y, row) in (y..).zip(bitmap.pixels.chunks_exact(bitmap.width)) {
            for (x, pixel) in (x..).zip(row) {
                canvas.over(x, y, *pixel);
            }
        }
    }
}

/// A part of a line in another size: its edges are rounded to the nearest sample.
struct Scaled {
    start: usize,
    length: usize,
}

impl Scaled {
    fn new(start: usize, length: usize, from: usize, to: usize) -> Scaled {
        let at = |place: usize| (2 * place * to + from) / (2 * from);
        Scaled { start: at(start), length: (at(start + length) - at(start)).max(1) }
    }
}

/// Where something that would begin at `start` begins, so that it lies inside `size` if it fits.
fn inside(start: i64, length: usize, size: usize) -> i64 {
    start.min(size as i64 - length as i64).max(0)
}

fn bitmap(picture: &Paletted<'_>, colours: &mut Colours) -> Bitmap {
    let pixel = |[alpha, rgb @ ..]: &[u8; 4]| premultiply(colours.of(*rgb), u16::from(*alpha) * 257);
    let palette: Vec<_> = picture.palette.iter().map(pixel).collect();
    let entry = |index: &u8| palette.get(usize::from(*index)).copied().unwrap_or([0; 4]);
    let rows = picture.indices.chunks(picture.stride).map(|row| &row[..picture.width]);
    Bitmap { width: picture.width, height: picture.height, pixels: rows.flatten().map(entry).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_meet_in_any_size() {
        let [left, right] = [(0, 3), (3, 4)].map(|(start, length)| Scaled::new(start, length, 7, 16));
        assert_eq!((left.start, left.length, right.start, right.start + right.length), (0, 7, 7, 16));
        assert_eq!(Scaled::new(5, 1, 100, 10).length, 1);
    }

    #[test]
    fn what_lies_outside_moves_inside() {
        assert_eq!([inside(-5, 4, 10), inside(3, 4, 10), inside(8, 4, 10), inside(8, 40, 10)], [0, 3, 6, 0]);
    }
}
