//! What containers state about their length, compared with what there is.

use super::bytes::Bytes;
use ffmpeg_next::ffi;
use std::collections::HashMap;

/// The most pieces that are looked at: more than any sane source has.
const MOST_PIECES: usize = 1 << 22;

/// An Ogg page is at most this long: its header, 255 lengths, and 255 bytes for each.
const OGG_PAGE: i64 = 27 + 255 + 255 * 255;

/// Formats whose ends are known.
#[cfg(any(test, fuzzing))]
pub(super) const FORMATS: [&str; 11] =
    ["matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "avi", "flv", "ivf", "obu", "mxf", "asf", "dirac", "gif", "ogg"];

/// What is wrong with the end of a source of libav's format `name`, whose last packet lies at byte `last`.
pub(super) fn fault(name: &str, bytes: &Bytes<'_>, last: i64) -> Option<String> {
    let end = match name {
        "matroska,webm" => segment(bytes),
        "mov,mp4,m4a,3gp,3g2,mj2" => boxes(bytes),
        "avi" => riffs(bytes),
        "flv" => tags(bytes, last),
        "ivf" => frames(bytes),
        "obu" => units(bytes),
        "mxf" => footer(bytes),
        "asf" => objects(bytes),
        "dirac" => parse_infos(bytes),
        "gif" => return blocks(bytes).map(str::to_owned),
        "ogg" => return last_page(bytes).map(str::to_owned),
        _ => None,
    };
    let end = end.filter(|end| *end > bytes.size)?;
    Some(format!("it should go on to byte {end}, but ends at byte {}", bytes.size))
}

/// Follows pieces from byte `at` on: `next` gives the end of one. Gives where the last of them, or its header, should end.
fn walk(bytes: &Bytes<'_>, mut at: i64, next: impl Fn(i64) -> Option<i64>) -> Option<i64> {
    for _ in 0..MOST_PIECES {
        let end = next(at).filter(|end| *end > at)?;
        if end >= bytes.size {
            return Some(end);
        }
        at = end;
    }
    None
}

/// Where Matroska's segment ends.
fn segment(bytes: &Bytes<'_>) -> Option<i64> {
    const HEADER: [u8; 4] = [0x1a, 0x45, 0xdf, 0xa3];
    const SEGMENT: [u8; 4] = [0x18, 0x53, 0x80, 0x67];
    let after = |at: i64, id: [u8; 4]| {
        (bytes.at(at)? == id).then_some(())?;
        let (length, from) = element_length(bytes, at + 4)?;
        from.checked_add(length)
    };
    after(after(0, HEADER)?, SEGMENT)
}

/// A length of Matroska's at byte `at`, and where what is so long begins. `None` when it is not known.
fn element_length(bytes: &Bytes<'_>, at: i64) -> Option<(i64, i64)> {
    let [first] = bytes.at(at)?;
    let more = first.leading_zeros();
    let mut rest = [0; 7];
    let rest = rest.get_mut(..more as usize)?;
    bytes.fill(at + 1, rest).then_some(())?;
    let value = rest.iter().fold(i64::from(first & (0x7f >> more)), |value, byte| value << 8 | i64::from(*byte));
    let unknown = (1_i64 << (7 * (more + 1))) - 1;
    (value != unknown).then_some((value, at + 1 + i64::from(more)))
}

/// Where the last box of an MP4 ends. What is no box ends the walk: some writers leave zeros behind.
fn boxes(bytes: &Bytes<'_>) -> Option<i64> {
    walk(bytes, 0, |at| {
        let [a, b, c, d, kind @ ..]: [u8; 8] = bytes.at(at)?;
        kind.iter().all(|byte| matches!(byte, b' '..=b'~' | 0xa9)).then_some(())?;
        match u32::from_be_bytes([a, b, c, d]) {
            1 => i64::try_from(u64::from_be_bytes(bytes.at(at + 8)?)).ok()?.checked_add(at),
            size @ 8.. => Some(at + i64::from(size)),
            // To the end of the file.
            _ => None,
        }
    })
}

/// Where the last RIFF of an AVI ends. One that was written into a pipe does not state it.
fn riffs(bytes: &Bytes<'_>) -> Option<i64> {
    walk(bytes, 0, |at| {
        let [a, b, c, d, size @ ..]: [u8; 8] = bytes.at(at)?;
        ([a, b, c, d] == *b"RIFF").then_some(())?;
        let size = u32::from_le_bytes(size);
        // A byte that fills up to an even length may be missing.
        (size != 0 && size != u32::MAX).then_some(at + 8 + i64::from(size))
    })
}

/// Where the last tag of an FLV ends, looked for from one at byte `at` on.
fn tags(bytes: &Bytes<'_>, at: i64) -> Option<i64> {
    walk(bytes, at, |at| {
        if at + 4 > bytes.size {
            return Some(at + 4);
        }
        let [kind, a, b, c]: [u8; 4] = bytes.at(at)?;
        // Sound, video, script.
        matches!(kind & 0x1f, 8 | 9 | 18).then_some(at + 11 + i64::from(u32::from_be_bytes([0, a, b, c])) + 4)
    })
}

/// Where the last frame of an IVF ends.
fn frames(bytes: &Bytes<'_>) -> Option<i64> {
    let header = u16::from_le_bytes(bytes.at(6)?);
    walk(bytes, header.into(), |at| {
        let Some(length) = bytes.at(at).map(u32::from_le_bytes) else { return Some(at + 12) };
        (length > 0).then_some(at + 12 + i64::from(length))
    })
}

/// Where the last unit of an AV1 stream ends whose units state their lengths.
fn units(bytes: &Bytes<'_>) -> Option<i64> {
    // A temporal delimiter of no length; the other kind of stream begins with the length of a unit.
    (bytes.at(0)? == [0x12, 0]).then_some(())?;
    walk(bytes, 0, |at| {
        let [header] = bytes.at(at)?;
        let (extended, sized) = (header & 4 != 0, header & 2 != 0);
        let mut from = at + if extended { 2 } else { 1 };
        let mut length = 0;
        for shift in (0..56).step_by(7).take_while(|_| sized) {
            let Some([byte]) = bytes.at(from) else { return Some(from + 1) };
            from += 1;
            length |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(from + length);
            }
        }
        None
    })
}

