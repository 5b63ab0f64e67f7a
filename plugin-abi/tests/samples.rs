//! The programs in samples/ are built as they say, and give the command's frames.

mod cc;
mod so;

use so::command::{clip, expected};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use vramp::io::Hash;
use vramp::video::Picture;

const SIZE: (usize, usize) = (65, 33);
const FRAMES: usize = 9;

/// The sample called `name`, linked with the library under the name that it is installed with.
fn sample(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("linked-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // What the linker asks for, and what the program does.
    for name in ["libvramp.so", "libvramp.so.1"] {
        let link = folder.join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(so::library(), link).unwrap();
    }
    let folder = folder.to_str().unwrap();
    let source = cc::path("../samples").join(name);
    cc::program(&source, &["-L", folder, "-lvramp", &format!("-Wl,-rpath,{folder}"), "-ldl"])
}

/// What `program` writes when it reads `input`.
fn fed(program: &Path, args: &[&str], input: &[u8]) -> Vec<u8> {
    run(Command::new(program).args(args), input).0
}

/// What `command` writes when it reads `input`, and what it says.
fn run(command: &mut Command, input: &[u8]) -> (Vec<u8>, String) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (output.stdout, said)
}

/// The hashes of raw frames of `format`.
fn hashes(format: &str, mut raw: &[u8]) -> Vec<String> {
    let mut list = Vec::new();
    while !raw.is_empty() {
        let mut picture = Picture::alloc(format.parse().unwrap(), SIZE.0, SIZE.1).unwrap();
        for plane in 0..3 {
            for y in 0..picture.format().plane_size(plane, SIZE.0, SIZE.1).1 {
                let row = picture.row_bytes_mut(plane, y);
                let (from, rest) = raw.split_at(row.len());
                row.copy_from_slice(from);
                raw = rest;
            }
        }
        list.push(Hash::Md5.of(&picture));
    }
    list
}

#[test]
fn they_give_the_commands_frames() {
    let (path, raw) = clip("yuv420p", SIZE, FRAMES);
    for (name, chain, result) in [
        ("c_abi.c", "deband=rand_each_frame=on", "yuv420p"),
        ("c_abi.cpp", "deband(rand_each_frame on) > depth(10)", "yuv420p10"),
    ] {
        let (width, height) = (SIZE.0.to_string(), SIZE.1.to_string());
        let got = fed(&sample(name), &[&width, &height, chain], &raw);
        let want = expected(&path, chain);
        assert_eq!(want.len(), FRAMES);
        assert_eq!(hashes(result, &got), want, "{name}");
    }
    std::fs::remove_file(path).unwrap();
}

/// The stand-in's kernels do nothing, so that it only runs.
#[test]
fn frames_stay_in_gpu_memory() {
    let mut command = Command::new(sample("c_abi_cuda.c"));
    command.args(["64", "36", "deband"]).env("LD_LIBRARY_PATH", cc::stand_in_driver());
    let (said, _) = run(&mut command, &[]);
    let said = String::from_utf8(said).unwrap();
    assert!(said.ends_with(&format!(" of {} values changed\n", 8 * 64 * 36 * 4)), "{said}");
}

#[test]
fn filters_are_listed_with_their_parameters() {
    let listed = String::from_utf8(fed(&sample("c_abi.cpp"), &["--filters"], &[])).unwrap();
    for filter in vramp::filters::ALL {
        assert!(listed.contains(&format!("{}: {}\n", filter.name, filter.summary)), "{listed}");
        for param in filter.schema.params {
            assert!(listed.contains(&format!("  {} = {}", param.name, (param.default)())), "{listed}");
        }
    }
}

/// Whatever fails on a GPU, from opening it to a frame in flight, `auto` goes on with the CPU and says so once.
#[test]
fn auto_goes_on_with_the_cpu() {
    let (path, raw) = clip("yuv420p", SIZE, FRAMES);
    let (program, driver, chain) = (sample("c_abi.c"), cc::stand_in_driver(), "deband=rand_each_frame=on");
    let want = expected(&path, chain);
    std::fs::remove_file(path).unwrap();
    for (memory, failing) in [
        ("1", "cuInit=803"),
        ("1", "cuDevicePrimaryCtxRetain=2"),
        ("1", "cuStreamCreate=2"),
        ("1", "cuMemAlloc_v2=2"),
        ("1", "cuModuleLoadDataEx=218"),
        ("1", "cuMemcpy2DAsync_v2=700"),
        ("1", "cuLaunchKernel=719"),
        ("1", "cuMemcpy2DAsync_v2:2=700"),
        ("1", "cuEventQuery=719"),
        // The frames' memory is not page-locked.
        ("0", "cuMemAllocHost_v2=2"),
        ("0", "cuMemcpyHtoDAsync_v2=700"),
        ("0", "cuMemcpyDtoHAsync_v2=700"),
    ] {
        let (width, height) = (SIZE.0.to_string(), SIZE.1.to_string());
        let mut command = Command::new(&program);
        command
            .args([&width, &height, chain])
            .env("LD_LIBRARY_PATH", &driver)
            .env("STAND_IN_FAIL", failing)
            .env("STAND_IN_MEMORY", memory);
        let (got, said) = run(&mut command, &raw);
        assert_eq!(hashes("yuv420p", &got), want, "{failing}");
        assert_eq!(said.matches("vramp: filtering on the CPU: ").count(), 1, "{failing}: {said}");
    }
}
