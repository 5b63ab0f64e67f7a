//! Bits of a header.

/// Reads bits from the highest of the first byte on. Behind the end all of them are zero.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0 }
    }

    pub(super) fn bit(&mut self) -> bool {
        let byte = self.bytes.get(self.at / 8).copied().unwrap_or(0);
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        bit == 1
    }

    pub(super) fn number(&mut self, bits: u32) -> u32 {
        (0..bits).fold(0, |number, _| number << 1 | u32::from(self.bit()))
    }

    pub(super) fn skip(&mut self, bits: usize) {
        self.at += bits;
    }

    /// An unsigned Exp-Golomb code; `None` when it does not fit.
    pub(super) fn exp_golomb(&mut self) -> Option<u32> {
        let zeros = (0..32).take_while(|_| !self.bit()).count() as u32;
        (zeros < 32).then(|| (1 << zeros) - 1 + self.number(zeros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_codes_are_read() {
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0010, 0b1000_0000]);
        assert_eq!((bits.bit(), bits.number(2)), (true, 0b01));
        // 00110 is 5, 010 is 1, 00010100 is 9, and behind the end nothing is a code.
        assert_eq!([bits.exp_golomb(), bits.exp_golomb()], [Some(5), Some(1)]);
        assert_eq!([bits.exp_golomb(), bits.exp_golomb()], [Some(9), None]);
    }
}
