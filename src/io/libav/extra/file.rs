//! One file whose tracks are added, read as far as the source.

use super::added::{Addition, FilmClock};
use super::selector::{Label, TrackKind};
use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::demuxer::{self, Demuxer, MOST_RESYNCS};
use crate::io::libav::demux::ending::Ending;
use crate::io::libav::demux::known::Known;
use crate::io::libav::demux::reader::discard;
use crate::io::libav::demux::streams::{self, CopiedPacket, CopiedStream};
use crate::io::libav::demux::trim::PacketTimes;
use crate::io::libav::encode::timebase::rescale;
use crate::pipeline::Cancel;
use crate::video::Rational;
use ffmpeg::error::EAGAIN;
use ffmpeg::{Packet, ffi, media};
use ffmpeg_next as ffmpeg;

const MICROSECOND: Rational = Rational::new(1, 1_000_000);

/// A packet of an added track, and when it is shown, counted as the source's packets are.
pub(super) type Timed = (Option<PacketTimes>, CopiedPacket);

/// A file that is being read.
pub(super) struct AddedFile {
    /// What messages call it.
    name: String,
    demuxer: Demuxer,
    /// Its streams: what is known of each, and what is added to its times.
    streams: Vec<(Known, i64)>,
    /// The number that its first stream has among those of the run.
    first: usize,
    /// The container's start of the source, in microseconds.
    origin: i64,
    /// The packet that was read last and is not due yet.
    next: Option<Timed>,
    ending: Ending,
    /// The error about its end when it was opened.
    error_at_end: Option<String>,
    ended: bool,
    strict: bool,
    /// What is wrong with it.
    fault: Option<Error>,
    cancel: Cancel,
}

impl AddedFile {
    /// Opens a file of media and chooses tracks from it, which are numbered from `first` on.
    ///
    /// # Errors
    /// When it cannot be read, or has no such tracks.
    pub(super) fn open(
        addition: &Addition,
        first: usize,
        film: &FilmClock,
        cancel: &Cancel,
    ) -> Result<(AddedFile, Vec<CopiedStream>)> {
        let mut demuxer = demuxer::open(&addition.path, cancel)?;
        let error_at_end = demuxer::error_at_end(&demuxer);
        let name = addition.path.display().to_string();
        let chosen = choose(&demuxer, addition).map_err(|error| error.context(&name))?;
        let apart = film.start - start(&demuxer);
        let known = |stream: ffmpeg::format::stream::Stream| {
            let copied = chosen.iter().any(|chosen| chosen.index == stream.index());
            let mut known = Known::new(&stream, copied);
            known.still |= is_picture(&demuxer);
            let shift = rescale(apart, MICROSECOND, known.timebase);
            (known, shift)
        };
        let streams: Vec<_> = demuxer.streams().map(known).collect();
        discard(&mut demuxer, |index| streams.get(index).is_some_and(|(known, _)| !known.copied));
        let numbered = |stream: CopiedStream| CopiedStream {
            index: first + stream.index,
            added_from: Some((name.clone(), stream.index)),
            ..stream
        };
        let copied = chosen.into_iter().map(numbered).collect();
        let file = AddedFile {
            name,
            demuxer,
            streams,
            first,
            origin: film.origin,
            next: None,
            ending: Ending::default(),
            error_at_end,
            ended: false,
            strict: film.strict,
            fault: None,
            cancel: cancel.clone(),
        };
        Ok((file, copied))
    }

    /// How many streams it has.
    pub(super) fn len(&self) -> usize {
        self.streams.len()
    }

    /// Its stream of that number among those of the run.
    pub(super) fn stream_mut(&mut self, number: usize) -> Option<&mut Known> {
        self.streams.get_mut(number.checked_sub(self.first)?).map(|(known, _)| known)
    }

    /// What was lost of it so far.
    pub(super) fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// When its next packet is shown, `None` after the last. One that belongs to the whole film is shown from the start.
    ///
    /// # Errors
    /// When the run was stopped, or damage is fatal by request.
    pub(super) fn due(&mut self) -> Result<Option<i64>> {
        while self.next.is_none() && !self.ended {
            match self.read()? {
                Some(packet) => self.next = self.timed(packet),
                None => self.ended = true,
            }
        }
        Ok(self.next.as_ref().map(|(span, _)| span.map_or(i64::MIN, |span| span.time)))
    }

    /// The packet that [`AddedFile::due`] spoke of.
    pub(super) fn take(&mut self) -> Option<Timed> {
        self.next.take()
    }

