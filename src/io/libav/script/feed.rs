//! The frames of a script in order, some of them asked for ahead.

use super::frame::ScriptFrame;
use super::program::Program;
use super::{ScriptOptions, ffi, is_script};
use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::demuxer::{self, Demuxer};
use crate::pipeline::Cancel;
use crate::video::Rational;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use ffmpeg::frame::Video;
use ffmpeg_next as ffmpeg;
use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// The unit of times where frames last differently: whole for the rates and clocks that video has, 24000/1001 as well as 90000.
const VARIABLE: Rational = Rational::new(1, 720_000);

/// How long the end waits for each frame that is still in the making.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a wait for a frame looks for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Reads a script from any frame on.
pub(in crate::io::libav) struct ScriptFeed {
    program: Arc<Program>,
    /// Frames that are in the making, or wait for those before them.
    asked: usize,
    in_flight: usize,
    made: BTreeMap<usize, Made>,
    /// The most of both together.
    most: usize,
    /// The next frame, and how many were given.
    next: usize,
    given: u64,
    /// Until a jump there is nothing behind the first.
    jumps: bool,
    /// The time of the next frame in seconds, where frames last differently.
    time: ExactTime,
    /// How long the first frame lasts.
    first: Option<Rational>,
    /// Frames that are made, and where they come from.
    done: Receiver<Done>,
    send: Sender<Done>,
}

type Made = std::result::Result<ScriptFrame, String>;

/// A reference to a frame of a number, or why there is none.
struct Done(usize, std::result::Result<NonNull<ffi::Frame>, String>);

// SAFETY: VapourSynth's frames may be given back on any thread.
unsafe impl Send for Done {}

impl ScriptFeed {
    /// Runs the script that `path` names. `None` for what is no script.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub(in crate::io::libav) fn open(path: &OsStr, options: &ScriptOptions) -> Result<Option<ScriptFeed>> {
        if !is_script(path) {
            return Ok(None);
        }
        std::fs::File::open(path).map_err(|e| Error::io(path.display(), &e))?;
        let program = Program::run(path, options).map_err(|e| e.context(path.display()))?;
        let (send, done) = unbounded();
        Ok(Some(ScriptFeed {
            most: program.threads(),
            program: Arc::new(program),
            asked: 0,
            in_flight: 0,
            made: BTreeMap::new(),
            next: 0,
            given: 0,
            jumps: false,
            time: ExactTime::default(),
            first: None,
            done,
            send,
        }))
    }

    /// What a container would say of such frames.
    ///
    /// # Errors
    /// When libav does not take it.
    pub(in crate::io::libav) fn describe(&self) -> Result<Demuxer> {
        let unit = self.unit();
        demuxer::describe(self.program.pixel(), self.program.size(), Rational::new(unit.den, unit.num))
    }

    /// The number of frames.
    pub(in crate::io::libav) fn count(&self) -> usize {
        self.program.frames()
    }

    /// Frames that it gave.
    pub(in crate::io::libav) fn given(&self) -> u64 {
        self.given
    }

    /// Frames a second: the clip's, or by the length of its first frame.
    pub(in crate::io::libav) fn rate(&self) -> Rational {
        let inverse = |lasts: Rational| Rational::new(lasts.den, lasts.num);
        self.program.rate().or(self.first.map(inverse)).unwrap_or(Rational::new(0, 1))
    }

    /// The unit of its times.
    fn unit(&self) -> Rational {
        self.program.rate().map_or(VARIABLE, |rate| Rational::new(rate.den, rate.num))
    }

    /// The time of frame `index`, where that is known before it is made.
    pub(in crate::io::libav) fn time(&self, index: usize) -> Option<i64> {
        self.program.rate().map(|_| index as i64)
    }

    /// Has there be the first frame alone until [`ScriptFeed::jump`], if that is `asked` and times are known without what lies
    /// between.
    pub(in crate::io::libav) fn will_jump(&mut self, asked: bool) {
        self.jumps = asked && self.program.rate().is_some();
    }

    /// Whether a jump is still to come.
    pub(in crate::io::libav) fn jumps(&self) -> bool {
        self.jumps
    }

    /// Goes on with frame `index`, which is not before the next.
    pub(in crate::io::libav) fn jump(&mut self, index: usize) {
        (self.next, self.jumps) = (index, false);
        self.asked = self.asked.max(index);
        self.made.retain(|number, _| *number >= index);
    }

    /// The next frame, `None` behind the last.
    ///
    /// # Errors
    /// What the script says of it; when it does not say how long it lasts, and the clip does not either; when `cancel` asks to
    /// stop.
    pub(in crate::io::libav) fn frame(&mut self, cancel: &Cancel) -> Result<Option<Video>> {
        let end = if self.jumps { self.count().min(1) } else { self.count() };
        if self.next >= end {
            return Ok(None);
        }
        let made = loop {
            self.ask(end);
            if let Some(made) = self.made.remove(&self.next) {
                break made;
            }
            if cancel.is_requested() {
                return Err(Error::new(Kind::Cancelled, "stopped"));
            }
            match self.done.recv_timeout(LOOK) {
                Ok(done) => self.take(done),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Error::internal("a script's frames are lost")),
            }
        };
        let number = self.next;
        let frame = made.map_err(|why| Error::corrupt(format!("frame {number}: {why}")))?;
        (self.next, self.given) = (number + 1, self.given + 1);
        let (time, lasts) = self.times(number, &frame)?;
        frame.into_libav(time, lasts).map(Some)
    }

    /// When frame `number` is shown, and how long.
    fn times(&mut self, number: usize, frame: &ScriptFrame) -> Result<(i64, i64)> {
        if self.program.rate().is_some() {
            return Ok((number as i64, 1));
        }
        let lasts = frame.lasts().ok_or_else(|| {
            let what = "neither the clip has a rate nor the frame a duration: end the script with std.AssumeFPS";
            Error::unsupported(format!("frame {number}: {what}"))
        })?;
        self.first.get_or_insert(lasts);
        let begins = self.time.ticks(VARIABLE);
        self.time = self.time.plus(lasts);
        Ok((begins, self.time.ticks(VARIABLE) - begins))
    }

    /// Asks for frames ahead of the next: as many as there are threads, but one at first, which may be all that is wanted.
    fn ask(&mut self, end: usize) {
        let most = self.most.min(1 + 2 * usize::try_from(self.given).unwrap_or(usize::MAX / 4));
        while self.asked < end && self.in_flight + self.made.len() < most {
            // The call that gives the frame has a sender to itself: it may last longer than whoever receives.
            let data = Box::into_raw(Box::new(self.send.clone())).cast::<c_void>();
            // SAFETY: VapourSynth calls `done` once, with the sender.
            unsafe { self.program.request(self.asked as c_int, done, data) };
            (self.asked, self.in_flight) = (self.asked + 1, self.in_flight + 1);
        }
    }

    /// Takes a frame that is made.
    fn take(&mut self, Done(number, made): Done) {
        self.in_flight -= 1;
        // SAFETY: the reference came with the frame.
        let made = made.map(|frame| unsafe { ScriptFrame::new(Arc::clone(&self.program), frame) });
        if number >= self.next {
            self.made.insert(number, made);
        }
    }
}

