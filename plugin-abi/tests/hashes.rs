//! The C ABI gives the bytes of the command, for every format that both have.

mod so;

use so::api::{Api, frame, planes_of, stream};
use std::path::{Path, PathBuf};
use std::process::Command;
use vramp::io::Hash;
use vramp::video::{Format, Picture};
use vramp_plugin::c_abi::abi;

const SIZE: (usize, usize) = (90, 46);
const FRAMES: usize = 3;
const CHAIN: &str = "deband=range=12:rand_each_frame=on,depth=10";

/// The command, which another package builds, since it needs libav, and this one must not have it.
fn command() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join("vramp");
    assert!(path.exists(), "{} is not there: run cargo build first", path.display());
    path
}

/// A clip of raw frames of `pix_fmt`, and its frames.
fn clip(pix_fmt: &str, format: Format) -> (String, Vec<Picture>) {
    let path = format!("{}/hashes-{pix_fmt}-{}.nut", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let source = format!("testsrc2=size={}x{}:rate=25", SIZE.0, SIZE.1);
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", &source, "-frames:v", &FRAMES.to_string()])
        .args(["-pix_fmt", pix_fmt, "-c:v", "rawvideo", "-strict", "-1", &path])
        .status();
    assert!(made.unwrap().success(), "ffmpeg makes no {pix_fmt}");
    let raw = Command::new("ffmpeg").args(["-v", "error", "-i", &path, "-f", "rawvideo", "-"]).output().unwrap().stdout;
    let mut bytes = raw.as_slice();
    let frames = (0..FRAMES).map(|_| {
        let mut picture = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
        for plane in 0..format.planes() {
            for y in 0..format.plane_size(plane, SIZE.0, SIZE.1).1 {
                let row = picture.row_bytes_mut(plane, y);
                let (from, rest) = bytes.split_at(row.len());
                row.copy_from_slice(from);
                bytes = rest;
            }
        }
        picture
    });
    let frames = frames.collect();
    assert!(bytes.is_empty());
    (path, frames)
}

/// What the command makes of the clip: a hash a frame.
fn expected(clip: &str, chain: &str) -> Vec<String> {
    let ran = Command::new(command()).args([clip, "-", "-f", "framemd5", "--device", "cpu", "--chain", chain]).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    let hash = |line: &str| line.rsplit(", ").next().unwrap().to_owned();
    text.lines().filter(|line| !line.starts_with('#')).map(hash).collect()
}

#[test]
fn every_format_has_the_commands_hashes() {
    let api = Api::open();
    let mut formats = vec![
        ("nv12".to_owned(), abi::NV12, 8),
        ("p010le".to_owned(), abi::NV12, 10),
        ("p016le".to_owned(), abi::NV12, 16),
        ("gray".to_owned(), abi::GRAY, 8),
    ];
    for (name, layout, depths) in [
        ("yuv420p", abi::YUV420, &[8, 9, 10, 12, 14, 16][..]),
        ("yuv422p", abi::YUV422, &[8, 9, 10, 12, 14, 16]),
        ("yuv444p", abi::YUV444, &[8, 9, 10, 12, 14, 16]),
        ("gray", abi::GRAY, &[9, 10, 12, 14, 16]),
        ("gbrp", abi::RGB, &[8, 9, 10, 12, 14, 16]),
    ] {
        let suffix = |depth: &i32| if *depth == 8 { String::new() } else { format!("{depth}le") };
        formats.extend(depths.iter().map(|depth| (format!("{name}{}", suffix(depth)), layout, *depth)));
    }
    for (pix_fmt, layout, depth) in formats {
        let (path, frames) = clip(&pix_fmt, pix_fmt.parse().unwrap());
        let chain = api.chain(CHAIN, &stream(layout, depth, SIZE.0, SIZE.1), "cpu");
        let want = expected(&path, CHAIN);
        assert_eq!(want.len(), FRAMES);
        let output = api.output(chain);
        assert_eq!(output.bit_depth, 10, "{pix_fmt}");
        let format = frames[0].format().to_planar(10).unwrap();
        for (index, (src, want)) in frames.iter().zip(&want).enumerate() {
            let dst = Picture::alloc(format, SIZE.0, SIZE.1).unwrap();
            // SAFETY: both pictures have the chain's formats and size.
            api.ok(unsafe { (api.process)(chain, &frame(index as u64), &planes_of(src), &planes_of(&dst)) });
            assert_eq!(&Hash::Md5.of(&dst), want, "{pix_fmt}, frame {index}");
        }
        // SAFETY: a handle of the library's.
        api.ok(unsafe { (api.chain_destroy)(chain) });
        std::fs::remove_file(path).unwrap();
    }
}
