//! Which way the picture rises at a place, for f3kdb's mode 7: angles of gradients as fractions of half a turn.

use super::plan::nearest_row;
use crate::device::cpu::CpuExec;
use crate::error::Result;
use crate::filters::Setup;
use crate::filters::stock::Stock;
use crate::simd::rows::widen;
use crate::video::{Picture, PlaneRef, Planes, StreamInfo};

/// How far around a place the picture is looked at, in each direction, whatever the plane's subsampling.
pub(super) const REACH: usize = 20;

/// Steps of the slopes that [`arcs`] knows.
const STEPS: usize = 1 << 12;

/// How many [`arcs`] there are.
pub(super) const ARCS: usize = STEPS + 1;

/// Rows that a thread takes at a time.
const BAND: usize = 16;

/// The angle of a place where nothing rises or falls along the row: as f3kdb has it, that of a slope upwards.
const UPRIGHT: u16 = u16::MAX;

/// The arc of a slope of `i` 4096ths, 65536 to half a turn.
pub(super) fn arcs() -> Vec<u16> {
    let arc = |i: usize| libm::atan(i as f64 / STEPS as f64) / std::f64::consts::PI;
    (0..ARCS).map(|i| libm::round(arc(i) * 65536.0) as u16).collect()
}

/// The angle of the gradient (`across`, `up`): 32768 is level, and what rises to the right and upwards is above that.
#[inline(always)]
pub(super) fn angle(across: i32, up: i32, arcs: &[u16]) -> u16 {
    if across == 0 {
        return UPRIGHT;
    }
    let (x, y) = (across.unsigned_abs(), up.unsigned_abs());
    let arc = |rise: u32, run: u32| u32::from(arcs[((rise << 12) / run) as usize]);
    let turn = if y <= x { arc(y, x) } else { (32768 - arc(x, y)).min(32767) };
    let is_falling = (across < 0) != (up < 0);
    (if is_falling { 32768 - turn } else { 32768 + turn }) as u16
}

/// The gradient at the middle of `value(dx, dy)`, whose offsets are in units of [`REACH`]: Sobel's weights.
#[inline(always)]
pub(super) fn gradient(value: impl Fn(i32, i32) -> i32) -> (i32, i32) {
    let column = |dx| value(dx, -1) + 2 * value(dx, 0) + value(dx, 1);
    let row = |dy| value(-1, dy) + 2 * value(0, dy) + value(1, dy);
    (column(1) - column(-1), row(-1) - row(1))
}

/// The angles of a frame's samples.
pub(super) struct Angles {
    arcs: Vec<u16>,
    picture: Picture,
    /// Three rows with what is looked at on either side.
    rows: Stock<[Vec<u16>; 3]>,
}

impl Angles {
    /// Room for the angles of what `setup` reads.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn new(setup: &Setup) -> Result<Angles> {
        let StreamInfo { format, width, height, .. } = setup.input;
        let format = if format.is_yc48() { "yuv444p16".parse()? } else { format.to_v16() };
        Ok(Angles {
            arcs: arcs(),
            picture: Picture::alloc(format, width, height)?,
            rows: Stock::new(Self::lanes(width)),
        })
    }

    /// The angles, as samples of 16 bits.
    pub(super) fn planes(&self) -> Planes<'_> {
        self.picture.planes()
    }

    /// Looks at a frame, or at each of its fields.
    pub(super) fn look_at(&mut self, src: &Planes<'_>, by_field: bool, exec: &CpuExec) {
        let Angles { arcs, picture, rows: stock } = self;
        exec.bands(&mut picture.planes_mut(), BAND, |component, rows, mut band| {
            let plane = &src[component];
            let nearest = |y: isize| nearest_row(y, plane.height(), by_field);
            let work = |lanes: &mut [Vec<u16>; 3]| {
                for (i, y) in rows.enumerate() {
                    let (y, reach) = (y as isize, REACH as isize);
                    for (lanes, y) in lanes.iter_mut().zip([y - reach, y, y + reach]) {
                        read(plane, nearest(y), &mut lanes[..plane.width() + 2 * REACH]);
                    }
                    for (x, out) in band.row_u16_mut(i).iter_mut().enumerate() {
                        let value = |dx, dy| i32::from(lanes[(dy + 1) as usize][x + (dx + 1) as usize * REACH]);
                        let (across, up) = gradient(value);
                        *out = angle(across, up, arcs);
                    }
                }
            };
            stock.with(|| Self::lanes(src[0].width()), work);
        });
    }

    fn lanes(width: usize) -> [Vec<u16>; 3] {
        std::array::from_fn(|_| vec![0; width + 2 * REACH])
    }
}

/// Reads row `y` into the middle of `lanes`, and its outermost samples into the rest.
fn read(plane: &PlaneRef<'_>, y: usize, lanes: &mut [u16]) {
    let inside = REACH..lanes.len() - REACH;
    widen(plane, 0, y, &mut lanes[inside.clone()]);
    let (first, last) = (lanes[inside.start], lanes[inside.end - 1]);
    lanes[..inside.start].fill(first);
    lanes[inside.end..].fill(last);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    #[test]
    fn arcs_are_everywhere_the_same() {
        let arcs = arcs();
        // An eighth of a turn is a quarter of half a turn; atan(1/2) is 0.147584 of it.
        assert_eq!([0, STEPS / 2, STEPS].map(|i| arcs[i]), [0, 9672, 16384]);
        assert_eq!(digest(arcs.into_iter().map(u64::from)), 0x8d35_6b0b_0f2b_559b);
    }

    #[test]
    fn angles_are_fractions_of_half_a_turn() {
        let arcs = arcs();
        let at = |across, up| angle(across, up, &arcs);
        assert_eq!(
            [at(7, 0), at(-7, 0), at(5, 5), at(-5, -5), at(5, -5), at(-5, 5)],
            [32768, 32768, 49152, 49152, 16384, 16384]
        );
        // Upright, and flat.
        assert_eq!([at(0, 9), at(0, -9), at(0, 0)], [UPRIGHT; 3]);
        // Nearly upright: no more than 65535, and no less than 1.
        assert_eq!([at(1, 262_140), at(1, -262_140)], [65535, 1]);
        for (across, up) in [(3, 1), (1000, 999), (-262_140, 77), (12, -35), (-1, -200), (50_000, 49_000)] {
            let exact = (f64::from(up) / f64::from(across)).atan() / std::f64::consts::PI + 0.5;
            assert!((f64::from(at(across, up)) / 65536.0 - exact).abs() < 2e-4, "{across} {up}");
        }
    }
}
