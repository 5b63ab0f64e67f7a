//! Chains: made from text for a stream, and frames through them.

use super::abi::{self, Frame, Options, Planes, Stream};
use super::call::{call, can_give, give, read, text, write};
use super::format;
use super::handles::Handles;
use crate::door::{self, Door, Plane, Storage};
use std::ffi::{c_char, c_void};
use vramp::device::DeviceChoice;
use vramp::error::{Error, Result};
use vramp::filters;
use vramp::pipeline::{Engine, Target};
use vramp::video::{FieldOrder, FrameProps};

/// The most CPU threads that share a frame.
const MOST_THREADS: i32 = 256;

/// The chains that callers hold.
pub static CHAINS: Handles<Chain> = Handles::new("chain");

/// The header's `vramp_chain`.
pub struct Opaque;

/// A chain with the doors at its ends.
pub struct Chain {
    engine: Engine,
    input: Door,
    output: Door,
}

/// The planes of a frame's source and target.
#[derive(Clone, Copy)]
pub struct Memory {
    src: [Plane; 4],
    dst: [Plane; 4],
}

// SAFETY: plain addresses; whoever follows them has the caller's promise that they may be.
unsafe impl Send for Memory {}

impl Chain {
    fn new(text: &str, stream: &Stream, options: &Options, device: DeviceChoice) -> Result<Chain> {
        let (info, storage) = format::stream(stream)?;
        let threads = usize::try_from(options.threads).ok().filter(|_| options.threads <= MOST_THREADS);
        let threads = threads.ok_or_else(|| {
            Error::bad_argument(format!("threads is {}: it takes 0 to {MOST_THREADS}", options.threads))
        })?;
        let result = format::result(storage, options.output_layout, options.output_bit_depth)?;
        let target = Target { format: result.map(Storage::format), ..Target::default() };
        let engine = Engine::new(filters::chain(text)?, &info, target, device, threads)?;
        let made = engine.plan().output.clone();
        let output = Door::new(result.unwrap_or(Storage::Plain(made.format)), &made)?;
        Ok(Chain { input: Door::new(storage, &info)?, output, engine })
    }

    /// Filters a frame in host memory.
    ///
    /// # Errors
    /// As [`door::process`].
    ///
    /// # Safety
    /// The memory must be what the header says.
    pub unsafe fn process(&self, props: &FrameProps, memory: &Memory) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { door::process(&self.engine, [&self.input, &self.output], props, &memory.src, &memory.dst) }
    }

    /// Puts the work for a frame in GPU memory into the order of `stream`.
    ///
    /// # Errors
    /// As [`door::process_cuda`].
    ///
    /// # Safety
    /// The memory and the stream must be what the header says.
    unsafe fn process_cuda(&self, props: &FrameProps, memory: &Memory, stream: *mut c_void) -> Result<()> {
        let doors = [&self.input, &self.output];
        // SAFETY: the caller's promise.
        unsafe { door::process_cuda(&self.engine, doors, props, &memory.src, &memory.dst, stream) }
    }

    /// Refuses memory that cannot hold a frame.
    ///
    /// # Errors
    /// As [`door::check`].
    pub fn check(&self, memory: &Memory) -> Result<()> {
        door::check([&self.input, &self.output], &memory.src, &memory.dst).map(|_| ())
    }
}

/// The device that `text` names; null is `auto`.
///
/// # Errors
/// For text that is no device.
///
/// # Safety
/// `text` is null, or points to text with a NUL at its end.
pub unsafe fn device_choice(device: *const c_char) -> Result<DeviceChoice> {
    if device.is_null() {
        return Ok(DeviceChoice::Auto);
    }
    // SAFETY: the caller's promise.
    unsafe { text(device, "device") }?.parse()
}

/// The properties of a frame.
///
/// # Errors
/// For a struct that is not right.
///
/// # Safety
/// As [`read`].
pub unsafe fn props(frame: *const Frame, chain: &Chain) -> Result<FrameProps> {
    // SAFETY: the caller's promise.
    let frame = unsafe { read(frame) }?;
    let field_order = match frame.field_order {
        abi::PROGRESSIVE => FieldOrder::Progressive,
        abi::TOP_FIRST => FieldOrder::TopFirst,
        abi::BOTTOM_FIRST => FieldOrder::BottomFirst,
        other => return Err(Error::bad_argument(format!("there is no field order {other}"))),
    };
    let color = chain.input.stream().color;
    Ok(FrameProps { frame_index: frame.index, field_order, color, ..FrameProps::default() })
}

