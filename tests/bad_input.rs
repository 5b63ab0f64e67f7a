//! What goes wrong, one row each: one error line, its exit code, and nothing left that looks finished.

mod command;

use command::{Folder, ffmpeg, hashes, refused, run, run_fed, vramp};
use std::fs;
use std::process::{Command, Stdio};

/// What a run must leave in the output folder.
#[derive(Clone, Copy, PartialEq)]
enum Leaves {
    Nothing,
    /// A whole file of this name.
    Whole(&'static str),
}
use Leaves::{Nothing, Whole};

/// A row: what it is, the command line ({in} is the folder of inputs, {out} an empty one), the exit code, words of the
/// error line, and what is left.
type Row = (&'static str, &'static str, i32, &'static [&'static str], Leaves);

/// Exit codes, as `vramp --help` has them.
const BAD_ARGUMENT: i32 = 2;
const UNSUPPORTED: i32 = 3;
const CORRUPT: i32 = 4;
const OUT_OF_MEMORY: i32 = 5;
const IO: i32 = 7;
const INCOMPLETE: i32 = 8;

const INPUTS: &[Row] = &[
    ("missing", "{in}/none.mkv {out}/o.mkv", IO, &["none.mkv", "No such file"], Nothing),
    ("empty", "{in}/empty.mkv {out}/o.mkv", CORRUPT, &["empty.mkv"], Nothing),
    ("not media", "{in}/text.mp4 {out}/o.mkv", CORRUPT, &["text.mp4"], Nothing),
    ("noise", "{in}/noise.mkv {out}/o.mkv", CORRUPT, &["noise.mkv"], Nothing),
    ("mp4 without its index", "{in}/headless.mp4 {out}/o.mkv", CORRUPT, &["headless.mp4"], Nothing),
    ("sound only", "{in}/sound.wav {out}/o.mkv", CORRUPT, &["sound.wav", "video"], Nothing),
    ("folder", "{in}/folder {out}/o.mkv", IO, &["folder", "directory"], Nothing),
    (
        "named, not read",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --chain box --input mask={in}/good.mkv",
        BAD_ARGUMENT,
        &["nothing in the chain reads", "'mask'"],
        Nothing,
    ),
    (
        "named twice",
        "{in}/good.mkv {out}/o.mkv --input a={in}/good.mkv --input a={in}/good.mkv",
        BAD_ARGUMENT,
        &["two pictures are called 'a'"],
        Nothing,
    ),
    ("named, missing", "{in}/good.mkv {out}/o.mkv --input a={in}/none.mkv", IO, &["none.mkv", "No such file"], Nothing),
    ("named, no file", "{in}/good.mkv {out}/o.mkv --input a=", BAD_ARGUMENT, &["a=FILE"], Nothing),
    ("two inputs", "-i {in}/good.mkv --input {in}/good.mkv {out}/o.mkv", BAD_ARGUMENT, &["--input NAME="], Nothing),
    (
        "output is a named input",
        "{in}/cut.y4m {in}/good.mkv -y --input a={in}/good.mkv",
        BAD_ARGUMENT,
        &["is the input"],
        Nothing,
    ),
    ("hash, not named", "hash {in}/good.mkv --input {in}/good.mkv -o {out}/o", BAD_ARGUMENT, &["NAME="], Nothing),
    ("stops half way", "{in}/cut.mkv {out}/o.mkv -c ffv1", INCOMPLETE, &["cut.mkv"], Whole("o.mkv")),
    ("stops half way, strict", "{in}/cut.mkv {out}/o.mkv -c ffv1 --strict", CORRUPT, &["cut.mkv"], Nothing),
    ("damaged inside", "{in}/damaged.mp4 {out}/o.mkv -c ffv1", INCOMPLETE, &["damaged.mp4"], Whole("o.mkv")),
    ("damaged inside, strict", "{in}/damaged.mp4 {out}/o.mkv -c ffv1 --strict", CORRUPT, &["damaged.mp4"], Nothing),
    ("damaged, hashed", "{in}/damaged.mp4 {out}/o.md5 -f framemd5", INCOMPLETE, &["damaged.mp4"], Whole("o.md5")),
    ("wrong checksum", "{in}/flipped.mkv {out}/o.mkv -c ffv1", INCOMPLETE, &["1 slice", "checksum"], Whole("o.mkv")),
    ("wrong checksum, strict", "{in}/flipped.mkv {out}/o.mkv -c ffv1 --strict", CORRUPT, &["checksum"], Nothing),
    ("packet missing", "{in}/hole.ts {out}/o.mkv -c ffv1", INCOMPLETE, &["1 place in the container"], Whole("o.mkv")),
    ("packet missing, strict", "{in}/hole.ts {out}/o.mkv -c ffv1 --strict", CORRUPT, &["hole.ts"], Nothing),
    ("half a packet", "{in}/cut.ts {out}/o.mkv -c ffv1", INCOMPLETE, &["last packet is incomplete"], Whole("o.mkv")),
    ("half a packet, strict", "{in}/cut.ts {out}/o.mkv -c ffv1 --strict", CORRUPT, &["cut.ts"], Nothing),
    ("half a frame", "{in}/cut.y4m {out}/o.mkv -c ffv1", INCOMPLETE, &["last frame is incomplete"], Whole("o.mkv")),
    ("half a frame, strict", "{in}/cut.y4m {out}/o.mkv -c ffv1 --strict", CORRUPT, &["incomplete"], Nothing),
    (
        "size changes",
        "{in}/changes.ts {out}/o.mkv -c ffv1 --strict",
        UNSUPPORTED,
        &["64x48", "96x64", "frame"],
        Nothing,
    ),
    ("part after the end", "{in}/good.mkv {out}/o.mkv -c ffv1 --start 100", BAD_ARGUMENT, &["start"], Nothing),
    ("preview after the end", "{in}/good.mkv {out}/o.png --preview 100", BAD_ARGUMENT, &["no frame"], Nothing),
];

