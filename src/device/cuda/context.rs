//! The devices of this machine, and the contexts that everything on one of them is in.

use super::driver::{self, Code, outcome};
use super::{kept, module, shim};
use crate::device::tuning::Card;
use crate::error::{Error, Result};
use cust::CudaApiVersion;
use cust::context::{Context as PrimaryContext, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::sys::CUcontext;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::Mutex;

/// CU_CTX_SCHED_BLOCKING_SYNC: a thread that waits for the device sleeps. libav sets the same on its contexts.
const SCHED_BLOCKING_SYNC: u32 = 4;

/// What the driver reports about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The driver's number of the device.
    pub ordinal: usize,
    /// Its product name.
    pub name: String,
    /// Compute capability, (major, minor).
    pub compute: (u32, u32),
    /// Memory in bytes.
    pub memory: usize,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// Bytes of the cache that all multiprocessors share.
    pub l2_cache: usize,
    /// Engines that copy while kernels run: two copy in both directions at once.
    pub copy_engines: usize,
    /// Bytes of shared memory that a block may have where its kernel asks for more than the usual 48 KiB.
    pub block_shared: usize,
}

impl DeviceInfo {
    /// The device and its driver, as tuning knows them.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub fn card(&self) -> Result<Card> {
        Ok(Card {
            name: self.name.trim().to_owned(),
            compute: self.compute,
            multiprocessors: self.multiprocessors,
            l2_cache: self.l2_cache,
            driver: driver_version()?.0,
        })
    }

    /// Whether the kernels in this binary run on the device.
    ///
    /// # Errors
    /// When the device or its driver is too old.
    pub fn check(&self) -> Result<()> {
        // Images for later devices have others beside them that do the same.
        let oldest = module::IMAGES.iter().map(|image| image.compute).min();
        let is_oldest = |image: &&module::KernelImage| Some(image.compute) == oldest;
        module::IMAGES.iter().filter(is_oldest).try_for_each(|image| module::check_ptx(self, image))
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute;
        write!(f, "{} (device {}, compute capability {major}.{minor})", self.name, self.ordinal)
    }
}

/// Starts the driver. Every access to a device goes through here.
pub fn start() -> Result<()> {
    shim::load().map_err(|why| Error::unsupported(format!("no NVIDIA driver ({why})")))?;
    cust::init(cust::CudaFlags::empty()).map_err(|e| match Code::from(e) {
        Code::NO_DEVICE => no_device(),
        code => Error::unsupported(format!("the NVIDIA driver does not start ({code})")),
    })
}

/// Whether there is a GPU, or something that keeps one from working: false without a driver, and where it finds none.
pub fn is_present() -> bool {
    let started = || cust::init(cust::CudaFlags::empty()).map_err(Code::from);
    shim::load().is_ok() && started() != Err(Code::NO_DEVICE)
}

fn no_device() -> Error {
    Error::unsupported("the NVIDIA driver finds no GPU")
}

/// How many devices there are: at least one.
pub fn count() -> Result<usize> {
    start()?;
    match Device::num_devices().map_err(|e| Code::from(e).error("counting GPUs"))? {
        0 => Err(no_device()),
        n => Ok(n as usize),
    }
}

/// The newest CUDA version that the driver knows, (major, minor).
pub fn driver_version() -> Result<(u32, u32)> {
    start()?;
    let version = CudaApiVersion::get().map_err(|e| Code::from(e).error("asking the driver's version"))?;
    Ok((version.major() as u32, version.minor() as u32))
}

fn describe(device: Device, ordinal: usize) -> Result<DeviceInfo, Code> {
    let attribute = |which| device.get_attribute(which).map(|value| value.max(0) as u32);
    Ok(DeviceInfo {
        ordinal,
        name: device.name()?,
        compute: (
            attribute(DeviceAttribute::ComputeCapabilityMajor)?,
            attribute(DeviceAttribute::ComputeCapabilityMinor)?,
        ),
        memory: device.total_memory()?,
        multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)? as usize,
        l2_cache: attribute(DeviceAttribute::L2CacheSize)? as usize,
        copy_engines: attribute(DeviceAttribute::AsyncEngineCount)? as usize,
        block_shared: block_shared(device)?,
    })
}

