//! Help and documentation, written from what every filter says of itself.

use crate::filters::{Change, Descriptor, Footprint};
use crate::params::{Arg, Call, PRESET_KEY, Param, Preset, Spelling, parse_chain, print_chain};
use crate::video::Format;
use std::fmt::Write;

#[cfg(test)]
mod tests;

/// Columns of the terminal that help is wrapped for.
const WIDTH: usize = 80;

/// Test cases that documentation shows as examples.
const EXAMPLES: usize = 3;

/// The table of `vramp filters`: one line a filter.
pub fn list(filters: &[&Descriptor]) -> String {
    let column = filters.iter().map(|d| d.name.len()).max().unwrap_or(0) + 2;
    let line = |d: &&Descriptor| hang(&format!("{:column$}", d.name), d.summary);
    filters
        .iter()
        .map(line)
        .chain([
            "\nvramp filters NAME explains one of them.\n".to_owned(),
            "frames=100-200+400- or times=10-20+60- limits one to parts of the film.\n".to_owned(),
        ])
        .collect()
}

/// The text of `vramp filters NAME`.
pub fn help(filter: &Descriptor) -> String {
    let mut text = hang("", &format!("{}: {}", filter.name, filter.summary));
    let _ = write!(text, "\n{}", wrap_markdown(filter.definition));
    if !filter.schema.params.is_empty() {
        text += "\nOptions, in the order of values given without a name:\n";
    }
    for param in filter.schema.params {
        let about = format!("{} It takes {}; default {}.", param.doc, param.takes(), (param.default)());
        let _ = write!(text, "\n  {}\n{}", with_aliases(param.name, param.aliases), hang("      ", &about));
    }
    if !filter.schema.presets.is_empty() {
        let _ = write!(text, "\nPresets, as in {}; options given beside one win:\n", preset_call(filter, "NAME"));
    }
    for preset in filter.schema.presets {
        let about = format!("{}: {}", preset.doc, preset_args(preset));
        let _ = write!(text, "\n  {}\n{}", preset.name, hang("      ", &about));
    }
    text.push('\n');
    for (fact, value) in facts(filter) {
        text += &hang("", &format!("{fact}: {value}"));
    }
    text += "\nExamples:\n\n";
    for example in examples(filter) {
        let _ = writeln!(text, "  {example}");
    }
    text
}

/// The text of docs/filters.md.
pub fn markdown(filters: &[&Descriptor]) -> String {
    let mut text = MARKDOWN_HEAD.to_owned();
    text += "\n| filter | what it does |\n|---|---|\n";
    for filter in filters {
        let _ = writeln!(text, "| [{0}](#{0}) | {1} |", filter.name, cell(filter.summary));
    }
    for filter in filters {
        text += &section(filter);
    }
    text
}

const MARKDOWN_HEAD: &str = r#"# Filters

<!-- Generated from the filters' descriptions: `make bless` writes it anew. -->

A chain is written as FFmpeg filtergraphs are, or without the characters `= ; : ' |`, which some hosts do not let
through. Both spellings work everywhere, in one text too:

    deband=range=16:sample=2,depth=10
    deband(range 16, sample 2) > depth(10)

- Values without a name go by the order of the options below: `depth=10` is `depth=bits=10`.
- `preset=NAME` stands for a filter's named set of options; options given beside it win.
- `frames=100-200+400-` limits a filter to these frames, counted from 0 where it stands in the chain, and `times=10-20+60-` to
  those shown from 10 s on and before 20 s, and from 60 s on, by the stream's own times. All others pass it untouched. Every
  filter takes both that gives the stream it gets: the same size, format, range and number of frames.
- `mask=NAME` mixes what a filter makes with what it got, by another picture: `v + k·(f − v)`, where `k` is the picture's luma
  (grey, or each component of RGB), 0 at black and 1 at white, in 1/32768, and the result is rounded half up to 16 bits. Chroma of
  fewer samples takes the mean of those of the mask that it covers. Every filter takes it that gives the stream it gets.
- `keep=NAME` names the picture at a point of the chain and `use=NAME` goes on from it; `with=NAME` and `mask=NAME` of filters read
  it. So a chain is a program over named pictures: [CHAINS.md](CHAINS.md) has examples.
