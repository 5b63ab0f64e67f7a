//! Looks do not pump: measured on a natural clip.
#![cfg(feature = "cli")]

mod command;

use command::{Folder, hashes, run};
use std::fs;
use vramp::filters::find;

const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");
/// The size that the clip is brought to.
const SIZE: (usize, usize) = (160, 90);
const FRAMES: usize = 24;
/// What mean luma may do of its own, in steps of 8 bits.
const BAR: f64 = 0.15;

/// Mean luma of each frame of the film `path` behind `chain`, in steps of 8 bits.
fn brightness(folder: &Folder, path: &str, chain: &str) -> Vec<f64> {
    let records = folder.path(&format!("{}.jsonl", folder.names().len()));
    let chain = format!("{chain},stats");
    run(&[path, "-", "--chain", &chain, "-f", "null", "--device", "cpu", "--records", &records]).ok();
    let text = fs::read_to_string(&records).unwrap();
    let mean = |line: &str| {
        let at = line.find("\"y_mean\":").unwrap() + "\"y_mean\":".len();
        line[at..].split([',', '}']).next().unwrap().parse::<f64>().unwrap() / 256.0
    };
    text.lines().map(mean).collect()
}

/// The clip in small and grey, and how many samples of each value its frames have.
fn source(folder: &Folder) -> (String, Vec<[f64; 256]>) {
    let path = folder.path("clip.y4m");
    let chain = format!("scale=w={}:h={},format=gray", SIZE.0, SIZE.1);
    run(&[CLIP, &path, "--chain", &chain, "--frames", &FRAMES.to_string(), "--device", "cpu"]).ok();
    let film = fs::read(&path).unwrap();
    let samples = SIZE.0 * SIZE.1;
    let header = film.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let frames = film[header..].chunks_exact("FRAME\n".len() + samples);
    let count = |frame: &[u8]| {
        let mut counts = [0.0; 256];
        frame[frame.len() - samples..].iter().for_each(|value| counts[usize::from(*value)] += 1.0 / samples as f64);
        counts
    };
    (path, frames.map(count).collect())
}

/// A film of 256 flat frames, one of each value.
fn flat(folder: &Folder) -> String {
    let path = folder.path("flat.y4m");
    let mut film = format!("YUV4MPEG2 W{} H{} F25:1 Ip A1:1 Cmono\n", SIZE.0, SIZE.1).into_bytes();
    for value in 0..=255 {
        film.extend_from_slice(b"FRAME\n");
        film.resize(film.len() + SIZE.0 * SIZE.1, value);
    }
    fs::write(&path, film).unwrap();
    path
}

/// The most that `made` changes from one frame to the next beyond what `explained` does.
fn residual(explained: &[f64], made: &[f64]) -> f64 {
    let steps = |means: &[f64]| means.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    steps(explained).iter().zip(steps(made)).map(|(own, made)| (made - own).abs()).fold(0.0, f64::max)
}

/// A look is a curve, and what it does beside that to details. What the curve makes of the source's own brightness is no pumping:
/// flat frames show the curve. A filter that looks at a frame's statistics has a residual beyond it.
#[test]
fn brightness_follows_the_source_alone() {
    let folder = Folder::new();
    let (clip, frames) = source(&folder);
    let flat = flat(&folder);
    assert_eq!(frames.len(), FRAMES);
    let explained = |look: &str| -> Vec<f64> {
        let curve = brightness(&folder, &flat, look);
        assert_eq!(curve.len(), 256);
        frames.iter().map(|counts| counts.iter().zip(&curve).map(|(count, value)| count * value).sum()).collect()
    };
    let presets = find("localtone").unwrap().schema.presets.iter().map(|preset| preset.name);
    for preset in presets {
        let look = format!("localtone=preset={preset}:adapt=0");
        let plain = brightness(&folder, &clip, &look);
        let explained = explained(&look);
        let left = residual(&explained, &plain);
        assert!(left <= BAR, "{look}: {left:.3} of 255");
        let adapting = format!("localtone=preset={preset}:adapt=1:window=8");
        let made = brightness(&folder, &clip, &adapting);
        let left = residual(&explained, &made);
        assert!(left <= BAR, "{adapting}: {left:.3} of 255");
        let change = made.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change > 0.5, "{adapting}: it does something: {change:.3}");
    }
    let pumps = residual(&explained("clahe"), &brightness(&folder, &clip, "clahe"));
    assert!(pumps > BAR, "what pumps is found out: {pumps:.3}");
}

#[test]
fn parts_of_a_film_are_those_of_the_whole() {
    let of = |part: &[&str]| {
        let chain = ["--chain", "scale=w=160:h=90,localtone=adapt=1:window=6", "--device", "cpu"];
        let hash = |line: &String| line.rsplit(", ").next().unwrap().to_owned();
        hashes(CLIP, &[&chain, part].concat()).iter().map(hash).collect::<Vec<_>>()
    };
    let whole = of(&["--frames", "16"]);
    assert_eq!(of(&["--start", "#9", "--frames", "5"]), whole[9..14]);
}
