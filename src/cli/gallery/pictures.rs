//! The pictures of a frame: as it is, and what each preset makes of it.

use super::chain_of;
use super::looks::ShownPreset;
use crate::cli::preview::rgb::Image;
use crate::cli::preview::sheet::Sheet;
use crate::cli::preview::write_png;
use crate::device::DeviceChoice;
use crate::error::{Error, Kind, Result};
use crate::filters;
use crate::pipeline::{Cancel, Engine, Frame, Target, Workers};
use crate::video::{ColorInfo, Picture, StreamInfo};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

/// Columns of a thumbnail.
const THUMBNAIL: usize = 320;

/// Writes the pictures of frame `number` to `folder`: `0-source.png`, `0-0.png` and so on, each with its thumbnail
/// (`0-0-small.png`). Gives for each look whether it has one: what the filter refuses is left out, with a message.
///
/// # Errors
/// When a picture cannot be made or written.
pub fn render(
    info: &StreamInfo,
    frame: &Frame,
    looks: &[ShownPreset],
    threads: usize,
    folder: &Path,
    number: usize,
    cancel: &Cancel,
) -> Result<Vec<bool>> {
    let workers = Arc::new(Workers::new(DeviceChoice::Cpu, threads)?);
    write(&frame.picture, &info.color, folder, &format!("{number}-source"))?;
    let mut shown = Vec::new();
    for (index, look) in looks.iter().enumerate() {
        if cancel.is_requested() {
            return Err(Error::new(Kind::Cancelled, "stopped; no page was kept"));
        }
        // Results keep what the source's depth would round away: the picture is dithered, as a 10-bit output looks.
        let target = Target { format: Some(info.format.to_planar(16)?), ..Target::default() };
        let made = Engine::with_workers(filters::chain(&chain_of(look))?, info, target, Arc::clone(&workers));
        let engine = match made {
            Ok(engine) => engine,
            Err(error) => {
                // Defaults are tried on everything, presets are meant for it.
                let level = if look.preset.is_some() { log::Level::Warn } else { log::Level::Debug };
                log::log!(level, "{}: left out: {error}", chain_of(look));
                shown.push(false);
                continue;
            }
        };
        let output = &engine.plan().output;
        let mut picture = Picture::alloc(output.format, output.width, output.height)?;
        engine.process(&frame.props, &frame.picture.planes(), &mut picture.planes_mut())?;
        write(&picture, &output.color, folder, &format!("{number}-{index}"))?;
        shown.push(true);
    }
    Ok(shown)
}

/// Writes a picture and its thumbnail.
fn write(picture: &Picture, color: &ColorInfo, folder: &Path, name: &str) -> Result<()> {
    let sheet = Sheet::of(&Image::new(picture, color)?);
    for (sheet, name) in [(&sheet, format!("{name}.png")), (&sheet.shrunk(THUMBNAIL), format!("{name}-small.png"))] {
        let path = folder.join(name);
        let written = File::create(&path).and_then(|file| write_png(sheet, &mut BufWriter::new(file)));
        written.map_err(|e| Error::io(path.display(), &e))?;
    }
    Ok(())
}
