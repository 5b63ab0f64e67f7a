//! Kdenlive: an XML file an effect, and its presets.

use super::{CHAIN_DOC, DEFAULT_CHAIN, Effect, Widget, calls_with_presets, explained, mark};
use crate::error::{Error, Result};
use crate::params::{Control, Param, Preset};
use serde_json::{Value, json};
use std::fmt::Write;

/// The file that describes `effect`.
pub fn effect(effect: Effect) -> String {
    let id = id(effect);
    let parameters = match effect {
        Effect::Chain => chain_parameter(),
        Effect::Filter(_) => effect.parameters().into_iter().map(parameter).collect(),
    };
    let mark = mark();
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE kpartgui>\n<!--\n{mark}\n-->\n<effect tag=\"{id}\" id=\"{id}\">\n    \
         <name>vramp {}</name>\n    <description>{}</description>\n    <author>vramp</author>\n{parameters}</effect>\n",
        effect.name(),
        escaped(effect.summary()),
    )
}

/// The filter's presets as Kdenlive keeps those that a user saves; `None` where there are none.
///
/// # Errors
/// Never, but for a fault of the library that writes JSON.
pub fn presets(effect: Effect) -> Result<Option<String>> {
    let Effect::Filter(filter) = effect else { return Ok(None) };
    if filter.schema.presets.is_empty() {
        return Ok(None);
    }
    let saved = |preset: &Preset| {
        let value = |param: &&Param| {
            let given = preset.args.iter().find(|(name, _)| *name == param.name);
            json!({ "name": param.name, "value": saved_value(param, given.map(|(_, text)| *text)) })
        };
        json!({ preset.name: effect.parameters().iter().map(value).collect::<Vec<_>>() })
    };
    let all: Vec<Value> = filter.schema.presets.iter().map(saved).collect();
    let text = serde_json::to_string_pretty(&all);
    text.map(|text| Some(text + "\n")).map_err(|e| Error::internal(format!("presets of Kdenlive: {e}")))
}

/// A parameter's value in a preset; its default where the preset has none. What can be animated is a list of keyframes.
fn saved_value(param: &Param, given: Option<&str>) -> String {
    let text = given.map_or_else(param.default, str::to_owned);
    let stored = Control::of(param).number_of(&text).map_or(text, |share| share.to_string());
    if matches!(Widget::of(param), Widget::Slider { .. }) { format!("0={stored}") } else { stored }
}

/// What Kdenlive and MLT call it.
fn id(effect: Effect) -> String {
    format!("frei0r.vramp_{}", effect.name())
}

/// The line for a chain, with calls to choose from.
fn chain_parameter() -> String {
    let (names, calls): (Vec<_>, Vec<_>) = calls_with_presets().unzip();
    let attributes = format!("default=\"{DEFAULT_CHAIN}\" paramlist=\"{}\"", escaped(&calls.join(";")));
    let shown = format!("<paramlistdisplay>{}</paramlistdisplay>", escaped(&names.join(",")));
    element("keywords", "chain", &attributes, "Chain", &shown, CHAIN_DOC)
}

fn parameter(param: &Param) -> String {
    let mut doc = explained(param);
    let (kind, attributes, inside) = match Widget::of(param) {
        Widget::Tick(first) => ("bool", format!("default=\"{}\"", u8::from(first)), String::new()),
        Widget::Slider { least, most, first, whole } => {
            // The effect's 0 to 1, times `factor`, is what is shown: it cannot begin with anything but 0.
            let (span, decimals) = (most - least, if whole { 0 } else { 2 });
            let first = (first - least) / span;
            let mut attributes =
                format!("default=\"{first}\" min=\"0\" max=\"{span}\" factor=\"{span}\" decimals=\"{decimals}\"");
            let suffix = suffix(least, param.unit);
            if !suffix.is_empty() {
                let _ = write!(attributes, " suffix=\"{}\"", escaped(&suffix));
            }
            if least != 0.0 {
                let _ = write!(doc, " The slider begins at 0: the value is its number{}.", shift(least));
            }
            ("animated", attributes, String::new())
        }
        Widget::List { first, values } => {
            let (shown, stored): (Vec<_>, Vec<_>) = values.into_iter().unzip();
            let attributes = format!("default=\"{first}\" paramlist=\"{}\"", stored.join(";"));
            ("list", attributes, format!("<paramlistdisplay>{}</paramlistdisplay>", shown.join(",")))
        }
        // The only line of text that Kdenlive has; what can be chosen beside it is the default.
        Widget::Line(first) => {
            let attributes = format!("default=\"{0}\" paramlist=\"{0}\"", escaped(&first));
            ("keywords", attributes, format!("<paramlistdisplay>{}</paramlistdisplay>", escaped(&first)))
        }
    };
    element(kind, param.name, &attributes, &param.label(), &inside, &doc)
}

