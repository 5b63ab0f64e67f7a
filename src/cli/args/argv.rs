//! Options as ffmpeg users type them, turned into this command's own before they are parsed.

use crate::cli::args::{deband_presets, names_subtitles};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};

/// ffmpeg's spelling, ours. Read by `--help` too.
pub const FFMPEG_SPELLINGS: &[(&str, &str)] = &[
    ("-vf", "--chain"),
    ("-filter:v", "--chain"),
    ("-c:v", "--codec"),
    ("-codec:v", "--codec"),
    ("-vcodec", "--codec"),
    ("-crf", "--crf"),
    ("-qp", "--qp"),
    ("-preset", "--preset"),
    ("-tune", "--tune"),
    ("-b:v", "--bitrate"),
    ("-pix_fmt", "--format"),
    ("-ss", "--start"),
    ("-to", "--end"),
    ("-frames:v", "--frames"),
    ("-vframes", "--frames"),
    ("-framerate", "--fps"),
    ("-c:a", "--audio"),
    ("-codec:a", "--audio"),
    ("-acodec", "--audio"),
    ("-an", "--no-audio"),
    ("-sn", "--no-subtitles"),
    ("-metadata", "--tag"),
    ("-attach", "--add"),
];

/// ffmpeg's options of the encoder or the container whose names are those of -x, or nearly.
const ENCODERS: &[(&str, &str)] = &[
    ("-profile:v", "profile"),
    ("-level:v", "level"),
    ("-maxrate", "maxrate"),
    ("-minrate", "minrate"),
    ("-bufsize", "bufsize"),
    ("-g", "g"),
    ("-keyint_min", "keyint_min"),
    ("-sc_threshold", "sc_threshold"),
    ("-bf", "bf"),
    ("-refs", "refs"),
    ("-qmin", "qmin"),
    ("-qmax", "qmax"),
    ("-rc", "rc"),
    ("-cq", "cq"),
    ("-rc-lookahead", "rc-lookahead"),
    ("-aq-mode", "aq-mode"),
    ("-aq-strength", "aq-strength"),
    ("-cpu-used", "cpu-used"),
    ("-row-mt", "row-mt"),
    ("-tiles", "tiles"),
    ("-flags", "flags"),
    ("-field_order", "field_order"),
    ("-x264-params", "x264-params"),
    ("-x264opts", "x264opts"),
    ("-x265-params", "x265-params"),
    ("-svtav1-params", "svtav1-params"),
    ("-aom-params", "aom-params"),
    ("-colorspace", "colorspace"),
    ("-color_primaries", "color_primaries"),
    ("-color_trc", "color_trc"),
    ("-chroma_sample_location", "chroma_sample_location"),
    ("-movflags", "movflags"),
    ("-brand", "brand"),
];

/// What ffmpeg users ask for that is done in any case.
const DONE_ANYWAY: &[(&str, &[&str])] = &[
    // Beside -crf, for VP9: no limit.
    ("-b:v", &["0"]),
    ("-c:s", &["copy"]),
    ("-codec:s", &["copy"]),
    ("-scodec", &["copy"]),
    ("-c:d", &["copy"]),
    ("-c:t", &["copy"]),
    ("-map", &["0"]),
    ("-map_metadata", &["0"]),
    ("-map_chapters", &["0"]),
    ("-pattern_type", &["sequence", "glob", "none"]),
    ("-safe", &["0"]),
    ("-fps_mode", &["passthrough", "0"]),
    ("-vsync", &["passthrough", "0"]),
];