const OUTPUTS: &[Row] = &[
    ("no such folder", "{in}/good.mkv {out}/none/o.mkv -c ffv1", IO, &["none/o.mkv", "No such file"], Nothing),
    ("a folder", "{in}/good.mkv {in}/folder -f matroska -y", IO, &["folder", "directory"], Nothing),
    ("a folder that lets nobody write", "{in}/good.mkv /proc/o.mkv -c ffv1", IO, &["/proc/o.mkv"], Nothing),
    ("full disk", "{in}/good.mkv /dev/full -f matroska -c ffv1", IO, &["/dev/full", "No space left"], Nothing),
    ("full disk, raw", "{in}/good.mkv /dev/full -f yuv4mpegpipe", IO, &["/dev/full", "No space left"], Nothing),
    ("full disk, hashes", "{in}/good.mkv /dev/full -f framemd5", IO, &["/dev/full", "No space left"], Nothing),
    ("full disk, preview", "{in}/good.mkv /dev/full --preview 0", IO, &["/dev/full", "No space left"], Nothing),
    ("exists", "{in}/good.mkv {in}/old.mkv -c ffv1", BAD_ARGUMENT, &["old.mkv exists", "-y"], Nothing),
    ("exists, hashes", "{in}/good.mkv {in}/old.mkv -f framemd5", BAD_ARGUMENT, &["old.mkv exists", "-y"], Nothing),
    ("is the input", "{in}/good.mkv {in}/good.mkv -y -c ffv1", BAD_ARGUMENT, &["is the input"], Nothing),
    (
        "records of nothing",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --chain box --records {out}/r.jsonl",
        BAD_ARGUMENT,
        &["no filter of the chain measures", "stats"],
        Nothing,
    ),
    (
        "records over the input",
        "{in}/good.mkv -f null --chain stats --records {in}/good.mkv -y",
        BAD_ARGUMENT,
        &["is the input"],
        Nothing,
    ),
    (
        "records over the output",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --chain stats --records {out}/o.mkv -y",
        BAD_ARGUMENT,
        &["where the output goes"],
        Nothing,
    ),
    (
        "records in no folder",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --chain stats --records {out}/none/r.jsonl",
        IO,
        &["none/r.jsonl", "No such file"],
        Nothing,
    ),
    ("no extension", "{in}/good.mkv {out}/o", BAD_ARGUMENT, &["-f"], Nothing),
    ("unknown extension", "{in}/good.mkv {out}/o.xyz", BAD_ARGUMENT, &["-f"], Nothing),
    (
        "unknown container",
        "{in}/good.mkv {out}/o.mkv -f matroksa",
        BAD_ARGUMENT,
        &["'matroksa'", "'matroska'"],
        Nothing,
    ),
    ("sound alone", "{in}/good.mkv {out}/o.mp3", UNSUPPORTED, &["mp3 holds no video"], Nothing),
    ("copied video", "{in}/good.mkv {out}/o.mkv -c copy", BAD_ARGUMENT, &["cannot be copied"], Nothing),
    ("unknown encoder", "{in}/good.mkv {out}/o.mkv -c libx246", BAD_ARGUMENT, &["'libx246'", "'libx264'"], Nothing),
    ("an audio encoder", "{in}/good.mkv {out}/o.mkv -c aac", BAD_ARGUMENT, &["aac", "not a video encoder"], Nothing),
    ("container refuses codec", "{in}/good.mkv {out}/o.webm -c libx264", UNSUPPORTED, &["webm", "libx264"], Nothing),
    ("encoder refuses odd size", "{in}/odd.y4m {out}/o.mkv -c libx264", UNSUPPORTED, &["libx264", "5x3"], Nothing),
    (
        "encoder refuses small size",
        "{in}/odd.y4m {out}/o.mkv -c libsvtav1",
        UNSUPPORTED,
        &["libsvtav1", "5x3"],
        Nothing,
    ),
    (
        "encoder refuses depth",
        "{in}/good.mkv {out}/o.mkv -c libx264 --depth 12",
        UNSUPPORTED,
        &["12-bit", "yuv420p10"],
        Nothing,
    ),
    (
        "encoder refuses format",
        "{in}/good.mkv {out}/o.mkv -c mpeg4 --format gray8",
        UNSUPPORTED,
        &["gray8", "yuv420p"],
        Nothing,
    ),
    ("unknown encoder option", "{in}/good.mkv {out}/o.mkv -c libx264 -x nosuch=1", BAD_ARGUMENT, &["nosuch"], Nothing),
    (
        "wrong preset",
        "{in}/good.mkv {out}/o.mkv -c libx264 --preset snail",
        BAD_ARGUMENT,
        &["no preset 'snail'", "veryslow"],
        Nothing,
    ),
];

