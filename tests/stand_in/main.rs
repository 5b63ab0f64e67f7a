//! GPUs that fail, on a machine with one or without: the command with a stand-in for NVIDIA's driver. Where `auto` can
//! go on with the CPU it does so, with one line and the same bytes; what else fails is one error, and no output is left.

#[path = "../command/mod.rs"]
mod command;
mod driver;
mod memory;
mod parts;
mod tuning;

use command::{Folder, Ran, refused, vramp};
use driver::driver;
use std::fs;

const GRADIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");

/// Exit codes, as `vramp --help` has them.
const UNSUPPORTED: i32 = 3;
const OUT_OF_MEMORY: i32 = 5;
const DEVICE: i32 = 6;

/// Debands a clip into `folder` with a driver of these settings.
fn run(settings: &[(&str, &str)], folder: &Folder, args: &[&str]) -> Ran {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).envs(settings.iter().copied());
    command.args([GRADIENT, &folder.path("out.md5"), "-f", "framemd5", "--chain", "deband", "--depth", "10"]);
    command.args(args).output().unwrap().into()
}

#[track_caller]
fn assert_failed(ran: &Ran, folder: &Folder, code: i32, words: &[&str]) {
    refused(ran, code, words);
    assert_eq!(folder.names(), [""; 0], "{}", ran.stderr);
}

