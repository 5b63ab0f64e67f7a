//! Lines of numbers, and errors that name them.

use crate::error::{Error, Result};
use crate::params::excerpt;

/// The lines of a file that say something, with their numbers from 1.
pub struct Lines<'b> {
    rest: &'b [u8],
    number: usize,
}

/// A line.
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Its words, one at least.
    pub words: Vec<String>,
}

impl<'b> Lines<'b> {
    /// Of `bytes`. Text that is no UTF-8 may stand in titles and remarks.
    pub fn new(bytes: &'b [u8]) -> Lines<'b> {
        Lines { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), number: 0 }
    }

    /// The number of the last line that was read.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.get(1..).unwrap_or_default();
            self.number += 1;
            let text = String::from_utf8_lossy(line);
            let said = text.split_once('#').map_or(&*text, |(said, _)| said);
            let words: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
            if !words.is_empty() {
                return Some(Line { number: self.number, words });
            }
        }
        None
    }
}

impl Line {
    /// The error for this line: what is wrong with it.
    pub fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::corrupt(format!("line {}: {what}", self.number))
    }

    /// The line's beginning, for a message.
    pub fn excerpt(&self) -> String {
        format!("'{}'", excerpt(&self.words.join(" ")))
    }

    /// `words` as numbers.
    fn numbers(&self, words: &[String]) -> Option<Vec<f64>> {
        let number = |word: &String| word.parse::<f64>().ok().filter(|number| number.is_finite());
        words.iter().map(number).collect()
    }

    /// The line as numbers, however many.
    ///
    /// # Errors
    /// When a word is none.
    pub fn all(&self) -> Result<Vec<f64>> {
        self.numbers(&self.words).ok_or_else(|| self.wrong(format!("{} are not all numbers", self.excerpt())))
    }

    /// The line as a colour.
    ///
    /// # Errors
    /// When it is not three numbers.
    pub fn colour(&self) -> Result<[f32; 3]> {
        let numbers = self.numbers(&self.words).and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
        let colour = numbers.map(|colour| colour.map(|value| value as f32)).filter(|c| c.iter().all(|v| v.is_finite()));
        colour.ok_or_else(|| self.wrong(format!("{} is not three numbers", self.excerpt())))
    }

    /// The `N` numbers behind the line's keyword.
    ///
    /// # Errors
    /// When there are others.
    pub fn values<const N: usize>(&self) -> Result<[f64; N]> {
        let values = self.numbers(&self.words[1..]).and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
        values.ok_or_else(|| {
            self.wrong(format!(
                "{} takes {N} number{}: {}",
                self.words[0],
                if N > 1 { "s" } else { "" },
                self.excerpt()
            ))
        })
    }

    /// The whole number behind the line's keyword.
    ///
    /// # Errors
    /// When there is none from `least` to `most`.
    pub fn count(&self, least: usize, most: usize) -> Result<usize> {
        let count = self.words.get(1).filter(|_| self.words.len() == 2).and_then(|word| word.parse().ok());
        count.filter(|count| (least..=most).contains(count)).ok_or_else(|| {
            self.wrong(format!("{} takes a whole number from {least} to {most}: {}", self.words[0], self.excerpt()))
        })
    }
}

/// Colours that are read one line at a time, as many as there should be.
pub struct Rows {
    /// Those that were read.
    pub values: Vec<[f32; 3]>,
    wanted: usize,
    /// What they are, for messages.
    what: String,
}

impl Rows {
    /// `wanted` colours of `what`.
    pub fn new(wanted: usize, what: String) -> Rows {
        Rows { values: Vec::new(), wanted, what }
    }

    /// The colours of a cube.
    pub fn of_cube(edge: usize) -> Rows {
        Rows::new(edge * edge * edge, format!("{edge}×{edge}×{edge}"))
    }

    /// Whether all are there.
    pub fn is_full(&self) -> bool {
        self.values.len() == self.wanted
    }

    /// Adds the colour of a line.
    ///
    /// # Errors
    /// When it is none, or one too many.
    pub fn add(&mut self, line: &Line) -> Result<()> {
        let colour = line.colour()?;
        if self.is_full() {
            return Err(line.wrong(format!("one colour more than the {} that {} has", self.wanted, self.what)));
        }
        self.values.push(colour);
        Ok(())
    }

    /// All colours, at the end of the file, whose last line is `last`.
    ///
    /// # Errors
    /// When there are too few.
    pub fn finish(self, last: usize) -> Result<Vec<[f32; 3]>> {
        if self.is_full() {
            return Ok(self.values);
        }
        let (read, wanted) = (self.values.len(), self.wanted);
        Err(Error::corrupt(format!(
            "line {last}: the file ends after {read} of the {wanted} colours that {} has",
            self.what
        )))
    }
}
