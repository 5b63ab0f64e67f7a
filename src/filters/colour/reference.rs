//! The plain kernel: a picture of R'G'B', and from that the components.

use super::recipe::Recipe;
use crate::filters::{CpuJob, CpuKernel};
use crate::video::{PlaneRef, Planes};

/// The kernel.
pub struct Reference(pub Recipe);

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        self.0.follow(&job);
        let CpuJob { src, mut dst, .. } = job;
        let (recipe, src) = (&self.0, src.here());
        let (width, height) = (src[0].width(), src[0].height());
        let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgb: Vec<[u16; 3]> = places().map(|(x, y)| recipe.made(recipe.read(src, x, y))).collect();
        let at = |x: usize, y: usize| rgb[y * width + x];
        if recipe.gives_rgb {
            for (x, y) in places() {
                let codes = at(x, y);
                (0..3).for_each(|c| dst.get_mut(c).set_v16(x, y, recipe.encode.level(codes[c])));
            }
            return;
        }
        places().for_each(|(x, y)| dst.get_mut(0).set_v16(x, y, recipe.encode.y(at(x, y))));
        let [across, down] = recipe.made_at;
        let (chroma_width, chroma_height) = (dst.get(1).width(), dst.get(1).height());
        for (x, y) in (0..chroma_height).flat_map(|y| (0..chroma_width).map(move |x| (x, y))) {
            let near = |centre: usize, k: usize, last: usize| (centre + k).saturating_sub(1).min(last);
            let mut sum = [0u32; 3];
            for (k, weight_y) in down.covers().into_iter().enumerate() {
                for (i, weight_x) in across.covers().into_iter().enumerate() {
                    let from = at(near(x * across.pace(), i, width - 1), near(y * down.pace(), k, height - 1));
                    (0..3).for_each(|c| sum[c] += weight_x * weight_y * u32::from(from[c]));
                }
            }
            let [cb, cr] = recipe.encode.cbcr(sum.map(|sum| ((sum + 8) >> 4) as u16));
            dst.get_mut(1).set_v16(x, y, cb);
            dst.get_mut(2).set_v16(x, y, cr);
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

impl Recipe {
    /// R'G'B' of the source at a place.
    fn read(&self, src: &Planes<'_>, x: usize, y: usize) -> [u16; 3] {
        if self.takes_rgb {
            return self.decode.rgb([0, 1, 2].map(|c| src[c].v16(x, y)));
        }
        let [cb, cr] = [1, 2].map(|c| self.between(&src[c], x, y));
        self.decode.ycbcr(src[0].v16(x, y), cb, cr)
    }

    /// Chroma at a place of luma.
    fn between(&self, plane: &PlaneRef<'_>, x: usize, y: usize) -> u16 {
        let [across, down] = self.read_at;
        let mut sum = 0;
        for (row, weight_y) in down.between(y, plane.height() - 1) {
            for (column, weight_x) in across.between(x, plane.width() - 1) {
                sum += weight_x * weight_y * u32::from(plane.v16(column, row));
            }
        }
        ((sum + 8) >> 4) as u16
    }
}
