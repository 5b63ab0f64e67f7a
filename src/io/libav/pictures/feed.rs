//! A sequence as packets: each file is one, and any of them is read without those before it.

use super::list::PictureList;
use crate::error::{Error, Result};
use crate::io::libav::encode::timebase::rescale;
use crate::video::Rational;
use ffmpeg::Packet;
use ffmpeg::packet::Flags;
use ffmpeg_next as ffmpeg;
use std::fs;
use std::path::Path;

/// The packets of a sequence, read from its files one after the other.
pub(in crate::io::libav) struct PictureFeed {
    list: PictureList,
    next: usize,
    /// The stream that they belong to.
    stream: usize,
    /// How long a picture lasts, and the unit of the packets' times.
    lasts: Rational,
    unit: Rational,
    /// Until a jump there is nothing behind the first, which says what all are.
    jumps: bool,
}

impl PictureFeed {
    /// Packets of stream `stream` for `list`, `rate` a second, with times in `unit`s. If it `jumps`, the run begins with
    /// [`PictureFeed::jump`], and until then there is the first alone: a decoder would have others read ahead.
    pub(in crate::io::libav) fn new(
        list: PictureList,
        stream: usize,
        rate: Rational,
        unit: Rational,
        jumps: bool,
    ) -> PictureFeed {
        PictureFeed { list, next: 0, stream, lasts: Rational::new(rate.den, rate.num), unit, jumps }
    }

    /// The number of pictures.
    pub(in crate::io::libav) fn count(&self) -> usize {
        self.list.files().len()
    }

    /// The time of picture `index`.
    pub(in crate::io::libav) fn time(&self, index: usize) -> i64 {
        rescale(index as i64, self.lasts, self.unit)
    }

    /// Whether a jump follows.
    pub(in crate::io::libav) fn jumps(&self) -> bool {
        self.jumps
    }

    /// Goes on with picture `index`.
    pub(in crate::io::libav) fn jump(&mut self, index: usize) {
        (self.next, self.jumps) = (index, false);
    }

    /// The file of picture `index`.
    pub(in crate::io::libav) fn file(&self, index: u64) -> Option<&Path> {
        self.list.files().get(usize::try_from(index).ok()?).map(|file| file.as_path())
    }

    /// The next packet, `None` behind the last.
    ///
    /// # Errors
    /// When the file cannot be read, or is empty.
    pub(in crate::io::libav) fn packet(&mut self) -> Result<Option<Packet>> {
        let end = if self.jumps { 1 } else { self.count() };
        let Some(file) = self.list.files()[..end].get(self.next) else { return Ok(None) };
        let bytes = fs::read(file).map_err(|e| Error::io(file.display(), &e))?;
        if bytes.is_empty() {
            return Err(Error::corrupt(format!("{}: the file is empty", file.display())));
        }
        let mut packet = Packet::copy(&bytes);
        let time = self.time(self.next);
        packet.set_stream(self.stream);
        packet.set_pts(Some(time));
        packet.set_dts(Some(time));
        packet.set_duration(self.time(self.next + 1) - time);
        packet.set_flags(Flags::KEY);
        self.next += 1;
        Ok(Some(packet))
    }
}
