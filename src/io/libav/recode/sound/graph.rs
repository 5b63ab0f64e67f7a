//! A libavfilter graph between two forms of sound.

use crate::error::{Error, Kind, Result};
use crate::io::libav::logging;
use crate::io::libav::mux::failure;
use crate::io::libav::recode::sound::samples::{self, ChannelLayout};
use ffmpeg_next::error::EAGAIN;
use ffmpeg_next::ffi::{self, AVFilterContext, AVFilterGraph};
use ffmpeg_next::frame::Audio;
use std::ffi::{CString, c_int};
use std::ptr::{self, NonNull};

/// The form of sound.
pub(super) struct SampleForm {
    pub(super) rate: c_int,
    /// libav's number of the sample format.
    pub(super) format: c_int,
    pub(super) layout: ChannelLayout,
}

impl SampleForm {
    /// The form of `frame`.
    pub(super) fn of(frame: &Audio) -> SampleForm {
        // SAFETY: the frame is alive, and so its layout.
        unsafe {
            let raw = &*frame.as_ptr();
            SampleForm { rate: raw.sample_rate, format: raw.format, layout: ChannelLayout::copy(&raw.ch_layout) }
        }
    }

    /// Whether the two are the same.
    pub(super) fn is(&self, other: &SampleForm) -> bool {
        self.rate == other.rate && self.format == other.format && self.layout.is(other.layout.as_ptr())
    }

    fn format_name(&self) -> &'static str {
        samples::format(self.format).map_or("?", samples::format_name)
    }

    /// The filter that turns sound into this form. Channels that are mixed are scaled so that nothing clips.
    pub(super) fn filter(&self) -> String {
        let (rate, format, layout) = (self.rate, self.format_name(), self.layout.name());
        format!(
            "aresample={rate}:rematrix_maxval=1,\
             aformat=sample_rates={rate}:sample_fmts={format}:channel_layouts={layout}"
        )
    }
}

/// A graph with one input and one output.
pub(super) struct FilterGraph {
    graph: NonNull<AVFilterGraph>,
    source: *mut AVFilterContext,
    sink: *mut AVFilterContext,
    input: SampleForm,
}

impl Drop for FilterGraph {
    fn drop(&mut self) {
        let mut graph = self.graph.as_ptr();
        // SAFETY: the graph is ours, its filters go with it, and none is used again.
        unsafe { ffi::avfilter_graph_free(&mut graph) };
    }
}

impl FilterGraph {
    /// A graph of `filters`, in libav's words, for sound of `input` whose times are counted in its samples.
    ///
    /// # Errors
    /// When libav refuses one of the filters.
    pub(super) fn new(input: SampleForm, filters: &str) -> Result<FilterGraph> {
        // SAFETY: gives a graph or null.
        let graph = NonNull::new(unsafe { ffi::avfilter_graph_alloc() }).ok_or_else(out_of_memory)?;
        let mut graph = FilterGraph { graph, source: ptr::null_mut(), sink: ptr::null_mut(), input };
        let (built, heard) = logging::listen(|| graph.build(filters));
        built.map_err(|code| match heard.reason() {
            Some(reason) => Error::unsupported(format!("libav's filters for sound: {reason}")),
            None => failure::error("libav's filters for sound", code, Kind::Unsupported),
        })?;
        Ok(graph)
    }

    fn build(&mut self, filters: &str) -> Result<(), c_int> {
        let SampleForm { rate, layout, .. } = &self.input;
        let (format, layout) = (self.input.format_name(), layout.name());
        let source = format!("time_base=1/{rate}:sample_rate={rate}:sample_fmt={format}:channel_layout={layout}");
        let no_text = |_| ffi::AVERROR(ffmpeg_next::error::EINVAL);
        let (source, filters) = (CString::new(source).map_err(no_text)?, CString::new(filters).map_err(no_text)?);
        let graph = self.graph.as_ptr();
        // SAFETY: the graph is ours, texts end with a zero; the lists of open ends are libav's, and freed whatever happens.
        unsafe {
            let checked = |code: c_int| if code < 0 { Err(code) } else { Ok(()) };
            let none = ptr::null_mut();
            let (abuffer, sink) = (c"abuffer".as_ptr(), c"abuffersink".as_ptr());
            checked(ffi::avfilter_graph_create_filter(
                &mut self.source,
                ffi::avfilter_get_by_name(abuffer),
                c"in".as_ptr(),
                source.as_ptr(),
                none,
                graph,
            ))?;
            checked(ffi::avfilter_graph_create_filter(
                &mut self.sink,
                ffi::avfilter_get_by_name(sink),
                c"out".as_ptr(),
                ptr::null(),
                none,
                graph,
            ))?;
            let (mut outputs, mut inputs) = (ffi::avfilter_inout_alloc(), ffi::avfilter_inout_alloc());
            let code = if outputs.is_null() || inputs.is_null() {
                ffi::AVERROR(ffmpeg_next::error::ENOMEM)
            } else {
                (*outputs).name = ffi::av_strdup(c"in".as_ptr());
                (*outputs).filter_ctx = self.source;
                (*inputs).name = ffi::av_strdup(c"out".as_ptr());
                (*inputs).filter_ctx = self.sink;
                ffi::avfilter_graph_parse_ptr(graph, filters.as_ptr(), &mut inputs, &mut outputs, none)
            };
            ffi::avfilter_inout_free(&mut outputs);
            ffi::avfilter_inout_free(&mut inputs);
            checked(code)?;
            checked(ffi::avfilter_graph_config(graph, none))
        }
    }

    /// The form of the sound it takes.
    pub(super) fn input(&self) -> &SampleForm {
        &self.input
    }

    /// Takes a frame, or the end. Gives what is ready then.
    ///
    /// # Errors
    /// When libav fails, which is when memory runs out.
    pub(super) fn filter(&mut self, frame: Option<Audio>) -> Result<Vec<Audio>> {
        let failed = |code| failure::error("libav's filters for sound", code, Kind::Internal);
        // SAFETY: the source takes the frame's references; the frame has the form that the source was made for. Null is the end.
        let code = unsafe {
            match frame {
                Some(mut frame) => {
                    self.input.layout.store(&mut (*frame.as_mut_ptr()).ch_layout);
                    ffi::av_buffersrc_add_frame(self.source, frame.as_mut_ptr())
                }
                None => ffi::av_buffersrc_add_frame(self.source, ptr::null_mut()),
            }
        };
        if code < 0 {
            return Err(failed(code));
        }
        let mut ready = Vec::new();
        loop {
            let mut frame = Audio::empty();
            // SAFETY: the sink is configured, and fills the empty frame.
            let code = unsafe { ffi::av_buffersink_get_frame(self.sink, frame.as_mut_ptr()) };
            match code {
                0.. => ready.push(frame),
                ffi::AVERROR_EOF => return Ok(ready),
                code if code == ffi::AVERROR(EAGAIN) => return Ok(ready),
                code => return Err(failed(code)),
            }
        }
    }
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for libav's filters")
}
