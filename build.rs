//! Embeds the CUDA kernels: the committed PTX, and machine code beside it when nvcc is found. Tells the code which libav
//! there is.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Machine code is made for these compute capabilities, as far as the nvcc at hand knows them. Each covers the later
/// ones of its major number; what none covers runs the PTX.
const NATIVE: [u32; 9] = [61, 70, 75, 80, 86, 89, 90, 100, 120];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_TRANSCODE").is_some() {
        describe_libav();
    }
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        embed_kernels();
    }
}

/// Frame threads of a libav before FFmpeg 6 take turns in callbacks unless a field, later removed, says otherwise.
fn describe_libav() {
    println!("cargo:rustc-check-cfg=cfg(libav_takes_turns)");
    if env::var("DEP_FFMPEG_FFMPEG_6_0").is_ok_and(|known| known != "true") {
        println!("cargo:rustc-cfg=libav_takes_turns");
    }
}

/// Writes the table of kernels that src/device/cuda/module.rs includes.
fn embed_kernels() {
    println!("cargo:rerun-if-changed=cuda");
    println!("cargo:rerun-if-env-changed=VRAMP_NVCC");
    println!("cargo:rerun-if-env-changed=PATH");

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let nvcc = Nvcc::find();
    let images: String = modules(&root).iter().map(|ptx| image(&root, ptx, nvcc.as_ref(), &out)).collect();
    let table = format!("/// Every module.\npub static IMAGES: &[Image] = &[\n{images}];\n");
    fs::write(out.join("cuda_images.rs"), table).expect("writing the table of kernels");
}

/// The committed PTX files, in order.
fn modules(root: &Path) -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(root.join("cuda/ptx")) else { return Vec::new() };
    let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    files
}

/// One line of the table.
fn image(root: &Path, ptx: &Path, nvcc: Option<&Nvcc>, out: &Path) -> String {
    let name = ptx.file_stem().and_then(|stem| stem.to_str()).expect("a module's name is ASCII");
    let text = fs::read_to_string(ptx).unwrap_or_else(|e| panic!("{}: {e}", ptx.display()));
    let source = root.join("cuda").join(format!("{name}.cu"));
    let compute = target(&text, ptx);
    let native = match nvcc.and_then(|nvcc| nvcc.compile(&source, compute, &out.join(format!("{name}.fatbin")))) {
        Some(path) => format!("Some(include_bytes!({path:?}))"),
        None => "None".to_owned(),
    };
    let mut line = String::new();
    writeln!(
        line,
        "    Image {{ name: {name:?}, ptx: include_str!({ptx:?}), compute: {:?}, driver: {:?}, native: {native} }},",
        compute,
        driver(&text, ptx),
    )
    .expect("writing to a string");
    line
}

/// The word after `directive` in PTX.
fn directive<'a>(text: &'a str, directive: &str, ptx: &Path) -> &'a str {
    let word = text.lines().find_map(|line| line.strip_prefix(directive)).map(str::trim);
    word.unwrap_or_else(|| panic!("{}: no {directive}", ptx.display()))
}

/// The compute capability that PTX is for: `.target sm_61` is (6, 1).
fn target(text: &str, ptx: &Path) -> (u32, u32) {
    let word = directive(text, ".target", ptx);
    let number = word.strip_prefix("sm_").and_then(|n| n.split(',').next()).and_then(|n| n.trim().parse::<u32>().ok());
    let number = number.unwrap_or_else(|| panic!("{}: target '{word}' is not understood", ptx.display()));
    (number / 10, number % 10)
}

/// The first CUDA version whose driver reads PTX of this version (the PTX manual's table of releases).
fn driver(text: &str, ptx: &Path) -> (u32, u32) {
    let word = directive(text, ".version", ptx);
    let version = word.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    match version.unwrap_or_else(|| panic!("{}: version '{word}' is not understood", ptx.display())) {
        (5, _) => (8, 0),
        (6, minor @ 0..=2) => (9, minor),
        (6, minor) => (10, minor - 3),
        // From 7.0 (CUDA 11.0) on the two count together, but for 8.6, which came with 12.7.
        (8, 6) => (12, 7),
        (8, 7) => (12, 8),
        (8, 8) => (12, 9),
        (major, minor) => (major + 4, minor),
    }
}

/// A CUDA compiler.
struct Nvcc {
    path: PathBuf,
    architectures: Vec<u32>,
}

impl Nvcc {
    /// The one `VRAMP_NVCC` names (none, when it is empty), or the first in PATH.
    fn find() -> Option<Nvcc> {
        let path = env::var_os("VRAMP_NVCC").unwrap_or_else(|| "nvcc".into());
        if path.is_empty() {
            return None;
        }
        let listed = Command::new(&path).arg("--list-gpu-code").output().ok().filter(|out| out.status.success())?;
        let known = String::from_utf8_lossy(&listed.stdout).into_owned();
        let knows = |number: &u32| known.lines().any(|line| line.trim() == format!("sm_{number}"));
        Some(Nvcc { path: path.into(), architectures: NATIVE.into_iter().filter(knows).collect() })
    }

    /// Compiles `source` for compute capabilities from `oldest` on; without success there is a warning, and the PTX will do.
    fn compile(&self, source: &Path, oldest: (u32, u32), target: &Path) -> Option<PathBuf> {
        let served = self.architectures.iter().filter(|number| (*number / 10, *number % 10) >= oldest);
        let codes: Vec<_> = served.map(|number| format!("-gencode=arch=compute_{number},code=sm_{number}")).collect();
        if codes.is_empty() {
            return None;
        }
        let mut command = Command::new(&self.path);
        command.args(["--fatbin", "--fmad=false", "-O3", "-std=c++17", "-o"]).arg(target).arg(source).args(codes);
        let done = command.output();
        if matches!(&done, Ok(out) if out.status.success()) {
            return Some(target.to_owned());
        }
        let why = match done {
            Ok(out) => String::from_utf8_lossy(&out.stderr).lines().next().unwrap_or("no reason given").to_owned(),
            Err(error) => error.to_string(),
        };
        println!("cargo:warning={} was not compiled to machine code: {why}", source.display());
        None
    }
}
