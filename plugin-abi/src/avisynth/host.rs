//! AviSynth's clips and frames, wrapped so that the rest needs no `unsafe` to use them.

use super::ffi::{self, Api, Map, ScriptEnvironment, Value, VideoInfo};
use crate::host_port::HostPlane;
use crate::script::args::ScriptArgs;
use crate::script::props::SetProps;
use std::ffi::{CStr, CString, c_char, c_int};
use vramp::error::{Error, Kind, Result};

/// AviSynth's functions, and what a script runs in.
#[derive(Clone, Copy)]
pub struct Host {
    /// The functions. Their library stays loaded while the environment lives.
    pub api: &'static Api,
    /// The environment.
    pub env: *mut ScriptEnvironment,
}

impl Host {
    /// `text`, for as long as the script lives.
    pub fn saved(self, text: &str) -> *const c_char {
        let text = c_text(text);
        let length = c_int::try_from(text.as_bytes().len()).unwrap_or(c_int::MAX);
        // SAFETY: the environment lives, and the text has so many bytes; AviSynth copies them.
        unsafe { (self.api.save_string)(self.env, text.as_ptr(), length) }
    }
}

/// `text` as C wants it; it ends where a zero stands.
pub fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// A reference to a clip, which any thread may use.
pub struct Clip {
    api: &'static Api,
    clip: *mut ffi::Clip,
}

// SAFETY: AviSynth+ counts references atomically, and guards clips that one thread alone may ask for frames.
unsafe impl Send for Clip {}
// SAFETY: as above.
unsafe impl Sync for Clip {}

impl Clip {
    /// The clip of a value.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(host: Host, value: &Value) -> Result<Clip> {
        if value.kind() != b'c' {
            return Err(Error::bad_argument("the clip is missing"));
        }
        // SAFETY: value and environment live; the reference is ours.
        let clip = unsafe { (host.api.take_clip)(*value, host.env) };
        if clip.is_null() { Err(Error::bad_argument("the clip is missing")) } else { Ok(Clip { api: host.api, clip }) }
    }

    /// What its frames share.
    pub fn info(&self) -> VideoInfo {
        // SAFETY: the reference keeps the clip alive, and its description with it.
        unsafe { *(self.api.video_info)(self.clip) }
    }

    /// Frame `n`, for work in `env`: that of the call which asks, since no other one lives for sure.
    ///
    /// # Errors
    /// AviSynth's own.
    pub fn frame(&self, env: *mut ScriptEnvironment, n: c_int) -> Result<Frame> {
        let api = self.api;
        // SAFETY: the clip lives; the reference is ours. Errors are texts that live as long as the script.
        unsafe {
            let frame = (api.get_frame)(self.clip, n);
            let error = (api.clip_error)(self.clip);
            if !frame.is_null() {
                return Ok(Frame { host: Host { api, env }, frame });
            }
            let why = if error.is_null() { c"it gives none" } else { CStr::from_ptr(error) };
            Err(Error::corrupt(format!("frame {n} of the source: {}", why.to_string_lossy())))
        }
    }
}

impl Drop for Clip {
    fn drop(&mut self) {
        // SAFETY: this reference is ours, and nobody has it now.
        unsafe { (self.api.release_clip)(self.clip) }
    }
}

/// A reference to a frame, which lives within one call.
pub struct Frame {
    host: Host,
    frame: *mut ffi::VideoFrame,
}

impl Frame {
    /// First byte and pitch of `planes`, to read.
    ///
    /// # Errors
    /// When a plane does not have the row length in bytes and the rows of `sizes`.
    pub fn planes(&self, planes: &[c_int], sizes: impl Fn(usize) -> (usize, usize)) -> Result<Vec<HostPlane>> {
        let api = self.host.api;
        let plane = |(i, plane): (usize, &c_int)| {
            // SAFETY: the frame lives; AviSynth answers 0 and null for planes that there are not.
            let (start, pitch, row, rows) = unsafe {
                let (pitch, row) = ((api.pitch)(self.frame, *plane), (api.row_size)(self.frame, *plane));
                ((api.read_ptr)(self.frame, *plane), pitch, row, (api.height)(self.frame, *plane))
            };
            let (wanted_row, wanted_rows) = sizes(i);
            if usize::try_from(row) != Ok(wanted_row) || usize::try_from(rows) != Ok(wanted_rows) {
                return Err(Error::corrupt("the frame has another format or size than its clip"));
            }
            Ok((start.cast_mut(), pitch.max(0) as isize))
        };
        planes.iter().enumerate().map(plane).collect()
    }

