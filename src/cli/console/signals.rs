//! Ctrl-C and termination: the first asks the run to stop, the last ends the program at once.

use crate::error::{Error, Kind, Result};
use crate::io;
use crate::pipeline::Cancel;
use std::ffi::c_int;
use std::process::Command;
use std::{mem, ptr};

/// The signals that end a program unless it takes them, as far as ctrlc does.
const TAKEN: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Lets signals stop a run: each makes the next request of `steps`, and after them one ends the program. Signals that the parent process had it ignore stay ignored:
/// nohup lets a run outlive its terminal, and a shell its background jobs a Ctrl-C.
///
/// # Errors
/// When the handler cannot be installed.
pub fn install(steps: impl IntoIterator<Item = Cancel>) -> Result<()> {
    let ignored: Vec<_> = TAKEN.into_iter().filter(|signal| is_ignored(*signal)).collect();
    let steps: Vec<_> = steps.into_iter().collect();
    let handler = move || match steps.iter().find(|step| !step.is_requested()) {
        Some(next) => next.request(),
        None => {
            io::remove_unfinished();
            std::process::exit(i32::from(Kind::Cancelled.exit_code()));
        }
    };
    ctrlc::set_handler(handler).map_err(|e| Error::internal(format!("signal handler: {e}")))?;
    ignored.into_iter().for_each(ignore);
    Ok(())
}

/// Has the process of `command` be stopped when this one is gone, however it went: nobody would hear of it any more. Where the
/// system has no such request, it runs to its end. The thread that starts the process must last as long as this one.
pub fn end_with_this(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let ask = || Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?);
        // SAFETY: between fork and exec it does one system call, and allocates nothing.
        unsafe { command.pre_exec(ask) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

fn is_ignored(signal: c_int) -> bool {
    // SAFETY: all zeros are a sigaction; with no new one the system only writes what holds now.
    unsafe {
        let mut now: libc::sigaction = mem::zeroed();
        libc::sigaction(signal, ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

fn ignore(signal: c_int) {
    // SAFETY: no code of ours runs on an ignored signal.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}
