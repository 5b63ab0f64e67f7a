//! Matroska's ordered chapters: an edition that plays parts of the film, or of other files, in an order of its own. libav passes
//! over them.

use crate::io::libav::demux::demuxer::Demuxer;
use crate::io::libav::demux::ending::bytes::Bytes;
use std::ops::Range;

/// The most elements that are looked at on one level.
const MOST: usize = 4096;

const HEADER: u64 = 0x1a45_dfa3;
const SEGMENT: u64 = 0x1853_8067;
const SEEK_HEAD: u64 = 0x114d_9b74;
const SEEK: u64 = 0x4dbb;
const SEEK_ID: u64 = 0x53ab;
const SEEK_POSITION: u64 = 0x53ac;
const CLUSTER: u64 = 0x1f43_b675;
const CHAPTERS: u64 = 0x1043_a770;
const EDITION: u64 = 0x45b9;
const IS_ORDERED: u64 = 0x45dd;

/// Whether an edition of `demuxer`'s chapters is ordered. False where it cannot go back in its source.
pub(in crate::io::libav) fn is_ordered(demuxer: &Demuxer) -> bool {
    demuxer.format().name().contains("matroska")
        && Bytes::of(demuxer).and_then(|bytes| Elements(bytes).has_ordered_edition()).unwrap_or(false)
}

/// The elements of a Matroska file.
struct Elements<'a>(Bytes<'a>);

/// An element: what it is, and where its contents lie.
struct Element {
    id: u64,
    contents: Range<i64>,
}

impl Elements<'_> {
    fn has_ordered_edition(&self) -> Option<bool> {
        let header = self.element(0, self.0.size).filter(|header| header.id == HEADER)?;
        let segment = self.element(header.contents.end, self.0.size).filter(|segment| segment.id == SEGMENT)?;
        let is_ordered = |edition: &Element| {
            self.children(&edition.contents).any(|flag| flag.id == IS_ORDERED && self.number(&flag) == Some(1))
        };
        let chapters = self.chapters(&segment)?;
        Some(
            self.children(&chapters.contents)
                .filter(|edition| edition.id == EDITION)
                .any(|edition| is_ordered(&edition)),
        )
    }

    /// The chapters of `segment`: before its frames, or where its index says.
    fn chapters(&self, segment: &Element) -> Option<Element> {
        let mut listed = None;
        for element in self.children(&segment.contents) {
            match element.id {
                CHAPTERS => return Some(element),
                SEEK_HEAD => listed = listed.or_else(|| self.listed(&element, CHAPTERS)),
                CLUSTER => break,
                _ => {}
            }
        }
        let at = segment.contents.start.checked_add(i64::try_from(listed?).ok()?)?;
        self.element(at, segment.contents.end).filter(|element| element.id == CHAPTERS)
    }

    /// Where the index `seek_head` has an element `id`, from the start of the segment.
    fn listed(&self, seek_head: &Element, id: u64) -> Option<u64> {
        let value =
            |seek: &Element, id| self.children(&seek.contents).find(|e| e.id == id).and_then(|e| self.number(&e));
        let mut entries = self.children(&seek_head.contents).filter(|entry| entry.id == SEEK);
        entries.find(|entry| value(entry, SEEK_ID) == Some(id)).and_then(|entry| value(&entry, SEEK_POSITION))
    }

    /// The elements in `contents`, one after the other.
    fn children(&self, contents: &Range<i64>) -> impl Iterator<Item = Element> {
        let Range { start: mut at, end } = *contents;
        let next = move || {
            let element = self.element(at, end)?;
            at = element.contents.end;
            Some(element)
        };
        std::iter::from_fn(next).take(MOST)
    }

    /// The element at byte `at`, which goes on to byte `end` at most.
    fn element(&self, at: i64, end: i64) -> Option<Element> {
        let (id, at) = self.value(at, false)?;
        let (length, from) = self.value(at, true)?;
        // Of unknown length: to the end.
        let until =
            i64::try_from(length).ok().and_then(|length| from.checked_add(length)).map_or(end, |to| to.min(end));
        (until >= from).then_some(Element { id, contents: from..until })
    }

    /// A number that says how long it is, at byte `at`, and where it ends; a length without the bits that say so.
    fn value(&self, at: i64, is_length: bool) -> Option<(u64, i64)> {
        let [first] = self.0.at(at)?;
        let more = first.leading_zeros().min(8);
        let mut rest = [0; 7];
        let rest = rest.get_mut(..more as usize)?;
        self.0.fill(at + 1, rest).then_some(())?;
        let first = if is_length { u64::from(first) & (0x7f >> more) } else { first.into() };
        let value = rest.iter().fold(first, |value, byte| value << 8 | u64::from(*byte));
        let unknown = (1 << (7 * (more + 1))) - 1;
        let value = if is_length && value == unknown { u64::MAX } else { value };
        Some((value, at + 1 + i64::from(more)))
    }

    /// The number that `element` is.
    fn number(&self, element: &Element) -> Option<u64> {
        let mut bytes = [0; 8];
        let length =
            usize::try_from(element.contents.end - element.contents.start).ok().filter(|length| *length <= 8)?;
        self.0.fill(element.contents.start, &mut bytes[8 - length..]).then(|| u64::from_be_bytes(bytes))
    }
}
