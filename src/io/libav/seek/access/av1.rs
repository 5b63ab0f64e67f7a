//! Packets of AV1: temporal units.

use super::bits::Bits;
use super::{Access, PacketParser, Reason, Unit};

const SEQUENCE_HEADER: u8 = 1;
const FRAME_HEADER: u8 = 3;
const FRAME: u8 = 6;

pub(super) struct Av1;

impl PacketParser for Av1 {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let (mut sequence, mut shown, mut access) = (false, 0, Access::None);
        let mut rest = bytes;
        while !rest.is_empty() {
            let unit = take(&mut rest).ok_or("a packet is not made of whole units")?;
            if unit.layer != 0 {
                return Err("it has layers");
            }
            match unit.kind {
                SEQUENCE_HEADER => sequence = true,
                FRAME_HEADER | FRAME => {
                    let mut bits = Bits::new(unit.payload);
                    let is_existing = bits.bit();
                    let (key, is_shown) = (!is_existing && bits.number(2) == 0, is_existing || bits.bit());
                    // A key frame that is shown at once replaces everything that could be referred to.
                    if key && is_shown && sequence && shown == 0 {
                        access = Access::Clean;
                    }
                    shown += u32::from(is_shown);
                }
                _ => {}
            }
        }
        match shown {
            0 | 1 => Ok(Unit { access, shown: shown == 1, early: false }),
            _ => Err("a packet shows several frames"),
        }
    }
}

/// An open bitstream unit.
struct Obu<'a> {
    kind: u8,
    layer: u8,
    payload: &'a [u8],
}

/// Takes the first unit from `rest`.
fn take<'a>(rest: &mut &'a [u8]) -> Option<Obu<'a>> {
    let (header, behind) = rest.split_first()?;
    *rest = behind;
    let mut layer = 0;
    if header & 4 != 0 {
        let (extension, behind) = rest.split_first()?;
        (layer, *rest) = (extension >> 3 & 3, behind);
    }
    let length = if header & 2 != 0 { leb128(rest)? } else { rest.len() };
    let (payload, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(Obu { kind: header >> 3 & 15, layer, payload })
}

/// Takes a number of 7 bits a byte, the lowest first.
fn leb128(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..56).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obu(kind: u8, payload: &[u8]) -> Vec<u8> {
        [&[kind << 3 | 2, payload.len() as u8], payload].concat()
    }

    #[test]
    fn units_are_taken_apart() {
        let sequence = obu(SEQUENCE_HEADER, &[9; 4]);
        let key = obu(FRAME, &[0b0001_0000]);
        let inter = obu(FRAME, &[0b0011_0000]);
        let hidden = obu(FRAME, &[0b0010_0000]);
        let existing = obu(FRAME_HEADER, &[0b1000_0000]);
        let look = |parts: &[&Vec<u8>]| Av1.parse(&parts.iter().flat_map(|part| part.to_vec()).collect::<Vec<_>>());
        assert_eq!(look(&[&sequence, &key]), Ok(Unit::shown(Access::Clean)));
        assert_eq!(look(&[&key]), Ok(Unit::shown(Access::None)), "it does not say what it is");
        assert_eq!(look(&[&hidden, &inter]), Ok(Unit::shown(Access::None)));
        assert_eq!(look(&[&existing]), Ok(Unit::shown(Access::None)));
        assert_eq!(look(&[&hidden]), Ok(Unit { access: Access::None, shown: false, early: false }));
        assert!(look(&[&inter, &inter]).is_err());
        assert!(Av1.parse(&[FRAME << 3 | 2, 9, 0]).is_err(), "cut off");
        assert!(Av1.parse(&[FRAME << 3 | 4, 8, 0b0011_0000]).is_err(), "another layer");
    }
}
