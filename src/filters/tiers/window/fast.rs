//! The fast kernel: bands of rows over threads, tile by tile.

use super::bytes::ByteRows;
use super::tile::Tile;
use super::tuning::cpu::COLUMNS;
use super::{Plan, WindowOp};
use crate::device::cpu::CpuLevel;
use crate::error::Result;
use crate::filters::stock::Stock;
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use crate::video::{PlaneMut, PlaneRef};
use std::ops::Range;

/// The kernel.
pub(super) struct Fast<O> {
    plan: Plan<O>,
    level: CpuLevel,
    tiles: Stock<Tile>,
    /// For the form of bytes, if there is one.
    rows: Option<Stock<ByteRows>>,
    width: usize,
    /// Rows of a band, and how far around it a tile reaches.
    band: usize,
    radius: (usize, usize),
}

impl<O: WindowOp> Fast<O> {
    /// The kernel of `plan` at `level`, for pictures of `width` columns.
    ///
    /// # Errors
    /// When the processor lacks the level.
    pub(super) fn new(plan: Plan<O>, width: usize, level: CpuLevel) -> Result<Fast<O>> {
        level.require()?;
        let (band, radius) = plan.op().map_or((1, (0, 0)), |op| (op.band(), op.radius()));
        let tiles = Stock::new(Tile::new(radius, band, level));
        let takes_bytes = plan.op().is_some_and(WindowOp::takes_bytes);
        let rows = takes_bytes.then(|| Stock::new(ByteRows::new(radius, width, level)));
        Ok(Fast { plan, level, tiles, rows, width, band, radius })
    }
}

impl<O: WindowOp> CpuKernel for Fast<O> {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let this = &*self;
        exec.bands(&mut dst, this.band, |index, rows, mut band| {
            let src = src.here()[index];
            let Some(op) = &this.plan.ops[index] else { return copy(&src, rows, &mut band) };
            if let Some(stock) = this.rows.as_ref().filter(|_| src.layout().is_bytes() && band.layout().is_bytes()) {
                let filter = |around: &mut ByteRows| around.filter(op, &src, rows, &mut band);
                return stock.with(|| ByteRows::new(this.radius, this.width, this.level), filter);
            }
            // SAFETY: `new` checked that the processor has the level.
            let filter = |tile: &mut Tile| unsafe { run_tiles(this.level, op, &src, rows, &mut band, tile) };
            this.tiles.with(|| Tile::new(this.radius, this.band, this.level), filter);
        });
    }

    fn path(&self) -> &'static str {
        self.level.name()
    }
}

/// `tiles` compiled for `level`.
///
/// # Safety
/// The processor has `level`.
unsafe fn run_tiles<O: WindowOp>(
    level: CpuLevel,
    op: &O,
    src: &PlaneRef<'_>,
    rows: Range<usize>,
    dst: &mut PlaneMut<'_>,
    tile: &mut Tile,
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<O: WindowOp>(op: &O, src: &PlaneRef<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, tile: &mut Tile) {
            tiles(op, src, rows, dst, tile);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<O: WindowOp>(
            op: &O,
            src: &PlaneRef<'_>,
            rows: Range<usize>,
            dst: &mut PlaneMut<'_>,
            tile: &mut Tile,
        ) {
            tiles(op, src, rows, dst, tile);
        }
        match level {
            CpuLevel::Portable => {}
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => return unsafe { avx2(op, src, rows, dst, tile) },
            // SAFETY: as above.
            CpuLevel::Avx512 => return unsafe { avx512(op, src, rows, dst, tile) },
        }
    }
    let _ = level;
    tiles(op, src, rows, dst, tile);
}

#[inline(always)]
fn tiles<O: WindowOp>(op: &O, src: &PlaneRef<'_>, rows: Range<usize>, dst: &mut PlaneMut<'_>, tile: &mut Tile) {
    for x in (0..src.width()).step_by(COLUMNS) {
        tile.read(src, x..(x + COLUMNS).min(src.width()), rows.clone());
        op.tile(tile);
        (0..rows.len()).for_each(|row| tile.write(row, dst));
    }
}
