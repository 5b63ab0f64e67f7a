//! Kernels that can do their work in several ways, with the same bytes: which way each takes.

use super::{CudaDevice, module};
use crate::device::tuning::{Key, Origin, candidates};
use crate::error::Result;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash3_128;

/// The ways of a kernel in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The modules that the kernels of all ways are in.
    pub modules: &'static [&'static str],
    /// Every way, in a word each; the first is taken unless another was measured to be faster.
    pub ways: Vec<String>,
    /// Which was taken.
    pub taken: usize,
    /// Why.
    pub origin: Origin,
}

impl Space {
    /// A hash of the kernels' code: what was measured with other code does not count.
    ///
    /// # Errors
    /// When this build has no such module.
    pub fn code(&self) -> Result<u64> {
        code(self.modules)
    }
}

/// A hash of the PTX as it is packed, of which the machine code is made.
fn code(modules: &[&str]) -> Result<u64> {
    let mut hasher = XxHash3_128::new();
    modules.iter().try_for_each(|name| module::image(name).map(|image| hasher.write(image.ptx)))?;
    Ok(hasher.finish_128() as u64)
}

/// What kernels that were built on a device could choose between, and what they are made to take.
#[derive(Default)]
pub struct Tuning(Mutex<State>);

#[derive(Default)]
struct State {
    forced: BTreeMap<Key, String>,
    met: BTreeMap<Key, Space>,
}

impl Tuning {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The spaces of the kernels that were built since the last call.
    pub fn take_met(&self) -> BTreeMap<Key, Space> {
        std::mem::take(&mut self.state().met)
    }

    /// From now on kernels are built to work this way in this case, where they can.
    pub fn force(&self, key: &Key, way: &str) {
        self.state().forced.insert(key.clone(), way.to_owned());
    }

    /// Ends what [`Tuning::force`] began.
    pub fn release(&self) {
        self.state().forced.clear();
    }
}

impl CudaDevice {
    /// The way in which `kernel`, whose code is in `modules`, works in `case`: one of `ways`, of which the first is the default.
    /// All must give the same bytes: the choice depends on what was measured, on whatever day that was.
    ///
    /// # Panics
    /// Without a way.
    pub fn choose<W: Clone + Display>(
        &self,
        kernel: &'static str,
        modules: &'static [&'static str],
        case: String,
        ways: &[W],
    ) -> W {
        let key = Key { kernel: kernel.to_owned(), case };
        let names: Vec<String> = ways.iter().map(W::to_string).collect();
        let place = |way: &str| names.iter().position(|name| name == way);
        let mut state = self.tuning().state();
        let forced = || state.forced.get(&key).and_then(|way| Some((place(way)?, Origin::Forced)));
        let measured = || {
            let is_current = |entry: u64| code(modules).is_ok_and(|code| code == entry);
            candidates(self.card(), &key)
                .find_map(|(entry, origin)| Some((place(&entry.way).filter(|_| is_current(entry.code))?, origin)))
        };
        let (taken, origin) = forced().or_else(measured).unwrap_or((0, Origin::Default));
        if origin != Origin::Default {
            log::debug!("{kernel} works by {} ({origin}) for {}", names[taken], key.case);
        }
        state.met.insert(key, Space { modules, ways: names, taken, origin });
        ways[taken].clone()
    }
}
