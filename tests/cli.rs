//! The command, from outside: what it prints, writes and returns.

mod command;

use command::{Folder, Ran, ffmpeg, hashes, run, run_fed, vramp};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

const BUNNY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");
const GRADIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/banded-gradient.mkv");
const CHAIN: &str = "deband=range=16:sample=2";

/// A lossless clip of `frames` moving frames.
fn clip(folder: &Folder, name: &str, size: &str, frames: u32, options: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("-f lavfi -i testsrc2=s={size}:r=25 -frames:v {frames} {options} {path}"));
    path
}

#[test]
fn verbose_prints_where_decoding_begins() {
    let folder = Folder::new();
    let input = clip(&folder, "a.mkv", "64x48", 60, "-c:v libx264 -g 20 -bf 2");
    let said =
        |args: &[&str]| run(&[&[&*input, "-", "-f", "framemd5", "-v", "--frames", "2"], args].concat()).ok().stderr;
    assert!(said(&["--start", "#47"]).contains("decoding begins at frame 40\n"));
    assert!(said(&["--start", "#47", "--strict"]).contains("the frames before the start are decoded too: --strict"));
    assert!(said(&["--start", "#7"]).contains("too: no key frame at which decoding can begin lies between"));
    assert!(!said(&["--start", "#0"]).contains("decoded too"), "nothing lies before");
    let whole = said(&[]);
    assert!(!whole.contains("decoding begins") && !whole.contains("decoded too"), "{whole}");
    for (name, options, reason) in [
        ("b.avi", "-c:v mpeg4", "it is not known where decoding mpeg4 can begin"),
        ("c.avi", "-c:v libx264 -g 20 -bf 0", "its packets have no times"),
    ] {
        let ran =
            run(&[&clip(&folder, name, "64x48", 60, options), "-", "-f", "framemd5", "-v", "--start", "#47"]).ok();
        assert!(ran.stderr.contains(&format!("too: {reason}")), "{}", ran.stderr);
    }
}

/// The lines of a text of records: each frame's number and time, and the value `name` of each of its records.
fn records(path: &str, name: &str) -> Vec<(u64, f64, Vec<serde_json::Value>)> {
    let line = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let values = line["records"].as_array().unwrap().iter().map(|record| record[name].clone()).collect();
        (line["frame"].as_u64().unwrap(), line["time"].as_f64().unwrap(), values)
    };
    fs::read_to_string(path).unwrap().lines().map(line).collect()
}

#[test]
fn what_filters_measure_is_written_down() {
    let folder = Folder::new();
    let input = folder.path("a.mkv");
    // Every sample of frame N is 10 N.
    ffmpeg(&format!("-f lavfi -i color=black:s=64x48:r=25:d=0.4,format=gray,geq=lum=N*10 -c:v ffv1 {input}"));
    let (all, part) = (folder.path("all.jsonl"), folder.path("part.jsonl"));
    let chain = ["--chain", "stats > box > stats(what rows)"];
    run(&[&[&*input, "-f", "null", "--records", &all], &chain[..]].concat()).ok();
    let lines = records(&all, "y_mean");
    assert_eq!(lines.len(), 10);
    for (n, (frame, time, means)) in lines.iter().enumerate() {
        assert_eq!((*frame, (time * 25.0).round() as usize), (n as u64, n));
        assert_eq!(means[0].as_f64(), Some(n as f64 * 10.0 * 256.0));
        assert!(means[1].is_null(), "it measures rows");
    }
    let rows = &records(&all, "y_rows")[3].2[1];
    assert_eq!(rows.as_array().unwrap().len(), 48);
    assert_eq!(rows[47].as_u64(), Some(30 * 256 * 64));
    assert_eq!(records(&all, "filter")[0].2, ["stats", "stats"]);

    // A part has the lines of the whole, and the video beside it is as without records.
    let output = folder.path("o.mkv");
    let cut = ["--start", "#4", "--frames", "3", "-c", "ffv1", "--records", &part];
    run(&[&[&*input, &output], &cut[..], &chain[..]].concat()).ok();
    let text = |path: &str| fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(text(&part), text(&all)[4..7]);
    assert_eq!(folder.names(), ["a.mkv", "all.jsonl", "o.mkv", "part.jsonl"]);
    let again = run(&[&[&*input, "-f", "null", "--records", &part], &chain[..]].concat());
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("part.jsonl exists"), "{}", again.stderr);
    assert_eq!(text(&part).len(), 3);
}

#[test]
fn help_has_commands_spellings_and_exit_codes() {
    let help = run(&["--help"]).ok();
    for word in ["--chain", "filters", "probe", "bench", "-c:v (--codec)", "130  stopped by the user", "Examples:"] {
        assert!(help.text().contains(word), "{word}");
    }
    assert!(!help.text().contains('\x1b'), "no colours into a pipe");
    assert_eq!(run(&["help"]).ok().text(), help.text());
    assert_eq!(run(&["help", "hash"]).ok().text(), run(&["hash", "--help"]).ok().text());
    assert!(run(&["--version"]).ok().text().starts_with("vramp "));
    let nothing = run::<&str>(&[]);
    assert_eq!((nothing.code, nothing.stderr.lines().count()), (Some(2), 1), "{}", nothing.stderr);
}

/// The commands that the help lists, but itself.
fn commands() -> Vec<String> {
    let help = run(&["--help"]).ok();
    let lines = help.text().split("Commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let commands: Vec<_> = lines.filter_map(|line| line.split_whitespace().next()).filter(|c| *c != "help").collect();
    assert!(commands.len() > 7, "{commands:?}");
    commands.into_iter().map(str::to_owned).collect()
}

#[test]
fn help_has_the_words_of_the_field() {
    let mut help = run(&["--help"]).ok().stdout;
    commands().iter().for_each(|command| help.extend(run(&[command, "--help"]).ok().stdout));
    vramp::filters::ALL.iter().for_each(|filter| help.extend(run(&["filters", filter.name]).ok().stdout));
    let refused = |text: &[u8]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/glossary.sh");
        let mut glossary = Command::new(script)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        glossary.stdin.take().unwrap().write_all(text).unwrap();
        let ended = glossary.wait_with_output().unwrap();
        let words = String::from_utf8([ended.stdout, ended.stderr].concat()).unwrap();
        assert_eq!(ended.status.success(), words.is_empty(), "{words}");
        words
    };
    assert_eq!(refused(&help), "");
    let held = refused(b"Every part is read and held\n          against the plan.");
    assert!(held.contains("not \"held against\" but: compared with"), "{held}");
}

