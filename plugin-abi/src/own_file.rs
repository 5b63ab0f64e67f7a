//! The file that this library was loaded from.

use std::path::PathBuf;

/// Its path; `None` where the system does not say.
#[cfg(unix)]
pub fn path() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr, c_void};
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: all zero is a value of the struct, which is filled in by the call; the address is this function's.
    let info = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(path as *const c_void, &mut info);
        info
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's names end with a NUL, and this library's lives as long as it.
    Some(PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes())))
}

/// Its path; `None` where the system does not say. From the first call on the library stays loaded, as `-z nodelete` has it on
/// Linux: its threads may be waiting.
#[cfg(windows)]
pub fn path() -> Option<PathBuf> {
    use std::ffi::{OsString, c_void};
    use std::os::windows::ffi::OsStringExt;

    /// `GET_MODULE_HANDLE_EX_FLAG_PIN` and `GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS`.
    const PIN_BY_ADDRESS: u32 = 1 | 4;
    /// The longest path of Windows.
    const LONGEST: usize = 32_768;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
        fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, size: u32) -> u32;
    }
    let (mut module, mut name) = (std::ptr::null_mut(), vec![0; LONGEST]);
    // SAFETY: the address is this function's, and there is room for the handle.
    let is_found = unsafe { GetModuleHandleExW(PIN_BY_ADDRESS, path as *const c_void, &mut module) } != 0;
    if !is_found {
        return None;
    }
    // SAFETY: the handle is that of a library that stays, and there is room for the name.
    let length = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), LONGEST as u32) } as usize;
    (length > 0).then(|| PathBuf::from(OsString::from_wide(&name[..length])))
}
