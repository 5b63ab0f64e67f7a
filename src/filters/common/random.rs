//! Random numbers that follow from where they are used.

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014): number `index` of its sequence.
pub(crate) fn mix(index: u64) -> u64 {
    let z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
