//! A table of colours as kernels read it: nodes of 16 bits, and where codes lie between them.

#[cfg(test)]
mod tests;

use crate::filters::colour::lut::{Curves, Lut, LutDomain};

/// The highest code.
const TOP: u32 = 65535;

/// How colours between nodes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeInterp {
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
    between: NodeInterp,
    /// Values of nodes outside 0 to 1, which are cut off.
    clipped: usize,
}

/// A place on an edge: a node, and how far behind it, in 65535ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EdgePosition {
    node: u32,
    part: u32,
}

impl Cube {
    /// The table of `lut`. `limited`: what goes in, and what results, are codes of limited range.
    pub fn new(lut: &Lut, limited: [bool; 2], between: NodeInterp) -> Cube {
        let result = if limited[1] { LutDomain::of(LIMITED) } else { LutDomain::UNIT };
        let Some(colours) = &lut.cube else {
            // Curves alone are followed by the cube that changes nothing.
            let places = places(lut.curves.as_ref(), &result, 2, limited[0]);
            let values = lut.curves.iter().flat_map(|curves| &curves.values);
            let clipped = clipped(values, &result);
            return Cube { places: Some(places), clipped, ..Cube::of(2, between, |part| part) };
        };
        let part = |colour: &[f32; 3]| std::array::from_fn(|i| result.place(i, colour[i].into()));
        let in_proportion = lut.curves.is_none() && colours.domain == LutDomain::UNIT && !limited[0];
        Cube {
            edge: colours.edge,
            nodes: colours.values.iter().map(|colour| node(part(colour))).collect(),
            places: (!in_proportion).then(|| places(lut.curves.as_ref(), &colours.domain, colours.edge, limited[0])),
            between,
            clipped: clipped(&colours.values, &result),
        }
    }

    /// The table of `f`, which gets and gives codes as parts of 65535.
    pub fn of(edge: usize, between: NodeInterp, f: impl Fn([f64; 3]) -> [f64; 3]) -> Cube {
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
    pub fn between(&self) -> NodeInterp {
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
            NodeInterp::Tetrahedral => self.tetrahedral(places),
            NodeInterp::Trilinear => self.trilinear(places),
        }
    }

    fn place(&self, i: usize, code: u16) -> EdgePosition {
        if let Some(places) = &self.places {
            let entry = places[i << 16 | usize::from(code)];
            return EdgePosition { node: entry >> 16, part: entry & 0xffff };
        }
        let steps = self.edge as u32 - 1;
        let along = u32::from(code) * steps;
        // The last code lies at the end of the last step.
        let node = (along / TOP).min(steps - 1);
        EdgePosition { node, part: along - node * TOP }
    }

    fn node(&self, at: [u32; 3]) -> [u32; 3] {
        let [red, green, blue] = at.map(|at| at as usize);
        let word = self.nodes[(blue * self.edge + green) * self.edge + red];
        [0, 16, 32].map(|shift| (word >> shift) as u32 & 0xffff)
    }

    /// From the node before, one step along each axis, those with the largest part first.
    fn tetrahedral(&self, places: [EdgePosition; 3]) -> [u16; 3] {
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
    fn trilinear(&self, places: [EdgePosition; 3]) -> [u16; 3] {
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
fn clipped<'v>(values: impl IntoIterator<Item = &'v [f32; 3]>, domain: &LutDomain) -> usize {
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
fn places(curves: Option<&Curves>, domain: &LutDomain, edge: usize, limited: bool) -> Vec<u32> {
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
