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
    /// Options that it counts in finer steps, and how many of those are one here.
    pub finer: &'static [(&'static str, i64)],
    /// What makes a call of this filter of one of that program's, where names alone do not.
    pub rewrite: Option<fn(&Call) -> Result<Call>>,
}

impl Alias {
    /// A name of ours.
    pub const fn own(name: &'static str) -> Alias {
        Alias { name, foreign: None }
    }

    /// What `program` calls a filter of the kind; `example` is how its unnamed values are written here.
    pub const fn foreign(program: &'static str, name: &'static str, example: &'static str) -> Alias {
        Alias { name, foreign: Some(Foreign { program, example, finer: &[], rewrite: None }) }
    }

    /// The same name of a program that counts these options in finer steps.
    #[must_use]
    pub const fn finer(self, finer: &'static [(&'static str, i64)]) -> Alias {
        let foreign = match self.foreign {
            Some(foreign) => Some(Foreign { finer, ..foreign }),
            None => None,
        };
        Alias { foreign, ..self }
    }

    /// The same name of a program whose options `rewrite` makes into this filter's.
    #[must_use]
    pub const fn rewritten(self, rewrite: fn(&Call) -> Result<Call>) -> Alias {
        let foreign = match self.foreign {
            Some(foreign) => Some(Foreign { rewrite: Some(rewrite), ..foreign }),
            None => None,
        };
        Alias { foreign, ..self }
    }

    /// What a call by this name is by the filter's own.
    ///
    /// # Errors
    /// Where unnamed values mean something else where the name comes from, with how to write it; the first is the same option
    /// everywhere. Where a value lies between two that the filter has, with both. Where options have no like here.
    pub fn translate(&self, call: &Call) -> Result<Call> {
        let mut call = call.clone();
        let Some(Foreign { program, example, finer, rewrite }) = self.foreign else { return Ok(call) };
        let name = self.name;
        if call.args.iter().filter(|arg| arg.key.is_none()).count() > 1 {
            return Err(Error::bad_argument(format!(
                "{name}: {program}'s second value is another option here: name options, as in {example}"
            )));
        }
        if let Some(rewrite) = rewrite {
            call = rewrite(&call)?;
        }
        for arg in &mut call.args {
            let key = arg.key.as_deref().unwrap_or("");
            let Some((_, steps)) = finer.iter().find(|(option, _)| key.eq_ignore_ascii_case(option)) else { continue };
            // What is no whole number is refused as any such value is.
            let Ok(value) = arg.value.parse::<i64>() else { continue };
            if value % steps != 0 {
                let lower = value.div_euclid(*steps).saturating_mul(*steps);
                return Err(Error::bad_argument(format!(
                    "{name}: {key}={value} lies between two strengths that this filter has: use {key}={lower} or {key}={}",
                    lower.saturating_add(*steps)
                )));
            }
            arg.value = (value / steps).to_string();
        }
        Ok(call)
    }
}
