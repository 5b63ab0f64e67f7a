//! A part reads its share of the input, and no more.

use crate::command::{Folder, Ran, hashes, refused, run, vramp};
use crate::{X264, film, plan, read_plan, segments};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// What is read of a film to know it again, which a process does once (docs/FARM.md).
const LOOK: u64 = 128 << 10;

/// What was found in a file that was just written is not kept.
const AT_REST: Duration = Duration::from_secs(4);

/// Runs `vramp` with `args`. Gives what it read as the system counts it, by whatever part of it: all that its calls read, of files and
/// else.
fn read_by(args: &[&str]) -> (u64, Ran) {
    let mut child = vramp().args(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    // It has ended, but is still there to be asked.
    waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let counts = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("Linux counts it");
    (read.parse().unwrap(), Ran { code: child.wait().unwrap().code(), stdout: Vec::new(), stderr })
}

/// What making the parts `which` with a decoder of `threads` threads reads of the film, and what of that libav reads.
fn read(plan: &str, which: &str, threads: u32) -> (u64, u64) {
    // Libraries, the plan and what the system says of a process: `vramp status` reads the same.
    let (besides, _) = read_by(&["status", plan]);
    let (all, ran) = read_by(&["part", plan, which, &format!("--decoder-threads={threads}"), "-v"]);
    let ran = ran.ok();
    assert!(!ran.stderr.contains("does not lie"), "{}", ran.stderr);
    let numbers = ran.stderr.lines().filter_map(|line| line.strip_suffix(" bytes of the input were read"));
    let libav = numbers.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert!(libav > 0, "it says so: {}", ran.stderr);
    (all - besides, libav)
}

#[test]
fn a_film_is_looked_at_once_however_many_parts_are_made() {
    let folder = Folder::new();
    let video =
        "-f lavfi -i testsrc2=s=192x128:r=25 -t 8 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25";
    let input = film(&folder, "in.mkv", video);
    assert!(fs::metadata(&input).unwrap().len() > 20 * LOOK);
    let plan = plan(&folder, &input, "out.mkv", &[&["--segment=2"], &X264[..]].concat());
    sleep(AT_REST);
    let (all, libav) = read(&plan, "0-3", 2);
    let looked = all - libav;
    eprintln!("{looked} bytes beside libav's {libav}");
    assert!((LOOK..LOOK * 3 / 2).contains(&looked), "{looked}");
}

#[test]
fn each_part_reads_its_share() {
    let folder = Folder::new();
    // Of 40 seconds each part of four has ten, which are 8 MB.
    let video = "-f lavfi -i testsrc2=s=192x128:r=25 -t 40 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25 -bf 2";
    let source = film(&folder, "source.mkv", video);
    let films = ["mkv", "mp4", "mov", "ts"]
        .map(|ending| (ending, film(&folder, &format!("in.{ending}"), &format!("-i {source} -c copy"))));
    sleep(AT_REST);
    for (ending, input) in films {
        let plan = plan(&folder, &input, &format!("{ending}.mkv"), &[&["--segment=10"], &X264[..]].concat());
        let parts = read_plan(&plan).parts;
        assert!(parts.len() == 4 && parts[1..].iter().all(|part| part.seek.is_some()), "{ending}: {parts:?}");
        let share = fs::metadata(&input).unwrap().len() as f64 / 4.0;
        assert!((8e6..9e6).contains(&share), "{share}");
        // A decoder gives a frame when it has the packets of as many more as it has threads, or when no more follow.
        for (threads, number) in [2, 16].into_iter().flat_map(|threads| (0..4).map(move |number| (threads, number))) {
            let (read, libav) = read(&plan, &number.to_string(), threads);
            let [all, libav] = [read, libav].map(|bytes| bytes as f64 / share);
            let what = format!("{ending} part {number}, {threads} threads");
            eprintln!("{what}: {all:.3} of its share of {share}, of that {libav:.3} by libav");
            assert!(all <= 1.1, "{what}: {read} of {share}");
            fs::remove_file(format!("{plan}/parts/{number:05}")).unwrap();
        }
    }
}

#[test]
fn a_decoder_that_ends_with_its_part_gives_the_frames_of_one_that_goes_on() {
    let folder = Folder::new();
    let x264 = "-c:v libx264 -preset veryfast -g 12 -bf 3 -x264-params";
    let x265 = "-c:v libx265 -preset ultrafast \
                -x265-params open-gop=1:keyint=12:min-keyint=12:bframes=4:b-pyramid=1:log-level=none";
    for (name, options) in [
        // Pictures before a key frame that refer to what is before it, and such that others refer to.
        ("h264.mkv", &*format!("{x264} open-gop=1:b-pyramid=normal")),
        ("h264.ts", &*format!("{x264} open-gop=1:b-pyramid=strict")),
        ("hevc.mp4", x265),
        ("hevc.ts", x265),
        ("mpeg2.ts", "-c:v mpeg2video -bf 2 -g 12 -q 3"),
        // Every third frame lasts twice as long.
        ("vfr.mkv", &*format!("-vf setpts=PTS+1.5/TB+floor(N/3)/25/TB -fps_mode vfr {x264} open-gop=1")),
        // Frames that are not shown.
        ("vp9.webm", "-c:v libvpx-vp9 -auto-alt-ref 1 -lag-in-frames 16 -g 12 -b:v 200k -deadline good -cpu-used 5"),
        ("av1.mkv", "-c:v libaom-av1 -cpu-used 8 -g 12 -lag-in-frames 16"),
        ("prores.mov", "-c:v prores_ks"),
    ] {
        let input = film(&folder, name, &format!("-f lavfi -i testsrc2=s=96x64:r=25 -t 4 {options}"));
        // Of a filter that reads the next frame as well, that one is wanted, too.
        for chain in [&[][..], &["--chain", "tmedian"]] {
            let whole = hashes(&input, chain);
            for cuts in ["key", "exact"] {
                let more = ["-f", "framemd5", "-v", "--jobs=2", "--decoder-threads=16", "--cuts", cuts];
                let ran = segments(&input, "-", &[&more, chain].concat()).ok();
                let parts: Vec<_> = ran.text().lines().filter(|line| !line.starts_with('#')).collect();
                assert_eq!(parts, whole, "{name} {chain:?} {cuts}");
                assert!(!ran.stderr.contains("does not lie"), "{name} {chain:?} {cuts}: {}", ran.stderr);
                let ended = ran.stderr.matches("decoding ends with frame").count();
                // That of MPEG-2 has one picture in flight, whatever its threads.
                assert!(ended > 0 || name == "mpeg2.ts", "{name} {chain:?} {cuts}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn frames_that_do_not_decode_are_not_taken_from_the_next_part() {
    let folder = Folder::new();
    let input = film(&folder, "in.mov", "-f lavfi -i testsrc2=s=96x64:r=25 -t 2 -c:v prores_ks");
    let hash = |threads: &str| segments(&input, "-", &["-f", "framemd5", "--decoder-threads", threads]);
    hash("2").ok();
    let mut bytes = fs::read(&input).unwrap();
    let marks: Vec<_> = bytes.windows(4).enumerate().filter(|(_, word)| word == b"icpf").map(|(at, _)| at).collect();
    bytes[marks[20]] ^= 1;
    fs::write(&input, bytes).unwrap();
    let plan = plan(&folder, &input, "out.mkv", &X264);
    for threads in ["1", "2", "16"] {
        refused(&hash(threads), 4, &["packets say"]);
        let ran = run(&["part", &plan, "1", "--decoder-threads", threads]);
        refused(&ran, 4, &["part 1"]);
    }
    crate::part(&plan, "0,2").ok();
}

#[test]
fn times_of_decoding_alone_are_refused_before_a_part_is_made() {
    let folder = Folder::new();
    // Of H.264 ffmpeg writes no times of presentation to MXF.
    let video = |name: &str, options: &str| {
        film(&folder, name, &format!("-f lavfi -i testsrc2=s=96x64:r=25 -t 2 -c:v libx264 -g 12 {options}"))
    };
    let input = video("in.mxf", "-bf 2");
    for output in ["framemd5", "null"] {
        let ran = segments(&input, "-", &["-f", output]);
        refused(&ran, 3, &["in.mxf: ", "its times are those of decoding, and its frames are shown in another order"]);
        assert!(!ran.stderr.contains(" parts, "), "{}", ran.stderr);
    }
    refused(&segments(&input, &folder.path("out.mkv"), &X264), 3, &["its times are those of decoding"]);
    // Where the order is one, so are the times. What may have another order need not.
    for (name, options) in
        [("plain.mxf", "-bf 0"), ("two.mxf", "-c:v mpeg2video -bf 2"), ("one.mxf", "-c:v mpeg2video -bf 0")]
    {
        let input = video(name, options);
        let ran = segments(&input, "-", &["-f", "framemd5"]).ok();
        let parts: Vec<_> = ran.text().lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(parts, hashes(&input, &[]), "{name}");
    }
}

#[test]
fn tracks_are_found_by_reading_little_only_where_all_are() {
    let folder = Folder::new();
    let video = "-f lavfi -i testsrc2=s=320x192:r=25 -t 6";
    let options =
        "-map 0 -map 1 -t 6 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -qp 12 -g 25 -bf 2 -c:a aac";
    let probe = |name: &str, sound: &str| {
        let input = film(&folder, name, &format!("{video} {sound} {options}"));
        let plan = plan(&folder, &input, &format!("{name}.mkv"), &[&["--segment=3"], &X264[..]].concat());
        let ran = run(&["part", &plan, "0-1", "-v"]).ok();
        assert!(!ran.stderr.contains("do not show what was found"), "{}", ran.stderr);
        read_plan(&plan).input.opening.map(|opening| opening.probe)
    };
    let early = probe("early.ts", "-f lavfi -i sine").expect("libav reads five megabytes for what is there at once");
    // A megabyte of pictures comes before the sound, whose clock is part of what was found.
    let late = probe("late.ts", "-itsoffset 0.5 -f lavfi -i sine");
    assert!(late.is_none_or(|late| late > early), "{early} {late:?}");
    assert_eq!(probe("table.mkv", "-f lavfi -i sine"), None, "little is read anyway");
}

#[test]
fn a_place_that_does_not_hold_costs_time_and_nothing_else() {
    let folder = Folder::new();
    let input = film(&folder, "in.mkv", crate::FILM);
    let plan = plan(&folder, &input, "out.mkv", &X264);
    crate::part(&plan, "0-3").ok();
    let made = fs::read(format!("{plan}/parts/00002")).unwrap();
    fs::remove_file(format!("{plan}/parts/00002")).unwrap();
    // The id is the same only for the same plan: parts of another one do not count, so the comparison leaves it out.
    let mut other = read_plan(&plan);
    other.parts[2].seek.as_mut().unwrap().packet = "0".repeat(32);
    let other = other.sealed().unwrap();
    fs::write(format!("{plan}/plan.json"), other.text().unwrap()).unwrap();
    let ran = run(&["part", &plan, "2", "--decoder-threads=2", "-v"]).ok();
    for words in ["does not lie where the plan says", "decoding begins at frame 24"] {
        assert!(ran.stderr.contains(words), "no {words:?} in {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("not what its packets say"), "{}", ran.stderr);
    let again = fs::read(format!("{plan}/parts/00002")).unwrap();
    // Behind the first word stands the plan's id, and before the last the hash of all.
    assert_eq!(again[24..again.len() - 24], made[24..made.len() - 24]);
    assert_ne!(again[8..24], made[8..24]);
}
