//! Alpha, which is not hashed: nothing is called the same that differs there, unless that was asked for.

use crate::{BAD_ARGUMENT, Folder, MISMATCH, UNSUPPORTED, ffmpeg, hash, refused, run, verdict, verify};
use std::fs;

/// A clip of 3 frames in `format`, half transparent by `alpha`.
fn clip(folder: &Folder, name: &str, format: &str, codec: &str, alpha: u8) -> String {
    let path = folder.path(name);
    let filters = format!("format=rgba,lutrgb=a={alpha},format={format}");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25 -vf {filters} -frames:v 3 -c:v {codec} {path}"));
    path
}

#[test]
fn alpha_is_passed_over_only_when_asked() {
    let folder = Folder::new();
    for (format, codec, name) in [
        ("rgba", "png", "rgba.mov"),
        ("ya8", "png", "ya8.mov"),
        ("pal8", "png", "pal8.mov"),
        ("yuva420p", "ffv1", "yuva420p.mkv"),
        ("gbrap10le", "ffv1", "gbrap10.mkv"),
        ("bgra", "gif -sws_dither none", "bgra.gif"),
    ] {
        let one = clip(&folder, name, format, codec, 200);
        let other = clip(&folder, &format!("other-{name}"), format, codec, 130);
        let text = folder.path("refused.hashes");
        let ran = run(&["hash", &one, "-o", &text]);
        refused(&ran, UNSUPPORTED, &[name, "has alpha (", "--ignore-alpha"]);
        assert!(fs::metadata(&text).is_err(), "{name}");

        let golden = hash(&folder, &one, &["--ignore-alpha"]);
        assert!(fs::read_to_string(&golden).unwrap().contains("\n#asked alpha: ignored\n"), "{name}");
        let ran = verify(&golden, &one, &[]).ok();
        assert!(ran.stderr.contains("alpha was not compared"), "{name}: {}", ran.stderr);
        assert_eq!(verdict(&golden, &one, &[])["alpha_ignored"], true, "{name}");
        // The same colours behind another alpha, or none.
        if !["pal8", "bgra"].contains(&format) {
            verify(&golden, &other, &[]).ok();
        }
        refused(&run(&["compare", &one, &other, "--tolerance", "exact"]), UNSUPPORTED, &["--ignore-alpha"]);
    }
}

#[test]
fn a_text_of_an_opaque_video_says_nothing_of_alpha() {
    let folder = Folder::new();
    let opaque = clip(&folder, "opaque.mkv", "yuv420p", "ffv1", 255);
    let golden = hash(&folder, &opaque, &["--ignore-alpha"]);
    let text = fs::read_to_string(&golden).unwrap();
    assert!(!text.contains("alpha"), "{text}");
    assert_eq!(verdict(&golden, &opaque, &[])["alpha_ignored"], false);
    let seen_through = clip(&folder, "alpha.mkv", "yuva420p", "ffv1", 9);
    refused(&verify(&golden, &seen_through, &[]), UNSUPPORTED, &["alpha.mkv has alpha (yuva420p)"]);
    let other = clip(&folder, "other.mkv", "yuva420p,lutyuv=y=negval", "ffv1", 9);
    refused(&verify(&golden, &other, &["--ignore-alpha"]), MISMATCH, &["alpha was not compared"]);
}

#[test]
fn alpha_beside_the_video_is_alpha() {
    let folder = Folder::new();
    let path = folder.path("beside.webm");
    let source = "-f lavfi -i testsrc2=s=64x48:r=25 -vf format=yuva420p -frames:v 3";
    ffmpeg(&format!("{source} -c:v libvpx -auto-alt-ref 0 -deadline realtime {path}"));
    refused(&run(&["hash", &path]), UNSUPPORTED, &["has alpha (alpha_mode)", "--ignore-alpha"]);
}

#[test]
fn ffmpegs_texts_of_alpha_cannot_match() {
    let folder = Folder::new();
    let input = clip(&folder, "in.mov", "rgba", "png", 100);
    let (theirs, opaque) = (folder.path("theirs.md5"), folder.path("opaque.md5"));
    ffmpeg(&format!("-i {input} -f framemd5 {theirs}"));
    ffmpeg(&format!("-i {input} -pix_fmt gbrp -f framemd5 {opaque}"));
    for option in ["--times=offset", "--ignore-alpha"] {
        refused(&verify(&theirs, &input, &[option]), UNSUPPORTED, &["ffmpeg hashes", "-pix_fmt gbrp"]);
    }
    refused(&verify(&opaque, &input, &[]), UNSUPPORTED, &["--ignore-alpha"]);
    verify(&opaque, &input, &["--ignore-alpha"]).ok();
    let ours = hash(&folder, &input, &["--layout", "ffmpeg", "--ignore-alpha"]);
    verify(&ours, &input, &["--ignore-alpha"]).ok();
    refused(&run(&["hash", &input, "--ignore-alphas"]), BAD_ARGUMENT, &["--ignore-alpha"]);
}
