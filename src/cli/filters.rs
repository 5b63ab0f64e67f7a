//! `vramp filters`: the list, one filter's help, or the whole schema as JSON.

use crate::cli::args::FiltersArgs;
use crate::cli::print;
use crate::error::Result;
use crate::filters::{ALL, Descriptor, docs, find_or_suggest};
use crate::params::{Param, ParamKind};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct FilterJson {
    name: &'static str,
    aliases: Vec<&'static str>,
    summary: &'static str,
    options: Vec<Opt>,
    presets: Vec<PresetJson>,
}

#[derive(Serialize)]
struct Opt {
    name: &'static str,
    aliases: &'static [&'static str],
    /// bool, int, float or choice.
    #[serde(rename = "type")]
    kind: &'static str,
    /// As a chain writes it; auto where the text says what it follows from.
    default: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<&'static [&'static str]>,
    unit: &'static str,
    help: &'static str,
}

#[derive(Serialize)]
struct PresetJson {
    name: &'static str,
    help: &'static str,
    options: BTreeMap<&'static str, &'static str>,
}

/// Runs `vramp filters`.
pub fn run(args: &FiltersArgs) -> Result<()> {
    let one = args.name.as_deref().map(find_or_suggest).transpose()?;
    match (one, args.json) {
        (Some(filter), true) => print::json(&describe(filter)),
        (Some(filter), false) => print::text(&docs::help(filter)),
        (None, true) => print::json(&ALL.iter().copied().map(describe).collect::<Vec<_>>()),
        (None, false) => print::text(&docs::list(ALL)),
    }
}

fn describe(filter: &'static Descriptor) -> FilterJson {
    FilterJson {
        name: filter.name,
        aliases: filter.aliases.iter().map(|alias| alias.name).collect(),
        summary: filter.summary,
        options: filter.schema.params.iter().map(option).collect(),
        presets: filter
            .schema
            .presets
            .iter()
            .map(|preset| PresetJson {
                name: preset.name,
                help: preset.doc,
                options: preset.args.iter().copied().collect(),
            })
            .collect(),
    }
}

fn option(param: &'static Param) -> Opt {
    let (kind, limits, choices) = match param.kind {
        ParamKind::Bool => ("bool", None, None),
        ParamKind::Int { min, max } => ("int", Some((min as f64, max as f64)), None),
        ParamKind::Float { min, max } => ("float", Some((min, max)), None),
        ParamKind::Choice(words) => ("choice", None, Some(words)),
        ParamKind::Text(_) => ("text", None, None),
        ParamKind::Name => ("name", None, None),
    };
    Opt {
        name: param.name,
        aliases: param.aliases,
        kind,
        default: (param.default)(),
        min: limits.map(|(min, _)| min),
        max: limits.map(|(_, max)| max),
        choices,
        unit: param.unit,
        help: param.doc,
    }
}
