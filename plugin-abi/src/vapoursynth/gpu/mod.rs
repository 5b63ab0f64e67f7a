//! Frames that stay in GPU memory: VapourSynth's planes are Vulkan's, which CUDA imports, so that a clip of such frames is filtered
//! without a copy to the host. Where that cannot be, VapourSynth copies them.

pub mod ffi;
mod host;
mod imports;

pub use host::{SINCE, is_on_gpu, newer};

use super::ffi::{Core, FrameContext, GRAY, INTEGER, Map, VideoFormat};
use super::host::{Frame, Host, NewFrame, Node};
use crate::host_port::{HostFrame, HostPlane};
use crate::script::recipe::Built;
use host::{GpuHost, Reservation, Timeline};
use imports::{Imports, import_semaphore};
use std::ffi::c_int;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vramp::device::DeviceChoice;
use vramp::device::cuda::{self, CudaDevice, ExternalMemory, ExternalSemaphore, Stream};
use vramp::error::{Error, Result};
use vramp::pipeline::{StreamOrder, TimelinePoint, WorkOrder};
use vramp::video::FrameProps;

/// What a filter needs for frames in GPU memory.
pub struct GpuDoor {
    /// First: what is imported goes before the device does.
    lanes: Mutex<OrderedStreams>,
    imports: Imports,
    reservation: Reservation,
    has_timelines: bool,
    host: GpuHost,
    device: Arc<CudaDevice>,
}

/// Streams that no frame is being put into, and how many there are in all.
struct OrderedStreams {
    free: Vec<OrderedStream>,
    made: usize,
}

/// A stream, and the timeline that says how far it is: one frame at a time is put into it, so that values rise.
struct OrderedStream {
    stream: Stream,
    end: Option<StreamEnd>,
}

/// VapourSynth's timeline, imported, and its last value.
struct StreamEnd {
    semaphore: ExternalSemaphore,
    timeline: Timeline,
    value: u64,
}

/// A frame's planes in the device's memory, which stays mapped while this lives: others' imports may push it out of the list.
struct Located {
    planes: Vec<HostPlane>,
    _memory: Vec<Arc<ExternalMemory>>,
}

/// A frame to read, and where it is: a clip's place in the filter, and its properties.
pub struct Taken<'a> {
    /// The input of the chain.
    pub input: usize,
    /// The properties.
    pub props: FrameProps,
    /// The frame.
    pub frame: &'a Frame,
}

impl GpuDoor {
    /// A door for filters on `choice`.
    ///
    /// # Errors
    /// When VapourSynth's frames cannot be imported into such a device.
    pub fn open(host: Host, core: *mut Core, choice: DeviceChoice) -> Result<GpuDoor> {
        let host = GpuHost::of(host, core)?;
        let info = host.device(core)?;
        if info.export_handle_type != ffi::OPAQUE_FD {
            return Err(Error::unsupported("VapourSynth exports no GPU memory here"));
        }
        let ordinal = cuda::with_uuid(&info.device_uuid)?;
        let ordinal = ordinal.filter(|ordinal| choice == DeviceChoice::Auto || choice == DeviceChoice::Cuda(*ordinal));
        let other = || Error::unsupported(format!("VapourSynth's frames are not on device {choice}"));
        let device = CudaDevice::shared(ordinal.ok_or_else(other)?)?;
        let has_timelines = info.semaphore_export_handle_type == ffi::OPAQUE_FD;
        let (lanes, imports) = (Mutex::new(OrderedStreams { free: Vec::new(), made: 0 }), Imports::new());
        let reservation = Reservation::new(host, core)?;
        let door = GpuDoor { lanes, imports, reservation, has_timelines, host, device };
        door.try_imports(core)?;
        Ok(door)
    }

    /// Imports a frame and a timeline: a device that takes neither is known before the first frame, while there is another way.
    fn try_imports(&self, core: *mut Core) -> Result<()> {
        const TRIED: VideoFormat = VideoFormat {
            color_family: GRAY,
            sample_type: INTEGER,
            bits_per_sample: 8,
            bytes_per_sample: 1,
            sub_sampling_w: 0,
            sub_sampling_h: 0,
            num_planes: 1,
        };
        self.planes(self.host.frame(None, &TRIED, (64, 64), core)?.frame())?;
        self.stream_end(core).map(drop)
    }

