//! Decoded frames, as ffmpeg reads what was written.

use crate::command::ffmpeg;
use std::fs;

/// The samples of a video of one component a plane, as bytes, frame by frame.
pub struct Video {
    bytes: Vec<u8>,
    width: usize,
    height: usize,
}

impl Video {
    /// The luma of `file`, in 8 bits, or in 16 with the bits of `format` (gray, gray10le ...).
    pub fn luma(file: &str, size: (usize, usize)) -> Video {
        Video::plane(file, "y", size)
    }

    /// One plane (y, u, v) of `file`, of 8 bits and `size`.
    pub fn plane(file: &str, plane: &str, (width, height): (usize, usize)) -> Video {
        let raw = format!("{file}.{plane}.raw");
        ffmpeg(&format!("-i {file} -map 0:v:0 -vf extractplanes={plane} -fps_mode passthrough -f rawvideo {raw}"));
        let bytes = fs::read(&raw).unwrap();
        assert!(bytes.len() % (width * height) == 0, "frames are whole");
        Video { bytes, width, height }
    }

    pub fn frames(&self) -> usize {
        self.bytes.len() / (self.width * self.height)
    }

    pub fn frame(&self, number: usize) -> &[u8] {
        let size = self.width * self.height;
        &self.bytes[number * size..][..size]
    }

    pub fn at(&self, frame: usize, x: usize, y: usize) -> u8 {
        self.frame(frame)[y * self.width + x]
    }

    /// Columns and rows of `frame` that differ from those of `other`: the first, and the one after the last.
    pub fn changed(&self, frame: usize, other: &Video) -> Option<(usize, usize, usize, usize)> {
        let differs = |x: usize, y: usize| self.at(frame, x, y) != other.at(frame, x, y);
        let xs: Vec<_> = (0..self.width).filter(|x| (0..self.height).any(|y| differs(*x, y))).collect();
        let ys: Vec<_> = (0..self.height).filter(|y| (0..self.width).any(|x| differs(x, *y))).collect();
        Some((*xs.first()?, *ys.first()?, xs.last()? + 1, ys.last()? + 1))
    }

    /// The largest difference of a sample.
    pub fn furthest(&self, other: &Video) -> u8 {
        assert_eq!(self.bytes.len(), other.bytes.len());
        self.bytes.iter().zip(&other.bytes).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
    }
}
