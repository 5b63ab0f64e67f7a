//! Tables of colour on the command line, beside FFmpeg's own filter.
#![cfg(feature = "cli")]

mod command;

use command::{Folder, ffmpeg, refused, run};
use std::fs;
use std::process::Command;

/// A warm table of 17 colours along the edge, as a `.cube` writes it.
fn warm() -> String {
    let part = |i: usize| i as f64 / 16.0;
    let row = |i: usize| {
        let (r, g, b) = (part(i % 17), part(i / 17 % 17), part(i / 289));
        format!("{:.6} {:.6} {:.6}\n", r + 0.1 * g * (1.0 - r), g * 0.98, b * (1.0 - 0.2 * r))
    };
    format!("TITLE \"warm\"\nLUT_3D_SIZE 17\n{}", (0..17 * 17 * 17).map(row).collect::<String>())
}

/// Three frames of RGB of eight bits, of all colours.
fn film(folder: &Folder) -> String {
    let path = folder.path("in.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=160x96:d=0.12 -vf format=gbrp -c:v ffv1 {path}"));
    path
}

fn samples(path: &str) -> Vec<u8> {
    let args = ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gbrp", "-"];
    Command::new("ffmpeg").args(args).output().unwrap().stdout
}

#[test]
fn ffmpeg_gives_the_same_but_for_rounding() {
    let folder = Folder::new();
    let (source, cube) = (film(&folder), folder.path("warm.cube"));
    fs::write(&cube, warm()).unwrap();
    for interp in ["tetrahedral", "trilinear"] {
        let (ours, theirs) = (folder.path(&format!("{interp}.mkv")), folder.path(&format!("{interp}-ffmpeg.mkv")));
        run(&[&source, &ours, "--chain", &format!("lut3d=file={cube}:interp={interp}"), "-c", "ffv1"]).ok();
        ffmpeg(&format!("-i {source} -vf lut3d=file={cube}:interp={interp} -c:v ffv1 {theirs}"));
        let (ours, theirs) = (samples(&ours), samples(&theirs));
        assert!(ours.len() == theirs.len() && ours.len() == 3 * 3 * 160 * 96);
        let most = ours.iter().zip(&theirs).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(most <= Some(1) && ours != samples(&source), "{interp}: {most:?}");
    }
}

#[test]
fn files_that_are_no_tables_are_refused() {
    let folder = Folder::new();
    let (source, target) = (film(&folder), folder.path("out.mkv"));
    let file = |name: &str, text: &str| {
        fs::write(folder.path(name), text).unwrap();
        format!("lut3d=file={}", folder.path(name))
    };
    let cut: String = warm().lines().take(100).map(|line| format!("{line}\n")).collect();
    for (chain, code, words) in [
        (file("cut.cube", &cut), 4, "line 100: the file ends after 98 of the 4913 colours"),
        (file("bad.cube", "LUT_3D_SIZE 2\n0 0 zero\n"), 4, "line 2: '0 0 zero' is not three numbers"),
        (
            file("far.cube", "DOMAIN_MIN 2 2 2\nDOMAIN_MAX 3 3 3\nLUT_1D_SIZE 2\n0 0 0\n1 1 1\n"),
            3,
            "values from 2 to 3",
        ),
        (file("a.lut", "1"), 3, "tables are read from .cube"),
        (format!("lut3d=file={}", folder.path("none.cube")), 7, "none.cube"),
        (format!("{}:sha256=00000000", file("warm.cube", &warm())), 2, "not sha256=00000000"),
    ] {
        let ran = run(&[&source, &target, "--chain", &chain]);
        refused(&ran, code, &[words]);
        assert!(!fs::exists(&target).unwrap(), "{chain}");
    }
}

#[test]
fn a_hash_file_stands_for_the_table() {
    let folder = Folder::new();
    let (source, cube, hashes) = (film(&folder), folder.path("warm.cube"), folder.path("a.hash"));
    fs::write(&cube, warm()).unwrap();
    run(&["hash", &source, "-o", &hashes, "--chain", &format!("lut3d=file={cube}")]).ok();
    assert!(fs::read_to_string(&hashes).unwrap().contains("sha256"));
    run(&["verify", &hashes, &source]).ok();
    fs::write(&cube, warm().replace("warm", "cold")).unwrap();
    refused(&run(&["verify", &hashes, &source]), 2, &["the file is another than the one that was asked for"]);
}
