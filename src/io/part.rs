//! The file of a part: what an encoder made of some of a film's frames, and a hash of all of it.
//!
//! No container is used, because each loses something before the film's own: NUT moves times and has no ProRes,
//! Matroska rounds times to milliseconds, MP4 holds no FFV1 and makes edit lists. Times are the source's, in its own unit.
//!
//! Numbers are little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `VRAMPPT1` |
//! | 16 | the plan's id |
//! | 4, 4, 4 | the part's number, its frames, the encoder's delay in frames |
//! | 4, n | length of the codec's header (libav's extradata), and the header |
//! | for each packet: 1 | 1 |
//! | 8, 8, 4 | when its frame is shown, how long it lasts, libav's flags |
//! | 4, then 4, 4, n each | number of side data; kind, length, bytes |
//! | 4, n | length, bytes |
//! | at the end: 1, 4 | 0, the number of packets |
//! | 16, 8 | XXH3 of 128 bits of everything before; `VRAMPEND` |

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use twox_hash::XxHash3_128;

const MAGIC: [u8; 8] = *b"VRAMPPT1";
const LAST: [u8; 8] = *b"VRAMPEND";

/// What stands before each packet, and before the end.
const PACKET: u8 = 1;
const END: u8 = 0;

/// Bytes of the end: its mark, the number of packets, the hash, the last word.
const END_BYTES: usize = 1 + 4 + 16 + 8;

/// More side data than this on one packet is no file of ours.
const MOST_SIDE_DATA: u32 = 256;

/// XXH3 of 128 bits of the times of frames, in order.
pub fn digest(times: &[i64]) -> u128 {
    let mut hasher = XxHash3_128::new();
    times.iter().for_each(|time| hasher.write(&time.to_le_bytes()));
    hasher.finish_128()
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartHeader {
    /// The plan it belongs to.
    pub plan: [u8; 16],
    /// Its number in the plan, from 0.
    pub number: u32,
    /// Its frames.
    pub frames: u32,
    /// How many frames are decoded before one that is shown earlier, at most, as the encoder says.
    pub delay: u32,
    /// The codec's header, as libav has it.
    pub extradata: Vec<u8>,
}

/// An encoded frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartPacket {
    /// When it is shown, in the unit of the source's times.
    pub pts: i64,
    /// How long it is shown, in that unit; 0 where that is not known.
    pub duration: i64,
    /// libav's flags of packets.
    pub flags: u32,
    /// Data beside it, by libav's kinds.
    pub side_data: Vec<(u32, Vec<u8>)>,
    /// The encoder's bytes.
    pub data: Vec<u8>,
}

/// Writes a part.
pub struct PartWriter<W> {
    out: W,
    hasher: XxHash3_128,
    packets: u32,
}

impl<W: Write> PartWriter<W> {
    /// Writes `header` to `out`.
    ///
    /// # Errors
    /// Of `out`.
    pub fn begin(out: W, header: &PartHeader) -> io::Result<PartWriter<W>> {
        let mut writer = PartWriter { out, hasher: XxHash3_128::new(), packets: 0 };
        writer.put(&MAGIC)?;
        writer.put(&header.plan)?;
        for number in [header.number, header.frames, header.delay] {
            writer.put(&number.to_le_bytes())?;
        }
        writer.block(&header.extradata)?;
        Ok(writer)
    }

    /// Writes a packet, in the order of decoding.
    ///
    /// # Errors
    /// Of the output.
    pub fn packet(&mut self, packet: &PartPacket) -> io::Result<()> {
        self.put(&[PACKET])?;
        self.put(&packet.pts.to_le_bytes())?;
        self.put(&packet.duration.to_le_bytes())?;
        self.put(&packet.flags.to_le_bytes())?;
        self.put(&length(packet.side_data.len())?)?;
        for (kind, bytes) in &packet.side_data {
            self.put(&kind.to_le_bytes())?;
            self.block(bytes)?;
        }
        self.block(&packet.data)?;
        self.packets += 1;
        Ok(())
    }

