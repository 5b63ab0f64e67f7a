//! Chains: made from text for a stream, and frames through them.

#[cfg(test)]
mod tests;

use super::abi::{self, Frame, Input, InputFrame, Options, Planes, Stream};
use super::call::{call, can_give, can_write, give, keep_record, read, read_all, text, write};
use super::device::workers;
use super::format::{self, RgbaUse};
use super::handles::Handles;
use crate::host_port::{HostFrame, HostPlane, HostPorts, Storage};
use std::ffi::c_char;
use std::sync::Arc;
use vramp::device::cuda::CudaDevice;
use vramp::error::{Error, Result};
use vramp::filters::{self, Filter};
use vramp::pipeline::{Engine, SideInput, Target, WorkOrder, plan_with};
use vramp::video::{FieldOrder, FrameProps};

/// The most CPU threads that share a frame.
const MOST_THREADS: i32 = 256;

/// The chains that callers hold.
pub static CHAINS: Handles<Chain> = Handles::new("chain");

/// The header's `vramp_chain`.
pub struct Opaque;

/// A chain with the ports at its ends.
pub struct Chain {
    engine: Engine,
    ports: HostPorts,
}

/// A frame to make: its number, what it is made of, and where.
pub struct FrameRequest {
    n: u64,
    frames: Vec<CallerFrame>,
    dst: [HostPlane; 4],
}

/// A frame that the caller gives.
struct CallerFrame {
    input: usize,
    props: FrameProps,
    planes: [HostPlane; 4],
}

// SAFETY: plain addresses; whoever follows them has the caller's promise that they may be.
unsafe impl Send for FrameRequest {}
// SAFETY: as above.
unsafe impl Sync for FrameRequest {}

impl FrameRequest {
    /// The frames as the ports take them.
    fn frames(&self) -> Vec<HostFrame<'_>> {
        let list = self.frames.iter();
        list.map(|given| HostFrame { input: given.input, props: given.props.clone(), planes: &given.planes }).collect()
    }
}

/// A stream beside the chain's own, as the caller describes it.
struct SideStream<'a> {
    name: &'a str,
    stream: Stream,
}

