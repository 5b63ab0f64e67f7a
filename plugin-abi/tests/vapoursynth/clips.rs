//! Clips in every format, for VapourSynth and for the command, and what the command makes of them.

use crate::host::{Folder, Script};
use crate::so::command::vramp;
use std::fs;
use std::process::Command;
use vramp::video::{Format, Model};

/// A clip with noise on it, so that its frames differ.
pub struct Clip {
    /// The format, by ffmpeg's name without `le`.
    pub format: Format,
    /// Its width and height.
    pub size: (usize, usize),
    /// Its frames.
    pub frames: usize,
    /// A file that the command reads.
    pub file: String,
    /// The planes alone, in VapourSynth's order.
    raw: String,
}

impl Clip {
    /// A clip in `folder`.
    pub fn new(folder: &Folder, format: &str, size: (usize, usize), frames: usize) -> Clip {
        let (file, raw) = (folder.path(&format!("{format}.nut")), folder.path(&format!("{format}.raw")));
        let parsed: Format = format.parse().unwrap();
        let pixels = match (format, parsed.bit_depth()) {
            ("gray8", _) => "gray".to_owned(),
            (name, 8) => name.to_owned(),
            (name, _) => format!("{name}le"),
        };
        let (width, height) = size;
        ffmpeg(&format!(
            "-f lavfi -i testsrc2=s=128x96:r=25 -vf format=yuv444p,noise=alls=12:allf=t:all_seed=7,crop={width}:{height} \
             -frames:v {frames} -pix_fmt {pixels} -c:v rawvideo {file}"
        ));
        ffmpeg(&format!("-i {file} -f rawvideo {raw}"));
        let clip = Clip { format: parsed, size, frames, file, raw };
        if parsed.model() == Model::Rgb {
            let planes = in_order(&fs::read(&clip.raw).unwrap(), parsed, size);
            fs::write(&clip.raw, planes).unwrap();
        }
        clip
    }

    /// The line that makes it the current clip of the host, and keeps it.
    pub fn open(&self, script: &mut Script) {
        let (width, height) = self.size;
        let numbers =
            [family(self.format), 0].into_iter().chain(storage(self.format)).chain([width, height, self.frames]);
        let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
        let numbers = numbers.iter().map(String::as_str);
        let words: Vec<_> = ["raw"].into_iter().chain(numbers).chain([self.raw.as_str()]).collect();
        script.line(&words).line(&["keep"]);
    }

    /// Its frames' bytes.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.raw).unwrap()
    }

    /// What the command makes of it: planes in VapourSynth's order, of `format`.
    #[track_caller]
    pub fn by_command(&self, args: &[&str], format: Format) -> Vec<u8> {
        self.sized_by_command(args, format, self.size)
    }

    /// The same where the result has another size.
    #[track_caller]
    pub fn sized_by_command(&self, args: &[&str], format: Format, size: (usize, usize)) -> Vec<u8> {
        let mut all = vec![self.file.as_str(), "-", "-f", "rawvideo"];
        all.extend(args);
        in_order(&command(&all), format, size)
    }
}

/// VapourSynth's number of a colour family.
fn family(format: Format) -> usize {
    match format.model() {
        Model::Gray => 1,
        Model::Rgb => 2,
        Model::Yuv => 3,
    }
}

/// Bits and subsampling.
fn storage(format: Format) -> [usize; 3] {
    [format.bit_depth(), format.subsampling_w(), format.subsampling_h()].map(usize::from)
}

/// VapourSynth's number of a format: `format`, or the same components in 32-bit float.
pub fn format_id(format: Format, float: bool) -> usize {
    let [bits, w, h] = storage(format);
    let bits = if float { 32 } else { bits };
    family(format) << 28 | usize::from(float) << 24 | bits << 16 | w << 8 | h
}

/// libav's frames of `format` with the planes in VapourSynth's order: G, B, R become R, G, B.
fn in_order(frames: &[u8], format: Format, size: (usize, usize)) -> Vec<u8> {
    if format.model() != Model::Rgb {
        return frames.to_vec();
    }
    let plane = size.0 * size.1 * format.sample().bytes();
    let reorder = |frame: &[u8]| [&frame[2 * plane..], &frame[..plane], &frame[plane..2 * plane]].concat();
    frames.chunks(3 * plane).flat_map(reorder).collect()
}

/// Runs the ffmpeg program; `args` are split at blanks.
#[track_caller]
fn ffmpeg(args: &str) {
    let output = Command::new("ffmpeg").args(["-v", "error", "-nostdin", "-y"]).args(args.split_whitespace()).output();
    let output = output.expect("the ffmpeg program is installed");
    assert!(output.status.success(), "ffmpeg {args}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What the command writes to its standard output.
#[track_caller]
pub fn command(args: &[&str]) -> Vec<u8> {
    let output = Command::new(vramp()).args(args).output().unwrap();
    assert!(output.status.success(), "vramp {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
