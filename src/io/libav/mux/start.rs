//! How an output starts: what is taken from all times, so that its container holds them.

use crate::io::libav::demux::streams::Media;
use crate::io::libav::encode::timebase::rescale;
use crate::io::libav::mux::capacity;
use crate::io::libav::mux::header::HeaderContents;
use crate::io::libav::mux::stream_copy::StreamCopy;
use crate::io::libav::options::Timestamps;
use crate::video::Rational;
use ffmpeg_next::{Packet, ffi};

/// Sound that is this much early or late, in seconds, is less than half of what anybody notices (ITU-R BT.1359).
const UNNOTICED: f64 = 0.02;

/// A move of all times by less is what is left of rounding: it would be reported as 0.000 s.
const LEAST_SAID: f64 = 0.0005;

/// What is only known when the first packets are there.
#[derive(Clone, Copy, Default)]
pub(in crate::io::libav) struct Start {
    /// What is taken from every time, in the video's timebase.
    pub(in crate::io::libav) offset: i64,
    /// Whether times before 0 are written as they are.
    pub(in crate::io::libav) negative_times: bool,
}

impl Start {
    /// The start of an output of `contents`, given the encoder's first packet and those of copied streams that came before
    /// it. Says what the container moves.
    pub(in crate::io::libav) fn of(
        contents: &HeaderContents<'_>,
        video: &Packet,
        waiting: &[(usize, Packet)],
    ) -> Start {
        let starts = |copy: &'_ StreamCopy| {
            let (_, packet) = waiting.iter().find(|(stream, _)| *stream == copy.index)?;
            Some((packet.pts()?, copy.timebase))
        };
        let unit = contents.info.timebase;
        let container = contents.choice.container();
        let shown = video.pts().map_or(0.0, |pts| seconds(pts, unit));
        let sound = contents.copies.iter().filter(|copy| copy.media == Media::Audio).find_map(starts);
        let offset = match (container, sound) {
            ("avi", Some((time, timebase))) => at_zero(contents, shown, time, timebase),
            ("ogg", _) => contents.offset + off_beat(contents, video.pts().unwrap_or(0) - contents.offset),
            _ => contents.offset,
        };

        // Matroska has no decode times.
        let video = if capacity::is_matroska(container) { video.pts() } else { video.dts() };
        let unprimed = contents.copies.iter().filter(|copy| copy.priming.is_none());
        let copied = unprimed.filter_map(starts).map(|(time, timebase)| seconds(time, timebase));
        let all = video.map(|time| seconds(time, unit)).into_iter().chain(copied);
        let lowest = all.map(|time| time - seconds(offset, unit)).fold(0.0, f64::min);
        let any_time = contents.choice.container.flags & ffi::AVFMT_TS_NEGATIVE != 0;
        if lowest <= -LEAST_SAID && !any_time && !capacity::is_untimed(contents.choice.container) {
            log::warn!("{container} has no times before 0: all times move by {:.3} s", -lowest);
        }
        say_late(contents, shown, &starts);
        let primed = contents.copies.iter().any(|copy| copy.priming.is_some());
        Start { offset, negative_times: primed && lowest >= 0.0 }
    }
}

/// Says how late sound that is copied begins after the pictures, which are shown at `shown` seconds, of a film that is cut: by a
/// part of a packet.
fn say_late(contents: &HeaderContents<'_>, shown: f64, starts: &dyn Fn(&StreamCopy) -> Option<(i64, Rational)>) {
    const PACKET: f64 = 0.15;
    const HEARD: f64 = 0.002;
    if contents.options.timestamps == Timestamps::Keep {
        return;
    }
    let copies = contents.copies.iter().filter(|copy| copy.media == Media::Audio && !copy.is_recoded);
    let late = copies.filter_map(starts).map(|(time, timebase)| seconds(time, timebase) - shown);
    let late = late.filter(|late| (HEARD..PACKET).contains(late)).fold(0.0, f64::max);
    if late > 0.0 {
        let late = late * 1000.0;
        log::info!(
            "copied sound begins {late:.0} ms after the pictures, with its first whole packet; encoded it begins with them"
        );
    }
}

/// What has the sound begin at 0, where every stream of AVI begins: it starts at `sound`, the pictures at `shown` seconds.
fn at_zero(contents: &HeaderContents<'_>, shown: f64, sound: i64, timebase: Rational) -> i64 {
    let unit = contents.info.timebase;
    let offset = rescale(sound, timebase, unit);
    let moved = seconds(offset - contents.offset, unit);
    if moved != 0.0 {
        log::warn!("avi begins sound at 0: all times move by {:.3} s", -moved);
    }
    let frame = contents.encoder.unit().value().unwrap_or(1.0);
    let apart = shown - seconds(sound, timebase);
    let late = (apart / frame).round().max(0.0) * frame - apart;
    if late.abs() > UNNOTICED {
        let how = if late > 0.0 { "early" } else { "late" };
        log::warn!(
            "avi shows pictures at whole frames from the start of the sound: sound is {:.3} s {how}",
            late.abs()
        );
    }
    offset
}

/// How far `time` of the video is from the beat of its frames.
fn off_beat(contents: &HeaderContents<'_>, time: i64) -> i64 {
    let (unit, beat) = (contents.info.timebase, contents.encoder.unit());
    time - rescale(rescale(time, unit, beat), beat, unit)
}

fn seconds(time: i64, unit: Rational) -> f64 {
    time as f64 * unit.value().unwrap_or(0.0)
}
