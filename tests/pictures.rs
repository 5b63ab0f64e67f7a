//! Stills and numbered sequences, in and out, compared with ffmpeg's.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run, run_fed};
use std::fs;
use std::process::Command;

const BAD_ARGUMENT: i32 = 2;
const CORRUPT: i32 = 4;
const IO: i32 = 7;

/// `count` pictures of moving colours in `folder`, from number `first` on.
fn sequence(folder: &Folder, name: &str, first: u32, count: u32, format: &str) -> String {
    let pattern = folder.path(name);
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v {count} -pix_fmt {format} -start_number {first} {pattern}"
    ));
    pattern
}

/// ffmpeg's hash of every frame of `input`, in packed RGB of 16 bits.
fn theirs(input: &str) -> Vec<String> {
    let args = ["-v", "error", "-i", input, "-pix_fmt", "rgb48le", "-f", "framemd5", "-"];
    let output = Command::new("ffmpeg").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit(',').next().unwrap().trim().to_owned()).collect()
}

/// What ffprobe says of the first video stream of `input`.
fn probed(input: &str, entries: &str) -> String {
    let args = ["-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0", input];
    String::from_utf8(Command::new("ffprobe").args(args).output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn rgb_goes_through_without_a_change() {
    for (format, extension) in
        [("rgb24", "png"), ("rgb48be", "png"), ("rgb24", "tif"), ("rgb48le", "tiff"), ("gray", "png")]
    {
        let folder = Folder::new();
        let source = sequence(&folder, &format!("s_%02d.{extension}"), 0, 4, format);
        let result = folder.path(&format!("o_%03d.{extension}"));
        run(&[&source, &result]).ok();
        assert_eq!(theirs(&result), theirs(&source), "{format} in {extension}");
        assert_eq!(theirs(&result).len(), 4);
        let names: Vec<_> = folder.names().into_iter().filter(|name| name.starts_with('o')).collect();
        assert_eq!(names, [1, 2, 3, 4].map(|n| format!("o_{n:03}.{extension}")), "numbers from 1, nothing else");
        let first = folder.path(&format!("o_001.{extension}"));
        assert_eq!(probed(&first, "stream=pix_fmt"), format);
    }
}

#[test]
fn pictures_have_the_rate_that_is_given() {
    let folder = Folder::new();
    let (source, result) = (sequence(&folder, "%d.png", 8, 3, "rgb24"), folder.path("o.mkv"));
    for (args, rate) in [(&["--fps", "23.976"][..], "24000/1001"), (&["-framerate", "12"], "12/1"), (&[], "25/1")] {
        run(&[&["-y", &source, &result, "-c", "ffv1"], args].concat()).ok();
        assert_eq!(probed(&result, "stream=r_frame_rate"), rate);
        assert_eq!(theirs(&result), theirs_from(&source, 8));
    }
    let film = run(&[result.as_str(), "-f", "null", "--fps", "24"]);
    refused(&film, BAD_ARGUMENT, &["times of their own", "--fps"]);
}

/// As [`theirs`], for a sequence that begins with number `first`.
fn theirs_from(pattern: &str, first: u32) -> Vec<String> {
    let args = ["-v", "error", "-start_number", &first.to_string(), "-i", pattern, "-pix_fmt", "rgb48le"];
    let output = Command::new("ffmpeg").args(args).args(["-f", "framemd5", "-"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit(',').next().unwrap().trim().to_owned()).collect()
}

#[test]
fn folders_and_globs_count_as_people_do() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "%d.png", 8, 5, "rgb24");
    let by_number = hashes(&pattern, &[]);
    assert_eq!(by_number.len(), 5);
    assert_eq!(hashes(&folder.path(""), &[]), by_number, "8, 9, 10, 11, 12");
    assert_eq!(hashes(&folder.path("*.png"), &[]), by_number);
    assert_eq!(hashes(&folder.path("1?.png"), &[]).len(), 3);
    fs::write(folder.path("9.jpg"), "").unwrap();
    refused(&run(&[&folder.path(""), "-f", "null"]), BAD_ARGUMENT, &["several kinds (jpg, png)", "*.jpg"]);
    refused(&run(&[&folder.path("*.tif"), "-f", "null"]), IO, &["*.tif", "no picture has such a name"]);
}

#[test]
fn missing_numbers_are_named_held_or_skipped() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "s%02d.png", 1, 6, "rgb24");
    let all: Vec<_> = theirs(&pattern);
    for number in ["3", "4"] {
        fs::remove_file(folder.path(&format!("s0{number}.png"))).unwrap();
    }
    refused(&run(&[&pattern, "-f", "null"]), BAD_ARGUMENT, &["s%02d.png", "(2: 3-4)", "--missing hold"]);
    let far = folder.path("s99999999999999.png");
    fs::copy(folder.path("s01.png"), &far).unwrap();
    refused(&run(&[&pattern, "-f", "null", "--missing", "hold"]), BAD_ARGUMENT, &["numbers are missing"]);
    fs::remove_file(far).unwrap();
    let result = folder.path("o.mkv");
    for (what, places) in [("hold", &[0, 1, 1, 1, 4, 5][..]), ("skip", &[0, 1, 4, 5])] {
        run(&["-y", &pattern, &result, "-c", "ffv1", "--missing", what]).ok();
        assert_eq!(theirs(&result), places.iter().map(|at| all[*at].clone()).collect::<Vec<_>>(), "{what}");
    }
}

