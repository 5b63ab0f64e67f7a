//! A run whose frames are looked at, and not encoded.

use crate::cli::alpha::AlphaArgs;
use crate::cli::args::{ProgressArgs, Run};
use crate::cli::backend::{Backend, RunGpu};
use crate::cli::hash::sound::SoundInput;
use crate::cli::progress::Reporter;
use crate::cli::setup::Accepted;
use crate::cli::sides::SideFiles;
use crate::cli::{report, setup};
use crate::error::{Error, Result};
use crate::io::Hash;
use crate::io::hash::{Restart, Streams, name};
use crate::io::libav::{CopyChoice, DecoderChoice, Input, coded, passing, presentation};
use crate::params::Call;
use crate::pipeline::{self, Cancel, ChainPlan, Options, Source, Summary};
use crate::video::{Format, Presentation};
use std::ffi::{OsStr, OsString};
use std::fs;

/// An input and the chain that its frames go through.
pub struct Examined {
    path: OsString,
    run: Run,
    calls: Vec<Call>,
    copy: CopyChoice,
    input: Input,
    sides: SideFiles,
    /// How frames go through the chain.
    pub plan: ChainPlan,
    chain: Backend,
    options: Options,
}

impl Examined {
    /// Opens `path` and builds the chain of `calls`. The packets of the streams that `copy` names are given, too.
    ///
    /// # Errors
    /// Of every part.
    pub fn open(path: &OsStr, run: &Run, calls: &[Call], copy: CopyChoice, cancel: Cancel) -> Result<Examined> {
        let gpu = RunGpu::open(&run.on, run.decoder, calls)?;
        let mut input = Input::open(path, setup::input_options(run, copy, &gpu, &cancel))?;
        log::debug!("{}", input.describe());
        run.check_named()?;
        let mut calls = calls.to_vec();
        let sides = SideFiles::open(run, &input, &mut calls, &cancel)?;
        let (plan, chain) = setup::chain(&mut input, sides.streams(), &calls, &Accepted::ANYTHING, run, &gpu)?;
        let options = Options { slots: usize::from(run.on.slots), cancel };
        let (path, run) = (path.to_owned(), run.clone());
        Ok(Examined { path, run, calls, copy, input, sides, plan, chain, options })
    }

    /// The streams whose packets are given, for a sink that hashes with `hash`.
    pub fn streams(&self, hash: Hash) -> Streams {
        Streams::new(hash, passing(self.input.container(), self.input.copied_streams(), hash), coded)
    }

    /// How the frames are shown.
    pub fn presentation(&self) -> Presentation {
        presentation(self.input.container())
    }

    /// Whether the input has alpha.
    pub fn has_alpha(&self) -> bool {
        self.input.dropped_alpha().is_some()
    }

    /// Whether the input has alpha that `args` have ignored.
    ///
    /// # Errors
    /// When it has alpha that they have not.
    pub fn ignores_alpha(&self, args: AlphaArgs) -> Result<bool> {
        args.check(&self.input, &name(&self.path))
    }

    /// The formats from and to which frames are converted, where nothing else is done to them.
    pub fn conversion(&self) -> Option<(&'static str, Format)> {
        let (from, to) = (self.input.converted_from()?, self.plan.output.format);
        (self.calls.is_empty() && self.plan.input.format == to).then_some((from, to))
    }

    /// Whether the input can be opened again, and decoded so that damage has the same result every time.
    pub fn can_start_over(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|path| path.is_file()) && self.run.decoder != DecoderChoice::Nvdec
    }

    /// Whether damage has the same result every time: other threads see different states of frames that lack parts.
    fn repeats(&self) -> bool {
        self.run.decoder_threads == 1 && self.input.surfaces().is_none()
    }

    /// Hands every frame to `sink`. Gives what was lost, too. A damaged input is decoded so that the same
    /// frames result every time, where possible: from the start again, on one thread.
    ///
    /// # Errors
    /// As [`pipeline::run`].
    pub fn run(
        &mut self,
        sink: &mut dyn Restart,
        progress: ProgressArgs,
        quiet: bool,
    ) -> Result<(Summary, Option<Error>)> {
        if self.run.strict || self.repeats() || !self.can_start_over() {
            let (summary, damage) = self.attempt(sink, false, progress, quiet)?;
            if damage.is_some() && !self.repeats() {
                report::damage_varies();
            }
            return Ok((summary, damage));
        }
        match self.attempt(sink, true, progress, quiet) {
            Err(_) if self.input.damage().is_some() => {}
            ran => return ran,
        }
        let name = self.path.display();
        log::info!("{name} is damaged: it is decoded again on one thread, to the same frames every time");
        let run = Run { decoder: DecoderChoice::Software, decoder_threads: 1, ..self.run.clone() };
        *self = Examined::open(&self.path, &run, &self.calls, self.copy, self.options.cancel.clone())?;
        sink.restart();
        self.attempt(sink, false, progress, quiet)
    }

    /// The run. One that is `sound` stops where the first damage is seen.
    fn attempt(
        &mut self,
        sink: &mut dyn Restart,
        sound: bool,
        progress: ProgressArgs,
        quiet: bool,
    ) -> Result<(Summary, Option<Error>)> {
        let Examined { input, sides, plan, chain, options, .. } = self;
        report::plan(plan, chain, options);
        let expected = setup::expected_frames(&plan.output, input.duration(), &self.run.window());
        let mut reporter = Reporter::new(progress.progress, quiet, expected);
        let source: &mut dyn Source = if sound { &mut SoundInput(input) } else { input };
        let report = &mut |now| reporter.update(now);
        let ran = pipeline::run_with(source, &mut sides.sources(), plan, chain, sink, options, report)?;
        reporter.finish(&ran.0);
        Ok(ran)
    }
}
