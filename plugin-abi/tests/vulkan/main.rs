//! Frames in Vulkan's memory through the C ABI.

#[path = "../cc/mod.rs"]
mod cc;
mod driver;
#[path = "../so/mod.rs"]
mod so;

use driver::Vulkan;
use std::process::Command;

#[test]
fn frames_of_vulkan_have_the_bytes_of_the_cpu() {
    let Some(vulkan) = Vulkan::find() else { return };
    let mut program = Command::new(driver::program());
    let ran = vulkan.environment(program.arg(so::library()).arg("libvulkan.so.1")).output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{said}\n{errors}", ran.status);
    println!("{said}");
}
