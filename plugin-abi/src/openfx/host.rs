//! The host: its functions, and what they give, safe to use.

use super::ffi::{self, Clip, Host, ImageEffect, ImageEffectSuite, MessageSuite, Param, ParamSet, names};
use super::ffi::{ParameterSuite, PropertySet, PropertySuite, RectI, Status};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{PoisonError, RwLock};
use vramp::error::{Error, Kind, Result};

/// The host that loaded the library. All plugins of the library have the same.
static HOST: AtomicPtr<Host> = AtomicPtr::new(ptr::null_mut());
/// Its functions, once a plugin was loaded.
static SUITES: RwLock<Option<Suites>> = RwLock::new(None);

/// Takes the host, as `setHost` and `OfxSetHost` give it.
pub fn set(host: *mut Host) {
    HOST.store(host, Ordering::Release);
}

/// Functions of the host.
#[derive(Clone, Copy)]
pub struct Suites {
    props: &'static PropertySuite,
    effects: &'static ImageEffectSuite,
    params: &'static ParameterSuite,
    messages: Option<&'static MessageSuite>,
    /// Whether frames of other times can be had.
    pub has_other_times: bool,
    /// Whether images may lie in the memory of a CUDA device.
    pub has_cuda: bool,
}

impl Suites {
    /// Asks the host for its functions, and keeps them. Hosts load plugins again and again.
    ///
    /// # Errors
    /// When there is no host, or it lacks what every effect needs.
    ///
    /// # Safety
    /// The host that was set lives, and its tables are those of their names, for as long as effects are used.
    pub unsafe fn load() -> Result<()> {
        // SAFETY: the caller's promise.
        let host = unsafe { HOST.load(Ordering::Acquire).as_ref() };
        let (host, fetch) = host.and_then(|host| Some((host, host.fetch_suite?))).ok_or_else(|| lacks("itself"))?;
        let fetch = |name: &CStr, version: c_int| {
            // SAFETY: the host's own function, as its documentation has it.
            let table = unsafe { fetch(host.host, name.as_ptr(), version) };
            (!table.is_null()).then_some(table).ok_or_else(|| lacks(&name.to_string_lossy()))
        };
        // SAFETY: the caller's promise: these names and versions have these tables.
        let suites = unsafe {
            Suites {
                props: &*fetch(names::PROPERTY_SUITE, 1)?.cast(),
                effects: &*fetch(names::IMAGE_EFFECT_SUITE, 1)?.cast(),
                params: &*fetch(names::PARAMETER_SUITE, 1)?.cast(),
                messages: fetch(names::MESSAGE_SUITE, 2).ok().map(|table| &*table.cast()),
                has_other_times: false,
                has_cuda: false,
            }
        };
        let host = suites.properties(host.host).ok();
        let has_other_times = host.is_some_and(|host| host.int(names::TEMPORAL_CLIP_ACCESS, 0) == Some(1));
        let has_cuda = host
            .and_then(|host| host.text(names::CUDA_RENDER_SUPPORTED))
            .is_some_and(|text| text.as_c_str() == c"true");
        *SUITES.write().unwrap_or_else(PoisonError::into_inner) = Some(Suites { has_other_times, has_cuda, ..suites });
        Ok(())
    }

    /// The functions of the host that loaded a plugin.
    ///
    /// # Errors
    /// When none did.
    pub fn get() -> Result<Suites> {
        SUITES.read().unwrap_or_else(PoisonError::into_inner).ok_or_else(|| lacks("to load the plugin first"))
    }

    /// Properties at the host's handle.
    ///
    /// # Errors
    /// When it is null.
    pub fn properties(self, set: *mut PropertySet) -> Result<Properties> {
        if set.is_null() { Err(missing("properties")) } else { Ok(Properties { set, suite: self.props }) }
    }

    /// The effect at the host's handle.
    ///
    /// # Errors
    /// When it is null.
    pub fn effect(self, handle: *const c_void) -> Result<EffectHandle> {
        if handle.is_null() {
            Err(missing("effect"))
        } else {
            Ok(EffectHandle { raw: handle.cast_mut().cast(), suites: self })
        }
    }
}

fn lacks(what: &str) -> Error {
    Error::unsupported(format!("the host lacks {what}"))
}

fn missing(what: &str) -> Error {
    Error::bad_argument(format!("the host gives no {what}"))
}

/// The error of a call that the host answered with `status`.
fn answer(status: Status, call: &str) -> Result<()> {
    match status {
        ffi::OK => Ok(()),
        ffi::NO_MEMORY => Err(Error::new(Kind::OutOfMemory, format!("the host has no memory for {call}"))),
        status => Err(Error::unsupported(format!("the host answers {call} with status {status}"))),
    }
}

