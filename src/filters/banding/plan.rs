//! The numbers of a stream: thresholds, the window, and how large each scale is.

use super::BandingParams;
use super::light::LightTable;
use crate::video::StreamInfo;

/// Scales, each half as large as the one before it, and what each weighs.
pub const WEIGHTS: [u32; 5] = [16, 8, 4, 2, 1];
pub const SCALES: usize = WEIGHTS.len();

/// What all scales together weigh.
pub const WEIGHT: u32 = 31;

/// The most steps that are looked at.
pub const MOST_STEPS: usize = 32;

/// What a step of 1, 2, … codes of ten bits weighs.
const STEP_WEIGHTS: [u32; MOST_STEPS] =
    [1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9];

/// The most samples to each side of a window: with more, numbers pass 32 bits.
const WIDEST: usize = 63;

/// Samples to each side of one whose neighbours say whether it lies in a flat area.
pub const AROUND: usize = 3;

/// The largest code of ten bits.
pub const TOP: u16 = 1023;

/// The bit beside a code of ten bits that marks a sample of a flat area.
pub const FLAT: u16 = 0x8000;

/// A step that is looked for between two levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub weight: u32,
    /// The lowest and the highest code that sees it.
    pub lowest: u16,
    pub highest: u16,
}

/// What kernels are built from.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Columns and rows of each scale.
    pub sizes: [(usize, usize); SCALES],
    /// Significant bits of the stream, and whether neighbours are averaged first: that takes out dither of fewer than ten.
    pub depth: u32,
    pub smooths: bool,
    /// More flat samples than this around one make its place a flat area.
    pub flat: u32,
    /// Samples to each side of the window, and in it.
    pub radius: usize,
    pub area: u32,
    /// Of 1, 2, … codes.
    pub steps: Vec<Step>,
    /// Contrasts are multiplied by it, to fill 16 bits.
    pub gain: u32,
    /// The share of samples that counts.
    topk: f64,
    /// Whether the picture becomes the map, and the v16 of its black and white.
    pub map: bool,
    pub black: u32,
    pub white: u32,
}

impl Plan {
    pub fn new(params: &BandingParams, input: &StreamInfo) -> Plan {
        let depth = u32::from(input.format.bit_depth());
        let mut sizes = [(input.width, input.height); SCALES];
        for scale in 1..SCALES {
            let (width, height) = sizes[scale - 1];
            sizes[scale] = (width.div_ceil(2), height.div_ceil(2));
        }
        // `window_size` is that of frames of 3840x2160.
        let window = params.window_size as usize * (input.width + input.height) / 375 / 16;
        let radius = (window / 2).min(WIDEST);
        let area = ((2 * radius + 1) * (2 * radius + 1)) as u32;
        let steps = steps(params);
        let heaviest = steps.iter().map(|step| step.weight).max().unwrap_or(1);
        let full = input.is_full_range();
        Plan {
            sizes,
            depth,
            smooths: params.enc_bitdepth.map_or(depth, |bits| bits as u32) < 10,
            flat: flat(input.width, input.height),
            radius,
            area,
            steps,
            gain: 4 * 65535 / (heaviest * area),
            topk: params.topk,
            map: params.map,
            black: if full { 0 } else { 16 << 8 },
            white: if full { 65536 - (1 << (16 - depth)) } else { 235 << 8 },
        }
    }

    /// The code of ten bits of a sample, which is rounded to the stream's depth first.
    #[inline(always)]
    pub fn code(&self, v16: u16) -> u16 {
        let drop = 16 - self.depth;
        let half = if drop > 0 { 1u16 << (drop - 1) } else { 0 };
        let stored = u32::from(v16.saturating_add(half)) >> drop << drop;
        ((stored + 32) >> 6).min(u32::from(TOP)) as u16
    }

    /// Codes above this one neither see a step nor are one's other side.
    pub fn ceiling(&self) -> u16 {
        let highest = self.steps.iter().map(|step| step.highest).max().unwrap_or(0);
        (usize::from(highest) + self.steps.len()).min(usize::from(TOP)) as u16
    }

    /// How many samples of a scale count: those of the highest contrasts.
    pub fn counted(&self, scale: usize) -> u64 {
        let (width, height) = self.sizes[scale];
        let all = width as u64 * height as u64;
        ((self.topk * all as f64) as u64).clamp(1, all.max(1))
    }

    /// The v16 of the map where the contrasts of all scales, weighed, sum up to `sum`.
    #[inline(always)]
    pub fn shade(&self, sum: u32) -> u16 {
        let mean = (sum + WEIGHT / 2) / WEIGHT;
        (self.black + (mean * (self.white - self.black) + 32767) / 65535) as u16
    }
}

