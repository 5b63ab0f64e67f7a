//! Opens a source for reading: files, URLs, standard input and pipes, with errors that name what is wrong.

use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::concat;
use crate::io::libav::{self, logging, script};
use crate::pipeline::Cancel;
use crate::video::Rational;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use ffmpeg::format::Pixel;
use ffmpeg::format::context::Context;
pub(in crate::io::libav) use ffmpeg::format::context::Input as Demuxer;
use ffmpeg::format::context::StreamIo;
use ffmpeg::util::error::EIO;
use ffmpeg::{Format, Packet, ffi};
use ffmpeg_next as ffmpeg;
use std::ffi::{CStr, OsStr};
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;
use std::ptr;
use std::thread;
use std::time::Duration;

/// What a local source may open besides itself: files beside a playlist, never the network.
const LOCAL_PROTOCOLS: &str = "file,crypto,data";

/// Bytes read from a pipe at once, and how many such blocks wait.
const BLOCK: usize = 1 << 18;
const BLOCKS: usize = 8;

/// So often in a row a demuxer may look for where to go on. A transport stream's looks at 64 KiB each time.
pub(in crate::io::libav) const MOST_RESYNCS: usize = 4096;

/// How often a wait for a pipe looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Opens `path` and reads what its streams are. `-` is standard input; a name with `://` goes to libav as it is;
/// anything else is a local file, whatever characters it has.
///
/// # Errors
/// One line that says which of these it is: missing, unreadable, a folder, empty, not media, damaged, stopped.
pub(in crate::io::libav) fn open(path: &OsStr, cancel: &Cancel) -> Result<Demuxer> {
    open_at(path, None, cancel)
}

/// Opens `path` as [`open`] does. Pictures, and bare streams that state none, have the frame rate `rate`.
///
/// # Errors
/// As [`open`].
pub(in crate::io::libav) fn open_at(path: &OsStr, rate: Option<Rational>, cancel: &Cancel) -> Result<Demuxer> {
    open_probing(path, rate, None, cancel)
}

/// Opens `path` as [`open_at`] does. Where `probe` is given, so many bytes are looked at for tracks, and how long those last is
/// not found out.
///
/// # Errors
/// As [`open`].
pub(in crate::io::libav) fn open_probing(
    path: &OsStr,
    rate: Option<Rational>,
    probe: Option<u64>,
    cancel: &Cancel,
) -> Result<Demuxer> {
    libav::init();
    logging::take_last_error();
    if path.as_encoded_bytes().contains(&0) {
        return Err(Error::bad_argument("a file name cannot hold a zero byte"));
    }
    let opened = if path == "-" {
        open_stdin(rate, cancel)?
    } else if let Some(url) = path.to_str().filter(|text| text.contains("://")) {
        ffmpeg::format::input_with_interrupt_and_dictionary(url, stopped(cancel), options(false, rate))
    } else {
        open_file(path, rate, probe, cancel)?
    };
    opened.map_err(|error| match cancel.is_requested() {
        // Where it was stopped, it may take what it has for all there is.
        true => Error::new(Kind::Cancelled, format!("{}: stopped while it was opened", name(path))),
        false => refused(path, error),
    })
}

/// A demuxer without a packet, whose video has frames of `pixel` and `size`, and times in units of one frame at `rate`: for
/// frames that are there already.
///
/// # Errors
/// When libav does not take that.
pub(in crate::io::libav) fn describe(pixel: Pixel, (width, height): (i32, i32), rate: Rational) -> Result<Demuxer> {
    libav::init();
    let refused = |e| libav::error("its frames", e);
    let mut options = options(false, Some(rate));
    options.set("video_size", &format!("{width}x{height}"));
    options.set("pixel_format", pixel.descriptor().map_or("none", |format| format.name()));
    // SAFETY: libav's formats are static.
    let format = unsafe {
        let raw = ffi::av_find_input_format(c"rawvideo".as_ptr()).cast_mut();
        (!raw.is_null()).then(|| Format::Input(ffmpeg::format::format::Input::wrap(raw)))
    };
    let format = format.ok_or_else(|| Error::unsupported("this libav has no rawvideo"))?;
    match ffmpeg::format::open_with(NOTHING, &format, options).map_err(refused)? {
        Context::Input(demuxer) => Ok(demuxer),
        Context::Output(_) => Err(Error::internal("an input was opened as an output")),
    }
}

/// A source of no byte.
const NOTHING: &str = "data:,";

/// Whether the demuxer has an option for the frame rate.
pub(in crate::io::libav) fn takes_rate(demuxer: &Demuxer) -> bool {
    // SAFETY: the demuxer is alive, its format and its class are static, and libav reads a pointer to the class alone.
    unsafe {
        let class = &raw const (*(*demuxer.as_ptr()).iformat).priv_class;
        let find = |name: &CStr| {
            let object = class.cast_mut().cast();
            ffi::av_opt_find(object, name.as_ptr(), ptr::null(), 0, ffi::AV_OPT_SEARCH_FAKE_OBJ)
        };
        !(*class).is_null() && !find(c"framerate").is_null()
    }
}

