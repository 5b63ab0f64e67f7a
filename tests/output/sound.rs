//! Sound that is encoded: where its samples lie, how many there are, and how it is tagged.

use crate::media::{Ask, Folder, probe, run, stream, transcode, transcode_damaged, transcoded};
use std::process::Command;
use vramp::error::Kind;
use vramp::io::libav::{Loudness, Position, SoundCoding, Timestamps, Window};

/// A second and a fifth of pictures and of noise, which is like itself at one place only.
const FILM: &str = "-f lavfi -i testsrc2=s=64x48:r=25:d=1.2 -f lavfi -i anoisesrc=d=1.2:c=pink:r=48000:a=0.5:seed=7";

/// Containers, and the encoder that makes pictures for them fast.
const CONTAINERS: [(&str, &str, &str); 4] = [
    ("mkv", "libx264", "preset=ultrafast"),
    ("mp4", "libx264", "preset=ultrafast"),
    ("mov", "libx264", "preset=ultrafast"),
    ("webm", "libvpx-vp9", "deadline=realtime cpu-used=8"),
];

fn ask(target: &str, rules: &[&str]) -> Ask {
    let (_, codec, options) = CONTAINERS.iter().find(|(name, ..)| target.ends_with(name)).unwrap();
    let mut ask = Ask::codec(codec).with(options);
    ask.output.sound.rules = rules.iter().map(|rule| rule.parse().unwrap()).collect();
    ask.output.overwrite = true;
    ask
}

