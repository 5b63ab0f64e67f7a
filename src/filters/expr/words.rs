//! An expression as it is written: words in reverse Polish notation.

use super::code::Code;
use super::op::Op;
use crate::error::{Error, Result};
use crate::params::{Argument, Choice, ParamKind, ParamValue, did_you_mean, excerpt};

/// The most words of an expression.
const MOST_WORDS: usize = 1000;

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// A number.
    Number(f32),
    /// The sample of a picture: 0 is the chain's own.
    Source(usize),
    /// What the stream, the plane or the place says.
    Given(Given),
    /// A function of the topmost values.
    Apply(Op),
    /// Another one of the value that lies as deep as this below the topmost.
    Dup(usize),
    /// The topmost value changes places with the one that lies as deep as this below it.
    Swap(usize),
    /// Takes as many values away.
    Drop(usize),
    /// Takes the topmost value away and names it.
    Store(String),
    /// The value of a name.
    Fetch(String),
}

crate::choices! {
    /// What needs no picture.
    pub enum Given {
        /// The column of the sample in its plane.
        Column = "X",
        /// Its row.
        Row = "Y",
        /// The frame's number.
        Frame = "N",
        /// Columns of the plane.
        Width = "width",
        /// Its rows.
        Height = "height",
        /// The circle's.
        Pi = "pi",
        /// The smallest code.
        RangeMin = "range_min",
        /// The middle code, where chroma is grey.
        RangeHalf = "range_half",
        /// The largest code.
        RangeMax = "range_max",
        /// Black of luma and RGB.
        LumaMin = "ymin",
        /// White.
        LumaMax = "ymax",
        /// The least chroma.
        ChromaMin = "cmin",
        /// The most.
        ChromaMax = "cmax",
    }
}

/// Names of pictures.
const SOURCES: [&str; 3] = ["x", "y", "z"];

/// Words that move values.
const MOVES: [&str; 3] = ["dup", "swap", "drop"];

/// An expression, which leaves one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    words: Vec<Word>,
    code: Code,
}

impl Expression {
    pub const FORM: ParamKind = ParamKind::Text("an expression in reverse Polish notation, as 'x y - 128 +'");

    /// The picture as it is.
    pub fn identity() -> Expression {
        Expression::read("x").expect("an expression")
    }

    /// Reads `text`.
    ///
    /// # Errors
    /// With the number of the word that is not known, or lacks values, and what it needs.
    pub fn read(text: &str) -> Result<Expression> {
        let written: Vec<&str> = text.split_whitespace().collect();
        if written.len() > MOST_WORDS {
            return Err(Error::bad_argument(format!("{} words are too many: at most {MOST_WORDS}", written.len())));
        }
        let (mut words, mut depth) = (Vec::new(), 0);
        for (number, word) in (1..).zip(&written) {
            let refused = |why: String| Error::bad_argument(format!("word {number}, '{}', {why}", excerpt(word)));
            let read = Word::read(word).map_err(&refused)?;
            let (takes, leaves) = read.effect();
            if depth < takes {
                let values = if takes == 1 { "value" } else { "values" };
                return Err(refused(format!("takes {takes} {values}, but finds {depth}")));
            }
            if matches!(&read, Word::Fetch(_)) && !words.contains(&read.stored()) {
                return Err(refused("has no value yet: write NAME! before NAME@".to_owned()));
            }
            depth = depth - takes + leaves;
            words.push(read);
        }
        match depth {
            0 if words.is_empty() => Err(Error::bad_argument("an expression has words: 'x' leaves the plane as it is")),
            0 => Err(Error::bad_argument("no value is left at the end: one must be")),
            1 => {
                let code = Code::new(&words)?;
                Ok(Expression { text: written.join(" "), words, code })
            }
            _ => Err(Error::bad_argument(format!("{depth} values are left at the end: one must be"))),
        }
    }

    /// The words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// What computes it.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// True for one that leaves its plane as it is.
    pub fn is_identity(&self) -> bool {
        self.words == [Word::Source(0)]
    }

    /// Whether it reads picture `source`.
    pub fn reads(&self, source: usize) -> bool {
        self.words.contains(&Word::Source(source))
    }
}

impl Word {
    fn read(word: &str) -> std::result::Result<Word, String> {
        if let Some(number) = number(word) {
            return Ok(Word::Number(number));
        }
        if let Some(source) = SOURCES.iter().position(|name| *name == word) {
            return Ok(Word::Source(source));
        }
        let words = Given::WORDS;
        if let Some(at) = words.iter().position(|name| *name == word) {
            return Ok(Word::Given(Given::ALL[at]));
        }
        if let Some(op) = Op::find(word) {
            return Ok(Word::Apply(op));
        }
        if let Some(name) = variable(word, '!') {
            return Ok(Word::Store(name));
        }
        if let Some(name) = variable(word, '@') {
            return Ok(Word::Fetch(name));
        }
        let counted = |name: &str, bare: usize| match word.strip_prefix(name)? {
            "" => Some(bare),
            digits if digits.len() <= 3 && digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        };
        if let Some(depth) = counted("dup", 0) {
            return Ok(Word::Dup(depth));
        }
        if let Some(depth) = counted("swap", 1) {
            return Ok(Word::Swap(depth));
        }
        if let Some(count) = counted("drop", 1) {
            return Ok(Word::Drop(count));
        }
        let known = Op::ALL.iter().map(|op| op.word()).chain(words.iter().copied()).chain(MOVES).chain(SOURCES);
        let near = did_you_mean(word, known);
        let some = "x y z, numbers, + - * / % pow max min exp log sin cos sqrt abs floor ceil round trunc clip \
                    > < = >= <= and or xor not ? dup swap drop NAME! NAME@ X Y N width height pi range_max";
        Err(format!("is not known{}", if near.is_empty() { format!(": there are {some}") } else { near }))
    }

    /// Values that it takes, and those that it leaves.
    fn effect(&self) -> (usize, usize) {
        match self {
            Word::Number(_) | Word::Source(_) | Word::Given(_) | Word::Fetch(_) => (0, 1),
            Word::Apply(op) => (op.arity(), 1),
            Word::Dup(depth) => (depth + 1, depth + 2),
            Word::Swap(depth) => (depth + 1, depth + 1),
            Word::Drop(count) => (*count, 0),
            Word::Store(_) => (1, 0),
        }
    }

    /// The word that gives its name a value.
    fn stored(&self) -> Word {
        match self {
            Word::Fetch(name) => Word::Store(name.clone()),
            other => other.clone(),
        }
    }
}

impl ParamValue for Expression {
    fn parse(given: &Argument<'_>) -> Result<Expression> {
        Expression::read(given.text).map_err(|error| error.context(format!("option '{}'", given.name)))
    }

    fn print(&self) -> String {
        self.text.clone()
    }
}

/// A finite number in decimals.
fn number(word: &str) -> Option<f32> {
    let begins = word.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse().ok().filter(|number: &f32| begins && number.is_finite())
}

/// The name before `mark`.
fn variable(word: &str, mark: char) -> Option<String> {
    let name = word.strip_suffix(mark)?;
    let plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    (plain && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then(|| name.to_owned())
}
