//! `--device` and `--gpu-memory`, with a GPU and without: the same bytes, or a clear word.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run, run_fed};
use std::fs;

const GRADIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");

/// Exit codes, as `vramp --help` has them.
const BAD_ARGUMENT: i32 = 2;
const UNSUPPORTED: i32 = 3;
const OUT_OF_MEMORY: i32 = 5;

/// How the first GPU can be used: `Err` says why not.
fn gpu() -> Result<(), String> {
    #[cfg(feature = "cuda")]
    return vramp::device::cuda::CudaDevice::open(0).map(drop).map_err(|error| error.to_string());
    #[cfg(not(feature = "cuda"))]
    Err("this build has no CUDA".to_owned())
}

/// How many GPUs there are, usable or not.
fn gpus() -> usize {
    #[cfg(feature = "cuda")]
    return vramp::device::cuda::count().unwrap_or(0);
    #[cfg(not(feature = "cuda"))]
    0
}

#[test]
fn every_device_gives_the_same_bytes() {
    let chains: [&[&str]; 3] = [
        &["--chain", "deband=range=16:sample=2:rand_each_frame=on", "--depth", "10"],
        &["--chain", "deband", "--range", "full", "--depth", "10", "--dither", "blue"],
        &[],
    ];
    for chain in chains {
        let on = |device: &str| hashes(GRADIENT, &[chain, &["--frames", "6", "--device", device]].concat());
        let expected = on("cpu");
        assert_eq!(on("auto"), expected, "{chain:?}");
        if gpu().is_ok() {
            assert_eq!(on("cuda"), expected, "{chain:?}");
        }
    }
}

#[test]
fn the_gpu_s_decoder_is_not_for_filters_of_the_cpu() {
    let ran =
        |decoder| run(&[GRADIENT, "-", "-f", "framemd5", "--frames", "3", "--device", "cpu", "--decoder", decoder]);
    refused(&ran("nvdec"), if cfg!(feature = "cuda") { BAD_ARGUMENT } else { UNSUPPORTED }, &["NVDEC"]);
    assert_eq!(ran("software").ok().stdout, ran("auto").ok().stdout);
}

/// Frames of a pipe lie where the decoder found them, not in memory that a GPU reaches.
#[test]
fn a_pipe_gives_the_same_bytes_on_every_device() {
    let folder = Folder::new();
    let y4m = folder.path("clip.y4m");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=66x50:r=25 -frames:v 9 -pix_fmt yuv420p {y4m}"));
    let on = |device: &str| {
        let args = ["-", "-", "-f", "framemd5", "--chain", "deband", "--depth", "10", "--device", device];
        run_fed(&args, &fs::read(&y4m).unwrap()).ok().stdout
    };
    assert_eq!(on("auto"), on("cpu"));
    if gpu().is_ok() {
        assert_eq!(on("cuda"), on("cpu"));
    }
}

#[test]
fn a_preview_is_the_same_on_every_device() {
    let folder = Folder::new();
    let on = |device: &str| {
        let path = folder.path(&format!("{device}.png"));
        run(&[GRADIENT, &path, "--preview", "0.5", "--chain", "deband", "--depth", "10", "--device", device]).ok();
        fs::read(path).unwrap()
    };
    assert!(on("auto") == on("cpu"));
}

