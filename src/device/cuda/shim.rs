//! The CUDA driver, found at run time.
//!
//! `cust` calls the driver's entry points by name and would have the linker bind them to libcuda, so that a binary
//! could neither be built nor started without one. Here every name `cust` knows is a one-instruction function that
//! jumps through a slot. A slot leads to [`absent`] until [`load`] finds the driver and fills it. The names are
//! hidden: no library in the process sees them, and a library that opens the driver by itself is not disturbed.

use libloading::Library;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The name under which every driver since the first can be opened.
const DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// CUDA_ERROR_STUB_LIBRARY: "the driver that the application has loaded is a stub library".
const STUB_LIBRARY: c_int = 34;

/// Where a slot leads while there is no driver, or when the driver is too old to have the function.
extern "C" fn absent() -> c_int {
    STUB_LIBRARY
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($slot:expr) => {
        concat!("jmp qword ptr [rip + ", $slot, "]")
    };
}

// x16 is the register that the calling convention leaves to code between caller and callee.
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($slot:expr) => {
        concat!("adrp x16, ", $slot, "\nldr x16, [x16, :lo12:", $slot, "]\nbr x16")
    };
}

/// Sections of the slots and of the entry points, and what keeps a name inside the library: on Windows names are inside unless they
/// are exported.
#[cfg(not(windows))]
macro_rules! object {
    (data) => {
        ".pushsection .data.vramp_cuda_slots, \"aw\""
    };
    (text) => {
        ".pushsection .text.vramp_cuda_entry_points, \"ax\""
    };
    (hide $name:expr) => {
        concat!(".hidden ", $name)
    };
    (function $name:expr) => {
        concat!(".type ", $name, ", @function")
    };
    (end) => {
        ".popsection"
    };
}

#[cfg(windows)]
macro_rules! object {
    (data) => {
        ".section .data$vramp_cuda_slots, \"dw\""
    };
    (text) => {
        ".section .text$vramp_cuda_entry_points, \"xr\""
    };
    (hide $name:expr) => {
        ""
    };
    (function $name:expr) => {
        ""
    };
    (end) => {
        ".text"
    };
}

macro_rules! entry_points {
    ($($name:ident)+) => {
        /// The names, in the order of their slots.
        const NAMES: &[&str] = &[$(stringify!($name)),+];

        std::arch::global_asm!(
            object!(data),
            ".balign 8",
            ".globl vramp_cuda_slots",
            object!(hide "vramp_cuda_slots"),
            "vramp_cuda_slots:",
            $(concat!("vramp_slot_", stringify!($name), ": .quad {absent}"),)+
            object!(end),
            object!(text),
            $(
                concat!(".globl ", stringify!($name)),
                object!(hide stringify!($name)),
                object!(function stringify!($name)),
                concat!(stringify!($name), ":"),
                jump!(concat!("vramp_slot_", stringify!($name))),
            )+
            object!(end),
            absent = sym absent,
        );
    };
}

unsafe extern "C" {
    static vramp_cuda_slots: [AtomicPtr<c_void>; NAMES.len()];
}

/// Opens the driver and points every slot at it, once in the life of the process.
///
/// # Errors
/// The loader's words when there is no driver.
pub fn load() -> Result<(), &'static str> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    LOADED.get_or_init(fill_slots).as_ref().copied().map_err(String::as_str)
}

fn fill_slots() -> Result<(), String> {
    // SAFETY: the driver's initialisers are those every CUDA program runs.
    let driver = unsafe { Library::new(DRIVER) }.map_err(|e| e.to_string())?;
    // SAFETY: the array is defined above with one slot for each name.
    let slots = unsafe { &vramp_cuda_slots };
    for (name, slot) in NAMES.iter().zip(slots) {
        // SAFETY: the symbol's address is only stored; whoever calls it knows its type from the bindings.
        if let Ok(symbol) = unsafe { driver.get::<*mut c_void>(name.as_bytes()) } {
            slot.store(*symbol, Ordering::Release);
        }
    }
    // The slots are used until the process ends.
    std::mem::forget(driver);
    Ok(())
}

