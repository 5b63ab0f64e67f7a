//! What to do when an encoder does not take the pictures it was chosen for.

use crate::error::{Error, Kind, Result};
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::Encoder;
use crate::io::libav::encode::setup::EncoderJob;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::output::check_options;

/// Opens the encoder that `job` chose. One that nobody named, and that does not take such pictures (SVT-AV1 wants at
/// least 64 by 64), is replaced by the container's next, in one line.
///
/// # Errors
/// When an option is wrong or the encoder refuses. The message names an encoder that does not, if there is one.
pub(in crate::io::libav) fn open(job: EncoderJob<'_>) -> Result<(EncoderChoice, Encoder)> {
    let refusal = match Encoder::open(job) {
        Ok(encoder) => return Ok((job.choice.clone(), encoder)),
        Err(refusal) if refusal.kind() == Kind::Unsupported && job.choice.is_hardware() => {
            return Err(Error::unsupported(format!("{refusal} (libx264, libx265 and libsvtav1 encode without a GPU)")));
        }
        Err(refusal) if refusal.kind() != Kind::Unsupported || takes_pictures(job) => return Err(refusal),
        Err(refusal) => refusal,
    };
    let mut others = job.choice.others(job.info.format);
    if job.options.codec.is_some() {
        let taker = others.find(|choice| takes_pictures(EncoderJob { choice, ..job }));
        return Err(taker.map_or(refusal.clone(), |choice| hinted(&refusal, &choice)));
    }
    let opened = others.find_map(|choice| {
        check_options(&choice, job.options).ok()?;
        let encoder = Encoder::open(EncoderJob { choice: &choice, ..job }).ok()?;
        Some((choice, encoder))
    });
    let (choice, encoder) = opened.ok_or_else(|| refusal.clone())?;
    log::warn!("{refusal}: {} takes its place", choice.encoder());
    Ok((choice, encoder))
}

/// Whether the encoder of `job` opens when nothing is asked of it: if it does not, the pictures are at fault.
fn takes_pictures(job: EncoderJob<'_>) -> bool {
    Encoder::open(EncoderJob { options: &OutputOptions::default(), ..job }).is_ok()
}

fn hinted(refusal: &Error, choice: &EncoderChoice) -> Error {
    Error::new(refusal.kind(), format!("{refusal}; -c {} takes such pictures", choice.encoder()))
}
