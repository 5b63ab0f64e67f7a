//! Matroska's chapters as XML, as mkvextract writes and mkvmerge reads them.

use super::{Listed, time};
use crate::error::{Error, Result};
use roxmltree::{Document, Node, ParsingOptions};

/// The chapters of the default edition of `text`, or of its first. Chapters inside others are left out: other containers have
/// no place for them.
///
/// # Errors
/// When it is no such XML.
pub(super) fn read(text: &str) -> Result<Vec<Listed>> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Error::corrupt(format!("not an XML of chapters, or damaged: {error}")))?;
    let root = document.root_element();
    if !root.has_tag_name("Chapters") {
        let name = root.tag_name().name();
        return Err(Error::corrupt(format!("not an XML of chapters: its root is <{name}>, not <Chapters>")));
    }
    let editions = || root.children().filter(|node| node.has_tag_name("EditionEntry"));
    let default = editions().find(|edition| is_set(*edition, "EditionFlagDefault", false));
    let Some(edition) = default.or_else(|| editions().next()) else { return Ok(Vec::new()) };
    let atoms = edition.children().filter(|node| node.has_tag_name("ChapterAtom"));
    let shown =
        atoms.filter(|atom| is_set(*atom, "ChapterFlagEnabled", true) && !is_set(*atom, "ChapterFlagHidden", false));
    shown.map(chapter).collect()
}

fn chapter(atom: Node) -> Result<Listed> {
    let when = |name: &str| match word(atom, name) {
        None => Ok(None),
        Some(text) => time(text)
            .map(Some)
            .ok_or_else(|| Error::corrupt(format!("<{name}> '{text}' is no time: write HH:MM:SS.nnnnnnnnn"))),
    };
    let start = when("ChapterTimeStart")?.ok_or_else(|| Error::corrupt("a chapter has no <ChapterTimeStart>"))?;
    let display = atom.children().find(|node| node.has_tag_name("ChapterDisplay"));
    let title = display.and_then(|display| word(display, "ChapterString")).map(str::to_owned);
    Ok(Listed { start, end: when("ChapterTimeEnd")?, title })
}

/// The text of the child `name`.
fn word<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(name))?.text().map(str::trim)
}

fn is_set(node: Node, flag: &str, otherwise: bool) -> bool {
    word(node, flag).map_or(otherwise, |text| text != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_edition_is_read() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE Chapters SYSTEM \"matroskachapters.dtd\">\n<Chapters>\
            <EditionEntry><ChapterAtom><ChapterTimeStart>00:00:09.0</ChapterTimeStart></ChapterAtom></EditionEntry>\
            <EditionEntry><EditionFlagDefault>1</EditionFlagDefault>\
            <ChapterAtom><ChapterTimeStart>00:00:00.000000000</ChapterTimeStart><ChapterTimeEnd>00:00:01.5</ChapterTimeEnd>\
            <ChapterDisplay><ChapterString>One &amp; all</ChapterString><ChapterLanguage>eng</ChapterLanguage></ChapterDisplay>\
            <ChapterAtom><ChapterTimeStart>00:00:01.0</ChapterTimeStart></ChapterAtom></ChapterAtom>\
            <ChapterAtom><ChapterFlagHidden>1</ChapterFlagHidden><ChapterTimeStart>00:00:01.2</ChapterTimeStart></ChapterAtom>\
            <ChapterAtom><ChapterTimeStart>00:00:02.0</ChapterTimeStart></ChapterAtom></EditionEntry></Chapters>";
        let one = Listed { start: 0, end: Some(1_500_000_000), title: Some("One & all".to_owned()) };
        assert_eq!(read(text).unwrap(), [one, Listed { start: 2_000_000_000, end: None, title: None }]);
    }

    #[test]
    fn what_is_no_list_of_chapters_is_refused() {
        for (text, words) in [
            ("<Chapters>", "damaged"),
            ("<html></html>", "<html>"),
            ("<Chapters><EditionEntry><ChapterAtom/></EditionEntry></Chapters>", "ChapterTimeStart"),
            (
                "<Chapters><EditionEntry><ChapterAtom><ChapterTimeStart>noon</ChapterTimeStart></ChapterAtom></EditionEntry>\
                 </Chapters>",
                "noon",
            ),
        ] {
            assert!(read(text).unwrap_err().message().contains(words), "{text}");
        }
        assert_eq!(read("<Chapters/>").unwrap(), []);
    }
}
