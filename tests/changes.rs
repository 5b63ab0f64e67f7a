//! Videos that change in mid-stream: transport streams, one behind the other.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run};
use std::fs;

/// Ten frames at `start` seconds, of a test pattern in `format` and `size`, in the range that x264 calls `range`.
fn part(folder: &Folder, name: &str, (size, format, range): (&str, &str, &str), start: &str) -> Vec<u8> {
    let path = folder.path(name);
    let (scaled, flag) = if range == "pc" { ("-vf scale=out_range=pc", 1) } else { ("", 0) };
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s={size}:r=25:d=0.4 {scaled} -pix_fmt {format} -color_range {range} -c:v libx264 -qp 0 -bf 0 \
         -preset ultrafast -bsf:v h264_metadata=video_full_range_flag={flag} -output_ts_offset {start} -muxpreload 0 \
         -muxdelay 0 {path}"
    ));
    fs::read(path).unwrap()
}

const FIRST: (&str, &str, &str) = ("64x48", "yuv420p", "tv");

/// A recording that begins as [`FIRST`] and goes on as `later`.
fn recording(folder: &Folder, later: (&str, &str, &str)) -> String {
    let path = folder.path("recording.ts");
    fs::write(&path, [part(folder, "a.ts", FIRST, "0"), part(folder, "b.ts", later, "0.4")].concat()).unwrap();
    path
}

/// How near `file` is to `other`, plane by plane, in dB.
#[track_caller]
fn near(file: &str, other: &str) -> Vec<f64> {
    let ran = run(&["compare", file, other, "--json", "--tags", "ignore"]).ok();
    let summary: serde_json::Value = serde_json::from_str(ran.text().lines().last().unwrap()).unwrap();
    assert_eq!(summary["pairs"], 20);
    let planes = summary["planes"].as_array().unwrap().iter();
    planes.map(|plane| plane["psnr"].as_f64().unwrap_or(f64::INFINITY)).collect()
}

#[test]
fn another_format_or_range_becomes_the_first_one() {
    let folder = Folder::new();
    let (plain, target) = (folder.path("plain.mkv"), folder.path("out.mkv"));
    run(&[&recording(&folder, FIRST), &plain, "-c", "ffv1", "--depth", "8"]).ok();
    // With what rounding may cost, and chroma of sharp edges that ffmpeg puts half a sample to the side.
    for (later, least) in [
        (("64x48", "yuv420p10le", "tv"), [50.0, 50.0]),
        (("64x48", "yuv420p", "pc"), [50.0, 50.0]),
        (("64x48", "yuv422p", "tv"), [50.0, 28.0]),
        (("64x48", "yuv444p", "tv"), [50.0, 28.0]),
    ] {
        let source = recording(&folder, later);
        let ran = run(&[&source, &target, "-y", "-c", "ffv1", "--depth", "8"]).ok();
        let said = "the video changes at frame 10 (pts 36000) from 64x48 yuv420p, limited range to ";
        assert_eq!(ran.stderr.matches(said).count(), 1, "{}", ran.stderr);
        let [luma, blue, red] = near(&plain, &target)[..] else { panic!("three planes") };
        assert!(luma >= least[0] && blue.min(red) >= least[1], "{later:?}: {luma} {blue} {red}");
        // A part has what the whole has there.
        let whole = hashes(&source, &[]);
        assert_eq!(hashes(&source, &["--start", "#12", "--frames", "4"])[..], whole[12..16]);
    }
}

#[test]
fn what_must_not_change_is_refused() {
    let folder = Folder::new();
    let source = recording(&folder, ("64x48", "yuv444p", "tv"));
    let said = ["the video changes at frame 10", "to 64x48 yuv444p, limited range", "split the file there"];
    refused(&run(&[&source, "-f", "null", "--strict"]), 3, &said);
    refused(&run(&["hash", &source]), 3, &said);
    refused(&run(&["compare", &source, &source]), 3, &said);
}

