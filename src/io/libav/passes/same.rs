//! The second pass gets the frames of the first, or ends.

use super::FirstPass;
use crate::error::{Error, Result};
use crate::io::Hash;
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use std::sync::Arc;

/// What a frame was: its samples, hashed, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    samples: [u8; 16],
    pts: Option<i64>,
}

impl Fingerprint {
    pub(super) fn of(frame: &Frame) -> Fingerprint {
        let mut samples = [0; 16];
        samples.copy_from_slice(&Hash::Xxh3.whole(&frame.picture));
        Fingerprint { samples, pts: frame.props.pts }
    }
}

/// Hands frames to the encoder of a second pass as long as they are those of the first: what it learned is of no use for others.
pub struct SameFrames<S> {
    sink: S,
    first: Arc<FirstPass>,
    frames: usize,
    /// Where the run may end early and yet be kept.
    stop: Cancel,
}

impl<S: Sink> SameFrames<S> {
    /// Before `sink`, which makes the second pass after `first`. After `stop` asked for an end, frames may be missing.
    pub fn new(sink: S, first: Arc<FirstPass>, stop: Cancel) -> SameFrames<S> {
        SameFrames { sink, first, frames: 0, stop }
    }

    fn known(&self) -> &[Fingerprint] {
        self.first.frames.get().map_or(&[], Vec::as_slice)
    }
}

impl<S: Sink> Sink for SameFrames<S> {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        if self.known().get(self.frames) != Some(&Fingerprint::of(&frame)) {
            return Err(differs(&format!("frame {} is not the same", frame.props.frame_index)));
        }
        self.frames += 1;
        self.sink.frame(frame)
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.sink.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        let expected = self.known().len();
        if self.frames != expected && !self.stop.is_requested() {
            return Err(differs(&format!("{} frames came instead of {expected}", self.frames)));
        }
        self.sink.finish()
    }

    fn bytes(&self) -> u64 {
        self.sink.bytes()
    }

    fn damage(&self) -> Option<Error> {
        self.sink.damage()
    }
}

fn differs(what: &str) -> Error {
    Error::internal(format!(
        "the second pass does not see what the first saw: {what}. The input changed meanwhile, or it is damaged and decodes \
         differently every time (--decoder-threads 1 does not)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{Format, FrameProps, Picture};

    /// Counts frames, and whether it was finished.
    #[derive(Default)]
    struct Count(usize, bool);

    impl Sink for Count {
        fn frame(&mut self, _: Frame) -> Result<()> {
            self.0 += 1;
            Ok(())
        }

        fn packet(&mut self, _: Packet) -> Result<()> {
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            self.1 = true;
            Ok(())
        }

        fn bytes(&self) -> u64 {
            0
        }

        fn damage(&self) -> Option<Error> {
            Some(Error::corrupt("sound is damaged"))
        }
    }

    fn frame(sample: i32, pts: i64) -> Frame {
        let mut picture = Picture::alloc(Format::gray(8).unwrap(), 2, 1).unwrap();
        picture.planes_mut().get_mut(0).set(0, 0, sample);
        picture.planes_mut().get_mut(0).set(1, 0, 0);
        Frame { props: FrameProps { pts: Some(pts), ..FrameProps::default() }, picture }
    }

    /// A second pass over the frames 7 at 0 and 8 at 1.
    fn second(stop: &Cancel) -> SameFrames<Count> {
        let first = FirstPass::new("libvpx", "-".as_ref()).unwrap();
        first.frames.set([frame(7, 0), frame(8, 1)].iter().map(Fingerprint::of).collect()).unwrap();
        SameFrames::new(Count::default(), first, stop.clone())
    }

    #[test]
    fn the_same_frames_go_through() {
        let mut same = second(&Cancel::default());
        same.frame(frame(7, 0)).unwrap();
        same.frame(frame(8, 1)).unwrap();
        same.finish().unwrap();
        assert_eq!((same.sink.0, same.sink.1), (2, true));
        assert!(same.damage().is_some(), "what the sink lost is reported");
    }

    #[test]
    fn other_samples_times_and_numbers_end_the_run() {
        for (other, words) in [(frame(9, 0), "frame 0"), (frame(7, 1), "frame 0")] {
            let mut same = second(&Cancel::default());
            let error = same.frame(other).unwrap_err();
            assert!(error.message().contains(words), "{error}");
            assert_eq!(same.sink.0, 0, "it is not encoded");
        }
        let mut fewer = second(&Cancel::default());
        fewer.frame(frame(7, 0)).unwrap();
        assert!(fewer.finish().unwrap_err().message().contains("1 frames came instead of 2"));
        assert!(!fewer.sink.1);
        let mut more = second(&Cancel::default());
        [frame(7, 0), frame(8, 1)].into_iter().for_each(|frame| more.frame(frame).unwrap());
        assert!(more.frame(frame(8, 2)).is_err());
    }

    #[test]
    fn a_run_that_was_asked_to_end_may_have_fewer() {
        let stop = Cancel::default();
        let mut same = second(&stop);
        same.frame(frame(7, 0)).unwrap();
        stop.request();
        same.finish().unwrap();
        assert!(same.sink.1);
    }
}
