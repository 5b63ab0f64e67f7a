//! Packets of HEVC.

use super::bits::Bits;
use super::nal::{self, Framing, ParameterSets};
use super::{Access, PacketParser, Reason, Unit};
use ffmpeg_next::codec::Parameters;

const BLA: std::ops::RangeInclusive<u8> = 16..=18;
const IDR: std::ops::RangeInclusive<u8> = 19..=20;
const CRA: u8 = 21;
const LAST_SLICE: u8 = 31;
const VPS: u8 = 32;
const SPS: u8 = 33;
const PPS: u8 = 34;
const END_OF_SEQUENCE: u8 = 36;
const END_OF_BITSTREAM: u8 = 37;

/// Bytes of a unit's header.
const HEADER: usize = 2;

pub(super) struct Hevc {
    framing: Framing,
    sets: ParameterSets,
    hides: bool,
}

impl Hevc {
    pub(super) fn new(parameters: &Parameters) -> Hevc {
        let extradata = super::extradata(parameters);
        // As libav distinguishes the two.
        let boxed = extradata.len() > 22 && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1);
        let framing = if boxed { Framing::Lengths(usize::from(extradata[21] & 3) + 1) } else { Framing::StartCodes };
        let units = if boxed { configuration(&extradata[22..]) } else { framing.units(extradata).collect() };
        let hides = units.iter().any(|unit| may_hide(unit));
        Hevc { framing, sets: ParameterSets::new(units.into_iter()), hides }
    }
}

impl PacketParser for Hevc {
    fn parse(&mut self, bytes: &[u8]) -> Result<Unit, Reason> {
        let (mut access, mut sets, mut slices) = (Access::None, Vec::new(), 0);
        for unit in self.framing.units(bytes).filter(|unit| unit.len() > HEADER || kind(unit) > LAST_SLICE) {
            // Further layers are not decoded.
            if layer(unit) != 0 {
                continue;
            }
            match kind(unit) {
                kind @ 0..=LAST_SLICE => {
                    let mut bits = Bits::new(&unit[HEADER..]);
                    let (is_first, drops_earlier) = (bits.bit(), bits.bit());
                    slices += u32::from(is_first);
                    match kind {
                        _ if BLA.contains(&kind) => return Err("it is spliced, and pictures may be left out there"),
                        _ if IDR.contains(&kind) && drops_earlier => {
                            return Err("it drops pictures before they are shown");
                        }
                        _ if IDR.contains(&kind) || kind == CRA => access = Access::Clean,
                        _ => {}
                    }
                }
                VPS | SPS | PPS => {
                    self.hides |= may_hide(unit);
                    sets.push(unit);
                }
                END_OF_SEQUENCE | END_OF_BITSTREAM => {
                    return Err("it has several sequences, and pictures may be left out there");
                }
                _ => {}
            }
        }
        let known = self.sets.meet(&sets);
        match slices {
            _ if self.hides => Err("it may have pictures that are not shown"),
            1 => Ok(Unit::shown(if known { access } else { Access::None })),
            _ => Err("a packet holds no picture, or several"),
        }
    }
}

fn kind(unit: &[u8]) -> u8 {
    unit[0] >> 1 & 63
}

fn layer(unit: &[u8]) -> u8 {
    (unit[0] & 1) << 5 | unit.get(1).copied().unwrap_or(0) >> 3
}

/// Whether `unit` is a picture parameter set that lets slices say that their picture is not shown.
fn may_hide(unit: &[u8]) -> bool {
    if kind(unit) != PPS || unit.len() <= HEADER {
        return false;
    }
    let payload = nal::unescaped(&unit[HEADER..]);
    let mut bits = Bits::new(&payload);
    bits.exp_golomb();
    bits.exp_golomb();
    bits.skip(1);
    bits.bit()
}

/// The units in an `hvcC` box, from the byte on that counts their arrays.
fn configuration(bytes: &[u8]) -> Vec<&[u8]> {
    let mut units = Vec::new();
    let Some((arrays, mut bytes)) = bytes.split_first() else { return units };
    for _ in 0..*arrays {
        let [_, high, low, behind @ ..] = bytes else { break };
        bytes = behind;
        for _ in 0..u16::from_be_bytes([*high, *low]) {
            let [high, low, behind @ ..] = bytes else { return units };
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let Some((unit, behind)) = behind.split_at_checked(length).filter(|(unit, _)| !unit.is_empty()) else {
                return units;
            };
            units.push(unit);
            bytes = behind;
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit of `kind` in layer 0.
    fn unit(kind: u8, payload: &[u8]) -> Vec<u8> {
        [&[0, 0, 1, kind << 1, 1], payload].concat()
    }

    fn look(units: &[Vec<u8>]) -> Result<Unit, Reason> {
        let sets = ParameterSets::new(std::iter::empty());
        Hevc { framing: Framing::StartCodes, sets, hides: false }.parse(&units.concat())
    }

    #[test]
    fn pictures_are_distinguished() {
        let first = [0x80];
        for (kind, access) in [(CRA, Access::Clean), (19, Access::Clean), (1, Access::None), (9, Access::None)] {
            assert_eq!(look(&[unit(kind, &first), unit(kind, &[0x20])]), Ok(Unit::shown(access)), "{kind}");
        }
        for doubtful in [
            vec![unit(16, &first)],
            vec![unit(19, &[0xc0])],
            vec![unit(1, &first), unit(1, &first)],
            vec![unit(SPS, &[1])],
            vec![unit(1, &first), unit(END_OF_SEQUENCE, &[])],
            // Two Exp-Golomb zeros, no dependent slices, but flags for the output.
            vec![unit(PPS, &[0b1101_0000]), unit(1, &first)],
        ] {
            assert!(look(&doubtful).is_err(), "{doubtful:?}");
        }
        assert!(look(&[unit(PPS, &[0b1110_1000]), unit(1, &first)]).is_ok());
    }

    #[test]
    fn units_of_a_configuration_are_listed() {
        assert_eq!(configuration(&[2, 32, 0, 1, 0, 2, 64, 1, 34, 0, 1, 0, 1, 68]), [&[64, 1][..], &[68]]);
        assert_eq!(configuration(&[1, 32, 0, 2, 0, 1, 64, 0, 9]), [&[64][..]]);
    }
}
