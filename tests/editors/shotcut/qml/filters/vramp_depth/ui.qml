/*
vramp plugin library, version VERSION
*/
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Shotcut.Controls as Shotcut

Item {
    width: 450
    height: 40 + 30 * 3
    Component.onCompleted: {
        if (filter.isNew) {
            filter.set("bits", "auto")
            filter.set("dither", "none")
            filter.set("animate", "0")
            filter.savePreset(preset.parameters)
        }
        setControls()
    }

    function setControls() {
        bitsControl.currentIndex = bitsControl.values.indexOf(filter.get("bits"))
        ditherControl.currentIndex = ditherControl.values.indexOf(filter.get("dither"))
        animateControl.checked = filter.get("animate") === "1"
    }

    GridLayout {
        anchors.fill: parent
        anchors.margins: 8
        columns: 3

        Label { text: qsTr("Preset") }
        Shotcut.Preset {
            id: preset
            Layout.columnSpan: 2
            parameters: ["bits", "dither", "animate"]
            onPresetSelected: setControls()
        }
        Label {
            text: qsTr("Depth")
            Shotcut.HoverTip { text: qsTr("The new depth. `auto` keeps the stream's depth and all 16 bits between filters. It takes auto, or a whole number from 8 to 16 (bits).") }
        }
        Shotcut.ComboBox {
            id: bitsControl; model: ["auto", "8", "9", "10", "11", "12", "13", "14", "15", "16"]
            property var values: ["auto", "8", "9", "10", "11", "12", "13", "14", "15", "16"]
            onActivated: filter.set("bits", values[currentIndex])
        }
        Label { text: qsTr("bits"); Layout.maximumWidth: 110; wrapMode: Text.Wrap }
        Label {
            text: qsTr("Dither")
            Shotcut.HoverTip { text: qsTr("What happens to the part of a value that the new depth cannot hold: it is rounded (`none`), decided by an 8×8 Bayer matrix (`ordered`), by a blue noise table (`blue`) or by triangular noise two steps wide (`tpdf`), or diffused to the neighbours (`fs`). It takes one of none, ordered, blue, fs, tpdf.") }
        }
        Shotcut.ComboBox {
            id: ditherControl; model: ["none", "ordered", "blue", "fs", "tpdf"]
            property var values: ["none", "ordered", "blue", "fs", "tpdf"]
            onActivated: filter.set("dither", values[currentIndex])
        }
        Item {}
        Label {
            text: qsTr("Moving pattern")
            Shotcut.HoverTip { text: qsTr("Whether the pattern of `ordered`, `blue` and `tpdf` moves from frame to frame. One that stands still compresses better. It takes on or off.") }
        }
        CheckBox { id: animateControl; onClicked: filter.set("animate", checked ? 1 : 0) }
        Item {}
        Item { Layout.fillHeight: true }
    }
}
