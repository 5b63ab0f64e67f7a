//! Clips that the tests encode themselves: the other machine may have no ffmpeg.

use std::path::PathBuf;
use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::error::{Error, Result};
use vramp::io::libav::{self, Container, Output, OutputOptions};
use vramp::pipeline::{self, CpuChain, Frame, Item, Options, Source, Target};
use vramp::video::{FieldOrder, FrameProps, Picture, StreamInfo};

/// An empty folder that goes away with its value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("vramp-cuda-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a clip is made.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The file's name, whose extension is the container.
    pub name: &'static str,
    pub encoder: &'static str,
    pub format: &'static str,
    pub size: (usize, usize),
    pub frames: u64,
    pub fields: FieldOrder,
    /// The encoder's options, "key=value key=value".
    pub options: &'static str,
}

impl Recipe {
    pub const fn new(name: &'static str, encoder: &'static str, format: &'static str) -> Recipe {
        let (size, fields) = ((320, 192), FieldOrder::Progressive);
        Recipe { name, encoder, format, size, frames: 60, fields, options: "" }
    }

    pub const fn sized(self, width: usize, height: usize) -> Recipe {
        Recipe { size: (width, height), ..self }
    }

    pub const fn long(self, frames: u64) -> Recipe {
        Recipe { frames, ..self }
    }

    pub const fn interlaced(self) -> Recipe {
        Recipe { fields: FieldOrder::TopFirst, ..self }
    }

    pub const fn with(self, options: &'static str) -> Recipe {
        Recipe { options, ..self }
    }

    /// Encodes it into `folder`. Gives the file's path.
    ///
    /// # Errors
    /// When this libav has not the encoder, or it does not take the recipe.
    pub fn make(&self, folder: &Folder) -> Result<String> {
        let path = folder.file(self.name);
        let info = StreamInfo {
            field_order: self.fields,
            ..StreamInfo::bare(self.format.parse().unwrap(), self.size.0, self.size.1)
        };
        let pair = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap();
        let options = OutputOptions {
            codec: Some(self.encoder.to_owned()),
            options: self.options.split_whitespace().map(pair).collect(),
            overwrite: true,
            ..OutputOptions::default()
        };
        let choice = libav::choose_encoder(&path, &options)?;
        let target = Target { format: Some(info.format), ..Target::default() };
        let plan = pipeline::plan(Vec::new(), &info, target)?;
        let mut output = Output::create(&path, choice, &options, &plan.output, &Container::default(), &[])?;
        let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable)?)?;
        let mut source = Moving { info, frames: self.frames, next: 0 };
        pipeline::run(&mut source, &plan, &mut chain, &mut output, &Options::default(), &mut |_| {})?;
        Ok(path)
    }
}

/// A soft gradient that wanders, with a hard square on it, so that every block is predicted from somewhere else.
struct Moving {
    info: StreamInfo,
    frames: u64,
    next: u64,
}

impl Source for Moving {
    fn info(&self) -> &StreamInfo {
        &self.info
    }

    fn next(&mut self) -> Result<Option<Item>> {
        if self.next == self.frames {
            return Ok(None);
        }
        let StreamInfo { format, width, height, field_order, .. } = self.info;
        let mut picture = Picture::alloc(format, width, height)?;
        let shift = format.bit_depth() - 8;
        let mut planes = picture.planes_mut();
        for component in 0..planes.len() {
            let plane = planes.get_mut(component);
            for y in 0..plane.height() {
                // The fields of an interlaced frame are of two moments.
                let time = 2 * self.next as usize + usize::from(field_order.is_interlaced() && y % 2 == 1);
                for x in 0..plane.width() {
                    let soft = 60 * (4 << shift) / 4 + ((x * 3 + y * 2 + time * 5) << shift) / 16 + component * 20;
                    let inside = (x + 200 - 2 * time % 200) % 200 < 24 && (y + time) % 100 < 24;
                    let sample = soft % (220 << shift) + (usize::from(inside) * (30 << shift));
                    plane.set(x, y, sample as i32);
                }
            }
        }
        let props =
            FrameProps { frame_index: self.next, pts: Some(self.next as i64), field_order, ..FrameProps::default() };
        self.next += 1;
        Ok(Some(Item::Frame(Frame { props, picture })))
    }

    fn damage(&self) -> Option<Error> {
        None
    }
}