impl Chain {
    fn new(
        filters: Vec<Box<dyn Filter>>,
        stream: &Stream,
        beside: &[SideStream<'_>],
        options: &Options,
    ) -> Result<Chain> {
        let rgba = RgbaUse::of(options.rgba)?;
        let (info, storage) = format::stream(stream, rgba)?;
        let threads = usize::try_from(options.threads).ok().filter(|_| options.threads <= MOST_THREADS);
        let threads = threads.ok_or_else(|| {
            Error::bad_argument(format!("threads is {}: it takes 0 to {MOST_THREADS}", options.threads))
        })?;
        let result = format::result(storage, options.output_layout, options.output_bit_depth, rgba)?;
        let target = Target { format: result.map(Storage::format), ..Target::default() };
        let (mut sides, mut storages) = (Vec::new(), vec![storage]);
        for SideStream { name, stream } in beside {
            let (info, storage) = format::stream(stream, rgba).map_err(|e| e.context(format!("the input '{name}'")))?;
            sides.push(SideInput { name: (*name).to_owned(), info });
            storages.push(storage);
        }
        let plan = plan_with(filters, &info, &sides, target)?;
        if let Some(Storage::Rgba(_)) = result
            && plan.output.color.matrix != plan.input.color.matrix
        {
            return Err(Error::unsupported("the chain changes the matrix, and RGBA has none: leave that filter out"));
        }
        let ports = HostPorts::new(&plan, storages, result.unwrap_or(Storage::Plain(plan.output.format)))?;
        // SAFETY: the caller's promise, who gave the options.
        let workers = unsafe { workers(options, threads) }?;
        Ok(Chain { engine: Engine::of(plan, Arc::new(workers)), ports })
    }

    /// Makes a frame in host memory. Gives its properties.
    ///
    /// # Errors
    /// As [`HostPorts::process`].
    ///
    /// # Safety
    /// The memory must be what the header says.
    pub unsafe fn process(&self, work: &FrameRequest) -> Result<FrameProps> {
        // SAFETY: the caller's promise.
        unsafe { self.ports.process(&self.engine, work.n, &work.frames(), &work.dst) }
    }

    /// Puts the work for a frame in GPU memory where `order` says. Gives its properties.
    ///
    /// # Errors
    /// As [`HostPorts::process_cuda`].
    ///
    /// # Safety
    /// The memory and the stream must be what the header says.
    pub unsafe fn process_cuda(&self, work: &FrameRequest, order: &WorkOrder<'_>) -> Result<FrameProps> {
        // SAFETY: the caller's promise.
        unsafe { self.ports.process_cuda(&self.engine, work.n, &work.frames(), &work.dst, order) }
    }

    /// The device that the chain works on.
    ///
    /// # Errors
    /// When it works on the CPU.
    pub fn device(&self) -> Result<&CudaDevice> {
        self.engine.device().map(|device| &**device)
    }

    /// Refuses memory that cannot hold the frames.
    ///
    /// # Errors
    /// As [`HostPorts::check`].
    pub fn check(&self, work: &FrameRequest) -> Result<()> {
        self.ports.check(&work.frames(), &work.dst).map(|_| ())
    }

    /// The work for a chain that makes each frame of the one with the same index alone; `other` names the call for others.
    ///
    /// # Errors
    /// For other chains, and structs that are not right.
    ///
    /// # Safety
    /// As [`read`].
    pub unsafe fn one(
        &self,
        frame: *const Frame,
        src: *const Planes,
        dst: *const Planes,
        other: &str,
    ) -> Result<FrameRequest> {
        if !self.engine.plan().is_frame_by_frame() {
            return Err(Error::unsupported(format!(
                "the chain does not make frame n of frame n of its source alone: ask vramp_chain_needs which it reads, and give \
                 them to {other}"
            )));
        }
        // SAFETY: the caller's promise.
        let (given, dst) = unsafe { (self.given(0, frame, src, "the source")?, self.target(dst)?) };
        Ok(FrameRequest { n: given.props.frame_index, frames: vec![given], dst })
    }

    /// The work of frame `n`, made of `frames`.
    ///
    /// # Errors
    /// For structs that are not right.
    ///
    /// # Safety
    /// As [`read_all`].
    pub unsafe fn many(
        &self,
        n: u64,
        frames: *const InputFrame,
        count: u32,
        dst: *const Planes,
    ) -> Result<FrameRequest> {
        // SAFETY: the caller's promise.
        unsafe {
            let mut list = Vec::new();
            for (i, InputFrame { input, frame, planes, .. }) in read_all(frames, count)?.into_iter().enumerate() {
                list.push(self.given(input as usize, frame, planes, &format!("frame {i} of the list"))?);
            }
            Ok(FrameRequest { n, frames: list, dst: self.target(dst)? })
        }
    }

    /// A frame of input `input`; `what` names it in messages.
    ///
    /// # Safety
    /// As [`read`].
    unsafe fn given(&self, input: usize, frame: *const Frame, src: *const Planes, what: &str) -> Result<CallerFrame> {
        let port = self.ports.input(input)?;
        // SAFETY: the caller's promise.
        let (frame, src) = unsafe { (read(frame)?, read(src)?) };
        let field_order = match frame.field_order {
            abi::PROGRESSIVE => FieldOrder::Progressive,
            abi::TOP_FIRST => FieldOrder::TopFirst,
            abi::BOTTOM_FIRST => FieldOrder::BottomFirst,
            other => return Err(Error::bad_argument(format!("there is no field order {other}"))),
        };
        let color = port.stream().color;
        let props = FrameProps { frame_index: frame.index, field_order, color, ..FrameProps::default() };
        Ok(CallerFrame { input, props, planes: planes(&src, port.storage(), what)? })
    }

    /// The planes of the result.
    ///
    /// # Safety
    /// As [`read`].
    unsafe fn target(&self, dst: *const Planes) -> Result<[HostPlane; 4]> {
        // SAFETY: the caller's promise.
        planes(&unsafe { read(dst) }?, self.ports.output().storage(), "the target")
    }
}

/// Makes a frame, and describes it in `result` where that is not null. One that cannot be written to is refused before.
///
/// # Safety
/// As [`can_write`] and [`write`].
pub unsafe fn describe_made(result: *mut Frame, make: impl FnOnce() -> Result<FrameProps>) -> Result<()> {
    if result.is_null() {
        return make().map(drop);
    }
    // SAFETY: the caller's promise, unchanged.
    unsafe {
        can_write(result)?;
        write(result, &describe(&make()?))
    }
}

/// How the header describes the frame with these properties.
fn describe(props: &FrameProps) -> Frame {
    let field_order = match props.field_order {
        FieldOrder::Progressive => abi::PROGRESSIVE,
        FieldOrder::TopFirst => abi::TOP_FIRST,
        FieldOrder::BottomFirst => abi::BOTTOM_FIRST,
    };
    Frame { struct_size: size_of::<Frame>() as u32, field_order, index: props.frame_index }
}

fn planes(planes: &Planes, storage: Storage, what: &str) -> Result<[HostPlane; 4]> {
    if planes.reserved != 0 {
        return Err(Error::bad_argument(format!("{what}: reserved is not 0")));
    }
    let mut list = [(std::ptr::null_mut(), 0); 4];
    for (i, (data, pitch)) in planes.data.iter().zip(planes.pitch).enumerate() {
        if pitch < 0 && !storage.takes_either_order() {
            return Err(Error::bad_argument(format!("{what}: the pitch of plane {i} is negative")));
        }
        let pitch = isize::try_from(pitch)
            .map_err(|_| Error::bad_argument(format!("{what}: plane {i} has a pitch of {pitch} bytes")))?;
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
            let made = Chain::new(filters::program(text)?, &stream, &beside(&options)?, &options)?;
            give(chain, CHAINS.insert(made), "chain").map(|()| abi::OK)
        }
    })
}

