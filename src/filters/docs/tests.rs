use super::*;
use crate::error::Error;
use crate::filters::Alias;
use crate::params::{ParamKind, Params};
use crate::video::Model;

crate::params! {
    /// The parameters of `lift`.
    pub struct Lift {
        /// Added to every sample. A text that is long enough to be wrapped when a terminal
        /// of eighty columns shows it, with a | in it.
        amount: i64 = 3, ParamKind::Int { min: 0, max: 9 }, unit "code values", aliases ["a", "by"];
        /// How far it looks; `auto` follows from `amount`.
        radius: Option<i64> = None, ParamKind::Int { min: 1, max: 30 }, unit "pixels", aliases [];
    }
    presets {
        "high": "As far as it goes", [("amount", "9"), ("radius", "30")];
    }
}

static LIFT: Descriptor = Descriptor {
    name: "lift",
    aliases: &[Alias::own("raise")],
    summary: "Raises every sample",
    definition: "value + amount, where the words of this paragraph\nare wrapped anew for the terminal, in eighty columns.\n\n\
                 - an item that is long enough to be wrapped with its continuation set in below its first word\n  \
                 and joined\n10. a number\n\n    code   as it stands\n",
    schema: Lift::SCHEMA,
    accepts: |format| format.model() == Model::Yuv && !format.is_yc48() || format.bit_depth() % 8 == 0,
    footprint: Footprint::Window("`radius` samples each way"),
    temporal: "one before",
    changes: &[Change::BitDepth],
    neutral: &["amount=0"],
    cases: &["", "amount=5:radius=2", "1"],
    create: |_| Err(Error::unsupported("this filter is only described")),
};

static NOTHING: Descriptor = Descriptor {
    name: "nothing",
    aliases: &[],
    summary: "Does nothing | at all",
    definition: "None.",
    schema: &crate::params::Schema { params: &[], presets: &[], elsewhere: &[] },
    accepts: |format| format == Format::YC48,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &[],
    cases: &[""],
    create: |_| Err(Error::unsupported("this filter is only described")),
};

#[test]
fn the_list_has_a_line_a_filter() {
    let expected = "lift     Raises every sample\nnothing  Does nothing | at all\n\nvramp filters NAME explains one of them.\n\
         frames=100-200+400- or times=10-20+60- limits one to parts of the film.\n";
    assert_eq!(list(&[&LIFT, &NOTHING]), expected);
}

#[test]
fn help_says_everything() {
    let expected = "\
lift: Raises every sample

value + amount, where the words of this paragraph are wrapped anew for the
terminal, in eighty columns.

- an item that is long enough to be wrapped with its continuation set in below
  its first word and joined
10. a number

    code   as it stands

Options, in the order of values given without a name:

  amount (also a, by)
      Added to every sample. A text that is long enough to be wrapped when a
      terminal of eighty columns shows it, with a | in it. It takes a whole
      number from 0 to 9 (code values); default 3.

  radius
      How far it looks; `auto` follows from `amount`. It takes auto, or a whole
      number from 1 to 30 (pixels); default auto.

Presets, as in lift=preset=NAME; options given beside one win:

  high
      As far as it goes: amount=9:radius=30

Also called: raise
Formats: gray, gbrp of 8, 16 bits; yuv420p, yuv422p, yuv444p of 8 to 16 bits;
nv12, p010, p012, p016
Reads: the sample's neighbourhood, `radius` samples each way
Reads other frames: one before
May change, besides samples: the bit depth

Examples:

  lift=amount=5:radius=2
  lift=1
  lift=preset=high
  lift(amount 5, radius 2)
";
    assert_eq!(help(&LIFT), expected);
}

#[test]
fn help_leaves_out_what_there_is_not() {
    let expected = "\
nothing: Does nothing | at all

None.

Formats: yc48
Reads: only the sample itself

Examples:

  nothing
";
    assert_eq!(help(&NOTHING), expected);
}

#[test]
fn markdown_has_an_index_and_a_section_a_filter() {
    let text = markdown(&[&LIFT, &NOTHING]);
    let expected = r"
| filter | what it does |
|---|---|
| [lift](#lift) | Raises every sample |
| [nothing](#nothing) | Does nothing \| at all |

## lift

Raises every sample

value + amount, where the words of this paragraph
are wrapped anew for the terminal, in eighty columns.

- an item that is long enough to be wrapped with its continuation set in below its first word
  and joined
10. a number

    code   as it stands

| option | takes | default | what it does |
|---|---|---|---|
| `amount`, `a`, `by` | a whole number from 0 to 9 (code values) | `3` | Added to every sample. A text that is long enough to be wrapped when a terminal of eighty columns shows it, with a \| in it. |
| `radius` | auto, or a whole number from 1 to 30 (pixels) | `auto` | How far it looks; `auto` follows from `amount`. |

| preset | for | stands for |
|---|---|---|
| `high` | As far as it goes | `amount=9:radius=30` |

- Also called: raise
- Formats: gray, gbrp of 8, 16 bits; yuv420p, yuv422p, yuv444p of 8 to 16 bits; nv12, p010, p012, p016
- Reads: the sample's neighbourhood, `radius` samples each way
- Reads other frames: one before
- May change, besides samples: the bit depth

```text
lift=amount=5:radius=2
lift=1
lift=preset=high
lift(amount 5, radius 2)
```

## nothing

Does nothing | at all

None.

- Formats: yc48
- Reads: only the sample itself

```text
nothing
```
";
    let (head, rest) = text.split_at(MARKDOWN_HEAD.len());
    assert_eq!(head, MARKDOWN_HEAD);
    assert_eq!(rest, expected);
}

#[test]
fn the_chains_that_markdown_shows_parse() {
    let code = MARKDOWN_HEAD.lines().filter_map(|line| line.strip_prefix("    "));
    let chains: Vec<_> = code.map(|line| parse_chain(line).unwrap()).collect();
    assert_eq!(chains.len(), 2);
    assert_eq!(chains[0], chains[1]);
    assert_eq!(parse_chain(r#"f("C\x3a/noise.bin")"#).unwrap()[0].args[0].value, "C:/noise.bin");
}
