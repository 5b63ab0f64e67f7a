//! `vramp gallery`: a folder with a page and its pictures. scripts/gallery_check.py uses the page in a browser: with
//! `VRAMP_REQUIRE_BROWSER=1` it fails where there is none.

mod command;

use command::{Folder, Ran, ffmpeg, refused, run, skipped};
use std::fs;
use std::path::Path;
use std::process::Command;

const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");

/// The page of a gallery, and what it shows.
fn page(folder: &str) -> (String, serde_json::Value) {
    let page = fs::read_to_string(Path::new(folder).join("index.html")).unwrap();
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data = serde_json::from_str(&data.replace("<\\/", "</")).unwrap();
    (page, data)
}

#[test]
fn every_preset_has_its_picture_and_its_command() {
    let folder = Folder::new();
    let out = folder.path("looks");
    let args = ["gallery", CLIP, "--at", "#1", "--filter", "gradient", "-o", &out];
    run(&args).ok();
    let (page, data) = page(&out);
    let looks = data["looks"].as_array().unwrap();
    assert_eq!(
        looks.iter().map(|look| look["preset"].as_str().unwrap()).collect::<Vec<_>>(),
        ["film", "anime", "dark", "codec", "gentle"]
    );
    assert!(looks[1]["command"].as_str().unwrap().contains("--chain gradient=preset=anime"));
    let size = |name: &str| png_size(&Path::new(&out).join(name));
    assert_eq!((size("0-source.png"), size("0-4.png")), ((640, 360), (640, 360)));
    assert_eq!(size("0-0-small.png"), (320, 180));
    assert_eq!(page.matches("http").count(), 0, "nothing comes from a network");

    refused(&run(&args), 2, &["looks", "-y"]);
    run(&[&args[..], &["-y"]].concat()).ok();
    assert_eq!(folder.names(), ["looks"], "nothing unfinished is left");
}

/// Each is made: the stronger grain is, the larger is a picture's file.
#[test]
fn the_presets_of_grain_are_shown() {
    let folder = Folder::new();
    let out = folder.path("looks");
    run(&["gallery", CLIP, "--at", "#1", "--filter", "grain", "-o", &out]).ok();
    let looks = page(&out).1["looks"].as_array().unwrap().clone();
    let presets: Vec<_> = looks.iter().map(|look| look["preset"].as_str().unwrap()).collect();
    assert_eq!(presets, ["faint", "fine", "film35", "film16", "super8", "silver", "pushed", "sensor"]);
    let bytes = |name| fs::metadata(Path::new(&out).join(name)).unwrap().len();
    assert!(["0-source.png", "0-0.png", "0-2.png", "0-3.png"].map(bytes).is_sorted());
}

#[test]
fn films_of_hdr_are_shown_as_tonemap_makes_them() {
    let folder = Folder::new();
    let out = folder.path("looks");
    let film = |name: &str, transfer: &str| {
        let film = folder.path(name);
        ffmpeg(&format!(
            "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 1 -pix_fmt yuv420p10 -c:v ffv1 -color_primaries bt2020 \
             -color_trc {transfer} -colorspace bt2020nc -color_range tv {film}"
        ));
        film
    };
    let shown = |film: &str| {
        run(&["gallery", film, "--at", "#0", "--filter", "localtone", "--filter", "tonemap", "-y", "-o", &out]).ok();
        let data = page(&out).1;
        let shown = data["frames"][0]["looks"].as_array().unwrap();
        shown.iter().map(|look| data["looks"][look.as_u64().unwrap() as usize]["filter"].clone()).collect::<Vec<_>>()
    };
    let looks = vec!["localtone"; 16];
    assert_eq!(shown(&film("hdr.mkv", "smpte2084")), [&looks[..], &["tonemap"]].concat());
    assert_eq!(shown(&film("sdr.mkv", "bt2020-10")), looks);
}

/// Width and height of a PNG: in its first chunk.
fn png_size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap();
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (word(16), word(20))
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_line() {
    let folder = Folder::new();
    let out = folder.path("looks");
    refused(&run(&["gallery", CLIP, "--at", "#99999", "-o", &out]), 2, &["no frame lies"]);
    refused(&run(&["gallery", CLIP, "--filter", "stats", "-o", &out]), 2, &["stats has no presets"]);
    refused(&run(&["gallery", CLIP, "--filter", "nonsense", "-o", &out]), 2, &["nonsense"]);
    let taken = folder.path("taken");
    fs::create_dir(&taken).unwrap();
    refused(&run(&["gallery", CLIP, "-y", "-o", &taken]), 2, &["no gallery"]);
    assert_eq!(folder.names(), ["taken"]);
}

#[test]
fn the_page_works_in_a_browser() {
    // What the script ends with where there is no browser.
    const SKIPPED: i32 = 77;
    let required = "VRAMP_REQUIRE_BROWSER";
    let python = concat!(env!("CARGO_MANIFEST_DIR"), "/target/selenium/bin/python");
    if !Path::new(python).exists() {
        return skipped(required, "Selenium is missing: make hosts");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/gallery_check.py");
    let args = [script, env!("CARGO_BIN_EXE_vramp"), CLIP, "--filter", "deband"];
    let ran = Ran::from(Command::new(python).args(args).output().unwrap());
    if ran.code == Some(SKIPPED) {
        return skipped(required, &ran.stderr);
    }
    assert_eq!(ran.ok().text(), "the page works\n");
}