const CHAINS: &[Row] = &[
    ("unknown filter", "{in}/good.mkv {out}/o.mkv --chain debnad", BAD_ARGUMENT, &["'debnad'", "'deband'"], Nothing),
    (
        "unknown option",
        "{in}/good.mkv {out}/o.mkv --chain deband=rnage=1",
        BAD_ARGUMENT,
        &["'rnage'", "'range'"],
        Nothing,
    ),
    (
        "wrong type",
        "{in}/good.mkv {out}/o.mkv --chain deband=range=wide",
        BAD_ARGUMENT,
        &["'range'", "'wide'", "0 to 127"],
        Nothing,
    ),
    ("not a whole number", "{in}/good.mkv {out}/o.mkv --chain deband=range=1.5", BAD_ARGUMENT, &["'1.5'"], Nothing),
    (
        "out of range",
        "{in}/good.mkv {out}/o.mkv --chain deband=range=128",
        BAD_ARGUMENT,
        &["'128'", "0 to 127"],
        Nothing,
    ),
    ("not a number", "{in}/good.mkv {out}/o.mkv --chain deband=range=nan", BAD_ARGUMENT, &["'nan'"], Nothing),
    (
        "unknown preset",
        "{in}/good.mkv {out}/o.mkv --chain deband=preset=nice",
        BAD_ARGUMENT,
        &["preset", "'nice'"],
        Nothing,
    ),
    ("twice", "{in}/good.mkv {out}/o.mkv --chain deband=range=1:range=2", BAD_ARGUMENT, &["'range'", "twice"], Nothing),
    ("does not parse", "{in}/good.mkv {out}/o.mkv --chain deband(range", BAD_ARGUMENT, &["')'"], Nothing),
    ("ends in a comma", "{in}/good.mkv {out}/o.mkv --chain deband,", BAD_ARGUMENT, &[], Nothing),
    ("10,000 letters", "{in}/good.mkv {out}/o.mkv --chain {x*10000}", BAD_ARGUMENT, &[], Nothing),
    ("10,000 brackets", "{in}/good.mkv {out}/o.mkv --chain {(*10000}", BAD_ARGUMENT, &[], Nothing),
    ("10,000 commas", "{in}/good.mkv {out}/o.mkv --chain {,*10000}", BAD_ARGUMENT, &[], Nothing),
    ("10,000 filters", "{in}/good.mkv {out}/o.mkv --chain {deband,*10000}deband", BAD_ARGUMENT, &[], Nothing),
    ("missing file", "{in}/good.mkv {out}/o.mkv --chain @{in}/none.txt", IO, &["none.txt", "No such file"], Nothing),
    ("a folder", "{in}/good.mkv {out}/o.mkv --chain @{in}/folder", IO, &["folder", "directory"], Nothing),
    ("not text", "{in}/good.mkv {out}/o.mkv --chain @{in}/noise.mkv", IO, &["noise.mkv", "UTF-8"], Nothing),
];

