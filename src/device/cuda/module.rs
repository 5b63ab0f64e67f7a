//! Kernels: from an embedded image to a function that can be launched.

use super::context::Context;
use super::driver::{self, Code, DriverLaunchConfig, LaunchAttribute, check, outcome};
use super::{CudaDevice, Stream, context};
use crate::error::{Error, Result};
use cust::sys::{CUfunction, CUmodule};
use lzma_rust2::XzReader;
use std::collections::HashMap;
use std::ffi::{CString, c_uint, c_void};
use std::io::Read;
use std::ops::Range;
#[cfg(debug_assertions)]
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use std::{fmt, ptr};

/// CU_JIT_ERROR_LOG_BUFFER
const JIT_ERROR_LOG: c_uint = 5;
/// CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
const JIT_ERROR_LOG_BYTES: c_uint = 6;
/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
const MAX_DYNAMIC_SHARED: c_uint = 8;

/// The first CUDA version whose driver records launches that begin early in graphs.
const RECORDS_EARLY_LAUNCHES: (u32, u32) = (12, 3);

/// Compiled kernels as they lie in the binary: packed.
#[derive(Clone, Copy, Debug)]
pub struct KernelImage {
    /// The module's name: the filter's.
    pub name: &'static str,
    /// PTX, which the driver compiles for its device.
    pub ptx: &'static [u8],
    /// The lowest compute capability the PTX is for.
    pub compute: (u32, u32),
    /// The lowest CUDA version of a driver that reads the PTX.
    pub driver: (u32, u32),
    /// Machine code of the same kernels, which begins to run at once: that of all devices packed together, in a third less.
    pub packed_native: &'static [u8],
    /// What is in it.
    pub native: &'static [NativeCode],
}

/// Machine code for the devices of one compute capability, and the later ones of the same major number.
#[derive(Clone, Debug)]
pub struct NativeCode {
    /// The compute capability.
    pub compute: (u32, u32),
    /// Whether its kernels wait for the launch before, so that they may begin before that has ended.
    pub begins_early: bool,
    /// Which bytes of the unpacked machine code.
    pub code: Range<usize>,
}

impl KernelImage {
    /// The machine code that suits a device of `compute` best, if any does.
    fn native_for(&self, compute: (u32, u32)) -> Option<&NativeCode> {
        let serves = |native: &&NativeCode| native.compute.0 == compute.0 && native.compute <= compute;
        self.native.iter().filter(serves).max_by_key(|native| native.compute)
    }
}

// `IMAGES`: every module, made by build.rs.
include!(concat!(env!("OUT_DIR"), "/cuda_images.rs"));

/// The image called `name`.
pub fn image(name: &str) -> Result<&'static KernelImage> {
    IMAGES
        .iter()
        .find(|image| image.name == name)
        .ok_or_else(|| Error::unsupported(format!("'{name}' has no CUDA kernels in this build")))
}

/// An image loaded on a device.
pub struct Module {
    context: Arc<Context>,
    raw: CUmodule,
    /// Whether launches of its kernels begin before the launch before has ended: each then waits for that itself.
    begins_early: bool,
    /// The shared memory that launches of each function may add, by its address. Kernels share functions, so what one was
    /// allowed must not shrink because another needs less.
    allowed: Mutex<HashMap<usize, u32>>,
}

