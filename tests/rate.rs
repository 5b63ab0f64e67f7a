//! Rate control on the command line: sizes, two passes, film grain, hardware that is not there; judged by ffprobe.
#![cfg(feature = "cli")]

mod command;

use command::{Folder, ffmpeg, hashes, refused, run, run_fed, vramp};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A quarter of a minute of moving picture with sound, in `folder`.
fn film(folder: &Folder, name: &str, args: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=192x144:r=25 -f lavfi -i sine=440:sample_rate=48000 -t 15 \
         -c:v libx264 -preset ultrafast -qp 10 -c:a aac -b:a 64k {args} {path}"
    ));
    path
}

/// What ffprobe answers.
#[track_caller]
fn probe(args: &str) -> String {
    let output = Command::new("ffprobe").args(["-v", "error"]).args(args.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "ffprobe {args}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// How far `path` is from `size` bytes, in hundredths.
fn off(path: &str, size: u64) -> f64 {
    (fs::metadata(path).unwrap().len() as f64 / size as f64 - 1.0) * 100.0
}

#[test]
fn a_size_is_met_with_sound_and_container() {
    let folder = Folder::new();
    let source = film(&folder, "film.mkv", "");
    for name in ["a.mkv", "a.mp4", "a.ts"] {
        let target = folder.path(name);
        let ran = run(&[&source, &target, "-c", "libx264", "--preset", "fast", "--target-size", "600k"]).ok();
        assert!(off(&target, 600_000).abs() < 3.0, "{name}: {:+.2} %", off(&target, 600_000));
        assert!(
            ran.stderr.contains("in two passes") && !ran.stderr.contains("--target-size asks for"),
            "{}",
            ran.stderr
        );
        let count = "-count_packets -show_entries stream=nb_read_packets -select_streams v -of csv=p=0";
        assert_eq!(probe(&format!("{count} {target}")).lines().next().unwrap().trim_end_matches(','), "375");
    }
    let mut names = folder.names();
    names.retain(|name| name.starts_with('.'));
    assert_eq!(names, Vec::<String>::new(), "statistics are gone");
}

#[test]
fn a_size_is_of_the_part_that_is_run() {
    let folder = Folder::new();
    let (source, target) = (film(&folder, "film.mkv", ""), folder.path("a.mkv"));
    let args = [
        &source,
        &target,
        "-c",
        "libx264",
        "--preset",
        "fast",
        "--start",
        "3",
        "--end",
        "#250",
        "--target-size",
        "300k",
    ];
    run(&args).ok();
    assert!(off(&target, 300_000).abs() < 3.0, "{:+.2} %", off(&target, 300_000));
}

#[test]
fn a_size_counts_sound_as_it_is_written() {
    let folder = Folder::new();
    let source = film(&folder, "film.mkv", "-c:a pcm_s16le -ac 2");
    // The source's sound alone is 2.9 MB.
    for (audio, size) in [("opus:64k", 600_000), ("flac", 1_200_000), ("none", 400_000)] {
        let (target, size_word) = (folder.path("a.mkv"), size.to_string());
        let args = [&source, &target, "-y", "-c", "libx264", "--preset", "fast", "--audio", audio];
        run(&[&args[..], &["--target-size", &size_word]].concat()).ok();
        assert!(off(&target, size).abs() < 3.0, "{audio}: {:+.2} %", off(&target, size));
    }
    // An encoder with one pass goes by what is expected.
    let target = folder.path("b.mkv");
    let args = [&source, &target, "-c", "mpeg4", "--audio", "opus:64k", "--target-size", "320k"];
    run(&args).ok();
    assert!(off(&target, 320_000).abs() < 10.0, "{:+.2} %", off(&target, 320_000));
}

#[test]
fn an_impossible_size_is_refused_with_the_least() {
    let folder = Folder::new();
    let (source, target) = (film(&folder, "film.mkv", ""), folder.path("a.mkv"));
    let ran = run(&[&source, &target, "-c", "libx264", "--target-size", "90k"]);
    refused(&ran, 2, &["--target-size 90k cannot be met", "the least for all is 13"]);
    assert_eq!(folder.names(), ["film.mkv"]);
    // Without sound it can be.
    run(&[&source, &target, "-c", "libx264", "--preset", "fast", "--target-size", "90k", "--no-audio"]).ok();
}

#[test]
fn two_passes_meet_a_rate_that_one_does_not_know_how_to_spend() {
    let folder = Folder::new();
    let source = folder.path("film.mkv");
    // Two seconds that cost little, then three that cost much.
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=5 -vf noise=alls=20:allf=t:enable='gte(t\\,2)' -pix_fmt yuv420p \
         -c:v ffv1 {source}"
    ));
    let expected = hashes(&source, &[]).len();
    let encoders: [(&str, &str, &[&str]); 3] = [
        ("a.mkv", "libx264", &["--preset", "fast"]),
        ("b.mkv", "libx265", &["--preset", "ultrafast"]),
        ("c.webm", "libvpx-vp9", &["-x", "cpu-used=8"]),
    ];
    for (name, encoder, options) in encoders {
        let target = folder.path(name);
        let asked = [&*source, &target, "-c", encoder, "--two-pass", "--bitrate", "400k"];
        let ran = run(&[&asked[..], options].concat()).ok();
        assert!(ran.stderr.contains("400k bit/s in two passes"), "{}", ran.stderr);
        assert!(off(&target, 250_000).abs() < 10.0, "{encoder}: {:+.2} %", off(&target, 250_000));
        assert_eq!(hashes(&target, &[]).len(), expected, "{encoder}");
    }
}

