//! What samples are looked up in.

use crate::filters::localtone::curves::ENTRIES;
use crate::filters::localtone::plan::{MethodPlan, Plan};

/// Pictures of an entry, and its bytes.
pub const LOOKED_UP: usize = 5;
pub const ENTRY: usize = 16;

/// The table of a plan: what each value is in the pictures of the method, its pointwise result, and its light. Values are codes of luma,
/// where there are fewer of them than steps of light, or light.
pub struct Table<'a> {
    plan: &'a Plan,
    /// Bits of luma below a code; none where values are light.
    pub drop: u32,
}

impl Table<'_> {
    pub fn new(plan: &Plan) -> Table<'_> {
        Table { plan, drop: plan.below_codes }
    }

    /// Entries of a value.
    pub fn parts(&self) -> usize {
        if matches!(self.plan.method, MethodPlan::Scenery(_)) { 2 } else { 1 }
    }

    /// How many there are.
    pub fn values(&self) -> usize {
        if self.drop > 0 { 1 << (16 - self.drop) } else { ENTRIES }
    }

    /// The entries of all values.
    pub fn by_value(&self) -> impl Iterator<Item = [u8; ENTRY]> {
        let light = |value: usize| match self.drop {
            0 => value,
            drop => self.plan.light((value << drop) as u16) as usize,
        };
        (0..self.values()).flat_map(move |value| self.entries(light(value)))
    }

    /// Those of all light.
    pub fn by_light(&self) -> impl Iterator<Item = [u8; ENTRY]> {
        (0..ENTRIES).flat_map(|light| self.entries(light))
    }

    fn entries(&self, light: usize) -> impl Iterator<Item = [u8; ENTRY]> + use<> {
        let (pictures, base) = match &self.plan.method {
            MethodPlan::Scenery(scenery) => {
                let base = scenery.curve[light];
                let remapped = scenery.remap.chunks_exact(ENTRIES).map(|picture| picture[usize::from(base)]);
                (remapped.chain([base as i16]).collect::<Vec<_>>(), base as i16)
            }
            MethodPlan::Mixed(mixed) => {
                let entry = &mixed.exposures[light];
                ([&entry.weights[..], &entry.values].concat(), entry.base)
            }
            MethodPlan::People(_) => (Vec::new(), 0),
        };
        let entries: Vec<_> = pictures
            .chunks_exact(LOOKED_UP)
            .map(|five| {
                let mut bytes = [0; ENTRY];
                let words = five.iter().copied().chain([base, light as i16]);
                bytes.chunks_exact_mut(2).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
                bytes
            })
            .collect();
        entries.into_iter()
    }
}
