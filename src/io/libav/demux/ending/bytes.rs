//! The bytes of a source, apart from its demuxer's reading.

use crate::io::libav::demux::demuxer::Demuxer;
use ffmpeg::ffi::{self, AVIOContext};
use ffmpeg_next as ffmpeg;
use std::ffi::c_int;
use std::marker::PhantomData;

/// `whence` of seeks from the start, and of one that only asks where the reader is.
const SEEK_SET: c_int = 0;
const SEEK_CUR: c_int = 1;

/// A source whose bytes can be read again, in any order.
pub(in crate::io::libav::demux) struct Bytes<'a> {
    file: *mut AVIOContext,
    pub(in crate::io::libav::demux) size: i64,
    /// Where the demuxer is.
    place: i64,
    demuxer: PhantomData<&'a Demuxer>,
}

impl Bytes<'_> {
    /// The bytes of `demuxer`'s file; `None` where it has none, or cannot go back in it.
    pub(in crate::io::libav::demux) fn of(demuxer: &Demuxer) -> Option<Bytes<'_>> {
        let place = read(demuxer)?;
        // SAFETY: the demuxer is alive, and so is its file; asking for the size moves nothing.
        let (file, size) = unsafe {
            let file = (*demuxer.as_ptr()).pb;
            if (*file).seekable & ffi::AVIO_SEEKABLE_NORMAL == 0 {
                return None;
            }
            (file, ffi::avio_size(file))
        };
        (size > 0).then_some(Bytes { file, size, place, demuxer: PhantomData })
    }

    /// Gives `look` a file of `bytes`, for the fuzzer.
    #[cfg(any(test, fuzzing))]
    pub(super) fn with_file(bytes: &[u8], look: impl FnOnce(&Bytes<'_>)) {
        let path = std::env::temp_dir().join(format!("vramp-ending-{}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file in the folder for temporary ones");
        let name = std::ffi::CString::new(path.to_str().expect("a path of text")).expect("a path without zeros");
        let mut file = std::ptr::null_mut();
        // SAFETY: the name ends with a zero; libav makes the file, which is closed after the last use.
        unsafe {
            assert!(ffi::avio_open(&raw mut file, name.as_ptr(), ffi::AVIO_FLAG_READ) >= 0, "{path:?}");
            look(&Bytes { file, size: ffi::avio_size(file), place: 0, demuxer: PhantomData });
            ffi::avio_closep(&raw mut file);
        }
    }

    /// `N` bytes from byte `at` on, if there are so many.
    pub(in crate::io::libav::demux) fn at<const N: usize>(&self, at: i64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes).then_some(bytes)
    }

    /// As many bytes as `bytes` holds from byte `at` on. False when there are fewer.
    pub(in crate::io::libav::demux) fn fill(&self, at: i64, bytes: &mut [u8]) -> bool {
        let Ok(length) = c_int::try_from(bytes.len()) else { return false };
        // SAFETY: the file lives as long as the demuxer that is borrowed, which nobody reads meanwhile.
        unsafe {
            ffi::avio_seek(self.file, at, SEEK_SET) == at
                && ffi::avio_read(self.file, bytes.as_mut_ptr(), length) == length
        }
    }
}

impl Drop for Bytes<'_> {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { ffi::avio_seek(self.file, self.place, SEEK_SET) };
    }
}

/// How many bytes of the source were read.
pub(super) fn read(demuxer: &Demuxer) -> Option<i64> {
    // SAFETY: the demuxer is alive, and so is its file if it has one; nothing is moved.
    let position = unsafe {
        let file = (*demuxer.as_ptr()).pb;
        if file.is_null() { -1 } else { ffi::avio_seek(file, 0, SEEK_CUR) }
    };
    (position >= 0).then_some(position)
}