#[test]
fn filters_are_listed_and_explained() {
    let list = run(&["filters"]).ok();
    let one = run(&["filters", "deband"]).ok();
    assert!(list.text().contains("deband") && list.text().contains("depth"));
    assert!(one.text().contains("blur_first"));

    let json: serde_json::Value = serde_json::from_slice(&run(&["filters", "--json"]).ok().stdout).unwrap();
    let deband = json.as_array().unwrap().iter().find(|filter| filter["name"] == "deband").unwrap();
    let sample = deband["options"].as_array().unwrap().iter().find(|option| option["name"] == "sample").unwrap();
    assert_eq!((sample["type"].as_str(), sample["max"].as_f64()), (Some("int"), Some(7.0)));

    let wrong = run(&["filters", "debnad"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("did you mean 'deband'"), "{}", wrong.stderr);
}

#[test]
fn a_file_called_like_a_command_is_reached_by_its_path() {
    let folder = Folder::new();
    fs::copy(clip(&folder, "clip.mkv", "32x16", 2, "-c:v ffv1"), folder.path("filters")).unwrap();
    let ran = vramp().current_dir(folder.path("")).args(["./filters", "-", "-f", "framemd5"]).output().unwrap();
    assert_eq!(Ran::from(ran).ok().text().lines().filter(|line| !line.starts_with('#')).count(), 2);
}

#[test]
fn fewer_frames_than_asked_for_are_reported() {
    let ran = |frames: &str| run(&[BUNNY, "-f", "null", "--start", "#120", "--frames", frames]).ok().stderr;
    assert!(ran("50").contains("the source ends after 12 of the 50 frames that --frames asks for"), "{}", ran("50"));
    assert!(!ran("12").contains("the source ends"), "{}", ran("12"));
}

#[test]
fn every_spelling_of_a_chain_gives_the_same_frames() {
    let folder = Folder::new();
    let clip = clip(&folder, "clip.mkv", "64x48", 3, "-pix_fmt yuv420p -c:v ffv1");
    fs::write(folder.path("chain.txt"), "# both\ndeband=range=16:sample=2,\n  depth=10\n").unwrap();
    let file = format!("@{}", folder.path("chain.txt"));
    let ways: [&[&str]; 6] = [
        &["--chain", "deband=range=16:sample=2,depth=10"],
        &["--chain", "deband(range 16, sample 2) > depth(10)"],
        &["--chain", "deband(range 16, sample 2)", "--chain", "depth=10"],
        &["--chain", &file],
        &["-vf", "deband=range=16:sample=2,depth=10"],
        &["--chain", CHAIN, "--depth", "10"],
    ];
    let all: BTreeSet<_> = ways.iter().map(|way| hashes(&clip, way)).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(!all.contains(&hashes(&clip, &["--depth", "10"])), "the chain does something");
}

#[test]
fn a_preset_is_its_arguments() {
    let json: serde_json::Value = serde_json::from_slice(&run(&["filters", "deband", "--json"]).ok().stdout).unwrap();
    for preset in json["presets"].as_array().unwrap() {
        let options = preset["options"].as_object().unwrap();
        let written: Vec<_> = options.iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap())).collect();
        let by_hand = hashes(GRADIENT, &["--frames", "1", "--chain", &format!("deband={}", written.join(":"))]);
        let by_name = hashes(
            GRADIENT,
            &["--frames", "1", "--chain", &format!("deband=preset={}", preset["name"].as_str().unwrap())],
        );
        assert_eq!(by_hand, by_name, "{preset}");
    }
}

#[test]
fn pipes_carry_the_same_frames_as_files() {
    let folder = Folder::new();
    let y4m = clip(&folder, "clip.y4m", "64x48", 5, "-pix_fmt yuv420p");
    let chain = ["--chain", CHAIN];
    let piped = run_fed(&["-", "-", "-f", "yuv4mpegpipe", "--chain", CHAIN], &fs::read(&y4m).unwrap()).ok();
    fs::write(folder.path("piped.y4m"), &piped.stdout).unwrap();
    assert_eq!(hashes(&folder.path("piped.y4m"), &[]), hashes(&y4m, &chain));
    let hashed = run_fed(&["-i", "-", "-o", "-", "-f", "framemd5", "--chain", CHAIN], &fs::read(&y4m).unwrap()).ok();
    assert!(hashes(&y4m, &chain).iter().eq(hashed.text().lines().filter(|line| !line.starts_with('#'))));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let mut child = vramp().args(["filters", "deband"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().unwrap()).ok();
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_output_is_replaced_only_when_asked_and_an_input_never() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "32x16", 2, "-c:v ffv1");
    let before = fs::read(&input).unwrap();
    let output = folder.path("out.mkv");
    fs::write(&output, "precious").unwrap();

    let refused = run(&[&input, &output, "-c", "ffv1"]);
    assert_eq!((refused.code, fs::read(&output).unwrap()), (Some(2), b"precious".to_vec()));
    assert!(refused.stderr.contains("-y"), "{}", refused.stderr);
    run(&[&input, &output, "-c", "ffv1", "-y"]).ok();
    assert_eq!(hashes(&output, &[]).len(), 2);

    std::os::unix::fs::symlink(&input, folder.path("link.mkv")).unwrap();
    let around = folder.path("../") + input.rsplit_once("tmp/").unwrap().1;
    for name in [&input, &folder.path("link.mkv"), &around] {
        for container in ["matroska", "framemd5"] {
            let refused = run(&[input.as_str(), name, "-y", "-f", container]);
            assert_eq!(refused.code, Some(2), "{name}: {}", refused.stderr);
            assert_eq!(fs::read(&input).unwrap(), before, "{name}");
        }
    }
}

#[test]
fn json_progress_is_one_object_a_line_and_ends_with_the_whole() {
    let ran = run(&[BUNNY, "-", "-f", "null", "--frames", "40", "--chain", CHAIN, "-q", "--progress", "json"]).ok();
    let lines: Vec<serde_json::Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, before) = lines.split_last().unwrap();
    assert!(before.iter().all(|line| line["done"] == false));
    assert_eq!((&last["done"], &last["frame"], &last["frames"]), (&true.into(), &40.into(), &40.into()));
    assert!(last["fps"].as_f64().unwrap() > 0.0 && last["elapsed"].as_f64().unwrap() > 0.0);
    assert!((last["time"].as_f64().unwrap() - 39.0 / 25.0).abs() < 0.5, "{last}");
    assert_eq!(last["filters"][0]["name"], "deband");
    assert!(last["filters"][0]["ms_per_frame"].as_f64().unwrap() > 0.0);
}

