//! The arguments that a script gives a function.

use super::ffi::Value;
use crate::script::args::ScriptArgs;
use std::ffi::CStr;

/// The arguments of a function, in the order of its signature.
pub struct Arguments<'a> {
    names: &'a [&'static str],
    values: &'a [Value],
}

impl<'a> Arguments<'a> {
    /// The values called `names`.
    ///
    /// # Safety
    /// `values` is what AviSynth gave a function, and lives.
    pub unsafe fn new(names: &'a [&'static str], values: &'a Value) -> Arguments<'a> {
        let values = match values.kind() {
            // SAFETY: the caller's promise: an array has so many values.
            b'a' => unsafe { elements(values) },
            _ => std::slice::from_ref(values),
        };
        Arguments { names, values }
    }

    /// The value called `key`, if there is one.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        let place = self.names.iter().position(|name| *name == key)?;
        self.values.get(place).filter(|value| value.kind() != b'v')
    }

    /// The values of the array `key`.
    pub fn list(&self, key: &str) -> &'a [Value] {
        match self.value(key) {
            // SAFETY: an array that AviSynth gave, which lives as long as these arguments.
            Some(value) if value.kind() == b'a' => unsafe { elements(value) },
            Some(value) => std::slice::from_ref(value),
            None => &[],
        }
    }
}

/// # Safety
/// The value is an array of AviSynth's, and lives.
unsafe fn elements(value: &Value) -> &[Value] {
    let count = usize::try_from(value.array_size).unwrap_or(0);
    // SAFETY: the caller's promise; an empty array may have no address.
    unsafe { if count == 0 { &[] } else { std::slice::from_raw_parts(value.data.array, count) } }
}

impl ScriptArgs for Arguments<'_> {
    fn ints(&self, key: &str) -> Option<Vec<i64>> {
        let value = self.value(key)?;
        // SAFETY: the type says which it is.
        let number = unsafe {
            match value.kind() {
                b'b' => i64::from(value.data.boolean != 0),
                b'i' => i64::from(value.data.integer),
                b'l' => value.data.long,
                _ => return None,
            }
        };
        Some(vec![number])
    }

    fn float(&self, key: &str) -> Option<f64> {
        let value = self.value(key)?;
        // SAFETY: as above.
        unsafe {
            match value.kind() {
                // As it was written: 0.1 and not its nearest float.
                b'f' => value.data.float.to_string().parse().ok(),
                b'd' => Some(value.data.double),
                b'i' => Some(value.data.integer.into()),
                b'l' => Some(value.data.long as f64),
                _ => None,
            }
        }
    }

    fn data(&self, key: &str) -> Option<Vec<u8>> {
        let value = self.value(key).filter(|value| value.kind() == b's')?;
        // SAFETY: as above, and texts end in a NUL.
        unsafe { (!value.data.string.is_null()).then(|| CStr::from_ptr(value.data.string).to_bytes().to_vec()) }
    }

    fn lists_planes(&self) -> bool {
        false
    }

    fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    fn keys(&self) -> Vec<String> {
        self.names.iter().filter(|name| self.has(name)).map(|name| (*name).to_owned()).collect()
    }
}
