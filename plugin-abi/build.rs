//! How the library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CARGO_CFG_TARGET_OS");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Hosts may unload a plugin while its threads still wait for work: it stays until the process ends.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // The major version of VRAMP_ABI_VERSION (include/vramp.h).
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libvramp.so.1");
    }
}
