//! The plan of a film in parts, as its file has it.

use super::cuts::CutAt;
use crate::error::{Error, Result};
use crate::io::libav::{EntryPacket, HeaderContents, Opening};
use crate::video::Rational;
use serde::{Deserialize, Serialize};
use std::io::Read;
use twox_hash::XxHash3_128;

/// The version of the file that is written and read.
const VERSION: u32 = 5;

/// More bytes than this are no plan: that of a hundred thousand parts has a quarter of it.
const LONGEST: u64 = 128 << 20;

/// All that decides the bytes of a film, and where it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilmPlan {
    /// The version of this file.
    pub version: u32,
    /// vramp's version.
    pub vramp: String,
    /// XXH3 of 128 bits of everything here but itself and the paths.
    pub id: String,
    /// Whether the same bytes come of it on every machine whose encoder has the fingerprint.
    pub reproducible: bool,
    /// The film.
    pub input: InputFile,
    /// Other files that are read.
    pub files: Vec<OtherFile>,
    /// What is made of it.
    pub output: OutputFile,
    /// The options of the command line that decide about its bytes.
    pub options: Vec<String>,
    /// The folder from which names of files in options are meant: as the path of the input.
    pub from: String,
    /// How it is cut.
    pub cutting: Cutting,
    /// The sample format that the encoder gets.
    pub format: String,
    /// The encoder.
    pub encoder: PinnedEncoder,
    /// The parts, in order.
    pub parts: Vec<PlannedPart>,
}

/// The film that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Its path: within the folder of the output relative to the plan's, else from the root.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// A hash of its size, its first and its last bytes, and of some between.
    pub hash: String,
    /// How little of it has to be read to open it, where libav reads more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<PlannedOpening>,
    /// The unit of the times of its frames, in seconds: numerator and denominator.
    pub timebase: (i32, i32),
    /// Its frames, or those of the window of it that is worked on.
    pub frames: u64,
    /// When the first of them is shown.
    pub origin: i64,
}

/// How a film is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedOpening {
    /// So many bytes are looked at for tracks.
    pub probe: u64,
    /// A hash of what is found in them.
    pub found: String,
}

impl From<&Opening> for PlannedOpening {
    fn from(opening: &Opening) -> PlannedOpening {
        PlannedOpening { probe: opening.probe, found: hex(opening.found) }
    }
}

impl InputFile {
    /// How it is opened, where that is known.
    pub fn opening(&self) -> Option<Opening> {
        let PlannedOpening { probe, found } = self.opening.as_ref()?;
        Some(Opening { probe: *probe, found: unhex(found)? })
    }
}

/// Another file that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherFile {
    /// Its path, as the options have it.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// A hash of its size and its bytes, of very large ones the first and the last.
    pub hash: String,
}

/// What is made of the film.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Its path, relative to the plan's folder.
    pub path: String,
    /// The container.
    pub container: String,
    /// Whether it replaces a file that exists.
    pub overwrite: bool,
}

/// How a film is cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cutting {
    /// About how long parts are, in seconds.
    pub segment: f64,
    /// With which frames they begin.
    pub cuts: CutAt,
    /// Whether nothing is pinned.
    pub fast: bool,
}

/// An encoder, and what is pinned of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedEncoder {
    /// Its name.
    pub name: String,
    /// The version of the library that opens it.
    pub library: String,
    /// Its threads; 0: as many as it likes.
    pub threads: usize,
    /// Options that go after those of the command line.
    pub options: Vec<(String, String)>,
    /// Why each is pinned, or why the result is not reproducible.
    pub why: Vec<String>,
    /// What it makes of a few pictures, as a hash; none where it is not compared.
    pub fingerprint: Option<String>,
}

/// A part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPart {
    /// The index of its first frame in the film.
    pub start: u64,
    /// Its frames.
    pub frames: u32,
    /// The digest of their times.
    pub times: String,
    /// When the first and the last of them are shown.
    pub span: (i64, i64),
    /// The hash of the input's packets that are shown within that.
    pub contents: String,
    /// Where the decoder begins, so that what is before it is not read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seek: Option<Seek>,
}

