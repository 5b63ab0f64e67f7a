//! `vramp compare`: against ffmpeg's own filters, and as people and programs call it.

mod command;

use command::{Folder, Ran, ffmpeg, run, run_fed};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

const BUNNY: &str = "samples/big-buck-bunny-720p.mp4";

/// Runs `vramp compare` with `args`.
fn compare(args: &[&str]) -> Ran {
    run(&[&["compare"], args].concat())
}

/// The JSON lines of a comparison that went well: what is compared, the frames, the summary.
#[track_caller]
fn lines(args: &[&str]) -> (Value, Vec<Value>, Value) {
    parsed(&compare(&[args, &["--json"]].concat()).ok())
}

fn parsed(ran: &Ran) -> (Value, Vec<Value>, Value) {
    let mut lines: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (first, last) = (lines.remove(0), lines.pop().unwrap());
    assert_eq!((&first["type"], &last["type"]), (&"compare".into(), &"summary".into()));
    (first, lines, last)
}

/// A clip of `frames` frames, losslessly; `filters` make it from a moving test picture.
fn clip(folder: &Folder, name: &str, frames: usize, filters: &str) -> String {
    let path = folder.path(name);
    let source = format!("testsrc2=s=101x67:r=25,format=yuv444p,{filters}");
    ffmpeg(&format!("-f lavfi -i {source} -frames:v {frames} -c:v ffv1 -level 3 {path}"));
    path
}

/// What ffmpeg's `filter` (psnr or ssim) writes of each frame, as words "name:value".
fn by_ffmpeg(folder: &Folder, filter: &str, a: &str, b: &str) -> Vec<String> {
    let log = folder.path("ffmpeg.log");
    ffmpeg(&format!("-i {a} -i {b} -lavfi [0:v][1:v]{filter}=stats_file={log} -f null -"));
    fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect()
}

/// The value of `name` in a line of ffmpeg's.
fn value(line: &str, name: &str) -> f64 {
    let word = line.split_whitespace().find_map(|word| word.strip_prefix(&format!("{name}:")));
    word.unwrap_or_else(|| panic!("no {name} in {line}")).parse().unwrap()
}

#[track_caller]
fn close(ours: &Value, theirs: f64, within: f64, what: &str) {
    match ours.as_f64() {
        Some(ours) => assert!((ours - theirs).abs() <= within, "{what}: {ours}, ffmpeg has {theirs}"),
        None => assert!(theirs.is_infinite(), "{what}: equal, ffmpeg has {theirs}"),
    }
}

#[test]
fn psnr_and_ssim_are_those_of_ffmpeg() {
    let folder = Folder::new();
    let noise = "noise=alls=20:allf=t:all_seed=7";
    for format in ["yuv420p", "yuv422p", "yuv444p", "gray", "yuv420p10le", "yuv444p12le", "yuv420p16le"] {
        let a = clip(&folder, "a.mkv", 5, &format!("format={format}"));
        // The noise filter knows 8 bits only; converted up, differences stay.
        let b = clip(&folder, "b.mkv", 5, &format!("format=yuv444p,{noise},format={format}"));
        check_against_ffmpeg(&folder, &a, &b, format);
    }
}

#[test]
fn a_real_clip_has_the_numbers_of_ffmpeg() {
    let folder = Folder::new();
    let (a, b) = (folder.path("a.mkv"), folder.path("b.mkv"));
    ffmpeg(&format!("-i {BUNNY} -frames:v 12 -an -c:v ffv1 {a}"));
    ffmpeg(&format!("-i {a} -c:v libx264 -crf 32 {b}"));
    check_against_ffmpeg(&folder, &a, &b, "clip");
}

/// Holds every number that ffmpeg prints against ours, to the digits it prints.
#[track_caller]
fn check_against_ffmpeg(folder: &Folder, a: &str, b: &str, what: &str) {
    let (_, frames, _) = lines(&[a, b]);
    let (psnr, ssim) = (by_ffmpeg(folder, "psnr", a, b), by_ffmpeg(folder, "ssim", a, b));
    assert_eq!((frames.len(), psnr.len(), ssim.len()), (psnr.len(), ssim.len(), frames.len()), "{what}");
    assert!(frames.iter().any(|frame| frame["mse"].as_f64().unwrap() > 1.0), "{what}: there is something to measure");
    for (frame, (psnr, ssim)) in frames.iter().zip(psnr.iter().zip(&ssim)) {
        let what = format!("{what} {}", frame["a"]);
        close(&frame["mse"], value(psnr, "mse_avg"), 0.00501, &what);
        close(&frame["psnr"], value(psnr, "psnr_avg"), 0.00501, &what);
        close(&frame["ssim"], value(ssim, "All"), 2e-6, &what);
        for plane in frame["planes"].as_array().unwrap() {
            let name = plane["plane"].as_str().unwrap();
            close(&plane["mse"], value(psnr, &format!("mse_{name}")), 0.00501, &what);
            close(&plane["psnr"], value(psnr, &format!("psnr_{name}")), 0.00501, &what);
            close(&plane["ssim"], value(ssim, &name.to_uppercase()), 2e-6, &what);
        }
    }
}