/// Properties by name. What a host does not know it does not take, and nobody minds.
#[derive(Clone, Copy)]
pub struct Properties {
    set: *mut PropertySet,
    suite: &'static PropertySuite,
}

impl Properties {
    /// Sets text.
    pub fn set_text(self, name: &CStr, index: usize, value: &CStr) {
        // SAFETY: the handle is the host's, which copies the text.
        unsafe { (self.suite.prop_set_string)(self.set, name.as_ptr(), index as c_int, value.as_ptr()) };
    }

    /// Sets a whole number.
    pub fn set_int(self, name: &CStr, index: usize, value: c_int) {
        // SAFETY: the handle is the host's.
        unsafe { (self.suite.prop_set_int)(self.set, name.as_ptr(), index as c_int, value) };
    }

    /// Sets a number.
    pub fn set_number(self, name: &CStr, index: usize, value: f64) {
        // SAFETY: the handle is the host's.
        unsafe { (self.suite.prop_set_double)(self.set, name.as_ptr(), index as c_int, value) };
    }

    /// A whole number, if the host has it.
    pub fn int(self, name: &CStr, index: usize) -> Option<c_int> {
        let mut value = 0;
        // SAFETY: the handle is the host's, and there is room for the value.
        let status = unsafe { (self.suite.prop_get_int)(self.set, name.as_ptr(), index as c_int, &mut value) };
        (status == ffi::OK).then_some(value)
    }

    /// A number, if the host has it.
    pub fn number(self, name: &CStr, index: usize) -> Option<f64> {
        let mut value = 0.0;
        // SAFETY: as above.
        let status = unsafe { (self.suite.prop_get_double)(self.set, name.as_ptr(), index as c_int, &mut value) };
        (status == ffi::OK).then_some(value)
    }

    /// An address, if the host has it.
    pub fn pointer(self, name: &CStr) -> Option<*mut c_void> {
        let mut value = ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { (self.suite.prop_get_pointer)(self.set, name.as_ptr(), 0, &mut value) };
        (status == ffi::OK && !value.is_null()).then_some(value)
    }

    /// Text, if the host has it.
    pub fn text(self, name: &CStr) -> Option<CString> {
        let mut value = ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { (self.suite.prop_get_string)(self.set, name.as_ptr(), 0, &mut value) };
        // SAFETY: the host's text ends with a NUL and stays for now.
        (status == ffi::OK && !value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_owned())
    }

    /// A rectangle, if the host has it.
    pub fn rect(self, name: &CStr) -> Option<RectI> {
        let at = |index| self.int(name, index);
        Some(RectI { x1: at(0)?, y1: at(1)?, x2: at(2)?, y2: at(3)? })
    }
}

/// An effect: a description of one, or one in use.
#[derive(Clone, Copy)]
pub struct EffectHandle {
    raw: *mut ImageEffect,
    suites: Suites,
}

impl EffectHandle {
    /// What names it while it lives.
    pub fn address(self) -> usize {
        self.raw.addr()
    }

    /// The host's functions.
    pub fn suites(self) -> Suites {
        self.suites
    }

    /// Its properties.
    ///
    /// # Errors
    /// When the host gives none.
    pub fn properties(self) -> Result<Properties> {
        let mut set = ptr::null_mut();
        // SAFETY: the handle is the host's, and there is room for the answer.
        answer(unsafe { (self.suites.effects.get_property_set)(self.raw, &mut set) }, "getPropertySet")?;
        self.suites.properties(set)
    }

    /// Its parameters.
    ///
    /// # Errors
    /// When the host gives none.
    pub fn params(self) -> Result<Params> {
        let mut set = ptr::null_mut();
        // SAFETY: as above.
        answer(unsafe { (self.suites.effects.get_param_set)(self.raw, &mut set) }, "getParamSet")?;
        if set.is_null() { Err(missing("parameters")) } else { Ok(Params { set, suites: self.suites }) }
    }

    /// Adds a clip to a description; gives its properties.
    ///
    /// # Errors
    /// When the host refuses.
    pub fn define_clip(self, name: &CStr) -> Result<Properties> {
        let mut set = ptr::null_mut();
        // SAFETY: as above.
        answer(unsafe { (self.suites.effects.clip_define)(self.raw, name.as_ptr(), &mut set) }, "clipDefine")?;
        self.suites.properties(set)
    }

    /// A clip of an effect in use.
    ///
    /// # Errors
    /// When the host gives none.
    pub fn clip(self, name: &CStr) -> Result<ClipHandle> {
        let (mut raw, mut set) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: as above.
        let status = unsafe { (self.suites.effects.clip_get_handle)(self.raw, name.as_ptr(), &mut raw, &mut set) };
        answer(status, "clipGetHandle")?;
        Ok(ClipHandle { raw, properties: self.suites.properties(set)?, suites: self.suites })
    }

