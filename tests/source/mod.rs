//! Just enough of Rust's grammar to see which names a source file uses.

use std::fs;
use std::path::Path;

/// Every .rs file below `root`, as (path below `root` with forward slashes, text).
pub fn rust_files(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A source file as tokens.
pub struct Source<'t> {
    /// The module that the file is, from the crate's root; empty for lib.rs.
    pub module: Vec<&'t str>,
    /// Identifiers, `::` and single other characters; comments and literals are left out.
    pub tokens: Vec<&'t str>,
}

impl<'t> Source<'t> {
    /// Reads `text`, which is the file `path` of src/.
    pub fn new(path: &'t str, text: &'t str) -> Self {
        let path = path.strip_suffix(".rs").unwrap();
        let path = path.strip_suffix("/mod").unwrap_or(path);
        let module = if path == "lib" { Vec::new() } else { path.split('/').collect() };
        Self { module, tokens: tokens(text) }
    }

    /// The modules around every token: the file's own, then those that stand within it.
    fn modules(&self) -> Vec<Vec<&'t str>> {
        let mut modules = self.module.clone();
        let mut depth = 0;
        let mut ends = Vec::new();
        let around = |(i, token): (usize, &&'t str)| {
            if *token == "{" {
                depth += 1;
                if let [.., "mod", name] = self.tokens[..i] {
                    modules.push(name);
                    ends.push(depth);
                }
            } else if *token == "}" {
                if ends.last() == Some(&depth) {
                    ends.pop();
                    modules.pop();
                }
                depth -= 1;
            }
            modules.clone()
        };
        self.tokens.iter().enumerate().map(around).collect()
    }

    /// Every identifier with the modules around it.
    pub fn identifiers(&self) -> Vec<(&'t str, Vec<&'t str>)> {
        let named = self.tokens.iter().copied().zip(self.modules());
        named.filter(|(token, _)| token.starts_with(|c: char| c.is_alphabetic() || c == '_')).collect()
    }

    /// The first names of all paths that start at the crate's root, by `crate` or by enough `super`s.
    pub fn root_paths(&self) -> Vec<&'t str> {
        let mut names = Vec::new();
        for (i, modules) in self.modules().iter().enumerate() {
            let starts_path = i == 0 || self.tokens[i - 1] != "::";
            let (mut at, mut depth) = (i, modules.len());
            while self.tokens[at..].starts_with(&["super", "::"]) && depth > 0 {
                (at, depth) = (at + 2, depth - 1);
            }
            if starts_path && at > i && depth == 0 {
                names.extend(first_names(&self.tokens[at..]));
            } else if self.tokens[i..].starts_with(&["crate", "::"]) {
                names.extend(first_names(&self.tokens[i + 2..]));
            }
        }
        names
    }
}

/// "a" of `a::b`; "a" and "c" of `{a::b, c::{d, e}}`.
fn first_names<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    if tokens.first() != Some(&"{") {
        return tokens.first().copied().into_iter().collect();
    }
    let mut names = Vec::new();
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            name if depth == 1 && matches!(tokens[i - 1], "{" | ",") => names.push(name),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = unnamed(rest);
        let length = if skipped > 0 {
            skipped
        } else {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = if rest.starts_with("::") { 2 } else { word.max(c.len_utf8()) };
            tokens.push(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the white space, comment or literal at the start of `text`; 0 where none is.
fn unnamed(text: &str) -> usize {
    let space = text.len() - text.trim_start().len();
    if space > 0 {
        return space;
    }
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    if let Some(rest) = text.strip_prefix('\'') {
        return character(rest).map_or(1, |length| length + 1);
    }
    string(text)
}

/// The length of a block comment, with those inside it.
fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < text.len() {
        let (step, deeper) = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth += deeper;
    }
    at
}

/// The length of a character literal behind its opening quote; `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    if rest.starts_with('\\') {
        return rest[2..].find('\'').map(|end| end + 3);
    }
    let length = rest.chars().next()?.len_utf8();
    rest[length..].starts_with('\'').then_some(length + 1)
}

/// The length of a string literal, raw or not; 0 where none starts.
fn string(text: &str) -> usize {
    let body = text.strip_prefix(['b', 'c']).unwrap_or(text);
    if let Some(inside) = body.strip_prefix('"') {
        return text.len() - inside.len() + closing_quote(inside);
    }
    let raw = body.strip_prefix('r').and_then(|body| body.trim_start_matches('#').strip_prefix('"'));
    let Some(inside) = raw else { return 0 };
    let close = format!("\"{}", "#".repeat(body.len() - inside.len() - 2));
    text.len() - inside.len() + inside.find(&close).map_or(inside.len(), |end| end + close.len())
}

/// The length up to and with the quote that ends a string.
fn closing_quote(inside: &str) -> usize {
    let mut escaped = false;
    let closes = |byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    };
    inside.bytes().position(closes).map_or(inside.len(), |end| end + 1)
}
