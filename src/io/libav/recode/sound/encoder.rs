//! Samples become packets.

use crate::error::{Error, Kind, Result};
use crate::io::libav::logging;
use crate::io::libav::mux::failure;
use crate::io::libav::recode::sound::codec::{self, Codec};
use crate::io::libav::recode::sound::graph::SampleForm;
use crate::io::libav::recode::sound::samples::{self, ChannelLayout};
use crate::video::Rational;
use ffmpeg_next::codec::Parameters;
use ffmpeg_next::error::EAGAIN;
use ffmpeg_next::ffi::{self, AVAudioFifo, AVCodecContext};
use ffmpeg_next::frame::Audio;
use ffmpeg_next::packet::Mut;
use ffmpeg_next::{Error as Code, Packet};
use std::ffi::c_int;
use std::ptr::{self, NonNull};

/// Samples of a packet, for encoders that take any number.
const ANY: c_int = 1024;

/// An encoder of sound, and the samples that wait until they fill a packet.
pub(super) struct Encoder {
    context: NonNull<AVCodecContext>,
    waiting: NonNull<AVAudioFifo>,
    codec: Codec,
    parameters: Parameters,
    form: SampleForm,
    /// Samples of a packet.
    size: c_int,
    /// The first of the samples that wait.
    next: Option<i64>,
    gave: bool,
}

impl Drop for Encoder {
    fn drop(&mut self) {
        let mut context = self.context.as_ptr();
        // SAFETY: both are ours and not used again.
        unsafe {
            ffi::avcodec_free_context(&mut context);
            ffi::av_audio_fifo_free(self.waiting.as_ptr());
        }
    }
}

impl Encoder {
    /// Starts `codec` with `bitrate` for sound like that of `source`, in `layout`. `in_header`: the container wants the codec's
    /// parameters in its header.
    ///
    /// # Errors
    /// When the encoder refuses, with its reason.
    pub(super) fn new(
        codec: Codec,
        source: &Parameters,
        layout: &ChannelLayout,
        bitrate: Option<i64>,
        in_header: bool,
    ) -> Result<Encoder> {
        let refused = |why: &str| Error::unsupported(format!("{}: {why}", codec.name()));
        if bitrate.is_some() && codec.is_lossless() {
            let what = format!("{} loses nothing, so its bit rate follows from the sound: name none", codec.name());
            return Err(Error::bad_argument(what));
        }
        // SAFETY: the parameters are alive.
        let rate = unsafe { (*source.as_ptr()).sample_rate };
        let bits = codec::bits(source);
        let Some(format) = codec.sample_format(bits) else { return Err(refused("it takes no known sample format")) };
        let form = SampleForm { rate: codec.rate(rate), format: format as c_int, layout: codec.layout(layout) };
        let mut parameters = Parameters::new();
        // SAFETY: the context is ours, and configured before it is opened.
        let (context, waiting) = unsafe {
            let mut context = ffi::avcodec_alloc_context3(codec.as_ptr());
            let Some(found) = NonNull::new(context) else { return Err(out_of_memory()) };
            (*context).sample_rate = form.rate;
            (*context).sample_fmt = format;
            form.layout.store(&mut (*context).ch_layout);
            (*context).time_base = ffi::AVRational { num: 1, den: form.rate };
            (*context).bits_per_raw_sample = codec.raw_bits(bits, format);
            (*context).bit_rate = bitrate.unwrap_or_else(|| codec.bitrate(form.layout.channels()));
            if in_header {
                (*context).flags |= ffi::AV_CODEC_FLAG_GLOBAL_HEADER as c_int;
            }
            let (code, heard) = logging::listen(|| ffi::avcodec_open2(context, codec.as_ptr(), ptr::null_mut()));
            if code < 0 {
                let why = heard.reason().map_or_else(|| failure::text(code), str::to_owned);
                ffi::avcodec_free_context(&mut context);
                return Err(refused(&why));
            }
            let waiting = ffi::av_audio_fifo_alloc(format, form.layout.channels(), ANY);
            let code = ffi::avcodec_parameters_from_context(parameters.as_mut_ptr(), context);
            let Some(waiting) = NonNull::new(waiting).filter(|_| code >= 0) else {
                ffi::av_audio_fifo_free(waiting);
                ffi::avcodec_free_context(&mut context);
                return Err(out_of_memory());
            };
            (found, waiting)
        };
        // SAFETY: the context is open.
        let size = unsafe { (*context.as_ptr()).frame_size };
        let size = if size > 0 { size } else { ANY };
        Ok(Encoder { context, waiting, codec, parameters, form, size, next: None, gave: false })
    }