#[test]
fn what_is_no_part_of_the_sequence_is_named_and_nothing_is_left() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "s%02d.png", 1, 6, "rgb24");
    let third = folder.path("s03.png");
    let whole = fs::read(&third).unwrap();
    let spoil: [(&str, i32, &dyn Fn()); 4] = [
        ("another size", 3, &|| ffmpeg(&format!("-f lavfi -i color=size=32x32 -frames:v 1 {third}"))),
        ("no picture", CORRUPT, &|| fs::write(&third, "no picture").unwrap()),
        ("cut off", CORRUPT, &|| fs::write(&third, &whole[..whole.len() / 2]).unwrap()),
        ("empty", CORRUPT, &|| fs::write(&third, "").unwrap()),
    ];
    for (what, code, spoil) in spoil {
        spoil();
        let before = folder.names();
        let ran = run(&[&pattern, &folder.path("o%02d.png")]);
        assert!(ran.stderr.contains("s03.png"), "{what}: {}", ran.stderr);
        refused(&ran, code, &["s03.png"]);
        assert_eq!(folder.names(), before, "{what}");
        // A part that begins behind it opens neither it nor what is before.
        run(&[&pattern, &folder.path("part%d.png"), "-y", "--start", "#4"]).ok();
        assert_eq!(theirs(&folder.path("part%d.png")).len(), 2);
    }
}

#[test]
fn a_part_has_the_frames_of_the_whole() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "s%02d.png", 1, 12, "rgb24");
    let chain = ["--chain", "tmedian,deband"];
    let whole = hashes(&pattern, &chain);
    let hash = |line: &String| line.rsplit(',').next().unwrap().to_owned();
    for (part, range) in [
        (&["--start", "#5", "--frames", "3"][..], 5..8),
        (&["--start", "0.4"], 10..12),
        (&["--start", "#1", "--end", "#2"], 1..2),
    ] {
        let hashes: Vec<_> = hashes(&pattern, &[&chain[..], part].concat()).iter().map(hash).collect();
        assert_eq!(hashes, whole[range].iter().map(hash).collect::<Vec<_>>(), "{part:?}");
    }
    refused(&run(&[&pattern, "-f", "null", "--start", "#12"]), BAD_ARGUMENT, &["no frame lies"]);
}

