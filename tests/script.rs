//! VapourSynth scripts as inputs, compared with vspipe. Where VapourSynth is not, they say so and pass, but for those of its absence.

mod command;

use command::{Folder, Ran, refused, vramp};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where scripts/setup_hosts.sh leaves it.
const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/vapoursynth");

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");

/// VapourSynth in a Python, if it is there.
fn home() -> Option<PathBuf> {
    let home = Path::new(HOME).canonicalize().ok().filter(|home| home.join("python/bin/vspipe").exists());
    if home.is_none() {
        println!("skipped: scripts/setup_hosts.sh has found no Python for VapourSynth");
    }
    home
}

/// Has `program` find VapourSynth in `home`.
fn with(mut program: Command, home: &Path, folder: &Folder) -> Command {
    let path = std::env::var("PATH").unwrap();
    program.env("PATH", format!("{}:{path}", home.join("python/bin").display())).env_remove("VSSCRIPT_PATH");
    program.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_CACHE_HOME", folder.path("cache"));
    program
}

/// A folder with a script, and what runs it.
struct Scripted {
    folder: Folder,
    home: PathBuf,
}

impl Scripted {
    fn new() -> Option<Scripted> {
        home().map(|home| Scripted { folder: Folder::new(), home })
    }

    /// A script of these lines.
    fn script(&self, lines: &str) -> String {
        let path = self.folder.path("script.vpy");
        fs::write(&path, format!("import vapoursynth as vs\nfrom vapoursynth import core\n{lines}\n")).unwrap();
        path
    }

    fn vramp(&self, args: &[&str]) -> Ran {
        with(vramp(), &self.home, &self.folder).args(args).output().unwrap().into()
    }