/// [`DeviceInfo::block_shared`], which the bindings have no name for.
fn block_shared(device: Device) -> Result<usize, Code> {
    /// CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    const BLOCK_SHARED: c_int = 97;
    let mut bytes = 0;
    // SAFETY: the driver writes a number.
    outcome(unsafe { driver::cuDeviceGetAttribute(&mut bytes, BLOCK_SHARED, device.as_raw()) })?;
    Ok(bytes.max(0) as usize)
}

/// [`DeviceInfo::block_shared`] of devices of this compute capability, of which there need be none.
pub fn block_shared_of(compute: (u32, u32)) -> usize {
    let kibibytes = match compute {
        (7, 0 | 2) => 96,
        (7, _) => 64,
        (8, 0 | 7) => 163,
        (9 | 10, _) => 227,
        (8.., _) => 99,
        _ => 48,
    };
    kibibytes << 10
}

fn find(ordinal: usize) -> Result<(Device, DeviceInfo)> {
    let count = count()?;
    if ordinal >= count {
        let have = if count == 1 { "only device 0 exists".into() } else { format!("devices 0 to {} exist", count - 1) };
        return Err(Error::bad_argument(format!("there is no CUDA device {ordinal}: {have}")));
    }
    let error = |code: Code| code.error(format!("opening CUDA device {ordinal}"));
    let device = Device::get_device(ordinal as u32).map_err(|e| error(e.into()))?;
    let info = describe(device, ordinal).map_err(error)?;
    Ok((device, info))
}

/// Every device.
pub fn list() -> Result<Vec<DeviceInfo>> {
    (0..count()?).map(|ordinal| find(ordinal).map(|(_, info)| info)).collect()
}

/// The driver's number of the device that other APIs know by this identity; `None` when it is none of CUDA's.
///
/// # Errors
/// Without a driver.
pub fn with_uuid(uuid: &[u8; 16]) -> Result<Option<usize>> {
    for ordinal in 0..count()? {
        let (device, _) = find(ordinal)?;
        let mut of_device = [0; 16];
        // SAFETY: the driver writes sixteen bytes.
        let code = unsafe { driver::cuDeviceGetUuid(&mut of_device, device.as_raw()) };
        driver::check(code, "asking for the identity of a CUDA device")?;
        if of_device == *uuid {
            return Ok(Some(ordinal));
        }
    }
    Ok(None)
}

/// A device's context: what modules, memory and streams keep alive, and where memory is counted.
pub struct Context {
    held: Held,
    info: DeviceInfo,
    pub(super) usage: Mutex<Usage>,
}

/// Whose a context is.
enum Held {
    /// The device's primary one, shared by all in the process who hold it.
    Primary(PrimaryContext),
    /// A caller's, who may end it sooner than this.
    Borrowed(BorrowedContext),
}

/// A context that somebody else made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BorrowedContext {
    raw: CUcontext,
    /// Its alone, where the address may become another's. `None`: the driver is too old to say.
    id: Option<u64>,
}

// SAFETY: the driver takes a context from any thread.
unsafe impl Send for BorrowedContext {}
// SAFETY: as above.
unsafe impl Sync for BorrowedContext {}

impl BorrowedContext {
    /// The context at `raw`.
    ///
    /// # Errors
    /// When it is none, or was destroyed.
    ///
    /// # Safety
    /// `raw` is a `CUcontext` that this process made.
    pub unsafe fn new(raw: *mut c_void) -> Result<BorrowedContext> {
        start()?;
        let raw = raw.cast();
        // SAFETY: the caller's promise.
        let id = unsafe { id_of(raw) }?;
        Ok(BorrowedContext { raw, id })
    }