const ARGUMENTS: &[Row] = &[
    ("no input", "-y", BAD_ARGUMENT, &["no input"], Nothing),
    ("no output", "{in}/good.mkv", BAD_ARGUMENT, &["no output"], Nothing),
    ("one path too many", "-i {in}/good.mkv {out}/o.mkv {out}/p.mkv", BAD_ARGUMENT, &["p.mkv", "too many"], Nothing),
    ("three paths", "{in}/good.mkv {out}/o.mkv {out}/p.mkv", BAD_ARGUMENT, &["p.mkv"], Nothing),
    ("unknown option", "{in}/good.mkv {out}/o.mkv --dept 10", BAD_ARGUMENT, &["'--dept'", "'--depth'"], Nothing),
    ("no value", "{in}/good.mkv {out}/o.mkv --depth", BAD_ARGUMENT, &["--depth"], Nothing),
    ("depth", "{in}/good.mkv {out}/o.mkv --depth 7", BAD_ARGUMENT, &["7", "8..=16"], Nothing),
    ("dither", "{in}/good.mkv {out}/o.mkv --dither bleu", BAD_ARGUMENT, &["bleu", "blue"], Nothing),
    ("range", "{in}/good.mkv {out}/o.mkv --range pc", BAD_ARGUMENT, &["pc", "limited", "full"], Nothing),
    ("format", "{in}/good.mkv {out}/o.mkv --format yuv411p", BAD_ARGUMENT, &["'yuv411p'", "yuv420p"], Nothing),
    (
        "format and depth",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --format yuv420p --depth 10",
        BAD_ARGUMENT,
        &["yuv420p", "10"],
        Nothing,
    ),
    ("position", "{in}/good.mkv {out}/o.mkv --start soon", BAD_ARGUMENT, &["'soon'"], Nothing),
    (
        "end before start",
        "{in}/good.mkv {out}/o.mkv -c ffv1 --start 0.2 --end 0.1",
        BAD_ARGUMENT,
        &["--end", "--start"],
        Nothing,
    ),
    ("start before the start", "{in}/good.mkv {out}/o.mkv --start -1", BAD_ARGUMENT, &["'-1'", "12.5"], Nothing),
    ("frames below none", "{in}/good.mkv {out}/o.mkv --frames -1", BAD_ARGUMENT, &["'-1'", "at least 1"], Nothing),
    ("quality below the best", "{in}/good.mkv {out}/o.mkv --crf -5", BAD_ARGUMENT, &["'-5'", "at least 0"], Nothing),
    ("quality that is no number", "{in}/good.mkv {out}/o.mkv --crf nan", BAD_ARGUMENT, &["at least 0"], Nothing),
    ("threads below none", "{in}/good.mkv {out}/o.mkv --threads -1", BAD_ARGUMENT, &["-1", "0..=1024"], Nothing),
    ("depth below none", "{in}/good.mkv {out}/o.mkv --depth -8", BAD_ARGUMENT, &["-8", "8..=16"], Nothing),
    ("input without a name", "{empty} {out}/o.mkv", BAD_ARGUMENT, &["input's name is empty"], Nothing),
    ("output without a name", "{in}/good.mkv {empty}", BAD_ARGUMENT, &["output's name is empty"], Nothing),
    (
        "ffmpeg's option for sound",
        "{in}/good.mkv {out}/o.mkv -b:a 192k",
        BAD_ARGUMENT,
        &["-b:a", "--audio aac:192k"],
        Nothing,
    ),
    ("ffmpeg's length", "{in}/good.mkv {out}/o.mkv -t 5", BAD_ARGUMENT, &["-t", "--end"], Nothing),
    ("help of no command", "help deband", BAD_ARGUMENT, &["'deband'", "vramp --help"], Nothing),
    ("no bits", "{in}/good.mkv {out}/o.mkv -b 0k", BAD_ARGUMENT, &["--bitrate", "must be more than 0"], Nothing),
    ("lists", "{in}/good.mkv {out}/o.mkv --burn-forced-only", BAD_ARGUMENT, &["not provided: --burn"], Nothing),
    ("no frames", "{in}/good.mkv {out}/o.mkv -c ffv1 --frames 0", BAD_ARGUMENT, &["--frames"], Nothing),
    ("preview and start", "{in}/good.mkv {out}/o.png --preview 0 --start 1", BAD_ARGUMENT, &["--preview"], Nothing),
    ("threads", "{in}/good.mkv {out}/o.mkv --threads 100000", BAD_ARGUMENT, &["100000"], Nothing),
    ("slots", "{in}/good.mkv {out}/o.mkv --slots 0", BAD_ARGUMENT, &["--slots"], Nothing),
    ("device", "{in}/good.mkv {out}/o.mkv --device gpu", BAD_ARGUMENT, &["'gpu'", "cuda:N"], Nothing),
    ("device number", "{in}/good.mkv {out}/o.mkv --device cuda:-1", BAD_ARGUMENT, &["'cuda:-1'", "cuda:N"], Nothing),
    ("no GPU memory", "{in}/good.mkv {out}/o.mkv --gpu-memory 0", BAD_ARGUMENT, &["--gpu-memory", "0"], Nothing),
    ("negative GPU memory", "{in}/good.mkv {out}/o.mkv --gpu-memory=-1", BAD_ARGUMENT, &["--gpu-memory"], Nothing),
    ("GPU memory", "{in}/good.mkv {out}/o.mkv --gpu-memory 1G", BAD_ARGUMENT, &["--gpu-memory", "1G"], Nothing),
    ("endless GPU memory", "{in}/good.mkv {out}/o.mkv --gpu-memory 99999999999", BAD_ARGUMENT, &["99999"], Nothing),
    ("device of a bench", "bench --device gpu", BAD_ARGUMENT, &["'gpu'", "cuda:N"], Nothing),
    ("peers on a GPU", "bench --device cuda --peers", BAD_ARGUMENT, &["--peers", "--device"], Nothing),
    ("bars of a size", "bench --size 64x48 --bars", BAD_ARGUMENT, &["--bars", "--size"], Nothing),
    ("no bars", "bench --filter range --bars", BAD_ARGUMENT, &["--bars", "range"], Nothing),
    ("peers of a chain", "bench --chain box,gauss --peers", BAD_ARGUMENT, &["--peers", "--chain"], Nothing),
    ("no peers", "bench --filter range --filter depth --peers", BAD_ARGUMENT, &["--peers", "range, depth"], Nothing),
    ("level", "{in}/good.mkv {out}/o.mkv --cpu-level avx9", BAD_ARGUMENT, &["avx9", "portable"], Nothing),
    ("pair", "{in}/good.mkv {out}/o.mkv -x fast", BAD_ARGUMENT, &["fast", "KEY=VALUE"], Nothing),
    ("hash", "{in}/good.mkv {out}/o.mkv --hash md5", BAD_ARGUMENT, &["framehash"], Nothing),
    ("quiet and verbose", "{in}/good.mkv {out}/o.mkv -q -v", BAD_ARGUMENT, &["--quiet", "--verbose"], Nothing),
    ("filter help", "filters nosuch", BAD_ARGUMENT, &["'nosuch'"], Nothing),
    ("bench filter", "bench --filter nope", BAD_ARGUMENT, &["'nope'"], Nothing),
    ("bench size", "bench --size 12", BAD_ARGUMENT, &["12", "WIDTHxHEIGHT"], Nothing),
    ("bench clip", "bench --clip {in}/none.mkv", IO, &["none.mkv"], Nothing),
    ("shell", "completions nosuch", BAD_ARGUMENT, &["nosuch", "bash"], Nothing),
];