#[test]
fn a_still_is_one_frame() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "s%02d.png", 1, 3, "rgb24");
    let still = folder.path("still.png");
    let names = folder.names();
    refused(&run(&[&pattern, &still]), BAD_ARGUMENT, &["there are 3 frames", "still_%05d.png", "--frames 1"]);
    // Where the number is not stated, the second frame shows it.
    let stream = folder.path("s.y4m");
    ffmpeg(&format!("-i {pattern} -pix_fmt yuv444p {stream}"));
    let ran = run_fed(&["-", &still], &fs::read(&stream).unwrap());
    refused(&ran, BAD_ARGUMENT, &["one picture", "--frames 1"]);
    fs::remove_file(&stream).unwrap();
    assert_eq!(folder.names(), names);

    run(&[&pattern, &still, "--start", "#1", "--frames", "1"]).ok();
    assert_eq!(theirs(&still), theirs(&folder.path("s02.png")));
    refused(&run(&[&still, &still, "-y"]), BAD_ARGUMENT, &["input"]);
    let piped = run(&[&still, "-", "-f", "image2pipe", "-c", "png"]).ok().stdout;
    let back = run_fed(&["-", "-", "-f", "framemd5"], &piped).ok();
    assert_eq!(back.text().lines().last(), run(&[&still, "-", "-f", "framemd5"]).ok().text().lines().last());
}

#[test]
fn sequences_replace_nothing_unasked() {
    let folder = Folder::new();
    let pattern = sequence(&folder, "s%02d.png", 1, 3, "rgb24");
    let result = folder.path("o%02d.png");
    // What a killed run left.
    let left = folder.path(".o%02d.png.vramp-1-0.part");
    fs::create_dir(&left).unwrap();
    fs::write(format!("{left}/o01.png"), "half").unwrap();
    run(&[&pattern, &result]).ok();
    assert!(!fs::exists(&left).unwrap());
    refused(&run(&[&pattern, &result]), BAD_ARGUMENT, &["o01.png exists", "-y", "--start-number"]);
    run(&[&pattern, &result, "--start-number", "4"]).ok();
    assert_eq!(theirs(&result), [theirs(&pattern), theirs(&pattern)].concat());
    let ran = run(&[&pattern, &result, "-y", "--frames", "2"]).ok();
    assert!(ran.stderr.contains("o03.png: 4 more of an earlier run follow"), "{}", ran.stderr);
    refused(&run(&[&pattern, &pattern, "-y"]), BAD_ARGUMENT, &["s01.png is the input"]);
    refused(&run(&[&pattern, &folder.path("no/o%d.png")]), IO, &["no", "No such file"]);
    refused(&run(&[&pattern, &folder.path("o%d.png"), "-c", "tiff"]), 3, &["png", "tiff"]);
}