// SAFETY: the driver takes calls on a module from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads `image`: its machine code if there is any that the device takes, else its PTX, which may take a while the
    /// first time.
    ///
    /// # Errors
    /// When the device or its driver is too old for the image, or the driver cannot compile it.
    pub fn load(device: &CudaDevice, image: &KernelImage) -> Result<Arc<Module>> {
        #[cfg(debug_assertions)]
        let image = &image.or_of(std::env::var_os("VRAMP_PTX").as_deref().map(Path::new));
        let context = device.context();
        context.enter()?;
        let start = Instant::now();
        let native = image.native_for(device.compute()).and_then(|native| Some((image.load_native(native)?, native)));
        let from = if native.is_some() { "machine code" } else { "PTX" };
        let (raw, begins_early) = match native {
            Some((raw, native)) => (raw, native.begins_early && context::driver_version()? >= RECORDS_EARLY_LAUNCHES),
            None => (load_ptx(context, image)?, false),
        };
        log::debug!(
            "CUDA kernels of {} loaded from {from} in {:.1} ms",
            image.name,
            start.elapsed().as_secs_f64() * 1e3
        );
        Ok(Arc::new(Module { context: Arc::clone(context), raw, begins_early, allowed: Mutex::default() }))
    }

    /// The kernel called `name`.
    ///
    /// # Errors
    /// When the module has none.
    pub fn function(self: &Arc<Module>, name: &str) -> Result<Function> {
        self.context.enter()?;
        let doing = || format!("looking for the kernel '{name}'");
        let text = CString::new(name).map_err(|_| Error::internal(format!("{}: not a name", doing())))?;
        let mut raw = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in a zero, and the driver writes a handle.
        check(unsafe { driver::cuModuleGetFunction(&mut raw, self.raw, text.as_ptr()) }, doing())?;
        Ok(Function { module: Arc::clone(self), raw })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.enter_to_drop() {
            // SAFETY: loaded in `load`; its functions keep it alive.
            driver::note(unsafe { driver::cuModuleUnload(self.raw) }, "unloading kernels");
        }
    }
}

/// Refuses a device or a driver that cannot run `image`'s PTX, in words that say what would.
pub fn check_ptx(info: &context::DeviceInfo, image: &KernelImage) -> Result<()> {
    let (major, minor) = image.compute;
    if info.compute < image.compute {
        return Err(Error::unsupported(format!("{info} is too old: compute capability {major}.{minor} is needed")));
    }
    let driver = context::driver_version()?;
    if driver < image.driver { Err(old_driver(driver, image)) } else { Ok(()) }
}

fn old_driver(driver: (u32, u32), image: &KernelImage) -> Error {
    let (need_major, need_minor) = image.driver;
    Error::unsupported(format!(
        "the NVIDIA driver is too old for the kernels: it knows CUDA {}.{}, and {need_major}.{need_minor} is needed: update it",
        driver.0, driver.1
    ))
}

#[cfg(debug_assertions)]
impl KernelImage {
    /// The same kernels as `folder` has them, if it does: tests take them from there as a checker follows them. No release does.
    fn or_of(&self, folder: Option<&Path>) -> KernelImage {
        let ptx = folder.and_then(|folder| std::fs::read(folder.join(format!("{}.ptx", self.name))).ok());
        // It stays for as long as the program runs, as what is embedded does.
        ptx.map_or(*self, |ptx| KernelImage { ptx: ptx.leak(), packed_native: &[], native: &[], ..*self })
    }
}

/// What `data` of the module `name` was before it was packed, as far as `end`; what is not packed stays as it is.
fn unpack(data: &[u8], end: Option<usize>, name: &str) -> Result<Vec<u8>> {
    const XZ: &[u8] = b"\xfd7zXZ\0";
    if !data.starts_with(XZ) {
        return Ok(data.to_vec());
    }
    let mut unpacked = Vec::new();
    let read = XzReader::new(data, false).take(end.map_or(u64::MAX, |end| end as u64)).read_to_end(&mut unpacked);
    read.map_err(|e| Error::internal(format!("unpacking the CUDA kernels of {name}: {e}")))?;
    Ok(unpacked)
}

impl KernelImage {
    /// Loads machine code. The PTX serves as well where that fails: what drivers take beside their own, they alone know.
    fn load_native(&self, native: &NativeCode) -> Option<CUmodule> {
        let failed = |why: &dyn fmt::Display| log::debug!("machine code of {} does not load: {why}", self.name);
        let code = self.unpack_native(native).inspect_err(|e| failed(e)).ok()?;
        load_data(code.as_ptr().cast()).inspect_err(|(code, _)| failed(code)).ok()
    }

