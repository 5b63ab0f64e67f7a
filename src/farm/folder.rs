//! The folder of a plan: `plan.json`, the parts that are made, and what machines say of their work.

use super::disputes::DISPUTES;
use super::joined::ExpectedPart;
use super::plan::FilmPlan;
use super::records::{PartEvent, PartRecord};
use crate::error::{Error, Result};
use crate::io::{TempFile, part};
use crate::pipeline::Cancel;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const PLAN: &str = "plan.json";
const PARTS: &str = "parts";
const RECORDS: &str = "log";

/// What the name of an output has behind it in that of its plan's folder.
const ENDING: &str = ".vramp";

/// The folder of a plan.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder for the output at `path`.
    pub fn beside(path: &OsStr) -> Folder {
        let mut folder = path.to_owned();
        folder.push(ENDING);
        Folder(folder.into())
    }

    /// The folder at `path`, which has a plan.
    pub fn at(path: &Path) -> Folder {
        Folder(path.to_owned())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Its plan.
    ///
    /// # Errors
    /// When it has none, or one that cannot be read.
    pub fn plan(&self) -> Result<FilmPlan> {
        let path = self.0.join(PLAN);
        let file = File::open(&path).map_err(|e| Error::io(path.display(), &e))?;
        FilmPlan::read(file).map_err(|e| e.context(path.display()))
    }

    /// Its plan, if it has one.
    ///
    /// # Errors
    /// When that cannot be read.
    pub fn known_plan(&self) -> Result<Option<FilmPlan>> {
        if self.0.join(PLAN).exists() { self.plan().map(Some) } else { Ok(None) }
    }

    /// Writes `plan`, and makes the folder that it needs.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn write(&self, plan: &FilmPlan, cancel: &Cancel) -> Result<()> {
        self.make()?;
        let path = self.0.join(PLAN);
        let mut file = TempFile::create(path.as_os_str(), true, cancel)?;
        file.write_all(&plan.text()?).map_err(|e| Error::io(path.display(), &e))?;
        file.commit()
    }

    /// Makes the folders that parts and records go to, where they are not there.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn make(&self) -> Result<()> {
        for folder in [PARTS, RECORDS] {
            let path = self.0.join(folder);
            fs::create_dir_all(&path).map_err(|e| Error::io(path.display(), &e))?;
        }
        Ok(())
    }

    /// Removes the plan and all that was made by it, and nothing else. The plan goes first: whoever is killed here leaves parts that
    /// the same plan finds again, and no plan that has lost its folders.
    ///
    /// # Errors
    /// When that cannot be removed.
    pub fn clear(&self) -> Result<()> {
        let failed = |e| Error::io(self.0.display(), &e);
        if self.0.join(PLAN).exists() {
            fs::remove_file(self.0.join(PLAN)).map_err(failed)?;
        }
        for folder in [PARTS, RECORDS, DISPUTES].map(|name| self.0.join(name)).iter().filter(|folder| folder.exists()) {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        // A file of somebody else's stays, and the folder with it.
        let _ = fs::remove_dir(&self.0);
        Ok(())
    }

    /// The file of part `number`.
    pub fn part(&self, number: u32) -> PathBuf {
        self.0.join(PARTS).join(format!("{number:05}"))
    }

    /// What part `number` of `plan` must be.
    pub fn expected(plan: &FilmPlan, number: u32) -> Result<ExpectedPart> {
        let part = plan.part(number)?;
        Ok(ExpectedPart { plan: plan.key(), number, frames: part.frames, times: part.digest() })
    }

    /// Whether part `number` of `plan` is there and nobody disputes it, by its header and its end. A join reads all of it.
    pub fn has(&self, plan: &FilmPlan, number: u32) -> bool {
        self.lies_there(plan, number) && !self.disputes().contains_key(&number)
    }

    fn lies_there(&self, plan: &FilmPlan, number: u32) -> bool {
        part::lies_at(&self.part(number), &plan.key(), number)
    }

    /// Parts of `plan` that are not there, or in dispute.
    pub fn missing(&self, plan: &FilmPlan) -> Vec<u32> {
        let disputes = self.disputes();
        let is_missing = |number: &u32| disputes.contains_key(number) || !self.lies_there(plan, *number);
        (0..plan.count()).filter(is_missing).collect()
    }

    /// Claims the comparison of part `number` in submission `submission`, where nobody has: two tasks choose different parts.
    pub fn claim(&self, number: u32, submission: u64) -> bool {
        let path = self.log().join(format!("audit-{number:05}-{submission}"));
        fs::create_dir_all(self.log()).is_ok() && fs::File::create_new(path).is_ok()
    }

    /// The machine that made part `number` last, by what it said.
    pub fn maker(&self, number: u32) -> Option<String> {
        let made = |record: &&PartRecord| record.part == number && record.event == PartEvent::Done;
        let last = |(host, records): (String, Vec<PartRecord>)| Some((records.iter().rfind(made)?.at, host));
        self.records().into_iter().filter_map(last).max().map(|(_, host)| host)
    }

    /// Removes part `number`, which is damaged or in dispute, if nobody else has.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, number: u32) -> Result<()> {
        let path = self.part(number);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(path.display(), &e)),
            _ => Ok(()),
        }
    }

    /// The parts that somebody writes at this moment, or wrote when they were killed: number, writer, when it was written last and its
    /// bytes so far.
    pub fn unfinished(&self) -> Vec<(u32, String, SystemTime, u64)> {
        let entries = fs::read_dir(self.0.join(PARTS)).into_iter().flatten().flatten();
        let unfinished = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            // ".00003.vramp-HOST-PID-N.part"
            let (number, rest) = name.strip_prefix('.')?.split_once(".vramp-")?;
            let writer = rest.strip_suffix(".part")?.rsplitn(3, '-').nth(2)?;
            let meta = entry.metadata().ok()?;
            Some((number.parse().ok()?, writer.to_owned(), meta.modified().ok()?, meta.len()))
        };
        entries.filter_map(unfinished).collect()
    }

    /// The folder of what machines say.
    pub fn log(&self) -> PathBuf {
        self.0.join(RECORDS)
    }

    /// Puts down what became of a part on this machine. A line that cannot be written is no matter: nothing is decided by it.
    pub fn record(&self, record: &PartRecord) {
        let path = self.log().join(format!("{}.jsonl", host()));
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        // One write, so that lines of two processes do not mix.
        let written =
            OpenOptions::new().append(true).create(true).open(&path).and_then(|mut file| file.write_all(&line));
        written.unwrap_or_else(|e| log::debug!("{}: {e}", path.display()));
    }

    /// What every machine put down, by its name.
    pub fn records(&self) -> Vec<(String, Vec<PartRecord>)> {
        let entries = fs::read_dir(self.log()).into_iter().flatten().flatten();
        let read = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let host = name.strip_suffix(".jsonl")?.to_owned();
            let text = fs::read_to_string(entry.path()).ok()?;
            // The last line of a machine that died may be cut off.
            Some((host, text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()))
        };
        let mut records: Vec<_> = entries.filter_map(read).collect();
        records.sort_by(|(one, _), (other, _)| one.cmp(other));
        records
    }

    /// The path `stored` in the plan.
    pub fn resolve(&self, stored: &str) -> PathBuf {
        match stored.strip_prefix("../") {
            Some(beside) => match self.0.with_file_name("").join(beside) {
                here if here.as_os_str().is_empty() => PathBuf::from("."),
                path => path,
            },
            None => self.0.join(stored),
        }
    }

    /// `path` as the plan has it: relative to this folder within that of the output, so that both can be moved, or mounted
    /// elsewhere; else from the root.
    ///
    /// # Errors
    /// When it does not exist, or is no text.
    pub fn stored(&self, path: &Path) -> Result<String> {
        let whole = fs::canonicalize(path).map_err(|e| Error::io(path.display(), &e))?;
        let parent = self.0.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent).map_err(|e| Error::io(parent.display(), &e))?;
        let stored = whole.strip_prefix(&parent).map_or(whole.clone(), |inner| Path::new("..").join(inner));
        let text = stored.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::unsupported(format!("{}: a plan holds names in UTF-8 only", path.display())))
    }
}

