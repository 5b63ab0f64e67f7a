//! Rows of bytes with all that windows reach, for operations that make bytes of bytes.

use super::WindowOp;
use crate::device::cpu::CpuLevel;
use crate::simd::aligned::Aligned;
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// Bytes of a line of the cache, and of the widest vector.
const LINE: usize = 64;

/// The rows around a row of results. Beyond the plane the nearest byte stands.
pub struct ByteRows {
    /// As many rows as windows have, of which row `y` of the plane lies at `y` modulo their number.
    ring: Aligned<u8>,
    /// From one row there to the next, and bytes of a row before its first sample.
    stride: usize,
    before: usize,
    level: CpuLevel,
    radius: (usize, usize),
    /// The row of results, and the last of the plane.
    y: usize,
    last: usize,
    width: usize,
}

impl ByteRows {
    /// Room for rows of up to `width` samples.
    pub(super) fn new(radius: (usize, usize), width: usize, level: CpuLevel) -> ByteRows {
        let before = radius.0.next_multiple_of(LINE);
        let stride = (before + width.next_multiple_of(LINE) + radius.0 + 1).next_multiple_of(LINE);
        // Lines of a cache that are a power of two apart would push one another out.
        let stride = stride + if (stride / LINE).is_multiple_of(2) { LINE } else { 0 };
        let mut ring = Aligned::default();
        ring.grow(stride * (2 * radius.1 + 1));
        ByteRows { ring, stride, before, level, radius, y: 0, last: 0, width }
    }

    /// Vectors that the processor has.
    pub fn level(&self) -> CpuLevel {
        self.level
    }

    /// Row `index` of the windows, whose first byte is the first window's. Bytes follow up to one behind a whole line of
    /// windows.
    #[inline(always)]
    pub fn row(&self, index: usize) -> &[u8] {
        let y = (self.y + index).saturating_sub(self.radius.1).min(self.last);
        let len = self.width.next_multiple_of(LINE) + 2 * self.radius.0 + 1;
        &self.ring[y % (2 * self.radius.1 + 1) * self.stride + self.before - self.radius.0..][..len]
    }

    /// Makes `rows`, all of `dst`.
    pub(super) fn filter<O: WindowOp>(
        &mut self,
        op: &O,
        src: &PlaneRef<'_>,
        rows: Range<usize>,
        dst: &mut PlaneMut<'_>,
    ) {
        (self.width, self.last) = (src.width(), src.height() - 1);
        let mut read = rows.start.saturating_sub(self.radius.1);
        for (row, y) in rows.enumerate() {
            while read <= (y + self.radius.1).min(self.last) {
                self.read(src, read);
                read += 1;
            }
            self.y = y;
            op.byte_row(self, dst.row_u8_mut(row));
        }
    }

    fn read(&mut self, src: &PlaneRef<'_>, y: usize) {
        let (rx, samples) = (self.radius.0, src.row_u8(y));
        let row = &mut self.ring[y % (2 * self.radius.1 + 1) * self.stride + self.before - rx..];
        row[rx..][..samples.len()].copy_from_slice(samples);
        row[..rx].fill(samples[0]);
        row[rx + samples.len()..][..rx].fill(samples[samples.len() - 1]);
    }
}