    /// Shows `text` with the effect, until it is cleared. False where the host shows no messages.
    pub fn show(self, text: &str) -> bool {
        let Some(messages) = self.suites.messages else { return false };
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        let (kind, format) = (names::MESSAGE_ERROR.as_ptr(), c"%s".as_ptr());
        // SAFETY: as above; the format asks for the one text that is given.
        let status = unsafe { (messages.set_persistent_message)(self.raw, kind, c"".as_ptr(), format, text.as_ptr()) };
        status == ffi::OK
    }

    /// Clears what was shown.
    pub fn clear(self) {
        if let Some(messages) = self.suites.messages {
            // SAFETY: as above.
            unsafe { (messages.clear_persistent_message)(self.raw) };
        }
    }
}

/// The parameters of an effect.
#[derive(Clone, Copy)]
pub struct Params {
    set: *mut ParamSet,
    suites: Suites,
}

impl Params {
    /// Adds a parameter of type `kind` to a description; gives its properties.
    ///
    /// # Errors
    /// When the host refuses.
    pub fn define(self, kind: &CStr, name: &CStr) -> Result<Properties> {
        let mut set = ptr::null_mut();
        // SAFETY: the handle is the host's, and there is room for the answer.
        let status = unsafe { (self.suites.params.param_define)(self.set, kind.as_ptr(), name.as_ptr(), &mut set) };
        answer(status, "paramDefine")?;
        self.suites.properties(set)
    }

    /// The value of a parameter of type Boolean, Integer or Choice.
    ///
    /// # Errors
    /// When the host gives none.
    pub fn int(self, name: &CStr, time: f64) -> Result<c_int> {
        let mut value: c_int = 0;
        // SAFETY: such a parameter has an `int`.
        unsafe { self.read(name, time, (&raw mut value).cast()) }?;
        Ok(value)
    }

    /// The value of a parameter of type Double.
    ///
    /// # Errors
    /// When the host gives none.
    pub fn number(self, name: &CStr, time: f64) -> Result<f64> {
        let mut value = 0.0f64;
        // SAFETY: such a parameter has a `double`.
        unsafe { self.read(name, time, (&raw mut value).cast()) }?;
        Ok(value)
    }

    /// The value of a parameter of type String.
    ///
    /// # Errors
    /// When the host gives none, or it is no UTF-8.
    pub fn text(self, name: &CStr, time: f64) -> Result<String> {
        let mut value: *mut c_char = ptr::null_mut();
        // SAFETY: such a parameter has a `char *`.
        unsafe { self.read(name, time, (&raw mut value).cast()) }?;
        if value.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the host's text ends with a NUL and stays for now.
        let text = unsafe { CStr::from_ptr(value) }.to_str();
        text.map(str::to_owned)
            .map_err(|_| Error::bad_argument(format!("{}: the text is no UTF-8", name.to_string_lossy())))
    }

    /// Has the host write a parameter's value.
    ///
    /// # Safety
    /// `to` has room for a value of the parameter's type.
    unsafe fn read(self, name: &CStr, time: f64, to: *mut c_void) -> Result<()> {
        let (params, mut param) = (self.suites.params, ptr::null_mut::<Param>());
        // SAFETY: the handle is the host's, and null says that the parameter's properties are not wanted.
        let found = unsafe { (params.param_get_handle)(self.set, name.as_ptr(), &mut param, ptr::null_mut()) };
        answer(found, "paramGetHandle")?;
        // SAFETY: the caller's promise.
        answer(unsafe { (params.param_get_value_at_time)(param, time, to) }, "paramGetValueAtTime")
    }
}

/// A clip of an effect in use.
pub struct ClipHandle {
    raw: *mut Clip,
    /// Its properties.
    pub properties: Properties,
    suites: Suites,
}

impl ClipHandle {
    /// The image at `time`; `None` where the clip has none.
    pub fn image(&self, time: f64) -> Option<ImageHandle> {
        let mut set = ptr::null_mut();
        // SAFETY: the handle is the host's, and there is room for the answer; no region is the whole.
        let status = unsafe { (self.suites.effects.clip_get_image)(self.raw, time, ptr::null(), &mut set) };
        let properties = self.suites.properties(set).ok().filter(|_| status == ffi::OK)?;
        Some(ImageHandle { properties, suites: self.suites })
    }
}

/// An image, given back when it is dropped.
pub struct ImageHandle {
    /// Its properties.
    pub properties: Properties,
    suites: Suites,
}

impl Drop for ImageHandle {
    fn drop(&mut self) {
        // SAFETY: the image came from the host, and is given back once.
        unsafe { (self.suites.effects.clip_release_image)(self.properties.set) };
    }
}
