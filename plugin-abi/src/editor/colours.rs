//! From a host's colours to those that filters see, and back.

/// What filters see of a host's R, G, B, which go from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    /// As Y, Cb, Cr of BT.709, instead of R, G, B.
    pub ycbcr: bool,
    /// Through the curve of sRGB, since the host's values are light.
    pub linear: bool,
}

/// The weights of R and B in Y: ITU-R BT.709.
const KR: f32 = 0.2126;
const KB: f32 = 0.0722;
/// How much of the difference to Y is Cb and Cr.
const CB: f32 = 2.0 * (1.0 - KB);
const CR: f32 = 2.0 * (1.0 - KR);

impl Colours {
    /// What filters see of a colour. They see of what lies beyond 0 to 1 the nearest end.
    pub fn seen(self, colour: [f32; 3]) -> [f32; 3] {
        let [r, g, b] = self.displayed(colour);
        if !self.ycbcr {
            return [r, g, b];
        }
        let y = KR * r + (1.0 - KR - KB) * g + KB * b;
        [y, (b - y) / CB, (r - y) / CR]
    }

    /// The colour of what filters made.
    pub fn shown(self, made: [f32; 3]) -> [f32; 3] {
        let colour = self.rgb(made);
        if self.linear { colour.map(decoded) } else { colour }
    }

    /// What becomes of a colour where what is seen of it grows by `growth`: the colour itself, where that is nothing.
    pub fn grown(self, colour: [f32; 3], growth: [f32; 3]) -> [f32; 3] {
        if growth == [0.0; 3] {
            return colour;
        }
        let growth = self.rgb(growth);
        if !self.linear {
            return [0, 1, 2].map(|i| colour[i] + growth[i]);
        }
        let displayed = self.displayed(colour);
        [0, 1, 2].map(|i| colour[i] + (decoded(displayed[i] + growth[i]) - decoded(displayed[i])))
    }

    /// A colour within 0 to 1, as it is displayed.
    fn displayed(self, colour: [f32; 3]) -> [f32; 3] {
        let inside = colour.map(|number| number.clamp(0.0, 1.0));
        if self.linear { inside.map(encoded) } else { inside }
    }

    /// R, G, B of what filters see, and of a difference of it.
    fn rgb(self, seen: [f32; 3]) -> [f32; 3] {
        if !self.ycbcr {
            return seen;
        }
        let [y, cb, cr] = seen;
        let (r, b) = (y + CR * cr, y + CB * cb);
        [r, (y - KR * r - KB * b) / (1.0 - KR - KB), b]
    }
}

/// The value of sRGB (IEC 61966-2-1) for light.
fn encoded(light: f32) -> f32 {
    if light <= 0.003_130_8 {
        return 12.92 * light;
    }
    // To the power of 5/12. Roots are worked out here, since a library's power differs from machine to machine.
    let root = cube_root(f64::from(light).sqrt().sqrt());
    1.055 * (root * root * (root * root) * root) as f32 - 0.055
}

/// The light of a value of sRGB; what is below 0 keeps the slope there.
fn decoded(value: f32) -> f32 {
    if value <= 0.040_45 {
        return value / 12.92;
    }
    // To the power of 12/5.
    let base = f64::from((value + 0.055) / 1.055);
    let root = fifth_root(base);
    (base * base * (root * root)) as f32
}

/// By Newton's method, from a third of the exponent on: 4 steps are exact to a double's last bits.
fn cube_root(x: f64) -> f64 {
    let first = f64::from_bits(x.to_bits() / 3 + 0x2a9f_7893_0000_0000);
    (0..4).fold(first, |root, _| (2.0 * root + x / (root * root)) / 3.0)
}

/// The same from a fifth on.
fn fifth_root(x: f64) -> f64 {
    let first = f64::from_bits(x.to_bits() / 5 + 0x3325_ced9_0000_0000);
    (0..4).fold(first, |root, _| (4.0 * root + x / (root * root * (root * root))) / 5.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Colours; 4] = [
        Colours { ycbcr: false, linear: false },
        Colours { ycbcr: false, linear: true },
        Colours { ycbcr: true, linear: false },
        Colours { ycbcr: true, linear: true },
    ];

    fn near(got: [f32; 3], want: [f32; 3], what: &str) {
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 2e-6, "{what}: {got} is not {want}");
        }
    }

    #[test]
    fn ycbcr_is_bt_709s() {
        let video = Colours { ycbcr: true, linear: false };
        near(video.seen([1.0; 3]), [1.0, 0.0, 0.0], "white");
        near(video.seen([1.0, 0.0, 0.0]), [0.2126, -0.114_572, 0.5], "red");
        near(video.seen([0.0, 0.0, 1.0]), [0.0722, 0.5, -0.045_847], "blue");
        near(video.seen([7.0, -3.0, 0.0]), video.seen([1.0, 0.0, 0.0]), "beyond the ends");
    }

    #[test]
    fn what_is_seen_is_shown_again() {
        for colours in ALL {
            for colour in [[0.0; 3], [1.0; 3], [0.2, 0.9, 0.001], [0.5, 0.25, 1.0]] {
                near(colours.shown(colours.seen(colour)), colour, "there and back");
            }
        }
    }

    #[test]
    fn what_does_not_grow_is_the_same_to_the_bit() {
        for colours in ALL {
            let colour = [1e9, -0.25, 0.100_000_01];
            assert_eq!(colours.grown(colour, [0.0; 3]).map(f32::to_bits), colour.map(f32::to_bits));
        }
    }

    #[test]
    fn what_grows_is_what_filters_made() {
        for colours in ALL {
            let colour = [0.2, 0.6, 0.4];
            let seen = colours.seen(colour);
            let made = [seen[0] + 0.01, seen[1] - 0.02, seen[2] + 0.005];
            let growth = [0, 1, 2].map(|i| made[i] - seen[i]);
            near(colours.grown(colour, growth), colours.shown(made), "within");
            // HDR grows by as much as its nearest end.
            let (hdr, end) = (colours.grown([4.0, 0.6, 0.4], growth), colours.grown([1.0, 0.6, 0.4], growth));
            near([hdr[0] - 4.0, hdr[1], hdr[2]], [end[0] - 1.0, end[1], end[2]], "beyond");
        }
    }

    #[test]
    fn roots_are_exact() {
        for i in 1..4000 {
            let x = f64::from(i) / 1000.0;
            assert!(
                (cube_root(x).powi(3) / x - 1.0).abs() < 2e-15 && (fifth_root(x).powi(5) / x - 1.0).abs() < 3e-15,
                "{x}"
            );
        }
    }

    #[test]
    fn the_curve_is_srgbs() {
        for (light, value) in [(0.0, 0.0), (0.5, 0.735_357), (1.0, 1.0), (0.002, 0.025_84)] {
            assert!((encoded(light) - value).abs() < 1e-5 && (decoded(value) - light).abs() < 1e-5, "{light}");
        }
    }
}
