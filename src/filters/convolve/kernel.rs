//! A kernel as users give it: numbers in a chain, or in a file.

use crate::error::{Error, Result};
use crate::params::{Argument, ParamKind, ParamValue, excerpt};
use std::fs;
use std::path::Path;

/// The most rows and columns.
pub const MOST: usize = 61;

/// The longest file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The numbers of a kernel, row by row. Rows are equally long; one row alone may be a list whose shape is still open.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRows {
    rows: Vec<Vec<f64>>,
}

/// A kernel with its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    pub columns: usize,
    pub rows: usize,
    /// Row by row.
    pub values: Vec<f64>,
}

impl KernelRows {
    pub const FORM: ParamKind =
        ParamKind::Text("numbers, row by row, with '/' between rows, as '0 -1 0/-1 5 -1/0 -1 0', or a file of them");

    /// The kernel that changes nothing.
    pub fn identity() -> KernelRows {
        KernelRows { rows: vec![vec![1.0]] }
    }

    /// The shape: rows as they are given, or a list cut into rows of `width` numbers. A list of 9, 25, … numbers is square.
    ///
    /// # Errors
    /// For an even number of rows or columns, or too many of them, and where the list does not fill its rows.
    pub fn shaped(&self, width: Option<usize>) -> Result<Shaped> {
        let count = self.rows.iter().map(Vec::len).sum::<usize>();
        let columns = match (width, &self.rows[..]) {
            (None, [list]) => square_root(list.len()).unwrap_or(list.len()),
            (None, rows) => rows[0].len(),
            (Some(width), [_]) => width,
            (Some(width), rows) if rows[0].len() == width => width,
            (Some(width), rows) => {
                let len = rows[0].len();
                return Err(Error::bad_argument(format!(
                    "width={width}, but the rows of the kernel have {len} numbers"
                )));
            }
        };
        if !count.is_multiple_of(columns) {
            return Err(Error::bad_argument(format!("{count} numbers do not fill rows of {columns}")));
        }
        let rows = count / columns;
        for (len, what) in [(columns, "columns"), (rows, "rows")] {
            if len.is_multiple_of(2) || len > MOST {
                let middle = if len.is_multiple_of(2) { ", so that one is in the middle" } else { "" };
                return Err(Error::bad_argument(format!(
                    "the kernel has {len} {what}: their number must be odd, from 1 to {MOST}{middle}"
                )));
            }
        }
        Ok(Shaped { columns, rows, values: self.rows.concat() })
    }

    /// The kernel in a file.
    fn read(path: &Path) -> Result<KernelRows> {
        let refused = |why: String| Error::bad_argument(format!("the kernel {}: {why}", path.display()));
        let about = fs::metadata(path).map_err(|error| refused(error.to_string()))?;
        if !about.is_file() || about.len() > MOST_BYTES {
            return Err(refused("it must be a file of at most 1 MiB".to_owned()));
        }
        let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        KernelRows::of_text(&text).map_err(refused)
    }

    /// The kernel of a file's text: a row a line. Spaces, tabs, commas and semicolons separate numbers; '#' begins a comment.
    pub fn of_text(text: &str) -> std::result::Result<KernelRows, String> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut first = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let row = numbers(line.split('#').next().unwrap_or_default())
                .map_err(|word| format!("line {number}: '{word}' is no number"))?;
            match (row.len(), rows.first().map(Vec::len)) {
                (0, _) => continue,
                (_, None) => first = number,
                (len, Some(expected)) if len != expected => {
                    return Err(format!("line {number} has {len} numbers, and line {first} has {expected}"));
                }
                _ => {}
            }
            rows.push(row);
        }
        if rows.is_empty() { Err("it has no numbers".to_owned()) } else { Ok(KernelRows { rows }) }
    }
}

impl ParamValue for KernelRows {
    /// Numbers are a kernel; what does not begin with one is the name of a file.
    fn parse(given: &Argument<'_>) -> Result<KernelRows> {
        let rows: Vec<_> = given.text.split('/').map(numbers).collect();
        if !matches!(&rows[0], Ok(row) if !row.is_empty()) && !begins_with_number(given.text) {
            if !Path::new(given.text).exists() {
                return Err(crate::params::refuse(given));
            }
            return KernelRows::read(Path::new(given.text));
        }
        let refused = |why: String| Error::bad_argument(format!("option '{}': {why}", given.name));
        let rows: Vec<Vec<f64>> = rows
            .into_iter()
            .collect::<std::result::Result<_, _>>()
            .map_err(|word| refused(format!("'{word}' is no number")))?;
        match (2..).zip(&rows[1..]).find(|(_, row)| row.len() != rows[0].len()) {
            Some((number, row)) => {
                let (len, expected) = (row.len(), rows[0].len());
                Err(refused(format!("row {number} has {len} numbers, and row 1 has {expected}")))
            }
            None => Ok(KernelRows { rows }),
        }
    }

    /// The numbers, wherever they are from: whoever repeats the call needs no file.
    fn print(&self) -> String {
        let row = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        self.rows.iter().map(row).collect::<Vec<_>>().join("/")
    }
}

fn begins_with_number(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

/// The numbers of a row, or the beginning of the first word that is none.
fn numbers(row: &str) -> std::result::Result<Vec<f64>, String> {
    let words = row.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|word| !word.is_empty());
    let number = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| excerpt(word));
    words.map(number).collect()
}

/// The root of an odd number's square.
fn square_root(count: usize) -> Option<usize> {
    (1..=MOST).step_by(2).find(|root| root * root == count)
}