#[test]
fn times_of_two_filters_of_one_name_are_distinguished() {
    let args = [GRADIENT, "-f", "null", "--frames", "2", "--chain", "box=1,box=radius=0,box=9"];
    let said = run(&[&args[..], &["-v"]].concat()).ok().stderr;
    for (stage, call) in [("stage 1", "box=radius=1,"), ("stage 2", "box=radius=9,")] {
        assert!(said.contains(&format!("{stage}: {call}")) && said.contains(&format!("{stage}, box: ")), "{said}");
    }
    let said = run(&[&args[..], &["-q", "--progress", "json"]].concat()).ok().stderr;
    let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let stages: Vec<_> = last["filters"].as_array().unwrap().iter().map(|filter| &filter["stage"]).collect();
    assert_eq!(stages, [1, 2]);
}

#[test]
fn with_json_progress_every_line_is_json() {
    let folder = Folder::new();
    let json = |args: &[&str], code| {
        let ran = run(&[args, &["--progress", "json"]].concat());
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let out = folder.path("out.mkv");
    let lines = json(&[GRADIENT, &out, "-c", "ffv1", "--chain", "deband", "--frames", "3", "-v"], 0);
    let (last, before) = lines.split_last().unwrap();
    let size = fs::metadata(&out).unwrap().len();
    assert_eq!((&last["output"], &last["frames"], &last["size"]), (&out.clone().into(), &3.into(), &size.into()));
    assert!(last["elapsed"].as_f64().unwrap() > 0.0 && last["fps"].as_f64().unwrap() > 0.0, "{last}");
    assert!(before.iter().any(|line| line["done"] == true));
    let said = |level: &str| before.iter().filter(|line| line["level"] == level).count();
    assert!(said("warn") == 1 && said("debug") > 5, "{before:?}");
    for (args, code) in [(&[GRADIENT, &out][..], 2), (&["none.mkv", "-f", "null"], 7), (&[GRADIENT, "--nothing"], 2)] {
        let lines = json(args, code);
        assert_eq!((lines.len(), &lines[0]["level"]), (1, &"error".into()), "{lines:?}");
    }
    let lines = json(&["hash", GRADIENT, "--frames", "2"], 0);
    assert_eq!(lines.last().unwrap()["output"], "standard output");
}

#[test]
fn what_a_destination_ignores_is_reported() {
    let said = run(&[GRADIENT, "-f", "null", "--frames", "1", "-c", "ffv1", "--crf", "3"]).ok().stderr;
    assert!(said.contains("warning: null has no encoder") && said.contains("--codec, --crf ignored"), "{said}");
}

#[test]
fn quiet_prints_nothing_and_verbose_the_plan() {
    let folder = Folder::new();
    let input = clip(&folder, "clip.mkv", "32x16", 2, "-pix_fmt yuv420p -c:v ffv1");
    let quiet = run(&[&input, &folder.path("a.mkv"), "-c", "ffv1", "-q", "--chain", CHAIN]).ok();
    assert_eq!((quiet.text(), quiet.stderr.as_str()), ("", ""));
    let verbose = run(&[&input, &folder.path("b.mkv"), "-c", "ffv1", "-v", "--chain", "deband,depth"]).ok();
    for word in ["stage 1: deband", "threads", "slots", "busy: decode", "deband: ", "of pictures", "left out"] {
        assert!(verbose.stderr.contains(word), "{word}: {}", verbose.stderr);
    }
    assert!(verbose.stderr.lines().all(|line| line.starts_with("vramp: ")), "{}", verbose.stderr);
    assert!(!verbose.stderr.contains('\x1b'), "no colours into a pipe");
    // These write to standard error by themselves.
    for codec in ["libx265", "libsvtav1"] {
        let ran = run(&["-v", GRADIENT, &folder.path("c.mkv"), "-y", "--frames", "2", "-c", codec]).ok();
        assert!(ran.stderr.lines().all(|line| line.starts_with("vramp: ")), "{codec}: {}", ran.stderr);
    }
}

#[test]
fn a_sigma_that_changes_nothing_is_doubted_once() {
    let warnings = |chain: &str| {
        let ran = run(&[GRADIENT, "-f", "null", "--frames", "2", "--chain", chain]).ok();
        let lines = ran.stderr.lines().filter_map(|line| line.strip_prefix("vramp: warning: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let [of_all] = &warnings("bilateral=3:0.1")[..] else { panic!("not one warning") };
    assert!(of_all.starts_with("bilateral: sigma_r=0.1 keeps") && of_all.ends_with("is sigma_r=25.5 here"), "{of_all}");
    let [of_chroma] = &warnings("bilateral=sigma_r_c=0.2")[..] else { panic!("not one warning") };
    assert!(of_chroma.contains("sigma_r_c=0.2 keeps"), "{of_chroma}");
    assert_eq!(warnings("bilateral=3:0.5,bilateral"), Vec::<String>::new());
}

#[test]
fn narrowing_after_deband_is_logged_once_and_only_then() {
    let warned = |args: &[&str]| {
        let ran = run(&[&[GRADIENT, "-f", "null", "--frames", "2"], args].concat()).ok();
        ran.stderr.matches("add --depth 10").count()
    };
    assert_eq!(warned(&["--chain", "deband"]), 1);
    assert_eq!(warned(&["--chain", "deband", "--depth", "10"]), 0);
    assert_eq!(warned(&["--chain", "deband", "--dither", "blue"]), 0);
    assert_eq!(warned(&[]), 0);
    let folder = Folder::new();
    let late = run(&[GRADIENT, &folder.path("o.png"), "--chain", "deband", "--preview", "100"]);
    assert_eq!((late.code, late.stderr.lines().count()), (Some(2), 1), "{}", late.stderr);
}

#[test]
fn results_do_not_depend_on_how_they_are_computed() {
    let chain = ["--frames", "6", "--chain", "deband=rand_each_frame=on", "--depth", "10", "--dither", "blue"];
    let plain = hashes(GRADIENT, &chain);
    assert_eq!(plain.len(), 6);
    let ways = ["--threads 1", "--threads 3", "--slots 1", "--slots 8", "--decoder-threads 1", "--cpu-level portable"];
    for way in ways {
        let way: Vec<_> = way.split(' ').collect();
        assert_eq!(hashes(GRADIENT, &[&chain, &way[..]].concat()), plain, "{way:?}");
    }
    for level in vramp::device::cpu::CpuLevel::available() {
        assert_eq!(hashes(GRADIENT, &[&chain, &["--cpu-level", level.name()][..]].concat()), plain, "{level}");
    }
}

#[test]
fn a_part_has_the_lines_of_the_whole() {
    let folder = Folder::new();
    let clip = clip(&folder, "clip.mp4", "64x48", 120, "-pix_fmt yuv420p -c:v libx264 -bf 2 -g 48");
    let chain = ["--chain", "deband=rand_each_frame=on"];
    let whole = hashes(&clip, &chain);
    assert_eq!((whole.len(), whole.iter().collect::<BTreeSet<_>>().len()), (120, 120));
    let part = |window: &[&str]| hashes(&clip, &[&chain, window].concat());
    assert_eq!(part(&["--start", "#50", "--end", "#60"]), whole[50..60]);
    assert_eq!(part(&["-ss", "2", "-to", "00:00:02.4"]), whole[50..60]);
    assert_eq!(part(&["--start", "100f", "--frames", "5"]), whole[100..105]);
    assert_eq!(part(&["--frames", "3"]), whole[..3]);
}

#[test]
fn dither_depth_range_and_format_reach_the_file() {
    let folder = Folder::new();
    let ask = |args: &[&str]| {
        let output = folder.path("out.mkv");
        run(&[&[GRADIENT, &output, "-y", "-c", "ffv1", "--frames", "2"], args].concat()).ok();
        let entries = "stream=pix_fmt,color_range";
        let probe = Command::new("ffprobe")
            .args(["-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0", &output])
            .output()
            .unwrap();
        String::from_utf8(probe.stdout).unwrap().trim().to_owned()
    };
    assert!(ask(&["--depth", "10"]).starts_with("yuv420p10le"));
    assert!(ask(&["--format", "yuv444p12"]).starts_with("yuv444p12le"));
    assert_eq!(ask(&["--range", "full"]), "yuv420p,pc");
    let dithered =
        |how| hashes(GRADIENT, &["--frames", "1", "--chain", "deband,depth=10", "--depth", "8", "--dither", how]);
    let all: BTreeSet<_> = ["none", "ordered", "blue", "fs"].into_iter().map(dithered).collect();
    assert_eq!(all.len(), 4);
}

#[test]
fn ffmpeg_spellings_make_the_same_file() {
    let folder = Folder::new();
    let (theirs, ours) = (folder.path("theirs.mkv"), folder.path("ours.mkv"));
    run(&[
        "-i",
        BUNNY,
        "-vf",
        CHAIN,
        "-c:v",
        "libx264",
        "-crf",
        "30",
        "-preset",
        "ultrafast",
        "-frames:v",
        "5",
        "-an",
        &theirs,
    ])
    .ok();
    run(&[
        BUNNY,
        &ours,
        "--chain",
        CHAIN,
        "-c",
        "libx264",
        "--crf",
        "30",
        "--preset",
        "ultrafast",
        "--frames",
        "5",
        "--no-audio",
    ])
    .ok();
    assert_eq!(hashes(&theirs, &[]), hashes(&ours, &[]));
    let streams = Command::new("ffprobe")
        .args(["-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", &theirs])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(streams.stdout).unwrap().trim(), "video");
}

#[test]
fn ffmpeg_options_reach_encoder_and_container() {
    let folder = Folder::new();
    let output = folder.path("out.mp4");
    let line = format!(
        "-i {BUNNY} -map 0 -map_metadata 0 -c:v libx264 -preset ultrafast -bf 0 -x264-params keyint=2 -colorspace bt709 \
         -threads 1 -c:a copy -movflags +faststart -frames:v 4 {output}"
    );
    run(&line.split_whitespace().collect::<Vec<_>>()).ok();
    assert_eq!(ffprobe(&output, "stream=codec_name,color_space,has_b_frames"), ["h264,0,bt709", "aac"]);
    let packets = ffprobe(&output, "packet=codec_type,flags");
    let video: Vec<_> =
        packets.iter().filter_map(|line| line.strip_prefix("video,")).map(|flags| &flags[..1]).collect();
    assert_eq!(video, ["K", "_", "K", "_"]);
    let bytes = fs::read(&output).unwrap();
    let at = |name: &[u8]| bytes.windows(4).position(|four| four == name).unwrap();
    assert!(at(b"moov") < at(b"mdat"), "the index comes first");

    let refused = run(&["-i", BUNNY, "-b:a", "192k", "-color_range", "pc", &folder.path("no.mp4")]);
    assert_eq!((refused.code, refused.stderr.lines().count()), (Some(2), 1), "{}", refused.stderr);
    assert!(refused.stderr.contains("-b:a is ffmpeg's: here --audio has the rate too"), "{}", refused.stderr);
}

#[test]
fn what_is_debanded_is_encoded_well_by_default() {
    let folder = Folder::new();
    let encode = |name: &str, args: &[&str]| {
        let output = folder.path(name);
        let said =
            run(&[&[GRADIENT, &output, "--frames", "2", "--chain", CHAIN, "--encoder-threads", "1"], args].concat());
        let said = said.ok().stderr;
        (said.trim_end().rsplit("; ").next().unwrap().to_owned(), hashes(&output, &[]))
    };
    let (said, frames) = encode("a.mkv", &[]);
    assert_eq!(said, "libx265, preset medium, crf 18, yuv420p10");
    assert_eq!(encode("b.mkv", &["-c", "libx265", "--depth", "10", "--crf", "18"]).1, frames);
    let ended = |name: &str, args: &[&str]| {
        let part: &[&str] = if args.contains(&"--preview") { &[] } else { &["--frames", "2"] };
        let said = run(&[&[GRADIENT, &folder.path(name), "-y", "--chain"], args, part].concat()).ok().stderr;
        (said.trim_end().rsplit("; ").next().unwrap().to_owned(), said.lines().count())
    };
    let ten = ("libx265, preset medium, crf 18, yuv420p10".to_owned(), 1);
    assert_eq!((ended("o.mkv", &["gradient"]), ended("o.mp4", &["f3kdb=y=48"])), (ten.clone(), ten));
    // Named encoders, those that lose nothing, and what is asked for keep the depth, and a line says what that does.
    let eight = ("libx265, preset medium, crf 18, yuv420p".to_owned(), 2);
    assert_eq!(ended("o.mkv", &["gradient", "-c", "libx265"]), eight);
    assert_eq!(ended("o.mkv", &["gradient,depth=8"]), eight);
    assert_eq!(ended("o.mkv", &["gradient", "--format", "yuv420p"]), eight);
    assert_eq!(ended("o.nut", &["gradient"]).0, "ffv1, lossless, yuv420p");
    let shown = |args: &[&str]| ended("o.png", &[&["gradient", "--preview", "0.5"], args].concat()).1;
    assert_eq!((shown(&[]), shown(&["-c", "libx265"])), (1, 2), "a preview is as the run");
    assert_eq!(encode("c.mkv", &["-x", "x265-params=qp=9"]).0, "libx265, preset medium, qp=9, yuv420p10");
    assert_eq!(encode("d.mkv", &["--depth", "8", "--dither", "blue"]).0, "libx265, preset medium, crf 18, yuv420p");
    let chained = encode("e.mkv", &["--chain", "depth=8:dither=blue"]);
    assert_eq!(chained.0, "libx265, preset medium, crf 18, yuv420p", "the chain says 8");
    let named = encode("f.mp4", &["-c", "libx264", "--preset", "ultrafast", "--dither", "blue", "-b", "4M"]);
    assert_eq!(named.0, "libx264, preset ultrafast, 4M bit/s, yuv420p");
    assert_eq!(encode("g.mkv", &["-c", "ffv1", "--depth", "12"]).0, "ffv1, lossless, yuv420p12");
}

#[test]
fn variable_frame_rate_is_kept() {
    let folder = Folder::new();
    let options = "-vf select='not(mod(n,3))+eq(n,4)+eq(n,10)' -vsync vfr -pix_fmt yuv420p -c:v ffv1";
    let input = clip(&folder, "vfr.mkv", "32x16", 9, options);
    let times =
        |lines: Vec<String>| lines.iter().map(|l| l.split(',').nth(2).unwrap().trim().to_owned()).collect::<Vec<_>>();
    let source = times(hashes(&input, &[]));
    let gaps: BTreeSet<i64> =
        source.windows(2).map(|w| w[1].parse::<i64>().unwrap() - w[0].parse::<i64>().unwrap()).collect();
    assert!(gaps.len() > 1, "the clip has a variable rate: {source:?}");
    let output = folder.path("out.mkv");
    run(&[&input, &output, "-c", "ffv1", "--chain", CHAIN]).ok();
    assert_eq!(times(hashes(&output, &[])), source);
}

#[test]
fn a_cut_file_begins_at_zero_and_a_cut_hash_does_not() {
    let folder = Folder::new();
    let cut = |name: &str, more: &[&str]| {
        let output = folder.path(name);
        run(&[&[BUNNY, &output, "-c", "ffv1", "--no-audio", "--start", "#100", "--frames", "2"], more].concat()).ok();
        let first = hashes(&output, &[]).swap_remove(0);
        first.split(',').nth(2).unwrap().trim().parse::<i64>().unwrap()
    };
    assert_eq!(cut("zero.mkv", &[]), 0);
    assert_eq!(cut("kept.mkv", &["--timestamps", "keep"]), 4000);
}

/// What ffprobe says of `path`, one line an entry.
fn ffprobe(path: &str, entries: &str) -> Vec<String> {
    let arguments = ["-v", "error", "-of", "compact=p=0:nk=1:s=,", "-show_entries", entries, path];
    let output = Command::new("ffprobe").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_cut_keeps_the_subtitle_that_is_shown_and_cuts_the_chapters() {
    let folder = Folder::new();
    let line = |from: &str, until: &str, text: &str| format!("1\n00:00:0{from} --> 00:00:0{until}\n{text}\n\n");
    let lines = [line("0,100", "0,500", "gone"), line("0,520", "1,400", "long"), line("1,400", "1,900", "late")];
    fs::write(folder.path("text.srt"), lines.concat()).unwrap();
    let chapter =
        |from, until, title| format!("[CHAPTER]\nTIMEBASE=1/1000\nSTART={from}\nEND={until}\ntitle={title}\n");
    let chapters = [chapter(0, 500, "One"), chapter(500, 1000, "Two"), chapter(1000, 2000, "Three")];
    fs::write(folder.path("about.txt"), format!(";FFMETADATA1\n{}", chapters.concat())).unwrap();
    let (input, text, about) = (folder.path("film.mkv"), folder.path("text.srt"), folder.path("about.txt"));
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=32x16:r=25:d=2 -i {text} -i {about} -map 0 -map 1 -map_chapters 2 -c:v ffv1 -c:s srt {input}"
    ));

    let cut = |name: &str, args: &str| {
        let output = folder.path(name);
        run(&[&[input.as_str(), &output, "-c", "ffv1"], &args.split(' ').collect::<Vec<_>>()[..]].concat()).ok();
        let packets = ffprobe(&output, "packet=codec_type,pts_time,duration_time");
        let texts: Vec<_> =
            packets.iter().filter_map(|line| line.strip_prefix("subtitle,")).map(str::to_owned).collect();
        (texts, ffprobe(&output, "chapter=start_time,end_time:chapter_tags=title"))
    };
    let (texts, chapters) = cut("zero.mkv", "--start 0.6 --end 1.2");
    assert_eq!(texts, ["0.000000,0.800000"]);
    assert_eq!(chapters, ["0.000000,0.400000,Two", "0.400000,0.600000,Three"]);
    assert_eq!(cut("frames.mkv", "--start #15 --frames 15"), (texts, chapters));
    let (texts, chapters) = cut("kept.mkv", "--start 0.6 --end 1.2 --timestamps keep");
    assert_eq!(texts, ["0.600000,0.800000"]);
    assert_eq!(chapters, ["0.600000,1.000000,Two", "1.000000,1.200000,Three"]);
    let (texts, chapters) = cut("head.mkv", "--end 0.4");
    assert_eq!((texts.len(), chapters), (1, vec!["0.000000,0.400000,One".to_owned()]));
}

#[test]
fn probe_prints_what_there_is() {
    let json: serde_json::Value = serde_json::from_slice(&run(&["probe", "--json"]).ok().stdout).unwrap();
    assert_eq!(json["cpu"]["level"], vramp::device::cpu::CpuLevel::detect().name());
    assert!(json["decoders"]["present"].as_array().unwrap().contains(&"ffv1".into()));
    assert!(json["libav"]["libavcodec"].is_string());
    let text = run(&["probe"]).ok();
    for word in ["CUDA", "NVDEC", "NVENC", "libavcodec"] {
        assert!(text.text().contains(word), "{word}: {}", text.text());
    }
}

#[test]
fn completions_and_the_manual_know_every_option() {
    let manual = run(&["man"]).ok();
    assert!(manual.text().contains(".TH vramp 1") && manual.text().contains("\\-\\-chain"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).ok().text().contains("chain"), "{shell}");
    }
    let compare = run(&["man", "compare"]).ok();
    assert!(compare.text().contains(".TH vramp-compare 1") && compare.text().contains("\\-\\-tolerance"));
    let wrong = run(&["man", "comparr"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("did you mean 'compare'"), "{}", wrong.stderr);
}

#[test]
fn everything_is_installed_for_every_shell_and_command() {
    let folder = Folder::new();
    let place = folder.path("root");
    let variables =
        [format!("VRAMP={}", env!("CARGO_BIN_EXE_vramp")), format!("DESTDIR={place}"), "PREFIX=/usr".to_owned()];
    let made = Command::new("make")
        .args(["-s", "-C", env!("CARGO_MANIFEST_DIR"), "-o", "build", "install"])
        .args(variables)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let share = |name: &str| fs::read_to_string(format!("{place}/usr/share/{name}")).unwrap();
    for completion in [
        "bash-completion/completions/vramp",
        "zsh/site-functions/_vramp",
        "fish/vendor_completions.d/vramp.fish",
        "elvish/lib/vramp.elv",
        "vramp/vramp.ps1",
    ] {
        assert!(share(completion).contains("keep-partial"), "{completion}");
    }
    let commands = commands();
    for command in &commands {
        let page = share(&format!("man/man1/vramp-{command}.1"));
        assert!(page.contains(&format!(".TH vramp-{command} 1")) && page.contains("SYNOPSIS"), "{command}");
    }
    assert_eq!(share("man/man1/vramp.1"), run(&["man"]).ok().text());
    assert_eq!(fs::read_dir(format!("{place}/usr/share/man/man1")).unwrap().count(), commands.len() + 1);
}

#[test]
fn progress_fits_a_narrow_terminal() {
    let folder = Folder::new();
    let line = format!(
        "stty rows 24 cols 60; {} {GRADIENT} {} -c ffv1 --progress bar",
        env!("CARGO_BIN_EXE_vramp"),
        folder.path("out.mkv")
    );
    let ran = Command::new("script").args(["-qfec", &line, "/dev/null"]).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(ran.stdout).unwrap();
    let bars: Vec<_> = shown.split(['\r', '\n', '\x1b']).filter(|text| text.contains(" frames  ")).collect();
    assert!(!bars.is_empty(), "{shown:?}");
    for bar in &bars {
        // What follows an escape begins with its code, as in [2K.
        let text = bar.trim_start_matches(|c: char| c == '[' || c.is_ascii_digit() || c == 'K');
        assert!(text.chars().count() <= 60, "{bar:?}");
    }
    assert!(bars.iter().any(|bar| bar.contains("/25 frames") && bar.trim_end().ends_with(" left")), "{bars:?}");
}

#[test]
fn bench_measures_filters_and_stages() {
    let json: serde_json::Value = serde_json::from_slice(
        &run(&["bench", "--quick", "--json", "--size", "64x48", "--filter", "deband"]).ok().stdout,
    )
    .unwrap();
    let rows = json["filters"]["formats"][0]["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["ms"].as_f64().unwrap() > 0.0), "{json}");
    assert!(rows.iter().all(|row| row["times_copy"].as_f64().unwrap() > 0.0), "{json}");

    let folder = Folder::new();
    let clip = clip(&folder, "clip.mkv", "64x48", 10, "-pix_fmt yuv420p -c:v ffv1");
    let ran = run(&["bench", "--json", "--clip", &clip, "-c", "ffv1", "--chain", "deband"]).ok();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["clip"]["frames"], 10);
    assert!(json["clip"]["over_slowest"].as_f64().unwrap() > 0.0);
    assert!(run(&["bench", "--clip", &clip, "-c", "null"]).ok().text().contains("decode"));
}

#[test]
fn bench_holds_filters_against_ffmpegs() {
    let words = "bench --quick --json --size 320x240 --filter gauss --filter depth --peers";
    let ran = run(&words.split(' ').collect::<Vec<_>>()).ok();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let rows = json["peers"]["rows"].as_array().unwrap();
    for (chain, peer) in [("gauss=sigma=1", "gblur=sigma=1:steps=1"), ("gauss=sigma=3", "gblur=sigma=3:steps=1")] {
        let of_chain: Vec<_> = rows.iter().filter(|row| row["chain"] == chain).collect();
        assert!(of_chain.iter().all(|row| row["peer"] == peer), "{json}");
        let threads: Vec<_> = of_chain.iter().filter_map(|row| row["threads"].as_u64()).collect();
        let all = std::thread::available_parallelism().unwrap().get() as u64;
        assert_eq!(threads, if all > 1 { vec![1, all] } else { vec![1] }, "{json}");
    }
    assert!(rows.iter().all(|row| row["chain"].as_str().unwrap().starts_with("gauss=")), "{json}");
    for number in ["peer_ms", "ms", "times_faster"] {
        assert!(rows.iter().all(|row| row[number].as_f64().unwrap() > 0.0), "{json}");
    }
}

#[test]
fn bench_holds_filters_against_their_bars() {
    let words = "bench --quick --json --bars --filter lut3d --filter convolve";
    let ran = run(&words.split(' ').collect::<Vec<_>>()).ok();
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let rows = json["bars"]["rows"].as_array().unwrap();
    let chains: Vec<_> = rows.iter().map(|row| row["chain"].as_str().unwrap().split('=').next().unwrap()).collect();
    assert_eq!(chains, ["lut3d", "convolve"]);
    for row in rows {
        let [ms, value, most] = ["ms", "value", "most"].map(|number| row[number].as_f64().unwrap());
        assert!(ms > 0.0 && row["holds"] == (value <= most), "{row}");
    }
}

/// A decoded PNG: width, height, R'G'B' bytes.
fn read_png(path: &str) -> (usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(BufReader::new(fs::File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width as usize, info.height as usize, bytes)
}

#[test]
fn deband_alone_makes_ten_bits_of_eight() {
    let folder = Folder::new();
    let depth = |name: &str, args: &[&str]| {
        let output = folder.path(name);
        run(&[&["-y", GRADIENT, &output, "--frames", "2"], args].concat()).ok();
        let asked = "-v error -select_streams v -show_entries stream=pix_fmt -of csv=p=0".split(' ');
        let probed = Command::new("ffprobe").args(asked).arg(&output).output().unwrap().stdout;
        String::from_utf8(probed).unwrap().trim().to_owned()
    };
    assert_eq!(depth("lossy.mkv", &["--deband", "-c", "libx264"]), "yuv420p10le");
    assert_eq!(depth("lossless.mkv", &["--deband", "film", "-c", "ffv1"]), "yuv420p10le");
    assert_eq!(depth("asked.mkv", &["--deband", "-c", "ffv1", "--depth", "8"]), "yuv420p");
    assert_eq!(depth("asked.mkv", &["--deband=dark", "-c", "ffv1", "--format", "yuv420p12"]), "yuv420p12le");
    // An encoder of eight bits alone gets these, and the command says what that does.
    let output = folder.path("eight.avi");
    let said = run(&[GRADIENT, &output, "--deband", "-c", "mpeg4", "--frames", "2"]).ok().stderr;
    assert!(said.contains("narrowed to 8 bits, where banding comes back"), "{said}");

    // Before other filters, and as a hash file states it.
    let debanded = hashes(GRADIENT, &["--frames", "2", "--deband", "codec", "--chain", "box=1"]);
    let chain = ["--frames", "2", "--chain", "gradient=preset=codec,box=1", "--depth", "10"];
    assert_eq!(debanded, hashes(GRADIENT, &chain));
    let stated = folder.path("a.hashes");
    run(&["hash", GRADIENT, "-o", &stated, "--deband", "--frames", "2"]).ok();
    assert_eq!(run(&["verify", &stated, GRADIENT]).code, Some(0));
    let refused = run(&[GRADIENT, &output, "--deband=strong"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("film"), "{}", refused.stderr);
}

#[test]
fn a_preview_shows_both_sides_and_their_amplified_contrast() {
    let folder = Folder::new();
    let preview = |name: &str, args: &[&str]| {
        let output = folder.path(name);
        run(&[&[GRADIENT, &output, "--preview", "0.5"], args].concat()).ok();
        read_png(&output)
    };
    // What share of the pixels differs between the left and the right half, above and below.
    let differing = |(width, height, bytes): &(usize, usize, Vec<u8>)| {
        let row = |y: usize| bytes[y * width * 3..(y + 1) * width * 3].split_at(width / 2 * 3);
        let rows = |from: usize, to: usize| {
            let pairs = (from..to).flat_map(|y| row(y).0.iter().zip(row(y).1));
            pairs.filter(|(left, right)| left != right).count() as f64 / ((to - from) * width / 2 * 3) as f64
        };
        (rows(0, height / 2), rows(height / 2, *height))
    };
    let same = preview("same.png", &[]);
    assert_eq!((same.0, same.1), (2 * 640, 2 * 360));
    assert_eq!(differing(&same), (0.0, 0.0));
    let debanded = differing(&preview("debanded.png", &["--chain", CHAIN, "--depth", "10"]));
    assert!(debanded.1 > 0.2, "the amplified pair shows what the chain did: {debanded:?}");

    assert_eq!(run(&[GRADIENT, &folder.path("same.png"), "--preview", "0"]).code, Some(2), "no -y");
    assert_eq!(folder.names(), ["debanded.png", "same.png"]);
    let named = run(&[GRADIENT, &folder.path("named.jpg"), "--preview", "0"]).ok();
    assert!(
        named.stderr.contains("warning: ") && named.stderr.contains("named.jpg will hold a PNG"),
        "{}",
        named.stderr
    );
    let piped = run(&[GRADIENT, "-", "--preview", "#3"]).ok();
    assert_eq!(piped.stderr.lines().count(), 1, "{}", piped.stderr);
    assert!(piped.stdout.starts_with(b"\x89PNG"));
}

/// A chain may have no frame for the position: then the next one that it has is shown, as a run from there begins with it.
#[test]
fn a_preview_shows_the_next_frame_of_a_chain_that_drops_or_joins_frames() {
    let folder = Folder::new();
    let input = clip(&folder, "a.mkv", "64x48", 10, "-pix_fmt yuv420p -c:v ffv1");
    let preview = |position: &str, chain: &str| {
        let chain = if chain.is_empty() { Vec::new() } else { vec!["--chain", chain] };
        let ran = run(&[&[&*input, "-", "--preview", position], &chain[..]].concat()).ok();
        assert!(ran.stdout.starts_with(b"\x89PNG"));
        (ran.stdout, ran.stderr)
    };
    let (shown, said) = preview("0.04", "select=2:0");
    assert!(said.contains("of frame 2,"), "{said}");
    assert!(shown == preview("#2", "").0, "a frame that stays is as it was");
    assert!(preview("0.04", "select=2:1").0 == preview("#1", "").0);
    assert!(preview("#1", "select=2:0,select=3:1").0 == shown);
    assert!(preview("#3", "weave").0 == preview("#4", "weave").0);
    assert!(preview("0.2", "weave,tmedian").0 == preview("#6", "weave,tmedian").0);
    assert!(preview("#5", "separate_fields,weave").0 == preview("#5", "").0, "every frame has its fields");
    for (position, chain) in [("#9", "select=2:0"), ("0.36", "weave"), ("#9", "select=2:0,tmedian")] {
        let none = run(&[&*input, &folder.path("o.png"), "--preview", position, "--chain", chain]);
        assert_eq!((none.code, none.stderr.lines().count()), (Some(2), 1), "{chain}: {}", none.stderr);
        assert!(none.stderr.contains("a.mkv: the chain gives no frame at the position"), "{chain}: {}", none.stderr);
    }
    assert_eq!(folder.names(), ["a.mkv"]);
}

/// At the end of a film the nearest frame stands in. A line says so where a filter that joins frames lacks some, and none where
/// a window is merely longer than the film.
#[test]
fn a_film_may_end_within_a_cycle_or_a_window() {
    let folder = Folder::new();
    let input = clip(&folder, "a.mkv", "64x48", 5, "-pix_fmt yuv420p -c:v ffv1");
    let film = |args: &[&str]| {
        let ran = run(&[&[&*input, "-", "-f", "framemd5"], args].concat()).ok();
        let frames = ran.text().lines().filter(|line| !line.starts_with('#')).count();
        (frames, ran.stderr.contains("weave: the film ends before the last of its frames is whole"))
    };
    for (args, expected) in [
        (["--chain", "weave", "--frames", "9"], (3, true)),
        (["--chain", "weave", "--frames", "4"], (2, false)),
        (["--chain", "weave", "--frames", "3"], (2, false)),
        (["--chain", "tmedian=3,weave", "--frames", "4"], (2, false)),
        (["--chain", "separate_fields,weave", "--frames", "9"], (5, false)),
        (["--chain", "select=2,weave", "--frames", "9"], (2, true)),
        (["--chain", "select=3:0+2", "--frames", "9"], (3, false)),
        (["--chain", "tmedian=3", "--frames", "2"], (2, false)),
        (["--chain", "tmedian=3", "--frames", "9"], (5, false)),
    ] {
        assert_eq!(film(&args), expected, "{args:?}");
    }
}

/// A run that reads an endless y4m stream.
struct Endless {
    child: Child,
    feed: Option<ChildStdin>,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Endless {
    /// Starts it, and returns when a few frames are written.
    fn start(output: &str) -> Endless {
        Endless::run(vramp(), output)
    }

    /// The same with `--keep-partial`.
    fn keeping(output: &str) -> Endless {
        let mut command = vramp();
        command.arg("--keep-partial");
        Endless::run(command, output)
    }

    /// The same with a signal ignored, as nohup and shells that put a job in the background start programs.
    fn ignoring(signal: &str, output: &str) -> Endless {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap '' {signal}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_vramp")]);
        Endless::run(shell, output)
    }

    fn run(mut command: Command, output: &str) -> Endless {
        command.args(["-", output, "-c", "ffv1", "--progress", "json", "-q"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut run = Endless { feed: child.stdin.take(), child, stderr };
        run.feed(b"YUV4MPEG2 W64 H48 F25:1 Ip C420jpeg\n");
        let mut line = String::new();
        while !line.contains("\"frame\":") {
            for _ in 0..50 {
                run.feed(&[b"FRAME\n".to_vec(), vec![99; 64 * 48 * 3 / 2]].concat());
            }
            line.clear();
            run.stderr.read_line(&mut line).unwrap();
        }
        run
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.feed.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Frames without end, until nobody takes them any more. Data that is no frame, or its end, would end the run too.
    fn feed_until_it_stops(&mut self) {
        let frame = [b"FRAME\n".to_vec(), vec![99; 64 * 48 * 3 / 2]].concat();
        let mut feed = || self.feed.as_mut().unwrap().write_all(&frame);
        assert!((0..100_000).any(|_| feed().is_err()), "it takes frames for ever");
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end; gives the exit code and the messages besides progress.
    fn end(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.feed.take());
        let code = self.child.wait().unwrap().code();
        (code, messages(self.stderr))
    }
}

/// The messages among JSON lines.
fn messages(stderr: impl BufRead) -> Vec<String> {
    let lines = stderr.lines().map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap());
    lines.filter_map(|line| Some(line["message"].as_str()?.to_owned())).collect()
}

#[test]
fn ctrl_c_stops_cleanly() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let mut run = Endless::start(&folder.path("out.mkv"));
        assert_eq!(folder.names().len(), 1, "written under another name: {:?}", folder.names());
        assert!(!folder.names().contains(&"out.mkv".to_owned()));
        run.signal(signal);
        run.feed_until_it_stops();
        let (code, said) = run.end();
        assert_eq!((code, said.len()), (Some(130), 1), "{said:?}");
        assert_eq!(folder.names(), Vec::<String>::new());
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    for signal in ["HUP", "INT", "TERM"] {
        let folder = Folder::new();
        let mut run = Endless::ignoring(signal, &folder.path("out.mkv"));
        run.signal(&format!("-{signal}"));
        for _ in 0..200 {
            run.feed(&[b"FRAME\n".to_vec(), vec![99; 64 * 48 * 3 / 2]].concat());
        }
        assert_eq!(run.end(), (Some(0), Vec::new()), "{signal}");
        assert_eq!(folder.names(), ["out.mkv"], "{signal}");
    }
    // The others still stop the run.
    let folder = Folder::new();
    let mut run = Endless::ignoring("HUP", &folder.path("out.mkv"));
    run.signal("-INT");
    run.feed_until_it_stops();
    assert_eq!(run.end().0, Some(130));
}

#[test]
fn a_stopped_run_keeps_what_is_done_where_that_is_asked() {
    for waits in [false, true] {
        let folder = Folder::new();
        let output = folder.path("out.mkv");
        let mut run = Endless::keeping(&output);
        run.signal("-INT");
        if !waits {
            run.feed_until_it_stops();
        }
        let code = run.child.wait().unwrap().code();
        let said = messages(run.stderr);
        assert_eq!((code, said.len()), (Some(130), 1), "{said:?}");
        assert_eq!(folder.names(), ["out.mkv"]);
        let kept = hashes(&output, &[]);
        assert!(said[0].ends_with(&format!("out.mkv: stopped; its first {} frames were kept", kept.len())), "{said:?}");
        let times = kept.iter().map(|line| line.split(',').nth(1).unwrap().trim().parse::<usize>().unwrap());
        assert!(times.eq((0..kept.len()).map(|i| 40 * i)), "one frame after the other: {kept:?}");
    }
    // Before the first frame there is nothing to keep.
    let folder = Folder::new();
    let mut command = vramp();
    let child = command
        .args(["-", &folder.path("out.mkv"), "--keep-partial", "-v"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // Its input stays open: waiting would close it, and an end is another reason to stop.
    let _feed = child.stdin.take();
    // It catches signals before it says what it will encode with, and then waits for its input.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("vramp: encoder: ")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn the_second_ctrl_c_drops_a_part_and_the_third_does_not_wait() {
    let stopped = |signals: usize| {
        let folder = Folder::new();
        let (code, said) = stopped_in_encoder(&folder, &["--keep-partial"], signals);
        assert_eq!((code, folder.names()), (Some(130), vec!["in.y4m".to_owned()]), "{said:?}");
        said
    };
    assert_eq!(stopped(2), ["stopped; no output was kept"]);
    assert_eq!(stopped(3), Vec::<String>::new(), "the run did not end by itself");
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_the_encoder() {
    let folder = Folder::new();
    assert_eq!(stopped_in_encoder(&folder, &[], 2), (Some(130), Vec::new()), "the run did not end by itself");
    assert_eq!(folder.names(), ["in.y4m"]);
}

/// Sends as many Ctrl-C to a run with `args` while its encoder is busy. Gives the exit code and the messages.
fn stopped_in_encoder(folder: &Folder, args: &[&str], signals: usize) -> (Option<i32>, Vec<String>) {
    // A flat frame is encoded quickly; each after it keeps the encoder busy for longer than the two signals take.
    let input = folder.path("in.y4m");
    let noise = (0..320 * 192 * 3 / 2u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
    let frame = |samples: Vec<u8>| [b"FRAME\n".to_vec(), samples].concat();
    let header = b"YUV4MPEG2 W320 H192 F25:1 C420jpeg\n".to_vec();
    fs::write(&input, [header, frame(vec![128; 320 * 192 * 3 / 2]), frame(noise).repeat(5)].concat()).unwrap();
    let mut command = vramp();
    command.args([&input, &folder.path("out.mkv"), "-c", "libaom-av1", "--encoder-threads", "1", "--progress", "json"]);
    command.args(["-q", "-x", "cpu-used=0", "-x", "lag-in-frames=0"]).args(args);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("\"frame\":1,"), "{line}");
    // The encoder takes the second frame a moment after it has reported the first. One shell sends all signals, so that
    // starting programs on a busy machine takes no time between them.
    let script = format!("sleep 0.15{}", "; sleep 0.05; kill -INT $0".repeat(signals));
    assert!(Command::new("sh").args(["-c", &script, &child.id().to_string()]).status().unwrap().success());
    let said = messages(stderr);
    (child.wait().unwrap().code(), said)
}

#[test]
fn a_killed_run_leaves_no_finished_looking_file() {
    let folder = Folder::new();
    fs::write(folder.path("old.mkv"), "old").unwrap();
    let killed = Endless::start(&folder.path("out.mkv"));
    killed.signal("-KILL");
    assert_eq!(killed.end().0, None);
    assert!(!folder.names().contains(&"out.mkv".to_owned()), "{:?}", folder.names());
    assert_eq!(folder.names().len(), 2, "what was written is hidden: {:?}", folder.names());
    // The next run is none the worse for it, and puts the folder in order.
    let said = run(&[GRADIENT, &folder.path("out.mkv"), "-c", "ffv1", "--frames", "1"]).ok().stderr;
    assert!(said.contains("a run that was killed left it"), "{said}");
    assert_eq!(folder.names(), ["old.mkv", "out.mkv"]);
}
