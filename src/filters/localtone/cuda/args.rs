//! Arguments of the kernels of cuda/localtone.cu.

use crate::filters::cuda::PlaneArgs;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::localtone::plan::{MOST_LEVELS, Plan};

device_struct! {
    /// A guided filter. Its planes have the size of its means.
    #[derive(Default)]
    pub struct GuidedArgs = "Guided" {
        pub means: u64 = "u16*",
        /// Slopes and offsets; and their means.
        pub lines: u64 = "u32*",
        pub smooth: u64 = "u32*",
        /// Of rows of windows that are too wide for tiles.
        pub sums: [u64; 2] = "u64*",
        pub edge: u64,
        /// Means in a window, and 2^32 over that.
        pub count: u32,
        pub inverse: u32,
        pub width: u32,
        pub height: u32,
        pub reach: u32,
        /// Samples of a mean, to each side.
        pub mean: u32,
    }
}

device_struct! {
    /// Arguments of the kernels.
    pub struct Args = "Localtone" {
        pub src: [PlaneArgs; 3],
        pub dst: [PlaneArgs; 3],
        /// Levels of all pictures, and those that are collapsed.
        pub pyramid: u64 = "i16*",
        pub results: u64 = "i16*",
        /// Tables.
        pub curve: u64 = "u16*",
        /// None where it changes nothing.
        pub last: u64 = "const u16*",
        pub gain: u64 = "const u16*",
        pub skin_cb: u64 = "const u16*",
        pub skin_cr: u64 = "const u16*",
        /// Of `people`, how steep structures are on a base.
        pub slopes: u64 = "u16*",
        pub entries: u64 = "Entry*",
        /// What these are made of behind an exposure, its gains, and the brightness that they go by.
        pub base_curve: u64 = "const u16*",
        pub base_entries: u64 = "const Entry*",
        pub exposing: u64 = "const u32*",
        pub brightness: u64 = "const u32*",
        pub guided: [GuidedArgs; 2],
        /// Skin in blocks, and its means.
        pub skin: [u64; 2] = "u16*",
        pub skin_width: u32,
        pub skin_height: u32,
        /// Of levels; those above the first begin at an offset in each picture.
        pub widths: [u32; MOST_LEVELS + 1],
        pub heights: [u32; MOST_LEVELS + 1],
        pub offsets: [u32; MOST_LEVELS + 1],
        pub amounts: [i32; MOST_LEVELS],
        /// Samples from a picture to the next.
        pub stride: u32,
        /// Bits of luma below the codes that entries are by; none where they are by light.
        pub drop: u32,
        /// The last level, and the one at hand.
        pub depth: u32,
        pub level: u32,
        pub black: i32,
        pub span: i32,
        pub scale: i32,
        pub strength: i32,
        /// Of R, G and B.
        pub luma: [i32; 3],
        pub warm: [i32; 3],
        pub chroma: [i32; 2],
        /// Of `people`: middle and fine, elsewhere and on skin.
        pub gains: [i32; 4],
        pub follow: i32,
        pub saturation: i32,
        pub vibrance: i32,
        pub warmth: i32,
        pub kept: i32,
        pub spared: i32,
        pub halved_w: u32,
        pub halved_h: u32,
        pub is_rgb: u32,
        /// 1: words of luma lie side by side, so that vectors of them fit; 2: all of 4:2:0 is so, and of even size.
        pub words: u32,
        pub has_chroma: u32,
    }
}

generated! {
    "localtone.cuh" after ["../common/plane.cuh"]: GuidedArgs, Args;
}

impl Args {
    /// Whether planes may be read and written in vectors, as `words` has it.
    pub fn vectors_fit(&self) -> u32 {
        let are_words = |planes: &[PlaneArgs]| {
            let mut words = planes.iter().zip([8, 4, 4]);
            words.all(|(plane, bytes)| plane.is_of_words() && plane.is_planar() && plane.fits_vectors(bytes))
        };
        let is_even = (self.widths[0] | self.heights[0]).is_multiple_of(2);
        let is_quartered = self.has_chroma == 1 && (self.halved_w, self.halved_h) == (1, 1);
        if is_even && is_quartered && are_words(&self.src) && are_words(&self.dst) {
            2
        } else {
            u32::from(self.is_rgb == 0 && are_words(&self.src[..1]))
        }
    }
}

/// Arguments without tables, planes and what the method has.
pub fn bare(plan: &Plan) -> Args {
    let Plan { colour, scale, halved, .. } = plan;
    let rgb = &scale.rgb;
    let mut args = Args {
        src: [PlaneArgs::NONE; 3],
        dst: [PlaneArgs::NONE; 3],
        pyramid: 0,
        results: 0,
        curve: 0,
        last: 0,
        gain: 0,
        skin_cb: 0,
        skin_cr: 0,
        slopes: 0,
        entries: 0,
        base_curve: 0,
        base_entries: 0,
        exposing: 0,
        brightness: 0,
        guided: [GuidedArgs::default(); 2],
        skin: [0; 2],
        skin_width: 0,
        skin_height: 0,
        widths: [0; MOST_LEVELS + 1],
        heights: [0; MOST_LEVELS + 1],
        offsets: [0; MOST_LEVELS + 1],
        amounts: [0; MOST_LEVELS],
        stride: 0,
        drop: 0,
        depth: 0,
        level: 0,
        black: scale.black,
        span: scale.span,
        scale: scale.factor,
        strength: plan.strength,
        luma: rgb.map_or([0; 3], |rgb| rgb.luma),
        warm: rgb.map_or([0; 3], |rgb| rgb.warm),
        chroma: rgb.map_or([0; 2], |rgb| rgb.chroma),
        gains: [0; 4],
        follow: colour.follow,
        saturation: colour.saturation,
        vibrance: colour.vibrance,
        warmth: colour.warmth,
        kept: colour.kept,
        spared: colour.skin,
        halved_w: halved.0,
        halved_h: halved.1,
        words: 0,
        is_rgb: rgb.is_some().into(),
        has_chroma: plan.has_chroma.into(),
    };
    (args.widths[0], args.heights[0]) = (plan.width as u32, plan.height as u32);
    args
}
