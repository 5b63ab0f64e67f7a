//! What copies alone take: the limits that kernels and the pipeline are held against.

use super::{CudaDevice, DeviceBuffer, DevicePicture, Graph, PinnedAllocator, Stream};
use crate::error::Result;
use crate::video::{Format, Picture};
use std::time::{Duration, Instant};

/// Copies start on this many bytes, as pictures do.
const ALIGN: usize = 256;

/// Copies on the device, recorded: one [`Graph::run`] copies `bytes` bytes `count` times, from and to other memory each
/// time.
///
/// # Errors
/// When there is not enough memory.
pub fn device_copies(device: &CudaDevice, bytes: usize, count: usize) -> Result<Graph<[DeviceBuffer; 2]>> {
    let stride = bytes.next_multiple_of(ALIGN);
    let buffer = || DeviceBuffer::new(device, stride * count, "copies");
    Graph::record(device, [buffer()?, buffer()?], |[from, to], stream| {
        (0..count).try_for_each(|i| from.copy_to(to, i * stride, bytes, stream))
    })
}

/// Pictures that the copies take in turn.
const PICTURES: usize = 8;

/// How long `frames` copies of a picture of `input` to the device and of one of `output` back take, both ways at once,
/// from and to page-locked memory, with nothing else to do.
///
/// # Errors
/// When there is not enough memory.
pub fn copies_both_ways(
    device: &CudaDevice,
    [input, output]: [Format; 2],
    width: usize,
    height: usize,
    frames: usize,
) -> Result<Duration> {
    let pinned = PinnedAllocator::new(device);
    let here = |format| -> Result<Vec<Picture>> {
        (0..PICTURES).map(|_| Picture::alloc_in(&pinned, format, width, height)).collect()
    };
    let there = |format| -> Result<Vec<DevicePicture>> {
        (0..PICTURES).map(|_| DevicePicture::alloc(device, format, width, height)).collect()
    };
    let (sources, mut results) = (here(input)?, here(output)?);
    let (ins, outs) = (there(input)?, there(output)?);
    let (up, down) = (Stream::new(device)?, Stream::new(device)?);
    let start = Instant::now();
    let started = (0..frames).map(|frame| frame % PICTURES).try_for_each(|i| {
        // SAFETY: the pictures live until both streams have been waited for; nobody looks at their samples.
        unsafe { ins[i].upload(&sources[i], &up).and_then(|()| outs[i].download(&mut results[i], &down)) }
    });
    started.and(up.synchronize()).and(down.synchronize())?;
    Ok(start.elapsed())
}
