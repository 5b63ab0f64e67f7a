//! `separate_fields`: every field as a frame.

use super::{FieldRows, Fields, Order, RowCopy, with_rows};
use crate::filters::{Change, Cycle, Descriptor, Footprint, Spec};
use crate::params::{Choice, ParamKind, Params};
use crate::video::{FieldOrder, FrameProps, SideData, StreamInfo};

crate::params! {
    /// What `separate_fields` needs.
    pub struct SeparateParams {
        /// Which field of a frame comes first: the top one (`tff`) or the bottom one (`bff`). `auto` is what each frame says,
        /// and the top one where it says nothing.
        order: Option<Order> = None, ParamKind::Choice(<Order as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

/// What `separate_fields` is.
pub static DESCRIPTOR: Descriptor = Descriptor {
    name: "separate_fields",
    aliases: &[],
    summary: "Gives both fields of every frame, one after the other, as frames of half the height",
    definition: "\
Frames 2n and 2n + 1 of the result are the fields of frame n: row j of the top field is row 2j of the frame, row j of the bottom \
field row 2j + 1. Of an odd number of rows the bottom field has one less: it shows its last row twice.

The frame rate doubles, and each field lasts half as long as its frame did. The result is marked progressive, with half the \
sample aspect ratio. Closed captions go with the first field. Metadata about places in the picture (pan-scan, active \
format, regions of interest) is dropped.

Accuracy: samples are moved, not computed.

Cost: that of a copy of the picture.",
    schema: SeparateParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[Change::Size, Change::Aspect, Change::Rate],
    neutral: &[],
    cases: &["", "order=bff"],
    create: super::create::<SeparateParams>,
};

impl Fields for SeparateParams {
    const DESCRIPTOR: &'static Descriptor = &DESCRIPTOR;

    fn spec(&self, input: &StreamInfo) -> Spec {
        let output = StreamInfo {
            height: input.height.div_ceil(2),
            sar: with_rows(input.sar, 1, 2),
            field_order: FieldOrder::Progressive,
            ..input.clone()
        };
        Spec { cycle: Cycle::new(1, vec![0, 0]), ..Spec::computed(output) }
    }

    fn describe(&self, props: &mut FrameProps) {
        if props.frame_index % 2 == 1 {
            props.side_data.retain(|data| data.kind != SideData::CAPTIONS);
            props.key = false;
        }
        (props.field_order, props.repeat) = (FieldOrder::Progressive, 0);
    }

    fn passes(&self, props: &FrameProps, phase: usize) -> impl Iterator<Item = RowCopy> {
        let said = if props.field_order == FieldOrder::BottomFirst { Order::Bff } else { Order::Tff };
        let bottom_first = usize::from(self.order.unwrap_or(said) == Order::Bff);
        std::iter::once(RowCopy { offset: 0, from: FieldRows::Field(bottom_first ^ phase), to: FieldRows::All })
    }
}
