//! The first pass: an encoder without an output.

use super::same::Fingerprint;
use super::{EncodePass, FirstPass};
use crate::error::{Error, Kind, Result};
use crate::io::TempFile;
use crate::io::libav::demux::streams::{Container, CopiedPacket, CopiedStream};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::{Encoder, Received};
use crate::io::libav::encode::fallback;
use crate::io::libav::encode::setup::EncoderJob;
use crate::io::libav::mux::header::HeaderContents;
use crate::io::libav::mux::stream_copy::admit;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::output::{FrameTimes, check};
use crate::io::libav::recode::Treatments;
use crate::io::libav::size::{FilmSize, attached};
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::StreamInfo;
use std::ffi::OsStr;
use std::fs;
use std::sync::Arc;

/// A sink of frames whose encoder measures them. What the pass finds out is in its [`FirstPass`] after [`Sink::finish`], and all
/// of it when this is dropped: some encoders write it when they close.
pub struct Analysis {
    first: Arc<FirstPass>,
    encoder: Encoder,
    info: StreamInfo,
    times: FrameTimes,
    /// The other streams that the output will have, and what becomes of them.
    kept: Vec<usize>,
    treatments: Treatments,
    frames: Vec<Fingerprint>,
    film: FilmSize,
    cancel: Cancel,
    /// The output's place, so that what is wrong with it is found before the frames are.
    _place: Option<TempFile>,
}

impl Analysis {
    /// The first pass `first` for what [`Output::create`](crate::io::libav::Output::create) makes of the same arguments.
    ///
    /// # Errors
    /// As there.
    pub fn create(
        path: &OsStr,
        choice: &EncoderChoice,
        options: &OutputOptions,
        first: &Arc<FirstPass>,
        info: &StreamInfo,
        container: &Container,
        copied: &[CopiedStream],
    ) -> Result<Analysis> {
        check(path, choice, options, container)?;
        // A pipe would be opened for its reader, and closed.
        let is_stream = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
        let place = (!is_stream).then(|| TempFile::create(path, options.overwrite, &options.cancel)).transpose()?;
        let options = OutputOptions { pass: Some(EncodePass::First(Arc::clone(first))), ..options.clone() };
        let (choice, encoder) =
            fallback::open(EncoderJob { choice, options: &options, info, side_data: &container.video.side_data })?;
        let mut options = options;
        // Nobody hears how loud it is: nothing needs to be measured for that.
        options.sound.loudness.iter_mut().for_each(|loudness| loudness.two_pass = false);
        let contents = HeaderContents::rehearsed(&choice, &options, info, &encoder, container);
        let treatments = Treatments::choose(contents, copied)?;
        let kept: Vec<_> = admit(contents, copied, &treatments).iter().map(|copy| copy.index).collect();
        let attached = attached(copied.iter().filter(|stream| kept.contains(&stream.index)));
        let pixels = (info.width * info.height) as u64;
        Ok(Analysis {
            first: Arc::clone(first),
            encoder,
            info: info.clone(),
            times: FrameTimes::new(info),
            kept,
            treatments,
            frames: Vec::new(),
            film: FilmSize { pixels, attached, ..FilmSize::default() },
            cancel: options.cancel,
            _place: place,
        })
    }

    /// The source's streams that are decoded here ([`Input::decode_beside`](crate::io::libav::Input::decode_beside)).
    pub fn decoded_streams(&self) -> Vec<usize> {
        self.treatments.needed_whole().collect()
    }

    /// Counts packets that will be written.
    fn count(&mut self, packets: &[(usize, ffmpeg_next::Packet)]) {
        let kept = packets.iter().filter(|(stream, _)| self.kept.contains(stream));
        kept.for_each(|(_, packet)| self.film.packet(packet.size()));
    }

    /// Lets the encoder's packets go.
    fn drain(&mut self) -> Result<()> {
        while let Received::Packet(_) = self.encoder.receive()? {
            if self.cancel.is_requested() {
                return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
            }
        }
        Ok(())
    }
}

impl Sink for Analysis {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.frames.push(Fingerprint::of(&frame));
        let pts = self.times.next(&frame.props);
        self.encoder.send(frame, pts)?;
        self.drain()
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        let Ok(packet) = packet.0.downcast::<CopiedPacket>() else { return Ok(()) };
        let packets = self.treatments.packet(*packet)?;
        self.count(&packets);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder.end()?;
        self.drain()?;
        let packets = self.treatments.finish()?;
        self.count(&packets);
        if self.frames.is_empty() {
            return Err(Error::bad_argument("there is no frame to write"));
        }
        self.film.frames = self.frames.len() as u64;
        self.film.seconds = self.times.length() as f64 * self.info.timebase.value().unwrap_or(0.0);
        let again = || Error::internal("a first pass was made twice");
        self.first.frames.set(std::mem::take(&mut self.frames)).map_err(|_| again())?;
        self.first.film.set(self.film.clone()).map_err(|_| again())
    }

    fn bytes(&self) -> u64 {
        0
    }
}
