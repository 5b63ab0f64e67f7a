//! The generator of `blue_noise.bin`. `VRAMP_BLESS=1 cargo test blue_noise` writes the table again.

use crate::filters::requant::pattern::TILE;

const CELLS: usize = TILE * TILE;

/// One in `SPARSE` cells is set in the pattern that the method starts from.
const SPARSE: usize = 10;

/// `exp(−r²/(2·1.5²))` for squared distances, in units of 2^−40: a power of `exp(−1/4.5)`, by integers alone so that
/// every machine gets the same table.
fn gauss() -> Vec<u64> {
    const RATIO: u64 = 880_420_085_302; // 2^40·exp(−1/4.5)
    let next = |w: &u64| Some(((u128::from(*w) * u128::from(RATIO)) >> 40) as u64);
    std::iter::successors(Some(1 << 40), next).take(2 * (TILE / 2) * (TILE / 2) + 1).collect()
}

/// A pattern of set cells on a torus, and how crowded each cell is by them.
struct Pattern {
    weights: Vec<u64>,
    set: Vec<bool>,
    crowding: Vec<u64>,
}

impl Pattern {
    fn empty() -> Pattern {
        let gauss = gauss();
        let distance = |d: usize| d.min(TILE - d);
        let weight = |at: usize| gauss[distance(at % TILE).pow(2) + distance(at / TILE).pow(2)];
        Pattern { weights: (0..CELLS).map(weight).collect(), set: vec![false; CELLS], crowding: vec![0; CELLS] }
    }

    fn change(&mut self, cell: usize, set: bool) {
        assert_ne!(self.set[cell], set);
        self.set[cell] = set;
        for (at, crowding) in self.crowding.iter_mut().enumerate() {
            let dx = (at % TILE + TILE - cell % TILE) % TILE;
            let dy = (at / TILE + TILE - cell / TILE) % TILE;
            let weight = self.weights[dy * TILE + dx];
            *crowding = if set { *crowding + weight } else { *crowding - weight };
        }
    }

    /// The set cell that the others crowd most.
    fn tightest_cluster(&self) -> usize {
        (0..CELLS).filter(|at| self.set[*at]).max_by_key(|at| self.crowding[*at]).unwrap()
    }

    /// The free cell that the set ones crowd least.
    fn largest_void(&self) -> usize {
        (0..CELLS).filter(|at| !self.set[*at]).min_by_key(|at| self.crowding[*at]).unwrap()
    }
}

/// The rank of every cell.
fn void_and_cluster() -> Vec<u16> {
    let mut pattern = Pattern::empty();
    let mut random: u32 = 1;
    let mut count = 0;
    while count < CELLS / SPARSE {
        // A linear congruential generator (Numerical Recipes): its high bits choose a cell.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let cell = random as usize >> 20;
        if !pattern.set[cell] {
            pattern.change(cell, true);
            count += 1;
        }
    }
    // Even the start out: move cells from clusters to voids until one comes back to where it was.
    loop {
        let cluster = pattern.tightest_cluster();
        pattern.change(cluster, false);
        let void = pattern.largest_void();
        pattern.change(void, true);
        if void == cluster {
            break;
        }
    }
    // Below the start, ranks go down as clusters are thinned; above it, up as voids are filled. On a torus the largest
    // void among set cells is also the tightest cluster of free ones, so the second half needs no step of its own.
    let mut ranks = vec![0; CELLS];
    let start = pattern.set.clone();
    for rank in (0..count).rev() {
        let cell = pattern.tightest_cluster();
        pattern.change(cell, false);
        ranks[cell] = rank as u16;
    }
    for cell in (0..CELLS).filter(|cell| start[*cell]) {
        pattern.change(cell, true);
    }
    for rank in count..CELLS {
        let cell = pattern.largest_void();
        pattern.change(cell, true);
        ranks[cell] = rank as u16;
    }
    ranks
}

#[test]
fn the_blue_noise_table_is_what_its_generator_makes() {
    let bytes: Vec<u8> = void_and_cluster().into_iter().flat_map(u16::to_le_bytes).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/filters/requant/blue_noise.bin");
    if std::env::var_os("VRAMP_BLESS").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == bytes, "{path} is not what the generator makes");
}
