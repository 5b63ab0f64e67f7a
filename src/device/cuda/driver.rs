//! The driver calls that `cust` does not wrap, and what their results mean.
//!
//! They are declared here with plain integer results: a driver newer than the bindings returns codes that the
//! bindings' enum lacks, and such a value must never be made.

use crate::error::{Error, Kind, Result};
use cust::error::CudaError;
use cust::sys::{CUDA_MEMCPY2D, CUcontext, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUmodule, CUstream};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::fmt;

unsafe extern "C" {
    pub fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int;
    pub fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) -> c_int;
    pub fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, is_active: *mut c_int) -> c_int;
    pub fn cuCtxGetCurrent(context: *mut CUcontext) -> c_int;
    pub fn cuCtxGetDevice(device: *mut c_int) -> c_int;
    pub fn cuCtxGetId(context: CUcontext, id: *mut c_ulonglong) -> c_int;
    pub fn cuCtxSetCurrent(context: CUcontext) -> c_int;
    pub fn cuCtxSynchronize() -> c_int;
    pub fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) -> c_int;
    pub fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> c_int;
    pub fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int;
    pub fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: c_uint) -> c_int;
    pub fn cuMemHostUnregister(start: *mut c_void) -> c_int;
    pub fn cuPointerGetAttributes(
        count: c_uint,
        attributes: *const c_uint,
        data: *mut *mut c_void,
        pointer: CUdeviceptr,
    ) -> c_int;
    pub fn cuPointerGetAttribute(data: *mut c_void, attribute: c_uint, pointer: CUdeviceptr) -> c_int;

    pub fn cuMemsetD8_v2(dst: CUdeviceptr, value: u8, bytes: usize) -> c_int;
    pub fn cuMemsetD8Async(dst: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) -> c_int;
    pub fn cuMemcpyHtoD_v2(dst: CUdeviceptr, src: *const c_void, bytes: usize) -> c_int;
    pub fn cuMemcpyDtoH_v2(dst: *mut c_void, src: CUdeviceptr, bytes: usize) -> c_int;
    pub fn cuMemcpyHtoDAsync_v2(dst: CUdeviceptr, src: *const c_void, bytes: usize, stream: CUstream) -> c_int;
    pub fn cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: CUdeviceptr, bytes: usize, stream: CUstream) -> c_int;
    pub fn cuMemcpyDtoDAsync_v2(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, stream: CUstream) -> c_int;
    pub fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream) -> c_int;

    pub fn cuMemFree_v2(address: CUdeviceptr) -> c_int;
    pub fn cuImportExternalMemory(memory: *mut *mut c_void, desc: *const c_void) -> c_int;
    pub fn cuExternalMemoryGetMappedBuffer(
        address: *mut CUdeviceptr,
        memory: *mut c_void,
        desc: *const c_void,
    ) -> c_int;
    pub fn cuDestroyExternalMemory(memory: *mut c_void) -> c_int;
    pub fn cuImportExternalSemaphore(semaphore: *mut *mut c_void, desc: *const c_void) -> c_int;
    pub fn cuDestroyExternalSemaphore(semaphore: *mut c_void) -> c_int;
    pub fn cuWaitExternalSemaphoresAsync(
        semaphores: *const *mut c_void,
        params: *const c_void,
        count: c_uint,
        stream: CUstream,
    ) -> c_int;
    pub fn cuSignalExternalSemaphoresAsync(
        semaphores: *const *mut c_void,
        params: *const c_void,
        count: c_uint,
        stream: CUstream,
    ) -> c_int;

    pub fn cuStreamCreate(stream: *mut CUstream, flags: c_uint) -> c_int;
    pub fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> c_int;
    pub fn cuStreamSynchronize(stream: CUstream) -> c_int;
    pub fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint) -> c_int;
    pub fn cuStreamDestroy_v2(stream: CUstream) -> c_int;

    pub fn cuStreamBeginCapture_v2(stream: CUstream, mode: c_uint) -> c_int;
    pub fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) -> c_int;
    pub fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) -> c_int;
    pub fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) -> c_int;
    pub fn cuGraphExecDestroy(exec: CUgraphExec) -> c_int;
    pub fn cuGraphDestroy(graph: CUgraph) -> c_int;

    pub fn cuEventCreate(event: *mut CUevent, flags: c_uint) -> c_int;
    pub fn cuEventRecord(event: CUevent, stream: CUstream) -> c_int;
    pub fn cuEventQuery(event: CUevent) -> c_int;
    pub fn cuEventSynchronize(event: CUevent) -> c_int;
    pub fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) -> c_int;
    pub fn cuEventDestroy_v2(event: CUevent) -> c_int;

    pub fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut c_uint,
        values: *mut *mut c_void,
    ) -> c_int;
    pub fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) -> c_int;
    pub fn cuModuleUnload(module: CUmodule) -> c_int;
    pub fn cuFuncSetAttribute(function: CUfunction, attribute: c_uint, value: c_int) -> c_int;
    pub fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: CUfunction,
        threads: c_int,
        shared: usize,
    ) -> c_int;
    pub fn cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_int;
    pub fn cuLaunchKernelEx(
        config: *const DriverLaunchConfig,
        function: CUfunction,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_int;
}

