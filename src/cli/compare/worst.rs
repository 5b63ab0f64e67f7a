//! `--worst`: pictures of the frames that differ most.

use crate::cli::compare::findings::{MeasuredPair, Subject};
use crate::cli::compare::html::thumb;
use crate::cli::compare::spread;
use crate::cli::preview::rgb::Image;
use crate::cli::preview::sheet::{Sheet, dithered, rounded};
use crate::cli::preview::write_png;
use crate::cli::print;
use crate::error::{Error, Result};
use crate::io::{TempFile, follow_links};
use crate::pipeline::Cancel;
use crate::video::{ColorInfo, Picture, StreamInfo};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{self, Path, PathBuf};

/// Memory for pictures, at most, but for one pair.
const MOST_BYTES: usize = 1 << 30;

/// How the files' names begin.
const NAME: &str = "frame-";

/// What the files of a pair show, in their names.
const PICTURES: [&str; 3] = ["a", "b", "difference"];

/// The pairs that differ most, kept until the end: so many pictures of each video are in memory.
pub struct Worst {
    most: usize,
    folder: PathBuf,
    /// How many frames lie between two of them, where enough differ.
    apart: u64,
    /// The worst first; of equals, the earlier.
    kept: Vec<KeptPair>,
}

struct KeptPair {
    frame: u64,
    mse: f64,
    a: Picture,
    b: Picture,
}

/// A frame that was written.
pub struct Shot {
    /// Its number in A.
    pub frame: u64,
    /// Its mean squared error.
    pub mse: f64,
    /// A, B and the difference.
    pub files: [PathBuf; 3],
    /// The same, small.
    pub small: [Sheet; 3],
    /// How much the difference is amplified.
    pub gain: f32,
}

/// Refuses pictures in the folder of an input, which one of them could replace.
///
/// # Errors
/// When `input` lies in `folder`.
pub fn check_outside(input: &OsStr, folder: &Path) -> Result<()> {
    let within = fs::canonicalize(input).ok().zip(fs::canonicalize(folder).ok());
    if within.is_some_and(|(input, folder)| input.parent() == Some(&folder)) {
        let (input, folder) = (input.display(), folder.display());
        return Err(Error::bad_argument(format!(
            "{input} is in {folder}, where the pictures would go: name another folder"
        )));
    }
    Ok(())
}

/// Refuses a folder that is none, or has files in it that may not be replaced.
///
/// # Errors
/// When it is one of these.
pub fn check_folder(folder: &Path, overwrite: bool) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| Error::io(folder.display(), &e))?,
    };
    if !overwrite && entries.into_iter().next().is_some() {
        let folder = folder.display();
        return Err(Error::bad_argument(format!("{folder} is not empty: give -y to write into it all the same")));
    }
    Ok(())
}

/// Refuses a page that a picture in `folder`, or the folder itself, could replace.
///
/// # Errors
/// When it is called as one of them.
pub fn check_apart(page: &OsStr, folder: &Path) -> Result<()> {
    let (target, pictures) = (resolved(Path::new(page)), resolved(folder));
    let page = page.display();
    if pictures.starts_with(&target) {
        let folder = folder.display();
        return Err(Error::bad_argument(format!(
            "--html {page} is a file, and --worst {folder} needs a folder there: choose another name for one"
        )));
    }
    let is_picture = target.file_name().and_then(OsStr::to_str).is_some_and(|name| {
        name.starts_with(NAME) && PICTURES.iter().any(|picture| name.ends_with(&format!("-{picture}.png")))
    });
    if is_picture && target.parent() == Some(&pictures) {
        return Err(Error::bad_argument(format!(
            "--html {page} is called as a picture of --worst: choose another name"
        )));
    }
    Ok(())
}

/// Where `path` is or will be, by one name however it is written.
fn resolved(path: &Path) -> PathBuf {
    let end = follow_links(path);
    let end = path::absolute(&end).unwrap_or(end);
    let known = end.ancestors().find_map(|there| Some((there, fs::canonicalize(there).ok()?)));
    let whole = known.and_then(|(there, whole)| Some(whole.join(end.strip_prefix(there).ok()?)));
    whole.unwrap_or(end)
}

/// A folder that was made before there is anything in it, and goes if it stays so.
pub struct Made(PathBuf);

impl Made {
    /// Makes `folder` where `page` is to lie in it: the page is begun before there are pictures.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn around(page: &OsStr, folder: &Path) -> Result<Option<Made>> {
        if folder.exists() || resolved(Path::new(page)).parent() != Some(&resolved(folder)) {
            return Ok(None);
        }
        fs::create_dir_all(folder).map_err(|e| Error::io(folder.display(), &e))?;
        Ok(Some(Made(folder.to_owned())))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // A folder with something in it stays.
        let _ = fs::remove_dir(&self.0);
    }
}

impl Worst {
    /// Keeps `most` pairs for `folder`. What would make the writing fail in the end is reported at once.
    ///
    /// # Errors
    /// When so many pictures are too much for memory, or the videos' colours cannot be shown.
    pub fn new(most: usize, folder: PathBuf, subject: &Subject) -> Result<Worst> {
        let bytes = |info: &StreamInfo| Picture::bytes(info.format, info.width, info.height).unwrap_or(usize::MAX);
        let pair = subject.infos.iter().map(bytes).fold(0, usize::saturating_add);
        let fit = (MOST_BYTES / pair.max(1)).max(1);
        if most > fit {
            let (most_bytes, size) = (print::size(MOST_BYTES as u64), print::size(pair as u64));
            return Err(Error::bad_argument(format!(
                "--worst {most} keeps as many pairs of pictures, of {size} each: at most {fit} fit in {most_bytes}"
            )));
        }
        for info in &subject.infos {
            let one_sample = Picture::alloc(info.format, 1, 1)?;
            Image::new(&one_sample, &info.color).map_err(|e| e.context("--worst"))?;
        }
        Ok(Worst { most, folder, apart: spread::apart(&subject.infos[0]), kept: Vec::new() })
    }

