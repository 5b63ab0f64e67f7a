//! `--burn-subtitles` with pictures: PGS, and what ffmpeg makes of it, VobSub and DVB.

use crate::command::{Folder, ffmpeg, hashes, run};
use crate::sup::{self, Rectangle};
use crate::video::Video;
use std::fs;

const SIZE: (usize, usize) = (320, 180);

fn rectangle() -> Rectangle {
    // Halfway between black and white, opaque.
    let color = [126, 128, 128, 255];
    Rectangle { start: 400, end: 1200, x: 40, y: 120, width: 160, height: 40, color, forced: false }
}

fn film(folder: &Folder, name: &str, size: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("-f lavfi -i testsrc2=s={size}:r=25:d=2 -pix_fmt yuv420p -c:v ffv1 {path}"));
    path
}

fn burn(film: &str, output: &str, args: &[&str]) {
    run(&[&[film, output, "-c", "ffv1", "-y"], args].concat()).ok();
}

#[test]
fn pgs_is_drawn_where_and_while_it_says() {
    let folder = Folder::new();
    let film = film(&folder, "film.mkv", "320x180");
    let (pgs, muxed, out) = (folder.path("a.sup"), folder.path("muxed.mkv"), folder.path("out.mkv"));
    let second = Rectangle { start: 1400, end: 1800, x: 0, y: 0, width: 64, height: 64, ..rectangle() };
    sup::write(&pgs, (320, 180), &[rectangle(), Rectangle { color: [235, 128, 128, 128], forced: true, ..second }]);
    ffmpeg(&format!("-copyts -i {film} -i {pgs} -map 0 -map 1 -c copy {muxed}"));
    burn(&muxed, &out, &["--burn-subtitles"]);
    let [plain, burnt] = [&film, &out].map(|file| Video::luma(file, SIZE));
    assert_eq!(burnt.frames(), 50);
    for frame in 0..50 {
        let expected = match frame {
            10..30 => Some((40, 120, 200, 160)),
            35..45 => Some((0, 0, 64, 64)),
            _ => None,
        };
        let changed = burnt.changed(frame, &plain);
        assert_eq!(changed.is_some(), expected.is_some(), "frame {frame}");
        // A sample at an edge may have the colour by chance, so what changed lies inside, and reaches nearly as far.
        if let (Some(changed), Some(expected)) = (changed, expected) {
            assert!(
                changed.0 >= expected.0
                    && changed.2 <= expected.2
                    && changed.1 >= expected.1
                    && changed.3 <= expected.3
            );
            assert!(changed.2 - changed.0 + 4 >= expected.2 - expected.0, "{changed:?}");
        }
    }
    // The palette's luma of 126 is the output's, but for libav's detour through 8-bit RGB.
    assert!(burnt.at(20, 100, 140).abs_diff(126) <= 1);
    // Coverage of 128/255 over what is there, of white.
    let below = f64::from(plain.at(40, 30, 30));
    let expected = below + (235.0 - below) * 128.0 / 255.0;
    assert!((f64::from(burnt.at(40, 30, 30)) - expected).abs() <= 1.0);

    // The same from the file itself, from the middle on, and of forced ones alone.
    let whole = hashes(&muxed, &["--burn-subtitles"]);
    assert_eq!(hashes(&film, &[&format!("--burn-subtitles={pgs}")]), whole);
    assert_eq!(hashes(&muxed, &["--burn-subtitles", "--start", "#20"]), whole[20..]);
    let (forced, plain) = (hashes(&muxed, &["--burn-subtitles", "--burn-forced-only"]), hashes(&film, &[]));
    assert_eq!((&forced[..35], &forced[35..]), (&plain[..35], &whole[35..]));
}