/// Where at least the footer of an MXF begins, if its header states it.
fn footer(bytes: &Bytes<'_>) -> Option<i64> {
    const PARTITION: [u8; 13] = [6, 0x0e, 0x2b, 0x34, 2, 5, 1, 1, 0x0d, 1, 2, 1, 1];
    (bytes.at(0)? == PARTITION).then_some(())?;
    let [length] = bytes.at(16)?;
    let from = 17 + if length < 0x80 { 0 } else { i64::from(length & 0x7f) };
    let footer = i64::try_from(u64::from_be_bytes(bytes.at(from + 24)?)).ok()?;
    (footer > 0).then_some(footer.checked_add(1)?)
}

/// Where the last object of an ASF ends. One that was written into a pipe states no length of its data.
fn objects(bytes: &Bytes<'_>) -> Option<i64> {
    /// Header, data, simple index and index, by the first bytes of their GUIDs.
    const KNOWN: [[u8; 4]; 4] =
        [[0x30, 0x26, 0xb2, 0x75], [0x36, 0x26, 0xb2, 0x75], [0x90, 0x08, 0x00, 0x33], [0xd3, 0x29, 0xe2, 0xd6]];
    walk(bytes, 0, |at| {
        KNOWN.contains(&bytes.at(at)?).then_some(())?;
        at.checked_add(i64::try_from(u64::from_le_bytes(bytes.at(at + 16)?)).ok()?)
    })
}

/// Where the last data unit of a Dirac or VC-2 stream ends. The one that ends the stream may state no length.
fn parse_infos(bytes: &Bytes<'_>) -> Option<i64> {
    const HEADER: i64 = 13;
    walk(bytes, 0, |at| {
        let Some([a, b, c, d, _, next @ ..]) = bytes.at::<9>(at) else { return Some(at + HEADER) };
        ([a, b, c, d] == *b"BBCD").then_some(())?;
        Some(at + i64::from(u32::from_be_bytes(next))).filter(|end| *end >= at + HEADER)
    })
}

