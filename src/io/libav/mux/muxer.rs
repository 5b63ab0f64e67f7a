//! A container being written, after its header: the packets of every stream, and its end.

use crate::error::Result;
use crate::io::TempFile;
use crate::io::libav::demux::decoding_times::Decoding;
use crate::io::libav::demux::streams::Media;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::logging::{self, Heard};
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::context::Context;
use crate::io::libav::mux::failure;
use crate::io::libav::mux::header::{self, HeaderContents};
use crate::io::libav::mux::stream_copy::{Form, StreamCopy};
use crate::video::Rational;
use ffmpeg_next::Packet;
use ffmpeg_next::ffi;
use ffmpeg_next::packet::Mut;
use std::ffi::c_int;

/// `whence` of a seek that only asks where the writer is.
const SEEK_CUR: c_int = 1;

/// A container whose header is written.
pub(in crate::io::libav) struct Muxer {
    context: Context,
    /// What messages call the output.
    name: String,
    tracks: Vec<OutputStream>,
    /// What is taken from every time, and its unit.
    offset: (i64, Rational),
    /// Where the video ends, and its unit.
    end: (i64, Rational),
    bytes: u64,
}

/// A stream of the output.
struct OutputStream {
    /// The source's index of a copied stream; none for the encoded video.
    input: Option<usize>,
    /// Unit of the packets that come.
    from: Rational,
    /// Unit of the packets that are written.
    to: Rational,
    /// What is added to every time, in the unit of the packets that come.
    lift: i64,
    form: Form,
    /// The last decode time written.
    last: Option<i64>,
    /// What messages call it, until its text was found not to be UTF-8.
    text: Option<String>,
    /// Supplies the decode times that the source lacks.
    decoding: Decoding,
    /// Subtitles that are copied.
    is_subtitle: bool,
    /// Its packets must say how long they last, and the one that waits to know it: libav's edit lists end where the last packet
    /// begins that does not say it.
    must_last: bool,
    lasting: Option<Packet>,
}

const MILLISECOND: Rational = Rational::new(1, 1000);

/// A packet of subtitles that lasts so long, in milliseconds, says that it does not know: libav's encoders do.
const UNKNOWN: i64 = u32::MAX as i64;

impl Muxer {
    /// Writes the header of `contents` to `file`.
    ///
    /// # Errors
    /// When the container refuses the contents, or the file cannot be written.
    pub(in crate::io::libav) fn begin(contents: &HeaderContents<'_>, file: &TempFile, name: &str) -> Result<Muxer> {
        let mut context = header::build(contents)?;
        context.open(file, name)?;
        context.write_header(name)?;
        let has_edits = capacity::is_quicktime(contents.choice.container());
        let copies = std::iter::once(None).chain(contents.copies.iter().map(Some)).enumerate();
        let tracks = copies.map(|(i, copy)| {
            // SAFETY: the header is written, so the context has these streams and their units are set.
            let to = unsafe { (**(*context.as_ptr()).streams.add(i)).time_base };
            let is_subtitle = copy.is_some_and(|copy| copy.media == Media::Subtitle && !copy.is_recoded);
            OutputStream {
                input: copy.map(|copy| copy.index),
                from: copy.map_or(contents.info.timebase, |copy| copy.timebase),
                to: Rational::new(to.num, to.den),
                lift: copy.map_or(0, |copy| copy.lift),
                form: copy.map_or(Form::Packets, |copy| copy.form.clone()),
                last: None,
                text: copy.and_then(StreamCopy::copied_text),
                decoding: Decoding::new(copy.map_or(0, StreamCopy::reordering)),
                is_subtitle,
                must_last: is_subtitle && has_edits,
                lasting: None,
            }
        });
        let tracks = tracks.collect();
        let offset = (contents.offset, contents.info.timebase);
        let end = (0, contents.info.timebase);
        Ok(Muxer { context, name: name.to_owned(), tracks, offset, end, bytes: 0 })
    }

