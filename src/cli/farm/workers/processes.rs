//! Parts at work in processes of this program.

use super::{PartWorker, PartWorkers};
use crate::cli::batch::child::{self, ChildEvent};
use crate::cli::own_program::own_program;
use crate::cli::signals;
use crate::error::{Error, Result};
use crate::farm::Folder;
use crossbeam_channel::Sender;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

/// How a part's process is started.
pub struct Processes {
    program: PathBuf,
    folder: PathBuf,
    options: Vec<OsString>,
}

impl Processes {
    /// For parts in `folder`; `options` say what they run on.
    ///
    /// # Errors
    /// When this program does not know where it is.
    pub fn new(folder: &Folder, options: Vec<OsString>) -> Result<Processes> {
        let program = own_program()?;
        Ok(Processes { program, folder: folder.path().to_owned(), options })
    }
}

impl PartWorkers for Processes {
    fn start(&self, part: u32, slot: usize, events: &Sender<ChildEvent>) -> Result<Box<dyn PartWorker>> {
        let mut command = Command::new(&self.program);
        command.arg("part").args(&self.options).arg("--progress=json").arg("--");
        command.arg(&self.folder).arg(part.to_string()).stdin(Stdio::null()).stderr(Stdio::piped());
        signals::end_with_this(&mut command);
        let mut child = command.spawn().map_err(|error| Error::io("starting a process", &error))?;
        if let Some(stderr) = child.stderr.take() {
            let events = events.clone();
            thread::spawn(move || child::listen(stderr, slot, &events));
        }
        Ok(Box::new(child))
    }
}

impl PartWorker for Child {
    fn end(&self, signal: Signal) {
        // One that has just ended needs no signal.
        let _ = kill_process(Pid::from_child(self), signal);
    }

    fn outcome(mut self: Box<Self>, said: Option<String>) -> Result<()> {
        let status = self.wait().map_err(|error| Error::io("waiting for a process", &error))?;
        child::outcome(status, said)
    }
}
