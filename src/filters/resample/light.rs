//! From code values to light and back, by tables.

use crate::filters::curve::Transfer;

/// Entries of the table from lanes to light.
pub const LANES: usize = 1 << 16;

/// The smallest light that the table back knows, as bits of a float: what is below becomes black.
pub const LEAST: u32 = (127 - 40) << 23;

/// Twice as much light, as many times, from there to four times white.
pub const OCTAVES: u32 = 42;

/// Bits of a float below those that name an entry of the table back, which has 256 for each octave.
pub const SHIFT: u32 = 15;

/// The tables of a stream.
#[derive(Debug)]
pub struct LightTables {
    /// The light of every lane; below black it is negative.
    pub from_lane: Vec<f32>,
    /// How far from black a lane of so much light is: an entry for each 2^[`SHIFT`] floats from [`LEAST`] on.
    pub to_lane: Vec<f32>,
    /// The lane of black.
    pub black: f32,
}

impl LightTables {
    /// Of lanes with `black` and `white` in a stream of this transfer; unstated ones are BT.1886, the screen of BT.709.
    pub fn new(transfer: u8, black: u16, white: u16) -> LightTables {
        let curve = Transfer::of_tag(transfer).unwrap_or(Transfer::BT1886);
        let (black, range) = (f64::from(black), f64::from(white) - f64::from(black));
        let from_lane = |lane: usize| {
            let signal = (lane as f64 - black) / range;
            curve.light(signal.abs()).copysign(signal) as f32
        };
        let to_lane = |entry: u32| match entry {
            0 => 0.0,
            entry => (curve.code(f32::from_bits(LEAST + (entry << SHIFT)).into()) * range) as f32,
        };
        LightTables {
            from_lane: (0..LANES).map(from_lane).collect(),
            to_lane: (0..=OCTAVES << (23 - SHIFT)).map(to_lane).collect(),
            black: black as f32,
        }
    }

    /// The lane of so much light, before it is rounded.
    #[inline(always)]
    pub fn lane(&self, light: f32) -> f32 {
        const MOST: u32 = LEAST + (OCTAVES << 23);
        let at = light.abs().to_bits().clamp(LEAST, MOST - 1) - LEAST;
        let (entry, rest) = ((at >> SHIFT) as usize, (at & ((1 << SHIFT) - 1)) as f32 / (1 << SHIFT) as f32);
        let (here, next) = (self.to_lane[entry], self.to_lane[entry + 1]);
        self.black + (next - here).mul_add(rest, here).copysign(light)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::digest;

    /// Transfers of all curves.
    const TRANSFERS: [u8; 7] = [1, 4, 5, 8, 13, 16, 18];

    /// The result of every table of limited range, in 8 bits.
    #[test]
    fn tables_are_the_same_on_every_platform() {
        let of = |transfer| {
            let light = LightTables::new(transfer, 4096, 60160);
            light.from_lane.into_iter().chain(light.to_lane).map(|entry| u64::from(entry.to_bits()))
        };
        assert_eq!(digest(TRANSFERS.into_iter().flat_map(of)), 0x9638_6982_8a4e_f2fd);
    }

    #[test]
    fn every_code_is_itself_again() {
        for transfer in TRANSFERS {
            for (black, white) in [(4096, 60160), (0, 65535), (0, 65280)] {
                let light = LightTables::new(transfer, black, white);
                for lane in 0..=u16::MAX {
                    let back = light.lane(light.from_lane[usize::from(lane)]);
                    // The darkest codes of steep curves have less light than the table knows.
                    let slack = if lane.abs_diff(black) < 16 { 16.0 } else { 0.45 };
                    assert!((back - f32::from(lane)).abs() < slack, "{transfer}: {lane} becomes {back}");
                }
            }
        }
    }

    #[test]
    fn light_worked_out_by_hand() {
        // BT.1886: half the signal is 2^−2.4 of white. PQ: 0.5081 is 100 of 10000 nits. HLG: 1/2 is 1/12.
        let half = |transfer| LightTables::new(transfer, 0, 65534).from_lane[32767];
        assert!((half(1) - 0.189_465).abs() < 1e-5 && (half(18) - 1.0 / 12.0).abs() < 1e-6);
        assert!((half(13) - 0.214_041).abs() < 1e-5 && (half(8) - 0.5).abs() < 1e-7);
        assert!((LightTables::new(16, 0, 65535).from_lane[33297] - 0.01).abs() < 2e-5);
    }
}
