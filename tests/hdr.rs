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

/// Sixteen frames of grey of up to a quarter of the code and eight of up to all of it, in which a lamp goes on.
fn shots(folder: &Folder) -> String {
    let path = folder.path("shots.mkv");
    let luma = "if(lt(N,16),64+floor(X/16)*17+N,if(lt(X,104),64+floor(X/16)*60,500+floor(X/16)*20+N*8))";
    ffmpeg(&format!(
        "-f lavfi -i color=black:s=208x64:r=25,format=yuv420p10le,geq=lum='{luma}':cb=512:cr=512 -frames:v 24 -c:v libx265 \
         -preset ultrafast -x265-params log-level=none:lossless=1:{PQ}:{HDR10} {path}"
    ));
    path
}

fn hash(line: &str) -> String {
    line.rsplit(", ").next().unwrap().to_owned()
}

#[test]
fn a_peak_that_is_measured_is_the_same_in_parts() {
    let folder = Folder::new();
    let film = shots(&folder);
    let of = |chain: &str, part: &[&str]| {
        let args = [&["--chain", chain, "--device", "cpu"], part].concat();
        hashes(&film, &args).iter().map(|line| hash(line)).collect::<Vec<_>>()
    };
    let chain = "tonemap=peak=dynamic:window=6";
    let whole = of(chain, &[]);
    assert_eq!(whole.len(), 24);
    for (start, frames) in [(0, 3), (5, 4), (14, 4), (17, 7)] {
        let part = of(chain, &["--start", &format!("#{start}"), "--frames", &frames.to_string()]);
        assert_eq!(part, whole[start..start + frames], "{frames} from {start} on");
    }
    assert_ne!(whole, of("tonemap", &[]));
    // The dark shot has no highlights, and nothing is taken from it.
    let target = folder.path("dark.mkv");
    run(&[&film, &target, "--chain", "tonemap=peak=dynamic", "--frames", "1", "-c", "ffv1"]).ok();
    let made = steps(&target);
    // Its brightest step is 64 + 12·17 = 268, PQ 0.2329: 4.03 cd/m², far below white: (4.03/203)^(1/2.4)·876 + 64 = 235.
    assert!(made[12].abs_diff(235) <= 1, "{made:?}");
}

/// Writes bits, the highest first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.chunks(8).map(|byte| (0..8).fold(0, |all, i| all << 1 | u8::from(byte.get(i) == Some(&true)))).collect()
    }
}

/// A unit of H.265 with HDR10+ that states the brightest of R, G and B, in tenths of cd/m².
fn hdr10plus(most: [u32; 3]) -> Vec<u8> {
    let mut bits = Bits::default();
    // ITU-T T.35: the United States, SMPTE, ST 2094-40, version 1; one window, for a display of 400 cd/m².
    [(0xb5, 8), (0x3c, 16), (1, 16), (4, 8), (1, 8), (1, 2), (4_000_000, 27), (0, 1)]
        .iter()
        .for_each(|(value, count)| bits.put(*value, *count));
    most.iter().for_each(|most| bits.put(*most, 17));
    // The mean, no distribution, no share of bright ones; no mastering display, no curve, no saturation.
    [(1000, 17), (0, 4), (0, 10), (0, 1), (0, 1), (0, 1)].iter().for_each(|(value, count)| bits.put(*value, *count));
    let payload = bits.bytes();
    let mut unit = vec![4, payload.len() as u8];
    unit.extend(payload);
    unit.push(0x80);
    let mut escaped = vec![0, 0, 0, 1, 0x4e, 1];
    let mut zeros = 0;
    for byte in unit {
        if zeros >= 2 && byte <= 3 {
            escaped.push(3);
            zeros = 0;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        escaped.push(byte);
    }
    escaped
}

#[test]
fn a_peak_that_hdr10plus_states_counts_for_its_frame() {
    let folder = Folder::new();
    let (source, raw) = (film(&folder, "a.mkv", &format!("{PQ}:{HDR10}:bframes=0")), folder.path("a.hevc"));
    ffmpeg(&format!("-i {source} -c copy -f hevc {raw}"));
    let stream = std::fs::read(&raw).unwrap();
    let starts: Vec<usize> = (0..stream.len() - 3).filter(|at| stream[*at..].starts_with(&[0, 0, 1])).collect();
    let mut with = Vec::new();
    let mut pictures = 0;
    for (at, end) in starts.iter().zip(starts.iter().skip(1).chain([&stream.len()])) {
        // A slice that begins a picture: from the fifth on it states 700 cd/m², before nothing.
        let begins = stream[at + 3] >> 1 < 32 && stream[at + 5] & 0x80 != 0;
        pictures += usize::from(begins);
        if begins && pictures > 4 {
            with.extend(hdr10plus([7000, 6500, 100]));
        }
        with.extend(&stream[*at..*end]);
    }
    assert_eq!(pictures, 8);
    std::fs::write(&raw, with).unwrap();
    let shown = Command::new("ffprobe").args(["-v", "error", "-show_frames", &raw]).output().unwrap().stdout;
    assert_eq!(String::from_utf8(shown).unwrap().matches("SMPTE2094-40").count(), 4);

    let of = |chain: &str| {
        hashes(&raw, &["--chain", chain, "--device", "cpu"]).iter().map(|line| hash(line)).collect::<Vec<_>>()
    };
    let (by_frame, film) = (of("tonemap=peak=hdr10plus"), of("tonemap=peak=hdr10plus:source_peak=700"));
    // All frames look alike: those that state nothing are the film's.
    assert!(
        by_frame[..4].iter().all(|frame| *frame == by_frame[0]) && by_frame[4..].iter().all(|frame| *frame == film[0])
    );
    assert_ne!(by_frame[0], by_frame[4]);
    assert!(film.iter().all(|frame| *frame == film[0]), "what is stated is what the frames state");
}