#[test]
fn equal_videos_are_exactly_equal_whatever_holds_them() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 4, "format=yuv420p");
    let b = folder.path("b.nut");
    ffmpeg(&format!("-i {a} -c:v rawvideo -pix_fmt nv12 {b}"));
    let (first, frames, last) = lines(&[&a, &b, "--tolerance", "exact"]);
    assert_eq!(
        (&first["align"], &first["planes"], frames.len()),
        (&"pts".into(), &serde_json::json!(["y", "u", "v"]), 4)
    );
    for frame in &frames {
        assert_eq!((&frame["psnr"], &frame["ssim"], &frame["max"]), (&Value::Null, &1.0.into(), &0.into()), "{frame}");
        assert_eq!((&frame["within"], &frame["planes"][0]["at"]), (&true.into(), &Value::Null));
    }
    assert_eq!(
        (&last["passed"], &last["different"], &last["first_difference"]),
        (&true.into(), &0.into(), &Value::Null)
    );
    let text = compare(&[&a, &b]).ok();
    assert!(text.text().contains("4 pairs") && text.text().contains("no sample differs"), "{}", text.text());
    assert_eq!(compare(&[&a, &b, "-q"]).ok().stdout, b"");
}

#[test]
fn a_single_sample_is_found() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 6, "format=yuv420p");
    let b = clip(
        &folder,
        "b.mkv",
        6,
        "format=yuv420p,geq=lum='p(X,Y)+5*eq(N,3)*eq(X,70)*eq(Y,41)':cb='p(X,Y)':cr='p(X,Y)':interpolation=n",
    );
    let ran = compare(&[&a, &b, "--json", "--tolerance", "max=4"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let (_, frames, last) = parsed(&ran);
    let luma = &frames[3]["planes"][0];
    assert_eq!((&luma["max"], &luma["at"]["x"], &luma["at"]["y"]), (&5.into(), &70.into(), &41.into()));
    assert_eq!(luma["at"]["b"].as_i64().unwrap() - luma["at"]["a"].as_i64().unwrap(), 5);
    assert_eq!((&last["first_difference"]["index"], &last["different"]), (&3.into(), &1.into()));
    assert_eq!(
        (&last["beyond_tolerance"], &last["passed"], &last["complete"]),
        (&1.into(), &false.into(), &true.into())
    );
    assert!(
        ran.stderr.contains("max=4") && ran.stderr.contains("frame 3 (0.120 s) with max 5 in plane y"),
        "{}",
        ran.stderr
    );
    assert_eq!(compare(&[&a, &b, "--tolerance", "max=5:psnr=40:ssim=0.9"]).code, Some(0));
    assert_eq!(compare(&[&a, &b, "--tolerance", "psnr=80"]).code, Some(1));
    assert_eq!(compare(&[&a, &b]).code, Some(0), "without a tolerance, a difference is no failure");
}

#[test]
fn missing_frames_are_named_across_timebases() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 20, "scale=64:48,format=yuv420p");
    let b = folder.path("b.mp4");
    ffmpeg(&format!(
        "-i {a} -vf select=not(between(n\\,7\\,9)),select=not(eq(n\\,0)) -vsync passthrough -c:v libx264 -qp 0 -video_track_timescale 90000 {b}"
    ));
    let ran = compare(&[&a, &b, "--json", "--tolerance", "exact"]);
    let (_, frames, last) = parsed(&ran);
    assert_eq!(ran.code, Some(1));
    assert_eq!((&last["only_a"], &last["only_b"]), (&serde_json::json!([[0, 0], [7, 9]]), &serde_json::json!([])));
    assert_eq!((&last["pairs"], &last["different"], &last["beyond_tolerance"]), (&16.into(), &0.into(), &0.into()));
    let missing: Vec<_> = frames.iter().filter(|line| line["type"] == "missing").collect();
    assert_eq!((missing.len(), &missing[1]["a"]["index"], &missing[1]["b"]), (4, &7.into(), &Value::Null));
    assert!(ran.stderr.contains("frames only in A: 0, 7-9"), "{}", ran.stderr);
    // By order they are other frames.
    let (_, _, last) = lines(&[&a, &b, "--align", "index"]);
    assert_eq!(
        (&last["pairs"], &last["different"], &last["only_a"]),
        (&16.into(), &16.into(), &serde_json::json!([[16, 19]]))
    );
}

#[test]
fn times_may_be_moved_and_parts_taken() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 12, "format=yuv420p");
    let b = folder.path("b.mkv");
    ffmpeg(&format!("-copyts -i {a} -vf setpts=PTS+10/TB -c:v ffv1 {b}"));
    let apart = compare(&[&a, &b]);
    assert_eq!(apart.code, Some(2));
    assert!(apart.stderr.contains("--align index") && apart.stderr.contains("--offset"), "{}", apart.stderr);
    let (_, frames, last) = lines(&[&a, &b, "--offset", "-10", "--start", "#3", "--end", "#8", "--tolerance", "exact"]);
    assert_eq!((frames.len(), &frames[0]["a"]["index"], &last["passed"]), (5, &3.into(), &true.into()));
}

/// What a comparison suggests: the frames that look alike, and the options.
fn hint(args: &[&str]) -> Option<(u64, u64, String)> {
    let ran = compare(&[args, &["--json"]].concat());
    let hint = &parsed(&ran).2["hint"];
    let hints = ran.stderr.lines().filter(|line| line.contains(" look like ")).count();
    assert_eq!(hints, usize::from(!hint.is_null()), "{}", ran.stderr);
    let options = hint["options"].as_str()?.to_owned();
    assert!(ran.stderr.contains(&format!("try {options}")), "{}", ran.stderr);
    Some((hint["a"]["index"].as_u64().unwrap(), hint["b"]["index"].as_u64().unwrap(), options))
}

