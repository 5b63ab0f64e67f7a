//! Samples: a function of (seed, component, position), so that every layout of the same picture holds the same.

use vramp::video::{PlanesMut, SampleType};

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Any value, every fourth sample at an end of the scale.
    Noise,
    /// A slow gradient with a little noise: what neighbourhood filters act on.
    Ramp,
    /// Only the ends of the scale.
    Extremes,
    /// One value a component.
    Flat,
}

/// Every content.
pub const CONTENTS: &[Content] = &[Content::Noise, Content::Ramp, Content::Extremes, Content::Flat];

/// The output function of SplitMix64.
pub fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A 16-bit value for a sample of a plane that `plane` is the seed of.
fn value(content: Content, plane: u64, x: usize, y: usize) -> u16 {
    let random = mix(plane ^ ((y as u64) << 32 | x as u64));
    let extreme = if random >> 63 == 0 { 0 } else { 0xffff };
    match content {
        Content::Noise if random >> 61 & 3 == 0 => extreme,
        Content::Noise => random as u16,
        Content::Ramp => {
            let slope = |bits: u64| (bits & 0xff) as usize;
            let ramp = plane as usize + x * slope(plane >> 16) + y * slope(plane >> 24);
            (ramp as u16).wrapping_add((random & 0x1ff) as u16)
        }
        Content::Extremes => extreme,
        Content::Flat => plane as u16,
    }
}

/// Fills `planes`. YC48 gets the same values on its signed scale.
pub fn fill(planes: &mut PlanesMut<'_>, content: Content, seed: u64) {
    for component in 0..planes.len() {
        let seed = mix(seed ^ component as u64);
        let plane = planes.get_mut(component);
        for y in 0..plane.height() {
            for x in 0..plane.width() {
                let value = value(content, seed, x, y);
                match plane.layout().sample {
                    SampleType::I16 => plane.set(x, y, i32::from(value as i16)),
                    _ => plane.set_v16(x, y, value),
                }
            }
        }
    }
}
