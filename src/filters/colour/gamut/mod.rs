//! What becomes of colours that the new primaries cannot show.

pub mod perceptual;

/// How colours outside are brought inside.
#[derive(Clone, Debug)]
pub enum Gamut {
    /// What is below 0 or above 1 goes there.
    Clip,
    /// Luminance stays, and colour moves towards grey as far as it must. The weights are those of luminance.
    Desat([f32; 3]),
    /// Saturated colours move closer together, those outside among them; then as `Clip`.
    Soft(Box<Soft>),
}

/// The curve by which distances from grey shrink, as the reference gamut compression of ACES has it.
#[derive(Clone, Debug)]
pub struct Soft {
    /// Of red, green and blue, from a distance of [`THRESHOLD`] on, [`PACE`] entries for each 1.
    pub distances: [Vec<f32>; 3],
}

/// Distances up to this stay.
pub const THRESHOLD: f32 = 0.8;
/// Entries for a distance of 1.
pub const PACE: f32 = 640.0;
/// Pieces of a table: up to a distance of 1.6.
pub const PIECES: usize = 512;
/// The distances, from red, green and blue, that become 1: the largest of BT.2020's colours in BT.709 and a little more.
const LIMITS: [f64; 3] = [1.60, 1.09, 1.12];
/// How hard the curve bends.
const POWER: f64 = 1.2;
/// Light below this has no colour.
pub const DARK: f32 = 1.0 / 16_777_216.0;

impl Soft {
    /// The curve.
    pub fn new() -> Soft {
        let threshold = f64::from(THRESHOLD);
        let of = |limit: f64| {
            let (over, room) = (limit - threshold, 1.0 - threshold);
            let scale = over / libm::pow(libm::pow(room / over, -POWER) - 1.0, 1.0 / POWER);
            let curve = |i: usize| {
                let past = i as f64 / f64::from(PACE);
                threshold + past / libm::pow(1.0 + libm::pow(past / scale, POWER), 1.0 / POWER)
            };
            // One behind the last, which is read and weighs nothing.
            (0..=PIECES + 1).map(|i| curve(i.min(PIECES)) as f32).collect()
        };
        Soft { distances: LIMITS.map(of) }
    }

    /// The distance that `distance` from component `i` becomes.
    fn shrunk(&self, i: usize, distance: f32) -> f32 {
        let place = ((distance - THRESHOLD) * PACE).min(PIECES as f32).max(0.0);
        let (table, at) = (&self.distances[i], place as usize);
        (place - at as f32).mul_add(table[at + 1] - table[at], table[at])
    }
}

impl Gamut {
    /// `rgb` inside, but for what is below 0 or above 1, which the caller clips.
    pub fn inside(&self, rgb: [f32; 3]) -> [f32; 3] {
        let [r, g, b] = rgb;
        let (least, most) = (r.min(g).min(b), r.max(g).max(b));
        match self {
            Gamut::Clip => rgb,
            Gamut::Desat(weights) => {
                let y = b.mul_add(weights[2], g.mul_add(weights[1], r * weights[0])).clamp(0.0, 1.0);
                let low = if least < 0.0 { y / (y - least) } else { 1.0 };
                let high = if most > 1.0 { (1.0 - y) / (most - y) } else { 1.0 };
                let share = low.min(high);
                rgb.map(|c| share.mul_add(c - y, y))
            }
            Gamut::Soft(soft) => {
                let part = 1.0 / most.max(DARK);
                std::array::from_fn(|i| {
                    let distance = (most - rgb[i]) * part;
                    if distance > THRESHOLD { (-most).mul_add(soft.shrunk(i, distance), most) } else { rgb[i] }
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    #[test]
    fn distances_are_the_same_on_every_platform() {
        let distances = Soft::new().distances.into_iter().flatten();
        assert_eq!(digest(distances.map(|distance| distance.to_bits().into())), 1369867975185486244);
    }

    #[test]
    fn colours_inside_stay_where_they_are() {
        for gamut in [Gamut::Clip, Gamut::Desat([0.2126, 0.7152, 0.0722]), Gamut::Soft(Box::new(Soft::new()))] {
            for rgb in [[0.0; 3], [1.0; 3], [0.5, 0.25, 0.125], [0.3, 0.2, 0.9]] {
                let inside = gamut.inside(rgb);
                assert!((0..3).all(|i| (inside[i] - rgb[i]).abs() < 1e-6), "{gamut:?}: {rgb:?} becomes {inside:?}");
            }
        }
    }

    #[test]
    fn colours_outside_come_inside() {
        // BT.2020's red in BT.709, at two thirds.
        let red = [1.107, -0.083, -0.012];
        let weights = [0.2126f32, 0.7152, 0.0722];
        let y = |c: [f32; 3]| c[0] * weights[0] + c[1] * weights[1] + c[2] * weights[2];
        let desat = Gamut::Desat(weights).inside(red);
        assert!(desat.iter().all(|c| (-1e-6..=1.000_001).contains(c)) && (y(desat) - y(red)).abs() < 1e-6, "{desat:?}");
        let soft = Gamut::Soft(Box::new(Soft::new())).inside(red);
        assert!(soft[0] == red[0] && soft[1] > 0.0 && soft[2] > 0.0, "{soft:?}");
        // The limits are the ends of the scale.
        let soft = Soft::new();
        for (i, limit) in [1.60, 1.09, 1.12].into_iter().enumerate() {
            assert!((soft.shrunk(i, limit) - 1.0).abs() < 1e-5, "{i}");
        }
    }
}