#[test]
fn a_second_pass_over_another_film_makes_nothing() {
    let folder = Folder::new();
    let (source, other, target) = (folder.path("a.mkv"), folder.path("b.mkv"), folder.path("out.mkv"));
    let make = |path: &str, picture: &str| {
        ffmpeg(&format!("-f lavfi -i {picture}=s=640x360:r=25:d=4 -pix_fmt yuv420p -c:v ffv1 {path}"));
    };
    make(&source, "testsrc2");
    make(&other, "testsrc");
    let args = [
        &*source,
        &target,
        "-c",
        "libx264",
        "--preset",
        "slower",
        "--bitrate",
        "1M",
        "--two-pass",
        "--progress",
        "json",
    ];
    let mut child = vramp().args(args).stderr(Stdio::piped()).spawn().unwrap();
    let (mut passes, mut errors) = (Vec::new(), Vec::new());
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if passes.is_empty() {
            // The first pass has the file open, and keeps it.
            fs::rename(&other, &source).unwrap();
        }
        if let Some(at) = line.find("\"pass\":") {
            passes.push(line.as_bytes()[at + 7] - b'0');
        }
        errors.extend(line.contains("\"error\"").then_some(line));
    }
    let code = vramp::error::Kind::Internal.exit_code();
    assert_eq!(child.wait().unwrap().code(), Some(i32::from(code)));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("the second pass does not see what the first saw: frame 0"), "{errors:?}");
    assert!(passes.contains(&1), "{passes:?}");
    assert_eq!(folder.names(), ["a.mkv"]);
}

#[test]
fn exclusive_options_are_refused() {
    let folder = Folder::new();
    let (source, target) = (folder.path("film.mkv"), folder.path("a.mkv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=192x144:r=25:d=0.4 -c:v ffv1 {source}"));
    let table: [(&[&str], &[&str]); 12] = [
        (&["--crf", "20", "--bitrate", "1M"], &["--crf", "--bitrate"]),
        (&["--crf", "20", "--qp", "20"], &["--crf", "--qp"]),
        (&["--qp", "20", "--target-size", "1M"], &["--qp", "--target-size"]),
        (&["--bitrate", "1M", "--target-size", "1M"], &["--bitrate", "--target-size"]),
        (&["--crf", "20", "--two-pass"], &["--crf", "--two-pass"]),
        (&["--two-pass"], &["add --bitrate or --target-size"]),
        (&["--target-size", "big"], &["700M"]),
        (&["--film-grain", "51"], &["0..=50"]),
        (&["-c", "ffv1", "--target-size", "1M"], &["ffv1 is lossless"]),
        (&["-c", "libsvtav1", "--two-pass", "--bitrate", "1M"], &["libsvtav1 has no two passes"]),
        (&["-c", "libx265", "--film-grain", "8"], &["libx265 makes no film grain", "--tune grain", "libsvtav1"]),
        (&["-c", "mpeg4", "--film-grain", "8"], &["mpeg4 makes no film grain"]),
    ];
    for (args, words) in table {
        let ran = run(&[&[&*source, &target], args].concat());
        refused(&ran, ran.code.filter(|code| [2, 3].contains(code)).unwrap_or(2), words);
    }
    let ran = run_fed(&["-", &target, "-c", "libx264", "--two-pass", "--bitrate", "1M"], &fs::read(&source).unwrap());
    refused(&ran, 2, &["--two-pass reads its input twice, and standard input is gone after once"]);
    assert_eq!(folder.names(), ["film.mkv"]);
    let ran = run(&[&*source, &target, "-c", "libx264", "--qp", "31"]).ok();
    assert!(ran.stderr.contains("qp 31"), "{}", ran.stderr);
}

