//! What of a file is looked at to know it again.

use super::plan::hex;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use twox_hash::XxHash3_128;

/// The bytes at both ends of a file that are hashed: they have the index of most containers.
const ENDS: u64 = 1 << 20;

/// Between the ends so many blocks are hashed, of so many bytes, at even distances: another film has others there.
const BLOCKS: u64 = 64;
const BLOCK: u64 = 4 << 10;

/// Files beside the film are hashed whole up to this size: tables, subtitles and chapters are, and films among them are not.
const WHOLE: u64 = 64 << 20;

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

    /// By the first and the last `ends` bytes, and blocks between.
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
        hash_into(&mut hashed, Read::by_ref(&mut file).take(ends)).map_err(failed)?;
        let last = bytes.saturating_sub(ends).max(ends.min(bytes));
        for block in (1..=BLOCKS).map(|number| bytes / (BLOCKS + 1) * number).filter(|at| (ends..last).contains(at)) {
            file.seek(SeekFrom::Start(block)).map_err(failed)?;
            hash_into(&mut hashed, Read::by_ref(&mut file).take(BLOCK)).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(last)).map_err(failed)?;
        hash_into(&mut hashed, file.take(ends)).map_err(failed)?;
        hashed.write(&bytes.to_le_bytes());
        Ok(Identity { bytes, hash: hex(hashed.finish_128()) })
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
        let short: Vec<u8> = (0..1500 * 1024_u32).map(|n| n as u8).collect();
        let mut other = short.clone();
        other[1 << 20] ^= 1;
        assert_ne!(identity(&short), identity(&other), "all of a short file is hashed");
        assert!(Identity::of(&folder).is_err(), "a folder");
        fs::remove_dir_all(&folder).unwrap();
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