/// What messages call `path`.
pub(in crate::io::libav) fn name(path: &OsStr) -> impl Display {
    if path == "-" { OsStr::new("standard input").display() } else { path.display() }
}

/// What the demuxer complained of while `demuxer` was opened just now, if that led to the end of the source: reading does
/// not get there a second time. Complaints from further ahead are repeated.
pub(in crate::io::libav) fn error_at_end(demuxer: &Demuxer) -> Option<String> {
    // SAFETY: the demuxer is alive, and so is its file if it has one.
    let ended = unsafe { (*demuxer.as_ptr()).pb.as_ref().is_some_and(|file| file.eof_reached != 0) };
    let line = logging::take_last_error().filter(|line| ended && line.writer == demuxer.format().name());
    line.map(|line| line.text)
}

/// Where the film's time 0 lies on the container's clock, in microseconds: at the start that it states. What lies before 0
/// only warms decoders of sound up.
pub(in crate::io::libav) fn film_start(demuxer: &Demuxer) -> i64 {
    start_time(demuxer).max(0)
}

/// Bytes that were read of the source's file so far.
pub(in crate::io::libav) fn bytes_read(demuxer: &Demuxer) -> u64 {
    // SAFETY: the demuxer is alive, and so is its file if it has one.
    let read = unsafe { (*demuxer.as_ptr()).pb.as_ref().map_or(0, |file| file.bytes_read) };
    u64::try_from(read).unwrap_or(0)
}

/// The container's start time in microseconds; 0 where it states none.
pub(in crate::io::libav) fn start_time(demuxer: &Demuxer) -> i64 {
    // SAFETY: the demuxer is alive.
    let start = unsafe { (*demuxer.as_ptr()).start_time };
    if start == ffi::AV_NOPTS_VALUE { 0 } else { start }
}

/// Reads the next packet of any stream. Beside it is what the demuxer logged meanwhile: some report only there that
/// they lost synchronisation, or that the end was early.
pub(in crate::io::libav) fn read(demuxer: &mut Demuxer) -> (Result<Packet, ffmpeg::Error>, Option<String>) {
    let mut packet = Packet::empty();
    // What is on record from before did not happen in this read.
    logging::take_last_error();
    let read = packet.read(demuxer);
    let line = logging::take_last_error().filter(|line| line.writer == demuxer.format().name());
    (read.map(|()| packet), line.map(|line| line.text))
}

/// Why an input of which nothing decodes may be sound all the same.
pub(in crate::io::libav) fn hint(demuxer: &Demuxer) -> Option<&'static str> {
    // SAFETY: the demuxer is alive, and so is its file if it has one.
    let goes_back = unsafe { (*demuxer.as_ptr()).pb.as_ref().is_none_or(|file| file.seekable != 0) };
    let is_indexed = demuxer.format().name().split(',').any(|name| name == "mp4");
    (is_indexed && !goes_back).then_some(
        "through a pipe, mp4 is readable only with its index in front of its frames: give the file itself, or move the \
         index with 'ffmpeg -i FILE -c copy -movflags +faststart NEW'",
    )
}

/// libav's answer, apart from what we find out before asking it.
type Opened = Result<Demuxer, ffmpeg::Error>;

fn open_file(path: &OsStr, rate: Option<Rational>, probe: Option<u64>, cancel: &Cancel) -> Result<Opened> {
    match fs::metadata(path) {
        Err(e) => return Err(Error::io(path.display(), &e)),
        Ok(meta) if meta.is_dir() => return Err(Error::io(path.display(), &ErrorKind::IsADirectory.into())),
        Ok(meta) if !meta.is_file() => {
            let name = path.to_owned();
            return Ok(open_stream(Pipe::new(move || File::open(name))?, rate, cancel));
        }
        Ok(meta) => check_file(path, &meta)?,
    }
    refuse_script(path)?;
    if let Some(list) = concat::read(Path::new(path), cancel)? {
        return Ok(open_list(list, cancel));
    }
    let Some(text) = path.to_str() else {
        // ffmpeg-next takes names that are text.
        let file = File::open(path).map_err(|e| Error::io(path.display(), &e))?;
        return Ok(open_seekable(file, rate, cancel));
    };
    let url = format!("file:{text}");
    let mut options = options(true, rate);
    if let Some(probe) = probe {
        options.set("probesize", &probe.to_string());
        // Of a transport stream the last 250,000 bytes are read for it. Who reads little knows how much is asked for.
        options.set("skip_estimate_duration_from_pts", "1");
    }
    Ok(ffmpeg::format::input_with_interrupt_and_dictionary(&url, stopped(cancel), options))
}

/// Scripts of a frame server hold frames, which an input alone has a use for.
fn refuse_script(path: &OsStr) -> Result<()> {
    match script::is_script(path) {
        true => Err(Error::unsupported(format!("{}: a script has frames and nothing beside them", path.display()))),
        false => Ok(()),
    }
}