impl Drop for ScriptFeed {
    fn drop(&mut self) {
        while self.in_flight > 0 {
            match self.done.recv_timeout(PATIENCE) {
                Ok(done) => self.take(done),
                // A script that hangs keeps what it may still use.
                Err(_) => return std::mem::forget(Arc::clone(&self.program)),
            }
        }
    }
}

/// Called by VapourSynth, on a thread of its own, with a frame that is made.
unsafe extern "C" fn done(
    data: *mut c_void,
    frame: *const ffi::Frame,
    number: c_int,
    _: *mut ffi::Node,
    error: *const c_char,
) {
    let made = NonNull::new(frame.cast_mut()).ok_or_else(|| {
        // SAFETY: without a frame there is a text, or null.
        let text = unsafe { (!error.is_null()).then(|| CStr::from_ptr(error).to_string_lossy()) };
        let text = text.as_deref().unwrap_or("it is not made");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    // SAFETY: `data` came from `Box::into_raw` in `ask`, for this call.
    let send = unsafe { Box::from_raw(data.cast::<Sender<Done>>()) };
    // At a closed channel nobody waits for a script that hung.
    let _ = send.send(Done(number as usize, made));
}

/// Denominators of sums that are kept; no clock of video has such.
const MOST: i128 = 1 << 60;

/// A sum of fractions of a second.
#[derive(Clone, Copy)]
struct ExactTime {
    num: i128,
    den: i128,
}

impl Default for ExactTime {
    fn default() -> ExactTime {
        ExactTime { num: 0, den: 1 }
    }
}

impl ExactTime {
    fn plus(self, Rational { num, den }: Rational) -> ExactTime {
        let (num, den) = (self.num * i128::from(den) + i128::from(num) * self.den, self.den * i128::from(den));
        let common = divisor(num, den);
        let sum = ExactTime { num: num / common, den: den / common };
        if sum.den <= MOST { sum } else { ExactTime { num: sum.ticks(VARIABLE).into(), den: VARIABLE.den.into() } }
    }

    /// In units of `unit`, rounded.
    fn ticks(self, unit: Rational) -> i64 {
        let (num, den) = (self.num.saturating_mul(2 * i128::from(unit.den)), self.den * i128::from(unit.num));
        i64::try_from(num.saturating_add(den).div_euclid(2 * den)).unwrap_or(i64::MAX)
    }
}

/// The greatest number that divides both.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.max(1) } else { divisor(b, a % b) }
}