/// Two y4m frames of noise, of `bytes` each.
fn y4m(width: usize, height: usize, format: &str, bytes: usize) -> Vec<u8> {
    let header = format!("YUV4MPEG2 W{width} H{height} F25:1 C{format}\n").into_bytes();
    let frame = [b"FRAME\n".to_vec(), noise(bytes)].concat();
    [header, frame.clone(), frame].concat()
}

fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

/// A tenth of a second of 8-bit mono sound.
fn wav() -> Vec<u8> {
    let (samples, header) = (noise(800), 36u32);
    let size = |bytes: u32| bytes.to_le_bytes().to_vec();
    let count = samples.len() as u32;
    // PCM, 1 channel, 8000 samples and bytes a second, 1 byte a sample, 8 bits.
    let format = [&[1, 0, 1, 0][..], &size(8000), &size(8000), &[1, 0, 8, 0]].concat();
    [
        b"RIFF".to_vec(),
        size(header + count),
        b"WAVEfmt ".to_vec(),
        size(16),
        format,
        b"data".to_vec(),
        size(count),
        samples,
    ]
    .concat()
}

/// The inputs that the rows name.
fn inputs() -> Folder {
    let folder = Folder::new();
    let path = |name| folder.path(name);
    let video = "-f lavfi -i testsrc2=s=64x48:r=25:d=0.48";
    ffmpeg(&format!("{video} -pix_fmt yuv420p -c:v ffv1 -level 3 -slicecrc 1 -g 1 {}", path("good.mkv")));
    ffmpeg(&format!(
        "{video} -pix_fmt yuv420p -c:v mpeg2video {} -c:v libx264 {}",
        path("small.ts"),
        path("whole.mp4")
    ));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=96x64:r=25:d=0.48 -c:v mpeg2video {}", path("large.ts")));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=320x240:r=25:d=0.48 -c:v mpeg2video {}", path("many.ts")));
    fs::write(path("odd.y4m"), y4m(5, 3, "420jpeg", 5 * 3 + 2 * 3 * 2)).unwrap();
    fs::write(path("sound.wav"), wav()).unwrap();

    let good = fs::read(path("good.mkv")).unwrap();
    fs::write(path("cut.mkv"), &good[..good.len() * 3 / 5]).unwrap();
    let whole = fs::read(path("whole.mp4")).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 200].iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(path("damaged.mp4"), damaged).unwrap();
    fs::write(path("headless.mp4"), &whole[..whole.len() / 2]).unwrap();
    fs::write(path("changes.ts"), [fs::read(path("small.ts")).unwrap(), fs::read(path("large.ts")).unwrap()].concat())
        .unwrap();

    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    fs::write(path("flipped.mkv"), flipped).unwrap();
    // A jump from one picture into another, where none starts afresh.
    let (stream, packet) = (fs::read(path("many.ts")).unwrap(), 188);
    let middle = stream.len() / packet / 2 * packet;
    fs::write(path("hole.ts"), [&stream[..middle], &stream[middle + packet..]].concat()).unwrap();
    fs::write(path("cut.ts"), &stream[..middle + packet / 2]).unwrap();
    let odd = fs::read(path("odd.y4m")).unwrap();
    fs::write(path("cut.y4m"), &odd[..odd.len() - 1]).unwrap();

    fs::write(path("empty.mkv"), "").unwrap();
    fs::write(path("text.mp4"), "This is no video.\n".repeat(100)).unwrap();
    fs::write(path("noise.mkv"), noise(20_000)).unwrap();
    fs::write(path("old.mkv"), "old").unwrap();
    fs::create_dir(path("folder")).unwrap();
    folder
}

