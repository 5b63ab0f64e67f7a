//! Loudness by EBU R128: measured over a whole track, or brought to a target as it goes.

use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::demuxer;
use crate::io::libav::recode::sound::SourceTrack;
use crate::io::libav::recode::sound::decoder::Decoder;
use crate::io::libav::recode::sound::graph::{FilterGraph, SampleForm};
use crate::io::libav::recode::sound::request::Loudness;
use crate::io::libav::recode::sound::timeline::Timeline;
use crate::pipeline::Cancel;
use ffmpeg_next::Packet;
use ffmpeg_next::ffi;
use ffmpeg_next::frame::Audio;
use std::ffi::{CStr, CString, OsStr};
use std::ptr;

/// The highest true peak of a programme in dBTP (EBU R128).
const PEAK: f64 = -1.0;

/// The range of loudness that the gain leaves alone, in LU: that of a film, not of speech.
const RANGE: f64 = 20.0;

/// Below this there is nothing to hear, and R128 counts nothing (its absolute gate), in LUFS.
const SILENCE: f64 = -70.0;

/// What a track measures.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredLoudness {
    /// Integrated loudness in LUFS.
    loudness: f64,
    /// The highest true peak in dBTP.
    peak: f64,
}

/// The filter that changes the gain as it goes.
pub(super) fn as_it_goes(wanted: Loudness) -> String {
    format!("loudnorm=I={}:TP={PEAK}:LRA={RANGE}", wanted.target)
}

impl MeasuredLoudness {
    /// The filter that amplifies by what is missing to `wanted`. Says where peaks allow less.
    pub(super) fn amplify(self, wanted: Loudness, name: &str) -> String {
        if self.loudness <= SILENCE {
            log::warn!("{name} is silent: its loudness stays");
            return "anull".to_owned();
        }
        let (missing, room) = (wanted.target - self.loudness, PEAK - self.peak);
        let gain = missing.min(room);
        if gain < missing - 0.05 {
            let reached = self.loudness + gain;
            log::warn!(
                "{name}: peaks allow no more than {reached:.1} LUFS; without --loudness-two-pass they are limited instead"
            );
        }
        log::info!("{name}: {:.1} LUFS, true peak {:.1} dBTP: gain {gain:+.1} dB", self.loudness, self.peak);
        format!("volume={gain:.3}dB:precision=double")
    }
}

/// Measures the track `source` of the file at `path`, in the channels that `filters` make of it.
///
/// # Errors
/// When the file cannot be read again, or the run is stopped.
pub(super) fn measure(
    path: &OsStr,
    source: &SourceTrack<'_>,
    filters: &str,
    cancel: &Cancel,
) -> Result<MeasuredLoudness> {
    if path == "-" {
        return Err(Error::bad_argument("--loudness-two-pass reads the input twice, and standard input comes once"));
    }
    log::info!("measuring the loudness of {}", source.name);
    let mut demuxer = demuxer::open(path, cancel)?;
    let mut meter = Meter::new(source, format!("{filters},ebur128=metadata=1:peak=true"))?;
    loop {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
        }
        let mut packet = Packet::empty();
        match packet.read(&mut demuxer) {
            Ok(()) if packet.stream() == source.stream.index => meter.packet(Some(&packet))?,
            Ok(()) => {}
            Err(ffmpeg_next::Error::Other { errno: ffmpeg_next::error::EAGAIN }) => {}
            // Damage is reported when the run meets it.
            Err(_) => return meter.finish(),
        }
    }
}

/// Sound for the measuring filter.
struct Meter {
    decoder: Decoder,
    timeline: Timeline,
    filters: String,
    graph: Option<FilterGraph>,
    measured: MeasuredLoudness,
}

impl Meter {
    fn new(source: &SourceTrack<'_>, filters: String) -> Result<Meter> {
        let stream = source.stream;
        Ok(Meter {
            decoder: Decoder::new(&source.name, &stream.parameters, stream.timebase, false)?,
            timeline: Timeline::new(stream.timebase, source.rate),
            filters,
            graph: None,
            measured: MeasuredLoudness { loudness: f64::NEG_INFINITY, peak: f64::NEG_INFINITY },
        })
    }

    fn packet(&mut self, packet: Option<&Packet>) -> Result<()> {
        for frame in self.decoder.decode(packet)? {
            let form = SampleForm::of(&frame);
            // What a track changes to in its middle is measured no more: gating makes little of a mixture.
            if self.graph.as_ref().is_some_and(|graph| !graph.input().is(&form)) {
                continue;
            }
            if self.graph.is_none() {
                self.timeline = self.timeline.at_rate(form.rate);
                self.graph = Some(FilterGraph::new(form, &self.filters)?);
            }
            let mut placed = Vec::new();
            self.timeline.place(frame, None, &mut placed)?;
            for frame in placed {
                self.filter(Some(frame))?;
            }
        }
        Ok(())
    }

    fn filter(&mut self, frame: Option<Audio>) -> Result<()> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        for frame in graph.filter(frame)? {
            self.measured.loudness = entry(&frame, "lavfi.r128.I").unwrap_or(self.measured.loudness);
            let peaks = (0..).map_while(|channel| entry(&frame, &format!("lavfi.r128.true_peaks_ch{channel}")));
            let peak = peaks.fold(0.0, f64::max);
            self.measured.peak = self.measured.peak.max(20.0 * peak.log10());
        }
        Ok(())
    }

    fn finish(mut self) -> Result<MeasuredLoudness> {
        self.packet(None)?;
        self.filter(None)?;
        Ok(self.measured)
    }
}

/// A number in a frame's metadata.
fn entry(frame: &Audio, key: &str) -> Option<f64> {
    let key = CString::new(key).ok()?;
    // SAFETY: the frame is alive, and so its metadata; the value is a text that ends with a zero.
    unsafe {
        let entry = ffi::av_dict_get((*frame.as_ptr()).metadata, key.as_ptr(), ptr::null(), 0).as_ref()?;
        CStr::from_ptr(entry.value).to_str().ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_bound_the_gain() {
        let wanted = |target| Loudness { target, two_pass: true };
        let measured = MeasuredLoudness { loudness: -30.0, peak: -9.0 };
        assert_eq!(measured.amplify(wanted(-23.0), "x"), "volume=7.000dB:precision=double");
        assert_eq!(measured.amplify(wanted(-16.0), "x"), "volume=8.000dB:precision=double");
        assert_eq!(measured.amplify(wanted(-40.0), "x"), "volume=-10.000dB:precision=double");
        assert_eq!(MeasuredLoudness { loudness: -70.0, peak: f64::NEG_INFINITY }.amplify(wanted(-23.0), "x"), "anull");
    }
}
