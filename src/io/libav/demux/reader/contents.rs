//! What the packets of a video are: a machine that has another film under the same name is found by it, also where the file has the
//! same size and the same ends, as an unfinished copy has.

use super::entry_packet::hash;
use ffmpeg_next::Packet;
use std::ops::RangeInclusive;
use twox_hash::XxHash3_128;

/// Packets that are shown within a span, and the hash of their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderContents {
    /// From when until when they are shown, in the stream's timebase.
    pub span: RangeInclusive<i64>,
    /// XXH3 of 128 bits of them, as [`PacketHashes::of`] has it.
    pub hash: u128,
}

/// The packets of a video: when each is shown, and the hash of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketHashes(Vec<(i64, u128)>);

impl PacketHashes {
    /// Takes the next one. One that does not say when it is shown is in no span.
    pub(super) fn take(&mut self, packet: &Packet) {
        self.0.extend(packet.pts().map(|pts| (pts, hash(packet))));
    }

    /// Forgets all but the one that was taken last.
    pub(super) fn keep_last(&mut self) {
        self.0.drain(..self.0.len().saturating_sub(1));
    }

    /// Has [`PacketHashes::of`] be quick.
    pub(in crate::io::libav) fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// The hash of those that are shown within `span`, in the order in which they are shown. They must have been sorted.
    pub fn of(&self, span: RangeInclusive<i64>) -> u128 {
        let from = self.0.partition_point(|(pts, _)| pts < span.start());
        let mut hasher = XxHash3_128::new();
        for (pts, hash) in self.0[from..].iter().take_while(|(pts, _)| span.contains(pts)) {
            hasher.write(&pts.to_le_bytes());
            hasher.write(&hash.to_le_bytes());
        }
        hasher.finish_128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(packets: &[(i64, &[u8])]) -> PacketHashes {
        let mut hashes = PacketHashes::default();
        for (pts, bytes) in packets {
            let mut packet = Packet::copy(bytes);
            packet.set_pts(Some(*pts));
            hashes.take(&packet);
        }
        hashes.sort();
        hashes
    }

    #[test]
    fn packets_within_the_span_count_in_any_order() {
        let of = |packets: &[(i64, &[u8])]| hashes(packets).of(10..=30);
        let known = of(&[(0, b"a"), (10, b"b"), (30, b"d"), (20, b"c"), (40, b"e")]);
        assert_eq!(of(&[(10, b"b"), (20, b"c"), (30, b"d"), (31, b"x")]), known);
        for other in [
            &[(10, &b"b"[..]), (20, b"c")][..],
            &[(10, b"b"), (20, b"C"), (30, b"d")],
            &[(10, b"b"), (21, b"c"), (30, b"d")],
            &[(10, b"c"), (20, b"b"), (30, b"d")],
            &[(10, b"b"), (20, b"c"), (30, b"d"), (30, b"d")],
        ] {
            assert_ne!(of(other), known, "{other:?}");
        }
        let mut read = hashes(&[(10, b"x"), (10, b"b")]);
        read.keep_last();
        assert_eq!(read.0.len(), 1);
    }
}
