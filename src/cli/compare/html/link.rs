//! Links from the page to files near it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The link from the page at `page` to `file`, by a path that holds as long as the two stay where they are to each other.
pub fn relative(page: &OsStr, file: &Path) -> String {
    let folder = match Path::new(page).parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let found = fs::canonicalize(folder).ok().zip(fs::canonicalize(file).ok());
    let path = found.map_or_else(|| file.to_owned(), |(folder, file)| path_between(&folder, &file));
    encoded(&path)
}

/// The relative path from `folder` to `file`, both absolute.
fn path_between(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// A path as a URL has it.
fn encoded(path: &Path) -> String {
    let byte = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => char::from(*byte).to_string(),
        other => format!("%{other:02X}"),
    };
    path.as_os_str().as_bytes().iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_page() {
        let link = |folder: &str, file: &str| encoded(&path_between(Path::new(folder), Path::new(file)));
        assert_eq!(link("/r", "/r/worst/frame-1.png"), "worst/frame-1.png");
        assert_eq!(link("/r/pages", "/r/a b/ü&.png"), "../a%20b/%C3%BC%26.png");
    }
}
