//! A table of colours as kernels read it: nodes of 16 bits, and where codes lie between them.

use super::lut::{Curves, Domain, Lut};

/// The highest code.
const TOP: u32 = 65535;

/// How colours between nodes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// From the four nodes of a tetrahedron.
    Tetrahedral,
    /// From all eight around.
    Trilinear,
}

/// Code values at which limited range has its black and white, in parts of all codes: those of 10 bits.
const LIMITED: [f64; 2] = [64.0 / 1023.0, 940.0 / 1023.0];

/// A table of colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Cube {
    /// Nodes along an edge, 2 to 256.
    edge: usize,
    /// Red, green and blue, in 16 bits each from the lowest on; red fastest.
    nodes: Vec<u64>,
    /// Where codes of red, green and blue lie, if that is not in proportion: the node before in the upper 16 bits, and how far
    /// behind it, in 65535ths, in the lower.
    places: Option<Vec<u32>>,
    /// How colours between nodes are made.
    between: Between,
    /// Values of nodes outside 0 to 1, which are cut off.
    clipped: usize,
}

/// A place on an edge: a node, and how far behind it, in 65535ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    node: u32,
    part: u32,
}

impl Cube {
    /// The table of `lut`. `limited`: what goes in, and what results, are codes of limited range.
    pub fn new(lut: &Lut, limited: [bool; 2], between: Between) -> Cube {
        let result = if limited[1] { Domain::of(LIMITED) } else { Domain::UNIT };
        let Some(colours) = &lut.cube else {
            // Curves alone are followed by the cube that changes nothing.
            let places = places(lut.curves.as_ref(), &result, 2, limited[0]);
            let values = lut.curves.iter().flat_map(|curves| &curves.values);
            let clipped = clipped(values, &result);
            return Cube { places: Some(places), clipped, ..Cube::of(2, between, |part| part) };
        };
        let part = |colour: &[f32; 3]| std::array::from_fn(|i| result.place(i, colour[i].into()));
        let in_proportion = lut.curves.is_none() && colours.domain == Domain::UNIT && !limited[0];
        Cube {
            edge: colours.edge,
            nodes: colours.values.iter().map(|colour| node(part(colour))).collect(),
            places: (!in_proportion).then(|| places(lut.curves.as_ref(), &colours.domain, colours.edge, limited[0])),
            between,
            clipped: clipped(&colours.values, &result),
        }
    }

    /// The table of `f`, which gets and gives codes as parts of 65535.
    pub fn of(edge: usize, between: Between, f: impl Fn([f64; 3]) -> [f64; 3]) -> Cube {
        let part = |i: usize| i as f64 / (edge - 1) as f64;
        let places = (0..edge).flat_map(|b| (0..edge).flat_map(move |g| (0..edge).map(move |r| [r, g, b])));
        let nodes = places.map(|place| node(f(place.map(part)))).collect();
        Cube { edge, nodes, places: None, between, clipped: 0 }
    }

    /// Whether every code becomes itself.
    pub fn is_identity(&self) -> bool {
        self.places.is_none() && self.nodes == Cube::of(self.edge, self.between, |part| part).nodes
    }

    /// Nodes along an edge.
    pub fn edge(&self) -> usize {
        self.edge
    }

    /// The nodes.
    pub fn nodes(&self) -> &[u64] {
        &self.nodes
    }

    /// Where codes lie: 65536 entries for red, then for green and for blue.
    pub fn places(&self) -> Option<&[u32]> {
        self.places.as_deref()
    }

    /// How colours between nodes are made.
    pub fn between(&self) -> Between {
        self.between
    }

    /// How many values of nodes were cut off.
    pub fn clipped(&self) -> usize {
        self.clipped
    }

    /// The colour of R'G'B' codes.
    pub fn apply(&self, codes: [u16; 3]) -> [u16; 3] {
        let places = [0, 1, 2].map(|i| self.place(i, codes[i]));
        match self.between {
            Between::Tetrahedral => self.tetrahedral(places),
            Between::Trilinear => self.trilinear(places),
        }
    }

    fn place(&self, i: usize, code: u16) -> Place {
        if let Some(places) = &self.places {
            let entry = places[i << 16 | usize::from(code)];
            return Place { node: entry >> 16, part: entry & 0xffff };
        }
        let steps = self.edge as u32 - 1;
        let along = u32::from(code) * steps;
        // The last code lies at the end of the last step.
        let node = (along / TOP).min(steps - 1);
        Place { node, part: along - node * TOP }
    }

    fn node(&self, at: [u32; 3]) -> [u32; 3] {
        let [red, green, blue] = at.map(|at| at as usize);
        let word = self.nodes[(blue * self.edge + green) * self.edge + red];
        [0, 16, 32].map(|shift| (word >> shift) as u32 & 0xffff)
    }

