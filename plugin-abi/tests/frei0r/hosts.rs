//! Hosts give what the command gives for the same frames.

use crate::folder::Folder;

/// Without noise, so that frames need no numbers.
const CHAIN: &str = "deband(range 9, threshold 20, dither 0) > gauss(0.8)";
const DEBAND: &str = "deband(range 9, threshold 20, dither 0)";

/// `DEBAND`'s numbers as a host has them: 9 of 0 to 127, and 20 of 0 to 31.
const RANGE: &str = "0.0708661";
const THRESHOLD: &str = "0.6451613";

/// A clip of four frames of RGBA, whose alpha is no constant. FFmpeg 5 spoils rows unless the width is a multiple of 16.
fn clip(folder: &Folder) -> String {
    let clip = folder.path("clip.nut");
    let source = "mandelbrot=s=64x48:r=25,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X+4*Y'";
    let args = ["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "4", "-pix_fmt", "rgba", "-c:v", "rawvideo"];
    folder.run("ffmpeg", &[&args[..], &[&clip]].concat());
    clip
}

#[test]
fn ffmpeg_gives_the_commands_frames() {
    let folder = Folder::new();
    let clip = clip(&folder);
    // Commas part FFmpeg's filters.
    let chain = format!("frei0r=vramp_chain:{}", CHAIN.replace(',', "\\,"));
    assert_eq!(folder.ffmpeg_hashes(&clip, &format!("{chain},format=gbrp")), folder.vramp(&clip, &["--chain", CHAIN]));
    assert_eq!(folder.ffmpeg_hashes(&clip, &format!("{chain},extractplanes=a")), folder.alpha(&clip));

    let deband = format!("frei0r=vramp_deband:{RANGE}|{THRESHOLD}|auto|auto|auto|0,format=gbrp");
    assert_eq!(folder.ffmpeg_hashes(&clip, &deband), folder.vramp(&clip, &["--chain", DEBAND]));
    assert_ne!(folder.vramp(&clip, &["--chain", DEBAND]), folder.vramp(&clip, &[]), "the chain does something");
}

/// Red, green and blue are planes of their own, as in the command.
#[test]
fn gradient_in_ffmpeg_gives_the_commands_frames() {
    let folder = Folder::new();
    folder.add("gradient");
    let clip = clip(&folder);
    let run = |filter: &str| folder.ffmpeg_hashes(&clip, &format!("frei0r={filter},format=gbrp"));
    let commands = |chain: &str| folder.vramp(&clip, &["--chain", chain]);
    assert_eq!(run("vramp_chain:gradient(range 9)"), commands("gradient(range 9)"));
    assert_eq!(run("vramp_gradient"), commands("gradient"));
    assert_eq!(run("vramp_gradient:9"), commands("gradient(range 9)"));
    assert_eq!(run("vramp_chain:gradient(preset codec)"), commands("gradient(preset codec)"));
    let different = ["gradient(range 9)", "gradient", "gradient(preset codec)", "depth(8)"].map(commands);
    for (i, frames) in different.iter().enumerate() {
        assert!(different[..i].iter().all(|others| others != frames), "each of them does something else");
    }
}

/// Booleans come as y and n; both runs have the same times, and so the same noise.
#[test]
fn noise_moves_in_ffmpeg_and_repeats() {
    let folder = Folder::new();
    let still = folder.path("still.nut");
    let source = "color=gray:s=64x48:r=25,format=rgba";
    folder.run("ffmpeg", &["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "16", "-c:v", "rawvideo", &still]);
    let noisy = |moves: &str| {
        let args = format!("frei0r=vramp_deband:0|0|auto|auto|auto|31|auto|auto|0.5|7|n|{moves},format=gbrp");
        folder.ffmpeg_hashes(&still, &args)
    };
    let (moving, standing) = (noisy("y"), noisy("n"));
    assert!(standing.iter().all(|frame| *frame == standing[0]));
    assert!(moving.iter().any(|frame| *frame != moving[0]));
    assert_eq!(moving, noisy("y"));
    assert_eq!(standing, folder.vramp(&still, &["--chain", "deband(range 0, threshold 0, dither 31, seed 7)"]));
}

/// How long `melt` may take, in seconds, and how often it is tried: with or without effects, about one run in a hundred waits
/// for ever for an output that has ended.
const MELT: (&str, usize) = ("20", 6);

/// Runs `melt` on `clip` with `filter`. Gives the file it wrote.
fn melt(folder: &Folder, clip: &str, filter: &[&str]) -> String {
    let (profile, out) = (folder.path("profile"), folder.path("melt.nut"));
    let lines = [
        "description=test",
        "frame_rate_num=25",
        "frame_rate_den=1",
        "width=64",
        "height=48",
        "progressive=1",
        "sample_aspect_num=1",
        "sample_aspect_den=1",
        "display_aspect_num=4",
        "display_aspect_den=3",
        "colorspace=709",
    ];
    std::fs::write(&profile, lines.join("\n")).unwrap();
    let consumer = format!("avformat:{out}");
    let format =
        ["vcodec=rawvideo", "pix_fmt=rgba", "mlt_image_format=rgba", "an=1", "real_time=-1", "terminate_on_pause=1"];
    let start = ["-silent", "-profile", &profile, clip, "-filter"];
    let args = [&[MELT.0, "melt"], &start[..], filter, &["-consumer", &consumer], &format].concat();
    let wrote = |_| {
        let ran = folder.output("timeout".as_ref(), &args);
        let whole = ran.status.success() && std::fs::metadata(&out).is_ok_and(|file| file.len() > 0);
        if whole { Ok(()) } else { Err(ran) }
    };
    let tries: Vec<_> = (0..MELT.1).map(wrote).take_while(Result::is_err).collect();
    assert!(tries.len() < MELT.1, "melt {args:?}: {tries:?}");
    out
}

/// MLT leaves the last frame out.
#[track_caller]
fn assert_same_start(got: &[String], expected: &[String]) {
    assert!(got.len() >= 3, "{got:?}");
    assert_eq!(got, &expected[..got.len()]);
}

#[test]
fn mlt_gives_the_commands_frames() {
    let folder = Folder::new();
    let clip = clip(&folder);
    let out = melt(&folder, &clip, &["frei0r.vramp_chain", &format!("chain={CHAIN}")]);
    assert_same_start(&folder.colours(&out), &folder.vramp(&clip, &["--chain", CHAIN]));
    assert_same_start(&folder.alpha(&out), &folder.alpha(&clip));

    let (range, threshold) = (format!("range={RANGE}"), format!("threshold={THRESHOLD}"));
    let out = melt(&folder, &clip, &["frei0r.vramp_deband", &range, &threshold, "dither=0"]);
    assert_same_start(&folder.colours(&out), &folder.vramp(&clip, &["--chain", DEBAND]));
}

/// Asked for threads, MLT cuts pictures and calls one instance with all pieces at once: each is a picture to the effect.
#[test]
fn mlts_slices_are_filtered_one_by_one() {
    let folder = Folder::new();
    let clip = clip(&folder);
    let out = melt(&folder, &clip, &["frei0r.vramp_chain", &format!("chain={CHAIN}"), "threads=2"]);
    for top in [0, 24] {
        let (half, crop) = (folder.path("half.nut"), format!("crop=64:24:0:{top}"));
        folder.run("ffmpeg", &["-v", "error", "-y", "-i", &clip, "-vf", &crop, "-c:v", "rawvideo", &half]);
        let expected = folder.vramp(&half, &["--chain", CHAIN]);
        assert_same_start(&folder.ffmpeg_hashes(&out, &format!("{crop},format=gbrp")), &expected);
    }
}

#[test]
fn gstreamer_gives_the_commands_frames() {
    let folder = Folder::new();
    let clip = clip(&folder);
    let (raw, out) = (folder.path("in.rgba"), folder.path("out.rgba"));
    folder.run("ffmpeg", &["-v", "error", "-i", &clip, "-f", "rawvideo", &raw]);
    let (from, to) = (format!("location={raw}"), format!("location={out}"));
    let source =
        ["filesrc", &from, "!", "rawvideoparse", "width=64", "height=48", "format=rgba", "framerate=25/1", "!"];
    let run = |effects: &[&str]| {
        folder.run("gst-launch-1.0", &[&["-q"], &source[..], effects, &["!", "filesink", &to]].concat());
        let file = folder.path("out.nut");
        let input = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", "64x48", "-i", &out];
        folder.run("ffmpeg", &[&["-v", "error", "-y"], &input[..], &["-c:v", "rawvideo", &file]].concat());
        (folder.colours(&file), folder.alpha(&file))
    };
    let chain = format!("chain={CHAIN}");
    let (colours, alpha) = run(&["frei0r-filter-vramp-chain", &chain]);
    assert_eq!((colours, alpha), (folder.vramp(&clip, &["--chain", CHAIN]), folder.alpha(&clip)));

    // Both effects at once: two files of the same library are two libraries.
    let (range, threshold) = (format!("range={RANGE}"), format!("threshold={THRESHOLD}"));
    let deband = ["frei0r-filter-vramp-deband", &range, &threshold, "dither=0", "!"];
    let (colours, _) = run(&[&deband[..], &["frei0r-filter-vramp-chain", "chain=gauss(0.8)"]].concat());
    let both = format!("{DEBAND} > depth(8) > gauss(0.8)");
    assert_eq!(colours, folder.vramp(&clip, &["--chain", &both]));
}
