//! A container being written, after its header: the packets of every stream, and its end.

use crate::error::Result;
use crate::io::TempFile;
use crate::io::libav::demux::decoding_times::Decoding;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::logging::{self, Heard};
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
}

impl Muxer {
    /// Writes the header of `contents` to `file`.
    ///
    /// # Errors
    /// When the container refuses the contents, or the file cannot be written.
    pub(in crate::io::libav) fn begin(contents: &HeaderContents<'_>, file: &TempFile, name: &str) -> Result<Muxer> {
        let mut context = header::build(contents)?;
        context.open(file, name)?;
        context.write_header(name)?;
        let video = (None, contents.info.timebase, 0, Form::Packets, None);
        let copied = contents.copies.iter();
        let copied = copied.map(|p| (Some(p.index), p.timebase, p.lift, p.form.clone(), p.copied_text()));
        let delays = std::iter::once(0).chain(contents.copies.iter().map(StreamCopy::reordering));
        let tracks = std::iter::once(video).chain(copied).zip(delays).enumerate();
        let tracks = tracks.map(|(i, ((input, from, lift, form, text), delay))| {
            // SAFETY: the header is written, so the context has these streams and their units are set.
            let to = unsafe { (**(*context.as_ptr()).streams.add(i)).time_base };
            OutputStream {
                input,
                from,
                to: Rational::new(to.num, to.den),
                lift,
                form,
                last: None,
                text,
                decoding: Decoding::new(delay),
            }
        });
        let tracks = tracks.collect();
        let offset = (contents.offset, contents.info.timebase);
        Ok(Muxer { context, name: name.to_owned(), tracks, offset, bytes: 0 })
    }

    /// Writes a packet of the encoded video, its times in the source's timebase.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::io::libav) fn video(&mut self, packet: Packet) -> Result<()> {
        self.write(0, packet)
    }

    /// Writes a packet of the copied stream that the source has at `input`. One of a stream that is not copied, or
    /// that is in the header as a whole, is dropped.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::io::libav) fn copied(&mut self, input: usize, packet: Packet) -> Result<()> {
        match self.tracks.iter().position(|track| track.input == Some(input)) {
            Some(place) if !matches!(self.tracks[place].form, Form::File(_)) => self.write(place, packet),
            _ => Ok(()),
        }
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
