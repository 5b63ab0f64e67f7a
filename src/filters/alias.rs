//! Other names that filters answer to, those that other programs gave among them.

use crate::error::{Error, Result};
use crate::params::Call;

/// Another name that a filter answers to.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// Set where another program has a filter of the kind under this name, whose unnamed values are other options.
    pub foreign: Option<Foreign>,
}

/// Whose name an alias is.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    /// The program.
    pub program: &'static str,
    /// How the values that it takes unnamed are written here.
    pub example: &'static str,
}

impl Alias {
    /// A name of ours.
    pub const fn own(name: &'static str) -> Alias {
        Alias { name, foreign: None }
    }

    /// What `program` calls a filter of the kind; `example` is how its unnamed values are written here.
    pub const fn foreign(program: &'static str, name: &'static str, example: &'static str) -> Alias {
        Alias { name, foreign: Some(Foreign { program, example }) }
    }

    /// Refuses a call by this name whose unnamed values mean something else where the name comes from. The first is the
    /// same option everywhere.
    ///
    /// # Errors
    /// With how to write it.
    pub fn check(&self, call: &Call) -> Result<()> {
        let unnamed = call.args.iter().filter(|arg| arg.key.is_none()).count();
        match self.foreign {
            Some(Foreign { program, example }) if unnamed > 1 => Err(Error::bad_argument(format!(
                "{}: {program}'s second value is another option here: name options, as in {example}",
                self.name
            ))),
            _ => Ok(()),
        }
    }
}
