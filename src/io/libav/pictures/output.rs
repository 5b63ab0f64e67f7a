//! The end of a run in pictures: each packet of the encoder is a file.

use super::list::{Missing, PictureList};
use super::name::NumberedName;
use crate::error::{Error, Kind, Result};
use crate::io::libav::demux::streams::Container;
use crate::io::libav::encode::choose::EncoderChoice;
use crate::io::libav::encode::encoder::{Encoder, Received};
use crate::io::libav::encode::settings;
use crate::io::libav::encode::setup::{EncoderContext, EncoderJob};
use crate::io::libav::init;
use crate::io::libav::mux::warnings;
use crate::io::libav::options::OutputOptions;
use crate::io::libav::output::FrameTimes;
use crate::io::{TempFile, TempFiles, refuse_input};
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::StreamInfo;
use std::ffi::OsStr;
use std::io::Write;

/// One still picture, or a numbered sequence (`shot_%05d.png`), being encoded. Files have their names only after
/// [`Sink::finish`]; dropped before, none is left.
pub struct PictureOutput {
    path: String,
    place: PictureFiles,
    encoder: Encoder,
    times: FrameTimes,
    cancel: Cancel,
    bytes: u64,
}

/// Where pictures go.
enum PictureFiles {
    One { file: TempFile, written: bool },
    Many { files: TempFiles, name: NumberedName, next: u64, overwrite: bool },
}

impl PictureOutput {
    /// Opens an output of `info`'s frames at `path`, with `choice` from [`choose_encoder`](crate::io::libav::choose_encoder).
    /// The first picture of a sequence has the number `first`.
    ///
    /// # Errors
    /// When a picture exists and may not be replaced, is one of the input, or cannot be written; when more than one frame
    /// would go into one picture; when an option is unknown; when the encoder refuses.
    pub fn create(
        path: &(impl AsRef<OsStr> + ?Sized),
        choice: &EncoderChoice,
        options: &OutputOptions,
        info: &StreamInfo,
        container: &Container,
        first: u64,
    ) -> Result<PictureOutput> {
        let path = path.as_ref();
        init();
        let (encoder, side_data) = (EncoderContext::new(choice)?, &container.video.side_data);
        let places = [encoder.settings(choice.encoder())];
        options.options.iter().try_for_each(|(key, _)| settings::check(&places, key))?;
        if !options.ignore_dolby_vision {
            warnings::refuse_wrong_colours(side_data)?;
        }
        let place = match NumberedName::parse(path)? {
            None => PictureFiles::one(path, options, info.frame_count)?,
            Some(name) => PictureFiles::many(name, path, options, first)?,
        };
        let encoder = Encoder::open(EncoderJob { choice, options, info, side_data })?;
        let (path, times) = (path.display().to_string(), FrameTimes::new(info));
        Ok(PictureOutput { path, place, encoder, times, cancel: options.cancel.clone(), bytes: 0 })
    }

    /// Writes the pictures that the encoder has ready.
    fn drain(&mut self) -> Result<()> {
        while let Received::Packet(packet) = self.encoder.receive()? {
            if self.cancel.is_requested() {
                return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
            }
            let bytes = packet.data().unwrap_or_default();
            self.place.write(bytes, &self.path)?;
            self.bytes += bytes.len() as u64;
        }
        Ok(())
    }
}

impl PictureFiles {
    fn one(path: &OsStr, options: &OutputOptions, frames: Option<u64>) -> Result<PictureFiles> {
        if let Some(frames) = frames.filter(|frames| *frames > 1) {
            return Err(several(&path.display().to_string(), &format!("{frames} frames")));
        }
        for input in inputs(options)? {
            refuse_input(path, &input)?;
        }
        Ok(PictureFiles::One { file: TempFile::create(path, options.overwrite, &options.cancel)?, written: false })
    }

    fn many(name: NumberedName, path: &OsStr, options: &OutputOptions, first: u64) -> Result<PictureFiles> {
        let found = name.found()?;
        if let Some(existing) = found.iter().find(|number| **number >= first && !options.overwrite) {
            let existing = name.path(*existing);
            return Err(Error::bad_argument(format!(
                "{} exists: give -y to replace what has the same number, or begin after it with --start-number",
                existing.display()
            )));
        }
        for input in inputs(options)? {
            found.iter().try_for_each(|number| refuse_input(name.path(*number).as_os_str(), &input))?;
        }
        let pattern = std::path::Path::new(path).file_name().unwrap_or(path).to_string_lossy();
        let files = TempFiles::create(name.folder(), &pattern, options.overwrite)?;
        Ok(PictureFiles::Many { files, name, next: first, overwrite: options.overwrite })
    }

    fn write(&mut self, bytes: &[u8], path: &str) -> Result<()> {
        match self {
            PictureFiles::One { written: true, .. } => Err(several(path, "more than one frame")),
            PictureFiles::One { file, written } => {
                *written = true;
                file.write_all(bytes).map_err(|e| Error::io(path, &e))
            }
            PictureFiles::Many { files, name, next, .. } => {
                files.write(&name.name(*next), bytes)?;
                *next += 1;
                Ok(())
            }
        }
    }

    fn commit(&mut self) -> Result<()> {
        match self {
            PictureFiles::One { file, .. } => file.commit(),
            PictureFiles::Many { files, name, next, overwrite } => {
                files.commit()?;
                let stale: Vec<u64> =
                    name.found()?.into_iter().filter(|number| *number >= *next && *overwrite).collect();
                if let [first, ..] = stale[..] {
                    let (count, first) = (stale.len(), name.path(first));
                    log::warn!("{}: {count} more of an earlier run follow, from there on", first.display());
                }
                Ok(())
            }
        }
    }
}

/// The files that frames come from.
fn inputs(options: &OutputOptions) -> Result<Vec<std::ffi::OsString>> {
    let Some(input) = &options.input else { return Ok(Vec::new()) };
    Ok(match PictureList::find(input, Missing::Skip)? {
        Some(list) => list.files().iter().map(|file| file.clone().into_os_string()).collect(),
        None => vec![input.clone()],
    })
}

/// The error of `frames` for one picture.
fn several(path: &str, frames: &str) -> Error {
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, "png"));
    Error::bad_argument(format!(
        "{path} is one picture, and there are {frames}: name {stem}_%05d.{extension} for all, or give --frames 1"
    ))
}

impl Sink for PictureOutput {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        let pts = self.times.next(&frame.props);
        self.encoder.send(frame, pts)?;
        self.drain()
    }

    /// Pictures hold no other streams.
    fn packet(&mut self, _packet: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.encoder.end()?;
        self.drain()?;
        if self.bytes == 0 {
            return Err(Error::bad_argument(format!("{}: there is no frame to write", self.path)));
        }
        self.place.commit()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