#[test]
fn a_constant_shift_is_reported_with_the_option_that_mends_it() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 20, "scale=100:66,format=yuv420p");
    let [cut, lossy, late] = ["cut.mkv", "lossy.mkv", "late.ts"].map(|name| folder.path(name));
    ffmpeg(&format!("-i {a} -vf select=gte(n\\,2),setpts=PTS-STARTPTS -c:v ffv1 {cut}"));
    ffmpeg(&format!("-i {cut} -c:v libx264 -crf 23 {lossy}"));
    ffmpeg(&format!("-i {a} -c:v libx264 -qp 0 -bf 0 -muxdelay 0 -output_ts_offset 36000 {late}"));

    for b in [&cut, &lossy] {
        assert_eq!(hint(&[&a, b]), Some((2, 0, "--offset 0.08".to_owned())));
        assert_eq!(hint(&[&a, b, "--align", "index"]), Some((2, 0, "--offset '#2'".to_owned())));
        assert_eq!(hint(&[b, &a]), Some((0, 2, "--offset -0.08".to_owned())));
        assert_eq!(hint(&[b, &a, "--align", "index"]), Some((0, 2, "--offset '#-2'".to_owned())));
        assert_eq!(hint(&[&a, b, "--offset", "0.08"]), None);
    }
    assert_eq!(hint(&[&a, &cut, "--start", "#5", "--align", "index"]), Some((7, 5, "--offset '#2'".to_owned())));
    for options in [&["--offset", "0.08"][..], &["--align", "index", "--offset", "#2"]] {
        let (_, _, last) = lines(&[&[a.as_str(), &cut], options].concat());
        let found = (&last["pairs"], &last["different"], &last["only_a"], &last["only_b"]);
        assert_eq!(found, (&18.into(), &0.into(), &serde_json::json!([[0, 1]]), &serde_json::json!([])), "{options:?}");
    }
    let (_, _, last) = lines(&[&cut, &a, "--align", "index", "--offset", "#-2"]);
    assert_eq!((&last["different"], &last["only_b"]), (&0.into(), &serde_json::json!([[0, 1]])));

    // None is shown when the other is.
    let (first, second, options) = hint(&[&a, &late]).unwrap();
    let (option, seconds) = options.split_once(' ').unwrap();
    assert_eq!((first, second, option), (0, 0, "--offset"));
    assert_eq!(lines(&[&a, &late, "--tolerance", "exact", option, seconds]).2["passed"], true);

    let page = folder.path("page.html");
    compare(&[&a, &cut, "--html", &page]).ok();
    assert!(fs::read_to_string(&page).unwrap().contains("try --offset 0.08"));
}

#[test]
fn what_no_shift_mends_is_not_called_shifted() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 12, "scale=100:66,format=yuv420p");
    let other = clip(&folder, "other.mkv", 12, "scale=100:66,format=yuv420p,hflip,negate");
    let coarse = folder.path("coarse.mkv");
    ffmpeg(&format!("-i {a} -c:v libx264 -crf 40 {coarse}"));
    let still = clip(&folder, "still.mkv", 12, "scale=100:66,format=yuv420p,select=eq(n\\,0),loop=11:1,setpts=N/25/TB");
    let brighter = clip(&folder, "brighter.mkv", 12, "scale=100:66,format=yuv420p,lutyuv=y=val+20");
    for [a, b] in [[&a, &a], [&a, &other], [&a, &coarse], [&still, &still], [&a, &still], [&a, &brighter]] {
        assert_eq!(hint(&[a, b]), None, "{a} {b}");
    }
}

/// What `--json` says differs besides the frames: its name, and whether it is beyond the tolerance.
fn beside(args: &[&str]) -> Vec<(String, bool)> {
    let summary = parsed(&compare(&[args, &["--json"]].concat())).2;
    let asides = summary["beside"].as_array().unwrap().iter();
    asides.map(|aside| (aside["what"].as_str().unwrap().to_owned(), aside["beyond_tolerance"] == true)).collect()
}

