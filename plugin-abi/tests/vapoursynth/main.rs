//! The plugin in VapourSynth itself, as `scripts/setup_hosts.sh` fetches it: in a host without Python, and in scripts.

mod bytes;
#[path = "../cc/mod.rs"]
mod cc;
mod clips;
mod errors;
mod frames;
mod gpu;
mod gpu_frames;
mod host;
mod hostile;
mod props;
mod scripts;
mod shapes;
#[path = "../so/mod.rs"]
mod so;
#[path = "../vulkan/driver.rs"]
mod vulkan;
