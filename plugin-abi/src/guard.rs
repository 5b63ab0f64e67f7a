//! No panic crosses into a host: it becomes an error. And the host's thread keeps its CUDA context.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, Once, PoisonError};
use vramp::device::cuda::KeptContext;
use vramp::error::{Error, Result};

/// Where the last panic happened. It may have been on another thread: filters share a frame.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Does `work` for a host; a panic in it is an internal error that says where.
///
/// # Errors
/// `work`'s own, and [`Kind::Internal`](vramp::error::Kind::Internal) for a panic.
pub fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    prepare();
    let _kept = KeptContext::new();
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = message(&*payload);
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        Err(Error::internal(format!("internal fault: {text}{place}")))
    })
}

/// Has panics note their place instead of printing it: the terminal is the host's. The library has a standard library of
/// its own, so this is not the host's hook. And on Windows it has the library stay, which the linker sees to elsewhere.
fn prepare() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        if cfg!(windows) {
            crate::own_file::path();
        }
        panic::set_hook(Box::new(|info| {
            let place = info.location().map(|at| format!(" (at {at})"));
            *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramp::error::Kind;

    #[test]
    fn a_panic_is_an_error_that_says_where() {
        let index = std::hint::black_box(7);
        let error = guard(|| Ok([1, 2, 3][index])).unwrap_err();
        assert_eq!(error.kind(), Kind::Internal);
        assert!(error.message().contains("index out of bounds") && error.message().contains("guard.rs:"), "{error}");
        assert_eq!(guard(|| Ok(1)), Ok(1));
        assert_eq!(guard(|| Err::<(), _>(Error::bad_argument("no"))), Err(Error::bad_argument("no")));
    }
}