#[test]
fn tags_that_differ_are_not_exactly_the_same() {
    let folder = Folder::new();
    let tagged = |name: &str, tags: &str, filters: &str| {
        let path = folder.path(name);
        let source = format!("testsrc2=s=64x48:r=25,format=yuv420p,{filters}");
        ffmpeg(&format!("-f lavfi -i {source} -frames:v 3 {tags} -c:v libx264 -qp 0 {path}"));
        path
    };
    let bt709 = "-colorspace bt709 -color_primaries bt709 -color_trc bt709";
    let a = tagged("a.mp4", bt709, "setsar=1");
    let turned = folder.path("turned.mp4");
    ffmpeg(&format!("-i {a} -c copy -metadata:s:v rotate=90 {turned}"));
    let exact = ["--tolerance", "exact"];
    assert_eq!(compare(&[&[a.as_str(), &a][..], &exact].concat()).code, Some(0));
    for (name, b) in [
        ("matrix", tagged("matrix.mp4", &bt709.replace("colorspace bt709", "colorspace bt2020nc"), "setsar=1")),
        ("primaries", tagged("primaries.mp4", &bt709.replace("primaries bt709", "primaries bt2020"), "setsar=1")),
        ("transfer", tagged("transfer.mp4", &bt709.replace("trc bt709", "trc smpte2084"), "setsar=1")),
        ("sar", tagged("sar.mp4", bt709, "setsar=4/3")),
        ("rotation", turned),
    ] {
        let pair = [a.as_str(), &b];
        let ran = compare(&[&pair[..], &exact].concat());
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.stderr);
        assert!(ran.text().contains(&format!("besides the frames: {name} ")), "{}", ran.text());
        assert!(ran.stderr.contains(&format!("not within exact: {name} ")), "{}", ran.stderr);
        assert_eq!(beside(&[&pair[..], &exact].concat()), [(name.to_owned(), true)]);
        // Limits are of samples; what else differs is reported.
        assert_eq!(beside(&[&pair[..], &["--tolerance", "psnr=90"]].concat()), [(name.to_owned(), false)]);
        compare(&[&pair[..], &["--tolerance", "psnr=90"]].concat()).ok();
        compare(&[&pair[..], &exact, &["--tags", "ignore"]].concat()).ok();
        let strict = compare(&[&pair[..], &["--tolerance", "psnr=90", "--tags", "exact"]].concat());
        assert_eq!(strict.code, Some(1), "{name}");
    }
    let text = compare(&[&a, &folder.path("primaries.mp4")]).ok();
    assert!(text.text().contains("besides the frames: primaries bt709 in A and bt2020 in B\n"), "{}", text.text());
    // Square is the default.
    let bare = folder.path("bare.mkv");
    ffmpeg(&format!("-i {a} -c copy -bsf:v h264_metadata=sample_aspect_ratio=0/1 {bare}"));
    assert_eq!(beside(&[&a, &bare]), []);
}

#[test]
fn what_is_beside_the_frames_is_reported() {
    let folder = Folder::new();
    let [a, late, other] = ["a.mkv", "late.mkv", "other.mkv"].map(|name| folder.path(name));
    let [chapters, page] = ["chapters.txt", "page.html"].map(|name| folder.path(name));
    fs::write(&chapters, ";FFMETADATA1\ntitle=Film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n")
        .unwrap();
    let sources = "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2";
    ffmpeg(&format!("{sources} -i {chapters} -map 0 -map 1 -map_metadata 2 -c:v ffv1 -c:a flac {a}"));
    ffmpeg(&format!("-i {a} -itsoffset 0.5 -i {a} -map 0:v -map 1:a -c copy {late}"));
    ffmpeg(&format!("-i {a} -map 0:v -c copy -map_chapters -1 -metadata title=Movie {other}"));
    let exact = |a: &str, b: &str| compare(&[a, b, "--tolerance", "exact", "--html", &page, "-y"]);
    exact(&a, &a).ok();
    let ran = exact(&a, &late);
    assert_eq!(ran.code, Some(1), "{}", ran.text());
    let hints = "stream 1 (audio flac): ";
    assert!(ran.text().contains(&format!("besides the frames: {hints}")), "{}", ran.text());
    assert!(
        ran.stderr.contains(hints) && ran.stderr.contains("of B come 0.500 s later, from 0.000 s on"),
        "{}",
        ran.stderr
    );
    assert!(fs::read_to_string(&page).unwrap().contains("of B come 0.500 s later"));
    compare(&[&a, &late]).ok();
    compare(&[&a, &late, "--tolerance", "exact", "--no-streams"]).ok();

    let text = compare(&[&a, &other]).ok();
    for line in ["stream 1 (audio flac): only in A", "1 chapters in A and 0 in B", "title 'Film' in A and 'Movie' in B"]
    {
        assert!(text.text().contains(&format!("besides the frames: {line}\n")), "{}", text.text());
    }
    let hints = beside(&[&a, &other, "--tolerance", "exact"]);
    let names = [("stream", true), ("chapters", false), ("title", false)];
    assert_eq!(hints, names.map(|(name, beyond)| (name.to_owned(), beyond)));
    // Everything is later: what is seen and heard together stays so.
    let moved = folder.path("moved.mkv");
    ffmpeg(&format!("-i {a} -map 0 -c copy -output_ts_offset 7 {moved}"));
    compare(&[&a, &moved, "--offset", "-7", "--tolerance", "exact"]).ok();
    compare(&[&a, &moved, "--align", "index", "--tolerance", "exact"]).ok();
    // A part has the packets of the part.
    compare(&[&a, &a, "--start", "0.5", "--frames", "9", "--tolerance", "exact"]).ok();
}

#[test]
fn depths_meet_at_the_higher() {
    let folder = Folder::new();
    for range in ["tv", "pc"] {
        let a = clip(&folder, "a.mkv", 3, &format!("scale=out_range={range},format=yuv420p"));
        let b = folder.path("b.mkv");
        run(&[a.as_str(), &b, "-y", "-c", "ffv1", "--depth", "10"]).ok();
        for pair in [[a.as_str(), &b], [b.as_str(), &a]] {
            let (first, _, last) = lines(&[pair[0], pair[1], "--tolerance", "exact"]);
            assert_eq!((&first["format"], &last["different"]), (&"yuv420p10".into(), &0.into()), "{range}");
        }
    }
}

