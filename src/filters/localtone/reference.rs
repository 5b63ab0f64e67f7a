//! The plain kernel: the definition, on whole planes of 32-bit values.

use super::curves::ONE;
use super::plan::{GuidedFilter, MethodPlan, Mixed, People, Plan, Pyramid, Recolour, Rgb, Scenery};
use crate::filters::remap::{Map, apply_plainly};
use crate::filters::{CpuJob, CpuKernel};
use crate::video::{Planes, PlanesMut};

/// The scalar kernel.
pub(super) struct Reference {
    plan: Plan,
}

impl Reference {
    pub(super) fn new(plan: Plan) -> Reference {
        Reference { plan }
    }
}

/// A plane of values. Beyond its borders the nearest is read.
#[derive(Clone)]
pub(super) struct Plane {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: Vec<i32>,
}

impl Plane {
    pub(super) fn new((width, height): (usize, usize), value: impl Fn(usize, usize) -> i32) -> Plane {
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect();
        Plane { width, height, values }
    }

    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    pub(super) fn at(&self, x: isize, y: isize) -> i32 {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.values[y * self.width + x]
    }

    fn get(&self, x: usize, y: usize) -> i32 {
        self.values[y * self.width + x]
    }

    fn map(&self, value: impl Fn(i32) -> i32) -> Plane {
        Plane { values: self.values.iter().map(|v| value(*v)).collect(), ..*self }
    }

    /// Half the size.
    fn down(&self) -> Plane {
        const WEIGHTS: [i32; 5] = [1, 4, 6, 4, 1];
        Plane::new((self.width.div_ceil(2), self.height.div_ceil(2)), |x, y| {
            let tap = |i: usize, j: usize| {
                let place = (2 * x as isize + i as isize - 2, 2 * y as isize + j as isize - 2);
                WEIGHTS[i] * WEIGHTS[j] * self.at(place.0, place.1)
            };
            let sum: i32 = (0..5).flat_map(|j| (0..5).map(move |i| (i, j))).map(|(i, j)| tap(i, j)).sum();
            (sum + 128) >> 8
        })
    }

    /// The size of which this is half.
    fn up(&self, size: (usize, usize)) -> Plane {
        // Of an axis: what is read about the half of a place, and with which weights.
        let taps = |at: usize| match at % 2 {
            0 => [(-1, 1), (0, 6), (1, 1)],
            _ => [(0, 4), (1, 4), (0, 0)],
        };
        Plane::new(size, |x, y| {
            let row = |dy: isize| -> i32 {
                let place = (x / 2) as isize;
                taps(x).iter().map(|(dx, w)| w * self.at(place + dx, (y / 2) as isize + dy)).sum()
            };
            let sum: i32 = taps(y).iter().map(|(dy, w)| w * row(*dy)).sum();
            (sum + 32) >> 6
        })
    }

    /// This, and each half of it down to the last of `pyramid`.
    fn pyramid(&self, pyramid: &Pyramid) -> Vec<Plane> {
        std::iter::successors(Some(self.clone()), |plane| Some(plane.down())).take(pyramid.sizes.len()).collect()
    }

    /// Rounded means of squares of `side` samples, as far as there are samples.
    fn means(&self, across: usize, down: usize) -> Plane {
        Plane::new((self.width.div_ceil(across), self.height.div_ceil(down)), |x, y| {
            let columns = x * across..((x + 1) * across).min(self.width);
            let rows = y * down..((y + 1) * down).min(self.height);
            let count = (columns.len() * rows.len()) as i32;
            let sum: i32 = rows.flat_map(|y| columns.clone().map(move |x| (x, y))).map(|(x, y)| self.get(x, y)).sum();
            (sum + count / 2) / count
        })
    }

    /// The sum of `value` over the window that reaches `reach` to all sides.
    fn sums(&self, reach: usize, value: impl Fn(i32) -> u64) -> Vec<u64> {
        let reach = reach as isize;
        let places = (0..self.height as isize).flat_map(|y| (0..self.width as isize).map(move |x| (x, y)));
        let sum = |(x, y): (isize, isize)| -> u64 {
            let window = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
            window.map(|(dx, dy)| value(self.at(x + dx, y + dy))).sum()
        };
        places.map(sum).collect()
    }

    /// Rounded means over windows.
    fn blurred(&self, reach: usize) -> Plane {
        let count = ((2 * reach + 1) * (2 * reach + 1)) as u64;
        let mean = |sum: u64| ((sum + count / 2) / count) as i32;
        Plane { values: self.sums(reach, |v| v as u64).into_iter().map(mean).collect(), ..*self }
    }

