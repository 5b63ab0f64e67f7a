//! The layers hold: no path points upward, and CUDA, hosts and what filters are made of are named only where they belong.

mod source;

use source::{Source, rust_files};
use std::path::Path;

/// The modules of the crate from the lowest up. Those of one line do not know each other.
const LAYERS: [&[&str]; 10] = [
    &["error"],
    &["video", "params"],
    &["device"],
    &["simd"],
    &["filters", "compare"],
    &["pipeline"],
    &["io"],
    &["farm"],
    &["cli"],
    &["bin", "fuzzing"],
];

/// Macros stand at the crate's root; this is the module each comes from.
const MACROS: [(&str, &str); 2] = [("params", "params"), ("choices", "params")];

/// Words of identifiers that only an adapter in plugin-abi may use.
const HOSTS: [&str; 4] = ["vapoursynth", "avisynth", "frei0r", "openfx"];

/// Types that every filter may have one of; docs/FILTER-GUIDE.md says what each is.
const OF_FILTERS: [&str; 7] = ["Plan", "ComponentPlan", "ComponentArgs", "Reference", "Fast", "Band", "Strategy"];

/// Names that do not say what a type is.
const VAGUE: [&str; 7] = ["Place", "Places", "Component", "Way", "Ways", "Lane", "Door"];

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Every rule that the source file at `path` (below src/) breaks.
fn faults(path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let mut faults = Vec::new();
    let Some(from) = source.module.first() else { return faults };
    let Some(from_rank) = rank(from) else { return vec![format!("{path}: module '{from}' has no layer in LAYERS")] };
    for name in source.root_paths() {
        let to = MACROS.iter().find(|(mac, _)| *mac == name).map_or(name, |(_, module)| module);
        match rank(to) {
            None => faults.push(format!("{path}: crate::{to} has no layer in LAYERS")),
            Some(to_rank) if to != *from && to_rank >= from_rank => {
                faults.push(format!("{path}: {from} must not know {to}"));
            }
            Some(_) => {}
        }
    }
    for (name, modules) in source.identifiers() {
        if is_cuda(name) && !may_name_cuda(&modules) {
            faults.push(format!("{path}: '{name}' belongs to device::cuda, a filter's mod cuda or io's mod hwaccel"));
        }
        if HOSTS.iter().any(|host| name.to_lowercase().contains(host)) {
            faults.push(format!("{path}: '{name}' names a host; only plugin-abi may"));
        }
    }
    faults
}

/// The `cust` crates, and the driver's functions and types (cuMemAlloc, CUcontext).
fn is_cuda(name: &str) -> bool {
    let driver = |prefix, case: fn(&char) -> bool| {
        name.strip_prefix(prefix).and_then(|rest| rest.chars().next()).is_some_and(|c| case(&c))
    };
    name == "cust"
        || name.starts_with("cust_")
        || driver("cu", char::is_ascii_uppercase)
        || driver("CU", char::is_ascii_lowercase)
}

fn may_name_cuda(modules: &[&str]) -> bool {
    match modules {
        ["device", module, ..] => module.starts_with("cuda"),
        ["filters", rest @ ..] => rest.contains(&"cuda"),
        ["io", rest @ ..] => rest.contains(&"hwaccel"),
        _ => false,
    }
}

#[test]
fn no_path_points_upward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&root);
    assert!(files.len() > 15, "src/ has only {} files: is this the right place?", files.len());
    let faults: Vec<_> = files.iter().flat_map(|(path, text)| faults(path, text)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The types that the source file at `path` (below src/) declares under a name that has another meaning, or none.
fn misnamed(path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let declares = |pair: &&[&str]| ["struct", "enum", "trait", "type"].contains(&pair[0]);
    let names = source.tokens.windows(2).filter(declares).map(|pair| pair[1]);
    let of_filters = |name: &str| OF_FILTERS.contains(&name) && !path.starts_with("filters/");
    names.filter(|name| VAGUE.contains(name) || of_filters(name)).map(|name| format!("{path}: {name}")).collect()
}

#[test]
fn words_have_one_meaning() {
    for root in ["src", "plugin-abi/src"] {
        let files = rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root));
        let misnamed: Vec<_> = files.iter().flat_map(|(path, text)| misnamed(path, text)).collect();
        assert!(misnamed.is_empty(), "types below {root} that need a name which says what they are: {misnamed:?}");
    }
}

