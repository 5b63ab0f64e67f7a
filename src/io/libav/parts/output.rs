//! The end of a part's run: frames are encoded, and their packets written to the part's own file.

use super::{KEPT, delay, extradata};
use crate::error::{Error, Kind, Result};
use crate::io::TempFile;
use crate::io::libav::demux::opening::Opening;
use crate::io::libav::demux::reader::{EntryPacket, HeaderContents};
use crate::io::libav::demux::streams::Container;
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::{Encoder, Received};
use crate::io::libav::encode::fallback;
use crate::io::libav::encode::setup::EncoderJob;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::output::{FrameTimes, check};
use crate::io::part::{self, PartHeader, PartPacket, PartWriter, digest};
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::StreamInfo;
use ffmpeg_next::packet::Ref;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::slice;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How often it is looked whether another machine has made the part meanwhile.
const LOOK: Duration = Duration::from_secs(1);

/// What becomes of a part that was made.
#[derive(Clone, Debug)]
pub enum Keep {
    /// It gets its name.
    Always,
    /// It gets its name where its hash is among these.
    Among(Vec<u128>),
    /// Nothing: it is made for its hash, and no file of it.
    Never,
}

/// A part that is to be made.
#[derive(Clone, Debug)]
pub struct PartJob {
    /// The file that it becomes.
    pub path: PathBuf,
    /// Who makes it, in the name of the temporary file.
    pub writer: String,
    /// The plan's id.
    pub plan: [u8; 16],
    /// The part's number.
    pub number: u32,
    /// Its frames.
    pub frames: u32,
    /// The [digest] of their times.
    pub times: u128,
    /// The time of the film's first frame, from which encoders count that keep a frame rate.
    pub origin: i64,
    /// Where decoding begins, if that is known.
    pub place: Option<EntryPacket>,
    /// How the input is opened.
    pub opening: Option<Opening>,
    /// What the packets of the input are.
    pub contents: HeaderContents,
    /// What becomes of it.
    pub keep: Keep,
    /// Where its hash goes when it is made.
    pub sum: Arc<OnceLock<u128>>,
}

/// The file of a part, or none.
struct PartFile(Option<TempFile>);

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(bytes.len()), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// A part being made. It has its name only after [`Sink::finish`], which checks that it is what the plan says.
pub struct PartOutput {
    job: PartJob,
    encoder: Encoder,
    times: FrameTimes,
    /// When the frames are shown that the encoder got.
    shown: Vec<i64>,
    writer: Option<PartWriter<BufWriter<PartFile>>>,
    packets: u32,
    bytes: u64,
    cancel: Cancel,
    looked: Instant,
}

impl PartOutput {
    /// Opens the file of `job` for frames of `info`, which `choice` encodes as it would for the film's output `path`.
    ///
    /// # Errors
    /// As [`Output::create`](crate::io::libav::Output::create).
    pub fn create(
        path: &OsStr,
        choice: &EncoderChoice,
        options: &OutputOptions,
        info: &StreamInfo,
        container: &Container,
        job: &PartJob,
    ) -> Result<PartOutput> {
        check(path, choice, options, container)?;
        let file = match job.keep {
            Keep::Never => None,
            Keep::Always | Keep::Among(_) => Some(TempFile::create_by(&job.path, &job.writer, true, &options.cancel)?),
        };
        let side_data = &container.video.side_data;
        let (_, mut encoder) = fallback::open(EncoderJob { choice, options, info, side_data })?;
        encoder.count_from(job.origin);
        let header = PartHeader {
            plan: job.plan,
            number: job.number,
            frames: job.frames,
            delay: delay(&encoder),
            extradata: extradata(&encoder).to_vec(),
        };
        let writer = PartWriter::begin(BufWriter::new(PartFile(file)), &header)
            .map_err(|e| Error::io(job.path.display(), &e))?;
        Ok(PartOutput {
            job: job.clone(),
            encoder,
            times: FrameTimes::new(info),
            shown: Vec::new(),
            writer: Some(writer),
            packets: 0,
            bytes: 0,
            cancel: options.cancel.clone(),
            looked: Instant::now(),
        })
    }

