//! What is done to each component.

use super::{Local, MOST_RADIUS, MOST_SOURCES};
use crate::filters::Setup;
use crate::video::FrameProps;
#[cfg(feature = "cuda")]
use crate::video::SampleType;
use std::ops::Range;

/// Where samples of a component come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentSource {
    /// The input, from 0.
    pub input: usize,
    /// The frame, counted from the one at hand.
    pub offset: isize,
    /// The component there.
    pub component: usize,
    /// The column and row of the result's component where the source's first sample lies.
    pub origin: (isize, isize),
    /// Base-two logarithms of the columns and rows of the source that are one of the result: luma where chroma is
    /// filtered. The value is the mean of four samples, the nearest standing in beyond the border.
    pub shrink: (u8, u8),
}

impl ComponentSource {
    /// A component of the frame at hand of an input, sample for sample.
    pub fn of(input: usize, component: usize) -> ComponentSource {
        ComponentSource { input, offset: 0, component, origin: (0, 0), shrink: (0, 0) }
    }
}

/// A filter with its parameters, built for streams.
pub(super) struct Plan<T: Local> {
    params: T,
    pub setup: Setup,
    pub radius: usize,
    /// Whether the function only orders what it reads.
    pub only_orders: bool,
    /// `None`: copied.
    pub components: Vec<Option<ComponentPlan<T::Consts>>>,
}

/// What is done to a component.
pub(super) struct ComponentPlan<C> {
    pub sources: Vec<ComponentSource>,
    pub consts: C,
    pub table: Vec<u16>,
    pub area: Area,
}

/// The part of a component where all sources have samples. Outside it the component is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

impl<T: Local> Plan<T> {
    pub fn new(params: &T, setup: &Setup) -> Plan<T> {
        let (inputs, format) = (setup.inputs(), setup.input.format);
        let (radius, only_orders) = (params.radius(), params.only_orders());
        let component = |index| {
            let consts = params.planes().has(format, index).then(|| params.consts(&inputs, index)).flatten()?;
            let sources = params.sources(&inputs, index);
            let (width, height) = format.component_size(index, setup.input.width, setup.input.height);
            let mut area = Area { columns: 0..width, rows: 0..height };
            for source in &sources {
                let info = &inputs[source.input];
                let (width, height) = info.format.component_size(source.component, info.width, info.height);
                area.columns = covered(area.columns, source.origin.0, width.div_ceil(1 << source.shrink.0));
                area.rows = covered(area.rows, source.origin.1, height.div_ceil(1 << source.shrink.1));
            }
            let is_whole = area == Area { columns: 0..width, rows: 0..height };
            assert!(sources.len() <= MOST_SOURCES && radius <= MOST_RADIUS, "{:?} reads too much", T::DESCRIPTOR);
            assert!(radius == 0 || (is_whole && sources.len() == 1), "{:?} reads around one source", T::DESCRIPTOR);
            let is_shrunk = sources.iter().any(|source| source.shrink != (0, 0));
            assert!(!(only_orders && is_shrunk), "{:?} orders samples, not means", T::DESCRIPTOR);
            assert!(is_whole || sources[0] == ComponentSource::of(0, index), "{:?} begins with its own", T::DESCRIPTOR);
            Some(ComponentPlan { sources, consts, table: params.table(&inputs, index), area })
        };
        let components = (0..format.components()).map(component).collect();
        Plan { params: params.clone(), setup: setup.clone(), radius, only_orders, components }
    }

    /// Whether the frame is filtered.
    pub fn applies(&self, props: &FrameProps) -> bool {
        self.params.applies(&self.setup.input, props)
    }

    /// The most sources that a component has.
    pub fn most_sources(&self) -> usize {
        self.components.iter().flatten().map(|component| component.sources.len()).max().unwrap_or(0)
    }

    /// The kernel on CUDA devices.
    #[cfg(feature = "cuda")]
    pub fn kernel(&self) -> String {
        self.params.kernel()
    }

    /// The module that takes samples in pairs, if there is one and they are small enough for it.
    #[cfg(feature = "cuda")]
    pub fn pairs(&self) -> Option<&'static str> {
        let layout = self.setup.src.component_layout(0).2;
        let fits = match layout.sample {
            SampleType::U8 => true,
            SampleType::U16 => layout.shift >= 2,
            SampleType::I16 => false,
        };
        T::PAIRS.filter(|_| fits && self.only_orders)
    }
}

/// The part of `range` that `len` samples from `origin` on cover.
fn covered(range: Range<usize>, origin: isize, len: usize) -> Range<usize> {
    let end = range.end.min(usize::try_from(origin.saturating_add_unsigned(len)).unwrap_or(0));
    let start = range.start.max(usize::try_from(origin).unwrap_or(0));
    start.min(end)..end
}
