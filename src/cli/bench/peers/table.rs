//! Which of ffmpeg's filters does the work of which of ours.

use crate::error::Result;
use crate::filters::{self, Descriptor};
use crate::params::parse_chain;

/// One of ffmpeg's filters, and one of ours for the same work.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Theirs, as ffmpeg's command line has it. It filters all planes of 8-bit 4:2:0.
    pub theirs: &'static str,
    /// Ours: one filter.
    pub ours: &'static str,
    /// Storage that ours reads.
    pub src: &'static str,
    /// Storage that ours writes.
    pub dst: &'static str,
}

/// Every pair. A filter that ffmpeg has no like of is in none.
pub const PAIRS: &[Pair] = &[
    pair("deband", "deband=sample=1"),
    pair("deband", "deband=sample=2"),
    // Results that keep what an 8-bit source gains, and AviUtl's storage, are what ours is for.
    Pair { dst: "yuv420p16", ..pair("deband", "deband=sample=1") },
    Pair { dst: "yuv420p16", ..pair("deband", "deband=sample=2") },
    Pair { src: "yc48", dst: "yc48", ..pair("deband", "deband=sample=1") },
    // Ten bits are what it is for.
    Pair { dst: "yuv420p10", ..pair("deband", "gradient") },
    // One pass each: theirs takes two by default.
    pair("boxblur=lr=1:lp=1:cr=1:cp=1", "box=radius=1"),
    pair("boxblur=lr=3:lp=1:cr=3:cp=1", "box=radius=3"),
    pair("boxblur=lr=7:lp=1:cr=7:cp=1", "box=radius=7"),
    // One step is what theirs takes anyway.
    pair("gblur=sigma=1:steps=1", "gauss=sigma=1"),
    pair("gblur=sigma=3:steps=1", "gauss=sigma=3"),
    // Theirs is set to filter chroma too, and knows no window: any sigma costs it the same. Ours gets the same window for
    // chroma as for luma, of the width of their sigma and of three times that. sigmaR is sigma_r over 255.
    pair(BILATERAL, "bilateral=sigma_s=1:radius=3:sigma_s_c=1:radius_c=3"),
    pair(BILATERAL, "bilateral=sigma_s=3:radius=9:sigma_s_c=3:radius_c=9"),
    // Theirs keeps planes that it has no matrix for.
    pair(CONVOLUTION, "convolve=kernel='1 2 3/4 9 6/7 8 5'"),
    pair("erosion", "erode=radius=1"),
    pair("median=radius=1", "median=radius=1"),
    pair("median=radius=2", "median=radius=2"),
    pair("median=radius=4", "median=radius=4"),
    pair("gblur=sigma=10:steps=1", "gauss=sigma=10"),
    // Theirs is an approximation too, by one recursion forth and one back.
    pair("gblur=sigma=10:steps=1", "rgauss=sigma=10"),
    pair("gblur=sigma=64:steps=1", "rgauss=sigma=64"),
    // By recursion, both: sigmas cost neither anything.
    pair(BILATERAL, "domain=sigma_s=3:sigma_r=4"),
    // Theirs filters both directions of every plane, with other thresholds.
    pair("deblock=filter=weak:block=8", "deblock=qp=30"),
    // Patches of 5×5 in a window of 9×9; theirs compares in integers as well.
    pair("nlmeans=s=1.2:p=5:r=9", "nlmeans=h=1.2:d=0:a=4:s=2"),
    pair("rotate=3*PI/180", "affine=angle=3:kernel=bilinear"),
    // Both interpret an expression.
    pair("geq=lum='1.3*lum(X,Y)-20.25':cb='1.3*cb(X,Y)-20.25':cr='1.3*cr(X,Y)-20.25'", "expr='x 1.3 * 20.25 -'"),
    // zimg, by the same kernels.
    pair("zscale=w=2*iw:h=2*ih:filter=bicubic:param_a=0:param_b=0.5", "scale=factor=2:kernel=bicubic"),
    pair("zscale=w=2*iw:h=2*ih:filter=spline36", "scale=factor=2:kernel=spline36"),
    pair("zscale=w=2*iw:h=2*ih:filter=lanczos", "scale=factor=2:kernel=lanczos"),
    pair("zscale=w=iw/2:h=ih/2:filter=bicubic:param_a=0:param_b=0.5", "scale=factor=0.5:kernel=bicubic"),
    pair("zscale=w=iw/2:h=ih/2:filter=lanczos", "scale=factor=0.5:kernel=lanczos"),
    pair("zscale=w=iw*2/3:h=ih*2/3:filter=spline36", "scale=factor=0.66667:kernel=spline36"),
    Pair {
        dst: "yuv420p16",
        ..pair("zscale=w=2*iw:h=2*ih:filter=lanczos,format=yuv420p16", "scale=factor=2:kernel=lanczos")
    },
    Pair {
        dst: "yuv420p16",
        ..pair("zscale=w=iw/2:h=ih/2:filter=lanczos,format=yuv420p16", "scale=factor=0.5:kernel=lanczos")
    },
    // Theirs is five filters, as everybody writes them; both keep ten bits.
    Pair { dst: "yuv420p10", ..pair(TONEMAP, "tonemap=hable:source=pq:source_peak=1000") },
    Pair { dst: "yuv420p10", ..pair(TONEMAP, "tonemap=source=pq:source_peak=1000") },
];

const CONVOLUTION: &str = "convolution='1 2 3 4 9 6 7 8 5':'1 2 3 4 9 6 7 8 5':'1 2 3 4 9 6 7 8 5'";

const BILATERAL: &str = "bilateral=sigmaS=3:sigmaR=0.0157:planes=7";

const TONEMAP: &str = "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv,\
     zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv,format=yuv420p10le";

/// A pair with 8-bit 4:2:0 in and out on both sides.
const fn pair(theirs: &'static str, ours: &'static str) -> Pair {
    Pair { theirs, ours, src: "yuv420p", dst: "yuv420p" }
}

impl Pair {
    /// Which filter ours is.
    pub fn filter(&self) -> Result<&'static Descriptor> {
        filters::find_or_suggest(&parse_chain(self.ours)?[0].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{Target, plan};
    use crate::video::StreamInfo;

    #[test]
    fn every_pair_is_one_filter_that_does_something() {
        for pair in PAIRS {
            let chain = filters::chain(pair.ours).unwrap();
            assert_eq!(chain.len(), 1, "{pair:?}");
            assert_eq!(chain[0].descriptor().name, pair.filter().unwrap().name);
            let info = StreamInfo::bare(pair.src.parse().unwrap(), 64, 48);
            let target = Target { format: Some(pair.dst.parse().unwrap()), ..Target::default() };
            assert!(!plan(chain, &info, target).unwrap().stages.is_empty(), "{pair:?}");
        }
    }
}