    /// Its properties.
    ///
    /// # Errors
    /// When AviSynth gives none.
    pub fn props(&self) -> Result<Props<'_>> {
        // SAFETY: a frame has properties as long as it lives.
        let map = unsafe { (self.host.api.props)(self.host.env, self.frame).as_ref() };
        let map = map.ok_or_else(|| Error::corrupt("AviSynth gives no properties of a frame"))?;
        Ok(Props { host: self.host, map })
    }

    /// A frame of `info` with this one's properties, not yet set.
    ///
    /// # Errors
    /// When AviSynth has no memory.
    pub fn sibling(&self, info: &VideoInfo) -> Result<NewFrame> {
        let Host { api, env } = self.host;
        // SAFETY: the description lives.
        let frame = unsafe { (api.new_frame)(env, info, ffi::FRAME_ALIGN) };
        if frame.is_null() {
            return Err(Error::new(Kind::OutOfMemory, "AviSynth has no memory for a frame"));
        }
        let made = NewFrame(Frame { host: self.host, frame });
        // `avs_new_video_frame_p` would do both, but takes the frame for its address before interface 9.1, and crashes.
        // SAFETY: both frames live, and the new one is ours alone.
        unsafe { (api.copy_props)(env, self.frame, frame) };
        Ok(made)
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: this reference is ours, and nobody has it now.
        unsafe { (self.host.api.release_frame)(self.frame) }
    }
}

/// A frame that is being made: nobody else has it.
pub struct NewFrame(Frame);

impl NewFrame {
    /// First byte and pitch of `planes`, to write.
    pub fn planes_mut(&mut self, planes: &[c_int]) -> Vec<HostPlane> {
        let Frame { host: Host { api, .. }, frame } = &self.0;
        let plane = |plane: &c_int| {
            // SAFETY: the frame lives and is ours alone.
            let (start, pitch) = unsafe { ((api.write_ptr)(*frame, *plane), (api.pitch)(*frame, *plane)) };
            (start, pitch.max(0) as isize)
        };
        planes.iter().map(plane).collect()
    }

    /// The reference, for AviSynth.
    pub fn into_raw(self) -> *mut ffi::VideoFrame {
        let frame = self.0.frame;
        std::mem::forget(self);
        frame
    }

    /// Calls a setter with the properties and a name.
    fn change(&mut self, key: &str, set: impl FnOnce(&Api, *mut ScriptEnvironment, *mut Map, *const c_char) -> c_int) {
        let Frame { host: Host { api, env }, frame } = self.0;
        // SAFETY: the frame lives and is ours alone.
        let map = unsafe { (api.props_mut)(env, frame) };
        if !map.is_null() {
            // What cannot be set, memory having run out, stays as it was.
            let _ = set(api, env, map, c_text(key).as_ptr());
        }
    }
}

impl SetProps for NewFrame {
    fn set(&mut self, key: &str, value: i64) {
        // SAFETY: the properties are those of our frame; the name ends in a NUL.
        self.change(key, |api, env, map, key| unsafe { (api.set_int)(env, map, key, value, ffi::REPLACE) });
    }

    fn set_float(&mut self, key: &str, value: f64) {
        // SAFETY: as above.
        self.change(key, |api, env, map, key| unsafe { (api.set_float)(env, map, key, value, ffi::REPLACE) });
    }

    fn set_ints(&mut self, key: &str, values: &[i64]) {
        let count = values.len() as c_int;
        // SAFETY: as above, and there are so many values.
        self.change(key, |api, env, map, key| unsafe { (api.set_ints)(env, map, key, values.as_ptr(), count) });
    }
}

/// The property of frames whose others hold records.
pub const RECORDED: &str = "vramp_recorded";

/// The properties of a frame.
#[derive(Clone, Copy)]
pub struct Props<'a> {
    host: Host,
    map: &'a Map,
}

impl Props<'_> {
    /// A getter's value, where there is one of its type.
    fn get<T>(
        self,
        getter: unsafe extern "C" fn(*mut ScriptEnvironment, *const Map, *const c_char, c_int, *mut c_int) -> T,
        key: &str,
        index: usize,
    ) -> Option<T> {
        let (key, mut error) = (c_text(key), 0);
        // SAFETY: the map lives and the key ends in a NUL. A missing value is reported, since `error` is not null.
        let value = unsafe { getter(self.host.env, self.map, key.as_ptr(), index as c_int, &mut error) };
        (error == 0).then_some(value)
    }

    fn count(self, key: &str) -> Option<usize> {
        let key = c_text(key);
        // SAFETY: as above.
        usize::try_from(unsafe { (self.host.api.num_elements)(self.host.env, self.map, key.as_ptr()) }).ok()
    }
}

impl ScriptArgs for Props<'_> {
    fn ints(&self, key: &str) -> Option<Vec<i64>> {
        (0..self.count(key)?).map(|i| self.get(self.host.api.get_int, key, i)).collect()
    }

    fn float(&self, key: &str) -> Option<f64> {
        self.get(self.host.api.get_float, key, 0)
    }

    /// None is read here.
    fn data(&self, _key: &str) -> Option<Vec<u8>> {
        None
    }

    fn has(&self, key: &str) -> bool {
        self.count(key).is_some()
    }

    /// Those of records, where there are any: AviSynth keeps every name that it is asked for as long as the script lives.
    fn keys(&self) -> Vec<String> {
        if !self.has(RECORDED) {
            return Vec::new();
        }
        let Host { api, env } = self.host;
        // SAFETY: the map lives.
        let count = unsafe { (api.num_keys)(env, self.map) };
        let key = |i| {
            // SAFETY: as above, and there is such a key; AviSynth's end in a NUL and live as long as the map.
            unsafe { CStr::from_ptr((api.key)(env, self.map, i)) }.to_string_lossy().into_owned()
        };
        (0..count).map(key).collect()
    }
}
