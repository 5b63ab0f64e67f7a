//! What the built library needs, and what it shows.

mod so;

use so::library;
use std::process::Command;

/// The output of a program of binutils about the library.
fn tell(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).arg(library()).output();
    let output = output.unwrap_or_else(|e| panic!("{program} (binutils): {e}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_needs_the_c_library_alone() {
    let dynamic = tell("readelf", &["--dynamic", "--wide"]);
    let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    assert!(!needed.is_empty(), "{dynamic}");
    for line in needed {
        let name = line.split(['[', ']']).nth(1).unwrap();
        let ours = ["libc.so", "libm.so", "libgcc_s.so", "libdl.so", "libpthread.so", "ld-linux"];
        assert!(
            ours.iter().any(|known| name.starts_with(known)),
            "{name}: was the library built in one command with the vramp program? (make plugin does it apart)"
        );
    }
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
    let major = vramp_plugin::c_abi::abi::ABI_VERSION >> 16;
    assert!(dynamic.contains(&format!("soname: [libvramp.so.{major}]")), "{dynamic}");
}

#[test]
fn it_shows_entry_points_alone() {
    let symbols = tell("nm", &["--dynamic", "--defined-only", "--format=posix"]);
    let names: Vec<_> = symbols.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"vramp_version"), "{names:?}");
    let others = [
        "VapourSynthPluginInit2",
        "OfxGetNumberOfPlugins",
        "OfxGetPlugin",
        "OfxSetHost",
        "avisynth_c_plugin_init",
        "avisynth_c_plugin_init2",
        "GetFilterPluginTable",
        "InitializeLogger",
        "RequiredVersion",
    ];
    let ours = |name: &str| name.starts_with("vramp_") || name.starts_with("f0r_") || others.contains(&name);
    let others: Vec<_> = names.iter().filter(|name| !ours(name)).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// `vramp plugins` reads it so.
#[test]
fn its_file_states_its_version() {
    let bytes = std::fs::read(library()).unwrap();
    let line = concat!(vramp::plugin_mark!(), env!("CARGO_PKG_VERSION"), "\n").as_bytes();
    assert!(bytes.windows(line.len()).any(|window| window == line));
}
