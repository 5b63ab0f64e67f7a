//! Windows of 3×3 and 5×5, on the tier of filters of few samples.

use super::op::What;
use super::{CloseParams, DilateParams, ErodeParams, MinMaxParams, Morphology, OpenParams, nought};
use crate::filters::Descriptor;
use crate::filters::device_struct::{device_struct, generated};
use crate::filters::local::{Around, Lanes, Local, Near};
use crate::filters::planes::PlaneSet;
use crate::video::StreamInfo;

device_struct! {
    /// Constants of the function.
    #[derive(Default)]
    pub struct Consts = "MorphConsts" {
        radius: i32,
        /// 0: the smallest, 1: the largest, 2: their difference.
        what: u32,
        /// The most that a sample changes.
        limit: u32,
        /// What stands for a difference of nothing.
        nought: u32,
    }
}

generated! {
    "morph_near.cuh" after ["../common/plane.cuh"]: Consts;
}

impl Consts {
    /// The result of the extremes around a sample.
    #[inline(always)]
    fn result(&self, own: u16, low: u16, high: u16) -> u16 {
        let limit = self.limit as u16;
        match self.what {
            0 => low.max(own.saturating_sub(limit)),
            1 => high.min(own.saturating_add(limit)),
            _ => (self.nought as u16).saturating_add(high - low),
        }
    }
}

/// The smallest or the largest of the samples around a place.
#[inline(always)]
fn extreme<V: Lanes, const R: isize, const SMALLEST: bool>(near: &impl Near<V>) -> V {
    let mut end = near.at(0, 0, 0);
    for dy in -R..=R {
        for dx in -R..=R {
            let value = near.at(0, dx, dy);
            end = if SMALLEST { end.min(value) } else { end.max(value) };
        }
    }
    end
}

/// The same, as far as constants say.
#[inline(always)]
fn extreme_of<V: Lanes, const SMALLEST: bool>(consts: &Consts, near: &impl Near<V>) -> V {
    match consts.radius {
        1 => extreme::<V, 1, SMALLEST>(near),
        _ => extreme::<V, 2, SMALLEST>(near),
    }
}

macro_rules! locals {
    ($($params:ident)+) => { $(
        impl Local for $params {
            type Consts = Consts;
            const MODULE: &'static str = "morph_near";
            const PAIRS: Option<&'static str> = Some("morph_near_pairs");
            const ORDERS: bool = true;
            const DESCRIPTOR: &'static Descriptor = Self::DESCRIBED;

            fn kernel(&self) -> String {
                format!("{}_{}", Self::DESCRIBED.name, self.radii().0)
            }

            fn only_orders(&self) -> bool {
                self.what() != What::MinMax && self.limit() == u16::MAX
            }

            fn planes(&self) -> PlaneSet {
                self.morphs()
            }

            fn radius(&self) -> usize {
                self.radii().0
            }

            fn consts(&self, inputs: &[StreamInfo], component: usize) -> Option<Consts> {
                self.changes().then(|| Consts {
                    radius: self.radii().0 as i32,
                    what: match self.what() {
                        What::Erode | What::Open => 0,
                        What::Dilate | What::Close => 1,
                        What::MinMax => 2,
                    },
                    limit: self.limit().into(),
                    nought: nought(&inputs[0], component).into(),
                })
            }

            fn sample(consts: &Consts, near: &impl Near<u16>) -> u16 {
                let reach = -(consts.radius as isize)..=consts.radius as isize;
                let row = |dy| reach.clone().map(move |dx| near.at(0, dx, dy));
                let window: Vec<u16> = reach.clone().flat_map(row).collect();
                let end = |end: Option<&u16>| *end.expect("a window has samples");
                consts.result(near.at(0, 0, 0), end(window.iter().min()), end(window.iter().max()))
            }

            #[inline(always)]
            fn lanes<V: Lanes>(consts: &Consts, around: &impl Around<V>) -> V {
                match (consts.what, consts.limit) {
                    (0, 0xffff) => extreme_of::<V, true>(consts, around),
                    (1, 0xffff) => extreme_of::<V, false>(consts, around),
                    _ => {
                        let (low, high) = (extreme_of::<V, true>(consts, around), extreme_of::<V, false>(consts, around));
                        V::join(around.at(0, 0, 0), low, high, |own, low, high| consts.result(own, low, high))
                    }
                }
            }
        }
    )+ };
}
locals!(ErodeParams DilateParams OpenParams CloseParams MinMaxParams);
