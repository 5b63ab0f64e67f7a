//! The bars: what a frame may take. Here are those of the CPU.

use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::{self, Filter};
use std::fmt::Write;

/// In a peer's name, the path of a table of colours.
pub const CUBE: &str = "CUBE";

/// In a chain, followed by a radius: a window for `convolve`, whose weights are no product of a column and a row.
const WINDOW: &str = "WINDOW";

/// One of our filters, and how much it may take.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// One filter.
    pub ours: &'static str,
    /// Storage that it reads.
    pub src: &'static str,
    /// Storage that it writes.
    pub dst: &'static str,
    /// Of the source.
    pub size: (usize, usize),
    /// Frames that are made at a time.
    pub batch: usize,
    /// How much it may take.
    pub most: Most,
    /// With these vectors, on processors that have them; or with the best there are.
    pub level: Option<CpuLevel>,
}

impl Bar {
    /// The filters.
    pub fn chain(&self) -> Result<Vec<Box<dyn Filter>>> {
        match self.ours.split_once(WINDOW) {
            Some((call, radius)) => filters::chain(&format!("{call}'{}'", window(radius.parse().unwrap_or(1)))),
            None => filters::chain(self.ours),
        }
    }
}

/// The weights of a window, row by row: no product of a column and a row.
pub fn window(radius: usize) -> String {
    let side = 2 * radius + 1;
    let mut text = String::new();
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let gap = if x + 1 < side { " " } else { "/" };
        // Writing to a string does not fail.
        let _ = write!(text, "{}{gap}", (x * x + 3 * y * y + x * y) % 7 + 1);
    }
    text.pop();
    text
}

/// How much a filter may take.
#[derive(Clone, Copy, Debug)]
pub enum Most {
    /// So much of what ffmpeg takes for `theirs`.
    Share {
        /// As ffmpeg's command line has it.
        theirs: &'static str,
        /// Of its time.
        share: f64,
    },
    /// So many milliseconds, of a processor with AVX2 or of an H200.
    Milliseconds(f64),
    /// So many times a copy on the device of as many bytes as the result has.
    #[cfg(feature = "cuda")]
    Copies(f64),
}

pub const HD: (usize, usize) = (1920, 1080);
pub const UHD: (usize, usize) = (3840, 2160);

/// Every bar of the CPU.
pub const ON_CPU: &[Bar] = &[
    // zimg, by the same kernels.
    beside("scale=factor=2:kernel=bicubic", "zscale=w=2*iw:h=2*ih:filter=bicubic:param_a=0:param_b=0.5", 1.0),
    beside("scale=factor=2:kernel=spline36", "zscale=w=2*iw:h=2*ih:filter=spline36", 1.0),
    beside("scale=factor=2:kernel=lanczos", "zscale=w=2*iw:h=2*ih:filter=lanczos", 1.0),
    Bar {
        dst: "yuv420p16",
        ..beside("scale=factor=2:kernel=lanczos", "zscale=w=2*iw:h=2*ih:filter=lanczos,format=yuv420p16", 1.2)
    },
    Bar {
        size: UHD,
        ..beside("scale=factor=0.5:kernel=bicubic", "zscale=w=iw/2:h=ih/2:filter=bicubic:param_a=0:param_b=0.5", 1.0)
    },
    Bar { size: UHD, ..beside("scale=factor=0.5:kernel=lanczos", "zscale=w=iw/2:h=ih/2:filter=lanczos", 1.0) },
    Bar {
        size: UHD,
        dst: "yuv420p16",
        ..beside("scale=factor=0.5:kernel=lanczos", "zscale=w=iw/2:h=ih/2:filter=lanczos,format=yuv420p16", 1.2)
    },
    beside("scale=w=1280:h=720:kernel=spline36", "zscale=w=1280:h=720:filter=spline36", 1.0),
    Bar { src: "yuv420p10", dst: "yuv420p10", ..beside("tonemap=hable:source=pq:source_peak=1000", TONEMAP, 1.2) },
    Bar { src: "gbrp", dst: "gbrp", ..beside("lut3d=look=warm", "lut3d=file=CUBE:interp=tetrahedral", 0.45) },
    beside("convolve=kernel='1 2 3/4 9 6/7 8 5'", CONVOLUTION, 0.45),
    beside("erode=radius=1", "erosion", 0.1),
    beside("median=radius=1", "median=radius=1", 0.012),
    beside("median=radius=2", "median=radius=2", 0.05),
    Bar { src: "gray16", dst: "gray16", level: Some(CpuLevel::Avx2), ..alone("median=radius=1", 1.0) },
    beside("gauss=sigma=10", "gblur=sigma=10:steps=1", 0.65),
    Bar { dst: "yuv420p10", level: Some(CpuLevel::Avx512), ..beside("gradient", "deband", 0.65) },
    Bar { dst: "yuv420p10", level: Some(CpuLevel::Avx2), ..beside("gradient", "deband", 1.0) },
    alone("localtone=method=mixed", 30.0),
    alone("localtone=method=people", 20.0),
    alone("localtone=method=scenery", 90.0),
];

// The second numbers keep planes that it has no matrix for from being copied.
const CONVOLUTION: &str = "convolution='1 2 3 4 9 6 7 8 5':'1 2 3 4 9 6 7 8 5':'1 2 3 4 9 6 7 8 5'";

const TONEMAP: &str = "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv,\
     zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv,format=yuv420p10le";

/// A bar beside ffmpeg, of 8-bit 4:2:0 in 1080p.
const fn beside(ours: &'static str, theirs: &'static str, share: f64) -> Bar {
    Bar { ours, src: "yuv420p", dst: "yuv420p", size: HD, batch: 1, most: Most::Share { theirs, share }, level: None }
}

/// A bar of 10-bit 4:2:0 in 1080p, in milliseconds.
const fn alone(ours: &'static str, milliseconds: f64) -> Bar {
    let most = Most::Milliseconds(milliseconds);
    Bar { ours, src: "yuv420p10", dst: "yuv420p10", size: HD, batch: 1, most, level: None }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    /// Each of them must be a chain of which a plan has something to do.
    pub fn do_something(bars: &[Bar]) {
        for bar in bars {
            let info = StreamInfo::bare(bar.src.parse().unwrap(), bar.size.0, bar.size.1);
            let target = Target { format: Some(bar.dst.parse().unwrap()), ..Target::default() };
            assert!(!plan(bar.chain().unwrap(), &info, target).unwrap().stages.is_empty(), "{bar:?}");
        }
    }

    #[test]
    fn every_bar_is_a_chain_that_does_something() {
        do_something(ON_CPU);
    }

    #[test]
    fn a_window_has_as_many_weights_as_it_says() {
        assert_eq!(window(1), "1 2 5/4 6 3/6 2 7");
    }
}
