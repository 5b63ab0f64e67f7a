//! Chains in files: `@FILE`, and `@FILE(name=value, …)` with values for the `$name` in it.

use crate::error::{Error, Result};
use crate::filters::{Filter, registry};
use crate::params::{Call, FileCall, MAX_CHAIN_BYTES, parse_chain, parse_chain_file, parse_values};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The file that `text` names, as `@FILE` or `@FILE(…)`; `None` for a chain that is written as it is.
pub fn chain_file(text: &str) -> Option<&str> {
    split(text).map(|(file, _)| file)
}

/// The file and the values behind it. A name may have parentheses of its own: the shortest that exists is meant.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('@')?;
    let ends: Vec<usize> = text.match_indices('(').map(|(at, _)| at).chain([text.len()]).collect();
    let end = *ends.iter().find(|end| Path::new(&text[..**end]).exists()).unwrap_or(&ends[0]);
    Some(text.split_at(end))
}

/// Reads a chain that is written as it is, or in a file, as `@FILE` or `@FILE(name=value, …)`. Every call of a file has been
/// tried.
///
/// # Errors
/// When the file cannot be read; as [`parse_chain`] and [`parse_chain_file`]; for arguments of a file that a filter does not
/// take, with the file, the line and the parameters in it.
pub fn read_chain(text: &str) -> Result<Vec<Call>> {
    let Some((file, values)) = split(text) else { return parse_chain(text) };
    let values = parse_values(values)?;
    let text = read(file).map_err(|e| Error::io(format!("chain file '{file}'"), &e))?;
    let tried = |FileCall { call, line, with }: FileCall| {
        let with = if with.is_empty() { with } else { format!(", {with}") };
        registry::create(&call).map_err(|e| e.context(format!("chain file '{file}', line {line}{with}")))?;
        Ok(call)
    };
    parse_chain_file(file, &text, &values)?.into_iter().map(tried).collect()
}

/// Makes every filter of a chain, as [`read_chain`] reads it.
///
/// # Errors
/// As [`read_chain`], and for arguments that a filter does not take.
pub fn program(text: &str) -> Result<Vec<Box<dyn Filter>>> {
    read_chain(text)?.iter().map(registry::create).collect()
}

/// The text of a chain file, or as much of it as makes a chain too long: a device without an end is no chain.
fn read(file: &str) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(file)?.take(MAX_CHAIN_BYTES as u64 + 1).read_to_string(&mut text)?;
    // Some editors begin files with a byte order mark.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Spelling, print_chain};
    use std::fs;
    use std::path::PathBuf;

    /// A chain file of its own for a test, gone in the end.
    struct ChainFile(PathBuf);

    impl ChainFile {
        fn new(name: &str, text: &str) -> ChainFile {
            let path = std::env::temp_dir().join(format!("vramp-{}-{name}", std::process::id()));
            fs::write(&path, text).unwrap();
            ChainFile(path)
        }

        fn path(&self) -> &str {
            self.0.to_str().unwrap()
        }

        /// The chain that it is with these values, or what is wrong, where `FILE` is its path.
        fn with(&self, values: &str) -> std::result::Result<String, String> {
            let read = read_chain(&format!("@{}{values}", self.path()));
            let read = read.map(|calls| print_chain(&calls, Spelling::FFmpeg));
            read.map_err(|error| error.message().replace(self.path(), "FILE"))
        }
    }

    impl Drop for ChainFile {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn parameters_are_put_in_place_in_both_spellings() {
        let file =
            ChainFile::new("params", "# $none is a comment\nbox=$r:passes=${p:-2},\ngauss(sigma $s) > keep(${n}_1)");
        assert_eq!(file.with("(r=3, s=1.5, n=x)").unwrap(), "box=3:passes=2,gauss=sigma=1.5,keep=x_1");
        assert_eq!(file.with("(r 3, s 1.5, p 1, n 'y')").unwrap(), "box=3:passes=1,gauss=sigma=1.5,keep=y_1");
    }

    /// A value is one value, whatever its characters are, and single quotes keep `$`.
    #[test]
    fn values_bring_no_grammar() {
        let file = ChainFile::new("quoted", "box=$r,keep='$r'");
        assert_eq!(
            file.with("(r='1:passes=2')").unwrap_err(),
            "chain file 'FILE', line 1, $r=1:passes=2: box: option 'radius' cannot be '1:passes=2': it takes a whole \
             number from 0 to 512 (samples)"
        );
        let file = ChainFile::new("dollar", "levels=\"$g\":gamma=1$$");
        assert!(file.with("(g=1.1)").unwrap_err().contains("option 'gamma' cannot be '1$'"));
    }

    #[test]
    fn mistakes_name_the_file_the_line_and_the_parameter() {
        let file = ChainFile::new("mistakes", "box=2,\n  gauss=sigma=$sigma,\n  deband=range=${range:-15}\n");
        for (values, message) in [
            (
                "",
                "chain file 'FILE', line 2, column 15: the parameter 'sigma' has no value: write @FILE(sigma=VALUE), near",
            ),
            ("(sgima=2)", "has no value: write @FILE(sigma=VALUE); did you mean 'sgima'?"),
            (
                "(sigma=2,rnage=3)",
                "chain file 'FILE': it has no parameter 'rnage': it has sigma, range; did you mean 'range'?",
            ),
            (
                "(sigma=x)",
                "chain file 'FILE', line 2, $sigma=x: gauss: option 'sigma' cannot be 'x': it takes a number from",
            ),
            ("(sigma=2,sigma=3)", "chain file 'FILE': the parameter 'sigma' is given twice"),
            ("(2)", "chain file 'FILE': the value '2' has no name: write NAME=2"),
            ("(sigma=2", "values of a chain file, column 9: expected ',' before another option, or ')' after the last"),
            (
                "(sigma=2)x",
                "values of a chain file, column 10: expected '(' behind the file's name, and ')' at the end",
            ),
        ] {
            let error = file.with(values).unwrap_err();
            assert!(error.contains(message), "{values}: {error}");
        }
        let file = ChainFile::new("syntax", "box=2,\ngauss=${a\n");
        assert!(file.with("").unwrap_err().starts_with("chain file 'FILE', line 2, column 7: this '${' has no '}'"));
        let file = ChainFile::new("name", "box=$1");
        assert!(
            file.with("").unwrap_err().starts_with("chain file 'FILE', line 1, column 5: expected a parameter's name")
        );
        let file = ChainFile::new("long", &format!("keep={}", "$n".repeat(2000)));
        let long = format!("(n={})", "x".repeat(60));
        assert!(file.with(&long).unwrap_err().contains("longer than 65536 bytes together"));
    }

    #[test]
    fn a_file_may_have_parentheses_in_its_name() {
        let file = ChainFile::new("a(1).chain", "box=${r:-2}");
        assert_eq!(file.with("").unwrap(), "box=2");
        assert_eq!(file.with("(r=5)").unwrap(), "box=5");
        assert_eq!(chain_file("@nosuch(r=5)"), Some("nosuch"));
        assert_eq!(chain_file("box=2"), None);
        assert!(read_chain("@nosuch(r=5)").unwrap_err().message().starts_with("chain file 'nosuch'"));
    }
}