#[test]
fn rgb_becomes_jpeg_by_its_own_matrix_in_the_quality_asked_for() {
    let folder = Folder::new();
    // So high that video would be BT.709; readers of JPEG do not ask.
    let source = folder.path("red.png");
    ffmpeg(&format!("-f lavfi -i color=0xd02010:size=64x1024 -frames:v 1 -pix_fmt rgb24 {source}"));
    let jpeg = folder.path("red.jpg");
    run(&[&source, &jpeg, "--crf", "2"]).ok();
    let args = ["-v", "error", "-i", &jpeg, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
    let samples = Command::new("ffmpeg").args(args).output().unwrap().stdout;
    for (sample, expected) in samples[..3].iter().zip([0xd0_u8, 0x20, 0x10]) {
        assert!(sample.abs_diff(expected) <= 3, "{:?}", &samples[..3]);
    }
    let size = |quality: &str| {
        let name = folder.path("q.jpg");
        let pattern = folder.path("q%d.png");
        ffmpeg(&format!("-f lavfi -i testsrc2=size=320x240 -frames:v 1 {pattern}"));
        run(&[&folder.path("q1.png"), &name, "-y", "--crf", quality]).ok();
        fs::metadata(name).unwrap().len()
    };
    assert!(size("2") > size("20") * 3 / 2, "{} and {}", size("2"), size("20"));
    refused(&run(&[&source, &jpeg, "-y", "--crf", "40"]), BAD_ARGUMENT, &["mjpeg", "from 1 to 31"]);
    let exr = folder.path("a.exr");
    ffmpeg(&format!("-i {source} -frames:v 1 {exr}"));
    refused(&run(&[&exr, "-f", "null"]), 3, &["a.exr", "floats"]);
}

#[test]
fn lists_join_files_without_a_gap() {
    let folder = Folder::new();
    for (name, source) in [("a 1.mkv", "testsrc2"), ("b.mkv", "testsrc"), ("wide.mkv", "testsrc")] {
        let size = if name == "wide.mkv" { "96x48" } else { "64x48" };
        let plain = folder.path("made.mkv");
        ffmpeg(&format!(
            "-f lavfi -i {source}=size={size}:rate=25 -f lavfi -i sine=frequency=440 -t 1 -pix_fmt yuv420p -c:v libx264 \
             -preset ultrafast -c:a pcm_s16le {plain}"
        ));
        fs::rename(plain, folder.path(name)).unwrap();
    }
    let (list, result) = (folder.path("list.txt"), folder.path("o.mkv"));
    fs::write(&list, "# joined\nfile 'a 1.mkv'\nfile b.mkv\n").unwrap();
    let hash = |line: &String| line.rsplit(',').next().unwrap().to_owned();
    let parts: Vec<_> = ["a 1.mkv", "b.mkv"].iter().flat_map(|name| hashes(&folder.path(name), &[])).collect();
    let joined = hashes(&list, &[]);
    assert_eq!(joined.iter().map(hash).collect::<Vec<_>>(), parts.iter().map(hash).collect::<Vec<_>>());
    assert_eq!(joined.len(), 50);
    // From the middle of the second file on.
    let tail = hashes(&list, &["--start", "#30"]);
    assert_eq!(tail.iter().map(hash).collect::<Vec<_>>(), parts[30..].iter().map(hash).collect::<Vec<_>>());

    run(&["-f", "concat", "-safe", "0", "-i", &list, &result, "-c", "ffv1"]).ok();
    let args = ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", &result];
    let times = String::from_utf8(Command::new("ffprobe").args(args).output().unwrap().stdout).unwrap();
    let times: Vec<f64> = times.lines().map(|line| line.trim_end_matches(',').parse().unwrap()).collect();
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - 0.04).abs() < 0.0015), "{times:?}");
    let args = ["-v", "error", "-i", &result, "-map", "0:a", "-f", "s16le", "-"];
    let sound = Command::new("ffmpeg").args(args).output().unwrap().stdout;
    assert_eq!(sound.len(), 2 * 44_100 * 2, "two seconds of sound");

    fs::write(folder.path("marks"), ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\n").unwrap();
    ffmpeg(&format!(
        "-i {} -i {} -map 0 -map_chapters 1 -c copy {}",
        folder.path("b.mkv"),
        folder.path("marks"),
        folder.path("c.mkv")
    ));
    fs::write(&list, "file b.mkv\nfile c.mkv\n").unwrap();
    let said = run(&[&list, "-f", "null"]).ok().stderr;
    assert_eq!(said.matches("the chapters of its files are left out").count(), 1, "{said}");
    fs::write(&list, "file b.mkv\nfile wide.mkv\n").unwrap();
    refused(&run(&[&list, "-f", "null"]), 3, &["wide.mkv cannot follow", "96x48"]);
    fs::write(&list, "file list.txt\n").unwrap();
    refused(&run(&[&list, "-f", "null"]), BAD_ARGUMENT, &["line 1", "is a list itself"]);
    fs::write(&list, "file b.mkv\nfile gone.mkv\n").unwrap();
    refused(&run(&[&list, "-f", "null"]), BAD_ARGUMENT, &["list.txt", "line 2", "gone.mkv"]);
}

#[test]
fn film_becomes_rgb_with_enough_bits_and_jpeg_full_range() {
    let folder = Folder::new();
    for (source, expected) in [("yuv420p", "rgb24"), ("yuv420p10le", "rgb48be")] {
        let film = folder.path(&format!("{source}.mkv"));
        ffmpeg(&format!("-f lavfi -i testsrc2=size=64x48 -frames:v 2 -pix_fmt {source} -c:v ffv1 {film}"));
        run(&[&film, &folder.path("p%d.png"), "-y"]).ok();
        assert_eq!(probed(&folder.path("p2.png"), "stream=pix_fmt"), expected, "{source}");
        run(&[&film, &folder.path("j%d.jpg"), "-y"]).ok();
        assert_eq!(probed(&folder.path("j2.jpg"), "stream=pix_fmt,color_range"), "yuvj420p,pc", "{source}");
    }
    let (white, jpeg) = (folder.path("white.mkv"), folder.path("white.jpg"));
    ffmpeg(&format!("-f lavfi -i color=white:size=64x48 -frames:v 1 -pix_fmt yuv420p -c:v ffv1 {white}"));
    run(&[&white, &jpeg]).ok();
    let args = ["-v", "error", "-i", &jpeg, "-pix_fmt", "gray", "-f", "rawvideo", "-"];
    let samples = Command::new("ffmpeg").args(args).output().unwrap().stdout;
    assert!(samples.iter().all(|sample| *sample >= 253), "white stays white");
}