/// The words of a command line. `{x*9}` stands for nine times x.
fn words(line: &str, inputs: &Folder, out: &Folder) -> Vec<String> {
    let strip = |folder: &Folder| folder.path("").trim_end_matches('/').to_owned();
    let (inputs, out) = (strip(inputs), strip(out));
    let word = |word: &str| match word.split_once('{').and_then(|(_, rest)| rest.split_once("*10000}")) {
        Some((what, rest)) => what.repeat(10_000) + rest,
        None => word.replace("{in}", &inputs).replace("{out}", &out).replace("{empty}", ""),
    };
    line.split_whitespace().map(word).collect()
}

/// Runs every row, and names those that do not do as they say.
fn check(rows: &[Row]) {
    let inputs = inputs();
    let before: Vec<_> = inputs.names().into_iter().map(|name| (fs::read(inputs.path(&name)).ok(), name)).collect();
    let mut wrong = Vec::new();
    for &(name, line, code, expected, leaves) in rows {
        let out = Folder::new();
        let ran = run(&words(line, &inputs, &out));
        let errors: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("vramp: error: ")).collect();
        let foreign = ran.stderr.lines().any(|line| !line.starts_with("vramp: "));
        let mut complaints = Vec::new();
        if ran.code != Some(code) {
            complaints.push(format!("exit code {:?}, not {code}", ran.code));
        }
        if !ran.stdout.is_empty() {
            complaints.push("something on standard output".to_owned());
        }
        if errors.len() != 1 || foreign || ran.stderr.contains("panic") || ran.stderr.len() > 2000 {
            complaints.push("not one short error line".to_owned());
        }
        complaints.extend(
            expected.iter().filter(|word| !errors.concat().contains(**word)).map(|word| format!("no {word:?}")),
        );
        let left = out.names();
        match leaves {
            Nothing if !left.is_empty() => complaints.push(format!("left {left:?}")),
            Whole(file) if left != [file] => complaints.push(format!("left {left:?}, not {file}")),
            _ => {}
        }
        if !complaints.is_empty() {
            wrong.push(format!("{name}: {}\n  {line}\n  {}", complaints.join("; "), ran.stderr.trim_end()));
        }
    }
    let after: Vec<_> = inputs.names().into_iter().map(|name| (fs::read(inputs.path(&name)).ok(), name)).collect();
    assert!(before == after, "an input was touched");
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn bad_inputs() {
    check(INPUTS);
}

#[test]
fn bad_outputs() {
    check(OUTPUTS);
}

#[test]
fn bad_chains() {
    check(CHAINS);
}

#[test]
fn bad_arguments() {
    check(ARGUMENTS);
}

#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let input = folder.path("locked.mkv");
    fs::write(&input, "x").unwrap();
    fs::set_permissions(&input, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&input).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let ran = run(&[input.as_str(), "-", "-f", "framemd5"]);
    assert_eq!(ran.code, Some(IO), "{}", ran.stderr);
    assert!(ran.stderr.contains("locked.mkv") && ran.stderr.contains("ermission"), "{}", ran.stderr);
}

#[test]
fn what_decodes_before_the_damage_is_kept() {
    let inputs = inputs();
    let all = hashes(&inputs.path("good.mkv"), &[]);
    let ran = run(&[inputs.path("cut.mkv").as_str(), "-", "-f", "framemd5"]);
    let kept: Vec<_> = ran.text().lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(ran.code, Some(INCOMPLETE));
    assert!(kept.len() >= all.len() / 2 && kept.len() < all.len(), "{kept:?}");
    assert_eq!(kept, all[..kept.len()]);
}

#[test]
fn a_film_that_breaks_off_in_an_attachment_is_damaged() {
    let folder = Folder::new();
    let (font, film) = (folder.path("font.ttf"), folder.path("film.mkv"));
    fs::write(&font, noise(60_000)).unwrap();
    ffmpeg(&format!(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.48 -c:v ffv1 -attach {font} -metadata:s:t mimetype=font/ttf {film}"
    ));
    let whole = fs::read(&film).unwrap();
    // Within what says what there is, within the font, and between frames.
    fs::write(folder.path("short.mkv"), &whole[..150]).unwrap();
    let ran = run(&[&folder.path("short.mkv"), "-", "-f", "framemd5"]);
    assert_eq!(ran.code, Some(CORRUPT), "{}", ran.stderr);
    for (part, code) in [(2, CORRUPT), (5, CORRUPT), (93, INCOMPLETE), (97, INCOMPLETE)] {
        fs::write(folder.path("cut.mkv"), &whole[..whole.len() * part / 100]).unwrap();
        let ran = run(&[&folder.path("cut.mkv"), "-", "-f", "framemd5"]);
        assert_eq!(ran.code, Some(code), "{part} %: {}", ran.stderr);
        let ran = run(&["hash", &folder.path("cut.mkv")]);
        assert_eq!(ran.code, Some(code), "hash of {part} %: {}", ran.stderr);
        let ran = run(&[&folder.path("cut.mkv"), &folder.path("o.mkv"), "-c", "ffv1", "--strict"]);
        assert_eq!(ran.code, Some(CORRUPT), "{part} %, strictly: {}", ran.stderr);
    }
}

