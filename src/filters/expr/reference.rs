//! The plain kernel: the words of an expression, one after the other, sample by sample.

use super::plan::{ComponentPlan, Plan};
use super::words::{Given, Word};
use crate::filters::{CpuJob, CpuKernel};
use crate::simd::rows::copy;
use std::collections::HashMap;

/// The scalar kernel.
pub struct Reference {
    plan: Plan,
}

impl Reference {
    pub fn new(plan: Plan) -> Reference {
        Reference { plan }
    }
}

/// What an expression is worked out for.
struct Sample {
    sources: [f32; 3],
    x: usize,
    y: usize,
    frame: u64,
}

impl CpuKernel for Reference {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { props, src, mut dst, .. } = job;
        for (index, component) in self.plan.components.iter().enumerate() {
            let dst = dst.get_mut(index);
            let Some(component) = component.as_ref().filter(|_| dst.height() > 0) else {
                copy(&src.here()[index], 0..dst.height(), dst);
                continue;
            };
            let codes = |input: Option<usize>, x: usize, y: usize| match input {
                Some(input) => f32::from(src.at(input, 0)[index].v16(x, y)) / component.stream.unit,
                None => 0.0,
            };
            let (width, height) = (dst.width(), dst.height());
            let (mut stack, mut names) = (Vec::new(), HashMap::new());
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let sources = self.plan.inputs.map(|input| codes(input, x, y));
                stack.clear();
                result(component, &Sample { sources, x, y, frame: props.frame_index }, &mut stack, &mut names);
                dst.set_v16(x, y, component.stream.sample(stack[0]));
            }
        }
    }

    fn path(&self) -> &'static str {
        "reference"
    }
}

/// Leaves the result on the stack.
fn result<'w>(component: &'w ComponentPlan, sample: &Sample, stack: &mut Vec<f32>, names: &mut HashMap<&'w str, f32>) {
    for word in component.expression.words() {
        let top = stack.len();
        match word {
            Word::Number(number) => stack.push(*number),
            Word::Source(source) => stack.push(sample.sources[*source]),
            Word::Given(given) => stack.push(match given {
                Given::Column => sample.x as f32,
                Given::Row => sample.y as f32,
                Given::Frame => sample.frame as f32,
                other => component.stream.number(*other).expect("one for the plane"),
            }),
            Word::Apply(op) => {
                let first = top - op.arity();
                let value = op.of(std::array::from_fn(|i| stack.get(first + i).copied().unwrap_or(0.0)));
                stack.truncate(first);
                stack.push(value);
            }
            Word::Dup(depth) => stack.push(stack[top - 1 - depth]),
            Word::Swap(depth) => stack.swap(top - 1, top - 1 - depth),
            Word::Drop(count) => stack.truncate(top - count),
            Word::Store(name) => names.extend(stack.pop().map(|value| (name.as_str(), value))),
            Word::Fetch(name) => stack.push(names[name.as_str()]),
        }
    }
}
