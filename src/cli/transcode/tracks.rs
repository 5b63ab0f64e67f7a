//! `--add`, `--track`, `--metadata`, `--tag` and `--chapters`: what the output has besides the input's streams.

use crate::cli::args::FilterArgs;
use crate::cli::args::tracks::NONE;
use crate::error::Result;
use crate::io::libav::{
    Container, CopiedStream, EncoderChoice, Input, edit_tracks, read_chapters, read_tags, set_tags,
};
use crate::io::refuse_input;
use crate::pipeline::Cancel;
use std::ffi::OsStr;

/// Refuses to write over one of the files that `job` reads tracks, tags or chapters from.
///
/// # Errors
/// When `output` is one.
pub fn check_output(job: &FilterArgs, output: &OsStr) -> Result<()> {
    job.tracks.files().try_for_each(|file| refuse_input(output, file))
}

/// Gives `input` the chapters that `job` asks for.
///
/// # Errors
/// When their file cannot be read, or has none.
pub fn chapters(job: &FilterArgs, input: &mut Input, cancel: &Cancel) -> Result<()> {
    let Some(path) = &job.tracks.chapters else { return Ok(()) };
    let list = match path {
        none if none == NONE => Vec::new(),
        path => read_chapters(path, input.duration(), cancel).map_err(|e| e.context("--chapters"))?,
    };
    input.replace_chapters(list);
    Ok(())
}

/// What the output of `choice` holds: the tags and streams of `input`, as `job` changes them.
///
/// # Errors
/// When a file of tags cannot be read, or a track is named that there is not.
pub fn described(
    job: &FilterArgs,
    input: &Input,
    choice: &EncoderChoice,
    cancel: &Cancel,
) -> Result<(Container, Vec<CopiedStream>)> {
    let (mut film, mut copied) = (input.container().clone(), input.copied_streams().to_vec());
    let asked = &job.tracks;
    match &asked.metadata {
        None => {}
        Some(none) if none == NONE => film.metadata.clear(),
        Some(path) => film.metadata = read_tags(path, cancel).map_err(|e| e.context("--metadata"))?,
    }
    set_tags(&mut film.metadata, &asked.tag);
    edit_tracks(&asked.track, &mut film, &mut copied, choice.container())?;
    Ok((film, copied))
}
