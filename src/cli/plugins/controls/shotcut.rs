//! Shotcut: a folder an effect, of two files in QML.

use super::{DEFAULT_CHAIN, Effect, Widget, mark};
use crate::params::{Control, Param};
use std::fmt::Write;

/// The file that names `effect`.
pub fn meta(effect: Effect) -> String {
    format!(
        "/*\n{mark}\n*/\nimport QtQuick\nimport org.shotcut.qml\n\nMetadata {{\n    type: Metadata.Filter\n    \
         name: qsTr({name})\n    keywords: qsTr({summary})\n    mlt_service: {service}\n    objectName: {object}\n    \
         qml: \"ui.qml\"\n}}\n",
        mark = mark(),
        name = quoted(&format!("vramp {}", effect.name())),
        summary = quoted(effect.summary()),
        service = quoted(&format!("frei0r.vramp_{}", effect.name())),
        object = quoted(&format!("vramp_{}", effect.name())),
    )
}

/// The file that shows its parameters.
pub fn ui(effect: Effect) -> String {
    let rows: Vec<Row> = match effect {
        Effect::Chain => vec![line("chain", "Chain", DEFAULT_CHAIN)],
        Effect::Filter(_) => effect.parameters().into_iter().map(row).collect(),
    };
    let each = |part: fn(&Row) -> &String| rows.iter().map(part).cloned().collect::<String>();
    let (firsts, shows, widgets) = (each(|row| &row.first), each(|row| &row.show), each(|row| &row.widget));
    format!(
        "/*\n{mark}\n*/\nimport QtQuick\nimport QtQuick.Controls\nimport QtQuick.Layouts\nimport Shotcut.Controls as Shotcut\n\n\
         Item {{\n    width: 450\n    height: 40 + 30 * {count}\n    Component.onCompleted: {{\n        if (filter.isNew) {{\n\
         {firsts}{presets}            filter.savePreset(preset.parameters)\n        }}\n        setControls()\n    }}\n\n    \
         function setControls() {{\n{shows}    }}\n\n    GridLayout {{\n        anchors.fill: parent\n        \
         anchors.margins: 8\n        columns: 2\n\n        Label {{ text: qsTr(\"Preset\") }}\n        Shotcut.Preset {{\n            \
         id: preset\n            parameters: [{names}]\n            onPresetSelected: setControls()\n        }}\n{widgets}        \
         Item {{ Layout.fillHeight: true }}\n    }}\n}}\n",
        mark = mark(),
        count = rows.len(),
        presets = presets(effect),
        names = rows.iter().map(|row| quoted(row.name)).collect::<Vec<_>>().join(", "),
    )
}

/// What a parameter puts in each place of the file.
struct Row {
    name: &'static str,
    /// Sets its default.
    first: String,
    /// Shows what is set.
    show: String,
    widget: String,
}

/// Saves the filter's presets, each from the defaults.
fn presets(effect: Effect) -> String {
    let Effect::Filter(filter) = effect else { return String::new() };
    let mut text = String::new();
    for preset in filter.schema.presets {
        let params: Vec<(&Param, &str)> = effect
            .parameters()
            .into_iter()
            .filter_map(|param| Some((param, preset.args.iter().find(|(name, _)| *name == param.name)?.1)))
            .collect();
        for (param, value) in &params {
            text += &set(param.name, &stored(param, value));
        }
        let _ = writeln!(text, "            filter.savePreset(preset.parameters, qsTr({}))", quoted(preset.name));
        for (param, _) in &params {
            text += &set(param.name, &stored(param, &(param.default)()));
        }
    }
    text
}

/// What the effect gets for a value that a chain writes, in QML.
fn stored(param: &Param, value: &str) -> String {
    quoted(&Control::of(param).number_of(value).map_or_else(|| value.to_owned(), |share| share.to_string()))
}

fn set(name: &str, value: &str) -> String {
    format!("            filter.set({}, {value})\n", quoted(name))
}

fn row(param: &'static Param) -> Row {
    let (name, label, id) = (quoted(param.name), quoted(&param.label()), id(param.name));
    let first = set(param.name, &stored(param, &(param.default)()));
    let (show, widget) = match Widget::of(param) {
        Widget::Tick(_) => (
            format!("{id}.checked = filter.get({name}) === \"1\""),
            format!("CheckBox {{ id: {id}; onClicked: filter.set({name}, checked ? 1 : 0) }}"),
        ),
        Widget::Slider { least, most, whole, .. } => (
            format!("{id}.value = {least} + {span} * filter.getDouble({name})", span = most - least),
            format!(
                "Shotcut.SliderSpinner {{\n            id: {id}; minimumValue: {least}; maximumValue: {most}; decimals: {}\n            \
                 onValueChanged: filter.set({name}, (value - {least}) / {})\n        }}",
                if whole { 0 } else { 2 },
                most - least
            ),
        ),
        Widget::List { values, .. } => {
            let (shown, stored): (Vec<_>, Vec<_>) =
                values.into_iter().map(|(shown, stored)| (quoted(&shown), quoted(&stored))).unzip();
            (
                format!("{id}.currentIndex = {id}.values.indexOf(filter.get({name}))"),
                format!(
                    "Shotcut.ComboBox {{\n            id: {id}; model: [{}]\n            property var values: [{}]\n            \
                     onActivated: filter.set({name}, values[currentIndex])\n        }}",
                    shown.join(", "),
                    stored.join(", ")
                ),
            )
        }
        Widget::Line(text) => return line(param.name, &param.label(), &text),
    };
    Row { name: param.name, first, show: format!("        {show}\n"), widget: labelled(&label, &widget) }
}

/// A parameter of text.
fn line(name: &'static str, label: &str, text: &str) -> Row {
    let (id, quoted_name) = (id(name), quoted(name));
    let widget =
        format!("TextField {{ id: {id}; Layout.fillWidth: true; onEditingFinished: filter.set({quoted_name}, text) }}");
    Row {
        name,
        first: set(name, &quoted(text)),
        show: format!("        {id}.text = filter.get({quoted_name})\n"),
        widget: labelled(&quoted(label), &widget),
    }
}

fn labelled(label: &str, widget: &str) -> String {
    format!("        Label {{ text: qsTr({label}) }}\n        {widget}\n")
}

/// The parameter's object: no word that QML has a meaning for.
fn id(name: &str) -> String {
    format!("{name}Control")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
