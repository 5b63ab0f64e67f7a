//! Streams of the output that are encoded again from the packets of a stream of the source.

pub(super) mod sound;

use crate::error::{Error, Result};
use crate::io::libav::demux::streams::{CopiedPacket, CopiedStream, Media};
use crate::io::libav::mux::header::HeaderContents;
use crate::io::libav::subtitles;
use crate::video::Rational;
use ffmpeg_next::Packet;
use ffmpeg_next::codec::Parameters;

/// Makes the packets of a stream of the output from those of a stream of the source.
///
/// Everything that a header says is known before the first packet, so that a header can be rehearsed.
pub(in crate::io::libav) trait Recode {
    /// The codec's parameters, with the samples that only warm a decoder up (`initial_padding`).
    fn parameters(&self) -> &Parameters;

    /// Unit of the times of the packets it gives. Times are the source's, on this unit.
    fn timebase(&self) -> Rational;

    /// Takes a packet of the source. Gives what is ready then.
    ///
    /// # Errors
    /// When the packets cannot be coded anew. Damage that it gets past is no error, but for [`Recode::damage`].
    fn packet(&mut self, packet: CopiedPacket) -> Result<Vec<Packet>>;

    /// Gives what is left, after the last packet. Called once.
    ///
    /// # Errors
    /// As [`Recode::packet`].
    fn finish(&mut self) -> Result<Vec<Packet>>;

    /// Whether it cuts what it makes to [what is kept](CopiedPacket::kept), so that it gets packets whole, and those before the
    /// part too. Else packets are cut.
    fn cuts(&self) -> bool;

    /// Whether it took packets but gave none yet: sound that begins late does not keep a header waiting, but this does.
    fn is_pending(&self) -> bool;

    /// What was lost so far, as an error of kind [`Incomplete`](crate::error::Kind::Incomplete).
    fn damage(&self) -> Option<Error>;
}

/// What becomes of a stream of the source.
pub(in crate::io::libav) enum Treatment {
    /// Its packets are copied, where the container holds them.
    Copy,
    /// Nothing of it is written.
    LeaveOut,
    /// It is coded anew.
    Recode(Box<dyn Recode>),
}

/// What becomes of `stream`, which is number `number` of its kind, in an output of `contents`.
///
/// # Errors
/// When what was asked for cannot be done.
fn treatment(contents: HeaderContents<'_>, stream: &CopiedStream, number: usize) -> Result<Treatment> {
    match stream.media {
        Media::Audio => sound::treatment(contents, stream, number),
        Media::Subtitle => subtitles::treatment(contents, stream, number),
        Media::Attachment | Media::Video | Media::Data => Ok(Treatment::Copy),
    }
}

/// What becomes of every stream of the source.
#[derive(Default)]
pub(in crate::io::libav) struct Treatments {
    left_out: Vec<usize>,
    recoded: Vec<(usize, Box<dyn Recode>)>,
}

impl Treatments {
    /// What becomes of each of `streams` in an output of `contents`.
    ///
    /// # Errors
    /// When what was asked for cannot be done.
    pub(in crate::io::libav) fn choose(contents: HeaderContents<'_>, streams: &[CopiedStream]) -> Result<Treatments> {
        contents.options.sound.check(streams)?;
        contents.options.subtitles.check(streams)?;
        let mut treatments = Treatments::default();
        for (at, stream) in streams.iter().enumerate() {
            let number = streams[..=at].iter().filter(|other| other.media == stream.media).count();
            match treatment(contents, stream, number)? {
                Treatment::Copy => {}
                Treatment::LeaveOut => treatments.left_out.push(stream.index),
                Treatment::Recode(recode) => treatments.recoded.push((stream.index, recode)),
            }
        }
        Ok(treatments)
    }

    /// Whether nothing of the source's stream `index` is written.
    pub(in crate::io::libav) fn leave_out(&self, index: usize) -> bool {
        self.left_out.contains(&index)
    }

    /// What codes the source's stream `index` anew.
    pub(in crate::io::libav) fn recoder(&self, index: usize) -> Option<&dyn Recode> {
        self.recoded.iter().find(|(stream, _)| *stream == index).map(|(_, recode)| &**recode)
    }

    /// The streams whose packets are needed [whole](Recode::cuts).
    pub(in crate::io::libav) fn needed_whole(&self) -> impl Iterator<Item = usize> {
        self.recoded.iter().filter(|(_, recoder)| recoder.cuts()).map(|(stream, _)| *stream)
    }

    /// Takes a packet of the source. Gives those that are written: itself, or what is made of it.
    ///
    /// # Errors
    /// As [`Recode::packet`].
    pub(in crate::io::libav) fn packet(&mut self, packet: CopiedPacket) -> Result<Vec<(usize, Packet)>> {
        let index = packet.stream;
        match self.recoded.iter_mut().find(|(stream, _)| *stream == index) {
            Some((_, recode)) => Ok(recode.packet(packet)?.into_iter().map(|packet| (index, packet)).collect()),
            None => Ok(vec![(index, packet.packet)]),
        }
    }

    /// Gives what is left, after the last packet.
    ///
    /// # Errors
    /// As [`Recode::finish`].
    pub(in crate::io::libav) fn finish(&mut self) -> Result<Vec<(usize, Packet)>> {
        let mut rest = Vec::new();
        for (index, recode) in &mut self.recoded {
            rest.extend(recode.finish()?.into_iter().map(|packet| (*index, packet)));
        }
        Ok(rest)
    }

    /// What was lost so far.
    pub(in crate::io::libav) fn damage(&self) -> Option<Error> {
        self.recoded.iter().find_map(|(_, recode)| recode.damage())
    }
}
