//! `vramp bench`.

use crate::cli::args::GpuList;
use crate::cli::args::parse::{parse_size, threads};
use crate::device::DeviceChoice;
use crate::io::libav::DecoderChoice;
use clap::Args;

/// Arguments of `vramp bench`.
#[derive(Debug, Args)]
#[command(after_long_help = BENCH_HELP)]
pub struct BenchArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Measure there: cpu, cuda, cuda:N, or auto for the first GPU there is
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Cpu)]
    pub device: DeviceChoice,
    /// What decodes the clip of --clip: software, nvdec or auto. Frames that NVDEC leaves on the GPU are measured in
    /// the decoder alone and in the whole run, not stage by stage
    #[arg(long, value_name = "DECODER", default_value_t = DecoderChoice::Software, requires = "clip")]
    pub decoder: DecoderChoice,
    /// Measure this filter only; repeat for more
    #[arg(long, value_name = "NAME")]
    pub filter: Vec<String>,
    /// Frame size
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = parse_size)]
    pub size: (usize, usize),
    /// The best CPU level and one case a filter only, measured shorter
    #[arg(long)]
    pub quick: bool,
    /// Measure the filters beside those of the ffmpeg program that do the same work, for all that have one
    #[arg(long, conflicts_with_all = ["clip", "chain"])]
    pub peers: bool,
    /// Measure each filter that has a bar: on the CPU the processor time on one thread, beside ffmpeg's where it has one; with
    /// --device cuda the time of a frame, in milliseconds or beside a copy
    #[arg(long, conflicts_with_all = ["clip", "chain", "peers", "size"])]
    pub bars: bool,
    /// Measure decode, chain and encode of this clip, each alone and all together, instead of single filters
    #[arg(long, value_name = "FILE")]
    pub clip: Option<String>,
    /// Measure this chain, beside its filters one by one; for --clip it is deband otherwise
    #[arg(long, value_name = "CHAIN", conflicts_with = "filter")]
    pub chain: Option<String>,
    /// Measure this many runs of --clip side by side, and as many decoders alone; several numbers, as in 1,2,4, give a curve
    #[arg(long, value_name = "LIST", requires = "clip", value_delimiter = ',',
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Vec<u16>,
    /// The GPUs on which those take turns: all, or numbers as in 0,1 (by default the one of --device)
    #[arg(long, value_name = "LIST", requires = "jobs")]
    pub gpus: Option<GpuList>,
    /// The encoder for --clip, or null for none
    #[arg(short, long, value_name = "ENCODER", default_value = "libx264", requires = "clip")]
    pub codec: String,
    /// With -c null: bring every frame back from the GPU, as an encoder of the CPU needs them. Otherwise those that NVDEC
    /// decodes are left there
    #[arg(long, requires = "clip")]
    pub download: bool,
    /// The encoder's preset for --clip
    #[arg(long, value_name = "NAME", requires = "clip")]
    pub preset: Option<String>,
    /// Threads of each stage for --clip: decoder, chain and encoder; 0 takes all processors
    #[arg(long, value_name = "N", default_value_t = 0, requires = "clip", value_parser = threads())]
    pub threads: usize,
}

const BENCH_HELP: &str = "\
A filter's time is the median over frames taken in turn from buffers larger than the caches. 'x' is that time over the time of a \
plain memory copy that moves the same number of bytes, in the same run: a ratio that travels between machines. --clip times \
decoder, chain and encoder each alone, then the whole run, whose wall time should be that of its slowest stage. With --jobs runs of \
the whole clip go side by side, as parts of a film do, and before each as many of its decoders alone.

On a GPU a time is the median of recorded runs over all of that memory, 'x' is over a copy on the device, and a pipeline from \
the host to the GPU and back is compared with the copies alone, both ways at once.

With --peers vramp and ffmpeg take turns of a few frames, on one thread and on all. ffmpeg's time is what its bench filter reports \
of the one filter, on a frame that is in the caches.

With --bars they take turns on one thread, and the least processor time of five turns counts, which other programs on the machine \
hardly change. ffmpeg's is that of a long run less a short one's. A ratio over its bar is marked; that is no error. On a GPU \
every bar has frames of its own size, and milliseconds are those of an H200.

JSON: one object with version, machine (processors, cpu_level) and what was measured:
  gpu      device, compute_capability, driver, width, height,
           formats: src, dst, bytes, copy (ms, gb_per_s), rows (chain, ms, gb_per_s, times_copy,
           ways (kernel, case, way, by: how a kernel works that can work in several ways, see vramp tune)),
           pipeline: src, dst, rows (chain, slots, limit_fps, fps, of_limit,
           and the share of the time in upload, kernels, download)
  filters  width, height, formats: src, dst, copy (threads, ms),
           rows (chain, level, threads, ms, times_copy)
  peers    width, height, ffmpeg (its version),
           rows (peer, chain, src, dst, threads, peer_ms, ms, times_faster)
  bars     ffmpeg (its version), rows (chain, src, dst, width, height, batch (frames at a time),
           level (the vectors that it is held to, or null), peer, peer_ms, ms,
           value (over the peer's time, or ms where there is no peer), most, holds)
  gpu_bars device, rows as of bars, where the peer is a copy
  clip     clip, chain, encoder, device, frames, threads, decode, filter, encode, whole (each
           seconds and processor_seconds), over_slowest, over_possible (over the slowest stage, or over all
           processor time spread over all processors where that is more)
  jobs     clip, chain, encoder, gpus, frames (of one run), rows (jobs, decode_fps of decoders alone, fps,
           times_one (over the first row), of_decoders, times_one_gpu (over as many runs for each of several GPUs
           on the first one alone), of_download: fps over what copies from the GPU alone allow, with --download)";