    /// From the node before, one step along each axis, those with the largest part first.
    fn tetrahedral(&self, places: [Place; 3]) -> [u16; 3] {
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|axis| std::cmp::Reverse(places[*axis].part));
        let mut at = places.map(|place| place.node);
        let mut sums = [TOP / 2; 3];
        let mut left = TOP;
        for axis in axes {
            let weight = left - places[axis].part;
            sums = add(sums, self.node(at), weight);
            at[axis] += 1;
            left = places[axis].part;
        }
        add(sums, self.node(at), left).map(|sum| (sum / TOP) as u16)
    }

    /// In floats of 32 bits: how far the eight nodes lie from the nearest one, between along red, then green, then blue.
    fn trilinear(&self, places: [Place; 3]) -> [u16; 3] {
        // From the further end of a step its parts are counted backwards.
        let is_past = places.map(|place| place.part > TOP / 2);
        let node = |past: [bool; 3]| self.node([0, 1, 2].map(|i| places[i].node + u32::from(past[i])));
        let nearest = node(is_past);
        let part = |i: usize| if is_past[i] { TOP - places[i].part } else { places[i].part };
        let [red, green, blue] = [0, 1, 2].map(|i| part(i) as f32 * (1.0 / 65535.0));
        let along = |from: f32, to: f32, part: f32| part.mul_add(to - from, from);
        std::array::from_fn(|i| {
            let far = |r: bool, g: bool, b: bool| {
                let at = node([is_past[0] ^ r, is_past[1] ^ g, is_past[2] ^ b]);
                (at[i] as i32 - nearest[i] as i32) as f32
            };
            let line = |g: bool, b: bool| along(far(false, g, b), far(true, g, b), red);
            let face = |b: bool| along(line(false, b), line(true, b), green);
            (nearest[i] as i32 + (along(face(false), face(true), blue) + 0.5).floor() as i32) as u16
        })
    }
}

/// How far outside 0 to 1 a value may be by rounding alone.
const OUTSIDE: f64 = 1e-5;

/// How many values lie outside `domain`.
fn clipped<'v>(values: impl IntoIterator<Item = &'v [f32; 3]>, domain: &Domain) -> usize {
    let outside = |i: usize, value: f32| {
        let value = f64::from(value);
        value < domain.min[i] - OUTSIDE || value > domain.max[i] + OUTSIDE
    };
    values.into_iter().map(|colour| (0..3).filter(|i| outside(*i, colour[*i])).count()).sum()
}

/// The node of a colour in parts of white.
fn node(colour: [f64; 3]) -> u64 {
    let [red, green, blue] = colour.map(|part| (part.clamp(0.0, 1.0) * f64::from(TOP) + 0.5) as u64);
    red | green << 16 | blue << 32
}

fn add(sums: [u32; 3], colour: [u32; 3], weight: u32) -> [u32; 3] {
    std::array::from_fn(|i| sums[i] + colour[i] * weight)
}

/// Where codes lie on the edges of a cube behind `curves`, whose colours begin and end with `domain`.
fn places(curves: Option<&Curves>, domain: &Domain, edge: usize, limited: bool) -> Vec<u32> {
    let [black, white] = if limited { LIMITED } else { [0.0, 1.0] };
    let steps = (edge - 1) as f64;
    let place = |i: usize, code: u32| {
        let value = black + f64::from(code) / f64::from(TOP) * (white - black);
        let bent = curves.map_or(value, |curves| curves.at(i, value));
        let along = domain.place(i, bent) * steps;
        let node = (along as u32).min(edge as u32 - 2);
        node << 16 | ((along - f64::from(node)) * f64::from(TOP) + 0.5) as u32
    };
    (0..3).flat_map(|i| (0..=TOP).map(move |code| (i, code))).map(|(i, code)| place(i, code)).collect()
}

impl Curves {
    /// The curve of component `i` at `value`.
    fn at(&self, i: usize, value: f64) -> f64 {
        let last = self.values.len() - 1;
        let along = self.domain.place(i, value) * last as f64;
        let from = (along as usize).min(last - 1);
        let [a, b] = [from, from + 1].map(|at| f64::from(self.values[at][i]));
        a + (b - a) * (along - from as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::looks::Look;
    use super::*;
    use crate::filters::testing::digest;

    const BOTH: [Between; 2] = [Between::Tetrahedral, Between::Trilinear];

    /// Colours all over, greys and corners among them.
    fn colours() -> impl Iterator<Item = [u16; 3]> {
        let mixed = |i: u32| [40_503, 30_011, 52_009].map(|by: u32| (i.wrapping_mul(by) >> (i % 3)) as u16);
        let greys = (0..=u16::MAX).map(|code| [code; 3]);
        let corners = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|part| part * u16::MAX));
        (0..200_000).map(mixed).chain(greys).chain(corners)
    }

    #[test]
    fn the_identity_is_exact() {
        for (edge, between) in
            [2, 3, 16, 17, 33, 64, 65, 129].into_iter().flat_map(|e| BOTH.map(|between| (e, between)))
        {
            let cube = Cube::new(&Lut::of(edge, |colour| colour), [false; 2], between);
            assert!(cube.is_identity());
            assert!(colours().step_by(61).all(|codes| cube.apply(codes) == codes), "{edge} {between:?}");
        }
        assert!(!Cube::new(&Look::Warm.lut(), [false; 2], Between::Trilinear).is_identity());
    }

