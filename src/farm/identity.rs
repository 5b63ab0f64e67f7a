//! What of a file is looked at to know it again.

use super::plan::hex;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use twox_hash::XxHash3_128;

/// The bytes at both ends of a film that are hashed: what containers say of their tracks, which no packet shows, and the last
/// that a copy writes. Every process reads all that is hashed of a film, so it is little, 128 KiB: pictures need no more, as a
/// part compares all its packets with the plan's.
const ENDS: u64 = 32 << 10;

/// Between the ends so many blocks are hashed, of so many bytes, at even distances: another film has others there.
const BLOCKS: u64 = 16;
const BLOCK: u64 = 4 << 10;

/// Files beside the film are hashed whole up to this size: tables, subtitles and chapters are, and films among them are not.
const WHOLE: u64 = 64 << 20;

/// So long a file must have been left alone when it is looked at for that to be kept, in seconds: systems write down to a second, or
/// two, when it was changed, so that another change may not show.
const AT_REST: u64 = 2;

/// What was found in files by this process, which looks at each of them before every part.
static FOUND: Mutex<BTreeMap<(FileState, u64), Identity>> = Mutex::new(BTreeMap::new());

/// What the system says of a file: it is another after any change. (When it was modified may be set back; when that was done
/// may not.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FileState {
    file: (u64, u64),
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    fn of(meta: &Metadata) -> FileState {
        FileState {
            file: (meta.dev(), meta.ino()),
            bytes: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Whether a change from now on shows.
    fn is_at_rest(&self) -> bool {
        let changed = u64::try_from(self.changed.0).unwrap_or(0);
        SystemTime::now().duration_since(UNIX_EPOCH).is_ok_and(|now| now.as_secs() > changed + AT_REST)
    }
}

/// What of a file is looked at to know it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its size.
    pub bytes: u64,
    /// A hash of its size, its first and its last bytes, and of some between.
    pub hash: String,
}

impl Identity {
    /// That of the film at `path`, whose packets are looked at besides.
    ///
    /// # Errors
    /// When it is no file that can be read again, or cannot be read.
    pub fn of(path: &Path) -> Result<Identity> {
        Identity::by(path, ENDS)
    }

    /// That of another file at `path`, of which all is looked at unless it is very large.
    ///
    /// # Errors
    /// As [`Identity::of`].
    pub fn of_all(path: &Path) -> Result<Identity> {
        Identity::by(path, WHOLE / 2)
    }

    /// By the first and the last `ends` bytes, and blocks between. They are read once for every state of the file.
    fn by(path: &Path, ends: u64) -> Result<Identity> {
        let failed = |e| Error::io(path.display(), &e);
        let mut file = File::open(path).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() {
            let line =
                format!("{}: parts need a file, which can be read again: it is a pipe, or a folder", path.display());
            return Err(Error::unsupported(line));
        }
        let (bytes, mut hashed) = (meta.len(), XxHash3_128::new());
        let state = FileState::of(&meta);
        let is_at_rest = state.is_at_rest();
        let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found().get(&(state, ends)) {
            return Ok(known.clone());
        }
        hash_into(&mut hashed, Read::by_ref(&mut file).take(ends)).map_err(failed)?;
        let last = bytes.saturating_sub(ends).max(ends.min(bytes));
        // A block is a page, which the system reads as a whole.
        let blocks = (1..=BLOCKS).map(|number| bytes / (BLOCKS + 1) * number / BLOCK * BLOCK);
        for block in blocks.filter(|at| (ends..last).contains(at)) {
            file.seek(SeekFrom::Start(block)).map_err(failed)?;
            hash_into(&mut hashed, Read::by_ref(&mut file).take(BLOCK)).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(last)).map_err(failed)?;
        hash_into(&mut hashed, file.take(ends)).map_err(failed)?;
        hashed.write(&bytes.to_le_bytes());
        let identity = Identity { bytes, hash: hex(hashed.finish_128()) };
        if is_at_rest {
            found().insert((state, ends), identity.clone());
        }
        Ok(identity)
    }
}

/// Has `hasher` take all of `input`.
fn hash_into(hasher: &mut XxHash3_128, mut input: impl Read) -> io::Result<()> {
    let mut block = vec![0; 1 << 16];
    loop {
        match input.read(&mut block)? {
            0 => return Ok(()),
            count => hasher.write(&block[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_known_by_its_size_and_its_ends() {
        let folder = std::env::temp_dir().join(format!("vramp-identity-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("film");
        let identity = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Identity::of(&path).unwrap()
        };
        let long = vec![7; 3 << 20];
        let whole = identity(&long);
        assert_eq!(identity(&long), whole);
        for at in [0, long.len() - 1] {
            let mut other = long.clone();
            other[at] = 8;
            assert_ne!(identity(&other), whole, "byte {at}");
        }
        assert_ne!(identity(&long[1..]), whole);
        // The ends of one film, and the middle of another.
        let mut other = long.clone();
        other[1 << 20..2 << 20].fill(8);
        assert_ne!(identity(&other), whole);
        let short: Vec<u8> = (0..60 * 1024_u32).map(|n| n as u8).collect();
        let mut other = short.clone();
        other[1 << 15] ^= 1;
        assert_ne!(identity(&short), identity(&other), "all of a short file is hashed");
        assert!(Identity::of(&folder).is_err(), "a folder");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_was_found_is_kept_until_the_file_changes() {
        let path = std::env::temp_dir().join(format!("vramp-kept-{}", std::process::id()));
        let kept = || {
            let state = FileState::of(&fs::metadata(&path).unwrap());
            FOUND.lock().unwrap().contains_key(&(state, ENDS))
        };
        fs::write(&path, [7; 1000]).unwrap();
        let whole = Identity::of(&path).unwrap();
        assert!(!kept(), "it may change within what the system writes down");
        std::thread::sleep(std::time::Duration::from_secs(AT_REST + 1));
        assert_eq!(Identity::of(&path).unwrap(), whole);
        assert!(kept());
        // Another film in its place, as long and as old.
        let dated = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, [8; 1000]).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(dated).unwrap();
        assert!(!kept());
        assert_ne!(Identity::of(&path).unwrap(), whole);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn all_of_files_beside_the_film_counts() {
        let path = std::env::temp_dir().join(format!("vramp-table-{}", std::process::id()));
        let identities = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            (Identity::of(&path).unwrap(), Identity::of_all(&path).unwrap())
        };
        let mut bytes = vec![7; 3 << 20];
        let (ends, all) = identities(&bytes);
        bytes[3 << 19] = 8;
        let (same, other) = identities(&bytes);
        fs::remove_file(&path).unwrap();
        assert!(ends == same && all != other);
    }
}
