//! `vramp gallery`: a page with every preset of the filters, on frames of a video.

mod looks;
mod page;
mod pictures;

use crate::cli::args::gallery::GalleryArgs;
use crate::cli::signals;
use crate::error::{Error, Kind, Result};
use crate::io::libav::{CopyChoice, DecoderChoice, Input, InputOptions, Position, Window};
use crate::pipeline::{Cancel, Frame, Item, Source};
use crate::video::StreamInfo;
use looks::ShownPreset;
use page::{Page, ShownFrame};
use std::fs;
use std::path::{Path, PathBuf};

/// The page's file in its folder. A folder that has it is a gallery.
const INDEX: &str = "index.html";

/// Where frames are taken from when nobody says: parts of the film.
const SPREAD: [f64; 3] = [0.2, 0.5, 0.8];

/// Runs `vramp gallery`.
pub fn run(args: &GalleryArgs) -> Result<()> {
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;
    refuse_to_replace(args)?;
    let looks = looks::asked(&args.filter)?;
    let folder = Unfinished::beside(&args.output)?;
    let mut page = Page::new(&args.input);
    for position in positions(args, &cancel)? {
        let Some((info, frame)) = frame_at(args, position, &cancel)? else {
            return Err(Error::bad_argument(format!("{} has no frame at {}", args.input.display(), shown(position))));
        };
        let number = page.frames();
        let rendered = pictures::render(&info, &frame, &looks, args.threads, &folder.path, number, &cancel)?;
        page.add(ShownFrame::new(&info, &frame.props), &looks, rendered, info.format.bit_depth());
        log::info!("frame {}: {} pictures", frame.props.frame_index, page.pictures_of(number));
    }
    let index = folder.path.join(INDEX);
    fs::write(&index, page.html()?).map_err(|e| Error::io(index.display(), &e))?;
    folder.commit(&args.output, args.overwrite)?;
    log::info!("open {}", args.output.join(INDEX).display());
    Ok(())
}

/// Refuses a folder that is there, unless it is a gallery that may be replaced.
fn refuse_to_replace(args: &GalleryArgs) -> Result<()> {
    let path = &args.output;
    let wrong = |what: &str| Err(Error::new(Kind::BadArgument, format!("{} {what}", path.display())));
    match (path.exists(), path.join(INDEX).exists(), args.overwrite) {
        (false, ..) | (true, true, true) => Ok(()),
        (true, true, false) => wrong("is there already: add -y to replace it"),
        (true, false, _) => wrong("is there already and is no gallery: name another folder"),
    }
}

/// The frames to show.
fn positions(args: &GalleryArgs, cancel: &Cancel) -> Result<Vec<Position>> {
    if !args.at.is_empty() {
        return Ok(args.at.clone());
    }
    let whole = InputOptions { window: Window::default(), ..options(None, cancel) };
    let input = Input::open(&args.input, whole)?;
    Ok(match (input.info().frame_count, input.duration()) {
        (Some(count), _) if count > 0 => {
            let mut frames = SPREAD.map(|part| (count as f64 * part) as u64).to_vec();
            frames.dedup();
            frames.into_iter().map(Position::Frame).collect()
        }
        (_, Some(seconds)) => SPREAD.map(|part| Position::Time(seconds * part)).to_vec(),
        _ => vec![Position::Frame(0)],
    })
}

fn options(at: Option<Position>, cancel: &Cancel) -> InputOptions {
    InputOptions {
        decoder: DecoderChoice::Software,
        copy: CopyChoice::NONE,
        window: Window { start: at, end: None, frames: Some(1) },
        cancel: cancel.clone(),
        ..InputOptions::default()
    }
}

/// The frame at a position, and the stream it is of.
fn frame_at(args: &GalleryArgs, at: Position, cancel: &Cancel) -> Result<Option<(StreamInfo, Frame)>> {
    let mut input = Input::open(&args.input, options(Some(at), cancel))?;
    let info = input.info().clone();
    while let Some(item) = input.next()? {
        if let Item::Frame(frame) = item {
            return Ok(Some((info, frame)));
        }
    }
    Ok(None)
}

/// A position as the command line has it.
fn shown(position: Position) -> String {
    match position {
        Position::Frame(number) => format!("#{number}"),
        Position::Time(seconds) => format!("{seconds} s"),
    }
}

/// A folder that gets its name when it is whole, and is gone otherwise.
struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    fn beside(path: &Path) -> Result<Unfinished> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".unfinished-{}", std::process::id()));
        let path = path.with_file_name(name);
        fs::create_dir_all(&path).map_err(|e| Error::io(path.display(), &e))?;
        Ok(Unfinished { path })
    }

    /// Gives it its name, in place of a gallery that may be replaced.
    fn commit(self, path: &Path, overwrite: bool) -> Result<()> {
        if overwrite && path.exists() {
            fs::remove_dir_all(path).map_err(|e| Error::io(path.display(), &e))?;
        }
        fs::rename(&self.path, path).map_err(|e| Error::io(path.display(), &e))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After `commit` nothing is there.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A look as a chain has it.
fn chain_of(look: &ShownPreset) -> String {
    match look.preset {
        Some(preset) => format!("{}=preset={preset}", look.filter),
        None => look.filter.to_owned(),
    }
}
