//! Built chains, which effects share: hosts make an instance for every frame, and chains are dear.

use super::colours::Colours;
use super::conversion::Conversion;
use super::image::Depth;
use super::scale::scaled;
use crate::environment;
use crate::float;
use std::sync::{Arc, Mutex, PoisonError};
use vramp::device::cuda::CudaDevice;
use vramp::error::{Error, Result};
use vramp::filters;
use vramp::params::Arg;
use vramp::pipeline::{ChainPlan, Engine, Target, Workers, plan};
use vramp::video::{ColorInfo, Format, PicturePool, Range, StreamInfo};

/// Chains that are kept. A tree of effects has one for each, and a small one that is asked about.
const MOST_KEPT: usize = 64;
/// Samples of their pictures, since each holds some of its size: eight of 4K, 32 of 1080p. An animated value makes a chain a frame.
const MOST_SAMPLES: usize = 8 * 3840 * 2160;
/// H.273's code point of BT.709.
const BT_709: u8 = 1;
/// Parameters by which a picture depends on its number, and not on the pictures it is made of alone.
const OF_TIME: [&str; 4] = ["rand_each_frame", "animate", "frames", "times"];

/// How the chain holds a host's pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// The host's own codes of 8 bits.
    Rgb8,
    /// The host's own codes of 16 bits.
    Rgb16,
    /// Numbers in 16 bits of full range, beside the host's own.
    Rgb,
    /// The same as Y, Cb, Cr of limited range.
    YCbCr,
}

impl Inside {
    /// For a host's samples of `depth`; `ycbcr` and `linear` are what the user chose.
    pub fn of(depth: Depth, ycbcr: bool, linear: bool) -> Inside {
        match (depth, ycbcr, linear) {
            (_, true, _) => Inside::YCbCr,
            (Depth::Byte, false, false) => Inside::Rgb8,
            (Depth::Short, false, false) => Inside::Rgb16,
            _ => Inside::Rgb,
        }
    }

    /// Whether the chain has the host's own samples.
    pub fn is_codes(self) -> bool {
        matches!(self, Inside::Rgb8 | Inside::Rgb16)
    }

    /// The chain's format.
    ///
    /// # Errors
    /// When there is no such format.
    pub fn format(self) -> Result<Format> {
        match self {
            Inside::Rgb8 => Format::rgb(8),
            Inside::Rgb16 | Inside::Rgb => Format::rgb(16),
            Inside::YCbCr => Format::yuv(0, 0, 16),
        }
    }

    /// The chain's colours.
    pub fn color(self) -> ColorInfo {
        let (range, matrix) = if self == Inside::YCbCr { (Range::Limited, BT_709) } else { (Range::Full, 0) };
        ColorInfo { range, matrix, ..ColorInfo::default() }
    }

    fn stream(self, width: usize, height: usize) -> Result<StreamInfo> {
        Ok(StreamInfo { color: self.color(), ..StreamInfo::bare(self.format()?, width, height) })
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The chain, as text.
    pub program: String,
    /// How large pictures are, of their full size.
    pub scale: f64,
    /// Width and height.
    pub size: (usize, usize),
    /// How the chain holds pictures.
    pub inside: Inside,
    /// The device that frames lie on; `None` for frames in host memory.
    pub device: Option<HostDevice>,
}

/// The device of a host's context, which each context has one of.
#[derive(Clone, Debug)]
pub struct HostDevice(pub Arc<CudaDevice>);

impl PartialEq for HostDevice {
    fn eq(&self, other: &HostDevice) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A chain for pictures of one size.
pub struct Built {
    /// What filters.
    pub engine: Engine,
    /// Whether results are their sources plus a difference.
    pub carries: bool,
    /// Whether the same pictures become others at another time.
    pub is_of_time: bool,
    /// Pictures that go in.
    pub before: PicturePool,
    /// Pictures that are made.
    pub after: PicturePool,
}

/// What was asked for last is last.
static KEPT: Mutex<Vec<(Request, Arc<Built>)>> = Mutex::new(Vec::new());
static WORKERS: Mutex<Option<Arc<Workers>>> = Mutex::new(None);

/// The chain that `request` asks for, built where it is not there.
///
/// # Errors
/// When the chain is wrong, or hosts have no room for what it makes.
pub fn built(request: &Request) -> Result<Arc<Built>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().position(|(known, _)| known == request);
    let entry = match found {
        Some(place) => kept.remove(place),
        None => (request.clone(), Arc::new(Built::new(request)?)),
    };
    let samples = |request: &Request| request.size.0 * request.size.1;
    let mut held: usize = kept.iter().map(|(known, _)| samples(known)).sum();
    while kept.len() == MOST_KEPT || !kept.is_empty() && held + samples(request) > MOST_SAMPLES {
        held -= samples(&kept.remove(0).0);
    }
    let built = Arc::clone(&entry.1);
    kept.push(entry);
    Ok(built)
}

/// Drops all that is kept and not in use.
pub fn forget() {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// What all chains filter with.
fn workers() -> Result<Arc<Workers>> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = match workers.take() {
        Some(made) => made,
        None => Arc::new(Workers::new(environment::device(), 0)?),
    };
    Ok(Arc::clone(workers.insert(made)))
}

impl Built {
    /// What becomes of images of `depth`, of which filters see `colours`: those that the chain was asked for.
    pub fn conversion(&self, depth: Depth, colours: Colours) -> Conversion {
        let plan = self.engine.plan();
        Conversion::new(depth, colours, [&plan.input, &plan.output], self.carries)
    }

