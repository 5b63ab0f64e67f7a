//! `lut3d`: colours by a table.

use super::cube::{Cube, NodeInterp};
use super::lut::looks::Look;
use super::lut::{self, Lut};
use super::matrix::Sums;
use super::recipe::RgbStep;
use super::{Grade, Graded, check_matrix, has_colours};
use crate::error::{Error, Result};
use crate::filters::{Alias, Descriptor, Filter, Footprint};
use crate::params::{Argument, Call, Choice, ParamKind, ParamValue, Params, refuse};
use crate::video::StreamInfo;
use std::path::Path;
use std::sync::Arc;

crate::choices! {
    /// How colours between those of the table are made.
    pub enum Interp {
        /// From the four colours of a tetrahedron.
        Tetrahedral = "tetrahedral",
        /// From the eight colours around.
        Trilinear = "trilinear",
    }
}

crate::choices! {
    /// What values of the table mean.
    pub enum CodeRange {
        /// Black is 0 and white 1.
        Full = "full",
        /// Black is 64/1023 and white 940/1023.
        Limited = "limited",
    }
    spelled by of_ranges;
}

/// FFmpeg's names of ranges.
fn of_ranges(word: &str, text: &str) -> bool {
    let other: &[&str] = if word == "full" { &["pc", "jpeg"] } else { &["tv", "mpeg", "legal", "video"] };
    other.iter().any(|other| text.eq_ignore_ascii_case(other))
}

/// The path of a table's file.
#[derive(Clone, Debug, PartialEq)]
pub struct File(String);

impl File {
    const FORM: ParamKind = ParamKind::Text("the path of a .cube, .3dl, .dat, .m3d or .png (HaldCLUT)");
}

impl ParamValue for File {
    fn parse(given: &Argument<'_>) -> Result<File> {
        if given.text.is_empty() { Err(refuse(given)) } else { Ok(File(given.text.to_owned())) }
    }

    fn print(&self) -> String {
        self.0.clone()
    }
}

/// The beginning of a file's SHA-256.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHash(String);

impl FileHash {
    const FORM: ParamKind = ParamKind::Text("8 to 64 hexadecimal digits");
    /// As many digits as a call has of a file that was read.
    const USUAL: usize = 16;
}

impl ParamValue for FileHash {
    fn parse(given: &Argument<'_>) -> Result<FileHash> {
        let is_hash = (8..=64).contains(&given.text.len()) && given.text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash { Ok(FileHash(given.text.to_ascii_lowercase())) } else { Err(refuse(given)) }
    }

    fn print(&self) -> String {
        self.0.clone()
    }
}

crate::params! {
    /// The parameters of `lut3d`.
    pub struct Lut3dParams {
        /// The file of the table. Its name's ending says which format it has. `auto` is none: `look` counts.
        file: Option<File> = None, File::FORM, unit "", aliases ["lutfile", "clut"];
        /// How colours between those of the table are made. `trilinear` mixes the eight around, for programs that do that.
        interp: Interp = Interp::Tetrahedral, ParamKind::Choice(<Interp as Choice>::WORDS), unit "", aliases [];
        /// A table that is built in, for trying it out without a file: `warm` has warm lights and cool shadows, `faded` pale
        /// colours and lifted blacks, and `none` changes nothing.
        look: Look = Look::None, ParamKind::Choice(<Look as Choice>::WORDS), unit "", aliases [];
        /// What values of the table mean, those that go in and those that result: `full` has black at 0 and white at 1,
        /// `limited` at 64/1023 and 940/1023, as tables that were made for video levels have. It is not the range of the stream,
        /// which may be any. `auto` is what the file states, and `full` where it states nothing.
        in_range: Option<CodeRange> = None, ParamKind::Choice(<CodeRange as Choice>::WORDS), unit "", aliases [];
        /// The matrix of Y'CbCr; `auto` is what the stream states. RGB needs none.
        matrix: Option<Sums> = None, ParamKind::Choice(<Sums as Choice>::WORDS), unit "", aliases [];
        /// The SHA-256 of the file, or how it begins: a file that has another is refused. A run writes it down of the file that it
        /// read, so that its record stands for what was done.
        sha256: Option<FileHash> = None, FileHash::FORM, unit "", aliases [];
    }
    presets {}
    elsewhere {
        ["shadow", "repeatlast", "shortest", "eof_action", "ts_sync_mode"]: "the table is a file, which 'file' names";
        ["lut3d_interp"]: "it is 'interp' here";
    }
}

/// What `lut3d` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "lut3d",
    aliases: &[Alias::own("lut1d")],
    summary: "Grades colours by a table: .cube, .3dl, .dat, .m3d and HaldCLUT files",
    definition: include_str!("lut3d.md"),
    schema: Lut3dParams::SCHEMA,
    accepts: has_colours,
    footprint: Footprint::Window("on chroma that is subsampled: two samples in every direction"),
    temporal: "",
    changes: &[],
    neutral: &["", "look=none:interp=trilinear"],
    cases: &[
        "look=warm:matrix=bt709",
        "look=faded:matrix=bt2020",
        "look=warm:in_range=limited:interp=trilinear:matrix=bt601",
    ],
    create: |call| Ok(Box::new(Graded(Lut3d::open(call)?)) as Box<dyn Filter>),
};

