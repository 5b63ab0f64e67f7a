//! Functions as AviSynth knows them: their names, and the types that it checks.

use crate::script::args::{CHAIN, COMMON, NAMES, Type, arguments};
use std::fmt::Write;
use vramp::filters::Descriptor;

/// The clip to filter.
pub const CLIP: &str = "clip";
/// The clips that `vramp_chain` reads beside the first.
pub const INPUTS: &str = "inputs";

/// A function: its name, the types of its arguments, and their names.
pub struct Signature {
    /// `vramp_deband`.
    pub name: String,
    /// As AviSynth reads it: `c[range]i…`.
    pub types: String,
    /// Of each argument.
    pub names: Vec<&'static str>,
}

impl Signature {
    /// That of a filter; without one, that of any chain.
    pub fn of(filter: Option<&'static Descriptor>) -> Signature {
        let (name, own, first, named) = match filter {
            Some(filter) => (filter.name, "c", vec![CLIP], arguments(filter)),
            None => {
                let named = [(NAMES, Type::Text)].into_iter().chain(COMMON).collect();
                // The clip, the chain, and any number of clips.
                ("chain", "csc*", vec![CLIP, CHAIN, INPUTS], named)
            }
        };
        let mut types = own.to_owned();
        for (name, of) in &named {
            let _ = write!(types, "[{name}]{}", letter(*of));
        }
        let names = first.into_iter().chain(named.into_iter().map(|(name, _)| name)).collect();
        Signature { name: format!("vramp_{name}"), types, names }
    }
}

fn letter(of: Type) -> char {
    match of {
        Type::Bool => 'b',
        Type::Int => 'i',
        Type::Float => 'f',
        // Planes are named: "y", "uv".
        Type::Text | Type::Planes => 's',
        Type::Clip => 'c',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramp::filters::find;

    #[test]
    fn a_function_has_the_parameters_in_order() {
        let Signature { name, types, names } = Signature::of(find("deband"));
        assert_eq!(name, "vramp_deband");
        assert!(types.starts_with("c[range]i[threshold]i[y]i[cb]i[cr]i[dither]i"), "{types}");
        assert!(types.contains("[blur_first]b") && types.contains("[planes]s"), "{types}");
        assert!(types.ends_with("[preset]s[device]s[depth]i"), "{types}");
        assert_eq!(names[..3], ["clip", "range", "threshold"]);
        assert_eq!(names.len(), 1 + types.matches('[').count());
        assert!(Signature::of(find("gauss")).types.starts_with("c[sigma]f"));
        assert!(Signature::of(find("merge")).types.contains("[with]c"));
        assert_eq!(Signature::of(None).types, "csc*[names]s[device]s[depth]i");
    }
}
