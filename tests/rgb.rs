//! RGB from file to file, compared with the ffmpeg program, and with grey clips of the same samples.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run};
use std::process::Command;

/// A moving RGB clip of three frames in `pixel_format`.
fn clip(folder: &Folder, name: &str, pixel_format: &str) -> String {
    let path = folder.path(name);
    let source = "-f lavfi -i mandelbrot=s=66x50:r=25,format=rgb48le";
    ffmpeg(&format!("{source} -frames:v 3 -pix_fmt {pixel_format} -c:v rawvideo {path}"));
    path
}

/// The hashes that the ffmpeg program gives for `input` with `args`.
fn theirs(input: &str, args: &str) -> Vec<String> {
    let words = ["-v", "error", "-i", input, "-fps_mode", "passthrough", "-f", "framemd5"];
    let output = Command::new("ffmpeg").args(words).args(args.split_whitespace()).arg("-").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    last_columns(String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.starts_with('#')))
}

/// Size and hash of each line.
fn last_columns<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    lines.map(|line| line.rsplit(',').take(2).map(str::trim).collect::<Vec<_>>().join(" ")).collect()
}

fn ours(input: &str, args: &[&str]) -> Vec<String> {
    last_columns(hashes(input, args).iter().map(String::as_str))
}

/// What the ffprobe program calls the pixel format of a file's video.
fn pixel_format(path: &str) -> String {
    let args = ["-v", "error", "-select_streams", "v:0", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", path];
    String::from_utf8(Command::new("ffprobe").args(args).output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn an_empty_chain_gives_ffmpegs_hashes() {
    let folder = Folder::new();
    for format in ["gbrp", "gbrp9le", "gbrp10le", "gbrp12le", "gbrp14le", "gbrp16le"] {
        let clip = clip(&folder, "planar.nut", format);
        assert_eq!(ours(&clip, &[]), theirs(&clip, &format!("-pix_fmt {format}")), "{format}");
    }
    for (format, planar) in [("rgb24", "gbrp"), ("bgra", "gbrp"), ("rgb48le", "gbrp16le")] {
        let clip = clip(&folder, "packed.nut", format);
        assert_eq!(ours(&clip, &[]), theirs(&clip, &format!("-pix_fmt {planar}")), "{format}");
    }
}

#[test]
fn each_component_is_filtered_as_grey_of_full_range() {
    let folder = Folder::new();
    let clip = clip(&folder, "clip.nut", "gbrp");
    for chain in ["deband=range=9:threshold=20:sample=2:dither=0", "gauss=2", "box=3:planes=rgb", "range=limited"] {
        let filtered = folder.path("filtered.mkv");
        run(&[&clip, &filtered, "-y", "-c", "ffv1", "--depth", "10", "--chain", chain]).ok();
        assert_eq!(pixel_format(&filtered), "gbrp10le");
        for plane in ["r", "g", "b"] {
            let grey = folder.path("grey.mkv");
            ffmpeg(&format!("-i {clip} -vf extractplanes={plane} -color_range pc -c:v ffv1 {grey}"));
            // `planes` calls grey y.
            let expected = ours(&grey, &["--depth", "10", "--chain", &chain.replace("rgb", "y")]);
            assert_eq!(theirs(&filtered, &format!("-vf extractplanes={plane}")), expected, "{chain}: {plane}");
        }
    }
}

/// The noise of R is luma's, and that of G and B is Cb's and Cr's.
#[test]
fn debanding_draws_for_rgb_as_for_ycbcr() {
    let folder = Folder::new();
    let rgb = clip(&folder, "rgb.nut", "gbrp10le");
    let (yuv, moved) = (folder.path("yuv.mkv"), folder.path("moved.mkv"));
    // The same samples under other names: R as Y, G as Cb, B as Cr.
    let names = "extractplanes=r+g+b[r][g][b];[r][g][b]mergeplanes=0x001020:yuv444p10le";
    ffmpeg(&format!("-i {rgb} -filter_complex {names} -color_range pc -c:v ffv1 {yuv}"));
    let args = ["-y", "-c", "ffv1", "--chain", "deband=range=20:threshold=18:rand_each_frame=on"];
    run(&[&[rgb.as_str(), &moved], &args[..]].concat()).ok();
    assert_eq!(theirs(&moved, &format!("-filter_complex {names}")), ours(&yuv, &args[3..]));
}

#[test]
fn rgb_stays_where_nothing_is_lost_or_it_is_asked_for() {
    let folder = Folder::new();
    let rgb = clip(&folder, "rgb.nut", "gbrp");
    let packed = clip(&folder, "packed.nut", "bgr24");
    let out = folder.path("out.mkv");
    for (input, args, expected) in [
        // FFV1 takes 8 bits packed only, Ut Video planar only.
        (&rgb, &["-c", "ffv1"][..], "bgr0"),
        (&packed, &["-c", "ffv1", "--chain", "deband"], "bgr0"),
        (&packed, &["-c", "utvideo"], "gbrp"),
        (&packed, &["-c", "libx264rgb", "--preset", "ultrafast", "-pix_fmt", "rgb24"], "gbrp"),
        (&rgb, &["-c", "ffv1", "--depth", "12"], "gbrp12le"),
        (&rgb, &["-c", "ffv1", "--format", "yuv444p10"], "yuv444p10le"),
        (&rgb, &["-c", "libx265", "--preset", "ultrafast"], "yuv444p10le"),
        (&rgb, &["-c", "libx265", "--preset", "ultrafast", "--format", "gbrp10", "--chain", "deband"], "gbrp10le"),
        (&packed, &["-c", "libx264", "--preset", "ultrafast", "--chain", "deband"], "yuv444p10le"),
    ] {
        run(&[&[input.as_str(), &out, "-y"], args].concat()).ok();
        assert_eq!(pixel_format(&out), expected, "{args:?}");
    }
    // Packed or planar, the samples are the same.
    run(&[&rgb, &out, "-y", "-c", "ffv1", "--chain", "deband"]).ok();
    assert_eq!(theirs(&out, "-pix_fmt gbrp"), ours(&packed, &["--chain", "deband"]));
    // Both are the same conversion before the chain.
    let asked = ours(&rgb, &["--format", "yuv444p10", "--chain", "deband"]);
    run(&[&rgb, &out, "-y", "-c", "ffv1", "--format", "yuv444p10", "--chain", "deband"]).ok();
    assert_eq!(theirs(&out, ""), asked);
}

#[test]
fn planes_of_rgb_are_named_where_the_encoder_makes_ycbcr_of_it() {
    let folder = Folder::new();
    let (rgb, out) = (clip(&folder, "rgb.nut", "gbrp"), folder.path("o.mkv"));
    let chain =
        |encoder: &str| run(&[&rgb, &out, "-y", "-c", encoder, "--preset", "ultrafast", "--chain", "box=planes=r"]);
    let said = "box: planes=r is no plane of yuv444p10, which has y, u, v: the source is gbrp and is filtered as yuv444p10 \
                for this output";
    refused(&chain("libx264"), 3, &[said, "; to filter RGB name an encoder that takes it, as ffv1 or libx264rgb"]);
    refused(&chain("libx265"), 3, &[said, "; add --format gbrp to filter RGB"]);
    chain("libx264rgb").ok();
}

#[test]
fn ycbcr_becomes_rgb_when_asked() {
    let folder = Folder::new();
    let red = folder.path("red.mkv");
    ffmpeg(&format!(
        "-f lavfi -i color=red:s=16x16:d=0.04 -vf scale=out_color_matrix=bt709,format=yuv444p -colorspace bt709 -c:v ffv1 {red}"
    ));
    let out = folder.path("out.mkv");
    run(&[&red, &out, "-c", "ffv1", "--format", "gbrp"]).ok();
    let raw = Command::new("ffmpeg").args(["-v", "error", "-i", &out, "-f", "rawvideo", "-"]).output().unwrap().stdout;
    let [b, g, r] = [0, 1, 2].map(|byte| raw[byte]);
    assert_eq!(pixel_format(&out), "bgr0");
    assert!(r >= 250 && g <= 4 && b <= 4, "{r} {g} {b}");
}

#[test]
fn a_preview_shows_rgb() {
    let folder = Folder::new();
    let rgb = clip(&folder, "rgb.nut", "gbrp");
    let png = folder.path("sheet.png");
    run(&[&rgb, &png, "--preview", "#1"]).ok();
    // An upper half is the source as it is: its 8 bits need no dither.
    assert_eq!(theirs(&png, "-vf crop=66:50:0:0,format=gbrp"), theirs(&rgb, "-pix_fmt gbrp")[1..2]);
}
