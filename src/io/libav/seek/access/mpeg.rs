//! Packets of MPEG-1 and MPEG-2.

use super::nal::start_code;
use super::{Access, PacketParser, Reason, Unit};

const PICTURE: u8 = 0x00;
const SEQUENCE: u8 = 0xb3;
const EXTENSION: u8 = 0xb5;
/// Slices, which end a picture's headers, begin with these.
const SLICES: std::ops::RangeInclusive<u8> = 0x01..=0xaf;

const CODING_EXTENSION: u8 = 8;
const INTRA: u8 = 1;
const BIDIRECTIONAL: u8 = 3;
const BOTH_FIELDS: u8 = 3;

pub(super) struct Mpeg;

impl PacketParser for Mpeg {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let (mut fields, mut sequence, mut kind) = (0, false, None);
        let mut rest = bytes;
        while let Some(at) = start_code(rest) {
            rest = &rest[at + 3..];
            match *rest {
                [SEQUENCE, ..] => sequence = kind.is_none(),
                [PICTURE, _, coded, ..] => {
                    kind.get_or_insert(coded >> 3 & 7);
                    fields += 2;
                }
                [EXTENSION, kind, _, structure, ..] if kind >> 4 == CODING_EXTENSION => {
                    fields -= i32::from(structure & 3 != BOTH_FIELDS);
                }
                // A frame's slices are not looked through: its composition is known from the headers.
                [slice, ..] if SLICES.contains(&slice) && fields == 2 => break,
                _ => {}
            }
        }
        if fields != 2 {
            return Err("a packet does not hold one frame");
        }
        // Quantiser matrices hold until a sequence header.
        let access = if sequence && kind == Some(INTRA) { Access::Clean } else { Access::None };
        Ok(Unit { early: kind == Some(BIDIRECTIONAL), ..Unit::shown(access) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(parts: &[&[u8]]) -> Result<Unit, Reason> {
        Mpeg.parse(&parts.iter().flat_map(|part| [&[0, 0, 1], *part].concat()).collect::<Vec<_>>())
    }

    #[test]
    fn frames_and_fields_are_distinguished() {
        let (sequence, slice): (&[u8], &[u8]) = (&[SEQUENCE, 9, 9, 9], &[1, 9, 9]);
        let picture = |kind: u8| [PICTURE, 0xff, kind << 3, 9];
        let structure = |bits: u8| [EXTENSION, 0x8f, 0xff, 0xf0 | bits];
        let (intra, predicted, frame, top) = (picture(1), picture(2), structure(3), structure(1));
        assert_eq!(look(&[sequence, &intra, &frame, slice]), Ok(Unit::shown(Access::Clean)));
        assert_eq!(look(&[sequence, &intra, slice]), Ok(Unit::shown(Access::Clean)), "MPEG-1");
        assert_eq!(look(&[&intra, &frame, slice]), Ok(Unit::shown(Access::None)));
        assert_eq!(look(&[sequence, &predicted, &frame, slice]), Ok(Unit::shown(Access::None)));
        let between = Unit { early: true, ..Unit::shown(Access::None) };
        assert_eq!(look(&[&picture(BIDIRECTIONAL), &frame, slice]), Ok(between));
        let pair = [sequence, &intra, &top, slice, &predicted, &structure(2), slice];
        assert_eq!(look(&pair), Ok(Unit::shown(Access::Clean)));
        assert!(look(&pair[..4]).is_err(), "a field of its own");
        assert!(look(&[sequence]).is_err());
    }
}
