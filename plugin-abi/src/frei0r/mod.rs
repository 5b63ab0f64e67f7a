//! frei0r: effects on RGBA pictures for FFmpeg, MLT (Kdenlive, Shotcut), GStreamer, mpv and others. The specification is
//! frei0r.h of version 1.
//!
//! A file has one effect: `effect` reads which from the name of the library's file. Hosts differ in what they send:
//! `time` and `instance` say how, and what becomes of it.

mod abi;
mod effect;
mod instance;
mod time;

use crate::guard::guard;
use crate::logging;
use abi::{InstanceHandle, ParamInfo, ParamPointer, PluginInfo};
use effect::{EFFECT, Parameter, type_code};
use instance::Instance;
use std::ffi::{CStr, c_char, c_int};
use vramp::error::{Error, Result};
use vramp::params::Control;

/// Does `work`, whose failure can be reported to the host only by a message.
fn report<T: Default>(work: impl FnOnce() -> Result<T>) -> T {
    logging::start();
    guard(work).unwrap_or_else(|error| {
        // Guarded as well; whatever fails here can be reported to nobody.
        let answer = guard(|| {
            log::error!("{}: {}", EFFECT.name.to_string_lossy(), logging::for_hosts(error.message()));
            Ok(())
        });
        drop(answer);
        T::default()
    })
}

fn version_number(text: &str) -> c_int {
    text.parse().unwrap_or_default()
}

/// `f0r_init`. Hosts call it more or less often than `f0r_deinit`, so it does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn f0r_init() -> c_int {
    1
}

/// `f0r_deinit`. What runs ends with its instances.
#[unsafe(no_mangle)]
pub extern "C" fn f0r_deinit() {}

/// `f0r_get_plugin_info`.
///
/// # Safety
/// `info` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_get_plugin_info(info: *mut PluginInfo) {
    report(|| {
        let answer = PluginInfo {
            name: EFFECT.name.as_ptr(),
            author: c"vramp".as_ptr(),
            plugin_type: abi::FILTER,
            color_model: abi::RGBA8888,
            frei0r_version: abi::VERSION,
            major_version: version_number(env!("CARGO_PKG_VERSION_MAJOR")),
            minor_version: version_number(env!("CARGO_PKG_VERSION_MINOR")),
            num_params: EFFECT.parameters.len() as c_int,
            explanation: EFFECT.explanation.as_ptr(),
        };
        if !info.is_null() {
            // SAFETY: the caller's promise.
            unsafe { info.write(answer) };
        }
        Ok(())
    });
}

/// `f0r_get_param_info`.
///
/// # Safety
/// `info` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_get_param_info(info: *mut ParamInfo, index: c_int) {
    report(|| {
        let (_, Parameter { name, explanation, ty, .. }) = parameter(index)?;
        if !info.is_null() {
            let answer =
                ParamInfo { name: name.as_ptr(), param_type: type_code(*ty), explanation: explanation.as_ptr() };
            // SAFETY: the caller's promise.
            unsafe { info.write(answer) };
        }
        Ok(())
    });
}

fn parameter(index: c_int) -> Result<(usize, &'static Parameter)> {
    let found = usize::try_from(index).ok().and_then(|index| Some((index, EFFECT.parameters.get(index)?)));
    found.ok_or_else(|| Error::bad_argument(format!("there is no parameter {index}")))
}

/// `f0r_construct`. Null when there is no such picture.
#[unsafe(no_mangle)]
pub extern "C" fn f0r_construct(width: u32, height: u32) -> InstanceHandle {
    let made = report(|| Instance::new(&EFFECT, width, height).map(|instance| Some(Box::new(instance))));
    made.map_or(std::ptr::null_mut(), |instance| Box::into_raw(instance).cast())
}

/// `f0r_destruct`.
///
/// # Safety
/// `instance` is null or came from `f0r_construct`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_destruct(instance: InstanceHandle) {
    report(|| {
        if !instance.is_null() {
            // SAFETY: made by `Box::into_raw` in `f0r_construct`; destroyed once.
            drop(unsafe { Box::from_raw(instance.cast::<Instance>()) });
        }
        Ok(())
    });
}

/// The instance behind a host's handle.
///
/// # Safety
/// It is null or came from `f0r_construct`, and is not destroyed meanwhile.
unsafe fn instance<'a>(handle: InstanceHandle) -> Result<&'a Instance> {
    // SAFETY: the caller's promise, unchanged.
    unsafe { handle.cast::<Instance>().as_ref() }.ok_or_else(|| Error::bad_argument("the instance is NULL"))
}

/// `f0r_set_param_value`.
///
/// # Safety
/// As the specification says; nulls do nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_set_param_value(handle: InstanceHandle, value: ParamPointer, index: c_int) {
    report(|| {
        let (index, parameter) = parameter(index)?;
        // SAFETY: the caller's promise.
        let instance = unsafe { instance(handle) }?;
        if value.is_null() {
            return Err(Error::bad_argument("the value is NULL"));
        }
        if parameter.ty != Control::Text {
            // SAFETY: by the specification the value is a double.
            instance.set_number(index, unsafe { value.cast::<f64>().read() });
            return Ok(());
        }
        // SAFETY: by the specification the value is a pointer to text.
        let text = unsafe { value.cast::<*const c_char>().read() };
        if !text.is_null() {
            // SAFETY: as above, with a NUL at its end.
            instance.set_text(index, unsafe { CStr::from_ptr(text) });
        }
        Ok(())
    });
}

/// `f0r_get_param_value`.
///
/// # Safety
/// As the specification says; nulls do nothing. Text stays valid until the parameter is set to another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_get_param_value(handle: InstanceHandle, value: ParamPointer, index: c_int) {
    report(|| {
        let (index, parameter) = parameter(index)?;
        // SAFETY: the caller's promise.
        let instance = unsafe { instance(handle) }?;
        if value.is_null() {
            return Err(Error::bad_argument("there is no room for the value"));
        }
        // SAFETY: by the specification there is room for a double, or for a pointer to text.
        unsafe {
            match parameter.ty {
                Control::Text => value.cast::<*const c_char>().write(instance.text(index)),
                _ => value.cast::<f64>().write(instance.number(index)),
            }
        }
        Ok(())
    });
}

/// `f0r_update`.
///
/// # Safety
/// As the specification says: both frames have the size that the instance was made for. Nulls do nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn f0r_update(handle: InstanceHandle, time: f64, src: *const u32, dst: *mut u32) {
    report(|| {
        // SAFETY: the caller's promise.
        let instance = unsafe { instance(handle) }?;
        if src.is_null() || dst.is_null() {
            return Err(Error::bad_argument("a frame is NULL"));
        }
        // SAFETY: the caller's promise.
        unsafe { instance.update(time, src.cast(), dst.cast()) }
    });
}
