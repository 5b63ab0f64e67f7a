//! `weave`: two fields in one frame.

use super::{FieldRows, Fields, Order, RowCopy, with_rows};
use crate::filters::{Change, Cycle, Descriptor, Footprint, Reach, Spec};
use crate::params::{Choice, ParamKind, Params};
use crate::video::{FrameProps, StreamInfo};

crate::params! {
    /// What `weave` needs.
    pub struct WeaveParams {
        /// Which field the first frame of each pair is: the top one (`tff`) or the bottom one (`bff`).
        order: Order = Order::Tff, ParamKind::Choice(<Order as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `weave` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "weave",
    aliases: &[],
    summary: "Puts each two frames into one of twice the height, as its fields",
    definition: "\
Frame n of the result has frames 2n and 2n + 1 as its fields: rows 2j are rows j of the top field, rows 2j + 1 rows j of the \
bottom field. Pairs are counted from the first frame of the stream, wherever a run begins. Where the last frame is alone, it is \
both fields. After `separate_fields`, with the order that the frames had, it gives them back where their number of rows is \
even.

The frame rate halves, and each frame lasts as long as its fields did. The result is marked interlaced in the order given, with \
twice the sample aspect ratio. Metadata of the second frame, and metadata about places in the picture (pan-scan, active \
format, regions of interest), is dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy of the result.",
    schema: WeaveParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "the one after it",
    changes: &[Change::Size, Change::Aspect, Change::Rate],
    neutral: &[],
    cases: &["tff", "order=bff"],
    create: super::create::<WeaveParams>,
};

impl Fields for WeaveParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn spec(&self, input: &StreamInfo) -> Spec {
        let output = StreamInfo {
            height: 2 * input.height,
            sar: with_rows(input.sar, 2, 1),
            field_order: self.order.field_order(),
            ..input.clone()
        };
        let both = Reach { before: 0, after: 1 };
        Spec { cycle: Cycle::new(2, vec![0]), ..Spec::computed(output).reading(both) }
    }

    fn describe(&self, props: &mut FrameProps) {
        (props.field_order, props.repeat) = (self.order.field_order(), 0);
    }

    fn passes(&self, _: &FrameProps, _: usize) -> impl Iterator<Item = RowCopy> {
        let bottom_first = usize::from(self.order == Order::Bff);
        let pass = move |later: usize| RowCopy {
            offset: later as isize,
            from: FieldRows::All,
            to: FieldRows::Field(bottom_first ^ later),
        };
        [0, 1].into_iter().map(pass)
    }
}