/// What Kdenlive writes behind a slider's number: what is added to it, and the unit.
fn suffix(least: f64, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    shift(least) + &unit
}

/// What makes the value of a number that counts from 0: nothing, ` + 0.1` or ` - 2`.
fn shift(least: f64) -> String {
    match least {
        0.0 => String::new(),
        _ if least < 0.0 => format!(" - {}", -least),
        _ => format!(" + {least}"),
    }
}

fn element(kind: &str, name: &str, attributes: &str, label: &str, inside: &str, doc: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "    <parameter type=\"{kind}\" name=\"{name}\" {attributes}>");
    if !inside.is_empty() {
        let _ = writeln!(text, "        {inside}");
    }
    let _ = writeln!(text, "        <name>{}</name>", escaped(label));
    let _ = writeln!(text, "        <comment>{}</comment>\n    </parameter>", escaped(doc));
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every effect's file is well-formed, and says of each parameter what the filter does.
    #[test]
    fn every_effect_is_described() {
        let all = crate::filters::ALL.iter().filter_map(|filter| Effect::named(filter.name).ok());
        for described in all.chain([Effect::Chain]) {
            let text = effect(described);
            let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
            let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
            let shown = document.descendants().filter(|node| node.has_tag_name("parameter"));
            for parameter in shown {
                let suffix = parameter.attribute("suffix").unwrap_or(" unit");
                assert!(suffix.starts_with(' ') && suffix.trim_end() == suffix, "'{suffix}' in {text}");
                let Some(list) = parameter.attribute("paramlist") else { continue };
                let display = parameter.children().find(|node| node.has_tag_name("paramlistdisplay")).unwrap();
                let values: Vec<&str> = list.split(';').collect();
                assert_eq!(values.len(), display.text().unwrap_or_default().split(',').count(), "{text}");
                if parameter.attribute("type") == Some("list") {
                    assert!(values.contains(&parameter.attribute("default").unwrap()), "{text}");
                }
            }
        }
    }

    /// `1.40 + 0.1` is 1.5, and `2.00 - 2 stops` no stop at all.
    #[test]
    fn a_slider_says_what_is_added_to_its_number() {
        for (least, unit, expected) in [
            (0.0, "", ""),
            (0.0, "samples", " samples"),
            (0.1, "", " + 0.1"),
            (0.1, "samples", " + 0.1 samples"),
            (-1.0, "", " - 1"),
            (-2.0, "stops", " - 2 stops"),
        ] {
            assert_eq!(suffix(least, unit), expected);
        }
    }

    #[test]
    fn presets_are_what_kdenlive_saves() {
        let text = presets(Effect::named("deband").unwrap()).unwrap().unwrap();
        let all: Value = serde_json::from_str(&text).unwrap();
        let value = |preset: &str, name: &str| {
            let all = all.as_array().unwrap();
            let values = all.iter().find_map(|saved| saved[preset].as_array()).unwrap();
            values.iter().find(|value| value["name"] == name).unwrap()["value"].clone()
        };
        // 12 of 0 to 127; noise is text, since it may be auto.
        assert_eq!(value("gentle", "range"), format!("0={}", 12.0 / 127.0));
        assert_eq!(value("gentle", "dither"), "6");
        assert_eq!(value("strong", "dither"), "auto");
        assert_eq!(presets(Effect::Chain), Ok(None));
        assert_eq!(presets(Effect::named("gauss").unwrap()), Ok(None));
    }
}