    /// `packet` on the source's clock, if its stream is one of those chosen.
    fn timed(&mut self, mut packet: Packet) -> Option<Timed> {
        let index = packet.stream();
        let (known, shift) = self.streams.get_mut(index).filter(|(known, _)| known.copied)?;
        packet.set_pts(packet.pts().map(|pts| pts.saturating_add(*shift)));
        packet.set_dts(packet.dts().map(|dts| dts.saturating_add(*shift)));
        let span = known.shown(&mut packet, self.origin);
        Some((span, CopiedPacket { stream: self.first + index, packet, kept: (None, None) }))
    }

    fn read(&mut self) -> Result<Option<Packet>> {
        for _ in 0..MOST_RESYNCS {
            let (read, line) = demuxer::read(&mut self.demuxer);
            match read {
                Ok(packet) => {
                    line.map_or(Ok(()), |line| self.note(line))?;
                    self.ending.packet(&packet);
                    return Ok(Some(packet));
                }
                _ if self.cancel.is_requested() => return Err(Error::new(Kind::Cancelled, "stopped")),
                Err(ffmpeg::Error::Other { errno: EAGAIN }) => continue,
                Err(ffmpeg::Error::Eof) => {
                    let fault = line.or_else(|| self.error_at_end.take()).or_else(|| self.ending.fault(&self.demuxer));
                    return fault.map_or(Ok(()), |fault| self.note(fault)).map(|()| None);
                }
                Err(error) => return self.note(line.unwrap_or_else(|| error.to_string())).map(|()| None),
            }
        }
        self.note("nothing that can be read follows".to_owned()).map(|()| None)
    }

    /// Notes the first fault.
    fn note(&mut self, cause: String) -> Result<()> {
        if self.strict {
            let line = format!("{}: damaged, --strict stops here: {cause}", self.name);
            return Err(Error::corrupt(line));
        }
        let line = format!("{}: a part of its tracks is missing: {cause}", self.name);
        self.fault.get_or_insert_with(|| Error::new(Kind::Incomplete, line));
        Ok(())
    }
}

/// The streams of `demuxer` that `addition` asks for.
fn choose(demuxer: &Demuxer, addition: &Addition) -> Result<Vec<CopiedStream>> {
    let mut streams: Vec<CopiedStream> = demuxer.streams().map(|stream| CopiedStream::of(&stream)).collect();
    if is_picture(demuxer) {
        // A picture is a cover, whatever its demuxer makes of it.
        streams.iter_mut().for_each(|stream| stream.tags.disposition |= ffi::AV_DISPOSITION_ATTACHED_PIC);
    }
    let labels = Label::of_all(streams.iter().map(|stream| (TrackKind::of(stream), stream.language())));
    let wanted = |label: &Label| match &addition.selection[..] {
        [] if is_picture(demuxer) => true,
        [] => matches!(label.kind, TrackKind::Audio | TrackKind::Subtitle | TrackKind::Attachment),
        selection => selection.iter().any(|selector| selector.selects(label)),
    };
    if let Some(missing) = addition.selection.iter().find(|one| !labels.iter().any(|label| one.selects(label))) {
        return Err(Error::bad_argument(format!("it has no track {missing}, only {}", Label::list(&labels))));
    }
    let chosen: Vec<_> = streams.into_iter().zip(&labels).filter(|(_, label)| wanted(label)).collect();
    if chosen.is_empty() {
        let list = Label::list(&labels);
        return Err(Error::bad_argument(format!(
            "it has no sound, subtitles or attachments to add, only {list}: name what is meant, as in --add FILE:v1"
        )));
    }
    Ok(chosen.into_iter().map(|(stream, _)| stream).collect())
}

/// Whether it is a single picture rather than a film.
fn is_picture(demuxer: &Demuxer) -> bool {
    let format = demuxer.format();
    let name = format.name();
    name == "image2" || name.ends_with("_pipe")
}

/// Where the time 0 of a file lies on its container's clock, in microseconds: at the start of its sound and pictures. Files of
/// text alone count from 0.
fn start(demuxer: &Demuxer) -> i64 {
    let begins = |stream: &ffmpeg::format::stream::Stream| {
        let medium = stream.parameters().medium();
        matches!(medium, media::Type::Audio | media::Type::Video) && !streams::is_still(stream)
    };
    if demuxer.streams().any(|stream| begins(&stream)) { demuxer::film_start(demuxer) } else { 0 }
}