/// Where a decoder begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seek {
    /// The index of the frame that comes of the packet there.
    pub frame: u64,
    /// When it is shown, in the input's unit.
    pub pts: i64,
    /// When it is decoded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dts: Option<i64>,
    /// The byte at which it begins.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub byte: Option<i64>,
    /// The hash of the packet.
    pub packet: String,
}

impl From<&EntryPacket> for Seek {
    fn from(place: &EntryPacket) -> Seek {
        let EntryPacket { frame, pts, dts, byte, hash } = *place;
        Seek { frame, pts, dts, byte, packet: hex(hash) }
    }
}

impl Seek {
    /// The place, where the hash is one.
    pub fn place(&self) -> Option<EntryPacket> {
        let Seek { frame, pts, dts, byte, .. } = *self;
        Some(EntryPacket { frame, pts, dts, byte, hash: unhex(&self.packet)? })
    }
}

impl FilmPlan {
    /// The same plan with its version and its id.
    ///
    /// # Errors
    /// Never in practice: when it cannot be written as JSON.
    pub fn sealed(mut self) -> Result<FilmPlan> {
        self.version = VERSION;
        self.id = self.own_id()?;
        Ok(self)
    }

    fn own_id(&self) -> Result<String> {
        let mut bare = self.clone();
        let files = bare.files.iter_mut().map(|file| &mut file.path);
        let paths = [&mut bare.id, &mut bare.input.path, &mut bare.output.path, &mut bare.from];
        paths.into_iter().chain(files).for_each(String::clear);
        // Whether a file may be replaced is no matter of its bytes.
        bare.output.overwrite = false;
        let text = serde_json::to_vec(&bare).map_err(|e| Error::internal(format!("JSON: {e}")))?;
        Ok(hex(XxHash3_128::oneshot(&text)))
    }

    /// Reads a plan from `input`.
    ///
    /// # Errors
    /// One line that says why it is none, or of another version, or was changed.
    pub fn read(input: impl Read) -> Result<FilmPlan> {
        let mut text = Vec::new();
        input.take(LONGEST).read_to_end(&mut text).map_err(|e| Error::io("it cannot be read", &e))?;
        FilmPlan::parse(&text)
    }

