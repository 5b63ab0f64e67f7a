//! Clips in GPU memory, which is Vulkan's: they stay there where they can, and are copied to the host where they cannot. With Mesa's
//! software driver CUDA's is the stand-in, so that bytes are compared only of what needs no kernel.

use crate::clips::Clip;
use crate::host::{Folder, Script};
use crate::vulkan::Vulkan;
use std::fs;

/// A clip in GPU memory, all of one colour.
const SMALL: &str = "gpu=i:1 width=i:64 height=i:48 length=i:6";

/// What the host says of the clip that `call` makes of a clip in GPU memory, whose frames are then asked for.
fn made(vulkan: &Vulkan, clip: &str, function: &str, args: &str) -> String {
    let mut script = Script::new();
    script.blank(clip).line(&["keep"]).call(function, args).line(&["info"]).line(&["time", "3"]);
    let lines = script.run_with(vulkan);
    assert!(lines.len() == 2 && lines[1].starts_with("speed"), "{function} {args}: {lines:?}");
    lines[0].clone()
}

#[test]
fn clips_stay_where_they_can() {
    let Some(vulkan) = Vulkan::find() else { return };
    for (function, args) in [
        ("Deband", "range=i:16"),
        ("Deband", "depth=i:16"),
        ("Deband", "device=s:cuda"),
        ("Transpose", ""),
        ("Tmedian", ""),
        ("Merge", "with=c:kept"),
        ("Chain", "chain=s:tmedian,gauss=1,tmedian,deband"),
        ("Chain", "chain=s:"),
        ("Chain", "chain=s:merge=with=b inputs=c:kept names=l:b"),
    ] {
        let info = made(&vulkan, SMALL, function, args);
        assert!(info.ends_with(" gpu"), "{function} {args}: {info}");
    }
    assert!(made(&vulkan, SMALL, "Deband", "device=s:cpu").ends_with("24/1"));
    assert!(made(&vulkan, &SMALL.replace("gpu=i:1", ""), "Deband", "").ends_with("24/1"));
}

/// What is only for frames in host memory is said once, where there is a GPU.
#[test]
fn others_are_copied() {
    let Some(vulkan) = Vulkan::find() else { return };
    let float = format!("{SMALL} format=i:555745280");
    for (clip, function, args) in [(SMALL, "Stats", ""), (&float, "Deband", "")] {
        let mut script = Script::new();
        script.blank(clip).call(function, args).line(&["info"]).line(&["time", "3"]);
        let (lines, messages) = script.run_with_messages(&vulkan);
        assert!(lines.len() == 2 && lines[0].ends_with("24/1"), "{function}: {lines:?}");
        let wanted = format!(
            "vramp: {function}: frames are copied from the GPU and back: floating point, and what is measured, "
        );
        assert!(messages.starts_with(&wanted) && messages.lines().count() == 1, "{messages}");
    }
}

/// A driver that shares a device with Vulkan, and imports nothing of it, is known before the first frame.
#[test]
fn a_driver_that_imports_nothing_gets_copies() {
    let Some(mut vulkan) = Vulkan::find().filter(|vulkan| !vulkan.is_gpu) else { return };
    vulkan.failing = "cuImportExternalMemory=801";
    let mut script = Script::new();
    script.blank(SMALL).call("Deband", "").line(&["info"]).line(&["time", "3"]);
    let (lines, messages) = script.run_with_messages(&vulkan);
    assert!(lines.len() == 2 && lines[0].ends_with("24/1") && lines[1].starts_with("speed"), "{lines:?}");
    assert!(messages.starts_with("vramp: Deband: frames are copied from the GPU and back: "), "{messages}");
    assert_eq!(messages.lines().count(), 1, "{messages}");
}

#[test]
fn wrong_arguments_are_refused_as_elsewhere() {
    let Some(vulkan) = Vulkan::find() else { return };
    let mut script = Script::new();
    script.blank(SMALL).call("Deband", "range=i:300");
    let lines = script.run_with(&vulkan);
    assert_eq!(lines, ["error Deband: range must be a whole number from 0 to 127 (samples), not 300"]);
}

#[test]
fn frames_have_the_bytes_of_the_cpu() {
    let Some(vulkan) = Vulkan::find() else { return };
    const COUNT: usize = 12;
    let order: Vec<_> = (0..2 * COUNT).map(|i| (i * 7 % COUNT).to_string()).collect();
    let chains: &[&str] = match vulkan.is_gpu {
        true => &[
            "",
            "deband=rand_each_frame=on,gauss=sigma=1.5",
            "deband,depth=16",
            "tmedian,deband",
            "box=3,depth=8:dither=fs",
        ],
        false => &[""],
    };
    for (format, size) in [("gray8", (37, 21)), ("yuv420p", (70, 38)), ("yuv422p10", (70, 37)), ("gbrp16", (37, 21))] {
        let folder = Folder::new();
        let clip = Clip::new(&folder, format, size, COUNT);
        for chain in chains {
            let filtered = |device: &str| {
                let path = folder.path(device);
                let mut script = Script::new();
                clip.open(script.line(&["threads", "8"]));
                let is_gpu = device == "cuda";
                let copy = |script: &mut Script, function: &str| {
                    if is_gpu {
                        script.line(&["call", "std", function]);
                    }
                };
                copy(&mut script, "GPUUpload");
                script.line(&["call", "vramp", "Chain", &format!("chain=s:{chain}"), &format!("device=s:{device}")]);
                script.line(&["info"]).line(&["call", "std", "FlipVertical"]);
                copy(&mut script, "GPUDownload");
                let lines = script.line(&["frames", &path, &order.join(",")]).run_with(&vulkan);
                assert!(lines.len() == 1 && lines[0].ends_with(" gpu") == is_gpu, "{lines:?}");
                fs::read(path).unwrap()
            };
            assert!(filtered("cuda") == filtered("cpu"), "{format}, '{chain}'");
        }
    }
}