#[test]
fn pictures_are_scaled_with_the_film_and_stay_inside_where_it_was_cropped() {
    let folder = Folder::new();
    let pgs = folder.path("a.sup");
    // For 1280x720, square pixels.
    let large = Rectangle { x: 160, y: 640, width: 640, height: 64, color: [235, 128, 128, 255], ..rectangle() };
    sup::write(&pgs, (1280, 720), &[large]);
    for (size, (width, height), (x, top, right, bottom)) in [
        // A quarter of it.
        ("320x180", (320, 180), (40, 160, 200, 176)),
        // The upper and lower tenths are gone: the picture lies below the middle third, and moves up.
        ("320x120", (320, 120), (40, 104, 200, 120)),
    ] {
        let film = folder.path(&format!("{size}.mkv"));
        ffmpeg(&format!("-f lavfi -i color=black:s={size}:r=25:d=1 -pix_fmt yuv420p -c:v ffv1 {film}"));
        let out = folder.path("out.mkv");
        burn(&film, &out, &[&format!("--burn-subtitles={pgs}")]);
        let [plain, burnt] = [&film, &out].map(|file| Video::luma(file, (width, height)));
        assert_eq!(burnt.changed(15, &plain), Some((x, top, right, bottom)), "{size}");
        assert_eq!(burnt.at(15, x + 5, top + 5), 235);
    }
}

#[test]
fn vobsub_and_dvb_are_drawn_as_ffmpegs_overlay_draws_them() {
    let folder = Folder::new();
    let film = film(&folder, "film.mkv", "720x576");
    let pgs = folder.path("a.sup");
    let shown = Rectangle { x: 100, y: 400, width: 400, height: 80, ..rectangle() };
    sup::write(&pgs, (720, 576), &[shown]);
    for (codec, name) in [("dvdsub", "vobsub.mkv"), ("dvbsub", "dvb.mkv")] {
        let (muxed, ours, theirs) = (folder.path(name), folder.path("ours.mkv"), folder.path("theirs.mkv"));
        ffmpeg(&format!("-copyts -i {film} -i {pgs} -map 0 -map 1 -c:v copy -c:s {codec} -s:s 720x576 {muxed}"));
        burn(&muxed, &ours, &["--burn-subtitles", "--frames", "40"]);
        ffmpeg(&format!("-i {muxed} -filter_complex [0:v][0:s]overlay -frames:v 40 -c:v ffv1 {theirs}"));
        let [plain, ours, theirs] = [&film, &ours, &theirs].map(|file| Video::luma(file, (720, 576)));
        // What ffmpeg's encoders make of it states no end.
        for frame in [5, 20, 35] {
            let expected = (frame > 10).then_some((100, 400, 500, 480));
            assert_eq!(ours.changed(frame, &plain), expected, "{codec}, frame {frame}");
            assert_eq!(theirs.changed(frame, &plain), expected, "{codec}, frame {frame}");
        }
        assert!(ours.at(20, 300, 440).abs_diff(theirs.at(20, 300, 440)) <= 2, "{codec}");
    }
}

#[test]
fn vobsub_ends_where_it_says() {
    let folder = Folder::new();
    let film = film(&folder, "film.mkv", "720x576");
    let (pgs, muxed, ours) = (folder.path("a.sup"), folder.path("muxed.mkv"), folder.path("ours.mkv"));
    let shown = Rectangle { x: 100, y: 400, width: 400, height: 80, ..rectangle() };
    sup::write(&pgs, (720, 576), &[Rectangle { end: 1900, ..shown }]);
    // Its first picture alone, without the one that clears the screen.
    ffmpeg(&format!("-copyts -i {film} -i {pgs} -map 0 -map 1 -c:v copy -c:s dvdsub -s:s 720x576 -to 1.8 {muxed}"));
    // The last sequence of commands stops the display: when, in units of 1024/90,000 s, where it lies, and its command.
    let mut bytes = fs::read(&muxed).unwrap();
    let stop = bytes.windows(6).rposition(|six| six[..3] == [0xff, 0xff, 0] && six[4..] == [2, 0xff]).unwrap();
    // 796 ms after 400 ms.
    bytes[stop..stop + 2].copy_from_slice(&70_u16.to_be_bytes());
    fs::write(&muxed, bytes).unwrap();
    burn(&muxed, &ours, &["--burn-subtitles"]);
    let [plain, ours] = [&film, &ours].map(|file| Video::luma(file, (720, 576)));
    for frame in 0..40 {
        let expected = (10..30).contains(&frame).then_some((100, 400, 500, 480));
        assert_eq!(ours.changed(frame, &plain), expected, "frame {frame}");
    }
}
