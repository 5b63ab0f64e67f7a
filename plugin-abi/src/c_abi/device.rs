//! The devices that callers name, and the contexts that they give.

use super::abi::Options;
use super::call::text;
use std::ffi::c_char;
use vramp::device::DeviceChoice;
use vramp::device::cuda::CudaDevice;
use vramp::error::{Error, Result};
use vramp::pipeline::Workers;

/// What filters: on the device of the caller's context, where the options have one.
///
/// # Errors
/// For a device that there is not, and a context that was destroyed or is on another device.
///
/// # Safety
/// The options are what the header says.
pub unsafe fn workers(options: &Options, threads: usize) -> Result<Workers> {
    // SAFETY: the caller's promise.
    let choice = unsafe { device_choice(options.device) }?;
    if options.cuda_context.is_null() {
        return Workers::new(choice, threads);
    }
    let other =
        |named: &str| Error::bad_argument(format!("cuda_context is given, and device is {named}: leave it out"));
    if choice == DeviceChoice::Cpu {
        return Err(other("cpu"));
    }
    // SAFETY: the caller's promise.
    let device = unsafe { CudaDevice::in_context(options.cuda_context) }?;
    match choice {
        DeviceChoice::Cuda(ordinal) if ordinal != device.info().ordinal => Err(other(&choice.to_string())),
        _ => Ok(Workers::on(device, threads)),
    }
}

/// The device that `text` names; null is `auto`.
///
/// # Errors
/// For text that is no device.
///
/// # Safety
/// `text` is null, or points to text with a NUL at its end.
pub unsafe fn device_choice(device: *const c_char) -> Result<DeviceChoice> {
    if device.is_null() {
        return Ok(DeviceChoice::Auto);
    }
    // SAFETY: the caller's promise.
    unsafe { text(device, "device") }?.parse()
}