    /// The driver's number of its device. It becomes current.
    ///
    /// # Errors
    /// When it was destroyed.
    pub fn ordinal(self) -> Result<usize> {
        self.enter()?;
        let mut device = 0;
        // SAFETY: the driver writes a number.
        driver::check(unsafe { driver::cuCtxGetDevice(&mut device) }, "asking for the device of a CUDA context")?;
        usize::try_from(device).map_err(|_| Error::internal("a device with a negative number"))
    }

    /// Whether it is the primary context of its device.
    pub fn is_primary(self, ordinal: usize) -> bool {
        let (mut flags, mut is_active) = (0, 0);
        // SAFETY: the driver writes two numbers.
        let code = unsafe { driver::cuDevicePrimaryCtxGetState(ordinal as c_int, &mut flags, &mut is_active) };
        let primary = || Context::open(ordinal).ok().map(|primary| primary.as_raw());
        code == 0 && is_active != 0 && primary() == Some(self.raw)
    }

    fn enter(self) -> Result<()> {
        kept::note_current();
        // SAFETY: it was a context when it was borrowed.
        if self.id.is_some() && unsafe { id_of(self.raw) }? != self.id {
            return Err(gone());
        }
        // SAFETY: as above.
        outcome(unsafe { driver::cuCtxSetCurrent(self.raw) }).map_err(|code| match code {
            Code::INVALID_CONTEXT | Code::CONTEXT_IS_DESTROYED => gone(),
            code => code.error("entering the caller's CUDA context"),
        })
    }
}

fn gone() -> Error {
    Error::bad_argument("the CUDA context is none, or was destroyed: make the chain anew in one that lives")
}

/// The number of the context at `raw`, which no other ever has; `None` where the driver is too old to say.
///
/// # Safety
/// `raw` is or was a context.
unsafe fn id_of(raw: CUcontext) -> Result<Option<u64>> {
    let mut id = 0;
    // SAFETY: the driver writes a number.
    match outcome(unsafe { driver::cuCtxGetId(raw, &mut id) }) {
        Ok(()) => Ok(Some(id)),
        Err(Code::STUB_LIBRARY) => Ok(None),
        Err(_) => Err(gone()),
    }
}

/// Device memory that this process holds through [`Context`], and what it may hold.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub(super) used: usize,
    pub(super) budget: usize,
}

impl Context {
    /// The primary context of device `ordinal`.
    pub fn open(ordinal: usize) -> Result<Context> {
        let (device, info) = find(ordinal)?;
        // SAFETY: a plain call. It fails when another library already holds the context, which then keeps its flags.
        driver::note(
            unsafe { driver::cuDevicePrimaryCtxSetFlags_v2(device.as_raw(), SCHED_BLOCKING_SYNC) },
            "flags of the primary context",
        );
        kept::note_current();
        let held = PrimaryContext::new(device).map_err(|e| Code::from(e).error(format!("opening {info}")))?;
        Ok(Context::of(Held::Primary(held), info))
    }

    /// A caller's context on device `ordinal`.
    pub fn borrowed(context: BorrowedContext, ordinal: usize) -> Result<Context> {
        Ok(Context::of(Held::Borrowed(context), find(ordinal)?.1))
    }

    fn of(held: Held, info: DeviceInfo) -> Context {
        Context { held, info, usage: Mutex::new(Usage { used: 0, budget: usize::MAX }) }
    }

    /// Makes this context current on the calling thread, as every driver call needs it.
    pub fn enter(&self) -> Result<()> {
        match &self.held {
            Held::Borrowed(context) => context.enter(),
            Held::Primary(context) => {
                kept::note_current();
                CurrentContext::set_current(context).map_err(|e| Code::from(e).error(format!("entering {}", self.info)))
            }
        }
    }

    /// The same while something is dropped: false (and noted) when it cannot be done. What lay in a context that was
    /// destroyed went with it.
    pub fn enter_to_drop(&self) -> bool {
        self.enter().inspect_err(|e| log::debug!("{e}")).is_ok()
    }

    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The driver's handle.
    pub fn as_raw(&self) -> CUcontext {
        match &self.held {
            Held::Primary(context) => context.as_raw(),
            Held::Borrowed(context) => context.raw,
        }
    }
}
