//! Files that ffmpeg makes, and what ffmpeg and we read from them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::{Error, Result};
use vramp::io::libav::{CopiedPacket, CopyChoice, Input, InputOptions};
use vramp::io::{Hash, HashSink};
use vramp::pipeline::{self, Cancel, CpuChain, Frame, Item, Options, Source, Target};

/// The clip that the demonstration uses: H.264 with B-frames, and sound.
pub const BUNNY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/big-buck-bunny-720p.mp4");

/// H.264 with B-frames, several groups of pictures a second.
pub const X264: &str = "-c:v libx264 -preset veryfast -bf 3 -g 10";

/// An empty folder that goes away with its value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("vramp-input-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Has ffmpeg make files from `input`, each with options of its own. Options are split at spaces; `@` stands for
    /// this folder.
    pub fn make_all<'a>(&self, input: &str, outputs: &[(&'a str, &str)]) -> Vec<(&'a str, String)> {
        let split = |text: &str| text.split_whitespace().map(|a| a.replace('@', &self.path(""))).collect::<Vec<_>>();
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-nostdin", "-y"]).args(split(input));
        for (name, options) in outputs {
            command.args(split(options)).arg(format!("file:{}", self.path(name)));
        }
        let output = command.output().expect("ffmpeg runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        outputs.iter().map(|(name, _)| (*name, self.path(name))).collect()
    }

    /// One such file.
    pub fn make(&self, name: &str, input: &str, options: &str) -> String {
        self.make_all(input, &[(name, options)]);
        self.path(name)
    }

    /// The first `percent` per cent of `path`, as `name`.
    pub fn truncate(&self, path: &str, percent: usize, name: &str) -> String {
        let bytes = fs::read(path).unwrap();
        fs::write(self.path(name), &bytes[..bytes.len() * percent / 100]).unwrap();
        self.path(name)
    }

    /// `path` with the bytes of its packet `number` as `change` leaves them, as `name`.
    pub fn torn(&self, path: &str, number: usize, name: &str, change: fn(&mut [u8])) -> String {
        let words = ["-v", "quiet", "-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "flat", path];
        let listed = output_of("ffprobe", &words);
        let value = |key: &str| -> usize {
            let start = format!("packets.packet.{number}.{key}=");
            let line = listed.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
            line.trim_matches('"').parse().unwrap()
        };
        let mut bytes = fs::read(path).unwrap();
        change(&mut bytes[value("pos")..][..value("size")]);
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A moving test picture of 64×48, 25 frames a second.
pub fn moving(seconds: f64) -> String {
    format!("-f lavfi -i testsrc2=s=64x48:r=25:d={seconds}")
}

/// What a command prints.
pub fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    String::from_utf8(output.stdout).unwrap()
}

/// The columns pts, size and hash of every line of a frame list.
pub fn columns(list: &str) -> Vec<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let columns = lines.map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    columns.map(|c| format!("{} {} {}", c[2], c[4], c[5])).collect()
}

/// ffmpeg's own list of the frames of the first video stream.
pub fn ffmpeg_frames(path: &str) -> Vec<String> {
    let url = format!("file:{path}");
    let mut arguments = vec!["-v", "quiet", "-nostdin", "-noautorotate", "-i", &url];
    arguments.extend("-copyts -vsync passthrough -enc_time_base -1 -map 0:v:0 -f framemd5 -".split(' '));
    columns(&output_of("ffmpeg", &arguments))
}

/// Frames and nothing else.
pub fn frames_only() -> InputOptions {
    InputOptions { copy: CopyChoice::NONE, ..InputOptions::default() }
}

/// Our list of the frames of `path`, through an empty chain with `slots` slots, and what was lost.
pub fn our_frames(path: &str, options: InputOptions, slots: usize) -> Result<(Vec<String>, Option<Error>)> {
    let scratch = Scratch::new("list");
    let list = scratch.path(&format!("{:?}.md5", std::thread::current().id()));
    let mut input = Input::open(path, options)?;
    let plan = pipeline::plan(Vec::new(), input.info(), Target::default())?;
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable)?)?;
    let mut sink = HashSink::create(&list, Hash::Md5, true, &plan.output, &Cancel::default())?;
    let options = Options { slots, ..Options::default() };
    let (_, damage) = pipeline::run(&mut input, &plan, &mut chain, &mut sink, &options, &mut |_| {})?;
    Ok((columns(&fs::read_to_string(&list).unwrap()), damage))
}

/// Asserts that our frame list is ffmpeg's, that it has `count` frames, and nothing was lost.
pub fn assert_same_frames(path: &str, count: usize) {
    let (ours, damage) = our_frames(path, frames_only(), 4).unwrap();
    assert_eq!(ours, ffmpeg_frames(path), "{path}");
    assert_eq!((ours.len(), damage), (count, None), "{path}");
}

/// Everything a source yields.
#[derive(Default)]
pub struct Yield {
    pub frames: Vec<Frame>,
    pub packets: Vec<CopiedPacket>,
}

/// Reads `path` to its end.
pub fn read(path: &str, options: InputOptions) -> Result<Yield> {
    let mut input = Input::open(path, options)?;
    let mut all = Yield::default();
    while let Some(item) = input.next()? {
        match item {
            Item::Frame(frame) => all.frames.push(frame),
            Item::Packet(packet) => all.packets.push(*packet.0.downcast().unwrap()),
            #[cfg(feature = "cuda")]
            Item::DeviceFrame(_) => panic!("a frame in GPU memory without a device"),
        }
    }
    Ok(all)
}