#[test]
fn chains_of_a_comparison_are_the_same_on_every_device() {
    let folder = Folder::new();
    let filtered = folder.path("filtered.mkv");
    let chain = "deband=range=16:sample=2,depth=10";
    run(&[GRADIENT, &filtered, "-c", "ffv1", "--frames", "5", "--chain", chain, "--depth", "10", "--device", "cpu"])
        .ok();
    let on = |device: &str| {
        let args = ["compare", GRADIENT, &filtered, "--frames", "5", "--chain-a", chain, "--chain-b", "gauss=radius=0"];
        run(&[&args[..], &["--tolerance", "exact", "--json", "--device", device]].concat()).ok().stdout
    };
    assert_eq!(on("auto"), on("cpu"));
    if gpu().is_ok() {
        assert_eq!(on("cuda"), on("cpu"));
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_and_leaves_the_output_alone() {
    let folder = Folder::new();
    let output = folder.path("old.mkv");
    fs::write(&output, "old").unwrap();
    let number = gpus().to_string();
    let code = if gpus() == 0 { UNSUPPORTED } else { BAD_ARGUMENT };
    for rest in [&["-c", "ffv1"][..], &["-f", "framemd5"], &["--preview", "0"]] {
        let ran = run(&[&[GRADIENT, &output, "-y", "--device", &format!("cuda:{number}")], rest].concat());
        refused(&ran, code, &["; use --device cpu"]);
        assert_eq!((folder.names(), fs::read(&output).unwrap()), (vec!["old.mkv".to_owned()], b"old".to_vec()));
    }
}

#[test]
fn auto_speaks_of_the_cpu_at_most_once() {
    let notes = |args: &[&str]| {
        let chain = ["--chain", "deband", "--depth", "10", "--frames", "2"];
        let ran = run(&[&[GRADIENT, "-f", "null"], &chain[..], args].concat()).ok();
        ran.stderr.matches("filtering on the CPU: ").count()
    };
    assert_eq!(notes(&["--device", "cpu", "-v"]), 0, "nothing else was asked for");
    assert_eq!(notes(&["-q"]), 0);
    if gpu().is_ok() {
        assert_eq!(notes(&["-v"]), 0);
    } else {
        assert_eq!(notes(&["-v"]), 1);
        assert_eq!(notes(&[]), usize::from(gpus() > 0), "a machine without a GPU does not get a note at every run");
    }
}

#[test]
fn a_budget_that_does_not_cover_the_run_is_refused_with_both_figures() {
    if let Err(why) = gpu() {
        println!("skipped: {why}");
        return;
    }
    let folder = Folder::new();
    let clip = folder.path("clip.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=1920x1080:r=25 -frames:v 3 -pix_fmt yuv420p -c:v ffv1 {clip}"));
    let with = |device: &str, budget: &str| {
        let chain = ["--chain", "deband", "--depth", "10", "--device", device, "--gpu-memory", budget];
        run(&[&[clip.as_str(), "-", "-f", "framemd5"], &chain[..]].concat())
    };
    refused(&with("cuda", "1"), OUT_OF_MEMORY, &["MiB on ", "of a budget of 1 MiB"]);
    let fallen = with("auto", "1").ok();
    assert_eq!(fallen.stderr.matches("filtering on the CPU: ").count(), 1, "{}", fallen.stderr);
    let there = with("cuda", "512").ok();
    assert!(there.stderr.contains("MiB of GPU memory"), "{}", there.stderr);
    assert_eq!(there.text(), fallen.text());
}

#[test]
fn bench_measures_a_gpu_or_says_why_not() {
    let args = ["bench", "--device", "cuda", "--quick", "--json", "--size", "64x48", "--filter", "deband"];
    if gpus() == 0 {
        refused(&run(&args), UNSUPPORTED, &["; use --device cpu"]);
    }
    if let Err(why) = gpu() {
        println!("skipped: {why}");
        return;
    }
    let json: serde_json::Value = serde_json::from_slice(&run(&args).ok().stdout).unwrap();
    let format = &json["gpu"]["formats"][0];
    assert!(format["copy"]["ms"].as_f64().unwrap() > 0.0, "{json}");
    for field in ["ms", "gb_per_s", "times_copy"] {
        assert!(format["rows"][0][field].as_f64().unwrap() > 0.0, "{field}: {json}");
    }
    let whole = &json["gpu"]["pipeline"]["rows"][0];
    for field in ["slots", "limit_fps", "fps", "of_limit", "upload", "kernels", "download"] {
        assert!(whole[field].as_f64().unwrap() > 0.0, "{field}: {json}");
    }
}

#[test]
fn a_budget_means_nothing_to_the_cpu() {
    let said = run(&[GRADIENT, "-f", "null", "--frames", "1", "--device", "cpu", "--gpu-memory", "9"]).ok().stderr;
    assert!(said.contains("warning: --gpu-memory ignored"), "{said}");
}

#[test]
fn probe_lists_the_gpus_or_says_why_there_are_none() {
    let json: serde_json::Value = serde_json::from_slice(&run(&["probe", "--json"]).ok().stdout).unwrap();
    let cuda = &json["cuda"];
    let devices = cuda["devices"].as_array().unwrap();
    assert_eq!(devices.len(), gpus());
    assert_eq!(cuda["why"].is_null(), gpus() > 0, "{cuda}");
    for device in devices {
        assert!(device["name"].is_string() && device["memory"].as_u64().unwrap() > 0, "{device}");
        assert!(device["compute_capability"].as_str().unwrap().contains('.'), "{device}");
    }
    let first = devices.first().map(|device| device["why"].as_str().map(str::to_owned));
    match gpu() {
        Ok(()) => assert_eq!((first, &cuda["available"]), (Some(None), &true.into())),
        Err(why) if devices.is_empty() => assert_eq!(cuda["why"], why.as_str()),
        Err(_) => {}
    }
    assert!(json["nvenc"]["present"].is_array() && json["nvdec"]["missing"].is_array());
}
