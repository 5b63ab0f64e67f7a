//! Whether tests that need a device run.

use std::sync::{Arc, OnceLock};
use vramp::device::cuda::CudaDevice;

/// The device that the tests share. `None`: there is none, and `VRAMP_REQUIRE_CUDA` does not ask for one.
pub fn device() -> Option<Arc<CudaDevice>> {
    static DEVICE: OnceLock<Option<Arc<CudaDevice>>> = OnceLock::new();
    let open = || match CudaDevice::open(0) {
        Ok(device) => Some(device),
        Err(error) if required() => panic!("VRAMP_REQUIRE_CUDA is set, but {error}"),
        Err(error) => {
            println!("not run: {error}");
            None
        }
    };
    DEVICE.get_or_init(open).clone()
}

/// A device with an account of its own, for tests that limit it.
pub fn own_device() -> Option<Arc<CudaDevice>> {
    device().map(|_| CudaDevice::open(0).expect("it opened before"))
}

fn required() -> bool {
    std::env::var_os("VRAMP_REQUIRE_CUDA").is_some_and(|value| value == "1")
}