    fn drain(&mut self) -> Result<()> {
        while let Received::Packet(packet) = self.encoder.receive()? {
            if self.cancel.is_requested() {
                return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
            }
            let packet = stored(&packet)?;
            let writer = self.writer.as_mut().ok_or_else(|| Error::internal("a part was finished twice"))?;
            writer.packet(&packet).map_err(|e| Error::io(self.job.path.display(), &e))?;
            self.packets += 1;
            self.bytes += packet.data.len() as u64;
        }
        Ok(())
    }

    /// Stops where another machine has made the part: nobody waits for the slower of two.
    fn look(&mut self) -> Result<()> {
        if self.looked.elapsed() < LOOK || !matches!(self.job.keep, Keep::Always) {
            return Ok(());
        }
        self.looked = Instant::now();
        match part::lies_at(&self.job.path, &self.job.plan, self.job.number) {
            true => Err(Error::new(Kind::Cancelled, "another machine has made it")),
            false => Ok(()),
        }
    }

    /// Checks that the frames are those of the plan, and that the encoder gave as many.
    fn check(&self) -> Result<()> {
        let PartJob { number, frames, .. } = self.job;
        if self.shown.len() != frames as usize {
            let count = self.shown.len();
            let line = format!(
                "part {number}: the input gives {count} frames of {frames}: it is not what the plan was made of"
            );
            return Err(Error::corrupt(line));
        }
        if digest(&self.shown) != self.job.times {
            let line =
                format!("part {number}: its frames are shown at other times than the plan's: the input is another");
            return Err(Error::corrupt(line));
        }
        if self.packets != frames {
            let packets = self.packets;
            let line =
                format!("part {number}: the encoder made {packets} packets of {frames} frames: it cannot be joined");
            return Err(Error::unsupported(line));
        }
        Ok(())
    }
}

impl Sink for PartOutput {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        let pts = self.times.next(&frame.props);
        self.shown.push(pts);
        self.encoder.send(frame, pts)?;
        self.look()?;
        self.drain()
    }

    #[cfg(feature = "cuda")]
    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        let pts = self.times.next(&frame.props);
        self.shown.push(pts);
        self.encoder.send_surface(frame, pts)?;
        self.look()?;
        self.drain()
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Err(Error::internal("a part has no other streams"))
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder.end()?;
        self.drain()?;
        self.check()?;
        let failed = |e| Error::io(self.job.path.display(), &e);
        let Some(writer) = self.writer.take() else { return Err(Error::internal("a part was finished twice")) };
        let (mut out, sum) = writer.finish_with_sum().map_err(failed)?;
        out.flush().map_err(failed)?;
        let PartFile(file) = out.into_inner().map_err(|e| failed(e.into_error()))?;
        let is_kept = match &self.job.keep {
            Keep::Always => true,
            Keep::Among(sums) => sums.contains(&sum),
            Keep::Never => false,
        };
        file.filter(|_| is_kept).map_or(Ok(()), |mut file| file.commit())?;
        let _ = self.job.sum.set(sum);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A packet of an encoder as a part's file has it.
fn stored(packet: &ffmpeg_next::Packet) -> Result<PartPacket> {
    let pts = packet.pts().ok_or_else(|| Error::unsupported("the encoder states no times: it cannot be joined"))?;
    // SAFETY: the packet is alive, and has as much side data, of as many bytes, as it says.
    let (flags, side_data) = unsafe {
        let raw = &*packet.as_ptr();
        let elements = match usize::try_from(raw.side_data_elems) {
            Ok(count @ 1..) => slice::from_raw_parts(raw.side_data, count),
            _ => &[],
        };
        let block = |data: &ffmpeg_next::ffi::AVPacketSideData| {
            (data.type_ as u32, slice::from_raw_parts(data.data, data.size).to_vec())
        };
        (raw.flags as u32, elements.iter().filter(|data| KEPT.contains(&data.type_)).map(block).collect())
    };
    let data = packet.data().unwrap_or_default().to_vec();
    Ok(PartPacket { pts, duration: packet.duration(), flags, side_data, data })
}
