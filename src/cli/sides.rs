//! `--input NAME=FILE`: what a chain reads beside its own pictures.

use crate::cli::args::Run;
use crate::error::Result;
use crate::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions, ScriptOptions};
use crate::io::refuse_input;
use crate::pipeline::{Cancel, SideInput, Source};
use std::ffi::OsStr;

/// The named inputs of a run, in the order of the arguments. They are decoded from their start, whatever part of the main
/// input is run: frames are matched by their times from each file's start.
#[derive(Default)]
pub struct SideFiles {
    streams: Vec<SideInput>,
    inputs: Vec<Input>,
}

impl SideFiles {
    /// Opens what `run` names, beside the input `main`.
    ///
    /// # Errors
    /// When a file cannot be read, or no input has a use for an option for some kinds of them.
    pub fn open(run: &Run, main: &Input, cancel: &Cancel) -> Result<SideFiles> {
        let mut sides = SideFiles::default();
        for (name, path) in run.named_inputs()? {
            let mut input =
                Input::open(path, options(run, cancel)).map_err(|e| e.context(format!("--input {name}")))?;
            log::debug!("{name}: {}", input.describe());
            if let Some(alpha) = input.dropped_alpha() {
                log::warn!("{name}: its alpha ({alpha}) is left out");
            }
            input.align_to(main);
            sides.streams.push(SideInput { name: name.to_owned(), info: input.info().clone() });
            sides.inputs.push(input);
        }
        let all = std::iter::once(main).chain(&sides.inputs);
        Input::check_used(all, &InputOptions { script: run.script.options(), ..options(run, cancel) })?;
        Ok(sides)
    }

    /// Refuses to write over one of them.
    ///
    /// # Errors
    /// When `output` is one.
    pub fn refuse_as_output(run: &Run, output: &OsStr) -> Result<()> {
        run.named_inputs()?.iter().try_for_each(|(_, path)| refuse_input(output, path))
    }

    /// Their names and streams.
    pub fn streams(&self) -> &[SideInput] {
        &self.streams
    }

    /// Where their frames come from.
    pub fn sources(&mut self) -> Vec<&mut dyn Source> {
        self.inputs.iter_mut().map(|input| input as &mut dyn Source).collect()
    }
}

/// How they are opened: their frames go to the filters alone.
fn options(run: &Run, cancel: &Cancel) -> InputOptions {
    InputOptions {
        strict: run.strict,
        decoder: DecoderChoice::Software,
        threads: run.decoder_threads,
        cancel: cancel.clone(),
        copy: CopyChoice::NONE,
        missing: run.pictures.missing.into(),
        lenient: true,
        script: ScriptOptions { output: 0, ..run.script.options() },
        ..InputOptions::default()
    }
}
