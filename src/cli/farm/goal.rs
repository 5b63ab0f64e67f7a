//! What a job is prepared for: a run, the plan of its parts, one part, or their join.

use crate::error::{Error, Result};
use crate::farm::{Joined, Verified};
use crate::io::NullSink;
use crate::io::libav::{
    Container, CopiedStream, EncodePass, EncoderChoice, EntryPacket, Input, InputOptions, JoinOutput, Output,
    OutputOptions, PartJob, PartOutput, fingerprint,
};
use crate::pipeline::Sink;
use crate::video::StreamInfo;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What a job is prepared for.
pub enum Goal<'a> {
    /// A whole file, or one pass of two over it.
    Run(Option<&'a EncodePass>),
    /// Finding out what a plan needs: the encoder's fingerprint, which is put here.
    Plan(&'a OnceCell<u128>),
    /// A part, where the encoder is the plan's.
    Part(&'a PartJob, &'a PlannedEncoder),
    /// Finding out which frames there are, for somebody who only looks at them.
    List,
    /// The frames of a part, for the same; its decoding begins at this place, if that is known.
    Look(Option<EntryPacket>),
    /// The film, of these parts.
    Join(&'a [PathBuf], &'a Verified),
}

/// The encoder that a plan asks for, and whether this machine's is known to be it.
pub struct PlannedEncoder {
    /// Its fingerprint; none where it is not looked at.
    fingerprint: Option<u128>,
    /// Held while somebody looks, so that one does.
    known: Mutex<bool>,
}

impl PlannedEncoder {
    /// One of this fingerprint; without one it is not looked at.
    pub fn new(fingerprint: Option<u128>) -> PlannedEncoder {
        PlannedEncoder { fingerprint, known: Mutex::new(fingerprint.is_none()) }
    }

    /// Refuses this machine's `encoder`, whose fingerprint `find` gives, where it is another.
    fn check(&self, encoder: &str, find: impl FnOnce() -> Result<u128>) -> Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !*known && Some(find()?) != self.fingerprint {
            return Err(Error::unsupported(format!(
                "this machine's {encoder} makes other bytes than the plan's: another version, or another build"
            )));
        }
        *known = true;
        Ok(())
    }
}

/// The sink of a part of the work.
pub enum GoalSink {
    /// Frames that nobody encodes.
    None(NullSink),
    /// A part.
    Part(Box<PartOutput>),
    /// A film.
    Join(Box<JoinOutput>),
}

impl Goal<'_> {
    /// The pass of a run.
    pub fn pass(&self) -> Option<&EncodePass> {
        match self {
            Goal::Run(pass) => *pass,
            Goal::Plan(_) | Goal::List | Goal::Part(..) | Goal::Look(_) | Goal::Join(..) => None,
        }
    }

    /// Asks the input for what is special.
    pub fn ask(&self, options: &mut InputOptions) {
        match self {
            Goal::Run(_) => {}
            Goal::Plan(_) | Goal::List | Goal::Join(..) => options.follow = true,
            Goal::Part(part, _) => {
                options.planned = true;
                options.place.clone_from(&part.place);
                options.opening.clone_from(&part.opening);
                options.contents = Some(part.contents.clone());
            }
            Goal::Look(place) => {
                options.planned = true;
                options.place.clone_from(place);
            }
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
            Goal::Run(_) | Goal::List | Goal::Look(_) => return Ok(None),
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
            Goal::Part(part, planned) => {
                planned.check(choice.encoder(), identify)?;
                GoalSink::Part(Box::new(PartOutput::create(path, choice, options, info, container, part)?))
            }
            Goal::Join(files, parts) => {
                let output = output()?;
                let coded = Joined::new(files.to_vec(), parts.times.clone(), parts.delay);
                let units = copied.iter().map(|stream| (stream.index, stream.timebase)).collect();
                let join = JoinOutput::new(output, Box::new(coded), parts.times.clone(), &parts.extradata, units)?;
                GoalSink::Join(Box::new(join))
            }
        }))
    }
}

impl GoalSink {
    /// Has `input` give the packets that it needs.
    pub fn ask(&self, input: &mut Input) {
        if let GoalSink::Join(join) = self {
            input.decode_beside(&join.output().decoded_streams());
            input.begin_early(&join.output().skipped_streams());
        }
    }

    /// The sink.
    pub fn boxed(self) -> Box<dyn Sink> {
        match self {
            GoalSink::None(sink) => Box::new(sink),
            GoalSink::Part(sink) => sink,
            GoalSink::Join(sink) => sink,
        }
    }
}
