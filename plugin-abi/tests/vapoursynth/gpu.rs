//! Frames that a GPU filters, where there is one. `VRAMP_REQUIRE_CUDA=1` makes it an error that there is none.

use crate::clips::Clip;
use crate::host::{Folder, Script};
use std::fs;

/// Why there is no GPU.
fn missing() -> Option<String> {
    let lines = Script::new().blank("").call("Deband", "device=s:cuda").run();
    lines.first().map(|line| line.to_owned())
}

#[test]
fn the_gpu_gives_the_cpus_frames() {
    if let Some(reason) = missing() {
        assert!(std::env::var_os("VRAMP_REQUIRE_CUDA").is_none_or(|value| value != "1"), "{reason}");
        println!("skipped: {reason}");
        return;
    }
    const COUNT: usize = 24;
    // 17 and 24 have no common divisor.
    let order: Vec<_> = (0..2 * COUNT).map(|i| (i * 17 % COUNT).to_string()).collect();
    for (format, size) in [("gray8", (37, 21)), ("yuv420p", (70, 38)), ("yuv422p10", (70, 37)), ("gbrp16", (37, 21))] {
        let folder = Folder::new();
        let clip = Clip::new(&folder, format, size, COUNT);
        let chain = "chain=s:deband=rand_each_frame=on,box=radius=3,gauss=sigma=1.5,depth=8:dither=fs";
        let filtered = |device: &str| {
            let path = folder.path(device);
            let mut script = Script::new();
            clip.open(script.line(&["threads", "8"]));
            script.line(&["call", "vramp", "Chain", chain, &format!("device=s:{device}")]);
            assert_eq!(script.line(&["frames", &path, &order.join(",")]).run(), [""; 0], "{format}");
            fs::read(path).unwrap()
        };
        assert!(filtered("cuda") == filtered("cpu"), "{format}");
    }
}
