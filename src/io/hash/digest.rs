//! The hash functions, and what of a picture they are fed.

use crate::video::Picture;
use md5::Md5;
use sha2::Sha256;
use sha2::digest::Digest;
use std::fmt::Write as _;
use twox_hash::XxHash3_128;

/// Which hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// XXH3 of 128 bits: as fast as memory. Detects every change that nobody made on purpose.
    Xxh3,
    /// MD5, as `-f framemd5`.
    Md5,
    /// SHA-256, as `-f framehash`.
    Sha256,
}

impl Hash {
    /// Every hash function, the default first.
    pub const ALL: [Hash; 3] = [Hash::Xxh3, Hash::Md5, Hash::Sha256];

    /// The name in vramp's own layout and in options.
    pub const fn name(self) -> &'static str {
        match self {
            Hash::Xxh3 => "xxh3-128",
            Hash::Md5 => "md5",
            Hash::Sha256 => "sha256",
        }
    }

    /// The name in ffmpeg's layout, which has not all of them.
    pub const fn ffmpeg_name(self) -> Option<&'static str> {
        match self {
            Hash::Xxh3 => None,
            Hash::Md5 => Some("MD5"),
            Hash::Sha256 => Some("SHA256"),
        }
    }

    /// Bytes of a hash.
    pub const fn size(self) -> usize {
        match self {
            Hash::Xxh3 | Hash::Md5 => 16,
            Hash::Sha256 => 32,
        }
    }

    /// The hash of all samples of `picture`, plane after plane, rows without padding: of what a raw video file holds.
    pub fn whole(self, picture: &Picture) -> Box<[u8]> {
        let mut hasher = Hasher::new(self);
        (0..picture.format().planes()).for_each(|plane| hasher.plane(picture, plane));
        hasher.finish().into()
    }

    /// The same as lower-case hexadecimal.
    pub fn of(self, picture: &Picture) -> String {
        hex(&self.whole(picture))
    }

    /// The hashes of the memory planes of `picture`, one behind the other.
    pub fn planes(self, picture: &Picture) -> Box<[u8]> {
        let one = |plane| {
            let mut hasher = Hasher::new(self);
            hasher.plane(picture, plane);
            hasher.finish()
        };
        (0..picture.format().planes()).flat_map(one).collect()
    }
}

/// A hash in the making.
#[derive(Clone)]
pub struct Hasher(HashFunction);

#[derive(Clone)]
enum HashFunction {
    Xxh3(Box<XxHash3_128>),
    Md5(Md5),
    Sha256(Sha256),
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hasher")
    }
}

impl Hasher {
    pub fn new(hash: Hash) -> Hasher {
        Hasher(match hash {
            Hash::Xxh3 => HashFunction::Xxh3(Box::new(XxHash3_128::new())),
            Hash::Md5 => HashFunction::Md5(Md5::new()),
            Hash::Sha256 => HashFunction::Sha256(Sha256::new()),
        })
    }

    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            HashFunction::Xxh3(hasher) => hasher.write(bytes),
            HashFunction::Md5(hasher) => hasher.update(bytes),
            HashFunction::Sha256(hasher) => hasher.update(bytes),
        }
    }

    /// The rows of a memory plane, without padding.
    fn plane(&mut self, picture: &Picture, plane: usize) {
        let (_, rows) = picture.format().plane_size(plane, picture.width(), picture.height());
        (0..rows).for_each(|y| self.update(picture.row_bytes(plane, y)));
    }

    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            HashFunction::Xxh3(hasher) => hasher.finish_128().to_be_bytes().to_vec(),
            HashFunction::Md5(hasher) => hasher.finalize().to_vec(),
            HashFunction::Sha256(hasher) => hasher.finalize().to_vec(),
        }
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that `text` writes in hexadecimal; `None` when it is none.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<_> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 3×2 nv12 picture: luma 1..6, chroma pairs (7, 8) and (9, 10).
    fn picture() -> Picture {
        let mut picture = Picture::alloc("nv12".parse().unwrap(), 3, 2).unwrap();
        picture.row_bytes_mut(0, 0).copy_from_slice(&[1, 2, 3]);
        picture.row_bytes_mut(0, 1).copy_from_slice(&[4, 5, 6]);
        picture.row_bytes_mut(1, 0).copy_from_slice(&[7, 8, 9, 10]);
        picture
    }

    #[test]
    fn padding_is_not_hashed() {
        // printf '\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a' | md5sum, sha256sum, xxhsum -H2
        assert_eq!(Hash::Md5.of(&picture()), "70903e79b7575e3f4e7ffa15c2608ac7");
        assert_eq!(Hash::Sha256.of(&picture()), "c848e1013f9f04a9d63fa43ce7fd4af035152c7c669a4a404b67107cee5f2e4e");
        assert_eq!(Hash::Xxh3.of(&picture()), "289513e9dde6fa9dfd5eafb4f6470a0d");
    }

    #[test]
    fn planes_are_hashed_apart() {
        // printf '\x01\x02\x03\x04\x05\x06' | md5sum; printf '\x07\x08\x09\x0a' | md5sum
        let planes = hex(&Hash::Md5.planes(&picture()));
        assert_eq!(planes.split_at(32), ("6ac1e56bc78f031059be7be854522c4c", "be16a383ef16a9b4c842fdc74263a859"));
        for hash in Hash::ALL {
            assert_eq!(hash.planes(&picture()).len(), 2 * hash.size(), "{hash:?}");
        }
    }

    #[test]
    fn hexadecimal_is_read_back() {
        assert_eq!(unhex(&hex(&[0, 0x5f, 0xff])), Some(vec![0, 0x5f, 0xff]));
        for text in ["0", "0g", "+1", "é"] {
            assert_eq!(unhex(text), None, "{text}");
        }
    }
}
