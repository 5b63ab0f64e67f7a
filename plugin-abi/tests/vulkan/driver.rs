//! A Vulkan driver for the tests: that of a GPU, which `VRAMP_VULKAN_DRIVER` names, or Mesa's software driver with the stand-in for
//! CUDA's driver, whose kernels do nothing. scripts/setup_hosts.sh fetches headers and Mesa's.
// Every test crate has this to itself, and none uses all of it.
#![allow(dead_code)]

use crate::cc;
use std::path::PathBuf;
use std::process::Command;

/// The driver, and what programs need to find it.
pub struct Vulkan {
    driver: PathBuf,
    /// Where the loader and, if it is one, the stand-in are.
    folders: Vec<PathBuf>,
    uuid: String,
    /// Kernels do what they should.
    pub is_gpu: bool,
    /// What fails in the stand-in, as its `STAND_IN_FAIL` has it.
    pub failing: &'static str,
}

impl Vulkan {
    /// The driver; `None`, with a line that says why, where there is none.
    pub fn find() -> Option<Vulkan> {
        let fetched = cc::path("../target/vulkan");
        if !fetched.join("ready").exists() {
            println!("skipped: Vulkan's headers are not there: run scripts/setup_hosts.sh");
            return None;
        }
        let of_gpu = std::env::var_os("VRAMP_VULKAN_DRIVER").map(PathBuf::from);
        let is_gpu = of_gpu.is_some();
        let software = || fetched.join(format!("usr/lib/{}-linux-gnu/libvulkan_lvp.so", std::env::consts::ARCH));
        let driver = of_gpu.unwrap_or_else(software);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("vulkan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let loader = folder.join("libvulkan.so.1");
        let flags = ["-shared", "-fPIC", "-Wl,-soname,libvulkan.so.1", "-ldl", "-o", loader.to_str().unwrap()];
        let built = cc::compile(&cc::path("tests/vulkan/loader.c"), &flags);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let folders = if is_gpu { vec![folder] } else { vec![folder, cc::stand_in_driver()] };
        let mut vulkan = Vulkan { driver, folders, uuid: String::new(), is_gpu, failing: "" };
        let mut asks = Command::new(program());
        let said = vulkan.environment(&mut asks).args(["uuid", "libvulkan.so.1"]).output().unwrap();
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        if !said.status.success() {
            println!("skipped: {}{}", text.trim_end(), String::from_utf8_lossy(&said.stderr));
            return None;
        }
        vulkan.uuid = text.trim().to_owned();
        Some(vulkan)
    }

    /// Has `command` find them, and the stand-in be the driver's device.
    pub fn environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let folders = self.folders.iter().cloned().chain(std::env::split_paths(&inherited));
        command.env("LD_LIBRARY_PATH", std::env::join_paths(folders).unwrap()).env("VULKAN_DRIVER", &self.driver);
        if !self.is_gpu {
            command.env("STAND_IN", "1").env("STAND_IN_UUID", &self.uuid).env("STAND_IN_FAIL", self.failing);
        }
        command
    }
}

/// frames.c.
pub fn program() -> PathBuf {
    let headers = format!("-I{}", cc::path("../target/vulkan/usr/include").display());
    cc::program(&cc::path("tests/vulkan/frames.c"), &[headers.as_str(), "-ldl"])
}
