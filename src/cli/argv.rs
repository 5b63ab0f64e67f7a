//! Options as ffmpeg users type them, turned into this command's own before they are parsed.

use crate::cli::args::deband_presets;
use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};

/// ffmpeg's spelling, ours. Read by `--help` too.
pub const FFMPEG_SPELLINGS: &[(&str, &str)] = &[
    ("-vf", "--chain"),
    ("-filter:v", "--chain"),
    ("-c:v", "--codec"),
    ("-codec:v", "--codec"),
    ("-vcodec", "--codec"),
    ("-crf", "--crf"),
    ("-preset", "--preset"),
    ("-tune", "--tune"),
    ("-b:v", "--bitrate"),
    ("-pix_fmt", "--format"),
    ("-ss", "--start"),
    ("-to", "--end"),
    ("-frames:v", "--frames"),
    ("-vframes", "--frames"),
    ("-an", "--no-audio"),
    ("-sn", "--no-subtitles"),
];

/// ffmpeg's options that mean something else here, or nothing, and what to do instead.
const FFMPEG_OTHERS: &[(&str, &str)] = &[
    ("-t", "--end says where to stop, --frames after how many frames"),
    ("-r", "frames keep the source's times"),
    ("-s", "the picture keeps its size"),
    ("-map", "every stream is copied unless --no-audio, --no-subtitles or --no-extras leaves it out"),
    ("-vn", "the video is what is filtered"),
    ("-c:a", "sound is copied, or left out with --no-audio"),
    ("-codec:a", "sound is copied, or left out with --no-audio"),
    ("-acodec", "sound is copied, or left out with --no-audio"),
    ("-b:a", "sound is copied, or left out with --no-audio"),
    ("-c:s", "subtitles are copied, or left out with --no-subtitles"),
    ("-scodec", "subtitles are copied, or left out with --no-subtitles"),
    ("-filter_complex", "--chain has one line of filters"),
    ("-hide_banner", "there is no banner: leave it out"),
    ("-nostdin", "standard input is read for '-' alone: leave it out"),
    ("-loglevel", "-q prints errors only, and -v more"),
    ("-vsync", "frames keep the source's times"),
    ("-fps_mode", "frames keep the source's times"),
    ("-hwaccel", "--device says where filters run, and --decoder what decodes"),
    ("-profile:v", "the encoder's own options are given as -x profile=high"),
    ("-qp", "the encoder's own options are given as -x qp=18"),
    ("-maxrate", "the encoder's own options are given as -x maxrate=3M"),
    ("-bufsize", "the encoder's own options are given as -x bufsize=6M"),
    ("-g", "the encoder's own options are given as -x g=250"),
];

/// Refuses the options of ffmpeg that this command has not, as far as they would be taken for something else.
///
/// # Errors
/// When one is among `args`, before any `--`.
pub fn refuse_others(args: &[OsString]) -> Result<()> {
    let options = args.iter().take_while(|arg| *arg != "--");
    let other = |arg: &OsString| FFMPEG_OTHERS.iter().find(|(theirs, _)| arg == OsStr::new(theirs));
    match options.into_iter().find_map(other) {
        Some((theirs, instead)) => Err(Error::bad_argument(format!("{theirs} is ffmpeg's: here {instead}"))),
        None => Ok(()),
    }
}

/// `args` with every ffmpeg spelling replaced, and a preset joined to the `--deband` before it: what is no preset is a file
/// there. Nothing after `--` is touched.
pub fn translate(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    join_presets(replace(args))
}

fn join_presets(args: Vec<OsString>) -> Vec<OsString> {
    let (mut joined, mut verbatim): (Vec<OsString>, bool) = (Vec::new(), false);
    for arg in args {
        verbatim |= arg == "--";
        match joined.last_mut() {
            Some(last) if !verbatim && *last == "--deband" && deband_presets().any(|preset| arg == preset) => {
                last.push("=");
                last.push(arg);
            }
            _ => joined.push(arg),
        }
    }
    joined
}

fn replace(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut verbatim = false;
    let translate_one = |arg: OsString| {
        verbatim |= arg == "--";
        let ours = FFMPEG_SPELLINGS.iter().find(|(theirs, _)| !verbatim && arg == OsStr::new(theirs));
        ours.map_or(arg, |(_, ours)| OsString::from(ours))
    };
    args.into_iter().map(translate_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> String {
        let args = translate(line.split(' ').map(OsString::from));
        args.join(OsStr::new(" ")).into_string().unwrap()
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
    }

    #[test]
    fn what_ffmpeg_alone_has_is_explained() {
        let refused = |line: &str| refuse_others(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(refused("vramp a b -c:a copy").unwrap_err().message().contains("--no-audio"));
        assert!(refused("vramp -t 5 a b").unwrap_err().message().contains("--end"));
        // Not the -h of help.
        assert!(refused("vramp -hide_banner -i a b").is_err());
        assert_eq!(refused("vramp a b -- -t"), Ok(()));
    }
}