/// The sound of `file` from time 0 on, in one channel of 48 kHz, as ffmpeg decodes it.
fn samples(file: &str) -> Vec<f32> {
    let words = "-map 0:a:0 -af aresample=48000:async=1:min_hard_comp=0.02:first_pts=0 -ac 1 -f f32le -";
    let mut command = Command::new("ffmpeg");
    let output = command
        .args(["-v", "error", "-nostdin", "-copyts", "-i", file])
        .args(words.split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// How many samples later than `before`, from its sample `from` on, `after` has the same sound.
#[track_caller]
fn lag(before: &[f32], from: usize, after: &[f32]) -> i64 {
    const PIECE: std::ops::Range<usize> = 14_000..16_000;
    let likeness = |lag: &i64| -> f64 {
        let pairs = PIECE.map(|at| (before[from + at], after.get((at as i64 + lag) as usize).copied().unwrap_or(0.0)));
        pairs.map(|(a, b)| f64::from(a) * f64::from(b)).sum()
    };
    (-1500..1500).max_by(|a, b| likeness(a).total_cmp(&likeness(b))).unwrap()
}

/// How many samples a container's unit of time may round by.
fn unit(file: &str) -> i64 {
    if file.ends_with("mkv") || file.ends_with("webm") { 48 } else { 1 }
}

/// How many samples a file has of the film's sound: as MP4 states it, whose last packets ffmpeg shows to their end, or else as
/// they decode.
fn length(file: &str, decoded: &[f32]) -> i64 {
    if file.ends_with("mkv") || file.ends_with("webm") {
        return decoded.len() as i64;
    }
    let value = |entry: &str| stream(file, "a:0", entry).parse::<f64>().unwrap();
    ((value("stream=start_time") + value("stream=duration")) * 48_000.0).round() as i64
}

/// How many samples longer it may be: Matroska has AAC's packets whole.
fn rest(file: &str, codec: &str) -> i64 {
    if file.ends_with("mkv") && codec.starts_with("aac") { 1024 } else { 0 }
}

/// Encodes the film's sound with each of `codecs`, from each container into each, and checks where it lies.
fn stays(name: &str, codecs: &[&str], containers: &[&str], change: impl Fn(&mut Ask), from: usize, count: i64) {
    let folder = Folder::new(&format!("sound-{name}"));
    let mut wrong = Vec::new();
    for source in ["mkv", "mov"] {
        let film =
            folder.make(&format!("film.{source}"), &format!("{FILM} -c:v libx264 -preset ultrafast -c:a pcm_s16le"));
        let before = samples(&film);
        for (codec, container) in codecs.iter().flat_map(|codec| containers.iter().map(move |to| (codec, to))) {
            let target = folder.file(&format!("{codec}.{container}"));
            let mut ask = ask(&target, &[codec]);
            change(&mut ask);
            transcoded(&film, &target, ask);
            let after = samples(&target);
            let (moved, longer) = (lag(&before, from, &after), length(&target, &after) - count);
            let allowed = unit(&film).max(unit(&target));
            if moved.abs() > allowed || longer < -allowed || longer > allowed + rest(&target, codec) {
                wrong.push(format!("{codec} from {source} to {container}: {moved} samples late, {longer} longer"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lossy_sound_stays_beside_the_pictures() {
    stays("lossy", &["opus:96k", "aac:128k"], &["mkv", "mp4"], |_| {}, 0, 57_600);
    stays("webm", &["opus", "vorbis"], &["webm"], |_| {}, 0, 57_600);
    stays("mov", &["aac"], &["mov"], |_| {}, 0, 57_600);
}

#[test]
fn lossless_sound_stays_beside_the_pictures() {
    stays("flac", &["flac"], &["mkv", "mp4"], |_| {}, 0, 57_600);
    stays("pcm", &["pcm", "alac"], &["mov"], |_| {}, 0, 57_600);
}

#[test]
fn a_part_is_cut_to_the_sample() {
    for timestamps in [Timestamps::Zero, Timestamps::Keep] {
        // Frames 7 to 23 of 25 a second: 13,440 samples from the start, 30,720 of them.
        let change = |ask: &mut Ask| {
            ask.window = Window { start: Some(Position::Frame(7)), frames: Some(16), ..Window::default() };
            ask.output.timestamps = timestamps;
        };
        let (from, count) = if timestamps == Timestamps::Zero { (13_440, 30_720) } else { (0, 44_160) };
        stays(&format!("part-{timestamps:?}"), &["aac", "flac"], &["mp4", "mkv"], change, from, count);
    }
}

#[test]
fn lossless_sound_keeps_every_sample() {
    let folder = Folder::new("sound-exact");
    let hash = |file: &str, format: &str| {
        run("ffmpeg", &["-v", "error", "-i", file, "-map", "0:a", "-c:a", format, "-f", "md5", "-"])
    };
    for depth in ["pcm_s16le", "pcm_s24le"] {
        let film = folder.make("film.mkv", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a {depth}"));
        for (codec, container) in [("flac", "mkv"), ("flac", "mp4"), ("alac", "mov"), ("pcm", "mov")] {
            let target = folder.file(&format!("{codec}.{container}"));
            transcoded(&film, &target, ask(&target, &[codec]));
            assert_eq!(hash(&target, depth), hash(&film, depth), "{depth} as {codec} in {container}");
        }
    }
}

#[test]
fn sound_that_a_container_does_not_hold_is_encoded_with_a_warning() {
    let folder = Folder::new("sound-auto");
    let film = folder.make("film.mov", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a pcm_s16le"));
    for (container, codec) in [("mp4", "aac"), ("webm", "opus"), ("mov", "pcm_s16le")] {
        let target = folder.file(&format!("out.{container}"));
        let mut ask = ask(&target, &[]);
        ask.output.sound.otherwise = SoundCoding::Auto;
        let said = transcoded(&film, &target, ask);
        assert_eq!(stream(&target, "a:0", "stream=codec_name"), codec);
        let said = said.iter().filter(|line| line.contains("track 1 of sound") && line.contains("encoded as")).count();
        assert_eq!(said, usize::from(codec != "pcm_s16le"), "{container}");
    }
    // FLAC in MP4 has a specification, and is copied.
    let film = folder.make("flac.mkv", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a flac"));
    let target = folder.file("flac.mp4");
    assert_eq!(transcoded(&film, &target, ask(&target, &["copy"])), Vec::<String>::new());
    assert_eq!(stream(&target, "a:0", "stream=codec_name"), "flac");
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let folder = Folder::new("sound-refused");
    let film = folder.make("film.mov", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a pcm_s16le"));
    let refused = |container: &str, rule: &str, kind: Kind, words: &str| {
        let target = folder.file(&format!("refused.{container}"));
        let error = transcode(&film, &target, ask(&target, &[rule])).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(words) && !error.message().contains('\n'), "{error}");
        assert!(!std::path::Path::new(&target).exists());
    };
    refused("webm", "flac", Kind::Unsupported, "flac: ");
    refused("mp4", "copy", Kind::Unsupported, "cannot be copied: ");
    refused("mkv", "opsu", Kind::BadArgument, "did you mean 'opus'?");
    refused("mkv", "libx264", Kind::BadArgument, "does not code sound");
    refused("mkv", "de=aac", Kind::BadArgument, "no track 'de' of sound; the input has 1 (");
    refused("mkv", "2=aac", Kind::BadArgument, "no track 2 of sound; the input has 1 (");
    refused("mkv", "dts", Kind::Unsupported, "");
    refused("mkv", "pcm:128k", Kind::BadArgument, "pcm_s16le loses nothing");
    refused("mkv", "flac:128k", Kind::BadArgument, "flac loses nothing");
}

#[test]
fn tracks_are_chosen_by_number_and_language() {
    let folder = Folder::new("sound-tracks");
    let tracks = "-map 0:v -map 1:a -map 1:a -map 1:a -metadata:s:a:0 language=eng -metadata:s:a:1 language=ger \
                  -metadata:s:a:2 language=eng";
    let film = folder.make("film.mkv", &format!("{FILM} {tracks} -c:v libx264 -preset ultrafast -c:a flac"));
    let target = folder.file("chosen.mkv");
    transcoded(&film, &target, ask(&target, &["eng=opus", "3=copy", "none"]));
    let found = probe(&target, "-select_streams a -show_entries stream=codec_name:stream_tags=language");
    assert_eq!(found, ["opus,eng", "flac,eng"]);
    // Whichever code the container and the user have for it.
    for code in ["ger", "deu", "de"] {
        transcoded(&film, &target, ask(&target, &[&format!("{code}=copy"), "none"]));
        assert_eq!(stream(&target, "a", "stream_tags=language"), "ger", "{code}");
    }
}

#[test]
fn rates_and_channels_become_those_that_a_codec_takes() {
    let folder = Folder::new("sound-forms");
    let picture = "-f lavfi -i testsrc2=s=64x48:r=25:d=1.2";
    let film = |sound: &str| folder.make("film.mkv", &format!("{picture} {sound} -c:v libx264 -preset ultrafast"));
    let becomes = |film: &str, rule: &str, downmix: Option<&str>| {
        let target = folder.file("out.mkv");
        let mut ask = ask(&target, &[rule]);
        ask.output.sound.downmix = downmix.map(str::to_owned);
        transcoded(film, &target, ask);
        stream(&target, "a:0", "stream=sample_rate,channels")
    };
    let low = film("-f lavfi -i sine=d=1.2:r=44100 -c:a pcm_s16le");
    assert_eq!(becomes(&low, "opus", None), "48000,1");
    assert_eq!(becomes(&low, "aac", None), "44100,1");
    let surround =
        film("-f lavfi -i anoisesrc=d=1.2:r=48000 -af pan=5.1(side)|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0 -c:a ac3");
    for codec in ["opus", "aac", "flac", "ac3"] {
        assert_eq!(becomes(&surround, codec, None), "48000,6", "{codec}");
        assert_eq!(becomes(&surround, codec, Some("stereo")), "48000,2", "{codec}");
    }
}

#[test]
fn gaps_become_silence() {
    let folder = Folder::new("sound-gaps");
    let words = "-af aselect='not(between(t,0.5,0.7))' -c:v libx264 -preset ultrafast -c:a pcm_s16le";
    let film = folder.make("film.mkv", &format!("{FILM} {words}"));
    let target = folder.file("out.mp4");
    transcoded(&film, &target, ask(&target, &["flac"]));
    let after = samples(&target);
    assert!((after.len() as i64 - 57_600).abs() <= 48, "{}", after.len());
    assert!(after[26_000..32_000].iter().all(|sample| *sample == 0.0));
    assert!(lag(&samples(&film), 30_000, &after[30_000..]).abs() <= 48);
}

#[test]
fn loudness_is_brought_to_its_target() {
    let folder = Folder::new("sound-loudness");
    let film = "-f lavfi -i testsrc2=s=64x48:r=5:d=8 -f lavfi -i anoisesrc=d=8:c=pink:r=48000:a=0.05:seed=7";
    let film = folder.make("film.mkv", &format!("{film} -c:v libx264 -preset ultrafast -c:a pcm_s16le"));
    for two_pass in [true, false] {
        let target = folder.file("out.mkv");
        let mut ask = ask(&target, &["flac"]);
        ask.output.sound.loudness = Some(Loudness { target: -20.0, two_pass });
        transcoded(&film, &target, ask);
        let words = ["-nostdin", "-i", &target, "-map", "0:a", "-af", "ebur128", "-f", "null", "-"];
        let text = String::from_utf8(Command::new("ffmpeg").args(words).output().unwrap().stderr).unwrap();
        let (_, summary) = text.rsplit_once("Integrated loudness:").unwrap();
        let loudness: f64 = summary.split_whitespace().nth(1).unwrap().parse().unwrap();
        let allowed = if two_pass { 0.15 } else { 1.0 };
        assert!((loudness + 20.0).abs() <= allowed, "two passes: {two_pass}: {loudness} LUFS");
        assert!(lag(&samples(&film), 0, &samples(&target)).abs() <= 48);
    }
}

#[test]
fn packets_that_do_not_decode_are_reported() {
    let folder = Folder::new("sound-damage");
    let film = folder.make("film.mkv", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a aac"));
    let damaged = folder.make("damaged.mkv", &format!("-i {film} -c copy -bsf:a noise=amount=3*eq(n\\,20)"));
    let target = folder.file("out.mkv");
    let (_, damage) = transcode_damaged(&damaged, &target, ask(&target, &["flac"]), &mut |_| {}).unwrap();
    let damage = damage.unwrap();
    assert_eq!(damage.kind(), Kind::Incomplete);
    assert!(damage.message().contains("did not decode"), "{damage}");
    let mut strict = ask(&target, &["flac"]);
    strict.output.sound.strict = true;
    assert_eq!(transcode(&damaged, &target, strict).unwrap_err().kind(), Kind::CorruptInput);
}

#[test]
fn copied_sound_of_a_part_begins_with_its_pictures() {
    let folder = Folder::new("sound-copied-part");
    let mut wrong = Vec::new();
    for (codec, containers) in [
        ("libopus", &["mkv", "webm", "mp4"][..]),
        ("aac", &["mp4", "mov"]),
        ("libmp3lame", &["mp4"]),
        ("ac3", &["mp4"]),
    ] {
        let film = folder.make("film.mp4", &format!("{FILM} -c:v libx264 -preset ultrafast -c:a {codec}"));
        let before = samples(&film);
        for container in containers {
            let target = folder.file(&format!("part.{container}"));
            let mut ask = ask(&target, &["copy"]);
            // Frame 7 of 25 a second: 13,440 samples from the start, in the middle of a packet.
            ask.window = Window { start: Some(Position::Frame(7)), ..Window::default() };
            ask.output.timestamps = Timestamps::Zero;
            let said = transcoded(&film, &target, ask);
            let after = samples(&target);
            let lag = lag(&before, 13_440, &after);
            // From its first sample on it is the film's, but for the noise that decoders of AAC and AC-3 make up.
            let apart = |at: usize| f64::from(before[13_440 + at] - after[(at as i64 + lag).max(0) as usize]).powi(2);
            let power = |at: usize| f64::from(before[13_440 + at]).powi(2);
            let (noise, loud) = ((0..480).map(apart).sum::<f64>(), (0..480).map(power).sum::<f64>());
            if lag.abs() > unit(&target) || noise > loud / 8.0 || said.iter().any(|line| line.contains("begins")) {
                wrong.push(format!(
                    "{codec} in {container}: {lag} samples late, {:.4} of it is else: {said:?}",
                    noise / loud
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
