//! What was lost while decoding.

use crate::error::{Error, Kind, Result};

/// Counts packets that did not decode and frames that decoded with faults.
#[derive(Debug, Default)]
pub(super) struct Damage {
    strict: bool,
    packets: u64,
    frames: u64,
    /// Where the first fault was, and its cause.
    first: Option<String>,
    /// Why reading stopped before the end.
    cut: Option<String>,
}

impl Damage {
    /// `strict` turns every fault into an error at once.
    pub(super) fn new(strict: bool) -> Damage {
        Damage { strict, ..Damage::default() }
    }

    /// A packet after `frame` frames did not decode.
    pub(super) fn packet(&mut self, frame: u64, cause: impl std::fmt::Display) -> Result<()> {
        self.packets += 1;
        self.note(format!("before frame {frame}: {cause}"))
    }

    /// Frame `frame` decoded with faults.
    pub(super) fn frame(&mut self, frame: u64) -> Result<()> {
        self.frames += 1;
        self.note(format!("at frame {frame}: the decoder marked it as damaged"))
    }

    /// Reading stopped after `frame` frames, before the end of the source.
    pub(super) fn cut(&mut self, frame: u64, cause: impl std::fmt::Display) -> Result<()> {
        let cause = format!("reading stopped after {frame} frames: {cause}");
        self.fail_if_strict(&cause)?;
        self.cut = Some(cause);
        Ok(())
    }

    fn note(&mut self, fault: String) -> Result<()> {
        log::debug!("damage {fault}");
        self.fail_if_strict(&fault)?;
        self.first.get_or_insert(fault);
        Ok(())
    }

    fn fail_if_strict(&self, fault: &str) -> Result<()> {
        if self.strict { Err(Error::corrupt(format!("damaged {fault} (--strict stops here)"))) } else { Ok(()) }
    }

    /// All of it in one line, or `None` when every frame was good.
    pub(super) fn report(&self) -> Option<Error> {
        let counted = |count: u64, what: &str, verb: &str| match count {
            0 => None,
            1 => Some(format!("1 {what} {verb}")),
            _ => Some(format!("{count} {what}s {verb}")),
        };
        let counts =
            [counted(self.packets, "packet", "did not decode"), counted(self.frames, "frame", "decoded with faults")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let first = self.first.as_ref().map(|first| format!("{}, first {first}", counts.join(" and ")));
        let parts: Vec<String> = first.into_iter().chain(self.cut.clone()).collect();
        (!parts.is_empty()).then(|| Error::new(Kind::Incomplete, parts.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_in_one_line() {
        let mut damage = Damage::new(false);
        assert_eq!(damage.report(), None);
        damage.packet(7, "Invalid data").unwrap();
        damage.frame(9).unwrap();
        damage.frame(10).unwrap();
        damage.cut(12, "partial file").unwrap();
        let report = damage.report().unwrap();
        assert_eq!(report.kind(), Kind::Incomplete);
        assert_eq!(
            report.message(),
            "1 packet did not decode and 2 frames decoded with faults, first before frame 7: Invalid data; \
             reading stopped after 12 frames: partial file"
        );
    }

    #[test]
    fn strict_stops_at_the_first_fault() {
        assert_eq!(Damage::new(true).packet(0, "x").unwrap_err().kind(), Kind::CorruptInput);
        assert_eq!(Damage::new(true).frame(0).unwrap_err().kind(), Kind::CorruptInput);
        assert_eq!(Damage::new(true).cut(0, "x").unwrap_err().kind(), Kind::CorruptInput);
    }
}
