//! Whether tests that need a device run.

use std::sync::{Arc, OnceLock};
use vramp::device::cuda::CudaDevice;

/// The device that the tests share. `None`, with a line in each test that says why: there is none, and `VRAMP_REQUIRE_CUDA` does not
/// ask for one.
pub fn device() -> Option<Arc<CudaDevice>> {
    match opened() {
        Ok(device) => Some(Arc::clone(device)),
        Err(error) if required() => panic!("VRAMP_REQUIRE_CUDA is set, but {error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// Whether tests that need a device do more than to say that there is none.
pub fn runs() -> bool {
    required() || opened().is_ok()
}

fn opened() -> &'static Result<Arc<CudaDevice>, String> {
    static DEVICE: OnceLock<Result<Arc<CudaDevice>, String>> = OnceLock::new();
    DEVICE.get_or_init(|| CudaDevice::open(0).map_err(|error| error.to_string()))
}

/// A device with an account of its own, for tests that limit it.
pub fn own_device() -> Option<Arc<CudaDevice>> {
    device().map(|_| CudaDevice::open(0).expect("it opened before"))
}

fn required() -> bool {
    std::env::var_os("VRAMP_REQUIRE_CUDA").is_some_and(|value| value == "1")
}

/// Runs the test of this name once more, in a process of its own, since what it does ends the context.
pub fn in_a_process_of_its_own(test: &str) -> bool {
    const CHILD: &str = "VRAMP_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    false
}