#[test]
fn options_of_other_sources_and_outputs_are_not_ignored_in_silence() {
    let folder = Folder::new();
    let (film, shots, null) = (folder.path("film.mkv"), folder.path("a_%02d.png"), ["-f", "null"]);
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=24:d=0.2 -c:v ffv1 -pix_fmt gbrp {film}"));
    refused(&run(&[&[&*film, "--missing", "hold"], &null[..]].concat()), BAD_ARGUMENT, &["film.mkv", "--missing"]);
    for option in [["--vpy-output", "1"], ["--vpy-arg", "a=b"]] {
        refused(&run(&[&[&*film], &null[..], &option].concat()), BAD_ARGUMENT, &["film.mkv", option[0]]);
    }
    // Nor where several inputs are read, and none is of their kind.
    for (option, words) in [
        (["--missing", "hold"], "no input is a numbered sequence"),
        (["--vpy-output", "1"], "no input is a VapourSynth script"),
    ] {
        refused(&run(&[&["compare", &film, &film], &option[..]].concat()), BAD_ARGUMENT, &[words, option[0]]);
        let beside = ["--chain", "merge=with=b", "--input"];
        let ran = run(&[&[&*film], &null[..], &beside, &[&format!("b={film}")], &option].concat());
        refused(&ran, BAD_ARGUMENT, &[words, option[0]]);
    }
    run(&[&film, &shots, "--start-number", "4"]).ok();
    run(&[
        &film,
        "-f",
        "null",
        "--chain",
        "merge=with=b:weight=0.5",
        "--input",
        &format!("b={shots}"),
        "--missing",
        "hold",
    ])
    .ok();
    let silent =
        run(&[&film, &folder.path("y.mkv"), "--audio", "none", "--loudness", "--audio-delay", "20ms"]).ok().stderr;
    assert!(silent.contains("--audio none leaves no sound: --loudness, --audio-delay ignored"), "{silent}");
    let (other, hashes) = (folder.path("x.mkv"), folder.path("x.md5"));
    for output in [&[&*other][..], &[&*hashes, "-f", "framemd5"]] {
        let said = run(&[&[&*film], output, &["--start-number", "4"]].concat()).ok().stderr;
        assert_eq!(said.matches("--start-number ignored").count(), 1, "{said}");
    }
}

#[test]
fn sequences_are_compared_at_a_rate() {
    let folder = Folder::new();
    let film = folder.path("film.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=24:d=0.5 -c:v ffv1 -pix_fmt gbrp {film}"));
    ffmpeg(&format!("-i {film} {}", folder.path("a_%02d.png")));
    let shots = folder.path("a_%02d.png");
    let compare = |a: &str, b: &str, args: &[&str]| {
        run(&[&["compare", a, b, "--tolerance", "max=0", "--tags", "ignore"], args].concat())
    };
    // The film keeps its own times; at another rate the frames do not meet.
    compare(&film, &shots, &["--fps", "24"]).ok();
    assert_eq!(compare(&film, &shots, &["--fps", "12"]).code, Some(1));
    fs::remove_file(folder.path("a_04.png")).unwrap();
    refused(&compare(&film, &shots, &["--fps", "24"]), 2, &["numbers are missing (1: 4)"]);
    let held = compare(&film, &shots, &["--fps", "24", "--missing", "hold"]);
    assert!(held.code == Some(1) && held.text().contains("12 pairs"), "{}{}", held.text(), held.stderr);
    refused(&compare(&film, &film, &["--fps", "24"]), 2, &["--fps is for pictures"]);
}
