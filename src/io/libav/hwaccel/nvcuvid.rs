//! NVDEC's word on each picture. libav does not ask for it, and keeps the decoder to itself.
//!
//! libav opens the driver's library by name for every decoder. So a library of that name is loaded before it, all of whose
//! functions are the driver's own but one: who takes a picture also has NVDEC asked whether it had faults.

use super::names::ElfImage;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rustix::fs::{MemfdFlags, memfd_create};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::fs::File;
use std::io::Write;
use std::mem::transmute;
use std::os::fd::AsRawFd;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// The library's name, by which libav opens it.
pub(super) const NAME: &str = "libnvcuvid.so.1";

/// What is called in another place than the library's own.
const MAP: &str = "cuvidMapVideoFrame64";
const STATUS: &str = "cuvidGetDecodeStatus";

/// Every name that libav looks for; those that a driver lacks are left out.
const NAMES: [&str; 22] = [
    MAP,
    STATUS,
    "cuvidGetDecoderCaps",
    "cuvidCreateDecoder",
    "cuvidDestroyDecoder",
    "cuvidDecodePicture",
    "cuvidReconfigureDecoder",
    "cuvidUnmapVideoFrame64",
    "cuvidCtxLockCreate",
    "cuvidCtxLockDestroy",
    "cuvidCtxLock",
    "cuvidCtxUnlock",
    "cuvidCreateVideoSource",
    "cuvidCreateVideoSourceW",
    "cuvidDestroyVideoSource",
    "cuvidSetVideoSourceState",
    "cuvidGetVideoSourceState",
    "cuvidGetSourceVideoFormat",
    "cuvidGetSourceAudioFormat",
    "cuvidCreateVideoParser",
    "cuvidParseVideoData",
    "cuvidDestroyVideoParser",
];

type MapFrame = unsafe extern "C" fn(*mut c_void, c_int, *mut c_ulonglong, *mut c_uint, *mut c_void) -> c_int;
type GetStatus = unsafe extern "C" fn(*mut c_void, c_int, *mut Status) -> c_int;

/// `CUVIDGETDECODESTATUS`.
#[repr(C)]
struct Status {
    code: c_int,
    reserved: [c_uint; 31],
    reserved_too: [*mut c_void; 8],
}

/// `cuvidDecodeStatus_Error` and `cuvidDecodeStatus_Error_Concealed`.
const FAULTY: [c_int; 2] = [8, 9];

/// `CUDA_ERROR_UNKNOWN`
const UNKNOWN: c_int = 999;

/// The library's own functions.
struct Real {
    map: MapFrame,
    status: GetStatus,
}

static REAL: OnceLock<Real> = OnceLock::new();

thread_local! {
    /// Pictures that were mapped on this thread and had faults.
    static FAULTS: Cell<u64> = const { Cell::new(0) };
}

/// How many pictures that NVDEC gave to this thread had faults, by its own report, which covers H.264 and HEVC.
pub fn faults() -> u64 {
    FAULTS.get()
}

/// The library's function, and then its word on the picture.
unsafe extern "C" fn map(
    decoder: *mut c_void,
    picture: c_int,
    address: *mut c_ulonglong,
    pitch: *mut c_uint,
    parameters: *mut c_void,
) -> c_int {
    let Some(real) = REAL.get() else { return UNKNOWN };
    let mut status = Status { code: 0, reserved: [0; 31], reserved_too: [std::ptr::null_mut(); 8] };
    // SAFETY: the caller's arguments, forwarded; the library writes a status of this layout.
    unsafe {
        let code = (real.map)(decoder, picture, address, pitch, parameters);
        if code == 0 && (real.status)(decoder, picture, &mut status) == 0 && FAULTY.contains(&status.code) {
            FAULTS.set(FAULTS.get() + 1);
        }
        code
    }
}

/// From now on NVDEC is asked about every picture that libav takes from it.
///
/// # Errors
/// In words, why it is not: pictures with faults then have none.
pub fn listen_in() -> Result<(), &'static str> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    DONE.get_or_init(stand_before).as_ref().copied().map_err(String::as_str)
}

fn stand_before() -> Result<(), String> {
    let words = |e: libloading::Error| e.to_string();
    // SAFETY: the driver's library, which every decoder on the card opens anyway. It is closed again, so that its name is free.
    let path =
        unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL) }.map_err(words).and_then(|own| path_of(&own))?;
    let image = ElfImage::new(NAME, &NAMES);
    let stand_in = load(&image).map_err(|e| e.to_string())?;
    // SAFETY: the same library, by its path.
    let own = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.map_err(words)?;
    let real = NAMES.map(|name| address(&own, name));
    let [Some(map_frame), Some(status), ..] = real else { return Err(format!("{path} does not report faults")) };
    // SAFETY: the functions have these types since CUDA 9.1.
    let real_functions = unsafe {
        Real { map: transmute::<*mut c_void, MapFrame>(map_frame), status: transmute::<*mut c_void, GetStatus>(status) }
    };
    REAL.get_or_init(|| real_functions);
    let mut addresses = real.map(|address| address.map_or(0, |address| address.expose_provenance()));
    addresses[0] = map as MapFrame as usize;
    let table = address(&stand_in, ElfImage::TABLE).ok_or("the stand-in has no table")?;
    // SAFETY: the stand-in was loaded from this image, and nobody has opened it by name.
    unsafe { image.place(table.cast(), &addresses) };
    // Both stay as long as the process.
    std::mem::forget((own, stand_in));
    // SAFETY: as above.
    let by_name = unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL) }.map_err(words)?;
    let found = address(&by_name, MAP).map(|found| found.addr());
    if found == Some(addresses[0]) { Ok(()) } else { Err("somebody else has opened it before".to_owned()) }
}

