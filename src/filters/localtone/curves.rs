//! Curves and weights as integer tables, made once of 64-bit floats.

/// White of the working scale, on which black is 0; and one more, which divisions by shifts are made for.
pub const WHITE: i32 = 16_383;
pub const ONE: i32 = 16_384;

/// Entries of a table over the working scale.
pub const ENTRIES: usize = ONE as usize;

/// Entries of a table over amplitudes.
pub const AMPLITUDES: usize = 2 * ENTRIES;

/// What becomes of each value of the working scale.
pub type Curve = Box<[u16; ENTRIES]>;

/// A number for each amplitude.
pub type AmplitudeTable = Box<[u16; AMPLITUDES]>;

/// The entry of a table at `index`, which is one of it. With a length that is a power of two, no loop looks whether it is.
#[inline(always)]
pub fn entry<const N: usize>(table: &[u16; N], index: usize) -> u16 {
    const { assert!(N.is_power_of_two()) };
    debug_assert!(index < N);
    table[index % N]
}

/// A table of what `entry` gives.
fn table<const N: usize>(entry: impl FnMut(usize) -> u16) -> Box<[u16; N]> {
    let entries: Vec<u16> = (0..N).map(entry).collect();
    entries.try_into().expect("there are as many entries")
}

/// `x` rounded half up.
pub fn round(x: f64) -> i32 {
    (x + 0.5).floor() as i32
}

/// From 0 at `from` to 1 at `to`, without corners.
pub fn smooth(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// What a pointwise curve does, in the order of its fields.
#[derive(Clone, Copy, Default)]
pub struct LightCurve {
    /// Stops.
    pub exposure: f64,
    pub shadows: f64,
    pub highlights: f64,
    pub contrast: f64,
    pub black: f64,
}

impl LightCurve {
    /// The curve at `x` of 0 to 1.
    fn at(self, x: f64) -> f64 {
        let gain = libm::pow(2.0, self.exposure / 2.2);
        let fourth = |u: f64| (u * u) * (u * u);
        let mut y = gain * x / (1.0 + (gain - 1.0) * x);
        y += 3.0 * self.shadows * y * fourth(1.0 - y);
        let z = 1.0 - y;
        y = 1.0 - (z + 2.0 * self.highlights * z * fourth(1.0 - z));
        y += self.contrast * (y * y * (3.0 - 2.0 * y) - y);
        (y - self.black) / (1.0 - self.black)
    }

    /// The curve over the working scale, mixed with no curve: `share` of it.
    pub fn table(self, share: f64) -> Curve {
        let entry = |i: usize| {
            let x = i as f64 / f64::from(WHITE);
            let y = self.at(x);
            let mixed = if share == 1.0 { y } else { x + share * (y - x) };
            round(f64::from(WHITE) * mixed.clamp(0.0, 1.0)) as u16
        };
        table(entry)
    }
}

/// How much of a change an amplitude takes, in 256ths: little of noise, all of texture, nothing of edges.
pub fn gain_table(edge: f64, noise: f64) -> AmplitudeTable {
    let entry = |c: usize| {
        let x = c as f64 / f64::from(ONE);
        let below_edges = round(256.0 * libm::exp(-x * x / (2.0 * edge * edge)));
        ((above_noise(0.4, 1.6, noise, x) * below_edges + 128) >> 8) as u16
    };
    table(entry)
}

/// How much of an amplification above 1 an amplitude takes, in 256ths.
pub fn fade_table(noise: f64) -> AmplitudeTable {
    table(|c| above_noise(0.5, 1.5, noise, c as f64 / f64::from(ONE)) as u16)
}

/// In 256ths: from 0 at `from` times the noise to all at `to` times. 219 steps of 8 bits are the scale.
fn above_noise(from: f64, to: f64, noise: f64, x: f64) -> i32 {
    if noise == 0.0 { 256 } else { round(256.0 * smooth(from * noise, to * noise, 219.0 * x)) }
}

/// The nine remapped pictures of a local Laplacian filter: picture `j` keeps what lies near `2048·j`.
pub struct RemapCurves {
    /// How much of large steps is kept.
    pub range: f64,
    pub clarity: f64,
    pub edge: f64,
    pub noise: f64,
}

impl RemapCurves {
    /// One table over the working scale for each picture.
    pub fn tables(&self) -> Vec<i16> {
        let RemapCurves { range, clarity, edge, noise } = *self;
        let distance = |i: i32| {
            let x = f64::from(i) / f64::from(WHITE);
            let near = libm::exp(-x * x / (2.0 * edge * edge));
            let texture = if noise == 0.0 { 1.0 } else { smooth(0.5 * noise / 219.0, 2.0 * noise / 219.0, x) };
            round(f64::from(WHITE) * x * (range + (1.0 - range) * near + clarity * texture * near))
        };
        let distances: Vec<i32> = (0..=ONE).map(distance).collect();
        let entry = |j: i32, i: i32| {
            let away = i - 2048 * j;
            let to = 2048 * j + away.signum() * distances[away.unsigned_abs() as usize];
            to.clamp(-16_384, 32_767) as i16
        };
        (0..9).flat_map(|j| (0..ONE).map(move |i| (j, i))).map(|(j, i)| entry(j, i)).collect()
    }
}

/// What a value of the working scale is in an exposure fusion, as the kernels read it at one go.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposures {
    /// Weights of the darkest and the brightest exposure, in 16384ths. The middle one has the rest.
    pub weights: [i16; 2],
    /// The value in the three exposures.
    pub values: [i16; 3],
    /// The fusion of the value alone.
    pub base: i16,
    pub unused: [i16; 2],
}

/// Of each value the three exposures that are `stops` apart from the source.
pub fn exposures(stops: [f64; 3]) -> Vec<Exposures> {
    let tables = stops.map(|exposure| LightCurve { exposure, ..LightCurve::default() }.table(1.0));
    let entry = |i: usize| {
        let values = [0, 1, 2].map(|k| tables[k][i] as i16);
        let exposed = values.map(|value| {
            let away = f64::from(value) / f64::from(WHITE) - 0.5;
            libm::exp(-away * away / 0.08) + 1e-6
        });
        let all = exposed[0] + exposed[1] + exposed[2];
        let weights = [exposed[0], exposed[2]].map(|weight| round(f64::from(ONE) * weight / all) as i16);
        let three = [weights[0], (ONE - i32::from(weights[0]) - i32::from(weights[1])) as i16, weights[1]];
        let sum: i32 = three.iter().zip(values).map(|(w, v)| i32::from(*w) * i32::from(v)).sum();
        Exposures { weights, values, base: ((sum + 8192) >> 14) as i16, unused: [0; 2] }
    };
    (0..ENTRIES).map(entry).collect()
}

/// How much a value of Cb or Cr is one of skin, in 256ths, by its upper ten bits: 1 within `low..=high` of 8 bits, and falling
/// to 0 over `slope` beside it.
pub fn skin_table(low: f64, high: f64, slope: f64) -> Vec<u16> {
    let entry = |i: usize| {
        let x = i as f64 / 4.0;
        round(256.0 * (1.0 + (x - low).min(high - x) / slope).clamp(0.0, 1.0)) as u16
    };
    (0..1024).map(entry).collect()
}
