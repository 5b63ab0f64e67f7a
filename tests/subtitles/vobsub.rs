//! VobSub that is copied: out of a film for DVDs, into MP4 and back.

use crate::command::{Folder, ffmpeg, run};
use crate::sup::{self, Rectangle};
use crate::video::Video;
use std::process::Command;

const SIZE: (usize, usize) = (720, 576);

/// When packets of subtitles begin, and how long they last, in milliseconds.
fn packets(file: &str) -> Vec<(i64, i64)> {
    let args =
        ["-v", "error", "-select_streams", "s", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"];
    let text = String::from_utf8(Command::new("ffprobe").args(args).arg(file).output().unwrap().stdout).unwrap();
    let time = |text: &str| (text.parse::<f64>().unwrap_or(-1.0) * 1000.0).round() as i64;
    let pair = |line: &str| line.split_once(',').map(|(begin, lasts)| (time(begin), time(lasts.trim_end_matches(','))));
    text.lines().filter_map(pair).collect()
}

/// The length of `file` in seconds, as its header has it.
fn length(file: &str) -> f64 {
    let args = ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", file];
    let text = String::from_utf8(Command::new("ffprobe").args(args).output().unwrap().stdout).unwrap();
    text.trim().parse().unwrap()
}

#[test]
fn it_goes_to_mp4_and_back() {
    let folder = Folder::new();
    let shown = |start| Rectangle {
        start,
        end: start + 300,
        x: 100,
        y: 400,
        width: 400,
        height: 80,
        color: [235, 128, 128, 255],
        forced: false,
    };
    let (pgs, film) = (folder.path("a.sup"), folder.path("film.mkv"));
    sup::write(&pgs, (720, 576), &[shown(400), shown(1200)]);
    // ffmpeg's encoder states durations of 49 days, and none in a film for DVDs.
    ffmpeg(&format!(
        "-copyts -f lavfi -i testsrc2=s=720x576:r=25:d=2 -i {pgs} -map 0 -map 1 -c:v mpeg2video -b:v 4M -c:s dvdsub -s:s 720x576 {film}"
    ));
    let dvd = folder.path("film.vob");
    Command::new("ffmpeg").args(["-v", "quiet", "-i", &film, "-map", "0", "-c", "copy", &dvd]).output().unwrap();
    for source in [&film, &dvd] {
        let [mp4, mkv, direct, burnt] = ["a.mp4", "b.mkv", "direct.mkv", "burnt.mkv"].map(|name| folder.path(name));
        let said = run(&[source, &mp4, "-y", "-c", "libx264", "--preset", "ultrafast"]).ok().stderr;
        assert!(!said.contains("warning"), "{said}");
        let known = packets(source);
        let copied = packets(&mp4);
        assert_eq!(copied.len(), 2, "{source}: {copied:?}");
        for ((begin, _), (copy, _)) in known.iter().zip(&copied) {
            assert!(begin.abs_diff(*copy) <= 1, "{source}: {known:?} {copied:?}");
        }
        assert!((copied[0].0 + copied[0].1).abs_diff(copied[1].0) <= 1 && length(&mp4) < 3.0, "{source}: {copied:?}");
        run(&[&mp4, &mkv, "-y", "-c", "ffv1"]).ok();
        assert!(packets(&mkv).len() == 2 && length(&mkv) < 3.0, "{source}: {:?}, {} s", packets(&mkv), length(&mkv));
        run(&[source, &direct, "-y", "-c", "ffv1"]).ok();
        assert!(packets(&direct).len() == 2 && length(&direct) < 3.0, "{source}: {} s", length(&direct));
        // It is drawn where and while it was.
        run(&[&mkv, &burnt, "-y", "-c", "ffv1", "--burn-subtitles"]).ok();
        let [plain, burnt] = [&mkv, &burnt].map(|file| Video::luma(file, SIZE));
        let first =
            burnt.frames() - (0..burnt.frames()).rev().take_while(|f| burnt.changed(*f, &plain).is_some()).count();
        assert_eq!(burnt.changed(49, &plain), Some((100, 400, 500, 480)), "{source}");
        assert!(first.abs_diff(10) <= 1, "{source}: drawn from frame {first} on");
    }
}