#[test]
fn another_size_is_scaled_to_the_first_one() {
    let folder = Folder::new();
    let (plain, target) = (folder.path("plain.mkv"), folder.path("out.mkv"));
    run(&[&recording(&folder, FIRST), &plain, "-c", "ffv1", "--depth", "8"]).ok();
    let source = recording(&folder, ("128x96", "yuv420p10le", "tv"));
    run(&[&source, &target, "-c", "ffv1", "--depth", "8"]).ok();
    // Frames before the change are the same; those behind it are the same film in half of its size.
    assert_eq!(hashes(&target, &[])[..10], hashes(&plain, &[])[..10]);
    // The filter does the same to a recording that is of that size alone.
    let later = folder.path("b.ts");
    let scaled = hashes(&later, &["--chain", "scale=w=64:h=48", "--depth", "8"]);
    let pixels = |line: &String| line.rsplit(' ').next().unwrap().to_owned();
    let got: Vec<_> = hashes(&target, &[])[10..].iter().map(pixels).collect();
    assert_eq!(got, scaled.iter().map(pixels).collect::<Vec<_>>());
}

#[test]
fn another_shape_gets_borders() {
    let folder = Folder::new();
    let target = folder.path("out.mkv");
    // Twice as wide for its height: it is shown over the whole width, in the rows of the middle.
    let source = recording(&folder, ("128x48", "yuv420p", "tv"));
    run(&[&source, &target, "-c", "ffv1"]).ok();
    let ran = run(&[&target, "-", "-f", "rawvideo", "--start", "#10", "--frames", "1"]).ok();
    let black = |row: usize| ran.stdout[64 * row..64 * (row + 1)].iter().all(|sample| *sample == 16);
    let borders: Vec<_> = (0..48).filter(|row| black(*row)).collect();
    assert_eq!(borders, (0..12).chain(36..48).collect::<Vec<_>>());
}

#[test]
fn another_matrix_becomes_the_first_one() {
    let folder = Folder::new();
    // A red of BT.601 and a red of BT.709.
    let red = |name: &str, size: &str, matrix: &str, start: &str| {
        let path = folder.path(name);
        ffmpeg(&format!(
            "-f lavfi -i color=red:s={size}:r=25:d=0.4 -vf scale=out_color_matrix={matrix} -pix_fmt yuv420p -colorspace {matrix} \
             -c:v libx264 -qp 0 -bf 0 -preset ultrafast -output_ts_offset {start} -muxpreload 0 -muxdelay 0 {path}"
        ));
        fs::read(path).unwrap()
    };
    let (source, target) = (folder.path("a.ts"), folder.path("out.mkv"));
    fs::write(&source, [red("sd.ts", "128x96", "smpte170m", "0"), red("hd.ts", "64x48", "bt709", "0.4")].concat())
        .unwrap();
    run(&[&source, &target, "-c", "ffv1"]).ok();
    let ran = run(&[&target, "-", "-f", "rawvideo"]).ok();
    let frame = 128 * 96 * 3 / 2;
    let first =
        |number: usize| [0, 128 * 96, 128 * 96 * 5 / 4].map(|plane| i32::from(ran.stdout[number * frame + plane]));
    let apart = first(0).iter().zip(first(15)).map(|(sd, hd)| (sd - hd).abs()).max();
    assert!(apart <= Some(1), "{:?} and {:?}", first(0), first(15));
}

#[test]
fn a_clock_that_starts_again_is_said_once() {
    let folder = Folder::new();
    let film = part(&folder, "a.ts", FIRST, "5");
    let (path, target) = (folder.path("joined.ts"), folder.path("out.mkv"));
    fs::write(&path, [&film[..], &film, &film].concat()).unwrap();
    let said = run(&[&path, &target, "-c", "ffv1"]).ok().stderr;
    assert_eq!(said.matches("the source's clock jumps by -0.400 s near frame").count(), 1, "{said}");
    assert!(!said.contains("transport stream jumps") && !said.contains("time is moved"), "{said}");
    let hashes = hashes(&path, &[]);
    assert_eq!(hashes.len(), 30);
    let time = |line: &String| line.split(',').nth(2).unwrap().trim().parse::<i64>().unwrap();
    let times: Vec<i64> = hashes.iter().map(time).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 3600), "{times:?}");
}
