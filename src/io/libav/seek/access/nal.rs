//! NAL units: how H.264 and HEVC packets are cut, and the parameter sets that decoding needs.

/// More distinct parameter sets than any encoder sends, and as many as are worth keeping.
const MOST_SETS: usize = 64;

/// How a packet is cut into units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Start codes before them.
    StartCodes,
    /// Their lengths before them, in so many bytes.
    Lengths(usize),
}

impl Framing {
    /// The units of `bytes`, without the zeros that may follow them. What is cut off in its midst is no unit.
    pub(super) fn units(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = bytes;
        let next = move || match self {
            Framing::StartCodes => after_start_code(&mut rest),
            Framing::Lengths(size) => {
                let (length, behind) = rest.split_at_checked(size)?;
                let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
                let (unit, behind) = behind.split_at_checked(length)?;
                rest = behind;
                Some(unit)
            }
        };
        std::iter::from_fn(next).map(trimmed).filter(|unit| !unit.is_empty())
    }
}

/// Takes the unit behind the next start code from `rest`.
fn after_start_code<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let begin = start_code(rest)? + 3;
    let unit = &rest[begin..];
    let end = start_code(unit).unwrap_or(unit.len());
    *rest = &unit[end..];
    Some(&unit[..end])
}

/// Where the next 00 00 01 is.
pub(super) fn start_code(bytes: &[u8]) -> Option<usize> {
    let mut at = 2;
    while at < bytes.len() {
        match bytes[at] {
            1 if bytes[at - 1] == 0 && bytes[at - 2] == 0 => return Some(at - 2),
            0 => at += 1,
            // No start code ends here or at the next two bytes.
            _ => at += 3,
        }
    }
    None
}

fn trimmed(unit: &[u8]) -> &[u8] {
    let end = unit.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &unit[..end]
}

/// The payload of a unit without the bytes that keep start codes out of it.
pub(super) fn unescaped(payload: &[u8]) -> Vec<u8> {
    let mut zeros = 0;
    let is_kept = |byte: &&u8| {
        let escapes = zeros >= 2 && **byte == 3;
        zeros = if **byte == 0 { zeros + 1 } else { 0 };
        !escapes
    };
    payload.iter().filter(is_kept).copied().collect()
}

/// The parameter sets that a stream has shown. Who begins in its midst knows those of the container, and those of the
/// packet where it begins.
pub(super) struct ParameterSets {
    container: Vec<Box<[u8]>>,
    shown: Vec<Box<[u8]>>,
}

impl ParameterSets {
    /// The sets of a container.
    pub(super) fn new<'a>(container: impl Iterator<Item = &'a [u8]>) -> ParameterSets {
        ParameterSets { container: container.map(Box::from).collect(), shown: Vec::new() }
    }

    /// Notes the sets of a packet. Whether the container and it have all that were shown so far.
    pub(super) fn meet(&mut self, packet: &[&[u8]]) -> bool {
        for set in packet {
            if self.shown.len() < MOST_SETS && !self.shown.iter().any(|shown| **shown == **set) {
                self.shown.push(Box::from(*set));
            }
        }
        let is_known = |set: &[u8]| self.container.iter().any(|known| **known == *set) || packet.contains(&set);
        self.shown.len() < MOST_SETS && self.shown.iter().all(|set| is_known(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_cut_into_units() {
        let units = |framing: Framing, bytes: &[u8]| framing.units(bytes).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let coded = [0, 0, 0, 1, 9, 8, 0, 0, 1, 7, 0, 0, 0, 0, 1, 6, 0, 0, 3];
        assert_eq!(units(Framing::StartCodes, &coded), [vec![9, 8], vec![7], vec![6, 0, 0, 3]]);
        assert!(units(Framing::StartCodes, &[0, 0, 2, 0, 1, 0, 0]).is_empty());
        let counted = [0, 2, 9, 8, 0, 0, 0, 3, 1, 2, 0, 0, 9, 1];
        assert_eq!(units(Framing::Lengths(2), &counted), [vec![9, 8], vec![1, 2]], "the last is incomplete");
    }

    #[test]
    fn escapes_are_taken_out() {
        assert_eq!(unescaped(&[0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 3]), [0, 0, 1, 0, 0, 0, 0, 3]);
    }

    #[test]
    fn sets_that_changed_in_between_must_be_repeated() {
        let mut sets = ParameterSets::new([&[1u8][..]].into_iter());
        assert!(sets.meet(&[]) && sets.meet(&[&[1]]));
        assert!(sets.meet(&[&[2]]), "the packet brings it");
        assert!(!sets.meet(&[]), "now it is missing");
        assert!(sets.meet(&[&[1], &[2]]));
    }
}