#[test]
fn chains_come_before_the_comparison() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 3, "format=yuv420p");
    let b = folder.path("b.mkv");
    let chain = "deband=range=16:sample=2";
    run(&[a.as_str(), &b, "-c", "ffv1", "--chain", chain, "--depth", "10"]).ok();
    let filtered = format!("{chain},depth=10");
    compare(&[&a, &b, "--chain-a", &filtered, "--tolerance", "exact"]).ok();
    assert_eq!(compare(&[&a, &b, "--tolerance", "exact"]).code, Some(1));
    assert_eq!(compare(&[&a, &b, "--chain-b", "debnad"]).code, Some(2));
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 4, "format=yuv420p10le");
    let b = clip(&folder, "b.mkv", 4, "format=yuv420p,noise=alls=9:all_seed=1,format=yuv420p10le");
    let with = |threads| compare(&[&a, &b, "--json", "--threads", threads]).ok().stdout;
    assert_eq!(with("1"), with("5"));
}

#[test]
fn small_frames_are_measured() {
    let folder = Folder::new();
    for size in ["1x1", "2x2", "7x5", "9x3"] {
        let make = |name, filter: &str| {
            let path = folder.path(name);
            ffmpeg(&format!(
                "-f lavfi -i color=gray:s={size},format=yuv444p,format=yuv420p,{filter} -frames:v 2 -c:v ffv1 {path}"
            ));
            path
        };
        let (a, b) = (make("a.mkv", "null"), make("b.mkv", "lutyuv=y=val+9"));
        let (_, frames, _) = lines(&[&a, &b]);
        let luma = &frames[0]["planes"][0];
        assert_eq!((&luma["mse"], &luma["max"]), (&81.0.into(), &9.into()), "{size}");
        let ssim = luma["ssim"].as_f64().unwrap();
        assert!((0.9..1.0).contains(&ssim), "{size}: {ssim}");
        assert_eq!(frames[0]["planes"][1]["ssim"], 1.0, "{size}");
    }
}

#[test]
fn the_banding_of_both_is_shown_where_it_is_asked_for() {
    let folder = Folder::new();
    let (a, page) = (folder.path("a.mkv"), folder.path("page.html"));
    // Stairs of one code, 20 columns each.
    ffmpeg(&format!("-f lavfi -i nullsrc=s=320x180,format=gray,geq=lum=30+floor(X/20) -frames:v 2 -c:v ffv1 {a}"));
    let sides = [&a, &a, "--chain-b", "gradient,depth=10:dither=tpdf", "--banding"];
    let (_, frames, summary) = lines(&[&sides[..], &["--html", &page]].concat());
    let index = |value: &Value| value.as_f64().unwrap();
    let mean = |side: &str| index(&summary["banding"][side]["mean"]);
    assert!(mean("a") > 10.0 && mean("b") < mean("a") / 2.0, "{summary}");
    for side in ["a", "b"] {
        let of_frames: Vec<f64> = frames.iter().map(|frame| index(&frame["banding"][side])).collect();
        assert!((of_frames.iter().sum::<f64>() / 2.0 - mean(side)).abs() < 1e-9, "{frames:?}");
        let highest = of_frames.iter().copied().fold(0.0, f64::max);
        assert_eq!(index(&summary["banding"][side]["max"]["value"]), highest);
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("banding of A and, dashed, of B (CAMBI)") && page.contains("mean banding"));
    let ran = compare(&sides).ok();
    let text = ran.text();
    assert!(text.contains(&format!("A      {:<12.3}", mean("a"))) && text.contains("mean banding"), "{text}");
    let (_, frames, summary) = lines(&[&a, &a]);
    assert!(summary["banding"].is_null() && frames[0]["banding"].is_null());
}

/// A clean ramp of 16 bits has bands again when it is rounded to ten; every dither leaves less of them, the triangular one the least.
#[test]
fn dithers_take_the_bands_of_ten_bits() {
    let folder = Folder::new();
    let ramp = folder.path("ramp.mkv");
    let lum = "(30+X/60+Y/90)*256";
    ffmpeg(&format!("-f lavfi -i color=s=1280x720,format=gray16le,geq=lum={lum} -frames:v 1 -c:v ffv1 {ramp}"));
    let banding = |dither: &str| {
        let (_, _, summary) = lines(&[&ramp, &ramp, "--chain-b", &format!("depth=10:dither={dither}"), "--banding"]);
        summary["banding"]["b"]["mean"].as_f64().unwrap()
    };
    let rounded = banding("none");
    assert!(rounded > 2.6, "{rounded}");
    let least = banding("tpdf");
    assert!(least < 0.4 && least < rounded / 6.0, "{least} of {rounded}");
    for dither in ["ordered", "blue", "fs"] {
        let left = banding(dither);
        assert!(left < rounded / 2.0 && left > least, "{dither}: {left} of {rounded}");
    }
}

#[test]
fn the_worst_frames_become_pictures() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 6, "format=yuv420p");
    let b = clip(
        &folder,
        "b.mkv",
        6,
        "format=yuv420p,geq=lum='p(X,Y)+20*eq(N,4)+9*eq(N,1)':cb='p(X,Y)':cr='p(X,Y)':interpolation=n",
    );
    let worst = folder.path("worst");
    let (_, _, last) = lines(&[&a, &b, "--worst", "3", &worst]);
    let frames: Vec<_> = last["worst"].as_array().unwrap().iter().map(|shot| shot["frame"].as_u64().unwrap()).collect();
    assert_eq!(frames, [4, 1], "the worst first, and none that is equal");
    for key in ["a", "b", "difference"] {
        let file = fs::File::open(last["worst"][0][key].as_str().unwrap()).unwrap();
        let mut picture = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut bytes = vec![0; picture.output_buffer_size().unwrap()];
        let info = picture.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (101, 67), "{key}");
        assert!(key != "difference" || bytes.iter().all(|value| *value > 140), "B is brighter everywhere");
    }
    let picture = folder.path("worst/frame-000004-a.png");
    fs::write(&picture, "precious").unwrap();
    let refused = compare(&[&a, &b, "--worst", "3", &worst]);
    assert_eq!((refused.code, fs::read(&picture).unwrap()), (Some(2), b"precious".to_vec()));
    compare(&[&a, &b, "--worst", "3", &worst, "-y"]).ok();
    assert!(fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let inside = compare(&[&picture, &b, "--worst", "1", &worst, "-y"]);
    assert_eq!(inside.code, Some(2), "an input in the folder is never replaced");
    compare(&[&a, &a, "--worst", "3", &folder.path("none")]).ok();
    assert!(!folder.names().contains(&"none".to_owned()), "nothing differs, so there is no folder");
}

