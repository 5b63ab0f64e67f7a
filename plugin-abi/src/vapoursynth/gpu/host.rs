//! VapourSynth's functions for GPU memory, wrapped.

use super::super::ffi::{Core, FrameContext, VideoFormat};
use super::super::host::{Frame, Host, NewFrame, Node};
use super::ffi::{self, ExportedMemory, ExportedSemaphore, NewerApi, PlaneInfo, VulkanApi, VulkanCoreInfo};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use vramp::error::{Error, Kind, Result};

/// The API that has frames in GPU memory.
pub const SINCE: c_int = super::super::ffi::version(4, 3);

/// Versions of the core whose functions are those declared here. The table has no version of its own, and new ones move old ones.
const CORES: [c_int; 1] = [81];

/// What the table of functions has where the API is newer.
pub fn newer(host: Host) -> Option<&'static NewerApi> {
    // SAFETY: a function of VapourSynth's that needs nothing; from 4.3 on the table is as long as this.
    unsafe { ((host.get_api_version)() >= SINCE).then(|| &*std::ptr::from_ref(host).cast::<NewerApi>()) }
}

/// Whether a clip's frames are in GPU memory.
pub fn is_on_gpu(host: Host, node: &Node) -> bool {
    // SAFETY: the clip lives.
    newer(host).is_some_and(|api| unsafe { (api.get_node_residency)(node.as_raw()) } == ffi::ON_GPU)
}

/// Calls `work` with room for VapourSynth's words of why it failed; it gives `None` then.
fn explained<T>(doing: &str, work: impl FnOnce(*mut c_char, c_int) -> Option<T>) -> Result<T> {
    let mut message = [0 as c_char; 512];
    work(message.as_mut_ptr(), message.len() as c_int).ok_or_else(|| {
        // SAFETY: VapourSynth ends the message with a zero, and it was all zeros before.
        let why = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy();
        Error::new(Kind::Device, format!("{doing}: {why}"))
    })
}

/// As [`explained`], of a function that fills in a struct and returns 0.
fn filled<T>(doing: &str, work: impl FnOnce(*mut T, *mut c_char, c_int) -> c_int) -> Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let code = explained(doing, |message, size| (work(value.as_mut_ptr(), message, size) == 0).then_some(()));
    // SAFETY: VapourSynth has filled it in, and all zeros would be a value as well.
    code.map(|()| unsafe { value.assume_init() })
}

/// The functions for GPU memory of a core that is known.
#[derive(Clone, Copy)]
pub struct GpuHost {
    host: Host,
    vulkan: &'static VulkanApi,
}

// SAFETY: tables of functions that stay, which any thread may call.
unsafe impl Send for GpuHost {}
// SAFETY: as above.
unsafe impl Sync for GpuHost {}

impl GpuHost {
    /// Those of `core`.
    ///
    /// # Errors
    /// For a version that is not known.
    pub fn of(host: Host, core: *mut Core) -> Result<GpuHost> {
        let unknown = || Error::unsupported("this VapourSynth has no frames in GPU memory");
        let newer = newer(host).ok_or_else(unknown)?;
        let mut info = MaybeUninit::<ffi::CoreInfo2>::zeroed();
        // SAFETY: the core lives, and there is room; all zeros would be a value as well.
        let version = unsafe {
            (newer.get_core_info2)(core, info.as_mut_ptr());
            info.assume_init().core_version
        };
        if !CORES.contains(&version) {
            return Err(Error::unsupported(format!(
                "frames in GPU memory are known of R{}, not of R{version}",
                CORES[0]
            )));
        }
        // SAFETY: the table is VapourSynth's, which outlives every plugin, and of a version that is known.
        Ok(GpuHost { host, vulkan: unsafe { &*(newer.get_vulkan_api)() } })
    }

    /// What the core's device is.
    ///
    /// # Errors
    /// When it has none.
    pub fn device(self, core: *mut Core) -> Result<VulkanCoreInfo> {
        // SAFETY: the core lives.
        filled("Vulkan", |info, message, size| unsafe { (self.vulkan.get_vulkan_core_info)(core, info, message, size) })
    }

    /// Frame `n` of `node`, which was asked for, for CUDA to read.
    ///
    /// # Errors
    /// When it cannot be exported.
    pub fn take(self, n: c_int, node: &Node, context: *mut FrameContext) -> Result<Frame> {
        explained("the frame", |message, size| {
            // SAFETY: the clip lives, and the context is that of this call; the reference that it returns is ours.
            unsafe {
                let frame = (self.vulkan.get_exportable_frame_filter)(n, node.as_raw(), context, message, size);
                Frame::from_raw(self.host, frame)
            }
        })
    }

