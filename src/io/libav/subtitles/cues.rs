//! Lines of text with their times, and what is on the screen where several are.

use std::ffi::CString;

/// A line in ASS, as Matroska has it, and when it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cue {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) line: CString,
}

/// The fields before the text of a line.
const FIELDS: usize = 8;

impl Cue {
    /// The line's fields before its text, with the comma, and its text.
    fn parts(&self) -> (&[u8], &[u8]) {
        let line = self.line.as_bytes();
        let commas = line.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| at);
        let text = commas.skip(FIELDS - 1).map(|at| at + 1).next().unwrap_or(line.len());
        line.split_at(text)
    }

    /// Whether it is a drawing, whose text is numbers: \p and a scale, inside braces.
    pub(super) fn is_drawing(&self) -> bool {
        let mut depth = 0;
        self.parts().1.windows(3).any(|window| {
            match window[0] {
                b'{' => depth = 1,
                b'}' => depth = 0,
                _ => {}
            }
            depth > 0 && window[..2] == *b"\\p" && matches!(window[2], b'1'..=b'9')
        })
    }
}

/// For containers that show one text at a time: where lines overlap, a cue for each part of the time, with all of them.
#[derive(Default)]
pub(super) struct OneAtATime {
    shown: Vec<Cue>,
    /// Everything before this is out.
    done: i64,
}

impl OneAtATime {
    /// Takes a cue that begins no earlier than those before it. Gives what is certain then.
    pub(super) fn take(&mut self, cue: Cue) -> Vec<Cue> {
        let certain = self.until(cue.start);
        self.done = if self.shown.is_empty() { cue.start } else { self.done };
        self.shown.push(cue);
        certain
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self) -> Vec<Cue> {
        self.until(i64::MAX)
    }

    fn until(&mut self, time: i64) -> Vec<Cue> {
        let mut parts = Vec::new();
        loop {
            self.shown.retain(|cue| cue.end > self.done);
            let Some(end) = self.shown.iter().map(|cue| cue.end).min() else { return parts };
            let end = end.min(time);
            if end <= self.done {
                return parts;
            }
            parts.push(Cue { start: self.done, end, line: together(&self.shown) });
            self.done = end;
        }
    }
}

/// One line of all: the first is lowest on the screen, so it is the last.
fn together(cues: &[Cue]) -> CString {
    let Some((first, _)) = cues.first().map(Cue::parts) else { return CString::default() };
    let texts: Vec<&[u8]> = cues.iter().rev().map(|cue| cue.parts().1).collect();
    CString::new([first, &texts.join(&b"\\N"[..])].concat()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(start: i64, end: i64, text: &str) -> Cue {
        Cue { start, end, line: CString::new(format!("0,0,Default,,0,0,0,,{text}")).unwrap() }
    }

    #[test]
    fn lines_that_overlap_are_shown_together() {
        let mut one = OneAtATime::default();
        let cues = [cue(10, 50, "a, b"), cue(20, 30, "c"), cue(60, 70, "d"), cue(60, 65, "e"), cue(80, 90, "f")];
        let mut out: Vec<Cue> = cues.into_iter().flat_map(|cue| one.take(cue)).collect();
        out.extend(one.finish());
        let expected = [
            cue(10, 20, "a, b"),
            cue(20, 30, "c\\Na, b"),
            cue(30, 50, "a, b"),
            cue(60, 65, "e\\Nd"),
            cue(65, 70, "d"),
            cue(80, 90, "f"),
        ];
        assert_eq!(out, expected);
    }

    #[test]
    fn drawings_are_known() {
        for (text, drawing) in [
            ("{\\p1}m 0 0 l 8 0", true),
            ("{\\pos(1,2)\\p4}m 0 0", true),
            ("{\\pos(1,2)}text", false),
            ("{\\p0}text", false),
            ("a \\p1 that is text", false),
        ] {
            assert_eq!(cue(0, 1, text).is_drawing(), drawing, "{text}");
        }
    }
}
