//! Functions as VapourSynth knows them: their names, and the arguments that it checks.

use super::gpu::SINCE;
use crate::script::args::{CHAIN, COMMON, NAMES, Type, arguments};
use std::ffi::c_int;
use vramp::filters::Descriptor;

/// The clip to filter.
pub const CLIP: &str = "clip";
/// The clips that `Chain` reads beside the first.
pub const INPUTS: &str = "inputs";

/// The function of a filter: `surface_blur` is `SurfaceBlur`.
pub fn function_name(filter: &Descriptor) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    filter.name.split('_').map(capital).collect()
}

/// The arguments of a filter's function, as VapourSynth reads them.
pub fn signature(filter: &Descriptor) -> String {
    argument(CLIP, "vnode") + &optionals(&arguments(filter))
}

/// The arguments of `Chain`.
pub fn chain_signature() -> String {
    let own = argument(CLIP, "vnode") + &argument(CHAIN, "data") + &optionals(&COMMON);
    own + &optional(INPUTS, "vnode[]") + &optional(NAMES, "data[]")
}

/// Arguments, or a result, of the version of the API: from 4.3 on clips say where their frames may be.
pub fn for_version(types: &str, api_version: c_int) -> String {
    if api_version < SINCE {
        return types.to_owned();
    }
    let anywhere = |one: &str| {
        let mut words: Vec<_> = one.split(':').collect();
        if words.get(1).is_some_and(|word| word.starts_with("vnode")) {
            words.insert(2, "all");
        }
        words.join(":") + ";"
    };
    types.split_terminator(';').map(anywhere).collect()
}

fn argument(name: &str, host_type: &str) -> String {
    format!("{name}:{host_type};")
}

fn optional(name: &str, host_type: &str) -> String {
    format!("{name}:{host_type}:opt;")
}

fn optionals(arguments: &[(&str, Type)]) -> String {
    arguments.iter().map(|(name, of)| optional(name, host_type(*of))).collect()
}

fn host_type(of: Type) -> &'static str {
    match of {
        Type::Bool | Type::Int => "int",
        Type::Float => "float",
        Type::Text => "data",
        Type::Planes => "int[]",
        Type::Clip => "vnode",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramp::filters::{self, ALL};

    fn filter(name: &str) -> &'static Descriptor {
        filters::find(name).unwrap()
    }

    #[test]
    fn a_signature_has_the_parameters_in_order() {
        let signature = signature(filter("gauss"));
        assert!(signature.starts_with("clip:vnode;sigma:float:opt;"), "{signature}");
        assert!(signature.contains(";planes:int[]:opt;"), "{signature}");
        assert!(signature.ends_with(";device:data:opt;depth:int:opt;"), "{signature}");
        assert_eq!(
            chain_signature(),
            "clip:vnode;chain:data;device:data:opt;depth:int:opt;inputs:vnode[]:opt;names:data[]:opt;"
        );
    }

    #[test]
    fn newer_versions_give_clips_wherever_they_are() {
        let types = "clip:vnode;chain:data;inputs:vnode[]:opt;names:data[]:opt;";
        assert_eq!(for_version(types, SINCE - 1), types);
        let anywhere = "clip:vnode:all;chain:data;inputs:vnode[]:all:opt;names:data[]:opt;";
        assert_eq!(for_version(types, SINCE), anywhere);
    }

    #[test]
    fn every_filter_has_a_signature_that_names_each_argument_once() {
        for filter in ALL {
            let signature = signature(filter);
            let mut names: Vec<_> =
                signature.split_terminator(';').map(|part| part.split(':').next().unwrap()).collect();
            for name in &names {
                let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                assert!(is_name, "{}: '{name}'", filter.name);
            }
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}: {signature}", filter.name);
            assert_eq!(signature.contains(";preset:"), !filter.schema.presets.is_empty(), "{}", filter.name);
            let function = function_name(filter);
            assert!(function.starts_with(|c: char| c.is_ascii_uppercase()) && !function.contains('_'), "{function}");
        }
    }
}
