//! What the kernels share: the parameters turned into tables and integers for one stream.

use super::adapt::Adapt;
use super::curves::{
    AmplitudeTable, Curve, Exposures, LightCurve, ONE, RemapCurves, entry, exposures, fade_table, gain_table, round,
    skin_table, smooth,
};
use super::{LocaltoneParams, Method};
use crate::filters::Setup;
use crate::filters::colour::luma_weights;
use crate::simd::divide::quotient;
#[cfg(feature = "cuda")]
use crate::video::Format;
use crate::video::{Model, StreamInfo};

/// Samples of a mean of the wide guided filter, and of the fine one, to each side: kernels are made for these.
const WIDE_MEAN: usize = 4;
const FINE_MEAN: usize = 2;

/// The most levels above the first: the smaller side is at least 16 before it is halved.
pub const MOST_LEVELS: usize = 14;

/// Half the window of a guided filter at most, in means: so far its sums fit 64 bits.
const MOST_REACH: usize = 350;

/// H.273's code point of BT.709, whose luma RGB has where nothing else is stated.
const BT709: u8 = 1;

/// A filter's numbers for one stream.
pub struct Plan {
    /// Of luma.
    pub width: usize,
    pub height: usize,
    /// How many times chroma is halved, across and down.
    pub halved: (u32, u32),
    /// There are Cb and Cr.
    pub has_chroma: bool,
    pub scale: LightScale,
    /// Bits of luma on the 16-bit scale that none of its stored samples has: 0 where there are more codes than steps of light.
    #[cfg(feature = "cuda")]
    pub below_codes: u32,
    pub method: MethodPlan,
    /// In 256ths.
    pub strength: i32,
    /// Contrast and black, at the end, and whether they change anything.
    pub last: Curve,
    pub has_last: bool,
    pub colour: ChromaPlan,
    /// Nothing changes.
    pub copies: bool,
    /// Exposures follow the brightness of frames.
    pub adapt: Option<Adapt>,
}

/// What R, G and B are of luma and chroma.
#[derive(Clone, Copy)]
pub struct Rgb {
    /// In 32768ths.
    pub luma: [i32; 3],
    /// What a difference of B, and of R, from luma is of Cb and Cr, in 16384ths.
    pub chroma: [i32; 2],
    /// What a step of warmth adds to R, G and B, in 16384ths.
    pub warm: [i32; 3],
}

/// What becomes of chroma.
#[derive(Clone)]
pub struct ChromaPlan {
    /// In 4096ths.
    pub follow: i32,
    pub saturation: i32,
    pub vibrance: i32,
    /// Steps of the 16-bit scale, times 4.
    pub warmth: i32,
    /// How much of colour is kept, in 256ths.
    pub kept: i32,
    /// In 256ths.
    pub skin: i32,
    /// By the upper ten bits of Cb and Cr, in 256ths.
    pub skin_cb: Vec<u16>,
    pub skin_cr: Vec<u16>,
}

/// The numbers of the method.
pub enum MethodPlan {
    Scenery(Scenery),
    People(People),
    Mixed(Mixed),
}

/// A local Laplacian filter.
pub struct Scenery {
    pub curve: Curve,
    /// Nine tables, one behind the other.
    pub remap: Vec<i16>,
    pub pyramid: Pyramid,
}

/// A guided filter's base and detail.
pub struct People {
    pub curve: Curve,
    pub wide: GuidedFilter,
    pub fine: GuidedFilter,
    /// Gains of the middle and the fine structures, in 256ths, elsewhere and on skin.
    pub gains: [[i32; 2]; 2],
    /// How much of a gain above 1 an amplitude takes.
    pub fade: AmplitudeTable,
}

/// A fusion of three exposures.
pub struct Mixed {
    pub exposures: Vec<Exposures>,
    pub pyramid: Pyramid,
}