    fn new(request: &Request) -> Result<Built> {
        let (inside, (width, height)) = (request.inside, request.size);
        let mut filters = filters::program(&request.program)?;
        if request.scale != 1.0 {
            filters = filters
                .iter()
                .map(|filter| filters::create(&scaled(&filter.call(), request.scale)))
                .collect::<Result<_>>()?;
        }
        // In an expression `N` is the frame's number.
        let counts = |value: &str| value.split_whitespace().any(|word| word == "N");
        let depends = |arg: &Arg| arg.key.as_deref().is_some_and(|key| OF_TIME.contains(&key)) || counts(&arg.value);
        let is_of_time = filters.iter().flat_map(|filter| filter.call().args).any(|arg| depends(&arg));
        let stream = inside.stream(width, height)?;
        let plan = plan(filters, &stream, Target { format: Some(stream.format), ..Target::default() })?;
        fits_the_host(&plan)?;
        let pool = || PicturePool::new(0, stream.format, width, height);
        let (before, after) = (pool()?, pool()?);
        let carries = float::carries(&plan);
        let workers = match &request.device {
            Some(HostDevice(device)) => Arc::new(Workers::on(Arc::clone(device), 0)),
            None => workers()?,
        };
        Ok(Built { engine: Engine::of(plan, workers), carries, is_of_time, before, after })
    }
}

/// Refuses what effects cannot express: one picture becomes one of the same size and colours.
fn fits_the_host(plan: &ChainPlan) -> Result<()> {
    let size = |info: &StreamInfo| (info.width, info.height);
    let ((width, height), (made_width, made_height)) = (size(&plan.input), size(&plan.output));
    if (width, height) != (made_width, made_height) {
        return Err(Error::unsupported(format!(
            "the chain makes {made_width}x{made_height} of {width}x{height}, and the host wants the same size: resize with the \
             host's own effect"
        )));
    }
    if !plan.keeps_frames() {
        return Err(Error::unsupported("the chain changes the number of frames, which no effect can"));
    }
    if plan.output.color.matrix != plan.input.color.matrix {
        return Err(Error::unsupported("the chain changes the matrix, and the host holds RGB: leave that filter out"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept is the process's: those that count it take turns.
    static ALONE: Mutex<()> = Mutex::new(());

    fn request(program: &str) -> Request {
        Request { program: program.to_owned(), scale: 1.0, size: (64, 48), inside: Inside::YCbCr, device: None }
    }

    #[test]
    fn every_effect_of_a_tree_is_built_once() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let tree = |n: usize| {
            let of = |size| Request { size, ..request(&format!("gauss(sigma 3, radius {n})")) };
            [of((256, 256)), of((1920, 1080))].map(|request| built(&request).unwrap())
        };
        let first: Vec<_> = (1..=12).map(tree).collect();
        let same = |(n, [small, large]): (usize, &[Arc<Built>; 2])| {
            let [again, large_again] = tree(n + 1);
            Arc::ptr_eq(small, &again) && Arc::ptr_eq(large, &large_again)
        };
        assert!(first.iter().enumerate().all(same));
    }

    #[test]
    fn the_oldest_goes_and_large_ones_first() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |width, height| built(&Request { size: (width, height), ..request("gauss(sigma 3)") }).unwrap();
        let first = of(64, 48);
        assert!(Arc::ptr_eq(&first, &of(64, 48)));
        (1..=MOST_KEPT).for_each(|i| drop(of(64 + i, 48)));
        assert!(!Arc::ptr_eq(&first, &of(64, 48)), "one of many");
        let large = of(3840, 2160);
        (1..=8).for_each(|i| drop(of(3840, 2160 - i)));
        assert!(!Arc::ptr_eq(&large, &of(3840, 2160)), "one of few large ones");
    }

    #[test]
    fn what_the_host_cannot_do_is_refused() {
        for (program, why) in [
            ("debnad", "did you mean 'deband'"),
            ("crop(w 32)", "makes 32x48 of 64x48"),
            ("select(cycle 2)", "number of frames"),
            ("merge(with other)", "other"),
            ("format(to yuv420p)", ""),
            ("matrix(to smpte170m)", "the matrix"),
        ] {
            let error = built(&request(program)).err().unwrap_or_else(|| panic!("{program} is built"));
            assert!(error.message().contains(why), "{program}: {error}");
        }
    }

    #[test]
    fn what_depends_on_time_is_known() {
        for (program, is_of_time) in [
            ("deband", false),
            ("deband(rand_each_frame on)", true),
            ("gauss > box(frames 10-20)", true),
            ("gauss > depth(8, blue, animate on)", true),
            ("expr('x N +')", true),
            ("expr('x 1 +')", false),
            ("", false),
        ] {
            assert_eq!(built(&request(program)).unwrap().is_of_time, is_of_time, "{program}");
        }
    }

    #[test]
    fn nothing_to_do_is_known() {
        for (program, stages) in [("", 0), ("deband(threshold 0, dither 0)", 0), ("gauss(radius 0)", 0), ("deband", 1)]
        {
            assert_eq!(built(&request(program)).unwrap().engine.plan().stages.len(), stages, "{program}");
        }
    }
}