#[test]
fn pictures_that_are_kept_fit_in_memory() {
    let folder = Folder::new();
    let large = folder.path("large.mkv");
    ffmpeg(&format!("-f lavfi -i color=gray:s=1920x1080 -frames:v 1 -pix_fmt yuv444p16le -c:v ffv1 {large}"));
    let worst = |count| compare(&[&large, &large, "--worst", count, &folder.path("worst")]);
    let refused = worst("100");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    // 2 pictures of 3 planes of 1920·1080 samples of 2 bytes are 23.7 MiB: 43 fit in 1 GiB.
    assert!(refused.stderr.contains("of 23.7 MiB each: at most 43 fit in 1.0 GiB"), "{}", refused.stderr);
    worst("43").ok();
}

#[test]
fn no_output_replaces_what_is_read_or_another_output() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 3, "format=yuv420p");
    let b = clip(&folder, "b.mkv", 3, "format=yuv420p,lutyuv=y=val+9");
    let (chain, worst, link) = (folder.path("chain.txt"), folder.path("worst"), folder.path("link.html"));
    fs::write(&chain, "deband").unwrap();
    fs::create_dir(&worst).unwrap();
    let new = folder.path("new");
    std::os::unix::fs::symlink("worst/frame-000000-difference.png", &link).unwrap();
    let before = folder.names();
    let (chained, picture) = (format!("@{chain}"), format!("{worst}/frame-000001-b.png"));
    for (args, words) in [
        (vec!["--html", &chain, "--chain-b", &chained, "-y"], "chain.txt is the input"),
        (vec!["--html", &b, "-y"], "b.mkv is the input"),
        (vec!["--html", &picture, "--worst", "2", &worst], "called as a picture of --worst"),
        (vec!["--html", &picture, "--worst", "2", &format!("{worst}/../worst"), "-y"], "called as a picture"),
        (vec!["--html", &link, "--worst", "2", &worst, "-y"], "called as a picture"),
        (vec!["--worst", "2", &folder.path("."), "-y"], "where the pictures would go"),
        (vec!["--html", &new, "--worst", "2", &new], "needs a folder there"),
        (vec!["--html", &new, "--worst", "2", &format!("{worst}/../new/deep"), "-y"], "needs a folder there"),
        (vec!["--html", &format!("{new}/frame-000001-b.png"), "--worst", "2", &new], "called as a picture"),
    ] {
        let ran = compare(&[&[a.as_str(), &b], &args[..]].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        assert_eq!((folder.names(), fs::read_dir(&worst).unwrap().count()), (before.clone(), 0), "{args:?}");
    }
    assert_eq!(fs::read(&chain).unwrap(), b"deband");
    // A page of its own name may lie among the pictures.
    compare(&[&a, &b, "--html", &format!("{worst}/page.html"), "--worst", "2", &worst]).ok();
    assert_eq!(fs::read_dir(&worst).unwrap().count(), 7);
    // Also where they will be; the folder is removed if nothing is written.
    let page = format!("{new}/page.html");
    assert_eq!(compare(&[&a, &chain, "--html", &page, "--worst", "2", &new]).code, Some(4));
    assert!(fs::metadata(&new).is_err());
    compare(&[&a, &b, "--html", &page, "--worst", "2", &new]).ok();
    assert_eq!(fs::read_dir(&new).unwrap().count(), 7);
}

#[test]
fn alpha_is_compared_by_nobody_unasked() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 3, "format=rgba,lutrgb=a=200,format=yuva444p");
    let b = clip(&folder, "b.mkv", 3, "format=rgba,lutrgb=a=90,format=yuva444p");
    let opaque = clip(&folder, "opaque.mkv", 3, "format=rgba,format=yuv444p");
    let before = folder.names();
    let page = folder.path("page.html");
    for (pair, name) in [([&a, &b], "a.mkv has alpha"), ([&opaque, &b], "b.mkv has alpha")] {
        let ran = compare(&[pair[0], pair[1], "--tolerance", "exact", "--html", &page, "-q"]);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(3), 1), "{}", ran.stderr);
        assert!(ran.stderr.contains(name) && ran.stderr.contains("--ignore-alpha"), "{}", ran.stderr);
        assert_eq!(folder.names(), before);
    }
    let ran = compare(&[&a, &b, "--tolerance", "exact", "--ignore-alpha", "--html", &page]).ok();
    assert!(ran.text().contains("alpha was not compared"), "{}", ran.text());
    assert!(fs::read_to_string(&page).unwrap().contains("alpha was not compared"));
    let (first, _, summary) = lines(&[&opaque, &b, "--tolerance", "exact", "--ignore-alpha"]);
    assert_eq!((&first["a"]["alpha_ignored"], &first["b"]["alpha_ignored"]), (&false.into(), &true.into()));
    assert_eq!(summary["passed"], true);
}