/// The planes of a frame.
///
/// # Errors
/// For structs that are not right, and pitches that are negative.
///
/// # Safety
/// As [`read`].
pub unsafe fn memory(src: *const Planes, dst: *const Planes, chain: &Chain) -> Result<Memory> {
    // SAFETY: the caller's promise.
    let (src, dst) = unsafe { (read(src)?, read(dst)?) };
    Ok(Memory {
        src: planes(&src, chain.input.storage(), "the source")?,
        dst: planes(&dst, chain.output.storage(), "the target")?,
    })
}

fn planes(planes: &Planes, storage: Storage, what: &str) -> Result<[Plane; 4]> {
    if planes.reserved != 0 {
        return Err(Error::bad_argument(format!("{what}: reserved is not 0")));
    }
    let mut list = [(std::ptr::null_mut(), 0); 4];
    for (i, (data, pitch)) in planes.data.iter().zip(planes.pitch).enumerate() {
        let pitch = usize::try_from(pitch)
            .map_err(|_| Error::bad_argument(format!("{what}: the pitch of plane {i} is negative")))?;
        if i >= storage.planes() && (!data.is_null() || pitch != 0) {
            return Err(Error::bad_argument(format!("{what}: plane {i} is given, and there is none")));
        }
        list[i] = (data.cast(), pitch);
    }
    Ok(list)
}

/// `vramp_chain_create` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_create(
    chain_text: *const c_char,
    input: *const Stream,
    options: *const Options,
    chain: *mut *mut Opaque,
) -> i32 {
    call(|| {
        can_give(chain, "chain")?;
        // SAFETY: the caller's promise.
        unsafe {
            let (text, stream) = (text(chain_text, "the chain's text")?, read(input)?);
            let options = if options.is_null() { Options::default() } else { read(options)? };
            let made = Chain::new(text, &stream, &options, device_choice(options.device)?)?;
            give(chain, CHAINS.insert(made), "chain").map(|()| abi::OK)
        }
    })
}

/// `vramp_chain_destroy` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_chain_destroy(chain: *mut Opaque) -> i32 {
    call(|| if chain.is_null() { Ok(abi::OK) } else { CHAINS.remove(chain).map(|_| abi::OK) })
}

/// `vramp_chain_output` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_output(chain: *const Opaque, output: *mut Stream) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        let stream = format::describe(chain.output.stream(), chain.output.storage());
        // SAFETY: the caller's promise.
        unsafe { write(output, &stream) }.map(|()| abi::OK)
    })
}

/// `vramp_chain_latency` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_latency(chain: *const Opaque, frames: *mut u32) -> i32 {
    call(|| {
        let latency = CHAINS.get(chain)?.engine.plan().reach().after;
        // SAFETY: the caller's promise.
        unsafe { give(frames, latency, "frames") }.map(|()| abi::OK)
    })
}

/// `vramp_chain_prepare` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_chain_prepare(chain: *mut Opaque) -> i32 {
    call(|| CHAINS.get(chain)?.engine.prepare().map(|()| abi::OK))
}

/// `vramp_process` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_process(
    chain: *mut Opaque,
    frame: *const Frame,
    src: *const Planes,
    dst: *const Planes,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (props, memory) = (props(frame, &chain)?, memory(src, dst, &chain)?);
            chain.process(&props, &memory).map(|()| abi::OK)
        }
    })
}

/// `vramp_process_cuda` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_process_cuda(
    chain: *mut Opaque,
    frame: *const Frame,
    src: *const Planes,
    dst: *const Planes,
    stream: *mut c_void,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (props, memory) = (props(frame, &chain)?, memory(src, dst, &chain)?);
            chain.process_cuda(&props, &memory, stream).map(|()| abi::OK)
        }
    })
}
