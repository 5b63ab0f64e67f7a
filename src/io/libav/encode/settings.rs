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
        let reason = heard.reason().map_or_else(|| failure::text(code), str::to_owned);
        Err(Error::bad_argument(format!("{} does not take {key}={value}: {reason}", self.owner)))
    }

    fn names(self) -> Vec<String> {
        let mut names = BTreeSet::new();
        let mut objects = vec![self.object];
        while let Some(object) = objects.pop() {
            let (mut option, mut child): (*const AVOption, *mut c_void) = (ptr::null(), ptr::null_mut());
            // SAFETY: the object is alive by `of`, and so are its children; libav's cursors end with null.
            unsafe {
                while let Some(next) = ffi::av_opt_next(object, option).as_ref() {
                    if next.type_ != AVOptionType::AV_OPT_TYPE_CONST
                        && next.flags & ffi::AV_OPT_FLAG_ENCODING_PARAM != 0
                    {
                        names.insert(CStr::from_ptr(next.name).to_string_lossy().into_owned());
                    }
                    option = next;
                }
                while let Some(next) = ffi::av_opt_child_next(object, child).as_mut() {
                    child = next;
                    objects.push(child);
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
