//! `vramp tune --table`: what `convolve` gains over blocks of 16x16 threads.

use super::cases::convolution;
use super::measure::{Load, Measured, Room, spaces};
use crate::cli::bench::kernels::Subject;
use crate::cli::print;
use crate::device::cuda::CudaDevice;
use crate::error::{Error, Result};
use crate::params::parse_chain;
use crate::video::Format;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const RADII: [usize; 4] = [1, 5, 10, 30];
const SIZES: [(usize, usize); 5] = [(640, 480), (1024, 768), (1600, 1200), (2560, 1600), (3840, 2160)];

/// What gains are over.
const FIXED: &str = "block-16x16";

/// Measures for about so many seconds, and prints the table: of grey pictures of 8 bits.
pub fn run(device: &Arc<CudaDevice>, seconds: u32) -> Result<()> {
    let format: Format = "gray8".parse()?;
    let time = Duration::from_secs(seconds.into()) / (RADII.len() * SIZES.len()) as u32;
    print::text(&format!(
        "{}\nconvolve, 8-bit grey: the fastest way, milliseconds, and its gain over {FIXED}\n{:<12}",
        device.card(),
        ""
    ))?;
    print::text(&(RADII.map(|radius| format!("{:>32}", format!("R = {radius}"))).concat() + "\n"))?;
    let mut gains = Vec::new();
    for size in SIZES {
        let room = Room::new(device, Load { src: format, dst: format, size, batch: 1 })?;
        let mut line = format!("{:<12}", format!("{}x{}", size.0, size.1));
        for radius in RADII {
            let one = measure(device, &room, radius, time)?;
            let fixed = one.space.ways.iter().position(|way| way == FIXED).and_then(|way| one.ms[way]);
            let gain = fixed.map(|fixed| 100.0 * (fixed / one.best_ms() - 1.0));
            let shown = gain.map_or_else(String::new, |gain| format!("{gain:+.1} %"));
            let cell = format!("{} {:.4} {shown}", one.space.ways[one.best], one.best_ms());
            let _ = write!(line, "{cell:>32}");
            gains.extend(gain);
        }
        print::text(&(line + "\n"))?;
    }
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    print::text(&format!("mean gain {mean:+.1} %, least {least:+.1} %\n"))
}

fn measure(device: &Arc<CudaDevice>, room: &Room, radius: usize, time: Duration) -> Result<Measured> {
    let Load { src, dst, size, batch } = room.load();
    let nothing = || Error::unsupported("convolve works in one way on this GPU");
    let plan = Subject::new(parse_chain(&convolution(radius))?).plan(src, dst, size)?.ok_or_else(nothing)?;
    let (key, space) = spaces(device, &plan, batch)?.pop_first().ok_or_else(nothing)?;
    room.measure(&plan, key, space, time)?.ok_or_else(nothing)
}