/// How many of the 49 samples around one may be flat before its place is a flat area: more on larger frames.
fn flat(width: usize, height: usize) -> u32 {
    let blocks = (width / 64) * (height / 64);
    let log = if blocks <= 1 { 0 } else { blocks.next_power_of_two().ilog2() };
    (49 + 3 * (log as i32 - 11) - 1).max(0) as u32 / 2
}

/// Which codes see a step of 1, 2, … codes.
fn steps(params: &BandingParams) -> Vec<Step> {
    let light = LightTable::new(params.eotf);
    let count = 1 << params.max_log_contrast;
    // The published code counts codes here from as many below as there are steps.
    let dark = i32::from(light.darkest_at(params.vis_lum_threshold)) - count;
    let step = |size: i32| Step {
        weight: STEP_WEIGHTS[size as usize - 1],
        lowest: (dark - size + 1).max(0) as u16,
        highest: light.highest_that_sees(size as u16, params.tvi_threshold),
    };
    (1..=count).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::banding::light::Eotf;
    use crate::video::Format;

    fn params() -> BandingParams {
        BandingParams::default()
    }

    fn plan(width: usize, height: usize) -> Plan {
        Plan::new(&params(), &StreamInfo::bare(Format::yuv(1, 1, 8).unwrap(), width, height))
    }

    #[test]
    fn thresholds_are_the_published_ones() {
        let highest = |eotf| {
            let steps = steps(&BandingParams { eotf, ..params() });
            steps.iter().map(|step| step.highest).collect::<Vec<_>>()
        };
        // libvmaf's own tests have 178 and 305 for steps of one and of two codes.
        assert_eq!(highest(Eotf::Bt1886)[..2], [178, 305]);
        assert!(highest(Eotf::Bt1886).is_sorted());
        assert!(highest(Eotf::Pq)[0] > 178, "PQ spends its codes in the dark");
        // And 78 as the darkest code of 0.06 cd/m². A step of one is seen from 78 - 4 - 1 + 1 on.
        let dim = BandingParams { vis_lum_threshold: 0.06, ..params() };
        assert_eq!(steps(&dim)[0].lowest, 74);
        assert_eq!(steps(&params())[0].lowest, 0);
    }

    #[test]
    fn windows_follow_the_size_of_frames() {
        // 65·(1920 + 1080)/6000 is 32.5: 16 samples to each side. 65·2000/6000 is 21.7.
        assert_eq!((plan(1920, 1080).radius, plan(1920, 1080).area), (16, 33 * 33));
        assert_eq!(plan(1280, 720).radius, 10);
        assert_eq!(plan(3840, 2160).radius, 32);
        assert_eq!(plan(30000, 30000).radius, WIDEST);
        assert_eq!(plan(1, 1).radius, 0);
    }

    #[test]
    fn flat_areas_need_more_on_larger_frames() {
        // (49 + 3·(log₂ of the blocks of 64×64, rounded up, less 11) - 1)/2: 30·16 blocks have 9, 60·33 have 11.
        assert_eq!(plan(1920, 1080).flat, (48 - 6) / 2);
        assert_eq!(plan(3840, 2160).flat, 24);
        assert_eq!(plan(63, 63).flat, (48 - 33) / 2);
    }

    #[test]
    fn contrasts_fill_sixteen_bits_and_no_more() {
        for log in 0..=5 {
            for size in [(1, 1), (320, 240), (1920, 1080), (3840, 2160), (30000, 30000)] {
                let params = BandingParams { max_log_contrast: log, ..params() };
                let plan = Plan::new(&params, &StreamInfo::bare(Format::gray(8).unwrap(), size.0, size.1));
                let heaviest = plan.steps.iter().map(|step| step.weight).max().unwrap();
                // The highest contrast is that of two levels with half of the window each.
                let most = heaviest * plan.area * plan.gain / 4;
                assert!(most <= 65535 && (plan.area < 9 || most > 32_767), "{size:?} {log}: {most}");
                assert!(u64::from(heaviest) * u64::from(plan.area) * u64::from(plan.area) < 1 << 32);
            }
        }
    }

    #[test]
    fn samples_are_rounded_to_the_stream_first() {
        let code = |bits, v16| Plan::new(&params(), &StreamInfo::bare(Format::gray(bits).unwrap(), 64, 64)).code(v16);
        // 100.4 of eight bits is 100, which is 400 of ten.
        assert_eq!((code(8, 100 * 256 + 102), code(8, 100 * 256 + 128), code(8, 65535)), (400, 404, 1020));
        assert_eq!((code(10, 700 << 6), code(12, 2801 << 4), code(12, 2802 << 4)), (700, 700, 701));
        assert_eq!(code(16, 65535), 1023);
    }
}