    /// Writes the end, and gives the output back.
    ///
    /// # Errors
    /// Of the output.
    pub fn finish(self) -> io::Result<W> {
        self.finish_with_sum().map(|(out, _)| out)
    }

    /// Writes the end, and gives the output back and the hash that the end has.
    ///
    /// # Errors
    /// Of the output.
    pub fn finish_with_sum(mut self) -> io::Result<(W, u128)> {
        self.put(&[END])?;
        self.put(&self.packets.to_le_bytes())?;
        let sum = self.hasher.finish_128();
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.write_all(&LAST)?;
        Ok((self.out, sum))
    }

    fn block(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(&length(bytes.len())?)?;
        self.put(bytes)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.write(bytes);
        self.out.write_all(bytes)
    }
}

fn length(bytes: usize) -> io::Result<[u8; 4]> {
    let wrong = |_| io::Error::new(ErrorKind::InvalidData, "a packet of more than 4 GiB");
    u32::try_from(bytes).map(u32::to_le_bytes).map_err(wrong)
}

/// Reads a part.
pub struct PartReader<R> {
    input: R,
    hasher: XxHash3_128,
    packets: u32,
    /// The hash that the end has, once it was read.
    sum: Option<u128>,
}

impl<R: Read> PartReader<R> {
    /// Reads the header from `input`.
    ///
    /// # Errors
    /// When it is no part, or cannot be read.
    pub fn begin(input: R) -> Result<(PartReader<R>, PartHeader)> {
        let mut reader = PartReader { input, hasher: XxHash3_128::new(), packets: 0, sum: None };
        if reader.array::<8>()? != MAGIC {
            return Err(Error::corrupt("it is no part of a film"));
        }
        let plan = reader.array()?;
        let [number, frames, delay] = [reader.number()?, reader.number()?, reader.number()?];
        let extradata = reader.block()?;
        Ok((reader, PartHeader { plan, number, frames, delay, extradata }))
    }

    /// The next packet, or `None` at the end of a part that is whole.
    ///
    /// # Errors
    /// When the part is damaged or cut off, or cannot be read.
    pub fn packet(&mut self) -> Result<Option<PartPacket>> {
        match self.array()? {
            [PACKET] => {}
            [END] => return self.end().map(|()| None),
            _ => return Err(damaged()),
        }
        let pts = i64::from_le_bytes(self.array()?);
        let duration = i64::from_le_bytes(self.array()?);
        let flags = self.number()?;
        let blocks = Some(self.number()?).filter(|blocks| *blocks <= MOST_SIDE_DATA).ok_or_else(damaged)?;
        let side_data = (0..blocks).map(|_| Ok((self.number()?, self.block()?))).collect::<Result<_>>()?;
        let data = self.block()?;
        self.packets = self.packets.checked_add(1).ok_or_else(damaged)?;
        Ok(Some(PartPacket { pts, duration, flags, side_data, data }))
    }