#[test]
fn the_page_is_whole_and_refers_to_nothing_outside() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 6, "format=yuv420p");
    let b = clip(&folder, "b.mkv", 5, "format=yuv420p,noise=alls=9:all_seed=1");
    let odd = folder.path("<b>&\"'.mkv");
    fs::rename(&b, &odd).unwrap();
    let (page, worst) = (folder.path("page.html"), folder.path("the worst"));
    let ran = compare(&[&a, &odd, "--html", &page, "--worst", "2", &worst, "--tolerance", "psnr=60", "-q"]);
    assert_eq!(ran.code, Some(1));
    let text = fs::read_to_string(&page).unwrap();
    let small = "src=\"data:image/png;base64,iVBORw0KGgo";
    assert_eq!(text.matches(small).count(), 6, "three small pictures of each of the two frames");
    let text = text.replace(small, "");
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "import(", "fetch(", "srcset"] {
        assert!(!text.contains(outside), "{outside}");
    }
    let links: Vec<_> = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 6);
    for link in links {
        let file = link.strip_prefix("the%20worst/").unwrap();
        assert!(fs::exists(folder.path(&format!("the worst/{file}"))).unwrap(), "{link}");
    }
    assert!(text.contains("&lt;b&gt;&amp;&quot;&#39;.mkv") && !text.contains("<b>"), "names are text");
    assert_eq!(text.matches("<figure>").count(), text.matches("</figure>").count());
    assert_eq!((text.matches("<figure>").count(), text.matches("role=\"img\"").count()), (3, 3));
    assert!(text.contains("Not within psnr=60") && text.contains("1 frames only in A: 5"));
    let rate = fs::metadata(&a).unwrap().len() as f64 * 8.0 / 0.24 / 1e6;
    assert!(
        text.contains("A: matroska,webm, ffv1, ") && text.contains(&format!(", {rate:.2} Mbit/s in all")),
        "{rate}"
    );
    let made = text.split("<footer>").nth(1).unwrap().split("</footer>").next().unwrap();
    let (version, date) = made.split_once(", ").unwrap();
    assert_eq!(version, concat!("vramp ", env!("CARGO_PKG_VERSION")));
    assert!(date.starts_with("20") && date.ends_with(" UTC") && date.len() == "2026-03-01 07:05 UTC".len(), "{date}");
    let numbers = text.split("id=\"numbers\">").nth(1).unwrap().split("</script>").next().unwrap();
    let numbers: Value = serde_json::from_str(numbers).unwrap();
    assert_eq!((numbers["index"].as_array().unwrap().len(), numbers["psnr"].as_array().unwrap().len()), (5, 3));

    assert_eq!(compare(&[&a, &odd, "--html", &page]).code, Some(2), "it exists");
    assert_eq!(compare(&[&a, &odd, "--html", &a, "-y"]).code, Some(2), "it is an input");
    assert_eq!(fs::read_to_string(&page).unwrap().replace(small, ""), text);
    compare(&[&a, &a, "--html", &page, "-y"]).ok();
    assert!(fs::read_to_string(&page).unwrap().contains("no sample differs"));
    let piped = compare(&[&a, &a, "--html", "-"]).ok();
    assert!(piped.text().starts_with("<!DOCTYPE html>") && piped.text().ends_with("</html>\n"));
}

