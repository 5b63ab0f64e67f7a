//! Decoded frames through a device: from page-locked memory, with no copy on the host.

use crate::chain::{Kept, Xor, plan_for, run};
use crate::fixture;
use crate::gate::device;
use std::sync::Arc;
use vramp::device::cuda::{self, CudaDevice, PinnedAllocator};
use vramp::error::{Error, Result};
use vramp::io::libav::{CopyChoice, Input, InputOptions, Window};
use vramp::pipeline::{Chain, ChainPlan, CpuChain, CudaChain, Item, Source};
use vramp::video::StreamInfo;

/// The folder of clips: `VRAMP_SAMPLES`, or the tree's.
fn open(name: &str, frames: u64) -> Input {
    let folder = std::env::var("VRAMP_SAMPLES").unwrap_or_else(|_| format!("{}/samples", env!("CARGO_MANIFEST_DIR")));
    let window = Window { frames: Some(frames), ..Window::default() };
    Input::open(
        &format!("{folder}/{name}"),
        InputOptions { window, copy: CopyChoice::NONE, threads: 3, ..InputOptions::default() },
    )
    .unwrap()
}

/// A source that counts the frames whose memory the device reaches by itself.
struct Counted {
    input: Input,
    device: Arc<CudaDevice>,
    pinned: usize,
}

impl Source for Counted {
    fn info(&self) -> &StreamInfo {
        self.input.info()
    }

    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.input.next()?;
        if let Some(Item::Frame(frame)) = &item {
            self.pinned += usize::from(cuda::is_pinned(&self.device, &frame.picture));
        }
        Ok(item)
    }

    fn damage(&self) -> Option<Error> {
        self.input.damage()
    }
}

fn filtered(plan: &ChainPlan, chain: &mut dyn Chain, source: &mut dyn Source) -> Kept {
    let mut kept = Kept::default();
    run(plan, chain, source, &mut kept).unwrap();
    kept
}

#[test]
fn a_decoded_clip_is_the_same_from_page_locked_memory() {
    let Some(device) = device() else { return };
    const FRAMES: u64 = 60;
    let clip = "big-buck-bunny-720p.mp4";
    let mut on_cpu = open(clip, FRAMES);
    let plan = plan_for(on_cpu.info(), &[Xor::new(3), Xor::new(200)]);
    let expected = filtered(&plan, &mut CpuChain::reference(&plan).unwrap(), &mut on_cpu);

    let mut input = open(clip, FRAMES);
    input.decode_into(Arc::new(PinnedAllocator::new(&device)));
    let mut source = Counted { input, device: Arc::clone(&device), pinned: 0 };
    let got = filtered(&plan, &mut CudaChain::new(&plan, &device, 3).unwrap(), &mut source);
    assert_eq!(got.frames.len(), FRAMES as usize);
    // Those that the decoder had begun when it was opened lie elsewhere.
    assert!(source.pinned > got.frames.len() - 8, "only {} frames were decoded into page-locked memory", source.pinned);
    for (got, want) in got.frames.iter().zip(&expected.frames) {
        assert_eq!(got.props, want.props);
        fixture::assert_same(&got.picture, &want.picture, &format!("frame {}", want.props.frame_index));
        assert!(cuda::is_pinned(&device, &got.picture), "the encoder's picture is not page-locked");
    }
}
