//! Chains as text, in two spellings.
//!
//! ```text
//! deband=range=16:sample=2,depth=10             as FFmpeg filtergraphs are written
//! deband(range 16, sample 2) > depth(10)        plain: without = ; : ' | which some hosts eat
//! ```
//!
//! One grammar reads both, so a text may even change spelling from filter to filter:
//!
//! ```text
//! chain   = [ filter { ( "," | ">" ) filter } ]
//! filter  = name [ "=" option { ":" option } | "(" [ item { "," item } ] ")" ]
//! option  = [ key "=" ] value
//! item    = [ key [ "=" ] ] value
//! key     = name, or a digit and then letters, as FFmpeg names options of planes: 0m
//! name    = a letter or "_", then letters, digits, "_" and "-"; 64 characters at most
//! value   = one or more of, without a gap:
//!           characters other than white space, control characters and , : ; = ( ) [ ] > # ' " \
//!           \c           the character c
//!           'text'       the text as it stands, which has no '
//!           "text"       the text, in which \" is ", \\ is \ and \xHH is the ASCII character with that hexadecimal code
//! ```
//!
//! White space, newlines and comments (`#` to the end of the line) may stand between any two of these; the empty value
//! is `''` or `""`. [`print_chain`] quotes only where it must, and its plain spelling writes an eaten character as `\xHH`.
//!
//! In a chain file ([`parse_chain_file`]) values may have parameters, bare or between `"` and `"`: `$name`, `${name}`, and
//! `${name:-text}`, which is the text where the parameter is not given. `$$` is a `$`.

use crate::error::{Error, Result};
use crate::params::printable;
use parameters::Parameters;
use std::fmt;

mod parameters;
#[cfg(test)]
mod tests;

/// The longest text that [`parse_chain`] reads, in bytes.
pub const MAX_CHAIN_BYTES: usize = 64 * 1024;

/// The most filters in a chain.
pub const MAX_CHAIN_FILTERS: usize = 256;

/// The longest name, in bytes, so that no message that quotes a name gets long.
const MAX_NAME: usize = 64;

/// Characters that are part of a value only when quoted or escaped.
const RESERVED: &str = ",:;=()[]>#'\"\\";

/// Characters that the plain spelling never holds, because some host splits its options at them.
const EATEN: &str = "=;:'|";

/// One argument: `key=value`, or a bare value that goes by its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The option's name; `None` for a positional value.
    pub key: Option<String>,
    /// The value.
    pub value: String,
}

/// One filter of a chain with its arguments, not yet checked against a schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The filter's name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Arg>,
}

/// How a chain is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As FFmpeg filtergraphs: `deband=range=16:sample=2,depth=10`.
    FFmpeg,
    /// Without the characters some hosts eat: `deband(range 16, sample 2) > depth(10)`.
    Plain,
}

/// In FFmpeg's spelling.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_call(self, Spelling::FFmpeg))
    }
}

/// Reads a chain in either spelling. The empty text is the empty chain.
///
/// # Errors
/// Where the text is no chain, with the position and what was expected there; for more than [`MAX_CHAIN_BYTES`]
/// or [`MAX_CHAIN_FILTERS`].
pub fn parse_chain(text: &str) -> Result<Vec<Call>> {
    check_length("chain", text)?;
    Reader::new("chain", text).calls(|_, call| call)
}

/// A call of a chain file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCall {
    /// The call.
    pub call: Call,
    /// Its line, from 1.
    pub line: usize,
    /// The parameters in its values, as `$name=value`, joined by `, `; empty where it has none.
    pub with: String,
}

