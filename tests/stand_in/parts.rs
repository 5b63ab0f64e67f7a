//! Films in parts on GPUs: threads of one process, which share what a device holds.

use crate::command::{Folder, Ran, refused, vramp};
use crate::{DEVICE, GRADIENT, driver};

/// Ten parts of a clip of a second with a driver of these settings.
fn parts(settings: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = vramp();
    command.env("LD_LIBRARY_PATH", driver()).envs(settings.iter().copied()).env_remove("CUDA_VISIBLE_DEVICES");
    command.args([GRADIENT, "--segments", "--segment=0.1", "--cuts=exact", "--chain", "deband", "--depth", "10", "-v"]);
    command.args(args).output().unwrap().into()
}

/// The lines that say on which device parts are filtered.
fn filtering(ran: &Ran) -> Vec<&str> {
    ran.stderr.lines().filter(|line| line.contains("filtering on stand-in")).collect()
}

#[test]
fn parts_are_threads_that_share_a_device() {
    let folder = Folder::new();
    let ran = parts(&[], &[&folder.path("out.mkv"), "-c", "ffv1", "--jobs", "3"]).ok();
    assert!(ran.stderr.contains(" parts, 3 at a time"), "{}", ran.stderr);
    assert!(filtering(&ran).len() >= 9, "each of the parts: {}", ran.stderr);
    // Kernels are loaded once, by whoever needs them first: there is one context.
    assert_eq!(ran.stderr.matches("CUDA kernels of deband_u8 loaded").count(), 1, "{}", ran.stderr);
    assert_eq!(folder.names(), ["out.mkv"]);
}

#[test]
fn parts_take_turns_on_the_gpus() {
    for (list, there) in [("all", [true, true, true]), ("0,2", [true, false, true]), ("1", [false, true, false])] {
        let ran = parts(&[("STAND_IN_DEVICES", "3")], &["-", "-f", "null", "--jobs", "4", "--gpus", list]).ok();
        let is_used = |number: usize| filtering(&ran).iter().any(|line| line.contains(&format!("(device {number},")));
        assert_eq!([0, 1, 2].map(is_used), there, "{list}: {}", ran.stderr);
    }
    let ran = parts(&[("STAND_IN_DEVICES", "2")], &["-", "-f", "null", "--gpus", "0,2"]);
    refused(&ran, 2, &["there is no CUDA device 2"]);
}

#[test]
fn a_gpu_that_fails_ends_the_run_and_leaves_what_is_whole() {
    let folder = Folder::new();
    let settings = [("STAND_IN_FAIL", "cuLaunchKernel:12=719")];
    let ran = parts(&settings, &[&folder.path("out.mkv"), "-c", "ffv1", "--jobs", "2", "--device", "cuda"]);
    refused(&ran, DEVICE, &["launching a kernel", "the same command resumes"]);
    assert_eq!(folder.names(), ["out.mkv.vramp"]);
}

#[test]
fn without_a_gpu_auto_takes_processes() {
    let folder = Folder::new();
    let settings = [("STAND_IN_FAIL", "cuInit=100")];
    parts(&settings, &[&folder.path("out.mkv"), "-c", "ffv1", "--jobs", "2"]).ok();
    let ran = parts(&settings, &["-", "-f", "null", "--gpus", "all"]);
    refused(&ran, 3, &["finds no GPU"]);
}

#[test]
fn runs_side_by_side_are_measured() {
    let measured = |args: &[&str]| {
        let mut command = vramp();
        command.env("LD_LIBRARY_PATH", driver()).env("STAND_IN_DEVICES", "2").env_remove("CUDA_VISIBLE_DEVICES");
        command.args(["bench", "--clip", GRADIENT, "-c", "null", "--jobs", "1,4", "--quick", "--json"]).args(args);
        let json = Ran::from(command.output().unwrap()).ok().stdout;
        serde_json::from_slice::<serde_json::Value>(&json).unwrap()["jobs"].clone()
    };
    for (args, gpus) in [(&["--device", "cpu"][..], 0), (&["--device", "cuda", "--gpus", "all"], 2)] {
        let jobs = measured(args);
        assert_eq!((&jobs["gpus"], jobs["rows"].as_array().unwrap().len()), (&gpus.into(), 2), "{jobs}");
        let row = &jobs["rows"][1];
        assert_eq!((&row["jobs"], row["of_download"].is_null()), (&4.into(), gpus == 0), "{jobs}");
        // One run cannot be spread.
        let times_one_gpu = |row: usize| jobs["rows"][row]["times_one_gpu"].as_f64();
        assert_eq!((times_one_gpu(0), times_one_gpu(1).is_some_and(|times| times > 0.0)), (None, gpus == 2), "{jobs}");
        let (of, fps) = (row["of_decoders"].as_f64().unwrap(), row["fps"].as_f64().unwrap());
        assert!((of - fps / row["decode_fps"].as_f64().unwrap()).abs() < 1e-9 && fps > 0.0, "{jobs}");
    }
}
