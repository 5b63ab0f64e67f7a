//! Which way of working is fastest on a card: what `vramp tune` measured, as text.
//!
//! A file has a section for each card, and a line for each kernel and case. What is not understood is left out, so that a
//! file of any content changes times and nothing else.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;
use std::{env, iter};

/// The first line of a file that is no comment.
const HEAD: &str = "vramp-tuning 1";

/// What a file begins with.
const PREFACE: &str = "\
# What vramp tune measured: which of a kernel's ways of working is fastest on a card. Results are the same in any case, and any
# line may go. A line: kernel, hash of its code, case, way, milliseconds a frame, and those of the way that it takes otherwise.
";

/// More bytes than this are no file of ours.
const MOST_BYTES: u64 = 4 << 20;

/// Characters of a word at most.
const LONGEST_WORD: usize = 120;

/// Names the file, or is `off`.
const VARIABLE: &str = "VRAMP_TUNING";

/// A graphics card with its driver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Card {
    /// Its product name.
    pub name: String,
    /// Compute capability, (major, minor).
    pub compute: (u32, u32),
    /// How many multiprocessors it has.
    pub multiprocessors: usize,
    /// Bytes of the cache that all multiprocessors share.
    pub l2_cache: usize,
    /// The major number of the newest CUDA version that the driver knows.
    pub driver: u32,
}

/// What is chosen for: a kernel in one case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The kernel's name: the filter's.
    pub kernel: String,
    /// Storage, size and what shapes the loops, in one word.
    pub case: String,
}

/// A measured choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// A hash of the modules in which the kernel is: with others, it does not count.
    pub code: u64,
    /// The fastest way, in one word.
    pub way: String,
    /// Milliseconds a frame.
    pub ms: f64,
    /// The same of the way that the kernel takes without an entry.
    pub default_ms: f64,
}

/// Entries of cards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    cards: BTreeMap<Card, BTreeMap<Key, Entry>>,
}

/// Where a choice comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing was measured for it.
    Default,
    /// The user's file.
    Own,
    /// What ships with the program.
    Shipped,
    /// A test or a measurement asked for it.
    Forced,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Default => "default",
            Origin::Own => "own tuning",
            Origin::Shipped => "shipped tuning",
            Origin::Forced => "forced",
        })
    }
}

impl Card {
    /// Whether it is the same chip: machine code takes about as long on it, whatever the card is called.
    fn has_chip_of(&self, other: &Card) -> bool {
        (self.compute, self.multiprocessors) == (other.compute, other.multiprocessors)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Card { name, compute: (major, minor), multiprocessors, l2_cache, driver } = self;
        let name = name.replace(char::is_control, " ");
        write!(
            f,
            "{}, compute {major}.{minor}, {multiprocessors} multiprocessors, {l2_cache} bytes of cache, CUDA {driver}",
            name.trim()
        )
    }
}

impl FromStr for Card {
    type Err = ();

    /// Reads what `Display` wrote.
    fn from_str(text: &str) -> Result<Card, ()> {
        let mut parts = text.rsplitn(5, ", ");
        let mut part = || parts.next().ok_or(());
        let driver = number(part()?.strip_prefix("CUDA "))?;
        let l2_cache = number(part()?.strip_suffix(" bytes of cache"))?;
        let multiprocessors = number(part()?.strip_suffix(" multiprocessors"))?;
        let (major, minor) = part()?.strip_prefix("compute ").and_then(|compute| compute.split_once('.')).ok_or(())?;
        let compute = (number(Some(major))?, number(Some(minor))?);
        let name = part()?.trim().to_owned();
        if name.contains(char::is_control) {
            return Err(());
        }
        Ok(Card { name, compute, multiprocessors, l2_cache, driver })
    }
}

fn number<T: FromStr>(text: Option<&str>) -> Result<T, ()> {
    text.and_then(|text| text.parse().ok()).ok_or(())
}

impl Table {
    /// Reads a file's text. What is not understood is left out; the second value then says so.
    pub fn parse(text: &str) -> (Table, Option<String>) {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        match lines.next() {
            None => return (Table::default(), None),
            Some((_, head)) if head.trim() == HEAD => {}
            Some(_) => return (Table::default(), Some(format!("does not begin with '{HEAD}': not used"))),
        }
        let (mut table, mut card, mut faults) = (Table::default(), None, Vec::new());
        for (index, line) in lines {
            let section = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            let understood = match section {
                Some(section) => {
                    card = section.parse::<Card>().ok();
                    card.is_some()
                }
                None => {
                    card.as_ref().zip(entry(line)).map(|(card, (key, entry))| table.set(card, key, entry)).is_some()
                }
            };
            if !understood {
                faults.push(index + 1);
            }
        }
        let note = match faults[..] {
            [] => None,
            [line] => Some(format!("line {line} is not understood, and left out")),
            [line, ..] => Some(format!("line {line} and {} others are not understood, and left out", faults.len() - 1)),
        };
        (table, note)
    }

