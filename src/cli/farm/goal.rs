//! What a job is prepared for: a run, the plan of its parts, one part, or their join.

use crate::error::{Error, Result};
use crate::farm::{Joined, Verified};
use crate::io::NullSink;
use crate::io::libav::{
    Container, CopiedStream, EncodePass, EncoderChoice, InputOptions, JoinOutput, Output, OutputOptions, PartJob,
    PartOutput, fingerprint,
};
use crate::pipeline::Sink;
use crate::video::StreamInfo;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::PathBuf;

/// What a job is prepared for.
pub enum Goal<'a> {
    /// A whole file, or one pass of two over it.
    Run(Option<&'a EncodePass>),
    /// Finding out what a plan needs: the encoder's fingerprint, which is put here.
    Plan(&'a OnceCell<u128>),
    /// A part, where the encoder has this fingerprint; without one it is not looked at.
    Part(&'a PartJob, Option<u128>),
    /// The film, of these parts.
    Join(&'a [PathBuf], &'a Verified),
}

/// The sink of a part of the work.
pub enum GoalSink {
    /// Frames that nobody encodes.
    None(NullSink),
    /// A part.
    Part(Box<PartOutput>),
    /// A film, and the streams of the source that it decodes.
    Join(Box<JoinOutput>, Vec<usize>),
}

impl Goal<'_> {
    /// The pass of a run.
    pub fn pass(&self) -> Option<&EncodePass> {
        match self {
            Goal::Run(pass) => *pass,
            Goal::Plan(_) | Goal::Part(..) | Goal::Join(..) => None,
        }
    }

    /// Asks the input for what is special.
    pub fn ask(&self, options: &mut InputOptions) {
        match self {
            Goal::Run(_) => {}
            Goal::Plan(_) | Goal::Join(..) => options.follow = true,
            Goal::Part(part, _) => options.place.clone_from(&part.place),
        }
    }

    /// Where frames of `info` go that `choice` encodes; `None` for a run. `film` is what the source says, and its other streams.
    ///
    /// # Errors
    /// As [`Output::create`]; when the encoder is another than the plan's.
    pub fn sink(
        &self,
        path: &OsStr,
        choice: &EncoderChoice,
        options: &OutputOptions,
        info: &StreamInfo,
        film: (&Container, &[CopiedStream]),
    ) -> Result<Option<GoalSink>> {
        let (container, copied) = film;
        let output = || Output::create(path, choice.clone(), options, info, container, copied);
        let identify = || fingerprint(choice, options, info, &container.video.side_data);
        Ok(Some(match self {
            Goal::Run(_) => return Ok(None),
            Goal::Plan(found) => {
                // What is wrong with the output is found before the parts are made.
                let taken = output()?.choice().encoder();
                if taken != choice.encoder() {
                    let line = format!(
                        "{} does not take such pictures: name another encoder, as -c {taken}",
                        choice.encoder()
                    );
                    return Err(Error::unsupported(line));
                }
                found.set(identify()?).map_err(|_| Error::internal("a plan was prepared twice"))?;
                GoalSink::None(NullSink)
            }
            Goal::Part(part, expected) => {
                if let Some(expected) = expected
                    && identify()? != *expected
                {
                    let encoder = choice.encoder();
                    return Err(Error::unsupported(format!(
                        "this machine's {encoder} makes other bytes than the plan's: another version, or another build"
                    )));
                }
                GoalSink::Part(Box::new(PartOutput::create(path, choice, options, info, container, part)?))
            }
            Goal::Join(files, parts) => {
                let output = output()?;
                let decoded = output.decoded_streams();
                let coded = Joined::new(files.to_vec(), parts.times.clone(), parts.delay);
                let units = copied.iter().map(|stream| (stream.index, stream.timebase)).collect();
                let join = JoinOutput::new(output, Box::new(coded), parts.times.clone(), &parts.extradata, units)?;
                GoalSink::Join(Box::new(join), decoded)
            }
        }))
    }
}

impl GoalSink {
    /// The streams of the source that are decoded for it.
    pub fn decoded_streams(&self) -> Vec<usize> {
        match self {
            GoalSink::None(_) | GoalSink::Part(_) => Vec::new(),
            GoalSink::Join(_, decoded) => decoded.clone(),
        }
    }

    /// The sink.
    pub fn boxed(self) -> Box<dyn Sink> {
        match self {
            GoalSink::None(sink) => Box::new(sink),
            GoalSink::Part(sink) => sink,
            GoalSink::Join(sink, _) => sink,
        }
    }
}
