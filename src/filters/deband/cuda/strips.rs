//! How planes are cut in strips, for ranges whose surroundings fit no tile: a block filters a strip from above to below, and keeps
//! the rows that references may lie in as a ring in shared memory. Wide ranges take more of that than every device has.

use super::tiles::{TileGrid, TiledGroup, TiledGroups, Tiles};
use crate::filters::deband::tuning::cuda::{COPY_COST, STRIP_COLUMNS, STRIP_WAVES};

/// Threads of a block, samples that one filters in a step, and pieces of each component that it copies for one at most, by the
/// components of a group: what the kernels are compiled for.
const THREADS: usize = 512;
const CHUNK: usize = 8;
const PASSES: [usize; 2] = [4, 2];

/// A group that is cut in strips of so many columns, and the rows of a step.
#[derive(Clone, Copy)]
struct Strips<'a> {
    group: &'a TiledGroup,
    columns: usize,
    step: usize,
}

impl<'a> Strips<'a> {
    /// The widest whose rings fit in `most` bytes.
    fn widest(group: &'a TiledGroup, most: usize) -> Option<Strips<'a>> {
        let of = |columns: &usize| Strips { group, columns: *columns, step: THREADS * CHUNK / columns };
        STRIP_COLUMNS[group.components - 1].iter().map(of).find(|strips| {
            let rows_at_once = THREADS / strips.pieces();
            strips.cut(1).shared <= most && strips.step <= PASSES[group.components - 1] * rows_at_once
        })
    }

    fn halo(&self) -> usize {
        self.group.range.next_multiple_of(16 / self.group.sample_bytes)
    }

    /// Pieces of 16 bytes in a row of a component.
    fn pieces(&self) -> usize {
        (self.columns + 2 * self.halo()) * self.group.sample_bytes / 16
    }

    /// Rows of a ring. In a field, rounding down to even reaches one row further than the range.
    fn ring_rows(&self) -> usize {
        2 * (self.group.range + 1) + self.step
    }

    /// Strips that are `parts` high in all, each of whole steps.
    fn cut(&self, parts: usize) -> Tiles {
        let rows = self.group.height.div_ceil(parts).next_multiple_of(self.step);
        let ring_bytes = self.ring_rows() * self.pieces() * 16;
        Tiles {
            across: self.group.width.div_ceil(self.columns),
            down: self.group.height.div_ceil(rows),
            columns: self.columns,
            rows,
            halo: self.halo(),
            pieces: self.pieces(),
            ring_bytes,
            shared: ring_bytes * self.group.components,
            ..Tiles::default()
        }
    }

    /// How long a strip takes, in samples filtered: before its first step nothing hides that a ring is filled.
    fn cost(&self, tiles: &Tiles) -> usize {
        let filled = (self.columns + 2 * self.halo()) * self.ring_rows();
        (self.columns * tiles.rows + filled / COPY_COST) * self.group.components
    }
}

/// All strips of a picture, where a block may have `most` bytes of shared memory and they fit: so many that all of them take about
/// equally long on `multiprocessors`, each of which holds one.
pub fn strips(groups: &TiledGroups, multiprocessors: usize, most: usize) -> Option<TileGrid> {
    // The kernels are not compiled for three components that share their offsets.
    if groups.first.components > 1 {
        return None;
    }
    let blocks = STRIP_WAVES * multiprocessors;
    let first = Strips::widest(&groups.first, most)?;
    let chroma = match &groups.chroma {
        Some(group) => Some(Strips::widest(group, most)?),
        None => None,
    };
    let shapes = (1..=groups.first.height.div_ceil(first.step)).map(|parts| {
        let luma = first.cut(parts);
        let left = blocks.saturating_sub(luma.count() as usize);
        let chroma = chroma.map(|strips| (strips, strips.cut((left / strips.cut(1).across).max(1))));
        let cost = first.cost(&luma).max(chroma.map_or(0, |(strips, tiles)| strips.cost(&tiles)));
        (cost, [luma, chroma.map(|(_, tiles)| tiles).unwrap_or_default()])
    });
    let fitting = |tiles: &[Tiles; 2]| (tiles[0].count() + tiles[1].count()) as usize <= blocks;
    let all: Vec<_> = shapes.collect();
    let best = all.iter().filter(|(_, tiles)| fitting(tiles)).min_by_key(|(cost, _)| *cost).or(all.first())?;
    Some(TileGrid { tiles: best.1, shared: best.1[0].shared.max(best.1[1].shared), threads: THREADS as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of shared memory that a block may have, from Pascal to Hopper.
    const SHARED: [usize; 5] = [48 << 10, 64 << 10, 99 << 10, 163 << 10, 227 << 10];

    fn groups((width, height): (usize, usize), range: usize, sample_bytes: usize) -> TiledGroups {
        let group = |by: usize, components| TiledGroup {
            width: width.div_ceil(by),
            height: height.div_ceil(by),
            range: range / by,
            components,
            sample_bytes,
        };
        TiledGroups { first: group(1, 1), chroma: Some(group(2, 2)) }
    }

    #[test]
    fn strips_cover_a_picture_and_fit_a_device() {
        for size in [(3840, 2160), (1920, 1080), (333, 217), (8, 5), (1, 1), (20_000, 3)] {
            for (range, most) in (0..128).flat_map(|range| SHARED.map(|most| (range, most))) {
                for bytes in [1, 2] {
                    let groups = groups(size, range, bytes);
                    let Some(grid) = strips(&groups, 132, most) else { continue };
                    assert!(grid.shared <= most);
                    for (tiles, group) in
                        grid.tiles.iter().zip([Some(groups.first), groups.chroma].into_iter().flatten())
                    {
                        assert!(tiles.across * tiles.columns >= group.width && tiles.down * tiles.rows >= group.height);
                        assert!((tiles.across - 1) * tiles.columns < group.width);
                        assert!((tiles.down - 1) * tiles.rows < group.height);
                        let step = THREADS * CHUNK / tiles.columns;
                        assert!(
                            tiles.rows % step == 0 && PASSES[group.components - 1] * (THREADS / tiles.pieces) >= step
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_widest_range_of_words_has_strips_where_blocks_have_the_most() {
        let grid = strips(&groups((3840, 2160), 127, 2), 132, 227 << 10).unwrap();
        assert_eq!(grid.tiles.map(|tiles| tiles.columns), [128, 256]);
        assert!(strips(&groups((3840, 2160), 127, 2), 132, 163 << 10).is_none());
    }
}