/// `lut3d` with its parameters set, and its table read.
#[derive(Debug)]
struct Lut3d {
    params: Lut3dParams,
    cube: Arc<Cube>,
    warning: Option<String>,
}

impl Lut3d {
    /// The filter that `call` asks for.
    fn open(call: &Call) -> Result<Lut3d> {
        let mut params = Lut3dParams::from_call(call)?;
        let in_call = |error: Error| error.context(&call.name);
        let lut = match &params.file {
            None if params.sha256.is_some() => {
                return Err(in_call(Error::bad_argument("'sha256' is that of a file, and no 'file' is given")));
            }
            None => params.look.lut(),
            Some(_) if params.look != Look::None => {
                return Err(in_call(Error::bad_argument("'file' and 'look' are both given: one of them is the table")));
            }
            Some(File(path)) => {
                let (lut, hash) =
                    lut::read(Path::new(path)).map_err(|error| in_call(error.context(format!("file '{path}'"))))?;
                params.sha256 = Some(checked(params.sha256.as_ref(), &hash).map_err(in_call)?);
                lut
            }
        };
        let limited = params.in_range.map_or(lut.limited, |codes| [codes == CodeRange::Limited; 2]);
        let between = match params.interp {
            Interp::Tetrahedral => NodeInterp::Tetrahedral,
            Interp::Trilinear => NodeInterp::Trilinear,
        };
        let cube = Arc::new(Cube::new(&lut, limited, between));
        let warning = warning(&lut, &cube, limited[0]);
        Ok(Lut3d { params, cube, warning })
    }
}

/// The hash of a file whose hash is `hash`, if it is the one that was asked for.
fn checked(wanted: Option<&FileHash>, hash: &str) -> Result<FileHash> {
    match wanted {
        Some(FileHash(wanted)) if !hash.starts_with(wanted) => Err(Error::bad_argument(format!(
            "the file is another than the one that was asked for: its SHA-256 is {hash}, not sha256={wanted}"
        ))),
        Some(wanted) => Ok(wanted.clone()),
        None => Ok(FileHash(hash[..FileHash::USUAL].to_owned())),
    }
}

/// What is odd about a table.
fn warning(lut: &Lut, cube: &Cube, is_limited: bool) -> Option<String> {
    // Of neutral colours.
    let [black, white] = [0, u16::MAX].map(|code| cube.apply([code; 3]).map(|code| f64::from(code) / 65535.0));
    let is_near = |colour: [f64; 3], value: f64| colour.iter().all(|part| (part - value).abs() < 0.004);
    let unit = lut.curves.is_none() && lut.cube.as_ref().is_some_and(|cube| cube.domain == lut::LutDomain::UNIT);
    if !is_limited && unit && is_near(black, 64.0 / 1023.0) && is_near(white, 940.0 / 1023.0) {
        return Some(
            "the table's black is 0.063 and its white 0.919, which is limited range: if it was made for that, \
             add in_range=limited"
                .to_owned(),
        );
    }
    if let Some((least, most)) = unused(lut) {
        return Some(format!(
            "the table is for values from {least} to {most}, and a picture has values from 0 to 1: the rest is not used; \
             if it was made for light or logarithmic codes, the picture has to have these"
        ));
    }
    let clipped = cube.clipped();
    (clipped > 0).then(|| format!("{clipped} values of the table are below black or above white, and are cut off"))
}

/// The domain of a table, where it is more than twice what a picture has.
fn unused(lut: &Lut) -> Option<(f64, f64)> {
    let domain = lut.curves.as_ref().map(|curves| curves.domain).or(lut.cube.as_ref().map(|cube| cube.domain))?;
    let (least, most) = (domain.min[0], domain.max[0]);
    (most - least > 2.0).then_some((least, most))
}

impl Grade for Lut3d {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn call(&self) -> Call {
        self.params.to_call(DESCRIPTOR.name)
    }

    fn file(&self) -> Option<&Path> {
        self.params.file.as_ref().map(|File(path)| Path::new(path))
    }

    fn source(&self, input: &StreamInfo) -> Result<StreamInfo> {
        let mut source = input.clone();
        if self.cube.is_identity() {
            return Ok(source);
        }
        if let Some(matrix) = self.params.matrix {
            source.color.matrix = matrix.tag();
        }
        check_matrix(&source, "matrix=")?;
        Ok(source)
    }

    fn output(&self, source: &StreamInfo) -> Result<StreamInfo> {
        Ok(source.clone())
    }

    fn work(&self, _: &StreamInfo, _: &StreamInfo) -> RgbStep {
        RgbStep::Cube(self.cube.clone())
    }

    fn is_identity(&self, _: &StreamInfo, _: &StreamInfo) -> bool {
        self.cube.is_identity()
    }

    fn warning(&self) -> Option<String> {
        self.warning.clone()
    }
}

/// What any bytes are as the file of a table, for fuzzing.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(bytes: &[u8]) -> Result<()> {
    let Some((kind, bytes)) = bytes.split_first() else { return Ok(()) };
    let (_, kind) = lut::LutKind::ALL[usize::from(*kind) % lut::LutKind::ALL.len()];
    let lut = lut::parse(kind, bytes)?;
    let cube = Cube::new(&lut, lut.limited, NodeInterp::Tetrahedral);
    assert_eq!(cube.nodes().len(), cube.edge().pow(3));
    cube.apply([u16::MAX; 3]);
    Ok(())
}