/// Sizes of levels, and what is done to each but the last.
pub struct Pyramid {
    /// The picture's own size, and each half of the one before.
    pub sizes: Vec<(usize, usize)>,
    /// In 256ths.
    pub amounts: Vec<i32>,
    /// How much of its level's amount an amplitude takes.
    pub gain: AmplitudeTable,
}

/// A guided filter on means of samples.
#[derive(Clone, Copy)]
pub struct GuidedFilter {
    /// Each mean is that of `mean`×`mean` samples.
    pub mean: usize,
    /// Half of the window, in means.
    pub reach: usize,
    /// What counts as an edge.
    pub edge: u64,
}

impl Plan {
    /// The numbers of `params` for the stream of `setup`.
    pub fn new(params: &LocaltoneParams, setup: &Setup) -> Plan {
        let info = &setup.input;
        let strength = round(256.0 * params.strength);
        let share = f64::from(strength) / 256.0;
        let last = LightCurve { contrast: params.contrast, black: params.black, ..LightCurve::default() };
        let method = MethodPlan::new(params, info.width, info.height);
        let last = last.table(share);
        Plan {
            adapt: params.smoothing().map(|smoothing| Adapt::new(params.adapt, smoothing, &method, info)),
            width: info.width,
            height: info.height,
            halved: (u32::from(info.format.subsampling_w()), u32::from(info.format.subsampling_h())),
            has_chroma: info.format.model() == Model::Yuv,
            scale: LightScale::new(info),
            #[cfg(feature = "cuda")]
            below_codes: bits_below_codes(setup.src),
            method,
            strength,
            has_last: last.iter().enumerate().any(|(light, to)| usize::from(*to) != light),
            last,
            colour: ChromaPlan {
                follow: round(4096.0 * params.follow),
                saturation: round(4096.0 * (1.0 + share * (params.saturation - 1.0))),
                vibrance: round(4096.0 * share * params.vibrance),
                warmth: round(2400.0 * share * params.warmth),
                kept: if params.mono { 256 - strength } else { 256 },
                skin: round(256.0 * 0.6 * params.skin),
                skin_cb: skin_table(77.0, 127.0, 6.0),
                skin_cr: skin_table(134.0, 173.0, 5.0),
            },
            copies: params.is_neutral(),
        }
    }

    /// The luma of a 16-bit sample on the working scale.
    #[inline(always)]
    pub fn light(&self, v16: u16) -> i32 {
        self.scale.light(v16)
    }
}

/// From luma of 16 bits to the working scale.
#[derive(Clone, Copy)]
pub struct LightScale {
    /// Black, and what lies between it and white.
    pub black: i32,
    pub span: i32,
    /// In 65536ths.
    pub factor: i32,
    pub rgb: Option<Rgb>,
}

impl LightScale {
    /// Of the samples of `info`.
    pub fn new(info: &StreamInfo) -> LightScale {
        let (black, white) = luma_ends(info);
        let span = white - black;
        let rgb = (info.format.model() == Model::Rgb).then(|| Rgb::new(info.color.matrix, span));
        LightScale { black, span, factor: round(f64::from(1 << 30) / f64::from(span)), rgb }
    }

    /// The luma of a 16-bit sample on the working scale.
    #[inline(always)]
    pub fn light(&self, v16: u16) -> i32 {
        (((i32::from(v16) - self.black) * self.factor + (1 << 15)) >> 16).clamp(0, ONE - 1)
    }

    /// How many components have a part in it.
    pub fn components(&self) -> usize {
        if self.rgb.is_some() { 3 } else { 1 }
    }

    /// The light of sample `x` of a row of each of these components.
    #[inline(always)]
    pub fn light_at(&self, rows: &[Vec<u16>], x: usize) -> i32 {
        match &self.rgb {
            Some(rgb) => self.light(rgb.luma_of([rows[0][x], rows[1][x], rows[2][x]])),
            None => self.light(rows[0][x]),
        }
    }
}

