//! Frames decoded into the caller's memory are the frames decoded into libav's.
#![cfg(feature = "transcode")]

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use vramp::error::Result;
use vramp::io::libav::{Input, InputOptions};
use vramp::pipeline::{Frame, Item, Source};
use vramp::video::{Heap, HostAllocator};

/// The heap, with a record of what it gave.
#[derive(Default)]
struct Recorded(Mutex<Vec<Range<usize>>>);

// SAFETY: the heap's own blocks.
unsafe impl HostAllocator for Recorded {
    fn allocate(&self, bytes: usize) -> Result<(NonNull<u8>, Box<dyn Send + Sync>)> {
        let (start, keeper) = Heap.allocate(bytes)?;
        let start_address = start.as_ptr().addr();
        self.0.lock().unwrap().push(start_address..start_address + bytes);
        Ok((start, keeper))
    }
}

impl Recorded {
    /// Whether every plane of `frame` lies inside a block.
    fn holds(&self, frame: &Frame) -> bool {
        let (picture, blocks) = (&frame.picture, self.0.lock().unwrap());
        (0..picture.format().planes()).all(|plane| {
            let (start, pitch) = picture.plane(plane);
            let (row, rows) = picture.format().plane_size(plane, picture.width(), picture.height());
            let end = start.addr() + (rows - 1) * pitch + row;
            blocks.iter().any(|block| block.start <= start.addr() && end <= block.end)
        })
    }
}

fn next_frame(input: &mut Input) -> Option<Frame> {
    loop {
        if let Item::Frame(frame) = input.next().unwrap()? {
            return Some(frame);
        }
    }
}

fn sample(name: &str) -> String {
    format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A clip of `size` whose frames refer to several others, before and after them.
fn references(size: &str) -> String {
    let path = format!("{}/references-{size}.mkv", env!("CARGO_TARGET_TMPDIR"));
    let source = format!("testsrc2=size={size}:duration=2");
    let made = std::process::Command::new("ffmpeg")
        .args(["-v", "error", "-y", "-f", "lavfi", "-i", &source, "-pix_fmt", "yuv420p"])
        .args(["-c:v", "libx264", "-bf", "3", "-refs", "4", &path])
        .status();
    assert!(made.expect("the ffmpeg program runs").success());
    path
}

#[test]
fn frames_are_the_same_and_lie_in_the_allocator_s_memory() {
    // The first frames lie in libav's memory, and later ones refer to them.
    let clips = [
        (sample("big-buck-bunny-720p.mp4"), 1),
        (sample("big-buck-bunny-720p.mp4"), 3),
        (sample("banded-gradient.mkv"), 2),
        (references("320x180"), 2),
        (references("322x178"), 1),
        (references("48x32"), 2),
    ];
    for (path, threads) in clips {
        let options = InputOptions { threads, ..InputOptions::default() };
        let mut theirs = Input::open(&path, options.clone()).unwrap();
        let mut ours = Input::open(&path, options).unwrap();
        let memory = Arc::new(Recorded::default());
        ours.decode_into(memory.clone());
        let (mut frames, mut outside) = (0, 0);
        while let Some(frame) = next_frame(&mut theirs) {
            let copy = next_frame(&mut ours).unwrap();
            assert_eq!(copy.props, frame.props);
            for plane in 0..frame.picture.format().planes() {
                let rows = frame.picture.format().plane_size(plane, frame.picture.width(), frame.picture.height()).1;
                for y in 0..rows {
                    assert_eq!(
                        copy.picture.row_bytes(plane, y),
                        frame.picture.row_bytes(plane, y),
                        "{path}, frame {frames}, plane {plane}, row {y}"
                    );
                }
            }
            frames += 1;
            outside += usize::from(!memory.holds(&copy));
        }
        assert!(next_frame(&mut ours).is_none());
        // Frames that the decoder had begun when it learnt of the memory lie in its own.
        let blocks = memory.0.lock().unwrap().len();
        println!("{path} on {threads} threads: {frames} frames, {outside} outside, {blocks} blocks");
        assert!(frames > 20 && outside <= threads + 5, "{path}: {outside} of {frames} frames lie elsewhere");
        assert!(blocks < frames / 2, "{blocks} blocks for {frames} frames: none is used again");
    }
}
