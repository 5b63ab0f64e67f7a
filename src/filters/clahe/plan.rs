//! The parameters worked out for one stream.

use super::ClaheParams;
use crate::filters::combine::merge::Scale;
use crate::video::StreamInfo;
use std::ops::Range;

/// The most bins there are.
pub const BINS: usize = 256;

/// A weight of one, by column or by row.
pub const ONE: u32 = 256;

/// Bits that a curve's value has below a lane's when those of four tiles are joined: two weights have sixteen, eight go.
pub const JOINED: u32 = 8;

/// The parameters worked out for one stream.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Of the planes that are worked on, which are all alike.
    pub width: usize,
    pub height: usize,
    /// Tiles across and down.
    pub tiles: (usize, usize),
    pub levels: Levels,
    /// Planes of the picture, and how many of them, the first, are worked on.
    computed: usize,
}

/// Which lanes are counted, and how.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// Bits of a lane that are below its bin's number.
    pub shift: u32,
    /// The bin that black begins.
    pub first: u32,
    /// Bins from black to white.
    pub count: u32,
    /// How much a bin counts at most, in 256ths of the mean of all.
    pub clip: u32,
}

impl Plan {
    /// What `params` mean for `stream`.
    pub fn new(params: &ClaheParams, stream: &StreamInfo) -> Plan {
        // A bin is a code value of 8 bits. With smaller ones, films of 8 bits would leave most empty, and the limit would mean more
        // for them than for others.
        let shift = stream.format.code_step().ilog2();
        let Scale { black, span, .. } = Scale::of(stream);
        let first = black as u32 >> shift;
        let levels = Levels {
            shift,
            first,
            count: ((black + span) as u32 >> shift) - first,
            clip: libm::round(params.limit * 256.0) as u32,
        };
        let plain = (0..stream.format.components()).filter(|component| !stream.format.is_chroma(*component));
        Plan {
            width: stream.width,
            height: stream.height,
            tiles: (params.tiles as usize, params.tiles_h.unwrap_or(params.tiles) as usize),
            levels,
            computed: if levels.clip > 0 { plain.count() } else { 0 },
        }
    }

    /// True when component `component` is worked on, and not just copied.
    pub fn works_on(&self, component: usize) -> bool {
        component < self.computed
    }

    /// Planes that are worked on.
    pub fn computed(&self) -> usize {
        self.computed
    }

    /// Columns and rows of tile `tile`, counted row by row.
    pub fn tile(&self, tile: usize) -> (Range<usize>, Range<usize>) {
        let part = |i: usize, count: usize, size: usize| i * size / count..(i + 1) * size / count;
        let (across, down) = self.tiles;
        (part(tile % across, across, self.width), part(tile / across, down, self.height))
    }

    /// The tiles whose centres are left and right of a column, and the weight of the second.
    pub fn column(&self, x: usize) -> (usize, usize, u32) {
        between(x, self.tiles.0, self.width)
    }

    /// The same of a row.
    pub fn row(&self, y: usize) -> (usize, usize, u32) {
        between(y, self.tiles.1, self.height)
    }
}

impl Levels {
    /// The bin of a lane, if it is between black and white.
    #[inline(always)]
    pub fn bin(&self, lane: u16) -> Option<usize> {
        let bin = (u32::from(lane) >> self.shift).wrapping_sub(self.first);
        (bin < self.count).then_some(bin as usize)
    }
}

/// The two of `tiles` on a side of `size` samples whose centres sample `at` lies between, and the weight of the second.
fn between(at: usize, tiles: usize, size: usize) -> (usize, usize, u32) {
    // In tiles, twice the size of one: from the centre of the first.
    let place = ((2 * at + 1) * tiles) as i64 - size as i64;
    let all = 2 * size as i64;
    let (before, rest) = (place.div_euclid(all), place.rem_euclid(all));
    let inside = |tile: i64| tile.clamp(0, tiles as i64 - 1) as usize;
    (inside(before), inside(before + 1), ((rest * i64::from(ONE) + size as i64) / all) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tiles of 4 samples have their centres at 2 and 6, between samples: 1.5 and 2.5 are half a sample from the first, an
    /// eighth of the distance.
    #[test]
    fn weights_go_from_centre_to_centre() {
        let all: Vec<_> = (0..8).map(|x| between(x, 2, 8)).collect();
        let of = |weight| (0, 1, weight);
        let first = [(0, 0, 160), (0, 0, 224)];
        let last = [(1, 1, 32), (1, 1, 96)];
        assert_eq!(all[..2], first);
        assert_eq!(all[2..6], [of(32), of(96), of(160), of(224)]);
        assert_eq!(all[6..], last);
    }

    #[test]
    fn bins_begin_at_black_and_end_at_white() {
        let levels = |format: &str, is_full: bool| {
            let mut stream = StreamInfo::bare(format.parse().unwrap(), 8, 8);
            stream.color.range = if is_full { crate::video::Range::Full } else { crate::video::Range::Limited };
            let Levels { first, count, shift, .. } = Plan::new(&ClaheParams::default(), &stream).levels;
            (first, count, shift)
        };
        assert_eq!(levels("yuv420p", false), (16, 219, 8));
        assert_eq!(levels("yuv420p", true), (0, 255, 8));
        assert_eq!((levels("yuv420p10", true), levels("yuv420p12", true)), ((0, 255, 8), (0, 255, 8)));
    }
}