    /// What a header says.
    pub(super) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The form of the sound it takes.
    pub(super) fn form(&self) -> &SampleForm {
        &self.form
    }

    /// Its codec.
    pub(super) fn codec(&self) -> &Codec {
        &self.codec
    }

    /// Bits a second, where they are known before.
    pub(super) fn bitrate(&self) -> i64 {
        // SAFETY: the context is ours.
        unsafe { (*self.context.as_ptr()).bit_rate }
    }

    /// Unit of its packets' times.
    pub(super) fn timebase(&self) -> Rational {
        Rational::new(1, self.form.rate)
    }

    /// Whether it gave a packet.
    pub(super) fn has_begun(&self) -> bool {
        self.gave
    }

    /// Takes samples that follow those before. Gives the packets that are ready then.
    ///
    /// # Errors
    /// When memory runs out, or the encoder fails.
    pub(super) fn encode(&mut self, frame: &Audio) -> Result<Vec<Packet>> {
        self.next = self.next.or(frame.pts());
        // SAFETY: the frame has the form that the queue was made for.
        let code = unsafe {
            let raw = &*frame.as_ptr();
            ffi::av_audio_fifo_write(self.waiting.as_ptr(), raw.extended_data.cast(), raw.nb_samples)
        };
        if code < 0 {
            return Err(out_of_memory());
        }
        let mut packets = Vec::new();
        while self.waiting() >= self.size {
            self.send(self.size, &mut packets)?;
        }
        Ok(packets)
    }

    /// Gives what is left.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub(super) fn finish(&mut self) -> Result<Vec<Packet>> {
        let mut packets = Vec::new();
        let rest = self.waiting();
        if rest > 0 {
            self.send(rest, &mut packets)?;
        }
        if self.next.is_some() {
            // SAFETY: null is the end, which is sent once.
            let code = unsafe { ffi::avcodec_send_frame(self.context.as_ptr(), ptr::null()) };
            self.receive(code, &mut packets)?;
        }
        Ok(packets)
    }

    fn waiting(&self) -> c_int {
        // SAFETY: the queue is ours.
        unsafe { ffi::av_audio_fifo_size(self.waiting.as_ptr()) }
    }

    /// Encodes the next `count` samples.
    fn send(&mut self, count: c_int, packets: &mut Vec<Packet>) -> Result<()> {
        let mut frame = samples::frame(self.form.format, &self.form.layout, self.form.rate, i64::from(count))?;
        frame.set_pts(self.next);
        self.next = self.next.map(|next| next + i64::from(count));
        // SAFETY: the frame has room for as many samples; the encoder makes a reference to it.
        let code = unsafe {
            let raw = frame.as_mut_ptr();
            ffi::av_audio_fifo_read(self.waiting.as_ptr(), (*raw).extended_data.cast(), count);
            ffi::avcodec_send_frame(self.context.as_ptr(), raw)
        };
        self.receive(code, packets)
    }

    /// Takes the packets that are ready after a frame was sent with `code`.
    fn receive(&mut self, code: c_int, packets: &mut Vec<Packet>) -> Result<()> {
        let failed = |code| failure::error(self.codec.name(), code, Kind::Internal);
        if code < 0 {
            return Err(failed(code));
        }
        loop {
            let mut packet = Packet::empty();
            // SAFETY: the context is open, and fills the empty packet.
            let code = unsafe { ffi::avcodec_receive_packet(self.context.as_ptr(), packet.as_mut_ptr()) };
            match Code::from(code) {
                _ if code >= 0 => {
                    self.gave = true;
                    packets.push(packet);
                }
                Code::Eof | Code::Other { errno: EAGAIN } => return Ok(()),
                _ => return Err(failed(code)),
            }
        }
    }
}

fn out_of_memory() -> Error {
    Error::new(Kind::OutOfMemory, "no memory for an encoder of sound")
}
