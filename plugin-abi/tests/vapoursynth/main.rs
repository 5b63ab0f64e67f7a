//! The plugin in VapourSynth itself, as `scripts/setup_hosts.sh` fetches it: in a host without Python, and in scripts.

mod bytes;
mod clips;
mod frames;
mod host;
#[path = "../so/mod.rs"]
mod so;
