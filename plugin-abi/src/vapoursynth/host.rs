//! VapourSynth's functions and objects, wrapped so that the rest needs no `unsafe` to use them.

use super::ffi::{self, Api};
use crate::host_port::HostPlane;
use crate::script::args::ScriptArgs;
use crate::script::props::SetProps;
use std::ffi::{CStr, CString, c_char, c_int};
use std::slice;
use vramp::error::{Error, Result};

/// VapourSynth's functions. The table is part of its library, which outlives every plugin.
pub type Host = &'static Api;

/// `text` as C wants it; it ends where a zero stands.
pub fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Arguments, or a frame's properties, to read.
#[derive(Clone, Copy)]
pub struct MapRef<'a> {
    api: Host,
    map: &'a ffi::Map,
}

impl<'a> MapRef<'a> {
    /// The map.
    pub fn new(api: Host, map: &'a ffi::Map) -> MapRef<'a> {
        MapRef { api, map }
    }

    /// Calls one of VapourSynth's getters; `None` when the map has no such value.
    fn get<T>(
        self,
        getter: unsafe extern "C" fn(*const ffi::Map, *const c_char, c_int, *mut c_int) -> T,
        key: &str,
        index: usize,
    ) -> Option<T> {
        let (key, mut error) = (c_text(key), 0);
        // SAFETY: the map lives and the key ends in a zero. A missing value is reported, since `error` is not null.
        let value = unsafe { getter(self.map, key.as_ptr(), index as c_int, &mut error) };
        (error == 0).then_some(value)
    }

    /// How many values `key` has.
    fn count(self, key: &str) -> Option<usize> {
        let name = c_text(key);
        // SAFETY: the map lives and the key ends in a zero.
        usize::try_from(unsafe { (self.api.map_num_elements)(self.map, name.as_ptr()) }).ok()
    }

    /// The clips called `key`.
    pub fn nodes(self, key: &str) -> Vec<Node> {
        let node = |i| {
            let node = self.get(self.api.map_get_node, key, i).filter(|node| !node.is_null())?;
            Some(Node { api: self.api, node })
        };
        (0..self.count(key).unwrap_or(0)).filter_map(node).collect()
    }

    fn bytes(self, key: &str, index: usize) -> Option<Vec<u8>> {
        let size = self.get(self.api.map_get_data_size, key, index)?;
        let data = self.get(self.api.map_get_data, key, index).filter(|data| !data.is_null())?;
        // SAFETY: VapourSynth gives the address and the size of bytes that live as long as the map.
        Some(unsafe { slice::from_raw_parts(data.cast(), usize::try_from(size).ok()?) }.to_vec())
    }

    /// The texts called `key`, whatever their bytes are.
    pub fn texts(self, key: &str) -> Vec<String> {
        let text = |i| Some(String::from_utf8_lossy(&self.bytes(key, i)?).into_owned());
        (0..self.count(key).unwrap_or(0)).filter_map(text).collect()
    }
}

impl ScriptArgs for MapRef<'_> {
    fn ints(&self, key: &str) -> Option<Vec<i64>> {
        (0..self.count(key)?).map(|i| self.get(self.api.map_get_int, key, i)).collect()
    }

    fn has(&self, key: &str) -> bool {
        self.count(key).is_some()
    }

    fn keys(&self) -> Vec<String> {
        // SAFETY: the map lives.
        let count = unsafe { (self.api.map_num_keys)(self.map) };
        let key = |i| {
            // SAFETY: as above, and there is such a key; VapourSynth's end in a zero and live as long as the map.
            unsafe { CStr::from_ptr((self.api.map_get_key)(self.map, i)) }.to_string_lossy().into_owned()
        };
        (0..count).map(key).collect()
    }

    fn float(&self, key: &str) -> Option<f64> {
        self.get(self.api.map_get_float, key, 0)
    }

    fn data(&self, key: &str) -> Option<Vec<u8>> {
        self.bytes(key, 0)
    }
}