/// ffmpeg's options that mean something else here, or nothing, and what to do instead.
const FFMPEG_OTHERS: &[(&str, &str)] = &[
    ("-t", "--end says where to stop, --frames after how many frames"),
    ("-r", "frames keep the source's times, and --fps is the rate of pictures"),
    ("-start_number", "a sequence begins with its first number: --start #N passes pictures by"),
    ("-pattern_type", "'shots/*.png' in quotes is a glob, shot_%04d.png a sequence"),
    ("-s", "--chain scale=WIDTH:HEIGHT changes the size"),
    ("-aspect", "--chain scale changes the shape, and --chain crop or pad what is in the picture"),
    ("-map", "every stream is copied unless --no-audio, --no-subtitles or --no-extras leaves it out"),
    ("-map_metadata", "--metadata FILE takes tags from a file, and --metadata none writes none"),
    ("-map_chapters", "--chapters FILE takes chapters from a file, and --chapters none writes none"),
    ("-disposition", "--track sets flags, as in --track a1:default,forced=no"),
    ("-vn", "the video is what is filtered"),
    ("-dn", "data is left out with --no-extras"),
    ("-b:a", "--audio has the rate too, as in --audio aac:192k"),
    ("-q:a", "--audio has a rate, as in --audio aac:192k"),
    ("-ac", "--audio-downmix stereo or mono mixes channels"),
    ("-ar", "encoders get the source's rate, or the nearest that they take"),
    ("-af", "--loudness, --audio-delay and --audio-downmix are what is done to sound"),
    ("-filter:a", "--loudness, --audio-delay and --audio-downmix are what is done to sound"),
    ("-c:s", "--subtitles srt, ass, mov_text or webvtt converts text, and --no-subtitles leaves all out"),
    ("-codec:s", "--subtitles srt, ass, mov_text or webvtt converts text, and --no-subtitles leaves all out"),
    ("-scodec", "--subtitles srt, ass, mov_text or webvtt converts text, and --no-subtitles leaves all out"),
    ("-filter_complex", "--chain has one line of filters"),
    ("-lavfi", "--chain has one line of filters"),
    ("-hide_banner", "there is no banner: leave it out"),
    ("-nostdin", "standard input is read for '-' alone: leave it out"),
    ("-n", "an existing file stays without -y: leave it out"),
    ("-stats", "--progress says how progress is shown"),
    ("-nostats", "--progress none shows no progress"),
    ("-progress", "--progress json shows progress to programs"),
    ("-report", "-v says more, and -vv everything"),
    ("-benchmark", "-v says where the time went, and vramp bench measures"),
    ("-loglevel", "-q prints errors only, and -v more"),
    ("-vsync", "frames keep the source's times"),
    ("-fps_mode", "frames keep the source's times"),
    ("-copyts", "--timestamps keep keeps the source's times in a part too"),
    ("-start_at_zero", "--timestamps zero counts times from the first frame"),
    ("-avoid_negative_ts", "--timestamps says what times begin with"),
    ("-itsoffset", "streams keep their times"),
    ("-shortest", "streams keep their length"),
    ("-hwaccel", "--device says where filters run, and --decoder what decodes"),
    ("-hwaccel_output_format", "--device says where filters run, and --decoder what decodes"),
    ("-init_hw_device", "--device says where filters run, and --decoder what decodes"),
    ("-filter_threads", "--threads is for the chain"),
    ("-color_range", "--range full or --range limited converts the samples too"),
    ("-pass", "--two-pass runs both passes"),
    ("-passlogfile", "--two-pass runs both passes, and keeps what the first learns for itself"),
    ("-q:v", "--crf asks for a quality, or -x qmin=N and -x qmax=N"),
    ("-qscale:v", "--crf asks for a quality, or -x qmin=N and -x qmax=N"),
    ("-qscale", "--crf asks for a quality, or -x qmin=N and -x qmax=N"),
    ("-tag:v", "the container's usual tag is written"),
    ("-vtag", "the container's usual tag is written"),
    ("-bsf:v", "packets are written as the encoder gives them"),
    ("-fflags", "inputs are opened with what suits them"),
    ("-analyzeduration", "inputs are opened with what suits them"),
    ("-probesize", "inputs are opened with what suits them"),
    ("-force_key_frames", "the encoder places key frames: -g says how far apart at most"),
    ("-stream_loop", "an input is read once"),
    ("-sws_flags", "what must be converted is converted with one set of flags"),
];

/// The words that ffmpeg's -v takes, where ours takes none.
const LOG_LEVELS: [&str; 9] = ["quiet", "panic", "fatal", "error", "warning", "info", "verbose", "debug", "trace"];

/// What to write for `word`, an option that would be taken for something else here; nothing for one of ours.
fn instead(word: &str, next: Option<&str>) -> Option<String> {
    if let Some((_, instead)) = FFMPEG_OTHERS.iter().find(|(theirs, _)| *theirs == word) {
        return Some((*instead).to_owned());
    }
    if word == "-v" && next.is_some_and(|next| LOG_LEVELS.contains(&next)) {
        return Some("-q prints errors only, and -v, which takes no word, more".to_owned());
    }
    if ENCODERS.iter().any(|(theirs, _)| *theirs == word) {
        return Some("it takes a value".to_owned());
    }
    if is_ours(word) {
        return None;
    }
    let name = &word[1..];
    match name.split_once(':') {
        Some(("metadata" | "disposition", _)) => {
            Some("--track sets titles, languages and flags of tracks, as in --track a1:language=ja,default".to_owned())
        }
        Some((name, _)) => Some(format!("-{name} takes no stream: vramp --help lists the options")),
        None => {
            Some(format!("the encoder's own options are given as -x {name}=VALUE, and vramp --help lists the others"))
        }
    }
}