/// Reads `text`, the chain of a file called `name`, whose parameters have the values `given`.
///
/// # Errors
/// As [`parse_chain`], with the file's name and the line; for a parameter without a value, or a value without a parameter.
pub fn parse_chain_file(name: &str, text: &str, given: &[Arg]) -> Result<Vec<FileCall>> {
    let name = format!("chain file '{name}'");
    check_length(&name, text)?;
    let mut reader = Reader::new(&name, text);
    reader.parameters = Some(Parameters::new(given).map_err(|e| e.context(&name))?);
    let calls = reader.calls(|reader, call| {
        let with = reader.parameters.as_mut().map(Parameters::take_used).unwrap_or_default();
        FileCall { call, line: reader.call_line, with }
    })?;
    reader.parameters.iter().try_for_each(Parameters::check_all_used).map_err(|e| e.context(&name))?;
    Ok(calls)
}

/// Reads `text`, the values in parentheses behind the name of a chain file. No text is no values.
///
/// # Errors
/// Where it is no such list, with the position.
pub fn parse_values(text: &str) -> Result<Vec<Arg>> {
    let mut reader = Reader::new("values of a chain file", text);
    let mut given = Vec::new();
    reader.skip_space();
    if reader.eat('(') && !reader.eat(')') {
        reader.items(&mut given)?;
    }
    if !reader.rest.is_empty() {
        return Err(reader.expected("'(' behind the file's name, and ')' at the end"));
    }
    Ok(given)
}

fn check_length(what: &str, text: &str) -> Result<()> {
    if text.len() > MAX_CHAIN_BYTES {
        return Err(Error::bad_argument(format!(
            "the {what} is {} bytes long; {MAX_CHAIN_BYTES} are allowed",
            text.len()
        )));
    }
    Ok(())
}

/// Writes a chain so that [`parse_chain`] reads it back.
pub fn print_chain(calls: &[Call], spelling: Spelling) -> String {
    let separator = match spelling {
        Spelling::FFmpeg => ",",
        Spelling::Plain => " > ",
    };
    calls.iter().map(|call| print_call(call, spelling)).collect::<Vec<_>>().join(separator)
}

fn print_call(call: &Call, spelling: Spelling) -> String {
    if call.args.is_empty() {
        return call.name.clone();
    }
    let (open, key_end, separator, close) = match spelling {
        Spelling::FFmpeg => ("=", "=", ":", ""),
        Spelling::Plain => ("(", " ", ", ", ")"),
    };
    let print_arg = |arg: &Arg| {
        let value = print_value(&arg.value, spelling);
        arg.key.as_ref().map_or_else(|| value.clone(), |key| format!("{key}{key_end}{value}"))
    };
    let args: Vec<_> = call.args.iter().map(print_arg).collect();
    format!("{}{open}{}{close}", call.name, args.join(separator))
}

fn print_value(value: &str, spelling: Spelling) -> String {
    if !value.is_empty() && value.chars().all(|c| is_bare(c) && !EATEN.contains(c)) {
        return value.to_owned();
    }
    match spelling {
        // Inside '…' nothing is special, so a quote ends it, comes escaped, and opens it again.
        Spelling::FFmpeg => format!("'{}'", value.replace('\'', r"'\''")),
        Spelling::Plain => {
            let escape = |c: char| match c {
                '"' | '\\' => format!("\\{c}"),
                c if EATEN.contains(c) || c.is_ascii_control() => format!("\\x{:02x}", c as u32),
                c => c.to_string(),
            };
            format!("\"{}\"", value.chars().map(escape).collect::<String>())
        }
    }
}

fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !RESERVED.contains(c)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_name_char)
}

fn is_key(text: &str) -> bool {
    let of_plane = text.strip_prefix(|c: char| c.is_ascii_digit()).unwrap_or_default();
    is_name(text) || (is_name(of_plane) && of_plane.chars().all(|c| c.is_ascii_alphabetic()))
}

/// A place in the text. A method that reads a part of the grammar also skips the space behind it.
struct Reader<'t> {
    /// What the text is, for messages.
    what: &'t str,
    text: &'t str,
    rest: &'t str,
    /// Those of a chain file; elsewhere `$` is a character like any other.
    parameters: Option<Parameters<'t>>,
    /// Where the last call begins.
    call_line: usize,
}

