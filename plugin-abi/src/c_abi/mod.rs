//! The C ABI. include/vramp.h describes it; `abi` mirrors what the header declares, and the tests hold one against the other.

pub mod abi;
mod call;
mod chain;
mod device;
mod external;
mod filters;
mod format;
mod handles;
mod memory;
mod queue;

use crate::logging;
use call::call;
use log::{Level, LevelFilter};
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;
use vramp::error::{Error, Result};

/// The header's `vramp_log_callback`.
type LogCallback = unsafe extern "C" fn(user: *mut c_void, level: i32, text: *const c_char);

/// `vramp_abi_version` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_abi_version() -> u32 {
    abi::ABI_VERSION as u32
}

/// `vramp_version` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// `vramp_last_error` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_last_error() -> *const c_char {
    call::last_error()
}

/// `vramp_last_record` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_last_record() -> *const c_char {
    call::last_record()
}

/// `vramp_set_log` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_set_log(callback: Option<LogCallback>, user: *mut c_void, level: i32) -> i32 {
    call(|| {
        let filter = level_filter(level)?;
        let user = user.expose_provenance();
        let sink = callback.map(|callback| {
            Arc::new(move |level: Level, text: &str| {
                let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
                // SAFETY: the caller vouches that this is a function to call so, from any thread.
                unsafe { callback(std::ptr::with_exposed_provenance_mut(user), log_level(level), text.as_ptr()) }
            }) as Arc<logging::Sink>
        });
        logging::to(sink, filter);
        Ok(abi::OK)
    })
}

fn level_filter(level: i32) -> Result<LevelFilter> {
    Ok(match level {
        abi::LOG_OFF => LevelFilter::Off,
        abi::LOG_ERROR => LevelFilter::Error,
        abi::LOG_WARNING => LevelFilter::Warn,
        abi::LOG_INFO => LevelFilter::Info,
        abi::LOG_DEBUG => LevelFilter::Debug,
        _ => return Err(Error::bad_argument(format!("there is no log level {level}"))),
    })
}

fn log_level(level: Level) -> i32 {
    match level {
        Level::Error => abi::LOG_ERROR,
        Level::Warn => abi::LOG_WARNING,
        Level::Info => abi::LOG_INFO,
        Level::Debug | Level::Trace => abi::LOG_DEBUG,
    }
}
