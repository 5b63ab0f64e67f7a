//! A script that has been run, and its clip.

use super::ffi::{
    self, Api, CoreInfo, FrameDone, GRAY, INTEGER, Node, REPLACE, RGB, UNDEFINED, UTF8, VIDEO, VideoFormat, VideoInfo,
};
use super::library::{ScriptLibrary, functions};
use super::{ScriptOptions, failure};
use crate::error::{Error, Kind, Result};
use crate::video::Rational;
use ffmpeg::format::Pixel;
use ffmpeg_next as ffmpeg;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

/// A script's clip.
pub struct Program {
    clip: ScriptClip,
    pixel: Pixel,
    info: VideoInfo,
}

impl Program {
    /// Runs the script `path`, in its own folder.
    ///
    /// # Errors
    /// When VapourSynth is not there; what Python says, in one line; when it sets no such output, or one that is no video of
    /// one format and size, in integers.
    pub fn run(path: &OsStr, options: &ScriptOptions) -> Result<Program> {
        let script = Evaluated::new(functions()?)?;
        script.set(&options.variables)?;
        script.evaluate(path)?;
        let clip = script.output(options.output)?;
        // SAFETY: the node is alive, and is of video.
        let info = unsafe { *(clip.script.api().get_video_info)(clip.node.as_ptr()) };
        Ok(Program { pixel: pixel(&info)?, clip, info })
    }

    /// libav's format of its frames.
    pub fn pixel(&self) -> Pixel {
        self.pixel
    }

    /// Width and height.
    pub fn size(&self) -> (i32, i32) {
        (self.info.width, self.info.height)
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        usize::try_from(self.info.num_frames).unwrap_or(0)
    }

    /// Frames a second, where all last as long.
    pub fn rate(&self) -> Option<Rational> {
        let (num, den) = (i32::try_from(self.info.fps_num).ok()?, i32::try_from(self.info.fps_den).ok()?);
        (num > 0 && den > 0).then_some(Rational::new(num, den))
    }

    /// Whether planes are R, G, B, where libav has G, B, R.
    pub fn is_rgb(&self) -> bool {
        self.info.format.color_family == RGB
    }

    /// Whether there is one plane alone.
    pub fn is_gray(&self) -> bool {
        self.info.format.color_family == GRAY
    }

    /// Threads that make frames.
    pub fn threads(&self) -> usize {
        let Evaluated { functions, handle } = &self.clip.script;
        // SAFETY: the script holds its core, which fills the struct in.
        let info = unsafe {
            let mut info = MaybeUninit::<CoreInfo>::zeroed();
            (functions.api.get_core_info)((functions.script.get_core)(handle.as_ptr()), info.as_mut_ptr());
            info.assume_init()
        };
        usize::try_from(info.num_threads).unwrap_or(1).max(1)
    }

    /// What reads its frames.
    pub fn api(&self) -> &'static Api {
        self.clip.script.api()
    }

    /// Has `done` called with `data` when frame `n` is made, or cannot be, on any thread.
    ///
    /// # Safety
    /// `done` may be called with `data` until it has been.
    pub unsafe fn request(&self, n: c_int, done: FrameDone, data: *mut c_void) {
        // SAFETY: the node is alive; the rest by the caller.
        unsafe { (self.api().get_frame_async)(n, self.clip.node.as_ptr(), done, data) }
    }
}

/// An output of a script, given back before the script is.
struct ScriptClip {
    node: NonNull<Node>,
    script: Evaluated,
}

// SAFETY: VapourSynth's functions may be called on any thread.
unsafe impl Send for ScriptClip {}
// SAFETY: as above.
unsafe impl Sync for ScriptClip {}

impl Drop for ScriptClip {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        unsafe { (self.script.api().free_node)(self.node.as_ptr()) }
    }
}

/// A script, and Python's part of it.
struct Evaluated {
    functions: &'static ScriptLibrary,
    handle: NonNull<ffi::Script>,
}

impl Drop for Evaluated {
    fn drop(&mut self) {
        // SAFETY: nothing of the script is held any more.
        unsafe { (self.functions.script.free_script)(self.handle.as_ptr()) }
    }
}

impl Evaluated {
    fn new(functions: &'static ScriptLibrary) -> Result<Evaluated> {
        // SAFETY: null asks for a core of its own.
        let handle = NonNull::new(unsafe { (functions.script.create_script)(ptr::null_mut()) });
        let handle = handle.ok_or_else(|| Error::new(Kind::OutOfMemory, "VapourSynth cannot begin a script"))?;
        Ok(Evaluated { functions, handle })
    }

