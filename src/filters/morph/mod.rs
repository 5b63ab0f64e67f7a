//! `erode`, `dilate`, `open`, `close`, `minmax`: the smallest and the largest sample around a place.

#[cfg(feature = "cuda")]
mod cuda;
mod near;
mod op;
#[cfg(test)]
mod tests;
mod tuning;

use crate::error::Result;
use crate::filters::local::{self, Local};
use crate::filters::planes::PlaneSet;
use crate::filters::requant::BLACK;
use crate::filters::window::{self, Windowed};
use crate::filters::{Alias, Descriptor, Filter, Footprint};
#[cfg(feature = "cuda")]
use crate::filters::{CudaKernel, window::Plan};
use crate::params::{Call, Choice, ParamKind, Params};
use crate::video::StreamInfo;
use op::{Morph, What};

const RADIUS: ParamKind = ParamKind::Int { min: 0, max: 128 };

const THRESHOLD: ParamKind = ParamKind::Float { min: 0.0, max: 255.0 };

/// How a lane stands for nothing: black of luma, grey and RGB, the middle of chroma.
pub(super) fn nought(input: &StreamInfo, component: usize) -> u16 {
    match input.format {
        format if format.is_yc48() || format.is_chroma(component) => 0x8000,
        _ if input.is_full_range() => 0,
        _ => BLACK as u16,
    }
}

/// A limit in code values of 8 bits as one of lanes.
fn limit(threshold: Option<f64>) -> u16 {
    threshold.map_or(u16::MAX, |codes| libm::round(codes * 256.0) as u16)
}

