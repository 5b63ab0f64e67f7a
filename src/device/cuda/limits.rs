//! How long copies alone take: the limits that kernels and the pipeline are compared with.

use super::{CudaDevice, DeviceBuffer, DevicePicture, Function, Graph, LaunchConfig, PinnedAllocator, Stream};
use crate::error::{Error, Result};
use crate::video::{Format, Picture};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Copies start on this many bytes, as pictures do.
const ALIGN: usize = 256;

/// Copies on the device, recorded: one [`Graph::run`] copies `bytes` bytes `count` times, from and to other memory each
/// time. There are two methods, of which the faster is the limit: the driver's copies, and a kernel's, which start sooner.
///
/// # Errors
/// When there is not enough memory.
pub fn device_copies(device: &CudaDevice, bytes: usize, count: usize) -> Result<[Graph<Arc<[DeviceBuffer; 2]>>; 2]> {
    let stride = bytes.next_multiple_of(ALIGN);
    let buffer = || DeviceBuffer::new(device, stride * count, "copies");
    let buffers = Arc::new([buffer()?, buffer()?]);
    let by_driver = Graph::record(device, Arc::clone(&buffers), |buffers, stream| {
        (0..count).try_for_each(|i| buffers[0].copy_to(&buffers[1], i * stride, bytes, stream))
    })?;
    let kernel = device.function("copy", "copy_vectors")?;
    let by_kernel = Graph::record(device, buffers, |buffers, stream| {
        (0..count).try_for_each(|i| copy_vectors(&kernel, buffers, i * stride, bytes, stream))
    })?;
    Ok([by_driver, by_kernel])
}

/// Puts the kernel of cuda/copy.cu into `stream`: it copies `bytes` bytes from byte `at` on, in whole vectors.
fn copy_vectors(
    kernel: &Function,
    [from, to]: &[DeviceBuffer; 2],
    at: usize,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    /// Bytes of a vector, threads of a block, and vectors that each copies.
    const SHAPE: (usize, u32, u32) = (16, 256, 4);
    let count = bytes.div_ceil(SHAPE.0) as u32;
    let shape = LaunchConfig { grid: [count.div_ceil(SHAPE.1 * SHAPE.2), 1, 1], block: [SHAPE.1, 1, 1], shared: 0 };
    let (from, to) = (from.address() + at as u64, to.address() + at as u64);
    let args = [(&raw const from).cast(), (&raw const to).cast(), (&raw const count).cast()];
    // SAFETY: the arguments are the kernel's parameters; both buffers have these vectors, since they are made of strides
    // that are multiples of one, and live as long as the recording.
    unsafe { kernel.launch(shape, &args, stream) }
}

/// Pictures that the copies take in turn.
const PICTURES: usize = 8;

/// How long `frames` copies of a picture of `input` to the device and of one of `output` back take, in both directions at once,
/// from and to page-locked memory, with nothing else to do. Without `input` they go back only.
///
/// # Errors
/// When there is not enough memory.
pub fn host_copies(
    device: &CudaDevice,
    input: Option<Format>,
    output: Format,
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
    let uploads = input.map(|input| Ok::<_, Error>((here(input)?, there(input)?))).transpose()?;
    let (mut results, outs) = (here(output)?, there(output)?);
    let (up, down) = (Stream::new(device)?, Stream::new(device)?);
    let start = Instant::now();
    let started = (0..frames).map(|frame| frame % PICTURES).try_for_each(|i| {
        // SAFETY: the pictures live until both streams have been waited for; nobody looks at their samples.
        unsafe {
            if let Some((sources, ins)) = &uploads {
                ins[i].upload(&sources[i], &up)?;
            }
            outs[i].download(&mut results[i], &down)
        }
    });
    started.and(up.synchronize()).and(down.synchronize())?;
    Ok(start.elapsed())
}
