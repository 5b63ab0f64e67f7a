//! What every kernel computes with: the weights of each component, and in which order they apply.

use super::Sampling;
use super::light::LightTables;
use super::sample_grid::SampleGrid;
use super::taps::{Line, Taps};
use crate::filters::requant::{BLACK, LIMITED_LUMA, NEUTRAL, white};
use crate::video::{Model, StreamInfo};
use std::sync::Arc;

/// Where a component's samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleSource {
    /// A component of the input.
    Component(usize),
    /// All of them are this lane.
    Lane(u16),
}

/// What is done to one component.
#[derive(Clone, Debug)]
pub struct ComponentPlan {
    /// What it is made of.
    pub source: SampleSource,
    /// The weights along rows; `None` leaves columns as they are.
    pub across: Option<Taps>,
    /// The weights along columns.
    pub down: Option<Taps>,
    /// It is weighed as light.
    pub light: Option<Arc<LightTables>>,
}

/// What is done to a stream.
#[derive(Clone, Debug)]
pub struct Plan {
    /// To each component of the result.
    pub components: Vec<ComponentPlan>,
    /// Sums of columns come before those of rows: that leaves fewer luma samples between the directions.
    pub down_first: bool,
    /// The share by which results are held between the samples beside them.
    pub antiring: f32,
}

impl ComponentPlan {
    /// True when every sample stays what it is.
    pub fn copies(&self) -> bool {
        self.across.is_none() && self.down.is_none() && matches!(self.source, SampleSource::Component(_))
    }
}

impl Plan {
    /// What `sampling` makes of `input`.
    pub fn new(sampling: &Sampling, input: &StreamInfo) -> Plan {
        let light = sampling.linear.then(|| Arc::new(light(input)));
        Plan::with(sampling, input, light)
    }

    /// The components that stay what they are: what a chain may leave where it is.
    pub fn copied(sampling: &Sampling, input: &StreamInfo) -> Vec<bool> {
        let plan = Plan::with(sampling, input, None);
        let copies = |(index, component): (usize, &ComponentPlan)| {
            component.copies() && component.source == SampleSource::Component(index)
        };
        plan.components.iter().enumerate().map(copies).collect()
    }

    fn with(sampling: &Sampling, input: &StreamInfo, light: Option<Arc<LightTables>>) -> Plan {
        let component = |index| component(sampling, input, index, light.as_ref());
        let components = (0..sampling.output.format.components()).map(component).collect();
        let output = &sampling.output;
        let down_first = output.height * input.width < input.height * output.width;
        Plan { components, down_first, antiring: sampling.antiring as f32 }
    }
}

/// The tables of a stream's luma, grey or RGB.
fn light(input: &StreamInfo) -> LightTables {
    let (black, white) = match input.is_full_range() {
        true => (0, white(input.format.bit_depth()) as u16),
        false => (BLACK as u16, (BLACK as u16) + LIMITED_LUMA as u16),
    };
    LightTables::new(input.color.transfer, black, white)
}

fn component(sampling: &Sampling, input: &StreamInfo, index: usize, light: Option<&Arc<LightTables>>) -> ComponentPlan {
    let output = &sampling.output;
    let (had, has) = (input.format, output.format);
    let source = match (had.model(), has.model()) {
        (Model::Gray, Model::Yuv) if index > 0 => SampleSource::Lane(NEUTRAL as u16),
        (Model::Gray, _) => SampleSource::Component(0),
        _ => SampleSource::Component(index),
    };
    let none = ComponentPlan { source, across: None, down: None, light: None };
    let SampleSource::Component(from) = source else { return none };
    let (width, height) = had.component_size(from, input.width, input.height);
    let (to_width, to_height) = has.component_size(index, output.width, output.height);
    let ([left, top], [wide, high]) = (sampling.start[index], sampling.size);
    let across = Line {
        from: width,
        to: to_width,
        luma: output.width,
        window: (left, wide),
        source: SampleGrid::across(had, from, sampling.siting_in),
        result: SampleGrid::across(has, index, sampling.siting_out),
        fields: false,
    };
    let down = Line {
        from: height,
        to: to_height,
        luma: output.height,
        window: (top, high),
        source: SampleGrid::down(had, from, sampling.siting_in),
        result: SampleGrid::down(has, index, sampling.siting_out),
        fields: input.field_order.is_interlaced(),
    };
    let chroma = has.is_chroma(index);
    let kernel = if chroma { &sampling.chroma_kernel } else { &sampling.kernel };
    let held = sampling.antiring > 0.0;
    let (across, down) = (across.taps(kernel, held), down.taps(kernel, held));
    let changes = across.is_some() || down.is_some();
    let light = light.filter(|_| changes && !chroma).cloned();
    ComponentPlan { source, across, down, light }
}
