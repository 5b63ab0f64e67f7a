//! A run whose frames are looked at, and not encoded.

use crate::cli::args::{ProgressArgs, Run};
use crate::cli::backend::{Backend, Gpu};
use crate::cli::progress::Reporter;
use crate::cli::setup::Takes;
use crate::cli::{report, setup};
use crate::error::{Error, Result};
use crate::io::libav::{CopyChoice, Input};
use crate::params::Call;
use crate::pipeline::{self, Cancel, Options, Plan, Sink, Summary};
use std::ffi::OsStr;

/// An input and the chain that its frames go through.
pub struct Examined {
    input: Input,
    /// How frames go through the chain.
    pub plan: Plan,
    chain: Backend,
    options: Options,
}

impl Examined {
    /// Opens `path` and builds the chain of `calls`.
    ///
    /// # Errors
    /// Of every part.
    pub fn open(path: &OsStr, run: &Run, calls: &[Call], cancel: Cancel) -> Result<Examined> {
        let gpu = Gpu::open(&run.on, run.decoder, calls)?;
        let nothing_else = CopyChoice { audio: false, subtitles: false, others: false };
        let mut input = Input::open(path, setup::input_options(run, nothing_else, &gpu, &cancel))?;
        log::debug!("{}", input.describe());
        let (plan, chain) = setup::chain(&mut input, calls, &Takes::ANYTHING, run, &gpu)?;
        Ok(Examined { input, plan, chain, options: Options { slots: usize::from(run.on.slots), cancel } })
    }

    /// Hands every frame to `sink`. Gives what was lost on the way, too.
    ///
    /// # Errors
    /// As [`pipeline::run`].
    pub fn run(
        &mut self,
        sink: &mut dyn Sink,
        run: &Run,
        progress: ProgressArgs,
        quiet: bool,
    ) -> Result<(Summary, Option<Error>)> {
        let Examined { input, plan, chain, options } = self;
        report::plan(plan, chain, options);
        let expected = setup::expected_frames(&plan.input, input.duration(), run);
        let mut reporter = Reporter::new(progress.progress, quiet, expected);
        let ran = pipeline::run(input, plan, chain, sink, options, &mut |now| reporter.update(now))?;
        reporter.finish(&ran.0);
        Ok(ran)
    }
}