/// Of pictures that are stored as `src`, which between filters have all 16 bits whatever the stream's depth.
#[cfg(feature = "cuda")]
fn bits_below_codes(src: Format) -> u32 {
    match src.component_layout(0).2.shift {
        shift if src.model() != Model::Rgb && shift >= 2 => shift.into(),
        _ => 0,
    }
}

/// Black and white of luma on the 16-bit scale.
fn luma_ends(info: &StreamInfo) -> (i32, i32) {
    match info.is_full_range() {
        true => (0, 65_536 - (1 << (16 - info.format.bit_depth()))),
        false => (4096, 60_160),
    }
}

impl Rgb {
    fn new(matrix: u8, span: i32) -> Rgb {
        let (red, blue) = luma_weights(matrix).or(luma_weights(BT709)).unwrap_or((0.2126, 0.0722));
        let green = 1.0 - red - blue;
        let of_luma = [red, blue].map(|weight| round(32_768.0 * weight));
        let chroma = [blue, red].map(|weight| 57_344.0 / f64::from(span) / (2.0 * (1.0 - weight)));
        let (per_cb, per_cr) = (1.0 / chroma[0], 1.0 / chroma[1]);
        // One step more of Cr and one less of Cb.
        let warm = [per_cr, (blue * per_cb - red * per_cr) / green, -per_cb];
        Rgb {
            luma: [of_luma[0], 32_768 - of_luma[0] - of_luma[1], of_luma[1]],
            chroma: chroma.map(|weight| round(16_384.0 * weight)),
            warm: warm.map(|weight| round(16_384.0 * weight)),
        }
    }
}

impl MethodPlan {
    fn new(params: &LocaltoneParams, width: usize, height: usize) -> MethodPlan {
        let LocaltoneParams { exposure, shadows, highlights, clarity, detail, edge, noise, .. } = *params;
        let curve = || LightCurve { exposure, shadows, highlights, ..LightCurve::default() }.table(1.0);
        let radius = |usual: f64| height as f64 * params.radius.unwrap_or(usual) / 100.0;
        let full = full_depth(width, height);
        match params.method {
            Method::Scenery => {
                let depth = full.min(round(libm::log2(radius(8.0))).max(2) as usize);
                let amount = |band: DetailShares| (detail - clarity) * band.fine / (1.0 + clarity).max(0.25);
                MethodPlan::Scenery(Scenery {
                    curve: curve(),
                    remap: RemapCurves { range: params.range, clarity, edge, noise }.tables(),
                    pyramid: Pyramid::new(width, height, depth, amount, gain_table(edge, noise)),
                })
            }
            Method::People => {
                let radius = radius(4.0);
                let skin = [1.0 - 0.5 * params.skin, 1.0 - 0.35 * params.skin];
                let gains = [[1.0 + clarity, 1.0 + detail], skin].map(|two| two.map(|gain| round(256.0 * gain)));
                MethodPlan::People(People {
                    curve: curve(),
                    wide: GuidedFilter::new(round(radius).max(2) as usize, 0.10, WIDE_MEAN),
                    fine: GuidedFilter::new(round(height as f64 / 600.0).max(1) as usize, 0.05, FINE_MEAN),
                    gains,
                    fade: fade_table(noise),
                })
            }
            Method::Mixed => {
                let amount = |band: DetailShares| detail * band.fine + clarity * band.middle;
                MethodPlan::Mixed(Mixed {
                    exposures: exposures([exposure - 3.0 * highlights, exposure, exposure + 5.0 * shadows]),
                    pyramid: Pyramid::new(width, height, full, amount, gain_table(edge, noise)),
                })
            }
        }
    }
}

/// How often a picture is halved while its smaller side has 16 samples: at least once.
fn full_depth(width: usize, height: usize) -> usize {
    let mut smaller = width.min(height);
    let mut depth = 0;
    while smaller >= 16 {
        smaller = smaller.div_ceil(2);
        depth += 1;
    }
    depth.max(1)
}