#[test]
fn the_worst_frames_are_not_one_moment() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 60, "scale=64:48,format=yuv420p");
    // Two bad moments of five frames each, the first of them worse.
    let bad = "lutyuv=y=val+40:enable=between(n\\,10\\,14),lutyuv=y=val+20:enable=between(n\\,50\\,54)";
    let b = clip(&folder, "b.mkv", 60, &format!("scale=64:48,format=yuv420p,{bad}"));
    let frames = |most: &str| {
        let (_, _, last) = lines(&[&a, &b, "--worst", most, &folder.path(&format!("worst{most}"))]);
        let shots = last["worst"].as_array().unwrap().iter();
        shots.map(|shot| shot["frame"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let two = frames("2");
    assert!((10..15).contains(&two[0]) && (50..55).contains(&two[1]), "{two:?}");
    assert_eq!(frames("12").len(), 10, "all that differ, where there is room");
}

#[test]
fn progress_knows_how_many_pairs_there_will_be() {
    let folder = Folder::new();
    let (a, b) = (clip(&folder, "a.mkv", 8, "format=yuv420p"), clip(&folder, "b.mkv", 6, "format=yuv420p"));
    let total = |args: &[&str]| {
        let said = compare(&[&[&*a, &b, "--progress", "json"], args].concat()).stderr;
        let first: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        first["frames"].as_u64()
    };
    assert_eq!((total(&[]), total(&["--start", "#2"]), total(&["--frames", "3"])), (Some(6), Some(4), Some(3)));
}

#[test]
fn pipes_are_compared_too() {
    let folder = Folder::new();
    let a = clip(&folder, "a.mkv", 8, "format=yuv420p");
    let piped = run_fed(&["compare", "-", &a, "--tolerance", "exact"], &fs::read(&a).unwrap()).ok();
    assert!(piped.text().contains("standard input"), "{}", piped.text());
    // One program writes both: neither end may be waited for before the other is open.
    let [one, other] = ["one", "other"].map(|name| folder.path(name));
    assert!(Command::new("mkfifo").args([&one, &other]).status().unwrap().success());
    let outputs = format!("-v error -y -i {a} -c:v ffv1 -f nut {one} -c:v ffv1 -f nut {other}");
    let mut writer = Command::new("ffmpeg").args(outputs.split(' ')).stdin(Stdio::null()).spawn().unwrap();
    compare(&[&one, &other, "--tolerance", "exact"]).ok();
    assert!(writer.wait().unwrap().success());
}

/// What goes wrong: the arguments ({} is the folder), the exit code, and words of the one error line.
const BAD: &[(&str, i32, &[&str])] = &[
    ("{}/none.mkv {}/good.mkv", 7, &["none.mkv", "No such file"]),
    ("{}/good.mkv {}/none.mkv", 7, &["none.mkv", "No such file"]),
    ("{}/good.mkv {}/empty.mkv", 4, &["empty.mkv"]),
    ("{}/good.mkv {}/sound.wav", 4, &["sound.wav", "video"]),
    ("{}/good.mkv {}/large.mkv", 3, &["101x67", "64x48", "one size"]),
    ("{}/good.mkv {}/wide.mkv", 3, &["yuv420p", "yuv422p", "subsampling"]),
    ("{}/good.mkv {}/gray.mkv", 3, &["gray8", "components"]),
    ("{}/good.mkv {}/cut.mkv", 8, &["cut.mkv", "only what decodes"]),
    ("{}/cut.mkv {}/good.mkv --tolerance max=0", 1, &["frames only in B"]),
    ("{}/good.mkv {}/cut.mkv --strict", 4, &["cut.mkv"]),
    ("- -", 2, &["standard input"]),
    ("{}/good.mkv", 2, &["<B>"]),
    ("{}/good.mkv {}/good.mkv --tolerance psnr=high", 2, &["psnr=high"]),
    ("{}/good.mkv {}/good.mkv --tolerance mse=1", 2, &["mse=1", "exact"]),
    ("{}/good.mkv {}/good.mkv --worst 0 {}/w", 2, &["'0'", "1 to 100"]),
    ("{}/good.mkv {}/good.mkv --worst 3", 2, &["--worst"]),
    ("{}/good.mkv {}/good.mkv --worst 3 {}/good.mkv", 7, &["good.mkv"]),
    ("{}/good.mkv {}/good.mkv --html {}/none/page.html", 7, &["none/page.html"]),
    ("{}/good.mkv {}/good.mkv --html /dev/full", 7, &["/dev/full"]),
    ("{}/good.mkv {}/good.mkv --html - --json", 2, &["standard output"]),
    ("{}/good.mkv {}/good.mkv --offset soon", 2, &["soon", "seconds"]),
    ("{}/good.mkv {}/good.mkv --offset nan", 2, &["nan", "seconds"]),
    ("{}/good.mkv {}/good.mkv --offset #x", 2, &["#x", "frames"]),
    ("{}/good.mkv {}/good.mkv --offset 1 --align index", 2, &["--offset", "'#3'"]),
    ("{}/good.mkv {}/good.mkv --offset #1", 2, &["--offset", "--align index"]),
    ("{}/good.mkv {}/good.mkv --offset #-20 --align index", 2, &["no frame of", "meets one of", "more frames than"]),
    ("{}/good.mkv {}/good.mkv --offset 20", 2, &["is shown when one of"]),
    ("{}/good.mkv {}/good.mkv --chain-a deband --device cuda:99", 3, &["; use --device cpu"]),
    ("{}/good.mkv {}/good.mkv --align time", 2, &["time", "pts"]),
    ("{}/good.mkv {}/good.mkv --start 100", 2, &["--start"]),
    ("{}/good.mkv {}/good.mkv --chain-a @{}/none.txt", 7, &["none.txt"]),
];

#[test]
fn what_goes_wrong_is_one_clear_line() {
    let folder = Folder::new();
    let good = clip(&folder, "good.mkv", 12, "format=yuv420p");
    clip(&folder, "wide.mkv", 3, "format=yuv422p");
    clip(&folder, "gray.mkv", 3, "format=gray");
    clip(&folder, "large.mkv", 3, "scale=64:48,format=yuv420p");
    ffmpeg(&format!("-f lavfi -i sine=d=0.1 {}", folder.path("sound.wav")));
    fs::write(folder.path("empty.mkv"), "").unwrap();
    let bytes = fs::read(&good).unwrap();
    fs::write(folder.path("cut.mkv"), &bytes[..bytes.len() * 3 / 5]).unwrap();
    let before = folder.names();
    let place = folder.path("").trim_end_matches('/').to_owned();
    for (line, code, words) in BAD {
        let args: Vec<_> = line.split(' ').map(|word| word.replace("{}", &place)).collect();
        let ran = compare(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let errors: Vec<_> = ran.stderr.lines().filter(|line| line.starts_with("vramp: error: ")).collect();
        assert_eq!((ran.code, errors.len()), (Some(*code), 1), "{line}\n{}", ran.stderr);
        assert!(words.iter().all(|word| errors[0].contains(word)), "{line}\n{}", ran.stderr);
        assert!(ran.stderr.lines().all(|line| line.starts_with("vramp: ")), "{line}\n{}", ran.stderr);
        assert_eq!(folder.names(), before, "{line}");
    }
    assert!(parsed(&compare(&[&good, &folder.path("cut.mkv"), "--json"])).2["complete"] == false);
}
