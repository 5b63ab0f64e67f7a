//! The bars of a GPU.

use super::table::{Bar, HD, Most, UHD};
use crate::cli::bench::kernels::FIVE;

const PHOTO: (usize, usize) = (6720, 4480);

/// Every bar of a GPU.
pub const ON_GPU: &[Bar] = &[
    times("transpose", PHOTO, 1.4),
    times("rotate=90", PHOTO, 1.3),
    times("rotate=180", PHOTO, 1.3),
    times("rotate=270", PHOTO, 1.3),
    times("hflip", PHOTO, 1.3),
    times("vflip", PHOTO, 1.3),
    times("crop=x=3:y=5:w=6001:h=4001", PHOTO, 1.3),
    times("pad=w=6733:h=4491:x=7:y=5", PHOTO, 1.3),
    // The picture is copied, and read once more, which is half a copy: 1.4 of that.
    times("stats=what=rows", PHOTO, 1.7),
    times("stats=what=columns", PHOTO, 1.7),
    Bar { dst: "yuv420p10", ..within("gradient", HD, 0.06) },
    Bar { dst: "yuv420p10", batch: 8, ..within("gradient", HD, 0.06) },
    Bar { dst: "yuv420p10", ..within("gradient", UHD, 0.20) },
    grey_within("scale=factor=2:kernel=bicubic", HD, 0.016),
    grey_within("scale=factor=2:kernel=lanczos", HD, 0.030),
    grey_within("scale=factor=0.5:kernel=bicubic", UHD, 0.022),
    grey_within("scale=factor=0.5:kernel=lanczos", UHD, 0.030),
    Bar { src: "gbrp", dst: "gbrp", ..within("lut3d=look=warm", HD, 0.035) },
    ten_within("tonemap=hable:source=pq:source_peak=1000", UHD, 0.10),
    times("levels=gain=1.1:gamma=1.2", UHD, 1.25),
    times("curves=preset=medium_contrast", UHD, 1.25),
    Bar { src: "yuv420p10", dst: "yuv420p10", ..times(FIVE, UHD, 1.3) },
    grey_within("convolve=WINDOW5", HD, 0.018),
    grey_within("convolve=WINDOW10", HD, 0.055),
    grey_within("convolve=WINDOW30", HD, 0.42),
    Bar { src: "yuv420p", dst: "yuv420p", ..times("rgauss=sigma=20", UHD, 17.0) },
    Bar { src: "yuv420p", dst: "yuv420p", ..times("rgauss=sigma=200", UHD, 17.0) },
    grey_within("domain", HD, 0.20),
    Bar { batch: 8, ..grey_within("domain", HD, 0.05) },
    times("erode=radius=1", UHD, 1.6),
    times("erode=radius=15", UHD, 3.0),
    times("erode=radius=100", UHD, 3.0),
    times("median=radius=1", UHD, 2.0),
    times("median=radius=2", UHD, 5.0),
    grey_within("gauss=sigma=10", UHD, 0.06),
    grey_within("gauss=sigma=64", UHD, 0.24),
    ten_within("localtone=method=mixed", HD, 0.06),
    ten_within("localtone=method=people", HD, 0.06),
    ten_within("localtone=method=scenery", HD, 0.10),
    ten_within("localtone=method=mixed", UHD, 0.15),
    ten_within("localtone=method=people", UHD, 0.15),
    ten_within("localtone=method=scenery", UHD, 0.28),
    Bar { src: "yuv420p16", dst: "yuv420p16", ..times("deband=sample=1", HD, 1.8) },
    Bar { src: "yuv420p16", dst: "yuv420p16", ..times("deband=sample=1", UHD, 2.0) },
    Bar { src: "yuv420p16", dst: "yuv420p16", ..times("deband=range=127:sample=2", UHD, 8.0) },
    Bar { src: "gray16", dst: "gray16", ..within("bilateral=radius=9", HD, 0.29) },
    Bar { src: "gray16", dst: "gray16", ..times("box=radius=100", UHD, 3.4) },
    Bar { src: "yc48", dst: "yc48", ..times("deband=sample=1", HD, 3.0) },
    Bar { src: "nv12", dst: "p010", ..times("deband=sample=1", HD, 3.0) },
];

/// Grey of 8 bits against a copy.
const fn times(ours: &'static str, size: (usize, usize), copies: f64) -> Bar {
    Bar { ours, src: "gray8", dst: "gray8", size, batch: 1, most: Most::Copies(copies), level: None }
}

/// 4:2:0 of 8 bits in so many milliseconds.
const fn within(ours: &'static str, size: (usize, usize), milliseconds: f64) -> Bar {
    Bar { ours, src: "yuv420p", dst: "yuv420p", size, batch: 1, most: Most::Milliseconds(milliseconds), level: None }
}

/// Grey of 8 bits in so many milliseconds.
const fn grey_within(ours: &'static str, size: (usize, usize), milliseconds: f64) -> Bar {
    Bar { src: "gray8", dst: "gray8", ..within(ours, size, milliseconds) }
}

/// 4:2:0 of 10 bits in so many milliseconds.
const fn ten_within(ours: &'static str, size: (usize, usize), milliseconds: f64) -> Bar {
    Bar { src: "yuv420p10", dst: "yuv420p10", ..within(ours, size, milliseconds) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::bench::bars::table::{ON_CPU, tests::do_something};

    #[test]
    fn every_bar_is_a_chain_that_does_something() {
        do_something(ON_GPU);
    }

    #[test]
    fn bars_of_the_cpu_are_beside_ffmpeg_and_bars_of_a_gpu_are_not() {
        assert!(ON_CPU.iter().all(|bar| !matches!(bar.most, Most::Copies(_))));
        assert!(ON_GPU.iter().all(|bar| !matches!(bar.most, Most::Share { .. })));
    }
}
