//! `--input NAME=FILE`: what a chain reads beside its own pictures.

use crate::cli::args::Run;
use crate::error::Result;
use crate::filters::{self, Wiring, overlay};
use crate::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions, ScriptOptions};
use crate::io::refuse_input;
use crate::params::{Arg, Call};
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
    /// Opens what `run` names, beside the input `main`. The alpha of the input NAME is the input NAME_alpha, where one of `calls`
    /// reads it; those that lay NAME upon the picture do, unless they say otherwise.
    ///
    /// # Errors
    /// When a file cannot be read, or no input has a use for an option for some kinds of them.
    pub fn open(run: &Run, main: &Input, calls: &mut [Call], cancel: &Cancel) -> Result<SideFiles> {
        let mut sides = SideFiles::default();
        let named = run.named_inputs()?;
        for (name, path) in &named {
            let mut input =
                Input::open(path, options(run, cancel)).map_err(|e| e.context(format!("--input {name}")))?;
            log::debug!("{name}: {}", input.describe());
            if let Some(format) = input.dropped_alpha() {
                let alpha = format!("{name}_alpha");
                let is_free = named.iter().all(|(known, _)| *known != alpha) && !keeps(calls, &alpha)?;
                let can_be_read = is_free && input.has_alpha_in_frames() && opens_again(path);
                if can_be_read {
                    lay_by_alpha(calls, name, &alpha)?;
                }
                if can_be_read && reads(calls, &alpha)? {
                    let options = InputOptions { alpha: true, ..options(run, cancel) };
                    let opened = Input::open(path, options).map_err(|e| e.context(format!("--input {name}")))?;
                    sides.add(alpha, opened, main);
                    input.gives_alpha_elsewhere();
                    if !reads(calls, name)? {
                        continue;
                    }
                } else {
                    log::warn!("{name}: its alpha ({format}) is left out");
                }
            }
            sides.add((*name).to_owned(), input, main);
        }
        let all = std::iter::once(main).chain(&sides.inputs);
        Input::check_used(all, &InputOptions { script: run.script.options(), ..options(run, cancel) })?;
        Ok(sides)
    }

    fn add(&mut self, name: String, mut input: Input, main: &Input) {
        input.align_to(main);
        self.streams.push(SideInput { name, info: input.info().clone() });
        self.inputs.push(input);
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

/// Whether `path` can be opened a second time: pipes cannot.
fn opens_again(path: &OsStr) -> bool {
    let is_pipe =
        path == "-" || ["pipe:", "fd:"].iter().any(|start| path.as_encoded_bytes().starts_with(start.as_bytes()));
    !is_pipe && std::fs::metadata(path).map_or(true, |file| file.is_file() || file.is_dir())
}

/// Has the calls that lay `name` upon the picture, and say nothing of alpha, read it as `alpha`.
fn lay_by_alpha(calls: &mut [Call], name: &str, alpha: &str) -> Result<()> {
    for call in calls {
        let filter = filters::create(call)?;
        let lays_it = filter.descriptor().name == overlay::DESCRIPTOR.name
            && matches!(filter.wiring(), Wiring::Reads(names) if names == [name]);
        if lays_it {
            // As the filter has it, each argument by its name: `alpha=auto` may stand there.
            *call = filter.call();
            call.args.retain(|arg| arg.key.as_deref() != Some("alpha"));
            call.args.push(Arg { key: Some("alpha".to_owned()), value: alpha.to_owned() });
        }
    }
    Ok(())
}

/// Whether one of `calls` gives a point of the chain that name.
fn keeps(calls: &[Call], name: &str) -> Result<bool> {
    let mut created = calls.iter().map(filters::create);
    created.try_fold(false, |keeps, filter| Ok(keeps || filter?.wiring() == Wiring::Keep(name.to_owned())))
}

/// Whether one of `calls` reads the picture `name`.
fn reads(calls: &[Call], name: &str) -> Result<bool> {
    let mut created = calls.iter().map(filters::create);
    created.try_fold(false, |is_read, filter| {
        let filter = filter?;
        let is_mask = filter.mask().is_some_and(|mask| mask.as_str() == name);
        Ok(is_read
            || is_mask
            || match filter.wiring() {
                Wiring::Reads(names) => names.iter().any(|known| known == name),
                Wiring::Use(known) => known == name,
                Wiring::Keep(_) => false,
            })
    })
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