#[test]
fn film_grain_is_in_the_stream() {
    let folder = Folder::new();
    let source = folder.path("film.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=192x144:r=25:d=0.4,noise=alls=20:allf=t -c:v ffv1 {source}"));
    let encoders: [(&str, &str, &[&str]); 2] =
        [("a.mkv", "libsvtav1", &["--preset", "10"]), ("b.mkv", "libaom-av1", &["-x", "cpu-used=8"])];
    for (name, encoder, options) in encoders {
        let grains = |amount: &str| {
            let target = folder.path(name);
            run(&[&[&*source, &target, "-y", "-c", encoder, "--film-grain", amount], options].concat()).ok();
            let frames = probe(&format!("-export_side_data film_grain -show_frames -of json {target}"));
            frames.matches("Film grain parameters").count()
        };
        assert_eq!((grains("0"), grains("30")), (0, 10), "{encoder}");
    }
}

#[test]
fn encoders_of_missing_hardware_say_why_and_what_else() {
    let folder = Folder::new();
    let (source, target) = (folder.path("film.mkv"), folder.path("a.mkv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=192x144:r=25:d=0.2 -c:v ffv1 {source}"));
    let listed = vramp::io::libav::video_encoders();
    for (encoder, device) in
        [("hevc_vaapi", "vaapi device"), ("h264_qsv", "MFX session"), ("av1_nvenc", ""), ("hevc_amf", "")]
    {
        let ran = run(&[&*source, &target, "-c", encoder]);
        let words = match listed.contains(&encoder) {
            true if std::path::Path::new("/dev/dri").exists() || encoder.ends_with("nvenc") => continue,
            true => [encoder, device, "encode without a GPU"],
            false => [encoder, "is built without", "encodes without it"],
        };
        refused(&ran, 3, &words);
    }
    assert_eq!(folder.names(), ["film.mkv"]);
}

#[test]
fn pq_gets_the_setting_of_x265_that_suits_it() {
    let folder = Folder::new();
    let (source, target) = (folder.path("film.mkv"), folder.path("a.mp4"));
    for (transfer, wanted) in [("smpte2084", true), ("arib-std-b67", false)] {
        ffmpeg(&format!(
            "-f lavfi -i testsrc2=s=192x144:r=25:d=0.4 -vf \
             setparams=color_primaries=bt2020:color_trc={transfer}:colorspace=bt2020nc,format=yuv420p10 -c:v libx265 \
             -preset ultrafast -x265-params log-level=none:max-cll=1000,400:\
             master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50) {source}"
        ));
        let keyed = "x265-params=keyint=5:min-keyint=5";
        run(&[&*source, &target, "-y", "-c", "libx265", "--preset", "ultrafast", "-x", keyed]).ok();
        // The encoder writes down its settings.
        let bytes = fs::read(&target).unwrap();
        let settings = String::from_utf8_lossy(&bytes);
        let has = |setting: &str| settings.split_whitespace().any(|word| word == setting);
        assert_eq!((has("hdr10-opt"), has("no-hdr10-opt")), (wanted, !wanted), "{transfer}");
        // The metadata is in the stream, at each of its two key frames.
        let traced = Command::new("ffmpeg")
            .args(["-nostdin", "-i", &target, "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"])
            .output();
        let traced = String::from_utf8_lossy(&traced.unwrap().stderr).into_owned();
        for word in ["Mastering Display Colour Volume", "Content Light Level"] {
            assert!(traced.matches(word).count() >= 2, "{transfer}: {word}");
        }
    }
}