/// Declares a filter, whose parameters are radii, planes and what it has of its own.
macro_rules! filter {
    (
        $(#[doc = $struct_doc:literal])+
        $params:ident, $descriptor:ident, $name:literal also [$($alias:literal),*], $what:expr,
        $summary:literal, $definition:literal,
        own { $( $(#[doc = $doc:literal])+ $own:ident: $ty:ty = $default:expr, $kind:expr, unit $unit:literal; )* }
        limited by |$self:ident| $limit:expr
    ) => {
        crate::params! {
            $(#[doc = $struct_doc])+
            pub struct $params {
                /// How far the window reaches to each side: 1 is 3×3 samples, and 0 changes nothing.
                radius: i64 = 1, RADIUS, unit "samples", aliases ["r"];
                /// How far it reaches to the left and right; `auto` is `radius`.
                radius_w: Option<i64> = None, RADIUS, unit "samples", aliases ["rw"];
                /// How far it reaches up and down; `auto` is `radius`.
                radius_h: Option<i64> = None, RADIUS, unit "samples", aliases ["rh"];
                $( $(#[doc = $doc])+ $own: $ty = $default, $kind, unit $unit, aliases []; )*
                #[doc = crate::filters::planes::planes_doc!()]
                planes: PlaneSet = PlaneSet::Yuv, ParamKind::Choice(<PlaneSet as Choice>::WORDS), unit "", aliases [];
            }
            presets {}
            elsewhere {
                ["coordinates"]: "all samples of the window count here: leave it out";
                ["threshold0", "threshold1", "threshold2", "threshold3"]:
                    "give 'threshold' in code values of 8 bits, and 'planes'";
            }
        }

        #[doc = concat!("What `", $name, "` is.")]
        pub static $descriptor: Descriptor = Descriptor {
            name: $name,
            aliases: &[$(Alias::own($alias)),*],
            summary: $summary,
            definition: concat!($definition, include_str!("definition.md")),
            schema: $params::SCHEMA,
            accepts: |_| true,
            footprint: Footprint::Window("the radii, twice as far for `open` and `close`, on every plane"),
            temporal: "",
            changes: &[],
            neutral: if matches!($what, What::MinMax) { &[] } else { &["radius=0"] },
            cases: &["radius=1", "radius=2:planes=y", "radius=3", "radius=20:radius_h=5", "radius=0:radius_h=100"],
            create: create::<$params>,
        };

        impl Morphology for $params {
            const DESCRIBED: &'static Descriptor = &$descriptor;

            fn what(&self) -> What {
                $what
            }

            fn radii(&self) -> (usize, usize) {
                let or_radius = |own: Option<i64>| own.unwrap_or(self.radius) as usize;
                (or_radius(self.radius_w), or_radius(self.radius_h))
            }

            fn limit(&self) -> u16 {
                let $self = self;
                $limit
            }

            fn morphs(&self) -> PlaneSet {
                self.planes
            }
        }
    };
}

filter! {
    /// The parameters of `erode`.
    ErodeParams, ERODE, "erode" also ["erosion"], What::Erode,
    "Makes bright things smaller: every sample becomes the smallest of those around it",
    "Every sample becomes the smallest of the window around it.",
    own {
        /// The most that a sample changes. `auto` is no limit.
        threshold: Option<f64> = None, THRESHOLD, unit "code values of 8 bits";
    }
    limited by |params| limit(params.threshold)
}

filter! {
    /// The parameters of `dilate`.
    DilateParams, DILATE, "dilate" also ["dilation"], What::Dilate,
    "Makes bright things larger: every sample becomes the largest of those around it",
    "Every sample becomes the largest of the window around it.",
    own {
        /// The most that a sample changes. `auto` is no limit.
        threshold: Option<f64> = None, THRESHOLD, unit "code values of 8 bits";
    }
    limited by |params| limit(params.threshold)
}

filter! {
    /// The parameters of `open`.
    OpenParams, OPEN, "open" also [], What::Open,
    "Takes away bright things that are smaller than the window: erodes, then dilates",
    "Every sample becomes the smallest of the window around it; of these the largest of the window is the result.",
    own {
        /// The most that a sample changes. `auto` is no limit.
        threshold: Option<f64> = None, THRESHOLD, unit "code values of 8 bits";
    }
    limited by |params| limit(params.threshold)
}

filter! {
    /// The parameters of `close`.
    CloseParams, CLOSE, "close" also [], What::Close,
    "Takes away dark things that are smaller than the window: dilates, then erodes",
    "Every sample becomes the largest of the window around it; of these the smallest of the window is the result.",
    own {
        /// The most that a sample changes. `auto` is no limit.
        threshold: Option<f64> = None, THRESHOLD, unit "code values of 8 bits";
    }
    limited by |params| limit(params.threshold)
}

filter! {
    /// The parameters of `minmax`.
    MinMaxParams, MINMAX, "minmax" also [], What::MinMax,
    "Shows how much samples differ around a place: the largest less the smallest",
    "The result is the largest sample of the window less the smallest, above nominal black: of chroma, and of YC48, above the \
     middle. So it serves as a mask: `keep=film,minmax=2:planes=y,keep=busy,…`.",
    own {}
    limited by |_params| u16::MAX
}

/// What the five have in common.
pub(super) trait Morphology: Params {
    fn what(&self) -> What;
    fn radii(&self) -> (usize, usize);
    fn limit(&self) -> u16;
    fn morphs(&self) -> PlaneSet;
    const DESCRIBED: &'static Descriptor;

    /// Small square windows of one step are filters of few samples.
    fn is_near(&self) -> bool {
        let (rw, rh) = self.radii();
        rw == rh && (1..=2).contains(&rw) && !matches!(self.what(), What::Open | What::Close)
    }

    fn changes(&self) -> bool {
        self.what() == What::MinMax || (self.radii() != (0, 0) && self.limit() > 0)
    }
}

fn create<T: Morphology + Local + Windowed>(call: &Call) -> Result<Box<dyn Filter>> {
    if T::from_call(call)?.is_near() { local::create::<T>(call) } else { window::create::<T>(call) }
}

macro_rules! windows {
    ($($params:ident)+) => { $(
        impl Windowed for $params {
            type Op = Morph;
            const DESCRIPTOR: &'static Descriptor = Self::DESCRIBED;

            fn planes(&self) -> PlaneSet {
                self.planes
            }

            fn op(&self, input: &StreamInfo, component: usize) -> Option<Morph> {
                let (what, radii, limit) = (self.what(), self.radii(), self.limit());
                self.changes().then(|| Morph { what, radii, limit, nought: nought(input, component) })
            }

            #[cfg(feature = "cuda")]
            fn cuda_memory(plan: &Plan<Morph>, _: &crate::device::cuda::CudaDevice) -> usize {
                cuda::memory(plan)
            }

            #[cfg(feature = "cuda")]
            fn cuda(plan: Plan<Morph>, device: &crate::device::cuda::CudaDevice) -> Result<Box<dyn CudaKernel>> {
                Ok(Box::new(cuda::Kernel::new(plan, device)?))
            }
        }
    )+ };
}
windows!(ErodeParams DilateParams OpenParams CloseParams MinMaxParams);
