//! Packets of sound become samples.

use crate::error::{Error, Kind, Result};
use crate::io::libav::error;
use crate::video::Rational;
use ffmpeg::codec::{Context, Parameters, decoder};
use ffmpeg::error::EAGAIN;
use ffmpeg::frame::Audio;
use ffmpeg::{Packet, ffi};
use ffmpeg_next as ffmpeg;

/// Decodes a track. What does not decode is counted and skipped.
pub(super) struct Decoder {
    /// What messages call the track.
    name: String,
    decoder: decoder::Audio,
    timebase: Rational,
    strict: bool,
    lost: u64,
    first: Option<String>,
}

impl Decoder {
    /// A decoder of packets of `parameters` whose times are on `timebase`.
    ///
    /// # Errors
    /// When libav has none, or it does not start.
    pub(super) fn new(name: &str, parameters: &Parameters, timebase: Rational, strict: bool) -> Result<Decoder> {
        let failed = |e| error(format_args!("{name}: its sound cannot be decoded"), e);
        let mut context = Context::from_parameters(parameters.clone()).map_err(failed)?;
        // SAFETY: the context is ours. libav counts the samples it leaves out by this unit.
        unsafe { (*context.as_mut_ptr()).pkt_timebase = ffmpeg::Rational::from(timebase).into() };
        let decoder = context.decoder().audio().map_err(failed)?;
        Ok(Decoder { name: name.to_owned(), decoder, timebase, strict, lost: 0, first: None })
    }

    /// Takes a packet, or the end. Gives the frames that are ready then.
    ///
    /// # Errors
    /// When memory runs out, or damage is fatal by request.
    pub(super) fn decode(&mut self, packet: Option<&Packet>) -> Result<Vec<Audio>> {
        let sent = match packet {
            // An empty packet would be the end.
            Some(packet) if packet.size() == 0 => Ok(()),
            Some(packet) => self.decoder.send_packet(packet),
            None => self.decoder.send_eof(),
        };
        let time = packet.and_then(|packet| packet.pts().or(packet.dts()));
        if let Err(cause) = sent {
            self.lose(cause, time)?;
        }
        if packet.is_some_and(Packet::is_corrupt) {
            self.lose(ffmpeg::Error::InvalidData, time)?;
        }
        let mut frames = Vec::new();
        loop {
            let mut frame = Audio::empty();
            match self.decoder.receive_frame(&mut frame) {
                Ok(()) if frame.samples() > 0 => frames.push(frame),
                Ok(()) => {}
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: EAGAIN }) => return Ok(frames),
                Err(cause) => {
                    self.lose(cause, time)?;
                    return Ok(frames);
                }
            }
        }
    }

    /// Notes a packet that did not decode.
    fn lose(&mut self, cause: ffmpeg::Error, time: Option<i64>) -> Result<()> {
        if let ffmpeg::Error::Other { errno: ffmpeg::error::ENOMEM } = cause {
            return Err(error(&self.name, cause));
        }
        let at = time.map_or_else(String::new, |time| {
            format!("at {:.3} s: ", time as f64 * self.timebase.value().unwrap_or(0.0))
        });
        let fault = format!("{at}{cause}");
        log::debug!("damage in {}: {fault}", self.name);
        if self.strict {
            return Err(Error::corrupt(format!("damaged input, --strict stops here: {}, {fault}", self.name)));
        }
        self.lost += 1;
        self.first.get_or_insert(fault);
        Ok(())
    }

    /// What was lost.
    pub(super) fn damage(&self) -> Option<Error> {
        let first = self.first.as_ref()?;
        let packets = if self.lost == 1 { "packet of it" } else { "packets of it" };
        let text =
            format!("{}: {} {packets} did not decode, silence takes their place (first {first})", self.name, self.lost);
        Some(Error::new(Kind::Incomplete, text))
    }
}

/// A frame's time in its packets' unit.
pub(super) fn time(frame: &Audio) -> Option<i64> {
    // SAFETY: the frame is alive.
    let best = unsafe { (*frame.as_ptr()).best_effort_timestamp };
    frame.pts().or((best != ffi::AV_NOPTS_VALUE).then_some(best))
}
