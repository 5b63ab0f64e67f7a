//! When the packets of a copied stream are decoded, where the source does not state it: Matroska has only when they are shown.

/// The decode times of one stream. Its first packet decides whether they are the source's.
#[derive(Debug, Default)]
pub(in crate::io::libav) struct Decoding {
    /// How many packets precede one that is shown earlier.
    delay: usize,
    /// When the last packets are shown, earliest first, and times before the first of them: one more than the delay. Empty
    /// until the first packet.
    shown: Vec<i64>,
    /// The source states them.
    stated: bool,
}

impl Decoding {
    /// For a stream that is reordered by at most `delay` packets.
    pub(in crate::io::libav) fn new(delay: usize) -> Decoding {
        Decoding { delay, ..Decoding::default() }
    }

    /// When a packet is decoded that the source shows at `pts` for `duration` and decodes at `dts`.
    pub(in crate::io::libav) fn time(&mut self, pts: Option<i64>, dts: Option<i64>, duration: i64) -> Option<i64> {
        self.stated |= self.shown.is_empty() && dts.is_some();
        let Some(pts) = pts.filter(|_| !self.stated && self.delay > 0) else { return dts.or(pts) };
        if self.shown.is_empty() {
            // Decoding begins as much earlier as the frames that are held back last.
            let step = duration.max(1);
            self.shown = (0..=self.delay).rev().map(|frames| pts - frames as i64 * step).collect();
            return self.shown.first().copied();
        }
        // Sorted, the times at which packets are shown are those at which they can be decoded.
        let place = self.shown.partition_point(|shown| *shown <= pts);
        self.shown.insert(place, pts);
        self.shown.remove(0);
        self.shown.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_decoded_in_order_and_before_they_are_shown() {
        // I P B B P B B, two held back.
        let mut decoding = Decoding::new(2);
        let shown = [0, 120, 40, 80, 240, 160, 200];
        let decoded = shown.map(|pts| decoding.time(Some(pts), None, 40).unwrap());
        assert_eq!(decoded, [-80, -40, 0, 40, 80, 120, 160]);
        assert!(decoded.iter().zip(shown).all(|(decoded, shown)| *decoded <= shown));
    }

    #[test]
    fn what_the_source_states_is_kept() {
        let mut decoding = Decoding::new(2);
        assert_eq!(decoding.time(Some(0), Some(-7), 40), Some(-7));
        assert_eq!(decoding.time(Some(120), None, 40), Some(120));
        assert_eq!(Decoding::new(0).time(Some(5), None, 0), Some(5));
        assert_eq!(Decoding::new(1).time(None, None, 0), None);
    }
}
