//! One hash a frame, in the layout of FFmpeg's `framemd5` and `framehash`: the regression door.

use crate::error::{Error, Result};
use crate::io::TempFile;
use crate::pipeline::{Cancel, Frame, Packet, Sink};
use crate::video::{Picture, StreamInfo};
use md5::Md5;
use sha2::Sha256;
use sha2::digest::{Digest, Output};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;

/// Which hash is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// As `-f framemd5`.
    Md5,
    /// As `-f framehash`.
    Sha256,
}

impl Hash {
    /// The name in the header.
    fn name(self) -> &'static str {
        match self {
            Hash::Md5 => "MD5",
            Hash::Sha256 => "SHA256",
        }
    }

    /// The hash of a picture's samples, rows without padding, as lower-case hexadecimal.
    pub fn of(self, picture: &Picture) -> String {
        match self {
            Hash::Md5 => hex(digest::<Md5>(picture)),
            Hash::Sha256 => hex(digest::<Sha256>(picture)),
        }
    }
}

fn digest<D: Digest>(picture: &Picture) -> Output<D> {
    let mut digest = D::new();
    for row in rows(picture) {
        digest.update(row);
    }
    digest.finalize()
}

/// Every row of every plane, in the order and without the padding of a raw video file.
fn rows(picture: &Picture) -> impl Iterator<Item = &[u8]> {
    let format = picture.format();
    let count = move |plane| format.plane_size(plane, picture.width(), picture.height()).1;
    (0..format.planes()).flat_map(move |plane| (0..count(plane)).map(move |y| picture.row_bytes(plane, y)))
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes everything");
        text
    })
}

/// Writes one line a frame: stream, dts, pts, duration, size in bytes, hash.
///
/// The columns pts, size and hash are those of
/// `ffmpeg -i IN -copyts -vsync passthrough -enc_time_base -1 -map 0:v:0 -f framemd5`. Packets of copied streams are
/// not hashed.
#[derive(Debug)]
pub struct HashSink {
    hash: Hash,
    file: TempFile,
    path: OsString,
    /// The last frame's time.
    pts: Option<i64>,
    /// The duration of a frame that states none: one frame at the nominal rate.
    nominal_duration: i64,
    bytes: u64,
}

impl HashSink {
    /// Opens `path` (`-` is standard output), unless `cancel` stops a wait for its reader, and writes the header for a stream of `info`.
    ///
    /// # Errors
    /// When the file cannot be created or written.
    pub fn create(
        path: &(impl AsRef<OsStr> + ?Sized),
        hash: Hash,
        overwrite: bool,
        info: &StreamInfo,
        cancel: &Cancel,
    ) -> Result<HashSink> {
        let path = path.as_ref();
        let file = TempFile::create(path, overwrite, cancel)?;
        let seconds = info.frame_rate.value().map(|rate| 1.0 / rate).zip(info.timebase.value());
        let nominal_duration = seconds.map_or(0, |(frame, unit)| (frame / unit).round() as i64);
        let mut sink = HashSink { hash, file, path: path.to_owned(), pts: None, nominal_duration, bytes: 0 };
        sink.write(&header(hash, info))?;
        Ok(sink)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|e| Error::io(self.path.display(), &e))?;
        self.bytes += text.len() as u64;
        Ok(())
    }
}

fn header(hash: Hash, info: &StreamInfo) -> String {
    format!(
        "#format: frame checksums\n#version: 2\n#hash: {}\n#software: vramp {}\n#tb 0: {}\n#media_type 0: video\n\
         #codec_id 0: rawvideo\n#dimensions 0: {}x{}\n#sar 0: {}\n#stream#, dts,        pts, duration,     size, hash\n",
        hash.name(),
        env!("CARGO_PKG_VERSION"),
        info.timebase,
        info.width,
        info.height,
        info.sar
    )
}

impl Sink for HashSink {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        // As FFmpeg's muxers have it: a frame without a time is one unit after the one before, and time never runs back.
        let after_last = self.pts.map_or(0, |last| last + 1);
        let pts = frame.props.pts.unwrap_or(after_last).max(self.pts.unwrap_or(i64::MIN));
        self.pts = Some(pts);
        let duration = if frame.props.duration > 0 { frame.props.duration } else { self.nominal_duration };
        let size: usize = rows(&frame.picture).map(<[u8]>::len).sum();
        let hash = self.hash.of(&frame.picture);
        self.write(&format!("0, {pts:>10}, {pts:>10}, {duration:>8}, {size:>8}, {hash}\n"))
    }

    fn packet(&mut self, _: Packet) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.file.commit()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{FrameProps, Rational};

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
        // printf '\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a' | md5sum, sha256sum
        assert_eq!(Hash::Md5.of(&picture()), "70903e79b7575e3f4e7ffa15c2608ac7");
        assert_eq!(Hash::Sha256.of(&picture()), "c848e1013f9f04a9d63fa43ce7fd4af035152c7c669a4a404b67107cee5f2e4e");
    }

    #[test]
    fn columns_are_laid_out_as_ffmpeg_does() {
        let path = std::env::temp_dir().join(format!("vramp-hash-{}.md5", std::process::id()));
        let path = path.to_str().unwrap();
        let mut info = StreamInfo::bare(picture().format(), 3, 2);
        info.timebase = Rational::new(1, 12800);
        let mut sink = HashSink::create(path, Hash::Md5, true, &info, &Cancel::default()).unwrap();
        for pts in [Some(512), None, Some(7)] {
            let props = FrameProps { pts, ..FrameProps::default() };
            sink.frame(Frame { props, picture: picture() }).unwrap();
        }
        sink.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(sink.bytes(), text.len() as u64);
        let expected = [
            "#format: frame checksums",
            "#version: 2",
            "#hash: MD5",
            concat!("#software: vramp ", env!("CARGO_PKG_VERSION")),
            "#tb 0: 1/12800",
            "#media_type 0: video",
            "#codec_id 0: rawvideo",
            "#dimensions 0: 3x2",
            "#sar 0: 1/1",
            "#stream#, dts,        pts, duration,     size, hash",
            "0,        512,        512,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
            "0,        513,        513,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
            "0,        513,        513,      512,       10, 70903e79b7575e3f4e7ffa15c2608ac7",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
