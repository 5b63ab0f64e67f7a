//! Scripts, with real clips: vspipe, and the plugin where VapourSynth looks for plugins.

use crate::clips::command;
use crate::host::{Folder, vapoursynth};
use crate::so::library;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples");

/// Runs vspipe with `args`; `None` where there is no Python for it.
fn vspipe(args: &[&str]) -> Option<Output> {
    let home = vapoursynth();
    let program = home.join("python/bin/vspipe");
    if !program.exists() {
        println!("skipped: VapourSynth's scripts need Python 3.12 or newer, and scripts/setup_hosts.sh found none");
        return None;
    }
    let folder = Folder::new();
    std::os::unix::fs::symlink(library(), folder.path("libvramp.so")).unwrap();
    let mut command = Command::new(program);
    command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", folder.path("cache"));
    command.env("VAPOURSYNTH_EXTRA_PLUGIN_PATH", folder.path("")).current_dir(format!("{SAMPLES}/.."));
    Some(command.args(args).output().unwrap())
}

/// The frames of a script.
#[track_caller]
fn frames(args: &[&str]) -> Option<Vec<u8>> {
    let output = vspipe(args)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// The frames of a script of these lines, which makes `clip`.
#[track_caller]
fn written(lines: &str) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let path = folder.path("script.vpy");
    fs::write(&path, format!("import vapoursynth as vs\ncore = vs.core\n{lines}\nclip.set_output()\n")).unwrap();
    frames(&[&path, "-"])
}

#[test]
fn the_sample_script_gives_the_commands_frames() {
    // Named from the folder above it, as in the documentation.
    let Some(frames) = frames(&["--end", "9", "samples/deband.vpy", "-"]) else { return };
    let clip = format!("{SAMPLES}/big-buck-bunny-720p.mp4");
    let chain = "deband=range=20:preset=nograin";
    let args = [&clip, "-", "-f", "rawvideo", "--frames", "10", "--chain", chain, "--depth", "10"];
    let expected = command(&args);
    assert_eq!(expected.len(), 10 * 1280 * 720 * 3);
    assert!(frames == expected);
}

#[test]
fn real_clips_give_the_commands_frames() {
    for name in ["banded-gradient.mkv", "dark-scene-1080p-1frame.mkv", "big-buck-bunny-720p.mp4"] {
        let clip = format!("{SAMPLES}/{name}");
        assert!(Path::new(&clip).exists(), "{clip}");
        let chain = "deband(range 24, sample 2, rand_each_frame on) > gauss(sigma 0.8) > depth(8, blue)";
        let Some(frames) =
            written(&format!("clip = core.bs.VideoSource({clip:?})\nclip = core.vramp.Chain(clip[:8], {chain:?})"))
        else {
            return;
        };
        let expected = command(&[&clip, "-", "-f", "rawvideo", "--frames", "8", "--chain", chain]);
        assert!(!expected.is_empty() && frames == expected, "{name}");
    }
}

#[test]
fn pythons_arguments() {
    let blank = "clip = core.std.BlankClip(format=vs.YUV420P8, width=64, height=48, length=4, color=[90, 80, 70])";
    let both = |typed: &str, chain: &str| {
        let (typed, chain) = (
            written(&format!("{blank}\nclip = clip.vramp.{typed}"))?,
            written(&format!("{blank}\nclip = clip.vramp.Chain({chain:?})"))?,
        );
        assert!(!typed.is_empty() && typed == chain, "{chain:?}");
        Some(())
    };
    let done = both(
        "Deband(range=9, blur_first=True, field='on', depth=16)",
        "deband(9, blur_first on, field on) > depth(16)",
    )
    .and_then(|()| both("Gauss(sigma=2, planes=[1, 2])", "gauss=sigma=2:planes=uv"))
    .and_then(|()| both("Box(planes=0, preset='soft')", "box=planes=y:preset=soft"));
    if done.is_none() {
        return;
    }
    let signature = "clip = core.std.BlankClip(length=1)\nassert 'range:int:opt;' in core.vramp.Deband.signature\n\
                     try:\n    core.vramp.Deband(clip, range=300)\n    assert False\n\
                     except vs.Error as error:\n    assert str(error).startswith('Deband: range must be '), str(error)";
    written(signature);
}

/// Frames of one clip may differ in range, and each is filtered as what it is.
#[test]
fn range_may_change_from_frame_to_frame() {
    let lines = "white = core.std.BlankClip(format=vs.GRAY8, width=2, height=1, length=1, color=255)\n\
                 full = white.std.SetFrameProps(_Range=vs.RANGE_FULL)\n\
                 clip = core.std.Splice([white, full, full, white]).vramp.Depth(bits=10)";
    let Some(frames) = written(lines) else { return };
    let samples: Vec<_> = frames.chunks(4).map(|frame| u16::from_ne_bytes([frame[0], frame[1]])).collect();
    assert_eq!(samples, [1020, 1023, 1023, 1020]);
}