    fn unpack_native(&self, native: &NativeCode) -> Result<Vec<u8>> {
        let mut code = unpack(self.packed_native, Some(native.code.end), self.name)?;
        if code.len() != native.code.end {
            return Err(Error::internal(format!("machine code of {} is cut off", self.name)));
        }
        Ok(code.split_off(native.code.start))
    }
}

fn load_ptx(context: &Context, image: &KernelImage) -> Result<CUmodule> {
    check_ptx(context.info(), image)?;
    let ptx = CString::new(unpack(image.ptx, None, image.name)?)
        .map_err(|_| Error::internal(format!("PTX of {} holds a zero", image.name)))?;
    load_data(ptx.as_ptr().cast()).map_err(|(code, log)| match code {
        Code::UNSUPPORTED_PTX_VERSION => old_driver(context::driver_version().unwrap_or_default(), image),
        code => {
            let first = log.lines().find(|line| !line.trim().is_empty()).unwrap_or("the driver gives no reason");
            code.error(format!("compiling the CUDA kernels of {} ({first})", image.name))
        }
    })
}

/// Loads machine code, or PTX with a zero at its end. A failure has the compiler's log.
fn load_data(data: *const c_void) -> Result<CUmodule, (Code, String)> {
    let mut log = vec![0u8; 8192];
    let mut options = [JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(log.len())];
    let mut raw = ptr::null_mut();
    // SAFETY: the data is an image from this binary; each option has its value, and the log its length.
    let code = unsafe { driver::cuModuleLoadDataEx(&mut raw, data, 2, options.as_mut_ptr(), values.as_mut_ptr()) };
    outcome(code).map(|()| raw).map_err(|code| {
        let length = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
        (code, String::from_utf8_lossy(&log[..length]).into_owned())
    })
}

/// How many threads a kernel is launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory that the launch adds to a block.
    pub shared: u32,
}

/// A kernel.
#[derive(Clone)]
pub struct Function {
    module: Arc<Module>,
    raw: CUfunction,
}

