//! Shotcut: a folder an effect, of two files in QML.

use super::{CHAIN_DOC, DEFAULT_CHAIN, Effect, Widget, calls_with_presets, explained, mark};
use crate::params::{Control, Param, Preset};

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
        Effect::Chain => vec![chain_row()],
        Effect::Filter(_) => effect.parameters().into_iter().map(row).collect(),
    };
    let each = |part: fn(&Row) -> &String| rows.iter().map(part).cloned().collect::<String>();
    let (firsts, shows, widgets) = (each(|row| &row.first), each(|row| &row.show), each(|row| &row.widget));
    format!(
        "/*\n{mark}\n*/\nimport QtQuick\nimport QtQuick.Controls\nimport QtQuick.Layouts\nimport Shotcut.Controls as Shotcut\n\n\
         Item {{\n    width: 450\n    height: 40 + 30 * {count}\n    Component.onCompleted: {{\n        if (filter.isNew) {{\n\
         {firsts}{presets}            filter.savePreset(preset.parameters)\n        }}\n        setControls()\n    }}\n\n    \
         function setControls() {{\n{shows}    }}\n\n    GridLayout {{\n        anchors.fill: parent\n        \
         anchors.margins: 8\n        columns: 3\n\n        Label {{ text: qsTr(\"Preset\") }}\n        Shotcut.Preset {{\n            \
         id: preset\n            Layout.columnSpan: 2\n            parameters: [{names}]\n            \
         onPresetSelected: setControls()\n        }}\n{widgets}        Item {{ Layout.fillHeight: true }}\n    }}\n}}\n",
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

/// Saves presets, each from the defaults: the filter's, and for a chain those of every filter.
fn presets(effect: Effect) -> String {
    match effect {
        Effect::Chain => {
            let each = calls_with_presets().map(|(name, call)| set_chain(&call) + &save(&name));
            each.chain([set_chain(DEFAULT_CHAIN)]).collect()
        }
        Effect::Filter(filter) => {
            filter.schema.presets.iter().map(|preset| filter_preset(&effect.parameters(), preset)).collect()
        }
    }
}

fn filter_preset(parameters: &[&Param], preset: &Preset) -> String {
    let value = |param: &Param| Some(preset.args.iter().find(|(name, _)| *name == param.name)?.1);
    let given = parameters.iter().filter_map(|param| Some((param, value(param)?)));
    let (set_all, reset): (String, String) =
        given.map(|(param, value)| (set(param.name, &stored(param, value)), set_default(param))).unzip();
    set_all + &save(preset.name) + &reset
}

fn save(name: &str) -> String {
    format!("            filter.savePreset(preset.parameters, qsTr({}))\n", quoted(name))
}

/// What the effect gets for a value that a chain writes, in QML.
fn stored(param: &Param, value: &str) -> String {
    quoted(&Control::of(param).number_of(value).map_or_else(|| value.to_owned(), |share| share.to_string()))
}

fn set(name: &str, value: &str) -> String {
    format!("            filter.set({}, {value})\n", quoted(name))
}

fn set_chain(text: &str) -> String {
    set("chain", &quoted(text))
}

fn set_default(param: &Param) -> String {
    set(param.name, &stored(param, &(param.default)()))
}

fn row(param: &'static Param) -> Row {
    let (name, id) = (quoted(param.name), id(param.name));
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
        Widget::Line(_) => line(param.name),
    };
    let widget = labelled(&param.label(), &explained(param), &widget, param.unit);
    Row { name: param.name, first: set_default(param), show: format!("        {show}\n"), widget }
}

fn chain_row() -> Row {
    let (show, widget) = line("chain");
    Row {
        name: "chain",
        first: set_chain(DEFAULT_CHAIN),
        show: format!("        {show}\n"),
        widget: labelled("Chain", CHAIN_DOC, &widget, ""),
    }
}

/// What shows a text, and where it is written.
fn line(name: &str) -> (String, String) {
    let (id, name) = (id(name), quoted(name));
    (
        format!("{id}.text = filter.get({name})"),
        format!("TextField {{ id: {id}; Layout.fillWidth: true; onEditingFinished: filter.set({name}, text) }}"),
    )
}

/// A row of three columns. Units may be longer than a spinner's suffix can be.
fn labelled(label: &str, tip: &str, widget: &str, unit: &str) -> String {
    let unit = match unit {
        "" => "Item {}".to_owned(),
        _ => format!("Label {{ text: qsTr({}); Layout.maximumWidth: 110; wrapMode: Text.Wrap }}", quoted(unit)),
    };
    format!(
        "        Label {{\n            text: qsTr({label})\n            Shotcut.HoverTip {{ text: qsTr({tip}) }}\n        }}\n        \
         {widget}\n        {unit}\n",
        label = quoted(label),
        tip = quoted(tip),
    )
}

/// The parameter's object: no word that QML has a meaning for.
fn id(name: &str) -> String {
    format!("{name}Control")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of QML ends on its line.
    #[test]
    fn every_effect_has_whole_texts() {
        let all = crate::filters::ALL.iter().filter_map(|filter| Effect::named(filter.name).ok());
        for effect in all.chain([Effect::Chain]) {
            for line in (meta(effect) + &ui(effect)).lines() {
                let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
                assert!(quotes % 2 == 0, "{}: {line}", effect.name());
            }
        }
    }
}