    /// The device that frames are filtered on.
    pub fn choice(&self) -> DeviceChoice {
        DeviceChoice::Cuda(self.device.info().ordinal)
    }

    /// Frame `n` of `node`, which was asked for, for CUDA to read. Once for each request.
    ///
    /// # Errors
    /// When it cannot be exported.
    pub fn take(&self, n: c_int, node: &Node, context: *mut FrameContext) -> Result<Frame> {
        self.host.take(n, node, context)
    }

    /// Filters `sources` into a new frame of `format`, with the properties of `own`, and gives those of the result. The work may go on
    /// when this returns: VapourSynth knows when it ends.
    ///
    /// # Errors
    /// When memory runs out, or the device refuses the work. It uses no frame any more then.
    pub fn process(
        &self,
        built: &Built,
        n: u64,
        sources: &[Taken<'_>],
        own: &Frame,
        (format, size): (&VideoFormat, (c_int, c_int)),
        core: *mut Core,
    ) -> Result<(NewFrame, FrameProps)> {
        let made = self.host.frame(Some(own), format, size, core)?;
        let mut waits = Vec::new();
        let planes = sources.iter().map(|source| self.readable(source.frame, core, &mut waits));
        let located = planes.collect::<Result<Vec<_>>>()?;
        let to = self.planes(made.frame())?;
        let given = sources.iter().zip(&located).map(|(source, located)| {
            let Taken { input, props, .. } = source;
            HostFrame { input: *input, props: props.clone(), planes: &located.planes }
        });
        let frames: Vec<_> = given.collect();
        let mut lane = self.lane(built, core)?;
        let waits: Vec<_> = waits.iter().map(|(semaphore, value)| TimelinePoint { semaphore, value: *value }).collect();
        let end = lane.end.as_ref();
        let signals: Vec<_> =
            end.map(|end| TimelinePoint { semaphore: &end.semaphore, value: end.value + 1 }).into_iter().collect();
        let order =
            WorkOrder { stream: StreamOrder::In(lane.stream.as_raw().cast()), waits: &waits, signals: &signals };
        // SAFETY: the planes are imported memory, which VapourSynth keeps for these frames until the value that is published here,
        // or until the stream has been waited for; nobody else writes to them.
        let done = unsafe { built.ports.process_cuda(&built.engine, n, &frames, &to.planes, &order) };
        let done = match (&done, end) {
            (Ok(_), Some(_)) => done,
            _ => done.and_then(|props| lane.stream.synchronize().map(|()| props)),
        };
        drop((signals, waits));
        if done.is_err() {
            // A device that failed uses nothing either.
            let _ = lane.stream.synchronize();
        } else if let Some(end) = &mut lane.end {
            end.value += 1;
            self.host.publish(made.frame(), &end.timeline, end.value);
            for (i, Taken { frame, .. }) in sources.iter().enumerate() {
                // A frame that is read in two places is done once.
                if !sources[..i].iter().any(|other| ptr::eq(other.frame, *frame)) {
                    self.host.publish(frame, &end.timeline, end.value);
                }
            }
        }
        self.lanes().free.push(lane);
        done.map(|props| (made, props))
    }

    /// Where a frame's planes are in the device's memory, and in `waits` what must be reached before they are read.
    fn readable(
        &self,
        frame: &Frame,
        core: *mut Core,
        waits: &mut Vec<(Arc<ExternalSemaphore>, u64)>,
    ) -> Result<Located> {
        if !self.has_timelines {
            self.host.wait(frame)?;
            return self.planes(frame);
        }
        for plane in 0..frame.format().num_planes {
            let Some((semaphore, value)) = self.host.ready(frame, plane)? else { continue };
            // SAFETY: the frame keeps its timelines alive, and the handle is exported for this alone.
            let export = || unsafe { self.host.export_timeline(core, semaphore) }.map(|exported| exported.handle);
            // SAFETY: as above.
            let imported = unsafe { self.imports.semaphore(&self.device, semaphore.addr(), export) }?;
            match waits.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &imported)) {
                Some((_, known)) => *known = value.max(*known),
                None => waits.push((imported, value)),
            }
        }
        self.planes(frame)
    }

    /// Where a frame's planes are in the device's memory.
    fn planes(&self, frame: &Frame) -> Result<Located> {
        // The driver exports one at a time for the whole process, and takes twice as long when threads crowd there.
        static EXPORTS: Mutex<()> = Mutex::new(());
        let _alone = EXPORTS.lock().unwrap_or_else(PoisonError::into_inner);
        let plane = |plane| {
            let exported = self.host.export(frame, plane)?;
            // SAFETY: it was exported just now.
            let memory = unsafe { self.imports.memory(&self.device, &exported) }?;
            let start = memory.address() + exported.offset;
            Ok(((ptr::with_exposed_provenance_mut(start as usize), frame.pitch(plane)), memory))
        };
        let located = (0..frame.format().num_planes).map(plane).collect::<Result<Vec<_>>>()?;
        let (planes, _memory) = located.into_iter().unzip();
        Ok(Located { planes, _memory })
    }

    fn lanes(&self) -> MutexGuard<'_, OrderedStreams> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A lane that nobody has.
    fn lane(&self, built: &Built, core: *mut Core) -> Result<OrderedStream> {
        let made = {
            let mut lanes = self.lanes();
            if let Some(lane) = lanes.free.pop() {
                return Ok(lane);
            }
            lanes.made += 1;
            lanes.made
        };
        self.new_lane(made, built, core).inspect_err(|_| self.lanes().made -= 1)
    }

    /// The lane that makes it `made` in all.
    fn new_lane(&self, made: usize, built: &Built, core: *mut Core) -> Result<OrderedStream> {
        // Each has memory of the engine's at most, which is about to be made.
        self.reservation.set(built.engine.device_bytes(made)?);
        let end = self.stream_end(core)?;
        Ok(OrderedStream { stream: Stream::new(&self.device)?, end })
    }

    /// A new timeline, imported; none where timelines are not exported.
    fn stream_end(&self, core: *mut Core) -> Result<Option<StreamEnd>> {
        if !self.has_timelines {
            return Ok(None);
        }
        let timeline = Timeline::new(self.host, core)?;
        // SAFETY: it was made just now, and the handle is exported for this alone.
        let semaphore = unsafe {
            let exported = self.host.export_timeline(core, timeline.semaphore())?;
            import_semaphore(&self.device, exported.handle)?
        };
        Ok(Some(StreamEnd { semaphore, timeline, value: 0 }))
    }
}