/// What the file system knows better than libav.
fn check_file(path: &OsStr, meta: &Metadata) -> Result<()> {
    File::open(path).map_err(|e| Error::io(path.display(), &e))?;
    if meta.len() == 0 {
        return Err(Error::corrupt(format!("{}: the file is empty", path.display())));
    }
    Ok(())
}

/// Standard input: seekable when it is a file (`< file`), else read ahead by a thread.
fn open_stdin(rate: Option<Rational>, cancel: &Cancel) -> Result<Opened> {
    match stdin_file() {
        Some(file) => Ok(open_seekable(file, rate, cancel)),
        None => Ok(open_stream(Pipe::new(|| Ok(io::stdin()))?, rate, cancel)),
    }
}

#[cfg(unix)]
fn stdin_file() -> Option<File> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}

#[cfg(not(unix))]
fn stdin_file() -> Option<File> {
    None
}

fn open_seekable(file: File, rate: Option<Rational>, cancel: &Cancel) -> Opened {
    StreamIo::from_read_seek_with_capacity(file, BLOCK).and_then(|stream| open_io(stream, rate, cancel))
}

/// Opens what the files of `list` are together. They are checked, so that the list may name them wherever they lie.
fn open_list(list: String, cancel: &Cancel) -> Opened {
    let mut options = options(true, None);
    options.set("safe", "0");
    let stream = StreamIo::from_read_seek_with_capacity(Cursor::new(list.into_bytes()), BLOCK)?;
    ffmpeg::format::input_from_stream_with_interrupt(stream, None, Some(options), stopped(cancel))
}

fn open_stream(pipe: Pipe, rate: Option<Rational>, cancel: &Cancel) -> Opened {
    StreamIo::from_read_with_capacity(pipe, BLOCK).and_then(|stream| open_io(stream, rate, cancel))
}

fn open_io(stream: StreamIo, rate: Option<Rational>, cancel: &Cancel) -> Opened {
    ffmpeg::format::input_from_stream_with_interrupt(stream, None, Some(options(true, rate)), stopped(cancel))
}

fn stopped(cancel: &Cancel) -> impl FnMut() -> bool + Send + 'static {
    let cancel = cancel.clone();
    move || cancel.is_requested()
}

fn options(local: bool, rate: Option<Rational>) -> ffmpeg::Dictionary<'static> {
    let mut options = ffmpeg::Dictionary::new();
    // As ffmpeg's command does: programs of a transport stream that begin late are seen.
    options.set("scan_all_pmts", "1");
    if local {
        options.set("protocol_whitelist", LOCAL_PROTOCOLS);
    }
    if let Some(rate) = rate {
        options.set("framerate", &format!("{}/{}", rate.num, rate.den));
    }
    options
}

/// The error of a source that libav does not open.
fn refused(path: &OsStr, error: ffmpeg::Error) -> Error {
    let cause = logging::take_last_error();
    let name = name(path);
    // An end within what says what there is, is an input/output error to some demuxers.
    let kind = match error {
        ffmpeg::Error::Other { errno: EIO } if reads_to_its_end(path) => {
            return Error::corrupt(format!("{name}: it ends before it says what it holds"));
        }
        _ => libav::kind(error),
    };
    match kind {
        _ if error == ffmpeg::Error::ProtocolNotFound => libav::error(name, error),
        Kind::Cancelled => Error::new(Kind::Cancelled, format!("{name}: stopped while it was opened")),
        Kind::CorruptInput | Kind::Unsupported => {
            let cause = cause.map_or_else(|| error.to_string(), |line| format!("{} ({error})", line.text));
            Error::corrupt(format!("{name}: not a media file, or damaged: {cause}"))
        }
        _ => libav::error(name, error),
    }
}

/// Whether `path` is a file that the system reads without a fault.
fn reads_to_its_end(path: &OsStr) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|meta| meta.is_file());
    is_file && File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink())).is_ok()
}

/// A source that blocks (a pipe, a device), read by a thread of its own, so that a wait for it can be stopped.
struct Pipe {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    read: usize,
}

impl Pipe {
    fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Result<Pipe> {
        let (send, blocks) = bounded(BLOCKS);
        let pump = move || {
            let mut source = match open() {
                Ok(source) => source,
                Err(error) => return drop(send.send(Err(error))),
            };
            loop {
                let mut block = vec![0; BLOCK];
                let read = match source.read(&mut block) {
                    Ok(0) => return,
                    Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                    read => read,
                };
                let failed = read.is_err();
                let block = read.map(|length| {
                    block.truncate(length);
                    block
                });
                // At a closed channel nobody reads any more.
                if send.send(block).is_err() || failed {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("vramp-pipe".to_owned())
            .spawn(pump)
            .map_err(|e| Error::new(Kind::OutOfMemory, format!("cannot start the thread that reads a pipe: {e}")))?;
        Ok(Pipe { blocks, block: Vec::new(), read: 0 })
    }
}

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.read == self.block.len() {
            match self.blocks.recv_timeout(LOOK) {
                Ok(block) => (self.block, self.read) = (block?, 0),
                // The caller looks whether it should stop, and calls again.
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::Interrupted.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let length = out.len().min(self.block.len() - self.read);
        out[..length].copy_from_slice(&self.block[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}