/// What is wrong with the end of a GIF: blocks follow each other up to a last one.
fn blocks(bytes: &Bytes<'_>) -> Option<&'static str> {
    const CUT: &str = "its last block is missing";
    let table = |flags: u8| if flags & 0x80 != 0 { 3 << ((flags & 7) + 1) } else { 0 };
    let [flags] = bytes.at(10)?;
    let mut at = 13 + table(flags);
    for _ in 0..MOST_PIECES {
        let Some([kind]) = bytes.at(at) else { return Some(CUT) };
        at = match kind {
            0x3b => return None,
            0x21 => at + 2,
            0x2c => {
                let Some([flags]) = bytes.at(at + 9) else { return Some(CUT) };
                at + 11 + table(flags)
            }
            // No block: libav's behaviour is undefined.
            _ => return None,
        };
        loop {
            let Some([length]) = bytes.at(at) else { return Some(CUT) };
            at += 1 + i64::from(length);
            if length == 0 {
                break;
            }
        }
    }
    None
}

/// What is wrong with the pages of a source of libav's format `name`, if it is an Ogg: its demuxer passes over what is
/// damaged, without a word where that happens while it looks for what there is.
pub(super) fn hole(name: &str, bytes: &Bytes<'_>) -> Option<String> {
    if name != "ogg" {
        return None;
    }
    const FIRST_OF_STREAM: u8 = 2;
    let mut next = HashMap::new();
    let mut at = 0;
    while let Some(page) = page(bytes, at) {
        let [serial, number] = [14, 18].map(|from| u32::from_le_bytes([0, 1, 2, 3].map(|byte| page[from + byte])));
        let expected = next.insert(serial, number.wrapping_add(1)).filter(|_| page[5] & FIRST_OF_STREAM == 0);
        let is_next = expected.is_none_or(|expected| expected == number);
        let fault = match (is_next, page_checksum(&page) == page[22..26]) {
            (false, _) => "pages are missing before",
            (true, false) => "a page fails its checksum at",
            (true, true) => {
                at += i64::try_from(page.len()).ok()?;
                continue;
            }
        };
        return Some(format!("{fault} byte {at}"));
    }
    // Behind the last page there may be anything, but no other page.
    let mut rest = vec![0; usize::try_from((bytes.size - at).min(2 * OGG_PAGE)).ok()?];
    let is_followed = bytes.fill(at, &mut rest) && rest.windows(5).skip(1).any(|start| start == b"OggS\0");
    is_followed.then(|| format!("no page at byte {at}"))
}

/// The whole page of an Ogg at byte `at`.
fn page(bytes: &Bytes<'_>, at: i64) -> Option<Vec<u8>> {
    let header: [u8; 27] = bytes.at(at).filter(|header: &[u8; 27]| header.starts_with(b"OggS\0"))?;
    let mut lengths = vec![0; header[26].into()];
    bytes.fill(at + 27, &mut lengths).then_some(())?;
    let mut page = vec![0; 27 + lengths.len() + lengths.iter().map(|length| usize::from(*length)).sum::<usize>()];
    bytes.fill(at, &mut page).then_some(page)
}

/// The checksum that a page of an Ogg has to have in its bytes 22 to 25: CRC-32 of the rest, unreflected, begun at 0.
fn page_checksum(page: &[u8]) -> [u8; 4] {
    let (head, tail) = (&page[..22], &page[26..]);
    // SAFETY: the table is static, and each length is that of its bytes.
    unsafe {
        let table = ffi::av_crc_get_table(ffi::AVCRCId::AV_CRC_32_IEEE);
        [head, &[0; 4], tail].iter().fold(0, |crc, part| ffi::av_crc(table, crc, part.as_ptr(), part.len()))
    }
    // libav's register holds the sum backwards, as it lies in the file.
    .to_be_bytes()
}

/// What is wrong with the last page of an Ogg, which is whole and ends a stream.
fn last_page(bytes: &Bytes<'_>) -> Option<&'static str> {
    const LAST_OF_STREAM: u8 = 4;
    let from = (bytes.size - 2 * OGG_PAGE).max(0);
    let mut tail = vec![0; usize::try_from(bytes.size - from).ok()?];
    bytes.fill(from, &mut tail).then_some(())?;
    let start = tail.windows(5).rposition(|start| start == b"OggS\0")?;
    let page = &tail[start..];
    let lengths = page.get(26).and_then(|count| page.get(27..27 + usize::from(*count)));
    let whole = lengths.is_some_and(|lengths| {
        page.len() >= 27 + lengths.len() + lengths.iter().map(|length| usize::from(*length)).sum::<usize>()
    });
    match page.get(5) {
        Some(flags) if whole && flags & LAST_OF_STREAM != 0 => None,
        _ if whole => Some("its last page is missing"),
        _ => Some("its last page is incomplete"),
    }
}
