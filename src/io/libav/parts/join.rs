//! The end of a join: packets of parts go where an encoder's would, among those that are copied from the source.

use super::{KEPT, extradata};
use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::streams::CopiedPacket;
use crate::io::libav::output::Output;
use crate::io::libav::seek::window::ticks_to_microseconds;
use crate::io::part::PartPacket;
use crate::pipeline::{Frame, Packet, Sink};
use crate::video::Rational;
use ffmpeg_next::ffi;
use ffmpeg_next::packet::Mut;
use std::ptr;

/// Packets of parts in the order of decoding, each with the time at which it is decoded.
pub type JoinedPackets = Box<dyn Iterator<Item = Result<(PartPacket, i64)>>>;

/// A film being joined.
pub struct JoinOutput {
    output: Output,
    coded: JoinedPackets,
    /// The packet that is next.
    next: Option<(PartPacket, i64)>,
    timebase: Rational,
    /// The unit of each copied stream's times, by its index.
    copied: Vec<(usize, Rational)>,
}

impl JoinOutput {
    /// Puts `coded`, whose frames are shown at `times` in the source's unit, in the place of what `output` would encode. `copied`
    /// has the unit of each copied stream's times by its index.
    ///
    /// # Errors
    /// When the parts were made with another header than this machine's encoder has, which is `made`.
    pub fn new(
        mut output: Output,
        coded: JoinedPackets,
        times: Vec<i64>,
        made: &[u8],
        copied: Vec<(usize, Rational)>,
    ) -> Result<JoinOutput> {
        if extradata(output.encoder()) != made {
            let encoder = output.choice().encoder();
            let line = format!(
                "the parts were made by another {encoder} than this machine has: join them where they were made"
            );
            return Err(Error::unsupported(line));
        }
        let timebase = output.timebase();
        output.join(times);
        let mut join = JoinOutput { output, coded, next: None, timebase, copied };
        join.next = join.coded.next().transpose()?;
        Ok(join)
    }

    /// The file that it becomes.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Writes the packets that are decoded until `time` in microseconds on the source's clock.
    fn write_until(&mut self, time: i64) -> Result<()> {
        while let Some((packet, dts)) = self.next.take_if(|(_, dts)| ticks_to_microseconds(*dts, self.timebase) <= time)
        {
            self.output.take_encoded(restored(&packet, dts)?)?;
            self.next = self.coded.next().transpose()?;
        }
        Ok(())
    }
}

impl Sink for JoinOutput {
    fn frame(&mut self, _: Frame) -> Result<()> {
        Err(Error::internal("a join got a frame"))
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        if let Some(CopiedPacket { stream, packet, .. }) = packet.0.downcast_ref()
            && let Some(time) = packet.dts().or(packet.pts())
            && let Some((_, unit)) = self.copied.iter().find(|(index, _)| index == stream)
        {
            self.write_until(ticks_to_microseconds(time, *unit))?;
        }
        self.output.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        self.write_until(i64::MAX)?;
        self.output.finish()
    }

    fn bytes(&self) -> u64 {
        self.output.bytes()
    }

    fn damage(&self) -> Option<Error> {
        self.output.damage()
    }
}

/// The packet that an encoder gave.
fn restored(stored: &PartPacket, dts: i64) -> Result<ffmpeg_next::Packet> {
    let mut packet = ffmpeg_next::Packet::copy(&stored.data);
    packet.set_pts(Some(stored.pts));
    packet.set_dts(Some(dts));
    packet.set_duration(stored.duration);
    for (kind, bytes) in &stored.side_data {
        let Some(kind) = KEPT.into_iter().find(|known| *known as u32 == *kind) else { continue };
        // SAFETY: the packet is ours; libav gives as many bytes as it was asked for, or null.
        unsafe {
            let data = ffi::av_packet_new_side_data(packet.as_mut_ptr(), kind, bytes.len());
            if data.is_null() {
                return Err(Error::new(Kind::OutOfMemory, "no memory for a packet"));
            }
            ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        }
    }
    // SAFETY: the packet is ours.
    unsafe { (*packet.as_mut_ptr()).flags = stored.flags as i32 };
    Ok(packet)
}
