//! What tuning distinguishes, in the words of its file: `CudaDevice::choose` takes the way that was measured to be the fastest of those
//! that a kernel states for such a case.

use crate::filters::Setup;
use crate::filters::window::tuning::cuda::{COLUMNS, THREADS};
use crate::video::{Format, SampleType};
use std::fmt;

/// The case of a kernel for `setup` that reads pictures stored as `src`, and whose loops are shaped by `shape`. Pictures of nearly
/// the same width and height are one case: within an eighth of a power of two.
pub(crate) fn case(setup: &Setup, src: Format, shape: &str) -> String {
    let [width, height] = [setup.input.width, setup.input.height].map(|size| rounded(size, 3));
    format!("{}>{}:{width}x{height}:{shape}", stored(src), stored(setup.dst))
}

/// A number that shapes loops, with those near it: of a power of two and the next, it is the nearer one or their middle.
pub(crate) fn coarse(number: usize) -> usize {
    rounded(number, 1)
}

/// `number` with so many bits behind its first.
fn rounded(number: usize, bits: u32) -> usize {
    let unit = 1 << number.checked_ilog2().unwrap_or(0).saturating_sub(bits);
    (number + unit / 2) / unit * unit
}

/// How pictures lie in memory: the bits in words of sixteen do not matter.
fn stored(format: Format) -> Format {
    let is_wide = format.sample() == SampleType::U16 && format.planes() == format.components();
    if is_wide { format.to_v16() } else { format }
}

/// Samples side by side that a thread makes, and so the shape of a block: named by its threads across and down.
#[derive(Clone, Copy)]
pub(crate) struct Outputs(pub usize);

impl fmt::Display for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let across = COLUMNS / self.0;
        write!(f, "block-{across}x{}", THREADS / across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::StreamInfo;

    #[test]
    fn near_numbers_are_one() {
        assert_eq!([0, 1, 2, 3, 4, 5, 7, 9, 10, 30, 61].map(coarse), [0, 1, 2, 3, 4, 6, 8, 8, 12, 32, 64]);
        assert_eq!(
            [1, 7, 15, 16, 17, 1080, 1088, 1920, 3840].map(|n| rounded(n, 3)),
            [1, 7, 15, 16, 18, 1024, 1152, 1920, 3840]
        );
    }

    #[test]
    fn a_case_names_storage_size_and_loops() {
        let setup = |src: &str, dst: &str| {
            let info = StreamInfo::bare(src.parse().unwrap(), 1916, 1080);
            Setup::of(info.clone(), info.format, info, dst.parse().unwrap())
        };
        let of = |src, dst| case(&setup(src, dst), setup(src, dst).src, "r4");
        assert_eq!(of("yuv420p", "yuv420p10"), "yuv420p>yuv420p16:1920x1024:r4");
        assert_eq!(of("p010", "nv12"), "p010>nv12:1920x1024:r4");
        assert_eq!(of("yc48", "yc48"), "yc48>yc48:1920x1024:r4");
    }
}
