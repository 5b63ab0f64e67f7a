//! Embeds the CUDA kernels, packed as they are committed. Sets a cfg for the version of libav.

use lzma_rust2::XzReader;
use std::env;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_TRANSCODE").is_some() {
        describe_libav();
    }
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        embed_kernels();
    }
}

/// Frame threads of a libav before FFmpeg 6 take turns in callbacks unless a field, later removed, says otherwise. FFmpeg 7 keeps
/// a frame's duration in another field.
fn describe_libav() {
    println!("cargo:rustc-check-cfg=cfg(libav_takes_turns)");
    println!("cargo:rustc-check-cfg=cfg(libav_states_duration)");
    if env::var("DEP_FFMPEG_FFMPEG_6_0").is_ok_and(|known| known != "true") {
        println!("cargo:rustc-cfg=libav_takes_turns");
    }
    if env::var("DEP_FFMPEG_FFMPEG_7_0").is_ok_and(|known| known == "true") {
        println!("cargo:rustc-cfg=libav_states_duration");
    }
}

/// Writes the table of kernels that src/device/cuda/module.rs includes.
fn embed_kernels() {
    println!("cargo:rerun-if-changed=cuda/ptx");
    println!("cargo:rerun-if-changed=cuda/native");

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")).join("cuda");
    let images: String =
        files(&root.join("ptx"), "", ".ptx.xz").iter().map(|(name, ptx)| image(&root, name, ptx)).collect();
    let table = format!("/// Every module.\npub static IMAGES: &[KernelImage] = &[\n{images}];\n");
    fs::write(out.join("cuda_images.rs"), table).expect("writing the table of kernels");
}

/// The files in `folder` whose names begin and end so, with what is between, in order. None without the folder.
fn files(folder: &Path, start: &str, end: &str) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_prefix(start)?.strip_suffix(end)?.to_owned();
        Some((name, path))
    };
    let mut files: Vec<_> = entries.flatten().filter_map(|entry| named(entry.path())).collect();
    files.sort();
    files
}

/// One line of the table.
fn image(root: &Path, name: &str, ptx: &Path) -> String {
    let text = header(ptx);
    let packed = root.join("native").join(format!("{name}.xz"));
    let (mut native, mut include) = (String::new(), "&[]".to_owned());
    if packed.is_file() {
        for (compute, begins_early, code) in machine_code(&packed) {
            write!(native, "NativeCode {{ compute: {compute:?}, begins_early: {begins_early}, code: {code:?} }}, ")
                .expect("writing to a string");
        }
        include = format!("include_bytes!({packed:?})");
    }
    let (target, driver) = (target(&text, ptx), driver(&text, ptx));
    format!(
        "    KernelImage {{ name: {name:?}, ptx: include_bytes!({ptx:?}), compute: {target:?}, driver: {driver:?}, \
         packed_native: {include}, native: &[{native}] }},\n"
    )
}

/// The compute capabilities that packed machine code is for, whether its launches may begin early there, and where in it the code
/// of each lies: cuda/make_ptx.py has the format.
fn machine_code(packed: &Path) -> Vec<((u32, u32), bool, Range<usize>)> {
    let text = header(packed);
    let (made_of, bytes) = text.split_once("\nbytes: ").unwrap_or_else(|| panic!("{}: how long?", packed.display()));
    let (_, gpus) = made_of.rsplit_once(": ").unwrap_or_else(|| panic!("{}: for which devices?", packed.display()));
    let (bytes, _) = bytes.split_once('\n').unwrap_or_else(|| panic!("{}: no code", packed.display()));
    let mut start = made_of.len() + "\nbytes: ".len() + bytes.len() + "\n".len();
    let code = |(gpu, bytes): (&str, &str)| {
        let (number, begins_early) = gpu.strip_suffix("-early").map_or((gpu, false), |number| (number, true));
        let compute = compute(number).unwrap_or_else(|| panic!("{}: '{gpu}' is no device", packed.display()));
        let length: usize = bytes.parse().unwrap_or_else(|_| panic!("{}: '{bytes}' bytes", packed.display()));
        let code = start..start + length;
        start = code.end;
        (compute, begins_early, code)
    };
    gpus.split(' ').zip(bytes.split(' ')).map(code).collect()
}

/// The first lines of a packed file.
fn header(packed: &Path) -> String {
    let file = fs::File::open(packed).unwrap_or_else(|e| panic!("{}: {e}", packed.display()));
    let mut text = Vec::new();
    let read = XzReader::new(file, false).take(2048).read_to_end(&mut text);
    read.unwrap_or_else(|e| panic!("{}: {e}", packed.display()));
    String::from_utf8_lossy(&text).into_owned()
}

/// The word after `directive` in PTX.
fn directive<'a>(text: &'a str, directive: &str, ptx: &Path) -> &'a str {
    let word = text.lines().find_map(|line| line.strip_prefix(directive)).map(str::trim);
    word.unwrap_or_else(|| panic!("{}: no {directive}", ptx.display()))
}

/// The compute capability that PTX is for: `.target sm_61` is (6, 1).
fn target(text: &str, ptx: &Path) -> (u32, u32) {
    let word = directive(text, ".target", ptx);
    let number = word.strip_prefix("sm_").and_then(|n| n.split(',').next()).and_then(compute);
    number.unwrap_or_else(|| panic!("{}: target '{word}' is not understood", ptx.display()))
}

/// A compute capability as compilers write it: `61` is (6, 1).
fn compute(number: &str) -> Option<(u32, u32)> {
    number.trim().parse::<u32>().ok().map(|number| (number / 10, number % 10))
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