// SAFETY: the driver takes launches from any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Puts the kernel into `stream` with the arguments that `args` points to.
    ///
    /// # Errors
    /// When the launch is refused. What goes wrong in the kernel shows when the stream is waited for.
    ///
    /// # Safety
    /// `args` must point to values of the kernel's parameter types, in their order; the kernel must stay inside the
    /// memory they name, which must live until the kernel is done.
    pub unsafe fn launch(&self, shape: LaunchConfig, args: &[*const c_void], stream: &Stream) -> Result<()> {
        self.module.context.enter()?;
        let LaunchConfig { grid, block, shared } = shape;
        let args = args.as_ptr().cast_mut().cast();
        let code = if self.module.begins_early {
            let early = LaunchAttribute::BEGINS_EARLY;
            let config = DriverLaunchConfig {
                grid,
                block,
                shared,
                stream: stream.as_raw(),
                attributes: &raw const early,
                count: 1,
            };
            // SAFETY: the caller answers for the arguments, which the driver reads with the rest before it returns.
            unsafe { driver::cuLaunchKernelEx(&raw const config, self.raw, args, ptr::null_mut()) }
        } else {
            let ([x, y, z], [threads_x, threads_y, threads_z], raw) = (grid, block, stream.as_raw());
            let none = ptr::null_mut();
            // SAFETY: as above.
            unsafe {
                driver::cuLaunchKernel(self.raw, x, y, z, threads_x, threads_y, threads_z, shared, raw, args, none)
            }
        };
        check(code, "launching a kernel")
    }

    /// Lets launches add up to `bytes` of shared memory, beyond the 48 KiB that every device allows unasked.
    ///
    /// # Errors
    /// When the device has less.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        self.module.context.enter()?;
        let mut allowed = self.module.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        let most = allowed.entry(self.raw.addr()).or_default();
        if *most < bytes {
            // SAFETY: the handle is alive.
            let code = unsafe { driver::cuFuncSetAttribute(self.raw, MAX_DYNAMIC_SHARED, bytes.cast_signed()) };
            check(code, format_args!("asking for {bytes} bytes of shared memory"))?;
            *most = bytes;
        }
        Ok(())
    }

    /// Blocks of `threads` threads and `shared` added bytes that a multiprocessor runs at once.
    ///
    /// # Errors
    /// When no such block can be launched.
    pub fn resident_blocks(&self, threads: u32, shared: usize) -> Result<u32> {
        self.module.context.enter()?;
        let mut blocks = 0;
        // SAFETY: the handle is alive; the driver writes one number.
        let code = unsafe {
            driver::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.raw, threads.cast_signed(), shared)
        };
        check(code, "asking for a kernel's occupancy")?;
        Ok(blocks.cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_unpacks_to_its_text() {
        assert!(!IMAGES.is_empty());
        for image in IMAGES {
            let ptx = String::from_utf8(unpack(image.ptx, None, image.name).unwrap()).unwrap();
            let (major, minor) = image.compute;
            assert!(ptx.contains(&format!("\n.target sm_{major}{minor}\n")) && !ptx.contains('\0'), "{}", image.name);
            for native in image.native {
                let code = image.unpack_native(native).unwrap();
                assert!(code.starts_with(b"\x7fELF") && native.compute >= image.compute, "{} {native:?}", image.name);
            }
        }
        assert_eq!(unpack(b"as it is", None, "a").unwrap(), b"as it is");
        let short = KernelImage { packed_native: b"short", ..IMAGES[0] };
        let beyond = NativeCode { compute: (9, 0), begins_early: false, code: 2..6 };
        assert!(short.unpack_native(&beyond).unwrap_err().message().contains("is cut off"));
        let broken = [&IMAGES[0].ptx[..100], b"broken"].concat();
        assert!(unpack(&broken, None, "a").unwrap_err().message().contains("unpacking the CUDA kernels of a"));
    }

    #[test]
    #[cfg(debug_assertions)]
    fn tests_take_a_module_from_a_folder_that_has_it() {
        let folder = std::env::temp_dir().join(format!("vramp-modules-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{}.ptx", IMAGES[0].name)), "its own").unwrap();
        let [own, other, embedded] =
            [(0, Some(&*folder)), (1, Some(&*folder)), (0, None)].map(|(i, from)| IMAGES[i].or_of(from));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((own.ptx, own.native.len(), own.compute), (&b"its own"[..], 0, IMAGES[0].compute));
        assert_eq!((other.ptx, embedded.ptx), (IMAGES[1].ptx, IMAGES[0].ptx));
        assert!(!other.native.is_empty() && !embedded.native.is_empty());
    }

    #[test]
    fn every_module_has_machine_code_for_the_common_generations() {
        for image in IMAGES {
            let covered =
                [(7, 5), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)].into_iter().filter(|at| *at >= image.compute);
            let there: Vec<_> = image.native.iter().map(|native| native.compute).collect();
            assert!(covered.clone().all(|compute| there.contains(&compute)), "{}: {there:?}", image.name);
        }
    }

    #[test]
    fn machine_code_serves_later_devices_of_its_generation() {
        static NATIVE: [NativeCode; 3] = [native(8, 6), native(7, 5), native(8, 9)];
        const fn native(major: u32, minor: u32) -> NativeCode {
            NativeCode { compute: (major, minor), begins_early: false, code: 0..0 }
        }
        let image =
            KernelImage { name: "a", ptx: b"", compute: (6, 1), driver: (11, 7), packed_native: b"", native: &NATIVE };
        let chosen = |compute| image.native_for(compute).map(|native| native.compute);
        let devices = [(6, 1), (7, 0), (7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0)];
        let wanted = [None, None, Some((7, 5)), None, Some((8, 6)), Some((8, 6)), Some((8, 9)), None];
        assert_eq!(devices.map(chosen), wanted);
    }
}
