//! Filters a frame that the program made: `cargo run --example chain`. A crate of your own needs no more than
//! `vramp = "0.2"`.

use vramp::device::DeviceChoice;
use vramp::error::Result;
use vramp::pipeline::{Engine, Target};
use vramp::video::{Format, FrameProps, Picture, StreamInfo};

fn main() -> Result<()> {
    // A dark ramp in 8 bits: wide steps, one code high each.
    let input = StreamInfo::bare(Format::yuv(1, 1, 8)?, 640, 360);
    let mut frame = Picture::alloc(input.format, input.width, input.height)?;
    for y in 0..input.height {
        frame.row_bytes_mut(0, y).iter_mut().enumerate().for_each(|(x, sample)| *sample = 30 + (x / 80) as u8);
    }
    for chroma in 1..3 {
        (0..input.height / 2).for_each(|y| frame.row_bytes_mut(chroma, y).fill(128));
    }

    let target = Target { format: Some(input.format.to_planar(10)?), ..Target::default() };
    let engine = Engine::new(vramp::filters::chain("gradient")?, &input, target, DeviceChoice::Auto, 0)?;
    let output = &engine.plan().output;
    let mut filtered = Picture::alloc(output.format, output.width, output.height)?;
    engine.process(&FrameProps::default(), &frame.planes(), &mut filtered.planes_mut())?;

    // 16-bit samples, the lower byte first.
    let code = |x: usize| u16::from_ne_bytes([0, 1].map(|byte| filtered.row_bytes(0, 180)[2 * x + byte]));
    println!("across a step of 8 bits, in 10 bits: {:?}", [60, 70, 80, 90, 100].map(code));
    Ok(())
}
