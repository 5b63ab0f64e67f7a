//! `--preview`: one frame before and after the chain, as a PNG.

pub mod rgb;
pub mod sheet;

use crate::cli::args::{FilterArgs, Run};
use crate::cli::backend::{Backend, RunGpu};
use crate::cli::setup::{self, Accepted};
use crate::cli::sides::SideFiles;
use crate::cli::signals;
use crate::error::{Error, Kind, Result};
use crate::io::TempFile;
use crate::io::libav::{CopyChoice, DecoderChoice, Input, Window};
use crate::io::refuse_input;
use crate::pipeline::{Cancel, Chain, ChainPlan, Frame, Item, Source};
use rgb::Image;
use sheet::Sheet;
use std::io::Write;
use std::path::Path;

/// Writes the sheet of the frame at `job.preview`.
///
/// The result is shown as an output of the same arguments would hold it: at --depth or --format, with --dither, and in the depth
/// that an encoder gets by default. Where the chain drops or joins frames, it is the frame that a run from there would begin with.
pub fn run(job: &FilterArgs) -> Result<()> {
    let mut calls = setup::calls(&job.run)?;
    let (input_path, output_path) = (job.input()?, job.output()?);
    refuse_input(output_path, input_path)?;
    SideFiles::refuse_as_output(&job.run, output_path)?;
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;

    if let Some(extension) = Path::new(output_path).extension().filter(|name| !name.eq_ignore_ascii_case("png")) {
        log::warn!("{} will hold a PNG, whatever .{} says", output_path.display(), extension.display());
    }
    let mut file = TempFile::create(output_path, job.overwrite, &cancel)?;
    // The picture before the chain is shown, so it must come to the host.
    let mut options = setup::input_options(&job.run, CopyChoice::NONE, &RunGpu::default(), &cancel);
    options.decoder = DecoderChoice::Software;
    options.window = Window { start: job.preview, end: None, frames: None };
    let mut input = Input::open(input_path, options)?;
    let mut sides = SideFiles::open(&job.run, &input, &mut calls, &cancel)?;
    let by_default = setup::debanded_depth(&job.run, &calls, input.info().format).filter(|_| job.codec.is_none());
    let depth = job.run.depth.or(by_default);
    let run = &Run { depth, ..job.run.clone() };
    let plan = setup::plan_for(&mut input, sides.streams(), &calls, &Accepted::ANYTHING, run)?;
    let chain = Backend::new(&plan, &mut input, &job.run.on, &RunGpu::open(&job.run.on, job.run.decoder, &calls)?)?;
    let mut chain = chain.ok_or_else(|| Error::internal("a preview's frames are not on a GPU"))?;

    input.surround(plan.reach())?;
    let frames = frames(&mut input, &plan)?;
    if cancel.is_requested() {
        return Err(Error::new(Kind::Cancelled, "stopped; no output was kept"));
    }
    let Some(source) = frames.iter().find(|frame| !frame.props.context) else {
        let input = input_path.display();
        return Err(Error::bad_argument(format!(
            "{input}: the chain gives no frame at the position to preview or later"
        )));
    };
    setup::warn(&plan, run);
    let number = source.props.frame_index;
    let before = Image::new(&source.picture, &plan.input.color)?;
    let pool = chain.pictures(&plan, 1)?;
    let filtered = chain.filter(&plan, frames, &mut sides.sources(), &pool)?;
    let result = filtered.first().ok_or_else(|| Error::internal("the chain lost the frame"))?;
    let after = Image::new(&result.picture, &plan.output.color)?;
    write_png(&sheet::compose(&before, &after), &mut file).map_err(|e| Error::io(output_path.display(), &e))?;
    file.commit()?;
    log::info!("{}: source and result of frame {number}, amplified below", output_path.display());
    Ok(())
}

/// The frame of the preview, and those around it that the chain reads. It is the first that is read of which the result has a
/// frame.
fn frames(input: &mut Input, plan: &ChainPlan) -> Result<Vec<Frame>> {
    let reach = plan.reach();
    let (mut frames, mut wanted) = (Vec::<Frame>::new(), None);
    while let Some(item) = input.next()? {
        let Item::Frame(mut frame) = item else { continue };
        let index = frame.props.frame_index;
        if wanted.is_none() && !frame.props.context {
            wanted = Some(plan.first_owner(index));
        }
        frame.props.context = wanted != Some(index);
        frames.push(frame);
        if let Some(wanted) = wanted {
            let first = wanted.saturating_sub(reach.before.into());
            frames.retain(|frame| frame.props.frame_index >= first);
            if index >= wanted.saturating_add(reach.after.into()) {
                break;
            }
        }
    }
    Ok(frames)
}

/// Writes `sheet` as a PNG.
pub fn write_png(sheet: &Sheet, file: &mut impl Write) -> std::io::Result<()> {
    let mut encoder = png::Encoder::new(&mut *file, sheet.width as u32, sheet.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&sheet.bytes)?;
    writer.finish()?;
    file.flush()
}