    /// The lines of one hash a frame.
    #[track_caller]
    fn hashes(&self, script: &str, args: &[&str]) -> Vec<String> {
        let ran = self.vramp(&[&[script, "-", "-f", "framemd5"], args].concat()).ok();
        ran.text().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    /// What vspipe writes.
    #[track_caller]
    fn vspipe(&self, args: &[&str]) -> Vec<u8> {
        let program = Command::new(self.home.join("python/bin/vspipe"));
        let output = with(program, &self.home, &self.folder).args(args).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }
}

/// A clip of ten frames in `format`, each another ramp.
fn ramps(format: &str) -> String {
    let matrix = if format.starts_with("RGB") { "" } else { "matrix_s='709'" };
    format!(
        "blank = core.std.BlankClip(format=vs.YUV444P16, width=64, height=48, length=10, fpsnum=24000, fpsden=1001)\n\
         def frame(n):\n    \
             return core.std.BlankClip(blank, color=[6000 * n + 999, 9000 + 100 * n, 60000 - 777 * n])\n\
         ramp = core.std.FrameEval(blank, lambda n: frame(n)).std.AddBorders(2, 4, 6, 8)\n\
         ramp.resize.Bicubic(64, 48, format=vs.{format}, matrix_in_s='709', {matrix}).set_output()"
    )
}

#[test]
fn frames_are_those_of_vspipe() {
    let Some(test) = Scripted::new() else { return };
    for format in ["YUV422P10", "GRAY16", "RGB24"] {
        let script = test.script(&ramps(format));
        let expected = test.vspipe(&[&script, "-"]);
        let got = test.vramp(&[&script, "-", "-f", "rawvideo"]).ok().stdout;
        assert!(!expected.is_empty() && got == expected, "{format}");
    }
    // Also through a container of its own, whose header says the rate.
    let script = test.script(&ramps("YUV420P8"));
    let y4m = test.folder.path("clip.y4m");
    fs::write(&y4m, test.vspipe(&["-c", "y4m", &script, "-"])).unwrap();
    assert_eq!(test.hashes(&script, &[]), test.hashes(&y4m, &[]));
}

#[test]
fn a_part_is_exact_and_makes_no_frame_before_it() {
    let Some(test) = Scripted::new() else { return };
    let whole = test.hashes(&test.script(&ramps("YUV420P8")), &[]);
    let fails = ramps("YUV420P8").replace("lambda n: ", "lambda n: core.none() if 0 < n < 4 else ");
    let script = test.script(&fails);
    let samples =
        |lines: &[String]| lines.iter().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    for (args, part) in [
        (&["--start", "#4", "--frames", "3"][..], 4..7),
        (&["--start", "0.2", "--end", "0.3"], 5..8),
        (&["--start", "#9"], 9..10),
    ] {
        assert_eq!(samples(&test.hashes(&script, args)), samples(&whole[part]), "{args:?}");
    }
    let ran = test.vramp(&[&script, &test.folder.path("out.mkv"), "-c", "ffv1"]);
    refused(&ran, 4, &["script.vpy: frame 1: ", "none"]);
    assert!(!test.folder.names().contains(&"out.mkv".to_owned()));
}

#[test]
fn properties_describe_the_frames() {
    let Some(test) = Scripted::new() else { return };
    let lines = "clip = core.std.BlankClip(format=vs.YUV420P8, width=64, height=48, length=3)\n\
                 clip = clip.std.SetFrameProps(_Matrix=1, _Transfer=13, _Primaries=5, _Range=1, _ChromaLocation=2,\n\
                 \x20   _FieldBased=2, _SARNum=12, _SARDen=11)\nclip.set_output()";
    let (script, target) = (test.script(lines), test.folder.path("out.mkv"));
    test.vramp(&[&script, &target, "-c", "ffv1"]).ok();
    let entries = "stream=sample_aspect_ratio,color_range,color_space,color_transfer,color_primaries,chroma_location";
    let show = ["-v", "error", "-show_entries", entries, "-of", "csv=p=0", &target];
    let said = Command::new("ffprobe").args(show).output().unwrap().stdout;
    assert_eq!(String::from_utf8(said).unwrap().trim(), "12:11,pc,bt709,iec61966-2-1,bt470bg,topleft");
    let show = ["-v", "error", "-show_entries", "frame=interlaced_frame,top_field_first", "-of", "csv=p=0", &target];
    let said = Command::new("ffprobe").args(show).output().unwrap().stdout;
    assert_eq!(String::from_utf8(said).unwrap().lines().next(), Some("1,1"));
}

#[test]
fn frames_may_last_differently() {
    let Some(test) = Scripted::new() else { return };
    let lines = "clip = core.std.BlankClip(format=vs.YUV420P8, width=64, height=48, length=2, fpsnum=24000, fpsden=1001)\n\
                 slow = core.std.BlankClip(clip, fpsnum=25, fpsden=2)\n\
                 core.std.Splice([clip, slow, clip], mismatch=True).set_output()";
    let script = test.script(lines);
    let shown: Vec<_> = test
        .hashes(&script, &[])
        .iter()
        .map(|line| {
            let fields: Vec<_> = line.split(',').map(|field| field.trim().to_owned()).collect();
            (fields[2].parse::<i64>().unwrap(), fields[3].parse::<i64>().unwrap())
        })
        .collect();
    // In 720000ths of a second.
    let frames =
        [(0, 30_030), (30_030, 30_030), (60_060, 57_600), (117_660, 57_600), (175_260, 30_030), (205_290, 30_030)];
    assert_eq!(shown, frames);
    let part = test.hashes(&script, &["--start", "0.1", "--frames", "2"]);
    assert_eq!(part.len(), 2);
    assert!(part[0].contains(" 117660,"), "{}", part[0]);
}

#[test]
fn outputs_variables_and_the_scripts_own_folder() {
    let Some(test) = Scripted::new() else { return };
    let lines = "import os\nwidth = int(globals().get('width', 16))\n\
                 clip = core.std.BlankClip(format=vs.GRAY8, width=width, height=16, length=int(open('count').read()))\n\
                 clip.set_output(0)\nclip[:1].set_output(3)";
    let script = test.script(lines);
    fs::write(test.folder.path("count"), "2").unwrap();
    let bytes = |args: &[&str]| test.vramp(&[&[&script, "-", "-f", "rawvideo"], args].concat()).ok().stdout.len();
    assert_eq!(bytes(&[]), 2 * 16 * 16);
    assert_eq!(bytes(&["--vpy-output", "3", "--vpy-arg", "width=32"]), 32 * 16);
    refused(&test.vramp(&[&script, "-f", "null", "--vpy-output", "1"]), 2, &["no output 1"]);
}

#[test]
fn hash_verify_and_compare_take_scripts() {
    let Some(test) = Scripted::new() else { return };
    let script = test.script(&ramps("YUV420P8"));
    let (hashes, film) = (test.folder.path("a.hashes"), test.folder.path("a.mkv"));
    test.vramp(&["hash", &script, "-o", &hashes]).ok();
    test.vramp(&["verify", &hashes, &script]).ok();
    test.vramp(&[&script, &film, "-c", "ffv1"]).ok();
    test.vramp(&["compare", &script, &film, "--tolerance", "max=0"]).ok();
    let other = test.vramp(&["compare", &script, &film, "--chain-a", "levels=gamma=1.2", "--tolerance", "max=0"]);
    assert_eq!(other.code, Some(1), "{}", other.stderr);
}

#[test]
fn what_goes_wrong_is_one_line() {
    let Some(test) = Scripted::new() else { return };
    let blank = "clip = core.std.BlankClip(length=2)";
    for (lines, code, words) in [
        ("core.std.Nope()", 4, &["script.vpy: line 3: ", "Nope"][..]),
        ("def (", 4, &["invalid syntax", "line 3)"]),
        (blank, 2, &["no output 0", "set_output"]),
        ("core.std.BlankAudio(length=100).set_output()", 3, &["output 0", "sound"]),
        ("core.std.BlankClip(format=vs.RGBS).set_output()", 3, &["floats", "resize"]),
        (&format!("{blank}\ncore.std.Splice([clip, clip.std.Crop(2)], mismatch=True).set_output()"), 3, &["differ"]),
        (&format!("{blank}\nclip.std.AssumeFPS(fpsnum=25).std.FrameEval(lambda n: 1).set_output()"), 4, &["frame 0: "]),
    ] {
        let ran = test.vramp(&[&test.script(lines), "-f", "null"]);
        refused(&ran, code, words);
    }
    let whole = test.script(&format!("{blank}\nclip.set_output()"));
    refused(&test.vramp(&[&whole, "-f", "null", "--fps", "24"]), 2, &["--fps"]);
    refused(&test.vramp(&[&test.folder.path("none.vpy"), "-f", "null"]), 7, &["none.vpy"]);
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let folder = Folder::new();
    let script = folder.path("a.vpy");
    fs::write(&script, "import vapoursynth").unwrap();
    let ran =
        vramp().env("VSSCRIPT_PATH", folder.path("libvsscript.so")).args([&script, "-f", "null"]).output().unwrap();
    refused(&ran.into(), 3, &["a.vpy: VSSCRIPT_PATH: ", "libvsscript.so"]);
}

#[test]
fn without_the_library_the_message_says_what_to_install() {
    // SAFETY: the library does nothing when it is loaded.
    let installed = |name: &&str| unsafe { libloading::Library::new(name) }.is_ok();
    if ["libvsscript.so", "libvapoursynth-script.so.0"].iter().any(installed) {
        println!("skipped: VapourSynth is installed for all programs");
        return;
    }
    let folder = Folder::new();
    let script = folder.path("a.vpy");
    fs::write(&script, "import vapoursynth").unwrap();
    let mut command = vramp();
    command.env_remove("VSSCRIPT_PATH").env("PATH", folder.path("")).args([&script, "-f", "null"]);
    refused(&command.output().unwrap().into(), 3, &["a.vpy: ", "pip install vapoursynth", "vspipe -c y4m"]);
    // It is no file of tracks, either.
    let added = vramp().args([SAMPLE, &folder.path("a.mkv"), "--metadata", &script]).output().unwrap();
    refused(&added.into(), 3, &["a.vpy: a script has frames"]);
}
