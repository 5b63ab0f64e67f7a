//! SDR of HDR on the command line, judged by ffprobe and by what was graded.
#![cfg(feature = "cli")]

mod command;

use command::{Folder, ffmpeg, hashes, refused, run};
use std::process::Command;

const PQ: &str = "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited";
const HLG: &str = "colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:range=limited";
const HDR10: &str =
    "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,50):max-cll=1000,400";

/// Eight frames of H.265 with these parameters: grey steps, each the tenth of the scale of ten bits above the last.
fn film(folder: &Folder, name: &str, params: &str) -> String {
    let path = folder.path(name);
    let steps = "geq=lum='64+floor(X/16)*73':cb=512:cr=512";
    ffmpeg(&format!(
        "-f lavfi -i color=black:s=208x64:r=25,format=yuv420p10le,{steps} -frames:v 8 -c:v libx265 -preset ultrafast \
         -x265-params log-level=none:lossless=1:{params} {path}"
    ));
    path
}

/// What ffprobe says of a stream and its first frame.
fn probe(path: &str) -> String {
    let args = ["-v", "error", "-select_streams", "v", "-read_intervals", "%+#1", "-show_streams", "-show_frames"];
    let output = Command::new("ffprobe").args(args).arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Luma in the middle of each step of the first frame, ten bits.
fn steps(path: &str) -> Vec<u16> {
    let args = ["-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", "-"];
    let raw = Command::new("ffmpeg").args(args).output().unwrap().stdout;
    (0..13).map(|step| 2 * (32 * 208 + 16 * step + 8)).map(|at| u16::from_le_bytes([raw[at], raw[at + 1]])).collect()
}

#[test]
fn hdr10_becomes_sdr_with_its_tags_and_without_its_metadata() {
    let folder = Folder::new();
    let (source, target) = (film(&folder, "a.mkv", &format!("{PQ}:{HDR10}")), folder.path("b.mkv"));
    assert!(probe(&source).contains("Mastering display metadata"));
    let ran = run(&[&source, &target, "--sdr", "-c", "libx265", "--preset", "ultrafast", "--crf", "4"]).ok();
    assert_eq!(
        ran.stderr.matches("the mastering display, the content light level: left out").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("does not state"), "{}", ran.stderr);
    let made = probe(&target);
    for tag in ["color_space=bt709", "color_transfer=bt709", "color_primaries=bt709", "pix_fmt=yuv420p10le"] {
        assert!(made.contains(tag), "{tag}: {made}");
    }
    assert!(!made.contains("Mastering display") && !made.contains("Content light level"), "{made}");
}

#[test]
fn steps_of_light_come_out_where_the_curve_has_them() {
    let folder = Folder::new();
    let (source, target) = (film(&folder, "a.mkv", &format!("{PQ}:{HDR10}")), folder.path("b.mkv"));
    run(&[&source, &target, "--sdr", "-c", "ffv1"]).ok();
    let made = steps(&target);
    assert!(made.is_sorted(), "{made:?}");
    // Step 4 is PQ 0.3333, 15.13 cd/m², below the knee: (15.13/203)^(1/2.4) = 0.3390, which is 361.
    assert_eq!((made[0], made[12]), (64, 940));
    assert!(made[4].abs_diff(361) <= 1, "{made:?}");
}

#[test]
fn hlg_becomes_sdr() {
    let folder = Folder::new();
    let (source, target) = (film(&folder, "a.mkv", HLG), folder.path("b.mkv"));
    let ran = run(&[&source, &target, "--sdr", "-c", "ffv1"]).ok();
    assert!(!ran.stderr.contains("left out"), "{}", ran.stderr);
    assert!(steps(&target).is_sorted() && probe(&target).contains("color_transfer=bt709"));
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let folder = Folder::new();
    let bare = film(&folder, "a.mkv", PQ);
    let ran = run(&[&bare, "-", "-f", "null", "--sdr"]).ok();
    let words = "tonemap: the stream does not state how bright it is: its peak is taken as 1000 cd/m²";
    assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.stderr);
    let sdr = film(&folder, "b.mkv", "colorprim=bt709:transfer=bt709:colormatrix=bt709");
    refused(&run(&[&sdr, "-", "-f", "null", "--sdr"]), 3, &["tonemap", "its transfer is bt709 (1)", "add source=pq"]);
    run(&[&sdr, "-", "-f", "null", "--chain", "tonemap=source=pq"]).ok();
}

#[test]
fn it_goes_before_the_other_filters_and_is_the_same_in_parts() {
    let folder = Folder::new();
    let source = film(&folder, "a.mkv", &format!("{PQ}:{HDR10}"));
    let whole = hashes(&source, &["--sdr", "--chain", "gauss=1"]);
    assert_eq!(whole, hashes(&source, &["--chain", "tonemap,gauss=1"]));
    assert_ne!(whole, hashes(&source, &["--chain", "gauss=1,tonemap"]));
    let hash = |line: &String| line.rsplit(", ").next().unwrap().to_owned();
    let part = hashes(&source, &["--sdr", "--chain", "gauss=1", "--start", "#5"]);
    assert_eq!(part.iter().map(hash).collect::<Vec<_>>(), whole[5..].iter().map(hash).collect::<Vec<_>>());
}
