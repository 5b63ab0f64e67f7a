//! Looks that follow the brightness of shots do not pump: measured on a natural clip.
#![cfg(feature = "cli")]

mod command;

use command::{Folder, hashes, run};

const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");

/// Mean luma of each frame behind `chain`, in steps of 8 bits.
fn brightness(folder: &Folder, chain: &str) -> Vec<f64> {
    let records = folder.path(&format!("{}.jsonl", folder.names().len()));
    let chain = format!("scale=w=160:h=90,format=gray,{chain}stats");
    let args = ["-f", "null", "--frames", "24", "--device", "cpu", "--records", &records];
    run(&[&[CLIP, "-", "--chain", &chain], &args[..]].concat()).ok();
    let text = std::fs::read_to_string(&records).unwrap();
    let mean = |line: &str| {
        let at = line.find("\"y_mean\":").unwrap() + "\"y_mean\":".len();
        line[at..].split([',', '}']).next().unwrap().parse::<f64>().unwrap() / 256.0
    };
    text.lines().map(mean).collect()
}

/// How far the steps of `made` from frame to frame are from those of `source`, as far as these explain them: the largest that is left
/// of a straight line through all pairs.
fn residual(source: &[f64], made: &[f64]) -> f64 {
    let steps = |means: &[f64]| means.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    let (source, made) = (steps(source), steps(made));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (at, to) = (mean(&source), mean(&made));
    let both: f64 = source.iter().zip(&made).map(|(x, y)| (x - at) * (y - to)).sum();
    let own: f64 = source.iter().map(|x| (x - at) * (x - at)).sum();
    let slope = if own > 0.0 { both / own } else { 0.0 };
    source.iter().zip(&made).map(|(x, y)| (y - to - slope * (x - at)).abs()).fold(0.0, f64::max)
}

#[test]
fn brightness_follows_the_source_alone() {
    let folder = Folder::new();
    let source = brightness(&folder, "");
    assert_eq!(source.len(), 24);
    let with = |adapt: u8, look: &str| brightness(&folder, &format!("localtone=adapt={adapt}{look},"));
    for look in ["", ":preset=backlight:window=8"] {
        let (made, plain) = (with(1, look), with(0, look));
        let [left, own] = [&made, &plain].map(|made| residual(&source, made));
        // A strong look is no straight line of the source's brightness: it has a residual of its own, to which nothing is added.
        assert!(left <= f64::max(0.15, own), "{look}: {left:.3} of 255, and {own:.3} without");
        let change = made.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change > 1.0, "{look}: it does something: {change:.3}");
    }
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