/// How much a level is of fine and of middle structures.
struct DetailShares {
    fine: f64,
    middle: f64,
}

impl DetailShares {
    /// Of level `level` of a picture of `height` rows: a look does not change with resolution.
    fn new(level: usize, height: usize) -> DetailShares {
        let octave = libm::log2(f64::from(1u32 << level) * 1080.0 / height as f64);
        let fine = 1.0 - smooth(0.5, 2.0, octave);
        DetailShares { fine, middle: (1.0 - fine) * (1.0 - smooth(4.5, 6.5, octave)) }
    }
}

impl Pyramid {
    fn new(
        width: usize,
        height: usize,
        depth: usize,
        amount: impl Fn(DetailShares) -> f64,
        gain: AmplitudeTable,
    ) -> Pyramid {
        assert!(depth <= MOST_LEVELS, "a picture of {width}x{height}");
        let half = |(width, height): (usize, usize)| (width.div_ceil(2), height.div_ceil(2));
        Pyramid {
            sizes: std::iter::successors(Some((width, height)), |size| Some(half(*size))).take(depth + 1).collect(),
            amounts: (0..depth).map(|level| round(256.0 * amount(DetailShares::new(level, height)))).collect(),
            gain,
        }
    }

    /// Levels above the first.
    pub fn depth(&self) -> usize {
        self.amounts.len()
    }

    /// Coefficient `c` of `level`, stronger or weaker by the level's amount.
    #[inline(always)]
    pub fn amplify(&self, level: usize, c: i32) -> i32 {
        self.amplified(level, c, self.share(c).into())
    }

    /// How much of its level's amount coefficient `c` takes, in 256ths.
    #[inline(always)]
    pub fn share(&self, c: i32) -> u16 {
        entry(&self.gain, c.unsigned_abs() as usize)
    }

    /// What coefficient `c` of `level` becomes by its share.
    #[inline(always)]
    pub fn amplified(&self, level: usize, c: i32, share: i32) -> i32 {
        c + ((((c * self.amounts[level] + 128) >> 8) * share + 128) >> 8)
    }
}

impl GuidedFilter {
    fn new(radius: usize, edge: f64, mean: usize) -> GuidedFilter {
        let reach = (round(radius as f64 / mean as f64).max(1) as usize).min(MOST_REACH);
        let count = (2 * reach + 1) * (2 * reach + 1);
        let count = count as f64;
        GuidedFilter { mean, reach, edge: (edge * edge * f64::from(1 << 28) * count * count).floor() as u64 }
    }

    /// Means in a window.
    pub fn count(&self) -> usize {
        (2 * self.reach + 1) * (2 * self.reach + 1)
    }

    /// The size of a picture's means.
    pub fn size(&self, width: usize, height: usize) -> (usize, usize) {
        (width.div_ceil(self.mean), height.div_ceil(self.mean))
    }

    /// From the sum and the sum of squares of a window: how much of the guide the base follows, in 16384ths, and what is added,
    /// in sixteenths.
    #[inline(always)]
    // `clamp` would let through what is no number, and casts that saturate are no vectors.
    #[allow(clippy::manual_clamp)]
    pub fn line(&self, sum: u64, squares: u64) -> (i32, i32) {
        let n = self.count() as u64;
        // The difference is right though its two terms may pass 64 bits.
        let variance = n.wrapping_mul(squares).wrapping_sub(sum.wrapping_mul(sum));
        // No number, of a window without edge or variance, becomes 0.
        let slope = (variance as f32 / (variance + self.edge) as f32).max(0.0).min(1.0);
        // SAFETY: 0 to 16384.5.
        let slope = unsafe { (slope * 16_384.0 + 0.5).to_int_unchecked::<i32>() };
        // Below 2^53 a quotient of floats is on the right side of every whole number.
        let offset = ((16_384 - slope) as u64 * sum + 512 * n) as f64 / (1024 * n) as f64;
        // SAFETY: at most 16 times a mean, and one.
        (slope, unsafe { offset.to_int_unchecked::<i32>() })
    }
}

