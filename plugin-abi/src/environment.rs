//! What the environment asks for, in hosts that have no parameter for it.

use vramp::device::DeviceChoice;

/// What names the device: as `--device` of the command.
pub const DEVICE: &str = "VRAMP_DEVICE";

/// The device that [`DEVICE`] names. A name that is none counts as none.
pub fn device() -> DeviceChoice {
    let Ok(name) = std::env::var(DEVICE) else { return DeviceChoice::Auto };
    name.parse().unwrap_or_else(|error| {
        log::error!("{DEVICE}: {error}; it counts as auto");
        DeviceChoice::Auto
    })
}