/// The streams beside the chain's own.
///
/// # Safety
/// The options' pointers must be what the header says.
unsafe fn beside<'a>(options: &Options) -> Result<Vec<SideStream<'a>>> {
    // SAFETY: the caller's promise.
    unsafe {
        if options.reserved != 0 || options.reserved_too != 0 {
            return Err(Error::bad_argument("vramp_options: reserved is not 0"));
        }
        let mut list = Vec::new();
        for Input { reserved, name, stream, .. } in read_all(options.inputs, options.input_count)? {
            if reserved != 0 {
                return Err(Error::bad_argument("vramp_input: reserved is not 0"));
            }
            list.push(SideStream { name: text(name, "an input's name")?, stream: read(stream)? });
        }
        Ok(list)
    }
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
        let port = chain.ports.output();
        let stream = format::describe(port.stream(), port.storage());
        // SAFETY: the caller's promise.
        unsafe { write(output, &stream) }.map(|()| abi::OK)
    })
}

/// `vramp_chain_input_count` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_input_count(chain: *const Opaque, count: *mut u32) -> i32 {
    call(|| {
        let inputs = 1 + CHAINS.get(chain)?.engine.plan().sides.len();
        // SAFETY: the caller's promise.
        unsafe { give(count, inputs as u32, "count") }.map(|()| abi::OK)
    })
}

/// `vramp_chain_needs` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_needs(
    chain: *const Opaque,
    frame: u64,
    input: u32,
    first: *mut u64,
    last: *mut u64,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        chain.ports.input(input as usize)?;
        can_give(last, "last")?;
        let needs = chain.engine.needs(input as usize, frame);
        // SAFETY: the caller's promise.
        unsafe {
            give(first, needs.0, "first")?;
            give(last, needs.1, "last").map(|()| abi::OK)
        }
    })
}

/// `vramp_chain_frames` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_frames(chain: *const Opaque, input_frames: u64, frames: *mut u64) -> i32 {
    call(|| {
        let made = CHAINS.get(chain)?.engine.plan().frames(input_frames);
        // SAFETY: the caller's promise.
        unsafe { give(frames, made, "frames") }.map(|()| abi::OK)
    })
}

/// `vramp_chain_rate` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_chain_rate(chain: *const Opaque, numerator: *mut u64, denominator: *mut u64) -> i32 {
    call(|| {
        let rate = CHAINS.get(chain)?.engine.plan().rate();
        can_give(denominator, "denominator")?;
        // SAFETY: the caller's promise.
        unsafe {
            give(numerator, rate.0, "numerator")?;
            give(denominator, rate.1, "denominator").map(|()| abi::OK)
        }
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
        let made = unsafe { chain.process(&chain.one(frame, src, dst, "vramp_process_frames")?) }?;
        keep_record(&made);
        Ok(abi::OK)
    })
}

/// `vramp_process_frames` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_process_frames(
    chain: *mut Opaque,
    frame: u64,
    frames: *const InputFrame,
    count: u32,
    dst: *const Planes,
    result: *mut Frame,
) -> i32 {
    call(|| {
        let chain = CHAINS.get(chain)?;
        // SAFETY: the caller's promise.
        unsafe {
            let make = || chain.process(&chain.many(frame, frames, count, dst)?).inspect(keep_record);
            describe_made(result, make).map(|()| abi::OK)
        }
    })
}