    /// `by` times as large, along straight lines between middles.
    fn enlarged(&self, by: usize, size: (usize, usize)) -> Plane {
        let by = by as isize;
        let at = |place: usize| (2 * place as isize + 1 - by).div_euclid(2 * by);
        let weight = |place: usize| (2 * place as isize + 1 - by).rem_euclid(2 * by) as i32;
        let all = 2 * by as i32;
        Plane::new(size, |x, y| {
            let row = |y: isize| (all - weight(x)) * self.at(at(x), y) + weight(x) * self.at(at(x) + 1, y);
            let sum = (all - weight(y)) * row(at(y)) + weight(y) * row(at(y) + 1);
            (sum + all * all / 2) / (all * all)
        })
    }
}

/// What each level's `coefficient` and what lies above add up to, from the last level on.
fn collapse(last: Plane, pyramid: &Pyramid, coefficient: impl Fn(usize, usize) -> i32) -> Plane {
    (0..pyramid.depth()).rev().fold(last, |above, level| {
        let up = above.up(pyramid.sizes[level]);
        let made = |(i, up): (usize, &i32)| (coefficient(level, i) + up).clamp(-32_768, 32_767);
        Plane { values: up.values.iter().enumerate().map(made).collect(), ..up }
    })
}

/// Each level less the enlarged next one.
fn laplacian(levels: &[Plane]) -> Vec<Plane> {
    let pairs = levels.windows(2);
    let level = |two: &[Plane]| {
        let up = two[1].up(two[0].size());
        Plane { values: two[0].values.iter().zip(&up.values).map(|(a, b)| a - b).collect(), ..up }
    };
    pairs.map(level).collect()
}

impl Scenery {
    /// The local result and the pointwise one.
    fn plain(&self, light: &Plane) -> (Plane, Plane) {
        let base = light.map(|v| self.curve[v as usize].into());
        let guides = base.pyramid(&self.pyramid);
        let remapped: Vec<Vec<Plane>> = (0..9)
            .map(|j| {
                let remapped = base.map(|v| self.remap[j * ONE as usize + v as usize].into());
                laplacian(&remapped.pyramid(&self.pyramid))
            })
            .collect();
        let coefficient = |level: usize, i: usize| {
            let guide = guides[level].values[i];
            let (j, part) = ((guide >> 11) as usize, guide & 2047);
            let of = |j: usize| remapped[j][level].values[i];
            let between = (of(j) * (2048 - part) + of(j + 1) * part + 1024) >> 11;
            self.pyramid.amplify(level, between.clamp(-32_767, 32_767))
        };
        let last = guides[self.pyramid.depth()].clone();
        (collapse(last, &self.pyramid, coefficient), base)
    }
}

impl Mixed {
    fn plain(&self, light: &Plane) -> (Plane, Plane) {
        let of = |part: fn(&super::curves::Exposures) -> i16| light.map(|v| part(&self.exposures[v as usize]).into());
        let weights = [of(|e| e.weights[0]), of(|e| e.weights[1])].map(|plane| plane.pyramid(&self.pyramid));
        let values = [of(|e| e.values[0]), of(|e| e.values[1]), of(|e| e.values[2])];
        let values = values.map(|plane| plane.pyramid(&self.pyramid));
        let fine = [0, 1, 2].map(|k| laplacian(&values[k]));
        let fused = |level: usize, i: usize, three: [i32; 3]| {
            let [dark, bright] = [0, 1].map(|k| weights[k][level].values[i]);
            (dark * three[0] + (ONE - dark - bright) * three[1] + bright * three[2] + 8192) >> 14
        };
        let top = self.pyramid.depth();
        let last = |i: usize| fused(top, i, [0, 1, 2].map(|k| values[k][top].values[i]));
        let size = values[0][top].size();
        let last = Plane::new(size, |x, y| last(y * size.0 + x));
        let coefficient = |level: usize, i: usize| {
            self.pyramid.amplify(level, fused(level, i, [0, 1, 2].map(|k| fine[k][level].values[i])))
        };
        (collapse(last, &self.pyramid, coefficient), of(|e| e.base))
    }
}

impl GuidedFilter {
    fn plain(&self, light: &Plane) -> Plane {
        let means = light.means(self.mean, self.mean);
        let sums = means.sums(self.reach, |v| v as u64);
        let squares = means.sums(self.reach, |v| (v as u64) * (v as u64));
        let lines: Vec<_> = sums.into_iter().zip(squares).map(|(sum, squares)| self.line(sum, squares)).collect();
        let part = |part: fn(&(i32, i32)) -> i32| {
            let plane = Plane { values: lines.iter().map(part).collect(), ..means };
            plane.blurred(self.reach).enlarged(self.mean, light.size())
        };
        let (slope, offset) = (part(|line| line.0), part(|line| line.1));
        let base = |i: usize| (slope.values[i] * light.values[i] + (offset.values[i] << 10) + (1 << 13)) >> 14;
        Plane { values: (0..light.values.len()).map(base).collect(), ..*light }
    }
}

