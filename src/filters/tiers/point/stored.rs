//! What functions give, as it is stored: tables that fit the shared memory of a block.

use super::tables::Table;
use crate::video::{SampleLayout, SampleType};
use std::array::from_fn;

/// Bits of the values that have an entry of stairs together.
const TREAD_BITS: u32 = 5;
const TREAD: u16 = 1 << TREAD_BITS;

/// What `dst` stores for each value of `src`: `table`, which is turned by `turned` bits, or the value itself.
pub fn of_each(table: Option<&Table>, turned: u32, src: SampleLayout, dst: SampleLayout) -> Vec<u8> {
    let values = (0..=u16::MAX >> src.shift).map(|value| src.widen(value));
    let made = values.map(|v16| dst.narrow(table.map_or(v16, |table| table.look_up(v16, turned))));
    match dst.sample {
        SampleType::U8 => made.map(|stored| stored as u8).collect(),
        SampleType::U16 | SampleType::I16 => made.flat_map(u16::to_le_bytes).collect(),
    }
}

/// A function that rises by no more than one in each tread of values, as `dst` stores it: `None` for others.
///
/// The sum of an entry and a value of its tread, of 16 bits, has what is stored above its lowest [`TREAD_BITS`].
pub fn stairs(table: &Table, dst: SampleLayout) -> Option<Vec<u8>> {
    let entry = |tread: u16| {
        let first = tread * TREAD;
        let codes: [u16; TREAD as usize] = from_fn(|i| dst.narrow(table.look_up(first + i as u16, 0)));
        let stays = codes.iter().take_while(|code| **code == codes[0]).count();
        let rises = codes[stays..].iter().all(|code| *code == codes[0].wrapping_add(1));
        let fits = codes.iter().all(|code| u32::from(*code) < 1 << (16 - TREAD_BITS));
        (rises && fits).then(|| (codes[0] * TREAD + (TREAD - stays as u16)).wrapping_sub(first))
    };
    let entries = (0..=u16::MAX / TREAD).map(entry).collect::<Option<Vec<u16>>>()?;
    Some(entries.into_iter().flat_map(u16::to_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::point::Map;
    use std::sync::Arc;

    const TEN: SampleLayout = SampleLayout { sample: SampleType::U16, step: 1, shift: 6, bit_depth: 10 };
    const EIGHT: SampleLayout = SampleLayout { sample: SampleType::U8, step: 1, shift: 8, bit_depth: 8 };

    fn table(f: impl Fn(u16) -> u16 + Send + Sync + 'static) -> Table {
        let map: Map = Arc::new(f);
        Table::new(&map, 0)
    }

    #[test]
    fn stairs_give_what_is_stored() {
        let wider = |value: u16| ((i32::from(value) - 32768) * 8 / 7 + 32768).clamp(0, 65535) as u16;
        let of_ten: [fn(u16) -> u16; 3] = [wider, |value| value, |value| !value];
        let of_eight: [fn(u16) -> u16; 2] = [wider, |_| 65535];
        for (dst, f) in of_ten.map(|f| (TEN, f)).into_iter().chain(of_eight.map(|f| (EIGHT, f))) {
            let bytes = stairs(&table(f), dst).expect("it rises slowly");
            let entries: Vec<u16> = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
            assert_eq!(entries.len(), 2048);
            let climbed = |value: u16| entries[usize::from(value >> TREAD_BITS)].wrapping_add(value) >> TREAD_BITS;
            assert!((0..=u16::MAX).all(|value| climbed(value) == dst.narrow(f(value))));
        }
    }

    #[test]
    fn what_falls_or_rises_fast_has_no_stairs() {
        assert_eq!(stairs(&table(|value| if value % 64 < 40 { value } else { 0 }), TEN), None);
        assert_eq!(stairs(&table(|value| value.saturating_mul(4)), TEN), None);
        let spike = |value: u16| if value / TREAD == 3 && value % TREAD < 9 { 65535 } else { 0 };
        let sixteen = SampleLayout { shift: 0, bit_depth: 16, ..TEN };
        assert_eq!(stairs(&table(spike), sixteen), None);
        let twelve = SampleLayout { shift: 4, bit_depth: 12, ..TEN };
        assert_eq!(stairs(&table(|value| value), twelve), None);
    }

    #[test]
    fn each_value_has_what_is_stored() {
        let turned = Table::new(&(Arc::new(|value: u16| value / 2) as Map), 6);
        let bytes = of_each(Some(&turned), 6, TEN, EIGHT);
        assert_eq!((bytes.len(), bytes[0], bytes[1023]), (1024, 0, 128));
        let kept = of_each(None, 0, EIGHT, TEN);
        assert_eq!((kept.len(), &kept[510..]), (512, &1020u16.to_le_bytes()[..]));
    }
}
