//! Chains as programs, by the command: the sample files do what they say, masks come from files, and mistakes are named.

mod command;

use command::{Folder, ffmpeg, run};
use std::fs;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SIZE: (usize, usize) = (128, 48);

/// A lossless clip of one frame of grey with these samples.
fn clip(folder: &Folder, name: &str, sample: impl Fn(usize, usize) -> u8) -> String {
    let (raw, path) = (folder.path("raw"), folder.path(name));
    let (width, height) = SIZE;
    let samples: Vec<u8> =
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| sample(x, y)).collect();
    fs::write(&raw, samples).unwrap();
    ffmpeg(&format!("-f rawvideo -pix_fmt gray -s {width}x{height} -i {raw} -c:v ffv1 {path}"));
    path
}

/// The samples, in 10 bits, of what `--chain` makes of a clip.
fn filtered(folder: &Folder, clip: &str, args: &[&str]) -> Vec<u16> {
    let (out, raw) = (folder.path("out.mkv"), folder.path("out.raw"));
    run(&[&[clip, &out, "-y", "--depth", "10", "-c", "ffv1"], args].concat()).ok();
    ffmpeg(&format!("-y -i {out} -f rawvideo -pix_fmt gray10le {raw}"));
    fs::read(raw).unwrap().chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

fn chain(name: &str, values: &str) -> String {
    format!("@{ROOT}/samples/chains/{name}.chain{values}")
}

/// The samples of rows 8 to 40 in these columns.
fn part(samples: &[u16], columns: std::ops::Range<usize>) -> Vec<u16> {
    (8..40).flat_map(|y| samples[y * SIZE.0..][columns.clone()].to_vec()).collect()
}

/// Texture of ±6 on the left, an edge of 120 in the middle, flat on the right.
#[test]
fn detail_is_boosted_and_edges_are_not() {
    let folder = Folder::new();
    let texture = |x: usize, y: usize| if (x / 2 + y / 2).is_multiple_of(2) { 6 } else { 0 };
    let clip = clip(&folder, "in.mkv", |x, y| if x < 64 { 60 + texture(x, y) as u8 } else { 180 });
    let made = filtered(&folder, &clip, &["--chain", &chain("detail-boost", "(amount=2)")]);
    let range = |samples: Vec<u16>| samples.iter().max().unwrap() - samples.iter().min().unwrap();
    let boosted = range(part(&made, 16..48));
    assert!((36..=48).contains(&boosted), "24 of 10 bits became {boosted}");
    assert!(part(&made, 80..112).iter().all(|sample| *sample == 720), "flat stays");
    let beside = part(&made, 64..72);
    assert!(beside.iter().all(|sample| sample.abs_diff(720) <= 2), "no halo: {beside:?}");
    // An amount of 1 adds back what was taken.
    let same = filtered(&folder, &clip, &["--chain", &chain("detail-boost", "(amount=1)")]);
    assert_eq!(same, filtered(&folder, &clip, &[]));
}

/// A dark ramp in bands of 16 columns on the left, texture on the right.
#[test]
fn bands_go_where_the_picture_is_flat() {
    let folder = Folder::new();
    let clip =
        clip(&folder, "in.mkv", |x, y| if x < 64 { 40 + (x / 16) as u8 } else { 90 + ((x * 7 + y * 13) % 31) as u8 });
    let (before, made) =
        (filtered(&folder, &clip, &[]), filtered(&folder, &clip, &["--chain", &chain("masked-deband", "")]));
    assert_eq!(part(&made, 76..128), part(&before, 76..128), "texture stays, to the byte");
    let distinct = |mut samples: Vec<u16>| {
        samples.sort_unstable();
        samples.dedup();
        samples.len()
    };
    let (bands, ramp) = (distinct(part(&before, 8..56)), distinct(part(&made, 8..56)));
    assert!(bands == 4 && ramp > 8, "{bands} values became {ramp}");
}

/// A dark line with light rims, as sharpening leaves them.
#[test]
fn rims_go_and_lines_stay() {
    let folder = Folder::new();
    let clip = clip(&folder, "in.mkv", |x, _| match x {
        62..=65 => 40,
        60..=61 | 66..=67 => 190,
        _ => 150,
    });
    let made = filtered(&folder, &clip, &["--chain", &chain("dehalo", "")]);
    let column = |x: usize| made[24 * SIZE.0 + x] / 4;
    assert_eq!([63, 64].map(column), [40, 40], "the line");
    assert_eq!([30, 100].map(column), [150, 150], "what is far from it");
    assert!([60, 67].iter().all(|x| column(*x) < 165), "{:?}", [60, 61, 66, 67].map(column));
    let kept = filtered(&folder, &clip, &["--chain", &chain("dehalo", "(light=0, dark=0)")]);
    assert_eq!(kept, filtered(&folder, &clip, &[]));
}

/// A still picture as a mask: its white half is blurred, its black half is not.
#[test]
fn a_mask_is_a_file() {
    let folder = Folder::new();
    let noise = |x: usize, y: usize| ((x * 37 + y * 101) % 200) as u8;
    let (film, mask) =
        (clip(&folder, "in.mkv", noise), clip(&folder, "mask.mkv", |x, _| if x < 64 { 235 } else { 16 }));
    let input = format!("m={mask}");
    let by_mask = filtered(&folder, &film, &["--input", &input, "--chain", "box(4, mask m)"]);
    let (plain, blurred) = (filtered(&folder, &film, &[]), filtered(&folder, &film, &["--chain", "box=4"]));
    assert_eq!(part(&by_mask, 0..64), part(&blurred, 0..64));
    assert_eq!(part(&by_mask, 64..128), part(&plain, 64..128));
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new();
    let film = clip(&folder, "in.mkv", |_, _| 90);
    let file = folder.path("my.chain");
    fs::write(&file, "# Smooth.\ngauss=sigma=$sigma,\nbox=$radius:mask=$mask\n").unwrap();
    for (values, message) in [
        ("", format!("chain file '{file}', line 2, column 13: the parameter 'sigma' has no value")),
        ("(sigma=2,raduis=3,mask=m)", "the parameter 'radius' has no value".to_owned()),
        (
            "(sigma=2,radius=3,mask=m,more=1)",
            format!("chain file '{file}': it has no parameter 'more': it has sigma, radius, mask"),
        ),
        (
            "(sigma=2,radius=x,mask=m)",
            format!("chain file '{file}', line 3, $radius=x, $mask=m: box: option 'radius' cannot be 'x'"),
        ),
        ("(sigma=2,radius=3,mask=m)", "box: no picture is called 'm' here".to_owned()),
    ] {
        let ran = run(&[&film, &folder.path("no.mkv"), "--chain", &format!("@{file}{values}")]);
        assert!(ran.code == Some(2) && ran.stderr.contains(&message), "{values}: {ran:?}");
    }
    assert!(!folder.names().contains(&"no.mkv".to_owned()));
}