#[test]
fn an_arrow_upward_is_caught() {
    for (path, text, fault) in [
        ("video/plane.rs", "use crate::filters::deband;", "video must not know filters"),
        ("video/mod.rs", "use crate::params::Call;", "video must not know params"),
        ("params/chain.rs", "use crate::{error::Result, video::{Format, Plane}};", "params must not know video"),
        ("video/color.rs", "crate::choices! {}", "video must not know params"),
        ("error.rs", "fn f() -> crate::video::Format {}", "error must not know video"),
        ("device/cpu.rs", "fn f() { let x = &crate::pipeline::run(); }", "device must not know pipeline"),
        ("simd/rows.rs", "use crate::filters::Setup;", "simd must not know filters"),
        ("filters/deband/fast.rs", "use crate::{\n    device::cpu,\n    io,\n};", "filters must not know io"),
        ("pipeline/run.rs", "pub(in crate::io) fn f() {}", "pipeline must not know io"),
        ("io/hash.rs", "use crate::cli::Progress;", "io must not know cli"),
        ("video/mod.rs", "use super::device::cpu;", "video must not know device"),
        ("video/plane.rs", "mod tests { use super::super::super::io; }", "video must not know io"),
        ("params/mod.rs", "macro_rules! m { () => { $crate::filters::find() } }", "params must not know filters"),
        ("gpu/mod.rs", "", "module 'gpu' has no layer in LAYERS"),
        ("io/mod.rs", "use crate::gpu;", "crate::gpu has no layer in LAYERS"),
    ] {
        assert_eq!(faults(path, text), [format!("{path}: {fault}")], "{text}");
    }
}

#[test]
fn paths_downward_and_text_are_no_faults() {
    for (path, text) in [
        ("filters/deband/mod.rs", "use crate::device::cpu; crate::params! {} use crate::{error::Error, video};"),
        ("cli/mod.rs", "use crate::io::libav; use super::pipeline;"),
        ("bin/vramp.rs", "fn main() { crate::cli::main() }"),
        ("video/plane.rs", "use super::Format; mod tests { use super::*; use crate::error; } use super::super::error;"),
        ("video/plane.rs", "// crate::io\n/* crate::io /* */ crate::io */ /// [`crate::io`]\npub(crate) fn f() {}"),
        (
            "video/plane.rs",
            r##"f("crate::io \" crate::io", r#"crate::io " crate::io"#, b'"', '\'', "crate::io", '"')"##,
        ),
        ("video/plane.rs", "fn f<'a>(x: &'a str) { b\"crate::io\\\\\"; 'l: loop {} br\"crate::io\\\"; }"),
        ("lib.rs", "pub mod cli; pub use crate::io::libav;"),
        (
            "cli/probe.rs",
            "// VapourSynth, cust\nlet cuda = \"cuInit frei0r\"; let (custom, cur, CUDA) = Backend::Cuda;",
        ),
    ] {
        assert_eq!(faults(path, text), [""; 0], "{text}");
    }
}

#[test]
fn cuda_outside_its_places_is_caught() {
    for (path, text) in [
        ("filters/deband/mod.rs", "use cust::launch;"),
        ("filters/deband/mod.rs", "mod cuda { mod inner {} } fn f() { cust_raw::x() }"),
        ("device/cpu.rs", "fn f() { cuMemAlloc(); }"),
        ("io/libav/input.rs", "struct S { context: CUcontext }"),
        ("pipeline/cuda.rs", "use cust::stream;"),
    ] {
        assert_eq!(faults(path, text).len(), 1, "{text}");
    }
    for (path, text) in [
        ("filters/deband/cuda.rs", "use cust::launch;"),
        ("filters/deband.rs", "mod cuda { use cust::launch; }"),
        ("device/cuda.rs", "use cust::context;"),
        ("device/cuda_pool.rs", "use cust::memory;"),
        ("device/cuda/pool.rs", "fn f() { cuMemAlloc(); }"),
        ("io/libav/hwaccel.rs", "struct S { context: CUcontext }"),
    ] {
        assert_eq!(faults(path, text), [""; 0], "{text}");
    }
}

#[test]
fn a_host_outside_plugin_abi_is_caught() {
    for text in ["use vapoursynth::api;", "struct AviSynthClip;", "fn frei0r_init() {}", "mod openfx;"] {
        assert_eq!(faults("io/mod.rs", text).len(), 1, "{text}");
    }
}

#[test]
fn another_meaning_of_a_word_is_caught() {
    for (path, text, name) in [
        ("farm/plan.rs", "pub struct Plan { id: String }", "Plan"),
        ("filters/affine/mod.rs", "struct Place { whole: i32 }", "Place"),
        ("io/libav/seek.rs", "mod tests { enum Way { Back, On } }", "Way"),
    ] {
        assert_eq!(misnamed(path, text), [format!("{path}: {name}")], "{text}");
    }
    assert_eq!(misnamed("filters/gauss/plan.rs", "pub(super) struct Plan {}"), [""; 0]);
    assert_eq!(misnamed("farm/plan.rs", "pub struct FilmPlan; enum Goal { Plan, Place } // struct Plan"), [""; 0]);
}
