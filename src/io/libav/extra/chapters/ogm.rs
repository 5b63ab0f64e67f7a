//! The simple text of chapters: `CHAPTER01=00:00:00.000` and `CHAPTER01NAME=Title`.

use super::{Listed, time};
use crate::error::{Error, Result};

/// The chapters of `text`, in its order.
///
/// # Errors
/// At the first line that is none.
pub(super) fn read(text: &str) -> Result<Vec<Listed>> {
    let mut chapters: Vec<(&str, Listed)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || {
            let line = line.trim();
            Error::bad_argument(format!(
                "line {number} ('{line}') is no chapter: write CHAPTER01=HH:MM:SS.mmm, CHAPTER01NAME=Title"
            ))
        };
        let (key, value) = line.trim_start().split_once('=').ok_or_else(wrong)?;
        let key = key.trim().strip_prefix("CHAPTER").ok_or_else(wrong)?;
        match key.strip_suffix("NAME") {
            Some(id) => {
                let (_, chapter) = chapters.iter_mut().find(|(own, _)| *own == id).ok_or_else(wrong)?;
                chapter.title = Some(value.trim().to_owned()).filter(|title| !title.is_empty());
            }
            None if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()) => {
                let start = time(value).ok_or_else(wrong)?;
                chapters.push((key, Listed { start, end: None, title: None }));
            }
            None => return Err(wrong()),
        }
    }
    Ok(chapters.into_iter().map(|(_, chapter)| chapter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_names_belong_together() {
        let text = "CHAPTER01=00:00:00.000\r\nCHAPTER01NAME=One = 1\r\n\nCHAPTER2=00:01:00.500\nCHAPTER2NAME=\n";
        let chapters = read(text).unwrap();
        assert_eq!(chapters[0], Listed { start: 0, end: None, title: Some("One = 1".to_owned()) });
        assert_eq!(chapters[1], Listed { start: 60_500_000_000, end: None, title: None });
        for wrong in ["CHAPTER01", "CHAPTER01=soon", "CHAPTERX=00:00:00.0", "CHAPTER09NAME=x", "TITLE=x"] {
            assert!(read(wrong).unwrap_err().message().contains("line 1"), "{wrong}");
        }
    }
}
