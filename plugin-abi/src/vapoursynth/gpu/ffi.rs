//! VapourSynth's frames in GPU memory: what API 4.3 and VSVulkan4.h declare of them, as far as it is used here. Written from their
//! documentation; a test holds it against the headers.

use super::super::ffi::{
    Api, Core, FilterDependency, Frame, FrameContext, Free, GetFrame, Map, Node, VideoFormat, VideoInfo,
};
use crate::opaque::opaque;
use std::ffi::{c_char, c_int, c_void};

opaque! {
    /// A timeline of VapourSynth's.
    Timeline;
    /// GPU memory that VapourSynth counts, and others hold.
    Reservation;
}

/// A function that is not used.
type Gap = *const c_void;

/// `VSFilterFlags`: frames are in GPU memory.
pub const GPU_OUTPUT: c_int = 1;
/// `VSNodeResidency`: in GPU memory.
pub const ON_GPU: c_int = 1;
/// `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT` and `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`.
pub const OPAQUE_FD: c_int = 1;

/// What functions of API 4.3 there are, after those of 4.0.
#[repr(C)]
pub struct NewerApi {
    _api: Api,
    _log: [Gap; 3],
    _nodes: [Gap; 10],
    /// What VapourSynth this is.
    pub get_core_info2: unsafe extern "C" fn(core: *mut Core, info: *mut CoreInfo2),
    /// As `create_video_filter`, with [`GPU_OUTPUT`] or nothing.
    pub create_video_filter_ex: unsafe extern "C" fn(
        out: *mut Map,
        name: *const c_char,
        info: *const VideoInfo,
        get_frame: GetFrame,
        free: Free,
        mode: c_int,
        flags: c_int,
        dependencies: *const FilterDependency,
        dependency_count: c_int,
        instance: *mut c_void,
        core: *mut Core,
    ),
    /// As `create_video_filter2`, likewise.
    pub create_video_filter_ex2: unsafe extern "C" fn(
        name: *const c_char,
        info: *const VideoInfo,
        get_frame: GetFrame,
        free: Free,
        mode: c_int,
        flags: c_int,
        dependencies: *const FilterDependency,
        dependency_count: c_int,
        instance: *mut c_void,
        core: *mut Core,
    ) -> *mut Node,
    /// The functions for GPU memory.
    pub get_vulkan_api: unsafe extern "C" fn() -> *const VulkanApi,
    /// Where a clip's frames are.
    pub get_node_residency: unsafe extern "C" fn(node: *mut Node) -> c_int,
    // More follows, of which nothing is used.
}

/// What VapourSynth this is.
#[repr(C)]
pub struct CoreInfo2 {
    /// Its name.
    pub version_string: *const c_char,
    /// Its version.
    pub core_version: c_int,
    /// That of its API.
    pub api_version: c_int,
    /// How it was made.
    pub creation_flags: c_int,
    /// Threads that filter.
    pub num_threads: c_int,
    /// Bytes of frames that it may hold.
    pub max_framebuffer_size: i64,
    /// Bytes of frames that it holds.
    pub used_framebuffer_size: i64,
}

/// What the device is.
#[repr(C)]
pub struct VulkanCoreInfo {
    /// Its name.
    pub device_name: [c_char; 256],
    /// Bytes that it has, that may be used, that are, and the limit.
    pub device_memory: i64,
    /// See `device_memory`.
    pub budget: i64,
    /// See `device_memory`.
    pub allocated: i64,
    /// See `device_memory`.
    pub limit: i64,
    /// Its identity, which CUDA knows as well.
    pub device_uuid: [u8; 16],
    /// Its identity on Windows.
    pub device_luid: [u8; 8],
    /// See `device_luid`.
    pub device_node_mask: u32,
    /// See `device_luid`.
    pub device_luid_valid: c_int,
    /// What memory is exported as; 0 when it is not.
    pub export_handle_type: c_int,
    /// What timelines are exported as; 0 when they are not.
    pub semaphore_export_handle_type: c_int,
    /// Whether its memory is the host's.
    pub unified_memory: c_int,
}

/// A plane in GPU memory.
#[repr(C)]
pub struct PlaneInfo {
    /// Its buffer.
    pub buffer: *const c_void,
    /// Bytes.
    pub buffer_size: u64,
    /// The timeline that says when it may be read; null when it may be.
    pub ready_semaphore: *mut c_void,
    /// The value that the timeline has then.
    pub ready_value: u64,
}