    /// What the values of a table give in 64 bits, on the scale of codes.
    fn exact(lut: &Lut, between: Between, codes: [u16; 3]) -> [f64; 3] {
        let cube = lut.cube.as_ref().unwrap();
        let bent = |i: usize, value: f64| lut.curves.as_ref().map_or(value, |curves| curves.at(i, value));
        let along: [f64; 3] = std::array::from_fn(|i| {
            cube.domain.place(i, bent(i, f64::from(codes[i]) / 65535.0)) * (cube.edge - 1) as f64
        });
        let at = along.map(|along| (along as usize).min(cube.edge - 2));
        let part: [f64; 3] = std::array::from_fn(|i| along[i] - at[i] as f64);
        let node = |step: [usize; 3]| {
            let [r, g, b] = std::array::from_fn(|i| at[i] + step[i]);
            cube.values[(b * cube.edge + g) * cube.edge + r].map(|value| f64::from(value).clamp(0.0, 1.0) * 65535.0)
        };
        let mut sum = [0.0; 3];
        let mut add = |step: [usize; 3], weight: f64| (0..3).for_each(|i| sum[i] += weight * node(step)[i]);
        match between {
            Between::Trilinear => {
                for corner in 0..8 {
                    let step = [corner & 1, corner >> 1 & 1, corner >> 2];
                    add(step, (0..3).map(|i| if step[i] == 1 { part[i] } else { 1.0 - part[i] }).product());
                }
            }
            Between::Tetrahedral => {
                let mut order = [0, 1, 2];
                order.sort_by(|a, b| part[*b].total_cmp(&part[*a]));
                let (mut step, mut left) = ([0; 3], 1.0);
                for axis in order {
                    add(step, left - part[axis]);
                    (step[axis], left) = (1, part[axis]);
                }
                add(step, left);
            }
        }
        sum
    }

    #[test]
    fn colours_are_within_one_code_of_the_exact_ones() {
        let scaled = Lut {
            cube: Look::Warm
                .lut()
                .cube
                .map(|cube| super::super::lut::Colours { domain: Domain::of([-0.3, 2.7]), ..cube }),
            ..Lut::default()
        };
        for (lut, between) in
            [Look::Warm.lut(), Look::Faded.lut(), scaled].iter().flat_map(|lut| BOTH.map(|b| (lut, b)))
        {
            let cube = Cube::new(lut, [false; 2], between);
            let off = |codes: [u16; 3]| {
                let (made, exact) = (cube.apply(codes), exact(lut, between, codes));
                (0..3).map(|i| (f64::from(made[i]) - exact[i]).abs()).fold(0.0, f64::max)
            };
            let worst = colours().step_by(59).map(off).fold(0.0, f64::max);
            assert!(worst <= 1.0, "{worst} {between:?}");
        }
    }

    #[test]
    fn curves_alone_are_within_half_a_code() {
        // Values 0, 0.25 and 1. 49152 is 1.500023 steps of 32767.5: 0.25 + 0.75·0.500023 is 40960.5 and a little.
        let curves = Curves { domain: Domain::UNIT, values: vec![[0.0; 3], [0.25; 3], [1.0; 3]] };
        let cube = Cube::new(&Lut { curves: Some(curves), ..Lut::default() }, [false; 2], Between::Tetrahedral);
        assert_eq!(cube.apply([16384, 49152, 65535]), [8192, 40961, 65535]);
    }

    /// The table of limited range that changes nothing there changes nothing of R'G'B' either.
    #[test]
    fn limited_range_begins_at_64() {
        let cube = Cube::new(&Lut::of(33, |colour| colour), [true; 2], Between::Tetrahedral);
        let off = |codes: [u16; 3]| (0..3).map(|i| cube.apply(codes)[i].abs_diff(codes[i])).max().unwrap();
        // The nodes that black and white lie behind and before are cut off there.
        assert!(colours().filter(|c| c.iter().all(|code| (2600..63_000).contains(code))).all(|codes| off(codes) <= 1));
        assert_eq!(
            Cube::new(&Lut::of(2, |_| [-0.5, 0.5, 1.5]), [false; 2], Between::Trilinear).clipped(),
            0,
            "they are cut before"
        );
    }

    #[test]
    fn tables_are_the_same_everywhere() {
        let of = |look: Look| {
            let cube = Cube::new(&look.lut(), [false; 2], Between::Tetrahedral);
            digest(
                cube.nodes().iter().copied().chain(cube.places().into_iter().flatten().map(|place| u64::from(*place))),
            )
        };
        assert_eq!(
            [Look::None, Look::Warm, Look::Faded].map(of),
            [14300144785067404077, 14073039761936422451, 8427448726371379475]
        );
    }
}