- A value with white space or one of `, : ; = ( ) [ ] > # ' " \` is quoted. Between `'` and `'` nothing is special;
  between `"` and `"`, `\"` is `"`, `\\` is `\` and `\xHH` is the ASCII character with that hexadecimal code, so
  that `"C\x3a/noise.bin"` is `C:/noise.bin`. Outside quotes, `\` takes the next character as it is. The empty value
  is `''` or `""`.
- White space and line breaks between these parts do not matter, and `#` starts a comment that ends with its line, so
  a long chain reads well in a file, which `@FILE` names in a chain's place. `@FILE(name=value, …)` gives values to its
  parameters: `$name` or `${name}` in a value, or `${name:-default}`; `$$` is a `$`.
"#;

fn section(filter: &Descriptor) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n{}\n", filter.name, filter.summary, filter.definition.trim());
    if !filter.schema.params.is_empty() {
        text += "\n| option | takes | default | what it does |\n|---|---|---|---|\n";
    }
    for param in filter.schema.params {
        text += &option_row(param);
    }
    if !filter.schema.presets.is_empty() {
        text += "\n| preset | for | stands for |\n|---|---|---|\n";
    }
    for preset in filter.schema.presets {
        let _ = writeln!(text, "| `{}` | {} | `{}` |", preset.name, cell(preset.doc), cell(&preset_args(preset)));
    }
    text.push('\n');
    for (fact, value) in facts(filter) {
        let _ = writeln!(text, "- {fact}: {value}");
    }
    let _ = write!(text, "\n```text\n{}\n```\n", examples(filter).join("\n"));
    text
}

fn option_row(param: &Param) -> String {
    let names: Vec<_> =
        std::iter::once(param.name).chain(param.aliases.iter().copied()).map(|n| format!("`{n}`")).collect();
    let default = (param.default)();
    format!("| {} | {} | `{default}` | {} |\n", names.join(", "), cell(&param.takes()), cell(param.doc))
}

/// What a table's cell can hold.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn with_aliases(name: &str, aliases: &[&str]) -> String {
    if aliases.is_empty() { name.to_owned() } else { format!("{name} (also {})", aliases.join(", ")) }
}

fn preset_call(filter: &Descriptor, preset: &str) -> Call {
    let arg = Arg { key: Some(PRESET_KEY.to_owned()), value: preset.to_owned() };
    Call { name: filter.name.to_owned(), args: vec![arg] }
}

fn preset_args(preset: &Preset) -> String {
    preset.args.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(":")
}

/// What is left to say of a filter, as (what, text).
fn facts(filter: &Descriptor) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !filter.aliases.is_empty() {
        facts.push(("Also called", filter.aliases.iter().map(|alias| alias.name).collect::<Vec<_>>().join(", ")));
    }
    facts.push(("Formats", formats(filter.accepts)));
    let reads = match filter.footprint {
        Footprint::Point => "only the sample itself".to_owned(),
        Footprint::Window(extent) => format!("the sample's neighbourhood, {extent}"),
        Footprint::Causal => "the sample, and what came of those before it in its row and in the rows above".to_owned(),
    };
    facts.push(("Reads", reads));
    if !filter.temporal.is_empty() {
        facts.push(("Reads other frames", filter.temporal.to_owned()));
    }
    let changes: Vec<_> = filter.changes.iter().copied().map(change).collect();
    if !changes.is_empty() {
        facts.push(("May change, besides samples", changes.join(", ")));
    }
    facts
}

fn change(change: Change) -> &'static str {
    match change {
        Change::BitDepth => "the bit depth",
        Change::Range => "the sample range",
        Change::Size => "width and height",
        Change::Layout => "components and subsampling",
        Change::Colour => "the colour description",
        Change::Grading => "the HDR metadata",
        Change::Aspect => "the sample aspect ratio",
        Change::Rate => "the number of frames and their times",
    }
}