    fn end(&mut self) -> Result<()> {
        let packets = self.number()?;
        let hash = self.hasher.finish_128();
        let is_right = packets == self.packets && u128::from_le_bytes(self.array()?) == hash && self.array()? == LAST;
        let follows = self.input.read(&mut [0]).map_err(|e| failed(&e))?;
        self.sum = Some(hash).filter(|_| is_right && follows == 0);
        self.sum.map(drop).ok_or_else(damaged)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(|e| failed(&e))?;
        self.hasher.write(&bytes);
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// As many bytes as the length before them says; no more memory than there are bytes, whatever a damaged length says.
    fn block(&mut self) -> Result<Vec<u8>> {
        let length = u64::from(self.number()?);
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if bytes.len() as u64 != length {
            return Err(damaged());
        }
        self.hasher.write(&bytes);
        Ok(bytes)
    }
}

/// The header of the part in `input`, which has an end too. What lies between is not read.
///
/// # Errors
/// When it is no part or has no end, or cannot be read.
pub fn glance<R: Read + Seek>(mut input: R) -> Result<PartHeader> {
    let (_, header) = PartReader::begin(&mut input)?;
    let mut end = [0; END_BYTES];
    input.seek(SeekFrom::End(-(END_BYTES as i64))).and_then(|_| input.read_exact(&mut end)).map_err(|e| failed(&e))?;
    let is_whole = end[0] == END && end[1..5] == header.frames.to_le_bytes() && end.ends_with(&LAST);
    if is_whole { Ok(header) } else { Err(damaged()) }
}

/// The hash that stands at the end of the part in `input`, all of which is read.
///
/// # Errors
/// When it is no part or is damaged, or cannot be read.
pub fn sum(input: impl Read) -> Result<u128> {
    let (mut reader, _) = PartReader::begin(input)?;
    while reader.packet()?.is_some() {}
    reader.sum.ok_or_else(damaged)
}

/// Whether the file at `path` is part `number` of the plan with the id `plan`, as far as [`glance`] sees.
pub fn lies_at(path: &Path, plan: &[u8; 16], number: u32) -> bool {
    // Headers have fewer bytes than that, mostly: a hundred thousand parts are looked at in two reads each.
    let glance = |file| glance(BufReader::with_capacity(4096, file)).ok();
    let header = File::open(path).ok().and_then(glance);
    header.is_some_and(|header| (&header.plan, header.number) == (plan, number))
}

fn damaged() -> Error {
    Error::corrupt("it is damaged")
}

fn failed(error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => damaged(),
        _ => Error::io("it cannot be read", error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn header() -> PartHeader {
        PartHeader { plan: *b"0123456789abcdef", number: 7, frames: 2, delay: 1, extradata: vec![1, 2, 3] }
    }

    fn packets() -> [PartPacket; 2] {
        let first =
            PartPacket { pts: -40, duration: 40, flags: 1, side_data: vec![(5, vec![9; 3])], data: vec![4; 300] };
        [first, PartPacket { pts: i64::MAX, data: vec![], ..PartPacket::default() }]
    }

    fn written() -> Vec<u8> {
        let mut writer = PartWriter::begin(Vec::new(), &header()).unwrap();
        packets().iter().for_each(|packet| writer.packet(packet).unwrap());
        writer.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<(PartHeader, Vec<PartPacket>)> {
        let (mut reader, header) = PartReader::begin(bytes)?;
        let mut packets = Vec::new();
        while let Some(packet) = reader.packet()? {
            packets.push(packet);
        }
        Ok((header, packets))
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(read(&written()).unwrap(), (header(), packets().to_vec()));
        assert_eq!(glance(Cursor::new(written())).unwrap(), header());
        let (_, sum) = PartWriter::begin(Vec::new(), &header()).unwrap().finish_with_sum().unwrap();
        let mut writer = PartWriter::begin(Vec::new(), &header()).unwrap();
        packets().iter().for_each(|packet| writer.packet(packet).unwrap());
        let (bytes, other) = writer.finish_with_sum().unwrap();
        assert_eq!((bytes, super::sum(&written()[..]).unwrap()), (written(), other));
        assert_ne!(sum, other);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let whole = written();
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&flipped).unwrap_err().kind(), Kind::CorruptInput, "bit {bit}");
        }
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]).unwrap_err().kind(), Kind::CorruptInput, "{length} bytes");
            assert!(glance(Cursor::new(&whole[..length])).is_err(), "{length} bytes");
        }
        assert!(read(&[&whole[..], &[0]].concat()).is_err(), "a byte follows");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&[&MAGIC[..], &[0; 28], &bytes].concat());
            let _ = glance(Cursor::new([&MAGIC[..], &bytes].concat()));
        }
    }
}
