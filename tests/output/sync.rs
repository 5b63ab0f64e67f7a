//! Sound beside the pictures: a click at a flash stays there, however often a film is copied.

use crate::media::{Ask, Folder, run, stream, transcoded};
use std::process::Command;
use vramp::io::libav::{Position, Timestamps, Window};

/// A black film in which one frame flashes after a second, and sound that clicks then.
const FILM: &str = "-f lavfi -i color=black:s=64x48:r=25:d=1.28,noise=alls=9:allf=t,drawbox=color=white:t=fill:enable='eq(n\\,25)' \
                    -f lavfi -i aevalsrc=0.8*sin(6283*t)*between(t\\,1\\,1.1):s=48000:d=1.28";

/// Containers and the encoder that makes pictures for them, fast.
const CONTAINERS: [(&str, &str, &str); 9] = [
    ("mkv", "libx264", "preset=ultrafast"),
    ("webm", "libvpx-vp9", "deadline=realtime cpu-used=8"),
    ("mp4", "libx264", "preset=ultrafast"),
    ("mov", "libx264", "preset=ultrafast"),
    ("ts", "libx264", "preset=ultrafast"),
    ("nut", "libx264", "preset=ultrafast"),
    ("avi", "mpeg4", ""),
    ("flv", "flv", ""),
    ("ogg", "libtheora", ""),
];

fn video(container: &str) -> (&'static str, &'static str) {
    let (_, codec, options) = CONTAINERS.iter().find(|(name, ..)| *name == container).unwrap();
    (codec, options)
}

/// How many seconds after each of `count` flashes a click is, as ffmpeg decodes the two.
#[track_caller]
pub fn lags(file: &str, count: usize) -> Vec<f64> {
    let words = "-map 0:v:0 -map 0:a:0 -vf blackdetect=d=0.1:pix_th=0.5 -af silencedetect=n=0.1:d=0.1 -f null -";
    let mut command = Command::new("ffmpeg");
    let output = command.args(["-nostdin", "-copyts", "-i", file]).args(words.split_whitespace()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let times = |mark: &str| -> Vec<f64> {
        let found = text.split(mark).skip(1).map(|rest| rest.split_whitespace().next().unwrap().parse().unwrap());
        let times: Vec<f64> = found.take(count).collect();
        assert_eq!(times.len(), count, "{file}: {mark} {text}");
        times
    };
    let (clicks, flashes) = (times("silence_end: "), times("black_end:"));
    clicks.into_iter().zip(flashes).map(|(click, flash)| click - flash).collect()
}

fn lag(file: &str) -> f64 {
    lags(file, 1)[0]
}

/// How far the click may be from where it was, in seconds: what the unit of a container's times rounds, or one sample.
/// AVI shows pictures at whole frames from the start of the sound only, and says how far it rounds.
pub fn unit(container: &str) -> f64 {
    match container {
        "mkv" | "webm" | "flv" => 0.001_05,
        "avi" => 0.020_05,
        _ => 0.000_05,
    }
}

/// The film with sound of `encoder` in each of `containers`.
fn films(folder: &Folder, encoder: &str, containers: &[&'static str]) -> Vec<(&'static str, String)> {
    let mut command = vec!["-v", "error", "-nostdin", "-y"];
    command.extend(FILM.split_whitespace());
    let files: Vec<_> = containers.iter().map(|name| (*name, folder.file(&format!("source.{name}")))).collect();
    for (container, file) in &files {
        let (codec, _) = video(container);
        command.extend(["-map", "0", "-map", "1", "-c:v", codec, "-bf", "0", "-c:a", encoder, "-strict", "-2", file]);
    }
    run("ffmpeg", &command);
    files
}

/// Copies the film from each of `sources` into each of `targets` and from there once more. `ask` changes what is asked.
fn stays(encoder: &str, sources: &[&'static str], targets: &[&'static str], change: impl Fn(&mut Ask)) {
    let folder = Folder::new(&format!("sync-{encoder}-{}", sources.concat()));
    let mut wrong = Vec::new();
    for (source, film) in films(&folder, encoder, sources) {
        let before = lag(&film);
        for target in targets {
            let (codec, options) = video(target);
            let mut file = film.clone();
            for pass in ["a", "b"] {
                let next = folder.file(&format!("{pass}.{target}"));
                let mut ask = Ask::codec(codec).with(options);
                ask.output.overwrite = true;
                if pass == "a" {
                    change(&mut ask);
                }
                transcoded(&file, &next, ask);
                file = next;
            }
            let moved = lag(&file) - before;
            if moved.abs() > unit(source).max(unit(target)) {
                wrong.push(format!("{encoder} from {source} to {target}: {:.2} ms", moved * 1000.0));
            }
        }
    }
    assert!(wrong.is_empty(), "sound moved:\n{}", wrong.join("\n"));
}

#[test]
fn opus() {
    stays("libopus", &["mkv", "webm", "mp4", "ts", "ogg"], &["mkv", "webm", "mp4", "ts", "nut", "ogg"], |_| {});
}

#[test]
fn aac() {
    stays("aac", &["mkv", "mp4", "mov", "ts", "flv"], &["mkv", "mp4", "mov", "ts", "nut", "flv"], |_| {});
}

#[test]
fn mp3() {
    stays("libmp3lame", &["mkv", "mp4", "ts", "avi"], &["mkv", "mp4", "mov", "ts", "avi", "flv"], |_| {});
}

#[test]
fn vorbis() {
    stays("libvorbis", &["mkv", "webm", "mp4", "ogg"], &["mkv", "webm", "mp4", "ogg"], |_| {});
}

#[test]
fn ac3() {
    stays("ac3", &["mkv", "mp4", "ts", "avi"], &["mkv", "mp4", "mov", "ts", "avi"], |_| {});
}

#[test]
fn lossless() {
    stays("flac", &["mkv", "mp4", "ogg"], &["mkv", "nut", "ogg"], |_| {});
    stays("alac", &["mp4", "mov"], &["mkv", "mp4", "mov"], |_| {});
    stays("pcm_s16le", &["mkv", "mov", "avi"], &["mkv", "mov", "avi", "nut"], |_| {});
}

#[test]
fn parts() {
    for (encoder, containers) in [("libopus", ["mkv", "mp4"]), ("aac", ["mkv", "mp4"]), ("pcm_s16le", ["mkv", "mov"])] {
        for timestamps in [Timestamps::Keep, Timestamps::Zero] {
            stays(encoder, &containers, &containers, |ask| {
                ask.window = Window { start: Some(Position::Frame(11)), ..Window::default() };
                ask.output.timestamps = timestamps;
            });
        }
    }
}

#[test]
fn pcm_of_a_part_begins_with_its_pictures() {
    let folder = Folder::new("sync-part");
    for (source, film) in films(&folder, "pcm_s16le", &["mkv", "mov"]) {
        for timestamps in [Timestamps::Keep, Timestamps::Zero] {
            let target = folder.file(&format!("part.{source}"));
            let mut ask = Ask::codec("libx264").with("preset=ultrafast");
            ask.window = Window { start: Some(Position::Frame(11)), ..Window::default() };
            ask.output.timestamps = timestamps;
            ask.output.overwrite = true;
            transcoded(&film, &target, ask);
            let start = |which| stream(&target, which, "stream=start_time").parse::<f64>().unwrap();
            let late = start("a:0") - start("v:0");
            assert!(late.abs() <= unit(source), "{source} {timestamps:?}: {late} s late");
        }
    }
}
