//! Pictures with alpha upon films: what `--input logo=logo.png` and `overlay=with=logo` give.

mod command;

use command::{Folder, ffmpeg, hashes, run};

/// A film of YCbCr, and a logo of RGB with alpha that rises from left to right.
struct Clips {
    _folder: Folder,
    film: String,
    logo: String,
}

fn clips() -> Clips {
    let folder = Folder::new();
    let (film, logo) = (folder.path("film.mkv"), folder.path("logo.png"));
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 3 -pix_fmt yuv420p -colorspace bt709 -color_range tv -c:v ffv1 {film}"
    ));
    let geq = "geq=r=255:g=40:b=60:a=255*X/39";
    ffmpeg(&format!("-f lavfi -i color=red:s=40x20:r=25,format=rgba,{geq} -frames:v 1 {logo}"));
    Clips { _folder: folder, film, logo }
}

impl Clips {
    fn hashes(&self, input: &str, chain: &str) -> Vec<String> {
        hashes(&self.film, &["--input", &format!("{input}={}", self.logo), "--chain", chain])
    }
}

#[test]
fn a_logo_lies_upon_a_film_by_its_alpha() {
    let clips = clips();
    let short = clips.hashes("logo", "overlay=with=logo:x=10:y=8");
    let long = "keep=film,use=logo,matrix=bt709,format=yuv420:chroma_out=left,range=limited,keep=fitted,use=film,\
                overlay=with=fitted:alpha=logo_alpha:x=10:y=8";
    assert_eq!(short, clips.hashes("logo", long));
    // Alpha counts, and so does what is under it.
    let bare = "keep=film,use=logo,matrix=bt709,format=yuv420:chroma_out=left,range=limited,keep=fitted,use=film,\
                overlay=with=fitted:x=10:y=8";
    assert_ne!(short, clips.hashes("logo", bare));
    assert_ne!(short, hashes(&clips.film, &[]));
}

/// Where alpha is 0 the film is as it was, and where it is 255 the logo is.
#[test]
fn the_picture_is_the_logos_where_it_covers() {
    let clips = clips();
    let out = clips.film.replace("film.mkv", "out.y4m");
    let input = format!("logo={}", clips.logo);
    run(&[&clips.film, &out, "--input", &input, "--chain", "overlay=with=logo:x=10:y=8"]).ok();
    let luma = |path: &str| {
        let raw = format!("{path}.raw");
        ffmpeg(&format!("-i {path} -frames:v 1 -pix_fmt yuv420p -f rawvideo {raw}"));
        std::fs::read(raw).unwrap()[..96 * 64].to_vec()
    };
    let (before, after) = (luma(&clips.film), luma(&out));
    let at = |picture: &[u8], x: usize, y: usize| i32::from(picture[y * 96 + x]);
    for y in 8..28 {
        assert_eq!(at(&after, 10, y), at(&before, 10, y), "row {y}");
        assert_eq!(at(&after, 49, y), at(&after, 49, 8), "row {y}");
    }
    // 16 + 219 * (0.2126 * 255 + 0.7152 * 40 + 0.0722 * 60) / 255.
    assert!((at(&after, 49, 8) - 91).abs() <= 1, "{}", at(&after, 49, 8));
    let outside = (0..64).flat_map(|y| (0..96).map(move |x| (x, y)));
    for (x, y) in outside.filter(|(x, y)| !(10..50).contains(x) || !(8..28).contains(y)) {
        assert_eq!(at(&after, x, y), at(&before, x, y), "at ({x}, {y})");
    }
}

#[test]
fn what_is_made_like_the_film_is_said_once() {
    let clips = clips();
    let chain = "overlay=with=logo:x=10:y=8,box,overlay=with=logo:x=40:y=30";
    let input = format!("logo={}", clips.logo);
    let said = |more: &[&str]| {
        let ran = run(&[&[&clips.film, "-", "-f", "null", "--input", &input, "--chain", chain], more].concat()).ok();
        let of_logo = |line: &&str| line.contains("like the chain's") || line.contains("is left out");
        ran.stderr.lines().filter(of_logo).map(str::to_owned).collect::<Vec<_>>()
    };
    let line = "the picture 'logo' is made like the chain's by matrix=to=bt709,format=to=yuv420:chroma_out=left";
    assert_eq!(said(&["-v"]), [format!("vramp: {line}")]);
    assert!(said(&[]).is_empty());
}

/// Alpha alone may be what is read, and then nobody misses the colours.
#[test]
fn alpha_is_a_picture_of_its_own() {
    let clips = clips();
    let by_name = clips.hashes("logo", "use=logo_alpha");
    let theirs = clips.logo.replace("logo.png", "alpha.png");
    ffmpeg(&format!("-i {} -vf alphaextract -frames:v 1 {theirs}", clips.logo));
    let extracted = hashes(&clips.film, &["--input", &format!("b={theirs}"), "--chain", "use=b,range=full"]);
    assert_eq!(by_name, extracted);
}
