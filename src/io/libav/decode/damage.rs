//! What was lost while reading and decoding.

use crate::error::{Error, Result};
use std::fmt::Display;

/// Counts faults that were got past.
#[derive(Debug, Default)]
pub(in crate::io::libav) struct Damage {
    strict: bool,
    /// Packets that did not decode.
    packets: u64,
    /// Frames that decoded with faults.
    frames: u64,
    /// Frames that are lost.
    missing: u64,
    /// Slices that are not what their checksums say.
    slices: u64,
    /// References to frames that are lost.
    references: u64,
    /// Places where the demuxer had to resynchronise.
    places: u64,
    /// Where the first of these was, and its cause.
    first: Option<String>,
    /// Why reading stopped before the end.
    cut: Option<String>,
}

impl Damage {
    /// `strict` turns every fault into an error at once.
    pub(in crate::io::libav) fn new(strict: bool) -> Damage {
        Damage { strict, ..Damage::default() }
    }

    /// Nothing lost, and as strict as this one.
    pub(in crate::io::libav) fn restarted(&self) -> Damage {
        Damage::new(self.strict)
    }

    /// A packet after `frame` frames did not decode.
    pub(in crate::io::libav) fn packet(&mut self, frame: u64, cause: impl Display) -> Result<()> {
        self.packets += 1;
        self.note(format!("before frame {frame}: {cause}"))
    }

    /// `count` frames about frame `frame` decoded with faults.
    pub(in crate::io::libav) fn frames(&mut self, count: u64, frame: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.frames += count;
        self.note(format!("near frame {frame}: faults concealed by the decoder"))
    }

    /// `count` frames that packets hold are lost.
    pub(in crate::io::libav) fn missing(&mut self, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.missing += count;
        self.note("in a packet that gives no frame".to_owned())
    }

    /// `count` slices about frame `frame` failed their checksums.
    pub(in crate::io::libav) fn slices(&mut self, count: u64, frame: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.slices += count;
        self.note(format!("near frame {frame}: its bytes are not those that its checksum was made of"))
    }

    /// `count` references about frame `frame` led to frames that are lost.
    pub(in crate::io::libav) fn references(&mut self, count: u64, frame: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.references += count;
        self.note(format!("near frame {frame}: a frame that others refer to is lost"))
    }

    /// The container was unreadable somewhere after `frame` frames.
    pub(in crate::io::libav) fn place(&mut self, frame: u64, cause: impl Display) -> Result<()> {
        self.places += 1;
        self.note(format!("after frame {frame}: {cause}"))
    }

    /// How much was lost so far.
    pub(in crate::io::libav) fn faults(&self) -> u64 {
        self.packets + self.frames + self.missing + self.slices + self.references + self.places
    }

    /// Reading stopped before the end of the source.
    pub(in crate::io::libav) fn cut(&mut self, cause: impl Display) -> Result<()> {
        let cause = format!("the source breaks off: {cause}");
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
        if self.strict { Err(Error::corrupt(format!("damaged input, --strict stops here: {fault}"))) } else { Ok(()) }
    }

    /// All of it in one line, or `None` when nothing was lost.
    pub(in crate::io::libav) fn report(&self) -> Option<String> {
        let counts = [
            counted(self.packets, "packet did not decode", "packets did not decode"),
            counted(self.frames, "frame decoded with faults", "frames decoded with faults"),
            counted(self.missing, "frame is missing", "frames are missing"),
            counted(self.slices, "slice fails its checksum", "slices fail their checksums"),
            counted(self.references, "reference is to a lost frame", "references are to lost frames"),
            counted(self.places, "place in the container is unreadable", "places in the container are unreadable"),
        ];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let first = self.first.as_ref().map(|first| format!("{} (first {first})", counts.join(", ")));
        let parts: Vec<String> = first.into_iter().chain(self.cut.clone()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// What there is none of is not worth a word.
fn counted(count: u64, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| numbered(count, one, many))
}

/// A number and what there are so many of.
pub(in crate::io::libav) fn numbered(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn damage_is_reported_in_one_line() {
        let mut damage = Damage::new(false);
        assert_eq!(damage.report(), None);
        damage.packet(7, "Invalid data").unwrap();
        damage.frames(1, 9).unwrap();
        damage.frames(1, 10).unwrap();
        damage.frames(0, 11).unwrap();
        damage.missing(0).unwrap();
        damage.missing(1).unwrap();
        damage.slices(1, 11).unwrap();
        damage.slices(0, 12).unwrap();
        damage.references(2, 12).unwrap();
        damage.references(0, 13).unwrap();
        damage.place(11, "lost").unwrap();
        damage.cut("partial file").unwrap();
        assert_eq!(
            damage.report().unwrap(),
            "1 packet did not decode, 2 frames decoded with faults, 1 frame is missing, \
             1 slice fails its checksum, 2 references are to lost frames, 1 place in the container is unreadable \
             (first before frame 7: Invalid data); the source breaks off: partial file"
        );
    }

    #[test]
    fn strict_stops_at_the_first_fault() {
        let kind = |fault: Result<()>| fault.unwrap_err().kind();
        assert_eq!(kind(Damage::new(true).packet(0, "x")), Kind::CorruptInput);
        assert_eq!(kind(Damage::new(true).frames(1, 0)), Kind::CorruptInput);
        assert_eq!(kind(Damage::new(true).slices(1, 0)), Kind::CorruptInput);
        assert_eq!(kind(Damage::new(true).references(1, 0)), Kind::CorruptInput);
        assert_eq!(kind(Damage::new(true).place(0, "x")), Kind::CorruptInput);
        assert_eq!(kind(Damage::new(true).cut("x")), Kind::CorruptInput);
    }
}
