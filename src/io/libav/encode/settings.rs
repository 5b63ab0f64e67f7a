//! libav's options by name, set on an encoder or a container, with errors that name the option.

use crate::error::{Error, Result};
use crate::io::libav::logging;
use crate::io::libav::mux::failure;
use crate::params::did_you_mean;
use ffmpeg_next::ffi::{self, AVOption, AVOptionType};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_void};
use std::marker::PhantomData;
use std::ptr;

/// A libav object that has options: a context, with its codec's or format's own options behind it.
#[derive(Clone, Copy)]
pub(in crate::io::libav) struct Settings<'a> {
    object: *mut c_void,
    /// The name of the encoder or container, for messages.
    owner: &'static str,
    context: PhantomData<&'a mut c_void>,
}

impl<'a> Settings<'a> {
    /// The settings of `object`.
    ///
    /// # Safety
    /// The object starts with a pointer to its `AVClass` and is not freed before `'a` ends.
    pub(in crate::io::libav) unsafe fn of(object: *mut c_void, owner: &'static str) -> Settings<'a> {
        Settings { object, owner, context: PhantomData }
    }

    /// Whether there is an option `key`.
    pub(in crate::io::libav) fn has(self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Whether there is an option `key` that takes numbers as large as its type holds.
    pub(in crate::io::libav) fn is_endless(self, key: &str) -> bool {
        self.find(key).is_some_and(|option| option.max >= f64::from(i32::MAX))
    }

    fn find(self, key: &str) -> Option<&'a AVOption> {
        let key = CString::new(key).ok()?;
        // SAFETY: the object is alive by `of`; libav only reads it, and its options are as long-lived.
        let option = unsafe {
            let flags = ffi::AV_OPT_FLAG_ENCODING_PARAM;
            ffi::av_opt_find(self.object, key.as_ptr(), ptr::null(), flags, ffi::AV_OPT_SEARCH_CHILDREN).as_ref()
        };
        option.filter(|option| option.type_ != AVOptionType::AV_OPT_TYPE_CONST)
    }

    /// Sets option `key` to what `value` says in libav's syntax.
    ///
    /// # Errors
    /// When there is no such option, or it does not take the value.
    pub(in crate::io::libav) fn set(self, key: &str, value: &str) -> Result<()> {
        if !self.has(key) {
            return Err(unknown(key, &[self]));
        }
        let text = |text: &str| {
            CString::new(text).map_err(|_| Error::bad_argument(format!("{}: {key} has a zero byte", self.owner)))
        };
        let (c_key, c_value) = (text(key)?, text(value)?);
        let (code, heard) = logging::listen(|| {
            // SAFETY: the object is alive by `of`; both texts end with a zero.
            unsafe { ffi::av_opt_set(self.object, c_key.as_ptr(), c_value.as_ptr(), ffi::AV_OPT_SEARCH_CHILDREN) }
        });
        if code >= 0 {
            return Ok(());
        }
        let said = || heard.reason().map_or_else(|| failure::text(code), str::to_owned);
        let reason = self.find(key).and_then(|option| self.scale(option, value)).unwrap_or_else(said);
        Err(Error::bad_argument(format!("{} does not take {key}={value}: {reason}", self.owner)))
    }

    /// What a whole number `option` takes, where `value` is none.
    fn scale(self, option: &AVOption, value: &str) -> Option<String> {
        let is_whole = matches!(option.type_, AVOptionType::AV_OPT_TYPE_INT | AVOptionType::AV_OPT_TYPE_INT64);
        (is_whole && value.parse::<f64>().is_err()).then_some(())?;
        let names = self.constants(option);
        let names = if names.is_empty() { String::new() } else { format!("{}, or ", names.join(", ")) };
        Some(format!("it takes {names}a number from {} to {}", option.min, option.max))
    }

    /// The names that stand for numbers of `option`.
    fn constants(self, option: &AVOption) -> Vec<String> {
        let mut names = Vec::new();
        if option.unit.is_null() {
            return names;
        }
        // SAFETY: the object is alive by `of`, and its options' texts end with a zero.
        unsafe {
            let unit = CStr::from_ptr(option.unit);
            for object in self.objects() {
                let mut at: *const AVOption = ptr::null();
                while let Some(next) = ffi::av_opt_next(object, at).as_ref() {
                    let is_constant = next.type_ == AVOptionType::AV_OPT_TYPE_CONST && !next.unit.is_null();
                    if is_constant && CStr::from_ptr(next.unit) == unit {
                        names.push(CStr::from_ptr(next.name).to_string_lossy().into_owned());
                    }
                    at = next;
                }
            }
        }
        names
    }

    /// The text of option `key` as it is set; `None` where it has none.
    pub(in crate::io::libav) fn text(self, key: &str) -> Option<String> {
        let key = CString::new(key).ok()?;
        let mut text = ptr::null_mut();
        // SAFETY: the object is alive by `of`; libav gives a copy of the text, which is freed below.
        unsafe {
            let code = ffi::av_opt_get(self.object, key.as_ptr(), ffi::AV_OPT_SEARCH_CHILDREN, &raw mut text);
            (code >= 0 && !text.is_null()).then_some(())?;
            let copy = CStr::from_ptr(text.cast()).to_string_lossy().into_owned();
            ffi::av_free(text.cast());
            Some(copy)
        }
    }

    /// The object, and those behind it.
    fn objects(self) -> Vec<*mut c_void> {
        let (mut objects, mut next) = (vec![self.object], 0);
        while let Some(object) = objects.get(next).copied() {
            let mut child = ptr::null_mut();
            // SAFETY: the object is alive by `of`, and so are its children; libav's cursor ends with null.
            while let Some(found) = unsafe { ffi::av_opt_child_next(object, child).as_mut() } {
                child = found;
                objects.push(child);
            }
            next += 1;
        }
        objects
    }

    fn names(self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for object in self.objects() {
            let mut option: *const AVOption = ptr::null();
            // SAFETY: the object is alive by `of`; libav's cursor ends with null.
            unsafe {
                while let Some(next) = ffi::av_opt_next(object, option).as_ref() {
                    if next.type_ != AVOptionType::AV_OPT_TYPE_CONST
                        && next.flags & ffi::AV_OPT_FLAG_ENCODING_PARAM != 0
                    {
                        names.insert(CStr::from_ptr(next.name).to_string_lossy().into_owned());
                    }
                    option = next;
                }
            }
        }
        names.into_iter().collect()
    }
}

/// Checks that one of `places` has an option `key`.
///
/// # Errors
/// When none has it, with the nearest name.
pub(in crate::io::libav) fn check(places: &[Settings<'_>], key: &str) -> Result<()> {
    if places.iter().any(|place| place.has(key)) { Ok(()) } else { Err(unknown(key, places)) }
}

fn unknown(key: &str, places: &[Settings<'_>]) -> Error {
    let owners: Vec<&str> = places.iter().map(|place| place.owner).collect();
    let names: Vec<String> = places.iter().flat_map(|place| place.names()).collect();
    let hint = did_you_mean(key, names.iter().map(String::as_str));
    Error::bad_argument(format!("{} has no option '{key}'{hint}", owners.join(" with ")))
}
