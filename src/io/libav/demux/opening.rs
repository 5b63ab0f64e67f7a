//! What opening a source finds, and how little of it has to be read for that.
//!
//! Libav looks for tracks in the first five megabytes of a source that has no table of them. Where a film is opened once for
//! each of its parts, that is much. So it is found out once how little is enough, and what is found then.

use super::demuxer::{self, Demuxer};
use crate::error::Result;
use crate::pipeline::Cancel;
use crate::video::Rational;
use std::ffi::OsStr;
use std::slice;
use twox_hash::XxHash3_128;

/// Who reads no more than this to open a source need not read less.
const LITTLE: u64 = 1 << 19;

/// Sizes that are tried, in bytes. A transport stream is read twice as far.
const PROBES: [u64; 6] = [1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21];

/// How a source is opened by reading little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// So many bytes are looked at for tracks.
    pub probe: u64,
    /// A hash of all that is found.
    pub found: u128,
}

impl Opening {
    /// How the source at `path` is opened by reading less than libav does; `None` where that is little anyway, or less does not show
    /// the same.
    pub(in crate::io::libav) fn of(path: &OsStr, rate: Option<Rational>, cancel: &Cancel) -> Option<Opening> {
        let whole = demuxer::open_at(path, rate, cancel).ok()?;
        if demuxer::bytes_read(&whole) <= LITTLE {
            return None;
        }
        let found = found(&whole);
        let shows = |probe: &u64| {
            let less = demuxer::open_probing(path, rate, Some(*probe), cancel);
            less.is_ok_and(|less| self::found(&less) == found)
        };
        PROBES.into_iter().find(shows).map(|probe| Opening { probe, found })
    }

    /// Opens the source at `path` so, or as ever where it finds something else.
    ///
    /// # Errors
    /// As [`demuxer::open`].
    pub(in crate::io::libav) fn open(&self, path: &OsStr, rate: Option<Rational>, cancel: &Cancel) -> Result<Demuxer> {
        if let Ok(demuxer) = demuxer::open_probing(path, rate, Some(self.probe), cancel)
            && found(&demuxer) == self.found
        {
            return Ok(demuxer);
        }
        log::debug!("{}: {} bytes do not show what was found in more", demuxer::name(path), self.probe);
        demuxer::open_at(path, rate, cancel)
    }
}

/// A hash of what libav says of the source: its tracks, their clocks and what is written on them, but not how long they last.
fn found(demuxer: &Demuxer) -> u128 {
    let mut hasher = XxHash3_128::new();
    let mut put = |number: i64| hasher.write(&number.to_le_bytes());
    // SAFETY: the demuxer is alive.
    let (start, programs) = unsafe {
        let context = &*demuxer.as_ptr();
        (context.start_time, context.nb_programs)
    };
    [start, programs.into()].into_iter().for_each(&mut put);
    put(XxHash3_128::oneshot(demuxer.format().name().as_bytes()) as i64);
    for stream in demuxer.streams() {
        // SAFETY: a stream and its parameters live as long as the demuxer, which is borrowed.
        let (raw, codec) = unsafe { (&*stream.as_ptr(), &*(*stream.as_ptr()).codecpar) };
        let rates =
            [raw.time_base, raw.avg_frame_rate, raw.r_frame_rate, raw.sample_aspect_ratio, codec.sample_aspect_ratio];
        rates.into_iter().flat_map(|rate| [rate.num, rate.den]).for_each(|number| put(number.into()));
        [raw.start_time, raw.nb_frames].into_iter().for_each(&mut put);
        let numbers = [
            raw.id,
            raw.disposition,
            codec.codec_type as i32,
            codec.codec_id as i32,
            codec.codec_tag as i32,
            codec.format,
            codec.profile,
            codec.level,
            codec.width,
            codec.height,
            codec.field_order as i32,
            codec.color_range as i32,
            codec.color_primaries as i32,
            codec.color_trc as i32,
            codec.color_space as i32,
            codec.chroma_location as i32,
            codec.video_delay,
            codec.sample_rate,
            codec.frame_size,
            codec.ch_layout.nb_channels,
        ];
        numbers.into_iter().for_each(|number| put(number.into()));
        let extradata = match usize::try_from(codec.extradata_size) {
            // SAFETY: libav has as many bytes there as it says.
            Ok(length @ 1..) => unsafe { slice::from_raw_parts(codec.extradata, length) },
            _ => &[],
        };
        put(XxHash3_128::oneshot(extradata) as i64);
        for (key, value) in stream.metadata().iter() {
            put(XxHash3_128::oneshot(format!("{key}={value}").as_bytes()) as i64);
        }
    }
    hasher.finish_128()
}