    /// Keeps `pair`, of which `a` and `b` are the pictures, if it is among the worst.
    pub fn offer(&mut self, pair: &MeasuredPair, a: Picture, b: Picture) {
        let mse = pair.difference.mse();
        if mse > 0.0 {
            let mut kept = std::mem::take(&mut self.kept);
            kept.push(KeptPair { frame: pair.a.index, mse, a, b });
            self.kept = spread::worst(kept, self.most, self.apart, |kept| (kept.frame, kept.mse));
        }
    }

    /// Writes three PNGs for every pair kept, the worst first. Without any, the folder is not made.
    ///
    /// # Errors
    /// When a file cannot be written; those before it stay.
    pub fn write(self, overwrite: bool, subject: &Subject, cancel: &Cancel) -> Result<Vec<Shot>> {
        if self.kept.is_empty() {
            log::info!("no frame differs: there is nothing to write to {}", self.folder.display());
            return Ok(Vec::new());
        }
        fs::create_dir_all(&self.folder).map_err(|e| Error::io(self.folder.display(), &e))?;
        let [info_a, info_b] = &subject.infos;
        let shoot = |kept: &KeptPair| {
            let shot = kept.draw(&self.folder, [&info_a.color, &info_b.color])?;
            shot.1.iter().zip(&shot.0.files).try_for_each(|(sheet, path)| write(sheet, path, overwrite, cancel))?;
            Ok(shot.0)
        };
        let shots = self.kept.iter().map(shoot).collect::<Result<Vec<_>>>()?;
        log::info!("{}: {} files of the {} worst frames", self.folder.display(), 3 * shots.len(), shots.len());
        Ok(shots)
    }
}

impl KeptPair {
    fn draw(&self, folder: &Path, colors: [&ColorInfo; 2]) -> Result<(Shot, [Sheet; 3])> {
        let (a, b) = (Image::new(&self.a, colors[0])?, Image::new(&self.b, colors[1])?);
        let gain = gain(&a, &b);
        let files = PICTURES.map(|what| folder.join(format!("{NAME}{:06}-{what}.png", self.frame)));
        let sheets = [shown(&a), shown(&b), difference(&a, &b, gain)];
        let small = sheets.each_ref().map(|sheet| sheet.shrunk(thumb::WIDTH));
        Ok((Shot { frame: self.frame, mse: self.mse, files, small, gain }, sheets))
    }
}

fn write(sheet: &Sheet, path: &Path, overwrite: bool, cancel: &Cancel) -> Result<()> {
    let mut file = TempFile::create(path, overwrite, cancel)?;
    write_png(sheet, &mut file).map_err(|e| Error::io(path.display(), &e))?;
    file.commit()
}

/// An image at 8 bits, dithered alike whichever it is.
fn shown(image: &Image) -> Sheet {
    let at = |i: usize| (i % image.width, i / image.width);
    let pixel = |(i, rgb): (usize, &[f32; 3])| rgb.map(|value| dithered(value, at(i).0, at(i).1));
    Sheet { width: image.width, height: image.height, bytes: image.rgb.iter().enumerate().flat_map(pixel).collect() }
}

/// Grey where the images are the same; what B has more of is brighter.
fn difference(a: &Image, b: &Image, gain: f32) -> Sheet {
    let pixel = |(a, b): (&[f32; 3], &[f32; 3])| [0, 1, 2].map(|i| rounded(0.5 + gain * (b[i] - a[i])));
    Sheet { width: a.width, height: a.height, bytes: a.rgb.iter().zip(&b.rgb).flat_map(pixel).collect() }
}

/// The power of two that brings differences of four times their root mean square near black or white, but not past it:
/// ordinary ones fill the scale, and what is larger ends at it.
fn gain(a: &Image, b: &Image) -> f32 {
    let values = a.rgb.as_flattened().iter().zip(b.rgb.as_flattened());
    let squared = values.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>() / (3 * a.rgb.len()) as f64;
    let most = 0.5 / (4.0 * squared.sqrt() as f32).max(1.0 / 65536.0);
    most.max(1.0).log2().floor().exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(values: &[f32]) -> Image {
        Image { width: values.len(), height: 1, rgb: values.iter().map(|v| [*v; 3]).collect(), luma: values.to_vec() }
    }

    #[test]
    fn ordinary_differences_fill_the_scale() {
        let a = image(&[0.5; 4]);
        let raised = |by: f32| image(&[0.5, 0.5, 0.5, 0.5 + by]);
        // One of four differs, so the root mean square is half of the difference.
        for (by, expected) in [(1.0 / 16.0, 4.0), (0.06, 4.0), (0.07, 2.0), (1.0, 1.0), (0.0, 32768.0)] {
            assert_eq!(gain(&a, &raised(by)), expected, "{by}");
        }
        let sheet = difference(&a, &image(&[0.5, 0.25, 0.75, 1.0]), 2.0);
        assert_eq!(sheet.bytes, [128, 128, 128, 0, 0, 0, 255, 255, 255, 255, 255, 255]);
    }
}