/// Loads the image, without a file that others see.
fn load(image: &ElfImage) -> Result<Library, Box<dyn std::error::Error>> {
    let mut file = File::from(memfd_create("nvcuvid", MemfdFlags::CLOEXEC)?);
    file.write_all(&image.file)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: it has no initialisers.
    Ok(unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }?)
}

fn address(library: &Library, name: &str) -> Option<*mut c_void> {
    // SAFETY: only the address is taken.
    let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes()) }.ok()?;
    Some(symbol.into_raw())
}

/// `Dl_info` of dlfcn.h.
#[repr(C)]
struct DlInfo {
    file: *const c_char,
    base: *mut c_void,
    name: *const c_char,
    symbol: *mut c_void,
}

unsafe extern "C" {
    fn dladdr(address: *const c_void, place: *mut DlInfo) -> c_int;
}

/// The file of a library.
fn path_of(library: &Library) -> Result<String, String> {
    let within = address(library, STATUS).ok_or("the driver's decoder is too old to report faults")?;
    let mut place = DlInfo { file: null(), base: null_mut(), name: null(), symbol: null_mut() };
    // SAFETY: the loader fills the place in, and its file's name lives as long as the library is open.
    unsafe {
        if dladdr(within, &mut place) == 0 || place.file.is_null() {
            return Err("the loader does not know where it is".to_owned());
        }
        Ok(CStr::from_ptr(place.file).to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A library that finds faults in two pictures of five.
    const DRIVER: &str = "
        int cuvidGetDecoderCaps(void *caps) { return 42; }
        int cuvidMapVideoFrame64(void *decoder, int picture, unsigned long long *address, unsigned *pitch, void *parameters) {
            *address = 100 + picture;
            return picture == 4;
        }
        int cuvidGetDecodeStatus(void *decoder, int picture, int *status) {
            *status = picture == 0 ? 2 : picture == 1 ? 8 : picture == 2 ? 9 : picture == 3 ? 1 : 8;
            return 0;
        }
    ";

    /// Runs this test once more in a process that finds the library.
    fn with_driver() -> bool {
        const CHILD: &str = "VRAMP_TEST_NVCUVID";
        if std::env::var_os(CHILD).is_some() {
            return true;
        }
        let folder = std::env::temp_dir().join(format!("vramp-nvcuvid-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (source, library) = (folder.join("driver.c"), folder.join(NAME));
        std::fs::write(&source, DRIVER).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-Wl,-soname,libnvcuvid.so.1", "-o"]).arg(&library).arg(&source);
        assert!(compiler.status().unwrap().success());
        let mut test = Command::new(std::env::current_exe().unwrap());
        let name = concat!(module_path!(), "::what_nvdec_says_of_pictures_is_counted").split_once("::").unwrap().1;
        test.args(["--exact", name, "--nocapture"]).env(CHILD, "1").env("LD_LIBRARY_PATH", &folder);
        let ran = test.output().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{said}{}", text(&ran.stderr));
        false
    }

    #[test]
    fn what_nvdec_says_of_pictures_is_counted() {
        if !with_driver() {
            return;
        }
        assert_eq!(listen_in(), Ok(()));
        // As libav does it.
        // SAFETY: the library above.
        let library = unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL) }.unwrap();
        type Caps = unsafe extern "C" fn(*mut c_void) -> c_int;
        // SAFETY: a function of this type.
        let caps = unsafe { library.get::<Caps>(b"cuvidGetDecoderCaps") }.unwrap();
        // SAFETY: it takes anything.
        assert_eq!(unsafe { caps(null_mut()) }, 42);
        // SAFETY: a function of this type.
        let map = unsafe { library.get::<MapFrame>(MAP.as_bytes()) }.unwrap();
        let faults_after = |picture| {
            let (mut address, mut pitch) = (0, 0);
            // SAFETY: it writes the address alone.
            let code = unsafe { map(null_mut(), picture, &mut address, &mut pitch, null_mut()) };
            assert_eq!((code, address), (c_int::from(picture == 4), 100 + picture as c_ulonglong));
            faults()
        };
        // Sound, with an error, with one that was concealed, not done, and not given.
        assert_eq!([0, 1, 2, 3, 4].map(faults_after), [0, 1, 2, 2, 2]);
        assert!(address(&library, "cuvidCreateVideoParser").is_none_or(|address| address.is_null()));
        assert_eq!(std::thread::spawn(faults).join().unwrap(), 0);
    }
}