/// What fails before the first frame is filtered: the driver's settings, the exit code of `--device cuda`, and words of
/// its error.
type Start = (&'static [(&'static str, &'static str)], i32, &'static [&'static str]);

const STARTS: &[Start] = &[
    (&[("STAND_IN_FAIL", "cuInit=803")], UNSUPPORTED, &["driver does not start"]),
    (&[("STAND_IN_MAJOR", "5")], UNSUPPORTED, &["stand-in", "too old", "6.1"]),
    (&[("STAND_IN_CUDA", "11000")], UNSUPPORTED, &["driver is too old", "11.0", "update it"]),
    (&[("STAND_IN_FAIL", "cuDevicePrimaryCtxRetain=2")], OUT_OF_MEMORY, &["opening stand-in"]),
    (&[("STAND_IN_MIB", "1")], OUT_OF_MEMORY, &["slots for 640x360 frames need", "1 MiB are free"]),
    (&[("STAND_IN_FAIL", "cuStreamCreate=2")], OUT_OF_MEMORY, &["making a stream"]),
    (&[("STAND_IN_FAIL", "cuMemAlloc_v2:3=2")], OUT_OF_MEMORY, &["MiB on stand-in", "are free"]),
    (&[("STAND_IN_FAIL", "cuMemAllocHost_v2=2")], OUT_OF_MEMORY, &["page-locked"]),
    (&[("STAND_IN_FAIL", "cuModuleLoadDataEx=218")], DEVICE, &["deband", "compiling the CUDA kernels"]),
    (&[("STAND_IN_FAIL", "cuModuleGetFunction=500")], DEVICE, &["deband", "kernel"]),
];

/// As in WSL.
#[test]
fn where_the_driver_locks_no_memory_of_ours_it_allocates() {
    let folder = Folder::new();
    let ran = run(&[("STAND_IN_FAIL", "cuMemHostRegister_v2=801")], &folder, &["--device", "cuda", "--verbose"]).ok();
    assert!(ran.stderr.contains("locking memory of the process"), "{}", ran.stderr);
}

#[test]
fn what_fails_before_the_first_frame_sends_auto_to_the_cpu() {
    let folder = Folder::new();
    let hashes = |folder: &Folder| fs::read_to_string(folder.path("out.md5")).unwrap();
    run(&[], &folder, &["--device", "cpu"]).ok();
    let expected = hashes(&folder);
    for (settings, code, words) in STARTS {
        let folder = Folder::new();
        assert_failed(&run(settings, &folder, &["--device", "cuda"]), &folder, *code, words);
        let ran = run(settings, &folder, &["--device", "auto"]).ok();
        let notes: Vec<_> = ran.stderr.lines().filter(|line| line.contains("filtering on ")).collect();
        assert_eq!(notes.len(), 1, "{settings:?}: {}", ran.stderr);
        assert!(notes[0].starts_with("vramp: filtering on the CPU: "), "{}", notes[0]);
        assert!(words.iter().all(|word| notes[0].contains(word)), "{settings:?}: {}", notes[0]);
        assert!(hashes(&folder) == expected, "{settings:?}");
    }
}

#[test]
fn a_driver_without_a_gpu_is_no_news() {
    let folder = Folder::new();
    let settings = [("STAND_IN_FAIL", "cuInit=100")];
    assert_failed(&run(&settings, &folder, &["--device", "cuda"]), &folder, UNSUPPORTED, &["finds no GPU"]);
    let ran = run(&settings, &folder, &[]).ok();
    assert!(!ran.stderr.contains("filtering on"), "{}", ran.stderr);
    let ran = run(&settings, &folder, &["-y", "-v"]).ok();
    assert_eq!(ran.stderr.matches("filtering on the CPU: ").count(), 1, "{}", ran.stderr);
}

/// Compares a debanded clip with what the chain makes, with a driver of these settings.
fn compare(settings: &[(&str, &str)], filtered: &str, device: &str) -> Ran {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).envs(settings.iter().copied());
    command.args(["compare", GRADIENT, filtered, "--chain-a", "deband,depth=10", "--tolerance", "exact"]);
    command.args(["--frames", "8", "--device", device]).output().unwrap().into()
}

#[test]
fn chains_of_a_comparison_run_on_the_device_or_on_the_cpu() {
    let folder = Folder::new();
    let filtered = folder.path("filtered.mkv");
    let chain = ["-c", "ffv1", "--frames", "8", "--chain", "deband", "--depth", "10", "--device", "cpu"];
    Ran::from(vramp().args([GRADIENT, &filtered]).args(chain).output().unwrap()).ok();
    // Of the driver, of memory, and of kernels.
    for (settings, code, words) in STARTS.iter().step_by(4) {
        let failed = compare(settings, &filtered, "cuda");
        assert!(failed.code == Some(*code) && words.iter().all(|word| failed.stderr.contains(word)), "{failed:?}");
        let ran = compare(settings, &filtered, "auto").ok();
        assert_eq!(ran.stderr.matches("vramp: filtering on the CPU: ").count(), 1, "{settings:?}: {}", ran.stderr);
    }
    // Its kernels compute nothing, so there is a difference: the chain did run there.
    let there = compare(&[], &filtered, "cuda");
    assert_eq!(there.code, Some(1), "{}", there.stderr);
    assert_eq!(there.stderr.matches("vramp: filtering on stand-in").count(), 1, "{}", there.stderr);
    let failed = compare(&[("STAND_IN_FAIL", "cuLaunchKernel:5=719")], &filtered, "auto");
    assert!(failed.code == Some(DEVICE) && failed.stderr.contains("launching a kernel"), "{failed:?}");
}

/// What fails while frames are in flight ends the run, whatever the device was called.
#[test]
fn what_fails_later_ends_the_run_and_leaves_nothing() {
    for (fails, words) in [
        ("cuMemcpy2DAsync_v2:4=700", &["frame ", "uploading"][..]),
        ("cuLaunchKernel:5=719", &["frame ", "deband", "launching a kernel"]),
        ("cuMemcpyDtoHAsync_v2:3=700", &["frame ", "downloading"]),
        ("cuEventRecord:20=700", &["recording an event"]),
        ("cuEventQuery:7=719", &["frame ", "waiting for the GPU"]),
    ] {
        for device in ["auto", "cuda"] {
            let folder = Folder::new();
            let ran = run(&[("STAND_IN_FAIL", fails)], &folder, &["--device", device]);
            assert_failed(&ran, &folder, DEVICE, words);
        }
    }
}

#[test]
fn a_run_prints_what_it_holds_and_where_its_time_went() {
    let folder = Folder::new();
    let said = run(&[], &folder, &["-v", "--slots", "3"]).ok().stderr;
    for words in ["GPU: stand-in", "3 slots between stages and as many on the GPU", "of page-locked pictures"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let held = said.lines().find(|line| line.starts_with("vramp: filtering on stand-in"));
    assert!(held.is_some_and(|line| line.contains("3 slots, ") && line.ends_with("MiB of GPU memory")), "{said}");
    let busy = said.lines().find(|line| line.starts_with("vramp: busy: ")).unwrap();
    for stage in ["decode", "upload", "kernels", "download", "encode"] {
        assert!(busy.contains(stage), "{stage}: {busy}");
    }
    assert!(said.contains("vramp: stage 1, deband: 0.50 ms a frame"), "{said}");
}

/// The numbers and times of the frames that `chain` makes of the clip.
fn left(device: &str, chain: &str, args: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).args([GRADIENT, &folder.path("out.md5"), "-f", "framemd5"]);
    Ran::from(command.args(["--device", device, "--chain", chain]).args(args).output().unwrap()).ok();
    let lines = fs::read_to_string(folder.path("out.md5")).unwrap();
    let line = |line: &str| line.rsplit_once(',').map(|(numbers, _)| numbers.to_owned());
    lines.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
}

#[test]
fn frames_that_are_made_together_leave_one_by_one_and_in_order() {
    for chain in ["domain", "deband,domain,box", "tmedian,domain", "domain,tmedian"] {
        let expected = left("cpu", chain, &[]);
        assert!(expected.len() > 8);
        for slots in ["1", "2", "4", "9"] {
            assert_eq!(left("cuda", chain, &["--slots", slots]), expected, "{chain}, {slots} slots");
        }
        let window = ["--start", "#3", "--end", "#9"];
        assert_eq!(left("cuda", chain, &window), left("cpu", chain, &window), "{chain}");
    }
}

/// What a part measures comes along with the frames that later ones make of its results, in a run and one by one.
#[test]
fn measured_values_come_with_frames_of_later_parts() {
    use vramp::device::DeviceChoice;
    use vramp::filters::chain;
    use vramp::pipeline::{Engine, InputFrame, Target};
    use vramp::video::{FrameProps, Picture, StreamInfo};
    if !driver::with_driver("measured_values_come_with_frames_of_later_parts") {
        return;
    }
    let info = StreamInfo::bare("gray8".parse().unwrap(), 16, 16);
    let engine =
        |device| Engine::new(chain("stats,tmedian,stats").unwrap(), &info, Target::default(), device, 1).unwrap();
    for device in [DeviceChoice::Cpu, DeviceChoice::Cuda(0)] {
        let (source, mut made) =
            (Picture::alloc(info.format, 16, 16).unwrap(), Picture::alloc(info.format, 16, 16).unwrap());
        let props = |frame_index| FrameProps { frame_index, ..FrameProps::default() };
        let frame = |index| InputFrame { input: 0, props: props(index), planes: source.planes() };
        let frames: Vec<_> = (4..=6).map(frame).collect();
        let made = engine(device).process_frames(5, &frames, &mut made.planes_mut()).unwrap();
        assert_eq!(
            made.records.iter().map(|record| record.filter).collect::<Vec<_>>(),
            ["stats", "stats"],
            "{device:?}"
        );
    }
}

#[test]
fn bench_runs_on_the_given_device() {
    let ran = vramp()
        .env("LD_LIBRARY_PATH", driver())
        .args(["bench", "--device", "cuda", "--quick", "--json", "--size", "64x48", "--filter", "deband"])
        .output();
    let json: serde_json::Value = serde_json::from_slice(&Ran::from(ran.unwrap()).ok().stdout).unwrap();
    assert_eq!(json["gpu"]["device"], "stand-in");
    assert!(json["filters"].is_null() && json["gpu"]["pipeline"]["rows"][0]["fps"].as_f64().unwrap() > 0.0, "{json}");
    let row = &json["gpu"]["formats"][0]["rows"][0];
    assert_eq!(row["times_copy"].as_f64().unwrap(), 1.0, "every recorded run takes 0.5 ms there: {json}");
}

/// What a run with `chain` says of the modules that it loads: their names, and what of them was taken.
fn modules(settings: &[(&str, &str)], chain: &str) -> Vec<(String, String)> {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).envs(settings.iter().copied());
    command.args([GRADIENT, "-v", "-f", "null", "--frames", "2", "--device", "cuda", "--chain", chain]);
    let said = Ran::from(command.output().unwrap()).ok().stderr;
    let of = |line: &str| {
        let (name, from) = line.split_once("CUDA kernels of ")?.1.split_once(" loaded from ")?;
        Some((name.to_owned(), from.split_once(" in ")?.0.to_owned()))
    };
    said.lines().filter_map(of).collect()
}