#[test]
fn alpha_beside_the_pictures_goes_with_a_word() {
    let folder = Folder::new();
    let (source, target) = (folder.path("in.webm"), folder.path("out.webm"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libvpx-vp9 -pix_fmt yuva420p -cpu-used 8 {source}"));
    let ran = run(&[&source, &target, "-c", "libvpx-vp9"]).ok();
    assert!(ran.stderr.contains("in.webm: its alpha, which lies beside the pictures, is left out"), "{}", ran.stderr);
    let says = |file: &str| {
        let words = ["-v", "error", "-show_entries", "stream_tags=alpha_mode", "-of", "csv=p=0", file];
        let output = Command::new("ffprobe").args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!((says(&source).as_str(), says(&target).as_str()), ("1", ""));
}

#[test]
fn an_empty_or_foreign_pipe_is_refused() {
    for bytes in [&b""[..], b"This is no video."] {
        let ran = run_fed(&["-", "-", "-f", "framemd5"], bytes);
        assert_eq!((ran.code, ran.stderr.lines().count()), (Some(CORRUPT), 1), "{}", ran.stderr);
        assert_eq!(ran.stdout, b"");
    }
}

#[test]
fn a_pipe_closed_by_its_reader_is_an_io_error() {
    let inputs = inputs();
    let mut command = vramp();
    command.args([inputs.path("good.mkv").as_str(), "-", "-f", "rawvideo"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(IO), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn odd_and_tiny_sizes_are_no_fault() {
    let folder = Folder::new();
    for (width, height) in [(1, 1), (2, 1), (1, 2), (3, 3), (5, 3), (17, 1)] {
        let (half_w, half_h) = (usize::div_ceil(width, 2), usize::div_ceil(height, 2));
        let formats = [
            ("mono", width * height),
            ("420jpeg", width * height + 2 * half_w * half_h),
            ("422", width * height + 2 * half_w * height),
            ("444", 3 * width * height),
        ];
        for (format, bytes) in formats {
            let (input, output) = (folder.path("in.y4m"), folder.path("out.mkv"));
            fs::write(&input, y4m(width, height, format, bytes)).unwrap();
            let chain = ["--chain", "deband=sample=2:rand_each_frame=on"];
            run(&[&[input.as_str(), &output, "-y", "-c", "ffv1"], &chain[..]].concat()).ok();
            let (got, expected) = (samples(hashes(&output, &[])), samples(hashes(&input, &chain)));
            assert_eq!((got.len(), &got), (2, &expected), "{width}x{height} {format}");
        }
    }
}

/// The sizes and hashes of frames, without their times, which depend on the container.
fn samples(lines: Vec<String>) -> Vec<String> {
    lines.iter().map(|line| line.rsplitn(3, ',').take(2).collect()).collect()
}

#[test]
fn an_encoder_without_memory_is_not_opened() {
    let folder = Folder::new();
    let (source, target) = (folder.path("8k.avi"), folder.path("o.mkv"));
    ffmpeg(&format!("-f lavfi -i color=s=7680x4320 -frames:v 2 -pix_fmt yuvj420p -c:v mjpeg {source}"));
    for encoder in [None, Some("libx264"), Some("libx265"), Some("libsvtav1")] {
        let mut words = vec![source.as_str(), target.as_str(), "--decoder-threads", "1", "--device", "cpu"];
        words.extend(encoder.iter().flat_map(|encoder| ["-c", encoder]));
        // What it must not do is to wait for ever.
        let limited = "ulimit -v 1000000; exec timeout -s KILL 100 \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        let ran = command.args(["-c", limited, env!("CARGO_BIN_EXE_vramp")]).args(&words).output().unwrap().into();
        refused(&ran, OUT_OF_MEMORY, &["no memory for", encoder.unwrap_or("libx265"), "7680x4320", "MiB"]);
        assert_eq!(folder.names(), ["8k.avi"], "{encoder:?}");
    }
    // Where there is memory, FFV1 gets as many slices as it asks for in so large a picture.
    run(&[&*source, &*target, "-c", "ffv1", "--encoder-threads", "2", "--device", "cpu"]).ok();
}

#[test]
fn x265_is_not_opened_where_its_threads_find_no_memory() {
    let folder = Folder::new();
    let (source, target) = (folder.path("small.avi"), folder.path("o.mkv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=320x180 -frames:v 25 -c:v mjpeg {source}"));
    for limit in [500_000, 600_000] {
        let limited = format!("ulimit -v {limit}; exec timeout -s KILL 100 \"$0\" \"$@\"");
        let words = [source.as_str(), &target, "-c", "libx265", "--threads", "1", "--decoder-threads", "1"];
        let mut command = Command::new("sh");
        let ran = command.args(["-c", &limited, env!("CARGO_BIN_EXE_vramp")]).args(words).output().unwrap().into();
        refused(&ran, OUT_OF_MEMORY, &[]);
        assert_eq!(folder.names(), ["small.avi"], "{limit}");
    }
}

#[test]
fn a_bit_flip_anywhere_in_an_ogg_is_found() {
    let folder = Folder::new();
    let (whole, flipped) = (folder.path("whole.ogv"), folder.path("flipped.ogv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=96x72:r=25:d=1 -c:v libtheora -page_duration 100000 {whole}"));
    assert_eq!(hashes(&whole, &[]).len(), 25);
    let bytes = fs::read(&whole).unwrap();
    for part in 0..12 {
        let mut bytes = bytes.clone();
        let at = bytes.len() * part / 12;
        bytes[at] ^= 0x10;
        fs::write(&flipped, bytes).unwrap();
        let code = run(&[&*flipped, "-", "-f", "framemd5"]).code.unwrap();
        assert!([CORRUPT, INCOMPLETE].contains(&code), "at byte {at}: exit code {code}");
        let strict = run(&[&*flipped, "-", "-f", "framemd5", "--strict"]).code;
        assert_eq!(strict, Some(CORRUPT), "at byte {at}");
    }
}

#[test]
fn copied_text_that_is_not_utf_8_is_warned_of() {
    let folder = Folder::new();
    let (film, text, target) = (folder.path("film.mkv"), folder.path("text.srt"), folder.path("o.mkv"));
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:d=0.4 -c:v ffv1 {film}"));
    for (letter, warned) in [(&b"\xc3\xbc"[..], false), (b"\xfc", true)] {
        fs::write(&text, [b"1\n00:00:00,100 --> 00:00:00,300\nGr", letter, b"n\n\n"].concat()).unwrap();
        let ran = run(&[&*film, &*target, "-c", "ffv1", "--add", &*text, "-y"]).ok();
        assert_eq!(ran.stderr.contains("stream 0 of"), warned, "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("is not UTF-8"), warned, "{}", ran.stderr);
    }
}

#[test]
fn the_size_that_is_reported_is_the_files() {
    let folder = Folder::new();
    let (film, text) = (folder.path("film.mkv"), folder.path("text.srt"));
    fs::write(&text, "1\n00:00:00,100 --> 00:00:00,300\nOne\n\n2\n00:00:00,300 --> 00:00:00,900\nTwo\n\n").unwrap();
    ffmpeg(&format!("-f lavfi -i testsrc2=s=192x144:r=25:d=1 -i {text} -c:v ffv1 -c:s copy {film}"));
    for name in ["o.mp4", "o.mov", "o.mkv"] {
        let target = folder.path(name);
        let ran = run(&[&*film, &*target, "-c", "libx264", "--progress", "json"]).ok();
        let size = format!("\"size\":{},", fs::metadata(&target).unwrap().len());
        assert!(ran.stderr.lines().last().unwrap().contains(&size), "{name}, {size}: {}", ran.stderr);
    }
}

#[test]
fn dolby_vision_with_wrong_colours_must_be_asked_for() {
    let folder = Folder::new();
    let film = folder.path("film.mp4");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=64x48:d=0.2 -c:v libx264 -bf 0 {film}"));
    let bytes = fs::read(&film).unwrap();
    let at = bytes.windows(4).position(|name| name == b"btrt").expect("a box that may become another");
    // A configuration record: version 1.0, profile, level 5, layers, what the base layer is compatible with.
    let film_of = |profile: u8, compatible: u8| {
        let mut bytes = bytes.clone();
        let record = [1, 0, profile << 1, 5 << 3 | 0b101, compatible << 4, 0, 0, 0, 0, 0, 0, 0];
        bytes[at..at + 16].copy_from_slice(&[&b"dvcC"[..], &record].concat());
        let path = folder.path(&format!("profile-{profile}.mp4"));
        fs::write(&path, bytes).unwrap();
        path
    };
    let (five, eight, target) = (film_of(5, 0), film_of(8, 1), folder.path("o.mkv"));
    refused(&run(&[&five, &target, "-c", "ffv1"]), UNSUPPORTED, &["profile 5", "colours", "--ignore-dolby-vision"]);
    assert!(!folder.names().contains(&"o.mkv".to_owned()));
    for words in
        [vec![&*five, &*target, "-c", "ffv1", "--ignore-dolby-vision"], vec![&*eight, &*target, "-c", "ffv1", "-y"]]
    {
        let ran = run(&words).ok();
        assert!(ran.stderr.contains("Dolby Vision, whose layers do not fit"), "{}", ran.stderr);
    }
}
