//! Packets of VP8 and VP9.

use super::bits::Bits;
use super::{Access, PacketParser, Reason, Unit};

const EMPTY: Reason = "a packet is empty";

pub(super) struct Vp8;

impl PacketParser for Vp8 {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let first = bytes.first().ok_or(EMPTY)?;
        let (key, shown) = (first & 1 == 0, first & 16 != 0);
        Ok(Unit { access: if key && shown { Access::Clean } else { Access::None }, shown, early: false })
    }
}

pub(super) struct Vp9;

impl PacketParser for Vp9 {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let frames: Vec<FrameHeader> = superframe(bytes)?.into_iter().map(FrameHeader::new).collect();
        match frames.iter().filter(|frame| frame.shown).count() {
            shown @ (0 | 1) => {
                let key = frames.first().is_some_and(|frame| frame.key && frame.shown);
                Ok(Unit { access: if key { Access::Clean } else { Access::None }, shown: shown == 1, early: false })
            }
            _ => Err("a packet shows several frames"),
        }
    }
}

struct FrameHeader {
    key: bool,
    shown: bool,
}

impl FrameHeader {
    /// Reads the start of an uncompressed header.
    fn new(bytes: &[u8]) -> FrameHeader {
        let mut bits = Bits::new(bytes);
        bits.skip(2);
        let profile = bits.number(2);
        if profile == 3 {
            bits.skip(1);
        }
        let shows_existing = bits.bit();
        if shows_existing {
            return FrameHeader { key: false, shown: true };
        }
        FrameHeader { key: !bits.bit(), shown: bits.bit() }
    }
}

/// The frames of a packet, by the index at its end if it has one.
fn superframe(bytes: &[u8]) -> Result<Vec<&[u8]>, Reason> {
    let marker = *bytes.last().ok_or(EMPTY)?;
    let (count, width) = (usize::from(marker & 7) + 1, usize::from(marker >> 3 & 3) + 1);
    let index = bytes.len().checked_sub(2 + count * width).filter(|at| marker & 0xe0 == 0xc0 && bytes[*at] == marker);
    let Some(index) = index else { return Ok(vec![bytes]) };
    let mut rest = &bytes[..index];
    let sizes = bytes[index + 1..bytes.len() - 1].chunks(width);
    let sizes = sizes.map(|size| size.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte)));
    let frames = sizes.map_while(|size| {
        let (frame, behind) = rest.split_at_checked(size)?;
        rest = behind;
        Some(frame)
    });
    Ok(frames.filter(|frame| !frame.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: u8 = 0b1000_0010;
    const HIDDEN_KEY: u8 = 0b1000_0000;
    const INTER: u8 = 0b1000_0110;
    const HIDDEN: u8 = 0b1000_0100;
    const EXISTING: u8 = 0b1000_1000;

    #[test]
    fn vp8_shows_or_hides() {
        let look = |byte| Vp8.parse(&[byte, 9]).unwrap();
        assert_eq!(look(0x10), Unit::shown(Access::Clean));
        assert_eq!(look(0x11), Unit::shown(Access::None));
        assert_eq!(look(0x01), Unit { access: Access::None, shown: false, early: false });
    }

    #[test]
    fn vp9_packets_are_taken_apart() {
        for (packet, unit) in [
            (vec![KEY, 9, 9], Some((Access::Clean, true))),
            (vec![INTER, 9], Some((Access::None, true))),
            (vec![EXISTING], Some((Access::None, true))),
            (vec![HIDDEN, 9], Some((Access::None, false))),
            (vec![HIDDEN, 9, INTER, 0xc1, 2, 1, 0xc1], Some((Access::None, true))),
            (vec![HIDDEN_KEY, 9, INTER, 0xc1, 2, 1, 0xc1], Some((Access::None, true))),
            (vec![KEY, HIDDEN, 0xc9, 1, 0, 1, 0, 0xc9], Some((Access::Clean, true))),
            (vec![INTER, INTER, 0xc1, 1, 1, 0xc1], None),
        ] {
            let expected = unit.map(|(access, shown)| Unit { access, shown, early: false });
            assert_eq!(Vp9.parse(&packet).ok(), expected, "{packet:x?}");
        }
    }
}