/// The formats that `accepts` takes: "gray, yuv420p of 8 to 16 bits; nv12".
fn formats(accepts: fn(Format) -> bool) -> String {
    // Families of the same depths share one entry.
    let mut planar: Vec<(Vec<&str>, Vec<u8>)> = Vec::new();
    for family in ["gray", "yuv420p", "yuv422p", "yuv444p", "gbrp"] {
        let format = |bits| family.parse::<Format>().and_then(|format| format.to_planar(bits));
        let depths: Vec<u8> = (8..=16).filter(|&bits| format(bits).is_ok_and(accepts)).collect();
        match planar.iter_mut().find(|(_, others)| *others == depths) {
            Some((names, _)) => names.push(family),
            None => planar.push((vec![family], depths)),
        }
    }
    let others = [8, 10, 12, 16].into_iter().filter_map(|bits| Format::semi_planar(bits).ok()).chain([Format::YC48]);
    let others: Vec<_> = others.filter(|&format| accepts(format)).map(|format| format.to_string()).collect();
    let planar = planar.iter().filter(|(_, depths)| !depths.is_empty());
    let mut parts: Vec<_> =
        planar.map(|(names, depths)| format!("{} of {} bits", names.join(", "), bits(depths))).collect();
    if !others.is_empty() {
        parts.push(others.join(", "));
    }
    parts.join("; ")
}

/// "8", "8 to 16" or "8, 10, 16" for ascending depths.
fn bits(depths: &[u8]) -> String {
    match depths {
        [first, .., last] if usize::from(last - first) == depths.len() - 1 => format!("{first} to {last}"),
        _ => depths.iter().map(u8::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Chains to copy: the first few test cases, the first preset, and the plain spelling of the first of them.
fn examples(filter: &Descriptor) -> Vec<String> {
    let cases = filter.cases.iter().filter(|case| !case.is_empty()).take(EXAMPLES);
    let cases = cases.filter_map(|case| parse_chain(&filter.text(case)).ok());
    let presets = filter.schema.presets.iter().take(1).map(|preset| vec![preset_call(filter, preset.name)]);
    let mut chains: Vec<_> = cases.chain(presets).collect();
    if chains.is_empty() {
        chains.push(vec![Call { name: filter.name.to_owned(), args: Vec::new() }]);
    }
    let mut examples: Vec<_> = chains.iter().map(|chain| print_chain(chain, Spelling::FFmpeg)).collect();
    examples.push(print_chain(&chains[0], Spelling::Plain));
    examples.dedup();
    examples
}

/// Markdown for a terminal: paragraphs and list items wrapped; code, tables and headings as they stand.
fn wrap_markdown(markdown: &str) -> String {
    let mut text = String::new();
    let mut block = String::new();
    let mut fenced = false;
    for line in markdown.trim().lines() {
        fenced ^= line.starts_with("```");
        let verbatim = fenced || line.is_empty() || ["    ", "```", "|", "#"].iter().any(|mark| line.starts_with(mark));
        if verbatim || marker(line) > 0 {
            text += &wrap_block(&std::mem::take(&mut block));
        }
        if verbatim {
            text = text + line + "\n";
        } else {
            block = if block.is_empty() { line.to_owned() } else { format!("{block} {}", line.trim()) };
        }
    }
    text + &wrap_block(&block)
}

/// A paragraph or a list item, wrapped.
fn wrap_block(block: &str) -> String {
    if block.is_empty() {
        return String::new();
    }
    let (head, text) = block.split_at(marker(block));
    hang(head, text)
}

/// The length of "- " or "1. " with the space before it; 0 where no list item starts.
fn marker(line: &str) -> usize {
    let item = line.trim_start();
    let number = item.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let marker = match &item[number..] {
        rest if number == 0 && rest.starts_with("- ") => 2,
        rest if number > 0 && rest.starts_with(". ") => number + 2,
        _ => return 0,
    };
    line.len() - item.len() + marker
}

/// `text` wrapped behind `head`, the later lines as far in as the first.
fn hang(head: &str, text: &str) -> String {
    let margin = head.chars().count();
    let mut wrapped = head.to_owned();
    let mut column = margin;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > margin && column + 1 + length > WIDTH {
            wrapped = wrapped + "\n" + &" ".repeat(margin);
            column = margin;
        } else if column > margin {
            wrapped.push(' ');
            column += 1;
        }
        wrapped += word;
        column += length;
    }
    wrapped + "\n"
}
