//! What a filter says of itself, before it has parameters.

use super::{Alias, Filter, Wiring};
use crate::error::Result;
use crate::params::{Call, Schema};
use crate::video::Format;
use std::fmt;

/// How far from a sample a filter reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footprint {
    /// Only the sample itself.
    Point,
    /// The sample's neighbourhood; the text says how far.
    Window(&'static str),
    /// Samples to the left and in rows above may change a sample (error diffusion).
    Causal,
}

/// What a filter may change about a stream besides its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The bit depth.
    BitDepth,
    /// The sample range.
    Range,
    /// Width and height.
    Size,
    /// Components, subsampling.
    Layout,
    /// Matrix, transfer, primaries or chroma siting.
    Colour,
    /// How bright the picture is meant to be: its HDR metadata no longer holds.
    Grading,
    /// The sample aspect ratio.
    Aspect,
    /// How many frames there are, and their times.
    Rate,
}

/// What a filter is: one constant a filter, from which help, documentation, host tables and tests are made.
pub struct Descriptor {
    /// The name in a chain.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [Alias],
    /// One line.
    pub summary: &'static str,
    /// What it computes, in Markdown, with its source.
    pub definition: &'static str,
    /// Its parameters and presets.
    pub schema: &'static Schema,
    /// Which formats of its first input it takes.
    pub accepts: fn(Format) -> bool,
    /// How far it reads.
    pub footprint: Footprint,
    /// Frames that it reads around the one it makes, in words; empty when there are none.
    pub temporal: &'static str,
    /// What it may change.
    pub changes: &'static [Change],
    /// Arguments with which it is the identity on every format it takes; none where it always changes something.
    pub neutral: &'static [&'static str],
    /// Arguments that the test harness and the benches run it with.
    pub cases: &'static [&'static str],
    /// Makes the filter from checked arguments.
    pub create: fn(&Call) -> Result<Box<dyn Filter>>,
}

impl Descriptor {
    /// Every name it answers to, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().map(|alias| alias.name))
    }

    /// The text of a call with `args`, as a chain writes it.
    pub fn text(&self, args: &str) -> String {
        if args.is_empty() { self.name.to_owned() } else { format!("{}={args}", self.name) }
    }

    /// A chain that runs the filter with `args` on frames of its own: other pictures that it reads are earlier points of the
    /// chain. `None` for what only names pictures.
    ///
    /// # Errors
    /// When the arguments are wrong.
    pub fn example(&self, args: &str) -> Result<Option<String>> {
        let text = self.text(args);
        let call = crate::params::parse_chain(&text)?.into_iter().next();
        let call = call.ok_or_else(|| crate::error::Error::internal("a call that is none"))?;
        let Wiring::Reads(names) = (self.create)(&call)?.wiring() else { return Ok(None) };
        let keep = |(i, name): (usize, &String)| format!("keep={name},box=radius={},", i + 1);
        Ok(Some(names.iter().enumerate().map(keep).collect::<String>() + &text))
    }

    /// Whether it computes anything. What only says which picture is which (`keep`, `use`) is done with when a chain is
    /// planned.
    pub fn has_kernels(&self) -> bool {
        matches!(self.bare_wiring(), Wiring::Reads(_))
    }

    /// Whether it computes, from the chain's own picture alone.
    pub fn stands_alone(&self) -> bool {
        self.bare_wiring() == Wiring::Reads(Vec::new())
    }

    /// The names that it reads by default.
    fn bare_wiring(&self) -> Wiring {
        let bare = Call { name: self.name.to_owned(), args: Vec::new() };
        (self.create)(&bare).map_or(Wiring::Reads(Vec::new()), |filter| filter.wiring())
    }
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Descriptor({})", self.name)
    }
}