    /// The plan that `text` is.
    ///
    /// # Errors
    /// As [`FilmPlan::read`].
    pub fn parse(text: &[u8]) -> Result<FilmPlan> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let one_line = |e: serde_json::Error| Error::corrupt(format!("it is no plan: {e}"));
        match serde_json::from_slice(text).map_err(one_line)? {
            Versioned { version: VERSION } => {}
            Versioned { version } => {
                let line = format!("it is a plan of version {version}, and this vramp reads version {VERSION}");
                return Err(Error::unsupported(line));
            }
        }
        let plan: FilmPlan = serde_json::from_slice(text).map_err(one_line)?;
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::corrupt(format!("it is no plan: {what}")));
        let mut frames = 0_u64;
        let mut start = self.parts.first().map_or(0, |part| part.start);
        for part in &self.parts {
            if part.start != start || part.frames == 0 {
                return wrong("its parts do not follow each other");
            }
            let seek = part.seek.as_ref();
            if [&part.times, &part.contents].into_iter().any(|hash| unhex(hash).is_none())
                || seek.is_some_and(|seek| seek.place().is_none() || seek.frame > start)
            {
                return wrong("one of its parts is not whole");
            }
            frames = frames.saturating_add(part.frames.into());
            start = start.saturating_add(part.frames.into());
        }
        if frames != self.input.frames || frames == 0 || u32::try_from(self.parts.len()).is_err() {
            return wrong("its parts are not all of the film");
        }
        if self.timebase().value().is_none_or(|unit| unit <= 0.0) {
            return wrong("its unit of time is none");
        }
        if self.encoder.fingerprint.as_deref().is_some_and(|print| unhex(print).is_none()) {
            return wrong("its fingerprint of the encoder is none");
        }
        if self.id != self.own_id()? {
            return wrong("it was changed after it was made");
        }
        Ok(())
    }

    /// The plan as its file has it.
    ///
    /// # Errors
    /// Never in practice: when it cannot be written as JSON.
    pub fn text(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self).map_err(|e| Error::internal(format!("JSON: {e}")))?;
        text.push(b'\n');
        Ok(text)
    }

    /// The id as bytes.
    pub fn key(&self) -> [u8; 16] {
        unhex(&self.id).unwrap_or(0).to_le_bytes()
    }

    /// What the encoder makes of a few pictures, where that is compared.
    pub fn fingerprint(&self) -> Option<u128> {
        unhex(self.encoder.fingerprint.as_deref()?)
    }

    /// The unit of times.
    pub fn timebase(&self) -> Rational {
        Rational::new(self.input.timebase.0, self.input.timebase.1)
    }

    /// How many parts there are.
    pub fn count(&self) -> u32 {
        self.parts.len() as u32
    }

    /// Part `number`.
    ///
    /// # Errors
    /// When there is none of this number.
    pub fn part(&self, number: u32) -> Result<&PlannedPart> {
        let last = self.count() - 1;
        let missing = || Error::bad_argument(format!("there is no part {number}: the last one is {last}"));
        self.parts.get(number as usize).ok_or_else(missing)
    }

    /// Whether the plan was made of the same film by the same request, so that nothing needs to be looked at again. What was pinned
    /// and found out follows from those.
    ///
    /// # Errors
    /// When it is another, with what differs.
    pub fn check_request(&self, other: &FilmPlan) -> Result<()> {
        let file = |file: &OtherFile| (file.bytes, file.hash.clone());
        let name = |path: &str| path.strip_prefix("../").unwrap_or(path).to_owned();
        let (film, asked, makes) = (name(&self.input.path), name(&other.input.path), name(&self.output.path));
        let another = match film == asked {
            true => format!("{film} is another film than it was made of"),
            false => format!("it is of {film}, and {asked} is another film"),
        };
        let renamed = format!("it makes {makes}, and its folder was renamed");
        let differs = [
            ("another version of vramp made it", self.vramp != other.vramp),
            (&*another, (self.input.bytes, &self.input.hash) != (other.input.bytes, &other.input.hash)),
            (&*renamed, self.output.path != other.output.path),
            ("another file that it reads has changed", !self.files.iter().map(file).eq(other.files.iter().map(file))),
            (
                "its options are others",
                self.options != other.options || self.output.container != other.output.container,
            ),
            ("it is cut in another way", self.cutting != other.cutting),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(Error::bad_argument(*what)),
            None => Ok(()),
        }
    }

    /// Takes over where the same files lie for `other`, which [`FilmPlan::check_request`] found to be the same. Gives whether they lie
    /// elsewhere.
    pub fn follow(&mut self, other: &FilmPlan) -> bool {
        let moved = (&self.input.path, &self.from) != (&other.input.path, &other.from);
        self.input.path.clone_from(&other.input.path);
        self.from.clone_from(&other.from);
        moved
    }
}

/// 32 digits.
pub(super) fn hex(value: u128) -> String {
    format!("{value:032x}")
}

/// The number that 32 digits write.
pub(super) fn unhex(text: &str) -> Option<u128> {
    let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u128::from_str_radix(text, 16).ok().filter(|_| plain)
}

impl PlannedPart {
    /// The digest of the times of its frames.
    pub fn digest(&self) -> u128 {
        unhex(&self.times).unwrap_or(0)
    }

    /// What the input's packets are that it is made of.
    pub fn contents(&self) -> HeaderContents {
        HeaderContents { span: self.span.0..=self.span.1, hash: unhex(&self.contents).unwrap_or(0) }
    }

    /// A part whose frames are shown at `times`, the first of them frame `start` of the film, and whose packets in the input have the
    /// hash `contents`.
    pub fn of(start: u64, times: &[i64], contents: u128, seek: Option<Seek>) -> PlannedPart {
        let digest = crate::io::part::digest(times);
        let span = times.first().zip(times.last()).map_or((0, 0), |(first, last)| (*first, *last));
        PlannedPart { start, frames: times.len() as u32, times: hex(digest), span, contents: hex(contents), seek }
    }
}

impl PinnedEncoder {
    /// Puts down what it makes of a few pictures.
    pub fn identify(&mut self, fingerprint: u128) {
        self.fingerprint = Some(hex(fingerprint));
    }
}

#[cfg(test)]
pub(crate) mod tests;