impl People {
    fn plain(&self, light: &Plane, skin: &Plane) -> (Plane, Plane) {
        let (wide, fine) = (self.wide.plain(light), self.fine.plain(light));
        let both = |i: usize| self.result(light.values[i], wide.values[i], fine.values[i], skin.values[i]);
        let (local, base) = (0..light.values.len()).map(both).unzip();
        (Plane { values: local, ..*light }, Plane { values: base, ..*light })
    }
}

/// What the methods and colours read of a picture.
struct SourcePicture<'a> {
    plan: &'a Plan,
    src: &'a Planes<'a>,
}

impl SourcePicture<'_> {
    fn size(&self) -> (usize, usize) {
        (self.plan.width, self.plan.height)
    }

    fn colour(&self, x: usize, y: usize) -> [u16; 3] {
        [0, 1, 2].map(|component| self.src[component].v16(x, y))
    }

    /// Luma on the 16-bit scale.
    fn luma(&self, x: usize, y: usize) -> u16 {
        match &self.plan.scale.rgb {
            Some(rgb) => rgb.luma_of(self.colour(x, y)),
            None => self.src[0].v16(x, y),
        }
    }

    /// Cb and Cr about 0.
    fn chroma(&self, x: usize, y: usize) -> (i32, i32) {
        match &self.plan.scale.rgb {
            Some(rgb) => rgb.chroma_of(self.colour(x, y), self.luma(x, y)),
            None => {
                let of = |component: usize| i32::from(self.src[component].v16(x, y)) - 32_768;
                (of(1), of(2))
            }
        }
    }

    /// How much every sample of luma is one of skin.
    fn skin(&self) -> Plane {
        if self.src.len() == 1 {
            return Plane::new(self.size(), |_, _| 0);
        }
        let chroma = (self.src[1].width(), self.src[1].height());
        let mask = Plane::new(chroma, |x, y| {
            let (cb, cr) = self.chroma(x, y);
            self.plan.colour.skin_of(cb, cr)
        });
        let (across, down) = (4 >> self.plan.halved.0, 4 >> self.plan.halved.1);
        mask.means(across, down).blurred(2).enlarged(4, self.size())
    }
}

/// What becomes of a picture.
fn filter(plan: &Plan, src: &Planes<'_>, dst: &mut PlanesMut<'_>) {
    let source = SourcePicture { plan, src };
    let luma = Plane::new(source.size(), |x, y| source.luma(x, y).into());
    let light = luma.map(|v| plan.light(v as u16));
    let (local, base) = match &plan.method {
        MethodPlan::Scenery(scenery) => scenery.plain(&light),
        MethodPlan::People(people) => people.plain(&light, &source.skin()),
        MethodPlan::Mixed(mixed) => mixed.plain(&light),
    };
    let made = |i: usize| plan.bounded(light.values[i], local.values[i], base.values[i]);
    let made = Plane { values: (0..light.values.len()).map(made).collect(), ..light };
    let luma_of = |x: usize, y: usize| plan.luma(source.luma(x, y), light.get(x, y), made.get(x, y));
    let places = |(width, height): (usize, usize)| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    if let Some(rgb) = &plan.scale.rgb {
        for (x, y) in places(source.size()) {
            let (cb, cr) = source.chroma(x, y);
            let to = plan.colour.change(light.get(x, y), made.get(x, y), cb, cr);
            set_colour(rgb, (source.luma(x, y), luma_of(x, y)), to, source.colour(x, y), dst, (x, y));
        }
        return;
    }
    for (x, y) in places(source.size()) {
        dst.get_mut(0).set_v16(x, y, luma_of(x, y));
    }
    if src.len() == 1 {
        return;
    }
    let (across, down) = (1 << plan.halved.0, 1 << plan.halved.1);
    let (light, made) = (light.means(across, down), made.means(across, down));
    for (x, y) in places(light.size()) {
        let (cb, cr) = source.chroma(x, y);
        let (cb, cr) = plan.colour.change(light.get(x, y), made.get(x, y), cb, cr).chroma(cb, cr);
        dst.get_mut(1).set_v16(x, y, cb);
        dst.get_mut(2).set_v16(x, y, cr);
    }
}

/// Writes the colour that `colour` becomes whose luma goes from the first to the second.
fn set_colour(
    rgb: &Rgb,
    (before, after): (u16, u16),
    to: Recolour,
    colour: [u16; 3],
    dst: &mut PlanesMut<'_>,
    (x, y): (usize, usize),
) {
    for (index, v16) in colour.into_iter().enumerate() {
        dst.get_mut(index).set_v16(x, y, rgb.component(index, v16, before, after, to));
    }
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let (src, mut dst) = (job.src.here(), job.dst);
        self.plan.expose(&job.src);
        match self.plan.copies {
            true => apply_plainly(&[Map::ROWS; 3], src, &mut dst),
            false => filter(&self.plan, src, &mut dst),
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}
