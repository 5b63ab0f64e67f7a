//! Fonts that are attached to a film.

use crate::command::{Folder, ffmpeg, hashes};
use std::fs;

const FONT: &str = "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf";

/// DejaVu Serif Bold by a name that no system has, of the same length.
fn renamed(folder: &Folder) -> String {
    let mut bytes = fs::read(FONT).expect("fonts-dejavu-core is installed");
    let wide = |text: &str| text.bytes().flat_map(|byte| [0, byte]).collect::<Vec<u8>>();
    for (from, to) in [(b"DejaVu".to_vec(), b"Vrampx".to_vec()), (wide("DejaVu"), wide("Vrampx"))] {
        let places: Vec<_> = (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(&from)).collect();
        places.iter().for_each(|at| bytes[*at..][..to.len()].copy_from_slice(&to));
    }
    let path = folder.path("vrampx.ttf");
    fs::write(&path, bytes).unwrap();
    path
}

fn script(font: &str) -> String {
    format!(
        "[Script Info]\nScriptType: v4.00+\nPlayResX: 320\nPlayResY: 180\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize, \
         PrimaryColour, Bold, Alignment\nStyle: Default,{font},40,&H00FFFFFF,1,5\n\n[Events]\n\
         Format: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.00,0:00:01.00,Default,Attached\n"
    )
}

#[test]
fn attached_fonts_are_used() {
    let folder = Folder::new();
    let font = renamed(&folder);
    let [own, known] = [("own.ass", "Vrampx Serif"), ("known.ass", "DejaVu Serif")].map(|(name, font)| {
        let path = folder.path(name);
        fs::write(&path, script(font)).unwrap();
        path
    });
    let (film, with, without) = (folder.path("film.mkv"), folder.path("with.mkv"), folder.path("without.mkv"));
    ffmpeg(&format!("-f lavfi -i color=gray:s=320x180:r=5:d=1 -c:v ffv1 {film}"));
    let attach = format!("-attach {font} -metadata:s:t mimetype=application/x-truetype-font");
    ffmpeg(&format!("-i {film} -i {own} -map 0 -map 1 -c copy {attach} {with}"));
    ffmpeg(&format!("-i {film} -i {own} -map 0 -map 1 -c copy {without}"));
    let expected = hashes(&film, &[&format!("--burn-subtitles={known}")]);
    assert_eq!(hashes(&with, &["--burn-subtitles"]), expected);
    // A script beside the film finds the film's fonts too.
    assert_eq!(hashes(&with, &[&format!("--burn-subtitles={own}")]), expected);
    assert_ne!(hashes(&without, &["--burn-subtitles"]), expected);
}