// What cust_raw 0.11.3 declares, and of later versions cuCtxGetId and cuLaunchKernelEx. A name that a later version adds fails to link, and is added here.
entry_points! {
    cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
    cuArrayGetPlane cuArrayGetSparseProperties cuCtxAttach cuCtxCreate_v2 cuCtxCreate_v3 cuCtxDestroy_v2 cuCtxDetach
    cuCtxDisablePeerAccess cuCtxEnablePeerAccess cuCtxGetApiVersion cuCtxGetCacheConfig cuCtxGetCurrent
    cuCtxGetDevice cuCtxGetExecAffinity cuCtxGetFlags cuCtxGetId cuCtxGetLimit cuCtxGetSharedMemConfig
    cuCtxGetStreamPriorityRange cuCtxPopCurrent_v2 cuCtxPushCurrent_v2 cuCtxResetPersistingL2Cache
    cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetLimit cuCtxSetSharedMemConfig cuCtxSynchronize
    cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceCanAccessPeer cuDeviceComputeCapability cuDeviceGet
    cuDeviceGetAttribute cuDeviceGetByPCIBusId cuDeviceGetCount cuDeviceGetDefaultMemPool
    cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute cuDeviceGetLuid cuDeviceGetMemPool cuDeviceGetName
    cuDeviceGetNvSciSyncAttributes cuDeviceGetP2PAttribute cuDeviceGetPCIBusId cuDeviceGetProperties
    cuDeviceGetTexture1DLinearMaxWidth cuDeviceGetUuid cuDeviceGetUuid_v2 cuDeviceGraphMemTrim
    cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxRetain
    cuDevicePrimaryCtxSetFlags_v2 cuDeviceSetGraphMemAttribute cuDeviceSetMemPool cuDeviceTotalMem_v2
    cuDriverGetVersion cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord
    cuEventRecordWithFlags cuEventSynchronize cuExternalMemoryGetMappedBuffer
    cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites cuFuncGetAttribute cuFuncGetModule
    cuFuncSetAttribute cuFuncSetBlockShape cuFuncSetCacheConfig cuFuncSetSharedMemConfig cuFuncSetSharedSize
    cuGetErrorName cuGetErrorString cuGetExportTable cuGetProcAddress cuGraphAddChildGraphNode
    cuGraphAddDependencies cuGraphAddEmptyNode cuGraphAddEventRecordNode cuGraphAddEventWaitNode
    cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode
    cuGraphAddKernelNode cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddMemcpyNode cuGraphAddMemsetNode
    cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphCreate cuGraphDebugDotPrint cuGraphDestroy cuGraphDestroyNode
    cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent
    cuGraphEventWaitNodeSetEvent cuGraphExecChildGraphNodeSetParams cuGraphExecDestroy
    cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams cuGraphExecMemcpyNodeSetParams
    cuGraphExecMemsetNodeSetParams cuGraphExecUpdate cuGraphExternalSemaphoresSignalNodeGetParams
    cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
    cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes
    cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithFlags cuGraphInstantiate_v2
    cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams
    cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams cuGraphLaunch cuGraphMemAllocNodeGetParams
    cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams
    cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes
    cuGraphNodeGetType cuGraphReleaseUserObject cuGraphRemoveDependencies cuGraphRetainUserObject cuGraphUpload
    cuGraphicsMapResources cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2
    cuGraphicsResourceSetMapFlags_v2 cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources
    cuGraphicsUnregisterResource cuImportExternalMemory cuImportExternalSemaphore cuInit cuIpcCloseMemHandle
    cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle_v2 cuLaunch
    cuLaunchCooperativeKernel cuLaunchCooperativeKernelMultiDevice cuLaunchGrid cuLaunchGridAsync cuLaunchHostFunc
    cuLaunchKernel cuLaunchKernelEx cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2 cuLinkDestroy cuMemAddressFree
    cuMemAddressReserve cuMemAdvise cuMemAllocAsync cuMemAllocFromPoolAsync cuMemAllocHost_v2 cuMemAllocManaged
    cuMemAllocPitch_v2 cuMemAlloc_v2 cuMemCreate cuMemExportToShareableHandle cuMemFreeAsync cuMemFreeHost
    cuMemFree_v2 cuMemGetAccess cuMemGetAddressRange_v2 cuMemGetAllocationGranularity
    cuMemGetAllocationPropertiesFromHandle cuMemGetInfo_v2 cuMemHostAlloc cuMemHostGetDevicePointer_v2
    cuMemHostGetFlags cuMemHostRegister_v2 cuMemHostUnregister cuMemImportFromShareableHandle cuMemMap
    cuMemMapArrayAsync cuMemPoolCreate cuMemPoolDestroy cuMemPoolExportPointer cuMemPoolExportToShareableHandle
    cuMemPoolGetAccess cuMemPoolGetAttribute cuMemPoolImportFromShareableHandle cuMemPoolImportPointer
    cuMemPoolSetAccess cuMemPoolSetAttribute cuMemPoolTrimTo cuMemPrefetchAsync cuMemRangeGetAttribute
    cuMemRangeGetAttributes cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap cuMemcpy
    cuMemcpy2DAsync_v2 cuMemcpy2DUnaligned_v2 cuMemcpy2D_v2 cuMemcpy3DAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync
    cuMemcpy3D_v2 cuMemcpyAsync cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyDtoA_v2
    cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2 cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2
    cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeer cuMemcpyPeerAsync cuMemsetD16Async cuMemsetD16_v2
    cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async cuMemsetD2D8_v2
    cuMemsetD32Async cuMemsetD32_v2 cuMemsetD8Async cuMemsetD8_v2 cuMipmappedArrayCreate cuMipmappedArrayDestroy
    cuMipmappedArrayGetLevel cuMipmappedArrayGetSparseProperties cuModuleGetFunction cuModuleGetGlobal_v2
    cuModuleGetSurfRef cuModuleGetTexRef cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary
    cuModuleUnload cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxPotentialBlockSize
    cuOccupancyMaxPotentialBlockSizeWithFlags cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv
    cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute cuProfilerInitialize cuProfilerStart
    cuProfilerStop cuSignalExternalSemaphoresAsync cuStreamAddCallback cuStreamAttachMemAsync cuStreamBatchMemOp
    cuStreamBeginCapture_v2 cuStreamCopyAttributes cuStreamCreate cuStreamCreateWithPriority cuStreamDestroy_v2
    cuStreamEndCapture cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2 cuStreamGetCtx
    cuStreamGetFlags cuStreamGetPriority cuStreamIsCapturing cuStreamQuery cuStreamSetAttribute cuStreamSynchronize
    cuStreamUpdateCaptureDependencies cuStreamWaitEvent cuStreamWaitValue32 cuStreamWaitValue64 cuStreamWriteValue32
    cuStreamWriteValue64 cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRefGetArray
    cuSurfRefSetArray cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc
    cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode cuTexRefGetAddress_v2
    cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags cuTexRefGetFormat
    cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias cuTexRefGetMipmapLevelClamp
    cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray
    cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat cuTexRefSetMaxAnisotropy
    cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray
    cuThreadExchangeStreamCaptureMode cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
    cuWaitExternalSemaphoresAsync
}