/// CUlaunchConfig of CUDA 11.8 and later, which cust_raw does not have.
#[repr(C)]
pub struct DriverLaunchConfig {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: CUstream,
    pub attributes: *const LaunchAttribute,
    pub count: c_uint,
}

/// CUlaunchAttribute: what it is about, and a union of 64 bytes at a multiple of 8.
#[repr(C)]
pub struct LaunchAttribute {
    id: c_uint,
    value: [c_ulonglong; 8],
}

impl LaunchAttribute {
    /// The launch may begin before the one before it in its stream has ended: that its kernel waits for
    /// (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1).
    pub const BEGINS_EARLY: LaunchAttribute = LaunchAttribute { id: 6, value: [1, 0, 0, 0, 0, 0, 0, 0] };
}

/// A result other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(c_int);

impl Code {
    pub const OUT_OF_MEMORY: Code = Code(2);
    /// Of a function that the driver does not have.
    pub const STUB_LIBRARY: Code = Code(34);
    pub const NO_DEVICE: Code = Code(100);
    pub const INVALID_CONTEXT: Code = Code(201);
    pub const UNSUPPORTED_PTX_VERSION: Code = Code(222);
    pub const NOT_READY: Code = Code(600);
    pub const CONTEXT_IS_DESTROYED: Code = Code(709);
    pub const NOT_SUPPORTED: Code = Code(801);

    /// The error for a caller: what was being done, and the driver's name of what went wrong.
    pub fn error(self, doing: impl fmt::Display) -> Error {
        let kind = if self == Code::OUT_OF_MEMORY { Kind::OutOfMemory } else { Kind::Device };
        Error::new(kind, format!("{doing}: {self}"))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = std::ptr::null();
        // SAFETY: the driver writes a pointer to a constant string of its own, or none for an unknown code.
        let found = unsafe { cuGetErrorName(self.0, &mut name) } == 0 && !name.is_null();
        if found {
            // SAFETY: as above.
            f.write_str(&unsafe { CStr::from_ptr(name) }.to_string_lossy())
        } else {
            write!(f, "CUDA error {}", self.0)
        }
    }
}

impl From<CudaError> for Code {
    fn from(error: CudaError) -> Code {
        Code(error as c_int)
    }
}

/// Turns the driver's result into ours.
pub fn outcome(code: c_int) -> Result<(), Code> {
    if code == 0 { Ok(()) } else { Err(Code(code)) }
}

/// Turns a failure into an error that says what was being done.
pub fn check(code: c_int, doing: impl fmt::Display) -> Result<()> {
    outcome(code).map_err(|code| code.error(doing))
}

/// Notes a failure where no error can be returned: while something is dropped.
pub fn note(code: c_int, doing: &str) {
    if let Err(code) = outcome(code) {
        log::debug!("{doing}: {code}");
    }
}