#[test]
fn a_chain_loads_the_kernels_it_uses_and_no_others() {
    let names = |chain: &str| modules(&[], chain).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("deband"), ["deband_u8"]);
    assert_eq!(names("depth=10"), ["requant"]);
    assert_eq!(names("box=radius=100,gauss=sigma=3"), ["box_sums", "gauss_tensor"]);
    assert_eq!(names("bilateral,bilateral=radius=2"), ["bilateral"]);
}

#[test]
fn a_common_card_runs_machine_code_and_any_other_the_ptx() {
    for (major, minor, from) in [
        ("6", "1", "PTX"),
        ("7", "0", "PTX"),
        ("7", "5", "machine code"),
        ("8", "0", "PTX"),
        ("8", "6", "machine code"),
        ("8", "9", "machine code"),
        ("9", "0", "machine code"),
        ("10", "0", "machine code"),
        ("10", "3", "machine code"),
        ("12", "0", "machine code"),
        ("13", "0", "PTX"),
    ] {
        let loaded = modules(&[("STAND_IN_MAJOR", major), ("STAND_IN_MINOR", minor)], "deband");
        assert_eq!(loaded, [("deband_u8".to_owned(), from.to_owned())], "{major}.{minor}");
    }
    let loaded = modules(&[("STAND_IN_PTX", "1")], "deband");
    assert_eq!(loaded, [("deband_u8".to_owned(), "PTX".to_owned())], "a driver that does not take it");
}