/// This machine's name, of characters that a file's name may have: Slurm's name for it within a job of Slurm's, which alone
/// Slurm understands.
pub fn host() -> String {
    let own = || {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(rustix::system::uname().nodename().to_bytes().to_vec())
    };
    let name = std::env::var_os("SLURMD_NODENAME").filter(|name| !name.is_empty()).unwrap_or_else(own);
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' };
    let name: String = name.to_string_lossy().chars().map(plain).take(64).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::farm::plan::tests::plan;

    /// A folder of its own for a test, gone in the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("vramp-farm-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn paths_beside_the_output_move_with_it() {
        let scratch = Scratch::new("paths");
        let film = scratch.0.join("film.mkv");
        fs::write(&film, "x").unwrap();
        let folder = Folder::beside(scratch.0.join("out.mkv").as_os_str());
        assert_eq!(folder.stored(&film).unwrap(), "../film.mkv");
        assert_eq!(folder.stored(Path::new("/")).unwrap(), "/");
        fs::create_dir(folder.path()).unwrap();
        assert!(folder.resolve("../film.mkv").exists());
        let here = Folder::at(Path::new("out.mkv.vramp"));
        assert_eq!(here.resolve("../out.mkv"), Path::new("out.mkv"));
        assert_eq!(here.resolve("../"), Path::new("."), "the folder of both");
    }

    #[test]
    fn what_is_made_is_found_and_what_is_not_ours_stays() {
        let scratch = Scratch::new("folder");
        let folder = Folder::beside(scratch.0.join("out.mkv").as_os_str());
        let plan = plan();
        assert!(folder.known_plan().unwrap().is_none());
        folder.write(&plan, &Cancel::default()).unwrap();
        assert_eq!(folder.plan().unwrap(), plan);
        assert_eq!(folder.missing(&plan), [0, 1]);
        let header = part::PartHeader { plan: plan.key(), number: 1, frames: 0, delay: 0, extradata: Vec::new() };
        let made = |header| part::PartWriter::begin(Vec::new(), &header).unwrap().finish().unwrap();
        fs::write(folder.part(1), made(header.clone())).unwrap();
        assert_eq!(folder.missing(&plan), [0]);
        fs::write(folder.part(1), made(part::PartHeader { plan: [0; 16], ..header })).unwrap();
        assert_eq!(folder.missing(&plan), [0, 1], "a part of another plan");

        fs::write(folder.0.join(PARTS).join(".00001.vramp-a.host-12-0.part"), "x").unwrap();
        let unfinished = folder.unfinished();
        assert_eq!((unfinished[0].0, unfinished[0].1.as_str(), unfinished.len()), (1, "a.host", 1));

        fs::write(folder.0.join("mine"), "x").unwrap();
        folder.clear().unwrap();
        assert!(folder.0.join("mine").exists() && !folder.0.join(PARTS).exists());
    }
}