impl People {
    /// How much of a gain above 1 amplitude `c` takes, in 256ths.
    #[inline(always)]
    pub fn share(&self, c: i32) -> u16 {
        entry(&self.fade, c.unsigned_abs() as usize)
    }

    /// What middle and fine structures become together, by their shares, where skin is `mask` 256ths.
    #[inline(always)]
    pub fn detail(&self, [middle, fine]: [i32; 2], shares: [i32; 2], mask: i32) -> i32 {
        let of = |c: i32, share: i32, elsewhere: i32, on_skin: i32| {
            let gain = elsewhere + (((on_skin - elsewhere) * mask + 128) >> 8);
            let above = (gain - 256).max(0) * share;
            c * (gain.min(256) + ((above + 128) >> 8))
        };
        let [elsewhere, skin] = self.gains;
        (of(middle, shares[0], elsewhere[0], skin[0]) + of(fine, shares[1], elsewhere[1], skin[1]) + 128) >> 8
    }

    /// The local result where the wide base `wide` became `base`, and what the detail beside it becomes is `detail`.
    #[inline(always)]
    pub fn local(wide: i32, base: i32, detail: i32) -> i32 {
        base + ((detail * People::slope(base, wide) + 128) >> 8)
    }

    /// How steep structures become where the wide base becomes `base`, in 256ths.
    #[inline(always)]
    pub fn slope(base: i32, wide: i32) -> i32 {
        let slope = quotient((base + 512) * 256, wide + 512).clamp(128, 512);
        256 + (((slope - 256) * 160) >> 8)
    }

    /// The local result, and the pointwise one beside which it is bounded.
    #[inline(always)]
    pub fn result(&self, light: i32, wide: i32, fine: i32, mask: i32) -> (i32, i32) {
        let structures = [fine - wide, light - fine];
        let detail = self.detail(structures, structures.map(|c| self.share(c).into()), mask);
        let base = i32::from(self.curve[wide as usize]);
        (People::local(wide, base, detail), i32::from(self.curve[light as usize]))
    }
}

impl Plan {
    /// What `light` becomes where the local method made `local` of it, and the pointwise one `base`.
    #[inline(always)]
    pub fn bounded(&self, light: i32, local: i32, base: i32) -> i32 {
        i32::from(self.last[self.mixed(light, local, base) as usize])
    }

    /// That, before contrast and black.
    #[inline(always)]
    pub fn mixed(&self, light: i32, local: i32, base: i32) -> i32 {
        let delta = local - base;
        let head = if delta > 0 { (16_383 - base).min(3 * base) } else { base };
        let size = delta.abs();
        let beyond = (head - quotient(head * head, (4 * size).max(1))).max(0);
        let kept = if 2 * size <= head { size } else { beyond };
        let made = base + if delta > 0 { kept } else { -kept };
        let mixed = light + (((made - light) * self.strength + 128) >> 8);
        mixed.clamp(0, 16_383)
    }

    /// Does contrast and black to what [`Plan::mixed`] made.
    #[inline(always)]
    pub fn end(&self, made: &mut [u16]) {
        if self.has_last {
            made.iter_mut().for_each(|v| *v = entry(&self.last, usize::from(*v)));
        }
    }

    /// The 16-bit luma of a sample whose light became `made`.
    #[inline(always)]
    pub fn luma(&self, v16: u16, light: i32, made: i32) -> u16 {
        (i32::from(v16) + (((made - light) * self.scale.span + (1 << 13)) >> 14)).clamp(0, 65_535) as u16
    }
}

/// What becomes of a colour: a factor, and what warmth adds.
#[derive(Clone, Copy)]
pub struct Recolour {
    /// In 4096ths.
    pub factor: i32,
    pub warm: i32,
}

