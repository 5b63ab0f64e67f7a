//! `vramp gallery`: a folder with a page and its pictures. scripts/gallery_check.py uses the page in a browser.

mod command;

use command::{Folder, refused, run};
use std::fs;
use std::path::Path;

const CLIP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");

#[test]
fn every_preset_has_its_picture_and_its_command() {
    let folder = Folder::new();
    let out = folder.path("looks");
    let args = ["gallery", CLIP, "--at", "#1", "--filter", "gradient", "-o", &out];
    run(&args).ok();
    let page = fs::read_to_string(Path::new(&out).join("index.html")).unwrap();
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(&data.replace("<\\/", "</")).unwrap();
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