/// A reference to a clip, which any thread may use.
pub struct Node {
    api: Host,
    node: *mut ffi::Node,
}

impl Node {
    /// What its frames share.
    pub fn info(&self) -> ffi::VideoInfo {
        // SAFETY: the reference keeps the clip alive, and the functions ask for clips of video only.
        unsafe { *(self.api.get_video_info)(self.node) }
    }

    /// Takes a reference over. `None` where VapourSynth gave none.
    ///
    /// # Safety
    /// The reference must be the caller's, and alive.
    pub unsafe fn from_raw(api: Host, node: *mut ffi::Node) -> Option<Node> {
        (!node.is_null()).then(|| Node { api, node })
    }

    /// One more reference.
    pub fn another(&self) -> Node {
        // SAFETY: the clip lives.
        Node { api: self.api, node: unsafe { (self.api.add_node_ref)(self.node) } }
    }

    /// The clip's first frame. Not while a frame is made.
    ///
    /// # Errors
    /// Why there is none.
    pub fn first_frame(&self) -> Result<Frame> {
        let mut message = [0 as c_char; 1024];
        // SAFETY: the clip lives, and the message has so many bytes; the reference that it returns is ours.
        let frame = unsafe { (self.api.get_frame)(0, self.node, message.as_mut_ptr(), message.len() as c_int) };
        // SAFETY: as above; VapourSynth ends the message with a zero, and it was all zeros before.
        let (frame, why) = unsafe { (Frame::from_raw(self.api, frame), CStr::from_ptr(message.as_ptr())) };
        frame.ok_or_else(|| Error::corrupt(format!("the clip's first frame: {}", why.to_string_lossy())))
    }

    /// The reference itself, which stays ours.
    pub fn as_raw(&self) -> *mut ffi::Node {
        self.node
    }
}

// SAFETY: VapourSynth counts references to clips atomically, and its functions on them may be called from any thread.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: this reference is ours, and nobody has it now.
        unsafe { (self.api.free_node)(self.node) }
    }
}

/// A reference to a frame: one that is read, or one that is being made.
pub struct Frame {
    api: Host,
    frame: *mut ffi::Frame,
}

impl Frame {
    /// Takes a reference over. `None` where VapourSynth gave none.
    ///
    /// # Safety
    /// The reference must be the caller's, and alive.
    pub unsafe fn from_raw(api: Host, frame: *const ffi::Frame) -> Option<Frame> {
        (!frame.is_null()).then(|| Frame { api, frame: frame.cast_mut() })
    }

    /// Its properties.
    pub fn props(&self) -> MapRef<'_> {
        // SAFETY: a frame has properties as long as it lives, and only a frame that is being made changes them.
        MapRef { api: self.api, map: unsafe { &*(self.api.get_frame_properties_ro)(self.frame) } }
    }

    /// The reference itself, which stays ours.
    pub fn as_raw(&self) -> *mut ffi::Frame {
        self.frame
    }

    /// Bytes from a row of a plane to the next.
    pub fn pitch(&self, plane: c_int) -> isize {
        // SAFETY: the frame lives, and the caller has its planes.
        unsafe { (self.api.get_stride)(self.frame, plane) }.abs()
    }

    /// First byte and pitch of every plane, to read.
    pub fn planes(&self) -> Vec<HostPlane> {
        let plane = |plane| {
            // SAFETY: the frame lives, and has this plane.
            (unsafe { (self.api.get_read_ptr)(self.frame, plane) }.cast_mut(), self.pitch(plane))
        };
        (0..self.format().num_planes).map(plane).collect()
    }

    /// Width and height in samples.
    pub fn size(&self) -> (usize, usize) {
        // SAFETY: the frame lives, and every frame has a first plane.
        let (width, height) =
            unsafe { ((self.api.get_frame_width)(self.frame, 0), (self.api.get_frame_height)(self.frame, 0)) };
        (width as usize, height as usize)
    }

    /// Its format.
    pub fn format(&self) -> ffi::VideoFormat {
        // SAFETY: the frame lives, and is one of video.
        unsafe { *(self.api.get_video_frame_format)(self.frame) }
    }

    /// A frame of `format` and its own samples, not yet set, with this one's properties.
    pub fn sibling(&self, format: &ffi::VideoFormat, size: (c_int, c_int), core: *mut ffi::Core) -> Option<NewFrame> {
        // SAFETY: format and frame live; VapourSynth copies the properties.
        let frame = unsafe { (self.api.new_video_frame)(format, size.0, size.1, self.frame, core) };
        (!frame.is_null()).then(|| NewFrame(Frame { api: self.api, frame }))
    }

    /// A frame with the same samples and properties.
    pub fn copy(&self, core: *mut ffi::Core) -> Option<NewFrame> {
        // SAFETY: the frame lives.
        let frame = unsafe { (self.api.copy_frame)(self.frame, core) };
        (!frame.is_null()).then(|| NewFrame(Frame { api: self.api, frame }))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: this reference is ours, and nobody has it now.
        unsafe { (self.api.free_frame)(self.frame) }
    }
}

