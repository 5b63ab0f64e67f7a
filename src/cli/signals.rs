//! Ctrl-C and termination: the first asks the run to stop, the second ends the program at once.

use crate::error::{Error, Kind, Result};
use crate::io;
use crate::pipeline::Cancel;

/// Lets signals stop the run that watches `cancel`.
///
/// # Errors
/// When the handler cannot be installed.
pub fn install(cancel: Cancel) -> Result<()> {
    let handler = move || {
        if cancel.is_requested() {
            io::remove_unfinished();
            std::process::exit(i32::from(Kind::Cancelled.exit_code()));
        }
        cancel.request();
    };
    ctrlc::set_handler(handler).map_err(|e| Error::internal(format!("signal handler: {e}")))
}