impl<'t> Reader<'t> {
    fn new(what: &'t str, text: &'t str) -> Reader<'t> {
        Reader { what, text, rest: text, parameters: None, call_line: 1 }
    }

    /// The whole text, each call as `made`.
    fn calls<T>(&mut self, mut made: impl FnMut(&mut Self, Call) -> T) -> Result<Vec<T>> {
        let mut calls = Vec::new();
        self.skip_space();
        if self.rest.is_empty() {
            return Ok(calls);
        }
        loop {
            if calls.len() == MAX_CHAIN_FILTERS {
                return Err(self.error(&format!("the chain has more than {MAX_CHAIN_FILTERS} filters")));
            }
            self.call_line = self.line();
            let call = self.call()?;
            calls.push(made(self, call));
            if self.rest.is_empty() {
                return Ok(calls);
            }
            if !self.eat(',') && !self.eat('>') {
                return Err(self.expected("',' or '>' before another filter"));
            }
        }
    }

    fn call(&mut self) -> Result<Call> {
        let name = self.name()?;
        let mut args = Vec::new();
        let expected_next = if self.eat('=') {
            args.push(self.arg(Spelling::FFmpeg)?);
            while self.eat(':') {
                args.push(self.arg(Spelling::FFmpeg)?);
            }
            "':' before another option, or ',' before another filter"
        } else if self.eat('(') {
            if !self.eat(')') {
                self.items(&mut args)?;
            }
            "',' or '>' before another filter"
        } else {
            "'=' or '(' before options, or ',' or '>' before another filter"
        };
        if self.rest.is_empty() || self.rest.starts_with([',', '>']) {
            Ok(Call { name, args })
        } else {
            Err(self.expected(expected_next))
        }
    }

    /// The arguments in parentheses, and the closing one.
    fn items(&mut self, args: &mut Vec<Arg>) -> Result<()> {
        loop {
            args.push(self.arg(Spelling::Plain)?);
            if self.eat(')') {
                return Ok(());
            }
            if !self.eat(',') {
                return Err(self.expected("',' before another option, or ')' after the last"));
            }
        }
    }

    fn arg(&mut self, spelling: Spelling) -> Result<Arg> {
        let start = self.rest;
        let first = self.value()?;
        let has_value = self.eat('=') || spelling == Spelling::Plain && self.at_value();
        if !has_value {
            return Ok(Arg { key: None, value: first });
        }
        if !is_key(&first) {
            self.rest = start;
            return Err(self.expected("an option's name"));
        }
        Ok(Arg { key: Some(first), value: self.value()? })
    }

    fn name(&mut self) -> Result<String> {
        let (name, rest) = self.rest.split_at(self.rest.find(|c| !is_name_char(c)).unwrap_or(self.rest.len()));
        if !is_name(name) {
            return Err(self.expected("a filter's name"));
        }
        self.rest = rest;
        self.skip_space();
        Ok(name.to_owned())
    }

    fn at_value(&self) -> bool {
        self.rest.starts_with(|c| is_bare(c) || "'\"\\".contains(c))
    }

    fn value(&mut self) -> Result<String> {
        if !self.at_value() {
            return Err(self.expected("a value"));
        }
        let mut value = String::new();
        while let Some(c) = self.rest.chars().next() {
            match c {
                '\'' => self.single_quoted(&mut value)?,
                '"' => self.double_quoted(&mut value)?,
                '\\' => {
                    self.advance(c);
                    value.push(self.next().ok_or_else(|| self.expected("a character after '\\'"))?);
                }
                '$' if self.parameters.is_some() => self.parameter(&mut value)?,
                c if is_bare(c) => {
                    self.advance(c);
                    value.push(c);
                }
                _ => break,
            }
        }
        self.skip_space();
        Ok(value)
    }

    fn single_quoted(&mut self, value: &mut String) -> Result<()> {
        let (text, rest) = self.rest[1..].split_once('\'').ok_or_else(|| self.error("this quote is not closed"))?;
        value.push_str(text);
        self.rest = rest;
        Ok(())
    }

    fn double_quoted(&mut self, value: &mut String) -> Result<()> {
        let open = self.rest;
        self.advance('"');
        loop {
            let from = self.rest;
            let Some(c) = self.next() else { break };
            match c {
                '"' => return Ok(()),
                '\\' => value.push(self.escape()?),
                '$' if self.parameters.is_some() => {
                    self.rest = from;
                    self.parameter(value)?;
                }
                c => value.push(c),
            }
        }
        self.rest = open;
        Err(self.error("this quote is not closed"))
    }

    /// What follows a backslash between double quotes.
    fn escape(&mut self) -> Result<char> {
        let (c, length) = match *self.rest.as_bytes() {
            [c @ (b'"' | b'\\'), ..] => (c, 1),
            [b'x', high @ b'0'..=b'7', low, ..] if low.is_ascii_hexdigit() => {
                (hex_digit(high) << 4 | hex_digit(low), 3)
            }
            _ => return Err(self.expected("'\\', '\"' or x00 to x7f after '\\'")),
        };
        self.rest = &self.rest[length..];
        Ok(char::from(c))
    }

    /// A parameter of a chain file, at its `$`.
    fn parameter(&mut self, value: &mut String) -> Result<()> {
        let Some(mut parameters) = self.parameters.take() else { return Ok(()) };
        let read = parameters.read(self.rest, value);
        self.parameters = Some(parameters);
        self.rest = read.map_err(|message| self.error(&message))?;
        Ok(())
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
        while self.rest.starts_with('#') {
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
    }

    /// Skips `c`, and the space behind it, if `c` is next.
    fn eat(&mut self, c: char) -> bool {
        let found = self.rest.starts_with(c);
        if found {
            self.advance(c);
            self.skip_space();
        }
        found
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.advance(c);
        Some(c)
    }

    fn advance(&mut self, c: char) {
        self.rest = &self.rest[c.len_utf8()..];
    }

    fn expected(&self, what: &str) -> Error {
        let found = self.rest.chars().next().map_or("the end".to_owned(), |c| format!("'{}'", c.escape_debug()));
        self.error(&format!("expected {what}, found {found}"))
    }

    /// `message` with the place and the text near it.
    fn error(&self, message: &str) -> Error {
        let before = &self.text[..self.text.len() - self.rest.len()];
        let line = self.line();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[line_start..].chars().count() + 1;
        let place = if self.parameters.is_some() || self.text.trim_end().contains('\n') {
            format!("line {line}, column {column}")
        } else {
            format!("column {column}")
        };
        Error::bad_argument(format!("{}, {place}: {message}{}", self.what, self.near(line_start)))
    }

    /// The line of the place, from 1.
    fn line(&self) -> usize {
        self.text[..self.text.len() - self.rest.len()].matches('\n').count() + 1
    }

    /// ", near '…'" with a few characters of the line on each side of the place.
    fn near(&self, line_start: usize) -> String {
        const SIDE: usize = 24;
        let at = self.text.len() - self.rest.len();
        let (before, line) = (&self.text[line_start..at], self.rest.lines().next().unwrap_or(""));
        let start = before.char_indices().rev().nth(SIDE - 1).map_or(0, |(i, _)| i);
        let end = line.char_indices().nth(SIDE).map_or(line.len(), |(i, _)| i);
        let (cut_before, cut_after) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
        let excerpt: String = [&before[start..], &line[..end]].concat().chars().map(printable).collect();
        if excerpt.trim().is_empty() { String::new() } else { format!(", near '{cut_before}{excerpt}{cut_after}'") }
    }
}

fn hex_digit(digit: u8) -> u8 {
    char::from(digit).to_digit(16).map_or(0, |d| d as u8)
}