/// A frame that is being made: nobody else has it.
pub struct NewFrame(Frame);

impl NewFrame {
    /// A frame that nobody else has.
    pub fn new(frame: Frame) -> NewFrame {
        NewFrame(frame)
    }

    /// The frame, as others see it.
    pub fn frame(&self) -> &Frame {
        &self.0
    }

    /// First byte and pitch of every plane, to write.
    pub fn planes_mut(&mut self) -> Vec<HostPlane> {
        let Frame { api, frame } = &self.0;
        let plane = |plane| {
            // SAFETY: the frame lives, is ours alone, and has this plane.
            (unsafe { (api.get_write_ptr)(*frame, plane) }, self.0.pitch(plane))
        };
        (0..self.0.format().num_planes).map(plane).collect()
    }

    /// The reference, for VapourSynth to give back.
    pub fn into_raw(self) -> *const ffi::Frame {
        let frame = self.0.frame;
        std::mem::forget(self);
        frame
    }
}

impl SetProps for NewFrame {
    fn set(&mut self, key: &str, value: i64) {
        let (Frame { api, frame }, key) = (&self.0, c_text(key));
        // SAFETY: the frame lives and is ours alone; the key ends in a zero.
        unsafe { (api.map_set_int)((api.get_frame_properties_rw)(*frame), key.as_ptr(), value, ffi::REPLACE) };
    }

    fn set_float(&mut self, key: &str, value: f64) {
        let (Frame { api, frame }, key) = (&self.0, c_text(key));
        // SAFETY: as in `set`.
        unsafe { (api.map_set_float)((api.get_frame_properties_rw)(*frame), key.as_ptr(), value, ffi::REPLACE) };
    }

    fn set_ints(&mut self, key: &str, values: &[i64]) {
        let (Frame { api, frame }, key) = (&self.0, c_text(key));
        // SAFETY: as in `set`, and there are so many values.
        unsafe {
            let props = (api.get_frame_properties_rw)(*frame);
            (api.map_set_int_array)(props, key.as_ptr(), values.as_ptr(), values.len() as c_int)
        };
    }
}

/// VapourSynth's name for a format.
pub fn format_name(api: Host, format: &ffi::VideoFormat) -> String {
    let mut name = [0 as c_char; 32];
    // SAFETY: VapourSynth writes at most 32 bytes, with a zero at the end.
    let known = unsafe { (api.get_video_format_name)(format, name.as_mut_ptr()) } != 0;
    // SAFETY: as above, and it was all zeros before.
    let text = unsafe { CStr::from_ptr(name.as_ptr()) };
    if known { text.to_string_lossy().into_owned() } else { "an unknown format".to_owned() }
}