impl ChromaPlan {
    /// How much a colour is one of skin, in 256ths. Cb and Cr lie about 0.
    #[inline(always)]
    pub fn skin_of(&self, cb: i32, cr: i32) -> i32 {
        let at = |c: i32| ((32_768 + c) >> 6).clamp(0, 1023) as usize;
        (i32::from(self.skin_cb[at(cb)]) * i32::from(self.skin_cr[at(cr)]) + 128) >> 8
    }

    /// What becomes of a colour (`cb`, `cr`) where `light` became `made`.
    #[inline(always)]
    pub fn change(&self, light: i32, made: i32, cb: i32, cr: i32) -> Recolour {
        self.change_of(self.skin_of(cb, cr), light, made, cb, cr)
    }

    /// That of a colour that is `mask` 256ths of one of skin.
    #[inline(always)]
    pub fn change_of(&self, mask: i32, light: i32, made: i32, cb: i32, cr: i32) -> Recolour {
        let follow = quotient((made + 160) * 4096, light + 160);
        let follow = (4096 + (((follow - 4096) * self.follow) >> 12)).clamp(1024, 12_288);
        let size = cb.abs().max(cr.abs());
        let dull = (28_672 - 2 * size).clamp(0, 28_672);
        let saturation = self.saturation + (self.vibrance * dull).div_euclid(28_672);
        let spared = (mask * self.skin) >> 8;
        let saturation = saturation - (((saturation - 4096) * spared) >> 8);
        let factor = (follow * saturation + 2048) >> 12;
        let grown = (size * factor + 2048) >> 12;
        let over = (grown - KNEE).max(0);
        let held = quotient((KNEE + quotient(over * ABOVE, over + ABOVE)) * 4096, size.max(1));
        let factor = if grown > KNEE { held } else { factor };
        let bright = (made * (ONE - made)) >> 12;
        Recolour { factor: (factor * self.kept + 128) >> 8, warm: (bright * self.warmth) >> 14 }
    }
}

/// From here on chroma grows less, and never by more than as much again.
const KNEE: i32 = 21_504;
const ABOVE: i32 = 7168;

impl Recolour {
    /// `chroma` about 0, with the factor.
    #[inline(always)]
    pub fn scaled(self, chroma: i32) -> i32 {
        (chroma * self.factor + 2048) >> 12
    }

    /// Stored Cb and Cr.
    #[inline(always)]
    pub fn chroma(self, cb: i32, cr: i32) -> (u16, u16) {
        let stored = |c: i32| (32_768 + c).clamp(0, 65_535) as u16;
        (stored(self.scaled(cb) - self.warm), stored(self.scaled(cr) + self.warm))
    }
}

impl Rgb {
    /// The luma of a colour on the 16-bit scale.
    #[inline(always)]
    pub fn luma_of(&self, [r, g, b]: [u16; 3]) -> u16 {
        let [kr, kg, kb] = self.luma;
        // Weights sum to 32768.
        ((kr * i32::from(r) + kg * i32::from(g) + kb * i32::from(b) + (1 << 14)) >> 15) as u16
    }

    /// Cb and Cr about 0 of a colour whose luma is `y`.
    #[inline(always)]
    pub fn chroma_of(&self, [r, _, b]: [u16; 3], y: u16) -> (i32, i32) {
        let of = |c: u16, weight: i32| ((i32::from(c) - i32::from(y)) * weight + (1 << 13)) >> 14;
        (of(b, self.chroma[0]), of(r, self.chroma[1]))
    }

    /// A component whose colour's luma was `before` and is `after`.
    #[inline(always)]
    pub fn component(&self, index: usize, v16: u16, before: u16, after: u16, to: Recolour) -> u16 {
        let warm = (to.warm * self.warm[index] + (1 << 13)) >> 14;
        let made = i32::from(after) + to.scaled(i32::from(v16) - i32::from(before)) + warm;
        made.clamp(0, 65_535) as u16
    }
}