/// Whether `word` is no option of one dash, or can be read as one of ours: flags in a row, then perhaps a letter that
/// takes what follows it.
fn is_ours(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    else {
        return true;
    };
    let rest = letters.trim_start_matches(['q', 'v', 'y']);
    let mut after = rest.chars();
    let valued = after.next();
    let value = after.as_str();
    match valued {
        None | Some('i' | 'o') => true,
        Some('h' | 'V') => value.is_empty(),
        Some('b') => !value.starts_with(|c: char| c.is_ascii_alphabetic() || c == ':'),
        Some('c' | 'f') => !value.contains(':') || value.starts_with('='),
        Some('x') => value.is_empty() || value.contains('='),
        Some(_) => false,
    }
}

/// Refuses the options of ffmpeg that this command has not, and that would be taken for something else.
///
/// # Errors
/// When one is among `args`, before any `--`.
pub fn refuse_others(args: &[OsString]) -> Result<()> {
    let words: Vec<_> = args.iter().map_while(|arg| (arg != "--").then(|| arg.to_str().unwrap_or(""))).collect();
    let refused = (1..words.len()).find_map(|i| Some((words[i], instead(words[i], words.get(i + 1).copied())?)));
    match refused {
        Some((theirs, instead)) => Err(Error::bad_argument(format!("{theirs} is ffmpeg's: here {instead}"))),
        None => Ok(()),
    }
}

/// `args` with what ffmpeg users write put as this command has it, and a value joined to the `--deband` or
/// `--burn-subtitles` before it: what is no preset, and no subtitles, is a file there. Nothing after `--` is touched.
pub fn translate(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    join_values(replace(args))
}

/// Options whose value may be left out take the next word only where that can be nothing else.
fn is_value_of(option: &OsStr, word: &OsStr) -> bool {
    let word = word.to_str().unwrap_or_default();
    match option.to_str() {
        Some("--deband") => deband_presets().any(|preset| word == preset),
        Some("--burn-subtitles") => names_subtitles(word),
        _ => false,
    }
}

fn join_values(args: Vec<OsString>) -> Vec<OsString> {
    let (mut joined, mut verbatim): (Vec<OsString>, bool) = (Vec::new(), false);
    for arg in args {
        verbatim |= arg == "--";
        match joined.last_mut() {
            Some(last) if !verbatim && is_value_of(last, &arg) => {
                last.push("=");
                last.push(arg);
            }
            _ => joined.push(arg),
        }
    }
    joined
}

fn replace(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter().collect::<VecDeque<_>>();
    let mut ours = Vec::with_capacity(args.len());
    while let Some(arg) = args.pop_front() {
        if arg == "--" {
            ours.push(arg);
            break;
        }
        let known = |options: &[(&'static str, &'static str)]| {
            options.iter().find(|(theirs, _)| arg == *theirs).map(|(_, ours)| *ours)
        };
        let done = DONE_ANYWAY.iter().find(|(theirs, _)| arg == *theirs).map_or(&[][..], |(_, values)| values);
        if args.front().is_some_and(|value| done.iter().any(|done| value == done)) {
            args.pop_front();
        } else if let Some(spelling) = known(FFMPEG_SPELLINGS) {
            ours.push(spelling.into());
        } else if let Some(key) = known(ENCODERS)
            && let Some(value) = args.pop_front()
        {
            let mut pair = OsString::from(format!("{key}="));
            pair.push(value);
            ours.extend(["-x".into(), pair]);
        } else if arg == "-threads" {
            ours.push(if is_input(&args) { "--decoder-threads" } else { "--encoder-threads" }.into());
        } else if arg == "-r" && is_input(&args) {
            ours.push("--fps".into());
        } else if arg == "-start_number" && !is_input(&args) {
            ours.push("--start-number".into());
        } else if arg == "-f"
            && is_input(&args)
            && args.front().is_some_and(|format| *format == *"image2" || *format == *"concat")
        {
            // Patterns are known by their names, and lists by their first line.
            args.pop_front();
        } else {
            ours.push(arg);
        }
    }
    ours.extend(args);
    ours
}

