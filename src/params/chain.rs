//! Chains as text, in two spellings.

use crate::error::Result;

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

/// Reads a chain in either spelling. The empty text is the empty chain.
pub fn parse_chain(text: &str) -> Result<Vec<Call>> {
    todo!("{text}")
}

/// Writes a chain so that [`parse_chain`] reads it back.
pub fn print_chain(calls: &[Call], spelling: Spelling) -> String {
    todo!("{calls:?} {spelling:?}")
}