/// A plane's memory, exported.
#[repr(C)]
pub struct ExportedMemory {
    /// The allocation's number, which no other ever has.
    pub memory_id: u64,
    /// Bytes of the allocation.
    pub memory_size: u64,
    /// Its type.
    pub memory_type_index: u32,
    /// Where the plane is in it.
    pub offset: u64,
    /// Bytes of the plane.
    pub size: u64,
    /// What kind of handle it is.
    pub handle_type: c_int,
    /// The handle, to be closed.
    pub handle: isize,
}

/// A timeline, exported.
#[repr(C)]
pub struct ExportedSemaphore {
    /// What kind of handle it is.
    pub handle_type: c_int,
    /// The handle, to be closed.
    pub handle: isize,
}

/// The functions for GPU memory. They move from version to version of the core: see `CORES`.
#[repr(C)]
pub struct VulkanApi {
    _devices: [Gap; 2],
    /// What the device is. Not 0 when there is none.
    pub get_vulkan_core_info:
        unsafe extern "C" fn(core: *mut Core, info: *mut VulkanCoreInfo, message: *mut c_char, size: c_int) -> c_int,
    _calls: [Gap; 5],
    /// As `new_video_frame`, in GPU memory.
    pub new_gpu_video_frame: unsafe extern "C" fn(
        format: *const VideoFormat,
        width: c_int,
        height: c_int,
        props: *const Frame,
        core: *mut Core,
    ) -> *mut Frame,
    /// Where a plane is. Not 0 when it is not in GPU memory.
    pub get_gpu_plane: unsafe extern "C" fn(frame: *const Frame, plane: c_int, info: *mut PlaneInfo) -> c_int,
    /// Says when a plane is done: it was written, or read for the last time.
    pub set_gpu_plane_producer:
        unsafe extern "C" fn(frame: *const Frame, plane: c_int, timeline: *mut Timeline, value: u64),
    /// A new timeline at 0, to be given back.
    pub create_gpu_timeline: unsafe extern "C" fn(core: *mut Core, message: *mut c_char, size: c_int) -> *mut Timeline,
    /// Gives a reference to a timeline back.
    pub free_gpu_timeline: unsafe extern "C" fn(timeline: *mut Timeline),
    _add_gpu_timeline_ref: Gap,
    /// Vulkan's handle of a timeline.
    pub get_gpu_timeline_semaphore: unsafe extern "C" fn(timeline: *mut Timeline) -> *mut c_void,
    _wait_value: Gap,
    _memory: [Gap; 4],
    /// Says how many bytes others hold.
    pub reserve_gpu_memory:
        unsafe extern "C" fn(core: *mut Core, bytes: i64, message: *mut c_char, size: c_int) -> *mut Reservation,
    /// Says how many they are now.
    pub update_gpu_memory_reservation: unsafe extern "C" fn(reservation: *mut Reservation, bytes: i64),
    /// Says that they hold none.
    pub release_gpu_memory_reservation: unsafe extern "C" fn(reservation: *mut Reservation),
    _shaders: [Gap; 3],
    _execution: [Gap; 14],
    /// Exports a plane's memory, of a new frame or one of `get_exportable_frame_filter`. Not 0 when it cannot be.
    pub export_gpu_plane: unsafe extern "C" fn(
        frame: *const Frame,
        plane: c_int,
        exported: *mut ExportedMemory,
        message: *mut c_char,
        size: c_int,
    ) -> c_int,
    /// Exports a timeline. Not 0 when it cannot be.
    pub export_gpu_semaphore: unsafe extern "C" fn(
        core: *mut Core,
        semaphore: *mut c_void,
        exported: *mut ExportedSemaphore,
        message: *mut c_char,
        size: c_int,
    ) -> c_int,
    /// Waits until a frame may be read by others. Not 0 when that cannot be.
    pub wait_gpu_frame: unsafe extern "C" fn(frame: *const Frame, message: *mut c_char, size: c_int) -> c_int,
    /// The frame that was asked for, for others to read, to be given back; once for each request.
    pub get_exportable_frame_filter: unsafe extern "C" fn(
        n: c_int,
        node: *mut Node,
        context: *mut FrameContext,
        message: *mut c_char,
        size: c_int,
    ) -> *const Frame,
}
