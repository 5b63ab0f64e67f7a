//! The pictures between the kernels of a chain on the CPU, and the views that each kernel gets.

use super::route::{Group, Place, Route};
use crate::error::Result;
use crate::pipeline::Plan;
use crate::video::{Picture, PlaneMut, PlaneRef, Planes, PlanesMut};

/// The pictures between kernels, made up front.
pub(super) struct Between {
    route: Route,
    /// For each group of the route.
    pictures: Vec<Vec<Picture>>,
}

impl Between {
    /// The pictures that `plan` needs.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new(plan: &Plan) -> Result<Between> {
        let route = Route::of(plan)?;
        let picture = |group: &Group| Picture::alloc(group.format, group.size.0, group.size.1);
        let pictures = |group: &Group| (0..group.count).map(|_| picture(group)).collect();
        Ok(Between { pictures: route.groups.iter().map(pictures).collect::<Result<_>>()?, route })
    }

    /// What kernel `kernel` reads and writes, on the way from `src` to `dst`. A component that stays where it is has a
    /// target of no rows.
    pub fn views<'a>(
        &'a mut self,
        kernel: usize,
        src: &Planes<'a>,
        dst: &'a mut PlanesMut<'_>,
    ) -> (Planes<'a>, PlanesMut<'a>) {
        let step = &self.route.steps[kernel];
        let count = src.len();
        let mut from: [PlaneRef<'a>; 3] = [0, 1, 2].map(|component: usize| src[component.min(count - 1)]);
        let mut to: [PlaneMut<'a>; 3] = [0, 1, 2].map(|component| PlaneMut::nowhere(&from[component]));
        for (component, view) in dst.each_mut().enumerate() {
            if step.to[component] == Some(Place::Result) {
                to[component] = view;
            }
        }
        for (group, pictures) in self.route.groups.iter().zip(&mut self.pictures) {
            for (n, picture) in pictures.iter_mut().enumerate() {
                let place = Place::Between(n);
                if step.to[group.first] == Some(place) {
                    picture.planes_mut().into_views().zip(&mut to[group.first..]).for_each(|(view, to)| *to = view);
                } else if step.from[group.first] == place {
                    let picture: &'a Picture = picture;
                    picture.planes().iter().zip(&mut from[group.first..]).for_each(|(view, from)| *from = *view);
                }
            }
        }
        (Planes::new(&from[..count]), PlanesMut::new(to.into_iter().take(count)))
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> usize {
        self.route.bytes(Picture::bytes).unwrap_or(0)
    }
}