    /// A new frame in GPU memory, with the properties of `own` where there is one.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn frame(
        self,
        own: Option<&Frame>,
        format: &VideoFormat,
        size: (c_int, c_int),
        core: *mut Core,
    ) -> Result<NewFrame> {
        let own = own.map_or(ptr::null_mut(), Frame::as_raw);
        // SAFETY: format, frame and core live; VapourSynth copies the properties. The reference is ours, and nobody else has it.
        let made = unsafe {
            let frame = (self.vulkan.new_gpu_video_frame)(format, size.0, size.1, own, core);
            Frame::from_raw(self.host, frame).map(NewFrame::new)
        };
        made.ok_or_else(|| Error::new(Kind::OutOfMemory, "VapourSynth has no GPU memory for a frame"))
    }

    /// The memory of a plane, whose handle is the caller's then.
    ///
    /// # Errors
    /// When it cannot be exported.
    pub fn export(self, frame: &Frame, plane: c_int) -> Result<ExportedMemory> {
        filled("exporting a plane", |exported, message, size| {
            // SAFETY: the frame lives.
            unsafe { (self.vulkan.export_gpu_plane)(frame.as_raw(), plane, exported, message, size) }
        })
    }

    /// The timeline and the value that say when a plane may be read; `None`: now.
    ///
    /// # Errors
    /// When the plane is not in GPU memory.
    pub fn ready(self, frame: &Frame, plane: c_int) -> Result<Option<(*mut c_void, u64)>> {
        let info: PlaneInfo = filled("a plane", |info, _, _| {
            // SAFETY: the frame lives.
            unsafe { (self.vulkan.get_gpu_plane)(frame.as_raw(), plane, info) }
        })?;
        Ok((!info.ready_semaphore.is_null()).then_some((info.ready_semaphore, info.ready_value)))
    }

    /// Waits until a frame may be read.
    ///
    /// # Errors
    /// When the device fails.
    pub fn wait(self, frame: &Frame) -> Result<()> {
        explained("waiting for a frame", |message, size| {
            // SAFETY: the frame lives.
            (unsafe { (self.vulkan.wait_gpu_frame)(frame.as_raw(), message, size) } == 0).then_some(())
        })
    }

    /// A timeline as a handle, which is the caller's then.
    ///
    /// # Errors
    /// When it cannot be exported.
    ///
    /// # Safety
    /// It must be a timeline of the core's that lives.
    pub unsafe fn export_timeline(self, core: *mut Core, semaphore: *mut c_void) -> Result<ExportedSemaphore> {
        filled("exporting a timeline", |exported, message, size| {
            // SAFETY: the caller's promise.
            unsafe { (self.vulkan.export_gpu_semaphore)(core, semaphore, exported, message, size) }
        })
    }

    /// Says that `frame` is done with when `timeline` has reached `value`.
    pub fn publish(self, frame: &Frame, timeline: &Timeline, value: u64) {
        for plane in 0..frame.format().num_planes {
            // SAFETY: both live, and the frame has this plane, which nobody else has.
            unsafe { (self.vulkan.set_gpu_plane_producer)(frame.as_raw(), plane, timeline.raw, value) };
        }
    }
}

/// A timeline of VapourSynth's.
pub struct Timeline {
    host: GpuHost,
    raw: *mut ffi::Timeline,
}

// SAFETY: VapourSynth counts references to timelines, and its functions on them may be called from any thread.
unsafe impl Send for Timeline {}
// SAFETY: as above.
unsafe impl Sync for Timeline {}

impl Timeline {
    /// A new one, at 0.
    ///
    /// # Errors
    /// When the device gives none.
    pub fn new(host: GpuHost, core: *mut Core) -> Result<Timeline> {
        let raw = explained("a timeline", |message, size| {
            // SAFETY: the core lives.
            let raw = unsafe { (host.vulkan.create_gpu_timeline)(core, message, size) };
            (!raw.is_null()).then_some(raw)
        })?;
        Ok(Timeline { host, raw })
    }

    /// Vulkan's handle.
    pub fn semaphore(&self) -> *mut c_void {
        // SAFETY: it lives.
        unsafe { (self.host.vulkan.get_gpu_timeline_semaphore)(self.raw) }
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // SAFETY: the reference is ours; planes that it was published on have their own.
        unsafe { (self.host.vulkan.free_gpu_timeline)(self.raw) };
    }
}

/// What VapourSynth knows of memory that is held here.
pub struct Reservation {
    host: GpuHost,
    raw: *mut ffi::Reservation,
}

// SAFETY: VapourSynth takes calls on reservations from any thread.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Of no bytes yet.
    ///
    /// # Errors
    /// When VapourSynth has none.
    pub fn new(host: GpuHost, core: *mut Core) -> Result<Reservation> {
        let raw = explained("a reservation of GPU memory", |message, size| {
            // SAFETY: the core lives.
            let raw = unsafe { (host.vulkan.reserve_gpu_memory)(core, 0, message, size) };
            (!raw.is_null()).then_some(raw)
        })?;
        Ok(Reservation { host, raw })
    }

    /// So many bytes are held from now on.
    pub fn set(&self, bytes: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: it lives.
        unsafe { (self.host.vulkan.update_gpu_memory_reservation)(self.raw, bytes) };
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody uses it now.
        unsafe { (self.host.vulkan.release_gpu_memory_reservation)(self.raw) };
    }
}
