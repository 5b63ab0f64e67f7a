//! Packets of H.264.

use super::bits::Bits;
use super::nal::{self, Framing, ParameterSets};
use super::parser::Parser;
use super::{Access, PacketParser, Reason, Unit};
use crate::error::Result;
use ffmpeg_next::codec::Parameters;

const IDR: u8 = 5;
const SEI: u8 = 6;
const SPS: u8 = 7;
const PPS: u8 = 8;
const SPS_EXTENSION: u8 = 13;
const SUBSET_SPS: u8 = 15;

/// The SEI message that says from where on a decoder that began here shows what was meant.
const RECOVERY_POINT: u32 = 6;

pub(super) struct H264 {
    framing: Framing,
    sets: ParameterSets,
    parser: Parser,
    /// The highest of the numbers by which pictures are shown, since they began anew.
    latest: i32,
}

impl H264 {
    pub(super) fn new(parameters: &Parameters) -> Result<H264> {
        let extradata = super::extradata(parameters);
        let framing = match extradata {
            [1, _, _, _, sizes, _, ..] => Framing::Lengths(usize::from(sizes & 3) + 1),
            _ => Framing::StartCodes,
        };
        let sets = match framing {
            Framing::Lengths(_) => ParameterSets::new(configuration(&extradata[5..]).into_iter()),
            Framing::StartCodes => ParameterSets::new(framing.units(extradata)),
        };
        Ok(H264 { framing, sets, parser: Parser::new(parameters)?, latest: i32::MIN })
    }
}

impl PacketParser for H264 {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let (mut idr, mut recovers, mut sets) = (false, false, Vec::new());
        for unit in self.framing.units(bytes) {
            match unit[0] & 31 {
                IDR => idr = true,
                SEI => recovers |= is_exact_recovery(&nal::unescaped(&unit[1..])),
                SPS | PPS | SPS_EXTENSION | SUBSET_SPS => sets.push(unit),
                _ => {}
            }
        }
        let known = self.sets.meet(&sets);
        let number = self.parser.frame(bytes).ok_or("it has field pictures, two of which may make one frame")?;
        let early = !idr && number < self.latest;
        self.latest = if idr { number } else { self.latest.max(number) };
        let access = match (idr, recovers) {
            _ if !known => Access::None,
            (true, _) => Access::Clean,
            (false, true) => Access::Open,
            (false, false) => Access::None,
        };
        Ok(Unit { early, ..Unit::shown(access) })
    }
}

/// The sets in an `avcC` box, from the byte on that counts the first kind.
fn configuration(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut sets = Vec::new();
    for mask in [31, 255] {
        let Some((count, behind)) = bytes.split_first() else { break };
        bytes = behind;
        for _ in 0..count & mask {
            let [high, low, behind @ ..] = bytes else { return sets };
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let Some((set, behind)) = behind.split_at_checked(length) else { return sets };
            sets.push(set);
            bytes = behind;
        }
    }
    sets
}

/// Whether SEI messages hold a recovery point at the very picture they come with, exact and without a broken link.
fn is_exact_recovery(mut messages: &[u8]) -> bool {
    while messages.len() > 2 {
        let (Some(kind), Some(size)) = (extended(&mut messages), extended(&mut messages)) else { return false };
        let Some((payload, behind)) = messages.split_at_checked(size as usize) else { return false };
        if kind == RECOVERY_POINT {
            let mut bits = Bits::new(payload);
            return bits.exp_golomb() == Some(0) && bits.bit() && !bits.bit();
        }
        messages = behind;
    }
    false
}

/// A number of which every byte 255 is a part.
fn extended(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    loop {
        let (byte, behind) = bytes.split_first()?;
        *bytes = behind;
        number += u32::from(*byte);
        if *byte != 255 {
            return Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_recovery_points_are_found() {
        // frames (Exp-Golomb), exact, broken: 1 1 0, 1 0 0, 1 1 1, 010 1 0.
        for (payload, exact) in [(0b1100_0000, true), (0b1000_0000, false), (0b1110_0000, false), (0b0101_0000, false)]
        {
            assert_eq!(is_exact_recovery(&[6, 1, payload, 0x80]), exact);
            assert_eq!(is_exact_recovery(&[1, 2, 9, 9, 6, 1, payload, 0x80]), exact, "behind another");
        }
        assert!(!is_exact_recovery(&[1, 1, 0xc0, 0x80]));
        assert!(!is_exact_recovery(&[6, 9, 0xc0, 0x80]), "cut off");
    }

    #[test]
    fn sets_of_a_configuration_are_listed() {
        assert_eq!(configuration(&[0xe1, 0, 2, 7, 1, 2, 0, 1, 8, 0, 1, 9]), [&[7, 1][..], &[8], &[9]]);
        assert!(configuration(&[0xe1, 0, 9, 7]).is_empty(), "cut off");
    }
}