/// The same clip in host memory.
///
/// # Errors
/// When VapourSynth has no such function.
pub fn downloaded(host: Host, core: *mut Core, node: &Node) -> Result<Node> {
    let failed = || Error::unsupported("VapourSynth does not copy the clip to host memory");
    // SAFETY: the core lives, the texts end in a zero, and each map is given back; the clip that is given is ours.
    unsafe {
        let std = (host.get_plugin_by_namespace)(c"std".as_ptr(), core);
        if std.is_null() {
            return Err(failed());
        }
        let args = MapOfOurs { host, map: (host.create_map)() };
        (host.map_set_node)(args.map, c"clip".as_ptr(), node.as_raw(), super::ffi::REPLACE);
        let result = MapOfOurs { host, map: (host.invoke)(std, c"GPUDownload".as_ptr(), args.map) };
        let mut error = 0;
        let clip = (host.map_get_node)(result.map, c"clip".as_ptr(), 0, &mut error);
        Node::from_raw(host, clip).filter(|_| error == 0).ok_or_else(failed)
    }
}

/// A map that is given back.
struct MapOfOurs {
    host: Host,
    map: *mut Map,
}

impl Drop for MapOfOurs {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody uses it now.
        unsafe { (self.host.free_map)(self.map) };
    }
}
