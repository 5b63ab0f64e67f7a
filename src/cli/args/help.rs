//! What `--help` says beside the options.

use super::argv::FFMPEG_SPELLINGS;
use crate::error::Kind;

pub const LONG_ABOUT: &str = "\
Filters video: decodes IN, runs a chain of filters over every frame, and encodes OUT. Sound, subtitles, chapters and tags are \
copied; presentation times, colour description and HDR metadata are the source's. An output appears under its name only when \
it is whole.";

const EXAMPLES: &str = "\
Examples:
  vramp in.mp4 out.mkv --deband
      deband into a 10-bit file, sound and subtitles copied
  vramp -i in.mp4 -vf \"deband=range=16:sample=2\" -c:v libx265 -crf 18 -preset slow --depth 10 out.mp4
      with ffmpeg's spellings, and AviUtl's filter
  vramp in.mp4 look.png --preview 00:01:23.5 --deband film
      what that does to one frame, keeping faint grain
  vramp in.mp4 - -f framemd5 --chain deband
      one hash a frame, as ffmpeg's framemd5 prints them
  vramp hash in.mp4 --chain deband -o in.hashes; vramp verify in.hashes in.mp4
      write down what every frame is, and check it later
  vramp - - -f yuv4mpegpipe --chain @chain.txt <in.y4m >out.y4m
      in a pipe, the chain read from a file";

/// The end of `--help`: examples, ffmpeg's spellings, exit codes, and the one trap in names.
pub fn after_long_help() -> String {
    let spellings: Vec<_> = FFMPEG_SPELLINGS.iter().map(|(theirs, ours)| format!("{theirs} ({ours})")).collect();
    format!(
        "{EXAMPLES}\n\nffmpeg's spellings are understood too:\n{}\n\nExit codes:\n{}\n\n\
         A file called like a command or an option is reached as ./filters or ./-an.",
        wrap(&spellings, 96),
        exit_codes()
    )
}

/// The exit code table.
fn exit_codes() -> String {
    let mut codes: Vec<_> = Kind::ALL.iter().map(|kind| (kind.exit_code(), kind.describe())).collect();
    codes.push((0, "success"));
    codes.sort_unstable();
    codes.iter().map(|(code, meaning)| format!("  {code:>3}  {meaning}")).collect::<Vec<_>>().join("\n")
}

/// `words` with commas between, in indented lines of at most `width` characters.
fn wrap(words: &[String], width: usize) -> String {
    let mut lines = vec![String::from(" ")];
    for (i, word) in words.iter().enumerate() {
        let word = if i + 1 < words.len() { format!(" {word},") } else { format!(" {word}") };
        if lines.last().is_some_and(|line| line.len() + word.len() > width) {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&word);
        }
    }
    lines.join("\n")
}