    /// Writes a packet of the encoded video, its times in the source's timebase.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::io::libav) fn video(&mut self, packet: Packet) -> Result<()> {
        self.end.0 = packet.pts().map_or(self.end.0, |begin| self.end.0.max(begin + packet.duration()));
        self.write(0, packet)
    }

    /// Writes a packet of the copied stream that the source has at `input`. One of a stream that is not copied, or
    /// that is in the header as a whole, is dropped.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::io::libav) fn copied(&mut self, input: usize, mut packet: Packet) -> Result<()> {
        let Some(place) = self.tracks.iter().position(|track| track.input == Some(input)) else { return Ok(()) };
        let track = &self.tracks[place];
        if track.is_subtitle && packet.duration() >= rescale(UNKNOWN, MILLISECOND, track.from) {
            packet.set_duration(0);
        }
        match track.form {
            Form::File(_) => Ok(()),
            _ if track.must_last => self.last(place, packet),
            _ => self.write(place, packet),
        }
    }

    /// Writes `packet` of a stream whose packets must say how long they last: one that does not lasts until the next.
    fn last(&mut self, place: usize, packet: Packet) -> Result<()> {
        if let Some(mut before) = self.tracks[place].lasting.take() {
            let lasts = packet.pts().zip(before.pts()).map_or(0, |(next, begin)| next - begin);
            before.set_duration(lasts.max(1));
            self.write(place, before)?;
        }
        if packet.duration() > 0 {
            return self.write(place, packet);
        }
        self.tracks[place].lasting = Some(packet);
        Ok(())
    }

    fn write(&mut self, place: usize, mut packet: Packet) -> Result<()> {
        let track = &mut self.tracks[place];
        let offset = rescale(self.offset.0, self.offset.1, track.from) - track.lift;
        let time = |time: i64| rescale(time - offset, track.from, track.to);
        let decoded = track.decoding.time(packet.pts(), packet.dts(), packet.duration());
        let (mut pts, mut dts) = (packet.pts().map(time), decoded.map(time));
        if matches!(track.form, Form::Still) {
            (pts, dts) = (Some(0), Some(0));
        }
        if let (Some(now), Some(last)) = (&mut dts, track.last) {
            // Times that were apart in the source may meet in the container's unit.
            // SAFETY: the container is static.
            let may_repeat = unsafe { (*(*self.context.as_ptr()).oformat).flags } & ffi::AVFMT_TS_NONSTRICT != 0;
            *now = (*now).max(if may_repeat { last } else { last + 1 });
        }
        track.last = dts.or(track.last);
        packet.set_dts(dts);
        packet.set_pts(pts.map(|pts| dts.map_or(pts, |dts| pts.max(dts))));
        packet.set_duration(rescale(packet.duration(), track.from, track.to));
        packet.set_position(-1);
        packet.set_stream(place);
        if track.text.is_some()
            && packet.data().is_some_and(|bytes| std::str::from_utf8(bytes).is_err())
            && let Some(name) = track.text.take()
        {
            log::warn!(
                "{name}: its text is not UTF-8, and copied as it is: players show other letters (iconv -f CHARSET -t \
                 UTF-8 converts it)"
            );
        }
        // SAFETY: the header is written; the packet is ours, and libav takes what it holds.
        let (code, heard) =
            logging::listen(|| unsafe { ffi::av_interleaved_write_frame(self.context.as_ptr(), packet.as_mut_ptr()) });
        self.check(code, &heard)?;
        self.count();
        Ok(())
    }

    /// Writes the container's end and closes the file.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(in crate::io::libav) fn finish(mut self) -> Result<u64> {
        for place in 0..self.tracks.len() {
            let track = &mut self.tracks[place];
            let end = rescale(self.end.0, self.end.1, track.from);
            if let Some(mut packet) = track.lasting.take() {
                packet.set_duration(packet.pts().map_or(1, |begin| end - begin).max(1));
                self.write(place, packet)?;
            }
        }
        // SAFETY: the header is written, and the end is written once.
        let (code, heard) = logging::listen(|| unsafe { ffi::av_write_trailer(self.context.as_ptr()) });
        self.check(code, &heard)?;
        self.count();
        self.count_file();
        // SAFETY: the file is open; closing writes what is buffered, and the context forgets it.
        let code = unsafe { ffi::avio_closep(&mut (*self.context.as_ptr()).pb) };
        self.check(code, &Heard::default())?;
        Ok(self.bytes)
    }

    /// Bytes written.
    pub(in crate::io::libav) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn count(&mut self) {
        // SAFETY: the file is open until `finish` closes it.
        let position = unsafe { ffi::avio_seek((*self.context.as_ptr()).pb, 0, SEEK_CUR) };
        self.bytes = self.bytes.max(u64::try_from(position).unwrap_or(0));
    }

    /// Counts what the file holds, where it is one: muxers end where they fill in a length.
    fn count_file(&mut self) {
        // SAFETY: the file is open; what is buffered is written first.
        let size = unsafe {
            let file = (*self.context.as_ptr()).pb;
            ffi::avio_flush(file);
            ffi::avio_size(file)
        };
        self.bytes = self.bytes.max(u64::try_from(size).unwrap_or(0));
    }

    fn check(&self, code: c_int, heard: &Heard) -> Result<()> {
        if code < 0 { Err(failure::refusal(&self.name, code, heard)) } else { Ok(()) }
    }
}
