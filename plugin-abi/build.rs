//! How the library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Hosts may unload a plugin while its threads still wait for work: it stays until the process ends.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libvramp.so");
}
