//! Options as ffmpeg users type them, turned into this command's own before they are parsed.

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

/// `args` with every ffmpeg spelling replaced. Nothing after `--` is touched.
pub fn translate(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
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
}