    fn api(&self) -> &'static Api {
        self.functions.api
    }

    /// Has it find `variables` set.
    fn set(&self, variables: &[(String, String)]) -> Result<()> {
        let api = self.api();
        // SAFETY: the map is ours until it is freed, and copies what it is given.
        let failed = unsafe {
            let map = (api.create_map)();
            let set = |(key, value): &(String, String)| {
                let (Ok(name), Ok(size)) = (CString::new(key.as_str()), c_int::try_from(value.len())) else {
                    return false;
                };
                (api.map_set_data)(map, name.as_ptr(), value.as_ptr().cast(), size, UTF8, REPLACE) == 0
            };
            let wrong = variables.iter().find(|pair| !set(pair));
            let refused = (self.functions.script.set_variables)(self.handle.as_ptr(), map) != 0;
            (api.free_map)(map);
            wrong.map(|(key, _)| key.as_str()).or(refused.then_some("them"))
        };
        failed
            .map_or(Ok(()), |name| Err(Error::bad_argument(format!("the script's variables: it does not take {name}"))))
    }

    fn evaluate(&self, path: &OsStr) -> Result<()> {
        let ScriptLibrary { script, .. } = self.functions;
        let name =
            CString::new(path.as_encoded_bytes()).map_err(|_| Error::bad_argument("its name has a zero byte"))?;
        // SAFETY: the script is alive; what it says of a failure lives until it is freed.
        unsafe {
            (script.eval_set_working_dir)(self.handle.as_ptr(), 1);
            if (script.evaluate_file)(self.handle.as_ptr(), name.as_ptr()) == 0 {
                return Ok(());
            }
            let said = (script.get_error)(self.handle.as_ptr());
            let said = if said.is_null() { c"it fails without a word" } else { CStr::from_ptr(said) };
            Err(Error::corrupt(failure::line(&said.to_string_lossy(), &path.to_string_lossy())))
        }
    }

    /// The clip of output `number`.
    fn output(self, number: i32) -> Result<ScriptClip> {
        let ScriptLibrary { script, api } = self.functions;
        // SAFETY: the script was run without an error. Both references are ours.
        let (node, alpha) = unsafe {
            let output = |get: unsafe extern "C" fn(*mut ffi::Script, c_int) -> *mut Node| {
                NonNull::new(get(self.handle.as_ptr(), number))
            };
            (output(script.get_output_node), output(script.get_output_alpha_node))
        };
        if let Some(alpha) = alpha {
            // SAFETY: the reference is ours.
            unsafe { (api.free_node)(alpha.as_ptr()) };
            log::warn!("output {number} of the script has alpha, which is left out");
        }
        let node = node.ok_or_else(|| {
            Error::bad_argument(format!("the script has no output {number}: it ends with clip.set_output({number})"))
        })?;
        let clip = ScriptClip { node, script: self };
        // SAFETY: the node is alive.
        match unsafe { (api.get_node_type)(clip.node.as_ptr()) } {
            VIDEO => Ok(clip),
            _ => Err(Error::unsupported(format!("output {number} of the script is sound"))),
        }
    }
}

/// libav's format of such frames.
///
/// # Errors
/// When it has none, or they have several.
fn pixel(info: &VideoInfo) -> Result<Pixel> {
    let VideoFormat { color_family, sample_type, bits_per_sample, sub_sampling_w, sub_sampling_h, .. } = info.format;
    if color_family == UNDEFINED || info.width <= 0 || info.height <= 0 {
        let what = "the script's frames differ in format or size: end it with resize to one of both";
        return Err(Error::unsupported(what));
    }
    if sample_type != INTEGER {
        let what = "the script's frames hold floats, and filters read integers: end it with resize to 16 bits";
        return Err(Error::unsupported(what));
    }
    let family = match (color_family, sub_sampling_w, sub_sampling_h) {
        (GRAY, ..) => "gray",
        (RGB, ..) => "gbrp",
        (_, 1, 1) => "yuv420p",
        (_, 1, 0) => "yuv422p",
        (_, 0, 0) => "yuv444p",
        (_, 0, 1) => "yuv440p",
        (_, 2, 0) => "yuv411p",
        (_, 2, 2) => "yuv410p",
        _ => "another",
    };
    let name = if bits_per_sample == 8 { family.to_owned() } else { format!("{family}{bits_per_sample}") };
    let refused = || {
        let what = format!("libav has no format of the script's frames ({name}): end it with resize to another");
        Error::unsupported(what)
    };
    name.parse().map_err(|_| refused())
}
