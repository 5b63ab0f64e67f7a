//! Files that ffmpeg makes, runs of ours, and what ffprobe and ffmpeg read from the result.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::{Error, Result};
use vramp::io::libav::{self, Input, InputOptions, Output, OutputOptions, Wanted, Window};
use vramp::pipeline::{self, CpuChain, Options, Progress, Target};

/// Twelve frames of a moving picture, 25 a second.
pub const PICTURE: &str = "-f lavfi -i testsrc2=s=128x72:r=25:d=0.48";

/// The same length of sound.
pub const SOUND: &str = "-f lavfi -i sine=d=0.48";

/// The colour tags and the light of an HDR10 film, as ffmpeg takes them.
pub const HDR_TAGS: &str = "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv";
pub const HDR_LIGHT: &str = "log-level=none:chromaloc=2:max-cll=1000,400:\
                             master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)";

/// An empty folder that goes away with its value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("vramp-output-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        self.0.file_name().unwrap().to_str().unwrap()
    }

    /// What is in it.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Makes a file with ffmpeg, from arguments parted by blanks.
    pub fn make(&self, name: &str, arguments: &str) -> String {
        let file = self.file(name);
        let arguments = arguments.replace("DIR/", &format!("{}/", self.0.display()));
        let words: Vec<&str> = arguments.split_whitespace().collect();
        run("ffmpeg", &[&["-nostdin", "-v", "error", "-y"], &words[..], &[&file]].concat());
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command that must succeed. Gives what it wrote.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).env("SVT_LOG", "1").output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What ffprobe says, one line an entry, values parted by commas.
pub fn probe(file: &str, arguments: &str) -> Vec<String> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let text = run("ffprobe", &[&["-v", "error", "-of", "compact=p=0:nk=1:s=,"], &words[..], &[file]].concat());
    text.lines().map(|line| line.trim_end_matches(',').to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Entries of one stream. In a transport stream, ffprobe lists it under its program too.
pub fn stream(file: &str, which: &str, entries: &str) -> String {
    probe(file, &format!("-select_streams {which} -show_entries {entries}")).swap_remove(0)
}

/// Presentation times of the video's frames, as ffprobe writes them.
pub fn times(file: &str) -> Vec<String> {
    probe(file, "-select_streams v:0 -show_entries frame=pts_time")
}

/// The hashes of the video's frames.
pub fn hashes(file: &str, pixel_format: &str) -> Vec<String> {
    let words = ["-v", "error", "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", pixel_format];
    let text = run("ffmpeg", &[&words[..], &["-f", "framemd5", "-"]].concat());
    let hash = |line: &str| line.rsplit(',').next().unwrap().trim().to_owned();
    text.lines().filter(|line| !line.starts_with('#')).map(hash).collect()
}

/// The hash of the packets of one stream.
pub fn packet_hash(file: &str, stream: &str) -> String {
    run("ffmpeg", &["-v", "error", "-i", file, "-map", stream, "-c", "copy", "-f", "streamhash", "-hash", "md5", "-"])
}

thread_local! {
    static WARNINGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the warnings of each thread.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record) {
        if self.enabled(record.metadata()) {
            WARNINGS.with_borrow_mut(|warnings| warnings.push(record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

/// Keeps this thread's warnings from now on.
fn listen() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        log::set_logger(&Logger).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
    WARNINGS.take();
}

/// What a run is asked for.
#[derive(Default)]
pub struct Ask {
    pub output: OutputOptions,
    pub wanted: Wanted,
    pub window: Window,
}

impl Ask {
    pub fn codec(name: &str) -> Ask {
        Ask { output: OutputOptions { codec: Some(name.to_owned()), ..OutputOptions::default() }, ..Ask::default() }
    }

    /// Options of the encoder or the container, "key=value key=value".
    pub fn with(mut self, options: &str) -> Ask {
        let pair = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap();
        self.output.options.extend(options.split_whitespace().map(pair));
        self
    }
}

/// Runs `source` through an empty chain into `target`. Gives what the user reads.
pub fn transcode(source: &str, target: &str, ask: Ask) -> Result<Vec<String>> {
    transcode_watched(source, target, ask, &mut |_| {})
}

/// As [`transcode`], with a report after each frame.
pub fn transcode_watched(
    source: &str,
    target: &str,
    ask: Ask,
    report: &mut dyn FnMut(Progress),
) -> Result<Vec<String>> {
    let (said, damage) = transcode_damaged(source, target, ask, report)?;
    assert_eq!(damage, None, "{source}");
    Ok(said)
}

/// As [`transcode_watched`], with what was lost of a damaged source.
pub fn transcode_damaged(
    source: &str,
    target: &str,
    ask: Ask,
    report: &mut dyn FnMut(Progress),
) -> Result<(Vec<String>, Option<Error>)> {
    listen();
    let mut input = Input::open(source, InputOptions { window: ask.window, ..InputOptions::default() })?;
    let options = OutputOptions { input: Some(source.into()), ..ask.output };
    let choice = libav::choose_encoder(target, &options)?;
    let found = libav::negotiate(input.info(), input.info().format, choice.accepted(), &ask.wanted)?;
    if let Some(format) = found.convert_source {
        input.convert_to(format)?;
    }
    let wanted = Target { format: Some(found.target), ..Target::default() };
    let plan = pipeline::plan(Vec::new(), input.info(), wanted)?;
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable)?)?;
    let (container, copied) = (input.container(), input.copied_streams());
    let mut output = Output::create(target, choice, &options, &plan.output, container, copied)?;
    input.decode_beside(&output.decoded_streams());
    input.begin_early(&output.skipped_streams());
    let run = Options { cancel: options.cancel, ..Options::default() };
    let (_, damage) = pipeline::run(&mut input, &plan, &mut chain, &mut output, &run, report)?;
    Ok((found.notes.into_iter().chain(WARNINGS.take()).collect(), damage))
}

/// [`transcode`] that must succeed.
pub fn transcoded(source: &str, target: &str, ask: Ask) -> Vec<String> {
    transcode(source, target, ask).unwrap_or_else(|error| panic!("{target}: {error}"))
}
