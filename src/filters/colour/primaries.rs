//! Matrices between primaries, and the weights of luma, in 64 bits.

/// A matrix of three rows.
pub type Matrix = [[f64; 3]; 3];

/// CIE x and y of red, green, blue and white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primaries([(f64, f64); 4]);

const D65: (f64, f64) = (0.3127, 0.3290);

impl Primaries {
    /// ITU-R BT.709.
    pub const BT709: Primaries = Primaries([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06), D65]);
    /// ITU-R BT.2020.
    pub const BT2020: Primaries = Primaries([(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), D65]);
    /// P3 with the white of video (SMPTE EG 432-1).
    pub const P3: Primaries = Primaries([(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), D65]);
    /// ITU-R BT.601 of 625 lines (EBU Tech. 3213).
    pub const BT470BG: Primaries = Primaries([(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), D65]);
    /// ITU-R BT.601 of 525 lines (SMPTE C).
    pub const SMPTE170M: Primaries = Primaries([(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), D65]);

    /// Those of H.273's code point `tag`; `None` for those that no filter here takes.
    pub fn of_tag(tag: u8) -> Option<Primaries> {
        match tag {
            1 => Some(Primaries::BT709),
            5 => Some(Primaries::BT470BG),
            6 | 7 => Some(Primaries::SMPTE170M),
            9 => Some(Primaries::BT2020),
            12 => Some(Primaries::P3),
            _ => None,
        }
    }

    /// From linear R, G, B to CIE X, Y, Z, with Y of white 1.
    fn to_xyz(self) -> Matrix {
        let [red, green, blue, white] = self.0.map(|(x, y)| [x / y, 1.0, (1.0 - x - y) / y]);
        let columns = transposed([red, green, blue]);
        let scales = apply(inverse(columns), white);
        columns.map(|row| std::array::from_fn(|i| row[i] * scales[i]))
    }

    /// From linear R, G, B of these primaries to those of `to`, which have the same white.
    pub fn to(self, to: Primaries) -> Matrix {
        product(inverse(to.to_xyz()), self.to_xyz())
    }

    /// How much red, green and blue are of luminance.
    pub fn luminance(self) -> [f64; 3] {
        self.to_xyz()[1]
    }
}

/// How much red and blue are of luma, by H.273's code point of a matrix; `None` for those that are no such sums, and for what
/// is not stated.
pub fn luma_weights(tag: u8) -> Option<(f64, f64)> {
    match tag {
        1 => Some((0.2126, 0.0722)),
        4 => Some((0.30, 0.11)),
        5 | 6 => Some((0.299, 0.114)),
        7 => Some((0.212, 0.087)),
        9 => Some((0.2627, 0.0593)),
        _ => None,
    }
}

fn transposed(m: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

pub(super) fn apply(m: Matrix, v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

pub(super) fn product(a: Matrix, b: Matrix) -> Matrix {
    transposed(transposed(b).map(|column| apply(a, column)))
}

/// By cofactors.
pub(super) fn inverse(m: Matrix) -> Matrix {
    let cofactor = |i: usize, j: usize| {
        let at = |r: usize, c: usize| m[(i + r) % 3][(j + c) % 3];
        at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ITU-R BT.2087, table of the matrix from BT.709 to BT.2020.
    #[test]
    fn matrices_are_the_published_ones() {
        let published = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]];
        let ours = Primaries::BT709.to(Primaries::BT2020);
        for (ours, published) in ours.iter().flatten().zip(published.iter().flatten()) {
            assert!((ours - published).abs() < 1e-4, "{ours} for {published}");
        }
        let luminance = Primaries::BT2020.luminance();
        assert!((luminance[0] - 0.2627).abs() < 1e-4 && (luminance[2] - 0.0593).abs() < 1e-4);
    }

    #[test]
    fn white_stays_white_and_matrices_undo_each_other() {
        let all = [1, 5, 6, 9, 12].map(|tag| Primaries::of_tag(tag).unwrap());
        for (from, to) in all.iter().flat_map(|from| all.iter().map(move |to| (from, to))) {
            assert!(apply(from.to(*to), [1.0; 3]).iter().all(|v| (v - 1.0).abs() < 1e-12));
            let back = product(to.to(*from), from.to(*to));
            assert!((0..9).all(|i| (back[i / 3][i % 3] - f64::from(u8::from(i % 4 == 0))).abs() < 1e-12));
        }
    }
}