/// Whether the input is among the arguments that `follow`, so that an option of ffmpeg's is about it.
fn is_input(follow: &VecDeque<OsString>) -> bool {
    follow.iter().take_while(|arg| *arg != "--").any(|arg| arg == "-i")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> String {
        let args = translate(line.split(' ').map(OsString::from));
        args.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn whole_words_are_replaced_until_the_double_dash() {
        assert_eq!(translated("vramp -i a -c:v ffv1 -crf 18 -an b"), "vramp -i a --codec ffv1 --crf 18 --no-audio b");
        assert_eq!(translated("vramp -crfx -c:v=ffv1"), "vramp -crfx -c:v=ffv1", "only whole words");
        assert_eq!(translated("vramp -an -- -an"), "vramp --no-audio -- -an");
    }

    #[test]
    fn a_preset_belongs_to_the_deband_before_it() {
        assert_eq!(translated("vramp a b --deband film -y"), "vramp a b --deband=film -y");
        assert_eq!(translated("vramp --deband a.mkv film"), "vramp --deband a.mkv film");
        assert_eq!(translated("vramp --deband -- film b"), "vramp --deband -- film b");
        assert_eq!(translated("vramp --burn-subtitles 2 a b"), "vramp --burn-subtitles=2 a b");
        assert_eq!(translated("vramp --burn-subtitles x.ASS a b"), "vramp --burn-subtitles=x.ASS a b");
        assert_eq!(translated("vramp --burn-subtitles a.mkv b"), "vramp --burn-subtitles a.mkv b");
    }

    #[test]
    fn options_of_the_encoder_are_handed_on() {
        assert_eq!(
            translated("vramp a b -bf 3 -x265-params aq-mode=3 -y"),
            "vramp a b -x bf=3 -x x265-params=aq-mode=3 -y"
        );
        assert_eq!(translated("vramp a b -colorspace bt709"), "vramp a b -x colorspace=bt709");
        assert_eq!(translated("vramp a b -bf"), "vramp a b -bf", "no value");
        assert_eq!(
            translated("vramp -threads 2 -i a -threads 3 b"),
            "vramp --decoder-threads 2 -i a --encoder-threads 3 b"
        );
        assert_eq!(translated("vramp a b -threads 3"), "vramp a b --encoder-threads 3");
    }

    #[test]
    fn options_of_pictures_belong_to_the_side_they_stand_at() {
        assert_eq!(
            translated("vramp -f image2 -pattern_type glob -framerate 24 -i *.png -start_number 9 o%d.png"),
            "vramp --fps 24 -i *.png --start-number 9 o%d.png"
        );
        assert_eq!(translated("vramp -f concat -safe 0 -i list.txt b.mkv"), "vramp -i list.txt b.mkv");
        assert_eq!(translated("vramp -r 24000/1001 -i a%d.png b.mkv"), "vramp --fps 24000/1001 -i a%d.png b.mkv");
        for line in ["vramp -i a -r 24 b", "vramp -start_number 3 -i a%d.png b"] {
            assert_eq!(translated(line), line, "the message says what to write instead");
        }
    }

    #[test]
    fn what_is_done_anyway_may_be_asked_for() {
        assert_eq!(translated("vramp -i a -map 0 -c:s copy -map_metadata 0 b"), "vramp -i a b");
        assert_eq!(translated("vramp -i a -c:a aac -map 0:v b"), "vramp -i a --audio aac -map 0:v b");
        assert_eq!(translated("vramp -i a -crf 30 -b:v 0 b"), "vramp -i a --crf 30 b");
        assert_eq!(translated("vramp -i a -b:v 1M b"), "vramp -i a --bitrate 1M b");
    }

    #[test]
    fn what_ffmpeg_alone_has_is_explained() {
        let refused = |line: &str| refuse_others(&translate(line.split(' ').map(OsString::from)));
        for (line, words) in [
            ("vramp a b -b:a 192k", "-b:a is ffmpeg's: here --audio has the rate too, as in --audio aac:192k"),
            ("vramp -t 5 a b", "--end"),
            // Not the -h of help.
            ("vramp -hide_banner -i a b", "banner"),
            ("vramp a b -map 0:a", "--no-extras"),
            ("vramp -v error -i a b", "-q prints errors only"),
            ("vramp a b -bf", "takes a value"),
            ("vramp a b -nal-hrd cbr", "-x nal-hrd=VALUE"),
            ("vramp a b -bluray-compat 1", "-x bluray-compat=VALUE"),
            ("vramp a b -metadata:s:a title=x", "here --track sets titles, languages and flags"),
            ("vramp a b -disposition:s:0 forced", "here --track sets"),
            ("vramp a b -s 320x180", "here --chain scale=WIDTH:HEIGHT"),
            ("vramp a b -channel_layout:a 5.1", "takes no stream"),
        ] {
            let refused = refused(line).unwrap_err();
            assert!(refused.message().contains(words), "{line}: {refused}");
        }
    }

    #[test]
    fn our_own_short_options_stay() {
        for line in [
            "vramp a b -- -t -metadata",
            "vramp -ia -ob -cffv1 -b4M -fnull -xpreset=slow -x preset=slow -qy -vv -yi a",
            "vramp -c=ffv1 -b=4M -f=null -h -V - -vvv error.mkv --start -5",
            "vramp -5",
        ] {
            assert_eq!(refuse_others(&translate(line.split(' ').map(OsString::from))), Ok(()), "{line}");
        }
    }
}