#[test]
fn films_of_a_batch_take_turns_on_the_devices() {
    let folder = Folder::new();
    let batch = |devices, args: &[&str]| {
        let mut command = vramp();
        command.env("LD_LIBRARY_PATH", driver()).env("STAND_IN_DEVICES", devices).env_remove("CUDA_VISIBLE_DEVICES");
        let copy = folder.path("copy.mkv");
        fs::copy(GRADIENT, &copy).unwrap();
        command.args(["batch", GRADIENT, &copy, "-o", &folder.path("{name}.md5"), "-f", "framemd5", "--frames", "3"]);
        Ran::from(command.args(args).output().unwrap()).ok()
    };
    let there = ["--chain", "deband", "--depth", "10", "-v", "-y"];
    for device in ["auto", "cuda"] {
        let ran = batch("2", &[&there[..], &["--device", device]].concat());
        assert!(ran.stderr.contains("2 films, 2 at a time"), "{}", ran.stderr);
        for line in ["banded-gradient.mkv: filtering on stand-in 0", "copy.mkv: filtering on stand-in 1"] {
            assert!(ran.stderr.contains(line), "{}", ran.stderr);
        }
    }
    let dry = |devices, args| batch(devices, &[&there[..], args, &["--dry-run"]].concat()).text().to_owned();
    assert!(dry("3", &["--device", "cuda"]).lines().nth(1).unwrap().starts_with("CUDA_VISIBLE_DEVICES=1 vramp "));
    assert!(!dry("1", &[]).contains("VISIBLE"), "one device needs no turns");
    assert!(!dry("3", &["--device", "cuda:2"]).contains("VISIBLE"), "a device with a number is meant by it");
    assert!(!dry("3", &["--device", "cpu"]).contains("VISIBLE"));
}
