//! `--add`, `--track`, `--metadata`, `--tag` and `--chapters`: what the output has besides the input's streams.

use crate::cli::args::FilterArgs;
use crate::cli::args::tracks::NONE;
use crate::error::Result;
use crate::io::libav::{
    Container, CopiedStream, EncoderChoice, Input, TrackEdit, edit_tracks, presentation, read_chapters, read_tags,
    set_tags,
};
use crate::io::refuse_input;
use crate::pipeline::{Cancel, ChainPlan};
use crate::video::Rotation;
use std::ffi::OsStr;

/// Refuses to write over one of the files that `job` reads tracks, tags or chapters from.
///
/// # Errors
/// When `output` is one.
pub fn check_output(job: &FilterArgs, output: &OsStr) -> Result<()> {
    job.tracks.files().try_for_each(|file| refuse_input(output, file))
}

/// Filters to which it matters how a picture lies.
const OF_THE_FRAME: [&str; 9] = ["affine", "crop", "hflip", "overlay", "pad", "rotate", "scale", "transpose", "vflip"];

/// Says that `plan` works on pictures as they are stored, where players turn them.
pub fn say_rotation(job: &FilterArgs, input: &Input, plan: &ChainPlan) {
    let rotation = presentation(input.container()).rotation;
    let is_met = plan.stages.iter().any(|stage| OF_THE_FRAME.contains(&stage.filter.descriptor().name));
    if is_met && rotation != Rotation::default() && !job.tracks.track.iter().any(TrackEdit::turns) {
        log::warn!(
            "players turn this video (rotation {rotation}): filters see it as it is stored, and the output keeps the tag if it can; \
             --track v1:rotation=0 has it shown as it is"
        );
    }
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

#[cfg(test)]
mod tests {
    #[test]
    fn filters_of_the_frame_are_filters() {
        for name in super::OF_THE_FRAME {
            assert!(crate::filters::find(name).is_some_and(|filter| filter.name == name), "{name}");
        }
    }
}