    /// Reads a file; of one that does not exist, an empty table. The second value says what was left out.
    pub fn read(path: &Path) -> (Table, Option<String>) {
        let nothing = |why: &dyn fmt::Display| (Table::default(), Some(format!("{why}: not used")));
        let mut bytes = Vec::new();
        match File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)) {
            Err(error) if error.kind() == ErrorKind::NotFound => (Table::default(), None),
            Err(error) => nothing(&error),
            Ok(_) if bytes.len() as u64 > MOST_BYTES => nothing(&"too large for a tuning file"),
            Ok(_) => Table::parse(&String::from_utf8_lossy(&bytes)),
        }
    }

    /// Adds an entry; one of the same key is replaced.
    pub fn set(&mut self, card: &Card, key: Key, entry: Entry) {
        self.cards.entry(card.clone()).or_default().insert(key, entry);
    }

    /// Adds all entries of `other`.
    pub fn merge(&mut self, other: &Table) {
        for (card, entries) in &other.cards {
            entries.iter().for_each(|(key, entry)| self.set(card, key.clone(), entry.clone()));
        }
    }

    /// The entries of a card.
    pub fn of(&self, card: &Card) -> impl Iterator<Item = (&Key, &Entry)> {
        self.cards.get(card).into_iter().flatten()
    }

    /// How many entries there are of a card, and of others with its chip where `by_chip`.
    pub fn count(&self, card: &Card, by_chip: bool) -> usize {
        let serves = |other: &Card| other == card || (by_chip && other.has_chip_of(card));
        self.cards.iter().filter(|(other, _)| serves(other)).map(|(_, entries)| entries.len()).sum()
    }

    /// The entry of a card, or of another with its chip where `by_chip`.
    fn find(&self, card: &Card, key: &Key, by_chip: bool) -> Option<&Entry> {
        let others = self.cards.iter().filter(|(other, _)| by_chip && other.has_chip_of(card)).map(|(_, all)| all);
        self.cards.get(card).into_iter().chain(others).find_map(|entries| entries.get(key))
    }
}

/// Reads the line of an entry.
fn entry(line: &str) -> Option<(Key, Entry)> {
    let is_word = |word: &str| word.len() <= LONGEST_WORD && word.chars().all(|c| c.is_ascii_graphic());
    let words: Vec<_> = line.split_whitespace().collect();
    let &[kernel, code, case, way, ms, default_ms] = &words[..] else { return None };
    let time = |word: &str| word.parse().ok().filter(|ms: &f64| (0.0..1e9).contains(ms));
    let is_sound = [kernel, case, way].into_iter().all(is_word) && !kernel.starts_with('#');
    let key = Key { kernel: kernel.to_owned(), case: case.to_owned() };
    let code = u64::from_str_radix(code, 16).ok().filter(|_| is_sound)?;
    Some((key, Entry { code, way: way.to_owned(), ms: time(ms)?, default_ms: time(default_ms)? }))
}

impl fmt::Display for Table {
    /// The text of a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{PREFACE}{HEAD}")?;
        for (card, entries) in &self.cards {
            writeln!(f, "\n[{card}]")?;
            for (Key { kernel, case }, Entry { code, way, ms, default_ms }) in entries {
                writeln!(f, "{kernel} {code:016x} {case} {way} {ms:.5} {default_ms:.5}")?;
            }
        }
        Ok(())
    }
}

/// Where the user's file is: what `VRAMP_TUNING` names, else `vramp/tuning.txt` in the folder for caches; `None` where that is
/// `off`, or there is no such folder.
pub fn path() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return (named != "off").then(|| PathBuf::from(named));
    }
    let folder = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) { folder("LOCALAPPDATA") } else { folder("XDG_CACHE_HOME") };
    let caches = caches.or_else(|| env::home_dir().map(|home| home.join(".cache")))?;
    Some(caches.join(env!("CARGO_PKG_NAME")).join("tuning.txt"))
}

/// The user's entries: the file is read once, and a warning says what was left out.
pub fn own() -> &'static Table {
    static OWN: OnceLock<Table> = OnceLock::new();
    OWN.get_or_init(|| {
        let Some(path) = path() else { return Table::default() };
        let (table, note) = Table::read(&path);
        note.iter().for_each(|note| log::warn!("{}: {note} (vramp tune writes it anew)", path.display()));
        table
    })
}

/// What was measured where vramp is made.
pub fn shipped() -> &'static Table {
    static SHIPPED: OnceLock<Table> = OnceLock::new();
    SHIPPED.get_or_init(|| Table::parse(include_str!("tuning/shipped.txt")).0)
}

/// What was measured for a card, the user's first. Of what ships, a card of the same chip will do, with any driver: the machine
/// code is the same.
pub fn candidates<'a>(card: &'a Card, key: &'a Key) -> impl Iterator<Item = (&'static Entry, Origin)> + 'a {
    let own = iter::once_with(|| own().find(card, key, false).map(|entry| (entry, Origin::Own)));
    own.chain(iter::once_with(|| shipped().find(card, key, true).map(|entry| (entry, Origin::Shipped)))).flatten()
}

#[cfg(test)]
mod tests;
