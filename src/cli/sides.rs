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
            let input = Input::open(path, options(run, cancel)).map_err(|e| e.context(format!("--input {name}")))?;
            log::debug!("{name}: {}", input.describe());
            if let Some(format) = input.dropped_alpha() {
                let alpha = format!("{name}_alpha");
                let is_free = input.has_alpha_in_frames() && named.iter().all(|(known, _)| *known != alpha);
                if is_free && read_alpha(calls, name, &alpha)? {
                    let options = InputOptions { alpha: true, ..options(run, cancel) };
                    sides.add(alpha, Input::open(path, options)?, main);
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

/// Has the calls of `calls` that lay `name` upon the picture, and say nothing of alpha, read it as `alpha`. Whether any call does.
fn read_alpha(calls: &mut [Call], name: &str, alpha: &str) -> Result<bool> {
    let mut is_read = false;
    for call in calls {
        let filter = filters::create(call)?;
        let (reads, mask) = (filter.wiring(), filter.mask().map(|mask| mask.as_str().to_owned()));
        let lays_it = filter.descriptor().name == overlay::DESCRIPTOR.name
            && matches!(&reads, Wiring::Reads(names) if names[..] == [name]);
        if lays_it {
            call.args.push(Arg { key: Some("alpha".to_owned()), value: alpha.to_owned() });
        }
        is_read |= lays_it || mask.as_deref() == Some(alpha);
        is_read |= match reads {
            Wiring::Reads(names) => names.iter().any(|known| known == alpha),
            Wiring::Use(known) => known == alpha,
            Wiring::Keep(_) => false,
        };
    }
    Ok(is_read)
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
